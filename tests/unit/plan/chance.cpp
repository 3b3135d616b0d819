// The chance of a plan to keep its deadline and its budget.
#include <cmath>
#include <tpuplan/plan/chance.hpp>
#include <tpuplan/plan/relax.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_chance_tests {

namespace {

plan_request llama_on_v6e() {
  plan_request request;
  request.model = llama_3_8b();
  request.job.global_batch = 1024;
  request.job.sequence_length = 4096;
  request.tokens = 1e12;
  request.generations = {"v6e"};
  return request;
}

}  // namespace

TEST_CASE("slices that are taken away one by one end a job as often as all of them together", "[plan]") {
  payment_terms terms;
  terms.start_up = 7_min;
  terms.besides_steps = 1_h;
  const run_at_risk job =
      at_risk({10_h, 9_h, 12_h}, provisioning::spot, slice_for("v6e-16"), 2, terms, believed_within(4_h, 1));
  CHECK(close(quantile(*job.lifetime, 0.5).value(), 7200));
  CHECK_FALSE(job.failures.has_value());
  CHECK(job.start_up == 7_min);
  CHECK(job.run.expected == 11_h);
  CHECK(job.run.high == 13_h);
  terms.interval_of_steps = true;
  terms.checkpoint_interval = 1_h;  // of steps, with its share of the hour besides
  const run_at_risk in_steps =
      at_risk({10_h, 9_h, 12_h}, provisioning::spot, slice_for("v6e-16"), 2, terms, believed_within(4_h, 1));
  CHECK(close(in_steps.checkpoint_interval.value(), 3600 * 1.1));
  CHECK(in_steps.interval_of_steps);
  terms.mean_time_between_failures = published_chip_time_between_failures / 32.0;
  const run_at_risk steady =
      at_risk({10_h, 9_h, 12_h}, provisioning::flex_start, slice_for("v6e-16"), 2, terms, believed_within(4_h, 1));
  CHECK_FALSE(steady.lifetime.has_value());
  CHECK(steady.longest_piece == flex_start_terms{}.limit);
  CHECK(quantile(*steady.failures, 0.9) > quantile(*steady.failures, 0.5));  // published for GPUs: not known exactly
}

TEST_CASE("terms that cannot be are refused before a run is played", "[plan]") {
  const auto refused = [](const payment_terms& terms, std::int64_t slices) {
    return refusal_of([&] {
             (void)at_risk({10_h, 9_h, 12_h}, provisioning::spot, slice_for("v6e-16"), slices, terms,
                           believed_within(4_h, 1));
           })
        .message;
  };
  payment_terms terms;
  CHECK(refused(terms, 2).empty());
  CHECK(says(refused(terms, 0), "slices is 0"));
  terms.mean_time_between_failures = seconds{-1};
  CHECK(says(refused(terms, 2), "payment_terms.mean_time_between_failures is -1"));
  terms = {}, terms.besides_steps = seconds{std::nan("")};
  CHECK(says(refused(terms, 2), "payment_terms.besides_steps is nan"));
  terms = {}, terms.spot.queue_time = seconds{-1};
  CHECK(says(refused(terms, 2), "spot_terms.queue_time is -1"));
}

TEST_CASE("a plan within its expected time has even odds, and says so", "[plan]") {
  plan_request request = llama_on_v6e();
  request.smallest_chips = request.largest_chips = 64;
  const plan found = make_plan(request).plans.front();
  CHECK_FALSE(chances_of(found, chosen_cost(found), request));  // no limit, no chance
  request.deadline = chosen_cost(found).wall;
  const double even = chances_of(found, chosen_cost(found), request)->in_time;
  CHECK(even > 0.42);
  CHECK(even < 0.6);
  request.deadline = chosen_cost(found).wall_high;
  CHECK(chances_of(found, chosen_cost(found), request)->in_time == Approx(0.95).margin(0.03));
  request.budget = chosen_cost(found).low;
  const run_chances both = *chances_of(found, chosen_cost(found), request);
  CHECK(both.in_budget == Approx(0.05).margin(0.04));
  CHECK(both.of_both <= both.in_budget);
}

