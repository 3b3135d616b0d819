// How much slower an engine may be than estimated, and the chance that it is not.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tpuplan/simulate/slowdown.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace simulate_slowdown_tests {

namespace {

/// A server of one request at a time, with 1 us of service for each token of its prompt.
struct service_times {
  seconds attention(std::int64_t, std::int64_t) const { return {}; }
  seconds step(const step_work& work) const { return seconds{1e-6 * static_cast<double>(work.prompt_tokens)}; }
};
simulated_engine one_server() {
  simulated_engine engine;
  engine.max_running = 1;
  engine.blocks = std::int64_t{1} << 40;
  return engine;
}

}  // namespace

TEST_CASE("steps may take longer until a limit is missed, and the band says with what chance they do not") {
  std::vector<simulated_request> requests(400, {{}, 1000000, 1, 0});
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].arrival = seconds{4 * static_cast<double>(i)};
  latency_targets targets;
  targets.end_to_end = {1, 2_s};
  const double twice = largest_slowdown(one_server(), requests, service_times{}, targets);
  CHECK(twice > 1.98);
  CHECK(twice <= 2);
  targets.end_to_end = {1, 3600_s};  // until the queue never ends: 4 s of service every 4 s
  CHECK(largest_slowdown(one_server(), requests, service_times{}, targets) > 3.9);
  targets.end_to_end = {1, 10_ms};
  CHECK(largest_slowdown(one_server(), requests, service_times{}, targets) == 0);
  CHECK(says(refusal_of([&] { (void)largest_slowdown(one_server(), requests, service_times{}, {}); }).message,
             "a limit above 0"));
  token_time token;
  token.low = 8_ms, token.total = 10_ms, token.high = 20_ms;
  CHECK(chance_within(token, 1) == 0.5);
  CHECK(std::abs(chance_within(token, 2) - 0.95) < 1e-9);
  CHECK(std::abs(chance_within(token, 0.8) - 0.05) < 1e-9);
  CHECK(chance_within(token, 0) == 0);
  CHECK(chance_within(token, 16) > 0.999);
}

}  // namespace simulate_slowdown_tests
