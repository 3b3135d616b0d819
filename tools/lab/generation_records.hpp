#ifndef TPUPLAN_LAB_GENERATION_RECORDS_HPP
#define TPUPLAN_LAB_GENERATION_RECORDS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/ask/generate.hpp>
#include <tpuplan/estimate/generation/training.hpp>
#include <tpuplan/json/file.hpp>
#include <vector>

/// @file
/// Published times of making images and clips, and of training what makes them, against the estimate.

namespace tpuplan {
inline namespace abi_0 {

/// How the estimate of a record is made.
enum class generation_role : std::uint8_t {
  fitted,   ///< a batch, by the constant of the other sources
  trained,  ///< a training step, which has no constant
  assumed   ///< its source leaves out what it is taken as; in no fit
};

/// One record. Times are of what it measures.
struct generation_check {
  std::string id;          ///< of the record
  std::string source;      ///< "owner/name", whatever it names of that repository
  generation_role role{};  ///< how it is estimated
  std::string measures;    ///< "batch", "step", "text", "steps" or "decode"
  std::string taken_as;    ///< what its source does not state; empty: nothing
  seconds measured{};      ///< as published
  seconds parts{};         ///< the estimate without a fitted factor
  seconds predicted{};     ///< of a fitted one with its source left out
  seconds low{};           ///< the lower end of the band
  seconds high{};          ///< its upper end
  seconds floor{};         ///< of a batch: no program is faster
};

/// Whether a document has records of images and clips, which bring the files of their pipelines.
[[nodiscard]] inline bool is_generation_records(const nlohmann::json& document) {
  return document.is_object() && document.contains("pipelines");
}

/// Whether the published time lies in the band. Worked: 1 s in 0.5 to 2 s does.
[[nodiscard]] inline bool is_inside(const generation_check& one) noexcept {
  return one.low <= one.measured && one.measured <= one.high;
}

namespace detail {

inline generation_layout record_layout(const json_object& record) {
  const json_object given = record.object("layout");
  generation_layout mesh;
  mesh.data = given.positive_count_or("data", 1), mesh.fsdp = given.positive_count_or("fsdp", 1);
  mesh.tensor = given.positive_count_or("tensor", 1), mesh.context = given.positive_count_or("context", 1);
  if (!given.has("exchange")) return mesh;
  const std::string exchange = given.string("exchange");
  const maybe<context_exchange> found = parse_context_exchange(exchange);
  if (!found) fail(errc::unknown_name, given.path("exchange"), exchange, names_of<context_exchange>().view());
  mesh.exchange = *found;
  return mesh;
}

/// The parts of the estimate, without a fitted factor, of what a record of a generation measures.
inline seconds measured_part(const generation_time& time, const json_object& record) {
  const std::string what = record.string("measures");
  if (what == "batch") return time.total;
  if (what == "step") return time.step.total;
  if (what == "text") return time.text;
  if (what == "steps") return time.steps;
  if (what == "decode") return time.decode;
  fail(errc::unknown_name, record.path("measures"), what, "batch, step, text, steps or decode");
}

inline void check_training(const json_object& record, const generation_work& work, const slice& where,
                           generation_check& check) {
  diffusion_training_job job;
  job.global_batch = record.positive_count("batch");
  job.recompute = record.object("layout").flag_or("recompute", true);
  const diffusion_step step = step_time(work, job, record_layout(record), where);
  check.parts = check.predicted = step.total, check.low = step.low, check.high = step.high, check.floor = step.floor;
}

inline void check_made(const json_object& record, const generation_work& work, const slice& where,
                       generation_check& check) {
  generation_job job;
  job.batch = record.positive_count("batch"), job.steps = record.positive_count("steps");
  job.forwards = record.positive_count("forwards");
  generation_calibration none;
  none.software = 1;
  const generation_time time = generation_time_of(work, job, record_layout(record), where, none);
  check.parts = measured_part(time, record);
  if (check.measures == "batch") check.floor = time.floor;
}

inline generation_check check_generation(const json_object& record, const json_object& pipelines) {
  generation_check check;
  check.id = record.string("id"), check.measures = record.string("measures");
  const std::string source = record.string("source"), kind = record.string("kind");
  check.source = source.substr(0, source.find_first_of("# "));
  check.taken_as = record.has("derived") ? record.string("derived") : "";
  check.measured = seconds{record.positive_number("time_s")};
  if (kind != "generation" && kind != "training")
    fail(errc::unknown_name, record.path("kind"), kind, "generation or training");
  check.role = record.has("unusable") ? generation_role::assumed
               : kind == "training"   ? generation_role::trained
                                      : generation_role::fitted;
  std::vector<assumption> read;
  const std::string name = record.string("pipeline");
  const diffusion_pipeline pipeline = read_pipeline(pipelines.object(name).value(), read, pipelines.path(name));
  picture_size size = size_of_words(record.string("size"), record.path("size"));
  size.frames = record.positive_count("frames");
  const slice where = slice_for(record.string("slice"));
  const generation_work work = work_of(pipeline, size);
  kind == "training" ? check_training(record, work, where, check) : check_made(record, work, where, check);
  return check;
}

}  // namespace detail

/// The median of measured over estimated times, in logarithms, of fitted records that do not come from that source; 1
/// where there are none.
[[nodiscard]] inline double software_without(const std::vector<generation_check>& checks, std::string_view source) {
  std::vector<double> logs;
  for (const generation_check& one : checks) {
    if (one.role == generation_role::fitted && one.source != source) logs.push_back(std::log(one.measured / one.parts));
  }
  if (logs.empty()) return 1;
  std::sort(logs.begin(), logs.end());
  const std::size_t half = logs.size() / 2;
  return std::exp(logs.size() % 2 == 1 ? logs[half] : (logs[half - 1] + logs[half]) / 2);
}

/// Checks every record of a document like data/measured/generation.json: of a batch with its source left out of the
/// constant, of a training step without one, and of what its source leaves open with the constant that is shipped.
/// Throws, naming the record and the field, for what is missing or wrong. Worked: tests/oracle/generation_records.cpp.
[[nodiscard]] inline std::vector<generation_check> check_generations(const nlohmann::json& document,
                                                                     const std::string& source) {
  const json_object root(document, source);
  const json_object pipelines = root.object("pipelines");
  std::vector<generation_check> checks;
  for (const json_object& record : root.objects("records"))
    checks.push_back(detail::check_generation(record, pipelines));
  for (generation_check& one : checks) {
    if (one.predicted.value() > 0) continue;
    one.predicted =
        (one.role == generation_role::fitted ? software_without(checks, one.source) : default_generation.software) *
        one.parts;
    one.low = default_generation.low * one.predicted, one.high = default_generation.high * one.predicted;
  }
  return checks;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
