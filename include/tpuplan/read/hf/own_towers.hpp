#ifndef TPUPLAN_READ_HF_OWN_TOWERS_HPP
#define TPUPLAN_READ_HF_OWN_TOWERS_HPP

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/audio.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/vision.hpp>

/// @file
/// Vision towers that a single family of Hugging Face configurations has, read with the projector behind them: Qwen-VL,
/// Gemma 3n and 4, GLM-V, Kimi-VL and others. Shapes from the modelling files of transformers, or of those who publish
/// the weights. Towers that a file names by a type of their own are in vision.hpp.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The shape that the towers of Qwen share. Images may have any size; the usual size is assumed.
inline vision_spec read_qwen_tower(config_fields& fields, std::string_view width) {
  vision_spec v;
  v.d_model = fields.count(width);
  v.layers = fields.count("depth");
  v.heads = fields.count("num_heads");
  v.channels = fields.count("in_channels");
  v.patch_size = fields.count("patch_size");
  v.temporal_patch = fields.count("temporal_patch_size");
  check_tower_heads(fields, "num_heads", v);
  projector_spec& p = v.projector;
  p.merge = fields.count("spatial_merge_size");
  p.input = p.hidden = checked_multiply(checked_multiply(p.merge, p.merge), v.d_model);
  p.bias = true;
  check_dimension(fields.path("spatial_merge_size") + " squared x " + std::string(width), p.input);
  check_dimension(fields.path("spatial_merge_size") + " x patch_size", checked_multiply(p.merge, v.patch_size));
  v.image_size = round_up(usual_image_size, p.merge * v.patch_size);
  fields.assume("images", std::to_string(v.image_size) + " x " + std::to_string(v.image_size),
                "images vary in size; this one is assumed");
  return v;
}

/// Qwen2-VL: `embed_dim` is the width of the tower, `hidden_size` that of the text model.
inline void project_qwen2_vl(config_fields&, config_fields& fields, transformer& model) {
  vision_spec& v = model.vision;
  v = read_qwen_tower(fields, "embed_dim");
  v.d_ff = checked_multiply(v.d_model, fields.count("mlp_ratio"));
  check_dimension(fields.path("mlp_ratio") + " x embed_dim", v.d_ff);
  v.patch_bias = false;
  v.projector.norm_weights = 2 * v.d_model;
  v.projector.output = fields.count("hidden_size");
  check_projected(fields, "hidden_size", model);
}

/// Qwen2.5-VL: RMSNorm and gated MLPs, with biases. All but a few layers attend within windows, which count as
/// attention to the whole image.
inline void project_qwen2_5_vl(config_fields&, config_fields& fields, transformer& model) {
  vision_spec& v = model.vision;
  v = read_qwen_tower(fields, "hidden_size");
  v.d_ff = fields.count("intermediate_size");
  v.gated = true;
  v.norm_bias = v.patch_bias = false;
  v.projector.norm_weights = v.d_model;
  v.projector.output = fields.count("out_hidden_size");
  check_projected(fields, "out_hidden_size", model);
  for (const char* of_windows : {"window_size", "fullatt_block_indexes"}) fields.looked_for(of_windows);
  fields.assume("window_size", "none", "patches that attend to a window count as attending to the whole image");
}

/// Qwen3-VL: learned positions, and one more merger for each layer of which the text model sees the output.
inline void project_qwen3_vl(config_fields&, config_fields& fields, transformer& model) {
  vision_spec& v = model.vision;
  v = read_qwen_tower(fields, "hidden_size");
  v.d_ff = fields.count("intermediate_size");
  v.learned_positions = fields.count("num_position_embeddings");
  v.projector.norm_weights = 2 * v.d_model;
  v.projector.output = fields.count("out_hidden_size");
  check_projected(fields, "out_hidden_size", model);
  v.projector.beside = fields.layers_listed("deepstack_visual_indexes", v.layers);
}

/// Number of weights of MobileNet V5 300M, whose shape no configuration states: the totals that Google publishes for
/// Gemma 3n E2B and E4B, minus the text model, the audio tower and the projectors. keras-hub states the same without
/// running means.
inline constexpr std::int64_t mobilenet_v5 = 294126912;

/// Gemma 3n: MobileNet V5 and a conformer, each with a table of special tokens, two norms and a matrix to the text.
inline void project_gemma3n(config_fields& top, config_fields& fields, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  config_fields audio = part_fields(top, "audio_config", "gemma3n_audio", nothing);
  const std::string kind = fields.string("architecture");
  if (kind != "mobilenetv5_300m_enc")
    fail(errc::unsupported, fields.path("architecture"), kind, "mobilenetv5_300m_enc");
  const auto bridge = [&](config_fields& part) {
    const std::int64_t d = part.count("hidden_size");
    return checked_multiply(part.count("vocab_size") + 2 + model.d_model, d);
  };
  const std::int64_t seen = checked_add(mobilenet_v5, bridge(fields));
  const std::int64_t bands = audio.count("input_feat_size");
  const std::int64_t tower = conformer(audio, "conf_", "sscp_conv_channel_size", bands, 0);
  const std::int64_t heard = checked_add(tower, bridge(audio));
  model.other_weights = checked_add(model.other_weights, checked_add(seen, heard));
  top.assume("vision_config", std::to_string(seen) + " parameters", "the vision tower is counted, its FLOPs are not");
  top.assume("audio_config", std::to_string(heard) + " parameters", "the audio tower is counted, its FLOPs are not");
}

