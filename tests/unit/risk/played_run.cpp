// One run, played to its end: against the closed form of its mean.
#include <tpuplan/risk/played_run.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

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

TEST_CASE("a piece of capacity that ends before a start, a restart and a checkpoint is refused") {
  run_at_risk job = exactly_ten_days();
  job.start_up = 100_s;
  job.longest_piece = 716_s;  // 600 s of restart, 100 s of start and a checkpoint of 15 s are 715 s
  CHECK_FALSE(refusal_of([&] { validate(job); }).refused);
  job.longest_piece = 715_s;
  CHECK(says(refusal_of([&] { validate(job); }).message, "run_at_risk.longest_piece is 715"));
}

TEST_CASE("the useful time of a share of the runs") {
  const run_range run{10_days, 8_days, 12_days};
  CHECK(close(run_at(run, 0.95).value(), (12_days).value(), 1e-6));
  CHECK(close(run_at(run, 0.05).value(), (8_days).value(), 1e-6));
  CHECK(run_at(run, 0.5) == 10_days);
}

TEST_CASE("the useful time of a run that is none, or of a share that is none, is refused") {
  const run_range run{10_days, 8_days, 12_days};
  const auto refused = [](const run_range& of, double share) {
    return refusal_of([&] { (void)run_at(of, share); }).message;
  };
  CHECK(says(refused({}, 0.5), "run_range.low is 0"));
  CHECK(says(refused({8_days, 10_days, 12_days}, 0.5), "run_range.expected is 691200; valid: low or more"));
  CHECK(says(refused({10_days, 8_days, seconds{std::nan("")}}, 0.5), "run_range.high is nan"));
  for (const double share : {0.0, 1.0, 2.0, std::nan("")}) CHECK(says(refused(run, share), "share is "));
}

