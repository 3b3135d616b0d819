#ifndef TPUPLAN_READ_DIFFUSERS_IMAGE_HPP
#define TPUPLAN_READ_DIFFUSERS_IMAGE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/model/model.hpp>
#include <tpuplan/read/diffusers/fields.hpp>
#include <vector>

/// @file
/// Transformers of images: Z-Image, PixArt, Sana, DiT and SiT.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Layers of Z-Image: attention and a gated MLP between four norms, and scales where they follow the time step.
inline void put_z_layers(std::int64_t layers, const blocks::place& on, const blocks::place* time,
                         const blocks::attention& self, std::int64_t width, blocks::model& to) {
  const blocks::place layer = in_layers(on);
  const int n = put(to, layer, blocks::norm{4, norm_kind::rms}), a = put(to, layer, self);
  const int m = put(to, layer, blocks::mlp{width * 8 / 3, 0, true, false});
  blocks::place of_time = time == nullptr ? on : in_layers(*time);
  of_time.branch = true;
  const int s = time == nullptr ? -1 : put(to, of_time, blocks::dense{0, 4 * width});
  repeat(to, layers, {s, n, a, m});
}

/// ZImageTransformer2DModel: layers that refine the image, layers that refine the text, then both as one sequence.
inline void read_z_image(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  fields.refuse("siglip_feat_dim");
  const std::int64_t width = fields.count("dim", 3840), heads = fields.count("n_heads", 30);
  (void)fields.count("n_kv_heads", 30);  // the class has as many as queries
  if (width % heads != 0) fail(errc::not_divisible, fields.object().path("dim"), width, "a multiple of n_heads");
  const std::int64_t inputs = fields.count("in_channels", 16), steps = std::min<std::int64_t>(width, 256);
  read.patch = fields.counts("all_patch_size", {2})[0], read.patch_frames = fields.counts("all_f_patch_size", {1})[0];
  read.latent_channels = inputs;
  const std::int64_t patch = checked_multiply(checked_multiply(read.patch, read.patch, read.patch_frames), inputs);
  const blocks::place image = diffusion_stream(to, "image", patch, blocks::extent::latent);
  const blocks::place text = diffusion_stream(to, "text", fields.count("cap_feat_dim", 2560), blocks::extent::text);
  const blocks::place time = diffusion_stream(to, "time", 256);
  put(to, time, blocks::dense{0, 1024});
  put(to, time, blocks::dense{0, steps});
  put(to, image, blocks::dense{0, width});
  put(to, text, blocks::norm{1, norm_kind::rms});
  put(to, text, blocks::dense{0, width});
  put(to, text, blocks::remainder{0, 2 * width});  // a token that pads either
  blocks::attention self{heads, heads, width / heads};
  self.causal = false, self.qk_norm = fields.flag("qk_norm", true);
  const std::int64_t refiners = fields.count("n_refiner_layers", 2);
  put_z_layers(refiners, image, &time, self, width, to);
  put_z_layers(refiners, text, nullptr, self, width, to);
  const blocks::place both = diffusion_stream(to, "text and image", width, blocks::extent::both);
  put_z_layers(fields.count("n_layers", 30), both, &time, self, width, to);
  blocks::place of_time = time;
  of_time.branch = true;
  put(to, of_time, blocks::dense{0, width});
  put(to, image, blocks::dense{0, patch});
}

