// The calibration as a program: fits the constants of the training step to data/measured/measured.json, prints them as
// they stand in estimate/calibration.hpp, with their errors, and the accuracy with each model family left out.
#include <fmt/format.h>

#include <tpuplan/io/calibrate.hpp>

#ifndef TPUPLAN_DATA_DIR
#define TPUPLAN_DATA_DIR "data"
#endif

using namespace tpuplan;

namespace {

void print_constants(const calibration_fit& fit) {
  fmt::print("| constant | prior | log sd | fitted | log s.e. |\n|---|---:|---:|---:|---:|\n");
  for (const fitted_constant& c : fit.fitted) {
    fmt::print("| {} | {} | {} | {:.4g} | {:.2f} |\n", c.name, c.prior, c.prior_spread, c.value, c.spread);
  }
  fmt::print("\nMXU fraction by generation:");
  for (std::size_t g = 0; g < generations.size(); ++g) {
    fmt::print(" {} {:.3g} ({:.2f})", generations[g].name.view(), fit.constants.mxu_fraction[g], fit.mxu_spread[g]);
  }
  fmt::print("\n\n");
}

void print_row(const char* label, const error_summary& s) {
  fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {:+.1f} % |\n", label, s.records, 100 * s.median, 100 * s.p90,
             100 * s.bias);
}

error_summary of_constants(const std::vector<training_record>& runs, const calibration& constants) {
  std::vector<double> errors;
  for (const training_record& run : runs) {
    errors.push_back(step_time(run.model, run.job, run.mesh, run.where, constants).total / run.measured - 1);
  }
  return summary_of(errors);
}

}  // namespace

int main() {
  const std::vector<training_record> runs = calibration_runs(load_json(TPUPLAN_DATA_DIR "/measured/measured.json"));
  const calibration_fit fit = fit_calibration(runs);
  print_constants(fit);
  std::vector<double> errors;
  std::map<std::string, std::vector<double>> families;
  for (const left_out_run& run : leave_families_out(runs)) {
    errors.push_back(run.error);
    families[run.family].push_back(run.error);
  }
  fmt::print("| step time | records | median | p90 | bias |\n|---|---:|---:|---:|---:|\n");
  print_row("shipped constants, in sample", of_constants(runs, calibration{}));
  print_row("fitted constants, in sample", of_constants(runs, fit.constants));
  print_row("family left out", summary_of(errors));
  for (const auto& [family, of_family] : families) print_row(family.c_str(), summary_of(of_family));
  double inside = 0;
  for (const double error : errors) inside += std::abs(error) <= detail::usual_band ? 1 : 0;
  fmt::print("\n{:.1f} % of the left-out runs are within {:.0f} %\n", 100 * inside / static_cast<double>(errors.size()),
             100 * detail::usual_band);
}
