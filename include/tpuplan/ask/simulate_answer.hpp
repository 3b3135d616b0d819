#ifndef TPUPLAN_ASK_SIMULATE_ANSWER_HPP
#define TPUPLAN_ASK_SIMULATE_ANSWER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tpuplan/ask/outage.hpp>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/show/svg/traffic.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <tpuplan/simulate/routing.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <tpuplan/simulate/split.hpp>
#include <utility>
#include <vector>

/// @file
/// What is asked of slices under traffic, and the answer; ask/simulate.hpp has the way from one to the other.

namespace tpuplan {
inline namespace abi_0 {
/// Do slices keep their targets under traffic?
struct simulate_request {
  /// @{
  /// The traffic is job.request_rate_per_s or job.concurrency with the lengths of the job, or a trace.
  nlohmann::json config{};
  std::string slice{};
  std::int64_t slices = 1;            ///< slices that share the traffic
  serving_job job = usual_traffic();  ///< traffic, lengths, and latency targets by percentile
  serving_layout mesh{};              ///< devices of a replica; tensor 0: the whole slice is one replica
  serving_calibration constants{};
  nlohmann::json calibration{};  ///< runs of the user's own, as tpuplan calibrate writes them; nothing: none
  prefill_policy prefill = prefill_policy::mixed;
  /// Distributions of lengths, instead of the lengths of the job.
  std::optional<length_distribution> prompts{}, outputs{};
  double variation = 1;  ///< standard deviation over mean of the time between requests: 0 constant, 1 Poisson
  /// Who gets a request; left open, each replica has a random share, of which one is simulated.
  std::optional<request_routing> routing{};
  session_traffic sessions{};                   ///< conversations and the prefixes that they share
  double host_cache_gib = 0;                    ///< memory of the hosts of a replica for its cache, GiB
  std::int64_t adapters = 0, adapter_rank = 0;  ///< low-rank adapters that are on the chips at once, and their rank
  split_pools split{};  ///< pools for prompts and for decoding, where these are apart; none: all slices do both
  std::int64_t split_slices = 0;  ///< slices that are shared between these pools so that they serve most
  fleet_outage outage{};          ///< what is lost while the fleet serves
  /// Number of requests of the simulated replica, or of each; 0: 2000, and fewer where they have more than 4096 output
  /// tokens, or more where these say otherwise than the closed form whether all are served; with a concurrency at least
  /// ten for each client.
  std::int64_t requests = 0;
  seconds ramp{};                          ///< with a concurrency: clients begin evenly over that time; 0: all at once
  std::int64_t warm_up = 0;                ///< with a concurrency: first requests of the replica that are not counted
  double urgent_share = 0;                 ///< of the requests, at random, that go before all others; 0: all are equal
  std::int64_t seed = 1;                   ///< of the random numbers; the same seed gives the same answer
  std::vector<simulated_request> trace{};  ///< requests with their times and lengths, instead of random ones
  /// Also simulates rates from a quarter to one and a half times the given rate, as pictures need.
  bool load = false;
  std::optional<tpuplan::provisioning> kind{};  ///< whose price tokens have; nothing: on demand
  std::string region = "us";
  nlohmann::json prices{};
  /// @}
};
/// What requests of one priority take.
struct priority_times {
  /// @{
  /// The priority, of which lower ones go first, and how many requests of it are counted.
  std::int64_t priority = 0, requests = 0;
  /// From arrival to the first token, for each further one, and to the last.
  measured_times first_token{}, per_token{}, end_to_end{};
  /// @}
};
/// A split fleet beside as many slices that do both.
struct split_answer {
  /// @{
  /// The pools, and what happens in and between them.
  split_pools pools{};
  seconds transfer{};  ///< mean time until a cache is sent
  double prefill_busy = 0, decode_busy = 0;
  simulation_report together{};  ///< the same requests to as many slices that do both
  bool keeps_up = true;          ///< the pools serve as many requests as come
  bool pays = false;  ///< they do, and keep the targets where the other fleet does not; without any: their requests
                      ///< end earlier
  /// @}
};
/// The percentiles of a fleet whose steps take as long as at one end of their band.
struct latency_end {
  /// @{
  /// From arrival to the first token, for each further one, and to the last.
  time_percentiles first_token{}, per_token{}, end_to_end{};
  /// @}
};
/// Dollars of a simulated fleet, on demand.
struct simulated_cost {
  /// @{
  /// For an hour, and for a million output tokens or, of an encoder, requests, at the rate that was served.
  usd hour{}, million{};
  /// The least and the most of the latter with steps as short and as long as the band of the estimate has them; nothing
  /// where that was not simulated.
  std::optional<usd> million_low{}, million_high{};
  /// @}
};
/// A fleet under traffic, simulated.
struct simulate_answer {
  /// @{
  /// The fleet under its traffic; latencies are in seconds.
  serving_fleet fleet{};
  serving_job job{};  ///< as simulated; a trace determines its rate and lengths
  /// Replicas of the fleet, and those whose requests the report counts.
  std::int64_t replicas = 0, simulated_replicas = 0;
  per_second capacity{};                      ///< request rate that the whole fleet can serve, by the closed form
  latency_targets targets{};                  ///< latency targets by percentile
  bool meets_targets = false;                 ///< all of them; none where more requests come at a rate than are served
  simulation_report report{};                 ///< percentiles of the latencies, and rates per second
  std::vector<serving_change_row> changes{};  ///< changes that would meet the targets, where they are missed
  std::optional<price_row> price{};           ///< price of one chip, on demand unless asked otherwise
  std::vector<latency_point> load{};          ///< latencies at other request rates, where asked for
  std::vector<assumption> assumed{};
  std::string model{};   ///< name of the model
  double variation = 1;  ///< of the time between requests, as asked
  bool traced = false;   ///< the requests are those of a trace
  closed_loop loop{};    ///< the clients of the simulated replica, or of all; none: requests come whatever is served
  std::optional<request_routing> routing{};  ///< how requests are shared out, where all replicas are simulated together
  session_traffic sessions{};                ///< as asked
  std::optional<prefix_shares> prefixes{};   ///< what was found of prompts, where requests have prefixes in common
  std::vector<std::int64_t> served{};        ///< requests of each replica, where there is a router
  std::optional<split_answer> split{};       ///< where prefill and decode are apart
  std::optional<outage_report> outage{};     ///< where a part of the fleet is lost, or restarts
  std::optional<adapter_answer> adapters{};  ///< where there are some; times are those of the base
  /// With targets, where it takes few steps: by how much every step may take longer until one is missed, and the chance
  /// that they take no longer, within the band of the estimate.
  std::optional<double> slowdown{}, chance{};
  std::vector<priority_times> priorities{};  ///< where requests differ in it
  /// The same requests with steps as long as at the ends of the band of the estimate. Nothing where `assumed` says why:
  /// of both where it takes too many steps, of the high end where more requests come than are served there.
  std::optional<latency_end> latency_low{}, latency_high{};
  std::optional<simulated_cost> cost{};  ///< where a chip has a price on demand
  /// @}
};

/// The share of the requests that the busiest replica has; 1 where there is no router. Worked: of 1 and 3 it is 0.75.
[[nodiscard]] inline double busiest_share(const std::vector<std::int64_t>& served) {
  double all = 0, most = 0;
  for (const std::int64_t one : served)
    all += static_cast<double>(one), most = std::max(most, static_cast<double>(one));
  return all > 0 ? most / all : 1;
}

namespace detail {
/// What is taken of caches with prefixes, and of a router that goes by them.
inline constexpr std::pair<const char*, const char*> assumed_prefixes{
    "prefixes",
    "each replica keeps whole blocks of what it computed where no running sequence needs the room; "
    "the least recently used go first"};
inline constexpr std::pair<const char*, const char*> assumed_affinity{
    "routing",
    "by what the caches hold: replicas with 80 % of a prompt first, unless they are 18 s of prompts behind, as "
    "llm-d's router does by default"};
}  // namespace detail

/// What the requests of each priority take, of those that are counted; nothing where all have the same. Throws where
/// fewer than 100 of one are counted. Worked: of 1000 requests, a fifth of them urgent, there are two rows.
[[nodiscard]] inline std::vector<priority_times> times_by_priority(const simulation_run& run,
                                                                   const std::vector<simulated_request>& requests) {
  std::vector<priority_times> all;
  if (!detail::have_priorities(requests)) return all;
  std::map<std::int64_t, simulation_run> by_priority;
  for (std::size_t i = 0; i < requests.size(); ++i) by_priority[requests[i].priority].records.push_back(run.records[i]);
  for (auto& [priority, one] : by_priority) {
    one.warm_until = run.warm_until, one.counted_until = run.counted_until;
    const detail::counted_times times = detail::times_of(one, {});
    all.push_back({priority, static_cast<std::int64_t>(times.first.size()),
                   detail::in_seconds(percentiles_of(times.first)), detail::in_seconds(percentiles_of(times.each)),
                   detail::in_seconds(percentiles_of(times.whole))});
  }
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::priority_times, priority, requests, first_token, per_token, end_to_end)
TPUPLAN_FIELDS(tpuplan::latency_end, first_token, per_token, end_to_end)
TPUPLAN_FIELDS(tpuplan::simulated_cost, hour, million, million_low, million_high)
TPUPLAN_FIELDS(tpuplan::latency_point, rate, first, token)
TPUPLAN_FIELDS(tpuplan::simulate_request, config, slice, slices, job, mesh, constants, calibration, prefill, prompts,
               outputs, variation, routing, sessions, host_cache_gib, adapters, adapter_rank, split, split_slices,
               outage, requests, ramp, warm_up, urgent_share, seed, trace, load, kind, region, prices)
TPUPLAN_FIELDS(tpuplan::simulate_answer, fleet, job, replicas, simulated_replicas, capacity, targets, meets_targets,
               report, changes, price, load, assumed, model, variation, traced, loop, routing, sessions, prefixes,
               served, split, outage, adapters, slowdown, chance, priorities, latency_low, latency_high, cost)
TPUPLAN_FIELDS(tpuplan::split_answer, pools, transfer, prefill_busy, decode_busy, together, keeps_up, pays)

#endif
