// One chip and one matrix product: padding, ridge points, critical batches, and what is refused.

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/handbook/batches.hpp>
#include <tpuplan/handbook/intensity.hpp>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/handbook/utilization.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/parameters.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace handbook_roofline_tests {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

constexpr transformer llama_3_8b() {
  transformer m;
  m.layers = 32;
  m.d_model = 4096;
  m.vocab = 128256;
  m.attention.heads = 32;
  m.attention.kv_heads = 8;
  m.attention.head_dim = 128;
  m.mlp.d_ff = 14336;
  return m;
}

}  // namespace

// ---- padding
// ------------------------------------------------------------------------------------------------------------

TEST_CASE("layout tiles by generation") {
  struct row {
    dtype type;
    std::int64_t to_v6e, tpu7x_and_8i, on_8t;  // sublanes
  };
  for (const row& r : {row{dtype::fp32, 8, 8, 16},
                       {dtype::bf16, 8, 16, 32},
                       {dtype::fp16, 8, 16, 32},
                       {dtype::fp8, 32, 32, 64},
                       {dtype::int8, 32, 32, 64},
                       {dtype::int4, 64, 64, 128}}) {
    INFO(name(r.type));
    for (const chip_spec& chip : generations) {
      INFO(chip.name.view());
      const bool newer = chip.name == "tpu7x" || chip.name == "tpu8i";
      const tile unit = layout_tile(chip, r.type);
      CHECK(unit.sublanes == (chip.name == "tpu8t" ? r.on_8t : newer ? r.tpu7x_and_8i : r.to_v6e));
      CHECK(unit.lanes == 128);
      CHECK(tile_bytes(chip, r.type) == size_of(r.type) * static_cast<double>(unit.sublanes * unit.lanes));
    }
  }
  chip_spec broken = v5e;
  broken.tiling.sublanes = 0;
  CHECK(says(refusal_of([&] { (void)layout_tile(broken, dtype::bf16); }).message, "chip.tiling.sublanes"));
}

TEST_CASE("padding of one matrix") {
  struct row {
    matrix_shape shape;
    chip_spec chip;
    dtype type;
    matrix_shape padded;
    double stored;
  };
  const std::vector<row> rows = {
      {{128, 128}, v5e, dtype::bf16, {128, 128}, 32768},
      {{129, 128}, v5e, dtype::bf16, {256, 128}, 136 * 128 * 2},
      {{129, 128}, tpu7x, dtype::bf16, {256, 256}, 144 * 128 * 2},
      {{1, 1}, v5e, dtype::bf16, {128, 128}, 2048},
      {{1, 1}, v6e, dtype::int4, {256, 256}, 4096},
      {{100, 300}, v6e, dtype::int8, {256, 512}, 128 * 384},
      {{4096, 50257}, v6e, dtype::bf16, {4096, 50432}, 4096.0 * 50304 * 2},
  };
  for (const row& r : rows) {
    INFO(r.shape.rows << "x" << r.shape.columns << " on " << r.chip.name.view() << " in " << name(r.type));
    const padding_cost cost = padding(r.shape, r.chip, r.type);
    CHECK(cost.padded.rows == r.padded.rows);
    CHECK(cost.padded.columns == r.padded.columns);
    CHECK(cost.stored.value() == r.stored);
    const double elements = static_cast<double>(r.shape.rows) * static_cast<double>(r.shape.columns);
    CHECK(cost.stored_waste.value() == r.stored - elements * size_of(r.type).value());
    CHECK(close(cost.flop_utilization,
                elements / (static_cast<double>(r.padded.rows) * static_cast<double>(r.padded.columns))));
    CHECK(cost.flop_utilization <= 1);
    CHECK(cost.stored_waste >= 0_B);
  }
}

