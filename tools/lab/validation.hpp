#ifndef TPUPLAN_LAB_VALIDATION_HPP
#define TPUPLAN_LAB_VALIDATION_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <lab/exceptions.hpp>
#include <lab/published_text.hpp>
#include <lab/sources.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/read/runs/serving.hpp>
#include <tpuplan/read/runs/training.hpp>
#include <vector>

/// @file
/// Published runs against the estimates: predicted, measured, error, band and verdict of each record, and summaries.

namespace tpuplan {
inline namespace abi_0 {

/// One record. Times are of one step. `skipped` says why nothing was predicted.
struct record_check {
  std::string id;          ///< of the record
  std::string kind;        ///< "training", "memory", "decode" or "prefill"
  std::string quality;     ///< of the source: A, B or C
  std::string family;      ///< of models, as the record names it
  std::string generation;  ///< of the chip: "v5e"
  std::string type;  ///< of training "dense", "moe", "dense 8-bit" or "moe 8-bit"; else "step", "engine", "saturated"
                     ///< or "end to end"
  std::optional<seconds> predicted;           ///< time of a step, or of the token or prompt that the record is of
  std::optional<seconds> measured;            ///< the record's
  std::optional<seconds> low;                 ///< the lower end of the estimate's band
  std::optional<seconds> high;                ///< its upper end
  std::optional<double> error;                ///< predicted / measured - 1
  std::optional<verdict> fit;                 ///< where memory could be predicted
  std::optional<bool> fitted;                 ///< what was seen: a run that completed, or a memory record that says so
  std::optional<std::string> memory_skipped;  ///< why `fit` is not judged though the step is described
  std::optional<bytes> used;                  ///< on one device, as estimated
  std::optional<bytes> measured_used;         ///< as the record has it
  std::optional<std::string> bytes_skipped;   ///< why `measured_used` is not what the program held
  double roofline_error = 0;                  ///< of the bare roofline, recomputation counted
  double model_flops_seconds = 0;             ///< model FLOPs over the peak: measured time divided by it is 1 / MFU
  bool in_domain = false;                     ///< of the kind of run that the estimates are made for
  bool extrapolated = false;                  ///< outside of what published runs cover
  std::optional<std::string> skipped;         ///< why nothing was predicted
  std::vector<std::string> guesses;           ///< what the record leaves open and a reader filled in
};

namespace detail {

inline std::string type_of(const training_record& record) {
  std::string type = has_experts(record.model) ? "moe" : "dense";
  if (in_eight_bits(record.job)) type += " 8-bit";
  return type;
}

inline double bare_roofline(const training_record& record, const calibration& ideal) {
  const step_breakdown r = step_time(record.model, record.job, record.mesh, record.where, ideal);
  const seconds wires = r.fsdp.whole + r.data.whole + r.tensor.whole + r.expert.whole;
  return max(r.compute, max(wires, r.dcn.whole)).value();
}

/// Constants without any losses: matrix units at peak, and attention as fast as other products.
inline calibration without_losses() {
  calibration ideal;
  ideal.chips = {};
  ideal.other_mxu_fraction = 1;
  ideal.attention_slowdown = 1;
  ideal.heads_fill_mxu = false;
  ideal.attention_block = 0;
  ideal.low_precision_share = 0;
  return ideal;
}

/// The observed memory, and the reason why it cannot be compared with the estimate, if there is one: a guess that was
/// needed, or an entry in the list of exceptions.
inline void check_memory(const training_record& run, const json_object& record,
                         const std::vector<record_exception>& exceptions, record_check& check) {
  if (record.has("fits")) check.fitted = record.flag("fits");
  if (record.has("hbm_used_bytes")) check.measured_used = bytes{record.positive_number("hbm_used_bytes")};
  const memory_breakdown memory = memory_use(run.model, run.job, run.mesh, run.where);
  check.used = memory.total;
  if (!check.guesses.empty()) check.memory_skipped = "underspecified: " + check.guesses.back();
  for (const record_exception& one : exceptions) {
    if (one.id != check.id) continue;
    (one.what == not_judged::used_bytes ? check.bytes_skipped : check.memory_skipped) = one.reason;
    if (one.what == not_judged::all_but_state) check.used = memory.parameters + memory.optimizer;
  }
  if (!check.memory_skipped) check.fit = fits(memory);
}

/// The question that a record answers: records that differ in the number of slices alone ask the same.
inline std::string memory_question(const training_record& run) {
  std::string key(run.model.name.view());
  for (const std::int64_t part : {chips(run.where), run.job.global_batch / slices(run.mesh), run.job.sequence_length,
                                  run.mesh.data, run.mesh.fsdp, run.mesh.tensor, run.mesh.expert, run.mesh.pipeline,
                                  run.job.vocabulary_tiles, run.job.gradient_accumulation}) {
    key += " " + std::to_string(part);
  }
  for (const std::string_view word : {run.where.chip.name.view(), name(run.job.remat), name(run.job.compute)}) {
    key.append(" ").append(word);
  }
  return key;
}

/// Marks records that ask the same question but have opposite outcomes as not judged: compilers differ by that much.
inline void skip_contradictions(const std::vector<std::string>& asked, std::vector<record_check>& checks) {
  for (std::size_t i = 0; i < checks.size(); ++i) {
    for (std::size_t j = 0; j < checks.size() && !checks[i].memory_skipped; ++j) {
      if (asked[i].empty() || asked[i] != asked[j] || checks[i].fitted == checks[j].fitted) continue;
      if (checks[i].fitted && checks[j].fitted) checks[i].memory_skipped = "contradicts " + checks[j].id;
    }
    if (checks[i].memory_skipped) checks[i].fit.reset();
  }
}

inline void check_step(const training_record& record, const calibration& constants, record_check& check) {
  const step_breakdown t = step_time(record.model, record.job, record.mesh, record.where, constants);
  check.predicted = t.total;
  check.measured = record.measured;
  check.low = t.low;
  check.high = t.high;
  check.error = t.total / record.measured - 1;
  check.extrapolated = t.extrapolated;
  check.roofline_error = bare_roofline(record, without_losses()) / record.measured.value() - 1;
  check.model_flops_seconds = t.mfu * t.total.value();
}

/// Whether a record is skipped for a reason that is not an error in the file: it leaves a value open, or asks for
/// something that is not modelled.
inline bool is_a_gap(errc code) noexcept {
  return code == errc::missing_field || code == errc::unknown_name || code == errc::unsupported ||
         code == errc::unknown_figure || code == errc::not_divisible || code == errc::infeasible;
}

/// The records of a kind and of quality A or B, as `read` reads them, without those that leave gaps.
template <class Read>
auto runs_of(const nlohmann::json& document, std::string_view kind, const Read& read) {
  std::vector<decltype(read(document, std::string{}))> runs;
  for (const nlohmann::json& value : document.at("records")) {
    if (value.value("kind", "") != kind || value.value("quality", "C") == "C") continue;
    try {
      runs.push_back(read(value, value.value("id", "")));
    } catch (const error& problem) {
      if (!is_a_gap(problem.code())) throw;
    }
  }
  return runs;
}

/// A decode or prefill record.
inline void check_serving(const nlohmann::json& value, const std::string& where, const serving_calibration& constants,
                          record_check& check) {
  const serving_record run = read_serving_record(value, where);
  const bool engine = run.question == serving_question::engine_step || run.question == serving_question::engine_prefill;
  check.type = run.question == serving_question::end_to_end ? "end to end"
               : run.saturated                              ? "saturated"
               : engine                                     ? "engine"
                                                            : "step";
  const serving_prediction said = predict(run, constants);
  check.predicted = said.time;
  check.measured = run.measured;
  check.low = said.low;
  check.high = said.high;
  check.error = said.time / run.measured - 1;
  check.extrapolated = said.extrapolated;
  check.in_domain = !run.saturated && run.question != serving_question::end_to_end;
  check.roofline_error = predict(run, peak_only).time / run.measured - 1;
}

/// A memory record of serving.
inline void check_serving_memory(const nlohmann::json& value, const std::string& where, record_check& check) {
  const serving_memory_record memory = read_serving_memory(value, where);
  const json_object record(value, where);
  const json_object measured = record.has("measured") ? record.object("measured") : record;
  check.type = record.string("task");
  if (measured.has("fits")) check.fitted = measured.flag("fits");
  check.used = memory.held;
  if (measured.has("hbm_used_bytes")) check.measured_used = bytes{measured.positive_number("hbm_used_bytes")};
  if (memory.whole) {
    check.fit = fits(memory.use);
  } else {
    check.memory_skipped = check.type == "kv cache capacity" ? "of the cache alone" : "of a cache whose size is open";
  }
}

inline record_check check_record(const nlohmann::json& value, const std::string& path, const calibration& constants,
                                 const std::vector<record_exception>& exceptions,
                                 const serving_calibration& serving_constants, std::string& question) {
  const json_object record(value, path);
  record_check check;
  check.id = record.string("id");
  check.kind = record.string("kind");
  check.quality = record.string("quality");
  check.family = record.string("family");
  const std::string where = path + " (" + check.id + ")";
  if (record.has("structured") && !record.flag("structured")) {
    check.skipped = "its source says too little to spell it out";
    return check;
  }
  try {
    check.generation = std::string(chip_for(record.string("hardware")).name.view());
    if (check.kind == "decode" || check.kind == "prefill") {
      check_serving(value, where, serving_constants, check);
      return check;
    }
    if (check.kind == "memory" && record.has("task") && record.string("task") != "training") {
      check_serving_memory(value, where, check);
      return check;
    }
    const spelled_out spelled = spell_out(value, where);
    check.guesses = spelled.guesses;
    if (record.has("guesses")) {
      for (const nlohmann::json& guess : record.list("guesses")) check.guesses.push_back(guess.get<std::string>());
    }
    const training_record run = read_training_record(spelled.record, where, check.kind == "training");
    check.type = type_of(run);
    check.in_domain = static_cast<double>(parameters(run.model).total) >= 1.5e9;
    if (check.kind == "training") check_step(run, constants, check);
    check_memory(run, json_object(spelled.record, where), exceptions, check);
    question = memory_question(run);
  } catch (const error& problem) {
    if (!is_a_gap(problem.code())) throw;
    check.skipped = problem.what();
  }
  return check;
}

}  // namespace detail

/// Checks every record of a document in either format of data/measured. Throws, naming the record, for records that
/// cannot be right (negative times, no chips, wrong types); skips, with the reason, what they leave open. Memory of the
/// exceptions is not judged; ids that the document does not have are of no consequence.
[[nodiscard]] inline std::vector<record_check> check_records(const nlohmann::json& document, const std::string& source,
                                                             const calibration& constants = {},
                                                             const std::vector<record_exception>& exceptions = {},
                                                             const serving_calibration& serving_constants = {}) {
  const nlohmann::json& list = json_object(document, source).list("records");
  std::vector<record_check> checks;
  std::vector<std::string> questions(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    checks.push_back(detail::check_record(list[i], "records[" + std::to_string(i) + "]", constants, exceptions,
                                          serving_constants, questions[i]));
  }
  detail::skip_contradictions(questions, checks);
  return checks;
}

/// The p-th quantile of some numbers, between neighbours where it falls between. Worked: 0.5 of 1, 2, 4 is 2.
[[nodiscard]] inline double quantile(std::vector<double> numbers, double p) {
  if (numbers.empty()) detail::fail(errc::invalid_argument, "quantile of numbers", "none", "one number or more");
  std::sort(numbers.begin(), numbers.end());
  const double place = static_cast<double>(numbers.size() - 1) * p;
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, numbers.size() - 1);
  return numbers[below] + (numbers[above] - numbers[below]) * (place - static_cast<double>(below));
}

/// Errors of a group of records.
struct error_summary {
  std::size_t records = 0;  ///< that were predicted
  double median = 0;        ///< of the absolute errors
  double p90 = 0;           ///< of the absolute errors
  double bias = 0;          ///< mean of the signed errors
  double inside = 0;        ///< share of records within their band
};

/// Summary of signed relative errors. Worked: of 0.1 and -0.2 the median is 0.15 and the bias -0.05.
[[nodiscard]] inline error_summary summary_of(const std::vector<double>& errors) {
  error_summary result;
  if (errors.empty()) return result;
  std::vector<double> sizes;
  for (const double error : errors) {
    sizes.push_back(std::abs(error));
    result.bias += error / static_cast<double>(errors.size());
  }
  result.records = errors.size();
  result.median = quantile(sizes, 0.5);
  result.p90 = quantile(sizes, 0.9);
  return result;
}

/// Summary of the step times that were predicted, of the records that `wanted` accepts.
template <class Wanted>
[[nodiscard]] error_summary summary_of(const std::vector<record_check>& checks, const Wanted& wanted) {
  std::vector<double> errors;
  std::size_t inside = 0;
  for (const record_check& check : checks) {
    if (!check.error || !wanted(check)) continue;
    errors.push_back(*check.error);
    if (*check.low <= *check.measured && *check.measured <= *check.high) ++inside;
  }
  error_summary result = summary_of(errors);
  if (result.records > 0) result.inside = static_cast<double>(inside) / static_cast<double>(result.records);
  return result;
}

/// Errors of simpler predictors.
struct baseline_errors {
  error_summary roofline;        ///< recomputation counted, nothing lost
  error_summary one_mfu;         ///< the median of the other families' runs
  error_summary generation_mfu;  ///< the same of their generation
};

/// Errors of simpler predictors on the records that `wanted` accepts, with the predicted family left out.
template <class Wanted>
[[nodiscard]] baseline_errors baselines_of(const std::vector<record_check>& checks, const Wanted& wanted) {
  std::vector<double> roofline, one, by_generation;
  for (const record_check& c : checks) {
    if (!c.error || !wanted(c)) continue;
    std::vector<double> others, same_chip;
    for (const record_check& other : checks) {
      if (!other.error || !wanted(other) || other.family == c.family) continue;
      const double slowness = other.measured->value() / other.model_flops_seconds;
      others.push_back(slowness);
      if (other.generation == c.generation) same_chip.push_back(slowness);
    }
    if (others.empty()) continue;
    const double ideal = c.model_flops_seconds / c.measured->value();
    const double usual = quantile(others, 0.5);
    roofline.push_back(c.roofline_error);
    one.push_back(ideal * usual - 1);
    by_generation.push_back(ideal * (same_chip.empty() ? usual : quantile(same_chip, 0.5)) - 1);
  }
  return {summary_of(roofline), summary_of(one), summary_of(by_generation)};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
