// Encoders that embed and rank texts, and pairs of stacks that decode: by hand, beside the simulation, and what is
// refused.
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/estimate/serving/advice.hpp>
#include <tpuplan/estimate/serving/encoder.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/speculation.hpp>
#include <tpuplan/simulate/simulation.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/stacks.hpp"

using namespace tpuplan;

namespace estimate_serving_encoder_tests {

namespace {

serving_job texts(std::int64_t tokens) {
  serving_job job;
  job.prompt = fixed_length(tokens);
  job.prefill_chunk = 16384;
  return job;
}
serving_job pairs(std::int64_t source, std::int64_t target) {
  serving_job job;
  job.prompt = fixed_length(source);
  job.output = fixed_length(target);
  return job;
}
serving_job at_rate(serving_job job, double rate) {
  job.request_rate = per_second{rate};
  return job;
}
double mean_answer(const serving_job& job, std::int64_t requests) {
  const serving_fleet fleet{{}, slice_for("v6e-1"), 1};
  const std::vector<simulated_request> drawn = requests_of(traffic_of(job, requests));
  return report_of(simulate_fleet(bert_base(), job, fleet, 1, drawn), {}).first_token.value.mean.value();
}

}  // namespace

TEST_CASE("a step of BERT base by hand, at peak rates") {
  CHECK(parameters(bert_base()).total == 109514298);
  const slice where = slice_for("v6e-1");
  const serving_job job = texts(512);
  const encoder_step step = encoder_step_time(bert_base(), 32, job, {}, where, peak_only);
  // 12 layers of 4 x 768^2 and 2 x 768 x 3072 weights, two FLOPs each for 16384 tokens; scores over all 512 tokens.
  const double weights = 12 * (4 * 768.0 * 768 + 2 * 768.0 * 3072), tokens = 32 * 512;
  CHECK(weights == 84934656);
  const double peak = peak_rate(where.chip, dtype::bf16).value();
  CHECK(close(step.device.products.value(), 2 * weights * tokens / peak, 1e-12));
  CHECK(close(step.device.attention.value(), 12 * 4 * 768.0 * 512 * tokens / peak, 1e-12));
  CHECK(close(step.device.weights.value(), 2 * weights / where.chip.hbm.bandwidth.value(), 1e-12));
  CHECK(close(step.device.products.value(), 3.0317e-3, 1e-4));  // of 918 TFLOP/s
  CHECK(close((step.device.products + step.device.attention + step.device.weights).value(), step.device.total.value(),
              1e-12));
  CHECK(step.total == step.device.total);
  CHECK(step.limited_by == decode_limit::products);
}

TEST_CASE("a step has the parts of a prefill, a host, and a wide band") {
  const slice where = slice_for("v6e-1");
  const serving_job job = texts(512);
  for (const double requests : {1.0, 4.0, 32.0}) {
    const encoder_step step = encoder_step_time(bert_base(), requests, job, {}, where);
    const prefill_breakdown alone = prefill_time(bert_base(), {requests, 512}, texts(512), {}, where);
    const double engine = default_serving_calibration.engine_prefill;
    CHECK(close(step.device.products.value(), engine * alone.products.value(), 1e-12));
    CHECK(close(step.device.total.value(), engine * alone.total.value(), 1e-9));
    const prefill_breakdown& on = step.device;
    const seconds parts = on.products + on.attention + on.elementwise + on.dispatch + on.weights + on.collectives +
                          on.latency + on.images;
    CHECK(close(parts.value(), on.total.value(), 1e-12));
    CHECK(step.total == max(on.total, step.host));
    CHECK(step.low < step.total);
    CHECK(step.high > 2 * step.total);
    CHECK(on.extrapolated);
  }
  CHECK(encoder_step_time(bert_base(), 1, job, {}, where).limited_by == decode_limit::overhead);  // 2 ms of the host
  const prefill_breakdown short_text = prefill_time(bert_base(), {1, 64}, job, {}, where);
  const prefill_breakdown long_text = prefill_time(bert_base(), {1, 512}, job, {}, where);
  CHECK(close(long_text.attention / short_text.attention, 64, 1e-9));  // all of a text, not what is before a token
  CHECK(close(long_text.weights / short_text.weights, 1, 1e-12));
}

TEST_CASE("requests a second of BERT base, in the closed form and simulated") {
  const slice where = slice_for("v6e-1");
  const serving_estimate all = serve(bert_base(), texts(512), {}, where);
  CHECK(all.largest_running == 32);  // 16384 tokens
  CHECK(all.running == 32);
  const encoder_step full = encoder_step_time(bert_base(), 32, texts(512), {}, where);
  CHECK(close(all.capacity.value(), 32 / full.total.value(), 1e-12));
  CHECK(close(all.requests.value(), all.capacity.value(), 1e-12));
  CHECK(close(all.input_tokens.value(), 512 * all.requests.value(), 1e-12));
  CHECK(all.output_tokens.value() == 0);
  CHECK(all.per_token.total == 0_s);
  serving_job one = texts(512);
  one.concurrency = 1;
  CHECK(close(serve(bert_base(), one, {}, where).first_token.value(),
              encoder_step_time(bert_base(), 1, one, {}, where).total.value(), 1e-12));
  one.concurrency = 64;  // half of them wait for the step that runs
  CHECK(close(serve(bert_base(), one, {}, where).first_token.value(), 2 * full.total.value(), 1e-12));
  for (const std::int64_t most : {std::int64_t{0}, std::int64_t{4}, std::int64_t{1}}) {
    serving_job job = texts(512);
    job.max_running = most;
    const double capacity = serve(bert_base(), job, {}, where).capacity.value();
    for (const double load : {0.02, 0.3, 0.6, 0.9}) {
      INFO(most << " together, load " << load);
      const serving_job busy = at_rate(job, load * capacity);
      CHECK(close(serve(bert_base(), busy, {}, where).first_token.value(), mean_answer(busy, 12000), 0.08));
    }
    CHECK(serve(bert_base(), at_rate(job, capacity), {}, where).refusal == serving_refusal::rate_above_capacity);
  }
  const serving_estimate four = serve(bert_base(), at_rate(texts(512), 4000), {1}, slice_for("v6e-4"));
  CHECK(four.replicas == 4);
  CHECK(close(four.capacity.value(), 4 * all.capacity.value(), 1e-12));
}

TEST_CASE("texts of varied lengths fill steps less, and wait as simulated ones do", "[agreement]") {
  const slice where = slice_for("v6e-1");
  for (const std::int64_t tokens : {2048, 16384}) {
    serving_job job = texts(512);
    job.prompt = lengths_of(log_normal_lengths(100, 1, 512)), job.prefill_chunk = tokens;
    const double capacity = serve(bert_base(), job, {}, where).capacity.value();
    const auto simulated = [&](const serving_job& busy) {
      const simulated_traffic traffic = traffic_of(busy, 20000, 1, {log_normal_lengths(100, 1, 512), {}, 0, {}});
      return report_of(simulate_fleet(bert_base(), busy, {{}, where, 1}, 1, requests_of(traffic)), {});
    };
    for (const double load : {0.1, 0.5, 0.85, 0.95}) {
      CAPTURE(tokens, load);
      const serving_job busy = at_rate(job, load * capacity);
      const double ratio = serve(bert_base(), busy, {}, where).first_token / simulated(busy).first_token.value.mean;
      CHECK(ratio == Approx(1).margin(load > 0.9 ? 0.25 : 0.05));
    }
    CHECK(simulated(at_rate(job, 2 * capacity)).goodput.value() == Approx(capacity).epsilon(0.03));
  }
  // Of 512 tokens, texts of 100 fill 5; half of the mean length as tokens meet it is left of varied ones.
  serving_job job = texts(100);
  CHECK(detail::packed_together(512, job) == 5);
  job.prompt.mean_square = 20000;
  CHECK(close(detail::packed_together(512, job), 4.12));
  job.max_running = 3;
  CHECK(detail::packed_together(512, job) == 3);
}

TEST_CASE("one client of several replicas of an encoder waits for a whole step") {
  serving_job one = texts(512);
  one.concurrency = 1;
  const serving_estimate single = serve(bert_base(), one, {}, slice_for("v6e-1"));
  const serving_estimate several = serve(bert_base(), one, {1, {}, {}}, slice_for("v6e-4"));
  CHECK(several.replicas == 4);
  CHECK(close(several.first_token.value(), single.first_token.value()));
  CHECK(close(several.requests.value(), single.requests.value()));
}

TEST_CASE("clients beyond a full step of an encoder wait for the step of the others") {
  detail::encoder_terms terms;
  terms.fixed = 1, terms.each = 0.5;
  const detail::encoder_point point = detail::encoder_in_turn(terms, 6, 4);  // steps of 4 and of 2 take turns
  const double full = 1 + 0.5 * 4, others = 1 + 0.5 * 2;
  CHECK(close(point.first, full + others));
  CHECK(close(point.requests, (4.0 * 4 + 2.0 * 2) / 6));  // of the step that a request is in
  CHECK(close(point.queue, others));
  CHECK(close(point.rate, 6 / (full + others)));
  CHECK(close(detail::encoder_in_turn(terms, 20, 4).first, 20.0 / 8 * (2 * full)));
  CHECK(close(detail::encoder_in_turn(terms, 0.25, 4).rate, 0.25 / 1.5));
}

TEST_CASE("dollars of an encoder are those of its tokens, or of its requests") {
  const serving_estimate all = serve(bert_base(), texts(512), {}, slice_for("v6e-1"));
  const serving_cost cost = cost_of_tokens(all, usd_per_hour(2.7));
  CHECK(close(cost.input.value(), 2.7 / 3600 / all.input_tokens.value() * 1e6, 1e-12));
  CHECK(close(cost.requests.value(), 512 * cost.input.value(), 1e-12));
  CHECK(cost.output.value() == 0);
  CHECK(cost.all_on_output.value() == 0);
}

TEST_CASE("memory of an encoder has weights without a head of tokens, and what a step makes of its tokens") {
  const slice where = slice_for("v6e-1");
  const serving_memory idle = serving_memory_use(bert_base(), 0, texts(512), {}, where);
  const serving_memory busy = serving_memory_use(bert_base(), 32, texts(512), {}, where);
  const std::int64_t head = 768 * 768 + 768 + 2 * 768 + 30522;  // a dense layer, a norm and a bias
  CHECK(close(idle.weights.value(), 1.02 * 2 * static_cast<double>(109514298 - head), 1e-9));
  CHECK(idle.cache.value() == 0);
  CHECK(idle.weights == busy.weights);
  // The residual stream twice, and queries, keys, values and both sides of the activation function.
  CHECK(close((busy.workspace - idle.workspace).value(), 32 * 512 * 2 * (2 * 768.0 + 3 * 768 + 2 * 3072), 1e-12));
  for (const serving_memory& use : {idle, busy})
    CHECK(close((use.weights + use.cache + use.workspace).value(), use.total.value(), 1e-12));
  CHECK(largest_running(bert_base(), texts(512), {}, where) == 32);
  const std::int64_t longest = largest_serving_context(bert_base(), texts(512), {}, where);
  const double of_token = 2 * (2 * 768.0 + 3 * 768 + 2 * 3072);
  CHECK(close(static_cast<double>(longest) * of_token,
              (0.9 * usable_hbm_per_device(where.chip) - idle.weights - idle.workspace).value(), 1e-3));
}

TEST_CASE("what an encoder is not asked is refused by name") {
  const slice where = slice_for("v6e-1");
  const auto refused = [&](auto change, const char* words) {
    serving_job job = texts(512);
    change(job);
    INFO(words);
    CHECK(says(refusal_of([&] { (void)serve(bert_base(), job, {}, where); }).message, words));
  };
  refused([](serving_job& j) { j.output = fixed_length(1); },
          "serving_job.output is 1; valid: none: an encoder writes");
  refused([](serving_job& j) { j.prefix_hit_rate = 0.5; }, "serving_job.prefix_hit_rate");
  refused([](serving_job& j) { j.cache = dtype::int8; }, "serving_job.cache is int8; valid: bf16");
  refused([](serving_job& j) { j.policy = cache_policy::reserved; }, "serving_job.policy is reserved");
  refused([](serving_job& j) { j.block_tokens = 16; }, "serving_job.block_tokens is 16");
  refused([](serving_job& j) { j.tpot_target = 1_s; }, "serving_job.tpot_target");
  refused([](serving_job& j) { j.percentiles.per_token.limit = 1_s; }, "serving_job.percentiles.per_token");
  refused([](serving_job& j) { j.prefill_chunk = 256; }, "at least the longest prompt, 512");
  refused([](serving_job& j) { j.prompt = fixed_length(513); }, "longest context of serving is 513");
  refused([](serving_job& j) { j.images = 1; }, "no vision tower");
  refused([](serving_job& j) { j.engine = serving_engine::sglang_jax; },
          "serving_job.engine is sglang-jax; valid: for an encoder unnamed, vllm or example");
  const serving_job job = texts(512);
  CHECK(says(refusal_of([&] { (void)decode_step(bert_base(), {1, 512}, job, {}, where); }).message, "is encoder"));
  CHECK(says(refusal_of([&] { (void)encoder_step_time(t5_base(), 1, pairs(512, 32), {}, where); }).message,
             "step of an architecture is encoder_decoder"));
  CHECK(says(refusal_of([&] { (void)encoder_step_time(bert_base(), 0, job, {}, where); }).message, "requests"));
  serving_job vllm = job;
  vllm.engine = serving_engine::vllm;
  CHECK(serve(bert_base(), vllm, {}, where).refusal == serving_refusal::none);
  CHECK(frontier(bert_base(), job, {}, where).count == 0);
  CHECK(serving_advice(bert_base(), job, {}, where).count == 0);  // full steps on one device
  serving_job few = job;
  few.concurrency = 2;
  const serving_findings found = serving_advice(bert_base(), few, {}, where);
  REQUIRE(found.count == 1);
  CHECK(found.items[0].kind == serving_finding_kind::batch);
}

TEST_CASE("steps of an engine for encoders take 16384 tokens, or the longest text") {
  serving_job job;
  job.prompt = fixed_length(512);
  job.engine = serving_engine::vllm;
  CHECK(as_engine_runs(job, bert_base()).prefill_chunk == encoder_step_tokens);
  job.prompt = fixed_length(20000);
  CHECK(as_engine_runs(job, bert_base()).prefill_chunk == 20000);
  CHECK(as_engine_runs(job, t5_base()).prefill_chunk == 0);
  job.prefill_chunk = 32768;
  CHECK(as_engine_runs(job, bert_base()).prefill_chunk == 32768);
  CHECK_FALSE(writes_tokens(bert_base()));
  CHECK(writes_tokens(t5_base()));
}

TEST_CASE("T5 base and Whisper by hand, at peak rates") {
  const slice where = slice_for("v6e-1");
  const double hbm = where.chip.hbm.bandwidth.value(), peak = peak_rate(where.chip, dtype::bf16).value();
  CHECK(parameters(t5_base()).total == 222903552);
  CHECK(parameters(whisper_large_v3()).total == 1543490560);
  // A target token of T5 base passes 6 x 768^2 and 2 x 768 x 3072 weights in each of 12 layers, and the table.
  const double layer = 6 * 768.0 * 768 + 2 * 768.0 * 3072, table = 32128.0 * 768;
  const double norms = (12 * 3 + 1) * 768, relative = 32 * 12;
  const serving_job job = pairs(512, 128);
  const decode_breakdown step = decode_step(t5_base(), {1, 576}, job, {}, where, peak_only);
  CHECK(close(step.weights.value(), 2 * (12 * layer + table + norms + relative) / hbm, 1e-12));
  CHECK(close(step.products.value(), 2 * (12 * layer + table) / peak, 1e-12));
  CHECK(close(step.cache.value(), 576 * 12 * 2 * 768 * 2 / hbm, 1e-12));
  CHECK(step.extrapolated);
  // The source passes the encoder, and the keys and values for cross-attention.
  const prefill_breakdown source = prefill_time(t5_base(), {1, 512}, job, {}, where, peak_only);
  const double encoder = 12 * (4 * 768.0 * 768 + 2 * 768.0 * 3072), cross = 12 * 2 * 768.0 * 768;
  CHECK(close(source.products.value(), 2 * 512 * (encoder + cross) / peak, 1e-12));
  CHECK(close(source.weights.value(), 2 * (encoder + cross) / hbm, 1e-12));
  const pair_flops work = forward_flops_per_pair(t5_base(), 512, 1);
  CHECK(close((source.products + source.attention).value(), (work.encoder.value() + 2 * 512 * cross) / peak, 1e-9));
  // A window of sound: 1500 tokens after a stem, whatever is asked.
  const serving_job window = pairs(1500, 200);
  const prefill_breakdown heard = prefill_time(whisper_large_v3(), {1, 1500}, window, {}, where, peak_only);
  const pair_flops sound = forward_flops_per_pair(whisper_large_v3(), 1500, 1);
  const double of_cross = 32 * 2 * 1280.0 * 1280;
  CHECK(close((heard.products + heard.attention).value(), (sound.encoder.value() + 2 * 1500 * of_cross) / peak, 1e-9));
  CHECK(says(refusal_of([&] { (void)serve(whisper_large_v3(), pairs(100, 200), {}, where); }).message,
             "serving_job.prompt is 100; valid: 1500, which the encoder makes"));
  CHECK(says(refusal_of([&] { (void)serve(whisper_large_v3(), pairs(1500, 449), {}, where); }).message,
             "longest context of serving is 449; valid: at most 448"));
}

TEST_CASE("caches of a pair grow with its target to what kv_bytes_per_pair has") {
  const slice where = slice_for("v6e-1");
  for (const transformer& model : {t5_base(), whisper_large_v3()}) {
    const std::int64_t source = model.encoder_stem > 0 ? model.encoder_positions : 512;
    serving_job job = pairs(source, 200);
    job.policy = cache_policy::reserved;  // all of both from the start
    const serving_memory held = serving_memory_use(model, 3, job, {}, where);
    CHECK(close(held.cache.value(), 3 * kv_bytes_per_pair(model, source, 200).total.value(), 1e-12));
    CHECK(close(held.weights.value(), 1.02 * 2 * static_cast<double>(parameters(model).total), 1e-12));
    CHECK(close((held.weights + held.cache + held.workspace).value(), held.total.value(), 1e-12));
    job.policy = cache_policy::paged;  // all of the source, half of the target
    const serving_memory paged = serving_memory_use(model, 1, job, {}, where);
    CHECK(close(paged.cache.value(), kv_bytes_per_pair(model, source, 100).total.value(), 1e-12));
  }
}

TEST_CASE("a pair that serves one request takes what the simulation of seldom ones takes") {
  const slice where = slice_for("v6e-1");
  for (const transformer& model : {t5_base(), whisper_large_v3()}) {
    const serving_job job = pairs(model.encoder_stem > 0 ? model.encoder_positions : 700, 150);
    serving_job one = job;
    one.concurrency = 1;
    const serving_estimate alone = serve(model, one, {}, where);
    const serving_job seldom = at_rate(job, 1e-3 * alone.requests.value());
    const std::vector<simulated_request> drawn = requests_of(traffic_of(seldom, 300));
    const simulation_report report = report_of(simulate_fleet(model, seldom, {{}, where, 1}, 1, drawn), {});
    CHECK(close(report.per_token.value.mean.value(), alone.per_token.total.value(), 0.01));
    CHECK(close(report.first_token.value.mean.value(), alone.first_token.value(), 0.01));
    CHECK(alone.per_token.extrapolated);
    CHECK(engine_prefill_time(model, job, {}, where) == alone.prefill);
    CHECK(close(time_per_token(model, 1, job, {}, where).total.value(), alone.per_token.total.value(), 0.01));
  }
  const auto refused = [&](auto change, const char* words) {
    serving_job job = pairs(512, 128);
    change(job);
    CHECK(says(refusal_of([&] { (void)serve(t5_base(), job, {}, where); }).message, words));
  };
  refused([](serving_job& j) { j.prefill_chunk = 256; }, "serving_job.prefill_chunk is 256; valid: 0");
  refused([](serving_job& j) { j.prefix_hit_rate = 0.5; }, "an encoder sees all of a prompt at once");
  refused([](serving_job& j) { j.output = {}; }, "serving_job.output.mean");
  refused([](serving_job& j) { j.engine = serving_engine::vllm; },
          "serving_job.engine is vllm; valid: for an encoder_decoder unnamed or example");
  CHECK(says(refusal_of([&] {
               (void)speculative_token_time(t5_base(), 1, pairs(512, 128), {}, where, {4, 0.8, 0, 0.1});
             }).message,
             "speculation of an architecture is encoder_decoder"));
}

// A number of requests has a deviation of no more than half of its mean, however much each lets come.
static_assert(detail::variance_of(10, 1) == 25 && detail::variance_of(2, 0) == 2);

}  // namespace estimate_serving_encoder_tests
