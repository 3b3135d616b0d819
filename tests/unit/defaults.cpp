// Every struct before anything is filled in, against tests/golden/defaults.txt: a default is a part of the interface.

#include <string>

#include <lab/training_errors.hpp>

#include "support/catch.hpp"
#include "support/fields.hpp"
#include "support/golden.hpp"
#include "support/json_types.hpp"

using namespace tpuplan;

TEST_CASE("a struct that nothing filled is what it has always been") {
  std::string got;
  json_types::each_type([&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (detail::has_trait<detail::fields_of, T>) {
      got += lines_of_fields::of(std::string(detail::fields_of<T>::type_name), T{});
    } else {
      lines_of_fields list;
      list.add(std::string(detail::list_of<T>::type_name), T{});
      got += list.lines;
    }
  });
  // A changed default belongs into the file, and into the changelog.
  CHECK(golden_problem("defaults.txt", got) == "");
}

TEST_CASE("how well the constants are known is as it was fitted last") {
  CHECK(golden_problem("calibration_errors.txt", lines_of_fields::of("errors", calibration_log_errors)) == "");
}
