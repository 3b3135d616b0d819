// Advice for serving: each kind appears where it must, not where it must not, and its gain is that of two estimates.
#include <tpuplan/estimate/serving/advice.hpp>
#include <tpuplan/estimate/serving/own_runs.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_serving_advice_tests {

namespace {

constexpr serving_job traffic(std::int64_t prompt, std::int64_t output) {
  serving_job job;
  job.prompt = fixed_length(prompt);
  job.output = fixed_length(output);
  return job;
}

// The gain by two estimates made here, the change applied by hand.
void gain_is(const serving_finding& f, const serving_job& before, const serving_layout& mesh_before,
             const serving_job& after, const serving_layout& mesh_after, const slice& s) {
  const serving_estimate a = serve(llama_3_8b(), before, mesh_before, s);
  const serving_estimate b = serve(llama_3_8b(), after, mesh_after, s);
  CHECK(close(f.gain, 1 - a.output_tokens / b.output_tokens));
  CHECK(close(f.per_token_then.value(), b.per_token.total.value()));
  CHECK(close(f.rate_now.value(), a.output_tokens.value()));
}

const slice eight = slice_for("v6e-8");

}  // namespace

TEST_CASE("few requests in flight") {
  serving_job job = traffic(1024, 512);
  job.concurrency = 4;
  const auto f = find_finding(serving_advice(llama_3_8b(), job, {}, eight), serving_finding_kind::batch);
  REQUIRE(f);
  CHECK(f->now == "4");
  CHECK(f->gain > 0.5);
  serving_job more = job;
  more.concurrency = f->job_then.concurrency;
  gain_is(*f, job, {}, more, {}, eight);
  job.concurrency = 0;
  CHECK_FALSE(find_finding(serving_advice(llama_3_8b(), job, {}, eight), serving_finding_kind::batch));
}

TEST_CASE("a target keeps the batch small") {
  serving_job job = traffic(1024, 512);
  job.concurrency = 4;
  job.tpot_target = serve(llama_3_8b(), job, {}, eight).per_token.total * 1.01;
  for (const serving_finding& f : serving_advice(llama_3_8b(), job, {}, eight)) {
    CHECK(serve(llama_3_8b(), f.job_then, f.mesh_then, eight).meets_tpot);
  }
}

TEST_CASE("arrivals set the pace: what is gained is capacity") {
  serving_job job = traffic(8192, 2048);
  job.request_rate = serve(llama_3_8b(), job, {}, eight).capacity * 0.9;
  const auto f = find_finding(serving_advice(llama_3_8b(), job, {}, eight), serving_finding_kind::cache_dtype);
  REQUIRE(f);
  serving_job small = job;
  small.cache = dtype::fp8;
  CHECK(close(f->gain,
              1 - serve(llama_3_8b(), job, {}, eight).capacity / serve(llama_3_8b(), small, {}, eight).capacity));
}

TEST_CASE("a limit on running sequences leaves HBM unused") {
  serving_job job = traffic(1024, 512);
  job.max_running = 16;
  const auto f = find_finding(serving_advice(llama_3_8b(), job, {}, eight), serving_finding_kind::slots);
  REQUIRE(f);
  serving_job open = job;
  open.max_running = 0;
  gain_is(*f, job, {}, open, {}, eight);
  CHECK_FALSE(find_finding(serving_advice(llama_3_8b(), open, {}, eight), serving_finding_kind::slots));
}

TEST_CASE("keys and values in eight bits") {
  const serving_job job = traffic(8192, 2048);
  const auto f = find_finding(serving_advice(llama_3_8b(), job, {}, eight), serving_finding_kind::cache_dtype);
  REQUIRE(f);
  CHECK(f->better == "fp8");
  serving_job small = job;
  small.cache = dtype::fp8;
  gain_is(*f, job, {}, small, {}, eight);
  CHECK_FALSE(find_finding(serving_advice(llama_3_8b(), small, {}, eight), serving_finding_kind::cache_dtype));
}

TEST_CASE("copies of keys and values") {
  const slice s = slice_for("v5e-32");  // four devices for each KV head
  const serving_job job = traffic(8192, 2048);
  const auto f = find_finding(serving_advice(llama_3_8b(), job, {}, s), serving_finding_kind::cache_sharding);
  REQUIRE(f);
  const serving_layout by_batch{0, weight_sharding::one_dimension, cache_sharding::batch};
  gain_is(*f, job, {}, job, by_batch, s);
  CHECK_FALSE(find_finding(serving_advice(llama_3_8b(), job, by_batch, s), serving_finding_kind::cache_sharding));
  CHECK_FALSE(
      find_finding(serving_advice(llama_3_8b(), job, {}, slice_for("v5e-8")), serving_finding_kind::cache_sharding));
}

