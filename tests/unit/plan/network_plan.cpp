// Which slice trains a network of layers.
#include <algorithm>
#include <tpuplan/plan/network_plan.hpp>

#include "support/catch.hpp"
#include "support/networks.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_network_plan_tests {

namespace {

network_request small_request() {
  network_request request;
  request.net = mlp(784, {128, 10});
  request.batch_per_device = 128;
  request.data.examples = 60000;
  return request;
}

}  // namespace

TEST_CASE("a small network costs least on one chip, and every plan is within the limits") {
  network_request request = small_request();
  request.job.global_batch = 1024;
  CHECK(chips(plan_network(request).plans.front().where) == 1);
  CHECK(plan_network(request).plans.front().steps == 58);
  request.job.global_batch = 0;  // 128 on each device: larger slices take fewer steps
  const network_answer answer = plan_network(request);
  REQUIRE_FALSE(answer.plans.empty());
  for (const network_plan& p : answer.plans) {
    CHECK(p.cost.total >= answer.plans.front().cost.total);
    CHECK(p.job.global_batch == 128 * devices(p.where));
    CHECK(p.run == static_cast<double>(p.steps) * p.step.total);
  }
  request.best = objective::fewest_chips;
  request.generations = {"v6e"};
  request.smallest_chips = 4;
  const network_answer larger = plan_network(request);
  CHECK(chips(larger.plans.front().where) == 4);
  for (const network_plan& p : larger.plans) CHECK(p.where.chip.name == "v6e");
}

TEST_CASE("a network whose copy does not fit has its weights sharded, or is said not to fit") {
  network_request request = small_request();
  request.net = mlp(32768, {32768, 32768});  // 2.1e9 parameters: 34 GB of state with Adam
  request.generations = {"v5e"};
  const network_answer answer = plan_network(request);
  REQUIRE_FALSE(answer.plans.empty());
  CHECK(answer.does_not_fit > 0);
  CHECK(answer.plans.front().mesh.fsdp == devices(answer.plans.front().where));
}

TEST_CASE("limits and batches that do not divide are counted") {
  network_request request = small_request();
  request.job.global_batch = 1000;
  const network_answer answer = plan_network(request);
  CHECK(answer.does_not_divide > 0);
  request.budget = usd{1e-9};
  CHECK(plan_network(request).plans.empty());
  CHECK(plan_network(request).over_budget == answer.plans.size());
  request.budget.reset();
  request.deadline = 1e-9_s;
  CHECK(plan_network(request).misses_deadline == answer.plans.size());
  request.regions = {"moon"};
  CHECK(plan_network(request).no_price > 0);
  request.data.examples = 0;
  CHECK(says(refusal_of([&] { (void)plan_network(request); }).message, "network_request.data.examples"));
}

TEST_CASE("a batch above the examples trains nothing, but where the rest is kept") {
  network_request request = small_request();
  request.data.examples = 300;
  request.generations = {"v5e"};
  const network_answer answer = plan_network(request);
  CHECK(answer.fills_no_batch > 0);
  REQUIRE_FALSE(answer.plans.empty());
  for (const network_plan& p : answer.plans) CHECK(p.job.global_batch <= 300);
  request.data.last = remainder::keep;
  request.data.epochs = 3;
  const network_answer kept = plan_network(request);
  CHECK(kept.fills_no_batch == 0);
  for (const network_plan& p : kept.plans) CHECK(p.steps == 3 * ceil_div(300, p.job.global_batch));
}

}  // namespace plan_network_plan_tests
