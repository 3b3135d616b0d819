// The worked numbers in the comments of estimate/training/checkpoint.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/cost/timed_capacity.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_estimate_training_checkpoint_tests {

namespace {

static_assert(near_relative(checkpoint_time(96_GB).value(), 18.84));
static_assert(checkpoint_rate(slice_for("v5litepod-1")) == 3.125_GB_per_s);
static_assert(checkpoint_rate(slice_for("v5litepod-8")) == 25_GB_per_s);
static_assert(checkpoint_rate(slice_for("v5litepod-256"), 4) == 25_GB_per_s);
static_assert(checkpoint_rate(slice_for("v5litepod-256"), 1, 10_GB_per_s) == 10_GB_per_s);
static_assert(checkpoint_rate(slice_for("v3-8")) == 25_GB_per_s);  // its network rate is not documented
static_assert(near_relative(checkpoint_time(31.25_GB, checkpoint_rate(slice_for("v5litepod-1"))).value(), 25));
// Spot and flex-start take what a checkpoint takes of which no bytes are known.
static_assert(spot_terms{}.checkpoint_time == checkpoint_time(bytes{0}));
static_assert(flex_start_terms{}.checkpoint_time == checkpoint_time(bytes{0}));

}  // namespace

}  // namespace static_estimate_training_checkpoint_tests
