#ifndef TPUPLAN_MODEL_BLOCKS_LOW_RANK_HPP
#define TPUPLAN_MODEL_BLOCKS_LOW_RANK_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// A matrix of the width of the stream as the product of two thin ones.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// A matrix of that rank. Worked: one of 64 on a stream of 4096 has 524288 weights.
struct low_rank {
  std::int64_t rank = 0;  ///< inner width
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const low_rank& l) { detail::check_dimension("low_rank.rank", l.rank); }

constexpr void weigh(const low_rank& l, const site& at, sums& to) {
  to.add(product{at.width, l.rank, 1, 1, role::up, part::mlp});
  to.add(product{l.rank, at.width, 1, 1, role::down, part::mlp});
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
