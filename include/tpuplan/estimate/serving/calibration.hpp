#ifndef TPUPLAN_ESTIMATE_SERVING_CALIBRATION_HPP
#define TPUPLAN_ESTIMATE_SERVING_CALIBRATION_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/error.hpp>
#include <tpuplan/hardware/chip.hpp>
#include <tpuplan/units.hpp>

/// @file
/// The constants of the serving estimates, calibrated on published runs, and what those runs cover. Every estimate
/// takes the constants as an argument.

namespace tpuplan {
inline namespace abi_0 {

/// Constants of decode steps and prefill. Each has a physical meaning; tools/calibrate fits those that are not marked
/// as set, and writes them here, rounded to three digits. There are few families of published serving runs: take them
/// for calibrated rules, not for laws.
struct serving_calibration {
  // generated: serving_constants from data/measured/measured.json
  double weight_stream = 0.818;          ///< fraction of the HBM bandwidth while weights are read
  double cache_stream = 0.446;           ///< fraction of the HBM bandwidth while keys and values are read
  double decode_mxu = 0.556;             ///< sustained fraction of the peak in decode steps that products limit
  double decode_collectives = 1.1;       ///< time of all-reduces in decode over their bandwidth bound
  seconds layer_latency{2.29e-5};        ///< of the two small all-reduces of a layer, for each doubling of the devices
  seconds engine_step{7.47e-3};          ///< host time of a serving engine each step, while the device works
  seconds engine_sequence{7.65e-5};      ///< host time that each running sequence adds to a step
  double prefill_between_steps = 0.209;  ///< fraction of the peak at which an engine takes prompts between decode steps
  double prefill_mxu = 0.73;             ///< sustained fraction of the peak in prefill
  double prefill_attention = 2.2;        ///< time of the attention kernel over a dense product of the same FLOPs; set
  double prefill_hbm_passes = 1.5;       ///< HBM traffic of elementwise work over the bytes counted; set
  double prefill_collectives = 0.733;    ///< time of all-reduces in prefill over their bandwidth bound
  double engine_prefill = 2.28;          ///< time of a prefill in a serving engine over one by itself
  // end of generated: serving_constants
};

/// Throws, naming the constant, unless rates and factors are above 0 and what can be left out is 0 or more.
constexpr void validate(const serving_calibration& constants) {
  detail::positive("serving_calibration.weight_stream", constants.weight_stream);
  detail::positive("serving_calibration.cache_stream", constants.cache_stream);
  detail::positive("serving_calibration.decode_mxu", constants.decode_mxu);
  detail::not_negative("serving_calibration.decode_collectives", constants.decode_collectives);
  detail::not_negative("serving_calibration.layer_latency", constants.layer_latency.value());
  detail::not_negative("serving_calibration.engine_step", constants.engine_step.value());
  detail::not_negative("serving_calibration.engine_sequence", constants.engine_sequence.value());
  detail::positive("serving_calibration.prefill_between_steps", constants.prefill_between_steps);
  detail::positive("serving_calibration.prefill_mxu", constants.prefill_mxu);
  detail::positive("serving_calibration.prefill_attention", constants.prefill_attention);
  detail::not_negative("serving_calibration.prefill_hbm_passes", constants.prefill_hbm_passes);
  detail::not_negative("serving_calibration.prefill_collectives", constants.prefill_collectives);
  detail::positive("serving_calibration.engine_prefill", constants.engine_prefill);
}

/// Constants of an ideal machine: peak rates, and no time for collectives or engine. For bounds, and for chips on which
/// nothing is calibrated, such as GPUs.
inline constexpr serving_calibration peak_only{1, 1, 1, 0, seconds{0}, seconds{0}, seconds{0}, 1, 1, 1, 0, 0, 1};

namespace detail {

/// Half-widths that hold nine of ten errors with the model family left out: decode steps by themselves, engines (rates
/// of saturated ones among them), prefill; and the width where no published run covers the chip.
inline constexpr double step_band = 0.165;
inline constexpr double engine_band = 0.35;
inline constexpr double prefill_band = 0.30;
inline constexpr double wide_serving_band = 0.50;

/// Published runs of quality A or B in data/measured/measured.json, by chip.
struct serving_coverage {
  std::string_view chip{};
  std::int32_t decode_runs = 0;   // decode steps, engines, and batches from prompt to last token
  std::int32_t prefill_runs = 0;  // prompts taken in
};
// generated: serving_runs from data/measured/measured.json
// clang-format off
inline constexpr serving_coverage serving_runs_by_chip[] = {
    {"v4", 11, 5}, {"v5e", 9, 0}, {"v5p", 2, 0}, {"v6e", 16, 10}, {"tpu7x", 9, 1},
};
// clang-format on
// end of generated: serving_runs

/// Whether published runs of that kind are on a chip of that name. A renamed copy of a chip is not covered.
constexpr bool has_serving_runs(const chip_spec& chip, const std::int32_t serving_coverage::*runs) noexcept {
  for (const serving_coverage& row : serving_runs_by_chip) {
    if (chip.name == row.chip) return row.*runs > 0;
  }
  return false;
}

}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif
