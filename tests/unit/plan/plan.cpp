// The costs of a plan: the cheapest of each way of paying, and the chosen one.
#include <tpuplan/plan/plan.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_plan_tests {

TEST_CASE("the cheapest region of a way of paying, and the cost that was chosen") {
  plan two;
  two.costs.resize(2);
  for (plan_cost& cost : two.costs) cost.kind = provisioning::spot;
  two.costs[0].total = 120_usd;
  two.costs[1].total = 100_usd;
  CHECK(find_cost(two, provisioning::spot)->total == 100_usd);
  CHECK(find_cost(two, provisioning::on_demand) == nullptr);
  two.chosen = 1;
  CHECK(&chosen_cost(two) == &two.costs[1]);
  two.chosen = 2;
  CHECK(says(refusal_of([&] { (void)chosen_cost(two); }).message, "plan.chosen is 2"));
}

}  // namespace plan_plan_tests
