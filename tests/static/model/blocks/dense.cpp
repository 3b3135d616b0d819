// The worked numbers in the comments of model/blocks/dense.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/dense.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_dense_tests {

namespace {

static_assert(parameters(alone(784, blocks::dense{0, 128})).total == 100480);
static_assert(blocks::after(blocks::dense{0, 128}, {784}).width == 128);

}  // namespace

}  // namespace static_model_blocks_dense_tests
