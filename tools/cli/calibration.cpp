#include "cli/calibration.hpp"

#include <fmt/format.h>

#include "cli/config.hpp"

namespace cli {

using namespace tpuplan;

option& add_calibration_option(command& to, std::string& path) {
  return to.add("--calibration", path, "a file that tpuplan calibrate wrote: your own runs correct the estimates");
}

nlohmann::json load_runs(const std::string& path) {
  nlohmann::json document = load_json(path == "-" ? "/dev/stdin" : path);
  if (!document.is_object() || !document.contains("records") || !document["records"].is_array()) return document;
  for (nlohmann::json& record : document["records"]) {
    if (record.is_object() && record.contains("config") && record["config"].is_string())
      record["config"] = load_hf_document(record["config"].get<std::string>());
  }
  return document;
}

own_constants load_calibration(const std::string& path, calibrated_part part, const own_constants& usual) {
  if (path.empty()) return usual;
  const measured_runs read = read_runs(load_runs(path), path);
  own_constants known = constants_knowing(read.runs, usual);
  const std::size_t steps = known.training.own.count, peaks = known.memory.count;
  const std::size_t served = known.serving.own_decode.count + known.serving.own_prefill.count;
  const bool says = part == calibrated_part::steps              ? steps > 0
                    : part == calibrated_part::steps_and_memory ? steps + peaks > 0
                    : part == calibrated_part::memory           ? peaks > 0
                                                                : served > 0;
  if (!says)
    refuse("--calibration", path,
           part == calibrated_part::steps     ? "a file with training steps"
           : part == calibrated_part::memory  ? "a file with peaks of memory"
           : part == calibrated_part::serving ? "a file with token times or first tokens"
                                              : "a file with training steps or peaks of memory");
  return known;
}

std::string words_of(const own_constants& known) {
  std::string words;
  const auto add = [&words](std::size_t count, const char* one, const char* several) {
    if (count > 0) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, count == 1 ? one : several);
  };
  add(known.training.own.count, "step", "steps");
  add(known.memory.count, "peak of memory", "peaks of memory");
  add(known.serving.own_decode.count, "token time", "token times");
  add(known.serving.own_prefill.count, "first token", "first tokens");
  return words + " of your own";
}

}  // namespace cli
