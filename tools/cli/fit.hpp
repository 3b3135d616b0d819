#ifndef TPUPLAN_CLI_FIT_HPP
#define TPUPLAN_CLI_FIT_HPP

#include <optional>
#include <tpuplan/estimate/training/memory.hpp>

#include "cli/calibration.hpp"
#include "cli/job.hpp"
#include "cli/network.hpp"

// What fit answers, which train answers too.
namespace cli {

struct fit_answer {
  tpuplan::slice where;
  tpuplan::layout mesh;
  tpuplan::training_job job;
  tpuplan::own_constants known;  // runs of the user's own
  tpuplan::memory_breakdown memory;
  std::optional<std::int64_t> largest;  // batch that surely fits
};

/// The model of a training question, by a config.json, the file of a network, or a MaxText configuration.
any_model load_trained_model(const job_options& job, const mesh_options& mesh);
fit_answer ask_fit(const tpuplan::model_config& config, const job_options& job, const mesh_options& mesh,
                   assumed_values& assumed, calibrated_part part);
/// @{
/// What the answer knows of the user's own runs, and keys of a MaxText configuration that mean nothing here.
void add_sources(const fit_answer& a, const job_options& job, const mesh_options& mesh, ordered_json& document);
void print_sources(const fit_answer& a, const job_options& job, const mesh_options& mesh);
/// @}
ordered_json fit_document(const fit_answer& a, const tpuplan::model_config& config, const assumed_values& assumed);
/// "fits", "does not fit" or "uncertain".
std::string_view verdict_words(tpuplan::verdict fit);

}  // namespace cli

#endif
