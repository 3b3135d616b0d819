#ifndef TPUPLAN_SHOW_VIEWS_PLAN_HPP
#define TPUPLAN_SHOW_VIEWS_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/show/svg.hpp>
#include <tpuplan/show/text/lost.hpp>
#include <tpuplan/show/views/common.hpp>
#include <tpuplan/show/views/relaxed.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answer to plan: which plans, why the other slices lost, what to relax.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// Whether a plan is another one in another region, at the same price.
[[nodiscard]] inline bool is_elsewhere(const plan_row& row, const plan_row& other) {
  if (row.slice != other.slice || row.slices != other.slices || row.layout != other.layout ||
      row.remat != other.remat || row.batch != other.batch || row.microbatches != other.microbatches ||
      row.total != other.total || row.wall != other.wall || row.plan.costs.empty() || other.plan.costs.empty())
    return false;
  const plan_cost &one = chosen_cost(row.plan), &two = chosen_cost(other.plan);
  return one.kind == two.kind && one.price.per_chip == two.price.per_chip && one.price.region != two.price.region;
}

}  // namespace detail

/// Which plans of an answer are shown, by their indices, and how many of the others a shown one beats in time and
/// money, and how many not.
struct chosen_plans {
  std::vector<std::size_t> indices{};  ///< of the list of plans, in its order
  std::int64_t beaten = 0;             ///< not shown, and beaten by another in time and money
  std::int64_t unbeaten = 0;           ///< not shown, and beaten by none
  /// Other regions in which a plan that is shown takes and costs the same, by its index; they are no plans more.
  std::map<std::size_t, std::vector<std::string>> also_in{};
};
/// The plans that a reader wants to see: all, only the front, or only the best of each generation, and as many of them
/// as asked for. Where nothing is asked: the first eight, the best of each generation, and what no other beats at up to
/// three times the cheapest. Worked: of no plans there are none.
[[nodiscard]] inline chosen_plans plans_to_show(const std::vector<plan_row>& plans, const view_options& options) {
  chosen_plans chosen;
  std::set<std::string> chips_shown;
  maybe<usd> cheapest;
  for (const plan_row& row : plans) {
    if (row.total && (!cheapest || *row.total < *cheapest)) cheapest = *row.total;
  }
  std::size_t place = 0;  // among those that differ in more than their region
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const plan_row& row = plans[i];
    const auto is_same = [&](std::size_t shown) { return detail::is_elsewhere(plans[shown], row); };
    const auto same = std::find_if(chosen.indices.begin(), chosen.indices.end(), is_same);
    if (same != chosen.indices.end()) {
      chosen.also_in[*same].push_back(std::string(chosen_cost(row.plan).price.region.view()));
      continue;
    }
    const bool best_of_chip = chips_shown.insert(std::string(row.plan.where.chip.name.view())).second;
    const bool costs_thrice = row.total && *row.total > 3 * *cheapest;
    const bool is_listed = options.only_front ? row.on_front : !options.only_best_chips || best_of_chip;
    const bool is_one_of_few =
        options.only_front || options.only_best_chips || place < 8 || best_of_chip || (row.on_front && !costs_thrice);
    const bool wanted =
        is_listed && (options.rows ? chosen.indices.size() < static_cast<std::size_t>(*options.rows) : is_one_of_few);
    ++place;
    if (wanted) {
      chosen.indices.push_back(i);
    } else {
      ++(row.on_front ? chosen.unbeaten : chosen.beaten);
    }
  }
  return chosen;
}

