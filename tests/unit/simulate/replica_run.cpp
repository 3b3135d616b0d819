// The run of simulate/replica_run.hpp beside a second one that follows the rules step by step, sequence by
// sequence, and what has to hold of every run: nothing is lost or made, and Little's law.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <tpuplan/simulate/closed_loop.hpp>
#include <tpuplan/simulate/engine.hpp>
#include <tpuplan/simulate/replica_run.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_replica_run_tests {

namespace {

/// Times that depend on everything a step computes, in quarters of milliseconds, which add up exactly.
struct made_up_times {
  seconds attention(std::int64_t from, std::int64_t to) const {
    return seconds{static_cast<double>(to * to - from * from) * 0x1p-20};
  }
  seconds step(const step_work& work) const {
    return seconds{static_cast<double>(16 + 4 * work.sequences + work.context + 8 * work.prompt_tokens +
                                       2 * work.paused + work.first_tokens) *
                   0x1p-12} +
           work.prompt_attention;
  }
};

/// A step as it is observed.
struct logged_step {
  step_work work{};
  seconds start{};
  seconds end{};
};

bool same(const logged_step& a, const logged_step& b) {
  return a.work.sequences == b.work.sequences && a.work.context == b.work.context &&
         a.work.prompt_tokens == b.work.prompt_tokens && a.work.paused == b.work.paused &&
         a.work.prompt_attention == b.work.prompt_attention && a.work.first_tokens == b.work.first_tokens &&
         a.start == b.start && a.end == b.end;
}
bool same(const request_record& a, const request_record& b) {
  return a.arrival == b.arrival && a.admitted == b.admitted && a.first_token == b.first_token &&
         a.finished == b.finished && a.delay == b.delay && a.preemptions == b.preemptions && a.ahead == b.ahead &&
         a.prompt == b.prompt && a.output == b.output;
}

/// A request in the plain engine, which keeps count of every token.
struct sequence {
  std::size_t request = 0;
  std::int64_t tokens = 0;    // of the prompt and the output so far
  std::int64_t computed = 0;  // of these, in the cache
  std::int64_t blocks = 0;
  bool was_admitted = false;
  bool complete = false;  // its prompt, with the tokens that it had before it was preempted
};

/// One replica, plainly: lists of sequences, each of which is looked at in every step.
class plain_engine {
 public:
  plain_engine(const simulated_engine& engine, const std::vector<simulated_request>& requests)
      : engine_{engine}, requests_{requests}, records_(requests.size()), free_{engine.blocks} {}

  void run() {
    std::size_t next = 0;
    while (next < requests_.size() || !waiting_.empty() || !running_.empty()) {
      if (waiting_.empty() && running_.empty()) now_ = std::max(now_, requests_[next].arrival.value());
      for (; next < requests_.size() && requests_[next].arrival.value() <= now_; ++next) {
        const simulated_request& r = requests_[next];
        if (waiting_.empty() && running_.empty() && r.arrival.value() >= now_) came_to_idle_ = next;
        records_[next] = {r.arrival, {}, {}, {}, {}, r.prompt, r.output, static_cast<std::int64_t>(waiting_.size()), 0};
        await({next, r.prompt, 0, 0, false, false}, false);
      }
      step();
    }
  }
  const std::vector<request_record>& records() const { return records_; }
  const std::vector<logged_step>& log() const { return log_; }

 private:
  std::int64_t blocks_of(std::int64_t tokens) const {
    const std::int64_t held = engine_.reserved_tokens > 0 ? engine_.reserved_tokens : tokens;
    return held / engine_.block_tokens + (held % engine_.block_tokens > 0 ? 1 : 0);
  }
  bool can_admit() const {
    return !waiting_.empty() && static_cast<std::int64_t>(running_.size()) < engine_.max_running &&
           blocks_of(waiting_.front().tokens) <= free_;
  }

