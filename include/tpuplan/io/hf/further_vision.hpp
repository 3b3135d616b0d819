#ifndef TPUPLAN_IO_HF_FURTHER_VISION_HPP
#define TPUPLAN_IO_HF_FURTHER_VISION_HPP

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/integer.hpp>
#include <tpuplan/io/hf/fields.hpp>
#include <tpuplan/io/hf/vision.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// Further towers and projectors of Hugging Face configurations, and encoders of sound in front of a language model.
/// Shapes from the modelling files of transformers, or of those who publish the weights.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Weights of a matrix with its bias.
inline std::int64_t biased(std::int64_t in, std::int64_t out) { return checked_add(checked_multiply(in, out), out); }

/// Says that weights of a projector are counted and their FLOPs are not.
inline void say_weights_alone(config_fields& top, std::string_view field, std::int64_t weights) {
  top.assume(field, std::to_string(weights) + " parameters", "counted, their FLOPs are not");
}

/// ViP-LLaVA: a norm over the outputs of several layers, then two matrices with biases.
inline void project_vipllava(config_fields& top, config_fields&, transformer& model) {
  constexpr std::string_view field = "vision_feature_layers";
  const bool one = top.has(field) && top.object().at(field).is_number();
  const auto layers = one ? 1 : static_cast<std::int64_t>(top.list(field).size());
  check_dimension(top.path(field), layers);
  vision_spec& v = model.vision;
  v.projector.input = checked_multiply(layers, v.d_model);
  v.projector.norm_weights = 2 * v.projector.input;
  v.projector.hidden = v.projector.output = model.d_model;
  v.projector.bias = true;
  v.tokens_per_image = vision_tokens(v) - 1;
}

/// Aya Vision and Command A Vision: two matrices over merged patches, of which the first makes a gate too; Aya has a
/// norm before them.
inline void project_gated(config_fields& top, config_fields&, transformer& model) {
  constexpr std::string_view field = "alignment_intermediate_size";
  vision_spec& v = model.vision;
  projector_spec& p = v.projector;
  p.merge = top.count("downsample_factor");
  const bool aya = top.type() == "aya_vision";
  const std::int64_t input = checked_multiply(checked_multiply(p.merge, p.merge), v.d_model);
  const std::int64_t width = aya && !top.has(field) ? model.d_model : top.count(field);
  if (width % 2 != 0) fail(errc::not_divisible, top.path(field), width, "an even number");
  p.norm_weights = aya ? 2 * input : 0;
  p.input = 2 * input;
  p.hidden = width / 2;
  p.output = model.d_model;
  p.bias = true;
  v.other_weights = checked_add(v.other_weights, width / 2);  // the biases of the gate
}

/// LFM2-VL: a norm over merged patches where the file has it, then two matrices.
inline void project_lfm2_vl(config_fields& top, config_fields&, transformer& model) {
  vision_spec& v = model.vision;
  projector_spec& p = v.projector;
  p.merge = top.count("downsample_factor");
  p.input = checked_multiply(checked_multiply(p.merge, p.merge), v.d_model);
  if (top.flag("projector_use_layernorm")) p.norm_weights = 2 * p.input;
  p.hidden = top.count("projector_hidden_size");
  p.output = model.d_model;
  p.bias = top.flag("projector_bias");
}

/// GLM-4.1V to 4.6V: a gated tower with RMSNorm and positions, a convolution that merges patches, and a gated MLP. The
/// MLPs of the tower are as wide as the text model. GLM-OCR has MLPs of their own width, biases, norms of queries and
/// keys, and no table of positions.
inline void project_glm4v(config_fields& top, config_fields& fields, transformer& model) {
  vision_spec& v = model.vision;
  v.d_model = fields.count("hidden_size");
  v.layers = fields.count("depth");
  v.heads = fields.count("num_heads");
  v.channels = fields.count("in_channels");
  v.patch_size = square_side(fields, "patch_size");
  v.image_size = square_side(fields, "image_size");
  v.temporal_patch = fields.count("temporal_patch_size");
  check_tower_heads(fields, "num_heads", v);
  fit_image(fields, v, 1);
  const bool ocr = top.type() == "glm_ocr";
  const std::int64_t merged = fields.count("out_hidden_size"), width = fields.count("intermediate_size");
  v.d_ff = ocr ? width : merged;
  v.gated = true;
  v.qkv_bias = fields.flag("attention_bias");
  v.output_bias = v.mlp_bias = ocr && v.qkv_bias;
  v.norm_bias = false;
  v.learned_positions = ocr ? 0 : patches(v.image_size, v.patch_size);
  v.extra_norms = ocr ? 1 : 2;
  projector_spec& p = v.projector;
  p.merge = fields.count("spatial_merge_size");
  p.input = checked_multiply(checked_multiply(p.merge, p.merge), v.d_model);
  p.output = merged;
  p.bias = true;
  check_projected(fields, "out_hidden_size", model);
  fit_image(fields, v, p.merge);
  const std::int64_t inner = ocr ? checked_multiply(merged, v.channels) : width;
  const std::int64_t merger = checked_add(checked_multiply(3 * merged, inner), checked_multiply(merged, merged + 2));
  v.other_weights = checked_add(merger, ocr ? checked_multiply(v.layers, 2 * (v.d_model / v.heads)) : 0);
  say_weights_alone(top, "vision_config.merger", merger);
}

