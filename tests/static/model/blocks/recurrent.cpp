// The worked numbers in the comments of model/blocks/recurrent.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/recurrent.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_recurrent_tests {

namespace {

constexpr blocks::recurrent next{recurrence::gated_delta, 4096, 32, 16, 128, 4};
static_assert(state_bytes_per_sequence(alone(2048, next)).value() == 2146304);
static_assert(parameters(alone(2048, next)).recurrent == 33718464);
static_assert(blocks::recurrent_of(blocks::spec_of(next)).key_heads == 16);

}  // namespace

}  // namespace static_model_blocks_recurrent_tests
