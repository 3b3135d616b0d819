#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tpuplan/cost/preemption.hpp>
#include <tpuplan/cost/spot.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"

using namespace tpuplan;

namespace cost_preemption_tests {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();

bool close(double value, double expected, double relative) {
  return std::abs(value - expected) <= relative * std::abs(expected);
}
bool close(seconds value, seconds expected, double relative) {
  return close(value.value(), expected.value(), relative);
}

spot_run base() {
  spot_run run;
  run.work = 10_h;
  run.checkpoint_interval = 30_min;
  run.checkpoint_time = 60_s;
  run.mean_time_between_preemptions = 5_h;
  run.restart_time = 300_s;
  return run;
}

// Runs over many orders of magnitude, each of which ends.
class random_runs {
 public:
  spot_run next() {
    spot_run run;
    run.work = seconds{log_uniform(1e2, 1e7)};
    run.mean_time_between_preemptions = seconds{log_uniform(1e2, 1e9)};
    run.checkpoint_interval = run.mean_time_between_preemptions * log_uniform(1e-4, 10);
    run.checkpoint_time = run.checkpoint_interval * log_uniform(1e-9, 1);
    run.restart_time = run.mean_time_between_preemptions * log_uniform(1e-6, 2);
    run.queue_time = seconds{log_uniform(1, 1e5)};
    run.restart_can_be_preempted = coin();
    run.final_checkpoint = coin();
    return run;
  }
  double log_uniform(double low, double high) {
    return std::exp(std::uniform_real_distribution<double>{std::log(low), std::log(high)}(engine_));
  }

