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
  std::vector<provisioning> kinds{provisioning::on_demand};  ///< that may be chosen; a commitment where all of them are
  std::vector<std::string> regions{"us"};                    ///< regions of the price book that may be chosen
  maybe<usd_per_second> budget{};                            ///< of all slices
  std::vector<std::string> generations;                      ///< names of chips that may be chosen; empty: all
  std::vector<chip_spec> chips;                              ///< of the caller, considered beside the table's
  std::int64_t smallest_chips = 1;                           ///< over all slices
  std::int64_t largest_chips = 1024;                         ///< over all slices
  bool accept_uncertain = false;                             ///< take plans whose fit the compiler decides
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
  no_layout,     ///< heads that do not divide over its devices in any way
  does_not_fit,  ///< amount: bytes of weights per device beyond what is usable, or 0 where the cache is what is missing
  misses_target,   ///< amount: seconds over the target of a token, or of the first, at the least load that was tried
  too_many_chips,  ///< amount: chips that were tried and are too few
  no_price,        ///< no allowed way of paying has a price in these regions
  over_budget,     ///< amount: dollars an hour over
  dominated,       ///< amount: dollars an hour more than the best plan
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
};

inline std::int64_t chips_of(const serving_plan& planned) {
  return checked_multiply(chips(planned.where), planned.slices);
}

/// What plans are ranked by: for the cheapest the cost per output token, otherwise the rate of all slices.
inline std::array<double, 2> worth_of(const serving_plan& planned, objective best) {
  const double cost = best == objective::cheapest ? planned.cost.all_on_output.value() : planned.rate.value();
  return worth({cost, planned.estimate.per_token.total.value(), chips_of(planned)}, best);
}

/// The traffic of one of that many slices, which share it evenly.
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

/// Requests of a simulation that decides a plan: of 2000 a p99 rests on 18 of the 1800 that are counted.
inline constexpr std::int64_t planning_requests = 2000;

/// The largest rates at which replicas keep the targets by percentile. A replica is simulated once for all slices that
/// have it: its steps depend on its chip, its devices and the links between them.
class replica_rates {
 public:
  replica_rates(const serving_request& request, const latency_targets& targets)
      : request_{request}, targets_{targets} {}

  bool are_needed() const { return any_target(targets_); }

  /// The largest rate of one replica, whose slice has that capacity with every slot taken; 0 where no rate will do.
  per_second largest(const slice& where, const serving_layout& mesh, per_second capacity) {
    const replica on = replica_of(mesh, where);
    for (const known_rate& one : known_) {
      if (one.chip == where.chip.name && one.devices == on.devices && one.links == on.links && one.cache == mesh.cache)
        return one.rate;
    }
    simulated_traffic traffic = traffic_of(request_.job, planning_requests);
    traffic.rate = 0.6 * capacity / on.count;  // where most replicas end
    const simulated_engine engine = engine_for(mesh, where);
    const per_second rate = largest_rate(engine, traffic, times_for(mesh, where, engine), targets_);
    known_.push_back({where.chip.name, on.devices, on.links, mesh.cache, rate});
    return rate;
  }

  /// What a replica of a plan does.
  simulation_report report_of_replica(const serving_plan& planned) const {
    simulated_traffic traffic = traffic_of(planned.share, planning_requests);
    traffic.rate = traffic.rate / replica_of(planned.mesh, planned.where).count;
    const simulated_engine engine = engine_for(planned.mesh, planned.where);
    const replica_step_times times = times_for(planned.mesh, planned.where, engine);
    return report_of(simulate(engine, requests_of(traffic), times), targets_);
  }

 private:
  struct known_rate {
    text<24> chip{};
    double devices = 0;
    bytes_per_second links{};
    cache_sharding cache = cache_sharding::heads;
    per_second rate{};
  };
  simulated_engine engine_for(const serving_layout& mesh, const slice& where) const {
    simulated_engine engine = engine_of(request_.model, request_.job, mesh, where);
    engine.replicas = 1;
    engine.max_running = std::min(engine.max_running, planning_requests);
    return engine;
  }
  replica_step_times times_for(const serving_layout& mesh, const slice& where, const simulated_engine& engine) const {
    return {request_.model, request_.job, mesh, where, engine.max_running, request_.constants};
  }

  const serving_request& request_;
  latency_targets targets_;
  std::vector<known_rate> known_;
};

/// The fewest slices that keep the targets: the more there are, the less traffic each gets. Their number is doubled
/// until they are enough, then the gap is halved.
inline std::optional<std::int64_t> fewest_slices(server_search& search, const serving_request& request,
                                                 const slice& where, const serving_layout& mesh, std::int64_t most,
                                                 replica_rates& rates, std::int64_t& candidates) {
  serving_refusal refusal = serving_refusal::none;
  const auto enough = [&](std::int64_t slices) {
    ++candidates;
    const serving_job share = share_of(request.job, slices);
    const serving_estimate one = serve(request.model, share, mesh, where, request.constants);
    refusal = one.refusal;
    if (refusal != serving_refusal::none) return false;
    const double missed = missed_by(one, request.job);
    if (missed > 0) come_closer(search.closest, serving_rejection::misses_target, missed);
    if (missed > 0 || !rates.are_needed()) return missed == 0;
    const per_second largest = rates.largest(where, mesh, one.capacity) * static_cast<double>(one.replicas);
    if (largest.value() == 0)
      come_closer(search.closest, serving_rejection::misses_target, std::numeric_limits<double>::infinity());
    if (share.request_rate > largest && largest.value() > 0) refusal = serving_refusal::rate_above_capacity;
    return share.request_rate <= largest;
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

/// Whether a price is asked for. The hour of a commitment is not held against hours that can be given back at any time:
/// it counts where commitments alone are allowed.
inline bool is_asked_for(const serving_request& request, provisioning kind) {
  bool any_other = false;
  for (const provisioning other : request.kinds) any_other = any_other || !is_commitment(other);
  return contains(request.kinds, kind) && !(any_other && is_commitment(kind));
}

/// Prices a plan in every region and under every way of paying that is allowed, and keeps the best.
inline void price_servers(server_search& search, const serving_request& request, const price_index& prices,
                          serving_plan planned) {
  come_closer(search.closest, serving_rejection::no_price, 0);
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
    if (!search.best || worth_of(planned, request.best) < worth_of(*search.best, request.best)) search.best = planned;
  });
}

