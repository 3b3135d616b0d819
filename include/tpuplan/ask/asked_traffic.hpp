#ifndef TPUPLAN_ASK_ASKED_TRAFFIC_HPP
#define TPUPLAN_ASK_ASKED_TRAFFIC_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tpuplan/ask/lengths.hpp>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/ask/serving_checks.hpp>
#include <tpuplan/ask/simulate_answer.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <tpuplan/simulate/routing.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <tpuplan/simulate/split.hpp>
#include <vector>

/// @file
/// The traffic of a question to simulate, and the fleet that serves it, checked and with what was left open.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Refuses a shared prefix of the job beside one of conversations.
inline void check_shared_once(const serving_job& job, const session_traffic& sessions) {
  if (have_prefixes(sessions) && job.shared_prefix > 0)
    fail(errc::invalid_argument, "job.shared_prefix", job.shared_prefix, "0 beside sessions, which say what is shared");
}

/// Refuses conversations and shared prefixes of a model of which no engine finds them again.
inline void check_prefixes(const transformer& model, const session_traffic& sessions) {
  const bool is_found = model.kind == architecture::decoder && state_bytes_per_sequence(model).value() == 0;
  if (is_found || !have_prefixes(sessions)) return;
  const bool turns = sessions.turns > 1;
  fail(errc::unsupported, turns ? "sessions.turns" : "sessions.shared_prefix",
       turns ? sessions.turns : sessions.shared_prefix,
       "none but of a decoder whose layers keep keys and values alone");
}

/// The prefix of each group of conversations is in the cache once, for all sequences that have it, where it is found.
inline void hold_once(serving_job& job, const session_traffic& sessions) {
  job.shared_prefix = job.prefix_hit_rate > 0 ? sessions.shared_prefix : 0;
  job.prefix_groups = sessions.groups;
}

/// Refuses cached tokens of a request of a trace, in that field: what is in the cache is said of all of them.
inline void refuse_cached_tokens(const std::vector<simulated_request>& trace, const std::string& field) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace[i].cached != 0)
      fail(errc::unsupported, field + "[" + std::to_string(i) + "].cached", trace[i].cached,
           "0: job.prefix_hit_rate says what share of all prompts is cached");
  }
}

