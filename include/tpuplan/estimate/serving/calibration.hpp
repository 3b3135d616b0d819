#ifndef TPUPLAN_ESTIMATE_SERVING_CALIBRATION_HPP
#define TPUPLAN_ESTIMATE_SERVING_CALIBRATION_HPP

#include <tpuplan/error.hpp>
#include <tpuplan/units.hpp>

/// @file
/// The constants of the serving estimates, calibrated on published runs. Every estimate takes them as an argument.

namespace tpuplan {
inline namespace abi_0 {

/// Constants of decode steps and prefill. Each has a physical meaning; benchmarks/accuracy fits those that are not
/// marked as set. There are few families of published serving runs: take them for calibrated rules, not for laws.
struct serving_calibration {
  double weight_stream = 0.818;          ///< fraction of the HBM bandwidth while weights are read
  double cache_stream = 0.444;           ///< the same of keys and values
  double decode_mxu = 0.566;             ///< sustained fraction of the peak in decode, where that is what binds
  double decode_collectives = 1.06;      ///< time of all-reduces in decode over their bandwidth bound
  seconds layer_latency{2.27e-5};        ///< of a layer, for each doubling of its devices: two small all-reduces
  seconds engine_step{7.47e-3};          ///< host and scheduler of a serving engine each step, while the device works
  seconds engine_sequence{7.65e-5};      ///< the same for each sequence that runs
  double prefill_between_steps = 0.209;  ///< fraction of the peak at which an engine takes prompts between decode steps
  double prefill_mxu = 0.736;            ///< sustained fraction of the peak in prefill
  double prefill_attention = 2.2;        ///< time of the attention kernel over a dense product of the same FLOPs; set
  double prefill_hbm_passes = 1.5;       ///< HBM traffic of elementwise work over the bytes counted; set
  double prefill_collectives = 0.753;    ///< time of all-reduces in prefill over their bandwidth bound
  double engine_prefill = 2.27;          ///< time of a prefill in a serving engine over one by itself
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

/// Peak rates, nothing lost, no collectives: for chips on which nothing is calibrated, such as GPUs.
inline constexpr serving_calibration peak_only{1, 1, 1, 0, seconds{0}, seconds{0}, seconds{0}, 1, 1, 1, 0, 0, 1};

}  // namespace abi_0
}  // namespace tpuplan

#endif
