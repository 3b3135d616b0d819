// Chances of runs: against closed forms, and against a run that is played step by step.
#include <tpuplan/risk/outlook.hpp>

#include <random>
#include <utility>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace risk_outlook_tests {

run_at_risk ten_days() {
  run_at_risk job;
  job.run = {10_days, 8_days, 12_days};
  job.checkpoint_interval = 1_h;
  job.checkpoint_time = 15_s;
  job.restart_time = 600_s;
  return job;
}
run_at_risk exactly_ten_days() {
  run_at_risk job = ten_days();
  job.run = {10_days, 10_days, 10_days};
  return job;
}
const risk_prices paid{usd_per_second{0.1}, provisioning::on_demand, 0, usd_per_second{0.2}};

/// The mean and the chance by the deadline of a run that is played from interval to interval.
struct plain_runs {
  double mean = 0, in_time = 0;
};
/// The time from start to end of one such run, of slices that last `lifetime()` each; one of more than `most` is given
/// up.
template <class Lifetime>
double wall_played_plainly(const run_at_risk& job, double queue, std::mt19937_64& random, const Lifetime& lifetime,
                           double most = 1e18) {
  const auto waited = [&] { return queue > 0 ? std::exponential_distribution<double>(1 / queue)(random) : 0; };
  double wall = waited(), left = job.run.expected.value();
  double ends = wall + lifetime(), ready = wall + job.start_up.value();
  while (left > 1e-6 && wall <= most) {
    const double piece = std::min(left, job.checkpoint_interval.value());
    const double done = std::max(ready, wall) + piece + job.checkpoint_time.value();
    if (done <= ends) {
      wall = ready = done;
      left -= piece;
      continue;
    }
    wall = ends + waited();
    ends = wall + lifetime();
    ready = wall + job.restart_time.value();
  }
  return wall;
}
plain_runs played_plainly(const run_at_risk& job, double mean, double queue, double deadline, int runs) {
  std::mt19937_64 random(11);
  std::exponential_distribution<double> lifetime(1 / mean);
  plain_runs all;
  for (int n = 0; n < runs; ++n) {
    const double wall = wall_played_plainly(job, queue, random, [&] { return lifetime(random); });
    all.mean += wall / runs;
    all.in_time += wall <= deadline ? 1.0 / runs : 0;
  }
  return all;
}

TEST_CASE("without stops the chances are those of the band") {
  run_at_risk job = ten_days();
  job.checkpoint_time = seconds{};
  risk_limits limits;
  limits.deadline = 12_days;
  limits.budget = paid.rate * 10_days;
  const run_outlook seen = outlook_of(job, paid, limits);
  CHECK(seen.chance_in_time == 0.95);
  CHECK(seen.chance_in_budget == 0.5);
  CHECK(seen.chance_of_both == 0.5);
  CHECK(close(seen.wall_p50->value(), (10_days).value(), 1e-3));
  CHECK(close(seen.cost_p90->value() / seen.wall_p90->value(), 0.1));
  CHECK(seen.stops == 0);
  CHECK(seen.walls.size() == 99);
}

TEST_CASE("chances are those of runs that are played from interval to interval") {
  run_at_risk job = exactly_ten_days();
  job.start_up = 300_s;
  job.queue_time = 30_min;
  for (const seconds lifetime : {2_h, 6_h, 48_h}) {
    job.lifetime = believed_within(lifetime, 1);
    risk_limits limits;
    const plain_runs typical = played_plainly(job, lifetime.value(), 1800, 1e18, 4000);
    limits.deadline = seconds{typical.mean};
    const plain_runs plain = played_plainly(job, lifetime.value(), 1800, typical.mean, 4000);
    const run_outlook seen = outlook_of(job, paid, limits, {}, 4000);
    INFO("a slice lasts " << lifetime.value() << " s");
    CHECK(std::abs(seen.chance_in_time - plain.in_time) < 0.04);  // three standard errors of both
  }
}

