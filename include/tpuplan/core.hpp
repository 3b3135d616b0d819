#ifndef TPUPLAN_CORE_HPP
#define TPUPLAN_CORE_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "tpuplan needs C++17 or newer (-std=c++17)"
#else  // nothing is read after the error: in an interpreter a half-read header ends the session

/// @file
/// What training takes, constexpr and without a third-party library: units, hardware, models, rooflines, layouts, the
/// time of a step and its memory.

#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/known.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/training/largest_batch.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/version.hpp>

#endif

#endif
