#ifndef TPUPLAN_READ_HF_AUDIO_HPP
#define TPUPLAN_READ_HF_AUDIO_HPP

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/heads.hpp>
#include <utility>
#include <vector>

/// @file
/// Sound in Hugging Face configurations: encoders of speech alone (wav2vec 2.0, HuBERT, WavLM), and those in front of a
/// language model (Gemma 3n and 4, Qwen2-Audio, Voxtral). Shapes from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

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
  model.output_head = false;  // no table of tokens; a CTC head has a few dozen outputs
  fields.assume(
      "stem", std::to_string(model.other_weights) + " parameters",
      "convolutions before the layers: counted, but neither their FLOPs nor what they keep in memory; a token "
      "is a frame behind them");
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

/// The audio tower of Gemma 3n and 4, a conformer behind two convolutions over `features` bands of sound. `channels`
/// names the field with those of the convolutions; each layer has `bounds` numbers beside.
inline std::int64_t conformer(config_fields& fields, const std::string& prefix, std::string_view channels,
                              std::int64_t features, std::int64_t bounds) {
  const std::int64_t d = fields.count("hidden_size"), layers = fields.count(prefix + "num_hidden_layers");
  const std::int64_t heads = fields.count(prefix + "num_attention_heads");
  const nlohmann::json given = fields.list(channels);
  const bool usable = given.size() == 2 && given[0].is_number_integer() && given[1].is_number_integer();
  if (!usable || given[0] < 4 || given[1] < 1 || given[0] > 65536 || given[1] > 65536)
    fail(errc::unsupported, fields.path(channels), shown_json(given), "two numbers of channels");
  const auto first = given[0].get<std::int64_t>(), second = given[1].get<std::int64_t>();
  const std::int64_t bands = (features > 0 ? features : first) / 4;
  const std::int64_t stem = checked_add(10 * first + 9 * first * second + second, checked_multiply(bands * second, d));
  const std::int64_t vectors = 9 * d + d * fields.count(prefix + "conv_kernel_size") + d / heads;
  const std::int64_t layer = checked_add(checked_multiply(24 * d, d), vectors + bounds);
  return checked_add(stem, checked_multiply(layers, layer));
}

/// The tower of Gemma 4 and its projector to the text model. The bounds that `use_clipped_linears` adds to products are
/// counted, because the checkpoint stores them.
inline std::int64_t gemma4_audio(config_fields& fields, std::int64_t text_width) {
  const std::int64_t tower =
      conformer(fields, "", "subsampling_conv_channels", 0, fields.flag("use_clipped_linears") ? 40 : 0);
  const std::int64_t out = fields.count("output_proj_dims");
  return checked_add(tower, checked_add(checked_multiply(fields.count("hidden_size") + text_width, out), out));
}

/// Weights of a layer of Whisper's encoder, whose keys have no bias.
inline std::int64_t sound_layer(std::int64_t d, std::int64_t wide) {
  return checked_add(checked_add(checked_multiply(4 * d, d), 3 * d),
                     checked_add(biased(d, wide), biased(wide, d)) + 4 * d);
}

/// The encoder of Whisper in front of a language model: two convolutions, a table of positions, layers, and a norm.
inline std::int64_t sound_encoder(config_fields& fields) {
  const std::int64_t d = fields.count("hidden_size"), wide = fields.count("intermediate_size");
  const std::int64_t stem = checked_add(biased(3 * fields.count("num_mel_bins"), d), biased(3 * d, d));
  return checked_add(checked_add(stem, checked_multiply(fields.count("max_source_positions"), d)),
                     checked_add(checked_multiply(fields.count("num_hidden_layers"), sound_layer(d, wide)), 2 * d));
}

/// The encoder of Qwen3-Omni and what joins it to the text: three convolutions that halve the bands of sound, a matrix,
/// layers whose keys have biases, a norm and two matrices.
inline std::int64_t omni_sound(config_fields& fields, std::int64_t text_width) {
  const std::int64_t d = fields.count("d_model"), c = fields.count("downsample_hidden_size");
  const std::int64_t layer = checked_add(sound_layer(d, fields.count("encoder_ffn_dim")), d);
  const std::int64_t stem = checked_add(biased(9, c) + 2 * biased(9 * c, c),
                                        checked_multiply(ceil_div(fields.count("num_mel_bins"), 8), c, d));
  if (fields.count("output_dim") != text_width)
    fail(errc::invalid_argument, fields.path("output_dim"), fields.count("output_dim"), "the width of the text model");
  const std::int64_t ends = checked_add(biased(d, d), biased(d, text_width)) + 2 * d;
  return checked_add(checked_add(stem, ends), checked_multiply(fields.count("encoder_layers"), layer));
}

/// Weights of attention and norms in a layer of the talker of Qwen3-Omni.
inline std::int64_t talker_attention(config_fields& fields) {
  const std::int64_t d = fields.count("hidden_size"), head = fields.count("head_dim");
  const std::int64_t heads = fields.count("num_attention_heads") + fields.count("num_key_value_heads");
  return checked_add(checked_multiply(2 * d, heads, head), 2 * head + 2 * d);
}

