// The questions plan and launch: the worked examples of their functions.
#include <algorithm>
#include <string>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/json/file.hpp>

#include "support/ask.hpp"
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

TEST_CASE("a question of too many steps is refused", "[door]") {
  nlohmann::json asked = {
      {"config", load_json(TPUPLAN_DATA_DIR "/models/llama-3.1-8b.json")}, {"tokens", 1e12}, {"largest_slices", 1024}};
  asked["smallest_batch_tokens"] = 1e6, asked["largest_batch_tokens"] = 4e9;
  for (const char* degree : {"data", "fsdp", "tensor", "expert", "context", "pipeline"}) asked["degrees"][degree] = 0;
  const nlohmann::ordered_json answer = ask({{"schema", json_schema}, {"question", "plan"}, {"request", asked}});
  REQUIRE(answer.contains("error"));
  CHECK(says(answer["error"]["message"].get<std::string>(),
             "steps of the search is 5000001; valid: at most 5000000: fewer slices or chips"));
}

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
  few.model = llama_3_8b();
  few.job.sequence_length = 4096;
  fill_batches(short_run, few, assumed);
  CHECK(few.job.global_batch == 16);
  few.job = {};
  few.job.sequence_length = 4096;
  few.job.freeze_vision = true;
  CHECK(says(refusal_of([&] { fill_batches(short_run, few, assumed); }).message, "job.global_batch"));
  few.job.freeze_vision = false;
  few.job.global_batch = 0;
  few.job.lora_rank = 16;
  CHECK(says(refusal_of([&] { fill_batches(short_run, few, assumed); }).message, "job.global_batch"));
  few.job.global_batch = 8;
  fill_batches(short_run, few, assumed);
  CHECK(few.job.global_batch == 8);
  short_run.smallest_batch_tokens = 1e6;
  CHECK(says(refusal_of([&] { fill_batches(short_run, few, assumed); }).message, "smallest_batch_tokens"));
}

// Without a batch a plan stays within the critical batch of published laws, or asks where none speaks of the run.
TEST_CASE("a plan without a batch takes no more than laws of the critical batch say") {
  const auto batch_of = [](double tokens, std::int64_t length, const transformer& model, double noise = 0) {
    assumed_values assumed;
    training_job job;
    job.sequence_length = length;
    take_usual_batch(tokens, noise, model, job, assumed);
    return std::to_string(job.global_batch) + ": " + assumed.at(0).second;
  };
  CHECK(batch_of(1e12, 4096, llama_3_8b()) == "1024: 1024 sequences, 4 Mi tokens a step");
  CHECK(says(batch_of(1e8, 4096, llama_3_8b()), "64: 64 sequences, at most what published laws say of the critical"));
  CHECK(says(batch_of(1e8, 4096, llama_3_8b()), "382 steps in all, give a batch"));
  CHECK(says(batch_of(1e12, 4096, llama_3_8b(), 1e6), "128: 128 sequences, at most what the noise scale says"));
  for (const double tokens : {1e7, 1e9, 1e10, 1e11, 1e13}) {
    const double batch = std::stod(batch_of(tokens, 1024, llama_3_8b())) * 1024;
    training_job job;
    job.sequence_length = 1024;
    CHECK(batch <= critical_batch_of(llama_3_8b(), job, tokens)->high);
  }
  transformer encoder = llama_3_8b();
  encoder.kind = architecture::encoder;
  CHECK(batch_of(1e10, 4096, encoder) == "1024: 1024 sequences, 4 Mi tokens a step");
  CHECK(says(refusal_of([&] { (void)batch_of(1e9, 4096, encoder); }).message,
             "job.global_batch is missing; valid: a batch in sequences: steps of 1024 would be 239 steps in all"));
}

