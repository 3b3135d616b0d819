#ifndef TPUPLAN_PLAN_CANDIDATE_HPP
#define TPUPLAN_PLAN_CANDIDATE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/estimate/training/sums.hpp>

/// @file
/// The time of a step and its memory for very many candidates: what `step_time(...).total` and `memory_use(...)` say.
/// The terms of the estimates are evaluated once for each thing that they depend on:
///
///   level           once for each                    holds
///   hoisted_job     model, job, policies, constants  the question and its sizes
///   hoisted_tensor  chip, tensor degree              work and bytes of a token, for each policy
///   hoisted_layout  slice, layout, batch             the layout's terms, bytes that do not depend on tokens
///   evaluate        microbatches, policy             forty operations, no call

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The most policies that a job is hoisted with.
inline constexpr std::size_t most_policies = 16;

/// Model, job and policies. The job's `remat`, `gradient_accumulation` and `global_batch` are not used.
struct hoisted_job {
  transformer model{};
  training_job job{};
  std::array<remat_policy, most_policies> policies{};
  std::size_t count = 0;
  calibration constants{};
  training_sizes sizes{};
};

/// A number of bytes for each of memory_low, memory_point and memory_high.
using each_estimate = std::array<bytes, 3>;

/// What a policy costs on one chip under one tensor degree.
struct hoisted_policy {
  work_sums work{};
  each_estimate logits{};  ///< bytes for each token of a microbatch at the end of the forward pass
  each_estimate layer{};   ///< bytes for each token of a microbatch in the backward pass of a layer
  bytes host{};            ///< bytes for each token of a microbatch on the host
};

/// Bytes of the stages that do not depend on the tokens of a microbatch.
struct fixed_stages {
  each_estimate logits{};
  each_estimate layer{};
  each_estimate routed{};  ///< for each token of a microbatch; the policy does not matter
  bytes update{};
};

/// A chip under a tensor degree. It refers to its job, which has to live as long.
struct hoisted_tensor {
  const hoisted_job* from = nullptr;
  std::int64_t degree = 1;
  double most_over = 1;  ///< see most_over_dense
  std::array<hoisted_policy, most_policies> policies{};
  hoisted_policy least{};                ///< the least of each number over the policies
  std::array<memory_terms, 3> memory{};  ///< under each estimate; what is fixed does not depend on the policy
};

/// A layout on a slice with a batch. It refers to its hoisted_tensor, which has to live as long.
struct hoisted_layout {
  const hoisted_tensor* from = nullptr;
  layout_terms at{};  ///< with runs of the caller's own, `software` is the least over the policies
  std::array<double, most_policies> software{};  ///< of each policy, where there are runs of the caller's own
  double tokens_on_device = 0;                   ///< in a step
  std::array<fixed_stages, 2> memory{};          ///< of a step of one microbatch, and of several
  bytes state_on_host{};                         ///< of a device
};

/// Bytes for a device: `memory_use(...).low`, `.total`, `.high` and `.on_host`.
struct candidate_bytes {
  bytes low{}, total{}, high{};
  bytes on_host{};
};

/// A candidate: `step_time(...).total`, and its bytes.
struct candidate {
  seconds time{};
  candidate_bytes on_device{};
};

/// The job with policies to choose from, 1 to 16. Throws for invalid models and for what `step_time` cannot train.
constexpr hoisted_job hoist(const transformer& model, const training_job& job, const remat_policy* policies,
                            std::size_t count, const calibration& constants = default_calibration) {
  if (count < 1 || count > most_policies)
    fail(errc::out_of_range, "number of policies", static_cast<std::int64_t>(count), "1 to 16");
  hoisted_job result{model, job, {}, count, constants, {}};
  for (std::size_t i = 0; i < count; ++i) result.policies[i] = policies[i];
  result.job.global_batch = 1;
  result.job.gradient_accumulation = 1;
  validate(result.model);
  validate(result.job);
  validate(constants);
  result.sizes = sizes_of(result.model, result.job, constants);
  return result;
}

