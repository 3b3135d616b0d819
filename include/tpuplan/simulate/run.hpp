#ifndef TPUPLAN_SIMULATE_RUN_HPP
#define TPUPLAN_SIMULATE_RUN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/simulate/arrivals.hpp>
#include <tpuplan/simulate/engine.hpp>
#include <tpuplan/simulate/percentiles.hpp>
#include <tpuplan/simulate/replica_run.hpp>
#include <tpuplan/simulate/run_sums.hpp>
#include <utility>
#include <vector>

/// @file
/// A run of an engine under traffic. Programs include simulate/simulation.hpp instead.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Refuses a run that would take more than `most_simulated_steps`, with how many of its requests were served in these.
inline void check_steps(const run_sums& sums) {
  if (sums.work <= most_simulated_steps) return;
  const std::vector<request_record>& records = sums.run.records;
  const auto served = std::count_if(records.begin(), records.end(),
                                    [](const request_record& record) { return record.finished.value() > 0; });
  text<160> valid{"at most "};
  valid.append(static_cast<std::int64_t>(served))
      .append(", or shorter outputs: these take more than 30000000 steps");
  fail(errc::out_of_range, "simulated_traffic.requests", static_cast<std::int64_t>(records.size()), valid.view());
}

/// The time in which what an engine does is counted, and the requests that come in it.
struct counted_time {
  seconds from{}, until{};
};
/// From the arrival of the first request behind the warm-up to that of the last.
inline counted_time counted_of(const std::vector<simulated_request>& requests) {
  if (requests.empty()) return {};
  const auto warm = static_cast<std::size_t>(warm_up_share * static_cast<double>(requests.size()));
  return {requests[warm].arrival, requests.back().arrival};
}

/// Counts in that time.
inline void begin_counting(simulation_run& run, const counted_time& counted) {
  run.warm_until = counted.from;
  run.counted_until = counted.until;
  run.over_time.resize(over_time_parts);
  for (std::size_t i = 0; i < run.over_time.size(); ++i)
    run.over_time[i].time = run.counted_until * (static_cast<double>(i + 1) / over_time_parts);
}

/// Runs all replicas, each until its last request has left, `enough` ends it, or the run takes more than
/// `most_simulated_steps`; `sums.work` is above that then.
template <class Times, class Observer, class Enough>
void run_replicas(const simulated_engine& engine, const std::vector<simulated_request>& requests, const Times& times,
                  Observer& observe, Enough& enough, run_sums& sums, const counted_time& counted) {
  validate(engine, requests);
  sums.run.records.resize(requests.size());
  begin_counting(sums.run, counted);
  for (std::size_t replica = 0; replica < static_cast<std::size_t>(engine.replicas); ++replica)
    replica_run<Times, Observer, Enough>{engine, requests, replica, times, sums, observe, enough}();
}

/// Completes the run from the sums over its replicas.
inline simulation_run& finished(run_sums& sums, const simulated_engine& engine) {
  simulation_run& run = sums.run;
  std::array<percentiles, error_batches> batches;
  weighted_histogram all;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    batches[i] = sums.gaps[i].figures();
    all.add(sums.gaps[i]);
  }
  run.inter_token =
      in_seconds(measured_percentiles{all.figures(), error_of(batches), static_cast<std::int64_t>(all.total())});
  const double counted = (run.counted_until - run.warm_until).value() * static_cast<double>(engine.replicas);
  if (counted > 0) {
    run.busy = sums.busy / counted;
    run.running = sums.running / counted;
    run.cache = sums.blocks / (counted * static_cast<double>(engine.blocks));
  }
  return run;
}

/// Takes what another run of the same requests has of the time that is counted.
inline void take_counted(simulation_run& to, simulation_run& from) {
  to.over_time = std::move(from.over_time);
  to.warm_until = from.warm_until, to.counted_until = from.counted_until;
  to.inter_token = from.inter_token;
  to.counted_tokens = from.counted_tokens, to.counted_prompt_tokens = from.counted_prompt_tokens;
  to.busy = from.busy, to.running = from.running, to.cache = from.cache;
}

/// A whole run, of which that time is counted.
template <class Times, class Observer>
simulation_run run_counted(const simulated_engine& engine, const std::vector<simulated_request>& requests,
                           const Times& times, Observer observe, const counted_time& counted) {
  simulation_run run;
  run_sums sums{run};
  never_enough to_the_end;
  run_replicas(engine, requests, times, observe, to_the_end, sums, counted);
  check_steps(sums);
  finished(sums, engine);
  return run;
}

}  // namespace detail

/// A run of an engine from its first request until the last one has left. `times` says what a step takes: it has
/// `seconds attention(from, to)` of prompt tokens and `seconds step(step_work)`, as `replica_step_times`. `observe` is
/// called with each step: its work, start and end. What is counted for rates and percentiles begins when a tenth of the
/// requests have come, and ends with the last arrival. Throws, naming the field, for requests that do not fit the
/// engine or do not come in order, and for a run of more than `most_simulated_steps`. Worked: with steps of 1 s, a
/// request of 3 output tokens that comes at 0 to an empty engine has its first token at 1 s and its last at 3 s.
template <class Times, class Observer = detail::no_observer>
[[nodiscard]] simulation_run simulate(const simulated_engine& engine, const std::vector<simulated_request>& requests,
                                      const Times& times, Observer observe = {}) {
  return detail::run_counted(engine, requests, times, observe, detail::counted_of(requests));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
