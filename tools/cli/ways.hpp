#ifndef TPUPLAN_CLI_WAYS_HPP
#define TPUPLAN_CLI_WAYS_HPP

#include <string>
#include <tpuplan/ask/training.hpp>
#include <vector>

#include "cli/print.hpp"

// What a run costs under each way of paying that has a price.
namespace cli {

/// Prints a table of the ways of paying, the dates of their prices, and notes about spot and commitments.
void print_ways(const std::vector<tpuplan::run_price>& ways, tpuplan::seconds run, const tpuplan::payment_terms& terms,
                const std::string& region);

}  // namespace cli

#endif
