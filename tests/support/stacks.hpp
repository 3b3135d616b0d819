#ifndef TPUPLAN_TESTS_SUPPORT_STACKS_HPP
#define TPUPLAN_TESTS_SUPPORT_STACKS_HPP

#include <tpuplan/model/transformer.hpp>

#include "support/pairs.hpp"

/// Encoders, and encoders with decoders, as their files on Hugging Face have them.

/// google-bert/bert-base-uncased with its masked-language head: 109514298 parameters.
constexpr tpuplan::transformer bert_base() {
  tpuplan::transformer m;
  m.name = "bert-base";
  m.kind = tpuplan::architecture::encoder;
  m.layers = 12;
  m.d_model = 768;
  m.vocab = 30522;
  m.tied_embeddings = m.head_transform = m.head_bias = true;
  m.learned_positions = m.max_positions = 512;
  m.token_types = 2;
  m.norm_bias = m.embedding_norm = true;
  m.final_norm = false;
  m.attention = {12, 12, 64};
  m.attention.qkv_bias = m.attention.output_bias = true;
  m.mlp = {3072, false, true};
  return m;
}
/// google-t5/t5-base: 222903552 parameters.
constexpr tpuplan::transformer t5_base() {
  tpuplan::transformer m = t5_small();
  m.name = "t5-base";
  m.layers = m.encoder_layers = 12;
  m.d_model = 768;
  m.attention.heads = m.attention.kv_heads = 12;
  m.mlp.d_ff = 3072;
  return m;
}

#endif
