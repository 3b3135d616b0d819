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

TEST_CASE("the chance that a step fits is 0.95 where it does, 0.05 where it does not, and rises in between") {
  memory_breakdown memory;
  memory.low = bytes{10.3e9}, memory.total = bytes{14e9}, memory.high = bytes{19.4e9};
  CHECK(close(quantile(memory, 0.05).value(), 10e9));
  CHECK(close(quantile(memory, 0.95).value(), 20e9));
  double before = 0;
  std::size_t uncertain = 0;
  for (double usable = 9e9; usable < 21e9; usable += 0.3e9) {
    memory.usable = bytes{usable};
    const double now = chance_to_fit(memory);
    CHECK(now >= before);
    CHECK((fits(memory) == verdict::no) == (now <= 0.05));
    CHECK((fits(memory) == verdict::yes) == (now >= 0.95));
    uncertain += fits(memory) == verdict::uncertain ? 1U : 0U;
    before = now;
  }
  CHECK(uncertain > 20);
  memory.usable = memory.total;
  CHECK(close(chance_to_fit(memory), 0.5));
  memory.usable = bytes{21e9};
  memory.on_host = bytes{2e9};
  memory.host_share = bytes{1e9};
  CHECK(chance_to_fit(memory) == 0.05);
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
