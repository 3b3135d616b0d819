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

/// Steps of prompts alone. The host's work for one of them is in its prefill, that for each further one is hidden
/// behind the device.
constexpr encoder_terms one_token_terms(const token_terms& terms, const admission& prompt) {
  encoder_terms result;
  result.fixed = prompt.prefill - prompt.each, result.each = prompt.each;
  result.host = -terms.host_each, result.host_each = terms.host_each;
  return result;
}

/// Prompts of the mean length that a step takes. One that is longer than a chunk takes several steps.
constexpr double prompts_of_step(const admission& prompt, double slots) {
  return prompt.chunk > 0 ? smaller(larger(1, prompt.chunk * prompt.round / prompt.tokens), slots) : slots;
}

/// All steps take as many as they can, one where prompts are computed one at a time. An engine takes all that wait,
/// also where fewer at once would be more a second: where the host takes longer for each than the device, requests that
/// wait make steps longer, for which more wait.
constexpr saturation one_token_saturation(const token_terms& terms, double slots, const admission& prompt) {
  const double most = prompts_of_step(prompt, terms.alone ? 1 : slots);
  return {slots, most, most, 0, most / step_at(one_token_terms(terms, prompt), most), true};
}

/// What a request meets, and how it waits for the step that takes it. The time of its token is that of this step, which
/// has prompts beyond what one takes that decodes.
constexpr engine_point one_token_point(const replica_load& load) {
  const double most = load.full.batch;
  const encoder_terms terms = one_token_terms(load.terms, load.prompt);
  const encoder_point at = load.from.rate > 0 ? encoder_at_random(terms, load.from.rate, load.full.running)
                                              : encoder_in_turn(terms, load.from.clients, most);
  const engine_step one = engine_step_at(load.terms, 1);
  const double step = at.first - at.queue, running = smaller(at.rate * step, most), token = running / at.rate;
  return {running, {1, larger(0, token - one.device) / one.own, token, step}, at.queue, at.rate};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
