#ifndef TPUPLAN_ASK_PLAN_TRAFFIC_HPP
#define TPUPLAN_ASK_PLAN_TRAFFIC_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/simulation.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/plan/sorting.hpp>
#include <utility>
#include <vector>

/// @file
/// Plans for conversations and a router: each is what simulate answers of the slices of a plan.

namespace tpuplan {
inline namespace abi_0 {

/// How the requests of a plan belong together, and who gets them.
struct planned_traffic {
  std::optional<request_routing> routing{};  ///< left open with prefixes, the one with which requests end earliest
  session_traffic sessions{};                ///< conversations and the prefixes that they share
  double host_cache_gib = 0;                 ///< memory of the hosts of a replica for its cache, GiB
};

/// The slices of a plan behind a router, with all of their replicas simulated together.
struct planned_router {
  /// @{
  /// The router, the kind of slice, and what it did.
  request_routing routing{};
  std::string slice{};
  std::int64_t slices = 0;   ///< that were simulated: all, or of a large fleet a part with its share of the requests
  prefix_shares prefixes{};  ///< shares of the tokens of prompts
  double busiest = 0;        ///< share of the requests that the busiest replica had
  /// The latencies of these slices, and whether the targets are kept and as many requests are served as come.
  simulation_report report{};
  bool keeps_targets = false;
  /// @}
};

/// Plans behind a router, each with its fleet.
struct routed_plans {
  serving_plan_answer answer{};          ///< the plans
  std::vector<planned_router> fleets{};  ///< of each plan
  /// The chance that each keeps its targets, within the band of the estimate; nothing where that takes too many steps.
  std::vector<std::optional<double>> chances{};
  /// The slices that decided which router is planned for with each of them, where none was asked for: those that were
  /// best behind no router.
  std::vector<planned_router> routers{};
};

/// Whether a plan is for conversations, shared prefixes or a router. Worked: not of requests at random.
[[nodiscard]] inline bool is_routed(const planned_traffic& traffic) {
  return traffic.routing.has_value() || have_prefixes(traffic.sessions);
}

/// Replicas of a large fleet that are simulated at the least, with their share of the requests.
inline constexpr std::int64_t planned_replicas = 12;

/// The slices of a plan that are simulated behind a router. By prefix a conversation stays where it is, and each
/// replica has as much of it as in the whole fleet: so many slices do as have 12 replicas. Where conversations share
/// prefixes too, a router by prefix prefers the few replicas that have them, which a part does not show; other routers
/// send the turns of a conversation to any replica, and find less of them the more there are: all slices. Without turns
/// 12 replicas do for other routers. Worked: of 15 slices of 4 replicas 3 by prefix, and all 15 by queue.
[[nodiscard]] inline std::int64_t slices_simulated(const planned_traffic& traffic, request_routing routing,
                                                   std::int64_t slices, std::int64_t replicas_of_slice) {
  const session_traffic& of = traffic.sessions;
  if (routing == request_routing::prefix ? of.shared_prefix > 0 : of.turns > 1) return slices;
  return std::min(slices, ceil_div(planned_replicas, replicas_of_slice));
}

/// The requests a second of so many of the slices. Worked: 3 of 15 slices have 40 of 200.
[[nodiscard]] inline per_second rate_of_part(per_second rate, std::int64_t part, std::int64_t slices) {
  return part == slices ? rate : rate * static_cast<double>(part) / static_cast<double>(slices);
}

namespace detail {

/// Plans for which slices are tried at the least, however few are shown: as many as are shown where nothing is said.
inline constexpr std::size_t usual_rows = 8;

/// The work of the simulations of a plan behind a router, in steps of replicas, after which only the first plan goes
/// on, up to four times as far; what a request takes beside its steps; replicas that are looked over in the time of
/// that.
inline constexpr double most_routed_work = 3.5e7, work_of_a_request = 60, replicas_looked_over = 60;

/// The work of a simulation of so many replicas behind a router.
[[nodiscard]] inline double routed_work(double steps, double requests, double replicas) {
  return (steps + work_of_a_request * requests) * (1 + replicas / replicas_looked_over);
}
/// The same of all slices, where a part was simulated with so much: as many times the steps and the requests; 0 where
/// all were.
[[nodiscard]] inline double routed_work_of_all(double of_part, std::int64_t part, std::int64_t slices,
                                               std::int64_t replicas_of_slice) {
  if (part == slices) return 0;
  const auto all = static_cast<double>(slices * replicas_of_slice), few = static_cast<double>(part * replicas_of_slice);
  return of_part / routed_work(1, 0, few) * routed_work(1, 0, all) * all / few;
}

/// By how much the target that is missed by most is missed; 0 where all are kept.
[[nodiscard]] inline seconds missed_by(const simulation_report& report, const latency_targets& targets) {
  seconds most{};
  const auto add = [&](const measured_times& times, const latency_target& target) {
    if (target.limit.value() > 0) most = max(most, reached_of(times.value, target) - target.limit);
  };
  add(report.first_token, targets.first_token);
  add(report.per_token, targets.per_token);
  add(report.end_to_end, targets.end_to_end);
  return most;
}

/// What simulate is asked of slices of a plan; `job` is the one that was asked for.
[[nodiscard]] inline simulate_request simulation_of(const serving_request& request, const serving_job& job,
                                                    const slice& where, const serving_layout& mesh,
                                                    std::int64_t slices) {
  simulate_request one;
  one.slice = std::string(name(where).view());
  one.slices = slices, one.mesh = mesh, one.constants = request.constants, one.job = job;
  one.prompts = request.drawn.prompts, one.outputs = request.drawn.outputs;
  one.job.ttft_target = one.job.tpot_target = {};
  if (!has_peak_rate(where.chip, job.activations)) one.job.activations = dtype::bf16;
  return one;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::planned_traffic, routing, sessions, host_cache_gib)
TPUPLAN_FIELDS(tpuplan::planned_router, routing, slice, slices, prefixes, busiest, report, keeps_targets)

#endif
