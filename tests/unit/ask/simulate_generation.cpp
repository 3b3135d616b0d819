// The question simulate_generation: it agrees with generate, and keeps to what acts.
#include <tpuplan/ask/model_generation.hpp>
#include <tpuplan/ask/simulate_generation.hpp>

#include "support/catch.hpp"
#include "support/pipelines.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_simulate_generation_tests {

namespace {

simulate_generation_request asked_with(double rate, std::int64_t batch = 1) {
  simulate_generation_request asked;
  asked.slice = "v6e-8", asked.make.size = "256x256", asked.make.frames = 9;
  asked.rate = per_second{rate}, asked.batch = batch;
  return asked;
}
simulate_generation_answer answer_of(const simulate_generation_request& asked) {
  return answer_to_simulate_generation(filled(small_pipeline(), {}, asked.make, asked.batch), asked, {});
}

}  // namespace

TEST_CASE("seldom requests take what generate says, and all dollars of the slice") {
  const simulate_generation_answer a = answer_of(asked_with(1e-6));
  CHECK(a.report.latency.value.p99.value() == Approx(a.made.item_time.value()).epsilon(1e-6));
  CHECK(a.latency_low.p50.value() == Approx(a.made.item_time_low.value()).epsilon(1e-6));
  CHECK(a.latency_high.p50.value() == Approx(a.made.item_time_high.value()).epsilon(1e-6));
  CHECK(a.keeps_up);
  REQUIRE(a.usd_per_item);
  CHECK(*a.usd_per_item == Approx(*a.usd_per_hour / (3600 * 1e-6)));  // at the rate asked for, whatever comes by chance
}

TEST_CASE("clients keep slices busy, and items then cost what generate says") {
  simulate_generation_request asked = asked_with(0, 4);
  asked.concurrency = 64, asked.slices = 2, asked.target = {0.99, seconds{1e-3}};
  const simulate_generation_answer a = answer_of(asked);
  CHECK(a.report.busy == Approx(1));
  CHECK(*a.usd_per_item == Approx(*a.made.usd_per_item).epsilon(1e-3));
  CHECK(a.report.inside == Approx(64).epsilon(0.02));
  CHECK_FALSE(a.report.meets_target);
}

TEST_CASE("requests of a trace come at their times, whatever their lengths") {
  simulate_generation_request asked = asked_with(0);
  const seconds one = answer_of(asked_with(1e-6)).made.batch_time;
  for (int i = 0; i < 400; ++i) asked.trace.push_back({(i / 2) * 4 * one, 1 + i, 7});  // two at once, then none
  const simulate_generation_answer a = answer_of(asked);
  CHECK(a.traced);
  CHECK(a.report.latency.value.p50.value() == Approx(one.value()));
  CHECK(a.report.latency.value.p90.value() == Approx(2 * one.value()));
  CHECK(a.rate.value() == Approx(0.5 / one.value()).epsilon(0.01));
  CHECK(a.keeps_up);
  const auto beside = [&](void (*change)(simulate_generation_request&)) {
    simulate_generation_request more = asked;
    change(more);
    return refusal_of([&] { (void)answer_of(more); }).message;
  };
  CHECK(says(beside([](simulate_generation_request& b) { b.rate = per_second{1}; }), "rate_per_s is 1; valid: none"));
  CHECK(says(beside([](simulate_generation_request& b) { b.concurrency = 8; }), "concurrency"));
  CHECK(says(beside([](simulate_generation_request& b) { b.requests = 500; }), "requests"));
  CHECK(says(beside([](simulate_generation_request& b) { b.variation = 2; }), "variation"));
}

TEST_CASE("more requests than are made are said to be that") {
  const simulate_generation_answer a = answer_of(asked_with(1e4));
  CHECK_FALSE(a.keeps_up);
  CHECK(says(a.assumed.back().value, "the queue grows"));
}

TEST_CASE("what would have no effect is refused") {
  const auto refused = [](void (*change)(simulate_generation_request&)) {
    simulate_generation_request asked = asked_with(1);
    change(asked);
    return refusal_of([&] { (void)answer_of(asked); }).message;
  };
  CHECK(says(refused([](simulate_generation_request& a) { a.rate = {}; }), "rate_per_s"));
  CHECK(says(refused([](simulate_generation_request& a) { a.concurrency = 8; }), "concurrency"));
  CHECK(says(refused([](simulate_generation_request& a) { a.ramp = seconds{1}; }), "ramp_s"));
  CHECK(says(refused([](simulate_generation_request& a) { a.warm_up = 8; }), "warm_up"));
  CHECK(says(refused([](simulate_generation_request& a) { a.fill = seconds{1}; }), "fill_s"));
  CHECK(says(refused([](simulate_generation_request& a) { a.rate = {}, a.concurrency = 8, a.variation = 2; }),
             "variation"));
  CHECK(says(refused([](simulate_generation_request& a) { a.rate = {}, a.concurrency = 800, a.requests = 300; }),
             "requests"));
}

TEST_CASE("the parts of a pipeline add up to its parameters") {
  const model_generation_answer a = answer_to_model_generation(small_pipeline(), {});
  CHECK(a.parameters == total_parameters(small_pipeline()));
  if (a.breakdown) CHECK(a.breakdown->total == a.parameters);
  CHECK((a.breakdown.has_value() || !a.components.empty()));
  std::int64_t sum = 0;
  for (const auto& [name, one] : a.components) sum += one.parameters;
  CHECK((a.breakdown ? sum == 0 : sum == a.parameters));
}

}  // namespace ask_simulate_generation_tests
