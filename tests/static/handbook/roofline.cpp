// The worked numbers in the comments of handbook/roofline.hpp, and its edges. It compiles, so it passes.
#include <string_view>
#include <tpuplan/handbook/inference.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/near.hpp"

using namespace tpuplan;

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

// int8 [B, 4096] x [4096, 16384] with 3.94e14 OP/s, 8.1e11 B/s from HBM and 22 times that from VMEM.
constexpr chip_spec rounded_int8() {
  chip_spec chip = rounded_v5e;
  chip.peak.int8 = flops_per_second{3.94e14};
  chip.on_chip.vmem_bandwidth_over_hbm = 22.0;
  return chip;
}
constexpr double int8_batch(const chip_spec& chip, memory_level from) {
  return critical_batch_with_activations(chip, 4096, 16384, uniform(dtype::int8), from).value_or(-1);
}
static_assert(near(int8_batch(rounded_int8(), memory_level::hbm), 262.71, 0.005));
static_assert(near(int8_batch(rounded_int8(), memory_level::vmem), 11.09, 0.005));
static_assert(near(int8_batch(v5e, memory_level::hbm), 258.88, 0.005));
static_assert(near(int8_batch(v5e, memory_level::vmem), 10.94, 0.005));

// 128 per core on v3-8 is 1024 in all; 60000 examples are 58 whole steps.
static_assert(global_batch(128, tensorcores(slice_for("v3-8"))) == 1024);
static_assert(steps_per_epoch(60000, 1024) == 58);

static_assert(in_gb_per_s(bandwidth(v5e, memory_level::hbm)) == 819);
static_assert(near(in_gb_per_s(bandwidth(v5e, memory_level::ici)), 90, 1e-9));
static_assert(uniform(dtype::int8).weights == dtype::int8 && uniform(dtype::int8).activations == dtype::int8 &&
              uniform(dtype::int8).output == dtype::int8 && uniform(dtype::int8).compute == dtype::int8);
static_assert(near(ridge_point(v5e).value(), 240.5, 0.05));
static_assert(near(unrounded_critical_batch(v5e, uniform(dtype::bf16)), 240.5, 0.05));
constexpr product_dtypes int4_weights{dtype::int4, dtype::bf16, dtype::bf16, dtype::bf16};
static_assert(near(unrounded_critical_batch(rounded_chip("820 GB/s", 197_TFLOP_per_s, 820_GB_per_s), int4_weights), 60.1, 0.05));
static_assert(critical_batch(v5e, dtype::int8) == 240);
static_assert(recommended_batch(v5e) == 482);
static_assert(flops_of({32, 4096, 16384}).value() == 2.0 * 32 * 4096 * 16384);
static_assert(bytes_of({64, 4096, 4096}, uniform(dtype::bf16)) == 34603008_B);
static_assert(near(arithmetic_intensity({1, 65536, 65536}).value(), 1, 0.001));
static_assert(near(arithmetic_intensity({16, 65536, 65536}).value(), 16, 0.01));
static_assert(near(batched_weights_intensity({64, 4096, 4096}, uniform(dtype::int8)).value(), 1.999, 0.0005));
static_assert(tiled_intensity(512, 512).value() == 256);
static_assert(near(in_ms(roofline(v5e, {512, 4096, 16384}).math), 0.349, 0.0005));
static_assert(near(in_ms(roofline(v5e, {512, 4096, 16384}).memory), 0.189, 0.0005));
static_assert(roofline(v5e, {512, 4096, 16384}).limited_by == bound::compute);
static_assert(near(in_days(time_at_mfu(flops{6.3e24}, v5p, 8960, 0.4)), 44.3, 0.05));
static_assert(near(in_ms(load_time(16_GB, v5e)), 19.5, 0.05));
static_assert(near(in_tflop_per_s(mxu_peak(v5e)), 49.152, 1e-9));
static_assert(batch_per_replica(1024, 8) == 128);
static_assert(recommended_multiple(1000) == 1024);
static_assert(steps_per_epoch(60000, 1024, remainder::keep) == 59);

constexpr chip_spec rounded_for_count() {
  chip_spec chip = rounded_v5e;
  chip.peak.int8 = flops_per_second{3.94e14};
  return chip;
}
static_assert(near(critical_count(rounded_for_count(), {67_MB, flops{130e6}, 20_kB}, dtype::int8).value_or(-1),
                   270.97, 0.005));
constexpr chip_spec rented = rounded_chip("1513 TFLOP/s", 1513_TFLOP_per_s, 1_TB_per_s);
static_assert(near(available_work(rented, 2790000, 1_h).value(), 1.52e25, 0.005e25));
static_assert(near(utilization(flops{3.2856e24}, rented, 2790000, 1_h), 0.216, 0.0005));
static_assert(near(in_tflop_per_s(tensorcore_peak(v5e)), 196.608, 1e-9));
static_assert(near(in_tflop_per_s(vector_peak(8 * 128 * 4 * 2, 1750_MHz)), 14.3, 0.05));
static_assert(near(in_tflop_per_s(vector_peak(16896, 1590_MHz)), 26.9, 0.05));
constexpr seconds four_stages[] = {66.7_ms, 166.7_ms, 19.8_ms, 1.4_ms};
static_assert(near(in_ms(overlap_bounds(four_stages).lower), 166.7, 0.05));
static_assert(near(in_ms(overlap_bounds(four_stages).upper), 254.6, 0.05));

