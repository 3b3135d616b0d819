// Throughput with drafts by the simulation of a closed loop, beside that of serve and the published speedups: DSpark on
// Qwen3 8B, eight devices of tpu7x, 5.03, 3.98, 3.41 and 3.18 times as fast with 1, 8, 32 and 128 in flight
// (sgl-project/sglang-jax#1632, random data). Neither draft nor acceptance is published: as in the test of serve
// (tests/unit/estimate/serving/speculation.cpp) 7 tokens of a round and drafts of 0.4 steps are assumed, which make one
// in flight 5.0 times as fast.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace oracle_speculation_tests {

namespace {

double tokens_a_second(const transformer& model, const serving_job& job, std::int64_t clients) {
  const auto requests = static_cast<std::size_t>(std::max<std::int64_t>(400, 10 * clients));
  const simulation_run run =
      simulate_fleet(model, job, {{8}, slice_for("tpu7x-8")}, closed_loop{clients, {}, 2 * clients},
                     std::vector<simulated_request>(requests, simulated_request{{}, 256, 1024, 0}));
  return report_of(run).output_tokens.value();
}

}  // namespace

TEST_CASE("throughput against concurrency with drafts, beside published speedups and beside serve", "[published]") {
  transformer model;
  model.layers = 36, model.d_model = 4096, model.vocab = 151936, model.mlp.d_ff = 12288;
  model.attention.heads = 32, model.attention.kv_heads = 8, model.attention.head_dim = 128;
  model.attention.qk_norm = true;
  struct published {
    std::int64_t clients;
    double speedup, error;  // of the simulation with 16 draft tokens
  };
  for (const published& one :
       {published{1, 5.03, 0}, published{8, 3.98, 0.11}, published{32, 3.41, 0.09}, published{128, 3.18, -0.16}}) {
    serving_job job;
    job.prompt = fixed_length(256), job.output = fixed_length(1024);
    job.engine = serving_engine::sglang_jax, job.prefill_chunk = 4096, job.block_tokens = 128;
    const double without = tokens_a_second(model, job, one.clients);
    job.concurrency = one.clients;
    const double plain = serve(model, job, {8}, slice_for("tpu7x-8")).output_tokens.value();
    job.speculation = {16, 0, 7, 0.4};
    const double served = serve(model, job, {8}, slice_for("tpu7x-8")).output_tokens.value() / plain;
    job.concurrency = 0;
    const double speedup = tokens_a_second(model, job, one.clients) / without;
    CAPTURE(one.clients, speedup, speedup / one.speedup - 1, served);
    CHECK(std::abs(speedup / one.speedup - 1 - one.error) < 0.06);
    CHECK(std::abs(speedup / served - 1) < 0.04);
  }
}

}  // namespace oracle_speculation_tests
