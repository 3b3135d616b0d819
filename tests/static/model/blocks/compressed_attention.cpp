// The worked numbers in the comments of model/blocks/compressed_attention.hpp, and its edges. It compiles, so it
// passes.
#include <tpuplan/model/blocks/compressed_attention.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_compressed_attention_tests {

namespace {

constexpr blocks::compressed_attention chosen{64, 1, 512, 0, 4, 64, 128, 512};
static_assert(kv_bytes_per_token(alone(4096, chosen), dtype::int8).value() == 160);
static_assert(parameters(alone(4096, blocks::table{1})).total == 4096);
// Of 8192 tokens a token sees 4096 on average: 1024 keys, of which 512 are chosen; the indexer scores all.
static_assert(forward_flops_per_token(
                  [] {
                    blocks::model m = alone(4096, chosen);
                    put(m, blocks::place{}, blocks::norm{});
                    return m;
                  }(),
                  8192)
                  .attention.value() == 2.0 * 64 * 512 * 1024 + 2.0 * 1024 * 64 * 129);

}  // namespace

}  // namespace static_model_blocks_compressed_attention_tests
