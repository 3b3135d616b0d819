#ifndef TPUPLAN_HANDBOOK_RECOMPUTATION_HPP
#define TPUPLAN_HANDBOOK_RECOMPUTATION_HPP

#include <cstdint>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/remat.hpp>

/// @file
/// What is kept for the backward pass, in bytes, and what is computed again, in FLOPs.

namespace tpuplan {
inline namespace abi_0 {

/// Bytes of activations kept between the passes: one number for each of `width`, layer and token.
/// Worked: 41.9 TB for 16e6 tokens of llama-2-13b that keep all MLP outputs (5120 + 2 x 13824) in bf16.
/// Source: scaling book, "Training" (2025-12-15).
[[nodiscard]] constexpr bytes saved_activation_bytes(double width, std::int64_t layers, std::int64_t tokens,
                                                     dtype element = dtype::bf16) {
  detail::not_negative("width", width);
  return size_of(element) * (width * static_cast<double>(detail::positive_count("layers", layers)) *
                             static_cast<double>(detail::positive_count("tokens", tokens)));
}

/// FLOPs per token that a policy computes again in the backward pass, as `step_time` counts them. Results that no
/// gradient needs are not computed again: those of the down product of the MLP and of the output head. Attention is
/// that of the fused kernel. Throws under `all_parameters`, which does not tell the parts apart. Worked: 4 T N H per
/// layer where every product is kept and attention is counted in full: 268435456 for 64 heads of 128 at 8192 tokens.
/// Source: scaling book, "Transformers".
[[nodiscard]] constexpr flops recomputed_flops_per_token(const transformer& model, std::int64_t sequence_length,
                                                         const remat_policy& policy,
                                                         const flop_convention& how = maxtext_flops) {
  if (how.all_parameters) {
    detail::fail(errc::unsupported, "flop_convention.all_parameters", "true", "a convention that counts parts");
  }
  const forward_flops f = forward_flops_per_token(model, sequence_length, how);
  const auto again = [](placement where, flops work) { return where == placement::recompute ? work : flops{0}; };
  return again(policy.qkv, f.qkv) + again(policy.out_proj, f.attention_output) +
         again(policy.mlp_up, f.mlp_up + f.experts_up) + (policy.attention_again ? f.attention : flops{0});
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
