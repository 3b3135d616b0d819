#ifndef TPUPLAN_MODEL_BLOCKS_MODULATION_HPP
#define TPUPLAN_MODEL_BLOCKS_MODULATION_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// Scales and shifts of a diffusion transformer, which depend on the time step.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// Learned numbers that are added to those made from the time step: `vectors` of the width of the stream. Worked: 6 of
/// 5120 in each layer of Wan 2.1.
struct modulation {
  std::int64_t vectors = 0;  ///< in a layer
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const modulation& m) { detail::check_part("modulation.vectors", m.vectors, 64, "0 to 64"); }

constexpr void weigh(const modulation& m, const site& at, sums& to) { to.vectors(part::norms, m.vectors * at.width); }
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif
