#ifndef TPUPLAN_SIMULATE_BATCHES_HPP
#define TPUPLAN_SIMULATE_BATCHES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <tpuplan/simulate/percentiles.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <utility>
#include <vector>

/// @file
/// Images or clips under traffic: requests wait in one queue for equal slices, which make batches of one size.

namespace tpuplan {
inline namespace abi_0 {

/// Slices that make batches of what waits in one queue.
struct batch_service {
  std::int64_t servers = 1;  ///< slices
  std::int64_t batch = 1;    ///< items that one of them makes together
  seconds batch_time{};      ///< of a batch, whether it is full or not: programs are compiled for one shape
  seconds fill{};            ///< longest that a free slice waits for others when a request is there
};

/// A request for one item.
struct batched_item {
  seconds arrival{};  ///< since the start
  seconds begin{};    ///< of its batch
  seconds end{};      ///< of its batch
};

/// How many slices there are from some time on.
struct batch_servers {
  seconds from{};            ///< since the start
  std::int64_t servers = 1;  ///< slices that take batches
};

/// All requests by rising arrival, and the batches.
struct batch_run {
  std::vector<batched_item> items{};  ///< in the order in which they came
  std::vector<seconds> begins{};      ///< of each batch
  seconds counted_from{};             ///< the time that counts; begins with an arrival
  seconds counted_until{};            ///< its end
};

namespace detail {

inline void validate(const batch_service& service) {
  check_part("batch_service.servers", positive_count("batch_service.servers", service.servers), std::int64_t{1000000},
             "1 to 1000000");
  check_part("batch_service.batch", positive_count("batch_service.batch", service.batch), std::int64_t{1} << 20,
             "1 to 1048576");
  positive("batch_service.batch_time", service.batch_time.value());
  in_range("batch_service.fill", service.fill.value(), 0, 1e9, "0 to 1e9 s");
}

/// The place behind those that a batch takes that begins at that time, from `first` on; it takes them.
inline std::size_t take_batch(const batch_service& service, batch_run& run, std::size_t first, seconds begin) {
  const std::size_t last = std::min(first + static_cast<std::size_t>(service.batch), run.items.size());
  std::size_t behind = first;
  for (; behind < last && run.items[behind].arrival <= begin; ++behind)
    run.items[behind].begin = begin, run.items[behind].end = begin + service.batch_time;
  run.begins.push_back(begin);
  return behind;
}

/// Runs all items in order of arrival. `after` is told of each batch how many items it has, the place behind them, and
/// its end; it may add later arrivals.
template <class After>
void run_batches(const batch_service& service, batch_run& run, const After& after) {
  std::vector<seconds> free(static_cast<std::size_t>(service.servers));
  const auto most = static_cast<std::size_t>(service.batch);
  std::size_t first = 0, next = 0;
  while (first < run.items.size()) {
    // Whoever is not in the list when a batch is the next one does not come before it begins.
    const std::size_t last = std::min(first + most, run.items.size()) - 1;
    const seconds waited = run.items[first].arrival + service.fill;
    const bool fills = last + 1 - first == most;
    const seconds ready = fills ? min(run.items[last].arrival, waited) : waited;
    const seconds begin = max(free[next], ready), end = begin + service.batch_time;
    const std::size_t behind = take_batch(service, run, first, begin);
    free[next] = end;  // batches take equally long: slices get free in the order in which they were taken
    next = (next + 1) % free.size();
    after(behind - first, behind, end);
    first = behind;
  }
}

/// Refuses numbers of slices that are not in order.
inline void check_servers(const std::vector<batch_servers>& over_time) {
  if (over_time.empty() || over_time.front().from.value() != 0)
    fail(errc::invalid_argument, "batch_servers.from", over_time.empty() ? -1.0 : over_time.front().from.value(),
         "0 for the first");
  for (std::size_t i = 0; i < over_time.size(); ++i) {
    check_part("batch_servers.servers", over_time[i].servers, std::int64_t{1000000}, "0 to 1000000");
    if (i > 0 && not_negative("batch_servers.from", over_time[i].from.value()) <= over_time[i - 1].from.value())
      fail(errc::out_of_range, "batch_servers.from", over_time[i].from.value(), "later than the one before");
  }
  positive_count("batch_servers.servers", over_time.back().servers);  // or what waits is never made
}

/// Refuses requests that do not come in order.
inline void check_arrivals(const std::vector<simulated_request>& requests) {
  seconds before{};
  for (const simulated_request& one : requests) {
    if (not_negative("simulated_request.arrival", one.arrival.value()) < before.value())
      fail(errc::out_of_range, "simulated_request.arrival", one.arrival.value(), "no earlier than the one before");
    before = one.arrival;
  }
}

}  // namespace detail

/// A run under requests that come whatever is made. Counted are those that come once a tenth of all have come. Throws,
/// naming the field, for a service that is none and for requests that do not come in order. Worked: one slice that
/// takes 2 s, and requests at 0, 1 and 2 s: the images are there at 2, 4 and 6 s; in batches of two at 2, 4 and 4 s.
[[nodiscard]] inline batch_run simulate_batches(const batch_service& service,
                                                const std::vector<simulated_request>& requests) {
  detail::validate(service);
  detail::check_arrivals(requests);
  batch_run run;
  for (const simulated_request& one : requests) run.items.push_back({one.arrival, {}, {}});
  detail::run_batches(service, run, [](std::size_t, std::size_t, seconds) {});
  const detail::counted_time counted = detail::counted_of(requests);
  run.counted_from = counted.from, run.counted_until = counted.until;
  return run;
}

/// The same with slices that come and go: `over_time` says how many there are from when on, in place of those of the
/// service. A slice that goes ends its batch first; those that are free or free first go first. All requests count,
/// from the start on. Throws as the other, and where `over_time` does not begin at 0, is not in order or ends without
/// slices. Worked: one
/// slice that takes 2 s, a second one from 3 s on, and four requests at 0 s: they are there at 2, 4, 5 and 6 s.
[[nodiscard]] inline batch_run simulate_batches(const batch_service& service,
                                                const std::vector<simulated_request>& requests,
                                                const std::vector<batch_servers>& over_time) {
  detail::validate(service);
  detail::check_arrivals(requests);
  detail::check_servers(over_time);
  batch_run run;
  for (const simulated_request& one : requests) run.items.push_back({one.arrival, {}, {}});
  std::multiset<seconds> free;  // when each slice that there is has ended its batch
  for (std::int64_t i = 0; i < over_time.front().servers; ++i) free.insert(seconds{0});
  const auto most = static_cast<std::size_t>(service.batch);
  std::size_t change = 1;
  for (std::size_t first = 0; first < run.items.size();) {
    const seconds waited = run.items[first].arrival + service.fill;
    const bool fills = first + most <= run.items.size();
    const seconds ready = fills ? min(run.items[first + most - 1].arrival, waited) : waited;
    const seconds begin = free.empty() ? over_time[change].from : max(*free.begin(), ready);
    if (change < over_time.size() && over_time[change].from <= begin) {
      const batch_servers& next = over_time[change++];
      while (static_cast<std::int64_t>(free.size()) < next.servers) free.insert(next.from);
      while (static_cast<std::int64_t>(free.size()) > next.servers) free.erase(free.begin());
      continue;
    }
    free.erase(free.begin());
    free.insert(begin + service.batch_time);
    first = detail::take_batch(service, run, first, begin);
  }
  if (!requests.empty()) run.counted_until = requests.back().arrival;
  return run;
}

/// A run of so many requests under a closed loop: each client sends its next one when its item is there. Counted are
/// all but the warm-up, until the last has ended. Throws as the other, for more clients than requests, and for more
/// requests than 10 million. Worked: one client of a slice that takes 2 s sends at 0, 2 and 4 s.
[[nodiscard]] inline batch_run simulate_batches(const batch_service& service, const closed_loop& loop,
                                                std::int64_t requests) {
  detail::validate(service);
  detail::check_part("requests", requests, most_simulated_requests, "1 to 10000000");
  detail::validate(loop, simulated_engine{}, requests);
  batch_run run;
  std::int64_t sent = 0;
  for (; sent < loop.clients; ++sent)
    run.items.push_back({loop.ramp * (static_cast<double>(sent) / static_cast<double>(loop.clients)), {}, {}});
  detail::run_batches(service, run, [&](std::size_t ended, std::size_t behind, seconds now) {
    const std::int64_t more = std::min(static_cast<std::int64_t>(ended), requests - sent);
    const auto later = [](seconds at, const batched_item& one) { return at < one.arrival; };
    const auto place =
        std::upper_bound(run.items.begin() + static_cast<std::ptrdiff_t>(behind), run.items.end(), now, later);
    run.items.insert(place, static_cast<std::size_t>(more), batched_item{now, {}, {}});
    sent += more;
  });
  run.counted_from = run.items[static_cast<std::size_t>(loop.warm_up)].arrival;
  run.counted_until = run.items.back().end;
  return run;
}

/// What a run says of latency and throughput.
struct batch_report {
  measured_times latency{};   ///< from a request to its item
  measured_times waiting{};   ///< of it, until its batch begins
  std::int64_t requests = 0;  ///< requests that are counted
  double good_share = 0;      ///< share of them that keep the limit
  bool meets_target = true;   ///< or there is none
  per_second arrivals{};      ///< requests a second
  per_second made{};          ///< items a second, of those that are not finished the part that is
  double busy = 0;            ///< share of the time that slices are taken
  double together = 0;        ///< items of a batch, on average
  double inside = 0;          ///< requests that wait or are being made, on average
};

/// Percentiles, rates and loads of a run. Throws where fewer than 100 requests are counted. Worked: where each request
/// finds a free slice that takes 2 s, each percentile of the latency is 2 s.
[[nodiscard]] inline batch_report report_of(const batch_service& service, const batch_run& run,
                                            const latency_target& target = {}) {
  const seconds time = run.counted_until - run.counted_from;
  detail::positive("time from the first counted arrival to the last", time.value());
  const auto counted = [&](seconds from, seconds until) {  // of a span of time
    return max(seconds{0}, min(until, run.counted_until) - max(from, run.counted_from)).value();
  };
  batch_report report;
  std::vector<double> latency, waiting;
  double made = 0, begun = 0;
  for (const batched_item& one : run.items) {
    report.inside += counted(one.arrival, one.end);
    made += counted(one.begin, one.end) / service.batch_time.value();
    if (one.begin >= run.counted_from && one.begin <= run.counted_until) ++begun;
    if (one.arrival < run.counted_from || one.arrival > run.counted_until) continue;
    waiting.push_back((one.begin - one.arrival).value());
    latency.push_back(waiting.back() + service.batch_time.value());
    if (detail::keeps(latency.back(), target)) ++report.good_share;
  }
  report.requests = static_cast<std::int64_t>(latency.size());
  if (report.requests < 100)
    detail::fail(errc::out_of_range, "requests that are counted", report.requests, "100 or more that are counted");
  double batches = 0;
  for (const seconds begin : run.begins) {
    report.busy += counted(begin, begin + service.batch_time);
    if (begin >= run.counted_from && begin <= run.counted_until) ++batches;
  }
  report.good_share /= static_cast<double>(report.requests);
  report.meets_target = detail::is_met(latency, target);
  report.latency = detail::in_seconds(percentiles_of(std::move(latency)));
  report.waiting = detail::in_seconds(percentiles_of(std::move(waiting)));
  report.arrivals = static_cast<double>(report.requests) / time, report.made = made / time;
  if (run.items.back().arrival < run.counted_until) report.arrivals = report.made;  // of a closed loop
  report.inside /= time.value();
  report.busy /= time.value() * static_cast<double>(service.servers);
  report.together = batches > 0 ? begun / batches : 0;
  return report;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