constexpr void keep_least(hoisted_policy& least, const hoisted_policy& policy) noexcept {
  work_sums& a = least.work;
  const work_sums& b = policy.work;
  a.per_token = min(a.per_token, b.per_token);
  a.per_microbatch = min(a.per_microbatch, b.per_microbatch);
  a.weight_reads = min(a.weight_reads, b.weight_reads);
  a.attention = min(a.attention, b.attention);
  a.dispatch = min(a.dispatch, b.dispatch);
  a.to_host = min(a.to_host, b.to_host);
  a.least = min(a.least, b.least);
  a.kept = min(a.kept, b.kept);
  a.forward = a.forward > b.forward ? a.forward : b.forward;  // the nearer to half, the more is hidden
  a.least_reads = a.least_reads < b.least_reads ? a.least_reads : b.least_reads;
  a.tensor_passes = a.tensor_passes < b.tensor_passes ? a.tensor_passes : b.tensor_passes;
  a.expert_passes = a.expert_passes < b.expert_passes ? a.expert_passes : b.expert_passes;
  for (std::size_t i = 0; i < 3; ++i) {
    least.logits[i] = min(least.logits[i], policy.logits[i]);
    least.layer[i] = min(least.layer[i], policy.layer[i]);
  }
  least.host = min(least.host, policy.host);
}

/// The policy's bytes of the stages of which the tensor degree has all that no policy changes.
constexpr void add_memory(hoisted_policy& policy, const hoisted_tensor& of, const policy_widths& kept,
                          const remat_policy& remat) {
  constexpr memory_calibration estimates[] = {memory_low, memory_point, memory_high};
  const hoisted_job& question = *of.from;
  for (std::size_t k = 0; k < 3; ++k) {
    const policy_bytes own =
        policy_bytes_of(kept, question.sizes, question.model, question.job, remat, of.degree, estimates[k]);
    stage_terms logits = of.memory[k][0], layer = of.memory[k][1];
    logits.activations = own.activations;
    layer.activations = own.in_layer;
    layer.workspace = own.workspace;
    policy.logits[k] = bytes_per_token(logits);
    policy.layer[k] = bytes_per_token(layer);
  }
}

/// The job on a chip under a tensor degree. Throws where a rate that the job needs is unknown.
constexpr hoisted_tensor hoist(const hoisted_job& of, const chip_spec& chip, std::int64_t tensor) {
  constexpr memory_calibration estimates[] = {memory_low, memory_point, memory_high};
  const auto ways = static_cast<double>(positive_count("layout.tensor", tensor));
  hoisted_tensor result;
  result.from = &of;
  result.degree = tensor;
  result.most_over = most_over(of.model);
  const memory_basis basis = memory_basis_of(of.sizes, of.model, of.job, tensor);
  for (std::size_t k = 0; k < 3; ++k)
    result.memory[k] = memory_terms_of_valid(basis, {}, of.sizes, of.model, of.job, tensor, estimates[k]);
  const products_on_device products = products_of(of.sizes, of.model, of.job, chip, ways, of.constants);
  training_job job = of.job;
  for (std::size_t i = 0; i < of.count; ++i) {
    job.remat = of.policies[i];
    hoisted_policy& policy = result.policies[i];
    policy.work = sum_of(work_terms_of_valid(products, of.sizes, of.model, job, chip, ways, of.constants));
    add_memory(policy, result, policy_widths_of(of.model, of.sizes.in_memory, job.remat), job.remat);
    policy.host = host_bytes_per_token(of.sizes, job);
    if (i == 0) result.least = policy;
    keep_least(result.least, policy);
  }
  return result;
}
hoisted_tensor hoist(const hoisted_job&&, const chip_spec&, std::int64_t) = delete;

