#ifndef TPUPLAN_ASK_PLAN_SPLIT_HPP
#define TPUPLAN_ASK_PLAN_SPLIT_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tpuplan/ask/plan_traffic.hpp>
#include <utility>

/// @file
/// Whether prompts should be computed on slices of their own: what simulate answers of the slices of a plan.

namespace tpuplan {
inline namespace abi_0 {

/// The slices of a plan as two pools, beside as many that do both.
struct planned_split {
  /// @{
  /// The fewest slices that keep the targets when split, or those of the plan where no fewer do.
  std::int64_t slices = 0;
  split_answer split{};        ///< the pools, and the same requests to as many slices that do both
  simulation_report report{};  ///< of the pools
  bool keeps_targets = false;  ///< of the pools, means too; and they serve as many requests as come
  /// @}
};

namespace detail {

/// Whether the slices of a plan may be simulated as two pools: of a decoder at a rate of requests, without adapters,
/// and without spare slices, of which each pool would need its own.
[[nodiscard]] inline bool may_split(const serving_request& request, const serving_plan& planned) {
  const serving_job& job = request.job;
  return planned.slices > 1 && planned.spare == 0 && request.model.kind == architecture::decoder &&
         job.request_rate.value() > 0 && request.capacity_taken == 0 &&
         published_transfer(planned.where.chip).has_value();
}

/// What simulate answers of slices of a plan as two pools; nothing where that takes more of the steps than are left.
[[nodiscard]] inline std::optional<planned_split> split_into(const serving_request& request, const serving_job& asked,
                                                             const serving_plan& planned, std::int64_t slices,
                                                             double& left) {
  const double of_a_slice = (asked.output.mean / std::max(1.0, planned.estimate.running) + 8) *
                            static_cast<double>(planning_requests_of(asked)) *
                            static_cast<double>(planned.estimate.replicas);
  left -= of_a_slice * static_cast<double>(slices);
  if (left < 0) return std::nullopt;
  simulate_request one = simulation_of(request, asked, planned.where, planned.mesh, 1);
  one.split_slices = slices;
  try {
    asked_simulation simulation(request.model, one);
    simulate_answer answer = simulation.answer();
    const auto within = [](seconds mean, seconds target) { return target.value() == 0 || mean <= target; };
    const bool keeps = answer.meets_targets && !simulation.falls_behind() &&
                       within(answer.report.first_token.value.mean, asked.ttft_target) &&
                       within(answer.report.per_token.value.mean, asked.tpot_target);
    answer.split->pays = answer.split->pays && keeps;
    return planned_split{slices, std::move(*answer.split), std::move(answer.report), keeps};
  } catch (const error& refusal) {
    if (refusal.code() != errc::infeasible && refusal.code() != errc::out_of_range) throw;
    return left = -1, std::nullopt;
  }
}

/// The fewest slices of a plan that keep its targets by percentile as two pools: from those that serve as much by the
/// closed form on, an eighth more at a time, then the gap is halved. With other targets or none all of its slices, and
/// also where no fewer do. Nothing where the plan has one slice, its chip no published rate of caches, or the search
/// takes more steps than one answer may.
[[nodiscard]] inline std::optional<planned_split> split_of(const serving_request& request, const serving_job& asked,
                                                           const serving_plan& planned) {
  double left = 5e7;  // some second
  if (!may_split(request, planned)) return std::nullopt;
  const std::int64_t all = planned.slices;
  const auto split = [&](std::int64_t slices) { return split_into(request, asked, planned, slices, left); };
  const bool by_means = asked.ttft_target.value() > 0 || asked.tpot_target.value() > 0;
  if (by_means || !any_target(asked.percentiles)) return split(all);
  const serving_fleet fleet{planned.mesh, planned.where};
  const bytes_per_second rate = published_transfer(planned.where.chip)->rate;
  const split_rates each = split_rates_of(request.model, planned.share, fleet, rate, request.constants);
  const double needed = request.job.request_rate / each.prefill + request.job.request_rate / each.decode;
  std::int64_t slices = std::max<std::int64_t>(2, std::min(all, ceil_to_count(needed))), low = slices - 1;
  std::optional<planned_split> best = split(slices);
  while (best && !best->keeps_targets && slices < all) {
    low = slices;
    slices = std::min(all, slices + ceil_div(slices, 8));
    best = split(slices);
  }
  while (best && best->keeps_targets && best->slices - low > 1) {
    const std::int64_t middle = low + (best->slices - low) / 2;
    std::optional<planned_split> fewer = split(middle);
    if (!fewer) break;
    if (fewer->keeps_targets)
      best = std::move(fewer);
    else
      low = middle;
  }
  return best;
}

}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::planned_split, slices, split, report, keeps_targets)

#endif
