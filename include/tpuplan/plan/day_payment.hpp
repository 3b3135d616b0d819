#ifndef TPUPLAN_PLAN_DAY_PAYMENT_HPP
#define TPUPLAN_PLAN_DAY_PAYMENT_HPP

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tpuplan/cost/commitment.hpp>
#include <tpuplan/cost/lifetimes.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/price_table.hpp>
#include <tpuplan/plan/autoscaling.hpp>
#include <vector>

/// @file
/// How the slices of a day can be paid for, and what that costs, whatever they make.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// What payment needs to know of a day, of requests for texts or for images.
struct day_terms {
  const traffic_day& day;
  const scaling_rule& scaling;
  const price_book& prices;
  std::string_view region;
  const slice& where;
  seconds between;  // mean time between preemptions of a spot slice; 0: `median_spot_lifetime` of its chip there
  std::int64_t seed;
};

inline seconds preempted_every(const day_terms& terms) {
  return terms.between.value() > 0 ? terms.between : median_spot_lifetime(terms.where.chip.name.view(), terms.region);
}

inline slices_over_day slices_of(const day_terms& terms, const payment_mix& mix, std::int64_t fixed,
                                 per_second slice_rate) {
  return follow(terms.day, terms.scaling, {preempted_every(terms), terms.seed}, mix, fixed, slice_rate);
}

inline maybe<price_row> price_of(const day_terms& terms, provisioning kind) {
  return find_price(terms.prices, terms.where, terms.region, kind);
}

/// Fills in what the slices cost; the base is paid all day.
template <class Option>
void add_cost(Option& option, const day_terms& terms, const slices_over_day& slices) {
  const double every = terms.day.part.value() / decisions_in_part;
  double base = 0, others = 0;
  for (const double paid : slices.paid) {
    base += static_cast<double>(option.mix.base) * every;
    others += std::max(0.0, paid - static_cast<double>(option.mix.base)) * every;
  }
  option.slice_hours = (base + others) / 3600;
  const auto chip_count = static_cast<double>(chips(terms.where));
  if (base > 0) option.cost += price_of(terms, option.mix.base_kind)->per_chip * chip_count * seconds{base};
  if (others > 0) option.cost += price_of(terms, option.mix.kind)->per_chip * chip_count * seconds{others};
}

/// Whether the slices are the same all day and nobody takes them away: such mixes differ in what they cost alone.
constexpr bool is_steady(const payment_mix& mix) noexcept { return !mix.follows && mix.kind != provisioning::spot; }

/// The mixes for which there are prices: all slices alike, fixed or following the traffic; and a base under commitment,
/// the others on demand or on spot. The base is the slices that are in use for so much of the day that a commitment
/// costs less.
inline std::vector<payment_mix> mixes_of(const day_terms& terms, std::int64_t fixed, per_second slice_rate) {
  std::vector<payment_mix> mixes;
  for (const provisioning kind : all_provisioning) {
    const bool by_the_hour = kind == provisioning::on_demand || kind == provisioning::spot;
    const maybe<price_row> price = price_of(terms, kind);
    if (!price || (!by_the_hour && !is_commitment(kind))) continue;
    if (by_the_hour) {
      mixes.push_back({0, kind, kind, false});
      mixes.push_back({0, kind, kind, true});
      continue;
    }
    mixes.push_back({fixed, kind, kind, false});
    const maybe<price_row> hourly = price_of(terms, provisioning::on_demand);
    if (!hourly) continue;
    const slices_over_day slices = slices_of(terms, {0, kind, provisioning::on_demand, true}, fixed, slice_rate);
    std::int64_t base = 0;
    for (; base < slices.most; ++base) {  // the next slice is used for that share of the day
      double used = 0;
      for (const double paid : slices.paid) used += paid > static_cast<double>(base) ? 1 : 0;
      if (used / static_cast<double>(slices.paid.size()) < price->per_chip / hourly->per_chip) break;
    }
    if (base == 0) continue;
    mixes.push_back({base, kind, provisioning::on_demand, true});
    if (price_of(terms, provisioning::spot)) mixes.push_back({base, kind, provisioning::spot, true});
  }
  return mixes;
}

/// Headrooms of autoscalers that are tried: thresholds from all that a slice serves to a sixth of it.
inline constexpr double tried_headrooms[] = {0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.75, 1, 1.5, 2, 3, 5};

/// What `with` answers about the place of the least of these headrooms that keeps the targets, by halving: more
/// headroom is never slower.
template <class With>
auto least_headroom(const With& with) {
  std::size_t low = 0, high = sizeof(tried_headrooms) / sizeof(tried_headrooms[0]) - 1;
  auto best = with(high);
  while (best.meets_targets && low < high) {
    const std::size_t middle = (low + high) / 2;
    const auto one = with(middle);
    if (one.meets_targets) {
      best = one;
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return best;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
