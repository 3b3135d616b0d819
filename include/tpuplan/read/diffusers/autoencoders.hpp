#ifndef TPUPLAN_READ_DIFFUSERS_AUTOENCODERS_HPP
#define TPUPLAN_READ_DIFFUSERS_AUTOENCODERS_HPP

#include <array>
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

/// Channels that become positions, or half of them; refuses a number that does not divide.
inline std::int64_t part_of_channels(std::int64_t channels, std::int64_t parts) {
  if (channels % parts != 0) {
    const std::string valid = "a multiple of " + std::to_string(parts);
    fail(errc::not_divisible, "channels of a stage of the autoencoder", channels, valid);
  }
  return channels / parts;
}

/// Residual blocks, one after the other: the first to so many channels.
inline void put_residual_blocks(blocks::model& to, blocks::place at, std::int64_t count, blocks::residual one) {
  if (count == 0) return;
  put(to, at, one);
  if (count == 1) return;
  one.outputs = 0, at.count = count - 1;
  put(to, at, one);
}

/// An autoencoder in stages: residual blocks, between which positions become fewer on one side and more on the other.
struct staged_autoencoder {
  std::int64_t layers = 2, latents = 16;  ///< residual blocks of a stage; channels of a latent
  bool attends = true;                    ///< in the middle, with one head
  blocks::residual one{};                 ///< its blocks: frames of their kernels, and their norm
  blocks::within sees{};                  ///< what that attention sees
};

/// The middle: residual blocks around attention of one head.
inline void put_middle(blocks::model& to, const blocks::place& at, std::int64_t width, const staged_autoencoder& s) {
  blocks::residual one = s.one;
  one.outputs = 0;
  blocks::place twice = at;
  twice.count = 2;
  put(to, twice, one);
  if (!s.attends) return;
  blocks::attention self{1, 1, width};
  self.causal = false, self.qkv_bias = self.output_bias = true, self.sees = s.sees;
  put(to, at, blocks::norm{1, one.norm});
  put(to, at, self);
}

/// The way to latents: `first` channels, stages of those widths, and after each what `half(i)` puts.
template <class Half>
void put_encoder(const staged_autoencoder& s, std::int64_t first, const std::vector<std::int64_t>& widths,
                 bool quantizes, const blocks::place& at, blocks::model& to, const Half& half) {
  blocks::residual one = s.one;
  put(to, at, same_convolution(first, 3, one.frames));
  for (std::size_t i = 0; i < widths.size(); ++i) {
    one.outputs = widths[i];
    put_residual_blocks(to, at, s.layers, one);
    half(i);
  }
  put_middle(to, at, widths.back(), s);
  put(to, at, blocks::norm{1, one.norm});
  put(to, at, same_convolution(2 * s.latents, 3, one.frames));
  if (quantizes) put(to, at, blocks::dense{0, 2 * s.latents});
}
/// The way back, from the last of those widths to the first, and after each what `twice(i)` puts.
template <class Twice>
void put_decoder(const staged_autoencoder& s, const std::vector<std::int64_t>& widths, bool quantizes,
                 std::int64_t outputs, const blocks::place& at, blocks::model& to, const Twice& twice) {
  blocks::residual one = s.one;
  if (quantizes) put(to, at, blocks::dense{0, s.latents});
  put(to, at, same_convolution(widths.back(), 3, one.frames));
  put_middle(to, at, widths.back(), s);
  for (std::size_t i = widths.size(); i-- > 0;) {
    one.outputs = widths[i];
    put_residual_blocks(to, at, s.layers + 1, one);
    twice(i);
  }
  put(to, at, blocks::norm{1, one.norm});
  put(to, at, same_convolution(outputs, 3, one.frames));
}

