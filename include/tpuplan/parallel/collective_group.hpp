#ifndef TPUPLAN_PARALLEL_COLLECTIVE_GROUP_HPP
#define TPUPLAN_PARALLEL_COLLECTIVE_GROUP_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/parallel/interconnect.hpp>

/// @file
/// Groups of chips by the axes that they span: which of those axes close into rings, by the one rule of
/// `parallel/interconnect.hpp`, and how many links lead into a chip.

namespace tpuplan {
inline namespace abi_0 {

/// Time of one ICI hop, whatever it carries: about a microsecond. Source: scaling book, "TPU networking" (2025-12-15).
inline constexpr seconds ici_hop_latency{1e-6};

/// How the chips of a group are joined.
enum class network_kind : std::uint8_t {
  ring,     ///< every axis closes: both directions carry
  line,     ///< no axis closes: as fast as the chip at its end receives
  switch_,  ///< every chip has one port into a switch (GPUs in a node, nodes in a network)
  mixed,    ///< some axes close: `collective_group::closed` says which
};

/// Chips that take part in a collective: the lengths of the ICI axes they span.
struct collective_group {
  std::array<std::int32_t, 3> lengths{1, 1, 1};   ///< chips along each axis; 1: not spanned
  network_kind network = network_kind::ring;      ///< what joins the members
  bytes_per_second one_way{};                     ///< achieved rate of one link or port
  seconds per_hop = ici_hop_latency;              ///< time of one hop, whatever it carries
  member_share share = member_share::by_network;  ///< the part of the array counted as moved
  std::array<bool, 3> closed{};                   ///< which axes close; used where the network is `mixed`
};

/// Members of the group. Worked: 64 of 4 x 4 x 4.
[[nodiscard]] constexpr std::int64_t members(const collective_group& group) {
  for (const std::int32_t length : group.lengths) detail::positive_count("collective_group.lengths", length);
  return checked_multiply(group.lengths[0], group.lengths[1], group.lengths[2]);
}

/// Whether an axis of the group closes into a ring. Worked: no axis of a line does.
[[nodiscard]] constexpr bool is_ring(const collective_group& group, std::size_t axis) noexcept {
  return group.network == network_kind::ring ||
         (group.network == network_kind::mixed && axis < 3 && group.closed[axis]);
}

/// Links through which data comes into one chip of the group: two for each axis that closes, one for each that does not
/// (the chip at its end has no more), one port into a switch; 0 for a group of one.
/// Worked: 6 of a v5p cube of 4x4x4, 3 of v5e 8x16, 2 of v6e 2x4.
[[nodiscard]] constexpr double links_into(const collective_group& group) noexcept {
  double links = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (group.lengths[axis] > 1) links += is_ring(group, axis) ? 2 : 1;
  }
  return group.network == network_kind::switch_ && links > 1 ? 1 : links;
}

namespace detail {

/// `group_spanning` of lengths that need not fit the slice.
constexpr collective_group group_of_lengths(const slice& where, const std::array<std::int32_t, 3>& lengths) {
  collective_group group;
  group.lengths = lengths;
  group.one_way = ici_link_rate(where.chip);
  bool all_closed = true, all_open = true;
  const std::array<known<bool>, 3> closed = wraparound(where);  // see is_ring
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (lengths[axis] == 1) continue;
    group.closed[axis] = lengths[axis] == where.shape.dims[axis] && closed[axis].value_or(false);
    (group.closed[axis] ? all_open : all_closed) = false;
  }
  group.network = all_closed ? network_kind::ring : all_open ? network_kind::line : network_kind::mixed;
  return group;
}

}  // namespace detail

/// A group of those lengths along the axes of a slice, at achieved link rates. An axis that is not spanned whole is
/// open. Throws for more chips than an axis has. Worked: lengths {16, 1, 1} of v5litepod-256 are a ring of 16, {8, 1,
/// 1} a line.
[[nodiscard]] constexpr collective_group group_spanning(const slice& where,
                                                        const std::array<std::int32_t, 3>& lengths) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    detail::check_part("collective_group.lengths", lengths[axis], where.shape.dims[axis], "1 to the chips of the axis");
  return detail::group_of_lengths(where, lengths);
}

/// The group of all chips along some axes of a slice. Worked: axes {true, false, false} of v5p-128 are a ring of 4.
[[nodiscard]] constexpr collective_group group_along(const slice& where, const std::array<bool, 3>& axes) {
  std::array<std::int32_t, 3> lengths{1, 1, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axes[axis]) lengths[axis] = where.shape.dims[axis];
  }
  return group_spanning(where, lengths);
}

/// The chips of one of several equal blocks into which a slice is divided, such as the replicas of a served model: as
/// compact as the shape allows, since neighbours talk to each other. A block that spans a whole closed axis uses
/// its ring. A block that cannot tile the shape lies along its last axis.
/// Worked: 8 chips of v6e-256 are 2x4 with two links into a chip, 16 chips of v5p-128 are 2x2x4 with four.
[[nodiscard]] constexpr collective_group block_of(const slice& where, std::int64_t block_chips) {
  std::int64_t left = detail::positive_count("chips of a block", block_chips);
  detail::check_part("chips of a block", left, chips(where), "1 to the chips of the slice");
  if (left == chips(where)) return detail::group_of_lengths(where, where.shape.dims);
  std::array<std::int32_t, 3> lengths{1, 1, 1};
  for (std::int32_t factor = 2; left > 1;) {
    std::size_t best = 3;
    const std::size_t axes = left % factor == 0 ? 3 : 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const bool divides = where.shape.dims[axis] % (lengths[axis] * factor) == 0;
      if (divides && (best == 3 || lengths[axis] < lengths[best])) best = axis;
    }
    if (best < 3) {
      lengths[best] *= factor;
      left /= factor;
    } else if (++factor > left || factor > 64) {
      break;
    }
  }
  if (left > 1) lengths[2] = static_cast<std::int32_t>(lengths[2] * left);
  return detail::group_of_lengths(where, lengths);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
