// The worked numbers in the comments of handbook/batches.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/handbook/batches.hpp>
#include <tpuplan/hardware/slice.hpp>

using namespace tpuplan;

namespace static_handbook_batches_tests {

namespace {

// 128 per core on v3-8 is 1024 in all; 60000 examples are 58 whole steps.
static_assert(global_batch(128, tensorcores(slice_for("v3-8"))) == 1024);
static_assert(steps_per_epoch(60000, 1024) == 58);
static_assert(batch_per_replica(1024, 8) == 128);
static_assert(recommended_multiple(1000) == 1024);
static_assert(steps_per_epoch(60000, 1024, remainder::keep) == 59);

}  // namespace

}  // namespace static_handbook_batches_tests
