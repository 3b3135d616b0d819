// The worked numbers in the comments of model/blocks/pooling.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/pooling.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_pooling_tests {

namespace {

static_assert(blocks::after(blocks::pooling{3, 2, 1}, {64, 112, 112}).height == 56);
static_assert(blocks::after(blocks::pooling{3, 2, 1}, {64, 112, 56}).columns == 28);
static_assert(blocks::after(blocks::pooling{}, {5, 7, 7}).height == 1);
static_assert(blocks::after(blocks::pooling{}, {5, 7, 7}).columns == 1);
// A window of one thins out.
static_assert(blocks::after(blocks::pooling{1, 2, 0}, {5, 7, 9}).height == 4);
static_assert(blocks::after(blocks::pooling{1, 2, 0}, {5, 7, 9}).columns == 5);

}  // namespace

}  // namespace static_model_blocks_pooling_tests
