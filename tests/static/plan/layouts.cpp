// The space that the planner searches. It compiles, so it passes.
#include <tpuplan/plan/layouts.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_plan_layouts_tests {

namespace {

constexpr std::int64_t divisors(std::int64_t whole, std::int64_t wanted) {
  std::int64_t count = 0;
  detail::for_each_degree(whole, wanted, [&](std::int64_t degree) { count += whole % degree == 0 ? 1 : 1000; });
  return count;
}
static_assert(divisors(64, 0) == 7 && divisors(12, 0) == 6);
static_assert(divisors(12, 4) == 1 && divisors(12, 5) == 0);

/// Counts layouts, those that do not fill the devices a thousand times, and leaves out what it is told to.
struct layout_count {
  std::int64_t devices = 0, most_stages = 64, most_tensor = 64, count = 0;

  constexpr bool enter_stages(const layout& mesh) const { return mesh.pipeline <= most_stages; }
  constexpr bool enter_group(const layout& group) const { return group.data == 1 && group.tensor <= most_tensor; }
  constexpr void visit(const layout& mesh) {
    const std::int64_t filled = mesh.data * mesh.fsdp * mesh.tensor * mesh.expert * mesh.context * mesh.pipeline;
    count += filled == devices ? 1 : 1000;
  }
};

/// Layouts of that many devices of one slice.
constexpr std::int64_t layouts_of(std::int64_t devices, const fixed_degrees& wanted, std::int64_t most_stages = 64,
                                  std::int64_t most_tensor = 64) {
  layout_count search{devices, most_stages, most_tensor};
  detail::for_each_layout(devices, 1, llama_3_8b(), job_of(64, 4096), wanted, search);
  return search.count;
}
constexpr fixed_degrees tensor_alone() {
  fixed_degrees wanted;
  wanted.tensor = 4, wanted.context = 1, wanted.pipeline = 1, wanted.data = 1;
  return wanted;
}
static_assert(layouts_of(4, tensor_alone()) == 1 && layouts_of(6, tensor_alone()) == 0);
// Two devices may go to FSDP, data or tensor; the sequence and the layers are sharded only where that is asked for.
static_assert(layouts_of(2, {}) == 3);
// Two stages, or one with two shards of sequences, or neither; what is not entered is left out.
constexpr fixed_degrees every_degree() {
  fixed_degrees wanted;
  wanted.context = wanted.pipeline = 0;
  return wanted;
}
static_assert(layouts_of(2, every_degree()) == 5);
static_assert(layouts_of(2, every_degree(), 1) == 4 && layouts_of(2, every_degree(), 1, 1) == 3);
// A model of 32 layers has no 64 stages.
static_assert(layouts_of(64, every_degree()) - layouts_of(64, every_degree(), 32) == 0);

}  // namespace

}  // namespace static_plan_layouts_tests
