// The question day: what plan_day says of the same traffic, and what it refuses.
#include <algorithm>
#include <cmath>
#include <tpuplan/ask/day.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_day_tests {

namespace {

model_config llama() {
  model_config config;
  config.model = llama_3_8b();
  return config;
}

asked_day asked_of(const std::vector<double>& rates) {
  asked_day asked;
  asked.slice = "v6e-1";
  asked.job.percentiles.first_token = {0.99, 2_s};
  for (const double rate : rates) asked.traffic.day.rates.push_back(per_second{rate});
  asked.traffic.day.part = 900_s;
  return asked;
}

}  // namespace

TEST_CASE("a day that is asked about is that of plan_day", "[ask]") {
  asked_day asked = asked_of({0.5, 2, 1});
  asked.traffic.scaling = {60_s, 0.5, 2};
  asked.traffic.variation = 2, asked.traffic.seed = 7, asked.traffic.between = 600_s, asked.traffic.for_hpa = true;
  const day_document said = answer_to_day(llama(), asked, price_book{});
  day_request request;
  request.model = llama_3_8b(), request.job = as_engine_runs(asked.job, request.model);
  request.fleet = {{}, slice_for("v6e-1"), 1};
  request.day = asked.traffic.day, request.scaling = asked.traffic.scaling;
  request.variation = 2, request.seed = 7, request.between = 600_s, request.find_threshold = true;
  const day_answer expected = plan_day(request);
  CHECK(said.answer == expected);
  CHECK(said.scaling == asked.traffic.scaling);
  REQUIRE(said.answer.autoscaler);
}

TEST_CASE("a trace has the rates and the lengths of a day", "[ask]") {
  asked_day asked = asked_of({});
  for (int i = 0; i < 2000; ++i) {
    asked.traffic.trace.push_back({});
    asked.traffic.trace.back().arrival = seconds{0.9 * i};
    asked.traffic.trace.back().prompt = 500, asked.traffic.trace.back().output = 20 + i % 3;
  }
  asked.traffic.day = {};
  asked.traffic.part = 600_s;
  const day_document said = answer_to_day(llama(), asked, price_book{});
  REQUIRE(said.day.rates.size() == 3);
  CHECK(close(said.day.rates[0].value(), 1 / 0.9, 0.01));
  CHECK(said.job.prompt.mean == 500);
  CHECK(close(said.job.output.mean, 21, 0.01));
  asked.traffic.part = {};
  asked.traffic.trace.resize(1500);
  CHECK(answer_to_day(llama(), asked, price_book{}).day.part == 60_s);
}

TEST_CASE("a day of a trace says the block that its lengths are simulated with", "[ask]") {
  asked_day asked = asked_of({});
  asked.job.engine = serving_engine::vllm;
  for (int i = 0; i < 2000; ++i) asked.traffic.trace.push_back({seconds{0.9 * i}, 500, 21, 0});
  asked.traffic.trace.back().prompt = 3000;
  asked.traffic.day = {};
  asked.traffic.part = 600_s;
  const day_document said = answer_to_day(llama(), asked, price_book{});
  CHECK(said.job.block_tokens == 256);
  const auto is_it = [](const assumption& one) {
    return one.field == "block of the cache" && one.value == "256 tokens, as vLLM chooses";
  };
  CHECK(std::any_of(said.assumed.begin(), said.assumed.end(), is_it));
}

TEST_CASE("a day of a trace draws prompts with the outputs that they had", "[ask]") {
  asked_day asked = asked_of({});
  asked.traffic.day = {};
  for (int i = 0; i < 4000; ++i) {
    const bool is_long = i % 10 == 0;
    asked.traffic.trace.push_back({seconds{0.9 * i}, is_long ? 12000 : 100, is_long ? 4 : 60});
  }
  const day_document said = answer_to_day(llama(), asked, price_book{});
  for (const assumption& one : said.assumed) CHECK_FALSE(says(one.field, "lengths of"));
  // Nine of ten first tokens are of short prompts: by the moments alone the median prompt would have 400 tokens.
  const time_percentiles& first = said.answer.options.front().first_token;
  CHECK(first.p50 < 40_ms);
  CHECK(first.p99 > 150_ms);
  asked.job.prompt = said.job.prompt, asked.job.output = said.job.output;
  asked.traffic.day = said.day, asked.traffic.trace = {};
  const day_document by_moments = answer_to_day(llama(), asked, price_book{});
  CHECK(by_moments.answer.options.front().first_token.p50 > 1.5 * first.p50);
  CHECK(std::any_of(by_moments.assumed.begin(), by_moments.assumed.end(),
                    [](const assumption& one) { return says(one.field, "lengths of prompts"); }));
}

