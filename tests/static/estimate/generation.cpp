#include <tpuplan/estimate/generation.hpp>

namespace static_estimate_generation_tests {

// The door of the room.
static_assert(tpuplan::default_generation.sources > 0 && tpuplan::generation_job{}.batch == 1);

}  // namespace static_estimate_generation_tests
