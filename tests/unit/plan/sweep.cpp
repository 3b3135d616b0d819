// Sweeps: trials in parallel on one quota.
#include <tpuplan/plan/sweep.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_sweep_tests {

namespace {

sweep_request halved() {
  sweep_request request;
  request.trials = 48;
  request.stopped = 0.5;
  request.stopped_after = 0.25;
  request.quota = 64;
  request.slices = {{slice_for("v5e-8"), 1_h}};
  return request;
}

}  // namespace

TEST_CASE("48 trials of an hour on v5e-8, half of them stopped after a quarter") {
  const std::vector<sweep_plan> plans = plan_sweep(halved());
  REQUIRE(plans.size() == 1);
  const sweep_plan& p = plans.front();
  CHECK(p.parallel == 8);
  CHECK(p.rounds == 6);
  CHECK(close(p.mean_trial.value(), 0.625 * 3600));
  CHECK(close(p.wall.value(), 3.75 * 3600));
  CHECK(close(p.total.value(), 288, 1e-9));
  CHECK(close(p.per_trial.value(), 6, 1e-9));
}

TEST_CASE("no more trials are at once than there are") {
  sweep_request request = halved();
  request.trials = 3;
  request.stopped = 0;
  const std::vector<sweep_plan> plans = plan_sweep(request);
  REQUIRE(plans.size() == 1);
  CHECK(plans.front().parallel == 3);
  CHECK(plans.front().rounds == 1);
}

TEST_CASE("more trials at once take less time and cost the same") {
  sweep_request request = halved();
  request.parallel = 4;
  const sweep_plan four = plan_sweep(request).front();
  request.parallel.reset();
  const sweep_plan all = plan_sweep(request).front();
  CHECK(all.wall < four.wall);
  CHECK(close(all.total.value(), four.total.value()));
  request.quota = 8 * 48;
  CHECK(plan_sweep(request).front().wall == 1_h);  // the longest trial
}

TEST_CASE("the cheapest slice and way of paying come first; limits leave out what passes them") {
  sweep_request request = halved();
  request.slices.push_back({slice_for("v5e-4"), 1.9_h});
  request.kinds = {provisioning::on_demand, provisioning::spot};
  const std::vector<sweep_plan> plans = plan_sweep(request);
  REQUIRE(plans.size() == 4);
  CHECK(plans.front().kind == provisioning::spot);
  // Of each trial that runs whole, and of each that is stopped, what pay_for expects.
  const sweep_plan& on_spot = plans.front();
  const price_row price = *find_price(request.prices, on_spot.trial.where, request.region, provisioning::spot);
  const auto preemptions_of = [&](seconds run) {
    return pay_for(on_spot.trial.where, 1, run, price, request.terms).preemptions;
  };
  CHECK(close(on_spot.preemptions,
              24 * preemptions_of(on_spot.trial.whole) + 24 * preemptions_of(on_spot.trial.whole / 4)));
  for (std::size_t i = 1; i < plans.size(); ++i) CHECK(plans[i - 1].total <= plans[i].total);
  request.deadline = 1_s;
  CHECK(plan_sweep(request).empty());
  request.deadline.reset();
  request.quota = 2;
  CHECK(plan_sweep(request).empty());
}

TEST_CASE("a sweep that cannot be is refused by its field") {
  const auto refused = [](const sweep_request& request) {
    return refusal_of([&] { (void)plan_sweep(request); }).message;
  };
  sweep_request request = halved();
  request.trials = 0;
  CHECK(says(refused(request), "sweep_request.trials"));
  request = halved();
  request.stopped = 1.5;
  CHECK(says(refused(request), "sweep_request.stopped"));
  request = halved();
  request.stopped_after = 1.5;
  CHECK(says(refused(request), "sweep_request.stopped_after is 1.5"));
  request = halved();
  request.slices.clear();
  CHECK(says(refused(request), "sweep_request.slices"));
}

TEST_CASE("of sweeps that cost the same the faster comes first") {
  sweep_request request = halved();
  request.slices.push_back(request.slices.front());
  request.slices.front().where = slice_for("v5e-4");  // half the chips for twice the time
  request.slices.front().whole = 2 * request.slices.back().whole;
  request.parallel = 4;
  const std::vector<sweep_plan> plans = plan_sweep(request);
  REQUIRE(plans.size() == 2);
  REQUIRE(plans[0].total == plans[1].total);
  CHECK(plans[0].wall < plans[1].wall);
}

}  // namespace plan_sweep_tests