TEST_CASE("parts that do not fill a trace are as many equal ones, and said", "[ask]") {
  CHECK(detail::part_of_trace(4_h, 3_h) == 2_h);
  CHECK(detail::part_of_trace(4_h, 5_h) == 4_h);
  CHECK(detail::part_of_trace(4_h, 1_h) == 1_h);
  CHECK(detail::part_of_trace(seconds{14396}, 1_h) == 1_h);  // the last request is not at the end
  CHECK(detail::part_of_trace(seconds{14700}, 1_h) == seconds{3675});
  CHECK(detail::part_of_trace(0_s, 60_s) == 60_s);
  asked_day asked = asked_of({});
  for (std::int64_t i = 0; i <= 1600; ++i)
    asked.traffic.trace.push_back({seconds{static_cast<double>(i) / 4}, 100, 10, 0});
  asked.traffic.part = 300_s;
  const day_document said = answer_to_day(llama(), asked, price_book{});
  CHECK(said.day.part == 200_s);
  REQUIRE(said.day.rates.size() == 2);
  CHECK(close(said.day.rates[0].value(), 4, 0.01));
  CHECK(close(said.day.rates[1].value(), 4, 0.01));
  const auto part =
      std::find_if(said.assumed.begin(), said.assumed.end(), [](const assumption& one) { return one.field == "part"; });
  REQUIRE(part != said.assumed.end());
  CHECK(part->value == "3.33 min: 2 of them are the trace");
}

TEST_CASE("a slice keeps no rate in the long run that is within chance of its capacity", "[ask]") {
  asked_day asked = asked_of({0.5, 2, 1});
  asked.job.percentiles.first_token = {0.5, 600_s};
  const day_document said = answer_to_day(llama(), asked, price_book{});
  serving_job job = said.job;
  job.percentiles = {}, job.request_rate = {};
  const double most = serve(llama_3_8b(), job, {}, slice_for("v6e-1")).capacity.value();
  CHECK(said.answer.slice_rate.value() <= most * (1 - 1 / std::sqrt(2000.0)) * (1 + 1e-12));
  CHECK(said.answer.slice_rate.value() > 0.8 * most);
}

TEST_CASE("a day says what it is missing, and what has no effect", "[ask]") {
  const auto refusal = [](const asked_day& asked) {
    return refusal_of([&] { (void)answer_to_day(llama(), asked, price_book{}); }).message;
  };
  CHECK(refusal(asked_of({})) == "tpuplan: traffic.day is missing; valid: rates of the parts of a day, or a trace");
  asked_day asked = asked_of({1, 2});
  asked.traffic.part = 60_s;
  CHECK(refusal(asked) == "tpuplan: traffic.part_s is given without effect; valid: only with a trace");
  asked = asked_of({});
  for (int i = 0; i < 4000; ++i) asked.traffic.trace.push_back({seconds{0.01 * i}, 100, 10});
  asked.traffic.part = 0.9_s;
  CHECK(refusal(asked) == "tpuplan: traffic.part_s is 0.9; valid: 1 s to 1e7 s");
  asked.traffic.part = 1_s;
  CHECK_FALSE(says(refusal(asked), "traffic.part_s"));
  asked = asked_of({1, 2});
  asked.traffic.trace = {{}, {}};
  CHECK(refusal(asked) == "tpuplan: traffic.day is given without effect; valid: none beside a trace");
  asked = asked_of({1, 2});
  asked.job.request_rate = per_second{3};
  CHECK(refusal(asked) ==
        "tpuplan: job.request_rate_per_s is given without effect; valid: none: a day has its own rates");
  asked = asked_of({1, 2});
  asked.job.concurrency = 3;
  CHECK(refusal(asked) == "tpuplan: job.concurrency is given without effect; valid: none: a day has its own rates");
  asked = asked_of({1, 2});
  asked.job.percentiles = {};
  CHECK(refusal(asked) ==
        "tpuplan: job.percentiles is missing; valid: a target by percentile, which the slices of a day have to keep");
}

TEST_CASE("a fleet of one slice on spot misses its targets while it is taken away", "[ask]") {
  asked_day asked = asked_of({2, 2, 2});
  const auto of_spot = [&](seconds between) {
    asked.traffic.between = between;
    for (const day_option& one : answer_to_day(llama(), asked, price_book{}).answer.options)
      if (one.mix.kind == provisioning::spot && !one.mix.follows && one.mix.base == 0) return one;
    return day_option{};
  };
  const day_option seldom = of_spot(1e9_s), often = of_spot(300_s);
  CHECK(seldom.meets_targets);
  CHECK(seldom.preemptions == 0);
  CHECK(often.preemptions > 2);
  CHECK_FALSE(often.meets_targets);
  CHECK(often.first_token.p99 > 60_s);
  CHECK(often.first_token.p50 < often.first_token.p99);
}

}  // namespace ask_day_tests