  bool is_behind(const sequence& a, const sequence& b) const {
    const std::int64_t first = requests_[a.request].priority, second = requests_[b.request].priority;
    return first > second || (first == second && a.request > b.request);
  }
  /// By priority and arrival; else those that were preempted before all others.
  void await(const sequence& one, bool was_preempted) {
    if (!engine_.by_priority) {
      was_preempted ? waiting_.push_front(one) : waiting_.push_back(one);
      return;
    }
    const auto before = [&](const sequence& a, const sequence& b) { return is_behind(b, a); };
    waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), one, before), one);
  }

  bool make_room() {
    bool preempted = false;
    for (std::size_t i = 0; i < running_.size();) {
      const std::int64_t more = running_[i].complete ? blocks_of(running_[i].tokens) - running_[i].blocks : 0;
      if (more <= free_) {
        running_[i].blocks += more;
        free_ -= more;
        ++i;
        continue;
      }
      std::size_t chosen = running_.size() - 1;
      for (std::size_t j = 0; engine_.by_priority && j < running_.size(); ++j)
        if (is_behind(running_[j], running_[chosen])) chosen = j;
      sequence last = running_[chosen];
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(chosen));
      if (chosen < i) --i;
      free_ += last.blocks;
      last.blocks = last.computed = 0;
      last.complete = false;
      ++records_[last.request].preemptions;
      await(last, true);
      preempted = true;
    }
    return !preempted;
  }

  void step() {
    const bool unfinished =
        std::any_of(running_.begin(), running_.end(), [&](const sequence& s) { return !s.complete; });
    const bool decode = std::any_of(running_.begin(), running_.end(), [&](const sequence& s) { return s.complete; }) &&
                        !(engine_.prefill == prefill_policy::alone && (unfinished || can_admit()));
    step_work work;
    bool take_in = !decode || engine_.prefill == prefill_policy::mixed;
    std::vector<std::size_t> get_a_token;
    if (!decode)
      work.paused = std::count_if(running_.begin(), running_.end(), [](const sequence& s) { return s.complete; });
    if (decode) {
      const bool has_room = make_room();
      take_in = (has_room && take_in) ||
                std::none_of(running_.begin(), running_.end(), [](const sequence& s) { return s.complete; });
      for (sequence& s : running_) {
        if (!s.complete) continue;
        ++work.sequences;
        work.context += engine_.reserved_tokens > 0 ? engine_.reserved_tokens : s.tokens;
        get_a_token.push_back(s.request);
        s.computed = s.tokens;
      }
    }
    std::int64_t left = engine_.step_tokens > 0 ? engine_.step_tokens - work.sequences : 1000000000;
    const bool one_by_one = engine_.prefill == prefill_policy::alone && engine_.step_tokens == 0;
    for (std::size_t i = 0; take_in && left > 0 && !(one_by_one && work.prompt_tokens > 0); ++i) {
      if (i == running_.size()) {
        if (!can_admit()) break;
        sequence s = waiting_.front();
        waiting_.pop_front();
        s.blocks = blocks_of(s.tokens);
        free_ -= s.blocks;
        s.computed = requests_[s.request].cached;
        if (!s.was_admitted) records_[s.request].admitted = seconds{now_};
        s.was_admitted = true;
        running_.push_back(s);
      }
      sequence& s = running_[i];
      if (s.complete) continue;
      const std::int64_t chunk = std::min(left, s.tokens - s.computed);
      work.prompt_tokens += chunk;
      work.prompt_attention += times_.attention(s.computed, s.computed + chunk);
      s.computed += chunk;
      left -= chunk;
      if (s.computed < s.tokens) continue;
      get_a_token.push_back(s.request);
      if (engine_.prefill == prefill_policy::alone ? get_a_token.size() > 1 : s.request != came_to_idle_)
        ++work.first_tokens;  // which the host prepares
    }
    const double start = now_;
    now_ += times_.step(work).value();
    log_.push_back({work, seconds{start}, seconds{now_}});
    for (const std::size_t request : get_a_token) hand_out(request);
  }

  void hand_out(std::size_t request) {
    const auto at =
        std::find_if(running_.begin(), running_.end(), [&](const sequence& s) { return s.request == request; });
    at->complete = true;
    const simulated_request& r = requests_[request];
    if (at->tokens == r.prompt) {
      const seconds idle = times_.step({0, 0, r.prompt - r.cached, times_.attention(r.cached, r.prompt), 0});
      const seconds taken = seconds{now_} - records_[request].admitted;
      records_[request].first_token = seconds{now_};
      records_[request].delay = idle > taken ? idle - taken : seconds{0};
    }
    if (++at->tokens < r.prompt + r.output) return;
    records_[request].finished = seconds{now_};
    free_ += at->blocks;
    running_.erase(at);
  }

  simulated_engine engine_;
  std::vector<simulated_request> requests_;
  made_up_times times_;
  std::vector<request_record> records_;
  std::vector<logged_step> log_;
  std::deque<sequence> waiting_;
  std::vector<sequence> running_;
  std::int64_t free_ = 0;
  double now_ = 0;
  std::size_t came_to_idle_ = static_cast<std::size_t>(-1);
};

