// Serving: traffic, decode steps, prefill, memory, an engine's steady state, dollars.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/estimate/serving/advice.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/json/file.hpp>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_serving_engine_tests {

namespace {

constexpr serving_job traffic(std::int64_t prompt, std::int64_t output) {
  serving_job job;
  job.prompt = fixed_length(prompt);
  job.output = fixed_length(output);
  return job;
}

constexpr transformer qwen3_8b() {
  transformer m;
  m.name = "qwen3-8b";
  m.layers = 36;
  m.d_model = 4096;
  m.vocab = 151936;
  m.attention.heads = 32;
  m.attention.kv_heads = 8;
  m.attention.head_dim = 128;
  m.attention.qk_norm = true;
  m.mlp.d_ff = 12288;
  return m;
}

// Two experts of eight for each token, four layers.
constexpr transformer small_moe() {
  transformer m = llama_3_8b();
  m.layers = 4;
  m.tied_embeddings = true;
  m.moe.experts = 8;
  m.moe.top_k = 2;
  m.moe.expert_d_ff = 14336;
  return m;
}

}  // namespace

TEST_CASE("lengths by quantiles") {
  constexpr token_lengths even = lengths_from({{0, 0}, {1, 1000}});
  STATIC_REQUIRE(even.mean == 500);
  STATIC_REQUIRE(even.longest == 1000);
  CHECK(close(even.mean_square, 1e6 / 3));
  // Half up to 100, half of exactly 100 to 300: means 50 and 200.
  constexpr token_lengths two = lengths_from({{0, 0}, {0.5, 100}, {1, 300}});
  STATIC_REQUIRE(two.mean == 125);
  CHECK(close(two.mean_square, 0.5 * 1e4 / 3 + 0.5 * (1e4 + 3e4 + 9e4) / 3));
  STATIC_REQUIRE(fixed_length(512).mean_square == 262144);
}

TEST_CASE("more of the outputs that run are long ones") {
  STATIC_REQUIRE(running_context(traffic(1024, 1024)) == 1536);
  serving_job job = traffic(100, 1);
  job.output = lengths_from({{0, 0}, {1, 1000}});
  CHECK(close(running_context(job), 100 + (1e6 / 3) / 1000));
  job.policy = cache_policy::reserved;
  CHECK(running_context(job) == 1100);
}

TEST_CASE("the parts of a decode step, by hand") {
  // Llama 3 8B in bf16 on v6e-8, 16 sequences of 2048 tokens.
  const slice s = slice_for("v6e-8");
  const transformer m = llama_3_8b();
  const serving_calibration c;
  const decode_breakdown t = decode_step(m, {16, 2048}, traffic(1024, 1024), {}, s, c);
  const double hbm = 8 * v6e.hbm.bandwidth.value();
  CHECK(close(t.weights.value(), 2.0 * (8030261248 - 128256 * 4096) / (hbm * c.weight_stream)));
  CHECK(close(t.cache.value(), 16.0 * 2048 * 131072 / (hbm * c.cache_stream)));
  CHECK(
      close(t.products.value(), 2.0 * 16 * static_cast<double>(parameters(m).matrices) / (8 * 918e12 * c.decode_mxu)));
  CHECK(close(t.latency.value(), 32 * 3 * c.layer_latency.value()));
  CHECK(close(t.paging.value(), 16 * 32 * c.sequence_bytes.value() / 1638e9));
  CHECK(t.dispatch.value() == 0);
  // Two axes of a 2x4 that does not wrap: half of 180 GB/s each.
  CHECK(close(t.collectives.value(), c.decode_collectives * 8 * 32 * 4096 * 16 / (2 * 0.5 * 180e9)));
  CHECK(close(t.total.value(), (max(t.weights, t.products) + t.cache + t.paging + t.latency + t.collectives).value()));
  CHECK(t.limited_by == decode_limit::overhead);
  CHECK(decode_step(m, {16, 2048}, traffic(1024, 1024), {}, slice_for("v6e-1"), c).limited_by == decode_limit::weights);
  CHECK_FALSE(t.extrapolated);
}

TEST_CASE("at peak rates a decode step is its bound") {
  const slice s = slice_for("v5e-16");
  const transformer m = llama_3_8b();
  const serving_job job = traffic(1024, 1024);
  const decode_breakdown t =
      decode_step(m, {16, 1536}, job, {0, weight_sharding::one_dimension, cache_sharding::batch}, s, peak_only);
  const bytes weights{2.0 * (8030261248 - 128256 * 4096)};
  const decode_bound bound = decode_bound_of({16, weights, bytes{1536.0 * 131072}, {}}, v5e, 16);
  CHECK(close(t.total.value(), bound.total.value()));
}

TEST_CASE("heads have copies where devices outnumber them, sequences do not") {
  const transformer m = llama_3_8b();  // eight KV heads
  const serving_job job = traffic(1024, 1024);
  const slice s = slice_for("v5e-32");
  const seconds by_heads = decode_step(m, {32, 1536}, job, {}, s).cache;
  const seconds by_batch =
      decode_step(m, {32, 1536}, job, {0, weight_sharding::one_dimension, cache_sharding::batch}, s).cache;
  CHECK(close(by_heads / by_batch, 4));
  CHECK(close(decode_step(m, {32, 1536}, job, {8, {}, {}}, s).cache / by_batch, 4));  // a quarter of the devices
  transformer latent = m;
  latent.attention.latent = {0, 512, 128, 64, 128};
  CHECK(close(
      decode_step(latent, {32, 1536}, job, {}, s).cache /
          decode_step(latent, {32, 1536}, job, {0, weight_sharding::one_dimension, cache_sharding::batch}, s).cache,
      32));
}

TEST_CASE("a sequence whose keys are on one device is read at its rate, and has its room") {
  const transformer m = llama_3_8b();
  serving_job job = traffic(1024, 1024);
  const slice s = slice_for("v6e-8");
  const serving_layout by_batch{0, weight_sharding::one_dimension, cache_sharding::batch};
  const seconds alone = decode_step(m, {1, 100000}, job, by_batch, s).cache;
  CHECK(close(decode_step(m, {8, 100000}, job, by_batch, s).cache / alone, 1));
  CHECK(close(decode_step(m, {16, 100000}, job, by_batch, s).cache / alone, 2));
  CHECK(close(alone / decode_step(m, {1, 100000}, job, {}, s).cache, 8));
  // A device has room for about 200,000 tokens of 131,072 bytes beside its part of the weights.
  const std::int64_t longest = largest_serving_context(m, job, by_batch, s);
  CHECK(close(static_cast<double>(largest_serving_context(m, job, {}, s)), 8.0 * static_cast<double>(longest), 1e-4));
  job.prompt = fixed_length(longest - 1100);
  CHECK(largest_running(m, job, by_batch, s) == 8);
  CHECK(serving_shortage(m, job, by_batch, s) == bytes{0});
  job.prompt = fixed_length(longest + 100);
  CHECK(largest_running(m, job, by_batch, s) == 0);
  CHECK(serving_shortage(m, job, by_batch, s) > bytes{0});
  CHECK(serve(m, job, by_batch, s).refusal == serving_refusal::does_not_fit);
  CHECK(serve(m, job, {}, s).refusal == serving_refusal::none);
}

TEST_CASE("the longest sequence of a group that attends by itself is one that it can run") {
  const transformer m = small_moe();
  serving_job job = traffic(1024, 256);
  const slice s = slice_for("v6e-8");
  for (const std::int64_t attention : {1, 2, 4}) {
    const serving_layout grouped{8, weight_sharding::one_dimension, cache_sharding::heads, attention};
    const std::int64_t longest = largest_serving_context(m, job, grouped, s);
    INFO(attention << ": " << longest);
    job.prompt = fixed_length(longest - 300);
    CHECK(largest_running(m, job, grouped, s) == 8 / attention);
    job.prompt = fixed_length(longest + 300);
    CHECK(largest_running(m, job, grouped, s) == 0);
  }
}

