// Serving runs of the caller's own: every time of an estimate follows, and nothing follows from the other kind.
#include <cmath>
#include <tpuplan/estimate/serving/own_runs.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/simulate/step_times.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_serving_own_runs_tests {

namespace {

serving_job chat() {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  return job;
}

}  // namespace

TEST_CASE("a token time of one's own draws decode, not prefill") {
  const transformer m = llama_3_8b();
  const slice where = slice_for("v6e-8");
  const serving_job job = chat();
  const seconds before = time_per_token(m, 16, job, {}, where).total;
  const serving_calibration mine = with_own_decode({}, 2 * before, m, 16, job, {}, where);
  CHECK(mine.own_decode.count == 1);
  CHECK(close(mine.own_decode.items[0].ratio, std::log(2.0)));
  const token_time token = time_per_token(m, 16, job, {}, where, mine);
  const double factor = token.total / before;
  CHECK(factor > 1.4);
  CHECK(factor < 2);
  CHECK(token.high / token.low <
        time_per_token(m, 16, job, {}, where).high / time_per_token(m, 16, job, {}, where).low);
  CHECK(close((token.step.total + token.prompts + token.engine).value(), token.total.value(), 1e-9));
  const decode_breakdown step = decode_step(m, {16, 1152}, job, {}, where, mine);
  CHECK(close(step.total / decode_step(m, {16, 1152}, job, {}, where).total, factor, 1e-2));
  CHECK(close(
      (max(step.weights, step.products) + step.cache + step.collectives + step.latency + step.paging + step.dispatch)
          .value(),
      step.total.value(), 1e-9));
  const double far = time_per_token(m, 256, job, {}, where, mine).total / time_per_token(m, 256, job, {}, where).total;
  CHECK(far > 1);
  CHECK(far < factor);
  CHECK(prefill_time(m, {1, 1024}, job, {}, where, mine).total == prefill_time(m, {1, 1024}, job, {}, where).total);
  // The whole estimate and the simulation's step times know it too.
  CHECK(serve(m, job, {}, where, mine).per_token.total > serve(m, job, {}, where).per_token.total);
  const replica_step_times times(m, job, {}, where, 32, mine), plain(m, job, {}, where, 32);
  const step_work work{16, 16 * 1100, 0, seconds{0}, 0};
  CHECK(close(times.step(work) / plain.step(work), factor, 1e-6));
}

TEST_CASE("what an engine does by itself, and a whole slice, are no other job when they are said") {
  const transformer m = llama_3_8b();
  const slice where = slice_for("v6e-8");
  serving_job job = chat();
  job.engine = serving_engine::vllm;
  serving_calibration mine;
  for (const double ms : {12.9, 13.0, 13.1}) mine = with_own_decode(mine, seconds{ms * 1e-3}, m, 32, job, {}, where);
  serving_layout whole;
  whole.tensor = 8;
  const token_time said = time_per_token(m, 32, as_engine_runs(job), whole, where, mine);
  CHECK(close(said.total.value(), 13.0e-3, 0.005));
  CHECK(said.high < 1.07 * said.total);
  job.prefill_chunk = 8192;
  CHECK(time_per_token(m, 32, job, {}, where, mine).high > 1.1 * said.high);
}

TEST_CASE("a time that no chip can have is refused") {
  const transformer m = llama_3_8b();
  const slice where = slice_for("v6e-8");
  const serving_job job = chat();
  // The floor of 32 sequences: weights and cache at the peak rate of HBM.
  const seconds least = detail::token_floor(m, 32, job, {}, where, {});
  CHECK(least > seconds{16.06e9 / (8 * 1638e9)});
  CHECK(least < time_per_token(m, 32, job, {}, where).low);
  CHECK_NOTHROW(with_own_decode({}, least, m, 32, job, {}, where));
  const refusal decode = refusal_of([&] { (void)with_own_decode({}, 0.98 * least, m, 32, job, {}, where); });
  CHECK(says(decode.message, "measured time of a token is 0.001"));
  CHECK(says(decode.message, "us, which peak rates, HBM and links take"));
  serving_job drafted = job;
  drafted.speculation.draft_tokens = 4, drafted.speculation.accepted_length = 3;
  drafted.speculation.draft_cost = 0.1;
  CHECK(close(detail::token_floor(m, 32, drafted, {}, where, {}).value(), least.value() / 3));
  const seconds prompt = detail::prompt_floor(m, job, {}, where, {});
  CHECK_NOTHROW(with_own_prefill({}, prompt, m, job, {}, where));
  const refusal prefill = refusal_of([&] { (void)with_own_prefill({}, 0.98 * prompt, m, job, {}, where); });
  CHECK(says(prefill.message, "measured time to the first token is"));
}

