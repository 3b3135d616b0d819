#ifndef TPUPLAN_MODEL_BLOCKS_COMPRESSED_ATTENTION_HPP
#define TPUPLAN_MODEL_BLOCKS_COMPRESSED_ATTENTION_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Attention to keys that each stand for several tokens, beside a window (DeepSeek-V4).

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// What a layer sees beside its window: keys that each stand for `ratio` tokens, all of them or those that an indexer
/// chooses. Its weights are still told elsewhere. Worked: a key of 512 and one of 128 numbers of its indexer for every
/// 4 tokens are 160 numbers a token.
struct compressed_attention {
  std::int64_t heads = 0;        ///< of queries
  std::int64_t kv_heads = 0;     ///< of keys, which are the values too
  std::int64_t head_dim = 0;     ///< of queries and keys
  std::int64_t value_dim = 0;    ///< of values; 0: as head_dim
  std::int64_t ratio = 1;        ///< tokens that a key stands for
  std::int64_t index_heads = 0;  ///< of the indexer; 0: all keys are seen
  std::int64_t index_width = 0;  ///< of a key of the indexer
  std::int64_t chosen = 0;       ///< keys that the indexer chooses
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const compressed_attention& a) {
  detail::check_dimension("compressed_attention.heads", a.heads);
  detail::check_dimension("compressed_attention.kv_heads", a.kv_heads);
  detail::check_dimension("compressed_attention.head_dim", a.head_dim);
  detail::check_dimension("compressed_attention.ratio", a.ratio);
  detail::check_sizes("compressed_attention.value_dim, index_heads, index_width or chosen", a.value_dim, a.index_heads,
                      a.index_width, a.chosen);
}

[[nodiscard]] constexpr core core_of(const compressed_attention& a, const site&) noexcept {
  core c;
  c.heads = narrow(a.heads), c.key_width = narrow(a.head_dim),
  c.value_width = narrow(a.value_dim > 0 ? a.value_dim : a.head_dim);
  c.ratio = narrow(a.ratio), c.chosen = narrow(a.chosen), c.index_heads = narrow(a.index_heads),
  c.index_width = narrow(a.index_width), c.causal = true;
  return c;
}

[[nodiscard]] constexpr kept kept_by(const compressed_attention& a, const site&) noexcept {
  return {a.kv_heads * a.head_dim + a.index_width, 0, a.ratio, a.index_width, {}};
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
