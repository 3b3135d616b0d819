// Published laws of the batch: the worked numbers of their comments, and what band they make.
#include <tpuplan/estimate/training/critical_batch.hpp>

#include "support/models.hpp"
#include "support/near.hpp"

using namespace tpuplan;

namespace static_estimate_training_critical_batch_tests {

static_assert(near_relative(best_batch_of_flops(4.86e22_FLOP), 7.69452e6, 1e-4));
static_assert(near_relative(best_batch_of_tokens(1e12), 4.12504e6, 1e-4));
static_assert(near_relative(critical_batch_at_loss(2), 7.53833e6, 1e-4));
static_assert(near_relative(published_loss(8e9, 1e12), 2.04382, 1e-4));
static_assert(tokens_at_batch(2e6, 2e6) == 2);
static_assert(tokens_at_batch(1e6, 4e6) == 1.25);

// Each law grows with the run.
static_assert(best_batch_of_flops(2e22_FLOP) > best_batch_of_flops(1e22_FLOP));
static_assert(best_batch_of_tokens(2e12) > best_batch_of_tokens(1e12));
static_assert(critical_batch_at_loss(2) > critical_batch_at_loss(2.5));
static_assert(published_loss(8e9, 2e12) < published_loss(8e9, 1e12));
static_assert(published_loss(16e9, 1e12) < published_loss(8e9, 1e12));

constexpr training_job job_with(std::int64_t rank, bool frozen) {
  training_job job = job_of(512, 8192);
  job.lora_rank = rank;
  job.freeze_vision = frozen;
  return job;
}
constexpr critical_batch_band band = *critical_batch_of(llama_3_8b(), job_with(0, false), 1e12);
static_assert(near_relative(band.low, 4.12504e6, 1e-4) && near_relative(band.high, 7.84031e6, 1e-4) && !band.is_own);
// The low end is Step Law's, the high end DeepSeek's: of the FLOPs of the run.
static_assert(band.low == best_batch_of_tokens(1e12));
static_assert(band.high == best_batch_of_flops(1e12 * training_flops_per_token(llama_3_8b(), 8192)));
// What is not pre-training has none, but for a noise scale of its own.
static_assert(!critical_batch_of(llama_3_8b(), job_with(16, false), 1e12));
static_assert(!critical_batch_of(llama_3_8b(), job_with(0, true), 1e12));
static_assert(!critical_batch_of(llama_3_8b(), job_with(0, false), 0));
static_assert(critical_batch_of(llama_3_8b(), job_with(16, false), 0, 2e6)->high == 2e6);
static_assert(critical_batch_of(llama_3_8b(), job_with(0, false), 1e12, 2e6)->is_own);

}  // namespace static_estimate_training_critical_batch_tests
