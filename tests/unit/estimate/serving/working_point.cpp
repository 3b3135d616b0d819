// How many sequences run in a replica, what a request meets there, and how long it waits.
#include <cmath>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/working_point.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_serving_working_point_tests {

namespace {

serving_job job_of_lengths(std::int64_t prompt, std::int64_t output) {
  serving_job job;
  job.prompt = fixed_length(prompt);
  job.output = fixed_length(output);
  job.beyond_max_positions = true;
  return job;
}

/// A step of a device of 10 ms, with a host of that many.
detail::engine_step with_host_of(double host) { return {0.010, host, 1, false}; }

}  // namespace

TEST_CASE("the host hides behind prompts in the steps that have some") {
  const auto whole = [](double each) { return detail::admission{each, 1, 1000, 0, each}; };
  CHECK(close(detail::mixed_step(with_host_of(0.004), 0.5, whole(0.010), 1), 0.015));
  // Prompts of 100 ms in a tenth of the steps: the host's 5 ms are hidden in these, and show in the others.
  const double some = 1 - std::exp(-0.1);
  CHECK(close(detail::mixed_step(with_host_of(0.015), 0.1, whole(0.100), 1), 0.015 + 0.010 - some * 0.005));
  CHECK(close(detail::mixed_step(with_host_of(0.015), 0.1, whole(0.001), 1), 0.015));  // wholly behind the host
  CHECK(close(detail::step_at_random(with_host_of(0.004), 5, whole(0.100), 1), 0.020));
  const double step = detail::step_at_random(with_host_of(0.015), 5, whole(0.100), 1);
  CHECK(close(step, detail::mixed_step(with_host_of(0.015), 5 * step, whole(0.100), 1)));
  CHECK(detail::step_at_random(with_host_of(0.015), 10, whole(0.100), 1) == 0);
}

TEST_CASE("a prompt of four chunks hides the host in four steps") {
  // 400 tokens of 100 ms in steps of 101, of which one decodes: 25 ms beside the 10 ms of the device.
  const detail::admission prompt{0.100, 4, 400, 101, 0.100};
  CHECK(close(detail::mixed_step(with_host_of(0.015), 0.1, prompt, 1), 0.6 * 0.015 + 0.4 * 0.035));
  CHECK(close(detail::step_at_random(with_host_of(0.015), 5, prompt, 1), 0.015 / (1 - 5 * 4 * 0.020)));
}

TEST_CASE("a prompt that fills a step hides the host in one step, one chunk or a token more") {
  // Of 100 tokens beside one sequence, and of half of them, of which steps take two: their share is that of Poisson.
  const auto of = [](double tokens, double chunks) {
    return detail::mixed_step(with_host_of(0.015), 0.1, {0.100, chunks, tokens, 101, 0.100}, 1);
  };
  CHECK(close(of(100, 1), 0.015 + 0.010 - 0.1 * 0.005));
  CHECK(close(of(101, 1), of(101, 2)));
  CHECK(close(of(50, 1), 0.015 + 0.010 - (1 - std::exp(-0.1)) * 0.005));
}

TEST_CASE("a prompt takes as many steps as leave room for it, as often one more as the room differs") {
  const detail::admission prompt{0.100, 1, 1000, 1025, 0.100};
  CHECK(detail::steps_beside(prompt, 25, 1200) == 1);
  CHECK(detail::steps_beside(prompt, 25, 1000) == 1.5);
  CHECK(close(detail::steps_beside(prompt, 25, 998), 1.7));  // of 5 more or less, on either side
  CHECK(detail::steps_beside(prompt, 25, 990) == 2);
  CHECK(detail::steps_beside(prompt, 25, 400) == 3);
}

TEST_CASE("first tokens across the chunks of a step are those of the simulated engine") {
  for (const std::int64_t tokens : {2000, 2048, 2049, 3000, 4096, 4097}) {
    serving_job job = job_of_lengths(tokens, 128);
    job.prefill_chunk = 2048;
    job.request_rate = per_second{4};
    const slice s = slice_for("v6e-8");
    const std::vector<simulated_request> requests = requests_of(traffic_of(job, 2000));
    const simulation_report report = report_of(simulate_fleet(llama_3_8b(), job, {{}, s, 1}, 1, requests));
    CAPTURE(tokens);
    CHECK(std::abs(serve(llama_3_8b(), job, {}, s).first_token / report.first_token.value.mean - 1) < 0.1);
  }
}

