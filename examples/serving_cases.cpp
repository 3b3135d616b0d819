// Published serving runs beside their estimates, with the inputs as their sources give them.
#include <cstdio>
#include <tpuplan/tpuplan.hpp>

using namespace tpuplan;

namespace {

constexpr transformer dense(const char* name, std::int64_t layers, std::int64_t d_model, std::int64_t d_ff,
                            std::int64_t heads, std::int64_t kv_heads, std::int64_t vocab) {
  transformer m;
  m.name = name;
  m.layers = layers;
  m.d_model = d_model;
  m.vocab = vocab;
  m.mlp.d_ff = d_ff;
  m.attention.heads = heads;
  m.attention.kv_heads = kv_heads;
  m.attention.head_dim = 128;
  return m;
}

constexpr serving_job traffic(std::int64_t prompt, std::int64_t output, dtype weights, dtype cache) {
  serving_job job;
  job.prompt = fixed_length(prompt);
  job.output = fixed_length(output);
  job.weights = weights;
  job.cache = cache;
  return job;
}

void print(const char* what, seconds estimate, double band, double measured_ms) {
  std::printf("%-58s %6.1f ms (%.1f to %.1f), measured %.1f ms\n", what, in_ms(estimate), in_ms(estimate) / (1 + band),
              in_ms(estimate) / (1 - band), measured_ms);
}

}  // namespace

int main() {
  // Llama 2 70B in int8 on v6e-8: AI-Hypercomputer/maxtext a5057afb8, inference_mlperf/trillium, 2024-11.
  const transformer llama = dense("llama-2-70b", 80, 8192, 28672, 64, 8, 32000);
  const slice eight = slice_for("v6e-8");
  serving_job job = traffic(1024, 1024, dtype::int8, dtype::int8);
  job.policy = cache_policy::reserved;  // the engine attends over the whole of the cache that it reserved
  const decode_breakdown step = decode_step(llama, {432, running_context(job)}, job, {}, eight);
  print("Llama 2 70B int8 on v6e-8, decode, 432 sequences", step.total, step.band, 57.3);
  const prefill_breakdown prompt = prefill_time(llama, {1, 1024}, job, {}, eight);
  print("Llama 2 70B int8 on v6e-8, prefill of 1024 tokens", prompt.total, prompt.band, 60.5);
  std::printf("%-58s %6.2f GB a chip, printed 8.70 GB\n", "Llama 2 70B int8 on v6e-8, weights",
              in_gb(serving_memory_use(llama, 0, job, {}, eight).weights));

  // Qwen3 32B in bf16 on v6e-4, 16 clients: sgl-project/sglang-jax cddbf6f1, docs/cookbook, 2026-08.
  const transformer qwen = dense("qwen3-32b", 64, 5120, 25600, 64, 8, 151936);
  const slice four = slice_for("v6e-4");
  const token_time token = time_per_token(qwen, 14.08, traffic(1024, 1024, dtype::bf16, dtype::bf16), {}, four);
  print("Qwen3 32B on v6e-4, each token of 14.1 running sequences", token.total, token.band, 16.9);

  // LLaMA 65B in bf16 on 16 v4 chips, one sequence: pytorch.org, "LLaMA 65B on PyTorch/XLA", 2023-06.
  const transformer first = dense("llama-65b", 80, 8192, 22016, 64, 64, 32000);
  const serving_job chat = traffic(256, 256, dtype::bf16, dtype::bf16);
  const decode_breakdown alone = decode_step(first, {1, running_context(chat)}, chat, {}, slice_for("v4-32"));
  print("LLaMA 65B on v4-32, decode, one sequence", alone.total, alone.band, 14.5);
}
