#ifndef TPUPLAN_ASK_ADAPTERS_HPP
#define TPUPLAN_ASK_ADAPTERS_HPP

#include <cstdint>
#include <optional>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/replica.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <utility>

/// @file
/// Low-rank adapters on one base: what they take of memory and of the rate.

namespace tpuplan {
inline namespace abi_0 {

/// Adapters on the chips.
struct adapter_answer {
  /// @{
  /// What they take on each device, and with them the rate of output tokens, of `serve` alone, and the requests a
  /// second that all slices can serve, at the ends of what was published.
  bytes each_device{};
  per_second output_tokens_low{}, output_tokens_high{};
  per_second capacity_low{}, capacity_high{};
  /// @}
};

namespace detail {
/// What adapters take of the throughput: 8.4 to 23.9 % of Llama 3.1 8B on one v6e, over lengths of prompts and outputs
/// (vllm-project/vllm#15655, 2025). It is the only published series of TPUs.
inline constexpr double least_slowed = 0.084, most_slowed = 0.239;

/// Puts the adapters beside the weights: the first matrix of each, half of its parameters, on every device, the second
/// cut like the weights (vllm/config/lora.py, fully_sharded_loras: off by itself). False where there are none.
inline bool hold_adapters(const transformer& model, std::int64_t adapters, std::int64_t rank, serving_job& job) {
  check_count("adapters", adapters, 100000, "0 to 100000");
  check_count("adapter_rank", rank, 4096, "0 to 4096");
  if ((adapters > 0) != (rank > 0))
    fail(errc::missing_field, adapters > 0 ? "adapter_rank" : "adapters", "missing", "both, or neither");
  if (adapters == 0) return false;
  if (model.kind != architecture::decoder) fail(errc::unsupported, "adapters", adapters, "none but of a decoder");
  if (has_experts(model) || has_latent_attention(model) || has_recurrence(model))
    fail(errc::unsupported, "adapters", adapters, "0: of experts, latent attention and recurrences none are modelled");
  const std::int64_t each = lora_parameters(model, rank, {true, true, true, true, true, true, true});
  const bytes half = static_cast<double>(checked_multiply(each, adapters)) * 1_B;  // two bytes a parameter
  job.beside += half;
  job.shared_beside += half;
  return true;
}

/// What adapters take of each device of a replica.
inline adapter_answer adapters_of(const serving_job& job, const serving_layout& mesh, const slice& where) {
  adapter_answer held;
  held.each_device = job.beside + job.shared_beside / replica_of(mesh, where).devices;
  return held;
}

/// The requests a second with them, of so many without.
inline void slow_capacity(adapter_answer& held, per_second capacity) {
  held.capacity_low = capacity * (1 - most_slowed);
  held.capacity_high = capacity * (1 - least_slowed);
}

/// How many times as long steps take at most.
inline double most_slower(const serving_job& job) { return job.shared_beside.value() > 0 ? 1 / (1 - most_slowed) : 1; }

/// Whether targets that are kept until steps take `slowdown` times as long are kept with them too.
inline bool are_kept_with_adapters(const serving_job& job, const std::optional<double>& slowdown) {
  return !slowdown || *slowdown >= most_slower(job);
}

/// The estimate, refused where not even the least that adapters take leaves the rate of the job.
inline serving_estimate held_with_adapters(const serving_estimate& estimate, const serving_job& job) {
  const per_second most = estimate.capacity * (1 - least_slowed);
  if (estimate.refusal != serving_refusal::none || !(job.request_rate >= most)) return estimate;
  serving_estimate refused;
  refused.refusal = serving_refusal::rate_above_capacity;
  refused.capacity = most, refused.replicas = estimate.replicas, refused.largest_running = estimate.largest_running;
  refused.memory = estimate.memory, refused.fit = estimate.fit;
  return refused;
}

/// What is taken of them.
inline constexpr std::pair<const char*, const char*> assumed_adapters{
    "adapters",
    "on every matrix of attention and MLP, in bf16, the first half of each on every device, the second cut as the "
    "weights are; times and rates are those of "
    "the base, targets of plans and chances hold with steps that take 1.31 times as long, the most that was published"};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::adapter_answer, each_device, output_tokens_low, output_tokens_high, capacity_low, capacity_high)

#endif
