#ifndef TPUPLAN_BASE_NORMAL_HPP
#define TPUPLAN_BASE_NORMAL_HPP

#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>

/// @file
/// Quantiles of the normal distribution, in constant expressions and at run time.

namespace tpuplan {
inline namespace abi_0 {
namespace math {

/// The value below which a share of a normal distribution lies, in standard deviations from its mean, to about seven
/// digits. Refuses a share that is not above 0 and below 1. Source: M. J. Wichura, Algorithm AS 241 (PPND7), Applied
/// Statistics 37:477-484, 1988. Worked: 95 % are below 1.644854.
[[nodiscard]] constexpr double normal_quantile(double share) {
  if (!(share > 0 && share < 1))
    tpuplan::detail::fail(errc::out_of_range, "normal_quantile: share", share, "above 0 and below 1");
  const double q = share - 0.5;
  if (q <= 0.425 && q >= -0.425) {
    const double r = 0.180625 - q * q;
    return q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
           (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1);
  }
  double r = math::sqrt(-math::log(q < 0 ? share : 1 - share));
  double tail = 0;
  if (r <= 5) {
    r -= 1.6;
    tail = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777) /
           ((0.12021132975 * r + 0.73700164250) * r + 1);
  } else {
    r -= 5;
    tail = (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150) /
           ((0.012258202635 * r + 0.24197894225) * r + 1);
  }
  return q < 0 ? -tail : tail;
}

}  // namespace math
}  // namespace abi_0
}  // namespace tpuplan

#endif
