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

/// The number that a word is or ends with behind a "=": whether it is one that was rounded to six digits. Whole numbers
/// of fewer or more digits were not.
inline bool golden_value(const std::string& word, double& value) {
  const std::size_t place = word.find('=') + 1;  // 0 where there is none
  char* end = nullptr;
  value = std::strtod(word.c_str() + place, &end);
  const bool is_rounded = word.find_first_of(".e", place) != std::string::npos || word.size() - place == 6;
  return place < word.size() && *end == '\0' && is_rounded;
}

/// Whether two lines say the same: word by word, of which numbers may differ in their sixth digit.
inline bool golden_same(const std::string& line, const std::string& expected) {
  if (line == expected) return true;
  std::istringstream words(line), wanted(expected);
  for (std::string word, other;;) {
    const bool more = static_cast<bool>(words >> word), more_wanted = static_cast<bool>(wanted >> other);
    if (!more || !more_wanted) return more == more_wanted;
    if (word == other) continue;
    double a = 0, b = 0;
    const std::size_t key = word.find('=') + 1;
    if (!golden_value(word, a) || !golden_value(other, b) || word.compare(0, key, other, 0, key) != 0 ||
        !(std::abs(a - b) <= 1e-5 * std::abs(b)))
      return false;
  }
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
