// Dollars for tokens of an estimate without times are refused.
#include <tpuplan/cost/serving_cost.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_cost_serving_cost_tests {

TEST_CASE("tokens that take no time have no price", "[door]") {
  serving_job job;
  job.prompt = fixed_length(1024), job.output = fixed_length(256);
  serving_estimate estimate = serve(llama_3_8b(), job, {}, slice_for("v6e-8"));
  const auto refused = [&] { return refusal_of([&] { (void)cost_of_tokens(estimate, usd_per_hour(30)); }).message; };
  CHECK(refused().empty());
  estimate.per_token.total = {};
  CHECK(says(refused(), "serving_estimate.per_token without prompts is -"));
  estimate.per_token = {}, estimate.prefill = {};
  CHECK(says(refused(), "serving_estimate.per_token is 0"));
}

}  // namespace unit_cost_serving_cost_tests
