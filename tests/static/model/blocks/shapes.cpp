// The worked numbers in the comments of model/blocks/shapes.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/shapes.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_shapes_tests {

namespace {

static_assert(blocks::positions({5120, 14, 14}) == 196);
constexpr blocks::core one{1, 2, 3};
static_assert(blocks::has_work(one) && !blocks::has_work(blocks::core{}));
static_assert(blocks::is_same(one, blocks::core{1, 2, 3}) && !blocks::is_same(one, blocks::core{1, 2, 4}));

}  // namespace

}  // namespace static_model_blocks_shapes_tests
