#ifndef TPUPLAN_SIMULATE_REPLICA_RUN_HPP
#define TPUPLAN_SIMULATE_REPLICA_RUN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tpuplan/base/random.hpp>
#include <tpuplan/simulate/arrivals.hpp>
#include <tpuplan/simulate/engine.hpp>
#include <tpuplan/simulate/percentiles.hpp>
#include <tpuplan/simulate/prefix_cache.hpp>
#include <tpuplan/simulate/run_sums.hpp>
#include <tpuplan/simulate/step_times.hpp>
#include <tpuplan/simulate/waiting_queue.hpp>
#include <vector>

/// @file
/// One replica of a simulated engine from its first request to its last, by the rules of simulate/engine.hpp.
/// Programs include simulate/simulation.hpp instead.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// One replica. All sequences that decode get a token in the same steps, which are counted as ticks. A sequence's
/// tokens, its end and its next block follow from the tick at which it began, so that a simulated step takes the same
/// work for any batch.
template <class Times, class Observer, class Enough, class Prefixes = no_prefixes>
class replica_run {
 public:
  replica_run(const simulated_engine& engine, const std::vector<simulated_request>& requests, std::size_t first,
              const Times& times, run_sums& sums, Observer& observe, Enough& enough)
      : replica_run{engine, requests, sums.run.records, first, times, sums, observe, enough, none_are_kept} {}
  /// With records of its own, and what becomes of prefixes.
  replica_run(const simulated_engine& engine, const std::vector<simulated_request>& requests,
              std::vector<request_record>& records, std::size_t first, const Times& times, run_sums& sums,
              Observer& observe, Enough& enough, Prefixes& prefixes)
      : engine_{engine},
        requests_{requests},
        records_{records},
        times_{times},
        sums_{sums},
        observe_{observe},
        enough_{enough},
        prefixes_{prefixes},
        stride_{static_cast<std::size_t>(engine.replicas)},
        arriving_{first},
        queue_{requests, first, stride_, engine.by_priority},
        free_{engine.blocks},
        growing_(static_cast<std::size_t>(engine.block_tokens)),
        states_(requests.size() / stride_ + 1),
        luck_{1, 0, first} {
    std::int64_t longest = 0;
    for (std::size_t i = first; i < requests.size(); i += stride_) longest = std::max(longest, requests[i].output);
    expect_outputs(longest);
    begin_ = sums.run.warm_until.value();
    end_ = sums.run.counted_until.value();
    batches_ = end_ > begin_ ? static_cast<double>(error_batches) / (end_ - begin_) : 0;
  }

