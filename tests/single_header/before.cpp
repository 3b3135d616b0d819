// The single header, then the separate ones. Only these have the planner.
#include "tpuplan.hpp"

#include <tpuplan/core.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/tpuplan.hpp>

static_assert(tpuplan::critical_batch(tpuplan::v5e) == 241);
#if !defined(TPUPLAN_PLAN_PLANNER_HPP)
#error "tpuplan.hpp did not add the planner"
#endif
