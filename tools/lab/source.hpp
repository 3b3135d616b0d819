#ifndef TPUPLAN_LAB_SOURCE_HPP
#define TPUPLAN_LAB_SOURCE_HPP

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

/// @file
/// Who published a run: the repository, the paper or the author. Runs of one source share people, machines and
/// software, so that sources, not runs, are what can be exchanged for one another.

namespace tpuplan {
inline namespace abi_0 {

/// The source behind the words of a record: "owner/name" of a repository, whatever its revision and page, else the
/// first word, such as "arXiv:2211.05102" or "pytorch.org". Rounds of MLPerf are one source, and so are the notes of an
/// author and the author's repository. Worked: "github.com/marin-community/marin/issues/6227" is marin-community/marin.
[[nodiscard]] inline std::string source_of(std::string_view words) {
  constexpr std::string_view host = "github.com/", mlperf = "mlcommons/training_results", author = "yangwhale";
  if (words.substr(0, host.size()) == host) words.remove_prefix(host.size());
  words = words.substr(0, words.find_first_of(" @,"));
  if (words.substr(0, mlperf.size()) == mlperf) return std::string(mlperf);
  if (words.substr(0, author.size()) == author) return std::string(author);
  const std::size_t slash = words.find('/');
  return std::string(slash == std::string_view::npos ? words : words.substr(0, words.find('/', slash + 1)));
}

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
