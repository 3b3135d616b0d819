#ifndef TPUPLAN_READ_HF_IMAGES_HPP
#define TPUPLAN_READ_HF_IMAGES_HPP

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/encoders.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/heads.hpp>
#include <tpuplan/read/hf/vision.hpp>
#include <vector>

/// @file
/// Models of images alone, and pairs of an encoder of images and one of texts, in Hugging Face configurations. Shapes
/// from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A Vision Transformer: with a linear classifier (ViTForImageClassification, also where the file names no class), or
/// with a pooler (ViTModel). DeiT has a distillation token, and with a teacher a second classifier.
inline void read_vit(config_fields& fields, transformer& model) {
  model.kind = architecture::vision;
  vision_spec& v = model.vision;
  v = read_tower(fields);
  fit_image(fields, v, 1);
  v.qkv_bias = fields.flag("qkv_bias");
  v.class_token = true;
  v.learned_positions = patches(v.image_size, v.patch_size) + 1;
  v.extra_norms = 1;
  const std::string name = class_of(fields);
  const bool distilled = fields.type() == "deit";
  if (distilled) {  // a second token that is no patch, with a position of its own
    v.learned_positions += 1;
    v.other_weights = v.d_model;
  }
  if (distilled && name == "DeiTForImageClassificationWithTeacher") {
    model.classes = label_count(fields);
    v.other_weights = checked_add(v.other_weights, checked_multiply(v.d_model + 1, model.classes));
  } else if (name == (distilled ? "DeiTModel" : "ViTModel")) {
    model.pooler = true;
    if (fields.has("pooler_output_size") && fields.count("pooler_output_size") != v.d_model) {
      fail(errc::unsupported, fields.path("pooler_output_size"), fields.count("pooler_output_size"), "hidden_size");
    }
  } else if (name.empty() || ends_in(name, "ForImageClassification")) {
    model.classes = label_count(fields);
  } else {
    fail_unknown(fields.path("architectures"), name, {"ViTModel", "ViTForImageClassification", "DeiTModel"});
  }
}

/// The head of DINOv2: none, or a classifier of the class token beside the mean of the patches.
inline void read_dino_head(config_fields& fields, transformer& model) {
  const std::string name = class_of(fields);
  if (ends_in(name, "ForImageClassification")) {
    model.classes = label_count(fields);
    model.vision.other_weights =
        checked_add(model.vision.other_weights, checked_multiply(model.vision.d_model, model.classes));
  } else if (!name.empty() && !ends_in(name, "Model") && !ends_in(name, "Backbone")) {
    fail_unknown(fields.path("architectures"), name, {"Dinov2Model", "Dinov2ForImageClassification"});
  }
}

/// DINOv2: a ViT with a mask token, registers where it has them, and a scale on each channel behind attention and
/// behind the MLP, which has a gate in the largest model.
inline void read_dinov2(config_fields& fields, transformer& model) {
  model.kind = architecture::vision;
  vision_spec& v = model.vision;
  v.d_model = fields.count("hidden_size");
  v.d_ff = checked_multiply(v.d_model, fields.count("mlp_ratio"));
  check_dimension(fields.path("mlp_ratio") + " x hidden_size", v.d_ff);
  v.layers = fields.count("num_hidden_layers");
  v.heads = fields.count("num_attention_heads");
  v.channels = fields.count("num_channels");
  v.image_size = square_side(fields, "image_size");
  v.patch_size = square_side(fields, "patch_size");
  check_tower_heads(fields, "num_attention_heads", v);
  fit_image(fields, v, 1);
  v.qkv_bias = fields.flag("qkv_bias");
  v.gated = fields.flag("use_swiglu_ffn");
  if (v.gated) v.d_ff = round_up(v.d_ff * 2 / 3, 8);
  v.class_token = true;
  v.learned_positions = patches(v.image_size, v.patch_size) + 1;
  v.extra_norms = 1;
  v.other_weights = checked_multiply(2 * v.layers, v.d_model) + (fields.flag("use_mask_token") ? v.d_model : 0);
  if (fields.default_of("num_register_tokens"))
    v.other_weights = checked_add(v.other_weights, checked_multiply(fields.part("num_register_tokens"), v.d_model));
  read_dino_head(fields, model);
}