/// The requests of one question, and who serves them; those of other rates and other jobs are asked too.
class asked_traffic {
 public:
  asked_traffic(const transformer& model, const simulate_request& asked)
      : model_{model}, asked_{asked}, job_{with_image_tokens(asked.job, model)}, trace_{asked.trace} {
    job_.percentiles = {};
    if (model.kind == architecture::encoder && asked.job.percentiles.per_token.limit.value() != 0)
      fail(errc::invalid_argument, "serving_job.percentiles.per_token", asked.job.percentiles.per_token.limit.value(),
           "none: an encoder writes no tokens");
    adapted_ = hold_adapters(model, asked.adapters, asked.adapter_rank, job_);
    fleet_ = {asked.mesh, scheduled_slice(asked.slice), asked.slices, asked.prefill};
    if (is_split() && asked.slices != 1)
      fail(errc::invalid_argument, "slices", asked.slices, "1 beside a split, which says how many there are");
    if (asked.split_slices > 0) {
      fleet_.slices = asked.split_slices;
    } else if (is_split()) {
      const std::int64_t computing = positive_count("split.prefill", asked.split.prefill);
      fleet_.slices = checked_add(computing, positive_count("split.decode", asked.split.decode));
    }
    use_moments(asked, job_);
    serving_job aimed = job_;
    aimed.percentiles = asked.job.percentiles;
    if (trace_.empty()) check_later_tokens(aimed);
    if (job_.images > 0 && (!trace_.empty() || have_prefixes(asked.sessions)))
      fail(errc::invalid_argument, "job.images", job_.images, "0 beside a trace or conversations");
    if (asked.prompts) job_ = with_image_tokens(job_, model_);
    validate(asked.sessions);
    check_prefixes(model, asked.sessions);
    check_prompts_alone(model, asked.job, asked.prefill);
    if (model.kind != architecture::decoder && is_split())
      fail(errc::unsupported, asked.split_slices > 0 ? "split_slices" : "split.prefill", "given",
           "none but of a decoder");
    if (asked.host_cache_gib > 0 && !have_prefixes(asked.sessions))
      fail(errc::invalid_argument, "host_cache_gib", asked.host_cache_gib,
           "0 without conversations or a shared prefix");
    check_served(model, asked.mesh, fleet_.where);
    choose_routing();
    if (trace_.empty()) use_draft_cost(model_, job_);
    loop_ = loop_of(job_);
    if (asked.requests != 0 && asked.requests < 100)
      fail(errc::out_of_range, "requests", asked.requests, "100 or more");
    requests_ = asked.requests == 0 ? std::max(planning_requests_of(job_), 10 * loop_.clients) : asked.requests;
    check_routing();
    check_priorities();
    check_chance();
    if (asked.requests == 0 && asked.sessions.turns > 1 && loop_.clients == 0)
      requests_ = std::max(requests_, requests_of_conversations());
    if (requests_ < loop_.clients)
      fail(errc::out_of_range, "simulated_traffic.requests", requests_,
           text<64>{"at least the "}.append(loop_.clients).append(" clients of the replica").view());
    if (!trace_.empty()) use_trace();
    job_ = as_engine_runs(job_, model);
    use_outage();
  }
  [[nodiscard]] const transformer& model() const { return model_; }
  [[nodiscard]] const simulate_request& asked() const { return asked_; }
  /// With the lengths of a trace or of whole conversations.
  [[nodiscard]] const serving_job& job() const { return job_; }
  [[nodiscard]] const std::vector<simulated_request>& trace() const { return trace_; }
  [[nodiscard]] const serving_fleet& fleet() const { return fleet_; }
  [[nodiscard]] const closed_loop& loop() const { return loop_; }
  [[nodiscard]] const std::optional<request_routing>& routing() const { return routing_; }
  [[nodiscard]] const replica_outage& outage() const { return outage_; }
  /// Of one replica, without a trace.
  [[nodiscard]] std::int64_t requests() const { return requests_; }
  /// Whether their number is the usual one of requests that come at random.
  [[nodiscard]] bool takes_usual_requests() const {
    return asked_.requests == 0 && loop_.clients == 0 && trace_.empty() && !asked_.outage.lose;
  }
  /// Four times as many.
  void take_more() { requests_ = checked_multiply(4, requests_); }
  /// Whether there are adapters beside the weights.
  [[nodiscard]] bool is_adapted() const { return adapted_; }
  /// Whether prefill and decode are apart.
  [[nodiscard]] bool is_split() const {
    return asked_.split_slices != 0 || asked_.split.prefill != 0 || asked_.split.decode != 0 ||
           asked_.split.transfer.value() > 0;
  }
  [[nodiscard]] bool is_routed() const { return routing_.has_value(); }
  /// Replicas whose requests are counted.
  [[nodiscard]] std::int64_t simulated() const {
    return trace_.empty() && !is_routed() && !is_split() ? 1 : replicas_of(fleet_);
  }
  /// The share of one replica of the clients.
  [[nodiscard]] closed_loop loop_of(const serving_job& job) const {
    if (is_routed()) return loop_of(job.concurrency);
    // A replica of more devices than the slice has is refused by name when its engine is made.
    const std::int64_t replicas = std::max<std::int64_t>(1, replicas_of(fleet_));
    if (job.concurrency % replicas != 0)
      fail(errc::out_of_range, "serving_job.concurrency", job.concurrency,
           text<96>{"a multiple of the "}.append(replicas).append(" replicas, of which each has its share").view());
    return loop_of(job.concurrency / replicas);
  }
  /// The share of one replica, at random.
  [[nodiscard]] std::vector<simulated_request> drawn(const serving_job& job, std::int64_t count) const {
    simulated_traffic traffic = traffic_by(job, count);
    traffic.rate = traffic.rate / static_cast<double>(replicas_of(fleet_));
    return requests_of(traffic);
  }
  /// The requests to all replicas of a split fleet.
  [[nodiscard]] std::vector<simulated_request> all_requests() const {
    return trace_.empty() ? requests_of(traffic_by(job_, checked_multiply(requests_, replicas_of(fleet_)))) : trace_;
  }
  /// The requests to all replicas.
  [[nodiscard]] std::vector<session_request> drawn_sessions(const serving_job& job) const {
    serving_job added = job;
    if (added_.mean > 0) added.prompt = added_;
    added.max_running = job.max_running;
    simulated_traffic traffic = traffic_by(added, std::max(checked_multiply(requests_, replicas_of(fleet_)),
                                                           checked_multiply(loop_.clients, asked_.sessions.turns)));
    return requests_of(traffic, asked_.sessions);
  }
  [[nodiscard]] std::vector<session_request> traced_sessions() const {
    std::vector<session_request> all;
    for (const simulated_request& one : trace_)
      all.push_back({one, static_cast<std::int64_t>(all.size()), 0, 0, 0, {}});
    return all;
  }
  [[nodiscard]] static std::vector<simulated_request> sized(const std::vector<session_request>& requests) {
    std::vector<simulated_request> all;
    for (const session_request& one : requests) all.push_back(one.sized);
    return all;
  }

