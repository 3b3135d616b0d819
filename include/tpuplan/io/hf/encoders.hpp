#ifndef TPUPLAN_IO_HF_ENCODERS_HPP
#define TPUPLAN_IO_HF_ENCODERS_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/io/hf/fields.hpp>
#include <tpuplan/io/hf/heads.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// Encoders, and encoders with decoders, of Hugging Face configurations.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// An encoder like BERT.
struct encoder_family {
  std::string_view type;
  bool pooler = true;  ///< in the class without a head
};
inline constexpr std::array<encoder_family, 5> encoder_families{
    {{"bert"}, {"roberta"}, {"xlm-roberta"}, {"camembert"}, {"distilbert", false}}};

/// BERT and those like it: LayerNorm, learned positions, biases everywhere.
inline void read_encoder(config_fields& fields, const encoder_family& family, transformer& model) {
  fields.refuse_true("is_decoder");
  fields.refuse_true("add_cross_attention");
  const std::string positions = fields.string("position_embedding_type");
  if (positions != "absolute") fail(errc::unsupported, fields.path("position_embedding_type"), positions, "absolute");
  model.kind = architecture::encoder;
  model.d_model = fields.count("hidden_size");
  model.layers = fields.count("num_hidden_layers");
  model.vocab = fields.count("vocab_size");
  model.max_positions = model.learned_positions = fields.count("max_position_embeddings");
  model.token_types = fields.part("type_vocab_size");
  model.attention.heads = model.attention.kv_heads = fields.count("num_attention_heads");
  if (model.d_model % model.attention.heads != 0) {
    fail(errc::not_divisible, fields.path(fields.own_name("num_attention_heads")), model.attention.heads,
         "a divisor of " + std::string(fields.own_name("hidden_size")));
  }
  model.attention.head_dim = model.d_model / model.attention.heads;
  model.attention.qkv_bias = model.attention.output_bias = true;
  model.mlp = {fields.count("intermediate_size"), false, true};
  model.norm_bias = model.embedding_norm = true;
  model.final_norm = false;
  model.tied_embeddings = true;
  read_encoder_head(fields, family.pooler, model);
}

/// T5: encoder and decoder, relative positions (hence no longest sequence), RMSNorm, no biases.
inline void read_t5(config_fields& fields, transformer& model) {
  if (!fields.object().flag_or("is_encoder_decoder", true)) {
    fail(errc::unsupported, fields.path("is_encoder_decoder"), "false", "true");
  }
  model.kind = architecture::encoder_decoder;
  model.d_model = fields.count("d_model");
  model.encoder_layers = fields.count("num_layers");
  model.layers = fields.count("num_decoder_layers");
  model.vocab = fields.count("vocab_size");
  model.attention.heads = model.attention.kv_heads = fields.count("num_heads");
  model.attention.head_dim = fields.count("d_kv");
  model.attention.relative_buckets = fields.count("relative_attention_num_buckets");
  model.mlp.d_ff = fields.count("d_ff");
  model.mlp.gated = fields.string("feed_forward_proj").rfind("gated-", 0) == 0;
  model.tied_embeddings = fields.flag("tie_word_embeddings");
  read_causal_head(fields, model);
}

/// A size that encoder and decoder state apart; they have to be the same.
inline std::int64_t count_of_both(config_fields& fields, std::string_view encoder, std::string_view decoder) {
  const std::int64_t size = fields.count(encoder), other = fields.count(decoder);
  if (size != other) fail(errc::unsupported, fields.path(decoder), other, std::string(encoder));
  return size;
}

/// What BART and Whisper share: LayerNorm, learned positions and biases in encoder and decoder.
inline void read_two_stacks(config_fields& fields, transformer& model) {
  model.kind = architecture::encoder_decoder;
  model.d_model = fields.count("d_model");
  model.encoder_layers = fields.count("encoder_layers");
  model.layers = fields.count("decoder_layers");
  model.vocab = fields.count("vocab_size");
  model.attention.heads = model.attention.kv_heads =
      count_of_both(fields, "encoder_attention_heads", "decoder_attention_heads");
  if (model.d_model % model.attention.heads != 0)
    fail(errc::not_divisible, fields.path("encoder_attention_heads"), model.attention.heads, "a divisor of d_model");
  model.attention.head_dim = model.d_model / model.attention.heads;
  model.attention.qkv_bias = model.attention.output_bias = model.norm_bias = true;
  model.mlp = {count_of_both(fields, "encoder_ffn_dim", "decoder_ffn_dim"), false, true};
  model.tied_embeddings = fields.flag("tie_word_embeddings");
  read_causal_head(fields, model);
}

/// BART, with norms behind the embeddings and two rows of positions that no token has; mBART has norms behind the last
/// layers too.
inline void read_bart(config_fields& fields, transformer& model) {
  read_two_stacks(fields, model);
  model.embedding_norm = true;
  model.final_norm = fields.type() == "mbart";
  model.max_positions = fields.tokens("max_position_embeddings");
  model.learned_positions = model.encoder_positions = model.max_positions + 2;
}

/// Whisper: two convolutions of three frames make the tokens of the encoder; keys have no biases.
inline void read_whisper(config_fields& fields, transformer& model) {
  read_two_stacks(fields, model);
  model.attention.key_bias = false;
  model.max_positions = model.learned_positions = fields.count("max_target_positions");
  model.encoder_positions = fields.count("max_source_positions");
  const std::int64_t d = model.d_model;
  model.encoder_stem = checked_add(checked_multiply(3 * d, fields.count("num_mel_bins") + d), 2 * d);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