TEST_CASE("a step reads the experts that are touched") {
  const transformer m = small_moe();
  const auto all = static_cast<double>(parameters(m).total);
  const double experts = 4.0 * 8 * 3 * 4096 * 14336;
  const auto parameters_read = [&](double sequences) {
    const seconds weights = decode_step(m, {sequences, 1}, traffic(1, 1), {}, slice_for("v6e-1"), peak_only).weights;
    return weights.value() * v6e.hbm.bandwidth.value() / 2;
  };
  // One token: two of eight. Two tokens: 1 - (6/8)^2 of them.
  CHECK(close(parameters_read(1), all - experts * 0.75));
  CHECK(close(parameters_read(2), all - experts * 0.5625));
  CHECK(close(parameters_read(1e6), all));
}

// 16 experts, each token to one, on 4 devices of 4 experts each: with 2 tokens each is read with p = 1 - (15/16)^2.
TEST_CASE("a step waits for the device with most of the experts that it reads") {
  transformer m = small_moe();
  m.moe.experts = 16;
  m.moe.top_k = 1;
  const serving_job job = traffic(1, 1);
  const auto dense = static_cast<double>(parameters(m).total) - 4.0 * 16 * 3 * 4096 * 14336;
  const auto read_of_experts = [&](const slice& s, double sequences) {
    const decode_breakdown t = decode_step(m, {sequences, 1}, job, {}, s, peak_only);
    return (t.weights.value() * hbm_bandwidth(s).value() / 2 - dense) / (4.0 * 16 * 3 * 4096 * 14336);
  };
  const double p = 1 - 15.0 * 15 / (16 * 16);
  CHECK(close(read_of_experts(slice_for("v6e-1"), 2), p));
  CHECK(close(read_of_experts(slice_for("v6e-4"), 2), p + std::sqrt(2 * std::log(4) * 4 * p * (1 - p)) / 4));
  CHECK(close(read_of_experts(slice_for("v6e-4"), 1000), 1));  // never more than all
  m.moe.experts = 15;                                          // none lies whole on one of four devices
  const decode_breakdown odd = decode_step(m, {1, 1}, job, {}, slice_for("v6e-4"), peak_only);
  const double all = static_cast<double>(parameters(m).total) - 4.0 * 14 * 3 * 4096 * 14336;
  CHECK(close(odd.weights.value() * hbm_bandwidth(slice_for("v6e-4")).value() / 2, all));
}

// Two copies of 4096 numbers in 2 bytes, in four layers: 64 KiB a token and pass, on each of 8 devices.
TEST_CASE("every device dispatches every token") {
  const transformer m = small_moe();
  const slice s = slice_for("v6e-8");
  const serving_calibration c;
  const double token = 65536 * c.dispatch_passes / v6e.hbm.bandwidth.value();
  CHECK(close(decode_step(m, {3, 100}, traffic(1, 1), {}, s, c).dispatch.value(), 3 * token));
  CHECK(close(prefill_time(m, {2, 1000}, traffic(1000, 1), {}, s, c).dispatch.value(), 2000 * token));
  CHECK(prefill_time(llama_3_8b(), {2, 1000}, traffic(1000, 1), {}, s, c).dispatch.value() == 0);
}

TEST_CASE("a sequence in pages costs its share of each layer, one that is reserved does not") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  serving_job job = traffic(1024, 256);
  const serving_calibration c;
  const auto paging = [&](const serving_layout& mesh = {}) {
    return decode_step(m, {16, 1024}, job, mesh, s, c).paging.value();
  };
  const double all = 16 * 32 * c.sequence_bytes.value() / 1638e9;
  CHECK(close(paging(), all));
  CHECK(close(paging({0, weight_sharding::one_dimension, cache_sharding::batch}), all / 8));
  job.engine = serving_engine::vllm_torch_xla;
  CHECK(close(paging(), all * factors_of(c.engines, job.engine).paging));
  job.engine = serving_engine::example;
  CHECK(paging() == 0);
  job.engine = serving_engine::unnamed;
  job.policy = cache_policy::reserved;
  CHECK(paging() == 0);
}

TEST_CASE("an engine has its own constants, and vLLM waits for several hosts") {
  const transformer m = qwen3_8b();
  serving_job job = traffic(1024, 1024);
  const slice one = slice_for("v6e-4");
  serving_calibration c;
  c.engine_request = 0_s;
  const token_time usual = time_per_token(m, 64, job, {}, one, c);
  job.engine = serving_engine::vllm_torch_xla;
  const token_time slow = time_per_token(m, 64, job, {}, one, c);
  CHECK(close(slow.step.cache / usual.step.cache, factors_of(c.engines, job.engine).cache));
  CHECK(close(slow.prompts / usual.prompts, factors_of(c.engines, job.engine).prefill));
  CHECK(close(engine_prefill_time(m, job, {}, one, c) / prefill_time(m, {1, 1024}, job, {}, one, c).total,
              c.engine_prefill * factors_of(c.engines, job.engine).prefill));
  const slice four = slice_for("v6e-16");
  REQUIRE(vms(four) == 4);
  const serving_layout half{8, weight_sharding::one_dimension, cache_sharding::heads};  // two replicas of two hosts
  job.engine = serving_engine::vllm;
  const token_time waits = time_per_token(m, 8, job, half, four, c);
  const seconds host = c.engine_step + c.engine_array * (36 * 12 * 4) + 8 * c.engine_sequence;
  CHECK(close(waits.engine.value(), host.value()));
  CHECK(close(waits.total.value(), (waits.step.total + waits.prompts + host).value()));
  job.engine = serving_engine::sglang_jax;
  const token_time beside = time_per_token(m, 8, job, half, four, c);
  // It hides behind prompts in the steps that have some: seven of eight sequences send one in 1024 steps.
  const double share = 1 - std::exp(-7.0 / 1024), waits_for = share * (host - beside.step.total).value();
  REQUIRE(host > beside.step.total);
  CHECK(close(beside.total.value(), host.value() + std::max(0.0, beside.prompts.value() - waits_for)));
}

TEST_CASE("chunks read the weights again, and the prefix cache spares products") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  serving_job job = traffic(4096, 256);
  const prefill_breakdown whole = prefill_time(m, {1, 4096}, job, {}, s);
  job.prefill_chunk = 1000;
  const prefill_breakdown chunked = prefill_time(m, {1, 4096}, job, {}, s);
  CHECK(close(chunked.weights / whole.weights, 5));
  CHECK(close(chunked.latency / whole.latency, 5));
  CHECK(chunked.products == whole.products);
  CHECK(close(whole.total.value(),
              (whole.products + whole.attention + whole.elementwise + whole.weights + whole.collectives + whole.latency)
                  .value()));
  job.prefill_chunk = 0;
  const seconds before = time_per_token(m, 32, job, {}, s).prompts;
  job.prefix_hit_rate = 0.75;
  // A quarter of the products, and attention of that quarter to all tokens before it.
  const double left = time_per_token(m, 32, job, {}, s).prompts / before;
  CHECK(left > 0.25);
  CHECK(left < 0.30);
  const prefill_breakdown whole_prompt = prefill_time(m, {1, 4096}, job, {}, s);
  const prefill_breakdown first_part = prefill_time(m, {1, 3072}, job, {}, s);
  const seconds rest = whole_prompt.attention - first_part.attention;
  CHECK(close(engine_prefill_time(m, job, {}, s).value(),
              (serving_calibration{}.engine_prefill *
               (prefill_time(m, {1, 1024}, job, {}, s).total - prefill_time(m, {1, 1024}, job, {}, s).attention + rest))
                  .value()));
}

// The constants that the worked figures were computed with: a refit does not move them.
constexpr serving_calibration worked_with{0.865,
                                          0.408,
                                          0.543,
                                          0.996,
                                          2.23e-5_s,
                                          0_s,
                                          bytes{1.784e6},
                                          26.2,
                                          4.37e-3_s,
                                          1.7e-6_s,
                                          3.69e-5_s,
                                          0_s,
                                          0.81,
                                          3.26,
                                          1.5,
                                          0_s,
                                          0.689,
                                          1.28,
                                          {{{{serving_engine::sglang_jax, 0.848, 1, 0.971}}}, 1},
                                          {},
                                          {}};

