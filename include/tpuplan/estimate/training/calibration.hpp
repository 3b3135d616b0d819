#ifndef TPUPLAN_ESTIMATE_TRAINING_CALIBRATION_HPP
#define TPUPLAN_ESTIMATE_TRAINING_CALIBRATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/text.hpp>
#include <tpuplan/units.hpp>

/// @file
/// The constants of the estimates, calibrated on published runs. Every estimate takes them as an argument.

namespace tpuplan {
inline namespace abi_0 {

/// Constants of the training step. Each has a physical meaning; the defaults are what benchmarks/accuracy fits by least
/// squares on the logarithm of time over 99 published runs of 14 model families, rounded to three digits.
/// estimate/training/calibration_errors.hpp has the standard error of each one's logarithm.
struct calibration {
  /// Sustained fraction of the bf16 peak in matrix products, HBM, ICI and attention counted apart: v2 … tpu7x.
  std::array<double, 7> mxu_fraction = {0.856, 0.784, 0.735, 0.911, 0.774, 0.808, 0.764};
  double other_mxu_fraction = 0.798;     ///< for chips that are not in the table
  bool products_padded = true;           ///< dimensions on a device are filled up to the side of the MXU
  double attention_slowdown = 2.0;       ///< time of the attention kernel over a dense product of the same FLOPs
  double attention_block = 512;          ///< keys that the kernel takes at once: halves and windows round up to them
  bool latent_values_padded = false;     ///< value heads of latent attention are padded as far as its keys
  bool global_heads_apart = true;        ///< layers that attend to everything have the widths of their own heads
  double fixed_update = 0;               ///< bytes of the update for each parameter; 0: as optimizer and formats ask
  double hbm_passes = 1.31;              ///< exposed HBM traffic, re-reads included, over the bytes counted
  double operand_reads = 1;              ///< operands and results of products, counted once per pass
  double weight_reads = 1;               ///< gathered weights, counted once per pass
  double dispatch_passes = 22.4;         ///< HBM passes of expert sort, gather and scatter per routed token
  bool dispatch_on_every_shard = true;   ///< tensor shards route the same tokens each for itself
  double exposed_fsdp = 0.281;           ///< part of FSDP and data collectives that is not hidden
  double exposed_tensor = 0.20;          ///< the same of tensor-parallel collectives; set
  double exposed_expert = 0.25;          ///< the same of expert all-to-alls; set
  double exposed_context = 1.00;         ///< the same of keys and values gathered for context parallelism; no record
  double exposed_dcn = 0.30;             ///< the same of the all-reduce between slices; set
  double exposed_host = 1.00;            ///< the same of state between hosts and chips; no record: an upper bound
  bool hidden_by_work_only = true;       ///< traffic is hidden by no more than the work there is
  double slowdown_per_doubling = 0.015;  ///< jitter and stragglers per doubling of slices; set
  double low_precision_share = 0.70;     ///< share of product time that reaches the doubled int8 or fp8 rate; set
  double general_software = 1.08;        ///< time under a general framework over that of a tuned recipe
  double own_factor = 1;                 ///< measured over estimated time of a run of the caller's own: see scaled_to
  seconds per_layer_pass{1e-4};          ///< fixed time per layer and pass, four passes a step; set
};

/// Throws, naming the constant, unless rates and factors are above 0 and what can be left out is 0 or more.
constexpr void validate(const calibration& constants) {
  for (std::size_t i = 0; i < constants.mxu_fraction.size(); ++i) {
    detail::positive(text<32>{"calibration.mxu_fraction["}.append(static_cast<std::int64_t>(i)).append("]"),
                     constants.mxu_fraction[i]);
  }
  detail::positive("calibration.other_mxu_fraction", constants.other_mxu_fraction);
  detail::positive("calibration.attention_slowdown", constants.attention_slowdown);
  detail::not_negative("calibration.attention_block", constants.attention_block);
  detail::not_negative("calibration.fixed_update", constants.fixed_update);
  detail::not_negative("calibration.hbm_passes", constants.hbm_passes);
  detail::not_negative("calibration.operand_reads", constants.operand_reads);
  detail::not_negative("calibration.weight_reads", constants.weight_reads);
  detail::not_negative("calibration.dispatch_passes", constants.dispatch_passes);
  detail::not_negative("calibration.exposed_fsdp", constants.exposed_fsdp);
  detail::not_negative("calibration.exposed_tensor", constants.exposed_tensor);
  detail::not_negative("calibration.exposed_expert", constants.exposed_expert);
  detail::not_negative("calibration.exposed_context", constants.exposed_context);
  detail::not_negative("calibration.exposed_dcn", constants.exposed_dcn);
  detail::not_negative("calibration.exposed_host", constants.exposed_host);
  detail::not_negative("calibration.slowdown_per_doubling", constants.slowdown_per_doubling);
  detail::in_range("calibration.low_precision_share", constants.low_precision_share, 0, 1, "0 to 1");
  detail::positive("calibration.general_software", constants.general_software);
  detail::positive("calibration.own_factor", constants.own_factor);
  detail::not_negative("calibration.per_layer_pass", constants.per_layer_pass.value());
}

/// Constants of the memory model: a point, and the ends between which the compiler decides. Set by physics
/// with the published records in view; none is a fit.
struct memory_calibration {
  double logits_copies = 1;               ///< logits and their gradient, in copies of fp32: two of bf16; so of scores
  double weight_layers = 1;               ///< layers whose weights are gathered at once; a third: one matrix of the MLP
  double gradient_layers = 1;             ///< layers whose whole gradient waits to be reduced; of experts one matrix
  double kept_gradients = 1;              ///< of all layers, reduced, in the format of the products
  double recomputed = 1;                  ///< of what a layer does again for its backward pass, live at once
  double activation_gradients = 1.0 / 3;  ///< of a layer's activations; the MLP's two thirds at most
  double quantised_bytes = 1;             ///< copies of 8-bit operands; with int8's results in 32 bits 2
  double host_layers = 2;                 ///< layers on the way to host memory or back
};
/// The point.
inline constexpr memory_calibration memory_point{};
/// The end where a compiler keeps least.
inline constexpr memory_calibration memory_low{0.5, 1.0 / 3, 0, 0, 0.5, 0, 0, 1};
/// The end where it keeps most.
inline constexpr memory_calibration memory_high{2, 1, 1, 1, 1, 2.0 / 3, 2, 2};

/// The constant for a chip: its generation's, or that of unlisted chips. Worked: 0.774 for v5p.
[[nodiscard]] constexpr double mxu_fraction(const calibration& constants, const chip_spec& chip) noexcept {
  const std::int64_t generation = detail::generation_index(chip);
  return generation < 0 ? constants.other_mxu_fraction : constants.mxu_fraction[static_cast<std::size_t>(generation)];
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