TEST_CASE("no longer prompt lets more requests be served, across the chunks of a step too") {
  // One output: 16.0 requests a second of 4096 tokens, and 18.8 of 4097, whose last chunk counted as a whole one.
  // Behind the host of 100 ms one of 1024 hid less of it than one of 1025.
  const transformer m = llama_3_8b();
  // Of two places one was less often left to itself where steps were just full.
  for (const auto& [chunk, output, host, places] :
       {std::tuple{2048, 1, 0.0, 16}, {1024, 2, 0.0, 16}, {1024, 256, 0.1, 16}, {512, 8, 0.1, 16}, {2048, 2, 0.0, 2}}) {
    serving_calibration constants = default_serving_calibration;
    constants.engine_step = seconds{host};
    for (const int chunks : {1, 2, 3, 8}) {
      double before = 1e9;
      for (int tokens = chunks * chunk - 2; tokens <= chunks * chunk + 2; ++tokens) {
        serving_job job = job_of_lengths(tokens, output);
        job.prefill_chunk = chunk;
        job.max_running = places;
        const double capacity = serve(m, job, {}, slice_for("v6e-8"), constants).capacity.value();
        CAPTURE(chunk, output, host, places, tokens);
        CHECK(capacity <= before * (1 + 1e-12));
        before = capacity;
      }
    }
  }
}

TEST_CASE("gathered weights are gathered for each chunk") {
  serving_job job = job_of_lengths(4096, 256);
  const serving_layout gathered{0, weight_sharding::gathered};
  const prompt_batch prompt{1, 4096};
  const prefill_breakdown whole = prefill_time(llama_3_8b(), prompt, job, gathered, slice_for("v6e-8"));
  job.prefill_chunk = 1024;
  const prefill_breakdown parts = prefill_time(llama_3_8b(), prompt, job, gathered, slice_for("v6e-8"));
  CHECK(close(parts.collectives.value(), 4 * whole.collectives.value()));
  CHECK(close(parts.weights.value(), 4 * whole.weights.value()));
}

TEST_CASE("with chunks a token takes no less time the more requests come") {
  // At 70 % of the capacity a token took 7.83 ms, at 80 % 7.63 ms; a simulation has 7.1 and 7.3 ms.
  const transformer m = llama_3_8b();
  serving_job job = job_of_lengths(7059, 275);
  job.prefill_chunk = 256;
  const serving_estimate full = serve(m, job, {}, slice_for("v5p-16"));
  double before = 0;
  for (const double load : {0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.99}) {
    job.request_rate = full.capacity * load;
    const double each = serve(m, job, {}, slice_for("v5p-16")).per_token.total.value();
    CHECK(each > before);
    before = each;
  }
  CHECK(before <= full.per_token.total.value());
}

TEST_CASE("tokens after a long step: each step lets more prompts come") {
  // 80 ms above the mean, of which half are prompts: 40, 20, 10 ms more in the next three steps.
  CHECK(close(detail::catching_up(0.080, 0.5, 3), 0.070 / 3));
  CHECK(detail::catching_up(-0.080, 0.5, 3) == 0);
}

TEST_CASE("what a rate below the capacity asks for is served, also where a request has more chunks than tokens") {
  const transformer m = llama_3_8b();
  for (const char* where : {"v6e-8", "v5p-128"}) {
    for (const auto& [prompt, output, chunk] :
         {std::tuple{78831, 4, 1155}, {78831, 4, 1}, {8192, 32, 64}, {100, 1, 7}, {30000, 2, 0}, {2000, 300, 512}}) {
      serving_job job = job_of_lengths(prompt, output);
      job.prefill_chunk = chunk;
      job.prefix_hit_rate = 0.5;
      const serving_layout mesh{2, {}, {}};
      const serving_estimate full = serve(m, job, mesh, slice_for(where));
      REQUIRE(full.refusal == serving_refusal::none);
      CAPTURE(where, prompt, output, chunk);
      CHECK(close(full.requests.value(), full.capacity.value(), 1e-9));  // all that it can is all that it does
      double first = 0, running = 0;
      for (const double load : {0.01, 0.5, 0.9, 0.999}) {
        job.request_rate = full.capacity * load;
        const serving_estimate e = serve(m, job, mesh, slice_for(where));
        REQUIRE(e.refusal == serving_refusal::none);
        CHECK(close(e.requests.value(), job.request_rate.value(), 1e-9));
        CHECK(close(e.requests * (job.output.mean * e.per_token.total), e.running * static_cast<double>(e.replicas),
                    1e-6));
        CHECK(e.first_token.value() >= first);
        CHECK(e.running >= running * 0.99);
        first = e.first_token.value(), running = e.running;
      }
    }
  }
}

