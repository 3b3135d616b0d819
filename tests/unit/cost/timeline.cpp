// Phases of a run that cannot be are refused, each by its name.
#include <cmath>
#include <string>
#include <tpuplan/cost/timeline.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_cost_timeline_tests {

TEST_CASE("a phase that cannot be is refused by name, in a timeline and in terms", "[door]") {
  struct phase {
    const char* name;
    seconds run_phases::*time;
  };
  run_phases good;
  good.step = 1_s, good.steps = 1000;
  for (const phase& one : {phase{"run_phases.queue is ", &run_phases::queue},
                           {"run_phases.start is ", &run_phases::start},
                           {"run_phases.compilation is ", &run_phases::compilation},
                           {"run_phases.restore is ", &run_phases::restore},
                           {"run_phases.evaluation is ", &run_phases::evaluation},
                           {"run_phases.checkpoint is ", &run_phases::checkpoint},
                           {"run_phases.export_time is ", &run_phases::export_time}}) {
    for (const double value : {-5.0, std::nan("")}) {
      run_phases run = good;
      run.*one.time = seconds{value};
      CHECK(says(refusal_of([&] { (void)timeline_of(run); }).message, one.name));
      CHECK(says(refusal_of([&] { (void)with_phases({}, run); }).message, one.name));
    }
  }
  run_phases run = good;
  run.evaluate_every = -1;
  CHECK(says(refusal_of([&] { (void)with_phases({}, run); }).message, "run_phases.evaluate_every is -1"));
  run = good, run.step = seconds{std::nan("")};
  CHECK(says(refusal_of([&] { (void)with_phases({}, run); }).message, "run_phases.step is nan"));
  run = good, run.steps = -1;
  CHECK(says(refusal_of([&] { (void)with_phases({}, run); }).message, "run_phases.steps is -1"));
  CHECK_FALSE(refusal_of([&] { (void)with_phases({}, {}); }).refused);
}

}  // namespace unit_cost_timeline_tests