TEST_CASE("chances alone are those of the whole outlook", "[plan]") {
  const run_at_risk job{{10_days, 8_days, 12_days}, 1, 10_min, 10_min, 20_s, 1_h, 18_min, false,
                        believed_within(4_h, 16)};
  const risk_prices prices{100_usd_per_h, provisioning::spot, 0, {}};
  for (const bool with_budget : {false, true}) {
    risk_limits limits;
    limits.deadline = 13_days;
    if (with_budget) limits.budget = 26000_usd;
    const run_outlook whole = outlook_of(job, prices, limits, {}, 300);
    const run_chances alone = chances_of(job, prices, limits, 300);
    CHECK(alone.in_time == whole.chance_in_time);
    CHECK(alone.of_both == whole.chance_of_both);
    if (with_budget) CHECK(alone.in_budget == whole.chance_in_budget);
  }
  risk_limits limits;
  limits.deadline = 12_days;
  CHECK(chances_of({{10_days, 8_days, 12_days}, 1, {}, {}, {}, 1_h}, prices, limits).in_time ==
        Approx(0.95).margin(0.001));
}

TEST_CASE("plans that are asked for with a chance have it, and one of even odds is left out", "[plan]") {
  plan_request request = llama_on_v6e();
  const plan_answer open = make_plan(request);
  const auto of_64 =
      std::find_if(open.plans.begin(), open.plans.end(), [](const plan& p) { return chips(p.where) == 64; });
  REQUIRE(of_64 != open.plans.end());
  request.deadline = chosen_cost(*of_64).wall * 1.01;
  const auto has_64 = [](const plan_answer& answer) {
    for (const plan& p : answer.plans) {
      if (chips(p.where) == 64) return true;
    }
    return false;
  };
  CHECK(has_64(make_plan(request)));
  request.chance = 0.9;
  const plan_answer sure = plan_or_relax(request).answer;
  REQUIRE_FALSE(sure.plans.empty());
  CHECK_FALSE(has_64(sure));
  for (const plan& p : sure.plans) CHECK(chosen_cost(p).chance.value() >= 0.9);
  bool said = false;
  for (const rejected_slice& one : sure.rejected) {
    if (one.why != rejection::too_unlikely || chips(one.where) != 64) continue;
    said = true;
    CHECK(one.amount > 0.25);  // of 90 %, as the chance is about even
    CHECK(one.amount < 0.5);
  }
  CHECK(said);
  CHECK(says(refusal_of([&] { (void)make_plan(request); }).message, "plan.chance"));
  request.smallest_chips = request.largest_chips = 64;
  const relaxed_answer none = plan_or_relax(request);
  CHECK(none.answer.plans.empty());
  std::size_t relaxed = 0;
  for (const relaxation& one : none.relaxations) {
    plan_request then = request;
    if (one.limit == plan_limit::chance) {
      CHECK(one.given == 0.9);
      CHECK(one.needed == Approx(0.5).margin(0.12));
      then.chance = one.needed;
    } else if (one.limit == plan_limit::deadline) {
      CHECK(one.given == request.deadline->value());
      CHECK(one.needed > one.given);
      CHECK(one.needed < 1.5 * one.given);
      then.deadline = seconds{one.needed * (1 - 1e-6)};
      CHECK(plan_or_relax(then).answer.plans.empty());  // less is not enough
      then.deadline = seconds{one.needed};
    } else {
      continue;
    }
    ++relaxed;
    CHECK_FALSE(plan_or_relax(then).answer.plans.empty());
  }
  CHECK(relaxed == 2);
  request.deadline = nothing;
  CHECK(says(refusal_of([&] { (void)plan_or_relax(request); }).message, "plan.deadline"));
}

TEST_CASE("a budget that is to be kept with a chance is relaxed to what the runs cost", "[plan]") {
  plan_request request = llama_on_v6e();
  request.smallest_chips = request.largest_chips = 64;
  const plan expected = make_plan(request).plans.front();
  request.deadline = chosen_cost(expected).wall * 3;
  request.budget = chosen_cost(expected).total;
  request.chance = 0.95;
  const relaxed_answer none = plan_or_relax(request);
  REQUIRE(none.answer.plans.empty());
  const auto budget = std::find_if(none.relaxations.begin(), none.relaxations.end(),
                                   [](const relaxation& one) { return one.limit == plan_limit::budget; });
  REQUIRE(budget != none.relaxations.end());
  CHECK(budget->needed > request.budget->value());
  request.budget = usd{budget->needed};
  const plan_answer kept = plan_or_relax(request).answer;
  REQUIRE_FALSE(kept.plans.empty());
  CHECK(chosen_cost(kept.plans.front()).chance.value() >= 0.95);
  request.chance = nothing;
  request.budget = usd{1};
  CHECK(plan_or_relax(request).answer.plans.empty());
}

TEST_CASE("no chance is offered that cannot be asked for", "[plan]") {
  plan_request request = llama_on_v6e();
  request.deadline = 1_h;
  request.chance = 0.9;
  for (const relaxation& one : plan_or_relax(request).relaxations) CHECK(one.limit != plan_limit::chance);
}

}  // namespace plan_chance_tests
