// The committed constants are what the calibration produces, and they predict families that it has not seen.
#include <algorithm>
#include <cmath>
#include <lab/training_errors.hpp>
#include <lab/training_fit.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace {

const std::vector<training_record>& runs() {
  static const std::vector<training_record> list =
      calibration_runs(load_json(TPUPLAN_DATA_DIR "/measured/measured.json"));
  return list;
}

double to_three_digits(double value) {
  const double size = std::pow(10.0, 2 - std::floor(std::log10(value)));
  return std::round(value * size) / size;
}

}  // namespace

TEST_CASE("the committed constants are what the calibration produces, to three digits") {
  REQUIRE(runs().size() == 99);
  const calibration fitted = fit_calibration(runs()).constants;
  const calibration committed;
  REQUIRE(fitted.chips.count == committed.chips.count);
  for (std::size_t i = 0; i < committed.chips.count; ++i) {
    const chip_constants& chip = committed.chips.items[i];
    INFO(chip.chip.view());
    CHECK(to_three_digits(fitted.chips.items[i].mxu_fraction) == chip.mxu_fraction);
  }
  CHECK(to_three_digits(fitted.other_mxu_fraction) == committed.other_mxu_fraction);
  CHECK(to_three_digits(fitted.hbm_passes) == committed.hbm_passes);
  CHECK(to_three_digits(fitted.dispatch_passes) == committed.dispatch_passes);
  CHECK(to_three_digits(fitted.exposed_fsdp) == committed.exposed_fsdp);
  CHECK(to_three_digits(fitted.general_software) == committed.general_software);
}

TEST_CASE("the runs behind each chip are those that the constants are fitted to") {
  for (const training_coverage& row : training_runs) {
    training_coverage counted{row.chip};
    for (const training_record& run : runs()) {
      if (run.where.chip.name != row.chip) continue;
      const bool eight_bit = run.job.compute == dtype::int8 || run.job.compute == dtype::fp8;
      ++(has_experts(run.model) ? counted.experts : eight_bit ? counted.eight_bit : counted.dense);
    }
    INFO(row.chip.view());
    CHECK(counted.dense == row.dense);
    CHECK(counted.eight_bit == row.eight_bit);
    CHECK(counted.experts == row.experts);
  }
}

TEST_CASE("the committed errors of fitted constants are those of the calibration") {
  const calibration_fit fit = fit_calibration(runs());
  const calibration& errors = calibration_log_errors;
  for (std::size_t i = 0; i < errors.chips.count; ++i) {
    const chip_constants& chip = errors.chips.items[i];
    INFO(chip.chip.view());
    CHECK(std::abs(fit.mxu_spread[i] - chip.mxu_fraction) < 0.01);
  }
  for (const fitted_constant& one : fit.fitted) {
    INFO(one.name);
    if (one.name == "mxu_fraction") CHECK(std::abs(one.spread - errors.other_mxu_fraction) < 0.01);
    if (one.name == "hbm_passes") CHECK(std::abs(one.spread - errors.hbm_passes) < 0.01);
    if (one.name == "dispatch_passes") CHECK(std::abs(one.spread - errors.dispatch_passes) < 0.01);
    if (one.name == "exposed_fsdp") CHECK(std::abs(one.spread - errors.exposed_fsdp) < 0.01);
    if (one.name == "general_software") CHECK(std::abs(one.spread - errors.general_software) < 0.01);
  }
}

TEST_CASE("families that were left out are predicted as well as committed: 6.5 % median, 16.3 % p90") {
  std::vector<double> errors;
  std::size_t inside = 0;
  for (const left_out_run& run : leave_families_out(runs())) {
    errors.push_back(run.error);
    if (std::abs(run.error) <= detail::usual_band) ++inside;
  }
  const error_summary left_out = summary_of(errors);
  REQUIRE(left_out.records == 99);
  CHECK(left_out.median < 0.065 + 0.01);
  CHECK(left_out.p90 < 0.163 + 0.01);
  CHECK(std::abs(left_out.bias) < 0.02);
  // The band holds nine of ten, and is no wider than a quarter above the ninetieth percentile.
  CHECK(static_cast<double>(inside) >= 0.9 * 99);
  CHECK(detail::usual_band <= 1.25 * left_out.p90);
}

