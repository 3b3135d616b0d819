#ifndef TPUPLAN_ASK_SIMULATE_HPP
#define TPUPLAN_ASK_SIMULATE_HPP

#include <string>
#include <tpuplan/ask/serving_checks.hpp>
#include <tpuplan/ask/simulation.hpp>
#include <utility>

/// @file
/// The question of slices under traffic: simulate.

namespace tpuplan {
inline namespace abi_0 {

/// Latencies and rates of the slices under traffic, from a simulation of one replica with its share of the requests, or
/// of all replicas under a trace. `config` and `asked.job` are taken as they are, with the formats of their weights
/// filled in. Throws, naming the field, without a rate or trace, and for an unknown slice or region. Worked: two v5e-8
/// with tensor parallelism over 4 have 4 replicas, of which 1 is simulated.
[[nodiscard]] inline simulate_answer answer_to_simulate(const model_config& config, const simulate_request& asked,
                                                        const price_book& book) {
  const bool closed = asked.job.concurrency > 0;
  if (asked.trace.empty() && !closed && asked.job.request_rate.value() <= 0)
    detail::fail(errc::missing_field, "job.request_rate_per_s", "missing",
                 "requests a second, or requests in flight, or a trace");
  if (closed && !asked.trace.empty())
    detail::fail(errc::invalid_argument, "job.concurrency", asked.job.concurrency, "0 beside a trace");
  if (!closed && asked.ramp.value() > 0)
    detail::fail(errc::invalid_argument, "ramp_s", asked.ramp.value(), "0 without requests in flight");
  if (!closed && asked.warm_up > 0)
    detail::fail(errc::invalid_argument, "warm_up", asked.warm_up, "0 without requests in flight");
  for (const auto& [field, target] :
       {std::pair{"job.ttft_target_s", asked.job.ttft_target}, {"job.tpot_target_s", asked.job.tpot_target}}) {
    if (target.value() > 0)
      detail::fail(errc::invalid_argument, field, target.value(), "0: a simulation has targets by percentile");
  }
  const slice where = scheduled_slice(asked.slice);
  detail::check_arithmetic(where.chip, asked.job.activations);
  check_sharding(config.model, asked.mesh, where);
  expect_region(book, asked.region);
  detail::asked_simulation simulation(config.model, asked);
  simulate_answer answer = simulation.answer();
  answer.model = config.model.name.view();
  answer.variation = asked.variation;
  answer.traced = !asked.trace.empty();
  simulation.add_chance_by_runs(answer);
  simulation.add_band(answer);
  if (asked.load) answer.load = simulation.load();
  if (asked.kind) {
    answer.price = price_for(book, answer.fleet.where, asked.region, *asked.kind);
  } else if (const maybe<price_row> price =
                 find_price(book, answer.fleet.where, asked.region, provisioning::on_demand)) {
    answer.price = *price;
  }
  simulation.add_cost(answer);
  answer.assumed = all_assumed(config, simulation.assumed(answer));
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
