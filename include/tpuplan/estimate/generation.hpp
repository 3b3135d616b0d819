#ifndef TPUPLAN_ESTIMATE_GENERATION_HPP
#define TPUPLAN_ESTIMATE_GENERATION_HPP

#include <tpuplan/estimate/generation/calibration.hpp>
#include <tpuplan/estimate/generation/forward.hpp>
#include <tpuplan/estimate/generation/generation_time.hpp>
#include <tpuplan/estimate/generation/job.hpp>
#include <tpuplan/estimate/generation/layouts.hpp>
#include <tpuplan/estimate/generation/memory.hpp>
#include <tpuplan/estimate/generation/training.hpp>

/// @file
/// Estimates of generating images and clips.

#endif
