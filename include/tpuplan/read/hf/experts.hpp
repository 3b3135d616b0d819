#ifndef TPUPLAN_READ_HF_EXPERTS_HPP
#define TPUPLAN_READ_HF_EXPERTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/heads.hpp>
#include <tpuplan/read/hf/layer_places.hpp>
#include <vector>

/// @file
/// Mixtures of experts in Hugging Face configurations: how many there are, how wide, and in which layers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Puts on record which layers have experts, and that the others do not; how many have none.
template <class Is>
std::int64_t mark_sparse(config_fields& fields, const transformer& model, const Is& is) {
  std::vector<bool>& sparse = fields.record().places.sparse;
  sparse = layers_where(model.layers, is);
  return model.layers - count_listed(sparse);
}

/// Experts behind a projection to a narrower width, which all of them share, and one back: as many weights and FLOPs
/// as experts of the width of the model with a narrower MLP. `norm` is one between them.
inline void read_latent_experts(config_fields& fields, std::string_view field, bool norm, transformer& model) {
  const std::int64_t width = fields.count_or(field, 0), d = model.d_model, own = model.moe.expert_d_ff;
  if (width == 0) return;
  check_dimension(fields.path(field), width);
  if (checked_multiply(own, width) % d != 0)
    fail(errc::not_divisible, fields.path(field), width, "so that hidden_size divides its product with the experts");
  model.moe.expert_d_ff = own * width / d;
  const std::int64_t sparse = moe_layers(model);
  model.other_products = checked_add(model.other_products, checked_multiply(sparse, 2 * d, width));
  if (norm) model.other_weights = checked_add(model.other_weights, checked_multiply(sparse, width));
  fields.assume(field, std::to_string(width),
                "experts of " + std::to_string(own) + " there count as " + std::to_string(model.moe.expert_d_ff) +
                    " at hidden_size: as many weights and FLOPs, fewer activations");
}

/// Experts of Mixtral: every layer is a mixture; `intermediate_size` is the width of one expert.
inline void read_mixtral_experts(config_fields& fields, transformer& model) {
  model.moe.experts = fields.count("num_local_experts", "num_experts");
  model.moe.expert_d_ff = fields.count("intermediate_size");
}

/// Experts of gpt-oss: biases everywhere, and a sink for each head of attention.
inline void read_gpt_oss_experts(config_fields& fields, transformer& model) {
  read_mixtral_experts(fields, model);
  model.moe.router_bias = model.moe.expert_bias = model.attention.sinks = true;
}

/// Experts with a bias for each that evens out their load: it corrects the choice and is no part of the result.
inline void read_corrected_experts(config_fields& fields, transformer& model) {
  read_mixtral_experts(fields, model);
  model.moe.router_bias = true;
  if (fields.count_or("num_mtp_modules", 0) > 0) {
    fields.assume("num_mtp_modules", "0", "the class builds no module that predicts further tokens");
  }
}

/// Experts of Granite with shared ones beside them.
inline void read_shared_granite_experts(config_fields& fields, transformer& model) {
  read_mixtral_experts(fields, model);
  model.moe.shared_d_ff = fields.part("shared_intermediate_size");
}

/// Experts of DBRX, whose sizes are in parts of the configuration, as is the number of KV heads.
inline void read_dbrx_experts(config_fields& fields, transformer& model) {
  const json_object experts = fields.inside("ffn_config");
  model.moe.experts = experts.count("moe_num_experts");
  model.moe.top_k = experts.count("moe_top_k");
  model.moe.expert_d_ff = experts.count("ffn_hidden_size");
  model.attention.kv_heads = fields.inside("attn_config").count("kv_n_heads");
  check_dimension(fields.path("ffn_config.moe_num_experts"), model.moe.experts);
  check_dimension(fields.path("ffn_config.ffn_hidden_size"), model.moe.expert_d_ff);
}

/// A number of every layer, which some files state as a list with one entry for each.
inline std::int64_t count_of_every_layer(config_fields& fields, std::string_view field) {
  if (!fields.has(field) || !fields.object().at(field).is_array()) return fields.count(field);
  const nlohmann::json& entries = fields.object().at(field);
  bool same = !entries.empty() && entries[0].is_number_integer() && entries[0] >= 1 && entries[0] <= 16777216;
  for (const nlohmann::json& entry : entries) same = same && entry == entries[0];
  if (!same) fail(errc::unsupported, fields.path(field), "a list of different entries", "one number for all layers");
  return entries[0].get<std::int64_t>();
}

