#ifndef TPUPLAN_ESTIMATE_SERVING_QUEUEING_HPP
#define TPUPLAN_ESTIMATE_SERVING_QUEUEING_HPP

#include <tpuplan/base/math.hpp>

/// @file
/// Two means of queueing theory that the closed form of an engine needs.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

constexpr double smaller(double a, double b) noexcept { return a < b ? a : b; }
constexpr double larger(double a, double b) noexcept { return a > b ? a : b; }

/// Requests that wait, on average, where they come at random to `servers` that are taken for `load` of the time.
/// `square_ratio` is the mean square of the times of service over the square of their mean. Exact for one server
/// (Pollaczek and Khinchine). Source: H. Sakasegawa, "An approximation formula L_q = alpha rho^beta / (1 - rho)", 1977.
/// Worked: one server at a load of 0.5 with constant service has 0.25 of them; eight at a load of 0.8 with exponential
/// service have 1.94 (Erlang: 1.83).
constexpr double mean_queue(double load, double servers, double square_ratio) {
  return math::pow(load, math::sqrt(2 * (servers + 1))) / (1 - load) * square_ratio / 2;
}

/// The mean length of the step that runs when a request comes, where each step takes in the prompts that came during
/// the one before: a longer step sees more arrivals and makes the next one longer. `prompts` is the share of all steps
/// that goes to prompts, `each` the time of one. With S' = d + each x Poisson(rate x S) it is E[S^2] / E[S]. Worked:
/// without prompts it is the mean step; steps of 3 on average, of which a third are prompts of 4, are 4.5 long then.
constexpr double step_met(double mean, double prompts, double each, double square_ratio) {
  return mean + prompts * each * square_ratio / (1 - prompts * prompts);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
