#ifndef TPUPLAN_SHOW_VIEWS_PLAN_DAY_HPP
#define TPUPLAN_SHOW_VIEWS_PLAN_DAY_HPP

#include <algorithm>
#include <string>
#include <tpuplan/ask/plan_day.hpp>
#include <tpuplan/show/views/day.hpp>
#include <tpuplan/show/views/plan_serving.hpp>
#include <vector>

/// @file
/// What a reader sees of the slices that serve a day of traffic.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// What the day takes of each kind of slice.
[[nodiscard]] inline view_part day_plans_part(const plan_day_document& answer) {
  view_part part = table_of(
      "busiest part | ~~>chips | ~~~replica | ~>ideal | ~>fixed | >chip-hours | >cost:usd | paid for as | >first p99:s "
      "| "
      "~~>token p95:s | targets");
  for (const day_plan_row& row : answer.plans) {
    const bool known = row.is_simulated;
    part.rows.push_back({cell(slices_words(row.slice, row.slices)), count_cell(row.chips), cell(row.replica),
                         cell(count(row.ideal_chip_hours), row.ideal_chip_hours),
                         cell(count(row.fixed_chip_hours), row.fixed_chip_hours),
                         cell(count(row.chip_hours), row.chip_hours), cell(row.cost), cell(mix_words(row.mix)),
                         known ? cell(row.first_token.p99) : cell(""), known ? token_cell(row.per_token.p95) : cell(""),
                         cell(!known              ? "not simulated"
                              : row.meets_targets ? kept_in_parts(row.missed_parts)
                                                  : "missed")});
  }
  part.notes = {
      "ideal: chip-hours of the slices that each part needs in the long run; fixed: of those of the busiest part"};
  if (std::any_of(answer.plans.begin(), answer.plans.end(), [](const auto& row) { return !row.is_simulated; }))
    part.notes.emplace_back("of those not simulated the cheapest way of paying, whether or not it keeps the targets");
  return part;
}

}  // namespace readable

/// What a reader sees of a plan of a day. Worked: where no slice keeps the targets there is no table of them.
[[nodiscard]] inline view view_of(const plan_day_document& answer, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({answer.model, ": ", fixed(requests_of(answer.day), 0), " requests in ",
                        duration(answer.day.part * static_cast<double>(answer.day.rates.size()))});
  shown.sentences = {joined({name(answer.best), " first; ", targets_words(answer.targets), ", simulated"})};
  if (answer.plans.empty()) {
    shown.sentences.emplace_back("no slice does it within these limits");
  } else {
    const day_plan_row& best = answer.plans.front();
    shown.sentences.push_back(joined({slices_words(best.slice, best.slices), " for the busiest part; ",
                                      money(best.cost), " for all of it, ", mix_words(best.mix)}));
    shown.parts = {day_plans_part(answer), day_parts_part(answer.first->answer.options.front())};
    if (answer.first->answer.autoscaler) shown.parts.push_back(autoscaler_part(*answer.first));
  }
  shown.summary = shown.sentences.back();
  add_lost(shown, answer.lost, [](const lost_servers_row& one) { return one.why; });
  add_assumed(shown, answer.assumed, options);
  if (!answer.plans.empty()) shown.next = {{"day", {}, "every way of paying for it"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
