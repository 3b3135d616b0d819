#ifndef TPUPLAN_SHOW_TEXT_READABLE_HPP
#define TPUPLAN_SHOW_TEXT_READABLE_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// Numbers for people: three digits and a unit of a suitable size. The decimal separator is a point in every locale.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

namespace detail {

/// The text that the C library wrote, with a point in place of the locale's decimal separator.
[[nodiscard]] inline std::string pointed(const char* digits) {
  std::string text;
  bool separated = false;
  for (const char* c = digits; *c != '\0'; ++c) {
    const bool plain = *c == '-' || *c == '+' || (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z');
    if (plain) text += *c;
    if (!plain && !separated) text += '.';  // a separator of the locale may be several bytes
    separated = separated || !plain;
  }
  return text;
}

}  // namespace detail

/// The number with `decimals` decimals, never in exponent form. Worked: fixed(12.345, 1) is "12.3".
[[nodiscard]] inline std::string fixed(double value, int decimals) {
  char digits[400] = {};
  (void)__builtin_snprintf(digits, sizeof(digits), "%.*f", decimals < 60 ? decimals : 60, value);
  return detail::pointed(digits);
}

/// The number of decimals with which the number has three digits. Worked: 2 for 1.23, 1 for 12.3, 0 for 123.
[[nodiscard]] constexpr int decimals_of(double value) noexcept {
  const double size = value < 0 ? -value : value;
  return size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : 2;
}

/// The number with three digits, or all digits of its whole part. Worked: 1.234 is "1.23", 12.34
/// is "12.3", 1234 is "1234" and 0 is "0".
[[nodiscard]] inline std::string three_digits(double value) { return fixed(value, decimals_of(value)); }

/// A number of any size: a whole number with all its digits, any other with four digits at most.
/// Worked: "238419", "0.916", "2.5e-05".
[[nodiscard]] inline std::string number(double value) {
  const bool whole = value > -1e15 && value < 1e15 && static_cast<double>(static_cast<long long>(value)) == value;
  if (whole) return fixed(value, 0);
  char digits[40] = {};
  (void)__builtin_snprintf(digits, sizeof(digits), "%.4g", value);
  return detail::pointed(digits);
}

/// An amount in parts: the text before the number, the number, and the unit after it.
struct measured {
  std::string_view before{};  ///< "$"
  double number = 0;          ///< in the unit of the text after it
  int decimals = 0;           ///< digits behind the point
  std::string_view after{};   ///< the unit, after a space
};

/// A measured amount as text: what stands before it, its number, its unit. Worked: "$48.2k" for "$" before 48.2 of one
/// decimal and "k" after it.
[[nodiscard]] inline std::string text(const measured& amount) {
  return std::string(amount.before) + fixed(amount.number, amount.decimals) + std::string(amount.after);
}

/// A unit, and the smallest amount that is written in it.
struct unit {
  double size = 1;          ///< in base units
  std::string_view name{};  ///< with the space before it
  double least = 0.9995;    ///< smallest amount, in this unit; a smaller one is written in the next unit
};

/// The first unit in which the amount reaches `least`, else the last unit. Worked: 90 s of `time_units` is " s", as 90
/// s are less than 2 minutes; 120 s is " min".
template <std::size_t Count>
[[nodiscard]] constexpr unit unit_for(double value, const unit (&units)[Count]) noexcept {
  const double size = value < 0 ? -value : value;
  for (const unit& candidate : units) {
    if (size >= candidate.size * candidate.least) return candidate;
  }
  return units[Count - 1];
}

/// The amount in the unit that suits it. Worked: 7200 s of `time_units` are 2 " hours".
template <std::size_t Count>
[[nodiscard]] constexpr measured in_units(double value, const unit (&units)[Count]) noexcept {
  const unit in = unit_for(value, units);
  return {{}, value / in.size, decimals_of(value / in.size), in.name};
}

/// Units of time, from days to microseconds.
inline constexpr unit time_units[] = {{86400, " days", 2}, {3600, " hours", 2}, {60, " min", 2},
                                      {1, " s"},           {1e-3, " ms"},       {1e-6, " us"}};

/// Bytes in binary units, three digits. Worked: 16909332480 B are "15.7 GiB".
[[nodiscard]] constexpr measured measure(bytes amount) noexcept {
  constexpr unit units[] = {
      {1099511627776.0, " TiB"}, {1073741824.0, " GiB"}, {1048576.0, " MiB"}, {1024.0, " KiB"}, {1, " B"}};
  return in_units(amount.value(), units);
}
/// A time in a unit of a sensible size. Worked: 267840 s are "3.10 days", 0.0035 s "3.50 ms".
[[nodiscard]] constexpr measured measure(seconds time) noexcept {
  if (time.value() == 0) return {{}, 0, 0, " s"};
  return in_units(time.value(), time_units);
}
/// An amount of arithmetic. Worked: 2.5e15 FLOP are "2.50 PFLOP".
[[nodiscard]] constexpr measured measure(flops work) noexcept {
  constexpr unit units[] = {{1e24, " YFLOP"}, {1e21, " ZFLOP"}, {1e18, " EFLOP"}, {1e15, " PFLOP"}, {1e12, " TFLOP"},
                            {1e9, " GFLOP"},  {1e6, " MFLOP"},  {1e3, " kFLOP"},  {1, " FLOP"}};
  return in_units(work.value(), units);
}
/// A rate of arithmetic. Worked: 1.97e14 FLOP/s are "197 TFLOP/s".
[[nodiscard]] constexpr measured measure(flops_per_second rate) noexcept {
  constexpr unit units[] = {{1e18, " EFLOP/s"}, {1e15, " PFLOP/s"}, {1e12, " TFLOP/s"}, {1e9, " GFLOP/s"},
                            {1e6, " MFLOP/s"},  {1e3, " kFLOP/s"},  {1, " FLOP/s"}};
  return in_units(rate.value(), units);
}
/// A bandwidth in decimal units, as vendors quote it. Worked: 8.19e11 B/s are "819 GB/s".
[[nodiscard]] constexpr measured measure(bytes_per_second rate) noexcept {
  constexpr unit units[] = {{1e15, " PB/s"}, {1e12, " TB/s"}, {1e9, " GB/s"},
                            {1e6, " MB/s"},  {1e3, " kB/s"},  {1, " B/s"}};
  return in_units(rate.value(), units);
}
/// An arithmetic intensity. Worked: 240.5 FLOP/B are "240 FLOP/B", to three digits.
[[nodiscard]] constexpr measured measure(flops_per_byte intensity) noexcept {
  return {{}, intensity.value(), decimals_of(intensity.value()), " FLOP/B"};
}
/// A rate of tokens, steps or clock ticks. Worked: 1.75e9 a second are "1.75 G/s".
[[nodiscard]] constexpr measured measure(per_second rate) noexcept {
  constexpr unit units[] = {{1e9, " G/s"}, {1e6, " M/s"}, {1e3, " k/s"}, {1, " /s"}};
  return in_units(rate.value(), units);
}
/// Dollars, with cents below a thousand and hundredths of a cent below a cent; what is paid is never "$0.00". Worked:
/// -9.6 is "-$9.60", 48230 is "$48.2k", 0.0042 is "$0.0042", 0.00001 is "<$0.0001", 0 is "$0.00".
[[nodiscard]] constexpr measured measure(usd amount) noexcept {
  constexpr unit units[] = {{1e9, "B"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
  const double size = amount.value() < 0 ? -amount.value() : amount.value();
  const unit in = unit_for(size, units);
  if (size > 0 && size < 0.00005) return {amount.value() < 0 ? ">-$" : "<$", 0.0001, 4, in.name};
  const bool below_a_cent = size > 0 && size < 0.00995;
  const int decimals = in.size > 1 ? decimals_of(size / in.size) : below_a_cent ? 4 : 2;
  return {amount.value() < 0 ? "-$" : "$", size / in.size, decimals, in.name};
}
/// Dollars per hour. Worked: 1075.2 an hour are "$1.08k/h".
[[nodiscard]] constexpr measured measure(usd_per_second rate) noexcept {
  measured result = measure(usd{rate.value() * 3600});
  const std::string_view suffix = result.after;
  result.after = suffix == "B" ? "B/h" : suffix == "M" ? "M/h" : suffix == "k" ? "k/h" : "/h";
  return result;
}
/// Arithmetic per dollar. Worked: 5.91e17 FLOP for a dollar are "591 PFLOP/$".
[[nodiscard]] constexpr measured measure(flops_per_usd rate) noexcept {
  constexpr unit units[] = {{1e18, " EFLOP/$"}, {1e15, " PFLOP/$"}, {1e12, " TFLOP/$"},
                            {1e9, " GFLOP/$"},  {1e6, " MFLOP/$"},  {1, " FLOP/$"}};
  return in_units(rate.value(), units);
}

/// An amount rounded up to the digits that it is written with, so that as much as is printed is enough. Worked: 2.0414
/// days, "2.04 days" as they are, are "2.05 days".
[[nodiscard]] constexpr measured rounded_up(measured amount) noexcept {
  double digits = 1;
  for (int i = 0; i < amount.decimals; ++i) digits *= 10;
  amount.number = math::ceil(amount.number * digits * (1 - 1e-12)) / digits;
  return amount;
}

/// Dollars as text. Worked: 1300000 are "$1.30M".
[[nodiscard]] inline std::string money(usd amount) { return text(measure(amount)); }
/// A time as text. Worked: 15120 s are "4.20 hours".
[[nodiscard]] inline std::string duration(seconds time) { return text(measure(time)); }
/// Bytes as text. Worked: 2^26 B are "64.0 MiB".
[[nodiscard]] inline std::string binary_bytes(bytes amount) { return text(measure(amount)); }

/// A range of times, in the unit of the first of both that is not 0. Worked: "1.74-2.61 s".
[[nodiscard]] inline std::string duration_range(seconds low, seconds high) {
  unit in = unit_for(low.value() == 0 ? high.value() : low.value(), time_units);
  const unit of_high = unit_for(high.value(), time_units);
  if (high.value() / in.size >= 1000 && low.value() / of_high.size >= 0.1) in = of_high;
  if (high.value() / in.size >= 1000) return duration(low) + "-" + duration(high);
  return three_digits(low.value() / in.size) + "-" + three_digits(high.value() / in.size) + std::string(in.name);
}

/// What a name does to the band of a time. Worked: "--engine vllm narrows the band of a token from 4 to 31 ms to 8 to
/// 25 ms".
[[nodiscard]] inline std::string narrowed_words(std::string_view named, std::string_view of, seconds low_before,
                                                seconds high_before, seconds low, seconds high) {
  const std::string before = duration_range(low_before, high_before), after = duration_range(low, high);
  const auto moved = [](seconds from, seconds to) { return math::abs(to / from - 1) > 0.02; };
  const bool is_moved = moved(low_before, low) || moved(high_before, high);
  const std::string begin = std::string(named) + (before == after                         ? " keeps"
                                                  : !is_moved                             ? " hardly changes"
                                                  : high / low < high_before / low_before ? " narrows"
                                                                                          : " changes");
  const std::string band = " the band of " + std::string(of);
  if (before == after) return begin + band + " as it is, " + after;
  return begin + band + " from " + before + " to " + after;
}

/// Bytes in use out of those available. Worked: "12.4 of 15.7 GiB".
[[nodiscard]] inline std::string used_of(bytes used, bytes usable) {
  return fixed(in_gib(used), 1) + " of " + fixed(in_gib(usable), 1) + " GiB";
}

/// A count of parameters or tokens. Worked: 8030261248 is "8.03 B", where B is a billion; 4096 is "4096".
[[nodiscard]] inline std::string count(double number) {
  constexpr unit units[] = {{1e12, " T"}, {1e9, " B"}, {1e6, " M"}, {1, ""}};
  return text(in_units(number, units));
}

/// A share as a percentage. Worked: 0.452 is "45.2 %".
[[nodiscard]] inline std::string percent(double fraction) { return fixed(100 * fraction, 1) + " %"; }

}  // namespace readable
}  // namespace abi_0
}  // namespace tpuplan

#endif