 private:
  /// Requests to a fleet that loses a part of itself have a router, as those that have something in common.
  void choose_routing() {
    check_outage(asked_.outage);
    if (asked_.routing) routing_ = asked_.routing;
    if (routing_) return;
    if (have_prefixes(asked_.sessions) || (asked_.outage.lose && !trace_.empty()))
      routing_ = request_routing::round_robin;
    else if (asked_.outage.lose)
      routing_ = request_routing::random;
  }
  /// What is lost when, and requests until the fleet has caught up.
  void use_outage() {
    if (!asked_.outage.lose) return;
    if (is_split())
      fail(errc::invalid_argument, "outage.lose", name(*asked_.outage.lose), "none where prefill and decode are apart");
    serving_job share = job_;
    share.request_rate = share.request_rate / static_cast<double>(fleet_.slices);
    share.concurrency = ceil_div(share.concurrency, fleet_.slices);
    const serving_estimate each = serve(model_, share, fleet_.mesh, fleet_.where, asked_.constants);
    per_second rate = job_.request_rate;
    if (loop_.clients > 0 && each.capacity.value() > 0) {  // by Little's law
      const seconds whole = each.first_token + each.per_token.total * job_.output.mean + asked_.sessions.think;
      rate = static_cast<double>(loop_.clients) / whole;
    }
    outage_ = outage_in(asked_.outage, fleet_, rate);
    if (asked_.requests > 0 || !trace_.empty()) return;
    if (each.capacity.value() <= 0) return;  // it does not fit, which the simulation says
    const std::int64_t all = requests_of_outage(outage_, fleet_, rate, each, job_.output.mean, loop_.clients > 0);
    requests_ = std::max(requests_, ceil_div(all, replicas_of(fleet_)));
  }
  void use_trace() {
    if (trace_.size() < 111)
      fail(errc::out_of_range, "trace", static_cast<std::int64_t>(trace_.size()),
           "111 requests or more, of which the first tenth is not counted");
    job_.prompt = lengths_of(trace_, &simulated_request::prompt);
    job_.output = lengths_of(trace_, &simulated_request::output);
    refuse_cached_tokens(trace_, "trace");
    for (simulated_request& one : trace_)
      one.cached = static_cast<std::int64_t>(job_.prefix_hit_rate * static_cast<double>(one.prompt));
    use_draft_cost(model_, job_);
    const double time = trace_.back().arrival.value();
    if (time > 0) job_.request_rate = per_second{static_cast<double>(trace_.size() - 1) / time};
  }
  /// So many clients; those of other loads than the one that was asked for warm up in proportion.
  [[nodiscard]] closed_loop loop_of(std::int64_t clients) const {
    const bool is_other = loop_.clients > 0 && clients != loop_.clients && asked_.warm_up > 0;
    const double scaled = static_cast<double>(asked_.warm_up) * static_cast<double>(clients) /
                          static_cast<double>(std::max<std::int64_t>(1, loop_.clients));
    return {clients, asked_.ramp, is_other ? ceil_to_count(scaled) : asked_.warm_up};
  }
  /// Refuses routing by prefixes that there are not; takes the lengths of whole prompts.
  void check_routing() {
    check_prefix_found(asked_.job);
    if (!is_routed()) return;
    if (job_.policy == cache_policy::reserved)
      fail(errc::invalid_argument, "job.policy", name(job_.policy),
           "paged: requests with a router, conversations, a shared prefix or a loss share blocks");
    if (routing_ == request_routing::prefix && !have_prefixes(asked_.sessions))
      fail(errc::missing_field, "sessions.turns", "missing", "conversations or a shared prefix, to route by prefix");
    if (!trace_.empty() && have_prefixes(asked_.sessions))
      fail(errc::invalid_argument, "sessions.turns", asked_.sessions.turns, "1 beside a trace, and no shared prefix");
    if (!have_prefixes(asked_.sessions)) return;
    check_shared_once(job_, asked_.sessions);
    whole_ = true;
    const std::vector<simulated_request> all = sized(drawn_sessions(job_));
    added_ = job_.prompt;
    job_.prompt = lengths_of(all, &simulated_request::prompt);
    job_.output = lengths_of(all, &simulated_request::output);
  }
  /// Refuses priorities of an engine that has none, and where nothing is drawn or nothing waits in one queue.
  void check_priorities() const {
    const engine_row& row = row_of(job_.engine);
    const bool traced = have_priorities(trace_);
    if (asked_.urgent_share == 0 && !traced) return;
    if (row.engine != serving_engine::unnamed && is_empty(row.priority_flag))
      fail(errc::unsupported, "urgent_share", asked_.urgent_share,
           text<96>{"0 of "}.append(row.title).append(", whose scheduler has no priorities").view());
    if (!trace_.empty() && asked_.urgent_share > 0)
      fail(errc::invalid_argument, "urgent_share", asked_.urgent_share,
           "0 beside a trace, which has priorities of its own");
    if (is_split())
      fail(errc::invalid_argument, "urgent_share", asked_.urgent_share, "0 where prefill and decode are apart");
  }
  /// Refuses a router that has no choice, and random numbers of a run that draws none.
  void check_chance() const {
    if (asked_.routing && replicas_of(fleet_) == 1)
      fail(errc::invalid_argument, "routing", name(*asked_.routing), "none: there is one replica");
    const auto varies = [](const token_lengths& of) { return of.mean < static_cast<double>(of.longest); };
    const bool routes = is_routed() && (routing_ == request_routing::random || asked_.sessions.groups > 1);
    const bool thinks = asked_.sessions.turns > 1 && asked_.sessions.think.value() > 0;
    const bool draws = loop_.clients == 0 || asked_.urgent_share > 0 || asked_.outage.lose ||
                       varies(whole_ ? added_ : job_.prompt) || varies(job_.output) || has_opening(asked_.sessions) ||
                       routes || thinks;
    if (asked_.seed != 1 && !draws && trace_.empty())
      fail(errc::invalid_argument, "seed", asked_.seed, "1: clients that all send the same draw nothing");
  }
  /// Requests of a replica in six times the time of a conversation, with answers as if it were alone; no more than
  /// twenty times those of a plan. Those have to be the requests of 2.3 conversations, as what is counted begins after
  /// two: before, more of them begin than end, and fewer requests come than are asked for.
  [[nodiscard]] std::int64_t requests_of_conversations() const {
    serving_job one = job_;
    one.request_rate = per_second{0};
    one.concurrency = 1;
    const serving_estimate alone = serve(model_, one, fleet_.mesh, fleet_.where, asked_.constants);
    const seconds turn = asked_.sessions.think + alone.first_token + alone.per_token.total * job_.output.mean;
    const double each = (job_.request_rate * turn) * static_cast<double>(6 * asked_.sessions.turns) /
                        static_cast<double>(replicas_of(fleet_));
    constexpr auto most = static_cast<double>(20 * planning_requests);
    if (const double held = most / each; 6 * held < 2.3)
      fail(errc::out_of_range, "sessions.think_s", asked_.sessions.think.value(),
           text<120>{"about "}
               .append(floor_to_count(asked_.sessions.think.value() * 6 / 2.3 * held))
               .append(" s at this rate, so that conversations end while others begin, or a number of requests")
               .view());
    return floor_to_count(std::min(each, most));
  }
  [[nodiscard]] simulated_traffic traffic_by(const serving_job& job, std::int64_t count) const {
    serving_job open = job;
    open.concurrency = 0;
    if (job.concurrency > 0) open.request_rate = per_second{1};  // when they come is found by the closed loop
    const drawn_lengths drawn = drawn_of(asked_, model_);
    simulated_traffic traffic = traffic_of(open, count, asked_.seed, drawn);
    traffic.variation = asked_.variation;
    traffic.urgent_share = asked_.urgent_share;
    if (!whole_) return traffic;  // of conversations the lengths are those that each turn adds
    if (asked_.prompts) traffic.prompt = *asked_.prompts, traffic.prompt_more = drawn.prompt_more;
    if (asked_.outputs) traffic.output = *asked_.outputs;
    return traffic;
  }

  transformer model_;
  const simulate_request& asked_;
  serving_job job_;
  std::vector<simulated_request> trace_;
  serving_fleet fleet_{};
  closed_loop loop_{};
  std::optional<request_routing> routing_{};
  token_lengths added_{};  // that each request of a conversation adds, where there are some
  bool whole_ = false;     // the prompts of the job are those of conversations
  bool adapted_ = false;
  replica_outage outage_{};
  std::int64_t requests_ = 0;
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