namespace readable {

/// The cheapest cost on spot that the quotas allow, or why there is none.
[[nodiscard]] inline view_cell spot_cell(const plan& offer, const plan_request& request, const view_options& options) {
  const plan_cost* found = nullptr;
  bool has_price = false;
  for (const plan_cost& cost : offer.costs) {
    if (cost.kind != provisioning::spot) continue;
    has_price = true;
    if (is_within_quota(offer, cost, request) && (found == nullptr || cost.total < found->total)) found = &cost;
  }
  return found != nullptr ? marked(found->total, found->price, options) : cell(has_price ? "over quota" : "no price");
}
/// How a plan is paid for. Worked: "flex_start in us-east5, 3 times 7 days" of a run of 20 days.
[[nodiscard]] inline std::string payment_words(const plan& offer, std::string_view also_in = {}) {
  const plan_cost& cost = chosen_cost(offer);
  const double weeks = math::ceil(offer.run / 7_days);  // for which flex-start lasts
  return joined(
      {name(cost.kind), " in ", cost.price.region.view(), also_in,
       cost.kind == provisioning::flex_start && weeks > 1 ? ", " + fixed(weeks, 0) + " times 7 days" : std::string()});
}
/// The deadline of a plan. Worked: "by 2026-12-31, 31.0 days from 2026-12-01 on", "within 31.0 days".
[[nodiscard]] inline std::string deadline_words(const plan_document& answer) {
  const std::string time = duration(*answer.request.deadline);
  return answer.by ? joined({"by ", *answer.by, ", ", time, " from ", *answer.start, " on"}) : "within " + time;
}
/// " or us-east5": the other regions of a plan that is shown.
[[nodiscard]] inline std::string others_of(const chosen_plans& chosen, std::size_t index) {
  std::string words;
  const auto others = chosen.also_in.find(index);
  if (others == chosen.also_in.end()) return words;
  for (const std::string& region : others->second) words += " or " + region;
  return words;
}
/// The cells of one plan in the table of plans.
[[nodiscard]] inline std::vector<view_cell> cells_of(const plan_row& row, const plan_request& request, bool choice,
                                                     const std::string& also_in, const view_options& options) {
  const plan& offer = row.plan;
  const plan_cost& cost = chosen_cost(offer);
  view_cell run = cell(cost.wall);
  if (offer.deadline_at_risk) run.text += '^';
  if (offer.step.extrapolated) run.text += '!';
  view_cell dollars = marked(cost.total, cost.price, options);
  if (offer.budget_at_risk) dollars.text += '^';
  const std::string marks =
      joined({std::to_string(row.rank), fits(offer.memory) == verdict::yes ? "" : "?", offer.on_front ? "*" : " "});
  std::vector<view_cell> cells{
      cell(marks, static_cast<double>(row.rank)),
      cell(slices_words(row.slice, row.slices)),
      count_cell(row.chips),
      cell(row.layout + (row.microbatches > 1 ? ", " + std::to_string(row.microbatches) + " micro" : std::string())),
      cell(row.remat),
      count_cell(row.batch),
      cell(offer.step.total),
      range_cell(offer.step.low, offer.step.high),
      share_cell(offer.step.mfu),
      run,
      range_cell(cost.wall_low, cost.wall_high),
      dollars,
      range_cell(cost.low, cost.high),
      spot_cell(offer, request, options),
      used_cell(offer.memory.total, offer.memory.usable),
      cell(row.remarks)};
  if (choice) cells.push_back(cell(payment_words(offer, also_in)));
  if (row.done_on) cells.push_back(cell(*row.done_on));
  const auto chance = [](const std::optional<double>& one) { return one ? chance_cell(*one) : cell(""); };
  if (request.deadline) cells.push_back(chance(row.chance_in_time));
  if (request.budget) cells.push_back(chance(row.chance_in_budget));
  return cells;
}

/// The plans that are shown, and what their marks mean.
[[nodiscard]] inline view_part plans_part(const plan_document& answer, const chosen_plans& chosen,
                                          const view_options& options) {
  const bool choice = answer.request.kinds.size() > 1 || answer.request.regions.size() > 1;
  view_part part = table_of(
      std::string("> | slice | ~>chips | ~~layout | ~~~~remat | ~~~>batch | ~~>step:s | ~~~~>step between:s | ~~~>MFU "
                  "| >run:s | ~~~>run between:s | >cost:usd | ~>between:usd | ~~>on spot:usd | ~>HBM per device:bytes "
                  "| ~~~~~remarks") +
      (choice ? " | paid for as" : "") + (answer.start ? " | done on" : "") +
      (answer.request.deadline ? " | >in time" : "") + (answer.request.budget ? " | >in budget" : ""));
  key_runs_as_wall(part);
  bool extrapolated = false, uncertain = false, at_risk = false;
  for (const std::size_t index : chosen.indices) {
    const plan& offer = answer.plans[index].plan;
    part.rows.push_back(cells_of(answer.plans[index], answer.request, choice, others_of(chosen, index), options));
    extrapolated = extrapolated || offer.step.extrapolated;
    uncertain = uncertain || fits(offer.memory) != verdict::yes;
    at_risk = at_risk || offer.deadline_at_risk || offer.budget_at_risk;
  }
  part.notes = {"* no other plan is both faster and cheaper"};
  const auto say = [&](bool holds, std::string words) {
    if (holds) part.notes.push_back(std::move(words));
  };
  say(extrapolated, "! outside of what published runs cover: a wider band");
  say(uncertain, "? may not fit: the compiler decides");
  say(at_risk, std::string(at_risk_words));
  const auto option = [&](const std::string& words) { return options.names_options ? ": " + words : std::string(); };
  say(chosen.beaten > 0,
      joined({std::to_string(chosen.beaten), " more ", chosen.beaten == 1 ? "is" : "are", " slower or more expensive",
              option("--rows " + std::to_string(answer.plans.size()))}));
  const auto of_front = static_cast<std::size_t>(chosen.unbeaten) + chosen.indices.size();
  say(chosen.unbeaten > 0,
      joined({std::to_string(chosen.unbeaten), " ",
              options.rows || options.only_best_chips ? "more plans that no other beats"
              : chosen.unbeaten == 1                  ? "faster one costs over three times the cheapest"
                                                      : "faster ones cost over three times the cheapest",
              option(options.only_front ? "--rows " + std::to_string(of_front) : std::string("--pareto"))}));
  return part;
}

/// The prices behind the plans that are shown: their chosen ones and those on spot.
[[nodiscard]] inline std::vector<price_row> prices_of(const plan_document& answer, const chosen_plans& chosen) {
  std::vector<price_row> prices;
  for (const std::size_t index : chosen.indices) {
    const plan& offer = answer.plans[index].plan;
    for (const plan_cost& cost : offer.costs) {
      if (cost.kind == provisioning::spot || cost.kind == chosen_cost(offer).kind) prices.push_back(cost.price);
    }
  }
  return prices;
}
/// Where the price of the first plan is doubtful, the cheapest of all that rest on other prices.
inline void add_doubtful_first(std::vector<std::string>& to, const plan_document& answer) {
  const plan_cost& cost = chosen_cost(answer.plans.front().plan);
  if (far_below_world(cost.price).empty()) return;
  const plan_row* sure = nullptr;
  const plan_cost* sure_cost = nullptr;
  for (const plan_row& row : answer.plans) {
    for (const plan_cost& one : row.plan.costs) {
      if (!is_allowed(row.plan, one, answer.request) || !far_below_world(one.price).empty()) continue;
      if (sure_cost == nullptr || one.total < sure_cost->total) sure = &row, sure_cost = &one;
    }
  }
  to.push_back(
      joined({"the first plan rests on a doubtful price: check that ", cost.price.region.view(), " has it",
              sure == nullptr ? std::string()
                              : joined({"; without such prices the cheapest is ",
                                        slices_words(sure->slice, sure->slices), ", ", money(sure_cost->total), " in ",
                                        sure_cost->price.region.view(), " (", name(sure_cost->kind), ")"})}));
}
/// The end of a band that cannot be had: calendar holds slices for 90 days.
[[nodiscard]] inline std::string longer_than_had(const plan_cost& cost) {
  return joined({"a run longer than ", name(cost.kind), " lasts"});
}
/// Between which dollars nine of ten such runs lie; on spot how long a slice is taken to last, which decides it.
[[nodiscard]] inline std::string band_words(const plan& planned, const plan_request& request) {
  const plan_cost& cost = chosen_cost(planned);
  const payment_terms terms = tpuplan::detail::terms_of(planned, request, cost.price.region.view());
  const bool is_spot = cost.kind == provisioning::spot;
  return joined(
      {is_spot ? "between " : "nine of ten between ", money(cost.low), " and ",
       math::is_finite(cost.high.value()) ? money(cost.high) : longer_than_had(cost),
       is_spot ? " where a slice lasts " + duration(terms.spot.mean_time_between_preemptions) : std::string()});
}
/// Where the band of the first plan passes the deadline or the budget.
inline void add_risks(std::vector<std::string>& to, const plan_request& request, const plan& best) {
  const plan_cost& cost = chosen_cost(best);
  if (!math::is_finite(cost.wall_high.value())) {
    to.push_back(joined({"the first plan may not end: the slow end of its band is ", longer_than_had(cost)}));
    return;
  }
  if (best.deadline_at_risk)
    to.push_back(joined({"the first plan may miss the deadline: at the slow end of its band it takes ",
                         duration(cost.wall_high), " of ", duration(*request.deadline)}));
  if (best.budget_at_risk)
    to.push_back(joined({"the first plan may cost more than the budget: at the high end of its band it costs ",
                         money(cost.high), " of ", money(*request.budget)}));
}
/// Whether the first plan is first because its layout has been run, and that of a better one has not.
[[nodiscard]] inline bool has_untried_before(const plan_document& answer) {
  if (answer.plans.size() < 2) return false;
  const plan &first = answer.plans[0].plan, &next = answer.plans[1].plan;
  if (has_been_run(next.mesh, next.where.chip)) return false;
  const plan_cost &a = chosen_cost(first), &b = chosen_cost(next);
  return answer.request.best == objective::fastest ? b.wall < a.wall : b.total < a.total;
}
/// Where a better plan than the first has a layout that nobody has run.
inline void add_untried(std::vector<std::string>& to, const plan_document& answer) {
  if (has_untried_before(answer))
    to.emplace_back(
        "the second plan is better by less than the band of the first, in a layout that no published run has");
}
/// Where the batch of the first plan is beyond the critical one, or a batch was chosen: how large a batch helps.
inline void add_critical_batch(std::vector<std::string>& to, const plan_document& answer) {
  const maybe<critical_batch_band> band = critical_batch_of(answer.request, answer.request.job);
  const auto batch = static_cast<double>(tokens_per_step(answer.plans.front().plan.job));
  if (!band || (batch <= band->high && answer.request.largest_batch_tokens == 0)) return;
  const std::string measured = "the noise scale is " + count(band->high) + " tokens";
  const std::string published = "published laws say " + count(band->low) + " to " + count(band->high) + " tokens";
  to.push_back(
      joined({"the first plan has ", count(batch), " tokens a step; more than the critical batch hardly help, ", "and ",
              band->is_own ? measured : published}));
}
/// Where a batch near the one asked for divides better and is cheaper by 3 % or more. Nothing is said where the search
/// for it takes too many steps.
inline void add_better_batch(std::vector<std::string>& to, const plan_request& request, const plan& best,
                             const view_options& options) {
  if (!options.searched || request.largest_batch_tokens > 0 || request.job.global_batch == 0) return;
  plan_request other = request;
  other.job.global_batch = round_batch(static_cast<double>(request.job.global_batch), 1);
  if (other.job.global_batch == request.job.global_batch) return;
  plan_answer answer;
  try {
    answer = other.chance ? plan_or_relax(other).answer : make_plan(other);
  } catch (const error& refusal) {
    if (refusal.code() != errc::out_of_range) throw;
    return;
  }
  if (answer.plans.empty()) return;
  const plan_cost &now = chosen_cost(best), &then = chosen_cost(answer.plans.front());
  if (then.total > 0.97 * now.total) return;
  const std::string batch = std::to_string(other.job.global_batch);
  to.push_back(joined({"a batch of ", batch, " divides better than ", std::to_string(request.job.global_batch), ": ",
                       money(then.total), " instead of ", money(now.total), ", on ",
                       tpuplan::detail::slices_line(answer.plans.front()),
                       options.names_options ? ": --batch " + batch : std::string()}));
}

/// What the first plan depends on, and every way of paying for it.
inline void add_explained(view& to, const plan_row& best, const view_options& options) {
  const sensitivity_row& sensitivity = best.sensitivity;
  const plan_cost& now = chosen_cost(best.plan);
  view_part part = table_of("if | >total:usd | >wall time:s");
  part.title = joined({slices_words(best.slice, best.slices), ", ", name(now.kind), " in ", now.price.region.view(),
                       ": ", money(now.total), " in ", duration(now.wall)});
  const auto row = [&](const std::string& label, const std::optional<usd>& total, const std::optional<double>& wall) {
    if (total && wall) part.rows.push_back({cell(label), cell(*total), cell(seconds{*wall})});
  };
  row("the price falls by a tenth", sensitivity.price_down, now.wall.value());
  row("the price rises by a tenth", sensitivity.price_up, now.wall.value());
  row("a step takes " + duration(best.plan.step.low), sensitivity.step_low, sensitivity.step_low_wall_s);
  row("a step takes " + duration(best.plan.step.high), sensitivity.step_high, sensitivity.step_high_wall_s);
  row("it is preempted twice as often", sensitivity.twice_preempted, sensitivity.twice_preempted_wall_s);
  row("the batch is " + std::to_string(2 * best.batch), sensitivity.twice_the_batch,
      sensitivity.twice_the_batch_wall_s);
  to.parts.push_back(std::move(part));
  part = table_of("paid for as | region | >total:usd | >wall time:s | ~>goodput | ~price of");
  for (const plan_cost& cost : best.plan.costs)
    part.rows.push_back({cell(name(cost.kind)), cell(cost.price.region.view()), marked(cost.total, cost.price, options),
                         cell(cost.wall), share_cell(cost.goodput), cell(cost.price.date.view())});
  to.parts.push_back(std::move(part));
}

/// A row for each reason for which slices lost.
template <class Lost, class Reason>
void add_lost(view& to, const std::vector<Lost>& lost, const Reason& reason_of) {
  if (lost.empty()) return;
  view_part part = table_of(">slices | reason | ~the closest", "why the other slices lost");
  for (const Lost& one : lost) part.rows.push_back({count_cell(one.slices), cell(reason_of(one)), cell(one.closest)});
  to.parts.push_back(std::move(part));
}
/// What is said of the batch of a request.
[[nodiscard]] inline std::string batch_words(const plan_request& request) {
  if (request.largest_batch_tokens == 0)
    return joined(
        {counted(request.job.global_batch, "sequence"), " of ", tpuplan::detail::lengths_of(request.job), " a step"});
  return joined({count(request.smallest_batch_tokens), " to ", count(request.largest_batch_tokens),
                 " tokens a step in sequences of ", tpuplan::detail::lengths_of(request.job, "")});
}
/// What spot slices of the plans that are shown last: "4.00 hours", or from the shortest to the longest.
[[nodiscard]] inline std::string lifetimes_of(const plan_document& answer, const chosen_plans& chosen) {
  maybe<seconds> least, most;
  for (const std::size_t index : chosen.indices) {
    const plan& one = answer.plans[index].plan;
    if (one.costs.empty()) continue;
    const payment_terms terms = tpuplan::detail::terms_of(one, answer.request, chosen_cost(one).price.region.view());
    const seconds lasts = terms.spot.mean_time_between_preemptions;
    least = min(lasts, least.value_or(lasts));
    most = max(lasts, most.value_or(lasts));
  }
  if (!least) return "some hours";
  return *least == *most ? duration(*least) : joined({duration(*least), " to ", duration(*most), ", by place"});
}
/// Where the day on which half of the runs of the first plan are done is not that of its estimate: both, and why.
inline void add_median_day(std::vector<std::string>& to, const plan_document& answer) {
  const plan_row& best = answer.plans.front();
  if (!answer.start || !best.done_on || best.plan.costs.empty()) return;
  const run_outlook played = outlook_of(best.plan, chosen_cost(best.plan), answer.request);
  if (!played.wall_p50) return;
  const std::string half = tpuplan::detail::done_on(*answer.start, seconds{played.wall_p50->value()});
  if (half == *best.done_on) return;
  to.push_back(
      joined({"done on: as estimated, with as many stops as in the mean; half of the runs behind the chance of "
              "the first plan are done by ",
              half}));
}
/// The plans and all that is said of them.
inline void add_plans(view& to, const plan_document& answer, const view_options& options) {
  const plan_request& request = answer.request;
  const chosen_plans chosen = plans_to_show(answer.plans, options);
  view_part part = plans_part(answer, chosen, options);
  if (const std::vector<price_row> prices = prices_of(answer, chosen); !prices.empty()) {
    part.notes.push_back(joined({"prices of ", dates_of(prices, options), ", ",
                                 request.regions.size() > 3 ? std::to_string(request.regions.size()) + " regions"
                                                            : "region " + listed(request.regions),
                                 "; spot with a preemption every ", lifetimes_of(answer, chosen),
                                 request.around.checkpoint_every > 0 ? "" : ", checkpoints at the best interval"}));
    add_doubts(part.notes, prices, options);
  }
  if (answer.plans.front().checkpoints)
    part.notes.push_back(joined({"the first plan: ", words_of_checkpoints(*answer.plans.front().checkpoints)}));
  add_median_day(part.notes, answer);
  add_doubtful_first(part.notes, answer);
  add_risks(part.notes, request, answer.plans.front().plan);
  add_critical_batch(part.notes, answer);
  add_untried(part.notes, answer);
  add_better_batch(part.notes, request, answer.plans.front().plan, options);
  to.parts.push_back(std::move(part));
  if (options.explained) add_explained(to, answer.plans.front(), options);
}

}  // namespace readable

