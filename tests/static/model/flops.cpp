// The worked numbers in the comments of model/flops.hpp, and its edges. It compiles, so it passes.
#include <cstdint>
#include <tpuplan/model/flops.hpp>

#include "support/models.hpp"
#include "support/near.hpp"

using namespace tpuplan;

namespace static_model_flops_tests {

namespace {

// The expected figure is a training step of 4096 tokens, hence 3 x 4096 times the forward pass of one.
static_assert(near(forward_flops_per_token(llama_3_8b(), 4096).total.value() * 3 * 4096, 197.62862515814402e12, 1e3));
static_assert(training_flops_per_token(llama_3_8b(), 4096, six_n_flops).value() == 6.0 * 8030261248);

// Sequences up to 2^40.
static_assert(forward_flops_per_token(llama_3_8b(), std::int64_t{1} << 40).total > 1e15_FLOP);

// Layers whose indexer chooses keys of four tokens each see all tokens beside: of 64 half, 32, by 2 heads of 4, and of
// the 8 keys that stand for these all 8. The indexer scores 8 keys by a head of 2 and its weight.
constexpr transformer chosen_beside() {
  transformer m;
  m.layers = 2, m.d_model = 8, m.vocab = 10;
  m.attention = {2, 1, 4};
  m.mlp.d_ff = 16;
  m.attention.chosen_layers = 1, m.attention.chosen_ratio = 4;
  m.attention.latent.q_lora_rank = 4;
  m.attention.indexer.heads = 1, m.attention.indexer.head_dim = 2, m.attention.indexer.top_k = 8;
  return m;
}
static_assert(forward_flops_per_token(chosen_beside(), 64).attention.value() ==
              2 * (2 * 2 * 32 * (4 + 4)) + 2 * (2 * 8 * (4 + 4)) + 2 * 8 * 1 * (2 + 1));

}  // namespace

}  // namespace static_model_flops_tests
