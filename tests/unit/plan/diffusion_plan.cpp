// Plans of training a denoiser: layouts that fit, more work for no less, and what lost.
#include <tpuplan/plan/diffusion_plan.hpp>

#include "support/catch.hpp"
#include "support/pipelines.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_diffusion_plan_tests {

diffusion_request small_request(double epochs = 2) {
  diffusion_request request;
  request.sizes = {work_of(small_pipeline(), {256, 256, 9})};
  request.job.global_batch = 16;
  request.data = {16000, epochs, remainder::drop};
  request.generations = {"v6e", "v5p"};
  request.largest_chips = 16;
  return request;
}

TEST_CASE("each plan is the fastest layout that fits, and pays for its run") {
  const diffusion_request request = small_request();
  const diffusion_answer answer = plan_diffusion(request);
  REQUIRE(!answer.plans.empty());
  for (const diffusion_plan& one : answer.plans) {
    const maybe<laid_out_training> best = best_training(request.sizes, request.job, one.where);
    REQUIRE(best);
    CHECK(fits(one.memory) == verdict::yes);
    CHECK(best->step.total == one.step.total);
    CHECK(one.run == static_cast<double>(one.steps) * one.step.total);
    const payment_terms terms = payment_terms_of(request, one.where, 1, one.steps, one.step.total);
    CHECK(one.cost.total == pay_for(one.where, 1, one.run, one.cost.price, terms).total);
    CHECK(terms.spot.checkpoint_time == checkpoint_time(checkpoint_of(request), checkpoint_rate(one.where, 1)));
    CHECK(one.low <= one.cost.total);
    CHECK(one.cost.total <= one.high);
  }
}

TEST_CASE("twice the epochs take no fewer dollars, and the mean step lies between those of its sizes") {
  CHECK(plan_diffusion(small_request(4)).plans.front().cost.total >
        plan_diffusion(small_request(2)).plans.front().cost.total);
  const diffusion_request request = small_request();
  const generation_layout mesh = plan_diffusion(request).plans.front().mesh;
  const slice where = plan_diffusion(request).plans.front().where;
  const std::vector<generation_work> both = {request.sizes.front(), work_of(small_pipeline(), {512, 512, 9})};
  const diffusion_step mean = mean_step(both, request.job, mesh, where);
  const seconds small = step_time(both[0], request.job, mesh, where).total;
  const seconds large = step_time(both[1], request.job, mesh, where).total;
  CHECK(mean.total.value() == Approx((small + large).value() / 2));
  CHECK(largest_memory(both, request.job, mesh, where).total == memory_use(both[1], request.job, mesh, where).total);
}

TEST_CASE("what is not asked with sizes, examples and a batch is refused") {
  const auto refused = [](const diffusion_request& request) {
    return refusal_of([&] { (void)plan_diffusion(request); }).message;
  };
  CHECK(says(refused({}), "diffusion_request.sizes is none"));
  diffusion_request request = small_request();
  request.data = {};
  CHECK(says(refused(request), "examples"));
  request = small_request();
  request.job.global_batch = 0;
  CHECK(says(refused(request), "global_batch"));
}

}  // namespace plan_diffusion_plan_tests
