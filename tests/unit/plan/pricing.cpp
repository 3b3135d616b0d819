// What a plan costs under each way of paying.

#include <optional>
#include <tpuplan/plan/pricing.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace plan_pricing_tests {

namespace {

/// Two hours on v5e-32, whose step may be a tenth shorter or a fifth longer.
plan two_hours() {
  plan p;
  p.where = slice_for("v5e-32");
  p.run = 2_h;
  p.step.total = 1_s;
  p.step.low = 0.9_s;
  p.step.high = 1.2_s;
  return p;
}

price_row price_of(provisioning kind) { return price_for(price_book{}, slice_for("v5e-32"), "us", kind); }

}  // namespace

TEST_CASE("a plan costs its chips times its hours, within the band of its step", "[plan]") {
  const plan_cost cost = detail::cost_of(two_hours(), price_of(provisioning::on_demand), {});
  CHECK(cost.total.value() == Approx(76.80));
  CHECK(cost.low.value() == Approx(0.9 * 76.80));
  CHECK(cost.high.value() == Approx(1.2 * 76.80));
  CHECK(cost.wall == 2_h);
  CHECK(cost.goodput == 1);
}

TEST_CASE("a cost is allowed within quota and deadline", "[plan]") {
  const plan p = two_hours();
  const plan_cost cost = detail::cost_of(p, price_of(provisioning::spot), {});
  plan_request request;
  request.kinds = {provisioning::spot};
  CHECK(is_within_quota(p, cost, request));
  request.quotas = {{"v5e", "us", provisioning::spot, 32}};
  CHECK(is_within_quota(p, cost, request));
  request.deadline = cost.wall;
  CHECK(is_allowed(p, cost, request));
  request.deadline = cost.wall / 2;
  CHECK_FALSE(is_allowed(p, cost, request));
  request.quotas = {{"v5e", "us", provisioning::spot, 16}};
  CHECK_FALSE(is_within_quota(p, cost, request));
}

TEST_CASE("a run longer than a calendar window has no cost there", "[plan]") {
  plan p = two_hours();
  CHECK(detail::possible_cost(p, price_of(provisioning::flex_start), {}).has_value());
  p.run = 91_days;
  price_row window = price_of(provisioning::flex_start);
  window.kind = provisioning::calendar;
  CHECK_FALSE(detail::possible_cost(p, window, {}).has_value());
}

TEST_CASE("an end of the band that is longer than a calendar window cannot be had", "[plan]") {
  plan p = two_hours();
  p.run = 80_days;  // 96 at the high end, and a window ends after 90
  price_row window = price_of(provisioning::flex_start);
  window.kind = provisioning::calendar;
  const plan_cost cost = detail::cost_of(p, window, {});
  CHECK_FALSE(math::is_finite(cost.high.value()));
  CHECK_FALSE(math::is_finite(cost.wall_high.value()));
  CHECK(cost.low < cost.total);
  p.costs = {cost};
  plan_request request;
  request.kinds = {provisioning::calendar};
  request.deadline = 365_days, request.budget = usd{1e9};
  detail::pay_with(p, 0, request);
  CHECK(p.deadline_at_risk);
  CHECK(p.budget_at_risk);
}

TEST_CASE("a limit is missed by what is beyond it", "[plan]") {
  const plan p = two_hours();
  const plan_cost cost = detail::cost_of(p, price_of(provisioning::on_demand), {});  // $76.80 in two hours
  plan_request request;
  request.budget = 70_usd;
  CHECK(detail::limit_missed(p, cost, request).why == rejection::over_budget);
  CHECK(detail::limit_missed(p, cost, request).amount == Approx(6.80));
  request.budget = 100_usd;
  CHECK(is_allowed(p, cost, request));
  request.deadline = 1.5_h;
  CHECK(detail::limit_missed(p, cost, request).why == rejection::misses_deadline);
  CHECK(detail::limit_missed(p, cost, request).amount == Approx(1800));
}

}  // namespace plan_pricing_tests
