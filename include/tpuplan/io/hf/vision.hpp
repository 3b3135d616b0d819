#ifndef TPUPLAN_IO_HF_VISION_HPP
#define TPUPLAN_IO_HF_VISION_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/integer.hpp>
#include <tpuplan/io/hf/fields.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// The vision towers and projectors of Hugging Face configurations. Shapes from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The side in pixels that is assumed for towers that accept images of any size, before rounding up to whole patches.
inline constexpr std::int64_t usual_image_size = 448;

/// Rounds the image to whole patches (`merge` of them together), as the towers do.
inline void fit_image(config_fields& fields, vision_spec& vision, std::int64_t merge) {
  const std::int64_t unit = checked_multiply(vision.patch_size, merge);
  const std::int64_t rest = vision.image_size % unit;
  if (vision.image_size < unit)
    fail(errc::out_of_range, fields.path("image_size"), vision.image_size, "at least one patch");
  if (rest == 0) return;
  vision.image_size -= rest;
  fields.assume("image_size", std::to_string(vision.image_size), "the pixels past the last whole patch are not used");
}

inline void check_tower_heads(const config_fields& fields, std::string_view field, const vision_spec& vision) {
  if (vision.d_model % vision.heads != 0)
    fail(errc::not_divisible, fields.path(field), vision.heads, "a divisor of the width of the tower");
}

/// The side of an image or patch. Some files state it as a list of both sides.
inline std::int64_t square_side(config_fields& fields, std::string_view field) {
  if (!fields.has(field) || !fields.object().at(field).is_array()) return fields.count(field);
  const nlohmann::json& sides = fields.object().at(field);
  const bool square = sides.size() == 2 && sides[0] == sides[1] && sides[0].is_number_integer();
  if (!square || sides[0] > 16777216 || sides[0] < 1) {
    fail(errc::unsupported, fields.path(field), shown_json(sides), "one side, or two that are equal");
  }
  return sides[0].get<std::int64_t>();
}

/// The fields that all towers except Qwen's state under the same names. All products have biases and norms are
/// LayerNorm, as in a ViT.
inline vision_spec read_sized_tower(config_fields& fields, std::int64_t image_size,
                                    std::string_view heads = "num_attention_heads") {
  vision_spec v;
  v.d_model = fields.count("hidden_size");
  v.d_ff = fields.count("intermediate_size");
  v.layers = fields.count("num_hidden_layers");
  v.heads = fields.count(heads, "num_attention_heads");
  v.channels = fields.count("num_channels");
  v.image_size = image_size;
  v.patch_size = square_side(fields, "patch_size");
  check_tower_heads(fields, heads, v);
  return v;
}
inline vision_spec read_tower(config_fields& fields, std::string_view heads = "num_attention_heads") {
  return read_sized_tower(fields, square_side(fields, "image_size"), heads);
}

/// A pooling head with a probe: one attention layer, a norm and an MLP.
constexpr std::int64_t pooling_head(std::int64_t d, std::int64_t d_ff) {
  const std::int64_t attention = checked_add(checked_multiply(4 * d, d), 4 * d);
  const std::int64_t mlp = checked_add(checked_multiply(2 * d, d_ff), d + d_ff);
  return checked_add(checked_add(attention, mlp), d + 2 * d);  // the probe, and weight and bias of the norm
}

/// SigLIP: no class token, a norm after the layers, and a pooling head unless vision_use_head says no.
inline vision_spec read_siglip(config_fields& fields, std::int64_t merge) {
  vision_spec v = read_tower(fields);
  fit_image(fields, v, merge);
  v.learned_positions = patches(v.image_size, v.patch_size);
  v.extra_norms = 1;
  if (fields.flag("vision_use_head")) v.other_weights = pooling_head(v.d_model, v.d_ff);
  return v;
}

/// SigLIP 2 with images of any shape: as many positions as patches.
inline vision_spec read_siglip2(config_fields& fields, std::int64_t) {
  vision_spec v = read_sized_tower(fields, 0);
  v.learned_positions = fields.count("num_patches");
  std::int64_t side = 1;
  while ((side + 1) * (side + 1) <= v.learned_positions) ++side;
  v.image_size = checked_multiply(side, v.patch_size);
  v.extra_norms = 1;
  if (fields.flag("vision_use_head")) v.other_weights = pooling_head(v.d_model, v.d_ff);
  fields.assume("images", std::to_string(v.image_size) + " x " + std::to_string(v.image_size),
                "images vary in shape; a square one with no more patches is assumed");
  return v;
}

