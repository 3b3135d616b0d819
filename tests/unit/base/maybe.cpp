// Look-ups that may find nothing.

#include <cstdint>
#include <optional>
#include <tpuplan/base/equal.hpp>
#include <tpuplan/base/maybe.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace maybe_tests {

TEST_CASE("a look-up finds a value or nothing") {
  constexpr maybe<std::int64_t> found{7};
  constexpr maybe<std::int64_t> none{nothing};
  STATIC_REQUIRE((found.has_value() && found && *found == 7 && found.value() == 7));
  STATIC_REQUIRE((!none.has_value() && !none && none == nothing && found != nothing));
  STATIC_REQUIRE((found == 7 && found != 8 && none != 7));
  STATIC_REQUIRE((found.value_or(3) == 7 && none.value_or(3) == 3));
  STATIC_REQUIRE(maybe<std::int64_t>{0} != nothing);  // nothing is not 0
  STATIC_REQUIRE(maybe<std::int64_t>{} == nothing);
  CHECK(refusal_of([&] { (void)none.value(); }).refused);
  CHECK(refusal_of([&] { (void)*none; }).refused);
  STATIC_REQUIRE((none == std::nullopt && found != std::nullopt && !(found == std::nullopt)));
  STATIC_REQUIRE((found == maybe<std::int64_t>{7} && found != none && none == maybe<std::int64_t>{}));
  const std::optional<std::int64_t> as_optional = found;
  CHECK(as_optional == 7);
  const std::optional<std::int64_t> as_empty = none;
  CHECK_FALSE(as_empty.has_value());
}

}  // namespace maybe_tests