/// Stages of that type alone, of which there are as many as widths; by default so many.
inline void check_stages(diffusers_fields& fields, const std::vector<std::int64_t>& widths, const char* down,
                         const char* up, std::size_t usual = 4) {
  const std::size_t stages = widths.size();
  const bool fits = fields.words("down_block_types", std::vector<std::string>(usual, down), {down}).size() == stages &&
                    fields.words("up_block_types", std::vector<std::string>(usual, up), {up}).size() == stages;
  if (!fits)
    fail(errc::invalid_argument, fields.object().path("block_out_channels"), static_cast<std::int64_t>(stages),
         "as many stages as down_block_types and up_block_types have");
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
  check_stages(fields, widths, "DownEncoderBlock2D", "UpDecoderBlock2D", usual.widths.size());
  staged_autoencoder s;
  s.layers = fields.count("layers_per_block", usual.layers), s.latents = fields.count("latent_channels", usual.latents);
  s.attends = fields.flag("mid_block_add_attention", true);
  read.latent_channels = s.latents, read.spatial = std::int64_t{1} << (stages - 1);
  blocks::model &e = read.encoder, &d = read.decoder;
  const blocks::place pixels = diffusion_stream(e, "pixels", fields.count("in_channels", 3), blocks::extent::pixels);
  const bool in = fields.flag("use_quant_conv", true), out = fields.flag("use_post_quant_conv", true);
  put_encoder(s, widths[0], widths, in, pixels, e, [&](std::size_t i) {
    blocks::convolution half = same_convolution(0);
    half.stride = 2;
    if (i + 1 < stages) put(e, pixels, half);
  });
  const blocks::place image = diffusion_stream(d, "latents", s.latents, blocks::extent::latent);
  put_decoder(s, up, out, fields.count("out_channels", 3), image, d, [&](std::size_t i) {
    if (i == 0) return;
    put(d, image, blocks::resample{2});
    put(d, image, same_convolution(0));
  });
}

/// AutoencoderKL: the images of Stable Diffusion, FLUX and others.
inline void read_autoencoder_kl(diffusers_fields& fields, autoencoder_reading& read) {
  read_kl(fields, {{64}, 1, 4}, read);
}
/// AutoencoderKLFlux2: the same; a norm over its latents has no weights.
inline void read_autoencoder_flux2(diffusers_fields& fields, autoencoder_reading& read) {
  read_kl(fields, {{128, 256, 512, 512}, 2, 32}, read);
}

/// Layers of AutoencoderDC in one stage: residual blocks, or linear attention at several scales with Sana's MLP.
inline void put_dc_layers(blocks::model& to, const blocks::place& at, std::int64_t count, std::int64_t width, bool vit,
                          std::int64_t side, const std::vector<std::int64_t>& scales) {
  if (count == 0) return;
  const blocks::place layer = in_layers(at);
  const auto conv = [](std::int64_t groups, bool bias) {
    blocks::convolution one = same_convolution(0);
    one.groups = groups, one.bias = bias;
    return one;
  };
  if (!vit) {
    const int a = put(to, layer, conv(1, true)), b = put(to, layer, conv(1, false));
    return repeat(to, count, {a, b, put(to, layer, blocks::norm{1, norm_kind::layer})});
  }
  blocks::attention self{width / side, width / side, side};
  self.causal = false, self.linear = true, self.scales = static_cast<std::int8_t>(scales.size());
  blocks::place beside = layer;
  beside.branch = true;
  std::array<int, 8> parts{-1, -1, -1, -1, -1, -1, -1, -1};
  std::size_t n = 0;
  parts[n++] = put(to, layer, self);
  for (const std::int64_t kernel : scales) {  // of each: windows by channel, products by head, its way out
    const std::int64_t window = checked_multiply(kernel, kernel);
    parts[n++] = put(to, beside, blocks::dense{window + side, 3 * width, false});
    parts[n++] = put(to, beside, blocks::dense{width, width, false});
  }
  parts[n++] = put(to, layer, blocks::norm{2, norm_kind::layer});
  parts[n++] = put(to, layer, blocks::dense{0, 8 * width});
  parts[n++] = put(to, layer, conv(0, true));
  parts[n++] = put(to, layer, blocks::dense{4 * width, width, false});
  repeat(to, count, {parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6], parts[7]});
}

/// One side of AutoencoderDC.
struct dc_side {
  std::vector<std::int64_t> widths, layers;
  std::vector<std::string> types;
  std::vector<std::vector<std::int64_t>> scales;
};

