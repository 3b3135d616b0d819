#ifndef TPUPLAN_TESTS_SUPPORT_MODELS_HPP
#define TPUPLAN_TESTS_SUPPORT_MODELS_HPP

#include <cstdint>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/model/transformer.hpp>

/// The model that most tests ask about: 8030261248 parameters.
constexpr tpuplan::transformer llama_3_8b() {
  tpuplan::transformer m;
  m.name = "llama-3-8b";
  m.layers = 32;
  m.d_model = 4096;
  m.vocab = 128256;
  m.attention.heads = 32;
  m.attention.kv_heads = 8;
  m.attention.head_dim = 128;
  m.mlp.d_ff = 14336;
  return m;
}

/// A training step of `batch` sequences of `sequence` tokens.
constexpr tpuplan::training_job job_of(std::int64_t batch, std::int64_t sequence) {
  tpuplan::training_job job;
  job.global_batch = batch;
  job.sequence_length = sequence;
  return job;
}

#endif
