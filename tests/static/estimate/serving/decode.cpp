// What limits a decode step has a name. It compiles, so it passes.
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_estimate_serving_decode_tests {

namespace {

/// One sequence reads the weights and little else; 512 sequences of 4096 tokens read their caches.
constexpr decode_breakdown step_of(double sequences, double context) {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  return decode_step(llama_3_8b(), {sequences, context}, job, {}, slice_for("v6e-8"));
}
static_assert(step_of(1, 512).weights > step_of(1, 512).cache && step_of(512, 4096).cache > step_of(512, 4096).weights);
static_assert(step_of(512, 4096).total > step_of(1, 512).total);

}  // namespace

}  // namespace static_estimate_serving_decode_tests
