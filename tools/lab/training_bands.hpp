#ifndef TPUPLAN_LAB_TRAINING_BANDS_HPP
#define TPUPLAN_LAB_TRAINING_BANDS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <lab/training_fit.hpp>
#include <limits>
#include <map>
#include <string>
#include <tpuplan/estimate/quantiles.hpp>
#include <tpuplan/estimate/training/bands.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <utility>
#include <vector>

/// @file
/// Bands of step times by kind of question, from the errors of runs whose source was left out of the fit.

namespace tpuplan {
inline namespace abi_0 {

/// Logarithms of measured over predicted time, by source.
using errors_by_source = std::map<std::string, std::vector<double>>;

namespace detail {

/// The least number at or below which lies that part of the mass, every source having the same mass and sharing it out
/// over its runs; infinity where the sources have less than that. `mass` is that of one source.
template <class Score>
double source_quantile(const errors_by_source& errors, double mass, double part, const Score& score) {
  std::vector<std::pair<double, double>> scored;
  for (const auto& [source, list] : errors) {
    for (const double error : list) scored.emplace_back(score(error), mass / static_cast<double>(list.size()));
  }
  std::sort(scored.begin(), scored.end());
  double sum = 0;
  for (const auto& [value, weight] : scored) {
    sum += weight;
    if (sum >= part - 1e-12) return value;
  }
  return std::numeric_limits<double>::infinity();
}

/// Ends of a band in logarithms, both 0 or more.
struct log_band {
  double below = 0, above = 0;
};

/// What 95 % of the errors stay within on either side, every source counting alike, 0.05 at least.
inline log_band seen_band(const errors_by_source& errors) {
  const double mass = 1 / static_cast<double>(errors.size());
  return {std::max(0.05, source_quantile(errors, mass, 0.95, [](double e) { return -e; })),
          std::max(0.05, source_quantile(errors, mass, 0.95, [](double e) { return e; }))};
}

/// The sources from which on a new one is in the band nine times of ten whatever the errors are like.
inline constexpr std::size_t enough_sources = 9;

/// The band that holds a run of a new source with probability 0.9: what was seen on either side, times the factor that
/// the conformal quantile asks for. Every source has the mass 1 / (sources + 1), and the new one the rest.
/// Source: Dunn, Wasserman and Ramdas 2022, arXiv 1809.07441; Lee, Barber and Willett 2023, arXiv 2306.06342.
inline log_band conformal_band(const errors_by_source& errors) {
  const log_band seen = seen_band(errors);
  const double mass = 1 / static_cast<double>(errors.size() + 1);
  const double factor =
      source_quantile(errors, mass, 0.9, [&](double e) { return e > 0 ? e / seen.above : -e / seen.below; });
  return {seen.below * factor, seen.above * factor};
}

}  // namespace detail

/// Errors of each `step_kind` with the source left out.
using errors_by_kind = std::vector<errors_by_source>;

/// The errors of runs and what was predicted of them with their source left out, in the same order.
[[nodiscard]] inline errors_by_kind kinds_of(const std::vector<training_record>& runs,
                                             const std::vector<left_out_run>& left_out) {
  errors_by_kind kinds(std::size(training_bands));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const training_record& run = runs[i];
    const step_kind kind = kind_of(run.model, run.job, run.mesh, static_cast<double>(parameters(run.model).total));
    kinds[static_cast<std::size_t>(kind)][run.source].push_back(-std::log1p(left_out[i].error));
  }
  return kinds;
}

/// The bands by `step_kind`. Kinds with too few sources take what was seen, half as wide again, within a factor of 2.5.
/// They are no narrower than dense models, mixtures of experts in 8 bits and under expert parallelism no narrower than
/// those in bf16, a kind of one source no narrower than a factor of 1.5 either way, and small models no narrower
/// than 2.
[[nodiscard]] inline std::vector<training_band> bands_from(const errors_by_kind& kinds) {
  const detail::log_band dense = detail::conformal_band(kinds.at(0));
  const double most = std::log(2.5);
  std::vector<training_band> bands;
  std::vector<detail::log_band> logs;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const errors_by_source& errors = kinds[i];
    const auto kind = static_cast<step_kind>(i);
    const bool special = kind == step_kind::experts_eight_bit || kind == step_kind::expert_parallel;
    detail::log_band band = special ? logs[static_cast<std::size_t>(step_kind::experts)] : dense;
    const auto at_least = [&band](double below, double above) {
      band = {std::max(band.below, below), std::max(band.above, above)};
    };
    if (errors.size() >= detail::enough_sources) {
      band = detail::conformal_band(errors);
    } else if (!errors.empty()) {
      const detail::log_band seen = detail::seen_band(errors);
      at_least(std::min(most, 1.5 * seen.below), std::min(most, 1.5 * seen.above));
    }
    if (errors.size() < 2) at_least(std::log(1.5), std::log(1.5));
    if (kind == step_kind::small_model) at_least(std::log(2.0), std::log(2.0));
    logs.push_back(band);
    training_band one{std::exp(-band.below), std::exp(band.above), 0, static_cast<std::int64_t>(errors.size())};
    for (const auto& [source, list] : errors) one.runs += static_cast<std::int64_t>(list.size());
    bands.push_back(one);
  }
  return bands;
}

/// The bands against which the runs of each source are held: made from the errors of the others.
using bands_by_source = std::map<std::string, std::vector<training_band>>;

[[nodiscard]] inline bands_by_source bands_without(const errors_by_kind& kinds,
                                                   const std::vector<training_record>& runs) {
  bands_by_source bands;
  for (const training_record& run : runs) {
    if (bands.count(run.source) > 0) continue;
    errors_by_kind others = kinds;
    for (errors_by_source& kind : others) kind.erase(run.source);
    bands[run.source] = bands_from(others);
  }
  return bands;
}

/// Places of runs in bands that were made without their source: see `band_place`.
[[nodiscard]] inline errors_by_source places_of(const std::vector<training_record>& runs,
                                                const std::vector<left_out_run>& left_out) {
  const bands_by_source bands = bands_without(kinds_of(runs, left_out), runs);
  errors_by_source places;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const training_record& run = runs[i];
    const step_breakdown step = step_time(run.model, run.job, run.mesh, run.where);
    const training_band band =
        widened(bands.at(run.source)[static_cast<std::size_t>(step.kind)], step.extrapolated, run.job.software);
    const double error = -std::log1p(left_out[i].error);
    places[run.source].push_back(error / std::abs(std::log(error < 0 ? band.low : band.high)));
  }
  return places;
}

/// The shape of a band from those places. The mass 1 / (sources + 1) of a new source lies beyond all of them, on the
/// side away from the middle; the ends of the band are 0.05 and 0.95, as it promises.
[[nodiscard]] inline band_shape shape_from(const errors_by_source& places) {
  const auto at_most = [&](double share, double sign) {
    const double mass = 1 / static_cast<double>(places.size() + (share > 0.5 ? 1 : 0));
    const double place = detail::source_quantile(places, mass, share, [sign](double at) { return sign * at; });
    return std::round(sign * 100 * std::min(place, 1.0)) / 100;
  };
  return {{{0.05, -1},
           {0.1, at_most(0.9, -1)},
           {0.25, at_most(0.75, -1)},
           {0.5, at_most(0.5, 1)},
           {0.75, at_most(0.75, 1)},
           {0.9, at_most(0.9, 1)},
           {0.95, 1}}};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
