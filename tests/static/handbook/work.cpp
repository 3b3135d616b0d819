// The worked numbers in the comments of handbook/work.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/handbook/work.hpp>

#include "support/models.hpp"
#include "support/near.hpp"

using namespace tpuplan;

namespace static_handbook_work_tests {

namespace {

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

}  // namespace

}  // namespace static_handbook_work_tests
