#ifndef TPUPLAN_PLAN_SWEEP_HPP
#define TPUPLAN_PLAN_SWEEP_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/random.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/plan/search.hpp>
#include <tpuplan/plan/sorting.hpp>
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
  maybe<layout> mesh{};          ///< of a network of layers: its replicas and shards
};

/// A sweep and its limits.
struct sweep_request {
  std::int64_t trials = 0;                 ///< number of trials
  double stopped = 0;                      ///< share of the trials that is stopped early; whole trials, rounded down
  double stopped_after = 1;                ///< share of a whole trial that a stopped one runs for
  std::int64_t quota = 0;                  ///< most chips of all trials at one time
  std::optional<std::int64_t> parallel{};  ///< trials at once; nothing: as many as the quota allows
  std::optional<seconds> deadline{};       ///< of the whole sweep, in 19 of 20 orders of its trials
  std::vector<trial_slice> slices{};       ///< to choose from
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
  seconds wall{};             ///< of the sweep, in the mean of all orders of its trials: a free place takes the next
  seconds wall_high{};        ///< that 19 of 20 orders do not exceed
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
  if (request.deadline) positive("sweep_request.deadline", request.deadline->value());
  if (request.slices.empty()) fail(errc::missing_field, "sweep_request.slices", "none", "one or more");
  for (const trial_slice& one : request.slices) positive_count("sweep_request.slices: chips", chips(one.where));
}

/// The trials that are stopped early: a share of them, rounded down to whole ones.
[[nodiscard]] inline std::int64_t stopped_trials(const sweep_request& request) {
  return static_cast<std::int64_t>(math::floor(static_cast<double>(request.trials) * request.stopped * (1 + 1e-12)));
}

/// Trials of two lengths, as many at once as there are places.
struct mixed_trials {
  std::int64_t whole = 0, stopped = 0, places = 0;  ///< how many trials of either length
  seconds whole_trial{}, stopped_trial{};           ///< how long one takes

  [[nodiscard]] std::int64_t all() const { return whole + stopped; }
  /// Where all places are busy to the end.
  [[nodiscard]] seconds evenly() const {
    return (static_cast<double>(whole) * whole_trial + static_cast<double>(stopped) * stopped_trial) /
           static_cast<double>(places);
  }
};
/// When the last trial ends, in one order: each starts on the place that is free first.
[[nodiscard]] inline seconds end_in_an_order(const mixed_trials& of, random_numbers& numbers) {
  std::vector<seconds> whole, stopped;  // when they end: of one length in the order of their starts
  std::size_t whole_ended = 0, stopped_ended = 0;
  const seconds never{1e300};
  const auto next = [&](const std::vector<seconds>& ends, std::size_t ended) {
    return ended < ends.size() ? ends[ended] : never;
  };
  for (std::int64_t n = 0, whole_left = of.whole; n < of.all(); ++n) {
    seconds start{};
    if (n >= of.places) {
      const seconds a = next(whole, whole_ended), b = next(stopped, stopped_ended);
      start = min(a, b);
      ++(a <= b ? whole_ended : stopped_ended);
    }
    const bool is_whole = numbers.uniform() * static_cast<double>(of.all() - n) < static_cast<double>(whole_left);
    whole_left -= is_whole ? 1 : 0;
    (is_whole ? whole : stopped).push_back(start + (is_whole ? of.whole_trial : of.stopped_trial));
  }
  return max(whole.empty() ? seconds{} : whole.back(), stopped.empty() ? seconds{} : stopped.back());
}
/// Trials of which more are not played: so many have the same end, after places that were busy before.
inline constexpr std::int64_t most_ordered_trials = 800;

