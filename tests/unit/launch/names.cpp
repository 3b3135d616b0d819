// What services accept as names: launch/names.hpp.
#include <tpuplan/launch/names.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

TEST_CASE("a number has up to 20 figures, no sign and no zero in front") {
  STATIC_REQUIRE(detail::is_number("1"));
  STATIC_REQUIRE(detail::is_number("12345678901234567890"));
  STATIC_REQUIRE_FALSE(detail::is_number("123456789012345678901"));
  for (const char* none : {"", "0", "01", "-1", "1e3"}) CHECK_FALSE(detail::is_number(none));
}
