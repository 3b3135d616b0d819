#ifndef TPUPLAN_READ_DIFFUSERS_AUTOENCODERS_HPP
#define TPUPLAN_READ_DIFFUSERS_AUTOENCODERS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <tpuplan/model/model.hpp>
#include <tpuplan/read/diffusers/fields.hpp>
#include <vector>

/// @file
/// Autoencoders of images: from pixels to latents and back.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Both sides of an autoencoder, and what it makes of pixels.
struct autoencoder_reading {
  blocks::model decoder{}, encoder{};
  std::int64_t latent_channels = 0, spatial = 1, temporal = 1;
};

/// A convolution of so many channels to the same positions.
inline blocks::convolution same_convolution(std::int64_t outputs, std::int64_t kernel = 3, std::int64_t frames = 1) {
  blocks::convolution one;
  one.outputs = outputs, one.kernel = kernel, one.frames = frames;
  return one;
}

/// Residual blocks, one after the other: the first to so many channels.
inline void put_residual_blocks(blocks::model& to, blocks::place at, std::int64_t count, blocks::residual one) {
  if (count == 0) return;
  put(to, at, one);
  if (count == 1) return;
  one.outputs = 0, at.count = count - 1;
  put(to, at, one);
}

/// The middle of a stack: residual blocks around attention of one head.
inline void put_middle(blocks::model& to, const blocks::place& at, std::int64_t width, bool attends,
                       blocks::residual one = {}) {
  one.outputs = 0;
  blocks::place twice = at;
  twice.count = 2;
  put(to, twice, one);
  if (!attends) return;
  blocks::attention self{1, 1, width};
  self.causal = false, self.qkv_bias = self.output_bias = true;
  put(to, at, blocks::norm{1, norm_kind::layer});
  put(to, at, self);
}

/// What AutoencoderKL and AutoencoderKLFlux2 differ in by default.
struct kl_defaults {
  std::vector<std::int64_t> widths;
  std::int64_t layers, latents;
};

inline void read_kl(diffusers_fields& fields, const kl_defaults& usual, autoencoder_reading& read) {
  const std::vector<std::int64_t> widths = fields.counts("block_out_channels", usual.widths, true);
  const std::vector<std::int64_t> up =
      fields.has("decoder_block_out_channels") ? fields.counts("decoder_block_out_channels", widths) : widths;
  const std::size_t stages = widths.size();
  const std::vector<std::string> downs(stages, "DownEncoderBlock2D"), ups(stages, "UpDecoderBlock2D");
  const bool fits = fields.words("down_block_types", downs, {"DownEncoderBlock2D"}).size() == stages &&
                    fields.words("up_block_types", ups, {"UpDecoderBlock2D"}).size() == stages;
  if (!fits)
    fail(errc::invalid_argument, fields.object().path("block_out_channels"), static_cast<std::int64_t>(stages),
         "as many stages as down_block_types and up_block_types have");
  const std::int64_t layers = fields.count("layers_per_block", usual.layers);
  const std::int64_t latents = fields.count("latent_channels", usual.latents);
  const bool attends = fields.flag("mid_block_add_attention", true);
  read.latent_channels = latents, read.spatial = std::int64_t{1} << (stages - 1);
  blocks::residual one;
  blocks::model& e = read.encoder;
  const blocks::place pixels = diffusion_stream(e, "pixels", fields.count("in_channels", 3), blocks::extent::pixels);
  put(e, pixels, same_convolution(widths[0]));
  for (std::size_t i = 0; i < stages; ++i) {
    one.outputs = widths[i];
    put_residual_blocks(e, pixels, layers, one);
    blocks::convolution half = same_convolution(0);
    half.stride = 2;
    if (i + 1 < stages) put(e, pixels, half);
  }
  put_middle(e, pixels, widths.back(), attends);
  put(e, pixels, blocks::norm{1, norm_kind::layer});
  put(e, pixels, same_convolution(2 * latents));
  if (fields.flag("use_quant_conv", true)) put(e, pixels, blocks::dense{0, 2 * latents});
  blocks::model& d = read.decoder;
  const blocks::place image = diffusion_stream(d, "latents", latents, blocks::extent::latent);
  if (fields.flag("use_post_quant_conv", true)) put(d, image, blocks::dense{0, latents});
  put(d, image, same_convolution(up.back()));
  put_middle(d, image, up.back(), attends);
  for (std::size_t i = stages; i-- > 0;) {
    one.outputs = up[i];
    put_residual_blocks(d, image, layers + 1, one);
    if (i == 0) continue;
    put(d, image, blocks::resample{2});
    put(d, image, same_convolution(0));
  }
  put(d, image, blocks::norm{1, norm_kind::layer});
  put(d, image, same_convolution(fields.count("out_channels", 3)));
}

