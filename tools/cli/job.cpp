#include "cli/job.hpp"

#include <fmt/format.h>

#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/io/json/file.hpp>
#include <tpuplan/io/text/one_line.hpp>

#include "cli/format.hpp"
#include "cli/table.hpp"

namespace cli {

using namespace tpuplan;

namespace {

std::string policy_names() {
  std::string names;
  for (const named_remat_policy& policy : remat_policies)
    names += (names.empty() ? "" : ", ") + std::string(policy.name);
  return names;
}

}  // namespace

model_config load_model(const std::string& path) {
  const nlohmann::json document = load_json(path);
  if (!document.is_object() || !document.contains("schema")) return load_hf_config(path);
  model_config own;
  own.model_type = "transformer";
  own.model = read_json_document<transformer>(document, {}, path);
  validate(own.model);
  return own;
}

void add_job_options(CLI::App& command, job_options& into) {
  command.add_option("config", into.config, config_help)->required();
  command.add_option("--batch", into.batch, "global batch in sequences");
  command.add_option("--batch-tokens", into.batch_tokens, "global batch in tokens: 4M");
  command.add_option("--seq", into.sequence, "sequence length in tokens");
  command.add_option("--dtype", into.compute, "arithmetic: bf16, int8, fp8")->capture_default_str();
  command.add_option("--weights", into.weights, "master weights")->capture_default_str();
  command.add_option("--moments", into.moments, "optimizer state")->capture_default_str();
  command.add_option("--optimizer", into.optimizer, "adamw, adafactor, lion, sgd_momentum")->capture_default_str();
  command.add_option("--remat", into.remat, policy_names());
  command.add_option("--attention", into.attention, "flash, unfused: scores in HBM")->capture_default_str();
  command.add_option("--accumulation", into.accumulation, "microbatches in a step")->capture_default_str();
  command.add_option("--vocabulary-tiles", into.vocabulary_tiles, "pieces in which logits are made")
      ->capture_default_str();
  command.add_option("--lora", into.lora_rank, "rank of adapters on a frozen base");
  command.add_flag("--offload-optimizer", into.offload_optimizer, "keep optimizer state in host memory");
  command.add_option("--capacity-factor", into.capacity_factor, "of experts")->capture_default_str();
}

void add_mesh_options(CLI::App& command, mesh_options& into) {
  command.add_option("--slice", into.slice_name, "v5p-128, v5e-16, v6e-8x16 …")->required();
  command.add_option("--slices", into.slices, "slices, data parallel over DCN")->capture_default_str();
  command.add_option("--data", into.data)->capture_default_str();
  command.add_option("--fsdp", into.fsdp, "what the others leave of the slice, if not given");
  command.add_option("--tensor", into.tensor)->capture_default_str();
  command.add_option("--expert", into.expert)->capture_default_str();
  command.add_option("--pipeline", into.pipeline)->capture_default_str();
}

layout make_layout(const mesh_options& given, const slice& where) {
  detail::positive_count("--slices", given.slices);
  layout mesh;
  mesh.data = given.data;
  mesh.tensor = given.tensor;
  mesh.expert = given.expert;
  mesh.pipeline = given.pipeline;
  mesh.dcn_data = given.slices;
  mesh.fsdp = given.fsdp;
  if (given.fsdp == 0) {
    const std::int64_t others =
        checked_multiply(detail::positive_count("--data", given.data), detail::positive_count("--tensor", given.tensor),
                         checked_multiply(detail::positive_count("--expert", given.expert),
                                          detail::positive_count("--pipeline", given.pipeline)));
    mesh.fsdp = devices(where) / others > 0 ? devices(where) / others : 1;
  }
  validate(mesh, where);
  return mesh;
}

training_job make_job(const job_options& given, const transformer& model, assumed_values& assumed) {
  training_job job;
  if (!given.sequence.empty()) {
    job.sequence_length = parse_count("--seq", given.sequence);
  } else {
    job.sequence_length = model.max_positions > 0 && model.max_positions < 4096 ? model.max_positions : 4096;
    assumed.emplace_back("sequence length", fmt::format("{}", job.sequence_length));
  }
  job.compute = dtype_for(given.compute);
  job.weights = dtype_for(given.weights);
  job.moments = dtype_for(given.moments);
  job.gradient_accumulation = given.accumulation;
  job.vocabulary_tiles = given.vocabulary_tiles;
  job.capacity_factor = given.capacity_factor;
  const maybe<optimizer_kind> optimizer = parse_optimizer(given.optimizer);
  if (!optimizer) {
    detail::fail(errc::unknown_name, "--optimizer", given.optimizer, "adamw, adafactor, lion or sgd_momentum");
  }
  job.optimizer = *optimizer;
  const maybe<attention_kernel> kernel = parse_attention_kernel(given.attention);
  if (!kernel) detail::fail(errc::unknown_name, "--attention", given.attention, "flash or unfused");
  job.attention = *kernel;
  if (!given.remat.empty()) {
    const maybe<remat_policy> policy = parse_remat_policy(given.remat);
    if (!policy) detail::fail(errc::unknown_name, "--remat", given.remat, policy_names());
    job.remat = *policy;
  } else {
    assumed.emplace_back("remat policy", "full");
  }
  if (model.kind == architecture::encoder) job.logits_fraction = 0.15;
  if (given.lora_rank != 0) {
    job.lora_rank = given.lora_rank;
    job.lora = {true, true, true, true, true, true, true};
    assumed.emplace_back("LoRA", "on every linear layer");
  }
  if (given.offload_optimizer) job.state_on_host = host_state::optimizer;
  return job;
}

void fill_batch(const job_options& given, const layout& mesh, training_job& job, assumed_values& assumed) {
  if (!given.batch.empty() && !given.batch_tokens.empty()) {
    detail::fail(errc::invalid_argument, "--batch-tokens", given.batch_tokens, "either --batch or --batch-tokens");
  }
  if (!given.batch.empty()) {
    job.global_batch = parse_count("--batch", given.batch);
  } else if (!given.batch_tokens.empty()) {
    const std::int64_t tokens = parse_count("--batch-tokens", given.batch_tokens);
    job.global_batch = tokens / job.sequence_length;
    if (job.global_batch == 0) detail::fail(errc::invalid_argument, "--batch-tokens", tokens, "at least one sequence");
  } else {
    job.global_batch =
        checked_multiply(batch_shards(mesh), detail::positive_count("--accumulation", job.gradient_accumulation));
    assumed.emplace_back("global batch",
                         fmt::format("{} sequences, one for each shard of the batch", job.global_batch));
  }
}

void check_region(const price_book& book, const std::string& region) {
  std::string known_regions;
  for (std::size_t i = 0; i < book.size(); ++i) {
    const std::string one(book.row(i).region.view());
    if (one == region) return;
    if (known_regions.find(one) == std::string::npos) known_regions += (known_regions.empty() ? "" : ", ") + one;
  }
  detail::fail(errc::unknown_name, "--region", region, known_regions + "; more with --prices");
}

std::string layout_words(const layout& mesh) { return one_line(mesh); }

ordered_json json_of_assumed(const model_config& config, const assumed_values& assumed) {
  ordered_json list = ordered_json::array();
  for (const assumption& one : config.assumed) {
    list.push_back({{"field", one.field}, {"value", one.value}, {"why", one.why}});
  }
  for (const auto& [field, value] : assumed) {
    list.push_back({{"field", field}, {"value", value}, {"why", "not given on the command line"}});
  }
  return list;
}

void print_assumed(const model_config& config, const assumed_values& assumed) {
  if (config.assumed.empty() && assumed.empty()) return;
  fmt::print("\n{}\n", dim("assumed"));
  for (const auto& [field, value] : assumed) fmt::print("  {}: {}\n", field, value);
  for (const assumption& one : config.assumed) {
    fmt::print("  {} = {} {}\n", one.field, one.value, dim("(" + one.why + ")"));
  }
}

}  // namespace cli
