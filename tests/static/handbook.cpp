// It compiles, so it passes. Worked numbers of the scaling book, and of the functions that answer its questions.

#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/handbook.hpp>
#include <tpuplan/handbook/attention.hpp>
#include <tpuplan/handbook/intensity.hpp>
#include <tpuplan/handbook/link.hpp>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/handbook/recomputation.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/handbook/sharding.hpp>
#include <tpuplan/handbook/utilization.hpp>
#include <tpuplan/handbook/work.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <type_traits>

using namespace tpuplan;

namespace static_handbook_tests {

namespace {

constexpr bool near(double value, double expected, double relative = 1e-9) {
  const double off = value < expected ? expected - value : value - expected;
  return off <= relative * (expected < 0 ? -expected : expected);
}

constexpr slice v5e_slice(std::int32_t a, std::int32_t b) { return slice_of(v5e, {{a, b, 1}, 2}); }

// Llama 3 70B without its norms, in that many layers.
constexpr transformer llama_70b(std::int64_t layers) {
  transformer m{};
  m.layers = layers;
  m.d_model = 8192;
  m.vocab = 128256;
  m.mlp.d_ff = 28672;
  m.attention.heads = 64;
  m.attention.kv_heads = 8;
  m.attention.head_dim = 128;
  m.norms_per_layer = 0;
  m.final_norm = false;
  return m;
}

// Multi-head attention of width d_model, and a gated MLP of four times that.
constexpr transformer multi_head(std::int64_t d_model) {
  transformer m = llama_70b(1);
  m.d_model = d_model;
  m.mlp.d_ff = 4 * d_model;
  m.attention.heads = m.attention.kv_heads = d_model / 128;
  return m;
}

constexpr chip_spec book_v5e() {
  chip_spec chip = v5e;
  chip.peak.int8 = 394_TFLOP_per_s;
  chip.hbm.bandwidth = 810_GB_per_s;
  return chip;
}

// Links. The remarks are ids of cases in data/oracles/book_cases.json.
static_assert(ici_link_rate(v5e) == 45_GB_per_s);
static_assert(hops(v5e_slice(16, 16), {{0, 0, 0}}, {{13, 5, 0}}) == 8);  // LK-02
static_assert(hops(v5e_slice(8, 16), {{0, 0, 0}}, {{7, 15, 0}}) == 8);   // only the second axis wraps
static_assert(farthest_hops(v5e_slice(16, 16)) == 16 && farthest_hops(v5e_slice(4, 4)) == 6);
static_assert(farthest_hops(slice_of(v5p, {{4, 4, 8}, 3})) == 8);
static_assert(farthest_hops(slice_of(v5p, {{2, 2, 1}, 3})) == 2);
static_assert(hops(slice_for("v3-2048"), {{0, 0, 0}}, {{31, 16, 0}}) == 17);
static_assert(shortest_ports(v5e_slice(4, 4), {{0, 0, 0}}, {{3, 3, 0}}) == 2);
static_assert(shortest_ports(v5e_slice(16, 16), {{0, 0, 0}}, {{8, 8, 0}}) == 4);
static_assert(near(first_byte_time(6).value(), 6e-6));  // LK-01
constexpr send_breakdown corner_to_corner = send_time(16777216_B, v5e_slice(4, 4), {{0, 0, 0}}, {{3, 3, 0}});
static_assert(near(corner_to_corner.streaming.value(), 16777216 / 90e9));
static_assert(corner_to_corner.total == corner_to_corner.first_byte + corner_to_corner.streaming);
static_assert(send_time(1_GB, v5e_slice(4, 4), {{1, 2, 0}}, {{1, 2, 0}}).total == 0_s);
static_assert(near(latency_bound_bytes(v5e).value(), 45000));  // LK-07
static_assert(network_share_of(200, 4).host == 25_GB_per_s);   // LK-09
static_assert(network_share_of(200, 4).chip == v5p.host.dcn.value());
static_assert(std::is_trivially_copyable_v<send_breakdown> && std::is_trivially_copyable_v<chip_position>);

// Attention.
static_assert(near(attention_intensity({1, 8192, 1}).value(), 8192.0 / 8193));            // AT-03
static_assert(near(attention_intensity({1, 8192, 8}).value(), 8.0 * 8192 / (8192 + 8)));  // tends to 8
static_assert(attention_intensity({480, 480, 1}).value() == 240);                         // AT-01
static_assert(attention_intensity({480, 480, 1}, dtype::int8, dtype::int8).value() == 480);
static_assert(balance_prompt(flops_per_byte{240}) == 480 && balance_prompt(flops_per_byte{240}, 8) == 270);
static_assert(attention_parity_length(multi_head(4096), attention_against::projections) == 8192);  // TF-02
static_assert(attention_parity_length(multi_head(4608), attention_against::layers) == 36864);      // TF-03
static_assert(attention_parity_length(multi_head(4096), attention_against::projections, attention_flops::causal_half) ==
              16384);

// Rooflines.
static_assert(near(critical_batch_with_activations(book_v5e(), 4096, 16384, uniform(dtype::int8)).value(),
                   262.7085701));  // RC-10
static_assert(near(critical_count(book_v5e(), {bytes{6.7e7}, flops{1.3e8}, bytes{2e4}}, dtype::int8).value(),
                   270.9710532));
static_assert(!critical_count(v5e, {1_GB, 1_FLOP, 1_B}).has_value());  // traffic grows faster than arithmetic
static_assert(tensorcore_peak(v5e) == 4 * mxu_peak(v5e) && near(tensorcore_peak(v5e).value(), 196.608e12));  // CH-01
static_assert(near(vector_peak(16896, 1590_MHz).value(), 26.86464e12));                                      // GP-03
static_assert(near(vector_peak(8 * 128 * 4 * 2, 1750_MHz).value(), 14.336e12));
static_assert(vector_register_bytes(v5p) == 4096_B && 64 * vector_register_bytes(v5p) == 262144_B);
static_assert(overlap_bounds({3_ms, 5_ms, 1_ms}).lower == 5_ms &&
              near(in_ms(overlap_bounds({3_ms, 5_ms, 1_ms}).upper), 9));
static_assert(near(utilization(training_work(37'000'000'000, 14'800'000'000'000), v5p, 2'790'000, 3600_s),
                   3.2856e24 / (459e12 * 2.79e6 * 3600)));
static_assert(near(peak_rate(slice_for("v5litepod-256"), dtype::bf16).value(), 50.432e15));  // PT-01
static_assert(hbm_capacity(slice_for("v5litepod-256")) == 4_TiB);

// Models.
static_assert(parameters(llama_70b(80)).total == 70552387584);                // TP-03
static_assert(kv_bytes_per_token(llama_70b(80), dtype::int8) == 163840_B);    // KV-05
static_assert(training_work(70'000'000'000, 1'000'000) == flops{4.2e17});     // TF-08
static_assert(forward_work(31'200'000'000, 8192) == flops{511180800000000});  // MO-05
static_assert(training_state_of(70'000'000'000).optimizer == 560_GB);         // OM-03
static_assert(training_state_of(1).total == 10_B);                            // OM-01
constexpr flop_convention full_attention{attention_flops::full, window_flops::smooth, false, false};
static_assert(recomputed_flops_per_token(llama_70b(1), 8192, remat::minimal, full_attention) * 8192 ==
              flops{2199023255552});  // TF-07
static_assert(recomputed_flops_per_token(llama_70b(1), 8192, remat::none) == 0_FLOP);
static_assert(saved_activation_bytes(5120 + 2 * 13824, 40, 16'000'000) == bytes{41943040000000});  // AM-03
static_assert(unsharded(4096, 8) == 32768 && shard(unsharded(4096, 8), dtype::bf16, 8, 8).elements_per_device == 4096);

}  // namespace

}  // namespace static_handbook_tests
