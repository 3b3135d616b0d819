#ifndef TPUPLAN_SIMULATE_SIMULATION_HPP
#define TPUPLAN_SIMULATE_SIMULATION_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/simulate/arrivals.hpp>
#include <tpuplan/simulate/engine.hpp>
#include <tpuplan/simulate/percentiles.hpp>
#include <tpuplan/simulate/replica_run.hpp>
#include <tpuplan/simulate/step_times.hpp>
#include <vector>

/// @file
/// A serving engine under traffic, simulated: percentiles of its latencies where the closed forms have means.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// Refuses a run that would take more than `most_simulated_steps`, with how many of its requests were served in these.
inline void check_steps(const run_sums& sums) {
  if (sums.work <= most_simulated_steps) return;
  const std::vector<request_record>& records = sums.run.records;
  const auto served = std::count_if(records.begin(), records.end(),
                                    [](const request_record& record) { return record.finished.value() > 0; });
  text<160> valid{"at most "};
  valid.append(static_cast<std::int64_t>(served))
      .append(", or a shorter serving_job.output.mean: these take more than 30000000 steps");
  fail(errc::out_of_range, "simulated_traffic.requests", static_cast<std::int64_t>(records.size()), valid.view());
}

/// The time in which what an engine does is counted, and the requests that come in it.
struct counted_time {
  seconds from{}, until{};
};
/// From the arrival of the first request behind the warm-up to that of the last.
inline counted_time counted_of(const std::vector<simulated_request>& requests) {
  if (requests.empty()) return {};
  const auto warm = static_cast<std::size_t>(warm_up_share * static_cast<double>(requests.size()));
  return {requests[warm].arrival, requests.back().arrival};
}

/// Runs all replicas, each until its last request has left, `enough` ends it, or the run takes more than
/// `most_simulated_steps`; `sums.work` is above that then.
template <class Times, class Observer, class Enough>
void run_replicas(const simulated_engine& engine, const std::vector<simulated_request>& requests, const Times& times,
                  Observer& observe, Enough& enough, run_sums& sums, const counted_time& counted) {
  validate(engine, requests);
  simulation_run& run = sums.run;
  run.records.resize(requests.size());
  run.warm_until = counted.from;
  run.counted_until = counted.until;
  run.over_time.resize(over_time_parts);
  for (std::size_t i = 0; i < run.over_time.size(); ++i)
    run.over_time[i].time = run.counted_until * (static_cast<double>(i + 1) / over_time_parts);
  for (std::size_t replica = 0; replica < static_cast<std::size_t>(engine.replicas); ++replica)
    replica_run<Times, Observer, Enough>{engine, requests, replica, times, sums, observe, enough}();
}

/// Completes the run from the sums over its replicas.
inline simulation_run& finished(run_sums& sums, const simulated_engine& engine) {
  simulation_run& run = sums.run;
  std::array<percentiles, error_batches> batches;
  weighted_histogram all;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    batches[i] = sums.gaps[i].figures();
    all.add(sums.gaps[i]);
  }
  run.inter_token =
      in_seconds(measured_percentiles{all.figures(), error_of(batches), static_cast<std::int64_t>(all.total())});
  const double counted = (run.counted_until - run.warm_until).value() * static_cast<double>(engine.replicas);
  if (counted > 0) {
    run.busy = sums.busy / counted;
    run.running = sums.running / counted;
    run.cache = sums.blocks / (counted * static_cast<double>(engine.blocks));
  }
  return run;
}

/// A whole run, of which that time is counted.
template <class Times, class Observer>
simulation_run run_counted(const simulated_engine& engine, const std::vector<simulated_request>& requests,
                           const Times& times, Observer observe, const counted_time& counted) {
  simulation_run run;
  run_sums sums{run};
  never_enough to_the_end;
  run_replicas(engine, requests, times, observe, to_the_end, sums, counted);
  check_steps(sums);
  finished(sums, engine);
  return run;
}

}  // namespace detail

/// A run of an engine from its first request until the last one has left. `times` says what a step takes: it has
/// `seconds attention(from, to)` of prompt tokens and `seconds step(step_work)`, as `replica_step_times`. `observe` is
/// called with each step: its work, start and end. What is counted for rates and percentiles begins when a tenth of the
/// requests have come, and ends with the last arrival. Throws, naming the field, for requests that do not fit the
/// engine or do not come in order, and for a run of more than `most_simulated_steps`. Worked: with steps of 1 s, a
/// request of 3 output tokens that comes at 0 to an empty engine has its first token at 1 s and its last at 3 s.
template <class Times, class Observer = detail::no_observer>
[[nodiscard]] simulation_run simulate(const simulated_engine& engine, const std::vector<simulated_request>& requests,
                                      const Times& times, Observer observe = {}) {
  return detail::run_counted(engine, requests, times, observe, detail::counted_of(requests));
}

