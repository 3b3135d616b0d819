#ifndef TPUPLAN_IO_HF_ZAMBA_HPP
#define TPUPLAN_IO_HF_ZAMBA_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/integer.hpp>
#include <tpuplan/io/hf/fields.hpp>
#include <tpuplan/io/hf/hybrids.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// Zamba: every layer is a Mamba layer. Before some of them comes a block of attention and MLP, and the few such blocks
/// share their weights between many places. A block reads the embeddings next to the current activations, hence twice
/// the width. Shapes are from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The layers that have a block before them, from the list in the file or from the defaults of the class.
inline std::int64_t zamba_blocks(config_fields& fields, const transformer& model) {
  if (fields.has("layers_block_type")) {
    std::int64_t mamba = 0, hybrid = 0;
    count_kinds(fields, "layers_block_type", fields.object().at("layers_block_type"), model.layers,
                {{{"mamba", "linear_attention"}, &mamba}, {{"hybrid"}, &hybrid}});
    return hybrid;
  }
  if (fields.has("hybrid_layer_ids")) return fields.layers_listed("hybrid_layer_ids", model.layers);
  if (fields.default_of("attn_layer_period") == nullptr) fields.fail_missing("layers_block_type");
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

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
