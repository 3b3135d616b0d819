#ifndef TPUPLAN_ESTIMATE_SERVING_QUANTILES_HPP
#define TPUPLAN_ESTIMATE_SERVING_QUANTILES_HPP

#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/training/quantiles.hpp>

/// @file
/// How measured times of serving lie in their bands, and what memory is needed, for `quantile` and `chance`.

namespace tpuplan {
inline namespace abi_0 {

/// Places under a logistic distribution of the logarithm of the time on either side of the estimate, one in twenty
/// beyond each end. Set; docs/accuracy.md has how measured times of sources that were left out lie in it.
inline constexpr band_shape serving_shape = {{
    {0.05, -1},
    {0.10, -0.746},
    {0.25, -0.373},
    {0.50, 0},
    {0.75, 0.373},
    {0.90, 0.746},
    {0.95, 1},
}};

/// @{
/// The shape of the band of a decode step, of a token in an engine, of a prefill and of the first token. Worked:
/// `serving_shape`, so that half of the times are at most the estimate.
[[nodiscard]] constexpr band_shape shape_of(const decode_breakdown&) noexcept { return serving_shape; }
[[nodiscard]] constexpr band_shape shape_of(const token_time&) noexcept { return serving_shape; }
[[nodiscard]] constexpr band_shape shape_of(const prefill_breakdown&) noexcept { return serving_shape; }
[[nodiscard]] constexpr band_shape shape_of(const first_token_time&) noexcept { return serving_shape; }
/// @}

/// The shape of the memory that serving needs. Worked: `even_shape`.
[[nodiscard]] constexpr band_shape shape_of(const serving_memory&) noexcept { return even_shape; }

/// The usable HBM that serving needs: its ends are those at which the verdict is `no` and `yes`. Worked: with a low
/// estimate of 10 GB and a high one of 19.4 GB it is 10 to 20 GB.
[[nodiscard]] constexpr estimated_range<bytes> range_of(const serving_memory& memory) noexcept {
  return {memory.low, memory.total, memory.high / safe_share};
}

/// The chance that weights, cache and workspace fit into HBM: 0.95 where the verdict is `yes`, 0.05 where it is `no`,
/// and in between where it is uncertain. Worked: 0.5 where they are estimated to take all that is usable.
[[nodiscard]] constexpr double chance_to_fit(const serving_memory& memory) { return chance(memory, memory.usable); }

}  // namespace abi_0
}  // namespace tpuplan

#endif