/// Gemma 4: a gated tower with four norms in a layer and norms of queries and keys, positions from two tables, patches
/// pooled three by three; beside it an audio tower where the file has one.
inline void project_gemma4(config_fields& top, config_fields& fields, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  if (top.has("audio_config")) {
    config_fields audio = part_fields(top, "audio_config", "gemma4_audio", nothing);
    const std::int64_t weights = gemma4_audio(audio, model.d_model);
    model.other_weights = checked_add(model.other_weights, weights);
    top.assume("audio_config", std::to_string(weights) + " parameters",
               "the audio tower is counted, its FLOPs are not");
  }
  if (!top.has("vision_config")) return;
  vision_spec& v = model.vision;
  v.d_model = fields.count("hidden_size");
  v.d_ff = fields.count("intermediate_size");
  v.layers = fields.count("num_hidden_layers");
  v.heads = fields.count("num_attention_heads");
  v.patch_size = fields.count("patch_size");
  check_tower_heads(fields, "num_attention_heads", v);
  if (checked_multiply(fields.count("head_dim"), v.heads) != v.d_model ||
      fields.count("num_key_value_heads") != v.heads)
    fail(errc::unsupported, fields.path("head_dim"), fields.count("head_dim"), "heads that fill hidden_size");
  v.gated = true;
  v.qkv_bias = v.output_bias = v.mlp_bias = v.norm_bias = v.patch_bias = false;
  v.learned_positions = checked_multiply(2, fields.count("position_embedding_size"));
  const std::int64_t bounds = fields.flag("use_clipped_linears") ? 28 : 0;
  v.other_weights = checked_multiply(v.layers, 2 * v.d_model + 2 * (v.d_model / v.heads) + bounds);
  if (fields.flag("standardize")) v.other_weights += 2 * v.d_model;
  const std::int64_t pool = fields.count("pooling_kernel_size");
  v.image_size = round_up(768, checked_multiply(pool, v.patch_size));
  v.tokens_per_image = patches(v.image_size, v.patch_size) / (pool * pool);
  v.projector.input = v.d_model;
  v.projector.output = model.d_model;
  fields.assume("images", std::to_string(v.image_size) + " x " + std::to_string(v.image_size),
                "images vary in shape; this one is assumed");
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
  say_tiles(top, v);
}

/// CLIP's large tower, and SigLIP's SO400M with its pooling head: some types state neither shape.
inline vision_spec large_clip(std::int64_t image_size) {
  vision_spec v;
  v.d_model = 1024, v.d_ff = 4096, v.layers = 24, v.heads = 16, v.patch_size = 14;
  v.image_size = image_size;
  v.class_token = true;
  v.learned_positions = patches(image_size, 14) + 1;
  v.extra_norms = 2;
  v.patch_bias = false;
  return v;
}
inline vision_spec large_siglip(std::int64_t image_size) {
  vision_spec v;
  v.d_model = 1152, v.d_ff = 4304, v.layers = 27, v.heads = 16, v.patch_size = 14;
  v.image_size = image_size;
  v.learned_positions = patches(image_size, 14);
  v.extra_norms = 1;
  v.other_weights = pooling_head(v.d_model, v.d_ff);
  return v;
}

/// Two matrices with biases, of which the second is square, that make so many tokens of an image.
inline void project_twice(std::int64_t input, std::int64_t tokens, transformer& model) {
  projector_spec& p = model.vision.projector;
  p.input = input;
  p.hidden = p.output = model.d_model;
  p.bias = true;
  model.vision.tokens_per_image = tokens;
}

/// Phi-3-Vision: CLIP's large tower, two separators, and two matrices over four merged patches.
inline void project_phi3_v(config_fields& top, transformer& model) {
  model.vision = large_clip(336);
  model.vision.other_weights = 2 * 4096;
  model.vision.projector.merge = 2;
  project_twice(4096, 144, model);
  top.assume("img_processor", "clip-vit-large-patch14-336", "the tower that its class loads");
  say_tiles(top, model.vision);
}

/// Phi-4-multimodal: SigLIP's tower, two separators, two matrices over the mean of four patches, a conformer, and two
/// adapters on the language model: of images and of sound.
inline void project_phi4(config_fields& top, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  const attention_spec& a = model.attention;
  const std::int64_t d = model.d_model, q = a.heads * a.head_dim, kv = 2 * a.kv_heads * a.head_dim;
  model.vision = large_siglip(448);
  model.vision.other_weights += 2 * model.vision.d_model;
  project_twice(model.vision.d_model, 256, model);
  top.assume("embd_layer", "siglip-so400m-patch14-448", "the tower that its class loads");
  say_tiles(top, model.vision);
  std::int64_t adapters = 0;
  for (const char* field : {"vision_lora", "speech_lora"}) {
    const std::int64_t rank = part_fields(top, field, "", nothing).count("r");
    adapters = checked_add(adapters, checked_multiply(rank, 4 * d + 2 * q + kv + 3 * model.mlp.d_ff));
  }
  adapters = checked_multiply(adapters, model.layers);
  model.other_weights = checked_add(model.other_weights, adapters);
  say_weights_alone(top, "vision_lora, speech_lora", adapters);
  config_fields outer = part_fields(top, "audio_processor", "", nothing);
  config_fields heard = part_fields(outer, "config", "", nothing);
  put_sound(top, "audio_processor", phi4_sound(heard, d), model);
}

