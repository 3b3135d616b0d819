#ifndef TPUPLAN_MODEL_BLOCKS_REMAINDER_HPP
#define TPUPLAN_MODEL_BLOCKS_REMAINDER_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// What a short form has as numbers of weights alone.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// Weights without shapes: `other_products` and `other_weights` of a transformer, those of a tower, and the
/// convolutions before an encoder of speech. Worked: 1000 in products and -8 beside them are 992.
struct remainder {
  std::int64_t products = 0;  ///< in products of every position
  std::int64_t weights = 0;   ///< in no product; may be below 0 where other blocks count too many
  part of = part::other;      ///< of the count
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const remainder& r) {
  detail::check_part("remainder.products", r.products, detail::most_parameters, "0 to 2^53");
  if (r.weights < -detail::most_parameters || r.weights > detail::most_parameters)
    detail::fail(errc::out_of_range, "remainder.weights", r.weights, "-2^53 to 2^53");
}

constexpr void weigh(const remainder& r, const site&, sums& to) {
  if (r.products > 0) to.add(product{r.products, 1, 1, 1, role::other, r.of});
  to.vectors(r.of, r.weights);
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
