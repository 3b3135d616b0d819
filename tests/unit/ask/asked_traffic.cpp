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

}  // namespace unit_asked_traffic_tests
