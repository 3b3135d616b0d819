#ifndef TPUPLAN_ESTIMATE_TRAINING_SUMS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_SUMS_HPP

#include <tpuplan/estimate/training/terms.hpp>
#include <tpuplan/units.hpp>

/// @file
/// The terms of a step added up, for callers (the planner) that need the total time of very many steps, without parts.

namespace tpuplan {
inline namespace abi_0 {

/// The work terms added up by what they grow with; the time of a step depends only on these sums.
struct work_sums {
  seconds per_token{};       ///< per token of a chip
  seconds per_microbatch{};  ///< per microbatch: traffic of products' weights
  seconds weight_reads{};    ///< see work_terms
  seconds weight_update{};   ///< see work_terms
  seconds attention{};       ///< per token of a chip; also part of per_token
  double tensor_passes = 1;  ///< see work_terms
  double expert_passes = 1;  ///< see work_terms
};

/// The sums of the terms of one chip. Worked: dense products of 1 us, logits of 2 us and attention of 3 us per token
/// are 6 us per token, of which attention is 3 us.
[[nodiscard]] constexpr work_sums sum_of(const work_terms& terms) noexcept {
  return {terms.dense_products + terms.expert_products + terms.logits + terms.attention + terms.vision +
              terms.elementwise + terms.scores + terms.operands + terms.dispatch,
          terms.operand_weights,
          terms.weight_reads,
          terms.weight_update,
          terms.attention,
          terms.tensor_passes,
          terms.expert_passes};
}

/// The time of a step of that many microbatches, equal to `step_time(...).total`. The step waits for the exposed part
/// of its traffic, or for what the work cannot hide: work + max(exposed, whole - work) = max(work + exposed, whole).
/// Each maximum grows with all of its terms, so that the least terms of several policies give a lower bound for all of
/// them. Worked: 1000 tokens of 6 us, with 2 ms of exposed FSDP traffic in each of 2 microbatches and 50 ms once for
/// weights that are updated on 10 shards, take 6 + 4 + 5 = 15 ms.
[[nodiscard]] constexpr seconds time_of(const work_sums& work, const layout_terms& at, double microbatches) noexcept {
  const seconds on_chip = at.tokens * (work.per_token + at.imbalance * work.attention) +
                          work.weight_update / at.weight_shards +
                          microbatches * (work.per_microbatch + at.gathered_share * work.weight_reads);
  const double hidden = at.hidden_by_work ? 1 : 0;
  const seconds base = max(on_chip + at.data.exposed + microbatches * at.fsdp.exposed,
                           hidden * (at.data.whole + microbatches * at.fsdp.whole)) +
                       work.tensor_passes * at.tensor.exposed + work.expert_passes * at.expert.exposed +
                       at.context.exposed + microbatches * at.overhead;
  const seconds run = base * (1 + at.bubble);
  const seconds dcn = at.dcn_once + microbatches * at.dcn_each;
  // Half of the run is the backward pass, which hides the traffic between slices.
  const seconds waited = max(run * (1 + at.jitter) + at.dcn_exposed * dcn, hidden * (run * (0.5 + at.jitter) + dcn));
  return (waited + at.host_exposed * (at.host_once + microbatches * at.host_each)) * at.software;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
