#ifndef TPUPLAN_PLAN_RELAX_HPP
#define TPUPLAN_PLAN_RELAX_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tpuplan/plan/planner.hpp>
#include <vector>

/// @file
/// What a plan depends on, and, where nothing is feasible, which single limit to relax and how far.

namespace tpuplan {
inline namespace abi_0 {

/// The chosen way of paying for a plan, estimated again with one thing changed.
struct plan_sensitivity {
  usd price_down{};                          ///< total at nine tenths of the price
  usd price_up{};                            ///< at eleven tenths
  std::optional<plan_cost> twice_preempted;  ///< spot only; nothing where the run would never end
  plan_cost step_low{};                      ///< with the step time at the low end of its band
  plan_cost step_high{};                     ///< and at the high end
  std::optional<plan> twice_the_batch;       ///< the same layout; nothing where it does not divide or fit
};

/// What a plan of an answer depends on: every figure is estimated again. Worked: price_up / price_down is 11 / 9.
[[nodiscard]] inline plan_sensitivity sensitivity_of(const plan& p, const plan_request& request) {
  const plan_cost& now = chosen_cost(p);
  plan_sensitivity s;
  const auto at = [&](const plan& changed, double price, const payment_terms& terms) {
    price_row row = now.price;
    row.per_chip *= price;
    return detail::cost_of(changed, row, terms);
  };
  s.price_down = at(p, 0.9, request.terms).total;
  s.price_up = at(p, 1.1, request.terms).total;
  if (now.kind == provisioning::spot) {
    payment_terms worse = request.terms;
    worse.spot.mean_time_between_preemptions /= 2;
    s.twice_preempted = detail::possible_cost(p, now.price, worse);
  }
  plan changed = p;
  changed.run = p.step.low * p.steps;
  s.step_low = at(changed, 1, request.terms);
  changed.run = p.step.high * p.steps;
  s.step_high = at(changed, 1, request.terms);
  plan larger = p;
  larger.job.global_batch = checked_multiply(p.job.global_batch, 2);
  larger.memory = memory_use(request.model, larger.job, larger.mesh, larger.where);
  larger.fit = fits(larger.memory);
  if (larger.fit == verdict::no || (larger.fit == verdict::uncertain && !request.accept_uncertain)) return s;
  larger.step = step_time(request.model, larger.job, larger.mesh, larger.where, request.constants);
  larger.steps = math::ceil(request.tokens / static_cast<double>(tokens_per_step(larger.job)));
  larger.run = larger.step.total * larger.steps;
  larger.costs = {at(larger, 1, request.terms)};
  larger.chosen = 0;
  s.twice_the_batch = std::move(larger);
  return s;
}

/// A limit of a request.
enum class plan_limit : std::uint8_t { deadline, budget, chips, slices, quotas, kinds, generation, uncertain, batch };

/// "deadline" and so on.
[[nodiscard]] constexpr std::string_view name(plan_limit what) noexcept {
  constexpr std::string_view names[] = {"deadline", "budget",     "chips",     "slices", "quotas",
                                        "kinds",    "generation", "uncertain", "batch"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// One limit that, relaxed alone, lets a plan in: how far it was, how far it would have to be, and that plan. Seconds,
/// dollars, chips, slices, sequences; 0 where a limit is no number.
struct relaxation {
  plan_limit limit = plan_limit::deadline;  ///< the one that is relaxed
  double given = 0;                         ///< what it was
  double needed = 0;                        ///< what it would have to be
  plan nearest{};                           ///< the plan that it lets in
};

namespace detail {

/// The request without that limit, or nothing where it has none.
inline std::optional<plan_request> without(const plan_request& request, plan_limit limit) {
  plan_request r = request;
  switch (limit) {
    case plan_limit::deadline:
      if (!r.deadline) return std::nullopt;
      r.deadline.reset();
      r.best = objective::fastest;
      return r;
    case plan_limit::budget:
      if (!r.budget) return std::nullopt;
      r.budget.reset();
      r.best = objective::cheapest;
      return r;
    case plan_limit::chips:
      r.largest_chips = std::int64_t{1} << 20;
      r.best = objective::fewest_chips;
      return r;
    case plan_limit::slices:
      r.largest_slices = std::min<std::int64_t>(64, 4 * r.largest_slices);
      r.best = objective::fewest_chips;
      return r;
    case plan_limit::quotas:
      if (r.quotas.empty()) return std::nullopt;
      r.quotas.clear();
      r.best = objective::fewest_chips;
      return r;
    case plan_limit::kinds: r.kinds.assign(all_provisioning.begin(), all_provisioning.end()); return r;
    case plan_limit::generation:
      if (r.generations.empty()) return std::nullopt;
      r.generations.clear();
      return r;
    case plan_limit::uncertain:
      if (r.accept_uncertain) return std::nullopt;
      r.accept_uncertain = true;
      return r;
    case plan_limit::batch: break;
  }
  if (r.largest_batch_tokens > 0 || r.job.global_batch < 2) return std::nullopt;
  // Every smaller batch down to a 64th, by halves; the largest that works is the nearest.
  return r;
}

/// The nearest smaller batch with a plan.
inline std::optional<relaxation> smaller_batch(plan_request request) {
  const std::int64_t given = request.job.global_batch;
  for (int halving = 0; halving < 6 && request.job.global_batch % 2 == 0; ++halving) {
    request.job.global_batch /= 2;
    plan_answer answer = make_plan(request);
    if (answer.plans.empty()) continue;
    return relaxation{plan_limit::batch, static_cast<double>(given), static_cast<double>(request.job.global_batch),
                      std::move(answer.plans.front())};
  }
  return std::nullopt;
}

inline void fill_amounts(relaxation& r, const plan_request& request) {
  const plan_cost& cost = chosen_cost(r.nearest);
  switch (r.limit) {
    case plan_limit::deadline: r.given = request.deadline->value(), r.needed = cost.wall.value(); break;
    case plan_limit::budget: r.given = request.budget->value(), r.needed = cost.total.value(); break;
    case plan_limit::chips:
    case plan_limit::quotas:
      r.given = r.limit == plan_limit::chips ? static_cast<double>(request.largest_chips) : 0;
      r.needed = static_cast<double>(checked_multiply(chips(r.nearest.where), slices(r.nearest.mesh)));
      break;
    case plan_limit::slices:
      r.given = static_cast<double>(request.largest_slices);
      r.needed = static_cast<double>(slices(r.nearest.mesh));
      break;
    case plan_limit::kinds:
    case plan_limit::generation:
    case plan_limit::uncertain:
    case plan_limit::batch: break;
  }
}

}  // namespace detail

/// Where a request has no plan: every limit that, relaxed by itself, gives it one, with the nearest plan. Empty where
/// no single one is enough. Worked: a deadline of an hour for 10^12 tokens needs the fastest plan's time
/// (tests/unit/relax.cpp).
[[nodiscard]] inline std::vector<relaxation> relaxations(const plan_request& request) {
  std::vector<relaxation> list;
  for (const plan_limit limit :
       {plan_limit::deadline, plan_limit::budget, plan_limit::chips, plan_limit::slices, plan_limit::quotas,
        plan_limit::kinds, plan_limit::generation, plan_limit::uncertain}) {
    const std::optional<plan_request> relaxed = detail::without(request, limit);
    if (!relaxed) continue;
    plan_answer answer = make_plan(*relaxed);
    if (answer.plans.empty()) continue;
    list.push_back({limit, 0, 0, std::move(answer.plans.front())});
    detail::fill_amounts(list.back(), request);
  }
  if (const std::optional<plan_request> batch = detail::without(request, plan_limit::batch)) {
    if (std::optional<relaxation> smaller = detail::smaller_batch(*batch)) list.push_back(std::move(*smaller));
  }
  return list;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
