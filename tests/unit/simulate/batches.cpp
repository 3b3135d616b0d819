// Batches of images or clips under traffic: worked runs, closed forms, and what is refused.
#include <cmath>
#include <limits>
#include <tpuplan/simulate/batches.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace simulate_batches_tests {

namespace {

std::vector<simulated_request> at(std::initializer_list<double> times) {
  std::vector<simulated_request> all;
  for (const double one : times) all.push_back({seconds{one}, 1, 1, 0});
  return all;
}
std::vector<double> ends(const batch_run& run) {
  std::vector<double> all;
  for (const batched_item& one : run.items) all.push_back(one.end.value());
  return all;
}
std::vector<double> arrivals(const batch_run& run) {
  std::vector<double> all;
  for (const batched_item& one : run.items) all.push_back(one.arrival.value());
  return all;
}
using times = std::vector<double>;

std::vector<simulated_request> poisson(double rate, std::int64_t count, double variation = 1) {
  simulated_traffic traffic;
  traffic.rate = per_second{rate}, traffic.requests = count, traffic.variation = variation;
  traffic.prompt = traffic.output = same_length(1);
  return requests_of(traffic);
}

}  // namespace

TEST_CASE("a free slice makes what waits, up to a batch") {
  CHECK(ends(simulate_batches({1, 1, seconds{2}, {}}, at({0, 1, 2}))) == times{2, 4, 6});
  CHECK(ends(simulate_batches({1, 2, seconds{2}, {}}, at({0, 1, 2}))) == times{2, 4, 4});
  CHECK(ends(simulate_batches({2, 1, seconds{2}, {}}, at({0, 1, 2}))) == times{2, 3, 4});
  CHECK(ends(simulate_batches({1, 4, seconds{2}, {}}, at({0, 0, 0, 0, 0}))) == times{2, 2, 2, 2, 4});
}

TEST_CASE("a batch that does not fill begins after as long as is said") {
  const auto filled = [](double fill) {
    return ends(simulate_batches({1, 2, seconds{2}, seconds{fill}}, at({0, 3, 5})));
  };
  CHECK(filled(1) == times{3, 6, 8});
  CHECK(filled(10) == times{5, 5, 17});
  CHECK(filled(2) == times{4, 7, 7});
}

TEST_CASE("a client sends its next request when its item is there") {
  CHECK(arrivals(simulate_batches({1, 1, seconds{2}, {}}, closed_loop{1}, 3)) == times{0, 2, 4});
  CHECK(ends(simulate_batches({1, 2, seconds{2}, seconds{100}}, closed_loop{3}, 6)) == times{2, 2, 4, 4, 6, 6});
  const batch_run ramped = simulate_batches({1, 1, seconds{2}, {}}, {2, seconds{8}}, 4);
  CHECK(arrivals(ramped) == times{0, 2, 4, 4});
  CHECK(ends(ramped) == times{2, 4, 6, 8});
}

TEST_CASE("requests that come at random to one slice wait as Pollaczek and Khinchine say") {
  for (const double load : {0.3, 0.6, 0.8}) {
    const batch_service one{1, 1, seconds{2}, {}};
    const batch_report report = report_of(one, simulate_batches(one, poisson(load / 2, 200000)));
    CHECK(report.waiting.value.mean.value() == Approx(load / (1 - load)).epsilon(0.06));  // rho T / 2 (1 - rho)
    CHECK(report.busy == Approx(load).epsilon(0.02));
    CHECK(report.inside == Approx(report.arrivals * report.latency.value.mean).epsilon(1e-3));  // Little
  }
}

TEST_CASE("a report counts what is asked of it") {
  const batch_service two{2, 4, seconds{3}, seconds{1000}};
  const batch_report full = report_of(two, simulate_batches(two, poisson(1, 4000, 0)), {0.9, seconds{4.5}});
  CHECK(full.together == Approx(4));
  CHECK(full.latency.value.mean.value() == Approx(4.5));  // of four at a time the first waits 3 s
  CHECK(full.good_share == Approx(0.5).epsilon(0.01));
  CHECK_FALSE(full.meets_target);
  CHECK(full.made.value() == Approx(1).epsilon(0.01));
  CHECK(full.busy == Approx(3.0 / 8).epsilon(0.01));
  const batch_report over = report_of(two, simulate_batches(two, poisson(10, 4000)));
  CHECK(over.made.value() == Approx(8.0 / 3));
  CHECK(over.busy == Approx(1));
  const batch_report closed = report_of(two, simulate_batches(two, closed_loop{16, {}, 16}, 4000));
  CHECK(closed.latency.value.p50.value() == Approx(6));  // 16 in flight, of which 8 are made
  const batch_report lonely =
      report_of({1, 1, seconds{2}, {}}, simulate_batches({1, 1, seconds{2}, {}}, poisson(1e-6, 200)));
  CHECK(lonely.latency.value.p99.value() == Approx(2));
  CHECK(lonely.latency.value.p50.value() == Approx(2));
}