/// A field of the tower of Kimi under one of two names.
inline std::int64_t moonvit_count(config_fields& fields, std::string_view field, std::string_view older) {
  return fields.count(fields.has(older) ? older : field);
}

/// Kimi-VL and Kimi K2.5: a tower with a table of positions by row and column, a norm, and two matrices over four
/// merged patches.
inline void project_kimi(config_fields& top, config_fields& fields, transformer& model) {
  vision_spec& v = model.vision;
  v.d_model = moonvit_count(fields, "hidden_size", "vt_hidden_size");
  v.d_ff = moonvit_count(fields, "intermediate_size", "vt_intermediate_size");
  v.layers = moonvit_count(fields, "num_hidden_layers", "vt_num_hidden_layers");
  v.heads = moonvit_count(fields, "num_attention_heads", "vt_num_attention_heads");
  v.patch_size = square_side(fields, "patch_size");
  check_tower_heads(fields, "num_attention_heads", v);
  v.learned_positions = checked_multiply(moonvit_count(fields, "pos_emb_height", "init_pos_emb_height"),
                                         moonvit_count(fields, "pos_emb_width", "init_pos_emb_width"));
  v.extra_norms = 1;
  projector_spec& p = v.projector;
  p.merge = 2;
  if (fields.has("merge_kernel_size") && square_side(fields, "merge_kernel_size") != 2)
    fail(errc::unsupported, fields.path("merge_kernel_size"), "given", "[2, 2]");
  p.norm_weights = 2 * v.d_model;
  p.input = p.hidden = checked_multiply(4, v.d_model);
  p.output = model.d_model;
  p.bias = true;
  v.image_size = round_up(usual_image_size, 2 * v.patch_size);
  top.assume("images", std::to_string(v.image_size) + " x " + std::to_string(v.image_size),
             "images vary in size; this one is assumed");
}

/// Step 3.7: a tower with a scale on each channel, two convolutions that halve its sides, and one matrix.
inline void project_step3p7(config_fields& top, config_fields& fields, transformer& model) {
  vision_spec& v = model.vision;
  v.d_model = fields.count(fields.has("width") ? "width" : "hidden_size");
  v.layers = fields.count(fields.has("layers") ? "layers" : "num_hidden_layers");
  v.heads = fields.count(fields.has("heads") ? "heads" : "num_attention_heads");
  const double ratio = fields.number_or("mlp_ratio", 8960.0 / 1536.0);
  in_range(fields.path("mlp_ratio"), ratio, 0.01, 100, "0.01 to 100");
  v.d_ff = floor_to_count(static_cast<double>(v.d_model) * ratio);
  v.image_size = square_side(fields, "image_size");
  v.patch_size = square_side(fields, "patch_size");
  for (const std::string_view field : {"use_cls_token", "use_ln_post"}) fields.refuse_true(field);
  check_tower_heads(fields, "num_attention_heads", v);
  fit_image(fields, v, 4);
  v.patch_bias = false;
  v.learned_positions = patches(v.image_size, v.patch_size);
  v.extra_norms = 1;
  const std::int64_t d = v.d_model, first = biased(9 * d, 2 * d), second = biased(18 * d, 4 * d);
  v.other_weights = checked_add(checked_multiply(2 * v.layers, d), checked_add(first, second));
  v.projector.merge = 4;
  v.projector.input = 4 * d;
  v.projector.output = model.d_model;
  v.projector.bias = top.flag("projector_bias");
  say_weights_alone(top, "vision_config.downsamplers", checked_add(first, second));
}

/// MiniMax-M3: a tower with rotary positions, two matrices for each patch, and two over four merged ones.
inline void project_minimax_m3(config_fields& top, config_fields& fields, transformer& model) {
  vision_spec& v = model.vision;
  v = read_tower(fields);
  fit_image(fields, v, 2);
  v.patch_bias = false;
  v.temporal_patch = 2;
  v.extra_norms = 1;
  const std::int64_t hidden = top.count("projector_hidden_size"), d = model.d_model;
  v.projector.input = v.d_model;
  v.projector.hidden = hidden;
  v.projector.output = d;
  v.projector.bias = true;
  const std::int64_t merging = checked_add(biased(4 * d, hidden), biased(hidden, d));
  v.tokens_per_image = patches(v.image_size, v.patch_size) / 4;
  v.other_weights = checked_add(v.other_weights, merging);
  say_weights_alone(top, "merge_linear", merging);
}

