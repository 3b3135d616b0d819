#ifndef TPUPLAN_PLAN_SERVER_SEARCH_HPP
#define TPUPLAN_PLAN_SERVER_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/engines.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/plan/layouts.hpp>
#include <tpuplan/plan/order.hpp>
#include <tpuplan/plan/search.hpp>
#include <tpuplan/plan/serving_request.hpp>
#include <tpuplan/plan/sorting.hpp>
#include <tpuplan/simulate/replica_rates.hpp>
#include <utility>
#include <vector>

/// @file
/// The search of a plan for serving: of every slice the layouts of a replica, how many slices of each the traffic
/// needs, and the best price.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The best plans for one kind of slice, or what came closest to one.
struct server_search {
  rejected_server closest{};
  maybe<price_row> price{};  // the lowest that is compared
  best_of_equals<serving_plan> best{};
  maybe<double> undecided{};  // the least that a plan which was not simulated has of what is compared
};

/// A layout that keeps the targets for mean times, with the fewest slices; whether it keeps those by percentile is
/// open.
struct open_layout {
  std::size_t search = 0;  // of its slice
  serving_plan least{};
};

inline std::int64_t chips_of(const serving_plan& planned) {
  return checked_multiply(chips(planned.where), planned.slices);
}

/// What plans are ranked by: for the cheapest the cost per output token, of an encoder per input token, otherwise the
/// rate of all slices; then the time per token, and the time to the first one.
inline rank_figures worth_of(const serving_plan& planned, objective best) {
  const double rate = planned.rate.value(), token = planned.estimate.per_token.total.value();
  const double first = planned.estimate.first_token.value();
  switch (best) {
    case objective::fastest: return {token > 0 ? token : first, rate, first};
    case objective::fewest_chips: return {static_cast<double>(chips_of(planned)), rate, token, first};
    case objective::cheapest: break;
  }
  const usd each = token > 0 ? planned.cost.all_on_output : planned.cost.input;
  return {each.value(), token, first};
}

/// The canonical order of equally good layouts of one slice: fewer devices a replica, keys and values by heads,
/// attention over all devices or else in larger groups, fewer slices.
inline bool simpler_first(const serving_plan& a, const serving_plan& b) {
  if (a.mesh.tensor != b.mesh.tensor) return a.mesh.tensor < b.mesh.tensor;
  if (a.mesh.cache != b.mesh.cache) return a.mesh.cache < b.mesh.cache;
  if ((a.mesh.attention == 0) != (b.mesh.attention == 0)) return a.mesh.attention == 0;
  if (a.mesh.attention != b.mesh.attention) return a.mesh.attention > b.mesh.attention;
  return a.slices < b.slices;
}

/// What a plan that others dominate is behind in, in the unit of the rejection.
inline double compared_of(const serving_plan& planned, const serving_request& request) {
  if (request.best == objective::cheapest && request.job.request_rate.value() > 0) return in_usd_per_hour(planned.rate);
  return worth_of(planned, request.best)[0];
}

/// The traffic of one of `slices` slices, which share it evenly; products in bf16 where the chip has no others.
inline serving_job share_of(const serving_job& job, std::int64_t slices, const chip_spec& chip) {
  serving_job share = job;
  if (!has_peak_rate(chip, job.activations)) share.activations = dtype::bf16;
  share.request_rate = job.request_rate / static_cast<double>(slices);
  share.concurrency = job.concurrency > 0 ? ceil_div(job.concurrency, slices) : 0;
  return share;
}

/// Seconds by which a target is missed; 0 where both are kept.
inline double missed_by(const serving_estimate& estimate, const serving_job& job) {
  double missed = 0;
  if (!estimate.meets_ttft) missed = (estimate.first_token - job.ttft_target).value();
  if (!estimate.meets_tpot) missed = std::max(missed, (estimate.per_token.total - job.tpot_target).value());
  return missed;
}

