#ifndef TPUPLAN_CLI_TRAIN_GENERATION_HPP
#define TPUPLAN_CLI_TRAIN_GENERATION_HPP

#include <string>
#include <string_view>
#include <tpuplan/ask/train_generation.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/epochs.hpp"
#include "cli/job.hpp"
#include "cli/plan.hpp"
#include "cli/prices.hpp"

// A pipeline of images or clips, whose denoiser is trained.
namespace cli {

/// What is asked of a pipeline and of no other model.
struct picture_options {
  nlohmann::json request = nlohmann::json::object();
  std::vector<std::string> own;  // the options of it
};

/// Whether a file or a folder is a pipeline; not of standard input.
bool is_pipeline_file(const std::string& path);
/// Declares the options of these rows that the command does not have.
void add_rows_of_pictures(command& to, picture_options& into, const std::vector<tpuplan::row_list>& rows);
/// Declares those of training at some sizes, and of layouts where these are asked for.
void add_picture_options(command& to, picture_options& into, bool of_a_layout = true);
/// Refuses the options of pipelines for another model.
void refuse_pictures(const session& with, const picture_options& pictures, std::string_view given);
/// The request of a question about training a denoiser, as the options say it, with its data set where a run is given.
nlohmann::json denoiser_request(const nlohmann::json& request, const nlohmann::json& pictures,
                                const epoch_options& run = {});
/// Refuses options of other models for a pipeline: all but those of a step, these rows, and these others.
void keep_to_pipelines(const session& with, std::vector<tpuplan::row_list> rows, std::vector<std::string_view> extra);

/// What MaxDiffusion is asked to run, as far as its names and keys depend on it.
template <class Answer>
tpuplan::maxdiffusion_run run_of(const Answer& made, const tpuplan::picture_size& size, bool trains) {
  tpuplan::maxdiffusion_run run;
  run.pipeline = made.model, run.denoiser_parameters = made.denoiser_parameters, run.size = size, run.trains = trains;
  run.text_tokens = made.text_tokens;
  return run;
}
/// What starts an answer about images or clips that MaxDiffusion makes.
void add_launch(tpuplan::view& shown, const tpuplan::maxdiffusion_run& run, const tpuplan::slice& where,
                std::int64_t slices, tpuplan::provisioning kind);
/// @{
/// tpuplan fit, train, and plan of training, of a pipeline.
void denoiser_fit(const job_options& job, const picture_options& pictures, session& with);
void denoiser_train(const job_options& job, const picture_options& pictures, const epoch_options& run,
                    const price_options& prices, session& with);
void denoiser_plan(const plan_options& given, const tpuplan::price_book& prices, session& with);
/// @}

}  // namespace cli

#endif
