#ifndef TPUPLAN_LAUNCH_MAXTEXT_MODEL_HPP
#define TPUPLAN_LAUNCH_MAXTEXT_MODEL_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/json.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/maxtext/keys.hpp>
#include <tpuplan/read/maxtext/models.hpp>
#include <utility>
#include <vector>

/// @file
/// A model as the arguments by which MaxText builds it. What is written is read back by what reads MaxText's files, and
/// counts only where it gives the same model again.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// What MaxText builds, without what its keys do not say: the name, the longest text, the width of an MLP that no layer
/// has.
inline nlohmann::json built_model(transformer model) {
  model.name = "";
  model.max_positions = model.published_parameters = model.published_active_parameters = 0;
  if (dense_layers(model) == 0) model.mlp.d_ff = 0;
  return model;
}

/// The model that MaxText builds of these arguments.
inline transformer maxtext_model_from(const std::vector<std::string>& arguments) {
  maxtext_keys keys;
  for (const std::string& one : arguments) add_maxtext_argument(keys, one);
  maxtext_reader reader(keys);
  std::vector<std::pair<std::string, std::string>> assumed;
  return maxtext_model_of(reader, assumed);
}

/// Whether the arguments build this model; those that MaxText refuses build none.
inline bool builds(const std::vector<std::string>& arguments, const transformer& model) {
  try {
    return built_model(maxtext_model_from(arguments)) == built_model(model);
  } catch (const error&) {
    return false;
  }
}

/// The letters and digits of a name: "llama-3.1-8b" and "llama3.1-8b" are "llama318b".
inline std::string bare_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (to_lower(c) != c || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += to_lower(c);
  }
  return out;
}

/// The keys of one block of layers for this model. Flags that a model of MaxText sets in its file are written, too.
inline std::vector<std::string> dimensions_of(const transformer& model, std::string_view block) {
  std::vector<std::string> out = {"decoder_block=" + std::string(block)};
  const auto add = [&out](const char* key, std::int64_t value, bool wanted = true) {
    if (wanted) out.push_back(std::string(key) + "=" + std::to_string(value));
  };
  const auto flag = [&out](const char* key, bool wanted) {
    if (wanted) out.push_back(std::string(key) + "=true");
  };
  const bool moe = has_experts(model);
  const latent_attention_spec& latent = model.attention.latent;
  add("base_num_decoder_layers", model.layers);
  add("base_emb_dim", model.d_model);
  add("base_num_query_heads", model.attention.heads);
  add("base_num_kv_heads", model.attention.kv_heads);
  add("head_dim", model.attention.head_dim, model.attention.head_dim > 0);
  add("base_mlp_dim", dense_layers(model) == 0 ? model.moe.expert_d_ff : model.mlp.d_ff);
  add("vocab_size", model.vocab);
  flag("logits_via_embedding", model.tied_embeddings);
  flag("attention_bias", model.attention.qkv_bias);
  flag("use_qk_norm", model.attention.qk_norm);
  if (has_latent_attention(model)) {
    out.emplace_back("attention_type=mla");
    add("q_lora_rank", latent.q_lora_rank);
    add("kv_lora_rank", latent.kv_lora_rank);
    add("qk_nope_head_dim", latent.qk_nope_head_dim);
    add("qk_rope_head_dim", latent.qk_rope_head_dim);
    add("v_head_dim", latent.v_head_dim);
  }
  add("num_experts", model.moe.experts, moe);
  add("num_experts_per_tok", model.moe.top_k, moe);
  add("base_moe_mlp_dim", model.moe.expert_d_ff, moe);
  const std::int64_t shared = moe && model.moe.expert_d_ff > 0 ? model.moe.shared_d_ff / model.moe.expert_d_ff : 0;
  add("shared_experts", shared, shared > 0);
  add("first_num_dense_layers", model.moe.dense_layers, moe && model.moe.dense_layers > 0);
  return out;
}

/// The arguments by which MaxText builds the model: its name, where MaxText has a model of that name and those
/// dimensions, else a block of layers and its dimensions. Refuses what no block of MaxText builds.
inline std::vector<std::string> maxtext_model_arguments(const transformer& model) {
  for (const maxtext_model& one : maxtext_models) {
    const std::vector<std::string> named = {"model_name=" + std::string(one.name)};
    if (bare_name(one.name) == bare_name(model.name.view()) && builds(named, model)) return named;
  }
  // Blocks whose layers the keys above decide; those of others follow from model_name alone.
  for (const char* block : {"llama2", "mixtral", "qwen2", "qwen3", "qwen3_moe", "deepseek"}) {
    std::vector<std::string> keys = dimensions_of(model, block);
    if (builds(keys, model)) return keys;
  }
  fail(errc::unsupported, "model", model.name.view(),
       "one that MaxText's blocks llama2, mixtral, qwen2, qwen3 and deepseek build, or its model_name or base_emb_dim "
       "as "
       "an argument");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
