#ifndef TPUPLAN_ESTIMATE_TRAINING_QUANTILES_HPP
#define TPUPLAN_ESTIMATE_TRAINING_QUANTILES_HPP

#include <tpuplan/estimate/quantiles.hpp>
#include <tpuplan/estimate/training/step_time.hpp>

/// @file
/// How measured step times lie in their bands, for `quantile(step, share)` and `chance(step, limit)`.

namespace tpuplan {
inline namespace abi_0 {

/// Places of published steps in bands made without their source, all kinds together and each source counted once.
// generated: training_shape from data/measured
// clang-format off
inline constexpr band_shape training_shape = {{
    {0.05, -1.00}, {0.10, -0.73}, {0.25, -0.19}, {0.50, 0.04}, {0.75, 0.42}, {0.90, 0.89}, {0.95, 1.00},
}};
// clang-format on
// end of generated: training_shape

/// The shape of the band of a step. Worked: half of the steps of a new source take at most a time whose place is
/// `training_shape.places[3]`.
[[nodiscard]] constexpr band_shape shape_of(const step_breakdown&) noexcept { return training_shape; }

}  // namespace abi_0
}  // namespace tpuplan

#endif
