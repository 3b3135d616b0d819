// The first tokens of a burst beside published ones: Llama 3.3 70B in bf16 on v6e-8, vLLM, 3000 requests of 1000 tokens
// in and out, of clients that all begin at once (AI-Hypercomputer/tpu-recipes@c8cfe2f,
// inference/trillium/vLLM/Llama3.x/README.md). Of 3000 requests 30 are above the 99th
// percentile: it is that of the 34th of 64 clients, and of the 98th of 128, which wait for as large a part of what the
// last one waits for. No constant was fitted to these runs.
#include <cmath>
#include <string>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace oracle_bursts_tests {

TEST_CASE("first tokens of a burst, by serve and by simulate, beside published ones", "[published]") {
  const model_config config = read_hf_config(load_json(std::string(TPUPLAN_DATA_DIR) + "/models/llama-3.1-70b.json"));
  serving_job job;
  job.prompt = job.output = fixed_length(1000);
  job.prefill_chunk = 512, job.max_running = 256, job.memory_fraction = 0.98, job.block_tokens = 32;
  job.engine = serving_engine::vllm;
  const slice where = slice_for("v6e-8");
  struct published {
    std::int64_t clients;
    double p99, by_serve, by_simulate;  // seconds, and the errors
  };
  for (const published& one : {published{64, 2.50165, 0.03, 0.17}, published{128, 8.25026, -0.10, 0.24}}) {
    job.concurrency = one.clients;
    const serving_estimate estimate = serve(config.model, job, {}, where);
    const auto clients = static_cast<double>(one.clients);
    const double waits = burst_wait(config.model, job, {}, where, estimate).value() * (clients - 30) / clients;
    const simulation_run run =
        simulate_fleet(config.model, job, {{}, where}, closed_loop{one.clients},
                       std::vector<simulated_request>(3000, simulated_request{{}, 1000, 1000, 0}));
    const double p99 = report_of(run).first_token.value.p99.value();
    CAPTURE(one.clients, waits, p99, waits / one.p99 - 1, p99 / one.p99 - 1);
    CHECK(std::abs(waits / one.p99 - 1 - one.by_serve) < 0.1);
    CHECK(std::abs(p99 / one.p99 - 1 - one.by_simulate) < 0.1);
  }
}

// All percentiles that are published of a closed loop whose model, slice and load are stated, against the band of the
// simulated ones. Beside the runs above two of sgl-project/sglang-jax@cddbf6f1, SGLang-JAX 0.1.0 on v6e-4, of 100
// requests of 512 tokens in and 128 out by 8 clients (docs/cookbook/autoregressive/Qwen/Qwen.md and
// Xiaomi/MiMo-7B.md). MiMo's had room for four at once: 3.8 ran, by Little's law; its mean time of a token is one of
// the runs that the constants are fitted to.
TEST_CASE("ten of twelve percentiles of published closed loops lie in their bands", "[published]") {
  struct percentile {
    const char* what;
    time_percentiles latency_end::*times;
    seconds time_percentiles::*share;
    seconds published;
  };
  struct run {
    const char* name;
    transformer model;
    const char* slice;
    std::int64_t clients, requests;
    serving_job job;
    std::vector<percentile> percentiles;
  };
  const auto first = &latency_end::first_token, each = &latency_end::per_token, whole = &latency_end::end_to_end;
  const auto p90 = &time_percentiles::p90, p99 = &time_percentiles::p99;
  const transformer llama =
      read_hf_config(load_json(std::string(TPUPLAN_DATA_DIR) + "/models/llama-3.1-70b.json")).model;
  transformer qwen;  // of config.json and modeling_qwen.py of Qwen/Qwen-7B-Chat
  qwen.layers = 32, qwen.d_model = 4096, qwen.vocab = 151936, qwen.mlp.d_ff = 11008;
  qwen.attention.heads = qwen.attention.kv_heads = 32, qwen.attention.head_dim = 128;
  transformer mimo = qwen;  // as its record in data/measured/measured.json
  mimo.layers = 36, mimo.vocab = 151680, mimo.attention.kv_heads = 8;
  serving_job vllm;
  vllm.prompt = vllm.output = fixed_length(1000);
  vllm.prefill_chunk = 512, vllm.max_running = 256, vllm.memory_fraction = 0.98, vllm.block_tokens = 32;
  vllm.engine = serving_engine::vllm;
  serving_job sglang;
  sglang.prompt = fixed_length(512), sglang.output = fixed_length(128);
  sglang.engine = serving_engine::sglang_jax;
  serving_job four = sglang;
  four.max_running = 4;
  const run runs[] = {
      {"64 of Llama",
       llama,
       "v6e-8",
       64,
       3000,
       vllm,
       {{"first token, p99", first, p99, 2501.65_ms}, {"each token, p99", each, p99, 25.43_ms}}},
      {"128 of Llama",
       llama,
       "v6e-8",
       128,
       3000,
       vllm,
       {{"first token, p99", first, p99, 8250.26_ms}, {"each token, p99", each, p99, 35.49_ms}}},
      {"Qwen",
       qwen,
       "v6e-4",
       8,
       100,
       sglang,
       {{"first token, p99", first, p99, 208.40_ms},
        {"each token, p99", each, p99, 9.14_ms},
        {"whole request, p90", whole, p90, 1200.73_ms},
        {"whole request, p99", whole, p99, 1350.29_ms}}},
      {"MiMo",
       mimo,
       "v6e-4",
       8,
       100,
       four,
       {{"first token, p99", first, p99, 1216.67_ms},
        {"each token, p99", each, p99, 8.36_ms},
        {"whole request, p90", whole, p90, 2205.63_ms},
        {"whole request, p99", whole, p99, 2264.84_ms}}},
  };
  std::size_t all = 0;
  std::string missed;
  for (const run& one : runs) {
    simulate_request asked;
    asked.slice = one.slice, asked.job = one.job, asked.requests = one.requests;
    asked.job.concurrency = one.clients;
    model_config config;
    config.model = one.model;
    const simulate_answer answer = answer_to_simulate(config, asked, price_book{});
    REQUIRE(answer.latency_low.has_value());
    REQUIRE(answer.latency_high.has_value());
    for (const percentile& of : one.percentiles) {
      const seconds low = (*answer.latency_low).*of.times.*of.share, high = (*answer.latency_high).*of.times.*of.share;
      const double outside = of.published < low ? of.published / low : of.published > high ? of.published / high : 1;
      CAPTURE(one.name, of.what, low.value(), of.published.value(), high.value());
      ++all;
      if (math::abs(outside - 1) < 1e-12) continue;
      missed += one.name + (" " + std::string(of.what)) + "; ";
      // 1.5 % below the low end, and 2.22 times the high one.
      CHECK(close(outside, outside < 1 ? 0.985 : 2.22, 0.02));
    }
  }
  CHECK(all == 12);
  CHECK(missed == "128 of Llama each token, p99; Qwen first token, p99; ");
}

}  // namespace oracle_bursts_tests
