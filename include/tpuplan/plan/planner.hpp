#ifndef TPUPLAN_PLAN_PLANNER_HPP
#define TPUPLAN_PLAN_PLANNER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tpuplan/plan/plan.hpp>
#include <tuple>
#include <utility>
#include <vector>

/// @file
/// The search: every documented single slice, with power-of-two FSDP x tensor layouts, microbatches and named remat
/// policies. The best of each slice is kept, and the slices are ranked.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// What the search of one slice came to: a plan, or the reason that came closest to one.
struct slice_search {
  std::optional<plan> best;
  rejected_slice closest;
};

/// Later reasons are closer to a plan than earlier ones.
inline void come_closer(slice_search& search, rejection why, double amount) {
  const bool closer = static_cast<int>(why) > static_cast<int>(search.closest.why);
  const bool same = why == search.closest.why && amount < search.closest.amount;
  if (closer || same) search.closest = {search.closest.where, why, amount};
}

inline std::vector<remat_policy> policies_to_try(const plan_request& request) {
  if (request.fixed_remat) return {request.job.remat};
  return {remat::none,          remat::minimal,       remat::save_dot_with_context_except_mlp,
          remat::save_qkv_proj, remat::save_out_proj, remat::full};
}

/// Takes the candidate if it fits and is faster than the best so far.
inline void try_candidate(slice_search& search, const plan_request& request, const layout& mesh, const training& job,
                          std::int64_t& candidates) {
  const slice& where = search.closest.where;
  const memory_breakdown memory = memory_use(request.model, job, mesh, where);
  ++candidates;
  const verdict fit = fits(memory);
  if (fit == verdict::no) return come_closer(search, rejection::does_not_fit, (memory.low - memory.usable).value());
  if (fit == verdict::uncertain && !request.accept_uncertain) {
    return come_closer(search, rejection::fit_uncertain, (memory.high - safe_share * memory.usable).value());
  }
  const step_breakdown step = step_time(request.model, job, mesh, where, request.constants);
  if (search.best && search.best->step.total <= step.total) return;
  plan found;
  found.where = where;
  found.mesh = mesh;
  found.job = job;
  found.memory = memory;
  found.fit = fit;
  found.step = step;
  found.steps = math::ceil(request.tokens / static_cast<double>(tokens_per_step(job)));
  found.run = step.total * found.steps;
  search.best = std::move(found);
}

/// The fastest layout, microbatch and policy that fit on one slice.
inline slice_search search_slice(const slice& where, const plan_request& request, std::int64_t& candidates) {
  slice_search search;
  search.closest = {where, rejection::no_such_rate, 0};
  const bool brings_state = request.job.state_on_host != host_state::none;
  if (!has_peak_rate(where.chip, request.job.compute)) return search;
  if (brings_state && !where.chip.host.pcie.has_value()) return search;
  search.closest = {where, rejection::batch_does_not_divide, static_cast<double>(devices(where))};
  const std::vector<remat_policy> policies = policies_to_try(request);
  for (std::int64_t tensor = 1; tensor <= 16 && devices(where) % tensor == 0; tensor *= 2) {
    layout mesh;
    mesh.tensor = tensor;
    mesh.fsdp = devices(where) / tensor;
    if (request.model.attention.heads % tensor != 0) break;
    for (std::int64_t accumulation = 1; accumulation <= 16; accumulation *= 2) {
      if (request.job.global_batch % checked_multiply(mesh.fsdp, accumulation) != 0) break;
      for (const remat_policy& policy : policies) {
        training job = request.job;
        job.gradient_accumulation = accumulation;
        job.remat = policy;
        try_candidate(search, request, mesh, job, candidates);
      }
    }
  }
  return search;
}

/// What a run costs under one kind of provisioning, spot with checkpoints at the best interval and preemptions.
inline plan_cost cost_of(const plan& p, const price_row& price, const spot_assumptions& spot) {
  plan_cost result;
  result.kind = price.kind;
  result.price = price;
  const usd_per_second per_second_price = rate(price.per_chip, checked_multiply(chips(p.where), slices(p.mesh)));
  if (price.kind != provisioning::spot) {
    const run_cost uninterrupted = cost_of_run(p.where, slices(p.mesh), p.run, price);
    result.billed = uninterrupted.billed;
    result.wall = uninterrupted.wall;
  } else {
    spot_run run;
    run.work = p.run;
    run.mean_time_between_preemptions = spot.mean_time_between_preemptions;
    run.restart_time = spot.restart_time;
    run.checkpoint_time = spot.checkpoint_time;
    run.queue_time = spot.queue_time;
    run.checkpoint_interval = min(optimal_interval(spot.checkpoint_time, spot.mean_time_between_preemptions), p.run);
    const expected_spot_run expected = expected_run(run);
    result.billed = expected.billed;
    result.wall = expected.wall;
    result.preemptions = expected.preemptions;
    result.checkpoint_interval = run.checkpoint_interval;
  }
  result.total = cost(per_second_price, result.billed);
  result.low = result.total * (p.step.low / p.step.total);
  result.high = result.total * (p.step.high / p.step.total);
  return result;
}

