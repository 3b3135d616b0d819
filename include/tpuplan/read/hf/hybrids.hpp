#ifndef TPUPLAN_READ_HF_HYBRIDS_HPP
#define TPUPLAN_READ_HF_HYBRIDS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/experts.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/layer_places.hpp>
#include <vector>

/// @file
/// Recurrent layers of Hugging Face configurations other than those of Mamba: linear attention (gated delta rules,
/// lightning attention), RG-LRU, RWKV, mLSTM and short convolutions, alone or beside attention. Shapes from the
/// modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A kind of layer under its names.
struct named_layer {
  std::initializer_list<std::string_view> names;
  std::int64_t* count;
};

/// Counts layers by kind; the list has to name each of them, by a kind that can be counted.
inline void count_kinds(const config_fields& fields, std::string_view field, const nlohmann::json& listed,
                        std::int64_t layers, std::initializer_list<named_layer> kinds) {
  if (!listed.is_array()) fail(errc::malformed_input, fields.path(field), listed.type_name(), "an array");
  for (const nlohmann::json& entry : listed) {
    const named_layer* found = nullptr;
    std::string valid;
    for (const named_layer& kind : kinds) {
      for (const std::string_view each : kind.names) {
        valid.append(valid.empty() ? "" : ", ").append(each);
        if (entry == each) found = &kind;
      }
    }
    if (found == nullptr) fail(errc::unsupported, fields.path(field), shown_json(entry), valid);
    ++*found->count;
  }
  if (listed.size() != static_cast<std::size_t>(layers)) {
    fail(errc::invalid_argument, fields.path(field), static_cast<std::int64_t>(listed.size()),
         "one entry for each of the layers, " + std::to_string(layers));
  }
}

/// Layers of a list that are recurrent, under their name; the others are attention.
inline std::int64_t recurrent_of(config_fields& fields, std::string_view field, const nlohmann::json& listed,
                                 std::int64_t layers, std::string_view name) {
  std::int64_t recurrent = 0, attention = 0;
  count_kinds(fields, field, listed, layers, {{{name}, &recurrent}, {{"full_attention", "attention"}, &attention}});
  return recurrent;
}

/// Puts on record which layers are recurrent; how many there are.
template <class Is>
std::int64_t mark_recurrent(config_fields& fields, const transformer& model, const Is& is) {
  std::vector<bool>& recurrent = fields.record().places.recurrent;
  recurrent = layers_where(model.layers, is);
  return count_listed(recurrent);
}

/// The same of a list with one entry for each layer.
inline std::int64_t mark_recurrent_of(config_fields& fields, std::string_view field, const transformer& model,
                                      std::string_view name) {
  const nlohmann::json& listed = fields.object().at(field);
  (void)recurrent_of(fields, field, listed, model.layers, name);
  return mark_recurrent(fields, model, [&](std::int64_t i) { return listed[static_cast<std::size_t>(i)] == name; });
}

/// Of so many layers, those at a number of the form offset + n x period.
inline std::int64_t layers_at(std::int64_t layers, std::int64_t period, std::int64_t offset) {
  return offset >= layers ? 0 : (layers - 1 - offset) / period + 1;
}

/// A model without attention shards by the heads of its recurrence.
inline void stand_in_heads(transformer& model) {
  model.attention.heads = model.attention.kv_heads = model.recurrent.heads;
  model.attention.head_dim = model.recurrent.width / model.recurrent.heads;
}

/// Layers with linear attention where the file does not list them: all but every `full_attention_interval`-th.
inline std::int64_t linear_layers(config_fields& fields, const transformer& model) {
  if (fields.has("layer_types")) return mark_recurrent_of(fields, "layer_types", model, "linear_attention");
  const std::int64_t interval = fields.count("full_attention_interval");
  const std::int64_t linear = mark_recurrent(fields, model, [&](std::int64_t i) { return (i + 1) % interval != 0; });
  fields.assume("layer_types", std::to_string(linear) + " of " + std::to_string(model.layers) + " layers linear",
                "class default of " + std::string(fields.type()));
  return linear;
}

/// Qwen3-Next and Qwen3.5: gated delta rule, and attention with a gate on its output.
inline void read_gated_delta(config_fields& fields, transformer& model) {
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::gated_delta;
  r.layers = linear_layers(fields, model);
  r.heads = fields.count("linear_num_value_heads");
  r.width = checked_multiply(r.heads, fields.count("linear_value_head_dim"));
  r.key_heads = fields.count("linear_num_key_heads");
  r.key_dim = fields.count("linear_key_head_dim");
  r.kernel = fields.count("linear_conv_kernel_dim");
  attention_spec& a = model.attention;
  a.output_gate = true;
  if (a.qkv_bias)  // the gate is a part of the projection of queries, which has it too
    model.other_weights = checked_multiply(attention_layers(model), a.heads, a.head_dim);
}

