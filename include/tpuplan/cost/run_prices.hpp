#ifndef TPUPLAN_COST_RUN_PRICES_HPP
#define TPUPLAN_COST_RUN_PRICES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/cost/payment.hpp>

/// @file
/// A run whose time has a band, under each way of paying.

namespace tpuplan {
inline namespace abi_0 {

/// The time of a run: as its steps are expected to take, and at either end of their band.
struct run_range {
  seconds expected{};  ///< as its steps are expected to take
  seconds low{};       ///< where they are as fast as the band allows
  seconds high{};      ///< where they are as slow
};

/// The run under one way of paying.
struct run_price {
  /// @{
  /// What the whole run costs and takes under this way of paying.
  provisioning kind{};
  usd total{};
  /// Costs at the ends of the step's band; nothing: not available for that long.
  maybe<usd> total_low{}, total_high{};
  seconds wall{};                        ///< from start to end, with preemptions
  maybe<seconds> checkpoint_interval{};  ///< time between two checkpoints; nothing: none are written
  price_row price{};                     ///< the row of the price list that was used
  bool superseded = false;               ///< that row is older than an announced change of prices
  /// @}
};

/// The run under every way of paying, cheapest first.
struct run_price_list {
  std::array<run_price, all_provisioning.size()> rows{};  ///< the first `count` are set
  std::size_t count = 0;                                  ///< ways that are set

  [[nodiscard]] constexpr const run_price* begin() const noexcept { return rows.data(); }        ///< the cheapest
  [[nodiscard]] constexpr const run_price* end() const noexcept { return rows.data() + count; }  ///< behind the last
};

/// Dollars of a run on `slices` equal slices, one row for each way of paying that has a price in the region and lasts
/// as long as the run, cheapest first. Worked: 10 hours of two v5e-8 at 1 dollar a chip and hour on demand are 160
/// dollars, and 144 to 192 where the run may take 9 to 12 hours.
[[nodiscard]] constexpr run_price_list run_prices(const slice& where, std::int64_t slices, const run_range& run,
                                                  const price_book& book, std::string_view region,
                                                  const payment_terms& terms = {}) {
  const auto ways = [&](seconds end) {
    return ways_to_pay(book, where, slices, region, end, at_pace(terms, end / run.expected));
  };
  const payment_options low = ways(run.low), high = ways(run.high);
  const auto total = [](const maybe<paid_run>& way) { return way ? maybe<usd>{way->total} : nothing; };
  run_price_list list;
  for (const paid_run& paid : ways_to_pay(book, where, slices, region, run.expected, terms)) {
    std::size_t at = list.count++;
    for (; at > 0 && paid.total < list.rows[at - 1].total; --at) list.rows[at] = list.rows[at - 1];
    run_price row{paid.kind, paid.total, total(find_way(low, paid.kind)), total(find_way(high, paid.kind))};
    row.wall = paid.wall;
    if (paid.checkpoint_interval > seconds{}) row.checkpoint_interval = paid.checkpoint_interval;
    row.price = paid.price;
    row.superseded = paid.superseded;
    list.rows[at] = row;
  }
  return list;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
