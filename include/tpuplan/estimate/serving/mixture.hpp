#ifndef TPUPLAN_ESTIMATE_SERVING_MIXTURE_HPP
#define TPUPLAN_ESTIMATE_SERVING_MIXTURE_HPP

#include <cstddef>
#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/serving/calibration.hpp>

/// @file
/// The range of a serving estimate: that of the engine that runs or, where none is named, of the mixture of those that
/// ran in published runs.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Where a rising function crosses 0 between 0 and `most`: 0 where it is positive from the start, `most` where it never
/// is. Exact to 1e-14 of the answer: what rests on it as a power is still exact to 1e-12. The method is regula falsi
/// with the Illinois rule, which halves the value at an end that has stayed twice, so that both ends converge.
template <class Function>
constexpr double crossing(const Function& function, double most) {
  double low = 0, high = most;
  double at_low = function(low), at_high = function(high);
  if (at_high <= 0) return most;
  if (at_low >= 0) return 0;
  int stayed = 0;  // rounds for which the low end has stayed; negative: the high end
  for (int round = 0; round < 200 && high - low > 1e-14 * high; ++round) {
    double middle = low - at_low * (high - low) / (at_high - at_low);
    if (!(middle > low && middle < high)) middle = low + (high - low) / 2;
    const double value = function(middle);
    if (value == 0) return middle;
    if (value < 0) {
      low = middle, at_low = value;
      if (stayed < 0) at_high /= 2;
      stayed = -1;
    } else {
      high = middle, at_high = value;
      if (stayed > 0) at_low /= 2;
      stayed = 1;
    }
  }
  return low + (high - low) / 2;
}

/// A share of what may be measured, and how it lies: half of it above `total`, one in twenty below `low` and above
/// `high`, and in between and beyond as a logistic distribution of the logarithm on either side.
struct likely_time {
  double share = 1;
  seconds total{}, low{}, high{};
};

/// The chance that it is at most that long.
constexpr double share_within(const likely_time& one, seconds limit) {
  const double off = math::log(limit / one.total);
  const double end = off < 0 ? -math::log(one.low / one.total) : math::log(one.high / one.total);
  if (!(end > 0)) return off < 0 ? 0 : 1;
  constexpr double log_19 = 2.9444389791664403;  // of 0.95 over 0.05
  return 1 / (1 + math::exp(-log_19 * off / end));
}

/// What may be measured, all shares together 1.
struct likely_times {
  std::array<likely_time, most_engines_that_ran> items{};
  std::size_t count = 0;
};

/// The time that a share of the mixture is at most, 0.05 or 0.95: it lies between such ends of its parts.
constexpr seconds end_of(const likely_times& mixture, double share) {
  const auto end = [&](std::size_t i) { return share < 0.5 ? mixture.items[i].low : mixture.items[i].high; };
  seconds least = end(0), most = end(0);
  for (std::size_t i = 1; i < mixture.count; ++i) least = min(least, end(i)), most = max(most, end(i));
  const auto above = [&](double log_time) {
    double sum = -share;
    for (std::size_t i = 0; i < mixture.count; ++i)
      sum += mixture.items[i].share * share_within(mixture.items[i], least * math::exp(log_time));
    return sum;
  };
  if (!(least < most)) return least;
  return least * math::exp(crossing(above, math::log(most / least)));
}

/// The times that a kind of estimate may be measured at. Of an engine that is named it is one, in the band of its kind;
/// else one for each that ran, `time_under` saying what the estimate would be. A loop that can be as good as the best
/// measured begins at `best`, where that is above 0.
template <class Estimate>
constexpr likely_times likely_times_of(const engines_that_ran& ran, const serving_band& band, seconds best,
                                       const Estimate& time_under) {
  likely_times list;
  for (; list.count < ran.count; ++list.count) {
    const engine_that_ran& one = ran.items[list.count];
    likely_time& time = list.items[list.count];
    time.share = one.share;
    time.total = time_under(one.engine);
    time.low = time.total / (1 + band.over);
    time.high = time.total / (1 - band.under);
    if (row_of(one.engine).may_be_best && best.value() > 0) time.low = min(time.low, best);
  }
  return list;
}

/// The one engine that runs or, where none is named, those that ran.
constexpr engines_that_ran engines_of(serving_kind kind, serving_engine engine) {
  if (engine == serving_engine::unnamed) return ran_by_kind[static_cast<std::size_t>(kind)];
  return {{{{engine, 1}}}, 1};
}

/// An estimate and the ends of its range: of the mixture, of which one in twenty is below and above, and no higher than
/// `least`, where that is above 0.
constexpr likely_time range_of_times(const likely_times& times, seconds total, seconds least) {
  likely_time range{1, total, min(total, end_of(times, 0.05)), max(total, end_of(times, 0.95))};
  if (least.value() > 0) range.low = min(range.low, least);
  return range;
}

/// Fills in the range (low, high, band) of an estimate. Where no engine is named, the low end is no higher than what
/// the best software takes, `best_reached` times `floor`. `time_under` says what the estimate would be under an engine.
template <class Estimate, class Times>
constexpr void add_range(Estimate& estimate, serving_kind kind, serving_engine engine, bool covered, seconds floor,
                         const Times& time_under) {
  const seconds best = best_reached(kind) * floor;
  const likely_times times = likely_times_of(engines_of(kind, engine), band_of(kind, covered), best, time_under);
  const likely_time range =
      range_of_times(times, estimate.total, engine == serving_engine::unnamed ? best : seconds{0});
  const double over = range.total / range.low - 1, under = 1 - range.total / range.high;
  estimate.extrapolated = !covered;
  estimate.band = over > under ? over : under;
  estimate.low = range.low;
  estimate.high = range.high;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
