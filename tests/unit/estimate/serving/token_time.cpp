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

TEST_CASE("parts add up to the total, and the range has it, also after runs of the caller's own") {
  const transformer m = llama_3_8b();
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  for (const double factor : {1.0, 0.02, 0.5, 3.0}) {
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
