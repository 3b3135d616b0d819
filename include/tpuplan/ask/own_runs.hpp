#ifndef TPUPLAN_ASK_OWN_RUNS_HPP
#define TPUPLAN_ASK_OWN_RUNS_HPP

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/ask/question.hpp>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/read/runs.hpp>
#include <utility>
#include <vector>

/// @file
/// The user's own runs in a question: a calibration, which corrects the estimate and narrows its band.

namespace tpuplan {
inline namespace abi_0 {

/// The row of the user's own runs.
inline constexpr question_row own_run_rows[] = {
    rows::file("calibration", "--calibration",
               "a file that tpuplan calibrate wrote: your own runs correct the estimates"),
};

/// What a question learns of a calibration.
enum class calibrated_part : std::uint8_t {
  steps,             ///< times of training steps
  steps_and_memory,  ///< these, which also say that a job ran, and peaks of memory
  serving            ///< times of tokens and of first tokens
};

/// What a calibration has to have for a question. Worked: "training steps" for `steps`.
[[nodiscard]] constexpr std::string_view name(calibrated_part part) noexcept {
  constexpr const char* names[] = {"training steps", "training steps or peaks of memory",
                                   "token times or first tokens"};
  return detail::name_of(names, static_cast<std::size_t>(part));
}

/// Whether the constants know runs that say something to a question. Worked: those of a peak of memory say nothing to
/// `steps`.
[[nodiscard]] inline bool knows(const own_constants& known, calibrated_part part) noexcept {
  const std::size_t steps = known.training.own.count, peaks = known.memory.count;
  switch (part) {
    case calibrated_part::steps: return steps > 0;
    case calibrated_part::steps_and_memory: return steps + peaks > 0;
    case calibrated_part::serving: return known.serving.own_decode.count + known.serving.own_prefill.count > 0;
  }
  return false;
}

/// What a calibration without effect lacks. Worked: "training steps; left out: run 1 (lora_targets is missing)".
[[nodiscard]] inline std::string needed_runs(const own_constants& known, calibrated_part part) {
  return std::string(name(part)) + (known.left_out.empty() ? "" : "; left out: " + known.left_out);
}

/// The constants of a calibration, or of records, beside others; `usual` where there is none. Throws for a document
/// that `read_runs` refuses, and for one that says nothing to the question. Worked: of a calibration with a step
/// `training.own` has a run, and as `serving` it is refused.
[[nodiscard]] inline own_constants constants_of(const nlohmann::json& calibration, calibrated_part part,
                                                const own_constants& usual = {}) {
  if (calibration.is_null()) return usual;
  const own_constants known = constants_knowing(read_runs(calibration, "calibration"), usual);
  if (!knows(known, part))
    detail::fail(errc::invalid_argument, "calibration", "given without effect", "one with " + needed_runs(known, part));
  return known;
}

/// How many runs of each kind the constants know. Worked: of two steps and a peak `words_of` them is "2 steps, 1 peak
/// of memory of your own".
[[nodiscard]] inline std::vector<counted_runs> counts_of(const own_constants& known) {
  return {{known.training.own.count, "step", "steps"},
          {known.memory.count, "peak of memory", "peaks of memory"},
          {known.serving.own_decode.count, "token time", "token times"},
          {known.serving.own_prefill.count, "first token", "first tokens"}};
}

/// The records that say nothing to any question because they lack something, as what is assumed. Worked: nothing where
/// there are none.
[[nodiscard]] inline assumed_values assumed_left_out(const own_constants& known) {
  if (known.left_out.empty()) return {};
  return {{"calibration", "without " + known.left_out}};
}

/// Lets a job know the runs: its constants, and how well its program is tuned where the job does not say it.
inline void learn(placed_job& all, const own_constants& known) {
  all.known_memory = known.memory;
  all.constants = known.training;
  for (auto& said : assumed_left_out(known)) all.assumed.push_back(std::move(said));
  for (auto& said : assumed_runs(counts_of({known.training, {}, known.memory}))) all.assumed.push_back(std::move(said));
  use_level_of_runs(known.training.own.count > 0 ? known.training.own : known.memory, all.job, all.assumed);
}
/// The same of a plan, which learns of steps alone.
inline void learn(plan_request& request, const own_constants& known, assumed_values& assumed) {
  request.constants = known.training;
  for (auto& said : assumed_left_out(known)) assumed.push_back(std::move(said));
  for (auto& said : assumed_runs(counts_of({known.training, {}, {}}))) assumed.push_back(std::move(said));
  use_level_of_runs(known.training.own, request.job, assumed);
  assumed.emplace_back("layouts",
                       "your runs draw one that was not run less far than one that was: where yours are "
                       "slower than estimated, others may come first by that alone; measure the first");
  if (known.memory.count > 0)
    assumed.emplace_back("memory", "as without your own peaks, which correct single jobs: ask fit about the plan");
}

/// The same of an engine, whose constants these are; what was left out stands beside what was read of the model.
inline void learn(model_config& config, serving_calibration& constants, const own_constants& known) {
  constants = known.serving;
  for (const auto& [field, value] : assumed_left_out(known))
    config.assumed.push_back({field, value, std::string(not_given)});
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