// ---- Edges: what a mutation of the header would change first

constexpr bool close(double value, double expected) {
  return value - expected <= 1e-12 * expected && expected - value <= 1e-12 * expected;
}

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

// A count whose arithmetic takes as long as its own traffic never makes up for what moves once.
static_assert(!critical_count(even_chip(), {1_MB, 1_FLOP, 1_B}));
static_assert(critical_count(even_chip(), {1_MB, 2_FLOP, 1_B}).value() == 1e6);

// The least utilisation that is taken.
static_assert(close(time_at_mfu(197_TFLOP, v5e, 1, 1e-9).value(), 1e9));

// No FLOPs need no rate: v3 has none for int8.
constexpr decode_work cache_and_weights{4, 30_GB, 819_MB, flops{0}};
static_assert(decode_bound_of(cache_and_weights, v3, 1, dtype::int8).products == 0_s);
static_assert(decode_bound_of({4, 30_GB, 819_MB, flops{0.5}}, v5e, 1).products > 0_s);
constexpr decode_bound on_16 = decode_bound_of({4, 30_GB, 819_MB, 60_GFLOP}, v5e, 16);
static_assert(close(on_16.memory.value(), 30e9 + 4 * 819e6));
static_assert(close(on_16.cache.value(), 4 * 819e6 / (16 * v5e.hbm.bandwidth.value())));
static_assert(close(on_16.weights.value(), 30e9 / (16 * v5e.hbm.bandwidth.value())));
static_assert(close(on_16.products.value(), 4 * 60e9 / (16 * 197e12)));
static_assert(on_16.total == on_16.cache + on_16.weights);
static_assert(close(on_16.tokens_per_second.value(), 4 / on_16.total.value()));
static_assert(decode_work{}.batch == 0 && decode_turnover{}.sequences == 0 && decode_turnover{}.tokens == 0);
static_assert(weight_stationary_degrees{}.d_model == 0 && weight_stationary_degrees{}.d_ff == 0);

static_assert(caches_that_fit({128_GB, 70_GB, bytes{162000.0 * 8192}}) == 43);
static_assert(caches_that_fit({10_GB, 8_GB, 2_GB}) == 1 && caches_that_fit({10_GB, 8_GB, 2.5_GB}) == 0);
static_assert(caches_that_fit({10_GB, 12_GB, 1_GB}) == 0 && caches_that_fit({10_GB, 0_B, 1_GB}) == 10);
constexpr chip_spec chip_of_16_gb() {
  chip_spec chip = v5e;
  chip.hbm.capacity = 16_GB;
  return chip;
}
static_assert(chips_to_hold(140_GB, chip_of_16_gb()) == 8.75 && chips_to_hold(32_GiB, v5e) == 2);
static_assert(power_of_two_from(0.3) == 1 && power_of_two_from(1) == 1 && power_of_two_from(1.01) == 2);
static_assert(power_of_two_from(8) == 8 && power_of_two_from(8.55) == 16);
static_assert(power_of_two_from(1e-9) == 1 && power_of_two_from(1e15) == std::int64_t{1} << 50);

static_assert(close(requests_per_second({43, 19_ms, 512}).value(), 43 / (0.019 * 512)));
static_assert(close(output_time(19.5_ms, 512).value(), 9.984));
static_assert(close(turnover(32, {8192, 4096}).sequences, 32.0 / 4096) && turnover(32, {8192, 4096}).tokens == 96);
static_assert(turnover(32, {0, 4096}).tokens == 32);
static_assert(close(prefill_servers_per_decode_server({43, 19_ms, 512}, 0.91_s), 43 * 0.91 / (0.019 * 512)));
static_assert(close(decode_tensor_limit(16384, 32, 8), 64));
static_assert(close(hbm_over_ici(v5e), v5e.hbm.bandwidth / ici_axis_both_ways(v5e)));

// 64 x 8192 x 28672 cut 32 ways.
constexpr sharded_product cut = sharded_product_times({64, 8192, 28672}, 32, v5e);
static_assert(close(cut.ici.value(), 2.0 * 64 * 8192 / ici_axis_both_ways(v5e).value()));
static_assert(close(cut.hbm.value(), 2.0 * 8192 * 28672 / 32 / v5e.hbm.bandwidth.value()));
static_assert(close(cut.math.value(), 2.0 * 64 * 8192 * 28672 / 32 / 197e12));

constexpr weight_stationary_degrees on_128 = two_dimensional_degrees(128, 4);
static_assert(close(on_128.d_model, 4) && close(on_128.d_ff, 32));
static_assert(two_dimensional_from_chips(3.5) == 63 && two_dimensional_from_chips(3.5, 1) == 7);

}  // namespace
