#ifndef TPUPLAN_LAB_SOURCES_HPP
#define TPUPLAN_LAB_SOURCES_HPP

#include <array>
#include <cstddef>
#include <lab/published_text.hpp>
#include <lab/source.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/io/json/file.hpp>
#include <vector>

/// @file
/// The open sets of runs as one document, with what their sources say beside the structured form.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// What a reader of the wording has to guess; nothing where it is spelled out or describes no training.
inline std::vector<std::string> guesses_of(const nlohmann::json& told) {
  try {
    const bool worded = told.value("parallelism", nlohmann::json{}).is_string();
    return worded && told.value("kind", "") == "training" ? spell_out(told, "record").guesses
                                                          : std::vector<std::string>{};
  } catch (const error&) {
    return {};
  }
}

}  // namespace detail

/// The records of several structured documents as one document, each with what its source says beside the structured
/// form: fields of the record of the same id in `told` that the structured one lacks, and under "guesses" what its
/// wording leaves open. Keys that both have stay as the structured record has them.
[[nodiscard]] inline nlohmann::json joined_records(const std::vector<nlohmann::json>& structured,
                                                   const std::vector<nlohmann::json>& told) {
  constexpr std::array<const char*, 21> joined = {
      "source",        "software",    "weights_dtype", "moments_dtype", "first_moment_dtype", "gradient_dtype",
      "loss_chunking", "scan_layers", "remat_tensors", "weight_gather", "moe_kernel",         "routing",
      "quantisation",  "clock",       "hosts",         "topology",      "attention_kernel",   "task",
      "host_offload",  "date",        "notes"};
  std::map<std::string, const nlohmann::json*> by_id;
  for (const nlohmann::json& document : told) {
    for (const nlohmann::json& record : document.at("records")) by_id[record.at("id").get<std::string>()] = &record;
  }
  nlohmann::json all = {{"records", nlohmann::json::array()}};
  for (const nlohmann::json& document : structured) {
    for (nlohmann::json record : document.at("records")) {
      const auto found = by_id.find(record.at("id").get<std::string>());
      for (const char* key : joined) {
        if (found != by_id.end() && !record.contains(key) && found->second->contains(key))
          record[key] = found->second->at(key);
      }
      if (found != by_id.end()) record["guesses"] = detail::guesses_of(*found->second);
      all.at("records").push_back(std::move(record));
    }
  }
  return all;
}

/// Both open sets of the folder data/measured, joined.
[[nodiscard]] inline nlohmann::json open_records(const std::string& folder) {
  return joined_records({load_json(folder + "/structured.json"), load_json(folder + "/structured_2.json")},
                        {load_json(folder + "/measured.json"), load_json(folder + "/measured_2.json")});
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
