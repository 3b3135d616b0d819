// The project's worked figures with their inputs beside them, and every worked number in the comments of the headers.
// It compiles, so it passes.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/dtype.hpp>
#include <tpuplan/estimate/training/calibration.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/integer.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/handbook/link.hpp>
#include <tpuplan/handbook/attention.hpp>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/units.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace {

constexpr bool near(double value, double expected, double tolerance) {
  return value >= expected - tolerance && value <= expected + tolerance;
}

// Money: to 1e-12 of the amount.
constexpr bool same_money(usd value, double expected) { return near(value.value(), expected, expected * 1e-12); }
constexpr bool same_price(usd_per_second value, double dollars_per_hour) {
  return near(in_usd_per_hour(value), dollars_per_hour, dollars_per_hour * 1e-12);
}

// A chip of the caller's own, from rounded figures alone.
constexpr chip_spec rounded_chip(std::string_view name, flops_per_second bf16, bytes_per_second hbm) {
  chip_spec chip;
  chip.name = name;
  chip.peak.bf16 = bf16;
  chip.hbm.bandwidth = hbm;
  return chip;
}

constexpr bool is_shape(const slice& s, std::string_view shape) { return name(s.shape) == shape; }

// ---- Rooflines of chips that the caller defines from rounded figures
// --------------------------------------------------

constexpr chip_spec rounded_v5e = rounded_chip("my v5e", flops_per_second{1.97e14}, bytes_per_second{8.1e11});
constexpr chip_spec rounded_v5p = rounded_chip("my v5p", flops_per_second{4.59e14}, bytes_per_second{2.8e12});
constexpr chip_spec rounded_v6e = rounded_chip("my v6e", flops_per_second{9.20e14}, bytes_per_second{1.6e12});

static_assert(critical_batch(rounded_v5e) == 244);  // 1.97e14 / 8.1e11 = 243.2
static_assert(critical_batch(rounded_v5p) == 164);  // 4.59e14 / 2.8e12 = 163.9
static_assert(critical_batch(rounded_v6e) == 576);  // 9.20e14 / 1.6e12 = 575 exactly; the batch is above it
static_assert(balance_batch(rounded_v6e, uniform(dtype::bf16)) == 575);
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
  return exact_critical_batch(chip, 4096, 16384, uniform(dtype::int8), from).value_or(-1);
}
static_assert(near(int8_batch(rounded_int8(), memory_level::hbm), 262.71, 0.005));
static_assert(near(int8_batch(rounded_int8(), memory_level::vmem), 11.09, 0.005));
static_assert(near(int8_batch(v5e, memory_level::hbm), 258.88, 0.005));
static_assert(near(int8_batch(v5e, memory_level::vmem), 10.94, 0.005));

// ---- Slices
// -----------------------------------------------------------------------------------------------------------

static_assert(chips(slice_for("v3-8")) == 4);
static_assert(tensorcores(slice_for("v3-8")) == 8);
static_assert(chips(slice_for("v3-32")) == 16);
static_assert(chips(slice_for("v5litepod-8")) == 8);
static_assert(chips(slice_for("v5p-8")) == 4);

// ---- Batches
// ----------------------------------------------------------------------------------------------------------

// 128 per core on v3-8 is 1024 in all; 60000 examples are 58 whole steps.
static_assert(global_batch(128, tensorcores(slice_for("v3-8"))) == 1024);
static_assert(steps_per_epoch(60000, 1024) == 58);

// ---- Money
// ------------------------------------------------------------------------------------------------------------

static_assert(same_price(rate(usd_per_hour(1.20), chips(slice_for("v5e-32"))), 38.40));
static_assert(same_price(rate(usd_per_hour(1.20), chips(slice_for("v5e-8"))), 9.60));
// A spot run of 2.4 h at 19.20 an hour against 2 h on demand at 38.40.
static_assert(same_money(cost(usd_per_hour(19.20), 2.4_h), 46.08));
static_assert(same_money(cost(usd_per_hour(38.40), 2_h), 76.80));
static_assert(near(saving(cost(usd_per_hour(38.40), 2_h), cost(usd_per_hour(19.20), 2.4_h)), 0.40, 1e-12));
// GPUs: one A100 of 40 GB for 10 h at 3.67; a machine of eight of 80 GB for 4 h at 47.12.
static_assert(same_money(cost(usd_per_hour(3.67), 10_h), 36.70));
static_assert(same_money(cost(usd_per_hour(47.12), 4_h), 188.48));
static_assert(same_money(cost(rate(usd_per_hour(47.12 / 8), 8), 4_h), 188.48));

