#ifndef TPUPLAN_MODEL_BLOCKS_POOLING_HPP
#define TPUPLAN_MODEL_BLOCKS_POOLING_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/convolution.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Pools: windows of which one number remains.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// A pool; over all positions with kernel 0. Worked: 112 x 112 in windows of 3, 2 apart, padded by 1, are 56 x 56.
struct pooling {
  std::int64_t kernel = 0;    ///< side of a window; 0: everything
  std::int64_t stride = 1;    ///< positions from one window to the next
  std::int64_t padding = -1;  ///< positions added at each side; -1: "same"
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const pooling& p) {
  detail::check_size("pooling.kernel", p.kernel);
  detail::check_dimension("pooling.stride", p.stride);
  if (p.padding < -1 || p.padding > detail::most_size)
    detail::fail(errc::out_of_range, "pooling.padding", p.padding, "-1 (same) to 16777216");
}

[[nodiscard]] constexpr site after(const pooling& p, site at) {
  at.height = p.kernel == 0 ? 1 : side_after(at.height, p.kernel, p.stride, p.padding);
  at.columns = p.kernel == 0 ? 1 : side_after(at.columns, p.kernel, p.stride, p.padding);
  return at;
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
