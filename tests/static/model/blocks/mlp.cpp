// The worked numbers in the comments of model/blocks/mlp.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/mlp.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_mlp_tests {

namespace {

static_assert(parameters(alone(4096, blocks::mlp{14336})).mlp == 176160768);
static_assert(parameters(alone(4, blocks::mlp{8, 2, false, true})).mlp == 2 * 4 * 8 + 8 + 4 + 2);

}  // namespace

}  // namespace static_model_blocks_mlp_tests
