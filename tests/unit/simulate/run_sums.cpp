// What a run adds up is empty again where another run begins.
#include <tpuplan/simulate/run_sums.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace unit_run_sums_tests {

TEST_CASE("sums are cleared with their run") {
  simulation_run run;
  detail::run_sums sums{run};
  run.steps = 3, sums.work = 7, sums.busy = 1;
  sums.gaps[0].add(0.5, 2);
  sums.clear();
  CHECK(run.steps == 0);
  CHECK(sums.work == 0);
  CHECK(sums.busy == 0);
  CHECK(sums.gaps[0].total() == 0);
  CHECK_FALSE(detail::never_enough{}({}));
}

}  // namespace unit_run_sums_tests
