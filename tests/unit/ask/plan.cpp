// The questions plan and launch: the worked examples of their functions.
#include <tpuplan/ask/plan.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_plan_tests {

namespace {

asked_plan question() {
  asked_plan asked;
  asked.tokens = 1e12;
  asked.generations = {"v5e"};
  asked.largest_chips = 64;
  return asked;
}
model_config llama() {
  model_config config;
  config.model = llama_3_8b();
  return config;
}

}  // namespace

TEST_CASE("a plan without a batch has 4 Mi tokens a step") {
  assumed_values assumed;
  const plan_request request = request_of(llama(), question(), {}, price_book{}, assumed);
  CHECK(request.job.global_batch == 1024);
  CHECK(request.job.sequence_length == 4096);
  CHECK(request.most_plans == 1000);
  CHECK(request.largest_chips == 64);
  asked_plan short_run = question();
  short_run.tokens = 1e6;
  plan_request few;
  few.job.sequence_length = 4096;
  fill_batches(short_run, few, assumed);
  CHECK(few.job.global_batch == 128);
  few.job = {};
  few.job.sequence_length = 4096;
  few.job.lora_rank = 16;
  CHECK(says(refusal_of([&] { fill_batches(short_run, few, assumed); }).message, "job.global_batch"));
  few.job.global_batch = 8;
  fill_batches(short_run, few, assumed);
  CHECK(few.job.global_batch == 8);
  short_run.smallest_batch_tokens = 1e6;
  CHECK(says(refusal_of([&] { fill_batches(short_run, few, assumed); }).message, "smallest_batch_tokens"));
}

TEST_CASE("a document has the plans at its indices, by rank") {
  assumed_values assumed;
  const plan_request request = request_of(llama(), question(), {}, price_book{}, assumed);
  const relaxed_answer answer = plan_or_relax(request);
  REQUIRE(answer.answer.plans.size() > 1);
  const plan_document document = document_of(request, answer, {1}, {});
  REQUIRE(document.plans.size() == 1);
  CHECK(document.plans.front().rank == 2);
  CHECK(document.parameters == 8030261248);
  CHECK(document.rejected.size() == answer.answer.rejected.size());
}

TEST_CASE("a launch of an unknown target names those there are") {
  asked_launch asked;
  asked.target = "gk";
  const refusal got = refusal_of([&] { (void)answer_to(asked); });
  CHECK(says(got.message, "target is gk; valid: "));
  CHECK(says(got.message, "gke"));
}

}  // namespace ask_plan_tests