TEST_CASE("one client meets nobody") {
  const transformer m = llama_3_8b();
  const slice where = slice_for("v6e-8");
  serving_job job = job_of_lengths(100000, 16);
  job.concurrency = 1;
  const serving_estimate e = serve(m, job, {}, where);
  CHECK(e.first_token == e.prefill);
  CHECK(e.per_token.prompts.value() == 0);
  CHECK(close(e.per_token.step.total.value(), decode_step(m, {1, running_context(job)}, job, {}, where).total.value()));
}

TEST_CASE("waiting for a place is short while most are free, and that of Pollaczek and Khinchine where there is one") {
  // Llama 2 7B's shape on one v6e at 7.5 requests a second: the closed form used to queue for one server, 209 ms.
  transformer m = llama_3_8b();
  m.attention.kv_heads = 32, m.mlp.d_ff = 11008, m.vocab = 32000;
  serving_job job = job_of_lengths(128, 300);
  job.request_rate = per_second{7.5};
  const serving_estimate e = serve(m, job, {}, slice_for("v6e-1"));
  REQUIRE(e.refusal == serving_refusal::none);
  CHECK(e.queue < 0.1 * e.first_token);
}

TEST_CASE("so many clients and as many slots that are all taken are one question") {
  const transformer m = llama_3_8b();
  for (const serving_engine engine :
       {serving_engine::unnamed, serving_engine::vllm, serving_engine::sglang_jax, serving_engine::jetstream}) {
    for (const std::int64_t clients : {2, 8, 32, 64, 128}) {
      serving_job job;
      job.prompt = fixed_length(1024), job.output = {256, 1.3 * 256 * 256, 1024};  // as long they move in groups
      job.engine = engine, job.concurrency = clients;
      job = as_engine_runs(job);
      const serving_estimate free = serve(m, job, {}, slice_for("v6e-8"));
      job.max_running = clients;
      const serving_estimate held = serve(m, job, {}, slice_for("v6e-8"));
      CAPTURE(name(engine), clients);
      CHECK(close(free.per_token.total.value(), held.per_token.total.value(), 0.01));
      CHECK(close(free.output_tokens.value(), held.output_tokens.value(), 0.01));
    }
  }
}

TEST_CASE("the capacity of short outputs with chunks is what is completed while twice as much comes", "[agreement]") {
  struct served {
    const char* where;
    std::int64_t prompt;
    serving_engine engine;
  };
  // Of vLLM on four VMs host and device take turns.
  for (const served& one :
       {served{"v6e-4", 1024, serving_engine::unnamed}, served{"v5e-8", 300, serving_engine::unnamed},
        served{"v4-8", 2000, serving_engine::unnamed}, served{"v6e-16", 1000, serving_engine::vllm}}) {
    for (const std::int64_t output : {2, 3, 4, 8}) {
      for (const std::int64_t chunk : {512, 1024, 2048, 8192}) {
        CAPTURE(one.where, one.prompt, output, chunk);
        serving_job job = job_of_lengths(one.prompt, output);
        job.engine = one.engine, job.prefill_chunk = chunk;
        const slice where = slice_for(one.where);
        const per_second capacity = serve(llama_3_8b(), job, {}, where).capacity;
        job.request_rate = 2 * capacity;
        const std::vector<simulated_request> requests = requests_of(traffic_of(job, 4000));
        const simulation_report run = report_of(simulate_fleet(llama_3_8b(), job, {{}, where, 1}, 1, requests));
        CHECK(run.goodput / capacity == Approx(1).margin(0.03));
      }
    }
  }
}

}  // namespace estimate_serving_working_point_tests
