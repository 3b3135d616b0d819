#ifndef TPUPLAN_SIMULATE_ROUTING_HPP
#define TPUPLAN_SIMULATE_ROUTING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <queue>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/random.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <tpuplan/simulate/outage.hpp>
#include <tpuplan/simulate/prefix_cache.hpp>
#include <tpuplan/simulate/router.hpp>
#include <tpuplan/simulate/sessions.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <utility>
#include <vector>

/// @file
/// All replicas of a fleet at once, with a router before them that decides where each request goes, and caches that
/// keep what requests have in common.

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

/// The replicas, the router, and what is yet to come.
template <class Times>
class routed_fleet {
 public:
  routed_fleet(const simulated_engine& engine, const std::vector<session_request>& requests, const closed_loop& loop,
               const fleet_routing& routing, const Times& times, const counted_time& counted)
      : engine_{engine},
        requests_{requests},
        loop_{loop},
        routing_{routing},
        times_{times},
        size_{engine.replicas},
        sent_(requests.size()) {
    engine_.replicas = 1;
    sums_.run.warm_until = counted.from;
    sums_.run.counted_until = counted.until;
    sums_.run.over_time.resize(over_time_parts);
    for (std::size_t i = 0; i < over_time_parts; ++i)
      sums_.run.over_time[i].time = counted.until * (static_cast<double>(i + 1) / over_time_parts);
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
    for (const auto& one : replicas_)
      if (!one->is_lost) one->run.take_last_samples();
  }

