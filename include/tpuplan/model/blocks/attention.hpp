#ifndef TPUPLAN_MODEL_BLOCKS_ATTENTION_HPP
#define TPUPLAN_MODEL_BLOCKS_ATTENTION_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Attention with heads of queries, keys and values: multi-head, grouped, windowed, of an encoder, or to another
/// stream.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// Which positions of a clip one sees.
enum class within : std::uint8_t {
  all,    ///< all of them
  frame,  ///< those of its own frame
  place,  ///< the same place in every frame
};

/// One layer of attention. Worked: 32 heads of 128 with 8 of keys and values on a stream of 4096: 41943040 weights, and
/// 2048 numbers that each token keeps.
struct attention {
  std::int64_t heads = 0;          ///< of queries
  std::int64_t kv_heads = 0;       ///< of keys and values
  std::int64_t head_dim = 0;       ///< of queries and keys
  std::int64_t value_dim = 0;      ///< of values; 0: as head_dim
  std::int64_t window = 0;         ///< tokens seen at most; 0: all
  std::int64_t q_rank = 0;         ///< rank of the queries' projection, with a norm; 0: one full matrix
  std::int64_t output_rank = 0;    ///< rank of the output projection per group of heads; 0: one full matrix
  std::int64_t output_groups = 0;  ///< groups of heads of that projection
  std::int64_t relative_keys = 0;  ///< positions that each query, or key, is multiplied by, of both kinds (DeBERTa)
  std::int8_t kv_matrices = 2;     ///< 1: keys and values share one; 0: those of an earlier layer are read
  bool single_kv = false;          ///< keys are the values too: one matrix, cached once
  bool causal = true;              ///< false: in an encoder
  bool from_other = false;         ///< keys and values are of another stream
  bool to_image = false;           ///< of an image, its tokens the window: nothing kept, norms and two gates
  bool qkv_bias = false;           ///< biases of the projections of queries, keys and values
  bool key_bias = true;            ///< false: the projection of keys has no bias
  bool output_bias = false;        ///< a bias of the output projection
  bool qk_norm = false;            ///< a norm of head_dim weights on queries and one on keys
  bool wide_qk_norm = false;       ///< those norms have a weight for every dimension of every head
  bool sinks = false;              ///< one learned sink per head
  bool output_gate = false;        ///< a gate on the output, as wide as the queries
  within sees = within::all;       ///< positions that one sees, of a clip
  std::int8_t scales = 0;          ///< linear: further sets of its heads, which see windows of several sizes
  bool linear = false;             ///< keys and values are summed up first: work that grows with positions alone
  bool keys_alone = false;         ///< further keys and values of the attention before it: no queries, no output
};

/// The width of the values of a head. Worked: 128 of MiMo-V2-Flash, whose keys have 192.
[[nodiscard]] constexpr std::int64_t value_width(const attention& a) noexcept {
  return a.value_dim > 0 ? a.value_dim : a.head_dim;
}

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const attention& a) {
  detail::check_dimension("attention.heads", a.heads);
  detail::check_dimension("attention.kv_heads", a.kv_heads);
  detail::check_dimension("attention.head_dim", a.head_dim);
  if (a.heads % a.kv_heads != 0)
    detail::fail(errc::not_divisible, "attention.kv_heads", a.kv_heads, "a divisor of the number of heads");
  detail::check_sizes("attention.value_dim, q_rank, output_rank, output_groups or relative_keys", a.value_dim, a.q_rank,
                      a.output_rank, a.output_groups, a.relative_keys);
  detail::check_part("attention.window", a.window, detail::most_tokens, "0 (none) to 2^40 tokens");
  detail::check_part("attention.kv_matrices", a.kv_matrices, 2, "0 to 2");
}

// Numbers of one head of keys and values together, as projections make them.
constexpr std::int64_t kv_width(const attention& a) noexcept {
  if (a.kv_matrices != 2) return a.kv_matrices * a.head_dim;
  return a.single_kv ? a.head_dim : a.head_dim + value_width(a);
}

// Matrices that make them.
constexpr std::int8_t matrices_of_kv(const attention& a) noexcept {
  return a.single_kv || a.kv_matrices < 2 ? std::int8_t{1} : std::int8_t{2};
}

