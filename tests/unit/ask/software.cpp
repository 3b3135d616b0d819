// Which software serves, how sure that is, and the chances that follow.
#include <algorithm>
#include <cmath>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/show/views/serve.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_software_tests {

TEST_CASE("the engine is assumed, and images of a model that sees") {
  const assumed_values named = assumed_engine(serving_engine::vllm);
  REQUIRE(named.size() == 1);
  CHECK(named.front().first == "engine");
  CHECK(named.front().second.rfind("vllm: ", 0) == 0);
  CHECK(assumed_engine(serving_engine::unnamed).front().second.rfind("not named: ", 0) == 0);
  CHECK(assumed_engine(serving_engine::vllm, llama_3_8b()).size() == 1);
  CHECK(assumed_engine(serving_engine::vllm, model_of({{"model_type", "paligemma"}}).model).size() == 2);
}

TEST_CASE("hosts in turn are said of an engine that is launched otherwise") {
  CHECK(assumed_hosts(serving_engine::vllm, {}, slice_for("v5e-16")).size() == 1);
  CHECK(assumed_hosts(serving_engine::vllm, {}, slice_for("v6e-8")).empty());
  CHECK(assumed_hosts(serving_engine::vllm, {4}, slice_for("v5e-16")).empty());  // a replica of one host
  CHECK(assumed_hosts(serving_engine::sglang_jax, {}, slice_for("v5e-16")).empty());
  CHECK(assumed_hosts(serving_engine::unnamed, {}, slice_for("v5e-16")).empty());
  model_config config;
  config.model = llama_3_8b();
  serve_request asked;
  asked.slice = "v5e-16", asked.job.engine = serving_engine::vllm;
  const std::vector<assumption> said = answer_to_serve(config, asked, price_book{}).assumed;
  CHECK(std::any_of(said.begin(), said.end(), [](const assumption& one) { return one.field == "hosts"; }));
}

TEST_CASE("a question without an engine lists those that ran, one with an engine the one") {
  model_config config;
  config.model = llama_3_8b();
  serve_request asked;
  asked.slice = "v6e-8";
  asked.job.concurrency = 32;
  const serve_answer open = answer_to_serve(config, asked, price_book{});
  REQUIRE(open.software.size() > 1);
  CHECK(open.software.front().engine == serving_engine::vllm);
  CHECK(*open.unnamed_low == open.estimate.per_token.low);
  asked.job.engine = serving_engine::vllm;
  const serve_answer named = answer_to_serve(config, asked, price_book{});
  REQUIRE(named.software.size() == 1);
  CHECK(named.software.front().share == 1);
  CHECK(named.software.front().per_token_low == open.software.front().per_token_low);
  CHECK(named.unnamed_low == open.unnamed_low);
  CHECK(named.unnamed_high == open.unnamed_high);
  // The name narrows the range.
  CHECK(*named.software.front().per_token_low > *open.unnamed_low);
}

TEST_CASE("an engine that runs fewer sequences at once does not narrow the band of more") {
  model_config config;
  config.model = llama_3_8b();
  serve_request asked;
  asked.slice = "v6e-4";  // every place is taken: vLLM has fewer
  const serve_answer open = answer_to_serve(config, asked, price_book{});
  REQUIRE(open.software.front().running);
  CHECK(*open.unnamed_running == open.estimate.running);
  CHECK(*open.software.front().running < *open.unnamed_running);
  CHECK(says(readable::software_words(open, {}), "run at once, each token"));
  CHECK_FALSE(says(readable::software_words(open, {}), "narrows"));
  asked.job.concurrency = 32;
  CHECK(says(readable::software_words(answer_to_serve(config, asked, price_book{}), {}), "narrows"));
}

TEST_CASE("a target is kept with half a chance at the estimate, and without a target there is none") {
  model_config config;
  config.model = llama_3_8b();
  serve_request asked;
  asked.slice = "v6e-8";
  asked.job.concurrency = 32;
  asked.job.engine = serving_engine::vllm;
  const serve_answer free = answer_to_serve(config, asked, price_book{});
  CHECK_FALSE(free.chance_to_keep_ttft.has_value());
  CHECK_FALSE(free.chance_to_keep_tpot.has_value());
  CHECK(free.chance_to_fit == 0.95);
  asked.job.tpot_target = free.estimate.per_token.total;
  asked.job.ttft_target = free.estimate.first_token_high;
  const serve_answer held = answer_to_serve(config, asked, price_book{});
  CHECK(std::abs(held.chance_to_keep_tpot.value_or(0) - 0.5) < 1e-9);
  CHECK(std::abs(held.chance_to_keep_ttft.value_or(0) - 0.95) < 1e-9);
  asked.slice = "v5e-1";
  const serve_answer small = answer_to_serve(config, asked, price_book{});
  CHECK(small.fits == verdict::no);
  CHECK(small.chance_to_fit == 0.05);
  CHECK(small.software.empty());
}

}  // namespace ask_software_tests
