#ifndef TPUPLAN_MODEL_BLOCKS_PROJECTOR_HPP
#define TPUPLAN_MODEL_BLOCKS_PROJECTOR_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// The way from a tower to another stream.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// An optional norm, an optional merge of neighbouring positions, then one to three matrices. Worked: 1024 to 4096 to
/// 4096 with biases, as in LLaVA 1.5, is 20979712 weights.
struct projector {
  std::int64_t input = 0;         ///< of the first matrix
  std::int64_t hidden = 0;        ///< 0: one matrix [input, output]
  std::int64_t inner = 0;         ///< of three matrices
  std::int64_t output = 0;        ///< width that it hands over
  std::int64_t norm_weights = 0;  ///< weights (and biases) of its norm
  std::int64_t merge = 1;         ///< positions per side that become one
  std::int64_t positions = 0;     ///< that it hands over; 0: all that come in
  bool merge_matrix = false;      ///< a matrix [merge^2 d, d] without bias, before the others
  bool bias = false;              ///< biases of its matrices
  std::int64_t beside = 0;        ///< more like it, whose norms are over their inputs
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const projector& p) {
  detail::check_dimension("projector.input", p.input);
  detail::check_dimension("projector.merge", p.merge);
  detail::check_sizes("projector.hidden, inner, output, norm_weights, positions or beside", p.hidden, p.inner, p.output,
                      p.norm_weights, p.positions, p.beside);
}

constexpr void weigh(const projector& p, const site& at, sums& to) {
  const std::int64_t all = 1 + p.beside;
  std::int64_t vectors = p.norm_weights + (p.norm_weights > 0 ? 2 * p.beside * p.input : 0), last = p.input;
  if (p.merge_matrix)
    to.add(product{checked_multiply(checked_multiply(p.merge, p.merge), at.width), at.width, 1, 1, role::other,
                   part::projector});
  const std::int64_t widths[] = {p.hidden, p.inner, p.output};
  for (const std::int64_t width : widths) {
    if (width == 0) continue;
    to.add(product{last, width, all, all, role::other, part::projector});
    vectors += p.bias ? all * width : 0;
    last = width;
  }
  to.vectors(part::projector, vectors);
}

[[nodiscard]] constexpr site after(const projector& p, site at) noexcept {
  at.width = p.output > 0 ? p.output : p.inner > 0 ? p.inner : p.hidden > 0 ? p.hidden : p.input;
  if (p.positions > 0) at.height = p.positions, at.columns = 1;
  return at;
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
