// Data-parallel attention with expert-parallel MLPs beside tensor parallelism. It compiles, so it passes.
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/hardware/slice_table.hpp>

#include "support/near.hpp"
#include "support/worked_models.hpp"

using namespace tpuplan;

namespace static_estimate_serving_decode_data_parallel_tests {

namespace {

constexpr serving_job fp8_job() {
  serving_job job;
  job.prompt = fixed_length(4096);
  job.output = fixed_length(1024);
  job.weights = dtype::fp8;
  return job;
}
constexpr slice where = slice_for("tpu7x-64");  // 32 chips, 64 devices
constexpr decode_batch batch{1024, 4096};
constexpr serving_layout groups_of(std::int64_t attention) {
  return {0, weight_sharding::one_dimension, cache_sharding::heads, attention};
}
constexpr decode_breakdown step_of(std::int64_t attention) {
  return decode_step(deepseek_v3(), batch, fp8_job(), groups_of(attention), where);
}

// The parts add up.
constexpr decode_breakdown alone = step_of(1);
static_assert(near_relative(alone.total.value(),
                            (max(alone.weights, alone.products) + alone.cache + alone.paging + alone.dispatch +
                             alone.collectives + alone.latency)
                                .value(),
                            1e-12));
static_assert(!alone.extrapolated);  // three sources published such runs

// Latent keys and values are one head: in tensor parallelism each of 64 devices has a copy, here only those of a group.
constexpr decode_breakdown tensor = decode_step(deepseek_v3(), batch, fp8_job(), {}, where);
static_assert(near_relative(tensor.cache / alone.cache, 64, 1e-9));
static_assert(near_relative(step_of(8).cache / alone.cache, 8, 1e-9));
static_assert(alone.total < tensor.total);

// In groups of one every device reads all of the attention weights; with all devices in one group a share of them.
static_assert(alone.weights > tensor.weights && near_relative(step_of(64).weights / tensor.weights, 1, 1e-9));
static_assert(near_relative(alone.products / tensor.products, 1, 1e-12));

// 58 layers send 1024 tokens of 7168 numbers in bf16 to 63 (1 - (63/64)^8) other devices, and back.
constexpr double others = 63 * (1 - math::pow(63.0 / 64, 8.0));
static_assert(near(others, 7.458, 1e-3));
constexpr double sent = 2.0 * 7168 * 1024 * others;
constexpr double sending =
    serving_calibration{}.decode_collectives * 2 * 58 * all_to_all(bytes{sent}, block_of(where, 32)).bandwidth.value();
// Dense and shared MLPs are summed over all devices: one of the two all-reduces of a layer.
static_assert(near_relative(alone.collectives.value(), sending + tensor.collectives.value() / 2, 1e-9));
// Within a group of eight, attention is summed up: more than for groups of one.
static_assert(step_of(8).collectives > alone.collectives);

// In its groups the sequences' attention is done side by side.
static_assert(near_relative(tensor.paging / alone.paging, 64, 1e-9));

// A device holds 1/64 of the experts, and a copy of the attention weights: 11.7 of 671 billion parameters.
constexpr serving_memory memory = serving_memory_use(deepseek_v3(), 0, fp8_job(), groups_of(1), where);
constexpr parameter_count counted = parameters(deepseek_v3());
constexpr double copied = static_cast<double>(counted.attention + counted.norms + counted.router);
static_assert(near_relative(memory.weights.value(),
                            1.02 * (copied + (static_cast<double>(counted.total) - copied) / 64), 1e-9));
static_assert(serving_memory_use(deepseek_v3(), 64, fp8_job(), groups_of(1), where).cache.value() * 64 <
              serving_memory_use(deepseek_v3(), 64, fp8_job(), {}, where).cache.value() * 1.001);

// A prompt is with one group: where it is alone, the attention of 64 groups waits for one; 64 prompts keep all at work.
constexpr prefill_breakdown one_prompt = prefill_time(deepseek_v3(), {1, 4096}, fp8_job(), groups_of(1), where);
constexpr prefill_breakdown many = prefill_time(deepseek_v3(), {64, 4096}, fp8_job(), groups_of(1), where);
static_assert(near_relative(one_prompt.attention.value(), many.attention.value(), 1e-9));

// A service of it: more requests than with tensor parallelism, whose cache is held by all devices.
constexpr serving_job chat() {
  serving_job job = fp8_job();
  job.request_rate = per_second{1};
  return job;
}
constexpr serving_estimate grouped = serve(deepseek_v3(), chat(), groups_of(1), where);
static_assert(grouped.refusal == serving_refusal::none && grouped.replicas == 1);
static_assert(grouped.largest_running > 16 * serve(deepseek_v3(), chat(), {}, where).largest_running);

}  // namespace

}  // namespace static_estimate_serving_decode_data_parallel_tests
