#ifndef TPUPLAN_READ_DIFFUSERS_CLIP_AUTOENCODERS_HPP
#define TPUPLAN_READ_DIFFUSERS_CLIP_AUTOENCODERS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <tpuplan/model/model.hpp>
#include <tpuplan/read/diffusers/autoencoders.hpp>
#include <tpuplan/read/diffusers/fields.hpp>
#include <vector>

/// @file
/// Autoencoders of clips: convolutions go over frames too.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The stages of Wan's autoencoder: channels, and which of them halve the frames too.
struct wan_stages {
  std::int64_t layers = 2, patch = 1;
  std::vector<std::int64_t> times;
  std::vector<bool> halves;
  bool residual = false;  // that of Wan 2.2 5B
};

/// Its blocks; attention is within each frame.
inline staged_autoencoder wan_blocks(const wan_stages& s, std::int64_t latents) {
  staged_autoencoder of;
  of.layers = s.layers, of.latents = latents, of.sees = blocks::within::frame;
  of.one.frames = 3, of.one.norm = norm_kind::rms;
  return of;
}

inline std::vector<std::int64_t> wan_widths(const wan_stages& s, std::int64_t base) {
  std::vector<std::int64_t> widths;
  for (const std::int64_t times : s.times) widths.push_back(checked_multiply(base, times));
  return widths;
}

inline void put_wan_encoder(const wan_stages& s, std::int64_t base, std::int64_t inputs, std::int64_t latents,
                            blocks::model& to) {
  const std::int64_t area = checked_multiply(s.patch, s.patch);
  const blocks::place at = diffusion_stream(to, "pixels", inputs / area, blocks::extent::pixels);
  if (s.patch > 1) put(to, at, blocks::resample{s.patch, 1, inputs, true});
  put_encoder(wan_blocks(s, latents), base, wan_widths(s, base), true, at, to, [&](std::size_t i) {
    if (i + 1 == s.times.size()) return;
    blocks::convolution half = same_convolution(0);
    half.stride = 2;
    put(to, at, half);
    if (!s.halves[i]) return;
    blocks::convolution in_time = same_convolution(0, 1, 3);
    in_time.frame_stride = 2;
    put(to, at, in_time);
  });
}

/// The first frame, which the class leaves alone, counts with the others where frames become more.
inline void put_wan_decoder(const wan_stages& s, std::int64_t base, std::int64_t latents, std::int64_t outputs,
                            blocks::model& to) {
  const blocks::place at = diffusion_stream(to, "latents", latents, blocks::extent::latent);
  const std::vector<std::int64_t> widths = wan_widths(s, base);
  put_decoder(wan_blocks(s, latents), widths, true, outputs, at, to, [&](std::size_t i) {
    if (i == 0) return;
    if (s.halves[i - 1]) {
      put(to, at, same_convolution(2 * widths[i], 1, 3));
      put(to, at, blocks::resample{1, 2, widths[i], false, true});
    }
    put(to, at, blocks::resample{2});
    put(to, at, same_convolution(s.residual ? widths[i] : part_of_channels(widths[i], 2)));
  });
  if (s.patch > 1) put(to, at, blocks::resample{s.patch, 1, outputs / checked_multiply(s.patch, s.patch)});
}

/// AutoencoderKLWan and AutoencoderKLQwenImage: of clips, causal in time.
inline void read_autoencoder_wan(diffusers_fields& fields, autoencoder_reading& read) {
  wan_stages s;
  const std::int64_t base = fields.count("base_dim", 96), latents = fields.count("z_dim", 16);
  const std::int64_t decoder = fields.has("decoder_base_dim") ? fields.count("decoder_base_dim", base) : base;
  s.times = fields.counts("dim_mult", {1, 2, 4, 4}, true), s.layers = fields.count("num_res_blocks", 2);
  s.halves = fields.flags("temperal_downsample", {false, true, true}, true);
  if (s.halves.size() + 1 != s.times.size())
    fail(errc::invalid_argument, fields.object().path("temperal_downsample"),
         static_cast<std::int64_t>(s.halves.size()), "one fewer than dim_mult has");
  if (fields.has("attn_scales") && !fields.object().list("attn_scales").empty()) fields.refuse("attn_scales");
  s.residual = fields.asks("is_residual");
  s.patch = fields.has("patch_size") ? fields.count("patch_size", 1) : 1;
  const bool of_images = fields.has("input_channels");  // AutoencoderKLQwenImage has one size of pixels
  const std::int64_t inputs = fields.count(of_images ? "input_channels" : "in_channels", 3);
  const std::int64_t outputs = of_images ? inputs : fields.count("out_channels", 3);
  if (inputs % checked_multiply(s.patch, s.patch) != 0 || outputs % checked_multiply(s.patch, s.patch) != 0)
    fail(errc::not_divisible, fields.object().path("in_channels"), inputs, "a multiple of patch_size squared");
  put_wan_encoder(s, base, inputs, latents, read.encoder);
  put_wan_decoder(s, decoder, latents, outputs, read.decoder);
  read.latent_channels = latents, read.spatial = (std::int64_t{1} << s.halves.size()) * s.patch;
  for (const bool each : s.halves) read.temporal *= each ? 2 : 1;
}

