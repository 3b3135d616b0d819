#ifndef TPUPLAN_HANDBOOK_WORK_HPP
#define TPUPLAN_HANDBOOK_WORK_HPP

#include <cstdint>
#include <tpuplan/model/flops.hpp>

/// @file
/// Rules of thumb for the work of a model: FLOPs from parameters and tokens, the length at which attention takes as
/// many as other products, and an MFU under another convention.

namespace tpuplan {
inline namespace abi_0 {

/// The rule of thumb of a forward pass: two FLOPs per parameter and token, with the active parameters of a mixture of
/// experts. Rematerialisation of whole blocks adds one such pass to `training_work`. Worked: 5.112e14 FLOP for 31.2e9
/// parameters on 8192 tokens.
[[nodiscard]] constexpr flops forward_work(std::int64_t parameter_total, std::int64_t tokens) {
  return flops{2 * static_cast<double>(detail::positive_count("parameters", parameter_total)) *
               static_cast<double>(detail::positive_count("tokens", tokens))};
}

/// The rule of thumb of training: six FLOPs per parameter and token, recomputation not counted.
/// Worked: 3.2856e24 FLOP for 37e9 parameters on 14.8e12 tokens. Source: scaling book, "Transformers" (2025-12-15).
[[nodiscard]] constexpr flops training_work(std::int64_t parameter_total, std::int64_t tokens) {
  return 3 * forward_work(parameter_total, tokens);
}

/// What the attention core is compared with.
enum class attention_against : std::uint8_t {
  projections,  ///< of queries, keys, values and outputs
  layers,       ///< all matrix products of the layers: projections, MLPs, active experts; not router and output head
};

/// The sequence length, in tokens and not rounded, at which the attention core takes as many FLOPs as the other
/// products of a layer. Throws for models with sliding windows, whose attention may never take that many.
/// Worked: for multi-head attention counted in full and a gated MLP of inner width 4 D it is 2 D against the
/// projections and 8 D against all products of a layer: 8192 and 32768 for D = 4096. Source: scaling book,
/// "Transformers".
[[nodiscard]] constexpr double attention_parity_length(const transformer& model, attention_against what,
                                                       attention_flops how = attention_flops::full) {
  if (how == attention_flops::none) {
    detail::fail(errc::invalid_argument, "attention_flops", "none", "full or causal_half");
  }
  const forward_flops one = forward_flops_per_token(model, 1, flop_convention{how, window_flops::smooth, false, false});
  if (model.attention.local_layers > 0) {
    detail::fail(errc::unsupported, "model.attention.local_layers", model.attention.local_layers,
                 "0: no sliding window");
  }
  if (has_recurrence(model) || model.attention.indexer.heads > 0 || model.attention.merged_layers > 0)
    detail::fail(errc::unsupported, "model.recurrent.layers", model.recurrent.layers, "attention to everything");
  if (!(one.attention.value() > 0))
    detail::fail(errc::unsupported, "model.attention.heads", model.attention.heads, "a model whose layers attend");
  const flops projections = one.qkv + one.attention_output;
  if (what == attention_against::projections) return projections / one.attention;
  return (projections + one.mlp_up + one.mlp_down + one.experts_up + one.experts_down) / one.attention;
}

/// An MFU whose FLOPs were counted under one convention, as another convention counts it: what makes published MFUs
/// comparable.
/// Worked: 0.5 under 6N of llama-3-8b at 8192 tokens is 0.534 under MaxText's convention.
[[nodiscard]] constexpr double converted_mfu(double mfu, const transformer& model, std::int64_t sequence_length,
                                             const flop_convention& from, const flop_convention& to) {
  detail::in_range("mfu", mfu, 0, 1, "0 to 1");
  return mfu * (training_flops_per_token(model, sequence_length, to) /
                training_flops_per_token(model, sequence_length, from));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
