#ifndef TPUPLAN_RISK_OUTLOOK_HPP
#define TPUPLAN_RISK_OUTLOOK_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/risk/played_run.hpp>
#include <vector>

/// @file
/// The chance that a run is done in time and within a budget: many runs, each played to its end. The same question
/// gives the same answer.

namespace tpuplan {
inline namespace abi_0 {

/// What the time of a run is paid with.
struct risk_prices {
  usd_per_second rate{};                        ///< of all chips
  provisioning kind = provisioning::on_demand;  ///< the way of paying
  double rest_of_term_used = 0;                 ///< of a commitment, see `payment_terms`
  maybe<usd_per_second> on_demand{};            ///< of all chips, for what goes on on demand; nothing: no price
};

/// What the runs came to. Of times and dollars: one of ten, half, and nine of ten runs take at most that; nothing:
/// fewer runs end.
struct run_outlook {
  double chance_in_time = 1;    ///< that it is done by the deadline; 1 without one
  double chance_in_budget = 1;  ///< that it ends within the budget; 1 without one
  double chance_of_both = 1;    ///< that it does both
  double chance_to_end = 1;     ///< that it ends at all, see `stops_of_a_block`
  /// @{
  /// What one of ten, half and nine of ten runs do not exceed.
  std::optional<seconds> wall_p10{}, wall_p50{}, wall_p90{};
  std::optional<usd> cost_p10{}, cost_p50{}, cost_p90{};
  /// @}
  double stops = 0;              ///< preemptions and failures of a run, in the mean
  double switched = 0;           ///< share of runs that go on on demand
  std::vector<seconds> walls{};  ///< at 1 %, 2 % ... 99 % of the runs, as far as they end
  std::vector<usd> costs{};      ///< the same of dollars
};

/// Runs that are played where nobody says how many: a chance of 90 % is then known to 0.7 points, two times of three.
inline constexpr std::int64_t usual_played_runs = 2000;

namespace detail {

/// The run, as it is paid for: one that outlasts its calendar window, of 90 days at most, does not end.
[[nodiscard]] inline played_run within_window(played_run run, const risk_prices& prices) {
  if (prices.kind == provisioning::calendar && run.billed - run.on_demand > 90_days) run.ended = false;
  return run;
}

/// Dollars for the time that a run was billed for.
[[nodiscard]] inline usd paid_for(const played_run& run, const risk_prices& prices) {
  const seconds before = run.billed - run.on_demand;
  usd total{};
  if (before.value() > 0)
    total = is_commitment(prices.kind)
                ? cost_under_commitment(prices.rate, prices.kind, before, prices.rest_of_term_used).total
            : prices.kind == provisioning::calendar ? cost(prices.rate, billed_time(prices.kind, before))
                                                    : cost(prices.rate, before);
  return run.on_demand.value() > 0 ? total + cost(*prices.on_demand, run.on_demand) : total;
}

/// The amount that a share of all runs does not exceed; nothing where fewer ended.
template <class Amount>
[[nodiscard]] std::optional<Amount> amount_at(const std::vector<Amount>& sorted, std::int64_t runs, double share) {
  const auto at = static_cast<std::size_t>(math::ceil(share * static_cast<double>(runs) - 1e-9)) - 1;
  return at < sorted.size() ? std::optional<Amount>(sorted[at]) : std::nullopt;
}
/// The amounts at each percent.
template <class Amount>
[[nodiscard]] std::vector<Amount> at_each_percent(const std::vector<Amount>& sorted, std::int64_t runs) {
  std::vector<Amount> points;
  for (int percent = 1; percent < 100; ++percent) {
    if (const std::optional<Amount> one = amount_at(sorted, runs, percent / 100.0)) points.push_back(*one);
  }
  return points;
}

inline void check_runs(std::int64_t runs) {
  if (runs < 100 || runs > 100000) fail(errc::out_of_range, "risk: runs", runs, "100 to 100000");
}
inline void check_outlook(const run_at_risk& job, const risk_prices& prices, const risk_limits& limits,
                          const risk_policy& policy, std::int64_t runs) {
  validate(job);
  validate(policy, job, limits);
  positive("risk_prices.rate", prices.rate.value());
  if ((policy.on_demand_in_time || policy.on_demand_after) && !prices.on_demand)
    fail(errc::invalid_argument, "risk_prices.on_demand", "nothing", "a price where the run may go on on demand");
  if (limits.budget) positive("risk_limits.budget", limits.budget->value());
  check_runs(runs);
}

/// Which of the limits a run keeps: one that does not end none that there is.
struct kept_limits {
  bool deadline = false, budget = false;
};
[[nodiscard]] inline kept_limits limits_kept(const played_run& run, usd total, const risk_limits& limits) {
  return {!limits.deadline || (run.ended && run.wall <= *limits.deadline),
          !limits.budget || (run.ended && total <= *limits.budget)};
}

/// Many runs, each played to its end.
[[nodiscard]] inline std::vector<played_run> played_runs(const run_at_risk& job, const risk_limits& limits,
                                                         const risk_policy& policy, std::int64_t runs,
                                                         std::int64_t seed) {
  std::vector<played_run> played;
  for (std::int64_t n = 1; n <= runs; ++n) played.push_back(play_valid(job, limits, policy, {seed, n, runs}));
  return played;
}
/// What runs that were played come to, at these prices and within these limits.
[[nodiscard]] inline run_outlook outlook_of_runs(const std::vector<played_run>& played, const risk_prices& prices,
                                                 const risk_limits& limits) {
  const auto runs = static_cast<std::int64_t>(played.size());
  run_outlook all;
  std::vector<seconds> walls;
  std::vector<usd> costs;
  std::int64_t in_time = 0, in_budget = 0, both = 0, stops = 0, switched = 0;
  for (const played_run& one : played) {
    const played_run run = within_window(one, prices);
    stops += run.stops;
    const usd total = run.ended ? paid_for(run, prices) : usd{};
    const auto kept = limits_kept(run, total, limits);
    in_time += kept.deadline ? 1 : 0;
    in_budget += kept.budget ? 1 : 0;
    if (!run.ended) continue;
    both += kept.deadline && kept.budget ? 1 : 0;
    switched += run.on_demand.value() > 0 ? 1 : 0;
    walls.push_back(run.wall);
    costs.push_back(total);
  }
  const auto share = [&](std::int64_t count) { return static_cast<double>(count) / static_cast<double>(runs); };
  all.chance_in_time = share(in_time);
  all.chance_in_budget = share(in_budget);
  all.chance_of_both = share(both);
  all.chance_to_end = share(static_cast<std::int64_t>(walls.size()));
  all.stops = share(stops);
  all.switched = share(switched);
  std::sort(walls.begin(), walls.end());
  std::sort(costs.begin(), costs.end());
  all.wall_p10 = amount_at(walls, runs, 0.1);
  all.wall_p50 = amount_at(walls, runs, 0.5);
  all.wall_p90 = amount_at(walls, runs, 0.9);
  all.cost_p10 = amount_at(costs, runs, 0.1);
  all.cost_p50 = amount_at(costs, runs, 0.5);
  all.cost_p90 = amount_at(costs, runs, 0.9);
  all.walls = at_each_percent(walls, runs);
  all.costs = at_each_percent(costs, runs);
  return all;
}

}  // namespace detail

/// The chances of a run to keep its limits.
struct run_chances {
  double in_time = 1;    ///< that it is done by the deadline; 1 without one
  double in_budget = 1;  ///< that it ends within the budget; 1 without one
  double of_both = 1;    ///< that it does both
};

/// The luck of many runs. Each number is drawn once, for all jobs whose chances are asked for with it.
class luck_of_runs {
 public:
  /// 100 to 100,000 runs. Worked: those of the usual number of runs are `usual_played_runs`.
  explicit luck_of_runs(std::int64_t runs = usual_played_runs, std::int64_t seed = 1) : seed_{seed} {
    detail::check_runs(runs);
    for (std::int64_t n = 1; n <= runs; ++n) each_.emplace_back(detail::numbers_of({seed, n, runs}));
  }
  /// How many they are.
  [[nodiscard]] std::int64_t runs() const { return static_cast<std::int64_t>(each_.size()); }
  /// Run n of a job that is valid, from 1 on, as `play` plays it, until it is beyond both limits.
  [[nodiscard]] played_run play(const run_at_risk& job, const risk_limits& limits, std::int64_t n, maybe<seconds> until,
                                maybe<seconds> until_billed) {
    if (n < 1 || n > runs()) detail::fail(errc::out_of_range, "run", n, "1 to runs()");
    const risk_policy policy;  // is kept by the run
    return detail::running(job, limits, policy, {seed_, n, runs(), until, until_billed},
                           &each_[static_cast<std::size_t>(n - 1)])
        .to_the_end();
  }

 private:
  std::int64_t seed_;
  std::vector<detail::luck_of_a_run> each_{};
};

namespace detail {
/// `chances_of`, or nothing as soon as it is sure that both limits are kept with a lower chance than `at_least`: the
/// runs with the most work are played first.
[[nodiscard]] inline maybe<run_chances> chances_above(double at_least, const run_at_risk& job,
                                                      const risk_prices& prices, const risk_limits& limits,
                                                      luck_of_runs& luck) {
  check_outlook(job, prices, limits, {}, luck.runs());
  const auto runs = static_cast<double>(luck.runs());
  const maybe<seconds> bill = limits.budget && !is_commitment(prices.kind)
                                  ? maybe<seconds>{seconds{*limits.budget / prices.rate}}
                                  : maybe<seconds>{};
  const bool is_bounded = !limits.budget || bill;
  std::int64_t in_time = 0, in_budget = 0, both = 0;
  for (std::int64_t n = luck.runs(); n > 0; --n) {
    if (static_cast<double>(both + n) < at_least * runs) return nothing;
    const played_run run =
        within_window(luck.play(job, limits, n, is_bounded ? limits.deadline : nothing, bill), prices);
    const auto kept = limits_kept(run, run.ended ? paid_for(run, prices) : usd{}, limits);
    in_time += kept.deadline ? 1 : 0;
    in_budget += kept.budget ? 1 : 0;
    both += run.ended && kept.deadline && kept.budget ? 1 : 0;
  }
  const auto share = [&](std::int64_t count) { return static_cast<double>(count) / runs; };
  return run_chances{share(in_time), share(in_budget), share(both)};
}
}  // namespace detail

/// The chances of `outlook_of` alone, of runs that start again after a stop: a run that is late is not played on where
/// there is no budget. Throws as it does. Worked: 8 to 12 days, expected 10, on demand without failures are done within
/// 12 days with 95 %.
[[nodiscard]] inline run_chances chances_of(const run_at_risk& job, const risk_prices& prices,
                                            const risk_limits& limits, luck_of_runs& luck) {
  return *detail::chances_above(0, job, prices, limits, luck);
}
/// The same with luck of its own. Worked: of the same seed and number of runs it is equal.
[[nodiscard]] inline run_chances chances_of(const run_at_risk& job, const risk_prices& prices,
                                            const risk_limits& limits, std::int64_t runs = usual_played_runs,
                                            std::int64_t seed = 1) {
  luck_of_runs luck(runs, seed);
  return chances_of(job, prices, limits, luck);
}

/// The chance that a run is done by a deadline and within a budget, what it takes and costs in half and in nine of ten
/// cases, over runs that are played with these policies. Policies that are compared meet the same luck. Where nothing
/// stops a run and nothing is waited for, it is exact to one run. Throws for times and
/// prices out of their range and a policy without effect. Worked: 8 to 12 days, expected 10, on demand without failures
/// are done within 12 days with 95 %.
[[nodiscard]] inline run_outlook outlook_of(const run_at_risk& job, const risk_prices& prices,
                                            const risk_limits& limits, const risk_policy& policy = {},
                                            std::int64_t runs = usual_played_runs, std::int64_t seed = 1) {
  detail::check_outlook(job, prices, limits, policy, runs);
  return detail::outlook_of_runs(detail::played_runs(job, limits, policy, runs, seed), prices, limits);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
