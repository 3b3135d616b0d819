// The worked numbers in the comments of estimate/training/network.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/training/network.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/near.hpp"
#include "support/networks.hpp"

using namespace tpuplan;

namespace {

constexpr layout replicas(std::int64_t count) {
  layout mesh;
  mesh.data = count;
  mesh.fsdp = 1;
  return mesh;
}
constexpr network_job job_of(std::int64_t batch) {
  network_job job;
  job.global_batch = batch;
  return job;
}
constexpr slice v3_8 = slice_for("v3-8");
constexpr network wide = mlp(4096, {4096, 4096});

constexpr bool adds_up(const network_step& s) {
  const seconds sum = s.products + s.vector + s.traffic + s.update + s.gradients.exposed + s.overhead + s.software;
  return near_relative(sum.value(), s.total.value()) && s.low * 4 == s.high;
}
constexpr network_step step = step_time(wide, job_of(8192), replicas(8), v3_8);
static_assert(adds_up(step) && step.extrapolated && step.limited_by == step_bound::compute);
static_assert(near_relative(step.examples_per_second.value(), 8192 / step.total.value()));
// Six FLOPs for each weight and example, on four chips.
static_assert(near_relative(step.mfu, 6 * 2 * 4096.0 * 4096 * 8192 / (4 * peak_rate(v3, dtype::bf16).value()) /
                                          step.total.value()));
// A small MLP waits for its fixed time, whatever the batch.
static_assert(step_time(mlp(784, {128, 10}), job_of(1024), replicas(8), v3_8).limited_by == step_bound::overhead);

constexpr memory_breakdown memory = memory_use(wide, job_of(1024), replicas(8), v3_8);
static_assert(memory.parameters.value() == 4.0 * (2 * 4096 * 4097) && memory.optimizer == 2 * memory.parameters);
static_assert(memory.activations.value() == 2.0 * 128 * (3 * 4096) && fits(memory) == verdict::yes);
static_assert(memory.total == memory.parameters + memory.optimizer + memory.gradients + memory.activations);
// Sharded weights: an eighth of the state on each device.
static_assert(memory_use(wide, job_of(1024), fsdp_layout(v3_8), v3_8).optimizer * 8 == memory.optimizer);
static_assert(largest_batch(wide, job_of(8), replicas(8), v3_8).value() > 100000);

static_assert(near(vector_rate_share * 197, 6.1, 0.06));

}  // namespace