/// Experts of HunYuan: a dense MLP of the same width beside them.
inline void read_hunyuan_experts(config_fields& fields, transformer& model) {
  model.moe.experts = count_of_every_layer(fields, "num_experts");
  model.moe.top_k = count_of_every_layer(fields, "moe_topk");
  model.moe.shared_d_ff = model.moe.expert_d_ff = fields.count("intermediate_size");
  if (fields.has("num_shared_expert") && count_of_every_layer(fields, "num_shared_expert") != 1)
    fail(errc::unsupported, fields.path("num_shared_expert"), "another number", "1");
  if (!fields.has("moe_intermediate_size")) return;
  const std::int64_t width = count_of_every_layer(fields, "moe_intermediate_size");
  if (width != model.moe.expert_d_ff)
    fail(errc::unsupported, fields.path("moe_intermediate_size"), width, "intermediate_size");
}

/// Experts of Qwen: all layers but those of `mlp_only_layers` are mixtures.
inline void read_qwen_experts(config_fields& fields, transformer& model) {
  const std::int64_t step = fields.count("decoder_sparse_step");
  if (step != 1) fail(errc::unsupported, fields.path("decoder_sparse_step"), step, "1");
  model.moe.experts = fields.count("num_experts", "num_local_experts");
  model.moe.expert_d_ff = fields.count("moe_intermediate_size");
  const std::vector<std::int64_t> dense = fields.numbers_listed("mlp_only_layers", model.layers);
  model.moe.dense_layers = mark_sparse(fields, model, [&](std::int64_t i) { return !is_layer_of(dense, i); });
  if (!fields.default_of("shared_expert_intermediate_size")) return;
  model.moe.shared_d_ff = fields.part("shared_expert_intermediate_size");
  model.moe.shared_gate = true;
}

/// Dense layers among mixtures: "dense" in `mlp_layer_types`, or the first so many that a field says.
inline std::int64_t dense_layers_of(config_fields& fields, std::string_view first, const transformer& model) {
  if (!fields.has("mlp_layer_types")) {
    const std::int64_t dense = fields.part(first);
    check_part(fields.path(first), dense, model.layers, "0 to the number of layers");
    return dense;
  }
  const nlohmann::json types = fields.list("mlp_layer_types");
  for (const nlohmann::json& each : types) {
    if (each != "dense" && each != "sparse")
      fail(errc::unsupported, fields.path("mlp_layer_types"), shown_json(each), "dense, sparse");
  }
  const auto listed = static_cast<std::int64_t>(types.size());
  if (listed != model.layers)
    fail(errc::invalid_argument, fields.path("mlp_layer_types"), listed, "one entry for each of the layers");
  return mark_sparse(fields, model, [&](std::int64_t i) { return types[static_cast<std::size_t>(i)] == "sparse"; });
}

/// Experts beside shared ones of the same width, behind dense layers, with a bias for each that corrects the router.
inline void read_shared_experts(config_fields& fields, std::string_view first, transformer& model) {
  moe_spec& moe = model.moe;
  moe.experts = fields.count("num_experts", "num_local_experts");
  moe.expert_d_ff = fields.count("moe_intermediate_size");
  moe.shared_d_ff = checked_multiply(fields.part("num_shared_experts"), moe.expert_d_ff);
  check_part(fields.path("num_shared_experts") + " x moe_intermediate_size", moe.shared_d_ff, 16777216,
             "0 to 16777216");
  moe.dense_layers = dense_layers_of(fields, first, model);
  moe.router_bias = true;
}
/// Experts of EXAONE and Hunyuan 3.
inline void read_exaone_experts(config_fields& fields, transformer& model) {
  read_shared_experts(fields, "first_k_dense_replace", model);
}
/// Experts of AFM.
inline void read_afmoe_experts(config_fields& fields, transformer& model) {
  read_shared_experts(fields, "num_dense_layers", model);
}

/// Experts of Aria: in every layer, beside shared ones.
inline void read_aria_experts(config_fields& fields, transformer& model) {
  moe_spec& moe = model.moe;
  moe.experts = fields.count("moe_num_experts");
  moe.top_k = fields.count("moe_topk");
  moe.expert_d_ff = fields.count("intermediate_size");
  moe.shared_d_ff = checked_multiply(fields.part("moe_num_shared_experts"), moe.expert_d_ff);
  check_part(fields.path("moe_num_shared_experts") + " x intermediate_size", moe.shared_d_ff, 16777216,
             "0 to 16777216");
  if (fields.flag("mlp_bias")) add_weights(model, model.layers, 2 * moe.shared_d_ff + model.d_model);
}

