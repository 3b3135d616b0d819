#ifndef TPUPLAN_PLAN_SERVING_PLAN_HPP
#define TPUPLAN_PLAN_SERVING_PLAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tpuplan/estimate/serving/engines.hpp>
#include <tpuplan/plan/server_search.hpp>
#include <tpuplan/plan/serving_request.hpp>
#include <utility>
#include <vector>

/// @file
/// Which slices should serve a model: of every slice that the request allows, the size of a replica and the number of
/// slices that the traffic needs; and what they cost in each region and under each way of paying.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Decides an open layout: as many slices, from those of the closed form on, as keep the targets in a simulation. Their
/// number grows by a quarter until they are enough, then the gap is halved.
inline void decide(plan_search& all, const open_layout& one) {
  const serving_request& request = all.request;
  const serving_plan& least = one.least;
  server_search& search = all.slices[one.search];
  const std::int64_t most = most_slices(request, least.where);
  const auto enough = [&](std::int64_t slices) {
    ++all.candidates;
    const double replicas = static_cast<double>(checked_multiply(slices, least.estimate.replicas));
    return all.rates.holds(least.where, least.mesh, request.job.request_rate / replicas);
  };
  const auto give_up = [&] { come_closer(search.closest, serving_rejection::not_simulated, 0); };
  if (const seconds over = all.rates.missed_alone(least.where, least.mesh); over.value() > 0)
    return come_closer(search.closest, serving_rejection::misses_target, over.value());
  // The same numbers are tried whatever the most is: a number that misses by chance is missed with more chips too.
  std::int64_t high = least.slices - least.spare, low = high - 1;
  while (low < most && !enough(high)) {
    if (all.rates.are_exhausted()) return give_up();
    low = high;
    high = high + ceil_div(high, 4);
  }
  while (low < most && high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
    if (all.rates.are_exhausted()) return give_up();
  }
  if (high > most)
    return come_closer(search.closest, serving_rejection::too_many_chips, chips_beyond(request, least.where, most));
  serving_plan planned = with_spare(request, plan_of(request, least.where, least.mesh, high));
  if (is_fit(search, request, planned)) keep_best(search, request, priced(search, request, std::move(planned)));
}

/// Simulates open layouts in the order of their lower bounds, until none of the rest can be among the plans asked for.
/// More slices cost more and have more chips, so that a layout whose bound is above a decided plan of the same slice is
/// skipped too. More slices are faster: for the fastest plan all layouts are simulated.
inline void decide_layouts(plan_search& all) {
  const objective best = all.request.best;
  std::vector<rank_figures> least;
  for (const open_layout& one : all.open) least.push_back(worth_of(one.least, best));
  const std::vector<std::size_t> order = ranked_order(
      all.open.size(), [&](std::size_t i) -> const rank_figures& { return least[i]; },
      [](std::size_t a, std::size_t b) { return a < b; });
  const std::size_t most = all.request.most_plans;
  for (const std::size_t i : order) {
    server_search& own = all.slices[all.open[i].search];
    if (best != objective::fastest && !own.best.empty() && surely_before(own.best.best(simpler_first).first, least[i]))
      continue;
    std::size_t better = 0;  // plans that this layout cannot come before
    for (const server_search& search : all.slices)
      if (!search.best.empty() && is_beyond(least[i][0], search.best.least())) ++better;
    if (most == 0 || better < most || best == objective::fastest) {
      decide(all, all.open[i]);
    } else {
      const double bound = compared_of(all.open[i].least, all.request);
      own.undecided = own.undecided ? std::min(*own.undecided, bound) : bound;
    }
  }
}

/// Sorts what was found into plans and rejections.
inline serving_plan_answer answer_of(plan_search& all) {
  serving_plan_answer answer;
  answer.candidates = all.candidates;
  std::vector<const server_search*> found;
  std::vector<const std::pair<rank_figures, serving_plan>*> best;
  for (const server_search& search : all.slices) {
    if (search.best.empty()) continue;
    found.push_back(&search);
    best.push_back(&search.best.best(simpler_first));
  }
  const std::vector<std::size_t> order = ranked_order(
      best.size(), [&](std::size_t i) -> const rank_figures& { return best[i]->first; },
      [&](std::size_t a, std::size_t b) {
        const serving_plan &one = best[a]->second, &other = best[b]->second;
        if (chips(one.where) != chips(other.where)) return chips(one.where) < chips(other.where);
        return name(one.where).view() < name(other.where).view();
      });
  const std::size_t most = all.request.most_plans;
  for (const std::size_t i : order) {
    if (most == 0 || answer.plans.size() < most) answer.plans.push_back(best[i]->second);
  }
  const auto reject = [&](const slice& where, serving_rejection why, double amount) {
    answer.rejected.push_back({where, why, amount, unit_of(why, all.request)});
  };
  const auto dominated = [&](const slice& where, double compared) {
    const double best_of_all = compared_of(answer.plans.front(), all.request), behind = compared - best_of_all;
    reject(where, serving_rejection::dominated, behind > 1e-9 * best_of_all ? behind : 0);  // equal but for rounding
  };
  for (const server_search& search : all.slices) {
    if (search.best.empty() && !search.undecided)
      reject(search.closest.where, search.closest.why, search.closest.amount);
  }
  for (std::size_t place = answer.plans.size(); place < order.size(); ++place) {
    const server_search& search = *found[order[place]];
    const double compared = compared_of(best[order[place]]->second, all.request);
    // Another layout of it may not have been simulated.
    dominated(search.closest.where, search.undecided ? std::min(compared, *search.undecided) : compared);
  }
  for (const server_search& search : all.slices) {
    if (search.best.empty() && search.undecided) dominated(search.closest.where, *search.undecided);
  }
  return answer;
}

