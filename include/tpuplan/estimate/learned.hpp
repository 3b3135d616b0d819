#ifndef TPUPLAN_ESTIMATE_LEARNED_HPP
#define TPUPLAN_ESTIMATE_LEARNED_HPP

#include <cstddef>
#include <cstdint>
#include <tpuplan/base/error.hpp>
#include <tpuplan/estimate/own_runs.hpp>

/// @file
/// Makes measured runs of the caller's own ready for estimates: finds the weight of each.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// Throws for a ratio, feature or spread that no run can have.
constexpr void check_own_runs(const own_runs& runs, const own_spreads& s) {
  validate(runs);
  not_negative("own_spreads.source", s.source);
  not_negative("own_spreads.question", s.question);
  not_negative("own_spreads.recipe", s.recipe);
  not_negative("own_spreads.job", s.job);
  positive("own_spreads.tail", s.tail);
  positive("own_spreads.noise", s.noise);
  positive("own_spreads.size", s.size);
  positive("own_spreads.load", s.load);
  positive("own_spreads.length", s.length);
  positive("own_spreads.chips", s.chips);
  in_range("own_spreads.other_chip", s.other_chip, 0, 1, "0 to 1");
  in_range("own_spreads.other_kind", s.other_kind, 0, 1, "0 to 1");
  for (std::size_t i = 0; i < runs.count; ++i) {
    const own_run& run = runs.items[i];
    in_range("own_runs: log of measured over estimated", run.ratio, -5, 5, "-5 to 5: a factor of 148 at most");
    in_range("own_runs: spread", run.spread, 0, 5, "0 to 5");
    in_range("own_runs: size", run.about.size, -100, 100, "-100 to 100, a log2");
    in_range("own_runs: load", run.about.load, -100, 100, "-100 to 100, a log2");
    in_range("own_runs: length", run.about.length, -100, 100, "-100 to 100, a log2");
    in_range("own_runs: chips", run.about.chips, -100, 100, "-100 to 100, a log2");
  }
}

}  // namespace detail

/// The runs with the weight of each set: the solution of covariance x weights = ratios. Throws for numbers that no run
/// has. Worked: one run with a ratio of 0.3, with spreads of 0.2 for the source, 0.1 for the question and 0.1 of noise,
/// has a weight of 0.3 / (0.04 + 0.01 + 0.01) = 5.
[[nodiscard]] constexpr own_runs learned(own_runs runs, const own_spreads& spreads) {
  detail::check_own_runs(runs, spreads);
  const detail::own_triangle l = detail::triangle_of(runs, spreads, {});
  for (std::size_t i = 0; i < runs.count; ++i) {
    double sum = runs.items[i].ratio;
    for (std::size_t j = 0; j < i; ++j) sum -= l.rows[i][j] * runs.items[j].weight;
    runs.items[i].weight = sum / l.rows[i][i];
  }
  for (std::size_t i = runs.count; i-- > 0;) {
    double sum = runs.items[i].weight;
    for (std::size_t j = i + 1; j < runs.count; ++j) sum -= l.rows[j][i] * runs.items[j].weight;
    runs.items[i].weight = sum / l.rows[i][i];
  }
  return runs;
}

/// The runs with one more, the weights of all set again. Throws where there are 20 already. Worked: the first run of
/// the example above has weight 5; a second of the same question and ratio leaves both 0.3 / (0.05 + 0.05 + 0.01) =
/// 2.727.
[[nodiscard]] constexpr own_runs with_run(own_runs runs, const own_spreads& spreads, const run_features& about,
                                          double ratio, double spread = 0) {
  if (runs.count >= most_own_runs)
    detail::fail(errc::out_of_range, "own_runs.count", static_cast<std::int64_t>(runs.count) + 1, "at most 20 runs");
  runs.items[runs.count++] = {about, ratio, spread, 0};
  return learned(runs, spreads);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
