#ifndef TPUPLAN_MODEL_BLOCKS_JOINT_ATTENTION_HPP
#define TPUPLAN_MODEL_BLOCKS_JOINT_ATTENTION_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Attention of two streams that see each other: each has its own weights (diffusion transformers).

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// One stream's side of joint attention: its queries see its own positions and those of `place.other`, whose side is a
/// block of its own. Worked: 24 heads of 128 on a stream of 3072, with biases and norms: 37761280 weights.
struct joint_attention {
  std::int64_t heads = 0;     ///< of queries, keys and values
  std::int64_t head_dim = 0;  ///< of each of them
  bool bias = true;           ///< biases of the projections of queries, keys and values
  bool qk_norm = true;        ///< a norm of head_dim weights on queries and one on keys
  bool output_bias = true;    ///< a bias of the output projection
  bool output = true;         ///< false: the stream ends here, so that there is no output projection
};

/// @{
/// What it says of itself: see blocks/shapes.hpp. Its arithmetic besides products is of two lengths, so it adds both.
constexpr void check(const joint_attention& a) {
  detail::check_dimension("joint_attention.heads", a.heads);
  detail::check_dimension("joint_attention.head_dim", a.head_dim);
}

constexpr void weigh(const joint_attention& a, const site& at, sums& to) {
  if (at.other_width == 0)
    detail::fail(errc::missing_field, "place.other", "none", "the stream that joint attention sees too");
  const std::int64_t q = a.heads * a.head_dim;
  to.add(product{at.width, 3 * q, 1, 1, role::qkv, part::attention, false, 3});
  if (a.output) to.add(product{q, at.width, 1, 1, role::output, part::attention});
  to.vectors(part::attention,
             (a.bias ? 3 * q : 0) + (a.output && a.output_bias ? at.width : 0) + (a.qk_norm ? 2 * a.head_dim : 0));
  core seen;
  seen.heads = narrow(a.heads), seen.key_width = seen.value_width = narrow(a.head_dim), seen.causal = false;
  to.attends(seen);
  seen.from_other = true;
  to.attends(seen);
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
