#include "cli/format.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <tpuplan/error.hpp>
#include <tpuplan/integer.hpp>

namespace cli {

namespace {

/// Three significant digits, never in exponent form: 1.23, 12.3, 123, 1234.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95 || value == 0) return fmt::format("{:.0f}", value);
  return size >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

struct unit {
  double size;
  std::string_view name;
};

/// The largest unit that leaves at least one of it.
template <std::size_t Size>
std::string in_units(double value, const std::array<unit, Size>& units) {
  for (const unit& candidate : units) {
    if (std::abs(value) >= candidate.size * 0.9995) {
      return fmt::format("{} {}", three_digits(value / candidate.size), candidate.name);
    }
  }
  return fmt::format("{} {}", three_digits(value / units.back().size), units.back().name);
}

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

std::string money(tpuplan::usd amount) {
  const double dollars = amount.value();
  if (std::abs(dollars) >= 999.5e6) return fmt::format("${}B", three_digits(dollars / 1e9));
  if (std::abs(dollars) >= 999.5e3) return fmt::format("${}M", three_digits(dollars / 1e6));
  if (std::abs(dollars) >= 999.5) return fmt::format("${}k", three_digits(dollars / 1e3));
  return fmt::format("${:.2f}", dollars);
}

namespace {

/// The unit in which a time is written: days from two days on, and so on.
unit time_unit(tpuplan::seconds time) {
  static constexpr std::array<unit, 6> units = {
      {{86400, "days"}, {3600, "hours"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}};
  for (const unit& candidate : units) {
    const double least = candidate.size >= 60 ? 2 * candidate.size : 0.9995 * candidate.size;
    if (time.value() >= least) return candidate;
  }
  return units.back();
}

}  // namespace

std::string duration(tpuplan::seconds time) {
  if (time.value() == 0) return "0 s";
  const unit in = time_unit(time);
  return fmt::format("{} {}", three_digits(time.value() / in.size), in.name);
}

std::string duration_range(tpuplan::seconds low, tpuplan::seconds high) {
  const unit in = time_unit(low);
  return fmt::format("{}-{} {}", three_digits(low.value() / in.size), three_digits(high.value() / in.size), in.name);
}

std::string used_of(tpuplan::bytes used, tpuplan::bytes usable) {
  return fmt::format("{:.1f} of {:.1f} GiB", tpuplan::in_gib(used), tpuplan::in_gib(usable));
}

std::string binary_bytes(tpuplan::bytes amount) {
  static constexpr std::array<unit, 5> units = {
      {{1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}}};
  return in_units(amount.value(), units);
}

std::string count(double number) {
  static constexpr std::array<unit, 4> units = {{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1, ""}}};
  std::string text = in_units(number, units);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3 + (number < 0 ? 1U : 0U);) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

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