constexpr std::int64_t vectors_of(const attention& a, std::int64_t width) noexcept {
  const std::int64_t q = a.head_dim * a.heads, kv = kv_width(a) * a.kv_heads;
  const std::int64_t without = a.key_bias || a.kv_matrices == 0 ? 0 : a.head_dim * a.kv_heads;
  std::int64_t sum = (a.qkv_bias ? q + kv - without : 0) + (a.output_bias ? width : 0) + (a.sinks ? a.heads : 0);
  if (a.wide_qk_norm) {
    sum += a.head_dim * (a.heads + (a.kv_matrices > 0 ? a.kv_heads : 0));
  } else if (a.qk_norm) {
    sum += (a.kv_matrices > 0 ? 2 : 1) * a.head_dim;
  }
  return sum + a.q_rank + (a.to_image ? 2 * a.head_dim + 2 : 0);
}

// Keys and values, each with a norm, for queries that are there.
constexpr void weigh_keys(const attention& a, const site& at, sums& to) {
  const std::int64_t kv = kv_width(a) * a.kv_heads, norm = a.head_dim * (a.wide_qk_norm ? a.kv_heads : 1);
  to.add(product{at.other_width > 0 ? at.other_width : at.width, kv, 1, 1, role::qkv, part::attention, a.from_other,
                 matrices_of_kv(a)});
  to.vectors(part::attention, (a.qkv_bias ? kv : 0) + (a.wide_qk_norm || a.qk_norm ? norm : 0));
}

constexpr void weigh(const attention& a, const site& at, sums& to) {
  if (a.keys_alone) return weigh_keys(a, at, to);
  const std::int64_t q = a.head_dim * a.heads, values = value_width(a) * a.heads, d = at.width;
  if (a.q_rank > 0) to.add(product{d, a.q_rank, 1, 1, role::qkv, part::attention});
  to.add(product{a.q_rank > 0 ? a.q_rank : d, q, 1, 1, role::qkv, part::attention});
  if (a.output_gate) to.add(product{d, q, 1, 1, role::qkv, part::attention});
  if (const std::int64_t kv = kv_width(a) * a.kv_heads; kv > 0)
    to.add(product{a.from_other && at.other_width > 0 ? at.other_width : d, kv, 1, 1, role::qkv, part::attention,
                   a.from_other, matrices_of_kv(a)});
  if (a.output_rank > 0) {
    to.add(product{values, a.output_rank, 1, 1, role::output, part::attention});
    to.add(product{a.output_rank * a.output_groups, d, 1, 1, role::output, part::attention});
  } else {
    to.add(product{values, d, 1, 1, role::output, part::attention});
  }
  to.vectors(part::attention, vectors_of(a, d));
}

[[nodiscard]] constexpr core core_of(const attention& a, const site& at) {
  core c;
  if (a.linear) {  // a sum of keys x (values and a one), which queries multiply
    c.fixed =
        flops{4 * static_cast<double>(checked_multiply(a.heads * (1 + a.scales), a.head_dim, value_width(a) + 1))};
    return c;
  }
  if (a.to_image) {
    c.fixed = flops{4 * static_cast<double>(checked_multiply(a.heads, a.head_dim, a.window))};
    return c;
  }
  c.heads = narrow(a.heads), c.key_width = narrow(a.head_dim), c.value_width = narrow(value_width(a));
  c.window = a.sees == within::frame   ? checked_multiply(at.height, at.columns)
             : a.sees == within::place ? at.frames
                                       : a.window;
  c.causal = a.causal, c.from_other = a.from_other;
  if (a.relative_keys > 0)
    c.fixed = flops{2 * static_cast<double>(checked_multiply(a.relative_keys, a.heads, a.head_dim))};
  return c;
}

[[nodiscard]] constexpr kept kept_by(const attention& a, const site&) noexcept {
  if (a.kv_matrices == 0 || a.to_image || (!a.causal && !a.from_other)) return {};
  return {a.kv_heads * (a.head_dim + (a.single_kv ? 0 : value_width(a))), a.window, 0, 0, {}, a.from_other};
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
