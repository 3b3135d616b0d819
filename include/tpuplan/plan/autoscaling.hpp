#ifndef TPUPLAN_PLAN_AUTOSCALING_HPP
#define TPUPLAN_PLAN_AUTOSCALING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/random.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/simulate/arrivals.hpp>
#include <vector>

/// @file
/// How many slices follow the traffic of a day: what an autoscaler decides, and when slices serve.

namespace tpuplan {
inline namespace abi_0 {

/// The rate of requests over a day, or any other time, in equal parts.
struct traffic_day {
  std::vector<per_second> rates;  ///< requests a second in each part
  seconds part{3600};             ///< the length of each
};

/// How the number of slices follows the traffic. It is decided 60 times in each part: as many slices as the current
/// rate needs, plus the headroom, which is what an autoscaler of Kubernetes does with a threshold of requests a second
/// for each slice (kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale).
struct scaling_rule {
  seconds start_up{600};   ///< from the order of a slice, when payment begins, until it serves
  double headroom = 0.25;  ///< spare slices, as a share of those that the current rate needs
  std::int64_t floor = 1;  ///< slices that are always kept
  seconds delay{};         ///< by which the rate that is known is old
  double tolerance = 0;    ///< share by which the rate of a slice may be off its threshold before anything is done
  seconds down_after{};    ///< slices are given back where none of the last decisions for so long wanted them
};

/// How slices are paid for: `base` of them all day, the others while they run.
struct payment_mix {
  std::int64_t base = 0;                             ///< slices paid for all day
  provisioning base_kind = provisioning::on_demand;  ///< way of paying for those
  provisioning kind = provisioning::on_demand;       ///< way of paying for the others
  bool follows = false;                              ///< the number of slices follows the traffic; else it is fixed
};

/// The rule of an autoscaler of Kubernetes with its defaults: the rate is known every 15 s, read 30 s late, nothing is
/// done within 10 % of the threshold, and slices are given back after 5 min (the page above; the delay is two scrapes
/// of 15 s). Worked: `kubernetes_rule({})` has a tolerance of 0.1.
[[nodiscard]] inline scaling_rule kubernetes_rule(scaling_rule rule) {
  rule.delay = seconds{45};
  rule.tolerance = 0.1;
  rule.down_after = seconds{300};
  return rule;
}

namespace detail {

/// Refuses what is no day; with fewer requests than `least` percentiles say little.
inline void validate(const traffic_day& day, double least = 1000) {
  if (day.rates.empty()) fail(errc::missing_field, "traffic_day.rates", "none", "one rate or more");
  in_range("traffic_day.part", positive("traffic_day.part", day.part.value()), 1, 1e7, "1 s to 1e7 s");
  double total = 0;
  for (const per_second rate : day.rates)
    total +=
        in_range("traffic_day.rates", not_negative("traffic_day.rates", rate.value()), 0, 1e9, "0 to 1e9 a second");
  in_range("requests of the day", total * day.part.value(), least, 1e13, least < 1000 ? "100 to 1e13" : "1000 to 1e13");
}

inline void validate(const scaling_rule& rule) {
  in_range("scaling_rule.start_up", not_negative("scaling_rule.start_up", rule.start_up.value()), 0, 86400,
           "0 s to a day");
  in_range("scaling_rule.headroom", not_negative("scaling_rule.headroom", rule.headroom), 0, 10, "0 to 10");
  in_range("scaling_rule.delay", not_negative("scaling_rule.delay", rule.delay.value()), 0, 86400, "0 s to a day");
  in_range("scaling_rule.tolerance", not_negative("scaling_rule.tolerance", rule.tolerance), 0, 1, "0 to 1");
  in_range("scaling_rule.down_after", not_negative("scaling_rule.down_after", rule.down_after.value()), 0, 86400,
           "0 s to a day");
  check_part("scaling_rule.floor", positive_count("scaling_rule.floor", rule.floor), std::int64_t{1000000},
             "1 to 1000000");
}

inline constexpr double decisions_in_part = 60;

/// So many slices that serve from a decision on.
struct slices_from {
  std::size_t decision = 0;
  double serving = 0;
};

/// The slices of a day: at each decision those that serve, 0 where all are lost, and those that are paid.
struct slices_over_day {
  std::vector<double> serving, paid;
  slices_from behind{};  // where none serves at the end: the first ones that do
  std::int64_t preemptions = 0;
  std::int64_t most = 0;

  /// Those that serve what comes at a decision: at once, or as soon as some are back.
  [[nodiscard]] slices_from for_arrivals(std::size_t decision) const {
    for (std::size_t i = decision; i < serving.size(); ++i) {
      if (serving[i] > 0) return {i, serving[i]};
    }
    return behind;
  }
};

inline double rate_at(const traffic_day& day, std::size_t decision) {
  return day.rates[decision / static_cast<std::size_t>(decisions_in_part)].value();
}

/// Random arrivals over a day whose rate at a decision is `rate(decision)`, with numbers of that seed; at most ten
/// million.
template <class Rate>
std::vector<simulated_request> arrivals_over(const traffic_day& day, double variation, std::uint64_t seed,
                                             const Rate& rate_of) {
  const double every = day.part.value() / decisions_in_part;
  std::vector<simulated_request> requests;
  const auto next_gap = [&] { return draw_gap({seed, 1, requests.size()}, variation); };
  double left = next_gap();  // until the next arrival, in mean times between arrivals
  const std::size_t decisions = day.rates.size() * static_cast<std::size_t>(decisions_in_part);
  for (std::size_t i = 0; i < decisions; ++i) {
    const double rate = rate_of(i);
    double time = every * static_cast<double>(i);
    const double end = time + every;
    while (rate > 0 && time + left / rate < end) {
      time += left / rate;
      requests.push_back({});
      requests.back().arrival = seconds{time};
      if (static_cast<std::int64_t>(requests.size()) > most_simulated_requests)
        fail(errc::out_of_range, "requests of a replica in a day", most_simulated_requests + 1,
             "at most 10000000: a day of fewer parts or requests");
      left = next_gap();
    }
    left -= rate * (end - time);
  }
  return requests;
}

/// What slices do besides following: spot ones are preempted at random.
struct slice_losses {
  seconds between{};  // mean time between preemptions of one
  std::int64_t seed = 1;
};

/// How many slices an autoscaler wants at each decision, with so many that serve.
class slices_wanted {
 public:
  slices_wanted(const traffic_day& day, const scaling_rule& rule, const payment_mix& mix, std::int64_t fixed,
                per_second slice_rate)
      : day_{day}, rule_{rule}, mix_{mix}, fixed_{fixed}, threshold_{slice_rate / (1 + rule.headroom)} {
    const double every = day.part.value() / decisions_in_part;
    old_ = static_cast<std::size_t>(math::ceil(rule.delay.value() / every - 1e-9));
    remembered_ = static_cast<std::size_t>(math::ceil(rule.down_after.value() / every - 1e-9));
  }
  std::int64_t at(std::size_t decision, std::int64_t now) {
    if (!mix_.follows) return fixed_;
    const double rate = rate_at(day_, decision > old_ ? decision - old_ : 0);
    std::int64_t wanted = ceil_to_count(rate / threshold_.value() - 1e-9);
    const double off = rate / (static_cast<double>(now) * threshold_.value()) - 1;
    if (rule_.tolerance > 0 && now > 0 && math::abs(off) <= rule_.tolerance) wanted = now;
    wanted = std::max({wanted, rule_.floor, mix_.base});
    wanted_.push_back(wanted);
    const std::size_t from = wanted_.size() > remembered_ + 1 ? wanted_.size() - remembered_ - 1 : 0;
    const auto most = std::max_element(wanted_.begin() + static_cast<std::ptrdiff_t>(from), wanted_.end());
    return wanted < now ? std::min(*most, now) : wanted;
  }

 private:
  const traffic_day& day_;
  const scaling_rule& rule_;
  const payment_mix& mix_;
  std::int64_t fixed_;
  per_second threshold_;
  std::size_t old_ = 0, remembered_ = 0;
  std::vector<std::int64_t> wanted_{};
};

/// Lets the number of slices follow the traffic, or keeps it; spot slices are preempted at random and replaced.
inline slices_over_day follow(const traffic_day& day, const scaling_rule& rule, const slice_losses& losses,
                              const payment_mix& mix, std::int64_t fixed, per_second slice_rate) {
  slices_over_day result;
  const std::size_t decisions = day.rates.size() * static_cast<std::size_t>(decisions_in_part);
  const double every = day.part.value() / decisions_in_part;
  const auto lag = static_cast<std::size_t>(std::max(1.0, math::ceil(rule.start_up.value() / every - 1e-9)));
  std::vector<std::int64_t> starting(decisions + lag);  // by the decision at which they serve
  slices_wanted wanted{day, rule, mix, fixed, slice_rate};
  std::int64_t serving = slices_wanted{day, rule, mix, fixed, slice_rate}.at(0, 0), ordered = 0;
  for (std::size_t i = 0; i < decisions; ++i) {
    serving += starting[i];
    ordered -= starting[i];
    const std::int64_t on_spot = mix.kind == provisioning::spot ? std::max<std::int64_t>(0, serving - mix.base) : 0;
    for (std::int64_t slice = 0; slice < on_spot; ++slice) {
      random_numbers numbers{static_cast<std::uint64_t>(losses.seed), 5 + i, static_cast<std::uint64_t>(slice)};
      if (numbers.exponential() * losses.between.value() >= every) continue;
      --serving;
      ++result.preemptions;
    }
    const std::int64_t more = wanted.at(i, serving + ordered) - serving - ordered;
    if (more > 0) {
      starting[i + lag] += more;
      ordered += more;
    }
    // What was ordered still comes.
    if (more < 0) serving = std::max(std::min<std::int64_t>(serving, 1), serving + more);
    result.serving.push_back(static_cast<double>(serving));
    result.paid.push_back(static_cast<double>(serving + ordered));
    result.most = std::max(result.most, serving + ordered);
  }
  for (std::size_t i = decisions; serving == 0 && i < starting.size(); ++i) {
    serving = starting[i];
    result.behind = {i, static_cast<double>(serving)};
  }
  return result;
}

}  // namespace detail

/// The number of requests of a day. Worked: a rate of 10 a second in one hour makes 36,000.
[[nodiscard]] inline double requests_of(const traffic_day& day) {
  detail::validate(day, 100);
  double total = 0;
  for (const per_second rate : day.rates) total += rate * day.part;
  return total;
}

/// The rates of a trace, in parts of `part` seconds from its start on; the last part may hold less than its time.
/// Worked: three requests in the first minute and none in the second give 0.05 and 0 a second.
[[nodiscard]] inline traffic_day day_of(const std::vector<simulated_request>& requests, seconds part) {
  detail::in_range("part", detail::positive("part", part.value()), 1, 1e7, "1 s to 1e7 s");
  traffic_day day{{}, part};
  if (requests.empty()) return day;
  const double length = requests.back().arrival / part;
  detail::in_range("parts of a trace", length, 0, 1e6, "at most a million");
  // The last request ends its part and begins no other.
  day.rates.resize(static_cast<std::size_t>(std::max(1.0, math::ceil(length - 1e-9))));
  for (const simulated_request& one : requests)
    day.rates[std::min(day.rates.size() - 1, static_cast<std::size_t>(one.arrival / part))] += 1 / part;
  return day;
}

/// Slice-hours of a fleet that always has as many slices as the rate needs in the long run, none of which starts up or
/// is spare. An autoscaler may pay for fewer: a short part is over before its queue has grown. Worked: two hours at 10
/// and 25 requests a second, of which a slice serves 10, take 4.
[[nodiscard]] inline double ideal_slice_hours(const traffic_day& day, per_second slice_rate) {
  detail::validate(day, 100);
  detail::positive("slice_rate", slice_rate.value());
  double hours = 0;
  for (const per_second rate : day.rates)
    hours += static_cast<double>(std::max<std::int64_t>(1, ceil_to_count(rate / slice_rate - 1e-9))) *
             day.part.value() / 3600;
  return hours;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
