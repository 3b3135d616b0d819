// What keeps targets that are missed: every change does when it is asked again, and a little less of it does not.
#include <cmath>
#include <string>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/plan/serving_levers.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_serving_levers_tests {

namespace {

serving_job chat_job() {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  job.request_rate = per_second{40};
  return job;
}

/// The change of one kind; a rate of 0 needed where there is none.
serving_change only(const std::vector<serving_change>& list, serving_lever what) {
  for (const serving_change& one : list) {
    if (one.what == what) return one;
  }
  return {what, 0, 0, {}};
}

}  // namespace

TEST_CASE("a service of 10 requests a second that is asked for 40 needs a rate just below 10") {
  const auto accepts = [](const serving_job& job) { return job.request_rate.value() <= 10; };
  const std::vector<serving_change> changes = changes_that_help(llama_3_8b(), chat_job(), accepts);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].what == serving_lever::rate);
  CHECK(name(changes[0].what) == "rate");
  CHECK(changes[0].given == 40);
  CHECK(changes[0].needed <= 10);
  CHECK(changes[0].needed >= 9.5);
  CHECK(changes[0].job.request_rate.value() == changes[0].needed);
  CHECK(changes_that_help(llama_3_8b(), chat_job(), [](const serving_job&) { return false; }).empty());
}

TEST_CASE("prompts, chunks and formats are changed one at a time") {
  const auto accepts = [](const serving_job& job) {
    return job.prompt.mean <= 300 || job.prefill_chunk == 512 || job.weights == dtype::int4;
  };
  const std::vector<serving_change> changes = changes_that_help(llama_3_8b(), chat_job(), accepts);
  REQUIRE(changes.size() == 3);
  const serving_change prompt = only(changes, serving_lever::prompt);
  CHECK(prompt.needed <= 300);
  CHECK(prompt.needed >= 285);
  CHECK(close(prompt.job.prompt.mean_square, prompt.needed * prompt.needed));
  CHECK(prompt.needed == std::floor(prompt.needed));  // as it is printed
  CHECK(prompt.job.prompt.longest == static_cast<std::int64_t>(prompt.needed));
  CHECK(only(changes, serving_lever::chunk).needed == 512);
  CHECK(only(changes, serving_lever::chunk).job.prompt.mean == 1024);
  CHECK(only(changes, serving_lever::weights).given == 16);
  CHECK(only(changes, serving_lever::weights).needed == 4);
  serving_job quantised = chat_job();
  quantised.weights = quantised.activations = dtype::int8;
  CHECK(only(changes_that_help(llama_3_8b(), quantised, accepts), serving_lever::weights).job.activations ==
        dtype::bf16);
}

TEST_CASE("a shorter prompt keeps the tokens of its images") {
  transformer model = llama_3_8b();
  vision_spec& v = model.vision;
  v.layers = 1, v.d_model = v.d_ff = 64, v.heads = 1, v.image_size = 32, v.patch_size = 2;
  serving_job job = chat_job();
  job.images = 2;
  job = with_image_tokens(job, model);
  const auto pictured = static_cast<double>(2 * image_tokens(v));
  REQUIRE(pictured == 512);
  const auto accepts = [&](double most) {
    return [most](const serving_job& tried) { return tried.prompt.mean <= most; };
  };
  const serving_change shorter = only(changes_that_help(model, job, accepts(pictured + 300)), serving_lever::prompt);
  CHECK(shorter.given == job.prompt.mean - pictured);
  CHECK(shorter.needed > 285);
  CHECK(shorter.needed <= 300);
  CHECK(close(shorter.job.prompt.mean, shorter.needed + pictured));
  CHECK(close(shorter.job.prompt.mean_square, shorter.job.prompt.mean * shorter.job.prompt.mean));
  for (const serving_change& each : changes_that_help(model, job, accepts(pictured))) {
    CHECK(each.what != serving_lever::prompt);  // which its images alone do not keep
  }
}

TEST_CASE("of a fleet that misses its targets, each change keeps them in a simulation") {
  const serving_fleet fleet{{}, slice_for("v6e-4"), 3};
  CHECK(replicas_of(fleet) == 3);
  CHECK(replicas_of({{2}, slice_for("v6e-4"), 3}) == 6);
  latency_targets targets;
  const auto report = [&](const serving_job& job) {
    simulated_traffic traffic = traffic_of(job, 1000);
    traffic.rate = traffic.rate / static_cast<double>(replicas_of(fleet));
    return report_of(simulate_fleet(llama_3_8b(), job, fleet, 1, requests_of(traffic)), targets);
  };
  const auto accepts = [&](const serving_job& job) { return meets(report(job)); };
  targets.per_token = {0.95, 0.9 * report(chat_job()).per_token.value.p95};
  REQUIRE_FALSE(accepts(chat_job()));
  const std::vector<serving_change> changes = changes_that_help(llama_3_8b(), chat_job(), accepts);
  REQUIRE(only(changes, serving_lever::rate).needed > 0);
  for (const serving_change& change : changes) {
    CAPTURE(name(change.what), change.needed);
    CHECK(accepts(change.job));
  }
  serving_job more = only(changes, serving_lever::rate).job;
  more.request_rate *= 1.06;
  CHECK_FALSE(accepts(more));
}

TEST_CASE("a plan that no slice keeps is asked again with each change") {
  serving_request request;
  request.model = llama_3_8b();
  request.job = chat_job();
  request.generations = {"v6e"};
  request.largest_chips = 4;
  request.job.request_rate = per_second{1};
  CHECK(changes_that_help(request).empty());  // no target by percentile
  request.job.percentiles.per_token = {0.95, 5.8_ms};
  REQUIRE(plan_serving(request).plans.empty());
  const std::vector<serving_change> changes = changes_that_help(request);
  REQUIRE_FALSE(changes.empty());
  for (const serving_change& change : changes) {
    CAPTURE(name(change.what), change.needed);
    serving_request changed = request;
    changed.job = change.job;
    CHECK_FALSE(plan_serving(changed).plans.empty());
  }
}

}  // namespace plan_serving_levers_tests
