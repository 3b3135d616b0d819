#ifndef TPUPLAN_SIMULATE_SIMULATION_HPP
#define TPUPLAN_SIMULATE_SIMULATION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/simulate/arrivals.hpp>
#include <tpuplan/simulate/engine.hpp>
#include <tpuplan/simulate/percentiles.hpp>
#include <tpuplan/simulate/report.hpp>
#include <tpuplan/simulate/run.hpp>
#include <tpuplan/simulate/step_times.hpp>
#include <vector>

/// @file
/// A serving engine under traffic, simulated: percentiles of its latencies where the closed forms have means.

namespace tpuplan {
inline namespace abi_0 {

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
  serving_job tokens = job;  // as many requests of one token as a step takes tokens
  tokens.prompt.mean = tokens.prompt.mean_square = 1, tokens.max_running = 0;
  engine.step_tokens = largest_running(model, tokens, mesh, where);
  if (engine.step_tokens == 0)
    fail(errc::infeasible, "longest prompt", job.prompt.longest, "fewer tokens, more devices or weights of fewer bits");
  engine.blocks = std::int64_t{1} << 40;
  engine.max_running = job.max_running > 0 ? job.max_running : std::int64_t{1} << 16;
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
  // Of a shared prefix, where single requests are simulated, as many as so many sequences hold when they share none.
  const double blocks =
      detail::sharing_sequences(job, room / each) * static_cast<double>(ceil_div(context, detail::block_of(job)));
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

/// The traffic that a job gives by its rate, which those that are counted keep exactly, and its lengths: as `drawn` has
/// them where they are the job's or those of the job are a multiple, else by the job's moments. Throws where the job
/// has no rate. Worked: `fixed_length(512)` makes every prompt 512 tokens long.
[[nodiscard]] inline simulated_traffic traffic_of(const serving_job& job, std::int64_t requests, std::int64_t seed = 1,
                                                  const drawn_lengths& drawn = {}) {
  simulated_traffic traffic;
  traffic.rate = job.request_rate;
  traffic.as_asked = true;
  traffic.prompt = distribution_of(job.prompt);
  traffic.output = job.output.mean > 0 ? distribution_of(job.output) : same_length(1);  // an encoder answers at once
  if (const double factor = detail::multiple_of(drawn.prompts, drawn.prompt_more, job.prompt); factor > 0)
    traffic.prompt = detail::times_as_long(*drawn.prompts, factor), traffic.prompt_more = drawn.prompt_more;
  if (const double factor = detail::multiple_of(drawn.outputs, 0, job.output); factor > 0)
    traffic.output = detail::times_as_long(*drawn.outputs, factor);
  if (const double factor = detail::multiple_of(drawn.observed, job); factor > 0) {
    traffic.observed = drawn.observed.requests;
    for (simulated_request& one : traffic.observed) one.prompt = detail::times_as_long(one.prompt, factor);
  }
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

/// Replicas of a fleet, over all of its slices. Throws for a number of slices below 1 or above a million, and for
/// replicas of more devices than a slice has. Worked: two slices of 8 devices hold 4 replicas of 4 devices.
[[nodiscard]] inline std::int64_t replicas_of(const serving_fleet& fleet) {
  detail::check_part("serving_fleet.slices", detail::positive_count("serving_fleet.slices", fleet.slices),
                     std::int64_t{1000000}, "1 to 1000000");
  detail::check_part("serving_layout.tensor", fleet.mesh.tensor, devices(fleet.where),
                     "0 (all) to the devices of the slice");
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

/// How a simulation ended that decides whether targets are met.
enum class trial_end : std::uint8_t {
  met,            // they are, and as many requests were served as came
  missed,         // too many requests missed them: the run ended there
  fallen_behind,  // what was done kept them, but fewer were than came: the queue would grow past any target
  too_long,       // it takes more than `most_simulated_steps`
};

/// Whether targets are met. A run ends as soon as they cannot be; where they are met, the sums are of a whole run.
template <class Times>
trial_end trial_of(const simulated_engine& engine, const std::vector<simulated_request>& requests, const Times& times,
                   const latency_targets& targets, run_sums& sums) {
  sums.clear();
  no_observer observe;
  const counted_time counted = counted_of(requests);
  const auto warm = static_cast<std::size_t>(warm_up_share * static_cast<double>(requests.size()));
  miss_counter counter{targets, counted.from, static_cast<double>(requests.size() - warm), {}};
  bool too_many = false;
  const auto enough = [&](const request_record& record) { return too_many = too_many || counter(record); };
  run_replicas(engine, requests, times, observe, enough, sums, counted);
  if (too_many) return trial_end::missed;
  if (sums.work > most_simulated_steps) return trial_end::too_long;
  if (!are_kept(times_of(sums.run, targets), targets)) return trial_end::missed;
  return served_below_arrivals(sums.run) > 0 ? trial_end::fallen_behind : trial_end::met;
}

/// The same, where all limits are kept but more requests came than were done, of four and sixteen times as many: so few
/// may only have filled the engine. `drawn(more)` is so many times the usual number of requests; the work is of all
/// runs. Where a longer one takes too many steps, the shorter one decides.
template <class Times, class Drawn>
trial_end settled_trial(const simulated_engine& engine, const Times& times, const latency_targets& targets,
                        const Drawn& drawn, run_sums& sums) {
  trial_end end = trial_of(engine, drawn(1), times, targets, sums);
  for (std::int64_t more = 4; more <= 16 && end == trial_end::fallen_behind; more *= 4) {
    const std::int64_t before = sums.work;
    end = trial_of(engine, drawn(more), times, targets, sums);
    sums.work += before;
    if (end == trial_end::too_long) return trial_end::fallen_behind;
  }
  return end;
}

/// Whether the targets are met; nothing where that takes too many steps.
template <class Times>
maybe<bool> are_met(const simulated_engine& engine, const std::vector<simulated_request>& requests, const Times& times,
                    const latency_targets& targets, run_sums& sums) {
  const trial_end end = trial_of(engine, requests, times, targets, sums);
  if (end == trial_end::too_long) return nothing;
  return end == trial_end::met;
}

/// Requests a second that a replica serves where a tenth more come than its capacity is by the closed form, between
/// those that are done when four tenths of all are and those when nine tenths are: its slots have been taken then, and
/// requests still come. `drawn` has so many requests.
template <class Times, class Drawn>
per_second saturated_rate(const simulated_engine& engine, const Times& times, per_second capacity, const Drawn& drawn) {
  const std::int64_t count =
      std::max<std::int64_t>(500, std::min(10 * engine.max_running, most_simulated_requests / 4));
  std::vector<simulated_request> requests = drawn(count);
  const double closer = requests.back().arrival * capacity * 1.1 / static_cast<double>(count);
  for (simulated_request& each : requests) each.arrival = each.arrival / closer;
  std::vector<double> ends;
  for (const request_record& each : simulate(engine, requests, times).records) ends.push_back(each.finished.value());
  std::sort(ends.begin(), ends.end());
  const std::size_t from = ends.size() * 4 / 10, until = ends.size() * 9 / 10;
  return per_second{static_cast<double>(until - from) / (ends[until] - ends[from])};
}

}  // namespace detail

/// The largest rate of requests at which an engine meets its targets, to 1 %: the rate returned was simulated and meets
/// them, and some rate at most 1 % above it does not, or is above `most`. The search begins at the rate of the traffic;
/// every rate has the same requests, closer together or further apart. 0 where a request by itself misses them, or a
/// millionth of that rate does. Precondition: a step with more work takes no less time. Throws where no target is
/// given, and as `simulate` does. Worked: a server that takes 1 s for a request, with an end-to-end limit of 1 s on
/// all, serves 1 request a second at a constant rate.
template <class Times>
[[nodiscard]] per_second largest_rate(const simulated_engine& engine, const simulated_traffic& traffic,
                                      const Times& times, const latency_targets& targets,
                                      per_second most = per_second{math::detail::infinity}) {
  detail::validate(targets);
  if (!any_target(targets)) detail::fail(errc::missing_field, "latency_targets", "", "a limit above 0");
  const auto drawn = [&traffic](std::int64_t more) {
    simulated_traffic longer = traffic;
    longer.requests = std::min(more * traffic.requests, most_simulated_requests);
    return requests_of(longer);
  };
  if (!detail::is_possible(drawn(1), times, targets, engine.verified)) return per_second{0};
  simulation_run run;
  detail::run_sums sums{run};
  const auto holds = [&](double faster) {
    if (traffic.rate * faster > most) return false;
    const auto closer = [&](std::int64_t more) {
      std::vector<simulated_request> requests = drawn(more);
      for (simulated_request& one : requests) one.arrival = one.arrival / faster;
      return requests;
    };
    const detail::trial_end end = detail::settled_trial(engine, times, targets, closer, sums);
    if (end == detail::trial_end::too_long) detail::check_steps(sums);
    return end == detail::trial_end::met;
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
