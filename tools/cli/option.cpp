#include "cli/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace cli {

using namespace tpuplan;

namespace {

/// A suffix and what it multiplies by.
struct suffix {
  std::string_view name;
  double factor;
};

/// A number above 0 and one of the suffixes behind it.
template <std::size_t Count>
double parse_scaled(std::string_view option, std::string_view given, const suffix (&suffixes)[Count],
                    std::string_view valid) {
  double value = 0;
  const auto [end, problem] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (problem != std::errc{} || !std::isfinite(value) || value <= 0)
    refuse(option, given, valid, errc::malformed_input);
  const std::string_view behind = given.substr(static_cast<std::size_t>(end - given.data()));
  for (const suffix& one : suffixes) {
    if (behind == one.name) return positive(option, value * one.factor);
  }
  refuse(option, given, valid, errc::malformed_input);
}

template <class T>
T parse_name(std::string_view option, std::string_view given, const maybe<T>& found, std::string_view valid) {
  if (!found) refuse(option, given, valid, errc::unknown_name);
  return *found;
}

/// "1.5", and "nan" for what is no number.
std::string shown(double number) { return fmt::format("{:.10g}", number); }

}  // namespace

void refuse(std::string_view option, std::string_view given, std::string_view valid, errc why) {
  throw error(why, option, given, valid);
}

void refuse_missing(std::string_view option, std::string_view valid) {
  refuse(option, "missing", valid, errc::missing_field);
}

double positive(std::string_view option, double given) {
  if (!std::isfinite(given) || given <= 0) refuse(option, shown(given), "a number above 0");
  return given;
}

std::int64_t positive_count(std::string_view option, std::int64_t given) {
  if (given < 1) refuse(option, std::to_string(given), "a whole number from 1 on");
  return given;
}

double share(std::string_view option, double given, std::string_view valid) {
  if (!(given >= 0 && given <= 1)) refuse(option, shown(given), valid, errc::out_of_range);
  return given;
}

double parse_amount(std::string_view option, std::string_view given) {
  constexpr suffix suffixes[] = {{"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"B", 1e9}, {"G", 1e9}, {"T", 1e12}};
  return parse_scaled(option, given, suffixes, "a number above 0, with k, M, B, T or nothing behind it: 15T, 1.5e12");
}

std::int64_t parse_count(std::string_view option, std::string_view given) {
  const double value = parse_amount(option, given);
  if (value != std::floor(value) || value > 9e15)
    refuse(option, given, "a whole number from 1 to 9e15", errc::malformed_input);
  return static_cast<std::int64_t>(value);
}

seconds parse_duration(std::string_view option, std::string_view given) {
  constexpr suffix suffixes[] = {{"d", 86400}, {"days", 86400}, {"h", 3600}, {"min", 60},
                                 {"m", 60},    {"s", 1},        {"ms", 1e-3}};
  return seconds{parse_scaled(option, given, suffixes, "a time such as 30d, 12h, 45min, 600s, 50ms; above 0")};
}

void read(std::string_view option, const std::string& given, double& into) { into = parse_amount(option, given); }
void read(std::string_view option, const std::string& given, std::int64_t& into) { into = parse_count(option, given); }
void read(std::string_view option, const std::string& given, seconds& into) { into = parse_duration(option, given); }
void read(std::string_view option, const std::string& given, usd& into) { into = usd{parse_amount(option, given)}; }
void read(std::string_view, const std::string& given, dtype& into) { into = dtype_for(given); }
void read(std::string_view option, const std::string& given, optimizer_kind& into) {
  into = parse_name(option, given, parse_optimizer(given), "adamw, adafactor, lion or sgd_momentum");
}
void read(std::string_view option, const std::string& given, attention_kernel& into) {
  into = parse_name(option, given, parse_attention_kernel(given), "flash or unfused");
}
void read(std::string_view option, const std::string& given, remat_policy& into) {
  into = parse_name(option, given, parse_remat_policy(given), policy_names());
}
void read(std::string_view option, const std::string& given, objective& into) {
  into = parse_name(option, given, parse_objective(given), "cheapest, fastest or fewest_chips");
}
void read(std::string_view option, const std::string& given, provisioning& into) {
  into = parse_name(option, given, parse_provisioning(given),
                    "on_demand, spot, flex_start, calendar, commitment_1y or commitment_3y");
}
void read(std::string_view option, const std::string& given, spot_market& into) {
  into = parse_name(option, given, parse_spot_market(given), "calm, cautious or scarce");
}

std::string policy_names() {
  std::string names;
  for (const named_remat_policy& policy : remat_policies)
    names += (names.empty() ? "" : ", ") + std::string(policy.name);
  return names;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace cli
