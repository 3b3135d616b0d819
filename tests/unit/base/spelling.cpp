// Which name was meant: base/spelling.hpp.
#include <tpuplan/base/spelling.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

TEST_CASE("The nearest name comes first", "[spelling]") {
  const std::vector<std::string_view> options = {"--slice", "--tokens", "--steps"};
  CHECK(nearest_first(options, "--token").front() == "--tokens");
  CHECK(nearest_first(options, "--SLICE").front() == "--slice");
  CHECK(nearest_first(options, "") == options);
  CHECK(nearest_first(options, "colour") == options);
}

TEST_CASE("A refusal shows forty letters of a name", "[spelling]") {
  const auto shown = [](std::size_t letters) {
    return std::string(refusal_of([&] { detail::fail_unknown("field", std::string(letters, 'a'), {"b"}); }).message);
  };
  CHECK(says(shown(40), "is " + std::string(40, 'a') + ";"));
  CHECK(says(shown(41), "is " + std::string(37, 'a') + "...;"));
}

TEST_CASE("A letter too many is one change, wherever it stands", "[spelling]") {
  CHECK(detail::edit_distance("slice", "slice") == 0);
  for (const char* given : {"aslice", "slxice", "slicea", "lice", "slie", "slic", "slime", "Slicer"})
    CHECK(detail::edit_distance(given, "slice") == 1);
  CHECK(detail::edit_distance("", "slice") == 5);
  CHECK(detail::edit_distance("slice", "") == 5);
}

TEST_CASE("Names are near that begin alike, or where a third of the letters change", "[spelling]") {
  CHECK(detail::distance_of("slices-of-a-cake", "slice") == 11);
  CHECK(detail::distance_of("slam", "slices") == 1000);
  CHECK(detail::distance_of("slixxs", "slices") == 2);
  // Forty letters of what was given are compared, and none behind its end.
  CHECK(detail::distance_of(std::string(60, 'a'), "aaa") == 37);
  CHECK(detail::distance_of(std::string_view("abcdef").substr(0, 2), "abcdefghijk") == 1000);
}