/// Time against dollars of all plans, and step and memory of the first five; none where there is no plan.
[[nodiscard]] inline std::vector<picture> pictures_of(const plan_document& answer) {
  constexpr std::size_t most_bars = 5;
  const std::string of = readable::of_model(answer.request.model);
  pareto_chart front;
  step_chart steps;
  memory_chart memory;
  front.title += of;
  steps.title += of;
  memory.title += of;
  for (const plan_row& row : answer.plans) {
    const std::string where = tpuplan::detail::slices_line(row.plan);
    const std::string label = where + ", " + one_line(row.plan.mesh) + ", remat " + row.remat;
    if (row.total && row.wall) front.points.push_back({where, *row.wall, *row.total});
    if (steps.bars.size() == most_bars) continue;
    steps.bars.push_back({label, row.plan.step});
    memory.bars.push_back({label, row.plan.memory});
  }
  std::vector<picture> pictures;
  if (!front.points.empty()) pictures.push_back(picture_of("front", front));
  if (steps.bars.empty()) return pictures;
  pictures.push_back(picture_of("steps", steps));
  pictures.push_back(picture_of("memory", memory));
  return pictures;
}

/// What a reader sees of a plan of training. Worked: where no plan is feasible, the first part says what to relax.
[[nodiscard]] inline view view_of(const plan_document& answer, const view_options& options = {}) {
  using namespace readable;
  const plan_request& request = answer.request;
  view shown;
  shown.title = joined({request.model.name.view(), " (", count(static_cast<double>(answer.parameters)),
                        " parameters) on ", count(request.tokens), " tokens, ", batch_words(request)});
  if (answer.plans.empty()) {
    shown.sentences = {
        joined({"no slice does it within these limits", answer.by ? ": " + deadline_words(answer) : std::string()})};
    shown.summary = "No slice does it within these limits.";
    shown.parts = {relaxed_part(request, answer.relax.value_or(std::vector<relaxed_row>{}), options)};
  } else {
    const plan_row& best = answer.plans.front();
    std::vector<std::string_view> kinds;
    for (const provisioning kind : request.kinds) kinds.push_back(name(kind));
    shown.sentences = {joined({name(request.best), " first, at ", listed(kinds), " prices",
                               request.deadline ? ", " + deadline_words(answer) : std::string()})};
    const plan_cost& cost = chosen_cost(best.plan);
    shown.summary =
        joined({slices_words(best.slice, best.slices), " (", std::to_string(best.chips), " chips) is the ",
                spaced(name(request.best)), has_untried_before(answer) ? " whose layout has been run" : "", ": ",
                money(cost.total), ", ", band_words(best.plan, request), ", in ", duration(cost.wall), "."});
    add_plans(shown, answer, options);
  }
  if (options.drawn) shown.pictures = pictures_of(answer);
  add_lost(shown, answer.lost, [](const lost_row& one) { return reason(one.reason); });
  add_assumed(shown, answer.assumed, options);
  if (answer.plans.empty()) return shown;
  add_prices(shown, prices_of(answer, plans_to_show(answer.plans, options)));
  shown.next = {{"train", {}, {}}};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
