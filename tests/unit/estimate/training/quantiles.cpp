// Quantiles of a step, and the chance that it stays within a limit.
#include <cmath>
#include <tpuplan/estimate/training/quantiles.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_training_quantiles_tests {

TEST_CASE("a step's quantiles rise from end to end of its band, and chances undo them") {
  const slice where = slice_for("v5p-128");
  const step_breakdown step = step_time(llama_3_8b(), job_of(64, 4096), fsdp_layout(where), where);
  CHECK(close(quantile(step, 0.05).value(), step.low.value()));
  CHECK(close(quantile(step, 0.95).value(), step.high.value()));
  const double middle = training_shape.places[3].place;
  const double end = std::log((middle < 0 ? step.low : step.high) / step.total);
  CHECK(close(quantile(step, 0.5).value(), step.total.value() * std::exp(std::abs(middle) * end)));
  seconds before{};
  for (double share = 0.05; share < 0.95; share += 0.01) {
    const seconds at = quantile(step, share);
    CHECK(at > before);
    CHECK(close(chance(step, at), share, 1e-6));
    before = at;
  }
  CHECK(chance(step, 2 * step.high) == 0.95);
  CHECK(chance(step, step.low / 2) == 0.05);
}

TEST_CASE("shares and limits that say nothing are refused") {
  const slice where = slice_for("v5p-128");
  const step_breakdown step = step_time(llama_3_8b(), job_of(64, 4096), fsdp_layout(where), where);
  for (const double share : {0.0, 0.04, 0.96, 1.0, std::nan("")})
    CHECK(says(refusal_of([&] { (void)quantile(step, share); }).message, "quantile: share"));
  CHECK(says(refusal_of([&] { (void)quantile(step, 0.99); }).message, "0.05 to 0.95"));
  CHECK(says(refusal_of([&] { (void)chance(step, 0_s); }).message, "chance: limit is 0"));
  CHECK(says(refusal_of([&] { (void)chance(step, seconds{std::nan("")}); }).message, "chance: limit"));
}

}  // namespace estimate_training_quantiles_tests