/// As few trials in the same proportions that an order of them is soon played.
[[nodiscard]] inline mixed_trials fewer_of(const mixed_trials& of) {
  if (of.all() <= most_ordered_trials) return of;
  mixed_trials fewer = of;
  fewer.places = std::min(of.places, most_ordered_trials / 8);
  const double each = std::min(static_cast<double>(fewer.places) / static_cast<double>(of.places),
                               static_cast<double>(most_ordered_trials) / static_cast<double>(of.all()));
  const auto some = [&](std::int64_t count) {
    return std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(count) * each + 0.5), 1);
  };
  fewer.whole = some(of.whole), fewer.stopped = some(of.stopped);
  return fewer;
}
/// The mean over all orders of the trials, and what 19 of 20 do not exceed.
struct ordered_end {
  seconds expected{}, high{};
};
/// Exact for trials of one length, on one place, and all at once; else over 25 to 500 random orders, always the same.
[[nodiscard]] inline ordered_end end_in_any_order(const mixed_trials& of) {
  const bool is_equal = of.whole == 0 || of.stopped == 0 || of.whole_trial == of.stopped_trial;
  if (is_equal || of.places >= of.all()) {
    const seconds longest = of.whole > 0 ? of.whole_trial : of.stopped_trial;
    const seconds end = static_cast<double>(ceil_div(of.all(), of.places)) * longest;
    return {end, end};
  }
  if (of.places == 1) return {of.evenly(), of.evenly()};
  const mixed_trials fewer = fewer_of(of);
  const auto orders =
      static_cast<std::uint64_t>(std::min<std::int64_t>(std::max<std::int64_t>(8000 / fewer.all(), 25), 500));
  std::vector<seconds> ends;
  seconds sum{};
  for (std::uint64_t n = 1; n <= orders; ++n) {
    random_numbers numbers{1, 0, n};
    ends.push_back(end_in_an_order(fewer, numbers) + (of.evenly() - fewer.evenly()));
    sum += ends.back();
  }
  std::sort(ends.begin(), ends.end());
  return {sum / static_cast<double>(orders), ends[(orders * 19 + 19) / 20 - 1]};
}

/// The dollars of places that are held for whole days or for a term, from the first trial to the end of the last;
/// nothing where they cannot be had for so long. What a trial takes besides its steps is in that time.
inline maybe<usd> cost_of_places(const sweep_plan& planned, seconds held, payment_terms terms) {
  terms.start_up = terms.besides_steps = terms.checkpoint_interval = terms.mean_time_between_failures = {};
  if (!can_be_paid(planned.kind, planned.parallel, held, terms)) return nothing;
  return pay_for(planned.trial.where, planned.parallel, held, planned.price, terms).total;
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
  const std::int64_t stopped_early = stopped_trials(request);
  const auto number = static_cast<double>(request.trials), ended = static_cast<double>(stopped_early);
  const double full = number - ended;
  sweep_plan planned;
  planned.trial = trial;
  planned.kind = kind;
  planned.price = *price;
  planned.parallel = std::min({most, request.trials, request.parallel.value_or(most)});
  planned.rounds = ceil_div(request.trials, planned.parallel);
  planned.whole_trial = whole.wall;
  planned.mean_trial = (full * whole.wall + ended * stopped.wall) / number;
  const ordered_end end =
      end_in_any_order({request.trials - stopped_early, stopped_early, planned.parallel, whole.wall, stopped.wall});
  planned.wall = end.expected;
  planned.wall_high = end.high;
  planned.total = full * whole.total + ended * stopped.total;
  if (kind == provisioning::calendar || is_commitment(kind)) {  // trials one after the other share a day or a term
    const maybe<usd> places = cost_of_places(planned, end.expected, terms);
    if (!places) return nothing;
    planned.total = *places;
  }
  planned.per_trial = planned.total / number;
  planned.preemptions = full * whole.preemptions + ended * stopped.preemptions;
  return planned;
}

}  // namespace detail

/// All ways to do a sweep within its quota and deadline, cheapest first, and of equals the faster first. Which trials
/// are stopped is not known beforehand, and no order is better than another: the end is the mean over their orders, and
/// a deadline is kept by 19 of 20. Calendar windows and commitments are paid for each place, from the first of its
/// trials to the end of the last: days and terms are billed whole. Throws, naming the field, for no trials, no quota,
/// no slices and shares outside of 0 to 1. Empty where the quota is smaller than every slice. Worked: 48 trials of an
/// hour on v5e-8 at 9.60 USD, half of them stopped after a quarter, on a quota of 64 chips: 8 at once, 4.24 h and 288
/// USD.
[[nodiscard]] inline std::vector<sweep_plan> plan_sweep(const sweep_request& request) {
  detail::check_sweep(request);
  std::vector<sweep_plan> plans;
  for (const trial_slice& trial : request.slices) {
    for (const provisioning kind : request.kinds) {
      const maybe<sweep_plan> found = detail::sweep_on(request, trial, kind);
      if (found && !(request.deadline && found->wall_high > *request.deadline)) plans.push_back(*found);
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
