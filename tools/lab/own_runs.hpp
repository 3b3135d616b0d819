#ifndef TPUPLAN_LAB_OWN_RUNS_HPP
#define TPUPLAN_LAB_OWN_RUNS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <lab/serving_fit.hpp>
#include <lab/training_fit.hpp>
#include <map>
#include <random>
#include <string>
#include <tpuplan/estimate/learned.hpp>
#include <tpuplan/estimate/training/own_runs.hpp>
#include <utility>
#include <vector>

/// @file
/// How far sources differ from the estimates, and how accurate an estimate is that uses some runs of its source.

namespace tpuplan {
inline namespace abi_0 {

/// A published run and its estimate by constants that were fitted without its source.
struct source_run {
  std::string id, source;
  run_features about{};
  double ratio = 0;  ///< logarithm of measured over estimated
  double low = 0;    ///< logarithm of the lower end of the band over the estimate
  double high = 0;   ///< logarithm of the upper end of the band over the estimate
};

/// The runs of each source.
using runs_by_source = std::map<std::string, std::vector<source_run>>;

namespace detail {

/// How badly one run of a source predicts another one, on average over all pairs: minus the logarithm of Student's
/// density with four degrees of freedom, whose tails are like those of the errors.
inline double surprise(const std::vector<source_run>& runs, const own_spreads& s) {
  double sum = 0;
  const std::size_t n = runs.size();
  const auto add = [&sum](double missed, double variance) {
    sum += 2.5 * std::log1p(squared(missed) / (4 * variance)) + std::log(variance) / 2;
  };
  const double alone = squared(s.source) + squared(s.question) + squared(s.noise);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const double both = shared(runs[i].about, runs[j].about, s);
      add(runs[i].ratio - both / alone * runs[j].ratio, alone - squared(both) / alone);
    }
  }
  return n < 2 ? 0 : sum / static_cast<double>(n * (n - 1));
}

/// The surprise of the runs of all sources together, each source with equal weight, and of the spreads themselves. The
/// priors assume that runs say little about each other unless the sources show that they do.
inline double surprise(const runs_by_source& sources, const own_spreads& s) {
  double sum = 0;
  for (const auto& [source, runs] : sources)
    sum += 10 * surprise(runs, s) * (runs.size() < 10 ? static_cast<double>(runs.size()) / 10 : 1);
  const auto prior = [&](double x, double middle) { sum += 3 * squared(std::log(x / middle)); };
  prior(s.source, 0.03), prior(s.question, 0.07), prior(s.noise, 0.1);
  prior(s.size, 3), prior(s.load, 2), prior(s.length, 3), prior(s.chips, 3);
  const auto part = [&](double x) { sum += squared(x - 0.5) / (2 * 0.04); };
  part(s.other_chip), part(s.other_kind);
  return sum;
}

}  // namespace detail

/// The spreads under which the runs of the sources are least surprising (empirical Bayes), by search along each of the
/// nine in turn.
[[nodiscard]] inline own_spreads fit_spreads(const runs_by_source& sources) {
  own_spreads best{0.05, 0.1, 0.08, 3, 2, 3, 3, 0.5, 0.5};
  double least = detail::surprise(sources, best);
  double* const free[] = {&best.source, &best.question, &best.noise,      &best.size,      &best.load,
                          &best.length, &best.chips,    &best.other_chip, &best.other_kind};
  for (double step = 0.3; step > 0.01; step /= 2) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i < 9; ++i) {
        for (const double sign : {1.0, -1.0}) {
          const double before = *free[i];
          *free[i] = i < 7 ? before * std::exp(sign * step) : std::clamp(before + sign * step / 2, 0.0, 1.0);
          const double now = detail::surprise(sources, best);
          if (now < least - 1e-6) {
            least = now, moved = true;
          } else {
            *free[i] = before;
          }
        }
      }
    }
  }
  return best;
}

/// How the runs that an estimate uses are chosen from its source.
enum class own_choice : std::uint8_t {
  any,       ///< drawn at random
  suggested  ///< one after another the most informative for the question, as `tpuplan calibrate` suggests them
};

