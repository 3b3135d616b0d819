#ifndef TPUPLAN_READ_DIFFUSERS_VIDEO_HPP
#define TPUPLAN_READ_DIFFUSERS_VIDEO_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/model/model.hpp>
#include <tpuplan/read/diffusers/fields.hpp>

/// @file
/// Transformers of clips.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Positions of an image in CLIP's tower ViT-H/14, which encodes the first image of a clip.
inline constexpr std::int64_t clip_positions = 257;

/// Of the image that a clip starts with: two norms around two products, and for first and last image positions.
inline blocks::place put_wan_image(diffusers_fields& fields, std::int64_t width, blocks::model& to) {
  const std::int64_t images = fields.has("pos_embed_seq_len") ? 2 : 1;
  const std::int64_t each = images == 2 ? fields.count("pos_embed_seq_len", 514) / 2 : clip_positions;
  const std::int64_t image = fields.count("image_dim", 1280);
  const blocks::place at =
      diffusion_stream(to, "first image", image, blocks::extent::fixed, checked_multiply(images, each));
  if (images == 2) put(to, at, blocks::table{fields.count("pos_embed_seq_len", 514)});
  put(to, at, blocks::norm{1, norm_kind::layer});
  put(to, at, blocks::dense{0, image});
  put(to, at, blocks::dense{0, width, true, norm_kind::layer});
  return at;
}

/// WanTransformer3DModel: self-attention over the clip, cross-attention to text, an MLP; scales made once.
inline void read_wan(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  const bool of_image = fields.has("image_dim"), attends = fields.has("added_kv_proj_dim");
  fields.only("qk_norm", "rms_norm_across_heads");
  const std::int64_t heads = fields.count("num_attention_heads", 40), side = fields.count("attention_head_dim", 128);
  const std::int64_t width = checked_multiply(heads, side), patch = read_patch(fields, {1, 2, 2}, read);
  const std::int64_t inputs = fields.count("in_channels", 16), outputs = fields.outputs(inputs, 16);
  read.latent_channels = outputs;
  const blocks::place clip = diffusion_stream(to, "clip", checked_multiply(inputs, patch), blocks::extent::latent);
  const blocks::place text = diffusion_stream(to, "text", fields.count("text_dim", 4096), blocks::extent::text);
  const blocks::place time = diffusion_stream(to, "time", fields.count("freq_dim", 256));
  put_embedder(to, text, width);
  put_embedder(to, time, width);
  put_scales(to, time, 6, width);
  if (attends && fields.count("added_kv_proj_dim", width) != width) fields.refuse("added_kv_proj_dim");
  if (attends && !of_image) fields.refuse("added_kv_proj_dim");
  const blocks::place first_image = of_image ? put_wan_image(fields, width, to) : clip;
  put(to, clip, blocks::dense{0, width});
  blocks::attention self{heads, heads, side};
  self.causal = false, self.qkv_bias = self.output_bias = self.wide_qk_norm = true;
  blocks::attention cross = self;
  cross.from_other = true;
  const blocks::place layer = in_layers(clip);
  const int scales = put(to, layer, blocks::modulation{6}), first = put(to, layer, self);
  const bool normed = fields.flag("cross_attn_norm", true);
  const int norm = normed ? put(to, layer, blocks::norm{1, norm_kind::layer}) : -1;
  const int second = put(to, in_layers(clip, text.stream), cross);
  cross.keys_alone = true;
  const int third = attends ? put(to, in_layers(clip, first_image.stream), cross) : -1;
  const int mlp = put(to, layer, blocks::mlp{fields.count("ffn_dim", 13824), 0, false, true});
  repeat(to, fields.count("num_layers", 40), {scales, first, norm, second, third, mlp});
  put(to, clip, blocks::modulation{2});
  put(to, clip, blocks::dense{0, checked_multiply(outputs, patch)});
}

