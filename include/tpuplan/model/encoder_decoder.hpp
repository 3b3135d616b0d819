#ifndef TPUPLAN_MODEL_ENCODER_DECODER_HPP
#define TPUPLAN_MODEL_ENCODER_DECODER_HPP

#include <cstdint>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/pair_work.hpp>
#include <tpuplan/model/parameters.hpp>

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

namespace detail {

constexpr void check_pair(const transformer& model, std::int64_t source, std::int64_t target) {
  validate(model);
  if (!has_two_stacks(model)) fail(errc::unsupported, "model.kind", name(model.kind), "encoder_decoder");
  check_part("source_length", positive_count("source_length", source), most_tokens, "1 to 2^40 tokens");
  check_part("target_length", positive_count("target_length", target), most_tokens, "1 to 2^40 tokens");
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
  const flops encoder = detail::stack_flops(model, source, 0).total;
  const flops decoder = detail::stack_flops(model, source, target, false).total;
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