/// All kinds that have a price; calendar and flex-start only where the run is not too long for them.
inline void add_costs(plan& p, const plan_request& request) {
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(request.prices, p.where, request.region, kind);
    if (!price) continue;
    if (kind == provisioning::flex_start && p.run > 7_days) continue;
    if (kind == provisioning::calendar && p.run > 90_days) continue;
    p.costs.push_back(cost_of(p, *price, request.spot));
  }
}

/// The reason why a plan is outside of the request's limits, if it is.
inline std::optional<rejected_slice> limit_missed(const plan& p, const plan_request& request) {
  const plan_cost* ranked = find_cost(p, request.ranked_by);
  if (ranked == nullptr) return rejected_slice{p.where, rejection::no_price, 0};
  if (request.deadline && ranked->wall > *request.deadline) {
    return rejected_slice{p.where, rejection::misses_deadline, (ranked->wall - *request.deadline).value()};
  }
  if (request.budget && ranked->total > *request.budget) {
    return rejected_slice{p.where, rejection::over_budget, (ranked->total - *request.budget).value()};
  }
  return std::nullopt;
}

inline void rank(std::vector<plan>& plans, const plan_request& request) {
  // Ties are broken by size and name, so that the order does not depend on the sort.
  const auto key = [&](const plan& p) {
    const plan_cost& ranked = *find_cost(p, request.ranked_by);
    const double money = ranked.total.value();
    const double time = ranked.wall.value();
    const std::int64_t size = chips(p.where);
    const auto first = request.best == objective::fastest        ? time
                       : request.best == objective::fewest_chips ? static_cast<double>(size)
                                                                 : money;
    const double second = request.best == objective::cheapest ? time : money;
    return std::make_tuple(first, second, size, name(p.where));
  };
  std::sort(plans.begin(), plans.end(), [&](const plan& a, const plan& b) { return key(a) < key(b); });
  for (plan& p : plans) {
    const plan_cost& mine = *find_cost(p, request.ranked_by);
    p.on_front = std::none_of(plans.begin(), plans.end(), [&](const plan& other) {
      const plan_cost& its = *find_cost(other, request.ranked_by);
      const bool better = its.total < mine.total || its.wall < mine.wall;
      return better && its.total <= mine.total && its.wall <= mine.wall;
    });
  }
}

inline void check_request(const plan_request& request) {
  validate(request.model);
  validate(request.job);
  in_range("plan.tokens", request.tokens, 1, 1e18, "1 to 1e18 tokens");
  if (request.deadline) positive("plan.deadline in seconds", request.deadline->value());
  if (request.budget) positive("plan.budget in dollars", request.budget->value());
  positive_count("plan.smallest_chips", request.smallest_chips);
  positive_count("plan.largest_chips", request.largest_chips);
  if (request.smallest_chips > request.largest_chips) {
    fail(errc::invalid_argument, "plan.smallest_chips", request.smallest_chips, "at most plan.largest_chips");
  }
  for (const std::string& generation : request.generations) (void)chip_for(generation);
  bool known_region = false;
  for (std::size_t i = 0; i < request.prices.size() && !known_region; ++i) {
    known_region = same_name(request.prices.row(i).region, request.region);
  }
  if (!known_region) {
    fail(errc::unknown_name, "plan.region", request.region, "a region of the price book, or us for its US default");
  }
}

inline bool is_wanted(const slice& s, const plan_request& request) {
  if (!schedulable(s) || chips(s) < request.smallest_chips || chips(s) > request.largest_chips) return false;
  if (request.generations.empty()) return true;
  return std::any_of(request.generations.begin(), request.generations.end(),
                     [&](const std::string& wanted) { return chip_for(wanted).name == s.chip.name; });
}

}  // namespace detail

/// The best plans to train a model on that many tokens, best first, and one reason for each slice that is not among
/// them. Every returned plan re-evaluates to the same figures through `memory_use` and `step_time`. Throws, naming the
/// field, for requests that cannot be asked (no tokens, negative deadline, unknown region or generation).
[[nodiscard]] inline plan_answer make_plan(const plan_request& request) {
  detail::check_request(request);
  plan_answer answer;
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice where = slice_at(i);
    if (!detail::is_wanted(where, request)) continue;
    const detail::slice_row* named = detail::named_row(detail::generation_index(where.chip), chips(where));
    if (named != &detail::slice_rows[i]) continue;  // other VM layouts and shapes of the same size
    detail::slice_search search = detail::search_slice(where, request, answer.candidates);
    if (!search.best) {
      answer.rejected.push_back(search.closest);
      continue;
    }
    detail::add_costs(*search.best, request);
    if (const std::optional<rejected_slice> missed = detail::limit_missed(*search.best, request)) {
      answer.rejected.push_back(*missed);
    } else {
      answer.plans.push_back(std::move(*search.best));
    }
  }
  detail::rank(answer.plans, request);
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
