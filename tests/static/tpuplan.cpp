// All but files and displays through one header: the README's first block. It compiles, so it passes.
#include <tpuplan/tpuplan.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_tpuplan_tests {

static_assert(critical_batch(v5e) == 241 && round_up(50257, v6e.mxu.side) == 50432);
static_assert(chips(slice_for("v5p-128")) == 64 && find_gpu("h100")->per_machine == 8);
static_assert(name(objective::fewest_chips) == "fewest_chips");

}  // namespace static_tpuplan_tests