/// CLIP: a class token, norms before and after the layers, no bias in the patch embedding.
inline vision_spec read_clip(config_fields& fields, std::int64_t merge) {
  vision_spec v = read_tower(fields);
  fit_image(fields, v, merge);
  v.class_token = true;
  v.learned_positions = patches(v.image_size, v.patch_size) + 1;
  v.extra_norms = 2;
  v.patch_bias = false;
  return v;
}

/// Pixtral: rotary positions, RMSNorm, a gated MLP, no biases; images up to the stated size.
inline vision_spec read_pixtral(config_fields& fields, std::int64_t merge) {
  vision_spec v = read_tower(fields);
  fit_image(fields, v, merge);
  v.gated = true;
  v.qkv_bias = v.output_bias = v.mlp_bias = v.norm_bias = v.patch_bias = false;
  v.extra_norms = 1;
  fields.assume("images", std::to_string(v.image_size) + " x " + std::to_string(v.image_size),
                "images vary in size; the largest is taken, without the tokens that end its rows");
  return v;
}

/// Llama 3.2 Vision: local layers, then gated global ones, over up to four tiles with embeddings of their own.
inline vision_spec read_mllama_tower(config_fields& fields, std::int64_t merge) {
  vision_spec v = read_tower(fields, "attention_heads");
  fit_image(fields, v, merge);
  const std::int64_t global_layers = fields.part("num_global_layers");
  const std::int64_t tiles = fields.count("max_num_tiles");
  const std::int64_t ratios = fields.count("max_aspect_ratio_id") + 1;
  v.layers += global_layers;
  check_dimension(fields.path("num_hidden_layers") + " + num_global_layers", v.layers);
  v.qkv_bias = v.output_bias = v.patch_bias = false;
  v.class_token = true;
  v.learned_positions = patches(v.image_size, v.patch_size) + 1;
  v.extra_norms = 2;
  v.tokens_per_image = v.learned_positions;
  const std::int64_t tile_table = checked_multiply(ratios, tiles, v.d_model);
  v.other_weights = checked_add(checked_multiply(tile_table, v.learned_positions), 1);
  v.other_weights = checked_add(v.other_weights, checked_multiply(2, checked_add(tile_table, 1)));
  v.other_weights = checked_add(v.other_weights, 2 * global_layers);
  fields.assume("images", "one tile of " + std::to_string(v.image_size) + " x " + std::to_string(v.image_size),
                "an image takes 1 to " + std::to_string(tiles) + " tiles; the text attends to them, no token is added");
  return v;
}

/// InternVL: a class token, a scale on each channel behind attention and behind the MLP, norms of queries and keys in
/// the largest tower.
inline vision_spec read_internvl_tower(config_fields& fields, std::int64_t) {
  vision_spec v;
  v.d_model = fields.count("hidden_size");
  v.d_ff = fields.count("intermediate_size");
  v.layers = fields.count("num_hidden_layers");
  v.heads = fields.count("num_attention_heads");
  v.channels = fields.count("num_channels");
  v.image_size = square_side(fields, "image_size");
  v.patch_size = square_side(fields, "patch_size");
  check_tower_heads(fields, "num_attention_heads", v);
  fit_image(fields, v, 1);
  v.qkv_bias = fields.flag("attention_bias");
  v.norm_bias = fields.string("norm_type") == "layer_norm";
  v.class_token = true;
  if (fields.flag("use_absolute_position_embeddings")) v.learned_positions = patches(v.image_size, v.patch_size) + 1;
  const std::int64_t norms = fields.flag("use_qk_norm") ? 2 : 0;
  v.other_weights = checked_multiply((2 + norms) * v.layers, v.d_model);
  if (!fields.flag("use_mean_pooling")) v.other_weights += 2 * v.d_model;
  if (fields.flag("use_mask_token")) v.other_weights += v.d_model;
  return v;
}

