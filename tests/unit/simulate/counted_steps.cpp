// Of a step that lies partly in the time that is counted, that part is counted.
#include <tpuplan/simulate/counted_steps.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace unit_counted_steps_tests {

TEST_CASE("half of a step that begins before the time that is counted") {
  simulation_run run;
  run.warm_until = seconds{10}, run.counted_until = seconds{20};
  run.over_time.resize(2);
  run.over_time[0].time = seconds{10}, run.over_time[1].time = seconds{20};
  detail::run_sums sums{run};
  simulated_engine engine;
  engine.blocks = 10, engine.replicas = 2;
  detail::counted_steps counts{sums, engine};
  const detail::replica_state busy{3, 1, 5};
  CHECK(counts.within(9, 11) == 1);
  counts.add({2, 100, 40, {}, 0}, 1, 9, 11, busy);
  CHECK(run.steps == 1);
  CHECK(run.output_tokens == 3);
  CHECK(run.prompt_tokens == 40);
  CHECK(run.counted_tokens == 1.5);
  CHECK(run.counted_prompt_tokens == 20);
  CHECK(sums.busy == 1);
  CHECK(sums.running == 3);
  CHECK(sums.blocks == 5);
  CHECK(sums.work == 4);
  counts.add({2, 100, 40, {}, 0}, 1, 20, 22, busy);  // behind it
  CHECK(run.steps == 2);
  CHECK(sums.busy == 1);
  counts.add_alone(7, 2);
  CHECK(run.decode_steps == 9);
  CHECK(run.output_tokens == 20);
  CHECK(sums.work == 15);
  // Gaps are in ten batches of a second each.
  counts.add_gap(12.5, 0.25, 2);
  counts.add_gap(21, 0.25, 2);
  CHECK(sums.gaps[2].total() == 2);
  CHECK(sums.gaps[9].total() == 0);
  // Samples are of moments that have passed.
  CHECK(counts.is_sampled(11));
  counts.take_samples(11, busy);
  CHECK(run.over_time[0].running == 3);
  CHECK(run.over_time[0].waiting == 1);
  CHECK(run.over_time[0].cache == 0.25);
  CHECK(run.over_time[1].running == 0);
  CHECK_FALSE(counts.is_sampled(19));
}

}  // namespace unit_counted_steps_tests
