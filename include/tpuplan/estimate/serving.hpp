#ifndef TPUPLAN_ESTIMATE_SERVING_HPP
#define TPUPLAN_ESTIMATE_SERVING_HPP

/// @file
/// Serving as calibrated on published runs: decode steps, prefill, memory, an engine in its steady state, advice,
/// speculation.

#include <tpuplan/estimate/serving/advice.hpp>
#include <tpuplan/estimate/serving/calibration.hpp>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/estimate/serving/encoder.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/estimate/serving/prefill.hpp>

#endif
