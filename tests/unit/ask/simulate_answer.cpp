// Times of each priority, and who may have some.
#include <string>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/ask/simulate_answer.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_simulate_answer_tests {

namespace {

/// Llama 3 8B on one v6e, at a rate that it can just serve.
simulate_answer asked(const simulate_request& request) {
  model_config config;
  config.model = llama_3_8b();
  return answer_to_simulate(config, request, price_book{});
}
simulate_request busy() {
  simulate_request request;
  request.slice = "v6e-1";
  request.job.request_rate = per_second{6.5};
  request.job.max_running = 48;
  request.urgent_share = 0.2;
  return request;
}

}  // namespace

TEST_CASE("the busiest replica of two that have one request and three has three quarters of them") {
  CHECK(busiest_share({1, 3}) == 0.75);
  CHECK(busiest_share({}) == 1);
}

TEST_CASE("urgent requests wait less, the others more, and all together no longer") {
  const simulate_answer by_priority = asked(busy());
  REQUIRE(by_priority.priorities.size() == 2);
  const priority_times &urgent = by_priority.priorities[0], &others = by_priority.priorities[1];
  CHECK(urgent.priority == 0);
  CHECK(others.priority == 1);
  CHECK(urgent.requests + others.requests == by_priority.report.requests);
  CHECK(std::abs(static_cast<double>(urgent.requests) / 1800 - 0.2) < 0.04);
  simulate_request equal = busy();
  equal.urgent_share = 0;
  const simulate_answer in_turn = asked(equal);
  CHECK(in_turn.priorities.empty());
  CHECK(urgent.first_token.value.mean < in_turn.report.first_token.value.mean);
  CHECK(urgent.first_token.value.p99 < 0.5 * in_turn.report.first_token.value.p99);
  CHECK(others.first_token.value.mean > in_turn.report.first_token.value.mean);
  // Work is conserved: whoever goes first, the mean over all is about the same where requests are as long.
  const double mean = by_priority.report.first_token.value.mean / in_turn.report.first_token.value.mean;
  CHECK(mean > 0.9);
  CHECK(mean < 1.1);
}

TEST_CASE("a replica with nothing to wait for has no use of priorities") {
  simulate_request request = busy();
  request.job.request_rate = per_second{0.05};
  const simulate_answer idle = asked(request);
  CHECK(
      close(idle.priorities[0].first_token.value.p50.value(), idle.priorities[1].first_token.value.p50.value(), 0.01));
}

TEST_CASE("priorities of a trace, behind a router, and of clients") {
  simulate_request traced = busy();
  traced.urgent_share = 0;
  for (int i = 0; i < 1000; ++i) traced.trace.push_back({seconds{0.2 * i}, 1024, 256, 0, i % 3 == 0 ? 0 : 5});
  const simulate_answer of_trace = asked(traced);
  REQUIRE(of_trace.priorities.size() == 2);
  CHECK(of_trace.priorities[1].priority == 5);
  simulate_request routed = busy();
  routed.slices = 2;
  routed.job.request_rate = per_second{12};
  routed.routing = request_routing::queue;
  const simulate_answer behind = asked(routed);
  REQUIRE(behind.priorities.size() == 2);
  CHECK(behind.priorities[0].first_token.value.mean < behind.priorities[1].first_token.value.mean);
  simulate_request clients = busy();
  clients.job.request_rate = {};
  clients.job.concurrency = 192;
  const simulate_answer closed = asked(clients);
  REQUIRE(closed.priorities.size() == 2);
  CHECK(closed.priorities[0].first_token.value.mean < 0.6 * closed.priorities[1].first_token.value.mean);
}

TEST_CASE("an engine without priorities is refused by name") {
  const auto refused = [](const simulate_request& request) {
    return refusal_of([&] { (void)asked(request); }).message;
  };
  simulate_request request = busy();
  request.job.engine = serving_engine::sglang_jax;
  CHECK(says(refused(request), "urgent_share is 0.2; valid: 0 of SGLang-JAX, whose scheduler has no priorities"));
  request.job.engine = serving_engine::vllm;
  CHECK(refused(request).empty());
  request.urgent_share = 1;
  CHECK(says(refused(request), "urgent_share is 1; valid: 0 (no priorities) to 0.999"));
  request.urgent_share = 0.01;
  CHECK(says(refused(request), "requests that are counted is "));
  request = busy();
  request.trace = {{0_s, 10, 10, 0}, {1_s, 10, 10, 0}};
  CHECK(says(refused(request), "urgent_share is 0.2; valid: 0 beside a trace"));
  request = busy();
  request.split = {1, 1, 8.86_GB_per_s};
  CHECK(says(refused(request), "0 where prefill and decode are apart"));
}

}  // namespace unit_simulate_answer_tests
