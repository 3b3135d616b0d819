#include <tpuplan/estimate/generation/memory.hpp>

#include "support/pipelines.hpp"

using namespace tpuplan;

namespace static_estimate_generation_memory_tests {

namespace {

constexpr generation_work clip = work_of(small_pipeline(), {256, 256, 9});
constexpr slice where = slice_for("v6e-8");
constexpr generation_memory shared = generation_memory_use(clip, {1, 20, 2}, {1, 1, 1, 8}, where);

static_assert(shared.total ==
              shared.denoiser + shared.text + shared.autoencoder + shared.activations + shared.workspace);
static_assert(shared.denoiser == bytes{2 * clip.denoisers.items[0].weights});
static_assert(shared.low <= shared.total && shared.total <= shared.high);
static_assert(fits(shared) == verdict::yes);
static_assert(generation_memory_use(clip, {1, 20, 2}, {1, 8, 1, 8}, where).denoiser == shared.denoiser / 8);
static_assert(generation_memory_use(clip, {4, 20, 2}, {1, 1, 1, 8}, where).activations > shared.activations);
// Four copies of the decoder's widest result, 128 numbers for each latent position of one of three frames.
constexpr generation_memory many = generation_memory_use(clip, {1, 20, 1}, {1, 1, 8, 1}, where);
static_assert(shared.decoding ? shared.activations.value() >= 4 * 2 * 128 * 1024.0 : many.activations > bytes{0});

constexpr generation_memory near_the_limit{{}, {}, {}, {}, {}, bytes{90}, bytes{80}, bytes{97}, bytes{100}};
static_assert(fits(near_the_limit) == verdict::uncertain);
constexpr generation_memory below_it{{}, {}, {}, {}, {}, bytes{90}, bytes{80}, bytes{96.9}, bytes{100}};
static_assert(fits(below_it) == verdict::yes);
constexpr generation_memory above_it{{}, {}, {}, {}, {}, bytes{110}, bytes{100.1}, bytes{120}, bytes{100}};
static_assert(fits(above_it) == verdict::no);

}  // namespace

}  // namespace static_estimate_generation_memory_tests
