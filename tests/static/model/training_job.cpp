// The worked numbers in the comments of model/training_job.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/training_job.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_model_training_job_tests {

namespace {

static_assert(in_gb(training_state_of(70000000000).weights) == 140);
static_assert(in_gb(training_state_of(70000000000).optimizer) == 560);
static_assert(tokens_per_step(job_of(1024, 4096)) == 4194304);

// Adapters on any one kind of matrix.
static_assert([] {
  for (bool lora_targets::*target : {&lora_targets::q, &lora_targets::k, &lora_targets::v, &lora_targets::o,
                                     &lora_targets::gate, &lora_targets::up, &lora_targets::down}) {
    training_job job = job_of(8, 128);
    job.lora_rank = 1;
    job.lora.*target = true;
    validate(job);
  }
  return true;
}());

constexpr training_job computing_in(dtype compute) {
  training_job job;
  job.compute = compute;
  return job;
}
static_assert(number_bytes(computing_in(dtype::fp32)) == 4_B && number_bytes(computing_in(dtype::int8)) == 2_B);

static_assert(training_job{}.software == software_level::unnamed);
static_assert(parse_attention_kernel("Unfused") == attention_kernel::unfused);

}  // namespace

}  // namespace static_model_training_job_tests
