#ifndef TPUPLAN_CLI_WAYS_HPP
#define TPUPLAN_CLI_WAYS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/cost/payment.hpp>
#include <vector>

#include "cli/print.hpp"

// What a run costs under each way of paying that has a price.
namespace cli {

/// The time of a run: as its steps are expected to take, and at either end of their band.
struct run_range {
  tpuplan::seconds expected{}, low{}, high{};
};

/// What a run costs under one way of paying; nothing at an end of its band at which it could not be had.
struct cost_range {
  tpuplan::paid_run run;
  std::optional<tpuplan::usd> low, high;
};

/// Cheapest first.
std::vector<cost_range> paid_ways(const tpuplan::slice& where, std::int64_t slices, const run_range& run,
                                  const tpuplan::price_book& book, const std::string& region,
                                  const tpuplan::payment_terms& terms);
/// A table of them, the dates of their prices, and what is to be known of spot and commitments.
void print_ways(const std::vector<cost_range>& ways, const tpuplan::payment_terms& terms, const std::string& region);
ordered_json json_of_ways(const std::vector<cost_range>& ways);

}  // namespace cli

#endif