/// The same where every step takes as much longer as what is taken of the capacity says, as by a slower clock: requests
/// come closer together, and the targets are shorter.
inline double missed_slowed(const serving_estimate& estimate, const serving_job& share, const serving_layout& mesh,
                            const slice& where, const serving_request& request) {
  const bool has_targets = share.ttft_target.value() > 0 || share.tpot_target.value() > 0;
  if (request.capacity_taken == 0 || !has_targets) return missed_by(estimate, share);
  const double slower = slowed(request);
  serving_job job = share;
  job.request_rate *= slower;
  job.ttft_target = job.ttft_target / slower, job.tpot_target = job.tpot_target / slower;
  const serving_estimate slow = serve(request.model, job, mesh, where, request.constants);
  if (slow.refusal != serving_refusal::none) return std::max(1e-9, (slower * slow.floor - share.tpot_target).value());
  return slower * missed_by(slow, job);
}

/// The rate of requests at each replica of a plan.
inline per_second rate_of_replica(const serving_plan& planned) {
  return planned.share.request_rate / static_cast<double>(planned.estimate.replicas);
}

/// The most slices of a kind that serve within the chips that are allowed; one is always tried.
inline std::int64_t most_slices(const serving_request& request, const slice& where) {
  return most_serving(request, request.largest_chips / chips(where));
}

/// A plan of that many slices, without a price.
inline serving_plan plan_of(const serving_request& request, const slice& where, const serving_layout& mesh,
                            std::int64_t slices) {
  serving_plan planned;
  planned.where = where;
  planned.mesh = mesh;
  planned.slices = slices;
  planned.share = share_of(request.job, slices, where.chip);
  planned.estimate = serve(request.model, planned.share, mesh, where, request.constants);
  return planned;
}

/// Whether the capacity that is to be had of each slice is above its traffic.
inline bool has_capacity(const serving_request& request, const serving_plan& planned) {
  return planned.estimate.refusal != serving_refusal::rate_above_capacity &&
         (request.capacity_taken == 0 ||
          planned.share.request_rate <= planned.estimate.capacity * (1 - request.capacity_taken));
}

/// The fewest chips that it may take, spare ones included, where so many slices are too few.
inline double chips_beyond(const serving_request& request, const slice& where, std::int64_t slices) {
  return static_cast<double>(checked_multiply(slices_with_spare(request, slices + 1), chips(where)));
}

/// The plan with spare slices beside those of a plan that keeps the targets.
inline serving_plan with_spare(const serving_request& request, serving_plan planned) {
  const std::int64_t all = slices_with_spare(request, planned.slices);
  if (all == planned.slices) return planned;
  serving_plan more = plan_of(request, planned.where, planned.mesh, all);
  more.spare = all - planned.slices;
  more.without_spare = planned.estimate;
  return more;
}

/// The plan with the fewest slices that keep the targets for mean times: the more there are, the less traffic each
/// gets. Their number is doubled until they are enough, then the gap is halved. `tried` is the plan of one slice.
inline std::optional<serving_plan> with_fewest_slices(server_search& search, const serving_request& request,
                                                      serving_plan tried, std::int64_t& candidates) {
  const auto is_enough = [&](const serving_plan& planned) {
    ++candidates;
    if (planned.estimate.refusal != serving_refusal::none || !has_capacity(request, planned)) return false;
    const double missed = missed_slowed(planned.estimate, planned.share, planned.mesh, planned.where, request);
    if (missed > 0) come_closer(search.closest, serving_rejection::misses_target, missed);
    return missed == 0;
  };
  const std::int64_t most = most_slices(request, tried.where);
  const bool grows = request.job.request_rate.value() > 0 || request.job.concurrency > 0;
  const auto with = [&](std::int64_t slices) { return plan_of(request, tried.where, tried.mesh, slices); };
  while (!is_enough(tried)) {
    if (!grows || tried.slices >= most) {
      if (!has_capacity(request, tried))
        come_closer(search.closest, serving_rejection::too_many_chips,
                    chips_beyond(request, tried.where, tried.slices));
      return std::nullopt;
    }
    tried = with(std::min(most, 2 * tried.slices));
  }
  std::int64_t low = tried.slices / 2;
  while (tried.slices - low > 1) {
    const std::int64_t middle = low + (tried.slices - low) / 2;
    if (serving_plan fewer = with(middle); is_enough(fewer)) {
      tried = std::move(fewer);
    } else {
      low = middle;
    }
  }
  return tried;
}

