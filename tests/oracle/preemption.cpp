// tpuplan against data/oracles/preemption.json: closed forms of spot runs and simulations of them.

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/cost/preemption.hpp>
#include <vector>

#include "support/catch.hpp"

#ifndef TPUPLAN_DATA_DIR
#error "TPUPLAN_DATA_DIR is the folder of the data, as a string"
#endif

using namespace tpuplan;

namespace oracle_preemption_tests {
using nlohmann::json;

namespace {

constexpr double tolerance = 1e-9;

const json& oracle() {
  static const json document = [] {
    std::ifstream file{std::string{TPUPLAN_DATA_DIR} + "/oracles/preemption.json"};
    return json::parse(file);
  }();
  return document;
}

double number(const json& object, const char* key) { return object.at(key).get<double>(); }
seconds time(const json& object, const char* key) { return seconds{number(object, key)}; }

void check_close(const char* what, double value, double expected) {
  CAPTURE(what, value, expected);
  CHECK(std::abs(value - expected) <= tolerance * std::abs(expected));
}
void check_close(const char* what, seconds value, double expected) { check_close(what, value.value(), expected); }

void check_within_errors(const char* what, double value, const json& sampled) {
  const double mean = number(sampled, "mean");
  const double standard_error = number(sampled, "standard_error");
  CAPTURE(what, value, mean, standard_error);
  if (standard_error > 0) {
    CHECK(std::abs(value - mean) <= 4 * standard_error);
  } else {
    CHECK(std::abs(value - mean) <= 1e-3);  // nothing happened in any run: no error was estimated
  }
}

spot_run run_of(const json& inputs) {
  spot_run run;
  run.work = time(inputs, "W");
  run.checkpoint_interval = time(inputs, "tau");
  run.checkpoint_time = time(inputs, "delta");
  run.mean_time_between_preemptions = time(inputs, "M");
  run.restart_time = time(inputs, "R");
  run.queue_time = time(inputs, "Q");
  run.restart_can_be_preempted = inputs.at("restart_can_fail").get<bool>();
  run.final_checkpoint = inputs.at("final_checkpoint").get<bool>();
  return run;
}

// The overhead factor of a long run: one whole segment stands for all of them.
double long_run_factor(const json& inputs, seconds interval) {
  spot_run run;
  run.work = run.checkpoint_interval = interval;
  run.checkpoint_time = time(inputs, "delta");
  run.mean_time_between_preemptions = time(inputs, "M");
  run.restart_time = time(inputs, "R");
  return expected_run(run).billed_factor;
}

// Daly's low order may come out at 0 or below, which is no interval: tpuplan refuses it there.
void check_low_order(const char* what, const json& inputs, seconds restart, double expected) {
  const auto answer = [&] { return daly_interval(time(inputs, "delta"), time(inputs, "M"), restart); };
  CAPTURE(what, expected);
  if (expected > 0) {
    check_close(what, answer(), expected);
    return;
  }
  errc code{};
  try {
    (void)answer();
  } catch (const error& refused) {
    code = refused.code();
  }
  CHECK(code == errc::out_of_range);
}

}  // namespace

TEST_CASE("oracle: optimal_interval", "[oracle][preemption]") {
  const json& cases = oracle().at("optimal_interval").at("cases");
  CHECK(cases.size() == 12);
  for (const json& row : cases) {
    const json& inputs = row.at("inputs");
    const json& expected = row.at("expected");
    INFO("optimal_interval " << inputs.dump());
    const seconds delta = time(inputs, "delta");
    const seconds mean = time(inputs, "M");
    check_close("young_1974", young_interval(delta, mean), number(expected, "young_1974"));
    check_close("daly_2006_higher_order", daly_interval_high_order(delta, mean),
                number(expected, "daly_2006_higher_order"));
    check_close("exact_lambert_w", optimal_interval(delta, mean), number(expected, "exact_lambert_w"));
    check_low_order("daly_2006_lower_order", inputs, time(inputs, "R"), number(expected, "daly_2006_lower_order"));
    check_low_order("daly_2006_lower_order_R0", inputs, 0_s, number(expected, "daly_2006_lower_order_R0"));
    check_close("exact_overhead_factor_at_exact", long_run_factor(inputs, optimal_interval(delta, mean)),
                number(expected, "exact_overhead_factor_at_exact"));
    check_close("exact_overhead_factor_at_young", long_run_factor(inputs, young_interval(delta, mean)),
                number(expected, "exact_overhead_factor_at_young"));
    check_close("exact_overhead_factor_at_daly_higher", long_run_factor(inputs, daly_interval_high_order(delta, mean)),
                number(expected, "exact_overhead_factor_at_daly_higher"));
  }
}

TEST_CASE("oracle: published optima of Daly 2006", "[oracle][preemption]") {
  const json& cases = oracle().at("optimal_interval").at("published_checks").at("cases");
  CHECK(cases.size() == 3);
  for (const json& row : cases) {
    const json& inputs = row.at("inputs");
    INFO("published_checks " << inputs.dump());
    const seconds delta = time(inputs, "delta");
    const seconds mean = time(inputs, "M");
    check_close("daly_2006_higher_order_minutes", daly_interval_high_order(delta, mean) / 60,
                number(row, "daly_2006_higher_order_minutes"));
    check_close("exact_lambert_w_minutes", optimal_interval(delta, mean) / 60, number(row, "exact_lambert_w_minutes"));
    check_close("young_minutes", young_interval(delta, mean) / 60, number(row, "young_minutes"));
    const auto published = row.at("published_tau_minutes").get<std::string>();
    const double last_digit = published.find('.') == std::string::npos ? 1 : 0.1;
    CHECK(std::abs(daly_interval_high_order(delta, mean).value() / 60 - std::stod(published)) <= last_digit / 2);
  }
}

TEST_CASE("oracle: expected_time", "[oracle][preemption]") {
  const json& cases = oracle().at("expected_time");
  CHECK(cases.size() == 13);
  for (const json& row : cases) {
    INFO("expected_time " << row.at("name").get<std::string>());
    const spot_run run = run_of(row.at("inputs"));
    const expected_spot_run answer = expected_run(run);
    const json& expected = row.at("expected");
    check_close("wall_s", answer.wall, number(expected, "wall_s"));
    check_close("billed_s", answer.billed, number(expected, "billed_s"));
    check_close("failures", answer.preemptions, number(expected, "failures"));
    CHECK(answer.segments == expected.at("segments").get<std::int64_t>());
    check_close("failure_free_s", answer.failure_free, number(expected, "failure_free_s"));
    check_close("wall_over_W", answer.wall_factor, number(expected, "wall_over_W"));
    check_close("billed_over_W", answer.billed_factor, number(expected, "billed_over_W"));
    check_close("first_order_overhead", first_order_overhead(run), number(expected, "first_order_overhead"));
  }
}

TEST_CASE("oracle: monte_carlo", "[oracle][preemption]") {
  std::vector<std::string> not_modelled;
  int compared = 0;
  for (const json& row : oracle().at("monte_carlo")) {
    const auto name_of_case = row.at("name").get<std::string>();
    const json& inputs = row.at("inputs");
    if (inputs.contains("lifetime")) {  // not exponential
      not_modelled.push_back(name_of_case);
      continue;
    }
    ++compared;
    INFO("monte_carlo " << name_of_case);
    const expected_spot_run answer = expected_run(run_of(inputs));
    const json& expected = row.at("expected");
    check_within_errors("wall_s", answer.wall.value(), expected.at("wall_s"));
    check_within_errors("billed_s", answer.billed.value(), expected.at("billed_s"));
    check_within_errors("failures", answer.preemptions, expected.at("failures"));
    check_within_errors("lost_work_s", answer.lost_work.value(), expected.at("lost_work_s"));
    check_within_errors("restart_s", answer.restarts.value(), expected.at("restart_s"));
    check_within_errors("queue_wait_s", answer.queue.value(), expected.at("queue_wait_s"));
    check_close("checkpoint_write_s_in_kept_segments", answer.checkpoints,
                number(expected, "checkpoint_write_s_in_kept_segments"));
    check_close("closed_form_wall_s", answer.wall, number(row, "closed_form_wall_s"));
  }
  CHECK(compared == 13);
  CHECK(not_modelled == std::vector<std::string>{"preemptible_24h_hard_cap", "weibull_shape_0.7_same_mean"});
}

TEST_CASE("oracle: what the exponential model misses", "[oracle][preemption]") {
  for (const json& row : oracle().at("monte_carlo")) {
    const json& inputs = row.at("inputs");
    if (!inputs.contains("lifetime")) continue;
    INFO("monte_carlo " << row.at("name").get<std::string>());
    const char* key = row.contains("comparison_without_cap_closed_form_wall_s")
                          ? "comparison_without_cap_closed_form_wall_s"
                          : "comparison_exponential_closed_form_wall_s";
    const expected_spot_run answer = expected_run(run_of(inputs));
    check_close(key, answer.wall, number(row, key));
    // Both other lifetimes make the run longer, by less than 2 %.
    const double simulated = number(row.at("expected").at("wall_s"), "mean");
    CHECK(simulated > answer.wall.value());
    CHECK(simulated < 1.02 * answer.wall.value());
  }
}

TEST_CASE("oracle: twenty_percent_readings", "[oracle][preemption]") {
  const json& readings = oracle().at("twenty_percent_readings").at("readings");
  REQUIRE(readings.size() == 4);
  spot_run at_least_one;  // 20 % chance of one or more in the job's 2 h, no checkpoints, R = 0
  at_least_one.work = at_least_one.checkpoint_interval = 2_h;
  at_least_one.mean_time_between_preemptions = mean_time_between_preemptions_from_probability(0.2, 2_h);
  spot_run per_hour;  // 20 % chance per hour
  per_hour.work = 2_h;
  per_hour.checkpoint_interval = 600_s;
  per_hour.checkpoint_time = 15_s;
  per_hour.restart_time = 300_s;
  per_hour.mean_time_between_preemptions = mean_time_between_preemptions_from_probability(0.2, 1_h);
  const seconds billed[] = {2_h * 1.2, 2_h / (1 - 0.2), expected_run(at_least_one).billed,
                            expected_run(per_hour).billed};

  for (std::size_t i = 0; i < readings.size(); ++i) {
    const json& row = readings[i];
    INFO("twenty_percent_readings " << row.at("reading").get<std::string>());
    check_close("billed_hours", in_hours(billed[i]), number(row, "billed_hours"));
    const spot_comparison at_half = compare_spot({38.40_usd_per_h, 19.20_usd_per_h}, 2_h, billed[i]);
    check_close("on demand", at_half.on_demand_cost.value(), 76.80);
    check_close("cost_at_19_20", at_half.spot_cost.value(), number(row, "cost_at_19_20"));
    check_close("saving_vs_76_80", at_half.saving_fraction, number(row, "saving_vs_76_80"));
    const spot_comparison at_quarter = compare_spot({38.40_usd_per_h, 9.60_usd_per_h}, 2_h, billed[i]);
    check_close("cost_at_9_60", at_quarter.spot_cost.value(), number(row, "cost_at_9_60"));
    check_close("saving_at_9_60", at_quarter.saving_fraction, number(row, "saving_at_9_60"));
  }
}

TEST_CASE("oracle: effective_price", "[oracle][preemption]") {
  const json& cases = oracle().at("effective_price");
  CHECK(cases.size() == 4);
  for (const json& row : cases) {
    INFO("effective_price " << row.at("name").get<std::string>());
    const json& inputs = row.at("inputs");
    const json& expected = row.at("expected");
    const spot_prices prices{usd_per_hour(number(inputs, "on_demand")), usd_per_hour(number(inputs, "spot"))};
    const spot_run run = run_of(inputs);
    const spot_comparison answer = compare_spot(prices, run);
    check_close("billed_factor", answer.billed_factor, number(expected, "billed_factor"));
    check_close("effective_usd_per_useful_chip_hour", in_usd_per_hour(answer.effective_price),
                number(expected, "effective_usd_per_useful_chip_hour"));
    check_close("saving_vs_on_demand", answer.saving_fraction, number(expected, "saving_vs_on_demand"));
    check_close("break_even_billed_factor", answer.break_even_billed_factor,
                number(expected, "break_even_billed_factor"));
    CHECK(answer.spot_is_cheaper == (number(expected, "saving_vs_on_demand") > 0));

    spot_run even = run;
    even.mean_time_between_preemptions = break_even_mean_time_between_preemptions(prices, run);
    check_close("billed factor at the break-even", expected_run(even).billed_factor,
                number(expected, "break_even_billed_factor"));
  }
}

TEST_CASE("oracle: mtbf_conversions", "[oracle][preemption]") {
  const json& cases = oracle().at("mtbf_conversions").at("cases");
  CHECK(cases.size() == 7);
  for (const json& row : cases) {
    const json& inputs = row.at("inputs");
    INFO("mtbf_conversions " << inputs.dump());
    const seconds answer =
        inputs.contains("p")
            ? mean_time_between_preemptions_from_probability(number(inputs, "p"), time(inputs, "T_hours") * 3600)
            : mean_time_between_preemptions_of_slices(time(inputs, "M_slice_hours") * 3600,
                                                      inputs.at("slices").get<std::int64_t>());
    check_close("M_hours", in_hours(answer), number(row.at("expected"), "M_hours"));
  }
}

TEST_CASE("oracle: observed_tpu_spot_2022", "[oracle][preemption]") {
  const json& observed = oracle().at("observed_tpu_spot_2022");
  std::vector<json> rows = observed.at("jobs");
  CHECK(rows.size() == 7);
  rows.push_back(observed.at("totals"));
  for (const json& row : rows) {
    INFO("observed_tpu_spot_2022 " << row.dump());
    check_close("mtbf_h",
                in_hours(mean_time_between_preemptions_from_count(time(row, "job_s"),
                                                                  row.at("recoveries").get<std::int64_t>())),
                number(row, "mtbf_h"));
  }
}

}  // namespace oracle_preemption_tests