/// A power of two from 1 to 64: how many times it halves.
inline std::int64_t halvings(diffusers_fields& fields, const char* field, std::int64_t otherwise) {
  std::int64_t times = 0, ratio = fields.count(field, otherwise);
  const std::int64_t given = ratio;
  for (; ratio > 1 && ratio % 2 == 0; ratio /= 2) ++times;
  if (ratio != 1 || times > 6) fail(errc::out_of_range, fields.object().path(field), given, "1, 2, 4, 8, 16, 32 or 64");
  return times;
}

/// AutoencoderKLHunyuanVideo: as AutoencoderKL, causal in time.
inline void read_autoencoder_hunyuan(diffusers_fields& fields, autoencoder_reading& read) {
  const std::vector<std::int64_t> widths = fields.counts("block_out_channels", {128, 256, 512, 512}, true);
  check_stages(fields, widths, "HunyuanVideoDownBlock3D", "HunyuanVideoUpBlock3D");
  const auto stages = static_cast<std::int64_t>(widths.size());
  staged_autoencoder s;
  s.layers = fields.count("layers_per_block", 2), s.latents = fields.count("latent_channels", 16);
  s.attends = fields.flag("mid_block_add_attention", true), s.one.frames = 3;
  const std::int64_t sides = halvings(fields, "spatial_compression_ratio", 8);
  fields.only("temporal_compression_ratio", 4);
  const auto in_time = [&](std::int64_t step) { return step >= stages - 3 && step + 1 < stages; };
  blocks::model &e = read.encoder, &d = read.decoder;
  const blocks::place pixels = diffusion_stream(e, "pixels", fields.count("in_channels", 3), blocks::extent::pixels);
  put_encoder(s, widths[0], widths, true, pixels, e, [&](std::size_t i) {
    const auto step = static_cast<std::int64_t>(i);
    blocks::convolution half = same_convolution(0, 3, 3);
    half.stride = step < sides ? 2 : 1, half.frame_stride = in_time(step) ? 2 : 1;
    if (step < sides || in_time(step)) put(e, pixels, half);
  });
  const blocks::place clip = diffusion_stream(d, "latents", s.latents, blocks::extent::latent);
  put_decoder(s, widths, true, fields.count("out_channels", 3), clip, d, [&](std::size_t i) {
    const std::int64_t step = stages - 1 - static_cast<std::int64_t>(i);
    if (step >= sides && !in_time(step)) return;
    put(d, clip, blocks::resample{step < sides ? 2 : 1, in_time(step) ? 2 : 1, 0, false, true});
    put(d, clip, same_convolution(0, 3, 3));
  });
  read.latent_channels = s.latents, read.spatial = std::int64_t{1} << sides, read.temporal = 4;
}

/// Two or more residual blocks of CogVideoX's decoder, whose norms are scaled by products of the latents.
inline void put_cog_blocks(blocks::model& to, const blocks::place& at, std::int64_t count, std::int64_t inputs,
                           std::int64_t outputs, std::int64_t latents) {
  blocks::residual one;
  one.frames = 3, one.outputs = outputs;
  blocks::place beside = at;
  beside.branch = true;
  put(to, beside, blocks::dense{latents, 2 * (inputs + outputs)});
  beside.count = count - 1;
  put(to, beside, blocks::dense{latents, 4 * outputs});
  put_residual_blocks(to, at, count, one);
}

