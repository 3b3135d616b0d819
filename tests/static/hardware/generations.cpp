// The worked numbers in the comments of hardware/generations.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/hardware/generations.hpp>

using namespace tpuplan;

namespace static_hardware_generations_tests {

namespace {

static_assert(chip_for("Ironwood").name == "tpu7x");

static_assert(chip_names().view().substr(0, 15) == "v2, v3, v4, v5e");

}  // namespace

}  // namespace static_hardware_generations_tests
