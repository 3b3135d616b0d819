// What the programs of the exercises share.
#ifndef TPUPLAN_CHANGE_CHECK_HPP
#define TPUPLAN_CHANGE_CHECK_HPP

#include <cstdio>
#include <tpuplan/core.hpp>

inline int failures = 0;

inline void check(bool holds, const char* what) {
  if (!holds) std::printf("does not hold: %s\n", what);
  failures += holds ? 0 : 1;
}

/// Llama 3 8B.
inline tpuplan::transformer llama() {
  tpuplan::transformer model;
  model.layers = 32;
  model.d_model = 4096;
  model.vocab = 128256;
  model.attention.heads = 32;
  model.attention.kv_heads = 8;
  model.attention.head_dim = 128;
  model.mlp.d_ff = 14336;
  return model;
}

inline tpuplan::training_job training() {
  tpuplan::training_job job;
  job.global_batch = 1024;
  job.sequence_length = 4096;
  return job;
}

#endif
