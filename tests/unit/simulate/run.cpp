// What a run counts begins with its tenth request in a hundred, and can be taken from another run.
#include <tpuplan/simulate/run.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace unit_run_tests {

TEST_CASE("a tenth of the requests warms up, and what is counted ends with the last") {
  std::vector<simulated_request> requests(100);
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].arrival = seconds{static_cast<double>(i)};
  const detail::counted_time in = detail::counted_of(requests);
  CHECK(in.from == seconds{10});
  CHECK(in.until == seconds{99});
  simulation_run run;
  detail::begin_counting(run, in);
  CHECK(run.over_time.size() == 64);
  CHECK(run.over_time.back().time == seconds{99});
  run.busy = 0.5, run.counted_tokens = 7, run.steps = 3;
  simulation_run other;
  other.steps = 4;
  detail::take_counted(other, run);
  CHECK(other.busy == 0.5);
  CHECK(other.counted_tokens == 7);
  CHECK(other.warm_until == seconds{10});
  CHECK(other.over_time.size() == 64);
  CHECK(other.steps == 4);
}

}  // namespace unit_run_tests