/// Ovis 2: a gated tower with RMSNorm, a matrix and a norm to a vocabulary of images, and its table of embeddings.
inline void project_ovis2(config_fields& top, config_fields& fields, transformer& model) {
  vision_spec& v = model.vision;
  v = read_tower(fields);
  fit_image(fields, v, 1);
  v.gated = true;
  v.qkv_bias = v.output_bias = fields.flag("qkv_bias");
  v.mlp_bias = fields.flag("mlp_bias");
  v.norm_bias = false;
  v.learned_positions = patches(v.image_size, v.patch_size);
  v.extra_norms = 2;
  const std::int64_t stride = fields.count("hidden_stride"), words = fields.count("vocab_size");
  const std::int64_t marks = fields.part("num_visual_indicator_tokens");
  check_part(fields.path("num_visual_indicator_tokens"), marks, words - 1, "fewer than vocab_size");
  v.projector.merge = stride;
  v.projector.input = checked_multiply(checked_multiply(stride, stride), v.d_model);
  v.projector.output = words - marks;
  v.projector.norm_weights = 2 * (words - marks);
  if (top.has("hidden_size") && top.count("hidden_size") != model.d_model)
    fail(errc::invalid_argument, top.path("hidden_size"), top.count("hidden_size"), "that of text_config");
  v.other_weights = checked_multiply(words, model.d_model);
  say_weights_alone(top, "visual_embeddings_table", v.other_weights);
}

/// Idefics 2: a gated MLP to the width of the text, and layers in which a few queries attend to all patches.
inline void project_idefics2(config_fields& top, config_fields&, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  config_fields fields = part_fields(top, "perceiver_config", "idefics2_perceiver", nothing);
  vision_spec& v = model.vision;
  const std::int64_t d = model.d_model, latents = fields.count("resampler_n_latents");
  v.projector.input = 2 * v.d_model;  // twice, for the gate
  v.projector.hidden = model.mlp.d_ff;
  v.projector.output = d;
  v.tokens_per_image = latents;
  const std::int64_t width = fields.count("resampler_head_dim");
  const std::int64_t heads = 2 * fields.count("resampler_n_heads") + 2 * fields.count("num_key_value_heads");
  const std::int64_t layer = checked_add(checked_multiply(width, heads, d), checked_multiply(3 * d, 4 * d) + 3 * d);
  const std::int64_t all =
      checked_add(checked_multiply(latents + 1, d), checked_multiply(fields.count("resampler_depth"), layer));
  v.other_weights = checked_add(v.other_weights, all);
  say_weights_alone(top, "perceiver_config", all);
}

/// Aria: a few queries attend to all patches, then a norm and two matrices.
inline void project_aria(config_fields& top, config_fields&, transformer& model) {
  vision_spec& v = model.vision;
  const std::int64_t d = v.d_model;
  std::int64_t queries = 256, used = 0;
  const bool stated = top.has("projector_patch_to_query_dict");
  if (stated) {
    const nlohmann::json& given = top.object().at("projector_patch_to_query_dict");
    queries = 0;
    for (const auto& [key, value] : given.items()) {
      if (!value.is_number_integer() || value < 1 || value > 1048576)
        fail(errc::malformed_input, top.path("projector_patch_to_query_dict"), shown_json(value), "numbers of queries");
      queries = std::max(queries, value.get<std::int64_t>());
      if (key == std::to_string(patches(v.image_size, v.patch_size))) used = value.get<std::int64_t>();
    }
  }
  check_dimension(top.path("projector_patch_to_query_dict"), queries);
  // Projections before and in the attention, the matrix behind it, three norms, and the queries.
  const std::int64_t attention = checked_add(checked_multiply(8 * d, d), 5 * d);
  const std::int64_t all = checked_add(attention, 6 * d + checked_multiply(queries, d));
  v.tokens_per_image = used > 0 ? used : std::min<std::int64_t>(queries, 128);
  if (used == 0) {
    top.assume("projector_patch_to_query_dict", std::to_string(v.tokens_per_image) + " tokens for an image",
               stated ? "the file has no number of queries for so many patches" : "class default of aria");
  }
  v.projector.input = d;
  v.projector.hidden = v.projector.output = model.d_model;
  v.other_weights = checked_add(v.other_weights, all);
  say_weights_alone(top, "projector.cross_attn", all);
}

