#ifndef TPUPLAN_PLAN_RELAX_HPP
#define TPUPLAN_PLAN_RELAX_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/plan/chance.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/regions.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// Where a request of training has no plan, which single limit to relax and how far; and what serving shares of it.

namespace tpuplan {
inline namespace abi_0 {

/// A limit of a request. `deadline`, `slices`, `quotas`, `batch`, `chance`, `degrees` and `policies` are limits of
/// training; `tpot` and `ttft` are the targets of serving for mean times, and `targets` is both of them, relaxed by the
/// same factor; `first_token`, `per_token` and `end_to_end` are its targets by percentile.
enum class plan_limit : std::uint8_t {
  deadline,
  budget,
  chips,
  slices,
  quotas,
  kinds,
  generation,
  uncertain,
  batch,
  chance,
  tpot,
  ttft,
  targets,
  first_token,
  per_token,
  end_to_end,
  degrees,
  smallest_chips,
  regions,
  policies,
};

/// "deadline" and so on.
[[nodiscard]] constexpr std::string_view name(plan_limit what) noexcept {
  constexpr const char* names[] = {"deadline",   "budget",     "chips",          "slices",      "quotas",
                                   "kinds",      "generation", "uncertain",      "batch",       "chance",
                                   "tpot",       "ttft",       "targets",        "first_token", "per_token",
                                   "end_to_end", "degrees",    "smallest_chips", "regions",     "policies"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// One limit of a training request that, relaxed alone, lets a plan in: what it was, what it would have to be, and that
/// plan. The unit is that of the limit: seconds, dollars, chips, slices, sequences; 0 where it is no number.
struct relaxation {
  plan_limit limit = plan_limit::deadline;  ///< the one that is relaxed
  double given = 0;                         ///< what it was
  double needed = 0;                        ///< what it would have to be
  plan nearest{};                           ///< the plan that it lets in
};

namespace detail {

template <class Request>
inline constexpr bool is_training = std::is_same_v<Request, plan_request>;

/// What a budget counts: the dollars of a training run, or dollars per second of slices that serve.
inline double money_of(const plan& planned) { return chosen_cost(planned).total.value(); }
inline double money_of(const serving_plan& planned) { return planned.rate.value(); }

/// Whether a degree of the layout is not left to the search.
inline bool has_fixed_degrees(const fixed_degrees& of) {
  const fixed_degrees open;
  for (const auto degree : {&fixed_degrees::data, &fixed_degrees::fsdp, &fixed_degrees::tensor, &fixed_degrees::expert,
                            &fixed_degrees::context, &fixed_degrees::pipeline, &fixed_degrees::dcn_data,
                            &fixed_degrees::dcn_fsdp, &fixed_degrees::dcn_pipeline}) {
    if (of.*degree != open.*degree) return true;
  }
  return false;
}

/// Removes a limit that only training has from a request; false where it has none.
inline bool take_off(plan_request& request, plan_limit limit) {
  switch (limit) {
    case plan_limit::deadline:
      request.best = objective::fastest;
      request.most_plans = 0;
      return std::exchange(request.deadline, nothing).has_value();
    case plan_limit::quotas: request.best = objective::fewest_chips; return !std::exchange(request.quotas, {}).empty();
    case plan_limit::degrees: return has_fixed_degrees(std::exchange(request.degrees, {}));
    case plan_limit::policies: return !std::exchange(request.policies, {}).empty();
    default: return false;
  }
}

/// Takes all regions of the price book, of which those that nobody named count as those of an area do; false where a
/// request has them all.
template <class Request>
bool take_off_regions(Request& request) {
  std::vector<std::string> others;
  for (const std::string& one : all_regions(request.prices)) {
    if (!contains(request.regions, one)) others.push_back(one);
  }
  for (std::vector<std::string>* to : {&request.regions, &request.regions_by_area})
    to->insert(to->end(), others.begin(), others.end());
  return !others.empty();
}

/// The request without a limit, ranked so that the plan nearest to that limit comes first; nothing where it has none.
template <class Request>
std::optional<Request> without(Request request, plan_limit limit) {
  bool had_limit = true;
  switch (limit) {
    case plan_limit::budget:
      had_limit = std::exchange(request.budget, nothing).has_value();
      // The fewest chips of a slice that serve are the fewest dollars an hour, though not for each token.
      request.best = is_training<Request> ? objective::cheapest : objective::fewest_chips;
      request.most_plans = 0;
      break;
    case plan_limit::chips:
      had_limit = request.largest_chips < most_devices;
      request.largest_chips = most_devices;
      request.best = objective::fewest_chips;
      break;
    case plan_limit::smallest_chips:
      had_limit = std::exchange(request.smallest_chips, 1) > 1;
      request.most_plans = 0;
      break;
    case plan_limit::regions: had_limit = take_off_regions(request); break;
    case plan_limit::kinds: request.kinds.assign(all_provisioning.begin(), all_provisioning.end()); break;
    case plan_limit::generation: had_limit = !std::exchange(request.generations, {}).empty(); break;
    case plan_limit::uncertain: had_limit = !std::exchange(request.accept_uncertain, true); break;
    default:
      if constexpr (is_training<Request>) had_limit = take_off(request, limit);
  }
  return had_limit ? std::optional<Request>{std::move(request)} : std::nullopt;
}

/// How far a plan is from a limit that others are nearer to, whatever they are ranked by: the dollars, seconds or
/// slices that it needs, and chips, of which too few were found. 0 of other limits, by which plans are ranked.
template <class Plan>
double distance_of(const Plan& planned, plan_limit limit) {
  if (limit == plan_limit::budget) return money_of(planned);
  if (limit == plan_limit::smallest_chips) return -static_cast<double>(chips_of(planned));
  if constexpr (std::is_same_v<Plan, plan>) {
    if (limit == plan_limit::deadline) return chosen_cost(planned).wall.value();
    if (limit == plan_limit::slices) return static_cast<double>(slices(planned.mesh));
  }
  return 0;
}

/// The plan that is nearest to a limit, of several the best; nothing where there is none.
template <class Plan>
std::optional<Plan> nearest_of(std::vector<Plan> plans, plan_limit limit) {
  const auto nearer = [limit](const Plan& a, const Plan& b) { return distance_of(a, limit) < distance_of(b, limit); };
  const auto found = std::min_element(plans.begin(), plans.end(), nearer);
  return found == plans.end() ? std::nullopt : std::make_optional(std::move(*found));
}

/// What a limit was, and what it would have to be for a plan.
template <class Request, class Plan>
std::pair<double, double> amounts(plan_limit limit, const Request& request, const Plan& nearest) {
  const auto chip_count = static_cast<double>(chips_of(nearest));
  if (limit == plan_limit::budget) return {request.budget->value(), money_of(nearest)};
  if (limit == plan_limit::chips) return {static_cast<double>(request.largest_chips), chip_count};
  if (limit == plan_limit::smallest_chips) return {static_cast<double>(request.smallest_chips), chip_count};
  if (limit == plan_limit::quotas) return {0, chip_count};
  if constexpr (is_training<Request>) {
    if (limit == plan_limit::deadline) return {request.deadline->value(), chosen_cost(nearest).wall.value()};
    if (limit == plan_limit::slices)
      return {static_cast<double>(request.largest_slices), static_cast<double>(slices(nearest.mesh))};
  }
  return {0, 0};
}

/// Adds every one of the given limits whose removal lets a plan in; `plans_of(relaxed, limit)` makes the plans.
template <class Relaxation, class Request, class Plans>
void relax(std::vector<Relaxation>& list, const Request& request, std::initializer_list<plan_limit> limits,
           const Plans& plans_of) {
  for (const plan_limit limit : limits) {
    const std::optional<Request> relaxed = without(request, limit);
    if (!relaxed) continue;
    auto nearest = nearest_of(plans_of(*relaxed, limit), limit);
    if (!nearest) continue;
    const std::pair<double, double> amount = amounts(limit, request, *nearest);
    list.push_back({limit, amount.first, amount.second, std::move(*nearest)});
  }
}

/// The fewest slices with a plan, of up to 4 times as many as are allowed, or else 16 times and so on, to 64.
template <class Plans>
std::optional<relaxation> relax_slices(plan_request request, const Plans& plans_of) {
  const std::int64_t given = request.largest_slices;
  request.best = objective::fewest_chips;
  request.most_plans = 0;
  while (request.largest_slices < 64) {
    request.largest_slices = std::min<std::int64_t>(64, 4 * request.largest_slices);
    std::optional<plan> found = nearest_of(plans_of(request, plan_limit::slices), plan_limit::slices);
    if (!found) continue;
    const auto needed = static_cast<double>(slices(found->mesh));
    return relaxation{plan_limit::slices, static_cast<double>(given), needed, std::move(*found)};
  }
  return std::nullopt;
}

/// The largest smaller batch with a plan: half of it, a quarter, down to a 64th; where there is none the smallest
/// larger one, twice as large, up to 64 times and to the tokens of the run.
template <class Plans>
std::optional<relaxation> relax_batch(plan_request request, const Plans& plans_of) {
  if (request.largest_batch_tokens > 0) return std::nullopt;
  const std::int64_t given = request.job.global_batch;
  const auto with = [&](std::int64_t batch) -> std::optional<relaxation> {
    request.job.global_batch = batch;
    std::optional<plan> found = nearest_of(plans_of(request, plan_limit::batch), plan_limit::batch);
    if (!found) return std::nullopt;
    return relaxation{plan_limit::batch, static_cast<double>(given), static_cast<double>(batch), std::move(*found)};
  };
  for (std::int64_t batch = given, halving = 0; halving < 6 && batch % 2 == 0; ++halving) {
    batch /= 2;
    if (std::optional<relaxation> smaller = with(batch)) return smaller;
  }
  const double most = request.tokens / static_cast<double>(request.job.sequence_length);
  for (std::int64_t times = 2; times <= 64 && static_cast<double>(times * given) <= most; times *= 2)
    if (std::optional<relaxation> larger_one = with(times * given)) return larger_one;
  return std::nullopt;
}

/// Whether a limit is one of what plans cost or take, which needs no other search of layouts.
[[nodiscard]] constexpr bool is_of_payment(plan_limit limit) noexcept {
  return limit == plan_limit::deadline || limit == plan_limit::budget || limit == plan_limit::quotas ||
         limit == plan_limit::kinds || limit == plan_limit::chance || limit == plan_limit::regions;
}

/// Whether a request takes all of these chips already.
inline bool takes_all(const plan_request& request, const std::vector<std::string>& chip_names) {
  for (const std::string& one : chip_names) {
    if (!contains(request.generations, one)) return false;
  }
  return true;
}

/// The deadline or budget that the runs of a plan keep with the chance of a request under a way of paying, within its
/// other limit; nothing where fewer of them end.
inline std::optional<double> kept_with_chance(const plan& planned, const plan_cost& cost, plan_limit limit,
                                              const plan_request& request) {
  const played_plan one = played_at(planned, cost, request);
  std::vector<double> amounts;
  for (const played_run& whole : played_runs(one.job, one.limits, {}, runs_of_a_plan, 1)) {
    const played_run run = within_window(whole, one.prices);
    if (!run.ended) continue;
    const usd total = paid_for(run, one.prices);
    const kept_limits kept = limits_kept(run, total, one.limits);
    if (kept.deadline && kept.budget)
      amounts.push_back(limit == plan_limit::deadline ? run.wall.value() : total.value());
  }
  std::sort(amounts.begin(), amounts.end());
  return amount_at(amounts, runs_of_a_plan, *request.chance);
}

/// The least deadline or budget that some plan under some way of paying keeps with the chance of a request, within its
/// other limit; infinite where none does. Those that are nearest without a chance are played first, and those not that
/// would be hopeless within twice of what was found.
inline double least_with_chance(const std::vector<plan>& plans, plan_limit limit, plan_request request) {
  struct playable {
    double least = 0;  // of the amount
    const plan* planned = nullptr;
    const plan_cost* cost = nullptr;
  };
  std::vector<playable> candidates;
  const bool is_time = limit == plan_limit::deadline;
  for (const plan& planned : plans) {
    for (const plan_cost& cost : planned.costs) {
      if (!contains(request.kinds, cost.kind) || !is_within_quota(planned, cost, request)) continue;
      if (is_hopeless(planned, cost, request)) continue;
      const least_amounts least = least_of(planned, cost);
      candidates.push_back({is_time ? least.wall.value() : least.total.value(), &planned, &cost});
    }
  }
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.least < b.least; });
  double needed = std::numeric_limits<double>::infinity();
  luck_of_runs luck(runs_of_a_plan);
  const auto may_be_less = [&](const playable& one) {
    if (!is_finite(needed) && !request.deadline && !request.budget) return true;
    played_plan within = played_at(*one.planned, *one.cost, request);
    if (is_finite(needed) && is_time) within.limits.deadline = seconds{needed};
    if (is_finite(needed) && !is_time) within.limits.budget = usd{needed};
    return chances_above(*request.chance, within.job, within.prices, within.limits, luck).has_value();
  };
  for (const playable& one : candidates) {
    if (one.least > 2 * needed) break;
    if (!may_be_less(one)) continue;
    needed = smaller(needed, kept_with_chance(*one.planned, *one.cost, limit, request).value_or(needed));
  }
  return needed;
}

/// Every plan of a request, whatever it takes and costs, and with whatever chance.
template <class Plans>
std::vector<plan> without_limits(plan_request request, plan_limit limit, const Plans& plans_of) {
  request.chance = nothing, request.deadline = nothing, request.budget = nothing;
  request.most_plans = 0;
  return plans_of(request, limit);
}

/// A deadline or a budget that is to be kept with a chance, relaxed to the least that some plan keeps.
template <class Plans>
std::optional<relaxation> relax_amount(const plan_request& request, plan_limit limit, const Plans& plans_of) {
  std::optional<plan_request> open = without(request, limit);
  if (!open) return std::nullopt;
  const double needed = least_with_chance(without_limits(*open, limit, plans_of), limit, *open);
  if (!(needed < std::numeric_limits<double>::infinity())) return std::nullopt;
  const bool is_time = limit == plan_limit::deadline;
  if (is_time) open->deadline = seconds{needed};
  if (!is_time) open->budget = usd{needed};
  std::optional<plan> found = nearest_of(plans_of(*open, limit), plan_limit::chance);
  if (!found) return std::nullopt;
  return relaxation{limit, is_time ? request.deadline->value() : request.budget->value(), needed, std::move(*found)};
}

/// A chance that is relaxed to the best that some plan has; nothing where none can be asked for.
template <class Plans>
std::optional<relaxation> relax_chance(const plan_request& request, const Plans& plans_of) {
  luck_of_runs luck(runs_of_a_plan);
  double best = 0;
  for (plan& one : without_limits(request, plan_limit::chance, plans_of)) count_chances(one, request, luck, best);
  if (best < least_asked_chance) return std::nullopt;
  plan_request relaxed = request;
  relaxed.chance = best;
  std::optional<plan> found = nearest_of(plans_of(relaxed, plan_limit::chance), plan_limit::chance);
  if (!found) return std::nullopt;
  return relaxation{plan_limit::chance, *request.chance, best, std::move(*found)};
}

/// Adds every limit that, relaxed alone, lets a plan in; `found` is the search of the request itself. A limit whose
/// search takes more than the steps that are left goes to `unsearched`. Generations are relaxed to those `there`, to
/// all where it names none.
inline void relax_training(const plan_request& request, const searched_slices& found, std::int64_t left,
                           const std::vector<std::string>& there, std::vector<relaxation>& list,
                           std::vector<plan_limit>& unsearched) {
  luck_of_runs luck(runs_of_a_plan);
  const auto plans_of = [&](plan_request relaxed, plan_limit limit) -> std::vector<plan> {
    if (limit == plan_limit::generation && !there.empty()) {
      if (takes_all(request, there)) return {};
      relaxed.generations = there;
    }
    double surely = 1;  // what is no plan need not be close to one
    const auto judge = [&](plan& planned) { count_chances(planned, relaxed, luck, surely); };
    if (is_of_payment(limit)) return priced_answer(found, relaxed, judge).plans;
    searched_slices other;
    if (left >= 0 && search_slices(relaxed, other, left)) return priced_answer(std::move(other), relaxed, judge).plans;
    if (!contains(unsearched, limit)) unsearched.push_back(limit);
    return {};
  };
  const auto keep = [&list](std::optional<relaxation> one) {
    if (one) list.push_back(std::move(*one));
  };
  if (request.chance) {
    keep(relax_amount(request, plan_limit::deadline, plans_of));
    keep(relax_amount(request, plan_limit::budget, plans_of));
    keep(relax_chance(request, plans_of));
  } else {
    relax(list, request, {plan_limit::deadline, plan_limit::budget}, plans_of);
  }
  relax(list, request,
        {plan_limit::chips, plan_limit::quotas, plan_limit::kinds, plan_limit::generation, plan_limit::uncertain,
         plan_limit::degrees, plan_limit::policies, plan_limit::smallest_chips},
        plans_of);
  keep(relax_slices(request, plans_of));
  if (there.empty()) relax(list, request, {plan_limit::regions}, plans_of);
  keep(relax_batch(request, plans_of));
}

}  // namespace detail

/// The answer to a training request, and where it has no plan, what to relax.
struct relaxed_answer {
  plan_answer answer{};                   ///< that of `make_plan`
  std::vector<relaxation> relaxations{};  ///< every limit that, relaxed alone, lets a plan in, with the nearest plan
  std::vector<plan_limit> unsearched{};   ///< limits that are left out, because their searches take too many steps
};

/// `make_plan`, and where there is no plan every limit that, relaxed alone, gives one. All searches together take no
/// more steps than one plan may; a deadline, a budget, quotas and ways of paying are relaxed without another search.
/// `generations_there` are the chips that the place of the request has, beyond which none is relaxed to; empty: all.
/// Throws as `make_plan` does. Worked: a deadline of an hour for 10^12 tokens needs the fastest plan's time.
[[nodiscard]] inline relaxed_answer plan_or_relax(const plan_request& request,
                                                  const std::vector<std::string>& generations_there = {}) {
  detail::searched_slices found;
  std::int64_t left = 16 * detail::most_search_steps;
  if (!detail::search_slices(request, found, left)) detail::refuse_search();
  relaxed_answer result;
  luck_of_runs luck(runs_of_a_plan);
  double best = 0;
  result.answer = detail::priced_answer(found, request,
                                        [&](plan& planned) { detail::count_chances(planned, request, luck, best); });
  if (result.answer.plans.empty())
    detail::relax_training(request, found, left, generations_there, result.relaxations, result.unsearched);
  return result;
}

/// The relaxations of `plan_or_relax` alone. Worked: none for a request that has a plan.
[[nodiscard]] inline std::vector<relaxation> relaxations(const plan_request& request) {
  return plan_or_relax(request).relaxations;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
