#ifndef TPUPLAN_TESTS_SUPPORT_GOLDEN_HPP
#define TPUPLAN_TESTS_SUPPORT_GOLDEN_HPP

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

/// A figure as golden files have it.
inline std::string golden_number(double value) {
  char digits[40];
  std::snprintf(digits, sizeof(digits), "%.12g", value);
  return digits;
}

/// Where lines differ from those of tests/golden/FILE: "" where they do not. A last word that is a number may differ by
/// a relative 1e-11, which is what libraries of mathematics differ by. Where they differ, what was got is written to
/// FILE.got in the working directory: where the change is meant, it becomes the file.
inline std::string golden_problem(const std::string& name, const std::string& got) {
  std::ifstream file(std::string(TPUPLAN_TESTS_DIR) + "/golden/" + name);
  std::istringstream lines(got);
  std::string problem;
  for (std::string is, expected; problem.empty();) {
    const bool more = static_cast<bool>(std::getline(lines, is));
    const bool more_expected = static_cast<bool>(std::getline(file, expected));
    if (!more && !more_expected) return "";
    if (!more || !more_expected) is += more ? " (not in the file)" : "(missing)";
    if (is == expected) continue;
    const std::size_t place = is.rfind(' ') + 1;
    char* end = nullptr;
    const double number = std::strtod(is.c_str() + place, &end);
    const double wanted = place <= expected.size() ? std::strtod(expected.c_str() + place, nullptr) : 0;
    const bool same = *end == '\0' && is.compare(0, place, expected, 0, place) == 0 &&
                      std::abs(number - wanted) <= 1e-11 * std::abs(wanted);
    if (!same) problem = is + " instead of " + expected;
  }
  std::ofstream(name + ".got") << got;
  return problem;
}

#endif
