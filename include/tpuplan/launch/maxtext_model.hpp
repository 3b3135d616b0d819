#ifndef TPUPLAN_LAUNCH_MAXTEXT_MODEL_HPP
#define TPUPLAN_LAUNCH_MAXTEXT_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/json.hpp>
#include <tpuplan/launch/request.hpp>
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
/// has, of heads where attention is latent, and windows that `tokens` do not fill.
inline nlohmann::json built_model(transformer model, std::int64_t tokens = 0) {
  model.name = "";
  model.max_positions = model.published_parameters = model.published_active_parameters = 0;
  if (dense_layers(model) == 0) model.mlp.d_ff = 0;
  if (has_latent_attention(model)) model.attention.head_dim = 0;
  if (tokens > 0 && model.attention.window >= tokens) model.attention.window = model.attention.local_layers = 0;
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

/// Adds the fields in which two models differ: "attention.window is 4096, not 0".
inline void add_differences(std::vector<std::string>& to, const nlohmann::json& planned, const nlohmann::json& built,
                            const std::string& under = "") {
  for (const auto& [key, value] : planned.items()) {
    const nlohmann::json& other = built.at(key);
    if (value.is_object())
      add_differences(to, value, other, under + key + ".");
    else if (value != other)
      to.push_back(under + key + " is " + value.dump() + ", not " + other.dump());
  }
}

/// What MaxText builds of some arguments, beside the model that is wanted.
struct maxtext_match {
  bool is_built = false;                 ///< false: MaxText refuses the arguments
  std::vector<std::string> differences;  ///< none: it is the model
};
/// A model of MaxText's own may have some rows more in its vocabulary, which no token takes (Gemma 2: 128).
inline maxtext_match match_of(const std::vector<std::string>& arguments, transformer model, std::int64_t tokens) {
  maxtext_match match;
  try {
    const transformer built = maxtext_model_from(arguments);
    match.is_built = true;
    if (built.vocab > model.vocab && built.vocab - model.vocab < 1024) model.vocab = built.vocab;
    add_differences(match.differences, built_model(model, tokens), built_model(built, tokens));
  } catch (const error&) {
  }
  return match;
}
inline bool is_same(const maxtext_match& match) { return match.is_built && match.differences.empty(); }

/// The first of the differences, as words.
inline std::string words_of(const maxtext_match& match) {
  std::string words;
  for (std::size_t i = 0; i < match.differences.size() && i < 3; ++i)
    words += (i == 0 ? "" : "; ") + match.differences[i];
  return words + (match.differences.size() > 3 ? "; and others" : "");
}

/// The letters and digits of a name, without the v of a version: "llama-3.1-8b" is "llama318b", "deepseek-v3"
/// "deepseek3".
inline std::string bare_name(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = to_lower(name[i]);
    const bool is_version = c == 'v' && i + 1 < name.size() && is_digit(name[i + 1]);
    if (is_lower_or_digit(c) && !is_version) out += c;
  }
  return out;
}

/// Whether the letters of a name stand in another in that order: those of "qwen3480ba35b" do in "qwen3coder480ba35b".
constexpr bool is_spread_in(std::string_view name, std::string_view in) noexcept {
  for (const char c : in) {
    if (!name.empty() && name.front() == c) name.remove_prefix(1);
  }
  return name.empty();
}

/// Models whose sizes are those of llama2 layers, and whose layers are others: what differs has no size.
struct unbuilt_model {
  std::string_view name, difference;
};
/// @e huggingface/transformers models/smollm3 (no_rope_layers) and microsoft/Phi-4-mini-instruct config.json.
inline constexpr unbuilt_model unbuilt_models[] = {
    {"smollm3", "every fourth layer has no RoPE, which no dense block of MaxText can leave out"},
    {"phi4mini", "RoPE rotates three quarters of each head, where MaxText rotates all of it"}};

