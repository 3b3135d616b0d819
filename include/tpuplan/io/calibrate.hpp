#ifndef TPUPLAN_IO_CALIBRATE_HPP
#define TPUPLAN_IO_CALIBRATE_HPP

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tpuplan/estimate/training.hpp>
#include <tpuplan/io/validation.hpp>
#include <vector>

/// @file
/// The calibration: constants of the training step fitted to published runs, with standard errors, and what they
/// predict for a model family that was left out.

namespace tpuplan {
inline namespace abi_0 {

/// One fitted constant. `spread` is the standard deviation of its logarithm: before (`prior_spread`) and after the fit.
struct fitted_constant {
  std::string_view name;    ///< of a field of `calibration`, or of a chip for its MXU fraction
  double prior = 0;         ///< its value before the fit
  double prior_spread = 0;  ///< standard deviation of its logarithm before the fit
  double value = 0;         ///< its value after the fit
  double spread = 0;        ///< standard deviation of its logarithm after the fit
};

/// A fit: the constants, those that were free with their errors, and their covariance in logarithms.
struct calibration_fit {
  calibration constants{};              ///< as fitted, the others as given
  std::vector<fitted_constant> fitted;  ///< those that were free
  std::array<double, 7> mxu_spread{};   ///< of the MXU fraction of each generation
};

/// A term of the step time that can be left out, and how: its constant is put to where it has no effect. Constants that
/// are fitted are then free in name only, and stay at their priors.
struct optional_term {
  std::string_view name;             ///< what the term is called
  void (*switch_off)(calibration&);  ///< puts its constant to where it has no effect
};

/// Every term beside products at one rate that acts in a published run: ratios of the generations, and what each
/// constant or switch adds. Where traffic exceeds the work, in context parallelism and with state on hosts there is no
/// run.
inline constexpr std::array<optional_term, 19> optional_terms = {{
    {"generations apart", [](calibration& c) { c.mxu_fraction.fill(c.other_mxu_fraction); }},
    {"products padded", [](calibration& c) { c.products_padded = false; }},
    {"slower attention", [](calibration& c) { c.attention_slowdown = 1; }},
    {"attention in blocks", [](calibration& c) { c.attention_block = 0; }},
    {"widths of global heads", [](calibration& c) { c.global_heads_apart = false; }},
    {"update by optimizer", [](calibration& c) { c.fixed_update = 28; }},
    {"HBM traffic", [](calibration& c) { c.hbm_passes = 0; }},
    {"operands", [](calibration& c) { c.operand_reads = 0; }},
    {"gathered weights", [](calibration& c) { c.weight_reads = 0; }},
    {"dispatch of experts", [](calibration& c) { c.dispatch_passes = 0; }},
    {"dispatch on every shard", [](calibration& c) { c.dispatch_on_every_shard = false; }},
    {"exposed FSDP", [](calibration& c) { c.exposed_fsdp = 0; }},
    {"exposed tensor", [](calibration& c) { c.exposed_tensor = 0; }},
    {"exposed expert", [](calibration& c) { c.exposed_expert = 0; }},
    {"exposed DCN", [](calibration& c) { c.exposed_dcn = 0; }},
    {"jitter of slices", [](calibration& c) { c.slowdown_per_doubling = 0; }},
    {"gain of 8 bits", [](calibration& c) { c.low_precision_share = 0; }},
    {"general software", [](calibration& c) { c.general_software = 1; }},
    {"time per layer", [](calibration& c) { c.per_layer_pass = seconds{0}; }},
}};

/// Terms that are left out, by their place in `optional_terms`.
using term_set = std::bitset<optional_terms.size()>;

namespace detail {

/// The free constants: the level of the MXU fraction, the ratio of each generation to it, and four others. Ratios are
/// drawn to 1, so that a generation with one record is not believed too much.
inline std::vector<fitted_constant> free_constants() {
  std::vector<fitted_constant> list = {{"mxu_fraction", 0.74, 0.20, 0, 0}};
  for (const chip_spec& chip : generations) list.push_back({chip.name.view(), 1.0, 0.15, 0, 0});
  list.push_back({"hbm_passes", 1.2, 0.4, 0, 0});
  list.push_back({"dispatch_passes", 18.0, 0.4, 0, 0});
  list.push_back({"exposed_fsdp", 0.3, 0.4, 0, 0});
  list.push_back({"general_software", 1.05, 0.05, 0, 0});
  return list;
}

inline calibration constants_from(const std::vector<double>& logs, const term_set& without = {}) {
  calibration c;
  const double level = std::exp(logs[0]);
  for (std::size_t g = 0; g < 7; ++g) c.mxu_fraction[g] = level * std::exp(logs[1 + g]);
  c.other_mxu_fraction = level;
  c.hbm_passes = std::exp(logs[8]);
  c.dispatch_passes = std::exp(logs[9]);
  c.exposed_fsdp = std::exp(logs[10]);
  c.general_software = std::exp(logs[11]);
  for (std::size_t i = 0; i < optional_terms.size(); ++i) {
    if (without[i]) optional_terms[i].switch_off(c);
  }
  return c;
}

using matrix = std::vector<std::vector<double>>;

/// Solves a x = b by elimination with pivots; for a few unknowns.
inline std::vector<double> solve(matrix a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t row = i + 1; row < n; ++row) {
      if (std::abs(a[row][i]) > std::abs(a[pivot][i])) pivot = row;
    }
    std::swap(a[i], a[pivot]);
    std::swap(b[i], b[pivot]);
    for (std::size_t row = 0; row < n; ++row) {
      if (row == i) continue;
      const double factor = a[row][i] / a[i][i];
      for (std::size_t column = i; column < n; ++column) a[row][column] -= factor * a[i][column];
      b[row] -= factor * b[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) b[i] /= a[i][i];
  return b;
}

inline std::vector<double> log_errors(const std::vector<training_record>& runs, const calibration& c) {
  std::vector<double> errors;
  for (const training_record& run : runs) {
    errors.push_back(std::log(step_time(run.model, run.job, run.mesh, run.where, c).total / run.measured));
  }
  return errors;
}

/// Weights: a family counts as the square root of its size, and errors beyond 16 % less and less.
inline std::vector<double> weights_of(const std::vector<training_record>& runs, const std::vector<double>& errors) {
  constexpr double noise = 0.08;
  std::map<std::string, double> family_size;
  for (const training_record& run : runs) family_size[run.family] += 1;
  std::vector<double> weights;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double far = errors[i] / (2 * noise);
    weights.push_back(1 / std::sqrt(family_size[runs[i].family]) / (noise * noise) / (1 + far * far));
  }
  return weights;
}

/// Curvature and slope of the weighted squares and the priors around some logarithms.
struct normal_equations {
  matrix curvature;
  std::vector<double> slope;
};
inline normal_equations equations_at(const std::vector<training_record>& runs, const std::vector<double>& logs,
                                     const std::vector<fitted_constant>& free, const term_set& without) {
  const std::size_t n = logs.size();
  const std::vector<double> errors = log_errors(runs, constants_from(logs, without));
  const std::vector<double> weights = weights_of(runs, errors);
  matrix jacobian;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> moved = logs;
    moved[i] += 1e-4;
    std::vector<double> change = log_errors(runs, constants_from(moved, without));
    for (std::size_t r = 0; r < change.size(); ++r) change[r] = (change[r] - errors[r]) / 1e-4;
    jacobian.push_back(std::move(change));
  }
  normal_equations e{matrix(n, std::vector<double>(n, 0)), std::vector<double>(n, 0)};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < errors.size(); ++r) {
      e.slope[i] -= jacobian[i][r] * errors[r] * weights[r];
      for (std::size_t j = 0; j < n; ++j) e.curvature[i][j] += jacobian[i][r] * jacobian[j][r] * weights[r];
    }
    const double certainty = 1 / (free[i].prior_spread * free[i].prior_spread);
    e.curvature[i][i] += certainty;
    e.slope[i] -= (logs[i] - std::log(free[i].prior)) * certainty;
  }
  return e;
}

