#ifndef TPUPLAN_CLI_PERCENTILES_HPP
#define TPUPLAN_CLI_PERCENTILES_HPP

#include <string>
#include <string_view>
#include <tpuplan/ask/serving.hpp>

#include "cli/commands.hpp"
#include "cli/print.hpp"

// Latency targets by percentile.
namespace cli {

/// Refuses a question without targets by percentile.
void need_targets(const tpuplan::latency_targets& targets, std::string_view why);

}  // namespace cli

#endif
