// The worked numbers in the comments of model/blocks/norm.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/norm.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_norm_tests {

namespace {

static_assert(parameters(alone(4096, blocks::norm{2})).norms == 8192);
static_assert(blocks::sums_of(alone(64, blocks::norm{1, norm_kind::batch})).statistics == 128);
static_assert(name(norm_kind::rms) == "rms");

}  // namespace

}  // namespace static_model_blocks_norm_tests
