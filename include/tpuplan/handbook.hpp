#ifndef TPUPLAN_HANDBOOK_HPP
#define TPUPLAN_HANDBOOK_HPP

/// @file
/// The scaling book's closed forms at peak rates: rooflines, padding, collectives, sharding thresholds, inference.

#include <tpuplan/handbook/attention.hpp>
#include <tpuplan/handbook/batches.hpp>
#include <tpuplan/handbook/collective.hpp>
#include <tpuplan/handbook/inference.hpp>
#include <tpuplan/handbook/intensity.hpp>
#include <tpuplan/handbook/link.hpp>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/handbook/placement.hpp>
#include <tpuplan/handbook/recomputation.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/handbook/sharding.hpp>
#include <tpuplan/handbook/thresholds.hpp>
#include <tpuplan/handbook/utilization.hpp>
#include <tpuplan/handbook/work.hpp>

#endif
