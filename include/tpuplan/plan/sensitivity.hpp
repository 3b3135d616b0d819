#ifndef TPUPLAN_PLAN_SENSITIVITY_HPP
#define TPUPLAN_PLAN_SENSITIVITY_HPP

#include <optional>
#include <string_view>
#include <tpuplan/base/math.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/plan/pricing.hpp>
#include <utility>

/// @file
/// How a plan changes with price, preemptions, step time and batch.

namespace tpuplan {
inline namespace abi_0 {

/// The chosen way of paying for a plan, estimated again with one thing changed. A figure is missing where the run
/// cannot be had that way: it would never end, or not within the longest window of that way of paying.
struct plan_sensitivity {
  usd price_down{};                     ///< total at nine tenths of the price
  usd price_up{};                       ///< total at eleven tenths of the price
  maybe<plan_cost> twice_preempted;     ///< spot only
  maybe<plan_cost> step_low;            ///< with the step time at the low end of its band
  maybe<plan_cost> step_high;           ///< with the step time at the high end of its band
  std::optional<plan> twice_the_batch;  ///< the same layout; nothing also where it does not fit
};

/// How a plan of an answer depends on single figures, each estimated again. Worked: price_up / price_down is 11 / 9.
[[nodiscard]] inline plan_sensitivity sensitivity_of(const plan& planned, const plan_request& request) {
  const plan_cost& now = chosen_cost(planned);
  const std::string_view region = now.price.region.view();
  const payment_terms terms = detail::terms_of(planned, request, region);
  plan_sensitivity result;
  const auto total_at = [&](double price) {
    price_row row = now.price;
    row.per_chip *= price;
    return detail::cost_of(planned, row, terms).total;
  };
  result.price_down = total_at(0.9);
  result.price_up = total_at(1.1);
  if (now.kind == provisioning::spot) {
    payment_terms worse = terms;
    worse.spot.mean_time_between_preemptions /= 2;
    result.twice_preempted = detail::possible_cost(planned, now.price, worse);
  }
  plan changed = planned;
  const auto cost_at = [&](seconds step) {
    changed.run = step * planned.steps;
    return detail::possible_cost(changed, now.price, at_pace(terms, step / planned.step.total));
  };
  result.step_low = cost_at(planned.step.low);
  result.step_high = cost_at(planned.step.high);
  plan larger = planned;
  larger.job.global_batch = checked_multiply(planned.job.global_batch, 2);
  larger.memory = memory_use(request.model, larger.job, larger.mesh, larger.where);
  larger.fit = fits(larger.memory);
  if (larger.fit == verdict::no || (larger.fit == verdict::uncertain && !request.accept_uncertain)) return result;
  larger.step = step_time(request.model, larger.job, larger.mesh, larger.where, request.constants);
  larger.steps = math::ceil(request.tokens / static_cast<double>(tokens_per_step(larger.job)));
  larger.run = larger.step.total * larger.steps;
  const maybe<plan_cost> cost = detail::possible_cost(larger, now.price, detail::terms_of(larger, request, region));
  if (!cost) return result;
  larger.costs = {*cost};
  larger.chosen = 0;
  result.twice_the_batch = std::move(larger);
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
