#ifndef TPUPLAN_CLI_DAY_HPP
#define TPUPLAN_CLI_DAY_HPP

#include <string>
#include <tpuplan/ask/day.hpp>

#include "cli/commands.hpp"

// The traffic of --day: hours with their rates, or a trace.
namespace cli {

/// The file, with what else is asked of a day. `least`: requests by which percentiles say something.
tpuplan::traffic_over_day read_day(const std::string& path, const nlohmann::json& of_day, double least);
/// Refuses lengths beside a trace, which has its own.
void refuse_lengths_of_trace(const tpuplan::traffic_over_day& traffic, const tpuplan::serving_job& job,
                             const session& with);

}  // namespace cli

#endif
