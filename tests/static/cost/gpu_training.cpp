// The worked numbers in the comments of cost/gpu_training.hpp. It compiles, so it passes.
#include <tpuplan/cost/gpu_training.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_gpu_training_tests {

namespace {

constexpr flops resnet{6 * 4089184256.0};
constexpr rate_band v100 = gpu_rate(gpu_for("V100"), 1, resnet);
static_assert(near(v100.low.value(), 764, 1) && near(v100.high.value(), 2445, 1));
static_assert(find_achieved_fraction("h100")->high == 0.47 && find_achieved_fraction("H200")->low == 0.19);
static_assert(!find_achieved_fraction("B200") && !find_achieved_fraction("T4") && !find_achieved_fraction("L4"));
// Published images a second on one machine lie within what the bands make of the peaks.
constexpr bool holds(const char* gpu, double images) {
  const rate_band band = gpu_rate(gpu_for(gpu), 8, resnet);
  return band.low.value() <= images && images <= band.high.value();
}
static_assert(holds("V100", 6614) && holds("V100", 8322));          // NVIDIA/DeepLearningExamples, PyTorch
static_assert(holds("A100-80", 16621) && holds("A100-80", 16925));  // PyTorch, MxNet
static_assert(holds("H100", 57286) && holds("H200", 63600));        // MLPerf training v4.0

constexpr rate_band tpu{per_second{7000}, per_second{28000}};
static_assert(compare_training(6_usd_per_h, tpu, 2.48_usd_per_h, v100).decision == side::tpu);
static_assert(compare_training(14_usd_per_h, tpu, 2.48_usd_per_h, v100).decision == side::undecided);
constexpr job_traits kernels{false, false, true};
constexpr training_comparison cheap = compare_training(1_usd_per_h, tpu, 2.48_usd_per_h, v100, kernels);
static_assert(cheap.cheaper == side::tpu && cheap.decision == side::undecided);
static_assert(cheap.reason.substr(0, 30) == "cheaper, but custom kernels ha");
constexpr job_traits shapes{false, true, false}, few{true, false, false};
static_assert(compare_training(1_usd_per_h, tpu, 2.48_usd_per_h, v100, shapes).reason.substr(0, 30) ==
              "cheaper, but each new shape is");
static_assert(compare_training(1_usd_per_h, tpu, 2.48_usd_per_h, v100, few).reason.substr(0, 30) ==
              "cheaper at a full batch, but a");
static_assert(compare_training(1_usd_per_h, tpu, 2.48_usd_per_h, v100).decision == side::tpu);
static_assert(compare_training(100_usd_per_h, tpu, 2.48_usd_per_h, v100).decision == side::gpu);
static_assert(cheap.tpu_low < cheap.tpu_high && cheap.gpu_low < cheap.gpu_high);
static_assert(name(side::undecided) == "undecided");
// The GPUs are cheaper only where their slow end is below the TPU's fast end.
static_assert(compare_training(60_usd_per_h, tpu, 60_usd_per_h, {per_second{14000}, per_second{56000}}).cheaper ==
              side::undecided);

}  // namespace

}  // namespace static_cost_gpu_training_tests