/// PixArtTransformer2DModel: self-attention, cross-attention to text, an MLP; scales made once.
inline void read_pixart(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  fields.only("norm_type", "ada_norm_single"), fields.only("norm_elementwise_affine", false);
  fields.only("activation_fn", "gelu-approximate"), fields.only("attention_type", "default");
  const std::int64_t heads = fields.count("num_attention_heads", 16), side = fields.count("attention_head_dim", 72);
  const std::int64_t width = checked_multiply(heads, side), inputs = fields.count("in_channels", 4);
  const std::int64_t patch = fields.count("patch_size", 2), outputs = fields.outputs(inputs, 8);
  read.patch = patch, read.latent_channels = inputs, read.sample = fields.count("sample_size", 128);
  const bool projects = fields.has("caption_channels");
  const std::int64_t seen = fields.count("cross_attention_dim", 1152);
  const blocks::place image =
      diffusion_stream(to, "image", checked_multiply(patch, patch, inputs), blocks::extent::latent);
  const blocks::place text =
      diffusion_stream(to, "text", projects ? fields.count("caption_channels", 4096) : seen, blocks::extent::text);
  const blocks::place time = diffusion_stream(to, "time", 256);
  put_embedder(to, time, width);
  put_scales(to, time, 6, width);
  const bool more = fields.has("use_additional_conditions")
                        ? fields.asks("use_additional_conditions")
                        : fields.flag("use_additional_conditions", read.sample == 128);
  if (more) {  // the size of the image and its shape
    put_embedder(to, diffusion_stream(to, "size", 256), width / 3);
    put_embedder(to, diffusion_stream(to, "shape", 256), width / 3);
  }
  if (projects) put_embedder(to, text, width);
  put(to, image, blocks::dense{0, width});
  blocks::attention self{heads, heads, side};
  self.causal = false, self.output_bias = true, self.qkv_bias = fields.flag("attention_bias", true);
  const blocks::place layer = in_layers(image);
  const int scales = put(to, layer, blocks::modulation{6}), first = put(to, layer, self);
  self.from_other = true;
  const int second = put(to, in_layers(image, text.stream), self);
  const int mlp = put(to, layer, blocks::mlp{4 * width, 0, false, true});
  repeat(to, fields.count("num_layers", 28), {scales, first, second, mlp});
  put(to, image, blocks::modulation{2});
  put(to, image, blocks::dense{0, checked_multiply(patch, patch, outputs)});
}

/// The MLP of Sana: up, a convolution over each channel's neighbours, a gate, down.
inline void put_sana_mlp(std::int64_t inner, std::int64_t width, const blocks::place& layer, blocks::model& to,
                         std::array<int, 3>& parts) {
  parts[0] = put(to, layer, blocks::dense{0, 2 * inner, true, norm_kind::none, blocks::role::up, blocks::part::mlp});
  blocks::convolution window;
  window.kernel = 3, window.groups = 0, window.of = blocks::part::mlp;
  parts[1] = put(to, layer, window);
  parts[2] = put(to, layer, blocks::dense{inner, width, false, norm_kind::none, blocks::role::down, blocks::part::mlp});
}

/// SanaTransformer2DModel: linear attention, cross-attention to text, and an MLP with a convolution.
inline void read_sana(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  fields.only("norm_elementwise_affine", false);
  const std::int64_t heads = fields.count("num_attention_heads", 70), side = fields.count("attention_head_dim", 32);
  const std::int64_t width = checked_multiply(heads, side), inputs = fields.count("in_channels", 32);
  const std::int64_t patch = fields.count("patch_size", 1), outputs = fields.outputs(inputs, 32);
  read.patch = patch, read.latent_channels = inputs, read.sample = fields.count("sample_size", 32);
  const blocks::place image =
      diffusion_stream(to, "image", checked_multiply(patch, patch, inputs), blocks::extent::latent);
  const blocks::place text = diffusion_stream(to, "text", fields.count("caption_channels", 2304), blocks::extent::text);
  const blocks::place time = diffusion_stream(to, "time", 256);
  put_embedder(to, time, width);
  put_scales(to, time, 6, width);
  read.guidance_input = fields.flag("guidance_embeds", false);
  if (read.guidance_input) put_embedder(to, diffusion_stream(to, "guidance", 256), width);
  put_embedder(to, text, width);
  put(to, text, blocks::norm{1, norm_kind::rms});
  put(to, image, blocks::dense{0, width});
  if (const std::int64_t seen = fields.count("cross_attention_dim", 2240); seen != width)
    fail(errc::unsupported, fields.object().path("cross_attention_dim"), seen, "heads x attention_head_dim");
  blocks::attention self{heads, heads, side}, cross;
  cross.heads = cross.kv_heads = fields.count("num_cross_attention_heads", 20);
  cross.head_dim = fields.count("cross_attention_head_dim", 112);
  self.linear = cross.from_other = cross.qkv_bias = self.output_bias = cross.output_bias = true;
  self.causal = cross.causal = false, self.qkv_bias = fields.flag("attention_bias", false);
  self.wide_qk_norm = cross.wide_qk_norm = !fields.word("qk_norm", "", {"", "rms_norm_across_heads"}).empty();
  const blocks::place layer = in_layers(image);
  const int scales = put(to, layer, blocks::modulation{6}), first = put(to, layer, self);
  const int second = put(to, in_layers(image, text.stream), cross);
  std::array<int, 3> mlp{};
  put_sana_mlp(fields.times("mlp_ratio", 2.5, width), width, layer, to, mlp);
  repeat(to, fields.count("num_layers", 20), {scales, first, second, mlp[0], mlp[1], mlp[2]});
  put(to, image, blocks::modulation{2});
  put(to, image, blocks::dense{0, checked_multiply(patch, patch, outputs)});
}

