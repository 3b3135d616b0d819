// The search of a plan for serving: the canonical order of equal layouts, the lowest price, and what plans are ranked
// by.
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/plan/server_search.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace plan_server_search_tests {

namespace {

serving_plan plan_with(std::int64_t tensor, cache_sharding cache, std::int64_t attention = 0) {
  serving_plan p;
  p.mesh = {tensor, weight_sharding::one_dimension, cache, attention};
  p.slices = 1;
  return p;
}

}  // namespace

TEST_CASE("the canonical order of equally good layouts") {
  const cache_sharding heads = cache_sharding::heads, batch = cache_sharding::batch;
  CHECK(detail::simpler_first(plan_with(4, batch), plan_with(8, heads)));
  CHECK(detail::simpler_first(plan_with(8, heads), plan_with(8, batch)));
  CHECK(detail::simpler_first(plan_with(8, heads), plan_with(8, heads, 4)));
  CHECK(detail::simpler_first(plan_with(8, heads, 4), plan_with(8, heads, 2)));
  CHECK_FALSE(detail::simpler_first(plan_with(8, heads), plan_with(8, heads)));
}

TEST_CASE("the most slices are those whose chips, not devices, are allowed") {
  serving_request r;
  r.largest_chips = 64;
  CHECK(chips(slice_for("tpu7x-8")) == 4);
  CHECK(devices(slice_for("tpu7x-8")) == 8);
  CHECK(detail::most_slices(r, slice_for("tpu7x-8")) == 16);
  r.largest_chips = 2;
  CHECK(detail::most_slices(r, slice_for("tpu7x-8")) == 1);
}

TEST_CASE("the lowest price, of equal ones the first region") {
  serving_request r;
  r.regions = {"us", "us-east5"};
  r.prices = price_book{}
                 .with("v6e", "us", provisioning::on_demand, usd_per_hour(3), "2026-11-21")
                 .with("v6e", "us-east5", provisioning::on_demand, usd_per_hour(3) * (1 - 1e-12), "2026-11-21");
  const maybe<price_row> equal = detail::lowest_price(r, detail::price_index(r), slice_for("v6e-8"));
  REQUIRE(equal);
  CHECK(equal->region.view() == "us");
  r.prices = r.prices.with("v6e", "us-east5", provisioning::on_demand, usd_per_hour(2), "2026-11-21");
  CHECK(detail::lowest_price(r, detail::price_index(r), slice_for("v6e-8"))->region.view() == "us-east5");
  r.kinds = {provisioning::calendar};
  r.regions = {"us"};
  CHECK_FALSE(detail::lowest_price(r, detail::price_index(r), slice_for("v2-8")));
}

TEST_CASE("the figures of each objective, the time per token and the first token behind them") {
  serving_plan p = plan_with(1, cache_sharding::heads);
  p.where = slice_for("v6e-8");
  p.slices = 2;
  p.rate = usd_per_second{3};
  p.cost.all_on_output = usd{5};
  p.estimate.per_token.total = seconds{7};
  p.estimate.first_token = seconds{11};
  CHECK(detail::worth_of(p, objective::cheapest) == detail::rank_figures{5, 7, 11});
  CHECK(detail::worth_of(p, objective::fastest) == detail::rank_figures{7, 3, 11});
  CHECK(detail::worth_of(p, objective::fewest_chips) == detail::rank_figures{16, 3, 7, 11});
}

}  // namespace plan_server_search_tests
