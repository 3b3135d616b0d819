// The worked numbers in the comments of hardware/gpus.hpp. It compiles, so it passes.
#include <tpuplan/handbook/inference.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/hardware/slice.hpp>

using namespace tpuplan;

namespace static_hardware_gpus_tests {

static_assert(find_gpu("h100")->per_machine == 8 && !find_gpu("v5e").has_value());
static_assert(chips(gpu_server(gpu_for("H100"), 8)) == 8);
static_assert(hbm_bandwidth(gpu_server(gpu_for("H100"), 8)) == 26.8_TB_per_s);
static_assert(gpu_for("H100").bandwidth == 3350_GB_per_s);

}  // namespace static_hardware_gpus_tests
