// The worked numbers in the comments of estimate/training/targets.hpp. It compiles, so it passes.
#include <tpuplan/estimate/training/targets.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_estimate_training_targets_tests {

namespace {

constexpr step_breakdown step_of(double mfu) {
  step_breakdown step;
  step.total = 0.1_s;
  step.hbm = 0.02_s;
  step.mfu = mfu;
  return step;
}
constexpr targets_answer answer = answer_targets(step_of(0.6), v4, 8100, 90_s);
static_assert(!answer.mfu_possible && !answer.reaches_mfu && near(answer.best_mfu, 0.687, 0.02));
static_assert(near_relative(answer.shortest_run.value(), 810) && near_relative(answer.compilation, 0.1));
static_assert(answer.shortest_steps == 8100 || answer.shortest_steps == 8101);  // 810 s are rounded as doubles are
static_assert(near_relative(answer.bandwidth, 0.2) && !answer.bandwidth_helps);
static_assert(answer_targets(step_of(0.6), v5e, 100, 90_s, {0.6, 0.7, 0.5}).reaches_mfu);

}  // namespace

}  // namespace static_estimate_training_targets_tests
