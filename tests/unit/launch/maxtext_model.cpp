// How a model differs from the one that MaxText builds, in words.
#include <tpuplan/launch/maxtext_model.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace launch_maxtext_model_tests {

TEST_CASE("three differences are named, and that there are others") {
  detail::maxtext_match match;
  match.differences = {"a", "b", "c"};
  CHECK(detail::words_of(match) == "a; b; c");
  match.differences.emplace_back("d");
  CHECK(detail::words_of(match) == "a; b; c; and others");
}

}  // namespace launch_maxtext_model_tests
