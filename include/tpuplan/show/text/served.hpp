#ifndef TPUPLAN_SHOW_TEXT_SERVED_HPP
#define TPUPLAN_SHOW_TEXT_SERVED_HPP

#include <string>
#include <tpuplan/estimate/serving/replica.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/simulate/percentiles.hpp>

/// @file
/// Layouts of a served model in words, and which of its simulated latencies a target is about.

namespace tpuplan {
inline namespace abi_0 {

/// The simulated latency that is compared with a target: the percentile of the target, or the mean without one. Worked:
/// for a target of share 0.95 it is the p95.
[[nodiscard]] inline seconds reached_of(const time_percentiles& times, const latency_target& target) {
  const double share = target.limit.value() > 0 ? target.share : 0;
  return share >= 0.99   ? times.p99
         : share >= 0.95 ? times.p95
         : share >= 0.9  ? times.p90
         : share > 0     ? times.p50
                         : times.mean;
}

/// The layout of a plan in words. Worked: "tensor 8, KV by batch", "8 devices, attention in groups of 2".
[[nodiscard]] inline std::string replica_words(const serving_layout& mesh) {
  const std::string tensor = std::to_string(mesh.tensor);
  if (mesh.attention > 0) return tensor + " devices, attention in groups of " + std::to_string(mesh.attention);
  return "tensor " + tensor + (mesh.cache == cache_sharding::batch ? ", KV by batch" : "");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
