// What a run costs, through the one header of costs. It compiles, so it passes.
#include <tpuplan/cost.hpp>
#include <tpuplan/hardware/slice.hpp>

using namespace tpuplan;

namespace static_cost_tests {

// One price, one commitment, one window.
static_assert(price_for(price_book{}, slice_for("v5e-32"), "us", provisioning::on_demand).per_chip ==
              usd_per_hour(1.20));
static_assert(break_even_utilization(0.84_usd_per_h, 1.20_usd_per_h) > 0.69);
static_assert(flex_start_run(7_days).pieces == 1);

}  // namespace static_cost_tests
