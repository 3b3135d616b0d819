// The worked numbers in the comments of handbook/inference.hpp, and its edges. It compiles, so it passes.
#include <cstdint>
#include <tpuplan/handbook/inference.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_handbook_inference_tests {

namespace {

static_assert(near(hbm_bandwidth(slice_for("v5litepod-8")).value(), 6.55e12, 0.005e12));
static_assert(power_of_two_from(6.996) == 8 && power_of_two_from(8.55) == 16);
static_assert(near(requests_per_second({43, 19_ms, 512}).value(), 4.42, 0.005));
static_assert(near(prefill_servers_per_decode_server({43, 19_ms, 512}, 0.91_s), 4.02, 0.005));
static_assert(near(hbm_over_ici(v5e), 9.1, 0.05));

constexpr bool close(double value, double expected) {
  return value - expected <= 1e-12 * expected && expected - value <= 1e-12 * expected;
}

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

// 64 x 8192 x 28672 sharded 32 ways.
constexpr sharded_product sharded = sharded_product_times({64, 8192, 28672}, 32, v5e);
static_assert(close(sharded.ici.value(), 2.0 * 64 * 8192 / ici_axis_both_ways(v5e).value()));
static_assert(close(sharded.hbm.value(), 2.0 * 8192 * 28672 / 32 / v5e.hbm.bandwidth.value()));
static_assert(close(sharded.math.value(), 2.0 * 64 * 8192 * 28672 / 32 / 197e12));

constexpr weight_stationary_degrees on_128 = two_dimensional_degrees(128, 4);
static_assert(close(on_128.d_model, 4) && close(on_128.d_ff, 32));
static_assert(two_dimensional_from_chips(3.5) == 63 && two_dimensional_from_chips(3.5, 1) == 7);

}  // namespace

}  // namespace static_handbook_inference_tests
