#ifndef TPUPLAN_READ_HF_SPARSE_HPP
#define TPUPLAN_READ_HF_SPARSE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/experts.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/hybrids.hpp>

/// @file
/// Types of Hugging Face configurations whose attention sees few keys: those that an indexer chooses (DeepSeek-V3.2,
/// MiniMax-M3), a window beside keys that stand for several tokens (DeepSeek-V4), or windows with sinks (MiMo-V2).
/// Shapes from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The tokens of one compressed key: of `compress_rates`, of the name that older files have, or of the class.
inline std::int64_t compress_rate(config_fields& fields, std::string_view kind, std::string_view older,
                                  std::int64_t usual) {
  if (fields.has(older)) return fields.count(older);
  if (!fields.has("compress_rates")) return usual;
  const json_object rates = fields.object().object("compress_rates");
  return rates.has(kind) ? rates.positive_count(kind) : usual;
}

/// Kinds of attention by layer: a list of names, or of ratios, or the pattern of the class.
inline void count_compressed(config_fields& fields, transformer& model) {
  attention_spec& a = model.attention;
  std::int64_t windows = 0;
  if (fields.has("layer_types")) {
    return count_kinds(fields, "layer_types", fields.object().at("layer_types"), model.layers,
                       {{{"sliding_attention"}, &windows},
                        {{"compressed_sparse_attention"}, &a.chosen_layers},
                        {{"heavily_compressed_attention"}, &a.merged_layers}});
  }
  if (fields.has("compress_ratios")) {
    std::int64_t layer = 0;
    for (const nlohmann::json& ratio : fields.list("compress_ratios")) {
      if (layer++ >= model.layers) break;  // further ones are of multi-token prediction
      if (ratio != 0 && ratio != 4 && ratio != 128)
        fail(errc::unsupported, fields.path("compress_ratios"), shown_json(ratio), "0, 4, 128");
      a.chosen_layers += ratio == 4 ? 1 : 0;
      a.merged_layers += ratio == 128 ? 1 : 0;
    }
    if (layer < model.layers)
      fail(errc::invalid_argument, fields.path("compress_ratios"), layer, "one entry for each of the layers");
    return;
  }
  a.chosen_layers = model.layers > 2 ? (model.layers - 2) / 2 : 0;
  a.merged_layers = model.layers - a.chosen_layers;
  fields.assume("layer_types",
                std::to_string(a.chosen_layers) + " of " + std::to_string(model.layers) + " layers with an indexer",
                "class default of deepseek_v4");
}

/// DeepSeek-V4: each layer sees a window, and beside it keys that stand for several tokens, chosen by an indexer, or
/// keys that stand for many. One matrix makes keys and values of one head. Every layer mixes `hc_mult` residual streams
/// before attention and before its experts.
inline void read_deepseek_v4(config_fields& fields, transformer& model) {
  attention_spec& a = model.attention;
  const std::int64_t d = model.d_model, layers = model.layers;
  count_compressed(fields, model);
  a.window = fields.tokens("sliding_window");
  a.local_layers = a.window > 0 ? layers : 0;
  a.single_kv = a.sinks = true;
  a.kv_heads = 1;  // whatever the file says: every head has the same keys, which are its values
  a.latent.q_lora_rank = fields.count("q_lora_rank");
  a.output_rank = fields.count("o_lora_rank");
  a.output_groups = fields.count("o_groups");
  a.indexer = {fields.count("index_n_heads"), fields.count("index_head_dim"), fields.count("index_topk"), 0};
  a.chosen_ratio = compress_rate(fields, "compressed_sparse_attention", "compress_rate_csa", 4);
  a.merged_ratio = compress_rate(fields, "heavily_compressed_attention", "compress_rate_hca", 128);
  // Keys and gates of the compressed keys; those of a chosen one overlap, hence twice the width.
  const std::int64_t key = a.head_dim, narrow = a.indexer.head_dim;
  const std::int64_t indexer = checked_add(checked_multiply(4 * narrow, d),
                                           checked_multiply(a.indexer.heads, narrow * a.latent.q_lora_rank + d));
  const std::int64_t chosen = checked_add(checked_multiply(4 * key, d), indexer);
  const std::int64_t streams = fields.count("hc_mult"), mixes = streams * (streams + 2);
  check_part(fields.path("hc_mult"), streams, 64, "1 to 64");
  const std::int64_t mixing = checked_multiply(checked_multiply(2 * mixes, streams), d);
  model.other_products =
      checked_add(checked_add(checked_multiply(a.chosen_layers, chosen), checked_multiply(a.merged_layers, 2 * key, d)),
                  checked_add(checked_multiply(layers, mixing), checked_multiply(streams * streams, d)));
  // Norms of the keys of all three kinds, a table of positions in each, what the mixing adds and its three scales.
  model.other_weights = layers * (key + 2 * mixes + 6) + streams + 1 +
                        a.chosen_layers * (a.chosen_ratio * 2 * (key + narrow) + key + narrow) +
                        a.merged_layers * (a.merged_ratio * key + key);
}