TEST_CASE("worked figures of the comments") {
  // PaLM 62B (arXiv 2211.05102): 11.4 ms measured.
  transformer palm;
  palm.name = "palm-62b";
  palm.layers = 64;
  palm.d_model = 8192;
  palm.vocab = 256000;
  palm.tied_embeddings = true;
  palm.attention.heads = 32;
  palm.attention.kv_heads = 1;
  palm.attention.head_dim = 256;
  palm.mlp.d_ff = 32768;
  palm.published_parameters = palm.published_active_parameters = 62495129600;
  serving_job job = traffic(2048, 64);
  job.weights = dtype::int8;
  job.engine = serving_engine::example;
  const serving_layout cut{0, weight_sharding::two_dimensions, cache_sharding::batch};
  CHECK(std::abs(in_ms(decode_step(palm, {32, 2080}, job, cut, slice_for("v4-32"), worked_with).total) - 10.5) < 0.05);
  serving_job sweep = traffic(1024, 1024);
  sweep.engine = serving_engine::sglang_jax;
  const seconds token = time_per_token(qwen3_8b(), 58.85, sweep, {}, slice_for("v6e-4"), worked_with).total;
  CHECK(std::abs(in_ms(token) - 12.0) < 0.05);
  const serving_job chat = traffic(1024, 256);
  CHECK(std::abs(in_ms(engine_prefill_time(llama_3_8b(), chat, {}, slice_for("v6e-8"), worked_with)) - 14.2) < 0.05);
  const serving_frontier found = frontier(llama_3_8b(), chat, {}, slice_for("v6e-8"), worked_with);
  CHECK(std::abs(found.points[0].output_tokens.value() - 113.9) < 0.05);
  CHECK(close(hbm_bandwidth(slice_for("v5litepod-8")).value(), 6.552e12));
  CHECK(std::abs(hbm_over_ici(v5e) - 9.1) < 0.01);
}

TEST_CASE("every refusal has a name") {
  CHECK(name(serving_refusal::none) == "none");
  CHECK(name(serving_refusal::does_not_fit) == "does_not_fit");
  CHECK(name(serving_refusal::tpot_below_floor) == "tpot_below_floor");
  CHECK(name(serving_refusal::ttft_below_floor) == "ttft_below_floor");
  CHECK(name(serving_refusal::rate_above_capacity) == "rate_above_capacity");
}

TEST_CASE("the time of a token is that of the slower of host and device") {
  const transformer m = qwen3_8b();
  const slice s = slice_for("v6e-4");
  const serving_job job = traffic(1024, 1024);
  serving_calibration c;
  c.engine_request = 0_s, c.engine_step = 6_ms;
  const token_time few = time_per_token(m, 1, job, {}, s, c);
  CHECK(close(few.total.value(), (c.engine_step + c.engine_array * (36 * 12 * 4) + c.engine_sequence).value()));
  CHECK(close(few.total.value(), (few.step.total + few.prompts + few.engine).value()));
  const token_time many = time_per_token(m, 200, job, {}, s, c);
  CHECK(many.engine.value() == 0);
  CHECK(close(many.total.value(), (many.step.total + many.prompts).value()));
  c.engine_step = c.engine_array = c.engine_sequence = seconds{0};
  CHECK(time_per_token(m, 1, job, {}, s, c).engine.value() == 0);
}

TEST_CASE("a request takes some time of the host, shared by the tokens of its output") {
  const transformer m = qwen3_8b();
  const slice s = slice_for("v6e-4");
  serving_calibration with, without;
  with.engine_step = without.engine_step = 60_ms;  // slower than the device
  with.engine_request = 64_ms, without.engine_request = 0_s;
  const auto longer = [&](double running, std::int64_t output) {
    const serving_job job = traffic(1024, output);
    return (time_per_token(m, running, job, {}, s, with).total - time_per_token(m, running, job, {}, s, without).total)
        .value();
  };
  CHECK(close(longer(4, 64), 4 * 1e-3));
  CHECK(close(longer(4, 256), 1e-3));
  CHECK(close(longer(1, 64), 1e-3));
}

TEST_CASE("heads of a prompt's tokens take some time in each layer with pages, beside the products") {
  const transformer m = qwen3_8b();
  serving_job job = traffic(1024, 64);
  serving_calibration with, without;
  with.token_head = 1_us, without.token_head = 0_s;
  const auto longer = [&](const char* where) {
    return (prefill_time(m, {1, 1024}, job, {}, slice_for(where), with).elementwise -
            prefill_time(m, {1, 1024}, job, {}, slice_for(where), without).elementwise)
        .value();
  };
  const auto products = [&](const char* where) {
    return prefill_time(m, {1, 1024}, job, {}, slice_for(where), with).products.value();
  };
  // 32 heads are 8 on each of four devices, one tile of sublanes, and 4 on each of eight take as long.
  for (const char* where : {"v6e-4", "v6e-8", "v5e-4"})
    CHECK(close(longer(where), 36 * 8 * 1024 * 1e-6 - products(where)));
  CHECK(close(longer("v6e-1"), 36 * 32 * 1024 * 1e-6 - products("v6e-1")));
  with.token_head = 1e-9_s;  // the products take longer
  CHECK(longer("v6e-4") == 0);
  with.token_head = 1_us;
  job.engine = serving_engine::example;  // without pages
  CHECK(longer("v6e-4") == 0);
}

TEST_CASE("tables of embeddings in each layer are not read in a decode step") {
  const transformer m = qwen3_8b();
  transformer tables = m;
  tables.other_weights = std::int64_t{1} << 31;
  const serving_job job = traffic(1024, 64);
  const slice s = slice_for("v6e-4");
  CHECK(decode_step(tables, {1, 1024}, job, {}, s).weights == decode_step(m, {1, 1024}, job, {}, s).weights);
  CHECK(serving_memory_use(tables, 1, job, {}, s).weights > serving_memory_use(m, 1, job, {}, s).weights);
}

TEST_CASE("the range of an engine that no one names reaches down to what the best software takes") {
  const transformer m = llama_3_8b();
  serving_job job = traffic(1024, 64);
  const slice s = slice_for("v5e-8");
  const decode_breakdown peak = decode_step(m, {4, 1024}, job, {}, s, peak_only);
  const double best = detail::best_reached(detail::serving_kind::decode);
  CHECK(best > 1);
  CHECK(decode_step(m, {4, 1024}, job, {}, s).low.value() <= best * peak.total.value() * (1 + 1e-9));
  job.engine = serving_engine::vllm;
  CHECK(decode_step(m, {4, 1024}, job, {}, s).low.value() > best * peak.total.value());
}

TEST_CASE("requests in flight obey Little's law") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  for (const std::int64_t clients : {1, 8, 64, 500}) {
    serving_job job = traffic(1024, 256);
    job.concurrency = clients;
    const serving_estimate e = serve(m, job, {}, s);
    INFO(clients);
    REQUIRE(e.fit == verdict::yes);
    const double in_flight = e.requests * (e.first_token + 255 * e.per_token.total);
    CHECK(close(in_flight, static_cast<double>(clients), 1e-6));
    CHECK(close(e.output_tokens.value(), 256 * e.requests.value()));
    CHECK(e.running <= static_cast<double>(e.largest_running));
  }
  // More than there is room for wait.
  serving_job job = traffic(1024, 256);
  job.concurrency = 4000;
  job.max_running = 64;
  const serving_estimate e = serve(m, job, {}, s);
  CHECK(e.running == 64);
  CHECK(e.queue.value() > 0);
  CHECK(close(e.requests * (e.first_token + 255 * e.per_token.total), 4000, 1e-6));
}

TEST_CASE("a wait for a slot is as uncertain as the tokens that it is made of") {
  serving_job job = traffic(1024, 256);
  job.concurrency = 4000, job.max_running = 64;
  const serving_estimate e = serve(llama_3_8b(), job, {}, slice_for("v6e-8"));
  REQUIRE(e.queue > 0.99 * e.first_token);
  const auto close_to = [](double a, double b) { return std::abs(a / b - 1) < 0.01; };
  CHECK(close_to(e.first_token_high / e.first_token, e.per_token.high / e.per_token.total));
  CHECK(close_to(e.first_token_low / e.first_token, e.per_token.low / e.per_token.total));
}

TEST_CASE("no more run than there are clients") {
  for (const std::int64_t output : {1, 2, 3, 64}) {
    serving_job job = traffic(1024, output);
    job.concurrency = 1;
    const serving_estimate e = serve(llama_3_8b(), job, {}, slice_for("v6e-8"));
    CHECK(e.running <= 1);
    CHECK(close(e.requests * (e.first_token + (job.output.mean - 1) * e.per_token.total), 1, 1e-9));
  }
}

