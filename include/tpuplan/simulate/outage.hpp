#ifndef TPUPLAN_SIMULATE_OUTAGE_HPP
#define TPUPLAN_SIMULATE_OUTAGE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/spelling.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <utility>
#include <vector>

/// @file
/// Replicas that are lost, or taken out one after the other, while a fleet serves: what requests took before, until the
/// fleet had caught up, and after.

namespace tpuplan {
inline namespace abi_0 {

/// What is lost while a fleet serves. Enumerators and their names are stable.
enum class lost_part : std::uint8_t {
  replica,  ///< one of them
  slice,    ///< the replicas of a slice
  zone,     ///< those of the slices of a zone
  rollout,  ///< nothing: the slices restart one after the other, with a new version
};

/// "replica" and so on.
[[nodiscard]] constexpr std::string_view name(lost_part part) noexcept {
  constexpr const char* names[] = {"replica", "slice", "zone", "rollout"};
  return detail::name_of(names, static_cast<std::size_t>(part));
}
/// The part of that name; nothing for other words. Worked: "zone" is `zone`.
[[nodiscard]] constexpr maybe<lost_part> parse_lost_part(std::string_view given) noexcept {
  return detail::enumerator_named<lost_part>(given);
}

/// Replicas that go while a fleet serves, and others that come in their place. What a lost one had in flight begins
/// again with its prompt at another: no router hands over a sequence that has begun (llm-d/llm-d-router#2345 proposes
/// it), so that the router, where no token was sent, or the client sends it anew.
struct replica_outage {
  seconds at{};               ///< when they go
  std::int64_t replicas = 0;  ///< that go together; 0: all stay
  seconds start_up{};         ///< until those in their place serve
  /// All of them, so many at a time: each ends what it has, and the next go when those in their place serve.
  bool in_turn = false;
};

/// What requests took that came in some time.
struct outage_times {
  /// @{
  /// Requests that came, and their times as in a report.
  std::int64_t requests = 0;
  measured_times first_token{}, per_token{}, end_to_end{};
  /// @}
};

/// An outage as the requests saw it.
struct outage_report {
  std::int64_t replicas = 0;     ///< that went together
  bool in_turn = false;          ///< all of them, so many at a time
  std::int64_t interrupted = 0;  ///< requests that began again
  /// @{
  /// When the first went, and when the last had come back.
  seconds at{}, restored{};
  /// @}
  double waiting = 0;     ///< requests without a first token before, in the mean
  std::int64_t most = 0;  ///< the most from then on until all had come back
  /// When as few waited as before in the mean, or one, once the most had; nothing where that was not while requests
  /// came.
  maybe<seconds> drained{};
  /// @{
  /// Of requests that came and ended before it, after half of the time; of those that ran then or came until all had
  /// come back and the queue was drained; and of the others, which may be none.
  outage_times before{}, during{}, after{};
  /// @}
  /// @{
  /// Time after the first went in which a target was missed, of so much: each by a hundred requests that came one after
  /// the other; and the share of it before.
  seconds missed{}, watched{};
  double missed_before = 0;
  /// @}
};

namespace detail {

inline void validate(const replica_outage& outage, std::int64_t replicas) {
  check_count("replica_outage.replicas", outage.replicas, replicas, "0 to the replicas of the fleet");
  in_range("replica_outage.at", not_negative("replica_outage.at", outage.at.value()), 0, 1e9, "0 to 1e9 s");
  in_range("replica_outage.start_up", not_negative("replica_outage.start_up", outage.start_up.value()), 0, 1e6,
           "0 to 1000000 s");
}

/// The requests of a run that came from a time until another, and of which that holds.
template <class Holds>
simulation_run came_in(const simulation_run& run, seconds from, seconds until, const Holds& holds) {
  simulation_run part;
  for (const request_record& one : run.records)
    if (one.arrival >= from && one.arrival < until && holds(one)) part.records.push_back(one);
  part.warm_until = from, part.counted_until = until;
  return part;
}
inline outage_times outage_times_of(const simulation_run& part) {
  const counted_times times = all_times_of(part, {});
  return {static_cast<std::int64_t>(times.first.size()), in_seconds(percentiles_of(times.first)),
          in_seconds(percentiles_of(times.each)), in_seconds(percentiles_of(times.whole))};
}

/// Requests without a first token from a time on.
struct waiting_count {
  double time = 0;
  std::int64_t count = 0;
};
/// In order. What has no first token at `lost` may have begun before: it waits from then on.
inline std::vector<waiting_count> waiting_of(const simulation_run& run, seconds lost) {
  std::vector<std::pair<double, std::int64_t>> changes;
  for (const request_record& one : run.records) {
    const seconds first = one.first_token + one.delay;
    changes.emplace_back((first > lost ? max(one.arrival, lost) : one.arrival).value(), 1);
    changes.emplace_back(first.value(), -1);
  }
  std::sort(changes.begin(), changes.end());
  std::vector<waiting_count> counts;
  std::int64_t count = 0;
  for (const auto& [time, more] : changes) counts.push_back({time, count += more});
  return counts;
}
/// The mean between two times.
inline double mean_waiting(const std::vector<waiting_count>& counts, double from, double until) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
    const double within = std::min(counts[i + 1].time, until) - std::max(counts[i].time, from);
    if (within > 0) sum += within * static_cast<double>(counts[i].count);
  }
  return sum / (until - from);
}
/// The most that waited until all were back, and when the mean is reached again behind that.
inline void add_queue(outage_report& report, const simulation_run& run) {
  const std::vector<waiting_count> counts = waiting_of(run, report.at);
  const double at = report.at.value(), restored = report.restored.value();
  report.waiting = mean_waiting(counts, at / 2, at);
  std::size_t most = counts.size();
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i].time >= at && counts[i].time <= restored && (most == counts.size() || counts[i].count > report.most))
      most = i, report.most = counts[i].count;
  for (std::size_t i = most; i < counts.size() && counts[i].time <= run.counted_until.value(); ++i) {
    if (static_cast<double>(counts[i].count) > std::max(1.0, report.waiting)) continue;
    report.drained = seconds{counts[i].time};
    return;
  }
}

