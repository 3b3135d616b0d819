#ifndef TPUPLAN_COST_HPP
#define TPUPLAN_COST_HPP

/// @file
/// What it costs: prices, runs, ways of paying, preemption, commitments.

#include <tpuplan/cost/commitment.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/cost/preemption.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/cost/timed_capacity.hpp>

#endif
