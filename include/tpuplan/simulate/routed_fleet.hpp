#ifndef TPUPLAN_SIMULATE_ROUTED_FLEET_HPP
#define TPUPLAN_SIMULATE_ROUTED_FLEET_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <queue>
#include <tpuplan/base/random.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <tpuplan/simulate/prefix_cache.hpp>
#include <tpuplan/simulate/router.hpp>
#include <tpuplan/simulate/sessions.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <utility>
#include <vector>

/// @file
/// All replicas of a fleet at once, with a router before them. Programs include simulate/routing.hpp instead.

namespace tpuplan {
inline namespace abi_0 {

/// What was found of the prompts of the requests that are counted, as shares of their tokens.
struct prefix_shares {
  double repeated = 0;  ///< was in an earlier request of the conversation or its group, or in an answer
  double on_chips = 0;  ///< found in the cache of the replica
  double on_hosts = 0;  ///< found on its hosts and brought from there
};

/// A run of all replicas.
struct routed_run {
  simulation_run run{};                ///< records by rising arrival
  prefix_shares prefixes{};            ///< what was found of prompts
  std::vector<std::int64_t> served{};  ///< requests of each replica, those that came in the place of others behind them
  std::int64_t interrupted = 0;        ///< requests that began again, because their replica was lost
  seconds restored{};                  ///< when the last replica came in the place of another
};

namespace detail {

/// Tokens of a prompt by which the rate of prefill is judged, as llm-d's calibration does: one chunk.
inline constexpr std::int64_t calibration_chunk = 8192;

/// The replicas, the router, and what is yet to come. Where requests go does not depend on what is counted, and what is
/// counted begins when the fleet has filled: first all is played, then each replica again by itself, with the requests
/// that it had.
template <class Times>
class routed_fleet {
 public:
  routed_fleet(const simulated_engine& engine, const std::vector<session_request>& requests, const closed_loop& loop,
               const fleet_routing& routing, const Times& times)
      : engine_{engine},
        requests_{requests},
        loop_{loop},
        routing_{routing},
        times_{times},
        size_{engine.replicas},
        sent_(requests.size()) {
    engine_.replicas = 1;
    for (const session_request& one : requests) {
      longest_ = std::max(longest_, one.sized.output);
      has_feedback_ = has_feedback_ || one.turn > 0;
    }
    has_feedback_ = has_feedback_ || loop.clients > 0;
    add_replicas(size_);
    const std::int64_t chunk = calibration_chunk;
    prefill_rate_ = static_cast<double>(chunk) / times.step({0, 0, chunk, times.attention(0, chunk), 0}).value();
  }

  void operator()() {
    begin();
    while (sums_.work <= most_simulated_steps) {
      const double next = coming_.empty() ? never : coming_.top().time;
      if (advance_one(next)) continue;
      if (coming_.empty()) break;
      const event now = coming_.top();
      coming_.pop();
      handle(now);
    }
  }

  /// Refuses a run that would take more than `most_simulated_steps`.
  void check() {
    if (sums_.work <= most_simulated_steps) return;
    sums_.run.records.resize(requests_.size());
    for (const auto& one : replicas_)
      for (std::size_t i = 0; i < one->records.size(); ++i) sums_.run.records[one->asked[i]] = one->records[i];
    check_steps(sums_);
  }
  [[nodiscard]] routed_run result() {
    routed_run all;
    const counted_time in = counted();
    all.run = std::move(run_);
    count(all.run, in);
    std::vector<std::pair<double, std::size_t>> order;
    order.reserve(requests_.size());
    for (std::size_t i = 0; i < requests_.size(); ++i) order.emplace_back(record_of(i).arrival.value(), i);
    std::sort(order.begin(), order.end());
    all.run.records.reserve(order.size());
    double prompts = 0;
    for (const auto& [arrival, i] : order) {
      const request_record record = record_of(i);
      all.run.records.push_back(record);
      if (record.arrival < in.from || record.arrival > in.until) continue;
      const found_tokens& found = replicas_[sent_[i].replica]->prefixes.found_by(sent_[i].place);
      prompts += static_cast<double>(record.prompt);
      all.prefixes.repeated += static_cast<double>(requests_[i].repeated);
      all.prefixes.on_chips += static_cast<double>(found.on_chips);
      all.prefixes.on_hosts += static_cast<double>(found.on_hosts);
    }
    for (double* share : {&all.prefixes.repeated, &all.prefixes.on_chips, &all.prefixes.on_hosts})
      *share = prompts > 0 ? *share / prompts : 0;
    all.served.resize(replicas_.size());
    for (const sending& one : sent_) ++all.served[one.replica];
    all.interrupted = interrupted_, all.restored = seconds{restored_};
    return all;
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  struct ends_of {
    const std::vector<request_record>* records = nullptr;
    std::vector<std::size_t> places{};
    bool operator()(const request_record& record) {
      places.push_back(static_cast<std::size_t>(&record - records->data()));
      return false;
    }
  };
  struct one_replica {
    one_replica(const simulated_engine& engine, const prefix_rules& rules, std::int64_t groups, const Times& times,
                run_sums& sums)
        : prefixes{rules, groups}, run{engine, requests, records, 0, times, sums, observe, ended, prefixes} {}
    std::vector<simulated_request> requests{};
    std::vector<request_record> records{};
    std::vector<std::size_t> asked{};  // place of each in the requests of the fleet
    no_observer observe{};
    ends_of ended{&records};
    prefix_cache prefixes;
    replica_run<Times, no_observer, ends_of, prefix_cache> run;
    bool is_lost = false, is_leaving = false;  // with all that it had; when it has ended what it has
    double lost_at = 0;
  };
  struct sending {
    std::size_t replica = 0, place = 0;
    std::int64_t to_compute = 0;
    double came = -1;  // when it came first; below 0: it has not
  };
  enum class event_kind : std::uint8_t { first_token, end, outage, start, arrival };
  struct event {
    double time = 0;
    event_kind kind = event_kind::arrival;
    std::size_t request = 0;
    std::size_t replica = 0;                    // of tokens
    bool operator<(const event& other) const {  // the next is the greatest
      if (time != other.time) return time > other.time;
      return kind != other.kind ? kind > other.kind : request > other.request;
    }
  };

  struct start_of_step {
    double time = 0;
    std::size_t replica = 0;
    bool operator<(const start_of_step& other) const {  // the next is the greatest
      return time != other.time ? time > other.time : replica > other.replica;
    }
  };

  /// Arrivals in their order, and the last end; those of conversations' first requests apart.
  [[nodiscard]] counted_time counted() const {
    std::vector<double> all;
    seconds last_start{0}, end{0}, together{0};
    double conversations = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const request_record record = record_of(i);
      all.push_back(record.arrival.value());
      if (requests_[i].turn == 0) last_start = max(last_start, record.arrival);
      conversations += requests_[i].turn == 0 ? 1 : 0;
      together += record.finished - (requests_[i].turn == 0 ? record.arrival : record_of(i - 1).finished);
      end = max(end, record.finished + record.delay);
    }
    const bool closed = loop_.clients > 0;
    const std::size_t warm = closed ? static_cast<std::size_t>(loop_.warm_up)
                                    : static_cast<std::size_t>(warm_up_share * static_cast<double>(all.size()));
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(warm), all.end());
    if (closed) return {seconds{all[warm]}, end};
    // As many conversations go on as begin while one lasts: until then the fleet fills.
    const seconds filled = has_feedback_ ? min(together / conversations * 2.0, last_start * 0.7) : seconds{0};
    return {max(seconds{all[warm]}, filled), last_start};
  }
  /// What the replicas do in that time.
  void count(simulation_run& run, const counted_time& in) {
    simulation_run counted;
    run_sums sums{counted};
    begin_counting(counted, in);
    for (const auto& one : replicas_) count(*one, sums);
    for (engine_sample& sample : counted.over_time) sample.cache /= static_cast<double>(size_);
    simulated_engine all = engine_;
    all.replicas = size_;
    take_counted(run, finished(sums, all));
  }
  void count(const one_replica& one, run_sums& sums) const {
    prefix_cache prefixes{rules(), routing_.groups};
    for (const std::size_t asked : one.asked) prefixes.expect(requests_[asked].conversation, requests_[asked].group);
    std::vector<request_record> records(one.requests.size());
    no_observer observe;
    never_enough to_the_end;
    replica_run<Times, no_observer, never_enough, prefix_cache> again{engine_, one.requests, records, 0, times_, sums,
                                                                      observe, to_the_end,   prefixes};
    if (one.is_lost)
      again.advance_to(one.lost_at);
    else
      again();
  }
  [[nodiscard]] request_record record_of(std::size_t request) const {
    const sending& sent = sent_[request];
    request_record record = replicas_[sent.replica]->records[sent.place];
    if (sent.came >= 0) record.arrival = seconds{sent.came};
    return record;
  }
  [[nodiscard]] prefix_rules rules() const {
    return {engine_.block_tokens, routing_.shared_prefix / engine_.block_tokens, routing_.host_blocks,
            routing_.block_load.value()};
  }
  void add_replicas(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      up_.push_back(replicas_.size());
      in_flight_.push_back(0), to_compute_.push_back(0);
      earlier_.push_back(requests_.size());
      replicas_.push_back(std::make_unique<one_replica>(engine_, rules(), routing_.groups, times_, sums_));
      replicas_.back()->run.expect_outputs(longest_);
    }
  }

  void begin() {
    if (routing_.outage.replicas > 0) coming_.push({routing_.outage.at.value(), event_kind::outage, 0});
    for (std::size_t i = 0; i < requests_.size(); ++i)
      if (requests_[i].turn == 0) starting_.push_back(i);
    const auto before = [&](std::size_t a, std::size_t b) {
      const seconds one = requests_[a].sized.arrival, other = requests_[b].sized.arrival;
      return one < other || (one == other && a < b);
    };
    if (loop_.clients == 0) {
      std::sort(starting_.begin(), starting_.end(), before);
      return start_next(0);
    }
    for (std::int64_t client = 0; client < loop_.clients; ++client)
      start_next(loop_.ramp.value() * (static_cast<double>(client) / static_cast<double>(loop_.clients)));
  }
  /// The next conversation comes: of a client then, else when its first request says.
  void start_next(double time) {
    if (next_start_ == starting_.size()) return;
    const std::size_t first = starting_[next_start_++];
    coming_.push({loop_.clients > 0 ? time : requests_[first].sized.arrival.value(), event_kind::arrival, first});
  }

  /// The step that begins first of those that may end something, if that is before then.
  bool advance_one(double before) {
    const auto is_old = [&](const start_of_step& one) {
      return replicas_[one.replica]->is_lost || replicas_[one.replica]->run.next() != one.time;
    };
    while (!starts_.empty() && is_old(starts_.top())) starts_.pop();
    if (starts_.empty() || !(starts_.top().time < before)) return false;
    const std::size_t first = starts_.top().replica;
    starts_.pop();
    one_replica& one = *replicas_[first];
    one.run.advance();
    for (const std::size_t place : one.prefixes.begun()) {
      if (routing_.by != request_routing::prefix) break;  // which alone looks at what is to be computed
      const request_record& record = one.records[place];
      coming_.push({(record.first_token + record.delay).value(), event_kind::first_token, one.asked[place], first});
    }
    for (const std::size_t place : one.ended.places) {
      const request_record& record = one.records[place];
      coming_.push({(record.finished + record.delay).value(), event_kind::end, one.asked[place], first});
    }
    one.prefixes.begun().clear();
    one.ended.places.clear();
    note_start(first);
    return true;
  }
  /// Notes when the next such step of a replica can begin, after a step or with another request.
  void note_start(std::size_t replica) {
    const double next = replicas_[replica]->run.next();
    if (next < never) starts_.push({next, replica});
  }

  void handle(const event& now) {
    one_replica& at = *replicas_[now.replica];
    const bool is_token = now.kind == event_kind::first_token || now.kind == event_kind::end;
    if (is_token && at.is_lost) return;  // the request has begun again
    switch (now.kind) {
      case event_kind::first_token: to_compute_[now.replica] -= sent_[now.request].to_compute; return;
      case event_kind::end:
        --in_flight_[now.replica];
        if (at.is_leaving) await_start(now.time);
        return go_on(now);
      case event_kind::outage: return routing_.outage.in_turn ? take_out(now.time) : lose(now.time);
      case event_kind::start: return start(now.time);
      case event_kind::arrival:
        if (loop_.clients == 0 && requests_[now.request].turn == 0) start_next(now.time);
        send(now);
    }
  }
  /// The replicas that have served longest go with all that they have, which begins again.
  void lose(double now) {
    std::vector<std::size_t> again;
    for (std::int64_t i = 0; i < routing_.outage.replicas; ++i) {
      one_replica& one = *replicas_[up_.front()];
      up_.erase(up_.begin());
      one.is_lost = true, one.lost_at = now;
      for (std::size_t place = 0; place < one.records.size(); ++place) {
        const request_record& record = one.records[place];
        const double end = (record.finished + record.delay).value();
        if (record.finished.value() > 0 && end <= now) continue;
        again.push_back(one.asked[place]);
        // Of a step that would have ended later the time until then is not counted.
        if (record.finished.value() > now) sums_.run.requests_over_time -= record.finished - seconds{now};
      }
      one.run.end_at(now);
    }
    interrupted_ += static_cast<std::int64_t>(again.size());
    coming_.push({now + routing_.outage.start_up.value(), event_kind::start});
    for (const std::size_t request : again) send({now, event_kind::arrival, request});
  }
  /// They get no more requests, and restart when they have ended what they have.
  void take_out(double now) {
    leaving_.assign(up_.begin(), up_.begin() + std::min<std::ptrdiff_t>(routing_.outage.replicas, left_to_restart()));
    up_.erase(up_.begin(), up_.begin() + static_cast<std::ptrdiff_t>(leaving_.size()));
    for (const std::size_t one : leaving_) replicas_[one]->is_leaving = true;
    await_start(now);
  }
  [[nodiscard]] std::ptrdiff_t left_to_restart() const {
    return static_cast<std::ptrdiff_t>(2 * size_) - static_cast<std::ptrdiff_t>(replicas_.size());
  }
  void await_start(double now) {
    for (const std::size_t one : leaving_)
      if (in_flight_[one] > 0) return;
    for (const std::size_t one : leaving_) replicas_[one]->is_leaving = false;
    coming_.push({now + routing_.outage.start_up.value(), event_kind::start});
  }
  void start(double now) {
    restored_ = now;
    add_replicas(routing_.outage.in_turn ? static_cast<std::int64_t>(leaving_.size()) : routing_.outage.replicas);
    if (routing_.outage.in_turn && left_to_restart() > 0) coming_.push({now, event_kind::outage});
    for (const std::size_t request : std::exchange(held_, {})) {
      sums_.run.requests_over_time += seconds{now - std::max(sent_[request].came, routing_.outage.at.value())};
      send({now, event_kind::arrival, request});
    }
  }
  /// The next request of the conversation, or of the client the next conversation.
  void go_on(const event& ended) {
    const std::size_t next = ended.request + 1;
    if (next < requests_.size() && requests_[next].turn > 0) {
      coming_.push({sent_at(ended.time + requests_[next].think.value()), event_kind::arrival, next});
    } else if (loop_.clients > 0) {
      start_next(sent_at(ended.time));
    }
  }
  void send(const event& now) {
    const session_request& one = requests_[now.request];
    sending& sent = sent_[now.request];
    if (sent.came < 0) sent.came = now.time;
    if (up_.empty()) return held_.push_back(now.request);
    const std::size_t replica = choose(one, now);
    one_replica& to = *replicas_[replica];
    std::int64_t lacks = 0;
    if (routing_.by == request_routing::prefix) to.run.settle(now.time), lacks = lacking(to, one);
    sent = {replica, to.requests.size(), lacks, sent.came};
    to.requests.push_back(one.sized);
    to.requests.back().arrival = seconds{now.time};
    to.asked.push_back(now.request);
    to.prefixes.expect(one.conversation, one.group);
    to.run.expect_one_more(now.time);
    ++in_flight_[replica];
    to_compute_[replica] += lacks;
    note_start(replica);
  }

  /// Tokens of a prompt to compute; a replica that had none of the conversation before looks for its group alone.
  [[nodiscard]] static std::int64_t lacking(const one_replica& of, const session_request& one, bool had_some = true) {
    return one.sized.prompt - of.prefixes.match(one.conversation, one.group, one.sized, had_some).on_chips;
  }
  [[nodiscard]] std::size_t choose(const session_request& one, const event& now) {
    const std::size_t count = up_.size();
    switch (routing_.by) {
      case request_routing::round_robin: break;
      case request_routing::random:
        return up_[static_cast<std::size_t>(
            random_numbers{static_cast<std::uint64_t>(routing_.seed), 14, now.request}.uniform() *
            static_cast<double>(count))];
      case request_routing::queue: return least_of([&](std::size_t i) { return in_flight_[up_[i]]; });
      case request_routing::prefix: return by_prefix(one, now);
    }
    return up_[turn_++ % count];
  }
  /// The replica of the least amount, by its place among those that are up; of equal ones each in turn.
  template <class Amount>
  [[nodiscard]] std::size_t least_of(const Amount& amount) {
    const std::size_t from = turn_++ % up_.size();
    std::size_t best = from;
    auto least = amount(best);
    const auto look = [&](std::size_t first, std::size_t end) {
      for (std::size_t other = first; other < end; ++other)
        if (const auto of_it = amount(other); of_it < least) best = other, least = of_it;
    };
    look(from + 1, up_.size());
    look(0, from);
    return up_[best];
  }
  [[nodiscard]] std::size_t by_prefix(const session_request& one, const event& now) {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t best_of_these = none, best_of_others = none;
    lacks_.clear();
    note_earlier(one, now.request);
    for (const std::size_t place : up_) {
      replicas_[place]->run.settle(now.time);
      lacks_.push_back(lacking(*replicas_[place], one, earlier_[place] == now.request));
      std::int64_t& best = has_most(lacks_.back(), one) ? best_of_these : best_of_others;
      best = std::min(best, to_compute_[place]);
    }
    const bool patient = best_of_others == none || static_cast<double>(best_of_these - best_of_others) <=
                                                       affinity_patience.value() * prefill_rate_;
    const bool only_these = best_of_these != none && patient;
    for (std::size_t i = 0; i < lacks_.size(); ++i)
      lacks_[i] = only_these && !has_most(lacks_[i], one) ? none : to_compute_[up_[i]] + lacks_[i];
    return least_of([&](std::size_t i) { return lacks_[i]; });
  }
  /// Notes the replicas that had a turn of the conversation before this one.
  void note_earlier(const session_request& one, std::size_t request) {
    for (std::int64_t turn = 1; turn <= one.turn; ++turn)
      earlier_[sent_[request - static_cast<std::size_t>(turn)].replica] = request;
  }
  [[nodiscard]] static bool has_most(std::int64_t lacks, const session_request& one) {
    return static_cast<double>(lacks) <= (1 - affinity_share) * static_cast<double>(one.sized.prompt);
  }

  simulated_engine engine_;  // of each replica
  const std::vector<session_request>& requests_;
  const closed_loop& loop_;
  const fleet_routing& routing_;
  const Times& times_;
  std::int64_t size_ = 0, longest_ = 0;  // replicas of the fleet; tokens of the longest output
  simulation_run run_{};
  run_sums sums_{run_};
  std::vector<std::unique_ptr<one_replica>> replicas_{};  // those that are gone too
  std::vector<std::int64_t> in_flight_{}, to_compute_{};  // of each: requests; tokens of those without a first one
  std::vector<std::size_t> earlier_{};                    // of each: a request whose conversation it had before
  std::vector<std::size_t> up_{}, leaving_{};             // that get requests, and that end what they have
  std::vector<std::size_t> held_{};                       // requests that came while none was up
  std::int64_t interrupted_ = 0;
  double restored_ = 0;
  std::vector<sending> sent_;
  std::vector<std::int64_t> lacks_{};  // of each that is up, of the prompt that is routed
  std::priority_queue<event> coming_{};
  std::priority_queue<start_of_step> starts_{};  // as they were noted, some of which hold no more
  std::vector<std::size_t> starting_{};          // first requests of conversations in their order
  std::size_t next_start_ = 0;                   // of the next of them
  std::size_t turn_ = 0;
  double prefill_rate_ = 0;    // tokens a second
  bool has_feedback_ = false;  // ends bring requests
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
