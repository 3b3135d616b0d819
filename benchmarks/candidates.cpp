// How many candidates a second: layouts x accumulations x policies of one slice, through the plain public functions and
// with what stays the same hoisted, hoisting included. The third benchmark prints the ratio of the two.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <tpuplan/plan/candidate.hpp>
#include <vector>

namespace {

using namespace tpuplan;

/// The candidates of one slice; hidden from the optimiser.
struct question {
  transformer model{};
  training_job job{};
  slice where{};
  std::vector<layout> layouts;
  std::vector<std::int64_t> accumulations{1, 2, 4, 8, 16};
  std::vector<remat_policy> policies;
};

/// A dense decoder of eight billion parameters on 64 chips: FSDP x tensor x data.
question eight_billion() {
  question q;
  transformer& m = q.model;
  m.layers = 32;
  m.d_model = 4096;
  m.vocab = 128256;
  m.mlp.d_ff = 14336;
  m.attention.heads = 32;
  m.attention.kv_heads = 8;
  m.attention.head_dim = 128;
  q.job.global_batch = 1024;
  q.job.sequence_length = 4096;
  q.where = slice_for("v5p-128");
  for (std::int64_t tensor = 1; tensor <= 16; tensor *= 2) {
    for (std::int64_t data = 1; data <= 8 && data * tensor <= 64; data *= 2) {
      layout l;
      l.tensor = tensor;
      l.data = data;
      l.fsdp = 64 / tensor / data;
      q.layouts.push_back(l);
    }
  }
  for (const named_remat_policy& named : remat_policies) q.policies.push_back(named.policy);
  benchmark::DoNotOptimize(q);
  return q;
}

std::int64_t count(const question& q) {
  return static_cast<std::int64_t>(q.layouts.size() * q.accumulations.size() * q.policies.size());
}

/// The fastest that surely fits, through step_time and memory_use.
double plain(const question& q) {
  double best = 1e300;
  training_job job = q.job;
  for (const layout& l : q.layouts) {
    for (const std::int64_t accumulation : q.accumulations) {
      for (const remat_policy& policy : q.policies) {
        job.gradient_accumulation = accumulation;
        job.remat = policy;
        const memory_breakdown memory = memory_use(q.model, job, l, q.where);
        const double seconds = step_time(q.model, job, l, q.where).total.value();
        if (fits(memory) == verdict::yes && seconds < best) best = seconds;
      }
    }
  }
  return best;
}

/// The layouts, each hoisted; those of a tensor degree follow each other.
template <class Take>
void each_layout(const question& q, Take take) {
  const detail::hoisted_job job = detail::hoist(q.model, q.job, q.policies.data(), q.policies.size());
  detail::hoisted_tensor tensor;
  for (const layout& l : q.layouts) {
    if (tensor.from == nullptr || tensor.degree != l.tensor) tensor = detail::hoist(job, q.where.chip, l.tensor);
    take(detail::hoist(tensor, q.where, l, q.job.global_batch));
  }
}

/// The same answer from hoisted candidates.
double hoisted(const question& q) {
  double best = 1e300;
  const double room = safe_share * usable_hbm_per_device(q.where.chip).value();
  each_layout(q, [&](const detail::hoisted_layout& h) {
    for (const std::int64_t accumulation : q.accumulations) {
      for (std::size_t policy = 0; policy < q.policies.size(); ++policy) {
        const detail::candidate c = detail::evaluate(h, accumulation, policy);
        if (c.on_device.high.value() < room && c.time.value() < best) best = c.time.value();
      }
    }
  });
  return best;
}

template <class Answer>
void ask(benchmark::State& state, Answer answer) {
  const question q = eight_billion();
  for (auto _ : state) benchmark::DoNotOptimize(answer(q));
  state.SetItemsProcessed(state.iterations() * count(q));
}

void bm_plain(benchmark::State& state) { ask(state, plain); }
BENCHMARK(bm_plain);

void bm_hoisted(benchmark::State& state) { ask(state, hoisted); }
BENCHMARK(bm_hoisted);

/// All levels of hoisting and no candidate.
void bm_hoist_layouts(benchmark::State& state) {
  const question q = eight_billion();
  for (auto _ : state) {
    each_layout(q, [](const detail::hoisted_layout& h) { benchmark::DoNotOptimize(h); });
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(q.layouts.size()));
}
BENCHMARK(bm_hoist_layouts);

/// `evaluate` alone, every candidate of hoisted layouts.
void bm_evaluate(benchmark::State& state) {
  const question q = eight_billion();
  const detail::hoisted_job job = detail::hoist(q.model, q.job, q.policies.data(), q.policies.size());
  const detail::hoisted_tensor tensor = detail::hoist(job, q.where.chip, 1);
  const detail::hoisted_layout h = detail::hoist(tensor, q.where, q.layouts[0], q.job.global_batch);
  for (auto _ : state) {
    for (const std::int64_t accumulation : q.accumulations) {
      for (std::size_t policy = 0; policy < q.policies.size(); ++policy) {
        benchmark::DoNotOptimize(detail::evaluate(h, accumulation, policy));
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * count(q) / static_cast<std::int64_t>(q.layouts.size()));
}
BENCHMARK(bm_evaluate);

/// Both in turns; `ratio` is the time of the plain calls over that of the hoisted.
void bm_ratio(benchmark::State& state) {
  using clock = std::chrono::steady_clock;
  const question q = eight_billion();
  clock::duration slow{}, fast{};
  for (auto _ : state) {
    const clock::time_point start = clock::now();
    const double expected = plain(q);
    const clock::time_point middle = clock::now();
    const double found = hoisted(q);
    fast += clock::now() - middle;
    slow += middle - start;
    if (found < expected * (1 - 1e-12) || found > expected * (1 + 1e-12)) state.SkipWithError("not the same answer");
  }
  state.counters["ratio"] = std::chrono::duration<double>(slow) / std::chrono::duration<double>(fast);
}
BENCHMARK(bm_ratio);

}  // namespace
