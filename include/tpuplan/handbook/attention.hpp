#ifndef TPUPLAN_HANDBOOK_ATTENTION_HPP
#define TPUPLAN_HANDBOOK_ATTENTION_HPP

#include <cstdint>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// The attention core, fused: FLOPs per byte of queries, keys, values and outputs, in prefill and in decode.

namespace tpuplan {
inline namespace abi_0 {

/// One sequence in one layer. `queries` is the whole prompt in prefill and 1 in decode.
struct attention_shape {
  std::int64_t queries = 0;            ///< query rows
  std::int64_t context = 0;            ///< keys that each query sees, none masked
  std::int64_t heads_per_kv_head = 1;  ///< 1: multi-head; more: grouped queries
};

/// FLOPs per byte of the attention core whose scores stay on the chip. For T queries that see S keys, with G query
/// heads of size H to a KV head, 4 T S G H FLOPs are done, and queries, outputs, keys and values move once: T S G / (T
/// G + S) in bf16. Worked: 0.99988 for one query on 8192 keys, 7.992 with 8 heads per KV head, 240 for a prompt of 480
/// tokens. Source: scaling book, "Inference" (2025-12-15).
[[nodiscard]] constexpr flops_per_byte attention_intensity(const attention_shape& shape,
                                                           dtype activations = dtype::bf16, dtype cache = dtype::bf16) {
  const auto queries = static_cast<double>(detail::positive_count("queries", shape.queries));
  const auto context = static_cast<double>(detail::positive_count("context", shape.context));
  const auto group = static_cast<double>(detail::positive_count("heads_per_kv_head", shape.heads_per_kv_head));
  return flops{4 * queries * context * group} /
         (size_of(activations) * (2 * queries * group) + size_of(cache) * (2 * context));
}

/// The prompt, in tokens and not rounded, whose attention reaches the intensity I in prefill: in bf16 I (G + 1) / G
/// with G query heads to a KV head. Worked: 480 for 240 FLOP/B with one query head per KV head, 270 with eight. Source:
/// scaling book, "Inference".
[[nodiscard]] constexpr double balance_prompt(flops_per_byte intensity, std::int64_t heads_per_kv_head = 1,
                                              dtype activations = dtype::bf16, dtype cache = dtype::bf16) {
  detail::positive("intensity", intensity.value());
  const auto group = static_cast<double>(detail::positive_count("heads_per_kv_head", heads_per_kv_head));
  return intensity.value() * (size_of(activations).value() * group + size_of(cache).value()) / (2 * group);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
