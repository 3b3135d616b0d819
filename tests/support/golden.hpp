#ifndef TPUPLAN_TESTS_SUPPORT_GOLDEN_HPP
#define TPUPLAN_TESTS_SUPPORT_GOLDEN_HPP

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

/// A figure as golden files have it: six significant digits.
inline std::string golden_number(double value) {
  char digits[40];
  std::snprintf(digits, sizeof(digits), "%.6g", value);
  return digits;
}

/// Whether two lines say the same: equal but for a last word that is a number, which may differ in its sixth digit.
inline bool golden_same(const std::string& line, const std::string& expected) {
  if (line == expected) return true;
  const std::size_t place = line.rfind(' ') + 1;
  if (line.compare(0, place, expected, 0, place) != 0) return false;
  char* end = nullptr;
  char* expected_end = nullptr;
  const double number = std::strtod(line.c_str() + place, &end);
  const double wanted = std::strtod(expected.c_str() + place, &expected_end);
  return *end == '\0' && *expected_end == '\0' && std::abs(number - wanted) <= 1e-5 * std::abs(wanted);
}

/// The first line that differs from that of tests/golden/FILE: "" where none does. If one differs, the text is written
/// to FILE.got in the working directory. The target renew_golden sets TPUPLAN_RENEW_GOLDEN, with which an intended
/// change replaces the file.
inline std::string golden_problem(const std::string& name, const std::string& got) {
  const std::string path = std::string(TPUPLAN_TESTS_DIR) + "/golden/" + name;
  if (std::getenv("TPUPLAN_RENEW_GOLDEN") != nullptr) return std::ofstream(path) << got ? "" : path + ": not written";
  std::ifstream file(path);
  std::istringstream lines(got);
  std::string problem;
  for (std::string line, expected; problem.empty();) {
    const bool more = static_cast<bool>(std::getline(lines, line));
    const bool more_expected = static_cast<bool>(std::getline(file, expected));
    if (!more && !more_expected) return "";
    if (!more) problem = "missing: " + expected;
    if (!more_expected) problem = "not in the file: " + line;
    if (more && more_expected && !golden_same(line, expected)) problem = line + " instead of " + expected;
  }
  std::ofstream(name + ".got") << got;
  return problem;
}

#endif
