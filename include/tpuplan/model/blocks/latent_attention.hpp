#ifndef TPUPLAN_MODEL_BLOCKS_LATENT_ATTENTION_HPP
#define TPUPLAN_MODEL_BLOCKS_LATENT_ATTENTION_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Multi-head latent attention (DeepSeek-V2 and V3), with or without an indexer (V3.2).

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// One layer of latent attention. Worked: that of DeepSeek-V3 on a stream of 7168 is 187107328 weights, and 576 numbers
/// that each token keeps.
struct latent_attention {
  std::int64_t heads = 0;        ///< of queries, keys and values
  std::int64_t q_rank = 0;       ///< 0: queries are projected directly
  std::int64_t kv_rank = 0;      ///< of the vector that is kept for keys and values
  std::int64_t nope = 0;         ///< of a query or key, the part without positions
  std::int64_t rope = 0;         ///< of a query or key, the part with positions
  std::int64_t v_dim = 0;        ///< of a value
  std::int64_t window = 0;       ///< tokens seen at most; 0: all
  std::int64_t chosen = 0;       ///< keys that an indexer chooses; 0: all are seen
  std::int64_t index_heads = 0;  ///< of an indexer of its own; 0: that of an earlier layer, or none
  std::int64_t index_width = 0;  ///< of the queries of that indexer and of its one key
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const latent_attention& a) {
  detail::check_dimension("latent_attention.heads", a.heads);
  detail::check_dimension("latent_attention.kv_rank", a.kv_rank);
  detail::check_dimension("latent_attention.nope", a.nope);
  detail::check_dimension("latent_attention.rope", a.rope);
  detail::check_dimension("latent_attention.v_dim", a.v_dim);
  detail::check_sizes("latent_attention.q_rank, chosen, index_heads or index_width", a.q_rank, a.chosen, a.index_heads,
                      a.index_width);
  detail::check_part("latent_attention.window", a.window, detail::most_tokens, "0 (none) to 2^40 tokens");
  if (a.index_heads > 0 && a.q_rank == 0)
    detail::fail(errc::missing_field, "latent_attention.q_rank", a.q_rank, "1 or more with an indexer");
}

// An indexer has a matrix from the low-rank queries to its own, one key with a norm and its bias, and one matrix to a
// weight for each head.
constexpr void weigh(const latent_attention& a, const site& at, sums& to) {
  const std::int64_t d = at.width, q = a.heads * (a.nope + a.rope);
  const auto qkv = [&to](std::int64_t inner, std::int64_t outer) {
    to.add(product{inner, outer, 1, 1, role::qkv, part::attention});
  };
  if (a.q_rank > 0) qkv(d, a.q_rank);
  qkv(a.q_rank > 0 ? a.q_rank : d, q);
  qkv(d, a.kv_rank + a.rope);
  qkv(a.kv_rank, a.heads * (a.nope + a.v_dim));
  to.add(product{a.heads * a.v_dim, d, 1, 1, role::output, part::attention});
  to.norms_in_latent(a.q_rank + a.kv_rank);
  if (a.index_heads == 0) return;
  qkv(a.q_rank, a.index_heads * a.index_width);
  qkv(d, a.index_width + a.index_heads);
  to.norms_in_latent(2 * a.index_width);
}

[[nodiscard]] constexpr core core_of(const latent_attention& a, const site&) noexcept {
  core c;
  c.heads = narrow(a.heads), c.key_width = narrow(a.nope + a.rope), c.value_width = narrow(a.v_dim);
  c.window = a.window, c.chosen = narrow(a.chosen), c.index_heads = narrow(a.index_heads),
  c.index_width = narrow(a.index_width), c.causal = true;
  return c;
}

[[nodiscard]] constexpr kept kept_by(const latent_attention& a, const site&) noexcept {
  const std::int64_t key = a.index_heads > 0 ? a.index_width : 0;
  return {a.kv_rank + a.rope + key, a.window, 0, key, {}};
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
