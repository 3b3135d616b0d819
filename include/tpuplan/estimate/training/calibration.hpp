#ifndef TPUPLAN_ESTIMATE_TRAINING_CALIBRATION_HPP
#define TPUPLAN_ESTIMATE_TRAINING_CALIBRATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/estimate/own_runs.hpp>
#include <tpuplan/hardware/chip.hpp>

/// @file
/// The constants of the estimates, calibrated on published runs. Every estimate takes them as an argument.

namespace tpuplan {
inline namespace abi_0 {

/// The constants that are fitted to one kind of chip.
struct chip_constants {
  text<24> chip{};          ///< its name
  double mxu_fraction = 0;  ///< sustained fraction of the bf16 peak in matrix products alone
};

/// The kinds of chips with fitted constants.
struct fitted_chips {
  std::array<chip_constants, 16> items{};  ///< the first `count` are set
  std::size_t count = 0;                   ///< chips
};

namespace detail {
// generated: training_chips from data/measured
// clang-format off
inline constexpr fitted_chips chip_fit = {{{
    {"v2", 0.825}, {"v3", 0.775}, {"v4", 0.687}, {"v5e", 0.879}, {"v5p", 0.769}, {"v6e", 0.789}, {"tpu7x", 0.717},
}}, 7};
// clang-format on
// end of generated: training_chips
}  // namespace detail

/// Constants of the training step. Each has a physical meaning. tools/calibrate fits what differs between chips,
/// other_mxu_fraction, hbm_passes, dispatch_passes, exposed_fsdp and general_software by least squares on the logarithm
/// of time over published runs, and writes them here, rounded to three digits. Those marked "set" are chosen by hand:
/// the runs do not determine them.
struct calibration {
  // generated: training_constants from data/measured
  fitted_chips chips{detail::chip_fit};  ///< constants of single chips
  double other_mxu_fraction = 0.772;     ///< mxu_fraction of chips that are not among `chips`
  bool products_padded = true;           ///< dimensions on a device are filled up to the side of the MXU
  double attention_slowdown = 1.6;       ///< time of a fused attention kernel over that of a tuned one; set
  double softmax_width = 70;             ///< of a head whose products take as long as the softmax; set
  bool heads_fill_mxu = true;            ///< heads fill the side of the MXU, and the kernel's rate is of the peak
  double attention_block = 512;          ///< keys that the kernel takes at once: halves and windows round up to them
  bool latent_values_padded = false;     ///< value heads of latent attention are padded to the size of its keys
  bool global_heads_apart = true;        ///< layers that attend to everything count with the widths of their own heads
  double fixed_update = 0;              ///< HBM traffic of the update, bytes per parameter; 0: by optimizer and formats
  double hbm_passes = 1.11;             ///< exposed HBM traffic, re-reads included, over the bytes counted
  double operand_reads = 1;             ///< times that operands and results of a product move per pass
  double weight_reads = 1;              ///< times that gathered weights are read per pass
  double dispatch_passes = 20.6;        ///< HBM passes of expert sort, gather and scatter per routed token
  bool dispatch_on_every_shard = true;  ///< every tensor shard routes all tokens for itself
  double exposed_fsdp = 0.303;          ///< part of FSDP and data collectives that is not hidden
  double exposed_tensor = 0.20;         ///< part of tensor-parallel collectives that is not hidden; set
  double general_exposed_tensor = 0.60;  ///< the same under software that is not tuned; set
  double exposed_expert = 0.25;          ///< part of expert all-to-alls that is not hidden; set
  double exposed_context = 1.00;         ///< part of context parallelism's key and value gathers that is exposed; set
  double exposed_dcn = 0.30;             ///< part of the all-reduce between slices that is not hidden; set
  double exposed_host = 1.00;            ///< part of state moved to and from hosts; no published record: an upper bound
  bool hidden_by_work_only = true;       ///< traffic is hidden only for as long as the work takes
  double slowdown_per_doubling = 0.015;  ///< stragglers per doubling of slices; set
  double low_precision_share = 0.70;     ///< share of product time that reaches the doubled int8 or fp8 rate; set
  double general_software = 1.05;        ///< time under a general framework over that of a tuned recipe
  double first_port = 1.3;               ///< time of a program that nobody tuned over that of a tuned recipe; set
  double default_tiles = 1.85;           ///< time of grouped products with default tiles over that with tuned ones; set
  double own_factor = 1;                 ///< time over that of the estimate, by the caller
  seconds ring_step{4e-5};               ///< fixed time of each part that ring attention computes; set
  seconds per_layer_pass{1e-4};          ///< fixed time per layer and pass, four passes a step; set
  // end of generated: training_constants
  own_runs own{};  ///< measured steps of the caller's own: see with_own_run
};

/// The constants that estimates take where none are given.
inline constexpr calibration default_calibration{};

/// How measured steps of one source differ from the estimates. tools/calibrate finds these spreads over all sources.
// generated: training_spreads from data/measured
// clang-format off
inline constexpr own_spreads training_spreads{0.0422, 0.0798, 0.02, 3, 1.4, 2.94, 4.98, 0.54, 0.45, 0.0529, 0.0268, 1};
// clang-format on
// end of generated: training_spreads

/// Throws, naming the constant, unless rates and factors are above 0 and shares and additions at least 0.
constexpr void validate(const calibration& constants) {
  if (constants.chips.count > constants.chips.items.size())
    detail::fail(errc::out_of_range, "calibration.chips.count", static_cast<std::int64_t>(constants.chips.count),
                 "at most 16 chips");
  for (std::size_t i = 0; i < constants.chips.count; ++i) {
    const chip_constants& fitted = constants.chips.items[i];
    if (!(fitted.mxu_fraction > 0 && fitted.mxu_fraction <= detail::most_finite))
      detail::fail_positive(text<64>{"calibration.chips: mxu_fraction of "}.append(fitted.chip.view()).view(),
                            fitted.mxu_fraction);
  }
  detail::positive("calibration.other_mxu_fraction", constants.other_mxu_fraction);
  detail::positive("calibration.attention_slowdown", constants.attention_slowdown);
  detail::not_negative("calibration.softmax_width", constants.softmax_width);
  detail::not_negative("calibration.attention_block", constants.attention_block);
  detail::not_negative("calibration.fixed_update", constants.fixed_update);
  detail::not_negative("calibration.hbm_passes", constants.hbm_passes);
  detail::not_negative("calibration.operand_reads", constants.operand_reads);
  detail::not_negative("calibration.weight_reads", constants.weight_reads);
  detail::not_negative("calibration.dispatch_passes", constants.dispatch_passes);
  detail::not_negative("calibration.exposed_fsdp", constants.exposed_fsdp);
  detail::not_negative("calibration.exposed_tensor", constants.exposed_tensor);
  detail::not_negative("calibration.general_exposed_tensor", constants.general_exposed_tensor);
  detail::not_negative("calibration.exposed_expert", constants.exposed_expert);
  detail::not_negative("calibration.exposed_context", constants.exposed_context);
  detail::not_negative("calibration.exposed_dcn", constants.exposed_dcn);
  detail::not_negative("calibration.exposed_host", constants.exposed_host);
  detail::not_negative("calibration.slowdown_per_doubling", constants.slowdown_per_doubling);
  detail::in_range("calibration.low_precision_share", constants.low_precision_share, 0, 1, "0 to 1");
  detail::positive("calibration.general_software", constants.general_software);
  detail::positive("calibration.first_port", constants.first_port);
  detail::positive("calibration.default_tiles", constants.default_tiles);
  detail::positive("calibration.own_factor", constants.own_factor);
  detail::not_negative("calibration.ring_step", constants.ring_step.value());
  detail::not_negative("calibration.per_layer_pass", constants.per_layer_pass.value());
  validate(constants.own);
}

/// @{
/// Passes of the elementwise work of a layer (norms, activation functions, residuals) through its tensors: one forward,
/// two backward, and one more where products are computed again. Where products are kept, 0.3 stands for the
/// elementwise work that is still computed again. Both are set, not fitted: the fitted `hbm_passes` multiplies them.
inline constexpr double elementwise_passes = 3.3;
inline constexpr double elementwise_passes_with_remat = 4;
/// @}

/// @{
/// Passes of a token's activations through tensor-parallel collectives: one forward, one backward, and half of one for
/// the inputs that the backward pass gathers again; one more forward pass where all of it is computed again.
inline constexpr double tensor_passes = 2.5;
inline constexpr double tensor_passes_with_remat = 3;
/// @}

/// Constants of the memory model: one set for the point estimate, and one for each end of the range, which depends on
/// the compiler. All are set by hand, from physics and the published records; none is fitted.
struct memory_calibration {
  double logits_copies = 1;  ///< fp32 copies of logits and gradient together in a tuned recipe: 1 is two in bf16
  double general_logits_copies = 2;  ///< the same under software that is not tuned
  double scores_copies = 1;          ///< fp32 copies of scores and gradient together, where attention is not fused
  double weight_layers = 1;          ///< layers whose weights are gathered at once; a third: one matrix of the MLP
  double expert_layers = 2;          ///< layers whose experts are gathered at once: the ones in use and the next
  double gradient_layers = 1;        ///< layers whose whole gradient waits to be reduced; one matrix of experts
  double kept_gradients = 1;         ///< share of the reduced gradients of all layers, in the format of products
  double kept_elementwise = 1;       ///< share of the elementwise tensors a policy keeps that fusion does not remove
  double recomputed = 1;             ///< share of the tensors a layer computes again that is live at once
  double activation_gradients = 1.0 / 3;  ///< share of a layer's activations with live gradients; 2/3 at most
  double routed_gradients = 1;            ///< that share for routed tokens and the activations of experts
  double routed_copies = 5;  ///< copies of a routed token: repeated, sorted, returned in either order, once in fp32
  double worst_routing = 1;  ///< 1: buffers for the worst routing under expert parallelism; 0: for an even one
  double quantised_bytes_per_element = 1;  ///< of 8-bit copies of operands; 2 with int8's 32-bit results
  double host_layers = 2;                  ///< layers on the way to host memory or back
};
/// The point estimate.
inline constexpr memory_calibration memory_point{};
/// The low end: the compiler keeps least.
inline constexpr memory_calibration memory_low{0.5, 0.5, 0.5, 1.0 / 3, 1, 0, 0, 1.0 / 3, 0.5, 0, 0.5, 2, 0, 0, 1};
/// The high end: the compiler keeps most.
inline constexpr memory_calibration memory_high{2, 2, 2, 1, 2, 1, 1, 1, 1, 2.0 / 3, 1, 5, 1, 2, 2};

/// The least rate between a chip and its host that published runs show, for a chip whose PCIe rate is not documented.
struct shown_host_rate {
  text<24> chip{};             ///< its name
  bytes_per_second one_way{};  ///< what went out in the forward pass of some run, over the time of that pass
};
/// Runs of data/measured that keep tensors on the host and take no longer for it (tests/oracle/host_transfers.cpp).
inline constexpr shown_host_rate shown_host_rates[] = {{"tpu7x", 15.6_GB_per_s}};

/// The rate of one chip to its host, one way: PCIe as documented, else what runs show at least; unknown where neither
/// is. Worked: 32 GB/s of v6e, 15.6 GB/s of tpu7x, unknown of v3.
[[nodiscard]] constexpr known<bytes_per_second> host_rate(const chip_spec& chip) noexcept {
  if (chip.host.pcie.has_value()) return chip.host.pcie;
  for (const shown_host_rate& shown : shown_host_rates) {
    if (shown.chip == chip.name) return shown.one_way;
  }
  return unknown;
}

/// How far the point estimate of a job that ran may exceed what it used. Of published runs that completed, no dense one
/// is estimated at more than 1.35 times the usable HBM (twelve sources); of mixtures of experts, from few sources, none
/// at more than 1.67 times, and the factor is half as wide again in logarithms, as the bands of the step time are:
/// 1.67^1.5. tests/oracle/memory_records.cpp finds both again.
/// @{
inline constexpr double most_over_dense = 1.35;
inline constexpr double most_over_experts = 2.15;
/// @}

/// The constants fitted to the chip of that name; nothing for a chip without published runs, such as a renamed copy.
/// Worked: where `chips` has 0.75 for v5p alone, the MXU fraction of v5p is 0.75, and v6e has nothing.
[[nodiscard]] constexpr maybe<chip_constants> find_chip_constants(const calibration& constants,
                                                                  const chip_spec& chip) noexcept {
  for (std::size_t i = 0; i < constants.chips.count; ++i) {
    if (constants.chips.items[i].chip == chip.name) return constants.chips.items[i];
  }
  return nothing;
}

/// The MXU fraction fitted to a chip; for a chip without published runs, such as one of your own, `other_mxu_fraction`.
/// Worked: where `chips` has 0.75 for v5p alone and `other_mxu_fraction` is 0.8, it is 0.75 for v5p and 0.8 for v6e.
[[nodiscard]] constexpr double mxu_fraction(const calibration& constants, const chip_spec& chip) noexcept {
  const maybe<chip_constants> fitted = find_chip_constants(constants, chip);
  return fitted ? fitted->mxu_fraction : constants.other_mxu_fraction;
}

/// How many published training runs the estimates for a chip are fitted to. tools/calibrate counts them.
struct training_coverage {
  text<24> chip{};             ///< its name
  std::int64_t dense = 0;      ///< models without experts, products in bf16
  std::int64_t eight_bit = 0;  ///< models without experts, products in int8 or fp8
  std::int64_t experts = 0;    ///< mixtures of experts
};
/// The runs of data/measured that the constants are fitted to.
// generated: training_runs from data/measured
// clang-format off
inline constexpr training_coverage training_runs[] = {
    {"v2", 1, 0, 0}, {"v3", 3, 0, 0}, {"v4", 13, 0, 0}, {"v5e", 20, 1, 0}, {"v5p", 28, 8, 12}, {"v6e", 53, 5, 5},
    {"tpu7x", 6, 0, 52},
};
// clang-format on
// end of generated: training_runs

/// How many published runs the estimates for a chip are fitted to. Worked: none for a chip of your own.
[[nodiscard]] constexpr training_coverage runs_behind(const chip_spec& chip) noexcept {
  for (const training_coverage& row : training_runs) {
    if (row.chip == chip.name) return row;
  }
  return {chip.name};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
