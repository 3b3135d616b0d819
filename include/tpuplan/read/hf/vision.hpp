#ifndef TPUPLAN_READ_HF_VISION_HPP
#define TPUPLAN_READ_HF_VISION_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/fields.hpp>

/// @file
/// The vision towers that Hugging Face configurations name by type (SigLIP, CLIP, Pixtral), and the projectors between
/// them and a language model. Shapes from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The side in pixels that is assumed for towers that accept images of any size, before rounding up to whole patches.
inline constexpr std::int64_t usual_image_size = 448;
/// How the size of images is said of a tower that sees tiles of one size.
inline constexpr const char* in_tiles = "one tile of ";

/// Refuses an image of less than one patch (`merge` of them together): its unit.
inline std::int64_t unit_of_image(config_fields& fields, const vision_spec& vision, std::int64_t merge) {
  const std::int64_t unit = checked_multiply(vision.patch_size, merge);
  if (vision.image_size >= unit) return unit;
  fail(errc::out_of_range, fields.path("image_size"), vision.image_size,
       "at least one patch" + (merge > 1 ? ", or those that are merged: " + std::to_string(unit) : std::string()));
}

/// Rounds the image down to whole patches, as towers of one size do.
inline void fit_image(config_fields& fields, vision_spec& vision, std::int64_t merge) {
  const std::int64_t rest = vision.image_size % unit_of_image(fields, vision, merge);
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
  v.image_size = round_up(v.image_size, unit_of_image(fields, v, merge));  // its processor enlarges the others
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
  fields.assume("images", in_tiles + std::to_string(v.image_size) + " x " + std::to_string(v.image_size),
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

/// Says that the tower sees tiles of one size, of which a larger image has several.
inline void say_tiles(config_fields& top, const vision_spec& v) {
  top.assume("images", in_tiles + std::to_string(v.image_size) + " pixels",
             "larger images take a tile each for their parts, and as many tokens again");
}

/// Says that weights of a projector are counted and their FLOPs are not.
inline void say_weights_alone(config_fields& top, std::string_view field, std::int64_t weights) {
  top.assume(field, std::to_string(weights) + " parameters", "counted, their FLOPs are not");
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

/// The files of LLaVA's own code: one matrix unless they say two, and from LLaVA 1.6 on images in tiles, with a token
/// that ends their rows. Source: haotian-liu/LLaVA, llava/model/multimodal_projector/builder.py and llava_arch.py.
inline void read_first_llava(config_fields& top, transformer& model) {
  constexpr std::string_view tower = "clip-vit-large-patch14-336", two = "mlp2x_gelu";
  if (top.string("mm_vision_tower").find(tower) == std::string::npos)
    fail(errc::unsupported, top.path("mm_vision_tower"), top.string("mm_vision_tower"), std::string(tower));
  const std::string kind = top.has("mm_projector_type") ? top.string("mm_projector_type") : "linear";
  if (kind != two && kind != "linear")
    fail(errc::unsupported, top.path("mm_projector_type"), kind, std::string(two) + " or linear");
  if (kind == "linear") model.vision.projector.hidden = 0;
  if (top.has("image_aspect_ratio") && top.string("image_aspect_ratio").find("anyres") != std::string::npos)
    say_tiles(top, model.vision);
  if (top.has("mm_patch_merge_type") && top.string("mm_patch_merge_type").find("unpad") != std::string::npos)
    model.vision.other_weights = checked_add(model.vision.other_weights, model.d_model);
}

/// LLaVA: two matrices; the "default" selection drops the first token of the tower.
inline void project_llava(config_fields& top, config_fields&, transformer& model) {
  vision_spec& v = model.vision;
  v.projector.input = v.d_model;
  v.projector.hidden = v.projector.output = model.d_model;
  if (top.has("mm_vision_tower")) read_first_llava(top, model);
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
  say_tiles(top, model.vision);
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
  say_tiles(top, v);
}

/// Idefics 3 and SmolVLM: one matrix over `scale_factor` squared patches.
inline void project_idefics(config_fields& top, config_fields&, transformer& model) {
  vision_spec& v = model.vision;
  v.projector.merge = top.count("scale_factor");
  v.projector.input = checked_multiply(checked_multiply(v.projector.merge, v.projector.merge), v.d_model);
  check_dimension(top.path("scale_factor") + " squared x hidden_size", v.projector.input);
  v.projector.output = model.d_model;
  say_tiles(top, v);
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
  say_tiles(top, v);
}

/// Llama 3.2 Vision: one matrix over the outputs of several layers.
inline void project_mllama(config_fields&, config_fields& vision, transformer& model) {
  model.vision.projector.input = vision.count("vision_output_dim");
  model.vision.projector.output = model.d_model;
  model.vision.projector.bias = true;
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
  say_tiles(top, v);
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

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
