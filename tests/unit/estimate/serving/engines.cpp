// What engines run: one function that `launch` and the planner share.
#include <tpuplan/estimate/serving/engines.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace estimate_serving_engines_tests {

namespace {

std::string_view field_of(serving_engine engine, const serving_layout& mesh, const char* slice_name,
                          bool latent = false) {
  return layout_limit(engine, mesh, slice_for(slice_name), latent).field;
}

}  // namespace

TEST_CASE("chips and layouts of engines") {
  const serving_layout by_heads{4, {}, {}};
  CHECK(field_of(serving_engine::vllm, by_heads, "v6e-8").empty());
  CHECK(field_of(serving_engine::vllm, by_heads, "v5p-8") == "slice");
  CHECK(field_of(serving_engine::vllm, by_heads, "v6e-16") == "serving_layout.tensor");
  CHECK(field_of(serving_engine::vllm, {0, {}, {}}, "v6e-16").empty());
  CHECK(field_of(serving_engine::sglang_jax, by_heads, "v6e-16").empty());
  CHECK(field_of(serving_engine::sglang_jax, by_heads, "v5e-4") == "slice");
  CHECK(field_of(serving_engine::vllm, {8, {}, cache_sharding::batch}, "v6e-8") == "serving_layout.cache");
  CHECK(field_of(serving_engine::vllm, {8, weight_sharding::gathered, {}}, "v6e-8") == "serving_layout.weights");
  CHECK(field_of(serving_engine::vllm, {8, {}, {}, 2}, "v6e-8", true).empty());
  CHECK(field_of(serving_engine::vllm, {8, {}, {}}, "v6e-8", true) == "serving_layout.attention");
  CHECK(field_of(serving_engine::sglang_jax, {8, {}, {}, 2}, "v6e-8") == "serving_layout.attention");
  CHECK(field_of(serving_engine::sglang_jax, {8, {}, {}, 1}, "v6e-8") == "serving_layout.attention");
  CHECK(field_of(serving_engine::unnamed, {8, {}, cache_sharding::batch}, "v5p-8").empty());
  CHECK(field_of(serving_engine::jetstream, {8, {}, cache_sharding::batch}, "v5p-8").empty());
  CHECK(field_of(serving_engine::vllm_torch_tpu, {8, {}, cache_sharding::batch}, "v6e-8").empty());
  CHECK(field_of(serving_engine::vllm_torch_tpu, by_heads, "v5p-8") == "slice");
}

TEST_CASE("formats and settings of engines") {
  serving_job job;
  job.prefill_chunk = 2048;
  CHECK(job_limit(serving_engine::vllm, job).field.empty());
  job.cache = dtype::fp8;
  CHECK(job_limit(serving_engine::vllm, job).field.empty());
  CHECK(job_limit(serving_engine::sglang_jax, job).field == "serving_job.cache");
  CHECK(job_limit(serving_engine::unnamed, job).field.empty());
  job.cache = dtype::int8;
  CHECK(job_limit(serving_engine::vllm, job).field == "serving_job.cache");
  job.cache = dtype::bf16;
  job.prefill_chunk = 0;
  CHECK(job_limit(serving_engine::vllm, job).code == errc::missing_field);
  CHECK(job_limit(serving_engine::sglang_jax, job).field.empty());
  job.weights = job.activations = dtype::int8;
  CHECK(job_limit(serving_engine::sglang_jax, job).field == "serving_job.weights");
  job.policy = cache_policy::reserved;
  CHECK(job_limit(serving_engine::vllm, job).field == "serving_job.policy");
  for (const std::int64_t block : {2, 15, 17}) {
    job = {};
    job.prefill_chunk = 2048;
    job.block_tokens = block;
    CHECK(job_limit(serving_engine::vllm, job).field == "serving_job.block_tokens");
  }
}

}  // namespace estimate_serving_engines_tests