// ---- Images
// -----------------------------------------------------------------------------------------------------------

static_assert(patches(224, 16) == 196);

constexpr vision_spec vit_b16() {
  vision_spec v;
  v.image_size = 224;
  v.patch_size = 16;
  v.layers = 12;
  v.d_model = 768;
  v.heads = 12;
  v.d_ff = 3072;
  v.class_token = true;
  v.learned_positions = 197;
  v.extra_norms = 1;
  return v;
}
constexpr vision_spec without_class_token() {
  vision_spec v = vit_b16();
  v.class_token = false;
  return v;
}
static_assert(vision_tokens(without_class_token()) == 196);
static_assert(vision_tokens(vit_b16()) == 197);

// =====================================================================================================================
// The worked numbers of the comments, header by header.
// =====================================================================================================================

// ---- units.hpp
// --------------------------------------------------------------------------------------------------------
static_assert(same_money(usd_per_hour(1.2) * 3600_s, 1.20));

// ---- integer.hpp
// ------------------------------------------------------------------------------------------------------
static_assert(checked_multiply(12288, 49152) == 603979776);
static_assert(checked_multiply(16, 20, 28) == 8960);
static_assert(checked_add(2, 40) == 42);
static_assert(ceil_div(60000, 1024) == 59);
static_assert(round_up(50257, 256) == 50432);
static_assert(!is_power_of_two(96));
static_assert(floor_to_count(240.54) == 240);
static_assert(ceil_to_count(6.97) == 7);

// ---- error.hpp, text.hpp: named, not numbered
// -------------------------------------------------------------------------
static_assert(name(errc::no_price) == "no_price");

// ---- dtype.hpp
// --------------------------------------------------------------------------------------------------------
static_assert(bits(dtype::int4) == 4);
static_assert(size_of(dtype::bf16) == 2_B);
static_assert(size_of(dtype::int4) == 0.5_B);

// ---- hardware/chip.hpp
// ------------------------------------------------------------------------------------------------
static_assert(peak_rate(v5e, dtype::int8) == 393_TFLOP_per_s);
static_assert(v3.peak.int8.is_absent());
static_assert(vmem(v5p) == 128_MiB);
static_assert(near(in_gb_per_s(vmem_bandwidth(v5e)), 18018, 1e-9));
static_assert(in_gb_per_s(ici_one_way(v5p)) == 600);
static_assert(near(in_gb_per_s(ici_axis_both_ways(v5p)), 180, 1e-9));
static_assert(usable_hbm_per_device(v5e) == 16909332480_B);
static_assert(slice_prefix(v5e) == "v5litepod");

// ---- hardware/generations.hpp
// -----------------------------------------------------------------------------------------
static_assert(chip_for("Ironwood").name == "tpu7x");

// ---- hardware/topology.hpp
// --------------------------------------------------------------------------------------------
static_assert(chips(topology{{16, 20, 28}, 3}) == 8960);
static_assert(name(topology{{4, 4, 8}, 3}) == "4x4x8");
static_assert(wraparound(slice_for("v5e:8x16"))[0] == known<bool>{false});
static_assert(wraparound(slice_for("v5e:8x16"))[1] == known<bool>{true});
static_assert(fully_wrapped(slice_for("v5p:4x4x8")) == known<bool>{true});
static_assert(wraparound(slice_for("v5p:2x4x4"))[0] == known<bool>{false});
static_assert(wraparound(slice_for("v5p:2x4x4"))[1] == known<bool>{false});
static_assert(wraparound(slice_for("v5p:2x4x4"))[2] == known<bool>{false});
static_assert(may_be_twisted({{4, 4, 8}, 3}));
static_assert(!may_be_twisted({{4, 4, 4}, 3}));
static_assert(!may_be_twisted({{4, 4, 12}, 3}));

// ---- hardware/slice.hpp
// -----------------------------------------------------------------------------------------------
static_assert(chips(slice_for("v5p-128")) == 64);
static_assert(devices(slice_for("tpu7x-256")) == 256);
static_assert(chips(slice_for("tpu7x-256")) == 128);
static_assert(devices(slice_for("v5p-128")) == 64);
static_assert(vms(slice_for("v5p-128")) == 16);
static_assert(vms(slice_for("v5litepod-16")) == 4);
static_assert(hosts(slice_for("v5p-128")) == 16);
static_assert(hosts(slice_for("v5litepod-16")) == 2);
static_assert(hosts(slice_for("v5litepod-1")) == 0.125);
static_assert(wraparound(slice_for("v5p-128"))[0].value() && wraparound(slice_for("v5p-128"))[1].value() &&
              wraparound(slice_for("v5p-128"))[2].value());
