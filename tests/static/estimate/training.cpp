// A training job is timed, held and advised on through one header. It compiles, so it passes.
#include <tpuplan/estimate/training.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_estimate_training_tests {

namespace {

constexpr slice where = slice_for("v5p-128");
static_assert(fits(memory_use(llama_3_8b(), job_of(64, 4096), fsdp_layout(where), where)) == verdict::yes);
static_assert(step_time(llama_3_8b(), job_of(64, 4096), fsdp_layout(where), where).total > 0_s);

}  // namespace

}  // namespace static_estimate_training_tests
