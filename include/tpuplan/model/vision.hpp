#ifndef TPUPLAN_MODEL_VISION_HPP
#define TPUPLAN_MODEL_VISION_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// Vision towers: a ViT, and the projector that hands its output to a text model. Images are square.

namespace tpuplan {
inline namespace abi_0 {

/// The way from the tower's output to the text model: an optional norm, an optional merge of neighbouring patches, then
/// one to three matrices.
struct projector_spec {
  std::int64_t norm_weights = 0;  ///< weights (and biases) of its norm
  std::int64_t merge = 1;         ///< patches per side that become one token (2: four patches to one)
  bool merge_matrix = false;      ///< a matrix [merge^2 d, d] without bias, before the others
  std::int64_t input = 0;         ///< 0: the model has no projector
  std::int64_t hidden = 0;        ///< 0: one matrix [input, output]; else [input, hidden] and [hidden, output]
  std::int64_t inner = 0;         ///< of three matrices: [input, hidden], [hidden, inner] and [inner, output] (Llama 4)
  std::int64_t output = 0;        ///< width of the text model
  bool bias = false;              ///< biases of its matrices
  std::int64_t beside = 0;        ///< more like it, whose LayerNorms are over their inputs (Qwen3-VL)
};

/// A vision tower. `layers` 0 where a model has none.
struct vision_spec {
  std::int64_t image_size = 0;         ///< side of the image in pixels
  std::int64_t patch_size = 0;         ///< side of a patch in pixels
  std::int64_t channels = 3;           ///< colours of a pixel
  std::int64_t temporal_patch = 1;     ///< frames per patch
  std::int64_t layers = 0;             ///< layers of the tower
  std::int64_t d_model = 0;            ///< width of the residual stream
  std::int64_t heads = 0;              ///< attention heads
  std::int64_t d_ff = 0;               ///< inner width of the MLP
  bool gated = false;                  ///< three matrices in the MLP instead of two
  bool qkv_bias = true;                ///< biases of the projections of queries, keys and values
  bool output_bias = true;             ///< a bias of attention's output projection
  bool mlp_bias = true;                ///< biases of the MLP
  bool norm_bias = true;               ///< LayerNorm with weight and bias, instead of RMSNorm
  bool patch_bias = true;              ///< a bias of the patch embedding
  bool class_token = false;            ///< one more token, with a learned embedding
  std::int64_t learned_positions = 0;  ///< rows of a table of positions; 0: none
  std::int64_t extra_norms = 0;        ///< norms outside of the layers (before the first, after the last)
  std::int64_t other_weights = 0;      ///< what the fields above do not describe: gates, tile embeddings, pooling heads
  std::int64_t tokens_per_image = 0;   ///< tokens the text model sees; 0: all patches, merged as the projector does
  projector_spec projector{};          ///< to the text model
};

namespace detail {

/// Throws, naming the field, for a width of the projector that is out of range.
constexpr void check_projector(const vision_spec& vision) {
  check_size("model.vision.projector.norm_weights", vision.projector.norm_weights);
  check_size("model.vision.projector.input", vision.projector.input);
  check_size("model.vision.projector.hidden", vision.projector.hidden);
  check_size("model.vision.projector.inner", vision.projector.inner);
  check_size("model.vision.projector.output", vision.projector.output);
  check_size("model.vision.projector.beside", vision.projector.beside);
}

/// Throws, naming the field, for a value out of range. Only a model with a tower needs the tower's dimensions.
constexpr void check_tower(const vision_spec& vision) {
  check_size("model.vision.layers", vision.layers);
  const bool needed = vision.layers > 0;
  const projector_spec& p = vision.projector;
  if (!needed &&
      are_sizes(vision.d_model, vision.heads, vision.d_ff, vision.channels, vision.temporal_patch, vision.patch_size,
                vision.image_size, p.merge, p.norm_weights, p.input, p.hidden, p.inner, p.output, p.beside,
                vision.learned_positions, vision.extra_norms, vision.tokens_per_image, vision.other_weights))
    return;
  check_size("model.vision.d_model", vision.d_model, needed);
  check_size("model.vision.heads", vision.heads, needed);
  check_size("model.vision.d_ff", vision.d_ff, needed);
  check_size("model.vision.channels", vision.channels, needed);
  check_size("model.vision.temporal_patch", vision.temporal_patch, needed);
  check_size("model.vision.patch_size", vision.patch_size, needed);
  check_size("model.vision.image_size", vision.image_size, needed);
  check_size("model.vision.projector.merge", vision.projector.merge, needed);
  check_projector(vision);
  check_size("model.vision.learned_positions", vision.learned_positions);
  check_size("model.vision.extra_norms", vision.extra_norms);
  check_size("model.vision.tokens_per_image", vision.tokens_per_image);
  check_part("model.vision.other_weights", vision.other_weights, most_parameters, "0 to 2^53");
}

}  // namespace detail

/// Throws, naming the field, unless the tower's parameters and FLOPs can be counted.
constexpr void validate(const vision_spec& vision) {
  detail::check_dimension("model.vision.layers", vision.layers);
  detail::check_tower(vision);
  if (vision.image_size % vision.patch_size != 0 || vision.image_size < vision.projector.merge * vision.patch_size) {
    detail::fail(errc::not_divisible, "model.vision.patch_size", vision.patch_size,
                 "a divisor of the image size, of as many patches as are merged");
  }
  if (vision.d_model % vision.heads != 0) {
    detail::fail(errc::not_divisible, "model.vision.heads", vision.heads, "a divisor of the width of the tower");
  }
}

/// Patches of one image. Worked: a 224x224 image in 16x16 patches has 196.
[[nodiscard]] constexpr std::int64_t patches(std::int64_t image_size, std::int64_t patch_size) {
  detail::positive_count("image_size", image_size);
  detail::positive_count("patch_size", patch_size);
  if (image_size % patch_size != 0) {
    detail::fail(errc::not_divisible, "patch_size", patch_size, "a divisor of the image size");
  }
  return checked_multiply(image_size / patch_size, image_size / patch_size);
}

/// Tokens inside the tower for one image: patches, and the class token where there is one. Worked: 197 for ViT-B/16.
[[nodiscard]] constexpr std::int64_t vision_tokens(const vision_spec& vision) {
  validate(vision);
  return patches(vision.image_size, vision.patch_size) + (vision.class_token ? 1 : 0);
}

/// Tokens that one image adds to the text sequence. Worked: 256 for Gemma 3 (896 pixels, patches of 14, pooled 4x4).
[[nodiscard]] constexpr std::int64_t image_tokens(const vision_spec& vision) {
  validate(vision);
  if (vision.tokens_per_image > 0) return vision.tokens_per_image;
  return patches(vision.image_size, vision.patch_size) /
         checked_multiply(vision.projector.merge, vision.projector.merge);
}

/// Parameters of the tower without its projector. Worked: 85798656 for ViT-B/16 without its head.
[[nodiscard]] constexpr std::int64_t vision_parameters(const vision_spec& vision) {
  validate(vision);
  const std::int64_t d = vision.d_model;
  const std::int64_t norm = d * (vision.norm_bias ? 2 : 1);
  std::int64_t layer =
      checked_multiply(4 * d, d) + (vision.qkv_bias ? 3 * d : 0) + (vision.output_bias ? d : 0) + 2 * norm;
  layer = checked_add(layer, checked_multiply(vision.gated ? 3 : 2, d, vision.d_ff));
  if (vision.mlp_bias) layer = checked_add(layer, (vision.gated ? 2 : 1) * vision.d_ff + d);
  const std::int64_t pixels =
      checked_multiply(checked_multiply(vision.channels, vision.temporal_patch), vision.patch_size, vision.patch_size);
  std::int64_t total = checked_add(checked_multiply(layer, vision.layers), checked_multiply(pixels, d));
  total = checked_add(total, (vision.patch_bias ? d : 0) + (vision.class_token ? d : 0) + vision.other_weights +
                                 checked_multiply(vision.extra_norms, norm));
  return checked_add(total, checked_multiply(vision.learned_positions, d));
}

/// Parameters of the projector; 0 where there is none. Worked: 21 million in LLaVA 1.5 (1024 to 4096 to 4096).
[[nodiscard]] constexpr std::int64_t projector_parameters(const vision_spec& vision) {
  const projector_spec& p = vision.projector;
  detail::check_projector(vision);
  if (p.input == 0) return 0;
  std::int64_t total = p.norm_weights;
  if (p.merge_matrix) {
    total = checked_add(total, checked_multiply(checked_multiply(p.merge, p.merge), vision.d_model, vision.d_model));
  }
  const std::int64_t norm = p.norm_weights > 0 ? 2 * p.input : 0;  // of one that stands beside it
  std::int64_t last = p.input, one = norm;
  const std::int64_t widths[] = {p.hidden, p.inner, p.output};
  for (const std::int64_t width : widths) {
    if (width == 0) continue;
    one = checked_add(one, checked_multiply(last, width) + (p.bias ? width : 0));
    last = width;
  }
  return checked_add(total, checked_multiply(1 + p.beside, one) - norm);
}

/// Forward FLOPs of the tower and its projector for one image: matrix products and full attention, two per
/// multiply-add. Worked: 2 x 17563060224 for ViT-B/16 without its head. Source: torchvision's GMAC table.
[[nodiscard]] constexpr flops vision_flops_per_image(const vision_spec& vision) {
  const auto tokens = static_cast<double>(vision_tokens(vision));
  const auto d = static_cast<double>(vision.d_model);
  const double layer =
      tokens * d * (4 * d + (vision.gated ? 3 : 2) * static_cast<double>(vision.d_ff)) + 2 * tokens * tokens * d;
  const double pixels = static_cast<double>(vision.channels) * static_cast<double>(vision.temporal_patch) *
                        static_cast<double>(vision.patch_size) * static_cast<double>(vision.patch_size);
  double macs = static_cast<double>(vision.layers) * layer;
  macs += static_cast<double>(patches(vision.image_size, vision.patch_size)) * pixels * d;
  if (vision.projector.input != 0) {
    vision_spec matrices = vision;
    matrices.projector.norm_weights = 0;
    matrices.projector.bias = false;
    macs += static_cast<double>(image_tokens(vision)) * static_cast<double>(projector_parameters(matrices));
  }
  return flops{2 * macs};
}

/// How many numbers the layers of the tower write for one image, all of which its backward pass needs: norms, queries,
/// keys, values, their result, the probabilities of all patches for each, both sides of the MLP's activation function.
/// It is `saved_numbers_per_example` of the tower as a network, without its tables and its pixels. Worked: 34.9 million
/// for ViT-B/16 at 224 x 224.
[[nodiscard]] constexpr double vision_numbers_per_image(const vision_spec& vision) {
  const auto tokens = static_cast<double>(vision_tokens(vision));
  const double wide = static_cast<double>(vision.d_model) *
                      (8 * static_cast<double>(vision.layers) + static_cast<double>(vision.extra_norms));
  const double inner = static_cast<double>(vision.d_ff) * (vision.gated ? 4 : 2) * static_cast<double>(vision.layers);
  const double probabilities = tokens * static_cast<double>(vision.heads) * static_cast<double>(vision.layers);
  const auto patched = static_cast<double>(patches(vision.image_size, vision.patch_size));
  return tokens * (wide + inner + probabilities) + patched * static_cast<double>(vision.d_model);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
