// Several slices that serve: the worked examples of their functions.
#include <algorithm>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/ask/fleets.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_fleets_tests {

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
  const assumed_values assumed = assumed_by(request, request.job);
  REQUIRE(assumed.size() == 2);
  CHECK(assumed.back().second == "bf16, not int8, on v3, which cannot multiply it");
  request.generations = {"v5e"};
  CHECK(assumed_by(request, request.job).size() == 1);
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
