// What the calibration finds, and how well it predicts families that it has not seen. That the committed constants are
// what it finds is held by the test generated.constants.
#include <algorithm>
#include <cmath>
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

}  // namespace

TEST_CASE("families that were left out are predicted within 7.5 % median and 18 % p90") {
  std::vector<double> errors;
  double inside = 0;
  for (const left_out_run& run : leave_families_out(runs())) {
    errors.push_back(run.error);
    if (std::abs(run.error) <= detail::usual_band) inside += 1;
  }
  const error_summary left_out = summary_of(errors);
  CHECK(left_out.records >= 99);
  CHECK(left_out.records == runs().size());
  CHECK(left_out.median < 0.075);
  CHECK(left_out.p90 < 0.18);
  CHECK(std::abs(left_out.bias) < 0.02);
  // The band holds nine of ten, and is no wider than a quarter above the ninetieth percentile.
  CHECK(inside >= 0.9 * static_cast<double>(errors.size()));
  CHECK(detail::usual_band <= 1.25 * left_out.p90);
}

TEST_CASE("a fit does not depend on the order of its runs, and needs one") {
  std::vector<training_record> reversed(runs().rbegin(), runs().rend());
  CHECK(std::abs(fit_calibration(reversed).constants.hbm_passes / fit_calibration(runs()).constants.hbm_passes - 1) <
        1e-6);
  CHECK_THROWS_AS(fit_calibration({}), error);
}

TEST_CASE("a chip gets an MXU fraction of its own once a run is on it, without a place in the committed constants") {
  std::vector<training_record> moved(runs().begin(), runs().end());
  moved.erase(std::remove_if(moved.begin(), moved.end(),
                             [](const training_record& run) { return run.where.chip.name == "v2"; }),
              moved.end());
  const calibration without = fit_calibration(moved).constants;
  CHECK_FALSE(find_chip_constants(without, v2));
  CHECK(mxu_fraction(without, v2) == without.other_mxu_fraction);
  CHECK(find_chip_constants(fit_calibration(runs()).constants, v2));
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
