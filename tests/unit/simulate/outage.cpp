// Replicas that are lost or restart while a fleet serves: as servers in turn that were written apart have it, what is
// conserved, and what is refused.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tpuplan/simulate/outage.hpp>
#include <tpuplan/simulate/routing.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_outage_tests {

namespace {

/// Prompts alone take a second: with single tokens of output, a server of one request a second.
struct a_second {
  seconds attention(std::int64_t, std::int64_t) const { return {}; }
  seconds step(const step_work&) const { return seconds{1}; }
};
/// A step takes what it computes.
struct made_up_times {
  seconds attention(std::int64_t, std::int64_t) const { return {}; }
  seconds step(const step_work& work) const {
    return seconds{0.01 + 1e-4 * static_cast<double>(work.prompt_tokens) + 1e-6 * static_cast<double>(work.context)};
  }
};

simulated_engine servers(std::int64_t replicas, std::int64_t running) {
  simulated_engine engine;
  engine.replicas = replicas;
  engine.max_running = running;
  engine.blocks = 4000;
  engine.block_tokens = 16;
  engine.step_tokens = 1024;
  return engine;
}
std::vector<session_request> requests_at(double rate, std::int64_t count, std::int64_t output) {
  simulated_traffic traffic;
  traffic.rate = per_second{rate};
  traffic.prompt = same_length(10);
  traffic.output = output == 1 ? same_length(1) : log_normal_lengths(static_cast<double>(output), 0.8, 600);
  traffic.requests = count;
  return requests_of(traffic, session_traffic{});
}
fleet_routing lost(double at, std::int64_t replicas, double start_up, bool in_turn = false) {
  fleet_routing routing;
  routing.outage = {seconds{at}, replicas, seconds{start_up}, in_turn};
  return routing;
}
double total_time(const simulation_run& run) {
  double inside = 0;
  for (const request_record& one : run.records) inside += (one.finished - one.arrival).value();
  return inside;
}

/// Servers of a second each, to which requests go in turn.
struct plain_servers {
  struct server {
    double free = 0;
    std::vector<std::pair<std::size_t, double>> ends{};  // of each request
  };
  std::vector<server> all;
  std::vector<std::size_t> up;
  std::size_t turn = 0;
  std::vector<std::size_t> held;

  explicit plain_servers(std::size_t count) : all(count) {
    for (std::size_t i = 0; i < count; ++i) up.push_back(i);
  }
  void send(std::size_t request, double time) {
    if (up.empty()) return held.push_back(request);
    server& to = all[up[turn++ % up.size()]];
    to.free = std::max(to.free, time) + 1;
    to.ends.emplace_back(request, to.free);
  }
  void add(double time) {
    up.push_back(all.size());
    all.emplace_back();
    for (const std::size_t request : std::exchange(held, {})) send(request, time);
  }
  std::size_t first_gone() {
    const std::size_t gone = up.front();
    up.erase(up.begin());
    return gone;
  }
  void lose(double time, std::int64_t count) {
    std::vector<std::size_t> again;
    for (std::int64_t i = 0; i < count; ++i) {
      server& gone = all[first_gone()];
      const auto from = std::find_if(gone.ends.begin(), gone.ends.end(), [&](auto& end) { return end.second > time; });
      for (auto end = from; end != gone.ends.end(); ++end) again.push_back(end->first);
      gone.ends.erase(from, gone.ends.end());
    }
    for (const std::size_t request : again) send(request, time);
  }
  [[nodiscard]] std::map<std::size_t, double> ends() const {
    std::map<std::size_t, double> by_request;
    for (const server& one : all) by_request.insert(one.ends.begin(), one.ends.end());
    return by_request;
  }
};

}  // namespace

