#ifndef TPUPLAN_ESTIMATE_SERVING_MIXTURE_HPP
#define TPUPLAN_ESTIMATE_SERVING_MIXTURE_HPP

#include <array>
#include <cstddef>
#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/serving/calibration.hpp>

/// @file
/// The range of a serving estimate: that of the engine that runs or, where none is named, of the mixture of those that
/// ran in published runs.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A time as estimated, and the ends of its range.
struct likely_time {
  seconds total{}, low{}, high{};
};

constexpr double fourth_power(double x) { return x * x * (x * x); }
constexpr double fourth_root(double x) { return math::sqrt(math::sqrt(x)); }

/// An engine that may run, by what estimates under engines differ.
struct candidate_engine {
  engine_factors factors{};
  bool pages = true, hosts_in_turn = false, prompts_alone = false;  // as in its row
};

constexpr candidate_engine candidate_of(const engine_row& row, const fitted_engines& fitted) {
  return {factors_of(fitted, row.engine), row.pages, row.hosts_in_turn, row.prompts_alone};
}
/// Each engine with the factors of the library, which most questions take.
using candidate_engines = std::array<candidate_engine, sizeof(engines) / sizeof(engine_row)>;
constexpr candidate_engines candidates_of(const fitted_engines& fitted) {
  candidate_engines all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = candidate_of(engines[i], fitted);
  return all;
}
inline constexpr candidate_engines usual_candidates = candidates_of(engine_fit);

/// Seconds that an estimate would be under each engine that ran.
using engine_times = std::array<double, most_engines_that_ran>;
template <class Estimate>
constexpr engine_times times_of(const engines_that_ran& ran, const fitted_engines& fitted, const Estimate& time_under) {
  const bool usual = &fitted == &default_serving_calibration.engines;
  engine_times times{};
  for (std::size_t i = 0; i < ran.count; ++i) {
    const auto place = static_cast<std::size_t>(ran.items[i].engine);
    times[i] = time_under(usual ? usual_candidates[place] : candidate_of(engines[place], fitted)).value();
  }
  return times;
}

/// The range of what engines take, one in twenty of which lies below and one in twenty above: of each engine that ran,
/// with its share, the times lie in the band of the kind around its own, and beyond its ends their share falls with the
/// fourth power of time. So 0.05 (t / low)^4 of those of an engine lie below t, and 0.05 of all where t is a power mean
/// of the engines' ends. Of one engine they are its own. A loop that can be as good as the best measured begins at
/// `best`, where that is above 0.
constexpr likely_time range_of_engines(const engines_that_ran& ran, const serving_band& band, seconds best,
                                       const engine_times& times) {
  const seconds first{times[0]}, low = first / (1 + band.over);
  const double per_first = 1 / first.value(), reached = best.value() > 0 ? fourth_power(low / best) : 0;
  double below = 0, above = 0;
  for (std::size_t i = 0; i < ran.count; ++i) {
    const engine_that_ran& one = ran.items[i];
    const double over = fourth_power(times[i] * per_first);
    below += one.share * (reached * over > 1 && row_of(one.engine).may_be_best ? reached : 1 / over);
    above += one.share * over;
  }
  return {first, low / fourth_root(below), first / (1 - band.under) * fourth_root(above)};
}

/// The same around an estimate, whose ends are on either side of it, and no higher than `least`, where that is above 0.
constexpr likely_time range_around(seconds total, const likely_time& ran, seconds least) {
  likely_time range{total, min(total, ran.low), max(total, ran.high)};
  if (least.value() > 0) range.low = min(range.low, least);
  return range;
}

constexpr const engines_that_ran& ran_of(serving_kind kind) { return ran_by_kind[static_cast<std::size_t>(kind)]; }

/// `range_of_engines` of one engine, of which the estimate is.
constexpr likely_time range_of_engine(serving_engine engine, const serving_band& band, seconds best, seconds total) {
  const seconds low = total / (1 + band.over);
  const bool is_best = row_of(engine).may_be_best && best.value() > 0;
  return {total, is_best ? min(low, best) : low, total / (1 - band.under)};
}

/// What a range is of.
struct ranged {
  serving_kind kind{};
  serving_engine engine{};
  software_level software{};
};

/// The range of an estimate, from the times that it would be under each engine that ran. Where no engine is named, the
/// low end is no higher than what the best software takes, `best_reached` times `floor`, unless the software is said to
/// be no such.
constexpr likely_time likely_range(const ranged& of, bool covered, seconds floor, seconds total,
                                   const engine_times& times) {
  const seconds best = taken_as_tuned(of.software) ? best_reached(of.kind) * floor : seconds{0};
  const serving_band band = band_of(of.kind, covered, of.software);
  if (of.engine != serving_engine::unnamed)
    return range_around(total, range_of_engine(of.engine, band, best, total), seconds{0});
  return range_around(total, range_of_engines(ran_of(of.kind), band, best, times), best);
}

/// Fills in the range (low, high, band) of an estimate. `time_under` says what it would be under an engine.
template <class Estimate, class Times>
constexpr void add_range(Estimate& estimate, const ranged& of, bool covered, seconds floor,
                         const fitted_engines& fitted, const Times& time_under) {
  const bool is_named = of.engine != serving_engine::unnamed;
  const engine_times times = is_named ? engine_times{} : times_of(ran_of(of.kind), fitted, time_under);
  const likely_time range = likely_range(of, covered, floor, estimate.total, times);
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