/// The keys of one block of layers for this model. Flags that a model of MaxText sets in its file are written, too.
inline std::vector<std::string> dimensions_of(const transformer& model, const maxtext_block& block) {
  std::vector<std::string> out = {"decoder_block=" + std::string(block.name)};
  const auto add = [&out](const char* key, std::int64_t value, bool wanted = true) {
    if (wanted) out.push_back(std::string(key) + "=" + std::to_string(value));
  };
  const auto flag = [&out](const char* key, bool wanted) {
    if (wanted) out.push_back(std::string(key) + "=true");
  };
  const bool moe = has_experts(model) && block.experts;
  const latent_attention_spec& latent = model.attention.latent;
  add("base_num_decoder_layers", model.layers);
  add("base_emb_dim", model.d_model);
  add("base_num_query_heads", model.attention.heads);
  add("base_num_kv_heads", model.attention.kv_heads);
  add("head_dim", model.attention.head_dim, model.attention.head_dim > 0 && !block.latent);
  add("base_mlp_dim", dense_layers(model) == 0 ? model.moe.expert_d_ff : model.mlp.d_ff);
  add("vocab_size", model.vocab);
  flag("logits_via_embedding", model.tied_embeddings);
  flag("attention_bias", model.attention.qkv_bias && block.qkv_bias == block_part::by_key);
  flag("use_qk_norm", model.attention.qk_norm && block.qk_norm == block_part::by_key);
  if (block.latent && has_latent_attention(model)) {
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
  add("shared_experts", shared, shared > 0 && block.shared);
  add("first_num_dense_layers", model.moe.dense_layers, moe && block.dense_first && model.moe.dense_layers > 0);
  flag("routed_bias", moe && model.moe.router_bias);
  flag("mlp_bias", moe && model.moe.expert_bias);
  add("mtp_num_layers", model.prediction_layers, model.prediction_layers > 0);
  return out;
}

/// The arguments of MaxText's own model of those dimensions and that name, or of one whose name is in it
/// ("Llama-2-7b-hf") or begins with it ("deepseek-v3"); empty where it has none.
inline std::vector<std::string> named_arguments(const transformer& model, std::int64_t tokens) {
  const std::string wanted = bare_name(model.name.view());
  std::vector<std::string> found;
  std::size_t longest = 0;
  for (const maxtext_model& one : maxtext_models) {
    const std::string its_name = bare_name(one.name);
    if (its_name.size() <= longest || wanted.empty()) continue;
    if (!is_spread_in(its_name, wanted) && its_name.rfind(wanted, 0) != 0) continue;
    std::vector<std::string> arguments = {"model_name=" + std::string(one.name)};
    if (model.prediction_layers > 0) arguments.push_back("mtp_num_layers=" + std::to_string(model.prediction_layers));
    if (!is_same(match_of(arguments, model, tokens))) continue;
    longest = its_name.size();
    found = std::move(arguments);
  }
  return found;
}

/// The arguments by which MaxText builds the model for texts of so many tokens (0: any): its name, where MaxText has a
/// model of that name and those dimensions, else a block of layers and its dimensions. Refuses what no block of MaxText
/// builds, with what differs in the one that comes nearest.
inline std::vector<std::string> maxtext_model_arguments(const transformer& model, std::int64_t tokens = 0) {
  if (std::vector<std::string> named = named_arguments(model, tokens); !named.empty()) return named;
  const std::string valid = "a model that MaxText builds, or base_emb_dim and what else describes one as arguments; ";
  for (const unbuilt_model& one : unbuilt_models) {
    if (bare_name(model.name.view()).find(one.name) != std::string::npos)
      fail(errc::unsupported, "model", model.name.view(), valid + "in this one " + std::string(one.difference));
  }
  std::string nearest;
  maxtext_match least;
  const auto consider = [&](const std::vector<std::string>& arguments) {
    const maxtext_match match = match_of(arguments, model, tokens);
    if (match.is_built && (!least.is_built || match.differences.size() < least.differences.size()))
      least = match, nearest = arguments.front();
    return is_same(match);
  };
  for (const maxtext_block& block : maxtext_blocks) {
    std::vector<std::string> keys = block.by_keys ? dimensions_of(model, block) : std::vector<std::string>{};
    if (block.by_keys && consider(keys)) return keys;
  }
  for (const maxtext_model& one : maxtext_models) (void)consider({"model_name=" + std::string(one.name)});
  fail(errc::unsupported, "model", model.name.view(),
       valid + "nearest is " + nearest + ", but here " + words_of(least));
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