/// A small engine and a few requests, different for every number.
struct small_case {
  simulated_engine engine{};
  std::vector<simulated_request> requests;
};
small_case small_case_of(std::uint64_t number) {
  detail::random_numbers numbers{number, 100, 0};
  const bool by_priority = number % 3 == 1;
  const auto up_to = [&](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(numbers.uniform() * static_cast<double>(most));
  };
  small_case one;
  const std::int64_t longest_prompt = up_to(40), longest_output = up_to(30);
  one.engine.max_running = up_to(12);
  one.engine.block_tokens = up_to(8);
  one.engine.blocks = (longest_prompt + longest_output) / one.engine.block_tokens + up_to(30);
  one.engine.step_tokens = numbers.uniform() < 0.3 ? 0 : up_to(40);
  one.engine.prefill = numbers.uniform() < 0.5 ? prefill_policy::mixed : prefill_policy::alone;
  one.engine.reserved_tokens = numbers.uniform() < 0.2 ? longest_prompt + longest_output : 0;
  one.engine.by_priority = by_priority;
  const bool crowded = numbers.uniform() < 0.5, bursts = numbers.uniform() < 0.3;
  double now = 0;
  for (std::int64_t i = up_to(40); i > 0; --i) {
    if (!bursts || numbers.uniform() < 0.3) now += numbers.exponential() * (crowded ? 0.02 : 0.3);
    simulated_request request;
    request.arrival = seconds{now};
    request.prompt = up_to(longest_prompt);
    request.output = up_to(longest_output);
    request.cached = numbers.uniform() < 0.5 ? 0 : up_to(request.prompt) - 1;
    request.priority = by_priority ? up_to(3) : 0;
    one.requests.push_back(request);
  }
  return one;
}

}  // namespace

TEST_CASE("two engines that were written apart keep the same log of a thousand small runs") {
  std::int64_t preemptions = 0, parts = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    CAPTURE(number);
    const small_case one = small_case_of(number);
    std::vector<logged_step> log;
    const simulation_run run =
        simulate(one.engine, one.requests, made_up_times{}, [&](const step_work& work, seconds start, seconds end) {
          log.push_back({work, start, end});
        });
    plain_engine plain{one.engine, one.requests};
    plain.run();
    REQUIRE(log.size() == plain.log().size());
    bool equal = true;
    for (std::size_t i = 0; i < log.size(); ++i) equal = equal && same(log[i], plain.log()[i]);
    for (std::size_t i = 0; i < one.requests.size(); ++i) equal = equal && same(run.records[i], plain.records()[i]);
    REQUIRE(equal);
    preemptions += run.preemptions;
    parts += run.steps - run.decode_steps;
  }
  CHECK(preemptions > 1000);  // the cases reach what is rare
  CHECK(parts > 1000);
}