/// AutoencoderKL: the images of Stable Diffusion, FLUX and others.
inline void read_autoencoder_kl(diffusers_fields& fields, autoencoder_reading& read) {
  read_kl(fields, {{64}, 1, 4}, read);
}
/// AutoencoderKLFlux2: the same; a norm over its latents has no weights.
inline void read_autoencoder_flux2(diffusers_fields& fields, autoencoder_reading& read) {
  read_kl(fields, {{128, 256, 512, 512}, 2, 32}, read);
}

/// The stages of Wan's autoencoder: channels, and which of them halve the frames too.
struct wan_stages {
  std::int64_t layers = 2, patch = 1;
  std::vector<std::int64_t> times;
  std::vector<bool> halves;
  bool residual = false;  // that of Wan 2.2 5B
};

/// Its middle: attention within each frame.
inline void put_wan_middle(blocks::model& to, const blocks::place& at, std::int64_t width,
                           const blocks::residual& one) {
  blocks::place twice = at;
  twice.count = 2;
  put(to, twice, one);
  blocks::attention self{1, 1, width};
  self.causal = false, self.in_frame = self.qkv_bias = self.output_bias = true;
  put(to, at, blocks::norm{1, norm_kind::rms});
  put(to, at, self);
}

inline void put_wan_encoder(const wan_stages& s, std::int64_t base, std::int64_t inputs, std::int64_t outputs,
                            blocks::model& to) {
  const std::int64_t area = checked_multiply(s.patch, s.patch);
  const blocks::place at = diffusion_stream(to, "pixels", inputs / area, blocks::extent::pixels);
  if (s.patch > 1) put(to, at, blocks::resample{s.patch, 1, inputs, true});
  put(to, at, same_convolution(base, 3, 3));
  blocks::residual one;
  one.frames = 3, one.norm = norm_kind::rms;
  for (std::size_t i = 0; i < s.times.size(); ++i) {
    one.outputs = checked_multiply(base, s.times[i]);
    put_residual_blocks(to, at, s.layers, one);
    if (i + 1 == s.times.size()) continue;
    blocks::convolution half = same_convolution(0);
    half.stride = 2;
    put(to, at, half);
    if (!s.halves[i]) continue;
    blocks::convolution in_time = same_convolution(0, 1, 3);
    in_time.frame_stride = 2;
    put(to, at, in_time);
  }
  const std::int64_t last = one.outputs;
  one.outputs = 0;
  put_wan_middle(to, at, last, one);
  put(to, at, blocks::norm{1, norm_kind::rms});
  put(to, at, same_convolution(outputs, 3, 3));
  put(to, at, blocks::dense{0, outputs});
}

/// The first frame, which the class leaves alone, counts with the others where frames become more.
inline void put_wan_decoder(const wan_stages& s, std::int64_t base, std::int64_t latents, std::int64_t outputs,
                            blocks::model& to) {
  const blocks::place at = diffusion_stream(to, "latents", latents, blocks::extent::latent);
  put(to, at, blocks::dense{0, latents});
  std::int64_t width = checked_multiply(base, s.times.back());
  put(to, at, same_convolution(width, 3, 3));
  blocks::residual one;
  one.frames = 3, one.norm = norm_kind::rms;
  put_wan_middle(to, at, width, one);
  for (std::size_t i = s.times.size(); i-- > 0;) {
    width = one.outputs = checked_multiply(base, s.times[i]);
    put_residual_blocks(to, at, s.layers + 1, one);
    if (i == 0) continue;
    if (s.halves[i - 1]) {
      put(to, at, same_convolution(2 * width, 1, 3));
      put(to, at, blocks::resample{1, 2, width, false, true});
    }
    put(to, at, blocks::resample{2});
    put(to, at, same_convolution(s.residual ? width : width / 2));
  }
  put(to, at, blocks::norm{1, norm_kind::rms});
  put(to, at, same_convolution(outputs, 3, 3));
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
  put_wan_encoder(s, base, inputs, 2 * latents, read.encoder);
  put_wan_decoder(s, decoder, latents, outputs, read.decoder);
  read.latent_channels = latents, read.spatial = (std::int64_t{1} << s.halves.size()) * s.patch;
  for (const bool each : s.halves) read.temporal *= each ? 2 : 1;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