/// Worlds as a job of ten days and a belief of 4 h within a factor of 16 have them.
class drawn_worlds {
 public:
  explicit drawn_worlds(std::mt19937_64& random) : random_(random) {}
  /// The job in the next world, and how long its slices last on average.
  [[nodiscard]] std::pair<run_at_risk, seconds> next(run_at_risk job) {
    const double z = drawn();
    job.run.expected = 10_days * std::pow(z < 0 ? 10.0 / 8 : 12.0 / 10, z);
    job.run.low = job.run.high = job.run.expected;
    return {job, 4_h * std::pow(16, drawn())};
  }

 private:
  [[nodiscard]] double drawn() { return normal_(random_) / 1.6448536269514722; }
  std::mt19937_64& random_;
  std::normal_distribution<double> normal_{};
};

TEST_CASE("on worlds that nobody knows a chance of 90 % is kept in 90 % of the runs", "[slow]") {
  run_at_risk job = ten_days();
  job.queue_time = 20_min;
  job.lifetime = believed_within(4_h, 16);
  const run_outlook promised = outlook_of(job, paid, {}, {}, 4000);
  std::mt19937_64 random(5);
  drawn_worlds drawn(random);
  int kept = 0;
  const int worlds = 3000;
  for (int n = 0; n < worlds; ++n) {
    auto [world, lasts] = drawn.next(job);
    world.lifetime = believed_within(lasts, 1);
    const played_run one = play(world, {}, {}, {77, n + 1, worlds});
    kept += promised.wall_p90 && one.ended && one.wall <= *promised.wall_p90 ? 1 : 0;
  }
  CHECK(std::abs(static_cast<double>(kept) / worlds - 0.9) < 0.02);
}

// What is promised takes lifetimes for exponential. In worlds that are played plainly they are not: most slices are
// short-lived (Weibull of shape 0.7), or most last about as long as the mean (shape 2).
TEST_CASE("a chance of 90 % is kept where lifetimes are not exponential", "[slow]") {
  run_at_risk job = ten_days();
  job.queue_time = 20_min;
  job.checkpoint_interval = optimal_interval(job.checkpoint_time, 4_h);  // as a run on spot has it
  job.lifetime = believed_within(4_h, 16);
  const run_outlook promised = outlook_of(job, paid, {}, {}, 4000);
  REQUIRE(promised.wall_p90);
  for (const double shape : {0.7, 1.0, 2.0}) {
    std::mt19937_64 random(5);
    drawn_worlds drawn(random);
    int kept = 0;
    const int worlds = 3000;
    for (int n = 0; n < worlds; ++n) {
      const auto [world, lasts] = drawn.next(job);
      std::weibull_distribution<double> lifetime(shape, lasts.value() / std::tgamma(1 + 1 / shape));
      const double most = promised.wall_p90->value();
      kept += wall_played_plainly(
                  world, 1200, random, [&] { return lifetime(random); }, most) <= most
                  ? 1
                  : 0;
    }
    INFO("shape " << shape);
    CHECK(std::abs(static_cast<double>(kept) / worlds - 0.9) < 0.02);
  }
}

TEST_CASE("what is done about stops") {
  run_at_risk job = ten_days();
  job.slices = 4;
  job.queue_time = 1_h;
  job.lifetime = believed_within(4_h, 16);
  risk_limits limits;
  limits.deadline = 16_days;
  limits.budget = usd{150000};
  const run_outlook plain = outlook_of(job, paid, limits);
  risk_policy policy;
  policy.on_demand_in_time = true;
  const run_outlook in_time = outlook_of(job, paid, limits, policy);
  CHECK(in_time.chance_in_time > 0.97);
  CHECK(in_time.chance_in_time > plain.chance_in_time + 0.2);
  CHECK(in_time.switched > 0.1);
  CHECK(in_time.chance_to_end == 1);
  policy = {};
  policy.on_demand_after = seconds{};
  CHECK(outlook_of(job, paid, limits, policy).stops < 2);  // the first stop was the last
  policy = {};
  policy.spare_slices = 1;
  CHECK(outlook_of(job, paid, limits, policy).chance_in_time > plain.chance_in_time);
  policy = {};
  policy.elastic = true;
  CHECK(outlook_of(job, paid, limits, policy).chance_in_time > plain.chance_in_time);
}

