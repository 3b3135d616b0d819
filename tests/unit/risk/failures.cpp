// How many parts suffice, where they are more than a constant expression counts.
#include <tpuplan/risk/failures.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace risk_failures_tests {

TEST_CASE("parts are found up to a million, and refused beyond") {
  const std::int64_t enough = parts_for(300000, 0.5, 0.99);
  CHECK(chance_of_at_least(300000, enough, 0.5) >= 0.99);
  CHECK(chance_of_at_least(300000, enough - 1, 0.5) < 0.99);
  CHECK(parts_for(700000, 0.9999, 0.99) > 700000);
  CHECK(parts_for(700000, 0.9999, 0.99) < 700200);
  CHECK(says(refusal_of([] { (void)parts_for(600000, 0.5, 0.99); }).message, "a chance with which 1e6 parts suffice"));
}

}  // namespace risk_failures_tests
