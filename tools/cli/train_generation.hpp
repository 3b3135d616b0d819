#ifndef TPUPLAN_CLI_TRAIN_GENERATION_HPP
#define TPUPLAN_CLI_TRAIN_GENERATION_HPP

#include <string>
#include <string_view>
#include <tpuplan/ask/train_generation.hpp>

#include "cli/commands.hpp"
#include "cli/epochs.hpp"
#include "cli/job.hpp"
#include "cli/prices.hpp"

// A pipeline of images or clips, whose denoiser is trained.
namespace cli {

/// What training of a denoiser is asked with.
struct denoiser_run {
  const job_options& job;
  const mesh_options& mesh;
  const epoch_options& epochs;
  const price_options& prices;
  const nlohmann::json& pictures;  // what no other training is asked with
  tpuplan::seconds between{};
  double rest_used = 0;
};

/// Whether a file or a folder is a pipeline; not of standard input.
bool is_pipeline_file(const std::string& path);
/// Refuses the options of pipelines for another model.
void refuse_pictures(const session& with, std::string_view given);
/// tpuplan train of a pipeline.
void denoiser_train(const denoiser_run& given, session& with);

}  // namespace cli

#endif
