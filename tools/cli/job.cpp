#include "cli/job.hpp"

#include <fmt/format.h>

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
  to.add("--weights", into.weights, "master weights; with --lora the frozen base, whose adapters are in fp32")
      .usually("fp32; with --lora as stored");
  to.add("--moments", job.moments, "optimizer state");
  to.add("--optimizer", job.optimizer, std::string(names_of<optimizer_kind>()));
  to.add("--remat", into.remat, policy_names());
  to.add("--attention", job.attention,
         fmt::format("{}; unfused has scores in HBM, tuned is a kernel of 2026 with tuned blocks",
                     names_of<attention_kernel>().view()));
  to.add("--software", job.software,
         fmt::format("software: {}; tuned are recipes of MaxText and MLPerf", names_of<software_level>().view()))
      .usually("tuned");
  to.add("--vocabulary-tiles", job.vocabulary_tiles, {1, 1 << 20}, "pieces in which logits are made").usually("1");
  to.add("--lora", job.lora_rank, {1, 1 << 20}, "rank of adapters on a frozen base");
  to.flag("--offload-optimizer", "keep optimizer state in host memory",
          [&job] { job.state_on_host = host_state::optimizer; });
  to.add("--capacity-factor", into.capacity, {1, 1e6}, "of experts");
}

asked_job with_weights(const job_options& given) {
  asked_job job = given;
  if (!given.weights) return job;
  if (job.job.lora_rank > 0) {
    job.base = given.weights;
  } else {
    job.job.weights = *given.weights;
  }
  return job;
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

layout layout_of(const mesh_options& given) {
  layout mesh = given.mesh;
  mesh.dcn_data = given.slices.value_or(1);
  return mesh;
}

}  // namespace cli