/// Adds up the time of each hundred requests that miss a target, and all of it.
inline void add_missed(outage_report& report, const simulation_run& run, const latency_targets& targets) {
  constexpr std::size_t together = 100;
  double before = 0, missed_before = 0;
  for (std::size_t i = 0; i + together < run.records.size(); i += together) {
    const seconds from = run.records[i].arrival, until = run.records[i + together].arrival;
    if (until > run.counted_until || from < report.at / 2) continue;
    const bool is_before = until <= report.at;  // of which those that were interrupted do not count
    const counted_times times = all_times_of(
        came_in(run, from, until, [&](const auto& one) { return !is_before || one.finished <= report.at; }), targets);
    const bool misses = !is_met(times.first, targets.first_token) || !is_met(times.each, targets.per_token) ||
                        !is_met(times.whole, targets.end_to_end);
    const seconds length = until - from;
    if (is_before) {
      before += length.value(), missed_before += misses ? length.value() : 0;
    } else {
      report.watched += length, report.missed += misses ? length : seconds{0};
    }
  }
  report.missed_before = before > 0 ? missed_before / before : 0;
}

}  // namespace detail

/// What the requests of a run saw of an outage at `at` that was over at `restored`. Throws where fewer than 100 came in
/// the half of the time before it, or after it, and where all were not back when the last came. Worked: requests that
/// each take a second, one a second, at servers with room for all, take a second before, during and after.
[[nodiscard]] inline outage_report outage_of(const simulation_run& run, const replica_outage& outage, seconds restored,
                                             std::int64_t interrupted, const latency_targets& targets = {}) {
  outage_report report;
  report.replicas = outage.replicas, report.in_turn = outage.in_turn, report.interrupted = interrupted;
  report.at = outage.at, report.restored = restored;
  if (restored > run.counted_until)
    detail::fail(errc::out_of_range, "replica_outage.at", outage.at.value(),
                 "a time so early that all are back before the last request comes, or more requests");
  detail::add_queue(report, run);
  const seconds over = max(restored, report.drained ? *report.drained : run.counted_until);
  const auto had_ended = [&](const request_record& one) { return one.finished <= outage.at; };
  const simulation_run before = detail::came_in(run, outage.at / 2.0, outage.at, had_ended);
  const simulation_run during =
      detail::came_in(run, seconds{0}, over, [&](const auto& one) { return !had_ended(one); });
  for (const simulation_run* one : {&before, &during}) {
    if (one->records.size() < 100)
      detail::fail(errc::out_of_range, "replica_outage.at", outage.at.value(),
                   "a time with 100 requests or more in its second half, and as many until all are back");
  }
  report.before = detail::outage_times_of(before);
  report.during = detail::outage_times_of(during);
  report.after = detail::outage_times_of(
      detail::came_in(run, over, run.counted_until, [](const request_record&) { return true; }));
  detail::add_missed(report, run, targets);
  return report;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
