#ifndef TPUPLAN_ASK_SIMULATION_HPP
#define TPUPLAN_ASK_SIMULATION_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/ask/simulate_answer.hpp>
#include <tpuplan/plan/serving_levers.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <tpuplan/simulate/routing.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <tpuplan/simulate/slowdown.hpp>
#include <tpuplan/simulate/split.hpp>
#include <utility>
#include <vector>

/// @file
/// The simulation behind the question simulate, which plans ask too.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The simulation of one question; other rates and other jobs are asked too.
class asked_simulation {
 public:
  asked_simulation(const transformer& model, const simulate_request& asked)
      : model_{model},
        asked_{asked},
        job_{with_image_tokens(asked.job, model)},
        targets_{asked.job.percentiles},
        trace_{asked.trace} {
    job_.percentiles = {};
    if (model.kind == architecture::encoder && targets_.per_token.limit.value() != 0)
      fail(errc::invalid_argument, "serving_job.percentiles.per_token", targets_.per_token.limit.value(),
           "0: an encoder writes no tokens");
    adapted_ = hold_adapters(model, asked.adapters, asked.adapter_rank, job_);
    fleet_ = {asked.mesh, scheduled_slice(asked.slice), asked.slices, asked.prefill};
    if (asked.split_slices > 0) {
      fleet_.slices = asked.split_slices;
    } else if (is_split()) {
      const std::int64_t computing = positive_count("split.prefill", asked.split.prefill);
      fleet_.slices = checked_add(computing, positive_count("split.decode", asked.split.decode));
    }
    if (asked.prompts) job_.prompt = lengths_of(*asked.prompts);
    if (asked.outputs) job_.output = lengths_of(*asked.outputs);
    if (job_.images > 0 && (!trace_.empty() || have_prefixes(asked.sessions)))
      fail(errc::invalid_argument, "job.images", job_.images, "0 beside a trace or conversations");
    if (asked.prompts) job_ = with_image_tokens(job_, model_);
    validate(asked.sessions);
    if (model.kind != architecture::decoder && asked.sessions.turns > 1)
      fail(errc::unsupported, "sessions.turns", asked.sessions.turns, "1 but of a decoder");
    if (model.kind != architecture::decoder && have_prefixes(asked.sessions))
      fail(errc::unsupported, "sessions.shared_prefix", asked.sessions.shared_prefix, "0 but of a decoder");
    if (model.kind != architecture::decoder && is_split())
      fail(errc::unsupported, "split.prefill", asked.split.prefill, "0 but of a decoder");
    if (asked.host_cache_gib > 0 && !have_prefixes(asked.sessions))
      fail(errc::invalid_argument, "host_cache_gib", asked.host_cache_gib,
           "0 without conversations or a shared prefix");
    choose_routing();
    if (trace_.empty()) use_draft_cost(model_, job_);
    loop_ = loop_of(job_);
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
    if (loop_.clients > 0)
      fail(errc::invalid_argument, "outage.lose", name(*asked_.outage.lose), "none with requests in flight");
    if (is_split())
      fail(errc::invalid_argument, "outage.lose", name(*asked_.outage.lose), "none where prefill and decode are apart");
    outage_ = outage_in(asked_.outage, fleet_, job_.request_rate);
    if (asked_.requests > 0 || !trace_.empty()) return;
    serving_job share = job_;
    share.request_rate = share.request_rate / static_cast<double>(fleet_.slices);
    const serving_estimate each = serve(model_, share, fleet_.mesh, fleet_.where, asked_.constants);
    if (each.capacity.value() <= 0) return;  // it does not fit, which the simulation says
    const std::int64_t all = requests_of_outage(outage_, fleet_, job_.request_rate, each, job_.output.mean);
    requests_ = std::max(requests_, ceil_div(all, replicas_of(fleet_)));
  }
  void use_trace() {
    job_.prompt = lengths_of(trace_, &simulated_request::prompt);
    job_.output = lengths_of(trace_, &simulated_request::output);
    for (simulated_request& one : trace_)
      one.cached = static_cast<std::int64_t>(job_.prefix_hit_rate * static_cast<double>(one.prompt));
    use_draft_cost(model_, job_);
    const double time = trace_.back().arrival.value();
    if (time > 0) job_.request_rate = per_second{static_cast<double>(trace_.size() - 1) / time};
  }
  /// Whether prefill and decode are apart.
  [[nodiscard]] bool is_split() const {
    return asked_.split_slices != 0 || asked_.split.prefill != 0 || asked_.split.decode != 0 ||
           asked_.split.transfer.value() > 0;
  }
  [[nodiscard]] bool is_routed() const { return routing_.has_value(); }
  /// Of the answer: whether fewer requests were served than came, and the steps that it took.
  [[nodiscard]] bool falls_behind() const { return served_ > 0; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }

