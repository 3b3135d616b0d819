// The share of a target, and what is reached of it.
#include <tpuplan/simulate/report.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace unit_report_tests {

TEST_CASE("a target holds for its share of the times, one without a share for their mean") {
  std::vector<double> times;
  for (int i = 1; i <= 100; ++i) times.push_back(i);
  CHECK(detail::is_met(times, {0.95, seconds{95}}));
  CHECK_FALSE(detail::is_met(times, {0.95, seconds{94.5}}));
  CHECK(detail::is_met(times, {0, seconds{50.5}}));
  CHECK_FALSE(detail::is_met(times, {0, seconds{50}}));
  CHECK(detail::is_met(times, {}));
  CHECK(detail::reached(times, 0.95) == 95);
  simulation_report report;
  CHECK(meets(report));
  report.meets_per_token = false;
  CHECK_FALSE(meets(report));
}

}  // namespace unit_report_tests
