// Conversations: the prompts of their turns, what of them came before, and what is refused.
#include <cmath>
#include <set>
#include <string>
#include <tpuplan/simulate/sessions.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_sessions_tests {

namespace {

simulated_traffic some(std::int64_t requests) {
  simulated_traffic traffic;
  traffic.rate = per_second{6};
  traffic.prompt = same_length(10);
  traffic.output = same_length(20);
  traffic.requests = requests;
  return traffic;
}

}  // namespace

TEST_CASE("each prompt of a conversation holds what was said before") {
  session_traffic sessions;
  sessions.turns = 3;
  sessions.shared_prefix = 1000;
  const std::vector<session_request> requests = requests_of(some(6), sessions);
  REQUIRE(requests.size() == 6);
  for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
    CHECK(requests[i].sized.prompt == 1010);
    CHECK(requests[i + 1].sized.prompt == 1040);
    CHECK(requests[i + 2].sized.prompt == 1070);
    CHECK(requests[i + 1].repeated == 1029);  // nothing was computed of the last token of the answer
    CHECK(requests[i + 2].turn == 2);
    CHECK(requests[i + 2].sized.arrival == seconds{0});
  }
  CHECK(requests[0].repeated == 0);
  CHECK(requests[3].repeated == 1000);
  CHECK(requests[3].conversation == 1);
  sessions.opening = same_length(500);
  CHECK(requests_of(some(6), sessions)[0].sized.prompt == 1510);
}

TEST_CASE("conversations begin at the rate of requests over their turns") {
  session_traffic sessions;
  sessions.turns = 4;
  sessions.think = seconds{10};
  const std::vector<session_request> requests = requests_of(some(40000), sessions);
  CHECK(requests.size() == 40000);
  double last = 0, thought = 0;
  for (const session_request& one : requests) {
    if (one.turn == 0) last = one.sized.arrival.value();
    thought += one.think.value() / 30000;
  }
  CHECK(std::abs(10000 / last / 1.5 - 1) < 0.03);
  CHECK(std::abs(thought / 10 - 1) < 0.03);
}

TEST_CASE("single requests are those of the traffic") {
  simulated_traffic traffic = some(50);
  traffic.prefix_hit_rate = 0.5;
  const std::vector<simulated_request> plain = requests_of(traffic);
  const std::vector<session_request> same = requests_of(traffic, session_traffic{});
  REQUIRE(same.size() == plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CHECK(same[i].sized.arrival == plain[i].arrival);
    CHECK(same[i].sized.prompt == plain[i].prompt);
    CHECK(same[i].sized.cached == 5);
  }
  CHECK_FALSE(have_prefixes(session_traffic{}));
}

TEST_CASE("groups come about as often as each other") {
  session_traffic sessions;
  sessions.shared_prefix = 100;
  sessions.groups = 5;
  std::vector<int> times(5);
  for (const session_request& one : requests_of(some(5000), sessions)) ++times[static_cast<std::size_t>(one.group)];
  for (const int one : times) CHECK(std::abs(one - 1000) < 120);
}

TEST_CASE("what is not traffic is refused by name") {
  session_traffic sessions;
  sessions.turns = 0;
  CHECK(says(refusal_of([&] { static_cast<void>(requests_of(some(5), sessions)); }).message, "session_traffic.turns"));
  sessions = {};
  sessions.groups = 0;
  CHECK(says(refusal_of([&] { static_cast<void>(requests_of(some(5), sessions)); }).message, "session_traffic.groups"));
  sessions = {};
  sessions.think = seconds{-1};
  CHECK(says(refusal_of([&] { static_cast<void>(requests_of(some(5), sessions)); }).message, "session_traffic.think"));
  sessions = {};
  sessions.turns = 2;
  simulated_traffic flat = some(5);
  flat.prefix_hit_rate = 0.4;
  CHECK(says(refusal_of([&] { static_cast<void>(requests_of(flat, sessions)); }).message, "prefix_hit_rate is 0.4"));
}

}  // namespace unit_sessions_tests
