#ifndef TPUPLAN_SIMULATE_ENGINE_HPP
#define TPUPLAN_SIMULATE_ENGINE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/simulate/arrivals.hpp>
#include <tpuplan/simulate/percentiles.hpp>
#include <tpuplan/simulate/step_times.hpp>
#include <vector>

/// @file
/// A serving engine with continuous batching, step by step: its settings, what becomes of its requests, and its rules.
///
/// Requests wait in the order in which they came. At the start of each step
/// 1. Every sequence that has its first token and is not complete decodes one token. Where that takes a new block of
///    the cache and none is free, the sequence that was admitted last is preempted: it loses its keys and values,
///    waits ahead of all others, and computes its prompt and its output tokens again.
/// 2. If nothing was preempted, or nothing is left that decodes, prompts are computed: first the rest of the one that
///    was begun, then those that wait, as long as there are slots, blocks for the whole prompt, and tokens left in the
///    step. The last may be computed in part.
///
/// With `prefill_policy::alone` a step does the second where it can, and the first only where it cannot; without a
/// limit on its tokens it computes one prompt. At its end each sequence that decoded, and each whose prompt is
/// complete, has one more token; with its last it leaves.
///
/// A request also has a delay: the time by which its prefill as measured in an idle engine exceeds its prefill here. It
/// is the host's work for the request, which delays that request but not the steps of others.
///
/// The rules are those of the scheduler of vLLM V1 (vllm/v1/core/sched/scheduler.py, read 2026-11-22), except that all
/// blocks of a prompt are taken when it is admitted, and that the limit on the tokens of a step holds back prompts
/// alone. `alone` is the order of vLLM V0 and of JetStream, which prefills one prompt at a time and decodes where all
/// slots are taken or no prompt waits (jetstream/core/orchestrator.py at acd4f5a, interleaved mode).
///
/// By priority, of those that wait the one with the lowest is admitted first, of equal ones the first to come; and of
/// those that run the one with the highest is preempted, of equal ones the last to come. None is preempted for one that
/// waits.
///
/// An engine that speculates makes a round of tokens in a step: each of its drafts is accepted by that chance where
/// those before it were, and one more token is the model's own. All are handed out at the end of the step; those behind
/// the last of a request are thrown away. Sequences that decode together accept as many, so that each request has the
/// rounds that it would have by itself, and requests that run side by side share their luck.

