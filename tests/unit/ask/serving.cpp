// One slice that serves: the worked examples of its functions.
#include <string>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/json/file.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"
#include "support/stacks.hpp"

using namespace tpuplan;

namespace ask_serving_tests {

TEST_CASE("what the scheduler takes by itself is said and computed with") {
  model_config config;
  config.model = llama_3_8b();
  serve_request asked;
  asked.slice = "v6e-8";
  asked.job.engine = serving_engine::vllm;
  const serve_answer open = answer_to_serve(config, asked, price_book{});
  CHECK(open.job.prefill_chunk == 2048);
  CHECK(open.job.block_tokens == 128);
  CHECK(assumed_schedule(asked.job).size() == 2);
  asked.job.prefill_chunk = 2048;
  CHECK(assumed_schedule(asked.job).front().second == "128 tokens, as vLLM chooses");
  asked.job.block_tokens = 128;
  CHECK(assumed_schedule(asked.job).empty());
  CHECK(answer_to_serve(config, asked, price_book{}).estimate.per_token.total == open.estimate.per_token.total);
  CHECK(says(assumed_schedule([] {
               serving_job job;
               job.engine = serving_engine::jetstream;
               return job;
             }())
                 .front()
                 .second,
             "in steps of their own"));
}

TEST_CASE("an engine is advised nothing that it does not run") {
  model_config config;
  config.model = llama_3_8b();
  serve_request asked;
  config.model.attention.kv_heads = 2;
  asked.slice = "v6e-8";
  asked.job.request_rate = per_second{1};
  const auto advised = [&](serving_finding_kind kind) {
    bool found = false;
    for (const auto& one : answer_to_serve(config, asked, price_book{}).advice) found = found || one.kind == kind;
    return found;
  };
  CHECK(advised(serving_finding_kind::cache_sharding));
  asked.job.engine = serving_engine::vllm;                   // shards keys and values by heads alone
  asked.job.prompt = asked.job.output = fixed_length(2048);  // of shorter ones the device waits for the host
  CHECK_FALSE(advised(serving_finding_kind::cache_sharding));
  CHECK(advised(serving_finding_kind::cache_dtype));
  // A cache in int8 is none of vLLM's, and v4 does not multiply fp8; blocks of 24 are none of vLLM's either, which let
  // any advice pass.
  asked.slice = "v4-16";
  CHECK_FALSE(advised(serving_finding_kind::cache_dtype));
  asked.job.block_tokens = 24;
  CHECK_FALSE(advised(serving_finding_kind::cache_dtype));
  asked.job.engine = serving_engine::sglang_jax;
  asked.slice = "v6e-8", asked.job.policy = cache_policy::reserved;
  CHECK_FALSE(advised(serving_finding_kind::cache_dtype));
  asked.job = serve_request{}.job, asked.job.request_rate = per_second{1};
  asked.job.engine = serving_engine::jetstream;
  for (const auto& one : answer_to_serve(config, asked, price_book{}).advice)
    CHECK((one.kind != serving_finding_kind::cache_dtype || one.better == "int8"));
}

TEST_CASE("a layout that an engine does not start is advised no other that it does not start") {
  const model_config config = model_of(load_json(std::string(TPUPLAN_DATA_DIR) + "/models/deepseek-v2-lite.json"));
  serve_request asked;
  asked.slice = "v6e-16";  // of several VMs, which are one replica of vLLM
  asked.job.concurrency = 64;
  const auto advised = [&](serving_finding_kind kind) {
    bool found = false;
    for (const auto& one : answer_to_serve(config, asked, price_book{}).advice) found = found || one.kind == kind;
    return found;
  };
  CHECK((advised(serving_finding_kind::replicas) && advised(serving_finding_kind::cache_sharding)));
  asked.job.engine = serving_engine::vllm;
  CHECK_FALSE((advised(serving_finding_kind::replicas) || advised(serving_finding_kind::cache_sharding)));
  CHECK(advised(serving_finding_kind::cache_dtype));
}

TEST_CASE("images in layers of their own are refused") {
  const model_config config = model_of(load_json(std::string(TPUPLAN_DATA_DIR) + "/models/llama-3.2-11b-vision.json"));
  serve_request asked;
  asked.slice = "v6e-8";
  asked.job.images = 1;
  CHECK(says(refusal_of([&] { (void)answer_to_serve(config, asked, price_book{}); }).message, "layers of their own"));
}

TEST_CASE("images are tokens on top of the prompt and work of the tower") {
  const model_config config = model_of({{"model_type", "paligemma"}});
  serve_request asked;
  asked.slice = "v6e-1";
  asked.job.beyond_max_positions = true;
  asked.job.images = 2;
  const serve_answer seen = answer_to_serve(config, asked, price_book{});
  const std::int64_t tokens = image_tokens(config.model.vision);
  CHECK(seen.job.prompt.longest == 1024 + 2 * tokens);
  asked.job.images = 0;
  asked.job.prompt = fixed_length(1024 + 2 * tokens);
  const serve_answer read = answer_to_serve(config, asked, price_book{});
  CHECK(seen.estimate.prefill > read.estimate.prefill);
  CHECK(seen.estimate.memory.weights == read.estimate.memory.weights);
  const slice where = slice_for("v6e-1");
  const prefill_breakdown with = prefill_time(config.model, {3, 1024}, seen.job, {}, where);
  const prefill_breakdown without = prefill_time(config.model, {3, 1024}, read.job, {}, where);
  // At the rate of the products: seconds for each FLOP are the same.
  const prefill_breakdown two = prefill_time(config.model, {6, 1024}, seen.job, {}, where);
  CHECK(close(two.images.value(), 2 * with.images.value()));
  const flops tower = vision_flops_per_image(config.model.vision) * 6.0;
  CHECK(close((tower / peak_rate(where.chip) / with.images), default_serving_calibration.prefill_mxu, 1e-9));
  CHECK(close((with.total - without.total).value(), with.images.value(), 1e-9));
  CHECK(without.images == 0_s);
  serving_job found = seen.job;  // images are found with the prompt that they are part of
  found.prefix_hit_rate = 0.25;
  CHECK(close(prefill_time(config.model, {3, 1024}, found, {}, where).images.value(), 0.75 * with.images.value()));
  CHECK(says(assumed_engine(serving_engine::unnamed, config.model, 2).back().second, "on top of the prompt"));
  model_config text;
  text.model = llama_3_8b();
  asked.job.images = 1;
  CHECK(says(refusal_of([&] { (void)answer_to_serve(text, asked, price_book{}); }).message, "no vision tower"));
}

TEST_CASE("an encoder answers requests, and is asked what it has") {
  model_config config;
  config.model = bert_base();
  serve_request asked;
  asked.slice = "v6e-1";
  use_own_lengths(config.model, false, false, asked.job);
  CHECK(asked.job.prompt.longest == 512);
  CHECK(asked.job.output.mean == 0);
  const serve_answer found = answer_to_serve(config, asked, price_book{});
  REQUIRE(found.encoder.has_value());
  CHECK(found.kind == architecture::encoder);
  CHECK(found.job.prefill_chunk == 16384);
  CHECK(found.encoder->together.size() == 6);  // 1, 2, 4, 8, 16 and 32 requests
  CHECK(close(found.encoder->together.back().rate.value(), found.estimate.capacity.value(), 1e-12));
  CHECK(close(found.encoder->step.total.value(), found.estimate.first_token.value(), 1e-12));
  CHECK(found.software.empty());
  CHECK(found.frontier.count == 0);
  REQUIRE_FALSE(found.costs.empty());
  CHECK(close(found.costs.front().requests_usd_per_million, 512 * found.costs.front().input_usd_per_million, 1e-12));
  // One process, as engines that decode have it.
  CHECK(close(found.encoder->capacity_of_one_process.value(), 1 / default_serving_calibration.engine_request.value(),
              1e-12));
  CHECK(assumed_kind(serving_job{}, config.model).size() == 3);
  CHECK(assumed_kind(serving_job{}, t5_base()).size() == 1);
  CHECK(assumed_kind(serving_job{}, llama_3_8b()).empty());
  CHECK(assumed_schedule(asked.job, config.model).empty());
  asked.job.percentiles.first_token = {0.99, 20_ms};
  asked.job.request_rate = per_second{1000};
  const serve_answer held = answer_to_serve(config, asked, price_book{});
  REQUIRE(held.simulated.has_value());
  CHECK(*held.meets_targets);
  asked.job.percentiles.first_token.limit = 3_ms;
  const serve_answer missed = answer_to_serve(config, asked, price_book{});
  CHECK_FALSE(*missed.meets_targets);
  for (const serving_change_row& change : missed.changes) CHECK(change.change != serving_lever::chunk);
  asked.job.percentiles = {};
  asked.adapters = 2, asked.adapter_rank = 8;
  CHECK(says(refusal_of([&] { (void)answer_to_serve(config, asked, price_book{}); }).message, "adapters is 2"));
  asked.adapters = asked.adapter_rank = 0;
  asked.job.speculation = {4, 0.8, 0, 0.1};
  CHECK(says(refusal_of([&] { (void)answer_to_serve(config, asked, price_book{}); }).message,
             "speculation.draft_tokens is 4"));
}

TEST_CASE("a pair of stacks has the lengths of its windows") {
  serving_job job = usual_traffic();
  use_own_lengths(whisper_large_v3(), false, false, job);
  CHECK(job.prompt.longest == 1500);
  CHECK(job.output.longest == 256);
  use_own_lengths(whisper_large_v3(), true, true, job);
  CHECK(job.prompt.longest == 1500);
  // An encoder of text has positions too, but no window: a prompt has what is usual, or what the model takes.
  transformer text = whisper_large_v3();
  text.encoder_stem = 0, text.encoder_positions = text.max_positions = 16384;
  serving_job open = usual_traffic();
  use_own_lengths(text, false, false, open);
  CHECK(open.prompt.longest == 1024);
  text.max_positions = 512;
  use_own_lengths(text, false, false, open);
  CHECK(open.prompt.longest == 512);
  model_config config;
  config.model = whisper_large_v3();
  serve_request asked;
  asked.slice = "v6e-1";
  asked.job = job;
  const serve_answer found = answer_to_serve(config, asked, price_book{});
  CHECK_FALSE(found.encoder.has_value());
  CHECK(found.estimate.output_tokens.value() > 0);
  CHECK(found.estimate.per_token.extrapolated);
  CHECK(found.frontier.count > 0);
}

TEST_CASE("adapters lie beside the weights and leave fewer sequences") {
  model_config config;
  config.model = llama_3_8b();
  serve_request asked;
  asked.slice = "v6e-1";
  const serve_answer base = answer_to_serve(config, asked, price_book{});
  CHECK_FALSE(base.adapters.has_value());
  asked.job.tpot_target = 30_ms;
  const double chance = *answer_to_serve(config, asked, price_book{}).chance_to_keep_tpot;
  asked.adapters = 32, asked.adapter_rank = 16;
  CHECK(*answer_to_serve(config, asked, price_book{}).chance_to_keep_tpot < chance);
  asked.job.tpot_target = {};
  const serve_answer with = answer_to_serve(config, asked, price_book{});
  REQUIRE(with.adapters.has_value());
  CHECK(with.adapters->each_device == bytes{32 * 41943040.0 * 2});  // 81920 x 16 x 32 layers
  CHECK(close(with.estimate.memory.weights.value() - base.estimate.memory.weights.value(),
              1.02 * with.adapters->each_device.value(), 1e-9));
  CHECK(with.estimate.largest_running < base.estimate.largest_running);
  CHECK(close(with.adapters->output_tokens_low.value(), 0.761 * with.estimate.output_tokens.value()));
  CHECK(close(with.adapters->output_tokens_high.value(), 0.916 * with.estimate.output_tokens.value()));
  asked.slice = "v6e-4", asked.mesh.tensor = 4;  // half of each on every device, half cut in four
  CHECK(answer_to_serve(config, asked, price_book{}).adapters->each_device == bytes{32 * 41943040.0 * 2 * 0.625});
  asked.adapter_rank = 0;
  CHECK(says(refusal_of([&] { (void)answer_to_serve(config, asked, price_book{}); }).message, "adapter_rank"));
}

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
  CHECK(says(assumed_basis(asked.job, 160_ms).back().second, "160 ms"));
  // Eight prompts in one step, in two, and one after another in waves of whole requests.
  serving_estimate estimate;
  estimate.replicas = 1, estimate.largest_running = 8, estimate.prefill = 20_ms;
  estimate.per_token.total = 10_ms;
  asked.job.prompt = fixed_length(100), asked.job.output = fixed_length(50), asked.job.prefill_chunk = 800;
  const slice where = slice_for("v6e-8");
  const auto wait = [&] { return burst_wait(config.model, asked.job, {}, where, estimate); };
  const auto of = [&](std::int64_t prompts) {
    return engine_prefill_time(config.model, asked.job, {}, where, default_serving_calibration, prompts);
  };
  CHECK(wait().value() == Approx(of(8).value()));
  asked.job.prefill_chunk = 400;
  CHECK(wait().value() == Approx(2 * of(4).value()));
  estimate.largest_running = 4;
  CHECK(wait().value() == Approx(of(4).value() + 0.02 + 50 * 0.01));
  asked.job.concurrency = 1;  // who is alone waits for its own prompt
  CHECK(wait().value() == Approx(of(1).value()));
}

