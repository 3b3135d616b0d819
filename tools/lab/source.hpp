#ifndef TPUPLAN_LAB_SOURCE_HPP
#define TPUPLAN_LAB_SOURCE_HPP

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/read/runs/source.hpp>
#include <utility>

/// @file
/// The sources of the open sets of runs, and their records with words spelled out.

namespace tpuplan {
inline namespace abi_0 {

/// The files of data/measured with published runs, in the order in which they were gathered.
inline constexpr const char* open_sets[] = {"measured.json", "measured_2.json", "measured_3.json"};

/// The source of every record that names one, by id.
[[nodiscard]] inline std::map<std::string, std::string> sources_by_id(const nlohmann::json& document) {
  std::map<std::string, std::string> sources;
  for (const nlohmann::json& record : document.at("records"))
    sources[record.value("id", "")] = source_of(record.value("source", ""));
  return sources;
}

/// The records of a document of data/measured whose words are spelled out, with all that their sources say besides: the
/// engine, the hosts, what was measured. The fields of `spelled` count above the record's own, where they are not null.
[[nodiscard]] inline nlohmann::json with_spelled(const nlohmann::json& document) {
  nlohmann::json all = {{"records", nlohmann::json::array()}};
  for (nlohmann::json record : document.at("records")) {
    if (!record.contains("spelled")) continue;
    const nlohmann::json spelled = std::move(record.at("spelled"));
    record.erase("spelled");
    for (const auto& [key, value] : spelled.items()) {
      if (!value.is_null()) record[key] = value;
    }
    all.at("records").push_back(std::move(record));
  }
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
