#ifndef TPUPLAN_TPUPLAN_HPP
#define TPUPLAN_TPUPLAN_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "tpuplan needs C++17 or newer (-std=c++17)"
#else  // nothing is read after the error: in an interpreter a half-read header ends the session

/// @file
/// The core, serving, the handbook, advice, costs and the planner. What reads, asks, launches and
/// shows has headers of its own; so have what GPUs cost, limits of engines, critical batches, and the price of
/// keeping checkpoints.

#include <tpuplan/core.hpp>
#include <tpuplan/cost.hpp>
#include <tpuplan/estimate/serving.hpp>
#include <tpuplan/estimate/training.hpp>
#include <tpuplan/handbook.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/parallel/open_layout.hpp>
#include <tpuplan/plan/planner.hpp>

// Last: the headers above need not look at its operators.
#include <tpuplan/base/equal.hpp>

#endif

#endif
