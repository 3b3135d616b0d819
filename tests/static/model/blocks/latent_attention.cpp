// The worked numbers in the comments of model/blocks/latent_attention.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/latent_attention.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_latent_attention_tests {

namespace {

constexpr blocks::latent_attention deepseek{128, 1536, 512, 128, 64, 128};
static_assert(parameters(alone(7168, deepseek)).attention == 187107328);
static_assert(kv_bytes_per_token(alone(7168, deepseek), dtype::int8).value() == 576);

}  // namespace

}  // namespace static_model_blocks_latent_attention_tests