TEST_CASE("a token time of one's own engine says less of another engine") {
  const transformer m = llama_3_8b();
  const slice where = slice_for("v6e-8");
  serving_job job = chat();
  const auto factor = [&](serving_engine ran, serving_engine asked) {
    job.engine = ran;
    const seconds measured = 2 * time_per_token(m, 16, job, {}, where).total;
    const serving_calibration mine = with_own_decode({}, measured, m, 16, job, {}, where);
    job.engine = asked;
    return time_per_token(m, 16, job, {}, where, mine).total / time_per_token(m, 16, job, {}, where).total;
  };
  const double same = factor(serving_engine::vllm, serving_engine::vllm);
  const double unsaid = factor(serving_engine::vllm, serving_engine::unnamed);
  const double other = factor(serving_engine::vllm, serving_engine::vllm_torch_xla);
  CHECK(same > unsaid);
  CHECK(unsaid > other);
  CHECK(other > 1);
  CHECK(close(factor(serving_engine::unnamed, serving_engine::unnamed), same, 1e-9));
  // Each engine that is named has a kind of its own.
  for (const serving_engine engine :
       {serving_engine::jetstream, serving_engine::vllm_torch_xla, serving_engine::sglang_jax, serving_engine::example})
    CHECK(close(factor(serving_engine::vllm, engine), other, 1e-9));
}

TEST_CASE("a first port is of the same kind and recipe, of another level") {
  const transformer m = llama_3_8b();
  const slice where = slice_for("v6e-8");
  serving_job job = chat();
  const auto features = [&](software_level level) {
    job.software = level;
    return detail::served_by_valid(m, job, {}, where, true).about;
  };
  const run_features unnamed = features(software_level::unnamed);
  CHECK(unnamed.level == 0);
  for (const software_level level : {software_level::tuned, software_level::general, software_level::first_port}) {
    CHECK(features(level).kind == unnamed.kind);
    CHECK(features(level).recipe == unnamed.recipe);
    CHECK(features(level).level == static_cast<std::uint32_t>(level));
  }
}

TEST_CASE("a time to the first token of one's own draws prefill, not decode") {
  const transformer m = llama_3_8b();
  const slice where = slice_for("v6e-8");
  const serving_job job = chat();
  const seconds before = engine_prefill_time(m, job, {}, where);
  const serving_calibration mine = with_own_prefill({}, 0.5 * before, m, job, {}, where);
  CHECK(close(mine.own_prefill.items[0].ratio, -std::log(2.0)));
  const double factor = engine_prefill_time(m, job, {}, where, mine) / before;
  CHECK(factor < 0.8);
  CHECK(factor > 0.5);
  const prefill_breakdown t = prefill_time(m, {1, 1024}, job, {}, where, mine);
  CHECK(close((t.products + t.attention + t.elementwise + t.dispatch + t.weights + t.collectives + t.latency).value(),
              t.total.value(), 1e-9));
  CHECK(decode_step(m, {16, 1152}, job, {}, where, mine).total == decode_step(m, {16, 1152}, job, {}, where).total);
  CHECK(says(refusal_of([&] { (void)with_own_prefill({}, 0_s, m, job, {}, where); }).message, "first token is 0"));
  CHECK(says(refusal_of([&] { (void)with_own_decode({}, 0_s, m, 16, job, {}, where); }).message, "a token is 0"));
}

TEST_CASE("a second run of one's own is held against the estimate without the first") {
  const transformer m = llama_3_8b();
  const slice where = slice_for("v6e-8");
  const serving_job job = chat();
  const seconds token = time_per_token(m, 16, job, {}, where).total, first = engine_prefill_time(m, job, {}, where);
  serving_calibration mine = with_own_decode({}, 2 * token, m, 16, job, {}, where);
  mine = with_own_decode(mine, 3 * token, m, 16, job, {}, where);
  CHECK(mine.own_decode.count == 2);
  CHECK(close(mine.own_decode.items[1].ratio, std::log(3.0)));
  mine = with_own_prefill(mine, 0.5 * first, m, job, {}, where);
  mine = with_own_prefill(mine, 4 * first, m, job, {}, where);
  CHECK(mine.own_prefill.count == 2);
  CHECK(close(mine.own_prefill.items[1].ratio, std::log(4.0)));
}

TEST_CASE("an engine that was measured is served as it was measured, where its host hides behind prompts too") {
  const transformer m = llama_3_8b();
  const slice where = slice_for("v6e-4");
  serving_job job;
  job.prompt = fixed_length(1024), job.output = fixed_length(256);
  job.engine = serving_engine::vllm;
  job.concurrency = 64;
  const serving_estimate before = serve(m, job, {}, where);
  REQUIRE(before.per_token.engine > 0.1 * before.per_token.total);  // its host limits it
  serving_job running = job;
  running.concurrency = 0;
  for (const double times : {0.7, 1.0, 1.6}) {
    const seconds measured = times * before.per_token.total;
    const serving_estimate after =
        serve(m, job, {}, where, with_own_decode({}, measured, m, before.running, running, {}, where));
    CAPTURE(times);
    CHECK(close(after.per_token.total.value(), measured.value(), 0.03));
    CHECK((after.per_token.low < measured && measured < after.per_token.high));
  }
}

}  // namespace estimate_serving_own_runs_tests