/// AutoencoderKLCogVideoX: halves frames by means of neighbours, without attention.
inline void read_autoencoder_cogvideox(diffusers_fields& fields, autoencoder_reading& read) {
  for (const char* each : {"use_quant_conv", "use_post_quant_conv"}) fields.refuse(each);
  const std::vector<std::int64_t> widths = fields.counts("block_out_channels", {128, 256, 256, 512}, true);
  check_stages(fields, widths, "CogVideoXDownBlock3D", "CogVideoXUpBlock3D");
  const auto stages = static_cast<std::int64_t>(widths.size());
  const std::int64_t layers = fields.count("layers_per_block", 3), latents = fields.count("latent_channels", 16);
  const std::int64_t times = halvings(fields, "temporal_compression_ratio", 4);
  staged_autoencoder s;
  s.layers = layers, s.latents = latents, s.attends = false, s.one.frames = 3;
  blocks::model& e = read.encoder;
  const blocks::place pixels = diffusion_stream(e, "pixels", fields.count("in_channels", 3), blocks::extent::pixels);
  put_encoder(s, widths[0], widths, false, pixels, e, [&](std::size_t i) {
    const auto step = static_cast<std::int64_t>(i);
    if (step + 1 == stages) return;
    if (step < times) put(e, pixels, blocks::resample{1, 2, 0, true, true});
    blocks::convolution half = same_convolution(0);
    half.stride = 2;
    put(e, pixels, half);
  });
  blocks::model& d = read.decoder;
  const blocks::place clip = diffusion_stream(d, "latents", latents, blocks::extent::latent);
  std::int64_t width = widths.back();
  put(d, clip, same_convolution(width, 3, 3));
  put_cog_blocks(d, clip, 2, width, width, latents);
  for (std::int64_t i = 0; i < stages; ++i) {
    const std::int64_t next = widths[static_cast<std::size_t>(stages - 1 - i)];
    put_cog_blocks(d, clip, layers + 1, width, next, latents);
    width = next;
    if (i + 1 == stages) break;
    put(d, clip, blocks::resample{2, i < times ? 2 : 1, 0, false, true});
    put(d, clip, same_convolution(0));
  }
  blocks::place beside = clip;
  beside.branch = true;
  put(d, beside, blocks::dense{latents, 2 * width});
  put(d, clip, blocks::norm{1, norm_kind::layer});
  put(d, clip, same_convolution(fields.count("out_channels", 3), 3, 3));
  read.latent_channels = latents, read.spatial = std::int64_t{1} << (stages - 1),
  read.temporal = std::int64_t{1} << times;
}

/// Residual blocks of Mochi's encoder, each with attention over the frames of a place where it has any.
inline void put_mochi_blocks(blocks::model& to, const blocks::place& at, std::int64_t count, std::int64_t width,
                             bool attends) {
  blocks::residual one;
  one.frames = 3;
  blocks::place all = at;
  all.count = count;
  put(to, all, one);
  if (!attends) return;
  blocks::attention self{width / 32, width / 32, 32};
  self.causal = false, self.output_bias = true, self.sees = blocks::within::place;
  put(to, all, blocks::norm{1, norm_kind::layer});
  put(to, all, self);
}