TEST_CASE("pieces of flex-start, windows, terms and failures") {
  run_at_risk job = exactly_ten_days();
  job.longest_piece = 7_days;
  job.queue_time = 2_h;
  const played_run pieces = play(job, {}, {}, {1, 1, 100});
  CHECK(pieces.stops == 1);
  CHECK(close(in_days(pieces.billed), 10 + (240 * 15 + 600) / 86400.0, 1e-3));
  CHECK(pieces.wall > pieces.billed);

  job = exactly_ten_days();
  risk_prices window = paid;
  window.kind = provisioning::calendar;
  CHECK(*outlook_of(job, window, {}).cost_p50 == window.rate * 11_days);  // 10 days and an hour of checkpoints
  risk_prices term = paid;
  term.kind = provisioning::commitment_1y;
  CHECK(*outlook_of(job, term, {}).cost_p50 == term.rate * 365_days);

  job.failures = believed_within(2_days, 1);
  const run_outlook failing = outlook_of(job, paid, {});
  CHECK(failing.stops > 4);
  CHECK(failing.stops < 6.5);
  CHECK(*failing.wall_p50 > 10_days);
  CHECK(failing.wall_p50->value() * paid.rate.value() == failing.cost_p50->value());  // nothing is waited for
}

TEST_CASE("a run that is always stopped is given up") {
  run_at_risk job = exactly_ten_days();
  job.lifetime = believed_within(60_s, 1);
  const run_outlook never = outlook_of(job, paid, {}, {}, 100);
  CHECK(never.chance_to_end == 0);
  CHECK(never.chance_of_both == 0);
  CHECK(never.chance_in_time == 1);  // without a deadline
  CHECK_FALSE(never.wall_p50);
  CHECK(never.walls.empty());
}

void check_refused(const plain_call<void()>& call, errc code, std::string_view field) {
  const refusal seen = refusal_of(call);
  CHECK(seen.refused);
  INFO(seen.message);
  CHECK(seen.code == code);
  CHECK(says(seen.message, field));
}

TEST_CASE("runs at risk that are refused, and why") {
  run_at_risk job = ten_days();
  job.checkpoint_interval = seconds{};
  check_refused([&] { (void)outlook_of(job, paid, {}); }, errc::out_of_range, "run_at_risk.checkpoint_interval");
  job = ten_days();
  job.run.high = 9_days;
  check_refused([&] { (void)outlook_of(job, paid, {}); }, errc::out_of_range, "run_at_risk.run.high");
  job = ten_days();
  job.longest_piece = 5_min;
  check_refused([&] { (void)outlook_of(job, paid, {}); }, errc::out_of_range, "run_at_risk.longest_piece");
  risk_policy policy;
  policy.elastic = true;
  check_refused([&] { (void)outlook_of(ten_days(), paid, {}, policy); }, errc::invalid_argument, "risk_policy.elastic");
  policy = {};
  policy.on_demand_in_time = true;
  check_refused([&] { (void)outlook_of(ten_days(), paid, {}, policy); }, errc::invalid_argument,
                "risk_policy.on_demand_in_time");
  policy = {};
  policy.spare_slices = -1;
  check_refused([&] { (void)outlook_of(ten_days(), paid, {}, policy); }, errc::out_of_range,
                "risk_policy.spare_slices");
  risk_prices free = paid;
  free.rate = usd_per_second{};
  check_refused([&] { (void)outlook_of(ten_days(), free, {}); }, errc::missing_field, "risk_prices.rate");
  check_refused([&] { (void)outlook_of(ten_days(), paid, {}, {}, 99); }, errc::out_of_range, "risk: runs");
}