/// PaddleOCR-VL: a norm, then two matrices over merged patches.
inline void project_paddleocr(config_fields&, config_fields& fields, transformer& model) {
  vision_spec& v = model.vision;
  v = read_tower(fields);
  fit_image(fields, v, 1);
  v.learned_positions = patches(v.image_size, v.patch_size);
  v.extra_norms = 1;
  projector_spec& p = v.projector;
  p.merge = fields.count("spatial_merge_size");
  p.input = p.hidden = checked_multiply(checked_multiply(p.merge, p.merge), v.d_model);
  p.norm_weights = 2 * v.d_model;
  p.output = model.d_model;
  p.bias = true;
  fit_image(fields, v, p.merge);
}

/// InternVL with code beside the weights: the tower of InternVL under other names.
inline void project_internvl_chat(config_fields& top, config_fields& fields, transformer& model) {
  vision_spec& v = model.vision;
  v = read_tower(fields);
  fit_image(fields, v, 2);
  v.qkv_bias = fields.flag("qkv_bias");
  v.norm_bias = fields.string("norm_type") == "layer_norm";
  v.class_token = true;
  v.learned_positions = patches(v.image_size, v.patch_size) + 1;
  const std::int64_t norms = fields.flag("qk_normalization") ? 2 : 0;  // RMSNorm over all heads
  v.other_weights = checked_multiply((2 + norms) * v.layers, v.d_model);
  if (top.number_or("downsample_ratio", 0.5) != 0.5)
    fail(errc::unsupported, top.path("downsample_ratio"), shown_json(top.object().at("downsample_ratio")), "0.5");
  projector_spec& p = v.projector;
  p.merge = 2;
  p.input = checked_multiply(4, v.d_model);
  p.norm_weights = 2 * p.input;
  p.hidden = p.output = model.d_model;
  p.bias = true;
  v.tokens_per_image = patches(v.image_size, v.patch_size) / 4;
  top.assume("images", "one tile of " + std::to_string(v.image_size) + " pixels",
             "larger images take a tile each for their parts, and as many tokens again");
}

/// Phi-3-Vision: CLIP's large tower of 336 pixels, whose shape no file states, two separators, and two matrices over
/// four merged patches.
inline void project_phi3_v(config_fields& top, transformer& model) {
  vision_spec& v = model.vision;
  v.d_model = 1024;
  v.d_ff = 4096;
  v.layers = 24;
  v.heads = 16;
  v.image_size = 336;
  v.patch_size = 14;
  v.class_token = true;
  v.learned_positions = 577;
  v.extra_norms = 2;
  v.patch_bias = false;
  v.other_weights = 2 * 4096;
  v.projector.merge = 2;
  v.projector.input = 4096;
  v.projector.hidden = v.projector.output = model.d_model;
  v.projector.bias = true;
  v.tokens_per_image = 144;
  top.assume("img_processor", "clip-vit-large-patch14-336", "the tower that its class loads");
  top.assume("images", "one tile of 336 pixels",
             "larger images take a tile each for their parts, and as many tokens again");
}

/// The encoder of Whisper in front of a language model: two convolutions, a table of positions, layers whose keys have
/// no bias, and a norm.
inline std::int64_t sound_encoder(config_fields& fields) {
  const std::int64_t d = fields.count("hidden_size"), wide = fields.count("intermediate_size");
  const std::int64_t stem = checked_add(biased(3 * fields.count("num_mel_bins"), d), biased(3 * d, d));
  const std::int64_t layer = checked_add(checked_add(checked_multiply(4 * d, d), 3 * d),
                                         checked_add(biased(d, wide), biased(wide, d)) + 4 * d);
  return checked_add(checked_add(stem, checked_multiply(fields.count("max_source_positions"), d)),
                     checked_add(checked_multiply(fields.count("num_hidden_layers"), layer), 2 * d));
}

/// Voxtral joins four steps of sound, without biases; Qwen2-Audio has one matrix with a bias.
inline void project_sound(config_fields& top, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  const bool voxtral = top.type() == "voxtral";
  config_fields audio = part_fields(top, "audio_config", voxtral ? "voxtral_encoder" : "qwen2_audio_encoder", nothing);
  const std::int64_t d = model.d_model;
  const std::int64_t bridge = voxtral ? checked_multiply(checked_add(audio.count("intermediate_size"), d), d)
                                      : biased(audio.count("hidden_size"), d);
  const std::int64_t heard = checked_add(sound_encoder(audio), bridge);
  model.other_weights = checked_add(model.other_weights, heard);
  top.assume("audio_config", std::to_string(heard) + " parameters", "the audio tower is counted, its FLOPs are not");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
