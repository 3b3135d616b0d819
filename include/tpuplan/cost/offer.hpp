#ifndef TPUPLAN_COST_OFFER_HPP
#define TPUPLAN_COST_OFFER_HPP

#include <cstdint>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/hardware/gpus.hpp>

/// @file
/// Two offers of machines for the same work, such as a TPU slice and GPUs: what a unit of work costs on each, and the
/// price at which they break even.

namespace tpuplan {
inline namespace abi_0 {

/// Machines at a price, and how much work they do. The unit of work is the caller's (tokens, steps, images, whole
/// jobs), the same for all offers that are compared.
struct offer {
  usd_per_second price{};   ///< of all machines; above 0
  per_second throughput{};  ///< units of work of all machines; above 0
};

/// Dollars for some units of work. Worked: 38.40 USD an hour at 10,000 tokens/s: 1.0667 for 1e6 tokens.
[[nodiscard]] constexpr usd cost_of_work(const offer& machines, double units = 1) {
  const double price = detail::positive("offer.price", machines.price.value());
  const double rate = detail::positive("offer.throughput", machines.throughput.value());
  detail::positive("units of work", units);
  return usd{detail::representable("units of work", price / rate * units, units, "a representable cost")};
}

/// The comparison of one offer with another.
struct offer_comparison {
  usd cost{};                               ///< of a unit of work on the offer
  usd other_cost{};                         ///< of a unit of work on the other offer
  double saving_fraction = 0;               ///< 1 - cost / other_cost; negative where the other is cheaper
  double speed_ratio = 0;                   ///< throughput over that of the other
  usd_per_second break_even_price{};        ///< price below which the offer is cheaper than the other at its price
  usd_per_second other_break_even_price{};  ///< price below which the other is cheaper than the offer
  per_second break_even_throughput{};       ///< throughput above which the offer is cheaper
};

/// What the same work costs on two offers, and where they break even. Throws for a price or a throughput that is not
/// above 0. Worked: v5e at 1.20 USD and 197 TFLOP/s against A100-40 at 3.6734 and 312 saves 48.26 % at the same share
/// of the peak, and breaks even at 2.3194 USD an hour.
[[nodiscard]] constexpr offer_comparison compare_offers(const offer& one, const offer& other) {
  offer_comparison result;
  result.cost = cost_of_work(one);
  result.other_cost = cost_of_work(other);
  result.saving_fraction = 1 - result.cost / result.other_cost;
  result.speed_ratio = one.throughput / other.throughput;
  result.break_even_price = other.price * result.speed_ratio;
  result.other_break_even_price = one.price / result.speed_ratio;
  result.break_even_throughput = other.throughput * (one.price / other.price);
  const double parts = result.saving_fraction + result.speed_ratio + result.break_even_price.value() +
                       result.other_break_even_price.value() + result.break_even_throughput.value();
  detail::representable("offer.throughput", parts, one.throughput.value(), "representable ratios of the two offers");
  return result;
}

/// Some slices at a row of the price book, with a throughput that is given or estimated: `step_time` has
/// tokens_per_second, `serve` has output_tokens. Worked: two v5e-32 at 1.20 are 76.80 USD an hour.
[[nodiscard]] constexpr offer offer_of(const slice& where, std::int64_t slice_total, const price_row& price,
                                       per_second throughput) {
  return {rate(price.per_chip, detail::chips_of(where, slice_total)), throughput};
}

/// GPUs on demand, on spot, with flex-start or in calendar mode. Throws `errc::no_price` for other ways of paying, and
/// `errc::unknown_figure` where the price is not known. Worked: 64 H100 on demand are 707.92 USD an hour.
[[nodiscard]] constexpr offer offer_of(const gpu_offer& gpu, std::int64_t gpus, per_second throughput,
                                       provisioning kind = provisioning::on_demand) {
  switch (kind) {
    case provisioning::on_demand: return {rate(gpu.on_demand.value("on-demand price of the GPU"), gpus), throughput};
    case provisioning::spot: return {rate(gpu.spot.value("spot price of the GPU"), gpus), throughput};
    case provisioning::flex_start: return {rate(gpu.flex_start.value("flex-start price of the GPU"), gpus), throughput};
    case provisioning::calendar: return {rate(gpu.calendar.value("calendar price of the GPU"), gpus), throughput};
    default: break;
  }
  detail::fail(errc::no_price, "price of a GPU", name(kind),
               "on_demand, spot, flex_start or calendar, or an offer with your own price");
}

/// Units of work per second at a share of the peak rate: peak x mfu / work of a unit.
///
/// For machines without a calibrated estimate: `peak` is that of all of them, `each` the FLOPs of a unit, such as
/// `training_flops_per_token`, and `mfu`, above 0 and at most 1, the caller's own figure. Worked: 64 H100 of 989
/// TFLOP/s at an MFU of 0.4 and 48 GFLOP per token: 527467 tokens/s.
[[nodiscard]] constexpr per_second throughput_at(flops_per_second peak, double mfu, flops each) {
  detail::positive("peak rate", peak.value());
  detail::positive("mfu", mfu);
  detail::in_range("mfu", mfu, 0, 1, "above 0, at most 1");
  detail::positive("work of a unit", each.value());
  return per_second{detail::representable("work of a unit", peak * mfu / each / 1_Hz, each.value(),
                                          "a representable number of units a second")};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
