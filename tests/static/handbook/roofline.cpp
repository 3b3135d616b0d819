// The worked numbers in the comments of handbook/roofline.hpp, and its edges. It compiles, so it passes.
#include <string_view>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_handbook_roofline_tests {

namespace {

// A chip of the caller's own, from rounded figures alone.
constexpr chip_spec rounded_chip(std::string_view name, flops_per_second bf16, bytes_per_second hbm) {
  chip_spec chip;
  chip.name = name;
  chip.peak.bf16 = bf16;
  chip.hbm.bandwidth = hbm;
  return chip;
}

constexpr chip_spec rounded_v5e = rounded_chip("my v5e", flops_per_second{1.97e14}, bytes_per_second{8.1e11});
constexpr chip_spec rounded_v5p = rounded_chip("my v5p", flops_per_second{4.59e14}, bytes_per_second{2.8e12});
constexpr chip_spec rounded_v6e = rounded_chip("my v6e", flops_per_second{9.20e14}, bytes_per_second{1.6e12});

static_assert(critical_batch(rounded_v5e) == 244);  // 1.97e14 / 8.1e11 = 243.2
static_assert(critical_batch(rounded_v5p) == 164);  // 4.59e14 / 2.8e12 = 163.9
static_assert(critical_batch(rounded_v6e) == 576);  // 9.20e14 / 1.6e12 = 575 exactly; the batch is above it
static_assert(unrounded_critical_batch(rounded_v6e, uniform(dtype::bf16)) == 575);
static_assert(recommended_batch(rounded_v5e) == 488);
static_assert(recommended_batch(rounded_v5p) == 328);
static_assert(recommended_batch(rounded_v6e) == 1152);

// The same with the table.
static_assert(critical_batch(v5e) == 241);  // 1.97e14 / 8.19e11 = 240.5
static_assert(critical_batch(v5p) == 167);  // 4.59e14 / 2.765e12 = 166.0
static_assert(critical_batch(v6e) == 561);  // 9.18e14 / 1.638e12 = 560.4

static_assert(in_gb_per_s(bandwidth(v5e, memory_level::hbm)) == 819);
static_assert(near(in_gb_per_s(bandwidth(v5e, memory_level::ici)), 90, 1e-9));
static_assert(uniform(dtype::int8).weights == dtype::int8 && uniform(dtype::int8).activations == dtype::int8 &&
              uniform(dtype::int8).output == dtype::int8 && uniform(dtype::int8).compute == dtype::int8);
static_assert(near(ridge_point(v5e).value(), 240.5, 0.05));
static_assert(near(unrounded_critical_batch(v5e, uniform(dtype::bf16)), 240.5, 0.05));
constexpr product_dtypes int4_weights{dtype::int4, dtype::bf16, dtype::bf16, dtype::bf16};
static_assert(near(unrounded_critical_batch(rounded_chip("820 GB/s", 197_TFLOP_per_s, 820_GB_per_s), int4_weights),
                   60.1, 0.05));
static_assert(critical_batch(v5e, dtype::int8) == 240);
static_assert(recommended_batch(v5e) == 482);
static_assert(flops_of({32, 4096, 16384}).value() == 2.0 * 32 * 4096 * 16384);
static_assert(bytes_of({64, 4096, 4096}, uniform(dtype::bf16)) == 34603008_B);
static_assert(near(arithmetic_intensity({1, 65536, 65536}).value(), 1, 0.001));
static_assert(near(arithmetic_intensity({16, 65536, 65536}).value(), 16, 0.01));
static_assert(near(in_ms(roofline(v5e, {512, 4096, 16384}).math), 0.349, 0.0005));
static_assert(near(in_ms(roofline(v5e, {512, 4096, 16384}).memory), 0.189, 0.0005));
static_assert(roofline(v5e, {512, 4096, 16384}).limited_by == bound::compute);

// ---- Edges: what a mutation of the header would change first

// A cube of side 3 in bf16 has 54 FLOPs and 54 bytes: on a chip that does one of each in the same time neither is the
// larger.
constexpr chip_spec even_chip() {
  chip_spec chip = v5e;
  chip.peak.bf16 = 1_TFLOP_per_s;
  chip.hbm.bandwidth = 1_TB_per_s;
  return chip;
}
constexpr product_time even = roofline(even_chip(), {3, 3, 3});
static_assert(even.math == even.memory && even.lower == even.math && even.upper == 2 * even.math);
static_assert(even.limited_by == bound::memory);
static_assert(name(bound::compute) == "compute" && name(bound::memory) == "memory");
static_assert(product_shape{}.batch == 0 && product_shape{}.inner == 0 && product_shape{}.outer == 0);

}  // namespace

}  // namespace static_handbook_roofline_tests
