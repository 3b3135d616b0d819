#ifndef TPUPLAN_ASK_PLAN_DOCUMENT_HPP
#define TPUPLAN_ASK_PLAN_DOCUMENT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/ask/phases.hpp>
#include <tpuplan/estimate/training/critical_batch.hpp>
#include <tpuplan/estimate/training/published_layouts.hpp>
#include <tpuplan/launch.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/plan/sensitivity.hpp>
#include <tpuplan/read/world_prices.hpp>
#include <tpuplan/show/text/lost.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <utility>
#include <vector>

/// @file
/// The answer to the question plan (of training) as one document.

namespace tpuplan {
inline namespace abi_0 {

/// What the best plan would cost and take if one assumption changed; nothing where the plan is then impossible.
struct sensitivity_row {
  /// @{
  /// Dollars of the run, and its seconds from start to end.
  usd price_down{}, price_up{};  ///< if the price were 10 % lower or higher
  /// Step at either end of its band, twice the preemptions, twice the batch.
  std::optional<usd> step_low{}, step_high{}, twice_preempted{}, twice_the_batch{};
  std::optional<double> step_low_wall_s{}, step_high_wall_s{}, twice_preempted_wall_s{}, twice_the_batch_wall_s{};
  /// @}
};
/// One plan, its main figures first.
struct plan_row {
  /// @{
  /// The slice, the layout's main figures, and the whole plan.
  std::int64_t rank = 0;  ///< position in the list; 1 is the best plan
  std::string slice{};
  std::int64_t slices = 1, chips = 0;        ///< number of slices, and chips of all of them
  std::string layout{};                      ///< "fsdp 256"
  std::string remat{};                       ///< name of the remat policy
  std::int64_t batch = 0, microbatches = 1;  ///< sequences of a step, and into how many parts they are cut
  verdict fits{};                            ///< whether the job fits
  seconds step_time{}, step_time_low{}, step_time_high{};  ///< time of one step, and the ends of its band
  seconds run{};                                           ///< time of all steps without interruption
  double mfu = 0;                                          ///< model FLOPs over peak FLOPs, 0 to 1
  std::optional<provisioning> paid_as{};                   ///< the way of paying that the plan chose; nothing: no price
  std::optional<std::string> region{}, price_date{};       ///< where, and of which day the price is
  bool superseded = false;                                 ///< it is older than an announced change
  std::optional<usd> total{}, total_low{}, total_high{};   ///< dollars in that way, and the ends of their band
  std::optional<seconds> wall{}, wall_low{}, wall_high{};  ///< time from start to end in that way, and the same
  /// Chances to be done by the deadline and within the budget; nothing: there is none.
  std::optional<double> chance_in_time{}, chance_in_budget{};
  std::optional<std::string> done_on{};  ///< the day by whose end it is done as estimated; nothing: without a start
  std::optional<run_checkpoints> checkpoints{};  ///< of the run as it is paid for, which launch asks for
  bool on_front = false;                         ///< no other plan or way of paying is both faster and cheaper
  std::string remarks{};                         ///< what to know of it: see remarks_of
  tpuplan::plan plan{};
  sensitivity_row sensitivity{};
  /// @}
};
/// A slice that is not among the plans.
struct rejected_row {
  /// @{
  /// The slice, how many of it, and why it is not among the plans.
  std::string slice{};
  std::int64_t slices = 1;
  rejection reason{};
  /// How far the limit is missed, in the base unit of the reason (bytes, seconds, dollars, chips).
  double amount = 0;
  /// The plan that is both faster and cheaper, or the way of paying that has a quota and no price, where that is the
  /// reason.
  std::optional<std::string> by{};
  /// @}
};
/// The slices that lost for one reason.
struct lost_row {
  /// @{
  /// The reason, and the number of slices that it applies to.
  rejection reason{};
  std::int64_t slices = 0;
  std::string closest{};  ///< the slice that misses the limit by least, in words
  /// @}
};
/// A limit that, relaxed alone, lets a plan in.
struct relaxed_row {
  /// @{
  /// The limit as given and as it would have to be, in its base unit (seconds, dollars, chips), and the plan it allows.
  plan_limit limit{};
  double given = 0, needed = 0;
  tpuplan::plan plan{};
  /// @}
};
/// Plans, lost slices and the question, as one document.
struct plan_document {
  /// @{
  /// The plans and the slices without a plan, one row each.
  std::string schema{json_schema};
  std::int64_t parameters = 0;  ///< of the model
  std::vector<plan_row> plans{};
  std::vector<lost_row> lost{};          ///< the same slices by reason
  std::vector<rejected_row> rejected{};  ///< one row for each slice that is not among the plans
  search_counts counts{};                ///< how many slices and layouts the search looked at
  /// Tokens a step of the run, beyond which more of them stop helping: the ends of what published laws say, or the
  /// noise scale of the question. Nothing: no law speaks of the run.
  std::optional<double> critical_batch_tokens_low{}, critical_batch_tokens_high{};
  std::vector<assumption> assumed{};         ///< values that the question left open, and why they were assumed
  plan_request request{};                    ///< the question with nothing left open
  std::optional<std::string> by{}, start{};  ///< the dates of its deadline; nothing: it is not one of dates
  /// Where there is no plan: each limit that, relaxed alone, would allow one.
  std::optional<std::vector<relaxed_row>> relax{};
  /// @}
};

namespace detail {
/// What changes the plan's dollars and time, each figure under its key.
[[nodiscard]] inline sensitivity_row row_of(const plan_sensitivity& sensitivity) {
  sensitivity_row row;
  row.price_down = sensitivity.price_down;
  row.price_up = sensitivity.price_up;
  const auto add = [](const maybe<plan_cost>& cost, std::optional<usd>& total, std::optional<double>& wall) {
    if (!cost) return;
    total = cost->total;
    wall = cost->wall.value();
  };
  add(sensitivity.step_low, row.step_low, row.step_low_wall_s);
  add(sensitivity.step_high, row.step_high, row.step_high_wall_s);
  add(sensitivity.twice_preempted, row.twice_preempted, row.twice_preempted_wall_s);
  if (sensitivity.twice_the_batch)
    add(chosen_cost(*sensitivity.twice_the_batch), row.twice_the_batch, row.twice_the_batch_wall_s);
  return row;
}

}  // namespace detail

/// The critical batch of the run of a request, under that job: see `critical_batch_of`. Worked: of adapters there is
/// none.
[[nodiscard]] inline maybe<critical_batch_band> critical_batch_of(const plan_request& request,
                                                                  const training_job& job) {
  return critical_batch_of(request.model, job, request.tokens, request.noise_scale);
}

/// What to know of a plan, in words: limits that it keeps as estimated but not to the end of its band, few steps, a
/// batch beyond the critical one, a layout that nobody has published a run of, doubtful prices.
/// Worked: "may miss the deadline" where the run takes 40 days of 41, and 51 at the high end of its band.
[[nodiscard]] inline std::string remarks_of(const plan& offer, const plan_request& request) {
  std::string words;
  const auto add = [&words](bool holds, std::string_view what) {
    if (holds) words.append(words.empty() ? "" : "; ").append(what);
  };
  add(offer.fit == verdict::uncertain, "may not fit");
  add(offer.step.extrapolated, "outside of what published runs cover");
  add(offer.deadline_at_risk, "may miss the deadline");
  add(offer.budget_at_risk, "may cost more than the budget");
  const bool few = offer.steps > 0 && offer.steps < static_cast<double>(few_steps);
  add(few, std::to_string(static_cast<std::int64_t>(math::ceil(offer.steps))) + " steps in all");
  if (const maybe<critical_batch_band> band = critical_batch_of(request, offer.job))
    add(static_cast<double>(tokens_per_step(offer.job)) > band->high, critical_words(*band));
  add(!has_been_run(offer.mesh, offer.where.chip), "a layout that no published run has");
  if (offer.costs.empty()) return words;
  const price_row& price = chosen_cost(offer).price;
  add(!far_below_world(price).empty(), "price far below other regions");
  add(is_weak(price), "price of a weak source");
  add(is_before_announced_change(price), "price from before an announced change");
  return words;
}

namespace detail {
/// A plan as the document lists it.
[[nodiscard]] inline plan_row row_of(const plan& offer, std::int64_t rank, const plan_request& request) {
  plan_row row;
  row.rank = rank;
  row.slice = name(offer.where).view();
  row.slices = slices(offer.mesh);
  row.chips = checked_multiply(chips(offer.where), row.slices);
  row.layout = phrase(offer.mesh);
  row.remat = std::string(name(offer.job.remat));
  row.batch = offer.job.global_batch;
  row.microbatches = offer.job.gradient_accumulation;
  row.fits = offer.fit;
  row.step_time = offer.step.total;
  row.step_time_low = offer.step.low;
  row.step_time_high = offer.step.high;
  row.run = offer.run;
  row.mfu = offer.step.mfu;
  if (!offer.costs.empty()) {
    const plan_cost& cost = chosen_cost(offer);
    row.paid_as = cost.kind;
    row.region = std::string(cost.price.region.view());
    row.price_date = std::string(cost.price.date.view());
    row.superseded = is_before_announced_change(cost.price);
    row.total = cost.total;
    row.total_low = cost.low;
    row.total_high = if_finite(cost.high);
    row.wall = cost.wall;
    row.wall_low = cost.wall_low;
    row.wall_high = if_finite(cost.wall_high);
  }
  if (request.model.layers > 0 && offer.steps > 0 && offer.step.total.value() > 0) {
    const provisioning kind = row.paid_as.value_or(provisioning::on_demand);
    row.checkpoints = checkpoints_of(training_state_of(request.model, offer.job).total, offer.steps, offer.step.total,
                                     checkpoint_interval_of(kind, row.slices, offer.step.total * offer.steps,
                                                            terms_of(offer, request, row.region.value_or("us"))),
                                     row.region.value_or(""));
  }
  row.remarks = remarks_of(offer, request);
  row.on_front = offer.on_front;
  row.plan = offer;
  row.sensitivity = row_of(sensitivity_of(offer, request));
  return row;
}
}  // namespace detail

/// Sets the chances of these rows of a document, from 0. Worked: none without a deadline and a budget.
inline void set_chances(plan_document& document, const std::vector<std::size_t>& rows) {
  luck_of_runs luck(runs_of_a_plan);
  const plan_request& request = document.request;
  for (const std::size_t index : rows) {
    plan_row& row = document.plans[index];
    if (row.plan.costs.empty()) continue;
    const maybe<run_chances> chances = chances_of(row.plan, chosen_cost(row.plan), request, luck);
    if (chances && request.deadline) row.chance_in_time = chances->in_time;
    if (chances && request.budget) row.chance_in_budget = chances->in_budget;
  }
}

/// Sets the dates of a document, of its deadline and of each plan. Worked: from 2026-12-01 on a run of 12.1 days is
/// done on 2026-12-13; without a start there are none.
inline void set_dates(plan_document& document, const std::string& by, const std::string& start) {
  if (by.empty() || start.empty()) return;
  document.by = by, document.start = start;
  for (plan_row& row : document.plans) row.done_on = detail::done_on(start, row.wall);
}

namespace detail {
/// The ways of paying with a price under which runs of the answer cannot be had, and why, as what is left out.
inline void say_what_is_too_short(const plan_request& request, const plan_answer& answer,
                                  std::vector<assumption>& said) {
  const price_index prices(request);
  for (const provisioning kind : request.kinds) {
    std::vector<text<48>> without;
    const auto look_at = [&](const slice& where, std::int64_t slice_total) {
      bool has_price = false;
      prices.each(where.chip.name, chips(where),
                  [&](const price_row& row) { has_price = has_price || row.kind == kind; });
      if (has_price) without.push_back(slices_name(where, slice_total));
    };
    const auto is_of = [kind](const plan_cost& cost) { return cost.kind == kind; };
    for (const plan& one : answer.plans) {
      if (std::none_of(one.costs.begin(), one.costs.end(), is_of)) look_at(one.where, slices(one.mesh));
    }
    for (const rejected_slice& one : answer.rejected) {
      if (one.why == rejection::no_price && one.by.empty()) look_at(one.where, one.slices);
    }
    if (without.empty()) continue;
    const std::string more = without.size() > 1 ? " and " + std::to_string(without.size() - 1) + " more" : "";
    said.push_back({"left out", std::string(name(kind)) + " of " + std::string(without.front().view()) + more,
                    "the run is " + too_long_for(kind)});
  }
}
}  // namespace detail

/// The answer as a document: the plans at these indices of the answer, from 0, all lost slices, and the question, so
/// that `launch` and `read_plan` have it whole; `set_chances` adds the chances of its rows. Worked: the plan at index 1
/// is a row of rank 2.
[[nodiscard]] inline plan_document document_of(const plan_request& request, const relaxed_answer& whole,
                                               const std::vector<std::size_t>& indices,
                                               std::vector<assumption> assumed) {
  const plan_answer& answer = whole.answer;
  plan_document document;
  document.parameters = parameters(request.model).total;
  for (const std::size_t index : indices)
    document.plans.push_back(detail::row_of(answer.plans[index], static_cast<std::int64_t>(index) + 1, request));
  for (const auto& one : readable::by_reason(answer.rejected))
    document.lost.push_back({one.why, static_cast<std::int64_t>(one.count), readable::amount(one.closest)});
  for (const rejected_slice& rejected : answer.rejected) {
    rejected_row& row = document.rejected.emplace_back();
    row = {std::string(name(rejected.where).view()),
           rejected.slices,
           rejected.why,
           readable::whole_bytes(rejected.amount, rejected.why == rejection::does_not_fit),
           {}};
    if (!rejected.by.empty()) row.by = std::string(rejected.by.view());
  }
  document.counts = answer.counts;
  if (const maybe<critical_batch_band> band = critical_batch_of(request, request.job))
    document.critical_batch_tokens_low = band->low, document.critical_batch_tokens_high = band->high;
  document.assumed = std::move(assumed);
  detail::say_what_is_too_short(request, answer, document.assumed);
  document.request = request;
  if (!answer.plans.empty()) return document;
  std::vector<relaxed_row>& relaxed = document.relax.emplace();
  for (const relaxation& change : whole.relaxations)
    relaxed.push_back({change.limit, change.given, change.needed, change.nearest});
  for (const plan_limit limit : whole.unsearched)
    document.assumed.push_back({"relaxing " + std::string(name(limit)), "not tried", "its search takes too long"});
  return document;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::sensitivity_row, price_down, price_up, step_low, step_high, twice_preempted, twice_the_batch,
               step_low_wall_s, step_high_wall_s, twice_preempted_wall_s, twice_the_batch_wall_s)
TPUPLAN_FIELDS(tpuplan::plan_row, rank, slice, slices, chips, layout, remat, batch, microbatches, fits, step_time,
               step_time_low, step_time_high, run, mfu, paid_as, region, price_date, superseded, total, total_low,
               total_high, wall, wall_low, wall_high, chance_in_time, chance_in_budget, done_on, checkpoints, on_front,
               remarks, plan, sensitivity)
TPUPLAN_FIELDS(tpuplan::rejected_row, slice, slices, reason, amount, by)
TPUPLAN_FIELDS(tpuplan::lost_row, reason, slices, closest)
TPUPLAN_FIELDS(tpuplan::relaxed_row, limit, given, needed, plan)
TPUPLAN_FIELDS(tpuplan::plan_document, schema, parameters, plans, lost, rejected, counts, critical_batch_tokens_low,
               critical_batch_tokens_high, assumed, request, by, start, relax)

#endif