/// Experts of DeepSeek-V4: in every layer. The first ones are routed by a table of experts by token, which is no
/// parameter, and have no correction.
inline void read_deepseek_v4_experts(config_fields& fields, transformer& model) {
  moe_spec& moe = model.moe;
  moe.experts = fields.count("n_routed_experts", "num_local_experts");
  moe.expert_d_ff = fields.count("moe_intermediate_size");
  moe.shared_d_ff = checked_multiply(fields.part("n_shared_experts"), moe.expert_d_ff);
  check_part(fields.path("n_shared_experts") + " x moe_intermediate_size", moe.shared_d_ff, 16777216, "0 to 16777216");
  moe.router_bias = true;
  std::int64_t hashed = 0, routed = 0;
  if (fields.has("mlp_layer_types")) {
    count_kinds(fields, "mlp_layer_types", fields.object().at("mlp_layer_types"), model.layers,
                {{{"hash_moe"}, &hashed}, {{"moe"}, &routed}});
  } else {
    hashed = std::min(fields.part("num_hash_layers"), model.layers);
  }
  model.other_weights -= checked_multiply(hashed, moe.experts);
}

/// MiMo-V2: values narrower than keys; layers with a window have twice the heads of keys and values, and sinks.
inline void read_mimo_v2(config_fields& fields, transformer& model) {
  attention_spec& a = model.attention;
  a.value_dim = fields.count("v_head_dim");
  a.global_kv_heads = a.kv_heads;
  a.kv_heads = fields.has("swa_num_key_value_heads") ? fields.count("swa_num_key_value_heads") : 2 * a.kv_heads;
  check_part(fields.path("num_key_value_heads"), a.kv_heads, a.heads, "at most half of num_attention_heads");
  constexpr std::string_view pattern = "hybrid_layer_pattern";  // of the published files: 1 with a window, 0 without
  const bool listed = fields.has("layer_types");
  const nlohmann::json entries = listed                ? fields.list("layer_types")
                                 : fields.has(pattern) ? fields.list(pattern)
                                                       : nlohmann::json::array();
  for (const nlohmann::json& each : entries) a.local_layers += each == 1 || each == "sliding_attention" ? 1 : 0;
  if (!entries.empty() && entries.size() != static_cast<std::size_t>(model.layers)) {
    fail(errc::invalid_argument, fields.path(listed ? "layer_types" : pattern),
         static_cast<std::int64_t>(entries.size()), "one entry for each of the layers");
  }
  if (entries.empty()) {
    for (std::int64_t i = 0; i < model.layers; ++i) a.local_layers += i > 0 && (i + 1) % 6 != 0 ? 1 : 0;
    fields.assume("layer_types",
                  std::to_string(a.local_layers) + " of " + std::to_string(model.layers) + " layers with a window",
                  "class default of mimo_v2_flash");
  }
  a.window = fields.tokens(fields.has("sliding_window_size") ? "sliding_window_size" : "sliding_window");
  model.other_weights = checked_multiply(a.local_layers, a.heads);
}

