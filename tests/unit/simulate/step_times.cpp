// Step times are those of the closed forms for the same batch, context and prompt.
#include <algorithm>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/step_times.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_step_times_tests {

namespace {

constexpr serving_calibration no_host = [] {
  serving_calibration constants;
  constants.engine_step = constants.engine_array = constants.engine_sequence = constants.engine_request = seconds{0};
  return constants;
}();

serving_job chat_job() {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  job.block_tokens = 16;
  return job;
}

/// Gemma's way: every second layer sees only the last 512 tokens.
transformer with_windows() {
  transformer model = llama_3_8b();
  model.attention.window = 512;
  model.attention.local_layers = 16;
  return model;
}

}  // namespace

TEST_CASE("steps take as many times as long as is said, those of prompts alone and those that decode") {
  const slice where = slice_for("v6e-8");
  const replica_step_times plain{llama_3_8b(), chat_job(), {}, where, 8};
  const replica_step_times longer{llama_3_8b(), chat_job(), {}, where, 8, default_serving_calibration, {3, 0.5}};
  const step_work prompt{0, 0, 512, plain.attention(0, 512), 0}, both{8, 4096, 512, plain.attention(0, 512), 0};
  CHECK(close(longer.step(prompt) / plain.step(prompt), 3));
  CHECK(close(longer.step(both) / plain.step(both), 0.5));
  CHECK(longer.attention(0, 512) == plain.attention(0, 512));
  const auto refused = [&](const step_factors& factors) {
    return refusal_of([&] {
             (void)replica_step_times{llama_3_8b(), chat_job(), {}, where, 8, default_serving_calibration, factors};
           })
        .message;
  };
  CHECK(says(refused({0, 1}), "step_factors.prompts is 0"));
  CHECK(says(refused({1, -1}), "step_factors.tokens is -1"));
}

TEST_CASE("a step that only decodes is decode_step, or the host's time") {
  const slice where = slice_for("v6e-8");
  for (const transformer& model : {llama_3_8b(), with_windows()}) {
    const replica_step_times device{model, chat_job(), {}, where, 300, no_host};
    const replica_step_times engine{model, chat_job(), {}, where, 300};
    for (const std::int64_t sequences : {1, 7, 64, 300}) {
      for (const std::int64_t context : {16, 500, 1024, 3000}) {
        const double expected =
            decode_step(model, {static_cast<double>(sequences), static_cast<double>(context)}, chat_job(), {}, where)
                .total.value();
        const step_work work{sequences, sequences * context, 0, {}, 0};
        CHECK(close(device.step(work).value(), expected));
        const serving_calibration c;
        const seconds each = c.engine_sequence + c.engine_request / chat_job().output.mean;
        const seconds host = c.engine_step + c.engine_array * (32 * 10 * 8) + static_cast<double>(sequences) * each;
        CHECK(close(engine.step(work).value(), std::max(expected, host.value())));
      }
    }
  }
}

TEST_CASE("the worked numbers of steps") {
  serving_calibration slow_host = no_host;
  slow_host.engine_step = 1_s;
  const replica_step_times times{llama_3_8b(), chat_job(), {}, slice_for("v6e-8"), 8, slow_host};
  CHECK(times.step({7, 7 * 500, 0, {}, 0}) == 1_s);
  CHECK(close(times.attention(512, 1024) / times.attention(0, 512), 3, 0.005));
}

TEST_CASE("a step of prompts alone is a prefill in an engine, whole or in chunks") {
  const slice where = slice_for("v6e-8");
  for (const transformer& model : {llama_3_8b(), with_windows()}) {
    serving_job job = chat_job();
    const replica_step_times times{model, job, {}, where, 8};
    const auto chunk = [&](std::int64_t from, std::int64_t to) {
      return times.step({0, 0, to - from, times.attention(from, to), 0}).value();
    };
    CHECK(close(chunk(0, 1024), engine_prefill_time(model, job, {}, where).value()));
    job.prefill_chunk = 300;
    const double chunks = chunk(0, 300) + chunk(300, 600) + chunk(600, 900) + chunk(900, 1024);
    CHECK(close(chunks, engine_prefill_time(model, job, {}, where).value()));
    CHECK(chunk(900, 1024) > chunk(0, 124));  // what was taken in is attended to
  }
}

TEST_CASE("prompts beside sequences that decode add their share of a token's time") {
  const slice where = slice_for("v6e-8");
  for (const serving_engine engine : {serving_engine::unnamed, serving_engine::vllm_torch_xla}) {
    serving_job job = chat_job();
    job.engine = engine;
    const replica_step_times times{llama_3_8b(), job, {}, where, 64, no_host};
    const token_time token = time_per_token(llama_3_8b(), 64, job, {}, where, no_host);
    // 64 sequences of 256 output tokens end, and 64 prompts come, in 256 steps: a quarter of a prompt in each, of which
    // a token meets those of the 63 others.
    const std::int64_t context = 64 * (1024 + 128);
    const seconds attention = times.attention(0, 1024) / 4.0;
    CHECK(close(times.step({64, context, 256, attention, 0}).value(),
                (token.step.total + token.prompts * (64.0 / 63)).value()));
    // Between decode steps a prompt takes what it takes in an idle engine.
    const double alone = engine_prefill_time(llama_3_8b(), job, {}, where, no_host).value();
    CHECK(close(times.step({0, 0, 1024, times.attention(0, 1024), 64}).value(), alone));
  }
}

TEST_CASE("vLLM over several hosts takes host and device in turn") {
  const slice where = slice_for("v6e-16");
  serving_job job = chat_job();
  job.engine = serving_engine::vllm;
  const serving_layout mesh{0, weight_sharding::one_dimension, cache_sharding::batch};
  const replica_step_times times{llama_3_8b(), job, mesh, where, 8};
  const token_time token = time_per_token(llama_3_8b(), 8, job, mesh, where);
  REQUIRE(token.engine.value() > 0);
  CHECK(close(times.step({8, 8 * (1024 + 128), 0, {}, 0}).value(), (token.step.total + token.engine).value()));
}

TEST_CASE("what cannot be estimated is refused") {
  const slice where = slice_for("v6e-8");
  CHECK(refusal_of([&] { replica_step_times(llama_3_8b(), chat_job(), {}, where, 0); }).refused);
  CHECK(refusal_of([&] { replica_step_times(llama_3_8b(), {}, {}, where, 8); }).refused);
}

TEST_CASE("the host works for first tokens as for any other, whatever else a step does") {
  serving_job job = chat_job();
  job.output = fixed_length(2);
  const serving_calibration c;
  const seconds each = c.engine_sequence + c.engine_request / 2;
  const replica_step_times times{llama_3_8b(), job, {}, slice_for("v6e-8"), 8};
  CHECK(close(times.step({0, 0, 16, {}, 0, 8, 8}).value(), 8 * each.value()));  // which hides 16 tokens of prompts
  CHECK(close((times.step({4, 64, 16, {}, 0, 2, 2}) - times.step({6, 96, 0, {}, 0})).value(), 0, 1e-12));
  CHECK(times.step({0, 0, 16, {}, 0, 1, 0}) < each);  // of a request that came to an idle replica
}

}  // namespace plan_step_times_tests