TEST_CASE("requests in flight obey Little's law where prompts are taken in by chunks", "[door]") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  double before = 0;
  for (const std::int64_t chunk : {64, 512, 8192, 0}) {
    serving_job job = traffic(8192, 32);
    job.concurrency = 64;
    job.prefill_chunk = chunk;
    const serving_estimate e = serve(m, job, {}, s);
    INFO(chunk);
    // A step computes one chunk: at 64 tokens a prompt takes 128 steps to itself, and the other requests wait.
    CHECK((e.queue.value() > 0) == (chunk > 0));
    // More steps for each prompt, fewer requests. Whole prompts come at random: steps without one do not hide the host,
    // which those with a chunk of 8192, one prompt, all do.
    CHECK(e.requests.value() >= (chunk > 0 ? 1 : 0.995) * before);
    before = e.requests.value();
  }
}

// In flight are those that wait, those whose prompt is taken in, and those that run: rate x end-to-end time.
TEST_CASE("Little's law over jobs, chunks, slots, replicas and ways of load", "[door]") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  for (const auto& lengths : {std::pair{1, 1}, {128, 1024}, {8192, 32}, {100000, 1000}}) {
    for (const std::int64_t chunk : {0, 1, 64, 512, 100000}) {
      for (const std::int64_t most : {0, 1, 7}) {
        for (const std::int64_t tensor : {2, 8}) {
          serving_job job = traffic(lengths.first, lengths.second);
          job.beyond_max_positions = true;
          job.prefill_chunk = chunk;
          job.max_running = most;
          INFO(lengths.first << " + " << lengths.second << ", chunk " << chunk << ", slots " << most << ", " << tensor);
          const serving_layout mesh{tensor, {}, {}};
          const auto replicas = 8.0 / static_cast<double>(tensor);
          const auto check = [&](const serving_estimate& e) {
            const double output = job.output.mean;
            const double clients = job.concurrency > 0 ? static_cast<double>(job.concurrency) / replicas : 1e9;
            const double running = std::min(e.requests * (output * e.per_token.total) / replicas, clients);
            CHECK(close(most == 1 ? std::min(running, 1.0) : running, e.running, 1e-9));  // one has a short prompt
            CHECK(running < 1.01 * static_cast<double>(e.largest_running));
            CHECK(e.first_token >= e.queue + e.prefill);
            CHECK(e.running <= static_cast<double>(e.largest_running));
            CHECK(e.requests <= e.capacity * (1 + 1e-9));
            return e.requests * (e.first_token + (output - 1) * e.per_token.total);
          };
          for (const std::int64_t clients : {1, 3, 64, 5000, 1000000}) {
            job.concurrency = clients;
            INFO("clients " << clients);
            CHECK(close(check(serve(m, job, mesh, s)), static_cast<double>(clients), 1e-9));
          }
          job.concurrency = 0;
          const serving_estimate full = serve(m, job, mesh, s);
          check(full);
          job.request_rate = full.capacity * 0.7;
          const serving_estimate half = serve(m, job, mesh, s);
          check(half);
          CHECK(close(half.requests / full.capacity, 0.7, 1e-9));
        }
      }
    }
  }
}

TEST_CASE("rates far below the capacity are served as they come", "[door]") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  serving_job job = traffic(1024, 256);
  for (const double rate : {1e-12, 1e-6, 1e-3, 1.0, 20.0}) {
    job.request_rate = per_second{rate};
    INFO(rate);
    CHECK(close(serve(m, job, {}, s).requests.value(), rate, 1e-9));
    CHECK(close(serve(small_moe(), job, {}, s).requests.value(), rate, 1e-9));
  }
}

TEST_CASE("where a rising function crosses 0, to 1e-12 of it", "[door]") {
  std::int64_t asked = 0;
  const auto at = [&asked](auto function, double most) {
    asked = 0;
    return detail::crossing([&](double x) { return ++asked, function(x); }, most);
  };
  for (const double root : {1e-15, 1e-9, 0.3, 77.7, 1e6, 0.999e12}) {
    INFO(root);
    CHECK(close(at([&](double x) { return x - root; }, 1e12), root, 1e-11));
    CHECK(close(at([&](double x) { return x * x + x - root * root - root; }, 1e12), root, 1e-11));
    CHECK(asked < 150);
    CHECK(close(at([&](double x) { return x < root ? -1.0 : 1.0; }, 1e12), root, 1e-11));  // a step: only halving helps
  }
  CHECK(at([](double x) { return x + 1; }, 5) == 0);
  CHECK(at([](double x) { return x - 6; }, 5) == 5);
}

TEST_CASE("arrivals at random: the batch that keeps up, and the queue of so many places") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  serving_job job = traffic(1024, 256);
  job.max_running = 128;
  const per_second capacity = serve(m, job, {}, s).capacity;
  job.request_rate = capacity / 2;
  const serving_estimate e = serve(m, job, {}, s);
  CHECK(close(e.requests.value(), capacity.value() / 2, 1e-6));
  CHECK(close(e.running, (e.requests * 256 * e.per_token.total), 1e-6));
  CHECK(e.queue < 1e-3 * e.prefill);  // half of the places are free
  job.request_rate = 0.99 * capacity;
  CHECK(serve(m, job, {}, s).queue > e.prefill);
  job.max_running = 1;  // a queue of one server with constant service: M/D/1
  const per_second alone = serve(m, job, {}, s).refusal == serving_refusal::rate_above_capacity
                               ? serve(m, job, {}, s).capacity
                               : per_second{0};
  for (const double load : {0.3, 0.5, 0.9}) {
    job.request_rate = load * alone;
    const serving_estimate one = serve(m, job, {}, s);
    CHECK(close(one.queue.value(), load / (2 * (1 - load)) / alone.value(), 1e-6));
    CHECK(close(one.first_token.value(), (one.queue + one.prefill).value()));
  }
  job.max_running = 128;
  job.request_rate = capacity;
  const serving_estimate refused = serve(m, job, {}, s);
  CHECK(refused.refusal == serving_refusal::rate_above_capacity);
  CHECK(refused.capacity == capacity);
  CHECK(refused.fit == verdict::yes);
  CHECK(refused.running == 0);
  CHECK(refused.requests.value() == 0);
  job.request_rate = capacity * (1 - 1e-9);
  CHECK(serve(m, job, {}, s).refusal == serving_refusal::none);
}

TEST_CASE("every entry point refuses settings of the engine that cannot be", "[door]") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  serving_job job = traffic(1024, 256);
  job.prefix_hit_rate = 3;
  const plain_call<void()> calls[] = {[&] { (void)serve(m, job, {}, s); },
                                      [&] { (void)frontier(m, job, {}, s); },
                                      [&] { (void)time_per_token(m, 8, job, {}, s); },
                                      [&] { (void)engine_prefill_time(m, job, {}, s); },
                                      [&] {
                                        (void)decode_step(m, {8, 1024}, job, {}, s);
                                      },
                                      [&] {
                                        (void)prefill_time(m, {1, 1024}, job, {}, s);
                                      },
                                      [&] { (void)serving_memory_use(m, 1, job, {}, s); },
                                      [&] { (void)largest_running(m, job, {}, s); },
                                      [&] { (void)largest_serving_context(m, job, {}, s); }};
  for (const auto& call : calls) CHECK(says(refusal_of(call).message, "serving_job.prefix_hit_rate is 3"));
}

