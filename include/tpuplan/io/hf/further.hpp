#ifndef TPUPLAN_IO_HF_FURTHER_HPP
#define TPUPLAN_IO_HF_FURTHER_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/integer.hpp>
#include <tpuplan/io/hf/experts.hpp>
#include <tpuplan/io/hf/fields.hpp>
#include <tpuplan/io/hf/heads.hpp>
#include <tpuplan/io/hf/hybrids.hpp>
#include <tpuplan/io/hf/single.hpp>
#include <tpuplan/model/transformer.hpp>
#include <vector>

/// @file
/// Decoders of Hugging Face configurations with experts of attention, heads that differ by layer, sparse attention over
/// blocks, or experts that are rows of a table. Shapes from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Layers with a window are those that the file lists; where it lists none, all layers attend to everything.
inline void read_listed_windows(config_fields& fields, transformer& model) {
  if (!fields.has("layer_types")) model.attention.local_layers = model.attention.window = 0;
}

/// Granite with windows: a sink for each head, and attention to everything in layers 0, 4, 8 and so on.
inline void read_granite_swa(config_fields& fields, transformer& model) {
  attention_spec& a = model.attention;
  a.sinks = true;
  if (a.window == 0 || fields.has("layer_types")) return;
  a.local_layers = model.layers - ceil_div(model.layers, 4);
  fields.assume("layer_types",
                std::to_string(a.local_layers) + " of " + std::to_string(model.layers) + " layers with a window",
                "class default of " + std::string(fields.type()));
}

/// Experts of Mellum: in every layer that `mlp_layer_types` does not name as dense.
inline void read_listed_experts(config_fields& fields, transformer& model) {
  moe_spec& moe = model.moe;
  moe.experts = fields.count("num_experts", "num_local_experts");
  moe.expert_d_ff = fields.count("moe_intermediate_size");
  moe.dense_layers = fields.has("mlp_layer_types") ? dense_layers_of(fields, "", model) : 0;
}

/// Experts of Laguna: behind one dense layer where the file does not say, beside a shared one.
inline void read_laguna_experts(config_fields& fields, transformer& model) {
  read_listed_experts(fields, model);
  if (!fields.has("mlp_layer_types")) {
    model.moe.dense_layers = 1;
    fields.assume("mlp_layer_types", "the first layer dense", "class default of laguna");
  }
  model.moe.shared_d_ff = fields.part("shared_expert_intermediate_size");
  model.moe.router_bias = true;
}

/// Layers whose number of heads differs: `fewest` heads count as attention in every layer; the projections of `further`
/// heads, over all layers together, count as other products. Each head has one gate where `gate_of_head` says so.
inline void read_further_heads(config_fields& fields, std::string_view field, std::int64_t fewest, std::int64_t further,
                               bool gate_of_head, transformer& model) {
  attention_spec& a = model.attention;
  a.heads = fewest;
  if (fewest % a.kv_heads != 0)
    fail(errc::not_divisible, fields.path("num_key_value_heads"), a.kv_heads, "a divisor of the heads of each layer");
  const std::int64_t d = model.d_model, gates = gate_of_head ? d : a.output_gate ? a.head_dim * d : 0;
  const std::int64_t all = checked_add(checked_multiply(fewest, model.layers), further);
  model.other_products =
      checked_add(model.other_products, checked_multiply(further, checked_add(2 * a.head_dim * d, gates)));
  if (gate_of_head)
    model.other_products = checked_add(model.other_products, checked_multiply(fewest * d, model.layers));
  if (a.qkv_bias) model.other_weights = checked_add(model.other_weights, checked_multiply(further, a.head_dim));
  if (further == 0) return;
  fields.assume(field, std::to_string(all) + " heads of queries in all layers",
                std::to_string(fewest) + " in each layer count as attention, the further ones as matrices alone");
}