/// The tower of Idefics 3 and SmolVLM: SigLIP without a pooling head.
inline vision_spec read_idefics_tower(config_fields& fields, std::int64_t merge) {
  vision_spec v = read_tower(fields);
  fit_image(fields, v, merge);
  v.learned_positions = patches(v.image_size, v.patch_size);
  v.extra_norms = 1;
  return v;
}

/// The tower of Llama 4: a class token, norms before and after the layers, no bias in the patch embedding.
inline vision_spec read_llama4_tower(config_fields& fields, std::int64_t merge) {
  vision_spec v = read_clip(fields, merge);
  if (fields.has("pixel_shuffle_ratio") && fields.object().at("pixel_shuffle_ratio") != 0.5) {
    fail(errc::unsupported, fields.path("pixel_shuffle_ratio"), shown_json(fields.object().at("pixel_shuffle_ratio")),
         "0.5");
  }
  return v;
}

/// A tower of one of the names that `vision_config.model_type` takes.
struct tower_family {
  std::string_view type;
  vision_spec (*read)(config_fields&, std::int64_t merge);
};
inline constexpr std::array<tower_family, 10> tower_families{{
    {"siglip_vision_model", read_siglip},
    {"siglip2_vision_model", read_siglip2},
    {"clip_vision_model", read_clip},
    {"pixtral", read_pixtral},
    {"mllama_vision_model", read_mllama_tower},
    {"llama4_vision_model", read_llama4_tower},
    {"internvl_vision", read_internvl_tower},
    {"idefics2_vision", read_idefics_tower},
    {"idefics3_vision", read_idefics_tower},
    {"smolvlm_vision", read_idefics_tower},
}};

/// Checks that a projector's output has the width of the text model, for all families.
inline void check_projected(const config_fields& fields, std::string_view field, const transformer& model) {
  const std::int64_t width = model.vision.projector.output;
  if (width == model.d_model) return;
  fail(errc::invalid_argument, fields.path(field), width,
       "the hidden_size of the text model, " + std::to_string(model.d_model));
}

/// Gemma 3: a norm, then one matrix over pooled patches.
inline void project_gemma3(config_fields& top, config_fields&, transformer& model) {
  vision_spec& v = model.vision;
  v.projector.norm_weights = v.d_model;
  v.projector.input = v.d_model;
  v.projector.output = model.d_model;
  v.tokens_per_image = top.count("mm_tokens_per_image");
  const std::int64_t all = patches(v.image_size, v.patch_size);
  check_part(top.path("mm_tokens_per_image"), v.tokens_per_image, all, "1 to the patches of an image");
}

inline void project_paligemma(config_fields& top, config_fields&, transformer& model) {
  model.vision.projector.input = model.vision.d_model;
  model.vision.projector.output = top.count("projection_dim");
  model.vision.projector.bias = true;
  check_projected(top, "projection_dim", model);
}

/// LLaVA: two matrices; the "default" selection drops the first token of the tower.
inline void project_llava(config_fields& top, config_fields&, transformer& model) {
  constexpr std::string_view only[][2] = {{"mm_vision_tower", "clip-vit-large-patch14-336"},
                                          {"mm_projector_type", "mlp2x_gelu"}};  // of LLaVA's first files
  for (const auto& [field, known] : only) {
    if (top.has(field) && top.string(field).find(known) == std::string::npos)
      fail(errc::unsupported, top.path(field), top.string(field), std::string(known));
  }
  vision_spec& v = model.vision;
  v.projector.input = v.d_model;
  v.projector.hidden = v.projector.output = model.d_model;
  v.projector.bias = top.flag("multimodal_projector_bias");
  const std::string selection = top.string("vision_feature_select_strategy");
  if (selection != "default" && selection != "full") {
    fail_unknown(top.path("vision_feature_select_strategy"), selection, {"default", "full"});
  }
  v.tokens_per_image = vision_tokens(v) - (selection == "default" ? 1 : 0);
}

/// LLaVA-NeXT and -OneVision: as LLaVA, with a token that ends the rows of an image in tiles.
inline void project_llava_tiles(config_fields& top, config_fields& vision, transformer& model) {
  project_llava(top, vision, model);
  model.vision.other_weights = checked_add(model.vision.other_weights, model.d_model);
  top.assume("images", "one tile of " + std::to_string(model.vision.image_size) + " pixels",
             "larger images take a tile each for their parts, and as many tokens again");
}

