#ifndef TPUPLAN_LAB_TRAINING_ERRORS_HPP
#define TPUPLAN_LAB_TRAINING_ERRORS_HPP

#include <tpuplan/estimate/training/calibration.hpp>

/// @file
/// How well the constants of the training step are known.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {
// generated: chip_errors from data/measured
// clang-format off
inline constexpr fitted_chips chip_errors = {{{
    {"v2", 0.15}, {"v3", 0.10}, {"v4", 0.05}, {"v5e", 0.06}, {"v5p", 0.05}, {"v6e", 0.08}, {"tpu7x", 0.08},
}}, 7};
// clang-format on
// end of generated: chip_errors

constexpr calibration make_log_errors() noexcept {
  calibration e;
  // generated: training_errors from data/measured
  e.chips = chip_errors;
  e.other_mxu_fraction = 0.07;
  e.attention_slowdown = 0.16;
  e.attention_block = e.operand_reads = e.weight_reads = e.exposed_context = e.exposed_host = e.own_factor = 0;
  e.hbm_passes = 0.21;
  e.dispatch_passes = 0.13;
  e.exposed_fsdp = 0.27;
  e.exposed_tensor = 0.49;
  e.exposed_expert = 0.37;
  e.exposed_dcn = 0.95;
  e.slowdown_per_doubling = 0.55;
  e.low_precision_share = 0.13;
  e.general_software = 0.03;
  e.per_layer_pass = seconds{0};
  // end of generated: training_errors
  return e;
}
}  // namespace detail

/// Standard errors of the logarithms of the constants, each in the field of its constant; those of constants that were
/// set are of a fit in which they are free; 0 where no data speaks. Switches mean nothing here.
inline constexpr calibration calibration_log_errors = detail::make_log_errors();

}  // namespace abi_0
}  // namespace tpuplan

#endif
