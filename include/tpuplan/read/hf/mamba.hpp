#ifndef TPUPLAN_READ_HF_MAMBA_HPP
#define TPUPLAN_READ_HF_MAMBA_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/experts.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/hybrids.hpp>
#include <tpuplan/read/hf/layer_places.hpp>
#include <vector>

/// @file
/// State-space layers of Hugging Face configurations, Mamba 1 and 2: alone, or beside layers of attention. Shapes are
/// from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The rank of the time steps of Mamba: a number, or "auto", a sixteenth of the width of the model.
inline std::int64_t step_rank(config_fields& fields, std::string_view field, const transformer& model) {
  if (fields.has(field) && fields.object().at(field).is_number()) return fields.count(field);
  const std::string given = fields.string(field);
  if (given != "auto") fail(errc::malformed_input, fields.path(field), given, "a number or auto");
  return ceil_div(model.d_model, 16);
}

/// Mamba and Falcon-Mamba: every layer is a mixer and nothing else.
inline void read_mamba(config_fields& fields, transformer& model) {
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::mamba;
  r.layers = model.mlp.absent = model.layers;
  r.width = r.heads = fields.has("intermediate_size") ? fields.count("intermediate_size")
                                                      : checked_multiply(fields.count("expand"), model.d_model);
  r.key_dim = fields.count("state_size");
  r.kernel = fields.count("conv_kernel");
  r.rank = step_rank(fields, "time_step_rank", model);
  r.convolution_bias = fields.flag("use_conv_bias");
  r.projection_bias = fields.flag("use_bias");
  stand_in_heads(model);
}

/// The width of the heads of Mamba 2, which has to be that of the layer.
inline void check_heads_fill(config_fields& fields, std::string_view field, std::int64_t head_dim,
                             const recurrent_spec& r) {
  if (checked_multiply(head_dim, r.heads) != r.width) {
    fail(errc::invalid_argument, fields.path(field), head_dim,
         "the inner width, " + std::to_string(r.width) + ", over the number of heads, " + std::to_string(r.heads));
  }
}

/// Mamba 2.
inline void read_mamba2(config_fields& fields, transformer& model) {
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::mamba2;
  r.layers = model.mlp.absent = model.layers;
  r.width = checked_multiply(fields.count("expand"), model.d_model);
  r.heads = fields.count("num_heads");
  check_heads_fill(fields, "head_dim", fields.count("head_dim"), r);
  r.key_heads = fields.count("n_groups");
  r.key_dim = fields.count("state_size");
  r.kernel = fields.count("conv_kernel");
  r.convolution_bias = fields.flag("use_conv_bias");
  r.projection_bias = fields.flag("use_bias");
  r.inner_norm = true;
  stand_in_heads(model);
}

/// What hybrids with Mamba state about it, under the names that most of them share.
inline void read_mixer(config_fields& fields, std::int64_t layers, transformer& model) {
  recurrent_spec& r = model.recurrent;
  r.layers = layers;
  r.width = checked_multiply(fields.count("mamba_expand"), model.d_model);
  r.key_dim = fields.count("mamba_d_state");
  r.kernel = fields.count("mamba_d_conv");
  r.convolution_bias = fields.flag("mamba_conv_bias");
  r.projection_bias = fields.flag("mamba_proj_bias");
  r.inner_norm = true;
}

/// The layers of Mamba 2, whose state is kept by head.
inline void read_mixer2(config_fields& fields, std::int64_t layers, transformer& model) {
  read_mixer(fields, layers, model);
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::mamba2;
  if (fields.default_of("mamba_d_ssm") && !fields.is_null("mamba_d_ssm")) r.width = fields.count("mamba_d_ssm");
  r.heads = fields.count("mamba_n_heads");
  r.key_heads = fields.count("mamba_n_groups");
  if (fields.has("mamba_d_head") && fields.object().at("mamba_d_head").is_number())
    check_heads_fill(fields, "mamba_d_head", fields.count("mamba_d_head"), r);
}

/// Jamba: attention in every `attn_layer_period`-th layer, Mamba in the others.
inline void read_jamba(config_fields& fields, transformer& model) {
  const std::int64_t period = fields.count("attn_layer_period"), offset = fields.part("attn_layer_offset");
  const std::int64_t mamba =
      mark_recurrent(fields, model, [&](std::int64_t i) { return i < offset || (i - offset) % period != 0; });
  model.recurrent.kind = recurrence::mamba;
  read_mixer(fields, mamba, model);
  model.recurrent.heads = model.recurrent.width;
  model.recurrent.rank = step_rank(fields, "mamba_dt_rank", model);
}

