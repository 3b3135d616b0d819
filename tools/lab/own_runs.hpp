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
#include <string_view>
#include <tpuplan/estimate/learned.hpp>
#include <tpuplan/estimate/serving/own_runs.hpp>
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
  double wider = 1;  ///< how much further runs of its kind lie from estimates than most: see `own_reach`
};

/// The runs of each source.
using runs_by_source = std::map<std::string, std::vector<source_run>>;

/// What separates a question from a run of the same source.
enum class own_step : std::uint8_t { same_job, other_slice, other_batch, other_recipe, other_model };
inline constexpr own_step own_steps[] = {own_step::same_job, own_step::other_slice, own_step::other_batch,
                                         own_step::other_recipe, own_step::other_model};

/// "the same job" and so on.
[[nodiscard]] constexpr std::string_view name(own_step step) noexcept {
  constexpr const char* names[] = {"the same job", "the same recipe on another slice",
                                   "the same recipe in another batch or layout",
                                   "another recipe or chip for the same model", "another model"};
  return detail::name_of(names, static_cast<std::size_t>(step));
}

/// The step from one run to another. Recipes are the model with the settings of its program on a kind of chip; models
/// of the same number of parameters are taken for the same.
[[nodiscard]] inline own_step step_between(const run_features& a, const run_features& b) {
  if (!detail::same_recipe(a, b))
    return std::abs(a.size - b.size) < 1e-6 ? own_step::other_recipe : own_step::other_model;
  if (std::abs(a.chips - b.chips) > 0.01) return own_step::other_slice;
  const bool near = std::abs(a.load - b.load) < 0.05 && std::abs(a.length - b.length) < 0.05;
  return a.layout == b.layout && near ? own_step::same_job : own_step::other_batch;
}

/// What is expected of some spreads before any run is seen, within a factor of 1.5: of offsets that recipes and jobs
/// have, and doublings of load and chips over which questions become unlike.
struct own_priors {
  double recipe = 0.05, job = 0.03, load = 2, chips = 3;
  /// Whether the tail is that of the nearest runs too, and wider for few sources, as bands of serving are.
  bool wary = true;
};
/// Those of training: the same recipe on more slices does the same on each chip. Chosen with all sources in view, so
/// that questions on another slice, and in another batch, are in their bands alike.
inline constexpr own_priors training_priors{0.06, 0.025, 1.5, 6, false};

namespace detail {

/// Minus the logarithm of Student's density with four degrees of freedom, whose tails are like those of the errors.
inline double student(double missed, double variance) {
  return 2.5 * std::log1p(squared(missed) / (4 * variance)) + std::log(variance) / 2;
}

/// How badly one run of a source predicts another one: on average over the pairs of each step, and over the steps, of
/// which those with few pairs count less.
inline double surprise(const std::vector<source_run>& runs, const own_spreads& s) {
  std::map<own_step, std::pair<double, double>> sums;
  const std::size_t n = runs.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double alone = shared(runs[i].about, runs[i].about, s) + squared(s.noise);
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const double both = shared(runs[i].about, runs[j].about, s);
      auto& [sum, count] = sums[step_between(runs[i].about, runs[j].about)];
      sum += student(runs[i].ratio - both / alone * runs[j].ratio, alone - squared(both) / alone), count += 1;
    }
  }
  double mean = 0, weights = 0;
  for (const auto& [step, sum] : sums) {
    const double weight = sum.second < 12 ? sum.second / 12 : 1;
    mean += weight * sum.first / sum.second, weights += weight;
  }
  return weights > 0 ? mean / weights : 0;
}

/// The surprise of the runs of all sources together, each source with equal weight, and of the spreads themselves. The
/// priors assume that runs say little about each other unless the sources show that they do.
inline double surprise(const runs_by_source& sources, const own_spreads& s, const own_priors& expected) {
  double sum = 0;
  for (const auto& [source, runs] : sources)
    sum += 10 * surprise(runs, s) * (runs.size() < 10 ? static_cast<double>(runs.size()) / 10 : 1);
  const auto prior = [&](double x, double middle) { sum += 3 * squared(std::log(x / middle)); };
  prior(s.source, 0.05), prior(s.question, 0.07), prior(s.recipe, expected.recipe), prior(s.job, expected.job);
  prior(s.size, 3), prior(s.load, expected.load), prior(s.length, 3), prior(s.chips, expected.chips);
  const auto part = [&](double x) { sum += squared(x - 0.5) / (2 * 0.04); };
  part(s.other_chip), part(s.other_kind);
  return sum;
}

