// The worked numbers in the comments of model/flops.hpp, and its edges. It compiles, so it passes.
#include <cstdint>
#include <tpuplan/model/flops.hpp>

#include "support/models.hpp"
#include "support/near.hpp"

using namespace tpuplan;

namespace {

// The expected
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

// Sequences up to 2^40.
static_assert(forward_flops_per_token(llama_3_8b(), std::int64_t{1} << 40).total > 1e15_FLOP);

}  // namespace
