// Names of what is asked of a plan, and of why a slice lost. It compiles, so it passes.
#include <tpuplan/plan/plan.hpp>

using namespace tpuplan;

namespace static_plan_plan_tests {

static_assert(parse_objective("fewest_chips") == objective::fewest_chips && !parse_objective("smallest").has_value());
static_assert(name(objective::cheapest) == "cheapest" && name(rejection::over_budget) == "over_budget");

}  // namespace static_plan_plan_tests
