// The one published run with prefill and decode apart on TPUs: Qwen3.5 397B in fp8 on 4 + 4 chips of v7x, a request a
// second of 1,024 tokens in and out (llm-d/llm-d, guides/pd-disaggregation/README.tpu.md). It made 536 tokens/s where
// 1,024 a second were asked for, so that its queue grew: the errors are shown, and no constant is fitted to it.
#include <string>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/simulate/split.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace oracle_split_pools_tests {

TEST_CASE("prefill and decode apart beside a published run", "[published]") {
  const model_config config =
      read_hf_config(load_json(std::string(TPUPLAN_DATA_DIR) + "/models/qwen3.5-397b-a17b.json"));
  serving_job job;
  job.prompt = job.output = fixed_length(1024);
  job.weights = job.activations = dtype::fp8;
  job.engine = serving_engine::vllm;
  job.request_rate = per_second{1};
  job = as_engine_runs(job, config.model);
  const slice four_chips = slice_for("tpu7x-8");
  const split_pools pools{1, 1, published_transfer(four_chips.chip)->rate};
  const std::vector<simulated_request> requests = requests_of(traffic_of(job, 1000));
  const split_run apart = simulate_split(config.model, job, {{8}, four_chips, 2}, pools, requests);
  const simulation_report report = report_of(apart.run);
  const double first = report.first_token.value.mean.value(), p99 = report.first_token.value.p99.value(),
               each = report.per_token.value.mean.value(), tokens = report.output_tokens.value();
  CAPTURE(first, p99, each, tokens, apart.transfer.value());
  // Published 2.75 s in the mean, 5.70 s of 99 in 100, 37.1 ms a token: a twentieth, a thirtieth and half of these are
  // predicted, and the rate that was asked for, 1.91 times what was made.
  CHECK(close(first / 2.75, 0.05, 0.15));
  CHECK(close(p99 / 5.70, 0.033, 0.15));
  CHECK(close(each / 37.1e-3, 0.5, 0.1));
  CHECK(close(tokens / 536, 1.91, 0.02));
  // The published time of a token lies within the band of the second pool.
  const token_time token = serve(config.model, job, {8}, four_chips).per_token;
  CAPTURE(token.low.value(), token.total.value(), token.high.value());
  CHECK(token.low.value() < 37.1e-3);
  CHECK(token.high.value() > 37.1e-3);
  // At the high end of the band the queue grows too, and the published p99 is above the low end.
  simulate_request asked;
  asked.slice = "tpu7x-8", asked.mesh.tensor = 8, asked.requests = 500, asked.split = {1, 1, {}};
  asked.job = job;
  const simulate_answer answer = answer_to_simulate(config, asked, price_book{});
  REQUIRE(answer.latency_low.has_value());
  CHECK(close(answer.latency_low->first_token.p99.value(), 0.14, 0.1));
  CHECK_FALSE(answer.latency_high.has_value());
}

}  // namespace oracle_split_pools_tests
