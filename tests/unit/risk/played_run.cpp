// One run, played to its end: against the closed form of its mean.
#include <tpuplan/risk/played_run.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace risk_played_run_tests {

run_at_risk exactly_ten_days() {
  run_at_risk job;
  job.run = {10_days, 10_days, 10_days};
  job.checkpoint_interval = 1_h;
  job.checkpoint_time = 15_s;
  job.restart_time = 600_s;
  return job;
}

TEST_CASE("a run that nothing stops") {
  run_at_risk job;
  job.run = {10_h, 10_h, 10_h};
  job.checkpoint_interval = 30_min;
  job.checkpoint_time = 60_s;
  const played_run run = play(job, {}, {}, {1, 1, 1});
  CHECK(close(run.wall.value(), 10 * 3600.0 + 20 * 60));
  CHECK(run.billed == run.wall);
  CHECK(run.stops == 0);
  CHECK(run.ended);
}

TEST_CASE("the last moment leaves time for a start that takes longer than a restart") {
  run_at_risk job;
  job.run = {10_h, 10_h, 10_h};
  job.checkpoint_interval = 30_min;
  job.checkpoint_time = 60_s;
  job.restart_time = 60_s;
  job.start_up = 2_h;
  job.queue_time = 1000_h;
  risk_policy policy;
  policy.on_demand_in_time = true;
  const played_run run = play(job, {20_h, {}}, policy, {1, 1, 1});
  CHECK(run.ended);
  CHECK(run.wall <= 20_h);
  CHECK(run.wall > 19_h);
  CHECK(run.on_demand == run.billed);
}

TEST_CASE("the useful time of a share of the runs") {
  const run_range run{10_days, 8_days, 12_days};
  CHECK(close(run_at(run, 0.95).value(), (12_days).value(), 1e-6));
  CHECK(close(run_at(run, 0.05).value(), (8_days).value(), 1e-6));
  CHECK(run_at(run, 0.5) == 10_days);
}

TEST_CASE("the mean of many runs is the expected run of the closed form") {
  run_at_risk job = exactly_ten_days();
  job.lifetime = believed_within(4_h, 1);
  const spot_run closed{10_days, 1_h, 15_s, 4_h, 600_s, seconds{}};
  const expected_spot_run expected = expected_run(closed);
  double wall = 0, stops = 0;
  const int runs = 4000;
  for (int n = 1; n <= runs; ++n) {
    const played_run one = play(job, {}, {}, {1, n, runs});
    wall += one.wall.value() / runs;
    stops += static_cast<double>(one.stops) / runs;
  }
  CHECK(close(wall, expected.wall.value(), 2e-3));
  CHECK(close(stops, expected.preemptions, 1e-2));
}

}  // namespace risk_played_run_tests
