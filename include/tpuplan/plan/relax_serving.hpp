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

/// A layout that keeps all other limits, as a plan of as many slices as they allow, and what a target has to be for it
/// at least: what each request reaches alone.
struct widest_layout {
  serving_plan planned{};
  std::size_t search = 0;  // of its slice
  double alone = 0;        // seconds
};

/// The open layouts of a search with as many slices as the chips and the budget allow, those first that are the fastest
/// for requests alone.
inline std::vector<widest_layout> widest_layouts(plan_search& all, plan_limit limit, double share) {
  const serving_request& request = all.request;
  std::vector<widest_layout> widest;
  for (const open_layout& one : all.open) {
    const serving_plan& least = one.least;
    const usd_per_second each = least.cost.rate;
    std::int64_t slices = request.largest_chips / chips(least.where);
    if (request.budget && each.value() > 0) slices = std::min(slices, floor_to_count(*request.budget / each + 1e-9));
    slices = std::max(least.slices - least.spare, most_serving(request, slices));
    const double alone = reached_of(all.rates.times_alone_of(least.where, least.mesh), limit, share);
    widest.push_back({plan_of(request, least.where, least.mesh, slices), one.search, alone});
  }
  std::sort(widest.begin(), widest.end(), [](const widest_layout& a, const widest_layout& b) {
    return a.alone != b.alone ? a.alone < b.alone : a.search < b.search;
  });
  return widest;
}

/// The least that a target by percentile can be, the other limits kept, of the layouts that `steps` of simulation
/// reach; nothing where none of them keeps these. More slices are never slower, so that each layout is simulated once,
/// with as many as are allowed, and none that is slower for requests alone than the fastest so far.
inline std::optional<double> least_target(const serving_request& request, plan_limit limit, std::int64_t steps) {
  const double share = (request.job.percentiles.*target_of(limit)).share;
  latency_targets others = request.job.percentiles;
  others.*target_of(limit) = {};
  serving_request means = request;
  means.job.percentiles = {};
  plan_search all{means,
                  {means.model, means.job, means.constants, others, steps, slowed(means), means.drawn},
                  price_index(means),
                  true};
  for_each_slice(means, [&](const slice& where) { search_server(all, where); });
  std::optional<double> least;
  for (const widest_layout& one : widest_layouts(all, limit, share)) {
    const serving_plan& planned = one.planned;
    if ((least && one.alone >= *least) || all.rates.are_exhausted()) break;
    if (!is_fit(all.slices[one.search], means, planned)) continue;
    if (!priced(all.slices[one.search], means, with_spare(means, planned))) continue;
    if (all.rates.are_needed() && !all.rates.holds(planned.where, planned.mesh, rate_of_replica(planned))) continue;
    const counted_times times = all.rates.times_of_replica(planned.where, planned.mesh, rate_of_replica(planned));
    const double there = reached_of(times, limit, share);
    least = least ? std::min(*least, there) : there;
  }
  return least;
}

/// A target by percentile, relaxed to the least that lets a plan in. Percentiles of few requests are not quite shorter
/// at every lower rate, by which the search of a plan goes: where it finds none at the least, up to a tenth more is
/// tried.
inline std::optional<serving_relaxation> relax_percentile(serving_request request, plan_limit limit) {
  latency_target& target = request.job.percentiles.*target_of(limit);
  const double given = target.limit.value();
  if (given <= 0) return std::nullopt;
  const std::optional<double> least = least_target(request, limit, most_planning_steps / 4);
  if (!least) return std::nullopt;
  const double from = larger(in_tenths(*least), in_tenths(given) + 1e-4);
  std::int64_t steps = most_planning_steps;  // as many as a plan of it may take
  for (const double more : {0.0, 0.002, 0.005, 0.01, 0.02, 0.04, 0.1}) {
    if (steps <= 0) break;
    target.limit = seconds{in_tenths(from * (1 + more))};
    if (std::optional<serving_plan> found = nearest_plan(request, limit, steps))
      return serving_relaxation{limit, given, target.limit.value(), std::move(*found)};
  }
  return std::nullopt;
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
    if (std::optional<serving_relaxation> r = detail::relax_percentile(request, limit)) list.push_back(std::move(*r));
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
