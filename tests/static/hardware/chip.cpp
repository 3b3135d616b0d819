// The worked numbers in the comments of hardware/chip.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/hardware/chip.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_hardware_chip_tests {

namespace {

static_assert(peak_rate(v5e, dtype::int8) == 393_TFLOP_per_s);
static_assert(v3.peak.int8.is_absent() && tpu7x.peak.int8.is_absent());
static_assert(has_peak_rate(v5e, dtype::fp8) && !has_peak_rate(v4, dtype::fp8));
static_assert(vmem(v5p) == 128_MiB);
static_assert(near(in_gb_per_s(vmem_bandwidth(v5e)), 18018, 1e-9));
static_assert(in_gb_per_s(ici_one_way(v5p)) == 600);
static_assert(near(in_gb_per_s(ici_axis_both_ways(v5p)), 180, 1e-9));
static_assert(usable_hbm_per_device(v5e) == 16909332480_B);

// Without a budget of XLA each device has its share of what is there.
static_assert([] {
  chip_spec c = v3;
  c.hbm.usable_per_device = unknown;
  return usable_hbm_per_device(c).value() == c.hbm.capacity.value() / 2 && c.jax_devices == 2;
}());

static_assert(near(in_gib(usable_hbm_per_device(with_hbm(v6e, 48_GiB))), 46.87, 0.005));
static_assert(with_hbm(v3, 64_GiB).hbm.capacity == 64_GiB && with_hbm(v3, 64_GiB).jax_devices == 2);
static_assert(near(in_gb_per_s(ici_axis_both_ways(with_achieved_links(v5p, 85_GB_per_s))), 170, 1e-9));

}  // namespace

}  // namespace static_hardware_chip_tests
