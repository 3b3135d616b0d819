#ifndef TPUPLAN_CLI_PERCENTILES_HPP
#define TPUPLAN_CLI_PERCENTILES_HPP

#include <string>
#include <string_view>
#include <tpuplan/ask/serving.hpp>

#include "cli/commands.hpp"
#include "cli/print.hpp"

// Latency targets by percentile.
namespace cli {

/// --ttft-p99 and the similar options, for the first token, each token and the whole request.
void add_percentile_options(command& to, tpuplan::latency_targets& into);

/// Refuses a question without targets by percentile.
void need_targets(const tpuplan::latency_targets& targets, std::string_view why);

}  // namespace cli

#endif