TEST_CASE("services, loops and requests that are none are refused by name") {
  const auto refused = [](const batch_service& service, std::vector<simulated_request> requests) {
    return refusal_of([&] { (void)simulate_batches(service, requests); }).message;
  };
  CHECK(says(refused({0, 1, seconds{1}, {}}, at({0})), "batch_service.servers"));
  CHECK(says(refused({1, 0, seconds{1}, {}}, at({0})), "batch_service.batch"));
  CHECK(says(refused({1, 1048577, seconds{1}, {}}, at({0})), "batch_service.batch is 1048577"));
  CHECK(says(refused({1, 1, seconds{0}, {}}, at({0})), "batch_service.batch_time"));
  CHECK(says(refused({1, 1, seconds{1}, seconds{-1}}, at({0})), "batch_service.fill"));
  CHECK(says(refused({1, 1, seconds{1}, {}}, at({1, 0})), "simulated_request.arrival"));
  const auto looped = [](const closed_loop& loop) {
    return refusal_of([&] { (void)simulate_batches({1, 1, seconds{1}, {}}, loop, 10); }).message;
  };
  CHECK(says(looped({11}), "closed_loop.clients"));
  CHECK(says(looped({4, {}, 2}), "closed_loop.warm_up"));
  const batch_run few = simulate_batches({1, 1, seconds{1}, {}}, at({0, 1}));
  CHECK(says(refusal_of([&] { (void)report_of({1, 1, seconds{1}, {}}, few); }).message, "100 or more"));
}

TEST_CASE("slices that come and go take from one queue") {
  batch_service one;
  one.batch_time = seconds{2};
  // A second slice from 3 s on: it begins at 3 s and ends at 5 s, when the first is in its third.
  CHECK(ends(simulate_batches(one, at({0, 0, 0, 0}), {{seconds{0}, 1}, {seconds{3}, 2}})) == times{2, 4, 5, 6});
  // Of two slices one goes at 1 s: both end what they have begun, and one of them makes the rest.
  CHECK(ends(simulate_batches(one, at({0, 0, 0, 0}), {{seconds{0}, 2}, {seconds{1}, 1}})) == times{2, 2, 4, 6});
  // Batches of two, which wait for each other.
  batch_service pairs = one;
  pairs.batch = 2, pairs.fill = seconds{1};
  CHECK(ends(simulate_batches(pairs, at({0, 0.5, 4}), {{seconds{0}, 1}})) == times{2.5, 2.5, 7});
  // From 1 s to 10 s there is none: what was begun ends, and the others wait.
  CHECK(ends(simulate_batches(one, at({0, 3, 4}), {{seconds{0}, 1}, {seconds{1}, 0}, {seconds{10}, 1}})) ==
        times{2, 12, 14});
  // As many all the time are those of the service.
  batch_service three = one;
  three.servers = 3, three.batch = 2;
  const std::vector<simulated_request> requests = poisson(2.5, 2000);
  CHECK(ends(simulate_batches(three, requests)) == ends(simulate_batches(three, requests, {{seconds{0}, 3}})));
  const auto refused = [&](const std::vector<batch_servers>& over_time) {
    return refusal_of([&] { (void)simulate_batches(one, at({0}), over_time); }).message;
  };
  CHECK(says(refused({}), "batch_servers.from"));
  CHECK(says(refused({{seconds{1}, 1}}), "batch_servers.from is 1; valid: 0 for the first"));
  CHECK(says(refused({{seconds{0}, 1}, {seconds{0}, 2}}), "later than the one before"));
  CHECK(says(refused({{seconds{0}, 0}}), "batch_servers.servers"));
  CHECK(says(refused({{seconds{0}, 1}, {seconds{1}, 0}}), "batch_servers.servers is 0"));
  CHECK(says(refused({{seconds{0}, -1}, {seconds{1}, 1}}), "batch_servers.servers is -1; valid: 0 to 1000000"));
  CHECK(says(refused({{seconds{0}, 1}, {seconds{std::nan("")}, 1}}), "batch_servers.from is nan"));
}

TEST_CASE("arrivals that are no times, and more requests than are simulated, are refused", "[door]") {
  batch_service one;
  one.batch_time = 2_s;
  for (const double value : {std::nan(""), -1.0, std::numeric_limits<double>::infinity()}) {
    for (const auto& all : {at({value}), at({0, value, 3})}) {
      CHECK(says(refusal_of([&] { (void)simulate_batches(one, all); }).message, "simulated_request.arrival is "));
      CHECK(says(refusal_of([&] {
                   (void)simulate_batches(one, all, {{seconds{0}, 1}});
                 }).message,
                 "simulated_request.arrival is "));
    }
  }
  CHECK(says(refusal_of([&] {
               (void)simulate_batches(one, closed_loop{1, {}, 0}, std::int64_t{1} << 60);
             }).message,
             "requests is 1152921504606846976; valid: 1 to 10000000"));
}

}  // namespace simulate_batches_tests
