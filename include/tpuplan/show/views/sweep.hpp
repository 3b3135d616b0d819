#ifndef TPUPLAN_SHOW_VIEWS_SWEEP_HPP
#define TPUPLAN_SHOW_VIEWS_SWEEP_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <tpuplan/ask/sweep.hpp>
#include <tpuplan/show/views/common.hpp>
#include <vector>

/// @file
/// What a reader sees of a sweep of many trials.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// The ways to do a sweep, the cheapest first, and which is the fastest.
[[nodiscard]] inline view_part sweep_part(const plan_sweep_answer& answer, const view_options& options) {
  view_part part = table_of(
      "slice | paid for as | >at once | ~>rounds | ~>whole trial:s | >sweep:s | ~>19 of 20 orders:s | >cost:usd | >a "
      "trial:usd | "
      "~~>preemptions");
  const auto most = static_cast<std::size_t>(options.rows.value_or(8));
  std::vector<price_row> prices;
  for (const sweep_row& p : answer.plans) {
    if (part.rows.size() == most) break;
    prices.push_back(p.price);
    part.rows.push_back({cell(p.slice), cell(name(p.kind)), count_cell(p.parallel, true), count_cell(p.rounds, true),
                         cell(p.whole_trial), cell(p.wall), cell(p.wall_high), marked(p.total, p.price, options),
                         marked(p.per_trial, p.price, options), number_cell(p.preemptions, 1)});
  }
  if (answer.plans.size() > most)
    part.notes.push_back(
        joined({std::to_string(answer.plans.size() - most), " more",
                options.names_options ? ": --rows " + std::to_string(answer.plans.size()) : std::string()}));
  const sweep_row& fastest = *std::min_element(
      answer.plans.begin(), answer.plans.end(),
      [](const sweep_row& a, const sweep_row& b) { return a.wall != b.wall ? a.wall < b.wall : a.total < b.total; });
  if (fastest.wall < answer.plans.front().wall) {
    prices.push_back(fastest.price);
    part.notes.push_back(joined({"the fastest: ", std::to_string(fastest.parallel), " at once on ", fastest.slice, ", ",
                                 name(fastest.kind), ": ", duration(fastest.wall), " for ",
                                 marked(fastest.total, fastest.price, options).text}));
  }
  part.notes.push_back("prices of " + dates_of(prices, options));
  add_doubts(part.notes, prices, options);
  return part;
}

/// The slices that are left out, and why: a table where that is all there is.
[[nodiscard]] inline view_part left_out_part(const plan_sweep_answer& answer, const view_options& options) {
  view_part part = answer.plans.empty() ? table_of("slice | why not") : view_part{};
  const auto most = static_cast<std::size_t>(options.rows.value_or(8));
  for (const left_out_slice& one : answer.left_out) {
    const std::string why =
        joined({one.why, options.names_options && one.why == no_trial_runs ? ": tpuplan train --slice says why" : ""});
    if (!answer.plans.empty())
      part.sentences.push_back(joined({one.slice, ": ", why}));
    else if (part.rows.size() < most)
      part.rows.push_back({cell(one.slice), cell(why)});
  }
  if (answer.plans.empty() && answer.left_out.size() > most)
    part.notes.push_back(joined({std::to_string(answer.left_out.size() - most), " more"}));
  return part;
}

}  // namespace readable

/// What a reader sees of a sweep. Worked: where no slice does it the first sentence is "no slice does it within these
/// limits".
[[nodiscard]] inline view view_of(const plan_sweep_answer& answer, const view_options& options = {}) {
  using namespace readable;
  view shown;
  std::vector<price_row> prices;
  shown.title = joined({answer.model, ": ", counted(grouped(answer.trials), "trial"),
                        answer.stopped > 0 ? joined({", ", percent(answer.stopped), " of them stopped after ",
                                                     percent(answer.stopped_after), " of a whole one"})
                                           : std::string()});
  if (answer.plans.empty()) {
    shown.sentences = {"no slice does it within these limits"};
    shown.summary = "No slice does it within these limits.";
  } else {
    shown.sentences = {joined(
        {"cheapest first", answer.quota ? joined({"; at most ", counted(*answer.quota, "chip"), " at once"}) : ""})};
    const sweep_row& best = answer.plans.front();
    shown.summary = joined({std::to_string(best.parallel), " at once on ", best.slice, ", ", name(best.kind), ": ",
                            marked(best.total, best.price, options).text, " in ", duration(best.wall), "."});
    shown.parts = {sweep_part(answer, options)};
    for (const sweep_row& one : answer.plans) prices.push_back(one.price);
  }
  if (!answer.left_out.empty()) shown.parts.push_back(left_out_part(answer, options));
  add_assumed(shown, answer.assumed, options);
  add_prices(shown, prices);
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
