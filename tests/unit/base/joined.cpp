// Texts in a row, whatever each of them is.
#include <string>
#include <string_view>
#include <tpuplan/base/joined.hpp>

#include "support/catch.hpp"

using tpuplan::detail::joined;

TEST_CASE("pieces are literals, strings and views", "[base]") {
  CHECK(joined({"8", " chips"}) == "8 chips");
  CHECK(joined({}).empty());
  const std::string text(40, 'x');
  CHECK(joined({text, "", std::string_view(text).substr(0, 2), std::string("y")}) == text + "xxy");
  CHECK(joined({std::string_view("a\0b", 3), "c\0d"}) == std::string("a\0bc", 4));
}
