#ifndef TPUPLAN_CLI_TIMELINE_HPP
#define TPUPLAN_CLI_TIMELINE_HPP

#include <tpuplan/ask/phases.hpp>
#include <tpuplan/cost/timeline.hpp>

#include "cli/print.hpp"

// A run from start to end: its steps, and the other phases that take time or money.
namespace cli {

/// A table of the phases with the time and the dollars of each, and the goodput; dollars where there is a price.
tpuplan::view_part timeline_part(const tpuplan::run_timeline& line);

}  // namespace cli

#endif