/// The noise between runs of one job, under which those that were published more than once are least surprising. Where
/// none were it is 2 %: runs on one machine repeat to 0.005 to 1 %, two runs of a recipe to 1 to 6 %. Where two differ
/// by more than a tenth, their sources name what changed in the software.
inline double repeat_noise(const runs_by_source& sources) {
  double best = 0, least = 0;
  for (double noise = 0.005; noise < 0.1; noise *= 1.02) {
    double sum = 3 * squared(std::log(noise / 0.02));
    for (const auto& [source, runs] : sources) {
      for (std::size_t i = 0; i < runs.size(); ++i) {
        for (std::size_t j = i + 1; j < runs.size(); ++j) {
          if (step_between(runs[i].about, runs[j].about) == own_step::same_job &&
              std::abs(runs[i].ratio - runs[j].ratio) < 0.1)
            sum += student(runs[i].ratio - runs[j].ratio, 2 * squared(noise));
        }
      }
    }
    if (best <= 0 || sum < least) best = noise, least = sum;
  }
  return best;
}

}  // namespace detail

/// The spreads under which the runs of the sources are least surprising (empirical Bayes): the noise of runs that
/// repeat first, then by search along each of the other ten in turn.
[[nodiscard]] inline own_spreads spreads_of(const runs_by_source& sources, const own_priors& expected) {
  own_spreads best{0.05, 0.07, std::max(0.02, detail::repeat_noise(sources)), 3, 2, 3, 3, 0.5, 0.5, 0.05, 0.03, 1};
  double least = detail::surprise(sources, best, expected);
  double* const free[] = {&best.source, &best.question, &best.recipe, &best.job,        &best.size,
                          &best.load,   &best.length,   &best.chips,  &best.other_chip, &best.other_kind};
  for (double step = 0.3; step > 0.01; step /= 2) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i < 10; ++i) {
        for (const double sign : {1.0, -1.0}) {
          const double before = *free[i];
          *free[i] = i < 8 ? before * std::exp(sign * step) : std::clamp(before + sign * step / 2, 0.0, 1.0);
          const double now = detail::surprise(sources, best, expected);
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
  double width = 0;   ///< logarithm of the high over the low end
  double needed = 0;  ///< share of the width without own runs that would just hold it, around the estimate with them
};

inline learned_run predict_after(const own_runs& own, const own_spreads& spreads, const source_run& run) {
  struct estimate {
    double total = 1, low = 1, high = 1, band = 0;
  } said{1, std::exp(run.low), std::exp(run.high)};
  if (own.count > 0)
    narrow_band(said, own_spread_left(own, spreads, run.about), own_reach(own, spreads, run.about, run.wider));
  const double missed = std::exp(run.ratio) / own_factor(own, spreads, run.about);
  const double log = std::log(missed);
  return {std::abs(1 / missed - 1), missed >= said.low && missed <= said.high, std::log(said.high / said.low),
          log / (log > 0 ? run.high : run.low)};
}

/// The tail with which a question is just in reach of what runs say.
inline double needed_tail(const own_runs& own, own_spreads spreads, const source_run& asked) {
  spreads.tail = 1;
  const double missed = std::abs(asked.ratio - std::log(own_factor(own, spreads, asked.about)));
  const double noise = 2.132 * std::sqrt(noise_of(own, spreads));
  const double open = squared(own_reach(own, spreads, asked.about, asked.wider)) - squared(noise);
  return missed <= noise ? 0 : std::sqrt((squared(missed) - squared(noise)) / std::max(open, 1e-12));
}

/// Up to `known` runs that are that step away from a question, drawn at random.
template <class Random>
own_runs drawn_runs(const std::vector<source_run>& runs, const source_run& asked, own_step step, std::size_t known,
                    Random& random) {
  std::vector<std::size_t> near;
  for (std::size_t j = 0; j < runs.size(); ++j) {
    if (runs[j].id != asked.id && step_between(runs[j].about, asked.about) == step) near.push_back(j);
  }
  for (std::size_t k = near.size(); k > 1; --k) std::swap(near[k - 1], near[random() % k]);
  own_runs own;
  for (std::size_t k = 0; k < std::min(known, near.size()); ++k)
    own.items[own.count++] = {runs[near[k]].about, runs[near[k]].ratio, 0, 0};
  return own;
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

/// The spreads of `spreads_of`, with a tail by which nine of ten questions that are a step away from up to three runs
/// of their source lie in reach, each source counted once; 1 at least.
[[nodiscard]] inline own_spreads fit_spreads(const runs_by_source& sources, const own_priors& expected = {}) {
  own_spreads fitted = spreads_of(sources, expected);
  using weighed = std::vector<std::pair<double, double>>;
  weighed needed, nearest;  // tails, with their weights
  for (const auto& [source, runs] : sources) {
    std::vector<double> tails;
    std::mt19937 random(7);
    for (const own_step step :
         {own_step::other_slice, own_step::other_batch, own_step::other_recipe, own_step::other_model}) {
      for (const source_run& asked : runs) {
        const own_runs own = detail::drawn_runs(runs, asked, step, 3, random);
        if (own.count > 0) tails.push_back(detail::needed_tail(learned(own, fitted), fitted, asked));
      }
    }
    for (const double tail : tails) needed.emplace_back(tail, 1 / static_cast<double>(tails.size()));
    for (std::size_t i = 0; expected.wary && i < runs.size() && runs.size() > 5; ++i)
      nearest.emplace_back(detail::needed_tail(detail::suggested_runs(runs, i, 3, fitted), fitted, runs[i]),
                           1 / static_cast<double>(runs.size()));
  }
  for (const weighed& list : {needed, nearest}) {
    if (!list.empty()) fitted.tail = std::max(fitted.tail, detail::weighted_quantile(list, 0.9));
  }
  if (expected.wary) fitted.tail *= detail::few_sources(sources.size());
  return fitted;
}

/// Every source predicted from `known` of its own runs, of sources with at least `least` runs. Spreads are those of the
/// other sources.
[[nodiscard]] inline learned_errors errors_knowing(const runs_by_source& all, std::size_t known, own_choice choice,
                                                   const own_priors& expected = {}, std::size_t least = 6,
                                                   std::size_t draws = 40) {
  learned_errors result;
  std::vector<std::pair<double, double>> pooled;  // error and weight
  for (const auto& [source, runs] : all) {
    if (runs.size() < least || runs.size() <= known) continue;
    runs_by_source others = all;
    others.erase(source);
    const own_spreads spreads = known == 0 ? own_spreads{0, 0, 1} : fit_spreads(others, expected);
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
  const bool token = detail::is_decode(r);
  const double load = token ? r.batch : static_cast<double>(detail::fresh_tokens(r.job));
  run_features detail::served_model::*const which =
      token ? &detail::served_model::about : &detail::served_model::about_prompts;
  return detail::of_version(detail::serving_features_at(which, r.model, load, r.job, r.mesh, r.where),
                            r.version.empty() ? "as published" : std::string_view(r.version));
}

inline run_features features_of(const training_record& r) {
  return detail::of_version(features_of(r.model, r.job, r.mesh, r.where),
                            r.version.empty() ? "as published" : std::string_view(r.version));
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
    result[run.source].push_back({run.id, run.source, features_of(run), -std::log1p(left_out[i].error),
                                  std::log(t.low / t.total), std::log(t.high / t.total),
                                  detail::wider_than_dense(band_of(t.kind, t.extrapolated, run.job.software))});
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
                                      std::log(said.low / said.time), std::log(said.high / said.time),
                                      detail::wider_than_most(detail::kind_of(one.run), one.run.job.software)});
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
      result[run.source].push_back({id, run.source, detail::of_memory(features_of(run)),
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
