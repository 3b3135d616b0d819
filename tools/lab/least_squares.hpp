#ifndef TPUPLAN_LAB_LEAST_SQUARES_HPP
#define TPUPLAN_LAB_LEAST_SQUARES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <tpuplan/base/units.hpp>
#include <utility>
#include <vector>

/// @file
/// Fits constants to published runs (maximum a posteriori with log-normal priors, by Gauss-Newton on logarithms), and
/// predicts families of runs that were left out of the fit. The fits of training and of serving use it.

namespace tpuplan {
inline namespace abi_0 {

/// One fitted constant. `spread` is the standard deviation of its logarithm: before (`prior_spread`) and after the fit.
struct fitted_constant {
  std::string name;         ///< of a field of `calibration`, or of a chip for its MXU fraction
  double prior = 0;         ///< its value before the fit
  double prior_spread = 0;  ///< standard deviation of its logarithm before the fit
  double value = 0;         ///< its value after the fit
  double spread = 0;        ///< standard deviation of its logarithm after the fit
};

namespace detail {

using matrix = std::vector<std::vector<double>>;

/// Solves a x = b by Gaussian elimination with pivoting, for a few unknowns.
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

inline matrix inverse(const matrix& a) {
  matrix columns;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<double> unit(a.size(), 0);
    unit[i] = 1;
    columns.push_back(solve(a, unit));
  }
  return columns;
}

/// For each run, the number of runs in its family.
template <class Run>
std::vector<double> family_sizes(const std::vector<Run>& runs) {
  std::map<std::string, double> count;
  for (const Run& run : runs) count[run.family] += 1;
  std::vector<double> sizes;
  for (const Run& run : runs) sizes.push_back(count[run.family]);
  return sizes;
}

/// The weight of each run: a family counts as the square root of its size, and an error beyond twice the noise counts
/// less the larger it is.
inline std::vector<double> weights_of(const std::vector<double>& errors, const std::vector<double>& sizes,
                                      double noise) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double far = errors[i] / (2 * noise);
    weights.push_back(1 / std::sqrt(sizes[i]) / (noise * noise) / (1 + far * far));
  }
  return weights;
}

/// Curvature and slope of the sum of weighted squares and priors, at given logarithms of the constants.
struct normal_equations {
  matrix curvature;
  std::vector<double> slope;
};
template <class Errors>
normal_equations equations_at(const std::vector<double>& logs, const std::vector<fitted_constant>& free,
                              const Errors& errors_at, const std::vector<double>& sizes, double noise) {
  const std::size_t n = logs.size();
  const std::vector<double> errors = errors_at(logs);
  const std::vector<double> weights = weights_of(errors, sizes, noise);
  matrix jacobian;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> moved = logs;
    moved[i] += 1e-4;
    std::vector<double> change = errors_at(moved);
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

/// Logarithms of the constants, and their covariance.
struct log_fit {
  std::vector<double> logs;
  matrix covariance;
};

/// Fits the constants in `free` and writes their values and spreads into it. `errors_at` returns, for given logarithms
/// of the constants, the logarithm of predicted over measured time of every run.
template <class Errors>
log_fit fit_logs(std::vector<fitted_constant>& free, const Errors& errors_at, const std::vector<double>& sizes,
                 double noise) {
  log_fit fit;
  for (const fitted_constant& one : free) fit.logs.push_back(std::log(one.prior));
  normal_equations at;
  for (int round = 0; round < 40; ++round) {
    at = equations_at(fit.logs, free, errors_at, sizes, noise);
    const std::vector<double> step = solve(at.curvature, at.slope);
    double largest = 0;
    for (std::size_t i = 0; i < fit.logs.size(); ++i) {
      fit.logs[i] += std::clamp(step[i], -0.5, 0.5);
      largest = std::max(largest, std::abs(step[i]));
    }
    if (largest < 1e-7) break;
  }
  fit.covariance = inverse(at.curvature);
  for (std::size_t i = 0; i < free.size(); ++i) {
    free[i].value = std::exp(fit.logs[i]);
    free[i].spread = std::sqrt(fit.covariance[i][i]);
  }
  return fit;
}

}  // namespace detail

/// A run, and its prediction by constants that were fitted without its family.
struct left_out_run {
  std::string id;       ///< of the record
  std::string family;   ///< name of the family that was left out
  double error = 0;     ///< predicted / measured - 1
  seconds predicted{};  ///< time of a step
};

namespace detail {

/// Leaves out every family once: `fit` fits constants to the other runs, and `predict` computes the time of a run with
/// these constants.
template <class Run, class Fit, class Predict>
std::vector<left_out_run> leave_out_each(const std::vector<Run>& runs, const Fit& fit, const Predict& predict) {
  std::map<std::string, std::vector<Run>> families;
  for (const Run& run : runs) families[run.family].push_back(run);
  std::vector<left_out_run> result;
  for (const auto& [family, members] : families) {
    std::vector<Run> others;
    for (const Run& run : runs) {
      if (run.family != family) others.push_back(run);
    }
    if (others.empty()) continue;
    const auto constants = fit(others);
    for (const Run& run : members) {
      const seconds predicted = predict(run, constants);
      result.push_back({run.id, family, predicted / run.measured - 1, predicted});
    }
  }
  return result;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
