#ifndef TPUPLAN_MODEL_BLOCKS_RESIDUAL_HPP
#define TPUPLAN_MODEL_BLOCKS_RESIDUAL_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/norm.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Residual blocks of two convolutions over an image or a clip (UNets, autoencoders).

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// Norm, convolution, norm, convolution, and a product of each position beside them where the channels change; "same"
/// positions. The stream of `place.other` makes scales of the time step. Worked: from 320 channels to 640, 3 x 3, with
/// scales made of 1280 numbers: 6558080 weights.
struct residual {
  std::int64_t outputs = 0;           ///< channels; 0: as come in
  std::int64_t skip = 0;              ///< channels that an earlier block adds to those of the stream
  std::int64_t kernel = 3;            ///< side of a window
  std::int64_t frames = 1;            ///< frames of a window
  std::int64_t scales = 0;            ///< vectors made of the other stream: 1 shifts, 2 scale and shift; 0: none
  norm_kind norm = norm_kind::layer;  ///< of both (a norm over groups counts as layer); none: without weights
  bool bias = true;                   ///< of the convolutions
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const residual& r) {
  detail::check_sizes("residual.outputs or skip", r.outputs, r.skip);
  detail::check_dimension("residual.kernel", r.kernel);
  detail::check_dimension("residual.frames", r.frames);
  detail::check_part("residual.scales", r.scales, 2, "0 to 2");
}

constexpr void weigh(const residual& r, const site& at, sums& to) {
  const std::int64_t inputs = checked_add(at.width, r.skip), outputs = r.outputs > 0 ? r.outputs : at.width;
  const std::int64_t window = checked_multiply(r.kernel, r.kernel, r.frames);
  if (r.scales > 0 && at.other_width == 0)
    detail::fail(errc::missing_field, "place.other", "none", "the stream that makes the scales");
  to.add(product{checked_multiply(window, inputs), outputs});
  to.add(product{checked_multiply(window, outputs), outputs});
  if (inputs != outputs) to.add(product{inputs, outputs});
  if (r.scales > 0) to.add(product{at.other_width, r.scales * outputs, 1, 1, role::other, part::other, true});
  to.vectors(part::other, (r.bias ? (2 + (inputs != outputs ? 1 : 0)) * outputs : 0) + r.scales * outputs +
                              detail::norm_weights(r.norm, inputs) + detail::norm_weights(r.norm, outputs));
}

[[nodiscard]] constexpr site after(const residual& r, site at) noexcept {
  if (r.outputs > 0) at.width = r.outputs;
  return at;
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