inline dc_side read_dc_side(diffusers_fields& fields, const std::string& of, const std::vector<std::int64_t>& layers) {
  dc_side side;
  side.widths = fields.counts(of + "_block_out_channels", {128, 256, 512, 512, 1024, 1024}, true);
  const std::size_t stages = side.widths.size();
  const std::string types = of + "_block_types", scales = of + "_qkv_multiscales";
  const bool one = fields.has(types) && fields.object().at(types).is_string();
  if (one) side.types.assign(stages, fields.word(types, "ResBlock", {"ResBlock", "EfficientViTBlock"}));
  if (!one)
    side.types = fields.words(types, std::vector<std::string>(stages, "ResBlock"), {"ResBlock", "EfficientViTBlock"});
  side.layers = fields.counts_from_0(of + "_layers_per_block", layers, stages);
  for (std::size_t i = 0; i < stages; ++i)
    side.scales.emplace_back(i < 3 ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{5});
  if (fields.has(scales)) side.scales = fields.lists(scales, stages);
  if (side.types.size() != stages)
    fail(errc::invalid_argument, fields.object().path(types), static_cast<std::int64_t>(side.types.size()),
         "one for each stage");
  for (const std::vector<std::int64_t>& each : side.scales)
    if (each.size() > 1) fail(errc::unsupported, fields.object().path(scales), "several of a stage", "one or none");
  return side;
}

/// AutoencoderDC, of Sana: 32 pixels and more to a latent.
inline void read_autoencoder_dc(diffusers_fields& fields, autoencoder_reading& read) {
  const std::int64_t pixels = fields.count("in_channels", 3), latents = fields.count("latent_channels", 32);
  const std::int64_t head = fields.count("attention_head_dim", 32);
  for (const char* each : {"decoder_norm_types"}) fields.only(each, "rms_norm");
  const bool unshuffles =
      fields.word("downsample_block_type", "pixel_unshuffle", {"pixel_unshuffle", "Conv", "conv"}) == "pixel_unshuffle";
  const bool copies =
      fields.word("upsample_block_type", "pixel_shuffle", {"pixel_shuffle", "interpolate"}) == "interpolate";
  const dc_side in = read_dc_side(fields, "encoder", {2, 2, 2, 3, 3, 3}),
                out = read_dc_side(fields, "decoder", {3, 3, 3, 3, 3, 3});
  blocks::model& e = read.encoder;
  const blocks::place image = diffusion_stream(e, "pixels", pixels, blocks::extent::pixels);
  const auto half = [&](std::int64_t width) {
    blocks::convolution one = same_convolution(unshuffles ? part_of_channels(width, 4) : width);
    if (!unshuffles) one.stride = 2;
    put(e, image, one);
    if (unshuffles) put(e, image, blocks::resample{2, 1, width, true});
  };
  const std::size_t stages = in.widths.size();
  if (in.layers[0] > 0)
    put(e, image, same_convolution(in.widths[0]));
  else if (stages > 1)
    half(in.widths[1]);
  for (std::size_t i = 0; i < stages; ++i) {
    put_dc_layers(e, image, in.layers[i], in.widths[i], in.types[i] != "ResBlock", head, in.scales[i]);
    if (i + 1 < stages && in.layers[i] > 0) half(in.widths[i + 1]);
  }
  put(e, image, same_convolution(latents));
  blocks::model& d = read.decoder;
  const blocks::place at = diffusion_stream(d, "latents", latents, blocks::extent::latent);
  const auto twice = [&](std::int64_t width) {
    if (copies) put(d, at, blocks::resample{2});
    put(d, at, same_convolution(copies ? width : 4 * width));
    if (!copies) put(d, at, blocks::resample{2, 1, width});
  };
  put(d, at, same_convolution(out.widths.back()));
  for (std::size_t i = out.widths.size(); i-- > 0;) {
    if (i + 1 < out.widths.size() && out.layers[i] > 0) twice(out.widths[i]);
    put_dc_layers(d, at, out.layers[i], out.widths[i], out.types[i] != "ResBlock", head, out.scales[i]);
  }
  put(d, at, blocks::norm{1, norm_kind::layer});
  if (out.layers[0] > 0)
    put(d, at, same_convolution(pixels));
  else
    twice(pixels);
  read.latent_channels = latents, read.spatial = std::int64_t{1} << (stages - 1);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
