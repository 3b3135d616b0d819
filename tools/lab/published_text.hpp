#ifndef TPUPLAN_LAB_PUBLISHED_TEXT_HPP
#define TPUPLAN_LAB_PUBLISHED_TEXT_HPP

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/read/runs/words.hpp>
#include <vector>

/// @file
/// Published runs as their sources word them (data/measured/measured.json: "TP8 x FSDP16 per slice; DP over DCN")
/// turned into the spelled-out fields that tpuplan/read/runs/training.hpp reads.

namespace tpuplan {
inline namespace abi_0 {

/// A record with its layout, precision and rematerialisation in fields, and the guesses that this needed.
struct spelled_out {
  nlohmann::json record;             ///< with every field that `read_training_record` needs
  std::vector<std::string> guesses;  ///< each guess in words
};

namespace detail {

/// "2D sharding 64 x 16": FSDP and tensor degrees.
inline bool two_dimensional(const std::string& words, std::int64_t& fsdp, std::int64_t& tensor) {
  for (const std::string_view label : {"2d sharding", "2d spmd"}) {
    const std::size_t at = words.find(label);
    if (at == std::string::npos) continue;
    const std::size_t cross = words.find(" x ", at);
    if (cross == std::string::npos) continue;
    fsdp = number_behind(words.substr(at), label);
    tensor = number_behind("x" + words.substr(cross + 2), "x");
    return fsdp > 0 && tensor > 0;
  }
  return false;
}

/// Degrees per slice. FSDP that is not given fills the slice; what is left over is data parallel. Degrees count JAX
/// devices where their product exceeds the chips of a slice, or where tensor-free expert parallelism is given on chips
/// with two devices (the layouts of tpu7x recipes).
inline void spell_layout(const json_object& record, spelled_out& result) {
  const std::string words = lower(text_of(record, "parallelism"));
  const chip_spec chip = chip_for(record.string("hardware"));
  const std::int64_t slices = record.positive_count_or("num_slices", 1);
  const std::int64_t chips_in_slice = record.positive_count("chips_total") / slices;
  const auto degree = [&](std::string_view label) { return std::max<std::int64_t>(1, number_behind(words, label)); };
  std::int64_t tensor = degree("tp");
  const std::int64_t expert = degree("ep");
  const std::int64_t pipeline = degree("pp");
  std::int64_t fsdp = number_behind(words, "fsdp") * degree("fsdp_transpose");
  const bool two_d = two_dimensional(words, fsdp, tensor);
  const bool many = tensor * std::max<std::int64_t>(fsdp, 1) * expert > chips_in_slice;
  const bool devices_named = words.find("ep4") != std::string::npos && chip.jax_devices == 2;
  const std::int64_t units = many || devices_named ? chips_in_slice * chip.jax_devices : chips_in_slice;
  const bool data_only = words.find("dp") != std::string::npos && words.find("fsdp") == std::string::npos && !two_d;
  if (data_only) fsdp = 1;
  if (fsdp == 0) {
    fsdp = std::max<std::int64_t>(1, units / (tensor * expert));
    if (words.find("fsdp") == std::string::npos) result.guesses.emplace_back("layout: FSDP over the slice");
  }
  nlohmann::json& out = result.record;
  out["data"] = std::max<std::int64_t>(1, units / (fsdp * tensor * expert));
  out["fsdp"] = fsdp;
  out["tensor"] = tensor;
  out["expert"] = expert;
  out["pipeline"] = pipeline;
  out["context"] = 1;
  out["dcn_data"] = pipeline > 1 && slices > 1 ? 1 : slices;
  out["degrees_count"] = units > chips_in_slice ? "devices" : "chips";
  out["grad_accumulation"] = degree("accumulation");
  out["synchronous_collectives"] = words.find("synchronous") != std::string::npos;
  const std::size_t capacity = words.find("capacity ");
  if (capacity != std::string::npos) out["capacity_factor"] = std::strtod(words.c_str() + capacity + 9, nullptr);
}

/// The wording of sources, in the order in which it is looked for, and what it means.
struct remat_wording {
  std::string_view words;
  std::string_view policy;
  std::string_view kept;
  bool guess;
};
inline constexpr remat_wording remat_wordings[] = {
    {"all dots offloaded", "offload", "dots", false},
    {"qkv", "partial", "qkv", false},
    {"attention proj", "partial", "qkv", false},
    {"except mlp", "partial", "nowi", false},
    {"selected dots", "partial", "nowi", true},  // saving every product could not fit where this is said
    {"minimal", "minimal", "", false},
    {"dots saveable", "minimal", "", false},
    {"context", "partial", "ctx", false},
    {"full", "full", "", false},
    {"block", "full", "", false},
    {"checkpointing", "full", "", false},
    {"rematerialised", "full", "", false},
    {"decoder input offload", "full", "", false},
    {"custom", "full", "", true},
    {"offload", "full", "", true},
    {"default", "full", "", true},
    {"unspecified", "full", "", true},
};

inline void spell_remat(const json_object& record, spelled_out& result) {
  const std::string words = lower(text_of(record, "remat"));
  const std::string offloaded = lower(text_of(record, "host_offload"));
  nlohmann::json& out = result.record;
  out["offload_inputs"] = offloaded.find("input") != std::string::npos || words.find("input") != std::string::npos;
  const std::int64_t tiles = number_behind(words, "tiling");
  if (tiles > 0) out["vocabulary_tiles"] = tiles;
  if (record.has("remat_tensors") && record.at("remat_tensors").is_object()) {
    out["remat"] = "custom";
    return;
  }
  const auto spell = [&](std::string_view policy, std::string_view kept, bool guess) {
    out["remat"] = policy;
    out["remat_detail"] = kept;
    if (guess) result.guesses.push_back("remat policy: " + std::string(policy) + " for \"" + words + "\"");
  };
  if (words == "none") return spell("none", "", false);
  if (words == "default") return spell("partial", "attn", false);  // axlearn's
  if (words == "offload" && offloaded.find("projection") != std::string::npos) return spell("partial", "qkv", false);
  if (words.empty()) return spell(text_of(record, "kind") == "memory" ? "minimal" : "full", "", true);
  for (const remat_wording& wording : remat_wordings) {
    if (words.find(wording.words) != std::string::npos) return spell(wording.policy, wording.kept, wording.guess);
  }
  fail(errc::unknown_name, record.path("remat"), words, "full, minimal, none, or what is saved or offloaded");
}

inline void spell_measurement(const json_object& record, spelled_out& result) {
  const json_object measured = record.object("measured");
  nlohmann::json& out = result.record;
  const json_object model = record.object("model");
  if (model.has("seq_len")) out["seq_len"] = model.count("seq_len");
  if (measured.has("step_time_excluding_eval_estimate_s")) {
    out["target_step_time_s"] = measured.number("step_time_excluding_eval_estimate_s");
  } else if (measured.has("step_time_s")) {
    out["target_step_time_s"] = measured.number("step_time_s");
  }
  for (const char* key : {"fits", "hbm_used_bytes"}) {
    if (measured.has(key)) out[key] = measured.at(key);
  }
}

}  // namespace detail

/// The record with its fields spelled out; one that already is comes back as it is. Throws for strings that cannot be
/// read, naming the record's path.
[[nodiscard]] inline spelled_out spell_out(const nlohmann::json& value, const std::string& path) {
  const json_object record(value, path);
  spelled_out result{value, {}};
  if (record.has("fsdp")) return result;
  const std::string precision = detail::lower(detail::text_of(record, "precision"));
  result.record["compute_dtype"] = precision.find("int8") != std::string::npos           ? "int8"
                                   : precision.find("fp8") != std::string::npos          ? "fp8"
                                   : precision.find("fp32 compute") != std::string::npos ? "fp32"
                                                                                         : "bf16";
  detail::spell_layout(record, result);
  detail::spell_remat(record, result);
  detail::spell_measurement(record, result);
  const json_object model = record.object("model");
  result.record["attention"] = model.flag_or("encoder", false) ? "bidirectional" : "causal";
  if (!record.has("optimizer")) result.record["optimizer"] = "adamw";
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