  [[nodiscard]] simulate_answer answer() {
    simulate_answer all;
    all.fleet = fleet_;
    all.job = job_;
    all.replicas = replicas_of(fleet_);
    all.simulated_replicas = simulated();
    all.targets = targets_;
    all.loop = loop_;
    if (is_split()) {
      hold_apart(all);
    } else {
      all.report = report(job_);
    }
    all.routing = routing_;
    all.sessions = asked_.sessions;
    all.served = served_by_each_;
    all.outage = seen_;
    if (have_prefixes(asked_.sessions)) {
      all.prefixes = prefixes_;
      all.job = job_;
      all.job.prefix_hit_rate = std::min(0.999, prefixes_.on_chips + prefixes_.on_hosts);
    }
    serving_job share = all.job;
    share.request_rate = share.request_rate / static_cast<double>(fleet_.slices);
    share.concurrency = ceil_div(share.concurrency, fleet_.slices);
    const serving_estimate each = serve(model_, share, fleet_.mesh, fleet_.where, asked_.constants);
    all.capacity = all.split ? split_capacity(model_, share, fleet_, all.split->pools, asked_.constants)
                             : each.capacity * static_cast<double>(fleet_.slices);
    if (adapted_) slow_capacity(all.adapters.emplace(adapters_of(job_, fleet_.mesh, fleet_.where)), all.capacity);
    all.priorities = priorities_;
    all.meets_targets = meets(all.report);
    if (any_target(targets_) && loop_.clients == 0 && trace_.empty() && !is_routed() && !is_split() &&
        each.refusal == serving_refusal::none)
      add_chance(all, whole_time_of(each));
    if (slower_ > 0)
      all.slowdown = slower_, all.chance = chance_within(whole_time_of(each), slower_ / most_slower(job_));
    if (!all.meets_targets && trace_.empty() && !is_routed() && !is_split())
      all.changes =
          rows_of(changes_that_help(model_, job_, [&](const serving_job& job) { return keeps_targets(job); }));
    if (each.refusal == serving_refusal::none) band_ = step_band_of(each);
    return all;
  }
  /// The same requests with all steps as long as at the ends of the band of the estimate. Beside the first simulation
  /// these are two of an eighth of the steps that one may take, or none.
  void add_band(simulate_answer& all) {
    if (!band_) said_of_band_ = "none: the closed form cannot serve such a load";
    if (loop_.clients == 0 && falls_behind()) said_of_band_ = "none: more requests come than are served";
    if (first_ > most_simulated_steps / 8)
      said_of_band_ = "none: the requests take more than an eighth of the steps that a simulation may take";
    if (!said_of_band_.empty()) return;
    const auto end = [&](const step_factors& longer) {
      const simulation_report one =
          is_split() ? report_of(split_run_of(all.split->pools, longer).run) : report(job_, longer);
      return latency_end{one.first_token.value, one.per_token.value, one.end_to_end.value};
    };
    all.latency_low = end(band_->low);
    const latency_end high = end(band_->high);
    if (loop_.clients > 0 || last_served_ == 0) {
      all.latency_high = high;
      return;
    }
    const double replicas = static_cast<double>(all.replicas) / static_cast<double>(all.simulated_replicas);
    said_of_band_ = "at its high end more requests come than are served, about " +
                    readable::three_digits(last_served_ * replicas) +
                    " a second: these times grow for as long as they come";
  }
  /// How much longer steps may take, and the chance of that: simulations of a quarter of what one may take.
  void add_chance(simulate_answer& all, const token_time& token) {
    if (first_ > most_simulated_steps / 40) return;
    const std::vector<simulated_request> requests = drawn(job_, requests_);
    const simulated_engine engine =
        detail::engine_of(model_, job_, fleet_, 1, requests.size(), have_priorities(requests));
    const replica_step_times times{model_, job_, fleet_.mesh, fleet_.where, engine.max_running, asked_.constants};
    all.slowdown = largest_slowdown(engine, requests, times, targets_);
    all.chance = chance_within(token, *all.slowdown / most_slower(job_));
  }
  /// What is taken for granted: the engine, and that a fleet that falls behind is shown as it does.
  [[nodiscard]] assumed_values assumed(const simulate_answer& all) const {
    assumed_values taken = assumed_engine(asked_.job.engine, model_, asked_.job.images);
    serving_job open = job_;  // with its lengths
    open.prefill_chunk = asked_.job.prefill_chunk, open.block_tokens = asked_.job.block_tokens, open.images = 0;
    for (assumed_values& more :
         std::array<assumed_values, 2>{assumed_kind(open, model_), assumed_schedule(open, model_)})
      taken.insert(taken.end(), more.begin(), more.end());
    if (adapted_) taken.emplace_back(assumed_adapters);
    if (job_.speculation.draft_tokens > 0) {
      for (const auto& one : assumed_drafts(asked_.job.speculation, job_.speculation)) taken.push_back(one);
      taken.emplace_back("luck of drafts",
                         "the same for sequences that decode together: each request has the rounds that it "
                         "would have by itself");
    }
    if (have_prefixes(asked_.sessions)) taken.emplace_back(assumed_prefixes);
    if (const maybe<published_rate> sent = published_transfer(fleet_.where.chip);
        is_split() && asked_.split.transfer.value() == 0 && sent)
      taken.emplace_back("rate of caches", readable::three_digits(sent->rate.value() / 1e9) +
                                               " GB/s from a replica, over " + std::string(sent->over));
    if (asked_.split_slices != 0) taken.emplace_back("ratio", "that of all which can serve most by the closed form");
    if (!all.priorities.empty())
      taken.emplace_back("priorities",
                         "by priority, then by arrival, as vLLM has with --scheduling-policy=priority: none that "
                         "runs is preempted for one that waits");
    const assumed_values lost = assumed_outage(asked_.outage, outage_);
    taken.insert(taken.end(), lost.begin(), lost.end());
    if (asked_.host_cache_gib > 0)
      taken.emplace_back("rate of hosts", readable::three_digits(fleet_.where.chip.host.pcie.value().value() / 1e9) +
                                              " GB/s to each chip, that of its PCIe");
    if (routing_ == request_routing::prefix) taken.emplace_back(assumed_affinity);
    if (loop_.clients > 0) {
      if (!said_of_band_.empty()) taken.emplace_back("band", said_of_band_);
      if (loop_.warm_up == 0 && loop_.clients > 1)
        taken.emplace_back("burst", std::string("the first requests of the clients, which come ") +
                                        (loop_.ramp.value() > 0 ? "over the ramp" : "all at once") +
                                        ", are counted, as benchmarks do");
      return taken;
    }
    const double counted = static_cast<double>(all.report.requests) / static_cast<double>(all.simulated_replicas);
    if (all.report.running > counted / 20)
      taken.emplace_back("requests", "too few for a steady state, of which " +
                                         readable::three_digits(all.report.running) +
                                         " run at once: times and rates are those of a fleet that fills");
    if (!said_of_band_.empty()) taken.emplace_back("band", said_of_band_);
    if (served_ == 0) return taken;
    const double all_of_them = static_cast<double>(all.replicas) / static_cast<double>(all.simulated_replicas);
    taken.emplace_back("load", "more requests come than are served, about " +
                                   readable::three_digits(served_ * all_of_them) +
                                   " a second: the queue grows for as long as they come, and so do these times");
    return taken;
  }
  /// Latencies from a quarter of the rate to half as much again.
  [[nodiscard]] std::vector<latency_point> load() {
    std::vector<latency_point> points;
    if (first_ > most_simulated_steps / 8)
      fail(errc::out_of_range, "simulated_traffic.requests", requests_,
           "an eighth of these or fewer, where other rates are simulated too");
    for (const double share : {0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5}) {
      serving_job job = job_;
      job.request_rate *= share;
      job.concurrency = static_cast<std::int64_t>(static_cast<double>(loop_.clients) * share) *
                        (is_routed() ? 1 : replicas_of(fleet_));
      if (loop_.clients > 0 && job.concurrency == 0) continue;
      const closed_loop loop = loop_.clients > 0 ? loop_of(job) : closed_loop{};
      if (loop.clients > 0 && (loop.clients > requests_ || loop.warm_up + 100 > requests_)) continue;
      const simulation_report one = report(job);
      const per_second came =
          one.arrivals * (static_cast<double>(replicas_of(fleet_)) / static_cast<double>(simulated()));
      points.push_back({loop_.clients > 0 ? came : job.request_rate, one.first_token.value, one.per_token.value});
    }
    return points;
  }

