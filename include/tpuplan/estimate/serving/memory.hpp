#ifndef TPUPLAN_ESTIMATE_SERVING_MEMORY_HPP
#define TPUPLAN_ESTIMATE_SERVING_MEMORY_HPP

#include <cstdint>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/estimate/training/memory.hpp>

/// @file
/// HBM that serving takes on one JAX device, and how many sequences can run in what is left.

namespace tpuplan {
inline namespace abi_0 {

/// Bytes on one device; weights + cache + workspace = total.
struct serving_memory {
  bytes weights{};    ///< weights, what lies beside them, and their padding
  bytes cache{};      ///< keys and values of the running sequences, copies included
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
  return size_of(job.weights) * (served.held / served.on.devices) + job.beside;
}

/// Bytes that the engine's share of a device leaves for keys and values; negative where weights do not fit.
constexpr bytes cache_room(const served_model& served, const serving_job& job, const slice& where) {
  return job.memory_fraction * usable_hbm_per_device(where.chip) -
         (1 + weight_padding) * weights_per_device(served, job) - program_memory;
}

/// Bytes on each device, copies included, of a sequence whose keys and values take `cache` bytes in all.
constexpr bytes on_device(const served_model& served, bytes cache) {
  return cache * (served.cache_copies / served.on.devices);
}

constexpr serving_memory memory_of(const served_model& served, double running, bytes cache, const serving_job& job,
                                   const slice& where) {
  const bytes weights = weights_per_device(served, job);
  serving_memory use;
  use.weights = (1 + weight_padding) * weights;
  use.cache = running * on_device(served, cache);
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
  if (room < served.groups * on_device(served, longest)) return 0;
  const double slots = room / on_device(served, cache);
  const std::int64_t most = slots < 1 ? 1 : slots > 1e12 ? std::int64_t{1000000000000} : floor_to_count(slots);
  return job.max_running > 0 && job.max_running < most ? job.max_running : most;
}

}  // namespace detail

/// HBM on one device while `running` sequences run in each replica. Throws for a count below 0, and where
/// `decode_step` throws. Worked: 8.79 GB of weights for Llama 2 70B in int8 on v6e-8 (8.70 GB printed).
/// Source: set on published serving records (tests/oracle/serving_records.cpp).
[[nodiscard]] constexpr serving_memory serving_memory_use(const transformer& model, double running,
                                                          const serving_job& job, const serving_layout& mesh,
                                                          const slice& where) {
  detail::not_negative("running", running);
  detail::in_range("running", running, 0, static_cast<double>(detail::most_requests), "0 to 1e9");
  return detail::memory_of(detail::served_by(model, job, mesh, where), running,
                           detail::cache_of(model, job, running_context(job)), job, where);
}

/// Slots of a replica: sequences of the mean length that fit into HBM at once, at most `job.max_running`; 0 where not
/// even one of the longest fits. Worked: Llama 3 8B on v6e-1 can run one of 97 196 tokens.
[[nodiscard]] constexpr std::int64_t largest_running(const transformer& model, const serving_job& job,
                                                     const serving_layout& mesh, const slice& where) {
  const bytes longest = detail::cache_of(model, job, static_cast<double>(longest_context(job)));
  return detail::slots_for(detail::served_by(model, job, mesh, where),
                           detail::cache_of(model, job, running_context(job)), longest, job, where);
}

/// Tokens of the longest sequence that can run alone, at most 2^40; 0 where weights leave no HBM for a cache.
/// Worked: 97 196 for Llama 3 8B on v6e-1.
[[nodiscard]] constexpr std::int64_t largest_serving_context(const transformer& model, const serving_job& job,
                                                             const serving_layout& mesh, const slice& where) {
  const detail::served_model served = detail::served_by(model, job, mesh, where);
  const bytes room = detail::cache_room(served, job, where);
  const auto holds = [&](std::int64_t tokens) {
    return detail::on_device(served, detail::cache_of(model, job, static_cast<double>(tokens))) <= room;
  };
  if (!holds(1)) return 0;
  std::int64_t good = 1, bad = 2;
  while (bad < (std::int64_t{1} << 40) && holds(bad)) good = bad, bad *= 2;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
