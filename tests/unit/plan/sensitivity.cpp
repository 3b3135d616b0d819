// What a plan depends on.
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/sensitivity.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_sensitivity_tests {

namespace {

plan_request small_request() {
  plan_request request;
  request.model = llama_3_8b();
  request.job = job_of(256, 4096);
  request.tokens = 1e11;
  request.generations = {"v6e"};
  return request;
}

}  // namespace

TEST_CASE("sensitivity is estimated again") {
  plan_request request = small_request();
  request.kinds = {provisioning::spot};
  const plan_answer answer = make_plan(request);
  REQUIRE_FALSE(answer.plans.empty());
  const plan& p = answer.plans.front();
  const plan_cost& now = chosen_cost(p);
  const plan_sensitivity s = sensitivity_of(p, request);
  CHECK(close(s.price_down.value(), 0.9 * now.total.value()));
  CHECK(close(s.price_up.value(), 1.1 * now.total.value()));
  REQUIRE(s.twice_preempted);
  CHECK(s.twice_preempted->preemptions > 1.5 * now.preemptions);
  CHECK(s.twice_preempted->total > now.total);
  REQUIRE(s.step_low);
  REQUIRE(s.step_high);
  CHECK(s.step_low->total < now.total);
  CHECK(s.step_high->wall > now.wall);
  // A run of the low step time, priced by hand.
  const payment_terms terms = payment_terms_of(request, p.where, 1);
  const spot_run run = *stopped_run(provisioning::spot, 1, p.step.low * p.steps, terms);
  const double hourly = in_usd_per_hour(now.price.per_chip) * static_cast<double>(chips(p.where));
  CHECK(close(s.step_low->total.value(), hourly * in_hours(expected_run(run).billed + terms.start_up)));
  if (s.twice_the_batch) {
    CHECK(s.twice_the_batch->job.global_batch == 512);
    CHECK(s.twice_the_batch->step.total == step_time(request.model, s.twice_the_batch->job, p.mesh, p.where).total);
    CHECK(s.twice_the_batch->fit == verdict::yes);
  }
  request.kinds = {provisioning::on_demand};
  const plan_answer steady = make_plan(request);
  CHECK_FALSE(sensitivity_of(steady.plans.front(), request).twice_preempted);
}

TEST_CASE("what no longer can be had has no cost") {
  plan_request request = small_request();
  request.kinds = {provisioning::calendar};
  plan p = make_plan(request).plans.front();
  p.steps = 89_days / p.step.total;
  p.run = 89_days;
  const plan_sensitivity s = sensitivity_of(p, request);
  CHECK(s.step_low);
  CHECK_FALSE(s.step_high);  // windows end after 90 days
}

TEST_CASE("twice the preemptions is a run with half the time between them") {
  plan_request request = small_request();
  request.kinds = {provisioning::spot};
  const plan_answer answer = make_plan(request);
  REQUIRE_FALSE(answer.plans.empty());
  const plan& p = answer.plans.front();
  payment_terms worse = detail::terms_of(p, request, chosen_cost(p).price.region.view());
  worse.spot.mean_time_between_preemptions *= 0.5;
  const plan_sensitivity s = sensitivity_of(p, request);
  REQUIRE(s.twice_preempted);
  CHECK(close(s.twice_preempted->total.value(), detail::possible_cost(p, chosen_cost(p).price, worse)->total.value()));
}

}  // namespace plan_sensitivity_tests
