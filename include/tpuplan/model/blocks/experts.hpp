#ifndef TPUPLAN_MODEL_BLOCKS_EXPERTS_HPP
#define TPUPLAN_MODEL_BLOCKS_EXPERTS_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Mixtures of experts.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// A router, its experts, and an MLP beside them through which every token passes. Worked: 256 experts of 2048 on a
/// stream of 7168 are 11274289152 weights, of which a token meets 8 / 256.
struct experts {
  std::int64_t count = 0;               ///< routed experts of one layer
  std::int64_t top_k = 0;               ///< experts of one token
  std::int64_t d_ff = 0;                ///< inner width of one expert
  std::int64_t shared_d_ff = 0;         ///< of what every token passes: shared experts, a dense MLP
  std::int64_t activation_weights = 0;  ///< learned numbers of the activation function
  bool gated = true;                    ///< three matrices instead of two
  bool bias = false;                    ///< biases of the experts' matrices
  bool router_bias = false;             ///< a bias for each expert
  bool shared_gate = false;             ///< one more output of the router, a gate on the shared experts
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const experts& e) {
  detail::check_dimension("experts.count", e.count);
  detail::check_dimension("experts.top_k", e.top_k);
  detail::check_part("experts.top_k", e.top_k, e.count, "1 to the number of experts");
  detail::check_dimension("experts.d_ff", e.d_ff);
  detail::check_size("experts.shared_d_ff", e.shared_d_ff);
  detail::check_size("experts.activation_weights", e.activation_weights);
}

constexpr void weigh(const experts& e, const site& at, sums& to) {
  const std::int64_t ways = e.gated ? 2 : 1;
  to.add(product{at.width, ways * e.d_ff, e.count, e.top_k, role::up, part::experts});
  to.add(product{e.d_ff, at.width, e.count, e.top_k, role::down, part::experts});
  if (e.bias) to.vectors(part::experts, ways * e.d_ff + at.width, e.count, e.top_k);
  to.add(product{at.width, e.count + (e.shared_gate ? 1 : 0), 1, 1, role::router, part::router});
  if (e.router_bias) to.vectors(part::router, e.count);
  if (e.shared_d_ff > 0) {
    to.add(product{at.width, ways * e.shared_d_ff, 1, 1, role::up, part::mlp});
    to.add(product{e.shared_d_ff, at.width, 1, 1, role::down, part::mlp});
  }
  to.vectors(part::mlp, e.activation_weights);
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
