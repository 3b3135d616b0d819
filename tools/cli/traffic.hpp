#ifndef TPUPLAN_CLI_TRAFFIC_HPP
#define TPUPLAN_CLI_TRAFFIC_HPP

#include <tpuplan/estimate/serving/calibration.hpp>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/simulate/arrivals.hpp>

#include "cli/config.hpp"
#include "cli/option.hpp"

namespace cli {

/// Traffic, formats, sharding and engine, as their options say.
struct traffic_options {
  tpuplan::serving_job job;
  tpuplan::serving_layout mesh;
  tpuplan::serving_calibration constants;
  tpuplan::length_distribution prompt_lengths, output_lengths;  // of which the job has the moments
  traffic_options();
};

/// --input-len and --output-len.
void add_length_options(command& added, traffic_options& into);

void add_traffic_options(command& added, traffic_options& into);
/// Formats and sharding, which other commands name for themselves.
void add_format_options(command& added, traffic_options& into);
void add_engine_options(command& added, traffic_options& into);

}  // namespace cli

#endif
