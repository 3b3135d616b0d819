#ifndef TPUPLAN_PLAN_ITEM_DAY_HPP
#define TPUPLAN_PLAN_ITEM_DAY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tpuplan/plan/day_payment.hpp>
#include <tpuplan/plan/sorting.hpp>
#include <tpuplan/plan/traffic.hpp>
#include <tpuplan/simulate/batches.hpp>
#include <utility>
#include <vector>

/// @file
/// A day of requests for images or clips: how many slices make them in time at each hour, with a fixed fleet and with
/// one that follows the traffic, and what that costs under each mix of ways to pay.

namespace tpuplan {
inline namespace abi_0 {

/// What is asked about a day of images or clips.
struct item_day_request {
  slice where{};            ///< one of the equal slices, which share a queue
  batch_service service{};  ///< how one of them makes batches; their number is searched for
  latency_target target{};  ///< of the time from a request to its item, by percentile
  traffic_day day{};        ///< the traffic
  scaling_rule scaling{};   ///< how the number of slices follows the traffic
  double variation = 1;     ///< of the time between arrivals, as in `simulated_traffic`
  price_book prices{};      ///< the built-in ones unless given
  text<32> region{"us"};    ///< of the price book
  seconds between{};        ///< mean time between preemptions of a spot slice; 0: what is published of its chip there
  std::int64_t seed = 1;    ///< of the random numbers
  bool find_threshold = false;  ///< what headroom of an autoscaler keeps the target
};

/// A part of a day of images or clips.
struct item_day_part {
  seconds start{};             ///< since the day began
  per_second rate{};           ///< of requests
  double slices = 0;           ///< slices that took batches, on average
  time_percentiles latency{};  ///< from the requests of the part to their items; zeros: none came
};

/// A day of images or clips under one mix of ways to pay.
struct item_day_option {
  payment_mix mix{};                 ///< how slices are paid for
  std::vector<item_day_part> parts;  ///< of the day
  time_percentiles latency{};        ///< of all requests of the day
  double good_share = 0;             ///< share of them that keep the limit
  bool meets_targets = false;        ///< whether the target is kept over the day
  std::int64_t most_slices = 0;      ///< most at one time, those that start up included
  double slice_hours = 0;            ///< slice-hours paid for
  std::int64_t preemptions = 0;      ///< of slices
  usd cost{};                        ///< dollars of the day; of a commitment, the day's share
  usd per_item{};                    ///< the same for each item
};

/// What a day of images or clips takes and costs.
struct item_day_answer {
  per_second slice_rate{};               ///< the largest rate at which each of the fixed slices keeps the target
  std::int64_t fixed = 0;                ///< slices that the busiest part of the day needs
  std::vector<item_day_option> options;  ///< those that keep the target first, the cheapest first
  double ideal_slice_hours = 0;          ///< of a fleet that always has exactly the slices that the rate needs
  maybe<day_autoscaler> autoscaler{};    ///< where it was asked for
};

namespace detail {

inline day_terms terms_of(const item_day_request& asked) {
  return {asked.day, asked.scaling, asked.prices, asked.region.view(), asked.where, asked.between, asked.seed};
}

/// Requests of which it is seen whether slices keep the target at one rate.
inline constexpr std::int64_t tried_items = 5000;

/// Whether so many slices keep the target of requests that come at that rate all the time.
inline bool keep_target(const item_day_request& asked, std::int64_t slices, per_second rate) {
  simulated_traffic traffic;
  traffic.rate = rate, traffic.variation = asked.variation, traffic.requests = tried_items, traffic.seed = asked.seed;
  traffic.prompt = traffic.output = same_length(1);
  batch_service service = asked.service;
  service.servers = slices;
  return report_of(service, simulate_batches(service, requests_of(traffic)), asked.target).meets_target;
}

/// The fewest slices that keep the target at a rate; nothing: no number of them, as a batch alone takes too long.
inline maybe<std::int64_t> fewest_slices(const item_day_request& asked, per_second rate) {
  const double each = static_cast<double>(asked.service.batch) / asked.service.batch_time.value();
  std::int64_t low = std::max<std::int64_t>(1, ceil_to_count(rate.value() / each - 1e-9)), high = low;
  while (!keep_target(asked, high, rate)) {
    if (high > tried_items) return nothing;  // none of them waits for another
    low = high + 1;
    high *= 2;
  }
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (keep_target(asked, middle, rate)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

/// The largest rate at which so many slices keep the target that they keep at `kept`, within a thousandth.
inline per_second most_items(const item_day_request& asked, std::int64_t slices, per_second kept) {
  per_second low = kept;
  per_second high{static_cast<double>(slices * asked.service.batch) / asked.service.batch_time.value()};
  while (high > low * 1.001) {
    const per_second middle = (low + high) / 2.0;
    (keep_target(asked, slices, middle) ? low : high) = middle;
  }
  return low;
}

/// The numbers of slices of a day as a simulation takes them.
inline std::vector<batch_servers> servers_of(const slices_over_day& slices, seconds part) {
  std::vector<batch_servers> changes;
  const double every = part.value() / decisions_in_part;
  for (std::size_t i = 0; i < slices.serving.size(); ++i) {
    const auto now = static_cast<std::int64_t>(slices.serving[i]);
    if (changes.empty() || changes.back().servers != now)
      changes.push_back({seconds{every * static_cast<double>(i)}, now});
  }
  if (changes.back().servers == 0)
    changes.push_back({seconds{every * static_cast<double>(slices.behind.decision)},
                       static_cast<std::int64_t>(slices.behind.serving)});
  return changes;
}

/// Fills in latencies from a run of the whole day.
inline void add_latencies(item_day_option& option, const item_day_request& asked, const slices_over_day& slices,
                          const batch_run& run) {
  const std::size_t parts = asked.day.rates.size();
  std::vector<double> all;
  std::vector<std::vector<double>> of_part(parts);
  for (const batched_item& one : run.items) {
    const double latency = (one.end - one.arrival).value();
    all.push_back(latency);
    of_part[std::min(parts - 1, static_cast<std::size_t>(one.arrival / asked.day.part))].push_back(latency);
    option.good_share += keeps(latency, asked.target) ? 1 : 0;
  }
  option.good_share /= static_cast<double>(all.size());
  option.meets_targets = is_met(all, asked.target);
  option.latency = in_seconds(percentiles_of(std::move(all))).value;
  const auto decisions = static_cast<std::size_t>(decisions_in_part);
  for (std::size_t part = 0; part < parts; ++part) {
    item_day_part one;
    one.start = asked.day.part * static_cast<double>(part);
    one.rate = asked.day.rates[part];
    for (std::size_t i = 0; i < decisions; ++i) one.slices += slices.serving[part * decisions + i] / decisions_in_part;
    if (!of_part[part].empty()) one.latency = in_seconds(percentiles_of(std::move(of_part[part]))).value;
    option.parts.push_back(one);
  }
}

inline item_day_option day_under(const item_day_request& asked, const payment_mix& mix, std::int64_t fixed,
                                 per_second slice_rate, const std::vector<simulated_request>& requests) {
  item_day_option option;
  option.mix = mix;
  const slices_over_day slices = slices_of(terms_of(asked), mix, fixed, slice_rate);
  option.most_slices = slices.most;
  option.preemptions = slices.preemptions;
  add_cost(option, terms_of(asked), slices);
  option.per_item = option.cost / requests_of(asked.day);  // not of those that come by chance
  add_latencies(option, asked, slices, simulate_batches(asked.service, requests, servers_of(slices, asked.day.part)));
  return option;
}

/// The least headroom of an autoscaler of Kubernetes that keeps the target.
inline day_autoscaler autoscaler_of(item_day_request asked, std::int64_t fixed, per_second slice_rate,
                                    const std::vector<simulated_request>& requests) {
  asked.scaling = kubernetes_rule(asked.scaling);
  return least_headroom([&](std::size_t place) {
    asked.scaling.headroom = tried_headrooms[place];
    const payment_mix mix{0, provisioning::on_demand, provisioning::on_demand, true};
    const slices_over_day slices = slices_of(terms_of(asked), mix, fixed, slice_rate);
    item_day_option option;
    add_latencies(option, asked, slices, simulate_batches(asked.service, requests, servers_of(slices, asked.day.part)));
    day_autoscaler scaler;
    scaler.rule = asked.scaling, scaler.threshold = slice_rate / (1 + asked.scaling.headroom);
    scaler.meets_targets = option.meets_targets, scaler.most_slices = slices.most;
    for (const item_day_part& part : option.parts)
      scaler.missed_parts += reached_of(part.latency, asked.target) > asked.target.limit ? 1 : 0;
    for (const double one : slices.paid) scaler.slice_hours += one * asked.day.part.value() / decisions_in_part / 3600;
    return scaler;
  });
}

inline void validate(const item_day_request& asked) {
  validate(asked.service);
  validate(asked.day, 100);
  validate(asked.scaling);
  validate(latency_targets{{}, {}, asked.target});
  not_negative("mean time between preemptions", asked.between.value());
  if (asked.target.share <= 0) fail(errc::missing_field, "item_day_request.target", "none", "a target by percentile");
  in_range("requests of the day", requests_of(asked.day), 100, 2e6, "at most 2e6 images or clips");
}

}  // namespace detail

/// What a day of images or clips takes: the fewest slices that keep the target in its busiest part, and each mix of
/// ways to pay with its latencies and dollars, simulated from the day's start to its end, those that keep the target
/// first, each kind by cost. All slices take from one queue; a slice that goes ends its batch. Left out: batches of
/// slices that are preempted, which are made again. No options where a batch alone takes longer than the target, or
/// where the slice has no price. Throws, naming the field, for an invalid request. Worked: where every hour has the
/// same traffic, a fleet that follows it without headroom is the fixed one.
[[nodiscard]] inline item_day_answer plan_day(const item_day_request& asked) {
  detail::validate(asked);
  const per_second busiest = *std::max_element(asked.day.rates.begin(), asked.day.rates.end());
  item_day_answer answer;
  const maybe<std::int64_t> fewest = detail::fewest_slices(asked, busiest);
  if (!fewest) return answer;
  answer.fixed = *fewest;
  answer.slice_rate = detail::most_items(asked, answer.fixed, busiest) / static_cast<double>(answer.fixed);
  answer.ideal_slice_hours = ideal_slice_hours(asked.day, answer.slice_rate);
  const std::vector<simulated_request> requests =
      detail::arrivals_over(asked.day, asked.variation, static_cast<std::uint64_t>(asked.seed),
                            [&](std::size_t decision) { return detail::rate_at(asked.day, decision); });
  detail::positive_count("requests of a day", static_cast<std::int64_t>(requests.size()));
  if (asked.find_threshold) answer.autoscaler = detail::autoscaler_of(asked, answer.fixed, answer.slice_rate, requests);
  for (const payment_mix& mix : detail::mixes_of(detail::terms_of(asked), answer.fixed, answer.slice_rate))
    answer.options.push_back(detail::day_under(asked, mix, answer.fixed, answer.slice_rate, requests));
  detail::rank_in_order(answer.options, [](const item_day_option& one) {
    return detail::rank_figures{one.meets_targets ? 0.0 : 1.0, one.cost.value()};
  });
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
