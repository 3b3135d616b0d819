// Random numbers are the same on every machine, and are what they are called.
#include <tpuplan/base/random.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace base_random_tests {

TEST_CASE("the same seed, figure and case have the same numbers, others have others") {
  detail::random_numbers one{1, 2, 3}, same{1, 2, 3}, other{1, 2, 4};
  const double first = one.uniform();
  CHECK(first == same.uniform());
  CHECK(first != other.uniform());
  CHECK(first > 0);
  CHECK(first < 1);
}

TEST_CASE("means and spreads of what is drawn") {
  detail::random_numbers numbers{7, 0, 0};
  double exponential = 0, normal = 0, square = 0, gamma = 0;
  const int count = 100000;
  for (int i = 0; i < count; ++i) {
    exponential += numbers.exponential() / count;
    const double z = numbers.normal();
    normal += z / count;
    square += z * z / count;
    gamma += numbers.gamma(0.25) / count;
  }
  CHECK(std::abs(exponential - 1) < 0.015);
  CHECK(std::abs(normal) < 0.015);
  CHECK(std::abs(square - 1) < 0.02);
  CHECK(std::abs(gamma - 0.25) < 0.008);
}

}  // namespace base_random_tests
