#ifndef TPUPLAN_SIMULATE_SLOWDOWN_HPP
#define TPUPLAN_SIMULATE_SLOWDOWN_HPP

#include <algorithm>
#include <cstddef>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/serving/at_rate.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <tpuplan/simulate/step_times.hpp>
#include <vector>

/// @file
/// By how much an engine may be slower than estimated and keep its targets, and with what chance it is not.

namespace tpuplan {
inline namespace abi_0 {

/// The chance that an engine's steps take at most so many times what was estimated: its band holds nine of ten of what
/// was published, one in twenty lies on either side, and in between the logarithm is taken as normal on each side of
/// the estimate. Worked: with a factor of 1 it is 0.5, with high / total 0.95.
[[nodiscard]] inline double chance_within(const token_time& token, double factor) {
  detail::positive("token_time.total", token.total.value());
  if (!(factor > 0)) return 0;
  const double end = factor < 1 ? token.total / token.low : token.high / token.total;
  if (!(end > 1)) return factor < 1 ? 0 : 1;
  return detail::normal_share_below(1.6448536269514722 * math::log(factor) / math::log(end));
}

/// How many times as long as estimated the steps of an engine take at the two ends of a band.
struct step_band {
  step_factors low{};   ///< below 1
  step_factors high{};  ///< above 1
};

namespace detail {
/// To ten decimals: near its capacity a queue is a thousand times as sensitive, and bands that differ by what two
/// builds round shall be one.
constexpr double ten_decimals(double factor) { return math::floor(factor * 1e10 + 0.5) / 1e10; }
}  // namespace detail

/// The band of the steps of an estimate: that of a token for steps in which sequences decode, whatever prompts these
/// compute beside, and that of the first token for those that compute prompts alone. Throws for an estimate that was
/// refused, which has no times. Worked: where a token takes 10 ms, between 8 and 20, such steps take 0.8 to 2 times as
/// long.
[[nodiscard]] inline step_band step_band_of(const serving_estimate& estimate) {
  step_band band;
  const double first = detail::positive("serving_estimate.first_token", estimate.first_token.value());
  band.low.prompts = detail::ten_decimals(estimate.first_token_low.value() / first);
  band.high.prompts = detail::ten_decimals(estimate.first_token_high.value() / first);
  const token_time whole = whole_time_of(estimate);  // of an encoder that of a prompt, as nothing decodes
  band.low.tokens = detail::ten_decimals(whole.low / whole.total);
  band.high.tokens = detail::ten_decimals(whole.high / whole.total);
  return band;
}

/// Limits that are as many times as short, as they are by a clock that is slower. Worked: 2 s over 4 is 0.5 s.
[[nodiscard]] inline latency_targets shortened(latency_targets targets, double factor) {
  detail::positive("factor", factor);
  for (latency_target* one : {&targets.first_token, &targets.per_token, &targets.end_to_end})
    one->limit = one->limit / factor;
  return targets;
}

namespace detail {
/// The slowdown of clients that send as soon as they are answered: all times are as many times as long as steps are.
[[nodiscard]] inline double slowdown_at_once(const counted_times& times, const latency_targets& targets) {
  double least = any_target(targets) ? 16 : 0;
  const auto hold = [&](const std::vector<double>& measured, const latency_target& target) {
    const double most = reached(measured, target.share);
    if (target.limit.value() > 0 && most > 0) least = std::min(least, target.limit.value() / most);
  };
  hold(times.first, targets.first_token), hold(times.each, targets.per_token), hold(times.whole, targets.end_to_end);
  return least;
}
}  // namespace detail

/// The largest factor by which every step may take longer and the targets are still met, to 1 %, at most 16; below 1
/// where they are missed as it is, 0 where they are with steps of a sixteenth. Times that are longer by a factor are a
/// clock that is slower: the requests come closer together and the limits are shorter. Throws as `largest_rate` does.
/// Worked: a server that takes 1 s for a request, and gets one every 4 s with a limit of 2 s, may take twice as long.
template <class Times>
[[nodiscard]] double largest_slowdown(const simulated_engine& engine, const std::vector<simulated_request>& requests,
                                      const Times& times, const latency_targets& targets) {
  detail::validate(targets);
  if (!any_target(targets)) detail::fail(errc::missing_field, "latency_targets", "", "a limit above 0");
  std::vector<simulated_request> closer = requests;
  simulation_run run;
  detail::run_sums sums{run};
  const auto holds = [&](double slower) {
    const latency_targets limits = shortened(targets, slower);
    for (std::size_t i = 0; i < closer.size(); ++i) closer[i].arrival = requests[i].arrival / slower;
    return detail::are_met(engine, closer, times, limits, sums).value_or(false);
  };
  return detail::largest_factor(0.01, holds);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
