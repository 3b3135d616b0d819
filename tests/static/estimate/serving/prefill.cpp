// Longer prompts take longer. It compiles, so it passes.
#include <tpuplan/estimate/serving/prefill.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_estimate_serving_prefill_tests {

namespace {

constexpr seconds prefill_of(std::int64_t tokens) {
  serving_job job;
  job.prompt = fixed_length(tokens);
  job.output = fixed_length(256);
  return prefill_time(llama_3_8b(), {1, tokens}, job, {}, slice_for("v6e-8")).total;
}
static_assert(prefill_of(2048) > 0_s && prefill_of(8192) > 3 * prefill_of(2048));

}  // namespace

}  // namespace static_estimate_serving_prefill_tests
