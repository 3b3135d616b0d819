// The worked numbers in the comments of model/blocks/joint_attention.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/joint_attention.hpp>
#include <tpuplan/model/sums.hpp>

using namespace tpuplan;

namespace static_model_blocks_joint_attention_tests {

namespace {

constexpr blocks::model of_two(std::int64_t own, std::int64_t other) {
  blocks::model m;
  blocks::place at;
  at.stream = put(m, blocks::stream{"image", blocks::flow::example, 3072, own});
  at.other = put(m, blocks::stream{"text", blocks::flow::example, 3072, other});
  put(m, at, blocks::joint_attention{24, 128});
  return m;
}
static_assert(parameters(of_two(10, 4)).total == 37761280);

// 4 x 3072^2 multiply-adds of products a position, and 2 x 3072 for each key that it sees, of either stream.
constexpr double work_of(double own, double other) {
  return 2 * own * (4.0 * 3072 * 3072 + 2.0 * 3072 * (own + other));
}
static_assert(forward_flops_per_example(of_two(10, 4)).value() == work_of(10, 4));
static_assert(forward_flops_per_example(of_two(4096, 512)).value() == work_of(4096, 512));

}  // namespace

}  // namespace static_model_blocks_joint_attention_tests
