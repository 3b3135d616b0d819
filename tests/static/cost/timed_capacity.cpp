// The worked numbers in the comments of cost/timed_capacity.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/timed_capacity.hpp>

using namespace tpuplan;

namespace static_cost_timed_capacity_tests {

namespace {

static_assert(flex_start_run(7_days).pieces == 1 && flex_start_run(7_days).billed == 7_days);
static_assert(flex_start_run(20_days).pieces == 3 && flex_start_run(20_days).overhead == 1230_s);
static_assert(flex_start_run(14_days).pieces == 3);
static_assert(calendar_run(25_h).billed == 48_h && calendar_run(25_h).unused == 23_h);

}  // namespace

}  // namespace static_cost_timed_capacity_tests