/// The errors of sources that remain when some of their runs are used.
struct learned_errors {
  std::vector<double> median;  ///< of each source: the median size of the errors of its other runs
  std::vector<double> p90;     ///< of each source: the 90th percentile of the same errors
  double pooled_median = 0;    ///< median of all errors, each source with equal weight
  double pooled_p90 = 0;       ///< 90th percentile of all errors, each source with equal weight
  double inside = 0;           ///< share of the runs in their band, each source with equal weight
  std::size_t sources = 0, runs = 0;
};

namespace detail {

/// Error and band of one run when other runs of its source are used.
struct learned_run {
  double error = 0;
  bool inside = false;
};

inline learned_run predict_after(const own_runs& own, const own_spreads& spreads, const source_run& run) {
  const double left = (1 + own_spread_left(own, spreads, run.about)) / 2;  // as `narrow_band`
  const double missed = run.ratio - std::log(own_factor(own, spreads, run.about));
  return {std::abs(std::expm1(-missed)), missed >= left * run.low && missed <= left * run.high};
}

/// The runs of a source, without run `of`, that are most informative for run `of`.
inline own_runs suggested_runs(const std::vector<source_run>& runs, std::size_t of, std::size_t known,
                               const own_spreads& spreads) {
  own_runs own;
  std::vector<bool> taken(runs.size(), false);
  taken[of] = true;
  while (own.count < known) {
    std::size_t best = of;
    double least = 2;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (taken[i]) continue;
      own_runs tried = own;
      tried.items[tried.count++] = {runs[i].about, runs[i].ratio, 0, 0};
      const double left = own_spread_left(tried, spreads, runs[of].about);
      if (left < least - 1e-12) least = left, best = i;
    }
    taken[best] = true;
    own.items[own.count++] = {runs[best].about, runs[best].ratio, 0, 0};
  }
  return learned(own, spreads);
}

}  // namespace detail

