#ifndef TPUPLAN_ASK_RISK_HPP
#define TPUPLAN_ASK_RISK_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/risk_ways.hpp>
#include <tpuplan/base/date.hpp>

/// @file
/// The question risk: the chance that a training run is done by a date and within a budget.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The date by whose end a run that starts at the beginning of a day is done.
[[nodiscard]] inline std::string done_on(const std::string& start, const std::optional<seconds>& wall) {
  if (start.empty() || !wall || in_days(*wall) > 1e6) return {};
  return std::string(date_after(start, static_cast<std::int64_t>(math::ceil(in_days(*wall))) - 1).view());
}

/// Refuses what has no effect on the answer, and a job that has no chance.
inline void check_risk(const risk_request& asked, const placed_job& all) {
  if (asked.tokens <= 0) fail(errc::missing_field, "tokens", "missing", "tokens of the whole run");
  if (asked.by.empty() && !asked.deadline && !asked.budget)
    fail(errc::missing_field, "by", "missing", "a date, a deadline_s or a budget_usd");
  if (tpuplan::fits(memory_use(all.config.model, all.job, all.mesh, all.where, all.known_memory)) == verdict::no)
    fail(errc::infeasible, "slice", name(all.where).view(), "a slice that the job fits: see fit");
  const bool spot = !asked.kind || asked.kind == provisioning::spot;
  if (!spot && (asked.on_demand_in_time || asked.on_demand_after))
    fail(errc::invalid_argument, asked.on_demand_in_time ? "on_demand_in_time" : "on_demand_after",
         "given without effect", "a run on spot");
  const bool waits = spot || asked.kind == provisioning::flex_start;
  if (!waits && asked.queue_time)
    fail(errc::invalid_argument, "queue_time_s", "given without effect", "a run on spot or flex-start");
  if (!spot && (asked.mean_time_between_preemptions || !asked.lifetimes.empty() || !asked.zone.empty()))
    fail(errc::invalid_argument, "mean_time_between_preemptions_s", "given without effect", "a run on spot");
}

/// What the chances are of, and what they rest on.
inline void describe(const risk_subject& about, const risk_policy& policy, const std::optional<seconds>& deadline,
                     assumed_values assumed, risk_answer& answer) {
  const placed_job& all = about.all;
  const run_at_risk job = about.under(answer.kind);
  answer.slice = tpuplan::name(all.where).view();
  answer.slices = slices(all.mesh);
  answer.chips = checked_multiply(chips(all.where), answer.slices);
  answer.region = about.asked.region;
  answer.policy = policy_words(policy);
  answer.start = about.asked.start;
  answer.by = about.asked.by;
  answer.deadline = deadline;
  answer.budget = about.asked.budget;
  answer.run = about.run.expected;
  answer.run_low = about.run.low;
  answer.run_high = about.run.high;
  answer.fits = tpuplan::fits(memory_use(all.config.model, all.job, all.mesh, all.where, all.known_memory));
  answer.checkpoint_interval = job.checkpoint_interval;
  if (job.lifetime) {
    answer.preempted_every = quantile(about.lifetime, 0.5);
    answer.preempted_every_low = quantile(about.lifetime, 0.05);
    answer.preempted_every_high = quantile(about.lifetime, 0.95);
  }
  answer.fails_every = quantile(*job.failures, 0.5);
  answer.fails_every_low = quantile(*job.failures, 0.05);
  answer.fails_every_high = quantile(*job.failures, 0.95);
  answer.assumed = all_assumed(all.config, assumed);
  answer.model = all.config.model.name.view();
}

}  // namespace detail

/// The chances of a run: of the way of paying that was asked for, or of the one with the best chance, beside all others
/// and the changes that raise it. Throws as `answer_to_train` does, for a job that does not fit, for dates that are
/// none, and for what has no effect. Worked: 1e10 tokens of Llama 3 8B on "v5p-128" on demand are done within 3 days in
/// all of 2000 runs.
[[nodiscard]] inline risk_answer answer_to_risk(const placed_job& all, const risk_request& asked,
                                                const price_book& book) {
  expect_region(book, asked.region);
  detail::in_range("tokens", asked.tokens, 0, 1e18, "above 0, at most 1e18 tokens");
  const std::optional<seconds> deadline = deadline_of(asked);
  detail::check_risk(asked, all);
  const step_breakdown step = step_time(all.config.model, all.job, all.mesh, all.where, all.constants);
  const double steps = math::ceil(asked.tokens / static_cast<double>(tokens_per_step(all.job)));
  assumed_values assumed = all.assumed;
  detail::risk_subject about{asked, all, book, asked.region};
  about.run = {step.total * steps, step.low * steps, step.high * steps};
  about.lifetime = detail::lifetime_of(asked, all.where, assumed);
  about.terms = detail::terms_of(asked, all, step.total, assumed);
  if (deadline) about.limits.deadline = *deadline;
  if (asked.budget) about.limits.budget = *asked.budget;

  risk_answer answer;
  answer.ways = detail::ways_of(about);
  if (answer.ways.empty()) detail::fail(errc::infeasible, "slice", asked.slice, "a slice that has a price in region");
  answer.kind = asked.kind.value_or(answer.ways.front().kind);
  const risk_policy policy = detail::policy_for(asked, answer.kind);
  const auto seen = detail::outlook_of_way(about, answer.kind, policy, about.limits);
  if (!seen) detail::fail(errc::infeasible, "kind", name(answer.kind), "a way of paying with a price for so long");
  answer.chance_in_time = seen->chance_in_time;
  answer.chance_in_budget = seen->chance_in_budget;
  answer.chance_of_both = seen->chance_of_both;
  answer.chance_to_end = seen->chance_to_end;
  answer.wall_p10 = seen->wall_p10;
  answer.wall_p50 = seen->wall_p50;
  answer.wall_p90 = seen->wall_p90;
  answer.cost_p10 = seen->cost_p10;
  answer.cost_p50 = seen->cost_p50;
  answer.cost_p90 = seen->cost_p90;
  answer.done_p50 = detail::done_on(asked.start, seen->wall_p50);
  answer.done_p90 = detail::done_on(asked.start, seen->wall_p90);
  answer.walls = seen->walls;
  answer.costs = seen->costs;
  answer.changes = detail::changes_of(about, answer.kind, *seen);
  detail::describe(about, policy, deadline, assumed, answer);
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
