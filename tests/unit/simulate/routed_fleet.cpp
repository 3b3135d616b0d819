// A fleet is played without its counted time, and then each replica again: both are the same run.
#include <cmath>
#include <tpuplan/simulate/routed_fleet.hpp>
#include <tpuplan/simulate/routing.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_routed_fleet_tests {

namespace {

struct made_up_times {
  seconds attention(std::int64_t, std::int64_t) const { return {}; }
  seconds step(const step_work& work) const {
    return seconds{0.01 + 1e-4 * static_cast<double>(work.prompt_tokens) + 1e-6 * static_cast<double>(work.context)};
  }
};
simulated_engine some_engine(std::int64_t replicas, std::int64_t blocks) {
  simulated_engine engine;
  engine.replicas = replicas, engine.max_running = 32;
  engine.blocks = blocks, engine.block_tokens = 16, engine.step_tokens = 1024;
  return engine;
}
simulated_traffic some_traffic(double rate, std::int64_t requests) {
  simulated_traffic traffic;
  traffic.rate = per_second{rate};
  traffic.prompt = log_normal_lengths(200, 0.8, 3000), traffic.output = log_normal_lengths(60, 0.8, 600);
  traffic.requests = requests;
  return traffic;
}

}  // namespace

TEST_CASE("one replica with drafts behind a router has the records of simulate") {
  for (const std::int64_t blocks : {220, 4000}) {
    simulated_engine engine = some_engine(1, blocks);
    engine.verified = 4, engine.acceptance = 0.7;
    const simulated_traffic traffic = some_traffic(3, 900);
    const simulation_run plain = simulate(engine, requests_of(traffic), made_up_times{});
    const simulation_run routed =
        simulate_routed(engine, requests_of(traffic, session_traffic{}), {}, {}, made_up_times{}).run;
    CHECK((blocks > 1000 || plain.preemptions > 0));
    bool same = true;
    for (std::size_t i = 0; i < plain.records.size(); ++i)
      same = same && plain.records[i].finished == routed.records[i].finished &&
             plain.records[i].first_token == routed.records[i].first_token;
    CHECK(same);
    CHECK(routed.steps == plain.steps);
    CHECK(routed.counted_tokens == plain.counted_tokens);
    CHECK(routed.inter_token.value.p95 == plain.inter_token.value.p95);
  }
}

// What runs on average is the time that each request runs, over the time that is counted (Little's law), but for those
// at its ends; between admission and the end none is lost to a preemption where the cache has room.
TEST_CASE("what is counted of conversations is what their records say") {
  session_traffic sessions;
  sessions.turns = 6, sessions.think = seconds{5}, sessions.shared_prefix = 640, sessions.groups = 3;
  for (const request_routing by : {request_routing::queue, request_routing::prefix}) {
    CAPTURE(name(by));
    const simulation_run run = simulate_routed(some_engine(4, 4000), requests_of(some_traffic(12, 6000), sessions), {},
                                               {by, 640, 3, 0, {}, 1}, made_up_times{})
                                   .run;
    double together = 0;
    for (const request_record& one : run.records) {
      const double within = min(one.finished, run.counted_until).value() - max(one.admitted, run.warm_until).value();
      together += within > 0 ? within : 0;
    }
    CHECK(run.preemptions == 0);
    CHECK(close(run.running * 4, together / (run.counted_until - run.warm_until).value(), 1e-9));
    CHECK(run.busy > 0.5);
    CHECK(run.busy <= 1 + 1e-9);
  }
}

}  // namespace unit_routed_fleet_tests
