// Quantiles of times and memory of serving, and the chances to keep a target and to fit.
#include <cmath>
#include <tpuplan/estimate/serving/quantiles.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_serving_quantiles_tests {

namespace {

serving_job traffic(std::int64_t prompt, std::int64_t output) {
  serving_job job;
  job.prompt = fixed_length(prompt);
  job.output = fixed_length(output);
  return job;
}

/// From end to end of the range quantiles rise and chances undo them.
template <class Estimate>
void check_times(const Estimate& time) {
  CHECK(close(quantile(time, 0.05).value(), time.low.value()));
  CHECK(close(quantile(time, 0.5).value(), time.total.value()));
  CHECK(close(quantile(time, 0.95).value(), time.high.value()));
  seconds before{};
  for (double share = 0.05; share < 0.95; share += 0.01) {
    const seconds at = quantile(time, share);
    CHECK(at > before);
    CHECK(close(chance(time, at), share, 1e-6));
    before = at;
  }
  CHECK(chance(time, 2 * time.high) == 0.95);
  CHECK(chance(time, time.low / 2) == 0.05);
}

}  // namespace

TEST_CASE("quantiles of serving rise from end to end of the band, and chances undo them") {
  for (const serving_engine engine : {serving_engine::unnamed, serving_engine::vllm, serving_engine::example}) {
    serving_job job = traffic(1024, 256);
    job.engine = engine;
    job.concurrency = 32;
    const slice where = slice_for("v6e-8");
    const serving_estimate estimate = serve(llama_3_8b(), job, {}, where);
    REQUIRE(estimate.refusal == serving_refusal::none);
    check_times(estimate.per_token);
    check_times(estimate.per_token.step);
    check_times(first_token_of(estimate));
    CHECK(first_token_of(estimate).total == estimate.first_token);
    check_times(prefill_time(llama_3_8b(), {1, 1024}, job, {}, where));
  }
}

TEST_CASE("the range of a first token that waits for nothing is that of a prefill") {
  serving_job job = traffic(1024, 256);
  job.engine = serving_engine::sglang_jax;
  job.concurrency = 1;
  const slice where = slice_for("v6e-8");
  const first_token_time first = first_token_of(serve(llama_3_8b(), job, {}, where));
  const prefill_breakdown prompt = prefill_time(llama_3_8b(), {1, 1024}, job, {}, where);
  CHECK(close(first.high / first.total, prompt.high / prompt.total));
  CHECK(close(first.low / first.total, prompt.low / prompt.total));
}

TEST_CASE("the chance to fit says what the verdict says") {
  serving_memory memory{{}, {}, {}, bytes{14e9}, bytes{10e9}, bytes{19.4e9}, {}};
  CHECK(close(quantile(memory, 0.05).value(), 10e9));
  CHECK(close(quantile(memory, 0.95).value(), 20e9));
  double before = 0;
  for (double usable = 9e9; usable < 21e9; usable += 0.5e9) {
    memory.usable = bytes{usable};
    const double now = chance_to_fit(memory);
    CHECK(now >= before);
    CHECK((fits(memory) == verdict::no) == (now <= 0.05 && usable < 10e9));
    CHECK((fits(memory) == verdict::yes) <= (now >= 0.95));
    if (fits(memory) == verdict::uncertain) CHECK((now >= 0.05 && now <= 0.95));
    before = now;
  }
  memory.usable = memory.total;
  CHECK(close(chance_to_fit(memory), 0.5));
}

TEST_CASE("limits of the wrong kind do not compile, and those that say nothing are refused") {
  const serving_memory memory{{}, {}, {}, bytes{14e9}, bytes{10e9}, bytes{19.4e9}, bytes{16e9}};
  CHECK(says(refusal_of([&] { (void)chance(memory, bytes{0}); }).message, "chance: limit is 0"));
  CHECK(says(refusal_of([&] { (void)quantile(memory, 0.99); }).message, "0.05 to 0.95"));
}

}  // namespace estimate_serving_quantiles_tests
