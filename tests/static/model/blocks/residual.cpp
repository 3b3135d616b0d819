// The worked numbers in the comments of model/blocks/residual.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/residual.hpp>
#include <tpuplan/model/sums.hpp>

using namespace tpuplan;

namespace static_model_blocks_residual_tests {

namespace {

constexpr blocks::model of_image(std::int64_t side, const blocks::residual& one) {
  blocks::model m;
  blocks::place at;
  at.stream = put(m, blocks::stream{"image", blocks::flow::example, 320, side, side});
  at.other = put(m, blocks::stream{"time", blocks::flow::example, 1280, 1});
  put(m, at, one);
  return m;
}
constexpr blocks::residual wider() {
  blocks::residual one;
  one.outputs = 640, one.scales = 1;
  return one;
}
static_assert(parameters(of_image(8, wider())).total == 6558080);

// The product of the time step is one of a single position.
constexpr double per_position = 9.0 * 320 * 640 + 9.0 * 640 * 640 + 320.0 * 640;
static_assert(forward_flops_per_example(of_image(8, wider())).value() == 2 * (64 * per_position + 1280.0 * 640));

// Channels of a skip widen what comes in; without a change of channels there is no third product.
constexpr blocks::residual with_skip() {
  blocks::residual one;
  one.outputs = 320, one.skip = 320, one.norm = norm_kind::none, one.bias = false;
  return one;
}
static_assert(parameters(of_image(1, with_skip())).total == 9 * 640 * 320 + 9 * 320 * 320 + 640 * 320);
static_assert(parameters(of_image(1, blocks::residual{})).total == 2 * (9 * 320 * 320 + 320 + 2 * 320));

}  // namespace

}  // namespace static_model_blocks_residual_tests
