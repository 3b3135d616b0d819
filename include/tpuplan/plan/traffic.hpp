#ifndef TPUPLAN_PLAN_TRAFFIC_HPP
#define TPUPLAN_PLAN_TRAFFIC_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <tpuplan/cost/commitment.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/price_table.hpp>
#include <tpuplan/plan/autoscaling.hpp>
#include <tpuplan/plan/day_payment.hpp>
#include <tpuplan/plan/search.hpp>
#include <tpuplan/plan/sorting.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <utility>
#include <vector>

/// @file
/// A day of traffic: how many slices serve it at each time, with a fixed fleet and with one that follows the traffic;
/// what that does to latencies, and what it costs under each mix of ways to pay.

namespace tpuplan {
inline namespace abi_0 {

/// What is asked about a day.
struct day_request {
  transformer model{};     ///< what is served
  serving_job job{};       ///< lengths, engine, targets by percentile; its rate is not used
  drawn_lengths drawn{};   ///< lengths as they are drawn
  serving_fleet fleet{};   ///< slices and their replicas; the number of slices is searched for
  traffic_day day{};       ///< the traffic
  scaling_rule scaling{};  ///< how the number of slices follows the traffic
  double variation = 1;    ///< of the time between arrivals, as in `simulated_traffic`
  price_book prices{};     ///< the built-in ones unless given
  text<32> region{"us"};   ///< of the price book
  seconds between{};       ///< mean time between preemptions of a spot slice; 0: what is published of its chip there
  std::int64_t seed = 1;   ///< of the random numbers
  serving_calibration constants{};  ///< of the serving estimates
  bool find_threshold = false;      ///< what headroom of an autoscaler keeps the targets
};

/// A part of a day.
struct day_part {
  seconds start{};           ///< since the day began
  per_second rate{};         ///< of requests
  double slices = 0;         ///< slices that served, on average
  time_percentiles first{};  ///< time to the first output token
  time_percentiles token{};  ///< time for each token after the first
};

/// A day under one mix of ways to pay.
struct day_option {
  payment_mix mix{};               ///< how slices are paid for
  std::vector<day_part> parts;     ///< of the day; none: not simulated, as the cheaper mixes took too much work
  time_percentiles first_token{};  ///< of all requests of the day
  time_percentiles per_token{};    ///< of all requests of the day
  time_percentiles end_to_end{};   ///< of all requests of the day
  bool meets_targets = false;      ///< whether the targets are kept over the day
  std::int64_t most_slices = 0;    ///< most at one time, those that start up included
  double slice_hours = 0;          ///< slice-hours paid for
  std::int64_t preemptions = 0;    ///< of slices
  usd cost{};                      ///< dollars of the day; of a commitment, the day's share
};

/// An autoscaler of Kubernetes that keeps the targets of a day.
struct day_autoscaler {
  scaling_rule rule{};         ///< as `kubernetes_rule` has it, with the least headroom that keeps them
  per_second threshold{};      ///< requests a second of a slice, the value of its metric on average
  double running = 0;          ///< sequences that run on a slice at that rate, by the closed form: a metric of engines
  bool meets_targets = false;  ///< none of the headrooms that were tried keeps them, where it is not
  std::int64_t missed_parts = 0;  ///< parts of the day whose own first tokens are later than the target
  std::int64_t most_slices = 0;   ///< most at one time, those that start up included
  double slice_hours = 0;         ///< slice-hours paid for
};

/// What a day takes and costs.
struct day_answer {
  per_second slice_rate{};             ///< the largest rate at which a slice keeps the targets
  std::int64_t fixed = 0;              ///< slices that the busiest part of the day needs
  std::vector<day_option> options;     ///< those that keep the targets first, the cheapest first
  double ideal_slice_hours = 0;        ///< of a fleet that always has exactly the slices that the rate needs
  maybe<day_autoscaler> autoscaler{};  ///< where it was asked for
};

namespace detail {

inline day_terms terms_of(const day_request& request) {
  return {request.day,         request.scaling, request.prices, request.region.view(),
          request.fleet.where, request.between, request.seed};
}

inline slices_over_day slices_of(const day_request& request, const payment_mix& mix, std::int64_t fixed,
                                 per_second slice_rate) {
  return slices_of(terms_of(request), mix, fixed, slice_rate);
}

/// The decision at which a request comes.
inline std::size_t decision_of(const slices_over_day& slices, seconds arrival, seconds every) {
  return std::min(slices.serving.size() - 1, static_cast<std::size_t>(arrival / every));
}

/// Refuses a day whose requests at one replica are too many, or take more steps than a simulation may: by a few of them
/// at the highest rate, where they share most steps.
inline void check_requests(const day_request& request, const slices_over_day& slices, double replicas_of_slice) {
  constexpr std::int64_t some = 10000;
  const double every = request.day.part.value() / decisions_in_part;
  double expected = 0, highest = 0;
  for (std::size_t i = 0; i < slices.serving.size(); ++i) {
    const double rate = rate_at(request.day, i) / (slices.for_arrivals(i).serving * replicas_of_slice);
    expected += every * rate;
    highest = std::max(highest, rate);
  }
  const auto refuse_above = [&](double most) {
    if (expected <= most) return;
    text<96> valid{"at most about "};
    valid.append(floor_to_count(most)).append(": a day of fewer parts or requests, or shorter outputs");
    fail(errc::out_of_range, "requests of a replica in a day", expected, valid.view());
  };
  refuse_above(static_cast<double>(most_simulated_requests));
  if (expected < 20 * static_cast<double>(some)) return;
  serving_job job = request.job;
  job.request_rate = per_second{highest};
  job.percentiles = {};
  refuse_above(1.2 * most_requests_by(request.model, job, request.fleet,
                                      requests_of(traffic_of(job, some, request.seed, request.drawn)),
                                      request.constants));
}

/// Requests of one replica. Those that come while all slices are lost have the time at which some are back as their
/// arrival, and have waited before.
struct waiting_requests {
  std::vector<simulated_request> all;
  std::vector<seconds> waited;
};

/// Random requests of one replica, at its share of the traffic at each time.
inline waiting_requests replica_day(const day_request& request, const slices_over_day& slices,
                                    double replicas_of_slice) {
  simulated_traffic traffic = traffic_of(
      [&] {
        serving_job job = request.job;
        job.request_rate = per_second{1};
        return job;
      }(),
      1, request.seed, request.drawn);
  const auto seed = static_cast<std::uint64_t>(request.seed);
  std::vector<simulated_request> requests =
      arrivals_over(request.day, request.variation, seed, [&](std::size_t decision) {
        return rate_at(request.day, decision) / (slices.for_arrivals(decision).serving * replicas_of_slice);
      });
  const seconds every = request.day.part / decisions_in_part;
  std::vector<seconds> waited;
  for (std::size_t place = 0; place < requests.size(); ++place) {
    simulated_request& one = requests[place];
    draw_lengths(traffic, place, one);
    one.cached = static_cast<std::int64_t>(request.job.prefix_hit_rate * static_cast<double>(one.prompt));
    const std::size_t decision = decision_of(slices, one.arrival, every);
    const std::size_t served = slices.for_arrivals(decision).decision;
    const seconds from = served == decision ? one.arrival : static_cast<double>(served) * every;
    waited.push_back(from - one.arrival);
    one.arrival = from;  // not by a sum: those that wait for the same slices come in order
  }
  return {std::move(requests), std::move(waited)};
}

/// A time with the requests that it stands for.
struct weighted_time {
  double time = 0, weight = 0;
};

/// Percentiles by nearest rank, each request counted by its weight. Reorders the times: a quickselect, which partitions
/// them at the middle and goes on in the half that holds the percentile.
inline time_percentiles percentiles_of_weighted(std::vector<weighted_time>& times) {
  time_percentiles result;
  double total = 0, sum = 0;
  for (const weighted_time& one : times) total += one.weight, sum += one.weight * one.time;
  if (total <= 0) return result;
  result.mean = seconds{sum / total};
  seconds* const into[] = {&result.p50, &result.p90, &result.p95, &result.p99};
  weighted_time* from = times.data();
  double below = 0;  // the weight of those before
  for (std::size_t i = 0; i < 4; ++i) {
    const double needed = percentile_shares[i] * total * (1 - 1e-12);
    weighted_time* to = times.data() + times.size();
    while (to - from > 1) {
      weighted_time* const middle = from + (to - from) / 2;
      std::nth_element(from, middle, to, [](const auto& a, const auto& b) { return a.time < b.time; });
      double half = 0;
      for (const weighted_time* one = from; one != middle; ++one) half += one->weight;
      if (below + half >= needed) {
        to = middle;
      } else {
        below += half;
        from = middle;
      }
    }
    *into[i] = seconds{from->time};
  }
  return result;
}

inline bool is_kept(const std::vector<weighted_time>& times, const latency_target& target) {
  if (target.limit.value() <= 0) return true;
  double total = 0, good = 0, sum = 0;
  for (const weighted_time& one : times) {
    total += one.weight;
    sum += one.weight * one.time;
    good += keeps(one.time, target) ? one.weight : 0;
  }
  return target.share > 0 ? good >= target.share * total * (1 - 1e-9) : sum <= target.limit.value() * total;
}

/// Fills in latencies from the run of one replica: each request is weighted by the slices that serve it.
inline void add_latencies(day_option& option, const day_request& request, const slices_over_day& slices,
                          const simulation_run& run, const std::vector<seconds>& waited) {
  const std::size_t parts = request.day.rates.size();
  std::vector<weighted_time> first, token, whole;
  std::vector<std::vector<weighted_time>> firsts(parts), tokens(parts);
  const seconds every = request.day.part / decisions_in_part;
  for (std::size_t place = 0; place < run.records.size(); ++place) {
    const request_record& one = run.records[place];
    const seconds arrival = one.arrival - waited[place];
    const std::size_t decision = decision_of(slices, arrival, every);
    const std::size_t part = decision / static_cast<std::size_t>(decisions_in_part);
    const double weight = slices.for_arrivals(decision).serving;
    first.push_back({(one.first_token + one.delay - arrival).value(), weight});
    firsts[part].push_back(first.back());
    whole.push_back({(one.finished + one.delay - arrival).value(), weight});
    if (one.output < 2) continue;
    token.push_back({(one.finished - one.first_token).value() / static_cast<double>(one.output - 1), weight});
    tokens[part].push_back(token.back());
  }
  const latency_targets& targets = request.job.percentiles;
  option.meets_targets =
      is_kept(first, targets.first_token) && is_kept(token, targets.per_token) && is_kept(whole, targets.end_to_end);
  option.first_token = percentiles_of_weighted(first);
  option.per_token = percentiles_of_weighted(token);
  option.end_to_end = percentiles_of_weighted(whole);
  for (std::size_t part = 0; part < parts; ++part) {
    day_part one;
    one.start = request.day.part * static_cast<double>(part);
    one.rate = request.day.rates[part];
    for (std::size_t i = 0; i < static_cast<std::size_t>(decisions_in_part); ++i)
      one.slices += slices.serving[part * static_cast<std::size_t>(decisions_in_part) + i] / decisions_in_part;
    one.first = percentiles_of_weighted(firsts[part]);
    one.token = percentiles_of_weighted(tokens[part]);
    option.parts.push_back(one);
  }
}

/// A day under one mix of ways to pay, without its latencies.
inline day_option priced_day(const day_request& request, const payment_mix& mix, const slices_over_day& slices) {
  day_option option;
  option.mix = mix;
  option.most_slices = slices.most;
  option.preemptions = slices.preemptions;
  add_cost(option, terms_of(request), slices);
  return option;
}

/// Simulates a replica over the day, and adds its work: its steps, and eight for each request.
inline void simulate_latencies(day_option& option, const day_request& request, const slices_over_day& slices,
                               std::int64_t& work) {
  const auto replicas = static_cast<double>(replicas_of({request.fleet.mesh, request.fleet.where}));
  check_requests(request, slices, replicas);
  const auto [requests, waited] = replica_day(request, slices, replicas);
  if (requests.empty())
    fail(errc::out_of_range, "requests of a replica in a day", "0", "one or more: a longer day, or a lower floor");
  const simulation_run run = simulate_fleet(request.model, request.job, request.fleet, 1, requests, request.constants);
  add_latencies(option, request, slices, run, waited);
  work += run.steps + 8 * static_cast<std::int64_t>(requests.size());
}

/// The work after which no further mix of a day is simulated, counting a mix by the one before it: some seconds.
inline constexpr std::int64_t most_work_of_day = 3 * most_simulated_steps;

/// Another option of the day, if one was simulated, whose latencies are those of this one: neither fleet changes.
inline const day_option* simulated_like(const day_option& one, const day_answer& day) {
  if (!is_steady(one.mix)) return nullptr;
  const auto there = std::find_if(day.options.begin(), day.options.end(),
                                  [](const day_option& other) { return is_steady(other.mix) && !other.parts.empty(); });
  return there == day.options.end() ? nullptr : &*there;
}

/// Simulates one option of a day. The work that it took.
inline std::int64_t simulate_option(day_option& option, const day_answer& day, const day_request& request) {
  const payment_mix mix = option.mix;
  const slices_over_day slices = slices_of(request, mix, day.fixed, day.slice_rate);
  std::int64_t work = 0;
  if (const day_option* const like = simulated_like(option, day)) {
    option = *like;
    option.mix = mix;
    option.cost = usd{0};
    add_cost(option, terms_of(request), slices);
  } else {
    simulate_latencies(option, request, slices, work);
  }
  return work;
}

/// The parts of a day in which the first token, by percentile, is later than its target.
inline std::int64_t missed_parts(const std::vector<day_part>& parts, const latency_target& first) {
  if (first.limit.value() <= 0 || first.share <= 0) return 0;
  return std::count_if(parts.begin(), parts.end(),
                       [&](const day_part& part) { return reached_of(part.first, first) > first.limit; });
}

/// The least of these that keeps the targets, by halving: more headroom is never slower.
inline day_autoscaler autoscaler_of(day_request request, std::int64_t fixed, per_second slice_rate) {
  request.scaling = kubernetes_rule(request.scaling);
  const payment_mix mix{0, provisioning::on_demand, provisioning::on_demand, true};
  const auto with = [&](std::size_t place) {
    request.scaling.headroom = tried_headrooms[place];
    const slices_over_day slices = slices_of(request, mix, fixed, slice_rate);
    day_option option;
    std::int64_t work = 0;
    simulate_latencies(option, request, slices, work);
    double paid = 0;
    for (const double one : slices.paid) paid += one * request.day.part.value() / decisions_in_part / 3600;
    serving_job job = request.job;
    job.percentiles = {};
    job.request_rate = slice_rate / (1 + request.scaling.headroom);
    const serving_estimate at = serve(request.model, job, request.fleet.mesh, request.fleet.where, request.constants);
    return day_autoscaler{request.scaling,
                          job.request_rate,
                          at.running * static_cast<double>(at.replicas),
                          option.meets_targets,
                          missed_parts(option.parts, request.job.percentiles.first_token),
                          slices.most,
                          paid};
  };
  return least_headroom(with);
}

/// The share of its capacity that a slice surely serves in the long run: below it by the deviation of what comes by
/// chance, which so many simulated requests do not tell from a queue that grows; at least half of it.
inline double served_for_sure(double variation, std::int64_t requests) {
  return std::max(0.5, 1 - variation / math::sqrt(static_cast<double>(requests)));
}

/// Refuses a floor of more slices than the day has requests for.
inline void check_floor(const day_request& request, double replicas_of_slice) {
  const double most = requests_of(request.day) / replicas_of_slice;
  if (request.scaling.floor == 1 || static_cast<double>(request.scaling.floor) <= most) return;
  text<96> valid{"at most "};
  valid.append(std::max<std::int64_t>(1, floor_to_count(most))).append(", so that each replica has some request");
  fail(errc::out_of_range, "scaling_rule.floor", request.scaling.floor, valid.view());
}

/// A day with the dollars of each mix, the cheapest first, none of them simulated; no options where a slice keeps the
/// targets at no rate, or at less than a request of each replica in the day.
inline day_answer ways_of_day(const day_request& request) {
  validate(request.day);
  validate(request.scaling);
  if (!any_target(request.job.percentiles))
    fail(errc::missing_field, "serving_job.percentiles", "none", "a target by percentile");
  serving_job job = request.job;
  per_second busiest{0};
  for (const per_second rate : request.day.rates) busiest = std::max(busiest, rate);
  job.request_rate = busiest;
  tpuplan::validate(job, request.model);
  const serving_fleet& fleet = request.fleet;
  const auto replicas = static_cast<double>(replicas_of({fleet.mesh, fleet.where}));
  check_floor(request, replicas);
  simulated_engine engine = engine_of(request.model, job, fleet.mesh, fleet.where);
  engine.replicas = 1;
  if (fleet.prefill == prefill_policy::alone) engine.prefill = fleet.prefill;  // as simulate_fleet has it
  engine.max_running = std::min(engine.max_running, planning_requests);
  simulated_traffic traffic = traffic_of(job, planning_requests_of(job), request.seed, request.drawn);
  traffic.variation = request.variation;
  traffic.rate = per_second{1};
  const replica_step_times times{request.model, job, fleet.mesh, fleet.where, engine.max_running, request.constants};
  day_answer answer;
  const per_second kept = largest_rate(engine, traffic, times, job.percentiles) * replicas;
  const seconds length = static_cast<double>(request.day.rates.size()) * request.day.part;
  if (kept * length < replicas) return answer;
  const auto drawn = [&traffic](std::int64_t count) {
    simulated_traffic some = traffic;
    some.requests = count;
    return requests_of(some);
  };
  job.request_rate = {}, job.percentiles = {};
  const per_second capacity = serve(request.model, job, fleet.mesh, fleet.where, request.constants).capacity;
  const per_second served = min(capacity, saturated_rate(engine, times, capacity / replicas, drawn) * replicas);
  answer.slice_rate = min(kept, served * served_for_sure(request.variation, traffic.requests));
  if (answer.slice_rate.value() == 0) return answer;
  answer.fixed = ceil_to_count(busiest / answer.slice_rate - 1e-9);
  answer.ideal_slice_hours = ideal_slice_hours(request.day, answer.slice_rate);
  for (const payment_mix& mix : mixes_of(terms_of(request), answer.fixed, answer.slice_rate))
    answer.options.push_back(priced_day(request, mix, slices_of(request, mix, answer.fixed, answer.slice_rate)));
  rank_in_order(answer.options, [](const day_option& one) { return rank_figures{one.cost.value()}; });
  return answer;
}

/// Simulates the ways of a day in their order, as far as the work goes, and at least the first; those that keep the
/// targets come first.
inline void simulate_ways(day_answer& answer, const day_request& request, std::int64_t most = most_work_of_day) {
  std::int64_t all = 0, last = 0;
  for (day_option& option : answer.options) {
    if (all + last > most && simulated_like(option, answer) == nullptr) continue;
    const std::int64_t work = simulate_option(option, answer, request);
    if (work > 0) all += last = work;
  }
  rank_in_order(answer.options, [](const day_option& one) {
    return rank_figures{one.meets_targets ? 0.0 : one.parts.empty() ? 2.0 : 1.0, one.cost.value()};
  });
}

}  // namespace detail

/// A day under one mix of ways to pay: with `fixed` slices, or with a fleet that follows the traffic where
/// `mix.follows`; `slice_rate` is the largest rate that a slice serves. One replica is simulated from the day's start
/// to its end, with its share of the traffic at every moment; that share grows while slices that were ordered start up
/// or lost ones are replaced. Percentiles are of all requests, without warm-up. Left out: the running requests of a
/// lost slice, which start again elsewhere. Throws where there is no price, and as `simulate` does. Worked: a fleet of
/// 3 slices for a day is paid for 72 slice-hours.
[[nodiscard]] inline day_option simulate_day(const day_request& request, const payment_mix& mix, std::int64_t fixed,
                                             per_second slice_rate) {
  detail::validate(request.day);
  detail::validate(request.scaling);
  detail::not_negative("mean time between preemptions", request.between.value());
  const detail::slices_over_day slices = detail::slices_of(request, mix, fixed, slice_rate);
  day_option option = detail::priced_day(request, mix, slices);
  std::int64_t work = 0;
  detail::simulate_latencies(option, request, slices, work);
  return option;
}

/// What a day of traffic takes: the largest rate at which a slice keeps the targets by percentile, the fixed fleet that
/// the busiest part needs, and each mix of ways to pay with its latencies and dollars, those that keep the targets over
/// the day first, each kind by cost. Mixes are simulated from the cheapest on; of a day that takes much work, the
/// others have dollars and no parts, and come last. No options where a slice keeps the targets at no rate. Throws,
/// naming the field, for an invalid request. Worked: where every hour has the same traffic, a fleet that follows it
/// without headroom is the fixed one.
[[nodiscard]] inline day_answer plan_day(const day_request& request) {
  day_answer answer = detail::ways_of_day(request);
  if (answer.slice_rate.value() == 0) return answer;
  if (request.find_threshold) answer.autoscaler = detail::autoscaler_of(request, answer.fixed, answer.slice_rate);
  detail::simulate_ways(answer, request);
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