TEST_CASE("matrices that cannot be are refused") {
  struct row {
    const char* what;
    plain_call<void()> call;
    errc code;
    const char* field;
  };
  const std::vector<row> rows = {
      {"no rows",
       [] {
         (void)padding(matrix_shape{0, 4}, v5e);
       },
       errc::missing_field, "rows"},
      {"no columns",
       [] {
         (void)padding(matrix_shape{4, 0}, v5e);
       },
       errc::missing_field, "columns"},
      {"negative rows",
       [] {
         (void)padding(matrix_shape{-4, 4}, v5e);
       },
       errc::invalid_argument, "rows"},
      {"negative columns",
       [] {
         (void)tiled_bytes({4, -4}, v5e, dtype::bf16);
       },
       errc::invalid_argument, "columns"},
      {"too large",
       [] {
         (void)tiled_bytes({most, 128}, v5e, dtype::bf16);
       },
       errc::out_of_range, "product"},
      {"too large together",
       [] {
         (void)padding(matrix_shape{most / 4, most / 4}, v5e);
       },
       errc::out_of_range, "product"},
      {"no MXU",
       [] {
         (void)padded_to_mxu({4, 4}, chip_spec{});
       },
       errc::missing_field, "chip.mxu.side"},
      {"no model", [] { (void)padding(transformer{}, v5e); }, errc::missing_field, "model.layers"},
  };
  for (const row& r : rows) {
    INFO(r.what);
    const refusal got = refusal_of(r.call);
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == r.code);
    CHECK(says(got.message, r.field));
  }
}

TEST_CASE("the weight matrices of a model are those that its parameters count") {
  const auto weights = [](const transformer& m) {
    std::int64_t sum = 0;
    for (const weight_matrix& matrix : matrices_of(m)) sum += matrix.shape.rows * matrix.shape.columns * matrix.count;
    return sum;
  };
  const auto used = [](const transformer& m) {
    std::int64_t sum = 0;
    for (const weight_matrix& matrix : matrices_of(m)) {
      sum += matrix.shape.rows * matrix.shape.columns * matrix.used_per_token;
    }
    return sum;
  };
  const transformer llama = llama_3_8b();
  CHECK(used(llama) == parameters(llama).matrices);
  CHECK(weights(llama) == parameters(llama).matrices);

  transformer experts = llama;
  experts.moe.experts = 8;
  experts.moe.top_k = 2;
  experts.moe.expert_d_ff = 14336;
  experts.moe.shared_d_ff = 1000;
  experts.moe.dense_layers = 2;
  CHECK(used(experts) == parameters(experts).matrices);
  CHECK(weights(experts) == parameters(experts).matrices + parameters(experts).experts / 8 * 6);

  transformer latent = llama;
  latent.attention.kv_heads = 32;
  latent.attention.latent = {1536, 512, 128, 64, 128};
  CHECK(used(latent) == parameters(latent).matrices);
  latent.attention.latent.q_lora_rank = 0;
  CHECK(used(latent) == parameters(latent).matrices);

  transformer ungated = llama;
  ungated.mlp.gated = false;
  CHECK(used(ungated) == parameters(ungated).matrices);

  transformer encoder = llama;
  encoder.kind = architecture::encoder;
  CHECK(used(encoder) == parameters(encoder).matrices);
}

TEST_CASE("matrices beside the experts, gates of them, wide MLPs and encoders are among those of a model", "[door]") {
  const auto used = [](const transformer& m) {
    std::int64_t sum = 0;
    for (const weight_matrix& matrix : matrices_of(m))
      sum += matrix.shape.rows * matrix.shape.columns * matrix.used_per_token;
    return sum;
  };
  transformer experts = llama_3_8b();
  experts.attention.kv_heads = 32;
  experts.attention.latent = {1536, 512, 128, 64, 128};
  experts.moe.experts = 8;
  experts.moe.top_k = 2;
  experts.moe.expert_d_ff = 14336;
  experts.moe.shared_d_ff = 1000;
  experts.moe.dense_layers = 2;
  experts.moe.shared_gate = true;
  experts.moe.parallel_dense_d_ff = 2112;
  CHECK(used(experts) == parameters(experts).matrices);
  experts.mlp.gated = false;
  CHECK(used(experts) == parameters(experts).matrices);

  transformer wide = llama_3_8b();
  wide.mlp.double_wide_in_shared = true;
  wide.attention.kv_shared_layers = 4;
  CHECK(used(wide) == parameters(wide).matrices);

  transformer both = llama_3_8b();
  both.kind = architecture::encoder_decoder;
  both.encoder_layers = 20;
  CHECK(used(both) == parameters(both).matrices);
}

