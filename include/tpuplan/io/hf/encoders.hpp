#ifndef TPUPLAN_IO_HF_ENCODERS_HPP
#define TPUPLAN_IO_HF_ENCODERS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/integer.hpp>
#include <tpuplan/io/hf/fields.hpp>
#include <tpuplan/io/hf/heads.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// Encoders, and encoders with decoders, of Hugging Face configurations.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// ELECTRA: tables narrower than the model.
inline void read_narrow_tables(config_fields& fields, transformer& model) {
  const std::int64_t width = fields.count("embedding_size");
  if (width != model.d_model) model.embedding_width = width;
}

/// ALBERT: narrow tables, and layers that share their weights in `num_hidden_groups` sets of `inner_group_num` layers.
inline void read_albert(config_fields& fields, transformer& model) {
  model.embedding_width = fields.count("embedding_size");
  const std::int64_t inner = fields.count("inner_group_num");
  model.layers = checked_multiply(model.layers, inner);
  model.layer_sets = checked_multiply(fields.count("num_hidden_groups"), inner);
}

/// MPNet: a table of relative positions beside the learned ones.
inline void read_mpnet(config_fields& fields, transformer& model) {
  model.attention.relative_buckets = fields.count("relative_attention_num_buckets");
}

/// Whether `pos_att_type`, a text with bars or a list, names a kind of relative attention.
inline bool has_relative_kind(const config_fields& fields, std::string_view kind) {
  constexpr std::string_view field = "pos_att_type";
  if (!fields.has(field)) return false;
  const nlohmann::json& given = fields.object().at(field);
  if (given.is_string()) return given.get<std::string>().find(kind) != std::string::npos;
  if (!given.is_array()) fail(errc::malformed_input, fields.path(field), given.type_name(), "a text or an array");
  return std::find(given.begin(), given.end(), nlohmann::json(std::string(kind))) != given.end();
}

/// DeBERTa: a table of relative positions for all layers, in place of absolute ones or beside them.
inline void read_deberta(config_fields& fields, transformer& model) {
  const json_object& given = fields.object();
  const std::int64_t d = model.d_model;
  for (const std::string_view field : {"embedding_size", "pooler_hidden_size"})
    if (fields.has(field) && fields.count(field) != d)
      fail(errc::unsupported, fields.path(field), fields.count(field), "hidden_size");
  if (fields.has("attention_head_size") && fields.count("attention_head_size") != model.attention.head_dim)
    fail(errc::unsupported, fields.path("attention_head_size"), fields.count("attention_head_size"), "absent");
  const bool second = fields.type() == "deberta-v2";
  model.attention.key_bias = second;
  if (!fields.flag("position_biased_input")) model.learned_positions = 0;
  if (fields.flag_or("talking_head", false)) {
    model.other_products = checked_multiply(2 * model.layers, model.attention.heads * model.attention.heads);
  }
  if (!fields.flag("relative_attention")) return;
  const auto positive = [&](std::string_view field) {
    const bool usable = fields.has(field) && given.at(field).is_number_integer() && given.at(field) > 0;
    return usable ? fields.count(field) : 0;
  };
  const std::int64_t buckets = second ? positive("position_buckets") : 0, most = positive("max_relative_positions");
  model.other_weights = checked_multiply(2 * (buckets > 0 ? buckets : most > 0 ? most : model.max_positions), d);
  if (!second || !fields.flag_or("share_att_key", false)) {
    const bool keys = has_relative_kind(fields, "c2p"), queries = has_relative_kind(fields, "p2c");
    const std::int64_t biases = (keys && second ? d : 0) + (queries ? d : 0);
    const std::int64_t layer = checked_add(checked_multiply((keys ? 1 : 0) + (queries ? 1 : 0), d, d), biases);
    model.other_weights = checked_add(model.other_weights, checked_multiply(model.layers, layer));
  }
  if (!second) return;
  if (fields.has("norm_rel_ebd") && fields.string("norm_rel_ebd").find("layer_norm") != std::string::npos)
    model.other_weights += 2 * d;
  const std::int64_t kernel = positive("conv_kernel_size");
  if (kernel == 0) return;
  const std::int64_t groups = fields.has("conv_groups") ? fields.count("conv_groups") : 1;
  if (d % groups != 0) fail(errc::not_divisible, fields.path("conv_groups"), groups, "a divisor of hidden_size");
  model.other_products = checked_add(model.other_products, checked_multiply(d, d / groups, kernel));
  model.other_weights += 3 * d;
}

