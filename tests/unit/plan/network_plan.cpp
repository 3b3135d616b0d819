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
  request.job.global_batch = 1024;
  request.data.examples = 60000;
  return request;
}

}  // namespace

TEST_CASE("a small network costs least on one chip, every plan is within the limits, and all do the same work") {
  network_request request = small_request();
  const network_answer answer = plan_network(request);
  REQUIRE_FALSE(answer.plans.empty());
  CHECK(chips(answer.plans.front().where) == 1);
  for (const network_plan& p : answer.plans) {
    CHECK(p.cost.total >= answer.plans.front().cost.total);
    CHECK(p.job.global_batch == 1024);
    CHECK(p.steps == 58);
    CHECK(p.run == static_cast<double>(p.steps) * p.step.total);
  }
  request.best = objective::fewest_chips;
  request.generations = {"v6e"};
  request.smallest_chips = 4;
  const network_answer larger = plan_network(request);
  CHECK(chips(larger.plans.front().where) == 4);
  for (const network_plan& p : larger.plans) CHECK(p.where.chip.name == "v6e");
  request.job.global_batch = 0;
  CHECK(says(refusal_of([&] { (void)plan_network(request); }).message, "network_request.job.global_batch is 0"));
}

TEST_CASE("the batch of a plan that asks for none leaves hardly any example out") {
  CHECK(usual_batch({60000}) == 1024);
  CHECK(usual_batch({1281167, 90}) == 1024);
  CHECK(usual_batch({300}) == 8);
  CHECK(usual_batch({1045}) == 16);  // 21 of 1045 would be dropped of 1024, 20 are a fiftieth
  CHECK(usual_batch({1044}) == 1024);
  CHECK(usual_batch({300, 1, remainder::keep}) == 256);
  for (const std::int64_t examples : {1, 2, 50, 100, 999, 1025, 1535, 2047, 50000})
    CHECK(examples % usual_batch({examples}) <= examples / 50);
}

TEST_CASE("a plan waits for its input in time and dollars, as a step of it does") {
  network_request request = small_request();
  request.generations = {"v5e"};
  const network_answer dry = plan_network(request);
  request.input.decode = 1_s;
  const network_answer fed = plan_network(request);
  REQUIRE(fed.plans.size() == dry.plans.size());
  for (const network_plan& p : fed.plans) {
    INFO(name(p.where).view());
    const fed_network_step alone = fed_step_time(request.net, p.job, p.mesh, p.where, request.input);
    CHECK(p.step.total == alone.step.total);
    CHECK(p.run == static_cast<double>(p.steps) * alone.step.total);
    CHECK(p.input->waiting > 0.9);
    CHECK(close(p.run.value(), 58 * 1024.0 / static_cast<double>(p.input->vcpus), 1e-9));
    CHECK(p.cost.billed >= p.run + 600_s);  // its start and first compilation
  }
  request.input.cached_share = 1;
  CHECK(plan_network(request).plans.front().run == dry.plans.front().run);
  request.input.cached_share = 1.5;
  CHECK(says(refusal_of([&] { (void)plan_network(request); }).message, "example_cost.cached_share is 1.5"));
}

TEST_CASE("the run of a network has its start, checkpoints and failures, as its terms say") {
  network_request request = small_request();
  request.generations = {"v5e"};
  const network_plan whole = plan_network(request).plans.front();
  const payment_terms terms = payment_terms_of(request, whole.where, 1, whole.steps, whole.step.total);
  CHECK(terms.start_up == 600_s);
  CHECK(terms.mean_time_between_failures == published_chip_time_between_failures);
  CHECK(whole.cost.billed == pay_for(whole.where, 1, whole.run, whole.cost.price, terms).billed);
  CHECK(whole.low < whole.cost.total);
  CHECK(whole.cost.total < whole.high);
  request.around = {};
  request.chip_time_between_failures = {};
  CHECK(plan_network(request).plans.front().cost.billed == whole.run);
}