/// AutoencoderKLMochi: patches in time and space between its stages.
inline void read_autoencoder_mochi(diffusers_fields& fields, autoencoder_reading& read) {
  const std::vector<std::int64_t> in = fields.counts("encoder_block_out_channels", {64, 128, 256, 384}, true);
  const std::vector<std::int64_t> out = fields.counts("decoder_block_out_channels", {128, 256, 512, 768}, true);
  const std::size_t steps = in.size() - 1;
  const std::vector<std::int64_t> layers = fields.counts("layers_per_block", {3, 3, 4, 6, 3}, true);
  const std::vector<std::int64_t> times = fields.counts("temporal_expansions", {1, 2, 3}, true);
  const std::vector<std::int64_t> sides = fields.counts("spatial_expansions", {2, 2, 2}, true);
  const std::vector<bool> attends = fields.flags("add_attention_block", {false, true, true, true, true}, true);
  if (out.size() != in.size() || times.size() != steps || sides.size() != steps || layers.size() != steps + 2 ||
      attends.size() != steps + 2)
    fail(errc::invalid_argument, fields.object().path("layers_per_block"), static_cast<std::int64_t>(layers.size()),
         "one more than there are widths, which are one more than there are expansions");
  const std::int64_t latents = fields.count("latent_channels", 12);
  blocks::model& e = read.encoder;
  const blocks::place pixels = diffusion_stream(e, "pixels", fields.count("in_channels", 15), blocks::extent::pixels);
  put(e, pixels, blocks::dense{0, in[0]});
  put_mochi_blocks(e, pixels, layers[0], in[0], attends[0]);
  for (std::size_t i = 0; i < steps; ++i) {
    blocks::convolution patch = same_convolution(in[i + 1], sides[i], times[i]);
    patch.stride = sides[i], patch.frame_stride = times[i];
    put(e, pixels, patch);
    put_mochi_blocks(e, pixels, layers[i + 1], in[i + 1], attends[i + 1]);
  }
  put_mochi_blocks(e, pixels, layers.back(), in.back(), attends.back());
  put(e, pixels, blocks::norm{1, norm_kind::layer});
  put(e, pixels, blocks::dense{0, 2 * latents, false});
  blocks::model& d = read.decoder;
  const blocks::place clip = diffusion_stream(d, "latents", latents, blocks::extent::latent);
  put(d, clip, blocks::dense{0, out.back()});
  put_mochi_blocks(d, clip, layers.back(), out.back(), false);
  for (std::size_t i = steps; i-- > 0;) {
    put_mochi_blocks(d, clip, layers[i + 1], out[i + 1], false);
    put(d, clip, blocks::dense{0, checked_multiply(out[i] * times[i], checked_multiply(sides[i], sides[i]))});
    put(d, clip, blocks::resample{sides[i], times[i], out[i]});
  }
  put_mochi_blocks(d, clip, layers[0], out[0], false);
  put(d, clip, blocks::dense{0, fields.count("out_channels", 3)});
  read.latent_channels = latents;
  for (std::size_t i = 0; i < steps; ++i) read.spatial *= sides[i], read.temporal *= times[i];
}

/// A residual block of LTX: norms without weights, but one before the product that changes the channels.
inline void put_ltx_blocks(blocks::model& to, const blocks::place& at, std::int64_t count, std::int64_t inputs,
                           std::int64_t outputs, std::int64_t more = 0) {
  if (count == 0) return;
  blocks::residual one;
  one.frames = 3, one.norm = norm_kind::none, one.outputs = outputs;
  blocks::place all = at;
  all.count = count;
  if (more > 0) put(to, all, blocks::remainder{0, more * inputs});
  if (inputs != outputs) put(to, at, blocks::norm{1, norm_kind::layer});
  put(to, all, one);
}

/// One side of LTX's autoencoder.
struct ltx_side {
  std::vector<std::int64_t> widths, layers;
  std::vector<bool> halves;
};

inline ltx_side read_ltx_side(diffusers_fields& fields, const std::string& prefix) {
  ltx_side side;
  side.widths = fields.counts(prefix + "block_out_channels", {128, 256, 512, 512}, true);
  side.layers = fields.counts(prefix + "layers_per_block", {4, 3, 3, 3, 4}, true);
  side.halves = fields.flags(prefix + "spatio_temporal_scaling", {true, true, true, false}, true);
  if (side.layers.size() != side.halves.size() + 1)
    fail(errc::invalid_argument, fields.object().path(prefix + "layers_per_block"),
         static_cast<std::int64_t>(side.layers.size()), "one more than " + prefix + "spatio_temporal_scaling has");
  return side;
}

/// The way to latents: stages that end in a strided convolution and the next width, or, from 0.9.5 on, in a convolution
/// whose channels are neighbours.
inline void put_ltx_encoder(diffusers_fields& fields, const ltx_side& s, std::int64_t latents, blocks::model& to) {
  const std::int64_t patch = fields.count("patch_size", 4), pixels = fields.count("in_channels", 3);
  const std::vector<std::string> types =
      fields.words("down_block_types", std::vector<std::string>(4, "LTXVideoDownBlock3D"),
                   {"LTXVideoDownBlock3D", "LTXVideo095DownBlock3D"});
  const bool newer = types.back() == "LTXVideo095DownBlock3D";
  const std::vector<std::string> ways =
      fields.words("downsample_type", std::vector<std::string>(s.halves.size(), "conv"),
                   {"conv", "spatial", "temporal", "spatiotemporal"});
  const std::size_t stages = s.widths.size() - (newer ? 1 : 0);
  if (stages != s.halves.size() || types.size() != stages || ways.size() < stages)
    fail(errc::invalid_argument, fields.object().path("block_out_channels"), static_cast<std::int64_t>(s.widths.size()),
         "as many stages as down_block_types has");
  const blocks::place at = diffusion_stream(to, "pixels", pixels, blocks::extent::pixels);
  put(to, at, blocks::resample{patch, 1, checked_multiply(pixels, patch, patch), true});
  put(to, at, same_convolution(s.widths[0], 3, 3));
  std::int64_t width = s.widths[0];
  for (std::size_t i = 0; i < stages; ++i) {
    const std::int64_t next = i + 1 < s.widths.size() ? s.widths[i + 1] : width;
    put_ltx_blocks(to, at, s.layers[i], width, width);
    if (s.halves[i] && ways[i] == "conv") {
      blocks::convolution half = same_convolution(0, 3, 3);
      half.stride = half.frame_stride = 2;
      put(to, at, half);
    } else if (s.halves[i]) {
      const std::int64_t sides = ways[i] == "temporal" ? 1 : 2, frames = ways[i] == "spatial" ? 1 : 2;
      put(to, at, same_convolution(part_of_channels(next, checked_multiply(sides, sides, frames)), 3, 3));
      put(to, at, blocks::resample{sides, frames, next, true});
      width = next;
    }
    if (width != next) put_ltx_blocks(to, at, 1, width, next);
    width = next;
  }
  put_ltx_blocks(to, at, s.layers.back(), width, width);
  put(to, at, same_convolution(latents + 1, 3, 3));
}

