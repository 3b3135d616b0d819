// Quantiles of an estimate of nothing are refused.
#include <cmath>
#include <tpuplan/estimate/training/quantiles.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_estimate_quantiles_tests {

TEST_CASE("an estimate of nothing has no quantiles and no chances", "[door]") {
  CHECK(says(refusal_of([] { (void)quantile(step_breakdown{}, 0.5); }).message, "total of the estimate is 0"));
  CHECK(says(refusal_of([] { (void)chance(step_breakdown{}, 1_s); }).message, "total of the estimate is 0"));
  CHECK(says(refusal_of([] { (void)quantile(memory_breakdown{}, 0.5); }).message, "total of the estimate is 0"));
  CHECK(says(refusal_of([] { (void)chance(memory_breakdown{}, 1_GB); }).message, "total of the estimate is 0"));
  step_breakdown step;
  step.low = 8_s, step.total = 10_s, step.high = seconds{std::nan("")};
  CHECK(says(refusal_of([&] { (void)quantile(step, 0.9); }).message, "high end of the estimate is nan"));
  step.low = seconds{-1}, step.high = 12_s;
  CHECK(says(refusal_of([&] { (void)chance(step, 9_s); }).message, "low end of the estimate is -1"));
}

}  // namespace unit_estimate_quantiles_tests