TEST_CASE("padding of a whole model") {
  // Every dimension is a multiple of 128: nothing is wasted, and what is stored is the weights.
  const model_padding none = padding(llama_3_8b(), v5e);
  CHECK(none.flop_utilization == 1);
  CHECK(none.stored_waste == 0_B);
  CHECK(none.stored.value() == 2.0 * static_cast<double>(parameters(llama_3_8b()).matrices));
  // On an MXU of 256 the vocabulary is not.
  transformer odd = llama_3_8b();
  odd.vocab = 128257;
  const model_padding some = padding(odd, v6e);
  CHECK(some.flop_utilization < 1);
  CHECK(some.flop_utilization > 0.999);
  CHECK(some.stored_waste.value() == 2.0 * 4096 * (128384 - 128257));
  CHECK(close(some.flop_utilization, (7504658432.0 + 4096) / (7504658432.0 + 4096.0 * (128512 - 128256)), 1e-9));
  // A narrow model wastes most of a large MXU.
  transformer narrow = llama_3_8b();
  narrow.d_model = narrow.mlp.d_ff = narrow.vocab = 64;
  narrow.attention.heads = narrow.attention.kv_heads = 1;
  narrow.attention.head_dim = 64;
  CHECK(padding(narrow, v6e).flop_utilization == 1.0 / 16);
  CHECK(padding(narrow, v5e).flop_utilization == 1.0 / 4);
}

// ---- critical batches
// -----------------------------------------------------------------------------------------------------

TEST_CASE("the critical batch is the first whole number above the balance") {
  for (const chip_spec& chip : generations) {
    INFO(chip.name.view());
    const double balance = unrounded_critical_batch(chip, uniform(dtype::bf16));
    const auto batch = static_cast<double>(critical_batch(chip));
    CHECK(batch > balance);
    CHECK(batch - 1 <= balance);
    CHECK(close(balance, chip.peak.bf16.value().value() / chip.hbm.bandwidth.value()));
  }
}

TEST_CASE("formats of weights and arithmetic enter the critical batch") {
  constexpr auto batch = [](dtype weights, dtype compute) {
    return unrounded_critical_batch(v5e, {weights, dtype::bf16, dtype::bf16, compute});
  };
  const double bf16 = 1.97e14 / 8.19e11;
  CHECK(close(batch(dtype::bf16, dtype::bf16), bf16));
  CHECK(close(batch(dtype::int8, dtype::bf16), bf16 / 2));
  CHECK(close(batch(dtype::int4, dtype::bf16), bf16 / 4));
  CHECK(close(batch(dtype::fp32, dtype::bf16), bf16 * 2));
  CHECK(close(batch(dtype::int8, dtype::int8), 3.93e14 / 8.19e11 / 2));
  CHECK(close(batch(dtype::int4, dtype::int4), 7.88e14 / 8.19e11 / 4));
  // Experts: each sees k of E of the tokens.
  CHECK(close(unrounded_critical_batch(v5e, uniform(dtype::bf16), memory_level::hbm, 32), 32 * bf16));
  CHECK(critical_batch(v5e, uniform(dtype::bf16), memory_level::hbm, 256.0 / 8) == 7698);
  // Slower memories need larger batches.
  CHECK(critical_batch(v5e, dtype::bf16, memory_level::vmem) < critical_batch(v5e, dtype::bf16, memory_level::hbm));
  CHECK(critical_batch(v5e, dtype::bf16, memory_level::hbm) < critical_batch(v5e, dtype::bf16, memory_level::ici));
  CHECK(critical_batch(v5e, dtype::bf16, memory_level::ici) < critical_batch(v5e, dtype::bf16, memory_level::pcie));
  CHECK(critical_batch(v5e, dtype::bf16, memory_level::pcie) < critical_batch(v5e, dtype::bf16, memory_level::dcn));
}

