#ifndef TPUPLAN_ESTIMATE_SERVING_ENGINE_HPP
#define TPUPLAN_ESTIMATE_SERVING_ENGINE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/serving/apart.hpp>
#include <tpuplan/estimate/serving/encoder.hpp>
#include <tpuplan/estimate/serving/in_groups.hpp>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/estimate/serving/one_token.hpp>
#include <tpuplan/estimate/serving/working_point.hpp>
#include <tpuplan/handbook/inference.hpp>

/// @file
/// A serving engine in its steady state: continuous batching, with prefill of new prompts between decode steps.

namespace tpuplan {
inline namespace abi_0 {

/// Why a slice cannot serve the traffic. Enumerators and their names are stable.
enum class serving_refusal : std::uint8_t {
  none,                 ///< the slice can do it
  does_not_fit,         ///< weights and one sequence of the longest length do not fit
  tpot_below_floor,     ///< the TPOT target is shorter than a decode step of one sequence at peak rates
  ttft_below_floor,     ///< the TTFT target is shorter than the prefill of one prompt at peak rates
  rate_above_capacity,  ///< requests arrive at least as fast as the full batch serves them
};

/// "none", "does_not_fit" and so on.
[[nodiscard]] constexpr std::string_view name(serving_refusal why) noexcept {
  constexpr const char* names[] = {"none", "does_not_fit", "tpot_below_floor", "ttft_below_floor",
                                   "rate_above_capacity"};
  return detail::name_of(names, static_cast<std::size_t>(why));
}

/// How a slice serves some traffic. Rates are over all replicas; `running` and times are of one replica. Where
/// `refusal` is not `none`, `memory` is that of one running sequence, and of the fields after it only `capacity` is
/// estimated.
struct serving_estimate {
  serving_refusal refusal = serving_refusal::none;        ///< why the slice cannot do it, or `none`
  seconds floor{};                                        ///< where a target is refused: the shortest possible time
  decode_limit floor_limited_by = decode_limit::weights;  ///< what takes most of the floor
  serving_memory memory{};                                ///< of one device
  verdict fit = verdict::no;                              ///< whether that memory fits into HBM
  std::int64_t replicas = 0;                              ///< replicas of the model in the slice
  std::int64_t largest_running = 0;  ///< sequences that memory and engine allow to run at once, per replica
  per_second capacity{};             ///< requests per second with all slots taken, or a prompt chunk in each step; of
                                     ///< few clients with one token each no fewer than they are answered
  double running = 0;                ///< sequences that run at once, on average, per replica
  token_time per_token{};            ///< TPOT: of the steps that a request meets
  seconds prefill{};                 ///< of one prompt alone in the engine
  seconds queue{};                   ///< time that a request waits for a slot
  seconds first_token{};             ///< TTFT: queue, what is left of the step that runs, and prefill beside others
  seconds first_token_low{};         ///< lower end: nine of ten comparable published prompts lie in between
  seconds first_token_high{};        ///< the upper end of that range; queues are as uncertain as prompts
  per_second requests{};             ///< requests completed per second
  per_second input_tokens{};         ///< prompt tokens, those in the prefix cache included
  per_second output_tokens{};        ///< output tokens
  double prefill_servers = 0;        ///< prefill servers per decode server, if disaggregated
  bool meets_ttft = true;            ///< TTFT is within its target, or there is none
  bool meets_tpot = true;            ///< TPOT is within its target, or there is none
};

/// The time to the first token and its range.
struct first_token_time {
  seconds total{};  ///< queue, what is left of the step that runs, and prefill beside others
  seconds low{};    ///< lower end: nine of ten comparable published prompts lie in between
  seconds high{};   ///< the upper end of that range
};

/// That of an estimate. Worked: `total` is its `first_token`.
[[nodiscard]] constexpr first_token_time first_token_of(const serving_estimate& estimate) noexcept {
  return {estimate.first_token, estimate.first_token_low, estimate.first_token_high};
}

namespace detail {

/// What of a decode step's floor takes longest.
constexpr decode_limit largest_of_floor(const decode_terms& terms, double sequences) {
  const double weights = weights_at(terms, sequences) * terms.weight_stream;
  const double cache = terms.cache * read_at(terms, sequences) * terms.cache_stream;
  const double products = terms.products * sequences * terms.decode_mxu, links = terms.links * sequences;
  if (links > weights + cache && links > products) return decode_limit::collectives;
  if (products > weights + cache) return decode_limit::products;
  return cache > weights ? decode_limit::cache : decode_limit::weights;
}

/// Refuses a TPOT target below the floor of a decode step of one sequence, and a TTFT target below that of the prefill
/// of one prompt: no engine can be faster.
constexpr void refuse_targets(serving_estimate& estimate, const serving_job& job, const decode_terms& step,
                              const prefill_floor& prompt) {
  const double round = job.speculation.draft_tokens > 0 ? tokens_of_round(job.speculation) : 1;
  const auto refuse = [&](serving_refusal why, seconds floor, decode_limit limited_by) {
    estimate.refusal = why;
    estimate.floor = floor;
    estimate.floor_limited_by = limited_by;
  };
  if (const seconds least{floor_at(step, 1) / round};
      !has_one_token(job) && job.tpot_target.value() > 0 && job.tpot_target < least)
    return refuse(serving_refusal::tpot_below_floor, least, largest_of_floor(step, 1));
  if (job.ttft_target.value() > 0 && job.ttft_target < prompt.total())
    refuse(serving_refusal::ttft_below_floor, prompt.total(), prompt.limited_by());
}

}  // namespace detail

/// Mean time of an output token where `running` sequences run in one replica of an engine, and each that ends is
/// replaced by a new prompt; the host hides behind prompts in the steps that have some. Throws where `validate` of the
/// job or `decode_step` does. Worked: Qwen3 8B on v6e-4, 58.9 sequences of 1024 + 1024 tokens: 12.0 ms in SGLang-JAX,
/// 11.1 ms measured.
/// Source: closed form calibrated on published runs.
[[nodiscard]] constexpr token_time time_per_token(const transformer& model, double running, const serving_job& job,
                                                  const serving_layout& mesh, const slice& where,
                                                  const serving_calibration& constants = default_serving_calibration) {
  validate(job, model);
  detail::check_decoder(model);
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  const auto tokens = static_cast<double>(detail::held_tokens(job, running_context(job)));
  return detail::with_stacks(model, job, mesh, where, detail::has_own_runs(constants), [&](const auto& of) {
    const detail::prompts_taken each = detail::prompts_taken_of(
        of.prompts, of.takes_in, detail::prompts_together(of.served, job, running), job, mesh, own);
    const detail::token_terms terms = detail::token_terms_of(of.served, model, tokens, each, job, mesh, own);
    const prefill_breakdown alone =
        each.count > 1 ? detail::mean_prefill(of.prompts, of.takes_in, 1, job, mesh, own) : each.time;
    const detail::admission prompt = detail::admission_of(job, terms, alone, mesh, own);
    if (terms.alone) {
      const detail::working_point at = detail::apart_in_turn({job, terms, prompt, {}, {}}, running);
      return detail::token_of(terms, running, at.prompts, at.token, job.engine);
    }
    const double count = (running > 1 ? running - 1 : 0) / job.output.mean;
    const double step = detail::mixed_step(detail::engine_step_at(terms, running), count, prompt, running);
    return detail::token_of(terms, running, terms.prompt * count, step, job.engine);
  });
}

/// Prefill time of a prompt of mean length alone in an engine, or of several in one step, without the tokens in the
/// prefix cache. Throws where `time_per_token` does. Worked: 14.2 ms for 1024 tokens of Llama 3 8B on v6e-8.
[[nodiscard]] constexpr seconds engine_prefill_time(const transformer& model, const serving_job& job,
                                                    const serving_layout& mesh, const slice& where,
                                                    const serving_calibration& constants = default_serving_calibration,
                                                    std::int64_t prompts = 1) {
  validate(job, model);
  const auto together = static_cast<double>(detail::positive_count("prompts", prompts));
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  return detail::with_stacks(model, job, mesh, where, detail::has_own_runs(constants), [&](const auto& of) {
    return own.engine_prefill * detail::mean_prefill(of.prompts, of.takes_in, together, job, mesh, own).total;
  });
}

namespace detail {

/// Fills in the range of the time to the first token: that of a prefill, but for the wait for a slot, which is made of
/// the tokens of others.
constexpr void add_first_token_range(serving_estimate& estimate, const served_model& served,
                                     const prefill_breakdown& alone, seconds floor, const serving_job& job,
                                     const engine_constants& constants) {
  prefill_breakdown time;  // of which the range alone is of interest
  const token_time& token = estimate.per_token;
  const seconds waited = has_one_token(job) ? seconds{0} : estimate.queue;
  time.total = estimate.first_token - waited;
  const auto tokens = static_cast<double>(fresh_tokens(job));
  add_prefill_range(time, served, tokens, job, constants, floor, alone, true);
  estimate.first_token_low = time.low + waited * (token.low / token.total);
  estimate.first_token_high = time.high + waited * (token.high / token.total);
}

/// Fills in the times and rates that follow from the running batch.
constexpr void add_rates(serving_estimate& estimate, const serving_job& job, const request_source& from, double each,
                         const engine_constants& constants) {
  const double output = job.output.mean;
  estimate.requests =
      per_second{from.rate > 0 ? job.request_rate.value() : each * static_cast<double>(estimate.replicas)};
  estimate.output_tokens = estimate.requests * output;
  estimate.input_tokens = estimate.requests * job.prompt.mean;
  const token_time& token = estimate.per_token;
  const seconds step = token.step.total * (token.total / (token.total - token.speculation));
  estimate.prefill_servers =
      prefill_servers_per_decode_server({estimate.running, step, output}, estimate.prefill / constants.engine_prefill);
  estimate.meets_ttft = job.ttft_target.value() == 0 || estimate.first_token <= job.ttft_target;
  estimate.meets_tpot =
      job.tpot_target.value() == 0 || has_one_token(job) || estimate.per_token.total <= job.tpot_target * (1 + 1e-9);
  estimate.capacity = max(estimate.capacity, estimate.requests);
}

/// `serve` of an encoder.
constexpr serving_estimate serve_encoder(const served_stacks& of, const serving_job& job, const serving_layout& mesh,
                                         const slice& where, const engine_constants& constants) {
  const double replicas = of.prompts.on.count;
  serving_estimate result;
  result.replicas = floor_to_count(replicas);
  result.largest_running = most_together(of, job, where);
  result.memory = encoder_memory(of, job.prompt.mean, job, where);
  if (result.largest_running == 0) {
    result.refusal = serving_refusal::does_not_fit;
    return result;
  }
  result.fit = fits(result.memory);
  const encoder_terms terms = encoder_terms_of(of, job, mesh, constants);
  const double most = packed_together(tokens_together(of, job, where), job);
  result.capacity = per_second{replicas * most / step_at(terms, most)};
  if (job.request_rate >= result.capacity) result.refusal = serving_refusal::rate_above_capacity;
  if (job.ttft_target.value() > 0 && job.ttft_target < terms.floor) {
    result.refusal = serving_refusal::ttft_below_floor;
    result.floor = terms.floor;
    result.floor_limited_by = terms.floored_by;
  }
  if (result.refusal != serving_refusal::none) return result;
  const double rate = job.request_rate.value() / replicas;
  const encoder_point at = rate > 0 ? encoder_at_random(terms, rate, most, 1, step_at(terms, 1))
                                    : encoder_in_turn(terms, static_cast<double>(job.concurrency) / replicas, most);
  result.running = at.requests;
  result.memory = encoder_memory(of, at.requests * job.prompt.mean, job, where);
  result.fit = fits(result.memory);
  result.prefill = seconds{step_at(terms, 1)};
  result.queue = seconds{at.queue};
  result.first_token = seconds{at.first};
  result.per_token.extrapolated = true;
  add_encoder_range(result.first_token_low, result.first_token_high, result.first_token, terms, at.requests, constants);
  result.requests = rate > 0 ? job.request_rate : per_second{replicas * at.rate};
  result.input_tokens = result.requests * job.prompt.mean;
  result.meets_ttft = job.ttft_target.value() == 0 || result.first_token <= job.ttft_target;
  return result;
}

/// A replica with so many slots, before it is known how many of them are taken.
struct slotted_replica {
  prefill_breakdown alone{};  // a prompt by itself
  token_terms terms{};
  admission prompt{};
  saturation full{};
};

[[gnu::always_inline]] constexpr slotted_replica with_slots(const served_stacks& of, const transformer& model,
                                                            const serving_job& job, double slots,
                                                            const serving_layout& mesh, const engine_constants& own) {
  const auto tokens = static_cast<double>(held_tokens(job, context_of_valid(job)));
  const double together = prompts_together(of.served, job, slots);
  const prompts_taken each = prompts_taken_of(of.prompts, of.takes_in, together, job, mesh, own);
  slotted_replica result{together > 1 ? mean_prefill(of.prompts, of.takes_in, 1, job, mesh, own) : each.time,
                         token_terms_of(of.served, model, tokens, each, job, mesh, own),
                         {},
                         {}};
  result.prompt = admission_of(job, result.terms, result.alone, mesh, own);
  result.full = has_one_token(job)   ? one_token_saturation(job, result.terms, slots, result.prompt)
                : result.terms.alone ? apart_saturation(job, result.terms, slots, result.prompt)
                                     : saturation_of(job, result.terms, slots, result.prompt);
  return result;
}

/// What a request meets where all slots are taken, or as many as prompts can keep full.
constexpr working_point full_point(const serving_job& job, const slotted_replica& replica) {
  const replica_load load{job, replica.terms, replica.prompt, replica.full, {}};
  return replica.terms.alone ? apart_in_turn(load, replica.full.running) : working_point_of(load, replica.full.running);
}

/// `serve` of a model that decodes.
constexpr serving_estimate serve_stacks(const served_stacks& of, const transformer& model, const serving_job& job,
                                        const serving_layout& mesh, const slice& where, const engine_constants& own) {
  const served_model& served = of.served;
  const kept_numbers kept = kept_of_valid(model);
  const bytes cache = cache_of_valid(kept, job, context_of_valid(job));
  const bytes longest = cache_of_valid(kept, job, static_cast<double>(longest_context(job)));
  const double replicas = served.on.count;
  serving_estimate result;
  result.replicas = floor_to_count(replicas);
  result.largest_running = slots_for(served, cache, longest, job, where);
  if (result.largest_running == 0) {
    result.refusal = serving_refusal::does_not_fit;
    result.memory = memory_of(served, 1, cache, job, where);
    return result;
  }
  const slotted_replica slotted = with_slots(of, model, job, static_cast<double>(result.largest_running), mesh, own);
  const auto& [alone, terms, prompt, full] = slotted;
  result.capacity = per_second{replicas * full.rate};
  if (job.request_rate >= result.capacity) result.refusal = serving_refusal::rate_above_capacity;
  const prefill_floor floor = floor_of(of.prompts, alone, static_cast<double>(fresh_tokens(job)), job, mesh, own);
  refuse_targets(result, job, terms.step, floor);
  if (result.refusal != serving_refusal::none) {
    result.memory = memory_of(served, 1, cache, job, where);
    result.fit = fits(result.memory);
    return result;
  }
  result.prefill = seconds{prompt.prefill};
  const request_source from{job.request_rate.value() / replicas, static_cast<double>(job.concurrency) / replicas};
  const replica_load load{job, terms, prompt, full, from};
  const engine_point found = has_one_token(job) ? one_token_point(load)
                             : terms.alone      ? apart_point(load)
                                                : point_of_clients(load);
  const working_point& at = found.at;
  result.running = found.running;
  result.per_token = token_of(terms, at.batch, at.prompts, at.token, job.engine);
  // A replica that runs less than one request on average still holds all of one.
  result.memory = memory_of(served, result.running < 1 ? 1 : result.running, cache, job, where);
  result.fit = fits(result.memory);
  result.queue = seconds{found.queue};
  result.first_token = result.queue + seconds{at.first};
  add_first_token_range(result, of.prompts, alone, floor.total(), job, own);
  add_rates(result, job, from, found.rate, own);
  return result;
}

}  // namespace detail

/// How a slice serves some traffic: whether it fits, how many sequences run at once, times and rates. Where the job
/// gives neither a rate nor a concurrency, all slots are taken, or as many as the TPOT target allows. Traffic that the
/// slice cannot serve gives a `refusal`, with the capacity or the floor; invalid fields throw, by name, as in
/// `validate` and `decode_step`. An encoder takes requests together in steps (`encoder_step_time`): `running` are those
/// of a step, `first_token` is from arrival to the answer, and nothing is said of output tokens. A pair of stacks takes
/// its prompts through the encoder. Worked: Llama 2 70B in int8 on v6e-8 (examples/serving_cases.cpp). Source: scaling
/// book, "Inference" (2025-12-15); Little's law; constants in `serving_calibration`.
[[nodiscard]] constexpr serving_estimate serve(const transformer& model, const serving_job& job,
                                               const serving_layout& mesh, const slice& where,
                                               const serving_calibration& constants = default_serving_calibration) {
  validate(job, model);
  if (any_target(job.percentiles))
    detail::fail(errc::unsupported, "serving_job.percentiles", "", "none here: means alone; plan_serving keeps them");
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  return detail::with_stacks(model, job, mesh, where, detail::has_own_runs(constants), [&](const auto& of) {
    serving_estimate served = model.kind == architecture::encoder
                                  ? detail::serve_encoder(of, job, mesh, where, own)
                                  : detail::serve_stacks(of, model, job, mesh, where, own);
    if (served.refusal != serving_refusal::none) {  // nothing is served, and so no target is met
      served.meets_ttft = job.ttft_target.value() == 0;
      served.meets_tpot = job.tpot_target.value() == 0;
    }
    return served;
  });
}

/// A point of the frontier of throughput against latency.
struct frontier_point {
  double running = 0;          ///< sequences that may run, per replica
  seconds per_token{};         ///< mean time of an output token
  per_second output_tokens{};  ///< over all replicas
};
/// The points of a frontier, by rising batch.
struct serving_frontier {
  std::array<frontier_point, 24> points{};  ///< the first `count` are set
  std::size_t count = 0;                    ///< points
};

/// Time per token and throughput with 1, 2, 4 … slots in a replica, up to as many sequences as fit and as chunked
/// prefill can keep full: each is what `serve` says of so many slots (`max_running`) that are all taken. No points
/// where none fits, and none of an encoder. Throws where `time_per_token` does. Worked: Llama 3 8B on v6e-8 gives 113.9
/// output tokens per second with one sequence of 1024 + 256 tokens.
[[nodiscard]] constexpr serving_frontier frontier(const transformer& model, const serving_job& job,
                                                  const serving_layout& mesh, const slice& where,
                                                  const serving_calibration& constants = default_serving_calibration) {
  validate(job, model);
  serving_frontier result;
  if (model.kind == architecture::encoder) return result;
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  return detail::with_stacks(model, job, mesh, where, detail::has_own_runs(constants), [&](const auto& of) {
    const auto with = [&](std::int64_t slots) {
      return detail::with_slots(of, model, job, static_cast<double>(slots), mesh, own);
    };
    std::int64_t most = largest_running(model, job, mesh, where);
    if (most == 0) return result;
    if (const detail::saturation full = with(most).full; full.is_chunked)
      most = full.batch < 1 ? 1 : floor_to_count(full.batch);
    for (std::int64_t slots = 1; result.count < result.points.size();) {
      const detail::slotted_replica replica = with(slots);
      const detail::working_point at = detail::full_point(job, replica);
      result.points[result.count++] = {static_cast<double>(slots), seconds{at.token},
                                       per_second{of.served.on.count * replica.full.rate * job.output.mean}};
      if (slots == most) break;
      slots = 2 * slots < most ? 2 * slots : most;
    }
    return result;
  });
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
