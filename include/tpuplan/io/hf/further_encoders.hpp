#ifndef TPUPLAN_IO_HF_FURTHER_ENCODERS_HPP
#define TPUPLAN_IO_HF_FURTHER_ENCODERS_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/integer.hpp>
#include <tpuplan/io/hf/encoders.hpp>
#include <tpuplan/io/hf/fields.hpp>
#include <tpuplan/io/hf/heads.hpp>
#include <tpuplan/io/hf/language.hpp>
#include <tpuplan/model/transformer.hpp>
#include <vector>

/// @file
/// Encoders of Hugging Face configurations of proteins (ESM), of text with the layers of Llama (EuroBERT), and of
/// speech (wav2vec 2.0, HuBERT, WavLM). Shapes from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

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
  if (ends_in(name, "ForMaskedLM")) {
    model.head_bias = model.mlp.bias;
    model.tied_embeddings = fields.flag("tie_word_embeddings");
    if (model.tied_embeddings) return;
    model.other_products = checked_multiply(model.d_model, model.vocab);
  } else if (ends_in(name, "ForTokenClassification") || ends_in(name, "ForSequenceClassification")) {
    model.pooler = ends_in(name, "ForSequenceClassification");  // a dense layer of the classifier
    model.classes = label_count(fields);
  } else if (!name.empty() && !ends_in(name, "Model")) {
    fail_unknown(fields.path("architectures"), name, {"EuroBertModel", "EuroBertForMaskedLM"});
  }
}

/// Sizes of a convolution by layer, all of one length.
inline std::vector<std::int64_t> convolution_sizes(config_fields& fields, std::string_view field) {
  std::vector<std::int64_t> sizes;
  for (const nlohmann::json& each : fields.list(field)) {
    if (!each.is_number_integer() || each < 1 || each > 65536)
      fail(errc::malformed_input, fields.path(field), shown_json(each), "numbers from 1 to 65536");
    sizes.push_back(each.get<std::int64_t>());
  }
  if (sizes.empty() || sizes.size() > 64)
    fail(errc::invalid_argument, fields.path(field), static_cast<std::int64_t>(sizes.size()), "1 to 64 layers");
  return sizes;
}

/// The convolutions over samples of sound before the layers, and what joins them to the layers.
inline std::int64_t speech_stem(config_fields& fields, std::int64_t d) {
  const std::vector<std::int64_t> widths = convolution_sizes(fields, "conv_dim");
  const std::vector<std::int64_t> kernels = convolution_sizes(fields, "conv_kernel");
  if (kernels.size() != widths.size())
    fail(errc::invalid_argument, fields.path("conv_kernel"), static_cast<std::int64_t>(kernels.size()),
         "as many entries as conv_dim");
  const std::string norm = fields.string("feat_extract_norm");
  if (norm != "group" && norm != "layer") fail_unknown(fields.path("feat_extract_norm"), norm, {"group", "layer"});
  const bool bias = fields.flag("conv_bias");
  std::int64_t weights = 0, before = 1;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    weights = checked_add(weights, checked_multiply(before, widths[i], kernels[i]));
    weights += (bias ? widths[i] : 0) + (norm == "layer" || i == 0 ? 2 * widths[i] : 0);
    before = widths[i];
  }
  if (fields.flag_or("feat_proj_layer_norm", true)) weights += 2 * before;
  weights = checked_add(weights, checked_multiply(before + 1, d));
  // A convolution for positions, whose kernel is normed: one more weight for each of its places.
  const std::int64_t kernel = fields.count("num_conv_pos_embeddings"),
                     groups = fields.count("num_conv_pos_embedding_groups");
  if (d % groups != 0)
    fail(errc::not_divisible, fields.path("num_conv_pos_embedding_groups"), groups, "a divisor of hidden_size");
  weights = checked_add(weights, checked_add(checked_multiply(d, d / groups, kernel), d + kernel));
  const bool masks = fields.number_or("mask_time_prob", 0.05) > 0 || fields.number_or("mask_feature_prob", 0) > 0;
  return weights + (masks ? d : 0);
}

/// What the class of a speech model has behind its layers. A CTC head is as wide as the vocabulary, of which the model
/// has no table: it counts in its place.
inline void read_speech_head(config_fields& fields, transformer& model) {
  const std::string name = class_of(fields);
  const std::int64_t d = model.d_model;
  if (ends_in(name, "ForCTC")) {
    model.vocab = fields.count("vocab_size");
    model.head_bias = true;
    return;
  }
  model.vocab = 1;
  model.other_weights -= d;  // no table of tokens
  if (ends_in(name, "ForSequenceClassification")) {
    const std::int64_t width = fields.count("classifier_proj_size"), labels = label_count(fields);
    const std::int64_t weighted = fields.flag_or("use_weighted_layer_sum", false) ? model.layers + 1 : 0;
    model.other_weights += checked_multiply(d + 1, width) + checked_multiply(width + 1, labels) + weighted;
  } else if (ends_in(name, "ForPreTraining") && fields.type() == "wav2vec2") {
    const std::int64_t codes =
        checked_multiply(fields.count("num_codevectors_per_group"), fields.count("num_codevector_groups"));
    const std::int64_t code = fields.count("codevector_dim"), out = fields.count("proj_codevector_dim");
    const std::int64_t last = convolution_sizes(fields, "conv_dim").back();
    model.other_weights += checked_multiply(codes, code / fields.count("num_codevector_groups")) +
                           checked_multiply(last + 1, codes) + checked_multiply(d + code + 2, out);
  } else if (!name.empty() && !ends_in(name, "Model")) {
    fail_unknown(fields.path("architectures"), name, {"Wav2Vec2Model", "Wav2Vec2ForCTC", "HubertForCTC"});
  }
}

/// wav2vec 2.0, HuBERT and WavLM: layers like BERT's over frames of sound. WavLM adds a table of relative positions in
/// its first layer, and a gate on it in each.
inline void read_speech(config_fields& fields, transformer& model) {
  for (const std::string_view field : {"add_adapter", "conv_pos_batch_norm"}) fields.refuse_true(field);
  model.kind = architecture::encoder;
  model.d_model = fields.count("hidden_size");
  model.layers = fields.count("num_hidden_layers");
  attention_spec& a = model.attention;
  a.heads = a.kv_heads = fields.count("num_attention_heads");
  if (model.d_model % a.heads != 0)
    fail(errc::not_divisible, fields.path("num_attention_heads"), a.heads, "a divisor of hidden_size");
  a.head_dim = model.d_model / a.heads;
  a.qkv_bias = a.output_bias = model.norm_bias = model.embedding_norm = true;
  model.final_norm = false;
  model.mlp = {fields.count("intermediate_size"), false, true};
  model.other_weights = speech_stem(fields, model.d_model);
  fields.assume("conv_dim", std::to_string(model.other_weights) + " parameters",
                "convolutions before the layers: counted, their FLOPs are not; a token is a frame behind them");
  if (fields.type() == "wavlm") {
    a.relative_buckets = fields.count("num_buckets");
    model.other_weights += model.layers * (a.heads + 8 * (a.head_dim + 1));
  }
  if (!fields.is_null("adapter_attn_dim") && fields.has("adapter_attn_dim")) {
    if (!fields.flag("do_stable_layer_norm"))
      fail(errc::unsupported, fields.path("adapter_attn_dim"), "without do_stable_layer_norm", "none");
    const std::int64_t inner = fields.count("adapter_attn_dim"), d = model.d_model;
    model.other_weights += checked_multiply(model.layers, checked_multiply(2 * d, inner) + inner + 3 * d);
  }
  read_speech_head(fields, model);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
