// The worked numbers in the comments of handbook/padding.hpp, and its edges. It compiles, so it passes.
#include <cstdint>
#include <string_view>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/models.hpp"
#include "support/near.hpp"
#include "support/stacks.hpp"
#include "support/worked_models.hpp"

using namespace tpuplan;

namespace static_handbook_padding_tests {

namespace {

static_assert(layout_tile(v5e, dtype::bf16).sublanes == 8 && layout_tile(v5e, dtype::bf16).lanes == 128);
static_assert(layout_tile(tpu7x, dtype::bf16).sublanes == 16 && layout_tile(tpu7x, dtype::bf16).lanes == 128);
static_assert(layout_tile(v5e, dtype::int8).sublanes == 32 && layout_tile(v5e, dtype::int8).lanes == 128);
static_assert(padded_to_mxu({100, 300}, v5e).rows == 128 && padded_to_mxu({100, 300}, v5e).columns == 384);
static_assert(padded_to_mxu({100, 300}, v6e).rows == 256 && padded_to_mxu({100, 300}, v6e).columns == 512);
static_assert(tiled_bytes({100, 300}, v5e, dtype::bf16) == 79872_B);
static_assert(tiled_bytes({8, 1024}, v5e, dtype::bf16) == 16384_B);
static_assert(tiled_bytes({8, 1024}, tpu7x, dtype::bf16) == 32768_B);
static_assert(near(padding({100, 300}, v5e).flop_utilization, 0.61, 0.005));
static_assert(near(padding({100, 300}, v6e).flop_utilization, 0.23, 0.005));
static_assert(matrices_of(llama_3_8b()).size == 8);  // seven in the layers, and the output head
static_assert(near(padding(gpt2(), v5e).flop_utilization, 0.9997, 0.00005));

static_assert(tile_bytes(v5e, dtype::bf16) == 2_KiB && tile_bytes(v5e, dtype::int8) == 4_KiB);
static_assert(tile_bytes(tpu7x, dtype::bf16) == 4_KiB && tile_bytes(tpu7x, dtype::int4) == 4_KiB);
static_assert(64 * vector_register_bytes(v5p) == 262144_B);

// XLA's flag for large tiles of 16-bit types, as a chip of the caller's own.
static_assert([] {
  chip_spec chip = v5e;
  chip.tiling.large_tiles_of_16_bits = true;
  return tiled_bytes({8, 1024}, chip, dtype::bf16) == 32768_B && tiled_bytes({8, 1024}, chip, dtype::fp32) == 32768_B;
}());

constexpr transformer experts_without_gate() {
  transformer m = llama_3_8b();
  m.mlp.gated = false;
  m.moe.experts = 4;
  m.moe.top_k = 2;
  m.moe.expert_d_ff = 256;
  m.moe.dense_layers = 2;
  return m;
}

constexpr std::int64_t count_of(const transformer& m, std::string_view name) {
  for (const weight_matrix& one : matrices_of(m)) {
    if (one.name == name) return one.count;
  }
  return 0;
}

// A matrix up and one down, or two up.
static_assert(count_of(experts_without_gate(), "expert up") == 4 * 30);
static_assert(count_of(experts_without_gate(), "MLP gate") == 0);

// The matrices that multiply a token are those that `parameters` counts.
constexpr std::int64_t used_in(const transformer& model) {
  std::int64_t sum = 0;
  for (const weight_matrix& one : matrices_of(model)) sum += one.used_per_token * one.shape.rows * one.shape.columns;
  return sum;
}
constexpr transformer without_head() {
  transformer model = llama_3_8b();
  model.output_head = false;
  return model;
}
static_assert(used_in(llama_3_8b()) == parameters(llama_3_8b()).matrices);
static_assert(used_in(without_head()) == parameters(without_head()).matrices);
constexpr transformer masked() {
  transformer model = bert_base();
  model.head_transform = true;
  return model;
}
static_assert(used_in(masked()) == parameters(masked()).matrices);
constexpr transformer low_rank() {
  transformer model = llama_3_8b();
  model.attention.output_rank = 1024, model.attention.output_groups = 8;
  return model;
}
static_assert(used_in(low_rank()) == parameters(low_rank()).matrices);

}  // namespace

}  // namespace static_handbook_padding_tests