/// Laguna: heads of queries by layer, and a gate for each head, or for each dimension of each head.
inline void read_laguna(config_fields& fields, transformer& model) {
  constexpr std::string_view field = "num_attention_heads_per_layer";
  read_listed_windows(fields, model);
  const nlohmann::json gating = fields.has("gating") ? fields.object().at("gating") : nlohmann::json(true);
  const bool of_head = gating == true || gating == "per-head";
  model.attention.output_gate = !of_head;
  std::int64_t fewest = model.attention.heads, all = 0, listed = 0;
  if (fields.has(field)) {
    for (const nlohmann::json& each : fields.list(field)) {
      if (!each.is_number_integer() || each < 1 || each > 65536)
        fail(errc::malformed_input, fields.path(field), shown_json(each), "numbers of heads");
      fewest = listed++ == 0 ? each.get<std::int64_t>() : std::min(fewest, each.get<std::int64_t>());
      all += each.get<std::int64_t>();
    }
    if (listed != model.layers)
      fail(errc::invalid_argument, fields.path(field), listed, "one entry for each of the layers");
  }
  read_further_heads(fields, field, fewest, listed == 0 ? 0 : all - fewest * model.layers, of_head, model);
}

/// Step 3.5: `layer_types` goes on with the modules for further tokens, and layers with a window have more heads.
inline void read_step(config_fields& fields, transformer& model) {
  constexpr std::string_view other = "attention_other_setting";
  attention_spec& a = model.attention;
  if (fields.has("layer_types")) {
    std::int64_t layer = 0;
    for (const nlohmann::json& each : fields.list("layer_types")) {
      if (layer++ >= model.layers) break;
      if (each != "full_attention" && each != "sliding_attention")
        fail(errc::unsupported, fields.path("layer_types"), shown_json(each), "full_attention, sliding_attention");
      a.local_layers += each == "sliding_attention" ? 1 : 0;
    }
    if (layer < model.layers)
      fail(errc::invalid_argument, fields.path("layer_types"), layer, "one entry for each of the layers");
  }
  a.window = fields.tokens("sliding_window");
  if (a.window == 0) a.local_layers = 0;
  std::int64_t local = a.heads;
  std::string field = "num_sliding_attention_heads";
  if (fields.has(field)) {
    local = fields.count(field);
  } else if (fields.has(other)) {
    const json_object inside = fields.inside(other);
    field = std::string(other) + ".num_attention_heads";
    local = inside.has("num_attention_heads") ? inside.positive_count("num_attention_heads") : local;
    check_dimension(inside.path("num_attention_heads"), local);
  }
  const std::int64_t fewest = std::min(a.heads, local);
  const std::int64_t further = a.local_layers * (local - fewest) + (model.layers - a.local_layers) * (a.heads - fewest);
  read_further_heads(fields, field, fewest, further, true, model);
}

/// Experts of Step 3.5: in the layers of `moe_layers_enum`, "3,4,5", or from the fourth on.
inline void read_step_experts(config_fields& fields, transformer& model) {
  moe_spec& moe = model.moe;
  const bool named = fields.has("moe_num_experts");
  moe.experts = named ? fields.count("moe_num_experts") : fields.count("n_routed_experts", "num_experts");
  moe.top_k = fields.count(fields.has("moe_top_k") ? "moe_top_k" : "num_experts_per_tok");
  moe.expert_d_ff = fields.count("moe_intermediate_size");
  moe.shared_d_ff = fields.part(fields.has("share_expert_dims") ? "share_expert_dims" : "share_expert_dim");
  moe.router_bias = true;
  constexpr std::string_view field = "moe_layers_enum";
  if (fields.has("mlp_layer_types") || !fields.has(field)) {
    moe.dense_layers = dense_layers_of(fields, "first_k_dense_replace", model);
    return;
  }
  std::set<std::int64_t> sparse;
  std::string numbers = fields.object().at(field).is_string() ? fields.string(field) : fields.list(field).dump();
  std::int64_t number = -1;
  for (const char letter : numbers + ",") {
    const bool digit = letter >= '0' && letter <= '9';
    if (!digit && std::string_view(", []").find(letter) == std::string_view::npos)
      fail(errc::malformed_input, fields.path(field), numbers.substr(0, 40), "numbers of layers: 3,4,5");
    if (digit) number = std::min<std::int64_t>(std::max<std::int64_t>(number, 0) * 10 + (letter - '0'), 16777216);
    if (!digit && number >= 0 && number < model.layers) sparse.insert(number);
    if (!digit) number = -1;
  }
  moe.dense_layers = model.layers - static_cast<std::int64_t>(sparse.size());
}

