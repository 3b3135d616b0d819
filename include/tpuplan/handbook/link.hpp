#ifndef TPUPLAN_HANDBOOK_LINK_HPP
#define TPUPLAN_HANDBOOK_LINK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/parallel/collective_group.hpp>
#include <tpuplan/parallel/interconnect.hpp>

/// @file
/// Sending from one chip to another: hops, the time to the first byte and the time of the rest; and each chip's share
/// of its host's network card.

namespace tpuplan {
inline namespace abi_0 {

/// The place of a chip in its slice.
struct chip_position {
  std::array<std::int32_t, 3> at{0, 0, 0};  ///< its coordinate along each axis, from 0
};

namespace detail {

/// The length of the shortest way along one axis, and in how many directions a way is that short.
struct axis_way {
  std::int64_t hops = 0;
  std::int64_t directions = 0;
};

constexpr axis_way way_along(const slice& where, const chip_position& from, const chip_position& to, std::size_t axis) {
  const std::int64_t length = positive_count("slice.shape", where.shape.dims[axis]);
  const std::int64_t a = from.at[axis];
  const std::int64_t b = to.at[axis];
  for (const std::int64_t position : {a, b}) {
    if (position < 0 || position >= length)
      fail(errc::out_of_range, "chip_position.at", position, "0 to the axis' length less 1");
  }
  const std::int64_t straight = a < b ? b - a : a - b;
  if (straight == 0) return {};
  const std::int64_t around = length - straight;
  if (straight < around || !wraparound(where)[axis].value("wraparound of the slice")) return {straight, 1};
  return {around, straight == around ? 2 : 1};
}

}  // namespace detail

/// Hops on the shortest way between two chips: min(d, n - d) along an axis of n that wraps, d along one that does not.
/// Throws for positions outside of the slice, and where the answer depends on a wraparound that is unknown.
/// Twisted shapes are counted as plain ones. Worked: 8 from (0, 0) to (13, 5) of v5litepod-256.
/// Source: scaling book, "TPU networking".
[[nodiscard]] constexpr std::int64_t hops(const slice& where, const chip_position& from, const chip_position& to) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) sum += detail::way_along(where, from, to, axis).hops;
  return sum;
}

/// Links on which a shortest way leaves the sender: one per axis to be crossed, two where both directions are equally
/// short. Worked: 2 from corner to corner of v5litepod-16, 4 from (0, 0) to (8, 8) of v5litepod-256.
[[nodiscard]] constexpr std::int64_t shortest_ports(const slice& where, const chip_position& from,
                                                    const chip_position& to) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) sum += detail::way_along(where, from, to, axis).directions;
  return sum;
}

/// Hops between the two chips that are farthest apart: n/2 along an axis that wraps, n - 1 along one that does not.
/// Throws where a wraparound is unknown. Worked: 16 in v5litepod-256, 6 in v5litepod-16.
[[nodiscard]] constexpr std::int64_t farthest_hops(const slice& where) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t length = detail::positive_count("slice.shape", where.shape.dims[axis]);
    if (length == 1) continue;
    sum += wraparound(where)[axis].value("wraparound of the slice") ? length / 2 : length - 1;
  }
  return sum;
}

/// Time until the first byte has crossed that many hops. Worked: 6 us over 6 hops.
[[nodiscard]] constexpr seconds first_byte_time(std::int64_t hop_count, seconds per_hop = ici_hop_latency) {
  detail::count_from("hops", hop_count, 0);
  detail::positive("latency per hop", per_hop.value());
  return per_hop * static_cast<double>(hop_count);
}

/// Sending an array from one chip to another: first_byte + streaming = total.
struct send_breakdown {
  std::int64_t hops = 0;   ///< between the chips
  std::int64_t ports = 0;  ///< links of the sender that are used
  seconds first_byte{};    ///< hops x latency of one
  seconds streaming{};     ///< the bytes over the ports
  seconds total{};         ///< of both
};

/// Time to send an array over all shortest ways between two chips of a slice; 0 from a chip to itself. Worked:
/// bf16[8,128,8192] from corner to corner of v5litepod-16: 6 us to the first byte, 186.4 us of streaming over two ports
/// at 45 GB/s. Source: scaling book, "TPUs", exercise.
[[nodiscard]] constexpr send_breakdown send_time(bytes amount, const slice& where, const chip_position& from,
                                                 const chip_position& to, seconds per_hop = ici_hop_latency) {
  detail::positive("amount", amount.value());
  send_breakdown result;
  result.hops = hops(where, from, to);
  result.ports = shortest_ports(where, from, to);
  if (result.hops == 0) return result;
  result.first_byte = first_byte_time(result.hops, per_hop);
  result.streaming = amount / (ici_link_rate(where.chip) * static_cast<double>(result.ports));
  result.total = result.first_byte + result.streaming;
  return result;
}

/// The size of a message below which the latency of a hop takes longer than its bytes: link rate x latency.
/// Worked: 45 kB on v5e. Source: scaling book, "Sharded matrices".
[[nodiscard]] constexpr bytes latency_bound_bytes(const chip_spec& chip, seconds per_hop = ici_hop_latency) {
  detail::positive("latency per hop", per_hop.value());
  return ici_link_rate(chip) * per_hop;
}

/// One-way rates into the data-centre network: of a host, and of each of its chips.
struct network_share {
  bytes_per_second host{};  ///< of the host's network card
  bytes_per_second chip{};  ///< of one chip
};

/// The rate of a host's network card, given in gigabits as it is sold, shared evenly by its chips: `host_spec.dcn`.
/// Worked: 200 Gb/s for 4 chips are 25 GB/s and 6.25 GB/s (v5p). Source: scaling book, "Training".
[[nodiscard]] constexpr network_share network_share_of(double gigabits_per_second, std::int64_t chips_per_host) {
  detail::positive("gigabits_per_second", gigabits_per_second);
  const bytes_per_second host{gigabits_per_second * 1e9 / 8};
  return {host, host / static_cast<double>(detail::positive_count("chips_per_host", chips_per_host))};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