TEST_CASE("v2 and v3 are planned for where they are named, or a quota names them") {
  const auto chips_of = [](const asked_plan& asked, assumed_values& assumed) {
    return request_of(llama(), asked, {}, price_book{}, assumed).generations;
  };
  using list = std::vector<std::string>;
  asked_plan asked;
  asked.tokens = 1e12;
  assumed_values assumed;
  const list usual = {"v4", "v5e", "v5p", "v6e", "tpu7x"};
  CHECK(chips_of(asked, assumed) == usual);
  const auto is_left_out = [](const auto& one) { return one.first == "left out" && says(one.second, "v2 and v3"); };
  CHECK(std::any_of(assumed.begin(), assumed.end(), is_left_out));
  for (const std::string_view chip : generations_on_request) {  // no service but the older ones starts them
    CHECK(detail::chip_of_service("gcluster", chip) == nullptr);
    CHECK(detail::chip_of_service("calendar", chip) == nullptr);
  }
  asked.quotas = {{"v3", "us", provisioning::on_demand, 16}, {"v5e", "us", provisioning::on_demand, 16}};
  list with_quota = usual;
  with_quota.push_back("v3");
  assumed.clear();
  CHECK(chips_of(asked, assumed) == with_quota);
  CHECK(std::none_of(assumed.begin(), assumed.end(), is_left_out));
  asked.generations = {"v2"};
  CHECK(chips_of(asked, assumed) == list{"v2"});
}

TEST_CASE("a price of an area far below all others is not planned with, unless its region is named") {
  const auto spot = [](const char* region, double dollars) {
    return price_row{
        "v6e", region, provisioning::spot, 1, usd_per_hour(dollars), "2026-06-03", date_qualifier::not_before, 'A'};
  };
  const price_row rows[] = {spot("asia-southeast1", 0.27), spot("asia-east1", 1.5), spot("us-east5", 1.4),
                            spot("us-central1", 1.2), spot("us-south1", 1.6)};
  const price_book book(rows, 5);
  asked_plan asked = question();
  asked.generations = {"v6e"};
  asked.kinds = {provisioning::spot};
  const auto answer = [&](std::vector<std::string> regions, assumed_values& assumed) {
    asked.regions = std::move(regions);
    return plan_or_relax(request_of(llama(), asked, {}, book, assumed)).answer;
  };
  assumed_values assumed;
  const plan_answer all = answer({"all"}, assumed);
  REQUIRE(!all.plans.empty());
  CHECK(chosen_cost(all.plans[0]).price.region == "us-central1");
  for (const plan& one : all.plans) {
    for (const plan_cost& cost : one.costs) CHECK(cost.price.region != "asia-southeast1");
  }
  const auto said = [](const auto& one) { return says(one.second, "spot of v6e in asia-southeast1 at $0.27"); };
  CHECK(std::any_of(assumed.begin(), assumed.end(), said));
  assumed.clear();
  CHECK(chosen_cost(answer({"all", "asia-southeast1"}, assumed).plans[0]).price.region == "asia-southeast1");
  CHECK(std::none_of(assumed.begin(), assumed.end(), said));
  CHECK(chosen_cost(answer({"asia"}, assumed).plans[0]).price.region == "asia-east1");
}

TEST_CASE("a batch beyond the critical one, few steps and an untried layout are remarks") {
  plan_request request;
  request.model = llama_3_8b();
  request.tokens = 1e12;
  plan offer;
  offer.where = slice_for("v6e-256");
  offer.mesh.fsdp = 256;
  offer.fit = verdict::yes;
  offer.steps = 1e5;
  offer.job = job_of(512, 8192);
  CHECK(remarks_of(offer, request).empty());
  offer.job = job_of(7552, 8192);  // 62 M tokens
  CHECK(remarks_of(offer, request) == "batch beyond the critical one of 4.13 M to 7.84 M tokens");
  request.noise_scale = 1e8;
  CHECK(remarks_of(offer, request).empty());
  request.noise_scale = 2e6;
  CHECK(remarks_of(offer, request) == "batch beyond the noise scale of 2.00 M tokens");
  offer.job = job_of(64, 8192);
  offer.steps = 999;
  CHECK(remarks_of(offer, request) == "999 steps in all");
  offer.steps = few_steps;
  offer.mesh.fsdp = 8;
  offer.mesh.tensor = 32;
  CHECK(remarks_of(offer, request) == "a layout that no published run has");
}

TEST_CASE("a launch of an unknown target names those there are") {
  asked_launch asked;
  asked.target = "gk";
  const refusal got = refusal_of([&] { (void)answer_to(asked); });
  CHECK(says(got.message, "target is gk; valid: "));
  CHECK(says(got.message, "gke"));
}

}  // namespace ask_plan_tests
