// The worked numbers in the comments of cost/run_prices.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/run_prices.hpp>
#include <tpuplan/hardware/slice.hpp>

using namespace tpuplan;

namespace static_cost_run_prices_tests {

namespace {

constexpr price_book book = price_book{}.with("v5e", "us", provisioning::on_demand, usd_per_hour(1), "2026-11-21");
constexpr run_price_list ten_hours = run_prices(slice_for("v5e-8"), 2, {10_h, 9_h, 12_h}, book, "us");
constexpr const run_price& way_of(const run_price_list& list, provisioning kind) {
  for (const run_price& way : list) {
    if (way.kind == kind) return way;
  }
  return *list.end();
}
static_assert(way_of(ten_hours, provisioning::on_demand).total == 160_usd);
static_assert(way_of(ten_hours, provisioning::on_demand).total_low == 144_usd);
static_assert(way_of(ten_hours, provisioning::on_demand).total_high == 192_usd);

// Cheapest first; of a run that may last longer than a calendar window there is no price at that end.
constexpr bool in_order = [] {
  for (std::size_t i = 1; i < ten_hours.count; ++i) {
    if (ten_hours.rows[i].total < ten_hours.rows[i - 1].total) return false;
  }
  return ten_hours.count > 1;
}();
static_assert(in_order);
constexpr run_price_list long_run = run_prices(slice_for("v6e-32"), 1, {80_days, 70_days, 100_days}, {}, "us");
static_assert(way_of(long_run, provisioning::calendar).total_low &&
              !way_of(long_run, provisioning::calendar).total_high);

}  // namespace

}  // namespace static_cost_run_prices_tests
