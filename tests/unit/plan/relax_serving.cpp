// What to relax where nothing serves within the limits.
#include <algorithm>
#include <tpuplan/plan/relax_serving.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_relax_serving_tests {

namespace {

serving_request asked_for(std::int64_t prompt, std::int64_t output, double rate) {
  serving_request request;
  request.model = llama_3_8b();
  request.job.prompt = fixed_length(prompt);
  request.job.output = fixed_length(output);
  request.job.request_rate = per_second{rate};
  return request;
}
const serving_relaxation* find(const std::vector<serving_relaxation>& list, plan_limit limit) {
  for (const serving_relaxation& one : list) {
    if (one.limit == limit) return &one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("one target is loosened alone", "[plan]") {
  serving_request served;
  served.job.ttft_target = 2_s;
  served.job.tpot_target = 50_ms;
  const serving_request later = detail::with_targets(served, plan_limit::ttft, 2);
  CHECK(later.job.ttft_target == 4_s);
  CHECK(later.job.tpot_target == 50_ms);
  served.model = llama_3_8b();
  served.job.prompt = fixed_length(1000);
  served.job.output = fixed_length(100);
  served.job.request_rate = per_second{1};
  served.generations = {"v6e"};
  served.largest_chips = 1;
  served.job.ttft_target = 0_s;
  served.job.tpot_target = 1_ms;
  std::int64_t steps = detail::most_planning_steps;
  CHECK_FALSE(detail::relax_targets(served, plan_limit::ttft, steps));
  CHECK_FALSE(detail::relax_targets(served, plan_limit::targets, steps));  // there is one alone
  CHECK(detail::relax_targets(served, plan_limit::tpot, steps)->needed > 0.001);
  served.job.ttft_target = 2_s;
  served.job.tpot_target = 50_ms;
  const serving_request slower = detail::with_targets(served, plan_limit::tpot, 2);
  CHECK(slower.job.ttft_target == 2_s);
  CHECK(slower.job.tpot_target == 100_ms);
}

TEST_CASE("two targets that are relaxed together are each what a plan needs", "[plan]") {
  serving_request request = asked_for(1024, 256, 5);
  request.job.tpot_target = 100_us;
  request.job.ttft_target = 1_ms;
  REQUIRE(plan_serving(request).plans.empty());
  const std::vector<serving_relaxation> list = relaxations(request);
  const auto both = std::find_if(list.begin(), list.end(),
                                 [](const serving_relaxation& one) { return one.limit == plan_limit::targets; });
  REQUIRE(both != list.end());
  CHECK(both->given_ttft == 0.001);
  CHECK(both->needed_ttft < 9 * both->needed);  // 10 times as long by one factor for both
  request.job.tpot_target = seconds{both->needed};
  request.job.ttft_target = seconds{both->needed_ttft};
  CHECK_FALSE(plan_serving(request).plans.empty());
}

TEST_CASE("a target by percentile is relaxed also where requests are long and slices many", "[plan]") {
  serving_request request = asked_for(8000, 512, 5);
  request.job.percentiles.per_token = {0.95, 1_ms};
  REQUIRE(plan_serving(request).plans.empty());
  const std::vector<serving_relaxation> list = relaxations(request);
  const serving_relaxation* each = find(list, plan_limit::per_token);
  REQUIRE(each != nullptr);
  CHECK(each->given == 0.001);
  CHECK(each->needed > 0.001);
  CHECK(each->needed < 0.05);
  request.job.percentiles.per_token.limit = seconds{each->needed};
  CHECK_FALSE(plan_serving(request).plans.empty());
}

// Which plan was named depended on the target that failed, and it was not the plan of the amount that was printed.
TEST_CASE("what a target would have to be does not depend on what it was, and is that of the plan", "[plan]") {
  serving_request request = asked_for(1024, 256, 5);
  for (const seconds given : {seconds{1e-6}, 1_ms, 3_ms, seconds{0.0044}}) {
    request.job.tpot_target = given;
    const std::vector<serving_relaxation> list = relaxations(request);
    const serving_relaxation* each = find(list, plan_limit::tpot);
    REQUIRE(each != nullptr);
    CHECK(close(each->needed, 0.0045));
    serving_request enough = request;
    enough.job.tpot_target = seconds{each->needed};
    const std::vector<serving_plan> plans = plan_serving(enough).plans;
    REQUIRE_FALSE(plans.empty());
    CHECK(plans.front().rate == each->nearest.rate);
    enough.job.tpot_target = seconds{each->needed - 1e-4};
    CHECK(plan_serving(enough).plans.empty());
  }
}

TEST_CASE("a percentile is brought near to what lets a plan in", "[plan][slow]") {
  serving_request request = asked_for(1024, 256, 5);
  request.job.percentiles.first_token = {0.99, 10_ms};
  const std::vector<serving_relaxation> list = relaxations(request);
  const serving_relaxation* first = find(list, plan_limit::first_token);
  REQUIRE(first != nullptr);
  CHECK(first->needed < 0.016);  // 21 ms was said
  request.job.percentiles.first_token.limit = seconds{first->needed};
  const std::vector<serving_plan> plans = plan_serving(request).plans;
  REQUIRE_FALSE(plans.empty());
  CHECK(plans.front().rate <= first->nearest.rate);
}

// 12 to 43 % too far was said beside another percentile, and nothing with spare slices.
TEST_CASE("a percentile is relaxed to the least beside other percentiles, a budget and spare slices", "[plan][slow]") {
  serving_request request = asked_for(900, 120, 12);
  request.generations = {"v6e"};
  const auto is_least = [&](plan_limit limit) {
    const std::vector<serving_relaxation> list = relaxations(request);
    const serving_relaxation* found = find(list, limit);
    REQUIRE(found != nullptr);
    serving_request enough = request;
    latency_target& target = enough.job.percentiles.*detail::target_of(limit);
    target.limit = seconds{found->needed};
    CHECK_FALSE(plan_serving(enough).plans.empty());
    target.limit = seconds{0.97 * found->needed};
    CHECK(plan_serving(enough).plans.empty());
  };
  request.job.percentiles.first_token = {0.9, 400_ms};
  request.job.percentiles.per_token = {0.9, 2_ms};
  request.budget = usd_per_hour(40);
  is_least(plan_limit::per_token);
  request.spare = 1;
  is_least(plan_limit::per_token);
  request.job.percentiles.end_to_end = {0.5, 500_ms};
  request.job.percentiles.per_token = {};
  request.zones = 3;
  is_least(plan_limit::end_to_end);
}

TEST_CASE("the fewest chips and the regions of a fleet are limits", "[plan]") {
  serving_request request = asked_for(2000, 300, 20);
  request.generations = {"v5e"};
  request.smallest_chips = 512, request.largest_chips = 600;
  request.budget = usd_per_hour(700);
  REQUIRE(plan_serving(request).plans.empty());
  const std::vector<serving_relaxation> list = relaxations(request);
  const serving_relaxation* chips = find(list, plan_limit::smallest_chips);
  REQUIRE(chips != nullptr);
  request.smallest_chips = static_cast<std::int64_t>(chips->needed);
  CHECK_FALSE(plan_serving(request).plans.empty());
  CHECK(find(list, plan_limit::regions) == nullptr);  // no price elsewhere needs fewer chips
}

}  // namespace plan_relax_serving_tests
