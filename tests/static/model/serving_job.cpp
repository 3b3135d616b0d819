// The worked numbers in the comments of model/serving_job.hpp. It compiles, so it passes.
#include <tpuplan/model/serving_job.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_model_serving_job_tests {

namespace {

static_assert(fixed_length(512).mean == 512 && fixed_length(512).mean_square == 262144);
constexpr length_quantile even[] = {{0, 0}, {1, 1000}};
static_assert(lengths_from(even).mean == 500 && near(lengths_from(even).mean_square, 333333, 0.5));

static_assert(serving_job{}.software == software_level::unnamed);

constexpr serving_job alike(cache_policy policy) {
  serving_job job;
  job.prompt = job.output = fixed_length(1024);
  job.policy = policy;
  return job;
}
static_assert(longest_context(alike(cache_policy::paged)) == 2048);

constexpr std::int64_t step_of(serving_engine engine, std::int64_t given) {
  serving_job job;
  job.engine = engine;
  job.prefill_chunk = given;
  return as_engine_runs(job).prefill_chunk;
}
static_assert(step_of(serving_engine::vllm, 0) == 2048 && step_of(serving_engine::vllm, 512) == 512);
static_assert(step_of(serving_engine::sglang_jax, 0) == 4096 && step_of(serving_engine::jetstream, 0) == 0);
static_assert(step_of(serving_engine::unnamed, 0) == 0);

constexpr std::int64_t block_of(serving_engine engine, std::int64_t prompt, std::int64_t given = 0) {
  serving_job job;
  job.engine = engine;
  job.prompt = fixed_length(prompt), job.output = fixed_length(1);
  job.block_tokens = given;
  return as_engine_runs(job).block_tokens;
}
static_assert(block_of(serving_engine::vllm, 255) == 16 && block_of(serving_engine::vllm, 256) == 32);
static_assert(block_of(serving_engine::vllm, 1279) == 128 && block_of(serving_engine::vllm, 2047) == 128);
static_assert(block_of(serving_engine::vllm, 8191) == 256 && block_of(serving_engine::vllm, 8192) == 16);
static_assert(block_of(serving_engine::vllm, 1279, 32) == 32 && block_of(serving_engine::vllm, 1279, 1) == 1);
static_assert(block_of(serving_engine::sglang_jax, 1279) == 128 && block_of(serving_engine::jetstream, 1279) == 1);
static_assert(block_of(serving_engine::unnamed, 1279) == 1);

static_assert([] {  // Gemma 3: 896 pixels, 256 tokens
  transformer seeing;
  seeing.vision.image_size = 896, seeing.vision.patch_size = 14, seeing.vision.layers = 27;
  seeing.vision.d_model = 1152, seeing.vision.heads = 16, seeing.vision.d_ff = 4304;
  seeing.vision.tokens_per_image = 256;
  serving_job job;
  job.prompt = {100, 12000, 300};
  job.images = 2;
  const token_lengths with = with_image_tokens(job, seeing).prompt;
  return with.mean == 612 && with.longest == 812 && with.mean_square - with.mean * with.mean == 2000;
}());
static_assert(running_context(alike(cache_policy::paged)) == 1536);
static_assert(running_context(alike(cache_policy::reserved)) == 2048);

static_assert(lengths_from({{0, 16}, {0.5, 400}, {1, 8192}}).mean == 2252);

}  // namespace

}  // namespace static_model_serving_job_tests
