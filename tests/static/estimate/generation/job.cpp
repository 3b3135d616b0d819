#include <tpuplan/estimate/generation/job.hpp>

#include "support/pipelines.hpp"

using namespace tpuplan;

namespace static_estimate_generation_job_tests {

namespace {

// 256 x 256 are 32 x 32 latents in patches of 2 x 2: 256 of an image, and 9 frames are 3 latent ones.
constexpr generation_work clip = work_of(small_pipeline(), {256, 256, 9});
static_assert(clip.denoisers.size == 1);
static_assert(clip.denoisers.items[0].weights ==
              static_cast<double>(parameters(small_pipeline().denoisers.items[0].model).total));
// The first product, and two layers of projections, scores and an MLP, of 768 positions.
constexpr double positions_of_clip = 3 * 16 * 16;
constexpr double macs =
    positions_of_clip * (64 * 512 + 2 * (4 * 512 * 512 + 2 * 512 * 2048 + 2 * positions_of_clip * 512));
static_assert(clip.denoisers.items[0].model_flops == flops{2 * macs});
static_assert(clip.denoisers.items[0].model_flops ==
              forward_flops_per_example(denoiser_for(small_pipeline(), 0, {256, 256, 9}, 1)));
static_assert(clip.text.weights == 0);
static_assert(clip.decoder.weights > 0);
static_assert(clip.decoded_at_once == 1.0 / 3);

// A stream of the decoder that does not say how many positions it has is of one.
constexpr diffusion_pipeline with_tokens() {
  diffusion_pipeline p = small_pipeline();
  p.decoder = {};
  put(p.decoder, blocks::stream{"token", blocks::flow::tokens, 4});
  put(p.decoder, blocks::place{}, blocks::dense{0, 8});
  return p;
}
static_assert(work_of(with_tokens(), {256, 256, 9}).decoder.model_flops == flops{2 * 4 * 8});

static_assert(examples_of({4, 20, 2}, {8, 1, 1, 1}) == 1);
static_assert(refusal_of(clip, {4, 20, 1}, {8, 1, 1, 1}, slice_for("v6e-8")).field == "layout.data");
static_assert(refusal_of(clip, {4, 20, 2}, {8, 1, 1, 1}, slice_for("v6e-8")).field.empty());
static_assert(refusal_of(clip, {1, 20, 1}, {1, 1, 1, 4}, slice_for("v6e-8")).field ==
              "product of the layout's degrees");
static_assert(refusal_of(clip, {1, 20, 1}, {1, 3, 1, 8}, slice_for("v6e-8")).field == "layout.fsdp");
// 8 heads are shared by 8 devices, and by no more.
static_assert(
    refusal_of(clip, {1, 20, 1}, {1, 1, 1, 8, context_exchange::all_to_all}, slice_for("v6e-8")).field.empty());
static_assert(refusal_of(clip, {1, 20, 1}, {1, 1, 1, 16, context_exchange::all_to_all}, slice_for("v6e-16")).field ==
              "layout.context");
static_assert(refusal_of(clip, {1, 20, 1}, {1, 1, 1, 16}, slice_for("v6e-16")).field.empty());
static_assert(refusal_of(clip, {1, 20, 1}, {1, 1, 16, 1}, slice_for("v6e-16")).field == "layout.tensor");

static_assert(name(context_exchange::all_to_all) == "all_to_all");
static_assert(*parse_context_exchange("Ulysses") == context_exchange::all_to_all);
static_assert(*parse_context_exchange("ring") == context_exchange::ring);
static_assert(!parse_context_exchange("rings"));

}  // namespace

}  // namespace static_estimate_generation_job_tests