  /// Ends before its last request where it takes more than `most_simulated_steps`; `sums.work` is above that then.
  void operator()() {
    while (!stopped_ && sums_.work <= most_simulated_steps) {
      take_arrivals();
      if (decode_alone() || step()) continue;
      if (arriving_ >= requests_.size()) break;
      await_arrival();
    }
    take_last_samples();
  }
  /// Before any request: the most output tokens of one.
  void expect_outputs(std::int64_t longest) {
    std::size_t ticks = 2;
    while (ticks <= static_cast<std::size_t>(longest)) ticks *= 2;
    ending_.assign(ticks, none);
  }
  /// A request was added to the requests.
  void expect_one_more() {
    states_.emplace_back();
    records_.emplace_back();
  }
  /// When its next step can begin; never where it has nothing to do.
  [[nodiscard]] double ready() const {
    if (inside_ > 0) return now_;
    return arriving_ < requests_.size() ? std::max(now_, requests_[arriving_].arrival.value()) : never;
  }
  /// Its next step; where it is one of those that only decode, also those after it that begin before then.
  void advance(double until) {
    if (ready() > now_) await_arrival();
    take_arrivals();
    if (!decode_alone(until)) step();
  }
  void take_last_samples() { take_samples(end_); }
  /// It is lost, with all that waits and runs.
  void end_at(double now) {
    for (; arriving_ < requests_.size(); ++arriving_)
      sums_.run.requests_over_time += seconds{now} - requests_[arriving_].arrival;
    count_requests(now, -inside_);
    return_blocks(engine_.blocks - free_);
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
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

  struct begun_prompt {
    std::size_t request = none;
    std::int64_t computed = 0;  // tokens of it
  };

  state& at(std::size_t request) { return states_[request / stride_]; }
  /// Blocks of that many tokens of a request that no other holds.
  std::int64_t held_by(std::size_t request, std::int64_t tokens) const {
    const std::int64_t held = engine_.reserved_tokens > 0 ? engine_.reserved_tokens : tokens;
    return (held + engine_.block_tokens - 1) / engine_.block_tokens - prefixes_.shared(request);
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

  void await_arrival() {
    now_ = requests_[arriving_].arrival.value();
    take_samples(now_);
  }
  void take_arrivals() {
    while (arriving_ < requests_.size() && requests_[arriving_].arrival.value() <= now_) {
      const simulated_request& request = requests_[arriving_];
      count_requests(request.arrival.value(), 1);
      records_[arriving_] = {request.arrival, {}, {}, {}, {}, request.prompt, request.output, waiting_++, 0};
      queue_.add(arriving_);
      arriving_ += stride_;
    }
  }

  void take_blocks(std::int64_t count) {
    free_ -= count;
    sums_.run.blocks_taken += count;
    prefixes_.fit(free_);
  }
  void return_blocks(std::int64_t count) {
    free_ += count;
    sums_.run.blocks_returned += count;
  }

  // The request that is admitted next, if there is a slot and room for it.
  std::size_t next_admitted() const {
    const std::size_t next = queue_.next();
    if (next == none || running_ >= engine_.max_running) return none;
    return held_by(next, tokens_of(next)) + prefixes_.missing(next) <= free_ ? next : none;
  }
  std::int64_t tokens_of(std::size_t request) const {
    return requests_[request].prompt + states_[request / stride_].generated;
  }

  void admit(std::size_t request) {
    queue_.pop();
    --waiting_;
    const std::int64_t blocks = held_by(request, tokens_of(request)) + prefixes_.missing(request);
    begun_.push_back({request, prefixes_.admit(request, requests_[request])});
    take_blocks(blocks);
    state& s = at(request);
    if (s.generated == 0 && records_[request].preemptions == 0) records_[request].admitted = seconds{now_};
    s.before = last_, s.after = none;
    (last_ == none ? first_ : at(last_).after) = request;
    last_ = request;
    ++running_;
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
      return_blocks(held_by(request, known(s) - 1));
      stop_decoding(request);
      const auto joined = std::find(joined_.begin(), joined_.end(), request);
      if (joined == joined_.end()) {
        s.last_token = last_tick_;
      } else {
        joined_.erase(joined);
      }
    } else {
      return_blocks(held_by(request, tokens_of(request)));
      const auto completed = std::find(completed_.begin(), completed_.end(), request);
      if (completed != completed_.end())
        completed_.erase(completed), --sums_.run.output_tokens;  // which was counted and is not handed out
      else
        begun_.erase(std::find_if(begun_.begin(), begun_.end(),
                                  [&](const begun_prompt& one) { return one.request == request; }));
    }
    return_blocks(prefixes_.leave(request, 0));
    leave(request);
    queue_.put_back(request);
    ++waiting_;
    ++sums_.run.preemptions;
    ++records_[request].preemptions;
  }

  /// Preempts the last of those that run, for a block of one of them: whoever comes before that one has its block of
  /// this step already.
  std::size_t preempted_for(std::size_t one, std::size_t phase) {
    std::size_t last = last_;
    bool has_grown = false;
    if (engine_.by_priority) {
      bool is_before = true;
      for (std::size_t other = last = first_; other != none; other = at(other).after) {
        is_before = is_before && other != one;
        if (other != last && !queue_.is_behind(other, last)) continue;
        last = other;
        has_grown = is_before && at(other).decodes && growth_of(at(other)) == phase;
      }
    }
    preempt(last);
    if (has_grown) return_blocks(1);
    return last;
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
    sums_.work += running_ / 4;  // all of them are looked at
    for (std::size_t request = first_; request != none; request = at(request).after) {
      const state& s = at(request);
      if (!s.decodes || growth_of(s) != phase) continue;
      bool is_gone = false;
      while (free_ == 0 && !is_gone) is_gone = preempted_for(request, phase) == request;
      if (!is_gone) take_blocks(1);
    }
    return false;
  }

  /// Begins prompts, as many as are computed at once, that fit in what is left of a step.
  void begin_prompts(const step_work& work, std::int64_t left) {
    while (static_cast<std::int64_t>(begun_.size()) < engine_.prompts_at_once) {
      const std::size_t next = next_admitted();
      if (next == none) return;
      if (engine_.whole_prompts && work.prompt_tokens > 0 && tokens_of(next) > left) return;
      admit(next);
    }
  }
  /// Computes the begun prompts, each with its part of the tokens that are left, which no other needs less.
  void compute_begun(step_work& work, std::int64_t& left) {
    std::size_t kept = 0;
    const std::size_t all = begun_.size();
    for (std::size_t i = 0; i < all; ++i) {
      begun_prompt one = begun_[i];
      const std::int64_t tokens = tokens_of(one.request), each = ceil_div(left, static_cast<std::int64_t>(all - i));
      const std::int64_t chunk = std::min(each, tokens - one.computed);
      work.prompt_attention += times_.attention(one.computed, one.computed + chunk);
      work.prompt_tokens += chunk;
      one.computed += chunk;
      left -= chunk;
      if (one.computed == tokens)
        completed_.push_back(one.request);
      else
        begun_[kept++] = one;
    }
    begun_.resize(kept);
  }
  void take_prompts(step_work& work) {
    std::int64_t left =
        engine_.step_tokens > 0 ? engine_.step_tokens - work.sequences * engine_.verified : std::int64_t{1} << 62;
    while (left > 0) {
      begin_prompts(work, left);
      if (begun_.empty()) break;
      compute_begun(work, left);
    }
    work.prompts = static_cast<std::int64_t>(completed_.size() + begun_.size());
  }

  /// The tokens of a round but its first one, of the drafts that are accepted.
  std::int64_t rest_of_round() {
    const double luck = luck_.uniform();
    double chance = engine_.acceptance;
    std::int64_t accepted = 0;
    for (; accepted + 1 < engine_.verified && luck < chance; ++accepted) chance *= engine_.acceptance;
    return accepted;
  }
  [[nodiscard]] bool is_counted(double time) const { return time >= begin_ && time <= end_; }

  /// A further token of the round whose step has ended.
  void go_on() {
    grow();
    --rest_;
    ++sums_.work;
    ++sums_.run.steps;
    sums_.run.output_tokens += decoding_;
    if (is_counted(now_)) sums_.run.counted_tokens += static_cast<double>(decoding_);
    if (decoding_ > 0) hand_out_tokens();
    if (decoding_ == 0) rest_ = 0;
    if (rest_ == 0) complete_prompts();
  }
  void complete_prompts() {
    for (const std::size_t request : completed_) complete_prompt(request);
    completed_.clear();
  }

  bool step() {
    if (rest_ > 0) {
      go_on();
      return true;
    }
    const bool prompts = engine_.prefill == prefill_policy::alone && (!begun_.empty() || next_admitted() != none);
    step_work work;
    bool enough = true;
    if (prompts) {
      work.paused = decoding_;
    } else if (decoding_ > 0) {
      enough = grow() || decoding_ == 0;
      work.sequences = decoding_;
      work.context = engine_.reserved_tokens > 0 ? decoding_ * engine_.reserved_tokens : context_;
    }
    if (enough && (prompts || engine_.prefill == prefill_policy::mixed || work.sequences == 0)) take_prompts(work);
    if (work.sequences == 0 && work.prompt_tokens == 0) return false;
    const double start = now_;
    const double end = start + times_.step(work).value() + prefixes_.load();
    observe_(work, seconds{start}, seconds{end});
    count_step(work, start, end);
    now_ = end;
    if (work.sequences > 0) {
      hand_out_tokens();
      if (engine_.verified > 1 && decoding_ > 0) rest_ = rest_of_round();
    }
    if (rest_ == 0) complete_prompts();
    return true;
  }

  /// Steps in which sequences decode and nothing else happens: no request arrives, begins or ends, and there are blocks
  /// for all. The result is that of `step`, found with less work; false where the next step is not of that kind.
  bool decode_alone(double until = never) {
    if (decoding_ == 0 || !begun_.empty() || !joined_.empty() || !completed_.empty() || next_admitted() != none)
      return false;
    const bool reserved = engine_.reserved_tokens > 0;
    const std::size_t* const ending = ending_.data();
    const std::int64_t* const growing = growing_.data();
    const std::size_t ticks = ending_.size() - 1, phases = growing_.size();
    if (arriving_ < requests_.size()) until = std::min(until, requests_[arriving_].arrival.value());
    const auto sequences = static_cast<double>(decoding_), running = static_cast<double>(running_);
    double tokens = sums_.run.counted_tokens, busy = sums_.busy, all_running = sums_.running, blocks = sums_.blocks;
    step_work work{decoding_, decoding_ * engine_.reserved_tokens, 0, {}, 0};
    const std::int64_t before = tick_, last = tick_ + most_simulated_steps - sums_.work + 1;
    while (now_ < until && tick_ < last && ending[static_cast<std::size_t>(tick_ + 1) & ticks] == none) {
      if (!reserved) {
        if (growing[phase_] > free_) break;
        if (growing[phase_] > 0) take_blocks(growing[phase_]);
        work.context = context_;
      }
      const double start = now_, end = rest_ > 0 ? start : start + times_.step(work).value();
      if (rest_ > 0) {
        tokens += is_counted(start) ? sequences : 0;
      } else {
        observe_(work, seconds{start}, seconds{end});
      }
      if (engine_.verified > 1) rest_ = rest_ > 0 ? rest_ - 1 : rest_of_round();
      if (end >= next_sample_) take_samples(end);
      const double within = (end < end_ ? end : end_) - (start > begin_ ? start : begin_);
      if (within > 0) {
        tokens += (within < end - start ? within / (end - start) : 1) * sequences;
        busy += within;
        all_running += within * running;
        blocks += within * static_cast<double>(engine_.blocks - free_);
      }
      now_ = end;
      count_gap(end - last_tick_, sequences);
      last_tick_ = end;
      ++tick_;
      phase_ = phase_ + 1 == phases ? 0 : phase_ + 1;
      context_ += decoding_;
    }
    sums_.run.counted_tokens = tokens;
    sums_.busy = busy, sums_.running = all_running, sums_.blocks = blocks;
    const std::int64_t steps = tick_ - before;
    sums_.run.steps += steps;
    sums_.work += steps;
    sums_.run.decode_steps += steps;
    sums_.run.output_tokens += steps * decoding_;
    return steps > 0;
  }

  void count_step(const step_work& work, double start, double end) {
    if (end >= next_sample_) take_samples(end);
    ++sums_.run.steps;
    sums_.work += 4;
    sums_.run.decode_steps += work.sequences > 0 ? 1 : 0;
    sums_.run.prompt_tokens += work.prompt_tokens;
    const auto tokens = static_cast<std::int64_t>(completed_.size()) + work.sequences;
    sums_.run.output_tokens += tokens;
    const double within = (end < end_ ? end : end_) - (start > begin_ ? start : begin_);
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
    next_sample_ = sample_ < samples.size() ? samples[sample_].time.value() : never;
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
      const std::int64_t held = held_by(request, known(at(request)) - 1);
      stop_decoding(request);
      finish(request, held);
    }
  }

