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

TEST_CASE("a window counts where no number of tokens is given, and where they do not fill it") {
  transformer model;
  model.layers = 4, model.attention.window = 4096, model.attention.local_layers = 2;
  CHECK(detail::built_model(model)["attention"]["window"] == 4096);
  CHECK(detail::built_model(model, 4097)["attention"]["window"] == 4096);
  CHECK(detail::built_model(model, 4096)["attention"]["window"] == 0);
  CHECK(detail::built_model(model, 4096)["attention"]["local_layers"] == 0);
}

}  // namespace launch_maxtext_model_tests