TEST_CASE("chips by name: a renamed copy is not covered by published runs") {
  const transformer m = llama_3_8b();
  serving_job job = traffic(1024, 256);
  job.engine = serving_engine::vllm;  // without a name the low end may be what the best software takes
  slice s = slice_for("v6e-8");
  const serving_estimate covered = serve(m, job, {}, s);
  CHECK_FALSE(covered.per_token.extrapolated);
  CHECK_FALSE(prefill_time(m, {1, 1024}, job, {}, s).extrapolated);
  s.chip.name = "v6e-like";
  const serving_estimate copy = serve(m, job, {}, s);
  CHECK(copy.per_token.extrapolated);
  CHECK(copy.per_token.step.extrapolated);
  CHECK(copy.per_token.total == covered.per_token.total);
  const detail::serving_band wide = detail::band_of(detail::serving_kind::decode, false);
  CHECK(close(copy.per_token.band, std::max(wide.over, wide.under)));
  CHECK(close(copy.per_token.low.value(), copy.per_token.total.value() / (1 + wide.over)));
  CHECK(close(copy.per_token.high.value(), copy.per_token.total.value() / (1 - wide.under)));
  CHECK(copy.per_token.high > covered.per_token.high);
  CHECK(prefill_time(m, {1, 1024}, job, {}, s).band > prefill_time(m, {1, 1024}, job, {}, slice_for("v6e-8")).band);
  CHECK(decode_step(m, {8, 1024}, job, {}, slice_for("v3-8")).extrapolated);
  // Decode runs are published of v5p, prefills are not.
  CHECK_FALSE(decode_step(m, {8, 1024}, job, {}, slice_for("v5p-16")).extrapolated);
  CHECK(prefill_time(m, {1, 1024}, job, {}, slice_for("v5p-16")).extrapolated);
}

TEST_CASE("a decode step does not read the vision tower", "[door]") {
  transformer m = llama_3_8b();
  const serving_job job = traffic(1024, 256);
  const seconds text_alone = decode_step(m, {8, 1024}, job, {}, slice_for("v6e-8")).weights;
  m.vision.image_size = 336;
  m.vision.patch_size = 14;
  m.vision.layers = 24;
  m.vision.d_model = 1024;
  m.vision.heads = 16;
  m.vision.d_ff = 4096;
  m.vision.projector.input = 1024;
  m.vision.projector.output = 4096;
  REQUIRE(parameters(m).total > parameters(llama_3_8b()).total);
  CHECK(decode_step(m, {8, 1024}, job, {}, slice_for("v6e-8")).weights == text_alone);
  CHECK(serving_memory_use(m, 1, job, {}, slice_for("v6e-8")).weights >
        serving_memory_use(llama_3_8b(), 1, job, {}, slice_for("v6e-8")).weights);
}

TEST_CASE("replicas share the slice and the load") {
  const transformer m = llama_3_8b();
  serving_job job = traffic(1024, 256);
  job.concurrency = 64;
  const serving_estimate four = serve(m, job, {2, {}, {}}, slice_for("v6e-8"));
  CHECK(four.replicas == 4);
  job.concurrency = 16;
  const serving_estimate one = serve(m, job, {}, slice_for("v6e-1"));
  CHECK(one.replicas == 1);
  CHECK(four.running < 16);
  // One of the four by itself: the same batch takes the same time. A sequence runs beside those of the other 15
  // clients.
  const double batch = 1 + four.running * 15 / 16;
  const token_time same = time_per_token(m, batch, job, {2, {}, {}}, slice_for("v6e-8"));
  CHECK(close(same.step.total.value(), four.per_token.step.total.value()));
  CHECK(close(four.per_token.total.value(), same.total.value(), 1e-3));
  CHECK(close(four.output_tokens.value(), 4 * four.running / four.per_token.total.value(), 1e-6));
}

TEST_CASE("targets bound the batch, and physics bounds targets") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  serving_job job = traffic(1024, 256);
  const serving_estimate full = serve(m, job, {}, s);
  job.tpot_target = full.per_token.total / 2;
  const serving_estimate half = serve(m, job, {}, s);
  CHECK(close(half.per_token.total.value(), job.tpot_target.value(), 1e-6));
  CHECK(half.meets_tpot);
  CHECK(half.running < full.running);
  job.tpot_target = 8_ms;
  job.concurrency = 300;
  CHECK_FALSE(serve(m, job, {}, s).meets_tpot);
  job.tpot_target = 1_ms;
  const serving_estimate slow = serve(m, job, {}, s);
  CHECK(slow.refusal == serving_refusal::tpot_below_floor);
  CHECK(close(slow.floor.value(), decode_step(m, {1, running_context(job)}, job, {}, s, peak_only).total.value()));
  CHECK(slow.floor_limited_by == decode_limit::weights);
  CHECK(slow.capacity == full.capacity);
  CHECK(slow.running == 0);
  job.tpot_target = slow.floor;
  CHECK(serve(m, job, {}, s).refusal == serving_refusal::none);
  job.max_running = 1;  // which computes prompts for a part of its time
  job.concurrency = 0;
  const serving_estimate alone = serve(m, job, {}, s);
  CHECK(alone.running > 0.9);
  CHECK(alone.running < 1);
  CHECK(alone.capacity == alone.requests);
  job.max_running = 0;
  job.tpot_target = {};
  job.ttft_target = 1_us;
  const serving_estimate late = serve(m, job, {}, s);
  CHECK(late.refusal == serving_refusal::ttft_below_floor);
  CHECK(late.floor_limited_by == decode_limit::collectives);
  CHECK(late.floor < prefill_time(m, {1, 1024}, job, {}, s).total);
  job.prompt = fixed_length(32);
  CHECK(serve(m, job, {}, s).floor_limited_by == decode_limit::weights);
  job.prompt = fixed_length(1024);
  const serving_estimate one_chip = serve(m, job, {}, slice_for("v6e-1"));
  CHECK(one_chip.floor_limited_by == decode_limit::products);
  const prefill_breakdown peak = prefill_time(m, {1, 1024}, job, {}, slice_for("v6e-1"), peak_only);
  CHECK(close(one_chip.floor.value(), (peak.products + peak.attention).value()));
  job.prompt = fixed_length(1024);
  job.ttft_target = 1_s;
  job.concurrency = 1;
  CHECK(serve(m, job, {}, s).meets_ttft);
}

TEST_CASE("memory: what fits, and the longest context where a sequence does not") {
  const transformer m = llama_3_8b();
  serving_job job = traffic(1024, 256);
  const serving_memory use = serving_memory_use(m, 10, job, {}, slice_for("v6e-1"));
  CHECK(close(use.weights.value(), 1.02 * 2 * 8030261248.0));
  CHECK(close(use.cache.value(), 10 * 1152 * 131072.0));
  CHECK(close(use.total.value(), use.weights.value() + use.cache.value() + 1073741824.0));
  // 16 GB of weights on 15.75 GiB: no room at all.
  const serving_estimate none = serve(m, job, {}, slice_for("v5e-1"));
  CHECK(none.fit == verdict::no);
  CHECK(none.refusal == serving_refusal::does_not_fit);
  CHECK(none.running == 0);
  CHECK(largest_serving_context(m, job, {}, slice_for("v5e-1")) == 0);
  // One sequence of a million tokens does not fit where a hundred thousand do.
  job.prompt = fixed_length(1000000);
  job.beyond_max_positions = true;
  const slice one = slice_for("v6e-1");
  CHECK(serve(m, job, {}, one).fit == verdict::no);
  const std::int64_t longest = largest_serving_context(m, job, {}, one);
  CHECK(longest == 97196);
  job.prompt = fixed_length(longest - 1);
  job.output = fixed_length(1);
  CHECK(largest_running(m, job, {}, one) == 1);
  job.prompt = fixed_length(longest);
  CHECK(largest_running(m, job, {}, one) == 0);
}

TEST_CASE("blocks of the cache are whole") {
  const transformer m = llama_3_8b();
  serving_job job = traffic(100, 1);
  const slice s = slice_for("v6e-1");
  job.block_tokens = 256;
  CHECK(close(serving_memory_use(m, 1, job, {}, s).cache.value(), 256 * 131072.0));
}

TEST_CASE("the frontier: more sequences, slower tokens, more throughput") {
  const serving_frontier f = frontier(llama_3_8b(), traffic(1024, 256), {}, slice_for("v6e-8"));
  REQUIRE(f.count > 5);
  for (std::size_t i = 1; i < f.count; ++i) {
    CHECK(f.points[i].running > f.points[i - 1].running);
    CHECK(f.points[i].per_token >= f.points[i - 1].per_token);
    CHECK(f.points[i].output_tokens > f.points[i - 1].output_tokens);
  }
  CHECK(frontier(llama_3_8b(), traffic(1024, 256), {}, slice_for("v5e-1")).count == 0);
}