/// Experts of Jamba: in every `expert_layer_period`-th layer, unless there is one expert, which is a dense MLP.
inline void read_jamba_experts(config_fields& fields, transformer& model) {
  const std::int64_t experts = fields.count("num_experts", "num_local_experts");
  const std::int64_t offset = fields.part("expert_layer_offset"), period = fields.count("expert_layer_period");
  const std::int64_t sparse = layers_at(model.layers, period, offset);
  if (experts == 1 || sparse == 0) return;
  mark_sparse(fields, model, [&](std::int64_t i) { return i >= offset && (i - offset) % period == 0; });
  model.moe.experts = experts;
  model.moe.expert_d_ff = fields.count("intermediate_size");
  model.moe.dense_layers = model.layers - sparse;
}

/// Bamba: attention in the layers of a list, Mamba 2 in the others.
inline void read_bamba(config_fields& fields, transformer& model) {
  const std::vector<std::int64_t> attending = fields.numbers_listed("attn_layer_indices", model.layers);
  const auto is_mamba = [&](std::int64_t i) { return !is_layer_of(attending, i); };
  read_mixer2(fields, mark_recurrent(fields, model, is_mamba), model);
}

/// Falcon-H1: attention and Mamba 2 side by side in every layer.
inline void read_falcon_h1(config_fields& fields, transformer& model) {
  read_mixer2(fields, model.layers, model);
  model.recurrent.beside_attention = true;
  model.recurrent.inner_norm = fields.flag("mamba_rms_norm");
  for (const std::string_view field : {"mamba_proj_bias", "projectors_bias"}) fields.refuse_true(field);
}

/// Granite 4: `layer_types` says which layers are Mamba 2; without it all are.
inline void read_granite_hybrid(config_fields& fields, transformer& model) {
  const std::string_view field = fields.has("layers_block_type") ? "layers_block_type" : "layer_types";
  if (!fields.has(field)) fields.assume("layer_types", "mamba", "class default: every layer");
  std::int64_t mamba = 0, attention = 0;
  if (fields.has(field))
    count_kinds(fields, field, fields.object().at(field), model.layers,
                {{{"mamba", "linear_attention"}, &mamba}, {{"full_attention", "attention"}, &attention}});
  else
    mamba = model.layers;
  if (fields.has(field)) {
    const nlohmann::json& listed = fields.object().at(field);
    const auto is_mamba = [&](std::int64_t i) {
      const nlohmann::json& kind = listed[static_cast<std::size_t>(i)];
      return kind == "mamba" || kind == "linear_attention";
    };
    (void)mark_recurrent(fields, model, is_mamba);
  }
  read_mixer2(fields, mamba, model);
}

/// Experts of Granite 4 beside a shared one; with none of them the shared one is a dense MLP.
inline void read_granite_hybrid_experts(config_fields& fields, transformer& model) {
  if (fields.part("num_local_experts") > 0) return read_shared_granite_experts(fields, model);
  model.mlp.d_ff = fields.count("shared_intermediate_size");
}

/// PLaMo 2: Mamba 2 whose keys, values and steps are products of its inner width, with norms, beside attention in every
/// `mamba_step`-th layer, which has a window unless the file names it.
inline void read_plamo2(config_fields& fields, transformer& model) {
  if (!fields.flag_or("mamba_enabled", true)) fail(errc::unsupported, fields.path("mamba_enabled"), "false", "true");
  const std::int64_t step = fields.count("mamba_step"), half = step / 2, d = model.d_model, last = model.layers - 1;
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::mamba2;
  r.layers = mark_recurrent(fields, model,
                            [&](std::int64_t i) { return model.layers <= half ? i != last : i % step != half; });
  r.heads = fields.count("mamba_num_heads");
  r.width = checked_multiply(r.heads, model.attention.head_dim);
  r.key_dim = fields.count("mamba_d_state");
  r.kernel = fields.count("mamba_d_conv");
  const std::int64_t rank = std::max<std::int64_t>(64, d / 16), both = 2 * r.key_dim;
  const std::int64_t inner = checked_add(checked_multiply(r.width, rank + both), rank * r.heads);
  model.other_products = checked_multiply(r.layers, inner - d * (both + r.heads));
  if (model.other_products < 0)
    fail(errc::unsupported, fields.path("mamba_num_heads"), r.heads, "heads at least as wide as the model together");
  model.other_weights = checked_multiply(r.layers, rank + both - both * r.kernel);
  attention_spec& a = model.attention;
  a.window = fields.has("attention_window_size") ? fields.tokens("attention_window_size") : 0;
  const std::int64_t full =
      fields.has("full_attention_idx") ? fields.layers_listed("full_attention_idx", model.layers) : 0;
  if (a.window > 0) a.local_layers = std::max<std::int64_t>(0, attention_layers(model) - full);
  if (a.local_layers == 0) a.window = 0;
}

