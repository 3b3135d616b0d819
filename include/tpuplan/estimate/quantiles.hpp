#ifndef TPUPLAN_ESTIMATE_QUANTILES_HPP
#define TPUPLAN_ESTIMATE_QUANTILES_HPP

#include <cstddef>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/units.hpp>
#include <utility>

/// @file
/// The distribution of a measured time, or of the memory that a program needs, around its estimate: quantiles, and the
/// chance to stay within a limit. Of an estimate it needs `range_of(estimate)`, which is `total`, `low` and `high`
/// where nothing else is said, and `shape_of(estimate)`, which says how what is measured lies within that range.

namespace tpuplan {
inline namespace abi_0 {

/// An estimate and the ends of its range, beyond each of which one in twenty lies.
template <class Quantity>
struct estimated_range {
  Quantity low{};    ///< one in twenty lies below
  Quantity total{};  ///< as estimated
  Quantity high{};   ///< one in twenty lies above
};

/// The range of an estimate. Worked: that of a step is from its `low` to its `high`.
template <class Estimate>
[[nodiscard]] constexpr auto range_of(const Estimate& estimate) -> estimated_range<decltype(estimate.total)> {
  return {estimate.low, estimate.total, estimate.high};
}

/// Where in its band a share of measured times lies at most: -1 is the low end, 0 the estimate, 1 the high end; in
/// between places are proportional to logarithms of time.
struct band_place {
  double share = 0;  ///< of the sources, each counted once
  double place = 0;  ///< -1 to 1
};

/// How measured times lie in their bands. One in twenty lies below the low end, and one in twenty above the high end.
struct band_shape {
  static constexpr std::size_t count = 7;  ///< of places
  band_place places[count] = {};           ///< shares rise from 0.05 to 0.95, places from -1 to 1
};

namespace detail {

/// What an estimate is of: seconds or bytes. Nothing for a type that has no shape.
template <class Estimate, class = decltype(shape_of(std::declval<const Estimate&>()))>
using measured_as = decltype(range_of(std::declval<const Estimate&>()).total);

/// The logarithm of a place in a range over the estimate.
template <class Range>
constexpr double log_at(const Range& range, double place) {
  const double end = place < 0 ? range.low / range.total : range.high / range.total;
  return (place < 0 ? -place : place) * math::log(end);
}

/// The range of an estimate, which is refused without an estimate and with an end that is none.
template <class Estimate>
constexpr auto checked_range(const Estimate& estimate) {
  const auto range = range_of(estimate);
  positive("total of the estimate", range.total.value());
  if (!(range.low.value() >= 0)) fail_not_negative("low end of the estimate", range.low.value());
  if (!(range.high.value() >= 0)) fail_not_negative("high end of the estimate", range.high.value());
  return range;
}

}  // namespace detail

/// The time that a share of measured times is at most, or the usable HBM with which that share of jobs runs; of half of
/// them at 0.5, which need not be the estimate: errors lean to one side. Refuses shares beyond 0.05 to 0.95, of which
/// too few sources speak, and an estimate of nothing. Source: docs/model.md, "Quantiles". Worked: of a step in a band
/// of 8 to 12 s, 0.95 are at most 12 s.
template <class Estimate>
[[nodiscard]] constexpr detail::measured_as<Estimate> quantile(const Estimate& estimate, double share) {
  detail::in_range("quantile: share", share, 0.05, 0.95, "0.05 to 0.95: of what lies beyond no source speaks");
  const band_shape shape = shape_of(estimate);
  std::size_t i = 1;
  while (i + 1 < shape.count && shape.places[i].share < share) ++i;
  const band_place &a = shape.places[i - 1], &b = shape.places[i];
  const double place = a.place + (b.place - a.place) * (share - a.share) / (b.share - a.share);
  const auto range = detail::checked_range(estimate);
  return range.total * math::exp(detail::log_at(range, place));
}

/// The chance that a measured time is at most that limit, or that a job runs in so much usable HBM: 0.05 for all that
/// is below the band, 0.95 for all above it, where the chance may be smaller or greater. Throws for a limit that is not
/// above 0, and for an estimate of nothing. Worked: 0.95 for the high end.
template <class Estimate>
[[nodiscard]] constexpr double chance(const Estimate& estimate, detail::measured_as<Estimate> limit) {
  detail::positive("chance: limit", limit.value());
  const band_shape shape = shape_of(estimate);
  const auto range = detail::checked_range(estimate);
  const double asked = math::log(limit / range.total);
  double before = detail::log_at(range, shape.places[0].place);
  if (asked < before) return shape.places[0].share;
  for (std::size_t i = 1; i < shape.count; ++i) {
    const band_place &a = shape.places[i - 1], &b = shape.places[i];
    // The estimate lies within a piece where signs change: places are linear in shares on either side of it.
    const double ends[] = {a.place, a.place < 0 && b.place > 0 ? 0 : b.place, b.place};
    for (std::size_t j = 1; j < 3; ++j) {
      const double after = detail::log_at(range, ends[j]);
      if (asked < after) {
        const double place = ends[j - 1] + (ends[j] - ends[j - 1]) * (asked - before) / (after - before);
        return a.share + (b.share - a.share) * (place - a.place) / (b.place - a.place);
      }
      before = after;
    }
  }
  return shape.places[shape.count - 1].share;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
