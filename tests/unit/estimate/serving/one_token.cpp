// Requests whose first token is their last: the closed form beside the simulated engine.
#include <cmath>
#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/one_token.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_serving_one_token_tests {

namespace {

serving_job one_token_of(std::int64_t prompt, std::int64_t chunk) {
  serving_job job;
  job.prompt = fixed_length(prompt), job.output = fixed_length(1);
  job.prefill_chunk = chunk;
  return job;
}

struct request_figures {
  double first, rate;
};
request_figures in_turn(const serving_job& job, std::string_view where) {
  const serving_estimate closed = serve(llama_3_8b(), job, {}, slice_for(where));
  return {closed.first_token.value(), closed.requests.value()};
}

simulation_report simulated(serving_job job, std::string_view where) {
  const serving_fleet fleet{{}, slice_for(where), 1};
  const std::int64_t requests = 2000;
  if (job.concurrency > 0) {
    const closed_loop loop{job.concurrency, {}, job.concurrency};
    serving_job drawn = job;
    drawn.request_rate = per_second{1};
    const std::vector<simulated_request> of = requests_of(traffic_of(drawn, requests));
    return report_of(simulate_fleet(llama_3_8b(), job, fleet, loop, of));
  }
  return report_of(simulate_fleet(llama_3_8b(), job, fleet, 1, requests_of(traffic_of(job, requests))));
}

}  // namespace

TEST_CASE("clients that want one token are served as the simulated engine serves them") {
  const auto check = [](serving_job job, std::int64_t clients) {
    CAPTURE(clients);
    job.concurrency = clients;
    const request_figures closed = in_turn(job, "v6e-8");
    const simulation_report open = simulated(job, "v6e-8");
    CHECK(std::abs(closed.first / open.first_token.value.mean.value() - 1) < 0.02);
    CHECK(std::abs(closed.rate / open.arrivals.value() - 1) < 0.02);
    CHECK(std::abs(closed.rate * closed.first / static_cast<double>(clients) - 1) < 1e-9);  // Little's law
  };
  for (const std::int64_t clients : {1, 2, 8, 64}) check(one_token_of(1024, 2048), clients);
  // Of 16 in a step, beyond which a full one and one with the others take turns.
  serving_job job = one_token_of(128, 2048);
  job.engine = serving_engine::vllm;
  for (const std::int64_t clients : {12, 16, 20, 24, 31, 32, 48, 64}) check(job, clients);
}

TEST_CASE("a step takes as many prompts as its tokens allow, and a long one takes several steps") {
  const detail::admission whole{0.012, 1, 1000, 0, 0.010}, chunked{0.012, 1, 1000, 2048, 0.010};
  CHECK(detail::prompts_of_step(whole, 16) == 16);
  CHECK(detail::prompts_of_step(chunked, 16) == 2.048);
  CHECK(detail::prompts_of_step(chunked, 1) == 1);
  CHECK(detail::prompts_of_step({0.024, 2, 3000, 2048, 0.020}, 16) == 1);
  detail::token_terms terms;
  CHECK(close(detail::one_token_saturation(terms, 16, whole).rate, 16 / 0.162));
  CHECK(close(detail::one_token_saturation(terms, 16, chunked).rate, 2.048 / 0.02248));
  terms.host_each = 0.020;  // for each but the first of a step, longer than the device
  // All 16 of a step take 300 ms of the host; 2.2 of them would take 24 ms of both, but all that wait are taken.
  CHECK(close(detail::one_token_saturation(terms, 16, whole).rate, 16 / 0.3));
}

TEST_CASE("requests for one token that come at random wait for the step that runs") {
  for (const double rate : {15.0, 30.0}) {
    serving_job job = one_token_of(512, 2048);
    job.request_rate = per_second{rate};
    const serving_estimate closed = serve(llama_3_8b(), job, {}, slice_for("v6e-8"));
    CAPTURE(rate, closed.capacity.value());
    REQUIRE(closed.refusal == serving_refusal::none);
    CHECK(std::abs(closed.first_token / simulated(job, "v6e-8").first_token.value.mean - 1) < 0.12);
    CHECK(closed.output_tokens == job.request_rate);
  }
  // The host takes longer than the device for each of the 128 prompts that a step takes.
  serving_job small = one_token_of(16, 2048);
  small.request_rate = 0.95 * serve(llama_3_8b(), small, {}, slice_for("v6e-8")).capacity;
  const serving_estimate busy = serve(llama_3_8b(), small, {}, slice_for("v6e-8"));
  CHECK((busy.queue.value() > 0 && busy.queue < 1_s && busy.first_token > busy.queue));
  serving_job job = one_token_of(512, 2048);
  job.request_rate = serve(llama_3_8b(), job, {}, slice_for("v6e-8")).capacity;
  CHECK(serve(llama_3_8b(), job, {}, slice_for("v6e-8")).refusal == serving_refusal::rate_above_capacity);
}

TEST_CASE("what is below the capacity of requests for one token is served, and what is above it is not") {
  serving_job job = one_token_of(100, 2048);
  job.engine = serving_engine::vllm;
  const per_second most = serve(llama_3_8b(), job, {}, slice_for("v6e-4")).capacity;
  job.request_rate = 0.9 * most;
  const serving_estimate closed = serve(llama_3_8b(), job, {}, slice_for("v6e-4"));
  CHECK(closed.first_token / simulated(job, "v6e-4").first_token.value.mean == Approx(1).margin(0.35));
  CHECK(simulated(job, "v6e-4").first_token.value.mean < 1_s);
  job.request_rate = 1.3 * most;
  CHECK(simulated(job, "v6e-4").first_token.value.mean > 3_s);
  // Few clients are answered faster than all that wait, which is no more than what is said to be the most.
  job.request_rate = {};
  for (const std::int64_t clients : {1, 4, 64}) {
    job.concurrency = clients;
    const serving_estimate of = serve(llama_3_8b(), job, {}, slice_for("v6e-4"));
    CHECK(of.requests <= of.capacity);
    CHECK(of.requests >= 0.95 * most);
  }
}

TEST_CASE("a target of tokens after the first holds where there are none") {
  serving_job job = one_token_of(512, 2048);
  job.request_rate = per_second{5};
  const serving_estimate open = serve(llama_3_8b(), job, {}, slice_for("v6e-8"));
  job.tpot_target = seconds{1e-6};
  const serving_estimate held = serve(llama_3_8b(), job, {}, slice_for("v6e-8"));
  CHECK(held.refusal == serving_refusal::none);
  CHECK(held.meets_tpot);
  CHECK(held.first_token == open.first_token);
  job.output = fixed_length(2);
  CHECK(serve(llama_3_8b(), job, {}, slice_for("v6e-8")).refusal == serving_refusal::tpot_below_floor);
}

}  // namespace estimate_serving_one_token_tests