TEST_CASE("requests, tokens and blocks are conserved, and Little's law holds from empty to empty") {
  for (std::uint64_t number = 0; number < 300; ++number) {
    CAPTURE(number);
    small_case one = small_case_of(number);
    one.engine.replicas = 1 + static_cast<std::int64_t>(number % 3);
    const simulation_run run = simulate(one.engine, one.requests, made_up_times{});
    std::int64_t output = 0, prompt = 0;
    double inside = 0;
    for (std::size_t i = 0; i < one.requests.size(); ++i) {
      const request_record& r = run.records[i];
      CHECK(r.arrival <= r.admitted);
      CHECK(r.admitted < r.first_token);
      CHECK((r.output == 1 ? r.first_token == r.finished : r.first_token < r.finished));
      output += r.output;
      prompt += r.prompt - one.requests[i].cached;
      inside += (r.finished - r.arrival).value();
    }
    CHECK(run.output_tokens == output);
    CHECK(run.prompt_tokens >= prompt);
    CHECK((run.prompt_tokens == prompt) == (run.preemptions == 0));
    CHECK(run.blocks_taken == run.blocks_returned);
    CHECK(close(run.requests_over_time.value(), inside, 1e-12));
  }
}

// The times at which a closed loop sends are right behind those at which requests end in the plain engine, one for
// each.
TEST_CASE("a closed loop sends a request whenever one ends") {
  for (std::uint64_t number = 0; number < 300; ++number) {
    CAPTURE(number);
    small_case one = small_case_of(number);
    const auto most = static_cast<std::int64_t>(one.requests.size());
    const std::int64_t clients = 1 + static_cast<std::int64_t>(number) % most;
    const simulation_run run = simulate_closed_loop({clients}, one.engine, one.requests, made_up_times{});
    for (std::size_t i = 0; i < one.requests.size(); ++i) one.requests[i].arrival = run.records[i].arrival;
    plain_engine plain{one.engine, one.requests};
    plain.run();
    std::vector<double> ends;
    for (const request_record& r : plain.records()) ends.push_back((r.finished + r.delay).value());
    CHECK(run.counted_until.value() == *std::max_element(ends.begin(), ends.end()));
    std::sort(ends.begin(), ends.end());
    bool equal = true;
    for (std::int64_t i = 0; i < most; ++i) {
      const auto at = static_cast<std::size_t>(i);
      equal = equal && same(run.records[at], plain.records()[at]);
      const double sent = i < clients ? 0 : detail::sent_at(ends[at - static_cast<std::size_t>(clients)]);
      equal = equal && one.requests[at].arrival.value() == sent;
    }
    REQUIRE(equal);
  }
}

TEST_CASE("prompts of as many groups are computed side by side, each with its part of a step") {
  simulated_engine engine;
  engine.max_running = 8, engine.blocks = 1000, engine.step_tokens = 100, engine.prompts_at_once = 2;
  const std::vector<simulated_request> requests = {{0_s, 100, 1}, {0_s, 300, 1}, {0_s, 50, 1}};
  std::vector<step_work> steps;
  const simulation_run run = simulate(engine, requests, made_up_times{},
                                      [&](const step_work& work, seconds, seconds) { steps.push_back(work); });
  REQUIRE(steps.size() == 5);
  const std::int64_t tokens[] = {100, 100, 100, 100, 50}, prompts[] = {2, 2, 2, 1, 1};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CAPTURE(i);
    CHECK(steps[i].prompt_tokens == tokens[i]);
    CHECK(steps[i].prompts == prompts[i]);
  }
  CHECK(run.prompt_tokens == 450);
  CHECK(run.records[0].finished == run.records[0].first_token);
  CHECK(run.records[2].admitted == run.records[0].finished);  // as soon as a group is free
  CHECK(run.records[1].finished > run.records[2].finished);
  CHECK(run.blocks_taken == run.blocks_returned);
}

