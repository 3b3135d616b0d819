#ifndef TPUPLAN_TESTS_SUPPORT_JSON_TYPES_HPP
#define TPUPLAN_TESTS_SUPPORT_JSON_TYPES_HPP

#include <tpuplan/cost/gpu_training.hpp>
#include <tpuplan/cost/timeline.hpp>
#include <tpuplan/estimate/generation.hpp>
#include <tpuplan/estimate/serving/speculation.hpp>
#include <tpuplan/estimate/training/input.hpp>
#include <tpuplan/estimate/training/network.hpp>
#include <tpuplan/estimate/training/replication.hpp>
#include <tpuplan/estimate/training/targets.hpp>
#include <tpuplan/handbook.hpp>
#include <tpuplan/handbook/epochs.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/launch.hpp>
#include <tpuplan/plan/cheapest_fleets.hpp>
#include <tpuplan/plan/check.hpp>
#include <tpuplan/plan/item_day.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/plan/relax_serving.hpp>
#include <tpuplan/plan/sensitivity.hpp>
#include <tpuplan/plan/serving_levers.hpp>
#include <tpuplan/plan/traffic.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/prices.hpp>
#include <tpuplan/risk/outlook.hpp>
#include <tpuplan/show/notebook.hpp>
#include <tpuplan/simulate/batches.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <tpuplan/simulate/routing.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <tpuplan/simulate/split.hpp>
#include <tpuplan/tpuplan.hpp>

/// The types of reflect/types.inc, with their definitions.
namespace json_types {

template <class T>
struct type_of {
  using type = T;
};

/// Calls visit(type_of<T>{}) for every public struct, in the order of the list.
template <class Visit>
void each_type(const Visit& visit) {
#define TPUPLAN_STRUCT(type, ...) visit(type_of<tpuplan::type>{});
#include <tpuplan/reflect/types.inc>
}

/// The same for every enumeration with names.
template <class Visit>
void each_enum(const Visit& visit) {
#define TPUPLAN_NAMED_ENUM(type) visit(type_of<tpuplan::type>{});
#include <tpuplan/reflect/types.inc>
}

}  // namespace json_types

#endif
