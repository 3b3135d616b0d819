#ifndef TPUPLAN_CLI_TRAIN_GENERATION_HPP
#define TPUPLAN_CLI_TRAIN_GENERATION_HPP

#include <initializer_list>
#include <string>
#include <string_view>
#include <tpuplan/ask/train_generation.hpp>
#include <vector>

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
  const nlohmann::json& pictures;       // what no other training is asked with
  const std::vector<std::string>& own;  // the options of that
  tpuplan::seconds between{};
  double rest_used = 0;
};

/// Whether a file or a folder is a pipeline; not of standard input.
bool is_pipeline_file(const std::string& path);
/// Declares the options of these rows that the command does not have; their names.
std::vector<std::string> picture_options(command& to, const tpuplan::row_list& rows, nlohmann::json& request);
/// Refuses the options of pipelines for another model.
void refuse_pictures(const session& with, const std::vector<std::string>& own, std::string_view given);
/// Refuses options of other models for a pipeline: all but its own and these others.
void keep_to_pipelines(const session& with, const std::vector<std::string>& own,
                       std::initializer_list<std::string_view> others);
/// tpuplan train of a pipeline.
void denoiser_train(const denoiser_run& given, session& with);

}  // namespace cli

#endif
