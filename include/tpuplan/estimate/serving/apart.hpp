#ifndef TPUPLAN_ESTIMATE_SERVING_APART_HPP
#define TPUPLAN_ESTIMATE_SERVING_APART_HPP

#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/serving/working_point.hpp>

/// @file
/// Engines that compute prompts in steps of their own, one at a time, and decode where none waits, such as JetStream. A
/// sequence waits for all prompts that come before its next token.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// All slots are taken: each step ends some sequences, whose slots have new prompts before the next one.
constexpr saturation apart_saturation(const serving_job& job, const token_terms& terms, double slots,
                                      const admission& prompt) {
  const engine_step step = engine_step_at(terms, slots);
  const double begun = slots / later_tokens(job), prompts = begun * prompt.prefill;
  return {slots, slots, slots, prompts, begun / step.with(prompts), false};
}

/// Zero where `each` for a second of a step, `one` for each of its sequences, and `by_itself` cancel out.
struct step_balance {
  const token_terms& terms;
  double one = 1, by_itself = 0, each = 0;
  constexpr double operator()(double batch) const {
    return one * batch + by_itself + each * engine_step_at(terms, batch).with(0);
  }
};

/// What a request that comes at random meets. Prompts are served before decode steps, which are what a server does in
/// its vacations (B. T. Doshi, 1986): a request waits for the prompts ahead of it and for what is left of a step. After
/// its first token it waits for those behind it, and for those that come in each step but its last.
///
/// Steps follow one another as long as some sequence decodes: of the time without prompts a share of 1 - exp(-x), where
/// x requests come in the steps of one answer. Prompts come to a step as many as such a server has without a pause. A
/// sequence decodes beside those, 1 / (1 - used)^2 as it sees them, beside those that come in its own steps and, where
/// steps were running, those of the steps before.
constexpr working_point apart_at_random(const replica_load& load) {
  const double rate = load.from.rate, tokens = later_tokens(load.job), slots = load.full.slots;
  const double alone = load.prompt.prefill, prefill = engine_step_at(load.terms, slots).own * alone;
  const double spread = square_ratio(load.job.prompt), used = smaller(rate * prefill, 1 - 1e-9), left = 1 - used;
  const double part = smaller(1, tokens);  // of the requests that have a second token
  const double once = 1 + part * used / left, seen = 1 + part * ((1 + (spread - 1) * used * used) / left / left - 1);
  const double usual = crossing(step_balance{load.terms, 1, -once, -once * rate * tokens / 2}, slots);
  const double decodes = -math::expm1(-rate * tokens * engine_step_at(load.terms, larger(1, usual)).with(0));
  const double others = part * (larger(0, tokens - 1) + decodes * (larger(1, tokens) + 1));
  const double batch = crossing(step_balance{load.terms, 1, -seen, -rate / left * others / 2}, slots);
  const engine_step one = engine_step_at(load.terms, batch);
  const double step = one.with(0), first = alone + used * prefill * spread / 2 / left + decodes * step / 2;
  const double prompts = used / left * (step + (first - step) / usual_tokens(load.job)) / one.own;
  return {batch, prompts, one.with(prompts), first};
}

/// Where clients have others, a prompt is sent while a further step runs and has no part in it, unless others were
/// sent a step before, whose prompts come now: the share of a step that a request waits.
constexpr double step_missed(const replica_load& load, double others) {
  const double tokens = later_tokens(load.job), ended = 1 / larger(1, tokens);
  if (load.from.clients <= 0 || load.from.clients > load.full.slots || square_ratio(load.job.output) <= 1) return 0;
  return (1 - math::pow(ended, others)) / (2 - math::exp(-others * ended));
}

/// What one of `running` sequences meets where a prompt comes whenever an answer ends: with a step, and with those
/// whose answers end in the same one. Where all answers of some clients are as long, these are all others. Until its
/// answer ends each of the others sends a prompt.
constexpr working_point apart_in_turn(const replica_load& load, double running) {
  const double tokens = later_tokens(load.job), prefill = load.prompt.prefill, others = larger(0, running - 1);
  const double missed = step_missed(load, others), ended = others / larger(1, tokens + missed);
  const bool in_step = load.from.clients > 0 && square_ratio(load.job.output) <= 1;
  const double ahead = in_step      ? others / 2
                       : missed > 0 ? smaller(others, ended * (1.5 - missed))
                                    : others * (1 - share_behind(load.job));
  const double batch = 1 + others * tokens / (tokens + missed), before = prefill * (others - ahead) / tokens;
  const engine_step one = engine_step_at(load.terms, batch);
  return {batch, before, one.with(before), missed * one.with(0) + prefill * (1 + ahead)};
}

/// A replica under some load. Of clients the rate follows from the time of an answer, by Little's law.
constexpr engine_point apart_point(const replica_load& load) {
  const double tokens = later_tokens(load.job), slots = load.full.slots, target = load.job.tpot_target.value();
  if (load.from.rate > 0) {
    const working_point at = apart_at_random(load);
    const double running = smaller(load.from.rate * (load.prompt.prefill + tokens * at.token), slots);
    return {running, at, slot_queue(load, running), load.from.rate};
  }
  double running = load.from.clients > 0 ? smaller(load.from.clients, slots) : slots;
  if (load.from.clients <= 0 && target > 0) {
    const double own = engine_step_at(load.terms, slots).own;
    const double each = own * load.prompt.prefill * share_behind(load.job) / tokens;  // of prompts, to a token
    running = larger(smaller(1, slots), crossing(step_balance{load.terms, each, -each - target, 1}, slots));
  }
  const working_point at = apart_in_turn(load, running);
  const double rate = running / (at.first + tokens * at.token);
  return {running, at, larger(0, load.from.clients - running) / rate, rate};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
