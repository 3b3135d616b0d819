// The worked numbers in the comments of model/blocks/table.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/table.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_table_tests {

namespace {

static_assert(parameters(alone(4096, blocks::table{128256})).embedding == 525336576);
static_assert(blocks::after(blocks::table{1, 0, 1}, {768, 14, 14}).height == 197);

}  // namespace

}  // namespace static_model_blocks_table_tests