TEST_CASE("phases and failures of which no run of a network has its price are refused by name") {
  network_request request = small_request();
  const auto refused = [&] { return refusal_of([&] { (void)plan_network(request); }).message; };
  request.around.start = seconds{1e30};
  CHECK(says(refused(), "plan.around.start is 1e+30; valid: 0 to 1e7 s"));
  request.around = {};
  request.chip_time_between_failures = seconds{1e-6};
  CHECK(says(refused(), "plan.chip_time_between_failures is 1e-06"));
  request.chip_time_between_failures = {};
  request.terms.spot.restart_time = seconds{-1};
  CHECK(says(refused(), "spot_terms.restart_time is -1"));
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

TEST_CASE("a plan has the fastest layout that surely fits, or one of more replicas that is nearly as fast") {
  network_request request = small_request();
  request.net = mlp(16384, {16384, 16384});
  request.generations = {"v5e"};
  for (const network_plan& p : plan_network(request).plans) {
    INFO(name(p.where).view() << " " << p.mesh.data << " x " << p.mesh.fsdp);
    const std::int64_t count = devices(p.where);
    for (std::int64_t shards = 1; shards <= count; shards *= 2) {
      layout other;
      other.data = count / shards, other.fsdp = shards;
      if (fits(memory_use(request.net, request.job, other, p.where)) != verdict::yes) continue;
      CHECK(step_time(request.net, request.job, other, p.where).total >=
            p.step.total * (1 - 1.1 * detail::shards_pay_from));
    }
  }
  request.accept_uncertain = true;  // adds slices, and changes none that fits
  const network_answer more = plan_network(request);
  request.accept_uncertain = false;
  for (const network_plan& sure : plan_network(request).plans) {
    const auto same = std::find_if(more.plans.begin(), more.plans.end(),
                                   [&](const network_plan& p) { return name(p.where) == name(sure.where); });
    REQUIRE(same != more.plans.end());
    CHECK(same->step.total == sure.step.total);
  }
}

TEST_CASE("a further way of paying loses no plan, and makes none dearer") {
  network_request request = small_request();
  request.data.epochs = 1000;
  request.generations = {"v5e", "v6e"};
  const network_answer open = plan_network(request);
  for (const bool by_time : {true, false}) {
    const network_plan& middle = open.plans[open.plans.size() / 2];
    request.deadline.reset(), request.budget.reset();
    if (by_time) request.deadline = middle.cost.wall;
    if (!by_time) request.budget = middle.cost.total;
    request.best = by_time ? objective::cheapest : objective::fastest;
    request.kinds = {by_time ? provisioning::on_demand : provisioning::spot};
    const network_answer one = plan_network(request);
    REQUIRE_FALSE(one.plans.empty());
    request.kinds = {provisioning::on_demand, provisioning::spot};
    const network_answer both = plan_network(request);
    for (const network_plan& before : one.plans) {
      const auto same = std::find_if(both.plans.begin(), both.plans.end(),
                                     [&](const network_plan& p) { return name(p.where) == name(before.where); });
      INFO(name(before.where).view());
      REQUIRE(same != both.plans.end());
      CHECK((by_time ? same->cost.total <= before.cost.total : same->cost.wall <= before.cost.wall));
      CHECK((!request.deadline || same->cost.wall <= *request.deadline * (1 + 1e-9)));
      CHECK((!request.budget || same->cost.total <= *request.budget * (1 + 1e-9)));
    }
    CHECK(both.misses_deadline <= one.misses_deadline);
    CHECK(both.over_budget <= one.over_budget);
  }
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
  CHECK(says(refusal_of([&] { (void)plan_network(request); }).message, "global batch is 1024; valid: at most"));
  request.data.last = remainder::keep;
  request.data.epochs = 3;
  const network_answer kept = plan_network(request);
  REQUIRE_FALSE(kept.plans.empty());
  for (const network_plan& p : kept.plans) CHECK(p.steps == 3);
}

TEST_CASE("a network that does not fit is in no plan, uncertain ones accepted or not") {
  network_request request = small_request();
  request.net = mlp(4096, {65536, 65536, 65536, 65536});  // 13e9 weights
  request.job.global_batch = 8;
  request.largest_chips = 1;
  for (const bool accepted : {false, true}) {
    request.accept_uncertain = accepted;
    const network_answer answer = plan_network(request);
    for (const network_plan& p : answer.plans) CHECK(fits(p.memory) != verdict::no);
    CHECK(answer.does_not_fit > 0);
  }
}

TEST_CASE("networks come in the order of the objective, then of their dollars") {
  const auto of = [](const char* name, double wall, double dollars) {
    network_plan planned;
    planned.where = slice_for(name);
    planned.cost.wall = seconds{wall};
    planned.cost.total = usd{dollars};
    return planned;
  };
  const network_plan small = of("v6e-1", 9, 3), large = of("v6e-8", 3, 2), other = of("v6e-8", 3, 1);
  CHECK(detail::comes_first(small, large, objective::fewest_chips));
  CHECK_FALSE(detail::comes_first(large, small, objective::fewest_chips));
  CHECK(detail::comes_first(other, large, objective::fewest_chips));
  CHECK(detail::comes_first(large, small, objective::fastest));
  CHECK_FALSE(detail::comes_first(small, large, objective::fastest));
  CHECK(detail::comes_first(other, large, objective::fastest));
  CHECK(detail::comes_first(large, small, objective::cheapest));
  CHECK_FALSE(detail::comes_first(small, large, objective::cheapest));
}

}  // namespace plan_network_plan_tests
