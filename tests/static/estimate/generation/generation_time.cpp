#include <tpuplan/estimate/generation/generation_time.hpp>

#include "support/pipelines.hpp"

using namespace tpuplan;

namespace static_estimate_generation_generation_time_tests {

namespace {

constexpr generation_work clip = work_of(small_pipeline(), {256, 256, 9});
constexpr slice where = slice_for("v6e-8");
constexpr generation_layout shared{1, 1, 1, 8};

constexpr generation_time of(const generation_job& job, const generation_layout& mesh = shared) {
  return generation_time_of(clip, job, mesh, where);
}
constexpr generation_time one = of({1, 20, 2});

static_assert(one.total == one.text + one.steps + one.decode);
static_assert(one.floor <= one.low && one.low <= one.total && one.total <= one.high);
static_assert(one.text == seconds{0} && one.decode > seconds{0});
static_assert(one.mfu > 0 && one.mfu < 1);
static_assert(one.step.software > seconds{0});
static_assert(!one.extrapolated && generation_time_of(clip, {1, 20, 2}, {2, 1, 1, 4}, slice_for("v5e-8")).extrapolated);
static_assert(detail::has_generation_runs(v6e) && !detail::has_generation_runs(v5e));

// All FLOPs: two passes of each of 20 steps, and one decoding.
constexpr flops step = clip.denoisers.items[0].model_flops, decode = clip.decoder.model_flops;
constexpr double work_over = one.work.value() / (2 * 20 * step + decode).value();
static_assert(work_over > 1 - 1e-12 && work_over < 1 + 1e-12);

// Caching shortens the steps by its factor, and nothing else.
constexpr generation_time cached = of({1, 20, 2, 2.0});
static_assert(cached.decode == one.decode && cached.steps == one.steps / 2);
// More steps, passes and items take longer.
static_assert(of({1, 40, 2}).steps == 2 * one.steps);
static_assert(of({1, 20, 1}).total < one.total && of({2, 20, 2}).total > one.total);
// Weights are read in the format in which they are kept, and no program reads them faster than HBM delivers.
constexpr generation_job in_format(dtype weights) {
  generation_job job{1, 20, 2};
  job.weights = weights;
  return job;
}
constexpr generation_time in_fp32 = of(in_format(dtype::fp32)), in_int8 = of(in_format(dtype::int8));
static_assert(in_int8.total <= one.total && one.total <= in_fp32.total && in_int8.total < in_fp32.total);
static_assert(in_int8.mfu >= one.mfu && one.mfu >= in_fp32.mfu);
constexpr seconds read_weights =
    20 * (bytes{4 * clip.denoisers.items[0].weights} / v6e.hbm.bandwidth);  // of each device, whole
static_assert(in_fp32.floor >= read_weights && in_fp32.low >= read_weights);

// Groups that take a pass of guidance each need less exchange.
static_assert(of({1, 20, 2}, {2, 1, 1, 4}).step.collectives < one.step.collectives);

}  // namespace

}  // namespace static_estimate_generation_generation_time_tests