TEST_CASE("the answer is one for the compiler too") {
  constexpr serving_estimate e = serve(llama_3_8b(), traffic(1024, 256), {}, slice_for("v6e-8"));
  STATIC_REQUIRE(e.fit == verdict::yes);
  STATIC_REQUIRE(e.largest_running > 100);
  const serving_estimate again = serve(llama_3_8b(), traffic(1024, 256), {}, slice_for("v6e-8"));
  CHECK(close(e.per_token.total.value(), again.per_token.total.value(), 1e-12));
}

TEST_CASE("dollars: input and output together are the price of the slice") {
  const slice s = slice_for("v6e-8");
  const serving_estimate e = serve(llama_3_8b(), traffic(1024, 256), {}, s);
  const price_row price = price_for(price_book{}, s, "us", provisioning::on_demand);
  const serving_cost c = cost_of_tokens(e, s, price);
  const double per_second_paid =
      (c.input.value() * e.input_tokens.value() + c.output.value() * e.output_tokens.value()) / 1e6;
  CHECK(close(per_second_paid * 3600, 8 * price.per_chip.value() * 3600));
  CHECK(close(c.all_on_output.value() * e.output_tokens.value() / 1e6, c.rate.value()));
  serving_estimate ten_thousand = e;
  ten_thousand.output_tokens = per_second{10000};
  CHECK(close(cost_of_tokens(ten_thousand, 38.40_usd_per_h).all_on_output.value(), 38.4 / 3600 / 10000 * 1e6));
  CHECK(refusal_of([&] { (void)cost_of_tokens(serving_estimate{}, s, price); }).code == errc::infeasible);
  CHECK(refusal_of([&] { (void)cost_of_tokens(e, usd_per_second{0}); }).refused);
}

TEST_CASE("GPUs: the header is the file, and estimates are bounds at peak") {
  const nlohmann::json file = load_json(TPUPLAN_DATA_DIR "/gpus.json");
  REQUIRE(file.at("rows").size() == std::size(gpu_offers));
  std::size_t i = 0;
  for (const nlohmann::json& row : file.at("rows")) {
    const gpu_offer& offer = gpu_offers[i++];
    INFO(offer.name.view());
    CHECK(row.at("name") == offer.name);
    CHECK(row.at("machine") == offer.machine);
    CHECK(row.at("gpus_in_the_largest_machine") == offer.per_machine);
    CHECK(row.at("bf16_flop_per_s") == offer.bf16.value());
    CHECK(row.at("hbm_bytes") == offer.hbm.value());
    CHECK(row.at("hbm_bytes_per_s") == offer.bandwidth.value());
    CHECK(row.at("on_demand_usd_per_hour").is_null() == offer.on_demand.is_unknown());
    if (offer.on_demand.has_value())
      CHECK(close(row.at("on_demand_usd_per_hour").get<double>(), offer.on_demand.value().value() * 3600));
    CHECK(row.at("spot_usd_per_hour").is_null() == offer.spot.is_unknown());
    if (offer.spot.has_value())
      CHECK(close(row.at("spot_usd_per_hour").get<double>(), offer.spot.value().value() * 3600));
    CHECK(row.at("flex_start_usd_per_hour").is_null() == offer.flex_start.is_unknown());
    if (offer.flex_start.has_value())
      CHECK(close(row.at("flex_start_usd_per_hour").get<double>(), offer.flex_start.value().value() * 3600));
    CHECK(row.at("date") == offer.date);
    CHECK(row.value("price_derived", false) == offer.derived);
    CHECK_FALSE(row.at("source").get<std::string>().empty());
  }
  const slice eight = gpu_server(gpu_for("h100"), 8);
  CHECK(close(hbm_bandwidth(eight).value(), 26.8e12));
  const serving_estimate e = serve(llama_3_8b(), traffic(1024, 256), {}, eight, peak_only);
  CHECK(e.per_token.extrapolated);
  CHECK(e.per_token.step.latency.value() == 0);
  CHECK(e.per_token.step.collectives.value() == 0);
  CHECK(says(refusal_of([] { (void)gpu_for("MI300X"); }).message, "H100"));
  CHECK(refusal_of([] { (void)gpu_server(gpu_for("H100"), 9); }).code == errc::out_of_range);
  CHECK(refusal_of([] { (void)gpu_server(gpu_for("H100"), 0); }).refused);
}

TEST_CASE("a GPU server is a slice of so many devices") {
  const slice one = gpu_server(gpu_for("H100"), 1);
  CHECK(chips(one) == 1);
  CHECK(devices(one) == 1);
  CHECK(one.chip.tensorcores == 1);
  CHECK(one.chip.jax_devices == 1);
  CHECK(one.chip.ici.axes == 1);
  CHECK(one.shape == topology{{1, 1, 1}, 2});
  CHECK(devices(gpu_server(gpu_for("H100"), 8)) == 8);
  for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{9}})
    CHECK(refusal_of([&] { (void)gpu_server(gpu_for("H100"), wrong); }).code == errc::out_of_range);
}

TEST_CASE("what serving refuses, by field") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  const auto refused = [&](serving_job job, errc code, const char* field) {
    const refusal r = refusal_of([&] { (void)serve(m, job, {}, s); });
    INFO(field << ": " << r.message);
    CHECK(r.refused);
    CHECK(r.code == code);
    CHECK(says(r.message, field));
  };
  const serving_job good = traffic(1024, 256);
  const auto with = [&](auto change) {
    serving_job job = good;
    change(job);
    return job;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  refused(serving_job{}, errc::missing_field, "serving_job.prompt.mean");
  refused(with([](serving_job& j) { j.output = {}; }), errc::missing_field, "serving_job.output.mean");
  refused(with([&](serving_job& j) { j.prompt.mean = nan; }), errc::not_finite, "serving_job.prompt.mean");
  refused(with([](serving_job& j) { j.prompt.mean = -5; }), errc::invalid_argument, "serving_job.prompt.mean");
  refused(with([](serving_job& j) { j.prompt.longest = 0; }), errc::missing_field, "serving_job.prompt.longest");
  refused(with([](serving_job& j) { j.concurrency = -1; }), errc::invalid_argument, "serving_job.concurrency");
  refused(with([&](serving_job& j) { j.request_rate = per_second{infinity}; }), errc::not_finite,
          "serving_job.request_rate");
  refused(with([](serving_job& j) { j.request_rate = per_second{-1}; }), errc::invalid_argument,
          "serving_job.request_rate");
  refused(with([](serving_job& j) { j.request_rate = per_second{1}, j.concurrency = 4; }), errc::invalid_argument,
          "serving_job.request_rate");
  refused(with([](serving_job& j) { j.ttft_target = seconds{-1}; }), errc::invalid_argument, "serving_job.ttft_target");
  refused(with([&](serving_job& j) { j.tpot_target = seconds{nan}; }), errc::not_finite, "serving_job.tpot_target");
  refused(with([](serving_job& j) { j.activations = dtype::fp32; }), errc::unsupported, "serving_job.activations");
  refused(with([](serving_job& j) { j.activations = dtype::int8; }), errc::invalid_argument, "serving_job.activations");
  refused(with([](serving_job& j) { j.prefix_hit_rate = 1; }), errc::out_of_range, "serving_job.prefix_hit_rate");
  refused(with([](serving_job& j) { j.prefill_chunk = -1; }), errc::invalid_argument, "serving_job.prefill_chunk");
  refused(with([](serving_job& j) { j.max_running = -1; }), errc::invalid_argument, "serving_job.max_running");
  refused(with([](serving_job& j) { j.block_tokens = -1; }), errc::invalid_argument, "serving_job.block_tokens");
  refused(with([](serving_job& j) { j.memory_fraction = 0; }), errc::out_of_range, "serving_job.memory_fraction");
  refused(with([](serving_job& j) { j.memory_fraction = 1.5; }), errc::out_of_range, "serving_job.memory_fraction");
  transformer bounded = m;
  bounded.max_positions = 1024;
  const refusal context = refusal_of([&] { (void)serve(bounded, good, {}, s); });
  CHECK(says(context.message, "at most 1024"));
  serving_job meant = good;
  meant.beyond_max_positions = true;
  CHECK_FALSE(refusal_of([&] { (void)serve(bounded, meant, {}, s); }).refused);
  transformer encoder = m;
  encoder.kind = architecture::encoder;
  CHECK(says(refusal_of([&] { (void)serve(encoder, good, {}, s); }).message, "an encoder writes no tokens"));
}

