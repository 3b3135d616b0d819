#ifndef TPUPLAN_CLI_WAYS_HPP
#define TPUPLAN_CLI_WAYS_HPP

#include <string>
#include <tpuplan/cost/payment.hpp>
#include <vector>

#include "cli/print.hpp"

// What a run costs under each way of paying that has a price.
namespace cli {

/// Cheapest first.
std::vector<tpuplan::paid_run> paid_ways(const tpuplan::slice& where, std::int64_t slices, tpuplan::seconds run,
                                         const tpuplan::price_book& book, const std::string& region,
                                         const tpuplan::payment_terms& terms);
/// A table of them; `low` and `high` are the ends of the band over the estimate.
void print_ways(const std::vector<tpuplan::paid_run>& ways, const tpuplan::payment_terms& terms, double low,
                double high);
ordered_json json_of_ways(const std::vector<tpuplan::paid_run>& ways);

}  // namespace cli

#endif