inline matrix inverse(const matrix& a) {
  matrix columns;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<double> unit(a.size(), 0);
    unit[i] = 1;
    columns.push_back(solve(a, unit));
  }
  return columns;
}

}  // namespace detail

/// Fits the free constants to runs: maximum a posteriori with log-normal priors, by Gauss-Newton on the logarithm of
/// predicted over measured time, with Cauchy weights against outliers. Terms can be left out.
[[nodiscard]] inline calibration_fit fit_calibration(const std::vector<training_record>& runs,
                                                     const term_set& without = {}) {
  if (runs.empty()) detail::fail(errc::invalid_argument, "runs to calibrate on", "none", "one or more");
  std::vector<fitted_constant> free = detail::free_constants();
  std::vector<double> logs;
  for (const fitted_constant& one : free) logs.push_back(std::log(one.prior));
  detail::normal_equations at;
  for (int round = 0; round < 40; ++round) {
    at = detail::equations_at(runs, logs, free, without);
    const std::vector<double> step = detail::solve(at.curvature, at.slope);
    double largest = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      logs[i] += std::clamp(step[i], -0.5, 0.5);
      largest = std::max(largest, std::abs(step[i]));
    }
    if (largest < 1e-7) break;
  }
  const detail::matrix covariance = detail::inverse(at.curvature);
  for (std::size_t i = 0; i < free.size(); ++i) {
    free[i].value = std::exp(logs[i]);
    free[i].spread = std::sqrt(covariance[i][i]);
  }
  calibration_fit fit{detail::constants_from(logs, without), std::move(free), {}};
  for (std::size_t g = 0; g < 7; ++g) {
    fit.mxu_spread[g] = std::sqrt(covariance[0][0] + covariance[1 + g][1 + g] + 2 * covariance[0][1 + g]);
  }
  return fit;
}

