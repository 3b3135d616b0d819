#ifndef TPUPLAN_ESTIMATE_SERVING_SPECULATION_HPP
#define TPUPLAN_ESTIMATE_SERVING_SPECULATION_HPP

#include <cstdint>
#include <tpuplan/estimate/serving/engine.hpp>

/// @file
/// Speculative decoding and multi-token prediction: a round drafts some tokens, verifies all of them in one step of the
/// model, and keeps those that it accepts and one more.

namespace tpuplan {
inline namespace abi_0 {

/// How an engine speculates. Of `acceptance` and `accepted_length` one is given.
struct speculation {
  std::int64_t draft_tokens = 0;  ///< drafted in a round; 0: the engine does not speculate
  double acceptance = 0;          ///< chance that a draft token is accepted where those before it were, below 1
  double accepted_length = 0;     ///< mean tokens of a round, the one of the model itself included
  double draft_cost = 0;          ///< time to draft the tokens of a round, as a share of a step without speculation
};

/// What speculation does to the time of a token where so many sequences run in a replica.
struct speculative_time {
  double running = 0;            ///< sequences that decode
  double tokens = 0;             ///< mean tokens of a round
  seconds draft{};               ///< to draft the tokens of a round
  seconds verify{};              ///< the step of the model that verifies them, host and all, without prompts
  seconds without{};             ///< time of a token without speculation
  seconds per_token{};           ///< time of a token, prompts in between included
  seconds low{};                 ///< lower end, by the band of a token without speculation
  seconds high{};                ///< upper end, likewise
  double speedup = 0;            ///< times as many tokens a second as without
  double length_needed = 0;      ///< tokens of a round from which it pays; 0: it never does
  double acceptance_needed = 0;  ///< chance to accept from which it pays; 0: it never does
  per_second rate{};             ///< output tokens of a replica, the prompts of all that run included
};

namespace detail {

/// 1 + a + a^2 + … + a^drafted.
constexpr double tokens_at(double acceptance, std::int64_t drafted) {
  return (1 - math::pow(acceptance, static_cast<double>(drafted + 1))) / (1 - acceptance);
}

/// Seconds on the device to verify `each` tokens of every sequence: products, links and experts see all of them, keys
/// and values are read once for a sequence.
constexpr double verify_at(const decode_terms& terms, double sequences, double each) {
  const double tokens = sequences * each;
  const double weights = weights_at(terms, tokens), products = terms.products * tokens;
  return factor_at(terms.own, sequences) *
         ((weights > products ? weights : products) + (terms.cache + terms.paging) * sequences +
          (terms.dispatch + terms.collectives) * tokens + terms.latency);
}

}  // namespace detail

/// Mean tokens of a round. Throws, naming the field, where neither or both of acceptance and length are given, or one
/// is out of its range. Worked: with an acceptance of 0.8 and 4 draft tokens, 3.3616. Source: Y. Leviathan, M. Kalman,
/// Y. Matias, "Fast Inference from Transformers via Speculative Decoding" (2023), equation 1.
[[nodiscard]] constexpr double tokens_of_round(const speculation& by) {
  detail::check_part("speculation.draft_tokens", detail::positive_count("speculation.draft_tokens", by.draft_tokens),
                     std::int64_t{4096}, "1 to 4096");
  const auto most = static_cast<double>(by.draft_tokens + 1);
  detail::in_range("speculation.acceptance", by.acceptance, 0, 0.9999, "0 to 0.9999");
  if (by.accepted_length > 0) {
    if (by.acceptance > 0)
      detail::fail(errc::invalid_argument, "speculation.acceptance", by.acceptance, "0 beside an accepted length");
    return detail::in_range("speculation.accepted_length", by.accepted_length, 1, most,
                            "1 to one more than the draft tokens");
  }
  if (!(by.acceptance > 0))
    detail::fail(errc::missing_field, "speculation.acceptance", "missing", "above 0, or an accepted length");
  return detail::tokens_at(by.acceptance, by.draft_tokens);
}

/// The time of a token with speculation where `running` sequences run in one replica and each that ends is replaced by
/// a new prompt. What is accepted is as given, whatever runs; its band is that of a token without speculation. Throws
/// as `time_per_token` and `tokens_of_round` do, and where the cost of drafts is missing. Worked: drafts that are all
/// accepted and take half a step, where a step takes as long for five tokens as for one, are 5 / 1.5 times as fast.
/// Source: closed form of a decode step.
[[nodiscard]] constexpr speculative_time speculative_token_time(
    const transformer& model, double running, const serving_job& job, const serving_layout& mesh, const slice& where,
    const speculation& by, const serving_calibration& constants = default_serving_calibration) {
  const double tokens = tokens_of_round(by);
  detail::in_range("speculation.draft_cost", detail::positive("speculation.draft_cost", by.draft_cost), 0, 100,
                   "above 0, at most 100");
  if (model.kind != architecture::decoder)
    detail::fail(errc::unsupported, "speculation of an architecture", name(model.kind), "decoder");
  const token_time plain = time_per_token(model, running, job, mesh, where, constants);
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  const auto held = static_cast<double>(detail::held_tokens(job, running_context(job)));
  const detail::served_model served = detail::served_by_valid(model, job, mesh, where, detail::has_own_runs(constants));
  const detail::prompts_taken each =
      detail::prompts_taken_of(served, model, detail::prompts_together(served, job, running), job, mesh, own);
  const detail::token_terms terms = detail::token_terms_of(served, model, held, each, job, mesh, own);
  detail::engine_step step = detail::engine_step_at(terms, running);
  speculative_time result{running, tokens};
  const double draft = by.draft_cost * step.with(0);
  step.device = detail::verify_at(terms.step, running, static_cast<double>(by.draft_tokens + 1));
  // A round has the prompts of all the tokens that it makes.
  const double others = running > 1 ? running - 1 : 0;  // as without drafts
  const auto at = [&](double length) { return (draft + step.with(terms.prompts * others * length)) / length; };
  result.draft = seconds{draft};
  result.verify = seconds{step.with(0)};
  result.without = plain.total;
  result.per_token = seconds{at(tokens)};
  result.low = result.per_token * (plain.low / plain.total);
  result.high = result.per_token * (plain.high / plain.total);
  result.speedup = plain.total / result.per_token;
  result.rate = per_second{running * tokens / (draft + step.with(terms.prompts * running * tokens))};
  const auto most = static_cast<double>(by.draft_tokens + 1);
  if (at(most) >= plain.total.value()) return result;
  const auto faster = [&](double more) { return plain.total.value() - at(1 + more); };
  result.length_needed = 1 + detail::crossing(faster, most - 1);
  const auto longer = [&](double rate) { return detail::tokens_at(rate, by.draft_tokens) - result.length_needed; };
  result.acceptance_needed = detail::crossing(longer, 0.9999);
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
