// The rates at which a replica keeps its targets: each is one simulation of that replica alone, and is asked once.
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/replica_rates.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace plan_replica_rates_tests {

namespace {

serving_job chat_job() {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  job.request_rate = per_second{40};
  return job;
}

simulation_report simulated(const transformer& model, const slice& where, per_second rate,
                            const latency_targets& targets) {
  simulated_engine engine = engine_of(model, chat_job(), {}, where);
  engine.replicas = 1;
  const replica_step_times times{model, chat_job(), {}, where, engine.max_running};
  simulated_traffic traffic = traffic_of(chat_job(), planning_requests);
  traffic.rate = rate;
  return report_of(simulate(engine, requests_of(traffic), times), targets);
}

}  // namespace

TEST_CASE("a rate holds where a simulation of the replica keeps the targets") {
  const transformer model = llama_3_8b();
  const serving_job job = chat_job();
  const serving_calibration constants;
  const slice where = slice_for("v6e-8");
  latency_targets targets;
  targets.per_token = {0.95, 20_ms};
  detail::replica_rates rates{model, job, constants, targets};
  CHECK(rates.are_needed());
  CHECK(rates.missed_alone(where, {}) == 0_s);
  for (const double each : {1.0, 10.0, 1000.0}) {
    const per_second rate{each};
    const simulation_report alone = simulated(model, where, rate, targets);
    CHECK(rates.holds(where, {}, rate) == meets(alone));
    CHECK(rates.report_of_replica(where, {}, rate).per_token.value.p95 == alone.per_token.value.p95);
  }
  CHECK(rates.holds(where, {}, per_second{5}));           // lower than a rate that was kept
  CHECK_FALSE(rates.holds(where, {}, per_second{2000}));  // higher than one that was missed
  CHECK_FALSE(detail::replica_rates{model, job, constants, {}}.are_needed());
}

// Some 2000 requests of long outputs end while the slots still fill: of them fewer are done than come.
TEST_CASE("a replica that only fills keeps its targets near its capacity, also as the largest rate says") {
  const transformer model = llama_3_8b();
  const slice where = slice_for("v5p-8");
  serving_job job;
  job.prompt = fixed_length(64);
  job.output = fixed_length(400);
  const per_second capacity = serve(model, job, {}, where).capacity, near_it = capacity * 0.95;
  job.request_rate = near_it;
  latency_targets targets;
  targets.per_token = {0.95, 1_s};
  const serving_calibration constants;
  detail::replica_rates rates{model, job, constants, targets};
  CHECK(rates.holds(where, {}, near_it));
  CHECK_FALSE(rates.holds(where, {}, capacity * 1.1));
  simulated_engine engine = engine_of(model, job, {}, where);
  engine.replicas = 1;
  const replica_step_times times{model, job, {}, where, engine.max_running};
  const per_second largest = largest_rate(engine, traffic_of(job, planning_requests), times, targets);
  CHECK(largest > near_it * 0.99);
  CHECK(largest < capacity * 1.05);
  CHECK(largest_rate(engine, traffic_of(job, planning_requests), times, targets, near_it) <= near_it);
}

TEST_CASE("a replica runs no more requests at once than it is told") {
  const transformer model = llama_3_8b();
  serving_job job = chat_job();
  job.max_running = 4;
  const serving_calibration constants;
  latency_targets targets;
  targets.per_token = {0.95, 20_ms};
  detail::replica_rates rates{model, job, constants, targets};
  const double running = rates.report_of_replica(slice_for("v6e-8"), {}, per_second{1000}).running;
  CHECK(running > 3);
  CHECK(running <= 4);
}

TEST_CASE("a target below an empty replica's time holds at no rate") {
  const transformer model = llama_3_8b();
  const serving_job job = chat_job();
  const serving_calibration constants;
  const slice where = slice_for("v6e-8");
  latency_targets targets;
  targets.per_token = {0.95, 1_us};
  detail::replica_rates rates{model, job, constants, targets};
  CHECK(rates.missed_alone(where, {}) > 1_ms);
  CHECK(rates.missed_alone(where, {}) < 1_s);
  CHECK_FALSE(rates.holds(where, {}, per_second{0.001}));
  // No rate has shorter times than requests alone.
  const detail::counted_times alone = rates.times_alone_of(where, {}),
                              busy = rates.times_of_replica(where, {}, per_second{10});
  REQUIRE_FALSE(busy.each.empty());
  CHECK(detail::reached(alone.each, 0.95) > 0.001);
  CHECK(detail::reached(alone.each, 0.95) <= detail::reached(busy.each, 0.95));
  CHECK(detail::reached(alone.first, 0.95) <= detail::reached(busy.first, 0.95));
  detail::replica_rates slower{model, job, constants, targets, detail::most_planning_steps, 2};
  CHECK(close(detail::reached(slower.times_alone_of(where, {}).each, 0.95), 2 * detail::reached(alone.each, 0.95)));
}

TEST_CASE("no further rate is simulated once the steps of a question are used up") {
  const transformer model = llama_3_8b();
  const serving_job job = chat_job();
  const serving_calibration constants;
  const slice where = slice_for("v6e-8");
  latency_targets targets;
  targets.per_token = {0.95, 20_ms};
  detail::replica_rates all{model, job, constants, targets}, few{model, job, constants, targets, 1000};
  CHECK(all.holds(where, {}, per_second{1}));
  CHECK(all.steps_left() < detail::most_planning_steps - 100000);
  CHECK_FALSE(all.are_exhausted());
  CHECK(few.holds(where, {}, per_second{1}));  // begun with steps left
  CHECK(few.are_exhausted());
  CHECK_FALSE(few.holds(where, {}, per_second{2}));
  CHECK(few.holds(where, {}, per_second{0.5}));  // is known
}

TEST_CASE(
    "with steps that take longer a replica keeps its targets at lower rates, and its report is that of steps as they "
    "are") {
  const transformer model = llama_3_8b();
  const serving_job job = chat_job();
  const serving_calibration constants;
  const slice where = slice_for("v6e-8");
  latency_targets targets;
  targets.per_token = {0.95, 20_ms};
  detail::replica_rates usual{model, job, constants, targets}, slower{model, job, constants, targets, 90000000, 1.5};
  per_second most{0}, most_slower{0};
  for (double rate = 4; rate < 200; rate *= 1.2) {
    if (usual.holds(where, {}, per_second{rate})) most = per_second{rate};
    if (slower.holds(where, {}, per_second{rate})) most_slower = per_second{rate};
  }
  CHECK(most_slower.value() > 0);
  CHECK(most > most_slower * 1.3);  // by the clock alone it were 1.5 times at limits that are 1.5 times as long
  CHECK(slower.report_of_replica(where, {}, most_slower).per_token.value.p95 ==
        simulated(model, where, most_slower, targets).per_token.value.p95);
  const detail::counted_times times = slower.times_of_replica(where, {}, most_slower);
  CHECK(detail::is_met(times.each, targets.per_token));
}

}  // namespace plan_replica_rates_tests
