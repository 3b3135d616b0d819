// The worked numbers in the comments of handbook/padding.hpp, and its edges. It compiles, so it passes.
#include <cstdint>
#include <string_view>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/models.hpp"
#include "support/near.hpp"
#include "support/worked_models.hpp"

using namespace tpuplan;

namespace {

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

}  // namespace
