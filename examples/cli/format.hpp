#ifndef TPUPLAN_EXAMPLES_CLI_FORMAT_HPP
#define TPUPLAN_EXAMPLES_CLI_FORMAT_HPP

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/units.hpp>

// How the program writes numbers for people, and how it reads the amounts that people type.
namespace cli {

/// "$48.2k", "$1.30M", "$9.60".
std::string money(tpuplan::usd amount);
/// "3.1 days", "4.2 hours", "12.4 s", "3.50 ms".
std::string duration(tpuplan::seconds time);
/// "1.74-2.61 s": two times in the unit of the first.
std::string duration_range(tpuplan::seconds low, tpuplan::seconds high);
/// "12.4 of 15.7 GiB".
std::string used_of(tpuplan::bytes used, tpuplan::bytes usable);
/// "15.7 GiB", "64 MiB", "16 KiB", "12 B".
std::string binary_bytes(tpuplan::bytes amount);
/// "8.03e9" for people: "8.03 B", "671 B", "1.00 T", "4096".
std::string count(double number);
/// A count with its digits grouped: "8,030,261,248".
std::string grouped(std::int64_t number);
/// "45.2 %".
std::string percent(double fraction);

/// "15T", "1.5e12", "300B", "2M", "4k", "1024": a number with a decimal suffix. Throws tpuplan::error naming the flag.
double parse_amount(std::string_view flag, std::string_view given);
/// The same as a whole number.
std::int64_t parse_count(std::string_view flag, std::string_view given);
/// "30d", "12h", "45min", "600s", "1.5d": a time. Throws tpuplan::error naming the flag.
tpuplan::seconds parse_duration(std::string_view flag, std::string_view given);

}  // namespace cli

#endif
