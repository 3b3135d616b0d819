#ifndef TPUPLAN_CLI_TRAFFIC_HPP
#define TPUPLAN_CLI_TRAFFIC_HPP

#include <optional>
#include <tpuplan/estimate/serving/calibration.hpp>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/simulate/arrivals.hpp>

#include "cli/config.hpp"
#include "cli/option.hpp"

namespace cli {

/// Traffic, formats, sharding and engine, as their options say.
struct traffic_options {
  nlohmann::json request = nlohmann::json::object();  // from which the others are read
  tpuplan::serving_job job;
  std::optional<tpuplan::length_distribution> prompts, outputs;  // of lengths that vary
  tpuplan::serving_layout mesh;
  tpuplan::serving_calibration constants;
  std::optional<std::int64_t> image_size;  // side of the images, if not that of the configuration
};

/// Lengths, rate and targets.
void add_traffic_options(command& added, nlohmann::json& request);
/// Images of a request, of any size.
void add_image_options(command& added, traffic_options& into);
/// What the request says of them.
void read_traffic(traffic_options& into);

}  // namespace cli

#endif
