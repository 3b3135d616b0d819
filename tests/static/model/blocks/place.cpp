// The worked numbers in the comments of model/blocks/place.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/place.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_place_tests {

namespace {

constexpr blocks::stream text{"text", blocks::flow::tokens, 4096};
static_assert(text.height == 1 && text.columns == 1 && blocks::most_streams == 8);
constexpr blocks::place once{};
static_assert(once.count == 1 && once.other == -1 && once.when == blocks::use::always && !once.branch);

}  // namespace

}  // namespace static_model_blocks_place_tests
