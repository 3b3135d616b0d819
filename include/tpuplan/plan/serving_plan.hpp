#ifndef TPUPLAN_PLAN_SERVING_PLAN_HPP
#define TPUPLAN_PLAN_SERVING_PLAN_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tuple>
#include <vector>

/// @file
/// Which slices should serve a model: every documented slice, every size of a replica, as many slices as the traffic
/// takes, regions and ways of paying.

namespace tpuplan {
inline namespace abi_0 {

/// What is to be served, and within which limits. The traffic of `job` is that of all slices together.
struct serving_request {
  transformer model{};                                       ///< what is served
  serving_job job{};                                         ///< traffic of all slices, targets and engine
  objective best = objective::cheapest;                      ///< fastest: the shortest time per token
  std::vector<provisioning> kinds{provisioning::on_demand};  ///< ways of paying that may be chosen
  std::vector<std::string> regions{"us"};                    ///< that may be chosen
  std::optional<usd_per_second> budget;                      ///< of all slices
  std::vector<std::string> generations;                      ///< empty: all
  std::int64_t smallest_chips = 1;                           ///< over all slices
  std::int64_t largest_chips = 1024;                         ///< over all slices
  bool accept_uncertain = false;                             ///< take plans whose fit the compiler decides
  std::size_t most_plans = 16;                               ///< 0: all
  price_book prices{};                                       ///< the built-in ones unless given
  serving_calibration constants{};                           ///< of the serving estimates
};

/// One kind of slice, as many as the traffic takes, with its replicas.
struct serving_plan {
  slice where{};                                ///< each of the slices
  serving_layout mesh{};                        ///< replicas on each of them
  std::int64_t slices = 0;                      ///< how many alike
  serving_job share{};                          ///< the traffic of one slice
  serving_estimate estimate{};                  ///< of one slice
  provisioning kind = provisioning::on_demand;  ///< the way of paying
  std::string region;                           ///< where it is paid
  price_row price{};                            ///< the row that holds, with its date
  serving_cost cost{};                          ///< per million tokens; the rate is of one slice
  usd_per_second rate{};                        ///< of all slices
};

/// Why a kind of slice is not among the plans. Enumerators are stable; later ones are closer to a plan.
enum class serving_rejection : std::uint8_t {
  no_layout,     ///< heads that do not divide over its devices in any way
  does_not_fit,  ///< amount: bytes of weights per device beyond what is usable, or 0 where the cache is what is missing
  misses_target,   ///< amount: seconds over the target of a token, or of the first, at the least load that was tried
  too_many_chips,  ///< amount: chips that were tried, and are too few
  no_price,
  over_budget,  ///< amount: dollars an hour over
  dominated,    ///< amount: dollars an hour more than the best
};

/// "does_not_fit" and so on.
[[nodiscard]] constexpr std::string_view name(serving_rejection why) noexcept {
  constexpr std::string_view names[] = {"no_layout", "does_not_fit", "misses_target", "too_many_chips",
                                        "no_price",  "over_budget",  "dominated"};
  return detail::name_of(names, static_cast<std::size_t>(why));
}

/// A kind of slice that lost, with exactly one reason.
struct rejected_server {
  slice where{};                                         ///< the slice
  serving_rejection why = serving_rejection::no_layout;  ///< the reason
  double amount = 0;                                     ///< in the unit of the reason
};

/// Plans from best to worst, and one reason for every other slice.
struct serving_plan_answer {
  std::vector<serving_plan> plans;        ///< best first
  std::vector<rejected_server> rejected;  ///< everything else
  std::int64_t candidates = 0;  ///< slices x replica sizes x cuts of the cache x numbers of slices that were estimated
};

namespace detail {

struct server_search {
  rejected_server closest{};
  std::optional<serving_plan> best;
};

inline void come_closer(server_search& search, serving_rejection why, double amount) {
  const bool closer = static_cast<int>(why) > static_cast<int>(search.closest.why);
  const bool same = why == search.closest.why && amount < search.closest.amount;
  if (closer || same) search.closest.why = why, search.closest.amount = amount;
}

/// The traffic that one of so many slices gets.
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

/// How one of so many slices does; nothing where it is asked for more than it can give.
inline std::optional<serving_estimate> try_slices(const serving_request& request, const slice& where,
                                                  const serving_layout& mesh, std::int64_t slices) {
  const serving_job share = share_of(request.job, slices);
  if (share.request_rate.value() > 0) {
    serving_job open = share;
    open.request_rate = {};
    open.ttft_target = open.tpot_target = {};
    const serving_estimate full = serve(request.model, open, mesh, where, request.constants);
    if (full.fit != verdict::no && share.request_rate >= full.capacity) return std::nullopt;
  }
  return serve(request.model, share, mesh, where, request.constants);
}

/// Whether the targets are above what physics allows.
inline bool reachable(const serving_request& request, const slice& where, const serving_layout& mesh) {
  const target_floors floors = floors_of(request.model, request.job, mesh, where);
  return request.job.tpot_target >= floors.tpot.total && request.job.ttft_target >= floors.ttft.total;
}

/// The fewest slices that keep the targets: more of them have less to do each. Doubling, then halving the gap.
inline std::optional<std::int64_t> fewest_slices(server_search& search, const serving_request& request,
                                                 const slice& where, const serving_layout& mesh, std::int64_t most,
                                                 std::int64_t& candidates) {
  const auto enough = [&](std::int64_t slices) {
    ++candidates;
    const std::optional<serving_estimate> e = try_slices(request, where, mesh, slices);
    if (!e) return false;
    const double missed = missed_by(*e, request.job);
    if (missed > 0) come_closer(search, serving_rejection::misses_target, missed);
    return missed == 0;
  };
  const bool grows = request.job.request_rate.value() > 0 || request.job.concurrency > 0;
  std::int64_t high = 1;
  while (!enough(high)) {
    if (!grows || high >= most) {
      if (grows && try_slices(request, where, mesh, high) == std::nullopt)
        come_closer(search, serving_rejection::too_many_chips,
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

inline std::array<double, 2> worth(const serving_plan& p, objective best) {
  const double money = p.rate.value();
  const double time = p.estimate.per_token.total.value();
  if (best == objective::fastest) return {time, money};
  if (best == objective::fewest_chips) return {static_cast<double>(checked_multiply(chips(p.where), p.slices)), money};
  return {p.cost.all_on_output.value(), time};
}

/// Prices a plan in every region and under every kind that is allowed.
inline void price_servers(server_search& search, const serving_request& request, serving_plan p) {
  for (const std::string& region : request.regions) {
    for (const provisioning kind : request.kinds) {
      const maybe<price_row> price = find_price(request.prices, p.where, region, kind);
      if (!price) {
        come_closer(search, serving_rejection::no_price, 0);
        continue;
      }
      p.kind = kind;
      p.region = region;
      p.price = *price;
      p.cost = cost_of_tokens(p.estimate, p.where, *price);
      p.rate = p.cost.rate * static_cast<double>(p.slices);
      if (request.budget && p.rate > *request.budget) {
        come_closer(search, serving_rejection::over_budget, (p.rate - *request.budget).value() * 3600);
        continue;
      }
      if (!search.best || worth(p, request.best) < worth(*search.best, request.best)) search.best = p;
    }
  }
}

inline bool heads_divide(const transformer& model, std::int64_t tensor) {
  const attention_spec& a = model.attention;
  return a.heads % tensor == 0 && (a.kv_heads % tensor == 0 || tensor % a.kv_heads == 0);
}

/// Every size of a replica, and both ways to cut the cache where they differ.
inline server_search search_server(const slice& where, const serving_request& request, std::int64_t& candidates) {
  server_search search;
  search.closest.where = where;
  const std::int64_t all = devices(where);
  const std::int64_t most = std::max<std::int64_t>(1, request.largest_chips / chips(where));
  for (std::int64_t tensor = 1; tensor <= all; ++tensor) {
    if (all % tensor != 0) continue;
    for (const cache_sharding cut : {cache_sharding::heads, cache_sharding::batch}) {
      const serving_layout mesh{tensor, weight_sharding::one_dimension, cut};
      if (!detail::heads_divide(request.model, tensor)) continue;
      if (cut == cache_sharding::batch && served_by(request.model, request.job, {tensor, {}, {}}, where).copies <= 1)
        continue;
      if (largest_running(request.model, request.job, mesh, where) == 0) {
        const serving_memory m = serving_memory_use(request.model, 0, request.job, mesh, where);
        come_closer(search, serving_rejection::does_not_fit, std::max(0.0, (m.low - m.usable).value()));
        continue;
      }
      if (!reachable(request, where, mesh)) {
        come_closer(search, serving_rejection::misses_target, std::numeric_limits<double>::infinity());
        continue;
      }
      const std::optional<std::int64_t> slices = fewest_slices(search, request, where, mesh, most, candidates);
      if (!slices) continue;
      serving_plan p;
      p.where = where;
      p.mesh = mesh;
      p.slices = *slices;
      p.share = share_of(request.job, *slices);
      p.estimate = serve(request.model, p.share, mesh, where, request.constants);
      if (p.estimate.fit == verdict::uncertain && !request.accept_uncertain) {
        come_closer(search, serving_rejection::does_not_fit,
                    (p.estimate.memory.high - safe_share * p.estimate.memory.usable).value());
        continue;
      }
      price_servers(search, request, p);
    }
  }
  return search;
}

inline void check_request(const serving_request& request) {
  validate(request.job, request.model);
  validate(request.constants);
  if (request.regions.empty()) fail(errc::missing_field, "plan.regions", "none", "one region or more");
  if (request.kinds.empty()) fail(errc::missing_field, "plan.kinds", "none", "one way of paying or more");
  if (request.budget) positive("plan.budget in dollars a second", request.budget->value());
  positive_count("plan.smallest_chips", request.smallest_chips);
  positive_count("plan.largest_chips", request.largest_chips);
  if (request.smallest_chips > request.largest_chips)
    fail(errc::invalid_argument, "plan.smallest_chips", request.smallest_chips, "at most plan.largest_chips");
  for (const std::string& generation : request.generations) (void)chip_for(generation);
}

/// Sorts, and keeps the best; of the rest it says how much dearer they are.
inline void rank(serving_plan_answer& answer, const serving_request& request) {
  std::vector<serving_plan>& plans = answer.plans;
  const auto key = [&](const serving_plan& p) {
    return std::make_tuple(worth(p, request.best), chips(p.where), std::string(name(p.where).view()));
  };
  std::sort(plans.begin(), plans.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  while (request.most_plans > 0 && plans.size() > request.most_plans) {
    const double more = (plans.back().rate - plans.front().rate).value() * 3600;
    answer.rejected.push_back({plans.back().where, serving_rejection::dominated, more});
    plans.pop_back();
  }
}

}  // namespace detail

/// The best slices to serve a model under some traffic, best first, and one reason for every other slice. Each plan is
/// what `serve` says of the traffic of one of its slices. Throws, naming the field, for requests that cannot be asked.
/// Worked: the second table of the README.
[[nodiscard]] inline serving_plan_answer plan_serving(const serving_request& request) {
  detail::check_request(request);
  serving_plan_answer answer;
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice where = slice_at(i);
    const bool wanted =
        request.generations.empty() || std::any_of(request.generations.begin(), request.generations.end(),
                                                   [&](const auto& g) { return chip_for(g).name == where.chip.name; });
    if (!wanted || !schedulable(where) || chips(where) > request.largest_chips) continue;
    const detail::slice_row* named = detail::named_row(detail::generation_index(where.chip), chips(where));
    if (named != &detail::slice_rows[i]) continue;  // other VM layouts and shapes of the same size
    detail::server_search search = detail::search_server(where, request, answer.candidates);
    if (search.best && chips(where) * search.best->slices < request.smallest_chips) continue;
    if (search.best) {
      answer.plans.push_back(std::move(*search.best));
    } else {
      answer.rejected.push_back(search.closest);
    }
  }
  detail::rank(answer, request);
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
