#ifndef TPUPLAN_LAB_REFLECT_HPP
#define TPUPLAN_LAB_REFLECT_HPP

#include <lab/exceptions.hpp>
#include <lab/serving_fit.hpp>
#include <lab/training_fit.hpp>
#include <lab/validation.hpp>
#include <tpuplan/read/runs/serving.hpp>
#include <tpuplan/reflect.hpp>

/// @file
/// The types of the lab, for JSON and texts: one line each, as in reflect/types.inc of the library.

namespace tpuplan {
inline namespace abi_0 {

/// "decode_step", "engine_step" and so on: the enumerator as it is spelled.
[[nodiscard]] constexpr std::string_view name(serving_question what) noexcept {
  return detail::name_at("decode_step, engine_step, prefill, engine_prefill, end_to_end",
                         static_cast<std::size_t>(what));
}

// clang-format off
TPUPLAN_NAMED(not_judged)
TPUPLAN_NAMED(serving_question)
TPUPLAN_FIELDS(calibration_fit, constants, fitted, mxu_spread)
TPUPLAN_FIELDS(left_out_run, id, family, error, predicted)
TPUPLAN_FIELDS(serving_fit, constants, fitted)
TPUPLAN_FIELDS(record_exception, id, what, reason, source)
TPUPLAN_FIELDS(fitted_constant, name, prior, prior_spread, value, spread)
TPUPLAN_FIELDS(training_record, id, family, source, quality, model, job, mesh, where, measured, in_domain, version)
TPUPLAN_FIELDS(serving_record, id, family, source, quality, model, job, mesh, where, question, saturated, batch,
               measured, version)
TPUPLAN_FIELDS(serving_memory_record, use, held, whole)
TPUPLAN_FIELDS(serving_prediction, time, low, high, extrapolated)
TPUPLAN_FIELDS(held_constant, name, value)
TPUPLAN_FIELDS(time_by_engine, engine, time)
TPUPLAN_FIELDS(left_out_serving, run, error, predicted, over_floor, under)
TPUPLAN_FIELDS(serving_accuracy, errors, sources)
TPUPLAN_FIELDS(record_check, id, kind, quality, family, generation, type, predicted, measured, low, high, error, fit,
               fitted, memory_skipped, used, measured_used, bytes_skipped, roofline_error, model_flops_seconds,
               in_domain, extrapolated, skipped, guesses)
TPUPLAN_FIELDS(error_summary, records, median, p90, bias, inside)
TPUPLAN_FIELDS(baseline_errors, roofline, one_mfu, generation_mfu)
// clang-format on

}  // namespace abi_0
}  // namespace tpuplan

#endif
