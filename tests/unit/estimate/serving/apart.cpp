// Engines that compute one prompt at a time and decode where none waits, in the closed form beside simulated runs.
#include <cstdint>
#include <tpuplan/estimate/serving/apart.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <tpuplan/simulate/simulation.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace apart_tests {

namespace {

serving_job jetstream_job(std::int64_t prompt, const token_lengths& output) {
  serving_job job;
  job.engine = serving_engine::jetstream;
  job.prompt = fixed_length(prompt), job.output = output, job.max_running = 64;
  return job;
}

/// Closed form over simulated.
struct ratios {
  double first = 0, token = 0, requests = 0;
};
ratios beside(const serving_job& job, const simulation_run& run) {
  const serving_estimate closed = serve(llama_3_8b(), job, {}, slice_for("v6e-4"));
  const simulation_report report = report_of(run);
  return {closed.first_token / report.first_token.value.mean, closed.per_token.total / report.per_token.value.mean,
          closed.requests / report.arrivals};
}
ratios of_clients(serving_job job, std::int64_t clients) {
  job.request_rate = per_second{1};
  const auto requests = requests_of(traffic_of(job, 5120));
  job.request_rate = per_second{0}, job.concurrency = clients;
  return beside(job, simulate_fleet(llama_3_8b(), job, {{}, slice_for("v6e-4"), 1}, {clients, 0_s, 256}, requests));
}
ratios at_load(serving_job job, double load) {
  job.request_rate = load * serve(llama_3_8b(), job, {}, slice_for("v6e-4")).capacity;
  const auto requests = requests_of(traffic_of(job, 20000));
  return beside(job, simulate_fleet(llama_3_8b(), job, {{}, slice_for("v6e-4"), 1}, 1, requests));
}
bool within(double ratio, double part) { return ratio > 1 - part && ratio < 1 + part; }

}  // namespace

TEST_CASE("clients of an engine that computes prompts by themselves, one at a time, are served as simulated") {
  for (const std::int64_t output : {2, 8, 64}) {
    for (const std::int64_t prompt : {128, 4096}) {
      for (const std::int64_t clients : {1, 4, 64, 128}) {
        CAPTURE(output, prompt, clients);
        const ratios equal = of_clients(jetstream_job(prompt, fixed_length(output)), clients);
        CHECK(within(equal.first, 0.02));
        CHECK(within(equal.token, 0.01));
        CHECK(within(equal.requests, 0.015));
        if (output == 2) continue;
        const token_lengths varied = lengths_of(log_normal_lengths(static_cast<double>(output), 0.5, 10 * output));
        const ratios of_varied = of_clients(jetstream_job(prompt, varied), clients);
        CHECK(within(of_varied.first, 0.13));
        CHECK(within(of_varied.token, 0.07));
        CHECK(within(of_varied.requests, 0.035));
      }
    }
  }
}

TEST_CASE("requests at a rate wait for prompts of others, never for their tokens") {
  for (const std::int64_t output : {2, 8, 64}) {
    for (const std::int64_t prompt : {128, 4096}) {
      for (const double load : {0.1, 0.5, 0.8}) {
        CAPTURE(output, prompt, load);
        const ratios found = at_load(jetstream_job(prompt, fixed_length(output)), load);
        CHECK(within(found.first, load > 0.5 ? 0.13 : 0.05));
        CHECK(within(found.token, load > 0.5 ? 0.1 : 0.06));
        CHECK(within(found.requests, 0.02));
      }
    }
  }
}

TEST_CASE("one output token is all there is of a request where prompts have steps of their own") {
  for (const std::int64_t clients : {1, 4, 64}) {
    CAPTURE(clients);
    const ratios found = of_clients(jetstream_job(1024, fixed_length(1)), clients);
    CHECK(within(found.first, 0.01));
    CHECK(within(found.requests, 0.015));
  }
  const ratios found = at_load(jetstream_job(1024, fixed_length(1)), 0.7);
  CHECK(within(found.first, 0.05));
}

TEST_CASE("a target of the time per token has as many sequences as keep it") {
  serving_job job = jetstream_job(1024, fixed_length(64));
  const serving_estimate all = serve(llama_3_8b(), job, {}, slice_for("v6e-4"));
  CHECK(all.running == 64);
  CHECK(close(all.requests.value(), all.capacity.value()));
  job.tpot_target = 0.5 * all.per_token.total;
  const serving_estimate fewer = serve(llama_3_8b(), job, {}, slice_for("v6e-4"));
  CHECK(fewer.running < 64);
  CHECK(close(fewer.per_token.total.value(), job.tpot_target.value(), 1e-9));
  CHECK(close(time_per_token(llama_3_8b(), fewer.running, job, {}, slice_for("v6e-4")).total.value(),
              job.tpot_target.value(), 1e-9));
}

}  // namespace apart_tests
