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

/// By how much steps may take longer until a target is missed.
struct tolerated_slowdown {
  double factor = 0;            ///< times as long as estimated
  bool of_first_token = false;  ///< the target that is missed then is one of the first token
};

/// The chance that an engine's steps take at most that many times what was estimated, 0.05 to 0.95: in the band of the
/// first token where that misses its target beyond it, else in that of a token or, of an encoder, of a request. Throws
/// for an estimate that was refused, which has no times. Worked: of a factor of 1 it is 0.5.
[[nodiscard]] inline double chance_of(const tolerated_slowdown& slowed, const serving_estimate& estimate) {
  detail::positive("serving_estimate.first_token", estimate.first_token.value());
  if (!(slowed.factor > 0)) return serving_shape.places[0].share;
  if (slowed.of_first_token) return chance(first_token_of(estimate), slowed.factor * estimate.first_token);
  const token_time whole = whole_time_of(estimate);
  return chance(whole, slowed.factor * whole.total);
}

namespace detail {
/// Targets of the first token, or the others: each kind is held in a band of its own.
inline latency_targets targets_in_band(latency_targets targets, bool of_first_token) {
  if (of_first_token) targets.per_token = targets.end_to_end = {};
  if (!of_first_token) targets.first_token = {};
  return targets;
}

/// The chance that all targets are kept, with steps that take `slower` times as long: the least over both bands, so
/// that a further target never raises it. `slowdown_of(of_first_token)` is the factor of the targets of a band alone;
/// it is asked for only where it may decide.
template <class Search>
double chance_of_all(tolerated_slowdown slowed, const latency_targets& targets, const serving_estimate& estimate,
                     double slower, const Search& slowdown_of) {
  slowed.factor /= slower;
  const double all = chance_of(slowed, estimate);
  slowed.of_first_token = !slowed.of_first_token;
  if (!any_target(targets_in_band(targets, slowed.of_first_token)) || chance_of(slowed, estimate) >= all) return all;
  slowed.factor = std::max(slowed.factor, slowdown_of(slowed.of_first_token) / slower);
  return std::min(all, chance_of(slowed, estimate));
}
}  // namespace detail

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
[[nodiscard]] inline tolerated_slowdown slowdown_at_once(const counted_times& times, const latency_targets& targets) {
  const auto of = [&](const std::vector<double>& measured, const latency_target& target) {
    const double most = reached(measured, target.share);
    return target.limit.value() > 0 && most > 0 ? std::min(16.0, target.limit.value() / most) : 16.0;
  };
  if (!any_target(targets)) return {};
  const double first = of(times.first, targets.first_token);
  const double others = std::min(of(times.each, targets.per_token), of(times.whole, targets.end_to_end));
  return {std::min(first, others), first < others};
}
}  // namespace detail

/// The largest factor by which every step may take longer and the targets are still met, to 1 %, at most 16; below 1
/// where they are missed as it is, 0 where they are with steps of a sixteenth; and which target is missed beyond it.
/// Times that are longer by a factor are a clock that is slower: the requests come closer together and the limits are
/// shorter. Throws as `largest_rate` does. Worked: a server that takes 1 s for a request, and gets one every 4 s with a
/// limit of 2 s, may take twice as long.
template <class Times>
[[nodiscard]] tolerated_slowdown largest_slowdown(const simulated_engine& engine,
                                                  const std::vector<simulated_request>& requests, const Times& times,
                                                  const latency_targets& targets) {
  detail::validate(targets);
  if (!any_target(targets)) detail::fail(errc::missing_field, "latency_targets", "", "a limit above 0");
  std::vector<simulated_request> closer = requests;
  simulation_run run;
  detail::run_sums sums{run};
  const auto keeps = [&](double slower, const latency_targets& kept) {
    const latency_targets limits = shortened(kept, slower);
    for (std::size_t i = 0; i < closer.size(); ++i) closer[i].arrival = requests[i].arrival / slower;
    return detail::are_met(engine, closer, times, limits, sums).value_or(false);
  };
  const double factor = detail::largest_factor(0.01, [&](double slower) { return keeps(slower, targets); });
  if (targets.first_token.limit.value() <= 0) return {factor, false};
  latency_targets others = targets;
  others.first_token = {};
  return {factor, !any_target(others) || keeps(1.01 * std::max(factor, 1.0 / 16), others)};
}

namespace detail {
/// By how much steps may take longer, and the chance that they do not.
struct slowdown_chance {
  double factor = 0;  ///< times as long as estimated, as of `tolerated_slowdown`
  double chance = 0;  ///< that all targets are kept
};

/// The largest slowdown of an engine, whose steps take `slower` times as long as estimated, and the chance that all
/// targets are kept: the least over the bands of the first token and of the others.
template <class Times>
slowdown_chance slowdown_and_chance(const simulated_engine& engine, const std::vector<simulated_request>& requests,
                                    const Times& times, const latency_targets& targets,
                                    const serving_estimate& estimate, double slower = 1) {
  positive("slower", slower);
  const tolerated_slowdown slowed = largest_slowdown(engine, requests, times, targets);
  const auto alone = [&](bool of_first_token) {
    return largest_slowdown(engine, requests, times, targets_in_band(targets, of_first_token)).factor;
  };
  return {slowed.factor, chance_of_all(slowed, targets, estimate, slower, alone)};
}
}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif
