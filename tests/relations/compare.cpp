#include "relations/compare.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace relations {

namespace {

/// The unit that a key ends with: "s" of "queue_s".
std::string unit_of(const std::string& key) { return key.substr(key.rfind('_') + 1); }

/// What rounding leaves of a difference or of a power near 0: an ulp of the largest number of that unit beside it.
double rounding_beside(const json& parts, const std::string& key) {
  double largest = 0;
  for (const auto& item : parts.items()) {
    if (item.value().is_number() && unit_of(item.key()) == unit_of(key))
      largest = std::max(largest, std::abs(item.value().get<double>()));
  }
  return 0x1p-52 * largest;
}

/// The times of a simulated request are differences of two readings of a clock that is added to step by step: of each
/// reading the last digits are rounding, sixteen ulps of the longest. So are those of the ends of their bands.
double rounding_of_clock(const json& answer, const std::string& key) {
  const json& report = answer.contains("report") ? answer["report"] : answer;
  const bool is_time = key == "first_token" || key == "per_token" || key == "inter_token" || key == "end_to_end" ||
                       key == "latency_low" || key == "latency_high";
  if (!is_time || !report.is_object() || !report.contains("arrivals_per_s") || !(report["arrivals_per_s"] > 0)) return 0;
  return 16 * 0x1p-52 * report["requests"].get<double>() / report["arrivals_per_s"].get<double>();
}

/// What rounding leaves where the figures of which one is the difference are not beside it: of times of plans that are
/// simulated, whose clock runs for a day at most, and of what a slice costs more than the best, in dollars a second.
double rounding_of_parts_elsewhere(const std::string& key) {
  if (key.rfind("simulated_", 0) == 0) return 16 * 0x1p-52 * 86400;
  return key == "amount" ? 0x1p-52 : 0;
}

/// How far apart the numbers under a key may be: `error` is a difference of figures like those under `value`, and known
/// as well as these are.
double rounding_of(const json& parts, const std::string& key, double tolerance) {
  if (const double clock = rounding_of_clock(parts, key); clock > 0) return clock;
  if (const double elsewhere = rounding_of_parts_elsewhere(key); elsewhere > 0) return elsewhere;
  if (key != "error" || !parts.contains("value")) return rounding_beside(parts, key);
  double largest = 0;
  for (const auto& item : parts["value"].items()) largest = std::max(largest, std::abs(item.value().get<double>()));
  return tolerance * largest;
}

/// Adds the paths that differ: "[0].wall_s". `rounding` is what is nothing beside the number.
void collect(const json& a, const json& b, const std::string& at, const std::vector<std::string>& passed_over,
             double tolerance, std::vector<std::string>& found, double rounding = 0) {
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.items()) {
      if (std::find(passed_over.begin(), passed_over.end(), key) != passed_over.end()) continue;
      if (b.contains(key)) {
        collect(value, b[key], at + "." + key, passed_over, tolerance, found,
                std::max(rounding, rounding_of(a, key, tolerance)));
      } else {
        found.push_back(at + "." + key + ": only in the first");
      }
    }
    for (const auto& item : b.items()) {
      if (!a.contains(item.key()) && std::find(passed_over.begin(), passed_over.end(), item.key()) == passed_over.end())
        found.push_back(at + "." + item.key() + ": only in the second");
    }
  } else if (a.is_array() && b.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      collect(a[i], b[i], at + "[" + std::to_string(i) + "]", passed_over, tolerance, found);
  } else if (a.is_array() && b.is_array()) {
    found.push_back(at + ": " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " rows");
  } else if (!relation::equal(a, b, tolerance, rounding)) {
    found.push_back(at + ": " + a.dump().substr(0, 200) + " and " + b.dump().substr(0, 200));
  }
}

struct printed_unit {
  std::string_view name;
  double size;
};
/// Longer names first: "min" is not "m" of anything here.
constexpr printed_unit printed_units[] = {{"days", 86400},
                                          {"hours", 3600},
                                          {"min", 60},
                                          {"ms", 1e-3},
                                          {"us", 1e-6},
                                          {"TiB", 1099511627776.0},
                                          {"GiB", 1073741824.0},
                                          {"MiB", 1048576.0},
                                          {"KiB", 1024.0},
                                          {"PB/s", 1e15},
                                          {"TB/s", 1e12},
                                          {"GB/s", 1e9},
                                          {"MB/s", 1e6},
                                          {"kB/s", 1e3},
                                          {"B/s", 1},
                                          {"EFLOP", 1e18},
                                          {"PFLOP", 1e15},
                                          {"TFLOP", 1e12},
                                          {"GFLOP", 1e9},
                                          {"MFLOP", 1e6},
                                          {"kFLOP", 1e3},
                                          {"FLOP/B", 1},
                                          {"FLOP", 1},
                                          {"%", 0.01},
                                          {"Ti", 1099511627776.0},
                                          {"Gi", 1073741824.0},
                                          {"Mi", 1048576.0},
                                          {"Ki", 1024.0},
                                          {"k", 1e3},
                                          {"M", 1e6},
                                          {"B", 1},
                                          {"T", 1e12},
                                          {"s", 1}};

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

}  // namespace

bool relation::equal(const json& a, const json& b, double tolerance, double rounding) {
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>(), y = b.get<double>();
    return x == y || std::abs(x - y) <= std::max(rounding, tolerance * std::max(std::abs(x), std::abs(y)));
  }
  return a == b;
}

void relation::differ(const std::string& what, const std::string& first, const std::string& a,
                      const std::string& second, const std::string& b) {
  if (++differing_[what] > most_printed) return;
  std::printf("DIFFERS: %s\n  %s\n    %s\n", what.c_str(), first.c_str(), a.c_str());
  if (!second.empty()) std::printf("  %s\n    %s\n", second.c_str(), b.c_str());
}

bool relation::report(const std::string& name) const {
  std::int64_t differing = 0;
  for (const auto& [what, count] : differing_) {
    std::printf("  %lld differ: %s\n", static_cast<long long>(count), what.c_str());
    differing += count;
  }
  for (const auto& [why, count] : skipped_)
    std::printf("  %lld not compared: %s\n", static_cast<long long>(count), why.c_str());
  std::printf("%s: %lld compared, %lld differ\n", name.c_str(), static_cast<long long>(compared_),
              static_cast<long long>(differing));
  return differing == 0 && compared_ > 0;
}

std::vector<std::string> differences(const json& a, const json& b, const std::vector<std::string>& passed_over,
                                     double tolerance) {
  std::vector<std::string> found;
  collect(a, b, "", passed_over, tolerance, found);
  return found;
}

printed_figure parse_figure(std::string_view text) {
  printed_figure figure;
  while (!text.empty() && (text.front() == ' ' || text.front() == '~' || text.front() == '$')) text.remove_prefix(1);
  std::string digits;
  std::size_t at = 0;
  int decimals = 0;
  bool behind_point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool exponent_sign = (c == '-' || c == '+') && (at == 0 || text[at - 1] == 'e');
    if (c == ',' && at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9') continue;  // 8,030,261,248
    if (!((c >= '0' && c <= '9') || c == '.' || exponent_sign ||
          (c == 'e' && at > 0 && at + 1 < text.size() &&
           std::string_view("+-0123456789").find(text[at + 1]) != std::string_view::npos)))
      break;
    if (c == 'e') behind_point = false;
    if (c >= '0' && c <= '9' && behind_point) ++decimals;
    if (c == '.') behind_point = true;
    digits += c;
  }
  if (digits.empty() || digits == "-" || digits == "+") return figure;
  std::string_view rest = text.substr(at);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  double size = 1;
  for (const printed_unit& unit : printed_units) {
    if (starts_with(rest, unit.name)) {
      size = unit.size;
      break;
    }
  }
  const std::size_t power = digits.find('e');
  const double scale = power == std::string::npos ? 1 : std::pow(10.0, std::atof(digits.substr(power + 1).c_str()));
  figure.is_number = true;
  figure.value = std::atof(digits.c_str()) * size;
  figure.rounding = 0.5000001 * std::pow(10.0, -decimals) * scale * size;
  return figure;
}

}  // namespace relations
