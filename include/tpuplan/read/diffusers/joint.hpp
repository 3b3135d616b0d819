#ifndef TPUPLAN_READ_DIFFUSERS_JOINT_HPP
#define TPUPLAN_READ_DIFFUSERS_JOINT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/model/model.hpp>
#include <tpuplan/read/diffusers/fields.hpp>

/// @file
/// Transformers whose text and image attend to each other.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The sizes and streams of transformers whose text and image attend to each other.
struct joint_streams {
  std::int64_t heads = 0, side = 0, width = 0, inputs = 0;
  blocks::place image{}, text{}, time{};
};

inline joint_streams put_joint_streams(diffusers_fields& fields, std::int64_t text_width, blocks::model& to) {
  joint_streams on;
  on.heads = fields.count("num_attention_heads", 24), on.side = fields.count("attention_head_dim", 128);
  on.width = checked_multiply(on.heads, on.side);
  on.inputs = fields.count("in_channels", 64);
  on.image = diffusion_stream(to, "image", on.inputs, blocks::extent::latent);
  on.text = diffusion_stream(to, "text", fields.count("joint_attention_dim", text_width), blocks::extent::text);
  on.time = diffusion_stream(to, "time", 256);
  put_embedder(to, on.time, on.width);
  return on;
}

/// Layers in which either stream has its own scales, projections and MLP.
inline void put_joint_layers(const joint_streams& on, std::int64_t layers, blocks::model& to) {
  std::array<int, 6> parts{};
  std::size_t size = 0;
  for (const bool of_text : {false, true}) {
    const blocks::place& own = of_text ? on.text : on.image;
    const blocks::place& other = of_text ? on.image : on.text;
    parts[size++] = put_scales(to, in_layers(on.time), 6, on.width);
    parts[size++] = put(to, in_layers(own, other.stream), blocks::joint_attention{on.heads, on.side});
    parts[size++] = put(to, in_layers(own), blocks::mlp{4 * on.width, 0, false, true});
  }
  repeat(to, layers, {parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]});
}

/// FluxTransformer2DModel: joint layers, then layers over text and image as one sequence.
inline void read_flux(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  const joint_streams on = put_joint_streams(fields, 4096, to);
  const std::int64_t patch = fields.count("patch_size", 1);
  const std::int64_t pooled = fields.count("pooled_projection_dim", 768);
  put_embedder(to, diffusion_stream(to, "pooled text", pooled), on.width);
  // The pipeline packs squares of 2 x 2 latents before it.
  read.patch = checked_multiply(2, patch), read.latent_channels = on.inputs / 4;
  read.guidance_input = fields.flag("guidance_embeds", false);
  if (read.guidance_input) put_embedder(to, diffusion_stream(to, "guidance", 256), on.width);
  put(to, on.text, blocks::dense{0, on.width});
  put(to, on.image, blocks::dense{0, on.width});
  put_joint_layers(on, fields.count("num_layers", 19), to);
  const blocks::place both = in_layers(diffusion_stream(to, "text and image", on.width, blocks::extent::both));
  blocks::attention self{on.heads, on.heads, on.side};
  self.causal = false, self.qkv_bias = self.qk_norm = true;
  const int scales = put_scales(to, in_layers(on.time), 3, on.width), first = put(to, both, self);
  // One product takes attention and MLP to the output, so that there is one bias.
  const int mlp = put(to, both, blocks::mlp{4 * on.width, 0, false, true});
  repeat(to, fields.count("num_single_layers", 38), {scales, first, mlp});
  put_scales(to, on.time, 2, on.width);
  put(to, on.image, blocks::dense{0, checked_multiply(patch, patch, fields.outputs(on.inputs, on.inputs))});
}

/// QwenImageTransformer2DModel: joint layers alone.
inline void read_qwen_image(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  fields.refuse("use_additional_t_cond");
  const joint_streams on = put_joint_streams(fields, 3584, to);
  const std::int64_t patch = fields.count("patch_size", 2);
  read.patch = patch, read.latent_channels = on.inputs / 4;
  put(to, on.text, blocks::norm{1, norm_kind::rms});
  put(to, on.text, blocks::dense{0, on.width});
  put(to, on.image, blocks::dense{0, on.width});
  put_joint_layers(on, fields.count("num_layers", 60), to);
  put_scales(to, on.time, 2, on.width);
  put(to, on.image, blocks::dense{0, checked_multiply(patch, patch, fields.outputs(on.inputs, 16))});
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
