#ifndef TPUPLAN_PLAN_SIMULATED_ENGINE_HPP
#define TPUPLAN_PLAN_SIMULATED_ENGINE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/error.hpp>
#include <tpuplan/integer.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/plan/arrivals.hpp>
#include <tpuplan/plan/percentiles.hpp>
#include <tpuplan/plan/step_times.hpp>
#include <vector>

/// @file
/// A serving engine with continuous batching, step by step: its settings, what becomes of its requests, and its rules.
///
/// Requests wait in the order in which they came. At the start of each step
/// 1. Every sequence that has its first token and is not complete decodes one token. Where that takes a new block of
///    the cache and none is free, the sequence that was admitted last is preempted: it loses its keys and values,
///    waits before all others, and computes its prompt and the tokens it had anew.
/// 2. If nothing was preempted, prompts are taken in: first the rest of the one that was begun, then those that wait,
///    as long as there are slots, blocks for the whole prompt, and tokens left in the step. The last may get a part.
///
/// With `prefill_policy::alone` a step does the second where it can, and the first only where it cannot. At its end
/// each sequence that decoded, and each whose prompt is complete, has one more token; with its last it leaves.
///
/// A request's tokens reach its client later by what its prefill took less than it would have in an idle engine: there
/// it is measured with all that the host does for a request, which delays the request but not the steps of others.
///
/// The rules are those of the scheduler of vLLM V1 (vllm/v1/core/sched/scheduler.py, read 2026-11-22), but for the
/// blocks of a prompt, which are taken when it is admitted, and for the limit on the tokens of a step, which holds back
/// prompts alone. `alone` is the order of vLLM V0 and JetStream.

