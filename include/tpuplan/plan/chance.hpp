#ifndef TPUPLAN_PLAN_CHANCE_HPP
#define TPUPLAN_PLAN_CHANCE_HPP

#include <cstdint>
#include <tpuplan/plan/pricing.hpp>
#include <tpuplan/risk/outlook.hpp>

/// @file
/// The chance that a plan is done by its deadline and within its budget: what risk answers of its slices, layout and
/// way of paying.

namespace tpuplan {
inline namespace abi_0 {

/// Runs that are played for each plan: a chance of 90 % is then known to 1.3 points, two times of three.
inline constexpr std::int64_t runs_of_a_plan = 500;

/// What a run is at risk of under a way of paying, with the terms of its payment. `lifetime` is that of one spot slice.
/// Worked: 2 slices of spot that last 4 h each are taken away every 2 h.
[[nodiscard]] inline run_at_risk at_risk(const run_range& run, provisioning kind, const slice& where,
                                         std::int64_t slice_total, const payment_terms& terms,
                                         const mean_time_belief& lifetime) {
  run_at_risk job;
  const seconds besides = terms.besides_steps;
  job.run = {run.expected + besides, run.low + besides, run.high + besides};
  job.slices = slice_total;
  job.restart_time = terms.spot.restart_time;
  job.start_up = terms.start_up;
  job.checkpoint_time = terms.spot.checkpoint_time;
  const std::int64_t chip_total = checked_multiply(chips(where), slice_total);
  const seconds published = published_chip_time_between_failures / static_cast<double>(chip_total);
  const seconds failing = terms.mean_time_between_failures;
  if (failing.value() > 0)
    job.failures = failing == published ? time_between_failures(chip_total) : believed_within(failing, 1);
  const bool is_spot = kind == provisioning::spot;
  if (is_spot) job.lifetime = scaled(lifetime, 1 / static_cast<double>(slice_total));
  if (is_spot) job.queue_time = terms.spot.queue_time;
  if (kind == provisioning::flex_start) job.queue_time = terms.flex_start.queue_time;
  if (kind == provisioning::flex_start) job.longest_piece = terms.flex_start.limit;
  const auto rate = [](const maybe<mean_time_belief>& of) { return of ? 1 / quantile(*of, 0.5).value() : 0; };
  const double stops = rate(job.lifetime) + rate(job.failures);
  seconds interval = detail::whole_interval(terms, run.expected);
  if (!(interval.value() > 0))
    interval = stops > 0 ? detail::interval_of_least_time(job.checkpoint_time, seconds{1 / stops}) : job.run.expected;
  job.checkpoint_interval = min(interval, job.run.expected);
  job.interval_of_steps = terms.interval_of_steps || interval >= job.run.expected;  // else one at the end, whenever
  return job;
}

/// The chances of a plan under one of its ways of paying, over runs that are played; nothing where the request has
/// neither deadline nor budget, and where runs may outlast the longest window. Spot lasts what was published for the
/// chip and place, or exactly what the request says. Worked: within its own expected time a plan on demand is done in
/// about half of the runs.
[[nodiscard]] inline maybe<run_chances> chances_of(const plan& planned, const plan_cost& cost,
                                                   const plan_request& request, std::int64_t runs = runs_of_a_plan,
                                                   std::int64_t seed = 1) {
  if (!request.deadline && !request.budget) return nothing;
  const run_range run{planned.run, planned.run * (planned.step.low / planned.step.total),
                      planned.run * (planned.step.high / planned.step.total)};
  if (cost.kind == provisioning::calendar && run.high > 80_days) return nothing;  // of 90 at most
  const payment_terms terms = detail::terms_of(planned, request);
  const seconds between = request.spot_lasts.value_or(terms.spot.mean_time_between_preemptions);
  const bool as_published = !request.spot_lasts && between == spot_terms{}.mean_time_between_preemptions;
  const mean_time_belief lifetime = as_published
                                        ? spot_lifetime(planned.where.chip.name.view(), cost.price.region.view()).mean
                                        : believed_within(between, 1);
  risk_prices prices;
  prices.rate = rate(cost.price.per_chip, detail::chips_of(planned));
  prices.kind = cost.kind;
  prices.rest_of_term_used = terms.rest_of_term_used;
  risk_limits limits;
  limits.deadline = request.deadline;
  limits.budget = request.budget;
  return chances_of(at_risk(run, cost.kind, planned.where, slices(planned.mesh), terms, lifetime), prices, limits, runs,
                    seed);
}

namespace detail {

/// Counts the chance of each cost that a request may choose. One whose work alone takes twice a limit, with nothing
/// that stops it, has none.
inline void count_chances(plan& planned, const plan_request& request) {
  for (plan_cost& cost : planned.costs) {
    if (!contains(request.kinds, cost.kind)) continue;
    const seconds work = planned.run * (planned.step.low / planned.step.total);
    const usd least = tpuplan::cost(rate(cost.price.per_chip, chips_of(planned)), work);
    const bool hopeless =
        (request.deadline && work > 2 * *request.deadline) || (request.budget && least > 2 * *request.budget);
    const maybe<run_chances> chances = hopeless ? maybe<run_chances>{} : chances_of(planned, cost, request);
    cost.chance = chances ? chances->of_both : 0;
  }
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