TEST_CASE("a run is played only of what can be", "[door]") {
  const run_at_risk job = exactly_ten_days();
  const auto refused = [](const run_at_risk& one, const risk_policy& policy, const played_number& which) {
    return refusal_of([&] { (void)play(one, {}, policy, which); }).message;
  };
  CHECK(refused(job, {}, {}).empty());
  risk_policy spare;
  for (const std::int64_t slices : {std::int64_t{-1}, std::int64_t{1} << 32}) {
    spare.spare_slices = slices;
    CHECK(says(refused(job, spare, {}), "risk_policy.spare_slices is "));
  }
  for (const double value : {std::nan(""), 0.0, -1.0}) {
    run_at_risk other = job;
    other.checkpoint_interval = seconds{value};
    CHECK(says(refused(other, {}, {}), "run_at_risk.checkpoint_interval is "));
  }
  run_at_risk other = job;
  other.run = {};
  CHECK(says(refused(other, {}, {}), "run_at_risk.run.low is 0"));
  other = job, other.slices = 0;
  CHECK(says(refused(other, {}, {}), "run_at_risk.slices is 0"));
  other = job, other.restart_time = seconds{-1e6};
  CHECK(says(refused(other, {}, {}), "run_at_risk.restart_time is -1000000"));
  other = job, other.longest_piece = seconds{-1};
  CHECK(says(refused(other, {}, {}), "run_at_risk.longest_piece is -1"));
  CHECK(says(refused(job, {}, {1, 0, 1}), "played_number.nth is 0"));
  CHECK(says(refused(job, {}, {1, 2, 1}), "played_number.nth is 2"));
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

/// What many runs come to: half are done in `half`, all are billed for `billed` in the mean.
struct many_runs {
  double half = 0, mean = 0, billed = 0;
  int ended = 0;
};
many_runs played(const run_at_risk& job, const risk_policy& policy, int runs) {
  many_runs all;
  std::vector<double> walls;
  for (int n = 1; n <= runs; ++n) {
    const played_run one = play(job, {}, policy, {1, n, runs});
    walls.push_back(one.ended ? one.wall.value() : 1e18);
    all.mean += one.wall.value() / runs;
    all.billed += one.billed.value() / runs;
    all.ended += one.ended ? 1 : 0;
  }
  std::sort(walls.begin(), walls.end());
  all.half = walls[walls.size() / 2];
  return all;
}

/// The same of an elastic run that is written down plainly: each slice comes and goes on its own, and the time line of
/// all of them is walked along. `lasts` is of one slice.
many_runs elastic_plainly(const run_at_risk& job, double lasts, int runs) {
  std::mt19937_64 random(5);
  const auto exponential = [&](double mean) {
    return mean > 0 ? std::exponential_distribution<double>(1 / mean)(random) : 0;
  };
  const double queue = job.queue_time.value();
  const double horizon = 12 * job.run.expected.value();
  many_runs all;
  std::vector<double> walls;
  for (int n = 0; n < runs; ++n) {
    std::vector<std::pair<double, int>> changes, paid;  // when, and by how many
    const double first = exponential(queue);
    for (std::int64_t slice = 0; slice < job.slices; ++slice) {
      double comes = first, starts = job.start_up.value();
      while (comes < horizon) {
        const double ends = comes + exponential(lasts);
        paid.insert(paid.end(), {{comes, 1}, {ends, -1}});
        if (comes + starts < ends) changes.insert(changes.end(), {{comes + starts, 1}, {ends, -1}});
        comes = ends + exponential(queue);
        starts = job.restart_time.value();
      }
    }
    std::sort(changes.begin(), changes.end());
    std::sort(paid.begin(), paid.end());
    double wall = 0, left = job.run.expected.value(), paused = 0, since = 0, unsaved = 0;
    int computing = 0;
    for (const auto& [when, by] : changes) {
      for (double at = std::max(wall, std::min(paused, when)); computing > 0 && at < when && left > 0;) {
        const double to_checkpoint = job.checkpoint_interval.value() - since;
        const double pace = static_cast<double>(computing) / static_cast<double>(job.slices);
        const double step = std::min({when - at, to_checkpoint, left / pace});
        left -= step * pace, unsaved += step * pace, since += step, at += step;
        if (since >= job.checkpoint_interval.value() - 1e-6) since = unsaved = 0, at += job.checkpoint_time.value();
        wall = at;
      }
      if (left <= 1e-6) break;
      wall = std::max(wall, when);
      computing += by;
      if (by < 0) paused = when + 40;
      if (computing == 0) left += unsaved, unsaved = since = 0;
    }
    walls.push_back(left <= 1e-6 ? wall : 1e18);
    all.ended += left <= 1e-6 ? 1 : 0;
    all.mean += wall / runs;
    int there = 0;
    double before = 0;
    for (const auto& [when, by] : paid) {
      all.billed += there * (std::min(when, wall) - before) / static_cast<double>(job.slices) / runs;
      there += by, before = std::min(when, wall);
    }
  }
  std::sort(walls.begin(), walls.end());
  all.half = walls[walls.size() / 2];
  return all;
}

/// A run of 34 hours on slices of spot, each of which lasts that long.
run_at_risk on_spot(std::int64_t slices, seconds lasts, seconds queue, seconds restart) {
  run_at_risk job;
  job.run = {34_h, 34_h, 34_h};
  job.slices = slices;
  job.checkpoint_interval = 4_min;
  job.checkpoint_time = 10_s;
  job.restart_time = job.start_up = restart;
  job.queue_time = queue;
  job.lifetime = believed_within(lasts / static_cast<double>(slices), 1);
  return job;
}
const risk_policy elastic_policy = [] {
  risk_policy policy;
  policy.elastic = true;
  return policy;
}();

TEST_CASE("an elastic run is that of a world in which each slice comes and goes", "[slow]") {
  struct world {
    std::int64_t slices;
    seconds lasts, queue, restart;
  };
  for (const world& one : {world{2, 1_h, 2_h, 10_min}, world{2, 4_h, 18_min, 10_min}, world{8, 1_h, 2_h, 10_min},
                           world{4, 30_min, 30_min, 5_min}, world{24, 2_h, 6_h, 10_min}, world{2, 20_min, 0_s, 10_min},
                           world{400, 32_h, 18_min, 10_min}}) {
    const run_at_risk job = on_spot(one.slices, one.lasts, one.queue, one.restart);
    const many_runs seen = played(job, elastic_policy, 300), plain = elastic_plainly(job, one.lasts.value(), 300);
    INFO(one.slices << " slices that last " << one.lasts.value() << " s, waits of " << one.queue.value() << " s");
    CHECK(plain.ended == 300);
    CHECK(seen.ended == 300);
    CHECK(close(seen.half, plain.half, 0.03));
    CHECK(close(seen.mean, plain.mean, 0.03));
    CHECK(close(seen.billed, plain.billed, 0.03));
  }
}

TEST_CASE("an elastic run is never later than one that starts again, and ends as often") {
  for (const std::int64_t slices : {2, 3, 16}) {
    for (const seconds lasts : {3_min, 20_min, 1_h, 8_h, 200_h}) {
      for (const seconds queue : {0_s, 2_min, 1_h, 10_h}) {
        for (const seconds restart : {20_s, 10_min}) {
          const run_at_risk job = on_spot(slices, lasts, queue, restart);
          const many_runs elastic = played(job, elastic_policy, 100), again = played(job, {}, 100);
          INFO(slices << " slices that last " << lasts.value() << " s, waits of " << queue.value() << " s, restarts of "
                      << restart.value() << " s");
          CHECK(elastic.ended >= again.ended);
          CHECK(elastic.half <= 1.03 * again.half);
        }
      }
    }
  }
}

TEST_CASE("an elastic run that nothing stops, one whose pieces end, and one that fails") {
  run_at_risk job = exactly_ten_days();
  job.slices = 4;
  CHECK(play(job, {}, elastic_policy, {1, 1, 1}).wall == play(job, {}, {}, {1, 1, 1}).wall);
  job.longest_piece = 7_days;
  job.queue_time = 2_h;
  const played_run pieces = play(job, {}, elastic_policy, {1, 1, 100}), again = play(job, {}, {}, {1, 1, 100});
  CHECK(pieces.stops == 1);
  CHECK(close(pieces.wall.value(), again.wall.value(), 1e-3));
  CHECK(close(pieces.billed.value(), again.billed.value(), 1e-3));
  job = exactly_ten_days();
  job.slices = 4;
  job.failures = believed_within(12_h, 1);  // each time 40 s of all, and 560 s more of one slice in four
  const many_runs failing = played(job, elastic_policy, 400);
  const double without = play(exactly_ten_days(), {}, {}, {1, 1, 1}).wall.value();
  CHECK(close(failing.mean, without * (1 + (40 + 560.0 / 4) / (12 * 3600)), 1e-3));
  CHECK(close(failing.billed, failing.mean));  // the machine in its place is paid for as it starts
}

TEST_CASE("each stop of an elastic run takes its restart, of those that are repeated too") {
  // A slice is lost each 1e6 s, so that no other is within the second in which it starts again; the work of 2000 stops
  // is that of eight blocks, which are not all played.
  run_at_risk job;
  job.run = {seconds{2e9}, seconds{2e9}, seconds{2e9}};
  job.slices = 2;
  job.checkpoint_interval = 1_h;
  job.restart_time = 1_s;
  job.lifetime = believed_within(seconds{1e6}, 1);
  for (const std::int64_t n : {1, 2, 3, 4, 5}) {
    const played_run run = play(job, {}, elastic_policy, {1, n, 5});
    CHECK(run.ended);
    CHECK(run.stops > 1500);
    CHECK(std::abs(run.wall.value() - 2e9 - static_cast<double>(run.stops)) < 0.01);
  }
}

}  // namespace risk_played_run_tests
