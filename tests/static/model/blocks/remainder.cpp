// The worked numbers in the comments of model/blocks/remainder.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/remainder.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_remainder_tests {

namespace {

constexpr blocks::remainder rest{1000, -8};
static_assert(parameters(alone(4, rest)).other == 992 && parameters(alone(4, rest)).matrices == 1000);

}  // namespace

}  // namespace static_model_blocks_remainder_tests
