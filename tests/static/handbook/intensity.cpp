// The worked numbers in the comments of handbook/intensity.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/handbook/intensity.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_handbook_intensity_tests {

namespace {

// A chip of the caller's own, from rounded figures.
constexpr chip_spec rounded_int8() {
  chip_spec chip = v5e;
  chip.name = "my v5e";
  chip.peak.int8 = flops_per_second{3.94e14};
  chip.hbm.bandwidth = bytes_per_second{8.1e11};
  chip.on_chip.vmem_bandwidth_over_hbm = 22.0;
  return chip;
}

// int8 [B, 4096] x [4096, 16384] with 3.94e14 OP/s, 8.1e11 B/s from HBM and 22 times that from VMEM; and with the
// table.
constexpr double int8_batch(const chip_spec& chip, memory_level from) {
  return critical_batch_with_activations(chip, 4096, 16384, uniform(dtype::int8), from).value_or(-1);
}
static_assert(near(int8_batch(rounded_int8(), memory_level::hbm), 262.71, 0.005));
static_assert(near(int8_batch(rounded_int8(), memory_level::vmem), 11.09, 0.005));
static_assert(near(int8_batch(v5e, memory_level::hbm), 258.88, 0.005));
static_assert(near(int8_batch(v5e, memory_level::vmem), 10.94, 0.005));

static_assert(near(batched_weights_intensity({64, 4096, 4096}, uniform(dtype::int8)).value(), 1.999, 0.0005));
static_assert(tiled_intensity(512, 512).value() == 256);
static_assert(near(critical_count(rounded_int8(), {67_MB, flops{130e6}, 20_kB}, dtype::int8).value_or(-1), 270.97,
                   0.005));

// A chip that does a FLOP and moves a byte in the same time.
constexpr chip_spec even_chip() {
  chip_spec chip = v5e;
  chip.peak.bf16 = 1_TFLOP_per_s;
  chip.hbm.bandwidth = 1_TB_per_s;
  return chip;
}

// A count whose arithmetic takes as long as its own traffic never makes up for what moves once.
static_assert(!critical_count(even_chip(), {1_MB, 1_FLOP, 1_B}));
static_assert(critical_count(even_chip(), {1_MB, 2_FLOP, 1_B}).value() == 1e6);

}  // namespace

}  // namespace static_handbook_intensity_tests
