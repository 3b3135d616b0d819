#ifndef TPUPLAN_CLI_NUMBER_HPP
#define TPUPLAN_CLI_NUMBER_HPP

#include <cstdint>
#include <optional>
#include <string_view>

// Numbers as people type them and as the program prints them: "15T", "4Mi", "8.03B", "1e12", "$150k", "2w", "3.1 days".
// Each is read exactly: a decimal that is a whole number becomes that number, any other the nearest double.
namespace cli {

/// A number and the text after it.
struct scaled_number {
  std::uint64_t digits = 0;  // of the number, without its point
  int tens = 0;              // times 10 to this power
  std::string_view rest;     // behind the digits, without spaces between
};

/// The number at the beginning of a text; nothing where there is none. Refused are signs, leading zeros (010), other
/// bases (0x8) and more than 19 digits. Thousands may be grouped: 8,030,261,248.
std::optional<scaled_number> scan_number(std::string_view given);

/// The value of a number; nothing where it is beyond the range of a double.
std::optional<double> value_of(const scaled_number& number);

/// A count with a suffix, "4k", "1.5M", "8.03B", "15T", "4Mi", "2 Gi"; nothing where it is not one.
std::optional<double> scan_amount(std::string_view given);
std::optional<std::int64_t> scan_count(std::string_view given);
/// "45", "0.45" and "45%" of a whole: 45 is 45, 45% is 0.45.
std::optional<double> scan_share(std::string_view given);
/// Dollars: "$48.2k", "150k", "1.3M".
std::optional<double> scan_dollars(std::string_view given);
/// Seconds: "30d", "2w", "12h", "1h30m", "3.1 days", "215 ms".
std::optional<double> scan_seconds(std::string_view given);

}  // namespace cli

#endif
