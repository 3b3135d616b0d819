#ifndef TPUPLAN_PLAN_SERVING_RELAX_HPP
#define TPUPLAN_PLAN_SERVING_RELAX_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/text.hpp>
#include <utility>
#include <vector>

/// @file
/// Where no slice serves within the limits of a request: which of them to relax, and how far.

namespace tpuplan {
inline namespace abi_0 {

/// A limit of a serving request.
enum class serving_limit : std::uint8_t { tpot, ttft, targets, budget, chips, kinds, generation, uncertain };

/// "tpot" and so on; "targets" is both of them by the same factor.
[[nodiscard]] constexpr std::string_view name(serving_limit what) noexcept {
  constexpr std::string_view names[] = {"tpot",  "ttft",  "targets",    "budget",
                                        "chips", "kinds", "generation", "uncertain"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// One limit that, relaxed alone, lets a plan in: what it was, what it would have to be, and that plan. Seconds,
/// dollars a second, chips; for both targets the time of a token; 0 where a limit is no number.
struct serving_relaxation {
  serving_limit limit = serving_limit::tpot;  ///< the one that is relaxed
  double given = 0;                           ///< what it was
  double needed = 0;                          ///< what it would have to be: a target to 1 %, and never too little
  serving_plan nearest{};                     ///< the plan that it lets in
};

namespace detail {

/// The best plan of a request.
inline std::optional<serving_plan> best_server(const serving_request& request) {
  serving_plan_answer answer = plan_serving(request);
  if (answer.plans.empty()) return std::nullopt;
  return std::move(answer.plans.front());
}

/// The request with its targets times a factor.
inline serving_request with_targets(serving_request request, serving_limit limit, double factor) {
  if (limit != serving_limit::ttft) request.job.tpot_target *= factor;
  if (limit != serving_limit::tpot) request.job.ttft_target *= factor;
  return request;
}

/// Targets relaxed by the least factor that lets a plan in, to 1 %; up to a million.
inline std::optional<serving_relaxation> relax_targets(const serving_request& request, serving_limit limit) {
  const seconds given = limit == serving_limit::ttft ? request.job.ttft_target : request.job.tpot_target;
  const bool both = request.job.ttft_target.value() > 0 && request.job.tpot_target.value() > 0;
  if (given.value() <= 0 || (limit == serving_limit::targets && !both)) return std::nullopt;
  double low = 1, high = 2;
  std::optional<serving_plan> found;
  while (!(found = best_server(with_targets(request, limit, high)))) {
    low = high;
    high *= 2;
    if (high > 1e6) return std::nullopt;
  }
  while (high / low > 1.01) {
    const double middle = std::sqrt(low * high);
    std::optional<serving_plan> nearer = best_server(with_targets(request, limit, middle));
    (nearer ? high : low) = middle;
    if (nearer) found = std::move(nearer);
  }
  return serving_relaxation{limit, given.value(), given.value() * high, std::move(*found)};
}

/// The request without that limit; nothing where it has none.
inline std::optional<serving_request> without(serving_request request, serving_limit limit) {
  switch (limit) {
    case serving_limit::budget:
      if (!request.budget) return std::nullopt;
      request.budget.reset();
      return request;
    case serving_limit::chips:
      request.largest_chips = std::int64_t{1} << 20;
      request.best = objective::fewest_chips;
      return request;
    case serving_limit::kinds: request.kinds.assign(all_provisioning.begin(), all_provisioning.end()); return request;
    case serving_limit::generation:
      if (request.generations.empty()) return std::nullopt;
      request.generations.clear();
      return request;
    case serving_limit::uncertain:
      if (request.accept_uncertain) return std::nullopt;
      request.accept_uncertain = true;
      return request;
    case serving_limit::tpot:
    case serving_limit::ttft:
    case serving_limit::targets: break;
  }
  return std::nullopt;
}

/// The plan of the least rate; those of an answer are ranked by the cost of a token.
inline std::optional<serving_plan> cheapest_server(const serving_request& request) {
  std::optional<serving_plan> least;
  serving_request all = request;
  all.most_plans = 0;
  for (serving_plan& p : plan_serving(all).plans) {
    if (!least || p.rate < least->rate) least = std::move(p);
  }
  return least;
}

}  // namespace detail

/// Where a request has no plan: every limit that, relaxed by itself, gives it one. Empty where no single one is enough.
/// Worked: 40 requests a second at 1 ms a token need a longer target, and no more chips help
/// (tests/unit/serving_plan.cpp).
[[nodiscard]] inline std::vector<serving_relaxation> relaxations(const serving_request& request) {
  std::vector<serving_relaxation> list;
  for (const serving_limit limit : {serving_limit::tpot, serving_limit::ttft, serving_limit::targets}) {
    if (std::optional<serving_relaxation> r = detail::relax_targets(request, limit)) list.push_back(std::move(*r));
  }
  // Both targets are the answer only where neither is.
  if (list.size() > 1 && list.back().limit == serving_limit::targets) list.pop_back();
  for (const serving_limit limit : {serving_limit::budget, serving_limit::chips, serving_limit::kinds,
                                    serving_limit::generation, serving_limit::uncertain}) {
    const std::optional<serving_request> relaxed = detail::without(request, limit);
    if (!relaxed) continue;
    std::optional<serving_plan> found =
        limit == serving_limit::budget ? detail::cheapest_server(*relaxed) : detail::best_server(*relaxed);
    if (!found) continue;
    serving_relaxation r{limit, 0, 0, std::move(*found)};
    if (limit == serving_limit::budget) r.given = request.budget->value(), r.needed = r.nearest.rate.value();
    if (limit == serving_limit::chips) {
      r.given = static_cast<double>(request.largest_chips);
      r.needed = static_cast<double>(checked_multiply(chips(r.nearest.where), r.nearest.slices));
    }
    list.push_back(std::move(r));
  }
  return list;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
