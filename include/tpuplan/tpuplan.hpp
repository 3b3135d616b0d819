#ifndef TPUPLAN_TPUPLAN_HPP
#define TPUPLAN_TPUPLAN_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "tpuplan needs C++17 or newer (-std=c++17)"
#else  // nothing is read after the error: in an interpreter a half-read header ends the session

/// @file
/// The core, advice and the planner. Files, formats and displays are in io/, one header each.

#include <tpuplan/core.hpp>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/commitment.hpp>
#include <tpuplan/cost/migration.hpp>
#include <tpuplan/cost/offer.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/cost/spot_market.hpp>
#include <tpuplan/cost/windows.hpp>
#include <tpuplan/estimate/advice.hpp>
#include <tpuplan/estimate/serving_advice.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/plan/planner.hpp>

#endif

#endif
