#ifndef TPUPLAN_ESTIMATE_SERVING_AT_RATE_HPP
#define TPUPLAN_ESTIMATE_SERVING_AT_RATE_HPP

#include <tpuplan/base/math.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/quantiles.hpp>

/// @file
/// What the band of an engine's steps is for requests that come at a rate. The slower the steps, the more requests run
/// at once, and each step takes longer again: times grow by more than the steps do, without end where more requests
/// come than are served.

namespace tpuplan {
inline namespace abi_0 {

/// The time of an estimate whose band says how much longer steps may take: of a token or, of an encoder, of a request.
/// Worked: of Llama it is the time per token.
[[nodiscard]] constexpr token_time whole_time_of(const serving_estimate& estimate) {
  if (estimate.per_token.total.value() > 0) return estimate.per_token;
  token_time whole;
  whole.total = estimate.first_token, whole.low = estimate.first_token_low, whole.high = estimate.first_token_high;
  return whole;
}

/// The mean times of requests.
struct request_times {
  seconds first_token{};  ///< of an encoder the answer
  seconds per_token{};    ///< 0 of an encoder
};

/// The times if every step of the device and the host took `slower` times as long; nothing where the rate is then above
/// the capacity. A clock that runs `slower` times slower says the same: requests come closer together by it. Targets
/// are not held. Throws as `serve` does, and for a factor that is not above 0. Worked: with a factor of 1 they are
/// those of `serve`.
[[nodiscard]] constexpr maybe<request_times> times_with_steps(
    double slower, const transformer& model, serving_job job, const serving_layout& mesh, const slice& where,
    const serving_calibration& constants = default_serving_calibration) {
  job.request_rate = job.request_rate * detail::positive("slower", slower);
  job.ttft_target = job.tpot_target = seconds{0};
  const serving_estimate found = serve(model, job, mesh, where, constants);
  if (found.refusal != serving_refusal::none) return nothing;
  return request_times{slower * found.first_token, slower * found.per_token.total};
}

/// The ends of the times of requests.
struct request_range {
  request_times low{};          ///< if all steps are as short as the band has them
  maybe<request_times> high{};  ///< if all are as long; nothing: more requests come than are served then
};

namespace detail {

/// How many times as long as estimated the steps of an engine may take, with the ends of their band.
constexpr estimated_range<double> steps_of(const serving_estimate& estimate) {
  const token_time whole = whole_time_of(estimate);
  return {whole.low / whole.total, 1, whole.high / whole.total};
}

/// The largest factor from 1/16 to 16, to that share of it, for which a condition that fails from some factor on holds;
/// 0 where it does not hold at the least.
template <class Holds>
constexpr double largest_factor(double exact, const Holds& holds) {
  double low = 1.0 / 16, high = 16;
  if (!holds(low)) return 0;
  if (holds(high)) return high;
  while (high > low * (1 + exact)) {
    const double middle = math::sqrt(low * high);
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace detail

/// The range of an estimate of `serve`: of requests that come at a rate with all steps at either end of their band, for
/// the first token of its own; of clients, and of slots that are always taken, the ends that the estimate has. Worked:
/// at a hundredth of the capacity it is close to the band, at nine tenths it has no upper end.
[[nodiscard]] constexpr request_range range_of_requests(
    const serving_estimate& estimate, const transformer& model, const serving_job& job, const serving_layout& mesh,
    const slice& where, const serving_calibration& constants = default_serving_calibration) {
  const token_time& token = estimate.per_token;
  const request_times high{estimate.first_token_high, token.high};
  const request_range band{{estimate.first_token_low, token.low}, high};
  if (job.request_rate.value() <= 0 || estimate.refusal != serving_refusal::none) return band;
  const estimated_range<double> steps = detail::steps_of(estimate);
  const auto times = [&](double slower) { return times_with_steps(slower, model, job, mesh, where, constants); };
  const seconds first = estimate.first_token;  // whose steps have a band of their own
  const maybe<request_times> low = times(steps.low), low_first = times(estimate.first_token_low / first);
  const maybe<request_times> up = times(steps.high), up_first = times(estimate.first_token_high / first);
  request_range range{band.low, nothing};
  if (low && low_first) range.low = {low_first->first_token, low->per_token};
  if (up && up_first) range.high = request_times{up_first->first_token, up->per_token};
  return range;
}

/// The chance that the mean times of requests that come at a rate are at most these, 0.05 to 0.95: that of steps which
/// are as long as they may be for it, in the band of the first token for its limit, in that of a token for the other;
/// of both the smaller one. A limit of 0 holds nothing. Worked: of limits that are the estimate itself 0.5.
[[nodiscard]] constexpr double chance_of_requests(const request_times& limits, const serving_estimate& estimate,
                                                  const transformer& model, const serving_job& job,
                                                  const serving_layout& mesh, const slice& where,
                                                  const serving_calibration& constants = default_serving_calibration) {
  const auto slowest = [&](const request_times& held) {
    const double found = detail::largest_factor(1e-9, [&](double factor) {
      const maybe<request_times> times = times_with_steps(factor, model, job, mesh, where, constants);
      const auto within = [](seconds time, seconds limit) { return limit.value() <= 0 || time <= limit; };
      return times && within(times->first_token, held.first_token) && within(times->per_token, held.per_token);
    });
    return found > 0 ? found : 1e-9;
  };
  const seconds none{0}, first = limits.first_token, each = limits.per_token;
  const token_time whole = whole_time_of(estimate);
  const double of_each =
      each > none ? chance(whole, slowest({none, each}) * whole.total) : serving_shape.places[6].share;
  if (first <= none) return of_each;
  return detail::smaller(of_each, chance(first_token_of(estimate), slowest({first, none}) * estimate.first_token));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