/// OLMo Hybrid: gated delta rule, with heads that follow from the width where the file does not say, and attention.
inline void read_olmo_hybrid(config_fields& fields, transformer& model) {
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::gated_delta;
  r.layers = linear_layers(fields, model);
  r.heads = fields.count("linear_num_value_heads");
  r.key_heads = fields.count("linear_num_key_heads");
  const bool stated = fields.has("linear_key_head_dim");
  r.key_dim = stated ? fields.count("linear_key_head_dim") : 3 * model.d_model / (4 * r.key_heads);
  if (!stated) fields.assume("linear_key_head_dim", std::to_string(r.key_dim), "class default: 3/4 of hidden_size");
  const std::int64_t value =
      fields.has("linear_value_head_dim") ? fields.count("linear_value_head_dim") : 2 * r.key_dim;
  r.width = checked_multiply(r.heads, value);
  r.kernel = fields.count("linear_conv_kernel_dim");
}

/// What Kimi K3 adds: gates of full rank, a gate on attention, and a residual that attends to earlier blocks of layers,
/// with a norm and a product before each mixer, before each MLP and at the end.
inline void read_kimi_k3(config_fields& fields, bool full_rank, transformer& model) {
  const recurrent_spec& r = model.recurrent;
  const std::int64_t d = model.d_model, linear = r.layers, attending = model.layers - linear;
  if (full_rank) {
    const std::int64_t more = checked_multiply(d, r.width) - checked_multiply(r.rank, d + r.width);
    if (more < 0) fail(errc::unsupported, fields.path("linear_attn_config.use_full_rank_gate"), "true", "false");
    model.other_products = checked_multiply(linear, more);
  }
  if (fields.flag_or("mla_use_output_gate", false)) {
    const std::int64_t gate = checked_multiply(model.attention.heads, model.attention.latent.v_head_dim, d);
    model.other_products = checked_add(model.other_products, checked_multiply(attending, gate));
  }
  if (fields.count_or("attn_res_block_size", 0) > 0) model.other_weights = checked_multiply(4 * model.layers + 2, d);
}

/// Kimi Linear: delta rule with a decay for each key dimension. `linear_attn_config` goes before fields of the class.
inline void read_kimi_linear(config_fields& fields, transformer& model) {
  if (fields.count_or("dense_ffn_hidden", 0) != 0)
    fail(errc::unsupported, fields.path("dense_ffn_hidden"), "given", "none: what it adds is not counted");
  bool full_rank = false;
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::key_gated_delta;
  if (!fields.has("linear_attn_config")) {
    r.layers = linear_layers(fields, model);
    r.heads = fields.count("linear_num_heads");
    r.key_dim = fields.count("linear_head_dim");
    r.kernel = fields.count("linear_conv_kernel_dim");
  } else {
    const json_object linear = fields.object().object("linear_attn_config");
    full_rank = linear.flag_or("use_full_rank_gate", false);
    r.layers = static_cast<std::int64_t>(linear.list("kda_layers").size());
    if (r.layers + static_cast<std::int64_t>(linear.list("full_attn_layers").size()) != model.layers)
      fail(errc::invalid_argument, linear.path("kda_layers"), r.layers, "with full_attn_layers as many as layers");
    r.heads = linear.positive_count("num_heads");
    r.key_dim = linear.positive_count("head_dim");
    r.kernel = linear.positive_count("short_conv_kernel_size");
    std::vector<std::int64_t> kda;  // which count from 1
    for (const nlohmann::json& each : linear.list("kda_layers"))
      if (each.is_number_integer()) kda.push_back(each.get<std::int64_t>());
    std::sort(kda.begin(), kda.end());
    (void)mark_recurrent(fields, model, [&](std::int64_t i) { return is_layer_of(kda, i + 1); });
    check_dimension(linear.path("num_heads"), r.heads);
    check_dimension(linear.path("head_dim"), r.key_dim);
  }
  r.key_heads = r.heads;
  r.rank = r.key_dim;
  r.width = checked_multiply(r.heads, r.key_dim);
  read_kimi_k3(fields, full_rank, model);
}

/// Experts of Kimi Linear: those of DeepSeek-V3 under other names.
inline void read_kimi_experts(config_fields& fields, transformer& model) {
  if (fields.count("moe_layer_freq") != 1) fail(errc::unsupported, fields.path("moe_layer_freq"), "not 1", "1");
  moe_spec& moe = model.moe;
  moe.experts = fields.count("num_experts");
  moe.top_k = fields.count("num_experts_per_token");
  moe.expert_d_ff = fields.count("moe_intermediate_size");
  moe.shared_d_ff = checked_multiply(fields.part("num_shared_experts"), moe.expert_d_ff);
  moe.dense_layers = fields.part("first_k_dense_replace");
  check_part(fields.path("first_k_dense_replace"), moe.dense_layers, model.layers, "0 to the number of layers");
  moe.router_bias = true;
  read_latent_experts(fields, "routed_expert_hidden_size", fields.flag_or("latent_moe_use_norm", false), model);
}