/// Refuses what no search answers.
inline void check_request(const serving_request& asked) {
  validate(asked.job, asked.model);
  (void)parameters(asked.model);
  validate(asked.constants);
  check_limits(asked);
  refuse(job_limit(asked.job.engine, asked.job));
  check_count("adapters", asked.adapters, 100000, "0 to 100000");
  check_count("adapter_rank", asked.adapter_rank, 4096, "0 to 4096");
  refuse(adapter_limit(asked.job.engine, asked.adapters, asked.adapter_rank));
  if (!(asked.capacity_taken >= 0 && asked.capacity_taken < 1))
    fail_range("serving_request.capacity_taken", asked.capacity_taken, "0 to below 1");
  check_count("serving_request.spare", asked.spare, 1000000, "0 to 1000000");
  check_count("serving_request.zones", asked.zones, 1000, "0, or 2 to 1000");
  if (asked.zones == 1) fail(errc::out_of_range, "serving_request.zones", asked.zones, "0, or 2 to 1000");
  if ((asked.spare > 0 || asked.zones > 0) && asked.job.request_rate.value() == 0 && asked.job.concurrency == 0)
    fail(errc::missing_field, "serving_job.request_rate", 0.0, "a rate, or requests in flight, for spare slices");
  if (any_target(asked.job.percentiles) && asked.job.request_rate.value() == 0)
    fail(errc::missing_field, "serving_job.request_rate", 0.0, "a rate, for targets by percentile");
}

/// `plan_serving`, whose simulations take up to that many steps; they are taken off.
inline serving_plan_answer plan_within(const serving_request& asked, std::int64_t& steps) {
  check_request(asked);
  serving_request request = asked;
  request.job.percentiles = {};
  plan_search all{
      request,
      {request.model, request.job, request.constants, asked.job.percentiles, steps, slowed(request), request.drawn},
      price_index(request)};
  for_each_slice(request, [&](const slice& where) { search_server(all, where); });
  decide_layouts(all);
  steps = all.rates.steps_left();
  serving_plan_answer answer = answer_of(all);
  if (all.rates.are_needed()) {
    for (serving_plan& planned : answer.plans) {
      planned.simulated = simulated_replica(all, planned);
      if (planned.spare == 0) continue;
      const std::int64_t left = checked_multiply(planned.slices - planned.spare, planned.estimate.replicas);
      planned.simulated_without_spare = all.rates.report_of_replica(
          planned.where, planned.mesh, request.job.request_rate / static_cast<double>(left));
    }
  }
  return answer;
}

}  // namespace detail

/// The best slices to serve a model under some traffic, best first, and one reason for every other slice. The estimate
/// of a plan is what `serve` answers for the traffic of one of its slices. Targets by percentile need a request rate:
/// each replica gets a random share of the requests, and each layout that the closed form does not rule out is
/// simulated with 2000 requests from the same random numbers. The closed form rules out what does not fit or is above
/// its capacity, and gives the fewest slices: a layout that costs more than `most_plans` others even with those is not
/// simulated, and the amount of its slice is a lower bound; nor are layouts after `most_planning_steps` of simulation.
/// `simulated` is the report of one replica. Costs and times that differ by rounding are equal: of equally cheap plans
/// the one with the shorter time per token is better, then the one with the earlier first token, then replicas of fewer
/// devices. With `spare` or `zones` the fewest slices that keep the targets
/// are those that are left, and the others come on top; losses themselves, when running requests begin again elsewhere,
/// are not simulated. Layouts that a named engine does not run are no plans (`layout_limit`). Throws, naming the field,
/// for an invalid request, and for a job that the engine does not run. Worked: with 6 slices for 40 requests a second,
/// `share` has 6.67.
[[nodiscard]] inline serving_plan_answer plan_serving(const serving_request& asked) {
  std::int64_t steps = detail::most_planning_steps;
  return detail::plan_within(asked, steps);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