namespace tpuplan {
inline namespace abi_0 {

/// Whether prompts share steps with sequences that decode. Enumerators and their names are stable.
enum class prefill_policy : std::uint8_t {
  mixed,  ///< a step decodes, and takes in prompts with what is left of its tokens
  alone,  ///< a step takes in prompts, or else decodes
};

/// "mixed" or "alone".
[[nodiscard]] constexpr std::string_view name(prefill_policy policy) noexcept {
  constexpr const char* names[] = {"mixed", "alone"};
  return detail::name_of(names, static_cast<std::size_t>(policy));
}

/// The engine of each replica. Requests go to the replicas in turn.
struct simulated_engine {
  std::int64_t replicas = 1;                       ///< which know nothing of each other
  std::int64_t max_running = 0;                    ///< sequences that run at once, at most, in a replica
  std::int64_t blocks = 0;                         ///< of the cache of a replica
  std::int64_t block_tokens = 1;                   ///< tokens in a block
  std::int64_t step_tokens = 0;                    ///< decoded and taken in by one step, at most, but for sequences
                                                   ///< that decode: these all do; 0: no limit
  prefill_policy prefill = prefill_policy::mixed;  ///< whether prompts share steps with sequences that decode
  std::int64_t reserved_tokens = 0;                ///< held and attended to by every sequence from its start; 0: blocks
                                                   ///< are taken as a sequence grows
};

/// What became of a request. Times are since the start.
struct request_record {
  seconds arrival{};             ///< when it came
  seconds admitted{};            ///< when the first step that computed its prompt began
  seconds first_token{};         ///< when its first output token was there
  seconds finished{};            ///< when its last output token was there
  seconds delay{};               ///< until each of its tokens is with the client: in no other time here
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
  std::vector<engine_sample> over_time;  ///< 64 equal parts of the time until the last arrival, at the end of each
  std::int64_t steps = 0;                ///< of all replicas
  std::int64_t decode_steps = 0;         ///< steps in which sequences decoded
  std::int64_t output_tokens = 0;        ///< handed out
  std::int64_t prompt_tokens = 0;        ///< computed, those computed anew included
  std::int64_t preemptions = 0;          ///< sequences that lost their keys and values
  std::int64_t blocks_taken = 0;         ///< of the cache, by admission and growth
  std::int64_t blocks_returned = 0;      ///< by the end of a sequence or its preemption
  seconds requests_over_time{};          ///< integral of the number of requests in the engine
  seconds warm_until{};                  ///< arrival of the first request that is counted
  seconds last_arrival{};                ///< what the engine did is counted until then
  measured_times inter_token{};          ///< between two tokens of a request, in the time that is counted
  double counted_tokens = 0;             ///< output tokens handed out in that time
  double counted_prompt_tokens = 0;      ///< prompt tokens computed in that time
  double busy = 0;                       ///< share of that time in which a step ran
  double running = 0;                    ///< sequences in a step, on average over that time, in a replica
  double cache = 0;                      ///< share of the blocks that were taken, on average over that time
};

namespace detail {

/// Requests that come before this share of all have come are dropped from percentiles and rates: the engine fills.
inline constexpr double warm_up_share = 0.1;
inline constexpr std::size_t over_time_parts = 64;

struct no_observer {
  void operator()(const step_work&, seconds, seconds) const noexcept {}
};
struct never_enough {
  bool operator()(const request_record&) const noexcept { return false; }
};

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
  check_count("simulated_engine.reserved_tokens", engine.reserved_tokens, most, "0 (as they grow) to 2^40");
  positive_count("requests", static_cast<std::int64_t>(requests.size()));
  double before = 0;
  for (const simulated_request& request : requests) {
    if (!(not_negative("simulated_request.arrival", request.arrival.value()) >= before))
      fail(errc::invalid_argument, "simulated_request.arrival", request.arrival.value(), "rising arrivals");
    before = request.arrival.value();
    check("simulated_request.prompt", request.prompt, most_tokens, "1 to 2^40");
    check("simulated_request.output", request.output, std::int64_t{1} << 28, "1 to 2^28");
    if (request.cached < 0 || request.cached >= request.prompt)
      fail(errc::out_of_range, "simulated_request.cached", request.cached, "0 or more, fewer than the prompt");
    const std::int64_t context = request.prompt + request.output;
    if (engine.reserved_tokens > 0 && context > engine.reserved_tokens)
      fail(errc::out_of_range, "tokens of a request", context, "at most simulated_engine.reserved_tokens");
    if (ceil_div(std::max(context, engine.reserved_tokens), engine.block_tokens) > engine.blocks)
      fail(errc::out_of_range, "tokens of a request", context, "no more than the blocks of the engine hold");
  }
}

/// What a run adds up over its replicas.
struct run_sums {
  simulation_run& run;
  std::array<weighted_histogram, error_batches> gaps{};
  double busy = 0, running = 0, blocks = 0;  // integrals over the time that is counted

  void clear() {
    run = {};
    for (weighted_histogram& batch : gaps) batch.clear();
    busy = running = blocks = 0;
  }
};

/// One replica. Sequences that decode all get a token in the same steps, which are counted as ticks: what a sequence
/// has, when it ends and when it takes a block follow from its own tick, so that a step costs the same for any batch.
template <class Times, class Observer, class Enough>
class replica_run {
 public:
  replica_run(const simulated_engine& engine, const std::vector<simulated_request>& requests, std::size_t first,
              const Times& times, run_sums& sums, Observer& observe, Enough& enough)
      : engine_{engine},
        requests_{requests},
        times_{times},
        sums_{sums},
        observe_{observe},
        enough_{enough},
        stride_{static_cast<std::size_t>(engine.replicas)},
        arriving_{first},
        queued_{first},
        free_{engine.blocks},
        growing_(static_cast<std::size_t>(engine.block_tokens)),
        states_(requests.size() / stride_ + 1) {
    std::int64_t longest = 0;
    for (std::size_t i = first; i < requests.size(); i += stride_) longest = std::max(longest, requests[i].output);
    std::size_t ticks = 2;
    while (ticks <= static_cast<std::size_t>(longest)) ticks *= 2;
    ending_.assign(ticks, none);
    begin_ = sums.run.warm_until.value();
    end_ = sums.run.last_arrival.value();
    batches_ = end_ > begin_ ? static_cast<double>(error_batches) / (end_ - begin_) : 0;
  }

  void operator()() {
    while (!stopped_) {
      take_arrivals();
      if (step()) continue;
      if (arriving_ >= requests_.size()) break;
      const double next = requests_[arriving_].arrival.value();
      take_samples(next);
      now_ = next;
    }
    take_samples(end_);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct state {
    std::int64_t generated = 0;      // output tokens, up to date while it does not decode
    std::int64_t offset = 0;         // while it decodes: tokens of prompt and output, less ticks
    double last_token = 0;           // when it was handed out, while it does not decode
    std::size_t before = none;       // of those that run: the one admitted before it
    std::size_t after = none;        // and the one admitted after it
    std::size_t ends_before = none;  // another that ends with the same tick
    std::size_t ends_after = none;   // the next of these
    std::int64_t ends = 0;           // the tick of its last token
    bool decodes = false;
  };

  state& at(std::size_t request) { return states_[request / stride_]; }
  std::int64_t blocks_for(std::int64_t tokens) const {
    return ((engine_.reserved_tokens > 0 ? engine_.reserved_tokens : tokens) + engine_.block_tokens - 1) /
           engine_.block_tokens;
  }
  /// Tokens of prompt and output of a sequence that decodes; keys and values of all but the last are in the cache.
  std::int64_t known(const state& s) const { return tick_ + s.offset; }
  std::size_t growth_of(const state& s) const {
    const std::int64_t phase = (1 - s.offset) % engine_.block_tokens;
    return static_cast<std::size_t>(phase < 0 ? phase + engine_.block_tokens : phase);
  }

  void count_requests(double time, std::int64_t more) {
    sums_.run.requests_over_time += seconds{static_cast<double>(inside_) * (time - counted_)};
    counted_ = time;
    inside_ += more;
  }

  void take_arrivals() {
    while (arriving_ < requests_.size() && requests_[arriving_].arrival.value() <= now_) {
      const simulated_request& request = requests_[arriving_];
      count_requests(request.arrival.value(), 1);
      sums_.run.records[arriving_] = {request.arrival, {}, {}, {}, {}, request.prompt, request.output, waiting_++, 0};
      arriving_ += stride_;
    }
  }

  void take_blocks(std::int64_t count) {
    free_ -= count;
    sums_.run.blocks_taken += count;
  }
  void return_blocks(std::int64_t count) {
    free_ += count;
    sums_.run.blocks_returned += count;
  }

  // The request that is admitted next, if there is a slot and room for it.
  std::size_t next_admitted() const {
    const std::size_t next = !preempted_.empty() ? preempted_.back() : queued_ < arriving_ ? queued_ : none;
    if (next == none || running_ >= engine_.max_running) return none;
    return blocks_for(tokens_of(next)) <= free_ ? next : none;
  }
  std::int64_t tokens_of(std::size_t request) const {
    return requests_[request].prompt + states_[request / stride_].generated;
  }

  void admit(std::size_t request) {
    if (!preempted_.empty()) {
      preempted_.pop_back();
    } else {
      queued_ += stride_;
    }
    --waiting_;
    take_blocks(blocks_for(tokens_of(request)));
    state& s = at(request);
    if (s.generated == 0 && sums_.run.records[request].preemptions == 0)
      sums_.run.records[request].admitted = seconds{now_};
    s.before = last_, s.after = none;
    (last_ == none ? first_ : at(last_).after) = request;
    last_ = request;
    ++running_;
    partial_ = request;
    computed_ = requests_[request].cached;
  }

  void leave(std::size_t request) {
    const state& s = at(request);
    (s.before == none ? first_ : at(s.before).after) = s.after;
    (s.after == none ? last_ : at(s.after).before) = s.before;
    --running_;
  }

  /// A sequence begins to decode: its next token comes with the next tick.
  void start_decoding(std::size_t request) {
    state& s = at(request);
    s.decodes = true;
    s.offset = tokens_of(request) - tick_;
    s.ends = tick_ + requests_[request].output - s.generated;
    std::size_t& list = ending_[static_cast<std::size_t>(s.ends) & (ending_.size() - 1)];
    s.ends_before = none, s.ends_after = list;
    if (list != none) at(list).ends_before = request;
    list = request;
    ++growing_[growth_of(s)];
    ++decoding_;
    context_ += known(s);
    joined_.push_back(request);
  }

  void stop_decoding(std::size_t request) {
    state& s = at(request);
    s.generated = known(s) - requests_[request].prompt;
    s.decodes = false;
    std::size_t& list = ending_[static_cast<std::size_t>(s.ends) & (ending_.size() - 1)];
    (s.ends_before == none ? list : at(s.ends_before).ends_after) = s.ends_after;
    if (s.ends_after != none) at(s.ends_after).ends_before = s.ends_before;
    --growing_[growth_of(s)];
    --decoding_;
    context_ -= known(s);
  }

  void preempt(std::size_t request) {
    state& s = at(request);
    if (s.decodes) {
      return_blocks(blocks_for(known(s) - 1));
      stop_decoding(request);
      const auto joined = std::find(joined_.begin(), joined_.end(), request);
      if (joined == joined_.end()) {
        s.last_token = last_tick_;
      } else {
        joined_.erase(joined);
      }
    } else {
      return_blocks(blocks_for(tokens_of(request)));
      partial_ = none;
    }
    leave(request);
    preempted_.push_back(request);
    ++waiting_;
    ++sums_.run.preemptions;
    ++sums_.run.records[request].preemptions;
  }

  /// Blocks for the tokens of this step; false where something was preempted for them.
  bool grow() {
    if (engine_.reserved_tokens > 0) return true;
    const std::size_t phase = phase_;
    const std::int64_t needed = growing_[phase];
    if (needed <= free_) {
      take_blocks(needed);
      return true;
    }
    for (std::size_t request = first_; request != none; request = at(request).after) {
      const state& s = at(request);
      if (!s.decodes || growth_of(s) != phase) continue;
      while (free_ == 0) {
        const bool itself = last_ == request;
        preempt(last_);
        if (itself) return false;
      }
      take_blocks(1);
    }
    return false;
  }

  void take_prompts(step_work& work) {
    std::int64_t left = engine_.step_tokens > 0 ? engine_.step_tokens - work.sequences : std::int64_t{1} << 62;
    while (left > 0) {
      if (partial_ == none) {
        const std::size_t next = next_admitted();
        if (next == none) return;
        admit(next);
      }
      const std::int64_t chunk = std::min(left, tokens_of(partial_) - computed_);
      work.prompt_attention += times_.attention(computed_, computed_ + chunk);
      work.prompt_tokens += chunk;
      computed_ += chunk;
      left -= chunk;
      if (computed_ < tokens_of(partial_)) return;
      completed_.push_back(partial_);
      partial_ = none;
    }
  }

  bool step() {
    const bool prompts = engine_.prefill == prefill_policy::alone && (partial_ != none || next_admitted() != none);
    step_work work;
    bool enough = true;
    if (prompts) {
      work.paused = decoding_;
    } else if (decoding_ > 0) {
      enough = grow();
      work.sequences = decoding_;
      work.context = engine_.reserved_tokens > 0 ? decoding_ * engine_.reserved_tokens : context_;
    }
    if (enough && (prompts || engine_.prefill == prefill_policy::mixed || work.sequences == 0)) take_prompts(work);
    if (work.sequences == 0 && work.prompt_tokens == 0) return false;
    const double start = now_;
    const double end = start + times_.step(work).value();
    observe_(work, seconds{start}, seconds{end});
    count_step(work, start, end);
    now_ = end;
    if (work.sequences > 0) hand_out_tokens();
    for (const std::size_t request : completed_) complete_prompt(request);
    completed_.clear();
    return true;
  }

  void count_step(const step_work& work, double start, double end) {
    take_samples(end);
    ++sums_.run.steps;
    sums_.run.decode_steps += work.sequences > 0 ? 1 : 0;
    sums_.run.prompt_tokens += work.prompt_tokens;
    const auto tokens = static_cast<std::int64_t>(completed_.size()) + work.sequences;
    sums_.run.output_tokens += tokens;
    const double within = std::min(end, end_) - std::max(start, begin_);
    if (!(within > 0)) return;
    const double share = within < end - start ? within / (end - start) : 1;
    sums_.run.counted_tokens += share * static_cast<double>(tokens);
    sums_.run.counted_prompt_tokens += share * static_cast<double>(work.prompt_tokens);
    sums_.busy += within;
    sums_.running += within * static_cast<double>(running_);
    sums_.blocks += within * static_cast<double>(engine_.blocks - free_);
  }

  /// The state at the sampled moments until then.
  void take_samples(double until) {
    std::vector<engine_sample>& samples = sums_.run.over_time;
    for (; sample_ < samples.size() && samples[sample_].time.value() <= until; ++sample_) {
      engine_sample& sample = samples[sample_];
      sample.running += running_;
      sample.waiting += waiting_;
      sample.cache += static_cast<double>(engine_.blocks - free_) / static_cast<double>(engine_.blocks) /
                      static_cast<double>(engine_.replicas);
    }
  }

  void count_gap(double gap, double times) {
    const double batch = (now_ - begin_) * batches_;
    if (batch >= 0 && batch < static_cast<double>(error_batches))
      sums_.gaps[static_cast<std::size_t>(batch)].add(gap, times);
  }

  /// The end of a step in which sequences decoded.
  void hand_out_tokens() {
    const std::int64_t old = decoding_ - static_cast<std::int64_t>(joined_.size());
    if (old > 0) count_gap(now_ - last_tick_, static_cast<double>(old));
    for (const std::size_t request : joined_) count_gap(now_ - at(request).last_token, 1);
    joined_.clear();
    last_tick_ = now_;
    ++tick_;
    phase_ = phase_ + 1 == growing_.size() ? 0 : phase_ + 1;
    context_ += decoding_;
    const auto list = static_cast<std::size_t>(tick_) & (ending_.size() - 1);
    while (ending_[list] != none) {
      const std::size_t request = ending_[list];
      const std::int64_t held = blocks_for(known(at(request)) - 1);
      stop_decoding(request);
      finish(request, held);
    }
  }

  void complete_prompt(std::size_t request) {
    state& s = at(request);
    const std::int64_t held = blocks_for(tokens_of(request));
    if (s.generated > 0) {
      count_gap(now_ - s.last_token, 1);
    } else {
      hand_out_first(request);
    }
    ++s.generated;
    s.last_token = now_;
    if (s.generated == requests_[request].output) return finish(request, held);
    start_decoding(request);
  }

  void hand_out_first(std::size_t request) {
    const std::int64_t cached = requests_[request].cached, prompt = requests_[request].prompt;
    const seconds idle = times_.step({0, 0, prompt - cached, times_.attention(cached, prompt), 0});
    request_record& record = sums_.run.records[request];
    record.first_token = seconds{now_};
    record.delay = max(seconds{0}, idle - (record.first_token - record.admitted));
  }

  void finish(std::size_t request, std::int64_t held) {
    return_blocks(held);
    leave(request);
    count_requests(now_, -1);
    sums_.run.records[request].finished = seconds{now_};
    stopped_ = stopped_ || enough_(sums_.run.records[request]);
  }

  const simulated_engine& engine_;
  const std::vector<simulated_request>& requests_;
  const Times& times_;
  run_sums& sums_;
  Observer& observe_;
  Enough& enough_;  // asked at the end of each request whether the run may stop
  bool stopped_ = false;
  std::size_t stride_;
  std::size_t arriving_;  // the next request that has not come
  std::size_t queued_;    // the next request that was never admitted
  std::int64_t free_;     // blocks
  std::int64_t running_ = 0, decoding_ = 0, waiting_ = 0;
  std::int64_t tick_ = 0;                     // steps in which sequences decoded
  std::size_t phase_ = 0;                     // ticks modulo tokens of a block
  std::int64_t context_ = 0;                  // tokens that sequences attend to in the next such step
  double now_ = 0, last_tick_ = 0;            // last_tick_: the end of the last such step
  std::vector<std::int64_t> growing_;         // sequences that take a block, by tick modulo tokens of a block
  std::vector<std::size_t> ending_;           // first of those that end with a tick, by tick modulo size
  std::vector<state> states_;                 // of each request
  std::vector<std::size_t> preempted_;        // waiting; the last is the next
  std::vector<std::size_t> joined_;           // decode since the last tick
  std::vector<std::size_t> completed_;        // prompts that this step completes
  std::size_t first_ = none, last_ = none;    // of those that run
  std::size_t partial_ = none;                // the prompt that was begun
  std::int64_t computed_ = 0;                 // tokens of it that are computed
  std::int64_t inside_ = 0;                   // requests that wait or run
  double counted_ = 0;                        // until when these were counted
  double begin_ = 0, end_ = 0, batches_ = 0;  // the time that is counted, and batches in a second of it
  std::size_t sample_ = 0;                    // the next moment to sample
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
