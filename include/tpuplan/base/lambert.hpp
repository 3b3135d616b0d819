#ifndef TPUPLAN_BASE_LAMBERT_HPP
#define TPUPLAN_BASE_LAMBERT_HPP

#include <tpuplan/base/math.hpp>

/// @file
/// Lambert's W, by which the best interval between checkpoints is known in closed form. It is composed of the functions
/// of math.hpp, in constant expressions and at run time.

namespace tpuplan {
inline namespace abi_0 {
namespace math {
namespace detail {

/// Coefficients c_1, -c_2, c_3, ... of DLMF 4.13.6: 1 + W0(-exp(-1 - t^2/2)) as a power series in t, by the recurrence
/// DLMF 4.13.8. The first are 1, -1/3, 1/36, 1/270, 1/4320, -1/17010. The radius of convergence is 2 sqrt(pi) = 3.54.
inline constexpr double branch_point_coefficients[] = {
    1.0,
    -0.3333333333333333,
    0.027777777777777776,
    0.003703703703703704,
    0.0002314814814814815,
    -5.878894767783657e-05,
    -2.553644914756026e-05,
    -4.899078973153047e-06,
    -2.428276122977769e-07,
    1.85406221071516e-07,
    7.542464855411896e-08,
    1.47216272806884e-08,
    5.159887341078076e-10,
    -7.32986413160022e-10,
    -2.921357345635569e-10,
    -5.717312238897994e-11,
    -1.5008349408791911e-12,
    3.239317851416903e-12,
    1.2822077905614429e-12,
    2.513834640057088e-13,
    5.2401866818838735e-15,
    -1.5326196647277207e-14,
    -6.053864010513748e-15,
    -1.1889539086269768e-15,
    -2.055644733697029e-17,
    7.59703395936517e-17,
    2.999822650631319e-17,
    5.900904005856487e-18,
};

/// Returns 1 + W0(-exp(-1 - t^2/2)) for 0 <= t <= 1, where the 28 terms leave a relative error below 1e-17.
constexpr double lambert_branch_point_series(double t) noexcept {
  double series = 0.0;
  for (int n = 27; n > 0; --n) series = branch_point_coefficients[n] + t * series;
  return t + t * t * series;
}

/// The double next to the branch point -1/e, and what is to be added to it.
inline constexpr double_double lambert_branch_point = {-0.36787944117144233, 1.2428753672788363e-17};

}  // namespace detail

/// Returns the principal branch of Lambert's W: the w >= -1 with w e^w = x, within 2 ulp.
///
/// It is -1 at the double next to -1/e, NaN below it; zeros and +infinity are returned as they are. Near -1/e by the
/// series DLMF 4.13.6, elsewhere by the estimate of Iacono and Boyd (Adv. Comput. Math. 43, 2017) and the iteration of
/// Fritsch, Shafer and Crowley (CACM 16, 1973). Worked: lambert_w0(1) == 0.5671432904097838.
[[nodiscard]] constexpr double lambert_w0(double x) noexcept {
  if (x < detail::lambert_branch_point.high) return detail::not_a_number;
  if (!is_finite(x) || abs(x) < 0x1p-54) return x;
  if (x < -0.305) {
    const double distance = (x - detail::lambert_branch_point.high) - detail::lambert_branch_point.low;
    if (distance < 0.0) return -1.0;
    return detail::lambert_branch_point_series(sqrt(-2.0 * log1p(-2.718281828459045 * distance))) - 1.0;
  }
  const double log_1_x = log1p(x);
  double w = log_1_x * (1.0 - log1p(log_1_x) / (2.0 + log_1_x));
  for (int i = 0; i < 2; ++i) {
    const double z = log1p((x - w) / w) - w;
    const double q = 2.0 * (1.0 + w) * (1.0 + w + 2.0 / 3.0 * z);
    w += w * (z / (1.0 + w) * ((q - z) / (q - 2.0 * z)));
  }
  return w;
}

/// Returns 1 + W0(-exp(-(1 + d))) for d >= 0, in [0, 1], without cancellation for small d: relative error below 1e-15.
///
/// It is the v with -ln(1 - v) - v = d, hence about sqrt(2 d) for small d. 0 at 0, 1 at infinity, NaN for d < 0. By the
/// series DLMF 4.13.6 in sqrt(2 d) for small d, else by lambert_w0. Worked:
/// lambert_w0_plus_1_of_exp(0.02) == 0.18689488478688432.
[[nodiscard]] constexpr double lambert_w0_plus_1_of_exp(double d) noexcept {
  if (is_nan(d) || d < 0.0) return detail::not_a_number;
  return d <= 0.5 ? detail::lambert_branch_point_series(sqrt(2.0 * d)) : 1.0 + lambert_w0(-exp(-1.0 - d));
}

}  // namespace math
}  // namespace abi_0
}  // namespace tpuplan

#endif
