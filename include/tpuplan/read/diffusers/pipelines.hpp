#ifndef TPUPLAN_READ_DIFFUSERS_PIPELINES_HPP
#define TPUPLAN_READ_DIFFUSERS_PIPELINES_HPP

#include <array>
#include <cstdint>
#include <string_view>
#include <tpuplan/model/pipeline.hpp>

/// @file
/// What is usual for the pipelines of diffusers: defaults of their calls. Source: the classes under
/// src/diffusers/pipelines of huggingface/diffusers at 58eb52c080; FluxImg2Img at 0256497cd8, QwenImageEditPlus with
/// one given image at 05de52ba79.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A pipeline and the defaults of its call. Tokens are those that its encoders are given, in the order of their names,
/// with the words around a prompt.
struct pipeline_class {
  std::string_view name;
  picture_size usual;     // width 0: as its denoiser was trained
  std::int64_t steps;     // that are made: of an image that is changed, the share that its default strength leaves
  std::int64_t forwards;  // of a step with the guidance that is its default
  std::array<std::int64_t, 3> tokens;
  std::int64_t text_tokens;           // that the denoiser sees
  std::int64_t spatial, temporal;     // of the autoencoders that it is used with
  std::int64_t reference_images = 0;  // that its denoiser sees beside the one that it makes
};

inline constexpr std::array<pipeline_class, 36> pipeline_classes{{
    {"CogVideoXImageToVideoPipeline", {}, 50, 2, {226}, 226, 8, 4},
    {"CogVideoXPipeline", {}, 50, 2, {226}, 226, 8, 4},
    {"DiTPipeline", {}, 50, 2, {}, 0, 8, 1},
    {"Flux2KleinPipeline", {1024, 1024}, 50, 2, {512}, 512, 8, 1},
    {"Flux2Pipeline", {1024, 1024}, 50, 1, {512}, 512, 8, 1},
    {"FluxControlPipeline", {1024, 1024}, 28, 1, {77, 512}, 512, 8, 1},
    {"FluxFillPipeline", {1024, 1024}, 50, 1, {77, 512}, 512, 8, 1},
    {"FluxImg2ImgPipeline", {1024, 1024}, 17, 1, {77, 512}, 512, 8, 1},
    {"FluxKontextPipeline", {1024, 1024}, 28, 1, {77, 512}, 512, 8, 1, 1},
    {"FluxPipeline", {1024, 1024}, 28, 1, {77, 512}, 512, 8, 1},
    {"HunyuanVideoPipeline", {1280, 720, 129}, 50, 1, {351, 77}, 256, 8, 4},
    {"KolorsPipeline", {}, 50, 2, {256}, 256, 8, 1},
    {"LatentConsistencyModelPipeline", {}, 4, 1, {77}, 77, 8, 1},
    {"LTXImageToVideoPipeline", {704, 512, 161}, 50, 2, {128}, 128, 32, 8},
    {"LTXPipeline", {704, 512, 161}, 50, 2, {128}, 128, 32, 8},
    {"MochiPipeline", {848, 480, 19}, 64, 2, {256}, 256, 8, 6},
    {"PixArtAlphaPipeline", {}, 20, 2, {120}, 120, 8, 1},
    {"PixArtSigmaPipeline", {}, 20, 2, {300}, 300, 8, 1},
    {"QwenImageEditPlusPipeline", {1024, 1024}, 50, 2, {576}, 512, 8, 1, 1},
    {"QwenImageEditPipeline", {1024, 1024}, 50, 2, {576}, 512, 8, 1, 1},
    {"QwenImagePipeline", {1024, 1024}, 50, 2, {546}, 512, 8, 1},
    {"SanaPAGPipeline", {}, 20, 2, {300}, 300, 32, 1},
    {"SanaPipeline", {}, 20, 2, {300}, 300, 32, 1},
    {"SanaSprintPipeline", {}, 2, 1, {300}, 300, 32, 1},
    {"StableDiffusion3Img2ImgPipeline", {}, 30, 2, {77, 77, 256}, 333, 8, 1},
    {"StableDiffusion3Pipeline", {}, 28, 2, {77, 77, 256}, 333, 8, 1},
    {"StableDiffusionImg2ImgPipeline", {}, 40, 2, {77}, 77, 8, 1},
    {"StableDiffusionInpaintPipeline", {}, 50, 2, {77}, 77, 8, 1},
    {"StableDiffusionPipeline", {}, 50, 2, {77}, 77, 8, 1},
    {"StableDiffusionXLImg2ImgPipeline", {}, 15, 2, {77, 77}, 77, 8, 1},
    {"StableDiffusionXLInpaintPipeline", {}, 50, 2, {77, 77}, 77, 8, 1},
    {"StableDiffusionXLPipeline", {}, 50, 2, {77, 77}, 77, 8, 1},
    {"WanImageToVideoPipeline", {832, 480, 81}, 50, 2, {512}, 512, 8, 4},
    {"WanPipeline", {832, 480, 81}, 50, 2, {512}, 512, 8, 4},
    {"ZImageImg2ImgPipeline", {1024, 1024}, 30, 2, {512}, 512, 8, 1},
    {"ZImagePipeline", {1024, 1024}, 50, 2, {512}, 512, 8, 1},
}};

/// The row of that name; null: there is none.
constexpr const pipeline_class* find_pipeline_class(std::string_view name) noexcept {
  for (const pipeline_class& each : pipeline_classes) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
