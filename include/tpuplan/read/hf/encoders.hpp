#ifndef TPUPLAN_READ_HF_ENCODERS_HPP
#define TPUPLAN_READ_HF_ENCODERS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/heads.hpp>
#include <tpuplan/read/hf/language.hpp>
#include <utility>

/// @file
/// Encoders of text and of proteins, and encoders with decoders, of Hugging Face configurations.

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

/// DeBERTa: a table of relative positions for all layers, in place of absolute ones or beside them. Each layer projects
/// it, and multiplies queries ("c2p"), keys ("p2c") or both with all of its rows, before the distances that occur are
/// gathered. Source: disentangled_attention_bias in transformers/models/deberta_v2, looked up 2026-11-29.
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
  const auto positive = [&](std::string_view field) {
    const bool usable = fields.has(field) && given.at(field).is_number_integer() && given.at(field) > 0;
    return usable ? fields.count(field) : 0;
  };
  const bool relative = fields.flag("relative_attention");
  const bool keys = relative && has_relative_kind(fields, "c2p"),
             queries = relative && has_relative_kind(fields, "p2c");
  if (relative) {
    const std::int64_t buckets = second ? positive("position_buckets") : 0, most = positive("max_relative_positions");
    const std::int64_t positions = 2 * (buckets > 0 ? buckets : most > 0 ? most : model.max_positions);
    model.other_weights = checked_multiply(positions, d);
    model.attention.relative_keys = (keys ? positions : 0) + (queries ? positions : 0);
  }
  if (relative && (!second || !fields.flag_or("share_att_key", false))) {
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

/// ERNIE: a table of tasks, where the file asks for it.
inline void read_ernie(config_fields& fields, transformer& model) {
  if (fields.flag("use_task_id")) model.token_types += fields.part("task_type_vocab_size");
}

/// Megatron-BERT, XLM-RoBERTa-XL: norms before attention and MLP, and one behind the last layer instead of the first.
inline void read_norms_before(config_fields& fields, transformer& model) {
  model.embedding_norm = fields.type() == "roberta-prelayernorm";
  model.final_norm = true;
}

/// Longformer: further queries, keys and values for the tokens that attend to all others.
inline void read_longformer(config_fields& fields, transformer& model) {
  const std::int64_t d = model.d_model;
  fields.looked_for("attention_window");
  fields.assume("attention_window", "none", "tokens that attend to a window count as attending to all");
  model.other_weights = checked_multiply(3 * model.layers, checked_add(checked_multiply(d, d), d));
}

/// LayoutLM: tables of the places and sizes of words on the page.
inline void read_layoutlm(config_fields& fields, transformer& model) {
  model.other_weights = checked_multiply(4 * fields.count("max_2d_position_embeddings"), model.d_model);
}

/// The experts of Nomic BERT, in every so many layers from the second on, which have one bias together; all other
/// matrices of these files have biases, and none has a gate.
inline void read_nomic_experts(config_fields& fields, transformer& model) {
  for (const char* field : {"qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias"})
    if (!fields.flag_or(field, false)) fail(errc::unsupported, fields.path(field), "false", "true with experts");
  if (const std::string kind = fields.string("activation_function"); kind.find("glu") != std::string::npos)
    fail(errc::unsupported, fields.path("activation_function"), kind, "gelu with experts");
  if (fields.count_or("num_shared_experts", 0) > 0)
    fail(errc::unsupported, fields.path("num_shared_experts"), fields.count("num_shared_experts"), "0");
  const std::int64_t every = fields.count("moe_every_n_layers");
  model.moe.experts = fields.count("num_experts");
  model.moe.top_k = fields.count("moe_top_k");
  model.moe.expert_d_ff = model.mlp.d_ff;
  model.moe.dense_layers = mark_sparse(fields, model, [&](std::int64_t i) { return i % every == 1; });
  add_weights(model, moe_layers(model), model.d_model);
}

/// Nomic BERT: rotary positions, gated MLPs, and no biases but those of norms and pooler; experts in the files that
/// have them. The class ForPreTraining is refused, as are switches of the first files that change weights: their class
/// is another one, beside the weights.
inline void read_nomic(config_fields& fields, transformer& model) {
  for (const char* field : {"prenorm", "use_rms_norm"}) fields.refuse_true(field);
  if (const std::string name = class_of(fields); ends_in(name, "ForPreTraining"))  // not a class of transformers
    fail(errc::unsupported, fields.path("architectures"), name, "NomicBertModel or NomicBertForMaskedLM");
  model.learned_positions = 0;
  if (fields.count_or("num_experts", 0) > 0) return read_nomic_experts(fields, model);
  for (const char* field : {"qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias"}) fields.refuse_true(field);
  model.attention.qkv_bias = model.attention.output_bias = false;
  model.mlp = {model.mlp.d_ff, true, false};
}

/// Rotary positions in place of a table; RoFormer keeps those of one head as weights.
inline void read_rotary(config_fields& fields, transformer& model) {
  model.learned_positions = 0;
  if (fields.type() != "roformer") return;
  if (fields.has("embedding_size") && fields.count("embedding_size") != model.d_model)
    fail(errc::unsupported, fields.path("embedding_size"), fields.count("embedding_size"), "hidden_size");
  model.other_weights = checked_multiply(model.max_positions, model.attention.head_dim);
}

/// The encoder of gte v1.5, which newer files call gte: rotary positions and gated MLPs, of which the last matrix alone
/// has a bias.
inline void read_gte(config_fields&, transformer& model) {
  model.learned_positions = 0;
  model.mlp = {model.mlp.d_ff, true, false};
  model.other_weights = checked_multiply(model.layers, model.d_model);
}

/// BERT; with `alibi_starting_size`, which no class of transformers has, the one beside the weights of DNABERT-2 and
/// MosaicBERT: no table of positions, and gated MLPs like those of gte.
inline void read_bert(config_fields& fields, transformer& model) {
  if (fields.has("alibi_starting_size")) read_gte(fields, model);
}

/// BigBird: biases of queries, keys and values are a choice. Its blocks that attend to a few others count as attending
/// to all.
inline void read_big_bird(config_fields& fields, transformer& model) {
  model.attention.qkv_bias = fields.flag("use_bias");
  if (fields.has("attention_type") && fields.object().string("attention_type") == "original_full") return;
  for (const char* of_blocks : {"attention_type", "block_size", "num_random_blocks"}) fields.looked_for(of_blocks);
  fields.assume("attention_type", "original_full", "blocks that attend to a few others count as attending to all");
}

/// An encoder like BERT.
struct encoder_family {
  std::string_view type;
  bool pooler = true;                                    ///< in the class without a head
  void (*rest)(config_fields&, transformer&) = nullptr;  ///< what only this type has
  bool always_pools = false;                             ///< the pooler is in every class
};
inline constexpr std::array<encoder_family, 23> encoder_families{{
    {"bert", true, read_bert},
    {"roberta"},
    {"xlm-roberta"},
    {"camembert"},
    {"data2vec-text"},
    {"bert-generation", false},
    {"new", false, read_gte},
    {"distilbert", false},
    {"electra", false, read_narrow_tables},
    {"albert", true, read_albert},
    {"mpnet", true, read_mpnet},
    {"deberta", false, read_deberta},
    {"deberta-v2", false, read_deberta},
    {"ernie", true, read_ernie},
    {"megatron-bert", true, read_norms_before},
    {"xlm-roberta-xl", true, read_norms_before},
    {"roberta-prelayernorm", true, read_norms_before},
    {"longformer", true, read_longformer},
    {"layoutlm", true, read_layoutlm, true},
    {"nomic_bert", false, read_nomic},
    {"jina_embeddings_v3", true, read_rotary},
    {"roformer", false, read_rotary},
    {"big_bird", true, read_big_bird, true},
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
  const bool usable = positions == "absolute" || (positions == "rope" && fields.type() == "new") ||
                      (positions == "rotary" && fields.type() == "jina_embeddings_v3");
  if (!usable) fail(errc::unsupported, fields.path("position_embedding_type"), positions, "absolute");
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
    model.output_head = false;
    return;
  }
  read_encoder_head(fields, family.pooler, model);
  if (fields.type() == "roformer" && ends_in(class_of(fields), "ForMultipleChoice"))
    model.pooler = false;  // the last token's state, without a dense layer
  if (!family.always_pools) return;
  const std::string name = class_of(fields);
  if (fields.type() == "big_bird" && ends_in(name, "ForQuestionAnswering"))
    fail(errc::unsupported, fields.path("architectures"), name, "a class with another head");
  if (fields.type() == "big_bird" && ends_in(name, "ForSequenceClassification"))  // whose head is another dense layer
    model.other_weights = checked_add(checked_multiply(model.d_model, model.d_model), model.d_model);
  model.pooler = true;
}

/// ESM: norms before attention and MLP, rotary positions or a table, and a matrix over all maps of attention that
/// predicts contacts.
inline void read_esm(config_fields& fields, transformer& model) {
  constexpr std::string_view field = "position_embedding_type";
  fields.refuse_true("is_folding_model");
  read_encoder_sizes(fields, model);
  const std::string positions = fields.string(field);
  if (positions != "absolute" && positions != "rotary")
    fail_unknown(fields.path(field), positions, {"absolute", "rotary"});
  if (positions == "absolute") model.learned_positions = model.max_positions;
  model.attention.qkv_bias = model.attention.output_bias = model.norm_bias = true;
  model.mlp = {model.mlp.d_ff, false, true};
  model.embedding_norm = fields.flag_or("emb_layer_norm_before", false);
  model.other_weights = model.layers * model.attention.heads + 1;
  const std::string name = class_of(fields);
  if (ends_in(name, "ForTokenClassification") || ends_in(name, "ForMaskedLM") || ends_in(name, "EsmModel") ||
      name.empty())
    return read_encoder_head(fields, true, model);
  if (!ends_in(name, "ForSequenceClassification"))
    fail_unknown(fields.path("architectures"), name, {"EsmModel", "EsmForMaskedLM", "EsmForSequenceClassification"});
  model.pooler = true;  // a dense layer of the classifier
  model.classes = label_count(fields);
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

/// EuroBERT: the layers of Llama where every token attends to all others; its masked-language head is one matrix.
inline void read_eurobert(config_fields& fields, transformer& model) {
  model.kind = architecture::encoder;
  model.d_model = fields.count("hidden_size");
  model.layers = fields.count("num_hidden_layers");
  model.vocab = fields.count("vocab_size");
  model.max_positions = fields.tokens("max_position_embeddings");
  read_heads(fields, model);
  model.attention.qkv_bias = model.attention.output_bias = fields.flag("attention_bias");
  model.mlp = {fields.count("intermediate_size"), true, fields.flag("mlp_bias")};
  const std::string name = class_of(fields);
  model.output_head = ends_in(name, "ForMaskedLM");
  if (model.output_head) {
    model.head_bias = model.mlp.bias;
    model.tied_embeddings = ties_embeddings(fields);
    if (model.tied_embeddings) return;
    model.other_products = checked_multiply(model.d_model, model.vocab);
  } else if (ends_in(name, "ForTokenClassification") || ends_in(name, "ForSequenceClassification")) {
    model.pooler = ends_in(name, "ForSequenceClassification");  // a dense layer of the classifier
    model.classes = label_count(fields);
  } else if (!name.empty() && !ends_in(name, "Model")) {
    fail_unknown(fields.path("architectures"), name, {"EuroBertModel", "EuroBertForMaskedLM"});
  }
}

/// A classifier in place of the output head of a pair of stacks: a dense layer and a matrix on the last token. Nothing
/// where the class has none.
inline bool read_pair_classifier(config_fields& fields, transformer& model) {
  if (!ends_in(class_of(fields), "ForSequenceClassification")) return false;
  model.output_head = false;
  model.pooler = true;
  model.classes = label_count(fields);
  return true;
}

/// T5: encoder and decoder, relative positions (hence no longest sequence), RMSNorm, no biases. UMT5 has a table of
/// relative positions in every layer, T5 one in each stack.
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
  model.tied_embeddings = ties_embeddings(fields);
  const bool labels = ends_in(class_of(fields), "ForTokenClassification");
  const bool alone = labels || ends_in(class_of(fields), "EncoderModel");
  if (fields.type() == "umt5") {
    const std::int64_t further = model.encoder_layers - 1 + (alone ? 0 : model.layers - 1);
    model.other_weights = checked_multiply(further, model.attention.relative_buckets, model.attention.heads);
  }
  if (!alone && read_pair_classifier(fields, model)) return;
  if (!alone) return read_causal_head(fields, model);
  if (labels) model.classes = label_count(fields);
  model.kind = architecture::encoder;
  model.output_head = false;
  model.layers = model.encoder_layers;
  model.encoder_layers = 0;
  model.tied_embeddings = true;
}

/// T5Gemma: Gemma 2 as encoder and as decoder, of the same sizes, each with a table of tokens of its own, and with two
/// norms around the attention to the encoder.
inline void read_t5gemma(config_fields& top, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  config_fields encoder = part_fields(top, "encoder", "gemma2", nothing);
  config_fields decoder = part_fields(top, "decoder", "gemma2", nothing);
  read_decoder(decoder, *find_text_family("gemma2").row, model);
  for (const char* field :
       {"hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size", "vocab_size"})
    if (encoder.count(field) != decoder.count(field))
      fail(errc::unsupported, encoder.path(field), encoder.count(field), "that of the decoder");
  model.kind = architecture::encoder_decoder;
  model.encoder_layers = encoder.count("num_hidden_layers");
  model.tied_embeddings = ties_embeddings(top);
  add_weights(model, 2 * model.encoder_layers + model.layers, model.d_model);  // further norms
  add_weights(model, model.vocab, model.d_model);
  if (model.attention.window > 0)
    decoder.assume("sliding_window", "none", "tokens that attend to a window count as attending to all");
  model.attention.window = model.attention.local_layers = 0;
  read_causal_head(top, model);
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
  std::int64_t heads[2] = {};
  for (const std::string_view field : {"encoder_attention_heads", "decoder_attention_heads"}) {
    heads[0] = std::exchange(heads[1], fields.count(field));
    if (model.d_model % heads[1] != 0)
      fail(errc::not_divisible, fields.path(fields.own_name(field)), heads[1], "a divisor of d_model");
  }
  if (heads[0] != heads[1])
    fields.assume("encoder_attention_heads", std::to_string(heads[1]), "as in the decoder: the matrices are the same");
  model.attention.heads = model.attention.kv_heads = heads[1];
  model.attention.head_dim = model.d_model / model.attention.heads;
  model.attention.qkv_bias = model.attention.output_bias = model.norm_bias = true;
  model.mlp = {count_of_both(fields, "encoder_ffn_dim", "decoder_ffn_dim"), false, true};
  model.tied_embeddings = ties_embeddings(fields);
  if (!read_pair_classifier(fields, model)) read_causal_head(fields, model);
}

/// An encoder with a decoder like BART: where its norms are, and how many rows its tables of positions have beside
/// those of the longest sequence.
struct pair_of_stacks {
  std::string_view type;
  bool embedding_norm;
  bool final_norm;  ///< behind the last layers
  std::int64_t extra_rows = 0;
};
inline constexpr std::int64_t no_table = -1;  // positions that are computed
inline constexpr std::array<pair_of_stacks, 9> pairs_of_stacks{{
    {"bart", true, false, 2},
    {"mbart", true, true, 2},
    {"plbart", true, false, 2},
    {"mvp", true, false, 2},
    {"blenderbot", false, true},
    {"blenderbot-small", true, false},
    {"pegasus", false, true},
    {"marian", false, false},
    {"m2m_100", false, true, no_table},
}};

/// BART and those like it.
inline void read_bart(config_fields& fields, transformer& model) {
  read_two_stacks(fields, model);
  model.max_positions = fields.tokens("max_position_embeddings");
  for (const pair_of_stacks& each : pairs_of_stacks) {
    if (each.type != fields.type()) continue;
    model.embedding_norm = each.embedding_norm;
    model.final_norm = each.final_norm;
    const std::int64_t rows = each.extra_rows == no_table ? 0 : model.max_positions + each.extra_rows;
    model.learned_positions = model.encoder_positions = rows;
  }
  fields.refuse_true("use_prompt");
  if (fields.has("share_encoder_decoder_embeddings") && !fields.flag_or("share_encoder_decoder_embeddings", true))
    fail(errc::unsupported, fields.path("share_encoder_decoder_embeddings"), "false", "true");
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
