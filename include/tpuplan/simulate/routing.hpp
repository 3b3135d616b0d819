#ifndef TPUPLAN_SIMULATE_ROUTING_HPP
#define TPUPLAN_SIMULATE_ROUTING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <tpuplan/simulate/outage.hpp>
#include <tpuplan/simulate/routed_fleet.hpp>
#include <tpuplan/simulate/router.hpp>
#include <tpuplan/simulate/sessions.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <utility>
#include <vector>

/// @file
/// All replicas of a fleet at once, with a router before them that decides where each request goes, and caches that
/// keep what requests have in common.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

inline void validate(const closed_loop& loop, const std::vector<session_request>& requests) {
  const auto count = static_cast<std::int64_t>(requests.size());
  check_count("closed_loop.clients", loop.clients, requests.empty() ? 0 : requests.back().conversation + 1,
              "0, or at most as many as there are conversations");
  in_range("closed_loop.ramp", loop.ramp.value(), 0, 1e6, "0 to 1000000 s");
  check_count("closed_loop.warm_up", loop.warm_up, count - 1, "0 to fewer than the requests");
  for (const session_request& one : requests) {
    not_negative("simulated_request.arrival", one.sized.arrival.value());
    not_negative("session_request.think", one.think.value());
  }
}

}  // namespace detail

/// A run of all replicas of an engine behind a router. Without clients in `loop` conversations begin when their first
/// requests say; with clients each holds one conversation after the other. The next request of a conversation comes
/// when its client has the answer and has thought. Counted are the requests until the last conversation begins, after a
/// tenth of all and twice the time that a conversation takes; of clients those behind the warm-up, until the last ends.
/// With an outage in `routing` replicas go meanwhile; requests that come while none is left wait for the next.
/// Throws, naming the field, as `simulate` does, and for an engine that reserves the cache. Worked: behind a router in
/// turn, single requests have the records of `simulate`.
template <class Times>
[[nodiscard]] routed_run simulate_routed(const simulated_engine& engine, const std::vector<session_request>& requests,
                                         const closed_loop& loop, const fleet_routing& routing, const Times& times) {
  std::vector<simulated_request> sized;
  for (const session_request& one : requests) {
    sized.push_back(one.sized);
    sized.back().arrival = seconds{0};
  }
  detail::validate(engine, sized);
  detail::validate(loop, requests);
  detail::validate(routing.outage, engine.replicas);
  if (engine.reserved_tokens > 0)
    detail::fail(errc::invalid_argument, "simulated_engine.reserved_tokens", engine.reserved_tokens,
                 "0: routed fleets keep prefixes in blocks");
  detail::routed_fleet<Times> fleet{engine, requests, loop, routing, times};
  fleet();
  fleet.check();
  return fleet.result();
}

namespace detail {

/// What the hosts of a replica hold of its cache, and how long the chips wait for a block of it.
inline void add_hosts(fleet_routing& routing, const transformer& model, const serving_job& job,
                      const serving_fleet& fleet, bytes host_cache) {
  const host_spec& host = fleet.where.chip.host;
  const served_model served = served_by(model, job, fleet.mesh, fleet.where);
  const double chip_count =
      served.on.devices * static_cast<double>(chips(fleet.where)) / static_cast<double>(devices(fleet.where));
  if (!host.pcie.has_value())
    fail(errc::unknown_figure, "host_cache_gib", in_gib(host_cache),
         "0 where no source states the rate between chips and hosts, as of " +
             std::string(fleet.where.chip.name.view()));
  if (host.dram.has_value() && host.chips > 0) {
    const double most = in_gib(host.dram.value()) * chip_count / static_cast<double>(host.chips);
    in_range("host_cache_gib", in_gib(host_cache), 0, most, "at most the memory of the hosts of a replica");
  }
  const double context = running_context(job);
  const bytes block = served.on.devices * on_device(served, cache_of(model, job, context)) /
                      static_cast<double>(ceil_div(ceil_to_count(context), detail::block_of(job)));
  routing.host_blocks = floor_to_count(std::min(host_cache / block, 1e12));
  routing.block_load = block / (host.pcie.value() * chip_count);
}

}  // namespace detail

/// All replicas of a fleet, with so much memory of the hosts of each for a second tier of its cache. A block is brought
/// from there before the step that needs it, at the rate of PCIe of all chips of the replica. Throws as
/// `simulate_routed` and `engine_of` do, for a cache on hosts whose link has no stated rate, and for prefixes of a
/// model whose layers keep a state, which no engine finds again by prefix. Worked: `host_cache` on tpu7x is refused.
[[nodiscard]] inline routed_run simulate_fleet(const transformer& model, const serving_job& job,
                                               const serving_fleet& fleet, const std::vector<session_request>& requests,
                                               const closed_loop& loop, fleet_routing routing, bytes host_cache = {},
                                               const serving_calibration& constants = default_serving_calibration,
                                               const step_factors& longer = {}) {
  const bool keeps = !requests.empty() && (requests.back().turn > 0 || routing.shared_prefix > 0);
  if (keeps && state_bytes_per_sequence(model).value() > 0)
    detail::fail(errc::invalid_argument, "model.recurrent.layers", model.recurrent.layers,
                 "0 where prefixes are found again: none is of a state");
  if (host_cache.value() > 0) detail::add_hosts(routing, model, job, fleet, host_cache);
  const simulated_engine engine = detail::engine_of(model, job, fleet, replicas_of(fleet), requests.size(),
                                                    std::any_of(requests.begin(), requests.end(), [&](const auto& one) {
                                                      return one.sized.priority != requests.front().sized.priority;
                                                    }));
  return simulate_routed(
      engine, requests, loop, routing,
      replica_step_times{model, job, fleet.mesh, fleet.where, engine.max_running, constants, longer});
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
