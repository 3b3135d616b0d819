#ifndef TPUPLAN_LAB_SOURCE_HPP
#define TPUPLAN_LAB_SOURCE_HPP

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/io/runs/source.hpp>
#include <utility>

/// @file
/// The sources of the open sets of runs, and what their originals say besides.

namespace tpuplan {
inline namespace abi_0 {

/// The source of every record that names one, by id. Records of structured.json have the ids of measured.json, which
/// names their sources.
[[nodiscard]] inline std::map<std::string, std::string> sources_by_id(const nlohmann::json& document) {
  std::map<std::string, std::string> sources;
  for (const nlohmann::json& record : document.at("records"))
    sources[record.value("id", "")] = source_of(record.value("source", ""));
  return sources;
}

/// The records of a structured document with what their originals, of the same ids, say besides: the engine, the hosts,
/// what was measured. What both say is as structured.
[[nodiscard]] inline nlohmann::json with_originals(const nlohmann::json& structured, const nlohmann::json& originals) {
  std::map<std::string, const nlohmann::json*> by_id;
  for (const nlohmann::json& record : originals.at("records")) by_id[record.value("id", "")] = &record;
  nlohmann::json joined = structured;
  for (nlohmann::json& record : joined.at("records")) {
    const auto original = by_id.find(record.value("id", ""));
    if (original == by_id.end()) continue;
    nlohmann::json both = *original->second;
    for (const auto& [key, value] : record.items()) {
      if (!value.is_null()) both[key] = value;
    }
    record = std::move(both);
  }
  return joined;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
