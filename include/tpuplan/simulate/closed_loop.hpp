#ifndef TPUPLAN_SIMULATE_CLOSED_LOOP_HPP
#define TPUPLAN_SIMULATE_CLOSED_LOOP_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <utility>
#include <vector>

/// @file
/// A replica under a closed loop, as benchmarks load it: so many clients, of which each sends its next request when it
/// has the last token of the one before. That comes while the engine's next step runs, where it has one: it takes the
/// requests that are there when a step begins, and the answer is still on its way (vllm/v1/engine/core.py,
/// run_busy_loop; the same in JetStream, jetstream/core/orchestrator.py, _generate_thread).

namespace tpuplan {
inline namespace abi_0 {

/// The clients of a replica.
struct closed_loop {
  std::int64_t clients = 0;  ///< requests in flight, at least 1
  seconds ramp{};            ///< the first requests are sent evenly over that time; 0: all at once
  std::int64_t warm_up = 0;  ///< requests, the first to be sent, that are not counted: 0, or as many as there are
                             ///< clients or more, which leaves out the burst at the start
};

namespace detail {

/// When a request arrives that has not been sent: later than any step.
inline constexpr seconds not_sent{1e18};

inline void validate(const closed_loop& loop, const simulated_engine& engine, std::int64_t requests) {
  if (engine.replicas != 1)
    fail(errc::out_of_range, "simulated_engine.replicas", engine.replicas, "1: each replica has clients of its own");
  if (positive_count("closed_loop.clients", loop.clients) > requests)
    fail(errc::out_of_range, "closed_loop.clients", loop.clients, "at most as many as there are requests");
  in_range("closed_loop.ramp", loop.ramp.value(), 0, 1e6, "0 to 1000000 s");
  if (loop.warm_up != 0 && (loop.warm_up < loop.clients || loop.warm_up >= requests))
    fail(errc::out_of_range, "closed_loop.warm_up", loop.warm_up,
         "0, or from the number of clients to fewer than the requests");
}

/// When a request comes that the end of another has sent: after the step has begun that begins then.
inline double sent_at(double end) { return std::nextafter(end, std::numeric_limits<double>::infinity()); }

/// Requests with the times at which clients send them, and when the last of them ends.
struct sent_requests {
  std::vector<simulated_request> requests;
  seconds end{};
};

/// Each end of a request sends the next one, while the run that reads them goes on.
template <class Times>
sent_requests sent_by(const closed_loop& loop, const simulated_engine& engine, std::vector<simulated_request> requests,
                      const Times& times) {
  validate(loop, engine, static_cast<std::int64_t>(requests.size()));
  auto next = static_cast<std::size_t>(loop.clients);
  for (std::size_t i = 0; i < requests.size(); ++i)
    requests[i].arrival =
        i < next ? loop.ramp * (static_cast<double>(i) / static_cast<double>(loop.clients)) : not_sent;
  seconds end{0};
  const auto send = [&](const request_record& ended) {
    const seconds now = ended.finished + ended.delay;
    end = max(end, now);
    if (next == requests.size()) return false;
    std::size_t at = next++;  // behind those that are sent before: arrivals stay in order
    const seconds then{sent_at(now.value())};
    for (; at > 0 && requests[at - 1].arrival > then; --at) requests[at].arrival = requests[at - 1].arrival;
    requests[at].arrival = then;
    return false;
  };
  simulation_run run;
  run_sums sums{run};
  no_observer observe;
  run_replicas(engine, requests, times, observe, send, sums, {});
  check_steps(sums);
  return {std::move(requests), end};
}

}  // namespace detail

/// A run of one replica under a closed loop; the times at which requests arrive are not looked at. Counted are all of
/// them but the warm-up, from the first until the last has ended, as benchmarks do. Throws, naming the field, for more
/// clients than requests and for an engine of several replicas, and as `simulate` does. Worked: with steps of 1 s and
/// one client, requests of 3 output tokens are sent at 0, 3 and 6 s, and one token a second is counted.
template <class Times>
[[nodiscard]] simulation_run simulate_closed_loop(const closed_loop& loop, const simulated_engine& engine,
                                                  const std::vector<simulated_request>& requests, const Times& times) {
  const detail::sent_requests sent = detail::sent_by(loop, engine, requests, times);
  const seconds from = sent.requests[static_cast<std::size_t>(loop.warm_up)].arrival;
  return detail::run_counted(engine, sent.requests, times, detail::no_observer{}, {from, sent.end});
}

/// The same for one replica of a fleet. Throws as `engine_of` does too. Worked: one client of Llama 3 8B has its first
/// token after `engine_prefill_time` each time.
[[nodiscard]] inline simulation_run simulate_fleet(const transformer& model, const serving_job& job,
                                                   const serving_fleet& fleet, const closed_loop& loop,
                                                   const std::vector<simulated_request>& requests,
                                                   const serving_calibration& constants = default_serving_calibration,
                                                   const step_factors& longer = {}) {
  const simulated_engine engine = detail::engine_of(model, job, fleet, 1, static_cast<std::size_t>(loop.clients),
                                                    detail::have_priorities(requests));
  return simulate_closed_loop(
      loop, engine, requests,
      replica_step_times{model, job, fleet.mesh, fleet.where, engine.max_running, constants, longer});
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