/// A list with 0 or 1 for each layer: how many of them are 1.
inline std::int64_t ones_listed(const nlohmann::json& listed, const std::string& path, std::int64_t layers) {
  std::int64_t ones = 0;
  const bool usable = listed.is_array() && listed.size() == static_cast<std::size_t>(layers);
  if (!usable) fail(errc::invalid_argument, path, shown_json(listed), "0 or 1 for each of the layers");
  for (const nlohmann::json& each : listed) ones += each == 0 ? 0 : 1;
  return ones;
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

/// Experts of MiniMax-M3: `intermediate_size` wide, beside a shared one; dense layers have a width of their own.
inline void read_minimax_m3_experts(config_fields& fields, transformer& model) {
  constexpr std::string_view field = "moe_layer_freq";
  read_mixtral_experts(fields, model);
  model.moe.router_bias = true;
  model.moe.shared_d_ff = fields.part("shared_intermediate_size");
  model.mlp.d_ff = fields.count("dense_intermediate_size");
  if (fields.has("mlp_layer_types"))
    model.moe.dense_layers = dense_layers_of(fields, "", model);
  else if (fields.has(field))
    model.moe.dense_layers = model.layers - ones_listed(fields.object().at(field), fields.path(field), model.layers);
}

/// Experts of Command A with experts: `intermediate_size` wide, behind dense layers of another width.
inline void read_cohere2_experts(config_fields& fields, transformer& model) {
  moe_spec& moe = model.moe;
  moe.experts = fields.count("num_experts");
  moe.expert_d_ff = fields.count("intermediate_size");
  moe.shared_d_ff = checked_multiply(fields.part("num_shared_experts"), moe.expert_d_ff);
  check_part(fields.path("num_shared_experts") + " x intermediate_size", moe.shared_d_ff, 16777216, "0 to 16777216");
  moe.dense_layers = dense_layers_of(fields, "first_k_dense_replace", model);
  if (fields.has("prefix_dense_intermediate_size")) model.mlp.d_ff = fields.count("prefix_dense_intermediate_size");
}

/// Command A with experts: where the file does not list its layers, the first dense ones have a pattern of their own.
inline void read_cohere2_moe(config_fields& fields, transformer& model) {
  const std::int64_t first = fields.part("first_k_dense_replace");
  if (model.attention.window == 0 || fields.has("layer_types") || first == 0) return;
  const std::int64_t rest = model.layers - first;
  model.attention.local_layers = first - first / fields.count("prefix_dense_sliding_window_pattern") + rest -
                                 rest / fields.count("sliding_window_pattern");
  if (model.attention.local_layers == 0) model.attention.window = 0;
}

/// JetMoE: each expert of attention has queries and an output projection for all pairs of keys and values; those that a
/// token uses count as its heads, the others as weights in no product.
inline void read_jetmoe(config_fields& fields, transformer& model) {
  attention_spec& a = model.attention;
  const std::int64_t width = checked_multiply(a.kv_heads, a.head_dim), idle = model.moe.experts - model.moe.top_k;
  a.heads = checked_multiply(a.kv_heads, model.moe.top_k);
  model.other_products = checked_multiply(model.layers, model.moe.experts, model.d_model);
  add_weights(model, model.layers, checked_add(checked_multiply(2 * idle, width, model.d_model), 2 * model.d_model));
  fields.assume("num_attention_heads", std::to_string(a.heads), "num_key_value_heads x num_experts_per_tok");
}

/// Doge: a step for each pair of keys and values that masks attention, a weight for each channel of the residual
/// stream; with `is_moe` experts of one row each in two tables beside the MLP.
inline void read_doge(config_fields& fields, transformer& model) {
  const attention_spec& a = model.attention;
  const std::int64_t d = model.d_model, steps = checked_multiply(a.kv_heads * a.head_dim, a.kv_heads);
  model.other_products = checked_multiply(model.layers, steps);
  add_weights(model, model.layers, a.kv_heads * (a.qkv_bias ? 2 : 1) + 2 * d);
  if (!fields.flag("is_moe")) return;
  const std::int64_t experts = fields.count("num_experts"), used = fields.count("num_experts_per_tok");
  check_part(fields.path("num_experts_per_tok"), used, experts, "1 to num_experts");
  std::int64_t keys = 1;
  while ((keys + 1) * (keys + 1) <= experts) ++keys;
  model.other_products = checked_add(model.other_products, checked_multiply(model.layers, 2 * keys + 2 * used, d));
  add_weights(model, model.layers, checked_multiply(2 * (experts - used), d));
}

/// The decoder of ModernBERT: windows in all but layers 0, 3, 6 and so on, and a dense layer and a norm before the
/// output head.
inline void read_modernbert_decoder(config_fields& fields, transformer& model) {
  attention_spec& a = model.attention;
  const std::int64_t d = model.d_model;
  model.norm_bias = fields.flag("norm_bias");
  a.window = fields.tokens("local_attention") / 2;
  if (fields.has("layer_types")) {
    a.local_layers =
        recurrent_of(fields, "layer_types", fields.object().at("layer_types"), model.layers, "sliding_attention");
  } else {
    a.local_layers = model.layers - ceil_div(model.layers, fields.count("global_attn_every_n_layers"));
  }
  if (a.window == 0) a.local_layers = 0;
  if (a.local_layers == 0) a.window = 0;
  model.other_products = checked_multiply(d, d);  // the norm of the head is as wide as the one that layer 0 lacks
  model.other_weights = fields.flag("classifier_bias") ? d : 0;
}

/// Ling: experts beside shared ones. From the second generation on, which the class's name says, there are norms of
/// queries and keys and biases that correct the router.
inline void read_bailing_experts(config_fields& fields, transformer& model) {
  const bool second = fields.type() == "bailing_moe_v2" || class_of(fields).find("V2") != std::string::npos;
  read_shared_experts(fields, "first_k_dense_replace", model);
  model.moe.router_bias = fields.flag_or("moe_router_enable_expert_bias", second);
  model.attention.qk_norm = fields.flag_or("use_qk_norm", second);
}

/// The width of the MLP of one layer of Nemotron-NAS: two thirds of so many widths of the model, rounded up to 256.
inline std::int64_t nas_width(const json_object& ffn, std::int64_t d) {
  const double width = 2.0 * ffn.positive_number("ffn_mult") * static_cast<double>(d) / 3.0;
  in_range(ffn.path("ffn_mult"), width, 1, 16777216, "a width from 1 to 16777216");
  return round_up(floor_to_count(width), 256);
}

/// Nemotron-NAS: each layer has attention, one matrix in its place or nothing, and an MLP of a width of its own, one
/// matrix or nothing. The MLPs count as if they had one width, with what remains as other products.
inline void read_nemotron_nas(config_fields& fields, transformer& model) {
  constexpr std::string_view field = "block_configs";
  const std::int64_t d = model.d_model;
  std::int64_t layers = 0, attending = 0, mlps = 0, matrices = 0, widths = 0, norms = 0, group = 0;
  const nlohmann::json listed = fields.list(field);
  for (const nlohmann::json& each : listed) {
    const json_object block{each, fields.path(field) + "[" + std::to_string(layers++) + "]"};
    const json_object attention = block.object("attention"), ffn = block.object("ffn");
    for (const json_object& part : {attention, ffn}) {
      const bool is_linear = part.flag_or("replace_with_linear", false);
      matrices += is_linear ? 1 : 0;
      norms += part.flag_or("no_op", false) ? 0 : 1;
    }
    if (!attention.flag_or("no_op", false) && !attention.flag_or("replace_with_linear", false)) {
      const std::int64_t own = attention.positive_count("n_heads_in_group");
      if (attending++ > 0 && own != group)
        fail(errc::unsupported, attention.path("n_heads_in_group"), own, "the same in all layers");
      group = own;
      if (attention.count_or("window_length", 0) > 0)
        fail(errc::unsupported, attention.path("window_length"), "given", "null");
    }
    if (ffn.flag_or("no_op", false) || ffn.flag_or("replace_with_linear", false)) continue;
    widths = checked_add(widths, nas_width(ffn, d));
    ++mlps;
  }
  if (layers != model.layers)
    fail(errc::invalid_argument, fields.path(field), layers, "one entry for each of the layers");
  if (attending == 0 || mlps == 0 || model.attention.heads % group != 0)
    fail(errc::unsupported, fields.path(field), attending, "layers with attention and MLPs, and heads in whole groups");
  model.attention.kv_heads = model.attention.heads / group;
  model.recurrent.idle_layers = layers - attending;
  model.mlp.absent = layers - mlps;
  model.mlp.d_ff = widths / mlps;
  const std::int64_t rest = widths - model.mlp.d_ff * mlps;
  model.other_products = checked_add(checked_multiply(matrices * d, d), checked_multiply(3 * d, rest));
  model.other_weights = checked_multiply(norms - 2 * layers, d);
  fields.assume(field, std::to_string(attending) + " of " + std::to_string(layers) + " layers with attention",
                "MLPs of different widths count as " + std::to_string(model.mlp.d_ff) + " wide each: as many weights");
}

/// The Japanese GPT-NeoX: the last layer alone has a bias, behind attention.
inline void read_neox_japanese(config_fields& fields, transformer& model) {
  model.mlp.d_ff = checked_multiply(fields.count("intermediate_multiple_size"), model.d_model);
  model.other_weights = model.d_model;
}

/// RWKV 5 and 6: a state for each head, which counts as linear attention with a gate, and an MLP with one more matrix.
/// RWKV 6 works out its decays and mixes from the token by products of low rank.
inline void read_rwkv5(config_fields& fields, transformer& model) {
  const bool sixth = fields.type() == "rwkv6";
  const std::int64_t d = model.d_model;
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::lightning;
  r.layers = model.layers;
  r.width = fields.is_null("attention_hidden_size") ? d : fields.count("attention_hidden_size");
  r.key_dim = fields.count("head_size");
  if (r.width % r.key_dim != 0)
    fail(errc::not_divisible, fields.path("head_size"), r.key_dim, "a divisor of attention_hidden_size");
  r.heads = r.key_heads = r.width / r.key_dim;
  model.mlp.d_ff = fields.has("intermediate_size") ? fields.count("intermediate_size") : d * 7 / 2 / 32 * 32;
  const std::int64_t mixes = d == 4096 ? 64 : 32, decays = 2 * mixes;
  const std::int64_t low_rank = sixth ? checked_add(10 * mixes * d, decays * (d + r.width)) : 0;
  model.other_products = checked_multiply(model.layers, checked_add(checked_multiply(d, d), low_rank));
  // Decays and first steps of each channel, mixes with the token before, and a norm of the output with biases, of
  // which linear attention has one weight for each channel already.
  add_weights(model, model.layers, checked_add(3 * r.width, (sixth ? 8 : 6) * d));
  stand_in_heads(model);
  fields.assume("model_type", std::string(fields.type()), "its state counts as that of linear attention with a gate");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
