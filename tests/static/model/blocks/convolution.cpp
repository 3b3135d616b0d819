// The worked numbers in the comments of model/blocks/convolution.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/convolution.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_convolution_tests {

namespace {

static_assert(blocks::side_after(224, 7, 2, 3) == 112 && blocks::side_after(224, 7, 2, -1) == 112);
constexpr blocks::convolution stem{64, 7, 2, 3, 1, false, false, norm_kind::batch};
static_assert(parameters(on_image(224, 3, stem)).total == 9408 + 128);
static_assert(forward_flops_per_example(on_image(224, 3, stem)).value() == 2.0 * 112 * 112 * 9408);
// In two groups, of each channel by itself, and over a sequence.
static_assert(parameters(on_image(6, 8, blocks::convolution{16, 3, 2, -1, 2, false})).total == 3 * 3 * 4 * 16);
static_assert(parameters(on_image(6, 8, blocks::convolution{0, 3, 1, -1, 0, false})).total == 9 * 8);
static_assert(parameters(on_image(6, 8, blocks::convolution{16, 3, 1, -1, 1, true, true})).total == 3 * 8 * 16 + 16);

}  // namespace

}  // namespace static_model_blocks_convolution_tests