static_assert(fully_wrapped(slice_for("v5p-128")) == known<bool>{true});
static_assert(fully_wrapped(slice_for("v5litepod-128")) == known<bool>{false});
static_assert(!schedulable(slice_for("v5p-17920")));
static_assert(bisection_bandwidth(slice_for("v5litepod-256")) == 1.6_TB_per_s);
static_assert(is_valid_shape(v5p, {{4, 4, 12}, 3}));
static_assert(!is_valid_shape(v5p, {{4, 12, 4}, 3}));
static_assert(!is_valid_shape(v5p, {{4, 4, 6}, 3}));
static_assert(chips(slice_of(v5p, {{4, 4, 12}, 3})) == 192);
static_assert(machine_type_of(slice_for("v5p-128"))->name == "ct5p-hightpu-4t");
static_assert(machine_type_of(slice_for("v5litepod-8"))->name == "ct5lp-hightpu-8t");
static_assert(chips(*find_slice("v5e-32")) == 32);
static_assert(chips(*find_slice("v3-32")) == 16);
static_assert(hbm_capacity(slice_for("v5litepod-256")).value() == 256 * 16 * 1073741824.0);
static_assert(peak_rate(slice_for("v5litepod-256"), dtype::bf16) == 50.432_PFLOP_per_s);
static_assert(name(slice_for("v5p-128")) == "v5p-128");
static_assert(name(slice_for("v5e-16")) == "v5litepod-16");
static_assert(name(slice_for("v6e-256"), 4) == "4 x v6e-256");
static_assert(name(slice_for("v6e-256"), 1) == "v6e-256");
static_assert(name(slice_for("v4:4x4x16")) == "v4-4x4x16");
static_assert(name(*find_slice_of_size(v5p, 64)) == "v5p-128");
static_assert(is_shape(*find_slice_of_size(v4, 3072), "12x16x16"));
static_assert(name(*nearest(v5e, 24).smaller) == "v5litepod-16");
static_assert(name(*nearest(v5e, 24).larger) == "v5litepod-32");

// ---- Models that the comments name
// ------------------------------------------------------------------------------------

constexpr transformer llama_2_7b() {
  transformer m = llama_3_8b();
  m.name = "llama-2-7b";
  m.vocab = 32000;
  m.attention.kv_heads = 32;
  m.mlp.d_ff = 11008;
  return m;
}

constexpr transformer deepseek_v3() {
  transformer m;
  m.name = "DeepSeek-V3";
  m.layers = 61;
  m.d_model = 7168;
  m.vocab = 129280;
  m.attention.heads = 128;
  m.attention.kv_heads = 128;
  m.attention.latent = {1536, 512, 128, 64, 128};
  m.mlp.d_ff = 18432;
  m.moe.experts = 256;
  m.moe.top_k = 8;
  m.moe.expert_d_ff = 2048;
  m.moe.shared_d_ff = 2048;
  m.moe.dense_layers = 3;
  return m;
}

constexpr transformer gemma_2_9b() {
  transformer m;
  m.name = "gemma2-9b";
  m.layers = 42;
  m.d_model = 3584;
  m.vocab = 256000;
  m.tied_embeddings = true;
  m.attention.heads = 16;
  m.attention.kv_heads = 8;
  m.attention.head_dim = 256;
  m.attention.window = 4096;
  m.attention.local_layers = 21;
  m.mlp.d_ff = 14336;
  return m;
}

constexpr transformer gpt2() {
  transformer m;
  m.name = "gpt2";
  m.layers = 12;
  m.d_model = 768;
  m.vocab = 50257;
  m.tied_embeddings = true;
  m.learned_positions = 1024;
  m.norm_bias = true;
  m.attention.heads = 12;
  m.attention.kv_heads = 12;
  m.attention.head_dim = 64;
  m.attention.qkv_bias = true;
  m.attention.output_bias = true;
  m.mlp.d_ff = 3072;
  m.mlp.gated = false;
  m.mlp.bias = true;
  return m;
}

// ---- model/transformer.hpp
// --------------------------------------------------------------------------------------------
static_assert(moe_layers(deepseek_v3()) == 58);

