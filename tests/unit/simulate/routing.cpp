// Fleets behind a router: as without one where it sends in turn, queueing theory, what prefixes are found, and what is
// refused.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/routing.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_routing_tests {

namespace {

/// A step takes what it computes.
struct made_up_times {
  seconds attention(std::int64_t, std::int64_t) const { return {}; }
  seconds step(const step_work& work) const {
    return seconds{0.01 + 1e-4 * static_cast<double>(work.prompt_tokens) + 1e-6 * static_cast<double>(work.context)};
  }
};
/// Prompts alone take a second, whatever they hold: with single tokens of output, a server of one request a second.
struct a_second {
  seconds attention(std::int64_t, std::int64_t) const { return {}; }
  seconds step(const step_work&) const { return seconds{1}; }
};

simulated_engine some_engine(std::int64_t replicas, std::int64_t blocks = 4000) {
  simulated_engine engine;
  engine.replicas = replicas;
  engine.max_running = 32;
  engine.blocks = blocks;
  engine.block_tokens = 16;
  engine.step_tokens = 1024;
  return engine;
}
simulated_traffic some_traffic(double rate, std::int64_t requests) {
  simulated_traffic traffic;
  traffic.rate = per_second{rate};
  traffic.prompt = log_normal_lengths(200, 0.8, 3000);
  traffic.output = log_normal_lengths(60, 0.8, 600);
  traffic.requests = requests;
  return traffic;
}
session_traffic conversations() {
  session_traffic sessions;
  sessions.turns = 6;
  sessions.think = seconds{5};
  sessions.shared_prefix = 640;
  sessions.groups = 3;
  return sessions;
}
simulated_traffic equal_traffic(double rate, std::int64_t requests) {
  simulated_traffic traffic = some_traffic(rate, requests);
  traffic.prompt = same_length(200);
  traffic.output = same_length(60);
  return traffic;
}
fleet_routing routed(request_routing by) { return {by, 640, 3, 0, {}, 1}; }

bool same(const request_record& a, const request_record& b) {
  return a.arrival == b.arrival && a.admitted == b.admitted && a.first_token == b.first_token &&
         a.finished == b.finished && a.delay == b.delay && a.preemptions == b.preemptions && a.ahead == b.ahead &&
         a.prompt == b.prompt && a.output == b.output;
}

}  // namespace

TEST_CASE("behind a router in turn single requests have the records of simulate") {
  for (const std::int64_t blocks : {220, 4000}) {
    const simulated_engine engine = some_engine(3, blocks);
    const simulated_traffic traffic = some_traffic(9, 900);
    const simulation_run plain = simulate(engine, requests_of(traffic), made_up_times{});
    const routed_run all = simulate_routed(engine, requests_of(traffic, session_traffic{}), {}, {}, made_up_times{});
    REQUIRE(all.run.records.size() == plain.records.size());
    CHECK((blocks > 1000 || plain.preemptions > 0));
    CHECK(std::equal(plain.records.begin(), plain.records.end(), all.run.records.begin(), same));
    CHECK(all.run.steps == plain.steps);
    CHECK(close(all.run.counted_tokens, plain.counted_tokens, 1e-9));
    CHECK(close(all.run.running, plain.running, 1e-9));
    CHECK(close(all.run.cache, plain.cache, 1e-9));
    CHECK(close(all.run.over_time[20].cache, plain.over_time[20].cache, 1e-9));
    CHECK(all.run.inter_token.value.p99 == plain.inter_token.value.p99);
    CHECK(all.served == std::vector<std::int64_t>{300, 300, 300});
  }
}

TEST_CASE("clients of one replica have the records of simulate_closed_loop") {
  const simulated_traffic traffic = some_traffic(1, 400);
  const closed_loop loop{16, {}, 32};
  const simulation_run plain = simulate_closed_loop(loop, some_engine(1), requests_of(traffic), made_up_times{});
  const routed_run all =
      simulate_routed(some_engine(1), requests_of(traffic, session_traffic{}), loop, {}, made_up_times{});
  CHECK(all.run.warm_until == plain.warm_until);
  CHECK(all.run.counted_until == plain.counted_until);
  CHECK(close(all.run.counted_tokens, plain.counted_tokens, 1e-9));
  double sum = 0, other = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    sum += plain.records[i].finished.value();
    other += all.run.records[i].finished.value();
  }
  CHECK(close(sum, other, 1e-9));
}

