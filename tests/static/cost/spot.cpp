// The worked numbers in the comments of cost/spot.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/spot.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_spot_tests {

namespace {

static_assert(typical_mean_time_between_preemptions(spot_market::calm) == 16_h);
static_assert(typical_mean_time_between_preemptions(spot_market::cautious) == 4_h);
static_assert(typical_mean_time_between_preemptions(spot_market::scarce) == 1_h);
static_assert(mean_time_between_preemptions_of_slices(16_h, 4, 0.5) == 6.4_h);
static_assert(mean_time_between_preemptions_of_slices(16_h, 3, 0) == mean_time_between_preemptions_of_slices(16_h, 3));
static_assert(mean_time_between_preemptions_of_slices(16_h, 3, 1) == 16_h);
constexpr spot_terms worked_terms = {5_h, 0, 60_s, 300_s, seconds{}};
static_assert(best_spot_run(10_h, 1, worked_terms).checkpoint_interval == 1440_s);
static_assert(near_relative(expected_run(best_spot_run(10_h, 1, worked_terms)).billed.value(), 39764.06446022));
constexpr spot_prices worked_prices = {1.20_usd_per_h, 0.60_usd_per_h};
static_assert(near_relative(break_even_mean_time_between_preemptions(worked_prices, 10_h, 1, worked_terms).value(),
                            950.76063138, 1e-9));

static_assert(typical_mean_time_between_preemptions(*parse_spot_market("scarce")) == 1_h && !parse_spot_market("wild"));

}  // namespace

}  // namespace static_cost_spot_tests
