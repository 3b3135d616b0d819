#ifndef TPUPLAN_MODEL_COMPOSE_HPP
#define TPUPLAN_MODEL_COMPOSE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/model/blocks/attention.hpp>
#include <tpuplan/model/blocks/compressed_attention.hpp>
#include <tpuplan/model/blocks/convolution.hpp>
#include <tpuplan/model/blocks/dense.hpp>
#include <tpuplan/model/blocks/experts.hpp>
#include <tpuplan/model/blocks/latent_attention.hpp>
#include <tpuplan/model/blocks/logits.hpp>
#include <tpuplan/model/blocks/mlp.hpp>
#include <tpuplan/model/blocks/norm.hpp>
#include <tpuplan/model/blocks/place.hpp>
#include <tpuplan/model/blocks/projector.hpp>
#include <tpuplan/model/blocks/recurrent.hpp>
#include <tpuplan/model/blocks/remainder.hpp>
#include <tpuplan/model/blocks/sums.hpp>
#include <tpuplan/model/blocks/table.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// The short form of a model as blocks: which blocks a `transformer` has, in which order and how often. They are handed
/// to whoever asks, one after the other: `model_of` keeps them, `parameters` and its like add them up.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Hands the blocks of a transformer that is known to be valid to `to`, which has
///   on(name, flow, …)  a new stream: its index
///   put(place, kind)   the next block: its index
///   sorted             sublayers of one sort (mixers, MLPs) in the order in which layers take them: add(index,
///   layers),
///                      -1 for none
///   layers(sorted, …)  layers that have these
template <class Builder>
class composer {
 public:
  constexpr composer(const transformer& model, Builder& to) : m_{model}, to_{to} {}

  constexpr void compose() {
    if (has_text(m_)) text_model();
    if (has_vision(m_)) tower();
    ends();
  }

 private:
  using sorted = typename Builder::sorted;

  [[nodiscard]] constexpr norm_kind norms() const noexcept { return m_.norm_bias ? norm_kind::layer : norm_kind::rms; }
  [[nodiscard]] constexpr bool is_pair() const noexcept { return m_.kind == architecture::encoder_decoder; }

  template <class Kind>
  constexpr int put(std::int64_t count, const Kind& kind) {
    return count > 0 ? to_.put(blocks::place{count, sets_, stream_}, kind) : -1;
  }
  template <class Kind>
  constexpr int put_for_training(const Kind& kind) {
    blocks::place at{m_.prediction_layers, 0, stream_};
    at.when = blocks::use::prediction, at.branch = true;
    return to_.put(at, kind);
  }

  constexpr void text_model() {
    if (is_pair()) encoder();
    stream_ = to_.on("text", blocks::flow::tokens, {table_width(m_)});
    put(1, blocks::table{checked_add(checked_add(m_.vocab, m_.extra_input_rows),
                                     checked_add(m_.learned_positions, m_.token_types))});
    if (m_.embedding_norm) put(1, blocks::norm{1, norms()});
    if (m_.embedding_width > 0)
      put(1, blocks::dense{0, m_.d_model, true, norm_kind::none, blocks::role::other, blocks::part::embedding});
    relative_table();
    sets_ = m_.layer_sets;
    stack();
    sets_ = 0;
    if (m_.other_products != 0 || m_.other_weights != 0) put(1, blocks::remainder{m_.other_products, m_.other_weights});
    if (m_.final_norm) put(1, blocks::norm{1, norms()});
    if (m_.prediction_layers > 0) prediction();
    head();
  }

  constexpr void relative_table() {
    if (m_.attention.relative_buckets > 0)
      put(1, blocks::table{m_.attention.relative_buckets, m_.attention.heads, 0, blocks::part::attention});
  }

