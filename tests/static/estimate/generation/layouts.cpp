#include <tpuplan/estimate/generation/layouts.hpp>

#include "support/pipelines.hpp"

using namespace tpuplan;

namespace static_estimate_generation_layouts_tests {

namespace {

constexpr generation_work clip = work_of(small_pipeline(), {256, 256, 9});
constexpr generation_job two{2, 20, 2};

constexpr maybe<laid_out_generation> alone = best_generation(clip, two, slice_for("v6e-1"));
static_assert(alone->mesh.data == 1 && alone->mesh.tensor == 1 && alone->mesh.context == 1);
// Four passes on four devices: no device waits for another.
constexpr maybe<laid_out_generation> four = best_generation(clip, two, slice_for("v6e-4"));
static_assert(four->mesh.data == 4 && four->time.step.collectives == seconds{0});
static_assert(four->time.total < alone->time.total);
// What is fixed stays.
constexpr maybe<laid_out_generation> ring =
    best_generation(clip, two, slice_for("v6e-4"), {{1, 1, 1, 4}, context_exchange::ring});
static_assert(ring->mesh.context == 4 && ring->mesh.exchange == context_exchange::ring && ring->mesh.fsdp == 1);
static_assert(ring->time.total >= four->time.total);
static_assert(!best_generation(clip, two, slice_for("v6e-4"), {{3, 0, 0, 0}, nothing}));

}  // namespace

}  // namespace static_estimate_generation_layouts_tests
