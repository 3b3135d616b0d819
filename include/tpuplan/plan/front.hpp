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

/// The costs of all plans that the request allows, sorted by wall time and then by dollars.
inline std::vector<const plan_cost*> costs_by_time(const std::vector<plan>& plans, const plan_request& request) {
  std::vector<const plan_cost*> costs, sorted;
  for (const plan& planned : plans) {
    for (const plan_cost& cost : planned.costs) {
      if (is_allowed(planned, cost, request)) costs.push_back(&cost);
    }
  }
  const auto before = [&](std::size_t a, std::size_t b) {
    return costs[a]->wall != costs[b]->wall ? costs[a]->wall < costs[b]->wall : costs[a]->total < costs[b]->total;
  };
  for (const std::size_t place : order_of(costs.size(), before)) sorted.push_back(costs[place]);
  return sorted;
}

/// The front of time and dollars: the allowed ways of paying for any plan that none is both faster and cheaper than.
/// One pass in order of time.
inline std::vector<const plan_cost*> front_of(const std::vector<plan>& plans, const plan_request& request) {
  std::vector<const plan_cost*> front;
  for (const plan_cost* cost : costs_by_time(plans, request)) {
    const bool equal = !front.empty() && cost->wall == front.back()->wall && cost->total == front.back()->total;
    if (front.empty() || equal || cost->total < front.back()->total) front.push_back(cost);
  }
  return front;
}

/// Marks the ways of paying that are on the front, and the plans whose chosen one is. A plan may be on it under another
/// way than the one chosen, which is the best for what plans are ranked by.
inline void mark_front(std::vector<plan>& plans, const plan_request& request) {
  const std::vector<const plan_cost*> front = front_of(plans, request);
  for (plan& planned : plans) {
    for (plan_cost& cost : planned.costs) {
      cost.on_front = false;
      for (const plan_cost* each : front) cost.on_front = cost.on_front || each == &cost;
    }
    planned.on_front = chosen_cost(planned).on_front;
  }
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
    for (; i > 0; --i) std::swap(plans[i], plans[i - 1]);
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

/// The plan among whose ways of paying this one is.
inline const plan& plan_with(const std::vector<plan>& plans, const plan_cost* paid) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < plans.size(); ++i)
    for (const plan_cost& cost : plans[i].costs)
      if (&cost == paid) at = i;
  return plans[at];
}

/// Keeps the plans on the front and the best `most_plans`; rejects every other plan, naming the one that dominates it:
/// the cheapest of all that take no longer.
inline void keep_best(plan_answer& answer, const plan_request& request) {
  const std::vector<plan> rest = take_rest(answer.plans, request.most_plans, [](const plan& other) {
    bool on_front = false;
    for (const plan_cost& cost : other.costs) on_front = on_front || cost.on_front;
    return on_front;
  });
  const std::vector<const plan_cost*> costs = costs_by_time(answer.plans, request);
  std::vector<std::size_t> least;  // of all costs up to each: the place of the least
  for (std::size_t i = 0; i < costs.size(); ++i) {
    least.push_back(i == 0 || costs[i]->total < costs[least.back()]->total ? i : least.back());
  }
  for (const plan& planned : rest) {
    rejected_slice lost{planned.where, slices(planned.mesh), rejection::dominated, 0, {}};
    const plan_cost& own = chosen_cost(planned);
    std::size_t no_slower = 0;
    for (std::size_t left = costs.size(); left > 0;) {
      const std::size_t half = left / 2;
      if (costs[no_slower + half]->wall <= own.wall) {
        no_slower += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    const plan_cost* best = no_slower > 0 ? costs[least[no_slower - 1]] : &own;
    if (best != &own && best->total <= own.total) {
      lost.by = plan_name(plan_with(answer.plans, best));
      lost.amount = (own.total - best->total).value();
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
      front.push_back(planned);
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
      all.push_back(planned);
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
