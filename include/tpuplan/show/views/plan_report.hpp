#ifndef TPUPLAN_SHOW_VIEWS_PLAN_REPORT_HPP
#define TPUPLAN_SHOW_VIEWS_PLAN_REPORT_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <tpuplan/show/views/plan.hpp>
#include <vector>

/// @file
/// The plan as who pays for it reads it: what is recommended, what it costs and how sure that is, what could go wrong,
/// the alternatives, what it rests on.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// How sure it is that a row keeps its limits; without limits what the next row would be.
[[nodiscard]] inline std::string surety_words(const plan_document& answer) {
  const plan_row& best = answer.plans.front();
  const plan_request& request = answer.request;
  std::string words;
  if (best.chance_in_time && request.deadline)
    words += joined({"The chance to be done ", deadline_words(answer), answer.by ? "," : "", " is ",
                     chance_words(*best.chance_in_time)});
  if (best.chance_in_budget && request.budget)
    words += joined({words.empty() ? "The chance to stay within " : ", and to stay within ", money(*request.budget),
                     words.empty() ? " is " : " ", chance_words(*best.chance_in_budget)});
  if (!words.empty()) return words + ".";
  if (answer.plans.size() < 2) return "No other slice does it within the limits.";
  const plan_row& next = answer.plans[1];
  const plan_cost& cost = chosen_cost(next.plan);
  return joined({"The next is ", slices_words(next.slice, next.slices), ", ", name(cost.kind), ": ", money(cost.total),
                 " in ", duration(cost.wall), "."});
}
/// What could go wrong with a plan, and what of it is in its time and cost already.
[[nodiscard]] inline std::vector<std::string> risk_sentences(const plan_row& row, const plan_request& request) {
  const plan_cost& cost = chosen_cost(row.plan);
  const payment_terms terms = tpuplan::detail::terms_of(row.plan, request, cost.price.region.view());
  std::vector<std::string> words = {
      joined({"The time of a step is estimated, not measured: ",
              cost.kind == provisioning::spot ? "with as many preemptions, nine" : "nine",
              " of ten such runs lie between ", money(cost.low), " in ", duration(cost.wall_low), " and ",
              math::is_finite(cost.wall_high.value()) ? money(cost.high) + " in " + duration(cost.wall_high)
                                                      : longer_than_had(cost),
              ". A run of an hour on these slices would tell."})};
  if (const run_outlook seen = outlook_of(row.plan, cost, request); seen.cost_p90 && seen.wall_p90)
    words.push_back(joined({"With failures", cost.kind == provisioning::spot ? ", preemptions" : "",
                            " and waits as uncertain as they are, nine of ten runs cost at most ",
                            money(*seen.cost_p90), " and end within ", duration(*seen.wall_p90), "."}));
  if (cost.kind == provisioning::spot)
    words.push_back(joined(
        {"Spot slices are taken away without warning: ", fixed(cost.preemptions, 0), " times in this run if one lasts ",
         duration(terms.spot.mean_time_between_preemptions), ", which nobody guarantees. The wait of ",
         duration(terms.spot.queue_time), " each time, the restart of ", duration(terms.spot.restart_time),
         " and the work since the last checkpoint, one every ", duration(cost.checkpoint_interval), ", are counted."}));
  else if (cost.kind == provisioning::flex_start)
    words.emplace_back("Flex-start queues for capacity and ends after 7 days at most: when it starts is not promised.");
  else if (cost.kind == provisioning::calendar)
    words.emplace_back("A calendar window cannot be changed or cancelled once it is booked.");
  else if (is_commitment(cost.kind))
    words.push_back(joined({"A commitment is paid for its whole term: ", money(cost.unused_cost),
                            " of it are for hours in which nothing runs."}));
  else
    words.emplace_back("On demand has no reservation: capacity may be missing on the day.");
  if (terms.mean_time_between_failures.value() > 0)
    words.push_back(joined({"A machine is expected to stop the run every ", duration(terms.mean_time_between_failures),
                            "; that is counted."}));
  if (!row.remarks.empty()) words.push_back("To be checked: " + row.remarks + ".");
  return words;
}
/// Where the dollars of a plan go.
[[nodiscard]] inline view_part money_part(const plan_row& row, const plan_request& request) {
  const plan_cost& cost = chosen_cost(row.plan);
  const payment_terms terms = tpuplan::detail::terms_of(row.plan, request, cost.price.region.view());
  const usd_per_second price = rate(cost.price.per_chip, row.chips);
  view_part part = table_of("of the cost | >time:s | >total:usd", "where the money goes");
  const auto add = [&](std::string_view label, seconds time) {
    if (time.value() > 0) part.rows.push_back({cell(label), cell(time), cell(price * time)});
  };
  const seconds other = cost.billed - cost.unused - row.run - terms.start_up - terms.besides_steps;
  add("training steps", row.run);
  add("start-up", terms.start_up);
  add("evaluations and export", terms.besides_steps);
  add("checkpoints, repeated work and restarts", other);
  add("paid for and unused", cost.unused);
  add("all of it", cost.billed);
  const seconds waited = cost.wall - (cost.billed - cost.unused);
  if (waited.value() > 1) {
    part.rows.push_back({cell("waits for capacity, not paid"), cell(waited), cell("")});
    part.rows.push_back({cell("from start to end"), cell(cost.wall), cell("")});
  }
  part.notes = {joined({std::to_string(row.chips), " chips at ", money(usd{in_usd_per_hour(cost.price.per_chip)}),
                        " each an hour, the price of ", cost.price.date.view(), " in ", cost.price.region.view()})};
  return part;
}
/// The other plans that a reader may prefer: the first six that are shown.
[[nodiscard]] inline view_part alternatives_part(const plan_document& answer, const view_options& options) {
  const plan_request& request = answer.request;
  view_part part = table_of(std::string("slice | >chips | paid for as | >done in:s | >cost:usd | >between:usd") +
                                (request.deadline ? " | >in time" : "") + (request.budget ? " | >in budget" : ""),
                            "alternatives");
  const auto chance = [](const std::optional<double>& one) { return one ? chance_cell(*one) : cell(""); };
  const chosen_plans chosen = plans_to_show(answer.plans, options);
  for (const std::size_t index : chosen.indices) {
    if (index == 0 || part.rows.size() == 6) continue;
    const plan_row& row = answer.plans[index];
    const plan_cost& cost = chosen_cost(row.plan);
    std::vector<view_cell> cells = {cell(slices_words(row.slice, row.slices)),
                                    count_cell(row.chips),
                                    cell(payment_words(row.plan, others_of(chosen, index))),
                                    cell(cost.wall),
                                    marked(cost.total, cost.price, options),
                                    range_cell(cost.low, cost.high)};
    if (request.deadline) cells.push_back(chance(row.chance_in_time));
    if (request.budget) cells.push_back(chance(row.chance_in_budget));
    part.rows.push_back(std::move(cells));
  }
  return part;
}

}  // namespace readable