/// Tries replicas of one size: as many slices as keep the targets, if they fit.
inline void search_layout(server_search& search, const slice& where, const serving_layout& mesh,
                          const serving_request& request, const price_index& prices, replica_rates& rates,
                          std::int64_t& candidates) {
  const serving_refusal refused = serve(request.model, request.job, mesh, where, request.constants).refusal;
  if (refused == serving_refusal::does_not_fit) {
    const serving_memory memory = serving_memory_use(request.model, 0, request.job, mesh, where);
    const double missing = std::max(0.0, (memory.low - memory.usable).value());
    return come_closer(search.closest, serving_rejection::does_not_fit, missing);
  }
  if (refused == serving_refusal::tpot_below_floor || refused == serving_refusal::ttft_below_floor)
    return come_closer(search.closest, serving_rejection::misses_target, std::numeric_limits<double>::infinity());
  const std::int64_t most = std::max<std::int64_t>(1, request.largest_chips / chips(where));
  const std::optional<std::int64_t> slices = fewest_slices(search, request, where, mesh, most, rates, candidates);
  if (!slices) return;
  serving_plan planned;
  planned.where = where;
  planned.mesh = mesh;
  planned.slices = *slices;
  planned.share = share_of(request.job, *slices);
  planned.estimate = serve(request.model, planned.share, mesh, where, request.constants);
  if (planned.estimate.fit == verdict::uncertain && !request.accept_uncertain) {
    const double over = (planned.estimate.memory.high - safe_share * planned.estimate.memory.usable).value();
    return come_closer(search.closest, serving_rejection::does_not_fit, over);
  }
  price_servers(search, request, prices, std::move(planned));
}

/// Tries every size of a replica, and both ways to shard the cache where they differ.
inline server_search search_server(const slice& where, const serving_request& request, const price_index& prices,
                                   replica_rates& rates, std::int64_t& candidates) {
  server_search search;
  search.closest.where = where;
  for_each_divisor(devices(where), [&](std::int64_t tensor) {
    if (!heads_divide(request.model, tensor)) return;
    serving_layout mesh{tensor, weight_sharding::one_dimension, cache_sharding::heads};
    search_layout(search, where, mesh, request, prices, rates, candidates);
    if (served_by(request.model, request.job, {tensor, {}, {}}, where).cache_copies <= 1) return;
    mesh.cache = cache_sharding::batch;
    search_layout(search, where, mesh, request, prices, rates, candidates);
  });
  return search;
}

/// Keeps the best plans; of every other it says, beginning with the last, how much more it costs than the best.
inline void keep_best(serving_plan_answer& answer, std::size_t most) {
  const std::vector<serving_plan> rest = take_rest(answer.plans, most, [](const serving_plan&) { return false; });
  for (auto planned = rest.rbegin(); planned != rest.rend(); ++planned) {
    const double more = (planned->rate - answer.plans.front().rate).value() * 3600;
    answer.rejected.push_back({planned->where, serving_rejection::dominated, more});
  }
}

}  // namespace detail

/// The best slices to serve a model under some traffic, best first, and one reason for every other slice. The estimate
/// of a plan is what `serve` answers for the traffic of one of its slices. Targets by percentile need a request rate:
/// each replica gets its share of it at random, and what the closed form leaves is simulated, with 2000 requests from
/// the same random numbers. The closed form prunes what does not fit and what is above its capacity; `simulated` then
/// is of a replica of the plan. Throws, naming the field, for requests that cannot be asked. Worked: the first table of
/// docs/serving.md.
[[nodiscard]] inline serving_plan_answer plan_serving(const serving_request& asked) {
  validate(asked.job, asked.model);
  validate(asked.constants);
  detail::check_limits(asked);
  serving_request request = asked;
  request.job.percentiles = {};
  detail::replica_rates rates(request, asked.job.percentiles);
  if (rates.are_needed() && request.job.request_rate.value() == 0)
    detail::fail(errc::missing_field, "serving_job.request_rate", 0.0, "a rate, for targets by percentile");
  const detail::price_index prices(request);
  serving_plan_answer answer;
  for (const slice& where : detail::slices_for(request)) {
    detail::server_search search = detail::search_server(where, request, prices, rates, answer.candidates);
    if (!search.best) {
      answer.rejected.push_back(search.closest);
    } else if (detail::chips_of(*search.best) >= request.smallest_chips) {
      answer.plans.push_back(std::move(*search.best));
    }
  }
  detail::rank(answer.plans, [&](const serving_plan& planned) {
    return detail::rank_key{detail::worth_of(planned, request.best), chips(planned.where), name(planned.where).view()};
  });
  detail::keep_best(answer, request.most_plans);
  if (rates.are_needed()) {
    for (serving_plan& planned : answer.plans) planned.simulated = rates.report_of_replica(planned);
  }
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