/// Nemotron-H: each layer is one of Mamba 2 (M), attention (*), an MLP (-) or experts (E).
inline void read_nemotron_h(config_fields& fields, transformer& model) {
  nlohmann::json listed = nlohmann::json::array();
  std::string_view field = "hybrid_override_pattern";
  if (fields.has(field)) {
    for (const char letter : fields.string(field)) listed.push_back(std::string(1, letter));
  } else {
    field = fields.has("layers_block_type") ? "layers_block_type" : "layer_types";
    if (!fields.has(field)) fields.fail_missing("hybrid_override_pattern");
    listed = fields.object().at(field);
  }
  if (!fields.has("num_hidden_layers") && listed.is_array() && !listed.empty()) {
    model.layers = static_cast<std::int64_t>(listed.size());
    for (assumption& each : fields.record().assumed)
      if (each.field == fields.prefix() + "num_hidden_layers")
        each = {each.field, std::to_string(model.layers), "as many as " + std::string(field) + " lists"};
  }
  std::int64_t mamba = 0, attention = 0, dense = 0, experts = 0;
  count_kinds(fields, field, listed, model.layers,
              {{{"M", "mamba", "linear_attention"}, &mamba},
               {{"*", "attention", "full_attention"}, &attention},
               {{"-", "mlp"}, &dense},
               {{"E", "moe"}, &experts}});
  const auto is_any_of = [&](std::initializer_list<std::string_view> names) {
    return [&listed, names](std::int64_t i) {
      const nlohmann::json& kind = listed[static_cast<std::size_t>(i)];
      return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return kind == name; });
    };
  };
  layer_places& places = fields.record().places;
  places.recurrent = layers_where(model.layers, is_any_of({"M", "mamba", "linear_attention"}));
  places.attending = layers_where(model.layers, is_any_of({"*", "attention", "full_attention"}));
  places.dense = layers_where(model.layers, is_any_of({"-", "mlp"}));
  places.sparse = layers_where(model.layers, is_any_of({"E", "moe"}));
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::mamba2;
  r.layers = mamba;
  r.idle_layers = dense + experts;
  model.mlp.absent = mamba + attention;
  model.moe.dense_layers = model.layers - experts;
  r.heads = fields.count("mamba_num_heads");
  r.width = checked_multiply(r.heads, fields.count("mamba_head_dim"));
  r.key_heads = fields.count("n_groups");
  r.key_dim = fields.count("ssm_state_size");
  r.kernel = fields.count("conv_kernel");
  r.convolution_bias = fields.flag("use_conv_bias");
  r.projection_bias = fields.flag("use_bias");
  r.inner_norm = true;
}

/// Experts of Nemotron 3: two matrices each, shared ones of a width of their own, biases that correct the router.
inline void read_nemotron_experts(config_fields& fields, transformer& model) {
  const std::int64_t without = model.moe.dense_layers;
  if (without == model.layers) {
    model.moe.dense_layers = 0;
    return;
  }
  model.moe.experts = fields.count("n_routed_experts");
  model.moe.expert_d_ff = fields.count("moe_intermediate_size");
  model.moe.shared_d_ff = fields.part("n_shared_experts") > 0 ? fields.part("moe_shared_expert_intermediate_size") : 0;
  model.moe.router_bias = true;
  read_latent_experts(fields, "moe_latent_size", false, model);
  if (!model.mlp.bias) return;  // of the shared expert and of the projections, not of the routed ones
  const std::int64_t d = model.d_model, shared = model.moe.shared_d_ff, width = fields.count_or("moe_latent_size", 0);
  add_weights(model, moe_layers(model), (shared > 0 ? shared + d : 0) + (width > 0 ? width + d : 0));
}

