#ifndef TPUPLAN_ESTIMATE_TRAINING_LARGEST_BATCH_HPP
#define TPUPLAN_ESTIMATE_TRAINING_LARGEST_BATCH_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// The largest batch that fits.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// The most units that fit, up to twice as many as `end`, where all below fit too; 0: not even one.
template <class Fits>
constexpr std::int64_t most_units(std::int64_t end, const Fits& fits_with) {
  if (!fits_with(1)) return 0;
  std::int64_t good = 1, bad = 2;
  while (bad < end && fits_with(bad)) good = bad, bad *= 2;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits_with(middle) ? good : bad) = middle;
  }
  return good;
}

/// The largest batch of a job that surely fits, by `memory_of(job)`.
template <class Memory>
constexpr maybe<std::int64_t> largest_batch_by(training_job job, const layout& mesh, const Memory& memory_of) {
  positive_count("training_job.gradient_accumulation", job.gradient_accumulation);
  const std::int64_t unit = checked_multiply(batch_shards(mesh), job.gradient_accumulation);
  const auto fits_with = [&](std::int64_t units) {
    job.global_batch = checked_multiply(unit, units);
    return fits(memory_of(job)) == verdict::yes;
  };
  const std::int64_t most = most_units(std::int64_t{1} << 30, fits_with);
  if (most == 0) return nothing;
  return checked_multiply(unit, most);
}

}  // namespace detail

/// The largest global batch, in whole multiples of the layout's batch shards and accumulation, whose verdict is yes;
/// nothing where not even the smallest fits. Worked: 1152 for llama-3-8b at 4096 tokens, FSDP over v5p-128.
[[nodiscard]] constexpr maybe<std::int64_t> largest_batch(const transformer& model, const training_job& job,
                                                          const layout& mesh, const slice& where) {
  return detail::largest_batch_by(job, mesh,
                                  [&](const training_job& larger) { return memory_use(model, larger, mesh, where); });
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
