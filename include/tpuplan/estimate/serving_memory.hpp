#ifndef TPUPLAN_ESTIMATE_SERVING_MEMORY_HPP
#define TPUPLAN_ESTIMATE_SERVING_MEMORY_HPP

#include <cstdint>
#include <tpuplan/estimate/decode.hpp>
#include <tpuplan/estimate/memory.hpp>

/// @file
/// HBM that serving takes on one JAX device, and how many sequences it leaves room for.

namespace tpuplan {
inline namespace abi_0 {

/// Bytes on one device; weights + cache + workspace = total.
struct serving_memory {
  bytes weights{};
  bytes cache{};      ///< of the running batch, copies included
  bytes workspace{};  ///< compiled programs and their buffers
  bytes total{};
  bytes low{};     ///< weights as they are, no workspace
  bytes high{};    ///< twice the usual padding and workspace
  bytes usable{};  ///< what XLA lets a program use on the device
};

/// `yes` where even the high estimate is below 97 % of what is usable, `no` where weights and cache alone are above it.
[[nodiscard]] constexpr verdict fits(const serving_memory& m) noexcept {
  if (m.high < safe_share * m.usable) return verdict::yes;
  return m.low > m.usable ? verdict::no : verdict::uncertain;
}

namespace detail {
/// Weights are padded by 2 %, programs take 1 GiB: set, on published serving records.
inline constexpr double weight_padding = 0.02;
inline constexpr bytes program_memory{1073741824.0};

constexpr bytes weights_per_device(const transformer& m, const serving& job, const replica& r) {
  return size_of(job.weights) * (static_cast<double>(parameters(m).total) / r.devices);
}

/// What the engine's share of a device leaves for keys and values; below 0 where weights do not fit.
constexpr bytes cache_room(const transformer& m, const serving& job, const replica& r, const slice& s) {
  return job.memory_fraction * usable_hbm_per_device(s.chip) - (1 + weight_padding) * weights_per_device(m, job, r) -
         program_memory;
}

/// Bytes of one sequence on one device.
constexpr bytes cache_per_device(const transformer& m, const serving& job, const serving_layout& l, const replica& r,
                                 double context) {
  return cache_of(m, job, context) * (cache_copies(m, l, r) / r.devices);
}
}  // namespace detail

/// HBM on one device with so many sequences running in each replica. Worked: 8.79 GB of weights for Llama 2 70B in int8
/// on v6e-8 (8.70 GB printed). Source: set on published serving records (tests/oracle/serving_records.cpp).
[[nodiscard]] constexpr serving_memory serving_memory_use(const transformer& m, double running, const serving& job,
                                                          const serving_layout& l, const slice& s) {
  detail::check_served(m, l, s);
  detail::not_negative("running", running);
  const detail::replica r = detail::replica_of(l, s);
  const bytes weights = detail::weights_per_device(m, job, r);
  serving_memory use;
  use.weights = (1 + detail::weight_padding) * weights;
  use.cache = running * detail::cache_per_device(m, job, l, r, running_context(job));
  use.workspace = detail::program_memory;
  use.total = use.weights + use.cache + use.workspace;
  use.low = weights + use.cache;
  use.high = (1 + 2 * detail::weight_padding) * weights + use.cache + 2 * detail::program_memory;
  use.usable = usable_hbm_per_device(s.chip);
  return use;
}

/// Sequences that run at once in a replica: what the cache holds, at most what the engine is set to; 0 where not one
/// of the longest fits. Worked: 1024 + 1024 tokens of Llama 2 70B, int8, reserved, on v6e-8: tests/unit/serving.cpp.
[[nodiscard]] constexpr std::int64_t largest_running(const transformer& m, const serving& job, const serving_layout& l,
                                                     const slice& s) {
  const detail::replica r = detail::replica_of(l, s);
  const bytes room = detail::cache_room(m, job, r, s);
  const auto longest = static_cast<double>(longest_context(job));
  if (room < detail::cache_per_device(m, job, l, r, longest)) return 0;
  const double places = room / detail::cache_per_device(m, job, l, r, running_context(job));
  const std::int64_t most = places < 1 ? 1 : places > 1e12 ? std::int64_t{1000000000000} : floor_to_count(places);
  return job.max_running > 0 && job.max_running < most ? job.max_running : most;
}

/// Tokens of the longest single sequence whose cache fits; 0 where weights leave no room. At most 2^40.
[[nodiscard]] constexpr std::int64_t largest_serving_context(const transformer& m, const serving& job,
                                                             const serving_layout& l, const slice& s) {
  const detail::replica r = detail::replica_of(l, s);
  const bytes room = detail::cache_room(m, job, r, s);
  const auto holds = [&](std::int64_t tokens) {
    return detail::cache_per_device(m, job, l, r, static_cast<double>(tokens)) <= room;
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