/// The terms of a layout, with the least `software` over the policies. It differs between them only where runs of the
/// caller's own tell policies apart: then `each` is that of each.
constexpr layout_terms terms_of_all(const hoisted_job& question, training_job job, const layout& mesh,
                                    const slice& where, std::array<double, most_policies>& each) {
  const bool has_own = question.constants.own.count > 0;
  if (has_own) job.remat = question.policies[0];
  layout_terms terms = terms_of_valid(question.sizes, question.model, job, mesh, where, question.constants);
  if (!has_own) return terms;
  const calibration& constants = question.constants;
  const auto own_of = [&](std::size_t policy) {
    job.remat = question.policies[policy];
    return own_factor(constants.own, training_spreads,
                      training_features(question.sizes, question.model, job, mesh, where));
  };
  const double without = terms.software / own_of(0);
  each[0] = terms.software;
  for (std::size_t i = 1; i < question.count; ++i) {
    each[i] = without * own_of(i);
    if (each[i] < terms.software) terms.software = each[i];
  }
  return terms;
}

/// A layout whose tensor degree and chip are those of `of`, and which is valid for model, slice and batch. Throws where
/// a rate that it needs is unknown.
constexpr hoisted_layout hoist(const hoisted_tensor& of, const slice& where, const layout& mesh,
                               std::int64_t global_batch) {
  const hoisted_job& question = *of.from;
  training_job job = question.job;
  job.global_batch = global_batch;
  hoisted_layout result;
  result.from = &of;
  result.at = terms_of_all(question, job, mesh, where, result.software);
  const memory_layout at = memory_layout_of_valid(question.model, job, mesh, where);
  result.tokens_on_device = at.tokens;
  result.state_on_host = host_state_bytes(question.sizes, question.job) / at.weight_shards;
  for (const bool several : {false, true}) {
    fixed_stages& fixed = result.memory[several ? 1 : 0];
    for (std::size_t k = 0; k < 3; ++k) {
      fixed.logits[k] = fixed_bytes(of.memory[k][0], at, several);
      fixed.layer[k] = fixed_bytes(of.memory[k][1], at, several);
      fixed.routed[k] = routed_bytes_per_token(of.memory[k][1], at);
    }
    fixed.update = fixed_bytes(of.memory[1][2], at, several);
  }
  return result;
}
hoisted_layout hoist(const hoisted_tensor&&, const slice&, const layout&, std::int64_t) = delete;

/// Bytes on a device under one of the three estimates: those of the stage that needs most.
constexpr bytes bytes_with(const fixed_stages& fixed, const hoisted_policy& policy, double tokens,
                           std::size_t estimate) noexcept {
  const bytes logits = fixed.logits[estimate] + tokens * policy.logits[estimate];
  const bytes layer = fixed.layer[estimate] + tokens * (policy.layer[estimate] + fixed.routed[estimate]);
  return max(max(logits, layer), fixed.update);
}

/// The time of a step: `step_time(...).total`.
constexpr seconds time_of(const hoisted_layout& of, std::int64_t accumulation, std::size_t policy) noexcept {
  const work_sums& work = of.from->policies[policy].work;
  const auto microbatches = static_cast<double>(accumulation);
  if (!(of.software[policy] > 0)) return tpuplan::time_of(work, of.at, microbatches);
  layout_terms at = of.at;
  at.software = of.software[policy];
  return tpuplan::time_of(work, at, microbatches);
}

/// `memory_use(...).low`, `.total`, `.high` and `.on_host`.
constexpr candidate_bytes bytes_of(const hoisted_layout& of, std::int64_t accumulation, std::size_t policy) noexcept {
  const hoisted_policy& chosen = of.from->policies[policy];
  const fixed_stages& fixed = of.memory[accumulation > 1 ? 1 : 0];
  const double tokens = of.tokens_on_device / static_cast<double>(accumulation);
  const bytes total = bytes_with(fixed, chosen, tokens, 1);
  return {max(bytes_with(fixed, chosen, tokens, 0), total / of.from->most_over), total,
          bytes_with(fixed, chosen, tokens, 2), tokens * chosen.host + of.state_on_host};
}

/// Time and bytes of a candidate. Precondition: a policy below the job's count, and an accumulation of at least 1 that
/// divides the batch.
constexpr candidate evaluate(const hoisted_layout& of, std::int64_t accumulation, std::size_t policy) noexcept {
  return {time_of(of, accumulation, policy), bytes_of(of, accumulation, policy)};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
