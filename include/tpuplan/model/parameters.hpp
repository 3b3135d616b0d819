#ifndef TPUPLAN_MODEL_PARAMETERS_HPP
#define TPUPLAN_MODEL_PARAMETERS_HPP

#include <cstdint>
#include <tpuplan/model/transformer.hpp>

/// @file
/// The exact number of parameters of a model, part by part.

namespace tpuplan {
inline namespace abi_0 {

/// Parameters by part; the parts add up to `total`.
struct parameter_count {
  std::int64_t embedding = 0;   ///< token table, learned positions, token types
  std::int64_t attention = 0;   ///< projections with biases, norms on queries and keys, sinks, relative tables
  std::int64_t recurrent = 0;   ///< recurrent layers, all but their MLPs
  std::int64_t mlp = 0;         ///< dense MLPs, shared experts included
  std::int64_t experts = 0;     ///< routed experts, all of them
  std::int64_t router = 0;      ///< of the mixture of experts
  std::int64_t norms = 0;       ///< of the layers, and the last one
  std::int64_t prediction = 0;  ///< modules of multi-token prediction
  std::int64_t other = 0;       ///< `other_products` and `other_weights`
  std::int64_t lm_head = 0;     ///< the output head; only its bias where it is tied to the token table
  std::int64_t vision = 0;      ///< the vision tower
  std::int64_t projector = 0;   ///< from the vision tower to the text model
  std::int64_t head = 0;        ///< pooler, classifier, and what a masked-language head has before the token table
  std::int64_t total = 0;       ///< every weight once
  std::int64_t active = 0;      ///< weights that one token passes through: total less the experts it is not routed to
  std::int64_t matrices = 0;    ///< active weights in matrix products of one token: no input look-up, norms or biases
};

namespace detail {

/// Weights of the attention projections of one layer.
struct projection_weights {
  std::int64_t qkv = 0;     ///< in the matrices of queries, keys and values
  std::int64_t output = 0;  ///< in the output matrix
  std::int64_t extra = 0;   ///< biases, norms on queries and keys, sinks
};

constexpr projection_weights latent_projections(const transformer& model) {
  const latent_attention_spec& latent = model.attention.latent;
  const std::int64_t d = model.d_model;
  const std::int64_t heads = model.attention.heads;
  const std::int64_t qk = latent.qk_nope_head_dim + latent.qk_rope_head_dim;
  const std::int64_t queries = latent.q_lora_rank > 0 ? checked_add(checked_multiply(d, latent.q_lora_rank),
                                                                    checked_multiply(latent.q_lora_rank, heads, qk))
                                                      : checked_multiply(d, heads, qk);
  const std::int64_t keys =
      checked_add(checked_multiply(d, latent.kv_lora_rank + latent.qk_rope_head_dim),
                  checked_multiply(latent.kv_lora_rank, heads, latent.qk_nope_head_dim + latent.v_head_dim));
  return {checked_add(queries, keys), checked_multiply(heads, latent.v_head_dim, d),
          latent.q_lora_rank + latent.kv_lora_rank};
}

/// Weights of one indexer: a matrix from the low-rank queries to its own, one key with a norm and its bias, and one
/// matrix to a weight for each head.
constexpr projection_weights indexer_projections(const transformer& model) {
  const indexer_spec& indexer = model.attention.indexer;
  return {checked_add(checked_multiply(model.attention.latent.q_lora_rank, indexer.heads, indexer.head_dim),
                      checked_multiply(model.d_model, indexer.head_dim + indexer.heads)),
          0, 2 * indexer.head_dim};
}

/// Weights of one layer with the given head size and KV heads. `kv_matrices` is 2; 1 where keys and values share one
/// matrix; 0 where they come from another layer.
constexpr projection_weights head_projections(const transformer& model, std::int64_t head_dim, std::int64_t kv_heads,
                                              std::int64_t kv_matrices) {
  const attention_spec& attention = model.attention;
  const std::int64_t d = model.d_model, rank = attention.latent.q_lora_rank;
  const std::int64_t value_dim = attention.value_dim > 0 ? attention.value_dim : head_dim;
  const std::int64_t kv_width = attention.single_kv && kv_matrices == 2 ? head_dim
                                : kv_matrices == 2                      ? head_dim + value_dim
                                                                        : kv_matrices * head_dim;
  const std::int64_t q = checked_multiply(head_dim, attention.heads), kv = checked_multiply(kv_width, kv_heads);
  const std::int64_t without = attention.key_bias || kv_matrices == 0 ? 0 : head_dim * kv_heads;
  std::int64_t extra = (attention.qkv_bias ? q + kv - without : 0) + (attention.output_bias ? d : 0) +
                       (attention.sinks ? attention.heads : 0) + rank;
  if (attention.wide_qk_norm) {
    extra += head_dim * (attention.heads + (kv_matrices > 0 ? kv_heads : 0));
  } else if (attention.qk_norm) {
    extra += (kv_matrices > 0 ? 2 : 1) * head_dim;
  }
  const std::int64_t gate = attention.output_gate ? q : 0;
  const std::int64_t queries = rank > 0 ? checked_multiply(rank, d + q) : checked_multiply(d, q);
  const std::int64_t values = checked_multiply(attention.heads, value_dim);
  const std::int64_t output = attention.output_rank > 0
                                  ? checked_multiply(attention.output_rank, values + attention.output_groups * d)
                                  : checked_multiply(values, d);
  return {checked_add(queries, checked_multiply(d, kv + gate)), output, extra};
}

constexpr void add_projections(const projection_weights& one, std::int64_t layers, projection_weights& sum) {
  sum.qkv = checked_add(sum.qkv, checked_multiply(one.qkv, layers));
  sum.output = checked_add(sum.output, checked_multiply(one.output, layers));
  sum.extra = checked_add(sum.extra, checked_multiply(one.extra, layers));
}

/// Self-attention weights of all layers of the decoder (or of the only stack).
constexpr projection_weights stack_projections(const transformer& model) {
  const attention_spec& attention = model.attention;
  projection_weights sum;
  if (has_latent_attention(model)) {
    add_projections(latent_projections(model), attention_layers(model), sum);
    add_projections(indexer_projections(model), indexer_layers(model), sum);
    return sum;
  }
  const std::int64_t size = attention.global_head_dim > 0 ? attention.global_head_dim : attention.head_dim;
  const std::int64_t kv_heads = attention.global_kv_heads > 0 ? attention.global_kv_heads : attention.kv_heads;
  const std::int64_t local_reading = local_shared_layers(model), local = attention.local_layers - local_reading;
  const std::int64_t global_reading = attention.kv_shared_layers - local_reading;
  const std::int64_t global = attention_layers(model) - attention.local_layers - global_reading;
  if (local > 0) add_projections(head_projections(model, attention.head_dim, attention.kv_heads, 2), local, sum);
  if (local_reading > 0)
    add_projections(head_projections(model, attention.head_dim, attention.kv_heads, 0), local_reading, sum);
  if (global > 0)
    add_projections(head_projections(model, size, kv_heads, attention.global_kv_shared ? 1 : 2), global, sum);
  if (global_reading > 0) add_projections(head_projections(model, size, kv_heads, 0), global_reading, sum);
  return sum;
}

/// Weights of all recurrent layers.
constexpr projection_weights recurrent_projections(const transformer& model) {
  const recurrent_spec& r = model.recurrent;
  const std::int64_t d = model.d_model;
  if (r.layers == 0) return {};
  const recurrent_widths one = widths_in(r, d);
  const std::int64_t extra =
      one.channels * (r.kernel + (r.convolution_bias ? 1 : 0)) + one.vectors + (r.projection_bias ? one.in + d : 0);
  return {checked_multiply(checked_add(checked_multiply(d, one.in), one.inside), r.layers),
          checked_multiply(r.width * d, r.layers), checked_multiply(extra, r.layers)};
}

/// Weights of an MLP of that width, in its matrices and in its biases.
constexpr std::int64_t mlp_matrices(const transformer& model, std::int64_t d_ff) {
  return checked_multiply(model.mlp.gated ? 3 : 2, model.d_model, d_ff);
}
constexpr std::int64_t mlp_biases(const transformer& model, std::int64_t d_ff, bool bias) {
  return bias ? (model.mlp.gated ? 2 : 1) * d_ff + model.d_model : 0;
}

/// Dense MLP matrices of all layers: dense layers, shared experts, and dense MLPs beside experts.
constexpr std::int64_t dense_mlp_matrices(const transformer& model) {
  const std::int64_t experts = moe_layers(model);
  std::int64_t width = checked_multiply(dense_layers(model), model.mlp.d_ff);
  if (model.mlp.double_wide_in_shared) width += checked_multiply(model.attention.kv_shared_layers, model.mlp.d_ff);
  width = checked_add(width, checked_multiply(experts, model.moe.shared_d_ff + model.moe.parallel_dense_d_ff));
  return mlp_matrices(model, width);
}

/// A stack of encoder layers with the sizes of the decoder, or one set of cross-attention projections.
constexpr void count_encoder(const transformer& model, parameter_count& count, std::int64_t norm) {
  const projection_weights one = head_projections(model, model.attention.head_dim, model.attention.kv_heads, 2);
  const std::int64_t attention = checked_add(one.qkv, one.output);
  const std::int64_t attention_layers =
      checked_add(model.encoder_layers, model.layers);  // encoder, and cross in the decoder
  count.attention = checked_add(count.attention, checked_multiply(attention + one.extra, attention_layers));
  count.matrices = checked_add(count.matrices, checked_multiply(attention, attention_layers));
  const std::int64_t mlp = checked_multiply(mlp_matrices(model, model.mlp.d_ff), model.encoder_layers);
  count.mlp = checked_add(count.mlp,
                          checked_add(mlp, mlp_biases(model, model.mlp.d_ff, model.mlp.bias) * model.encoder_layers));
  count.matrices = checked_add(count.matrices, mlp);
  const std::int64_t ends = (model.embedding_norm ? 1 : 0) + (model.final_norm ? 1 : 0);
  count.norms += checked_multiply(norm, 2 * model.encoder_layers + model.layers + ends);  // one more per decoder layer
  count.embedding = checked_add(
      count.embedding, checked_add(checked_multiply(model.d_model, model.encoder_positions), model.encoder_stem));
}

/// Weights of the matrix from a narrow token table to the width of the model, without its bias.
constexpr std::int64_t table_matrix(const transformer& model) {
  return model.embedding_width > 0 ? checked_multiply(model.embedding_width, model.d_model) : 0;
}

/// Logits of a position: as many as the vocabulary has tokens, or none where no head predicts them.
constexpr std::int64_t logit_width(const transformer& model) { return model.output_head ? model.vocab : 0; }

/// Weights in the matrix products that follow the last layer.
constexpr std::int64_t logit_matrices(const transformer& model) {
  const bool head = model.output_head && model.kind != architecture::encoder;
  if (!head && !model.head_transform) return 0;
  return checked_multiply(table_width(model), model.vocab + (model.head_transform ? model.d_model : 0));
}

constexpr void count_text(const transformer& model, parameter_count& count) {
  const std::int64_t d = model.d_model, w = table_width(model);
  const std::int64_t norm = d * (model.norm_bias ? 2 : 1), table_norm = w * (model.norm_bias ? 2 : 1);
  count.embedding = checked_multiply(w, checked_add(checked_add(model.vocab, model.extra_input_rows),
                                                    checked_add(model.learned_positions, model.token_types)));
  if (model.embedding_width > 0) count.embedding = checked_add(count.embedding, table_matrix(model) + d);
  count.other = checked_add(model.other_products, model.other_weights);
  const bool head = model.head_transform || (model.output_head && model.kind != architecture::encoder);
  count.lm_head = model.tied_embeddings || !head ? 0 : checked_multiply(w, model.vocab);
  if (model.head_bias) count.lm_head += model.vocab;
  const projection_weights attention = stack_projections(model);
  const std::int64_t stacks = has_two_stacks(model) ? 2 : 1;
  count.attention = checked_add(checked_add(attention.qkv, attention.output), attention.extra);
  count.attention += stacks * model.attention.relative_buckets * model.attention.heads;
  const projection_weights recurrent = recurrent_projections(model);
  count.recurrent = checked_add(checked_add(recurrent.qkv, recurrent.output), recurrent.extra);
  const std::int64_t dense = dense_mlp_matrices(model);
  count.mlp = checked_add(dense, dense_layers(model) * mlp_biases(model, model.mlp.d_ff, model.mlp.bias) +
                                     model.layers * model.mlp.activation_weights);
  std::int64_t routed = 0;  // experts that a token takes, and their routers
  if (has_experts(model)) {
    const std::int64_t expert = checked_add(mlp_matrices(model, model.moe.expert_d_ff),
                                            mlp_biases(model, model.moe.expert_d_ff, model.moe.expert_bias));
    count.experts = checked_multiply(expert, model.moe.experts, moe_layers(model));
    count.router = checked_multiply(
        moe_layers(model), checked_multiply(d, router_width(model)) + (model.moe.router_bias ? model.moe.experts : 0));
    routed =
        checked_add(checked_multiply(mlp_matrices(model, model.moe.expert_d_ff), model.moe.top_k, moe_layers(model)),
                    checked_multiply(d, router_width(model), moe_layers(model)));
  }
  count.norms = checked_add(
      checked_multiply(norm, checked_multiply(model.norms_per_layer, model.layers) + (model.final_norm ? 1 : 0)),
      model.embedding_norm ? table_norm : 0);
  count.matrices = checked_add(
      checked_add(checked_add(attention.qkv, attention.output), checked_add(recurrent.qkv, recurrent.output)),
      checked_add(dense, routed));
  count.matrices = checked_add(checked_add(count.matrices, logit_matrices(model)),
                               checked_add(table_matrix(model), model.other_products));
  if (has_two_stacks(model)) count_encoder(model, count, norm);
  // Layers that attend to an image: norms on queries and keys, and two gates, beside the usual projections.
  count.attention += model.attention.cross_layers * (2 * model.attention.head_dim + 2);
  if (model.head_transform) count.head = checked_multiply(d, w) + w + table_norm;
  if (model.prediction_layers == 0) return;
  // A module that predicts one more token is a layer like the last one, a matrix that joins the state of a token with
  // the next embedding, and three norms (DeepSeek-AI 2024, arXiv 2412.19437, section 2.2).
  transformer last = model;
  last.layers = 1;
  last.prediction_layers = last.moe.dense_layers = last.attention.local_layers = last.mlp.absent = 0;
  last.recurrent = {};
  last.other_products = last.other_weights = last.attention.indexer.layers = 0;
  parameter_count one;
  count_text(last, one);
  const std::int64_t layer = checked_add(checked_add(one.attention, one.mlp), checked_add(one.experts, one.router));
  count.prediction = checked_multiply(model.prediction_layers, layer + 2 * d * d + norm * (model.norms_per_layer + 3));
}

/// A published count, used instead of the count of the shape. Refuses one that is ten times as large or as small, as
/// it has another unit (8 for 8 billion) or belongs to another model.
constexpr std::int64_t published(std::string_view field, std::int64_t given, std::int64_t counted) {
  const double ratio = static_cast<double>(given) / static_cast<double>(counted);
  if (ratio > 0.1 && ratio < 10) return given;
  text<96> valid{"within a factor of ten of the "};
  valid.append(counted).append(" that the shape counts");
  fail(errc::out_of_range, field, given, valid.view());
}

}  // namespace detail

namespace detail {

/// `parameters` of a model that is known to be valid.
constexpr parameter_count count_of_valid(const transformer& model) {
  parameter_count count;
  if (has_text(model)) count_text(model, count);
  if (model.layer_sets > 0) {
    transformer distinct = model;
    distinct.layers = model.layer_sets;
    const std::int64_t in_products = count.matrices;
    count_text(distinct, count);
    count.matrices = in_products;
  }
  if (has_vision(model)) {
    count.vision = vision_parameters(model.vision);
    count.projector = projector_parameters(model.vision);
  }
  const std::int64_t pooled = has_text(model) ? model.d_model : model.vision.d_model;
  if (model.pooler) count.head += checked_multiply(pooled, pooled) + pooled;
  const std::int64_t classified = has_vision(model) ? model.vision.d_model : model.d_model;
  if (model.classes > 0) count.head += checked_multiply(classified + 1, model.classes);
  count.total =
      checked_sum(count.embedding, count.attention, count.recurrent, count.mlp, count.experts, count.router,
                  count.norms, count.prediction, count.other, count.lm_head, count.vision, count.projector, count.head);
  count.active = count.total;
  if (has_experts(model)) {
    const std::int64_t experts = model.moe.experts, others = experts - model.moe.top_k;
    count.active -= count.experts / experts * others;
    if (moe_layers(model) > 0)
      count.active -= count.experts / moe_layers(model) / experts * others * model.prediction_layers;
  }
  if (count.active <= 0)
    fail(errc::out_of_range, "model.other_weights", model.other_weights, "more than the other parts take away");
  if (model.published_parameters > 0)
    count.total = published("model.published_parameters", model.published_parameters, count.total);
  if (model.published_active_parameters > 0)
    count.matrices = published("model.published_active_parameters", model.published_active_parameters, count.matrices);
  return count;
}

}  // namespace detail

/// The parameters of a model, by part, exact for the shapes that `transformer` can describe. Where
/// `published_parameters` is set, `total` is that figure and the parts are those of the shape; a figure not within a
/// factor of ten of the shape's count is refused. Worked: llama-3-8b has 8030261248, of which 525336576
/// in each of token table and output head.
[[nodiscard]] constexpr parameter_count parameters(const transformer& model) {
  validate(model);
  return detail::count_of_valid(model);
}

/// Which linear layers carry LoRA adapters.
struct lora_targets {
  /// @{
  /// The linear layers of attention and MLP, by their usual names.
  bool q = false, k = false, v = false, o = false, gate = false, up = false, down = false;
  /// @}
};

namespace detail {

/// Inputs and outputs of the adapted matrices of one layer: of attention that see its own positions, of keys and
/// values, and of the MLP.
struct adapted_widths {
  std::int64_t queries = 0, keys = 0, mlp = 0;
};
constexpr adapted_widths adapted_widths_of(const transformer& model, const lora_targets& on) {
  const std::int64_t d = model.d_model, kv = model.attention.kv_heads * model.attention.head_dim;
  return {(on.q + on.o) * (d + model.attention.heads * model.attention.head_dim), (on.k + on.v) * (d + kv),
          ((on.gate && model.mlp.gated) + on.up + on.down) * (d + model.mlp.d_ff)};
}

/// Whether the fields of heads say all of attention: no low ranks, values of another width, or heads that count as
/// other matrices.
constexpr bool has_plain_heads(const transformer& model) {
  const attention_spec& a = model.attention;
  return (a.latent.q_lora_rank | a.output_rank | a.value_dim | a.chosen_layers | a.merged_layers) == 0 &&
         !a.single_kv && model.other_products == 0;
}

/// The same of all layers of a decoder, which need not be alike. At a width of 1 its projections count their outputs.
constexpr std::int64_t adapted_in_all(const transformer& model, const lora_targets& on) {
  transformer narrow = model;
  narrow.d_model = 1, narrow.attention.output_gate = false;
  const projection_weights out = stack_projections(narrow);
  narrow.attention.global_kv_shared = false;
  const std::int64_t d = model.d_model, layers = attention_layers(model),
                     own = layers - model.attention.kv_shared_layers,
                     keys = (stack_projections(narrow).qkv - out.output) / 2, values = out.qkv - out.output - keys,
                     local = model.attention.local_layers - local_shared_layers(model);
  return (on.q + on.o) * (layers * d + out.output) + on.k * (own * d + keys) +
         on.v * ((model.attention.global_kv_shared ? local : own) * d + values) +
         ((on.gate && model.mlp.gated) + on.up + on.down) *
             (dense_layers(model) * d + dense_mlp_matrices(narrow) / (model.mlp.gated ? 3 : 2));
}

}  // namespace detail

/// Trainable parameters of LoRA adapters of that rank: rank x (inputs + outputs) per adapted matrix and layer; in an
/// encoder and a decoder also of the encoder's layers and of the attention to it, whose matrices have the same names.
/// Beside experts adapters may be on plain attention alone, not on MLPs.
/// Worked: rank 8 on q and v of llama-2-7b is 4194304, of mT0-large (24 + 24 layers of 1024) 2359296; rank 16
/// on all of gemma-4-e2b, whose layers differ, 24158208. Source: PEFT print_trainable_parameters; its README has
/// mT0-large.
[[nodiscard]] constexpr std::int64_t lora_parameters(const transformer& model, std::int64_t rank,
                                                     const lora_targets& on) {
  validate(model);
  detail::positive_count("rank", rank);
  const bool on_experts = has_experts(model) && (on.gate || on.up || on.down || !detail::has_plain_heads(model));
  if (on_experts || has_latent_attention(model) || has_recurrence(model)) {
    detail::fail(errc::unsupported, "LoRA on experts, latent attention or recurrences", "asked for",
                 "a dense model, or adapters on q, k, v and o beside experts");
  }
  if (!has_two_stacks(model)) return checked_multiply(rank, detail::adapted_in_all(model, on));
  const detail::adapted_widths one = detail::adapted_widths_of(model, on);
  const std::int64_t stacks = checked_add(model.encoder_layers, model.layers);
  return checked_multiply(rank, checked_add(checked_multiply(one.queries + one.keys, stacks + model.layers),
                                            checked_multiply(one.mlp, stacks)));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
