#ifndef TPUPLAN_HANDBOOK_COLLECTIVE_HPP
#define TPUPLAN_HANDBOOK_COLLECTIVE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/parallel/collective_group.hpp>
#include <tpuplan/parallel/interconnect.hpp>

/// @file
/// Time of a collective among a group of chips: by bandwidth, with the floor that latency sets. Bytes are those of the
/// whole gathered or reduced array, V in the formulas, as one group sees it: where the array is also sharded over an
/// axis outside of the group, the group's share of it. Source of all formulas: scaling book, "Sharded matrices" and
/// "Training" (2025-12-15).

namespace tpuplan {
inline namespace abi_0 {

/// Time of a collective: the larger of its bandwidth time and its latency time.
struct collective_cost {
  seconds bandwidth{};         ///< bytes over the rate of the links
  seconds latency{};           ///< all hops, one after the other
  seconds total{};             ///< the larger of both
  bool latency_bound = false;  ///< latency is the larger
};

namespace detail {

/// The part of the array that is counted as moving into a chip.
constexpr double share_of(const collective_group& group, double n) noexcept {
  const member_share usual = group.network == network_kind::ring ? member_share::whole : member_share::others;
  return (group.share == member_share::by_network ? usual : group.share) == member_share::others ? (n - 1) / n : 1;
}

constexpr collective_cost make_cost(seconds bandwidth, seconds latency) noexcept {
  return {bandwidth, latency, max(bandwidth, latency), bandwidth < latency};
}

constexpr void check_collective(const collective_group& group, bytes array) {
  not_negative("bytes of the array", array.value());
  positive("collective_group.one_way", group.one_way.value());
  not_negative("collective_group.per_hop", group.per_hop.value());
}

/// Hops after which the last part has arrived: half a ring, a whole line; two on a switch.
constexpr double hops_of_group(const collective_group& group) noexcept {
  double hops = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double length = group.lengths[axis];
    if (length > 1) hops += is_ring(group, axis) ? length / 2 : length - 1;
  }
  return group.network == network_kind::switch_ ? 2 : hops;
}

}  // namespace detail

/// Time of an all-gather, after which every member has the whole array, of which each had a part. On rings V bytes come
/// in over the links of a chip; on lines, switches and groups with an open axis only (n-1)/n V do.
/// Worked: 128 MiB over a ring of 16 at 45 GB/s one-way take 1.491 ms; 1.398 ms where only the others' part counts.
[[nodiscard]] constexpr collective_cost all_gather(bytes array, const collective_group& group) {
  detail::check_collective(group, array);
  const auto n = static_cast<double>(members(group));
  if (n == 1) return {};
  return detail::make_cost(array * detail::share_of(group, n) / (group.one_way * links_into(group)),
                           group.per_hop * detail::hops_of_group(group));
}

/// Time of a reduce-scatter, after which every member has its part of the sum of all arrays. It moves as many bytes as
/// an all-gather, in the other direction, and takes as long. Worked: 128 MiB over a ring of 16 at 45 GB/s one-way
/// take 1.491 ms.
[[nodiscard]] constexpr collective_cost reduce_scatter(bytes array, const collective_group& group) {
  return all_gather(array, group);
}

/// Time of an all-reduce, after which every member has the whole sum: a reduce-scatter, then an all-gather. Worked:
/// twice all_gather.
[[nodiscard]] constexpr collective_cost all_reduce(bytes array, const collective_group& group) {
  const collective_cost half = all_gather(array, group);
  return detail::make_cost(2 * half.bandwidth, 2 * half.latency);
}

/// Time of an all-to-all, in which every member sends a different part of the array to every other. On a torus of n
/// chips whose longest axis has m, links moving W one way, it takes V m / (8 n W), on one ring V / (8 W). An axis that
/// does not close takes as long as a ring of twice its length, because half of the parts cross its one middle link. A
/// switch takes V (n-1)/n^2 / W, or V / (n W) where the whole array counts: `share` is used only there. Worked: 1 GB
/// over 16 x 16 rings at 45 GB/s one-way takes 174 us.
[[nodiscard]] constexpr collective_cost all_to_all(bytes array, const collective_group& group) {
  detail::check_collective(group, array);
  const auto n = static_cast<double>(members(group));
  if (n == 1) return {};
  const seconds latency = group.per_hop * detail::hops_of_group(group);
  if (group.network == network_kind::switch_) {
    return detail::make_cost(array * (detail::share_of(group, n) / n) / group.one_way, latency);
  }
  double slowest = 1;  // axis, by length; an open axis is as slow as a ring of twice its length
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double length = group.lengths[axis] * (is_ring(group, axis) ? 1.0 : 2.0);
    if (group.lengths[axis] > 1 && length > slowest) slowest = length;
  }
  return detail::make_cost(array * (slowest / (4 * n)) / (2 * group.one_way), latency);
}

/// Bytes that cross each link where n members of a one-way ring gather an array of V bytes: V (1 - 1/n). Refuses a
/// negative array and fewer than one member. Worked: 7/8 of the array for n = 8.
[[nodiscard]] constexpr bytes one_way_all_gather_traffic(bytes array, std::int64_t ring_members) {
  detail::not_negative("bytes of the array", array.value());
  return array * (1 - 1 / static_cast<double>(detail::positive_count("members", ring_members)));
}

/// Bytes that cross each link where n members of a one-way ring do an all-to-all of V bytes: V (1 - 1/n) / 2, as a part
/// goes half of the way round on average. Refuses what the all-gather's count refuses. Worked: 7/16 of the array for
/// n = 8.
[[nodiscard]] constexpr bytes one_way_all_to_all_traffic(bytes array, std::int64_t ring_members) {
  return one_way_all_gather_traffic(array, ring_members) / 2;
}

/// Effective bandwidth of an all-gather through a level of a switched network with d members of W bytes/s each: W
/// d/(d-1). The slowest level of a network decides. Worked: 8 GPUs of 450 GB/s are as good as 514 GB/s.
[[nodiscard]] constexpr bytes_per_second switched_bandwidth(bytes_per_second one_way, std::int64_t level_members) {
  detail::positive("one_way", one_way.value());
  if (level_members < 2) detail::fail(errc::invalid_argument, "members of a level", level_members, "2 or more");
  const auto d = static_cast<double>(level_members);
  return one_way * (d / (d - 1));
}

/// All-reduce of an array between slices: each chip reduces its share of the array over DCN with the same chip of the
/// other slices. Throws where the chip's DCN rate is not known. Worked: 8 B x D x F, D 8192, F 28672, over two slices
/// of 8960 v5p: 33.6 us.
[[nodiscard]] constexpr collective_cost all_reduce_between_slices(bytes array, const slice& where,
                                                                  std::int64_t slice_total,
                                                                  member_share share = member_share::others) {
  detail::not_negative("bytes of the array", array.value());
  const auto replicas = static_cast<double>(detail::positive_count("slices", slice_total));
  if (replicas == 1) return {};
  const bytes held = array / static_cast<double>(detail::positive_count("slice.shape", chips(where)));
  return detail::make_cost(held * all_reduce_share(replicas, share) / dcn_rate(where), seconds{0});
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
