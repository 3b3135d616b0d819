#ifndef TPUPLAN_TESTS_SUPPORT_PAIRS_HPP
#define TPUPLAN_TESTS_SUPPORT_PAIRS_HPP

#include <tpuplan/model/transformer.hpp>

/// An encoder and a decoder without biases: 60506624 parameters.
constexpr tpuplan::transformer t5_small() {
  tpuplan::transformer m;
  m.name = "t5-small";
  m.kind = tpuplan::architecture::encoder_decoder;
  m.layers = m.encoder_layers = 6;
  m.d_model = 512;
  m.vocab = 32128;
  m.tied_embeddings = true;
  m.attention = {8, 8, 64};
  m.attention.relative_buckets = 32;
  m.mlp = {2048, false};
  return m;
}

/// mT0-large, whose adapters PEFT counts: 24 + 24 layers, gated.
constexpr tpuplan::transformer mt0_large() {
  tpuplan::transformer m = t5_small();
  m.layers = m.encoder_layers = 24;
  m.d_model = 1024;
  m.vocab = 250112;
  m.tied_embeddings = false;
  m.attention = {16, 16, 64};
  m.attention.relative_buckets = 32;
  m.mlp = {2816, true};
  return m;
}

/// A stem of two convolutions makes 1500 tokens of every recording: 1543490560 parameters.
constexpr tpuplan::transformer whisper_large_v3() {
  tpuplan::transformer m;
  m.name = "whisper-large-v3";
  m.kind = tpuplan::architecture::encoder_decoder;
  m.layers = m.encoder_layers = 32;
  m.d_model = 1280;
  m.vocab = 51866;
  m.tied_embeddings = true;
  m.attention = {20, 20, 64};
  m.attention.qkv_bias = m.attention.output_bias = m.norm_bias = true;
  m.attention.key_bias = false;
  m.mlp = {5120, false, true};
  m.max_positions = m.learned_positions = 448;
  m.encoder_positions = 1500;
  m.encoder_stem = 3 * 1280 * (128 + 1280) + 2 * 1280;
  return m;
}

#endif
