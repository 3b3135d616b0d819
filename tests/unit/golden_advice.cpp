// Findings on many jobs and engines against tests/golden/advice.txt: what is advised, to what, and what it gains.
// Whether that is true is what tests/unit/advice.cpp and serving_advice.cpp ask; here no advice changes unnoticed.

#include <cstddef>
#include <string>
#include <tpuplan/estimate/serving/advice.hpp>
#include <tpuplan/estimate/training/advice.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/io/text/one_line.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace {

std::vector<transformer> models_asked() {
  std::vector<transformer> models = {llama_3_8b()};
  for (const char* file : {"mixtral-8x7b", "deepseek-v2-lite", "gemma-3-27b", "gpt2", "gpt-oss-20b", "llama-2-7b"})
    models.push_back(load_hf_config(std::string(TPUPLAN_DATA_DIR) + "/models/" + file + ".json").model);
  models.push_back(llama_3_8b());
  models.back().name = "odd";
  models.back().vocab = 128001;
  models.back().mlp.d_ff = 14000;
  models.back().attention.head_dim = 96;
  models.back().attention.heads = models.back().attention.kv_heads = 36;
  models.push_back(llama_3_8b());
  models.back().name = "28 heads";
  models.back().attention.heads = 28;
  models.back().attention.kv_heads = 4;
  models.push_back(llama_3_8b());
  models.back().name = "words";
  models.back().layers = 1;
  models.back().d_model = 2048;
  models.back().mlp.d_ff = 8192;
  models.back().vocab = 7 * 2048 + 1;
  return models;
}

std::string lines_of(const std::string& what, const findings& all) {
  std::string lines;
  for (const finding& f : all) {
    const std::string start = what + ": " + std::string(name(f.kind)) + " ";
    lines += start + std::string(f.subject.view()) + ", " + std::string(f.now.view()) + ", " +
             std::string(f.better.view()) + "\n";
    lines += start + "then " + one_line(f.then.where) + ", " + one_line(f.then.mesh) + ", " + one_line(f.then.job) +
             ", KV heads " + std::to_string(f.then.model.attention.kv_heads) + "\n";
    lines += start + "now " + golden_number(f.step_time_now.value()) + "\n";
    lines += start + "takes " + golden_number(f.step_time_then.value()) + "\n";
    lines += start + "work " + golden_number(f.work) + "\n";
    lines += start + "gain " + golden_number(f.gain) + "\n";
  }
  return lines.empty() ? what + ": nothing\n" : lines;
}

std::string lines_of(const std::string& what, const serving_findings& all) {
  std::string lines;
  for (const serving_finding& f : all) {
    const std::string start = what + ": " + std::string(name(f.kind)) + " ";
    lines += start + std::string(f.subject.view()) + ", " + std::string(f.now.view()) + ", " +
             std::string(f.better.view()) + "\n";
    lines += start + "then " + one_line(f.mesh_then) + ", " + one_line(f.job_then) + "\n";
    lines += start + "rate " + golden_number(f.rate_now.value()) + "\n";
    lines += start + "rate then " + golden_number(f.rate_then.value()) + "\n";
    lines += start + "token " + golden_number(f.per_token_now.value()) + "\n";
    lines += start + "token then " + golden_number(f.per_token_then.value()) + "\n";
    lines += start + "gain " + golden_number(f.gain) + "\n";
  }
  return lines.empty() ? what + ": nothing\n" : lines;
}

template <class Ask>
void add(std::string& lines, const std::string& what, const Ask& ask) {
  try {
    lines += lines_of(what, ask());
  } catch (const error& refusal) {
    lines += what + ": " + refusal.what() + "\n";
  }
}

using job_change = void (*)(training_job&, layout&, const slice&);
constexpr job_change jobs[] = {
    [](training_job&, layout&, const slice&) {},
    [](training_job& j, layout&, const slice&) { j.remat = remat::minimal; },
    [](training_job& j, layout&, const slice&) { j.global_batch *= 8, j.gradient_accumulation = 8; },
    [](training_job&, layout& l, const slice& s) { l.tensor = 4, l.fsdp = devices(s) / 4; },
    [](training_job& j, layout& l, const slice&) { l.dcn_data = 4, j.global_batch *= 4; },
    [](training_job& j, layout&, const slice&) { j.global_batch *= 16, j.remat = remat::save_qkv_proj; },
    [](training_job&, layout& l, const slice& s) { l.data = 2, l.fsdp = devices(s) / 2; },
    [](training_job& j, layout& l, const slice&) { l.dcn_data = 2, j.global_batch *= 2; },
    [](training_job& j, layout&, const slice&) { j.compute = dtype::int8, j.vocabulary_tiles = 2; },
    [](training_job& j, layout& l, const slice& s) { l.tensor = 4, l.fsdp = devices(s) / 4, j.sequence_length = 128; },
    [](training_job&, layout& l, const slice& s) { l.tensor = 8, l.fsdp = devices(s) / 8; },
};

using serving_change = void (*)(serving_job&);
constexpr serving_change servings[] = {
    [](serving_job&) {},
    [](serving_job& j) { j.concurrency = 8; },
    [](serving_job& j) { j.concurrency = 200, j.cache = dtype::fp8; },
    [](serving_job& j) { j.request_rate = per_second{0.5}; },
    [](serving_job& j) { j.weights = dtype::int8, j.tpot_target = 60_ms; },
    [](serving_job& j) { j.weights = j.cache = dtype::int8, j.concurrency = 1; },
};

}  // namespace

TEST_CASE("advice on many jobs and engines, figure by figure") {
  const std::vector<transformer> models = models_asked();
  const char* const slices_asked[] = {"v5p-128", "v5litepod-64", "v6e-256", "v6e-64", "tpu7x-128", "v4-512", "v3-32"};
  std::string lines;
  for (std::size_t i = 0; i < 140; ++i) {
    const transformer& m = models[i % models.size()];
    const slice s = slice_for(slices_asked[i % std::size(slices_asked)]);
    training_job job = job_of(devices(s), m.max_positions == 1024 ? 1024 : 2048);
    layout l = fsdp_layout(s);
    jobs[(i + i / 10) % std::size(jobs)](job, l, s);
    const std::string what = std::to_string(i) + " " + std::string(m.name.view()) + " " + std::string(name(s).view());
    add(lines, what, [&] { return training_advice(m, job, l, s); });
  }
  const char* const serving_slices[] = {"v6e-8", "v5p-16", "v5litepod-16", "tpu7x-16", "v6e-4"};
  for (std::size_t i = 0; i < 60; ++i) {
    const transformer& m = models[i % models.size()];
    const slice s = slice_for(serving_slices[i % std::size(serving_slices)]);
    serving_job job;
    job.prompt = fixed_length(500 + static_cast<std::int64_t>(i));
    job.output = fixed_length(130);
    servings[(i + i / 6) % std::size(servings)](job);
    serving_layout l;
    if (i % 3 == 1) l.tensor = 2;
    if (i % 3 == 2) l.cache = cache_sharding::batch;
    const std::string what =
        std::to_string(i) + " serving " + std::string(m.name.view()) + " " + std::string(name(s).view());
    add(lines, what, [&] { return serving_advice(m, job, l, s); });
  }
  CHECK(golden_problem("advice.txt", lines) == "");
}
