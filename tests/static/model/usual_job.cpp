// The worked numbers in the comments of model/usual_job.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/usual_job.hpp>

#include "support/models.hpp"
#include "support/pairs.hpp"

using namespace tpuplan;

namespace static_model_usual_job_tests {

namespace {

static_assert(usual_sequence(llama_3_8b()) == 4096);
static_assert(usual_job({}, llama_3_8b()).sequence_length == 4096 && usual_job({}, llama_3_8b()).logits_fraction == 1);

// Positions that end before 4096; an encoder predicts the tokens that are masked.
static_assert(usual_sequence([] {
                transformer m = llama_3_8b();
                m.max_positions = 1024;
                return m;
              }()) == 1024);
static_assert(usual_job({},
                        [] {
                          transformer m = llama_3_8b();
                          m.kind = architecture::encoder;
                          return m;
                        }())
                  .logits_fraction == 0.15);

// The source of a pair: of a recording, or as many tokens as the target.
static_assert(usual_job({}, whisper_large_v3()).sequence_length == 448);
static_assert(usual_job({}, whisper_large_v3()).source_length == 1500);
static_assert(usual_job({}, t5_small()).source_length == 4096 && usual_job({}, llama_3_8b()).source_length == 0);

// Adapters are on every linear layer.
constexpr training_job adapted = [] {
  training_job job;
  job.lora_rank = 16;
  return usual_job(job, llama_3_8b());
}();
static_assert(adapted.lora.q && adapted.lora.down);

// A batch is rounded to many factors of two, within a sixteenth.
static_assert(round_batch(488.3, 1) == 512 && round_batch(366, 1) == 384);
static_assert(round_batch(460, 1) == 448);  // 512 is a ninth above
static_assert(round_batch(3, 8) == 8);
static_assert(round_batch(1.4, 1) == 1 && round_batch(2.5, 1) == 3 &&
              round_batch(1, 64) == 64);  // none is within a sixteenth

static_assert(batch_of_tokens(4194304, 4096, 64) == 1024 && batch_of_tokens(4000000, 8192) == 512);
static_assert(batch_of_tokens(8192, 4096, 64) == 64);
static_assert(batch_of_tokens(4096, 4096) == 1);  // the fewest

static_assert(usual_batch(1e12, 4096) == 1024 && usual_batch(1e6, 4096) == 128);
static_assert(usual_batch(4096, 4096) == 1);
static_assert(usual_batch(1e10, 1000000000) == 1);  // one sequence is more than the usual 4 Mi tokens

}  // namespace

}  // namespace static_model_usual_job_tests