  /// Attention with the sizes that all layers have.
  [[nodiscard]] constexpr blocks::attention usual_attention() const noexcept {
    const attention_spec& a = m_.attention;
    blocks::attention b;
    b.heads = a.heads, b.kv_heads = a.kv_heads, b.head_dim = a.head_dim, b.value_dim = a.value_dim;
    b.relative_keys = a.relative_keys;
    b.q_rank = a.latent.q_lora_rank, b.output_rank = a.output_rank, b.output_groups = a.output_groups;
    b.single_kv = a.single_kv, b.causal = m_.kind != architecture::encoder;
    b.qkv_bias = a.qkv_bias, b.key_bias = a.key_bias, b.output_bias = a.output_bias;
    b.qk_norm = a.qk_norm, b.wide_qk_norm = a.wide_qk_norm, b.sinks = a.sinks, b.output_gate = a.output_gate;
    return b;
  }
  /// Attention of the layers without a window.
  [[nodiscard]] constexpr blocks::attention global_attention() const noexcept {
    const attention_spec& a = m_.attention;
    blocks::attention b = usual_attention();
    if (a.global_head_dim > 0) b.head_dim = a.global_head_dim;
    if (a.global_kv_heads > 0) b.kv_heads = a.global_kv_heads;
    if (a.global_kv_shared) b.kv_matrices = 1;
    return b;
  }

  constexpr void add_heads(sorted& mixers) {
    const attention_spec& a = m_.attention;
    const std::int64_t local_reading = local_shared_layers(m_), global_reading = a.kv_shared_layers - local_reading;
    const std::int64_t global = attention_layers(m_) - a.local_layers - global_reading - a.cross_layers;
    const auto add = [&](std::int64_t layers, const blocks::attention& one) { mixers.add(put(layers, one), layers); };
    if (a.local_layers > 0) {
      blocks::attention local = usual_attention();
      local.window = a.window;
      add(a.local_layers - local_reading, local);
      local.kv_matrices = 0;
      add(local_reading, local);
    }
    blocks::attention wide = global_attention();
    add(global, wide);
    if (a.cross_layers > 0) {
      wide.to_image = true, wide.window = m_.vision.tokens_per_image;
      add(a.cross_layers, wide);
      wide.to_image = false, wide.window = 0;
    }
    wide.kv_matrices = 0;
    add(global_reading, wide);
  }

  [[nodiscard]] constexpr blocks::latent_attention latent_attention() const noexcept {
    const attention_spec& a = m_.attention;
    blocks::latent_attention b;
    b.heads = a.heads, b.q_rank = a.latent.q_lora_rank, b.kv_rank = a.latent.kv_lora_rank;
    b.nope = a.latent.qk_nope_head_dim, b.rope = a.latent.qk_rope_head_dim, b.v_dim = a.latent.v_head_dim;
    if (a.indexer.heads == 0) return b;
    b.chosen = a.indexer.top_k, b.index_heads = a.indexer.heads, b.index_width = a.indexer.head_dim;
    return b;
  }

  /// Layers that attend to everything are the first to have indexers.
  constexpr void add_latent(sorted& mixers) {
    const std::int64_t local = m_.attention.local_layers, global = attention_layers(m_) - local;
    const std::int64_t indexers = indexer_layers(m_), own = indexers < global ? indexers : global;
    const auto add = [&](std::int64_t layers, blocks::latent_attention one, bool has_indexer, std::int64_t window) {
      one.window = window;
      if (window > 0) one.chosen = 0;
      if (!has_indexer) one.index_heads = one.index_width = 0;
      mixers.add(put(layers, one), layers);
    };
    const blocks::latent_attention one = latent_attention();
    add(own, one, true, 0);
    add(global - own, one, false, 0);
    add(indexers - own, one, true, m_.attention.window);
    add(local - (indexers - own), one, false, m_.attention.window);
  }

  [[nodiscard]] constexpr blocks::compressed_attention compressed(std::int64_t ratio, bool chosen) const noexcept {
    const attention_spec& a = m_.attention;
    blocks::compressed_attention b;
    b.heads = a.heads, b.kv_heads = a.kv_heads, b.head_dim = a.head_dim, b.value_dim = a.value_dim, b.ratio = ratio;
    if (chosen) b.index_heads = a.indexer.heads, b.index_width = a.indexer.head_dim, b.chosen = a.indexer.top_k;
    return b;
  }