TEST_CASE("nothing is lost, and Little's law, whoever gets a request") {
  for (const request_routing by :
       {request_routing::round_robin, request_routing::random, request_routing::queue, request_routing::prefix}) {
    CAPTURE(name(by));
    const std::vector<session_request> requests = requests_of(some_traffic(12, 3000), conversations());
    const routed_run all = simulate_routed(some_engine(4, 700), requests, {}, routed(by), made_up_times{});
    CHECK(all.run.blocks_taken == all.run.blocks_returned);
    std::int64_t served = 0, tokens = 0;
    for (const std::int64_t one : all.served) served += one;
    for (const session_request& one : requests) tokens += one.sized.output;
    CHECK(served == 3000);
    CHECK(all.run.output_tokens == tokens);
    double inside = 0;
    for (const request_record& one : all.run.records) inside += (one.finished - one.arrival).value();
    CHECK(close(all.run.requests_over_time.value(), inside, 1e-9));
    CHECK(std::is_sorted(all.run.records.begin(), all.run.records.end(),
                         [](const request_record& a, const request_record& b) { return a.arrival < b.arrival; }));
    CHECK(all.prefixes.on_chips <= all.prefixes.repeated);
  }
}

TEST_CASE("a turn comes when its client has the answer and has thought") {
  session_traffic sessions;
  sessions.turns = 3;
  sessions.think = seconds{5};
  const std::vector<session_request> requests = requests_of(some_traffic(0.01, 3), sessions);
  const routed_run all =
      simulate_routed(some_engine(2), requests, {}, {request_routing::queue, 0, 1, 0, {}, 1}, made_up_times{});
  const std::vector<request_record>& records = all.run.records;
  for (std::size_t i = 1; i < 3; ++i)
    CHECK(close(records[i].arrival.value(),
                (records[i - 1].finished + records[i - 1].delay + requests[i].think).value(), 1e-12));
}

// Random routing splits a Poisson process into independent ones, each with the mean wait of Pollaczek and Khinchine:
// rate x mean square of a service / (2 (1 - rho)). In turn an arrival is the fourth of the stream (Erlang) and waits
// less; the shortest queue waits least where services differ, and as in turn where all are the same.
TEST_CASE("queueing theory: M/G/1 at random; in turn less; the shortest queue least") {
  constexpr double rho = 0.75;
  simulated_engine engine = some_engine(4);
  engine.max_running = 1;
  for (const bool all_the_same : {true, false}) {
    simulated_traffic traffic = some_traffic(1, 60000);
    traffic.prompt = same_length(10);
    traffic.output = all_the_same ? same_length(3) : log_normal_lengths(2, 0.8, 40);
    double mean = 0, square = 0;  // a service takes a second for each token
    for (const simulated_request& one : requests_of(traffic)) {
      mean += static_cast<double>(one.output) / 60000;
      square += static_cast<double>(one.output * one.output) / 60000;
    }
    traffic.rate = per_second{4 * rho / mean};
    const auto waits = [&](request_routing by) {
      const routed_run all =
          simulate_routed(engine, requests_of(traffic, session_traffic{}), {}, {by, 0, 1, 0, {}, 1}, a_second{});
      return report_of(all.run).first_token.value.mean.value() - 1;
    };
    const double random = waits(request_routing::random), turn = waits(request_routing::round_robin),
                 queue = waits(request_routing::queue);
    CHECK(close(random, rho * square / mean / (2 * (1 - rho)), 0.08));
    CHECK(turn < 0.8 * random);
    CHECK((all_the_same ? close(queue, turn, 1e-9) : queue < 0.8 * turn));
  }
}