/// The report of a plan on two pages: the recommendation in two sentences, what could go wrong, where the money goes,
/// alternatives, what the first plan depends on, what is assumed, and prices with their dates. Where there is no plan
/// it is the view. Worked: without a limit the second sentence names the next plan.
[[nodiscard]] inline view report_of(const plan_document& answer, const view_options& options = {}) {
  using namespace readable;
  if (answer.plans.empty()) return view_of(answer, options);
  const plan_row& best = answer.plans.front();
  const plan_cost& cost = chosen_cost(best.plan);
  view shown;
  shown.title = joined({answer.request.model.name.view(), " on ", count(answer.request.tokens), " tokens"});
  shown.sentences = {
      joined({"Train on ", slices_words(best.slice, best.slices), " (", std::to_string(best.chips), " chips), paid ",
              spaced(name(cost.kind)), " in ", cost.price.region.view(), ": ", money(cost.total), " in ",
              duration(cost.wall), ", ", band_words(best.plan, answer.request), ". ", surety_words(answer)})};
  shown.summary = shown.sentences.front();
  view_part risks;
  risks.title = "what could go wrong";
  risks.sentences = risk_sentences(best, answer.request);
  shown.parts = {std::move(risks), money_part(best, answer.request), alternatives_part(answer, options)};
  view explained;
  add_explained(explained, best, options);
  explained.parts.front().title = "what the cost depends on";
  shown.parts.push_back(std::move(explained.parts.front()));
  if (options.drawn) {
    shown.pictures = pictures_of(answer);
    shown.pictures.resize(std::min<std::size_t>(shown.pictures.size(), 1));  // time against dollars
  }
  add_assumed(shown, answer.assumed, options);
  add_prices(shown, {cost.price});
  shown.parts.back().folded = false;  // of which a printed page has the dates
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
