#ifndef TPUPLAN_ASK_FIELD_PLACE_HPP
#define TPUPLAN_ASK_FIELD_PLACE_HPP

#include <algorithm>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>

/// @file
/// Where the fields that the library's refusals name stand in a request.

namespace tpuplan {
inline namespace abi_0 {

/// The place of a field of the library in a request. Other structs than jobs, layouts and constants are the request
/// itself. Worked: of "training_job.remat" it is "job.remat", of "spot_run: work" it is "work".
[[nodiscard]] inline std::string place_of_field(std::string_view given) {
  if (given.substr(0, 8) == "zone of ") return "zone";
  std::string words(given.substr(0, given.find(" in ")));
  const std::size_t colon_at = words.find(": ");
  if (colon_at < words.find_first_of("./")) words.erase(0, colon_at + 2);  // a function's name, not that of a file
  std::replace(words.begin(), words.end(), ' ', '_');
  const std::string_view field = words;
  const std::size_t dot = field.find('.');
  if (dot == std::string_view::npos) return std::string(field);
  const std::string_view owner = field.substr(0, dot), rest = field.substr(dot + 1);
  constexpr std::string_view parts[][2] = {{"training_job", "job."},    {"network_job", "job."},
                                           {"serving_job", "job."},     {"layout", "mesh."},
                                           {"serving_layout", "mesh."}, {"serving_calibration", "constants."}};
  for (const auto& [of, part] : parts)
    if (owner == of) return std::string(part) + std::string(rest);
  const bool is_part = owner == "job" || owner == "mesh" || owner == "constants" || owner == "model";
  return is_part ? std::string(field) : place_of_field(rest);
}

/// What does without a figure that no source establishes of a chip: a question has no place for it. Empty of other
/// fields. Worked: without "DCN rate of the chip" it is one slice.
[[nodiscard]] inline std::string_view without_figure(std::string_view field, std::string_view given) {
  if (given != "unknown") return {};
  if (field == "DCN rate of the chip") return "one slice: no source has the rate between slices of this chip";
  if (field == "PCIe rate of the chip") return "all tensors and state in HBM: no source has this rate of the chip";
  return {};
}

/// The last name of a path. Worked: of "job.remat" it is "remat".
[[nodiscard]] inline std::string_view last_of_path(std::string_view path) { return path.substr(path.rfind('.') + 1); }

/// A path without the unit of its key. Worked: of "deadline_s" it is "deadline".
[[nodiscard]] inline std::string_view path_without_unit(std::string_view path) {
  for (const std::string_view unit : {"_usd_per_s", "_per_s", "_bytes", "_usd", "_gib", "_s"}) {
    const std::size_t size = path.size() - std::min(path.size(), unit.size());
    if (path.substr(size) == unit) return path.substr(0, size);
  }
  return path;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
