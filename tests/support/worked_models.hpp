#ifndef TPUPLAN_TESTS_SUPPORT_WORKED_MODELS_HPP
#define TPUPLAN_TESTS_SUPPORT_WORKED_MODELS_HPP

#include <tpuplan/model/transformer.hpp>

#include "support/models.hpp"

/// The models that the comments of headers name.

constexpr tpuplan::transformer llama_2_7b() {
  tpuplan::transformer m = llama_3_8b();
  m.name = "llama-2-7b";
  m.vocab = 32000;
  m.attention.kv_heads = 32;
  m.mlp.d_ff = 11008;
  return m;
}

constexpr tpuplan::transformer deepseek_v3() {
  tpuplan::transformer m;
  m.name = "DeepSeek-V3";
  m.layers = 61;
  m.d_model = 7168;
  m.vocab = 129280;
  m.attention.heads = 128;
  m.attention.kv_heads = 128;
  m.attention.latent = {1536, 512, 128, 64, 128};
  m.mlp.d_ff = 18432;
  m.moe.experts = 256;
  m.moe.top_k = 8;
  m.moe.expert_d_ff = 2048;
  m.moe.shared_d_ff = 2048;
  m.moe.dense_layers = 3;
  return m;
}

constexpr tpuplan::transformer gemma_2_9b() {
  tpuplan::transformer m;
  m.name = "gemma2-9b";
  m.layers = 42;
  m.d_model = 3584;
  m.vocab = 256000;
  m.tied_embeddings = true;
  m.attention.heads = 16;
  m.attention.kv_heads = 8;
  m.attention.head_dim = 256;
  m.attention.window = 4096;
  m.attention.local_layers = 21;
  m.mlp.d_ff = 14336;
  return m;
}

constexpr tpuplan::transformer gpt2() {
  tpuplan::transformer m;
  m.name = "gpt2";
  m.layers = 12;
  m.d_model = 768;
  m.vocab = 50257;
  m.tied_embeddings = true;
  m.learned_positions = 1024;
  m.norm_bias = true;
  m.attention.heads = 12;
  m.attention.kv_heads = 12;
  m.attention.head_dim = 64;
  m.attention.qkv_bias = true;
  m.attention.output_bias = true;
  m.mlp.d_ff = 3072;
  m.mlp.gated = false;
  m.mlp.bias = true;
  return m;
}

constexpr tpuplan::vision_spec vit_b16() {
  tpuplan::vision_spec v;
  v.image_size = 224;
  v.patch_size = 16;
  v.layers = 12;
  v.d_model = 768;
  v.heads = 12;
  v.d_ff = 3072;
  v.class_token = true;
  v.learned_positions = 197;
  v.extra_norms = 1;
  return v;
}

#endif
