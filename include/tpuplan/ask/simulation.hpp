#ifndef TPUPLAN_ASK_SIMULATION_HPP
#define TPUPLAN_ASK_SIMULATION_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/asked_traffic.hpp>
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
      : of_{model, asked}, targets_{asked.job.percentiles} {}
  /// Of the answer: whether fewer requests were served than came, and the steps that it took.
  [[nodiscard]] bool falls_behind() const { return served_ > 0; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }

  [[nodiscard]] simulate_answer answer() {
    simulate_answer all;
    all.fleet = of_.fleet();
    all.job = of_.job();
    all.replicas = replicas_of(of_.fleet());
    all.simulated_replicas = of_.simulated();
    all.targets = targets_;
    all.loop = of_.loop();
    if (of_.is_split()) {
      hold_apart(all);
    } else {
      all.report = report(of_.job());
      while (is_open()) all.report = report_of_more();
    }
    all.routing = of_.routing();
    all.sessions = of_.asked().sessions;
    all.served = served_by_each_;
    all.outage = seen_;
    if (have_prefixes(of_.asked().sessions)) {
      all.prefixes = prefixes_;
      all.job = of_.job();
      all.job.prefix_hit_rate = std::min(0.999, prefixes_.on_chips + prefixes_.on_hosts);
      hold_once(all.job, of_.asked().sessions);
    }
    const serving_job share = share_of(all.job);
    const serving_estimate each = serve(of_.model(), share, of_.fleet().mesh, of_.fleet().where, of_.asked().constants);
    all.capacity = all.split ? split_capacity(of_.model(), share, of_.fleet(), all.split->pools, of_.asked().constants)
                   : of_.fleet().prefill == prefill_policy::alone && each.capacity.value() > 0
                       ? min(saturated_capacity(all, each), each.capacity * static_cast<double>(of_.fleet().slices))
                       : each.capacity * static_cast<double>(of_.fleet().slices);
    if (of_.is_adapted())
      slow_capacity(all.adapters.emplace(adapters_of(of_.job(), of_.fleet().mesh, of_.fleet().where)), all.capacity);
    all.priorities = priorities_;
    const bool is_behind = any_target(targets_) && of_.loop().clients == 0 && falls_behind();
    all.meets_targets = meets(all.report) && !is_behind;
    if (any_target(targets_) && of_.loop().clients == 0 && of_.trace().empty() && !of_.is_routed() && !of_.is_split() &&
        each.refusal == serving_refusal::none)
      add_chance(all, each);
    if (at_once_ && each.refusal == serving_refusal::none) {
      const auto slowdown_of = [&](bool first) {
        return slowdown_at_once(*at_once_, targets_in_band(targets_, first)).factor;
      };
      set_chance(all, slowdown_at_once(*at_once_, targets_), each, slowdown_of);
    }
    all.meets_targets = all.meets_targets && are_kept_with_adapters(of_.job(), all.slowdown);
    if ((!meets(all.report) || is_behind) && of_.trace().empty() && !of_.is_routed() && !of_.is_split())
      all.changes = rows_of(changes_that_help(of_.model(), of_.job(), [&](const serving_job& job) {
        return serve(of_.model(), share_of(job), of_.fleet().mesh, of_.fleet().where, of_.asked().constants).refusal ==
                   serving_refusal::none &&
               keeps_targets(job);
      }));
    if (each.refusal == serving_refusal::none) band_ = step_band_of(each), estimate_ = each;
    return all;
  }
  /// The same requests with all steps as long as at the ends of the band of the estimate. Beside the first simulation
  /// these are two of an eighth of the steps that one may take, or none.
  void add_band(simulate_answer& all) {
    if (!band_) said_of_band_ = "none: the closed form cannot serve such a load";
    if (of_.loop().clients == 0 && falls_behind()) said_of_band_ = "none: more requests come than are served";
    if (first_ > most_simulated_steps / 8)
      said_of_band_ = "none: the requests take more than an eighth of the steps that a simulation may take";
    if (!said_of_band_.empty()) return;
    const auto end = [&](const step_factors& longer) {
      const simulation_report one = report_with(all, longer);
      rates_at_ends_.push_back(one.output_tokens * replicas_for_each(all));
      return latency_end{one.first_token.value, one.per_token.value, one.end_to_end.value};
    };
    all.latency_low = end(band_->low);
    const latency_end high = end(band_->high);
    if (of_.loop().clients > 0 || last_served_ == 0) {
      all.latency_high = high;
      return;
    }
    said_of_band_ = "at its high end more requests come than are served, about " +
                    readable::three_digits(last_served_ * replicas_for_each(all)) +
                    " a second: these times grow for as long as they come";
  }
  /// How much longer steps may take, and the chance of that: simulations of a quarter of what one may take.
  void add_chance(simulate_answer& all, const serving_estimate& each) {
    if (first_ > most_simulated_steps / 40) return;
    const std::vector<simulated_request> requests = of_.drawn(of_.job(), of_.requests());
    const simulated_engine engine =
        detail::engine_of(of_.model(), of_.job(), of_.fleet(), 1, requests.size(), have_priorities(requests));
    const replica_step_times times{of_.model(),       of_.job(),          of_.fleet().mesh,
                                   of_.fleet().where, engine.max_running, of_.asked().constants};
    const slowdown_chance kept = slowdown_and_chance(engine, requests, times, targets_, each, most_slower(of_.job()));
    all.slowdown = kept.factor, all.chance = kept.chance;
  }
  /// The same of all other traffic and fleets, where `answer` has none: the same requests with all steps as much
  /// longer. These simulations take about a quarter of the steps that one may.
  void add_chance_by_runs(simulate_answer& all) {
    if (all.chance || !any_target(targets_) || !band_ || first_ > most_simulated_steps / 40) return;
    bool of_first_token = targets_.per_token.limit.value() <= 0 && targets_.end_to_end.limit.value() <= 0;
    const auto others = [](const simulation_report& of) { return of.meets_per_token && of.meets_end_to_end; };
    const double factor = slowdown_by_runs(all, [&](const simulation_report& of) {
      if (!meets(of)) of_first_token = others(of);
      return meets(of);
    });
    set_chance(all, {factor, of_first_token}, estimate_, [&](bool first) {
      return slowdown_by_runs(all,
                              [&](const simulation_report& of) { return first ? of.meets_first_token : others(of); });
    });
    all.meets_targets = all.meets_targets && are_kept_with_adapters(of_.job(), all.slowdown);
  }
  /// Dollars of the fleet where a chip has a price, behind `add_band`.
  void add_cost(simulate_answer& all) const {
    if (!all.price || !(all.report.output_tokens.value() > 0)) return;
    const auto chip_count = static_cast<double>(chips(all.fleet.where) * all.fleet.slices);
    const usd_per_second rate = all.price->per_chip * chip_count;
    const auto million = [&](per_second made) { return rate / made * 1e6; };
    simulated_cost& cost = all.cost.emplace();
    cost.hour = rate * seconds{3600};
    cost.million = million(all.report.output_tokens * replicas_for_each(all));
    if (rates_at_ends_.empty()) return;
    cost.million_low = cost.million_high = cost.million;
    for (const per_second made : rates_at_ends_) {
      if (!(made.value() > 0)) continue;
      cost.million_low = min(*cost.million_low, million(made));
      cost.million_high = max(*cost.million_high, million(made));
    }
  }
  /// What is taken for granted: the engine, and that a fleet that falls behind is shown as it does.
  [[nodiscard]] assumed_values assumed(const simulate_answer& all) const {
    assumed_values taken = assumed_engine(of_.asked().job.engine, of_.model(), of_.asked().job.images);
    serving_job open = of_.job();  // with its lengths
    open.prefill_chunk = of_.asked().job.prefill_chunk, open.block_tokens = of_.asked().job.block_tokens,
    open.images = 0;
    for (assumed_values& more : std::array<assumed_values, 4>{
             assumed_runs(of_.asked().constants), assumed_hosts(of_.job().engine, of_.fleet().mesh, of_.fleet().where),
             assumed_kind(open, of_.model()), assumed_schedule(open, of_.model())})
      taken.insert(taken.end(), more.begin(), more.end());
    if (of_.is_adapted()) taken.emplace_back(assumed_adapters);
    if (of_.job().speculation.draft_tokens > 0) {
      for (const auto& one : assumed_drafts(of_.asked().job.speculation, of_.job().speculation)) taken.push_back(one);
      taken.emplace_back("luck of drafts",
                         "the same for sequences that decode together: each request has the rounds that it "
                         "would have by itself");
    }
    if (have_prefixes(of_.asked().sessions)) taken.emplace_back(assumed_prefixes);
    const time_percentiles& first = all.report.first_token.value;
    if (of_.loop().clients > 1 && first.p99 <= first.p50 * (1 + 1e-9))
      taken.emplace_back("clients",
                         "in step: requests of one length begin and end together, and their prompts are one "
                         "step, whatever is left out as a warm-up; serve has those that have drifted apart");
    if (const maybe<published_rate> sent = published_transfer(of_.fleet().where.chip);
        of_.is_split() && of_.asked().split.transfer.value() == 0 && sent)
      taken.emplace_back("rate of caches", readable::three_digits(sent->rate.value() / 1e9) +
                                               " GB/s from a replica, over " + std::string(sent->over));
    if (of_.asked().split_slices != 0)
      taken.emplace_back("ratio", "that of all which can serve most by the closed form");
    if (!all.priorities.empty())
      taken.emplace_back("priorities",
                         "by priority, then by arrival, as vLLM has with --scheduling-policy=priority: none that "
                         "runs is preempted for one that waits");
    const assumed_values lost = assumed_outage(of_.asked().outage, of_.outage());
    taken.insert(taken.end(), lost.begin(), lost.end());
    if (of_.asked().host_cache_gib > 0)
      taken.emplace_back("rate of hosts",
                         readable::three_digits(of_.fleet().where.chip.host.pcie.value().value() / 1e9) +
                             " GB/s to each chip, that of its PCIe");
    if (of_.routing() == request_routing::prefix) taken.emplace_back(assumed_affinity);
    if (of_.loop().clients > 0) {
      if (!said_of_band_.empty()) taken.emplace_back("band", said_of_band_);
      if (of_.loop().warm_up == 0 && of_.loop().clients > 1)
        taken.emplace_back("burst", std::string("the first requests of the clients, which come ") +
                                        (of_.loop().ramp.value() > 0 ? "over the ramp" : "all at once") +
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
    taken.emplace_back("load", "more requests come than are served, about " +
                                   readable::three_digits(served_ * replicas_for_each(all)) +
                                   " a second: the queue grows for as long as they come, and so do these times");
    return taken;
  }
  /// Latencies from a quarter of the rate to half as much again.
  [[nodiscard]] std::vector<latency_point> load() {
    std::vector<latency_point> points;
    if (first_ > most_simulated_steps / 8)
      fail(errc::out_of_range, "simulated_traffic.requests", of_.requests(),
           "an eighth of these or fewer, where other rates are simulated too");
    for (const double share : {0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5}) {
      serving_job job = of_.job();
      job.request_rate *= share;
      job.concurrency = static_cast<std::int64_t>(static_cast<double>(of_.loop().clients) * share) *
                        (of_.is_routed() ? 1 : replicas_of(of_.fleet()));
      if (of_.loop().clients > 0 && job.concurrency == 0) continue;
      const closed_loop loop = of_.loop().clients > 0 ? of_.loop_of(job) : closed_loop{};
      if (loop.clients > 0 && (loop.clients > of_.requests() || loop.warm_up + 100 > of_.requests())) continue;
      const simulation_report one = report(job);
      const per_second came =
          one.arrivals * (static_cast<double>(replicas_of(of_.fleet())) / static_cast<double>(of_.simulated()));
      points.push_back({of_.loop().clients > 0 ? came : job.request_rate, one.first_token.value, one.per_token.value});
    }
    return points;
  }

 private:
  /// What a slice has of the traffic of all.
  [[nodiscard]] serving_job share_of(serving_job job) const {
    job.request_rate = job.request_rate / static_cast<double>(of_.fleet().slices);
    job.concurrency = ceil_div(job.concurrency, of_.fleet().slices);
    return job;
  }
  /// What is served where all slots are taken; no closed form is known of an engine that computes prompts alone for
  /// once.
  [[nodiscard]] per_second saturated_capacity(const simulate_answer& all, const serving_estimate& each) const {
    const simulated_engine engine = detail::engine_of(of_.model(), of_.job(), of_.fleet(), 1, planning_requests, false);
    const replica_step_times times{of_.model(),       of_.job(),          of_.fleet().mesh,
                                   of_.fleet().where, engine.max_running, of_.asked().constants};
    const auto drawn = [this](std::int64_t count) { return of_.drawn(of_.job(), count); };
    const per_second capacity = each.capacity / static_cast<double>(each.replicas);
    return static_cast<double>(all.replicas) * saturated_rate(engine, times, capacity, drawn);
  }
  /// The largest factor by which steps may take longer so that `is_met` holds of the report, as `largest_slowdown`.
  template <class Met>
  [[nodiscard]] double slowdown_by_runs(const simulate_answer& all, const Met& is_met) {
    const auto holds = [&](double slower) {
      return is_met(report_with(all, {slower, slower})) && (of_.loop().clients > 0 || last_served_ == 0);
    };
    constexpr double least = 0.0625, most = 16;
    double low = 1, high = 1, wider = 1.25;
    if (is_met(all.report) && (of_.loop().clients > 0 || !falls_behind())) {
      for (; high < most && holds(high = std::min(most, high * wider)); wider *= wider) low = high;
    } else {
      for (; low > 0 && !holds(low = std::max(least, low / wider)); wider *= wider) {
        high = low;
        if (low == least) low = high = 0;
      }
    }
    while (high > low * 1.01) {
      const double middle = math::sqrt(low * high);
      (holds(middle) ? low : high) = middle;
    }
    return low;
  }
  [[nodiscard]] static double replicas_for_each(const simulate_answer& all) {
    return static_cast<double>(all.replicas) / static_cast<double>(all.simulated_replicas);
  }
  template <class Search>
  void set_chance(simulate_answer& all, const tolerated_slowdown& slowed, const serving_estimate& each,
                  const Search& slowdown_of) const {
    all.slowdown = slowed.factor;
    all.chance = chance_of_all(slowed, targets_, each, most_slower(of_.job()), slowdown_of);
  }
  /// Of the requests of the question, with steps that take so many times as long.
  [[nodiscard]] simulation_report report_with(const simulate_answer& all, const step_factors& longer) {
    return of_.is_split() ? report_of(split_run_of(all.split->pools, longer).run, targets_) : report(of_.job(), longer);
  }
  /// The report of the split fleet, and that of the same slices that do both.
  void hold_apart(simulate_answer& all) {
    if (of_.loop().clients > 0 || of_.is_routed())
      fail(errc::invalid_argument, "split.prefill", of_.asked().split.prefill,
           "0 beside requests in flight or a router");
    split_pools pools = of_.asked().split;
    const chip_spec& chip = of_.fleet().where.chip;
    if (pools.transfer.value() == 0) pools.transfer = published_transfer(chip).value_or(published_rate{}).rate;
    if (pools.transfer.value() == 0)
      fail(errc::unknown_figure, "split.transfer_bytes_per_s", "missing",
           "a rate: none is published for " + std::string(chip.name.view()));
    if (of_.asked().split_slices != 0)
      pools = best_split(of_.model(), of_.job(), of_.fleet(), of_.asked().split_slices, pools.transfer,
                         of_.asked().constants);
    const split_run apart = split_run_of(pools);
    const simulation_run both = simulate_fleet(of_.model(), of_.job(), of_.fleet(), replicas_of(of_.fleet()),
                                               of_.all_requests(), of_.asked().constants);
    served_ = last_served_, first_ = apart.run.steps;
    all.report = report_of(apart.run, targets_);
    split_answer& answer = all.split.emplace();
    answer = {pools,           apart.transfer, apart.prefill_busy, apart.decode_busy, report_of(both, targets_),
              !falls_behind(), false};
    const bool is_better = any_target(targets_)
                               ? meets(all.report) && !meets(answer.together)
                               : all.report.end_to_end.value.mean < answer.together.end_to_end.value.mean;
    answer.pays = answer.keeps_up && is_better;
  }
  [[nodiscard]] split_run split_run_of(const split_pools& pools, const step_factors& longer = {}) {
    split_run apart =
        simulate_split(of_.model(), of_.job(), of_.fleet(), pools, of_.all_requests(), of_.asked().constants, longer);
    last_served_ = served_below_arrivals(apart.run);
    return apart;
  }
  /// Refuses so many requests that their first ones show them to take more steps than a simulation may.
  void check_requests(const serving_job& job) const {
    constexpr std::int64_t some = 10000;
    if (!of_.trace().empty() || of_.is_routed() || of_.requests() < 20 * some) return;
    const double most = most_requests_by(of_.model(), job, of_.fleet(), of_.drawn(job, some), of_.asked().constants);
    if (static_cast<double>(of_.requests()) <= 1.2 * most) return;
    text<96> valid{"at most about "};
    valid.append(floor_to_count(most)).append(": more take more than 30000000 steps");
    fail(errc::out_of_range, "simulated_traffic.requests", of_.requests(), valid.view());
  }
  /// Whether the usual number of requests says of a fleet that it falls behind, or that it does not, where the closed
  /// form says otherwise: a fleet that still fills, or one that is just above its capacity, is not known by so few.
  [[nodiscard]] bool is_open() const {
    if (!of_.takes_usual_requests() || of_.is_routed() || first_ > most_simulated_steps / 64) return false;
    const serving_fleet& fleet = of_.fleet();
    const serving_refusal refusal =
        serve(of_.model(), share_of(of_.job()), fleet.mesh, fleet.where, of_.asked().constants).refusal;
    return falls_behind() ? refusal == serving_refusal::none : refusal == serving_refusal::rate_above_capacity;
  }
  /// Of four times as many requests.
  [[nodiscard]] simulation_report report_of_more() {
    of_.take_more();
    first_ = steps_ = 0, served_ = 0;
    return report(of_.job());
  }
  /// Of the requests of a job, with steps that take so many times as long.
  [[nodiscard]] simulation_report report(const serving_job& job, const step_factors& longer = {}) {
    if (steps_ == 0) check_requests(job);
    if (of_.is_routed()) return routed_report(job, longer);
    const std::vector<simulated_request> requests = of_.trace().empty() ? of_.drawn(job, of_.requests()) : of_.trace();
    const simulation_run run =
        job.concurrency > 0
            ? simulate_fleet(of_.model(), job, of_.fleet(), of_.loop_of(job), requests, of_.asked().constants, longer)
            : simulate_fleet(of_.model(), job, of_.fleet(), of_.simulated(), requests, of_.asked().constants, longer);
    last_served_ = served_below_arrivals(run);
    if (steps_ == 0) {
      first_ = run.steps;
      served_ = last_served_;
      priorities_ = times_by_priority(run, requests);
      if (job.concurrency > 0 && of_.loop().ramp.value() == 0 && any_target(targets_)) at_once_ = times_of(run, {});
    }
    steps_ += run.steps;
    return report_of(run, targets_);
  }
  [[nodiscard]] simulation_report routed_report(const serving_job& job, const step_factors& longer) {
    const fleet_routing routing{
        *of_.routing(), of_.asked().sessions.shared_prefix, of_.asked().sessions.groups, 0, {}, of_.asked().seed,
        of_.outage()};
    const std::vector<session_request> sessions = of_.trace().empty() ? of_.drawn_sessions(job) : of_.traced_sessions();
    const routed_run all =
        simulate_fleet(of_.model(), job, of_.fleet(), sessions, of_.loop_of(job), routing,
                       bytes{of_.asked().host_cache_gib * 1073741824.0}, of_.asked().constants, longer);
    last_served_ = served_below_arrivals(all.run);
    if (steps_ == 0) {
      first_ = all.run.steps;
      served_ = last_served_;
      priorities_ = times_by_priority(all.run, asked_traffic::sized(sessions));
      prefixes_ = all.prefixes;
      served_by_each_ = all.served;
      if (of_.asked().outage.lose) seen_ = outage_of(all.run, of_.outage(), all.restored, all.interrupted, targets_);
    }
    steps_ += all.run.steps;
    return report_of(all.run, targets_);
  }
  /// Nothing does once all simulations took a quarter of the steps that one may: a change is searched for as far as
  /// these go.
  [[nodiscard]] bool keeps_targets(const serving_job& job) {
    if (steps_ > most_simulated_steps / 4) return false;
    try {
      return meets(report(job)) && (job.concurrency > 0 || last_served_ == 0);
    } catch (const error& refusal) {
      if (refusal.code() == errc::infeasible) return false;  // no room for it
      throw;
    }
  }
  asked_traffic of_;
  latency_targets targets_;
  prefix_shares prefixes_{};
  std::vector<priority_times> priorities_{};
  std::vector<std::int64_t> served_by_each_{};
  std::optional<outage_report> seen_{};
  std::int64_t first_ = 0, steps_ = 0;       // of the first simulation, and of all
  double served_ = 0;                        // requests a second, where more come
  double last_served_ = 0;                   // the same of the last simulation
  std::optional<step_band> band_{};          // of the steps; none where the closed form serves fewer than come
  serving_estimate estimate_{};              // where there is a band
  std::vector<per_second> rates_at_ends_{};  // output tokens of all replicas, where a band was simulated
  std::string said_of_band_{};               // where an end is left out
  std::optional<counted_times> at_once_{};   // of clients that begin at once, with targets
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
