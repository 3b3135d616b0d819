#ifndef TPUPLAN_ESTIMATE_SERVING_PREFILL_HPP
#define TPUPLAN_ESTIMATE_SERVING_PREFILL_HPP

#include <cstdint>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/model/flops.hpp>

/// @file
/// Time to take in prompts.

namespace tpuplan {
inline namespace abi_0 {

/// Prompts that are taken in together.
struct prompt_batch {
  double prompts = 0;       ///< of one replica
  std::int64_t tokens = 0;  ///< of each
};

/// The parts of a prefill; they add up to total.
struct prefill_breakdown {
  seconds products{};         ///< matrix products
  seconds attention{};        ///< scores and their sum over values
  seconds elementwise{};      ///< HBM traffic of norms, activations, residuals
  seconds weights{};          ///< reading them, once a chunk
  seconds collectives{};      ///< between the devices of a replica
  seconds latency{};          ///< layers and their small collectives
  seconds total{};            ///< of the whole prefill
  seconds low{};              ///< nine of ten comparable published prefills lie between low and high
  seconds high{};             ///< the upper end of that
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< outside of what published runs cover
};

namespace detail {

constexpr prefill_breakdown prefill_of(const served_model& served, const transformer& model, const prompt_batch& batch,
                                       const serving_job& job, const serving_layout& mesh, const slice& where,
                                       const serving_calibration& constants) {
  const auto length = static_cast<double>(positive_count("prompt_batch.tokens", batch.tokens));
  const double tokens = positive("prompt_batch.prompts", batch.prompts) * length;
  const double chunks = job.prefill_chunk > 0 ? math::ceil(tokens / static_cast<double>(job.prefill_chunk)) : 1;
  const flops_per_second peak = served.peak * constants.prefill_mxu;
  const bytes held = size_of(job.weights) * served.held;
  const layer_widths w = widths_of(model);
  prefill_breakdown t;
  t.products = flops{2 * served.matrices * tokens} / peak;
  constexpr flop_convention half{attention_flops::causal_half, window_flops::clipped};
  t.attention = attention_core(model, length, half) * (tokens * constants.prefill_attention) / peak;
  t.elementwise =
      bytes{constants.prefill_hbm_passes * tokens * 2 * served.layers * (8 * w.d_model + 2 * w.qkv + w.mlp)} /
      served.hbm;
  t.weights = held * chunks / (served.hbm * constants.weight_stream);
  const double moved =
      mesh.weights == weight_sharding::gathered ? held.value() : all_reduced(served, mesh).value() * tokens;
  t.collectives = seconds{moved * collective_seconds_per_byte(served.on, constants.prefill_collectives)};
  t.latency = layer_latency_of(served, constants) * chunks;
  t.total = t.products + t.attention + t.elementwise + t.weights + t.collectives + t.latency;
  positive("prefill", t.total.value());
  t.extrapolated = !serving_covered(where.chip);
  t.band = t.extrapolated ? wide_serving_band : prefill_band;
  t.low = t.total / (1 + t.band);
  t.high = t.total / (1 - t.band);
  return t;
}

}  // namespace detail

/// Time of a prefill by itself, all tokens new. In an engine it takes `engine_prefill` times as long. With
/// `job.prefill_chunk` weights are read and layers passed once a chunk. Throws as `decode_step` does.
/// Worked: 1024 tokens of Llama 2 70B in int8 on v6e-8: 64 ms, measured 60 ms (examples/serving_cases.cpp).
/// Source: closed form calibrated on published runs.
[[nodiscard]] constexpr prefill_breakdown prefill_time(const transformer& model, const prompt_batch& batch,
                                                       const serving_job& job, const serving_layout& mesh,
                                                       const slice& where, const serving_calibration& constants = {}) {
  validate(constants);
  return detail::prefill_of(detail::served_by(model, job, mesh, where), model, batch, job, mesh, where, constants);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
