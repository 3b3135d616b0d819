#ifndef TPUPLAN_ESTIMATE_OWN_RUNS_HPP
#define TPUPLAN_ESTIMATE_OWN_RUNS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>

/// @file
/// How a caller's measured runs correct other estimates. The logarithm of measured over estimated time is modelled as
/// the sum of three Gaussians: an offset common to all runs of one source, an offset shared more closely by runs that
/// are more alike, and noise. The runs move an estimate by its expected offset, and narrow its band to the spread that
/// is left. Derivation: docs/model.md, "Runs of your own".

namespace tpuplan {
inline namespace abi_0 {

/// The features by which two questions (or runs) are compared: the closer, the more alike.
struct run_features {
  double size = 0;         ///< log2 of the parameters
  double load = 0;         ///< log2 of the tokens per chip and step, running sequences, or prompt tokens
  double length = 0;       ///< log2 of the tokens of a sequence
  double chips = 0;        ///< log2 of the chips
  std::uint32_t chip = 0;  ///< stands for the name of the chip: see `chip_mark`
  std::uint32_t kind = 0;  ///< bits, one for each property that a job has or lacks
};

/// A number that stands for the name of a chip (FNV-1a). Worked: 2166136261 for no name.
[[nodiscard]] constexpr std::uint32_t chip_mark(std::string_view name) noexcept {
  std::uint32_t mark = 2166136261U;
  for (const char c : name) mark = (mark ^ static_cast<std::uint32_t>(static_cast<unsigned char>(c))) * 16777619U;
  return mark;
}

/// How far estimates and runs differ, in natural logarithms, and over what distance questions become unlike.
struct own_spreads {
  double source = 0;    ///< standard deviation of the offset that the runs of one source share
  double question = 0;  ///< standard deviation of the offset that like questions share
  double noise = 0;     ///< standard deviation between runs of the same question
  /// @{
  /// Doublings of each feature over which likeness falls to 0.62.
  double size = 1, load = 1, length = 1, chips = 1;
  /// @}
  double other_chip = 0;  ///< likeness of the same question on another chip
  double other_kind = 0;  ///< likeness of questions that differ in one bit of `kind`
};

/// The most runs of the caller's own.
inline constexpr std::size_t most_own_runs = 20;

/// A run of the caller's own.
struct own_run {
  run_features about{};  ///< what ran
  double ratio = 0;      ///< logarithm of measured over estimated
  double spread = 0;     ///< standard deviation of the measurement in logarithms, beside the usual noise
  double weight = 0;     ///< what it adds, times its covariance with a question; set by `learned`
};

/// Runs of the caller's own, of one kind of question.
struct own_runs {
  std::array<own_run, most_own_runs> items{};  ///< the first `count` are set
  std::size_t count = 0;                       ///< runs
};

namespace detail {

constexpr double squared(double x) noexcept { return x * x; }

/// The covariance of the offsets of two questions of one source. Likeness is a rational quadratic kernel of exponent 4:
/// (1 + d^2 / 8)^-4 at a distance of d.
constexpr double shared(const run_features& a, const run_features& b, const own_spreads& s) noexcept {
  const double distance = squared((a.size - b.size) / s.size) + squared((a.load - b.load) / s.load) +
                          squared((a.length - b.length) / s.length) + squared((a.chips - b.chips) / s.chips);
  const double closeness = squared(1 / (1 + distance / 8));
  double likeness = squared(closeness);
  if (a.chip != b.chip) likeness *= s.other_chip;
  for (std::uint32_t differ = a.kind ^ b.kind; differ != 0; differ &= differ - 1) likeness *= s.other_kind;
  return squared(s.source) + squared(s.question) * likeness;
}

/// The Cholesky factor L of the covariance of the runs and, in its last row, of a question: L x L' = covariance.
struct own_triangle {
  double rows[most_own_runs + 1][most_own_runs + 1] = {};
};

constexpr own_triangle triangle_of(const own_runs& runs, const own_spreads& spreads, const run_features& about) {
  own_triangle l;
  for (std::size_t i = 0; i <= runs.count; ++i) {
    const run_features& here = i < runs.count ? runs.items[i].about : about;
    double* const row = l.rows[i];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = shared(here, j < runs.count ? runs.items[j].about : about, spreads);
      if (i == j) sum += squared(spreads.noise) + (i < runs.count ? squared(runs.items[i].spread) : 0);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * l.rows[j][k];
      row[j] = i == j ? math::sqrt(sum) : sum / l.rows[j][j];
    }
  }
  return l;
}

}  // namespace detail

/// Throws unless there are at most 20 runs. `learned` checks their numbers.
constexpr void validate(const own_runs& runs) {
  if (runs.count > most_own_runs)
    detail::fail(errc::out_of_range, "own_runs.count", static_cast<std::int64_t>(runs.count), "at most 20 runs");
}

/// The factor by which those runs change the estimate of a question: 1 without runs. Worked: a run of weight 5, with
/// spreads of 0.2 (source) and 0.1 (question), makes it exp(5 x 0.05) = 1.284 for the same question, and exp(5 x 0.04)
/// = 1.221 for one that is in nothing like it.
[[nodiscard]] constexpr double own_factor(const own_runs& runs, const own_spreads& spreads, const run_features& about) {
  if (runs.count == 0) return 1;
  double log_factor = 0;
  for (std::size_t i = 0; i < runs.count; ++i)
    log_factor += runs.items[i].weight * detail::shared(about, runs.items[i].about, spreads);
  return math::exp(log_factor);
}

/// The share of an estimate's spread (in logarithms) that is left after those runs: 1 without runs. Worked: one run,
/// with spreads of 0.2, 0.1 and 0.1 of noise, leaves sqrt(1 - 0.05^2 / 0.06^2) = 0.553 for the same question.
[[nodiscard]] constexpr double own_spread_left(const own_runs& runs, const own_spreads& spreads,
                                               const run_features& about) {
  if (runs.count == 0) return 1;
  const double before = detail::shared(about, about, spreads) + detail::squared(spreads.noise);
  return detail::triangle_of(runs, spreads, about).rows[runs.count][runs.count] / math::sqrt(before);
}

namespace detail {

/// Narrows the band of an estimate, in logarithms, halfway to the share `left` of the spread. Errors have heavier tails
/// than a Gaussian; halfway, nine of ten stay in the band (benchmarks/accuracy).
template <class Estimate>
constexpr void narrow_band(Estimate& estimate, double left) {
  if (left >= 1) return;
  left = (1 + left) / 2;
  estimate.low = estimate.total * math::exp(left * math::log(estimate.low / estimate.total));
  estimate.high = estimate.total * math::exp(left * math::log(estimate.high / estimate.total));
  estimate.band *= left;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
