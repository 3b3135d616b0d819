#ifndef TPUPLAN_LAUNCH_DRAFTS_HPP
#define TPUPLAN_LAUNCH_DRAFTS_HPP

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/launch/names.hpp>
#include <tpuplan/model/engines.hpp>
#include <tpuplan/model/speculation.hpp>

/// @file
/// What drafts for an engine that speculates, and the flags that say so.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

inline void check_model_name(const char* field, const std::string& name) {
  for (const char c : name) {
    if (!is_lower_or_digit(c) && !(c >= 'A' && c <= 'Z') && c != '-' && c != '_' && c != '.' && c != '/')
      refuse_name(field, name, "letters, digits and - _ . /");
  }
}

/// The way of drafting, and the name of the model that does; empty: there is none of its own.
struct named_drafts {
  std::string method, model;
};
inline named_drafts drafts_named(const std::string& drafts) {
  const std::size_t colon = drafts.find(':');
  return {drafts.substr(0, colon), colon == std::string::npos ? "" : drafts.substr(colon + 1)};
}

/// Refuses drafts that the engine has no flags for, and flags of drafts that the plan does not have.
inline void check_drafts(serving_engine engine, const speculation& job, const std::string& drafts) {
  const engine_row& row = row_of(engine);
  const std::int64_t tokens = job.draft_tokens;
  if (tokens == 0) {
    if (!drafts.empty()) refuse_name("drafts", drafts, "none: the plan does not speculate");
    return;
  }
  std::string valid;
  std::string_view list = row.drafts;
  for (std::string_view one = take_word(list); !one.empty(); one = take_word(list))
    valid.append(valid.empty() ? "" : ", ").append(one).append(is_listed(row.own_drafts, one) ? "" : ":MODEL");
  if (valid.empty())
    fail(errc::unsupported, "speculation.draft_tokens", tokens,
         std::string("0 of ") + row.title + ": it has no drafts");
  valid.append(", with the name of a model at Hugging Face");
  const named_drafts by = drafts_named(drafts);
  if (drafts.empty()) fail(errc::missing_field, "drafts", "missing", valid);
  if (!is_listed(row.drafts, by.method) || is_listed(row.own_drafts, by.method) != by.model.empty())
    refuse_name("drafts", drafts, valid);
  check_model_name("drafts", by.model);
}

/// What drafts, as --speculative-config has it; ngram with the lengths of prompt_lookup that the test has. Source:
/// vllm-project/tpu-inference tests/e2e/test_speculative_decoding.py (@b8692ff01).
inline nlohmann::ordered_json speculative_config(const named_drafts& by, std::int64_t tokens) {
  nlohmann::ordered_json config{{"method", by.method}};
  if (!by.model.empty()) config["model"] = by.model;
  config["num_speculative_tokens"] = tokens;
  if (by.method == "ngram") config["prompt_lookup_max"] = 5, config["prompt_lookup_min"] = 3;
  return config;
}

/// The value of what stands in braces in a row's command, of drafts; nothing without.
inline std::optional<std::string> draft_flag_value(std::string_view of, const speculation& job,
                                                   const std::string& drafts) {
  const std::int64_t drafted = job.draft_tokens;
  if (drafted == 0) return std::nullopt;
  const named_drafts by = drafts_named(drafts);
  if (of == "speculative_config") return speculative_config(by, drafted).dump();
  if (of == "draft_algorithm") return by.method == "eagle3" ? "EAGLE3" : by.method == "dflash" ? "DFLASH" : "NEXTN";
  if (of == "draft_model") return by.model;
  if (of == "draft_steps") return std::to_string(by.method == "dflash" ? 1 : drafted);
  if (of == "draft_chain") return "1";
  if (of == "round_tokens") return std::to_string(drafted + 1);
  if (of == "if_drafts_in_turn") return by.method == "dflash" ? std::nullopt : std::optional<std::string>("");
  fail(errc::unknown_name, "value of a flag", of, "one that flag_value of launch/serving.hpp or draft_flag_value has");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
