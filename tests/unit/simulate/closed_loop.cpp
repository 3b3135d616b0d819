// Closed loops: worked runs, what is refused, Little's law, the closed form, and a published benchmark's shape.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_closed_loop_tests {

namespace {

struct steps_of_a_second {
  seconds attention(std::int64_t, std::int64_t) const { return {}; }
  seconds step(const step_work&) const { return seconds{1}; }
};
simulated_engine small_engine() {
  simulated_engine engine;
  engine.max_running = 8;
  engine.blocks = 1000;
  return engine;
}
serving_job chat(std::int64_t output) {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(output);
  return job;
}
/// To the nanosecond: requests are sent right behind the ends of others.
std::vector<double> arrivals_of(const simulation_run& run) {
  std::vector<double> all;
  for (const request_record& record : run.records) all.push_back(std::round(1e9 * record.arrival.value()) / 1e9);
  return all;
}
std::vector<double> arrivals_with(const closed_loop& loop, std::size_t requests) {
  return arrivals_of(simulate_closed_loop(loop, small_engine(), std::vector<simulated_request>(requests, {{}, 5, 3, 0}),
                                          steps_of_a_second{}));
}

}  // namespace

TEST_CASE("a client sends its next request when the one before has ended") {
  CHECK(arrivals_with({1}, 3) == std::vector<double>{0, 3, 6});
  CHECK(arrivals_with({2}, 5) == std::vector<double>{0, 0, 3, 3, 6});
  // With a ramp of 2 s the second client begins at 1 s: its prompt shares the step in which the first decodes.
  CHECK(arrivals_with({2, seconds{2}}, 4) == std::vector<double>{0, 1, 3, 4});
  CHECK(arrivals_with({3}, 3) == std::vector<double>{0, 0, 0});
}

TEST_CASE("a request that an answer sends has no part in the step that begins then") {
  // Of two clients one begins at 1 s. Each step takes a second: while the other decodes, a request waits for one.
  const simulation_run run = simulate_closed_loop(
      {2, seconds{2}}, small_engine(), std::vector<simulated_request>(6, {{}, 5, 3, 0}), steps_of_a_second{});
  const auto first = [&](std::size_t i) { return (run.records[i].first_token - run.records[i].arrival).value(); };
  CHECK(close(first(0), 1));
  CHECK(close(first(1), 1));
  CHECK(close(first(2), 2));
  CHECK(close(first(3), 2));
  CHECK(run.records[2].arrival > 3_s);
  CHECK(run.records[2].arrival < seconds{3 + 1e-12});
  // Where nothing else runs it is computed at once.
  const simulation_run alone =
      simulate_closed_loop({1}, small_engine(), std::vector<simulated_request>(3, {{}, 5, 3, 0}), steps_of_a_second{});
  CHECK(close((alone.records[2].first_token - alone.records[2].arrival).value(), 1));
}

TEST_CASE("a closed loop is counted until its last request has ended") {
  const std::vector<simulated_request> requests(200, {{}, 5, 3, 0});
  const simulation_run run = simulate_closed_loop({1}, small_engine(), requests, steps_of_a_second{});
  CHECK(close(run.counted_until.value(), 600));
  const simulation_report report = report_of(run);
  CHECK(report.requests == 200);
  CHECK(close(report.output_tokens.value(), 1, 1e-12));
  CHECK(close(report.arrivals.value(), 1.0 / 3, 1e-12));
  CHECK(close(report.first_token.value.p99.value(), 1, 1e-12));
  const simulation_report later =
      report_of(simulate_closed_loop({1, {}, 100}, small_engine(), requests, steps_of_a_second{}));
  CHECK(later.requests == 100);
  CHECK(close(later.output_tokens.value(), 1, 1e-12));
}

