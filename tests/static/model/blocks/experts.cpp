// The worked numbers in the comments of model/blocks/experts.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/experts.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_experts_tests {

namespace {

constexpr blocks::experts deepseek{256, 8, 2048, 2048};
static_assert(parameters(alone(7168, deepseek)).experts == 11274289152);
static_assert(parameters(alone(7168, deepseek)).router == 7168 * 256);
static_assert(parameters(alone(7168, deepseek)).active ==
              parameters(alone(7168, deepseek)).total - 11274289152 / 256 * 248);
static_assert(parameters(alone(4, blocks::experts{2, 1, 8, 0, 0, false, true, true, true})).total ==
              2 * (2 * 4 * 8 + 8 + 4) + 4 * 3 + 2);

// Up, down and the router are all products where no expert is shared.
constexpr std::size_t products_of(std::int64_t shared_d_ff) {
  blocks::experts e;
  e.count = 2, e.top_k = 1, e.d_ff = 8, e.shared_d_ff = shared_d_ff;
  return blocks::work_of(on_image(4, 4, e)).product_count;
}
static_assert(products_of(0) == 3 && products_of(16) == 5);

}  // namespace

}  // namespace static_model_blocks_experts_tests
