// The worked numbers in the comments of handbook/recomputation.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/handbook/recomputation.hpp>

#include "support/models.hpp"
#include "support/near.hpp"

using namespace tpuplan;

namespace static_handbook_recomputation_tests {

namespace {

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

constexpr transformer experts_without_gate() {
  transformer m = llama_3_8b();
  m.mlp.gated = false;
  m.moe.experts = 4;
  m.moe.top_k = 2;
  m.moe.expert_d_ff = 256;
  m.moe.dense_layers = 2;
  return m;
}

// What full recomputation does again is all but the MLP's second product and the head.
static_assert(recomputed_flops_per_token(llama_3_8b(), 2048, remat::full) == [] {
  const forward_flops f = forward_flops_per_token(llama_3_8b(), 2048, maxtext_flops);
  return f.qkv + f.attention_output + f.mlp_up + f.attention;
}());
static_assert(recomputed_flops_per_token(experts_without_gate(), 2048, remat::full) == [] {
  const forward_flops f = forward_flops_per_token(experts_without_gate(), 2048, maxtext_flops);
  return f.qkv + f.attention_output + (f.mlp_up + f.experts_up) + f.attention;
}());

// Nothing is done again where everything is kept.
static_assert(recomputed_flops_per_token(llama_3_8b(), 2048, remat::none) == flops{0});

}  // namespace

}  // namespace static_handbook_recomputation_tests
