#ifndef TPUPLAN_PLAN_RELAX_SERVING_HPP
#define TPUPLAN_PLAN_RELAX_SERVING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tpuplan/base/math.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <utility>
#include <vector>

/// @file
/// Where a request of serving has no plan, which single limit to relax and how far.

namespace tpuplan {
inline namespace abi_0 {

/// One limit of a serving request that, relaxed alone, lets a plan in: what it was, what it would have to be, and that
/// plan. The unit is that of the limit: seconds, dollars per second, chips; for `targets` seconds per output token, and
/// to the first one apart; 0 where it is no number.
struct serving_relaxation {
  plan_limit limit = plan_limit::tpot;  ///< the one that is relaxed
  double given = 0;                     ///< what it was
  double needed = 0;                    ///< what it would have to be: a target in whole tenths of a millisecond
  serving_plan nearest{};               ///< the plan that it lets in
  double given_ttft = 0;                ///< with `targets`: the other one, what it was
  double needed_ttft = 0;               ///< with `targets`: the other one, what it would have to be
};

namespace detail {

/// The best plan of a serving request that is relaxed, whose simulations take some of the steps that are left.
inline std::optional<serving_plan> nearest_plan(const serving_request& request, plan_limit limit, std::int64_t& steps) {
  return nearest_of(plan_within(request, steps).plans, limit);
}

/// A serving request with its targets times a factor.
inline serving_request with_targets(serving_request request, plan_limit limit, double factor) {
  if (limit != plan_limit::ttft) request.job.tpot_target *= factor;
  if (limit != plan_limit::tpot) request.job.ttft_target *= factor;
  return request;
}

/// A target in whole tenths of a millisecond, rounded up.
inline double in_tenths(double seconds) { return math::ceil(seconds * 1e4 - 1e-9) / 1e4; }

/// Whether two targets are so near that nobody tells them apart.
inline bool are_near(double low, double high) { return high < 1.002 * low || in_tenths(low) == in_tenths(high); }

/// Parts two targets that are relaxed by one factor: each is what the plan needs that this lets in, or the factor where
/// no plan is within both.
inline void part_targets(serving_request request, serving_relaxation& relaxed, std::int64_t& steps) {
  const serving_estimate& reached = relaxed.nearest.estimate;
  relaxed.given_ttft = request.job.ttft_target.value();
  relaxed.needed_ttft = in_tenths(relaxed.given_ttft * (relaxed.needed / relaxed.given));
  const double token = larger(relaxed.given, in_tenths(reached.per_token.total.value()));
  const double first = larger(relaxed.given_ttft, in_tenths(reached.first_token.value()));
  request.job.tpot_target = seconds{token}, request.job.ttft_target = seconds{first};
  std::optional<serving_plan> found = nearest_plan(request, relaxed.limit, steps);
  if (!found) return;
  relaxed.needed = token, relaxed.needed_ttft = first;
  relaxed.nearest = std::move(*found);
}

/// Targets relaxed by the least factor that lets a plan in, up to a million, and the plan of the amount that is said.
inline std::optional<serving_relaxation> relax_targets(const serving_request& request, plan_limit limit,
                                                       std::int64_t& steps) {
  const seconds given = limit == plan_limit::ttft ? request.job.ttft_target : request.job.tpot_target;
  const bool both = request.job.ttft_target.value() > 0 && request.job.tpot_target.value() > 0;
  if (given.value() <= 0 || (limit == plan_limit::targets && !both)) return std::nullopt;
  double low = 1, high = 2;
  std::optional<serving_plan> found;
  while (!(found = nearest_plan(with_targets(request, limit, high), limit, steps))) {
    low = high;
    high *= 2;
    if (high > 1e6) return std::nullopt;
  }
  while (!are_near(given.value() * low, given.value() * high)) {
    const double middle = math::sqrt(low * high);
    std::optional<serving_plan> nearer = nearest_plan(with_targets(request, limit, middle), limit, steps);
    (nearer ? high : low) = middle;
    if (nearer) found = std::move(nearer);
  }
  const double needed = in_tenths(given.value() * high);
  if (std::optional<serving_plan> at = nearest_plan(with_targets(request, limit, needed / given.value()), limit, steps))
    found = std::move(at);
  serving_relaxation relaxed{limit, given.value(), needed, std::move(*found)};
  if (limit == plan_limit::targets) part_targets(request, relaxed, steps);
  return relaxed;
}

/// The target by percentile that a limit means; nothing where it means none.
inline latency_target latency_targets::*target_of(plan_limit limit) {
  switch (limit) {
    case plan_limit::first_token: return &latency_targets::first_token;
    case plan_limit::per_token: return &latency_targets::per_token;
    case plan_limit::end_to_end: return &latency_targets::end_to_end;
    default: return nullptr;
  }
}

/// What a share of the requests keeps of what a limit is of.
inline double reached_of(const counted_times& times, plan_limit limit, double share) {
  return reached(limit == plan_limit::first_token ? times.first
                 : limit == plan_limit::per_token ? times.each
                                                  : times.whole,
                 share);
}

/// What requests reach of a target: on a plan that was made without it, and on the layout that is best for it.
struct reached_target {
  double known = 0, best = 0;  // seconds
};
/// Layouts that keep all other limits are simulated with as many slices as are allowed, from the last on, as large
/// slices are the fastest most often, and what one reaches leaves out those that cannot. Simulations take no more than
/// `steps`, which are taken off.
inline reached_target reached_without(const serving_request& means, const latency_targets& others, plan_limit limit,
                                      double share, const serving_plan& known, std::int64_t& steps) {
  plan_search all{means,
                  {means.model, means.job, means.constants, others, steps, slowed(means), means.drawn},
                  price_index(means),
                  true};
  for_each_slice(means, [&](const slice& where) { search_server(all, where); });
  const auto reached_by = [&](const serving_plan& one) {
    return reached_of(all.rates.times_of_replica(one.where, one.mesh, rate_of_replica(one)), limit, share);
  };
  reached_target found;
  found.known = found.best = reached_by(known);
  for (std::size_t i = all.open.size(); i-- > 0 && !all.rates.are_exhausted();) {
    const open_layout& one = all.open[i];
    const serving_plan& least = one.least;
    const std::int64_t most = most_slices(means, least.where);
    serving_plan planned = plan_of(means, least.where, least.mesh, most);
    latency_targets nearer;
    nearer.*target_of(limit) = {share, seconds{found.best}};
    if (!all.rates.may_reach(planned.where, planned.mesh, rate_of_replica(planned), nearer)) continue;
    if (!all.rates.holds(least.where, least.mesh,
                         means.job.request_rate / static_cast<double>(most * least.estimate.replicas)))
      continue;
    if (!is_fit(all.slices[one.search], means, planned)) continue;
    if (!priced(all.slices[one.search], means, planned)) continue;
    found.best = std::min(found.best, reached_by(planned));
  }
  steps = std::max<std::int64_t>(0, all.rates.steps_left());
  return found;
}

/// What requests reach of a target on a plan, without its spare slices, in a simulation whose steps are taken off.
inline double reached_on(serving_request request, plan_limit limit, const serving_plan& planned, std::int64_t& steps) {
  const latency_targets asked = std::exchange(request.job.percentiles, {});
  const std::int64_t left = checked_multiply(planned.slices - planned.spare, planned.estimate.replicas);
  replica_rates rates{request.model, request.job, request.constants, asked, steps, slowed(request), request.drawn};
  const counted_times times =
      rates.times_of_replica(planned.where, planned.mesh, request.job.request_rate / static_cast<double>(left));
  steps = std::max<std::int64_t>(0, rates.steps_left());
  return reached_of(times, limit, (asked.*target_of(limit)).share);
}

/// The least target by percentile that lets a plan in, between one that does not and what a plan reaches, by halving
/// with no more than `steps`, which are taken off; and the plan of the amount that is said.
inline void bring_nearer(serving_request request, plan_limit limit, double refused, serving_relaxation& found,
                         std::int64_t& steps) {
  latency_target& target = request.job.percentiles.*target_of(limit);
  const auto take_reached = [&] {
    const double there = reached_on(request, limit, found.nearest, steps);
    if (there > refused && there < found.needed) found.needed = there;
  };
  take_reached();
  while (steps > 0 && !are_near(refused, found.needed)) {
    target.limit = seconds{math::sqrt(refused * found.needed)};
    std::optional<serving_plan> nearer = nearest_plan(request, limit, steps);
    (nearer ? found.needed : refused) = target.limit.value();
    if (!nearer) continue;
    found.nearest = std::move(*nearer);
    take_reached();
  }
  found.needed = in_tenths(found.needed);
  target.limit = seconds{found.needed};
  if (std::optional<serving_plan> at = nearest_plan(request, limit, steps)) found.nearest = std::move(*at);
}

/// A target by percentile, relaxed to what the fastest layout reaches that keeps all other limits or, where looking for
/// that takes too many steps, to what the plan with the shortest mean time of a token does, and brought nearer.
inline std::optional<serving_relaxation> relax_percentile(serving_request request, plan_limit limit,
                                                          std::int64_t& steps) {
  latency_target& target = request.job.percentiles.*target_of(limit);
  const latency_target given = target;
  if (given.limit.value() <= 0) return std::nullopt;
  target = {};
  const objective asked = std::exchange(request.best, objective::fastest);
  const std::optional<serving_plan> known = nearest_plan(request, limit, steps);
  request.best = asked;
  if (!known) return std::nullopt;
  const latency_targets others = request.job.percentiles;
  serving_request means = request;
  means.job.percentiles = {};
  std::int64_t of_search = steps / 4, of_halving = steps / 4;
  steps -= of_search + of_halving;
  const reached_target seen = reached_without(means, others, limit, given.share, *known, of_search);
  steps += of_search;
  target = {given.share, seconds{seen.best}};
  std::optional<serving_plan> found = nearest_plan(request, limit, steps);
  if (!found) {
    target.limit = seconds{seen.known};
    std::int64_t again = most_planning_steps;  // as many as a plan of it may take
    found = nearest_plan(request, limit, again);
  }
  if (!found) return std::nullopt;
  serving_relaxation relaxed{limit, given.limit.value(), target.limit.value(), std::move(*found)};
  bring_nearer(request, limit, given.limit.value(), relaxed, of_halving);
  steps += of_halving;
  return relaxed;
}

}  // namespace detail

/// Where a serving request has no plan: every limit that, relaxed alone, gives it one, with the nearest plan. Empty
/// where no single one is enough; limits whose simulations take more steps than a plan may are left out. Worked: for 40
/// requests per second at 1 ms per output token only a longer target helps, more chips do not.
[[nodiscard]] inline std::vector<serving_relaxation> relaxations(const serving_request& request) {
  std::vector<serving_relaxation> list;
  std::int64_t steps = detail::most_planning_steps / 2, of_limits = steps;
  for (const plan_limit limit : {plan_limit::tpot, plan_limit::ttft, plan_limit::targets}) {
    if (limit == plan_limit::targets && !list.empty()) break;  // one target alone is enough
    if (std::optional<serving_relaxation> r = detail::relax_targets(request, limit, steps))
      list.push_back(std::move(*r));
  }
  for (const plan_limit limit : {plan_limit::first_token, plan_limit::per_token, plan_limit::end_to_end}) {
    if (std::optional<serving_relaxation> r = detail::relax_percentile(request, limit, steps))
      list.push_back(std::move(*r));
  }
  detail::relax(
      list, request,
      {plan_limit::budget, plan_limit::chips, plan_limit::kinds, plan_limit::generation, plan_limit::uncertain,
       plan_limit::smallest_chips, plan_limit::regions},
      [&](const serving_request& relaxed, plan_limit) { return detail::plan_within(relaxed, of_limits).plans; });
  return list;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