TEST_CASE("of clients of an encoder that begin at once the last waits for full steps and for what is left") {
  model_config config;
  config.model = bert_base();
  serving_job job;
  job.prompt = fixed_length(512), job.output = {}, job.concurrency = 250;
  const slice where = slice_for("v6e-1");
  job = as_engine_runs(job, config.model);
  const serving_estimate estimate = serve(config.model, job, {}, where);
  const std::int64_t most = estimate.largest_running;
  const auto step = [&](std::int64_t requests) {
    return encoder_step_time(config.model, static_cast<double>(requests), job, {}, where).total;
  };
  REQUIRE((most > 1 && most < 250));
  const seconds last = burst_wait(config.model, job, {}, where, estimate);
  CHECK(last.value() == Approx((static_cast<double>(250 / most) * step(most) + step(250 % most)).value()));
  CHECK(assumed_basis(job, last).back().first == "answer");
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

TEST_CASE("targets by percentile are kept with the chance that simulate says") {
  model_config config;
  config.model = llama_3_8b();
  serve_request asked;
  asked.slice = "v6e-4";
  asked.job.request_rate = per_second{12};
  asked.job.percentiles.per_token = {0.95, 25_ms};
  const serve_answer served = answer_to_serve(config, asked, price_book{});
  REQUIRE(served.chance_at_targets.has_value());
  simulate_request same;
  same.slice = asked.slice, same.job = asked.job;
  const simulate_answer simulated = answer_to_simulate(config, same, price_book{});
  CHECK(served.slowdown == simulated.slowdown);
  CHECK(served.chance_at_targets == simulated.chance);
  asked.job.percentiles.per_token.limit = 60_ms;
  CHECK(*answer_to_serve(config, asked, price_book{}).chance_at_targets > *served.chance_at_targets);
  asked.job.percentiles = {};
  CHECK_FALSE(answer_to_serve(config, asked, price_book{}).chance_at_targets.has_value());
}

}  // namespace ask_serving_tests
