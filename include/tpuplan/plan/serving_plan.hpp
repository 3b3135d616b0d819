#ifndef TPUPLAN_PLAN_SERVING_PLAN_HPP
#define TPUPLAN_PLAN_SERVING_PLAN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/plan/layouts.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/plan/replica_rates.hpp>
#include <tpuplan/plan/search.hpp>
#include <tpuplan/plan/simulation.hpp>
#include <utility>
#include <vector>

/// @file
/// Which slices should serve a model: of every slice that the request allows, the size of a replica and the number of
/// slices that the traffic needs; and what they cost in each region and under each way of paying.

namespace tpuplan {
inline namespace abi_0 {

/// What is to be served, and within which limits. The traffic of `job` is that of all slices together.
struct serving_request {
  transformer model{};                                       ///< what is served
  serving_job job{};                                         ///< traffic of all slices, targets and engine
  objective best = objective::cheapest;                      ///< fastest: the shortest time per token
  std::vector<provisioning> kinds{provisioning::on_demand};  ///< ways of paying; commitments if all of them are
  std::vector<std::string> regions{"us"};                    ///< regions of the price book that may be chosen
  maybe<usd_per_second> budget{};                            ///< most dollars per second, of all slices
  std::vector<std::string> generations;                      ///< names of chips that may be chosen; empty: all
  std::vector<chip_spec> chips;                              ///< of the caller, considered beside the table's
  std::int64_t smallest_chips = 1;                           ///< fewest chips over all slices
  std::int64_t largest_chips = 1024;                         ///< most chips over all slices
  bool accept_uncertain = false;                             ///< accept plans whose memory fit is uncertain
  std::size_t most_plans = 16;                               ///< plans returned; 0: all
  price_book prices{};                                       ///< the built-in ones unless given
  serving_calibration constants{};                           ///< of the serving estimates
};

/// A number of equal slices that keeps the targets, with their replicas.
struct serving_plan {
  slice where{};                                ///< each of the slices
  serving_layout mesh{};                        ///< replicas on each of them
  std::int64_t slices = 0;                      ///< how many of them
  serving_job share{};                          ///< the traffic of one slice, without targets by percentile
  serving_estimate estimate{};                  ///< of one slice
  provisioning kind = provisioning::on_demand;  ///< the way of paying
  std::string region;                           ///< the region of the price
  price_row price{};                            ///< the row that holds, with its date
  serving_cost cost{};                          ///< per million tokens; the rate is of one slice
  usd_per_second rate{};                        ///< of all slices
  seconds term{};                               ///< a commitment: for how long the rate is paid, used or not
  simulation_report simulated{};                ///< of one replica, where there are targets by percentile
};

/// Why a kind of slice is not among the plans. Enumerators are stable; later ones are closer to a plan.
enum class serving_rejection : std::uint8_t {
  no_layout,     ///< its devices cannot be shared by the heads in any way
  does_not_fit,  ///< amount: bytes of weights per device beyond what is usable, or 0 where the cache is what is missing
  misses_target,   ///< amount: seconds over the target per token or to the first, at the least load tried
  too_many_chips,  ///< amount: chips that were tried and are too few
  no_price,        ///< no allowed way of paying has a price in these regions
  over_budget,     ///< amount: dollars an hour over
  dominated,       ///< amount: dollars an hour more than the best plan; at the least, where it was not simulated
};

/// "does_not_fit" and so on.
[[nodiscard]] constexpr std::string_view name(serving_rejection why) noexcept {
  constexpr const char* names[] = {"no_layout", "does_not_fit", "misses_target", "too_many_chips",
                                   "no_price",  "over_budget",  "dominated"};
  return detail::name_of(names, static_cast<std::size_t>(why));
}

/// A kind of slice that is not among the plans, with exactly one reason.
struct rejected_server {
  slice where{};                                         ///< the slice
  serving_rejection why = serving_rejection::no_layout;  ///< the reason
  double amount = 0;                                     ///< in the unit of the reason
};

/// Plans from best to worst, and one reason for every other slice.
struct serving_plan_answer {
  std::vector<serving_plan> plans;        ///< best first
  std::vector<rejected_server> rejected;  ///< everything else
  std::int64_t candidates = 0;  ///< slices x replica sizes x shardings of the cache x numbers of slices estimated
};

namespace detail {

/// The best plan for one kind of slice, or what came closest to one.
struct server_search {
  rejected_server closest{};
  std::optional<serving_plan> best;
  double least_rate =
      std::numeric_limits<double>::infinity();  // dollars a second of all that was not decided, at least
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

/// What plans are ranked by: for the cheapest the cost per output token, otherwise the rate of all slices.
inline rank_figures worth_of(const serving_plan& planned, objective best) {
  const double cost = best == objective::cheapest ? planned.cost.all_on_output.value() : planned.rate.value();
  return worth({cost, planned.estimate.per_token.total.value(), chips_of(planned)}, best);
}

/// The traffic of one of `slices` slices, which share it evenly.
inline serving_job share_of(const serving_job& job, std::int64_t slices) {
  serving_job share = job;
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

/// The rate of requests at each replica of a plan.
inline per_second rate_of_replica(const serving_plan& planned) {
  return planned.share.request_rate / static_cast<double>(planned.estimate.replicas);
}

/// The fewest slices that keep the targets for mean times: the more there are, the less traffic each gets. Their number
/// is doubled until they are enough, then the gap is halved.
inline std::optional<std::int64_t> fewest_slices(server_search& search, const serving_request& request,
                                                 const slice& where, const serving_layout& mesh, std::int64_t most,
                                                 std::int64_t& candidates) {
  serving_refusal refusal = serving_refusal::none;
  const auto enough = [&](std::int64_t slices) {
    ++candidates;
    const serving_estimate one = serve(request.model, share_of(request.job, slices), mesh, where, request.constants);
    refusal = one.refusal;
    if (refusal != serving_refusal::none) return false;
    const double missed = missed_by(one, request.job);
    if (missed > 0) come_closer(search.closest, serving_rejection::misses_target, missed);
    return missed == 0;
  };
  const bool grows = request.job.request_rate.value() > 0 || request.job.concurrency > 0;
  std::int64_t high = 1;
  while (!enough(high)) {
    if (!grows || high >= most) {
      if (refusal == serving_refusal::rate_above_capacity)
        come_closer(search.closest, serving_rejection::too_many_chips,
                    static_cast<double>(checked_multiply(high, chips(where))));
      return std::nullopt;
    }
    high = std::min(most, 2 * high);
  }
  std::int64_t low = high / 2;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

/// A plan of that many slices, without a price.
inline serving_plan plan_of(const serving_request& request, const slice& where, const serving_layout& mesh,
                            std::int64_t slices) {
  serving_plan planned;
  planned.where = where;
  planned.mesh = mesh;
  planned.slices = slices;
  planned.share = share_of(request.job, slices);
  planned.estimate = serve(request.model, planned.share, mesh, where, request.constants);
  return planned;
}

/// Whether a way of paying is compared. An hour of a commitment, which cannot be given back, is not compared with hours
/// that can: commitments count only where all allowed ways are commitments.
inline bool is_asked_for(const serving_request& request, provisioning kind) {
  bool any_other = false;
  for (const provisioning other : request.kinds) any_other = any_other || !is_commitment(other);
  return contains(request.kinds, kind) && !(any_other && is_commitment(kind));
}

/// The plan at the best price of every region and way of paying that is allowed; nothing where there is none.
inline std::optional<serving_plan> priced(server_search& search, const serving_request& request,
                                          const price_index& prices, serving_plan planned) {
  std::optional<serving_plan> best;
  prices.each(planned.where.chip.name, chips(planned.where), [&](const price_row& price) {
    if (!is_asked_for(request, price.kind)) return;
    planned.kind = price.kind;
    planned.term = is_commitment(price.kind) ? commitment_term(price.kind) : seconds{};
    planned.region = std::string(price.region.view());
    planned.price = price;
    planned.cost = cost_of_tokens(planned.estimate, planned.where, price);
    planned.rate = planned.cost.rate * static_cast<double>(planned.slices);
    if (request.budget && planned.rate > *request.budget)
      return come_closer(search.closest, serving_rejection::over_budget,
                         (planned.rate - *request.budget).value() * 3600);
    if (!best || worth_of(planned, request.best) < worth_of(*best, request.best)) best = planned;
  });
  if (!best) come_closer(search.closest, serving_rejection::no_price, 0);
  return best;
}

inline std::int64_t most_slices(const serving_request& request, const slice& where) {
  return std::max<std::int64_t>(1, request.largest_chips / chips(where));
}

/// Whether the plan surely fits, or the request accepts uncertain ones.
inline bool is_fit(server_search& search, const serving_request& request, const serving_plan& planned) {
  if (planned.estimate.fit != verdict::uncertain || request.accept_uncertain) return true;
  const serving_memory& memory = planned.estimate.memory;
  come_closer(search.closest, serving_rejection::does_not_fit, (memory.high - safe_share * memory.usable).value());
  return false;
}

/// Keeps the better plan of a slice.
inline void keep_better(server_search& search, const serving_request& request, std::optional<serving_plan> found) {
  if (found && (!search.best || worth_of(*found, request.best) < worth_of(*search.best, request.best)))
    search.best = std::move(found);
}

/// The search of a plan for every slice.
struct plan_search {
  const serving_request& request;  // without targets by percentile
  replica_rates rates;
  price_index prices;
  bool stay_open = false;  // layouts, also where there is nothing that percentiles decide
  std::vector<server_search> slices{};
  std::vector<open_layout> open{};
  std::int64_t candidates = 0;
};

/// The simulated report of a replica of a plan.
inline simulation_report simulated_replica(plan_search& all, const serving_plan& planned) {
  return all.rates.report_of_replica(planned.where, planned.mesh, rate_of_replica(planned));
}

/// Tries replicas of one size: as many slices as keep the targets for mean times, if they fit. With targets by
/// percentile the layout stays open.
inline void search_layout(plan_search& all, const slice& where, const serving_layout& mesh) {
  server_search& search = all.slices.back();
  const serving_request& request = all.request;
  const serving_refusal refused = serve(request.model, request.job, mesh, where, request.constants).refusal;
  if (refused == serving_refusal::does_not_fit) {
    const serving_memory memory = serving_memory_use(request.model, 0, request.job, mesh, where);
    const double missing = std::max(0.0, (memory.low - memory.usable).value());
    return come_closer(search.closest, serving_rejection::does_not_fit, missing);
  }
  if (refused == serving_refusal::tpot_below_floor || refused == serving_refusal::ttft_below_floor)
    return come_closer(search.closest, serving_rejection::misses_target, std::numeric_limits<double>::infinity());
  const std::optional<std::int64_t> slices =
      fewest_slices(search, request, where, mesh, most_slices(request, where), all.candidates);
  if (!slices) return;
  serving_plan planned = plan_of(request, where, mesh, *slices);
  if (!all.rates.are_needed() && !all.stay_open) {
    if (is_fit(search, request, planned)) keep_better(search, request, priced(search, request, all.prices, planned));
  } else if (std::optional<serving_plan> least = priced(search, request, all.prices, std::move(planned))) {
    all.open.push_back({all.slices.size() - 1, std::move(*least)});
  }
}

/// Tries data-parallel attention in replicas of that many devices, in groups of every size over which heads divide.
inline void search_groups(plan_search& all, const slice& where, std::int64_t tensor) {
  const transformer& model = all.request.model;
  if (tensor == 1 || !has_experts(model) || model.moe.experts % tensor != 0) return;
  for_each_divisor(tensor, [&](std::int64_t attention) {
    if (attention < tensor && heads_divide(model, attention))
      search_layout(all, where, {tensor, weight_sharding::one_dimension, cache_sharding::heads, attention});
  });
}

/// Tries every size of a replica, both ways to shard the cache where they differ, and data-parallel attention.
inline void search_server(plan_search& all, const slice& where) {
  all.slices.emplace_back().closest.where = where;
  for_each_divisor(devices(where), [&](std::int64_t tensor) {
    search_groups(all, where, tensor);
    if (!heads_divide(all.request.model, tensor)) return;
    serving_layout mesh{tensor, weight_sharding::one_dimension, cache_sharding::heads};
    search_layout(all, where, mesh);
    if (served_by(all.request.model, all.request.job, {tensor, {}, {}}, where).cache_copies <= 1) return;
    mesh.cache = cache_sharding::batch;
    search_layout(all, where, mesh);
  });
}

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
  if (!all.rates.ever_holds(least.where, least.mesh))
    return come_closer(search.closest, serving_rejection::misses_target, std::numeric_limits<double>::infinity());
  std::int64_t low = least.slices - 1, high = least.slices;
  while (!enough(high)) {
    if (high == most)
      return come_closer(search.closest, serving_rejection::too_many_chips,
                         static_cast<double>(checked_multiply(high, chips(least.where))));
    low = high;
    high = std::min(most, high + ceil_div(high, 4));
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  serving_plan planned = plan_of(request, least.where, least.mesh, high);
  if (is_fit(search, request, planned)) keep_better(search, request, priced(search, request, all.prices, planned));
}

/// Simulates open layouts in the order of their lower bounds, until none of the rest can be among the plans asked for.
/// More slices cost more and have more chips, so that a layout whose bound is above a decided plan of the same slice is
/// skipped too. More slices are faster: for the fastest plan all layouts are simulated.
inline void decide_layouts(plan_search& all) {
  const objective best = all.request.best;
  const auto least = [&](std::size_t i) { return worth_of(all.open[i].least, best); };
  const std::vector<std::size_t> order =
      order_of(all.open.size(), [&](std::size_t a, std::size_t b) { return least(a) < least(b); });
  const std::size_t most = all.request.most_plans;
  for (const std::size_t i : order) {
    const server_search& own = all.slices[all.open[i].search];
    if (best != objective::fastest && own.best && worth_of(*own.best, best) < least(i)) continue;
    std::size_t better = 0;  // plans that this layout cannot come before
    for (const server_search& search : all.slices)
      better += search.best && chips_of(*search.best) >= all.request.smallest_chips &&
                worth_of(*search.best, best)[0] < least(i)[0];
    if (most == 0 || better < most || best == objective::fastest) {
      decide(all, all.open[i]);
    } else {
      server_search& search = all.slices[all.open[i].search];
      search.least_rate = std::min(search.least_rate, all.open[i].least.rate.value());
    }
  }
}

/// Sorts what was found into plans and rejections.
inline serving_plan_answer answer_of(plan_search& all) {
  serving_plan_answer answer;
  answer.candidates = all.candidates;
  std::vector<rejected_server> expensive;
  constexpr double decided = std::numeric_limits<double>::infinity();
  for (server_search& search : all.slices) {
    if (search.best && chips_of(*search.best) >= all.request.smallest_chips) {
      answer.plans.push_back(std::move(*search.best));
    } else if (search.least_rate < decided) {
      expensive.push_back({search.closest.where, serving_rejection::dominated, search.least_rate});
    } else if (!search.best) {
      answer.rejected.push_back(search.closest);
    }
  }
  rank(answer.plans, [&](const serving_plan& planned) {
    return rank_key{worth_of(planned, all.request.best), chips(planned.where), name(planned.where).view()};
  });
  std::vector<serving_plan> rest =
      take_rest(answer.plans, all.request.most_plans, [](const serving_plan&) { return false; });
  for (auto planned = rest.rbegin(); planned != rest.rend(); ++planned) {
    double least = planned->rate.value();
    for (const server_search& search : all.slices) {  // another layout of it may not have been simulated
      const slice& same = search.closest.where;
      if (same.chip.name == planned->where.chip.name && same.shape == planned->where.shape &&
          same.chips_per_vm == planned->where.chips_per_vm)
        least = std::min(least, search.least_rate);
    }
    expensive.push_back({planned->where, serving_rejection::dominated, least});
  }
  for (rejected_server& one : expensive) {
    one.amount = (one.amount - answer.plans.front().rate.value()) * 3600;
    answer.rejected.push_back(one);
  }
  return answer;
}

}  // namespace detail

/// The best slices to serve a model under some traffic, best first, and one reason for every other slice. The estimate
/// of a plan is what `serve` answers for the traffic of one of its slices. Targets by percentile need a request rate:
/// each replica gets a random share of the requests, and each layout that the closed form does not rule out is
/// simulated with 2000 requests from the same random numbers. The closed form rules out what does not fit or is above
/// its capacity, and gives the fewest slices: a layout that costs more than `most_plans` others even with those is not
/// simulated, and the amount of its slice is a lower bound. `simulated` is the report of one replica. Throws, naming
/// the field, for an invalid request. Worked: with 6 slices for 40 requests a second, `share` has 6.67.
[[nodiscard]] inline serving_plan_answer plan_serving(const serving_request& asked) {
  validate(asked.job, asked.model);
  validate(asked.constants);
  detail::check_limits(asked);
  serving_request request = asked;
  request.job.percentiles = {};
  detail::plan_search all{
      request, {request.model, request.job, request.constants, asked.job.percentiles}, detail::price_index(request)};
  if (all.rates.are_needed() && request.job.request_rate.value() == 0)
    detail::fail(errc::missing_field, "serving_job.request_rate", 0.0, "a rate, for targets by percentile");
  detail::for_each_slice(request, [&](const slice& where) { detail::search_server(all, where); });
  detail::decide_layouts(all);
  serving_plan_answer answer = detail::answer_of(all);
  if (all.rates.are_needed()) {
    for (serving_plan& planned : answer.plans) planned.simulated = detail::simulated_replica(all, planned);
  }
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
