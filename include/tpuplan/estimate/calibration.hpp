#ifndef TPUPLAN_ESTIMATE_CALIBRATION_HPP
#define TPUPLAN_ESTIMATE_CALIBRATION_HPP

#include <array>
#include <cstddef>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/units.hpp>

/// @file
/// The constants of the estimates, calibrated on published runs. Every estimate takes them as an argument.

namespace tpuplan {
inline namespace abi_0 {

/// Constants of the training step. Each has a physical meaning; the defaults were fitted by least squares on the
/// logarithm of time over 99 published runs of 14 model families.
struct calibration {
  /// Sustained fraction of the bf16 peak in matrix products, HBM, ICI and attention counted apart: v2 … tpu7x.
  std::array<double, 7> mxu_fraction = {0.75, 0.68, 0.65, 0.79, 0.71, 0.705, 0.69};
  double other_mxu_fraction = 0.71;      ///< for chips that are not in the table
  double attention_slowdown = 2.0;       ///< time of the attention kernel over a dense product of the same FLOPs
  double elementwise_passes = 1.95;      ///< HBM passes of elementwise work relative to the count in the formula
  double dispatch_passes = 18.0;         ///< HBM passes of expert sort, gather and scatter per routed token
  double exposed_fsdp = 0.46;            ///< part of FSDP and data collectives that is not hidden
  double exposed_tensor = 0.10;          ///< the same of tensor-parallel collectives
  double exposed_expert = 0.25;          ///< the same of expert all-to-alls
  double exposed_dcn = 0.30;             ///< the same of the all-reduce between slices
  double slowdown_per_doubling = 0.015;  ///< jitter and stragglers per doubling of slices
  double low_precision_share = 0.70;     ///< share of product time that reaches the doubled int8 or fp8 rate
  seconds per_layer_pass{1e-4};          ///< fixed time per layer and pass, four passes a step
};

/// Constants of the memory model: a point, and the ends between which the compiler decides.
struct memory_calibration {
  double logits_copies = 1;     ///< fp32 logits and gradient together, in copies of fp32 logits
  double gathered_layers = 2;   ///< layers whose weights are gathered at once
  double workspace_copies = 1;  ///< elementwise buffers of one layer
};
inline constexpr memory_calibration memory_point{};
inline constexpr memory_calibration memory_low{0.5, 1, 0.5};
inline constexpr memory_calibration memory_high{2, 2, 2};

/// The constant for a chip: its generation's, or that of unlisted chips. Worked: 0.71 for v5p.
[[nodiscard]] constexpr double mxu_fraction(const calibration& constants, const chip_spec& chip) noexcept {
  const std::int64_t generation = detail::generation_index(chip);
  return generation < 0 ? constants.other_mxu_fraction : constants.mxu_fraction[static_cast<std::size_t>(generation)];
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
