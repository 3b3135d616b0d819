#ifndef TPUPLAN_SHOW_VIEWS_SPOT_HPP
#define TPUPLAN_SHOW_VIEWS_SPOT_HPP

#include <string>
#include <tpuplan/ask/spot.hpp>
#include <tpuplan/show/views/common.hpp>

/// @file
/// What a reader sees of the answer to spot.

namespace tpuplan {
inline namespace abi_0 {

/// What a reader sees of a run on capacity that may be taken away. Worked: the first part is a table of 7 rows.
[[nodiscard]] inline view view_of(const spot_answer& answer, const view_options& options = {}) {
  using namespace readable;
  const expected_spot_run& expected = answer.expected;
  view shown;
  shown.title = joined({"checkpoint every ", duration(answer.run.checkpoint_interval), ", ", duration(expected.billed),
                        " billed for ", duration(expected.work), " of work"});
  shown.summary = shown.title;
  view_part part = table_of("expected | >time:s | >of the work");
  const auto row = [&](std::string_view label, seconds time) {
    part.rows.push_back({cell(label), cell(time), share_cell(time / expected.work)});
  };
  row("work", expected.work);
  row("checkpoints", expected.checkpoints);
  row("lost work", expected.lost_work);
  row("restarts", expected.restarts);
  row("billed", expected.billed);
  row("waiting for capacity", expected.queue);
  row("from start to end", expected.wall);
  part.notes = {joined({fixed(answer.preemptions, 1), " preemptions expected; intervals: Young ",
                        duration(answer.young_interval), ", exact ", duration(answer.optimal_interval)})};
  if (const std::optional<spot_comparison>& prices = answer.prices) {
    const double saved = prices->saving_fraction;
    part.notes.push_back(joined({money(prices->spot_cost), " on spot against ", money(prices->on_demand_cost),
                                 " on demand: ", prices->spot_is_cheaper ? "saves " : "costs more by ",
                                 percent(saved < 0 ? -saved : saved)}));
    part.notes.push_back(joined({"a useful hour costs ", money(prices->effective_price * 1_h),
                                 " on spot: the price times ", fixed(prices->billed_factor, 3)}));
  }
  shown.parts = {std::move(part)};
  add_assumed(shown, answer.assumed, options);
  if (!answer.prices) shown.next = {{"spot", {}, "what it saves"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
