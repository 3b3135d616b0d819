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

plan plan_at(const char* slice, std::int64_t tensor, double dollars, double low) {
  plan one;
  one.where = slice_for(slice);
  one.mesh.tensor = tensor;
  one.mesh.fsdp = devices(one.where) / tensor;
  plan_cost cost;
  cost.total = cost.high = usd{dollars};
  cost.low = usd{low};
  cost.wall = cost.wall_high = seconds{dollars};
  cost.wall_low = seconds{low};
  one.costs = {cost};
  return one;
}
std::vector<double> dollars_in_order(std::vector<plan> plans, objective best) {
  plan_request request;
  request.best = best;
  detail::rank_plans(plans, request);
  std::vector<double> dollars;
  for (const plan& one : plans) dollars.push_back(chosen_cost(one).total.value());
  return dollars;
}

}  // namespace

TEST_CASE("an untried layout is not first within the band of one that has been run", "[door]") {
  using list = std::vector<double>;
  const plan untried = plan_at("v6e-64", 32, 100, 80), near = plan_at("v6e-128", 2, 120, 90),
             far = plan_at("v5p-128", 8, 110, 105), other = plan_at("v6e-16", 16, 130, 95);
  for (const objective best : {objective::cheapest, objective::fastest}) {
    INFO(name(best));
    CHECK(dollars_in_order({other, near, untried}, best) == list{120, 100, 130});
    CHECK(dollars_in_order({far, untried}, best) == list{100, 110});             // the band of far ends above 100
    CHECK(dollars_in_order({far, untried, near}, best) == list{120, 100, 110});  // but that of near does not
    CHECK(dollars_in_order({near, other}, best) == list{120, 130});
    CHECK(dollars_in_order({untried}, best) == list{100});
  }
  const plan as_many = plan_at("v6e-64", 4, 120, 90);
  CHECK(dollars_in_order({near, untried}, objective::fewest_chips) == list{100, 120});  // twice the chips
  CHECK(dollars_in_order({as_many, untried}, objective::fewest_chips) == list{120, 100});
}

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
