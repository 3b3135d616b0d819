#ifndef TPUPLAN_HANDBOOK_PLACEMENT_HPP
#define TPUPLAN_HANDBOOK_PLACEMENT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/handbook/collective.hpp>
#include <tpuplan/parallel/collective_group.hpp>
#include <tpuplan/parallel/interconnect.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// Where the axes of a mesh lie on the torus: which ICI axes each degree spans, and whether they close into rings
/// there.

namespace tpuplan {
inline namespace abi_0 {

/// One degree of a layout on the torus: its length along each ICI axis. The product of the lengths, times `on_chip`, is
/// the degree.
struct placed_degree {
  text<16> name{};                               ///< as in `layout`: "tensor"
  std::int64_t degree = 1;                       ///< shards or copies
  std::array<std::int32_t, 3> lengths{1, 1, 1};  ///< chips along each ICI axis
  std::int64_t on_chip = 1;                      ///< devices of one chip
  bool rings = true;                             ///< every axis it spans is spanned whole, and wraps
};

/// The degrees inside a slice in the order in which they are placed, the one that communicates most first.
struct torus_placement {
  std::array<placed_degree, 6> degrees{};  ///< unused ones have degree 1
};

namespace detail {

/// Places a degree on whole free axes that divide it, longest first, then on parts of axes.
constexpr void place_degree(placed_degree& placed, std::array<std::int32_t, 3>& free, const slice& where) {
  std::int64_t left = placed.degree / placed.on_chip;
  for (const bool whole_only : {true, false}) {
    for (int round = 0; round < 3 && left > 1; ++round) {
      std::size_t best = 3;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool whole = free[axis] == where.shape.dims[axis] && left % free[axis] == 0;
        if (free[axis] == 1 || (whole_only && !whole) || common_divisor(left, free[axis]) == 1) continue;
        if (best == 3 || free[axis] > free[best]) best = axis;
      }
      if (best == 3) break;
      const auto part = static_cast<std::int32_t>(common_divisor(left, free[best]));
      placed.lengths[best] *= part;
      free[best] /= part;
      left /= part;
    }
  }
  if (left > 1)
    fail(errc::infeasible, "placement of a degree on the torus", placed.degree, "degrees that divide its axes");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (placed.lengths[axis] == 1) continue;
    if (placed.lengths[axis] != where.shape.dims[axis] || !is_ring(where, axis)) placed.rings = false;
  }
}

}  // namespace detail

/// Lays the degrees of a layout on the axes of a slice: tensor first, then context, expert, FSDP, data and pipeline,
/// each on whole axes where it can. The two devices of a chip go to the first degree that is even. Throws where a
/// degree does not fit the free axes. Worked: FSDP 16 x tensor 4 on v5p-128 has tensor on one ring of 4 and FSDP
/// on two.
[[nodiscard]] constexpr torus_placement place_on_torus(const layout& mesh, const slice& where) {
  validate(mesh, where);
  torus_placement result{{{{"tensor", mesh.tensor},
                           {"context", mesh.context},
                           {"expert", mesh.expert},
                           {"fsdp", mesh.fsdp},
                           {"data", mesh.data},
                           {"pipeline", mesh.pipeline}}}};
  std::array<std::int32_t, 3> free = where.shape.dims;
  std::int64_t on_chip = mesh.unit == mesh_unit::devices ? where.chip.jax_devices : 1;
  for (placed_degree& placed : result.degrees) {
    placed.on_chip = detail::common_divisor(placed.degree, on_chip);
    on_chip /= placed.on_chip;
    detail::place_degree(placed, free, where);
  }
  return result;
}

/// The group of chips in which one degree communicates. `all_gather` over the group of the FSDP degree
/// is the time of a gather of weights. Worked: 16 chips for FSDP 16 x tensor 4 on v5p-128.
[[nodiscard]] constexpr collective_group group_of(const placed_degree& placed, const slice& where) {
  return group_spanning(where, placed.lengths);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