/// Every source predicted from `known` of its own runs, of sources with at least `least` runs. Spreads are those of the
/// other sources.
[[nodiscard]] inline learned_errors errors_knowing(const runs_by_source& all, std::size_t known, own_choice choice,
                                                   std::size_t least = 6, std::size_t draws = 40) {
  learned_errors result;
  std::vector<std::pair<double, double>> pooled;  // error and weight
  for (const auto& [source, runs] : all) {
    if (runs.size() < least || runs.size() <= known) continue;
    runs_by_source others = all;
    others.erase(source);
    const own_spreads spreads = known == 0 ? own_spreads{0, 0, 1} : fit_spreads(others);
    std::vector<detail::learned_run> seen;
    std::vector<std::size_t> order(runs.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (choice == own_choice::suggested || known == 0) {
      for (const std::size_t i : order)
        seen.push_back(detail::predict_after(detail::suggested_runs(runs, i, known, spreads), spreads, runs[i]));
    } else {
      std::mt19937 random(7);
      for (std::size_t draw = 0; draw < draws; ++draw) {
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
        own_runs own;
        for (std::size_t i = 0; i < known; ++i)
          own.items[own.count++] = {runs[order[i]].about, runs[order[i]].ratio, 0, 0};
        own = learned(own, spreads);
        for (std::size_t i = known; i < order.size(); ++i)
          seen.push_back(detail::predict_after(own, spreads, runs[order[i]]));
      }
    }
    std::vector<double> errors;
    double inside = 0;
    for (const detail::learned_run& one : seen) errors.push_back(one.error), inside += one.inside ? 1 : 0;
    for (const double one : errors) pooled.emplace_back(one, 1 / static_cast<double>(errors.size()));
    result.median.push_back(quantile(errors, 0.5));
    result.p90.push_back(quantile(errors, 0.9));
    result.inside += inside / static_cast<double>(errors.size());
    ++result.sources;
    result.runs += runs.size();
  }
  if (result.sources == 0) return result;
  result.inside /= static_cast<double>(result.sources);
  std::sort(pooled.begin(), pooled.end());
  double below = 0;
  for (const auto& [error, weight] : pooled) {
    below += weight / static_cast<double>(result.sources);
    if (below <= 0.5) result.pooled_median = error;
    if (below <= 0.9) result.pooled_p90 = error;
  }
  return result;
}

/// The median error of each source with at least `least` runs if all its estimates are corrected by the one factor that
/// makes this error smallest. No rule that corrects a source by one factor leaves less.
[[nodiscard]] inline std::vector<double> errors_at_best_factor(const runs_by_source& all, std::size_t least = 6) {
  std::vector<double> best;
  for (const auto& [source, runs] : all) {
    if (runs.size() < least) continue;
    best.push_back(2);
    for (int step = -800; step <= 800; ++step) {
      std::vector<double> errors;
      for (const source_run& run : runs) errors.push_back(std::abs(std::expm1(0.001 * step - run.ratio)));
      best.back() = std::min(best.back(), quantile(errors, 0.5));
    }
  }
  return best;
}

inline run_features features_of(const serving_record& r) {
  run_features about;
  about.size = std::log2(static_cast<double>(parameters(r.model).total));
  about.load = std::log2(r.batch);
  about.length = std::log2(r.job.prompt.mean + r.job.output.mean / 2);
  about.chips = std::log2(static_cast<double>(chips(r.where)));
  about.chip = chip_mark(r.where.chip.name);
  about.kind = detail::serving_kinds(r.model, r.job);
  return about;
}

/// Training runs with their estimates by constants that were fitted without their source, in the same order. The bands
/// are the shipped ones. Runs that no fit uses are left out.
[[nodiscard]] inline runs_by_source by_source(const std::vector<training_record>& runs,
                                              const std::vector<left_out_run>& left_out) {
  runs_by_source result;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const training_record& run = runs[i];
    if (detail::in_no_fit(run)) continue;
    const step_breakdown t = step_time(run.model, run.job, run.mesh, run.where);
    result[run.source].push_back({run.id, run.source, features_of(run.model, run.job, run.mesh, run.where),
                                  -std::log1p(left_out[i].error), std::log(t.low / t.total),
                                  std::log(t.high / t.total)});
  }
  return result;
}

/// Decode or prefill runs, in the same way.
[[nodiscard]] inline runs_by_source by_source(const std::vector<left_out_serving>& left_out, bool decode) {
  runs_by_source result;
  for (const left_out_serving& one : left_out) {
    if (detail::is_decode(one.run) != decode) continue;
    const serving_prediction said = predict(one.run);
    result[one.run.source].push_back({one.run.id, one.run.source, features_of(one.run), -std::log1p(one.error),
                                      std::log(said.low / said.time), std::log(said.high / said.time)});
  }
  return result;
}

/// The peaks of HBM of a document that are judged: those that the list of exceptions names are left out. The constants
/// of memory are not fitted.
[[nodiscard]] inline runs_by_source memory_by_source(const nlohmann::json& document,
                                                     const std::vector<record_exception>& exceptions) {
  runs_by_source result;
  for (const nlohmann::json& value : document.at("records")) {
    const std::string id = value.value("id", "");
    const std::string kind = value.value("kind", "");
    const bool training = kind == "training" || (kind == "memory" && value.contains("remat"));
    const auto held = value.find("hbm_used_bytes");
    const auto is_excepted = [&](const record_exception& one) { return one.id == id; };
    if (!training || value.value("quality", "C") == "C" || held == value.end() || !held->is_number()) continue;
    if (std::any_of(exceptions.begin(), exceptions.end(), is_excepted)) continue;
    try {
      const training_record run = read_training_record(value, id, false);
      const memory_breakdown m = memory_use(run.model, run.job, run.mesh, run.where);
      result[run.source].push_back({id, run.source, features_of(run.model, run.job, run.mesh, run.where),
                                    std::log(held->get<double>() / m.total.value()), std::log(m.low / m.total),
                                    std::log(m.high / m.total)});
    } catch (const error& problem) {
      if (!detail::is_a_gap(problem.code())) throw;
    }
  }
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
