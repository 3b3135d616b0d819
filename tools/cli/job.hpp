#ifndef TPUPLAN_CLI_JOB_HPP
#define TPUPLAN_CLI_JOB_HPP

#include <CLI/CLI.hpp>
#include <string>
#include <tpuplan/core.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <utility>
#include <vector>

#include "cli/commands.hpp"

namespace cli {

/// The options that describe a training job, as typed.
struct job_options {
  std::string config;
  std::string batch, batch_tokens, sequence;
  std::string compute = "bf16", weights = "fp32", moments = "fp32", optimizer = "adamw", remat, attention = "flash";
  std::int64_t accumulation = 1;
  std::int64_t vocabulary_tiles = 1;
  double capacity_factor = 1;
  std::int64_t lora_rank = 0;
  bool offload_optimizer = false;
};

/// The options that say where it runs.
struct mesh_options {
  std::string slice_name;
  std::int64_t slices = 1, data = 1, fsdp = 0, tensor = 1, expert = 1, pipeline = 1;
};

inline constexpr const char* config_help = "a Hugging Face config.json, or a transformer of your own as JSON";

/// A config.json of Hugging Face, or a `transformer` as io/json.hpp writes it with its schema.
tpuplan::model_config load_model(const std::string& path);

void add_job_options(CLI::App& command, job_options& into);
void add_mesh_options(CLI::App& command, mesh_options& into);

/// Something that was not given, and what was taken for it.
using assumed_values = std::vector<std::pair<std::string, std::string>>;

tpuplan::layout make_layout(const mesh_options& given, const tpuplan::slice& where);
/// The job without its batch where that was not given (global_batch 0).
tpuplan::training_job make_job(const job_options& given, const tpuplan::transformer& model, assumed_values& assumed);
/// The batch in sequences: as given, else one sequence for each shard.
void fill_batch(const job_options& given, const tpuplan::layout& mesh, tpuplan::training_job& job,
                assumed_values& assumed);

/// Refuses a region of which the book has no row.
void check_region(const tpuplan::price_book& book, const std::string& region);

std::string layout_words(const tpuplan::layout& mesh);
ordered_json json_of_assumed(const tpuplan::model_config& config, const assumed_values& assumed);
void print_assumed(const tpuplan::model_config& config, const assumed_values& assumed);

}  // namespace cli

#endif
