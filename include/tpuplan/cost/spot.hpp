#ifndef TPUPLAN_COST_SPOT_HPP
#define TPUPLAN_COST_SPOT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/cost/preemption.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>

/// @file
/// How long spot slices last where the caller has no measurement, and what that means for a job on several slices.

namespace tpuplan {
inline namespace abi_0 {

/// How contested spot capacity is. Each stands for a mean time between preemptions, whatever the size of the slice: no
/// study finds that the time depends on the size, and in the one sample of TPUs it does not.
enum class spot_market : std::uint8_t {
  calm,      ///< 16 h: measured on 7 jobs of 2022 on v2 and v3
  cautious,  ///< 4 h: a margin for a worse week
  scarce,    ///< 1 h: capacity that many others want
};

/// Every market, from calm to scarce.
inline constexpr spot_market all_spot_markets[] = {spot_market::calm, spot_market::cautious, spot_market::scarce};

/// "calm", "cautious" or "scarce".
[[nodiscard]] constexpr std::string_view name(spot_market market) noexcept {
  constexpr const char* names[] = {"calm", "cautious", "scarce"};
  return detail::name_of(names, static_cast<std::size_t>(market));
}

/// The market of that name; nothing if there is none. Worked: "scarce" is the market with a preemption every hour.
[[nodiscard]] constexpr maybe<spot_market> parse_spot_market(std::string_view given) noexcept {
  return detail::enumerator_named<spot_market>(given);
}

/// A mean time between preemptions of one slice to assume where yours is not known: 16, 4 or 1 hours.
///
/// Only the first is measured: 42 preemptions in 676.9 hours of 7 managed spot jobs on v2 and v3 are one in 16.1 h
/// (SkyPilot pull request 1500, 2022-12-13). The other two are suggestions. No source has newer generations.
/// Worked: cautious is 4 h.
[[nodiscard]] constexpr seconds typical_mean_time_between_preemptions(spot_market market) {
  switch (market) {
    case spot_market::calm: return 16_h;
    case spot_market::cautious: return 4_h;
    case spot_market::scarce: return 1_h;
  }
  detail::fail(errc::invalid_argument, "spot_market", static_cast<std::int64_t>(market), "calm, cautious or scarce");
}

/// The mean time between preemptions of a job on several slices, where a preemption of any slice stops the job and some
/// preemptions take all slices at once: M / (n (1 - c) + c).
///
/// Each slice is preempted every `of_one_slice` on average. A share c = `correlation` of its preemptions are events
/// that take every slice; the others take that slice alone. c is then the correlation between the numbers of
/// preemptions of any two slices in the same time. The answer is M / n for 0 and M for 1, both exactly. `of_one_slice`
/// above 0, `slices` 1 or more, `correlation` from 0 to 1. Source: the fatal shock model of Marshall and Olkin, JASA
/// 62:30-44, 1967. Worked: 4 slices of 16 h each, half of the preemptions common: 6.4 h.
[[nodiscard]] constexpr seconds mean_time_between_preemptions_of_slices(seconds of_one_slice, std::int64_t slices,
                                                                        double correlation) {
  constexpr std::string_view field = "mean_time_between_preemptions: correlation";
  const double c = detail::in_range(field, correlation, 0, 1, "0 (independent) to 1 (all slices go together)");
  const seconds independent = mean_time_between_preemptions_of_slices(of_one_slice, slices);
  const double n = static_cast<double>(slices);
  return c == 0 ? independent : of_one_slice / (n * (1 - c) + c);
}

/// The mean wait for a spot slice that is assumed where none is given. Derived: in 28 h of one job 47 attempts (marin
/// issue 5976, v5p in us-east5-a, 2026) that each lived 10 to 25 minutes leave 11 to 26 minutes of waiting for each.
inline constexpr seconds usual_spot_wait{18 * 60.0};

/// Time of one chip between unplanned stops of a job by hardware, hosts or network. 419 stops in 54 days of 16,384 H100
/// (The Llama 3 Herd of Models, 2024): of GPUs, because no such count of TPUs is published.
inline constexpr seconds published_chip_time_between_failures{16384 * 54 * 86400.0 / 419};

/// What is expected of spot capacity. The defaults assume a cautious view of the market and checkpoints of unknown size
/// (`checkpoint_time` computes theirs from bytes). Set your own figures where you have them.
///
/// Source: restarts of 9.8 to 11.4 min (SkyPilot pull request 1500, 2022).
struct spot_terms {
  seconds mean_time_between_preemptions{4 * 3600.0};  ///< of one slice
  double correlation = 0;                             ///< of several slices; 0: each is preempted on its own
  seconds checkpoint_time = checkpoint_start;         ///< time for which a checkpoint stops the compute; above 0
  seconds restart_time{600};                          ///< billed: from having capacity to computing again
  seconds queue_time{};  ///< not billed: each wait for capacity, the first included; unbounded in practice
};

namespace detail {

/// The work divided into the number of equal intervals with the least expected billed time.
constexpr seconds interval_of_least_billed(seconds work, seconds checkpoint_time, seconds mean) {
  const double fewer = math::floor(work / interval_of_least_time(checkpoint_time, mean));
  const auto losses = [&](double n) { return n * math::expm1((work / n + checkpoint_time) / mean); };
  return work / (fewer < 1 ? 1 : losses(fewer + 1) < losses(fewer) ? fewer + 1 : fewer);
}

/// The result of `best_spot_run`, for terms that are already checked.
constexpr spot_run spot_run_of(seconds work, std::int64_t slices, const spot_terms& terms) {
  spot_run run;
  run.work = work;
  run.checkpoint_time = terms.checkpoint_time;
  run.mean_time_between_preemptions =
      mean_time_between_preemptions_of_slices(terms.mean_time_between_preemptions, slices, terms.correlation);
  run.restart_time = terms.restart_time;
  run.queue_time = terms.queue_time;
  run.checkpoint_interval = interval_of_least_billed(work, run.checkpoint_time, run.mean_time_between_preemptions);
  return run;
}

}  // namespace detail

/// Throws, naming the field, for times out of the range that `spot_terms` gives.
constexpr void validate(const spot_terms& terms) {
  const auto check = [](detail::words field, seconds time, double least, double most, detail::words valid) {
    detail::in_range(field,
                     least > 0 ? detail::positive(field, time.value()) : detail::not_negative(field, time.value()),
                     least, most, valid);
  };
  check("spot_terms.mean_time_between_preemptions", terms.mean_time_between_preemptions, 1e-6, 1e12, "1e-6 to 1e12 s");
  check("spot_terms.checkpoint_time", terms.checkpoint_time, 1e-6, 1e7, "1e-6 to 1e7 s");
  check("spot_terms.restart_time", terms.restart_time, 0, 1e7, "0 to 1e7 s");
  check("spot_terms.queue_time", terms.queue_time, 0, 1e9, "0 to 1e9 s");
  detail::in_range("spot_terms.correlation", terms.correlation, 0, 1, "0 (independent) to 1 (all slices go together)");
}

/// A spot run with the best number of checkpoints: its work is divided into equal intervals, in the number
/// that minimises the expected billed time.
///
/// `work` is the time for which all slices compute together; a preemption of any of the `slices` stops all. The best
/// number is one of the two whole numbers next to work / `optimal_interval`, because the expected time is convex in it.
/// Throws for work or a time in `spot_terms` out of its range. Worked: 10 h of work, 5 h between preemptions, 60 s
/// checkpoints: 25 intervals of 1440 s.
[[nodiscard]] constexpr spot_run best_spot_run(seconds work, std::int64_t slices, const spot_terms& terms) {
  detail::in_range("spot run: work", detail::positive("spot run: work", work.value()), 1e-6, longest_run.value(),
                   "1e-6 to 1e18 s");
  validate(terms);
  return detail::spot_run_of(work, slices, terms);
}

/// The mean time between preemptions of one slice at which a run costs the same on spot and on demand, with checkpoints
/// at the best interval for that time; spot is cheaper above it.
///
/// `terms.mean_time_between_preemptions` is not used. Found to a relative 1e-12 by bisection: the least expected billed
/// time falls as the mean grows. Throws `errc::infeasible` where spot costs more with a single checkpoint and no
/// preemption, and where `best_spot_run` or the prices' check does. Worked: 10 h of work on one slice, 60 s
/// checkpoints, 300 s restarts, at 1.20 and 0.60 USD per hour: 950.761 s, where 300 s are the best interval.
[[nodiscard]] constexpr seconds break_even_mean_time_between_preemptions(const spot_prices& prices, seconds work,
                                                                         std::int64_t slices, spot_terms terms) {
  const seconds affordable = work * break_even_billed_factor(prices);
  terms.mean_time_between_preemptions = 1_h;
  const spot_run checked = best_spot_run(work, slices, terms);
  if (work + checked.checkpoint_time >= affordable) {
    detail::fail(errc::infeasible, "spot_prices: spot", prices.spot.value(),
                 "below on_demand x work / (work + one checkpoint)");
  }
  const auto cheaper_at = [&](seconds mean) {
    terms.mean_time_between_preemptions = mean;
    return detail::expectation_of(detail::spot_run_of(work, slices, terms)).billed < affordable;
  };
  seconds high = max(max(work, terms.checkpoint_time), terms.restart_time) * static_cast<double>(slices);
  while (!cheaper_at(high)) high *= 2;
  seconds low = high / 2;
  while (cheaper_at(low)) {
    high = low;
    low /= 2;
  }
  for (int i = 0; i < 42; ++i) {
    const seconds middle = low + (high - low) / 2;
    (cheaper_at(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
