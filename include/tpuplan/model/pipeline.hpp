#ifndef TPUPLAN_MODEL_PIPELINE_HPP
#define TPUPLAN_MODEL_PIPELINE_HPP

#include <cstddef>
#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/model.hpp>
#include <tpuplan/model/sums.hpp>

/// @file
/// What makes images and clips of text: encoders of text, one or two denoisers that share the steps, and an autoencoder
/// (VAE) between pixels and latents. Each is a model as a list of blocks, which is given its size here.

namespace tpuplan {
inline namespace abi_0 {

/// An image, or a clip where there are several frames.
struct picture_size {
  std::int64_t width = 0;   ///< pixels of a row
  std::int64_t height = 0;  ///< rows of pixels
  std::int64_t frames = 1;  ///< images of a clip
};

/// Positions of latents in three dimensions. Worked: latent_size{64, 64} has 4096.
struct latent_size {
  std::int64_t rows = 1;     ///< of an image
  std::int64_t columns = 1;  ///< of a row
  std::int64_t frames = 1;   ///< of a clip
};

/// How many these are. Worked: 21 frames of 45 x 80 are 75600.
[[nodiscard]] constexpr std::int64_t positions(const latent_size& of) {
  return checked_multiply(of.rows, of.columns, of.frames);
}

/// What takes noise away, step by step, and its share of the steps (Wan 2.2 has two of them).
struct denoiser {
  blocks::model model{};  ///< its blocks
  double share = 1;       ///< of the steps
  text<16> part{};        ///< "transformer", "transformer_2" or "unet"
};

/// An encoder of text.
struct text_encoder {
  blocks::model model{};    ///< its blocks
  std::int64_t tokens = 0;  ///< that it is given, padded
  text<16> part{};          ///< "text_encoder", "text_encoder_2" and so on
};

/// The parts of a pipeline, and what is usual for its class. A part without blocks is absent.
struct diffusion_pipeline {
  text<64> name{};                              ///< for people
  blocks::bounded<denoiser, 2> denoisers{};     ///< in the order of the steps
  blocks::bounded<text_encoder, 4> encoders{};  ///< of text
  blocks::model decoder{};                      ///< from latents to pixels
  blocks::model encoder{};                      ///< from pixels to latents
  blocks::model image_encoder{};                ///< of the image that a clip starts with
  std::int64_t latent_channels = 0;             ///< numbers of a latent position; 0: not known
  std::int64_t spatial = 0;                     ///< pixels of a side that a latent position stands for
  std::int64_t temporal = 1;                    ///< frames that a latent frame stands for, after the first
  std::int64_t patch = 1;                       ///< latent positions of a side that the denoiser takes as one
  std::int64_t patch_frames = 1;                ///< latent frames that it takes as one
  std::int64_t longest_side = 0;                ///< positions of a side that the denoiser has a table for; 0: any
  std::int64_t text_tokens = 0;                 ///< of text that the denoiser sees, padded; 0: none
  std::int64_t reference_images = 0;            ///< that the denoiser sees beside the one that it makes (editing)
  bool guidance_input = false;                  ///< guidance is an input (distilled): one forward pass a step
  std::int64_t usual_forwards = 1;              ///< forward passes of a step: 2 with guidance by two
  std::int64_t usual_steps = 0;                 ///< default of the class; 0: not known
  picture_size usual{};                         ///< likewise; width 0: not known
};

/// Whether a part is there. Worked: a lone transformer has no decoder.
[[nodiscard]] constexpr bool is_present(const blocks::model& part) noexcept { return part.on.size > 0; }

/// Whether it makes clips. Worked: with 4 frames to a latent one.
[[nodiscard]] constexpr bool makes_clips(const diffusion_pipeline& p) noexcept { return p.temporal > 1; }

namespace detail {

/// Refuses a side that is not a whole number of patches.
constexpr std::int64_t patches_of_side(const char* field, std::int64_t side, std::int64_t unit, std::int64_t longest) {
  check_dimension(field, side);
  if (side % unit != 0) {
    text<48> valid{"a multiple of "};
    valid.append(unit);
    fail(errc::not_divisible, field, side, valid.view());
  }
  if (longest > 0 && side / unit > longest) {
    text<64> valid{"at most "};
    valid.append(checked_multiply(longest, unit)).append(", what the denoiser has positions for");
    fail(errc::out_of_range, field, side, valid.view());
  }
  return side / unit;
}

/// A model whose streams have the positions of that size.
constexpr blocks::model sized(blocks::model m, const latent_size& latent, std::int64_t text_tokens,
                              const picture_size& pixels) {
  for (std::size_t i = 0; i < m.on.size; ++i) {
    blocks::stream& one = m.on.items[i];
    switch (one.follows) {
      case blocks::extent::fixed: break;
      case blocks::extent::latent:
        one.height = latent.rows, one.columns = latent.columns, one.frames = latent.frames;
        break;
      case blocks::extent::text: one.height = text_tokens; break;
      case blocks::extent::both: one.height = checked_add(positions(latent), text_tokens); break;
      case blocks::extent::pixels:
        one.height = pixels.height, one.columns = pixels.width, one.frames = pixels.frames;
        break;
    }
  }
  return m;
}

}  // namespace detail

/// Latents of an image or a clip: one for so many pixels of either side, and one frame for the first image and for
/// each `temporal` after it. Throws where a side is not a whole number of patches, and for frames that the autoencoder
/// does not make. Worked: Wan 2.1's 81 frames of 1280 x 720 are 21 of 90 x 160.
[[nodiscard]] constexpr latent_size latents_of(const diffusion_pipeline& p, const picture_size& size) {
  if (p.spatial < 1) detail::fail(errc::missing_field, "spatial", p.spatial, "pixels that a latent stands for");
  const std::int64_t unit = checked_multiply(p.spatial, p.patch);
  latent_size latent;
  latent.rows = detail::patches_of_side("height", size.height, unit, p.longest_side) * p.patch;
  latent.columns = detail::patches_of_side("width", size.width, unit, p.longest_side) * p.patch;
  detail::check_dimension("frames", size.frames);
  if ((size.frames - 1) % p.temporal != 0) {
    text<64> valid{"one more than a multiple of "};
    valid.append(p.temporal);
    detail::fail(errc::not_divisible, "frames", size.frames, valid.view());
  }
  if (size.frames > 1 && !makes_clips(p)) detail::fail(errc::out_of_range, "frames", size.frames, "1: it makes images");
  latent.frames = (size.frames - 1) / p.temporal + 1;
  return latent;
}

/// Positions that the denoiser has of these: patches, the last of which may be padded in time, and those of images that
/// it edits. Worked: Wan 2.1 has
/// 75600 of 81 frames at 1280 x 720.
[[nodiscard]] constexpr latent_size patches_of(const diffusion_pipeline& p, const picture_size& size) {
  const latent_size all = latents_of(p, size);
  return {all.rows / p.patch, all.columns / p.patch,
          checked_multiply(ceil_div(all.frames, p.patch_frames), 1 + p.reference_images)};
}

/// @{
/// A part with the positions of an image or a clip of that size, and of text: `forward_flops_per_example` is then its
/// work for one. Worked: the denoiser of Wan 2.1 14B takes 6.52 PFLOP at 81 frames of 1280 x 720 and 512 tokens.
[[nodiscard]] constexpr blocks::model denoiser_for(const diffusion_pipeline& p, std::size_t which,
                                                   const picture_size& size, std::int64_t text_tokens) {
  if (which >= p.denoisers.size)
    detail::fail(errc::out_of_range, "denoiser", static_cast<std::int64_t>(which), "one of the pipeline");
  detail::check_dimension("text_tokens", text_tokens);
  return detail::sized(p.denoisers.items[which].model, patches_of(p, size), text_tokens, size);
}
[[nodiscard]] constexpr blocks::model decoder_for(const diffusion_pipeline& p, const picture_size& size) {
  return detail::sized(p.decoder, latents_of(p, size), 1, size);
}
[[nodiscard]] constexpr blocks::model encoder_for(const diffusion_pipeline& p, const picture_size& size) {
  (void)latents_of(p, size);
  return detail::sized(p.encoder, {}, 1, size);
}
/// @}

/// FLOPs of an encoder of text for one sequence of that many tokens; causal attention counts half, and
/// a head that only training needs does not count. Worked: the encoder
/// of T5-v1.1-XXL takes 4.84 TFLOP for 512 tokens.
[[nodiscard]] constexpr flops text_flops(const blocks::model& model, std::int64_t tokens) {
  detail::check_dimension("tokens", tokens);
  const blocks::sums sum = blocks::sums_of(model);
  const auto length = static_cast<double>(tokens);
  double weights = static_cast<double>(sum.of_source - sum.apart), attention = 0;
  for (std::size_t i = 0; i < sum.dense.size(); ++i)
    weights += static_cast<double>(sum.dense[i]) + static_cast<double>(sum.routed[i]);
  for (std::size_t i = 0; i < sum.attention.size; ++i) {
    const blocks::core_of_layers& each = sum.attention.of[i];
    if (each.on == blocks::flow::tokens || each.on == blocks::flow::source)
      attention += each.layers * detail::core_flops(each.one, length, maxtext_flops).value();
  }
  return flops{length * (2 * weights + attention)};
}

/// Parameters of all parts. Worked: those of a lone transformer are its own.
[[nodiscard]] constexpr std::int64_t total_parameters(const diffusion_pipeline& p) {
  std::int64_t all = 0;
  const auto add = [&all](const blocks::model& part) {
    if (is_present(part)) all = checked_add(all, parameters(part).total);
  };
  for (const denoiser& each : p.denoisers) add(each.model);
  for (const text_encoder& each : p.encoders) add(each.model);
  add(p.decoder), add(p.encoder), add(p.image_encoder);
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
