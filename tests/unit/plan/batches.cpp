#include <algorithm>
#include <tpuplan/plan/batches.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace plan_batches_tests {

TEST_CASE("the largest divisor below a bound is that of a search through all", "[door]") {
  for (std::int64_t whole = 1; whole <= 400; ++whole) {
    std::int64_t expected = 1;
    for (std::int64_t most = 1; most <= whole + 2; ++most) {
      if (most <= whole && whole % most == 0) expected = most;
      CAPTURE(whole, most);
      CHECK(detail::largest_divisor(whole, most) == expected);
    }
  }
  STATIC_REQUIRE(detail::largest_divisor(488, 60) == 8);  // 8 x 61
  CHECK(detail::largest_divisor(std::int64_t{1} << 40, 1000000) == 524288);
  // A prime: in steps as its square root, not as itself.
  STATIC_REQUIRE(detail::largest_divisor(10007, 10006) == 1);
}

}  // namespace plan_batches_tests
