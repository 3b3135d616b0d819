// How many steps of an engine are simulated a second on one core: a chat service on one replica at three loads.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <vector>

namespace {

using namespace tpuplan;

/// A dense decoder of eight billion parameters on v6e-8 with prompts of 2000 tokens and outputs of 300 on average.
struct question {
  transformer model{};
  serving_job job{};
  slice where{};
};
question chat() {
  question q;
  q.model.layers = 32;
  q.model.d_model = 4096;
  q.model.vocab = 128256;
  q.model.mlp.d_ff = 14336;
  q.model.attention.heads = 32;
  q.model.attention.kv_heads = 8;
  q.model.attention.head_dim = 128;
  q.job.prompt = fixed_length(2000);
  q.job.output = lengths_of(log_normal_lengths(240, 0.67, 2000));
  q.job.block_tokens = 16;
  q.job.prefill_chunk = 2048;
  q.where = slice_for("v6e-8");
  benchmark::DoNotOptimize(q);
  return q;
}

/// Steps a second at that share of the closed form's capacity, in percent.
void bm_simulated_steps(benchmark::State& state) {
  question q = chat();
  const per_second capacity = serve(q.model, q.job, {}, q.where).capacity;
  q.job.request_rate = capacity * (static_cast<double>(state.range(0)) / 100);
  const simulated_engine engine = engine_of(q.model, q.job, {}, q.where);
  const replica_step_times times{q.model, q.job, {}, q.where, engine.max_running};
  const std::vector<simulated_request> requests = requests_of(traffic_of(q.job, 5000));
  std::int64_t steps = 0, tokens = 0;
  double running = 0;
  for (auto _ : state) {
    const simulation_run run = simulate(engine, requests, times);
    steps += run.decode_steps;
    tokens += run.output_tokens;
    running = run.running;
  }
  state.SetItemsProcessed(steps);
  state.counters["tokens"] = benchmark::Counter(static_cast<double>(tokens), benchmark::Counter::kIsRate);
  state.counters["running"] = running;
}
BENCHMARK(bm_simulated_steps)->Arg(20)->Arg(60)->Arg(90)->Unit(benchmark::kMillisecond);

/// From the job to the report: 2000 requests drawn, simulated at 60 % of the capacity, percentiles with errors.
void bm_report(benchmark::State& state) {
  question q = chat();
  q.job.request_rate = serve(q.model, q.job, {}, q.where).capacity * 0.6;
  for (auto _ : state) {
    const simulated_engine engine = engine_of(q.model, q.job, {}, q.where);
    const replica_step_times times{q.model, q.job, {}, q.where, engine.max_running};
    benchmark::DoNotOptimize(report_of(simulate(engine, requests_of(traffic_of(q.job, 2000)), times)));
  }
}
BENCHMARK(bm_report)->Unit(benchmark::kMillisecond);

}  // namespace
