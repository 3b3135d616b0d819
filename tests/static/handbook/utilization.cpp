// The worked numbers in the comments of handbook/utilization.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/handbook/utilization.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_handbook_utilization_tests {

namespace {

static_assert(near(in_days(time_at_mfu(flops{6.3e24}, v5p, 8960, 0.4)), 44.3, 0.05));
static_assert(near(in_ms(load_time(16_GB, v5e)), 19.5, 0.05));
static_assert(near(in_tflop_per_s(mxu_peak(v5e)), 49.152, 1e-9));

constexpr chip_spec rented_chip() {
  chip_spec chip;
  chip.name = "1513 TFLOP/s";
  chip.peak.bf16 = 1513_TFLOP_per_s;
  return chip;
}
constexpr chip_spec rented = rented_chip();
static_assert(near(available_work(rented, 2790000, 1_h).value(), 1.52e25, 0.005e25));
static_assert(near(utilization(flops{3.2856e24}, rented, 2790000, 1_h), 0.216, 0.0005));
static_assert(near(in_tflop_per_s(tensorcore_peak(v5e)), 196.608, 1e-9));
static_assert(near(in_tflop_per_s(vector_peak(8 * 128 * 4 * 2, 1750_MHz)), 14.3, 0.05));
static_assert(near(in_tflop_per_s(vector_peak(16896, 1590_MHz)), 26.9, 0.05));
constexpr seconds four_stages[] = {66.7_ms, 166.7_ms, 19.8_ms, 1.4_ms};
static_assert(near(in_ms(overlap_bounds(four_stages).lower), 166.7, 0.05));
static_assert(near(in_ms(overlap_bounds(four_stages).upper), 254.6, 0.05));

// The least utilisation that is taken.
static_assert(near(time_at_mfu(197_TFLOP, v5e, 1, 1e-9).value(), 1e9, 1e-3));

}  // namespace

}  // namespace static_handbook_utilization_tests