/// Experts of MiMo-V2: those of DeepSeek-V3, behind a first dense layer; a list of 0 and 1 may say which layers.
inline void read_mimo_v2_experts(config_fields& fields, transformer& model) {
  constexpr std::string_view field = "moe_layer_freq";
  moe_spec& moe = model.moe;
  moe.experts = fields.count("n_routed_experts", "num_local_experts");
  moe.expert_d_ff = fields.count("moe_intermediate_size");
  moe.router_bias = true;
  if (!fields.has(field) || !fields.object().at(field).is_array()) {
    moe.dense_layers = dense_layers_of(fields, "first_k_dense_replace", model);
    return;
  }
  const nlohmann::json entries = fields.list(field);
  if (entries.size() != static_cast<std::size_t>(model.layers))
    fail(errc::invalid_argument, fields.path(field), static_cast<std::int64_t>(entries.size()),
         "one entry for each of the layers");
  moe.dense_layers =
      mark_sparse(fields, model, [&](std::int64_t i) { return entries[static_cast<std::size_t>(i)] != 0; });
}

/// Layers with an indexer of their own: "full" in `indexer_types`, F in `index_topk_pattern`, or every
/// `index_topk_freq`-th layer behind the first `index_skip_topk_offset`.
inline std::int64_t own_indexers(config_fields& fields, const transformer& model) {
  nlohmann::json listed = nlohmann::json::array();
  std::string_view field = "indexer_types";
  if (fields.has(field)) {
    listed = fields.list(field);
  } else if (fields.has("index_topk_pattern")) {
    field = "index_topk_pattern";
    if (fields.object().at(field).is_array())
      listed = fields.list(field);
    else
      for (const char letter : fields.string(field)) listed.push_back(std::string(1, letter));
  } else {
    const std::int64_t every = std::max<std::int64_t>(1, fields.count_or("index_topk_freq", 1));
    const std::int64_t offset = fields.count_or("index_skip_topk_offset", 2);
    check_part(fields.path("index_skip_topk_offset"), offset, 16777216, "0 to 16777216");
    for (std::int64_t i = 0; i < model.layers; ++i)
      listed.push_back(std::max<std::int64_t>(i - offset + 1, 0) % every == 0 ? "full" : "shared");
  }
  std::int64_t own = 0, shared = 0;
  count_kinds(fields, field, listed, model.layers, {{{"full", "F"}, &own}, {{"shared", "S"}, &shared}});
  return own;
}

/// DeepSeek-V3.2 and GLM-5: an indexer, in every layer unless the file says that some take over the choice of another.
inline void read_indexer(config_fields& fields, transformer& model) {
  indexer_spec& indexer = model.attention.indexer;
  indexer.heads = fields.count("index_n_heads");
  indexer.head_dim = fields.count("index_head_dim");
  indexer.top_k = fields.count("index_topk");
  const std::int64_t own = own_indexers(fields, model);
  if (own == 0) fail(errc::unsupported, fields.path("indexer_types"), "none", "one full layer or more");
  if (own < model.layers) indexer.layers = own;
}

/// MiniMax-M3: some layers choose the blocks of keys that they attend to, by an indexer with one key for each token.
inline void read_minimax_m3(config_fields& fields, transformer& model) {
  constexpr std::string_view older = "sparse_attention_config";
  fields.refuse_true("attention_output_gate");
  std::int64_t full = 0, sparse = 0;
  std::int64_t heads = fields.count("index_n_heads"), width = fields.count("index_head_dim");
  if (fields.has("layer_types")) {
    count_kinds(fields, "layer_types", fields.object().at("layer_types"), model.layers,
                {{{"full_attention"}, &full}, {{"minimax_m3_sparse"}, &sparse}});
  } else if (fields.has(older)) {
    const json_object inside = fields.inside(older);
    if (inside.has("sparse_attention_freq"))
      sparse = ones_listed(inside.at("sparse_attention_freq"), inside.path("sparse_attention_freq"), model.layers);
    if (inside.has("sparse_num_index_heads")) heads = inside.positive_count("sparse_num_index_heads");
    if (inside.has("sparse_index_dim")) width = inside.positive_count("sparse_index_dim");
    check_dimension(inside.path("sparse_num_index_heads"), heads);
    check_dimension(inside.path("sparse_index_dim"), width);
  }
  if (sparse == 0) return;
  model.other_products = checked_multiply(sparse, checked_multiply(heads + 1, width), model.d_model);
  model.other_weights = checked_multiply(sparse, 2 * width);
  fields.assume("layer_types", std::to_string(sparse) + " of " + std::to_string(model.layers) + " layers sparse",
                "their indexers are counted; attention and cache as if they attended to every token");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
