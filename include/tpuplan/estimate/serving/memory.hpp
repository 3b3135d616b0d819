#ifndef TPUPLAN_ESTIMATE_SERVING_MEMORY_HPP
#define TPUPLAN_ESTIMATE_SERVING_MEMORY_HPP

#include <cstdint>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/estimate/serving/prefill.hpp>
#include <tpuplan/estimate/serving/queueing.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/widths.hpp>

/// @file
/// HBM that serving takes on one JAX device, and how many sequences can run in what is left.

namespace tpuplan {
inline namespace abi_0 {

/// Bytes on one device; weights + cache + workspace = total. Of an encoder there is no cache, and the workspace has
/// what a step makes of its tokens.
struct serving_memory {
  bytes weights{};    ///< weights, those of a model that drafts, what lies beside them, and their padding
  bytes cache{};      ///< keys and values of the running sequences, those of a draft and copies included
  bytes workspace{};  ///< compiled programs and their buffers
  bytes total{};      ///< of all parts
  bytes low{};        ///< low end: no padding, no workspace
  bytes high{};       ///< high end: twice the usual padding and workspace
  bytes usable{};     ///< what XLA lets a program use on the device
};

/// `yes` where even the high estimate is below 97 % of what is usable; `no` where the low one is above all of it.
/// Worked: of 100 B that are usable, a high estimate of 96.9 B is `yes`, one of 97 B `uncertain`, and a low one of
/// 100.1 B `no`.
[[nodiscard]] constexpr verdict fits(const serving_memory& memory) noexcept {
  if (memory.high < safe_share * memory.usable) return verdict::yes;
  return memory.low > memory.usable ? verdict::no : verdict::uncertain;
}

namespace detail {

/// Padding adds 2 % to weights, and compiled programs take 1 GiB: both set by hand from published serving records.
inline constexpr double weight_padding = 0.02;
inline constexpr bytes program_memory{1073741824.0};

constexpr bytes weights_per_device(const served_model& served, const serving_job& job) {
  const bytes drafts{2 * static_cast<double>(job.speculation.parameters)};
  return size_of(job.weights) * (served.held / served.on.devices) + job.beside +
         (job.shared_beside + drafts) / served.on.devices;
}

/// Bytes that the engine's share of a device leaves for keys and values; negative where weights do not fit.
constexpr bytes cache_room(const served_model& served, const serving_job& job, const slice& where) {
  return job.memory_fraction * usable_hbm_per_device(where.chip) -
         (1 + weight_padding) * weights_per_device(served, job) - program_memory;
}

/// Bytes on each device, copies included, of a sequence whose keys, values and states take `cache` bytes in all.
constexpr bytes on_device(const served_model& served, bytes cache) {
  const bytes state = min(served.state, cache);
  return (cache - state) * (served.cache_copies / served.on.devices) +
         state * (served.state_copies / served.on.devices);
}

/// Bytes on each device that has a part of one such sequence.
constexpr bytes on_holder(const served_model& served, bytes cache) { return served.holders * on_device(served, cache); }

/// Sequences of which none shares a block that take as much as so many; a group holds its prefix once.
constexpr double whole_sequences(const serving_job& job, double running) {
  const auto groups = static_cast<double>(job.prefix_groups);
  if (job.shared_prefix == 0 || running <= groups) return running;
  return running - (running - groups) * shared_blocks(job);
}

/// Sequences that run where there is room for so many of which none shares a block.
constexpr double sharing_sequences(const serving_job& job, double whole) {
  const auto groups = static_cast<double>(job.prefix_groups);
  if (job.shared_prefix == 0 || whole <= groups) return whole;
  return groups + (whole - groups) / (1 - shared_blocks(job));
}

constexpr serving_memory memory_of(const served_model& served, double running, bytes cache, const serving_job& job,
                                   const slice& where) {
  const bytes weights = weights_per_device(served, job);
  serving_memory use;
  use.weights = (1 + weight_padding) * weights;
  use.cache = whole_sequences(job, running) * on_device(served, cache);
  use.workspace = program_memory;
  use.total = use.weights + use.cache + use.workspace;
  use.low = weights + use.cache;
  use.high = (1 + 2 * weight_padding) * weights + use.cache + 2 * program_memory;
  use.usable = usable_hbm_per_device(where.chip);
  return use;
}

/// Sequences of the mean length `cache` that can run at once, provided that one of the longest fits.
constexpr std::int64_t slots_for(const served_model& served, bytes cache, bytes longest, const serving_job& job,
                                 const slice& where) {
  const bytes room = cache_room(served, job, where);
  if (room < on_holder(served, longest)) return 0;
  const double slots = sharing_sequences(job, room / on_device(served, cache));
  std::int64_t most = slots < 1 ? 1 : slots > 1e12 ? std::int64_t{1000000000000} : floor_to_count(slots);
  if (served.holders > 1 && most > 1) most -= most % floor_to_count(served.holders);  // as many on each
  return job.max_running > 0 && job.max_running < most ? job.max_running : most;
}

/// Bytes on a device that a step has of each of its tokens at once: the residual stream, and what a layer makes of it.
constexpr bytes activations_of(const served_stacks& of) {
  const layer_widths widths = widths_of_valid(of.takes_in);
  return bytes{2 * (2 * widths.d_model + (widths.qkv + widths.mlp) / of.prompts.on.devices)};
}

constexpr serving_memory encoder_memory(const served_stacks& of, double tokens, const serving_job& job,
                                        const slice& where) {
  serving_memory use = memory_of(of.prompts, 0, bytes{0}, job, where);
  const bytes activations = tokens * activations_of(of);
  use.workspace += activations;
  use.total += activations;
  use.low += activations;
  use.high += 2 * activations;
  return use;
}

/// Tokens that a step takes at most; 0 where not even one request of the longest fits.
constexpr double tokens_together(const served_stacks& of, const serving_job& job, const slice& where) {
  const bytes room = cache_room(of.prompts, job, where), each = activations_of(of);
  if (room < each * static_cast<double>(job.prompt.longest)) return 0;
  const double most = smaller(room / each, static_cast<double>(most_tokens));
  return job.prefill_chunk > 0 ? smaller(most, static_cast<double>(job.prefill_chunk)) : most;
}

/// Requests of the mean length that a step takes at most; 0 where not even one of the longest fits.
constexpr std::int64_t most_together(const served_stacks& of, const serving_job& job, const slice& where) {
  const double tokens = tokens_together(of, job, where);
  if (tokens <= 0) return 0;
  double most = smaller(tokens / job.prompt.mean, static_cast<double>(most_requests));
  if (job.max_running > 0) most = smaller(most, static_cast<double>(job.max_running));
  return most < 1 ? 1 : floor_to_count(most);
}

/// Requests that a full step takes on average, of which none is computed in part: those of one length as many as fit;
/// of lengths that differ, half of the mean length as tokens meet it has no room. Worked: of 512 tokens of texts that
/// are 100 long on average 5, or with a mean square of twice its square 4.12.
constexpr double packed_together(double tokens, const serving_job& job) {
  const double all = tokens / job.prompt.mean, varied = job.prompt.mean_square / (job.prompt.mean * job.prompt.mean);
  const double even = math::exp(-larger(0, 20 * all * (varied - 1)));  // as far as all steps are filled alike
  const double most = larger(1, even * math::floor(all) + (1 - even) * (all - varied / 2));
  return job.max_running > 0 ? smaller(most, static_cast<double>(job.max_running)) : most;
}

/// The most tokens, of at most 2^40, that take no more than the room.
template <class Taken>
constexpr std::int64_t most_tokens_in(bytes room, const Taken& taken) {
  const auto holds = [&](std::int64_t tokens) { return taken(tokens) <= room; };
  if (!holds(1)) return 0;
  std::int64_t good = 1, bad = 2;
  while (bad < (std::int64_t{1} << 40) && holds(bad)) good = bad, bad *= 2;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

/// Refuses what no step takes, and what does not lie in memory so.
constexpr void check_held(const transformer& model, const serving_job& job) {
  check_served(model, job);
  check_beside(job);
  check_speculation(job, model);
  check_shared_prefix(job, model);
}

}  // namespace detail

/// HBM on one device while `running` sequences run in each replica. Throws for a count below 0, where `decode_step`
/// throws, and where `validate` does for what lies beside the weights, drafts and shared prefixes. Worked: 8.79 GB of
/// weights for Llama 2 70B in int8 on v6e-8 (8.70 GB printed).
/// Source: set on published serving records (tests/oracle/serving_records.cpp).
[[nodiscard]] constexpr serving_memory serving_memory_use(const transformer& model, double running,
                                                          const serving_job& job, const serving_layout& mesh,
                                                          const slice& where) {
  detail::not_negative("running", running);
  detail::in_range("running", running, 0, static_cast<double>(detail::most_requests), "0 to 1e9");
  detail::check_held(model, job);
  return detail::with_stacks(model, job, mesh, where, false, [&](const auto& of) {
    if (model.kind == architecture::encoder) return detail::encoder_memory(of, running * job.prompt.mean, job, where);
    return detail::memory_of(of.served, running, detail::cache_of(model, job, running_context(job)), job, where);
  });
}

/// Slots of a replica: sequences of the mean length that fit into HBM at once, at most `job.max_running`, or requests
/// that a step of an encoder takes; 0 where not even one of the longest fits. Worked: Llama 3 8B on v6e-1 can run one
/// of 97 196 tokens.
[[nodiscard]] constexpr std::int64_t largest_running(const transformer& model, const serving_job& job,
                                                     const serving_layout& mesh, const slice& where) {
  detail::check_held(model, job);
  return detail::with_stacks(model, job, mesh, where, false, [&](const auto& of) {
    if (model.kind == architecture::encoder) return detail::most_together(of, job, where);
    const bytes longest = detail::cache_of(model, job, static_cast<double>(longest_context(job)));
    return detail::slots_for(of.served, detail::cache_of(model, job, running_context(job)), longest, job, where);
  });
}

/// Bytes that a device lacks to run one of the longest sequences, or to take in one of the longest texts of an encoder;
/// 0 where it fits. Worked: 53.0 GiB for DeepSeek-V3 on v6e-8, as weights with their padding take 79.9 GiB, programs 1
/// and 1280 tokens 0.1, and vLLM's share of 31.25 GiB is 28.1.
[[nodiscard]] constexpr bytes serving_shortage(const transformer& model, const serving_job& job,
                                               const serving_layout& mesh, const slice& where) {
  detail::check_held(model, job);
  return detail::with_stacks(model, job, mesh, where, false, [&](const auto& of) {
    const bool encodes = model.kind == architecture::encoder;
    const auto longest = static_cast<double>(encodes ? job.prompt.longest : longest_context(job));
    const bytes needed = encodes ? longest * detail::activations_of(of)
                                 : detail::on_holder(of.served, detail::cache_of(model, job, longest));
    return max(bytes{0}, needed - detail::cache_room(encodes ? of.prompts : of.served, job, where));
  });
}

/// Tokens of the longest sequence that can run alone, or of the longest text of an encoder, at most 2^40; 0 where
/// weights leave no HBM for it. Worked: 97 196 for Llama 3 8B on v6e-1.
[[nodiscard]] constexpr std::int64_t largest_serving_context(const transformer& model, const serving_job& job,
                                                             const serving_layout& mesh, const slice& where) {
  detail::check_held(model, job);
  return detail::with_stacks(model, job, mesh, where, false, [&](const auto& of) {
    const bytes room = detail::cache_room(of.served, job, where);
    return detail::most_tokens_in(room, [&](std::int64_t tokens) {
      if (model.kind == architecture::encoder) return static_cast<double>(tokens) * detail::activations_of(of);
      return detail::on_holder(of.served, detail::cache_of(model, job, static_cast<double>(tokens)));
    });
  });
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