/// What a simulation says of latency and throughput. Latencies are those of the requests that come once a tenth of all
/// have come; rates are of all replicas, from then to the last arrival.
struct simulation_report {
  measured_times first_token{};   ///< from arrival to the first output token (TTFT)
  measured_times per_token{};     ///< for each token after the first, of requests with two or more (TPOT)
  measured_times inter_token{};   ///< between two tokens of a request, every pair counted
  measured_times end_to_end{};    ///< from arrival to the last output token
  measured_percentiles queue{};   ///< requests waiting in its replica when a request comes
  bool meets_first_token = true;  ///< its target, or there is none
  bool meets_per_token = true;    ///< its target, or there is none
  bool meets_end_to_end = true;   ///< its target, or there is none
  std::int64_t requests = 0;      ///< requests that are counted
  double good_share = 0;          ///< share of them that keep every limit
  per_second arrivals{};          ///< requests a second
  per_second goodput{};           ///< requests a second that are served and keep every limit
  per_second output_tokens{};     ///< produced
  per_second prompt_tokens{};     ///< computed, repeats after preemptions included
  double busy = 0;                ///< share of the time in which a step ran: some request was there
  double running = 0;             ///< sequences that run in a replica, on average
  double cache = 0;               ///< share of the blocks that are taken, on average
  std::int64_t preemptions = 0;   ///< of the whole run
};

