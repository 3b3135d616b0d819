// The worked numbers in the comments of estimate/training/memory.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace {

static_assert(largest_batch(llama_3_8b(), job_of(64, 4096), fsdp_layout(slice_for("v5p-128")), slice_for("v5p-128")) ==
              1152);

constexpr memory_breakdown memory_of(double low, double high, double usable) {
  memory_breakdown m;
  m.low = bytes{low}, m.high = bytes{high}, m.usable = bytes{usable};
  return m;
}

// A verdict is yes below 97 % of what is usable, not at it; no above 103 %, not at it.
static_assert(fits(memory_of(1, 96.9, 100)) == verdict::yes);
static_assert(fits(memory_of(1, 97, 100)) == verdict::uncertain);
static_assert(fits(memory_of(103, 104, 100)) == verdict::uncertain);
static_assert(fits(memory_of(103.1, 104, 100)) == verdict::no);

}  // namespace
