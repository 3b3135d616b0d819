// Sweeps: trials in parallel on one quota.
#include <cmath>
#include <tpuplan/plan/sweep.hpp>

#include <algorithm>
#include <vector>

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
  CHECK(close(in_hours(p.wall), 4.24, 5e-3));
  CHECK(close(in_hours(p.wall_high), 4.5, 1e-9));
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

TEST_CASE("a sweep takes the mean over all orders of its trials") {
  struct sizes {
    std::size_t whole, stopped, places;
  };
  for (const sizes& one : {sizes{1, 2, 2}, sizes{4, 4, 3}, sizes{5, 7, 4}, sizes{10, 3, 4}}) {
    std::vector<int> order(one.stopped, 0);  // in all orders, each as likely
    order.insert(order.end(), one.whole, 1);
    std::vector<double> ends;
    do {
      std::vector<double> places(one.places);
      for (const int is_whole : order) *std::min_element(places.begin(), places.end()) += is_whole ? 1 : 0.3;
      ends.push_back(*std::max_element(places.begin(), places.end()));
    } while (std::next_permutation(order.begin(), order.end()));
    double mean = 0;
    for (const double end : ends) mean += end / static_cast<double>(ends.size());
    std::sort(ends.begin(), ends.end());

    sweep_request request = halved();
    request.trials = static_cast<std::int64_t>(order.size());
    request.stopped = static_cast<double>(one.stopped) / static_cast<double>(order.size());
    request.stopped_after = 0.3;
    request.parallel = static_cast<std::int64_t>(one.places);
    const sweep_plan p = plan_sweep(request).front();
    INFO(one.whole << " whole and " << one.stopped << " stopped trials on " << one.places << " slices");
    CHECK(close(in_hours(p.wall), mean, 0.01));
    CHECK(in_hours(p.wall) >= ends.front());
    CHECK(close(in_hours(p.wall_high), ends[(ends.size() * 19 + 19) / 20 - 1], 0.02));
    request.deadline = p.wall;
    CHECK(plan_sweep(request).empty());
    request.deadline = p.wall_high;
    CHECK(plan_sweep(request).size() == 1);
  }
}

TEST_CASE("sweeps of very many trials end as those whose orders are played") {
  const auto at = [](std::int64_t trials, std::int64_t parallel) {
    sweep_request request = halved();
    request.trials = trials, request.parallel = parallel, request.quota = 1 << 20;
    return in_hours(plan_sweep(request).front().wall);
  };
  const double evenly = 0.625;  // hours of a trial in the mean
  CHECK(close(at(8000, 8) - 1000 * evenly, at(800, 8) - 100 * evenly, 0.1));
  CHECK(close(at(8000, 1000), at(800, 100), 0.01));
  CHECK(at(1000000000, 100000) > 10000 * evenly);
  for (std::int64_t parallel = 2; parallel < 900; parallel *= 2) CHECK(at(900, parallel) >= at(900, 2 * parallel));
}

TEST_CASE("whole trials are stopped") {
  sweep_request request = halved();
  request.trials = 1;
  CHECK(plan_sweep(request).front().wall == 1_h);
  CHECK(close(plan_sweep(request).front().total.value(), 9.6, 1e-9));
  request.trials = 7;  // of which 3 are stopped
  CHECK(close(plan_sweep(request).front().total.value(), 9.6 * 4.75, 1e-9));
  request.stopped = 1;
  CHECK(plan_sweep(request).front().wall == 15_min);
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

TEST_CASE("trials one after the other share the days and the term of their places") {
  sweep_request request = halved();
  request.stopped = 0;
  request.slices = {{slice_for("v6e-8"), 1_h}};
  request.kinds = {provisioning::on_demand, provisioning::calendar, provisioning::commitment_1y};
  const std::vector<sweep_plan> plans = plan_sweep(request);
  REQUIRE(plans.size() == 3);
  for (const sweep_plan& one : plans) {
    INFO(name(one.kind));
    CHECK(one.parallel == 8);
    CHECK(one.wall == 6_h);
    CHECK(close(one.total.value(), pay_for(one.trial.where, 8, one.wall, one.price).total.value()));
    CHECK(close(one.per_trial.value(), one.total.value() / 48));
  }
  // A calendar window ends after 90 days, however many trials it would hold.
  request.kinds = {provisioning::calendar};
  request.parallel = 1;
  CHECK(plan_sweep(request).size() == 1);
  request.trials = 24 * 91;
  CHECK(plan_sweep(request).empty());
}

TEST_CASE("a slice without chips and a deadline that is no time are refused") {
  sweep_request request = halved();
  request.slices = {{slice{}, 1_h}};
  CHECK(says(refusal_of([&] { (void)plan_sweep(request); }).message, "sweep_request.slices: chips is 0"));
  request = halved();
  request.deadline = seconds{std::nan("")};
  CHECK(says(refusal_of([&] { (void)plan_sweep(request); }).message, "sweep_request.deadline is nan"));
}

}  // namespace plan_sweep_tests
