#ifndef TPUPLAN_PLAN_PRICING_HPP
#define TPUPLAN_PLAN_PRICING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/plan/search.hpp>

/// @file
/// What a plan costs in every region and under every way of paying, and which of them a request allows.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The terms of a plan in a region.
inline payment_terms terms_of(const plan& planned, const plan_request& request, std::string_view region) {
  return payment_terms_of(request, planned.where, slices(planned.mesh), planned.steps, planned.step.total, region);
}

/// The time of a plan's run under a way of paying, with its step as expected and at either end of its band.
struct paid_times {
  bool is_possible = false;
  paid_run expected{}, low{}, high{};
};

/// The time of the run with its step time at one end of the band; infinite where a run of that length cannot be had.
inline paid_run at_end_of_band(const plan& planned, const paid_run& paid, double longer, const payment_terms& terms) {
  const std::int64_t slice_total = slices(planned.mesh);
  const seconds run = planned.run * longer;
  if (run <= longest_run) {
    const payment_terms at_end = at_pace(terms, longer);
    const held_run held = held_for(paid.kind, slice_total, run, at_end);
    if (can_be_held(paid.kind, held, at_end)) return timed_payment(paid.kind, run, held, at_end);
  }
  paid_run result = paid;
  result.billed = result.wall = seconds{math::detail::infinity};
  return result;
}

/// The times of a plan under a way of paying. Prices, of which a plan has many, change none of them; places do so by
/// how long spot lasts there.
inline paid_times times_of(const plan& planned, provisioning kind, const payment_terms& terms) {
  paid_times times;
  positive("run time", planned.run.value());
  if (planned.run > longest_run) return times;
  const held_run held = held_for(kind, slices(planned.mesh), planned.run, terms);
  times.is_possible = can_be_held(kind, held, terms);
  if (!times.is_possible) return times;
  times.expected = timed_payment(kind, planned.run, held, terms);
  times.low = at_end_of_band(planned, times.expected, planned.step.low / planned.step.total, terms);
  times.high = at_end_of_band(planned, times.expected, planned.step.high / planned.step.total, terms);
  return times;
}

/// What a plan costs at a price row. Precondition: the run can be had under that way of paying.
inline plan_cost priced(const plan& planned, const price_row& price, const paid_times& times) {
  const paid_run paid = at_price(times.expected, chips_of(planned.where, slices(planned.mesh)), price);
  plan_cost result;
  result.kind = price.kind;
  result.price = price;
  result.superseded = paid.superseded;
  result.billed = paid.billed;
  result.wall = paid.wall;
  result.wall_low = times.low.wall;
  result.wall_high = times.high.wall;
  result.unused = paid.unused;
  result.unused_cost = paid.unused_cost;
  result.preemptions = paid.preemptions;
  result.checkpoint_interval = paid.checkpoint_interval;
  result.goodput = planned.run / result.wall;
  result.total = paid.total;
  result.low = paid.rate * times.low.billed;
  result.high = paid.rate * times.high.billed;
  return result;
}
inline plan_cost cost_of(const plan& planned, const price_row& price, const payment_terms& terms) {
  return priced(planned, price, times_of(planned, price.kind, terms));
}

/// What a plan costs at a price row; nothing where the run cannot be had under that way of paying.
inline maybe<plan_cost> possible_cost(const plan& planned, const price_row& price, const payment_terms& terms) {
  const paid_times times = times_of(planned, price.kind, terms);
  if (!times.is_possible) return nothing;
  return priced(planned, price, times);
}

/// Adds what the plan costs in every region and under every way of paying that has a price and can last for the run.
inline void add_costs(plan& planned, const plan_request& request, const price_index& prices, search_counts& counts) {
  payment_terms terms = terms_of(planned, request, {});
  const bool as_published = request.terms.spot.mean_time_between_preemptions.value() == 0;
  std::array<maybe<paid_times>, all_provisioning.size()> by_kind{};
  prices.each(planned.where.chip.name, chips(planned.where), [&](const price_row& price) {
    maybe<paid_times>& times = by_kind[static_cast<std::size_t>(price.kind)];
    if (price.kind == provisioning::spot && as_published) {
      const std::string_view place = place_of(request, price.region.view());
      const seconds lasts = median_spot_lifetime_under(request.terms, planned.where.chip.name.view(), place);
      if (lasts != terms.spot.mean_time_between_preemptions) times = nothing;
      terms.spot.mean_time_between_preemptions = lasts;
    }
    if (!times) times = times_of(planned, price.kind, terms);
    if (times->is_possible) planned.costs.push_back(priced(planned, price, *times));
    ++counts.priced;
  });
}

inline std::int64_t chips_of(const plan& planned) {
  return checked_multiply(chips(planned.where), slices(planned.mesh));
}

inline merits merits_of(const plan& planned, const plan_cost& cost) {
  return {cost.total.value(), cost.wall.value(), chips_of(planned)};
}
inline text<48> plan_name(const plan& planned) { return slices_name(planned.where, slices(planned.mesh)); }

