#ifndef TPUPLAN_SHOW_VIEWS_PLAN_GENERATION_HPP
#define TPUPLAN_SHOW_VIEWS_PLAN_GENERATION_HPP

#include <string>
#include <tpuplan/ask/plan_generation.hpp>
#include <tpuplan/show/views/generate.hpp>
#include <tpuplan/show/views/plan.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answer to plan_generation.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// The plans, best first.
[[nodiscard]] inline view_part items_part(const generation_plan_document& a, const view_options& options) {
  view_part part =
      table_of(joined({"slices | ~~>chips | >batch | ~~~layout | >latency:s | ~>a batch:s | ~~~>between:s | "
                       "~~>busy | >an hour:usd | >1,000 ",
                       item_word(a.clips), "s:usd | ~~~>HBM per device:bytes | ",
                       paid_column("~~", a.plans, [](const generation_plan_row& row) { return row.price; })}));
  std::vector<price_row> prices;
  std::vector<provisioning> kinds;
  for (const generation_plan_row& row : a.plans) {
    part.rows.push_back(
        {cell(joined({std::to_string(row.slices), " x ", row.slice, row.on_front ? " *" : ""})), count_cell(row.chips),
         count_cell(row.batch), cell(tpuplan::detail::layout_words(row.mesh)), cell(row.latency), cell(row.batch_time),
         range_cell(row.batch_time_low, row.batch_time_high), share_cell(row.busy),
         marked(usd{row.usd_per_hour}, row.price, options), marked(usd{1000 * row.usd_per_item}, row.price, options),
         used_cell(row.used, row.usable),
         cell(joined({name(row.kind), ", ", row.region, ", ", dated(row.price.date.view(), options)}))});
    prices.push_back(row.price);
    kinds.push_back(row.kind);
  }
  part.notes = {"* no other plan is both cheaper and faster", "prices of " + dates_of(prices, options)};
  add_doubts(part.notes, prices, options);
  add_terms(part.notes, kinds);
  add_refusal(part.notes, a.plans.front().maxdiffusion_refuses);
  return part;
}

/// How far each limit alone would have to go, rounded so that what is printed is enough, and with which slices.
[[nodiscard]] inline view_part relaxed_items_part(const std::vector<relaxed_generation_row>& rows) {
  if (rows.empty()) return {{}, {"no single limit, relaxed by itself, lets a plan in"}, {}, {}, {}, false};
  view_part part = table_of("limit | is | would have to be | for", "what to relax, one limit at a time");
  const auto words = [](const std::string& limit, double amount, bool is_needed) -> std::string {
    const auto enough = [is_needed](const measured& of) { return text(is_needed ? rounded_up(of) : of); };
    if (limit == "latency") return enough(measure(seconds{amount}));
    if (limit == "budget") return enough(measure(usd{amount})) + " an hour";
    if (limit == "accept-uncertain") return amount > 0 ? "yes" : "no";
    return fixed(amount, 0);
  };
  for (const relaxed_generation_row& one : rows)
    part.rows.push_back(
        {cell(one.limit),
         cell(one.needed_name.empty()
                  ? words(one.limit, one.given, false)
                  : listed(std::vector<std::string_view>{one.given_names.begin(), one.given_names.end()})),
         cell(one.needed_name.empty() ? words(one.limit, one.needed, true) : one.needed_name),
         cell(joined({slices_words(one.plan.slice, one.plan.slices), ", there after ", duration(one.plan.latency), ", ",
                      money(usd{one.plan.usd_per_hour}), "/h (", name(one.plan.kind), ")"}))});
  return part;
}

}  // namespace readable

/// What a reader sees of a plan of images or clips. Worked: where no slice does it, that is the first sentence.
[[nodiscard]] inline view view_of(const generation_plan_document& a, const view_options& options = {}) {
  using namespace readable;
  const std::string item(item_word(a.clips));
  view shown;
  shown.title = joined({a.model, ", ", picture_words(a.size), ", ", steps_words(a.job), ": ",
                        four_digits(a.items_per_hour), " ", item, "s an hour",
                        a.latency ? joined({", each within ", duration(*a.latency), " on average"}) : std::string()});
  if (a.plans.empty()) {
    shown.summary = "No slice does it within these limits.";
    shown.sentences = {"no slice does it within these limits"};
    shown.parts.push_back(relaxed_items_part(a.relax));
  } else {
    const generation_plan_row& best = a.plans.front();
    shown.summary =
        joined({slices_words(best.slice, best.slices), " (", std::to_string(best.chips), " chips) is the ",
                spaced(name(a.best)), ": ", money(usd{best.usd_per_hour}), " an hour, ", item_money(best.usd_per_item),
                " for each ", item, ", which is there after ", duration(best.latency)});
    shown.sentences = {joined({name(a.best), " first; ", "the estimates rest on ", counted(a.runs, "published run"),
                               " by ", counted(a.sources, "source")})};
    shown.parts.push_back(items_part(a, options));
  }
  add_lost(shown, a.lost, [](const lost_servers_row& one) { return one.why; });
  add_assumed(shown, a.assumed, options);
  if (a.plans.empty()) return shown;
  std::vector<price_row> prices;
  for (const generation_plan_row& row : a.plans) prices.push_back(row.price);
  add_prices(shown, prices);
  shown.next = {{"generate", {}, "its time by part, and its memory"}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
