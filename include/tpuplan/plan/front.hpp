#ifndef TPUPLAN_PLAN_FRONT_HPP
#define TPUPLAN_PLAN_FRONT_HPP

#include <cstddef>
#include <tpuplan/estimate/training/published_layouts.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/plan/pricing.hpp>
#include <tpuplan/plan/search.hpp>
#include <utility>
#include <vector>

/// @file
/// The front of time and dollars, over slices and ways of paying.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Ways of paying by the places of their plans, and of them in these.
struct cost_places {
  std::vector<std::size_t> plan{}, cost{};

  [[nodiscard]] const plan_cost& at(const std::vector<tpuplan::plan>& plans, std::size_t i) const {
    return plans[plan[i]].costs[cost[i]];
  }
};

/// The costs of all plans that the request allows, sorted by wall time and then by dollars.
inline cost_places costs_by_time(const std::vector<plan>& plans, const plan_request& request) {
  cost_places found, sorted;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (std::size_t j = 0; j < plans[i].costs.size(); ++j) {
      if (is_allowed(plans[i], plans[i].costs[j], request)) found.plan.push_back(i), found.cost.push_back(j);
    }
  }
  const auto before = [&](std::size_t a, std::size_t b) {
    const plan_cost &one = found.at(plans, a), &other = found.at(plans, b);
    return one.wall != other.wall ? one.wall < other.wall : one.total < other.total;
  };
  for (const std::size_t place : order_of(found.plan.size(), before))
    sorted.plan.push_back(found.plan[place]), sorted.cost.push_back(found.cost[place]);
  return sorted;
}

/// Marks the ways of paying that are on the front of time and dollars, those that none is both faster and cheaper than
/// (one pass in order of time), and the plans whose chosen one is. A plan may be on it under another way than the one
/// chosen, which is the best for what plans are ranked by.
inline void mark_front(std::vector<plan>& plans, const plan_request& request) {
  for (plan& planned : plans) {
    for (plan_cost& cost : planned.costs) cost.on_front = false;
  }
  const cost_places costs = costs_by_time(plans, request);
  const plan_cost* last = nullptr;
  for (std::size_t i = 0; i < costs.plan.size(); ++i) {
    plan_cost& cost = plans[costs.plan[i]].costs[costs.cost[i]];
    const bool equal = last != nullptr && cost.wall == last->wall && cost.total == last->total;
    if (last == nullptr || equal || cost.total < last->total) cost.on_front = true, last = &cost;
  }
  for (plan& planned : plans) planned.on_front = chosen_cost(planned).on_front;
}

/// Whether the figure that plans are ranked by is no better for `first` than the good end of the band of `other`.
inline bool is_within_band(const plan& first, const plan& other, objective best) {
  const plan_cost &a = chosen_cost(first), &b = chosen_cost(other);
  if (best == objective::fastest) return b.wall_low <= a.wall;
  return b.low <= a.total && (best == objective::cheapest || chips_of(first) == chips_of(other));
}

/// Puts the best plan whose layout has been run before a first one that has not (see has_been_run), where the figure of
/// the first lies within its band: no estimate says then that the untried one is better.
inline void put_tried_first(std::vector<plan>& plans, objective best) {
  if (plans.empty() || has_been_run(plans[0].mesh, plans[0].where.chip)) return;
  for (std::size_t i = 1; i < plans.size(); ++i) {
    if (!has_been_run(plans[i].mesh, plans[i].where.chip) || !is_within_band(plans[0], plans[i], best)) continue;
    std::vector<plan> ranked;
    ranked.push_back(std::move(plans[i]));
    for (std::size_t j = 0; j < plans.size(); ++j) {
      if (j != i) ranked.push_back(std::move(plans[j]));
    }
    plans.swap(ranked);
    return;
  }
}

inline void rank_plans(std::vector<plan>& plans, const plan_request& request) {
  rank(plans, [&](const plan& planned) {
    const merits of = merits_of(planned, chosen_cost(planned));
    return rank_key{worth(of, request.best), of.chips, plan_name(planned)};
  });
  put_tried_first(plans, request.best);
}

/// Keeps the plans on the front and the best `most_plans`; rejects every other plan, naming the one that dominates it:
/// the cheapest of all that take no longer.
inline void keep_best(plan_answer& answer, const plan_request& request) {
  const std::vector<plan> rest = take_rest(answer.plans, request.most_plans, [](const plan& other) {
    bool on_front = false;
    for (const plan_cost& cost : other.costs) on_front = on_front || cost.on_front;
    return on_front;
  });
  const cost_places costs = costs_by_time(answer.plans, request);
  const auto cost_of = [&](std::size_t place) -> const plan_cost& { return costs.at(answer.plans, place); };
  std::vector<std::size_t> least;  // of all costs up to each: the place of the least
  for (std::size_t i = 0; i < costs.plan.size(); ++i) {
    least.push_back(i == 0 || cost_of(i).total < cost_of(least.back()).total ? i : least.back());
  }
  for (const plan& planned : rest) {
    rejected_slice lost{planned.where, slices(planned.mesh), rejection::dominated, 0, {}};
    const plan_cost& own = chosen_cost(planned);
    std::size_t no_slower = 0;
    for (std::size_t left = costs.plan.size(); left > 0;) {
      const std::size_t half = left / 2;
      if (cost_of(no_slower + half).wall <= own.wall) {
        no_slower += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    if (no_slower > 0) {
      const std::size_t best = least[no_slower - 1];
      if (cost_of(best).total <= own.total) {
        lost.by = plan_name(answer.plans[costs.plan[best]]);
        lost.amount = (own.total - cost_of(best).total).value();
      }
    }
    answer.rejected.push_back(lost);
  }
}

}  // namespace detail

/// The front of an answer: every slice and way of paying that no other is both faster and cheaper than, one plan for
/// each, with that way chosen, best first. Worked: where on demand takes 3 days and 90 USD and spot of the same slice 4
/// days and 40 USD, the slice is there twice, whatever plans are ranked by.
[[nodiscard]] inline std::vector<plan> front_plans(const plan_answer& answer, const plan_request& request) {
  std::vector<plan> front;
  for (const plan& planned : answer.plans) {
    for (std::size_t i = 0; i < planned.costs.size(); ++i) {
      if (!planned.costs[i].on_front) continue;
      front.push_back(plan(planned));
      front.back().on_front = true;
      detail::pay_with(front.back(), i, request);
    }
  }
  detail::rank_plans(front, request);
  return front;
}

/// The plans of an answer and its front in one list, best first: slices that are on the front under another way of
/// paying than the best for what plans are ranked by are there a second time. Worked: as for front_plans.
[[nodiscard]] inline std::vector<plan> plans_and_front(const plan_answer& answer, const plan_request& request) {
  std::vector<plan> all = answer.plans;
  for (const plan& planned : answer.plans) {
    for (std::size_t i = 0; i < planned.costs.size(); ++i) {
      if (!planned.costs[i].on_front || i == planned.chosen) continue;
      all.push_back(plan(planned));
      all.back().on_front = true;
      detail::pay_with(all.back(), i, request);
    }
  }
  if (all.size() > answer.plans.size()) detail::rank_plans(all, request);
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
