// Speculation as it is said: tokens of a round by the chance of each draft, and what is refused.
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/model/speculation.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_model_speculation_tests {

TEST_CASE("tokens of a round") {
  static_assert(tokens_of_round({4, 0.8}) > 3.36159 && tokens_of_round({4, 0.8}) < 3.36161);
  CHECK(close(tokens_of_round({1, 0.5}), 1.5));
  CHECK(close(tokens_of_round({16, 0, 8.8}), 8.8));
  const auto refused = [](const speculation& by) { return refusal_of([&] { (void)tokens_of_round(by); }).message; };
  CHECK(says(refused({}), "speculation.draft_tokens is 0"));
  CHECK(says(refused({4}), "speculation.acceptance is missing; valid: above 0, or an accepted length"));
  CHECK(says(refused({4, 1}), "speculation.acceptance is 1; valid: 0 to 0.9999"));
  CHECK(says(refused({4, 0.5, 2}), "0 beside an accepted length"));
  CHECK(says(refused({4, 0, 5.5}), "speculation.accepted_length is 5.5; valid: 1 to one more than the draft tokens"));
}

TEST_CASE("the chance of a draft is the one whose rounds are as long") {
  static_assert(acceptance_of({4, 0.8}) == 0.8);
  CHECK(close(acceptance_of({1, 0, 1.5}), 0.5, 1e-12));
  CHECK(close(tokens_of_round({16, acceptance_of({16, 0, 8.8})}), 8.8, 1e-9));
  CHECK(acceptance_of({4, 0, 5}) == 1);
  CHECK(acceptance_of({4, 0, 1}) == 0);
}

TEST_CASE("rounds until an answer has ended throw away what they have beyond it") {
  static_assert(rounds_for({4, 0.8}, 0) == 0);
  static_assert(rounds_for({4, 0.8}, 1) == 1);
  CHECK(close(rounds_for({4, 0.75}, 2), 1.25));  // where the first draft is not accepted
  CHECK(close(rounds_for({4, 0.75}, 1.5), 1.125));
  CHECK(close(rounds_for({1, 0, 2}, 6), 3));  // all drafts are accepted
  CHECK(close(rounds_for({4, 0, 1}, 7), 7));  // none is
  CHECK(close(rounds_for({1, 0, 2}, 100), 50));
  const speculation by{4, 0.8};
  CHECK(rounds_for(by, 1000) > 1000 / tokens_of_round(by));
  CHECK(rounds_for(by, 1000) < 1000 / tokens_of_round(by) + 1);
  CHECK(close(rounds_for(by, 33) - rounds_for(by, 32), 1 / tokens_of_round(by), 1e-9));
  CHECK(close(rounds_for(by, 32) - rounds_for(by, 31), 1 / tokens_of_round(by), 1e-3));
  CHECK(close(tokens_kept(by, 2), 1));
  CHECK(tokens_kept(by, 1) == tokens_of_round(by));
  CHECK(close(tokens_kept(by, 1e6), tokens_of_round(by), 1e-5));
  CHECK(says(refusal_of([&] { (void)rounds_for(by, -1); }).message, "tokens is -1"));
  CHECK(says(refusal_of([&] { (void)tokens_kept({}, 2); }).message, "speculation.draft_tokens is 0"));
}

TEST_CASE("drafts have a length and a cost, and a job without has neither") {
  const auto refused = [](const speculation& by) {
    serving_job job;
    job.prompt = job.output = fixed_length(100);
    job.speculation = by;
    return refusal_of([&] { validate(job, llama_3_8b()); }).message;
  };
  CHECK(refused({}).empty());
  CHECK(refused({4, 0.8, 0, 0.1}).empty());
  CHECK(says(refused({4, 0.8}), "speculation.draft_cost is 0"));
  CHECK(says(refused({4, 0, 0, 0.1}), "speculation.acceptance is missing"));
  CHECK(says(refused({0, 0.8}), "speculation.draft_tokens is missing"));
  CHECK(says(refused({0, 0, 0, 0.1}), "speculation.draft_tokens is missing"));
  CHECK(refused({4, 0.8, 0, 0.1, 400000000, 4_kB}).empty());
  CHECK(says(refused({0, 0, 0, 0, 400000000}), "speculation.draft_tokens is missing"));
  CHECK(says(refused({4, 0.8, 0, 0.1, 0, 4_kB}), "speculation.parameters is missing"));
  CHECK(says(refused({4, 0.8, 0, 0.1, -1}), "speculation.parameters is -1"));
  CHECK(says(refused({4, 0.8, 0, 0.1, 1, bytes{-1}}), "speculation.cache_per_token is -1"));
}

}  // namespace unit_model_speculation_tests