// ---- model/parameters.hpp
// ---------------------------------------------------------------------------------------------
static_assert(parameters(llama_3_8b()).total == 8030261248);
static_assert(parameters(llama_3_8b()).embedding == 525336576);
static_assert(parameters(llama_3_8b()).lm_head == 525336576);
constexpr lora_targets q_and_v() {
  lora_targets on;
  on.q = on.v = true;
  return on;
}
static_assert(lora_parameters(llama_2_7b(), 8, q_and_v()) == 4194304);

// ---- model/flops.hpp
// -------------------------------------------------------------------------------------------------- The expected
// figure is a training step of 4096 tokens, hence 3 x 4096 times the forward pass of one.
static_assert(near(forward_flops_per_token(llama_3_8b(), 4096).total.value() * 3 * 4096, 197.62862515814402e12, 1e3));
static_assert(training_flops_per_token(llama_3_8b(), 4096, six_n_flops).value() == 6.0 * 8030261248);
static_assert(near(converted_mfu(0.5, llama_3_8b(), 8192, six_n_flops, maxtext_flops), 0.534, 0.0005));

static_assert(forward_work(31200000000, 8192).value() == 2 * 31.2e9 * 8192);
static_assert(near(forward_work(31200000000, 8192).value(), 5.112e14, 1e11));
static_assert(near(training_work(37000000000, 14800000000000).value(), 3.2856e24, 1e12));
constexpr transformer multi_head_4096() {
  transformer m = llama_3_8b();
  m.attention.kv_heads = 32;
  m.mlp.d_ff = 4 * 4096;
  return m;
}
static_assert(near(attention_parity_length(multi_head_4096(), attention_against::projections), 8192, 1e-6));
static_assert(near(attention_parity_length(multi_head_4096(), attention_against::layers), 32768, 1e-6));

// ---- model/kv_cache.hpp
// -----------------------------------------------------------------------------------------------
static_assert(kv_bytes_per_token(llama_3_8b(), dtype::bf16) == 131072_B);
static_assert(kv_bytes_per_token(deepseek_v3(), dtype::bf16) == 70272_B);
static_assert(kv_bytes_per_sequence(gemma_2_9b(), 8192, dtype::bf16, window_eviction::evict) == 2113929216_B);

// ---- model/vision.hpp
// -------------------------------------------------------------------------------------------------
constexpr vision_spec gemma_3_tower() {
  vision_spec v;
  v.image_size = 896;
  v.patch_size = 14;
  v.layers = 27;
  v.d_model = 1152;
  v.heads = 16;
  v.d_ff = 4304;
  v.projector.merge = 4;
  return v;
}
static_assert(image_tokens(gemma_3_tower()) == 256);
static_assert(vision_parameters(vit_b16()) == 85798656);
static_assert(vision_flops_per_image(vit_b16()).value() == 2.0 * 17563060224);
constexpr vision_spec llava_projector() {
  vision_spec v;
  v.projector.input = 1024;
  v.projector.hidden = 4096;
  v.projector.output = 4096;
  v.projector.bias = true;
  return v;
}
static_assert(projector_parameters(llava_projector()) == 1024 * 4096 + 4096 + 4096 * 4096 + 4096);
static_assert(near(static_cast<double>(projector_parameters(llava_projector())) / 1e6, 21, 0.5));

// ---- model/training_job.hpp
// -----------------------------------------------------------------------------------------------
static_assert(optimizer_bytes_per_parameter(optimizer_kind::adamw, dtype::fp32) == 8_B);
static_assert(in_gb(training_state_of(70000000000).weights) == 140);
static_assert(in_gb(training_state_of(70000000000).optimizer) == 560);
constexpr training_job steps_of(std::int64_t batch, std::int64_t sequence) {
  training_job job;
  job.global_batch = batch;
  job.sequence_length = sequence;
  return job;
}
static_assert(tokens_per_step(steps_of(1024, 4096)) == 4194304);