TEST_CASE("routing by prefix finds nearly all that came before, others what chance sends back") {
  const std::vector<session_request> requests = requests_of(equal_traffic(6, 4000), conversations());
  const auto shares = [&](request_routing by, std::int64_t blocks) {
    return simulate_routed(some_engine(8, blocks), requests, {}, routed(by), made_up_times{}).prefixes;
  };
  const prefix_shares best = shares(request_routing::prefix, 40000), any = shares(request_routing::random, 40000);
  CHECK(best.on_chips > 0.97 * best.repeated);
  CHECK(best.on_chips > any.on_chips);
  CHECK(close(best.repeated, any.repeated, 0.02));
  // Little room: less is found.
  CHECK(shares(request_routing::prefix, 300).on_chips < 0.9 * best.on_chips);
}

TEST_CASE("the hosts keep what the chips have no room for") {
  const std::vector<session_request> requests = requests_of(equal_traffic(6, 3000), conversations());
  fleet_routing routing = routed(request_routing::prefix);
  const routed_run without = simulate_routed(some_engine(4, 300), requests, {}, routing, made_up_times{});
  routing.host_blocks = 100000;
  const routed_run with = simulate_routed(some_engine(4, 300), requests, {}, routing, made_up_times{});
  CHECK(without.prefixes.on_hosts == 0);
  CHECK(with.prefixes.on_hosts > 0.05);
  CHECK(with.prefixes.on_hosts + with.prefixes.on_chips > 0.85 * with.prefixes.repeated);
  CHECK(with.run.prompt_tokens < without.run.prompt_tokens);
  routing.block_load = seconds{1};
  const routed_run slow = simulate_routed(some_engine(4, 300), requests, {}, routing, made_up_times{});
  CHECK(report_of(slow.run).first_token.value.mean > report_of(with.run).first_token.value.mean);
}

TEST_CASE("what a router does not do is refused by name") {
  const std::vector<session_request> requests = requests_of(some_traffic(6, 300), conversations());
  simulated_engine reserved = some_engine(2);
  reserved.reserved_tokens = 8000;
  CHECK(
      says(refusal_of([&] { static_cast<void>(simulate_routed(reserved, requests, {}, {}, made_up_times{})); }).message,
           "simulated_engine.reserved_tokens"));
  CHECK(says(refusal_of([&] {
               static_cast<void>(simulate_routed(some_engine(2), requests, {51, {}, 0}, {}, made_up_times{}));
             }).message,
             "closed_loop.clients is 51"));
  std::vector<session_request> untimely = requests;
  untimely[0].sized.arrival = seconds{std::nan("")};
  CHECK(says(refusal_of([&] {
               static_cast<void>(simulate_routed(some_engine(2), untimely, {}, {}, made_up_times{}));
             }).message,
             "simulated_request.arrival is nan"));
  untimely = requests, untimely[1].think = seconds{-1};
  CHECK(says(refusal_of([&] {
               static_cast<void>(simulate_routed(some_engine(2), untimely, {}, {}, made_up_times{}));
             }).message,
             "session_request.think is -1"));
  serving_job job;
  job.prompt = {2000, 5e6, 6000};
  job.output = fixed_length(100);
  job.weights = dtype::int8;
  const serving_fleet fleet{{1}, slice_for("tpu7x-8"), 1};
  CHECK(says(refusal_of([&] {
               static_cast<void>(simulate_fleet(llama_3_8b(), job, fleet, requests, {}, {}, 10_GiB));
             }).message,
             "host_cache_gib is 10"));
  CHECK(says(
      refusal_of([&] {
        static_cast<void>(simulate_fleet(llama_3_8b(), job, {{1}, slice_for("v6e-1"), 1}, requests, {}, {}, 1000_GiB));
      }).message,
      "host_cache_gib is 1000"));
}

TEST_CASE("tokens of conversations that come faster than they are served are those of what is served") {
  simulated_traffic traffic = equal_traffic(40, 1200);
  session_traffic sessions = conversations();
  sessions.shared_prefix = 0, sessions.groups = 1;
  const routed_run all = simulate_routed(some_engine(2, 220), requests_of(traffic, sessions), {}, {}, made_up_times{});
  const simulation_report report = report_of(all.run);
  CHECK(detail::served_below_arrivals(all.run) > 0);
  CHECK(close(report.output_tokens / report.goodput, 60, 0.1));  // of 60 tokens each
}

}  // namespace unit_routing_tests
