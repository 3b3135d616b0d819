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
  bytes weights{};    ///< with their padding
  bytes cache{};      ///< of the running batch, copies included
  bytes workspace{};  ///< compiled programs and their buffers
  bytes total{};      ///< of all parts
  bytes low{};        ///< weights as they are, no workspace
  bytes high{};       ///< twice the usual padding and workspace
  bytes usable{};     ///< what XLA lets a program use on the device
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

constexpr bytes weights_per_device(const served_model& v, const serving& job) {
  return size_of(job.weights) * (v.held / v.on.devices);
}

/// What the engine's share of a device leaves for keys and values; below 0 where weights do not fit.
constexpr bytes cache_room(const served_model& v, const serving& job, const slice& s) {
  return job.memory_fraction * usable_hbm_per_device(s.chip) - (1 + weight_padding) * weights_per_device(v, job) -
         program_memory;
}

/// Bytes on one device of a sequence whose cache takes so many.
constexpr bytes on_device(const served_model& v, bytes cache) { return cache * (v.copies / v.on.devices); }

constexpr serving_memory memory_of(const served_model& v, double running, bytes cache, const serving& job,
                                   const slice& s) {
  const bytes weights = weights_per_device(v, job);
  serving_memory use;
  use.weights = (1 + weight_padding) * weights;
  use.cache = running * on_device(v, cache);
  use.workspace = program_memory;
  use.total = use.weights + use.cache + use.workspace;
  use.low = weights + use.cache;
  use.high = (1 + 2 * weight_padding) * weights + use.cache + 2 * program_memory;
  use.usable = usable_hbm_per_device(s.chip);
  return use;
}

/// Sequences with room for so many caches, given that the longest fits.
constexpr std::int64_t places_for(const served_model& v, bytes cache, bytes longest, const serving& job,
                                  const slice& s) {
  const bytes room = cache_room(v, job, s);
  if (room < on_device(v, longest)) return 0;
  const double places = room / on_device(v, cache);
  const std::int64_t most = places < 1 ? 1 : places > 1e12 ? std::int64_t{1000000000000} : floor_to_count(places);
  return job.max_running > 0 && job.max_running < most ? job.max_running : most;
}

}  // namespace detail

/// HBM on one device with so many sequences running in each replica. Worked: 8.79 GB of weights for Llama 2 70B in int8
/// on v6e-8 (8.70 GB printed). Source: set on published serving records (tests/oracle/serving_records.cpp).
[[nodiscard]] constexpr serving_memory serving_memory_use(const transformer& m, double running, const serving& job,
                                                          const serving_layout& l, const slice& s) {
  detail::not_negative("running", running);
  return detail::memory_of(detail::served_by(m, job, l, s), running, detail::cache_of(m, job, running_context(job)),
                           job, s);
}

/// Sequences that run at once in a replica: what the cache holds, at most what the engine is set to; 0 where not one
/// of the longest fits. Worked: Llama 3 8B on v6e-1 has room for one of 97 196 tokens (tests/unit/serving.cpp).
[[nodiscard]] constexpr std::int64_t largest_running(const transformer& m, const serving& job, const serving_layout& l,
                                                     const slice& s) {
  const bytes longest = detail::cache_of(m, job, static_cast<double>(longest_context(job)));
  return detail::places_for(detail::served_by(m, job, l, s), detail::cache_of(m, job, running_context(job)), longest,
                            job, s);
}

/// Tokens of the longest single sequence whose cache fits; 0 where weights leave no room. At most 2^40.
[[nodiscard]] constexpr std::int64_t largest_serving_context(const transformer& m, const serving& job,
                                                             const serving_layout& l, const slice& s) {
  const detail::served_model v = detail::served_by(m, job, l, s);
  const bytes room = detail::cache_room(v, job, s);
  const auto holds = [&](std::int64_t tokens) {
    return detail::on_device(v, detail::cache_of(m, job, static_cast<double>(tokens))) <= room;
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
