#ifndef TPUPLAN_MODEL_BLOCKS_CONVOLUTION_HPP
#define TPUPLAN_MODEL_BLOCKS_CONVOLUTION_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/norm.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Convolutions over an image or a sequence, and the windows that they share with pools.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// Positions of one side behind windows of `kernel` positions, `stride` apart. A padding of -1 is "same": ceil(side /
/// stride). Worked: 224 in windows of 7, 2 apart, padded by 3, are 112.
[[nodiscard]] constexpr std::int64_t side_after(std::int64_t side, std::int64_t kernel, std::int64_t stride,
                                                std::int64_t padding) {
  if (padding < 0) return ceil_div(side, stride);
  const std::int64_t padded = side + 2 * padding;
  if (padded < kernel)
    detail::fail(errc::out_of_range, "kernel", kernel, "at most the side of what comes in, padding added");
  return (padded - kernel) / stride + 1;
}

/// A convolution; in two dimensions with square windows where the stream has columns. With as many groups as channels
/// it is depthwise. Worked: 7 x 7 over 3 channels to 64, with batch norm, is 9408 + 128 weights.
struct convolution {
  std::int64_t outputs = 0;          ///< channels; 0: as come in
  std::int64_t kernel = 1;           ///< side of a window
  std::int64_t stride = 1;           ///< positions from one window to the next
  std::int64_t padding = -1;         ///< positions added at each side; -1: "same"
  std::int64_t groups = 1;           ///< of channels; 0: each by itself (depthwise)
  bool bias = true;                  ///< one for each output
  bool flat = false;                 ///< a window is of one dimension
  norm_kind norm = norm_kind::none;  ///< that follows
  part of = part::other;             ///< of the count
  std::int64_t frames = 1;           ///< frames of a window; "same"
  std::int64_t frame_stride = 1;     ///< frames from one window to the next, the first at the first
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const convolution& c) {
  detail::check_size("convolution.outputs", c.outputs);
  detail::check_dimension("convolution.kernel", c.kernel);
  detail::check_dimension("convolution.stride", c.stride);
  detail::check_size("convolution.groups", c.groups);
  detail::check_dimension("convolution.frames", c.frames);
  detail::check_dimension("convolution.frame_stride", c.frame_stride);
  if (c.padding < -1 || c.padding > detail::most_size)
    detail::fail(errc::out_of_range, "convolution.padding", c.padding, "-1 (same) to 16777216");
}

constexpr void weigh(const convolution& c, const site& at, sums& to) {
  const std::int64_t outputs = c.outputs > 0 ? c.outputs : at.width, groups = c.groups > 0 ? c.groups : at.width;
  if (at.width % groups != 0 || outputs % groups != 0)
    detail::fail(errc::not_divisible, "convolution.groups", groups,
                 "a divisor of the channels that come in and go out");
  const std::int64_t window = c.flat ? c.kernel : checked_multiply(c.kernel, c.kernel, c.frames);
  to.add(product{checked_multiply(window, at.width / groups), outputs / groups, groups, groups, role::other, c.of});
  const std::int64_t norm = detail::norm_weights(c.norm, outputs);
  to.vectors(c.of, (c.bias ? outputs : 0) + norm);
  if (c.norm == norm_kind::batch) to.statistic(norm);
}

[[nodiscard]] constexpr site after(const convolution& c, site at) {
  at.height = side_after(at.height, c.kernel, c.stride, c.padding);
  if (!c.flat) at.columns = side_after(at.columns, c.kernel, c.stride, c.padding);
  at.frames = ceil_div(at.frames, c.frame_stride);
  if (c.outputs > 0) at.width = c.outputs;
  return at;
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
