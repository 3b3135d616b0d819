#ifndef TPUPLAN_CLI_JOB_HPP
#define TPUPLAN_CLI_JOB_HPP

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <tpuplan/core.hpp>

#include "cli/config.hpp"

namespace cli {

/// A training job as far as its options say: a batch, a sequence length and a policy may be left open.
struct job_options {
  std::string config;
  tpuplan::training_job job;
  std::int64_t batch_tokens = 0;  // instead of the batch in sequences
  std::optional<tpuplan::remat_policy> remat;
};

/// Where it runs; 0 for FSDP: what the other degrees leave of the slice.
struct mesh_options {
  std::string slice_name;
  tpuplan::layout mesh;
  mesh_options() { mesh.fsdp = 0; }
};

void add_job_options(CLI::App& command, job_options& into);
void add_mesh_options(CLI::App& command, mesh_options& into);

tpuplan::layout make_layout(const mesh_options& given, const tpuplan::slice& where);
/// The job, its sequence length and policy filled in. A batch that was not given in sequences stays 0.
tpuplan::training_job make_job(const job_options& given, const tpuplan::transformer& model, assumed_values& assumed);
/// Fills in a batch that was not given in sequences: from its tokens, else one sequence for each shard.
void fill_batch(std::int64_t batch_tokens, const tpuplan::layout& mesh, tpuplan::training_job& job,
                assumed_values& assumed);

/// The sequence length where none is given: 4096, or the longest that the model takes.
std::int64_t usual_sequence(const tpuplan::transformer& model);

}  // namespace cli

#endif