  [[nodiscard]] run_sums& sums() { return sums_; }
  /// Refuses a run that would take more than `most_simulated_steps`.
  void check() {
    if (sums_.work <= most_simulated_steps) return;
    sums_.run.records.resize(requests_.size());
    for (const auto& one : replicas_)
      for (std::size_t i = 0; i < one->records.size(); ++i) sums_.run.records[one->asked[i]] = one->records[i];
    check_steps(sums_);
  }
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
  [[nodiscard]] routed_run result() {
    routed_run all;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < requests_.size(); ++i) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const seconds first = record_of(a).arrival, second = record_of(b).arrival;
      return first < second || (first == second && a < b);
    });
    double prompts = 0;
    for (const std::size_t i : order) {
      const request_record record = record_of(i);
      sums_.run.records.push_back(record);
      if (record.arrival < sums_.run.warm_until || record.arrival > sums_.run.counted_until) continue;
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
    for (engine_sample& sample : sums_.run.over_time) sample.cache /= static_cast<double>(size_);
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
    std::int64_t in_flight = 0, to_compute = 0;  // requests; tokens of those without a first one
    bool is_lost = false, is_leaving = false;    // with all that it had; when it has ended what it has
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

  [[nodiscard]] request_record record_of(std::size_t request) const {
    const sending& sent = sent_[request];
    request_record record = replicas_[sent.replica]->records[sent.place];
    if (sent.came >= 0) record.arrival = seconds{sent.came};
    return record;
  }
  void add_replicas(std::int64_t count) {
    const prefix_rules rules{engine_.block_tokens, routing_.shared_prefix / engine_.block_tokens, routing_.host_blocks,
                             routing_.block_load.value()};
    for (std::int64_t i = 0; i < count; ++i) {
      up_.push_back(replicas_.size());
      replicas_.push_back(std::make_unique<one_replica>(engine_, rules, routing_.groups, times_, sums_));
      replicas_.back()->run.expect_outputs(longest_);
    }
  }

  void begin() {
    if (routing_.outage.replicas > 0) coming_.push({routing_.outage.at.value(), event_kind::outage, 0});
    const std::int64_t clients = loop_.clients;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const session_request& one = requests_[i];
      if (one.turn > 0) continue;
      if (clients == 0) {
        coming_.push({one.sized.arrival.value(), event_kind::arrival, i});
      } else if (one.conversation < clients) {
        const double share = static_cast<double>(one.conversation) / static_cast<double>(clients);
        coming_.push({loop_.ramp.value() * share, event_kind::arrival, i});
        next_start_ = i + 1;
      }
    }
    while (next_start_ < requests_.size() && requests_[next_start_].turn > 0) ++next_start_;
  }

  /// A step of the replica that can begin one first, if that is before then. What ends with it may bring requests that
  /// others have to know before they go on: then steps are taken one by one.
  bool advance_one(double before) {
    drop_old_starts(replicas_.size());
    if (starts_.empty() || !(starts_.top().time < before)) return false;
    const std::size_t first = starts_.top().replica;
    drop_old_starts(first);
    const double second = starts_.empty() ? never : starts_.top().time;
    one_replica& one = *replicas_[first];
    one.run.advance(has_feedback_ ? std::min(before, second) : before);
    for (const std::size_t place : one.prefixes.begun()) {
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
  /// Notes when the next step of a replica can begin, after a step or with another request.
  void note_start(std::size_t replica) {
    const double ready = replicas_[replica]->run.ready();
    if (ready < never) starts_.push({ready, replica});
  }
  /// Drops what was noted first as long as it holds no more, or is of that replica.
  void drop_old_starts(std::size_t of) {
    const auto is_old = [&](const start_of_step& one) {
      return one.replica == of || replicas_[one.replica]->is_lost || replicas_[one.replica]->run.ready() != one.time;
    };
    while (!starts_.empty() && is_old(starts_.top())) starts_.pop();
  }

  void handle(const event& now) {
    one_replica& at = *replicas_[now.replica];
    const bool is_token = now.kind == event_kind::first_token || now.kind == event_kind::end;
    if (is_token && at.is_lost) return;  // the request has begun again
    switch (now.kind) {
      case event_kind::first_token: at.to_compute -= sent_[now.request].to_compute; return;
      case event_kind::end:
        --at.in_flight;
        if (at.is_leaving) await_start(now.time);
        return go_on(now);
      case event_kind::outage: return routing_.outage.in_turn ? take_out(now.time) : lose(now.time);
      case event_kind::start: return start(now.time);
      case event_kind::arrival: send(now);
    }
  }
  /// The replicas that have served longest go with all that they have, which begins again.
  void lose(double now) {
    std::vector<std::size_t> again;
    for (std::int64_t i = 0; i < routing_.outage.replicas; ++i) {
      one_replica& one = *replicas_[up_.front()];
      up_.erase(up_.begin());
      one.is_lost = true;
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
      if (replicas_[one]->in_flight > 0) return;
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
      coming_.push({ended.time + requests_[next].think.value(), event_kind::arrival, next});
    } else if (loop_.clients > 0 && next_start_ < requests_.size()) {
      coming_.push({ended.time, event_kind::arrival, next_start_});
      do ++next_start_;
      while (next_start_ < requests_.size() && requests_[next_start_].turn > 0);
    }
  }
  void send(const event& now) {
    const session_request& one = requests_[now.request];
    sending& sent = sent_[now.request];
    if (sent.came < 0) sent.came = now.time;
    if (up_.empty()) return held_.push_back(now.request);
    const std::size_t replica = choose(one, now.request);
    one_replica& to = *replicas_[replica];
    const std::int64_t lacks = lacking(to, one);
    sent = {replica, to.requests.size(), lacks, sent.came};
    to.requests.push_back(one.sized);
    to.requests.back().arrival = seconds{now.time};
    to.asked.push_back(now.request);
    to.prefixes.expect(one.conversation, one.group);
    to.run.expect_one_more();
    ++to.in_flight;
    to.to_compute += lacks;
    note_start(replica);
  }

  [[nodiscard]] static std::int64_t lacking(const one_replica& of, const session_request& one) {
    return one.sized.prompt - of.prefixes.match(one.conversation, one.group, one.sized).on_chips;
  }
  [[nodiscard]] std::size_t choose(const session_request& one, std::size_t request) {
    const std::size_t count = up_.size();
    switch (routing_.by) {
      case request_routing::round_robin: break;
      case request_routing::random:
        return up_[static_cast<std::size_t>(
            random_numbers{static_cast<std::uint64_t>(routing_.seed), 14, request}.uniform() *
            static_cast<double>(count))];
      case request_routing::queue: return least_of([&](std::size_t i) { return replicas_[up_[i]]->in_flight; });
      case request_routing::prefix: return by_prefix(one);
    }
    return up_[turn_++ % count];
  }
  /// The replica of the least amount, by its place among those that are up; of equal ones each in turn.
  template <class Amount>
  [[nodiscard]] std::size_t least_of(const Amount& amount) {
    const std::size_t from = turn_++;
    std::size_t best = from % up_.size();
    for (std::size_t i = 1; i < up_.size(); ++i) {
      const std::size_t other = (from + i) % up_.size();
      if (amount(other) < amount(best)) best = other;
    }
    return up_[best];
  }
  [[nodiscard]] std::size_t by_prefix(const session_request& one) {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t best_of_these = none, best_of_others = none;
    lacks_.clear();
    for (const std::size_t place : up_) {
      lacks_.push_back(lacking(*replicas_[place], one));
      std::int64_t& best = has_most(lacks_.back(), one) ? best_of_these : best_of_others;
      best = std::min(best, replicas_[place]->to_compute);
    }
    const bool patient = best_of_others == none || static_cast<double>(best_of_these - best_of_others) <=
                                                       affinity_patience.value() * prefill_rate_;
    const bool only_these = best_of_these != none && patient;
    for (std::size_t i = 0; i < lacks_.size(); ++i)
      lacks_[i] = only_these && !has_most(lacks_[i], one) ? none : replicas_[up_[i]]->to_compute + lacks_[i];
    return least_of([&](std::size_t i) { return lacks_[i]; });
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
  std::vector<std::size_t> up_{}, leaving_{};             // that get requests, and that end what they have
  std::vector<std::size_t> held_{};                       // requests that came while none was up
  std::int64_t interrupted_ = 0;
  double restored_ = 0;
  std::vector<sending> sent_;
  std::vector<std::int64_t> lacks_{};  // of each that is up, of the prompt that is routed
  std::priority_queue<event> coming_{};
  std::priority_queue<start_of_step> starts_{};  // as they were noted, some of which hold no more
  std::size_t next_start_ = 0;  // the first request of the next conversation of a closed loop
  std::size_t turn_ = 0;
  double prefill_rate_ = 0;    // tokens a second
  bool has_feedback_ = false;  // ends bring requests
};

inline void validate(const closed_loop& loop, const std::vector<session_request>& requests) {
  const auto count = static_cast<std::int64_t>(requests.size());
  check_count("closed_loop.clients", loop.clients, requests.empty() ? 0 : requests.back().conversation + 1,
              "0, or at most as many as there are conversations");
  in_range("closed_loop.ramp", loop.ramp.value(), 0, 1e6, "0 to 1000000 s");
  check_count("closed_loop.warm_up", loop.warm_up, count - 1, "0 to fewer than the requests");
}

}  // namespace detail

/// A run of all replicas of an engine behind a router. Without clients in `loop` conversations begin when their first
/// requests say; with clients each holds one conversation after the other. The next request of a conversation comes
/// when its client has the answer and has thought. Counted are the requests until the last conversation begins, after a
/// tenth of all and twice the time that a conversation takes; of clients those behind the warm-up, until the last ends.
/// With an outage in `routing` replicas go meanwhile; requests that come while none is left wait for the next.
/// Throws, naming the field, as `simulate` does, and for an engine that reserves the cache. Worked: behind a router in
/// turn, single requests have the records of `simulate`.
template <class Times>
[[nodiscard]] routed_run simulate_routed(const simulated_engine& engine, const std::vector<session_request>& requests,
                                         const closed_loop& loop, const fleet_routing& routing, const Times& times) {
  std::vector<simulated_request> sized;
  for (const session_request& one : requests) {
    sized.push_back(one.sized);
    sized.back().arrival = seconds{0};
  }
  detail::validate(engine, sized);
  detail::validate(loop, requests);
  detail::validate(routing.outage, engine.replicas);
  if (engine.reserved_tokens > 0)
    detail::fail(errc::invalid_argument, "simulated_engine.reserved_tokens", engine.reserved_tokens,
                 "0: routed fleets keep prefixes in blocks");
  const auto is_answer = [](const session_request& one) { return one.turn > 0; };
  detail::counted_time counted;
  if (loop.clients > 0 || std::any_of(requests.begin(), requests.end(), is_answer)) {
    detail::routed_fleet<Times> before{engine, requests, loop, routing, times, {}};
    before();
    before.check();
    counted = before.counted();
  } else {  // none waits for another: all arrivals are known
    for (std::size_t i = 0; i < sized.size(); ++i) sized[i].arrival = requests[i].sized.arrival;
    counted = detail::counted_of(sized);
  }
  detail::routed_fleet<Times> fleet{engine, requests, loop, routing, times, counted};
  fleet();
  fleet.check();
  routed_run all = fleet.result();
  all.run = std::move(detail::finished(fleet.sums(), engine));
  return all;
}

namespace detail {

/// What the hosts of a replica hold of its cache, and how long the chips wait for a block of it.
inline void add_hosts(fleet_routing& routing, const transformer& model, const serving_job& job,
                      const serving_fleet& fleet, bytes host_cache) {
  const host_spec& host = fleet.where.chip.host;
  const served_model served = served_by(model, job, fleet.mesh, fleet.where);
  const double chip_count =
      served.on.devices * static_cast<double>(chips(fleet.where)) / static_cast<double>(devices(fleet.where));
  if (!host.pcie.has_value())
    fail(errc::unknown_figure, "host_cache_gib", in_gib(host_cache),
         "0 where no source states the rate between chips and hosts, as of " +
             std::string(fleet.where.chip.name.view()));
  if (host.dram.has_value() && host.chips > 0) {
    const double most = in_gib(host.dram.value()) * chip_count / static_cast<double>(host.chips);
    in_range("host_cache_gib", in_gib(host_cache), 0, most, "at most the memory of the hosts of a replica");
  }
  const double context = running_context(job);
  const bytes block = served.on.devices * on_device(served, cache_of(model, job, context)) /
                      static_cast<double>(ceil_div(ceil_to_count(context), detail::block_of(job)));
  routing.host_blocks = floor_to_count(std::min(host_cache / block, 1e12));
  routing.block_load = block / (host.pcie.value() * chip_count);
}

}  // namespace detail

/// All replicas of a fleet, with so much memory of the hosts of each for a second tier of its cache. A block is brought
/// from there before the step that needs it, at the rate of PCIe of all chips of the replica. Throws as
/// `simulate_routed` and `engine_of` do, for a cache on hosts whose link has no stated rate, and for prefixes of a
/// model whose layers keep a state, which no engine finds again by prefix. Worked: `host_cache` on tpu7x is refused.
[[nodiscard]] inline routed_run simulate_fleet(const transformer& model, const serving_job& job,
                                               const serving_fleet& fleet, const std::vector<session_request>& requests,
                                               const closed_loop& loop, fleet_routing routing, bytes host_cache = {},
                                               const serving_calibration& constants = default_serving_calibration,
                                               const step_factors& longer = {}) {
  const bool keeps = !requests.empty() && (requests.back().turn > 0 || routing.shared_prefix > 0);
  if (keeps && state_bytes_per_sequence(model).value() > 0)
    detail::fail(errc::invalid_argument, "layers with a state", model.name.view(),
                 "a model whose layers keep keys and values alone, for prefixes that are found again");
  if (host_cache.value() > 0) detail::add_hosts(routing, model, job, fleet, host_cache);
  const simulated_engine engine = detail::engine_of(model, job, fleet, replicas_of(fleet), requests.size(),
                                                    std::any_of(requests.begin(), requests.end(), [&](const auto& one) {
                                                      return one.sized.priority != requests.front().sized.priority;
                                                    }));
  return simulate_routed(
      engine, requests, loop, routing,
      replica_step_times{model, job, fleet.mesh, fleet.where, engine.max_running, constants, longer});
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
