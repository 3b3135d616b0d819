// The time of a token: device, prompts in between, and host.
#include <tpuplan/estimate/serving/own_runs.hpp>
#include <tpuplan/estimate/serving/token_time.hpp>
#include <tpuplan/hardware/slice_table.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_serving_token_time_tests {

TEST_CASE("a step with prompts: the longer of device and host, or their sum") {
  const detail::engine_step apart{0.010, 0.004, 1, false}, turns{0.010, 0.004, 1, true}, slow{0.010, 0.015, 1, false};
  CHECK(close(apart.with(0), 0.010));
  CHECK(close(apart.with(0.002), 0.012));
  CHECK(close(turns.with(0.002), 0.016));
  CHECK(close(slow.with(0.002), 0.015));
  CHECK(close(slow.with(0.007), 0.017));
}

TEST_CASE("no token is faster than a host that the caller knows") {
  // A host of 100 ms had a low end of 97 ms under vLLM, and of 19 ms without a name.
  for (const serving_engine engine : {serving_engine::vllm, serving_engine::unnamed}) {
    serving_job job;
    job.prompt = fixed_length(1024);
    job.output = fixed_length(256);
    job.engine = engine;
    serving_calibration constants;
    constants.known_step = 0.1_s;
    const token_time known = time_per_token(llama_3_8b(), 4, job, {}, slice_for("v6e-8"), constants);
    const double each = 4 * (constants.engine_sequence + constants.engine_request / 256.0).value();
    CHECK(close(known.total.value(), 0.1 + each));
    CHECK(known.low == 0.1_s);
    CHECK(known.high > known.total);
    // Over two hosts, which vLLM drives in turn with the device, the device's floor comes on top.
    job.engine = serving_engine::vllm;
    const token_time turns = time_per_token(llama_3_8b(), 4, job, {8}, slice_for("v5e-16"), constants);
    CHECK(turns.low >= 0.1_s);
  }
  serving_calibration constants;
  constants.known_step = -1_s;
  CHECK(says(refusal_of([&] { validate(constants); }).message, "serving_calibration.known_step"));
}

TEST_CASE("parts add up to the total, and the range has it, also after runs of the caller's own") {
  const transformer m = llama_3_8b();
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  for (const double factor : {1.0, 0.15, 0.5, 3.0}) {
    serving_calibration constants;
    const slice where = slice_for("v6e-8");
    if (factor != 1)
      constants =
          with_own_decode(constants, factor * time_per_token(m, 16, job, {}, where).total, m, 16, job, {}, where);
    for (const double load : {0.01, 0.5, 0.9}) {
      serving_job some = job;
      some.request_rate = serve(m, job, {}, where, constants).capacity * load;
      const token_time t = serve(m, some, {}, where, constants).per_token;
      CAPTURE(factor, load);
      CHECK(close((t.step.total + t.prompts + t.engine).value(), t.total.value(), 1e-9));
      CHECK(close((max(t.step.weights, t.step.products) + t.step.cache + t.step.paging + t.step.dispatch +
                   t.step.latency + t.step.collectives)
                      .value(),
                  t.step.total.value(), 1e-9));
      CHECK(t.low <= t.total);
      CHECK(t.total <= t.high);
      CHECK(t.step.low <= t.step.total);
    }
  }
}

TEST_CASE("the mean square of lengths over the square of their mean") {
  CHECK(detail::square_ratio(fixed_length(300)) == 1);
  CHECK(close(detail::square_ratio(lengths_from({{0, 0}, {1, 1000}})), 4.0 / 3, 1e-9));
}

}  // namespace estimate_serving_token_time_tests
