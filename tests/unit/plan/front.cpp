// The front of time and dollars is over slices and ways of paying.

#include <cstddef>
#include <tpuplan/plan/front.hpp>
#include <tpuplan/plan/planner.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace plan_front_tests {

namespace {

plan_request llama_request() {
  plan_request request;
  request.model = llama_3_8b();
  request.job = job_of(1024, 4096);
  request.tokens = 1e11;
  return request;
}

}  // namespace

TEST_CASE("the front has every slice and way of paying that none beats, whatever plans are ranked by", "[door]") {
  for (const objective best : {objective::cheapest, objective::fastest, objective::fewest_chips}) {
    plan_request request = llama_request();
    request.deadline = nothing;
    request.kinds = {provisioning::on_demand, provisioning::spot};
    request.best = best;
    request.most_plans = 2;
    const plan_answer answer = make_plan(request);
    request.most_plans = 0;
    const plan_answer all = make_plan(request);
    struct point {
      seconds wall{};
      usd total{};
    };
    std::vector<point> points;
    for (const plan& p : all.plans) {
      for (const plan_cost& way : p.costs) {
        if (way.kind == provisioning::on_demand || way.kind == provisioning::spot)
          points.push_back({way.wall, way.total});
      }
    }
    std::size_t unbeaten = 0;
    for (const point& one : points) {
      bool beaten = false;
      for (const point& other : points)
        beaten = beaten || (other.wall <= one.wall && other.total <= one.total &&
                            (other.wall < one.wall || other.total < one.total));
      unbeaten += beaten ? 0U : 1U;
    }
    const std::vector<plan> front = front_plans(answer, request);
    INFO(name(best));
    CHECK(front.size() == unbeaten);
    std::size_t spot = 0;
    for (const plan& p : front) spot += chosen_cost(p).kind == provisioning::spot ? 1U : 0U;
    CHECK(spot > 0);
    CHECK(spot < front.size());
    for (const rejected_slice& lost : answer.rejected) {
      if (lost.why == rejection::dominated) CHECK_FALSE(lost.by.empty());
    }
  }
}

}  // namespace plan_front_tests
