#ifndef TPUPLAN_MODEL_BLOCKS_RECURRENT_HPP
#define TPUPLAN_MODEL_BLOCKS_RECURRENT_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>
#include <tpuplan/model/recurrent.hpp>

/// @file
/// Layers that keep a state of fixed size where attention keeps keys and values: state-space layers, linear attention,
/// recurrences and short convolutions. The shapes are those of the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {

namespace blocks {

/// One recurrent layer. Worked: that of Qwen3-Next on a stream of 2048 keeps 2146304 B of state for a sequence.
struct recurrent {
  recurrence kind = recurrence::mamba;  ///< how it mixes tokens
  std::int64_t width = 0;               ///< of the values, all heads together
  std::int64_t heads = 1;               ///< heads of the values
  std::int64_t key_heads = 1;           ///< heads of the keys (groups of Mamba 2)
  std::int64_t key_dim = 1;             ///< width of a key; the state has width x key_dim numbers
  std::int64_t kernel = 0;              ///< tokens under the convolution before the recurrence; 0: none
  std::int64_t rank = 0;                ///< of Mamba's time-step projection or Kimi Linear's gates
  bool convolution_bias = false;        ///< a bias for each channel of the convolution
  bool projection_bias = false;         ///< biases of the projections in and out
  bool inner_norm = false;  ///< Mamba: norms of steps, keys and values (Jamba); Mamba 2: of the gated output
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const recurrent& r) {
  detail::check_dimension("recurrent.width", r.width);
  detail::check_sizes("a size of recurrent", r.heads, r.key_heads, r.key_dim, r.kernel, r.rank);
  if (r.heads == 0 || r.key_heads == 0 || r.key_dim == 0 || r.width % r.heads != 0)
    detail::fail(errc::not_divisible, "recurrent.width", r.width,
                 "a multiple of its heads; key_heads and key_dim from 1 on");
}

constexpr recurrent_spec spec_of(const recurrent& r) noexcept {
  return {
      r.kind,      1, r.width, r.heads, r.key_heads, r.key_dim, r.kernel, r.rank, r.convolution_bias, r.projection_bias,
      r.inner_norm};
}
constexpr recurrent recurrent_of(const recurrent_spec& r) noexcept {
  return {
      r.kind,      r.width, r.heads, r.key_heads, r.key_dim, r.kernel, r.rank, r.convolution_bias, r.projection_bias,
      r.inner_norm};
}

constexpr void weigh(const recurrent& r, const site& at, sums& to) {
  const detail::recurrent_widths one = detail::widths_in(spec_of(r), at.width);
  to.add(product{at.width, one.in, 1, 1, role::qkv, part::recurrent});
  if (one.inside > 0) to.add(product{one.inside, 1, 1, 1, role::qkv, part::recurrent});
  to.add(product{r.width, at.width, 1, 1, role::output, part::recurrent});
  to.vectors(part::recurrent, one.channels * (r.kernel + (r.convolution_bias ? 1 : 0)) + one.vectors +
                                  (r.projection_bias ? one.in + at.width : 0));
}

[[nodiscard]] constexpr core core_of(const recurrent& r, const site& at) {
  core c;
  c.fixed = detail::core_flops(spec_of(r), at.width);
  return c;
}

// The recurrence is kept in fp32, the inputs of its convolution in bf16.
[[nodiscard]] constexpr kept kept_by(const recurrent& r, const site& at) {
  const std::int64_t last = r.kind == recurrence::rwkv ? 2 * at.width : r.kernel > 0 ? r.kernel - 1 : 0;
  const std::int64_t inputs =
      r.kind == recurrence::rwkv ? last : last * detail::widths_in(spec_of(r), at.width).channels;
  kept k;
  k.state = bytes{4 * static_cast<double>(detail::state_of(spec_of(r))) + 2 * static_cast<double>(inputs)};
  return k;
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
