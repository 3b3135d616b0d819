#ifndef TPUPLAN_MODEL_BLOCKS_DENSE_HPP
#define TPUPLAN_MODEL_BLOCKS_DENSE_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/norm.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// One matrix, applied at each position.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// A dense layer. Worked: 784 to 128 with a bias is 100480 weights.
struct dense {
  std::int64_t inputs = 0;           ///< 0: the width of the stream
  std::int64_t outputs = 0;          ///< to this width the stream changes
  bool bias = true;                  ///< one for each output
  norm_kind norm = norm_kind::none;  ///< that follows
  role what = role::other;           ///< in a layer
  part of = part::other;             ///< of the count
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const dense& d) {
  detail::check_size("dense.inputs", d.inputs);
  detail::check_dimension("dense.outputs", d.outputs);
}

constexpr void weigh(const dense& d, const site& at, sums& to) {
  to.add(product{d.inputs > 0 ? d.inputs : at.width, d.outputs, 1, 1, d.what, d.of});
  const std::int64_t norm = detail::norm_weights(d.norm, d.outputs);
  to.vectors(d.of, (d.bias ? d.outputs : 0) + norm);
  if (d.norm == norm_kind::batch) to.statistic(norm);
}

[[nodiscard]] constexpr site after(const dense& d, site at) noexcept {
  at.width = d.outputs;
  return at;
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
