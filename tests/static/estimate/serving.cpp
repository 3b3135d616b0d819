// A serving job is answered through one header. It compiles, so it passes.
#include <tpuplan/estimate/serving.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_estimate_serving_tests {

namespace {

constexpr serving_estimate served() {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  job.concurrency = 16;
  return serve(llama_3_8b(), job, {}, slice_for("v6e-8"));
}
static_assert(served().running > 15 && served().running <= 16 && served().fit == verdict::yes);
static_assert(served().per_token.total > 0_s && served().output_tokens.value() > 0);

}  // namespace

}  // namespace static_estimate_serving_tests