/// LTXVideoTransformer3DModel: as Wan, with a text that is projected to the width of the clip.
inline void read_ltx(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  fields.only("qk_norm", "rms_norm_across_heads"), fields.only("activation_fn", "gelu-approximate");
  fields.only("norm_elementwise_affine", false);
  const std::int64_t heads = fields.count("num_attention_heads", 32), side = fields.count("attention_head_dim", 64);
  const std::int64_t width = checked_multiply(heads, side), inputs = fields.count("in_channels", 128);
  if (const std::int64_t wide = fields.count("cross_attention_dim", 2048); wide != width)
    fail(errc::unsupported, fields.object().path("cross_attention_dim"), wide, "heads x attention_head_dim");
  read.latent_channels = fields.outputs(inputs, 128);
  read.patch = fields.count("patch_size", 1), read.patch_frames = fields.count("patch_size_t", 1);
  const blocks::place clip = diffusion_stream(to, "clip", inputs, blocks::extent::latent);
  const blocks::place text = diffusion_stream(to, "text", fields.count("caption_channels", 4096), blocks::extent::text);
  const blocks::place time = diffusion_stream(to, "time", 256);
  put_embedder(to, text, width);
  put_embedder(to, time, width);
  put_scales(to, time, 6, width);
  put(to, clip, blocks::dense{0, width});
  blocks::attention self{heads, heads, side};
  self.causal = false, self.wide_qk_norm = true;
  self.qkv_bias = fields.flag("attention_bias", true), self.output_bias = fields.flag("attention_out_bias", true);
  const blocks::place layer = in_layers(clip);
  const int scales = put(to, layer, blocks::modulation{6}), first = put(to, layer, self);
  self.from_other = true;
  const int second = put(to, in_layers(clip, text.stream), self);
  const int mlp = put(to, layer, blocks::mlp{4 * width, 0, false, true});
  repeat(to, fields.count("num_layers", 28), {scales, first, second, mlp});
  put(to, clip, blocks::modulation{2});
  put(to, clip, blocks::dense{0, read.latent_channels});
}

/// CogVideoXTransformer3DModel: text and clip as one sequence, each with scales of its own.
inline void read_cogvideox(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  fields.only("activation_fn", "gelu-approximate"), fields.only("norm_elementwise_affine", true);
  const std::int64_t heads = fields.count("num_attention_heads", 30), side = fields.count("attention_head_dim", 64);
  const std::int64_t width = checked_multiply(heads, side), inputs = fields.count("in_channels", 16);
  read.latent_channels = fields.outputs(inputs, 16);
  read.patch = fields.count("patch_size", 2);
  read.sample = fields.count("sample_height", 60), read.sample_width = fields.count("sample_width", 90);
  read.sample_frames = fields.count("sample_frames", 49);
  const bool linear = fields.has("patch_size_t");  // CogVideoX 1.5
  if (linear) {
    read.patch_frames = fields.count("patch_size_t", 1);
    // Its sample sizes are the range of its positions; it is made for 1360 x 768: README of zai-org/CogVideo.
    read.sample = 96, read.sample_width = 170;
  }
  const std::int64_t patch = checked_multiply(read.patch, read.patch, read.patch_frames);
  const std::int64_t steps = fields.count("time_embed_dim", 512);
  const blocks::place clip = diffusion_stream(to, "clip", checked_multiply(inputs, patch), blocks::extent::latent);
  const blocks::place text = diffusion_stream(to, "text", fields.count("text_embed_dim", 4096), blocks::extent::text);
  const blocks::place time = diffusion_stream(to, "time", width);
  put(to, clip, blocks::dense{0, width, linear || fields.flag("patch_bias", true)});
  put(to, text, blocks::dense{0, width});
  put_embedder(to, time, steps);
  if (fields.asks("ofs_embed_dim")) {
    const std::int64_t shift = fields.count("ofs_embed_dim", 512);
    put_embedder(to, diffusion_stream(to, "offset", shift), shift);
  }
  const blocks::place both = in_layers(diffusion_stream(to, "text and clip", width, blocks::extent::both));
  blocks::attention self{heads, heads, side};
  self.causal = false, self.output_bias = true, self.qkv_bias = fields.flag("attention_bias", true);
  blocks::place of_time = in_layers(time);
  of_time.branch = true;
  const blocks::dense scales{steps, 6 * width};
  // Two LayerNorms on queries and keys of a head.
  const int a = put(to, both, self), norms = put(to, both, blocks::remainder{0, 4 * side, blocks::part::attention});
  const int m = put(to, both, blocks::mlp{4 * width, 0, false, true});
  const int s = put(to, of_time, scales), t = put(to, of_time, scales);
  repeat(to, fields.count("num_layers", 30), {s, a, norms, put(to, both, blocks::norm{2, norm_kind::layer}), t, m});
  blocks::place last = both;
  last.count = 1;
  put(to, last, blocks::norm{1, norm_kind::layer});
  blocks::place of_end = time;
  of_end.branch = true;
  put(to, of_end, blocks::dense{steps, 2 * width});
  put(to, clip, blocks::norm{1, norm_kind::layer});
  put(to, clip, blocks::dense{0, checked_multiply(patch, read.latent_channels)});
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
