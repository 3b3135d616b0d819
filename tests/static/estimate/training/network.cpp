// The worked numbers in the comments of estimate/training/network.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/training/network.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/near.hpp"
#include "support/networks.hpp"

using namespace tpuplan;

namespace static_estimate_training_network_tests {

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

// Whether large batches are limited by arithmetic is what the parts of a step say, padding included.
constexpr bool agrees(const network& net, const chip_spec& chip, const slice& where, std::int64_t shards) {
  const network_step large = step_time(net, job_of(std::int64_t{1} << 30), replicas(shards), where);
  return (large.limited_by == step_bound::compute) == arithmetic_can_limit(net, job_of(1), chip);
}
static_assert(agrees(wide, v3, v3_8, 8) && agrees(mlp(784, {128, 10}), v6e, slice_for("v6e-1"), 1) &&
              agrees(mlp(16, {16}), v6e, slice_for("v6e-1"), 1));
static_assert(arithmetic_can_limit(mlp(784, {128, 10}), job_of(1), v6e));

// The host that starts each of these takes up to a millisecond for it.
static_assert(step_time(mlp(784, {128, 10}), job_of(1024), replicas(8), v3_8).high == slowest_step_start);
// Each of the two cores of a chip reads and updates a copy of the weights of its own.
constexpr network_step one_core_each = step_time(wide, job_of(8), replicas(8), v3_8);
static_assert(near_relative(one_core_each.update.value(), 2 * 28 * 2 * 4096.0 * 4097 / 900e9));
static_assert(one_core_each.traffic.value() > 2 * 3 * 2 * 2 * 4096.0 * 4096 / 900e9);

// Hosts that deliver half of what the chips take: twice the time, half of it waiting, in every part of the answer.
constexpr input_answer half_of(const network_step& of, bool bound) {
  input_answer input;
  input.wanted = of.examples_per_second;
  input.delivered = of.examples_per_second / 2;
  input.at_best = bound ? of.examples_per_second : input.delivered;
  input.hosts_at_best = input.at_best;
  return input;
}
constexpr network_step fed = fed_step(step, half_of(step, false));
static_assert(near_relative(fed.total.value(), 2 * step.total.value()) && fed.waiting * 2 == fed.total);
static_assert(fed.low == fed.total && near_relative(fed.high.value(), 2 * fed.total.value()));
static_assert(fed_step(step, half_of(step, true)).low == step.total);  // hosts may be twice as fast as a bound
static_assert(near_relative(fed.mfu, step.mfu / 2) && fed.limited_by == step_bound::host);
static_assert(near_relative(fed.examples_per_second.value() * fed.total.value(), 8192));
static_assert(usual_example(wide).decode.value() == 0 && !input_is_known(v3_8, usual_example(wide)));
constexpr network images_of(std::int32_t height, std::int32_t width) {
  network net = wide;
  net.height = height;
  net.width = width;
  return net;
}
static_assert(usual_example(images_of(128, 128)).decode == jpeg_image.decode);
static_assert(usual_example(images_of(127, 128)).decode.value() == 0);
static_assert(usual_example(images_of(128, 127)).decode.value() == 0);
static_assert(fed_step_time(wide, job_of(8192), replicas(8), v3_8, {}).step.total == step.total);
constexpr example_cost slow() {
  example_cost one;
  one.decode = 100_ms;
  return one;
}
constexpr fed_network_step waits = fed_step_time(wide, job_of(8192), replicas(8), v3_8, slow());
static_assert(near_relative(waits.step.total.value(), 8192 * 0.1 / 96) &&
              waits.input->limited_by == input_bound::decoding);

constexpr memory_breakdown memory = memory_use(wide, job_of(1024), replicas(8), v3_8);
static_assert(memory.parameters.value() == 4.0 * (2 * 4096 * 4097) && memory.optimizer == 2 * memory.parameters);
static_assert(memory.activations.value() == 2.0 * 128 * (3 * 4096) && fits(memory) == verdict::yes);
static_assert(memory.total == memory.parameters + memory.optimizer + memory.gradients + memory.activations);
// Sharded weights: an eighth of the state on each device.
static_assert(memory_use(wide, job_of(1024), fsdp_layout(v3_8), v3_8).optimizer * 8 == memory.optimizer);
static_assert(largest_batch(wide, job_of(8), replicas(8), v3_8).value() > 100000);

static_assert(near(vector_rate_share * 197, 6.1, 0.06));

}  // namespace

}  // namespace static_estimate_training_network_tests