/// The lowest price that is compared, of slices of that size: of equal ones the first by region and way of paying.
inline maybe<price_row> lowest_price(const serving_request& request, const price_index& prices, const slice& where) {
  maybe<price_row> lowest;
  double least = 0;
  for (const bool choose : {false, true}) {
    prices.each(where.chip.name, chips(where), [&](const price_row& price) {
      if (!is_compared(request, price.kind) || (choose && lowest)) return;
      const double each = price.per_chip.value();
      if (choose && !is_beyond(each, least)) lowest = price;
      if (!choose && (least == 0 || each < least)) least = each;
    });
  }
  return lowest;
}

/// The plan at the best price that is allowed; nothing where there is none.
inline std::optional<serving_plan> priced(server_search& search, const serving_request& request, serving_plan planned) {
  if (!search.price) {
    come_closer(search.closest, serving_rejection::no_price, 0);
    return std::nullopt;
  }
  const price_row& price = *search.price;
  planned.kind = price.kind;
  planned.term = is_commitment(price.kind) ? commitment_term(price.kind) : seconds{};
  planned.region = std::string(price.region.view());
  planned.price = price;
  planned.cost = cost_of_tokens(planned.estimate, planned.where, price);
  planned.rate = planned.cost.rate * static_cast<double>(planned.slices);
  if (request.budget && is_over(planned.rate, *request.budget)) {
    come_closer(search.closest, serving_rejection::over_budget, in_usd_per_hour(planned.rate - *request.budget));
    return std::nullopt;
  }
  if (planned.spare > 0 && chips_of(planned) > request.largest_chips) {
    come_closer(search.closest, serving_rejection::too_many_chips, static_cast<double>(chips_of(planned)));
    return std::nullopt;
  }
  if (chips_of(planned) < request.smallest_chips) {
    come_closer(search.closest, serving_rejection::too_few_chips,
                static_cast<double>(request.smallest_chips - chips_of(planned)));
    return std::nullopt;
  }
  return planned;
}

/// Whether the plan surely fits, or the request accepts uncertain ones.
inline bool is_fit(server_search& search, const serving_request& request, const serving_plan& planned) {
  if (planned.estimate.fit != verdict::uncertain || request.accept_uncertain) return true;
  const serving_memory& memory = planned.estimate.memory;
  come_closer(search.closest, serving_rejection::fit_uncertain, (memory.high - safe_share * memory.usable).value());
  return false;
}

/// Keeps a plan of a slice that may be the best of it.
inline void keep_best(server_search& search, const serving_request& request, std::optional<serving_plan> found) {
  if (found) search.best.offer(worth_of(*found, request.best), std::move(*found));
}

/// The search of a plan for every slice.
struct plan_search {
  const serving_request& request;  // without targets by percentile
  replica_rates rates;
  price_index prices;
  bool stay_open = false;   // layouts, also where there is nothing that percentiles decide
  bool any_engine = false;  // on hardware of which is not said what engines run
  std::vector<server_search> slices{};
  std::vector<open_layout> open{};
  std::int64_t candidates = 0;
};

/// The simulated report of a replica of a plan.
inline simulation_report simulated_replica(plan_search& all, const serving_plan& planned) {
  return all.rates.report_of_replica(planned.where, planned.mesh, rate_of_replica(planned));
}

/// Seconds by which one request at a time misses a target.
inline double missed_alone(const serving_request& request, const serving_plan& one) {
  serving_job alone = one.share;
  alone.request_rate = {}, alone.concurrency = 1;
  alone.ttft_target = alone.tpot_target = {};
  const serving_estimate estimate = serve(request.model, alone, one.mesh, one.where, request.constants);
  const auto over = [](seconds time, seconds target) { return target.value() > 0 ? (time - target).value() : 0; };
  return std::max(over(estimate.first_token, request.job.ttft_target),
                  over(estimate.per_token.total, request.job.tpot_target));
}