/// The way back; with a time step, whose embeddings scale every block, from 0.9.1 on.
inline void put_ltx_decoder(diffusers_fields& fields, const ltx_side& s, std::int64_t latents, blocks::model& to) {
  const std::size_t stages = s.widths.size();
  const bool timed = fields.flag("timestep_conditioning", false);
  const std::vector<bool> noise = fields.flags("decoder_inject_noise", std::vector<bool>(stages + 1, false), true);
  const std::vector<std::int64_t> factors =
      fields.counts("upsample_factor", std::vector<std::int64_t>(stages, 1), true);
  if (s.halves.size() != stages || noise.size() < stages + 1 || factors.size() < stages)
    fail(errc::invalid_argument, fields.object().path("decoder_block_out_channels"), static_cast<std::int64_t>(stages),
         "as many stages as decoder_spatio_temporal_scaling has");
  const auto more = [&](bool noisy) -> std::int64_t { return (timed ? 4 : 0) + (noisy ? 2 : 0); };
  const auto time = [&](std::int64_t width) {
    if (timed) put_embedder(to, diffusion_stream(to, "time", 256), width);
  };
  const blocks::place at = diffusion_stream(to, "latents", latents, blocks::extent::latent);
  std::int64_t width = s.widths.back();
  put(to, at, same_convolution(width, 3, 3));
  time(4 * width);
  put_ltx_blocks(to, at, s.layers.back(), width, width, more(noise[noise.size() - 1]));
  for (std::size_t i = stages; i-- > 0;) {
    const std::int64_t factor = factors[i], in = width / factor, next = s.widths[i] / factor;
    const std::int64_t extra = more(noise[i + noise.size() - 1 - stages]);
    if (in != next && factor != 1) fail(errc::unsupported, fields.object().path("upsample_factor"), factor, "1");
    time(4 * in);
    if (in != next) put_ltx_blocks(to, at, 1, in, next, extra);
    if (s.halves[i]) {
      put(to, at, same_convolution(8 * next, 3, 3));
      put(to, at, blocks::resample{2, 2, next, false, true});
    }
    put_ltx_blocks(to, at, s.layers[i], next, next, extra);
    width = next;
  }
  time(2 * width);
  if (timed) put(to, at, blocks::remainder{0, 2 * width + 1});
  const std::int64_t patch = fields.count("patch_size", 4), pixels = fields.count("out_channels", 3);
  put(to, at, same_convolution(checked_multiply(pixels, patch, patch), 3, 3));
  put(to, at, blocks::resample{patch, 1, pixels});
}

/// AutoencoderKLLTXVideo.
inline void read_autoencoder_ltx(diffusers_fields& fields, autoencoder_reading& read) {
  fields.only("patch_size_t", 1);
  const std::int64_t latents = fields.count("latent_channels", 128);
  const ltx_side in = read_ltx_side(fields, ""), out = read_ltx_side(fields, "decoder_");
  put_ltx_encoder(fields, in, latents, read.encoder);
  put_ltx_decoder(fields, out, latents, read.decoder);
  read.latent_channels = latents;
  std::int64_t ratio = 1;
  for (const bool each : out.halves) ratio *= each ? 2 : 1;
  read.spatial = checked_multiply(ratio, fields.count("patch_size", 4)), read.temporal = ratio;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
