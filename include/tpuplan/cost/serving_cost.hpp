#ifndef TPUPLAN_COST_SERVING_COST_HPP
#define TPUPLAN_COST_SERVING_COST_HPP

#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/estimate/serving/engine.hpp>

/// @file
/// Dollars for a million input tokens and for a million output tokens.

namespace tpuplan {
inline namespace abi_0 {

/// Dollars for a million tokens. The price of the slice is divided between input and output tokens by the time that
/// prefill and decode take: input x input tokens/s + output x output tokens/s, per million, is the price per second.
struct serving_cost {
  usd_per_second rate{};  ///< of the slice
  usd input{};            ///< of a million input tokens, cached ones included
  usd output{};           ///< of a million output tokens
  usd all_on_output{};    ///< of a million output tokens that pay for the whole slice, as if input were free
  usd requests{};         ///< of a million requests
};

/// The cost of a million tokens at that price of the slice. Throws for an estimate that does not fit or has no times,
/// and for a price that is not above 0. A request takes its prefill, and its share of the steps in which it decodes
/// beside others. Of an encoder all of it is for input. Worked: 38.40 an hour for 10,000 output tokens a second: 1.0667
/// on output alone.
[[nodiscard]] constexpr serving_cost cost_of_tokens(const serving_estimate& estimate, usd_per_second rate) {
  detail::positive("price", rate.value());
  if (estimate.running <= 0)
    detail::fail(errc::infeasible, "serving_estimate.refusal", name(estimate.refusal), "an estimate of what runs");
  serving_cost cost;
  cost.rate = rate;
  cost.requests = cost_per_million_tokens(rate, estimate.requests);
  if (estimate.output_tokens.value() <= 0) {  // an encoder
    cost.input = cost_per_million_tokens(rate, estimate.input_tokens);
    return cost;
  }
  const double tokens = estimate.output_tokens / estimate.requests;  // of a request
  const double together = estimate.running > 1 ? estimate.running : 1;
  const seconds decode = (estimate.per_token.total - estimate.per_token.prompts) * (tokens / together);
  detail::not_negative("serving_estimate.per_token without prompts", decode.value());
  const double prompts = detail::not_negative("serving_estimate.prefill", estimate.prefill.value()) /
                         detail::positive("serving_estimate.per_token", (estimate.prefill + decode).value());
  cost.all_on_output = cost_per_million_tokens(rate, estimate.output_tokens);
  cost.input = prompts * cost_per_million_tokens(rate, estimate.input_tokens);
  cost.output = (1 - prompts) * cost.all_on_output;
  return cost;
}

/// The cost of a million tokens on a slice at the price of a row of the price book. Worked: at 1 USD a chip and hour, a
/// slice of 8 chips costs 8 USD an hour, 0.2222 USD for each million output tokens at 10,000 a second.
[[nodiscard]] constexpr serving_cost cost_of_tokens(const serving_estimate& estimate, const slice& where,
                                                    const price_row& price) {
  return cost_of_tokens(estimate, rate(price.per_chip, chips(where)));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
