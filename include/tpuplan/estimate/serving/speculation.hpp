#ifndef TPUPLAN_ESTIMATE_SERVING_SPECULATION_HPP
#define TPUPLAN_ESTIMATE_SERVING_SPECULATION_HPP

#include <cstdint>
#include <tpuplan/estimate/serving/engine.hpp>

/// @file
/// Speculative decoding and multi-token prediction: what drafts do to the time of a token, and from when they pay.

namespace tpuplan {
inline namespace abi_0 {

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

/// The time of a token with speculation where `running` sequences run in one replica and each that ends is replaced by
/// a new prompt, and the job speculates as `by` says. What is accepted is as given, whatever runs; its band is that of
/// a token without speculation. Throws as `time_per_token` and `tokens_of_round` do, and where the cost of drafts is
/// missing. Worked: drafts that are all accepted and take half a step, where a step takes as long for five tokens as
/// for one, are 5 / 1.5 times as fast. Source: closed form of a decode step.
[[nodiscard]] constexpr speculative_time speculative_token_time(
    const transformer& model, double running, const serving_job& given, const serving_layout& mesh, const slice& where,
    const speculation& by, const serving_calibration& constants = default_serving_calibration) {
  serving_job job = given;
  job.speculation = {};
  const double tokens = tokens_of_round(by);
  detail::in_range("speculation.draft_cost", detail::positive("speculation.draft_cost", by.draft_cost), 0, 100,
                   "above 0, at most 100");
  if (model.kind != architecture::decoder)
    detail::fail(errc::unsupported, "speculation of an architecture", name(model.kind), "decoder");
  validate(job, model);
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  const detail::served_model served = detail::served_by_valid(model, job, mesh, where, detail::has_own_runs(constants));
  const detail::served_stacks of{served, model, served};
  const detail::slotted_replica slotted = detail::with_slots(of, model, job, running, mesh, own);
  const detail::working_point met = detail::full_point(job, slotted);
  const token_time plain = detail::token_of(slotted.terms, met.batch, met.prompts, met.token, job.engine);
  const auto with_rounds = [&](double length) {
    serving_job drafting = job;
    drafting.speculation = by;
    drafting.speculation.acceptance = 0, drafting.speculation.accepted_length = length;
    return detail::with_slots(of, model, drafting, running, mesh, own);
  };
  const auto at = [&](double length) { return detail::full_point(job, with_rounds(length)).token; };
  const detail::slotted_replica drafted = with_rounds(tokens);
  const double step = detail::engine_step_at(slotted.terms, met.batch).with(0);
  speculative_time result{running, tokens};
  result.draft = seconds{by.draft_cost * step};
  result.verify =
      seconds{detail::engine_step_at(drafted.terms, met.batch).with(0) * drafted.terms.round} - result.draft;
  result.without = plain.total;
  result.per_token = seconds{detail::full_point(job, drafted).token};
  result.low = result.per_token * (plain.low / plain.total);
  result.high = result.per_token * (plain.high / plain.total);
  result.speedup = plain.total / result.per_token;
  result.rate = per_second{drafted.full.running / result.per_token};
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
