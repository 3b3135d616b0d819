// The worked numbers in the comments of model/blocks/dense.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/dense.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_dense_tests {

namespace {

static_assert(parameters(alone(784, blocks::dense{0, 128})).total == 100480);
static_assert(blocks::after(blocks::dense{0, 128}, {784}).width == 128);

// A batch norm keeps its means and variances beside its weights; a layer norm has none.
static_assert(blocks::sums_of(alone(64, blocks::dense{0, 16, false, norm_kind::batch})).statistics == 32);
static_assert(blocks::sums_of(alone(64, blocks::dense{0, 16, false, norm_kind::layer})).statistics == 0);

}  // namespace

}  // namespace static_model_blocks_dense_tests
