// The worked numbers in the comments of cost/serving_cost.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_serving_cost_tests {

namespace {

// Less than one sequence that runs on average still pays for the slice.
static_assert([] {
  serving_estimate e;
  e.running = 0.25;
  e.prefill = 25_ms;
  e.per_token.prompts = 1_ms;
  e.per_token.total = 4_ms;
  e.requests = per_second{1};
  e.input_tokens = per_second{100};
  e.output_tokens = per_second{25};
  return cost_of_tokens(e, usd_per_hour(3.6)).output == 30_usd;
}());

constexpr serving_estimate ten_thousand() {
  serving_estimate e;
  e.running = 100;
  e.per_token.total = 10_ms;
  e.requests = per_second{10};
  e.input_tokens = e.output_tokens = per_second{10000};
  return e;
}
static_assert(near(cost_of_tokens(ten_thousand(), usd_per_hour(38.4)).all_on_output.value(), 1.0667, 1e-4));
constexpr price_row one_dollar = {"v6e", "us", provisioning::on_demand, 1, usd_per_hour(1), "2026-11-21"};
static_assert(near(cost_of_tokens(ten_thousand(), slice_for("v6e-8"), one_dollar).output.value(), 0.2222, 1e-4));

}  // namespace

}  // namespace static_cost_serving_cost_tests
