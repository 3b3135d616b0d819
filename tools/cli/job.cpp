#include "cli/job.hpp"

#include <fmt/format.h>

#include "cli/option.hpp"

namespace cli {

using namespace tpuplan;

void add_job_options(CLI::App& command, job_options& into) {
  training_job& job = into.job;
  add_config_option(command, into.config);
  add(command, "--batch", job.global_batch, "global batch in sequences");
  add(command, "--batch-tokens", into.batch_tokens, "global batch in tokens: 4M");
  add(command, "--seq", job.sequence_length, "sequence length in tokens");
  add(command, "--dtype", job.compute, "arithmetic: bf16, int8, fp8");
  add(command, "--weights", job.weights, "master weights");
  add(command, "--moments", job.moments, "optimizer state");
  add(command, "--optimizer", job.optimizer, "adamw, adafactor, lion, sgd_momentum");
  add(command, "--remat", into.remat, policy_names());
  add(command, "--attention", job.attention, "flash, unfused: scores in HBM");
  command.add_option("--accumulation", job.gradient_accumulation, "microbatches in a step")->capture_default_str();
  command.add_option("--vocabulary-tiles", job.vocabulary_tiles, "pieces in which logits are made")
      ->capture_default_str();
  command.add_option("--lora", job.lora_rank, "rank of adapters on a frozen base");
  command.add_flag_callback(
      "--offload-optimizer", [&job] { job.state_on_host = host_state::optimizer; },
      "keep optimizer state in host memory");
  command.add_option("--capacity-factor", job.capacity_factor, "of experts")->capture_default_str();
}

void add_mesh_options(CLI::App& command, mesh_options& into) {
  layout& mesh = into.mesh;
  command.add_option("--slice", into.slice_name, "v5p-128, v5e-16, v6e-8x16 …")->required();
  command.add_option("--slices", mesh.dcn_data, "slices, data parallel over DCN")->capture_default_str();
  command.add_option("--data", mesh.data)->capture_default_str();
  command.add_option("--fsdp", mesh.fsdp, "what the others leave of the slice, if not given");
  command.add_option("--tensor", mesh.tensor)->capture_default_str();
  command.add_option("--expert", mesh.expert)->capture_default_str();
  command.add_option("--pipeline", mesh.pipeline)->capture_default_str();
}

layout make_layout(const mesh_options& given, const slice& where) {
  layout mesh = given.mesh;
  positive_count("--slices", mesh.dcn_data);
  const std::int64_t others = checked_multiply(
      positive_count("--data", mesh.data), positive_count("--tensor", mesh.tensor),
      checked_multiply(positive_count("--expert", mesh.expert), positive_count("--pipeline", mesh.pipeline)));
  if (mesh.fsdp == 0) mesh.fsdp = std::max<std::int64_t>(1, devices(where) / others);
  validate(mesh, where);
  return mesh;
}

std::int64_t usual_sequence(const transformer& model) {
  return model.max_positions > 0 && model.max_positions < 4096 ? model.max_positions : 4096;
}

training_job make_job(const job_options& given, const transformer& model, assumed_values& assumed) {
  training_job job = given.job;
  if (job.sequence_length == 0) {
    job.sequence_length = usual_sequence(model);
    assumed.emplace_back("sequence length", fmt::format("{}", job.sequence_length));
  }
  job.remat = given.remat.value_or(remat::full);
  if (!given.remat) assumed.emplace_back("remat policy", "full");
  if (model.kind == architecture::encoder) job.logits_fraction = 0.15;
  if (job.lora_rank != 0) {
    job.lora = {true, true, true, true, true, true, true};
    assumed.emplace_back("LoRA", "on every linear layer");
  }
  if (job.global_batch != 0 && given.batch_tokens != 0)
    refuse("--batch-tokens", std::to_string(given.batch_tokens), "either --batch or --batch-tokens");
  return job;
}

void fill_batch(std::int64_t batch_tokens, const layout& mesh, training_job& job, assumed_values& assumed) {
  if (job.global_batch != 0) return;
  if (batch_tokens != 0) {
    job.global_batch = batch_tokens / job.sequence_length;
    if (job.global_batch == 0) refuse("--batch-tokens", std::to_string(batch_tokens), "at least one sequence");
    return;
  }
  job.global_batch = checked_multiply(batch_shards(mesh), positive_count("--accumulation", job.gradient_accumulation));
  assumed.emplace_back("global batch", fmt::format("{} sequences, one for each shard of the batch", job.global_batch));
}

}  // namespace cli
