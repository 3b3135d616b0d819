#include <tpuplan/estimate/generation/calibration.hpp>

using namespace tpuplan;

namespace static_estimate_generation_calibration_tests {

static_assert(default_generation.low > 0 && default_generation.low < 1 && default_generation.high > 1);
static_assert(default_generation.runs >= default_generation.sources && default_generation.sources > 0);
static_assert((validate(default_generation), true));

}  // namespace static_estimate_generation_calibration_tests
