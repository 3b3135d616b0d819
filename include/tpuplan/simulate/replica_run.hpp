#ifndef TPUPLAN_SIMULATE_REPLICA_RUN_HPP
#define TPUPLAN_SIMULATE_REPLICA_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tpuplan/base/random.hpp>
#include <tpuplan/simulate/arrivals.hpp>
#include <tpuplan/simulate/begun_prompts.hpp>
#include <tpuplan/simulate/counted_steps.hpp>
#include <tpuplan/simulate/engine.hpp>
#include <tpuplan/simulate/prefix_cache.hpp>
#include <tpuplan/simulate/run_sums.hpp>
#include <tpuplan/simulate/running_sequences.hpp>
#include <tpuplan/simulate/step_times.hpp>
#include <tpuplan/simulate/waiting_queue.hpp>
#include <vector>

/// @file
/// One replica of a simulated engine from its first request to its last, by the rules of simulate/engine.hpp.
/// Programs include simulate/simulation.hpp instead.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// One replica. All sequences that decode get a token in the same steps, so that a simulated step takes the same work
/// for any number of them; see `running_sequences`.
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
        sequences_{requests, stride_, engine.block_tokens},
        luck_{1, 0, first},
        counts_{sums, engine} {
    std::int64_t longest = 0;
    for (std::size_t i = first; i < requests.size(); i += stride_) longest = std::max(longest, requests[i].output);
    expect_outputs(longest);
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
  void expect_outputs(std::int64_t longest) { sequences_.expect_outputs(longest); }
  /// A request was added to the requests, which comes now: steps that begin later are not as they were foreseen.
  void expect_one_more(double now) {
    settle(now);
    ahead_.clear(), settled_ = 0;
    sequences_.expect_one_more();
    records_.emplace_back();
  }
  /// When its next step can begin; never where it has nothing to do.
  [[nodiscard]] double ready() const {
    if (inside_ > 0) return now_;
    return arriving_ < requests_.size() ? std::max(now_, requests_[arriving_].arrival.value()) : never;
  }
  /// When the next of its steps can begin that is not foreseen, or is behind those that are.
  [[nodiscard]] double next() const { return ahead_.empty() ? ready() : ahead_.back(); }
  /// That step, and foresees those behind it in which sequences decode and nothing else happens.
  void advance() {
    settle(never);
    if (ready() > now_) await_arrival();
    take_arrivals();
    look_ahead();
    if (!ahead_.empty()) return;
    step();
    look_ahead();
  }
  /// Takes those of the foreseen steps that begin before then. Of them nothing is counted in a time.
  void settle(double until) {
    if (ahead_.empty() || !(now_ < until)) return;
    const std::int64_t before = sequences_.tick();
    for (; settled_ < ahead_.size() && now_ < until; ++settled_) {
      if (const std::int64_t needed = growing(); needed > 0) take_blocks(needed);
      if (engine_.verified > 1) rest_ = rest_ > 0 ? rest_ - 1 : rest_of_round(luck_);
      now_ = last_tick_ = ahead_[settled_];
      sequences_.take_tick();
    }
    counts_.add_alone(sequences_.tick() - before, sequences_.decoding());
    if (settled_ == ahead_.size()) ahead_.clear(), settled_ = 0;
  }
  /// All steps that begin before then.
  void advance_to(double until) {
    while (ready() < until) {
      if (ready() > now_) await_arrival();
      take_arrivals();
      if (!decode_alone(until)) step();
    }
  }
  void take_last_samples() { take_samples(counts_.end()); }
  /// It is lost, with all that waits and runs.
  void end_at(double now) {
    settle(now);
    for (; arriving_ < requests_.size(); ++arriving_)
      sums_.run.requests_over_time += seconds{now} - requests_[arriving_].arrival;
    count_requests(now, -inside_);
    return_blocks(engine_.blocks - free_);
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr std::size_t most_foreseen = 64;  // steps, some for nothing where a request comes before
  static constexpr std::size_t none = running_sequences::none;
  using state = running_sequences::sequence;
  state& at(std::size_t request) { return sequences_.at(request); }
  /// Blocks of that many tokens of a request that no other holds.
  std::int64_t held_by(std::size_t request, std::int64_t tokens) const {
    const std::int64_t held = engine_.reserved_tokens > 0 ? engine_.reserved_tokens : tokens;
    return (held + engine_.block_tokens - 1) / engine_.block_tokens - prefixes_.shared(request);
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
      if (inside_ == 0 && request.arrival.value() >= now_) idle_ = arriving_;
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
    if (next == none || sequences_.running() >= engine_.max_running) return none;
    return held_by(next, tokens_of(next)) + prefixes_.missing(next) <= free_ ? next : none;
  }
  std::int64_t tokens_of(std::size_t request) const { return sequences_.tokens_of(request); }

  void admit(std::size_t request) {
    queue_.pop();
    --waiting_;
    const std::int64_t blocks = held_by(request, tokens_of(request)) + prefixes_.missing(request);
    begun_.begin(request, prefixes_.admit(request, requests_[request]));
    take_blocks(blocks);
    state& s = at(request);
    if (s.generated == 0 && records_[request].preemptions == 0) records_[request].admitted = seconds{now_};
    sequences_.join(request);
  }

  /// A sequence begins to decode: its next token comes with the next tick.
  void start_decoding(std::size_t request) {
    sequences_.start_decoding(request);
    joined_.push_back(request);
  }

  void preempt(std::size_t request) {
    state& s = at(request);
    if (s.decodes) {
      return_blocks(held_by(request, sequences_.known(s) - 1));
      sequences_.stop_decoding(request);
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
        begun_.give_up(request);
    }
    return_blocks(prefixes_.leave(request, 0));
    sequences_.leave(request);
    queue_.put_back(request);
    ++waiting_;
    ++sums_.run.preemptions;
    ++records_[request].preemptions;
  }

  /// Preempts the last of those that run, for a block of one of them: whoever comes before that one has its block of
  /// this step already.
  std::size_t preempted_for(std::size_t one, std::size_t phase) {
    std::size_t last = sequences_.last();
    bool has_grown = false;
    if (engine_.by_priority) {
      bool is_before = true;
      for (std::size_t other = last = sequences_.first(); other != none; other = at(other).after) {
        is_before = is_before && other != one;
        if (other != last && !queue_.is_behind(other, last)) continue;
        last = other;
        has_grown = is_before && at(other).decodes && sequences_.growth_of(at(other)) == phase;
      }
    }
    preempt(last);
    if (has_grown) return_blocks(1);
    return last;
  }

  /// Blocks for the tokens of this step; false where something was preempted for them.
  bool grow() {
    if (engine_.reserved_tokens > 0) return true;
    const std::size_t phase = sequences_.phase();
    const std::int64_t needed = sequences_.growing(phase);
    if (needed <= free_) {
      take_blocks(needed);
      return true;
    }
    sums_.work += sequences_.running() / 4;  // all of them are looked at
    for (std::size_t request = sequences_.first(); request != none; request = at(request).after) {
      const state& s = at(request);
      if (!s.decodes || sequences_.growth_of(s) != phase) continue;
      bool is_gone = false;
      while (free_ == 0 && !is_gone) is_gone = preempted_for(request, phase) == request;
      if (!is_gone) take_blocks(1);
    }
    return false;
  }

  /// Begins prompts, as many as are computed at once, that fit in what is left of a step.
  void begin_prompts(const step_work& work, std::int64_t left) {
    while (begun_.size() < engine_.prompts_at_once) {
      const std::size_t next = next_admitted();
      if (next == none) return;
      if (engine_.whole_prompts && work.prompt_tokens > 0 && tokens_of(next) > left) return;
      admit(next);
    }
  }
  void take_prompts(step_work& work) {
    std::int64_t left =
        engine_.step_tokens > 0 ? engine_.step_tokens - work.sequences * engine_.verified : std::int64_t{1} << 62;
    const bool one_by_one = engine_.prefill == prefill_policy::alone && engine_.step_tokens == 0;
    while (left > 0 && !(one_by_one && work.prompt_tokens > 0)) {
      begin_prompts(work, left);
      if (begun_.empty()) break;
      begun_.compute(
          work, left, times_, [this](std::size_t request) { return tokens_of(request); }, completed_);
    }
    const auto completed = static_cast<std::int64_t>(completed_.size());
    work.prompts = completed + begun_.size();
    work.first_tokens = completed - (completed > 0 && meets_no_host() ? 1 : 0);
  }

  /// Whether the host's work for one of the completed prompts is in its prefill: that of a request which came to an
  /// idle replica, and of one in each step of prompts alone.
  [[nodiscard]] bool meets_no_host() const {
    return engine_.prefill == prefill_policy::alone ||
           std::find(completed_.begin(), completed_.end(), idle_) != completed_.end();
  }

  /// The tokens of a round but its first one, of the drafts that are accepted.
  std::int64_t rest_of_round(random_numbers& drawn) const {
    const double luck = drawn.uniform();
    double chance = engine_.acceptance;
    std::int64_t accepted = 0;
    for (; accepted + 1 < engine_.verified && luck < chance; ++accepted) chance *= engine_.acceptance;
    return accepted;
  }

  /// A further token of the round whose step has ended.
  void go_on() {
    grow();
    --rest_;
    ++sums_.work;
    ++sums_.run.steps;
    sums_.run.output_tokens += sequences_.decoding();
    if (counts_.is_counted(now_)) sums_.run.counted_tokens += static_cast<double>(sequences_.decoding());
    if (sequences_.decoding() > 0) hand_out_tokens();
    if (sequences_.decoding() == 0) rest_ = 0;
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
      work.paused = sequences_.decoding();
    } else if (sequences_.decoding() > 0) {
      enough = grow() || sequences_.decoding() == 0;
      work.sequences = sequences_.decoding();
      work.context = attended();
    }
    if (enough && (prompts || engine_.prefill == prefill_policy::mixed || work.sequences == 0)) take_prompts(work);
    if (work.sequences == 0 && work.prompt_tokens == 0) return false;
    const double start = now_;
    const double end = start + times_.step(work).value() + prefixes_.load();
    observe_(work, seconds{start}, seconds{end});
    if (counts_.is_sampled(end)) take_samples(end);
    counts_.add(work, static_cast<std::int64_t>(completed_.size()), start, end, load());
    now_ = end;
    if (work.sequences > 0) {
      hand_out_tokens();
      if (engine_.verified > 1 && sequences_.decoding() > 0) rest_ = rest_of_round(luck_);
    }
    if (rest_ == 0) complete_prompts();
    return true;
  }

  /// Whether steps may come in which sequences decode and nothing else happens.
  [[nodiscard]] bool decodes_alone() const {
    return sequences_.decoding() > 0 && begun_.empty() && joined_.empty() && completed_.empty() &&
           next_admitted() == none;
  }
  /// Tokens that those that decode attend to.
  [[nodiscard]] std::int64_t attended() const {
    return engine_.reserved_tokens > 0 ? sequences_.decoding() * engine_.reserved_tokens : sequences_.context();
  }
  /// Steps in which sequences decode and nothing else happens: no request arrives, begins or ends, and there are blocks
  /// for all. The result is that of `step`, found with less work; false where the next step is not of that kind.
  bool decode_alone(double until = never) {
    if (!decodes_alone()) return false;
    const bool reserved = engine_.reserved_tokens > 0;
    if (arriving_ < requests_.size()) until = std::min(until, requests_[arriving_].arrival.value());
    const std::int64_t decoding = sequences_.decoding();
    const auto sequences = static_cast<double>(decoding), running = static_cast<double>(sequences_.running());
    double tokens = sums_.run.counted_tokens, busy = sums_.busy, all_running = sums_.running, blocks = sums_.blocks;
    step_work work{decoding, attended(), 0, {}, 0};
    const std::int64_t before = sequences_.tick(), last = before + most_simulated_steps - sums_.work + 1;
    while (now_ < until && sequences_.tick() < last && sequences_.ending_with(sequences_.tick() + 1) == none) {
      if (!reserved) {
        const std::int64_t needed = sequences_.growing(sequences_.phase());
        if (needed > free_) break;
        if (needed > 0) take_blocks(needed);
        work.context = sequences_.context();
      }
      const double start = now_, end = rest_ > 0 ? start : start + times_.step(work).value();
      if (rest_ > 0) {
        tokens += counts_.is_counted(start) ? sequences : 0;
      } else {
        observe_(work, seconds{start}, seconds{end});
      }
      if (engine_.verified > 1) rest_ = rest_ > 0 ? rest_ - 1 : rest_of_round(luck_);
      if (counts_.is_sampled(end)) take_samples(end);
      const double within = counts_.within(start, end);
      if (within > 0) {
        tokens += (within < end - start ? within / (end - start) : 1) * sequences;
        busy += within;
        all_running += within * running;
        blocks += within * static_cast<double>(engine_.blocks - free_);
      }
      now_ = end;
      counts_.add_gap(end, end - last_tick_, sequences);
      last_tick_ = end;
      sequences_.take_tick();
    }
    sums_.run.counted_tokens = tokens;
    sums_.busy = busy, sums_.running = all_running, sums_.blocks = blocks;
    counts_.add_alone(sequences_.tick() - before, decoding);
    return sequences_.tick() > before;
  }

  /// Sequences that take a block in the next tick.
  [[nodiscard]] std::int64_t growing() const {
    return engine_.reserved_tokens > 0 ? 0 : sequences_.growing(sequences_.phase());
  }
  /// Foresees such steps, without taking them.
  void look_ahead() {
    ahead_.clear(), settled_ = 0;
    if (!decodes_alone()) return;
    const bool reserved = engine_.reserved_tokens > 0;
    const double until = arriving_ < requests_.size() ? requests_[arriving_].arrival.value() : never;
    double now = now_;
    std::int64_t tick = sequences_.tick(), left = free_, rest = rest_;
    std::size_t phase = sequences_.phase();
    random_numbers luck = luck_;
    step_work work{sequences_.decoding(), attended(), 0, {}, 0};
    while (now < until && ahead_.size() < most_foreseen &&
           sequences_.ending_with(tick + 1) == running_sequences::none) {
      if (!reserved && (left -= sequences_.growing(phase)) < 0) break;
      if (rest == 0) now += times_.step(work).value();
      if (engine_.verified > 1) rest = rest > 0 ? rest - 1 : rest_of_round(luck);
      ahead_.push_back(now);
      ++tick;
      phase = sequences_.phase_after(phase);
      if (!reserved) work.context += work.sequences;
    }
  }

  [[nodiscard]] replica_state load() const { return {sequences_.running(), waiting_, engine_.blocks - free_}; }
  void take_samples(double until) { counts_.take_samples(until, load()); }

  /// The end of a step in which sequences decoded.
  void hand_out_tokens() {
    const std::int64_t old = sequences_.decoding() - static_cast<std::int64_t>(joined_.size());
    if (old > 0) counts_.add_gap(now_, now_ - last_tick_, static_cast<double>(old));
    for (const std::size_t request : joined_) counts_.add_gap(now_, now_ - at(request).last_token, 1);
    joined_.clear();
    last_tick_ = now_;
    sequences_.take_tick();
    for (std::size_t request = sequences_.ending_with(sequences_.tick()); request != none;
         request = sequences_.ending_with(sequences_.tick())) {
      const std::int64_t held = held_by(request, sequences_.known(at(request)) - 1);
      sequences_.stop_decoding(request);
      finish(request, held);
    }
  }

  void complete_prompt(std::size_t request) {
    state& s = at(request);
    const std::int64_t held = held_by(request, tokens_of(request));
    if (s.generated > 0) {
      counts_.add_gap(now_, now_ - s.last_token, 1);
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
    sequences_.leave(request);
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
  std::size_t arriving_;     // the next request that has not come
  std::size_t idle_ = none;  // the last one that came to an idle replica
  waiting_queue queue_;
  std::int64_t free_;  // blocks
  running_sequences sequences_;
  std::int64_t waiting_ = 0;
  std::int64_t rest_ = 0;               // tokens of a round whose step has ended
  double now_ = 0, last_tick_ = 0;      // last_tick_: the end of the last step in which sequences decoded
  random_numbers luck_;                 // of drafts
  std::vector<std::size_t> joined_;     // began to decode since the last tick
  std::vector<std::size_t> completed_;  // prompts that this step completes
  begun_prompts begun_;
  std::int64_t inside_ = 0;  // requests that wait or run
  double counted_ = 0;       // until when these were counted
  counted_steps counts_;
  std::vector<double> ahead_;  // ends of foreseen steps
  std::size_t settled_ = 0;    // of them, those that were taken
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