TEST_CASE("a run of very many stops is played in blocks, and ends when the closed form says") {
  run_at_risk job;
  job.run = {500_days, 500_days, 500_days};
  job.checkpoint_interval = 5_min, job.checkpoint_time = 15_s, job.restart_time = 60_s;
  job.lifetime = believed_within(30_min, 1);
  const expected_spot_run expected = expected_run({500_days, 5_min, 15_s, 30_min, 60_s, seconds{}});
  const run_outlook many = outlook_of(job, paid, {}, {}, 400);
  CHECK(many.chance_to_end == 1);
  CHECK(many.stops == Approx(expected.preemptions).epsilon(0.02));
  CHECK(many.wall_p50->value() == Approx(expected.wall.value()).epsilon(0.02));
  CHECK(many.wall_p90->value() < 1.1 * many.wall_p10->value());
  risk_policy policy;
  policy.on_demand_in_time = true;
  risk_limits limits;
  limits.deadline = expected.wall * 0.95;
  CHECK(outlook_of(job, paid, limits, policy, 200).chance_in_time == 1);
  CHECK(outlook_of(job, paid, limits, {}, 200).chance_in_time < 0.5);
  policy = {};
  policy.on_demand_after = 10_days;
  const run_outlook later = outlook_of(job, paid, {}, policy, 200);
  CHECK(later.switched == 1);
  CHECK(*later.wall_p90 < *many.wall_p10);
}

TEST_CASE("chances of the limits alone are those of the outlook, where runs end early and where they do not") {
  run_at_risk job = ten_days();
  job.lifetime = believed_within(4_h, 4);
  risk_limits limits;
  limits.deadline = 14_days;
  for (const double budget : {0.0, 100e3, 130e3}) {
    if (budget > 0) limits.budget = usd{budget};
    const run_chances alone = chances_of(job, paid, limits, 500);
    const run_outlook all = outlook_of(job, paid, limits, {}, 500);
    CHECK(alone.in_time == all.chance_in_time);
    CHECK(alone.in_budget == all.chance_in_budget);
    CHECK(alone.of_both == all.chance_of_both);
  }
}

// From jobs that end to jobs of so many slices that no run of a block reaches a checkpoint.
TEST_CASE("jobs that are played with the same luck have the chances of luck of their own") {
  luck_of_runs luck(300);
  CHECK(luck.runs() == 300);
  CHECK(luck_of_runs().runs() == usual_played_runs);
  for (const double slices : {1.0, 4.0, 32.0, 256.0, 8192.0}) {
    for (const seconds wait : {seconds{}, 18_min}) {
      run_at_risk job = ten_days();
      job.start_up = 20_min;
      job.restart_time = 15_min;
      job.queue_time = wait;
      job.lifetime = believed_within(4_h / slices, 16);
      job.failures = believed_within(50_h, 2);
      risk_limits limits;
      limits.deadline = 40_days;
      limits.budget = usd{400e3};
      const run_chances alone = chances_of(job, paid, limits, luck);
      const run_outlook all = outlook_of(job, paid, limits, {}, 300);
      INFO(slices << " slices, a wait of " << wait.value());
      CHECK(alone.in_time == all.chance_in_time);
      CHECK(alone.in_budget == all.chance_in_budget);
      CHECK(alone.of_both == all.chance_of_both);
    }
  }
  CHECK_THROWS_AS(luck_of_runs(99), error);
}

TEST_CASE("an elastic run goes on on demand in time too") {
  run_at_risk job = ten_days();
  job.slices = 4;
  job.lifetime = believed_within(4_h, 1);
  job.queue_time = 2_h;
  risk_limits limits;
  limits.deadline = 13_days;
  risk_policy policy;
  policy.elastic = true;
  const run_outlook alone = outlook_of(job, paid, limits, policy, 500);
  policy.on_demand_in_time = true;
  const run_outlook in_time = outlook_of(job, paid, limits, policy, 500);
  CHECK(in_time.chance_in_time > alone.chance_in_time);
  CHECK(in_time.chance_in_time >= 0.98);
  CHECK(in_time.switched > 0);
}

}  // namespace risk_outlook_tests
