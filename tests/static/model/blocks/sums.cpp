// The worked numbers in the comments of model/blocks/sums.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/sums.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_sums_tests {

namespace {

// Two layers alike are one entry, a third one of another window is another.
constexpr blocks::cores three() {
  blocks::cores all;
  blocks::core one{4, 8, 8};
  all.add(one, 1, blocks::flow::tokens);
  all.add(one, 2, blocks::flow::tokens);
  one.window = 16;
  all.add(one, 1, blocks::flow::tokens);
  return all;
}
static_assert(three().size == 2 && three().of[0].layers == 3 && three().of[1].layers == 1);
// 12 layers that share two sets of weights are two sets of weights, and work of 12.
constexpr blocks::sums shared() {
  blocks::model m;
  put(m, blocks::stream{"text", blocks::flow::tokens, 4});
  put(m, blocks::place{12, 2}, blocks::mlp{8, 0, false});
  return sums_of(m);
}
static_assert(shared().weights[static_cast<std::size_t>(blocks::part::mlp)] == 2 * 64 &&
              shared().matrices() == 12 * 64);
// Modules that predict further tokens are weights alone.
constexpr blocks::sums predicting() {
  blocks::model m;
  put(m, blocks::stream{"text", blocks::flow::tokens, 4});
  blocks::place at;
  at.when = blocks::use::prediction;
  put(m, at, blocks::mlp{8, 0, false});
  return sums_of(m);
}
static_assert(predicting().weights[static_cast<std::size_t>(blocks::part::prediction)] == 64);
static_assert(predicting().matrices() == 0);

}  // namespace

}  // namespace static_model_blocks_sums_tests
