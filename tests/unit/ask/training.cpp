// One model on one slice: the worked examples of its functions.
#include <cmath>
#include <tpuplan/ask/training.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_training_tests {

namespace {

placed_job llama_on(const std::string& slice_name, std::int64_t tensor = 1) {
  model_config config;
  config.model = llama_3_8b();
  layout mesh = open_layout();
  mesh.tensor = tensor;
  return placed(config, slice_name, mesh, {});
}

}  // namespace

TEST_CASE(
    "levels that software may have are what a question that names them answers, and a name says what it is worth") {
  const placed_job all = llama_on("v5p-128");
  const train_answer untold = answer_to_train(all, {}, price_book{});
  CHECK_FALSE((untold.untold_low || untold.untold_high));
  REQUIRE(untold.software.size() == 3);
  double shares = 0;
  for (const trained_software& one : untold.software) {
    INFO(name(one.level));
    placed_job named = all;
    named.job.software = one.level;
    const train_answer said = answer_to_train(named, {}, price_book{});
    CHECK((said.step_time == one.step_time && said.step_time_low == one.step_time_low));
    CHECK(said.step_time_high == one.step_time_high);
    CHECK((said.untold_low == untold.step_time_low && said.untold_high == untold.step_time_high));
    REQUIRE(said.software.size() == 1);
    CHECK((said.software.front().level == one.level && said.software.front().share == one.share));
    shares += one.share;
  }
  CHECK(std::abs(shares - 1) < 0.002);
  CHECK(
      (untold.software[0].level == software_level::general && untold.software[2].level == software_level::first_port));
  CHECK(std::abs(untold.software[2].step_time / untold.step_time - 1.3) < 1e-12);  // dense, without tensor parallelism
}

TEST_CASE("a job on a slice has nothing left open") {
  const placed_job all = llama_on("v5p-128");
  CHECK(all.mesh.fsdp == 64);
  CHECK(all.job.global_batch == 64);
  CHECK(all.job.sequence_length == 4096);
  CHECK(all.assumed.size() == 4);
  asked_job both;
  both.job.global_batch = 64;
  both.batch_tokens = 262144;
  CHECK(
      says(refusal_of([&] { (void)placed(model_config{}, "v5p-128", open_layout(), both); }).message, "batch_tokens"));
}

TEST_CASE("what is wasteful is a finding, and a change of the answer") {
  const placed_job all = llama_on("v5p-128", 16);
  const findings found = findings_of(all);
  REQUIRE(found.count > 0);
  const fit_answer answer = answer_to_fit(all);
  CHECK(answer.fits == verdict::yes);
  REQUIRE(answer.advice.has_value());
  CHECK(answer.advice->size() == found.count);
  CHECK(answer.advice->front().subject == "training_job.remat");
  CHECK(answer.advice->front().now == "full");
  CHECK(answer_to_fit(llama_on("v5e-4")).fits == verdict::no);
}

TEST_CASE("a run says where its batch is beyond the critical one, and where it has few steps") {
  train_request asked;
  asked.tokens = 1e12;
  const train_answer long_run = answer_to_train(llama_on("v5p-128"), asked, price_book{});
  CHECK(long_run.remarks.empty());
  CHECK(close(*long_run.critical_batch_tokens_low, best_batch_of_tokens(1e12)));
  CHECK(*long_run.critical_batch_tokens_high > *long_run.critical_batch_tokens_low);
  asked.tokens = 1e8;  // in steps of 64 x 4096 tokens
  const train_answer short_run = answer_to_train(llama_on("v5p-128"), asked, price_book{});
  CHECK(says(short_run.remarks, "382 steps in all"));
  asked.tokens = 0;
  asked.noise_scale = 1e5;
  const train_answer step = answer_to_train(llama_on("v5p-128"), asked, price_book{});
  CHECK(step.remarks == "batch beyond the noise scale of 100000 tokens");
  CHECK(*step.critical_batch_tokens_high == 1e5);
  asked.noise_scale = 0;
  CHECK_FALSE(answer_to_train(llama_on("v5p-128"), asked, price_book{}).critical_batch_tokens_high);
}

TEST_CASE("a run is its steps, and is paid for by the chip and hour") {
  const placed_job all = llama_on("v5p-128");
  train_request asked;
  asked.tokens = 1e12;
  const train_answer answer = answer_to_train(all, asked, price_book{});
  CHECK(close(*answer.run / answer.step_time, 3814698));
  REQUIRE(answer.costs->size() > 1);
  CHECK(answer.costs->front().kind != provisioning::on_demand);  // cheapest first, though others are faster
  for (std::size_t i = 1; i < answer.costs->size(); ++i)
    CHECK((*answer.costs)[i - 1].total <= (*answer.costs)[i].total);
  asked.region = "mars";
  CHECK(refusal_of([&] { (void)answer_to_train(all, asked, price_book{}); }).code == errc::unknown_name);
  asked.region = "us";
  asked.tokens = -4;
  CHECK(says(refusal_of([&] { (void)answer_to_train(all, asked, price_book{}); }).message, "tokens is -4; valid: 0"));
  asked.tokens = 1e12;

  asked.mean_time_between_preemptions = 2_h;
  asked.rest_of_term_used = 0.5;
  assumed_values said;
  const payment_terms terms = terms_of(all, asked, phases_of(all, asked, 1_s, said), said);
  CHECK(terms.spot.mean_time_between_preemptions == 2_h);
  CHECK(terms.rest_of_term_used == 0.5);
  // 8030261248 parameters with 4 bytes of weight and 8 of Adam's moments.
  CHECK(terms.spot.checkpoint_time == checkpoint_time(bytes{8030261248.0 * 12}, checkpoint_rate(all.where, 1)));
}

}  // namespace ask_training_tests
