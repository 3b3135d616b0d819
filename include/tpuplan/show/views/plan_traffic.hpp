#ifndef TPUPLAN_SHOW_VIEWS_PLAN_TRAFFIC_HPP
#define TPUPLAN_SHOW_VIEWS_PLAN_TRAFFIC_HPP

#include <cstdint>
#include <string>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/ask/plan_split.hpp>
#include <tpuplan/ask/plan_traffic.hpp>
#include <tpuplan/show/views/serving.hpp>
#include <vector>

/// @file
/// Routers, prefixes and split fleets in words, as simulate and plans have them.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// Whether it pays to split, and why.
[[nodiscard]] inline std::string split_verdict(const split_answer& split, const simulation_report& apart,
                                               const latency_targets& targets, bool keeps_means = true) {
  const bool any = any_target(targets);
  if (split.pays)
    return std::string("to split pays: ") + (any ? "together they miss a target" : "requests end earlier");
  return std::string("do not split: ") + (!split.keeps_up            ? "it serves fewer requests than come"
                                          : any && !meets(apart)     ? "it misses a target"
                                          : !keeps_means             ? "it misses the target of a mean"
                                          : any                      ? "together they keep the targets too"
                                          : split.prefill_busy > 0.9 ? "prompts wait for the slices that compute them"
                                          : split.transfer > split.together.first_token.value.mean
                                              ? "sending caches takes longer than computing them"
                                              : "fewer slices decode, and requests end later");
}
/// How much of the prompts was in the caches.
[[nodiscard]] inline std::string found_words(const prefix_shares& shares) {
  std::string words =
      joined({percent(shares.on_chips), " of the tokens of prompts were in the cache of their replica"});
  if (shares.on_hosts > 0) words += joined({", ", percent(shares.on_hosts), " on its hosts"});
  return words + joined({"; ", percent(shares.repeated), " had come before"});
}
/// What the busiest of several replicas had.
[[nodiscard]] inline std::string busiest_words(double share) {
  return joined({"; the busiest replica had ", percent(share), " of the requests"});
}
/// What slices do with each router: all of the first plan, or those that decided which it has.
[[nodiscard]] inline view_part routers_part(const std::vector<planned_router>& routers, const serving_plan_row& first,
                                            const latency_targets& targets) {
  std::int64_t most = 0;
  for (const planned_router& one : routers) most = std::max(most, one.slices);
  const std::string& slice = routers.front().slice;
  const bool are_its = slice == first.slice && (most == first.slices || (first.routed && most == first.routed->slices));
  view_part part = table_of(joined({"routing | ~>found | >", target_title("first", targets.first_token), " | >",
                                    target_title("token", targets.per_token), " | >",
                                    target_title("request", targets.end_to_end), " | targets"}),
                            are_its ? std::string("the slices of the first plan behind each router")
                                    : slices_words(slice, most) + " behind each router, by which it was chosen");
  for (const planned_router& one : routers)
    part.rows.push_back({cell(one.slices == most ? std::string(name(one.routing))
                                                 : joined({name(one.routing), ", of ", counted(one.slices, "slice")})),
                         share_cell(one.prefixes.on_chips + one.prefixes.on_hosts),
                         cell(reached_of(one.report.first_token.value, targets.first_token)),
                         token_cell(reached_of(one.report.per_token.value, targets.per_token)),
                         cell(reached_of(one.report.end_to_end.value, targets.end_to_end)),
                         cell(!one.keeps_targets    ? "missed"
                              : any_target(targets) ? "kept"
                                                    : "none")});
  return part;
}
/// What the slices of a plan do as two pools, and whether that pays.
[[nodiscard]] inline std::string split_words(const planned_split& fleet, const serving_plan& planned,
                                             const latency_targets& targets, const view_options& options) {
  const bool any = any_target(targets), fewer = fleet.slices < planned.slices;
  const usd_per_second rate = planned.cost.rate * static_cast<double>(fleet.slices);
  return joined(
      {"split: ", std::to_string(fleet.split.pools.prefill), " of ", counted(fleet.slices, "slice"), " for prompts, ",
       std::to_string(fleet.split.pools.decode), " decode, requests in turn: the first token after ",
       duration(reached_of(fleet.report.first_token.value, targets.first_token)), ", each other within ",
       duration(reached_of(fleet.report.per_token.value, targets.per_token)),
       !any                  ? ""
       : fleet.keeps_targets ? ", targets kept"
                             : ", targets missed",
       "; ", split_verdict(fleet.split, fleet.report, targets, any || fleet.keeps_targets),
       fleet.split.pays && fewer ? joined({", for ", money(usd{in_usd_per_hour(rate)}), " an hour"}) : std::string(),
       !fleet.split.pays && fewer && options.names_options ? ", in turn; --routing round_robin plans for that" : ""});
}

}  // namespace readable
}  // namespace abi_0
}  // namespace tpuplan

#endif
