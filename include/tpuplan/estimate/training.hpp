#ifndef TPUPLAN_ESTIMATE_TRAINING_HPP
#define TPUPLAN_ESTIMATE_TRAINING_HPP

/// @file
/// Training as calibrated on published runs: the time of a step, its memory, what would make it faster.

#include <tpuplan/estimate/training/advice.hpp>
#include <tpuplan/estimate/training/bands.hpp>
#include <tpuplan/estimate/training/calibration.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>
#include <tpuplan/estimate/training/largest_batch.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/published_layouts.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/estimate/training/sums.hpp>

#endif
