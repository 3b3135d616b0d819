// The worked numbers in the comments of estimate/training/bands.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/training/bands.hpp>

#include <cstddef>
#include <iterator>

#include "support/models.hpp"
#include "support/near.hpp"

using namespace tpuplan;

namespace static_estimate_training_bands_tests {

namespace {

constexpr step_kind kind(dtype compute, std::int64_t expert, std::int64_t context, double parameter_total,
                         std::int64_t experts) {
  transformer model = llama_3_8b();
  model.moe.experts = experts;
  training_job job = job_of(64, 4096);
  job.compute = compute;
  layout mesh;
  mesh.expert = expert, mesh.context = context;
  return kind_of(model, job, mesh, parameter_total);
}
static_assert(kind(dtype::bf16, 1, 1, 8e9, 0) == step_kind::dense);
static_assert(kind(dtype::int8, 1, 1, 8e9, 0) == step_kind::dense_eight_bit);
static_assert(kind(dtype::bf16, 1, 1, 8e9, 8) == step_kind::experts);
static_assert(kind(dtype::fp8, 1, 1, 8e9, 8) == step_kind::experts_eight_bit);
static_assert(kind(dtype::fp8, 4, 1, 8e9, 8) == step_kind::expert_parallel);
static_assert(kind(dtype::fp8, 4, 2, 8e9, 8) == step_kind::context_parallel);
static_assert(kind(dtype::fp8, 4, 2, 1e9, 8) == step_kind::small_model);
static_assert(kind(dtype::bf16, 1, 1, 1.499e9, 0) == step_kind::small_model);
static_assert(kind(dtype::bf16, 1, 1, 1.5e9, 0) == step_kind::dense);
static_assert(name(step_kind::experts_eight_bit) == "experts_eight_bit");

// Every kind has runs, and its ends are on either side of the estimate.
constexpr bool sensible() {
  for (const training_band& band : training_bands) {
    if (!(band.low < 1 && band.high > 1 && band.runs >= band.sources && band.sources > 0)) return false;
  }
  return true;
}
static_assert(sensible());

// A name is worth a narrower band of the kinds that have more than one level, also beyond the runs.
constexpr bool narrower_where_named() {
  for (std::size_t i = 0; i < std::size(training_bands); ++i) {
    const auto kind = static_cast<step_kind>(i);
    for (const bool extrapolated : {false, true}) {
      const training_band told = band_of(kind, extrapolated, software_level::tuned);
      const training_band untold = band_of(kind, extrapolated, software_level::unnamed);
      if (untold.high < told.high || untold.runs != told.runs || untold.sources != told.sources) return false;
    }
  }
  return true;
}
static_assert(narrower_where_named());
static_assert(band_of(step_kind::dense, false, software_level::unnamed).high > 1.2 * training_bands[0].high);
static_assert(band_of(step_kind::dense, true, software_level::unnamed).high > 1.2 * 1.5);

// The shares of the levels are most first, and of all that is said.
constexpr double all_shares() {
  double sum = 0, before = 1;
  for (const software_share& one : training_software) {
    if (one.level == software_level::unnamed || one.share > before) return 0;
    sum += one.share, before = one.share;
  }
  return sum;
}
static_assert(near(all_shares(), 1, 0.002));
static_assert(band_of(step_kind::dense, true, software_level::tuned).low <= 1 / 1.5);
static_assert(band_of(step_kind::dense, true, software_level::tuned).high >= 1.5);
static_assert(widened({0.8, 1.2, 1, 1}, false, software_level::general).high == 1.2);
static_assert(widened({0.8, 1.2, 1, 1}, false, software_level::first_port).high == 2.25);
static_assert(widened({0.8, 1.2, 1, 1}, false, software_level::first_port).low == 0.8);
static_assert(widened({0.5, 2.5, 1, 1}, true, software_level::first_port).high == 2.5);

static_assert(widened({0.8, 1.2, 1, 1}, true, software_level::tuned).low == 1 / 1.5 &&
              widened({0.8, 1.2, 1, 1}, true, software_level::tuned).high == 1.5);

}  // namespace

}  // namespace static_estimate_training_bands_tests
