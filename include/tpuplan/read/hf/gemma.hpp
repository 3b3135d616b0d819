#ifndef TPUPLAN_READ_HF_GEMMA_HPP
#define TPUPLAN_READ_HF_GEMMA_HPP

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/experts.hpp>
#include <tpuplan/read/hf/fields.hpp>

/// @file
/// What Gemma 3n and Gemma 4 have beside the layers of Gemma 3: embeddings for each layer, layers that read the keys
/// and values of others, parallel residual streams. Shapes from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Embeddings for each layer: a table as wide as all layers together and a projection of the same width, then a gate, a
/// projection back and a norm in each layer. None where `hidden_size_per_layer_input` is 0.
inline void read_layer_embeddings(config_fields& fields, transformer& model) {
  const std::int64_t each = fields.part("hidden_size_per_layer_input");
  if (each == 0) return;
  const std::int64_t d = model.d_model, all = checked_multiply(model.layers, each);
  check_dimension(fields.path("hidden_size_per_layer_input") + " x layers", all);
  model.other_products = checked_add(model.other_products, checked_multiply(3 * d, all));
  const std::int64_t table = checked_multiply(fields.count("vocab_size_per_layer_input"), all);
  model.other_weights =
      checked_add(model.other_weights, checked_add(table, checked_add(each, checked_multiply(model.layers, d))));
}

/// The last `num_kv_shared_layers` layers have no keys and values of their own.
inline void read_shared_keys(config_fields& fields, transformer& model) {
  model.attention.kv_shared_layers = fields.part("num_kv_shared_layers");
  check_part(fields.path("num_kv_shared_layers"), model.attention.kv_shared_layers, model.layers - 1,
             "0 to one less than the number of layers");
}

/// Gemma 3n states the width of its MLP for each layer; they have to be equal.
inline void read_gemma3n_mlp(config_fields& fields, transformer& model) {
  model.mlp.d_ff = count_of_every_layer(fields, "intermediate_size");
}

/// Gemma 3n: `altup_num_inputs` parallel residual streams, of which one passes through a layer and corrects the others,
/// and a low-rank path beside attention.
inline void read_gemma3n(config_fields& fields, transformer& model) {
  read_layer_embeddings(fields, model);
  read_shared_keys(fields, model);
  const std::int64_t d = model.d_model, streams = fields.count("altup_num_inputs"), rank = fields.count("laurel_rank");
  check_part(fields.path("altup_num_inputs"), streams, 64, "1 to 64");
  const std::int64_t mixing = streams * d + streams * streams * (streams + 1);
  const std::int64_t layer = checked_add(mixing, checked_multiply(2 * rank, d));
  const std::int64_t ends = checked_multiply(2 * (streams - 1) * d, d);
  model.other_products = checked_add(model.other_products, checked_add(checked_multiply(model.layers, layer), ends));
  // The scale of the correction, and the norms of the router and of the low-rank path.
  model.other_weights = checked_add(model.other_weights, checked_multiply(model.layers, 3 * d));
}

/// Experts of Gemma 4 beside the dense MLP, with three more norms, a scale for each expert and one for each channel in
/// front of the router.
inline void read_gemma4_experts(config_fields& fields, transformer& model) {
  if (!fields.flag("enable_moe_block")) return;
  moe_spec& moe = model.moe;
  moe.experts = fields.count("num_experts");
  moe.top_k = fields.count("top_k_experts");
  moe.expert_d_ff = fields.count("moe_intermediate_size");
  moe.parallel_dense_d_ff = fields.count("intermediate_size");
  moe.router_bias = true;
  model.norms_per_layer += 4;
}

/// How many of the layers from `first` on have a window in Gemma 4, by `layer_types` or by the pattern of its class,
/// which makes the last layer attend to everything.
inline std::int64_t gemma4_local_layers(config_fields& fields, std::int64_t first, std::int64_t layers) {
  constexpr std::string_view field = "layer_types";
  const bool stated = fields.has(field);
  const std::int64_t every = stated ? 0 : fields.count("sliding_window_pattern");
  const nlohmann::json types = stated ? fields.list(field) : nlohmann::json::array();
  std::int64_t local = 0;
  for (std::int64_t i = first; i + 1 < layers; ++i)
    local += stated ? types[static_cast<std::size_t>(i)] == "sliding_attention" : (i + 1) % every != 0;
  return local;
}

/// Gemma 4 Unified, and the attention of Gemma 4: layers that attend to everything have heads of another width, and
/// with `attention_k_eq_v` one matrix for keys and values. Each layer has a scale, which its class keeps as a buffer.
inline void read_gemma4_unified(config_fields& fields, transformer& model) {
  attention_spec& attention = model.attention;
  read_shared_keys(fields, model);
  if (attention.window > 0) attention.local_layers = gemma4_local_layers(fields, 0, model.layers);
  if (attention.local_layers == 0) attention.window = 0;
  const std::int64_t readers = attention.kv_shared_layers;
  if (readers > 0 && attention.window > 0 &&
      gemma4_local_layers(fields, model.layers - readers, model.layers) != local_shared_layers(model))
    fail(errc::unsupported, fields.path("num_kv_shared_layers"), readers,
         "so many that as large a share of them has a window as of all layers");
  attention.global_head_dim = fields.count("global_head_dim");
  attention.global_kv_shared = fields.flag("attention_k_eq_v");
  if (attention.global_kv_shared) attention.global_kv_heads = fields.count_or_none("num_global_key_value_heads");
  model.mlp.double_wide_in_shared = fields.flag("use_double_wide_mlp");
  model.other_weights = checked_add(model.other_weights, model.layers);
}

/// Gemma 4: that of Gemma 4 Unified with embeddings for each layer.
inline void read_gemma4(config_fields& fields, transformer& model) {
  read_layer_embeddings(fields, model);
  read_gemma4_unified(fields, model);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
