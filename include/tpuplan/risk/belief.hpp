#ifndef TPUPLAN_RISK_BELIEF_HPP
#define TPUPLAN_RISK_BELIEF_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/normal.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// A mean time between events that nobody knows exactly: the values that it may have, and how likely each is. Events of
/// one's own make it surer.

namespace tpuplan {
inline namespace abi_0 {

/// One value that a mean time may have.
struct believed_time {
  seconds mean{};    ///< the mean time between two events
  double share = 0;  ///< how likely it is; all shares add up to 1
};

/// What is believed of a mean time between events: 129 values, rising. Times between events are exponential for each.
struct mean_time_belief {
  std::array<believed_time, 129> values{};  ///< all of them the same where the mean time is known

  [[nodiscard]] constexpr const believed_time* begin() const noexcept { return values.data(); }  ///< the least
  [[nodiscard]] constexpr const believed_time* end() const noexcept { return values.data() + values.size(); }  ///< end
};

/// A log-normal belief: nine of ten lie within a factor of the median, half above and half below it. A factor of 1: the
/// mean time is known. `median` above 0, `factor` from 1 to 1000. Worked: a median of 4 h and a factor of 16 have 5 %
/// below 15 min and 5 % above 64 h.
[[nodiscard]] constexpr mean_time_belief believed_within(seconds median, double factor) {
  const double middle = detail::positive("mean_time_belief: median", median.value());
  detail::in_range("mean_time_belief: factor", factor, 1, 1000, "1 (known) to 1000");
  const double deviation = math::log(factor) / math::normal_quantile(0.95);
  mean_time_belief belief;
  const double last = static_cast<double>(belief.values.size() - 1);
  double sum = 0;
  for (std::size_t i = 0; i < belief.values.size(); ++i) {
    const double z = 8 * static_cast<double>(i) / last - 4;  // four standard deviations on either side
    belief.values[i] = {seconds{factor == 1 ? middle : middle * math::exp(deviation * z)}, math::exp(-z * z / 2)};
    sum += belief.values[i].share;
  }
  for (believed_time& one : belief.values) one.share /= sum;
  return belief;
}

/// The belief after `events` were seen in a time, by Bayes' rule: each value counts by the chance that it gives to what
/// was seen. A belief that was sure stays so. `observed` above 0, `events` 0 or more. Worked: 4 h within a factor of 16
/// has a median of 1.53 h after 19 events in 28 h.
[[nodiscard]] constexpr mean_time_belief knowing(const mean_time_belief& before, seconds observed,
                                                 std::int64_t events) {
  detail::positive("mean_time_belief: observed", observed.value());
  detail::count_from("mean_time_belief: events", events, 0);
  const auto logarithm = [&](const believed_time& one) {  // of the chance, but for a constant
    return -observed / one.mean - static_cast<double>(events) * math::log(one.mean.value());
  };
  double most = logarithm(before.values[0]), sum = 0;
  for (const believed_time& one : before) most = logarithm(one) > most ? logarithm(one) : most;
  mean_time_belief after = before;
  for (believed_time& one : after.values) sum += (one.share *= math::exp(logarithm(one) - most));
  for (believed_time& one : after.values) one.share /= sum;
  return after;
}

/// The belief of a mean time that is a constant multiple: of a job on several slices, of a slice of several hosts.
/// `factor` above 0. Worked: 0.25 of 4 h is 1 h.
[[nodiscard]] constexpr mean_time_belief scaled(mean_time_belief belief, double factor) {
  detail::positive("mean_time_belief: factor", factor);
  for (believed_time& one : belief.values) one.mean *= factor;
  return belief;
}

/// The mean time below which that share of the belief lies, between two values by their logarithms. `share` from 0 to
/// 1. Worked: half of a belief about 4 h lies below 4 h.
[[nodiscard]] constexpr seconds quantile(const mean_time_belief& belief, double share) {
  detail::in_range("mean_time_belief: share", share, 0, 1, "0 to 1");
  double below = 0;  // half of a value's share lies below it
  for (std::size_t i = 0; i + 1 < belief.values.size(); ++i) {
    const believed_time &one = belief.values[i], &next = belief.values[i + 1];
    const double at = below + one.share / 2, then = below + one.share + next.share / 2;
    if (share <= at) return one.mean;
    if (share < then && then > at)
      return one.mean * math::exp((share - at) / (then - at) * math::log(next.mean / one.mean));
    below += one.share;
  }
  return belief.values.back().mean;
}

/// The chance of no event in a time: the mean of e^(-T / M) over the belief, in closed form. `window` 0 or more.
/// Worked: of a mean time of 4 h that is known, 36.8 % in 4 h.
[[nodiscard]] constexpr double chance_of_none(const mean_time_belief& belief, seconds window) {
  detail::not_negative("chance_of_none: window", window.value());
  double chance = 0;
  for (const believed_time& one : belief) chance += one.share * math::exp(-window / one.mean);
  return chance < 1 ? chance : 1;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
