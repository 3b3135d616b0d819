// Engines of simulate/engine.hpp whose steps take a second, by hand, and what engines and requests are refused.
#include <cstdint>
#include <tpuplan/simulate/engine.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_simulated_engine_tests {

namespace {

struct second_steps {
  seconds attention(std::int64_t, std::int64_t) const { return {}; }
  seconds step(const step_work&) const { return seconds{1}; }
};

}  // namespace

TEST_CASE("a request by itself: steps of a second") {
  simulated_engine engine;
  engine.max_running = 4;
  engine.blocks = 4;
  engine.block_tokens = 16;
  const simulation_run run = simulate(engine, {{seconds{0}, 10, 3, 0}}, second_steps{});
  CHECK(run.records[0].first_token == seconds{1});
  CHECK(run.records[0].finished == seconds{3});
  CHECK(run.steps == 3);
  CHECK(run.decode_steps == 2);
  engine.step_tokens = 4;  // three parts of the prompt: 4, 4 and 2 tokens
  CHECK(simulate(engine, {{seconds{0}, 10, 3, 0}}, second_steps{}).records[0].first_token == seconds{3});
  CHECK(simulate(engine, {{seconds{0}, 10, 3, 7}}, second_steps{}).records[0].first_token == seconds{1});
}

TEST_CASE("the newest sequence is preempted, waits before the others, and computes anew") {
  simulated_engine engine;
  engine.max_running = 4;
  engine.blocks = 6;
  // Two prompts of 2 tokens hold 4 blocks; their second tokens take 2 more, their third ones have none.
  const std::vector<simulated_request> requests = {{seconds{0}, 2, 4, 0}, {seconds{0}, 2, 4, 0}, {seconds{0}, 2, 1, 0}};
  const simulation_run run = simulate(engine, requests, second_steps{});
  CHECK(run.records[0].finished == seconds{4});
  CHECK(run.records[0].preemptions == 0);
  CHECK(run.records[1].preemptions == 1);
  CHECK(run.records[1].first_token == seconds{1});
  CHECK(run.records[1].finished == seconds{6});     // tokens at 1, 2, then 5 with its prompt anew, and 6
  CHECK(run.records[2].first_token == seconds{1});  // 6 blocks hold three prompts of 2
  CHECK(run.prompt_tokens == 6 + 4);
}

TEST_CASE("engines and requests that cannot be simulated are refused by name") {
  const std::vector<simulated_request> one = {{seconds{1}, 10, 5, 0}};
  simulated_engine engine;
  engine.max_running = 2;
  engine.blocks = 15;
  const auto message = [&](const simulated_engine& e, const std::vector<simulated_request>& requests) {
    return refusal_of([&] { static_cast<void>(simulate(e, requests, second_steps{})); }).message;
  };
  CHECK(message(engine, one).empty());
  simulated_engine none = engine;
  none.max_running = 0;
  CHECK(says(message(none, one), "simulated_engine.max_running"));
  simulated_engine few = engine;
  few.blocks = 14;
  CHECK(says(message(few, one), "tokens of a request is 15"));
  simulated_engine sure = engine;
  sure.verified = 2, sure.acceptance = 1;
  CHECK(message(sure, one).empty());
  sure.acceptance = 1.5;
  CHECK(says(message(sure, one), "simulated_engine.acceptance is 1.5; valid: 0 to 1"));
  simulated_engine reserved = engine;
  reserved.reserved_tokens = 14;
  CHECK(says(message(reserved, one), "reserved_tokens"));
  CHECK(says(message(engine, {}), "requests"));
  CHECK(says(message(engine, {{seconds{1}, 0, 5, 0}}), "simulated_request.prompt"));
  CHECK(says(message(engine, {{seconds{1}, 5, 0, 0}}), "simulated_request.output"));
  CHECK(says(message(engine, {{seconds{1}, 5, 5, 5}}), "simulated_request.cached"));
  CHECK(says(message(engine, {{seconds{2}, 5, 5, 0}, {seconds{1}, 5, 5, 0}}), "rising arrivals"));
  CHECK(name(prefill_policy::alone) == "alone");
}

TEST_CASE("a block of the cache has 2^20 tokens at most") {
  simulated_engine engine;
  engine.blocks = 1000;
  engine.max_running = 8;
  const std::vector<simulated_request> one(1);
  engine.block_tokens = std::int64_t{1} << 20;
  const auto message = [&] { return refusal_of([&] { detail::validate(engine, one); }).message; };
  CHECK_FALSE(says(message(), "block_tokens"));
  ++engine.block_tokens;
  CHECK(says(message(), "block_tokens"));
}

}  // namespace plan_simulated_engine_tests
