#ifndef TPUPLAN_CLI_PERCENTILES_HPP
#define TPUPLAN_CLI_PERCENTILES_HPP

#include <string>
#include <string_view>
#include <tpuplan/ask/serving.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/print.hpp"

// Latency targets by percentile, their simulated values, and the changes that would meet targets that are missed.
namespace cli {

/// --ttft-p99 and the similar options, for the first token, each token and the whole request.
void add_percentile_options(command& to, tpuplan::latency_targets& into);

/// "p99 of the first token 1.50 s, p95 of each token 50.0 ms"; empty where there is none.
std::string words_of_targets(const tpuplan::latency_targets& targets);
/// "p99"; "mean" where no share is given.
std::string words_of_share(double share);

/// Refuses a question without targets by percentile.
void need_targets(const tpuplan::latency_targets& targets, std::string_view why);

/// Prints a line that says that --ttft and --tpot limit means, if they are given.
void print_that_means_are_held(const tpuplan::serving_job& job);

/// Latencies by percentile with their targets, and what the engine does.
void print_report(const tpuplan::simulation_report& report, const tpuplan::latency_targets& targets);

/// Prints changes that would meet the targets, one change at a time; `slices` share the rate.
void print_changes(const std::vector<tpuplan::serving_change_row>& changes, std::int64_t slices);

}  // namespace cli

#endif
