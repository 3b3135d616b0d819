#include "cli/format.hpp"

#include <charconv>
#include <cmath>
#include <tpuplan/error.hpp>
#include <tpuplan/integer.hpp>

namespace cli {

namespace {

/// A number above 0 and the suffix behind it.
struct split_number {
  double value;
  std::string_view suffix;
};
split_number split(std::string_view flag, std::string_view given, std::string_view valid) {
  double value = 0;
  const auto [end, problem] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (problem != std::errc{} || !std::isfinite(value) || value <= 0) {
    tpuplan::detail::fail(tpuplan::errc::malformed_input, flag, given, valid);
  }
  return {value, given.substr(static_cast<std::size_t>(end - given.data()))};
}

}  // namespace

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3 + (number < 0 ? 1U : 0U);) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

double parse_amount(std::string_view flag, std::string_view given) {
  constexpr std::string_view valid = "a number above 0, with k, M, B, T or nothing behind it: 15T, 1.5e12";
  const split_number parts = split(flag, given, valid);
  double factor = 1;
  if (parts.suffix == "k" || parts.suffix == "K")
    factor = 1e3;
  else if (parts.suffix == "M")
    factor = 1e6;
  else if (parts.suffix == "B" || parts.suffix == "G")
    factor = 1e9;
  else if (parts.suffix == "T")
    factor = 1e12;
  else if (!parts.suffix.empty())
    tpuplan::detail::fail(tpuplan::errc::malformed_input, flag, given, valid);
  return tpuplan::detail::positive(flag, parts.value * factor);
}

std::int64_t parse_count(std::string_view flag, std::string_view given) {
  const double value = parse_amount(flag, given);
  if (value != std::floor(value) || value > 9e15) {
    tpuplan::detail::fail(tpuplan::errc::malformed_input, flag, given, "a whole number from 1 to 9e15");
  }
  return static_cast<std::int64_t>(value);
}

tpuplan::seconds parse_duration(std::string_view flag, std::string_view given) {
  constexpr std::string_view valid = "a time such as 30d, 12h, 45min, 600s, 50ms; above 0";
  const split_number parts = split(flag, given, valid);
  double factor = 0;
  if (parts.suffix == "d" || parts.suffix == "days")
    factor = 86400;
  else if (parts.suffix == "h")
    factor = 3600;
  else if (parts.suffix == "min" || parts.suffix == "m")
    factor = 60;
  else if (parts.suffix == "s")
    factor = 1;
  else if (parts.suffix == "ms")
    factor = 1e-3;
  else
    tpuplan::detail::fail(tpuplan::errc::malformed_input, flag, given, valid);
  return tpuplan::seconds{tpuplan::detail::positive(flag, parts.value * factor)};
}

}  // namespace cli