/// Layers of DiT: attention and an MLP, with scales of each layer.
inline void put_dit_layers(std::int64_t layers, std::int64_t heads, std::int64_t inner, const blocks::place& image,
                           const std::vector<int>& of_time, blocks::attention self, blocks::model& to) {
  const blocks::place layer = in_layers(image);
  self.heads = self.kv_heads = heads;
  const int a = put(to, layer, self), m = put(to, layer, blocks::mlp{inner, 0, false, true});
  std::array<int, 4> time{-1, -1, -1, -1};
  for (std::size_t i = 0; i < of_time.size() && i < time.size(); ++i) time[i] = of_time[i];
  repeat(to, layers, {time[0], time[1], time[2], time[3], a, m});
}

/// DiTTransformer2DModel: the class has embeddings of time and label in every layer.
inline void read_dit(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  fields.only("norm_type", "ada_norm_zero"), fields.only("norm_elementwise_affine", false);
  fields.only("activation_fn", "gelu-approximate");
  const std::int64_t heads = fields.count("num_attention_heads", 16), side = fields.count("attention_head_dim", 72);
  const std::int64_t width = checked_multiply(heads, side), inputs = fields.count("in_channels", 4);
  const std::int64_t patch = fields.count("patch_size", 2), outputs = fields.outputs(inputs, inputs);
  read.patch = patch, read.latent_channels = inputs, read.sample = fields.count("sample_size", 32);
  const blocks::place image =
      diffusion_stream(to, "image", checked_multiply(patch, patch, inputs), blocks::extent::latent);
  const blocks::place time = diffusion_stream(to, "time", 256);
  put(to, image, blocks::dense{0, width});
  const std::int64_t labels = fields.count("num_embeds_ada_norm", 1000);
  blocks::place branch = in_layers(time);
  branch.branch = true;
  const std::vector<int> of_time{
      put(to, branch, blocks::dense{256, width}), put(to, branch, blocks::dense{width, width}),
      put(to, branch, blocks::table{checked_add(labels, 1), width}), put_scales(to, branch, 6, width)};
  blocks::attention self{heads, heads, side};
  self.causal = false, self.output_bias = true, self.qkv_bias = fields.flag("attention_bias", true);
  put_dit_layers(fields.count("num_layers", 28), heads, 4 * width, image, of_time, self, to);
  put_scales(to, time, 2, width);
  put(to, image, blocks::dense{0, checked_multiply(patch, patch, outputs)});
}

/// DiT and SiT as their own code has them (facebookresearch/DiT, willisma/SiT, models.py): embeddings made once, and a
/// table of positions that is kept but not trained.
inline void read_dit_original(diffusers_fields& fields, denoiser_reading& read) {
  blocks::model& to = read.to;
  const std::int64_t width = fields.count("hidden_size", 1152), heads = fields.count("num_heads", 16);
  if (width % heads != 0)
    fail(errc::not_divisible, fields.object().path("hidden_size"), width, "a multiple of num_heads");
  const std::int64_t inputs = fields.count("in_channels", 4), patch = fields.count("patch_size", 2);
  const std::int64_t outputs = (fields.flag("learn_sigma", true) ? 2 : 1) * inputs;
  read.patch = patch, read.latent_channels = inputs, read.sample = fields.count("input_size", 32);
  const blocks::place image =
      diffusion_stream(to, "image", checked_multiply(patch, patch, inputs), blocks::extent::latent);
  const blocks::place time = diffusion_stream(to, "time", 256);
  put(to, image, blocks::dense{0, width});
  const std::int64_t side = read.sample / patch;
  put(to, image, blocks::table{checked_multiply(side, side)});
  put_embedder(to, time, width);
  put(to, time, blocks::table{checked_add(fields.count("num_classes", 1000), 1), width});
  blocks::attention self{heads, heads, width / heads};
  self.causal = false, self.output_bias = self.qkv_bias = true;
  const std::int64_t depth = fields.count("depth", 28), inner = fields.times("mlp_ratio", 4, width);
  put_dit_layers(depth, heads, inner, image, {put_scales(to, in_layers(time), 6, width)}, self, to);
  put_scales(to, time, 2, width);
  put(to, image, blocks::dense{0, checked_multiply(patch, patch, outputs)});
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
