// Memory and step time of many kinds of jobs, figure by figure, against tests/golden/training.txt. Whether they are
// true is what the oracles ask; here no figure changes unnoticed.

#include <array>
#include <cstddef>
#include <string>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/fields.hpp"
#include "support/golden.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace {

using job_change = void (*)(training_job&);

// Each changes one thing, or what belongs together.
constexpr job_change jobs[] = {
    [](training_job&) {},
    [](training_job& j) { j.remat = remat::minimal; },
    [](training_job& j) { j.compute = dtype::int8, j.remat = remat::save_qkv_proj; },
    [](training_job& j) { j.compute = dtype::fp8, j.gradient_accumulation = 2; },
    [](training_job& j) { j.attention = attention_kernel::unfused; },
    [](training_job& j) { j.attention = attention_kernel::unfused, j.remat = remat::none; },
    [](training_job& j) { j.lora_rank = 16, j.lora = {true, true, true, true, true, true, true}; },
    [](training_job& j) { j.lora_rank = 1, j.lora.q = true; },
    [](training_job& j) { j.state_on_host = host_state::optimizer, j.remat = remat::minimal_offloaded; },
    [](training_job& j) { j.state_on_host = host_state::parameters_and_optimizer; },
    [](training_job& j) { j.weights = j.moments = dtype::bf16, j.optimizer = optimizer_kind::lion; },
    [](training_job& j) { j.optimizer = optimizer_kind::adafactor, j.vocabulary_tiles = 4; },
    [](training_job& j) { j.compute = dtype::fp32, j.software = software_level::general; },
    [](training_job& j) { j.remat = remat::save_context, j.synchronous_collectives = true; },
    [](training_job& j) { j.pipeline_microbatches = 16, j.pipeline_rounds = 2, j.capacity_factor = 1.25; },
    [](training_job& j) { j.work_multiplier = 1.5, j.logits_fraction = 0.25, j.gradient_accumulation = 4; },
    [](training_job& j) { j.images_per_sequence = 2, j.remat = remat::qkv_proj_offloaded; },
};

// Degrees beside fsdp, which takes the rest: data, tensor, expert, context, pipeline, and over DCN data, fsdp,
// pipeline.
constexpr std::array<std::int64_t, 8> meshes[] = {
    {1, 1, 1, 1, 1, 1, 1, 1}, {1, 4, 1, 1, 1, 1, 1, 1}, {2, 2, 1, 1, 1, 1, 1, 1}, {1, 1, 8, 1, 1, 1, 1, 1},
    {1, 1, 1, 4, 1, 2, 1, 1}, {1, 2, 1, 1, 4, 1, 1, 1}, {1, 1, 2, 1, 1, 4, 1, 1}, {1, 2, 1, 1, 1, 1, 2, 1},
    {2, 1, 1, 2, 1, 1, 1, 2}, {0, 1, 1, 1, 1, 1, 1, 1}, {1, 0, 1, 1, 1, 1, 1, 1}};

layout mesh_of(const std::array<std::int64_t, 8>& degrees, const slice& s) {
  layout l;
  l.data = degrees[0], l.tensor = degrees[1], l.expert = degrees[2], l.context = degrees[3], l.pipeline = degrees[4];
  l.dcn_data = degrees[5], l.dcn_fsdp = degrees[6], l.dcn_pipeline = degrees[7];
  if (l.data == 0) return l.data = devices(s), l;      // data alone
  if (l.tensor == 0) return l.tensor = devices(s), l;  // tensor alone
  l.fsdp = devices(s) / (l.data * l.tensor * l.expert * l.context * l.pipeline);
  return l;
}

}  // namespace

TEST_CASE("memory and step time of many jobs, figure by figure") {
  std::vector<transformer> models = {llama_3_8b()};
  for (const char* file : {"mixtral-8x7b", "deepseek-v2-lite", "gemma-3-27b", "gpt2", "bert-base-uncased",
                           "gpt-oss-20b", "qwen3-235b-a22b"})
    models.push_back(load_hf_config(std::string(TPUPLAN_DATA_DIR) + "/models/" + file + ".json").model);
  const char* const slices_asked[] = {"v5p-128", "v5litepod-16", "v3-32", "v6e-256", "tpu7x-128", "v2-8", "v4-1024"};
  std::string lines;
  for (std::size_t i = 0; i < 136; ++i) {
    const transformer& m = models[i % models.size()];
    const slice s = slice_for(slices_asked[i % std::size(slices_asked)]);
    training_job job = job_of(1024, i % 3 == 0 ? 512 : 2048);
    if (m.kind == architecture::encoder) job.logits_fraction = 0.15;
    jobs[i % std::size(jobs)](job);
    layout l = mesh_of(meshes[i % std::size(meshes)], s);
    if (i % 13 == 0 && s.chip.jax_devices == 2) l.unit = mesh_unit::chips, l.fsdp = l.fsdp / 2;
    const std::string what = std::to_string(i) + " " + std::string(m.name.view()) + " " + std::string(name(s).view());
    add_answer(lines, what + ": memory", [&] { return memory_use(m, job, l, s); });
    add_answer(lines, what + ": step", [&] { return step_time(m, job, l, s); });
  }
  CHECK(golden_problem("training.txt", lines) == "");
}