TEST_CASE("as many requests in flight as can run, however many there are") {
  serving_job job = traffic(1024, 512);
  job.concurrency = 1000000000;
  job.max_running = 4;
  CHECK_FALSE(find_finding(serving_advice(llama_3_8b(), job, {}, eight), serving_finding_kind::batch));
}

TEST_CASE("devices of a replica") {
  const slice s = slice_for("v6e-8");
  serving_job job = traffic(512, 512);
  job.max_running = 64;
  const auto f = find_finding(serving_advice(llama_3_8b(), job, {}, s), serving_finding_kind::replicas);
  REQUIRE(f);
  CHECK(f->now == "8");
  const serving_layout then{f->mesh_then.tensor, {}, {}};
  gain_is(*f, job, {}, job, then, s);
  const auto again = find_finding(serving_advice(llama_3_8b(), job, then, s), serving_finding_kind::replicas);
  CHECK_FALSE(again);
}

TEST_CASE("advice is none where nothing fits, ordered, and for the compiler too") {
  CHECK(serving_advice(llama_3_8b(), traffic(1024, 512), {}, slice_for("v5e-1")).count == 0);
  serving_job asked = traffic(1024, 512);
  asked.request_rate = per_second{1e9};
  CHECK(serving_advice(llama_3_8b(), asked, {}, eight).count == 0);  // refused, and no error
  serving_job job = traffic(8192, 2048);
  job.max_running = 8;
  const serving_findings all = serving_advice(llama_3_8b(), job, {}, slice_for("v5e-32"));
  REQUIRE(all.count >= 2);
  for (std::size_t i = 1; i < all.count; ++i) CHECK(all.items[i - 1].gain >= all.items[i].gain);
  constexpr std::size_t found = serving_advice(llama_3_8b(), traffic(8192, 2048), {}, slice_for("v6e-1")).count;
  STATIC_REQUIRE(found >= 1);
  CHECK(name(serving_finding_kind::slots) == "slots");
  CHECK(name(serving_finding_kind::cache_sharding) == "cache_sharding");
  CHECK(refusal_of([&] { (void)serving_advice(llama_3_8b(), serving_job{}, {}, eight); }).refused);
}

TEST_CASE("advice for a chip with devices without number is refused, not sought for", "[door]") {
  for (const std::int64_t wrong : {std::int64_t{-8}, std::int64_t{1} << 40}) {
    slice where = eight;
    where.chip.jax_devices = wrong;
    const refusal got = refusal_of([&] { (void)serving_advice(llama_3_8b(), traffic(1024, 256), {}, where); });
    CHECK(says(got.message, "chip.jax_devices is"));
  }
  slice endless = eight;
  endless.shape = {9999, 9999};
  CHECK(says(refusal_of([&] { (void)serving_advice(llama_3_8b(), traffic(1024, 256), {}, endless); }).message,
             "slice.shape: chips is 99980001"));
}

TEST_CASE("runs of one's own change what a change takes, not what it gains") {
  serving_job job = traffic(1024, 256);
  job.concurrency = 64;
  const slice four = slice_for("v6e-4");
  const seconds before = serve(llama_3_8b(), job, {}, four).per_token.total;
  const serving_findings usual = serving_advice(llama_3_8b(), job, {}, four);
  REQUIRE(usual.count > 1);
  for (const double slower : {2.0, 4.0}) {
    const serving_calibration mine = with_own_decode({}, slower * before, llama_3_8b(), 64, job, {}, four);
    const serving_estimate now = serve(llama_3_8b(), job, {}, four, mine);
    const serving_findings own = serving_advice(llama_3_8b(), job, {}, four, mine);
    REQUIRE(own.count == usual.count);
    for (std::size_t i = 0; i < own.count; ++i) {
      INFO(own.items[i].better.view());
      CHECK(own.items[i].kind == usual.items[i].kind);
      CHECK(close(own.items[i].gain, usual.items[i].gain, 0.01));
      CHECK(own.items[i].rate_now == now.output_tokens);
      CHECK(own.items[i].per_token_now == now.per_token.total);
      CHECK(close(own.items[i].rate_then.value(), (now.output_tokens / (1 - own.items[i].gain)).value()));
    }
  }
}

}  // namespace estimate_serving_advice_tests
