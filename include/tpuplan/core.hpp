#ifndef TPUPLAN_CORE_HPP
#define TPUPLAN_CORE_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "tpuplan needs C++17 or newer (-std=c++17)"
#else  // nothing is read after the error: in an interpreter a half-read header ends the session

/// @file
/// Everything that is constexpr and needs no third-party library: units, hardware, models, rooflines, layouts,
/// estimates and costs.

#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/estimate/memory.hpp>
#include <tpuplan/estimate/training.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/integer.hpp>
#include <tpuplan/known.hpp>
#include <tpuplan/math.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/parallel/collective.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/parallel/link.hpp>
#include <tpuplan/parallel/placement.hpp>
#include <tpuplan/roofline/attention.hpp>
#include <tpuplan/roofline/padding.hpp>
#include <tpuplan/roofline/roofline.hpp>
#include <tpuplan/version.hpp>

#endif

#endif
