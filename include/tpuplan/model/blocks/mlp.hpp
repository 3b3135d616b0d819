#ifndef TPUPLAN_MODEL_BLOCKS_MLP_HPP
#define TPUPLAN_MODEL_BLOCKS_MLP_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// The dense MLP of a layer.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// Up (and gate), activation function, down. Worked: 14336 wide on a stream of 4096, with a gate: 176160768 weights.
struct mlp {
  std::int64_t d_ff = 0;                ///< inner width
  std::int64_t activation_weights = 0;  ///< learned numbers of the activation function (Apertus: 2)
  bool gated = true;                    ///< three matrices (SwiGLU, GeGLU) instead of two
  bool bias = false;                    ///< biases of the matrices
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const mlp& m) {
  detail::check_dimension("mlp.d_ff", m.d_ff);
  detail::check_size("mlp.activation_weights", m.activation_weights);
}

constexpr void weigh(const mlp& m, const site& at, sums& to) {
  const std::int64_t ways = m.gated ? 2 : 1;
  to.add(product{at.width, ways * m.d_ff, 1, 1, role::up, part::mlp});
  to.add(product{m.d_ff, at.width, 1, 1, role::down, part::mlp});
  to.vectors(part::mlp, (m.bias ? ways * m.d_ff + at.width : 0) + m.activation_weights);
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
