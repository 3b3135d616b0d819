#ifndef TPUPLAN_LAB_TRAINING_FIT_HPP
#define TPUPLAN_LAB_TRAINING_FIT_HPP

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <lab/least_squares.hpp>
#include <lab/validation.hpp>
#include <map>
#include <string>
#include <string_view>
#include <tpuplan/estimate/training/step_time.hpp>
#include <vector>

/// @file
/// The calibration: constants of the training step fitted to published runs, with standard errors, and what they
/// predict for a model family that was left out.

namespace tpuplan {
inline namespace abi_0 {

/// A fit: the constants, those that were free with their errors, and their covariance in logarithms.
struct calibration_fit {
  calibration constants{};              ///< as fitted, the others as given
  std::vector<fitted_constant> fitted;  ///< those that were free
  std::vector<double> mxu_spread;       ///< of the MXU fraction of each of `constants.chips`
};

/// A term of the step time that can be left out by setting its constant to a value that has no effect. Such a constant,
/// where it is one of the fitted ones, stays at its prior.
struct optional_term {
  std::string_view name;             ///< what the term is called
  void (*switch_off)(calibration&);  ///< sets its constant to a value that has no effect
};

/// Every term, beyond products at one rate for all chips, that has an effect on some published run: the ratios of the
/// generations, and what each constant or switch adds. No published run has traffic that exceeds the work under context
/// parallelism, or state on hosts.
inline constexpr std::array<optional_term, 24> optional_terms = {{
    {"generations apart", [](calibration& constants) { constants.chips.count = 0; }},
    {"products padded", [](calibration& constants) { constants.products_padded = false; }},
    {"slower attention", [](calibration& constants) { constants.attention_slowdown = 1; }},
    {"softmax of attention", [](calibration& constants) { constants.softmax_width = 0; }},
    {"heads that fill the MXU", [](calibration& constants) { constants.heads_fill_mxu = false; }},
    {"attention in blocks", [](calibration& constants) { constants.attention_block = 0; }},
    {"widths of global heads", [](calibration& constants) { constants.global_heads_apart = false; }},
    {"update by optimizer", [](calibration& constants) { constants.fixed_update = 28; }},
    {"HBM traffic", [](calibration& constants) { constants.hbm_passes = 0; }},
    {"operands", [](calibration& constants) { constants.operand_reads = 0; }},
    {"gathered weights", [](calibration& constants) { constants.weight_reads = 0; }},
    {"dispatch of experts", [](calibration& constants) { constants.dispatch_passes = 0; }},
    {"dispatch on every shard", [](calibration& constants) { constants.dispatch_on_every_shard = false; }},
    {"exposed FSDP", [](calibration& constants) { constants.exposed_fsdp = 0; }},
    {"exposed tensor", [](calibration& constants) { constants.exposed_tensor = 0; }},
    {"exposed expert", [](calibration& constants) { constants.exposed_expert = 0; }},
    {"exposed DCN", [](calibration& constants) { constants.exposed_dcn = 0; }},
    {"stragglers", [](calibration& constants) { constants.slowdown_per_doubling = 0; }},
    {"gain of 8 bits", [](calibration& constants) { constants.low_precision_share = 0; }},
    {"general software", [](calibration& constants) { constants.general_software = 1; }},
    {"default tiles", [](calibration& constants) { constants.default_tiles = 1; }},
    {"tensor of general software",
     [](calibration& constants) { constants.general_exposed_tensor = constants.exposed_tensor; }},
    {"steps of a ring", [](calibration& constants) { constants.ring_step = seconds{0}; }},
    {"time per layer", [](calibration& constants) { constants.per_layer_pass = seconds{0}; }},
}};

/// Terms that are left out, by their index in `optional_terms`.
using term_set = std::bitset<optional_terms.size()>;

namespace detail {

/// The generations that the runs are on, oldest first.
inline fitted_chips chips_of(const std::vector<training_record>& runs) {
  fitted_chips chips;
  for (const chip_spec& chip : generations) {
    const auto is_on = [&chip](const training_record& run) { return run.where.chip.name == chip.name; };
    if (std::any_of(runs.begin(), runs.end(), is_on)) chips.items.at(chips.count++).chip = chip.name;
  }
  return chips;
}

/// The free constants: the level of the MXU fraction, the ratio of each generation to it, and four others. The priors
/// of the ratios are narrow and centred on 1, so that a generation with a single record stays near the common level.
inline std::vector<fitted_constant> free_constants(const fitted_chips& chips) {
  std::vector<fitted_constant> list = {{"mxu_fraction", 0.74, 0.20, 0, 0}};
  for (std::size_t i = 0; i < chips.count; ++i)
    list.push_back({std::string(chips.items[i].chip.view()), 1.0, 0.15, 0, 0});
  list.push_back({"hbm_passes", 1.2, 0.4, 0, 0});
  list.push_back({"dispatch_passes", 18.0, 0.4, 0, 0});
  list.push_back({"exposed_fsdp", 0.3, 0.4, 0, 0});
  list.push_back({"general_software", 1.05, 0.05, 0, 0});
  return list;
}

inline calibration constants_from(const fitted_chips& chips, const std::vector<double>& logs, const term_set& without) {
  calibration c;
  c.chips = chips;
  const double level = std::exp(logs[0]);
  std::size_t next = 1;
  for (std::size_t i = 0; i < c.chips.count; ++i) c.chips.items[i].mxu_fraction = level * std::exp(logs[next++]);
  c.other_mxu_fraction = level;
  for (double* free : {&c.hbm_passes, &c.dispatch_passes, &c.exposed_fsdp, &c.general_software})
    *free = std::exp(logs[next++]);
  for (std::size_t i = 0; i < optional_terms.size(); ++i) {
    if (without[i]) optional_terms[i].switch_off(c);
  }
  return c;
}

/// What no fit takes: models below 1.5e9 parameters, whose steps are mostly of what is fixed, programs that nobody
/// tuned, which say more of themselves than of the chip, and adapters, whose estimate has no constants of its own.
inline bool in_no_fit(const training_record& run) {
  return static_cast<double>(parameters(run.model).total) < 1.5e9 || run.job.software == software_level::first_port ||
         run.job.lora_rank > 0;
}

inline seconds predicted_step(const training_record& run, const calibration& constants) {
  return step_time(run.model, run.job, run.mesh, run.where, constants).total;
}

inline std::vector<double> log_errors(const std::vector<training_record>& runs, const calibration& constants) {
  std::vector<double> errors;
  for (const training_record& run : runs) errors.push_back(std::log(predicted_step(run, constants) / run.measured));
  return errors;
}

}  // namespace detail

/// Fits the free constants to runs: maximum a posteriori with log-normal priors, by Gauss-Newton on the logarithm of
/// predicted over measured time, with Cauchy weights against outliers. Terms can be left out.
[[nodiscard]] inline calibration_fit fit_calibration(const std::vector<training_record>& runs,
                                                     const term_set& without = {}) {
  if (runs.empty()) detail::fail(errc::invalid_argument, "runs to calibrate on", "none", "one or more");
  const fitted_chips chips = detail::chips_of(runs);
  std::vector<fitted_constant> free = detail::free_constants(chips);
  const detail::log_fit found = detail::fit_logs(
      free,
      [&](const std::vector<double>& logs) {
        return detail::log_errors(runs, detail::constants_from(chips, logs, without));
      },
      detail::family_sizes(runs), 0.08);
  const detail::matrix& covariance = found.covariance;
  calibration_fit fit{detail::constants_from(chips, found.logs, without), std::move(free), {}};
  for (std::size_t i = 1; i <= fit.constants.chips.count; ++i)
    fit.mxu_spread.push_back(std::sqrt(covariance[0][0] + covariance[i][i] + 2 * covariance[0][i]));
  return fit;
}

/// The timed runs of a document, small models with them.
[[nodiscard]] inline std::vector<training_record> timed_runs(const nlohmann::json& document) {
  return detail::runs_of(document, "training", [](const nlohmann::json& value, const std::string& id) {
    return read_training_record(spell_out(value, id).record, id);
  });
}

/// The runs of a document that the calibration uses: quality A and B, in the domain, not skipped.
[[nodiscard]] inline std::vector<training_record> calibration_runs(const nlohmann::json& document) {
  std::vector<training_record> runs = timed_runs(document);
  runs.erase(std::remove_if(runs.begin(), runs.end(), detail::in_no_fit), runs.end());
  return runs;
}

namespace detail {

/// Mean absolute logarithm of predicted over measured time, each family with equal weight.
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

/// Leaves out every family once. The fit that predicts a family uses none of its runs.
[[nodiscard]] inline std::vector<left_out_run> leave_families_out(const std::vector<training_record>& runs,
                                                                  const term_set& without = {}) {
  return detail::leave_out_each(
      runs, [&](const std::vector<training_record>& others) { return fit_calibration(others, without).constants; },
      detail::predicted_step);
}

/// Whether a prediction knows how well the program of a run was tuned.
enum class level_known { yes, no };

/// Predictions of every run by constants that were fitted without its source. `left_out_run` names the source in place
/// of the family. Runs that the fit does not use, such as those of small models, are predicted together with the rest
/// of their source.
[[nodiscard]] inline std::vector<left_out_run> leave_sources_out(const std::vector<training_record>& runs,
                                                                 level_known known = level_known::yes) {
  std::map<std::string, calibration> without;
  for (const training_record& run : runs) without.emplace(run.source, calibration{});
  for (auto& [source, constants] : without) {
    std::vector<training_record> others;
    for (const training_record& run : runs) {
      if (run.source != source && !detail::in_no_fit(run)) others.push_back(run);
    }
    constants = fit_calibration(others).constants;
  }
  std::vector<left_out_run> result;
  for (training_record run : runs) {
    if (known == level_known::no) run.job.software = software_level::unnamed;
    const seconds predicted = detail::predicted_step(run, without.at(run.source));
    result.push_back({run.id, run.source, predicted / run.measured - 1, predicted});
  }
  return result;
}

/// The terms that these runs do not need, by backward elimination. Each round drops the term without which left-out
/// families are predicted best, as long as their mean absolute logarithmic error, each family with equal weight, stays
/// within `tolerance` of the smallest error so far. Of two equal choices the one with fewer terms is taken.
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

/// Leaves out every family once, both for the fit and for the choice of terms, which is made from the other families.
/// `report` is called with each family's choice. Takes minutes.
template <class Report>
[[nodiscard]] std::vector<left_out_run> leave_families_out_nested(const std::vector<training_record>& runs,
                                                                  const Report& report) {
  const auto fit = [&](const std::vector<training_record>& others) {
    const term_set dropped = terms_to_drop(others);
    report(others, dropped);
    return fit_calibration(others, dropped).constants;
  };
  return detail::leave_out_each(runs, fit, detail::predicted_step);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
