// What every struct holds before anything is filled in, against tests/golden/defaults.txt: a default is a part of the
// interface. What is 0, empty or unknown is not listed, nor are the calibrated constants, which each fit renews.

#include <sstream>
#include <string>
#include <tpuplan/model/encoder_decoder.hpp>

#include "support/catch.hpp"
#include "support/fields.hpp"
#include "support/golden.hpp"
#include "support/json_types.hpp"

using namespace tpuplan;

namespace golden_defaults_tests {

namespace {

bool says_something(const std::string& line) {
  if (line.find("calibration") != std::string::npos) return false;
  const std::string last = line.substr(line.rfind(' ') + 1);
  return last != "0" && last != "none" && last != "unknown" && last != "''";
}

}  // namespace

TEST_CASE("a struct that nothing filled is what it has always been", "[golden]") {
  std::string all;
  json_types::each_type([&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (detail::has_trait<detail::fields_of, T>) {
      all += lines_of_fields::of(std::string(detail::fields_of<T>::type_name), T{});
    } else {
      lines_of_fields list;
      list.add(std::string(detail::list_of<T>::type_name), T{});
      all += list.lines;
    }
  });
  std::string got;
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) {
    if (says_something(line)) got += line + "\n";
  }
  // A changed default belongs into the file, and into the changelog.
  CHECK(golden_problem("defaults.txt", got) == "");
}

}  // namespace golden_defaults_tests
