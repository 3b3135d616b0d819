#include <tpuplan/estimate/generation/training.hpp>

#include "support/near.hpp"
#include "support/pipelines.hpp"

using namespace tpuplan;

namespace static_estimate_generation_training_tests {

namespace {

constexpr generation_work clip = work_of(small_pipeline(), {256, 256, 9});
constexpr slice where = slice_for("v5p-8");

constexpr diffusion_training_job job_of_batch(std::int64_t batch) {
  diffusion_training_job job;
  job.global_batch = batch;
  return job;
}
constexpr diffusion_step one = step_time(clip, job_of_batch(8), {4, 4, 1, 1}, where);
static_assert(one.total == one.products + one.attention + one.elementwise + one.collectives + one.gradients +
                               one.update + one.encoding + one.overhead);
static_assert(one.floor <= one.low && one.low <= one.total && one.total <= one.high);
static_assert(one.mfu > 0 && one.mfu < 1 && one.encoding == seconds{0});
static_assert(one.examples_per_second == 8 / one.total);
// Three passes of every example.
static_assert(one.floor == 8 * (3 * clip.denoisers.items[0].model_flops) / peak_rate(where, dtype::bf16));

// Kept activations spare a pass, and take memory.
constexpr diffusion_training_job kept = [] {
  diffusion_training_job job = job_of_batch(8);
  job.recompute = false;
  return job;
}();
static_assert(step_time(clip, kept, {4, 4, 1, 1}, where).total < one.total);
static_assert(memory_use(clip, kept, {4, 4, 1, 1}, where).activations >
              memory_use(clip, job_of_batch(8), {4, 4, 1, 1}, where).activations);
// Encoding takes time.
constexpr diffusion_training_job encoded = [] {
  diffusion_training_job job = job_of_batch(8);
  job.encode = true;
  return job;
}();
static_assert(step_time(clip, encoded, {4, 4, 1, 1}, where).encoding > seconds{0});

// A device encodes whole examples: two for four devices take as long as four.
constexpr seconds encoding_of(std::int64_t batch) {
  diffusion_training_job job = encoded;
  job.global_batch = batch;
  return step_time(clip, job, {1, 1, 4, 1}, where).encoding;
}
static_assert(encoding_of(1) == encoding_of(4) && encoding_of(5) > encoding_of(4));

// Encoding comes before the step: the larger of both is in memory.
static_assert(memory_use(clip, encoded, {4, 4, 1, 1}, where).total >=
              memory_use(clip, job_of_batch(8), {4, 4, 1, 1}, where).total);
static_assert(memory_use(clip, encoded, {4, 4, 1, 1}, where).activations +
                  memory_use(clip, encoded, {4, 4, 1, 1}, where).workspace >=
              detail::decoding_memory(clip, 2));

// The first product is 64 x 512; each of two layers has 512 x 512 twice, 512 x 1024, and 512 x 2048 twice.
constexpr diffusion_training_job adapters = [] {
  diffusion_training_job job = job_of_batch(8);
  job.lora_rank = 8;
  return job;
}();
static_assert(trained_parameters(clip.denoisers.items[0], adapters) ==
              8 * (64 + 512 + 2 * (2 * 1024 + 2048 + 2 * 2560)));
// Adapters are in fp32, whatever the frozen base is in, which is bf16 at most.
constexpr bytes base_in(dtype format) {
  diffusion_training_job job = adapters;
  job.weights = format;
  return memory_use(clip, job, {4, 1, 1, 1}, where).parameters;
}
constexpr double frozen = clip.denoisers.items[0].weights,
                 trained = trained_parameters(clip.denoisers.items[0], adapters);
static_assert(base_in(dtype::fp32) == bytes{4 * trained + 2 * frozen} && base_in(dtype::bf16) == base_in(dtype::fp32));
static_assert(base_in(dtype::int8) == bytes{4 * trained + frozen});
static_assert(trained_parameters(clip.denoisers.items[0], kept) == clip.denoisers.items[0].weights);
static_assert(step_time(clip, adapters, {4, 4, 1, 1}, where).total < one.total);

// Adapters have products of their own, of a rank that fills the MXU's side of 128.
constexpr seconds products_of_rank(std::int64_t rank) {
  diffusion_training_job job = adapters;
  job.lora_rank = rank;
  return step_time(clip, job, {4, 4, 1, 1}, where).products;
}
static_assert(products_of_rank(8) == products_of_rank(128));
constexpr seconds of_rank_128 = products_of_rank(256) - products_of_rank(128);
static_assert(near((products_of_rank(128) - of_rank_128) / one.products, 3.0 / 4, 1e-9));

constexpr memory_breakdown memory = memory_use(clip, job_of_batch(8), {4, 1, 1, 1}, where);
static_assert(memory.total == memory.parameters + memory.optimizer + memory.gradients + memory.activations +
                                  memory.gathered_weights + memory.workspace);
static_assert(memory.optimizer == bytes{8 * clip.denoisers.items[0].weights});
static_assert(memory_use(clip, job_of_batch(8), {4, 4, 1, 1}, where).optimizer == memory.optimizer / 4);

constexpr dtype frozen_of(dtype weights) {
  diffusion_training_job job;
  job.weights = weights;
  return frozen_format(job);
}
static_assert(frozen_of(dtype::fp32) == dtype::bf16 && frozen_of(dtype::bf16) == dtype::bf16);
static_assert(frozen_of(dtype::int8) == dtype::int8);

}  // namespace

}  // namespace static_estimate_generation_training_tests
