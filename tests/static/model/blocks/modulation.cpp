// The worked numbers in the comments of model/blocks/modulation.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/modulation.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_modulation_tests {

namespace {

static_assert(parameters(alone(5120, blocks::modulation{6})).total == 6 * 5120);

}  // namespace

}  // namespace static_model_blocks_modulation_tests