  void complete_prompt(std::size_t request) {
    state& s = at(request);
    const std::int64_t held = held_by(request, tokens_of(request));
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
    const std::int64_t cached = prefixes_.found(request, requests_[request]), prompt = requests_[request].prompt;
    const seconds idle = times_.step({0, 0, prompt - cached, times_.attention(cached, prompt), 0});
    request_record& record = records_[request];
    record.first_token = seconds{now_};
    prefixes_.first_token(request);
    record.delay = max(seconds{0}, idle - (record.first_token - record.admitted));
  }

  void finish(std::size_t request, std::int64_t held) {
    return_blocks(held + prefixes_.leave(request, requests_[request].prompt + requests_[request].output - 1));
    leave(request);
    count_requests(now_, -1);
    records_[request].finished = seconds{now_};
    stopped_ = stopped_ || enough_(records_[request]);
  }

  const simulated_engine& engine_;
  const std::vector<simulated_request>& requests_;
  std::vector<request_record>& records_;
  const Times& times_;
  run_sums& sums_;
  Observer& observe_;
  Enough& enough_;  // asked at the end of each request whether the run may stop
  Prefixes& prefixes_;
  bool stopped_ = false;
  std::size_t stride_;
  std::size_t arriving_;  // the next request that has not come
  waiting_queue queue_;
  std::int64_t free_;  // blocks
  std::int64_t running_ = 0, decoding_ = 0, waiting_ = 0;
  std::int64_t tick_ = 0;                     // steps in which sequences decoded
  std::size_t phase_ = 0;                     // ticks modulo tokens of a block
  std::int64_t context_ = 0;                  // tokens that sequences attend to in the next such step
  std::int64_t rest_ = 0;                     // tokens of a round whose step has ended
  double now_ = 0, last_tick_ = 0;            // last_tick_: the end of the last such step
  std::vector<std::int64_t> growing_;         // sequences that take a block, by tick modulo tokens of a block
  std::vector<std::size_t> ending_;           // first of those that end with a tick, by tick modulo size
  std::vector<state> states_;                 // of each request
  random_numbers luck_;                       // of drafts
  std::vector<std::size_t> joined_;           // began to decode since the last tick
  std::vector<std::size_t> completed_;        // prompts that this step completes
  std::size_t first_ = none, last_ = none;    // of those that run
  std::vector<begun_prompt> begun_;           // in the order of their admission
  std::int64_t inside_ = 0;                   // requests that wait or run
  double counted_ = 0;                        // until when these were counted
  double begin_ = 0, end_ = 0, batches_ = 0;  // the time that is counted, and batches in a second of it
  std::size_t sample_ = 0;                    // the next moment to sample
  double next_sample_ = 0;                    // when it is, or before
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
