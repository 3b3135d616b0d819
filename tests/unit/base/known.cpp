// Figures that may be missing.

#include <tpuplan/base/known.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace known_tests {

TEST_CASE("a figure is a value, absent or unknown") {
  constexpr known<double> value{2.0};
  constexpr known<double> missing{absent};
  constexpr known<double> open{unknown};
  STATIC_REQUIRE((value.has_value() && !value.is_absent() && !value.is_unknown()));
  STATIC_REQUIRE((!missing.has_value() && missing.is_absent() && !missing.is_unknown()));
  STATIC_REQUIRE((!open.has_value() && !open.is_absent() && open.is_unknown()));
  STATIC_REQUIRE(known<double>{}.is_unknown());
  STATIC_REQUIRE(value.value() == 2.0);
  STATIC_REQUIRE(value.value_or(3.0) == 2.0);
  STATIC_REQUIRE(missing.value_or(3.0) == 3.0);
  STATIC_REQUIRE(open.value_or(3.0) == 3.0);
  STATIC_REQUIRE(missing == known<double>{absent});
  STATIC_REQUIRE(missing != open);
  STATIC_REQUIRE(value != missing);
  STATIC_REQUIRE(value == known<double>{2.0});
  STATIC_REQUIRE(value != known<double>{2.5});
  STATIC_REQUIRE(known<double>{0.0} != open);  // neither is ever 0
  STATIC_REQUIRE(known<double>{0.0} != missing);
  STATIC_REQUIRE(known<bool>{false} != known<bool>{true});

  const refusal of_absent = refusal_of([&] { (void)missing.value("int8 peak"); });
  CHECK(of_absent.code == errc::unknown_figure);
  CHECK(says(of_absent.message, "int8 peak is absent"));
  const refusal of_unknown = refusal_of([&] { (void)open.value("clock"); });
  CHECK(of_unknown.code == errc::unknown_figure);
  CHECK(says(of_unknown.message, "clock is unknown"));
}

}  // namespace known_tests
