// Some of the separate headers, then the single one, then the rest.
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/model/training_job.hpp>

#include "tpuplan.hpp"

#include <tpuplan/core.hpp>
#include <tpuplan/tpuplan.hpp>

static_assert(tpuplan::critical_batch(tpuplan::v5e) == 241);
#if !defined(TPUPLAN_PLAN_PLANNER_HPP)
#error "tpuplan.hpp did not add the planner"
#endif