TEST_CASE("serving constants of the caller that cannot be are refused by name") {
  struct constant {
    double serving_calibration::*field;
    const char* name;
    bool may_be_0;
  };
  const constant list[] = {{&serving_calibration::weight_stream, "weight_stream", false},
                           {&serving_calibration::cache_stream, "cache_stream", false},
                           {&serving_calibration::decode_mxu, "decode_mxu", false},
                           {&serving_calibration::decode_collectives, "decode_collectives", true},
                           {&serving_calibration::dispatch_passes, "dispatch_passes", true},
                           {&serving_calibration::prefill_mxu, "prefill_mxu", false},
                           {&serving_calibration::prefill_attention, "prefill_attention", false},
                           {&serving_calibration::prefill_hbm_passes, "prefill_hbm_passes", true},
                           {&serving_calibration::prefill_collectives, "prefill_collectives", true},
                           {&serving_calibration::engine_prefill, "engine_prefill", false}};
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  const serving_job job = traffic(1024, 256);
  for (const constant& k : list) {
    const auto with = [&](double value) {
      serving_calibration c;
      c.*k.field = value;
      const auto refused = [](const plain_call<void()>& call) { return refusal_of(call); };
      const refusal all[] = {refused([&] { (void)serve(m, job, {}, s, c); }),
                             refused([&] { (void)frontier(m, job, {}, s, c); }),
                             refused([&] { (void)time_per_token(m, 8, job, {}, s, c); }), refused([&] {
                               (void)decode_step(m, {8, 1024}, job, {}, s, c);
                             }),
                             refused([&] {
                               (void)prefill_time(m, {1, 1024}, job, {}, s, c);
                             })};
      for (const refusal& one : all) CHECK(one.message == all[0].message);
      return all[0];
    };
    INFO(k.name);
    CHECK(says(with(-0.1).message, std::string("serving_calibration.") + k.name));
    CHECK(with(std::numeric_limits<double>::quiet_NaN()).code == errc::not_finite);
    CHECK(with(0).refused != k.may_be_0);
  }
  for (seconds serving_calibration::*time : {&serving_calibration::layer_latency, &serving_calibration::engine_step,
                                             &serving_calibration::engine_array, &serving_calibration::engine_sequence,
                                             &serving_calibration::engine_request, &serving_calibration::token_head}) {
    serving_calibration c;
    c.*time = seconds{-1};
    CHECK(refusal_of([&] { (void)serve(m, job, {}, s, c); }).code == errc::invalid_argument);
  }
  for (std::size_t engine = 0; engine < serving_calibration{}.engines.count; ++engine) {
    for (double engine_factors::*factor : {&engine_factors::cache, &engine_factors::paging, &engine_factors::prefill}) {
      serving_calibration c;
      c.engines.items[engine].*factor = -1;
      CHECK(refusal_of([&] { (void)serve(m, job, {}, s, c); }).code == errc::invalid_argument);
    }
  }
  serving_calibration too_many;
  too_many.engines.count = too_many.engines.items.size() + 1;
  CHECK(refusal_of([&] { (void)serve(m, job, {}, s, too_many); }).code == errc::out_of_range);
  slice empty = s;
  empty.chip.hbm.bandwidth = {};
  CHECK(says(refusal_of([&] { (void)serve(m, job, {}, empty); }).message, "chip.hbm.bandwidth"));
  empty = s;
  empty.chip.peak.bf16 = flops_per_second{0};
  CHECK(says(refusal_of([&] { (void)serve(m, job, {}, empty); }).message, "peak rate of the chip"));
}

TEST_CASE("layouts that cannot be, and quantiles that do not rise") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  const serving_job job = traffic(1024, 256);
  CHECK(refusal_of([&] { (void)serve(m, job, {3, {}, {}}, s); }).code == errc::not_divisible);
  CHECK(says(refusal_of([&] { (void)serve(m, job, {3, {}, {}}, s); }).message, "8 devices of v6e-8"));
  CHECK(refusal_of([&] { (void)serve(m, job, {-1, {}, {}}, s); }).code == errc::invalid_argument);
  CHECK(refusal_of([&] { (void)serve(m, job, {}, slice_for("v5e-64")); }).code == errc::not_divisible);
  CHECK_FALSE(refusal_of([&] {
                (void)serve(m, job, {0, weight_sharding::two_dimensions, cache_sharding::batch}, slice_for("v5e-64"));
              }).refused);
  CHECK(refusal_of([&] { (void)decode_step(m, {0, 100}, job, {}, s); }).refused);
  CHECK(refusal_of([&] { (void)decode_step(m, {1, -100}, job, {}, s); }).refused);
  CHECK(refusal_of([&] { (void)prefill_time(m, {1, 0}, job, {}, s); }).refused);
  CHECK(refusal_of([&] { (void)prefill_time(m, {-1, 100}, job, {}, s); }).refused);
  CHECK(refusal_of([] { (void)lengths_from({{0.1, 1}, {1, 2}}); }).refused);
  CHECK(refusal_of([] { (void)lengths_from({{0, 1}, {0.9, 2}}); }).refused);
  CHECK(refusal_of([] { (void)lengths_from({{0, 1}, {0.5, 2}, {0.5, 3}, {1, 4}}); }).refused);
  CHECK(refusal_of([] { (void)lengths_from({{0, 10}, {1, 5}}); }).refused);
  CHECK(refusal_of([] { (void)lengths_from({{0, 0}, {1, 0}}); }).refused);
  CHECK(refusal_of([] { (void)lengths_from({{0, -4}, {1, 5}}); }).refused);
  CHECK(refusal_of([] { (void)fixed_length(0); }).refused);
}

TEST_CASE("bounds of inference refuse what cannot be") {
  const auto refused = [](const plain_call<void()>& call) { CHECK(refusal_of(call).refused); };
  refused([] { (void)decode_bound_of({0, 1_GB, {}, {}}, v5e, 8); });
  refused([] { (void)decode_bound_of({1, 0_GB, {}, {}}, v5e, 8); });
  refused([] { (void)decode_bound_of({1, 1_GB, {}, {}}, v5e, 0); });
  refused([] { (void)decode_bound_of({1, 1_GB, bytes{-1}, {}}, v5e, 8); });
  refused([] { (void)caches_that_fit({0_GB, 0_GB, 1_GB}); });
  refused([] { (void)caches_that_fit({1_GB, 0_GB, 0_GB}); });
  refused([] { (void)caches_that_fit({1_GB, bytes{-1}, 1_GB}); });
  refused([] { (void)chips_to_hold(0_GB, v5e); });
  refused([] { (void)chips_to_hold(1_GB, chip_spec{}); });
  refused([] { (void)power_of_two_from(0); });
  refused([] { (void)requests_per_second({1, 0_s, 512}); });
  refused([] { (void)output_time(1_s, 0); });
  refused([] { (void)turnover(1, {-1, 1}); });
  refused([] { (void)prefill_servers_per_decode_server({1, 1_s, 1}, 0_s); });
  refused([] { (void)decode_tensor_limit(0, 1, 8); });
  refused([] { (void)sharded_product_times({1, 2, 3}, 0, v5e); });
  refused([] { (void)two_dimensional_degrees(0, 4); });
  CHECK(two_dimensional_degrees(1, 1e308).d_model > 0);  // no division by zero where twice the ratio is not finite
  refused([] { (void)two_dimensional_from_chips(0); });
  STATIC_REQUIRE(caches_that_fit({1_GB, 2_GB, 1_GB}) == 0);
  STATIC_REQUIRE(power_of_two_from(8) == 8);
}