  [[nodiscard]] constexpr blocks::mlp dense_mlp(std::int64_t widths = 1) const noexcept {
    return {widths * m_.mlp.d_ff, m_.mlp.activation_weights, m_.mlp.gated, m_.mlp.bias};
  }
  [[nodiscard]] constexpr blocks::experts experts() const noexcept {
    const moe_spec& e = m_.moe;
    return {e.experts,
            e.top_k,
            e.expert_d_ff,
            e.shared_d_ff + e.parallel_dense_d_ff,
            m_.mlp.activation_weights,
            m_.mlp.gated,
            e.expert_bias,
            e.router_bias,
            e.shared_gate};
  }

  /// The layers of the decoder, or of the only stack. The short form does not say which mixer stands with which MLP:
  /// layers without a mixer come first, and have an MLP where there are any; those without an MLP come last.
  constexpr void stack() {
    const attention_spec& a = m_.attention;
    const recurrent_spec& r = m_.recurrent;
    sorted mixers, beside, mlps;
    mixers.add(-1, r.idle_layers);
    const int recurrent = put(r.layers, blocks::recurrent_of(r));
    if (!r.beside_attention) mixers.add(recurrent, r.layers);
    has_latent_attention(m_) ? add_latent(mixers) : add_heads(mixers);
    beside.add(-1, m_.layers - (r.beside_attention ? r.layers : a.chosen_layers + a.merged_layers));
    if (r.beside_attention) beside.add(recurrent, r.layers);
    if (a.chosen_layers > 0) beside.add(put(a.chosen_layers, compressed(a.chosen_ratio, true)), a.chosen_layers);
    if (a.merged_layers > 0) beside.add(put(a.merged_layers, compressed(a.merged_ratio, false)), a.merged_layers);
    const std::int64_t twice = m_.mlp.double_wide_in_shared ? a.kv_shared_layers : 0, dense = dense_layers(m_);
    mlps.add(put(dense - twice, dense_mlp()), dense - twice);
    if (twice > 0) mlps.add(put(twice, dense_mlp(2)), twice);
    if (has_experts(m_)) mlps.add(put(moe_layers(m_), experts()), moe_layers(m_));
    mlps.add(-1, m_.mlp.absent);
    const int cross = is_pair() ? put_cross() : -1;
    const int norm = m_.norms_per_layer + (is_pair() ? 1 : 0) > 0
                         ? put(m_.layers, blocks::norm{m_.norms_per_layer + (is_pair() ? 1 : 0), norms()})
                         : -1;
    to_.layers(mixers, beside, mlps, cross, norm);
  }

  constexpr int put_cross() {
    blocks::attention one = usual_attention();
    one.from_other = true, one.causal = false;
    blocks::place at{m_.layers, m_.layer_sets, stream_};
    at.other = source_;
    return to_.put(at, one);
  }

  constexpr void encoder() {
    if (m_.encoder_stem > 0) {
      stream_ = to_.on("audio", blocks::flow::frames, {m_.d_model});
      put(1, blocks::remainder{m_.encoder_stem, 0, blocks::part::embedding});
    }
    source_ = stream_ = to_.on("source", blocks::flow::source, {m_.d_model});
    if (m_.encoder_positions > 0) put(1, blocks::table{m_.encoder_positions});
    if (m_.embedding_norm) put(1, blocks::norm{1, norms()});
    relative_table();
    blocks::attention one = usual_attention();
    one.causal = false;
    sorted mixers, mlps;
    mixers.add(put(m_.encoder_layers, one), m_.encoder_layers);
    mlps.add(put(m_.encoder_layers, blocks::mlp{m_.mlp.d_ff, 0, m_.mlp.gated, m_.mlp.bias}), m_.encoder_layers);
    to_.layers(mixers, sorted{}, mlps, -1, put(m_.encoder_layers, blocks::norm{2, norms()}));
    if (m_.final_norm) put(1, blocks::norm{1, norms()});
  }

