#ifndef TPUPLAN_LAB_SOURCES_HPP
#define TPUPLAN_LAB_SOURCES_HPP

#include <lab/published_text.hpp>
#include <lab/source.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>
#include <vector>

/// @file
/// The open sets of runs as one document, with the words of their sources and their spelled-out form.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// What a reader of the wording has to guess; nothing where it is spelled out or describes no training.
inline std::vector<std::string> guesses_of(const nlohmann::json& published) {
  try {
    const bool worded = published.value("parallelism", nlohmann::json{}).is_string();
    return worded && published.value("kind", "") == "training" ? spell_out(published, "record").guesses
                                                               : std::vector<std::string>{};
  } catch (const error&) {
    return {};
  }
}

}  // namespace detail

namespace detail {

/// Keys of a record that need no words, and those that say more than a run's question, each between two spaces.
inline constexpr std::string_view plain_keys =
    " accepted_length attention attention_kernel draft_cost draft_tokens frozen_weights_dtype lora_rank lora_targets "
    "prefix_hit_rate capacity_factor "
    "chips_total compute_dtype configuration context context_balanced data "
    "dcn_data default_tiles degrees_count engine "
    "examples_per_window expert family fits flop_multiplier fsdp global_batch grad_accumulation hardware "
    "hbm_used_bytes id idle_devices "
    "in_domain "
    "input_len kind kv_dtype model num_slices offload_inputs optimizer optimizer_stated output_len pipeline quality "
    "remat remat_detail remat_tensors ring_attention running_batch scheme seq_len software_level source step_time_s "
    "synchronous_collectives "
    "target_step_time_s task tensor tokens_per_step version vocabulary_tiles weight_dtype weights_dtype ";
inline constexpr std::string_view further_keys =
    " software moments_dtype first_moment_dtype gradient_dtype loss_chunking scan_layers weight_gather moe_kernel "
    "routing quantisation clock hosts topology host_offload date notes ";

/// The spelled-out form of a record: the fields of `spelled`, and of the record's own keys those that are listed.
inline nlohmann::json spelled_record(const nlohmann::json& published, const std::string& keys) {
  nlohmann::json record = published.at("spelled");
  for (const auto& [key, value] : published.items()) {
    if (!record.contains(key) && keys.find(" " + key + " ") != std::string::npos) record[key] = value;
  }
  return record;
}

}  // namespace detail

/// The records of a document of data/measured in the spelled-out form alone, which `read_training_record` and
/// `read_serving_record` take.
[[nodiscard]] inline nlohmann::json spelled_records(const nlohmann::json& document) {
  nlohmann::json all = {{"records", nlohmann::json::array()}};
  for (const nlohmann::json& published : document.at("records")) {
    if (published.contains("spelled"))
      all.at("records").push_back(detail::spelled_record(published, std::string(detail::plain_keys)));
  }
  return all;
}

/// The document with the spelled-out form of each record whose layout is no words, or that states what was measured
/// nowhere else: of a set of data/measured.
[[nodiscard]] inline nlohmann::json read_as_spelled(nlohmann::json document) {
  if (!document.is_object() || !document.contains("records") || !document.at("records").is_array()) return document;
  for (nlohmann::json& published : document.at("records")) {
    if (!published.is_object() || !published.contains("spelled")) continue;
    const bool has_words = published.value("parallelism", nlohmann::json("")).is_string();
    if (!has_words || (!published.contains("measured") && !published.contains("task")))
      published = detail::spelled_record(published, std::string(detail::plain_keys));
  }
  return document;
}

/// The open sets of the folder data/measured as one document of spelled-out records, each with what its source says
/// besides, and under "guesses" what its wording leaves open.
[[nodiscard]] inline nlohmann::json open_records(const std::string& folder) {
  const std::string keys = std::string(detail::plain_keys) + std::string(detail::further_keys);
  nlohmann::json all = {{"records", nlohmann::json::array()}};
  for (const char* set : open_sets) {
    const nlohmann::json document = load_json(folder + "/" + set);
    for (const nlohmann::json& published : document.at("records")) {
      if (!published.contains("spelled")) continue;
      nlohmann::json& record = all.at("records").emplace_back(detail::spelled_record(published, keys));
      record["guesses"] = detail::guesses_of(published);
    }
  }
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
