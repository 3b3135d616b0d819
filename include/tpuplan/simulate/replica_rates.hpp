#ifndef TPUPLAN_SIMULATE_REPLICA_RATES_HPP
#define TPUPLAN_SIMULATE_REPLICA_RATES_HPP

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <tpuplan/simulate/slowdown.hpp>
#include <utility>
#include <vector>

/// @file
/// The rates of requests at which a replica keeps its targets by percentile, each found by one simulation.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The work of the simulations of a question, as `most_simulated_steps` counts it, after which no further one begins:
/// some two seconds.
inline constexpr std::int64_t most_planning_steps = 90000000;

/// The rates at which replicas keep the targets by percentile. Steps of a replica depend on its chip, its devices, the
/// VMs that they span and the links between them: what was simulated for one slice holds for all that have such
/// replicas, and a rate that is kept or missed decides all lower or higher ones. After `most_planning_steps` no further
/// rate is simulated.
class replica_rates {
 public:
  /// The model, the job without targets by percentile, and the constants have to outlive this. The targets are to hold
  /// where every step takes `slower` times as long; lengths are drawn as `lengths` has them.
  replica_rates(const transformer& model, const serving_job& job, const serving_calibration& constants,
                const latency_targets& targets, std::int64_t steps = most_planning_steps, double slower = 1,
                drawn_lengths lengths = {})
      : model_{model},
        job_{job},
        constants_{constants},
        targets_{targets},
        limits_{shortened(targets, slower)},
        slower_{slower},
        lengths_{std::move(lengths)},
        left_{steps} {
    if (job.request_rate.value() > 0) drawn_ = requests_of(traffic_at(per_second{1}));
  }
  replica_rates(const replica_rates&) = delete;
  replica_rates& operator=(const replica_rates&) = delete;
  bool are_needed() const { return any_target(targets_); }
  /// The steps that are left for further rates, and whether there are none: answers of `holds` may be wrong then.
  std::int64_t steps_left() const { return left_; }
  bool are_exhausted() const { return left_ <= 0; }
  /// Whether a replica keeps the targets at that rate of requests.
  bool holds(const slice& where, const serving_layout& mesh, per_second rate) {
    known_rate& known = known_of(where, mesh);
    if (rate <= known.kept || rate >= known.missed) return rate <= known.kept;
    if (are_exhausted()) return false;
    const auto drawn = [&](std::int64_t more) { return requests_of(traffic_at(rate * slower_, more)); };
    const trial_end end = settled_trial(known.engine, known.times, limits_, drawn, sums_);
    left_ = end != trial_end::too_long ? left_ - sums_.work - static_cast<std::int64_t>(8 * drawn_.size()) : 0;
    if (end == trial_end::too_long) return false;
    const bool met = end == trial_end::met;
    (met ? known.kept : known.missed) = rate;
    if (met && slower_ == 1) known.at_kept = report_of(finished(sums_, known.engine), targets_);
    return met;
  }
  /// By how much a replica misses a target even where each request has it to itself: at any rate; 0 where it does not.
  seconds missed_alone(const slice& where, const serving_layout& mesh) { return known_of(where, mesh).missed_alone; }

  /// The times of requests that each have a replica to themselves: no rate has shorter ones.
  counted_times times_alone_of(const slice& where, const serving_layout& mesh) {
    const known_rate& known = known_of(where, mesh);
    return as_slow(times_alone(drawn_, known.times, known.engine.verified));
  }

  /// The simulated report of a replica at that rate, with steps as they are estimated. The run that decided is reused
  /// where it is the last that kept the targets.
  simulation_report report_of_replica(const slice& where, const serving_layout& mesh, per_second rate) {
    const known_rate& known = known_of(where, mesh);
    if (rate == known.kept && slower_ == 1) return known.at_kept;
    return report_of(simulate(known.engine, requests_of(traffic_at(rate)), known.times), targets_);
  }
  /// The times by which `holds` decides.
  counted_times times_of_replica(const slice& where, const serving_layout& mesh, per_second rate) {
    const known_rate& known = known_of(where, mesh);
    const simulation_run run = simulate(known.engine, requests_of(traffic_at(rate * slower_)), known.times);
    left_ -= run.steps;
    return as_slow(times_of(run, limits_));
  }

 private:
  struct known_rate {
    text<24> chip{};
    double devices = 0;
    double hosts = 0;
    bytes_per_second links{};
    cache_sharding cache = cache_sharding::heads;
    std::int64_t attention = 0;
    simulated_engine engine{};
    replica_step_times times;
    per_second kept{0};                                          // the highest rate at which the targets were kept
    per_second missed{std::numeric_limits<double>::infinity()};  // the lowest at which they were not; 0: at all
    simulation_report at_kept{};                                 // of the run at the rate that was kept
    seconds missed_alone{};                                      // over a target by a request alone
  };

  counted_times as_slow(counted_times times) const {
    for (std::vector<double>* list : {&times.first, &times.each, &times.whole})
      for (double& one : *list) one *= slower_;
    return times;
  }
  /// With so many times the usual number of requests.
  simulated_traffic traffic_at(per_second rate, std::int64_t more = 1) const {
    simulated_traffic traffic = traffic_of(job_, more * planning_requests_of(job_), 1, lengths_);
    traffic.rate = rate;
    return traffic;
  }
  known_rate& known_of(const slice& where, const serving_layout& mesh) {
    const replica on = replica_of(mesh, where);
    for (known_rate& one : known_) {
      if (one.chip == where.chip.name && one.devices == on.devices && one.hosts == on.hosts && one.links == on.links &&
          one.cache == mesh.cache && one.attention == mesh.attention)
        return one;
    }
    simulated_engine engine = engine_of(model_, job_, mesh, where);
    engine.replicas = 1;
    engine.max_running = std::min(engine.max_running, planning_requests);
    replica_step_times times{model_, job_, mesh, where, engine.max_running, constants_};
    known_.push_back(
        {where.chip.name, on.devices, on.hosts, on.links, mesh.cache, mesh.attention, engine, std::move(times)});
    known_rate& added = known_.back();
    added.missed_alone = seconds{slower_ * missed_by(times_alone(drawn_, added.times, engine.verified), limits_)};
    if (added.missed_alone.value() > 0) added.missed = per_second{0};
    return added;
  }

  const transformer& model_;
  const serving_job& job_;
  const serving_calibration& constants_;
  latency_targets targets_, limits_;  // as asked, and by the slower clock
  double slower_ = 1;
  drawn_lengths lengths_{};
  std::int64_t left_ = 0;                   // steps
  std::vector<simulated_request> drawn_{};  // at a rate of 1 a second
  simulation_run run_{};
  run_sums sums_{run_};
  std::vector<known_rate> known_{};
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