TEST_CASE("the exact critical batch is where arithmetic and traffic take the same time") {
  struct row {
    const char* what;
    chip_spec chip;
    std::int64_t inner, outer;
    product_dtypes types;
    memory_level from;
  };
  const std::vector<row> rows = {
      {"bf16", v5e, 4096, 16384, uniform(dtype::bf16), memory_level::hbm},
      {"int8", v5e, 4096, 16384, uniform(dtype::int8), memory_level::hbm},
      {"int8 weights, bf16 otherwise",
       v5p,
       8192,
       28672,
       {dtype::int8, dtype::bf16, dtype::bf16, dtype::bf16},
       memory_level::hbm},
      {"int4 weights, fp32 result",
       v6e,
       4096,
       11008,
       {dtype::int4, dtype::bf16, dtype::fp32, dtype::bf16},
       memory_level::hbm},
      {"fp8", tpu7x, 7168, 2048, uniform(dtype::fp8), memory_level::hbm},
      {"VMEM", v5e, 4096, 16384, uniform(dtype::bf16), memory_level::vmem},
  };
  for (const row& r : rows) {
    INFO(r.what);
    const auto exact = critical_batch_with_activations(r.chip, r.inner, r.outer, r.types, r.from);
    REQUIRE(exact.has_value());
    CHECK(*exact > unrounded_critical_batch(r.chip, r.types, r.from));  // operands and result cost something
    const auto below = static_cast<std::int64_t>(std::floor(*exact));
    CHECK(roofline(r.chip, {below, r.inner, r.outer}, r.types, r.from).limited_by == bound::memory);
    CHECK(roofline(r.chip, {below + 1, r.inner, r.outer}, r.types, r.from).limited_by == bound::compute);
  }
}

TEST_CASE("on slow links no batch suffices") {
  CHECK_FALSE(critical_batch_with_activations(v5e, 512, 512, uniform(dtype::bf16), memory_level::pcie).has_value());
  CHECK_FALSE(critical_batch_with_activations(v5e, 128, 128, uniform(dtype::bf16)).has_value());
  CHECK(roofline(v5e, {1000000000, 128, 128}).limited_by == bound::memory);
  CHECK(critical_batch_with_activations(v5e, 1024, 1024, uniform(dtype::bf16)).has_value());
}

TEST_CASE("batches of what a chip does not have are refused") {
  struct row {
    const char* what;
    plain_call<void()> call;
    errc code;
    const char* field;
  };
  constexpr auto slow_chip = [](double peak, double rate) {
    chip_spec chip;
    chip.peak.bf16 = flops_per_second{peak};
    chip.hbm.bandwidth = bytes_per_second{rate};
    return chip;
  };
  const std::vector<row> rows = {
      {"int8 on v3", [] { (void)critical_batch(v3, dtype::int8); }, errc::unknown_figure, "int8 peak"},
      {"fp8 on v4", [] { (void)critical_batch(v4, dtype::fp8); }, errc::unknown_figure, "fp8 peak"},
      {"VMEM of v5p", [] { (void)critical_batch(v5p, dtype::bf16, memory_level::vmem); }, errc::unknown_figure,
       "VMEM bandwidth"},
      {"PCIe of v3", [] { (void)critical_batch(v3, dtype::bf16, memory_level::pcie); }, errc::unknown_figure, "PCIe"},
      {"DCN of v2", [] { (void)critical_batch(v2, dtype::bf16, memory_level::dcn); }, errc::unknown_figure, "DCN"},
      {"no figures", [] { (void)critical_batch(chip_spec{}); }, errc::unknown_figure, "bf16 peak"},
      {"no bandwidth", [=] { (void)critical_batch(slow_chip(1e14, 0)); }, errc::missing_field, "bandwidth"},
      {"negative bandwidth", [=] { (void)critical_batch(slow_chip(1e14, -1)); }, errc::invalid_argument, "bandwidth"},
      {"no peak", [=] { (void)critical_batch(slow_chip(0, 1e12)); }, errc::missing_field, "peak rate"},
      {"infinite peak", [=] { (void)critical_batch(slow_chip(infinity, 1e12)); }, errc::not_finite, "peak rate"},
      {"NaN bandwidth", [=] { (void)critical_batch(slow_chip(1e14, not_a_number)); }, errc::not_finite, "bandwidth"},
      {"half an expert", [] { (void)critical_batch(v5e, uniform(dtype::bf16), memory_level::hbm, 0.5); },
       errc::out_of_range, "experts_per_active"},
      {"more experts than there are", [] { (void)critical_batch(v5e, uniform(dtype::bf16), memory_level::hbm, 1.1e9); },
       errc::out_of_range, "experts_per_active"},
      {"NaN experts", [] { (void)critical_batch(v5e, uniform(dtype::bf16), memory_level::hbm, not_a_number); },
       errc::not_finite, "experts_per_active"},
      {"a balance past 2^63", [=] { (void)critical_batch(slow_chip(1e300, 1)); }, errc::out_of_range, "count"},
      {"no inner", [] { (void)critical_batch_with_activations(v5e, 0, 4, uniform(dtype::bf16)); }, errc::missing_field,
       "inner"},
      {"no outer", [] { (void)critical_batch_with_activations(v5e, 4, -1, uniform(dtype::bf16)); },
       errc::invalid_argument, "outer"},
      {"no batch",
       [] {
         (void)roofline(v5e, {0, 4, 4});
       },
       errc::missing_field, "batch"},
      {"negative inner",
       [] {
         (void)roofline(v5e, {4, -4, 4});
       },
       errc::invalid_argument, "inner"},
      {"int8 product on v3",
       [] {
         (void)roofline(v3, {4, 4, 4}, uniform(dtype::int8));
       },
       errc::unknown_figure, "int8 peak"},
  };
  for (const row& r : rows) {
    INFO(r.what);
    const refusal got = refusal_of(r.call);
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == r.code);
    CHECK(says(got.message, r.field));
  }
}