/// MiniMax: lightning attention, in every other layer where the file does not say.
inline void read_minimax(config_fields& fields, transformer& model) {
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::lightning;
  if (fields.has("attn_type_list")) {  // 0: lightning, 1: softmax
    const nlohmann::json listed = fields.object().at("attn_type_list");
    if (!listed.is_array() || listed.size() != static_cast<std::size_t>(model.layers))
      fail(errc::invalid_argument, fields.path("attn_type_list"), shown_json(listed), "0 or 1 for each of the layers");
    r.layers = mark_recurrent(fields, model, [&](std::int64_t i) { return listed[static_cast<std::size_t>(i)] == 0; });
  } else {
    r.layers = fields.has("layer_types") ? mark_recurrent_of(fields, "layer_types", model, "linear_attention")
                                         : mark_recurrent(fields, model, [](std::int64_t i) { return i % 2 == 1; });
    if (!fields.has("layer_types"))
      fields.assume("layer_types", "every other layer linear", "class default of " + std::string(fields.type()));
  }
  r.heads = r.key_heads = model.attention.heads;
  r.key_dim = model.attention.head_dim;
  r.width = checked_multiply(r.heads, r.key_dim);
}

/// RecurrentGemma: `block_types` repeats; the MLP is half as wide as `intermediate_size` says.
inline void read_recurrent_gemma(config_fields& fields, transformer& model) {
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::rg_lru;
  const nlohmann::json pattern = fields.list("block_types");
  if (pattern.empty()) fail(errc::invalid_argument, fields.path("block_types"), "[]", "recurrent, attention");
  const auto length = static_cast<std::int64_t>(pattern.size());
  const auto recurrent_in_first = [&](std::int64_t layers) {
    nlohmann::json first = nlohmann::json::array();
    for (std::int64_t i = 0; i < layers; ++i) first.push_back(pattern[static_cast<std::size_t>(i)]);
    return recurrent_of(fields, "block_types", first, layers, "recurrent");
  };
  const std::int64_t rest = model.layers % length, whole = model.layers / length;
  r.layers = recurrent_in_first(rest) + (whole > 0 ? checked_multiply(whole, recurrent_in_first(length)) : 0);
  (void)mark_recurrent(fields, model,
                       [&](std::int64_t i) { return pattern[static_cast<std::size_t>(i % length)] == "recurrent"; });
  r.width = fields.count("lru_width");
  r.heads = model.attention.heads;
  r.kernel = fields.count("conv1d_width");
  r.convolution_bias = r.projection_bias = true;
  model.attention.window = fields.tokens("attention_window_size");
  model.attention.local_layers = attention_layers(model);
  const std::int64_t both = fields.count("intermediate_size");
  if (both % 2 != 0) fail(errc::not_divisible, fields.path("intermediate_size"), both, "an even number");
  model.mlp.d_ff = both / 2;
}

