#ifndef TPUPLAN_BASE_MATH_HPP
#define TPUPLAN_BASE_MATH_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "tpuplan needs C++17 or newer (-std=c++17)"
#else

#include <cstdint>
#include <tpuplan/base/error.hpp>

/// @file
/// Elementary functions over `double` that also work in constant expressions.
///
/// At run time they are the C library's. In constant evaluation they are computed here, within 2 ulp of the C library
/// over the whole range of `double`, subnormal numbers included; special values are those of C11 Annex F. They live in
/// `tpuplan::math`, so that `using namespace tpuplan` does not collide with `::sqrt`.

namespace tpuplan {
inline namespace abi_0 {
/// Elementary functions over `double`, usable in constant expressions.
namespace math {

/// No stability promise; `*_constant` are the algorithms of constant evaluation.
namespace detail {

inline constexpr double infinity = __builtin_huge_val();
inline constexpr double not_a_number = __builtin_nan("");

static_assert(__DBL_MANT_DIG__ == 53 && sizeof(double) == 8, "tpuplan needs IEEE 754 doubles");

/// Fields of an IEEE 754 binary64 number.
inline constexpr std::uint64_t sign_mask = 0x8000'0000'0000'0000;
inline constexpr std::uint64_t fraction_mask = 0x000f'ffff'ffff'ffff;
inline constexpr std::uint64_t upper_half_mask = 0xffff'ffff'f800'0000;
inline constexpr int fraction_bits = 52;
inline constexpr int exponent_bias = 1023;

/// Returns the representation of x.
constexpr std::uint64_t bits_of(double x) noexcept { return __builtin_bit_cast(std::uint64_t, x); }

/// Returns the number represented by bits.
constexpr double from_bits(std::uint64_t bits) noexcept { return __builtin_bit_cast(double, bits); }

/// Returns 2^n for -1022 <= n <= 1023.
constexpr double power_of_two(int n) noexcept {
  return from_bits(static_cast<std::uint64_t>(n + exponent_bias) << fraction_bits);
}

/// A positive number as mantissa * 2^exponent.
struct scaled {
  double mantissa;
  int exponent;
};

/// Splits a positive finite number, which may be subnormal, into a mantissa in [1, 2) and an exponent.
constexpr scaled decompose(double x) noexcept {
  const bool subnormal = x < __DBL_MIN__;
  const std::uint64_t bits = bits_of(subnormal ? x * 0x1p54 : x);
  const int exponent = static_cast<int>(bits >> fraction_bits) - exponent_bias - (subnormal ? 54 : 0);
  return {from_bits((bits & fraction_mask) | bits_of(1.0)), exponent};
}

/// Returns x * 2^n, rounded once, for x in [0.5, 2) and -1100 <= n <= 1024; infinity on overflow.
constexpr double scale(double x, int n) noexcept {
  if (n < -1000) return x * power_of_two(n + 128) * 0x1p-128;
  if (n < 1023) return x * power_of_two(n);
  const double half = x * power_of_two(n - 1);
  return half < 0x1p1023 ? 2.0 * half : infinity;
}

/// The unevaluated sum of two numbers: about 106 bits (T. J. Dekker, Numerische Mathematik 18, 1971). For constant
/// evaluation only: at run time a compiler that contracts to fused multiply-add would spoil the error terms.
struct double_double {
  double high;
  double low;
};

/// Returns a + b exactly (D. E. Knuth, TAOCP 2, 4.2.2).
constexpr double_double two_sum(double a, double b) noexcept {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// Returns a * b exactly, but for underflow. Halves are cut by masking, which cannot overflow.
constexpr double_double two_product(double a, double b) noexcept {
  const double a_high = from_bits(bits_of(a) & upper_half_mask);
  const double b_high = from_bits(bits_of(b) & upper_half_mask);
  const double a_low = a - a_high;
  const double b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

/// Returns a + b with a relative error of about 2^-104, unless they cancel.
constexpr double_double add(double_double a, double_double b) noexcept {
  const double_double sum = two_sum(a.high, b.high);
  return two_sum(sum.high, sum.low + (a.low + b.low));
}

/// Returns a * b with a relative error of about 2^-104.
constexpr double_double multiply(double_double a, double_double b) noexcept {
  const double_double product = two_product(a.high, b.high);
  return two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/// Returns a / b with a relative error of about 2^-104.
constexpr double_double divide(double a, double_double b) noexcept {
  const double quotient = a / b.high;
  const double_double product = two_product(quotient, b.high);
  return two_sum(quotient, ((a - product.high) - product.low - quotient * b.low) / b.high);
}

inline constexpr double_double one_third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
inline constexpr double_double one_fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
inline constexpr double_double inverse_ln2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
/// The high part of ln 2 has 32 trailing zero bits, so that its products with exponents are exact.
inline constexpr double_double ln2 = {0x1.62e42feep-1, 0x1.a39ef35793c76p-33};

constexpr bool is_nan(double x) noexcept { return (bits_of(x) & ~sign_mask) > bits_of(infinity); }

constexpr double abs(double x) noexcept { return from_bits(bits_of(x) & ~sign_mask); }

constexpr double floor_constant(double x) noexcept {
  if (!(abs(x) < 0x1p52) || x == 0.0) return x;
  const double truncated = static_cast<double>(static_cast<std::int64_t>(x));
  return truncated > x ? truncated - 1.0 : truncated;
}

constexpr double ceil_constant(double x) noexcept { return -floor_constant(-x); }

constexpr bool is_odd_integer(double x) noexcept {
  return abs(x) < 0x1p53 && floor_constant(x) == x && static_cast<std::int64_t>(x) % 2 != 0;
}

/// Correctly rounded: Newton's iteration, then an exact test of the integer remainder (it stays below 2^55, so that
/// arithmetic modulo 2^64 does not lose it).
constexpr double sqrt_constant(double x) noexcept {
  if (!(x > 0.0 && x < infinity)) return x < 0.0 ? not_a_number : x;
  const scaled parts = decompose(x);
  const int odd = parts.exponent & 1;
  const double square = odd != 0 ? 2.0 * parts.mantissa : parts.mantissa;
  double root = 0.6 + 0.4 * square;
  for (int i = 0; i < 5; ++i) root = 0.5 * (root + square / root);
  auto root_bits = static_cast<std::uint64_t>(root * 0x1p52);
  const auto square_bits = static_cast<std::uint64_t>(square * 0x1p52);
  const auto remainder = static_cast<std::int64_t>((square_bits << fraction_bits) - root_bits * root_bits);
  if (remainder > static_cast<std::int64_t>(root_bits)) ++root_bits;
  if (remainder <= -static_cast<std::int64_t>(root_bits)) --root_bits;
  return static_cast<double>(root_bits) * power_of_two((parts.exponent - odd) / 2 - fraction_bits);
}

/// e^x = 2^exponent * (1 + reduced + rest), |reduced| <= 0.35, rest much smaller.
struct reduced_exponential {
  int exponent;
  double reduced;
  double rest;
};

/// For |x| <= 750: reduces x by a multiple of ln 2 (W. J. Cody and W. Waite, Software Manual for the Elementary
/// Functions, 1980) and sums the Taylor series (DLMF 4.2.19).
constexpr reduced_exponential reduce_exponential(double_double x) noexcept {
  const int exponent = static_cast<int>(x.high * inverse_ln2.high + (x.high < 0.0 ? -0.5 : 0.5));
  const double_double r = two_sum(x.high - exponent * ln2.high, x.low - exponent * ln2.low);
  double series = 1.0;
  for (int n = 16; n > 2; --n) series = 1.0 + r.high / n * series;
  return {exponent, r.high, 0.5 * r.high * r.high * series + (r.low + r.low * r.high)};
}

constexpr double exp_constant(double_double x) noexcept {
  if (x.high > 710.0) return infinity;
  if (x.high < -746.0) return 0.0;
  const reduced_exponential e = reduce_exponential(x);
  const double_double sum = two_sum(1.0, e.reduced);
  return scale(sum.high + (sum.low + e.rest), e.exponent);
}

constexpr double exp_constant(double x) noexcept { return is_nan(x) ? x : exp_constant(double_double{x, 0.0}); }

constexpr double expm1_constant(double x) noexcept {
  if (is_nan(x) || abs(x) < 0x1p-54) return x;
  if (x < -40.0) return -1.0;
  if (x > 40.0) return exp_constant(x);
  const reduced_exponential e = reduce_exponential({x, 0.0});
  const double power = power_of_two(e.exponent);
  const double_double less_one = two_sum(power, -1.0);
  const double_double sum = two_sum(less_one.high, power * e.reduced);
  return sum.high + (sum.low + (less_one.low + power * e.rest));
}

/// Returns ln m for m in [0.7, 1.42] with a relative error below 2^-70, by the series of 2 artanh((m - 1) / (m + 1))
/// (DLMF 4.6.4).
constexpr double_double log_near_one(double m) noexcept {
  const double_double s = divide(m - 1.0, two_sum(m, 1.0));
  const double_double square = multiply(s, s);
  double tail = 0.0;
  for (int n = 31; n > 5; n -= 2) tail = 1.0 / n + square.high * tail;
  const double_double fifth = add(one_fifth, {square.high * tail, 0.0});
  const double_double third = add(one_third, multiply(square, fifth));
  const double_double log = multiply(s, add({1.0, 0.0}, multiply(square, third)));
  return {2.0 * log.high, 2.0 * log.low};
}

/// Splits a positive finite number into a mantissa in [0.7, 1.42] and an exponent.
constexpr scaled decompose_near_one(double x) noexcept {
  const scaled parts = decompose(x);
  return parts.mantissa < 1.4142135623730951 ? parts : scaled{0.5 * parts.mantissa, parts.exponent + 1};
}

/// Returns ln x of a positive finite number with a relative error below 2^-70.
constexpr double_double log_of_positive(double x) noexcept {
  const scaled parts = decompose_near_one(x);
  return add({parts.exponent * ln2.high, parts.exponent * ln2.low}, log_near_one(parts.mantissa));
}

/// Returns the logarithm, to any base, of what is not a positive finite number.
constexpr double log_of_special(double x) noexcept {
  if (x == 0.0) return -infinity;
  return x < 0.0 ? not_a_number : x;
}

constexpr double log_constant(double x) noexcept {
  return x > 0.0 && x < infinity ? log_of_positive(x).high : log_of_special(x);
}

constexpr double log1p_constant(double x) noexcept {
  if (!(x > -1.0 && x < infinity)) return log_of_special(x == -1.0 ? 0.0 : x);
  if (abs(x) < 0x1p-54) return x;
  const double_double sum = two_sum(1.0, x);
  return add(log_of_positive(sum.high), {sum.low / sum.high, 0.0}).high;
}

constexpr double log2_constant(double x) noexcept {
  if (!(x > 0.0 && x < infinity)) return log_of_special(x);
  const scaled parts = decompose_near_one(x);
  const double exponent = parts.exponent;
  return add({exponent, 0.0}, multiply(log_near_one(parts.mantissa), inverse_ln2)).high;
}

/// Returns x^y for x >= 0 and y != 0, neither NaN. The result rounds to 1 for |y| < 2^-65, and to 1, 0 or infinity for
/// |y| > 2^65.
constexpr double pow_of_magnitude(double x, double y) noexcept {
  if (x == 1.0) return 1.0;
  if (x == 0.0 || x == infinity || abs(y) > 0x1p65) return (x > 1.0) == (y > 0.0) ? infinity : 0.0;
  if (abs(y) < 0x1p-65) return 1.0;
  return exp_constant(multiply(log_of_positive(x), {y, 0.0}));
}

constexpr double pow_constant(double x, double y) noexcept {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (is_nan(x) || is_nan(y)) return is_nan(x) ? x : y;
  if (x < 0.0 && x > -infinity && floor_constant(y) != y) return not_a_number;
  const double magnitude = pow_of_magnitude(abs(x), y);
  return (bits_of(x) & sign_mask) != 0 && is_odd_integer(y) ? -magnitude : magnitude;
}

}  // namespace detail

/// Tells whether x is not a number. Unlike `x != x` it survives -ffast-math.
///
/// Example: is_nan(sqrt(-1)) is true.
[[nodiscard]] constexpr bool is_nan(double x) noexcept { return detail::is_nan(x); }

/// Tells whether x is neither infinite nor NaN.
///
/// Example: is_finite(1e308) is true, is_finite(exp(1e3)) is false.
[[nodiscard]] constexpr bool is_finite(double x) noexcept { return detail::abs(x) <= __DBL_MAX__; }

/// Returns the absolute value of x: exact; clears the sign of zero, infinity and NaN.
///
/// Example: abs(-2.5) == 2.5.
[[nodiscard]] constexpr double abs(double x) noexcept { return detail::abs(x); }

/// Returns the largest integer not above x: exact; zeros, infinities and NaN are returned as they are.
///
/// Example: floor(-1.5) == -2.
[[nodiscard]] constexpr double floor(double x) noexcept {
  if (__builtin_is_constant_evaluated()) return detail::floor_constant(x);
  return __builtin_floor(x);
}

/// Returns the smallest integer not below x: exact, -0 in (-1, 0); zeros, infinities and NaN are returned as they are.
///
/// Example: ceil(-1.5) == -1.
[[nodiscard]] constexpr double ceil(double x) noexcept {
  if (__builtin_is_constant_evaluated()) return detail::ceil_constant(x);
  return __builtin_ceil(x);
}

/// Returns the square root of x: correctly rounded; zeros and +infinity are returned as they are, NaN below 0.
///
/// Newton's iteration with an exact remainder test. Example: sqrt(2) == 1.4142135623730951.
[[nodiscard]] constexpr double sqrt(double x) noexcept {
  if (__builtin_is_constant_evaluated()) return detail::sqrt_constant(x);
  return __builtin_sqrt(x);
}

/// Returns e^x: within 1 ulp; infinity above 709.78, 0 below -745.13.
///
/// Cody and Waite's reduction and the Taylor series (DLMF 4.2.19). Example: exp(1) == 2.718281828459045.
[[nodiscard]] constexpr double exp(double x) noexcept {
  if (__builtin_is_constant_evaluated()) return detail::exp_constant(x);
  return __builtin_exp(x);
}

/// Returns e^x - 1 without cancellation near 0: within 1 ulp; zeros are returned as they are, -1 at -infinity.
///
/// As exp, with the 1 taken off the scaled leading term. Example: expm1(1e-10) == 1.00000000005e-10.
[[nodiscard]] constexpr double expm1(double x) noexcept {
  if (__builtin_is_constant_evaluated()) return detail::expm1_constant(x);
  return __builtin_expm1(x);
}

/// Returns the natural logarithm of x: within 1 ulp; -infinity at zeros, NaN below.
///
/// The artanh series (DLMF 4.6.4) in double-double arithmetic. Example: log(10) == 2.302585092994046.
[[nodiscard]] constexpr double log(double x) noexcept {
  if (__builtin_is_constant_evaluated()) return detail::log_constant(x);
  return __builtin_log(x);
}

/// Returns ln(1 + x) without cancellation near 0: within 1 ulp; zeros are kept, -infinity at -1, NaN below.
///
/// As log, of the exact sum 1 + x. Example: log1p(1e-5) == 9.999950000333332e-06.
[[nodiscard]] constexpr double log1p(double x) noexcept {
  if (__builtin_is_constant_evaluated()) return detail::log1p_constant(x);
  return __builtin_log1p(x);
}

/// Returns the logarithm of x to base 2: within 1 ulp, exact at powers of 2; -infinity at zeros, NaN below.
///
/// As log. Example: log2(8) == 3.
[[nodiscard]] constexpr double log2(double x) noexcept {
  if (__builtin_is_constant_evaluated()) return detail::log2_constant(x);
  return __builtin_log2(x);
}

/// Returns x^y: within 1 ulp, exact where the result is representable; NaN for negative x and fractional y.
///
/// pow(x, 0) and pow(1, y) are 1 even for NaN; the other special values are those of C11 F.10.4.4. Computed as
/// exp(y ln x) in double-double arithmetic. Example: pow(2, 10) == 1024.
[[nodiscard]] constexpr double pow(double x, double y) noexcept {
  if (__builtin_is_constant_evaluated()) return detail::pow_constant(x, y);
  return __builtin_pow(x, y);
}

}  // namespace math
}  // namespace abi_0
}  // namespace tpuplan

#endif

#endif