TEST_CASE("a round hands out its tokens together, and those behind the last are thrown away") {
  simulated_engine engine;
  engine.max_running = 4;
  engine.blocks = 1000;
  engine.verified = 5, engine.acceptance = 1;  // all five are kept
  struct one_second {
    seconds attention(std::int64_t, std::int64_t) const { return {}; }
    seconds step(const step_work&) const { return seconds{1}; }
  };
  std::vector<logged_step> log;
  const auto observe = [&](const step_work& work, seconds start, seconds end) { log.push_back({work, start, end}); };
  // The prompt and 1 token, 5, and 3 of 5. The second comes in a round, and its prompt is computed in the next.
  const std::vector<simulated_request> requests = {{0_s, 10, 9, 0}, {1500_ms, 10, 6, 0}};
  const simulation_run run = simulate(engine, requests, one_second{}, observe);
  CHECK(run.records[0].first_token == 1_s);
  CHECK(run.records[0].finished == 3_s);
  CHECK(run.records[1].first_token == 3_s);
  CHECK(run.records[1].finished == 4_s);
  CHECK(log.size() == 4);
  CHECK(run.output_tokens == 15);
  CHECK(run.blocks_taken == run.blocks_returned);
}

TEST_CASE("drafts take as many rounds as their chance says") {
  simulated_engine engine;
  engine.max_running = 1;
  engine.blocks = 1 << 20;
  engine.verified = 4, engine.acceptance = 0.6;
  struct one_second {
    seconds attention(std::int64_t, std::int64_t) const { return {}; }
    seconds step(const step_work&) const { return seconds{1}; }
  };
  constexpr std::int64_t tokens = 40000;
  const simulation_run run = simulate(engine, {{0_s, 1, tokens + 1, 0}}, one_second{});
  // Rounds of 1 + 0.6 + 0.36 + 0.216 = 2.176 tokens; the deviation of their number is 0.53 of its root.
  const double rounds = (run.records[0].finished - run.records[0].first_token).value();
  CHECK(std::abs(rounds - static_cast<double>(tokens) / 2.176) < 4 * 0.53 * std::sqrt(rounds));
  CHECK(run.output_tokens == tokens + 1);
}

TEST_CASE("nothing is lost where drafts are preempted and prompts fill steps") {
  detail::random_numbers random{3, 5, 7};
  for (int round = 0; round < 300; ++round) {
    const auto below = [&](double most) { return 1 + static_cast<std::int64_t>(most * random.uniform()); };
    simulated_engine engine;
    engine.max_running = below(6);
    engine.block_tokens = below(4);
    engine.blocks = ceil_div(60, engine.block_tokens) + below(20);
    engine.step_tokens = below(30);
    engine.prefill = random.uniform() < 0.3 ? prefill_policy::alone : prefill_policy::mixed;
    engine.verified = below(6), engine.acceptance = random.uniform();
    std::vector<simulated_request> requests;
    std::int64_t outputs = 0;
    double at = 0;
    for (int i = 0; i < 40; ++i) {
      requests.push_back({seconds{at += random.uniform()}, below(30), below(30), 0});
      outputs += requests.back().output;
    }
    double last = 0;
    const simulation_run run =
        simulate(engine, requests, made_up_times{}, [&](const step_work& work, seconds start, seconds end) {
          CHECK(start.value() >= last);
          last = end.value();
          CHECK(work.sequences <= engine.max_running);
        });
    CHECK(run.blocks_taken == run.blocks_returned);
    CHECK(run.output_tokens == outputs);
    for (const request_record& one : run.records) {
      CHECK(one.first_token > one.arrival);
      CHECK(one.finished >= one.first_token);
      CHECK(one.finished.value() <= last);
    }
  }
}

}  // namespace plan_replica_run_tests
