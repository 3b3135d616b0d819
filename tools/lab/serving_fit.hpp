#ifndef TPUPLAN_LAB_SERVING_FIT_HPP
#define TPUPLAN_LAB_SERVING_FIT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <lab/least_squares.hpp>
#include <lab/serving_records.hpp>
#include <lab/validation.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The constants of the serving estimates fitted to published runs, decode and prefill apart, as
/// tools/lab/training_fit.hpp does for training.

namespace tpuplan {
inline namespace abi_0 {

/// A fit and its constants with their errors.
struct serving_fit {
  serving_calibration constants{};      ///< as fitted, the others as given
  std::vector<fitted_constant> fitted;  ///< those that were free
};

namespace detail {

/// A free constant and where it lies.
struct serving_parameter {
  fitted_constant constant;
  void (*set)(serving_calibration&, double);
};

inline std::vector<serving_parameter> decode_parameters() {
  return {
      {{"weight_stream", 0.8, 0.1, 0, 0},
       [](serving_calibration& constants, double v) { constants.weight_stream = v; }},
      {{"cache_stream", 0.5, 0.5, 0, 0}, [](serving_calibration& constants, double v) { constants.cache_stream = v; }},
      {{"decode_mxu", 0.6, 0.3, 0, 0}, [](serving_calibration& constants, double v) { constants.decode_mxu = v; }},
      {{"layer_latency", 2e-5, 0.5, 0, 0},
       [](serving_calibration& constants, double v) { constants.layer_latency = seconds{v}; }},
      {{"decode_collectives", 1.0, 0.4, 0, 0},
       [](serving_calibration& constants, double v) { constants.decode_collectives = v; }},
      {{"prefill_between_steps", 0.2, 0.4, 0, 0},
       [](serving_calibration& constants, double v) { constants.prefill_between_steps = v; }},
      {{"engine_step", 5e-3, 0.7, 0, 0},
       [](serving_calibration& constants, double v) { constants.engine_step = seconds{v}; }},
      {{"engine_sequence", 3e-5, 0.7, 0, 0},
       [](serving_calibration& constants, double v) { constants.engine_sequence = seconds{v}; }}};
}

inline std::vector<serving_parameter> prefill_parameters() {
  return {
      {{"prefill_mxu", 0.72, 0.15, 0, 0}, [](serving_calibration& constants, double v) { constants.prefill_mxu = v; }},
      {{"prefill_collectives", 0.7, 0.5, 0, 0},
       [](serving_calibration& constants, double v) { constants.prefill_collectives = v; }},
      {{"engine_prefill", 2.0, 0.3, 0, 0},
       [](serving_calibration& constants, double v) { constants.engine_prefill = v; }}};
}

inline bool is_decode(const serving_record& run) {
  return run.question == serving_question::decode_step || run.question == serving_question::engine_step;
}

inline std::vector<double> serving_log_errors(const std::vector<serving_record>& runs,
                                              const serving_calibration& constants) {
  std::vector<double> errors;
  for (const serving_record& run : runs) errors.push_back(std::log(predict(run, constants).time / run.measured));
  return errors;
}

inline serving_calibration with_logs(serving_calibration constants, const std::vector<serving_parameter>& free,
                                     const std::vector<double>& logs) {
  for (std::size_t i = 0; i < free.size(); ++i) free[i].set(constants, std::exp(logs[i]));
  return constants;
}

}  // namespace detail

/// Fits some constants to runs, the others left as they are in `others`: maximum a posteriori, Gauss-Newton on the
/// logarithm of predicted over measured time, Cauchy weights.
[[nodiscard]] inline serving_fit fit_serving(const std::vector<serving_record>& runs,
                                             const std::vector<detail::serving_parameter>& free,
                                             const serving_calibration& others = {}) {
  if (runs.empty()) detail::fail(errc::invalid_argument, "runs to calibrate on", "none", "one or more");
  serving_fit fit;
  for (const detail::serving_parameter& one : free) fit.fitted.push_back(one.constant);
  const detail::log_fit found = detail::fit_logs(
      fit.fitted,
      [&](const std::vector<double>& logs) {
        return detail::serving_log_errors(runs, detail::with_logs(others, free, logs));
      },
      detail::family_sizes(runs), 0.12);
  fit.constants = detail::with_logs(others, free, found.logs);
  return fit;
}

/// The decode, or the prefill, runs of a document that the calibration uses: quality A and B, timed steps and engines;
/// batches over saturated rates, which have scheduling and sampling in them, are left out.
[[nodiscard]] inline std::vector<serving_record> serving_runs(const nlohmann::json& document, std::string_view kind) {
  std::vector<serving_record> runs = detail::runs_of(document, kind, read_serving_record);
  const auto scheduled = [](const serving_record& run) {
    return run.saturated || run.question == serving_question::end_to_end;
  };
  runs.erase(std::remove_if(runs.begin(), runs.end(), scheduled), runs.end());
  return runs;
}

/// Fits what those runs determine: the constants of decode, or those of prefill.
[[nodiscard]] inline serving_fit fit_serving(const std::vector<serving_record>& runs) {
  const bool decode = !runs.empty() && detail::is_decode(runs.front());
  return fit_serving(runs, decode ? detail::decode_parameters() : detail::prefill_parameters());
}

/// Every family left out once. Nothing of it is seen by the fit that predicts it.
[[nodiscard]] inline std::vector<left_out_run> leave_families_out(const std::vector<serving_record>& runs) {
  return detail::leave_out_each(
      runs, [](const std::vector<serving_record>& others) { return fit_serving(others).constants; },
      [](const serving_record& run, const serving_calibration& constants) { return predict(run, constants).time; });
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
