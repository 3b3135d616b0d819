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
  CHECK(close(detail::prompts_of_step({0.024, 2, 3000, 2048, 0.020}, 16), 2048.0 / 3000));
  detail::token_terms terms;
  const serving_job job = one_token_of(1000, 0);
  CHECK(close(detail::one_token_saturation(job, terms, 16, whole).rate, 16 / 0.162));
  CHECK(close(detail::one_token_saturation(job, terms, 16, chunked).rate, 2.048 / 0.02248));
  terms.host_each = 0.020;  // for each but the first of a step, longer than the device
  // All 16 of a step take 320 ms of the host, as in a busy engine it works for each of them.
  CHECK(close(detail::one_token_saturation(job, terms, 16, whole).rate, 1 / 0.020));
  // A prompt of 3000 tokens fills a step of 12 + 2048 / 3000 x 20 ms, and what is left of one step the next has.
  CHECK(close(detail::one_token_saturation(job, {}, 16, {0.044, 2, 3000, 2048, 0.020}).rate,
              2048.0 / 3000 / (0.012 + 0.020 * 2048 / 3000)));
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

TEST_CASE("requests for one token of varied lengths wait as simulated ones do", "[agreement]") {
  struct served {
    const char* where;
    length_distribution prompts;
    std::int64_t chunk;
  };
  const length_distribution uneven = lengths_by_quantiles({{0, 16}, {0.5, 400}, {1, 3000}});
  for (const served& one :
       {served{"v6e-4", log_normal_lengths(400, 1.5, 8000), 0},
        served{"v6e-4", log_normal_lengths(400, 1.5, 8000), 2048}, served{"v4-8", uneven, 0},
        served{"v4-8", uneven, 512}, served{"v5e-8", log_normal_lengths(2000, 0.8, 16000), 2048},
        served{"v5e-8", log_normal_lengths(1000, 1, 16000), 1024},
        served{"v6e-8", log_normal_lengths(300, 1, 8000), 4096}, served{"v4-8", same_length(954), 0},
        served{"v4-8", same_length(954), 2048}, served{"v5e-8", same_length(3000), 2048}}) {
    serving_job job;
    job.prompt = lengths_of(one.prompts), job.output = fixed_length(1);
    job.prefill_chunk = one.chunk, job.beyond_max_positions = true;
    const slice where = slice_for(one.where);
    const per_second capacity = serve(llama_3_8b(), job, {}, where).capacity;
    for (const double load : {0.1, 0.3, 0.5, 0.7, 0.85, 0.95}) {
      CAPTURE(one.where, job.prompt.mean, one.chunk, load);
      job.request_rate = load * capacity;
      const simulated_traffic traffic = traffic_of(job, 30000, 1, {one.prompts, {}, 0, {}});
      const simulation_run run = simulate_fleet(llama_3_8b(), job, {{}, where, 1}, 1, requests_of(traffic));
      const seconds simulated = report_of(run).first_token.value.mean;
      const double ratio = serve(llama_3_8b(), job, {}, where).first_token / simulated;
      const double most = load <= 0.5 ? 1.2 : load <= 0.85 ? 1.4 : 2;
      CHECK(ratio < most);
      CHECK(ratio > 1 / most);
    }
  }
}

TEST_CASE("longer prompts raise no capacity, of which no more is served") {
  double before = 1e9;
  for (const std::int64_t prompt : {100, 300, 1000, 1500, 2100, 3000, 9000}) {
    CAPTURE(prompt);
    serving_job job = one_token_of(prompt, 2048);
    job.engine = serving_engine::vllm;
    const double capacity = serve(llama_3_8b(), job, {}, slice_for("v6e-16")).capacity.value();
    CHECK(capacity <= before * (1 + 1e-12));
    before = capacity;
    job.request_rate = per_second{2 * capacity};
    CHECK(simulated(job, "v6e-16").goodput.value() == Approx(capacity).epsilon(0.03));
  }
}

}  // namespace estimate_serving_one_token_tests