// ---- handbook/padding.hpp
// ---------------------------------------------------------------------------------------------
static_assert(layout_tile(dtype::bf16).sublanes == 16 && layout_tile(dtype::bf16).lanes == 128);
static_assert(layout_tile(dtype::int8).sublanes == 32 && layout_tile(dtype::int8).lanes == 128);
static_assert(padded_to_mxu({100, 300}, v5e).rows == 128 && padded_to_mxu({100, 300}, v5e).columns == 384);
static_assert(padded_to_mxu({100, 300}, v6e).rows == 256 && padded_to_mxu({100, 300}, v6e).columns == 512);
static_assert(tiled_bytes({100, 300}, dtype::bf16) == 86016_B);
static_assert(near(padding({100, 300}, v5e).flop_utilization, 0.61, 0.005));
static_assert(near(padding({100, 300}, v6e).flop_utilization, 0.23, 0.005));
static_assert(matrices_of(llama_3_8b()).size == 8);  // seven in the layers, and the output head
static_assert(near(padding(gpt2(), v5e).flop_utilization, 0.9997, 0.00005));

static_assert(tile_bytes(dtype::bf16) == 4_KiB && tile_bytes(dtype::int4) == 4_KiB);
static_assert(64 * tile_bytes(dtype::fp32) == 262144_B);

// ---- handbook/roofline.hpp
// --------------------------------------------------------------------------------------------
static_assert(in_gb_per_s(bandwidth(v5e, memory_level::hbm)) == 819);
static_assert(near(in_gb_per_s(bandwidth(v5e, memory_level::ici)), 90, 1e-9));
static_assert(uniform(dtype::int8).weights == dtype::int8 && uniform(dtype::int8).activations == dtype::int8 &&
              uniform(dtype::int8).output == dtype::int8 && uniform(dtype::int8).compute == dtype::int8);
