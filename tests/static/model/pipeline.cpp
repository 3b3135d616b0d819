// The worked numbers in the comments of model/pipeline.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/pipeline.hpp>

using namespace tpuplan;

namespace static_model_pipeline_tests {

namespace {

static_assert(positions(latent_size{64, 64}) == 4096 && positions(latent_size{45, 80, 21}) == 75600);

// A denoiser of one product of each patch and one of each token, and one of both.
constexpr blocks::model of_three() {
  blocks::model m;
  using blocks::extent;
  for (const extent follows : {extent::latent, extent::text, extent::both, extent::fixed, extent::pixels}) {
    blocks::place at;
    at.stream = put(m, blocks::stream{"one", blocks::flow::example, 1, 1, 1, 1, follows});
    put(m, at, blocks::dense{0, 1, false});
  }
  return m;
}
constexpr diffusion_pipeline clips() {
  diffusion_pipeline p;
  p.denoisers.add({of_three(), 1, {}}, "denoisers");
  p.spatial = 8, p.temporal = 4, p.patch = 2;
  return p;
}
constexpr picture_size hd{1280, 720, 81};
static_assert(latents_of(clips(), hd).rows == 90 && latents_of(clips(), hd).columns == 160);
static_assert(latents_of(clips(), hd).frames == 21 && positions(patches_of(clips(), hd)) == 75600);
static_assert(makes_clips(clips()) && !makes_clips(diffusion_pipeline{}) && !is_present(clips().decoder));
static_assert(total_parameters(clips()) == 5);
static_assert(forward_flops_per_example(denoiser_for(clips(), 0, hd, 512)).value() ==
              2 * (75600.0 + 512 + 76112 + 1 + 1280 * 720 * 81.0));

// A pipeline without a decoder may make each pixel by itself.
static_assert([] {
  diffusion_pipeline p = clips();
  p.spatial = p.temporal = p.patch = 1;
  return latents_of(p, {64, 32, 1}).columns == 64;
}());

// Images that are edited stand beside the one that is made, and frames are patched in time too.
constexpr diffusion_pipeline edits() {
  diffusion_pipeline p = clips();
  p.temporal = 1, p.reference_images = 1;
  return p;
}
static_assert(positions(patches_of(edits(), {1024, 1024})) == 2 * 4096);
constexpr diffusion_pipeline in_pairs() {
  diffusion_pipeline p = clips();
  p.patch_frames = 2;
  return p;
}
static_assert(patches_of(in_pairs(), hd).frames == 11);

}  // namespace

}  // namespace static_model_pipeline_tests
