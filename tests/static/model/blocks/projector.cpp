// The worked numbers in the comments of model/blocks/projector.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/projector.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_projector_tests {

namespace {

constexpr blocks::projector llava{1024, 4096, 0, 4096, 0, 1, 0, false, true};
static_assert(parameters(alone(1024, llava)).projector == 20979712);
static_assert(blocks::after(llava, {1024, 24, 24}).width == 4096);

// Without an output it is as wide as the last matrix that it has, and as its input without any.
static_assert(blocks::after(blocks::projector{1024, 4096, 0, 0, 0, 1, 0, false, true}, {1024, 1, 1}).width == 4096);
static_assert(blocks::after(blocks::projector{1024, 4096, 512, 0, 0, 1, 0, false, true}, {1024, 1, 1}).width == 512);
static_assert(blocks::after(blocks::projector{1024, 0, 0, 0, 0, 1, 0, false, true}, {1024, 1, 1}).width == 1024);

}  // namespace

}  // namespace static_model_blocks_projector_tests
