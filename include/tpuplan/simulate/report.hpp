#ifndef TPUPLAN_SIMULATE_REPORT_HPP
#define TPUPLAN_SIMULATE_REPORT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/simulate/engine.hpp>
#include <tpuplan/simulate/percentiles.hpp>
#include <vector>

/// @file
/// What a run says of latency and throughput. Programs include simulate/simulation.hpp instead.

namespace tpuplan {
inline namespace abi_0 {

/// What a simulation says of latency and throughput. Latencies are those of the requests that come once a tenth of all
/// have come; rates are of all replicas, from then to the last arrival.
struct simulation_report {
  measured_times first_token{};   ///< from arrival to the first output token (TTFT)
  measured_times per_token{};     ///< for each token after the first, of requests with two or more (TPOT)
  measured_times inter_token{};   ///< between two tokens of a request, every pair counted
  measured_times end_to_end{};    ///< from arrival to the last output token
  measured_percentiles queue{};   ///< requests waiting in its replica when a request comes
  bool meets_first_token = true;  ///< its target, or there is none
  bool meets_per_token = true;    ///< its target, or there is none
  bool meets_end_to_end = true;   ///< its target, or there is none
  std::int64_t requests = 0;      ///< requests that are counted
  double good_share = 0;          ///< share of them that keep every limit
  per_second arrivals{};          ///< requests a second
  per_second goodput{};           ///< requests a second that are served and keep every limit
  per_second output_tokens{};     ///< produced
  per_second prompt_tokens{};     ///< computed, repeats after preemptions included
  double busy = 0;                ///< share of the time in which a step ran: some request was there
  double running = 0;             ///< sequences that run in a replica, on average
  double cache = 0;               ///< share of the blocks that are taken, on average
  std::int64_t preemptions = 0;   ///< of the whole run
};

namespace detail {

inline bool keeps(double time, const latency_target& target) {
  return target.limit.value() <= 0 || time <= target.limit.value();
}

/// Whether a target is met by these times.
inline bool is_met(const std::vector<double>& times, const latency_target& target) {
  if (target.limit.value() <= 0 || times.empty()) return true;
  if (target.share <= 0) {
    double sum = 0;
    for (const double time : times) sum += time;
    return keeps(sum / static_cast<double>(times.size()), target);
  }
  const auto good = std::count_if(times.begin(), times.end(), [&](double time) { return keeps(time, target); });
  return static_cast<double>(good) >= target.share * static_cast<double>(times.size()) * (1 - 1e-12);
}

/// The least limit that a share of these times keep; where the share is 0, their mean.
inline double reached(std::vector<double> times, double share) {
  if (times.empty()) return 0;
  double sum = 0;
  for (const double time : times) sum += time;
  if (share <= 0) return sum / static_cast<double>(times.size()) * (1 + 1e-12);
  const double rank = math::ceil(share * static_cast<double>(times.size()) * (1 - 1e-12));
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

/// The times of the requests that are counted, in seconds.
struct counted_times {
  std::vector<double> first, each, whole, queue;
  std::int64_t good = 0;  // requests that keep every limit
};
inline counted_times all_times_of(const simulation_run& run, const latency_targets& targets) {
  counted_times times;
  for (const request_record& record : run.records) {
    if (record.arrival < run.warm_until || record.arrival > run.counted_until) continue;
    const double first = (record.first_token + record.delay - record.arrival).value();
    const double whole = (record.finished + record.delay - record.arrival).value();
    double token = 0;
    if (record.output > 1) {
      token = (record.finished - record.first_token).value() / static_cast<double>(record.output - 1);
      times.each.push_back(token);
    }
    times.first.push_back(first);
    times.whole.push_back(whole);
    times.queue.push_back(static_cast<double>(record.ahead));
    times.good +=
        keeps(first, targets.first_token) && keeps(token, targets.per_token) && keeps(whole, targets.end_to_end);
  }
  return times;
}
/// The same of 100 requests or more.
inline counted_times times_of(const simulation_run& run, const latency_targets& targets) {
  counted_times times = all_times_of(run, targets);
  const auto requests = static_cast<std::int64_t>(times.first.size());
  if (requests < 100) fail(errc::out_of_range, "requests that are counted", requests, "100 or more that are counted");
  return times;
}

/// The requests that are counted for the rate of a run: those that come or, in a closed loop, which is counted until
/// all have ended, those that are under way, each with the part of its time that is counted. By Little's law their rate
/// times their mean time is the number of clients that wait.
inline double requests_for_rate(const simulation_run& run, std::int64_t came) {
  double parts = 0;
  for (const request_record& one : run.records) {
    if (one.arrival >= run.counted_until) return static_cast<double>(came);
    if (one.finished > run.warm_until)
      parts += (one.finished - max(one.arrival, run.warm_until)) / (one.finished - one.arrival);
  }
  return parts;
}

/// From the first arrival to the end of the last request; `is_counted`: of those that came until the run was counted.
inline seconds whole_time(const simulation_run& run, bool is_counted) {
  seconds last{0};
  for (const request_record& one : run.records)
    if (!is_counted || one.arrival <= run.counted_until) last = max(last, one.finished);
  return last - run.records.front().arrival;
}

/// Whether requests that are not done add up in the queue, or still do so in the last half of a run: in the first half
/// sequences add up until as many run as come, also where all are served.
inline bool still_grows(const simulation_run& run, const std::vector<const request_record*>& all, double counted) {
  const auto ahead = [&](std::size_t from) {
    double sum = 0;
    for (std::size_t i = from; i < from + all.size() / 4; ++i) sum += static_cast<double>(all[i]->ahead);
    return sum / static_cast<double>(all.size() / 4);
  };
  if (ahead(all.size() - all.size() / 4) - ahead(0) > math::sqrt(counted)) return true;
  const seconds half = all[all.size() / 2]->arrival;
  const auto left = static_cast<double>(all.size() - all.size() / 2);
  const auto done = std::count_if(run.records.begin(), run.records.end(), [&](const request_record& one) {
    return one.finished >= half && one.finished <= run.counted_until;
  });
  return left - static_cast<double>(done) > 2 * math::sqrt(left);
}

/// The requests a second that a run served, where more came: the last quarter waited more than twice as long for the
/// first token as the first, the engine was never idle or of those that came while it was counted one in twenty was not
/// done when the last came, fewer were done than came by more than chance has it, twice the root of their number, and
/// it does not only fill. 0 where it kept up.
inline double served_below_arrivals(const simulation_run& run) {
  std::vector<const request_record*> all;
  std::size_t done = 0, counted = 0;
  for (const request_record& one : run.records) {
    done += one.finished >= run.warm_until && one.finished <= run.counted_until;
    counted += one.arrival >= run.warm_until && one.arrival <= run.counted_until;
    if (one.arrival <= run.counted_until) all.push_back(&one);
  }
  const std::size_t quarter = all.size() / 4;
  if (quarter == 0 || (run.busy < 0.99 && 20 * done > 19 * counted)) return 0;
  const double more = static_cast<double>(counted) - static_cast<double>(done);
  if (more <= 2 * math::sqrt(static_cast<double>(counted))) return 0;
  const auto waited = [&](std::size_t from) {
    seconds sum{0};
    for (std::size_t i = from; i < from + quarter; ++i) sum += all[i]->first_token - all[i]->arrival;
    return sum;
  };
  if (waited(all.size() - quarter) < waited(0) * 2.0) return 0;
  if (!still_grows(run, all, static_cast<double>(counted))) return 0;
  return std::max(static_cast<double>(done) / (run.counted_until - run.warm_until).value(),
                  static_cast<double>(all.size()) / whole_time(run, true).value());
}

/// Tokens a second, of which so many were computed in the time that is counted, and so many in all, those of turns that
/// came later among them. Where more requests came than were served they may all have come before one was done.
inline per_second token_rate(const simulation_run& run, double counted, std::int64_t all, bool is_behind) {
  const per_second found = counted / (run.counted_until - run.warm_until);
  return is_behind ? max(found, static_cast<double>(all) / whole_time(run, false)) : found;
}

}  // namespace detail

/// Percentiles and rates of a run, and whether it meets the targets. Throws where fewer than 100 requests are counted.
/// Worked: where no request waits and every step takes 1 s, each percentile of TPOT is 1 s.
[[nodiscard]] inline simulation_report report_of(const simulation_run& run, const latency_targets& targets = {}) {
  detail::validate(targets);
  const detail::counted_times times = detail::times_of(run, targets);
  const seconds time = run.counted_until - run.warm_until;
  detail::positive("time from the first counted arrival to the last", time.value());
  simulation_report report;
  report.requests = static_cast<std::int64_t>(times.first.size());
  report.first_token = detail::in_seconds(percentiles_of(times.first));
  report.per_token = detail::in_seconds(percentiles_of(times.each));
  report.end_to_end = detail::in_seconds(percentiles_of(times.whole));
  report.queue = percentiles_of(times.queue);
  report.inter_token = run.inter_token;
  report.meets_first_token = detail::is_met(times.first, targets.first_token);
  report.meets_per_token = detail::is_met(times.each, targets.per_token);
  report.meets_end_to_end = detail::is_met(times.whole, targets.end_to_end);
  report.good_share = static_cast<double>(times.good) / static_cast<double>(report.requests);
  report.arrivals = detail::requests_for_rate(run, report.requests) / time;
  const double served = detail::served_below_arrivals(run);
  report.goodput = report.good_share * (served > 0 ? per_second{served} : report.arrivals);
  report.output_tokens = detail::token_rate(run, run.counted_tokens, run.output_tokens, served > 0);
  report.prompt_tokens = detail::token_rate(run, run.counted_prompt_tokens, run.prompt_tokens, served > 0);
  report.busy = run.busy;
  report.running = run.running;
  report.cache = run.cache;
  report.preemptions = run.preemptions;
  return report;
}

/// Whether all targets are met. A target that is not set is met. Worked: a report that misses one of the three does not
/// meet them.
[[nodiscard]] inline bool meets(const simulation_report& report) {
  return report.meets_first_token && report.meets_per_token && report.meets_end_to_end;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
