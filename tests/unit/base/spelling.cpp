// Which name was meant: base/spelling.hpp.
#include <tpuplan/base/spelling.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

TEST_CASE("The nearest name comes first", "[spelling]") {
  const std::vector<std::string_view> options = {"--slice", "--tokens", "--steps"};
  CHECK(nearest_first(options, "--token").front() == "--tokens");
  CHECK(nearest_first(options, "--SLICE").front() == "--slice");
  CHECK(nearest_first(options, "") == options);
  CHECK(nearest_first(options, "colour") == options);
}