/// The runs of a document that the calibration uses: quality A and B, in the domain, not skipped.
[[nodiscard]] inline std::vector<training_record> calibration_runs(const nlohmann::json& document) {
  std::vector<training_record> runs;
  for (const nlohmann::json& value : document.at("records")) {
    if (value.value("kind", "") != "training" || value.value("quality", "C") == "C") continue;
    try {
      training_record run = read_training_record(spell_out(value, value.value("id", "")).record, value.value("id", ""));
      if (static_cast<double>(parameters(run.model).total) >= 1.5e9) runs.push_back(std::move(run));
    } catch (const error& problem) {
      if (!detail::is_a_gap(problem.code())) throw;
    }
  }
  return runs;
}

/// A run and what constants say of it that were fitted without its family.
struct left_out_run {
  std::string id;       ///< of the record
  std::string family;   ///< that was left out
  double error = 0;     ///< predicted / measured - 1
  seconds predicted{};  ///< time of a step
};

namespace detail {

/// Every family left out once, its prediction by constants that `fit` makes of the other runs.
template <class Fit>
std::vector<left_out_run> leave_out_each(const std::vector<training_record>& runs, const Fit& fit) {
  std::map<std::string, std::vector<training_record>> families;
  for (const training_record& run : runs) families[run.family].push_back(run);
  std::vector<left_out_run> result;
  for (const auto& [family, members] : families) {
    std::vector<training_record> others;
    for (const training_record& run : runs) {
      if (run.family != family) others.push_back(run);
    }
    if (others.empty()) continue;
    const calibration constants = fit(others);
    for (const training_record& run : members) {
      const seconds predicted = step_time(run.model, run.job, run.mesh, run.where, constants).total;
      result.push_back({run.id, family, predicted / run.measured - 1, predicted});
    }
  }
  return result;
}

/// Mean size of the logarithm of predicted over measured, every family counting alike.
inline double family_error(const std::vector<left_out_run>& runs) {
  std::map<std::string, std::pair<double, double>> sums;  // sum and number of each family
  for (const left_out_run& run : runs) {
    sums[run.family].first += std::abs(std::log1p(run.error));
    sums[run.family].second += 1;
  }
  double mean = 0;
  for (const auto& [family, sum] : sums) mean += sum.first / sum.second / static_cast<double>(sums.size());
  return mean;
}

}  // namespace detail

/// Every family left out once. Nothing of it is seen by the fit that predicts it.
[[nodiscard]] inline std::vector<left_out_run> leave_families_out(const std::vector<training_record>& runs,
                                                                  const term_set& without = {}) {
  return detail::leave_out_each(
      runs, [&](const std::vector<training_record>& others) { return fit_calibration(others, without).constants; });
}

/// The terms that these runs do not ask for, by backward elimination. In each round the term is dropped without which
/// families that are left out are predicted best, as long as their mean error, in logarithms and every family counting
/// alike, stays within `tolerance` of the least that was seen: fewer terms win ties.
[[nodiscard]] inline term_set terms_to_drop(const std::vector<training_record>& runs, double tolerance = 0.0005) {
  term_set dropped;
  double error = detail::family_error(leave_families_out(runs));
  for (;;) {
    std::size_t best = optional_terms.size();
    double least = error + tolerance;
    for (std::size_t i = 0; i < optional_terms.size(); ++i) {
      if (dropped[i]) continue;
      term_set tried = dropped;
      const double now = detail::family_error(leave_families_out(runs, tried.set(i)));
      if (now < least) best = i, least = now;
    }
    if (best == optional_terms.size()) return dropped;
    dropped.set(best);
    error = std::min(error, least);
  }
}

/// Every family left out once of all that was learned from runs: the choice of terms too, which the other families
/// make among themselves. `told` hears of each family's choice. Takes minutes.
template <class Told>
[[nodiscard]] std::vector<left_out_run> leave_families_out_nested(const std::vector<training_record>& runs,
                                                                  const Told& told) {
  return detail::leave_out_each(runs, [&](const std::vector<training_record>& others) {
    const term_set dropped = terms_to_drop(others);
    told(others, dropped);
    return fit_calibration(others, dropped).constants;
  });
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