 private:
  bool coin() { return std::bernoulli_distribution{}(engine_); }
  std::mt19937_64 engine_{20060222};
};

// The closed form of one segment, as it is printed.
struct closed_form {
  double billed;
  double preemptions;
};
closed_form segment(const spot_run& run, double length) {
  const double mean = run.mean_time_between_preemptions.value();
  const double restart = run.restart_time.value();
  if (!run.restart_can_be_preempted) return {(mean + restart) * std::expm1(length / mean), std::expm1(length / mean)};
  return {mean * std::exp(restart / mean) * std::expm1(length / mean),
          std::exp(restart / mean) * std::expm1(length / mean)};
}

// What a call throws, or a failed test.
struct refusal {
  errc code;
  std::string message;
};
refusal refusal_of(const plain_call<void()>& call) {
  try {
    call();
  } catch (const error& refused) {
    return {refused.code(), refused.what()};
  }
  FAIL("not refused");
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void check_refused(const plain_call<void()>& call, errc code, const std::string& field) {
  const refusal refused = refusal_of(call);
  CAPTURE(refused.message, field);
  CHECK(refused.code == code);
  CHECK(contains(refused.message, field + " is "));
  CHECK(contains(refused.message, "; valid: "));
}

enum class zero { is_allowed, is_missing };

// Every value that no time, price or factor may have.
void check_field(const std::string& field, zero at_zero, const plain_call<void(double)>& call) {
  INFO(field);
  check_refused([&] { call(not_a_number); }, errc::not_finite, field);
  check_refused([&] { call(infinity); }, errc::not_finite, field);
  check_refused([&] { call(-infinity); }, errc::not_finite, field);
  check_refused([&] { call(-1); }, errc::invalid_argument, field);
  check_refused([&] { call(-1e-300); }, errc::invalid_argument, field);
  if (at_zero == zero::is_missing) {
    check_refused([&] { call(0); }, errc::missing_field, field);
  } else {
    CHECK_NOTHROW(call(0));
  }
}

}  // namespace

TEST_CASE("the optimal interval is a minimum of the expected time", "[preemption]") {
  random_runs random;
  for (int i = 0; i < 300; ++i) {
    spot_run run;
    run.mean_time_between_preemptions = seconds{random.log_uniform(1e2, 1e7)};
    run.checkpoint_time = run.mean_time_between_preemptions * random.log_uniform(1e-6, 3);
    run.restart_time = run.mean_time_between_preemptions * random.log_uniform(1e-6, 1);
    run.restart_can_be_preempted = i % 2 == 0;
    const seconds best = optimal_interval(run.checkpoint_time, run.mean_time_between_preemptions);
    CAPTURE(run.mean_time_between_preemptions.value(), run.checkpoint_time.value(), best.value());
    // One segment of a long run: its factor is the run's.
    const auto factor = [&](seconds interval) {
      spot_run segment_alone = run;
      segment_alone.work = segment_alone.checkpoint_interval = interval;
      return expected_run(segment_alone).billed_factor;
    };
    CHECK(factor(best) < factor(best * 1.001));
    CHECK(factor(best) < factor(best * 0.999));
    CHECK(factor(best) <= factor(young_interval(run.checkpoint_time, run.mean_time_between_preemptions)));
    CHECK(factor(best) <=
          factor(daly_interval_high_order(run.checkpoint_time, run.mean_time_between_preemptions)) * (1 + 1e-15));
    CHECK(best < run.mean_time_between_preemptions);
  }
}

TEST_CASE("the rules for the interval agree where checkpoints are short", "[preemption]") {
  const seconds mean = 1e6_s;
  for (const double part : {1e-8, 1e-10, 1e-12}) {
    const seconds delta = mean * part;
    const seconds young = young_interval(delta, mean);
    CAPTURE(part);
    // Young's misses sqrt(delta / 2M) * 2/3 of the interval.
    CHECK(close(optimal_interval(delta, mean), young * (1 - 2.0 / 3 * std::sqrt(part / 2)), part));
    CHECK(close(daly_interval_high_order(delta, mean), optimal_interval(delta, mean), part));
    CHECK(close(daly_interval(delta, mean, 0_s), young - delta, 1e-15));
  }
  CHECK(close(optimal_interval(2400_s, 60_s), 60_s, 1e-15));  // long checkpoints: M
  CHECK(daly_interval(60_s, 5_h, 600_s) > daly_interval(60_s, 5_h, 300_s));
  CHECK(daly_interval_high_order(10_h, 5_h) == 5_h);
}

TEST_CASE("the parts of the expected time add up and equal the closed forms", "[preemption]") {
  random_runs random;
  for (int i = 0; i < 2000; ++i) {
    const spot_run run = random.next();
    const expected_spot_run answer = expected_run(run);
    CAPTURE(i, run.work.value(), run.checkpoint_interval.value(), run.mean_time_between_preemptions.value());
    CHECK(close(answer.work + answer.checkpoints, answer.failure_free, 1e-15));
    CHECK(close(answer.work + answer.checkpoints + answer.lost_work + answer.restarts, answer.billed, 1e-15));
    CHECK(close(answer.billed + answer.queue, answer.wall, 1e-15));
    CHECK(close(answer.queue, run.queue_time * answer.preemptions, 1e-15));
    CHECK(close(answer.billed_factor, answer.billed / run.work, 1e-15));
    CHECK(close(answer.wall_factor, answer.wall / run.work, 1e-15));
    CHECK(answer.work == run.work);
    CHECK(answer.lost_work > 0_s);
    CHECK(answer.restarts > 0_s);

    const double full = std::floor(run.work / run.checkpoint_interval);
    const double rest = run.work.value() - full * run.checkpoint_interval.value();
    const double length = (run.checkpoint_interval + run.checkpoint_time).value();
    const double last = run.final_checkpoint ? rest + run.checkpoint_time.value() : rest;
    closed_form total = segment(run, last);
    if (full > 0) {
      total.billed += full * segment(run, length).billed;
      total.preemptions += full * segment(run, length).preemptions;
    }
    CHECK(answer.segments == static_cast<std::int64_t>(full) + 1);
    CHECK(close(answer.billed.value(), total.billed, 1e-11));
    CHECK(close(answer.preemptions, total.preemptions, 1e-11));
    CHECK(close(answer.checkpoints, run.checkpoint_time * (run.final_checkpoint ? full + 1 : full), 1e-15));
  }
}

TEST_CASE("more of what costs time costs more of it", "[preemption]") {
  random_runs random;
  for (int i = 0; i < 500; ++i) {
    const spot_run run = random.next();
    const double before = expected_run(run).billed_factor;
    CAPTURE(i, before);
    spot_run changed = run;
    changed.restart_time *= 1.01;
    CHECK(expected_run(changed).billed_factor > before * (1 - 1e-15));
    changed = run;
    changed.checkpoint_time *= 1.01;
    CHECK(expected_run(changed).billed_factor >= before * (1 - 1e-15));
    changed = run;
    changed.mean_time_between_preemptions *= 0.99;
    CHECK(expected_run(changed).billed_factor > before);
    changed = run;
    changed.queue_time *= 2;
    CHECK(expected_run(changed).billed_factor == before);
    CHECK(expected_run(changed).wall > expected_run(run).wall);
    changed = run;
    changed.restart_can_be_preempted = true;
    const expected_spot_run may_be_hit = expected_run(changed);
    changed.restart_can_be_preempted = false;
    CHECK(may_be_hit.billed > expected_run(changed).billed * (1 - 1e-15));
    CHECK(may_be_hit.preemptions > expected_run(changed).preemptions * (1 - 1e-15));
    CHECK(may_be_hit.lost_work == expected_run(changed).lost_work);
  }
}

TEST_CASE("the expected time tends to its limits", "[preemption]") {
  SECTION("rare preemptions: half a segment and a restart for each") {
    spot_run run = base();
    for (const double mean : {1e8, 1e12, 1e20, 1e100, 1e300}) {
      run.mean_time_between_preemptions = seconds{mean};
      const expected_spot_run answer = expected_run(run);
      CAPTURE(mean);
      CHECK(close(answer.preemptions, 37200 / mean, 4000 / mean + 1e-15));
      CHECK(close(answer.lost_work.value(), 37200 / mean * 930, 4000 / mean + 1e-15));
      CHECK(close(answer.restarts.value(), 37200 / mean * 300, 4000 / mean + 1e-15));
    }
    CHECK(expected_run(run).billed == 37200_s);
  }
  SECTION("tiny checkpoints") {
    spot_run run = base();
    run.restart_time = 0_s;
    run.checkpoint_time = 0_s;
    const seconds free = expected_run(run).billed;
    run.checkpoint_time = seconds{1e-9};
    const expected_spot_run answer = expected_run(run);
    CHECK(close(answer.checkpoints, seconds{2e-8}, 1e-15));
    CHECK(close(answer.failure_free, 36000_s, 1e-12));
    CHECK(close(answer.billed, free, 1e-12));
  }
  SECTION("short segments lose nothing but restarts: W e^(R / M)") {
    spot_run run = base();
    run.checkpoint_interval = seconds{1e-6};
    run.checkpoint_time = 0_s;
    const expected_spot_run answer = expected_run(run);
    CHECK(answer.segments == 36000000000);
    CHECK(close(answer.billed.value(), 36000 * std::exp(300.0 / 18000), 1e-10));
    CHECK(close(answer.lost_work.value(), 1e-6, 1e-9));  // W tau / 2M
  }
  SECTION("lost work is continuous where its evaluation changes, at L = M / 2") {
    spot_run run = base();
    run.checkpoint_time = 0_s;
    run.work = run.checkpoint_interval = 9000_s;
    const seconds at = expected_run(run).lost_work;
    run.mean_time_between_preemptions = seconds{18000 * (1 + 1e-14)};
    CHECK(close(expected_run(run).lost_work, at, 1e-13));
    CHECK(close(at.value(), 18000 * std::expm1(0.5) - 9000, 1e-14));
  }
  SECTION("first order holds for rare preemptions only") {
    spot_run run = base();
    run.mean_time_between_preemptions = 1e9_s;
    CHECK(std::abs(1 + first_order_overhead(run) - expected_run(run).billed_factor) < 1e-6);
    run.mean_time_between_preemptions = 1000_s;
    CHECK(expected_run(run).billed_factor - 1 > 2 * first_order_overhead(run));
  }
}

TEST_CASE("work is cut into segments without being misled by rounding", "[preemption]") {
  const auto cut = [](double work, double interval) {
    spot_run run = base();
    run.work = seconds{work};
    run.checkpoint_interval = seconds{interval};
    run.checkpoint_time = seconds{0.01};
    return expected_run(run).segments;
  };
  for (int n = 1; n < 2000; ++n) {
    CAPTURE(n);
    CHECK(cut(n * 0.1, 0.1) == n);
    CHECK(cut(7, 7.0 / n) == n);
    CHECK(cut(n * 0.3 * (1 + 1e-12), 0.3) == n + 1);
    CHECK(cut(n * 0.3 * (1 - 1e-12), 0.3) == n);
  }
  CHECK(cut(5, 1e9) == 1);
  CHECK(cut(1e-300, 1e300) == 1);
  spot_run alone = base();
  alone.work = 30_min;
  alone.final_checkpoint = false;
  CHECK(expected_run(alone).segments == 1);
  CHECK(expected_run(alone).failure_free == 30_min);
}

TEST_CASE("mean times convert", "[preemption]") {
  for (const double probability : {1e-12, 0.01, 0.2, 0.5, 0.99, 1 - 1e-12}) {
    const seconds mean = mean_time_between_preemptions_from_probability(probability, 24_h);
    CAPTURE(probability);
    CHECK(close(preemption_probability(mean, 24_h), probability, 1e-14));
  }
  CHECK(close(mean_time_between_preemptions_from_probability(1e-12, 1_s), 1e12_s, 1e-11));
  CHECK(mean_time_between_preemptions_of_slices(16_h, 4) == 4_h);
  CHECK(mean_time_between_preemptions_from_count(100_h, 5) == 20_h);

  const std::string probability = "mean_time_between_preemptions: probability";
  check_field(probability, zero::is_missing,
              [](double p) { (void)mean_time_between_preemptions_from_probability(p, 24_h); });
  for (const double p : {1.0, 1.5, 100.0}) {
    check_refused([&] { (void)mean_time_between_preemptions_from_probability(p, 24_h); }, errc::out_of_range,
                  probability);
  }
  check_refused([&] { (void)mean_time_between_preemptions_from_probability(1e-300, 1e300_s); }, errc::out_of_range,
                probability);
  check_field("mean_time_between_preemptions: window", zero::is_missing,
              [](double t) { (void)mean_time_between_preemptions_from_probability(0.5, seconds{t}); });
  check_field("mean_time_between_preemptions: running", zero::is_missing,
              [](double t) { (void)mean_time_between_preemptions_from_count(seconds{t}, 3); });
  check_field("mean_time_between_preemptions: of_one_slice", zero::is_missing,
              [](double t) { (void)mean_time_between_preemptions_of_slices(seconds{t}, 3); });
  check_field("preemption_probability: mean_time_between_preemptions", zero::is_missing,
              [](double t) { (void)preemption_probability(seconds{t}, 1_h); });
  check_field("preemption_probability: window", zero::is_missing,
              [](double t) { (void)preemption_probability(1_h, seconds{t}); });
  check_refused([] { (void)mean_time_between_preemptions_from_count(1_h, 0); }, errc::missing_field,
                "mean_time_between_preemptions: preemptions");
  check_refused([] { (void)mean_time_between_preemptions_from_count(1_h, -1); }, errc::invalid_argument,
                "mean_time_between_preemptions: preemptions");
  check_refused([] { (void)mean_time_between_preemptions_of_slices(1_h, 0); }, errc::missing_field,
                "mean_time_between_preemptions: slices");
  check_refused([] { (void)mean_time_between_preemptions_of_slices(1_h, -4); }, errc::invalid_argument,
                "mean_time_between_preemptions: slices");
}

TEST_CASE("a comparison with on demand explains itself", "[preemption]") {
  random_runs random;
  for (int i = 0; i < 500; ++i) {
    const spot_run run = random.next();
    spot_prices prices;
    prices.on_demand = usd_per_hour(random.log_uniform(0.1, 100));
    prices.spot = prices.on_demand * random.log_uniform(0.01, 1.5);
    const spot_comparison answer = compare_spot(prices, run);
    const expected_spot_run expected = expected_run(run);
    CAPTURE(i);
    CHECK(answer.billed_factor == expected.billed_factor);
    CHECK(close((answer.spot_cost + answer.saving).value(), answer.on_demand_cost.value(),
                1e-15 * (1 + answer.billed_factor)));
    CHECK(close((answer.effective_price * run.work).value(), answer.spot_cost.value(), 1e-14));
    CHECK(std::abs(answer.saving_fraction - answer.saving / answer.on_demand_cost) <=
          1e-14 * (1 + std::abs(answer.saving_fraction)));
    CHECK(answer.spot_is_cheaper == (answer.billed_factor < answer.break_even_billed_factor));
    CHECK(answer.spot_is_cheaper == (answer.saving > 0_usd));
  }
  CHECK_FALSE(compare_spot({1_usd_per_h, 1_usd_per_h}, 1_h, 1_h).spot_is_cheaper);  // equal is not cheaper
  CHECK_FALSE(spot_is_cheaper({3_usd_per_h, 1_usd_per_h}, 3));
}

TEST_CASE("spot and on demand cost the same at the break-even", "[preemption]") {
  random_runs random;
  int feasible = 0;
  for (int i = 0; i < 500; ++i) {
    spot_run run = random.next();
    spot_prices prices;
    prices.spot = 1_usd_per_h;
    const double failure_free = expected_run(run).failure_free / run.work;
    prices.on_demand = usd_per_hour(failure_free * (1 + random.log_uniform(0.01, 1e3)));
    run.mean_time_between_preemptions = seconds{not_a_number};  // not used
    const seconds mean = break_even_mean_time_between_preemptions(prices, run);
    CAPTURE(i, mean.value(), prices.on_demand / prices.spot);
    run.mean_time_between_preemptions = mean;
    CHECK(close(expected_run(run).billed_factor, break_even_billed_factor(prices), 1e-12));
    run.mean_time_between_preemptions = mean * (1 + 1e-11);
    CHECK(spot_is_cheaper(prices, expected_run(run).billed_factor));
    run.mean_time_between_preemptions = mean * (1 - 1e-11);
    CHECK_FALSE(spot_is_cheaper(prices, expected_run(run).billed_factor));
    ++feasible;
  }
  CHECK(feasible == 500);

  // Checkpoints alone add 1/30: a smaller discount never pays.
  const std::string field = "spot_prices: spot";
  check_refused(
      [] {
        (void)break_even_mean_time_between_preemptions({1.03_usd_per_h, 1_usd_per_h}, base());
      },
      errc::infeasible, field);
  check_refused(
      [] {
        (void)break_even_mean_time_between_preemptions({1_usd_per_h, 2_usd_per_h}, base());
      },
      errc::infeasible, field);
  CHECK(break_even_mean_time_between_preemptions({1.04_usd_per_h, 1_usd_per_h}, base()) > 40_h);

  // A discount of 1e12 and of 1 + 1e-9 are found as well.
  spot_run run = base();
  run.checkpoint_time = 0_s;
  for (const double factor : {1 + 1e-9, 1e9, 1e12}) {
    CAPTURE(factor);
    run.mean_time_between_preemptions =
        break_even_mean_time_between_preemptions({usd_per_hour(factor), usd_per_hour(1)}, run);
    CHECK(close(expected_run(run).billed_factor, factor, 1e-12));
  }
}

TEST_CASE("every bad field of a spot run is refused by name", "[preemption]") {
  struct row {
    const char* field;
    seconds spot_run::*member;
    zero at_zero;
    bool in_first_order;
    bool in_break_even;
  };
  const std::vector<row> rows = {
      {"spot_run: work", &spot_run::work, zero::is_missing, false, true},
      {"spot_run: checkpoint_interval", &spot_run::checkpoint_interval, zero::is_missing, true, true},
      {"spot_run: checkpoint_time", &spot_run::checkpoint_time, zero::is_allowed, true, true},
      {"spot_run: mean_time_between_preemptions", &spot_run::mean_time_between_preemptions, zero::is_missing, true,
       false},
      {"spot_run: restart_time", &spot_run::restart_time, zero::is_allowed, true, true},
      {"spot_run: queue_time", &spot_run::queue_time, zero::is_allowed, false, false},
  };
  const spot_prices prices{2_usd_per_h, 1_usd_per_h};
  for (const row& row : rows) {
    const auto with = [&](double value) {
      spot_run run = base();
      run.*row.member = seconds{value};
      return run;
    };
    check_field(row.field, row.at_zero, [&](double value) { (void)expected_run(with(value)); });
    check_field(row.field, row.at_zero, [&](double value) { (void)compare_spot(prices, with(value)); });
    if (row.in_first_order) {
      check_field(row.field, row.at_zero, [&](double value) { (void)first_order_overhead(with(value)); });
    } else {
      CHECK_NOTHROW(first_order_overhead(with(not_a_number)));
    }
    if (row.in_break_even) {
      check_field(row.field, row.at_zero,
                  [&](double value) { (void)break_even_mean_time_between_preemptions(prices, with(value)); });
    } else {
      CHECK_NOTHROW(break_even_mean_time_between_preemptions(prices, with(not_a_number)));
    }
  }
  check_refused([] { (void)expected_run({}); }, errc::missing_field, "spot_run: work");
}

TEST_CASE("a run that never ends is refused, and where spot pays is still found", "[door][preemption]") {
  spot_run run = base();
  run.mean_time_between_preemptions = 3_s;  // 620 of them in a segment: absurd, and still a number
  run.restart_time = 30_s;
  CHECK_FALSE(can_finish(run));
  check_refused([&] { (void)expected_run(run); }, errc::out_of_range, "spot_run: mean_time_between_preemptions");
  run = {10_h, 10_h, 30_days, 4_h, 600_s, {}, true, true};  // checkpoints of 30 days
  check_refused([&] { (void)expected_run(run); }, errc::out_of_range, "spot_run: mean_time_between_preemptions");
  run = base();
  run.work = 1e19_s;
  run.checkpoint_interval = 1e10_s;
  check_refused([&] { (void)expected_run(run); }, errc::out_of_range, "spot_run: work");
  // A price at which hardly any work has to get done: the bisection passes through runs that never end.
  spot_terms terms;
  const seconds mean = break_even_mean_time_between_preemptions({1.2_usd_per_h, usd_per_hour(1e-9)}, 10_h, 1, terms);
  CHECK(mean > 1_s);
  terms.mean_time_between_preemptions = mean;
  CHECK(close(expected_run(best_spot_run(10_h, 1, terms)).billed_factor, 1.2e9, 1e-9));
}

TEST_CASE("terms of spot that no capacity has are refused by name", "[door][preemption]") {
  const auto refused = [](seconds spot_terms::*member, double value, const char* field) {
    spot_terms terms;
    terms.*member = seconds{value};
    check_refused([&] { (void)best_spot_run(10_h, 1, terms); }, errc::out_of_range, field);
  };
  refused(&spot_terms::mean_time_between_preemptions, 1e-320, "spot_terms.mean_time_between_preemptions");
  refused(&spot_terms::mean_time_between_preemptions, 1e13, "spot_terms.mean_time_between_preemptions");
  refused(&spot_terms::checkpoint_time, 1e8, "spot_terms.checkpoint_time");
  refused(&spot_terms::restart_time, 1e308, "spot_terms.restart_time");
  refused(&spot_terms::queue_time, 1e308, "spot_terms.queue_time");
  check_refused([] { (void)best_spot_run(seconds{1e300}, 1, {}); }, errc::out_of_range, "spot run: work");
  check_refused([] { (void)best_spot_run(seconds{1e-300}, 1, {}); }, errc::out_of_range, "spot run: work");
}

TEST_CASE("times that are not representable are refused, not infinite", "[preemption]") {
  const auto refused = [](seconds spot_run::*member, double value, const char* field) {
    spot_run run = base();
    run.*member = seconds{value};
    check_refused([&] { (void)expected_run(run); }, errc::out_of_range, field);
  };
  const char* mean = "spot_run: mean_time_between_preemptions";
  refused(&spot_run::mean_time_between_preemptions, 1e-3, mean);
  refused(&spot_run::mean_time_between_preemptions, 2, mean);
  refused(&spot_run::mean_time_between_preemptions, std::numeric_limits<double>::denorm_min(), mean);
  refused(&spot_run::restart_time, 18000 * 710, mean);
  refused(&spot_run::restart_time, largest, mean);
  refused(&spot_run::checkpoint_time, 18000 * 710, mean);
  refused(&spot_run::checkpoint_time, largest, mean);
  refused(&spot_run::queue_time, largest, mean);
  refused(&spot_run::checkpoint_interval, 1e-300, "spot_run: checkpoint_interval");
  refused(&spot_run::checkpoint_interval, std::numeric_limits<double>::denorm_min(), "spot_run: checkpoint_interval");
  refused(&spot_run::work, largest, "spot_run: checkpoint_interval");
  refused(&spot_run::work, 1e-310, "spot_run: work");

  spot_run run = base();
  run.mean_time_between_preemptions = seconds{1e-320};
  run.restart_time = 0_s;
  check_refused([&] { (void)first_order_overhead(run); }, errc::out_of_range, mean);

  run = base();
  run.work = run.checkpoint_interval = 1e200_s;
  check_refused(
      [&] {
        (void)break_even_mean_time_between_preemptions({2_usd_per_h, 1_usd_per_h}, run);
      },
      errc::out_of_range, "spot_run: work");
}

TEST_CASE("bad arguments of the interval rules are refused by name", "[preemption]") {
  check_field("young_interval: checkpoint_time", zero::is_missing,
              [](double t) { (void)young_interval(seconds{t}, 5_h); });
  check_field("young_interval: mean_time_between_preemptions", zero::is_missing,
              [](double t) { (void)young_interval(60_s, seconds{t}); });
  check_field("daly_interval: checkpoint_time", zero::is_missing,
              [](double t) { (void)daly_interval(seconds{t}, 5_h, 300_s); });
  check_field("daly_interval: mean_time_between_preemptions", zero::is_missing,
              [](double t) { (void)daly_interval(60_s, seconds{t}, 300_s); });
  check_field("daly_interval: restart_time", zero::is_allowed,
              [](double t) { (void)daly_interval(60_s, 5_h, seconds{t}); });
  check_field("daly_interval_high_order: checkpoint_time", zero::is_missing,
              [](double t) { (void)daly_interval_high_order(seconds{t}, 5_h); });
  check_field("daly_interval_high_order: mean_time_between_preemptions", zero::is_missing,
              [](double t) { (void)daly_interval_high_order(60_s, seconds{t}); });
  check_field("optimal_interval: checkpoint_time", zero::is_missing,
              [](double t) { (void)optimal_interval(seconds{t}, 5_h); });
  check_field("optimal_interval: mean_time_between_preemptions", zero::is_missing,
              [](double t) { (void)optimal_interval(60_s, seconds{t}); });

  // Daly's low order has no answer above 0 from 2 (M + R) on.
  check_refused([] { (void)daly_interval(4200_s, 1800_s, 300_s); }, errc::out_of_range,
                "daly_interval: checkpoint_time");
  check_refused([] { (void)daly_interval(5000_s, 1800_s, 300_s); }, errc::out_of_range,
                "daly_interval: checkpoint_time");
  CHECK(daly_interval(4199_s, 1800_s, 300_s) > 0_s);

  // Neither overflow to infinity nor underflow to 0 is an interval.
  check_refused([] { (void)young_interval(1e300_s, 1e300_s); }, errc::out_of_range, "young_interval: checkpoint_time");
  check_refused([] { (void)young_interval(1e-300_s, 1e-300_s); }, errc::out_of_range,
                "young_interval: checkpoint_time");
  check_refused([] { (void)daly_interval(1e300_s, seconds{largest}, 0_s); }, errc::out_of_range,
                "daly_interval: checkpoint_time");
  check_refused([] { (void)daly_interval_high_order(1e-300_s, 1e300_s); }, errc::out_of_range,
                "daly_interval_high_order: checkpoint_time");
  check_refused([] { (void)optimal_interval(4_h, 15_s); }, errc::out_of_range, "optimal_interval: checkpoint_time");
  check_refused([] { (void)optimal_interval(1e-300_s, 1e300_s); }, errc::out_of_range,
                "optimal_interval: checkpoint_time");
}

TEST_CASE("bad prices and factors are refused by name", "[preemption]") {
  const auto price = [](double value) { return usd_per_second{value}; };
  check_field("spot_prices: on_demand", zero::is_missing, [&](double v) {
    (void)break_even_billed_factor({price(v), price(1)});
  });
  check_field("spot_prices: spot", zero::is_missing, [&](double v) {
    (void)break_even_billed_factor({price(1), price(v)});
  });
  check_field("spot_prices: on_demand", zero::is_missing, [&](double v) {
    (void)spot_saving({price(v), price(1)}, 1.1);
  });
  check_field("spot_prices: spot", zero::is_missing, [&](double v) {
    (void)spot_is_cheaper({price(1), price(v)}, 1.1);
  });
  check_field("spot_prices: spot", zero::is_missing, [&](double v) {
    (void)compare_spot({price(1), price(v)}, base());
  });
  check_field("spot_prices: on_demand", zero::is_missing, [&](double v) {
    (void)break_even_mean_time_between_preemptions({price(v), price(1)}, base());
  });
  check_field("effective_price: spot", zero::is_missing, [&](double v) { (void)effective_price(price(v), 1.1); });

  const spot_prices prices{2_usd_per_h, 1_usd_per_h};
  for (const double factor : {0.0, -1.0, 0.999999}) {
    check_refused([&] { (void)effective_price(prices.spot, factor); }, errc::out_of_range,
                  "effective_price: billed_factor");
    check_refused([&] { (void)spot_saving(prices, factor); }, errc::out_of_range, "billed_factor");
    check_refused([&] { (void)spot_is_cheaper(prices, factor); }, errc::out_of_range, "spot_is_cheaper: billed_factor");
  }
  for (const double factor : {not_a_number, infinity, -infinity}) {
    check_refused([&] { (void)effective_price(prices.spot, factor); }, errc::not_finite,
                  "effective_price: billed_factor");
    check_refused([&] { (void)spot_saving(prices, factor); }, errc::not_finite, "billed_factor");
    check_refused([&] { (void)spot_is_cheaper(prices, factor); }, errc::not_finite, "spot_is_cheaper: billed_factor");
  }
  check_field("compare_spot: work", zero::is_missing, [&](double v) { (void)compare_spot(prices, seconds{v}, 1_h); });
  check_field("compare_spot: billed", zero::is_missing, [&](double v) { (void)compare_spot(prices, 1_h, seconds{v}); });
  check_refused([&] { (void)compare_spot(prices, 2_h, 1.9_h); }, errc::invalid_argument, "compare_spot: billed");

  check_refused([&] { (void)effective_price(price(1e300), 1e10); }, errc::out_of_range,
                "effective_price: billed_factor");
  check_refused(
      [&] {
        (void)break_even_billed_factor({price(1e300), price(1e-300)});
      },
      errc::out_of_range, "spot_prices: spot");
  check_refused(
      [&] {
        (void)spot_saving({price(1e-300), price(1e10)}, 1);
      },
      errc::out_of_range, "spot_prices: on_demand");
  check_refused([&] { (void)compare_spot(prices, 1e-300_s, 1e300_s); }, errc::out_of_range, "compare_spot: work");
  check_refused(
      [&] {
        (void)compare_spot({price(1e10), price(1e10)}, 1e300_s, 1e300_s);
      },
      errc::out_of_range, "compare_spot: billed");
}

}  // namespace cost_preemption_tests