TEST_CASE("counts that no engine has are refused by name", "[door]") {
  const transformer m = llama_3_8b();
  const slice s = slice_for("v6e-8");
  const serving_job job = traffic(1024, 256);
  const auto refuses = [](const plain_call<void()>& call, const char* field) {
    const refusal got = refusal_of(call);
    INFO(got.message);
    CHECK(says(got.message, field));
  };
  refuses([&] { (void)decode_step(m, {1e300, 1024}, job, {}, s); }, "decode_batch.sequences is 1e+300");
  refuses([&] { (void)decode_step(m, {1, 1e18}, job, {}, s); }, "decode_batch.context is 1e+18");
  refuses([&] { (void)prefill_time(m, {1e300, 1024}, job, {}, s); }, "prompt_batch.prompts is 1e+300");
  refuses([&] { (void)prefill_time(m, {1, std::int64_t{1} << 62}, job, {}, s); }, "prompt_batch.tokens is 4611686");
  refuses([&] { (void)time_per_token(m, 1e300, job, {}, s); }, "decode_batch.sequences is 1e+300");
  refuses([&] { (void)serving_memory_use(m, 1e308, job, {}, s); }, "running is 1e+308");
  transformer encoder = m;
  encoder.kind = architecture::encoder;
  refuses([&] { (void)decode_step(encoder, {1, 1024}, job, {}, s); }, "model.kind is encoder");
  serving_job bad = job;
  bad.output.mean_square = 1e300;
  refuses([&] { (void)running_context(bad); }, "serving_job.output.mean_square");
  refuses([&] { (void)largest_running(m, bad, {}, s); }, "serving_job.output.mean_square");
  bad = job;
  bad.output.longest = -5;
  refuses([&] { (void)serving_memory_use(m, 1, bad, {}, s); }, "serving_job.output.longest");
}

// An indexer reads its keys for all tokens, and of the others those that it chooses: all of them where there are fewer.
TEST_CASE("a block is no longer than the longest context, and keys that there are not have no settings") {
  // It was said to fit nowhere: the million tokens of one block.
  serving_job job;
  job.prompt = fixed_length(1024), job.output = fixed_length(256);
  const auto refused = [&](const transformer& m, auto change) {
    serving_job changed = job;
    change(changed);
    return refusal_of([&] { (void)serve(m, changed, {}, slice_for("v6e-8")); }).message;
  };
  CHECK(says(refused(llama_3_8b(), [](serving_job& j) { j.block_tokens = 1000000; }),
             "serving_job.block_tokens is 1000000; valid: 1 to 1280, the longest context"));
  CHECK(refused(llama_3_8b(), [](serving_job& j) { j.block_tokens = 1280; }).empty());
  job.prompt = job.output = fixed_length(10);
  CHECK(says(refused(llama_3_8b(), [](serving_job& j) { j.block_tokens = 257; }), "valid: 1 to 256: no engine has"));
  CHECK(refused(llama_3_8b(), [](serving_job& j) { j.block_tokens = 256; }).empty());
  transformer states = llama_3_8b();
  states.recurrent = {recurrence::mamba2, states.layers, 8192, 128, 8, 128, 4};
  CHECK(refused(states, [](serving_job&) {}).empty());
  CHECK(says(refused(states, [](serving_job& j) { j.block_tokens = 16; }), "1: the model keeps a state of each"));
  CHECK(says(refused(states, [](serving_job& j) { j.cache = dtype::fp8; }), "serving_job.cache is fp8; valid: bf16"));
  CHECK(says(refused(states, [](serving_job& j) { j.policy = cache_policy::reserved; }), "serving_job.policy"));
  CHECK(serving_advice(states, job, {}, slice_for("v6e-8")).count > 0);  // of replicas, none of keys
  job.engine = serving_engine::vllm;
  CHECK(as_engine_runs(job, states).block_tokens == 0);
}

TEST_CASE("what a step reads of a sequence: windows, chosen tokens, states") {
  transformer m = llama_3_8b();
  const auto read = [&](double tokens) { return detail::read_of(detail::cache_reads_of(m, dtype::bf16), tokens); };
  CHECK(close(read(1000), 1000 * 131072.0));
  m.attention.window = 512, m.attention.local_layers = 24;
  CHECK(close(read(300), 300 * 131072.0));
  CHECK(close(read(2048), 131072.0 * (2048 * 0.25 + 512 * 0.75)));
  transformer indexed = llama_3_8b();
  indexed.attention.latent.kv_lora_rank = 512, indexed.attention.latent.qk_rope_head_dim = 64;
  indexed.attention.latent.q_lora_rank = 1536, indexed.attention.latent.qk_nope_head_dim = 128;
  indexed.attention.latent.v_head_dim = 128;
  indexed.attention.indexer.heads = 64, indexed.attention.indexer.head_dim = 128;
  indexed.attention.indexer.top_k = 2048;
  const detail::cache_reads reads = detail::cache_reads_of(indexed, dtype::bf16);
  CHECK(close(detail::read_of(reads, 1000), 1000.0 * 2 * 32 * (576 + 128)));  // fewer than it chooses
  CHECK(close(detail::read_of(reads, 60000), 2.0 * 32 * (60000 * 128 + 2048 * 576)));
}

TEST_CASE("low ends are no lower than physics, and targets are refused below that and nowhere else") {
  for (const char* where : {"v6e-1", "v6e-8", "v5p-8", "tpu7x-8", "v5e-16"}) {
    const slice s = slice_for(where);
    serving_job job = traffic(1024, 256);
    job.weights = devices(s) == 1 ? dtype::int8 : dtype::bf16;
    const serving_layout mesh{0, weight_sharding::one_dimension, cache_sharding::batch};
    const transformer m = llama_3_8b();
    for (const double sequences : {1.0, 8.0, 64.0}) {
      const decode_breakdown step = decode_step(m, {sequences, 1152}, job, mesh, s);
      const decode_breakdown peak = decode_step(m, {sequences, 1152}, job, mesh, s, peak_only);
      CAPTURE(where, sequences);
      CHECK(step.low.value() >= (peak.weights + peak.cache).value() * (1 - 1e-9));
      CHECK(step.low >= peak.products);
      CHECK(step.low <= step.total);
      CHECK(step.total <= step.high);
      CHECK(time_per_token(m, sequences, job, mesh, s).low.value() >= (peak.weights + peak.cache).value() * (1 - 1e-9));
    }
    const prefill_breakdown prompt = prefill_time(m, {1, 1024}, job, mesh, s);
    const prefill_breakdown best = prefill_time(m, {1, 1024}, job, mesh, s, peak_only);
    CHECK(prompt.low.value() >= (best.products + best.attention).value() * (1 - 1e-9));
    CHECK(prompt.low.value() >= best.weights.value() * (1 - 1e-9));
    CHECK(prompt.low <= prompt.total);
    const auto refusal_at = [&](seconds serving_job::*target, seconds limit) {
      serving_job asked = job;
      asked.*target = limit;
      return serve(m, asked, mesh, s);
    };
    for (seconds serving_job::*target : {&serving_job::tpot_target, &serving_job::ttft_target}) {
      const seconds floor = refusal_at(target, seconds{1e-9}).floor;
      CHECK(floor.value() > 0);
      CHECK(refusal_at(target, floor * (1 - 1e-9)).floor == floor);
      CHECK(refusal_at(target, floor).refusal == serving_refusal::none);
      CHECK(floor <= (target == &serving_job::tpot_target ? decode_step(m, {1, running_context(job)}, job, mesh, s).low
                                                          : prompt.low));
    }
  }
}

TEST_CASE("prompts of more chunks than output tokens keep less than one sequence running: the frontier has that one") {
  serving_job job = traffic(70000, 4);
  job.prefill_chunk = 1024;
  const serving_frontier all = frontier(llama_3_8b(), job, {}, slice_for("v6e-8"));
  REQUIRE(all.count == 1);
  CHECK(all.points[0].running == 1);
}

TEST_CASE("what is refused meets no target that was asked for") {
  serving_job job = traffic(1024, 256);
  job.request_rate = per_second{1000};
  const auto refused = [&](std::string_view slice_name) { return serve(llama_3_8b(), job, {}, slice_for(slice_name)); };
  const serving_estimate open = refused("v5e-8");
  REQUIRE(open.refusal == serving_refusal::rate_above_capacity);
  CHECK((open.meets_ttft && open.meets_tpot));  // none was asked for
  job.ttft_target = seconds{1}, job.tpot_target = seconds{1};
  CHECK_FALSE(refused("v5e-8").meets_ttft);
  CHECK_FALSE(refused("v5e-8").meets_tpot);
  REQUIRE(refused("v5e-1").refusal == serving_refusal::does_not_fit);
  CHECK_FALSE(refused("v5e-1").meets_ttft);
  job.request_rate = per_second{1};
  CHECK(refused("v5e-8").meets_ttft);
}

}  // namespace estimate_serving_engine_tests
