// The formats in which a job has the weights of a checkpoint.
#include <tpuplan/read/stored_format.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace read_stored_format_tests {

TEST_CASE("formats of the checkpoint, and of fp32 half of it") {
  model_config config;
  config.stored.weights = dtype::fp32;
  serving_job served;
  use_stored_format(config, false, served);
  CHECK(served.weights == dtype::bf16);
  CHECK(config.assumed.back().why == "stored in fp32, served as vLLM does");
  config.stored.weights = dtype::fp16;
  use_stored_format(config, false, served);
  CHECK(served.weights == dtype::bf16);
  CHECK(config.assumed.back().value == "bf16");
  config.assumed.clear();
  config.stored.weights = dtype::fp8;
  use_stored_format(config, false, served);
  CHECK(served.weights == dtype::fp8);
  config.stored.parts.experts = 4.25, config.stored.parts.mlp = 6;
  served.weights_by_part.mlp = 4;
  use_stored_format(config, false, served);
  CHECK(served.weights_by_part.experts == 4.25);
  CHECK(served.weights_by_part.mlp == 4);
  CHECK(served.weights_by_part.attention == 0);
  served.weights = dtype::int8;
  config.assumed.push_back({"quantization_config", "fp8", "as stored"});
  use_stored_format(config, true, served);
  CHECK(served.weights == dtype::int8);
  CHECK(config.assumed.empty());
  training_job job;
  job.frozen_weights = dtype::bf16;
  use_stored_format(config, job);
  CHECK(job.frozen_weights == dtype::bf16);
  job.lora_rank = 16;
  use_stored_format(config, job);
  CHECK(job.frozen_weights == dtype::fp8);
  use_stored_format(config, job, dtype::int4);
  CHECK(job.frozen_weights == dtype::int4);
}

}  // namespace read_stored_format_tests