/// Whether a layout cannot serve the traffic, whatever the number of slices; `one` is its plan of one slice.
inline bool is_ruled_out(plan_search& all, const serving_plan& one) {
  const serving_request& request = all.request;
  rejected_server& closest = all.slices.back().closest;
  const auto rule_out = [&](serving_rejection why, double amount) {
    come_closer(closest, why, amount);
    return true;
  };
  switch (one.estimate.refusal) {
    case serving_refusal::does_not_fit:
      return rule_out(serving_rejection::does_not_fit,
                      serving_shortage(request.model, one.share, one.mesh, one.where).value());
    case serving_refusal::tpot_below_floor:
    case serving_refusal::ttft_below_floor:
      return rule_out(serving_rejection::misses_target, missed_alone(request, one));
    default: return false;
  }
}

/// Tries replicas of one size, if they are a layout that the engine runs: as many slices as keep the targets for mean
/// times, if they fit. With targets by percentile the layout stays open.
inline void search_layout(plan_search& all, const slice& where, const serving_layout& mesh) {
  server_search& search = all.slices.back();
  const serving_request& request = all.request;
  if (problem_of(request.model, mesh, where) != layout_problem::none) return;
  const bool latent = has_latent_attention(request.model);
  if (!all.any_engine && !layout_limit(request.job.engine, mesh, where, latent).field.empty())
    return come_closer(search.closest, serving_rejection::not_of_engine, 0);
  serving_plan one = plan_of(request, where, mesh, 1);
  if (is_ruled_out(all, one)) return;
  std::optional<serving_plan> planned = with_fewest_slices(search, request, std::move(one), all.candidates);
  if (!planned) return;
  planned = with_spare(request, std::move(*planned));
  if (all.rates.are_needed() && request.budget) {  // what misses a target at any price is not over the budget
    const seconds over = all.rates.missed_alone(where, mesh);
    if (over.value() > 0) return come_closer(search.closest, serving_rejection::misses_target, over.value());
  }
  if (!all.rates.are_needed() && !all.stay_open) {
    if (is_fit(search, request, *planned)) keep_best(search, request, priced(search, request, std::move(*planned)));
  } else if (std::optional<serving_plan> least = priced(search, request, std::move(*planned))) {
    all.open.push_back({all.slices.size() - 1, std::move(*least)});
  }
}

/// Tries data-parallel attention in replicas of that many devices, in groups of every size over which heads divide.
inline void search_groups(plan_search& all, const slice& where, std::int64_t tensor) {
  const transformer& model = all.request.model;
  if (tensor == 1 || !has_experts(model) || model.moe.experts % tensor != 0 || !writes_tokens(model)) return;
  for_each_divisor(tensor, [&](std::int64_t attention) {
    if (attention < tensor)
      search_layout(all, where, {tensor, weight_sharding::one_dimension, cache_sharding::heads, attention});
  });
}

/// Tries every size of a replica, both ways to shard the cache where they differ, and data-parallel attention.
inline void search_server(plan_search& all, const slice& where) {
  const transformer& model = all.request.model;
  server_search& search = all.slices.emplace_back();
  search.closest.where = where;
  search.price = lowest_price(all.request, all.prices, where);
  for_each_divisor(devices(where), [&](std::int64_t tensor) {
    search_groups(all, where, tensor);
    serving_layout mesh{tensor, weight_sharding::one_dimension, cache_sharding::heads};
    if (problem_of(model, mesh, where) != layout_problem::none) return;
    search_layout(all, where, mesh);
    if (!writes_tokens(model) || cache_copies(model, mesh, replica_of(mesh, where)) <= 1) return;
    mesh.cache = cache_sharding::batch;
    search_layout(all, where, mesh);
  });
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
