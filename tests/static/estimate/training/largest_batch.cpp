// The worked number of estimate/training/largest_batch.hpp. It compiles, so it passes.
#include <tpuplan/estimate/training/largest_batch.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_estimate_training_largest_batch_tests {

namespace {

static_assert(largest_batch(llama_3_8b(), job_of(64, 4096), fsdp_layout(slice_for("v5p-128")), slice_for("v5p-128")) ==
              1152);

// Where not even one sequence of each shard fits there is none.
static_assert(!largest_batch(llama_3_8b(), job_of(1, 4096), {}, slice_for("v5e-1")).has_value());

// Of units that fit up to a limit, one more does not.
constexpr bool below_a_thousand(std::int64_t units) { return units < 1000; }
static_assert(detail::most_units(1 << 20, below_a_thousand) == 999);
static_assert(detail::most_units(1 << 20, [](std::int64_t) { return false; }) == 0);

}  // namespace

}  // namespace static_estimate_training_largest_batch_tests
