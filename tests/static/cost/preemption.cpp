// It compiles, so it passes.

#include <cstddef>
#include <tpuplan/cost/preemption.hpp>
#include <type_traits>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_preemption_tests {

namespace {

constexpr bool near(double value, double expected, double tolerance) {
  return value >= expected - tolerance && value <= expected + tolerance;
}
constexpr bool near(seconds value, double expected, double tolerance) {
  return near(value.value(), expected, tolerance);
}

constexpr spot_run base() {
  spot_run run{};
  run.work = 10_h;
  run.checkpoint_interval = 30_min;
  run.checkpoint_time = 60_s;
  run.mean_time_between_preemptions = 5_h;
  run.restart_time = 300_s;
  return run;
}

constexpr spot_run preempted_every(seconds mean) {
  spot_run run = base();
  run.mean_time_between_preemptions = mean;
  return run;
}

constexpr spot_run without_checkpoints() {
  spot_run run{};
  run.work = 2_h;
  run.checkpoint_interval = 2_h;
  run.mean_time_between_preemptions = 10_h;
  run.restart_time = 5_min;
  return run;
}

constexpr spot_run with_queue(bool restart_can_be_preempted) {
  spot_run run = base();
  run.queue_time = 600_s;
  run.restart_can_be_preempted = restart_can_be_preempted;
  return run;
}

constexpr spot_run with_rest(bool final_checkpoint) {
  spot_run run{};
  run.work = 10000_s;
  run.checkpoint_interval = 1800_s;
  run.checkpoint_time = 60_s;
  run.mean_time_between_preemptions = 2_h;
  run.restart_time = 240_s;
  run.final_checkpoint = final_checkpoint;
  return run;
}

constexpr spot_run cut_in_tenths() {
  spot_run run = base();
  run.work = seconds{3};
  run.checkpoint_interval = seconds{0.1};
  return run;
}

constexpr spot_run one_short_segment(bool final_checkpoint) {
  spot_run run = base();
  run.work = 600_s;
  run.checkpoint_interval = 1e9_s;  // a segment that would never end, if there were one
  run.final_checkpoint = final_checkpoint;
  return run;
}

// Layout.
static_assert(std::is_trivially_copyable<spot_run>::value && std::is_aggregate<spot_run>::value);
static_assert(std::is_trivially_copyable<expected_spot_run>::value && std::is_aggregate<expected_spot_run>::value);
static_assert(std::is_trivially_copyable<spot_prices>::value && std::is_aggregate<spot_prices>::value);
static_assert(std::is_trivially_copyable<spot_comparison>::value && std::is_aggregate<spot_comparison>::value);
static_assert(sizeof(spot_run) == 56 && sizeof(expected_spot_run) == 96);
static_assert(sizeof(spot_prices) == 16 && sizeof(spot_comparison) == 64);
static_assert(spot_run{}.restart_can_be_preempted && spot_run{}.final_checkpoint);

// Intervals: the worked numbers, and Daly's own (FGCS 2006, captions of figures 3 to 5: 117, 57 and 9.1 minutes).
static_assert(near(young_interval(60_s, 5_h), 1469.694, 5e-4));
static_assert(near(daly_interval(60_s, 5_h, 300_s), 1421.891, 5e-4));
static_assert(near(daly_interval(60_s, 5_h, 0_s), 1409.694, 5e-4));
static_assert(near(daly_interval_high_order(60_s, 5_h), 1429.966, 5e-4));
static_assert(near(optimal_interval(60_s, 5_h), 1429.969, 5e-4));
static_assert(near(daly_interval_high_order(5_min, 24_h) / 60, 117, 0.5));
static_assert(near(daly_interval_high_order(5_min, 6_h) / 60, 57, 0.5));
static_assert(near(daly_interval_high_order(5_min, 15_min) / 60, 9.1, 0.05));
static_assert(near(optimal_interval(3600_s, 1800_s), 1705.5556, 5e-5));

// From delta = 2M on the higher-order rule is M; just below it is 8/9 M.
static_assert(daly_interval_high_order(3600_s, 1800_s) == 1800_s);
static_assert(daly_interval_high_order(5000_s, 1800_s) == 1800_s);
static_assert(near(daly_interval_high_order(3599.9999_s, 1800_s), 1600, 1e-3));

// The low-order rule where it nearly has no answer left: 2 (M + R) = 4200.
static_assert(near(daly_interval(4199.999_s, 1800_s, 300_s), 5e-4, 1e-9));

// Expected time.
static_assert(near(expected_run(base()).billed, 39848.588, 5e-4));
static_assert(near(expected_run(base()).billed_factor, 1.106905, 5e-7));
static_assert(near(expected_run(base()).preemptions, 2.2138, 5e-5));
static_assert(expected_run(base()).segments == 20);
static_assert(expected_run(base()).failure_free == 37200_s);
static_assert(expected_run(base()).wall == expected_run(base()).billed);
static_assert(can_finish(base()) && !can_finish(preempted_every(6_s)));
static_assert(near(first_order_overhead(base()), 0.101667, 5e-7));

// Without checkpoints; by hand, M e^(1/120) (e^0.2 - 1) with M = 36000.
static_assert(expected_run(without_checkpoints()).segments == 1);
static_assert(expected_run(without_checkpoints()).checkpoints == 0_s);
static_assert(near(expected_run(without_checkpoints()).billed, 8037.19764503, 1e-8));

// The queue is waited for and not billed, once per preemption.
static_assert(near(expected_run(with_queue(true)).billed, 39848.588, 5e-4));
static_assert(near(expected_run(with_queue(true)).wall, 39848.5876295 + 600 * 2.21381042386, 1e-6));
static_assert(near(expected_run(with_queue(false)).billed, 39843.1142156, 1e-7));
static_assert(near(expected_run(with_queue(false)).wall, 41149.4458292, 1e-7));
static_assert(near(expected_run(with_queue(false)).wall_factor, 1.14304016192, 1e-11));

// A shorter last segment of 1000 s, with and without its checkpoint.
static_assert(expected_run(with_rest(true)).segments == 6);
static_assert(expected_run(with_rest(true)).checkpoints == 360_s);
static_assert(near(expected_run(with_rest(true)).billed, 12152.1283873, 1e-7));
static_assert(expected_run(with_rest(false)).segments == 6);
static_assert(expected_run(with_rest(false)).checkpoints == 300_s);
static_assert(expected_run(with_rest(false)).billed < expected_run(with_rest(true)).billed);

// 3 / 0.1 is 30 segments, though neither 0.1 nor the quotient is exact.
static_assert(expected_run(cut_in_tenths()).segments == 30);

// An interval beyond the work: the only segment is the work.
static_assert(expected_run(one_short_segment(true)).segments == 1);
static_assert(expected_run(one_short_segment(true)).failure_free == 660_s);
static_assert(expected_run(one_short_segment(false)).failure_free == 600_s);

// Mean times.
static_assert(near(in_hours(mean_time_between_preemptions_from_probability(0.05, 24_h)), 467.897, 5e-4));
static_assert(near(in_hours(mean_time_between_preemptions_from_probability(0.2, 2_h)), 8.962840, 5e-7));
static_assert(near(in_hours(mean_time_between_preemptions_from_count(2436684_s, 42)), 16.116, 5e-4));
static_assert(mean_time_between_preemptions_of_slices(16_h, 4) == 4_h);
static_assert(mean_time_between_preemptions_of_slices(16_h, 1) == 16_h);
static_assert(near(preemption_probability(1684430.7_s, 24_h), 0.05, 1e-8));

// Money.
constexpr spot_prices half_price{38.40_usd_per_h, 19.20_usd_per_h};
static_assert(near(spot_saving(half_price, 1.2), 0.4, 1e-12));
static_assert(break_even_billed_factor(half_price) == 2);
static_assert(spot_is_cheaper(half_price, 1.999) && !spot_is_cheaper(half_price, 2) && !spot_is_cheaper(half_price, 3));
static_assert(near(in_usd_per_hour(effective_price(19.20_usd_per_h, 1.2)), 23.04, 1e-12));

constexpr spot_comparison two_hours = compare_spot(half_price, 2_h, 2.4_h);
static_assert(near(two_hours.on_demand_cost.value(), 76.80, 1e-12));
static_assert(near(two_hours.spot_cost.value(), 46.08, 1e-12));
static_assert(near(two_hours.saving.value(), 30.72, 1e-12));
static_assert(near(two_hours.saving_fraction, 0.4, 1e-12));
static_assert(near(two_hours.billed_factor, 1.2, 1e-12));
static_assert(near(in_usd_per_hour(two_hours.effective_price), 23.04, 1e-12));
static_assert(two_hours.break_even_billed_factor == 2);
static_assert(two_hours.spot_is_cheaper);

constexpr spot_comparison expensive = compare_spot(half_price, 2_h, 5_h);
static_assert(!expensive.spot_is_cheaper && expensive.saving < 0_usd && near(expensive.saving_fraction, -0.25, 1e-12));

constexpr spot_prices v5e_us_central1{1.20_usd_per_h, 0.29771_usd_per_h};
static_assert(near(compare_spot(v5e_us_central1, base()).saving_fraction, 0.72538604113, 1e-11));
static_assert(near(in_usd_per_hour(compare_spot(v5e_us_central1, base()).effective_price), 0.329536750644, 1e-12));

constexpr spot_prices v5e_us_east5{1.20_usd_per_h, 0.60_usd_per_h};
static_assert(near(break_even_mean_time_between_preemptions(v5e_us_east5, base()), 1972.4870303462, 1e-9));

static_assert(near_relative(mean_time_between_preemptions_from_rate(0.2 / 1_h).value(), 5 * 3600.0));
static_assert(near_relative(mean_time_between_preemptions_from_probability(0.2, 1_h).value(), 4.48142 * 3600, 1e-5));

}  // namespace

}  // namespace static_cost_preemption_tests
