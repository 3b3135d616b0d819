#ifndef TPUPLAN_PLAN_SWEEP_HPP
#define TPUPLAN_PLAN_SWEEP_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/base/error.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/plan/search.hpp>
#include <vector>

/// @file
/// Sweeps: many trials of a job, some in parallel, on one quota, some of them stopped early.

namespace tpuplan {
inline namespace abi_0 {

/// A slice on which one trial runs, and how long the steps of a whole one take there.
struct trial_slice {
  slice where{};                 ///< of one trial
  seconds whole{};               ///< all steps of a trial that is not stopped
  maybe<payment_terms> terms{};  ///< with its start, which a stopped trial has too; nothing: those of the request
  std::int64_t batch = 0;        ///< of a step; 0: not said
};

/// A sweep and its limits.
struct sweep_request {
  std::int64_t trials = 0;                                   ///< number of trials
  double stopped = 0;                                        ///< share of the trials that is stopped early
  double stopped_after = 1;                                  ///< share of a whole trial that a stopped one runs for
  std::int64_t quota = 0;                                    ///< most chips of all trials at one time
  std::optional<std::int64_t> parallel{};                    ///< trials at once; nothing: as many as the quota allows
  std::optional<seconds> deadline{};                         ///< of the whole sweep
  std::vector<trial_slice> slices{};                         ///< to choose from
  std::vector<provisioning> kinds{provisioning::on_demand};  ///< ways of paying that count
  std::string region = "us";                                 ///< whose prices count
  price_book prices{};                                       ///< whose owner must outlive the request
  payment_terms terms{};                                     ///< of spot, flex-start and commitments
};

/// One way to do a sweep.
struct sweep_plan {
  trial_slice trial{};        ///< the slice
  provisioning kind{};        ///< the way of paying
  std::int64_t parallel = 0;  ///< trials at once
  std::int64_t rounds = 0;    ///< of `parallel` trials, one after the other
  seconds whole_trial{};      ///< wall time of a trial that is not stopped
  seconds mean_trial{};       ///< wall time, stopped and restarted ones included
  seconds wall{};             ///< of the sweep: slots that are free take the next trial
  usd total{};                ///< of all trials
  usd per_trial{};            ///< on average
  double preemptions = 0;     ///< of all trials on spot
  price_row price{};          ///< that was taken
};

namespace detail {

inline void check_sweep(const sweep_request& request) {
  positive_count("sweep_request.trials", request.trials);
  positive_count("sweep_request.quota", request.quota);
  in_range("sweep_request.stopped", request.stopped, 0, 1, "0 to 1");
  in_range("sweep_request.stopped_after", positive("sweep_request.stopped_after", request.stopped_after), 0, 1,
           "above 0, at most 1");
  if (request.parallel) positive_count("sweep_request.parallel", *request.parallel);
  if (request.slices.empty()) fail(errc::missing_field, "sweep_request.slices", "none", "one or more");
}

/// The sweep on a slice under a way of paying; nothing where it cannot be had.
inline maybe<sweep_plan> sweep_on(const sweep_request& request, const trial_slice& trial, provisioning kind) {
  const std::int64_t most = request.quota / chips(trial.where);
  const maybe<price_row> price = find_price(request.prices, trial.where, request.region, kind);
  const payment_terms terms = trial.terms.value_or(request.terms);
  if (most == 0 || !price || !can_be_paid(kind, 1, trial.whole, terms)) return nothing;
  const paid_run whole = pay_for(trial.where, 1, trial.whole, *price, terms);
  const seconds early = trial.whole * request.stopped_after;
  const paid_run stopped = pay_for(trial.where, 1, early, *price, terms);
  const auto number = static_cast<double>(request.trials);
  const double ended = number * request.stopped, full = number - ended;
  sweep_plan planned;
  planned.trial = trial;
  planned.kind = kind;
  planned.price = *price;
  planned.parallel = std::min({most, request.trials, request.parallel.value_or(most)});
  planned.rounds = ceil_div(request.trials, planned.parallel);
  planned.whole_trial = whole.wall;
  planned.mean_trial = (full * whole.wall + ended * stopped.wall) / number;
  // Free slots take the next trial, so that the work is spread evenly; no sweep ends before its longest trial does.
  const seconds spread = static_cast<double>(planned.rounds) * planned.mean_trial;
  planned.wall = full > 0 ? max(whole.wall, spread) : spread;
  planned.total = full * whole.total + ended * stopped.total;
  planned.per_trial = planned.total / number;
  planned.preemptions = full * whole.preemptions + ended * stopped.preemptions;
  return planned;
}

}  // namespace detail

/// All ways to do a sweep within its quota and deadline, cheapest first, and of equals the faster first. Throws, naming
/// the field, for no trials, no quota, no slices and shares outside of 0 to 1. Empty where the quota is smaller than
/// every slice. Worked: 48 trials of an hour on v5e-8 at 9.60 USD, half of them stopped after a quarter, on a quota of
/// 64 chips: 8 at once, 6 rounds of 37.5 min, 3.75 h and 288 USD.
[[nodiscard]] inline std::vector<sweep_plan> plan_sweep(const sweep_request& request) {
  detail::check_sweep(request);
  std::vector<sweep_plan> plans;
  for (const trial_slice& trial : request.slices) {
    for (const provisioning kind : request.kinds) {
      const maybe<sweep_plan> found = detail::sweep_on(request, trial, kind);
      if (found && !(request.deadline && found->wall > *request.deadline)) plans.push_back(*found);
    }
  }
  detail::sort_in_order(plans, [](const sweep_plan& a, const sweep_plan& b) {
    return a.total != b.total ? a.total < b.total : a.wall < b.wall;
  });
  return plans;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
