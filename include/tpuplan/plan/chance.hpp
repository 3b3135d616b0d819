#ifndef TPUPLAN_PLAN_CHANCE_HPP
#define TPUPLAN_PLAN_CHANCE_HPP

#include <algorithm>
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
/// Throws for terms out of their range. Worked: 2 slices of spot that last 4 h each are taken away every 2 h.
[[nodiscard]] inline run_at_risk at_risk(const run_range& run, provisioning kind, const slice& where,
                                         std::int64_t slice_total, const payment_terms& terms,
                                         const mean_time_belief& lifetime) {
  detail::check_terms(terms);
  detail::positive_count("slices", slice_total);
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

namespace detail {

/// A run as it is played, with its prices and the limits of its request.
struct played_plan {
  run_at_risk job{};
  risk_prices prices{};
  risk_limits limits{};
};

/// A run at a price under these terms, within the limits of a request.
template <class Request>
played_plan played_at(const run_range& run, const slice& where, std::int64_t slice_total, const price_row& price,
                      const payment_terms& terms, const Request& request) {
  const mean_time_belief lifetime =
      spot_lifetime_under(request.terms, where.chip.name.view(), place_of(request, price.region.view()));
  played_plan played;
  played.job = at_risk(run, price.kind, where, slice_total, terms, lifetime);
  played.prices.rate = rate(price.per_chip, checked_multiply(chips(where), slice_total));
  played.prices.kind = price.kind;
  played.prices.rest_of_term_used = terms.rest_of_term_used;
  if (request.deadline) played.limits.deadline = *request.deadline;
  if (request.budget) played.limits.budget = *request.budget;
  return played;
}
inline played_plan played_at(const plan& planned, const plan_cost& cost, const plan_request& request) {
  const run_range run{planned.run, planned.run * (planned.step.low / planned.step.total),
                      planned.run * (planned.step.high / planned.step.total)};
  return played_at(run, planned.where, slices(planned.mesh), cost.price,
                   terms_of(planned, request, cost.price.region.view()), request);
}

}  // namespace detail

/// The chances of a plan under one of its ways of paying, over runs that are played; nothing where the request has
/// neither deadline nor budget. Spot lasts what was published for the chip and place, or exactly what the request says;
/// a run that outlasts the longest window of calendar mode, of 90 days, keeps no limit. Worked: within its own expected
/// time a plan on demand is done in about half of the runs.
[[nodiscard]] inline maybe<run_chances> chances_of(const plan& planned, const plan_cost& cost,
                                                   const plan_request& request, luck_of_runs& luck) {
  if (!request.deadline && !request.budget) return nothing;
  const detail::played_plan one = detail::played_at(planned, cost, request);
  return chances_of(one.job, one.prices, one.limits, luck);
}
/// The same with luck of its own. Worked: it is equal to that of a list of plans.
[[nodiscard]] inline maybe<run_chances> chances_of(const plan& planned, const plan_cost& cost,
                                                   const plan_request& request) {
  luck_of_runs luck(runs_of_a_plan);
  return chances_of(planned, cost, request, luck);
}

/// What such runs come to, with or without a limit. Worked: nine of ten cost no less than half of them.
[[nodiscard]] inline run_outlook outlook_of(const plan& planned, const plan_cost& cost, const plan_request& request) {
  const detail::played_plan one = detail::played_at(planned, cost, request);
  return outlook_of(one.job, one.prices, one.limits, {}, runs_of_a_plan);
}

/// The same of a plan of another kind, which is one slice with whole steps: of a network of layers, or of images or
/// clips. Worked: as `risk --runs 500` of it answers.
template <class Planned, class Request>
[[nodiscard]] maybe<run_chances> chances_of(const Planned& planned, const Request& request, luck_of_runs& luck) {
  const auto steps = static_cast<double>(planned.steps);
  const price_row& price = planned.cost.price;
  const run_range run{planned.run, min(planned.run, steps * planned.step.low),
                      max(planned.run, steps * planned.step.high)};
  const payment_terms terms =
      payment_terms_of(request, planned.where, 1, planned.steps, planned.step.total, price.region.view());
  if (!request.deadline && !request.budget) return nothing;
  const detail::played_plan one = detail::played_at(run, planned.where, 1, price, terms, request);
  return chances_of(one.job, one.prices, one.limits, luck);
}

namespace detail {

/// What a plan takes and costs at least, at the low end of its band.
struct least_amounts {
  seconds wall{};
  usd total{};
};
/// Those of its work with nothing that stops it or, where so many stops are expected that no run is much luckier, those
/// that are expected.
inline least_amounts least_of(const plan& planned, const plan_cost& cost) {
  constexpr double many_stops = 100;
  if (cost.preemptions > many_stops) return {cost.wall_low, cost.low};
  const seconds work = planned.run * (planned.step.low / planned.step.total);
  return {work, tpuplan::cost(rate(cost.price.per_chip, chips_of(planned)), work)};
}

/// Whether that is twice a limit.
inline bool is_hopeless(const plan& planned, const plan_cost& cost, const plan_request& request) {
  const least_amounts least = least_of(planned, cost);
  return (request.deadline && least.wall > 2 * *request.deadline) ||
         (request.budget && least.total > 2 * *request.budget);
}

/// Counts the chance of each cost that a request may choose, and keeps the best so far. A cost that is hopeless, or
/// surely has neither the chance that is asked for nor more than the best, has none: it is no plan, and none is closer.
inline void count_chances(plan& planned, const plan_request& request, luck_of_runs& luck, double& best) {
  for (plan_cost& cost : planned.costs) {
    if (!contains(request.kinds, cost.kind) || is_hopeless(planned, cost, request)) continue;
    const played_plan one = played_at(planned, cost, request);
    const double least = std::min(request.chance.value_or(1), best);
    const maybe<run_chances> chances = chances_above(least, one.job, one.prices, one.limits, luck);
    if (!chances) continue;
    cost.chance = chances->of_both;
    if (is_within_quota(planned, cost, request)) best = std::max(best, chances->of_both);
  }
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