/// Experts of DeepSeek: all layers from `first_k_dense_replace` on are mixtures. The next-token modules of V3 are no
/// part of its class and are not counted.
inline void read_deepseek_experts(config_fields& fields, transformer& model) {
  const std::int64_t frequency = fields.count("moe_layer_freq");
  if (frequency != 1) fail(errc::unsupported, fields.path("moe_layer_freq"), frequency, "1");
  model.moe.experts = fields.count("n_routed_experts", "num_local_experts");
  model.moe.expert_d_ff = fields.count("moe_intermediate_size");
  model.moe.shared_d_ff = checked_multiply(fields.part("n_shared_experts"), model.moe.expert_d_ff);
  check_part(fields.path("n_shared_experts") + " x moe_intermediate_size", model.moe.shared_d_ff, 16777216,
             "0 to 16777216");
  model.moe.dense_layers = dense_layers_of(fields, "first_k_dense_replace", model);
}

/// Experts of DeepSeek-V3: those of V2, each with a bias that corrects the router.
inline void read_deepseek_v3_experts(config_fields& fields, transformer& model) {
  read_deepseek_experts(fields, model);
  model.moe.router_bias = true;
}

/// Experts of ERNIE 4.5: in every `moe_layer_interval`-th layer from a first to a last one (-1: to the end).
inline void read_ernie_experts(config_fields& fields, transformer& model) {
  fields.refuse_true("use_bias");
  model.moe.experts = fields.count("moe_num_experts");
  model.moe.expert_d_ff = fields.count("moe_intermediate_size");
  model.moe.shared_d_ff = checked_multiply(fields.part("moe_num_shared_experts"), model.moe.expert_d_ff);
  check_part(fields.path("moe_num_shared_experts") + " x moe_intermediate_size", model.moe.shared_d_ff, 16777216,
             "0 to 16777216");
  model.moe.router_bias = true;
  const std::int64_t interval = fields.count("moe_layer_interval");
  const std::int64_t first = fields.part("moe_layer_start_index");
  const bool has_last = fields.has("moe_layer_end_index") && fields.object().at("moe_layer_end_index") != -1;
  const std::int64_t last = has_last ? fields.part("moe_layer_end_index") : model.layers - 1;
  const auto is_sparse = [&](std::int64_t i) { return (i + 1) % interval == 0 && i >= first && i <= last; };
  model.moe.dense_layers = mark_sparse(fields, model, is_sparse);
}

/// Experts of Llama 4: in every `interleave_moe_layer_step`-th layer, or in those of `moe_layers`, with one shared
/// expert of the same width; the dense layers have a width of their own.
inline void read_llama4_experts(config_fields& fields, transformer& model) {
  read_mixtral_experts(fields, model);
  model.moe.shared_d_ff = model.moe.expert_d_ff;
  const bool listed = fields.has("moe_layers");
  const std::vector<std::int64_t> sparse =
      listed ? fields.numbers_listed("moe_layers", model.layers) : std::vector<std::int64_t>{};
  const std::int64_t step = listed ? 1 : fields.count("interleave_moe_layer_step");
  model.moe.dense_layers =
      mark_sparse(fields, model, [&](std::int64_t i) { return listed ? is_layer_of(sparse, i) : (i + 1) % step == 0; });
  model.mlp.d_ff = fields.count("intermediate_size_mlp");
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
  moe.dense_layers = mark_sparse(fields, model, [&](std::int64_t i) { return sparse.count(i) > 0; });
}

/// A list with 0 or 1 for each layer: how many of them are 1.
inline std::int64_t ones_listed(const nlohmann::json& listed, const std::string& path, std::int64_t layers) {
  std::int64_t ones = 0;
  const bool usable = listed.is_array() && listed.size() == static_cast<std::size_t>(layers);
  if (!usable) fail(errc::invalid_argument, path, shown_json(listed), "0 or 1 for each of the layers");
  for (const nlohmann::json& each : listed) ones += each == 0 ? 0 : 1;
  return ones;
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
  else if (fields.has(field)) {
    const nlohmann::json& listed = fields.object().at(field);
    (void)ones_listed(listed, fields.path(field), model.layers);
    model.moe.dense_layers =
        mark_sparse(fields, model, [&](std::int64_t i) { return listed[static_cast<std::size_t>(i)] != 0; });
  }
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

/// Ling: experts beside shared ones. From the second generation on, which the class's name says, there are norms of
/// queries and keys and biases that correct the router.
inline void read_bailing_experts(config_fields& fields, transformer& model) {
  const bool second = fields.type() == "bailing_moe_v2" || class_of(fields).find("V2") != std::string::npos;
  read_shared_experts(fields, "first_k_dense_replace", model);
  model.moe.router_bias = fields.flag_or("moe_router_enable_expert_bias", second);
  model.attention.qk_norm = fields.flag_or("use_qk_norm", second);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
