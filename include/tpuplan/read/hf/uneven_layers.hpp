#ifndef TPUPLAN_READ_HF_UNEVEN_LAYERS_HPP
#define TPUPLAN_READ_HF_UNEVEN_LAYERS_HPP

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/hybrids.hpp>
#include <tpuplan/read/hf/layer_places.hpp>

/// @file
/// Decoders of Hugging Face configurations whose layers differ in a way of their own: in their heads, in the width of
/// their MLP, or in which of them have a window. Shapes from the modelling files of transformers.

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

/// Step 3.5: `layer_types` goes on with the modules of multi-token prediction, and layers with a window have more
/// heads.
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

/// Command A with experts: where the file does not list its layers, the first dense ones have a pattern of their own.
inline void read_cohere2_moe(config_fields& fields, transformer& model) {
  const std::int64_t first = fields.part("first_k_dense_replace");
  if (model.attention.window == 0 || fields.has("layer_types") || first == 0) return;
  const std::int64_t rest = model.layers - first;
  model.attention.local_layers = first - first / fields.count("prefix_dense_sliding_window_pattern") + rest -
                                 rest / fields.count("sliding_window_pattern");
  if (model.attention.local_layers == 0) model.attention.window = 0;
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
  if (ends_in(class_of(fields), "DecoderModel")) {  // no dense layer and norm in front of a head
    model.other_weights = model.norm_bias ? -2 * d : -d;
    return;
  }
  model.other_products = checked_multiply(d, d);  // the norm of the head is as wide as the one that layer 0 lacks
  model.other_weights = fields.flag("classifier_bias") ? d : 0;
}

/// OpenELM: each layer has heads and an MLP at least as wide as those of the one before. They count as of one width,
/// with what remains as other weights.
inline void read_openelm(config_fields& fields, transformer& model) {
  attention_spec& a = model.attention;
  const auto layers = static_cast<std::size_t>(model.layers);
  const nlohmann::json queries = fields.list("num_query_heads"), keys = fields.list("num_kv_heads"),
                       widths = fields.list("ffn_multipliers");
  if (queries.size() != layers || keys.size() != layers || widths.size() != layers)
    fail(errc::invalid_argument, fields.path("num_query_heads"), static_cast<std::int64_t>(queries.size()),
         "one entry for each of the layers, as num_kv_heads and ffn_multipliers");
  const std::int64_t divisor = fields.count("ffn_dim_divisor"), group = fields.count("num_gqa_groups");
  const std::int64_t d = model.d_model;
  std::int64_t heads = 0, width = 0;
  for (std::size_t i = 0; i < layers; ++i) {
    const bool usable = keys[i].is_number_integer() && keys[i] >= 1 && keys[i] <= 65536 && widths[i].is_number();
    if (!usable || queries[i] != keys[i].get<std::int64_t>() * group)
      fail(errc::unsupported, fields.path("num_query_heads"), shown_json(queries[i]), "num_gqa_groups x num_kv_heads");
    heads += keys[i].get<std::int64_t>();
    const double wide = widths[i].get<double>() * static_cast<double>(d);
    in_range(fields.path("ffn_multipliers"), wide, 1, 16777216, "a width from 1 to 16777216");
    const std::int64_t nearest = floor_to_count(wide + static_cast<double>(divisor) / 2) / divisor * divisor;
    const std::int64_t own = std::max(divisor, nearest);
    width = checked_add(width, static_cast<double>(own) < 0.9 * wide ? own + divisor : own);
  }
  a.head_dim = fields.count("head_dim");
  a.kv_heads = (heads + model.layers / 2) / model.layers;
  a.heads = checked_multiply(group, a.kv_heads);
  a.qk_norm = fields.flag("normalize_qk_projections");
  model.mlp.gated = fields.flag("ffn_with_glu");
  model.mlp.d_ff = width / model.layers;
  const std::int64_t further = (heads - a.kv_heads * model.layers) * 2 * (group + 1) * a.head_dim;
  const std::int64_t wider = (width - model.mlp.d_ff * model.layers) * (model.mlp.gated ? 3 : 2);
  const std::int64_t rest = d * (further + wider);
  (rest < 0 ? model.other_weights : model.other_products) = rest;
  fields.assume("num_kv_heads", std::to_string(a.kv_heads) + " in each layer",
                "on average " + std::to_string(heads) + " / " + std::to_string(model.layers) +
                    ": as many weights, cache and attention of whole heads; MLPs count as " +
                    std::to_string(model.mlp.d_ff) + " wide each");
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
  layer_places& places = fields.record().places;
  for (const nlohmann::json& each : listed) {
    const json_object block{each, fields.path(field) + "[" + std::to_string(layers++) + "]"};
    const json_object attention = block.object("attention"), ffn = block.object("ffn");
    for (const json_object& part : {attention, ffn}) {
      const bool is_linear = part.flag_or("replace_with_linear", false);
      matrices += is_linear ? 1 : 0;
      norms += part.flag_or("no_op", false) ? 0 : 1;
    }
    places.attending.push_back(!attention.flag_or("no_op", false) && !attention.flag_or("replace_with_linear", false));
    places.dense.push_back(!ffn.flag_or("no_op", false) && !ffn.flag_or("replace_with_linear", false));
    if (places.attending.back()) {
      const std::int64_t own = attention.positive_count("n_heads_in_group");
      if (attending++ > 0 && own != group)
        fail(errc::unsupported, attention.path("n_heads_in_group"), own, "the same in all layers");
      group = own;
      if (attention.count_or("window_length", 0) > 0)
        fail(errc::unsupported, attention.path("window_length"), "given", "null");
    }
    if (!places.dense.back()) continue;
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

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