// ---- rooflines
// ----------------------------------------------------------------------------------------------------------

TEST_CASE("time of a product lies between overlap and none") {
  for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{64}, std::int64_t{241}, std::int64_t{8192}}) {
    INFO(batch);
    const product_shape p{batch, 4096, 16384};
    const product_time t = roofline(v5e, p);
    CHECK(close(t.math.value(), 2.0 * static_cast<double>(batch) * 4096 * 16384 / 1.97e14));
    CHECK(close(t.memory.value(), 2.0 * (static_cast<double>(batch) * (4096 + 16384) + 4096.0 * 16384) / 8.19e11));
    CHECK(t.lower == (t.math < t.memory ? t.memory : t.math));
    CHECK(close(t.upper.value(), t.math.value() + t.memory.value()));
  }
}

TEST_CASE("mixed formats: each operand in its own size, arithmetic at its own rate") {
  constexpr product_dtypes mixed{dtype::int8, dtype::bf16, dtype::fp32, dtype::bf16};
  STATIC_REQUIRE(bytes_of({2, 3, 5}, mixed).value() == 1 * 3 * 5 + 2 * 2 * 3 + 4 * 2 * 5);
  constexpr product_dtypes int4_weights{dtype::int4, dtype::int8, dtype::bf16, dtype::int8};
  STATIC_REQUIRE(bytes_of({2, 3, 5}, int4_weights).value() == 0.5 * 15 + 6 + 2 * 10);
  CHECK(close(roofline(v5e, {512, 4096, 4096}, int4_weights).math.value(), 2.0 * 512 * 4096 * 4096 / 3.93e14));
  CHECK(close(roofline(v5e, {512, 4096, 4096}, mixed).math.value(), 2.0 * 512 * 4096 * 4096 / 1.97e14));
}

TEST_CASE("intensities") {
  CHECK(close(arithmetic_intensity({64, 4096, 4096}).value(), 2.0 * 64 * 4096 * 4096 / 34603008));
  CHECK(batched_weights_intensity({1, 4096, 4096}, uniform(dtype::bf16)).value() < 1);
  CHECK(close(batched_weights_intensity({64, 128, 256}, uniform(dtype::int8)).value(),
              batched_weights_intensity({1, 128, 256}, uniform(dtype::int8)).value()));
  CHECK(tiled_intensity(128, 512).value() == 128.0 * 512 / 640);
  CHECK(tiled_intensity(128, 512, dtype::int8).value() == 2 * 128.0 * 512 / 640);
  CHECK(refusal_of([] { (void)tiled_intensity(0, 4); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)tiled_intensity(4, -4); }).code == errc::invalid_argument);
  CHECK(refusal_of([] { (void)batched_weights_intensity({0, 4, 4}, {}); }).code == errc::missing_field);
}

