// The regions of a price book, and quotas of those that are not asked for.
#include <algorithm>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/regions.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_regions_tests {

TEST_CASE("each region of a book comes once") {
  const std::vector<std::string> all = all_regions(price_book{});
  CHECK(std::find(all.begin(), all.end(), "us") != all.end());
  for (const std::string& one : all) CHECK(std::count(all.begin(), all.end(), one) == 1);
}

TEST_CASE("a quota may be of a region whose prices the request does not have") {
  plan_request request;
  request.model = llama_3_8b();
  request.job = job_of(256, 4096);
  request.tokens = 1e10;
  request.generations = {"v6e"};
  request.prices = price_book{}.with(v6e, "europe-west4", provisioning::on_demand, usd_per_hour(3), "2026-11-21");
  request.regions = {"europe-west4"};
  request.quotas = {{"v6e", "europe-west4", provisioning::on_demand, 64}, {"v6e", "us", provisioning::on_demand, 32}};
  const plan_answer both = make_plan(request);
  REQUIRE_FALSE(both.plans.empty());
  for (const plan& one : both.plans) CHECK(chips(one.where) <= 64);
  request.quotas.back().region = "mars";
  CHECK(says(refusal_of([&] { (void)make_plan(request); }).message, "plan.quotas.region is mars"));
}

}  // namespace plan_regions_tests
