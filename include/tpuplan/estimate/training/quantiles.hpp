#ifndef TPUPLAN_ESTIMATE_TRAINING_QUANTILES_HPP
#define TPUPLAN_ESTIMATE_TRAINING_QUANTILES_HPP

#include <tpuplan/estimate/quantiles.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>

/// @file
/// How measured step times lie in their bands, and what memory is needed, for `quantile` and `chance`.

namespace tpuplan {
inline namespace abi_0 {

/// Places of published steps in bands made without their source, all kinds together and each source counted once.
// generated: training_shape from data/measured
// clang-format off
inline constexpr band_shape training_shape = {{
    {0.05, -1.00}, {0.10, -0.73}, {0.25, -0.19}, {0.50, 0.01}, {0.75, 0.35}, {0.90, 0.72}, {0.95, 1.00},
}};
// clang-format on
// end of generated: training_shape

/// The shape of the band of a step. Worked: half of the steps of a new source take at most a time whose place is
/// `training_shape.places[3]`.
[[nodiscard]] constexpr band_shape shape_of(const step_breakdown&) noexcept { return training_shape; }

/// Of what is known to lie between two ends and not where: places rise with shares. Set; docs/accuracy.md has what was
/// seen of jobs whose verdict is uncertain.
inline constexpr band_shape even_shape = {{
    {0.05, -1},
    {0.10, -8.0 / 9},
    {0.25, -5.0 / 9},
    {0.50, 0},
    {0.75, 5.0 / 9},
    {0.90, 8.0 / 9},
    {0.95, 1},
}};

/// The shape of the memory that a step needs. Worked: `even_shape`.
[[nodiscard]] constexpr band_shape shape_of(const memory_breakdown&) noexcept { return even_shape; }

/// The usable HBM that a step needs: its ends are those at which the verdict is `no` and `yes`. Worked: with a low
/// estimate of 10.3 GB and a high one of 19.4 GB it is 10 to 20 GB.
[[nodiscard]] constexpr estimated_range<bytes> range_of(const memory_breakdown& memory) noexcept {
  return {memory.low / (2 - safe_share), memory.total, memory.high / safe_share};
}

/// The chance that a step fits into HBM: 0.95 where the verdict is `yes`, 0.05 where it is `no`, and in between where
/// it is uncertain. Worked: 0.5 for a step that is estimated to take all that is usable.
[[nodiscard]] constexpr double chance_to_fit(const memory_breakdown& memory) {
  const double least = even_shape.places[0].share;
  if (memory.ran) return 1 - least;
  return fits(memory) == verdict::no ? least : chance(memory, memory.usable);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
