#ifndef TPUPLAN_MODEL_ENCODER_DECODER_HPP
#define TPUPLAN_MODEL_ENCODER_DECODER_HPP

#include <cstdint>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/training_job.hpp>

/// @file
/// FLOPs and caches of models with an encoder and a decoder (T5, BART, Whisper), whose source and target sequences have
/// different lengths.

namespace tpuplan {
inline namespace abi_0 {

/// Forward FLOPs of a source and a target sequence; encoder + decoder = total.
struct pair_flops {
  flops encoder{};  ///< of the source tokens
  flops decoder{};  ///< of the target tokens, logits, and the source's keys and values for cross-attention
  flops total{};    ///< of both
};

/// Keys and values that decoding caches for a source and a target sequence; self + cross = total.
struct pair_cache {
  bytes self{};   ///< of the target tokens
  bytes cross{};  ///< of the source tokens, computed once
  bytes total{};  ///< of both
};

/// Tokens of the source of a pair: all that a stem makes of a recording, else as many as the target has. Worked: 1500
/// for Whisper, whose stem makes one of every two of its 3000 frames.
[[nodiscard]] constexpr std::int64_t source_length(const transformer& model, std::int64_t target) noexcept {
  return model.encoder_stem > 0 ? model.encoder_positions : target;
}

/// Tokens of the source of a job's pairs: as many as it says, else as above; 0 for a model without two stacks. Refuses
/// a source for such a model, and another one than a stem makes. Worked: of targets of 448 tokens, 1500 for Whisper and
/// 448 for T5.
[[nodiscard]] constexpr std::int64_t source_length(const transformer& model, const training_job& job) {
  constexpr std::string_view field = "training_job.source_length";
  detail::check_part(field, job.source_length, detail::most_tokens, "0 (as the model has it) to 2^40 tokens");
  if (!has_two_stacks(model)) {
    if (job.source_length != 0)
      detail::fail(errc::unsupported, field, job.source_length, "a model with an encoder and a decoder");
    return 0;
  }
  const std::int64_t usual = source_length(model, job.sequence_length);
  if (job.source_length == 0) return detail::positive_count(field, usual);
  if (model.encoder_stem > 0 && job.source_length != usual) {
    text<96> valid{};
    valid.append(usual).append(", or none: what its stem makes of every recording");
    detail::fail(errc::unsupported, field, job.source_length, valid.view());
  }
  return job.source_length;
}

namespace detail {

constexpr void check_pair(const transformer& model, std::int64_t source, std::int64_t target) {
  validate(model);
  if (!has_two_stacks(model)) fail(errc::unsupported, "model.kind", name(model.kind), "encoder_decoder");
  check_part("source_length", positive_count("source_length", source), most_tokens, "1 to 2^40 tokens");
  check_part("target_length", positive_count("target_length", target), most_tokens, "1 to 2^40 tokens");
}

/// Weights in the products of one layer of either stack: of one attention, and of the MLP.
struct stack_weights {
  double queries = 0, keys = 0, output = 0, up = 0, down = 0;
};
constexpr stack_weights stack_weights_of(const transformer& model) {
  const attention_spec& attention = model.attention;
  const projection_weights one = head_projections(model, attention.head_dim, attention.kv_heads, 2);
  const std::int64_t keys = 2 * checked_multiply(attention.kv_heads, attention.head_dim, model.d_model);
  const auto wide = static_cast<double>(checked_multiply(model.d_model, model.mlp.d_ff));
  return {static_cast<double>(one.qkv - keys), static_cast<double>(keys), static_cast<double>(one.output),
          (model.mlp.gated ? 2 : 1) * wide, wide};
}

/// Weights in products of the target's tokens outside of layers, the output head apart.
constexpr double beside_layers(const transformer& model) {
  return static_cast<double>(checked_add(table_matrix(model), model.other_products));
}

constexpr void add_up(forward_flops& f) noexcept {
  f.total = f.qkv + f.attention_output + f.attention + f.mlp_up + f.mlp_down + f.logits;
}

/// Forward FLOPs of the encoder for a source, by part.
constexpr forward_flops encoder_flops(const transformer& model, double source) {
  const stack_weights one = stack_weights_of(model);
  const auto layers = static_cast<double>(model.encoder_layers);
  const auto width = static_cast<double>(checked_multiply(model.attention.heads, model.attention.head_dim));
  forward_flops f;
  f.qkv = flops{2 * source * (layers * (one.queries + one.keys) + static_cast<double>(model.encoder_stem))};
  f.attention_output = flops{2 * source * layers * one.output};
  f.attention = flops{2 * source * layers * 2 * width * source};
  f.mlp_up = flops{2 * source * layers * one.up};
  f.mlp_down = flops{2 * source * layers * one.down};
  add_up(f);
  return f;
}

/// Forward FLOPs of the decoder for a target, by part; keys and values of the source are in `qkv`.
constexpr forward_flops decoder_flops(const transformer& model, double source, double target) {
  const stack_weights one = stack_weights_of(model);
  const auto layers = static_cast<double>(model.layers);
  const auto width = static_cast<double>(checked_multiply(model.attention.heads, model.attention.head_dim));
  forward_flops f;
  f.qkv =
      flops{2 * (target * (layers * (2 * one.queries + one.keys) + beside_layers(model)) + source * layers * one.keys)};
  f.attention_output = flops{2 * target * layers * 2 * one.output};
  f.attention = flops{2 * target * layers * 2 * width * (target / 2 + source)};
  f.mlp_up = flops{2 * target * layers * one.up};
  f.mlp_down = flops{2 * target * layers * one.down};
  f.logits = flops{2 * target * static_cast<double>(logit_matrices(model))};
  add_up(f);
  return f;
}

/// Forward FLOPs of a token of a job's sequences, by part; of a pair, those of both sequences for each token of the
/// target.
constexpr forward_flops forward_flops_of_job(const transformer& model, const training_job& job) {
  if (!has_two_stacks(model)) return forward_flops_of_valid(model, job.sequence_length);
  const auto source = static_cast<double>(source_length(model, job));
  const auto target = static_cast<double>(job.sequence_length);
  const forward_flops encoder = encoder_flops(model, source), decoder = decoder_flops(model, source, target);
  forward_flops f;
  f.qkv = (encoder.qkv + decoder.qkv) / target;
  f.attention_output = (encoder.attention_output + decoder.attention_output) / target;
  f.attention = (encoder.attention + decoder.attention) / target;
  f.mlp_up = (encoder.mlp_up + decoder.mlp_up) / target;
  f.mlp_down = (encoder.mlp_down + decoder.mlp_down) / target;
  f.logits = decoder.logits / target;
  add_up(f);
  return f;
}

/// Weights of keys and values for cross-attention, which multiply source tokens, and those of its queries and outputs.
constexpr std::int64_t cross_weights(const transformer& model, std::int64_t heads) {
  return checked_multiply(checked_multiply(2 * heads, model.attention.head_dim), model.d_model, model.layers);
}

/// What a stack of a pair has of it: neither the other's layers nor a head beside that of tokens.
constexpr transformer stack_of(const transformer& pair, architecture kind, std::int64_t layers,
                               std::int64_t other_products) {
  transformer stack = pair;
  stack.kind = kind;
  stack.layers = layers;
  stack.other_products = other_products;
  stack.encoder_layers = stack.encoder_positions = stack.encoder_stem = stack.other_weights = stack.classes = 0;
  stack.published_parameters = stack.published_active_parameters = 0;
  stack.pooler = false;
  return stack;
}

}  // namespace detail

/// The encoder of a pair of stacks as a model of its own, with its stem and with the keys and values that
/// cross-attention has of it: all that a source token passes. Throws for other architectures. Worked: 22020096 weights
/// multiply a source token of t5-small.
[[nodiscard]] constexpr transformer encoder_of(const transformer& pair) {
  detail::check_pair(pair, 1, 1);
  transformer stack =
      detail::stack_of(pair, architecture::encoder, pair.encoder_layers,
                       checked_add(pair.encoder_stem, detail::cross_weights(pair, pair.attention.kv_heads)));
  stack.learned_positions = pair.encoder_positions;
  stack.output_head = stack.tied_embeddings = stack.head_bias = false;
  return stack;
}

/// The decoder of a pair of stacks as a model of its own, with the queries and outputs of cross-attention: all that a
/// target token passes. Throws for other architectures. Worked: 38469632 weights multiply a target token of t5-small,
/// 16449536 of them its logits.
[[nodiscard]] constexpr transformer decoder_of(const transformer& pair) {
  detail::check_pair(pair, 1, 1);
  transformer stack =
      detail::stack_of(pair, architecture::decoder, pair.layers, detail::cross_weights(pair, pair.attention.heads));
  ++stack.norms_per_layer;
  return stack;
}

/// Forward FLOPs of one source and one target sequence of those lengths in tokens, two per multiply-add: products and
/// attention, which is full over the source and causal (half) over the target. Each weight of a stem before the encoder
/// counts once per source token. Worked: t5-small with 512 tokens on either side: 22.5 GFLOP in the encoder and 47.4 in
/// the decoder, of which 16.8 are logits. Throws for other architectures.
[[nodiscard]] constexpr pair_flops forward_flops_per_pair(const transformer& model, std::int64_t source_length,
                                                          std::int64_t target_length) {
  detail::check_pair(model, source_length, target_length);
  const auto source = static_cast<double>(source_length), target = static_cast<double>(target_length);
  const flops encoder = detail::encoder_flops(model, source).total;
  const flops decoder = detail::decoder_flops(model, source, target).total;
  return {encoder, decoder, encoder + decoder};
}

/// Bytes of keys and values of one source and one target sequence of those lengths in tokens while the target is
/// decoded. Throws for other architectures. Worked: t5-small keeps 12288 B in
/// bf16 for each token of either.
[[nodiscard]] constexpr pair_cache kv_bytes_per_pair(const transformer& model, std::int64_t source_length,
                                                     std::int64_t target_length, dtype cache = dtype::bf16) {
  detail::check_pair(model, source_length, target_length);
  const std::int64_t token = 2 * checked_multiply(model.layers, model.attention.kv_heads, model.attention.head_dim);
  const bytes each = size_of(cache) * static_cast<double>(token);
  pair_cache result;
  result.self = each * static_cast<double>(target_length);
  result.cross = each * static_cast<double>(source_length);
  result.total = result.self + result.cross;
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
