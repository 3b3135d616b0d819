// The cheapest fleet of each generation beside GPU servers: each is the planner's, and keeps the targets up to its
// capacity.
#include <tpuplan/plan/cheapest_fleets.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_cheapest_fleets_tests {

TEST_CASE("one fleet for each generation and GPU, the cheapest first") {
  serving_request request;
  request.model = llama_3_8b();
  request.job.prompt = fixed_length(1024);
  request.job.output = fixed_length(128);
  request.job.request_rate = per_second{60};
  request.job.percentiles.first_token = {0.99, 1_s};
  request.generations = {"v6e", "v5e", "v2", "tpu8t"};
  const std::vector<fleet_offer> offers = cheapest_fleets(request, {gpu_for("H100"), gpu_for("L4")});
  REQUIRE(offers.size() == 5);  // of tpu8t there are no slices
  double before = 0;
  bool possible = true;
  for (const fleet_offer& one : offers) {
    INFO(one.hardware.view());
    CHECK(one.at_peak == (one.hardware == "H100" || one.hardware == "L4"));
    CHECK(one.is_possible <= possible);  // those that there are come first
    possible = one.is_possible;
    if (!one.is_possible) continue;
    CHECK(one.planned.rate.value() >= before);
    before = one.planned.rate.value();
    CHECK(meets(one.planned.simulated));
    CHECK(one.capacity >= request.job.request_rate);
    CHECK(one.chance.has_value() == !one.at_peak);
    if (one.chance) CHECK(*one.chance == chance_at_targets(request, one.planned));
    CHECK(one.planned.where.chip.name == one.hardware);
    if (one.at_peak) CHECK(chips(one.planned.where) == gpu_for(one.hardware.view()).per_machine);
  }
  for (const fleet_offer& one : offers) {
    CHECK(one.hardware != "tpu8t");
    if (one.hardware != "v6e") continue;
    request.generations = {"v6e"};
    CHECK(plan_serving(request).plans.front().rate == one.planned.rate);
  }
  request.generations = {"v6e"};
  request.job.percentiles = {};
  const fleet_offer means = cheapest_fleets(request).front();
  CHECK(close(means.capacity.value(),
              means.planned.estimate.capacity.value() * static_cast<double>(means.planned.slices)));
}

TEST_CASE("the replica of a fleet runs no more requests at once than it is told, nor than are simulated") {
  serving_request request;
  request.model = llama_3_8b();
  request.job.prompt = fixed_length(64);
  request.job.output = fixed_length(16);
  request.job.request_rate = per_second{1};
  request.generations = {"v6e"};
  const auto running = [&] {
    return detail::ask_replica(request, plan_serving(request).plans.front(),
                               [](const auto& engine, const auto&, const auto&, double) { return engine.max_running; });
  };
  CHECK(running() == planning_requests);
  request.job.max_running = 4;
  CHECK(running() == 4);
}

}  // namespace plan_cheapest_fleets_tests