/// Chips that a quota allows; all where there are no quotas.
inline std::int64_t quota_for(const plan_request& request, const chip_spec& chip, const plan_cost& cost) {
  if (request.quotas.empty()) return std::int64_t{1} << 40;
  std::int64_t allowed = 0;
  for (const quota_row& row : request.quotas) {
    if (row.kind == cost.kind && same_name(row.region, cost.price.region) &&
        chip_named(request, "plan.quotas.generation", row.generation) == chip.name)
      allowed = row.chips > allowed ? row.chips : allowed;
  }
  return allowed;
}

/// A limit that a plan misses, and by how much; `no_price` where it misses none.
struct missed_limit {
  rejection why = rejection::no_price;
  double amount = 0;
};

/// The first limit that a way of paying misses.
inline missed_limit limit_missed(const plan& planned, const plan_cost& cost, const plan_request& request) {
  const std::int64_t allowed = quota_for(request, planned.where.chip, cost);
  if (chips_of(planned) > allowed) return {rejection::over_quota, static_cast<double>(chips_of(planned) - allowed)};
  if (request.chance) {
    const double lacking = *request.chance - cost.chance.value_or(0);
    return lacking > 0 ? missed_limit{rejection::too_unlikely, lacking} : missed_limit{};
  }
  if (request.deadline && is_over(cost.wall, *request.deadline))
    return {rejection::misses_deadline, (cost.wall - *request.deadline).value()};
  if (request.budget && is_over(cost.total, *request.budget))
    return {rejection::over_budget, (cost.total - *request.budget).value()};
  return {};
}

}  // namespace detail

/// Whether the quotas of a request allow the chips of a plan under a way of paying; without quotas all are allowed.
/// Worked: the 32 chips of v5e-32 on spot are within a quota of 32, and not within one of 16.
[[nodiscard]] inline bool is_within_quota(const plan& planned, const plan_cost& cost, const plan_request& request) {
  return detail::chips_of(planned) <= detail::quota_for(request, planned.where.chip, cost);
}

/// Whether a request allows a cost of a plan: its way of paying is asked for, and neither quota, deadline nor budget is
/// missed. Worked: a run of two hours is allowed within a deadline of 2 hours, and not within one of 1 hour.
[[nodiscard]] inline bool is_allowed(const plan& planned, const plan_cost& cost, const plan_request& request) {
  return detail::contains(request.kinds, cost.kind) &&
         detail::limit_missed(planned, cost, request).why == rejection::no_price;
}

namespace detail {

/// Sets the way of paying, and whether the ends of its band keep to the limits.
inline void pay_with(plan& planned, std::size_t which, const plan_request& request) {
  planned.chosen = which;
  const plan_cost& chosen = chosen_cost(planned);
  planned.deadline_at_risk =
      request.deadline && !is_over(chosen.wall, *request.deadline) && chosen.wall_high > *request.deadline;
  planned.budget_at_risk = request.budget && !is_over(chosen.total, *request.budget) && chosen.high > *request.budget;
}

/// Whether a region is one of those of a request.
inline bool is_asked_for(const std::vector<std::string>& regions, std::string_view region) {
  for (const std::string& one : regions) {
    if (same_name(one, region)) return true;
  }
  return false;
}

/// A way of paying whose quota has room for the plan, but which has no price for it; nothing where there is none.
inline maybe<provisioning> without_price(const plan& planned, const plan_request& request) {
  for (const quota_row& row : request.quotas) {
    if (row.chips < chips_of(planned) || !contains(request.kinds, row.kind)) continue;
    if (!is_asked_for(request.regions, row.region)) continue;  // which has no price because nobody asked
    if (chip_named(request, "plan.quotas.generation", row.generation) != planned.where.chip.name) continue;
    bool has_price = false;
    for (const plan_cost& cost : planned.costs)
      has_price = has_price || (cost.kind == row.kind && same_name(row.region, cost.price.region));
    if (!has_price) return row.kind;
  }
  return nothing;
}

/// Sets `planned.chosen` to the best cost that the request allows; where there is none, returns the closest reason.
/// Where all ways of paying with a price are over their quotas, and one that a quota of the regions asked for allows
/// has no price, that is the reason: no number of chips less would help.
inline maybe<rejected_slice> choose_cost(plan& planned, const plan_request& request) {
  rejected_slice closest{planned.where, slices(planned.mesh), rejection::no_price, 0, {}};
  bool found = false;
  std::size_t best = 0;
  rank_figures least{};
  for (std::size_t i = 0; i < planned.costs.size(); ++i) {
    const plan_cost& cost = planned.costs[i];
    if (!contains(request.kinds, cost.kind)) continue;
    const missed_limit missed = limit_missed(planned, cost, request);
    if (missed.why != rejection::no_price) {
      come_closer(closest, missed.why, missed.amount);
      continue;
    }
    const rank_figures value = worth(merits_of(planned, cost), request.best);
    const bool better = value[0] < least[0] || (value[0] == least[0] && value[1] < least[1]);
    if (found && !better) continue;
    found = true;
    least = value;
    best = i;
  }
  if (!found) {
    if (const maybe<provisioning> unpriced = without_price(planned, request);
        unpriced && closest.why == rejection::over_quota)
      closest = {planned.where, slices(planned.mesh), rejection::no_price, 0, name(*unpriced)};
    return closest;
  }
  pay_with(planned, best, request);
  return nothing;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
