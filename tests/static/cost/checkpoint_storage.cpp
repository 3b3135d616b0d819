// The worked numbers in the comments of cost/checkpoint_storage.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/model/training_job.hpp>
#include <type_traits>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_checkpoint_storage_tests {

namespace {

// A cost below a dollar is a cost.
static_assert(cost_of_checkpoints(training_state{{}, {}, 1_GiB}, 1, 730_h, usd_per_gib_month(0.02)).total < 0.03_usd);

static_assert(near_relative((usd_per_gib_month(0.020) * 1_GiB * 730_h).value(), 0.02));
static_assert(near_relative((usd_per_gib_month(0.020) * 1_GiB * 1_h).value(), 0.000027397, 1e-4));
static_assert(near_relative(in_usd_per_gib_month(*find_storage_price("us-east5")), 0.020));
static_assert(near_relative(in_usd_per_gib_month(*find_storage_price("us-west4")), 0.023));
static_assert(training_state_of(8'000'000'000, dtype::fp32).total == 96_GB);
static_assert(near_relative(cost_of_checkpoints(training_state_of(8'000'000'000, dtype::fp32), 3, 730_h,
                                                usd_per_gib_month(0.020))
                                .total.value(),
                            5.364418, 1e-6));
constexpr checkpoint_store written = {96_GB, 3, 730_h, 1000, 0, 64};
static_assert(near_relative(cost_of_checkpoints(written, usd_per_gib_month(0.020)).operations.value(), 0.32));

// Of an interval shorter than a step one checkpoint a step; of very long ones as many steps as are counted.
static_assert(steps_between_checkpoints(1500_s, 2.14_s) == 701 && steps_between_checkpoints(1000_s, 2_s) == 500);
static_assert(steps_between_checkpoints(0.5_s, 2_s) == 1 && steps_between_checkpoints(2_s, 2_s) == 1);
static_assert(steps_between_checkpoints(seconds{1e10}, 1_s) == 1000000000);
static_assert(steps_between_checkpoints(seconds{1.1e9}, 1_s) == 1000000000);
static_assert(checkpoints_of(96_GB, 95368, 2.14_s, 1500_s, "us-east5").written == 137);
static_assert(checkpoints_of(96_GB, 1, 2.14_s, 1500_s, "us-east5").written == 1);
static_assert(checkpoints_of(96_GB, 1403, 2.14_s, 1500_s, "us-east5").written == 3);
static_assert(checkpoints_of(96_GB, 1402, 2.14_s, 1500_s, "us-east5").kept == 2);
static_assert(checkpoints_of(1_GB, 1e18, 1_s, 1_s, "us-east5").written == 1000000000000000);
static_assert(checkpoints_of(1_GB, 1, 1_s, 1_s, "moon").stored_in == "us-central1");
static_assert(checkpoints_of(1_GB, 1, 1_s, 1_s, "us-west4").stored_in == "us-west4");

static_assert(std::is_trivially_copyable_v<checkpoint_store>);

}  // namespace

}  // namespace static_cost_checkpoint_storage_tests