/// RWKV 4: no attention; the first layer has one more norm.
inline void read_rwkv(config_fields& fields, transformer& model) {
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::rwkv;
  r.layers = model.layers;
  r.width = fields.count("attention_hidden_size");
  stand_in_heads(model);
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

/// RWKV 7: a delta rule that works out its decays and steps, its gate and what the values keep of those of the first
/// layer by products of low rank.
inline void read_rwkv7(config_fields& fields, transformer& model) {
  if (fields.has("attn")) fail(errc::unsupported, fields.path("attn"), "given", "null: no layer with attention");
  const std::int64_t d = model.d_model;
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::key_gated_delta;
  r.layers = model.layers;
  r.width = d;
  if (fields.has("value_dim") && count_of_every_layer(fields, "value_dim") != d)
    fail(errc::unsupported, fields.path("value_dim"), count_of_every_layer(fields, "value_dim"), "hidden_size");
  r.key_dim = fields.count("head_dim");
  if (d % r.key_dim != 0) fail(errc::not_divisible, fields.path("head_dim"), r.key_dim, "a divisor of hidden_size");
  r.heads = r.key_heads = d / r.key_dim;
  r.rank = fields.count("decay_low_rank_dim");
  model.norm_bias = fields.flag("norm_bias");
  model.embedding_norm = fields.flag("norm_first");
  const std::int64_t values = fields.count("v_low_rank_dim");
  const std::int64_t ranks = fields.count("a_low_rank_dim") + fields.count("gate_low_rank_dim") + values;
  // The rule counts four products of its rank, and a step for each head: the decay has two of them.
  model.other_products =
      checked_multiply(model.layers, d, 2 * (ranks - r.rank) - r.heads) - checked_multiply(2 * d, values);
  if (model.other_products < 0)
    fail(errc::unsupported, fields.path("decay_low_rank_dim"), r.rank, "less than the other ranks together");
  // Mixes with the token before, biases of decays, steps and values, three scales of keys and a norm with biases.
  add_weights(model, model.layers, 15 * d - (r.heads + d + r.key_dim));
  model.other_weights -= d;
  stand_in_heads(model);
}

/// Ling and Ring 2.0 with linear attention in all layers but each `layer_group_size`-th and those past the last group.
inline void read_bailing_linear(config_fields& fields, transformer& model) {
  for (const std::string_view field : {"use_bias", "use_qkv_bias"}) fields.refuse_true(field);
  const std::int64_t group = fields.count("layer_group_size"), whole = model.layers / group * group;
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::lightning;
  r.layers = mark_recurrent(fields, model, [&](std::int64_t i) { return (i + 1) % group != 0 && i < whole; });
  r.heads = r.key_heads = model.attention.heads;
  r.key_dim = model.attention.head_dim;
  r.width = checked_multiply(r.heads, r.key_dim);
  if (fields.flag_or("use_qk_norm", true)) add_weights(model, r.layers, 2 * r.key_dim);
}

/// A width that is a share of the width of the model, rounded down.
inline std::int64_t share_of_width(const config_fields& fields, std::string_view field, double usual,
                                   const transformer& model) {
  const double share = fields.number_or(field, usual);
  in_range(fields.path(field), share, 1e-3, 1e3, "0.001 to 1000");
  return floor_to_count(share * static_cast<double>(model.d_model));
}

/// xLSTM: a matrix memory in every layer, and an MLP whose width is rounded up.
inline void read_xlstm(config_fields& fields, transformer& model) {
  fields.refuse_true("use_bias");
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::mlstm;
  r.layers = model.layers;
  r.heads = r.key_heads = fields.count("num_heads");
  r.width = share_of_width(fields, "v_dim_factor", 1, model);
  r.key_dim = share_of_width(fields, "qk_dim_factor", 0.5, model) / r.heads;
  const double width = fields.number_or("ffn_proj_factor", 2.667) * static_cast<double>(model.d_model);
  in_range(fields.path("ffn_proj_factor"), width, 1, 16777216, "a width from 1 to 16777216");
  model.mlp.d_ff = round_up(ceil_to_count(width), fields.count("ffn_round_up_to_multiple_of"));
  stand_in_heads(model);
}

/// LFM2: gated short convolutions, and an MLP whose width is worked out.
inline void read_short_convolutions(config_fields& fields, transformer& model) {
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::short_convolution;
  if (fields.has("layer_types") || !fields.has("full_attn_idxs")) {
    r.layers = fields.has("layer_types") ? mark_recurrent_of(fields, "layer_types", model, "conv") : 0;
  } else {
    const std::vector<std::int64_t> attending = fields.numbers_listed("full_attn_idxs", model.layers);
    r.layers = mark_recurrent(fields, model, [&](std::int64_t i) { return !is_layer_of(attending, i); });
  }
  r.width = model.d_model;
  r.kernel = fields.count("conv_L_cache");
  r.convolution_bias = r.projection_bias = fields.flag("conv_bias");
}
inline void read_lfm2(config_fields& fields, transformer& model) {
  read_short_convolutions(fields, model);
  std::int64_t width = fields.count(fields.has("block_ff_dim") ? "block_ff_dim" : "intermediate_size");
  if (fields.flag("block_auto_adjust_ff_dim")) {
    width = 2 * width / 3;
    const bool scaled = !fields.is_null("block_ffn_dim_multiplier");
    const double factor = scaled ? fields.number_or("block_ffn_dim_multiplier", 1.0) : 0;
    if (scaled) {
      in_range(fields.path("block_ffn_dim_multiplier"), factor, 0.01, 100, "0.01 to 100");
      width = round_up(floor_to_count(factor * static_cast<double>(width)), fields.count("block_multiple_of"));
    }
  }
  model.mlp.d_ff = width;
}

/// Experts of LFM2: all layers but the first have them, with biases that correct the router.
inline void read_lfm2_experts(config_fields& fields, transformer& model) {
  model.moe.experts = fields.count("num_experts");
  model.moe.expert_d_ff = fields.count("moe_intermediate_size");
  model.moe.dense_layers = fields.part("num_dense_layers");
  check_part(fields.path("num_dense_layers"), model.moe.dense_layers, model.layers, "0 to the number of layers");
  model.moe.router_bias = fields.flag("use_expert_bias");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