namespace detail {

inline bool keeps(double time, const latency_target& target) {
  return target.limit.value() <= 0 || time <= target.limit.value();
}

/// Whether a target is met by these times.
inline bool is_met(const std::vector<double>& times, const latency_target& target) {
  if (target.limit.value() <= 0 || times.empty()) return true;
  if (target.share <= 0) {
    double sum = 0;
    for (const double time : times) sum += time;
    return keeps(sum / static_cast<double>(times.size()), target);
  }
  const auto good = std::count_if(times.begin(), times.end(), [&](double time) { return keeps(time, target); });
  return static_cast<double>(good) >= target.share * static_cast<double>(times.size()) * (1 - 1e-12);
}

/// The least limit that a share of these times keep; where the share is 0, their mean.
inline double reached(std::vector<double> times, double share) {
  if (times.empty()) return 0;
  double sum = 0;
  for (const double time : times) sum += time;
  if (share <= 0) return sum / static_cast<double>(times.size()) * (1 + 1e-12);
  const double rank = math::ceil(share * static_cast<double>(times.size()) * (1 - 1e-12));
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

/// The times of the requests that are counted, in seconds.
struct counted_times {
  std::vector<double> first, each, whole, queue;
  std::int64_t good = 0;  // requests that keep every limit
};
inline counted_times all_times_of(const simulation_run& run, const latency_targets& targets) {
  counted_times times;
  for (const request_record& record : run.records) {
    if (record.arrival < run.warm_until || record.arrival > run.counted_until) continue;
    const double first = (record.first_token + record.delay - record.arrival).value();
    const double whole = (record.finished + record.delay - record.arrival).value();
    double token = 0;
    if (record.output > 1) {
      token = (record.finished - record.first_token).value() / static_cast<double>(record.output - 1);
      times.each.push_back(token);
    }
    times.first.push_back(first);
    times.whole.push_back(whole);
    times.queue.push_back(static_cast<double>(record.ahead));
    times.good +=
        keeps(first, targets.first_token) && keeps(token, targets.per_token) && keeps(whole, targets.end_to_end);
  }
  return times;
}
/// The same of 100 requests or more.
inline counted_times times_of(const simulation_run& run, const latency_targets& targets) {
  counted_times times = all_times_of(run, targets);
  const auto requests = static_cast<std::int64_t>(times.first.size());
  if (requests < 100) fail(errc::out_of_range, "requests that are counted", requests, "100 or more");
  return times;
}

/// The requests a second that a run served, where more came: the last quarter waited more than twice as long for the
/// first token as the first, and the engine was never idle or of those that came while it was counted one in twenty was
/// not done when the last came. 0 where it kept up.
inline double served_below_arrivals(const simulation_run& run) {
  std::vector<const request_record*> all;
  std::size_t done = 0, counted = 0;
  for (const request_record& one : run.records) {
    done += one.finished >= run.warm_until && one.finished <= run.counted_until;
    counted += one.arrival >= run.warm_until && one.arrival <= run.counted_until;
    if (one.arrival <= run.counted_until) all.push_back(&one);
  }
  const std::size_t quarter = all.size() / 4;
  if (quarter == 0 || (run.busy < 0.99 && 20 * done > 19 * counted)) return 0;
  const auto waited = [&](std::size_t from) {
    seconds sum{0};
    for (std::size_t i = from; i < from + quarter; ++i) sum += all[i]->first_token - all[i]->arrival;
    return sum;
  };
  if (waited(all.size() - quarter) < waited(0) * 2.0) return 0;
  seconds last{0};  // where all come before any is done
  for (const request_record* one : all) last = max(last, one->finished);
  return std::max(static_cast<double>(done) / (run.counted_until - run.warm_until).value(),
                  static_cast<double>(all.size()) / (last - all.front()->arrival).value());
}

}  // namespace detail

/// Percentiles and rates of a run, and whether it meets the targets. Throws where fewer than 100 requests are counted.
/// Worked: where no request waits and every step takes 1 s, each percentile of TPOT is 1 s.
[[nodiscard]] inline simulation_report report_of(const simulation_run& run, const latency_targets& targets = {}) {
  detail::validate(targets);
  const detail::counted_times times = detail::times_of(run, targets);
  const seconds time = run.counted_until - run.warm_until;
  detail::positive("time from the first counted arrival to the last", time.value());
  simulation_report report;
  report.requests = static_cast<std::int64_t>(times.first.size());
  report.first_token = detail::in_seconds(percentiles_of(times.first));
  report.per_token = detail::in_seconds(percentiles_of(times.each));
  report.end_to_end = detail::in_seconds(percentiles_of(times.whole));
  report.queue = percentiles_of(times.queue);
  report.inter_token = run.inter_token;
  report.meets_first_token = detail::is_met(times.first, targets.first_token);
  report.meets_per_token = detail::is_met(times.each, targets.per_token);
  report.meets_end_to_end = detail::is_met(times.whole, targets.end_to_end);
  report.good_share = static_cast<double>(times.good) / static_cast<double>(report.requests);
  report.arrivals = static_cast<double>(report.requests) / time;
  const double served = detail::served_below_arrivals(run);
  report.goodput = served > 0 ? per_second{report.good_share * served} : static_cast<double>(times.good) / time;
  report.output_tokens = run.counted_tokens / time;
  report.prompt_tokens = run.counted_prompt_tokens / time;
  report.busy = run.busy;
  report.running = run.running;
  report.cache = run.cache;
  report.preemptions = run.preemptions;
  return report;
}

/// Whether all targets are met. A target that is not set is met. Worked: a report that misses one of the three does not
/// meet them.
[[nodiscard]] inline bool meets(const simulation_report& report) {
  return report.meets_first_token && report.meets_per_token && report.meets_end_to_end;
}

namespace detail {

inline text<24> in_words(bytes amount) {
  const std::int64_t tenths = floor_to_count(in_gib(amount) * 10 + 0.5);
  text<24> words;
  words.append(tenths / 10).append(".").append(tenths % 10).append(" GiB");
  return words;
}

/// Refuses a model that does not fit, with what it takes.
[[noreturn]] inline void refuse_size(const served_model& served, const serving_job& job, const slice& where,
                                     bytes largest, std::int64_t longest) {
  const bytes usable = job.memory_fraction * usable_hbm_per_device(where.chip);
  text<64> taken{in_words(usable - cache_room(served, job, where) + largest).view()};
  taken.append(", which does not fit on ").append(name(where).view());
  text<120> valid{"at most "};
  valid.append(in_words(usable).view());
  valid.append(": weights take ").append(in_words((1 + weight_padding) * weights_per_device(served, job)).view());
  valid.append(", programs ").append(in_words(program_memory).view());
  valid.append(", a sequence of ").append(longest).append(" tokens ").append(in_words(largest).view());
  fail(errc::infeasible, "memory of a device", taken.view(), valid.view());
}

/// The engine of an encoder: a step takes whole prompts, and blocks without end hold nothing.
inline simulated_engine encoder_engine_of(const transformer& model, const serving_job& job, const serving_layout& mesh,
                                          const slice& where) {
  simulated_engine engine;
  engine.replicas = floor_to_count(replica_of(mesh, where).count);
  engine.max_running = largest_running(model, job, mesh, where);
  if (engine.max_running == 0)
    fail(errc::infeasible, "longest prompt", job.prompt.longest, "fewer tokens, more devices or weights of fewer bits");
  engine.blocks = std::int64_t{1} << 40;
  engine.step_tokens = job.prefill_chunk;
  engine.whole_prompts = true;
  return engine;
}

}  // namespace detail

/// The engine that the closed forms describe for a job: as many replicas as the slice holds, blocks in the memory that
/// the weights leave, `prefill_chunk` as the tokens of a step, and the longest context for every sequence where the
/// cache is reserved. Throws as `serve` does, and where one of the longest sequences does not fit. Worked: a token of
/// Llama 3 8B takes 131072 B, so that 1 MiB of memory holds 8 of them.
[[nodiscard]] inline simulated_engine engine_of(const transformer& model, const serving_job& job,
                                                const serving_layout& mesh, const slice& where) {
  validate(job, model);
  if (model.kind == architecture::encoder) return detail::encoder_engine_of(model, job, mesh, where);
  const detail::served_model served = detail::served_by(model, job, mesh, where);
  const std::int64_t longest = longest_context(job), context = ceil_to_count(running_context(job));
  const bytes room = detail::cache_room(served, job, where);
  const bytes each = detail::on_device(served, detail::cache_of(model, job, static_cast<double>(context)));
  const double blocks = room / each * static_cast<double>(ceil_div(context, detail::block_of(job)));
  const std::int64_t needed = ceil_div(longest, detail::block_of(job));
  const bytes largest =
      served.groups * detail::on_device(served, detail::cache_of(model, job, static_cast<double>(longest)));
  if (room < largest) detail::refuse_size(served, job, where, largest, longest);
  simulated_engine engine;
  engine.replicas = floor_to_count(served.on.count);
  engine.blocks = std::max(needed, floor_to_count(std::min(blocks, 1e12)));
  engine.block_tokens = detail::block_of(job);
  engine.max_running = std::min(engine.blocks, std::int64_t{1} << 16);
  if (job.max_running > 0) engine.max_running = std::min(engine.max_running, job.max_running);
  engine.step_tokens = job.prefill_chunk;
  engine.prompts_at_once = floor_to_count(served.groups);
  if (detail::row_of(job.engine).prompts_alone) engine.prefill = prefill_policy::alone;
  if (job.policy == cache_policy::reserved) engine.reserved_tokens = longest;
  if (const speculation& by = job.speculation; by.draft_tokens > 0)
    engine.verified = by.draft_tokens + 1, engine.acceptance = acceptance_of(by);
  return engine;
}

/// The traffic that a job gives by its rate, which those that are counted keep exactly, and the moments of its lengths.
/// Throws where the job has no rate.
/// Worked: `fixed_length(512)` makes every prompt 512 tokens long.
[[nodiscard]] inline simulated_traffic traffic_of(const serving_job& job, std::int64_t requests,
                                                  std::int64_t seed = 1) {
  simulated_traffic traffic;
  traffic.rate = job.request_rate;
  traffic.as_asked = true;
  traffic.prompt = distribution_of(job.prompt);
  traffic.output = job.output.mean > 0 ? distribution_of(job.output) : same_length(1);  // an encoder answers at once
  traffic.prefix_hit_rate = job.prefix_hit_rate;
  traffic.requests = requests;
  traffic.seed = seed;
  detail::validate(traffic);
  return traffic;
}

/// Requests of a simulation that decides a plan: 1800 of the 2000 are counted, of which 18 are above the p99.
inline constexpr std::int64_t planning_requests = 2000;

/// Requests of a simulation that decides a plan for this job: fewer, but at least 500, where they have more than 4096
/// output tokens on average, so that one at a time they take no more steps. Worked: 2000 for 300 tokens, 500 for 16384.
[[nodiscard]] constexpr std::int64_t planning_requests_of(const serving_job& job) noexcept {
  constexpr std::int64_t least = planning_requests / 4;
  if (!(job.output.mean > 4096)) return planning_requests;
  const double most = static_cast<double>(planning_requests) * 4096 / job.output.mean;
  return most > static_cast<double>(least) ? static_cast<std::int64_t>(most) : least;
}

/// Equal slices that share some traffic.
struct serving_fleet {
  serving_layout mesh{};                           ///< the layout of each replica
  slice where{};                                   ///< one of the slices
  std::int64_t slices = 1;                         ///< how many
  prefill_policy prefill = prefill_policy::mixed;  ///< alone: no prompt shares a step with sequences that decode, also
                                                   ///< of an engine where they do
};

/// Replicas of a fleet, over all of its slices. Throws for a number of slices below 1 or above a million. Worked: two
/// slices of 8 devices hold 4 replicas of 4 devices.
[[nodiscard]] inline std::int64_t replicas_of(const serving_fleet& fleet) {
  detail::check_part("serving_fleet.slices", detail::positive_count("serving_fleet.slices", fleet.slices),
                     std::int64_t{1000000}, "1 to 1000000");
  return checked_multiply(fleet.slices, floor_to_count(detail::replica_of(fleet.mesh, fleet.where).count));
}

namespace detail {

/// So many replicas of a fleet, with slots for no more sequences than there are requests.
inline simulated_engine engine_of(const transformer& model, const serving_job& job, const serving_fleet& fleet,
                                  std::int64_t replicas, std::size_t requests, bool by_priority = false) {
  simulated_engine engine = tpuplan::engine_of(model, job, fleet.mesh, fleet.where);
  engine.replicas = replicas;
  if (fleet.prefill == prefill_policy::alone) engine.prefill = fleet.prefill;
  engine.max_running = std::min(engine.max_running, std::max<std::int64_t>(1, static_cast<std::int64_t>(requests)));
  engine.by_priority = by_priority;
  return engine;
}

}  // namespace detail

/// A run of `replicas` replicas of a fleet, to which the requests go in turn: all of them for a trace, one for its
/// random share of the requests; `longer` is of all steps. Throws as `engine_of` and `simulate` do. Worked: a request
/// alone in its replica has its first token after `engine_prefill_time`.
[[nodiscard]] inline simulation_run simulate_fleet(const transformer& model, const serving_job& job,
                                                   const serving_fleet& fleet, std::int64_t replicas,
                                                   const std::vector<simulated_request>& requests,
                                                   const serving_calibration& constants = default_serving_calibration,
                                                   const step_factors& longer = {}) {
  const simulated_engine engine =
      detail::engine_of(model, job, fleet, replicas, requests.size(), detail::have_priorities(requests));
  return simulate(engine, requests,
                  replica_step_times{model, job, fleet.mesh, fleet.where, engine.max_running, constants, longer});
}

namespace detail {

/// The times of requests that each have the engine to themselves: no rate has shorter ones. Of rounds each has as many
/// tokens as it can.
template <class Times>
counted_times times_alone(const std::vector<simulated_request>& requests, const Times& times,
                          std::int64_t verified = 1) {
  counted_times alone;
  for (const simulated_request& request : requests) {
    const std::int64_t fresh = request.prompt - request.cached;
    const double prompt = times.step({0, 0, fresh, times.attention(request.cached, request.prompt), 0}).value();
    const double token = times.step({1, request.prompt, 0, {}, 0}).value() / static_cast<double>(verified);
    alone.first.push_back(prompt);
    if (request.output > 1) alone.each.push_back(token);
    alone.whole.push_back(prompt + token * static_cast<double>(request.output - 1));
  }
  return alone;
}

inline bool are_kept(const counted_times& times, const latency_targets& targets) {
  return is_met(times.first, targets.first_token) && is_met(times.each, targets.per_token) &&
         is_met(times.whole, targets.end_to_end);
}

/// How many requests one replica can simulate in `most_simulated_steps`, judged by these first ones.
inline double most_requests_by(const transformer& model, const serving_job& job, const serving_fleet& fleet,
                               const std::vector<simulated_request>& first, const serving_calibration& constants) {
  const simulated_engine engine = engine_of(model, job, fleet, 1, first.size());
  const replica_step_times times{model, job, fleet.mesh, fleet.where, engine.max_running, constants};
  simulation_run run;
  run_sums sums{run};
  no_observer observe;
  never_enough to_the_end;
  run_replicas(engine, first, times, observe, to_the_end, sums, counted_of(first));
  return static_cast<double>(most_simulated_steps) * static_cast<double>(first.size()) /
         static_cast<double>(std::max<std::int64_t>(1, sums.work));
}

/// Whether the targets would be met if each request had the engine to itself. Where they would not, no rate meets them.
template <class Times>
bool is_possible(const std::vector<simulated_request>& requests, const Times& times, const latency_targets& targets,
                 std::int64_t verified = 1) {
  return are_kept(times_alone(requests, times, verified), targets);
}

/// Seconds by which times miss the target that they miss by most; 0 where they keep all.
inline double missed_by(const counted_times& times, const latency_targets& targets) {
  const auto over = [](const std::vector<double>& measured, const latency_target& target) {
    return is_met(measured, target) ? 0 : reached(measured, target.share) - target.limit.value();
  };
  return std::max({over(times.first, targets.first_token), over(times.each, targets.per_token),
                   over(times.whole, targets.end_to_end)});
}

/// Counts the requests that miss limits, until these are too many for the targets.
struct miss_counter {
  latency_targets targets{};
  seconds warm_until{};
  double counted = 0;     // requests
  double missed[3] = {};  // of them, by target
  bool operator()(const request_record& record) {
    if (record.arrival < warm_until) return false;
    const double waited = (record.delay - record.arrival).value();
    const double tokens = record.output > 1 ? static_cast<double>(record.output - 1) : 1;
    return misses(0, targets.first_token, record.first_token.value() + waited) ||
           misses(1, targets.per_token, (record.finished - record.first_token).value() / tokens) ||
           misses(2, targets.end_to_end, record.finished.value() + waited);
  }
  bool misses(int which, const latency_target& target, double time) {
    missed[which] += keeps(time, target) ? 0 : 1;
    return target.share > 0 && missed[which] > (1 - target.share) * counted + 1;
  }
};

/// Whether the targets are met, and as many are served as come: else the queue would grow past any target. A run ends
/// as soon as they cannot be; where they are met, the sums are of a whole run. Nothing where that takes more than
/// `most_simulated_steps`.
template <class Times>
maybe<bool> are_met(const simulated_engine& engine, const std::vector<simulated_request>& requests, const Times& times,
                    const latency_targets& targets, run_sums& sums) {
  sums.clear();
  no_observer observe;
  const counted_time counted = counted_of(requests);
  const auto warm = static_cast<std::size_t>(warm_up_share * static_cast<double>(requests.size()));
  miss_counter counter{targets, counted.from, static_cast<double>(requests.size() - warm), {}};
  bool too_many = false;
  const auto enough = [&](const request_record& record) { return too_many = too_many || counter(record); };
  run_replicas(engine, requests, times, observe, enough, sums, counted);
  if (too_many) return false;
  if (sums.work > most_simulated_steps) return nothing;
  return are_kept(times_of(sums.run, targets), targets) && !(served_below_arrivals(sums.run) > 0);
}

}  // namespace detail

/// The largest rate of requests at which an engine meets its targets, to 1 %: the rate returned was simulated and meets
/// them, and some rate at most 1 % above it does not. The search begins at the rate of the traffic; every rate has the
/// same requests, closer together or further apart. 0 where a request by itself misses them, or a millionth of that
/// rate does. Precondition: a step with more work takes no less time. Throws where no target is given, and as
/// `simulate` does. Worked: a server that takes 1 s for a request, with an end-to-end limit of 1 s on all, serves 1
/// request a second at a constant rate.
template <class Times>
[[nodiscard]] per_second largest_rate(const simulated_engine& engine, const simulated_traffic& traffic,
                                      const Times& times, const latency_targets& targets) {
  detail::validate(targets);
  if (!any_target(targets)) detail::fail(errc::missing_field, "latency_targets", "", "a limit above 0");
  const std::vector<simulated_request> drawn = requests_of(traffic);
  if (!detail::is_possible(drawn, times, targets, engine.verified)) return per_second{0};
  std::vector<simulated_request> requests = drawn;
  simulation_run run;
  detail::run_sums sums{run};
  const auto holds = [&](double faster) {
    for (std::size_t i = 0; i < drawn.size(); ++i) requests[i].arrival = drawn[i].arrival / faster;
    const maybe<bool> met = detail::are_met(engine, requests, times, targets, sums);
    if (!met) detail::check_steps(sums);
    return met.value_or(false);
  };
  double low = 1, high = 1, wider = 1.25;
  if (holds(1)) {
    for (; high < 1e6 && holds(high *= wider); wider *= wider) low = high;
  } else {
    for (; !holds(low /= wider); wider *= wider) {
      high = low;
      if (low < 1e-6) return per_second{0};
    }
  }
  while (high > low * 1.01) {
    const double middle = math::sqrt(low * high);
    (holds(middle) ? low : high) = middle;
  }
  return traffic.rate * low;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
