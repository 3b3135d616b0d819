#ifndef TPUPLAN_ESTIMATE_SERVING_ENGINE_HPP
#define TPUPLAN_ESTIMATE_SERVING_ENGINE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/estimate/serving/prefill.hpp>
#include <tpuplan/handbook/inference.hpp>

/// @file
/// A serving engine in its steady state: continuous batching, with prefill of new prompts between decode steps.

namespace tpuplan {
inline namespace abi_0 {

/// Mean time of an output token in an engine: step.total + prompts + engine = total. The host prepares a step while the
/// device runs another, so that the engine adds time only where the host is slower; vLLM over several hosts
/// prepares each step after the one before has ended.
struct token_time {
  decode_breakdown step{};    ///< the decode step by itself
  seconds prompts{};          ///< prefill of new requests, as much per step as keeps the batch full
  seconds engine{};           ///< waiting for host and scheduler
  seconds total{};            ///< mean time of an output token
  seconds low{};              ///< lower end: nine of ten comparable published engines lie in between
  seconds high{};             ///< the upper end of that range
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< no published decode run is on a chip of that name
};

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
  per_second capacity{};             ///< requests per second with all slots taken, or a prompt chunk in each step
  double running = 0;                ///< sequences that run at once, on average, per replica
  token_time per_token{};            ///< TPOT
  seconds prefill{};                 ///< of one prompt alone in the engine
  seconds queue{};                   ///< time that a request waits for a slot
  seconds first_token{};             ///< TTFT: queue, half a step, and prefill, whose chunks share steps with others
  per_second requests{};             ///< requests completed per second
  per_second input_tokens{};         ///< prompt tokens, those in the prefix cache included
  per_second output_tokens{};        ///< output tokens
  double prefill_servers = 0;        ///< prefill servers per decode server, if disaggregated
  bool meets_ttft = true;            ///< TTFT is within its target, or there is none
  bool meets_tpot = true;            ///< TPOT is within its target, or there is none
};

namespace detail {

/// The terms of an engine's mean time per output token, in seconds, from which it follows for any running batch.
struct token_terms {
  decode_terms step{};
  double prompts = 0;    // prefill of new requests, for each sequence
  double host = 0;       // host and scheduler
  double host_each = 0;  // host and scheduler, for each sequence
  bool in_turn = false;  // the device idles while the host works
};

/// vLLM drives several hosts by remote calls and has no asynchronous scheduling there.
constexpr bool waits_for_host(const served_model& served, serving_engine engine) noexcept {
  return served.on.hosts > 1 && (engine == serving_engine::vllm || engine == serving_engine::vllm_torch_xla);
}

/// Seconds of prefill per output token: of prompts that are not in the prefix cache, in steps that decode too.
constexpr double prompts_of(const served_model& served, const transformer& model, const serving_job& job,
                            const serving_layout& mesh, const slice& where, const engine_constants& constants) {
  const std::int64_t tokens = ceil_to_count(job.prompt.mean);
  const double prompts = served.groups;  // data-parallel attention has one prompt in each group
  const prefill_breakdown one = prefill_of(served, model, {prompts, tokens}, job, mesh, where, constants);
  const double computed = job.prompt.mean / static_cast<double>(tokens) * (1 - job.prefix_hit_rate);
  return constants.engine_prefill * beside_decode(one, mesh).value() / prompts * computed / job.output.mean;
}

/// The number of arrays that the host passes to an engine's step, over all layers: the four matrices of attention,
/// those of the MLP or of the experts and their router, a scale beside each where weights have 8 bits or fewer, norms,
/// and the cache.
constexpr double arrays_of(const transformer& model, const serving_job& job) {
  const bool experts = has_experts(model);
  const std::int64_t matrices = 4 + (model.mlp.gated ? 3 : 2) + (experts ? 1 : 0);
  const std::int64_t scales = bits(job.weights) <= 8 ? matrices : 0;
  const std::int64_t norms = model.norms_per_layer + (model.attention.qk_norm ? 2 : 0);
  return static_cast<double>(model.layers) * static_cast<double>(matrices + scales + norms + 1);
}

/// The terms of an engine's token time. The host passes every array to each of its devices.
constexpr token_terms token_terms_of(const served_model& served, const transformer& model, bytes cache,
                                     const serving_job& job, const serving_layout& mesh, const slice& where,
                                     const engine_constants& constants) {
  token_terms terms;
  terms.step = terms_of(served, cache, job, mesh, constants);
  terms.prompts = prompts_of(served, model, job, mesh, where, constants);
  const double passed = arrays_of(model, job) * served.on.devices / served.on.hosts;
  terms.host = (constants.common.engine_step + constants.common.engine_array * passed).value();
  terms.host_each = constants.common.engine_sequence.value();
  terms.in_turn = waits_for_host(served, job.engine);
  return terms;
}

/// Seconds of a step of device and host: the longer of the two or, `in_turn`, their sum.
constexpr double with_host(double device, double host, bool in_turn) noexcept {
  return in_turn ? device + host : device > host ? device : host;
}

/// Mean seconds of an output token with that many running sequences.
constexpr double time_at(const token_terms& terms, double running) {
  const double own = factor_at(terms.step.own, running);
  return with_host(step_at(terms.step, running) + own * terms.prompts * running,
                   own * (terms.host + terms.host_each * running), terms.in_turn);
}

/// The mean time of an output token with its parts and its band.
constexpr token_time token_of(const token_terms& terms, double running, serving_engine engine, const chip_spec& chip) {
  token_time token;
  token.step = decode_of(terms.step, running, engine, chip);
  token.prompts = seconds{factor_at(terms.step.own, running) * terms.prompts * running};
  token.total = seconds{time_at(terms, running)};
  const seconds device = token.step.total + token.prompts;
  token.engine = token.total > device ? token.total - device : seconds{0};
  add_band(token, kind_of(terms.step), engine,
           terms.step.covered && has_serving_runs(chip, &serving_coverage::decode_runs));
  narrow_band(token, left_at(terms.step.own, running));
  return token;
}

/// Where a rising function crosses 0 between 0 and `most`: 0 where it is positive from the start, `most` where it never
/// is. Exact to 1e-12 of the answer. The method is regula falsi with the Illinois rule, which halves the value at an
/// end that has stayed twice, so that both ends converge.
template <class Function>
constexpr double crossing(const Function& function, double most) {
  double low = 0, high = most;
  double at_low = function(low), at_high = function(high);
  if (at_high <= 0) return most;
  if (at_low >= 0) return 0;
  int stayed = 0;  // rounds for which the low end has stayed; negative: the high end
  for (int round = 0; round < 200 && high - low > 1e-12 * high; ++round) {
    double middle = low - at_low * (high - low) / (at_high - at_low);
    if (!(middle > low && middle < high)) middle = low + (high - low) / 2;
    const double value = function(middle);
    if (value == 0) return middle;
    if (value < 0) {
      low = middle, at_low = value;
      if (stayed < 0) at_high /= 2;
      stayed = -1;
    } else {
      high = middle, at_high = value;
      if (stayed > 0) at_low /= 2;
      stayed = 1;
    }
  }
  return low + (high - low) / 2;
}

/// Prompt tokens of a request that are not in the prefix cache, at least one.
constexpr std::int64_t fresh_tokens(const serving_job& job) {
  return ceil_to_count(job.prompt.mean * (1 - job.prefix_hit_rate));
}

/// Refuses a TPOT target below a decode step of one sequence at peak rates, and a TTFT target below the prefill of one
/// prompt: no engine can be faster.
constexpr void refuse_targets(serving_estimate& estimate, const transformer& model, const serving_job& job,
                              const serving_layout& mesh, const slice& where) {
  const auto refuse = [&](serving_refusal why, seconds floor, decode_limit limited_by) {
    estimate.refusal = why;
    estimate.floor = floor;
    estimate.floor_limited_by = limited_by;
  };
  if (job.tpot_target.value() > 0) {
    const decode_breakdown least = decode_step(model, {1, running_context(job)}, job, mesh, where, peak_only);
    if (job.tpot_target < least.total) return refuse(serving_refusal::tpot_below_floor, least.total, least.limited_by);
  }
  if (job.ttft_target.value() > 0) {
    const prefill_breakdown least = prefill_time(model, {1, fresh_tokens(job)}, job, mesh, where, peak_only);
    const bool by_products = least.products + least.attention > least.weights;
    if (job.ttft_target < least.total)
      refuse(serving_refusal::ttft_below_floor, least.total,
             by_products ? decode_limit::products : decode_limit::weights);
  }
}

}  // namespace detail

/// Mean time of an output token where `running` sequences run in one replica of an engine, and each that ends is
/// replaced by a new prompt. Throws where `validate` of the job or `decode_step` does. Worked: Qwen3 8B on
/// v6e-4, 58.9 sequences of 1024 + 1024 tokens: 12.0 ms in SGLang-JAX, 11.1 ms measured.
/// Source: closed form calibrated on published runs.
[[nodiscard]] constexpr token_time time_per_token(const transformer& model, double running, const serving_job& job,
                                                  const serving_layout& mesh, const slice& where,
                                                  const serving_calibration& constants = default_serving_calibration) {
  validate(job, model);
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  const bytes cache = detail::cache_of_valid(model, job, running_context(job));
  const detail::served_model served = detail::served_by_valid(model, job, mesh, where, detail::has_own_runs(constants));
  return detail::token_of(detail::token_terms_of(served, model, cache, job, mesh, where, own), running, job.engine,
                          where.chip);
}

/// Prefill time of one prompt of mean length alone in an engine, without the tokens in the prefix cache. Throws where
/// `time_per_token` does. Worked: 14.2 ms for 1024 tokens of Llama 3 8B on v6e-8.
[[nodiscard]] constexpr seconds engine_prefill_time(
    const transformer& model, const serving_job& job, const serving_layout& mesh, const slice& where,
    const serving_calibration& constants = default_serving_calibration) {
  validate(job, model);
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  const detail::served_model served = detail::served_by_valid(model, job, mesh, where, detail::has_own_runs(constants));
  return own.engine_prefill *
         detail::prefill_of(served, model, {1, detail::fresh_tokens(job)}, job, mesh, where, own).total;
}

namespace detail {

/// The prefill of a request that has a slot.
struct admission {
  double prefill = 0;  // seconds of prefill alone
  double chunks = 1;   // engine steps over which the prompt is spread
  double steps = 0;    // full chunks of a request, at most one per step; 0: prompts are not chunked
  double beside = 0;   // seconds that a full chunk adds to a decode step
};

constexpr admission admission_of(const serving_job& job, const token_terms& terms, double prefill) {
  const double fresh = job.prompt.mean * (1 - job.prefix_hit_rate);
  admission prompt{prefill, prefill_chunks(job, static_cast<double>(fresh_tokens(job))), 0, 0};
  if (job.prefill_chunk == 0 || fresh <= 0) return prompt;
  prompt.steps = fresh / static_cast<double>(job.prefill_chunk);
  prompt.beside = terms.prompts * job.output.mean / prompt.steps;
  return prompt;
}

/// Seconds of a decode step that also computes a full chunk of a prompt.
constexpr double step_with_chunk(const token_terms& terms, const admission& prompt, double running) {
  const double own = factor_at(terms.step.own, running);
  return with_host(step_at(terms.step, running) + own * prompt.beside, own * (terms.host + terms.host_each * running),
                   terms.in_turn);
}

/// Seconds from getting a slot to the first token: half a step of the running sequences until prefill starts, and the
/// prefill; each of several chunks takes one step together with the running sequences.
constexpr double time_to_first(const admission& prompt, const token_terms& terms, double running, double token) {
  if (prompt.chunks <= 1) return prompt.prefill + 0.5 * token;
  const double alone = prompt.prefill / prompt.chunks;
  const double beside = step_with_chunk(terms, prompt, running < 1 ? 1 : running);
  const double busy = running < 1 ? running : 1;
  return 0.5 * token + prompt.chunks * (beside > alone ? alone + busy * (beside - alone) : alone);
}

/// Requests per second of a saturated replica: all slots are taken, or each step computes a prompt chunk. Where a
/// request has more chunks than output tokens, most of its chunks have a step to themselves.
constexpr double full_rate(const serving_job& job, const token_terms& terms, double most, const admission& prompt) {
  const double output = job.output.mean;
  const double by_chunks =
      prompt.steps > 0 ? output / prompt.steps : most;  // running sequences with a chunk in each step
  const double running = by_chunks < most ? by_chunks : most;
  if (running >= 1) return running / (output * time_at(terms, running));
  return 1 / ((prompt.steps - output) * prompt.prefill / prompt.chunks + output * step_with_chunk(terms, prompt, 1));
}

/// Mean number of running sequences in a replica under the traffic, at most `most`. By Little's law, for a request
/// rate: running = rate x output tokens x time per token; for a fixed concurrency: concurrency = running + rate x time
/// to the first token.
constexpr double running_batch(const serving_job& job, const token_terms& terms, double most, double replicas,
                               const admission& prompt) {
  const double output = job.output.mean;
  if (job.request_rate.value() > 0) {
    const double rate = job.request_rate.value() / replicas;
    return crossing([&](double running) { return running - rate * output * time_at(terms, running); }, most);
  }
  if (job.concurrency > 0) {
    const double clients = static_cast<double>(job.concurrency) / replicas;
    return crossing(
        [&](double running) {
          const double token = time_at(terms, running);
          return running + running / (output * token) * time_to_first(prompt, terms, running, token) - clients;
        },
        most);
  }
  if (job.tpot_target.value() == 0) return most;
  const double target = job.tpot_target.value();
  const double within = crossing([&](double running) { return time_at(terms, running) - target; }, most);
  return within < 1 ? 1 : within;
}

/// Time that a request waits for a slot. With a fixed concurrency, the requests beyond the slots wait. Requests that
/// arrive at random wait as in a queue of one server with constant service, which takes one request at a time at the
/// rate of the full batch (M/D/1): load / (2 (1 - load)) services.
constexpr seconds queue_time(const serving_job& job, per_second requests, per_second capacity, seconds in_service,
                             double replicas) {
  if (job.request_rate.value() > 0) {
    const double load = requests / capacity;
    return load / (2 * (1 - load)) / capacity;
  }
  const double left = static_cast<double>(job.concurrency) / replicas - requests * in_service;
  return left > 1e-6 * (in_service * requests) ? left / requests : seconds{0};
}

/// Fills in the times and rates that follow from the running batch.
constexpr void add_rates(serving_estimate& estimate, const serving_job& job, const token_terms& terms, double replicas,
                         const admission& prompt, const engine_constants& constants) {
  const double output = job.output.mean;
  const double token = estimate.per_token.total.value();
  const per_second each{estimate.running / (output * token)};
  const seconds own{time_to_first(prompt, terms, estimate.running, token)};
  if (job.request_rate.value() > 0 || job.concurrency > 0)
    estimate.queue =
        queue_time(job, each, estimate.capacity / replicas, own + output * estimate.per_token.total, replicas);
  estimate.first_token = estimate.queue + own;
  estimate.requests = each * replicas;
  estimate.output_tokens = estimate.requests * output;
  estimate.input_tokens = estimate.requests * job.prompt.mean;
  estimate.prefill_servers = prefill_servers_per_decode_server(
      {estimate.running, estimate.per_token.step.total, output}, estimate.prefill / constants.engine_prefill);
  estimate.meets_ttft = job.ttft_target.value() == 0 || estimate.first_token <= job.ttft_target;
  estimate.meets_tpot = job.tpot_target.value() == 0 || estimate.per_token.total <= job.tpot_target * (1 + 1e-9);
}

}  // namespace detail

/// How a slice serves some traffic: whether it fits, how many sequences run at once, times and rates. Where the job
/// gives neither a rate nor a concurrency, all slots are taken, or as many as the TPOT target allows. Traffic that the
/// slice cannot serve gives a `refusal`, with the capacity or the floor; invalid fields throw, by name, as in
/// `validate` and `decode_step`. Worked: Llama 2 70B in int8 on v6e-8 (examples/serving_cases.cpp). Source: scaling
/// book, "Inference" (2025-12-15); Little's law; constants in `serving_calibration`.
[[nodiscard]] constexpr serving_estimate serve(const transformer& model, const serving_job& job,
                                               const serving_layout& mesh, const slice& where,
                                               const serving_calibration& constants = default_serving_calibration) {
  validate(job, model);
  if (any_target(job.percentiles))
    detail::fail(errc::unsupported, "serving_job.percentiles", "", "none here: means alone; plan_serving keeps them");
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  const detail::served_model served = detail::served_by_valid(model, job, mesh, where, detail::has_own_runs(constants));
  const bytes cache = detail::cache_of_valid(model, job, running_context(job));
  const bytes longest = detail::cache_of_valid(model, job, static_cast<double>(longest_context(job)));
  const double replicas = served.on.count;
  serving_estimate result;
  result.replicas = floor_to_count(replicas);
  result.largest_running = detail::slots_for(served, cache, longest, job, where);
  result.memory = detail::memory_of(served, 1, cache, job, where);
  if (result.largest_running == 0) {
    result.refusal = serving_refusal::does_not_fit;
    return result;
  }
  result.fit = fits(result.memory);
  const detail::token_terms terms = detail::token_terms_of(served, model, cache, job, mesh, where, own);
  const std::int64_t fresh = detail::fresh_tokens(job);
  const seconds prefill =
      own.engine_prefill * detail::prefill_of(served, model, {1, fresh}, job, mesh, where, own).total;
  const detail::admission prompt = detail::admission_of(job, terms, prefill.value());
  const auto slots = static_cast<double>(result.largest_running);
  const double full = detail::full_rate(job, terms, slots, prompt);
  result.capacity = per_second{replicas * full};
  if (job.request_rate >= result.capacity) result.refusal = serving_refusal::rate_above_capacity;
  detail::refuse_targets(result, model, job, mesh, where);
  if (result.refusal != serving_refusal::none) return result;
  result.prefill = prefill;
  const auto beyond = [&](double running) {
    return running - full * job.output.mean * detail::time_at(terms, running);
  };
  const double most = prompt.steps > 0 ? detail::crossing(beyond, slots) : slots;
  result.running = detail::running_batch(job, terms, most, replicas, prompt);
  result.per_token = detail::token_of(terms, result.running, job.engine, where.chip);
  result.memory = detail::memory_of(served, result.running, cache, job, where);
  result.fit = fits(result.memory);
  detail::add_rates(result, job, terms, replicas, prompt, own);
  return result;
}

/// A point of the frontier of throughput against latency.
struct frontier_point {
  double running = 0;          ///< sequences that run, per replica
  seconds per_token{};         ///< mean time of an output token
  per_second output_tokens{};  ///< over all replicas
};
/// The points of a frontier, by rising batch.
struct serving_frontier {
  std::array<frontier_point, 24> points{};  ///< the first `count` are set
  std::size_t count = 0;                    ///< points
};

/// Time per token and throughput for running batches of 1, 2, 4 … sequences, up to the largest that fits and that
/// chunked prefill can keep full; no points where none fits. Throws where `time_per_token` does. Worked: Llama 3 8B on
/// v6e-8 gives 114.2 output tokens per second with one sequence of 1024 + 256 tokens.
[[nodiscard]] constexpr serving_frontier frontier(const transformer& model, const serving_job& job,
                                                  const serving_layout& mesh, const slice& where,
                                                  const serving_calibration& constants = default_serving_calibration) {
  validate(job, model);
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  serving_frontier result;
  const detail::served_model served = detail::served_by_valid(model, job, mesh, where, detail::has_own_runs(constants));
  const bytes cache = detail::cache_of_valid(model, job, running_context(job));
  const detail::token_terms terms = detail::token_terms_of(served, model, cache, job, mesh, where, own);
  std::int64_t most = largest_running(model, job, mesh, where);
  const double steps = detail::admission_of(job, terms, 0).steps;
  if (steps > 0 && job.output.mean / steps < static_cast<double>(most))
    most = floor_to_count(job.output.mean / steps < 1 ? 1 : job.output.mean / steps);
  for (std::int64_t batch = 1; batch <= most && result.count < result.points.size();) {
    const auto running = static_cast<double>(batch);
    const seconds token{detail::time_at(terms, running)};
    result.points[result.count++] = {running, token, served.on.count * running / token};
    if (batch == most) break;
    batch = 2 * batch < most ? 2 * batch : most;
  }
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
