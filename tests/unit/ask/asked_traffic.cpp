// The traffic of a question: what was left open, the share of a replica, and lengths of whole conversations.
#include <tpuplan/ask/asked_traffic.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_asked_traffic_tests {

TEST_CASE("a replica draws its share of the requests, clients are shared out evenly") {
  simulate_request asked;
  asked.slice = "v6e-4", asked.slices = 3, asked.job.request_rate = per_second{6};
  asked.job.prompt = fixed_length(500), asked.job.output = fixed_length(50);
  const detail::asked_traffic open{llama_3_8b(), asked};
  CHECK(open.requests() == 2000);
  CHECK(open.simulated() == 1);
  CHECK_FALSE(open.is_routed());
  const std::vector<simulated_request> drawn = open.drawn(open.job(), 2000);
  CHECK(close(1999 / drawn.back().arrival.value(), 2, 0.1));
  asked.job.request_rate = {}, asked.job.concurrency = 12;
  const detail::asked_traffic closed{llama_3_8b(), asked};
  CHECK(closed.loop().clients == 4);
  asked.job.concurrency = 13;
  CHECK(says(refusal_of([&] {
               detail::asked_traffic{llama_3_8b(), asked};
             }).message,
             "serving_job.concurrency is 13; valid: a multiple of the 3 replicas"));
}

TEST_CASE("prompts of conversations are whole, and a router in turn is taken for them") {
  simulate_request asked;
  asked.slice = "v6e-4", asked.slices = 2, asked.job.request_rate = per_second{2};
  asked.job.prompt = fixed_length(100), asked.job.output = fixed_length(50);
  asked.sessions.turns = 3;
  const detail::asked_traffic of{llama_3_8b(), asked};
  CHECK(of.routing() == request_routing::round_robin);
  CHECK(close(of.job().prompt.mean, 100 + 150));  // the mean of three turns is that of the second
  CHECK(of.simulated() == 2);
  CHECK(of.drawn_sessions(of.job()).front().sized.prompt == 100);
}

TEST_CASE("what has no effect on a simulation is refused") {
  const auto refused = [](const simulate_request& asked) {
    return refusal_of([&] { detail::asked_traffic{llama_3_8b(), asked}; }).message;
  };
  simulate_request traced;
  traced.slice = "v6e-4";
  traced.trace.assign(120, {1_s, 100, 20, 0, 0});
  traced.trace[7].cached = 50;
  CHECK(says(refused(traced), "trace[7].cached is 50; valid: 0: job.prefix_hit_rate"));
  simulate_request one;
  one.slice = "v6e-4", one.job.request_rate = per_second{2};
  one.job.output = fixed_length(1), one.job.percentiles.per_token = {0.9, 30_ms};
  CHECK(says(refused(one), "job.percentiles.per_token.limit_s is 0.03; valid: none: answers of one token"));
  simulate_request routed;
  routed.slice = "v6e-4", routed.slices = 2, routed.job.request_rate = per_second{2};
  routed.job.policy = cache_policy::reserved, routed.routing = request_routing::queue;
  CHECK(says(refused(routed), "job.policy is reserved; valid: paged"));
  simulate_request drawn;
  drawn.slice = "v6e-4", drawn.slices = 3, drawn.job.concurrency = 30, drawn.seed = 3;
  drawn.sessions.turns = 4;
  CHECK(says(refused(drawn), "seed is 3; valid: 1: clients that all send the same draw nothing"));
  drawn.sessions.think = 5_s;
  CHECK(refused(drawn).empty());
}

}  // namespace unit_asked_traffic_tests
