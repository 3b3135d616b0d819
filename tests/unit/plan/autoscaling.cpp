// What an autoscaler decides over a day: when slices come and go, and the fewest that a day takes.
#include <cstdint>
#include <tpuplan/plan/autoscaling.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_autoscaling_tests {

namespace {

/// Hours of 10, 40 and 10 requests a second; a decision is a minute.
traffic_day up_and_down() { return {{per_second{10}, per_second{40}, per_second{10}}, seconds{3600}}; }
const payment_mix following{0, provisioning::on_demand, provisioning::on_demand, true};

std::vector<double> serving(const scaling_rule& rule, const traffic_day& day) {
  return detail::follow(day, rule, {}, following, 4, per_second{10}).serving;
}

}  // namespace

TEST_CASE("slices serve after the delay of the metric and their start") {
  scaling_rule rule;
  rule.headroom = 0;
  rule.start_up = seconds{600};
  CHECK(serving(rule, up_and_down())[69] == 1);
  CHECK(serving(rule, up_and_down())[70] == 4);
  CHECK(serving(rule, up_and_down())[120] == 1);  // given back at once
  rule.delay = seconds{180};
  CHECK(serving(rule, up_and_down())[72] == 1);
  CHECK(serving(rule, up_and_down())[73] == 4);
  CHECK(serving(rule, up_and_down())[122] == 4);
  CHECK(serving(rule, up_and_down())[123] == 1);
}

TEST_CASE("slices are given back where no decision wanted them for so long") {
  scaling_rule rule;
  rule.headroom = 0;
  rule.down_after = seconds{300};
  CHECK(serving(rule, up_and_down())[124] == 4);
  CHECK(serving(rule, up_and_down())[125] == 1);
}

TEST_CASE("the first decision is remembered too") {
  const traffic_day day{{per_second{82}}, seconds{3600}};
  scaling_rule rule;
  rule.headroom = 0;
  rule.tolerance = 0.2;
  rule.down_after = seconds{300};
  detail::slices_wanted wanted{day, rule, following, 1, per_second{10}};
  CHECK(wanted.at(0, 10) == 10);  // 8.2 of 10 are within a fifth
  CHECK(wanted.at(1, 12) == 10);  // 8.2 of 12 are not, and 9 would do
  CHECK(wanted.at(2, 10) == 10);
}

TEST_CASE("within the tolerance nothing is done") {
  scaling_rule rule;
  rule.headroom = 0;
  const traffic_day day{{per_second{20}, per_second{21.5}, per_second{22.5}}, seconds{3600}};
  CHECK(serving(rule, day)[119] == 3);
  rule.tolerance = 0.1;
  CHECK(serving(rule, day)[119] == 2);
  CHECK(serving(rule, day)[179] == 3);
}

TEST_CASE("an autoscaler of Kubernetes") {
  scaling_rule rule;
  rule.floor = 2;
  const scaling_rule with = kubernetes_rule(rule);
  CHECK(with.tolerance == 0.1);
  CHECK(with.down_after == seconds{300});
  CHECK(with.floor == 2);
}

TEST_CASE("no fleet that follows takes fewer slice-hours than the ideal") {
  CHECK(ideal_slice_hours({{per_second{10}, per_second{25}}, seconds{3600}}, per_second{10}) == 4);
  CHECK(ideal_slice_hours(up_and_down(), per_second{10}) == 6);
  scaling_rule rule;
  for (const double headroom : {0.0, 0.25, 1.0}) {
    rule.headroom = headroom;
    const detail::slices_over_day slices =
        detail::follow(up_and_down(), kubernetes_rule(rule), {}, following, 4, per_second{10});
    double hours = 0;
    for (const double one : slices.paid) hours += one / 60;
    CHECK(hours >= 6);
  }
}

TEST_CASE("days and traces") {
  CHECK(requests_of({{per_second{10}}, seconds{3600}}) == 36000);
  const traffic_day day = day_of({{seconds{0}, 5, 5, 0}, {seconds{20}, 5, 5, 0}, {seconds{59}, 5, 5, 0}}, seconds{60});
  REQUIRE(day.rates.size() == 1);
  CHECK(close(day.rates[0].value(), 0.05));
  // The last request of a trace ends its last part: it began one more, which had a whole part's cost and no traffic.
  const std::vector<simulated_request> trace = {
      {seconds{0}, 5, 5, 0}, {seconds{50}, 5, 5, 0}, {seconds{7203.3}, 5, 5, 0}};
  CHECK(day_of(trace, seconds{7203.3} / 24.0).rates.size() == 24);
  CHECK(day_of(trace, seconds{7203.3}).rates.size() == 1);
  CHECK(day_of(trace, seconds{7000}).rates.size() == 2);
  CHECK(close((day_of(trace, seconds{7203.3} / 24.0).rates.back() * (seconds{7203.3} / 24.0)), 1));
  CHECK(day_of({{seconds{0}, 5, 5, 0}}, seconds{60}).rates.size() == 1);
}

TEST_CASE("rules that are none are refused by name") {
  scaling_rule rule;
  rule.tolerance = 2;
  CHECK(says(refusal_of([&] { detail::validate(rule); }).message, "scaling_rule.tolerance is 2"));
  rule = {};
  rule.delay = seconds{-1};
  CHECK(says(refusal_of([&] { detail::validate(rule); }).message, "scaling_rule.delay is -1"));
  rule = {};
  rule.down_after = seconds{1e6};
  CHECK(says(refusal_of([&] { detail::validate(rule); }).message, "scaling_rule.down_after is"));
  CHECK(refusal_of([] {
          static_cast<void>(ideal_slice_hours({{per_second{10}}, seconds{3600}}, per_second{0}));
        }).refused);
}

// A fleet of one slice on spot was said to keep every target, however often it is taken away.
TEST_CASE("what comes while all slices are lost waits for the first that is back") {
  scaling_rule rule;
  rule.start_up = seconds{600};
  const traffic_day day{{per_second{1}, per_second{1}}, seconds{3600}};
  const payment_mix spot{0, provisioning::spot, provisioning::spot, false};
  const detail::slices_over_day slices = detail::follow(day, rule, {seconds{1800}, 1}, spot, 1, per_second{10});
  REQUIRE(slices.preemptions > 0);
  std::size_t lost = 0;
  for (std::size_t i = 0; i < slices.serving.size(); ++i) {
    const detail::slices_from then = slices.for_arrivals(i);
    CHECK(then.serving == 1);
    if (slices.serving[i] > 0) {
      CHECK(then.decision == i);
    } else {
      ++lost;
      CHECK(then.decision > i);
      CHECK(then.decision <= i + 10);  // a replacement serves ten minutes later
    }
  }
  CHECK(lost >= 10);
  CHECK(lost <= 10 * static_cast<std::size_t>(slices.preemptions));
  const detail::slices_over_day always = detail::follow(day, rule, {seconds{1e12}, 1}, spot, 1, per_second{10});
  CHECK(always.preemptions == 0);
  CHECK(always.for_arrivals(7).decision == 7);
}

TEST_CASE("gaps that hardly vary are constant, and come to an end") {
  const traffic_day day = up_and_down();
  const auto arrivals = [&](double variation) {
    return detail::arrivals_over(day, variation, 1, [&](std::size_t i) { return detail::rate_at(day, i); }).size();
  };
  CHECK(arrivals(1e-155) == arrivals(0));
  CHECK(arrivals(1e-300) == arrivals(0));
}

}  // namespace plan_autoscaling_tests
