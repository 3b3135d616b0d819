// What drafts for an engine that speculates, as its flags, and what is refused.
#include <algorithm>
#include <string>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/launch/drafts.hpp>
#include <tpuplan/launch/serving.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_launch_drafts_tests {

namespace {

serving_launch chat_launch() {
  serving_launch launch;
  launch.request.name = "chat";
  launch.request.where = slice_for("v6e-8");
  launch.request.slices = 3;
  launch.request.image = "vllm/vllm-tpu:nightly-20260330";
  launch.model = "meta-llama/Llama-3.1-70B-Instruct";
  launch.job.prompt = fixed_length(2000);
  launch.job.output = fixed_length(300);
  launch.job.max_running = 64;
  launch.job.prefill_chunk = 2048;
  return launch;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("drafts are written with the engine's flags, and what the engine does not draft with is refused") {
  serving_launch launch = chat_launch();
  const auto refused = [&] { return refusal_of([&] { (void)gke_serving_manifest(launch); }).message; };
  launch.drafts = "mtp";
  CHECK(says(refused(), "drafts is mtp; valid: none: the plan does not speculate"));
  CHECK_FALSE(says(gke_serving_manifest(chat_launch()).dump(), "speculative"));
  launch.drafts.clear();
  launch.job.speculation = {4, 0.8, 0, 0.1};
  CHECK(says(refused(), "drafts is missing; valid: ngram, mtp, eagle3:MODEL, dflash:MODEL, with the name of a model"));
  launch.drafts = "mtp";
  CHECK(has(engine_command(launch), R"(--speculative-config={"method":"mtp","num_speculative_tokens":4})"));
  CHECK(has(engine_command(launch), "--async-scheduling"));
  launch.drafts = "eagle3:org/EAGLE3-Llama";
  CHECK(has(engine_command(launch),
            R"(--speculative-config={"method":"eagle3","model":"org/EAGLE3-Llama","num_speculative_tokens":4})"));
  launch.drafts = "ngram";
  CHECK(has(engine_command(launch), R"(--speculative-config={"method":"ngram","num_speculative_tokens":4,)"
                                    R"("prompt_lookup_max":5,"prompt_lookup_min":3})"));
  CHECK_FALSE(has(engine_command(launch), "--async-scheduling"));
  for (const char* wrong : {"medusa:org/x", "eagle3", "eagle3:", "mtp:org/x", "dflash:a b"}) {
    INFO(wrong);
    launch.drafts = wrong;
    CHECK(says(refused(), "drafts is "));
  }
  launch.engine = serving_engine::sglang_jax;
  launch.drafts = "mtp";
  CHECK(says(refused(), "valid: mtp:MODEL, eagle3:MODEL, dflash:MODEL"));
  launch.drafts = "eagle3:org/EAGLE3-Llama";
  for (const char* word : {"--speculative-algorithm=EAGLE3", "--speculative-draft-model-path=org/EAGLE3-Llama",
                           "--speculative-num-steps=4", "--speculative-eagle-topk=1",
                           "--speculative-num-draft-tokens=5", "--disable-overlap-schedule"})
    CHECK(has(engine_command(launch), word));
  launch.drafts = "mtp:org/heads";
  CHECK(has(engine_command(launch), "--speculative-algorithm=NEXTN"));
  launch.drafts = "dflash:org/diffusion";
  CHECK(has(engine_command(launch), "--speculative-algorithm=DFLASH"));
  CHECK(has(engine_command(launch), "--speculative-num-steps=1"));
  CHECK(has(engine_command(launch), "--speculative-num-draft-tokens=5"));
  CHECK_FALSE(has(engine_command(launch), "--disable-overlap-schedule"));
}

}  // namespace unit_launch_drafts_tests
