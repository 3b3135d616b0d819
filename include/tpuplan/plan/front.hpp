#ifndef TPUPLAN_PLAN_FRONT_HPP
#define TPUPLAN_PLAN_FRONT_HPP

#include <cstddef>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/plan/pricing.hpp>
#include <tpuplan/plan/search.hpp>
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
    for (plan_cost& cost : planned.costs) cost.on_front = contains(front, static_cast<const plan_cost*>(&cost));
    planned.on_front = chosen_cost(planned).on_front;
  }
}

inline void rank_plans(std::vector<plan>& plans, const plan_request& request) {
  rank(plans, [&](const plan& planned) {
    const merits of = merits_of(planned, chosen_cost(planned));
    return rank_key{worth(of, request.best), of.chips, plan_name(planned)};
  });
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
