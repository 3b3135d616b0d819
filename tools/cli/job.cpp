#include "cli/job.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tpuplan/estimate/training/step_time.hpp>

#include "cli/option.hpp"

namespace cli {

using namespace tpuplan;

void add_job_options(command& to, job_options& into, bool config_required) {
  training_job& job = into.job;
  add_config_option(to, into.config, config_required);
  to.add("--batch", job.global_batch, {1, 1e12}, "global batch in sequences").excludes({"--batch-tokens"});
  to.add("--batch-tokens", into.batch_tokens, {1, 1e15},
         "global batch in tokens, 4M or 4Mi: the sequences nearest to it that divide well");
  to.add("--batch-per-core", into.per_core, {1, 1e9}, "examples on each core (JAX device): times the replicas in sync")
      .excludes({"--batch", "--batch-tokens"});
  to.add("--seq", job.sequence_length, {1, 1e9}, "sequence length in tokens");
  to.add("--images", job.images_per_sequence, {1, 1 << 20}, "images in each sequence, of a model with a vision tower");
  to.add("--image-size", into.image_size, {1, 65536}, "side of the images in pixels, of a model with a vision tower");
  to.add_read("--freeze", "vision: the tower is not trained, only its projector and the text",
              [&job](const std::string& given) {
                if (given != "vision") refuse("--freeze", given, "vision", errc::unknown_name);
                job.freeze_vision = true;
              })
      .needs({"--images"});
  to.add("--dtype", job.compute, "arithmetic: bf16, fp32, int8, fp8");
  to.add("--weights", job.weights, "master weights");
  to.add("--moments", job.moments, "optimizer state");
  to.add("--optimizer", job.optimizer, "adamw, adafactor, lion, sgd_momentum, lars, lamb, sgd");
  to.add("--remat", into.remat, policy_names());
  to.add("--attention", job.attention, "flash, unfused: scores in HBM");
  to.add("--software", job.software, "state of tuning: tuned (recipes of MaxText, MLPerf), general, first_port")
      .usually("tuned");
  to.add("--vocabulary-tiles", job.vocabulary_tiles, {1, 1 << 20}, "pieces in which logits are made").usually("1");
  to.add("--lora", job.lora_rank, {1, 1 << 20}, "rank of adapters on a frozen base");
  to.flag("--offload-optimizer", "keep optimizer state in host memory",
          [&job] { job.state_on_host = host_state::optimizer; });
  to.add("--capacity-factor", into.capacity, {1, 1e6}, "of experts");
}

void add_accumulation_option(command& to, job_options& into) {
  to.add("--accumulation", into.job.gradient_accumulation, {1, 1 << 20}, "microbatches in a step").usually("1");
}

void add_mesh_options(command& to, mesh_options& into) {
  layout& mesh = into.mesh;
  constexpr limits degrees{1, 1 << 20};
  to.add("--slice", into.slice_name, "v5p-128, v5e-16, v6e-8x16 …");
  to.add("--slices", into.slices, {1, 1024}, "slices, data parallel over DCN").usually("1");
  to.add("--data", mesh.data, degrees, "replicas in a slice").usually("1");
  to.add("--fsdp", mesh.fsdp, degrees, "shards of the weights; what the others leave of the slice, if not given");
  to.add("--tensor", mesh.tensor, degrees, "shards of each product").usually("1");
  to.add("--expert", mesh.expert, degrees, "shards of the experts").usually("1");
  to.add("--context", mesh.context, degrees, "shards of each sequence").usually("1");
  to.add("--pipeline", mesh.pipeline, degrees, "stages in a slice").usually("1");
}

layout make_layout(const mesh_options& given, const slice& where) {
  layout mesh = given.mesh;
  mesh.dcn_data = given.slices.value_or(1);
  const std::int64_t others = checked_multiply(
      mesh.data, mesh.tensor, checked_multiply(mesh.expert, checked_multiply(mesh.context, mesh.pipeline)));
  if (mesh.fsdp == 0) mesh.fsdp = std::max<std::int64_t>(1, devices(where) / others);
  validate(mesh, where);
  return mesh;
}

std::int64_t usual_sequence(const transformer& model) {
  return model.max_positions > 0 && model.max_positions < 4096 ? model.max_positions : 4096;
}

namespace {

/// What the estimate of a step takes for granted of the job.
void add_remarks(const transformer& model, const training_job& job, assumed_values& assumed) {
  if (job.images_per_sequence > 0 && !has_vision(model))
    refuse("--images", std::to_string(job.images_per_sequence), "a model with a vision tower", errc::unsupported);
  if (job.freeze_vision && job.lora_rank > 0)
    refuse("--freeze", "vision with --lora", "either: adapters leave the whole base frozen");
  const step_remarks remarks = remarks_on(model, job);
  if (remarks.text_alone)
    assumed.emplace_back("images", "none: text alone, the vision tower does not run; see --images");
  if (remarks.beyond_positions)
    assumed.emplace_back("positions", fmt::format("the model is made for {} tokens, fewer than a sequence has",
                                                  grouped(model.max_positions)));
  if (remarks.products_in_bf16)
    assumed.emplace_back("products", "of fp32 are rounded to bf16, as XLA does by default: their rate is that of bf16");
}

}  // namespace

training_job make_job(const job_options& given, const transformer& model, assumed_values& assumed) {
  training_job job = given.job;
  if (job.sequence_length == 0) {
    job.sequence_length = usual_sequence(model);
    assumed.emplace_back("sequence length", fmt::format("{}", job.sequence_length));
  }
  job.remat = given.remat.value_or(remat::full);
  if (!given.remat) assumed.emplace_back("remat policy", "full");
  if (given.capacity && !has_experts(model))
    refuse("--capacity-factor", fmt::format("{:g}", *given.capacity), "a model with experts", errc::unsupported);
  if (given.capacity) job.capacity_factor = *given.capacity;
  if (model.kind == architecture::encoder) {
    job.logits_fraction = 0.15;
    assumed.emplace_back("logits", "of the 15 % of the tokens that are masked");
  }
  add_remarks(model, job, assumed);
  if (job.lora_rank != 0) {
    job.lora = {true, true, true, true, true, true, true};
    assumed.emplace_back("LoRA", "on every linear layer");
  }
  return job;
}

std::int64_t round_batch(double sequences, std::int64_t unit) {
  const double wanted = sequences / static_cast<double>(unit);
  if (wanted < 1) return unit;
  const double slack = wanted / 16;
  auto step = static_cast<std::int64_t>(1) << 52;
  for (; step > 1; step /= 2) {
    const double size = static_cast<double>(step);
    if (std::abs(std::round(wanted / size) * size - wanted) <= slack && std::round(wanted / size) >= 1) break;
  }
  const double size = static_cast<double>(step);
  return checked_multiply(static_cast<std::int64_t>(std::round(wanted / size) * size), unit);
}

void fill_batch(std::int64_t batch_tokens, std::int64_t unit, training_job& job, assumed_values& assumed) {
  if (job.global_batch != 0) return;
  if (batch_tokens == 0) {
    job.global_batch = unit;
    assumed.emplace_back("global batch",
                         fmt::format("{} sequences, one for each shard of the batch", job.global_batch));
    return;
  }
  const std::int64_t length = job.sequence_length;
  if (batch_tokens < length) refuse("--batch-tokens", std::to_string(batch_tokens), "at least one sequence");
  const std::int64_t whole = batch_tokens / length;
  if (batch_tokens % length == 0 && whole % unit == 0) {
    job.global_batch = whole;
    return;
  }
  job.global_batch = round_batch(static_cast<double>(batch_tokens) / static_cast<double>(length), unit);
  const std::string taken =
      fmt::format("{} sequences, {} tokens", job.global_batch, grouped(checked_multiply(job.global_batch, length)));
  const std::string asked = grouped(batch_tokens);
  assumed.emplace_back("global batch", whole < unit ? taken + ": the fewest that divide, more than " + asked
                                                    : taken + ": near " + asked + ", and divides well");
}

}  // namespace cli
