#ifndef TPUPLAN_SHOW_TEXT_SERVED_HPP
#define TPUPLAN_SHOW_TEXT_SERVED_HPP

#include <string>
#include <tpuplan/estimate/serving/replica.hpp>

/// @file
/// Layouts of a served model in words.

namespace tpuplan {
inline namespace abi_0 {

/// The layout of a plan in words. Worked: "tensor 8, KV by batch", "8 devices, attention in groups of 2".
[[nodiscard]] inline std::string replica_words(const serving_layout& mesh) {
  const std::string tensor = std::to_string(mesh.tensor);
  if (mesh.attention > 0) return tensor + " devices, attention in groups of " + std::to_string(mesh.attention);
  return "tensor " + tensor + (mesh.cache == cache_sharding::batch ? ", KV by batch" : "");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
