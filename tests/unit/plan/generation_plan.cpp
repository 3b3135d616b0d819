// Which slices make so many images or clips an hour.
#include <tpuplan/plan/generation_plan.hpp>

#include "support/catch.hpp"
#include "support/pipelines.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_generation_plan_tests {

generation_request small_request(double items) {
  generation_request request;
  request.work = work_of(small_pipeline(), {1024, 1024, 9});
  request.job = {0, 20, 2};
  request.items_per_hour = items;
  request.generations = {"v6e", "v5e"};
  request.largest_slice = 8;
  request.most_plans = 100;
  return request;
}

TEST_CASE("waiting is that of a queue with constant service") {
  CHECK(generation_wait(0.05, 1, 1, seconds{10}).value() == Approx(5));
  CHECK(says(refusal_of([] { (void)generation_wait(0.05, 1, 1, seconds{-1}); }).message, "batch_time is -1"));
  // A batch of two also waits until it is full; batches come more evenly.
  CHECK(generation_wait(0.05, 2, 1, seconds{20}).value() == Approx(15));
  CHECK(generation_wait(0.05, 1, 2, seconds{10}) < generation_wait(0.05, 1, 1, seconds{10}));
  CHECK(refusal_of([] { (void)generation_wait(0.2, 1, 1, seconds{10}); }).code == errc::infeasible);
}

TEST_CASE("plans keep up, the cheapest first, and every other slice has a reason") {
  const generation_request request = small_request(2000);
  const generation_plan_answer answer = plan_generation(request);
  REQUIRE_FALSE(answer.plans.empty());
  CHECK(answer.plans.front().on_front);
  for (std::size_t i = 0; i < answer.plans.size(); ++i) {
    const generation_plan& one = answer.plans[i];
    CHECK(one.busy > 0);
    CHECK(one.busy < 1);
    CHECK(one.latency == one.waiting + one.made.time.total);
    if (i > 0) CHECK(answer.plans[i - 1].rate <= one.rate);
  }
  std::size_t considered = 0;
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice where = slice_at(i);
    if ((where.chip.name == "v6e" || where.chip.name == "v5e") && is_default(where) && chips(where) <= 8) ++considered;
  }
  CHECK(answer.plans.size() + answer.rejected.size() == considered);
}

TEST_CASE("of plans at one price that with fewer chips comes first, and of one size the quicker") {
  generation_plan few, many;
  few.where = slice_for("v6e-4"), many.where = slice_for("v6e-8");
  few.rate = many.rate = usd_per_second{1};
  few.latency = 20_s, many.latency = 10_s;
  few.slices = many.slices = 1;
  CHECK(detail::is_before(few, many, objective::cheapest));
  CHECK_FALSE(detail::is_before(many, few, objective::cheapest));
  CHECK(detail::is_before(many, few, objective::fastest));
  few.slices = 2;
  CHECK(detail::is_before(many, few, objective::cheapest));
  CHECK_FALSE(detail::is_before(few, many, objective::cheapest));
}

TEST_CASE("twice the rate takes no fewer dollars, and a latency no fewer either") {
  const generation_plan_answer once = plan_generation(small_request(2000)),
                               twice = plan_generation(small_request(4000));
  CHECK(once.plans.front().rate <= twice.plans.front().rate);
  generation_request hurried = small_request(2000);
  hurried.latency = 0.9 * once.plans.front().latency;
  const generation_plan_answer soon = plan_generation(hurried);
  if (!soon.plans.empty()) {
    CHECK(soon.plans.front().rate >= once.plans.front().rate);
    for (const generation_plan& one : soon.plans) CHECK(one.latency <= *hurried.latency);
  }
  hurried.latency = seconds{1e-6};
  const generation_plan_answer never = plan_generation(hurried);
  CHECK(never.plans.empty());
  for (const rejected_server& lost : never.rejected) CHECK(lost.why == serving_rejection::misses_target);
}

TEST_CASE("a batch that is given is taken, and a budget is kept") {
  generation_request request = small_request(2000);
  request.job.batch = 4;
  for (const generation_plan& one : plan_generation(request).plans) CHECK(one.batch == 4);
  request.job.batch = 1;
  for (const generation_plan& one : plan_generation(request).plans) CHECK(one.batch == 1);
  request.job.batch = 4;
  const usd_per_second best = plan_generation(request).plans.front().rate;
  request.budget = 0.9 * best;
  const generation_plan_answer poor = plan_generation(request);
  CHECK(poor.plans.empty());
  CHECK(poor.rejected.front().why == serving_rejection::over_budget);
  request.items_per_hour = 0;
  CHECK(says(refusal_of([&] { (void)plan_generation(request); }).message, "items_per_hour"));
}

TEST_CASE("the fastest plan takes the slices that shorten the wait, and no limit makes it faster") {
  generation_request request = small_request(20000);
  request.best = objective::fastest;
  request.largest_chips = 256;
  const generation_plan_answer all = plan_generation(request);
  REQUIRE_FALSE(all.plans.empty());
  for (const std::int64_t least : {64, 128, 256}) {
    generation_request more = request;
    more.smallest_chips = least;
    const generation_plan_answer some = plan_generation(more);
    if (!some.plans.empty()) CHECK(all.plans.front().latency <= some.plans.front().latency * (1 + 1e-9));
  }
  request.budget = all.plans.front().rate * 0.5;
  const generation_plan_answer poor = plan_generation(request);
  for (const generation_plan& one : poor.plans) CHECK(one.rate <= *request.budget);
}

TEST_CASE("a batch that does not divide takes no longer than the next one that does") {
  generation_job job{7, 20, 2};
  const generation_work work = work_of(small_pipeline(), {1024, 1024, 9});
  const slice where = slice_for("v6e-8");
  const seconds seven = best_generation(work, job, where)->time.total;
  job.batch = 8;
  CHECK(seven <= best_generation(work, job, where)->time.total * (1 + 1e-9));
}

}  // namespace plan_generation_plan_tests
