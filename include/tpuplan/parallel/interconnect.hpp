#ifndef TPUPLAN_PARALLEL_INTERCONNECT_HPP
#define TPUPLAN_PARALLEL_INTERCONNECT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/parallel/layout.hpp>

/// @file
/// The one rule for rings, axes and links, and the rate at which data comes into one chip of a group. The handbook's
/// collectives, the estimates and the planner all ask here.

namespace tpuplan {
inline namespace abi_0 {

/// The achieved one-way rate of one link: nominal rate times achievable fraction. Worked: 50 GB/s x 0.9 = 45 GB/s on
/// v5e.
[[nodiscard]] constexpr bytes_per_second ici_link_rate(const chip_spec& chip) {
  detail::positive("chip.ici.nominal_one_way", chip.ici.nominal_one_way.value());
  detail::positive("chip.ici.achievable_fraction", chip.ici.achievable_fraction);
  detail::in_range("chip.ici.achievable_fraction", chip.ici.achievable_fraction, 0, 1, "above 0, at most 1");
  return chip.ici.nominal_one_way * chip.ici.achievable_fraction;
}

/// Whether an ICI axis of a slice closes into a ring, so that both of its directions carry a collective. An axis whose
/// wraparound is not established (partial slices of v2 and v3) counts as open: the answer that promises less.
/// Worked: of v5e 8x16 only the second axis is a ring; of v5p 4x4x8 all three are.
[[nodiscard]] constexpr bool is_ring(const slice& where, std::size_t axis) {
  if (axis >= 3) detail::fail(errc::out_of_range, "axis", static_cast<std::int64_t>(axis), "0, 1 or 2");
  return wraparound(where)[axis].value_or(false);
}

/// Whether a collective of n members is counted as moving the whole array or (n-1)/n of it. On rings the scaling book
/// drops the factor, because the best known two-way schedules of even rings do not gain from it; on switches it does so
/// in rough estimates.
enum class member_share : std::uint8_t {
  by_network,  ///< `whole` on rings, `others` on lines and switches
  whole,       ///< the whole array
  others       ///< (n-1)/n of it: what the other members hold
};

/// Links through which data comes into one chip of the whole slice. For a slice of one chip it is the connection
/// between its own two devices, counted in links. Worked: 6 of v5p-128, 2 of v6e-8, 6 of tpu7x-2, whose dies are joined
/// at six times the rate of a link.
[[nodiscard]] constexpr double links_into_chip(const slice& where) {
  if (chips(where) == 1) return where.chip.ici.die_to_die_over_link.value_or(1);
  const std::array<known<bool>, 3> closed = wraparound(where);  // see is_ring
  double links = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (where.shape.dims[axis] > 1) links += closed[axis].value_or(false) ? 2 : 1;
  }
  return links;
}

/// The rate at which one chip receives the traffic of a group of `group` of the slice's `units` (chips or devices),
/// while the groups of the layout's other degrees use links too. A chip's links are shared out in proportion to the
/// logarithms of the degrees, as the axes of a torus are. A group has at least one link, and leaves one to the others.
/// Worked: on v5p-128 a degree of 8 of 64 has 3 of 6 links, 270 GB/s; on v6e-256 degrees of 128 and 2 have 3 and 1
/// of 4.
[[nodiscard]] constexpr bytes_per_second group_bandwidth(const slice& where, double group, double units) {
  const bytes_per_second link = ici_link_rate(where.chip);
  const double all = links_into_chip(where);
  detail::in_range("units of the slice", units, 1, 1e9, "1 to 1e9");
  detail::in_range("units of a group", group, 1, 1e9, "1 to 1e9");
  if (group >= units) return link * (all < 1 ? 1 : all);
  double links = all * (math::log2(group) / math::log2(units));
  if (links > all - 1) links = all - 1;
  return link * (links < 1 ? 1 : links);
}

/// The rate of one chip into the network between slices: its share of the host's network card, or of PCIe where that is
/// less. Throws where the chip's DCN rate is not known. Worked: 6.25 GB/s on v5p.
[[nodiscard]] constexpr bytes_per_second dcn_rate(const chip_spec& chip) {
  const bytes_per_second network = chip.host.dcn.value("DCN rate of the chip");
  detail::positive("DCN rate of the chip", network.value());
  const bytes_per_second rate = min(chip.host.pcie.value_or(network), network);
  detail::positive("PCIe rate of the chip", rate.value());
  return rate;
}

namespace detail {

/// What each chip of a slice of one VM has of its chip's usual share of the network: VMs of one generation differ. 1 of
/// larger slices, and where the VM's network is not documented.
constexpr double share_of_network(const slice& where) {
  if (vms(where) != 1) return 1;
  const maybe<machine_type> type = machine_type_of(where);
  const maybe<chip_spec> usual = find_chip(where.chip.name);
  if (!type || !type->gigabits.has_value() || !usual || !usual->host.dcn.has_value()) return 1;
  const double each = type->gigabits.value() * 1e9 / 8 / static_cast<double>(type->chips);
  return each / usual->host.dcn.value().value();
}

}  // namespace detail

/// The rate of one chip of a slice into the network between slices, by the network of its VM where the slice is one
/// VM. Throws where the chip's DCN rate is not known. Worked: 12.5 GB/s on v6e-16 and on v6e-4; 3.125 GB/s on v6e-8,
/// one ct6e-standard-8t with 200 Gbit/s for 8 chips.
[[nodiscard]] constexpr bytes_per_second dcn_rate(const slice& where) {
  const bytes_per_second rate = dcn_rate(where.chip);
  const double share = detail::share_of_network(where);
  return share == 1 ? rate : min(rate, where.chip.host.dcn.value() * share);
}

/// What an all-reduce among n slices moves through each chip, as a multiple of the array that the chip holds: its
/// reduce-scatter and its all-gather each move (n-1)/n of the array, or each the whole of it. Throws for fewer slices
/// than 1. Worked: 1 for two slices, 1.5 for four.
[[nodiscard]] constexpr double all_reduce_share(double slices, member_share share = member_share::others) {
  if (detail::in_range("slices", slices, 1, 1e18, "1 or more") == 1) return 0;
  return share == member_share::whole ? 2 : 2 * (slices - 1) / slices;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