/// The talker of Qwen3-Omni: a mixture of experts that reads what the thinker says, and a smaller model that writes the
/// further codes of each step.
inline std::int64_t omni_talker(config_fields& talker) {
  const nlohmann::json nothing = nlohmann::json::object();
  config_fields text = part_fields(talker, "text_config", "", nothing);
  config_fields codes = part_fields(talker, "code_predictor_config", "", nothing);
  const std::int64_t d = text.count("hidden_size"), wide = text.count("intermediate_size");
  const std::int64_t bridge = checked_add(biased(talker.count("thinker_hidden_size"), wide), biased(wide, d));
  const std::int64_t shared = 3 * text.count("shared_expert_intermediate_size") + 1;
  const std::int64_t experts =
      checked_multiply(text.count("num_experts"), 3 * text.count("moe_intermediate_size") + 1, d);
  const std::int64_t layer = checked_add(talker_attention(text) + shared * d, experts);
  const std::int64_t spoken = checked_add(checked_multiply(text.count("num_hidden_layers"), layer), 2 * bridge);
  const std::int64_t c = codes.count("hidden_size"), groups = codes.count("num_code_groups") - 1;
  const std::int64_t coded =
      checked_multiply(codes.count("num_hidden_layers"),
                       checked_add(talker_attention(codes), checked_multiply(3 * c, codes.count("intermediate_size"))));
  const std::int64_t tables = checked_add(checked_multiply(2 * d, text.count("vocab_size")),
                                          checked_multiply(2 * c, groups, codes.count("vocab_size")));
  return checked_add(checked_add(spoken, coded), tables + d + c);
}

/// What makes sound of these codes: a table, layers with scales, blocks that stretch time, and convolutions.
inline std::int64_t omni_voice(config_fields& fields) {
  const std::int64_t d = fields.count("hidden_size"), wide = fields.count("intermediate_size");
  const std::int64_t codes = checked_multiply(fields.count("codebook_size"), fields.count("num_quantizers"), d);
  const std::int64_t layer = checked_add(checked_multiply(4 * d, d), checked_multiply(3 * d, wide) + 4 * d);
  std::int64_t weights = checked_add(codes, checked_multiply(fields.count("num_hidden_layers"), layer) + d);
  for (const std::int64_t ratio : convolution_sizes(fields, "upsampling_ratios"))
    weights = checked_add(weights, biased(ratio * d, d) + biased(d, 4 * d) + biased(4 * d, d) + 11 * d);
  std::int64_t width = fields.count("decoder_dim");
  weights = checked_add(weights, biased(7 * d, width));
  for (const std::int64_t rate : convolution_sizes(fields, "upsample_rates")) {
    const std::int64_t next = width / 2, unit = biased(7 * next, next) + biased(next, next) + 4 * next;
    weights = checked_add(weights, checked_add(biased(2 * rate * width, next), 2 * width + 3 * unit));
    width = next;
  }
  return checked_add(weights, 9 * width + 1);
}

/// The conformer of Phi-4-multimodal, which halves its frames three times, with a table of distances, and its two
/// projectors to the text: for sound alone, and beside images.
inline std::int64_t phi4_sound(config_fields& fields, std::int64_t text_width) {
  const nlohmann::json nothing = nlohmann::json::object();
  config_fields stem = part_fields(fields, "nemo_conv_settings", "", nothing);
  config_fields table = part_fields(fields, "relative_attention_bias_args", "", nothing);
  const std::int64_t d = fields.count("attention_dim"), wide = fields.count("linear_units");
  const std::int64_t c = stem.count("conv_channels"), bands = ceil_div(fields.count("input_size"), 8);
  for (const auto& [field, usual] : {std::pair<const char*, std::int64_t>{"kernel_size", 3},
                                     {"time_reduction", 8},
                                     {"ext_pw_out_channel", d},
                                     {"depthwise_seperable_out_channel", d}})
    if (fields.count(field) != usual)
      fail(errc::unsupported, fields.path(field), fields.count(field), std::to_string(usual));
  const std::int64_t before = checked_add(30 * c + 2 * biased(c, c), biased(bands * c, d));
  const std::int64_t mlps = 2 * checked_add(biased(d, 2 * wide), biased(wide, d));
  const std::int64_t layer = checked_add(mlps, 6 * biased(d, d) + biased(d, 2 * d) + 16 * d);
  const std::int64_t distances = 2 * table.count("t5_bias_max_distance");
  const std::int64_t bridges = 2 * checked_add(biased(d, text_width), biased(text_width, text_width));
  return checked_add(checked_add(before, checked_multiply(fields.count("num_blocks"), layer)),
                     checked_add(checked_multiply(distances, fields.count("attention_heads")), bridges));
}

/// Says that an encoder of sound is counted, or what speaks, and counts it.
inline void put_sound(config_fields& top, std::string_view field, std::int64_t weights, transformer& model,
                      const std::string& what = "the audio tower") {
  model.other_weights = checked_add(model.other_weights, weights);
  top.assume(field, std::to_string(weights) + " parameters", what + " is counted, its FLOPs are not");
}

/// Voxtral joins four steps of sound, without biases; Qwen2-Audio has one matrix with a bias.
inline void project_sound(config_fields& top, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  const bool voxtral = top.type() == "voxtral";
  config_fields audio = part_fields(top, "audio_config", voxtral ? "voxtral_encoder" : "qwen2_audio_encoder", nothing);
  const std::int64_t d = model.d_model;
  const std::int64_t bridge = voxtral ? checked_multiply(checked_add(audio.count("intermediate_size"), d), d)
                                      : biased(audio.count("hidden_size"), d);
  put_sound(top, "audio_config", checked_add(sound_encoder(audio), bridge), model);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