 private:
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
  /// So many clients; those of other loads than the one that was asked for warm up in proportion.
  [[nodiscard]] closed_loop loop_of(std::int64_t clients) const {
    const bool is_other = loop_.clients > 0 && clients != loop_.clients && asked_.warm_up > 0;
    const double scaled = static_cast<double>(asked_.warm_up) * static_cast<double>(clients) /
                          static_cast<double>(std::max<std::int64_t>(1, loop_.clients));
    return {clients, asked_.ramp, is_other ? ceil_to_count(scaled) : asked_.warm_up};
  }
  [[nodiscard]] std::int64_t simulated() const {
    return trace_.empty() && !is_routed() && !is_split() ? 1 : replicas_of(fleet_);
  }
  /// The report of the split fleet, and that of the same slices that do both.
  void hold_apart(simulate_answer& all) {
    if (loop_.clients > 0 || is_routed())
      fail(errc::invalid_argument, "split.prefill", asked_.split.prefill, "0 beside requests in flight or a router");
    split_pools pools = asked_.split;
    const chip_spec& chip = fleet_.where.chip;
    if (pools.transfer.value() == 0) pools.transfer = published_transfer(chip).value_or(published_rate{}).rate;
    if (pools.transfer.value() == 0)
      fail(errc::unknown_figure, "split.transfer_bytes_per_s", "missing",
           "a rate: none is published for " + std::string(chip.name.view()));
    if (asked_.split_slices != 0)
      pools = best_split(model_, job_, fleet_, asked_.split_slices, pools.transfer, asked_.constants);
    const split_run apart = split_run_of(pools);
    const simulation_run both =
        simulate_fleet(model_, job_, fleet_, replicas_of(fleet_), all_requests(), asked_.constants);
    served_ = last_served_, first_ = apart.run.steps;
    all.report = report_of(apart.run, targets_);
    split_answer& answer = all.split.emplace();
    answer = {pools, apart.transfer, apart.prefill_busy, apart.decode_busy, report_of(both, targets_), false};
    answer.pays = any_target(targets_) ? meets(all.report) && !meets(answer.together)
                                       : all.report.end_to_end.value.mean < answer.together.end_to_end.value.mean;
  }
  /// The requests to all replicas of a split fleet.
  [[nodiscard]] std::vector<simulated_request> all_requests() const {
    return trace_.empty() ? requests_of(traffic_by(job_, checked_multiply(requests_, replicas_of(fleet_)))) : trace_;
  }
  [[nodiscard]] split_run split_run_of(const split_pools& pools, const step_factors& longer = {}) {
    split_run apart = simulate_split(model_, job_, fleet_, pools, all_requests(), asked_.constants, longer);
    last_served_ = served_below_arrivals(apart.run);
    return apart;
  }
  /// Refuses routing by prefixes that there are not; takes the lengths of whole prompts.
  void check_routing() {
    if (!is_routed()) return;
    if (routing_ == request_routing::prefix && !have_prefixes(asked_.sessions))
      fail(errc::missing_field, "sessions.turns", "missing", "conversations or a shared prefix, to route by prefix");
    if (!trace_.empty() && have_prefixes(asked_.sessions))
      fail(errc::invalid_argument, "sessions.turns", asked_.sessions.turns, "1 beside a trace, and no shared prefix");
    if (!have_prefixes(asked_.sessions)) return;
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
    const bool draws =
        loop_.clients == 0 || asked_.urgent_share > 0 || varies(job_.prompt) || varies(job_.output) || is_routed();
    if (asked_.seed != 1 && !draws && trace_.empty())
      fail(errc::invalid_argument, "seed", asked_.seed, "1: clients that all send the same draw nothing");
  }
  [[nodiscard]] static std::vector<simulated_request> sized(const std::vector<session_request>& requests) {
    std::vector<simulated_request> all;
    for (const session_request& one : requests) all.push_back(one.sized);
    return all;
  }
  /// Requests of a replica in six times the time of a conversation, with answers as if it were alone; no more than
  /// twenty times those of a plan.
  [[nodiscard]] std::int64_t requests_of_conversations() const {
    serving_job one = job_;
    one.request_rate = per_second{0};
    one.concurrency = 1;
    const serving_estimate alone = serve(model_, one, fleet_.mesh, fleet_.where, asked_.constants);
    const seconds turn = asked_.sessions.think + alone.first_token + alone.per_token.total * job_.output.mean;
    const double each = (job_.request_rate * turn) * static_cast<double>(6 * asked_.sessions.turns) /
                        static_cast<double>(replicas_of(fleet_));
    return floor_to_count(std::min(each, static_cast<double>(20 * planning_requests)));
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
  /// Refuses so many requests that their first ones show them to take more steps than a simulation may.
  void check_requests(const serving_job& job) const {
    constexpr std::int64_t some = 10000;
    if (!trace_.empty() || is_routed() || requests_ < 20 * some) return;
    const double most = most_requests_by(model_, job, fleet_, drawn(job, some), asked_.constants);
    if (static_cast<double>(requests_) <= 1.2 * most) return;
    text<96> valid{"at most about "};
    valid.append(floor_to_count(most)).append(": more take more than 30000000 steps");
    fail(errc::out_of_range, "simulated_traffic.requests", requests_, valid.view());
  }
  /// Of the requests of a job, with steps that take so many times as long.
  [[nodiscard]] simulation_report report(const serving_job& job, const step_factors& longer = {}) {
    if (steps_ == 0) check_requests(job);
    if (is_routed()) return routed_report(job, longer);
    const std::vector<simulated_request> requests = trace_.empty() ? drawn(job, requests_) : trace_;
    const simulation_run run =
        job.concurrency > 0 ? simulate_fleet(model_, job, fleet_, loop_of(job), requests, asked_.constants, longer)
                            : simulate_fleet(model_, job, fleet_, simulated(), requests, asked_.constants, longer);
    last_served_ = served_below_arrivals(run);
    if (steps_ == 0) {
      first_ = run.steps;
      served_ = last_served_;
      priorities_ = times_by_priority(run, requests);
      if (job.concurrency > 0 && loop_.ramp.value() == 0) slower_ = slowdown_at_once(times_of(run, {}), targets_);
    }
    steps_ += run.steps;
    return report_of(run, targets_);
  }
  [[nodiscard]] simulation_report routed_report(const serving_job& job, const step_factors& longer) {
    const fleet_routing routing{*routing_, asked_.sessions.shared_prefix, asked_.sessions.groups, 0, {}, asked_.seed,
                                outage_};
    const std::vector<session_request> sessions = trace_.empty() ? drawn_sessions(job) : traced_sessions();
    const routed_run all = simulate_fleet(model_, job, fleet_, sessions, loop_of(job), routing,
                                          bytes{asked_.host_cache_gib * 1073741824.0}, asked_.constants, longer);
    last_served_ = served_below_arrivals(all.run);
    if (steps_ == 0) {
      first_ = all.run.steps;
      served_ = last_served_;
      priorities_ = times_by_priority(all.run, sized(sessions));
      prefixes_ = all.prefixes;
      served_by_each_ = all.served;
      if (asked_.outage.lose) seen_ = outage_of(all.run, outage_, all.restored, all.interrupted, targets_);
    }
    steps_ += all.run.steps;
    return report_of(all.run, targets_);
  }
  /// Nothing does once all simulations took a quarter of the steps that one may: a change is searched for as far as
  /// these go.
  [[nodiscard]] bool keeps_targets(const serving_job& job) {
    if (steps_ > most_simulated_steps / 4) return false;
    try {
      return meets(report(job));
    } catch (const error& refusal) {
      if (refusal.code() == errc::infeasible) return false;  // no room for it
      throw;
    }
  }
  /// The share of one replica, at random.
  [[nodiscard]] std::vector<simulated_request> drawn(const serving_job& job, std::int64_t count) const {
    simulated_traffic traffic = traffic_by(job, count);
    traffic.rate = traffic.rate / static_cast<double>(replicas_of(fleet_));
    return requests_of(traffic);
  }
  [[nodiscard]] simulated_traffic traffic_by(const serving_job& job, std::int64_t count) const {
    serving_job open = job;
    open.concurrency = 0;
    if (job.concurrency > 0) open.request_rate = per_second{1};  // when they come is found by the closed loop
    simulated_traffic traffic = traffic_of(open, count, asked_.seed);
    traffic.variation = asked_.variation;
    traffic.urgent_share = asked_.urgent_share;
    if (asked_.prompts && (whole_ || job.prompt.mean == job_.prompt.mean)) {
      traffic.prompt = *asked_.prompts;
      if (job.images > 0) traffic.prompt_more = checked_multiply(job.images, image_tokens(model_.vision));
    }
    if (asked_.outputs) traffic.output = *asked_.outputs;
    return traffic;
  }

  transformer model_;
  const simulate_request& asked_;
  serving_job job_;
  latency_targets targets_;
  std::vector<simulated_request> trace_;
  serving_fleet fleet_{};
  closed_loop loop_{};
  std::optional<request_routing> routing_{};
  token_lengths added_{};  // that each request of a conversation adds, where there are some
  bool whole_ = false;     // the prompts of the job are those of conversations
  bool adapted_ = false;   // there are adapters beside the weights
  prefix_shares prefixes_{};
  std::vector<priority_times> priorities_{};
  std::vector<std::int64_t> served_by_each_{};
  replica_outage outage_{};
  std::optional<outage_report> seen_{};
  std::int64_t requests_ = 0;           // of one replica, without a trace
  std::int64_t first_ = 0, steps_ = 0;  // of the first simulation, and of all
  double served_ = 0;                   // requests a second, where more come
  double last_served_ = 0;              // the same of the last simulation
  std::optional<step_band> band_{};     // of the steps; none where the closed form serves fewer than come
  std::string said_of_band_{};          // where an end is left out
  double slower_ = 0;                   // of clients that begin at once, with targets: as `simulate_answer::slowdown`
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