/// An encoder like BERT.
struct encoder_family {
  std::string_view type;
  bool pooler = true;                                    ///< in the class without a head
  void (*rest)(config_fields&, transformer&) = nullptr;  ///< what only this type has
};
inline constexpr std::array<encoder_family, 10> encoder_families{{
    {"bert"},
    {"roberta"},
    {"xlm-roberta"},
    {"camembert"},
    {"distilbert", false},
    {"electra", false, read_narrow_tables},
    {"albert", true, read_albert},
    {"mpnet", true, read_mpnet},
    {"deberta", false, read_deberta},
    {"deberta-v2", false, read_deberta},
}};

/// Width, layers, heads and MLP of an encoder.
inline void read_encoder_sizes(config_fields& fields, transformer& model) {
  fields.refuse_true("is_decoder");
  fields.refuse_true("add_cross_attention");
  model.kind = architecture::encoder;
  model.d_model = fields.count("hidden_size");
  model.layers = fields.count("num_hidden_layers");
  model.vocab = fields.count("vocab_size");
  model.max_positions = fields.count("max_position_embeddings");
  model.attention.heads = model.attention.kv_heads = fields.count("num_attention_heads");
  if (model.d_model % model.attention.heads != 0) {
    fail(errc::not_divisible, fields.path(fields.own_name("num_attention_heads")), model.attention.heads,
         "a divisor of " + std::string(fields.own_name("hidden_size")));
  }
  model.attention.head_dim = model.d_model / model.attention.heads;
  model.mlp.d_ff = fields.count("intermediate_size");
  model.tied_embeddings = true;
}

/// BERT and those like it: LayerNorm, learned positions, biases everywhere.
inline void read_encoder(config_fields& fields, const encoder_family& family, transformer& model) {
  constexpr std::string_view field = "position_embedding_type";
  const std::string positions = fields.has(field) ? fields.string(field) : "absolute";
  if (positions != "absolute") fail(errc::unsupported, fields.path("position_embedding_type"), positions, "absolute");
  read_encoder_sizes(fields, model);
  model.learned_positions = model.max_positions;
  model.token_types = fields.part("type_vocab_size");
  model.attention.qkv_bias = model.attention.output_bias = true;
  model.mlp = {model.mlp.d_ff, false, true};
  model.norm_bias = model.embedding_norm = true;
  model.final_norm = false;
  if (family.rest != nullptr) family.rest(fields, model);
  if (fields.type() == "electra" && ends_in(class_of(fields), "ForPreTraining")) {
    model.pooler = true;  // of every token: whether it was replaced
    model.classes = 1;
    return;
  }
  read_encoder_head(fields, family.pooler, model);
}

/// ModernBERT: rotary positions, gated MLPs, norms without biases and none before the first attention, windows in all
/// but every third layer; a dense layer and a norm in each of its heads.
inline void read_modernbert(config_fields& fields, transformer& model) {
  read_encoder_sizes(fields, model);
  model.norm_bias = fields.flag("norm_bias");
  model.embedding_norm = true;
  model.attention.qkv_bias = model.attention.output_bias = fields.flag("attention_bias");
  model.mlp.bias = fields.flag("mlp_bias");
  const std::int64_t d = model.d_model, norm = d * (model.norm_bias ? 2 : 1);
  model.other_weights = -norm;
  attention_spec& attention = model.attention;
  attention.window = fields.tokens("local_attention");
  if (fields.has("layer_types")) {
    for (const nlohmann::json& each : fields.list("layer_types")) attention.local_layers += each == "sliding_attention";
  } else {
    const std::int64_t every = fields.count("global_attn_every_n_layers");
    attention.local_layers = model.layers - ceil_div(model.layers, every);
  }
  read_encoder_head(fields, false, model);
  const bool bias = fields.flag("classifier_bias");
  if (model.head_transform) {
    model.head_bias = fields.flag("decoder_bias");
    if (!bias) model.other_weights -= d;
  } else if (model.classes > 0) {
    model.pooler = true;
    model.other_weights += norm - (bias ? 0 : d);
  }
}

/// T5: encoder and decoder, relative positions (hence no longest sequence), RMSNorm, no biases.
inline void read_t5(config_fields& fields, transformer& model) {
  if (!fields.flag_or("is_encoder_decoder", true)) {
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
  if (!ends_in(class_of(fields), "EncoderModel")) return read_causal_head(fields, model);
  model.kind = architecture::encoder;
  model.layers = model.encoder_layers;
  model.encoder_layers = 0;
  model.tied_embeddings = true;
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
  if (!ends_in(class_of(fields), "ForSequenceClassification")) return read_causal_head(fields, model);
  model.output_head = false;
  model.pooler = true;
  model.classes = label_count(fields);
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
