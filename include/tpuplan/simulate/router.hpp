#ifndef TPUPLAN_SIMULATE_ROUTER_HPP
#define TPUPLAN_SIMULATE_ROUTER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/spelling.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/simulate/outage.hpp>

/// @file
/// How a router sends requests to the replicas of a fleet.

namespace tpuplan {
inline namespace abi_0 {

/// Where a router sends a request. Enumerators and their names are stable.
enum class request_routing : std::uint8_t {
  round_robin,  ///< to each replica in turn
  random,       ///< to any, with equal chances
  queue,        ///< to the one with the fewest requests in flight
  prefix,       ///< to one that has most of the prompt, unless it is too busy; see `affinity_share`
};

/// "round_robin" and so on.
[[nodiscard]] constexpr std::string_view name(request_routing routing) noexcept {
  constexpr const char* names[] = {"round_robin", "random", "queue", "prefix"};
  return detail::name_of(names, static_cast<std::size_t>(routing));
}
/// The routing of that name; nothing for other words. Worked: "prefix" is `prefix`.
[[nodiscard]] constexpr maybe<request_routing> parse_request_routing(std::string_view given) noexcept {
  return detail::enumerator_named<request_routing>(given);
}

/// Routing by prefix, as llm-d's router does it with its defaults (prefix-cache-affinity-filter and token-load-scorer,
/// llm-d/llm-d-router@066c20e): of the replicas that have at least `affinity_share` of a prompt, or of all where none
/// has, that with the fewest tokens to compute: those of its requests without a first token, and those that it lacks of
/// this one. Where the best of the former would begin more than `affinity_patience` after the best of the others, all
/// are considered.
inline constexpr double affinity_share = 0.8;
inline constexpr seconds affinity_patience{18};  ///< see affinity_share

/// The router of a fleet, and what its replicas keep.
struct fleet_routing {
  request_routing by = request_routing::round_robin;  ///< where requests go
  std::int64_t shared_prefix = 0;                     ///< tokens that conversations of a group have in common
  std::int64_t groups = 1;                            ///< of such prefixes
  std::int64_t host_blocks = 0;                       ///< blocks of the cache that the hosts of a replica hold
  seconds block_load{};                               ///< to bring one of them to the chips
  std::int64_t seed = 1;                              ///< of random routing
  replica_outage outage{};                            ///< replicas that go and come back
};

}  // namespace abi_0
}  // namespace tpuplan

#endif
