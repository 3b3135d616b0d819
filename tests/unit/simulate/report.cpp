// The share of a target, and what is reached of it.
#include <cmath>
#include <cstddef>
#include <tpuplan/simulate/report.hpp>
#include <tpuplan/simulate/run.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/servers.hpp"

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

TEST_CASE("rates are those that are served, also where all requests come before one is done") {
  std::vector<simulated_request> requests(400, {{}, 1000000, 1, 0});  // a second of service each
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].arrival = seconds{1e-9 * static_cast<double>(i)};
  const simulation_report report = report_of(simulate(one_server(), requests, service_times{}));
  CHECK(std::abs(report.output_tokens.value() - 1) < 1e-6);
  CHECK(std::abs(report.prompt_tokens.value() / 1e6 - 1) < 1e-6);
  CHECK(std::abs(report.goodput.value() - 1) < 1e-6);
}

}  // namespace unit_report_tests