TEST_CASE("times of work and of loads, and what they refuse") {
  CHECK(close(time_at_mfu(1_PFLOP, v5e, 1, 1).value(), 1000.0 / 197));
  CHECK(close(time_at_mfu(1_PFLOP, v5e, 10, 0.5).value(), 200.0 / 197));
  CHECK(close(load_time(819_GB, v5e).value(), 1));
  CHECK(close(load_time(819_GB, v5e, 4).value(), 0.25));
  CHECK(close(load_time(16_GB, v5e, 1, memory_level::pcie).value(), 1));
  CHECK(refusal_of([] { (void)time_at_mfu(flops{0}, v5e, 1, 1); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)time_at_mfu(flops{infinity}, v5e, 1, 1); }).code == errc::not_finite);
  CHECK(refusal_of([] { (void)time_at_mfu(1_FLOP, v5e, 0, 1); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)time_at_mfu(1_FLOP, v5e, 1, 0); }).code == errc::out_of_range);
  CHECK(refusal_of([] { (void)time_at_mfu(1_FLOP, v5e, 1, 1.1); }).code == errc::out_of_range);
  CHECK(refusal_of([] { (void)time_at_mfu(1_FLOP, v5e, 1, not_a_number); }).code == errc::not_finite);
  CHECK(refusal_of([] { (void)load_time(0_B, v5e); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)load_time(1_B, v5e, -1); }).code == errc::invalid_argument);
  CHECK(refusal_of([] { (void)mxu_peak(tpu7x); }).code == errc::unknown_figure);
}

TEST_CASE("peaks follow from the systolic arrays within a percent where the clock is known") {
  for (const chip_spec& chip : generations) {
    if (!chip.clock.has_value()) continue;
    INFO(chip.name.view());
    const double arrays = static_cast<double>(chip.mxu.per_tensorcore * chip.tensorcores);
    CHECK(close(mxu_peak(chip).value() * arrays, chip.peak.bf16.value().value(), 0.01));
  }
}

// ---- batches
// ------------------------------------------------------------------------------------------------------------

TEST_CASE("batches over replicas and back") {
  for (const std::int64_t replicas : {std::int64_t{1}, std::int64_t{8}, std::int64_t{48}}) {
    CHECK(batch_per_replica(global_batch(128, replicas), replicas) == 128);
  }
  struct row {
    const char* what;
    plain_call<void()> call;
    errc code;
  };
  const std::vector<row> rows = {
      {"1000 over 16", [] { (void)batch_per_replica(1000, 16); }, errc::not_divisible},
      {"8 over 16", [] { (void)batch_per_replica(8, 16); }, errc::not_divisible},
      {"0 over 16", [] { (void)batch_per_replica(0, 16); }, errc::missing_field},
      {"16 over 0", [] { (void)batch_per_replica(16, 0); }, errc::missing_field},
      {"16 over -4", [] { (void)batch_per_replica(16, -4); }, errc::invalid_argument},
      {"0 each", [] { (void)global_batch(0, 8); }, errc::missing_field},
      {"-1 replicas", [] { (void)global_batch(8, -1); }, errc::invalid_argument},
      {"overflow", [] { (void)global_batch(most, 2); }, errc::out_of_range},
      {"multiple of 0", [] { (void)recommended_multiple(0); }, errc::missing_field},
      {"multiple past 2^63", [] { (void)recommended_multiple(most); }, errc::out_of_range},
      {"no examples", [] { (void)steps_per_epoch(0, 8); }, errc::missing_field},
      {"no batch", [] { (void)steps_per_epoch(8, 0); }, errc::missing_field},
      {"negative batch", [] { (void)steps_per_epoch(8, -8); }, errc::invalid_argument},
  };
  for (const row& r : rows) {
    INFO(r.what);
    const refusal got = refusal_of(r.call);
    CHECK(got.refused);
    CHECK(got.code == r.code);
  }
  STATIC_REQUIRE(recommended_multiple(1) == 128);
  STATIC_REQUIRE(recommended_multiple(128) == 128);
  STATIC_REQUIRE(recommended_multiple(129) == 256);
  STATIC_REQUIRE(steps_per_epoch(1023, 1024) == 0);
  STATIC_REQUIRE(steps_per_epoch(1023, 1024, remainder::keep) == 1);
  STATIC_REQUIRE(steps_per_epoch(1024, 1024) == 1);
  STATIC_REQUIRE(steps_per_epoch(1024, 1024, remainder::keep) == 1);
  STATIC_REQUIRE(steps_per_epoch(1025, 1024, remainder::keep) == 2);
}

}  // namespace handbook_roofline_tests
