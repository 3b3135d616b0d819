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
[[nodiscard]] inline view view_of(const spot_answer& a, const view_options& options = {}) {
  using namespace readable;
  const expected_spot_run& e = a.expected;
  view shown;
  shown.title = joined({"checkpoint every ", duration(a.run.checkpoint_interval), ", ", duration(e.billed),
                        " billed for ", duration(e.work), " of work"});
  shown.summary = shown.title;
  view_part part = table_of("expected | >time:s | >of the work");
  const auto row = [&](std::string_view label, seconds time) {
    part.rows.push_back({cell(label), cell(time), share_cell(time / e.work)});
  };
  row("work", e.work);
  row("checkpoints", e.checkpoints);
  row("lost work", e.lost_work);
  row("restarts", e.restarts);
  row("billed", e.billed);
  row("waiting for capacity", e.queue);
  row("from start to end", e.wall);
  part.notes = {joined({fixed(a.preemptions, 1), " preemptions expected; intervals: Young ", duration(a.young_interval),
                        ", exact ", duration(a.optimal_interval)})};
  if (const std::optional<spot_comparison>& p = a.prices) {
    const double saved = p->saving_fraction;
    part.notes.push_back(joined({money(p->spot_cost), " on spot against ", money(p->on_demand_cost),
                                 " on demand: ", p->spot_is_cheaper ? "saves " : "costs more by ",
                                 percent(saved < 0 ? -saved : saved)}));
    part.notes.push_back(joined({"a useful hour costs ", money(p->effective_price * 1_h), " on spot: the price times ",
                                 fixed(p->billed_factor, 3)}));
  }
  shown.parts = {std::move(part)};
  add_assumed(shown, a.assumed, options);
  if (!a.prices) shown.next = {{"spot", {}, "what it saves"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
