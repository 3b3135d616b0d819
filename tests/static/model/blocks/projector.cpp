// The worked numbers in the comments of model/blocks/projector.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/projector.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace {

constexpr blocks::projector llava{1024, 4096, 0, 4096, 0, 1, 0, false, true};
static_assert(parameters(alone(1024, llava)).projector == 20979712);
static_assert(blocks::after(llava, {1024, 24, 24}).width == 4096);

}  // namespace
