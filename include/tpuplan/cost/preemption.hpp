#ifndef TPUPLAN_COST_PREEMPTION_HPP
#define TPUPLAN_COST_PREEMPTION_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/lambert.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// Spot capacity: how often to write a checkpoint, what preemptions add to the billed time and the wall time, and
/// whether the discount pays for it.
///
/// The model is Daly's (FGCS 22(3):303-312, 2006): preemptions of the whole job are independent of each other and of
/// the age of the machines, with one mean time between them. Two things it is not: a cap on the life of a machine (24 h
/// for preemptible VMs) and lifetimes of another distribution both make the run longer.

namespace tpuplan {
inline namespace abi_0 {

/// A run on capacity that may be taken away: useful work in intervals, each followed by a checkpoint. After a
/// preemption the run waits for capacity, restarts, and repeats the interval from its beginning.
///
/// There is no infinite mean time between preemptions: for "never preempted" give a huge one, such as 1e12_s.
/// For a run without checkpoints give checkpoint_interval = work and checkpoint_time = 0.
struct spot_run {
  seconds work{};                           ///< useful compute of the whole run; above 0
  seconds checkpoint_interval{};            ///< useful compute between two checkpoints; above 0
  seconds checkpoint_time{};                ///< for which one checkpoint stops the compute; 0 or more
  seconds mean_time_between_preemptions{};  ///< of the whole job, not of one machine or slice; above 0
  seconds restart_time{};                   ///< billed, from having capacity to computing again; 0 or more
  seconds queue_time{};                     ///< not billed, the wait for capacity after each preemption; 0 or more
  bool restart_can_be_preempted = true;     ///< false: the restart always succeeds in restart_time
  bool final_checkpoint = true;             ///< false: the run ends with its last step
};

/// What a spot run is expected to take.
/// billed = work + checkpoints + lost_work + restarts; wall = billed + queue.
struct expected_spot_run {
  seconds work{};             ///< useful compute, as asked
  seconds checkpoints{};      ///< writing the checkpoints that are kept
  seconds lost_work{};        ///< compute and checkpoint writing that preemptions undo
  seconds restarts{};         ///< restarting, completed or not
  seconds queue{};            ///< waiting for capacity, not billed
  seconds failure_free{};     ///< work + checkpoints: the run without any preemption
  seconds billed{};           ///< while the machines are there
  seconds wall{};             ///< from start to end
  double preemptions = 0;     ///< those that hit a restart included
  double billed_factor = 0;   ///< billed / work
  double wall_factor = 0;     ///< wall / work
  std::int64_t segments = 0;  ///< intervals, a shorter last one included
};

/// The two prices of the same machines: both of one chip, or both of the whole slice.
struct spot_prices {
  usd_per_second on_demand{};  ///< above 0
  usd_per_second spot{};       ///< above 0
};

/// A run at the spot price compared with the same useful work at the on-demand price. The on-demand run is assumed to
/// be billed for its work only.
struct spot_comparison {
  usd on_demand_cost{};                 ///< work x on-demand price
  usd spot_cost{};                      ///< billed x spot price
  usd saving{};                         ///< on_demand_cost - spot_cost; negative where spot costs more
  double saving_fraction = 0;           ///< saving / on_demand_cost
  usd_per_second effective_price{};     ///< spot_cost / work: what useful time costs
  double billed_factor = 0;             ///< billed / work
  double break_even_billed_factor = 0;  ///< the billed factor at which both cost the same
  bool spot_is_cheaper = false;         ///< whether spot_cost is below on_demand_cost
};

namespace detail {

/// The value; throws where the arithmetic overflowed. `given` is the value of the field to change.
constexpr double representable(words field, double value, double given, words valid) {
  if (!is_finite(value)) fail(errc::out_of_range, field, given, valid);
  return value;
}

/// The time; throws where the formula gives none above 0. `given` is the value of the field to change.
constexpr seconds positive_time(words field, double value, double given, words valid) {
  if (!is_finite(value) || value <= 0) fail(errc::out_of_range, field, given, valid);
  return seconds{value};
}

/// (e^x - 1 - x) / x for x >= 0, without cancellation: below 0.5 by the Taylor series (DLMF 4.2.19).
constexpr double exponential_excess(double x) noexcept {
  if (x >= 0.5) return math::expm1(x) / x - 1;
  double series = 1;
  for (int n = 17; n > 2; --n) series = 1 + x / n * series;
  return x / 2 * series;
}

/// The segments of a run: a number of equal ones and one of another length, which is 0 where there is none.
struct run_segments {
  std::int64_t equal = 0;
  double equal_length = 0;
  double last_length = 0;
  std::int64_t count = 0;
  double checkpoints = 0;
};

/// The segments of a run. A remainder of the work that is only the rounding of work / checkpoint_interval is none.
constexpr run_segments segments_of(const spot_run& run) {
  const double work = positive("spot_run: work", run.work.value());
  const double interval = positive("spot_run: checkpoint_interval", run.checkpoint_interval.value());
  const double checkpoint = not_negative("spot_run: checkpoint_time", run.checkpoint_time.value());
  const double ratio = work / interval;
  if (!(ratio < 9e15)) {
    fail(errc::out_of_range, "spot_run: checkpoint_interval", interval, "an interval above work / 9e15");
  }
  const double nearest = math::floor(ratio + 0.5);
  const bool whole = nearest > 0 && math::abs(ratio - nearest) <= 1e-15 * ratio;
  const double full = whole ? nearest : math::floor(ratio);
  const double rest = whole ? 0 : work - full * interval;

  run_segments segments{};
  segments.equal = static_cast<std::int64_t>(full);
  segments.equal_length = interval + checkpoint;
  segments.count = segments.equal;
  if (!whole) {
    ++segments.count;
    segments.last_length = run.final_checkpoint ? rest + checkpoint : rest;
  } else if (!run.final_checkpoint) {
    --segments.equal;
    segments.last_length = interval;
  }
  segments.checkpoints = checkpoint * static_cast<double>(run.final_checkpoint ? segments.count : segments.count - 1);
  return segments;
}

/// What preemptions add to a run.
struct preemption_losses {
  double lost_work = 0;
  double restarts = 0;
  double preemptions = 0;
};

/// The expectation over segments of length L, in parts: M (e^(L/M) - 1) - L lost, e^(L/M) - 1 preemptions of the
/// compute, each followed by a restart of R, or of M (e^(R/M) - 1) where `run` lets the restart be preempted too. M is
/// `mean`; the mean of the run is not used.
constexpr preemption_losses losses(const run_segments& segments, const spot_run& run, double mean) {
  preemption_losses sum{};
  double compute_preemptions = 0;
  if (segments.equal > 0) {
    const double number = static_cast<double>(segments.equal);
    compute_preemptions += number * math::expm1(segments.equal_length / mean);
    sum.lost_work += number * segments.equal_length * exponential_excess(segments.equal_length / mean);
  }
  if (segments.last_length > 0) {
    compute_preemptions += math::expm1(segments.last_length / mean);
    sum.lost_work += segments.last_length * exponential_excess(segments.last_length / mean);
  }
  const double restart = run.restart_time.value();
  const double restart_ratio = run.restart_can_be_preempted ? restart / mean : 0;
  sum.preemptions = compute_preemptions * math::exp(restart_ratio);
  if (restart > 0) sum.restarts = compute_preemptions * restart * (1 + exponential_excess(restart_ratio));
  return sum;
}

/// What `expected_run` answers; infinite where it refuses because the run never ends.
constexpr expected_spot_run expectation_of(const spot_run& run) {
  const run_segments segments = segments_of(run);
  const double mean = positive("spot_run: mean_time_between_preemptions", run.mean_time_between_preemptions.value());
  not_negative("spot_run: restart_time", run.restart_time.value());
  const double queue = not_negative("spot_run: queue_time", run.queue_time.value());
  const preemption_losses lost = losses(segments, run, mean);
  expected_spot_run answer{};
  answer.work = run.work;
  answer.checkpoints = seconds{segments.checkpoints};
  answer.lost_work = seconds{lost.lost_work};
  answer.restarts = seconds{lost.restarts};
  if (queue > 0) answer.queue = seconds{queue * lost.preemptions};
  answer.failure_free = answer.work + answer.checkpoints;
  answer.billed = answer.failure_free + answer.lost_work + answer.restarts;
  answer.wall = answer.billed + answer.queue;
  answer.preemptions = lost.preemptions;
  answer.billed_factor = answer.billed / answer.work;
  answer.wall_factor = answer.wall / answer.work;
  answer.segments = segments.count;
  return answer;
}

/// What `optimal_interval` answers; of checkpoints that take so long that no run ends, the mean itself.
constexpr seconds interval_of_least_time(seconds checkpoint_time, seconds mean) {
  return positive_time("optimal_interval: checkpoint_time",
                       mean.value() * math::lambert_w0_plus_1_of_exp(checkpoint_time / mean), checkpoint_time.value(),
                       "a time whose quotient with mean_time_between_preemptions is representable");
}

}  // namespace detail

/// The interval between checkpoints by Young's rule, sqrt(2 delta M): good where it is far below M.
///
/// `checkpoint_time` is for how long one checkpoint stops the compute, `mean_time_between_preemptions` that of the
/// whole job. Throws for either at 0, negative or not finite, and for a product that is not representable. Source:
/// Young, CACM 17(9):530-531, 1974. Worked: young_interval(60_s, 5_h) = 1469.694 s.
[[nodiscard]] constexpr seconds young_interval(seconds checkpoint_time, seconds mean_time_between_preemptions) {
  const double delta = detail::positive("young_interval: checkpoint_time", checkpoint_time.value());
  const double mean =
      detail::positive("young_interval: mean_time_between_preemptions", mean_time_between_preemptions.value());
  return detail::positive_time("young_interval: checkpoint_time", math::sqrt(2 * delta * mean), delta,
                               "a time whose product with mean_time_between_preemptions is representable");
}

/// The interval between checkpoints by Daly's low-order rule, sqrt(2 delta (M + R)) - delta.
///
/// Times as in `young_interval`; `restart_time` may be 0. Throws besides where the rule has no positive answer, which
/// is from checkpoint_time = 2 (mean_time_between_preemptions + restart_time) on. Source: Daly, ICCS 2003 (LNCS 2660).
/// Worked: daly_interval(60_s, 5_h, 300_s) = 1421.891 s.
[[nodiscard]] constexpr seconds daly_interval(seconds checkpoint_time, seconds mean_time_between_preemptions,
                                              seconds restart_time) {
  const double delta = detail::positive("daly_interval: checkpoint_time", checkpoint_time.value());
  const double mean =
      detail::positive("daly_interval: mean_time_between_preemptions", mean_time_between_preemptions.value());
  const double restart = detail::not_negative("daly_interval: restart_time", restart_time.value());
  const double limit = 2 * (mean + restart);
  // sqrt(a) - b as (a - b^2) / (sqrt(a) + b): no cancellation where the answer is small.
  return detail::positive_time("daly_interval: checkpoint_time",
                               delta / (math::sqrt(delta * limit) + delta) * (limit - delta), delta,
                               "below 2 (mean_time_between_preemptions + restart_time), and representable products");
}

/// The interval between checkpoints by Daly's higher-order rule,
/// sqrt(2 delta M) [1 + sqrt(delta / 2M) / 3 + (delta / 2M) / 9] - delta below delta = 2M, and M from there on.
///
/// Arguments and refusals as `young_interval`. The answer jumps at delta = 2M, where the exact one does not.
/// Source: Daly, FGCS 22(3):303-312, 2006. Worked: daly_interval_high_order(60_s, 5_h) = 1429.966 s.
[[nodiscard]] constexpr seconds daly_interval_high_order(seconds checkpoint_time,
                                                         seconds mean_time_between_preemptions) {
  const double delta = detail::positive("daly_interval_high_order: checkpoint_time", checkpoint_time.value());
  const double mean = detail::positive("daly_interval_high_order: mean_time_between_preemptions",
                                       mean_time_between_preemptions.value());
  const double half = delta / 2;
  if (half >= mean) return mean_time_between_preemptions;
  // With r = sqrt(delta / 2M) the rule is 2M r (1 - r / 3)^2: no cancellation.
  const double root = math::sqrt(half / mean);
  return detail::positive_time("daly_interval_high_order: checkpoint_time",
                               mean * (2 * root * (1 - root / 3) * (1 - root / 3)), delta,
                               "a time whose quotient with mean_time_between_preemptions is representable");
}

/// The interval between checkpoints that makes the expected time of a long run least: M [1 + W0(-e^-(1 + delta / M))].
///
/// Neither the restart time nor the queue time changes it. It is exact for a run of whole intervals; for a run not much
/// longer than the interval, compare the neighbouring whole numbers of segments. Always below M. Arguments and refusals
/// as `young_interval`; it refuses besides a checkpoint of more than 40 M, which no run ever ends, or whose two times
/// were swapped. Source: the minimiser of (e^((tau + delta) / M) - 1) / tau, from the model of Daly 2006.
/// Worked: optimal_interval(60_s, 5_h) = 1429.969 s; optimal_interval(4_h, 15_s) is refused.
[[nodiscard]] constexpr seconds optimal_interval(seconds checkpoint_time, seconds mean_time_between_preemptions) {
  const double delta = detail::positive("optimal_interval: checkpoint_time", checkpoint_time.value());
  const double mean =
      detail::positive("optimal_interval: mean_time_between_preemptions", mean_time_between_preemptions.value());
  if (delta > 40 * mean) {
    detail::fail(errc::out_of_range, "optimal_interval: checkpoint_time", delta,
                 "at most 40 times mean_time_between_preemptions, the second argument");
  }
  return detail::interval_of_least_time(checkpoint_time, mean_time_between_preemptions);
}

/// A run that takes longer than this never ends: twice the age of the universe.
inline constexpr seconds longest_run{1e18};

/// The expected billed time, wall time and preemptions of a spot run, in parts.
///
/// Work that is not a whole number of intervals ends with a shorter segment. Throws for every field out of the range
/// that `spot_run` gives, and where the run is not expected to end within `longest_run` (`errc::out_of_range`): nor
/// does one with a segment or a restart of some 40 times the mean time between preemptions (see `can_finish`). Source:
/// Daly, FGCS 22(3):303-312, 2006, complete model. Worked: 10 h of work, 1800 s intervals, 60 s checkpoints, 300 s
/// restarts and 5 h between preemptions: billed = 39848.588 s, preemptions = 2.2138.
[[nodiscard]] constexpr expected_spot_run expected_run(const spot_run& run) {
  const expected_spot_run answer = detail::expectation_of(run);
  if (!(run.work <= longest_run)) {
    detail::fail(errc::out_of_range, "spot_run: work", run.work.value(), "at most 1e18 s");
  }
  if (!(answer.wall <= longest_run)) {
    detail::fail(errc::out_of_range, "spot_run: mean_time_between_preemptions",
                 run.mean_time_between_preemptions.value(),
                 "enough for the run to end within 1e18 s: more than 1/40 of a segment and of a restart");
  }
  detail::representable("spot_run: work", answer.wall_factor, run.work.value(),
                        "enough for a representable ratio of expected time to work");
  return answer;
}

/// Whether a spot run is expected to end within `longest_run`.
///
/// A run whose restart, or one of whose segments, takes some 40 times the mean time between preemptions does not: the
/// expected number of preemptions before one of them succeeds is e^40. Throws for every field out of the range that
/// `spot_run` gives. Worked: the run of `expected_run` ends; preempted every 6 s, it does not.
[[nodiscard]] constexpr bool can_finish(const spot_run& run) { return detail::expectation_of(run).wall <= longest_run; }

/// The time that checkpoints and preemptions add, as a fraction of the work, to first order:
/// delta / tau + (tau + delta) / 2M + R / M.
///
/// Holds only where tau + delta + R is far below M; `expected_run` holds always. Ignores work, queue_time and both
/// flags. Throws for each of the four times it uses out of the range that `spot_run` gives. Source: Young 1974. Worked:
/// the run of `expected_run` adds 0.101667; exactly it is 0.106905.
[[nodiscard]] constexpr double first_order_overhead(const spot_run& run) {
  const double interval = detail::positive("spot_run: checkpoint_interval", run.checkpoint_interval.value());
  const double delta = detail::not_negative("spot_run: checkpoint_time", run.checkpoint_time.value());
  const double mean =
      detail::positive("spot_run: mean_time_between_preemptions", run.mean_time_between_preemptions.value());
  const double restart = detail::not_negative("spot_run: restart_time", run.restart_time.value());
  return detail::representable("spot_run: mean_time_between_preemptions",
                               delta / interval + (interval + delta) / 2 / mean + restart / mean, mean,
                               "enough for a representable overhead");
}

/// The mean time between preemptions from the probability of at least one in a window of time: -T / ln(1 - p).
///
/// `probability` lies strictly between 0 and 1: 0 would be an infinite mean. Throws besides for a window that is not
/// above 0. Worked: 5 % in 24 h is one in 467.897 h.
[[nodiscard]] constexpr seconds mean_time_between_preemptions_from_probability(double probability, seconds window) {
  constexpr std::string_view field = "mean_time_between_preemptions: probability";
  detail::positive(field, probability);
  if (probability >= 1) detail::fail(errc::out_of_range, field, probability, "above 0 and below 1");
  const double time = detail::positive("mean_time_between_preemptions: window", window.value());
  return seconds{detail::representable(field, -time / math::log1p(-probability), probability,
                                       "large enough for a representable mean time")};
}

/// The mean time between preemptions from a count: running time / preemptions.
///
/// `running` is the time with machines, above 0; `preemptions` is 1 or more: none seen bounds the mean from below only.
/// Worked: 2436684 s with 42 preemptions is one in 16.116 h.
[[nodiscard]] constexpr seconds mean_time_between_preemptions_from_count(seconds running, std::int64_t preemptions) {
  const double time = detail::positive("mean_time_between_preemptions: running", running.value());
  detail::positive_count("mean_time_between_preemptions: preemptions", preemptions);
  return seconds{time / static_cast<double>(preemptions)};
}

/// The mean time between preemptions from a rate of them: 1 / rate. It is not the probability of one in that time,
/// which is less. Throws for a rate that is not above 0. Worked: 0.2 an hour are one in 5 h; a probability of 20 % in
/// an hour is one in 4.4814 h.
[[nodiscard]] constexpr seconds mean_time_between_preemptions_from_rate(per_second preemptions) {
  const double rate = detail::positive("mean_time_between_preemptions: rate", preemptions.value());
  return seconds{detail::representable("mean_time_between_preemptions: rate", 1 / rate, rate,
                                       "large enough for a representable mean time")};
}

/// The mean time between preemptions of a job on several slices, any of which stops the job: M / n.
///
/// Holds where slices are preempted independently of each other, which large spot reclaims are not: a job hit by them
/// does better than this. `of_one_slice` above 0, `slices` 1 or more. Worked: 4 slices of 16 h each: 4 h.
[[nodiscard]] constexpr seconds mean_time_between_preemptions_of_slices(seconds of_one_slice, std::int64_t slices) {
  const double mean = detail::positive("mean_time_between_preemptions: of_one_slice", of_one_slice.value());
  detail::positive_count("mean_time_between_preemptions: slices", slices);
  return seconds{mean / static_cast<double>(slices)};
}

/// The probability of at least one preemption in a window of time: 1 - e^(-T / M).
///
/// The inverse of `mean_time_between_preemptions_from_probability`; both times above 0.
/// Worked: 24 h with one preemption in 467.897 h: 5 %.
[[nodiscard]] constexpr double preemption_probability(seconds mean_time_between_preemptions, seconds window) {
  const double mean =
      detail::positive("preemption_probability: mean_time_between_preemptions", mean_time_between_preemptions.value());
  const double time = detail::positive("preemption_probability: window", window.value());
  return -math::expm1(-time / mean);
}

/// What useful time costs on spot capacity: spot price x billed / work, in the unit of the price.
///
/// `spot` above 0, `billed_factor` 1 or more. Worked: 0.29771 USD per chip-hour at a factor of 1.106905 is 0.329537.
[[nodiscard]] constexpr usd_per_second effective_price(usd_per_second spot, double billed_factor) {
  const double price = detail::positive("effective_price: spot", spot.value());
  detail::in_range("effective_price: billed_factor", billed_factor, 1, 1.7976931348623157e308, "1 or more");
  return usd_per_second{detail::representable("effective_price: billed_factor", price * billed_factor, billed_factor,
                                              "a factor whose product with the price is representable")};
}

/// The billed factor up to which spot is the cheaper one: on-demand price / spot price.
///
/// Throws for a price that is not above 0. Worked: 1.20 against 0.60 USD per hour: 2.
[[nodiscard]] constexpr double break_even_billed_factor(const spot_prices& prices) {
  const double on_demand = detail::positive("spot_prices: on_demand", prices.on_demand.value());
  const double spot = detail::positive("spot_prices: spot", prices.spot.value());
  return detail::representable("spot_prices: spot", on_demand / spot, spot,
                               "a price with a representable ratio to on_demand");
}

/// The fraction of the on-demand cost that spot saves: 1 - spot x billed_factor / on demand. Negative where spot costs
/// more.
///
/// Refusals as `effective_price` and `break_even_billed_factor`. Worked: 2.4 h billed for 2 h of work, at 19.20 against
/// 38.40 USD per hour: 0.4.
[[nodiscard]] constexpr double spot_saving(const spot_prices& prices, double billed_factor) {
  static_cast<void>(break_even_billed_factor(prices));
  const double effective = effective_price(prices.spot, billed_factor).value();
  return detail::representable("spot_prices: on_demand", 1 - effective / prices.on_demand.value(),
                               prices.on_demand.value(), "a price with a representable ratio to spot");
}

/// Whether a run of that billed factor costs less on spot: billed / work below on demand / spot. Equal is not cheaper.
///
/// Refusals as `spot_saving`. Worked: at half the price a factor of 1.2 is cheaper.
[[nodiscard]] constexpr bool spot_is_cheaper(const spot_prices& prices, double billed_factor) {
  detail::in_range("spot_is_cheaper: billed_factor", billed_factor, 1, 1.7976931348623157e308, "1 or more");
  return billed_factor < break_even_billed_factor(prices);
}

/// The dollars of a spot run compared with those of the same work on demand.
///
/// `work` is useful time, above 0; `billed` what spot bills for it, not less. Prices as in `spot_prices`; the costs are
/// of what the prices are of, one chip or a slice. Worked: 2 h of work, 2.4 h billed, 38.40 and 19.20 USD per hour:
/// 76.80 against 46.08 USD.
[[nodiscard]] constexpr spot_comparison compare_spot(const spot_prices& prices, seconds work, seconds billed) {
  const double useful = detail::positive("compare_spot: work", work.value());
  const double paid = detail::positive("compare_spot: billed", billed.value());
  if (paid < useful) detail::fail(errc::invalid_argument, "compare_spot: billed", paid, "not below work");

  spot_comparison answer{};
  answer.billed_factor =
      detail::representable("compare_spot: work", paid / useful, useful, "a time with a representable ratio to billed");
  answer.break_even_billed_factor = break_even_billed_factor(prices);
  answer.effective_price = effective_price(prices.spot, answer.billed_factor);
  answer.saving_fraction = spot_saving(prices, answer.billed_factor);
  answer.spot_is_cheaper = spot_is_cheaper(prices, answer.billed_factor);
  answer.on_demand_cost = prices.on_demand * work;
  answer.spot_cost = prices.spot * billed;
  answer.saving = answer.on_demand_cost - answer.spot_cost;
  detail::representable("compare_spot: billed", answer.saving.value(), paid, "a time with a representable cost");
  return answer;
}

/// The dollars of a spot run as `expected_run` expects it, compared with those of its work on demand.
///
/// Refusals as `expected_run` and the prices'. Worked: the run of `expected_run` at 1.20 and 0.29771 USD per chip-hour
/// saves 72.54 %.
[[nodiscard]] constexpr spot_comparison compare_spot(const spot_prices& prices, const spot_run& run) {
  const expected_spot_run expected = expected_run(run);
  return compare_spot(prices, expected.work, expected.billed);
}

/// The mean time between preemptions at which the run costs the same on spot and on demand; spot is cheaper above it.
///
/// `run.mean_time_between_preemptions` is not used, and the checkpoint interval is kept. Found to a relative 1e-12 by
/// bisection of the expected billed time, which falls as the mean grows, where the prices leave 1 % or more of the work
/// for lost time; with less the accuracy is that of the prices. Throws `errc::infeasible` where spot is not cheaper
/// even without any preemption, and as `expected_run` and the prices' otherwise. Worked: the run of `expected_run`
/// at 1.20 and 0.60 USD per hour breaks even at 1972.487 s.
[[nodiscard]] constexpr seconds break_even_mean_time_between_preemptions(const spot_prices& prices,
                                                                         const spot_run& run) {
  static_cast<void>(break_even_billed_factor(prices));
  const detail::run_segments segments = detail::segments_of(run);
  const double restart = detail::not_negative("spot_run: restart_time", run.restart_time.value());
  const double spot = prices.spot.value();
  const double allowance = (prices.on_demand.value() - spot) / spot * run.work.value() - segments.checkpoints;
  if (!(allowance > 0)) {
    detail::fail(errc::infeasible, "spot_prices: spot", spot, "below on_demand x work / (work + checkpoints)");
  }

  // With u = 1 / M the added time is a power series in u without a constant term and with no negative coefficient. It
  // lies between s u and s u e^(c u), with c the longest exponent: the root is at W0(c a / s) / c or above.
  const double longest = (segments.equal > 0 ? segments.equal_length : segments.last_length) + restart;
  const double slope =
      static_cast<double>(segments.equal) * segments.equal_length * (segments.equal_length / 2 + restart) +
      segments.last_length * (segments.last_length / 2 + restart);
  const auto added = [&](double rate) {
    const detail::preemption_losses sum = detail::losses(segments, run, 1 / rate);
    return sum.lost_work + sum.restarts;
  };
  double low = math::lambert_w0(longest * (allowance / slope)) / longest;
  detail::positive_time("spot_run: work", low, run.work.value(), "times whose squares are representable");
  double high = low;
  while (added(high) < allowance) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 54; ++i) {
    const double middle = low + (high - low) / 2;
    (added(middle) < allowance ? low : high) = middle;
  }
  return seconds{1 / high};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