/// MiniCPM-V from 2.6 on: SigLIP's tower, of which a few queries see the patches by one attention, and a matrix.
inline void project_minicpm_v(config_fields& top, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  config_fields fields = part_fields(top, "vision_config", "siglip_vision_model", nothing);
  top.refuse_true("drop_vision_last_layer");
  vision_spec& v = model.vision;
  v = read_idefics_tower(fields, 1);  // SigLIP without a pooling head
  v.image_size = round_up(usual_image_size, v.patch_size);
  const std::int64_t d = model.d_model, queries = top.count("query_num");
  const std::int64_t attention = checked_add(checked_multiply(v.d_model + queries, d), 4 * biased(d, d) + 6 * d);
  v.other_weights = attention;
  v.projector.input = v.projector.output = d;
  v.tokens_per_image = queries;
  say_weights_alone(top, "resampler", attention);
  say_tiles(top, v);
}

/// Molmo: CLIP's large tower without its last layer, whose outputs of two layers are pooled by an attention, and a
/// gated MLP.
inline void project_molmo(config_fields& top, transformer& model) {
  vision_spec& v = model.vision;
  v = large_clip(336);
  --v.layers;
  v.extra_norms = 1;
  const std::int64_t w = v.d_model, pooling = 3 * biased(2 * w, w) + biased(w, w) + 4 * w;
  v.other_weights = pooling;  // with two embeddings of pixels that pad an image
  v.projector.input = 2 * w;  // one for the gate
  v.projector.hidden = model.mlp.d_ff;
  v.projector.output = model.d_model;
  v.tokens_per_image = 144;
  say_weights_alone(top, "image_pooling_2d", pooling);
  top.assume("vision_config", "clip-vit-large-patch14-336", "the tower that its class builds, less its last layer");
  say_tiles(top, v);
}

/// Weights of the encoder of SAM's base and of the two convolutions that DeepSeek-OCR has behind it.
inline constexpr std::int64_t sam_base = 95569152;

/// DeepSeek-VL2: SigLIP's tower and two matrices over four merged patches. DeepSeek-OCR: SAM's encoder before CLIP's
/// tower, and one matrix over what both say of a patch. Two separators each.
inline void project_deepseek_vl(config_fields& top, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  config_fields fields = part_fields(top, "vision_config", "", nothing);
  config_fields bridge = part_fields(top, "projector_config", "", nothing);
  if (top.has("tile_tag") && top.string("tile_tag") != "2D")
    fail(errc::unsupported, top.path("tile_tag"), top.string("tile_tag"), "2D");
  constexpr std::string_view large = "siglip_so400m_patch14_384", both = "deeplip_b_l";
  const std::string tower = fields.string("model_name");
  if (tower != large && tower != both) fail_unknown(fields.path("model_name"), tower, {large, both});
  const std::string kind = bridge.has("projector_type") ? bridge.string("projector_type") : "downsample_mlp_gelu";
  const char* usual = tower == large ? "downsample_mlp_gelu" : "linear";
  if (kind != usual) fail(errc::unsupported, bridge.path("projector_type"), kind, usual);
  const std::int64_t width = bridge.count("n_embed"), d = model.d_model;
  if (width != d) fail(errc::invalid_argument, bridge.path("n_embed"), width, "the hidden_size of the text model");
  vision_spec& v = model.vision;
  v = tower == large ? large_siglip(378) : large_clip(224);
  v.other_weights += 2 * d;
  v.projector.bias = true;
  if (tower == large) {
    v.projector.merge = 2;
    project_twice(4 * v.d_model, 196, model);
    return say_tiles(top, v);
  }
  v.extra_norms = 1;
  v.other_weights += sam_base;
  v.projector.input = 2 * v.d_model;
  v.projector.output = d;
  say_weights_alone(top, "vision_config.width.sam_vit_b", sam_base);
  top.assume("images", "1024 x 1024", "256 tokens; other sizes, and larger images in tiles, have other numbers");
}

/// Qwen3-Omni: the tower of Qwen3-VL, and an encoder of sound.
inline void project_omni(config_fields& thinker, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  config_fields seen = part_fields(thinker, "vision_config", "qwen3_omni_moe.vision_config", nothing);
  config_fields heard = part_fields(thinker, "audio_config", "qwen3_omni_moe_audio_encoder", nothing);
  project_qwen3_vl(thinker, seen, model);
  put_sound(thinker, "audio_config", omni_sound(heard, model.d_model), model);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