static_assert(near(ridge_point(v5e).value(), 240.5, 0.05));
static_assert(near(balance_batch(v5e, uniform(dtype::bf16)), 240.5, 0.05));
constexpr product_dtypes int4_weights{dtype::int4, dtype::bf16, dtype::bf16, dtype::bf16};
static_assert(near(balance_batch(rounded_chip("820 GB/s", 197_TFLOP_per_s, 820_GB_per_s), int4_weights), 60.1, 0.05));
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
static_assert(near(exact_critical_count(rounded_for_count(), {67_MB, flops{130e6}, 20_kB}, dtype::int8).value_or(-1),
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

// ---- handbook/attention.hpp
// -------------------------------------------------------------------------------------------
static_assert(near(attention_intensity({1, 8192, 1}).value(), 0.99988, 0.000005));
static_assert(near(attention_intensity({1, 8192, 8}).value(), 7.992, 0.0005));
static_assert(near(attention_intensity({480, 480, 1}).value(), 240, 1e-9));
static_assert(near(balance_prompt(flops_per_byte{240}, 1), 480, 1e-9));
static_assert(near(balance_prompt(flops_per_byte{240}, 8), 270, 1e-9));

// ---- handbook/link.hpp
// ------------------------------------------------------------------------------------------------
static_assert(near(in_gb_per_s(ici_link_rate(v5e)), 45, 1e-9));
static_assert(hops(slice_for("v5litepod-256"), {{0, 0, 0}}, {{13, 5, 0}}) == 8);
static_assert(shortest_ports(slice_for("v5litepod-16"), {{0, 0, 0}}, {{3, 3, 0}}) == 2);
static_assert(shortest_ports(slice_for("v5litepod-256"), {{0, 0, 0}}, {{8, 8, 0}}) == 4);
static_assert(farthest_hops(slice_for("v5litepod-256")) == 16);
static_assert(farthest_hops(slice_for("v5litepod-16")) == 6);
static_assert(near(in_us(first_byte_time(6)), 6, 1e-9));
constexpr send_breakdown corner_to_corner =
    send_time(bytes{2.0 * 8 * 128 * 8192}, slice_for("v5litepod-16"), {{0, 0, 0}}, {{3, 3, 0}});
static_assert(near(in_us(corner_to_corner.first_byte), 6, 1e-9));
static_assert(near(in_us(corner_to_corner.streaming), 186.4, 0.05));
static_assert(near(latency_bound_bytes(v5e).value(), 45e3, 1e-6));
static_assert(in_gb_per_s(network_share_of(200, 4).host) == 25);
static_assert(in_gb_per_s(network_share_of(200, 4).chip) == 6.25);

// ---- parallel/layout.hpp
// ----------------------------------------------------------------------------------------------
static_assert(fsdp_layout(slice_for("v5p-128")).fsdp == 64);
static_assert(shard(128 * 2048, dtype::int8, 16, 32).per_device == 16384_B);
static_assert(shard(128 * 2048, dtype::int8, 16, 32).over_mesh == 524288_B);

static_assert(unsharded(4096, 8) == 32768);

// ---- estimate/widths.hpp, calibration.hpp
// -----------------------------------------------------------------------------
static_assert(update_bytes_per_parameter({}) == 28_B);
static_assert(widths_of(llama_3_8b()).qkv == 6144);
static_assert(widths_of(llama_3_8b()).context == 4096);
static_assert(widths_of(llama_3_8b()).mlp_up == 28672);
static_assert(saved_width(widths_of(llama_3_8b()), remat::full) == 4096);
static_assert(saved_width(widths_of(llama_3_8b()), remat::minimal) == 51200);
static_assert(saved_activation_bytes(5120 + 2 * 13824, 40, 16000000).value() == 2.0 * 32768 * 40 * 16e6);
static_assert(near(saved_activation_bytes(5120 + 2 * 13824, 40, 16000000).value() / 1e12, 41.9, 0.05));
// 4 T N H a layer: every product is kept, the core of full attention is done again.
constexpr flop_convention whole_attention{attention_flops::full, window_flops::smooth, true, false};
constexpr transformer one_layer_of_64_heads() {
  transformer m = llama_3_8b();
  m.layers = 1;
  m.attention.heads = 64;
  return m;
}
static_assert(recomputed_flops_per_token(one_layer_of_64_heads(), 8192, remat::minimal, whole_attention).value() ==
              268435456);
static_assert(mxu_fraction(calibration{}, v5p) == 0.774);

// ---- estimate/training/memory.hpp
// ----------------------------------------------------------------------------------------------
static_assert(largest_batch(llama_3_8b(), steps_of(64, 4096), fsdp_layout(slice_for("v5p-128")),
                            slice_for("v5p-128")) == 1152);

// ---- estimate/training/step_time.hpp
// -------------------------------------------------------------------------------------------- MaxText's default model
// of 128 billion parameters: one slice of 128 chips, FSDP 16, tensor 8.
constexpr transformer maxtext_128b() {
  transformer m;
  m.name = "maxtext-default-128B";
  m.layers = 64;
  m.d_model = 10240;
  m.vocab = 32768;
  m.tied_embeddings = true;
  m.attention.heads = 64;
  m.attention.kv_heads = 64;
  m.attention.head_dim = 256;
  m.mlp.d_ff = 65536;
  m.mlp.gated = false;
  m.published_parameters = 129184563200;
  m.published_active_parameters = 129184563200;
  return m;
}
constexpr seconds maxtext_128b_step() {
  training_job job = steps_of(256, 2048);
  job.remat = remat::minimal;
  layout mesh;
  mesh.fsdp = 16;
  mesh.tensor = 8;
  return step_time(maxtext_128b(), job, mesh, slice_for("v5p-256")).total;
}
static_assert(near(maxtext_128b_step().value(), 10.71, 0.005));

// ---- cost/price.hpp
// ---------------------------------------------------------------------------------------------------
static_assert(same_price(
    price_book{}.with("v5p", "us-east5", provisioning::spot, usd_per_hour(1.10), "2026-11-21").row(0).per_chip, 1.10));
static_assert(same_price(find_price(price_book{}, "v3", "us", provisioning::spot, 16)->per_chip, 0.60));
static_assert(same_price(find_price(price_book{}, "v3", "us", provisioning::spot, 4)->per_chip, 0.51));
static_assert(same_price(price_for(price_book{}, slice_for("v5e-32"), "us", provisioning::on_demand).per_chip, 1.20));

// ---- cost/run_cost.hpp
// ------------------------------------------------------------------------------------------------
static_assert(same_price(rate(usd_per_hour(1.20), 32), 38.40));
static_assert(same_money(cost(usd_per_hour(3.67), 10_h), 36.70));
static_assert(billed_time(provisioning::calendar, 25_h) == 2_days);
constexpr price_row v5e_on_demand() {
  return price_for(price_book{}, slice_for("v5e-32"), "us", provisioning::on_demand);
}
static_assert(same_money(cost_of_run(slice_for("v5e-32"), 1, 2_h, v5e_on_demand()).total, 76.80));
static_assert(near(cost_per_million_tokens(usd_per_hour(38.40), per_second{10000}).value(), 1.0667, 0.00005));
static_assert(near(flops_per_dollar(v5e, usd_per_hour(1.20)).value(), 5.91e17, 1e5));
static_assert(near(saving(usd{76.80}, usd{46.08}), 0.4, 1e-12));

}  // namespace
