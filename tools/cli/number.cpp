#include "cli/number.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

namespace cli {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What a suffix multiplies by: 10 to a power, times 2 to a power.
struct scale {
  std::string_view name;
  int tens = 0, twos = 0;
};

constexpr scale amount_scales[] = {{"", 0, 0},    {"k", 3, 0},   {"K", 3, 0},   {"M", 6, 0},
                                   {"B", 9, 0},   {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},
                                   {"Ki", 0, 10}, {"Mi", 0, 20}, {"Gi", 0, 30}, {"Ti", 0, 40}};

/// The longest units of time first: of "5ms", "m" is only the beginning.
struct time_unit {
  std::string_view name;
  double size;
};
constexpr time_unit time_units[] = {
    {"weeks", 604800}, {"week", 604800}, {"w", 604800}, {"days", 86400}, {"day", 86400}, {"d", 86400},
    {"hours", 3600},   {"hour", 3600},   {"h", 3600},   {"minutes", 60}, {"minute", 60}, {"min", 60},
    {"ms", 1e-3},      {"us", 1e-6},     {"m", 60},     {"seconds", 1},  {"second", 1},  {"s", 1}};

std::string_view without_space(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

/// 8,030,261,248: a first group of at most three digits, then groups of three.
bool is_grouped(std::string_view text) {
  std::size_t in_group = 0, groups = 1;
  for (const char c : text) {
    if (c != ',') {
      ++in_group;
      continue;
    }
    if (in_group == 0 || in_group > 3 || (groups > 1 && in_group != 3)) return false;
    ++groups;
    in_group = 0;
  }
  return groups == 1 || in_group == 3;
}

/// digits * 10^tens * 2^twos, where that is a whole number below 2^63.
std::optional<std::int64_t> whole(const scaled_number& number, int twos) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t value = number.digits;
  if (value == 0) return 0;
  const auto times = [&](std::uint64_t factor) { return value <= largest / factor ? (value *= factor, true) : false; };
  int tens = number.tens;
  for (; tens < 0 && value % 10 == 0; ++tens) value /= 10;
  for (; tens < 0 && value % 5 == 0 && twos > 0; ++tens, --twos) value /= 5;  // 1.5 Ki is 15 / 5 * 512
  if (tens < 0) return std::nullopt;
  for (; tens > 0; --tens) {
    if (!times(10)) return std::nullopt;
  }
  for (; twos > 0; --twos) {
    if (!times(2)) return std::nullopt;
  }
  return value <= largest ? std::optional<std::int64_t>(static_cast<std::int64_t>(value)) : std::nullopt;
}

const scale* find_scale(std::string_view suffix) {
  for (const scale& one : amount_scales) {
    if (one.name == suffix) return &one;
  }
  return nullptr;
}

}  // namespace

std::optional<scaled_number> scan_number(std::string_view given) {
  scaled_number number;
  std::size_t at = 0;
  while (at < given.size() && (is_digit(given[at]) || given[at] == ',')) ++at;
  const std::string_view before = given.substr(0, at);
  if (before.find(',') != std::string_view::npos && !is_grouped(before)) return std::nullopt;
  int kept = 0, shown = 0;
  const auto take = [&](char c) {
    number.digits = number.digits * 10 + static_cast<std::uint64_t>(c - '0');
    if (number.digits > 0) ++kept;
    ++shown;
  };
  for (const char c : before) {
    if (c != ',') take(c);
  }
  if (shown > 1 && before.front() == '0') return std::nullopt;
  if (at < given.size() && given[at] == '.') {
    for (++at; at < given.size() && is_digit(given[at]) && kept < 20; ++at, --number.tens) take(given[at]);
  }
  if (shown == 0 || kept > 19) return std::nullopt;
  if (at + 1 < given.size() && (given[at] == 'e' || given[at] == 'E')) {
    const std::size_t from = at + (given[at + 1] == '+' ? 2 : 1);
    int power = 0;
    const auto [end, problem] = std::from_chars(given.data() + from, given.data() + given.size(), power);
    if (problem != std::errc{} || power < -400 || power > 400) return std::nullopt;
    number.tens += power;
    at = static_cast<std::size_t>(end - given.data());
  }
  number.rest = without_space(given.substr(at));
  return number;
}

std::optional<double> value_of(const scaled_number& number) {
  const std::string written = std::to_string(number.digits) + "e" + std::to_string(number.tens);
  double value = 0;
  const std::errc problem = std::from_chars(written.data(), written.data() + written.size(), value).ec;
  if (problem != std::errc{} || !std::isfinite(value) || (value < 1e-300 && number.digits != 0)) return std::nullopt;
  return value;
}

std::optional<double> scan_amount(std::string_view given) {
  std::optional<scaled_number> number = scan_number(given);
  const scale* by = number ? find_scale(number->rest) : nullptr;
  if (by == nullptr) return std::nullopt;
  number->tens += by->tens;
  const std::optional<double> value = value_of(*number);
  return value ? std::optional<double>(std::ldexp(*value, by->twos)) : std::nullopt;
}

std::optional<std::int64_t> scan_count(std::string_view given) {
  std::optional<scaled_number> number = scan_number(given);
  const scale* by = number ? find_scale(number->rest) : nullptr;
  if (by == nullptr) return std::nullopt;
  number->tens += by->tens;
  return whole(*number, by->twos);
}

std::optional<double> scan_share(std::string_view given) {
  std::optional<scaled_number> number = scan_number(given);
  if (!number) return std::nullopt;
  if (number->rest == "%") number->tens -= 2;
  return number->rest.empty() || number->rest == "%" ? value_of(*number) : std::nullopt;
}

std::optional<double> scan_dollars(std::string_view given) {
  if (!given.empty() && given.front() == '$') given.remove_prefix(1);
  return scan_amount(given);
}

std::optional<double> scan_seconds(std::string_view given) {
  double total = 0;
  do {
    const std::optional<scaled_number> number = scan_number(given);
    const std::optional<double> value = number ? value_of(*number) : std::nullopt;
    if (!value) return std::nullopt;
    const time_unit* found = nullptr;
    for (const time_unit& one : time_units) {
      const bool begins = number->rest.substr(0, one.name.size()) == one.name;
      if (begins && (found == nullptr || one.name.size() > found->name.size())) found = &one;
    }
    if (found == nullptr) return std::nullopt;
    total += *value * found->size;
    given = without_space(number->rest.substr(found->name.size()));
  } while (!given.empty());
  return total;
}

}  // namespace cli
