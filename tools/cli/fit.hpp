#ifndef TPUPLAN_CLI_FIT_HPP
#define TPUPLAN_CLI_FIT_HPP

#include <tpuplan/ask/training.hpp>

#include "cli/calibration.hpp"
#include "cli/epochs.hpp"
#include "cli/job.hpp"
#include "cli/network.hpp"
#include "cli/report.hpp"

// The part of the answer that the commands fit and train share.
namespace cli {

/// The options of a job on its slice, or of a MaxText configuration in their place.
void add_placed_options(command& to, job_options& job);
/// The model of a training question, by a config.json, the file of a network, or a MaxText configuration.
any_model load_trained_model(const job_options& job, const mesh_options& mesh);
/// The job with nothing left open, and what is known of it from the user's own runs.
tpuplan::placed_job place(const tpuplan::model_config& config, const job_options& job, const mesh_options& mesh,
                          calibrated_part part);
/// The steps of a MaxText configuration are the run, where it has some and the question has no other.
void take_maxtext_steps(job_options& job, const mesh_options& mesh, epoch_options& run);
/// @{
/// Keys of a MaxText configuration that mean nothing here.
void add_sources(const job_options& job, const mesh_options& mesh, ordered_json& document);
void add_sources(const job_options& job, const mesh_options& mesh, tpuplan::view& shown);
/// @}

}  // namespace cli

#endif
