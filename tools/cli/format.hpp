#ifndef TPUPLAN_CLI_FORMAT_HPP
#define TPUPLAN_CLI_FORMAT_HPP

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/io/text/readable.hpp>

// How the program writes numbers for people, and how it reads the amounts that people type.
namespace cli {

using tpuplan::readable::binary_bytes;
using tpuplan::readable::count;
using tpuplan::readable::duration;
using tpuplan::readable::duration_range;
using tpuplan::readable::money;
using tpuplan::readable::percent;
using tpuplan::readable::used_of;

/// A count with its digits grouped: "8,030,261,248".
std::string grouped(std::int64_t number);

/// "15T", "1.5e12", "300B", "2M", "4k", "1024": a number with a decimal suffix. Throws tpuplan::error naming the flag.
double parse_amount(std::string_view flag, std::string_view given);
/// The same as a whole number.
std::int64_t parse_count(std::string_view flag, std::string_view given);
/// "30d", "12h", "45min", "600s", "1.5d": a time. Throws tpuplan::error naming the flag.
tpuplan::seconds parse_duration(std::string_view flag, std::string_view given);

}  // namespace cli

#endif