namespace tpuplan {
inline namespace abi_0 {

/// Whether prompts share steps with sequences that decode. Enumerators and their names are stable.
enum class prefill_policy : std::uint8_t {
  mixed,  ///< a step decodes, and computes prompts with what is left of its tokens
  alone,  ///< a step computes prompts, or else decodes
};

/// "mixed" or "alone".
[[nodiscard]] constexpr std::string_view name(prefill_policy policy) noexcept {
  constexpr const char* names[] = {"mixed", "alone"};
  return detail::name_of(names, static_cast<std::size_t>(policy));
}

/// Steps that one run simulates at most: 30 million, a few seconds of work. A step in which nothing happens but
/// decoding counts as one; one that computes prompts, or at whose end a request leaves, takes longer and counts as
/// four.
inline constexpr std::int64_t most_simulated_steps = 30000000;

/// The engine of each replica. Requests go to the replicas in turn.
struct simulated_engine {
  std::int64_t replicas = 1;                       ///< independent engines
  std::int64_t max_running = 0;                    ///< most running sequences in a replica
  std::int64_t blocks = 0;                         ///< in the cache of a replica
  std::int64_t block_tokens = 1;                   ///< tokens in a block
  std::int64_t step_tokens = 0;                    ///< most tokens of a step; it holds back prompts, never
                                                   ///< sequences that decode; 0: no limit
  prefill_policy prefill = prefill_policy::mixed;  ///< whether prompts share steps with sequences that decode
  bool whole_prompts = false;                      ///< no prompt is computed in part, as of encoders
  std::int64_t prompts_at_once = 1;                ///< begun and not done: one in each group of data-parallel attention
  std::int64_t reserved_tokens = 0;                ///< tokens of cache that every sequence holds and attends to
                                                   ///< from its start; 0: blocks are taken as it grows
  std::int64_t verified = 1;                       ///< tokens of a sequence in a step, its drafts included
  double acceptance = 0;                           ///< chance that a draft is accepted where those before it were
  bool by_priority = false;                        ///< requests wait by priority, then by arrival
};

/// What became of a request. Times are since the start.
struct request_record {
  seconds arrival{};             ///< when it came
  seconds admitted{};            ///< when the first step that computed its prompt began
  seconds first_token{};         ///< when its first output token was there
  seconds finished{};            ///< when its last output token was there
  seconds delay{};               ///< from a token's time here until the client has it
  std::int64_t prompt = 0;       ///< input tokens
  std::int64_t output = 0;       ///< output tokens
  std::int64_t ahead = 0;        ///< requests that waited in its replica when it came
  std::int64_t preemptions = 0;  ///< times that it lost its keys and values
};

/// The state of all replicas at a moment.
struct engine_sample {
  seconds time{};            ///< since the start
  std::int64_t running = 0;  ///< sequences that hold blocks
  std::int64_t waiting = 0;  ///< requests without blocks
  double cache = 0;          ///< share of the blocks that are taken
};

/// A whole run of an engine, from empty to empty.
struct simulation_run {
  std::vector<request_record> records;   ///< in the order of the requests
  std::vector<engine_sample> over_time;  ///< at the end of each of 64 equal parts of the time until the last arrival
  std::int64_t steps = 0;                ///< of all replicas
  std::int64_t decode_steps = 0;         ///< steps in which sequences decoded
  std::int64_t output_tokens = 0;        ///< produced
  std::int64_t prompt_tokens = 0;        ///< computed, repeats after preemptions included
  std::int64_t preemptions = 0;          ///< sequences that lost their keys and values
  std::int64_t blocks_taken = 0;         ///< of the cache, by admission and growth
  std::int64_t blocks_returned = 0;      ///< by the end of a sequence or its preemption
  seconds requests_over_time{};          ///< integral of the number of requests in the engine
  seconds warm_until{};                  ///< arrival of the first request that is counted
  seconds counted_until{};               ///< the last arrival, or the end of a closed loop
  measured_times inter_token{};          ///< between two tokens of a request, in the time that is counted
  double counted_tokens = 0;             ///< output tokens produced in that time
  double counted_prompt_tokens = 0;      ///< prompt tokens computed in that time
  double busy = 0;                       ///< share of that time in which a step ran
  double running = 0;                    ///< sequences in a step, on average over that time, in a replica
  double cache = 0;                      ///< share of the blocks that were taken, on average over that time
};

namespace detail {

inline void validate(const simulated_engine& engine, const std::vector<simulated_request>& requests) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const auto check = [](std::string_view field, std::int64_t value, std::int64_t limit, std::string_view valid) {
    check_part(field, positive_count(field, value), limit, valid);
  };
  check("simulated_engine.replicas", engine.replicas, 1000000, "1 to 1000000");
  check("simulated_engine.max_running", engine.max_running, most, "1 to 2^40");
  check("simulated_engine.blocks", engine.blocks, most, "1 to 2^40");
  check("simulated_engine.block_tokens", engine.block_tokens, std::int64_t{1} << 20, "1 to 2^20");
  check_count("simulated_engine.step_tokens", engine.step_tokens, most, "0 (no limit) to 2^40");
  check("simulated_engine.verified", engine.verified, 4097, "1 to 4097");
  in_range("simulated_engine.acceptance", engine.acceptance, 0, 1, "0 to 1");
  check_count("simulated_engine.reserved_tokens", engine.reserved_tokens, most, "0 (as they grow) to 2^40");
  check("requests", static_cast<std::int64_t>(requests.size()), most_simulated_requests, "1 to 10000000");
  double before = 0;
  for (const simulated_request& request : requests) {
    if (!(not_negative("simulated_request.arrival", request.arrival.value()) >= before))
      fail(errc::invalid_argument, "simulated_request.arrival", request.arrival.value(), "rising arrivals");
    before = request.arrival.value();
    check("simulated_request.prompt", request.prompt, most_tokens, "1 to 2^40");
    check_count("simulated_request.priority", request.priority, most, "0 to 2^40");
    check("simulated_request.output", request.output, most_simulated_steps, "1 to 30000000");
    if (request.cached < 0 || request.cached >= request.prompt)
      fail(errc::out_of_range, "simulated_request.cached", request.cached, "0 or more, fewer than the prompt");
    const std::int64_t context = request.prompt + request.output;
    if (engine.reserved_tokens > 0 && context > engine.reserved_tokens)
      fail(errc::out_of_range, "tokens of a request", context, "at most simulated_engine.reserved_tokens");
    if (ceil_div(std::max(context, engine.reserved_tokens), engine.block_tokens) > engine.blocks)
      fail(errc::out_of_range, "tokens of a request", context, "no more than the blocks of the engine hold");
  }
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
