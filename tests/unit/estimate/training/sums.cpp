// The terms of a step added up: they are the total of step_time.
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/estimate/training/sums.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_training_sums_tests {

namespace {

training_job accumulating(std::int64_t microbatches) {
  training_job job = job_of(1024, 4096);
  job.gradient_accumulation = microbatches;
  job.remat = remat::save_qkv_proj;
  return job;
}

}  // namespace

TEST_CASE("a step is its terms, whatever its microbatches, policy and layout") {
  const transformer model = llama_3_8b();
  for (const char* given : {"v5p-128", "v6e-64", "tpu7x-128"}) {
    const slice where = slice_for(given);
    for (const std::int64_t tensor : {1, 2, 8}) {
      layout mesh = fsdp_layout(where, 2);
      mesh.fsdp /= tensor;
      mesh.tensor = tensor;
      for (const std::int64_t microbatches : {1, 2, 4}) {
        const training_job job = accumulating(microbatches);
        INFO(given << " tensor " << tensor << " microbatches " << microbatches);
        const training_sizes sizes = sizes_of(model, job);
        const work_sums work = sum_of(work_terms_of(sizes, model, job, where.chip, tensor));
        const layout_terms at = layout_terms_of(sizes, model, job, mesh, where);
        const step_breakdown step = step_time(model, job, mesh, where);
        CHECK(close(time_of(work, at, static_cast<double>(microbatches)).value(), step.total.value()));
        CHECK(close((at.tokens * work.per_token).value() +
                        static_cast<double>(microbatches) *
                            (work.per_microbatch + at.gathered_share * work.weight_reads).value() +
                        (work.weight_update / at.weight_shards).value(),
                    (step.compute + step.hbm).value()));
      }
    }
  }
}

TEST_CASE("the worked numbers of sums") {
  work_terms terms;
  terms.dense_products = 1_us, terms.logits = 2_us, terms.attention = 3_us, terms.weight_update = 50_ms;
  const work_sums work = sum_of(terms);
  CHECK(close(in_us(work.per_token), 6));
  CHECK(work.attention == 3_us);
  layout_terms at;
  at.tokens = 1000, at.weight_shards = 10;
  at.fsdp.exposed = 2_ms;
  CHECK(close(in_ms(time_of(work, at, 2)), 15));
}

}  // namespace estimate_training_sums_tests
