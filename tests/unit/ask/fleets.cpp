// Several slices that serve: the worked examples of their functions.
#include <algorithm>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/ask/fleets.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_fleets_tests {

TEST_CASE("a fleet is simulated by one replica with its share") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v5e-8";
  asked.mesh.tensor = 4;
  asked.slices = 2;
  asked.requests = 200;
  CHECK(says(refusal_of([&] { (void)answer_to_simulate(config, asked, price_book{}); }).message,
             "job.request_rate_per_s is missing"));
  asked.job.request_rate = per_second{4};
  const simulate_answer answer = answer_to_simulate(config, asked, price_book{});
  CHECK(answer.replicas == 4);
  CHECK(answer.simulated_replicas == 1);
  CHECK(answer.meets_targets);
}

TEST_CASE("a plan of serving is a row of all its slices") {
  model_config config;
  config.model = llama_3_8b();
  asked_serving_plan asked;
  asked.job.request_rate = per_second{40};
  asked.generations = {"v5e"};
  const serving_request request = request_of(config, asked, price_book{});
  CHECK(request.smallest_chips == 1);
  CHECK(request.largest_chips == 1024);
  CHECK(request.most_plans == 8);
  serving_plan_answer answer;
  serving_plan planned;
  planned.where = slice_for("v5e-8");
  planned.slices = 3;
  planned.estimate.output_tokens = per_second{1000};
  answer.plans = {planned};
  const serving_plan_document document = document_of(request, answer, {});
  REQUIRE(document.plans.size() == 1);
  CHECK(document.plans.front().chips == 24);
  CHECK(document.plans.front().output_tokens == per_second{3000});
  asked.regions = {"mars"};
  CHECK(refusal_of([&] { (void)request_of(config, asked, price_book{}); }).code == errc::unknown_name);
}

TEST_CASE("chips that cannot multiply the activations are said") {
  serving_request request;
  request.model = llama_3_8b();
  request.job.activations = dtype::int8;
  request.generations = {"v3", "v5e"};
  const assumed_values assumed = assumed_by(request);
  REQUIRE(assumed.size() == 2);
  CHECK(assumed.back().second == "bf16, not int8, on v3, which cannot multiply it");
  request.generations = {"v5e"};
  CHECK(assumed_by(request).size() == 1);
}

TEST_CASE("a run that is too short for a steady state says so, and one of too many steps is refused at once") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v5e-8";
  asked.requests = 200;
  asked.job.request_rate = per_second{9};
  const auto says_so = [](const simulate_answer& answer) {
    return std::any_of(answer.assumed.begin(), answer.assumed.end(), [](const assumption& one) {
      return one.field == "requests" && says(one.value, "too few for a steady state");
    });
  };
  const simulate_answer filling = answer_to_simulate(config, asked, price_book{});
  CHECK(filling.report.running > 10);
  CHECK(says_so(filling));
  CHECK(close(filling.capacity.value(), serve(config.model, asked.job, {}, slice_for("v5e-8")).capacity.value()));
  asked.job.request_rate = per_second{0.5};
  CHECK_FALSE(says_so(answer_to_simulate(config, asked, price_book{})));
  asked.requests = 10000000;
  const refusal refused = refusal_of([&] { (void)answer_to_simulate(config, asked, price_book{}); });
  CHECK(says(refused.message, "simulated_traffic.requests is 10000000; valid: at most about "));
}

TEST_CASE("a fleet that falls behind is said to") {
  model_config config;
  config.model = llama_3_8b();
  simulate_request asked;
  asked.slice = "v5e-4";
  asked.mesh.tensor = 4;
  asked.requests = 400;
  const auto has_load = [&](double rate) {
    asked.job.request_rate = per_second{rate};
    for (const auto& each : answer_to_simulate(config, asked, price_book{}).assumed)
      if (each.field == "load") return true;
    return false;
  };
  CHECK_FALSE(has_load(0.5));
  CHECK(has_load(400));
}

TEST_CASE("a slice has a fact about each of its axes", "[door]") {
  slices_request asked;
  asked.name = "v5p-128";
  const slices_answer answer = answer_to(asked);
  REQUIRE(answer.slices.size() == 1);
  CHECK(answer.slices.front().wraparound.size() == 3);
  asked.name = "v5e-16";
  CHECK(answer_to(asked).slices.front().wraparound.size() == 2);
}

}  // namespace ask_fleets_tests