/// DINOv3: rotary positions, registers, a mask token, a scale on each channel, no biases of keys.
inline void read_dinov3(config_fields& fields, transformer& model) {
  model.kind = architecture::vision;
  vision_spec& v = model.vision;
  v = read_tower(fields);
  fit_image(fields, v, 1);
  v.gated = fields.flag("use_gated_mlp");
  v.qkv_bias = false;
  v.output_bias = fields.flag("proj_bias");
  v.mlp_bias = fields.flag("mlp_bias");
  v.class_token = true;
  v.extra_norms = 1;
  std::int64_t vectors = 2;  // of each layer: the scales, and biases one by one
  for (const std::string_view field : {"query_bias", "key_bias", "value_bias"}) vectors += fields.flag(field) ? 1 : 0;
  const std::int64_t tokens = fields.part("num_register_tokens") + 1;
  v.other_weights = checked_multiply(checked_add(checked_multiply(vectors, v.layers), tokens), v.d_model);
  read_dino_head(fields, model);
}

/// Whether the class is the tower of a pair with a classifier, which is then read (SiglipForImageClassification).
inline bool read_tower_classifier(config_fields& fields, const vision_spec& tower, transformer& model) {
  if (!ends_in(class_of(fields), "ForImageClassification")) return false;
  model.kind = architecture::vision;
  model.vision = tower;
  model.vision.tokens_per_image = 1;
  model.classes = label_count(fields);
  return true;
}

/// Refuses a class of another head, or of one half of a pair, whose own configuration counts that half alone.
inline void check_class(const config_fields& fields, std::initializer_list<std::string_view> known) {
  const std::string name = class_of(fields);
  if (name.empty()) return;
  for (const std::string_view each : known) {
    if (ends_in(name, each)) return;
  }
  fail_unknown(fields.path("architectures"), name, std::vector<std::string_view>(known));
}

/// A tower by itself.
inline void read_tower_alone(config_fields& fields, transformer& model) {
  model.kind = architecture::vision;
  for (const tower_family& family : tower_families)
    if (family.type == fields.type()) model.vision = family.read(fields, 1);
  if (read_tower_classifier(fields, model.vision, model)) return;
  check_class(fields, {"VisionModel", "VisionModelWithProjection"});
  if (!ends_in(class_of(fields), "WithProjection")) return;
  model.vision.projector.input = model.vision.d_model;
  model.vision.projector.output = fields.count("projection_dim");
  model.vision.tokens_per_image = 1;
}

/// The text half of CLIP and SigLIP: an encoder with norms before attention and MLP. SigLIP has a head.
inline void read_pair_text(config_fields& fields, transformer& model) {
  check_class(fields, {"TextModel", "TextModelWithProjection"});
  read_encoder_sizes(fields, model);
  model.output_head = false;  // it writes no tokens
  model.learned_positions = model.max_positions;
  model.attention.qkv_bias = model.attention.output_bias = model.norm_bias = true;
  model.mlp = {model.mlp.d_ff, false, true};
  if (fields.type() != "clip_text_model") {
    const std::int64_t width = fields.count("projection_size");
    model.other_weights = checked_multiply(model.d_model + 1, width);
  }
  if (ends_in(class_of(fields), "WithProjection"))
    model.other_weights =
        checked_add(model.other_weights, checked_multiply(model.d_model, fields.count("projection_dim")));
}

/// CLIP: both halves end in a matrix to a common width; one number scales their product.
inline void read_clip_model(config_fields& top, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  config_fields text = part_fields(top, "text_config", "clip_text_model", nothing);
  config_fields vision = part_fields(top, "vision_config", "clip_vision_model", nothing);
  const vision_spec tower = read_clip(vision, 1);
  if (read_tower_classifier(top, tower, model)) return;
  check_class(top, {"CLIPModel", "CLIPForImageClassification"});
  read_pair_text(text, model);
  model.vision = tower;
  const std::int64_t common = top.count("projection_dim");
  model.vision.projector.input = model.vision.d_model;
  model.vision.projector.output = common;
  model.vision.tokens_per_image = 1;
  model.other_weights = checked_add(checked_multiply(model.d_model, common), 1);
}

/// SigLIP: both halves end in a head; two numbers scale and shift their product.
inline void read_siglip_model(config_fields& top, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  const bool second = top.type() == "siglip2";
  config_fields text = part_fields(top, "text_config", second ? "siglip2_text_model" : "siglip_text_model", nothing);
  config_fields vision =
      part_fields(top, "vision_config", second ? "siglip2_vision_model" : "siglip_vision_model", nothing);
  const vision_spec tower = second ? read_siglip2(vision, 1) : read_siglip(vision, 1);
  if (read_tower_classifier(top, tower, model)) return;
  check_class(top, {"SiglipModel", "Siglip2Model", "SiglipForImageClassification"});
  read_pair_text(text, model);
  model.vision = tower;
  model.vision.tokens_per_image = 1;
  model.other_weights = checked_add(model.other_weights, 2);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
