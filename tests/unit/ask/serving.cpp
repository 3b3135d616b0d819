// One slice that serves: the worked examples of its functions.
#include <tpuplan/ask/serving.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_serving_tests {

TEST_CASE("a change is a row, with the formats of weights where it is one of these") {
  serving_change change;
  change.what = serving_lever::weights;
  change.given = 2;
  change.needed = 1;
  change.job.weights = dtype::int8;
  CHECK(rows_of({change}).front().weights == dtype::int8);
  change.what = serving_lever::rate;
  CHECK_FALSE(rows_of({change}).front().weights.has_value());
}

TEST_CASE("a slice serves as serve says, and pays by the token") {
  model_config config;
  config.model = llama_3_8b();
  serve_request asked;
  asked.slice = "v5e-8";
  asked.mesh.tensor = 8;
  const serve_answer answer = answer_to_serve(config, asked, price_book{});
  CHECK(answer.fits == verdict::yes);
  CHECK(answer.chips == 8);
  REQUIRE(answer.output_tokens_per_s_per_chip.has_value());
  CHECK(close(*answer.output_tokens_per_s_per_chip, answer.estimate.output_tokens.value() / 8));
  asked.job.percentiles.per_token = {0.95, 40_ms};
  CHECK(says(refusal_of([&] { (void)answer_to_serve(config, asked, price_book{}); }).message,
             "job.request_rate_per_s is missing"));
}

TEST_CASE("what targets and first tokens rest on is said") {
  model_config config;
  config.model = llama_3_8b();
  serve_request asked;
  asked.slice = "v5e-8";
  const auto value_of = [&](const char* field) {
    for (const assumption& one : answer_to_serve(config, asked, price_book{}).assumed)
      if (one.field == field) return one.value;
    return std::string();
  };
  CHECK(value_of("targets").empty());
  asked.job.ttft_target = 2_s;
  CHECK(says(value_of("targets"), "means of the closed form"));
  CHECK_FALSE(says(value_of("targets"), "80 %"));
  asked.job.request_rate = per_second{1};
  CHECK(says(value_of("targets"), "80 % of the capacity"));
  asked.job.percentiles.per_token = {0.95, 40_ms};
  CHECK(says(value_of("targets by percentile"), "simulation"));
  asked.job.percentiles = {};
  asked.job.request_rate = per_second{0};
  CHECK(value_of("first token").empty());
  asked.job.concurrency = 8;
  CHECK(says(value_of("first token"), "where all begin at once"));
  serving_estimate estimate;
  estimate.replicas = 1, estimate.prefill = 20_ms;
  CHECK(says(assumed_basis(asked.job, estimate).back().second, "160 ms"));
}

TEST_CASE("a slice that is hardly used has its tokens a second, and targets are held by a replica with its share") {
  model_config config;
  config.model = llama_3_8b();
  serve_request asked;
  asked.slice = "v6e-4";
  asked.mesh.tensor = 4;
  asked.job.request_rate = per_second{0.01};
  const serve_answer idle = answer_to_serve(config, asked, price_book{});
  CHECK(idle.estimate.running < 1);
  REQUIRE(idle.output_tokens_per_s_per_chip.has_value());
  CHECK(close(*idle.output_tokens_per_s_per_chip, idle.estimate.output_tokens.value() / 4));
  asked.job.percentiles.per_token = {0.95, 100_ms};
  asked.job.request_rate = per_second{2};
  const serve_answer one = answer_to_serve(config, asked, price_book{});
  asked.slice = "v6e-8";  // two replicas of the same kind
  asked.job.request_rate = per_second{4};
  const serve_answer two = answer_to_serve(config, asked, price_book{});
  REQUIRE(one.simulated.has_value());
  REQUIRE(two.simulated.has_value());
  CHECK(close(one.simulated->per_token.value.p95.value(), two.simulated->per_token.value.p95.value()));
  CHECK(close(one.simulated->first_token.value.p99.value(), two.simulated->first_token.value.p99.value()));
}

}  // namespace ask_serving_tests
