#ifndef TPUPLAN_ESTIMATE_SERVING_ONE_TOKEN_HPP
#define TPUPLAN_ESTIMATE_SERVING_ONE_TOKEN_HPP

#include <tpuplan/estimate/serving/encoder.hpp>
#include <tpuplan/estimate/serving/working_point.hpp>

/// @file
/// Requests to a decoder whose first token is their last, as of a classifier or a judge: nothing decodes, and steps
/// take prompts together as those of an encoder do.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

constexpr bool has_one_token(const serving_job& job) noexcept { return job.output.mean <= 1; }

/// Steps of prompts alone, behind which the host's work for each of them is hidden; for one that comes to an idle
/// replica, and one that has a step to itself, it is in the prefill.
constexpr encoder_terms one_token_terms(const serving_job& job, const token_terms& terms, const admission& prompt) {
  encoder_terms result;
  result.fixed = (prompt.prefill - prompt.each) / prompt.chunks, result.each = prompt.each;
  result.host_each = terms.host_each, result.varied = larger(1, square_ratio(job.prompt));
  if (terms.alone) result.fixed *= prompt.chunks;
  (terms.alone ? result.host : result.idle) = terms.alone ? -terms.host_each : terms.host_each;
  return result;
}

/// Prompts of the mean length that a step takes, of which one that is longer than a chunk is computed in parts.
constexpr double prompts_of_step(const admission& prompt, double slots) {
  return prompt.chunk > 0 ? smaller(prompt.chunk * prompt.round / prompt.tokens, slots) : slots;
}

/// All steps take as many as they can, one where prompts are computed one at a time. An engine takes all that wait,
/// also where fewer at once would be more a second: where the host takes longer for each than the device, requests that
/// wait make steps longer, for which more wait.
constexpr saturation one_token_saturation(const serving_job& job, const token_terms& terms, double slots,
                                          const admission& prompt) {
  const double most = terms.alone ? 1 : prompts_of_step(prompt, slots);
  return {slots, most, most, 0, most / full_step(one_token_terms(job, terms, prompt), most).time, true};
}

/// Clients of which each waits for its answer. Where a prompt takes several steps, these are full unless it is alone.
constexpr encoder_point clients_with_one_token(const encoder_terms& terms, const replica_load& load) {
  const double clients = load.from.clients, most = load.full.batch, prefill = load.prompt.prefill;
  if (most >= 1 || clients <= 0) return encoder_in_turn(terms, clients, most);
  const double first = clients > 1 ? clients / load.full.rate : prefill;
  return {smaller(clients, most), first, larger(0, first - prefill), clients / first};
}

/// Requests that come at random; one at a time they are a queue with one server (Pollaczek and Khinchine).
constexpr encoder_point one_token_at_random(const encoder_terms& terms, const replica_load& load) {
  const double rate = load.from.rate, most = load.full.batch, prefill = load.prompt.prefill;
  if (!load.terms.alone)
    return encoder_at_random(terms, rate, most, steps_for(1, most, math::sqrt(terms.varied - 1)), prefill);
  const double queue = mean_queue(rate * prefill, 1, terms.varied) / rate;
  return {1, queue + prefill, queue, rate};
}

/// What a request meets, and how it waits for the step that takes it. The time of its token is that of this step, which
/// has prompts beyond what one takes that decodes.
constexpr engine_point one_token_point(const replica_load& load) {
  const double most = larger(1, load.full.batch);
  const encoder_terms terms = one_token_terms(load.job, load.terms, load.prompt);
  const encoder_point at = load.from.rate > 0 ? one_token_at_random(terms, load) : clients_with_one_token(terms, load);
  const engine_step one = engine_step_at(load.terms, 1);
  const double step = at.first - at.queue, running = smaller(at.rate * step, most), token = running / at.rate;
  return {running, {1, larger(0, token - one.device) / one.own, token, step}, at.queue, at.rate};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
