#ifndef TPUPLAN_MODEL_PARAMETERS_HPP
#define TPUPLAN_MODEL_PARAMETERS_HPP

#include <cstdint>
#include <tpuplan/model/transformer.hpp>

/// @file
/// How many parameters a model has, part by part, to the last weight.

namespace tpuplan {
inline namespace abi_0 {

/// Parameters by part; the parts add up to `total`.
struct parameter_count {
  std::int64_t embedding = 0;  ///< token table, learned positions, token types
  std::int64_t attention = 0;  ///< projections with biases, norms on queries and keys, sinks, relative tables
  std::int64_t mlp = 0;        ///< dense MLPs, shared experts included
  std::int64_t experts = 0;    ///< routed experts, all of them
  std::int64_t router = 0;     ///< of the mixture of experts
  std::int64_t norms = 0;      ///< of the layers, and the last one
  std::int64_t lm_head = 0;    ///< 0 where it is tied to the token table
  std::int64_t vision = 0;     ///< the vision tower
  std::int64_t projector = 0;  ///< from the tower to the text
  std::int64_t head = 0;       ///< pooler or classifier
  std::int64_t total = 0;      ///< every weight once
  std::int64_t active = 0;     ///< that one token passes through: total less the experts it is not routed to
  std::int64_t matrices = 0;   ///< active, in matrix products of one token: no input look-up, norms or biases
};

namespace detail {

/// Weights of the query, key and value projections of one layer, without biases.
struct projection_weights {
  std::int64_t qkv = 0;
  std::int64_t output = 0;
  std::int64_t extra = 0;  ///< biases, norms on queries and keys, sinks
};

constexpr projection_weights latent_projections(const transformer& m) {
  const latent_attention_spec& a = m.attention.latent;
  const std::int64_t d = m.d_model;
  const std::int64_t heads = m.attention.heads;
  const std::int64_t qk = a.qk_nope_head_dim + a.qk_rope_head_dim;
  const std::int64_t queries =
      a.q_lora_rank > 0 ? checked_add(checked_multiply(d, a.q_lora_rank), checked_multiply(a.q_lora_rank, heads, qk))
                        : checked_multiply(d, heads, qk);
  const std::int64_t keys = checked_add(checked_multiply(d, a.kv_lora_rank + a.qk_rope_head_dim),
                                        checked_multiply(a.kv_lora_rank, heads, a.qk_nope_head_dim + a.v_head_dim));
  return {checked_add(queries, keys), checked_multiply(heads, a.v_head_dim, d), a.q_lora_rank + a.kv_lora_rank};
}

/// One layer with the given head size and KV heads; `kv_matrices` is 2, 1 where keys and values share one, 0 where they
/// come from another layer.
constexpr projection_weights head_projections(const transformer& m, std::int64_t head_dim, std::int64_t kv_heads,
                                              std::int64_t kv_matrices) {
  const attention_spec& a = m.attention;
  const std::int64_t width = checked_multiply(head_dim, a.heads + kv_matrices * kv_heads);
  std::int64_t extra = (a.qkv_bias ? width : 0) + (a.output_bias ? m.d_model : 0) + (a.sinks ? a.heads : 0);
  if (a.qk_norm) extra += (kv_matrices > 0 ? 2 : 1) * head_dim;
  return {checked_multiply(m.d_model, width), checked_multiply(a.heads, head_dim, m.d_model), extra};
}

/// Self-attention weights of all layers of the decoder (or of the only stack).
constexpr projection_weights stack_projections(const transformer& m) {
  const attention_spec& a = m.attention;
  const auto times = [](projection_weights one, std::int64_t layers) {
    return projection_weights{checked_multiply(one.qkv, layers), checked_multiply(one.output, layers),
                              checked_multiply(one.extra, layers)};
  };
  const auto plus = [](projection_weights x, projection_weights y) {
    return projection_weights{checked_add(x.qkv, y.qkv), checked_add(x.output, y.output),
                              checked_add(x.extra, y.extra)};
  };
  if (has_latent_attention(m)) return times(latent_projections(m), m.layers);
  const projection_weights usual = head_projections(m, a.head_dim, a.kv_heads, 2);
  const projection_weights reading = head_projections(m, a.head_dim, a.kv_heads, 0);
  const bool wide = a.global_head_dim > 0 || a.global_kv_heads > 0 || a.global_kv_shared;
  const std::int64_t global_layers = wide ? m.layers - a.local_layers : 0;
  const projection_weights global =
      head_projections(m, a.global_head_dim > 0 ? a.global_head_dim : a.head_dim,
                       a.global_kv_heads > 0 ? a.global_kv_heads : a.kv_heads, a.global_kv_shared ? 1 : 2);
  projection_weights sum = plus(times(usual, m.layers - global_layers), times(global, global_layers));
  if (a.kv_shared_layers > 0) {
    sum.qkv -= checked_multiply(usual.qkv - reading.qkv, a.kv_shared_layers);
    sum.extra -= checked_multiply(usual.extra - reading.extra, a.kv_shared_layers);
  }
  return sum;
}

/// Weights of an MLP of that width, in its matrices and in its biases.
constexpr std::int64_t mlp_matrices(const transformer& m, std::int64_t d_ff) {
  return checked_multiply(m.mlp.gated ? 3 : 2, m.d_model, d_ff);
}
constexpr std::int64_t mlp_biases(const transformer& m, std::int64_t d_ff, bool bias) {
  return bias ? (m.mlp.gated ? 2 : 1) * d_ff + m.d_model : 0;
}

/// Dense MLP matrices of all layers: dense layers, shared experts, and dense MLPs beside experts.
constexpr std::int64_t dense_mlp_matrices(const transformer& m) {
  const std::int64_t experts = moe_layers(m);
  const std::int64_t dense = m.layers - experts;
  std::int64_t width = checked_multiply(dense, m.mlp.d_ff);
  if (m.mlp.double_wide_in_shared) width += checked_multiply(m.attention.kv_shared_layers, m.mlp.d_ff);
  width = checked_add(width, checked_multiply(experts, m.moe.shared_d_ff + m.moe.parallel_dense_d_ff));
  return mlp_matrices(m, width);
}

/// A stack of encoder layers with the sizes of the decoder, or one set of cross-attention projections.
constexpr void count_encoder(const transformer& m, parameter_count& count, std::int64_t norm) {
  const projection_weights one = head_projections(m, m.attention.head_dim, m.attention.kv_heads, 2);
  const std::int64_t attention = checked_add(one.qkv, one.output);
  const std::int64_t attention_layers = checked_add(m.encoder_layers, m.layers);  // encoder, and cross in the decoder
  count.attention = checked_add(count.attention, checked_multiply(attention + one.extra, attention_layers));
  count.matrices = checked_add(count.matrices, checked_multiply(attention, attention_layers));
  const std::int64_t mlp = checked_multiply(mlp_matrices(m, m.mlp.d_ff), m.encoder_layers);
  count.mlp = checked_add(count.mlp, checked_add(mlp, mlp_biases(m, m.mlp.d_ff, m.mlp.bias) * m.encoder_layers));
  count.matrices = checked_add(count.matrices, mlp);
  count.norms += checked_multiply(norm, 2 * m.encoder_layers + m.layers + 1);  // one more per decoder layer, one final
}

constexpr void count_text(const transformer& m, parameter_count& count) {
  const std::int64_t d = m.d_model;
  const std::int64_t norm = d * (m.norm_bias ? 2 : 1);
  count.embedding = checked_multiply(
      d, checked_add(checked_add(m.vocab, m.extra_input_rows), checked_add(m.learned_positions, m.token_types)));
  count.lm_head = m.tied_embeddings || m.kind == architecture::encoder ? 0 : checked_multiply(d, m.vocab);
  const projection_weights attention = stack_projections(m);
  const std::int64_t stacks = m.kind == architecture::encoder_decoder ? 2 : 1;
  count.attention = checked_add(checked_add(attention.qkv, attention.output), attention.extra);
  count.attention += stacks * m.attention.relative_buckets * m.attention.heads;
  const std::int64_t dense = dense_mlp_matrices(m);
  count.mlp = checked_add(dense, (m.layers - moe_layers(m)) * mlp_biases(m, m.mlp.d_ff, m.mlp.bias));
  if (has_experts(m)) {
    const std::int64_t expert =
        checked_add(mlp_matrices(m, m.moe.expert_d_ff), mlp_biases(m, m.moe.expert_d_ff, m.moe.expert_bias));
    count.experts = checked_multiply(expert, m.moe.experts, moe_layers(m));
    count.router =
        checked_multiply(moe_layers(m), checked_multiply(d, router_width(m)) + (m.moe.router_bias ? m.moe.experts : 0));
  }
  count.norms = checked_multiply(
      norm, checked_multiply(m.norms_per_layer, m.layers) + (m.embedding_norm ? 1 : 0) + (m.final_norm ? 1 : 0));
  const std::int64_t routed = checked_multiply(mlp_matrices(m, m.moe.expert_d_ff), m.moe.top_k, moe_layers(m));
  const std::int64_t routers = checked_multiply(d, router_width(m), moe_layers(m));
  count.matrices =
      checked_add(checked_add(attention.qkv, attention.output), checked_add(dense, checked_add(routed, routers)));
  if (m.kind != architecture::encoder) count.matrices = checked_add(count.matrices, checked_multiply(d, m.vocab));
  if (m.kind == architecture::encoder_decoder) count_encoder(m, count, norm);
  // Layers that attend to an image: norms on queries and keys, and two gates, beside the usual projections.
  count.attention += m.attention.cross_layers * (2 * m.attention.head_dim + 2);
  if (m.pooler) count.head = checked_multiply(d, d) + d;
}

}  // namespace detail

/// The parameters of a model, by part. Exact for the shapes it can describe. Where `published_parameters` is set,
/// `total` is that figure and the parts are those of the shape. Worked: llama-3-8b has 8030261248, of which 525336576
/// in each of token table and output head.
[[nodiscard]] constexpr parameter_count parameters(const transformer& m) {
  validate(m);
  parameter_count count;
  if (has_text(m)) detail::count_text(m, count);
  if (has_vision(m)) {
    count.vision = vision_parameters(m.vision);
    count.projector = projector_parameters(m.vision);
    if (m.classes > 0) count.head = checked_multiply(m.vision.d_model + 1, m.classes);
  }
  for (const std::int64_t part : {count.embedding, count.attention, count.mlp, count.experts, count.router, count.norms,
                                  count.lm_head, count.vision, count.projector, count.head}) {
    count.total = checked_add(count.total, part);
  }
  count.active = count.total;
  if (has_experts(m)) count.active -= count.experts / m.moe.experts * (m.moe.experts - m.moe.top_k);
  if (m.published_parameters > 0) count.total = m.published_parameters;
  if (m.published_active_parameters > 0) count.matrices = m.published_active_parameters;
  return count;
}

/// Which linear layers carry LoRA adapters.
struct lora_targets {
  /// @{
  /// The linear layers of attention and MLP, by their usual names.
  bool q = false, k = false, v = false, o = false, gate = false, up = false, down = false;
  /// @}
};

/// Trainable parameters of LoRA adapters of that rank: rank x (inputs + outputs) per adapted matrix and layer.
/// Worked: rank 8 on q and v of llama-2-7b is 4194304. Source: PEFT print_trainable_parameters.
[[nodiscard]] constexpr std::int64_t lora_parameters(const transformer& m, std::int64_t rank, const lora_targets& on) {
  validate(m);
  detail::positive_count("rank", rank);
  if (has_experts(m) || has_latent_attention(m)) {
    detail::fail(errc::unsupported, "LoRA on experts or latent attention", "asked for", "a dense model");
  }
  const std::int64_t d = m.d_model;
  const std::int64_t q = m.attention.heads * m.attention.head_dim;
  const std::int64_t kv = m.attention.kv_heads * m.attention.head_dim;
  std::int64_t widths = 0;
  if (on.q) widths += d + q;
  if (on.k) widths += d + kv;
  if (on.v) widths += d + kv;
  if (on.o) widths += q + d;
  if (on.gate && m.mlp.gated) widths += d + m.mlp.d_ff;
  if (on.up) widths += d + m.mlp.d_ff;
  if (on.down) widths += d + m.mlp.d_ff;
  return checked_multiply(rank, widths, m.layers);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
