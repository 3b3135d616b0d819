// The worked numbers in the comments of model/blocks/attention.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/attention.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_attention_tests {

namespace {

constexpr blocks::attention llama{32, 8, 128};
static_assert(parameters(alone(4096, llama)).attention == 41943040);
static_assert(kv_bytes_per_token(alone(4096, llama), dtype::int8).value() == 2048);
static_assert(blocks::value_width(blocks::attention{64, 4, 192, 128}) == 128);
constexpr blocks::attention reading() {
  blocks::attention a = llama;
  a.kv_matrices = 0;
  return a;
}
static_assert(parameters(alone(4096, reading())).attention == 2 * 4096 * 4096);
static_assert(kv_bytes_per_token(alone(4096, reading())).value() == 0);
static_assert(forward_flops_per_token(alone(4096, reading()), 1024).attention.value() == 2.0 * 32 * 512 * 256);

// A layer without keys of its own has norms of its queries alone.
constexpr std::int64_t wide_norms(std::int8_t kv_matrices) {
  blocks::attention a = llama;
  a.kv_matrices = kv_matrices;
  const std::int64_t without = parameters(alone(4096, a)).attention;
  a.wide_qk_norm = true;
  return parameters(alone(4096, a)).attention - without;
}
static_assert(wide_norms(0) == 128 * 32 && wide_norms(2) == 128 * (32 + 8));

}  // namespace

}  // namespace static_model_blocks_attention_tests
