#ifndef TPUPLAN_READ_RUNS_KEYS_HPP
#define TPUPLAN_READ_RUNS_KEYS_HPP

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>
#include <vector>

/// @file
/// The keys of measured runs, and which of a record have no meaning.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// The keys of records of any kind that are read, or that only repeat what other keys say.
inline constexpr std::string_view record_keys[] = {"check",
                                                   "chips_total",
                                                   "config",
                                                   "configuration",
                                                   "expert",
                                                   "family",
                                                   "fits",
                                                   "generation",
                                                   "global_batch",
                                                   "hardware",
                                                   "hosts",
                                                   "id",
                                                   "in_domain",
                                                   "kind",
                                                   "measured",
                                                   "mode",
                                                   "model",
                                                   "num_slices",
                                                   "parallelism",
                                                   "precision",
                                                   "quality",
                                                   "running_batch",
                                                   "scheme",
                                                   "software_level",
                                                   "source",
                                                   "spelled",
                                                   "spread",
                                                   "step_time_s",
                                                   "target_step_time_s",
                                                   "task",
                                                   "tensor",
                                                   "version"};
/// Those of training and its memory alone.
inline constexpr std::string_view training_keys[] = {"attention",
                                                     "attention_kernel",
                                                     "capacity_factor",
                                                     "compute_dtype",
                                                     "context",
                                                     "context_balanced",
                                                     "data",
                                                     "dcn_data",
                                                     "dcn_fsdp",
                                                     "default_tiles",
                                                     "degrees_count",
                                                     "examples_per_window",
                                                     "first_moment_dtype",
                                                     "flop_multiplier",
                                                     "freeze_vision",
                                                     "frozen_weights_dtype",
                                                     "fsdp",
                                                     "grad_accumulation",
                                                     "hbm_used_bytes",
                                                     "host_offload",
                                                     "images",
                                                     "lora_rank",
                                                     "lora_targets",
                                                     "moments_dtype",
                                                     "offload_inputs",
                                                     "optimizer",
                                                     "optimizer_stated",
                                                     "pipeline",
                                                     "remat",
                                                     "remat_detail",
                                                     "remat_tensors",
                                                     "ring_attention",
                                                     "seq_len",
                                                     "source_length",
                                                     "synchronous_collectives",
                                                     "tokens_per_step",
                                                     "vocabulary_tiles",
                                                     "weights_dtype"};
/// Those of serving alone.
inline constexpr std::string_view serving_keys[] = {
    "accepted_length", "activation_dtype", "draft_cost", "draft_tokens",    "engine",   "idle_devices",
    "input_len",       "kv_dtype",         "output_len", "prefix_hit_rate", "replicas", "weight_dtype"};
inline constexpr std::string_view record_model_keys[] = {"d_model",
                                                         "dense_ffn_parallel",
                                                         "double_wide_mlp",
                                                         "encoder",
                                                         "experts",
                                                         "ffn",
                                                         "ffn_matrices",
                                                         "first_dense",
                                                         "gated_delta",
                                                         "global_head_dim",
                                                         "global_kv_heads",
                                                         "global_kv_shared",
                                                         "head_dim",
                                                         "heads",
                                                         "kv_heads",
                                                         "kv_shared_layers",
                                                         "layers",
                                                         "local_ratio",
                                                         "mla",
                                                         "moe_every",
                                                         "moe_ffn",
                                                         "name",
                                                         "norms_per_layer",
                                                         "params_active_matmul",
                                                         "params_total",
                                                         "per_layer_embedding",
                                                         "qk_norm",
                                                         "seq_len",
                                                         "serving_heads_padded_to",
                                                         "shared_experts",
                                                         "tied_embeddings",
                                                         "top_k",
                                                         "vocab",
                                                         "window"};
template <std::size_t Count>
bool is_among(const std::string_view (&keys)[Count], std::string_view key) {
  return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

/// Whether a key of a record says something of it. What is null or one of something says nothing of another kind.
inline bool has_meaning(const nlohmann::json& record, const std::string& key) {
  if (is_among(record_keys, key)) return true;
  const std::string kind = record.contains("kind") && record["kind"].is_string() ? record["kind"] : "training";
  const bool of_serving = kind == "decode" || kind == "prefill";
  if (of_serving ? is_among(serving_keys, key) : is_among(training_keys, key)) return true;
  return (is_among(serving_keys, key) || is_among(training_keys, key)) && (record[key].is_null() || record[key] == 1);
}

}  // namespace detail

/// The keys in a list of records that have no meaning, each once and sorted. Throws unless `records`
/// is a list. Worked: of a record with "clock" and a model with "color", "records.clock" and "records.model.color"; of
/// a decode record with "weights_dtype", which is of training, that.
[[nodiscard]] inline std::vector<std::string> unknown_record_keys(const nlohmann::json& document) {
  std::set<std::string> keys;
  for (const nlohmann::json& record : json_object(document, "document").list("records")) {
    if (!record.is_object()) continue;
    for (const auto& entry : record.items()) {
      if (!detail::has_meaning(record, entry.key())) keys.insert("records." + entry.key());
    }
    if (!record.contains("model") || !record["model"].is_object()) continue;
    for (const auto& entry : record["model"].items()) {
      if (!detail::is_among(detail::record_model_keys, entry.key())) keys.insert("records.model." + entry.key());
    }
  }
  return {keys.begin(), keys.end()};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
