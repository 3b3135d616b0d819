#ifndef TPUPLAN_HANDBOOK_BATCHES_HPP
#define TPUPLAN_HANDBOOK_BATCHES_HPP

#include <cstdint>
#include <tpuplan/base/integer.hpp>

/// @file
/// Batches over replicas, and the steps that a data set has in them.

namespace tpuplan {
inline namespace abi_0 {

/// Global batch of synchronous data parallelism: what one replica takes, times the replicas.
/// Worked: 128 per core on the 8 cores of v3-8 is 1024.
[[nodiscard]] constexpr std::int64_t global_batch(std::int64_t per_replica, std::int64_t replicas) {
  return checked_multiply(detail::positive_count("per_replica batch", per_replica),
                          detail::positive_count("replicas", replicas));
}

/// What one replica takes of a global batch. Throws `errc::not_divisible` where it does not divide.
/// Worked: 1024 over 8 replicas is 128.
[[nodiscard]] constexpr std::int64_t batch_per_replica(std::int64_t global, std::int64_t replicas) {
  detail::positive_count("global batch", global);
  detail::positive_count("replicas", replicas);
  if (global % replicas != 0) {
    detail::fail(errc::not_divisible, "global batch", global, "a multiple of the number of replicas");
  }
  return global / replicas;
}

/// The next multiple of 128, which fills sublanes and lanes. Worked: recommended_multiple(1000) = 1024.
/// Source: Google Cloud "Cloud TPU performance guide" (batch sizes in multiples of 128).
[[nodiscard]] constexpr std::int64_t recommended_multiple(std::int64_t batch) {
  return round_up(detail::positive_count("batch", batch), 128);
}

/// What happens to the examples that do not fill a last batch.
enum class remainder : std::uint8_t { drop, keep };

/// Steps in one pass over a data set. Worked: 60000 examples in batches of 1024 are 58 steps, 59 if the rest is kept.
[[nodiscard]] constexpr std::int64_t steps_per_epoch(std::int64_t examples, std::int64_t batch,
                                                     remainder last = remainder::drop) {
  detail::positive_count("examples", examples);
  detail::positive_count("global batch", batch);
  return last == remainder::drop ? examples / batch : ceil_div(examples, batch);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
