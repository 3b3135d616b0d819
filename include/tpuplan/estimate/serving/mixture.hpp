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

/// A share of what may be measured, and how it lies: half of it above `total`, one in twenty below `low` and above
/// `high`, and in between and beyond as a logistic distribution of the logarithm on either side.
struct likely_time {
  double share = 1;
  seconds total{}, low{}, high{};
};

/// What may be measured, all shares together 1.
struct likely_times {
  std::array<likely_time, most_engines_that_ran> items{};
  std::size_t count = 0;
};

/// A part of a mixture in logarithms of time over `total` of the first part.
struct likely_log {
  double share = 0, middle = 0;
  double below = 0, above = 0;  // from the middle to either end
};

/// What share of a part lies below a place, and how much more does for each step above it.
struct likely_share {
  double below = 0, slope = 0;
};

inline constexpr double log_19 = 2.9444389791664403;  // of 0.95 over 0.05

constexpr likely_share share_below(const likely_log& part, double place) {
  const double off = place - part.middle, end = off < 0 ? part.below : part.above;
  if (!(end > 0)) return {off < 0 ? 0.0 : 1.0, 0};
  const double share = 1 / (1 + math::exp(-log_19 * off / end));
  return {share, share * (1 - share) * log_19 / end};
}

/// The chance that it is at most that long.
constexpr double share_within(const likely_time& one, seconds limit) {
  return share_below({1, 0, math::log(one.total / one.low), math::log(one.high / one.total)},
                     math::log(limit / one.total))
      .below;
}

/// Whether two ratios are one but for rounding.
constexpr bool is_as_wide(double ratio, double other) {
  return ratio - other < 1e-14 * other && other - ratio < 1e-14 * other;
}

/// What lies below the place of u = exp(-rate place), and how much more does for each step of u: `weights` are
/// exp(rate middle) of each part.
constexpr likely_share share_at(const likely_log* parts, const double* weights, std::size_t count, double rate,
                                double u) {
  likely_share sum{};
  for (std::size_t i = 0; i < count; ++i) {
    const likely_log& part = parts[i];
    if (part.below > 0 && part.below == parts[0].below && weights[i] * u > 1) {
      const double share = 1 / (1 + weights[i] * u);
      sum.below += part.share * share, sum.slope -= part.share * weights[i] * share * share;
    } else {
      const likely_share one = share_below(part, -math::log(u) / rate);
      sum.below += part.share * one.below, sum.slope -= part.share * one.slope / (rate * u);
    }
  }
  return sum;
}

/// The place that one in twenty of the parts lies below. With u = exp(-rate place), of the rate of the first part, the
/// share of a part as wide as that is 1 / (1 + weight u) below its middle. Newton's method for 1 / sum, which is linear
/// in u where all parts are alike, from the least place at which a part alone has that share; halved where it leaves the
/// places between the parts' own ends.
constexpr double low_end(const likely_log* parts, std::size_t count) {
  const double rate = parts[0].below > 0 ? log_19 / parts[0].below : 1;
  double weights[most_engines_that_ran] = {}, least = 0, most = 0, alone = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const likely_log& part = parts[i];
    const bool alike = part.below > 0 && part.below == parts[0].below;
    const double times = 20 * part.share - 1;  // the odds that its own share has there
    weights[i] = part.middle == 0 ? 1 : math::exp(rate * part.middle);
    const double end = alike ? 19 / weights[i] : math::exp(rate * (part.below - part.middle));
    if (times > 1) {  // below its middle
      const double own = alike ? times / weights[i]
                               : math::exp(rate * (part.below * math::log(times) / log_19 - part.middle));
      alone = own > alone ? own : alone;
    }
    least = i == 0 || end < least ? end : least;
    most = i == 0 || end > most ? end : most;
  }
  least = alone > least && alone < most ? alone : least;
  double at = least;
  for (int round = 0; round < 100 && most - least > 1e-14 * most; ++round) {
    const likely_share sum = share_at(parts, weights, count, rate, at);
    (sum.below > 0.05 ? least : most) = at;
    const double next = sum.slope < 0 ? at + sum.below * (1 - sum.below / 0.05) / sum.slope : most;
    const double step = next - at;
    at = next >= least && next <= most ? next : least + (most - least) / 2;
    if (sum.slope < 0 && step < 1e-9 * at && step > -1e-9 * at) break;  // what is left is that squared
  }
  return -math::log(at) / rate;
}

/// The range of a mixture: one in twenty lies below and one in twenty above. Its ends lie between those of its parts.
constexpr likely_time range_of_parts(const likely_times& mixture) {
  likely_time range = mixture.items[0];
  if (mixture.count == 1) return range;
  likely_log parts[most_engines_that_ran] = {}, mirrored[most_engines_that_ran] = {};
  for (std::size_t i = 0; i < mixture.count; ++i) {
    const likely_time& one = mixture.items[i];
    const bool is_first = i == 0, same = !is_first && one.total == mixture.items[i - 1].total;
    likely_log& part = parts[i];
    part.share = one.share;
    part.middle = is_first ? 0 : same ? parts[i - 1].middle : math::log(one.total / range.total);
    part.below = !is_first && is_as_wide(one.total / one.low, range.total / range.low)
                     ? parts[0].below
                     : math::log(one.total / one.low);
    part.above = !is_first && is_as_wide(one.high / one.total, range.high / range.total)
                     ? parts[0].above
                     : math::log(one.high / one.total);
    mirrored[i] = {part.share, -part.middle, part.above, part.below};
  }
  const seconds middle = range.total;
  range.low = middle * math::exp(low_end(parts, mixture.count));
  range.high = middle * math::exp(-low_end(mirrored, mixture.count));
  return range;
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
  const likely_time parts = range_of_parts(times);
  likely_time range{1, total, min(total, parts.low), max(total, parts.high)};
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