TEST_CASE("servers that are lost, and come back, as those that were written apart") {
  for (const std::int64_t count : {1, 2, 4}) {
    CAPTURE(count);
    const std::vector<session_request> requests = requests_at(2.5, 2000, 1);
    const routed_run all = simulate_routed(servers(4, 1), requests, {}, lost(100.25, count, 60), a_second{});
    plain_servers plain{4};
    bool is_lost = false, is_back = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const double now = requests[i].sized.arrival.value();
      if (!is_lost && now >= 100.25) plain.lose(100.25, count), is_lost = true;
      if (!is_back && now >= 160.25) {
        for (std::int64_t k = 0; k < count; ++k) {
          // All of them come before what was held is sent.
          if (k + 1 < count) {
            plain.up.push_back(plain.all.size());
            plain.all.emplace_back();
          } else {
            plain.add(160.25);
          }
        }
        is_back = true;
      }
      plain.send(i, now);
    }
    const std::map<std::size_t, double> ends = plain.ends();
    REQUIRE(ends.size() == all.run.records.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      CAPTURE(i);
      CHECK(std::abs(all.run.records[i].finished.value() - ends.at(i)) < 1e-9);
      CHECK(all.run.records[i].arrival == requests[i].sized.arrival);
    }
    CHECK(all.restored == seconds{160.25});
    CHECK(all.interrupted >= count);
    CHECK(all.run.blocks_taken == all.run.blocks_returned);
    CHECK(std::abs(all.run.requests_over_time.value() / total_time(all.run) - 1) < 1e-9);
  }
}

// Eight clients of four servers of a second each: four requests end in a second, three while a server is gone, and one
// more begins again.
TEST_CASE("clients of servers that are lost have as many answers as the others give") {
  const std::vector<session_request> requests = requests_at(1, 1200, 1);
  fleet_routing routing = lost(100.25, 1, 60);
  routing.by = request_routing::queue;
  const routed_run all = simulate_routed(servers(4, 1), requests, {8, {}, 0}, routing, a_second{});
  REQUIRE(all.run.records.size() == 1200);
  const auto ended = [&](double from, double until) {
    return std::count_if(all.run.records.begin(), all.run.records.end(), [&](const request_record& one) {
      return one.finished.value() > from && one.finished.value() <= until;
    });
  };
  CHECK(ended(50.1, 90.1) == 160);
  CHECK(ended(110.1, 150.1) == 120);
  CHECK(ended(200.1, 240.1) == 160);
  CHECK(all.interrupted == 2);  // one that ran, and one that waited there
  // Never more than the clients at once.
  for (const double time : {50.3, 120.3, 200.3}) {
    const auto inside = std::count_if(all.run.records.begin(), all.run.records.end(), [&](const request_record& one) {
      return one.arrival.value() <= time && one.finished.value() > time;
    });
    CHECK(inside == 8);
  }
}

TEST_CASE("servers that restart in turn end what they have, and no request begins again") {
  const std::vector<session_request> requests = requests_at(2, 2000, 1);
  const routed_run all = simulate_routed(servers(4, 1), requests, {}, lost(100, 1, 30, true), a_second{});
  plain_servers plain{4};
  double next = 100, back = 0;  // when one goes, and when it is back; 0: none is out
  int restarted = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const double now = requests[i].sized.arrival.value();
    while (restarted < 4 && ((back == 0 && now >= next) || (back > 0 && now >= back))) {
      if (back == 0) {
        back = std::max(next, plain.all[plain.first_gone()].free) + 30;
      } else {
        plain.add(back);
        next = back, back = 0, ++restarted;
      }
    }
    plain.send(i, now);
  }
  REQUIRE(restarted == 4);
  const std::map<std::size_t, double> ends = plain.ends();
  for (std::size_t i = 0; i < requests.size(); ++i)
    CHECK(std::abs(all.run.records[i].finished.value() - ends.at(i)) < 1e-9);
  CHECK(all.interrupted == 0);
  CHECK(std::abs(all.restored.value() - next) < 1e-9);
  CHECK(all.served.size() == 8);
}

