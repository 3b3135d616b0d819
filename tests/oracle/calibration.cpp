// What the calibration finds, and how well it predicts sources that it has not seen. That the committed constants are
// what it finds is held by the test generated.constants.
#include <algorithm>
#include <cmath>
#include <lab/training_bands.hpp>
#include <lab/training_fit.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace oracle_calibration_tests {

namespace {

const nlohmann::json& open_sets() {
  static const nlohmann::json document = open_records(TPUPLAN_DATA_DIR "/measured");
  return document;
}

const std::vector<training_record>& runs() {
  static const std::vector<training_record> list = calibration_runs(open_sets());
  return list;
}

}  // namespace

TEST_CASE("sources that were left out are predicted within 9 % median and 25 % p90", "[slow]") {
  std::vector<double> errors;
  for (const left_out_run& run : leave_sources_out(runs())) errors.push_back(run.error);
  const error_summary left_out = summary_of(errors);
  CHECK(left_out.records >= 207);
  CHECK(left_out.records == runs().size());
  CHECK(left_out.median < 0.09);
  CHECK(left_out.p90 < 0.25);
  CHECK(std::abs(left_out.bias) < 0.02);
}

TEST_CASE("bands that were made without a source hold nine of ten of its runs, in every kind with ten or more",
          "[slow]") {
  const std::vector<training_record> timed = timed_runs(open_sets());
  const std::vector<left_out_run> left_out = leave_sources_out(timed);
  const errors_by_kind kinds = kinds_of(timed, left_out);
  std::vector<double> inside(kinds.size()), all(kinds.size());
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const training_record& run = timed[i];
    const step_breakdown step = step_time(run.model, run.job, run.mesh, run.where);
    errors_by_kind others = kinds;
    for (errors_by_source& kind : others) kind.erase(run.source);
    const auto kind = static_cast<std::size_t>(step.kind);
    const training_band band = widened(bands_from(others)[kind], step.extrapolated, run.job.software);
    const double measured = 1 / (1 + left_out[i].error);
    inside[kind] += band.low <= measured && measured <= band.high ? 1 : 0;
    all[kind] += 1;
  }
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    INFO(name(static_cast<step_kind>(kind)));
    if (all[kind] >= 10) CHECK(inside[kind] >= 0.88 * all[kind]);
  }
}

TEST_CASE("a band is the conformal quantile of sources, and no band where they are too few") {
  // Nine sources of one run each: with the new one there are ten, and nine of them have nine tenths of the mass.
  errors_by_source nine;
  for (int i = 1; i <= 9; ++i) nine[std::to_string(i)] = {0.01 * i * (i % 2 == 0 ? 1 : -1)};
  const detail::log_band band = detail::conformal_band(nine);
  CHECK(std::abs(band.below - 0.09) < 1e-12);
  CHECK(std::abs(band.above - 0.08) < 1e-12);
  nine.erase("9");
  CHECK(std::isinf(detail::conformal_band(nine).above));
  // Two runs of a source share its mass.
  errors_by_source two = {{"a", {0.1, 0.3}}, {"b", {0.2}}};
  CHECK(std::abs(detail::source_quantile(two, 0.5, 0.5, [](double e) { return e; }) - 0.2) < 1e-12);
  CHECK(std::abs(detail::source_quantile(two, 0.5, 0.25, [](double e) { return e; }) - 0.1) < 1e-12);
}

TEST_CASE("what one team publishes is one source") {
  CHECK(team_of("AI-Hypercomputer/tpu-recipes@c8cfe2f training/trillium") == "AI-Hypercomputer/maxtext");
  CHECK(team_of("AI-Hypercomputer/torchprime README") == "AI-Hypercomputer/torchprime");
  CHECK(team_of("public GitHub, ahead-of-time compilation table (stored file)") == team_of("yangwhale notes"));
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

TEST_CASE("without data the priors stand") {
  const std::vector<training_record> one = {runs().front()};
  CHECK(std::abs(fit_calibration(one).constants.dispatch_passes - 18) <
        0.01);  // a dense model says nothing of dispatch
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
  without.set(8);
  REQUIRE(optional_terms[8].name == "HBM traffic");
  CHECK(fit_calibration(one, without).constants.hbm_passes == 0);
  CHECK(fit_calibration(one).constants.hbm_passes > 1);
}

TEST_CASE("the choice of terms drops what its runs say nothing of, and never sees the family that is predicted",
          "[slow]") {
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

}  // namespace oracle_calibration_tests
