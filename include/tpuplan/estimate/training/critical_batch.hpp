#ifndef TPUPLAN_ESTIMATE_TRAINING_CRITICAL_BATCH_HPP
#define TPUPLAN_ESTIMATE_TRAINING_CRITICAL_BATCH_HPP

#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/training_job.hpp>

/// @file
/// The batch beyond which more tokens a step stop helping: twice the batch then no longer halves the steps. It is a
/// matter of the loss and not of the chip (`critical_batch` is that one), differs between data sets, and grows during a
/// run. Published laws, each fitted to small runs and extended here, give a band; who measured the gradient noise scale
/// has a figure of their own.

namespace tpuplan {
inline namespace abi_0 {

/// The best batch in tokens of a run of so many FLOPs: 0.2920 C^0.3271. Source: DeepSeek LLM (arXiv 2401.02954, 2024),
/// from runs of 1e17 to 2e19 FLOPs. Refuses a number that is not above 0. Worked: 4.86e22 FLOPs, 8.1 billion parameters
/// on 1e12 tokens, have 7.69 M tokens.
[[nodiscard]] constexpr double best_batch_of_flops(flops all) {
  return 0.2920 * math::pow(detail::positive("flops of the run", all.value()), 0.3271);
}
/// The best batch in tokens of a run of so many tokens, whatever the model: 0.58 D^0.571. Source: Step Law (arXiv
/// 2503.04715, 2025), from 3,700 models of up to 1 billion parameters and 100 billion tokens, dense and of experts.
/// Refuses a number that is not above 0. Worked: 1e12 tokens have 4.13 M tokens a step.
[[nodiscard]] constexpr double best_batch_of_tokens(double tokens) {
  return 0.58 * math::pow(detail::positive("tokens", tokens), 0.571);
}
/// The critical batch in tokens at a loss in nats a token: 2.1e8 L^-4.8. Source: Kaplan et al., Scaling Laws for Neural
/// Language Models (arXiv 2001.08361, 2020), figure 10. Refuses a loss that is not above 0. Worked: 7.54 M tokens at a
/// loss of 2.
[[nodiscard]] constexpr double critical_batch_at_loss(double loss) {
  return 2.1e8 * math::pow(detail::positive("loss", loss), -4.8);
}
/// The loss, in nats a token, of a model of so many parameters after so many tokens: 1.69 + 406.4 N^-0.34 + 410.7
/// D^-0.28. Of another data set and tokenizer it is another one. Source: Hoffmann et al., Training Compute-Optimal
/// Large Language Models (arXiv 2203.15556, 2022). Refuses numbers that are not above 0. Worked: 2.04 for 8e9
/// parameters after 1e12 tokens.
[[nodiscard]] constexpr double published_loss(double parameter_total, double tokens) {
  return 1.69 + 406.4 * math::pow(detail::positive("parameters", parameter_total), -0.34) +
         410.7 * math::pow(detail::positive("tokens", tokens), -0.28);
}

/// How many tokens a step can have before more of them stop helping.
struct critical_batch_band {
  double low = 0;       ///< tokens; the least of the laws
  double high = 0;      ///< tokens; the most of them: beyond it no law says that more tokens a step help
  bool is_own = false;  ///< of the user's own noise scale, which both are then
};

/// The band of a pre-training run of so many tokens: the least and the most of the three laws above. With an own noise
/// scale (tokens; 0: none), which near the end of a run is about the critical batch (McCandlish et al., arXiv
/// 1812.06162, 2018), it is that. Nothing where no law speaks of the run, and no scale is given: of encoders, pairs of
/// stacks, adapters and frozen towers, which are not pre-trained decoders. Throws for a negative scale. Worked: 4.13 M
/// to 7.84 M tokens for 1e12 tokens of Llama 3 8B in sequences of 8192.
[[nodiscard]] constexpr maybe<critical_batch_band> critical_batch_of(const transformer& model, const training_job& job,
                                                                     double tokens, double noise_scale = 0) {
  if (detail::not_negative("noise_scale", noise_scale) > 0) return critical_batch_band{noise_scale, noise_scale, true};
  if (model.kind != architecture::decoder || job.lora_rank > 0 || job.freeze_vision || tokens <= 0) return nothing;
  const double each[] = {best_batch_of_flops(tokens * training_flops_per_token(model, job.sequence_length)),
                         best_batch_of_tokens(tokens),
                         critical_batch_at_loss(published_loss(static_cast<double>(parameters(model).active), tokens))};
  critical_batch_band band{each[0], each[0], false};
  for (const double one : each) {
    if (one < band.low) band.low = one;
    if (one > band.high) band.high = one;
  }
  return band;
}

/// The tokens that a run needs to the same loss, over those of a run of very small steps: 1 + B / B_crit, of steps of B
/// tokens. Refuses a batch or a critical batch that is not above 0. Source: McCandlish et al. (arXiv 1812.06162, 2018).
/// Worked: at the critical batch twice as many.
[[nodiscard]] constexpr double tokens_at_batch(double batch_tokens, double critical) {
  return 1 + detail::positive("batch in tokens", batch_tokens) / detail::positive("critical batch in tokens", critical);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
