#ifndef TPUPLAN_ESTIMATE_SERVING_PREFILL_HPP
#define TPUPLAN_ESTIMATE_SERVING_PREFILL_HPP

#include <cstdint>
#include <tpuplan/estimate/serving/decode.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/model/flops.hpp>

/// @file
/// Time of a prefill: computing the keys and values of prompts, and their first output token.

namespace tpuplan {
inline namespace abi_0 {

/// Prompts of one length that are prefilled together.
struct prompt_batch {
  double prompts = 0;       ///< prefilled together by one replica
  std::int64_t tokens = 0;  ///< of each prompt
};

/// The parts of a prefill; they add up to total.
struct prefill_breakdown {
  seconds products{};         ///< matrix products
  seconds attention{};        ///< scores and their sum over values
  seconds elementwise{};      ///< HBM traffic of norms, activations, residuals; what a layer takes for each token
  seconds dispatch{};         ///< sorting, gathering and scattering tokens for experts
  seconds weights{};          ///< reading the weights, once a chunk
  seconds collectives{};      ///< bytes moved between the chips of a replica
  seconds latency{};          ///< fixed time of each layer and its small collectives, once a chunk
  seconds images{};           ///< the vision tower and its projector, where prompts have images
  seconds total{};            ///< of the whole prefill
  seconds low{};              ///< lower end: nine of ten comparable published prefills lie in between
  seconds high{};             ///< the upper end of that range
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< no published prefill is on a chip of that name
};

namespace detail {

/// Engine steps over which that many prompt tokens are spread.
constexpr double prefill_chunks(const serving_job& job, double tokens) {
  return job.prefill_chunk > 0 ? math::ceil(tokens / static_cast<double>(job.prefill_chunk)) : 1;
}

/// FLOPs of the causal attention of one prompt's tokens from `from` to before `to`, to those before them. Of prompts
/// whose lengths differ it is the mean: `spread` is their mean square over the square of their mean.
constexpr flops attention_between(const transformer& model, double from, double to, double spread = 1) {
  constexpr flop_convention half{attention_flops::causal_half, window_flops::clipped};
  const flops whole = attention_core(model, to * spread, half) * to;
  return from > 0 ? whole - attention_core(model, from * spread, half) * from : whole;
}

/// Seconds for each of these FLOPs, before runs of the caller's own. Under data-parallel attention one group has a
/// prompt, so that fewer prompts than groups leave some groups idle.
constexpr double seconds_per_attention(const served_model& served, double prompts, const engine_constants& constants) {
  const double idle = prompts < served.groups ? served.groups / prompts : 1;
  return idle * constants.common.prefill_attention / (served.peak.value() * constants.common.prefill_mxu);
}

/// Times of a prefill that no engine can beat at the peak rates of the chip; they may overlap.
struct prefill_floor {
  seconds arithmetic{};  // matrix products and attention
  seconds weights{};     // reading them once
  seconds links{};
  constexpr seconds total() const { return max(arithmetic, max(weights, links)); }
  constexpr decode_limit limited_by() const {
    if (links > arithmetic && links > weights) return decode_limit::collectives;
    return arithmetic > weights ? decode_limit::products : decode_limit::weights;
  }
};

constexpr prefill_floor floor_of(const served_model& served, const prefill_breakdown& time, double tokens,
                                 const serving_job& job, const serving_layout& mesh,
                                 const engine_constants& constants) {
  const double own =
      factor_at(own_question_of(constants.common.own_prefill, prefill_spreads, served.about_prompts), tokens);
  prefill_floor floor;
  floor.arithmetic = constants.common.prefill_mxu / own *
                     (time.products + time.attention / constants.common.prefill_attention + time.images);
  floor.weights = constants.common.weight_stream / own / prefill_chunks(job, tokens) * time.weights;
  if (mesh.weights != weight_sharding::gathered)
    floor.links = seconds{tokens * needed_links(served, mesh, constants.common.prefill_collectives)};
  return floor;
}

/// Tokens of prompts that are in the prefix cache, and attended to, and how the lengths of prompts differ.
struct prompt_context {
  double before = 0;
  double spread = 1;
};

/// Seconds of a prompt's token that an engine with pages takes beyond its products: vector units turn, scale and lay
/// out each query head in each layer, beside the matrix unit, so that of the two the longer counts.
constexpr seconds paged_token(const served_model& served, const serving_job& job, const engine_constants& constants) {
  const seconds rows = constants.common.token_head * (served.rows * paged_share(served, job));
  const seconds products = flops{2 * served.matrices} / (served.peak * constants.common.prefill_mxu);
  return rows > products ? rows - products : seconds{0};
}

/// The same of all tokens of a prefill.
constexpr seconds paged_prefill(const served_model& served, double tokens, const serving_job& job,
                                const engine_constants& constants) {
  const double own =
      factor_at(own_question_of(constants.common.own_prefill, prefill_spreads, served.about_prompts), tokens);
  return own * tokens * paged_token(served, job, constants);
}

/// The parts of a prefill and their total, without its band.
constexpr prefill_breakdown prefill_parts(const served_model& served, const transformer& model,
                                          const prompt_batch& batch, const serving_job& job, const serving_layout& mesh,
                                          const engine_constants& constants, const prompt_context& in = {}) {
  check_part("prompt_batch.tokens", positive_count("prompt_batch.tokens", batch.tokens), most_tokens,
             "1 to 2^40 tokens");
  positive("prompt_batch.prompts", batch.prompts);
  in_range("prompt_batch.prompts", batch.prompts, 0, static_cast<double>(most_requests), "above 0, at most 1e9");
  const auto length = static_cast<double>(batch.tokens);
  const double tokens = batch.prompts * length;
  const double chunks = prefill_chunks(job, tokens);
  const flops_per_second peak = served.peak * constants.common.prefill_mxu;
  const bytes held = size_of(job.weights) * served.streamed;
  const layer_widths widths = widths_of_valid(model);
  prefill_breakdown time;
  time.products = flops{2 * served.matrices * tokens} / peak;
  time.attention = seconds{seconds_per_attention(served, batch.prompts, constants) * batch.prompts *
                           attention_between(model, in.before, in.before + length, in.spread).value()};
  time.elementwise = bytes{constants.common.prefill_hbm_passes * tokens * 2 * served.layers *
                           (8 * widths.d_model + 2 * widths.qkv + widths.mlp)} /
                     served.hbm;
  time.elementwise += tokens * paged_token(served, job, constants);
  time.dispatch = dispatch_of(served, constants) * tokens;
  time.weights = held * chunks / (served.hbm * constants.common.weight_stream);
  time.collectives =
      seconds{mesh.weights == weight_sharding::gathered
                  ? chunks * held.value() * collective_seconds_per_byte(served.on, constants.common.prefill_collectives)
                  : tokens * collectives_of(served, mesh, constants.common.prefill_collectives)};
  time.latency = layer_latency_of(served, constants) * chunks;
  // At the rate of the products of prompts, over all devices: no run of a tower that serves is published.
  if (job.images > 0)
    time.images = batch.prompts * static_cast<double>(job.images) * (1 - job.prefix_hit_rate) *
                  (vision_flops_per_image(model.vision) / peak);
  const own_question own = own_question_of(constants.common.own_prefill, prefill_spreads, served.about_prompts);
  if (const double factor = factor_at(own, tokens); factor != 1) {
    for (seconds* part : {&time.products, &time.attention, &time.elementwise, &time.dispatch, &time.weights,
                          &time.collectives, &time.latency, &time.images})
      *part = factor * *part;
  }
  time.total = time.products + time.attention + time.elementwise + time.dispatch + time.weights + time.collectives +
               time.latency + time.images;
  positive("prefill", time.total.value());
  return time;
}

/// Fills in the range of a time to take in prompts of that many tokens, of which `total` is by itself or `in_engine`.
template <class Estimate>
constexpr void add_prefill_range(Estimate& time, const served_model& served, double tokens, const serving_job& job,
                                 const engine_constants& constants, seconds floor, const prefill_breakdown& alone,
                                 bool in_engine) {
  const double unpaged = 1 - paged_prefill(served, tokens, job, constants) / alone.total;
  const auto time_under = [&](const candidate_engine& engine) {
    return time.total * ((in_engine ? engine.factors.prefill : 1) * (engine.pages ? 1 : unpaged));
  };
  add_range(time, {serving_kind::prefill, job.engine, job.software},
            served.covered && served.groups == 1 && served.ran.prefill_runs > 0, seconds{0}, constants.common.engines,
            time_under);
  const own_question own = own_question_of(constants.common.own_prefill, prefill_spreads, served.about_prompts);
  narrow_by_own(time, own, tokens, serving_kind::prefill, job.software);
  raise_low(time, floor);
}

constexpr prefill_breakdown prefill_of(const served_model& served, const transformer& model, const prompt_batch& batch,
                                       const serving_job& job, const serving_layout& mesh,
                                       const engine_constants& constants) {
  prefill_breakdown time = prefill_parts(served, model, batch, job, mesh, constants);
  const double tokens = batch.prompts * static_cast<double>(batch.tokens);
  add_prefill_range(time, served, tokens, job, constants, floor_of(served, time, tokens, job, mesh, constants).total(),
                    time, false);
  return time;
}

/// The part of a prefill that grows with its tokens: what it adds to a decode step, which reads the weights anyway.
constexpr seconds beside_decode(const prefill_breakdown& time, const serving_layout& mesh) {
  const seconds own = time.products + time.attention + time.elementwise + time.dispatch + time.images;
  return mesh.weights == weight_sharding::gathered ? own : own + time.collectives;
}

/// The two sides of what serves: what decodes, and what takes prompts in. Of a decoder both are the model.
struct served_stacks {
  const served_model& served;
  const transformer& takes_in;
  const served_model& prompts;
};

/// `ask` of the stacks of a model that is known to be valid. An encoder alone runs without a head of tokens.
template <class Ask>
constexpr auto with_stacks(const transformer& model, const serving_job& job, const serving_layout& mesh,
                           const slice& where, bool compared, const Ask& ask) {
  if (model.kind == architecture::decoder) {
    const served_model served = served_by_valid(model, job, mesh, where, compared);
    if (model.attention.cross_layers == 0) return ask(served_stacks{served, model, served});
    const transformer text = text_alone(model);
    return ask(served_stacks{served, text, served});
  }
  const bool pair = model.kind == architecture::encoder_decoder;
  transformer encoder = pair ? encoder_of(model) : model;
  encoder.head_transform = encoder.output_head = encoder.tied_embeddings = encoder.head_bias = false;
  const served_model prompts = served_by_valid(encoder, job, mesh, where, compared);
  if (!pair) return ask(served_stacks{prompts, encoder, prompts});
  const served_model served = served_by_valid(model, job, mesh, where, compared);
  return ask(served_stacks{served, encoder, prompts});
}

}  // namespace detail

/// Time of a prefill alone, with no token in the prefix cache. In an engine it takes `engine_prefill` times
/// as long. With `job.prefill_chunk` the weights are read once for each chunk. Of an encoder it is its pass, of a pair
/// of stacks that of its encoder with the keys and values for cross-attention. Throws where `decode_step` does. Worked:
/// 1024 tokens of Llama 2 70B in int8 on v6e-8: 59.6 ms, measured 60.5 ms (examples/serving_cases.cpp). Source: closed
/// form calibrated on published runs.
[[nodiscard]] constexpr prefill_breakdown prefill_time(
    const transformer& model, const prompt_batch& batch, const serving_job& job, const serving_layout& mesh,
    const slice& where, const serving_calibration& constants = default_serving_calibration) {
  const detail::engine_constants own = detail::constants_of(constants, job.engine);
  detail::check_served(model, job);
  return detail::with_stacks(model, job, mesh, where, detail::has_own_runs(constants), [&](const auto& of) {
    return detail::prefill_of(of.prompts, of.takes_in, batch, job, mesh, own);
  });
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
