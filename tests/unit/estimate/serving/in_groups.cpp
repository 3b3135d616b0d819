// Clients whose requests are all as long stay in groups: the closed form beside simulated runs.
#include <cstdint>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/in_groups.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/closed_loop.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace serving_in_groups_tests {

namespace {

serving_job benchmark(std::int64_t prompt, std::int64_t output, std::int64_t clients) {
  serving_job job;
  job.engine = serving_engine::vllm;
  job.policy = cache_policy::paged;
  job.block_tokens = 16;
  job.prefill_chunk = 2048;
  job.prompt = fixed_length(prompt);
  job.output = fixed_length(output);
  job.concurrency = clients;
  return job;
}

/// The same simulated for many cycles, of which the later half counts.
simulation_report simulated(const serving_job& job, const slice& where) {
  const auto clients = static_cast<std::size_t>(job.concurrency);
  const std::size_t count = 60 * clients < 400 ? 400 : 60 * clients;
  const std::vector<simulated_request> requests(
      count, {{}, static_cast<std::int64_t>(job.prompt.mean), static_cast<std::int64_t>(job.output.mean), 0});
  const closed_loop loop{job.concurrency, {}, static_cast<std::int64_t>(count / 2)};
  return report_of(simulate_fleet(llama_3_8b(), job, serving_fleet{{}, where}, loop, requests));
}

}  // namespace

TEST_CASE("clients with requests that are all as long meet what is simulated", "[serving]") {
  struct lengths {
    std::int64_t prompt, output, clients;
  };
  const slice where = slice_for("v6e-8");
  for (const lengths& one :
       {lengths{64, 16, 2}, {64, 16, 16},    {64, 16, 128},   {128, 128, 4},   {128, 128, 64},  {128, 128, 256},
        {512, 8, 4},        {512, 8, 16},    {512, 64, 16},   {512, 64, 64},   {1024, 32, 4},   {1024, 128, 2},
        {1024, 128, 16},    {1800, 128, 16}, {1800, 128, 64}, {2048, 256, 2},  {2048, 256, 16}, {2048, 256, 64},
        {4096, 64, 4},      {4096, 64, 16},  {4096, 512, 2},  {4096, 512, 64}, {6000, 512, 16}}) {
    CAPTURE(one.prompt, one.output, one.clients);
    const serving_job job = benchmark(one.prompt, one.output, one.clients);
    const serving_estimate closed = serve(llama_3_8b(), job, {}, where);
    const simulation_report run = simulated(job, where);
    const double first = one.clients == 2 ? 0.06 : 0.03;  // the second of two prompts may not wait for the first
    CHECK(closed.first_token / run.first_token.value.mean == Approx(1).margin(first));
    CHECK(closed.per_token.total / run.per_token.value.mean == Approx(1).margin(0.01));
    CHECK(closed.output_tokens / run.output_tokens == Approx(1).margin(0.01));
    CHECK(closed.requests <= closed.capacity);
    CHECK(close(closed.requests * (closed.first_token + (job.output.mean - 1) * closed.per_token.total),
                static_cast<double>(one.clients), 1e-9));
  }
}

TEST_CASE("clients are in groups where nothing parts them, and as at random elsewhere", "[serving]") {
  const slice where = slice_for("v6e-8");
  const auto first = [&](const serving_job& job) { return serve(llama_3_8b(), job, {}, where).first_token; };
  const serving_job job = benchmark(128, 128, 8);
  serving_job varied = job;
  varied.output = {128, 1.3 * 128 * 128, 256};
  // All eight prompts are computed in one step, for which nothing waits.
  CHECK(first(job) < 0.9 * first(varied));
  // Of one client nothing changes, whatever its answers are like.
  serving_job alone = job, alone_varied = varied;
  alone.concurrency = alone_varied.concurrency = 1;
  CHECK(close(first(alone).value(), first(alone_varied).value(), 1e-9));
  // Where steps have no room for all prompts of a cycle, some wait all the time.
  const serving_job crowded = benchmark(4096, 64, 128);
  CHECK(serve(llama_3_8b(), crowded, {}, where).first_token / simulated(crowded, where).first_token.value.mean ==
        Approx(1).margin(0.05));
}

TEST_CASE("all at once, one prompt of each client and their tokens make a cycle", "[serving]") {
  const serving_job job = benchmark(64, 16, 4);
  const slice where = slice_for("v6e-8");
  const serving_estimate closed = serve(llama_3_8b(), job, {}, where);
  serving_job alone = job;
  const seconds prefill = engine_prefill_time(llama_3_8b(), alone, {}, where);
  CHECK(closed.first_token > prefill);
  CHECK(closed.first_token < 4 * prefill);
  CHECK(closed.per_token.prompts == 0_s);  // nothing decodes beside them
}

}  // namespace serving_in_groups_tests
