// The space that the planner searches. It compiles, so it passes.
#include <tpuplan/plan/layouts.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace {

constexpr std::int64_t divisors(std::int64_t whole, std::int64_t wanted) {
  std::int64_t count = 0;
  detail::for_each_degree(whole, wanted, [&](std::int64_t degree) { count += whole % degree == 0 ? 1 : 1000; });
  return count;
}
static_assert(divisors(64, 0) == 7 && divisors(12, 0) == 6);
static_assert(divisors(12, 4) == 1 && divisors(12, 5) == 0);

/// Layouts of that many devices: whether each fills them, and how many there are.
constexpr std::int64_t layouts_of(std::int64_t devices, const fixed_degrees& wanted) {
  std::int64_t count = 0;
  detail::for_each_layout(devices, 1, llama_3_8b(), job_of(64, 4096), wanted, [&](const layout& mesh) {
    const std::int64_t filled = mesh.data * mesh.fsdp * mesh.tensor * mesh.expert * mesh.context * mesh.pipeline;
    count += filled == devices ? 1 : 1000;
  });
  return count;
}
constexpr fixed_degrees tensor_alone() {
  fixed_degrees wanted;
  wanted.tensor = 4, wanted.context = 1, wanted.pipeline = 1, wanted.data = 1;
  return wanted;
}
static_assert(layouts_of(4, tensor_alone()) == 1 && layouts_of(6, tensor_alone()) == 0);
// Two devices may go to FSDP, data or tensor; the sequence and the layers are sharded only where that is asked for.
static_assert(layouts_of(2, {}) == 3);

}  // namespace