TEST_CASE("a fit does not depend on the order of its runs, and needs one") {
  std::vector<training_record> reversed(runs().rbegin(), runs().rend());
  CHECK(std::abs(fit_calibration(reversed).constants.hbm_passes / fit_calibration(runs()).constants.hbm_passes - 1) <
        1e-6);
  CHECK_THROWS_AS(fit_calibration({}), error);
}

TEST_CASE("without data the priors stand, and a measurement of the caller's own scales every estimate") {
  const std::vector<training_record> one = {runs().front()};
  const calibration_fit fit = fit_calibration(one);
  CHECK(std::abs(fit.constants.dispatch_passes - 18) < 0.01);  // a dense model says nothing about dispatch
  const training_record& run = runs().front();
  const calibration own = scaled_to(9.1_s, run.model, run.job, run.mesh, run.where);
  CHECK(std::abs(step_time(run.model, run.job, run.mesh, run.where, own).total.value() / 9.1 - 1) < 1e-12);
  const training_record& other = runs().back();
  const double before = step_time(other.model, other.job, other.mesh, other.where).total.value();
  CHECK(
      std::abs(step_time(other.model, other.job, other.mesh, other.where, own).total.value() / before / own.own_factor -
               1) < 1e-12);
  CHECK_THROWS_AS(scaled_to(0_s, run.model, run.job, run.mesh, run.where), error);
}

TEST_CASE("every optional term does something in some run, and is off where it is left out") {
  for (std::size_t i = 0; i < optional_terms.size(); ++i) {
    INFO(optional_terms[i].name);
    const calibration all;
    calibration without;
    optional_terms[i].switch_off(without);
    std::size_t changed = 0;
    for (const training_record& run : runs()) {
      const seconds before = step_time(run.model, run.job, run.mesh, run.where, all).total;
      changed += step_time(run.model, run.job, run.mesh, run.where, without).total != before ? 1U : 0U;
    }
    CHECK(changed > 0);
  }
  const std::vector<training_record> one = {runs().front()};
  term_set without;
  without.set(6);
  REQUIRE(optional_terms[6].name == "HBM traffic");
  CHECK(fit_calibration(one, without).constants.hbm_passes == 0);
  CHECK(fit_calibration(one).constants.hbm_passes > 1);
}

TEST_CASE("the choice of terms drops what its runs say nothing of, and never sees the family that is predicted") {
  std::vector<training_record> dense;
  for (const training_record& run : runs()) {
    const auto same = [&](const training_record& other) { return other.family == run.family; };
    const bool seen = std::any_of(dense.begin(), dense.end(), same);
    if (!seen && !has_experts(run.model) && slices(run.mesh) == 1 && dense.size() < 3) dense.push_back(run);
  }
  REQUIRE(dense.size() == 3);
  std::size_t told = 0;
  const auto hear = [&](const std::vector<training_record>& others, const term_set& dropped) {
    CHECK(others.size() == 2);
    for (std::size_t i = 0; i < optional_terms.size(); ++i) {
      const std::string_view term = optional_terms[i].name;
      INFO(term);
      if (term == "dispatch of experts" || term == "exposed expert" || term == "exposed DCN") CHECK(dropped[i]);
    }
    ++told;
  };
  const std::vector<left_out_run> nested = leave_families_out_nested(dense, hear);
  REQUIRE(nested.size() == 3);
  CHECK(told == 3);
  // What the left-out family took does not reach its own prediction.
  std::vector<training_record> slower = dense;
  slower[0].measured *= 2;
  const auto deaf = [](const std::vector<training_record>&, const term_set&) {};
  for (const left_out_run& run : leave_families_out_nested(slower, deaf)) {
    if (run.id != dense[0].id) continue;
    for (const left_out_run& before : nested) {
      if (before.id == run.id) CHECK(before.predicted == run.predicted);
    }
  }
}
