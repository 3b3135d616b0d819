// How many questions a second. The optimiser cannot see the inputs, and they change with every call.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/core.hpp>
#include <tpuplan/estimate/serving/engine.hpp>

namespace {

using namespace tpuplan;

/// A dense decoder of eight billion parameters.
transformer eight_billion() {
  transformer m;
  m.layers = 32;
  m.d_model = 4096;
  m.vocab = 128256;
  m.mlp.d_ff = 14336;
  m.attention.heads = 32;
  m.attention.kv_heads = 8;
  m.attention.head_dim = 128;
  return m;
}

/// The values that a benchmark takes in turn, hidden from the optimiser.
template <class T, std::size_t Size>
class varied {
 public:
  explicit varied(const std::array<T, Size>& values) : values_{values} { benchmark::DoNotOptimize(values_); }
  const T& next() { return values_[turn_++ % Size]; }

 private:
  std::array<T, Size> values_;
  std::size_t turn_ = 0;
};

/// Runs a question over and over and counts the calls.
template <class Question>
void ask(benchmark::State& state, Question question) {
  for (auto _ : state) {
    auto answer = question();
    benchmark::DoNotOptimize(answer);
  }
  state.SetItemsProcessed(state.iterations());
}

void bm_critical_batch(benchmark::State& state) {
  varied<chip_spec, 4> chips{{v4, v5e, v5p, v6e}};
  ask(state, [&] { return critical_batch(chips.next(), dtype::bf16); });
}
BENCHMARK(bm_critical_batch);

void bm_find_slice(benchmark::State& state) {
  varied<std::string_view, 4> names{{"v5e-16", "v5p-128", "v6e-8x16", "ct6e-standard-8t"}};
  ask(state, [&] { return find_slice(names.next()); });
}
BENCHMARK(bm_find_slice);

void bm_parameters(benchmark::State& state) {
  transformer m = eight_billion();
  varied<std::int64_t, 4> layers{{16, 32, 48, 64}};
  ask(state, [&] {
    m.layers = layers.next();
    return parameters(m);
  });
}
BENCHMARK(bm_parameters);

void bm_memory_use(benchmark::State& state) {
  const transformer m = eight_billion();
  const slice s = slice_for("v5p-128");
  const layout mesh = fsdp_layout(s);
  training_job job;
  job.sequence_length = 4096;
  varied<std::int64_t, 4> batches{{64, 128, 256, 512}};
  ask(state, [&] {
    job.global_batch = batches.next();
    return memory_use(m, job, mesh, s);
  });
}
BENCHMARK(bm_memory_use);

void bm_step_time(benchmark::State& state) {
  const transformer m = eight_billion();
  const slice s = slice_for("v5p-128");
  const layout mesh = fsdp_layout(s);
  training_job job;
  job.sequence_length = 4096;
  varied<std::int64_t, 4> batches{{64, 128, 256, 512}};
  ask(state, [&] {
    job.global_batch = batches.next();
    return step_time(m, job, mesh, s);
  });
}
BENCHMARK(bm_step_time);

/// A search by doubling and halving: `memory_use` a dozen times.
void bm_largest_batch(benchmark::State& state) {
  const transformer m = eight_billion();
  const slice s = slice_for("v5p-128");
  const layout mesh = fsdp_layout(s);
  training_job job;
  job.global_batch = 64;
  varied<std::int64_t, 4> lengths{{1024, 2048, 4096, 8192}};
  ask(state, [&] {
    job.sequence_length = lengths.next();
    return largest_batch(m, job, mesh, s);
  });
}
BENCHMARK(bm_largest_batch);

serving_job chat() {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  return job;
}

/// Every place taken.
void bm_serve(benchmark::State& state) {
  const transformer m = eight_billion();
  const slice s = slice_for("v6e-8");
  serving_job job = chat();
  varied<std::int64_t, 4> slots{{16, 64, 128, 256}};
  ask(state, [&] {
    job.max_running = slots.next();
    return serve(m, job, {}, s);
  });
}
BENCHMARK(bm_serve);

/// An engine by its name, whose band is not that of a mixture.
void bm_serve_named(benchmark::State& state) {
  const transformer m = eight_billion();
  const slice s = slice_for("v6e-8");
  serving_job job = chat();
  job.engine = serving_engine::vllm;
  varied<std::int64_t, 4> slots{{16, 64, 128, 256}};
  ask(state, [&] {
    job.max_running = slots.next();
    return serve(m, job, {}, s);
  });
}
BENCHMARK(bm_serve_named);

/// As many clients as are given: the running batch is found by Little's law.
void bm_serve_clients(benchmark::State& state) {
  const transformer m = eight_billion();
  const slice s = slice_for("v6e-8");
  serving_job job = chat();
  varied<std::int64_t, 4> clients{{4, 16, 64, 256}};
  ask(state, [&] {
    job.concurrency = clients.next();
    return serve(m, job, {}, s);
  });
}
BENCHMARK(bm_serve_clients);

void bm_decode_step(benchmark::State& state) {
  const transformer m = eight_billion();
  const slice s = slice_for("v6e-8");
  const serving_job job = chat();
  varied<double, 4> batches{{1, 16, 64, 256}};
  ask(state, [&] { return decode_step(m, {batches.next(), 1152}, job, {}, s); });
}
BENCHMARK(bm_decode_step);

void bm_decode_step_named(benchmark::State& state) {
  const transformer m = eight_billion();
  const slice s = slice_for("v6e-8");
  serving_job job = chat();
  job.engine = serving_engine::vllm;
  varied<double, 4> batches{{1, 16, 64, 256}};
  ask(state, [&] { return decode_step(m, {batches.next(), 1152}, job, {}, s); });
}
BENCHMARK(bm_decode_step_named);

void bm_prefill_time(benchmark::State& state) {
  const transformer m = eight_billion();
  const slice s = slice_for("v6e-8");
  const serving_job job = chat();
  varied<std::int64_t, 4> prompts{{128, 512, 1024, 4096}};
  ask(state, [&] { return prefill_time(m, {1, prompts.next()}, job, {}, s); });
}
BENCHMARK(bm_prefill_time);

}  // namespace
