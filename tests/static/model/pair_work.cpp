// The worked numbers in the comments of model/pair_work.hpp. It compiles, so it passes.
#include <tpuplan/model/encoder_decoder.hpp>
#include <tpuplan/model/pair_work.hpp>

#include "support/models.hpp"
#include "support/near.hpp"
#include "support/pairs.hpp"

using namespace tpuplan;

namespace static_model_pair_work_tests {

namespace {

constexpr training_job of_targets(std::int64_t target, std::int64_t source = 0) {
  training_job job = job_of(1, target);
  job.source_length = source;
  return job;
}
static_assert(source_length(whisper_large_v3(), 448) == 1500 && source_length(t5_small(), 448) == 448);
static_assert(source_length(whisper_large_v3(), of_targets(448)) == 1500);
static_assert(source_length(whisper_large_v3(), of_targets(448, 1500)) == 1500);
static_assert(source_length(t5_small(), of_targets(448)) == 448 && source_length(t5_small(), of_targets(4, 9)) == 9);
static_assert(source_length(llama_3_8b(), of_targets(448)) == 0);
// A token of a target has its share of the pair's work, part by part.
constexpr forward_flops of_token = detail::forward_flops_of_job(t5_small(), of_targets(512));
static_assert(near_relative(512 * of_token.total.value(), forward_flops_per_pair(t5_small(), 512, 512).total.value(),
                            1e-14));
static_assert(near_relative(of_token.qkv.value(), 2 * 6 * 9.0 * 512 * 512));
static_assert(near_relative(of_token.attention_output.value(), 2 * 6 * 3.0 * 512 * 512));
static_assert(near_relative(of_token.attention.value(), 2 * 6 * 2 * 512.0 * (512 + 256 + 512)));
static_assert(near_relative(of_token.mlp_up.value(), 2 * 12 * 512.0 * 2048));
static_assert(of_token.logits == flops{2 * 512.0 * 32128});
static_assert(detail::forward_flops_of_job(llama_3_8b(), of_targets(4096)).total ==
              forward_flops_per_token(llama_3_8b(), 4096).total);

}  // namespace

}  // namespace static_model_pair_work_tests
