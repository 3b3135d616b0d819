#ifndef TPUPLAN_CLI_JOB_HPP
#define TPUPLAN_CLI_JOB_HPP

#include <optional>
#include <string>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/core.hpp>

#include "cli/config.hpp"
#include "cli/maxtext.hpp"
#include "cli/option.hpp"

namespace cli {

/// A training job as the options describe it; what they leave open is filled in later.
struct job_options : tpuplan::asked_job {
  nlohmann::json request = nlohmann::json::object();  // as the options say it, from which the others are read
  std::string config;
  std::optional<tpuplan::dtype> weights;   // of the master copy, or of the frozen base under adapters
  std::optional<std::int64_t> per_core;    // examples on each core, instead of the batch
  std::optional<std::int64_t> image_size;  // side of the images, if not that of the configuration
  maxtext_options maxtext;                 // instead of all these
  std::string calibration;                 // a file of runs of the user's own
};

/// The slice and layout; FSDP 0 means all devices that the other degrees leave.
struct mesh_options {
  std::string slice_name;
  std::optional<std::int64_t> slices;  // data parallel over DCN
  tpuplan::layout mesh = tpuplan::open_layout();
};

void add_job_options(command& added, job_options& into);
/// @{
/// What the request says of them.
void read_job(job_options& into);
void read_mesh(const nlohmann::json& request, mesh_options& into);
/// @}

/// The layout over the number of slices that was given; degrees that are open stay open.
tpuplan::layout layout_of(const mesh_options& given);
/// Options whose values a plan chooses, so that a follow-up command leaves them out.
inline const std::vector<std::string_view> degrees_of_a_layout = {"--slices",
                                                                  "--data",
                                                                  "--fsdp",
                                                                  "--tensor",
                                                                  "--expert",
                                                                  "--context",
                                                                  "--pipeline",
                                                                  "--accumulation",
                                                                  "--remat",
                                                                  "--ring-attention",
                                                                  "--context-unbalanced"};

}  // namespace cli

#endif