TEST_CASE("nothing is lost but the tokens of what begins again, whoever gets a request") {
  for (const request_routing by :
       {request_routing::round_robin, request_routing::random, request_routing::queue, request_routing::prefix}) {
    for (const bool in_turn : {false, true}) {
      CAPTURE(name(by), in_turn);
      simulated_traffic traffic;
      traffic.rate = per_second{12};
      traffic.prompt = log_normal_lengths(200, 0.8, 3000);
      traffic.output = log_normal_lengths(60, 0.8, 600);
      traffic.requests = 3000;
      session_traffic sessions;
      sessions.turns = 6, sessions.think = seconds{5}, sessions.shared_prefix = 640, sessions.groups = 3;
      fleet_routing routing = lost(60, 2, 20, in_turn);
      routing.by = by, routing.shared_prefix = 640, routing.groups = 3;
      const std::vector<session_request> requests = requests_of(traffic, sessions);
      simulated_engine engine = servers(4, 32);
      engine.blocks = 700;
      const routed_run all = simulate_routed(engine, requests, {}, routing, made_up_times{});
      CHECK(all.run.blocks_taken == all.run.blocks_returned);
      std::int64_t served = 0, tokens = 0;
      for (const std::int64_t one : all.served) served += one;
      for (const session_request& one : requests) tokens += one.sized.output;
      CHECK(served == 3000);
      CHECK(all.served.size() == (in_turn ? 8 : 6));
      CHECK((in_turn ? all.run.output_tokens == tokens : all.run.output_tokens > tokens));
      CHECK(in_turn == (all.interrupted == 0));
      CHECK(std::abs(all.run.requests_over_time.value() / total_time(all.run) - 1) < 1e-9);
      for (const request_record& one : all.run.records) CHECK(one.first_token > one.arrival);
    }
  }
}

TEST_CASE("what requests saw: as before where the rest has room, and a queue that drains at the rate that is over") {
  // 2 of 4 servers serve 2 a second while 2.5 come: after 200 s 100 wait, and 4 serve 1.5 more than come.
  const std::vector<session_request> requests = requests_at(2.5, 4000, 1);
  const routed_run all = simulate_routed(servers(4, 1), requests, {}, lost(400, 2, 200), a_second{});
  latency_targets targets;
  targets.first_token = {0.9, seconds{8}};
  const outage_report seen = outage_of(all.run, lost(400, 2, 200).outage, all.restored, all.interrupted, targets);
  CHECK(seen.replicas == 2);
  CHECK(seen.before.requests + seen.during.requests + seen.after.requests > 3400);
  CHECK_FALSE(seen.in_turn);
  CHECK(seen.waiting < 5);
  CHECK(seen.most > 70);
  CHECK(seen.most < 160);
  REQUIRE(seen.drained);
  CHECK(*seen.drained > seconds{600 + 0.5 * static_cast<double>(seen.most) / 1.5});
  CHECK(*seen.drained < seconds{600 + 1.8 * static_cast<double>(seen.most) / 1.5});
  CHECK(seen.before.first_token.value.p99 < seconds{6});
  CHECK(seen.during.first_token.value.p99 > seconds{25});
  CHECK(seen.after.first_token.value.p99 < seconds{6});
  CHECK(seen.missed_before == 0);
  CHECK(seen.missed > seconds{100});
  CHECK(seen.missed < *seen.drained - seconds{400});
  // With room for all, a second each.
  const routed_run roomy =
      simulate_routed(servers(4, 1000), requests_at(2.5, 4000, 1), {}, lost(400, 1, 200), a_second{});
  const outage_report same = outage_of(roomy.run, lost(400, 1, 200).outage, roomy.restored, roomy.interrupted);
  CHECK(same.during.first_token.value.p50 < seconds{2});
  CHECK(same.missed == seconds{0});
}

TEST_CASE("outages that cannot be are refused by name") {
  CHECK(parse_lost_part("zone") == lost_part::zone);
  CHECK_FALSE(parse_lost_part("region"));
  CHECK(name(lost_part::rollout) == "rollout");
  const std::vector<session_request> requests = requests_at(2, 1000, 1);
  const auto refused = [&](const fleet_routing& routing) {
    return refusal_of([&] { static_cast<void>(simulate_routed(servers(4, 1), requests, {}, routing, a_second{})); })
        .message;
  };
  CHECK(says(refused(lost(10, 5, 1)), "replica_outage.replicas is 5; valid: 0 to the replicas of the fleet"));
  CHECK(says(refused(lost(-1, 1, 1)), "replica_outage.at is -1"));
  CHECK(says(refused(lost(10, 1, -1)), "replica_outage.start_up is -1"));
  const auto reported = [&](double at, double start_up) {
    return refusal_of([&] {
             const routed_run all = simulate_routed(servers(4, 1), requests, {}, lost(at, 1, start_up), a_second{});
             static_cast<void>(outage_of(all.run, lost(at, 1, start_up).outage, all.restored, all.interrupted));
           })
        .message;
  };
  CHECK(says(reported(200, 1000), "a time so early that all are back before the last request comes"));
  CHECK(says(reported(20, 100), "a time with 100 requests or more in its second half"));
}

}  // namespace unit_outage_tests
