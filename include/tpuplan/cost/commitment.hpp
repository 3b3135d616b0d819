#ifndef TPUPLAN_COST_COMMITMENT_HPP
#define TPUPLAN_COST_COMMITMENT_HPP

#include <cstdint>
#include <tpuplan/cost/run_cost.hpp>

/// @file
/// Commitments of 1 and 3 years: the hour is cheaper, and every hour of the term is billed.

namespace tpuplan {
inline namespace abi_0 {

/// The share of a commitment's hours that must be used for it to cost no more than paying only for the used hours:
/// committed / (otherwise x billed_factor). Above 1 the commitment always costs more.
///
/// Both prices are of the same machines and above 0. `billed_factor`, 1 or more, is what the other way bills for an
/// hour of use: 1 on demand, `expected_run(…).billed_factor` on spot; committed machines are assumed to be used without
/// loss. Worked: 0.84 against 1.20 USD per hour on demand: 0.70; against 0.60 on spot at a factor of 1.2: 1.1667,
/// never.
[[nodiscard]] constexpr double break_even_utilization(usd_per_second committed, usd_per_second otherwise,
                                                      double billed_factor = 1) {
  const double price = detail::positive("break_even_utilization: committed", committed.value());
  detail::positive("break_even_utilization: otherwise", otherwise.value());
  return detail::representable("break_even_utilization: otherwise",
                               price / effective_price(otherwise, billed_factor).value(), otherwise.value(),
                               "a price with a representable ratio to the committed one");
}

/// The cost of a run under a commitment. run + idle = total.
struct commitment_cost {
  usd run{};               ///< for the hours of the run
  usd idle{};              ///< for the hours of the term that nobody uses
  usd total{};             ///< run + idle
  usd whole{};             ///< price of all terms, whoever uses their hours
  seconds term{};          ///< length of all terms that the run needs
  seconds unused{};        ///< time in these terms in which the machines are idle
  double utilization = 0;  ///< share of the term in use, by the run and by others
  std::int64_t terms = 1;  ///< successive terms; more than 1 where the run is longer than a term
};

/// The cost of a run under a commitment for its machines, where other work uses a share of the remaining hours.
///
/// `price` is of all machines at the committed rate, above 0; `rest_used` from 0 (idle: the run has to pay for them) to
/// 1 (others pay for them). Throws for a kind that is no commitment. Worked: 30 days of 32 v5e at 0.84 USD an hour are
/// 19353.60 USD, and 235468.80 if the rest of the year is idle.
[[nodiscard]] constexpr commitment_cost cost_under_commitment(usd_per_second price, provisioning kind, seconds run,
                                                              double rest_used) {
  const seconds term = commitment_term(kind);
  detail::positive("price", price.value());
  detail::positive("run time", run.value());
  detail::in_range("rest of the term in use", rest_used, 0, 1, "0 (idle) to 1 (used)");
  const double terms = math::ceil(run / term);
  if (!(terms < 9e15)) detail::fail(errc::out_of_range, "run time", run.value(), "a time of fewer than 9e15 terms");
  commitment_cost result;
  result.terms = static_cast<std::int64_t>(terms);
  result.term = term * terms;
  result.unused = (result.term - run) * (1 - rest_used);
  result.utilization = 1 - result.unused / result.term;
  result.run = cost(price, run);
  result.idle = cost(price, result.unused);
  result.total = result.run + result.idle;
  result.whole = cost(price, result.term);
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