/// InternVL: a norm over merged patches, then two matrices with biases.
inline void project_internvl(config_fields& top, config_fields&, transformer& model) {
  vision_spec& v = model.vision;
  const bool half = !top.has("downsample_ratio") || top.object().at("downsample_ratio") == 0.5;
  if (!half) {
    fail(errc::unsupported, top.path("downsample_ratio"), shown_json(top.object().at("downsample_ratio")), "0.5");
  }
  v.projector.merge = 2;
  v.projector.input = checked_multiply(4, v.d_model);
  v.projector.norm_weights = 2 * v.projector.input;
  v.projector.hidden = v.projector.output = model.d_model;
  v.projector.bias = true;
}

/// Idefics 3 and SmolVLM: one matrix over `scale_factor` squared patches.
inline void project_idefics(config_fields& top, config_fields&, transformer& model) {
  vision_spec& v = model.vision;
  v.projector.merge = top.count("scale_factor");
  v.projector.input = checked_multiply(checked_multiply(v.projector.merge, v.projector.merge), v.d_model);
  check_dimension(top.path("scale_factor") + " squared x hidden_size", v.projector.input);
  v.projector.output = model.d_model;
  top.assume("images", "one tile of " + std::to_string(v.image_size) + " pixels",
             "larger images take a tile each for their parts, and as many tokens again");
}

/// Mistral 3: a norm, a matrix that merges patches, then two matrices.
inline void project_mistral3(config_fields& top, config_fields&, transformer& model) {
  vision_spec& v = model.vision;
  v.projector.norm_weights = v.d_model;
  v.projector.merge = top.count("spatial_merge_size");
  v.projector.merge_matrix = true;
  v.projector.input = v.d_model;
  v.projector.hidden = v.projector.output = model.d_model;
  v.projector.bias = top.flag("multimodal_projector_bias");
}

/// Llama 4: two matrices over four merged patches, and one matrix to the text model.
inline void project_llama4(config_fields& top, config_fields& vision, transformer& model) {
  vision_spec& v = model.vision;
  v.projector.merge = 2;
  v.projector.input = checked_multiply(4, v.d_model);
  if (v.d_ff != v.projector.input) {
    fail(errc::invalid_argument, vision.path("intermediate_size"), v.d_ff, "four times hidden_size");
  }
  v.projector.hidden = vision.count("projector_input_dim");
  v.projector.output = model.d_model;
  const std::int64_t inner = vision.count("projector_output_dim");
  if (vision.count("vision_output_dim") != inner) {
    fail(errc::invalid_argument, vision.path("vision_output_dim"), vision.count("vision_output_dim"),
         "projector_output_dim, " + std::to_string(inner));
  }
  v.projector.inner = inner;
  top.assume("images", "one tile of " + std::to_string(v.image_size) + " pixels",
             "larger images take a tile each for their parts, and as many tokens again");
}

/// Llama 3.2 Vision: one matrix over the outputs of several layers.
inline void project_mllama(config_fields&, config_fields& vision, transformer& model) {
  model.vision.projector.input = vision.count("vision_output_dim");
  model.vision.projector.output = model.d_model;
  model.vision.projector.bias = true;
}

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

/// Qwen2.5-VL: RMSNorm and gated MLPs, with biases.
inline void project_qwen2_5_vl(config_fields&, config_fields& fields, transformer& model) {
  vision_spec& v = model.vision;
  v = read_qwen_tower(fields, "hidden_size");
  v.d_ff = fields.count("intermediate_size");
  v.gated = true;
  v.norm_bias = v.patch_bias = false;
  v.projector.norm_weights = v.d_model;
  v.projector.output = fields.count("out_hidden_size");
  check_projected(fields, "out_hidden_size", model);
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
  const std::int64_t merged = v.projector.input;
  const std::int64_t first = checked_add(checked_multiply(merged, merged), merged);
  const std::int64_t second = checked_add(checked_multiply(merged, v.projector.output), v.projector.output);
  const std::int64_t merger = checked_add(2 * merged, checked_add(first, second));
  v.other_weights = checked_multiply(merger, fields.layers_listed("deepstack_visual_indexes", v.layers));
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
  const std::int64_t heard = checked_add(
      conformer(audio, "conf_", "sscp_conv_channel_size", audio.count("input_feat_size"), 0), bridge(audio));
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

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
