#ifndef TPUPLAN_LAB_SERVING_FIT_HPP
#define TPUPLAN_LAB_SERVING_FIT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <lab/least_squares.hpp>
#include <lab/source.hpp>
#include <lab/validation.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/read/runs/serving.hpp>
#include <utility>
#include <vector>

/// @file
/// The constants of the serving estimates fitted to published runs of decode and prefill together, what they say of
/// runs whose source had no part in the fit, and the bands that hold those errors.

namespace tpuplan {
inline namespace abi_0 {

/// A fit and its constants with their errors.
struct serving_fit {
  serving_calibration constants{};      ///< as fitted, the others as given
  std::vector<fitted_constant> fitted;  ///< those that were free, then the factors of engines
};

namespace detail {

/// A free constant and where it lies.
struct serving_parameter {
  fitted_constant constant;
  std::function<void(serving_calibration&, double)> set;
};

/// The three factors of an engine, free, from its prior.
inline void add_engine_parameters(std::vector<serving_parameter>& list, const engine_row& row) {
  struct factor {
    const char* name;
    double spread;
    double engine_factors::*place;
  };
  for (const factor& one : {factor{".cache", 0.4, &engine_factors::cache},
                            {".paging", 0.4, &engine_factors::paging},
                            {".prefill", 0.12, &engine_factors::prefill}}) {
    const auto set = [engine = row.engine, place = one.place](serving_calibration& constants, double value) {
      engine_factors factors = factors_of(constants.engines, engine);
      factors.*place = value;
      constants.engines = with_factors(constants.engines, factors);
    };
    list.push_back({{std::string(row.name) + one.name, row.prior, one.spread, 0, 0}, set});
  }
}

/// The free constants with their priors, which are what is expected before any run is seen.
inline std::vector<serving_parameter> serving_parameters() {
  using c = serving_calibration;
  std::vector<serving_parameter> list = {
      {{"weight_stream", 0.85, 0.1, 0, 0}, [](c& k, double v) { k.weight_stream = v; }},
      {{"cache_stream", 0.5, 0.4, 0, 0}, [](c& k, double v) { k.cache_stream = v; }},
      {{"decode_mxu", 0.56, 0.3, 0, 0}, [](c& k, double v) { k.decode_mxu = v; }},
      {{"decode_collectives", 1.0, 0.4, 0, 0}, [](c& k, double v) { k.decode_collectives = v; }},
      {{"layer_latency", 2e-5, 0.5, 0, 0}, [](c& k, double v) { k.layer_latency = seconds{v}; }},
      {{"ported_layer", 5e-4, 0.7, 0, 0}, [](c& k, double v) { k.ported_layer = seconds{v}; }},
      {{"sequence_bytes", 2.5e6, 1.0, 0, 0}, [](c& k, double v) { k.sequence_bytes = bytes{v}; }},
      {{"dispatch_passes", 22.4, 0.3, 0, 0}, [](c& k, double v) { k.dispatch_passes = v; }},
      {{"engine_step", 2e-3, 0.7, 0, 0}, [](c& k, double v) { k.engine_step = seconds{v}; }},
      {{"engine_array", 1e-6, 0.7, 0, 0}, [](c& k, double v) { k.engine_array = seconds{v}; }},
      {{"engine_sequence", 3e-5, 0.7, 0, 0}, [](c& k, double v) { k.engine_sequence = seconds{v}; }},
      {{"engine_request", 5e-3, 1.0, 0, 0}, [](c& k, double v) { k.engine_request = seconds{v}; }},
      {{"prefill_mxu", 0.72, 0.15, 0, 0}, [](c& k, double v) { k.prefill_mxu = v; }},
      {{"prefill_attention", 3.0, 0.5, 0, 0}, [](c& k, double v) { k.prefill_attention = v; }},
      {{"token_head", 3.5e-8, 0.3, 0, 0}, [](c& k, double v) { k.token_head = seconds{v}; }},
      {{"prefill_collectives", 0.7, 0.5, 0, 0}, [](c& k, double v) { k.prefill_collectives = v; }},
      {{"engine_prefill", 1.05, 0.12, 0, 0}, [](c& k, double v) { k.engine_prefill = v; }},
  };
  for (const engine_row& row : engines) {
    if (row.prior > 0) add_engine_parameters(list, row);
  }
  return list;
}

inline bool is_decode(const serving_record& run) {
  return run.question == serving_question::decode_step || run.question == serving_question::engine_step;
}

inline serving_kind kind_of(const serving_record& run) {
  if (!is_decode(run)) return serving_kind::prefill;
  return has_experts(run.model) ? serving_kind::expert_decode : serving_kind::decode;
}

/// "dense decode" and so on.
inline std::string_view name(serving_kind kind) {
  constexpr const char* names[] = {"dense decode", "MoE decode", "prefill"};
  return name_of(names, static_cast<std::size_t>(kind));
}

/// For each run, the square of the number of runs that have its source, engine and kind: it weighs 1 over the root of
/// this, so that these runs together weigh as much as one. A rate of a saturated engine, which has scheduling and
/// sampling in it, is taken to be twice as far off as a timed run, so that it weighs a quarter.
inline std::vector<double> serving_group_sizes(const std::vector<serving_record>& runs) {
  const auto group = [](const serving_record& run) {
    return run.source + (is_decode(run) ? " decode " : " prefill ") + std::string(tpuplan::name(run.job.engine));
  };
  std::map<std::string, double> count;
  for (const serving_record& run : runs) count[group(run)] += 1;
  std::vector<double> sizes;
  for (const serving_record& run : runs) sizes.push_back(std::pow(count[group(run)] * (run.saturated ? 4 : 1), 2));
  return sizes;
}

inline double serving_error(const serving_record& run, const serving_calibration& constants) {
  return predict(run, constants).time / run.measured - 1;
}

inline serving_calibration with_logs(serving_calibration constants, const std::vector<serving_parameter>& free,
                                     const std::vector<double>& logs) {
  for (std::size_t i = 0; i < free.size(); ++i) free[i].set(constants, std::exp(logs[i]));
  return constants;
}

}  // namespace detail

/// A constant that is not fitted but held, such as one that leaves a term out, by its name.
struct held_constant {
  std::string name;  ///< of a field, "vllm.cache" of an engine
  double value = 0;  ///< that it has
};

/// Fits the constants to runs: maximum a posteriori, Gauss-Newton on the logarithm of predicted over measured time,
/// Cauchy weights. An engine's factors are 1, or their prior, unless its runs say otherwise: the fewer sources and runs
/// it has, the less they move.
[[nodiscard]] inline serving_fit fit_serving(const std::vector<serving_record>& runs,
                                             const std::vector<held_constant>& held = {}) {
  if (runs.empty()) detail::fail(errc::invalid_argument, "runs to calibrate on", "none", "one or more");
  std::vector<detail::serving_parameter> free;
  serving_calibration others;
  for (const detail::serving_parameter& one : detail::serving_parameters()) {
    const auto is_it = [&](const held_constant& constant) { return constant.name == one.constant.name; };
    const auto found = std::find_if(held.begin(), held.end(), is_it);
    if (found == held.end()) {
      free.push_back(one);
    } else {
      one.set(others, found->value);
    }
  }
  serving_fit fit;
  for (const detail::serving_parameter& one : free) fit.fitted.push_back(one.constant);
  const detail::log_fit found = detail::fit_logs(
      fit.fitted,
      [&](const std::vector<double>& logs) {
        const serving_calibration constants = detail::with_logs(others, free, logs);
        std::vector<double> errors;
        for (const serving_record& run : runs) errors.push_back(std::log(1 + detail::serving_error(run, constants)));
        return errors;
      },
      detail::serving_group_sizes(runs), 0.12);
  fit.constants = detail::with_logs(others, free, found.logs);
  return fit;
}

/// The decode and prefill runs of a document that the calibration uses: quality A and B. Batches from the first prompt
/// to the last token are left out.
[[nodiscard]] inline std::vector<serving_record> serving_runs(const nlohmann::json& document) {
  std::vector<serving_record> runs = detail::runs_of(document, "decode", read_serving_record);
  const std::vector<serving_record> prefill = detail::runs_of(document, "prefill", read_serving_record);
  runs.insert(runs.end(), prefill.begin(), prefill.end());
  const auto whole = [](const serving_record& run) { return run.question == serving_question::end_to_end; };
  runs.erase(std::remove_if(runs.begin(), runs.end(), whole), runs.end());
  return runs;
}

/// Those of the open sets in data/measured.
[[nodiscard]] inline std::vector<serving_record> open_serving_runs(const std::string& data) {
  std::vector<serving_record> runs;
  for (const char* set : open_sets) {
    for (serving_record& run : serving_runs(with_spelled(load_json(data + "/measured/" + set))))
      runs.push_back(std::move(run));
  }
  return runs;
}

/// The time that a run would take by an engine.
struct time_by_engine {
  serving_engine engine{};  ///< whose constants it has
  seconds time{};           ///< predicted
};

/// A run, and its prediction by constants that were fitted without its group (family or source).
struct left_out_serving {
  serving_record run;                   ///< what was measured
  double error = 0;                     ///< predicted / measured - 1
  seconds predicted{};                  ///< the time
  double over_floor = 0;                ///< of decode, measured over the floor of its step; 0 of prefill
  std::vector<time_by_engine> under{};  ///< the time by each engine, where the run names none
};

/// What estimates know of the software that a run names: its engine and how well it is tuned, its engine alone, or
/// nothing.
enum class engine_known : std::uint8_t { yes, alone, no };

namespace detail {

/// Measured over the floor of the step at peak rates: what an engine does between steps is above it.
inline double over_floor(const serving_record& run) {
  if (!is_decode(run)) return 0;
  const decode_batch batch{run.batch, running_context(run.job)};
  const engine_constants own = constants_of(peak_only, run.job.engine);
  const served_model served = served_by(run.model, run.job, run.mesh, run.where);
  const auto tokens = static_cast<double>(held_tokens(run.job, batch.context));
  return run.measured.value() / floor_at(terms_of(served, tokens, run.job, run.mesh, own), batch.sequences);
}

}  // namespace detail

/// Every group of runs, families or sources, left out once. Nothing of it is seen by the fit that predicts it.
[[nodiscard]] inline std::vector<left_out_serving> leave_out(const std::vector<serving_record>& runs,
                                                             std::string serving_record::*group,
                                                             engine_known known = engine_known::yes,
                                                             const std::vector<held_constant>& held = {}) {
  std::set<std::string> groups;
  for (const serving_record& run : runs) groups.insert(run.*group);
  std::vector<left_out_serving> result;
  for (const std::string& one : groups) {
    std::vector<serving_record> others;
    for (const serving_record& run : runs) {
      if (run.*group != one) others.push_back(run);
    }
    if (others.empty()) continue;
    const serving_calibration constants = fit_serving(others, held).constants;
    for (serving_record run : runs) {
      if (run.*group != one) continue;
      left_out_serving made{run, 0, {}, detail::over_floor(run), {}};
      if (known != engine_known::yes) run.job.software = made.run.job.software = software_level::unnamed;
      if (known == engine_known::no) {
        for (const detail::engine_row& row : detail::engines) {
          run.job.engine = row.engine;
          made.under.push_back({row.engine, predict(run, constants).time});
        }
        made.run.job.engine = serving_engine::unnamed;
      }
      made.predicted = predict(made.run, constants).time;
      made.error = made.predicted / run.measured - 1;
      result.push_back(std::move(made));
    }
  }
  return result;
}

namespace detail {

/// The weighted quantile: the number below which that share of the sum of all weights lies.
inline double weighted_quantile(std::vector<std::pair<double, double>> numbers, double share) {
  std::sort(numbers.begin(), numbers.end());
  double all = 0, below = 0;
  for (const auto& [number, weight] : numbers) all += weight;
  for (const auto& [number, weight] : numbers) {
    below += weight;
    if (below >= share * all - 1e-12) return number;
  }
  return numbers.back().first;
}

/// How much further out the next of a number of normal draws may lie than the quantile of what was seen, 5 % beyond it:
/// t(0.95, sources - 1) x sqrt(1 + 1 / sources) over 1.645. Worked: 2.353 x 1.118 / 1.645 = 1.60 for four sources.
inline double few_sources(std::size_t sources) {
  constexpr double student[] = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812};
  const std::size_t row = std::min<std::size_t>(std::max<std::size_t>(sources, 2) - 2, std::size(student) - 1);
  return student[row] * std::sqrt(1 + 1 / static_cast<double>(sources)) / 1.645;
}

}  // namespace detail

namespace detail {

/// Whether the low end of a run's range reaches down to what the best software takes: see `lower_low`.
inline bool reached_by_best(const left_out_serving& one, double best) {
  return best > 0 && one.error > 0 && row_of(one.run.job.engine).may_be_best && taken_as_tuned(one.run.job.software) &&
         one.over_floor >= best;
}

}  // namespace detail

/// A band of a kind, what the best software of its sources takes over the floor, 0 where that is not looked at, and the
/// engines that ran.
struct made_band {
  detail::serving_band band{};
  double best = 0;
  detail::engines_that_ran ran{};
};

/// The band of a kind: 5 % of the errors of sources that were left out lie above it and 5 % below, each source counting
/// once, in logarithms times `detail::few_sources`. Below nine sources no quantile of what was seen has a guarantee of
/// nine in ten for the next source: the factor takes the errors of sources for normal. What the best software reaches
/// needs no band.
[[nodiscard]] inline made_band conformal_band(const std::vector<left_out_serving>& list) {
  std::map<std::string, double> count;
  std::map<serving_engine, double> engines;
  double best = 0;
  for (const left_out_serving& one : list) {
    count[one.run.source] += 1;
    if (one.over_floor > 0 && !(one.over_floor >= best && best > 0)) best = one.over_floor;
  }
  std::vector<std::pair<double, double>> over, under;
  for (const left_out_serving& one : list) {
    const double log = std::log(1 + one.error), weight = 1 / count[one.run.source];
    engines[one.run.job.engine] += weight / static_cast<double>(count.size());
    over.emplace_back(detail::reached_by_best(one, best) ? 0 : log, weight);
    under.emplace_back(-log, weight);
  }
  const double margin = detail::few_sources(count.size());
  const double above = margin * std::max(0.05, detail::weighted_quantile(over, 0.95));
  const double below = margin * std::max(0.05, detail::weighted_quantile(under, 0.95));
  made_band made{{std::exp(above) - 1, 1 - std::exp(-below)}, best, {}};
  for (const auto& [engine, share] : engines) made.ran.items.at(made.ran.count++) = {engine, share};
  return made;
}

/// Those of one kind.
[[nodiscard]] inline std::vector<left_out_serving> of_kind(const std::vector<left_out_serving>& list,
                                                           detail::serving_kind kind) {
  std::vector<left_out_serving> result;
  for (const left_out_serving& one : list) {
    if (detail::kind_of(one.run) == kind) result.push_back(one);
  }
  return result;
}

/// The range of a run in a band, as the estimates have it.
[[nodiscard]] inline detail::likely_time range_at(const made_band& made, const left_out_serving& one) {
  const bool may_be = one.over_floor > 0 && taken_as_tuned(one.run.job.software);
  const seconds best = may_be ? made.best / one.over_floor * one.run.measured : seconds{0};
  const serving_engine engine = one.run.job.engine;
  const detail::engines_that_ran only{{{{engine, 1}}}, 1};
  const auto time_under = [&](const detail::candidate_engine& of) {
    if (of.factors.engine == engine) return one.predicted;
    return std::find_if(one.under.begin(), one.under.end(),
                        [&](const time_by_engine& by) { return by.engine == of.factors.engine; })
        ->time;
  };
  const bool unnamed = engine == serving_engine::unnamed;
  const detail::engines_that_ran& ran = unnamed ? made.ran : only;
  return detail::range_around(one.predicted,
                              detail::range_of_engines(ran, made.band, best, detail::times_of(ran, {}, time_under)),
                              unnamed ? best : seconds{0});
}

/// Whether a band holds what was measured.
[[nodiscard]] inline bool holds(const made_band& made, const left_out_serving& one) {
  const detail::likely_time range = range_at(made, one);
  return range.low <= one.run.measured && one.run.measured <= range.high;
}

/// The width of a band at a run: the logarithm of its high over its low end.
[[nodiscard]] inline double width_at(const made_band& made, const left_out_serving& one) {
  const detail::likely_time range = range_at(made, one);
  return std::log(range.high / range.low);
}

/// The band that the other sources make; that of all where there is no other.
[[nodiscard]] inline made_band band_without(const std::vector<left_out_serving>& list, const std::string& source) {
  std::vector<left_out_serving> others;
  for (const left_out_serving& other : list) {
    if (other.run.source != source) others.push_back(other);
  }
  return conformal_band(others.empty() ? list : others);
}

/// The bands that the sources other than each make, from estimates that know the engine.
[[nodiscard]] inline std::map<std::string, made_band> bands_without_each(const std::vector<left_out_serving>& named) {
  std::map<std::string, made_band> bands;
  for (const left_out_serving& one : named) {
    if (bands.count(one.run.source) == 0) bands[one.run.source] = band_without(named, one.run.source);
  }
  return bands;
}

/// The share of what is likely below a measured time: half of it below the estimate, one in twenty beyond either end,
/// logistic in the logarithm on either side, as `serving_shape` has it.
[[nodiscard]] inline double share_within(const detail::likely_time& range, seconds measured) {
  const double off = std::log(measured / range.total);
  const double end = off < 0 ? std::log(range.total / range.low) : std::log(range.high / range.total);
  return end > 0 ? 1 / (1 + std::pow(19, -off / end)) : off < 0 ? 0 : 1;
}

/// The share of what is likely below each measured time, by source.
using shares_by_source = std::map<std::string, std::vector<double>>;

/// That in ranges which were made without its source. Rates of saturated engines are left out.
[[nodiscard]] inline shares_by_source shares_within(const std::vector<left_out_serving>& list,
                                                    const std::map<std::string, made_band>& bands) {
  shares_by_source result;
  for (const left_out_serving& one : list) {
    if (one.run.saturated) continue;
    result[one.run.source].push_back(share_within(range_at(bands.at(one.run.source), one), one.run.measured));
  }
  return result;
}

/// What part of the measured times, each source counted once, has such a share at most.
[[nodiscard]] inline double share_at_most(const shares_by_source& shares, double asked) {
  double sum = 0;
  for (const auto& [source, list] : shares) {
    const auto within = [&](double at) { return at <= asked; };
    sum += static_cast<double>(std::count_if(list.begin(), list.end(), within)) / static_cast<double>(list.size());
  }
  return sum / static_cast<double>(shares.size());
}

/// The share of errors that lie in the band which the other sources make.
[[nodiscard]] inline double held_by_others(const std::vector<left_out_serving>& list) {
  double inside = 0, counted = 0;
  for (const left_out_serving& one : list) {
    if (one.run.saturated) continue;
    counted += 1;
    inside += holds(band_without(list, one.run.source), one) ? 1 : 0;
  }
  return counted > 0 ? inside / counted : 0;
}

/// Errors of runs that are timed, not rates of saturated engines, of sources that were left out.
struct serving_accuracy {
  error_summary errors{};   ///< and the share of them in the shipped band
  std::size_t sources = 0;  ///< that published them
};

[[nodiscard]] inline serving_accuracy accuracy_of(const std::vector<left_out_serving>& list) {
  std::vector<double> errors;
  std::set<std::string> sources;
  double inside = 0;
  for (const left_out_serving& one : list) {
    if (one.run.saturated) continue;
    errors.push_back(one.error);
    sources.insert(one.run.source);
    const detail::serving_kind kind = detail::kind_of(one.run);
    const detail::serving_bands& shipped = detail::bands_of(kind, one.run.job.software);
    inside += holds({shipped.band, shipped.best, detail::ran_by_kind[static_cast<std::size_t>(kind)]}, one) ? 1 : 0;
  }
  serving_accuracy result{summary_of(errors), sources.size()};
  if (!errors.empty()) result.errors.inside = inside / static_cast<double>(errors.size());
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
