#ifndef TPUPLAN_ESTIMATE_TRAINING_SUMS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_SUMS_HPP

#include <tpuplan/base/units.hpp>
#include <tpuplan/estimate/training/terms.hpp>

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
  seconds dispatch{};        ///< per token of a chip; also part of per_token
  seconds to_host{};         ///< see work_terms
  seconds least{};           ///< see work_terms
  seconds kept{};            ///< see work_terms
  double forward = 1.0 / 3;  ///< see work_terms
  double least_reads = 0;    ///< see work_terms
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
          terms.dispatch,
          terms.to_host,
          terms.least,
          terms.kept,
          terms.forward,
          terms.least_reads,
          terms.tensor_passes,
          terms.expert_passes};
}

/// What no program on these chips is faster than: the products at peak rates, the least traffic to HBM, or the least
/// traffic over all links at nominal rates, whichever takes longest; any two of them may run at the same time. Worked:
/// 1000 tokens whose products take 4 us at the peak, with 3 ms over the links in each of 2 microbatches: 6 ms.
[[nodiscard]] constexpr seconds floor_of(const work_sums& work, const layout_terms& at, double microbatches) noexcept {
  const seconds hbm = at.tokens * work.kept + work.weight_update / at.weight_shards +
                      (microbatches * at.gathered_share * work.least_reads) * work.weight_reads;
  return max(max(at.tokens * work.least, hbm), at.wires_once + microbatches * at.wires_each);
}

/// How long a step of `run` waits for what its policy keeps on the host, `way` out and as long back: all of it goes out
/// in the forward pass and comes back in the backward pass, beside the work. Worked: of 4 s, a third of them forward,
/// 1 s each way is hidden; of 2 s each way the forward pass hides 1.333 s and the backward pass all.
[[nodiscard]] constexpr seconds exposed_to_host(seconds run, seconds way, double forward) noexcept {
  return max(seconds{0}, way - forward * run) + max(seconds{0}, way - (1 - forward) * run);
}

/// The time of a step of that many microbatches, equal to `step_time(...).total`. The step waits for the exposed part
/// of its traffic, or for what the work cannot hide: work + max(exposed, whole - work) = max(work + exposed, whole).
/// Each maximum grows with all of its terms, so that the least terms of several policies give a lower bound for all of
/// them. Worked: 1000 tokens of 6 us, with 2 ms of exposed FSDP traffic in each of 2 microbatches and 50 ms once for
/// weights that are updated on 10 shards, take 6 + 4 + 5 = 15 ms.
[[nodiscard]] constexpr seconds time_of(const work_sums& work, const layout_terms& at, double microbatches) noexcept {
  const seconds on_chip =
      at.tokens * (work.per_token + at.imbalance * work.attention + (at.routed - 1) * work.dispatch) +
      work.weight_update / at.weight_shards +
      microbatches * (work.per_microbatch + at.gathered_share * work.weight_reads);
  const double hidden = at.hidden_by_work ? 1 : 0;
  const seconds base = max(on_chip + at.data.exposed + microbatches * at.fsdp.exposed,
                           hidden * (at.data.whole + microbatches * at.fsdp.whole)) +
                       work.tensor_passes * at.tensor.exposed + work.expert_passes * at.expert.exposed +
                       at.context.exposed + microbatches * at.overhead;
  const seconds run = base * (1 + detail::bubble_of(at, microbatches));
  const seconds dcn = at.dcn_once + microbatches * at.dcn_each;
  // Half of the run is the backward pass, which hides the traffic between slices.
  const seconds waited =
      max(run * (1 + at.stragglers) + at.dcn_exposed * dcn, hidden * (run * (0.5 + at.stragglers) + dcn));
  const seconds to_host = exposed_to_host(run, at.tokens * work.to_host, work.forward);
  // Products are estimated below the peak and HBM with more than the least traffic, so that without runs of one's own
  // only the links can make the floor longer.
  return max((waited + at.host_exposed * (at.host_once + microbatches * at.host_each) + to_host) * at.software,
             at.software < 1 ? floor_of(work, at, microbatches) : at.wires_once + microbatches * at.wires_each);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
