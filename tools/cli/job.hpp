#ifndef TPUPLAN_CLI_JOB_HPP
#define TPUPLAN_CLI_JOB_HPP

#include <optional>
#include <string>
#include <tpuplan/core.hpp>

#include "cli/config.hpp"
#include "cli/maxtext.hpp"
#include "cli/option.hpp"

namespace cli {

/// A training job as far as its options say: a batch, a sequence length and a policy may be left open.
struct job_options {
  std::string config;
  tpuplan::training_job job;
  std::int64_t batch_tokens = 0;  // instead of the batch in sequences
  std::optional<tpuplan::remat_policy> remat;
  std::optional<double> capacity;          // factor of experts
  std::optional<std::int64_t> per_core;    // examples on each core, instead of the batch
  std::optional<std::int64_t> image_size;  // side of the images, if not that of the configuration
  maxtext_options maxtext;         // instead of all these
  std::string calibration;         // a file of runs of the user's own
};

/// Where it runs; 0 for FSDP: what the other degrees leave of the slice.
struct mesh_options {
  std::string slice_name;
  std::optional<std::int64_t> slices;  // data parallel over DCN
  tpuplan::layout mesh;
  mesh_options() { mesh.fsdp = 0; }
};

void add_job_options(command& added, job_options& into, bool config_required = true);
/// --accumulation, where the microbatches are not searched for.
void add_accumulation_option(command& to, job_options& into);
void add_mesh_options(command& added, mesh_options& into);

tpuplan::layout make_layout(const mesh_options& given, const tpuplan::slice& where);
/// The job, its sequence length and policy filled in. A batch that was not given in sequences stays 0.
tpuplan::training_job make_job(const job_options& given, const tpuplan::transformer& model, assumed_values& assumed);
/// What a plan chooses for itself, so that a follow-up question leaves it out.
inline const std::vector<std::string_view> degrees_of_a_layout = {
    "--slices", "--data", "--fsdp", "--tensor", "--expert", "--context", "--pipeline", "--accumulation", "--remat"};

/// The multiple of a unit near so many sequences that has most factors of two: within a sixteenth of them where there
/// is one. Worked: 488.3 sequences in units of 1 are 512; 366 are 384.
std::int64_t round_batch(double sequences, std::int64_t unit);
/// Fills in a batch that was not given in sequences: from its tokens, as a multiple of the unit, else the unit.
void fill_batch(std::int64_t batch_tokens, std::int64_t unit, tpuplan::training_job& job, assumed_values& assumed);

/// The sequence length where none is given: 4096, or the longest that the model takes.
std::int64_t usual_sequence(const tpuplan::transformer& model);

}  // namespace cli

#endif
