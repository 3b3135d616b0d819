// Decode, prefill, memory and steady states of many kinds of serving, figure by figure, against
// tests/golden/serving.txt. Whether they are true is what the oracles ask; here no figure changes unnoticed.

#include <cstddef>
#include <string>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/fields.hpp"
#include "support/golden.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace {

using serving_change = void (*)(serving_job&);

constexpr serving_change jobs[] = {
    [](serving_job&) {},
    [](serving_job& j) { j.weights = j.activations = dtype::int8; },
    [](serving_job& j) { j.cache = dtype::fp8, j.concurrency = 12; },
    [](serving_job& j) { j.request_rate = per_second{0.3}, j.prefix_hit_rate = 0.4; },
    [](serving_job& j) { j.tpot_target = 40_ms, j.ttft_target = 5_s; },
    [](serving_job& j) { j.policy = cache_policy::reserved, j.block_tokens = 128; },
    [](serving_job& j) { j.prefill_chunk = 256, j.max_running = 24; },
    [](serving_job& j) { j.memory_fraction = 0.75, j.concurrency = 1; },
    [](serving_job& j) { j.weights = dtype::int4, j.prompt = fixed_length(3000); },
    [](serving_job& j) {
      constexpr length_quantile lengths[] = {{0, 10}, {0.5, 100}, {0.9, 800}, {1, 4000}};
      j.prompt = lengths_from(lengths), j.request_rate = per_second{0.05};
    },
};

}  // namespace

TEST_CASE("many kinds of serving, figure by figure") {
  std::vector<transformer> models = {llama_3_8b()};
  for (const char* file : {"mixtral-8x7b", "deepseek-v2-lite", "gemma-3-27b", "gpt2", "gpt-oss-20b", "qwen3-235b-a22b"})
    models.push_back(load_hf_config(std::string(TPUPLAN_DATA_DIR) + "/models/" + file + ".json").model);
  const char* const slices_asked[] = {"v6e-8", "v5p-16", "v5litepod-16", "tpu7x-32",
                                      "v4-8",  "v6e-64", "v3-8",         "v5litepod-1"};
  const serving_layout layouts[] = {{},
                                    {4, weight_sharding::one_dimension, cache_sharding::heads},
                                    {0, weight_sharding::one_dimension, cache_sharding::batch},
                                    {0, weight_sharding::two_dimensions, cache_sharding::batch},
                                    {0, weight_sharding::gathered, cache_sharding::batch}};
  std::string lines;
  for (std::size_t i = 0; i < 63; ++i) {
    const transformer& m = models[i % models.size()];
    const slice s = slice_for(slices_asked[i % std::size(slices_asked)]);
    const serving_layout& l = layouts[i % std::size(layouts)];
    serving_job job;
    job.prompt = fixed_length(512 + static_cast<std::int64_t>(i));
    job.output = fixed_length(128);
    jobs[(i + i / 10) % std::size(jobs)](job);
    const std::string what = std::to_string(i) + " " + std::string(m.name.view()) + " " + std::string(name(s).view());
    add_answer(lines, what + ": serve", [&] { return serve(m, job, l, s); });
    add_answer(lines, what + ": decode", [&] { return decode_step(m, {7.5, 900}, job, l, s); });
    add_answer(lines, what + ": prefill", [&] { return prefill_time(m, {2, 700}, job, l, s); });
    if (i % 4 != 0) continue;
    add_answer(lines, what + ": token", [&] { return time_per_token(m, 16, job, l, s); });
    for (const std::size_t k : {std::size_t{0}, std::size_t{3}, std::size_t{7}}) {
      const auto ask = [&] { return frontier(m, job, l, s).points[k]; };
      add_answer(lines, what + ": frontier " + std::to_string(k), ask);
    }
  }
  CHECK(golden_problem("serving.txt", lines) == "");
}