/// Zamba: every layer is a Mamba layer. Before some of them comes a block of attention and MLP, and the few such blocks
/// share their weights between many places. A block reads the embeddings next to the current activations, hence twice
/// the width. This counts the layers that have a block before them, from the list in the file or from the defaults of
/// the class.
inline std::int64_t zamba_blocks(config_fields& fields, const transformer& model) {
  if (fields.has("layers_block_type")) {
    std::int64_t mamba = 0, hybrid = 0;
    count_kinds(fields, "layers_block_type", fields.object().at("layers_block_type"), model.layers,
                {{{"mamba", "linear_attention"}, &mamba}, {{"hybrid"}, &hybrid}});
    return hybrid;
  }
  if (fields.has("hybrid_layer_ids")) return fields.layers_listed("hybrid_layer_ids", model.layers);
  if (!fields.default_of("attn_layer_period")) fields.fail_missing("layers_block_type");
  const std::int64_t period = fields.count("attn_layer_period"), offset = fields.part("attn_layer_offset");
  return 1 + (model.layers > 3 ? layers_at(model.layers - 3, period, offset) : 0);
}

/// The shape that Zamba and Zamba 2 share: `blocks` blocks before as many layers, counted as separate layers, with
/// `sets` different sets of weights.
inline void read_zamba_blocks(config_fields& fields, std::int64_t blocks, std::int64_t sets, transformer& model) {
  const std::int64_t d = model.d_model, mamba = model.layers;
  if (blocks < 1 || sets > blocks)
    fail(errc::out_of_range, fields.path("layers_block_type"), blocks, "1 or more hybrid");
  attention_spec& a = model.attention;
  model.layers = checked_add(mamba, blocks);
  model.mlp.absent = mamba;
  model.mlp.d_ff = fields.is_null("intermediate_size") ? checked_multiply(4, d) : fields.count("intermediate_size");
  const std::int64_t width = checked_multiply(a.head_dim, a.heads + 2 * a.kv_heads);
  const std::int64_t attention = checked_add(checked_multiply(2 * d, width), checked_multiply(a.heads, a.head_dim, d));
  const std::int64_t block = checked_add(attention, mlp_matrices(model, model.mlp.d_ff));
  // The wider inputs of attention, and a matrix after each block.
  model.other_products = checked_multiply(blocks, checked_add(checked_multiply(d, width), checked_multiply(d, d)));
  // Each set has norms of three widths, one of which is counted with the layers; repeated blocks have no weights.
  model.other_weights = 3 * d * sets - d * blocks - checked_multiply(blocks - sets, block);
  fields.assume("layers_block_type", std::to_string(blocks) + " of " + std::to_string(mamba) + " hybrid",
                "blocks with shared weights, which are counted once; they count as layers of their own");
}

inline void read_zamba(config_fields& fields, transformer& model) {
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::mamba;
  read_mixer(fields, model.layers, model);
  r.heads = r.width;
  r.inner_norm = false;
  r.rank = step_rank(fields, "mamba_dt_rank", model);
  read_zamba_blocks(fields, zamba_blocks(fields, model), 1, model);
}

/// Zamba 2: Mamba 2, `num_mem_blocks` sets of weights, and low-rank adapters of their own for each use of a block.
inline void read_zamba2(config_fields& fields, transformer& model) {
  fields.refuse_true("add_bias_linear");
  recurrent_spec& r = model.recurrent;
  r.kind = recurrence::mamba2;
  r.layers = model.layers;
  r.width = checked_multiply(fields.count("mamba_expand"), model.d_model);
  r.heads = fields.count("n_mamba_heads");
  r.key_heads = fields.count("mamba_ngroups");
  r.key_dim = fields.count("mamba_d_state", "state_size");
  r.kernel = fields.count("mamba_d_conv", "conv_kernel");
  r.convolution_bias = fields.flag("use_conv_bias");
  r.inner_norm = true;
  const std::int64_t blocks = zamba_blocks(fields, model), d = model.d_model;
  read_zamba_blocks(fields, blocks, fields.count("num_mem_blocks"), model);
  const std::int64_t rank = fields.count("adapter_rank", "lora_rank");
  std::int64_t each = checked_multiply(rank, d + 2 * model.mlp.d_ff);
  if (fields.flag("use_shared_attention_adapter")) each = checked_add(each, checked_multiply(3 * rank, 4 * d));
  model.other_products = checked_add(model.other_products, checked_multiply(blocks, each));
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