  /// A module that predicts one more token is a layer like the last one, a matrix that joins the state of a token with
  /// the next embedding, and three norms (DeepSeek-AI 2024, arXiv 2412.19437, section 2.2).
  constexpr void prediction() {
    blocks::dense join{2 * m_.d_model, m_.d_model, false};
    put_for_training(join);
    has_latent_attention(m_) ? put_for_training(latent_attention()) : put_for_training(global_attention());
    has_experts(m_) ? put_for_training(experts()) : put_for_training(dense_mlp());
    put_for_training(blocks::norm{m_.norms_per_layer + 3, norms()});
  }

  /// An encoder without a head of its own multiplies by the token table in training alone.
  constexpr void head() {
    const bool writes = m_.output_head && m_.kind != architecture::encoder;
    if (!m_.output_head && !m_.head_transform && !m_.head_bias) return;
    blocks::logits l;
    l.vocab = m_.vocab, l.width = table_width(m_), l.own = (writes || m_.head_transform) && !m_.tied_embeddings,
    l.bias = m_.head_bias;
    l.works = m_.output_head || m_.head_transform;
    if (m_.head_transform) l.transform = norms();
    blocks::place at{1, 0, stream_};
    at.branch = true;
    if (!writes && !m_.head_transform) at.when = blocks::use::scoring;
    to_.put(at, l);
  }

  constexpr void tower() {
    const vision_spec& v = m_.vision;
    stream_ = to_.on("image", blocks::flow::image, {v.channels * v.temporal_patch, v.image_size, v.image_size});
    blocks::convolution patch;
    patch.outputs = v.d_model, patch.kernel = patch.stride = v.patch_size, patch.padding = 0, patch.bias = v.patch_bias;
    put(1, patch);
    if (v.class_token) put(1, blocks::table{1, 0, 1});
    if (v.learned_positions > 0) put(1, blocks::table{v.learned_positions});
    blocks::attention one;
    one.heads = one.kv_heads = v.heads, one.head_dim = v.d_model / v.heads, one.causal = false;
    one.qkv_bias = v.qkv_bias, one.output_bias = v.output_bias;
    const norm_kind norms = v.norm_bias ? norm_kind::layer : norm_kind::rms;
    sorted mixers, mlps;
    mixers.add(put(v.layers, one), v.layers);
    mlps.add(put(v.layers, blocks::mlp{v.d_ff, 0, v.gated, v.mlp_bias}), v.layers);
    to_.layers(mixers, sorted{}, mlps, -1, put(v.layers, blocks::norm{2, norms}));
    if (v.extra_norms > 0) put(v.extra_norms, blocks::norm{1, norms});
    if (v.other_weights != 0) put(1, blocks::remainder{0, v.other_weights});
    if (v.projector.input > 0) put_projector();
  }

  constexpr void put_projector() {
    const projector_spec& p = m_.vision.projector;
    blocks::place at{1, 0, stream_};
    at.branch = true;
    to_.put(at, blocks::projector{p.input, p.hidden, p.inner, p.output, p.norm_weights, p.merge,
                                  image_tokens(m_.vision), p.merge_matrix, p.bias, p.beside});
  }

  /// What stands behind a model once an example: a pooler and a classifier.
  constexpr void ends() {
    if (!m_.pooler && m_.classes == 0) return;
    const std::int64_t pooled = has_text(m_) ? m_.d_model : m_.vision.d_model;
    const std::int64_t classified = has_vision(m_) ? m_.vision.d_model : m_.d_model;
    stream_ = to_.on("pooled", blocks::flow::example, {pooled});
    blocks::dense one{pooled, pooled, true, norm_kind::none, blocks::role::other, blocks::part::head};
    if (m_.pooler) put(1, one);
    one.inputs = classified, one.outputs = m_.classes;
    if (m_.classes > 0) put(1, one);
  }

  const transformer& m_;
  Builder& to_;
  std::int64_t sets_ = 0;  // of weights that layers share (ALBERT)
  std::int8_t stream_ = 0, source_ = -1;
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
