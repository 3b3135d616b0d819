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

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
