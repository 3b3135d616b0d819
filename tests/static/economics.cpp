// The worked figures in the comments of the headers on ways of paying, offers, storage and migration. It compiles, so
// it passes.

#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/commitment.hpp>
#include <tpuplan/cost/migration.hpp>
#include <tpuplan/cost/offer.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/cost/timed_capacity.hpp>
#include <type_traits>

using namespace tpuplan;

namespace {

constexpr bool near(double value, double expected, double relative = 1e-9) {
  return math::abs(value - expected) <= relative * math::abs(expected);
}

// ---- cost/spot.hpp
static_assert(typical_mean_time_between_preemptions(spot_market::calm) == 16_h);
static_assert(typical_mean_time_between_preemptions(spot_market::cautious) == 4_h);
static_assert(typical_mean_time_between_preemptions(spot_market::scarce) == 1_h);
static_assert(mean_time_between_preemptions_of_slices(16_h, 4, 0.5) == 6.4_h);
static_assert(mean_time_between_preemptions_of_slices(16_h, 3, 0) == mean_time_between_preemptions_of_slices(16_h, 3));
static_assert(mean_time_between_preemptions_of_slices(16_h, 3, 1) == 16_h);
constexpr spot_terms worked_terms = {5_h, 0, 60_s, 300_s, seconds{}};
static_assert(best_spot_run(10_h, 1, worked_terms).checkpoint_interval == 1440_s);
static_assert(near(expected_run(best_spot_run(10_h, 1, worked_terms)).billed.value(), 39764.06446022));
constexpr spot_prices worked_prices = {1.20_usd_per_h, 0.60_usd_per_h};
static_assert(near(break_even_mean_time_between_preemptions(worked_prices, 10_h, 1, worked_terms).value(), 950.76063138,
                   1e-9));

// ---- cost/timed_capacity.hpp
static_assert(flex_start_run(7_days).pieces == 1 && flex_start_run(7_days).billed == 7_days);
static_assert(flex_start_run(20_days).pieces == 3 && flex_start_run(20_days).overhead == 1230_s);
static_assert(flex_start_run(14_days).pieces == 3);
static_assert(calendar_run(25_h).billed == 48_h && calendar_run(25_h).unused == 23_h);

// ---- cost/commitment.hpp
static_assert(commitment_term(provisioning::commitment_1y) == 8760_h);
static_assert(commitment_term(provisioning::commitment_3y) == 26280_h);
static_assert(near(break_even_utilization(0.84_usd_per_h, 1.20_usd_per_h), 0.70));
static_assert(near(break_even_utilization(0.84_usd_per_h, 0.60_usd_per_h, 1.2), 7.0 / 6));
constexpr commitment_cost idle_year = cost_under_commitment(26.88_usd_per_h, provisioning::commitment_1y, 30_days, 0);
static_assert(near(idle_year.run.value(), 19353.60) && near(idle_year.total.value(), 235468.80));

// ---- cost/checkpoint_storage.hpp
static_assert(near((usd_per_gib_month(0.020) * 1_GiB * 730_h).value(), 0.02));
static_assert(near((usd_per_gib_month(0.020) * 1_GiB * 1_h).value(), 0.000027397, 1e-4));
static_assert(near(in_usd_per_gib_month(*find_storage_price("us-east5")), 0.020));
static_assert(near(in_usd_per_gib_month(*find_storage_price("us-west4")), 0.023));
static_assert(training_state_of(8'000'000'000, dtype::fp32).total == 96_GB);
static_assert(near(cost_of_checkpoints(training_state_of(8'000'000'000, dtype::fp32), 3, 730_h,
                                       usd_per_gib_month(0.020))
                       .total.value(),
                   5.364418, 1e-6));
constexpr checkpoint_store written = {96_GB, 3, 730_h, 1000, 0, 64};
static_assert(near(cost_of_checkpoints(written, usd_per_gib_month(0.020)).operations.value(), 0.32));

// ---- cost/offer.hpp
static_assert(near(cost_of_work({38.40_usd_per_h, 10000_Hz}, 1e6).value(), 1.06666667, 1e-8));
constexpr offer_comparison peaks = compare_offers({1.20_usd_per_h, 197_Hz}, {3.6734_usd_per_h, 312_Hz});
static_assert(near(peaks.saving_fraction, 0.4826298214) && near(in_usd_per_hour(peaks.break_even_price), 2.319422436));
constexpr price_row v5e_price = price_for(price_book{}, slice_for("v5e-32"), "us", provisioning::on_demand);
static_assert(near(in_usd_per_hour(offer_of(slice_for("v5e-32"), 2, v5e_price, 1_Hz).price), 76.80));
static_assert(near(in_usd_per_hour(offer_of(gpu_for("H100"), 64, 1_Hz).price), 707.9232));
static_assert(near(throughput_at(64 * 989_TFLOP_per_s, 0.4, 48_GFLOP).value(), 527466.6667, 1e-9));

// ---- cost/migration.hpp
constexpr migration worked_move = {60000_usd, 2500_usd, 4, 0};
constexpr migration discounted_move = {60000_usd, 2500_usd, 4, 0.1};
static_assert(months_to_pay_back(worked_move) == 6.0);
static_assert(near(*months_to_pay_back(discounted_move), 6.172764808));
static_assert(value_of_migration(worked_move, 12) == 60000_usd);
static_assert(near(value_of_migration(discounted_move, 12).value(), 54004.87829));
static_assert(break_even_saving_per_job(worked_move, 12) == 1250_usd);

// ---- cost/payment.hpp
constexpr payment_options ten_days = ways_to_pay(price_book{}, slice_for("v5e-32"), 2, "us", 10_days);
static_assert(ten_days.count == 6);
static_assert(near(find_way(ten_days, provisioning::on_demand)->total.value(), 18432));
static_assert(near(find_way(ten_days, provisioning::flex_start)->total.value(), 9222.56));
static_assert(ways_to_pay(price_book{}, slice_for("v5e-32"), 1, "us", 100_days).count == 5);
static_assert(!can_be_paid(provisioning::calendar, 1, 100_days));
static_assert(!can_be_paid(provisioning::spot, 1, 100_days, {{6_s, 0, 15_s, 600_s, {}}, {}, 1}));

// Results are plain data.
static_assert(std::is_trivially_copyable_v<paid_run> && std::is_trivially_copyable_v<payment_terms>);
static_assert(std::is_trivially_copyable_v<offer_comparison> && std::is_trivially_copyable_v<checkpoint_store>);

}  // namespace