TEST_CASE("loops that cannot be are refused") {
  const std::vector<simulated_request> requests(4, {{}, 5, 3, 0});
  const auto refused = [&](const closed_loop& loop, simulated_engine engine, const char* words) {
    const std::string message = refusal_of([&] {
                                  static_cast<void>(simulate_closed_loop(loop, engine, requests, steps_of_a_second{}));
                                }).message;
    CHECK(says(message, words));
  };
  refused({5}, small_engine(), "closed_loop.clients is 5; valid: at most as many as there are requests");
  refused({0}, small_engine(), "closed_loop.clients is 0");
  refused({2, seconds{-1}}, small_engine(), "closed_loop.ramp is -1");
  refused({2, {}, 1}, small_engine(), "closed_loop.warm_up is 1; valid: 0, or from the number of clients");
  refused({2, {}, 4}, small_engine(), "closed_loop.warm_up is 4");
  simulated_engine two = small_engine();
  two.replicas = 2;
  refused({2}, two, "simulated_engine.replicas is 2; valid: 1: each replica has clients of its own");
}

TEST_CASE("one client has its first token after the prefill of an idle engine each time") {
  const serving_job job = chat(8);
  const serving_fleet fleet{{4}, slice_for("v6e-4")};
  const simulation_run run =
      simulate_fleet(llama_3_8b(), job, fleet, closed_loop{1}, std::vector<simulated_request>(5, {{}, 1024, 8, 0}));
  const seconds prefill = engine_prefill_time(llama_3_8b(), job, fleet.mesh, fleet.where);
  for (const request_record& record : run.records)
    CHECK(close((record.first_token + record.delay - record.arrival).value(), prefill.value(), 1e-9));
}

// Requests in flight = requests a second x time of one, in each stretch in which all clients have one in flight; and so
// for the closed form with that concurrency.
TEST_CASE("a replica under a closed loop obeys Little's law and is near the closed form") {
  for (const std::int64_t tensor : {8, 4}) {
    for (const std::int64_t clients : {1, 6, 40}) {
      CAPTURE(tensor, clients);
      serving_job job = chat(128);
      const serving_fleet fleet{{tensor}, slice_for("v6e-8")};
      const std::vector<simulated_request> requests(static_cast<std::size_t>(12 * clients), {{}, 1024, 128, 0});
      const simulation_run run = simulate_fleet(llama_3_8b(), job, fleet, closed_loop{clients}, requests);
      double inside = 0;
      for (const request_record& record : run.records) inside += (record.finished - record.arrival).value();
      CHECK(close(run.requests_over_time.value(), inside, 1e-9));
      const double in_flight = inside / run.counted_until.value();  // fewer than the clients while the last ones end
      CHECK(in_flight <= static_cast<double>(clients) * (1 + 1e-12));
      CHECK(in_flight > 0.85 * static_cast<double>(clients));
      const std::int64_t replicas = 8 / tensor;
      job.concurrency = clients * replicas;
      const serving_estimate closed = serve(llama_3_8b(), job, fleet.mesh, fleet.where);
      CHECK(close((closed.requests * (closed.first_token + 127 * closed.per_token.total)),
                  static_cast<double>(job.concurrency), 1e-6));
      const double simulated =
          static_cast<double>(replicas) * static_cast<double>(requests.size()) / run.counted_until.value();
      CHECK(simulated / closed.requests.value() > 0.75);
      CHECK(simulated / closed.requests.value() < 1.25);
    }
  }
}

// Requests that began before the first that is counted end in the time that is: without them the rate is too low.
TEST_CASE("behind a warm-up and a ramp the rate is that of the tokens, and obeys Little's law") {
  const serving_fleet fleet{{8}, slice_for("v6e-8")};
  const std::vector<simulated_request> requests(640, {{}, 1024, 128, 0});
  for (const std::int64_t warm_up : {0, 320, 512}) {
    CAPTURE(warm_up);
    closed_loop loop{64};
    loop.ramp = 12_s, loop.warm_up = warm_up;
    const simulation_report report = report_of(simulate_fleet(llama_3_8b(), chat(128), fleet, loop, requests));
    const double by_tokens = report.output_tokens.value() / 128;
    CHECK(close(report.arrivals.value(), by_tokens, 0.02));
    CHECK(report.arrivals * report.end_to_end.value.mean < 64 * 1.01);
    CHECK(report.goodput.value() == Approx(report.arrivals.value()));
    CHECK(report.requests >= 640 - warm_up);
  }
}

}  // namespace plan_closed_loop_tests
