// tpuplan 0.1.0 in one file: <tpuplan/tpuplan.hpp> without the planner. It needs C++17 and nothing else.
// SPDX-License-Identifier: Apache-2.0
// Written by examples/single_header/generate.cmake from include/tpuplan: change those headers, not this file.
// The guards are theirs, so both forms of one version may meet in a program.

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "tpuplan needs C++17 or newer (-std=c++17)"
#else

// tpuplan/error.hpp

#ifndef TPUPLAN_ERROR_HPP
#define TPUPLAN_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#if !defined(__cpp_exceptions)
#include <cstdio>
#include <cstdlib>
#endif

/// @file
/// What tpuplan throws, and how every check in it reports: the field, the value given, and what would be valid.

namespace tpuplan {
inline namespace abi_0 {

/// Why a call was refused. Enumerators are stable: new ones are added at the end.
enum class errc : std::uint8_t {
  invalid_argument,  ///< a value outside of what the function is defined for
  out_of_range,      ///< too large or too small for the field or for the arithmetic
  not_finite,        ///< NaN or infinity
  unknown_name,      ///< no chip, slice, region, dtype or model type of that name
  not_divisible,     ///< a batch, mesh or dimension that does not divide
  missing_field,     ///< a field without a sensible default was left at 0, or is not in the file
  unknown_figure,    ///< the chip has no such unit, or the figure is not established
  no_price,          ///< the price book has no row for this; never the same as free
  malformed_input,   ///< a file that cannot be read, or is not what it should be
  unsupported,       ///< right input that tpuplan does not model
  infeasible,        ///< a well-formed question that has no answer
};

/// The stable name of a reason, for logs and JSON: `name(errc::no_price)` is "no_price".
[[nodiscard]] constexpr std::string_view name(errc code) noexcept {
  switch (code) {
    case errc::invalid_argument: return "invalid_argument";
    case errc::out_of_range: return "out_of_range";
    case errc::not_finite: return "not_finite";
    case errc::unknown_name: return "unknown_name";
    case errc::not_divisible: return "not_divisible";
    case errc::missing_field: return "missing_field";
    case errc::unknown_figure: return "unknown_figure";
    case errc::no_price: return "no_price";
    case errc::malformed_input: return "malformed_input";
    case errc::unsupported: return "unsupported";
    case errc::infeasible: return "infeasible";
  }
  return "?";
}

/// The one exception of tpuplan. `what()` reads "tpuplan: FIELD is VALUE; valid: WHAT". It owns its text (at most 319
/// characters) and allocates nothing. What is not printable ASCII is shown as `?`, a byte each: it could speak to a
/// terminal, or be cut in the middle. In a constant expression the same refusal is a compile error.
class error : public std::exception {
 public:
  /// The reason and the three parts of the message; empty ones are left out.
  error(errc code, std::string_view field, std::string_view given, std::string_view valid) noexcept : code_{code} {
    append("tpuplan: ");
    field_ = append_part(field);
    if (!given.empty()) {
      append(" is ");
      const std::size_t begin = size_;
      append_shortened(given, sizeof(message_) - 1 - size_, valid.empty() ? 0 : valid.size() + 9);
      given_ = {begin, size_};
    }
    if (!valid.empty()) {
      append("; valid: ");
      valid_ = append_part(valid);
    }
  }

  /// Why the call was refused.
  [[nodiscard]] errc code() const noexcept { return code_; }
  /// The message, valid as long as this object lives.
  [[nodiscard]] const char* what() const noexcept override { return message_; }
  /// @{
  /// The parts of the message, each as far as it stands there: what was wrong, what it was, what would be right.
  [[nodiscard]] std::string_view field() const noexcept { return part(field_); }
  [[nodiscard]] std::string_view given() const noexcept { return part(given_); }
  [[nodiscard]] std::string_view valid() const noexcept { return part(valid_); }
  /// @}

 private:
  /// Where a part of the message stands.
  struct span {
    std::size_t begin = 0, end = 0;
  };
  [[nodiscard]] std::string_view part(span where) const noexcept {
    return {message_ + where.begin, where.end - where.begin};
  }
  span append_part(std::string_view words) noexcept {
    const std::size_t begin = size_;
    append(words);
    return {begin, size_};
  }
  /// The value given, shortened so that what is valid keeps its place behind it.
  void append_shortened(std::string_view given, std::size_t left, std::size_t reserved) noexcept {
    const std::size_t room = left > reserved + 16 ? left - reserved : 16;
    if (given.size() <= room) return append(given);
    append(given.substr(0, room - 3));
    append("...");
  }
  void append(std::string_view more) noexcept {
    constexpr std::size_t room = sizeof(message_) - 1;
    for (const char character : more) {
      if (size_ == room) {
        message_[room - 1] = message_[room - 2] = message_[room - 3] = '.';
        return;
      }
      message_[size_++] = character >= ' ' && character <= '~' ? character : '?';
    }
  }

  char message_[320] = {};
  std::size_t size_ = 0;
  span field_{}, given_{}, valid_{};
  errc code_;
};

namespace detail {

// None of these is constexpr: a check that fails inside a constant expression does not compile, and the compiler shows
// the call with its arguments.

[[noreturn]] inline void fail(errc code, std::string_view field, std::string_view given, std::string_view valid) {
#if defined(__cpp_exceptions)
  throw error{code, field, given, valid};
#else
  const error refusal{code, field, given, valid};
  std::fprintf(stderr, "%s\n", refusal.what());
  std::abort();
#endif
}

[[noreturn]] inline void fail(errc code, std::string_view field, double given, std::string_view valid) {
  char number[32] = {};
  __builtin_snprintf(number, sizeof(number), "%.10g", given);
  fail(code, field, std::string_view{number}, valid);
}

[[noreturn]] inline void fail(errc code, std::string_view field, std::int64_t given, std::string_view valid) {
  char number[32] = {};
  __builtin_snprintf(number, sizeof(number), "%lld", static_cast<long long>(given));
  fail(code, field, std::string_view{number}, valid);
}

/// Words for a refusal, which are only measured where there is one: a check inside a constant expression costs no step
/// per character. Two words long, so that it is handed over in registers.
class words {
 public:
  constexpr words(const char* literal) noexcept : start_{literal} {}  // NOLINT(google-explicit-constructor)
  template <class Text, class = decltype(static_cast<const Text*>(nullptr)->size())>
  constexpr words(const Text& text) noexcept  // NOLINT(google-explicit-constructor)
      : start_{text.data()}, size_{text.size()} {}
  constexpr operator std::string_view() const noexcept {  // NOLINT(google-explicit-constructor)
    return size_ == std::string_view::npos ? std::string_view{start_} : std::string_view{start_, size_};
  }

 private:
  const char* start_;
  std::size_t size_ = std::string_view::npos;  // not measured
};

/// NaN and the infinities are the values for which x - x is not 0.
constexpr bool is_finite(double value) noexcept {
  return value <= 1.7976931348623157e308 && value >= -1.7976931348623157e308;
}

/// The value, or a refusal that names the field unless it is finite and above zero.
constexpr double positive(words field, double value) {
  if (!is_finite(value)) fail(errc::not_finite, field, value, "a finite number above 0");
  if (value == 0) fail(errc::missing_field, field, value, "a number above 0");
  if (value < 0) fail(errc::invalid_argument, field, value, "a number above 0");
  return value;
}

/// The value, or a refusal that names the field unless it is finite and not negative.
constexpr double not_negative(words field, double value) {
  if (!is_finite(value)) fail(errc::not_finite, field, value, "a finite number, 0 or more");
  if (value < 0) fail(errc::invalid_argument, field, value, "0 or more");
  return value;
}

constexpr std::int64_t positive_count(words field, std::int64_t value) {
  if (value == 0) fail(errc::missing_field, field, value, "a whole number from 1 on");
  if (value < 0) fail(errc::invalid_argument, field, value, "a whole number from 1 on");
  return value;
}

constexpr std::int64_t count_from(words field, std::int64_t value, std::int64_t least) {
  if (value < least) fail(errc::invalid_argument, field, value, least == 0 ? "0 or more" : "a larger whole number");
  return value;
}

/// The value, or a refusal unless it lies in [low, high]. `valid` says the range in words.
constexpr double in_range(words field, double value, double low, double high, words valid) {
  if (!is_finite(value)) fail(errc::not_finite, field, value, valid);
  if (value < low || value > high) fail(errc::out_of_range, field, value, valid);
  return value;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/math.hpp

#ifndef TPUPLAN_MATH_HPP
#define TPUPLAN_MATH_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "tpuplan needs C++17 or newer (-std=c++17)"
#else

#include <cstdint>

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

// tpuplan/estimate/own_runs.hpp

#ifndef TPUPLAN_ESTIMATE_OWN_RUNS_HPP
#define TPUPLAN_ESTIMATE_OWN_RUNS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// How a caller's measured runs correct other estimates. The logarithm of measured over estimated time is modelled as
/// the sum of three Gaussians: an offset common to all runs of one source, an offset shared more closely by runs that
/// are more alike, and noise. The runs move an estimate by its expected offset, and narrow its band to the spread that
/// is left. Derivation: docs/model.md, "Runs of your own".

namespace tpuplan {
inline namespace abi_0 {

/// The features by which two questions (or runs) are compared: the closer, the more alike.
struct run_features {
  double size = 0;         ///< log2 of the parameters
  double load = 0;         ///< log2 of the tokens per chip and step, running sequences, or prompt tokens
  double length = 0;       ///< log2 of the tokens of a sequence
  double chips = 0;        ///< log2 of the chips
  std::uint32_t chip = 0;  ///< stands for the name of the chip: see `chip_mark`
  std::uint32_t kind = 0;  ///< bits, one for each property that a job has or lacks
};

/// A number that stands for the name of a chip (FNV-1a). Worked: 2166136261 for no name.
[[nodiscard]] constexpr std::uint32_t chip_mark(std::string_view name) noexcept {
  std::uint32_t mark = 2166136261U;
  for (const char c : name) mark = (mark ^ static_cast<std::uint32_t>(static_cast<unsigned char>(c))) * 16777619U;
  return mark;
}

/// How far estimates and runs differ, in natural logarithms, and over what distance questions become unlike.
struct own_spreads {
  double source = 0;    ///< standard deviation of the offset that the runs of one source share
  double question = 0;  ///< standard deviation of the offset that like questions share
  double noise = 0;     ///< standard deviation between runs of the same question
  /// @{
  /// Doublings of each feature over which likeness falls to 0.62.
  double size = 1, load = 1, length = 1, chips = 1;
  /// @}
  double other_chip = 0;  ///< likeness of the same question on another chip
  double other_kind = 0;  ///< likeness of questions that differ in one bit of `kind`
};

/// The most runs of the caller's own.
inline constexpr std::size_t most_own_runs = 20;

/// A run of the caller's own.
struct own_run {
  run_features about{};  ///< what ran
  double ratio = 0;      ///< logarithm of measured over estimated
  double spread = 0;     ///< standard deviation of the measurement in logarithms, beside the usual noise
  double weight = 0;     ///< what it adds, times its covariance with a question; set by `learned`
};

/// Runs of the caller's own, of one kind of question.
struct own_runs {
  std::array<own_run, most_own_runs> items{};  ///< the first `count` are set
  std::size_t count = 0;                       ///< runs
};

namespace detail {

constexpr double squared(double x) noexcept { return x * x; }

/// The covariance of the offsets of two questions of one source. Likeness is a rational quadratic kernel of exponent 4:
/// (1 + d^2 / 8)^-4 at a distance of d.
constexpr double shared(const run_features& a, const run_features& b, const own_spreads& s) noexcept {
  const double distance = squared((a.size - b.size) / s.size) + squared((a.load - b.load) / s.load) +
                          squared((a.length - b.length) / s.length) + squared((a.chips - b.chips) / s.chips);
  const double near = squared(1 / (1 + distance / 8));
  double likeness = squared(near);
  if (a.chip != b.chip) likeness *= s.other_chip;
  for (std::uint32_t differ = a.kind ^ b.kind; differ != 0; differ &= differ - 1) likeness *= s.other_kind;
  return squared(s.source) + squared(s.question) * likeness;
}

/// The Cholesky factor L of the covariance of the runs and, in its last row, of a question: L x L' = covariance.
struct own_triangle {
  double rows[most_own_runs + 1][most_own_runs + 1] = {};
};

constexpr own_triangle triangle_of(const own_runs& runs, const own_spreads& spreads, const run_features& about) {
  own_triangle l;
  for (std::size_t i = 0; i <= runs.count; ++i) {
    const run_features& here = i < runs.count ? runs.items[i].about : about;
    double* const row = l.rows[i];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = shared(here, j < runs.count ? runs.items[j].about : about, spreads);
      if (i == j) sum += squared(spreads.noise) + (i < runs.count ? squared(runs.items[i].spread) : 0);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * l.rows[j][k];
      row[j] = i == j ? math::sqrt(sum) : sum / l.rows[j][j];
    }
  }
  return l;
}

}  // namespace detail

/// Throws unless there are at most 20 runs. `learned` checks their numbers.
constexpr void validate(const own_runs& runs) {
  if (runs.count > most_own_runs)
    detail::fail(errc::out_of_range, "own_runs.count", static_cast<std::int64_t>(runs.count), "at most 20 runs");
}

/// The factor by which those runs change the estimate of a question: 1 without runs. Worked: a run of weight 5, with
/// spreads of 0.2 (source) and 0.1 (question), makes it exp(5 x 0.05) = 1.284 for the same question, and exp(5 x 0.04)
/// = 1.221 for one that is in nothing like it.
[[nodiscard]] constexpr double own_factor(const own_runs& runs, const own_spreads& spreads, const run_features& about) {
  if (runs.count == 0) return 1;
  double log_factor = 0;
  for (std::size_t i = 0; i < runs.count; ++i)
    log_factor += runs.items[i].weight * detail::shared(about, runs.items[i].about, spreads);
  return math::exp(log_factor);
}

/// The share of an estimate's spread (in logarithms) that is left after those runs: 1 without runs. Worked: one run,
/// with spreads of 0.2, 0.1 and 0.1 of noise, leaves sqrt(1 - 0.05^2 / 0.06^2) = 0.553 for the same question.
[[nodiscard]] constexpr double own_spread_left(const own_runs& runs, const own_spreads& spreads,
                                               const run_features& about) {
  if (runs.count == 0) return 1;
  const double before = detail::shared(about, about, spreads) + detail::squared(spreads.noise);
  return detail::triangle_of(runs, spreads, about).rows[runs.count][runs.count] / math::sqrt(before);
}

namespace detail {

/// Narrows the band of an estimate, in logarithms, halfway to the share `left` of the spread. Errors have heavier tails
/// than a Gaussian; halfway, nine of ten stay in the band (benchmarks/accuracy).
template <class Estimate>
constexpr void narrow_band(Estimate& estimate, double left) {
  if (left >= 1) return;
  left = (1 + left) / 2;
  estimate.low = estimate.total * math::exp(left * math::log(estimate.low / estimate.total));
  estimate.high = estimate.total * math::exp(left * math::log(estimate.high / estimate.total));
  estimate.band *= left;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/maybe.hpp

#ifndef TPUPLAN_MAYBE_HPP
#define TPUPLAN_MAYBE_HPP

#include <string_view>
#include <type_traits>

/// @file
/// The answer of a look-up that may find nothing. It is used like `std::optional`, and converts to it; it is not
/// `std::optional` because each of that costs a compiler about 80 class templates, which a header with a dozen look-ups
/// pays a dozen times over (benchmarks/NOTES.md).

namespace tpuplan {
inline namespace abi_0 {

/// Tag: nothing was found.
struct nothing_t {};
/// Nothing was found.
inline constexpr nothing_t nothing{};

/// A value, or nothing. `if (const auto s = find_slice("v5e-16")) use(*s);`
template <class T>
class maybe {
 public:
  using value_type = T;  ///< of what may be found

  constexpr maybe() noexcept = default;
  /// Nothing.
  constexpr maybe(nothing_t) noexcept {}  // NOLINT(google-explicit-constructor)
  /// What was found.
  constexpr maybe(const T& value) noexcept : value_{value}, found_{true} {}  // NOLINT(google-explicit-constructor)

  /// @{
  /// Whether something was found.
  [[nodiscard]] constexpr bool has_value() const noexcept { return found_; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return found_; }
  /// @}

  /// The value. @pre has_value(); otherwise a compile error in a constant expression, an exception at run time.
  [[nodiscard]] constexpr const T& value() const {
    if (!found_) detail::fail(errc::infeasible, "value of a look-up", "nothing", "a look-up that found something");
    return value_;
  }
  /// @{
  /// As value().
  [[nodiscard]] constexpr const T& operator*() const { return value(); }
  [[nodiscard]] constexpr const T* operator->() const { return &value(); }
  /// @}
  /// The value, or `other` where nothing was found.
  [[nodiscard]] constexpr T value_or(const T& other) const noexcept { return found_ ? value_ : other; }

  /// To `std::optional<T>` and its like.
  template <class Optional, class = std::enable_if_t<std::is_same<typename Optional::value_type, T>::value &&
                                                     !std::is_same<Optional, maybe>::value>>
  [[nodiscard]] constexpr operator Optional() const {  // NOLINT(google-explicit-constructor)
    return found_ ? Optional{value_} : Optional{};
  }

  /// @{
  /// Whether nothing, or that value, was found.
  friend constexpr bool operator==(const maybe& a, nothing_t) noexcept { return !a.found_; }
  friend constexpr bool operator!=(const maybe& a, nothing_t) noexcept { return a.found_; }
  friend constexpr bool operator==(const maybe& a, const T& b) noexcept { return a.found_ && a.value_ == b; }
  friend constexpr bool operator!=(const maybe& a, const T& b) noexcept { return !(a == b); }
  /// @}

 private:
  T value_{};
  bool found_ = false;
};

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/text.hpp

#ifndef TPUPLAN_TEXT_HPP
#define TPUPLAN_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// Short text held by value: names of chips, slices, regions and models inside plain structs, also in constants.

namespace tpuplan {
inline namespace abi_0 {

/// At most `Capacity` characters held by value, so that a struct with a name stays trivially copyable and can be a
/// constant. Converts from and to `std::string_view`. Text that does not fit is refused (`errc::out_of_range`).
template <std::size_t Capacity>
class text {
 public:
  constexpr text() noexcept = default;
  /// @{
  /// The characters given, or a refusal.
  constexpr text(const char* characters) {  // NOLINT(google-explicit-constructor)
    for (const char* at = characters; *at != '\0'; ++at) {
      if (size_ == Capacity) refuse(characters);
      characters_[size_++] = *at;
    }
  }
  constexpr text(std::string_view characters) {  // NOLINT(google-explicit-constructor)
    append(characters);
  }
  /// @}

  /// @{
  /// The characters, valid as long as this object lives.
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {characters_, size_}; }
  [[nodiscard]] constexpr operator std::string_view() const noexcept {  // NOLINT(google-explicit-constructor)
    return view();
  }
  /// @}
  /// Whether there are no characters.
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  /// Characters.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

  /// Appends characters, or refuses what does not fit.
  constexpr text& append(std::string_view more) {
    if (more.size() > Capacity - size_) refuse(more);
    for (const char character : more) characters_[size_++] = character;
    return *this;
  }

  /// Appends a non-negative or negative whole number in decimal.
  constexpr text& append(std::int64_t number) {
    char digits[20] = {};
    std::size_t count = 0;
    std::uint64_t rest =
        number < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
    do {
      digits[count++] = static_cast<char>('0' + static_cast<char>(rest % 10));
      rest /= 10;
    } while (rest != 0);
    if (number < 0) append("-");
    while (count != 0) append(std::string_view{&digits[--count], 1});
    return *this;
  }

  /// @{
  /// Comparison by characters, letter case included.
  friend constexpr bool operator==(const text& a, const text& b) noexcept { return a.view() == b.view(); }
  friend constexpr bool operator!=(const text& a, const text& b) noexcept { return a.view() != b.view(); }
  friend constexpr bool operator<(const text& a, const text& b) noexcept { return a.view() < b.view(); }
  friend constexpr bool operator==(const text& a, std::string_view b) noexcept { return a.view() == b; }
  friend constexpr bool operator!=(const text& a, std::string_view b) noexcept { return a.view() != b; }
  friend constexpr bool operator==(const text& a, const char* b) noexcept { return a.view() == std::string_view{b}; }
  friend constexpr bool operator!=(const text& a, const char* b) noexcept { return a.view() != std::string_view{b}; }
  friend constexpr bool operator==(std::string_view a, const text& b) noexcept { return a == b.view(); }
  friend constexpr bool operator!=(std::string_view a, const text& b) noexcept { return a != b.view(); }
  friend constexpr bool operator==(const char* a, const text& b) noexcept { return std::string_view{a} == b.view(); }
  friend constexpr bool operator!=(const char* a, const text& b) noexcept { return std::string_view{a} != b.view(); }
  /// @}

 private:
  [[noreturn]] static void refuse(std::string_view given) {
    char valid[40] = {};
    __builtin_snprintf(valid, sizeof(valid), "at most %d characters", static_cast<int>(Capacity));
    detail::fail(errc::out_of_range, "text", given, valid);
  }

  char characters_[Capacity + 1] = {};
  std::size_t size_ = 0;
};

/// @{
/// Comparison of texts of different capacities.
template <std::size_t A, std::size_t B>
[[nodiscard]] constexpr bool operator==(const text<A>& a, const text<B>& b) noexcept {
  return a.view() == b.view();
}
template <std::size_t A, std::size_t B>
[[nodiscard]] constexpr bool operator!=(const text<A>& a, const text<B>& b) noexcept {
  return a.view() != b.view();
}
/// @}

namespace detail {

/// The name at that place, "?" past the end: enumerators and their names in one order.
template <std::size_t Count>
constexpr std::string_view name_of(const char* const (&names)[Count], std::size_t place) noexcept {
  return place < Count ? names[place] : "?";
}

/// ASCII lower case, whatever the locale.
constexpr char to_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Equality of names as people type them: letter case ignored.
constexpr bool same_name(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

constexpr bool starts_with_name(std::string_view name, std::string_view prefix) noexcept {
  return name.size() >= prefix.size() && same_name(name.substr(0, prefix.size()), prefix);
}

/// The enumerator of that name among the first `count`; nothing if there is none.
template <class Enumeration>
constexpr maybe<Enumeration> enumerator_named(std::string_view given, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (same_name(given, name(static_cast<Enumeration>(i)))) return static_cast<Enumeration>(i);
  }
  return nothing;
}

/// A whole number of at most nine digits, or -1 where the text is anything else.
constexpr std::int64_t parse_count(std::string_view digits) noexcept {
  if (digits.empty() || digits.size() > 9) return -1;
  std::int64_t value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return -1;
    value = value * 10 + (digit - '0');
  }
  return value;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/units.hpp

#ifndef TPUPLAN_UNITS_HPP
#define TPUPLAN_UNITS_HPP

/// @file
/// Bytes, FLOPs, seconds and dollars as types. A quantity is one double in the base unit; its dimension is part of its
/// type, so that adding bytes to seconds, or passing a bandwidth for a rate of FLOPs, does not compile.

namespace tpuplan {
inline namespace abi_0 {

/// Exponents of bytes, FLOPs, seconds and US dollars.
template <int Bytes, int Flops, int Seconds, int Usd>
struct dim {
  template <class Other>
  struct times;
  /// The product with a quantity of another dimension.
  template <int B, int F, int S, int U>
  struct times<dim<B, F, S, U>> {
    using type = dim<Bytes + B, Flops + F, Seconds + S, Usd + U>;  ///< exponents add up
  };
  template <class Other>
  struct over;
  /// The quotient by a quantity of another dimension.
  template <int B, int F, int S, int U>
  struct over<dim<B, F, S, U>> {
    using type = dim<Bytes - B, Flops - F, Seconds - S, Usd - U>;  ///< exponents are subtracted
  };
};

template <class Dim>
class quantity;

namespace detail {
/// A quantity of that dimension, or a plain double where nothing is left of it.
template <class Dim>
struct quantity_or_number {
  using type = quantity<Dim>;
  static constexpr type make(double value) noexcept { return type{value}; }
};
template <>
struct quantity_or_number<dim<0, 0, 0, 0>> {
  using type = double;
  static constexpr type make(double value) noexcept { return value; }
};
}  // namespace detail

/// An amount with a dimension. `value()` is in the base unit (byte, FLOP, second, US dollar and their quotients).
template <class Dim>
class quantity {
 public:
  constexpr quantity() noexcept = default;
  /// That many base units.
  constexpr explicit quantity(double value) noexcept : value_{value} {}

  /// The number in base units.
  [[nodiscard]] constexpr double value() const noexcept { return value_; }

  /// @{
  /// Arithmetic in place.
  constexpr quantity& operator+=(quantity other) noexcept { return value_ += other.value_, *this; }
  constexpr quantity& operator-=(quantity other) noexcept { return value_ -= other.value_, *this; }
  constexpr quantity& operator*=(double factor) noexcept { return value_ *= factor, *this; }
  constexpr quantity& operator/=(double divisor) noexcept { return value_ /= divisor, *this; }
  /// @}

  /// @{
  /// Arithmetic within a dimension.
  friend constexpr quantity operator+(quantity a, quantity b) noexcept { return quantity{a.value_ + b.value_}; }
  friend constexpr quantity operator-(quantity a, quantity b) noexcept { return quantity{a.value_ - b.value_}; }
  friend constexpr quantity operator-(quantity a) noexcept { return quantity{-a.value_}; }
  friend constexpr quantity operator*(quantity a, double factor) noexcept { return quantity{a.value_ * factor}; }
  friend constexpr quantity operator*(double factor, quantity a) noexcept { return quantity{a.value_ * factor}; }
  friend constexpr quantity operator/(quantity a, double divisor) noexcept { return quantity{a.value_ / divisor}; }
  /// @}

  /// @{
  /// Comparison as of doubles.
  friend constexpr bool operator==(quantity a, quantity b) noexcept { return a.value_ == b.value_; }
  friend constexpr bool operator!=(quantity a, quantity b) noexcept { return a.value_ != b.value_; }
  friend constexpr bool operator<(quantity a, quantity b) noexcept { return a.value_ < b.value_; }
  friend constexpr bool operator<=(quantity a, quantity b) noexcept { return a.value_ <= b.value_; }
  friend constexpr bool operator>(quantity a, quantity b) noexcept { return a.value_ > b.value_; }
  friend constexpr bool operator>=(quantity a, quantity b) noexcept { return a.value_ >= b.value_; }
  /// @}

 private:
  double value_ = 0;
};

/// @{
/// The dimension of the result follows from those of the operands; a double where nothing is left of it.
template <class A, class B>
[[nodiscard]] constexpr typename detail::quantity_or_number<typename A::template times<B>::type>::type operator*(
    quantity<A> a, quantity<B> b) noexcept {
  return detail::quantity_or_number<typename A::template times<B>::type>::make(a.value() * b.value());
}

template <class A, class B>
[[nodiscard]] constexpr typename detail::quantity_or_number<typename A::template over<B>::type>::type operator/(
    quantity<A> a, quantity<B> b) noexcept {
  return detail::quantity_or_number<typename A::template over<B>::type>::make(a.value() / b.value());
}

template <class B>
[[nodiscard]] constexpr quantity<typename dim<0, 0, 0, 0>::over<B>::type> operator/(double a, quantity<B> b) noexcept {
  return quantity<typename dim<0, 0, 0, 0>::over<B>::type>{a / b.value()};
}
/// @}

/// @{
/// The larger, and the smaller, of two amounts.
template <class Dim>
[[nodiscard]] constexpr quantity<Dim> max(quantity<Dim> a, quantity<Dim> b) noexcept {
  return a < b ? b : a;
}
template <class Dim>
[[nodiscard]] constexpr quantity<Dim> min(quantity<Dim> a, quantity<Dim> b) noexcept {
  return b < a ? b : a;
}
/// @}

using bytes = quantity<dim<1, 0, 0, 0>>;              ///< an amount of data
using flops = quantity<dim<0, 1, 0, 0>>;              ///< an amount of work; two per multiply-add
using seconds = quantity<dim<0, 0, 1, 0>>;            ///< a time
using usd = quantity<dim<0, 0, 0, 1>>;                ///< an amount of US dollars
using bytes_per_second = quantity<dim<1, 0, -1, 0>>;  ///< a bandwidth
using flops_per_second = quantity<dim<0, 1, -1, 0>>;  ///< a rate of work
using flops_per_byte = quantity<dim<-1, 1, 0, 0>>;    ///< arithmetic intensity
using per_second = quantity<dim<0, 0, -1, 0>>;        ///< tokens, steps or clock ticks a second
using usd_per_second = quantity<dim<0, 0, -1, 1>>;    ///< a price; `usd_per_hour` makes one
using flops_per_usd = quantity<dim<0, 1, 0, -1>>;     ///< work for money
using byte_seconds = quantity<dim<1, 0, 1, 0>>;       ///< memory that is held for a time

/// Literals: `16_GiB`, `819_GB_per_s`, `197_TFLOP_per_s`, `2.4_h`, `1.20_usd_per_h`. Binary and decimal bytes differ in
/// name, and so do an amount of FLOPs and a rate.
inline namespace literals {
/// The literals of one unit.
#define TPUPLAN_DETAIL_LITERAL(suffix, type, factor)                                \
  [[nodiscard]] constexpr type operator""_##suffix(long double x) noexcept {        \
    return type{static_cast<double>(x) * (factor)};                                 \
  }                                                                                 \
  [[nodiscard]] constexpr type operator""_##suffix(unsigned long long x) noexcept { \
    return type{static_cast<double>(x) * (factor)};                                 \
  }
TPUPLAN_DETAIL_LITERAL(B, bytes, 1.0)
TPUPLAN_DETAIL_LITERAL(kB, bytes, 1e3)
TPUPLAN_DETAIL_LITERAL(MB, bytes, 1e6)
TPUPLAN_DETAIL_LITERAL(GB, bytes, 1e9)
TPUPLAN_DETAIL_LITERAL(TB, bytes, 1e12)
TPUPLAN_DETAIL_LITERAL(KiB, bytes, 1024.0)
TPUPLAN_DETAIL_LITERAL(MiB, bytes, 1048576.0)
TPUPLAN_DETAIL_LITERAL(GiB, bytes, 1073741824.0)
TPUPLAN_DETAIL_LITERAL(TiB, bytes, 1099511627776.0)
TPUPLAN_DETAIL_LITERAL(FLOP, flops, 1.0)
TPUPLAN_DETAIL_LITERAL(GFLOP, flops, 1e9)
TPUPLAN_DETAIL_LITERAL(TFLOP, flops, 1e12)
TPUPLAN_DETAIL_LITERAL(PFLOP, flops, 1e15)
TPUPLAN_DETAIL_LITERAL(FLOP_per_s, flops_per_second, 1.0)
TPUPLAN_DETAIL_LITERAL(GFLOP_per_s, flops_per_second, 1e9)
TPUPLAN_DETAIL_LITERAL(TFLOP_per_s, flops_per_second, 1e12)
TPUPLAN_DETAIL_LITERAL(PFLOP_per_s, flops_per_second, 1e15)
TPUPLAN_DETAIL_LITERAL(B_per_s, bytes_per_second, 1.0)
TPUPLAN_DETAIL_LITERAL(GB_per_s, bytes_per_second, 1e9)
TPUPLAN_DETAIL_LITERAL(TB_per_s, bytes_per_second, 1e12)
TPUPLAN_DETAIL_LITERAL(us, seconds, 1e-6)
TPUPLAN_DETAIL_LITERAL(ms, seconds, 1e-3)
TPUPLAN_DETAIL_LITERAL(s, seconds, 1.0)
TPUPLAN_DETAIL_LITERAL(min, seconds, 60.0)
TPUPLAN_DETAIL_LITERAL(h, seconds, 3600.0)
TPUPLAN_DETAIL_LITERAL(days, seconds, 86400.0)
TPUPLAN_DETAIL_LITERAL(Hz, per_second, 1.0)
TPUPLAN_DETAIL_LITERAL(MHz, per_second, 1e6)
TPUPLAN_DETAIL_LITERAL(usd, usd, 1.0)
#undef TPUPLAN_DETAIL_LITERAL
/// @{
/// A price in dollars an hour: 1.20_usd_per_h.
[[nodiscard]] constexpr usd_per_second operator""_usd_per_h(long double x) noexcept {
  return usd_per_second{static_cast<double>(x) / 3600.0};
}
[[nodiscard]] constexpr usd_per_second operator""_usd_per_h(unsigned long long x) noexcept {
  return usd_per_second{static_cast<double>(x) / 3600.0};
}
/// @}
}  // namespace literals

/// A price per hour as a rate. Worked: usd_per_hour(1.2) * 3600_s = 1.20 USD.
[[nodiscard]] constexpr usd_per_second usd_per_hour(double dollars) noexcept { return usd_per_second{dollars / 3600}; }

// Readers: the number in the unit of the name.
/// @{
/// The amount in the unit of the name.
[[nodiscard]] constexpr double in_gib(bytes amount) noexcept { return amount.value() / 1073741824.0; }
[[nodiscard]] constexpr double in_gb(bytes amount) noexcept { return amount.value() / 1e9; }
[[nodiscard]] constexpr double in_tflop(flops work) noexcept { return work.value() / 1e12; }
[[nodiscard]] constexpr double in_tflop_per_s(flops_per_second rate) noexcept { return rate.value() / 1e12; }
[[nodiscard]] constexpr double in_gb_per_s(bytes_per_second rate) noexcept { return rate.value() / 1e9; }
[[nodiscard]] constexpr double in_ms(seconds time) noexcept { return time.value() * 1e3; }
[[nodiscard]] constexpr double in_us(seconds time) noexcept { return time.value() * 1e6; }
[[nodiscard]] constexpr double in_hours(seconds time) noexcept { return time.value() / 3600; }
[[nodiscard]] constexpr double in_days(seconds time) noexcept { return time.value() / 86400; }
[[nodiscard]] constexpr double in_usd_per_hour(usd_per_second rate) noexcept { return rate.value() * 3600; }
/// @}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/dtype.hpp

#ifndef TPUPLAN_DTYPE_HPP
#define TPUPLAN_DTYPE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// Number formats of weights, activations, optimizer state and caches.

namespace tpuplan {
inline namespace abi_0 {

/// A number format. `fp8` stands for e4m3 and e5m2 alike: their size and rate are the same.
enum class dtype : std::uint8_t { fp32, bf16, fp16, fp8, int8, int4 };

/// Bits of one element. Worked: bits(dtype::int4) = 4.
[[nodiscard]] constexpr std::int64_t bits(dtype type) {
  switch (type) {
    case dtype::fp32: return 32;
    case dtype::bf16:
    case dtype::fp16: return 16;
    case dtype::fp8:
    case dtype::int8: return 8;
    case dtype::int4: return 4;
  }
  detail::fail(errc::unknown_name, "dtype", static_cast<std::int64_t>(type), "fp32, bf16, fp16, fp8, int8 or int4");
}

/// Bytes of one element; half a byte for int4. Worked: size_of(dtype::bf16) = 2 B.
[[nodiscard]] constexpr bytes size_of(dtype type) { return bytes{static_cast<double>(bits(type)) / 8}; }

/// "bf16" and so on; what `parse_dtype` reads.
[[nodiscard]] constexpr std::string_view name(dtype type) noexcept {
  constexpr const char* names[] = {"fp32", "bf16", "fp16", "fp8", "int8", "int4"};
  return detail::name_of(names, static_cast<std::size_t>(type));
}

/// The format of that name, also as frameworks write it ("bfloat16", "float32", "float8_e4m3fn"); nothing if unknown.
/// Worked: "float8_e4m3fn" is fp8, of 8 bits.
[[nodiscard]] constexpr maybe<dtype> parse_dtype(std::string_view given) noexcept {
  struct alias {
    std::string_view name;
    dtype type;
  };
  constexpr alias aliases[] = {{"fp32", dtype::fp32},         {"float32", dtype::fp32},    {"f32", dtype::fp32},
                               {"bf16", dtype::bf16},         {"bfloat16", dtype::bf16},   {"fp16", dtype::fp16},
                               {"float16", dtype::fp16},      {"f16", dtype::fp16},        {"fp8", dtype::fp8},
                               {"float8_e4m3fn", dtype::fp8}, {"float8_e5m2", dtype::fp8}, {"f8e4m3", dtype::fp8},
                               {"f8e5m2", dtype::fp8},        {"int8", dtype::int8},       {"s8", dtype::int8},
                               {"int4", dtype::int4},         {"s4", dtype::int4}};
  for (const alias& candidate : aliases) {
    if (detail::same_name(given, candidate.name)) return candidate.type;
  }
  return nothing;
}

/// The format of that name; an unknown one throws `errc::unknown_name` and lists the valid ones. Worked:
/// size_of(dtype_for("float32")) = 4 B.
[[nodiscard]] constexpr dtype dtype_for(std::string_view given) {
  if (const maybe<dtype> found = parse_dtype(given)) return *found;
  detail::fail(errc::unknown_name, "dtype", given, "fp32, bf16, fp16, fp8, int8 or int4");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/integer.hpp

#ifndef TPUPLAN_INTEGER_HPP
#define TPUPLAN_INTEGER_HPP

#include <cstdint>
#include <string_view>

/// @file
/// Counts: chips, tokens, dimensions. Whole numbers in `std::int64_t`, and arithmetic that refuses to overflow.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// The refusal of arithmetic on two counts, both of which it names. Not constexpr, as `fail` is not.
[[noreturn]] inline void fail_counts(std::string_view what, std::int64_t a, char sign, std::int64_t b,
                                     std::string_view valid) {
  char given[64] = {};
  __builtin_snprintf(given, sizeof(given), "%lld %c %lld", static_cast<long long>(a), sign, static_cast<long long>(b));
  fail(errc::out_of_range, what, std::string_view{given}, valid);
}

}  // namespace detail

/// a x b. Throws `errc::out_of_range` past 2^63 - 1. Worked: checked_multiply(12288, 49152) = 603979776.
[[nodiscard]] constexpr std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    detail::fail_counts("product of counts", a, 'x', b, "a product below 2^63");
  }
  return product;
}

/// a x b x c with the same refusal. Worked: checked_multiply(16, 20, 28) = 8960.
[[nodiscard]] constexpr std::int64_t checked_multiply(std::int64_t a, std::int64_t b, std::int64_t c) {
  return checked_multiply(checked_multiply(a, b), c);
}

/// a + b. Throws `errc::out_of_range` past 2^63 - 1. Worked: checked_add(2, 40) = 42.
[[nodiscard]] constexpr std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) detail::fail_counts("sum of counts", a, '+', b, "a sum below 2^63");
  return sum;
}

/// The smallest whole number not below count / divisor. Refuses a negative count and a divisor below 1.
/// Worked: ceil_div(60000, 1024) = 59.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t count, std::int64_t divisor) {
  detail::count_from("ceil_div: count", count, 0);
  detail::positive_count("ceil_div: divisor", divisor);
  return count / divisor + (count % divisor != 0 ? 1 : 0);
}

/// The smallest multiple of `multiple` not below `count`. Refuses a negative count, a multiple below 1, and overflow.
/// Worked: round_up(50257, 256) = 50432.
[[nodiscard]] constexpr std::int64_t round_up(std::int64_t count, std::int64_t multiple) {
  detail::count_from("round_up: count", count, 0);
  detail::positive_count("round_up: multiple", multiple);
  return checked_multiply(ceil_div(count, multiple), multiple);
}

/// Whether count is 1, 2, 4, 8 … Worked: is_power_of_two(96) is false.
[[nodiscard]] constexpr bool is_power_of_two(std::int64_t count) noexcept {
  return count > 0 && (count & (count - 1)) == 0;
}

/// The largest whole number not above a real one. Refuses NaN and anything outside of (-9.2e18, 9.2e18).
/// Worked: floor_to_count(240.54) = 240.
[[nodiscard]] constexpr std::int64_t floor_to_count(double value) {
  detail::in_range("count", value, -9.2e18, 9.2e18, "a finite number between -9.2e18 and 9.2e18");
  const auto truncated = static_cast<std::int64_t>(value);
  return static_cast<double>(truncated) > value ? truncated - 1 : truncated;
}

/// The smallest whole number not below a real one, with the same refusals. Worked: ceil_to_count(6.97) = 7.
[[nodiscard]] constexpr std::int64_t ceil_to_count(double value) {
  const std::int64_t below = floor_to_count(value);
  return static_cast<double>(below) < value ? below + 1 : below;
}

namespace detail {

// The largest count that divides both, which are 1 or more.
constexpr std::int64_t common_divisor(std::int64_t a, std::int64_t b) noexcept {
  while (b != 0) {
    const std::int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Calls `visit(divisor)` for the divisors of `whole`, from 1 up, in twice as many steps as its square root.
template <class Visit>
constexpr void for_each_divisor(std::int64_t whole, const Visit& visit) {
  std::int64_t low = 1;
  for (; low <= whole / low; ++low) {
    if (whole % low == 0) visit(low);
  }
  for (--low; low > 0; --low) {
    if (whole % low == 0 && whole / low > low) visit(whole / low);
  }
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/known.hpp

#ifndef TPUPLAN_KNOWN_HPP
#define TPUPLAN_KNOWN_HPP

#include <cstdint>
#include <string_view>

/// @file
/// A figure that may be absent (the chip has no such unit) or unknown (no source establishes it). Neither is ever 0.

namespace tpuplan {
inline namespace abi_0 {

/// Tag: the chip has no such thing, such as an int8 rate on v3.
struct absent_t {};
/// Tag: the thing exists, or may, but no source establishes its figure.
struct unknown_t {};
/// The chip has no such thing.
inline constexpr absent_t absent{};
/// It may exist; its figure is not established.
inline constexpr unknown_t unknown{};

/// A value, or the reason why there is none.
template <class T>
class known {
 public:
  constexpr known() noexcept = default;
  /// A figure that is known.
  constexpr known(T value) noexcept : value_{value}, state_{state::value} {}  // NOLINT(google-explicit-constructor)
  /// None, because the chip has no such thing.
  constexpr known(absent_t) noexcept : state_{state::not_there} {}  // NOLINT(google-explicit-constructor)
  /// None, because no source establishes it.
  constexpr known(unknown_t) noexcept {}  // NOLINT(google-explicit-constructor)

  /// Whether there is a figure.
  [[nodiscard]] constexpr bool has_value() const noexcept { return state_ == state::value; }
  /// Whether the chip has no such thing.
  [[nodiscard]] constexpr bool is_absent() const noexcept { return state_ == state::not_there; }
  /// Whether no source establishes the figure.
  [[nodiscard]] constexpr bool is_unknown() const noexcept { return state_ == state::not_known; }

  /// The figure. Throws `errc::unknown_figure`, naming `field`, where it is absent or unknown.
  [[nodiscard]] constexpr T value(detail::words field = "figure") const {
    if (state_ == state::not_there) detail::fail(errc::unknown_figure, field, "absent", "a chip that has it");
    if (state_ == state::not_known)
      detail::fail(errc::unknown_figure, field, "unknown", "a figure given by the caller");
    return value_;
  }

  /// The figure, or `other` where there is none.
  [[nodiscard]] constexpr T value_or(T other) const noexcept { return has_value() ? value_ : other; }

  /// @{
  /// Equal where both have the same figure, or none for the same reason.
  friend constexpr bool operator==(const known& a, const known& b) noexcept {
    return a.state_ == b.state_ && (a.state_ != state::value || !(a.value_ < b.value_ || b.value_ < a.value_));
  }
  friend constexpr bool operator!=(const known& a, const known& b) noexcept { return !(a == b); }
  /// @}

 private:
  enum class state : std::uint8_t { not_known, not_there, value };
  T value_{};
  state state_ = state::not_known;
};

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/hardware/topology.hpp

#ifndef TPUPLAN_HARDWARE_TOPOLOGY_HPP
#define TPUPLAN_HARDWARE_TOPOLOGY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// Shapes of slices: a grid or torus of chips in two or three dimensions, and which of its axes close into rings.

namespace tpuplan {
inline namespace abi_0 {

/// How many chips along each ICI axis: {4, 8} on a chip with two axes, {4, 4, 8} on one with three.
struct topology {
  std::array<std::int32_t, 3> dims{0, 0, 1};  ///< chips along each axis
  std::int32_t axes = 2;                      ///< 2 or 3; with 2 axes the third dimension is 1

  /// A shape that is not set: no chips.
  constexpr topology() noexcept = default;
  /// Two axes of those lengths, in chips.
  constexpr topology(std::int32_t first, std::int32_t second) noexcept : dims{first, second, 1} {}
  /// Three axes of those lengths, in chips. Worked: {2, 2, 1} has three axes, {2, 2} two.
  constexpr topology(std::int32_t first, std::int32_t second, std::int32_t third) noexcept
      : dims{first, second, third}, axes{3} {}
  /// All three lengths, and how many of them are axes.
  constexpr topology(const std::array<std::int32_t, 3>& lengths, std::int32_t axis_count) noexcept
      : dims{lengths}, axes{axis_count} {}
};

/// @{
/// Whether two shapes are the same, dimensions and axes.
[[nodiscard]] constexpr bool operator==(const topology& a, const topology& b) noexcept {
  return a.axes == b.axes && a.dims[0] == b.dims[0] && a.dims[1] == b.dims[1] && a.dims[2] == b.dims[2];
}
[[nodiscard]] constexpr bool operator!=(const topology& a, const topology& b) noexcept { return !(a == b); }
/// @}

namespace detail {
/// Refuses a topology that is no shape. A shape that is not set passes: its lengths are 0.
constexpr void check_shape(const topology& shape) {
  if (shape.axes < 2 || shape.axes > 3) fail(errc::out_of_range, "topology.axes", std::int64_t{shape.axes}, "2 or 3");
  for (const std::int32_t length : shape.dims) {
    if (length < 0 || length > 9999) fail(errc::out_of_range, "topology.dims", std::int64_t{length}, "1 to 9999 chips");
  }
  if (shape.axes == 2 && shape.dims[2] != 1)
    fail(errc::invalid_argument, "topology.dims", std::int64_t{shape.dims[2]},
         "1 along a third axis that is not there");
}
}  // namespace detail

/// Chips in the shape. Throws unless it has two or three axes of at most 9999 chips. Worked: 16x20x28 has 8960.
[[nodiscard]] constexpr std::int64_t chips(const topology& shape) {
  detail::check_shape(shape);
  return checked_multiply(shape.dims[0], shape.dims[1], shape.dims[2]);
}

/// The shape written as "4x4x8", as in `gcloud --topology` and in GKE's node labels. Worked: 4 by 4 by 8 chips are
/// "4x4x8".
[[nodiscard]] constexpr text<24> name(const topology& shape) {
  detail::check_shape(shape);
  text<24> result;
  for (std::int32_t axis = 0; axis < shape.axes; ++axis) {
    if (axis != 0) result.append("x");
    result.append(std::int64_t{shape.dims[static_cast<std::size_t>(axis)]});
  }
  return result;
}

namespace detail {
/// The shape with its lengths in the order in which slices are documented: ascending, lengths of one last. 8x4 is 4x8,
/// 1x2x2 is 2x2x1.
constexpr topology ascending(topology shape) noexcept {
  const auto last = [](std::int32_t length) { return length == 1 ? 10000 : length; };
  for (std::int32_t pass = 1; pass < shape.axes; ++pass) {
    for (std::size_t axis = 0; axis + 1 < static_cast<std::size_t>(shape.axes); ++axis) {
      const std::int32_t length = shape.dims[axis];
      if (last(length) <= last(shape.dims[axis + 1])) continue;
      shape.dims[axis] = shape.dims[axis + 1];
      shape.dims[axis + 1] = length;
    }
  }
  return shape;
}
}  // namespace detail

/// The shape written as "4x8" or "4x4x8": two or three whole numbers from 1 to 9999. Nothing if it is not of that form.
/// Worked: "4x4x12" has 192 chips, "4" is of another form.
[[nodiscard]] constexpr maybe<topology> parse_topology(std::string_view given) noexcept {
  topology shape{};
  std::size_t axis = 0;
  while (true) {
    const std::size_t separator = given.find_first_of("xX");
    const std::int64_t length = detail::parse_count(given.substr(0, separator));
    if (length < 1 || length > 9999 || axis == 3) return nothing;
    shape.dims[axis++] = static_cast<std::int32_t>(length);
    if (separator == std::string_view::npos) break;
    given.remove_prefix(separator + 1);
  }
  if (axis < 2) return nothing;
  shape.axes = static_cast<std::int32_t>(axis);
  return shape;
}

/// The shape written as "4x8" or "4x4x8"; text of another form throws `errc::malformed_input`. Worked:
/// chips(topology_for("4x4x12")) is 192.
[[nodiscard]] constexpr topology topology_for(std::string_view given) {
  if (const maybe<topology> shape = parse_topology(given)) return *shape;
  detail::fail(errc::malformed_input, "topology", given, "AxB or AxBxC, each length from 1 to 9999: 4x8, 4x4x12");
}

/// Which axes of a slice close into rings.
enum class wraparound_rule : std::uint8_t {
  whole_pod,    ///< v2, v3, announced chips: all axes of a full pod wrap, none of one host; otherwise unknown
  axis_of_16,   ///< v5e, v6e: an axis wraps where its length is 16
  whole_cubes,  ///< v4, v5p, tpu7x: all axes wrap where all are multiples of 4, otherwise none
};

/// For each axis, whether it wraps around into a ring: yes, no, or unknown (partial slices of v2, v3 and announced
/// chips). Worked: 8x16 of v5e wraps on its second axis only; 4x4x8 of v5p on all three; 2x4x4 of v5p on none. Source:
/// GKE DRA driver util.go, MaxText accelerator_to_spec_map.py, scaling book "TPU networking".
[[nodiscard]] constexpr std::array<known<bool>, 3> wraparound(const topology& shape, wraparound_rule rule,
                                                              const topology& pod) {
  detail::check_shape(shape);
  const std::array<std::int32_t, 3>& d = shape.dims;
  switch (rule) {
    case wraparound_rule::axis_of_16: return {known<bool>{d[0] == 16}, known<bool>{d[1] == 16}, known<bool>{false}};
    case wraparound_rule::whole_cubes: {
      const bool cubes = d[0] % 4 == 0 && d[1] % 4 == 0 && d[2] % 4 == 0;
      return {known<bool>{cubes}, known<bool>{cubes}, known<bool>{cubes}};
    }
    case wraparound_rule::whole_pod: break;
  }
  const bool solid = shape.axes == 3;
  if (shape == pod) return {known<bool>{true}, known<bool>{true}, known<bool>{solid}};
  if (chips(shape) <= 4) return {known<bool>{false}, known<bool>{false}, known<bool>{false}};
  return {known<bool>{unknown}, known<bool>{unknown}, solid ? known<bool>{unknown} : known<bool>{false}};
}

/// Whether the three-dimensional shape may be twisted for more bisection: multiples of 4, each dimension equal to or
/// twice the smallest, not all equal. Worked: 4x4x8 may, 4x4x4 and 4x4x12 may not.
/// Source: Google Cloud "TPU v4" and "TPU v5p" (2026-08-26); the Cloud TPU API only.
[[nodiscard]] constexpr bool may_be_twisted(const topology& shape) noexcept {
  if (shape.axes != 3) return false;
  const std::array<std::int32_t, 3>& d = shape.dims;
  std::int32_t least = d[0] < d[1] ? d[0] : d[1];
  if (d[2] < least) least = d[2];
  for (const std::int32_t length : d) {
    if (length % 4 != 0 || (length != least && length != 2 * least)) return false;
  }
  return d[0] != d[1] || d[1] != d[2];
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/hardware/chip.hpp

#ifndef TPUPLAN_HARDWARE_CHIP_HPP
#define TPUPLAN_HARDWARE_CHIP_HPP

#include <cstdint>
#include <string_view>

/// @file
/// The figures of one chip. The table of generations is made of these; a chip of your own is a copy with changed
/// fields.

namespace tpuplan {
inline namespace abi_0 {

/// The systolic arrays of one TensorCore.
struct mxu_spec {
  std::int64_t per_tensorcore = 0;       ///< arrays of one TensorCore
  std::int64_t side = 0;                 ///< rows and columns: 128, or 256 from v6e on
  std::int64_t macs_per_cell_cycle = 0;  ///< bf16 multiply-adds of one cell in one cycle
};

/// Peak rates of one chip. `absent`: the chip has no such mode. `unknown`: no source states the rate.
struct peak_rates {
  /// @{
  /// Dense matrix products with operands of that format.
  known<flops_per_second> bf16{};
  known<flops_per_second> int8{};
  known<flops_per_second> fp8{};
  known<flops_per_second> int4{};
  /// @}
};

/// High-bandwidth memory. Capacities are exact bytes.
struct hbm_spec {
  bytes capacity{};                  ///< physical, per chip
  bytes documented{};                ///< per chip, as the vendor's page prints it (v5e: 16 GB, decimal)
  known<bytes> usable_per_device{};  ///< what XLA lets a program use, per JAX device; not poolable across devices
  bytes_per_second bandwidth{};      ///< per chip
};

/// On-chip memories.
struct on_chip_spec {
  bytes vmem_per_tensorcore{};              ///< vector memory
  known<double> vmem_bandwidth_over_hbm{};  ///< the scaling book's estimate for v5e: about 22
  bytes cmem{};                             ///< per chip; only v4 has it
  known<bytes> smem_per_tensorcore{};       ///< scalar memory
};

/// How XLA lays arrays out in memory by default: in tiles of one vector register.
struct tiling_spec {
  std::int64_t sublanes = 8;            ///< rows of a vector register of 32-bit values
  std::int64_t lanes = 128;             ///< columns of a vector register
  bool large_tiles_of_16_bits = false;  ///< tiles of 16-bit types have twice the rows (tpu7x and later)
};

/// The interconnect inside a slice. Rates are one-way, of one link.
struct ici_spec {
  std::int64_t links = 0;              ///< per chip: 4 in two dimensions, 6 in three; 0: unknown
  std::int32_t axes = 0;               ///< 2 or 3
  bytes_per_second nominal_one_way{};  ///< of one link; collectives achieve achievable_fraction of it
  double achievable_fraction = 0;      ///< of nominal; the scaling book and MaxText use 0.9; see with_achieved_links
  wraparound_rule wraparound = wraparound_rule::whole_cubes;  ///< which axes close into rings
  known<double> die_to_die_over_link{};  ///< bandwidth between the two dies of a chip, in nominal links
};

/// What a chip shares with the machine around it.
struct host_spec {
  std::int64_t chips = 0;          ///< per physical host
  known<bytes> dram{};             ///< per physical host
  known<bytes_per_second> pcie{};  ///< per chip, one-way
  known<bytes_per_second> dcn{};   ///< per chip, egress to the data-centre network
};

/// How large slices of a generation get.
struct pod_spec {
  topology shape{};                ///< the full pod; not set where no source states it
  std::int64_t largest_slice = 0;  ///< chips in the largest single slice that is scheduled
};

/// What the number in a slice's name counts: v5p-128 is 128 TensorCores (64 chips), v6e-64 is 64 chips.
enum class name_counts : std::uint8_t { tensorcores, chips };

/// Everything tpuplan knows of one kind of chip.
struct chip_spec {
  text<24> name{};                    ///< "v5e"; `find_chip` reads it
  std::int64_t announced_year = 0;    ///< year
  bool announced_only = false;        ///< it cannot be rented yet: no slice, price or service is documented
  std::int64_t tensorcores = 0;       ///< per chip
  std::int64_t jax_devices = 0;       ///< devices that JAX shows per chip: 2 on v2, v3 and tpu7x
  bool megacore = false;              ///< two TensorCores shown as one device
  mxu_spec mxu{};                     ///< systolic arrays of one TensorCore
  peak_rates peak{};                  ///< of the chip
  known<per_second> clock{};          ///< of the TensorCores
  hbm_spec hbm{};                     ///< of the chip
  on_chip_spec on_chip{};             ///< of the chip
  tiling_spec tiling{};               ///< of arrays in its memories
  known<std::int64_t> sparsecores{};  ///< per chip
  ici_spec ici{};                     ///< of the chip
  host_spec host{};                   ///< of the machine that it is in
  pod_spec pod{};                     ///< of the generation
  tpuplan::name_counts slice_name_counts = name_counts::tensorcores;  ///< in names such as v5p-128
};

/// The peak rate of matrix products whose operands are of that format, per chip. bf16 stands for fp16 and, as XLA
/// computes it by default, for fp32 inputs. Throws `errc::unknown_figure` where the chip has none or none is
/// documented. Worked: peak_rate(v5e, dtype::int8) is 393 TOP/s; of v3 and tpu7x it is absent.
[[nodiscard]] constexpr flops_per_second peak_rate(const chip_spec& chip, dtype compute) {
  switch (compute) {
    case dtype::int8: return chip.peak.int8.value("int8 peak of the chip");
    case dtype::fp8: return chip.peak.fp8.value("fp8 peak of the chip");
    case dtype::int4: return chip.peak.int4.value("int4 peak of the chip");
    case dtype::fp32:
    case dtype::bf16:
    case dtype::fp16: break;
  }
  return chip.peak.bf16.value("bf16 peak of the chip");
}

/// Whether `peak_rate` knows the rate of that format. Worked: it knows fp8 on v5e, not on v4.
[[nodiscard]] constexpr bool has_peak_rate(const chip_spec& chip, dtype compute) noexcept {
  switch (compute) {
    case dtype::int8: return chip.peak.int8.has_value();
    case dtype::fp8: return chip.peak.fp8.has_value();
    case dtype::int4: return chip.peak.int4.has_value();
    case dtype::fp32:
    case dtype::bf16:
    case dtype::fp16: break;
  }
  return chip.peak.bf16.has_value();
}

/// VMEM of one chip: that of a TensorCore times their number. Worked: 128 MiB on v5p.
[[nodiscard]] constexpr bytes vmem(const chip_spec& chip) noexcept {
  return chip.on_chip.vmem_per_tensorcore * static_cast<double>(chip.tensorcores);
}

/// VMEM bandwidth of one chip, estimated as a multiple of HBM bandwidth. Throws where no estimate is known.
/// Worked: 22 x 819 GB/s = 18.018 TB/s on v5e. Source: scaling book, "TPUs" (2025-12-15).
[[nodiscard]] constexpr bytes_per_second vmem_bandwidth(const chip_spec& chip) {
  return chip.hbm.bandwidth * chip.on_chip.vmem_bandwidth_over_hbm.value("VMEM bandwidth of the chip");
}

/// Nominal bandwidth out of one chip over all its links, one way. Refuses a chip whose links are not documented.
/// Worked: 600 GB/s on v5p; tpu8i is refused.
[[nodiscard]] constexpr bytes_per_second ici_one_way(const chip_spec& chip) {
  detail::positive("chip.ici.nominal_one_way", chip.ici.nominal_one_way.value());
  return chip.ici.nominal_one_way * static_cast<double>(detail::positive_count("chip.ici.links", chip.ici.links));
}

/// Achieved bandwidth of one chip along one axis, both directions together: two links times the achievable fraction.
/// This is the bandwidth of the scaling book's collectives. Throws for a chip without that fraction or a link rate.
/// Worked: 2 x 100 GB/s x 0.9 = 180 GB/s on v5p; tpu8i is refused.
[[nodiscard]] constexpr bytes_per_second ici_axis_both_ways(const chip_spec& chip) {
  detail::positive("chip.ici.nominal_one_way", chip.ici.nominal_one_way.value());
  return chip.ici.nominal_one_way *
         (2 * detail::positive("chip.ici.achievable_fraction", chip.ici.achievable_fraction));
}

namespace detail {

/// The least share of its HBM that XLA leaves to programs on any chip of the table: 93.5 % on v2.
inline constexpr double least_usable_share = 0.93;

}  // namespace detail

/// Throws, naming the field, for counts that no chip has. Figures are checked where they are used.
constexpr void validate(const chip_spec& chip) {
  const auto check = [](detail::words field, std::int64_t count, std::int64_t least, std::int64_t most,
                        detail::words valid) {
    if (count == 0 && least > 0) detail::fail(errc::missing_field, field, count, valid);
    if (count < least || count > most) detail::fail(errc::out_of_range, field, count, valid);
  };
  check("chip.jax_devices", chip.jax_devices, 1, 64, "1 to 64");
  check("chip.tensorcores", chip.tensorcores, 0, 64, "0 to 64");
  check("chip.mxu.side", chip.mxu.side, 0, 65536, "0 to 65536");
  check("chip.mxu.per_tensorcore", chip.mxu.per_tensorcore, 0, 1024, "0 to 1024");
  check("chip.ici.links", chip.ici.links, 0, 64, "0 to 64");
}

/// HBM that a program may use on one JAX device: XLA's budget where it is known, else the physical share. Throws for a
/// budget that is more than the device has, or less than 93 % of it: that of another capacity, as in a copy of a chip
/// whose capacity alone was changed. Worked: 16909332480 B on v5e.
[[nodiscard]] constexpr bytes usable_hbm_per_device(const chip_spec& chip) {
  validate(chip);
  const bytes physical = chip.hbm.capacity / static_cast<double>(chip.jax_devices);
  detail::positive("chip.hbm.capacity: HBM of a device", physical.value());
  if (!chip.hbm.usable_per_device.has_value()) return physical;
  const bytes usable = chip.hbm.usable_per_device.value();
  detail::in_range("chip.hbm.usable_per_device", usable.value(), detail::least_usable_share * physical.value(),
                   physical.value(), "93 to 100 % of chip.hbm.capacity / chip.jax_devices, or unknown; see with_hbm");
  return usable;
}

/// The chip with another HBM capacity, of which XLA leaves the same share to programs. Worked: of v6e with 48 GiB a
/// program may use 46.87 GiB.
[[nodiscard]] constexpr chip_spec with_hbm(chip_spec chip, bytes capacity) {
  detail::positive("capacity", capacity.value());
  if (chip.hbm.usable_per_device.has_value())
    chip.hbm.usable_per_device = usable_hbm_per_device(chip) * (capacity / chip.hbm.capacity);
  chip.hbm.capacity = chip.hbm.documented = capacity;
  return chip;
}

/// The chip with links of a measured one-way rate, which is used in full. (A nominal rate is set as the field
/// `ici.nominal_one_way`, of which only `ici.achievable_fraction` is used.) Worked: links of v5p at 85 GB/s give
/// `ici_axis_both_ways` of 170 GB/s, where the field set to 85 GB/s gives 153.
[[nodiscard]] constexpr chip_spec with_achieved_links(chip_spec chip, bytes_per_second one_way) {
  chip.ici.nominal_one_way = bytes_per_second{detail::positive("one_way", one_way.value())};
  chip.ici.achievable_fraction = 1;
  return chip;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/training/calibration.hpp

#ifndef TPUPLAN_ESTIMATE_TRAINING_CALIBRATION_HPP
#define TPUPLAN_ESTIMATE_TRAINING_CALIBRATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>

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
    {"v2", 0.84}, {"v3", 0.799}, {"v4", 0.725}, {"v5e", 0.895}, {"v5p", 0.767}, {"v6e", 0.783}, {"tpu7x", 0.73},
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
  double other_mxu_fraction = 0.786;     ///< mxu_fraction of chips that are not among `chips`
  bool products_padded = true;           ///< dimensions on a device are filled up to the side of the MXU
  double attention_slowdown = 2.0;       ///< time of the attention kernel over a dense product of the same FLOPs
  double attention_block = 512;          ///< keys that the kernel takes at once: halves and windows round up to them
  bool latent_values_padded = false;     ///< value heads of latent attention are padded to the size of its keys
  bool global_heads_apart = true;        ///< layers that attend to everything count with the widths of their own heads
  double fixed_update = 0;              ///< HBM traffic of the update, bytes per parameter; 0: by optimizer and formats
  double hbm_passes = 1.19;             ///< exposed HBM traffic, re-reads included, over the bytes counted
  double operand_reads = 1;             ///< times that operands and results of a product move per pass
  double weight_reads = 1;              ///< times that gathered weights are read per pass
  double dispatch_passes = 25.5;        ///< HBM passes of expert sort, gather and scatter per routed token
  bool dispatch_on_every_shard = true;  ///< every tensor shard routes all tokens for itself
  double exposed_fsdp = 0.282;          ///< part of FSDP and data collectives that is not hidden
  double exposed_tensor = 0.20;         ///< part of tensor-parallel collectives that is not hidden; set
  double general_exposed_tensor = 0.60;  ///< the same under software that is not tuned; set
  double exposed_expert = 0.25;          ///< part of expert all-to-alls that is not hidden; set
  double exposed_context = 1.00;         ///< part of context parallelism's key and value gathers that is exposed; set
  double exposed_dcn = 0.30;             ///< part of the all-reduce between slices that is not hidden; set
  double exposed_host = 1.00;            ///< part of state moved to and from hosts; no published record: an upper bound
  bool hidden_by_work_only = true;       ///< traffic is hidden only for as long as the work takes
  double slowdown_per_doubling = 0.015;  ///< jitter and stragglers per doubling of slices; set
  double low_precision_share = 0.70;     ///< share of product time that reaches the doubled int8 or fp8 rate; set
  double general_software = 1.08;        ///< time under a general framework over that of a tuned recipe
  double first_port = 1.3;               ///< time of a program that nobody tuned over that of a tuned recipe; set
  double default_tiles = 1.85;           ///< time of grouped products with default tiles over that with tuned ones; set
  double own_factor = 1;                 ///< time over that of the estimate, by the caller
  seconds ring_step{4e-5};               ///< fixed time of each part that ring attention computes; set
  seconds per_layer_pass{1e-4};          ///< fixed time per layer and pass, four passes a step; set
  // end of generated: training_constants
  own_runs own{};  ///< measured steps of the caller's own: see with_own_run
};

/// How measured steps of one source differ from the estimates. tools/calibrate finds these spreads over all sources.
// generated: training_spreads from data/measured
inline constexpr own_spreads training_spreads{0.029, 0.0755, 0.0593, 2.94, 1.93, 3.06, 3, 0.53, 0.52};
// end of generated: training_spreads

/// Throws, naming the constant, unless rates and factors are above 0 and shares and additions at least 0.
constexpr void validate(const calibration& constants) {
  if (constants.chips.count > constants.chips.items.size())
    detail::fail(errc::out_of_range, "calibration.chips.count", static_cast<std::int64_t>(constants.chips.count),
                 "at most 16 chips");
  for (std::size_t i = 0; i < constants.chips.count; ++i) {
    const chip_constants& fitted = constants.chips.items[i];
    detail::positive(text<64>{"calibration.chips: mxu_fraction of "}.append(fitted.chip.view()).view(),
                     fitted.mxu_fraction);
  }
  detail::positive("calibration.other_mxu_fraction", constants.other_mxu_fraction);
  detail::positive("calibration.attention_slowdown", constants.attention_slowdown);
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
    {"v2", 1, 0, 0}, {"v3", 3, 0, 0}, {"v4", 11, 0, 0}, {"v5e", 20, 1, 0}, {"v5p", 16, 8, 12}, {"v6e", 38, 5, 5},
    {"tpu7x", 6, 0, 45},
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

// tpuplan/model/vision.hpp

#ifndef TPUPLAN_MODEL_VISION_HPP
#define TPUPLAN_MODEL_VISION_HPP

#include <cstdint>
#include <string_view>

/// @file
/// Vision towers: a ViT, and the projector that hands its output to a text model. Images are square.

namespace tpuplan {
inline namespace abi_0 {

/// The way from the tower's output to the text model: an optional norm, an optional merge of neighbouring patches, then
/// one to three matrices.
struct projector_spec {
  std::int64_t norm_weights = 0;  ///< weights (and biases) of its norm
  std::int64_t merge = 1;         ///< patches per side that become one token (2: four patches to one)
  bool merge_matrix = false;      ///< a matrix [merge^2 d, d] without bias, before the others
  std::int64_t input = 0;         ///< 0: the model has no projector
  std::int64_t hidden = 0;        ///< 0: one matrix [input, output]; else [input, hidden] and [hidden, output]
  std::int64_t inner = 0;         ///< of three matrices: [input, hidden], [hidden, inner] and [inner, output] (Llama 4)
  std::int64_t output = 0;        ///< width of the text model
  bool bias = false;              ///< biases of its matrices
};

/// A vision tower. `layers` 0 where a model has none.
struct vision_spec {
  std::int64_t image_size = 0;         ///< side of the image in pixels
  std::int64_t patch_size = 0;         ///< side of a patch in pixels
  std::int64_t channels = 3;           ///< colours of a pixel
  std::int64_t temporal_patch = 1;     ///< frames per patch
  std::int64_t layers = 0;             ///< layers of the tower
  std::int64_t d_model = 0;            ///< width of the residual stream
  std::int64_t heads = 0;              ///< attention heads
  std::int64_t d_ff = 0;               ///< inner width of the MLP
  bool gated = false;                  ///< three matrices in the MLP instead of two
  bool qkv_bias = true;                ///< biases of the projections of queries, keys and values
  bool output_bias = true;             ///< a bias of attention's output projection
  bool mlp_bias = true;                ///< biases of the MLP
  bool norm_bias = true;               ///< LayerNorm with weight and bias, instead of RMSNorm
  bool patch_bias = true;              ///< a bias of the patch embedding
  bool class_token = false;            ///< one more token, with a learned embedding
  std::int64_t learned_positions = 0;  ///< rows of a table of positions; 0: none
  std::int64_t extra_norms = 0;        ///< norms outside of the layers (before the first, after the last)
  std::int64_t other_weights = 0;      ///< what the fields above do not describe: gates, tile embeddings, pooling heads
  std::int64_t tokens_per_image = 0;   ///< tokens the text model sees; 0: all patches, merged as the projector does
  projector_spec projector{};          ///< to the text model
};

namespace detail {

/// The largest size of anything in a model, number of tokens, and number of parameters: small enough that products of
/// two sizes, or of a size and a number of tokens, stay below 2^63.
inline constexpr std::int64_t most_size = 16777216;
inline constexpr std::int64_t most_tokens = std::int64_t{1} << 40;
inline constexpr std::int64_t most_parameters = std::int64_t{1} << 53;

/// Refuses a part of a count unless it is 0 to `most`.
constexpr void check_part(words field, std::int64_t value, std::int64_t most, words valid) {
  if (value < 0 || value > most) fail(errc::out_of_range, field, value, valid);
}

/// Refuses a count of a job below 0 as negative and above `most` as out of range.
constexpr void check_count(words field, std::int64_t value, std::int64_t most, words valid) {
  if (value < 0) fail(errc::invalid_argument, field, value, valid);
  check_part(field, value, most, valid);
}

/// Refuses a size unless it is 0 to `most_size`.
constexpr void check_size(words field, std::int64_t value) { check_part(field, value, most_size, "0 to 16777216"); }

/// Refuses a size unless it is 1 to `most_size`.
constexpr void check_dimension(words field, std::int64_t value) {
  positive_count(field, value);
  check_part(field, value, most_size, "1 to 16777216");
}

/// Throws, naming the field, for a value out of range. Only a model with a tower needs the tower's dimensions.
constexpr void check_tower(const vision_spec& vision) {
  check_size("model.vision.layers", vision.layers);
  const auto check = vision.layers > 0 ? check_dimension : check_size;
  check("model.vision.d_model", vision.d_model);
  check("model.vision.heads", vision.heads);
  check("model.vision.d_ff", vision.d_ff);
  check("model.vision.channels", vision.channels);
  check("model.vision.temporal_patch", vision.temporal_patch);
  check("model.vision.patch_size", vision.patch_size);
  check("model.vision.image_size", vision.image_size);
  check("model.vision.projector.merge", vision.projector.merge);
  check_size("model.vision.projector.norm_weights", vision.projector.norm_weights);
  check_size("model.vision.projector.input", vision.projector.input);
  check_size("model.vision.projector.hidden", vision.projector.hidden);
  check_size("model.vision.projector.inner", vision.projector.inner);
  check_size("model.vision.projector.output", vision.projector.output);
  check_size("model.vision.learned_positions", vision.learned_positions);
  check_size("model.vision.extra_norms", vision.extra_norms);
  check_size("model.vision.tokens_per_image", vision.tokens_per_image);
  check_part("model.vision.other_weights", vision.other_weights, most_parameters, "0 to 2^53");
}

}  // namespace detail

/// Throws, naming the field, unless the tower's parameters and FLOPs can be counted.
constexpr void validate(const vision_spec& vision) {
  detail::check_dimension("model.vision.layers", vision.layers);
  detail::check_tower(vision);
  if (vision.image_size % vision.patch_size != 0) {
    detail::fail(errc::not_divisible, "model.vision.patch_size", vision.patch_size, "a divisor of the image size");
  }
  if (vision.d_model % vision.heads != 0) {
    detail::fail(errc::not_divisible, "model.vision.heads", vision.heads, "a divisor of the width of the tower");
  }
}

/// Patches of one image. Worked: a 224x224 image in 16x16 patches has 196.
[[nodiscard]] constexpr std::int64_t patches(std::int64_t image_size, std::int64_t patch_size) {
  detail::positive_count("image_size", image_size);
  detail::positive_count("patch_size", patch_size);
  if (image_size % patch_size != 0) {
    detail::fail(errc::not_divisible, "patch_size", patch_size, "a divisor of the image size");
  }
  return checked_multiply(image_size / patch_size, image_size / patch_size);
}

/// Tokens inside the tower for one image: patches, and the class token where there is one. Worked: 197 for ViT-B/16.
[[nodiscard]] constexpr std::int64_t vision_tokens(const vision_spec& vision) {
  validate(vision);
  return patches(vision.image_size, vision.patch_size) + (vision.class_token ? 1 : 0);
}

/// Tokens that one image adds to the text sequence. Worked: 256 for Gemma 3 (896 pixels, patches of 14, pooled 4x4).
[[nodiscard]] constexpr std::int64_t image_tokens(const vision_spec& vision) {
  validate(vision);
  if (vision.tokens_per_image > 0) return vision.tokens_per_image;
  return patches(vision.image_size, vision.patch_size) /
         checked_multiply(vision.projector.merge, vision.projector.merge);
}

/// Parameters of the tower without its projector. Worked: 85798656 for ViT-B/16 without its head.
[[nodiscard]] constexpr std::int64_t vision_parameters(const vision_spec& vision) {
  validate(vision);
  const std::int64_t d = vision.d_model;
  const std::int64_t norm = d * (vision.norm_bias ? 2 : 1);
  std::int64_t layer =
      checked_multiply(4 * d, d) + (vision.qkv_bias ? 3 * d : 0) + (vision.output_bias ? d : 0) + 2 * norm;
  layer = checked_add(layer, checked_multiply(vision.gated ? 3 : 2, d, vision.d_ff));
  if (vision.mlp_bias) layer = checked_add(layer, (vision.gated ? 2 : 1) * vision.d_ff + d);
  const std::int64_t pixels =
      checked_multiply(checked_multiply(vision.channels, vision.temporal_patch), vision.patch_size, vision.patch_size);
  std::int64_t total = checked_add(checked_multiply(layer, vision.layers), checked_multiply(pixels, d));
  total = checked_add(total, (vision.patch_bias ? d : 0) + (vision.class_token ? d : 0) + vision.other_weights +
                                 checked_multiply(vision.extra_norms, norm));
  return checked_add(total, checked_multiply(vision.learned_positions, d));
}

/// Parameters of the projector; 0 where there is none. Worked: 21 million in LLaVA 1.5 (1024 to 4096 to 4096).
[[nodiscard]] constexpr std::int64_t projector_parameters(const vision_spec& vision) {
  const projector_spec& p = vision.projector;
  if (p.input == 0) return 0;
  std::int64_t total = p.norm_weights;
  if (p.merge_matrix) {
    total = checked_add(total, checked_multiply(checked_multiply(p.merge, p.merge), vision.d_model, vision.d_model));
  }
  std::int64_t last = p.input;
  for (const std::int64_t width : {p.hidden, p.inner, p.output}) {
    if (width == 0) continue;
    total = checked_add(total, checked_multiply(last, width) + (p.bias ? width : 0));
    last = width;
  }
  return total;
}

/// Forward FLOPs of the tower and its projector for one image: matrix products and full attention, two per
/// multiply-add. Worked: 2 x 17563060224 for ViT-B/16 without its head. Source: torchvision's GMAC table.
[[nodiscard]] constexpr flops vision_flops_per_image(const vision_spec& vision) {
  const auto tokens = static_cast<double>(vision_tokens(vision));
  const auto d = static_cast<double>(vision.d_model);
  const double layer =
      tokens * d * (4 * d + (vision.gated ? 3 : 2) * static_cast<double>(vision.d_ff)) + 2 * tokens * tokens * d;
  const double pixels = static_cast<double>(vision.channels) * static_cast<double>(vision.temporal_patch) *
                        static_cast<double>(vision.patch_size) * static_cast<double>(vision.patch_size);
  double macs = static_cast<double>(vision.layers) * layer;
  macs += static_cast<double>(patches(vision.image_size, vision.patch_size)) * pixels * d;
  if (vision.projector.input != 0) {
    vision_spec matrices = vision;
    matrices.projector.norm_weights = 0;
    matrices.projector.bias = false;
    macs += static_cast<double>(image_tokens(vision)) * static_cast<double>(projector_parameters(matrices));
  }
  return flops{2 * macs};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/model/recurrent.hpp

#ifndef TPUPLAN_MODEL_RECURRENT_HPP
#define TPUPLAN_MODEL_RECURRENT_HPP

#include <cstdint>

/// @file
/// Layers that keep a state of fixed size where attention keeps keys and values: state-space layers, linear attention,
/// recurrences and short convolutions. The shapes are those of the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {

/// How the layers without softmax attention mix tokens.
enum class recurrence : std::uint8_t {
  mamba,              ///< selective state space: steps, keys and values of each channel
  mamba2,             ///< state space with heads
  gated_delta,        ///< gated delta rule, one decay for each head (Qwen3-Next)
  key_gated_delta,    ///< gated delta rule, one decay for each key dimension (Kimi Linear)
  lightning,          ///< linear attention with fixed decays and a gate (MiniMax)
  rg_lru,             ///< gated linear recurrence (RecurrentGemma)
  rwkv,               ///< RWKV 4
  mlstm,              ///< matrix memory of xLSTM
  short_convolution,  ///< gated convolution over a few tokens (LFM2)
};

/// The recurrent layers of a model, all of one kind. `layers` is 0 where it has none.
struct recurrent_spec {
  recurrence kind = recurrence::mamba;  ///< how all of them mix tokens
  std::int64_t layers = 0;              ///< number of recurrent layers
  std::int64_t width = 0;               ///< of the values, all heads together
  std::int64_t heads = 1;               ///< heads of the values
  std::int64_t key_heads = 1;           ///< heads of the keys (groups of Mamba 2)
  std::int64_t key_dim = 1;             ///< width of a key; the state has width x key_dim numbers
  std::int64_t kernel = 0;              ///< tokens under the convolution before the recurrence; 0: none
  std::int64_t rank = 0;                ///< of Mamba's time-step projection or Kimi Linear's gates
  bool convolution_bias = false;        ///< a bias for each channel of the convolution
  bool projection_bias = false;         ///< biases of the projections in and out
  bool inner_norm = false;        ///< Mamba: norms of steps, keys and values (Jamba); Mamba 2: of the gated output
  bool beside_attention = false;  ///< the layers have attention too (Falcon-H1)
  std::int64_t idle_layers = 0;   ///< layers with neither attention nor a recurrence, but an MLP (Nemotron-H)
};

namespace detail {

/// The widths and weights of one recurrent layer.
struct recurrent_widths {
  std::int64_t in = 0;        // outputs of the projections from the residual stream
  std::int64_t inside = 0;    // weights of further products
  std::int64_t channels = 0;  // channels that the convolution covers
  std::int64_t vectors = 0;   // weights that are in no product: decays, biases of gates, norms
};

/// Products of two sizes are below 2^48; no more than three are multiplied here where one is of heads.
constexpr recurrent_widths widths_in(const recurrent_spec& r, std::int64_t d_model) {
  const std::int64_t w = r.width, keys = r.key_heads * r.key_dim, both = w + 2 * keys;
  const std::int64_t selected = r.rank + 2 * r.key_dim;
  switch (r.kind) {
    case recurrence::mamba:
      return {2 * w, w * (selected + r.rank), w, w * (r.key_dim + 2) + (r.inner_norm ? selected : 0)};
    case recurrence::mamba2: return {w + both + r.heads, 0, both, 3 * r.heads + (r.inner_norm ? w : 0)};
    case recurrence::gated_delta: return {both + w + 2 * r.heads, 0, both, 2 * r.heads + w / r.heads};
    case recurrence::key_gated_delta:
      return {both + r.heads + 2 * r.rank, checked_multiply(r.rank, keys + w), both, r.heads + keys + w / r.heads};
    case recurrence::lightning: return {both + w, 0, 0, w};
    case recurrence::rg_lru: return {2 * w, 2 * w * (w / r.heads), w, 3 * w};
    case recurrence::rwkv: return {3 * w + d_model, 0, 0, 2 * w + 5 * d_model};
    case recurrence::mlstm: return {both + w + 2 * r.heads, 0, 0, 2 * r.heads + w};
    case recurrence::short_convolution: break;
  }
  return {3 * w, 0, w, 0};
}

/// How many numbers the recurrent state of one layer holds for one sequence. RWKV keeps three per channel; mLSTM keeps,
/// for each head, a key and a maximum beside its matrix.
constexpr std::int64_t state_of(const recurrent_spec& r) {
  if (r.kind == recurrence::rwkv) return 3 * r.width;
  if (r.kind == recurrence::short_convolution) return 0;
  return r.width * r.key_dim + (r.kind == recurrence::mlstm ? r.key_heads * r.key_dim + r.heads : 0);
}

/// FLOPs of one layer for one token without its projections: two per weight of the convolution, and per number of the
/// state 8 for a delta rule (four products of key and value dimension, as MaxText and Megatron-LM count), 7 for Mamba
/// (Megatron-LM), otherwise 5: a decay, the addition of an outer product, and a product with the query.
constexpr flops core_flops(const recurrent_spec& r, std::int64_t d_model) {
  const bool delta = r.kind == recurrence::gated_delta || r.kind == recurrence::key_gated_delta;
  const double each = delta ? 8 : r.kind == recurrence::mamba || r.kind == recurrence::mamba2 ? 7 : 5;
  return flops{each * static_cast<double>(state_of(r)) +
               2 * static_cast<double>(r.kernel * widths_in(r, d_model).channels)};
}

constexpr void validate(const recurrent_spec& r, std::int64_t model_layers) {
  for (const std::int64_t size : {r.layers, r.idle_layers, r.width, r.heads, r.key_heads, r.key_dim, r.kernel, r.rank})
    check_size("a size of model.recurrent", size);
  check_part("model.recurrent.layers and idle_layers", r.layers + r.idle_layers, model_layers,
             "together at most the number of layers");
  if (r.heads == 0 || r.key_heads == 0 || r.key_dim == 0 || r.width % r.heads != 0 || (r.width == 0 && r.layers > 0))
    fail(errc::not_divisible, "model.recurrent.width", r.width,
         "a multiple of its heads; key_heads and key_dim from 1 on");
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/model/transformer.hpp

#ifndef TPUPLAN_MODEL_TRANSFORMER_HPP
#define TPUPLAN_MODEL_TRANSFORMER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// The shape of a model: what parameters.hpp, flops.hpp and kv_cache.hpp count. A Hugging Face config.json becomes one
/// of these in io/hf_config.hpp.

namespace tpuplan {
inline namespace abi_0 {

/// What the text stack is.
enum class architecture : std::uint8_t {
  decoder,          ///< causal language model
  encoder,          ///< bidirectional, as BERT
  encoder_decoder,  ///< both, with cross-attention in the decoder, as T5
  vision,           ///< no text stack, as a ViT classifier
};

/// "decoder" and so on.
[[nodiscard]] constexpr std::string_view name(architecture kind) noexcept {
  constexpr const char* names[] = {"decoder", "encoder", "encoder_decoder", "vision"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// Multi-head latent attention (DeepSeek). All 0 where a model has none.
struct latent_attention_spec {
  std::int64_t q_lora_rank = 0;       ///< 0: queries are projected directly
  std::int64_t kv_lora_rank = 0;      ///< 0: the model has no latent attention
  std::int64_t qk_nope_head_dim = 0;  ///< of queries and keys, the part without positions
  std::int64_t qk_rope_head_dim = 0;  ///< of queries and keys, the part with positions
  std::int64_t v_head_dim = 0;        ///< of values
};

/// An indexer, which chooses the keys that attention looks at (DeepSeek-V3.2). All 0 where a model has none.
struct indexer_spec {
  std::int64_t heads = 0;     ///< of its queries
  std::int64_t head_dim = 0;  ///< of its queries and of its one key
  std::int64_t top_k = 0;     ///< keys that attention looks at, at most
  std::int64_t layers = 0;    ///< layers with an indexer; the others reuse its choice (GLM-5.2); 0: all
};

/// Self-attention of every layer, and what differs in some of them.
struct attention_spec {
  std::int64_t heads = 0;             ///< of queries, in each layer
  std::int64_t kv_heads = 0;          ///< below heads: grouped queries; 1: multi-query
  std::int64_t head_dim = 0;          ///< need not be d_model / heads
  bool qkv_bias = false;              ///< biases of the projections of queries, keys and values
  bool key_bias = true;               ///< false: the projection of keys has no bias (Whisper)
  bool output_bias = false;           ///< a bias of attention's output projection
  bool qk_norm = false;               ///< a norm of head_dim weights on queries and one on keys
  bool wide_qk_norm = false;          ///< those norms have a weight for every dimension of every head (OLMo 2)
  bool sinks = false;                 ///< one learned sink per head, as gpt-oss
  bool output_gate = false;           ///< a gate on its output, as wide as the queries (Qwen3-Next)
  latent_attention_spec latent{};     ///< instead of heads with keys and values of their own
  indexer_spec indexer{};             ///< of latent attention: it chooses the keys
  std::int64_t window = 0;            ///< sliding window of the local layers, in tokens; 0: no local layers
  std::int64_t local_layers = 0;      ///< layers with the window; the rest attend to everything
  std::int64_t global_head_dim = 0;   ///< 0: as head_dim
  std::int64_t global_kv_heads = 0;   ///< 0: as kv_heads
  bool global_kv_shared = false;      ///< global layers use one matrix for keys and values
  std::int64_t kv_shared_layers = 0;  ///< layers that read the keys and values of an earlier one
  bool single_kv = false;             ///< keys are the values too: one matrix, cached once (DeepSeek-V4)
  std::int64_t value_dim = 0;         ///< of values; 0: as head_dim (MiMo-V2)
  std::int64_t output_rank = 0;       ///< rank of a low-rank output projection per group of heads; 0: one full matrix
  std::int64_t output_groups = 0;     ///< groups of heads of that projection
  std::int64_t chosen_layers = 0;     ///< layers whose keys each stand for several tokens and are chosen by an indexer
  std::int64_t chosen_ratio = 0;      ///< tokens that one such key stands for
  std::int64_t merged_layers = 0;     ///< layers whose keys each stand for many tokens and are all seen
  std::int64_t merged_ratio = 0;      ///< tokens that one such key stands for
  std::int64_t relative_buckets = 0;  ///< relative position table per stack, as T5
  std::int64_t cross_layers = 0;      ///< layers that attend to an image, not to text (Llama 3.2 Vision)
};

/// The dense MLP, also of the dense layers of a mixture of experts.
struct mlp_spec {
  std::int64_t d_ff = 0;                ///< inner width
  bool gated = true;                    ///< three matrices (SwiGLU, GeGLU) instead of two
  bool bias = false;                    ///< biases of the matrices
  bool double_wide_in_shared = false;   ///< twice the width in layers with shared keys and values (Gemma 3n)
  std::int64_t activation_weights = 0;  ///< learned numbers of the activation, in each layer (Apertus: 2)
  std::int64_t absent = 0;              ///< layers with neither an MLP nor experts (Mamba: all of them)
};

/// Mixture of experts. `experts` 0 where a model has none.
struct moe_spec {
  std::int64_t experts = 0;              ///< routed experts of one layer
  std::int64_t top_k = 0;                ///< experts of one token
  std::int64_t expert_d_ff = 0;          ///< inner width of one expert
  std::int64_t shared_d_ff = 0;          ///< all shared experts together
  std::int64_t parallel_dense_d_ff = 0;  ///< a dense MLP beside the experts (Gemma 4)
  std::int64_t dense_layers = 0;         ///< layers without experts: with the dense MLP, or with none
  bool router_bias = false;              ///< a bias of the router
  bool expert_bias = false;              ///< biases of the experts' matrices
  bool shared_gate = false;              ///< the router has one more output, a gate on the shared experts (Qwen2-MoE)
};

/// A transformer. Fields without a sensible default are 0 and refused by name when used.
struct transformer {
  text<64> name{};                            ///< of the model, at most 64 characters
  architecture kind = architecture::decoder;  ///< what the text stack is
  std::int64_t layers = 0;                    ///< of the decoder, or of the only stack
  std::int64_t encoder_layers = 0;            ///< encoder_decoder only
  std::int64_t encoder_positions = 0;         ///< rows of a table of positions of the encoder; 0: none
  std::int64_t encoder_stem = 0;              ///< weights before the encoder (convolutions over audio, as Whisper)
  std::int64_t d_model = 0;                   ///< width of the residual stream
  std::int64_t vocab = 0;                     ///< rows of the token table
  std::int64_t embedding_width = 0;       ///< of tokens, positions and segments, with a matrix to d_model; 0: d_model
  std::int64_t layer_sets = 0;            ///< sets of weights that all layers share (ALBERT: 1); 0: each its own
  bool tied_embeddings = false;           ///< the output head is the token table
  bool output_head = true;                ///< false: a decoder that writes no tokens, as of embedding models
  bool head_bias = false;                 ///< a bias of the output head, one for each row of the vocabulary
  std::int64_t learned_positions = 0;     ///< rows of a table of positions; 0: none
  std::int64_t token_types = 0;           ///< rows of a table of segments, as BERT; 0: none
  std::int64_t extra_input_rows = 0;      ///< of the token table alone, past the vocabulary (Llama 3.2 Vision: 8)
  std::int64_t max_positions = 0;         ///< longest sequence the model is made for; 0: not stated
  std::int64_t norms_per_layer = 2;       ///< norms over d_model in one layer
  bool norm_bias = false;                 ///< LayerNorm with weight and bias, instead of RMSNorm
  bool embedding_norm = false;            ///< a norm right after the embeddings, as BERT
  bool final_norm = true;                 ///< a norm after the last layer
  bool pooler = false;                    ///< a dense layer on the first token, as BertModel
  bool head_transform = false;            ///< a dense layer and a norm before the output head, as BertForMaskedLM
  std::int64_t classes = 0;               ///< outputs of a classification head on an encoder or vision tower
  attention_spec attention{};             ///< of the text stack
  mlp_spec mlp{};                         ///< of the text stack
  moe_spec moe{};                         ///< of the text stack
  std::int64_t prediction_layers = 0;     ///< modules that predict further tokens: in memory, not in FLOPs
  std::int64_t other_products = 0;        ///< weights in products of every token that no other field describes
  std::int64_t other_weights = 0;         ///< weights in no product that no other field describes; may be below 0
  recurrent_spec recurrent{};             ///< layers with a recurrence instead of attention, or beside it
  vision_spec vision{};                   ///< the vision tower
  std::int64_t published_parameters = 0;  ///< replaces the count where the shape is approximate; 0: counted
  std::int64_t published_active_parameters = 0;  ///< parameters in matrix products for one token; 0: counted
};

/// Whether there is a text stack. Worked: yes for llama-3-8b, no for ViT-B/16.
[[nodiscard]] constexpr bool has_text(const transformer& model) noexcept { return model.kind != architecture::vision; }
/// Whether there is a vision tower. Worked: no for llama-3-8b, yes for ViT-B/16 with its 12 layers.
[[nodiscard]] constexpr bool has_vision(const transformer& model) noexcept { return model.vision.layers > 0; }
/// Whether it is a mixture of experts. Worked: yes for DeepSeek-V3 with 256 experts, no for llama-3-8b.
[[nodiscard]] constexpr bool has_experts(const transformer& model) noexcept { return model.moe.experts > 0; }
/// Width of the tables of tokens, positions and segments. Worked: 128 of the 768 of ALBERT base.
[[nodiscard]] constexpr std::int64_t table_width(const transformer& model) noexcept {
  return model.embedding_width > 0 ? model.embedding_width : model.d_model;
}
/// Width of the values of one head. Worked: 128 of MiMo-V2-Flash, whose keys have 192.
[[nodiscard]] constexpr std::int64_t value_width(const transformer& model) noexcept {
  return model.attention.value_dim > 0 ? model.attention.value_dim : model.attention.head_dim;
}
/// Whether attention is latent. Worked: yes for DeepSeek-V3, whose latent vector has 512 numbers.
[[nodiscard]] constexpr bool has_latent_attention(const transformer& model) noexcept {
  return model.attention.latent.kv_lora_rank > 0;
}
/// Outputs of the router for one token: one per expert, and the gate on the shared experts where there is one. Worked:
/// 256 for DeepSeek-V3; 61 for Qwen1.5-MoE, 60 experts and the gate.
[[nodiscard]] constexpr std::int64_t router_width(const transformer& model) noexcept {
  return model.moe.experts + (model.moe.shared_gate ? 1 : 0);
}
/// Whether some layers are recurrent. Worked: yes where 36 of 48 layers are, as in Qwen3-Next; no for llama-3-8b.
[[nodiscard]] constexpr bool has_recurrence(const transformer& model) noexcept { return model.recurrent.layers > 0; }
/// Layers with attention. Worked: 12 of the 48 layers of Qwen3-Next.
[[nodiscard]] constexpr std::int64_t attention_layers(const transformer& model) noexcept {
  const recurrent_spec& recurrent = model.recurrent;
  return model.layers - recurrent.idle_layers - (recurrent.beside_attention ? 0 : recurrent.layers);
}
/// Layers with an indexer of their own that chooses among all tokens. Worked: 21 of the 78 layers of GLM-5.2.
[[nodiscard]] constexpr std::int64_t indexer_layers(const transformer& model) noexcept {
  const indexer_spec& indexer = model.attention.indexer;
  if (indexer.heads == 0 || !has_latent_attention(model)) return 0;
  return indexer.layers > 0 ? indexer.layers : attention_layers(model);
}
/// Layers whose MLP is a mixture of experts. Worked: 58 of the 61 layers of DeepSeek-V3.
[[nodiscard]] constexpr std::int64_t moe_layers(const transformer& model) noexcept {
  return has_experts(model) ? model.layers - model.moe.dense_layers : 0;
}

/// Layers with a dense MLP. Worked: 3 of the 61 layers of DeepSeek-V3.
[[nodiscard]] constexpr std::int64_t dense_layers(const transformer& model) noexcept {
  return model.layers - moe_layers(model) - model.mlp.absent;
}

namespace detail {

/// How many of the layers that read another layer's keys and values have a window: the same share as of all layers,
/// because the pattern of layers repeats.
constexpr std::int64_t local_shared_layers(const transformer& model) {
  const attention_spec& attention = model.attention;
  const std::int64_t to_text = attention_layers(model) - attention.cross_layers;
  const std::int64_t own = to_text - attention.kv_shared_layers;
  return to_text == 0 ? 0 : attention.local_layers - attention.local_layers * own / to_text;
}

constexpr void check_attention(const transformer& model) {
  const attention_spec& attention = model.attention;
  check_dimension("model.attention.heads", attention.heads);
  check_dimension("model.attention.kv_heads", attention.kv_heads);
  if (attention.heads % attention.kv_heads != 0) {
    fail(errc::not_divisible, "model.attention.kv_heads", attention.kv_heads, "a divisor of the number of heads");
  }
  const latent_attention_spec& latent = attention.latent;
  check_size("model.attention.latent.kv_lora_rank", latent.kv_lora_rank);
  check_size("model.attention.latent.q_lora_rank", latent.q_lora_rank);
  const auto check_latent = has_latent_attention(model) ? check_dimension : check_size;
  check_latent("model.attention.latent.qk_nope_head_dim", latent.qk_nope_head_dim);
  check_latent("model.attention.latent.qk_rope_head_dim", latent.qk_rope_head_dim);
  check_latent("model.attention.latent.v_head_dim", latent.v_head_dim);
  (has_latent_attention(model) ? check_size : check_dimension)("model.attention.head_dim", attention.head_dim);
  check_part("model.attention.window", attention.window, most_tokens, "0 (none) to 2^40 tokens");
  const std::int64_t attending = attention_layers(model), others = attending > 0 ? 1 : 0;
  check_part("model.attention.cross_layers", attention.cross_layers, attending - others,
             "0 to one less than the number of layers");
  const std::int64_t to_text = attending - attention.cross_layers;
  check_part("model.attention.local_layers", attention.local_layers, to_text,
             "0 to the number of layers that attend to text");
  check_part("model.attention.kv_shared_layers", attention.kv_shared_layers, to_text - others,
             "0 to one less than the number of layers that attend to text");
  check_size("model.attention.global_head_dim", attention.global_head_dim);
  check_part("model.attention.global_kv_heads", attention.global_kv_heads, attention.heads,
             "0 (as kv_heads) to the number of heads");
  check_size("model.attention.relative_buckets", attention.relative_buckets);
  const indexer_spec& indexer = attention.indexer;
  for (const std::int64_t size : {indexer.heads, indexer.head_dim, indexer.top_k})
    (indexer.heads > 0 ? check_dimension : check_size)("model.attention.indexer", size);
  check_part("model.attention.indexer.layers", indexer.layers, attending, "0 (all) to the layers with attention");
  if (indexer.heads > 0 && latent.q_lora_rank == 0)
    fail(errc::missing_field, "model.attention.latent.q_lora_rank", latent.q_lora_rank, "1 or more with an indexer");
  check_size("model.attention.value_dim", attention.value_dim);
  check_size("model.attention.output_rank", attention.output_rank);
  check_size("model.attention.output_groups", attention.output_groups);
  check_size("model.attention.chosen_ratio", attention.chosen_ratio);
  check_size("model.attention.merged_ratio", attention.merged_ratio);
  check_part("model.attention.chosen_layers", attention.chosen_layers, attending, "0 to the layers with attention");
  check_part("model.attention.merged_layers", attention.merged_layers, attending - attention.chosen_layers,
             "0 to the layers with attention, less chosen_layers");
  if (attention.chosen_layers > 0) check_dimension("model.attention.chosen_ratio", attention.chosen_ratio);
  if (attention.chosen_layers > 0) check_dimension("model.attention.indexer.heads", indexer.heads);
  if (attention.merged_layers > 0) check_dimension("model.attention.merged_ratio", attention.merged_ratio);
  if (attention.local_layers > 0 && attention.window == 0) {
    fail(errc::missing_field, "model.attention.window", attention.window, "the window of the local layers, in tokens");
  }
}

constexpr void check_experts(const transformer& model) {
  const moe_spec& moe = model.moe;
  check_size("model.moe.experts", moe.experts);
  (has_experts(model) ? check_dimension : check_size)("model.moe.expert_d_ff", moe.expert_d_ff);
  check_size("model.moe.shared_d_ff", moe.shared_d_ff);
  check_size("model.moe.parallel_dense_d_ff", moe.parallel_dense_d_ff);
  check_size("model.moe.top_k", moe.top_k);
  check_part("model.moe.dense_layers", moe.dense_layers, model.layers, "0 to the number of layers");
  if (!has_experts(model)) {
    for (const std::int64_t part : {moe.top_k, moe.expert_d_ff, moe.shared_d_ff, moe.parallel_dense_d_ff}) {
      if (part != 0)
        fail(errc::missing_field, "model.moe.experts", moe.experts, "1 or more where moe has other fields");
    }
    return;
  }
  check_dimension("model.moe.top_k", moe.top_k);
  check_part("model.moe.top_k", moe.top_k, moe.experts, "1 to the number of experts");
}

/// Checks what models with and without text share: published counts, other weights, and the sizes of token tables.
constexpr void check_tables(const transformer& model) {
  check_tower(model.vision);
  check_part("model.published_parameters", model.published_parameters, most_parameters, "0 (counted) to 2^53");
  check_part("model.published_active_parameters", model.published_active_parameters, most_parameters,
             "0 (counted) to 2^53");
  check_size("model.classes", model.classes);
  check_size("model.encoder_layers", model.encoder_layers);
  check_size("model.token_types", model.token_types);
  for (const std::int64_t size : {model.encoder_positions, model.encoder_stem, model.prediction_layers})
    check_size("model.encoder_positions, encoder_stem or prediction_layers", size);
  check_size("model.mlp.activation_weights", model.mlp.activation_weights);
  check_size("model.extra_input_rows", model.extra_input_rows);
  check_size("model.embedding_width", model.embedding_width);
  if (model.layer_sets != 0)
    check_part("model.layer_sets", model.layer_sets,
               has_experts(model) || has_recurrence(model) || model.attention.local_layers > 0 ? 0 : model.layers,
               "0 (each its own), or to the number of layers where all are alike");
  check_part("model.other_products", model.other_products, most_parameters, "0 to 2^53");
  if (model.other_weights < -most_parameters || model.other_weights > most_parameters)
    fail(errc::out_of_range, "model.other_weights", model.other_weights, "-2^53 to 2^53");
  check_part("model.learned_positions", model.learned_positions, most_tokens, "0 to 2^40");
  check_part("model.max_positions", model.max_positions, most_tokens, "0 (not stated) to 2^40");
  check_part("model.norms_per_layer", model.norms_per_layer, 16, "0 to 16");
}

}  // namespace detail

/// Throws, naming the field, unless the shape is one that can be counted: every needed dimension given and positive,
/// every number in a range without overflow, KV heads dividing heads, parts not above their whole. At least
/// one layer attends to text with keys and values of its own. Every public function over a transformer calls it.
constexpr void validate(const transformer& model) {
  if (has_vision(model)) validate(model.vision);
  detail::check_tables(model);
  if (!has_text(model)) {
    if (!has_vision(model)) detail::fail(errc::missing_field, "model.vision.layers", model.vision.layers, "1 or more");
    return;
  }
  detail::check_dimension("model.layers", model.layers);
  detail::check_dimension("model.d_model", model.d_model);
  detail::check_dimension("model.vocab", model.vocab);
  if (model.kind == architecture::encoder_decoder)
    detail::check_dimension("model.encoder_layers", model.encoder_layers);
  detail::validate(model.recurrent, model.layers);
  detail::check_attention(model);
  detail::check_experts(model);
  detail::check_part("model.mlp.absent", model.mlp.absent, model.layers - moe_layers(model),
                     "0 to the layers without experts");
  const bool has_dense = dense_layers(model) > 0;
  (has_dense ? detail::check_dimension : detail::check_size)("model.mlp.d_ff", model.mlp.d_ff);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/model/parameters.hpp

#ifndef TPUPLAN_MODEL_PARAMETERS_HPP
#define TPUPLAN_MODEL_PARAMETERS_HPP

#include <cstdint>

/// @file
/// The exact number of parameters of a model, part by part.

namespace tpuplan {
inline namespace abi_0 {

/// Parameters by part; the parts add up to `total`.
struct parameter_count {
  std::int64_t embedding = 0;   ///< token table, learned positions, token types
  std::int64_t attention = 0;   ///< projections with biases, norms on queries and keys, sinks, relative tables
  std::int64_t recurrent = 0;   ///< recurrent layers, all but their MLPs
  std::int64_t mlp = 0;         ///< dense MLPs, shared experts included
  std::int64_t experts = 0;     ///< routed experts, all of them
  std::int64_t router = 0;      ///< of the mixture of experts
  std::int64_t norms = 0;       ///< of the layers, and the last one
  std::int64_t prediction = 0;  ///< modules that predict further tokens
  std::int64_t other = 0;       ///< `other_products` and `other_weights`
  std::int64_t lm_head = 0;     ///< the output head; only its bias where it is tied to the token table
  std::int64_t vision = 0;      ///< the vision tower
  std::int64_t projector = 0;   ///< from the vision tower to the text model
  std::int64_t head = 0;        ///< pooler, classifier, and what a masked-language head has before the token table
  std::int64_t total = 0;       ///< every weight once
  std::int64_t active = 0;      ///< weights that one token passes through: total less the experts it is not routed to
  std::int64_t matrices = 0;    ///< active weights in matrix products of one token: no input look-up, norms or biases
};

namespace detail {

/// Weights of the attention projections of one layer.
struct projection_weights {
  std::int64_t qkv = 0;     ///< in the matrices of queries, keys and values
  std::int64_t output = 0;  ///< in the output matrix
  std::int64_t extra = 0;   ///< biases, norms on queries and keys, sinks
};

constexpr projection_weights latent_projections(const transformer& model) {
  const latent_attention_spec& latent = model.attention.latent;
  const std::int64_t d = model.d_model;
  const std::int64_t heads = model.attention.heads;
  const std::int64_t qk = latent.qk_nope_head_dim + latent.qk_rope_head_dim;
  const std::int64_t queries = latent.q_lora_rank > 0 ? checked_add(checked_multiply(d, latent.q_lora_rank),
                                                                    checked_multiply(latent.q_lora_rank, heads, qk))
                                                      : checked_multiply(d, heads, qk);
  const std::int64_t keys =
      checked_add(checked_multiply(d, latent.kv_lora_rank + latent.qk_rope_head_dim),
                  checked_multiply(latent.kv_lora_rank, heads, latent.qk_nope_head_dim + latent.v_head_dim));
  return {checked_add(queries, keys), checked_multiply(heads, latent.v_head_dim, d),
          latent.q_lora_rank + latent.kv_lora_rank};
}

/// Weights of one indexer: a matrix from the low-rank queries to its own, one key with a norm and its bias, and one
/// matrix to a weight for each head.
constexpr projection_weights indexer_projections(const transformer& model) {
  const indexer_spec& indexer = model.attention.indexer;
  return {checked_add(checked_multiply(model.attention.latent.q_lora_rank, indexer.heads, indexer.head_dim),
                      checked_multiply(model.d_model, indexer.head_dim + indexer.heads)),
          0, 2 * indexer.head_dim};
}

/// Weights of one layer with the given head size and KV heads. `kv_matrices` is 2; 1 where keys and values share one
/// matrix; 0 where they come from another layer.
constexpr projection_weights head_projections(const transformer& model, std::int64_t head_dim, std::int64_t kv_heads,
                                              std::int64_t kv_matrices) {
  const attention_spec& attention = model.attention;
  const std::int64_t d = model.d_model, rank = attention.latent.q_lora_rank;
  const std::int64_t value_dim = attention.value_dim > 0 ? attention.value_dim : head_dim;
  const std::int64_t kv_width = attention.single_kv && kv_matrices == 2 ? head_dim
                                : kv_matrices == 2                      ? head_dim + value_dim
                                                                        : kv_matrices * head_dim;
  const std::int64_t q = checked_multiply(head_dim, attention.heads), kv = checked_multiply(kv_width, kv_heads);
  const std::int64_t without = attention.key_bias || kv_matrices == 0 ? 0 : head_dim * kv_heads;
  std::int64_t extra = (attention.qkv_bias ? q + kv - without : 0) + (attention.output_bias ? d : 0) +
                       (attention.sinks ? attention.heads : 0) + rank;
  if (attention.wide_qk_norm) {
    extra += head_dim * (attention.heads + (kv_matrices > 0 ? kv_heads : 0));
  } else if (attention.qk_norm) {
    extra += (kv_matrices > 0 ? 2 : 1) * head_dim;
  }
  const std::int64_t gate = attention.output_gate ? q : 0;
  const std::int64_t queries = rank > 0 ? checked_multiply(rank, d + q) : checked_multiply(d, q);
  const std::int64_t values = checked_multiply(attention.heads, value_dim);
  const std::int64_t output = attention.output_rank > 0
                                  ? checked_multiply(attention.output_rank, values + attention.output_groups * d)
                                  : checked_multiply(values, d);
  return {checked_add(queries, checked_multiply(d, kv + gate)), output, extra};
}

/// Self-attention weights of all layers of the decoder (or of the only stack).
constexpr projection_weights stack_projections(const transformer& model) {
  const attention_spec& attention = model.attention;
  const auto times = [](projection_weights one, std::int64_t layers) {
    return projection_weights{checked_multiply(one.qkv, layers), checked_multiply(one.output, layers),
                              checked_multiply(one.extra, layers)};
  };
  const auto plus = [](projection_weights x, projection_weights y) {
    return projection_weights{checked_add(x.qkv, y.qkv), checked_add(x.output, y.output),
                              checked_add(x.extra, y.extra)};
  };
  if (has_latent_attention(model)) {
    return plus(times(latent_projections(model), attention_layers(model)),
                times(indexer_projections(model), indexer_layers(model)));
  }
  const std::int64_t size = attention.global_head_dim > 0 ? attention.global_head_dim : attention.head_dim;
  const std::int64_t kv_heads = attention.global_kv_heads > 0 ? attention.global_kv_heads : attention.kv_heads;
  const auto usual = [&](std::int64_t kv_matrices, std::int64_t layers) {
    return times(head_projections(model, attention.head_dim, attention.kv_heads, kv_matrices), layers);
  };
  const auto global = [&](std::int64_t kv_matrices, std::int64_t layers) {
    return times(head_projections(model, size, kv_heads, kv_matrices), layers);
  };
  const std::int64_t local_reading = local_shared_layers(model);
  const std::int64_t global_layers = attention_layers(model) - attention.local_layers;
  const std::int64_t global_reading = attention.kv_shared_layers - local_reading;
  return plus(
      plus(usual(2, attention.local_layers - local_reading), usual(0, local_reading)),
      plus(global(attention.global_kv_shared ? 1 : 2, global_layers - global_reading), global(0, global_reading)));
}

/// Weights of all recurrent layers.
constexpr projection_weights recurrent_projections(const transformer& model) {
  const recurrent_spec& r = model.recurrent;
  const std::int64_t d = model.d_model;
  if (r.layers == 0) return {};
  const recurrent_widths one = widths_in(r, d);
  const std::int64_t extra =
      one.channels * (r.kernel + (r.convolution_bias ? 1 : 0)) + one.vectors + (r.projection_bias ? one.in + d : 0);
  return {checked_multiply(checked_add(checked_multiply(d, one.in), one.inside), r.layers),
          checked_multiply(r.width * d, r.layers), checked_multiply(extra, r.layers)};
}

/// Weights of an MLP of that width, in its matrices and in its biases.
constexpr std::int64_t mlp_matrices(const transformer& model, std::int64_t d_ff) {
  return checked_multiply(model.mlp.gated ? 3 : 2, model.d_model, d_ff);
}
constexpr std::int64_t mlp_biases(const transformer& model, std::int64_t d_ff, bool bias) {
  return bias ? (model.mlp.gated ? 2 : 1) * d_ff + model.d_model : 0;
}

/// Dense MLP matrices of all layers: dense layers, shared experts, and dense MLPs beside experts.
constexpr std::int64_t dense_mlp_matrices(const transformer& model) {
  const std::int64_t experts = moe_layers(model);
  std::int64_t width = checked_multiply(dense_layers(model), model.mlp.d_ff);
  if (model.mlp.double_wide_in_shared) width += checked_multiply(model.attention.kv_shared_layers, model.mlp.d_ff);
  width = checked_add(width, checked_multiply(experts, model.moe.shared_d_ff + model.moe.parallel_dense_d_ff));
  return mlp_matrices(model, width);
}

/// A stack of encoder layers with the sizes of the decoder, or one set of cross-attention projections.
constexpr void count_encoder(const transformer& model, parameter_count& count, std::int64_t norm) {
  const projection_weights one = head_projections(model, model.attention.head_dim, model.attention.kv_heads, 2);
  const std::int64_t attention = checked_add(one.qkv, one.output);
  const std::int64_t attention_layers =
      checked_add(model.encoder_layers, model.layers);  // encoder, and cross in the decoder
  count.attention = checked_add(count.attention, checked_multiply(attention + one.extra, attention_layers));
  count.matrices = checked_add(count.matrices, checked_multiply(attention, attention_layers));
  const std::int64_t mlp = checked_multiply(mlp_matrices(model, model.mlp.d_ff), model.encoder_layers);
  count.mlp = checked_add(count.mlp,
                          checked_add(mlp, mlp_biases(model, model.mlp.d_ff, model.mlp.bias) * model.encoder_layers));
  count.matrices = checked_add(count.matrices, mlp);
  const std::int64_t ends = (model.embedding_norm ? 1 : 0) + (model.final_norm ? 1 : 0);
  count.norms += checked_multiply(norm, 2 * model.encoder_layers + model.layers + ends);  // one more per decoder layer
  count.embedding = checked_add(
      count.embedding, checked_add(checked_multiply(model.d_model, model.encoder_positions), model.encoder_stem));
}

/// Weights of the matrix from a narrow token table to the width of the model, without its bias.
constexpr std::int64_t table_matrix(const transformer& model) {
  return model.embedding_width > 0 ? checked_multiply(model.embedding_width, model.d_model) : 0;
}

/// Weights in the matrix products that follow the last layer.
constexpr std::int64_t logit_matrices(const transformer& model) {
  const bool head = model.output_head && model.kind != architecture::encoder;
  if (!head && !model.head_transform) return 0;
  return checked_multiply(table_width(model), model.vocab + (model.head_transform ? model.d_model : 0));
}

constexpr void count_text(const transformer& model, parameter_count& count) {
  const std::int64_t d = model.d_model, w = table_width(model);
  const std::int64_t norm = d * (model.norm_bias ? 2 : 1), table_norm = w * (model.norm_bias ? 2 : 1);
  count.embedding = checked_multiply(w, checked_add(checked_add(model.vocab, model.extra_input_rows),
                                                    checked_add(model.learned_positions, model.token_types)));
  if (model.embedding_width > 0) count.embedding = checked_add(count.embedding, table_matrix(model) + d);
  count.other = checked_add(model.other_products, model.other_weights);
  const bool head = model.output_head && model.kind != architecture::encoder;
  count.lm_head = model.tied_embeddings || !head ? 0 : checked_multiply(w, model.vocab);
  if (model.head_bias) count.lm_head += model.vocab;
  const projection_weights attention = stack_projections(model);
  const std::int64_t stacks = model.kind == architecture::encoder_decoder ? 2 : 1;
  count.attention = checked_add(checked_add(attention.qkv, attention.output), attention.extra);
  count.attention += stacks * model.attention.relative_buckets * model.attention.heads;
  const projection_weights recurrent = recurrent_projections(model);
  count.recurrent = checked_add(checked_add(recurrent.qkv, recurrent.output), recurrent.extra);
  const std::int64_t dense = dense_mlp_matrices(model);
  count.mlp = checked_add(dense, dense_layers(model) * mlp_biases(model, model.mlp.d_ff, model.mlp.bias) +
                                     model.layers * model.mlp.activation_weights);
  if (has_experts(model)) {
    const std::int64_t expert = checked_add(mlp_matrices(model, model.moe.expert_d_ff),
                                            mlp_biases(model, model.moe.expert_d_ff, model.moe.expert_bias));
    count.experts = checked_multiply(expert, model.moe.experts, moe_layers(model));
    count.router = checked_multiply(
        moe_layers(model), checked_multiply(d, router_width(model)) + (model.moe.router_bias ? model.moe.experts : 0));
  }
  count.norms = checked_add(
      checked_multiply(norm, checked_multiply(model.norms_per_layer, model.layers) + (model.final_norm ? 1 : 0)),
      model.embedding_norm ? table_norm : 0);
  const std::int64_t routed =
      checked_multiply(mlp_matrices(model, model.moe.expert_d_ff), model.moe.top_k, moe_layers(model));
  const std::int64_t routers = checked_multiply(d, router_width(model), moe_layers(model));
  count.matrices = checked_add(
      checked_add(checked_add(attention.qkv, attention.output), checked_add(recurrent.qkv, recurrent.output)),
      checked_add(dense, checked_add(routed, routers)));
  count.matrices = checked_add(checked_add(count.matrices, logit_matrices(model)),
                               checked_add(table_matrix(model), model.other_products));
  if (model.kind == architecture::encoder_decoder) count_encoder(model, count, norm);
  // Layers that attend to an image: norms on queries and keys, and two gates, beside the usual projections.
  count.attention += model.attention.cross_layers * (2 * model.attention.head_dim + 2);
  if (model.head_transform) count.head = checked_multiply(d, w) + w + table_norm;
  if (model.prediction_layers == 0) return;
  // A module that predicts one more token is a layer like the last one, a matrix that joins the state of a token with
  // the next embedding, and three norms (DeepSeek-AI 2024, arXiv 2412.19437, section 2.2).
  transformer last = model;
  last.layers = 1;
  last.prediction_layers = last.moe.dense_layers = last.attention.local_layers = last.mlp.absent = 0;
  last.recurrent = {};
  last.other_products = last.other_weights = last.attention.indexer.layers = 0;
  parameter_count one;
  count_text(last, one);
  const std::int64_t layer = checked_add(checked_add(one.attention, one.mlp), checked_add(one.experts, one.router));
  count.prediction = checked_multiply(model.prediction_layers, layer + 2 * d * d + norm * (model.norms_per_layer + 3));
}

/// A published count, used instead of the count of the shape. Refuses one that is ten times as large or as small, as
/// it has another unit (8 for 8 billion) or belongs to another model.
constexpr std::int64_t published(std::string_view field, std::int64_t given, std::int64_t counted) {
  const double ratio = static_cast<double>(given) / static_cast<double>(counted);
  if (ratio > 0.1 && ratio < 10) return given;
  text<96> valid{"within a factor of ten of the "};
  valid.append(counted).append(" that the shape counts");
  fail(errc::out_of_range, field, given, valid.view());
}

}  // namespace detail

/// The parameters of a model, by part, exact for the shapes that `transformer` can describe. Where
/// `published_parameters` is set, `total` is that figure and the parts are those of the shape; a figure not within a
/// factor of ten of the shape's count is refused. Worked: llama-3-8b has 8030261248, of which 525336576
/// in each of token table and output head.
[[nodiscard]] constexpr parameter_count parameters(const transformer& model) {
  validate(model);
  parameter_count count;
  if (has_text(model)) detail::count_text(model, count);
  if (model.layer_sets > 0) {
    transformer distinct = model;
    distinct.layers = model.layer_sets;
    const std::int64_t in_products = count.matrices;
    detail::count_text(distinct, count);
    count.matrices = in_products;
  }
  if (has_vision(model)) {
    count.vision = vision_parameters(model.vision);
    count.projector = projector_parameters(model.vision);
  }
  const std::int64_t pooled = has_text(model) ? model.d_model : model.vision.d_model;
  if (model.pooler) count.head += checked_multiply(pooled, pooled) + pooled;
  const std::int64_t classified = has_vision(model) ? model.vision.d_model : model.d_model;
  if (model.classes > 0) count.head += checked_multiply(classified + 1, model.classes);
  for (const std::int64_t part :
       {count.embedding, count.attention, count.recurrent, count.mlp, count.experts, count.router, count.norms,
        count.prediction, count.other, count.lm_head, count.vision, count.projector, count.head}) {
    count.total = checked_add(count.total, part);
  }
  if (count.total <= 0)
    detail::fail(errc::out_of_range, "model.other_weights", model.other_weights, "more than the other parts take away");
  count.active = count.total;
  if (has_experts(model)) count.active -= count.experts / model.moe.experts * (model.moe.experts - model.moe.top_k);
  if (model.published_parameters > 0)
    count.total = detail::published("model.published_parameters", model.published_parameters, count.total);
  if (model.published_active_parameters > 0)
    count.matrices =
        detail::published("model.published_active_parameters", model.published_active_parameters, count.matrices);
  return count;
}

/// Which linear layers carry LoRA adapters.
struct lora_targets {
  /// @{
  /// The linear layers of attention and MLP, by their usual names.
  bool q = false, k = false, v = false, o = false, gate = false, up = false, down = false;
  /// @}
};

/// Trainable parameters of LoRA adapters of that rank: rank x (inputs + outputs) per adapted matrix and layer.
/// Worked: rank 8 on q and v of llama-2-7b is 4194304. Source: PEFT print_trainable_parameters.
[[nodiscard]] constexpr std::int64_t lora_parameters(const transformer& model, std::int64_t rank,
                                                     const lora_targets& on) {
  validate(model);
  detail::positive_count("rank", rank);
  if (has_experts(model) || has_latent_attention(model) || has_recurrence(model)) {
    detail::fail(errc::unsupported, "LoRA on experts, latent attention or recurrences", "asked for", "a dense model");
  }
  const std::int64_t d = model.d_model;
  const std::int64_t q = model.attention.heads * model.attention.head_dim;
  const std::int64_t kv = model.attention.kv_heads * model.attention.head_dim;
  std::int64_t widths = 0;
  if (on.q) widths += d + q;
  if (on.k) widths += d + kv;
  if (on.v) widths += d + kv;
  if (on.o) widths += q + d;
  if (on.gate && model.mlp.gated) widths += d + model.mlp.d_ff;
  if (on.up) widths += d + model.mlp.d_ff;
  if (on.down) widths += d + model.mlp.d_ff;
  return checked_multiply(rank, widths, model.layers);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/model/flops.hpp

#ifndef TPUPLAN_MODEL_FLOPS_HPP
#define TPUPLAN_MODEL_FLOPS_HPP

#include <cstdint>

/// @file
/// FLOPs of a model, two per multiply-add. Publications count model FLOPs by different conventions, so the convention
/// is an argument here.

namespace tpuplan {
inline namespace abi_0 {

/// How the attention core (scores and their sum over values) is counted.
enum class attention_flops : std::uint8_t {
  none,         ///< not at all, as in 6N
  full,         ///< every query against the whole sequence
  causal_half,  ///< half of that in causal models: MaxText, Megatron-LM, the scaling book's useful half
};

/// How a sliding window of W tokens in a sequence of T is counted, where W is below T.
enum class window_flops : std::uint8_t {
  smooth,   ///< (T W - W^2/2) / T keys for each query: MaxText
  clipped,  ///< min(W, T/2) keys: as the estimates count, within 1 % of smooth for W far below T
  half,     ///< W/2 keys, as some MaxText versions print local layers
};

/// What is counted. The default is MaxText's: the matrix products of one token with active experts, router and output
/// head, without the input look-up, and half of causal attention.
struct flop_convention {
  attention_flops attention = attention_flops::causal_half;  ///< how attention is counted
  window_flops window = window_flops::smooth;                ///< how sliding windows are counted
  bool router = true;                                        ///< the router of a mixture of experts counts
  bool all_parameters = false;  ///< two FLOPs per parameter of the model (6N), not per weight in a product
  bool latent_norms = false;    ///< a multiply-add per weight of the norms inside latent attention
};

/// MaxText's count, the default.
inline constexpr flop_convention maxtext_flops{};
/// Megatron-LM's count: MaxText's without the router, and with the norms inside latent attention.
inline constexpr flop_convention megatron_flops{attention_flops::causal_half, window_flops::smooth, false, false, true};
/// The 6 N rule: six FLOPs per parameter and token of training, two of a forward pass, for all N parameters; attention
/// does not count.
inline constexpr flop_convention six_n_flops{attention_flops::none, window_flops::smooth, true, true};

/// Forward FLOPs of one token, by part; the parts add up to `total`. With `all_parameters` everything but attention is
/// in `weights`, and the other parts are 0.
struct forward_flops {
  flops qkv{};               ///< projections of queries, keys, values and into recurrences; other products
  flops attention_output{};  ///< the output projection of attention or a recurrence
  flops attention{};         ///< scores and their sum over values; recurrences and indexers
  flops mlp_up{};            ///< dense: gate and up
  flops mlp_down{};          ///< dense
  flops experts_up{};        ///< active experts: gate and up
  flops experts_down{};      ///< active experts
  flops router{};            ///< of the mixture of experts
  flops logits{};            ///< the output head
  flops weights{};           ///< only with all_parameters
  flops total{};             ///< of all parts
};

namespace detail {

/// Keys that a query sees on average in a layer with that window (0: none).
constexpr double average_context(const transformer& model, double sequence, double window, const flop_convention& how) {
  const bool halved = how.attention == attention_flops::causal_half && model.kind == architecture::decoder;
  const double whole = halved ? sequence / 2 : sequence;
  if (window <= 0 || window >= sequence) return whole;
  switch (how.window) {
    case window_flops::smooth: return halved ? window - window * window / (2 * sequence) : window;
    case window_flops::half: return window / 2;
    case window_flops::clipped: break;
  }
  return window < whole ? window : whole;
}

/// Multiply-adds of the attention core for one token of one layer: heads x context x (key size + value size).
constexpr double attention_macs(const transformer& model, double context, double head_dim) {
  const latent_attention_spec& latent = model.attention.latent;
  const auto heads = static_cast<double>(model.attention.heads);
  const auto values = model.attention.value_dim > 0 ? static_cast<double>(model.attention.value_dim) : head_dim;
  if (!has_latent_attention(model)) return heads * context * (head_dim + values);
  return heads * context * static_cast<double>(latent.qk_nope_head_dim + latent.qk_rope_head_dim + latent.v_head_dim);
}

/// The head size of layers that attend to the whole context.
constexpr double global_head_dim(const transformer& model) noexcept {
  return static_cast<double>(model.attention.global_head_dim > 0 ? model.attention.global_head_dim
                                                                 : model.attention.head_dim);
}

/// Keys that a query sees on average where an indexer chooses them; the average context where there is no indexer, or
/// where it chooses among keys that stand for several tokens.
constexpr double chosen_keys(const transformer& model, double sequence, const flop_convention& how) {
  if (model.attention.chosen_layers > 0) return average_context(model, sequence, 0, how);
  return average_context(model, sequence, static_cast<double>(model.attention.indexer.top_k), how);
}

/// FLOPs of the recurrences and indexers of all layers for one token. An indexer scores all keys, provided there are
/// more than it chooses.
constexpr flops beside_scores(const transformer& model, double sequence, double keys) {
  flops sum{0};
  const attention_spec& attention = model.attention;
  const indexer_spec& indexer = attention.indexer;
  const bool few = attention.chosen_layers > 0;
  const double ratio = few ? static_cast<double>(attention.chosen_ratio) : 1;
  const auto choosing = static_cast<double>(few ? attention.chosen_layers : indexer_layers(model));
  if (sequence > ratio * static_cast<double>(indexer.top_k))
    sum +=
        flops{2 * keys / ratio * choosing * static_cast<double>(checked_multiply(indexer.heads, indexer.head_dim + 1))};
  const auto head_dim = static_cast<double>(attention.head_dim);
  if (few) {
    const double most = static_cast<double>(indexer.top_k), seen = keys / ratio < most ? keys / ratio : most;
    sum += flops{2 * choosing * attention_macs(model, seen, head_dim)};
  }
  if (attention.merged_layers > 0)
    sum += flops{2 * static_cast<double>(attention.merged_layers) *
                 attention_macs(model, keys / static_cast<double>(attention.merged_ratio), head_dim)};
  if (has_recurrence(model))
    sum += static_cast<double>(model.recurrent.layers) * core_flops(model.recurrent, model.d_model);
  return sum;
}

constexpr flops attention_core(const transformer& model, double sequence, const flop_convention& how) {
  if (how.attention == attention_flops::none) return flops{0};
  const double local = average_context(model, sequence, static_cast<double>(model.attention.window), how);
  const double all = average_context(model, sequence, 0, how);
  const auto local_layers = static_cast<double>(model.attention.local_layers);
  const double global_layers = static_cast<double>(attention_layers(model)) - local_layers;
  const double chosen = chosen_keys(model, sequence, how);
  const double macs = local_layers * attention_macs(model, local, static_cast<double>(model.attention.head_dim)) +
                      global_layers * attention_macs(model, chosen < all ? chosen : all, global_head_dim(model));
  return flops{2 * macs} + beside_scores(model, sequence, all);
}

constexpr void check_flops_of(const transformer& model, std::int64_t sequence) {
  validate(model);
  positive_count("sequence_length", sequence);
  if (sequence > (std::int64_t{1} << 40)) fail(errc::out_of_range, "sequence_length", sequence, "1 to 2^40 tokens");
  if (model.kind == architecture::encoder_decoder || model.kind == architecture::vision) {
    fail(errc::unsupported, "FLOPs per token of an architecture", name(model.kind),
         "decoder or encoder (vision_flops_per_image answers for a tower)");
  }
}

}  // namespace detail

/// Forward FLOPs per token of a text model at a sequence length, under a convention. Throws for encoder-decoder models,
/// whose two sequences differ, and for pure vision models.
/// Worked: llama-3-8b at 4096 tokens, MaxText's convention: 197.62862515814402e12 / (3 x 4096) FLOP.
[[nodiscard]] constexpr forward_flops forward_flops_per_token(const transformer& model, std::int64_t sequence_length,
                                                              const flop_convention& how = maxtext_flops) {
  detail::check_flops_of(model, sequence_length);
  const auto two_per = [](std::int64_t weights) { return flops{2 * static_cast<double>(weights)}; };
  forward_flops result;
  result.attention = detail::attention_core(model, static_cast<double>(sequence_length), how);
  if (how.all_parameters) {
    result.weights = two_per(parameters(model).total);
    result.total = result.attention + result.weights;
    return result;
  }
  const detail::projection_weights projections = detail::stack_projections(model);
  const double up_share = model.mlp.gated ? 2.0 / 3 : 0.5;
  const std::int64_t dense = detail::dense_mlp_matrices(model);
  const std::int64_t routed =
      checked_multiply(detail::mlp_matrices(model, model.moe.expert_d_ff), model.moe.top_k, moe_layers(model));
  const std::int64_t latent_norms = how.latent_norms && has_latent_attention(model) ? projections.extra : 0;
  const detail::projection_weights recurrent = detail::recurrent_projections(model);
  const std::int64_t beside = checked_add(detail::table_matrix(model), model.other_products);
  result.qkv = two_per(checked_add(checked_add(projections.qkv, recurrent.qkv), checked_add(latent_norms, beside)));
  result.attention_output = two_per(checked_add(projections.output, recurrent.output));
  result.mlp_up = two_per(dense) * up_share;
  result.mlp_down = two_per(dense) * (1 - up_share);
  result.experts_up = two_per(routed) * up_share;
  result.experts_down = two_per(routed) * (1 - up_share);
  if (how.router) result.router = two_per(checked_multiply(model.d_model, router_width(model), moe_layers(model)));
  if (model.output_head)
    result.logits =
        two_per(checked_multiply(table_width(model), model.vocab + (model.head_transform ? model.d_model : 0)));
  result.total = result.qkv + result.attention_output + result.attention + result.mlp_up + result.mlp_down +
                 result.experts_up + result.experts_down + result.router + result.logits;
  return result;
}

/// Training FLOPs per token: forward, and twice that backward. Recomputation is not model work and is left out.
/// Worked: 6 N = 6 x 8030261248 for llama-3-8b under `six_n_flops`.
[[nodiscard]] constexpr flops training_flops_per_token(const transformer& model, std::int64_t sequence_length,
                                                       const flop_convention& how = maxtext_flops) {
  return 3 * forward_flops_per_token(model, sequence_length, how).total;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/model/remat.hpp

#ifndef TPUPLAN_MODEL_REMAT_HPP
#define TPUPLAN_MODEL_REMAT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// Rematerialisation: which tensors of a layer are kept between the forward and the backward pass, which are moved to
/// host memory, and which are computed again.

namespace tpuplan {
inline namespace abi_0 {

/// Where a tensor of the forward pass waits for the backward pass.
enum class placement : std::uint8_t {
  recompute,  ///< not kept: computed again
  device,     ///< kept in HBM
  host,       ///< moved to host memory and brought back
};

/// What is saved of each layer between forward and backward pass. Tensors are named as in MaxText's custom policy.
struct remat_policy {
  placement layer_input = placement::device;     ///< decoder_layer_input
  placement qkv = placement::recompute;          ///< query_proj, key_proj, value_proj
  placement context = placement::recompute;      ///< output of the attention kernel
  placement out_proj = placement::recompute;     ///< out_proj
  placement mlp_up = placement::recompute;       ///< mlpwi, mlpwi_0, mlpwi_1
  placement mlp_down = placement::recompute;     ///< mlpwo
  placement elementwise = placement::recompute;  ///< norms, activation functions, everything else
  bool attention_again = true;                   ///< the backward pass runs the attention kernel's forward pass again
};

/// @{
/// Whether two policies save the same.
[[nodiscard]] constexpr bool operator==(const remat_policy& a, const remat_policy& b) noexcept {
  return a.layer_input == b.layer_input && a.qkv == b.qkv && a.context == b.context && a.out_proj == b.out_proj &&
         a.mlp_up == b.mlp_up && a.mlp_down == b.mlp_down && a.elementwise == b.elementwise &&
         a.attention_again == b.attention_again;
}
[[nodiscard]] constexpr bool operator!=(const remat_policy& a, const remat_policy& b) noexcept { return !(a == b); }
/// @}

namespace detail {
/// A policy written as one letter per tensor, in the order of the fields: D on the device, H on the host, . computed
/// again. The eighth letter is . where the attention kernel runs again, D where its output is kept.
constexpr remat_policy policy(const char (&tensors)[9]) noexcept {
  const auto where = [&tensors](std::size_t i) {
    return tensors[i] == 'D' ? placement::device : tensors[i] == 'H' ? placement::host : placement::recompute;
  };
  return {where(0), where(1), where(2), where(3), where(4), where(5), where(6), tensors[7] == '.'};
}
}  // namespace detail

/// Policies by MaxText's names. The letters stand for layer input, qkv, context, output projection, MLP up, MLP down,
/// elementwise and attention kernel.
namespace remat {
/// Only the input of a layer is kept; all else is computed again.
inline constexpr remat_policy full{};
/// Everything is kept; no tensor is computed again.
inline constexpr remat_policy none = detail::policy("DDDDDDDD");
/// Every matrix product is kept; the attention kernel and elementwise work run again.
inline constexpr remat_policy minimal = detail::policy("DDDDDD..");
/// Every matrix product and the output of the attention kernel are kept; elementwise work runs again.
inline constexpr remat_policy minimal_with_context = detail::policy("DDDDDD.D");
/// Every matrix product is kept in host memory, the layer's input on the device.
inline constexpr remat_policy minimal_offloaded = detail::policy("DHHHHH..");
/// Every matrix product but those into the MLP is kept.
inline constexpr remat_policy save_dot_except_mlpwi = detail::policy("DDDD.D..");
/// Only the matrix products of attention are kept.
inline constexpr remat_policy save_dot_except_mlp = detail::policy("DDDD....");
/// The matrix products of attention and the output of its kernel are kept.
inline constexpr remat_policy save_dot_with_context_except_mlp = detail::policy("DDDD...D");
/// Queries, keys and values are kept.
inline constexpr remat_policy save_qkv_proj = detail::policy("DD......");
/// Queries, keys and values are kept in host memory.
inline constexpr remat_policy qkv_proj_offloaded = detail::policy("DH......");
/// The result of the output projection is kept.
inline constexpr remat_policy save_out_proj = detail::policy("D..D....");
/// The output of the attention kernel is kept, so that the kernel does not run again.
inline constexpr remat_policy save_context = detail::policy("D.D....D");
}  // namespace remat

/// A policy and its name.
struct named_remat_policy {
  text<40> name{};         ///< as `parse_remat_policy` reads it
  remat_policy policy;     ///< what it saves
  bool in_maxtext = true;  ///< false: in MaxText it is written as "custom", tensor by tensor
};

/// All named policies, the one that recomputes most first. axlearn's default is save_dot_with_context_except_mlp.
inline constexpr std::array<named_remat_policy, 12> remat_policies = {{
    {"full", remat::full},
    {"save_context", remat::save_context, false},
    {"save_qkv_proj", remat::save_qkv_proj},
    {"qkv_proj_offloaded", remat::qkv_proj_offloaded},
    {"save_out_proj", remat::save_out_proj},
    {"save_dot_except_mlp", remat::save_dot_except_mlp},
    {"save_dot_with_context_except_mlp", remat::save_dot_with_context_except_mlp},
    {"save_dot_except_mlpwi", remat::save_dot_except_mlpwi},
    {"minimal", remat::minimal},
    {"minimal_with_context", remat::minimal_with_context},
    {"minimal_offloaded", remat::minimal_offloaded},
    {"none", remat::none},
}};

/// The name of a policy, "custom" where it has none.
[[nodiscard]] constexpr std::string_view name(const remat_policy& policy) noexcept {
  for (const named_remat_policy& candidate : remat_policies) {
    if (candidate.policy == policy) return candidate.name;
  }
  return "custom";
}

/// The policy of that name; nothing if there is none. Worked: "FULL" is `remat::full`.
[[nodiscard]] constexpr maybe<remat_policy> parse_remat_policy(std::string_view given) noexcept {
  for (const named_remat_policy& candidate : remat_policies) {
    if (detail::same_name(given, candidate.name)) return candidate.policy;
  }
  return nothing;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/model/weight_bits.hpp

#ifndef TPUPLAN_MODEL_WEIGHT_BITS_HPP
#define TPUPLAN_MODEL_WEIGHT_BITS_HPP

/// @file
/// Models whose parts are stored in different formats, as in quantised checkpoints.

namespace tpuplan {
inline namespace abi_0 {

/// Stored bits per parameter of each part, with its share of the scales and zero points of its block; 0 where the part
/// has the format of the whole model. Embeddings, output head, norms, router and vision tower always have the latter.
struct weight_bits {
  double attention = 0;  ///< also recurrent layers
  double mlp = 0;        ///< dense MLPs and shared experts
  double experts = 0;    ///< routed experts
};

/// Whether any part has a format other than that of the whole model. Worked: yes for MLPs in 4 bits beside a model in
/// bf16.
[[nodiscard]] constexpr bool any_part(const weight_bits& parts) noexcept {
  return parts.attention > 0 || parts.mlp > 0 || parts.experts > 0;
}

/// Throws, naming the field, unless every width is 0 or 1 to 64 bits.
constexpr void validate(const weight_bits& parts) {
  for (const double each : {parts.attention, parts.mlp, parts.experts})
    if (each != 0) detail::in_range("weight_bits", each, 1, 64, "0 (as the whole model), or 1 to 64 bits");
}

/// Bytes of one parameter of a part with that many bits; 0 bits stand for the usual format. Worked: 4.5 bits are 0.5625
/// B, 0 bits in a model of fp8 are 1 B.
[[nodiscard]] constexpr bytes part_size(double part_bits, dtype usual) {
  return part_bits > 0 ? bytes{part_bits / 8} : size_of(usual);
}

/// Bytes of one copy of all weights as they are stored. Worked: gpt-oss-20b with experts in MXFP4 (4.25 bits) and the
/// rest in bf16 takes 13.76 GB, of which 10.15 GB are experts.
[[nodiscard]] constexpr bytes stored_bytes(const parameter_count& count, dtype usual, const weight_bits& parts = {}) {
  validate(parts);
  const auto more = [&](double part_bits, std::int64_t weights) {
    return (part_size(part_bits, usual) - size_of(usual)) * static_cast<double>(weights);
  };
  return size_of(usual) * static_cast<double>(count.total) + more(parts.attention, count.attention + count.recurrent) +
         more(parts.mlp, count.mlp) + more(parts.experts, count.experts);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/model/training_job.hpp

#ifndef TPUPLAN_MODEL_TRAINING_JOB_HPP
#define TPUPLAN_MODEL_TRAINING_JOB_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// A training job: its batch, sequence length, precision, optimizer and rematerialisation.

namespace tpuplan {
inline namespace abi_0 {

/// The optimizer, which decides what is kept per parameter.
enum class optimizer_kind : std::uint8_t {
  adamw,         ///< two moments
  adafactor,     ///< factored second moment: about half a byte per parameter
  lion,          ///< one moment
  sgd_momentum,  ///< one moment
  lars,          ///< one moment, its rate scaled layer by layer (You et al. 2017, arXiv 1708.03888)
  lamb,          ///< two moments, scaled like that (You et al. 2019, arXiv 1904.00962)
  sgd,           ///< no moment
};

/// "adamw" and so on.
[[nodiscard]] constexpr std::string_view name(optimizer_kind kind) noexcept {
  constexpr const char* names[] = {"adamw", "adafactor", "lion", "sgd_momentum", "lars", "lamb", "sgd"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// The optimizer of that name; nothing if there is none. Worked: "AdamW" is `adamw`, which keeps 8 B per parameter in
/// fp32.
[[nodiscard]] constexpr maybe<optimizer_kind> parse_optimizer(std::string_view given) noexcept {
  return detail::enumerator_named<optimizer_kind>(given, 7);
}

/// Bytes of optimizer state for each parameter, with moments in that format. Adafactor's rows and columns are counted
/// as half a byte whatever the format. Worked: 8 B for AdamW with fp32 moments.
[[nodiscard]] constexpr bytes optimizer_bytes_per_parameter(optimizer_kind kind, dtype moments = dtype::fp32) noexcept {
  switch (kind) {
    case optimizer_kind::adamw:
    case optimizer_kind::lamb: return 2 * size_of(moments);
    case optimizer_kind::adafactor: return bytes{0.5};
    case optimizer_kind::sgd: return bytes{0};
    case optimizer_kind::lion:
    case optimizer_kind::sgd_momentum:
    case optimizer_kind::lars: break;
  }
  return size_of(moments);
}

/// What training keeps of the parameters between steps: weights + optimizer = total.
struct training_state {
  bytes weights{};    ///< the master copy
  bytes optimizer{};  ///< its moments
  bytes total{};      ///< of both
};

/// The training state of that many parameters over all devices, when no device holds a copy of another's part.
/// Worked: 70e9 parameters in bf16 with fp32 moments of AdamW take 140 + 560 GB: 10 B each. Source: scaling book,
/// "Training".
[[nodiscard]] constexpr training_state training_state_of(std::int64_t parameter_total, dtype weights = dtype::bf16,
                                                         optimizer_kind optimizer = optimizer_kind::adamw,
                                                         dtype moments = dtype::fp32) {
  const auto count = static_cast<double>(detail::positive_count("parameters", parameter_total));
  const bytes kept = size_of(weights) * count;
  const bytes for_updates = optimizer_bytes_per_parameter(optimizer, moments) * count;
  return {kept, for_updates, kept + for_updates};
}

/// How well the program is tuned to the machine.
enum class software_level : std::uint8_t {
  tuned,       ///< a recipe tuned for this model and slice: MaxText, MLPerf, vendor recipes
  general,     ///< a general framework without tuning: axlearn, Levanter, torch-XLA, EasyDeL
  first_port,  ///< a program that runs for the first time on this kind of slice: nothing is tuned to it
};

/// "tuned", "general" or "first_port".
[[nodiscard]] constexpr std::string_view name(software_level level) noexcept {
  constexpr const char* names[] = {"tuned", "general", "first_port"};
  return detail::name_of(names, static_cast<std::size_t>(level));
}

/// The level of that name; nothing if there is none. Worked: "first_port" is the third level.
[[nodiscard]] constexpr maybe<software_level> parse_software_level(std::string_view given) noexcept {
  return detail::enumerator_named<software_level>(given, 3);
}

/// How attention is computed. `flash`, which nearly all published runs use, keeps scores on the chip, in blocks, and
/// skips blocks that the mask hides. `unfused` writes the scores and probabilities of every query and key of a
/// sequence, hidden ones too, to HBM and reads them again.
enum class attention_kernel : std::uint8_t { flash, unfused };

/// "flash" or "unfused".
[[nodiscard]] constexpr std::string_view name(attention_kernel kernel) noexcept {
  constexpr const char* names[] = {"flash", "unfused"};
  return detail::name_of(names, static_cast<std::size_t>(kernel));
}

/// The kernel of that name; nothing if there is none. Worked: "Unfused" is `unfused`.
[[nodiscard]] constexpr maybe<attention_kernel> parse_attention_kernel(std::string_view given) noexcept {
  return detail::enumerator_named<attention_kernel>(given, 2);
}

/// Which part of the training state lies in host memory between steps. Optimizer state is moved to HBM whole for the
/// update; parameters are moved layer by layer for the passes, and whole for the update.
enum class host_state : std::uint8_t { none, optimizer, parameters_and_optimizer };

/// One training step. Fields without a sensible default are 0 and refused by name when used.
struct training_job {
  std::int64_t global_batch = 0;                     ///< sequences in one step, over all slices
  std::int64_t sequence_length = 0;                  ///< tokens, image tokens included
  dtype compute = dtype::bf16;                       ///< int8 or fp8 where products run quantised; see number_bytes
  dtype weights = dtype::fp32;                       ///< the master copy
  dtype moments = dtype::fp32;                       ///< optimizer state
  bool first_moment_bf16 = false;                    ///< of AdamW, whatever format the other moment has
  optimizer_kind optimizer = optimizer_kind::adamw;  ///< whose state is kept
  remat_policy remat = remat::full;                  ///< what is saved of each layer
  std::int64_t gradient_accumulation = 1;            ///< microbatches in one step
  std::int64_t pipeline_microbatches = 0;            ///< in flight through the stages; 0: four for each stage
  std::int64_t pipeline_rounds = 1;                  ///< interleaved stages on each device
  double capacity_factor = 1;                        ///< of experts; 1 without dropping or padding
  std::int64_t vocabulary_tiles = 1;                 ///< pieces in which logits and their gradients are computed
  double logits_fraction = 1;            ///< of positions that are predicted (0.15 for masked language models)
  bool synchronous_collectives = false;  ///< the framework does not overlap FSDP and data collectives
  double work_multiplier = 1;            ///< products per token relative to one forward and backward pass (DPO: more)
  std::int64_t images_per_sequence = 0;  ///< passes of the vision tower
  bool freeze_vision = false;            ///< the tower is not trained, only its projector and the text model are
  software_level software = software_level::tuned;       ///< how well the program is tuned
  attention_kernel attention = attention_kernel::flash;  ///< how attention is computed
  bool default_tiles = false;      ///< grouped products of experts run in blocks that nobody tuned to their shapes
  bool ring_attention = false;     ///< keys and values go around a ring of chips instead of being gathered first
  bool context_balanced = false;   ///< chips have an early and a late part of a causal sequence, not one part each
  bool gathers_quantised = false;  ///< FSDP gathers weights in the 8 bits of the products, cast before and not after
  host_state state_on_host = host_state::none;  ///< what lies in host memory between steps
  std::int64_t lora_rank = 0;                   ///< of adapters on a frozen base; 0: all is trained
  lora_targets lora{};                          ///< layers with adapters; `weights` and `moments` are the adapters'
  dtype frozen_weights = dtype::bf16;           ///< the base under adapters, without optimizer and gradients
  weight_bits frozen_by_part{};                 ///< of a quantised base, where it is not in `frozen_weights`
};

/// Tokens in one step. Throws for more than 2^60 of them. Worked: 1024 sequences of 4096 tokens are 4194304.
[[nodiscard]] constexpr std::int64_t tokens_per_step(const training_job& job) {
  const std::int64_t length = detail::positive_count("training_job.sequence_length", job.sequence_length);
  detail::check_part("training_job.sequence_length", length, detail::most_tokens, "1 to 2^40 tokens");
  const std::int64_t batch = detail::positive_count("training_job.global_batch", job.global_batch);
  if (batch > (std::int64_t{1} << 60) / length)
    detail::fail(errc::out_of_range, "training_job.global_batch", batch, "at most 2^60 tokens in a step");
  return batch * length;
}

/// Bytes of optimizer state for each parameter of a job. Worked: 6 B for AdamW with the first moment in bf16 and the
/// second in fp32.
[[nodiscard]] constexpr bytes optimizer_bytes_per_parameter(const training_job& job) noexcept {
  const bytes all = optimizer_bytes_per_parameter(job.optimizer, job.moments);
  const bool first = job.first_moment_bf16 && job.optimizer == optimizer_kind::adamw;
  return first ? all - size_of(job.moments) + size_of(dtype::bf16) : all;
}

/// HBM traffic of the update for each trained parameter: weight and optimizer state read and written, the fp32 gradient
/// read. Worked: 28 B for AdamW in fp32, 13 B for Adafactor.
[[nodiscard]] constexpr bytes update_bytes_per_parameter(const training_job& job) noexcept {
  return 2 * (size_of(job.weights) + optimizer_bytes_per_parameter(job)) + bytes{4};
}

/// The size of a number in activations and in gathered weights. fp32 moves and keeps twice the bytes of bf16; its
/// products run at the rate of bf16, to which XLA rounds their operands by default. Worked: 4 in fp32, 2 otherwise.
/// Source: JAX documentation, jax.default_matmul_precision; the MXU multiplies bf16 (scaling book, "TPUs", 2025-12-15).
[[nodiscard]] constexpr bytes number_bytes(const training_job& job) noexcept {
  return bytes{job.compute == dtype::fp32 ? 4.0 : 2.0};
}

namespace detail {
/// Whether products run quantised to 8 bits.
constexpr bool in_eight_bits(const training_job& job) noexcept {
  return job.compute == dtype::int8 || job.compute == dtype::fp8;
}
}  // namespace detail

/// Throws, naming the field, for a value out of range in a field other than batch, length and microbatches.
constexpr void validate_settings(const training_job& job) {
  if (job.compute == dtype::fp16 || job.compute == dtype::int4)
    detail::fail(errc::unsupported, "training_job.compute", name(job.compute), "bf16, fp32, int8 or fp8");
  detail::check_count("training_job.pipeline_microbatches", job.pipeline_microbatches, detail::most_size,
                      "0 to 16777216");
  detail::check_dimension("training_job.pipeline_rounds", job.pipeline_rounds);
  detail::in_range("training_job.capacity_factor", job.capacity_factor, 0.1, 100, "0.1 to 100");
  detail::check_dimension("training_job.vocabulary_tiles", job.vocabulary_tiles);
  detail::in_range("training_job.logits_fraction", job.logits_fraction, 0, 1, "0 to 1");
  detail::in_range("training_job.work_multiplier", job.work_multiplier, 0.01, 100, "0.01 to 100");
  detail::check_count("training_job.images_per_sequence", job.images_per_sequence, detail::most_size, "0 to 16777216");
  const bool adapted =
      job.lora.q || job.lora.k || job.lora.v || job.lora.o || job.lora.gate || job.lora.up || job.lora.down;
  detail::check_count("training_job.lora_rank", job.lora_rank, detail::most_size, "0 to 16777216");
  if (job.lora_rank > 0 && !adapted)
    detail::fail(errc::missing_field, "training_job.lora", "none", "one kind of layer or more");
}

/// Throws, naming the field, unless the step is one that can be estimated.
constexpr void validate(const training_job& job) {
  (void)tokens_per_step(job);
  detail::positive_count("training_job.gradient_accumulation", job.gradient_accumulation);
  if (job.global_batch % job.gradient_accumulation != 0) {
    detail::fail(errc::not_divisible, "training_job.gradient_accumulation", job.gradient_accumulation,
                 "a divisor of the global batch");
  }
  validate_settings(job);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/widths.hpp

#ifndef TPUPLAN_ESTIMATE_WIDTHS_HPP
#define TPUPLAN_ESTIMATE_WIDTHS_HPP

#include <cstdint>

/// @file
/// Widths of the tensors of one layer per token, averaged over layers, and what a remat policy keeps of them.

namespace tpuplan {
inline namespace abi_0 {

/// Numbers per token and layer. Only active experts count.
struct layer_widths {
  double d_model = 0;  ///< of the residual stream
  double qkv = 0;      ///< queries, keys and values together
  double context = 0;  ///< output of the attention kernel
  double mlp_up = 0;   ///< outputs of gate and up products
  double mlp = 0;      ///< outputs of gate and up products, and the input of the down product
  double scores = 0;   ///< scores that attention writes to HBM: see scores_width
};

namespace detail {

/// Turns the widths of attention layers into those of an average layer, recurrent layers included.
constexpr void average_recurrences(const transformer& model, layer_widths& w) {
  if (attention_layers(model) == model.layers && !has_recurrence(model)) return;
  const auto layers = static_cast<double>(model.layers);
  const double attending = static_cast<double>(attention_layers(model)) / layers;
  const double recurrent = static_cast<double>(model.recurrent.layers) / layers;
  const auto in = static_cast<double>(widths_in(model.recurrent, model.d_model).in);
  w.qkv = attending * w.qkv + recurrent * in;
  w.context = attending * w.context + recurrent * static_cast<double>(model.recurrent.width);
}

}  // namespace detail

/// The widths of a model's average layer. `global_apart`: layers that attend to the whole context count with the widths
/// of their own heads. Throws for a model without text.
/// Worked: llama-3-8b has 6144 of qkv, 4096 of context, 28672 of mlp_up.
[[nodiscard]] constexpr layer_widths widths_of(const transformer& model, bool global_apart = true) {
  validate(model);
  detail::positive_count("model.layers", model.layers);
  layer_widths w;
  w.d_model = static_cast<double>(model.d_model);
  const attention_spec& attention = model.attention;
  const auto heads = static_cast<double>(attention.heads);
  if (has_latent_attention(model)) {
    const auto qk = static_cast<double>(attention.latent.qk_nope_head_dim + attention.latent.qk_rope_head_dim);
    const auto v = static_cast<double>(attention.latent.v_head_dim);
    w.qkv = heads * (2 * qk + v);
    w.context = heads * v;
  } else {
    const auto size = static_cast<double>(attention.head_dim);
    const double global = detail::global_head_dim(model);
    const auto kv_heads =
        static_cast<double>(attention.global_kv_heads > 0 ? attention.global_kv_heads : attention.kv_heads);
    const double share =
        global_apart && attention_layers(model) > 0
            ? 1 - static_cast<double>(attention.local_layers) / static_cast<double>(attention_layers(model))
            : 0;
    w.qkv = size * (heads + 2 * static_cast<double>(attention.kv_heads));
    w.qkv += share * (global * (heads + (attention.global_kv_shared ? 1 : 2) * kv_heads) - w.qkv);
    w.context = heads * (size + share * (global - size));
  }
  if (attention.output_gate) w.qkv += w.context;
  detail::average_recurrences(model, w);
  const double matrices = model.mlp.gated ? 3 : 2;
  const double routed = static_cast<double>(model.moe.expert_d_ff) * static_cast<double>(model.moe.top_k) *
                        static_cast<double>(moe_layers(model));
  const double dense = static_cast<double>(detail::dense_mlp_matrices(model)) / (matrices * w.d_model);
  const double width = (dense + routed) / static_cast<double>(model.layers);
  w.mlp = width * matrices;
  w.mlp_up = width * (matrices - 1);
  return w;
}

/// Parameters that a training step holds: those it trains, and those that are frozen (the base under LoRA adapters, or
/// a frozen vision tower).
struct held_parameters {
  /// @{
  /// How many; each parameter counts once, however many devices hold it.
  double trained = 0, frozen = 0;
  /// @}
  bytes frozen_bytes{};  ///< the frozen base as it is stored
};

/// The parameters that a step holds. Throws where adapters are not modelled: see lora_parameters.
/// Worked: llama-3-8b with rank 8 on queries and values trains 3407872 beside 8030261248.
[[nodiscard]] constexpr held_parameters held_by(const transformer& model, const training_job& job) {
  const parameter_count count = parameters(model);
  const auto total = static_cast<double>(count.total);
  if (job.lora_rank == 0 && job.freeze_vision) {
    const auto tower = static_cast<double>(count.vision);
    return {total - tower, tower, size_of(job.frozen_weights) * tower};
  }
  if (job.lora_rank == 0) return {total, 0, bytes{0}};
  return {static_cast<double>(lora_parameters(model, job.lora_rank, job.lora)), total,
          stored_bytes(count, job.frozen_weights, job.frozen_by_part)};
}

/// What training keeps between steps, which is what a checkpoint holds: master weights and optimizer state of all that
/// is trained, of adapters alone under LoRA. Worked: 12 B for each of the 8030261248 parameters of llama-3-8b in fp32
/// with AdamW. Throws where `held_by` does.
[[nodiscard]] constexpr training_state training_state_of(const transformer& model, const training_job& job) {
  const double trained = held_by(model, job).trained;
  const bytes weights = size_of(job.weights) * trained;
  const bytes optimizer = optimizer_bytes_per_parameter(job) * trained;
  return {weights, optimizer, weights + optimizer};
}

/// Attention scores per token and layer that are written to HBM: one for each head and key of the sequence, hidden keys
/// included; 0 for a fused kernel. Worked: 32 x 4096 for llama-3-8b, unfused. Source: Korthikanti et al. 2022, arXiv
/// 2205.05198, whose 2 a s^2 b bytes are these in bf16.
[[nodiscard]] constexpr double scores_width(const transformer& model, const training_job& job) noexcept {
  if (job.attention == attention_kernel::flash) return 0;
  const double share = static_cast<double>(attention_layers(model)) / static_cast<double>(model.layers);
  return share * static_cast<double>(model.attention.heads) * static_cast<double>(job.sequence_length);
}

/// Numbers per token and layer that a policy keeps between the passes, in HBM or in host memory.
/// Worked: llama-3-8b keeps 4096 under `full` and 51200 under `minimal`.
[[nodiscard]] constexpr double saved_width(const layer_widths& widths, const remat_policy& policy,
                                           placement in = placement::device) noexcept {
  const auto kept = [in](placement where, double width) { return where == in ? width : 0.0; };
  return kept(policy.layer_input, widths.d_model) + kept(policy.qkv, widths.qkv) +
         kept(policy.context, widths.context) + kept(policy.out_proj, widths.d_model) +
         kept(policy.mlp_up, widths.mlp_up) + kept(policy.mlp_down, widths.d_model) +
         kept(policy.elementwise, 3 * widths.d_model + widths.mlp + widths.scores);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/hardware/generations.hpp

#ifndef TPUPLAN_HARDWARE_GENERATIONS_HPP
#define TPUPLAN_HARDWARE_GENERATIONS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// The generations of TPU, and a chip by any of its names. The tables between the marks are generated from
/// data/hardware.json by `cmake --build BUILD --target generate`, and are not edited here: every figure stands there
/// with its source, its confidence and the values of other sources.

namespace tpuplan {
inline namespace abi_0 {

// generated: chips from data/hardware.json
/// TPU v2.
inline constexpr chip_spec v2 = {
    "v2",
    /*announced_year*/ 2017,
    /*announced_only*/ false,
    /*tensorcores*/ 2,
    /*jax_devices*/ 2,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {1, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {46_TFLOP_per_s, absent, absent, absent},
    /*clock*/ 700_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {16_GiB, 16_GiB, 8034189312_B, 700_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {16_MiB, unknown, 0_B, 16_KiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ unknown,
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 62_GB_per_s, 0.9, wraparound_rule::whole_pod, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, unknown, unknown},
    /*pod: shape, largest_slice*/ {{16, 16}, 256},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v3.
inline constexpr chip_spec v3 = {
    "v3",
    /*announced_year*/ 2018,
    /*announced_only*/ false,
    /*tensorcores*/ 2,
    /*jax_devices*/ 2,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {123_TFLOP_per_s, absent, absent, absent},
    /*clock*/ 940_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {32_GiB, 32_GiB, 16624123904_B, 900_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {16_MiB, unknown, 0_B, 16_KiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ unknown,
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 82_GB_per_s, 0.9, wraparound_rule::whole_pod, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, unknown, unknown},
    /*pod: shape, largest_slice*/ {{32, 32}, 1024},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v4, also v4p.
inline constexpr chip_spec v4 = {
    "v4",
    /*announced_year*/ 2021,
    /*announced_only*/ false,
    /*tensorcores*/ 2,
    /*jax_devices*/ 1,
    /*megacore*/ true,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {4, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {275_TFLOP_per_s, 275_TFLOP_per_s, unknown, unknown},
    /*clock*/ 1050_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {32_GiB, 32_GiB, 33017561088_B, 1200_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/
    {16_MiB, unknown, 128_MiB, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ std::int64_t{4},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {6, 3, 50_GB_per_s, 0.9, wraparound_rule::whole_cubes, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, 16_GB_per_s, 6.25_GB_per_s},
    /*pod: shape, largest_slice*/ {{16, 16, 16}, 4096},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v5e, also v5litepod, also TPU v5 lite.
inline constexpr chip_spec v5e = {
    "v5e",
    /*announced_year*/ 2023,
    /*announced_only*/ false,
    /*tensorcores*/ 1,
    /*jax_devices*/ 1,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {4, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {197_TFLOP_per_s, 393_TFLOP_per_s, 197_TFLOP_per_s, 788_TFLOP_per_s},
    /*clock*/ 1500_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {16_GiB, 16_GB, 16909332480_B, 819_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {128_MiB, 22.0, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ std::int64_t{0},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 50_GB_per_s, 0.9, wraparound_rule::axis_of_16, absent},
    /*host: chips, dram, pcie, dcn*/ {8, 512_GiB, 16_GB_per_s, 3.125_GB_per_s},
    /*pod: shape, largest_slice*/ {{16, 16}, 256},
    /*slice_name_counts*/ name_counts::chips};

/// TPU v5p.
inline constexpr chip_spec v5p = {
    "v5p",
    /*announced_year*/ 2023,
    /*announced_only*/ false,
    /*tensorcores*/ 2,
    /*jax_devices*/ 1,
    /*megacore*/ true,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {4, 128, 1},
    /*peak: bf16, int8, fp8, int4*/ {459_TFLOP_per_s, 918_TFLOP_per_s, 459_TFLOP_per_s, 1840_TFLOP_per_s},
    /*clock*/ 1750_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {96_GiB, 95_GiB, 102803439616_B, 2765_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {64_MiB, unknown, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ std::int64_t{4},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {6, 3, 100_GB_per_s, 0.9, wraparound_rule::whole_cubes, absent},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, 16_GB_per_s, 6.25_GB_per_s},
    /*pod: shape, largest_slice*/ {{16, 20, 28}, 6144},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU v6e, also Trillium, also TPU v6 lite.
inline constexpr chip_spec v6e = {
    "v6e",
    /*announced_year*/ 2024,
    /*announced_only*/ false,
    /*tensorcores*/ 1,
    /*jax_devices*/ 1,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 256, 2},
    /*peak: bf16, int8, fp8, int4*/ {918_TFLOP_per_s, 1836_TFLOP_per_s, 918_TFLOP_per_s, 3680_TFLOP_per_s},
    /*clock*/ 1750_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {32_GiB, 32_GiB, 33550237696_B, 1638_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {128_MiB, unknown, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, false},
    /*sparsecores*/ std::int64_t{2},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {4, 2, 100_GB_per_s, 0.9, wraparound_rule::axis_of_16, absent},
    /*host: chips, dram, pcie, dcn*/ {8, 1536_GiB, 32_GB_per_s, 12.5_GB_per_s},
    /*pod: shape, largest_slice*/ {{16, 16}, 256},
    /*slice_name_counts*/ name_counts::chips};

/// TPU7x, also Ironwood, also TPU v7.
inline constexpr chip_spec tpu7x = {
    "tpu7x",
    /*announced_year*/ 2025,
    /*announced_only*/ false,
    /*tensorcores*/ 2,
    /*jax_devices*/ 2,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 256, 2},
    /*peak: bf16, int8, fp8, int4*/ {2307_TFLOP_per_s, absent, 4614_TFLOP_per_s, absent},
    /*clock*/ unknown,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {192_GiB, 192_GiB, 101737037824_B, 7380_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {64_MiB, unknown, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, true},
    /*sparsecores*/ std::int64_t{4},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {6, 3, 100_GB_per_s, 0.9, wraparound_rule::whole_cubes, 6.0},
    /*host: chips, dram, pcie, dcn*/ {4, unknown, unknown, 12.5_GB_per_s},
    /*pod: shape, largest_slice*/ {{16, 24, 24}, 9216},
    /*slice_name_counts*/ name_counts::tensorcores};

/// TPU 8t.
inline constexpr chip_spec tpu8t = {
    "tpu8t",
    /*announced_year*/ 2026,
    /*announced_only*/ true,
    /*tensorcores*/ 1,
    /*jax_devices*/ 1,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 256, 2},
    /*peak: bf16, int8, fp8, int4*/ {996.1_TFLOP_per_s, 996.1_TFLOP_per_s, 5976.9_TFLOP_per_s, 11953.8_TFLOP_per_s},
    /*clock*/ 1900_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {216_GiB, 216_GiB, unknown, 6528_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {128_MiB, unknown, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {16, 128, true},
    /*sparsecores*/ std::int64_t{2},
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {6, 3, 200_GB_per_s, 0.9, wraparound_rule::whole_pod, absent},
    /*host: chips, dram, pcie, dcn*/ {0, unknown, unknown, unknown},
    /*pod: shape, largest_slice*/ {{}, 9600},
    /*slice_name_counts*/ name_counts::chips};

/// TPU 8i.
inline constexpr chip_spec tpu8i = {
    "tpu8i",
    /*announced_year*/ 2026,
    /*announced_only*/ true,
    /*tensorcores*/ 2,
    /*jax_devices*/ 2,
    /*megacore*/ false,
    /*mxu: per_tensorcore, side, macs_per_cell_cycle*/ {2, 256, 1},
    /*peak: bf16, int8, fp8, int4*/ {1101_TFLOP_per_s, absent, 8808_TFLOP_per_s, unknown},
    /*clock*/ 2100_MHz,
    /*hbm: capacity, documented, usable_per_device, bandwidth*/ {288_GiB, 288_GiB, unknown, 8601_GB_per_s},
    /*on_chip: vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore*/ {192_MiB, unknown, 0_B, 1_MiB},
    /*tiling: sublanes, lanes, large_tiles_of_16_bits*/ {8, 128, true},
    /*sparsecores*/ absent,
    /*ici: links, axes, nominal_one_way, achievable_fraction, wraparound, die_to_die_over_link*/
    {0, 0, 0_GB_per_s, 0.9, wraparound_rule::whole_pod, unknown},
    /*host: chips, dram, pcie, dcn*/ {0, unknown, unknown, unknown},
    /*pod: shape, largest_slice*/ {{}, 1024},
    /*slice_name_counts*/ name_counts::chips};

/// All generations, oldest first.
inline constexpr std::array<chip_spec, 9> generations = {v2, v3, v4, v5e, v5p, v6e, tpu7x, tpu8t, tpu8i};
// end of generated: chips

namespace detail {

/// A name that people or other tools give a chip, "TPU " in front of it left out, and the chip's name here.
struct chip_alias {
  const char* name;
  const char* chip;
};

// generated: chip_aliases from data/hardware.json
// clang-format off
inline constexpr chip_alias chip_aliases[] = {
    {"v2", "v2"}, {"v3", "v3"}, {"v4", "v4"}, {"v4p", "v4"}, {"v5e", "v5e"}, {"v5litepod", "v5e"}, {"v5 lite", "v5e"},
    {"v5lite", "v5e"}, {"v5lite_pod", "v5e"}, {"v5p", "v5p"}, {"v5", "v5p"}, {"v6e", "v6e"}, {"trillium", "v6e"},
    {"v6 lite", "v6e"}, {"v6", "v6e"}, {"tpu7x", "tpu7x"}, {"ironwood", "tpu7x"}, {"v7", "tpu7x"}, {"tpu7", "tpu7x"},
    {"v7x", "tpu7x"}, {"7x", "tpu7x"}, {"v7x-slice", "tpu7x"}, {"tpu8t", "tpu8t"}, {"8t", "tpu8t"}, {"tpu8i", "tpu8i"},
    {"8i", "tpu8i"}, {"v8i", "tpu8i"},
};
// clang-format on
// end of generated: chip_aliases

/// The names of the chips for which `wanted(name)` is true, as a message lists them: "v5e, v5p or v6e".
template <class Wanted>
constexpr text<160> chip_names_where(Wanted wanted) {
  text<160> list;
  std::string_view last;
  for (const chip_spec& chip : generations) {
    if (!wanted(chip.name.view())) continue;
    if (!last.empty()) list.append(list.empty() ? "" : ", ").append(last);
    last = chip.name.view();
  }
  return list.append(list.empty() ? "" : " or ").append(last);
}

}  // namespace detail

/// The names of all generations as a message lists them, announced ones included. Worked: the list begins "v2, v3, v4,
/// v5e".
[[nodiscard]] constexpr text<160> chip_names() {
  return detail::chip_names_where([](std::string_view) { return true; });
}

/// The chip of that name or alias, letter case ignored, "TPU " in front allowed; nothing if there is none.
/// Worked: find_chip("Ironwood") is tpu7x.
[[nodiscard]] constexpr maybe<chip_spec> find_chip(std::string_view given) noexcept {
  if (detail::starts_with_name(given, "tpu ") || detail::starts_with_name(given, "tpu-")) given.remove_prefix(4);
  std::string_view wanted;
  for (const detail::chip_alias& alias : detail::chip_aliases) {
    if (detail::same_name(given, alias.name)) wanted = alias.chip;
  }
  for (const chip_spec& chip : generations) {
    if (!wanted.empty() && chip.name == wanted) return chip;
  }
  return nothing;
}

/// The chip of that name; an unknown one throws `errc::unknown_name` and lists the valid ones. Worked:
/// chip_for("Ironwood") is tpu7x.
[[nodiscard]] constexpr chip_spec chip_for(std::string_view given) {
  if (const maybe<chip_spec> found = find_chip(given)) return *found;
  detail::fail(errc::unknown_name, "chip", given, chip_names().view());
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/hardware/slice_table.hpp

#ifndef TPUPLAN_HARDWARE_SLICE_TABLE_HPP
#define TPUPLAN_HARDWARE_SLICE_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// The documented slices and machine types, each under the name of its chip. The tables between the marks are generated
/// from data/slices.json and data/hardware.json by `cmake --build BUILD --target generate`, and are not edited here;
/// everything else about a slice follows from its row and its chip.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// One documented slice: the chips along each axis, and the chips of one VM.
struct slice_row {
  std::int16_t a, b, c;
  std::int16_t chips_per_vm;
};

/// The slices of one chip. The first row with a given number of chips is the one that a name with that number
/// stands for, with its default VM layout; further rows are other VM layouts, and shapes that no name stands for.
struct slice_block {
  std::string_view chip{};    ///< the name of the chip
  std::string_view prefix{};  ///< what the names of its slices begin with: "v5litepod"
  const slice_row* rows = nullptr;
  std::size_t count = 0;

  [[nodiscard]] constexpr const slice_row* begin() const noexcept { return rows; }
  [[nodiscard]] constexpr const slice_row* end() const noexcept { return rows + count; }
};

// generated: slices from data/slices.json
// clang-format off
inline constexpr slice_row v2_slices[] = {
    {2, 2, 1, 4}, {4, 4, 1, 4}, {8, 8, 1, 4}, {8, 16, 1, 4}, {16, 16, 1, 4},
};
inline constexpr slice_row v3_slices[] = {
    {2, 2, 1, 4}, {4, 4, 1, 4}, {4, 8, 1, 4}, {8, 8, 1, 4}, {8, 16, 1, 4}, {16, 16, 1, 4}, {16, 32, 1, 4},
    {32, 32, 1, 4},
};
inline constexpr slice_row v4_slices[] = {
    {2, 2, 1, 4}, {2, 2, 2, 4}, {2, 2, 4, 4}, {2, 4, 4, 4}, {4, 4, 4, 4}, {4, 4, 8, 4}, {4, 4, 12, 4}, {4, 8, 8, 4},
    {8, 8, 8, 4}, {8, 8, 12, 4}, {8, 8, 16, 4}, {8, 16, 16, 4}, {16, 16, 16, 4}, {4, 4, 16, 4}, {4, 4, 32, 4},
    {4, 8, 16, 4}, {4, 16, 16, 4}, {4, 4, 128, 4}, {4, 8, 64, 4}, {4, 16, 32, 4},
};
inline constexpr slice_row v5e_slices[] = {
    {1, 1, 1, 1}, {2, 2, 1, 4}, {2, 4, 1, 8}, {2, 4, 1, 4}, {4, 4, 1, 4}, {4, 8, 1, 4}, {8, 8, 1, 4}, {8, 16, 1, 4},
    {16, 16, 1, 4},
};
inline constexpr slice_row v5p_slices[] = {
    {2, 2, 1, 4}, {2, 2, 2, 4}, {2, 2, 4, 4}, {2, 4, 4, 4}, {4, 4, 4, 4}, {4, 4, 8, 4}, {4, 4, 12, 4}, {4, 8, 8, 4},
    {4, 4, 20, 4}, {4, 8, 12, 4}, {4, 4, 28, 4}, {8, 8, 8, 4}, {4, 12, 12, 4}, {4, 8, 20, 4}, {4, 4, 44, 4},
    {8, 8, 12, 4}, {4, 4, 52, 4}, {4, 8, 28, 4}, {4, 12, 20, 4}, {8, 8, 16, 4}, {4, 4, 68, 4}, {8, 12, 12, 4},
    {4, 4, 76, 4}, {8, 8, 20, 4}, {4, 12, 28, 4}, {4, 8, 44, 4}, {4, 4, 92, 4}, {8, 12, 16, 4}, {4, 20, 20, 4},
    {4, 8, 52, 4}, {12, 12, 12, 4}, {8, 8, 28, 4}, {4, 4, 116, 4}, {8, 12, 20, 4}, {4, 4, 124, 4}, {8, 16, 16, 4},
    {4, 12, 44, 4}, {4, 8, 68, 4}, {4, 20, 28, 4}, {12, 12, 16, 4}, {4, 4, 148, 4}, {4, 8, 76, 4}, {4, 12, 52, 4},
    {8, 16, 20, 4}, {4, 4, 164, 4}, {8, 12, 28, 4}, {4, 4, 172, 4}, {8, 8, 44, 4}, {12, 12, 20, 4}, {4, 8, 92, 4},
    {4, 4, 188, 4}, {12, 16, 16, 4}, {4, 28, 28, 4}, {8, 20, 20, 4}, {4, 12, 68, 4}, {8, 8, 52, 4}, {4, 4, 212, 4},
    {12, 12, 24, 4}, {4, 20, 44, 4}, {8, 16, 28, 4}, {4, 12, 76, 4}, {4, 8, 116, 4}, {4, 4, 236, 4}, {12, 16, 20, 4},
    {4, 4, 244, 4}, {4, 8, 124, 4}, {12, 12, 28, 4}, {16, 16, 16, 4}, {4, 20, 52, 4}, {8, 12, 44, 4}, {8, 8, 68, 4},
    {4, 12, 92, 4}, {8, 20, 28, 4}, {12, 16, 24, 4}, {4, 8, 148, 4}, {12, 20, 20, 4}, {8, 8, 76, 4}, {4, 28, 44, 4},
    {8, 12, 52, 4}, {16, 16, 20, 4}, {12, 12, 36, 4}, {4, 8, 164, 4}, {12, 16, 28, 4}, {4, 20, 68, 4}, {4, 8, 172, 4},
    {4, 12, 116, 4}, {8, 16, 44, 4}, {12, 20, 24, 4}, {4, 28, 52, 4}, {8, 8, 92, 4}, {4, 12, 124, 4}, {4, 8, 188, 4},
    {4, 20, 76, 4}, {16, 16, 24, 4}, {12, 24, 24, 4}, {16, 20, 28, 4},
};
inline constexpr slice_row v6e_slices[] = {
    {1, 1, 1, 1}, {2, 2, 1, 4}, {2, 4, 1, 8}, {2, 4, 1, 4}, {4, 4, 1, 4}, {4, 8, 1, 4}, {8, 8, 1, 4}, {8, 16, 1, 4},
    {16, 16, 1, 4},
};
inline constexpr slice_row tpu7x_slices[] = {
    {1, 1, 1, 1}, {2, 2, 1, 4}, {2, 2, 2, 4}, {2, 2, 4, 4}, {2, 4, 4, 4}, {4, 4, 4, 4}, {4, 4, 8, 4}, {4, 4, 12, 4},
    {4, 8, 8, 4}, {4, 4, 20, 4}, {4, 8, 12, 4}, {4, 4, 28, 4}, {8, 8, 8, 4}, {4, 12, 12, 4}, {4, 8, 20, 4},
    {4, 4, 44, 4}, {8, 8, 12, 4}, {4, 4, 52, 4}, {4, 8, 28, 4}, {4, 12, 20, 4}, {8, 8, 16, 4}, {4, 4, 68, 4},
    {8, 12, 12, 4}, {4, 4, 76, 4}, {8, 8, 20, 4}, {4, 12, 28, 4}, {4, 8, 44, 4}, {4, 4, 92, 4}, {8, 12, 16, 4},
    {4, 20, 20, 4}, {4, 8, 52, 4}, {12, 12, 12, 4}, {8, 8, 28, 4}, {4, 4, 116, 4}, {8, 12, 20, 4}, {4, 4, 124, 4},
    {8, 16, 16, 4}, {4, 12, 44, 4}, {4, 8, 68, 4}, {4, 20, 28, 4}, {12, 12, 16, 4}, {4, 4, 148, 4}, {4, 8, 76, 4},
    {4, 12, 52, 4}, {8, 16, 20, 4}, {4, 4, 164, 4}, {8, 12, 28, 4}, {4, 4, 172, 4}, {8, 8, 44, 4}, {12, 12, 20, 4},
    {4, 8, 92, 4}, {4, 4, 188, 4}, {12, 16, 16, 4}, {4, 28, 28, 4}, {8, 20, 20, 4}, {4, 12, 68, 4}, {8, 8, 52, 4},
    {4, 4, 212, 4}, {12, 12, 24, 4}, {4, 20, 44, 4}, {8, 16, 28, 4}, {4, 12, 76, 4}, {4, 8, 116, 4}, {4, 4, 236, 4},
    {12, 16, 20, 4}, {4, 4, 244, 4}, {4, 8, 124, 4}, {12, 12, 28, 4}, {16, 16, 16, 4}, {4, 20, 52, 4}, {8, 12, 44, 4},
    {8, 8, 68, 4}, {4, 12, 92, 4}, {8, 20, 28, 4}, {12, 16, 24, 4}, {4, 8, 148, 4}, {12, 20, 20, 4}, {8, 8, 76, 4},
    {4, 28, 44, 4}, {8, 12, 52, 4}, {16, 16, 20, 4}, {12, 12, 36, 4}, {4, 8, 164, 4}, {12, 16, 28, 4}, {4, 20, 68, 4},
    {4, 8, 172, 4}, {4, 12, 116, 4}, {8, 16, 44, 4}, {12, 20, 24, 4}, {4, 28, 52, 4}, {8, 8, 92, 4}, {4, 12, 124, 4},
    {4, 8, 188, 4}, {4, 20, 76, 4}, {16, 16, 24, 4}, {12, 24, 24, 4}, {16, 16, 32, 4}, {16, 20, 28, 4}, {16, 24, 24, 4},
};
inline constexpr slice_block slice_blocks[] = {
    {"v2", "v2", v2_slices, 5},
    {"v3", "v3", v3_slices, 8},
    {"v4", "v4", v4_slices, 20},
    {"v5e", "v5litepod", v5e_slices, 9},
    {"v5p", "v5p", v5p_slices, 96},
    {"v6e", "v6e", v6e_slices, 9},
    {"tpu7x", "tpu7x", tpu7x_slices, 99},
};
// clang-format on
// end of generated: slices

/// The documented slices of the chip of exactly that name; no slices for a chip that is not in the table.
constexpr slice_block slices_of(std::string_view chip) noexcept {
  for (const slice_block& block : slice_blocks) {
    if (block.chip == chip) return block;
  }
  return {};
}

}  // namespace detail

/// A machine type of Compute Engine or GKE: one VM with some chips.
struct machine_type {
  text<24> name{};                 ///< such as "ct5p-hightpu-4t"
  text<24> chip{};                 ///< the name of its chip
  std::int64_t chips = 0;          ///< per VM
  known<std::int64_t> vcpus{};     ///< of the VM
  known<std::int64_t> ram_gb{};    ///< as printed by the source
  bool makes_one_vm = false;       ///< whether one VM of it is a slice
  bool makes_several_vms = false;  ///< whether several VMs of it make a slice
  text<24> gke_label{};            ///< GKE's label of its nodes, "tpu-v5p-slice"; empty where GKE has no such name
};

namespace detail {

/// A machine type as the table holds it, with plain C strings, which compile fastest.
struct machine_row {
  const char* name;
  const char* chip;
  std::int64_t chips;
  known<std::int64_t> vcpus, ram_gb;
  bool makes_one_vm, makes_several_vms;
  const char* gke_label;
};

// generated: machine_types from data/hardware.json
// clang-format off
inline constexpr std::array<machine_row, 28> machine_rows = {{
    {"ct3-hightpu-4t", "v3", 4, 96, 340, true, false, "tpu-v3-device"},
    {"ct3p-hightpu-4t", "v3", 4, 48, 340, false, true, "tpu-v3-slice"},
    {"ct4p-hightpu-4t", "v4", 4, 240, 407, true, true, "tpu-v4-podslice"},
    {"ct5l-hightpu-1t", "v5e", 1, 24, 48, false, false, "tpu-v5-lite-device"},
    {"ct5l-hightpu-4t", "v5e", 4, 112, 192, false, false, "tpu-v5-lite-device"},
    {"ct5l-hightpu-8t", "v5e", 8, 224, 384, false, false, "tpu-v5-lite-device"},
    {"ct5lp-hightpu-1t", "v5e", 1, 24, 48, true, false, "tpu-v5-lite-podslice"},
    {"ct5lp-hightpu-4t", "v5e", 4, 112, 192, true, true, "tpu-v5-lite-podslice"},
    {"ct5lp-hightpu-8t", "v5e", 8, 224, 384, true, false, "tpu-v5-lite-podslice"},
    {"ct5p-hightpu-4t", "v5p", 4, 208, 448, true, true, "tpu-v5p-slice"},
    {"ct5p-hightpu-1t", "v5p", 1, 52, 112, true, false, "tpu-v5p-slice"},
    {"ct5p-hightpu-2t", "v5p", 2, 104, 224, true, false, "tpu-v5p-slice"},
    {"ct5p-hightpu-1t-tpu", "v5p", 1, 52, 112, true, false, ""},
    {"ct5p-hightpu-2t-tpu", "v5p", 2, 104, 224, true, false, ""},
    {"ct5p-hightpu-4t-tpu", "v5p", 4, 208, 448, true, true, ""},
    {"ct6e-standard-1t", "v6e", 1, 44, 176, true, false, "tpu-v6e-slice"},
    {"ct6e-standard-4t", "v6e", 4, 180, 720, true, true, "tpu-v6e-slice"},
    {"ct6e-standard-8t", "v6e", 8, 180, 1440, true, false, "tpu-v6e-slice"},
    {"ct6e-standard-1t-tpu", "v6e", 1, 44, 176, true, false, ""},
    {"ct6e-standard-4t-tpu", "v6e", 4, 180, 720, true, true, ""},
    {"ct6e-standard-8t-tpu", "v6e", 8, 180, 1440, true, false, ""},
    {"tpu7x-standard-1t", "tpu7x", 1, unknown, unknown, true, false, "tpu7x"},
    {"tpu7x-standard-4t", "tpu7x", 4, 224, 960, true, true, "tpu7x"},
    {"tpu7x-ultranet-4t", "tpu7x", 4, unknown, unknown, true, true, "tpu7x"},
    {"tpu7x-standard-4t-tpu", "tpu7x", 4, 224, 960, true, true, ""},
    {"tpu7x-ultranet-4t-tpu", "tpu7x", 4, unknown, unknown, true, true, ""},
    {"tpu7-standard-1t", "tpu7x", 1, unknown, unknown, true, false, "tpu7"},
    {"tpu7-standard-4t", "tpu7x", 4, unknown, unknown, true, true, "tpu7"},
}};
// clang-format on
// end of generated: machine_types

constexpr machine_type to_machine(const machine_row& r) {
  return {r.name, r.chip, r.chips, r.vcpus, r.ram_gb, r.makes_one_vm, r.makes_several_vms, r.gke_label};
}

inline constexpr std::size_t machine_type_count = machine_rows.size();

}  // namespace detail

/// All documented machine types. Where several fit a slice, the first is the usual one. Worked: ct5p-hightpu-4t has 4
/// chips, 208 vCPUs and 448 GB.
[[nodiscard]] constexpr std::array<machine_type, detail::machine_type_count> machine_types() {
  std::array<machine_type, detail::machine_type_count> types{};
  for (std::size_t i = 0; i < types.size(); ++i) types[i] = detail::to_machine(detail::machine_rows[i]);
  return types;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/hardware/slice_shape.hpp

#ifndef TPUPLAN_HARDWARE_SLICE_SHAPE_HPP
#define TPUPLAN_HARDWARE_SLICE_SHAPE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// Slices: what can be rented, what follows from a slice's shape, and which shapes are valid. `hardware/slice.hpp`
/// finds a slice by name.

namespace tpuplan {
inline namespace abi_0 {

/// A slice of a pod: one kind of chip in one shape, divided into VMs of equal size. It holds its chip by value, so that
/// a caller's own chip is treated like those of the table.
struct slice {
  chip_spec chip{};               ///< every chip of the slice
  topology shape{};               ///< chips along each ICI axis
  std::int64_t chips_per_vm = 0;  ///< chips of one VM
};

/// Chips in the slice. Worked: 64 in v5p-128, 8 in v5litepod-8, 4 in v3-8.
[[nodiscard]] constexpr std::int64_t chips(const slice& where) { return chips(where.shape); }

namespace detail {

/// Chips of that many equal slices; refuses more than a million slices.
constexpr std::int64_t chips_of(const slice& where, std::int64_t slice_total) {
  if (positive_count("slices", slice_total) > 1000000) fail(errc::out_of_range, "slices", slice_total, "1 to 1000000");
  return checked_multiply(chips(where), slice_total);
}

}  // namespace detail

/// TensorCores in the slice. Worked: 8 in v3-8.
[[nodiscard]] constexpr std::int64_t tensorcores(const slice& where) {
  return checked_multiply(chips(where), where.chip.tensorcores);
}
/// Devices that `jax.devices()` lists for the slice. Worked: 256 for tpu7x-256 (128 chips), 64 for v5p-128.
[[nodiscard]] constexpr std::int64_t devices(const slice& where) {
  return checked_multiply(chips(where), where.chip.jax_devices);
}
/// VMs in the slice; one process of the program runs on each. Worked: 16 in v5p-128, 4 in v5litepod-16.
[[nodiscard]] constexpr std::int64_t vms(const slice& where) {
  return ceil_div(chips(where), detail::positive_count("slice.chips_per_vm", where.chips_per_vm));
}
/// Physical hosts of the slice: a fraction where it shares a host with other slices. Worked: 16 for v5p-128; 2 for
/// v5litepod-16 (4 VMs); 0.125 for v5litepod-1.
[[nodiscard]] constexpr double hosts(const slice& where) {
  return static_cast<double>(chips(where)) /
         static_cast<double>(detail::positive_count("chip.host.chips", where.chip.host.chips));
}
/// For each axis, whether its links wrap around into a ring. Worked: all three axes of v5p-128 do.
[[nodiscard]] constexpr std::array<known<bool>, 3> wraparound(const slice& where) {
  return wraparound(where.shape, where.chip.ici.wraparound, where.chip.pod.shape);
}
/// Whether every axis wraps around; unknown where that of one axis is unknown. Worked: yes for v5p-128, no for
/// v5litepod-128.
[[nodiscard]] constexpr known<bool> fully_wrapped(const slice& where) {
  const std::array<known<bool>, 3> axes = wraparound(where);
  for (std::int32_t axis = 0; axis < where.shape.axes; ++axis) {
    const known<bool>& wraps = axes[static_cast<std::size_t>(axis)];
    if (!wraps.has_value()) return unknown;
    if (!wraps.value()) return false;
  }
  return true;
}
/// Whether Google Cloud schedules it as one slice: it has at most `pod.largest_slice` chips. Worked: v5p-17920 has
/// more.
[[nodiscard]] constexpr bool schedulable(const slice& where) { return chips(where) <= where.chip.pod.largest_slice; }
/// HBM of the whole slice that a program may use; all of it where the chip's XLA budget is not known.
/// Worked: 16 x 16909332480 B for v5litepod-16.
[[nodiscard]] constexpr bytes usable_hbm(const slice& where) {
  return usable_hbm_per_device(where.chip) * static_cast<double>(devices(where));
}
/// Physical HBM of the whole slice. Worked: 256 x 16 GiB for v5litepod-256.
[[nodiscard]] constexpr bytes hbm_capacity(const slice& where) {
  return where.chip.hbm.capacity * static_cast<double>(chips(where));
}
/// The peak rate of the whole slice, as `peak_rate` of a chip. Worked: 50.432 PFLOP/s for v5litepod-256 in bf16.
[[nodiscard]] constexpr flops_per_second peak_rate(const slice& where, dtype compute) {
  return peak_rate(where.chip, compute) * static_cast<double>(chips(where));
}
/// Nominal one-way bandwidth across the cut that halves the longest axis (twice the links where that axis wraps).
/// Throws where the wraparound is unknown. Worked: 32 links x 50 GB/s = 1.6 TB/s for v5litepod-256.
/// Source: Google Cloud "TPU v5e", pod bisection.
[[nodiscard]] constexpr bytes_per_second bisection_bandwidth(const slice& where) {
  std::size_t longest = 0;
  for (std::size_t axis = 1; axis < 3; ++axis) {
    if (where.shape.dims[axis] > where.shape.dims[longest]) longest = axis;
  }
  if (where.shape.dims[longest] == 1) return bytes_per_second{0};
  const std::int64_t rows = chips(where) / where.shape.dims[longest];
  const double rings = wraparound(where)[longest].value("wraparound of the slice") ? 2 : 1;
  return where.chip.ici.nominal_one_way * (static_cast<double>(rows) * rings);
}

namespace detail {

constexpr slice to_slice(const chip_spec& chip, const slice_row& row) {
  return {chip, topology{{row.a, row.b, row.c}, chip.ici.axes}, row.chips_per_vm};
}

constexpr bool is_shape(const slice_row& row, const topology& shape) noexcept {
  return row.a == shape.dims[0] && row.b == shape.dims[1] && row.c == shape.dims[2];
}

constexpr std::int64_t chips(const slice_row& row) noexcept { return std::int64_t{row.a} * row.b * row.c; }

/// The row that a name with that many chips stands for; none for counts that no name has.
constexpr const slice_row* named_row(std::string_view chip, std::int64_t chip_count) noexcept {
  for (const slice_row& row : slices_of(chip)) {
    if (chips(row) == chip_count) return &row;
  }
  return nullptr;
}

/// Whether the slice is what a name such as "v5p-128" stands for, shape and VMs: v5litepod-8 is, the same shape on two
/// VMs is not.
constexpr bool is_named(const slice& where) {
  const slice_row* row = named_row(where.chip.name, tpuplan::chips(where));
  return row != nullptr && is_shape(*row, where.shape) && row->chips_per_vm == where.chips_per_vm;
}

constexpr std::size_t count_slices() noexcept {
  std::size_t count = 0;
  for (const slice_block& block : slice_blocks) count += block.count;
  return count;
}

/// The number that stands in the name of a slice with that many chips.
constexpr std::int64_t name_number(const chip_spec& chip, std::int64_t chip_count) {
  return chip.slice_name_counts == name_counts::chips ? chip_count : checked_multiply(chip_count, chip.tensorcores);
}

}  // namespace detail

/// The number of documented slices, which are `slice_at(0)` to `slice_at(slice_count - 1)`.
inline constexpr std::size_t slice_count = detail::count_slices();
/// The documented slice of that index; a larger one is refused. Worked: slice_at(0) is v2-8, 4 chips.
[[nodiscard]] constexpr slice slice_at(std::size_t index) {
  std::size_t rest = index;
  for (const detail::slice_block& block : detail::slice_blocks) {
    if (rest < block.count) return detail::to_slice(chip_for(block.chip), block.rows[rest]);
    rest -= block.count;
  }
  detail::fail(errc::out_of_range, "slice_at: index", static_cast<std::int64_t>(index), "0 to slice_count - 1");
}

/// What the names of the chip's slices begin with: the chip's own name, but for v5e. Worked: "v5litepod" for v5e.
[[nodiscard]] constexpr std::string_view slice_prefix(const chip_spec& chip) noexcept {
  const std::string_view prefix = detail::slices_of(chip.name).prefix;
  return prefix.empty() ? chip.name.view() : prefix;
}

/// What the slice is called: its accelerator type where its shape is the one that the name stands for ("v5p-128",
/// "v5litepod-16"), else generation and shape ("v4-4x4x16"). `slice_for` reads both. Worked: a 4x4x4 of v5p is
/// "v5p-128".
[[nodiscard]] constexpr text<40> name(const slice& where) {
  text<40> result{slice_prefix(where.chip)};
  result.append("-");
  const detail::slice_row* row = detail::named_row(where.chip.name, chips(where));
  if (row != nullptr && detail::is_shape(*row, where.shape)) {
    return result.append(detail::name_number(where.chip, chips(where)));
  }
  return result.append(name(where.shape));
}

/// The name of that many equal slices; refuses a count below 1. Worked: "4 x v6e-256" for 4, "v6e-256" for one.
[[nodiscard]] constexpr text<64> name(const slice& where, std::int64_t count) {
  text<64> result;
  if (detail::positive_count("slices", count) > 1) result.append(count).append(" x ");
  return result.append(name(where).view());
}

/// Whether a chip has slices of that shape. Chips with three axes: 2x2x1, 2x2x2, 2x2x4, 2x4x4, and AxBxC of multiples
/// of 4 with A <= B <= C (one chip on tpu7x). Chips with two axes: the documented shapes of the generations;
/// for other chips sides that are powers of two, equal or one twice the other.  A shape that is not documented has at
/// most the chips of its generation's largest slice. A chip that is only announced has no valid shape; callers write a
/// slice of it as `slice{chip, shape, chips per VM}`. Worked: 4x4x12 of v5p is valid, 4x12x4 and 4x4x6 are not. Source:
/// KubeRay's copy of GKE "Plan TPUs", xpk.
[[nodiscard]] constexpr bool is_valid_shape(const chip_spec& chip, const topology& shape) {
  if (shape.axes != chip.ici.axes || chip.announced_only) return false;
  const detail::slice_block documented = detail::slices_of(chip.name);
  for (const detail::slice_row& row : documented) {
    if (detail::is_shape(row, shape)) return true;
  }
  const std::array<std::int32_t, 3>& d = shape.dims;
  if (chips(shape) > chip.pod.largest_slice || d[0] > d[1]) return false;
  if (shape.axes == 3) {
    const bool small =
        (d[0] == 2 && d[1] == 2 && (d[2] == 1 || d[2] == 2 || d[2] == 4)) || (d[0] == 2 && d[1] == 4 && d[2] == 4);
    return small || (d[0] % 4 == 0 && d[1] % 4 == 0 && d[2] % 4 == 0 && d[1] <= d[2]);
  }
  return documented.count == 0 && is_power_of_two(d[0]) && (d[1] == d[0] || (d[1] == 2 * d[0] && d[0] > 1));
}

namespace detail {

/// The shapes that a chip's slices have, as a message lists them.
constexpr text<160> shape_hint(const chip_spec& chip) {
  if (chip.announced_only) return "none yet: it is announced, and no slice of it is documented";
  if (chip.ici.axes == 3) return "2x2x1, 2x2x2, 2x2x4, 2x4x4, or AxBxC of multiples of 4 with A <= B <= C";
  const slice_block documented = slices_of(chip.name);
  if (documented.count == 0)
    return "AxB of powers of two, equal or the second twice the first, up to its largest slice";
  text<160> list;
  topology last{};
  for (const slice_row& row : documented) {
    const topology shape = to_slice(chip, row).shape;
    if (shape != last) list.append(list.empty() ? "" : ", ").append(tpuplan::name(shape));
    last = shape;
  }
  return list;
}

}  // namespace detail

/// The slice of that chip in that shape, with the default VM layout (or `chips_per_vm` where it is given). Throws
/// `errc::unknown_name` for shapes that the chip does not have, and `errc::not_divisible` for VMs that do not tile it.
/// Worked: slice_of(v5p, {4, 4, 12}) has 192 chips.
[[nodiscard]] constexpr slice slice_of(const chip_spec& chip, const topology& shape, std::int64_t chips_per_vm = 0) {
  if (!is_valid_shape(chip, shape)) {
    detail::fail(errc::unknown_name, "slice shape", name(shape).view(), detail::shape_hint(chip).view());
  }
  slice result{chip, shape, chips_per_vm};
  if (chips_per_vm == 0) {
    result.chips_per_vm = chips(shape) < 4 ? chips(shape) : 4;
    for (const detail::slice_row& row : detail::slices_of(chip.name)) {
      if (!detail::is_shape(row, shape)) continue;
      result.chips_per_vm = row.chips_per_vm;
      break;
    }
  }
  detail::positive_count("chips_per_vm", result.chips_per_vm);
  if (chips(shape) % result.chips_per_vm != 0) {
    detail::fail(errc::not_divisible, "chips_per_vm", result.chips_per_vm, "1, 4 or 8, dividing the slice");
  }
  return result;
}

/// The machine type whose VMs make up the slice; nothing where none is documented (v2, chips of the caller).
/// Worked: "ct5p-hightpu-4t" for v5p-128, "ct5lp-hightpu-8t" for v5litepod-8.
[[nodiscard]] constexpr maybe<machine_type> machine_type_of(const slice& where) {
  const bool one_vm = vms(where) == 1;
  for (const detail::machine_row& type : detail::machine_rows) {
    if (where.chip.name != type.chip || type.chips != where.chips_per_vm) continue;
    if (one_vm ? type.makes_one_vm : type.makes_several_vms) return detail::to_machine(type);
  }
  return nothing;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/hardware/slice.hpp

#ifndef TPUPLAN_HARDWARE_SLICE_HPP
#define TPUPLAN_HARDWARE_SLICE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// Finds slices by name (accelerator type, shape, machine type or GKE label) or by number of chips, and the valid names
/// nearest to a wrong one.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// A name split at its separator: "v5p-128" is the chip v5p and the rest "128".
struct slice_name_parts {
  bool found = false;
  chip_spec chip{};
  std::string_view rest{};
};

constexpr slice_name_parts split_slice_name(std::string_view given) noexcept {
  for (std::size_t i = given.size(); i-- > 1;) {
    if (given[i] != '-' && given[i] != ':' && given[i] != ' ') continue;
    if (const maybe<chip_spec> chip = find_chip(given.substr(0, i))) return {true, *chip, given.substr(i + 1)};
  }
  return {};
}

/// Whether Compute Engine offers the shape as one VM of one or two chips, though no slice name may stand for it: v5p
/// has both. Two chips are one link apart, whichever axis it lies on.
constexpr bool is_small_vm(const chip_spec& chip, const topology& shape) {
  const std::int64_t size = tpuplan::chips(shape);
  if (shape.axes != chip.ici.axes || size > 2) return false;
  for (const machine_row& type : machine_rows) {
    if (chip.name == type.chip && type.chips == size && type.makes_one_vm) return true;
  }
  return false;
}

/// The slice of a chip in a shape as people write it: lengths in any order, since a torus is the same in each.
constexpr maybe<slice> find_shape(const chip_spec& chip, const topology& given) {
  const topology ordered = ascending(given);
  if (is_small_vm(chip, given)) {
    return is_valid_shape(chip, given) ? slice_of(chip, given) : slice{chip, ordered, tpuplan::chips(given)};
  }
  if (is_valid_shape(chip, given)) return slice_of(chip, given);
  if (is_valid_shape(chip, ordered)) return slice_of(chip, ordered);
  return nothing;
}

/// Whether VMs of that type make up the slice. A type marked for slices of neither one nor several VMs counts as one
/// VM, as ct5l does.
constexpr bool makes_up(const machine_row& type, const slice& where) {
  const std::int64_t size = tpuplan::chips(where);
  if (size == type.chips) return type.makes_one_vm || !type.makes_several_vms;
  return type.makes_several_vms && size > type.chips && size % type.chips == 0;
}

/// The default slice of one VM of that machine type.
constexpr maybe<slice> find_machine_slice(std::string_view given) {
  for (const machine_row& type : machine_rows) {
    if (!same_name(type.name, given)) continue;
    const chip_spec chip = chip_for(type.chip);
    for (const slice_row& row : slices_of(type.chip)) {
      if (chips(row) == type.chips && row.chips_per_vm == type.chips) return to_slice(chip, row);
    }
    if (type.chips == 1) return find_shape(chip, topology{{1, 1, 1}, chip.ici.axes});
    if (type.chips == 2) return find_shape(chip, topology{{1, 1, 2}, chip.ici.axes});
  }
  return nothing;
}

/// A machine type or a GKE label followed by a shape: "ct6e-standard-4t:4x4", "tpu-v5-lite-podslice, 4x4".
struct placed_shape {
  std::string_view owner{};  ///< the machine type or label
  maybe<topology> shape{};   ///< nothing where the text behind it is no shape
};

constexpr placed_shape split_shape(std::string_view given) noexcept {
  const std::size_t at = given.find_last_of("-:, ");
  if (at == std::string_view::npos) return {};
  std::string_view owner = given.substr(0, at);
  while (!owner.empty() && (owner.back() == ',' || owner.back() == ':' || owner.back() == ' ')) owner.remove_suffix(1);
  return {owner, parse_topology(given.substr(at + 1))};
}

/// The slice of a shape on VMs of a machine type, or of nodes with a GKE label in their default layout.
constexpr maybe<slice> find_placed_slice(std::string_view given) {
  const placed_shape placed = split_shape(given);
  if (!placed.shape) return nothing;
  for (const machine_row& type : machine_rows) {
    const bool by_label = same_name(type.gke_label, placed.owner);
    if (!by_label && !same_name(type.name, placed.owner)) continue;
    const maybe<slice> where = find_shape(chip_for(type.chip), *placed.shape);
    if (!where || !makes_up(type, *where)) continue;
    return slice{where->chip, where->shape, by_label ? where->chips_per_vm : type.chips};
  }
  return nothing;
}

}  // namespace detail

/// The slice of that name: an accelerator type ("v5p-128", "v5litepod-16", "v6e-64", "v3-8") under any alias of its
/// chip ("v5e-16", "v7x-128", "Trillium-64"), a chip and a shape with its lengths in any order ("v5p:4x4x12",
/// "v6e-8x16", "v6e:16x8"), a machine type ("ct6e-standard-8t", one VM), or a shape behind a machine type or a label of
/// GKE ("ct6e-standard-4t:2x4", two VMs; "tpu-v5-lite-podslice:4x4"). Nothing if there is none.
/// Worked: find_slice("v5e-32") has 32 chips, "v3-32" has 16; "ct6e-standard-4t:2x4" is v6e-8 on two VMs.
[[nodiscard]] constexpr maybe<slice> find_slice(std::string_view given) {
  if (const maybe<slice> one_vm = detail::find_machine_slice(given)) return one_vm;
  if (const maybe<slice> placed = detail::find_placed_slice(given)) return placed;
  const detail::slice_name_parts parts = detail::split_slice_name(given);
  if (!parts.found) return nothing;
  if (const maybe<topology> shape = parse_topology(parts.rest)) return detail::find_shape(parts.chip, *shape);
  const std::int64_t number = detail::parse_count(parts.rest);
  const std::int64_t per_chip = detail::name_number(parts.chip, 1);
  if (number < 1 || number % per_chip != 0) return nothing;
  const detail::slice_row* row = detail::named_row(parts.chip.name, number / per_chip);
  if (row == nullptr) return nothing;
  return detail::to_slice(parts.chip, *row);
}

/// The same slice in its other documented division into VMs; nothing where only one is documented. Worked: v6e-8 is one
/// VM of ct6e-standard-8t or two of ct6e-standard-4t.
[[nodiscard]] constexpr maybe<slice> other_vm_layout(const slice& where) noexcept {
  for (const detail::slice_row& row : detail::slices_of(where.chip.name)) {
    if (!detail::is_shape(row, where.shape) || row.chips_per_vm == where.chips_per_vm) continue;
    return slice{where.chip, where.shape, row.chips_per_vm};
  }
  return nothing;
}

/// The machine type and shape of a slice, which `find_slice` reads back with its division into VMs; empty where no
/// machine type is documented. Worked: "ct6e-standard-4t:2x4" of v6e-8 on two VMs.
[[nodiscard]] constexpr text<64> machine_name(const slice& where) {
  text<64> result;
  if (const maybe<machine_type> type = machine_type_of(where))
    result.append(type->name).append(":").append(name(where.shape));
  return result;
}

namespace detail {

/// Which of several shapes with the same number of chips is meant.
enum class shape_choice : std::uint8_t {
  most_even,       ///< the one whose longest side is shortest
  shortest_first,  ///< the first in ascending order with no side above 256, as XPK reads a number of chips
};

/// The valid shape with that many chips; a topology of no chips where there is none.
constexpr topology shape_of_size(const chip_spec& chip, std::int64_t chip_count, shape_choice choice) {
  const bool most_even = choice == shape_choice::most_even;
  topology best{};
  std::int64_t longest = chip_count + 1;
  const bool flat = chip.ici.axes == 2;
  for (std::int32_t a = 1; std::int64_t{a} * a <= chip_count; a = a < 4 ? a * 2 : a + 4) {
    for (std::int32_t b = a; std::int64_t{a} * b * (flat || b == 2 ? 1 : b) <= chip_count; b = b < 4 ? b * 2 : b + 4) {
      const std::int64_t c = chip_count / (std::int64_t{a} * b);
      if (c * a * b != chip_count || c > (most_even ? 16384 : 256) || (flat && c != 1)) continue;
      const topology shape{{a, b, static_cast<std::int32_t>(c)}, chip.ici.axes};
      if (shape.dims[2] >= longest || !is_valid_shape(chip, shape)) continue;
      best = shape;
      longest = shape.dims[2];
      if (!most_even) return best;
    }
  }
  return best;
}

}  // namespace detail

/// A slice of a chip with that many chips: the named one, else the most even valid shape; nothing where there is none.
/// Worked: find_slice_of_size(v5p, 64) is v5p-128; of v4 with 3072 chips it is 12x16x16.
[[nodiscard]] constexpr maybe<slice> find_slice_of_size(const chip_spec& chip, std::int64_t chip_count) {
  if (chip_count < 1 || chip_count > chip.pod.largest_slice) return nothing;
  if (const detail::slice_row* row = detail::named_row(chip.name, chip_count)) return detail::to_slice(chip, *row);
  const topology best = detail::shape_of_size(chip, chip_count, detail::shape_choice::most_even);
  if (chips(best) == 0) return nothing;
  return slice_of(chip, best);
}

/// Whether a slice is the one that `find_slice_of_size` finds for its chip and its number of chips, and may be
/// scheduled. The planner considers these slices alone. Worked: v5litepod-8 (one VM) is, 2x4 of v5e on two VMs is not.
[[nodiscard]] constexpr bool is_default(const slice& where) {
  const maybe<slice> usual = find_slice_of_size(where.chip, chips(where));
  return usual && usual->shape == where.shape && usual->chips_per_vm == where.chips_per_vm;
}

/// The named slices next to a size that has no name.
struct nearest_slices {
  maybe<slice> smaller{};  ///< at most that many chips
  maybe<slice> larger{};   ///< at least that many chips
};

/// The named slices of a chip next to a number of chips: the largest that has no more, and the smallest that has no
/// fewer.
/// Worked: nearest(v5e, 24) are v5litepod-16 and v5litepod-32.
[[nodiscard]] constexpr nearest_slices nearest(const chip_spec& chip, std::int64_t chip_count) {
  const detail::slice_row* smaller = nullptr;
  const detail::slice_row* larger = nullptr;
  for (const detail::slice_row& row : detail::slices_of(chip.name)) {
    const std::int64_t size = detail::chips(row);
    if (size > chip.pod.largest_slice) continue;
    if (size <= chip_count && (smaller == nullptr || detail::chips(*smaller) < size)) smaller = &row;
    if (size >= chip_count && (larger == nullptr || detail::chips(*larger) > size)) larger = &row;
  }
  const auto slice_from = [&chip](const detail::slice_row* row) {
    return row == nullptr ? maybe<slice>{} : maybe<slice>{detail::to_slice(chip, *row)};
  };
  return {slice_from(smaller), slice_from(larger)};
}

namespace detail {

/// Whether a machine type has the name that Compute Engine lists beside the one of Google's pages.
constexpr bool is_compute_engine_name(std::string_view type) noexcept {
  return type.size() > 4 && same_name(type.substr(type.size() - 4), "-tpu");
}

/// The name of a machine type without its number of chips: "ct6e-standard-".
constexpr std::string_view machine_family(std::string_view type) noexcept {
  if (is_compute_engine_name(type)) type.remove_suffix(4);
  return type.substr(0, type.rfind('-') + 1);
}

/// The chips that a machine type has by its name: 32 of "ct5lp-hightpu-32t"; -1 where the name has none.
constexpr std::int64_t chips_in_machine_name(std::string_view type) noexcept {
  type.remove_prefix(machine_family(type).size());
  if (type.empty() || to_lower(type.back()) != 't') return -1;
  return parse_count(type.substr(0, type.size() - 1));
}

/// The valid names to suggest for a machine type that its family does not have; empty where there is no such family.
/// A larger slice is several VMs: the example is the slice with as many chips as the wrong name says, else the
/// smallest.
constexpr text<160> machine_hint(std::string_view given) {
  text<160> hint;
  std::string_view chip;
  for (const machine_row& type : machine_rows) {
    if (!same_name(machine_family(type.name), machine_family(given))) continue;
    if (same_name(type.name, given)) return "another of its family: no source states the shape of this one's chips";
    if (is_compute_engine_name(type.name)) continue;
    hint.append(hint.empty() ? "no such machine type; there is " : ", ").append(type.name);
    chip = type.chip;
  }
  const slice_row* meant = named_row(chip, chips_in_machine_name(given));
  for (const slice_row& row : slices_of(chip)) {
    if (meant != nullptr && &row != meant) continue;
    const slice larger = to_slice(chip_for(chip), row);
    const maybe<machine_type> type = machine_type_of(larger);
    if (!type || vms(larger) == 1 || !is_named(larger)) continue;
    hint.append("; ").append(tpuplan::name(larger)).append(" is ").append(vms(larger));
    return hint.append(" VMs of ").append(type->name);
  }
  return hint;
}

/// The valid shapes to suggest for a wrong shape behind a machine type or GKE label, or for a label alone. Empty where
/// the name is neither.
constexpr text<160> placed_hint(std::string_view given) {
  const placed_shape placed = split_shape(given);
  text<160> hint;
  std::int64_t most = 0;
  for (const machine_row& type : machine_rows) {
    const bool by_label = type.gke_label[0] != '\0' && !same_name(type.gke_label, type.chip) &&
                          (same_name(type.gke_label, placed.owner) || same_name(type.gke_label, given));
    if (!by_label && !(placed.shape && same_name(type.name, placed.owner))) continue;
    const chip_spec chip = chip_for(type.chip);
    if (hint.empty()) hint.append("behind ").append(by_label ? type.gke_label : type.name).append(" a shape: ");
    if (chip.ici.axes == 3 && type.makes_several_vms) return hint.append(shape_hint(chip));
    for (const slice_row& row : slices_of(type.chip)) {
      if (chips(row) <= most || !makes_up(type, to_slice(chip, row))) continue;
      hint.append(most == 0 ? "" : ", ").append(name(to_slice(chip, row).shape));
      most = chips(row);
    }
    if (chip.ici.axes == 3) hint.append(type.chips == 1 ? "1x1x1" : "1x1x2");
  }
  return hint;
}

/// "v6e-4 (4 chips, 2x2)".
constexpr void append_with_chips(text<160>& hint, const slice& one) {
  const std::int64_t count = tpuplan::chips(one);
  hint.append(name(one)).append(" (").append(count).append(count == 1 ? " chip, " : " chips, ");
  hint.append(name(one.shape)).append(")");
}

/// The valid names to suggest for a wrong slice name.
constexpr text<160> slice_hint(std::string_view given) {
  text<160> hint = placed_hint(given);
  if (hint.empty()) hint = machine_hint(given);
  if (!hint.empty()) return hint;
  const slice_name_parts parts = split_slice_name(given);
  if (!parts.found) return hint.append(chip_names()).append(", a dash and a size or shape: v5e-16, v5p-4x4x4");
  std::int64_t wanted = parse_count(parts.rest);
  if (const maybe<topology> shape = parse_topology(parts.rest)) {
    wanted = tpuplan::chips(*shape);
  } else if (wanted > 0) {
    wanted = ceil_div(wanted, name_number(parts.chip, 1));
  } else if (parts.rest.size() > 9 && parts.rest.find_first_not_of("0123456789") == std::string_view::npos) {
    wanted = 999999999;  // too many digits to read: larger than any slice
  }
  if (parts.chip.announced_only) return shape_hint(parts.chip);
  const topology first = parse_topology(parts.rest) || wanted > parts.chip.pod.largest_slice
                             ? topology{}
                             : shape_of_size(parts.chip, wanted, shape_choice::shortest_first);
  if (tpuplan::chips(first) > 0 && named_row(parts.chip.name, wanted) == nullptr) {
    const topology even = shape_of_size(parts.chip, wanted, shape_choice::most_even);
    hint.append(name(slice{parts.chip, first, 4}));
    if (even != first) hint.append(" or ").append(name(slice{parts.chip, even, 4}));
    hint.append(" (no number stands for them), ");
  }
  const nearest_slices near = nearest(parts.chip, wanted < 1 ? 1 : wanted);
  if (near.smaller) append_with_chips(hint, *near.smaller);
  if (near.larger && !(near.smaller && near.larger->shape == near.smaller->shape)) {
    if (near.smaller) hint.append(" or ");
    append_with_chips(hint, *near.larger);
  }
  for (const machine_row& type : machine_rows) {
    if (parts.chip.name != type.chip || type.chips != parse_count(parts.rest) || !type.makes_one_vm) continue;
    return hint.append("; counted in chips: ").append(type.name);
  }
  return hint;
}

}  // namespace detail

/// The slice of that name, as `find_slice`. A wrong one throws `errc::unknown_name`, whose message gives the sizes next
/// to it: "v5e-24" answers with v5litepod-16 and v5litepod-32. Worked: slice_for("v5p-128") has 64 chips.
[[nodiscard]] constexpr slice slice_for(std::string_view given) {
  if (const maybe<slice> found = find_slice(given)) return *found;
  detail::fail(errc::unknown_name, "slice", given, detail::slice_hint(given).view());
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/parallel/layout.hpp

#ifndef TPUPLAN_PARALLEL_LAYOUT_HPP
#define TPUPLAN_PARALLEL_LAYOUT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// The mesh: how a model and its batch are sharded over the devices of a slice, and over slices.

namespace tpuplan {
inline namespace abi_0 {

/// What the degrees of a layout count. JAX counts devices; published layouts of chips with two devices often count
/// chips.
enum class mesh_unit : std::uint8_t { devices, chips };

/// Degrees of parallelism. The product of those inside a slice is its number of devices (or chips, see `unit`); that of
/// the dcn_ ones is the number of slices. Names are MaxText's.
struct layout {
  std::int64_t data = 1;                ///< copies of the model, inside a slice
  std::int64_t fsdp = 1;                ///< shards of weights, gradients and optimizer state, inside a slice
  std::int64_t tensor = 1;              ///< shards of each layer's matrix products
  std::int64_t expert = 1;              ///< shards of the experts
  std::int64_t context = 1;             ///< shards of each sequence
  std::int64_t pipeline = 1;            ///< stages inside a slice
  std::int64_t dcn_data = 1;            ///< copies of the model over slices
  std::int64_t dcn_fsdp = 1;            ///< shards of weights, gradients and optimizer state, over slices
  std::int64_t dcn_pipeline = 1;        ///< stages over slices
  mesh_unit unit = mesh_unit::devices;  ///< what the degrees inside a slice count
};

/// The most slices that one job may take, in an estimate, a plan or a launch file.
inline constexpr std::int64_t most_slices = 1024;

namespace detail {

/// The most devices of one slice: a hundred times the largest pod.
inline constexpr std::int64_t most_devices = 1048576;

/// The number of slices; throws, naming the field, unless it is 1 to `most_slices`.
constexpr std::int64_t check_slices(words field, std::int64_t count) {
  if (positive_count(field, count) > most_slices) fail(errc::out_of_range, field, count, "1 to 1024 slices");
  return count;
}

/// The number of devices of a slice; throws for a chip or a shape that no slice has.
constexpr std::int64_t check_devices(const slice& where) {
  validate(where.chip);
  const std::int64_t count = positive_count("slice.shape: chips", chips(where));
  if (count > most_devices / where.chip.jax_devices)
    fail(errc::out_of_range, "slice.shape: chips", count, "at most 1048576 devices");
  return count * where.chip.jax_devices;
}

}  // namespace detail

/// The layout that most jobs start with: fully sharded (FSDP) inside each slice, data parallel over slices.
/// Worked: fsdp_layout(slice_for("v5p-128")) has fsdp 64.
[[nodiscard]] constexpr layout fsdp_layout(const slice& where, std::int64_t slices = 1) {
  layout result;
  result.fsdp = detail::check_devices(where);
  result.dcn_data = detail::check_slices("slices", slices);
  return result;
}

namespace detail {

/// The names of a layout's degrees, in the order of the fields.
inline constexpr const char* degree_names[] = {"layout.data",     "layout.fsdp",     "layout.tensor",
                                               "layout.expert",   "layout.context",  "layout.pipeline",
                                               "layout.dcn_data", "layout.dcn_fsdp", "layout.dcn_pipeline"};

/// Refuses, by name, a degree below 1.
constexpr void check_degrees(const layout& mesh) {
  const std::int64_t degrees[] = {mesh.data,     mesh.fsdp,     mesh.tensor,   mesh.expert,      mesh.context,
                                  mesh.pipeline, mesh.dcn_data, mesh.dcn_fsdp, mesh.dcn_pipeline};
  for (std::size_t i = 0; i < 9; ++i) {
    if (degrees[i] < 1) positive_count(degree_names[i], degrees[i]);
  }
}

}  // namespace detail

/// Devices (or chips) that the mesh fills in each slice: the product of its degrees inside a slice. Throws for a degree
/// below 1. Worked: 64 for data 2, FSDP 16 and tensor 2.
[[nodiscard]] constexpr std::int64_t mesh_size(const layout& mesh) {
  detail::check_degrees(mesh);
  return checked_multiply(checked_multiply(mesh.data, mesh.fsdp, mesh.tensor),
                          checked_multiply(mesh.expert, mesh.context, mesh.pipeline));
}

/// Slices that the mesh spans: the product of its dcn degrees. Throws for a degree below 1. Worked: 6 for
/// dcn_data 2 and dcn_fsdp 3.
[[nodiscard]] constexpr std::int64_t slices(const layout& mesh) {
  detail::check_degrees(mesh);
  return checked_multiply(mesh.dcn_data, mesh.dcn_fsdp, mesh.dcn_pipeline);
}

/// Shards of a step's batch: groups of devices that work on different sequences. Throws for a degree below 1.
/// Worked: 64 for data 2, FSDP 16, tensor 2 and dcn_data 2.
[[nodiscard]] constexpr std::int64_t batch_shards(const layout& mesh) {
  detail::check_degrees(mesh);
  return checked_multiply(checked_multiply(mesh.data, mesh.fsdp, mesh.expert), mesh.dcn_data, mesh.dcn_fsdp);
}

/// Throws, naming the degree, unless the mesh fills the slice and spans at most `most_slices` slices.
constexpr void validate(const layout& mesh, const slice& where) {
  const std::int64_t all = detail::check_devices(where);
  detail::check_degrees(mesh);
  const std::int64_t inside[] = {mesh.data, mesh.fsdp, mesh.tensor, mesh.expert, mesh.context, mesh.pipeline};
  for (std::size_t i = 0; i < 6; ++i) {
    if (inside[i] > all)
      detail::fail(errc::out_of_range, detail::degree_names[i], inside[i], "at most the devices of the slice");
  }
  const std::int64_t over[] = {mesh.dcn_data, mesh.dcn_fsdp, mesh.dcn_pipeline};
  for (std::size_t i = 0; i < 3; ++i) detail::check_slices(detail::degree_names[6 + i], over[i]);
  detail::check_slices("product of the layout's dcn degrees", slices(mesh));
  const std::int64_t room = mesh.unit == mesh_unit::devices ? all : chips(where);
  if (mesh_size(mesh) != room) {
    text<96> valid{"the "};
    valid.append(room).append(mesh.unit == mesh_unit::devices ? " devices of " : " chips of ").append(name(where));
    detail::fail(errc::invalid_argument, "product of the layout's degrees", mesh_size(mesh), valid.view());
  }
}

/// Whether attention can be sharded that many ways: query heads divide evenly, and KV heads divide too, or each
/// is copied whole to several devices. Worked: 32 heads with 8 KV heads divide 4 and 16 ways, not 3 or 64.
[[nodiscard]] constexpr bool heads_divide(const transformer& model, std::int64_t ways) noexcept {
  const attention_spec& attention = model.attention;
  if (!has_text(model)) return true;
  return ways > 0 && attention.heads % ways == 0 && (attention.kv_heads % ways == 0 || ways % attention.kv_heads == 0);
}

/// Whether a step's sequences divide evenly over the batch shards of a layout and over its microbatches.
/// Worked: 1024 sequences over FSDP 64 in 4 microbatches do, 1000 do not.
[[nodiscard]] constexpr bool batch_divides(const layout& mesh, std::int64_t global_batch,
                                           std::int64_t gradient_accumulation = 1) {
  const std::int64_t shards = checked_multiply(batch_shards(mesh), gradient_accumulation);
  return shards > 0 && global_batch % shards == 0;
}

namespace detail {

/// Refuses a batch that does not divide over its shards and microbatches.
constexpr void check_batch(const layout& mesh, const training_job& job) {
  if (batch_divides(mesh, job.global_batch, job.gradient_accumulation)) return;
  text<96> valid{"a multiple of "};
  valid.append(checked_multiply(batch_shards(mesh), job.gradient_accumulation));
  valid.append(" (data x fsdp x expert x slices x accumulation)");
  fail(errc::not_divisible, "training_job.global_batch", job.global_batch, valid.view());
}

/// Refuses a degree that does not divide the heads.
constexpr void check_heads(words field, const transformer& model, std::int64_t ways) {
  if (heads_divide(model, ways)) return;
  const bool query_heads = ways < 1 || model.attention.heads % ways != 0;
  fail(errc::not_divisible, field, ways,
       query_heads ? "a divisor of the number of heads" : "a divisor or multiple of the number of KV heads");
}

}  // namespace detail

/// Throws, naming the degree, unless the model's heads, experts and layers and the step's batch can be sharded that
/// way.
constexpr void validate(const layout& mesh, const transformer& model, const training_job& job) {
  detail::check_degrees(mesh);
  detail::check_heads("layout.tensor", model, mesh.tensor);
  if (mesh.expert > 1 && !has_experts(model)) {
    detail::fail(errc::invalid_argument, "layout.expert", mesh.expert, "1 for a model without experts");
  }
  if (has_experts(model) && model.moe.experts % mesh.expert != 0) {
    detail::fail(errc::not_divisible, "layout.expert", mesh.expert, "a divisor of the number of experts");
  }
  if (job.sequence_length % mesh.context != 0) {
    detail::fail(errc::not_divisible, "layout.context", mesh.context, "a divisor of the sequence length");
  }
  const std::int64_t stages = checked_multiply(mesh.pipeline, mesh.dcn_pipeline);
  if (stages > model.layers)
    detail::fail(errc::out_of_range, "layout.pipeline", stages, "at most the number of layers");
  detail::check_batch(mesh, job);
}

namespace detail {

/// Refuses images for a model without vision, and more images than the sequence has tokens for. Where cross-attention
/// layers attend to images, image tokens take no place in the sequence.
constexpr void check_images(const transformer& model, const training_job& job) {
  constexpr std::string_view field = "training_job.images_per_sequence";
  if (job.images_per_sequence == 0) return;
  if (!has_vision(model)) fail(errc::invalid_argument, field, job.images_per_sequence, "0 for a model without vision");
  if (model.attention.cross_layers > 0) return;
  const std::int64_t most = job.sequence_length / image_tokens(model.vision);
  if (job.images_per_sequence <= most) return;
  text<96> valid{"at most "};
  valid.append(most).append(": an image is ").append(image_tokens(model.vision)).append(" tokens of the sequence");
  fail(errc::out_of_range, field, job.images_per_sequence, valid.view());
}

/// Refuses a training job that the estimates do not cover: model, job, mesh and slice are checked each by itself and
/// together.
constexpr void check_trained(const transformer& model, const training_job& job, const layout& mesh,
                             const slice& where) {
  validate(model);
  validate(job);
  validate(mesh, where);
  validate(mesh, model, job);
  if (model.kind == architecture::encoder_decoder || model.kind == architecture::vision) {
    fail(errc::unsupported, "training of an architecture", name(model.kind),
         "decoder or encoder: two sequences in a step are not modelled");
  }
  check_images(model, job);
}

}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/parallel/interconnect.hpp

#ifndef TPUPLAN_PARALLEL_INTERCONNECT_HPP
#define TPUPLAN_PARALLEL_INTERCONNECT_HPP

#include <array>
#include <cstddef>
#include <cstdint>

/// @file
/// The one rule for rings, axes and links, and the rate at which data comes into one chip of a group. The handbook's
/// collectives, the estimates and the planner all ask here.

namespace tpuplan {
inline namespace abi_0 {

/// The achieved one-way rate of one link: nominal rate times achievable fraction. Worked: 50 GB/s x 0.9 = 45 GB/s on
/// v5e.
[[nodiscard]] constexpr bytes_per_second ici_link_rate(const chip_spec& chip) {
  detail::positive("chip.ici.nominal_one_way", chip.ici.nominal_one_way.value());
  detail::positive("chip.ici.achievable_fraction", chip.ici.achievable_fraction);
  detail::in_range("chip.ici.achievable_fraction", chip.ici.achievable_fraction, 0, 1, "above 0, at most 1");
  return chip.ici.nominal_one_way * chip.ici.achievable_fraction;
}

/// Whether an ICI axis of a slice closes into a ring, so that both of its directions carry a collective. An axis whose
/// wraparound is not established (partial slices of v2 and v3) counts as open: the answer that promises less.
/// Worked: of v5e 8x16 only the second axis is a ring; of v5p 4x4x8 all three are.
[[nodiscard]] constexpr bool is_ring(const slice& where, std::size_t axis) {
  if (axis >= 3) detail::fail(errc::out_of_range, "axis", static_cast<std::int64_t>(axis), "0, 1 or 2");
  return wraparound(where)[axis].value_or(false);
}

/// Whether a collective of n members is counted as moving the whole array or (n-1)/n of it. On rings the scaling book
/// drops the factor, because the best known two-way schedules of even rings do not gain from it; on switches it does so
/// in rough estimates.
enum class member_share : std::uint8_t {
  by_network,  ///< `whole` on rings, `others` on lines and switches
  whole,       ///< the whole array
  others       ///< (n-1)/n of it: what the other members hold
};

/// Links through which data comes into one chip of the whole slice. For a slice of one chip it is the connection
/// between its own two devices, counted in links. Worked: 6 of v5p-128, 2 of v6e-8, 6 of tpu7x-2, whose dies are joined
/// at six times the rate of a link.
[[nodiscard]] constexpr double links_into_chip(const slice& where) {
  if (chips(where) == 1) return where.chip.ici.die_to_die_over_link.value_or(1);
  const std::array<known<bool>, 3> closed = wraparound(where);  // see is_ring
  double links = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (where.shape.dims[axis] > 1) links += closed[axis].value_or(false) ? 2 : 1;
  }
  return links;
}

/// The rate at which one chip receives the traffic of a group of `group` of the slice's `units` (chips or devices),
/// while the groups of the layout's other degrees use links too. A chip's links are shared out in proportion to the
/// logarithms of the degrees, as the axes of a torus are. A group has at least one link, and leaves one to the others.
/// Worked: on v5p-128 a degree of 8 of 64 has 3 of 6 links, 270 GB/s; on v6e-256 degrees of 128 and 2 have 3 and 1
/// of 4.
[[nodiscard]] constexpr bytes_per_second group_bandwidth(const slice& where, double group, double units) {
  const bytes_per_second link = ici_link_rate(where.chip);
  const double all = links_into_chip(where);
  detail::in_range("units of the slice", units, 1, 1e9, "1 to 1e9");
  detail::in_range("units of a group", group, 1, 1e9, "1 to 1e9");
  if (group >= units) return link * (all < 1 ? 1 : all);
  double links = all * (math::log2(group) / math::log2(units));
  if (links > all - 1) links = all - 1;
  return link * (links < 1 ? 1 : links);
}

/// The rate of one chip into the network between slices: its share of the host's network card, or of PCIe where that is
/// less. Throws where the chip's DCN rate is not known. Worked: 6.25 GB/s on v5p.
[[nodiscard]] constexpr bytes_per_second dcn_rate(const chip_spec& chip) {
  const bytes_per_second network = chip.host.dcn.value("DCN rate of the chip");
  detail::positive("DCN rate of the chip", network.value());
  return min(network, chip.host.pcie.value_or(network));
}

/// What an all-reduce among n slices moves through each chip, as a multiple of the array that the chip holds: its
/// reduce-scatter and its all-gather each move (n-1)/n of the array, or each the whole of it. Worked: 1 for two slices,
/// 1.5 for four.
[[nodiscard]] constexpr double all_reduce_share(double slices, member_share share = member_share::others) noexcept {
  if (slices <= 1) return 0;
  return share == member_share::whole ? 2 : 2 * (slices - 1) / slices;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/training/terms.hpp

#ifndef TPUPLAN_ESTIMATE_TRAINING_TERMS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_TERMS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

/// @file
/// The time of a step as terms. Every part of a step takes a time per token of a chip, a time per
/// microbatch, or a time once per step. `work_terms` are those of one chip: products and HBM traffic. `layout_terms`
/// are those of a layout on its slices: collectives, network, hosts. `step_time` evaluates both and names the parts;
/// the planner adds them up once (sums.hpp) and evaluates them for every candidate. docs/model.md derives each term.

namespace tpuplan {
inline namespace abi_0 {

/// A collective: how long it takes alone, and how much of that is exposed.
struct collective_time {
  seconds whole{};    ///< if nothing else ran
  seconds exposed{};  ///< what the step waits for
};

/// The numbers of a model and a job that every term needs.
struct training_sizes {
  layer_widths width{};     ///< of a layer, per token
  forward_flops work{};     ///< of a token
  flops adapters{};         ///< forward, per token, of the products of LoRA adapters
  held_parameters held{};   ///< trained and frozen parameters
  double layers = 0;        ///< of the text stack
  double passes = 3;        ///< of a product: forward, gradients of its input, and of its weights unless frozen
  bytes exchanged{};        ///< by FSDP per microbatch: weights forward and backward, fp32 gradients
  double expert_share = 0;  ///< share of all parameters that are in routed experts
  flops tower{};            ///< forward, per token, of the vision tower and its projector
  double tower_inputs = 0;  ///< numbers per token that the tower keeps for its backward pass: its layers' inputs
};

namespace detail {

/// The size of a weight as FSDP gathers it.
constexpr bytes gathered_bytes(const training_job& job) noexcept {
  return in_eight_bits(job) && job.gathers_quantised ? bytes{1} : number_bytes(job);
}

/// Share of the parameters that are in routed experts.
constexpr double expert_share_of(const transformer& model) {
  if (!has_experts(model)) return 0;
  const parameter_count count = parameters(model);
  return static_cast<double>(count.experts) / static_cast<double>(count.total);
}

/// Adds the vision tower to the sizes of a job. A frozen tower has no backward pass.
constexpr void add_tower(training_sizes& sizes, const transformer& model, const training_job& job) {
  check_images(model, job);
  if (job.images_per_sequence == 0) return;
  const vision_spec& vision = model.vision;
  const double images = static_cast<double>(job.images_per_sequence) / static_cast<double>(job.sequence_length);
  sizes.tower = images * vision_flops_per_image(vision);
  if (sizes.held.frozen > 0) return;
  const double inputs = static_cast<double>(vision_tokens(vision)) * static_cast<double>(vision.d_model);
  sizes.tower_inputs = images * static_cast<double>(vision.layers) * inputs;
}

}  // namespace detail

/// The sizes of a training job. Worked: FSDP of llama-3-8b exchanges 8 B for each of its 8030261248 parameters.
[[nodiscard]] constexpr training_sizes sizes_of(const transformer& model, const training_job& job,
                                                const calibration& constants = {}) {
  validate_settings(job);
  training_sizes sizes;
  sizes.width = widths_of(model, constants.global_heads_apart);
  sizes.width.scores = scores_width(model, job);
  sizes.work = forward_flops_per_token(model, job.sequence_length);
  sizes.layers = static_cast<double>(model.layers);
  sizes.held = held_by(model, job);
  if (job.lora_rank > 0) sizes.adapters = flops{2 * sizes.held.trained}, sizes.passes = 2;
  const double gathered = 2 * detail::gathered_bytes(job).value();
  sizes.expert_share = detail::expert_share_of(model);
  sizes.exchanged = bytes{(gathered + 4) * sizes.held.trained + gathered * sizes.held.frozen};
  detail::add_tower(sizes, model, job);
  return sizes;
}

/// What products and HBM traffic take on one chip under one tensor degree and one remat policy.
struct work_terms {
  /// @{
  /// Per token of a chip.
  seconds dense_products{}, expert_products{}, logits{}, attention{}, vision{};
  seconds elementwise{}, scores{}, operands{}, dispatch{};
  /// @}
  seconds operand_weights{};  ///< per microbatch: weights that products read, gradients they write
  seconds weight_reads{};     ///< per microbatch: gathered weights, of all experts and pipeline stages
  seconds weight_update{};    ///< once per step: optimizer and gradients of all weights, not sharded
  double tensor_passes = 1;   ///< times that a token's activations pass tensor-parallel collectives
  double expert_passes = 1;   ///< times that a token goes to its experts and back
};

/// What a layout on its slices adds to the work, and which part of the work is on one chip.
struct layout_terms {
  double tokens = 0;          ///< of a step on a chip
  double weight_shards = 1;   ///< chips over which weights are sharded, within a slice
  double gathered_share = 1;  ///< of the gathered weights that are on one chip: experts and pipeline stages divide them
  collective_time fsdp{};     ///< per microbatch
  collective_time data{};     ///< once per step
  collective_time tensor{};   ///< per pass
  collective_time expert{};   ///< per pass
  collective_time context{};  ///< once per step
  seconds overhead{};         ///< per microbatch: fixed time of layers and passes
  double imbalance = 0;       ///< extra attention of the chip with a sequence's last shard, over the mean
  double bubble = 0;          ///< share of the work in which pipeline stages wait
  double jitter = 0;          ///< share of the work in which slices wait for the slowest
  seconds dcn_once{};         ///< between slices, once per step, alone
  seconds dcn_each{};         ///< between slices, per microbatch, alone
  double dcn_exposed = 0;     ///< part of that traffic that the step waits for
  seconds host_once{};        ///< between hosts and chips, once per step, alone
  seconds host_each{};        ///< between hosts and chips, per microbatch, alone
  double host_exposed = 0;    ///< part of that traffic that the step waits for
  bool hidden_by_work = false;  ///< traffic cannot be hidden for longer than the work takes
  double software = 1;          ///< factor over the time of a tuned recipe
};

namespace detail {

/// The factor over the time of a tuned recipe for software of that level.
constexpr double software_factor(software_level level, const calibration& constants) noexcept {
  const double factors[] = {1, constants.general_software, constants.first_port};
  return factors[static_cast<std::size_t>(level)] * constants.own_factor;
}

/// 1 where a product is computed again in the backward pass.
constexpr double again(placement where) noexcept { return where == placement::recompute ? 1 : 0; }

/// How many of the three kinds of products (qkv, out_proj, mlp_up) are computed again.
constexpr double products_again(const remat_policy& policy) noexcept {
  return again(policy.qkv) + again(policy.out_proj) + again(policy.mlp_up);
}

/// FLOPs of the attention core per token, with head sizes padded to 128 lanes and keys in the kernel's blocks: half a
/// block more than the causal half, one block more than a window. An unfused kernel computes all keys.
constexpr double padded_attention(const transformer& model, const training_job& job, const calibration& constants) {
  const auto padded = [](std::int64_t head) { return static_cast<double>(round_up(head, 128)); };
  const double block = constants.attention_block;
  const attention_spec& attention = model.attention;
  const auto length = static_cast<double>(job.sequence_length);
  const bool unfused = job.attention == attention_kernel::unfused;
  const bool whole = model.kind == architecture::encoder || unfused;
  const double all = whole ? length : (length + (block < length ? block : length)) / 2;
  const double seen = unfused ? all : static_cast<double>(attention.window) + block;
  const double local = seen < all ? seen : all;
  const auto layers = static_cast<double>(attention_layers(model));
  const auto local_layers = static_cast<double>(attention.local_layers);
  const auto heads = static_cast<double>(attention.heads);
  if (has_latent_attention(model)) {
    const std::int64_t keys = attention.latent.qk_nope_head_dim + attention.latent.qk_rope_head_dim;
    const auto sizes = static_cast<double>(keys + attention.latent.v_head_dim);
    const double width = constants.latent_values_padded ? sizes * (padded(keys) / static_cast<double>(keys))
                                                        : padded(keys) + padded(attention.latent.v_head_dim);
    const double chosen = attention.indexer.heads > 0 ? chosen_keys(model, length, maxtext_flops) + block / 2 : all;
    return 2 * layers * heads * (chosen < all ? chosen : all) * width + beside_scores(model, length, all).value();
  }
  const double global_head = padded(attention.global_head_dim > 0 ? attention.global_head_dim : attention.head_dim);
  return 2 * 2 * heads *
             (local_layers * local * padded(attention.head_dim) + (layers - local_layers) * all * global_head) +
         beside_scores(model, length, all).value();
}

/// Passes of the attention core in units of its forward pass. The fused kernel takes 3.5, because the backward pass
/// computes the scores a second time, at a different rate. Unfused products take 3, and more for what was not kept:
/// the scores, and their product with the values where its result is needed.
constexpr double attention_passes(const training_job& job, const calibration& constants) {
  const remat_policy& policy = job.remat;
  if (job.attention == attention_kernel::flash)
    return constants.attention_slowdown * (policy.attention_again ? 4.5 : 3.5);
  return 3 + again(policy.elementwise) * (1 + again(policy.context)) / 2;
}

/// A product of a layer: FLOPs per token of its forward pass, how often a step computes it, and its contracted and
/// outer dimensions on one device after tensor parallelism.
struct product_on_device {
  flops work{};
  double passes = 0, inner = 0, outer = 0;
};

/// The dense products of all layers, with MLP widths averaged over the layers that have an MLP, and the products of
/// adapters, which are always trained.
constexpr std::array<product_on_device, 5> dense_products(const training_sizes& sizes, const transformer& model,
                                                          const training_job& job, double tensor) {
  const forward_flops& f = sizes.work;
  const remat_policy& policy = job.remat;
  const layer_widths& w = sizes.width;
  const double d = w.d_model;
  const bool beside_experts = model.moe.shared_d_ff > 0 || model.moe.parallel_dense_d_ff > 0;
  const std::int64_t layers = beside_experts ? model.layers - model.mlp.absent : dense_layers(model);
  const double matrices = (model.mlp.gated ? 3 : 2) * d * static_cast<double>(layers > 0 ? layers : 1);
  const double mlp = static_cast<double>(dense_mlp_matrices(model)) / matrices / tensor;
  return {{{f.qkv, sizes.passes + again(policy.qkv), d, w.qkv / tensor},
           {f.attention_output, sizes.passes + again(policy.out_proj), w.context / tensor, d},
           {f.mlp_up, sizes.passes + again(policy.mlp_up), d, mlp},
           {f.mlp_down, sizes.passes, mlp, d},
           {sizes.adapters, 3.0 + (products_again(policy) > 0 ? 1 : 0), static_cast<double>(job.lora_rank), d}}};
}

/// FLOPs of all passes of a product, with both dimensions padded to the side of the MXU.
constexpr double filled_work(const product_on_device& product, const chip_spec& chip, const calibration& constants) {
  const double asked_for = product.work.value() * product.passes;
  if (!constants.products_padded || product.inner <= 0 || product.outer <= 0) return asked_for;
  const std::int64_t side = positive_count("chip.mxu.side", chip.mxu.side);
  const auto filled = [side](double size) { return static_cast<double>(round_up(ceil_to_count(size), side)) / size; };
  return asked_for * filled(product.inner) * filled(product.outer);
}

/// Passes of the vision tower, which has no adapters: a frozen tower runs only forward.
constexpr double tower_passes(const training_sizes& sizes) noexcept { return sizes.held.frozen > 0 ? 1 : 3; }

constexpr void add_compute(work_terms& terms, const training_sizes& sizes, const transformer& model,
                           const training_job& job, const chip_spec& chip, double tensor,
                           const calibration& constants) {
  const double peak = positive("chip.peak.bf16", peak_rate(chip, dtype::bf16).value());
  const bool doubled = in_eight_bits(job) && peak_rate(chip, job.compute).value() > peak;
  const double in_8_bits = doubled ? 1 - constants.low_precision_share / 2 : 1;
  const double per_flop = job.work_multiplier / (peak * mxu_fraction(constants, chip));
  const auto filled = [&](const product_on_device& product) { return filled_work(product, chip, constants); };
  const double d = sizes.width.d_model;
  const double expert = static_cast<double>(model.moe.expert_d_ff) / tensor;
  const double vocab = static_cast<double>(model.vocab) / tensor;
  double dense = 0;
  for (const product_on_device& product : dense_products(sizes, model, job, tensor)) dense += filled(product);
  const double experts = filled({sizes.work.experts_up, sizes.passes + again(job.remat.mlp_up), d, expert}) +
                         filled({sizes.work.experts_down, sizes.passes, d, expert});
  terms.dense_products = seconds{per_flop * in_8_bits * dense};
  const double tiles = job.default_tiles ? constants.default_tiles : 1;
  terms.expert_products = seconds{per_flop * in_8_bits * job.capacity_factor * tiles * experts};
  terms.logits = seconds{per_flop * job.logits_fraction * filled({sizes.work.logits, sizes.passes, d, vocab})};
  terms.attention = seconds{per_flop * padded_attention(model, job, constants) * attention_passes(job, constants)};
  terms.vision = seconds{per_flop * tower_passes(sizes) * sizes.tower.value()};
}

constexpr void add_hbm(work_terms& terms, const training_sizes& sizes, const transformer& model,
                       const training_job& job, const chip_spec& chip, double tensor, const calibration& constants) {
  const layer_widths& w = sizes.width;
  const remat_policy& policy = job.remat;
  const double rate = positive("chip.hbm.bandwidth", chip.hbm.bandwidth.value());
  const double per_byte = constants.hbm_passes / rate;
  const auto devices_per_chip = static_cast<double>(chip.jax_devices);
  const double passes = products_again(policy) > 0 ? elementwise_passes_with_remat : elementwise_passes;
  const double number = number_bytes(job).value();
  const double numbers = passes * number * sizes.layers * (8 * w.d_model + 2 * w.qkv + w.mlp);
  terms.elementwise = seconds{per_byte * (numbers + 16 * static_cast<double>(model.vocab))};
  // Forward: scores and probabilities, each written and read. Backward: probabilities read for the gradient of the
  // values; their gradient written, read beside them by the softmax, and that of the scores written and read twice.
  const double moves = 4 + 7 + again(policy.elementwise) * (3 + again(policy.context));
  terms.scores = seconds{per_byte * sizes.layers * w.scores * number * moves};
  // A product of m x k x n takes f (1/m + 1/k + 1/n) / 2 numbers for f FLOPs. The rows m are the tokens of a
  // microbatch on a device, so that the first part does not depend on the tokens.
  double of_tokens = 0, of_weights = 0;
  for (const product_on_device& product : dense_products(sizes, model, job, tensor)) {
    if (!(product.work.value() > 0)) continue;
    of_tokens += product.work.value() * product.passes * (1 / product.inner + 1 / product.outer);
    of_weights += product.work.value() * product.passes;
  }
  const double per_operand = per_byte * constants.operand_reads * job.work_multiplier * number / 2;
  terms.operands = seconds{per_operand * of_tokens};
  terms.operand_weights = seconds{per_operand * of_weights * devices_per_chip / tensor};
  const double gathered =
      gathered_bytes(job).value() * (sizes.held.trained + sizes.held.frozen) / tensor * devices_per_chip;
  terms.weight_reads = seconds{per_byte * constants.weight_reads * gathered * (sizes.passes + again(policy.mlp_up))};
  const double updated = constants.fixed_update > 0 ? constants.fixed_update : update_bytes_per_parameter(job).value();
  terms.weight_update = seconds{updated * sizes.held.trained / rate};
  const double routed =
      static_cast<double>(model.moe.top_k) * w.d_model * number * static_cast<double>(moe_layers(model));
  terms.dispatch = seconds{constants.dispatch_passes * job.capacity_factor * routed * (3 + again(policy.mlp_up)) *
                           (constants.dispatch_on_every_shard ? tensor : 1) / rate};
}

/// The time of a collective that moves `moved` bytes into each chip of a group of `group` of the slice's `units`.
constexpr collective_time collective_of(const slice& where, std::int64_t group, std::int64_t units, double moved,
                                        double exposed) {
  const bytes_per_second rate = group_bandwidth(where, static_cast<double>(group), static_cast<double>(units));
  const seconds whole = bytes{moved} / rate;
  return {whole, whole * exposed};
}

/// Adds the collectives inside a slice.
constexpr void add_ici(layout_terms& terms, const training_sizes& sizes, const transformer& model,
                       const training_job& job, const layout& mesh, const slice& where, double stages,
                       const calibration& constants) {
  const std::int64_t units = mesh_size(mesh);
  const double d = sizes.width.d_model;
  const double number = number_bytes(job).value();
  const double weights_exposed = job.synchronous_collectives ? 1 : constants.exposed_fsdp;
  // Weights are also sharded over the context degree and, except those of experts, over the expert degree.
  if (const std::int64_t shards = checked_multiply(mesh.fsdp, mesh.context); shards > 1) {
    const double experts = sizes.expert_share / static_cast<double>(mesh.expert);
    const double others = 1 - sizes.expert_share;
    const double moved = sizes.exchanged.value() * (experts + others) / (static_cast<double>(mesh.tensor) * stages);
    terms.fsdp = collective_of(where, shards, units, moved, weights_exposed);
  }
  if (mesh.data > 1)
    terms.data = collective_of(where, mesh.data, units, 8 * sizes.held.trained / terms.weight_shards, weights_exposed);
  if (mesh.context > 1) {
    // Keys and values of whole sequences, gathered forward and backward, and their gradients scattered.
    const attention_spec& attention = model.attention;
    const std::int64_t key = attention.latent.qk_nope_head_dim + attention.latent.qk_rope_head_dim;
    const double latent_queries = static_cast<double>(checked_multiply(attention.heads, key));
    const double queries = has_latent_attention(model) ? latent_queries : sizes.width.context;
    const double others = terms.tokens * static_cast<double>(mesh.context - 1);
    terms.context =
        collective_of(where, mesh.context, units, 3 * sizes.layers * others * (sizes.width.qkv - queries) * number,
                      constants.exposed_context);
  }
  if (mesh.tensor > 1) {
    const double others = terms.tokens * static_cast<double>(mesh.tensor - 1);
    const double exposed =
        job.software == software_level::tuned ? constants.exposed_tensor : constants.general_exposed_tensor;
    terms.tensor = collective_of(where, mesh.tensor, units, others * d * 4 * number * sizes.layers, exposed);
  }
  if (mesh.expert > 1) {
    const double ways = static_cast<double>(mesh.expert) / 4;
    const double routed =
        static_cast<double>(model.moe.top_k) * d * 2 * number * static_cast<double>(moe_layers(model));
    terms.expert = collective_of(where, mesh.expert, units, terms.tokens * routed * (ways > 1 ? ways : 1),
                                 constants.exposed_expert);
  }
}

/// Adds the traffic between slices. Data parallelism reduces gradients once per step, each slice those of its pipeline
/// stages. Weights sharded over slices are gathered forward and backward and their gradients scattered in every
/// microbatch, each chip its own shard. A pipeline over slices passes on the activations of every token, and their
/// gradients.
constexpr void add_dcn(layout_terms& terms, const training_sizes& sizes, const training_job& job, const layout& mesh,
                       const slice& where, const calibration& constants) {
  if (slices(mesh) == 1) return;
  const bytes_per_second rate = dcn_rate(where.chip);
  const auto ways = static_cast<double>(mesh.dcn_fsdp);
  const auto stages = static_cast<double>(mesh.dcn_pipeline);
  const double reduced = all_reduce_share(static_cast<double>(mesh.dcn_data)) * 4 * sizes.held.trained;
  terms.dcn_once = bytes{reduced / static_cast<double>(chips(where)) / (ways * stages)} / rate;
  if (stages > 1) terms.dcn_once += number_bytes(job) * (2 * sizes.width.d_model * terms.tokens * stages) / rate;
  terms.dcn_each = sizes.exchanged * ((ways - 1) / ways / terms.weight_shards) / rate;
  terms.dcn_exposed = constants.exposed_dcn;
}

/// Adds the traffic between host memory and chip: optimizer state in and out once per step, parameters in for every
/// forward and backward pass, trained ones in and out for the update. It is exposed: HBM has no room for the state
/// before the backward pass ends, so it cannot come earlier. Both directions are added.
constexpr void add_host(layout_terms& terms, const training_sizes& sizes, const training_job& job, const slice& where,
                        const calibration& constants) {
  if (job.state_on_host == host_state::none) return;
  const double rate = positive("PCIe rate of the chip", where.chip.host.pcie.value("PCIe rate of the chip").value());
  const double weights = sizes.held.trained * size_of(job.weights).value();
  const double frozen = sizes.held.frozen_bytes.value();
  double once = 2 * sizes.held.trained * optimizer_bytes_per_parameter(job).value();
  if (job.state_on_host == host_state::parameters_and_optimizer) {
    once += 2 * weights;
    terms.host_each = seconds{2 * (weights + frozen) / terms.weight_shards / rate};
  }
  terms.host_once = seconds{once / terms.weight_shards / rate};
  terms.host_exposed = constants.exposed_host;
}

/// The bubble: share of the work in which stages wait for the first and last microbatches: (p-1) / (m v), for m
/// microbatches and v rounds of interleaved stages, in GPipe and in 1F1B alike. Source: Narayanan et al. 2021, arXiv
/// 2104.04473.
constexpr double bubble_share(const training_job& job, double stages) {
  const double pieces = job.pipeline_microbatches > 0 ? static_cast<double>(job.pipeline_microbatches) : 4 * stages;
  return (stages - 1) / (pieces * static_cast<double>(job.pipeline_rounds));
}

}  // namespace detail

/// The terms of one chip, with activations sharded over `tensor` devices. The batch and the microbatches of the job
/// have no influence. Throws where a rate that the job needs is unknown. Worked: dense products of llama-3-8b on v5p
/// under `full` take 148 us per token.
[[nodiscard]] constexpr work_terms work_terms_of(const training_sizes& sizes, const transformer& model,
                                                 const training_job& job, const chip_spec& chip, std::int64_t tensor,
                                                 const calibration& constants = {}) {
  validate_settings(job);
  const auto ways = static_cast<double>(detail::positive_count("layout.tensor", tensor));
  work_terms terms;
  detail::add_compute(terms, sizes, model, job, chip, ways, constants);
  detail::add_hbm(terms, sizes, model, job, chip, ways, constants);
  const bool all_again = detail::products_again(job.remat) == 3 && job.remat.attention_again;
  terms.tensor_passes = all_again ? tensor_passes_with_remat : tensor_passes;
  terms.expert_passes = 3 + detail::again(job.remat.mlp_up);
  return terms;
}

namespace detail {

/// The features by which training steps are compared: see `features_of`.
constexpr run_features training_features(const training_sizes& sizes, const transformer& model, const training_job& job,
                                         const layout& mesh, const slice& where) {
  const auto chip_total = static_cast<double>(checked_multiply(chips(where), slices(mesh)));
  run_features about;
  about.size = math::log2(sizes.held.trained + sizes.held.frozen);
  about.load = math::log2(static_cast<double>(tokens_per_step(job)) / chip_total);
  about.length = math::log2(static_cast<double>(job.sequence_length));
  about.chips = math::log2(chip_total);
  about.chip = chip_mark(where.chip.name);
  const bool kinds[] = {has_experts(model),
                        in_eight_bits(job),
                        mesh.tensor > 1,
                        mesh.expert > 1,
                        mesh.context > 1,
                        checked_multiply(mesh.pipeline, mesh.dcn_pipeline) > 1,
                        job.software != software_level::tuned};
  std::uint32_t bit = 1;
  for (const bool is : kinds) {
    if (is) about.kind |= bit;
    bit *= 2;
  }
  return about;
}

/// `layout_terms_of` for a layout that is known to be valid on these slices, as the planner's are.
constexpr layout_terms terms_of_valid(const training_sizes& sizes, const transformer& model, const training_job& job,
                                      const layout& mesh, const slice& where, const calibration& constants) {
  const auto slice_chips = static_cast<double>(chips(where));
  const auto slice_total = static_cast<double>(slices(mesh));
  const auto stages = static_cast<double>(checked_multiply(mesh.pipeline, mesh.dcn_pipeline));
  layout_terms terms;
  terms.tokens = static_cast<double>(tokens_per_step(job)) / (slice_chips * slice_total);
  const double chips_per_unit = slice_chips / static_cast<double>(mesh_size(mesh));
  const auto ways =
      static_cast<double>(checked_multiply(checked_multiply(mesh.fsdp, mesh.context), mesh.tensor, mesh.expert));
  terms.weight_shards = ways * stages * chips_per_unit;
  if (const double most = slice_chips * stages; terms.weight_shards > most) terms.weight_shards = most;
  terms.gathered_share = (sizes.expert_share / static_cast<double>(mesh.expert) + 1 - sizes.expert_share) / stages;
  terms.overhead = constants.per_layer_pass * (4 * sizes.layers);
  if (mesh.context > 1) {
    // The last of c equal shards of a causal sequence sees 2 - 1 / c times the mean number of keys.
    const auto parts = static_cast<double>(mesh.context);
    if (!job.context_balanced && model.kind != architecture::encoder) terms.imbalance = (parts - 1) / parts;
    if (job.ring_attention) terms.overhead += constants.ring_step * (4 * sizes.layers * parts);
  }
  terms.bubble = bubble_share(job, stages);
  terms.jitter = constants.slowdown_per_doubling * math::log2(slice_total);
  terms.hidden_by_work = constants.hidden_by_work_only;
  terms.software = software_factor(job.software, constants);
  if (constants.own.count > 0)
    terms.software *= own_factor(constants.own, training_spreads, training_features(sizes, model, job, mesh, where));
  add_ici(terms, sizes, model, job, mesh, where, stages, constants);
  add_dcn(terms, sizes, job, mesh, where, constants);
  add_host(terms, sizes, job, where, constants);
  return terms;
}

}  // namespace detail

/// The terms of a layout on its slices, for the batch of the job. Its remat policy and microbatches have no influence.
/// Throws where a rate that the layout needs is unknown. Source: docs/model.md. Worked: 64 sequences of 4096 tokens on
/// the 64 chips of v5p-128 under FSDP are 4096 tokens a chip, with weights in 64 shards and no bubble.
[[nodiscard]] constexpr layout_terms layout_terms_of(const training_sizes& sizes, const transformer& model,
                                                     const training_job& job, const layout& mesh, const slice& where,
                                                     const calibration& constants = {}) {
  validate(mesh, where);
  validate_settings(job);
  return detail::terms_of_valid(sizes, model, job, mesh, where, constants);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/verdict.hpp

#ifndef TPUPLAN_ESTIMATE_VERDICT_HPP
#define TPUPLAN_ESTIMATE_VERDICT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// The answer to "does it fit", for training and serving alike.

namespace tpuplan {
inline namespace abi_0 {

/// Whether a job fits into HBM; `uncertain` where it depends on what the compiler does.
enum class verdict : std::uint8_t { yes, uncertain, no };

/// "yes", "uncertain" or "no".
[[nodiscard]] constexpr std::string_view name(verdict answer) noexcept {
  constexpr const char* names[] = {"yes", "uncertain", "no"};
  return detail::name_of(names, static_cast<std::size_t>(answer));
}

/// A job surely fits where its high estimate is below this share of the usable HBM. A training job surely does not fit
/// where its low estimate is as far above the usable HBM: 103 % of it.
inline constexpr double safe_share = 0.97;

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/training/memory.hpp

#ifndef TPUPLAN_ESTIMATE_TRAINING_MEMORY_HPP
#define TPUPLAN_ESTIMATE_TRAINING_MEMORY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// HBM that training takes on one JAX device, part by part, and whether XLA lets a program use that much.

namespace tpuplan {
inline namespace abi_0 {

/// The stages of a step, one of which needs the most memory; tensors of different stages are never live together.
/// `logits`: the end of the forward pass, with logits and output head beside all saved activations. `layer`: the
/// backward pass of one layer, with its weights, what it computes again, and gradients. `update`: all gradients and
/// what the optimizer keeps.
enum class memory_stage : std::uint8_t { logits, layer, update };

/// "logits", "layer" or "update".
[[nodiscard]] constexpr std::string_view name(memory_stage stage) noexcept {
  constexpr const char* names[] = {"logits", "layer", "update"};
  return detail::name_of(names, static_cast<std::size_t>(stage));
}

/// Bytes on one device in the stage that needs most; the parts add up to `total`.
struct memory_breakdown {
  bytes parameters{};        ///< the form that is kept between steps
  bytes optimizer{};         ///< the optimizer's state
  bytes gradients{};         ///< accumulated in fp32, and those that the stage has made
  bytes activations{};       ///< saved between forward and backward pass
  bytes logits{};            ///< logits and their gradient
  bytes gathered_weights{};  ///< under FSDP: whole weights in flight, and gradients that wait to be reduced
  bytes workspace{};         ///< what a layer computes again, gradients of activations, buffers of transfers
  bytes total{};             ///< in the stage that needs most
  bytes low{};               ///< low end: what a good compiler needs
  bytes high{};              ///< high end: nothing is fused or reused
  bytes usable{};            ///< what XLA lets a program use on the device
  memory_stage stage = memory_stage::layer;  ///< the stage that needs most
};

/// HBM that is left: usable less total; negative where the job does not fit. Worked: 15.5 of 31.25 GiB in use leave
/// 15.75 GiB.
[[nodiscard]] constexpr bytes headroom(const memory_breakdown& memory) noexcept { return memory.usable - memory.total; }

/// `yes` where even the high estimate is below 97 % of what is usable, `no` where the low one is above 103 %.
/// Worked: `yes` for a high estimate of 25.24 GiB of 31.25 (docs/model.md).
[[nodiscard]] constexpr verdict fits(const memory_breakdown& memory) noexcept {
  if (memory.high < safe_share * memory.usable) return verdict::yes;
  return memory.low > (2 - safe_share) * memory.usable ? verdict::no : verdict::uncertain;
}

/// The name of the largest part of the stage that needs most: why a job does not fit. Worked: "logits" for 128
/// sequences of 4096 tokens of llama-3-8b on v5p-128 under FSDP.
[[nodiscard]] constexpr std::string_view largest_part(const memory_breakdown& memory) noexcept {
  constexpr const char* names[] = {"state", "gradients", "activations", "logits", "gathered weights", "workspace"};
  bytes most = memory.parameters + memory.optimizer;
  std::size_t largest = 0, i = 0;
  for (const bytes part :
       {memory.gradients, memory.activations, memory.logits, memory.gathered_weights, memory.workspace}) {
    if (++i; part > most) most = part, largest = i;
  }
  return names[largest];
}

/// The memory of one stage. State is sharded with the weights; gathered weights are sharded by tensor parallelism
/// alone; the rest grows with the tokens of a microbatch.
struct stage_terms {
  /// @{
  /// Bytes of all weights, before they are sharded. `accumulated_gradients` replaces `gradients` where several
  /// microbatches add to them.
  bytes parameters{}, optimizer{}, gradients{}, accumulated_gradients{};
  /// @}
  double brought = 1;        ///< share of the parameters in HBM; multiplied by the stages, at most 1
  bytes gathered{};          ///< whole weights on a device under FSDP
  bytes gathered_experts{};  ///< whole weights of experts under FSDP, before expert parallelism
  /// @{
  /// Bytes for each token of a microbatch on a device.
  bytes activations{}, logits{}, workspace{};
  double worst = 0;  ///< share of the buffers for the worst routing that is taken: 0 or 1
  bytes routed{};    ///< workspace of tokens routed to experts, if each shard gets as many as it sends
  /// @}
};

/// The stages of a step by `memory_stage`, under one estimate of what the compiler does.
using memory_terms = std::array<stage_terms, 3>;

/// What the memory of a device depends on in a layout.
struct memory_layout {
  double weight_shards = 1;  ///< devices over which weights are sharded, all pipeline stages and slices counted
  double stages = 1;         ///< pipeline stages
  double gathers = 0;        ///< 1 where FSDP gathers weights, else 0
  double experts = 1;        ///< ways of expert parallelism
  double tokens = 0;         ///< tokens of a step on a device
  double worst_routed = 1;   ///< routed tokens a shard has buffers for, over those it sends
};

namespace detail {

/// Buffers for routed tokens on a shard of experts, as a multiple of the tokens it sends. Where none is dropped, all
/// tokens of all e shards may be routed here, each to as many of its k experts as lie here: e x min(E / e, k) / k. With
/// a capacity factor it is 1.
constexpr double worst_routed(const transformer& model, const training_job& job, const layout& mesh) noexcept {
  if (!has_experts(model) || mesh.expert == 1 || job.capacity_factor > 1) return 1;
  const auto shards = static_cast<double>(mesh.expert), chosen = static_cast<double>(model.moe.top_k);
  const double here = static_cast<double>(model.moe.experts) / shards;
  return shards * (here < chosen ? here : chosen) / chosen;
}

/// `memory_layout_of` for a layout that is known to be valid on these slices.
constexpr memory_layout memory_layout_of_valid(const transformer& model, const training_job& job, const layout& mesh,
                                               const slice& where) {
  const double devices_per_unit =
      mesh.unit == mesh_unit::chips ? static_cast<double>(devices(where)) / static_cast<double>(chips(where)) : 1;
  memory_layout at;
  at.stages = static_cast<double>(checked_multiply(mesh.pipeline, mesh.dcn_pipeline));
  at.weight_shards =
      static_cast<double>(checked_multiply(checked_multiply(mesh.fsdp, mesh.context), mesh.tensor, mesh.expert)) *
      devices_per_unit * static_cast<double>(mesh.dcn_fsdp) * at.stages;
  at.gathers = mesh.fsdp > 1 || mesh.dcn_fsdp > 1 || mesh.context > 1 ? 1 : 0;
  at.experts = static_cast<double>(mesh.expert);
  at.worst_routed = worst_routed(model, job, mesh);
  at.tokens =
      static_cast<double>(tokens_per_step(job)) / static_cast<double>(checked_multiply(devices(where), slices(mesh)));
  return at;
}

}  // namespace detail

/// The figures of a layout that memory depends on. Worked: FSDP over v5p-128 shards weights over 64 devices.
[[nodiscard]] constexpr memory_layout memory_layout_of(const transformer& model, const training_job& job,
                                                       const layout& mesh, const slice& where) {
  validate(mesh, where);
  return detail::memory_layout_of_valid(model, job, mesh, where);
}

namespace detail {

/// Bytes of gathered weights on a device after tensor parallelism: of a layer without experts, of a layer's experts, of
/// the output head.
struct gathered_weights {
  double layer = 0, experts = 0, head = 0;
};
constexpr gathered_weights gathered_of(const transformer& model, double element, double tensor) {
  const parameter_count count = parameters(model);
  const std::int64_t elsewhere =
      count.embedding + count.lm_head + count.experts + count.vision + count.projector + count.head;
  const auto body = static_cast<double>(count.total > elsewhere ? count.total - elsewhere : 0);
  gathered_weights result;
  result.layer = element * body / static_cast<double>(model.layers) / tensor;
  if (const auto layers = static_cast<double>(moe_layers(model)); layers > 0)
    result.experts = element * static_cast<double>(count.experts) / layers / tensor;
  result.head = element * static_cast<double>(checked_multiply(model.vocab, model.d_model)) / tensor;
  return result;
}

/// Layers whose parameters are in HBM when they are kept in host memory: the one in use and the next.
inline constexpr double host_layers_of_state = 2;

/// What every stage holds: weights, optimizer state, and activations saved for the backward pass.
constexpr stage_terms kept_terms(const transformer& model, const training_job& job, const training_sizes& sizes,
                                 const memory_calibration& constants) {
  stage_terms kept;
  kept.parameters = sizes.held.frozen_bytes + size_of(job.weights) * sizes.held.trained;
  kept.accumulated_gradients = bytes{4 * sizes.held.trained};
  if (job.state_on_host == host_state::none) kept.optimizer = optimizer_bytes_per_parameter(job) * sizes.held.trained;
  if (job.state_on_host == host_state::parameters_and_optimizer)
    kept.brought = host_layers_of_state / static_cast<double>(model.layers);
  const double element = number_bytes(job).value();
  remat_policy fused = job.remat;
  fused.elementwise = placement::recompute;
  const double without = saved_width(sizes.width, fused);
  const double width = without + constants.kept_elementwise * (saved_width(sizes.width, job.remat) - without);
  kept.activations = bytes{element * (sizes.layers * width + sizes.tower_inputs)};
  return kept;
}

/// Width of the MLPs of the experts that a token is routed to, averaged over the layers.
constexpr double routed_mlp_width(const transformer& model, const layer_widths& width) noexcept {
  const double matrices = model.mlp.gated ? 3 : 2;
  const double routed = static_cast<double>(model.moe.expert_d_ff) * static_cast<double>(model.moe.top_k) *
                        static_cast<double>(moe_layers(model)) / static_cast<double>(model.layers) * matrices;
  return routed < width.mlp ? routed : width.mlp;
}

/// What a policy keeps of that width.
constexpr double saved_routed_width(const transformer& model, const layer_widths& width, const remat_policy& policy) {
  layer_widths routed;
  routed.mlp = routed_mlp_width(model, width);
  const double matrices = model.mlp.gated ? 3 : 2;
  routed.mlp_up = routed.mlp * ((matrices - 1) / matrices);
  return saved_width(routed, policy);
}

/// Workspace per token for routing, in a layer with experts: copies of the token on the way to its experts and back,
/// which every tensor shard makes of all tokens, and the activations of the experts, computed again, with gradients.
constexpr bytes routed_workspace(const transformer& model, const training_job& job, std::int64_t tensor,
                                 const memory_calibration& k) {
  if (moe_layers(model) == 0) return {};
  const double copies = k.routed_copies * static_cast<double>(model.d_model) * static_cast<double>(tensor);
  const double inner = (model.mlp.gated ? 3 : 2) * static_cast<double>(model.moe.expert_d_ff);
  const double chosen = static_cast<double>(model.moe.top_k) * (job.capacity_factor > 1 ? job.capacity_factor : 1);
  return number_bytes(job) * (chosen * (copies + inner) * (k.recomputed + k.routed_gradients));
}

/// Workspace per token of the backward pass of a layer: what is computed again, gradients of activations, 8-bit
/// copies of operands, buffers of transfers, and scores where attention is not fused.
constexpr bytes layer_workspace(const transformer& model, const training_job& job, const layer_widths& width,
                                std::int64_t tensor, const memory_calibration& constants) {
  const double element = number_bytes(job).value();
  double copies = in_eight_bits(job) ? constants.quantised_bytes_per_element : 0;
  if (job.compute == dtype::fp8 && copies > 1) copies = 1;
  const double all = width.qkv + width.mlp - routed_mlp_width(model, width) + 4 * width.d_model;
  const double saved = saved_width(width, job.remat) - saved_routed_width(model, width, job.remat);
  const double again = all > saved ? all - saved : 0;
  const double sharded = tensor > 1 ? static_cast<double>(tensor) * width.d_model : 0;
  // Probabilities and their gradient, but for those that are saved.
  const double saved_scores = job.remat.elementwise == placement::device ? 1 : 0;
  const double scores = width.scores * (2 * constants.scores_copies - saved_scores);
  const auto layers = static_cast<double>(model.layers);
  const double host_layers = constants.host_layers < layers ? constants.host_layers : layers;
  const double on_the_way = host_layers * saved_width(width, job.remat, placement::host);
  return bytes{(element + copies) * (constants.recomputed * again + constants.activation_gradients * all) +
               element * (sharded + scores + on_the_way)};
}

}  // namespace detail

/// The terms of a step's memory under one estimate of what the compiler does: `memory_low`, `memory_point` or
/// `memory_high`. The batch and microbatches of the job have no influence. Source: docs/model.md. Worked: for
/// llama-3-8b a token adds 4 x 128256 = 513024 B of logits in `memory_point`, and the state of AdamW in fp32 is 8 x
/// 8030261248 B in the stage `update`, before it is sharded.
[[nodiscard]] constexpr memory_terms memory_terms_of(const training_sizes& sizes, const transformer& model,
                                                     const training_job& job, std::int64_t tensor,
                                                     const memory_calibration& constants) {
  validate_settings(job);
  detail::positive_count("layout.tensor", tensor);
  const double element = number_bytes(job).value();
  const detail::gathered_weights whole = detail::gathered_of(model, element, static_cast<double>(tensor));
  layer_widths width = widths_of(model);
  width.scores = sizes.width.scores;
  training_sizes apart = sizes;
  apart.width = width;
  const stage_terms kept = detail::kept_terms(model, job, apart, constants);
  stage_terms logits = kept, layer = kept, update = kept;
  const double copies =
      job.software == software_level::tuned ? constants.logits_copies : constants.general_logits_copies;
  logits.logits = bytes{4 * copies * static_cast<double>(model.vocab) * job.logits_fraction /
                        static_cast<double>(job.vocabulary_tiles)};
  logits.gathered = bytes{whole.head};
  logits.workspace = bytes{2 * element * width.d_model};
  const bytes reduced{constants.kept_gradients * element * sizes.held.trained};
  layer.gradients += reduced;
  layer.accumulated_gradients += reduced;
  const double gradient_layers = job.lora_rank > 0 ? 0 : constants.gradient_layers;
  const double expert_matrices = model.mlp.gated ? 3 : 2;
  const double quantised = detail::gathered_bytes(job).value() / element;
  layer.gathered = bytes{(quantised * constants.weight_layers + gradient_layers) * whole.layer};
  layer.gathered_experts =
      bytes{(quantised * constants.expert_layers + gradient_layers / expert_matrices) * whole.experts};
  layer.worst = constants.worst_routing;
  layer.routed = detail::routed_workspace(model, job, tensor, constants);
  layer.workspace = detail::layer_workspace(model, job, width, tensor, constants);
  update.gradients = bytes{element * sizes.held.trained};
  update.optimizer = optimizer_bytes_per_parameter(job) * sizes.held.trained;
  if (job.state_on_host == host_state::parameters_and_optimizer) update.brought = 1;
  update.activations = {};
  return {logits, layer, update};
}

/// Bytes of a stage on a device that do not depend on its tokens. `several`: the step has more than one microbatch.
/// Worked: parameters, optimizer and gradients of 400, 800 and 200 B over 10 shards, and 50 B of gathered weights, are
/// 140 + 50 = 190 B.
[[nodiscard]] constexpr bytes fixed_bytes(const stage_terms& stage, const memory_layout& at, bool several) noexcept {
  const double brought = stage.brought * at.stages;
  return ((brought < 1 ? brought : 1) * stage.parameters + stage.optimizer +
          (several ? stage.accumulated_gradients : stage.gradients)) /
             at.weight_shards +
         at.gathers * (stage.gathered + stage.gathered_experts / at.experts);
}

/// Bytes of a stage for each token of a microbatch on a device, without those of routing to experts. Worked: 3 B of
/// activations, 4 B of logits and 5 B of workspace are 12 B.
[[nodiscard]] constexpr bytes bytes_per_token(const stage_terms& stage) noexcept {
  return stage.activations + stage.logits + stage.workspace;
}

/// Bytes of routed tokens for each token of a microbatch on a device, which depend on the layout. Worked: 10 B under
/// even routing are 40 B where buffers are made for a chip that is sent 4 times the mean.
[[nodiscard]] constexpr bytes routed_bytes_per_token(const stage_terms& stage, const memory_layout& at) noexcept {
  return stage.routed * (1 + stage.worst * (at.worst_routed - 1));
}

namespace detail {

/// The parts of a stage in bytes.
constexpr memory_breakdown parts_of(const stage_terms& terms, memory_stage stage, const memory_layout& at,
                                    double microbatches) {
  const double tokens = at.tokens / microbatches;
  const double brought = terms.brought * at.stages;
  memory_breakdown memory;
  memory.stage = stage;
  memory.parameters = (brought < 1 ? brought : 1) * terms.parameters / at.weight_shards;
  memory.optimizer = terms.optimizer / at.weight_shards;
  memory.gradients = (microbatches > 1 ? terms.accumulated_gradients : terms.gradients) / at.weight_shards;
  memory.activations = tokens * terms.activations;
  memory.logits = tokens * terms.logits;
  memory.gathered_weights = at.gathers * (terms.gathered + terms.gathered_experts / at.experts);
  memory.workspace = tokens * (terms.workspace + routed_bytes_per_token(terms, at));
  memory.total = memory.parameters + memory.optimizer + memory.gradients + memory.activations + memory.logits +
                 memory.gathered_weights + memory.workspace;
  return memory;
}

/// The stage that needs most, the earlier one if two are equal.
constexpr memory_breakdown largest_stage(const memory_terms& terms, const memory_layout& at, double microbatches) {
  memory_breakdown most = parts_of(terms[0], memory_stage::logits, at, microbatches);
  for (const memory_stage stage : {memory_stage::layer, memory_stage::update}) {
    const memory_breakdown next = parts_of(terms[static_cast<std::size_t>(stage)], stage, at, microbatches);
    if (next.total > most.total) most = next;
  }
  return most;
}

}  // namespace detail

/// HBM that one training step takes on one device: its state, and the most that is live beside it in any stage. Tensor
/// parallelism does not change activations, because widths shrink as tokens per device grow. LoRA adapters train on
/// a frozen base; state in host memory counts while it is on the device. Throws for invalid shapes, meshes that do not
/// fill the slice, batches that do not divide, and what is not modelled (encoder-decoders, LoRA on experts or latent
/// attention).
/// Source: physics, constants in `memory_calibration`; compared with published runs and memory records
/// (tests/oracle/memory_records.cpp). Worked: 17.41 GiB of
/// 31.25 for Llama 3.1 8B on v6e-256 (docs/model.md).
[[nodiscard]] constexpr memory_breakdown memory_use(const transformer& model, const training_job& job,
                                                    const layout& mesh, const slice& where) {
  detail::check_trained(model, job, mesh, where);
  const training_sizes sizes = sizes_of(model, job);
  const memory_layout at = memory_layout_of(model, job, mesh, where);
  const auto microbatches = static_cast<double>(job.gradient_accumulation);
  const auto under = [&](const memory_calibration& constants) {
    return detail::largest_stage(memory_terms_of(sizes, model, job, mesh.tensor, constants), at, microbatches);
  };
  memory_breakdown result = under(memory_point);
  result.low = under(memory_low).total;
  result.high = under(memory_high).total;
  result.usable = usable_hbm_per_device(where.chip);
  return result;
}

/// The largest global batch, in whole multiples of the layout's batch shards and accumulation, whose verdict is yes;
/// nothing where not even the smallest fits. Worked: 1152 for llama-3-8b at 4096 tokens, FSDP over v5p-128.
[[nodiscard]] constexpr maybe<std::int64_t> largest_batch(const transformer& model, training_job job,
                                                          const layout& mesh, const slice& where) {
  detail::positive_count("training_job.gradient_accumulation", job.gradient_accumulation);
  const std::int64_t unit = checked_multiply(batch_shards(mesh), job.gradient_accumulation);
  const auto fits_with = [&](std::int64_t units) {
    job.global_batch = checked_multiply(unit, units);
    return fits(memory_use(model, job, mesh, where)) == verdict::yes;
  };
  if (!fits_with(1)) return nothing;
  std::int64_t good = 1;
  std::int64_t bad = 2;
  while (bad < (std::int64_t{1} << 30) && fits_with(bad)) {
    good = bad;
    bad *= 2;
  }
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits_with(middle) ? good : bad) = middle;
  }
  return checked_multiply(unit, good);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/training/bands.hpp

#ifndef TPUPLAN_ESTIMATE_TRAINING_BANDS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_BANDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// How far measured steps lie from estimates, by kind of job. tools/calibrate finds it with the source of each run
/// left out of the fit: all that one repository or author published.

namespace tpuplan {
inline namespace abi_0 {

/// Kinds of jobs whose estimates err by different amounts. A job belongs to the last kind of this list that fits it.
enum class step_kind : std::uint8_t {
  dense,              ///< models without experts, products in bf16 or fp32
  dense_eight_bit,    ///< the same, products in int8 or fp8
  experts,            ///< mixtures of experts
  experts_eight_bit,  ///< the same, products in int8 or fp8
  expert_parallel,    ///< experts sharded over chips
  context_parallel,   ///< sequences sharded over chips
  small,              ///< models below 1.5e9 parameters
};

/// "dense" and so on.
[[nodiscard]] constexpr std::string_view name(step_kind kind) noexcept {
  constexpr const char* names[] = {"dense",           "dense_eight_bit",  "experts", "experts_eight_bit",
                                   "expert_parallel", "context_parallel", "small"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// The kind of a job on a layout, for a model with that many parameters. Worked: llama-3-8b in int8 is
/// `dense_eight_bit`.
[[nodiscard]] constexpr step_kind kind_of(const transformer& model, const training_job& job, const layout& mesh,
                                          double parameter_total) noexcept {
  if (parameter_total < 1.5e9) return step_kind::small;
  if (mesh.context > 1) return step_kind::context_parallel;
  const bool experts = has_experts(model);
  if (experts && mesh.expert > 1) return step_kind::expert_parallel;
  if (detail::in_eight_bits(job)) return experts ? step_kind::experts_eight_bit : step_kind::dense_eight_bit;
  return experts ? step_kind::experts : step_kind::dense;
}

/// How far measured times of a kind lie from estimates, and the number of runs and sources behind that.
struct training_band {
  double low = 1;            ///< lower end of measured over estimated time
  double high = 1;           ///< upper end of measured over estimated time
  std::int64_t runs = 0;     ///< published runs of the kind
  std::int64_t sources = 0;  ///< repositories and authors that published them
};

/// The bands by `step_kind`. For dense models a measured step of a new source lies in the band with probability 0.9:
/// split conformal prediction in which sources, not runs, are exchangeable. For kinds with fewer than nine sources
/// no such statement is possible: their bands are half as wide again, in logarithms, as what was seen, and no narrower
/// than that of dense models. docs/model.md has the rule.
// generated: training_bands from data/measured
// clang-format off
inline constexpr training_band training_bands[] = {
    {0.70, 1.25, 91, 10}, {0.70, 1.26, 14, 2}, {0.70, 1.54, 37, 2}, {0.70, 1.56, 16, 2}, {0.70, 2.50, 9, 2},
    {0.67, 1.50, 4, 1}, {0.50, 2.50, 13, 4},
};
// clang-format on
// end of generated: training_bands

/// Where no published run is near, the band is at least this factor either way; under software that nobody tuned its
/// upper end is at least the square of this factor. Set by hand.
inline constexpr double extrapolated_factor = 1.5;

/// The band widened to at least `extrapolated_factor` either way beyond the published runs, and for a first port.
/// Worked: 0.8 to 1.2 becomes 0.67 to 1.5 beyond the runs, and 0.8 to 2.25 for a first port near them.
[[nodiscard]] constexpr training_band widened(training_band band, bool extrapolated, software_level software) noexcept {
  if (extrapolated && band.low > 1 / extrapolated_factor) band.low = 1 / extrapolated_factor;
  if (extrapolated && band.high < extrapolated_factor) band.high = extrapolated_factor;
  constexpr double untuned = extrapolated_factor * extrapolated_factor;
  if (software == software_level::first_port && band.high < untuned) band.high = untuned;
  return band;
}

/// The band of a kind, widened where extrapolated and for a first port. Worked: at least 1.5 either way for dense
/// models that no run is near.
[[nodiscard]] constexpr training_band band_of(step_kind kind, bool extrapolated, software_level software) noexcept {
  return widened(training_bands[static_cast<std::size_t>(kind)], extrapolated, software);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/training/step_time.hpp

#ifndef TPUPLAN_ESTIMATE_TRAINING_STEP_TIME_HPP
#define TPUPLAN_ESTIMATE_TRAINING_STEP_TIME_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// Time of one training step, part by part, with a band that comes from the validation against published runs.

namespace tpuplan {
inline namespace abi_0 {

/// What takes most of a step.
enum class step_bound : std::uint8_t { compute, hbm, ici, dcn, overhead, host };

/// "compute" and so on.
[[nodiscard]] constexpr std::string_view name(step_bound what) noexcept {
  constexpr const char* names[] = {"compute", "hbm", "ici", "dcn", "overhead", "host"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// Assumptions of an estimate that its reader should be told.
struct step_remarks {
  bool text_alone = false;        ///< the model has a vision tower, the job no images: the tower does not run
  bool beyond_positions = false;  ///< sequences are longer than those that the model is made for
  bool products_in_bf16 = false;  ///< fp32 is rounded to bf16 in products, as XLA does by default: see number_bytes
};

/// The remarks on a job. Worked: `beyond_positions` for llama-3-8b, made for 8192 tokens, in sequences of 16384.
[[nodiscard]] constexpr step_remarks remarks_on(const transformer& model, const training_job& job) noexcept {
  return {has_text(model) && has_vision(model) && job.images_per_sequence == 0,
          model.max_positions > 0 && job.sequence_length > model.max_positions, job.compute == dtype::fp32};
}

/// Training FLOPs per token that MFU counts: those of MaxText's convention, with the output head only for predicted
/// positions (`training_job.logits_fraction`: 15 % in masked language models), and those of the vision tower; without
/// gradients of frozen weights and without recomputation. `sizes` are those of the job.
/// Worked: 197.62862515814402e12 / 4096 FLOP for llama-3-8b at 4096 tokens.
[[nodiscard]] constexpr flops model_flops_per_token(const training_sizes& sizes, const training_job& job) {
  const forward_flops& work = sizes.work;
  const flops products = work.total - work.attention - (1 - job.logits_fraction) * work.logits;
  return sizes.passes * products + 3 * (work.attention + sizes.adapters) + detail::tower_passes(sizes) * sizes.tower;
}

/// Time of one step. compute + hbm + ici + overhead + bubble + jitter + dcn.exposed + host.exposed + software = total,
/// and each of the first three is the sum of its parts.
struct step_breakdown {
  seconds dense_products{};   ///< projections, dense MLPs, shared experts
  seconds expert_products{};  ///< routed experts
  seconds logits{};           ///< the output head
  seconds attention{};        ///< scores and their sum over values
  seconds vision{};           ///< the vision tower and its projector
  seconds compute{};          ///< the five above
  seconds elementwise{};      ///< HBM traffic of norms, activations, residuals
  seconds scores{};           ///< HBM traffic of scores and probabilities, where attention is not fused
  seconds operands{};         ///< HBM traffic of the operands and results of dense products
  seconds weight_reads{};     ///< HBM traffic of gathered weights, once a pass
  seconds weight_update{};    ///< HBM traffic of optimizer and gradients
  seconds dispatch{};         ///< HBM traffic of routing tokens to experts
  seconds hbm{};              ///< the six above
  collective_time fsdp{};     ///< gathers of weights, scatters of gradients
  collective_time data{};     ///< all-reduce of gradients
  collective_time tensor{};   ///< of activations
  collective_time expert{};   ///< tokens to their experts and back
  collective_time context{};  ///< keys and values around the sequence
  seconds ici{};              ///< the exposed parts of the five above
  seconds overhead{};         ///< fixed time per layer and pass
  seconds bubble{};           ///< pipeline stages that wait
  seconds jitter{};           ///< stragglers among slices
  collective_time dcn{};      ///< gradients and activations between slices
  collective_time host{};     ///< state that lies in host memory, both ways
  seconds software{};         ///< what untuned software, or the caller's own measurements, add to a tuned recipe
  seconds total{};            ///< of the step
  seconds low{};              ///< lower end: nine of ten comparable published runs lie between low and high
  seconds high{};             ///< the upper end of that range
  double band = 0;            ///< how far low or high are from total, whichever is further, as a share of it
  step_kind kind = step_kind::dense;                      ///< the kind of job whose errors give the band
  software_level software_taken = software_level::tuned;  ///< how well tuned the program is assumed to be
  std::int64_t runs = 0;                                  ///< published runs of that kind
  std::int64_t sources = 0;                               ///< repositories and authors that published them
  bool extrapolated = false;                              ///< outside of what published runs cover
  step_remarks remarks{};                                 ///< its assumptions
  step_bound limited_by = step_bound::compute;            ///< the largest part
  double mfu = 0;                  ///< model FLOPs (see model_flops_per_token) over the bf16 peak
  per_second tokens_per_second{};  ///< over all slices
};

namespace detail {

/// Adds the parts of the work of one chip.
constexpr void add_work(step_breakdown& step, const work_terms& work, const layout_terms& at, double microbatches) {
  step.dense_products = at.tokens * work.dense_products;
  step.expert_products = at.tokens * work.expert_products;
  step.logits = at.tokens * work.logits;
  step.attention = at.tokens * (1 + at.imbalance) * work.attention;
  step.vision = at.tokens * work.vision;
  step.compute = step.dense_products + step.expert_products + step.logits + step.attention + step.vision;
  step.elementwise = at.tokens * work.elementwise;
  step.scores = at.tokens * work.scores;
  step.operands = at.tokens * work.operands + microbatches * work.operand_weights;
  step.weight_reads = microbatches * at.gathered_share * work.weight_reads;
  step.weight_update = work.weight_update / at.weight_shards;
  step.dispatch = at.tokens * work.dispatch;
  step.hbm = step.elementwise + step.scores + step.operands + step.weight_reads + step.weight_update + step.dispatch;
}

/// The time of a collective that runs `count` times.
constexpr collective_time times(double count, const collective_time& once) noexcept {
  return {count * once.whole, count * once.exposed};
}

/// Adds the collectives inside a slice. Gathers of weights cannot be hidden for longer than the work takes.
constexpr void add_collectives(step_breakdown& step, const work_terms& work, const layout_terms& at,
                               double microbatches) {
  step.fsdp = times(microbatches, at.fsdp);
  step.data = at.data;
  step.tensor = times(work.tensor_passes, at.tensor);
  step.expert = times(work.expert_passes, at.expert);
  step.context = at.context;
  const seconds weights = step.fsdp.whole + step.data.whole;
  const seconds cannot_hide = weights - (step.compute + step.hbm);
  if (at.hidden_by_work && cannot_hide > step.fsdp.exposed + step.data.exposed) {
    step.fsdp.exposed = cannot_hide * (step.fsdp.whole / weights);
    step.data.exposed = cannot_hide * (step.data.whole / weights);
  }
  step.ici = step.fsdp.exposed + step.data.exposed + step.tensor.exposed + step.expert.exposed + step.context.exposed;
}

/// Adds the overhead, the bubble, the jitter and the exposed traffic beyond the slice, and the total.
constexpr void add_waits(step_breakdown& step, const layout_terms& at, double microbatches) {
  step.overhead = microbatches * at.overhead;
  const seconds base = step.compute + step.hbm + step.ici + step.overhead;
  step.bubble = base * at.bubble;
  const seconds run = base + step.bubble;
  step.jitter = run * at.jitter;
  step.dcn.whole = at.dcn_once + microbatches * at.dcn_each;
  step.dcn.exposed = at.dcn_exposed * step.dcn.whole;
  if (at.hidden_by_work) step.dcn.exposed = max(step.dcn.exposed, step.dcn.whole - run / 2);  // half is backward
  step.host.whole = at.host_once + microbatches * at.host_each;
  step.host.exposed = at.host_exposed * step.host.whole;
  const seconds tuned = run + step.jitter + step.dcn.exposed + step.host.exposed;
  step.software = tuned * (at.software - 1);
  step.total = tuned + step.software;
}

/// Whether published runs cover this chip with this kind of model and precision.
constexpr bool is_covered(const transformer& model, const training_job& job, const chip_spec& chip) noexcept {
  if (has_recurrence(model) || model.attention.indexer.heads > 0) return false;
  const training_coverage runs = runs_behind(chip);
  return (has_experts(model) ? runs.experts : in_eight_bits(job) ? runs.eight_bit : runs.dense) > 0;
}

/// Whether the job is within the range of the published runs: 512 to 32768 tokens per sequence (131072 under context
/// parallelism), 700 or more per chip and step, up to 32 slices, no option that no run has.
constexpr bool is_usual(const training_job& job, const layout& mesh, const layout_terms& at) {
  const std::int64_t length = job.sequence_length;
  const std::int64_t longest = mesh.context > 1 ? 131072 : 32768;
  if (length < 512 || length > longest || at.tokens < 700 || slices(mesh) > 32) return false;
  if (checked_multiply(mesh.pipeline, mesh.dcn_pipeline) > 1 || mesh.dcn_fsdp > 1) return false;
  return job.images_per_sequence == 0 && job.attention == attention_kernel::flash && job.lora_rank == 0 &&
         job.state_on_host == host_state::none;
}

/// Adds the band of the estimate. Beyond eight slices it is 5 % wider: stragglers differ.
constexpr void add_band(step_breakdown& step, const training_band& band, std::int64_t slice_total) {
  const double many = slice_total > 8 ? 1.05 : 1;
  step.low = step.total * (band.low / many);
  step.high = step.total * (band.high * many);
  const double below = 1 - band.low / many, above = band.high * many - 1;
  step.band = below > above ? below : above;
  step.runs = band.runs;
  step.sources = band.sources;
}

constexpr step_bound largest_part(const step_breakdown& step) {
  const seconds parts[] = {
      step.compute,     step.hbm, step.ici, step.dcn.exposed, step.overhead + step.bubble + step.jitter + step.software,
      step.host.exposed};
  std::size_t most = 0, i = 0;
  for (const seconds part : parts) {
    if (++i; part > parts[most]) most = i - 1;
  }
  return static_cast<step_bound>(most);
}

}  // namespace detail

/// Time of one training step of a text model. Throws for what `memory_use` throws for, and where a needed figure of the
/// chip is unknown. Whether the job fits is another question: `fits(memory_use(...))`. Worked: the 128B default model
/// of MaxText on v5p-256, 10.72 s against 10.25 s measured (tests/oracle). Source: closed form calibrated on published
/// runs; its terms are in terms.hpp, its constants and their meaning in `calibration`.
[[nodiscard]] constexpr step_breakdown step_time(const transformer& model, const training_job& job, const layout& mesh,
                                                 const slice& where, const calibration& constants = {}) {
  detail::check_trained(model, job, mesh, where);
  validate(constants);
  const training_sizes sizes = sizes_of(model, job, constants);
  const work_terms work = work_terms_of(sizes, model, job, where.chip, mesh.tensor, constants);
  const layout_terms at = layout_terms_of(sizes, model, job, mesh, where, constants);
  const auto microbatches = static_cast<double>(job.gradient_accumulation);
  step_breakdown step;
  detail::add_work(step, work, at, microbatches);
  detail::add_collectives(step, work, at, microbatches);
  detail::add_waits(step, at, microbatches);
  detail::positive("step time", step.total.value());
  step.kind = kind_of(model, job, mesh, sizes.held.trained + sizes.held.frozen);
  step.software_taken = job.software;
  const bool covered = detail::is_covered(model, job, where.chip) && detail::is_usual(job, mesh, at);
  step.extrapolated = step.kind == step_kind::small || !covered;
  detail::add_band(step, band_of(step.kind, step.extrapolated, job.software), slices(mesh));
  if (constants.own.count > 0)
    detail::narrow_band(step, own_spread_left(constants.own, training_spreads,
                                              detail::training_features(sizes, model, job, mesh, where)));
  step.limited_by = detail::largest_part(step);
  step.tokens_per_second = static_cast<double>(tokens_per_step(job)) / step.total;
  step.remarks = remarks_on(model, job);
  step.mfu = model_flops_per_token(sizes, job) * at.tokens / peak_rate(where.chip, dtype::bf16) / step.total;
  return step;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/roofline.hpp

#ifndef TPUPLAN_HANDBOOK_ROOFLINE_HPP
#define TPUPLAN_HANDBOOK_ROOFLINE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// One chip and one matrix product: does arithmetic take longer than moving the operands? In the formulas C is the peak
/// rate in FLOP/s and W the bandwidth of the memory.

namespace tpuplan {
inline namespace abi_0 {

/// Where operands come from.
enum class memory_level : std::uint8_t {
  hbm,
  vmem,
  pcie,  ///< host memory
  ici,   ///< other chips of the slice, over one ICI axis in both directions
  dcn,   ///< other slices
};

/// "hbm" and so on.
[[nodiscard]] constexpr std::string_view name(memory_level level) noexcept {
  constexpr const char* names[] = {"hbm", "vmem", "pcie", "ici", "dcn"};
  return detail::name_of(names, static_cast<std::size_t>(level));
}

/// The bandwidth at which one chip reads from a memory. Throws where the figure is not known.
/// Worked: 819 GB/s from the HBM of v5e; 90 GB/s over one of its ICI axes, both directions, as achieved.
[[nodiscard]] constexpr bytes_per_second bandwidth(const chip_spec& chip, memory_level level) {
  bytes_per_second rate{};
  switch (level) {
    case memory_level::hbm: rate = chip.hbm.bandwidth; break;
    case memory_level::vmem: rate = vmem_bandwidth(chip); break;
    case memory_level::pcie: rate = chip.host.pcie.value("PCIe rate of the chip"); break;
    case memory_level::ici: rate = ici_axis_both_ways(chip); break;
    case memory_level::dcn: rate = chip.host.dcn.value("DCN rate of the chip"); break;
  }
  detail::positive("bandwidth", rate.value());
  return rate;
}

/// Formats of the operands and the result of a product, and of the arithmetic.
struct product_dtypes {
  dtype weights = dtype::bf16;      ///< as read from memory
  dtype activations = dtype::bf16;  ///< as read from memory
  dtype output = dtype::bf16;       ///< as written to memory
  dtype compute = dtype::bf16;      ///< of the multiply-adds
};

/// One format throughout. Worked: uniform(dtype::int8) reads, computes and writes int8.
[[nodiscard]] constexpr product_dtypes uniform(dtype type) noexcept { return {type, type, type, type}; }

/// Arithmetic intensity above which a chip is limited by its FLOP/s: peak over bandwidth.
/// Worked: 197e12 / 819e9 = 240.5 FLOP/B on v5e in bf16 from HBM. Source: scaling book, "Rooflines" (2025-12-15).
[[nodiscard]] constexpr flops_per_byte ridge_point(const chip_spec& chip, dtype compute = dtype::bf16,
                                                   memory_level from = memory_level::hbm) {
  const flops_per_second peak = peak_rate(chip, compute);
  detail::positive("peak rate", peak.value());
  return peak / bandwidth(chip, from);
}

/// The batch in tokens, not rounded, above which a product [B,D] x [D,F] is limited by arithmetic, where only its
/// weights count as traffic (B far below D and F): C s / (2 W) for weights of s bytes each. `experts_per_active` is E/k
/// for a mixture of E experts of which k are active.
/// From ICI it is the tokens per chip of FSDP over one axis, from DCN the tokens per slice of data parallelism.
/// Worked: 240.5 on v5e in bf16; 60.1 with int4 weights and 197e12/820e9. Source: scaling book, "Rooflines".
[[nodiscard]] constexpr double unrounded_critical_batch(const chip_spec& chip, const product_dtypes& types,
                                                        memory_level from = memory_level::hbm,
                                                        double experts_per_active = 1) {
  detail::in_range("experts_per_active", experts_per_active, 1, 1e9, "1 (dense) or more");
  // FLOPs while a byte is read x bytes of a weight / 2 FLOPs for a weight and a token
  return ridge_point(chip, types.compute, from).value() * size_of(types.weights).value() / 2 * experts_per_active;
}

/// The smallest batch in whole tokens that is above `unrounded_critical_batch`. Throws where the rate or the bandwidth
/// is unknown.
/// Worked: 241 on v5e, 167 on v5p, 561 on v6e in bf16 from HBM.
[[nodiscard]] constexpr std::int64_t critical_batch(const chip_spec& chip, const product_dtypes& types,
                                                    memory_level from = memory_level::hbm,
                                                    double experts_per_active = 1) {
  return floor_to_count(unrounded_critical_batch(chip, types, from, experts_per_active)) + 1;
}

/// The critical batch in whole tokens of a product with one format throughout. Worked: critical_batch(v5e, dtype::int8)
/// = 240.
[[nodiscard]] constexpr std::int64_t critical_batch(const chip_spec& chip, dtype type = dtype::bf16,
                                                    memory_level from = memory_level::hbm) {
  return critical_batch(chip, uniform(type), from);
}

/// Twice the critical batch, in tokens, which is well limited by arithmetic. Worked: 482 on v5e in bf16.
[[nodiscard]] constexpr std::int64_t recommended_batch(const chip_spec& chip, dtype type = dtype::bf16) {
  return checked_multiply(2, critical_batch(chip, type));
}

/// A product [batch, inner] x [inner, outer].
struct product_shape {
  std::int64_t batch = 0;  ///< rows of the left operand
  std::int64_t inner = 0;  ///< the dimension that is summed over
  std::int64_t outer = 0;  ///< columns of the right operand
};

/// FLOPs of a product, two per multiply-add. Worked: 2 x 32 x 4096 x 16384.
[[nodiscard]] constexpr flops flops_of(const product_shape& product) {
  return flops{2 * static_cast<double>(detail::positive_count("batch", product.batch)) *
               static_cast<double>(detail::positive_count("inner", product.inner)) *
               static_cast<double>(detail::positive_count("outer", product.outer))};
}

/// Bytes that a product reads and writes once. Worked: [64,4096]x[4096,4096] in bf16 moves 34603008 B.
[[nodiscard]] constexpr bytes bytes_of(const product_shape& product, const product_dtypes& types) {
  const auto batch = static_cast<double>(detail::positive_count("batch", product.batch));
  const auto inner = static_cast<double>(detail::positive_count("inner", product.inner));
  const auto outer = static_cast<double>(detail::positive_count("outer", product.outer));
  return size_of(types.activations) * (batch * inner) + size_of(types.weights) * (inner * outer) +
         size_of(types.output) * (batch * outer);
}

/// FLOPs of a product per byte that it moves. Worked: about the batch, for a bf16 batch that is small against both
/// other dimensions.
[[nodiscard]] constexpr flops_per_byte arithmetic_intensity(const product_shape& product,
                                                            const product_dtypes& types = {}) {
  return flops_of(product) / bytes_of(product, types);
}

/// What limits a product.
enum class bound : std::uint8_t { compute, memory };

/// "compute" or "memory".
[[nodiscard]] constexpr std::string_view name(bound what) noexcept {
  constexpr const char* names[] = {"compute", "memory"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// Time of one product on one chip at peak rates: between `lower`, where arithmetic and traffic overlap fully, and
/// `upper`, where they do not overlap.
struct product_time {
  seconds math{};                    ///< arithmetic at the peak rate
  seconds memory{};                  ///< traffic at the bandwidth of the memory
  seconds lower{};                   ///< max(math, memory)
  seconds upper{};                   ///< math + memory
  bound limited_by = bound::memory;  ///< the larger of both
};

/// Roofline of one product. Worked: [512,4096]x[4096,16384] in bf16 on v5e takes 0.349 ms of arithmetic and 0.189 ms of
/// traffic, so it is limited by compute.
[[nodiscard]] constexpr product_time roofline(const chip_spec& chip, const product_shape& product,
                                              const product_dtypes& types = {}, memory_level from = memory_level::hbm) {
  product_time t;
  t.math = flops_of(product) / peak_rate(chip, types.compute);
  t.memory = bytes_of(product, types) / bandwidth(chip, from);
  t.lower = max(t.math, t.memory);
  t.upper = t.math + t.memory;
  t.limited_by = t.memory < t.math ? bound::compute : bound::memory;
  return t;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/version.hpp

#ifndef TPUPLAN_VERSION_HPP
#define TPUPLAN_VERSION_HPP

/// @file
/// The version of tpuplan. CMake reads it from here: it is written nowhere else.

/// The first number of the version.
#define TPUPLAN_VERSION_MAJOR 0
/// The second.
#define TPUPLAN_VERSION_MINOR 1
/// The third.
#define TPUPLAN_VERSION_PATCH 0

#endif

// tpuplan/core.hpp

#ifndef TPUPLAN_CORE_HPP
#define TPUPLAN_CORE_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "tpuplan needs C++17 or newer (-std=c++17)"
#else  // nothing is read after the error: in an interpreter a half-read header ends the session

/// @file
/// What training takes, constexpr and without a third-party library: units, hardware, models, rooflines, layouts, the
/// time of a step and its memory.

#endif

#endif

// tpuplan/cost/checkpoint.hpp

#ifndef TPUPLAN_COST_CHECKPOINT_HPP
#define TPUPLAN_COST_CHECKPOINT_HPP

#include <cstdint>

/// @file
/// How long a checkpoint stops training. The cost of keeping it is in checkpoint_storage.hpp.

namespace tpuplan {
inline namespace abi_0 {

/// The time that a checkpoint takes besides its bytes: all hosts synchronise, and array metadata is written. It is a
/// suggestion for asynchronous checkpoints of small models; 60 s is a suggestion for synchronous ones.
inline constexpr seconds checkpoint_start{15};

/// The rate of Cloud Storage for one project in one region by its default quota, 200 Gbit/s. The quota is for reading;
/// writing is assumed to be no faster. Source: cloud.google.com/storage/docs/bandwidth-usage, "maximum bandwidth for
/// each region"; copies of 2026.
inline constexpr bytes_per_second storage_rate{25e9};

/// The rate at which checkpoints leave some slices: that of the storage, or of the network cards of all hosts where
/// these are slower and known. Throws for a rate that is not above 0. Worked: 3.125 GB/s from v5litepod-1, 25 GB/s from
/// v5litepod-8 and larger slices.
[[nodiscard]] constexpr bytes_per_second checkpoint_rate(const slice& where, std::int64_t slice_total = 1,
                                                         bytes_per_second storage = storage_rate) {
  detail::positive("storage rate", storage.value());
  const std::int64_t chip_count = detail::chips_of(where, slice_total);
  if (!where.chip.host.dcn.has_value()) return storage;
  return min(storage, where.chip.host.dcn.value() * static_cast<double>(chip_count));
}

/// How long one checkpoint stops training: `checkpoint_start`, and its bytes at the rate of the storage. The bytes are
/// those of the training state, `training_state_of(…).total`. An asynchronous checkpoint stops training for less where
/// hosts have memory for all of it, but the next one waits until it is written.
///
/// Throws for a negative size and a rate that is not above 0. Worked: 96 GB (8e9 parameters in fp32 with AdamW) at
/// 25 GB/s: 18.84 s.
[[nodiscard]] constexpr seconds checkpoint_time(bytes checkpoint, bytes_per_second rate = storage_rate) {
  detail::in_range("checkpoint", checkpoint.value(), 0, 1e18, "0 to 1e18 bytes");
  detail::in_range("storage rate", detail::positive("storage rate", rate.value()), 1, 1e18, "1 to 1e18 bytes/s");
  return checkpoint_start + checkpoint / rate;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost/checkpoint_storage.hpp

#ifndef TPUPLAN_COST_CHECKPOINT_STORAGE_HPP
#define TPUPLAN_COST_CHECKPOINT_STORAGE_HPP

#include <cstdint>
#include <string_view>

/// @file
/// What it costs to keep checkpoints in Cloud Storage, in the region of the slice: storage and operations. Traffic
/// within a region is free; traffic between regions is not, and is not modelled.

namespace tpuplan {
inline namespace abi_0 {

/// A price of storage: dollars per byte and second.
using usd_per_byte_second = quantity<dim<-1, 0, -1, 1>>;

/// A price per GiB and month of 730 hours. Worked: usd_per_gib_month(0.020) times 1 GiB and 730 h is 0.02 USD.
/// Source: the price list of 2026-09-20, which has 0.000027397 USD per GiB and hour for 0.020 per month.
[[nodiscard]] constexpr usd_per_byte_second usd_per_gib_month(double dollars) noexcept {
  return usd{dollars} / (1_GiB * 730_h);
}

/// A storage price as dollars per GiB and month of 730 hours: the inverse of `usd_per_gib_month`.
/// Worked: 0.020 for us-east5.
[[nodiscard]] constexpr double in_usd_per_gib_month(usd_per_byte_second price) noexcept {
  return (price * 1_GiB * 730_h).value();
}

/// The price of Standard storage in a region; nothing where no source gives one.
///
/// Source: cloud.google.com/storage/pricing, copies of 2026. Worked: 0.020 USD per GiB and month in us-east5, 0.023 in
/// us-west4.
[[nodiscard]] constexpr maybe<usd_per_byte_second> find_storage_price(std::string_view region) noexcept {
  constexpr std::string_view at_20[] = {"us-central1", "us-east1",     "us-east5",     "us-west1",
                                        "us-south1",   "europe-west1", "europe-north1"};
  constexpr std::string_view at_23[] = {"us-west4", "us-east4"};
  for (const std::string_view known_region : at_20) {
    if (detail::same_name(region, known_region)) return usd_per_gib_month(0.020);
  }
  for (const std::string_view known_region : at_23) {
    if (detail::same_name(region, known_region)) return usd_per_gib_month(0.023);
  }
  return nothing;
}

/// Prices of requests to Standard storage. Source: cloud.google.com/storage/pricing-examples, copies of 2026.
struct operation_prices {
  usd write{0.005 / 1000};  ///< class A: one object written, or a listing
  usd read{0.0004 / 1000};  ///< class B: one object read
};

/// How checkpoints are kept. The bytes of one are `training_state_of(…).total`: parameters and optimizer state.
struct checkpoint_store {
  bytes checkpoint{};        ///< bytes of one checkpoint; above 0
  std::int64_t kept = 0;     ///< checkpoints kept at any time; 1 or more
  seconds held{};            ///< time for which that many are kept; above 0
  double written = 0;        ///< checkpoints written over that time, such as expected_run(…).segments
  double restored = 0;       ///< checkpoints read over that time, such as expected_run(…).preemptions
  std::int64_t objects = 0;  ///< objects of one checkpoint; needed where anything is written or restored
};

/// The cost of keeping checkpoints: storage + operations = total.
struct storage_cost {
  bytes kept{};      ///< bytes that are stored at any time
  usd storage{};     ///< for holding them
  usd operations{};  ///< for writing and reading objects; 0 where none are given
  usd total{};       ///< storage + operations
};

/// Dollars for keeping checkpoints, assuming that all of them are there from the first second.
///
/// `price` is above 0, from `find_storage_price` or `usd_per_gib_month`. Not counted are the time in which an
/// old checkpoint is still there beside its successor, listings, and retries. Throws for fields out of the range that
/// `checkpoint_store` gives. Worked: 3 checkpoints of 96 GB (8e9 parameters in fp32 with AdamW) for 730 h at
/// 0.020: 5.364 USD; 1000 written in 64 objects each: 0.32 USD more.
[[nodiscard]] constexpr storage_cost cost_of_checkpoints(const checkpoint_store& store, usd_per_byte_second price,
                                                         const operation_prices& operations = {}) {
  const double size = detail::positive("checkpoint_store.checkpoint", store.checkpoint.value());
  const std::int64_t kept = detail::positive_count("checkpoint_store.kept", store.kept);
  detail::positive("checkpoint_store.held", store.held.value());
  detail::positive("storage price", price.value());
  detail::not_negative("checkpoint_store.written", store.written);
  detail::not_negative("checkpoint_store.restored", store.restored);
  detail::not_negative("operation_prices.write", operations.write.value());
  detail::not_negative("operation_prices.read", operations.read.value());
  detail::count_from("checkpoint_store.objects", store.objects, 0);
  if (store.written > 0 || store.restored > 0) detail::positive_count("checkpoint_store.objects", store.objects);
  storage_cost result;
  result.kept = bytes{size * static_cast<double>(kept)};
  result.storage = price * result.kept * store.held;
  result.operations =
      (operations.write * store.written + operations.read * store.restored) * static_cast<double>(store.objects);
  result.total = result.storage + result.operations;
  detail::in_range("storage cost", result.total.value(), 0, 1.7976931348623157e308, "a finite number of dollars");
  return result;
}

/// Dollars for the checkpoints of a training run, from its state. Worked: 3 checkpoints of `training_state_of(8e9,
/// fp32)` for 730 h at 0.020: 5.364 USD.
[[nodiscard]] constexpr storage_cost cost_of_checkpoints(const training_state& state, std::int64_t kept, seconds held,
                                                         usd_per_byte_second price) {
  checkpoint_store store;
  store.checkpoint = state.total;
  store.kept = kept;
  store.held = held;
  return cost_of_checkpoints(store, price);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/lambert.hpp

#ifndef TPUPLAN_LAMBERT_HPP
#define TPUPLAN_LAMBERT_HPP

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

// tpuplan/cost/preemption.hpp

#ifndef TPUPLAN_COST_PREEMPTION_HPP
#define TPUPLAN_COST_PREEMPTION_HPP

#include <cstdint>
#include <string_view>

/// @file
/// Spot capacity: how often to write a checkpoint, what preemptions add to the billed time and the wall time, and
/// whether the discount pays for it.
///
/// The model is Daly's (FGCS 22(3):303-312, 2006): preemptions of the whole job are independent of each other and of
/// the age of the machines, with one mean time between them. Two things it is not: a cap on the life of a machine (24 h
/// for preemptible VMs) and lifetimes of another distribution both make the run longer.

namespace tpuplan {
inline namespace abi_0 {

/// A run on capacity that may be taken away: useful work in intervals, each followed by a checkpoint. After a
/// preemption the run waits for capacity, restarts, and repeats the interval from its beginning.
///
/// There is no infinite mean time between preemptions: for "never preempted" give a huge one, such as 1e12_s.
/// For a run without checkpoints give checkpoint_interval = work and checkpoint_time = 0.
struct spot_run {
  seconds work{};                           ///< useful compute of the whole run; above 0
  seconds checkpoint_interval{};            ///< useful compute between two checkpoints; above 0
  seconds checkpoint_time{};                ///< for which one checkpoint stops the compute; 0 or more
  seconds mean_time_between_preemptions{};  ///< of the whole job, not of one machine or slice; above 0
  seconds restart_time{};                   ///< billed, from having capacity to computing again; 0 or more
  seconds queue_time{};                     ///< not billed, the wait for capacity after each preemption; 0 or more
  bool restart_can_be_preempted = true;     ///< false: the restart always succeeds in restart_time
  bool final_checkpoint = true;             ///< false: the run ends with its last step
};

/// What a spot run is expected to take.
/// billed = work + checkpoints + lost_work + restarts; wall = billed + queue.
struct expected_spot_run {
  seconds work{};             ///< useful compute, as asked
  seconds checkpoints{};      ///< writing the checkpoints that are kept
  seconds lost_work{};        ///< compute and checkpoint writing that preemptions undo
  seconds restarts{};         ///< restarting, completed or not
  seconds queue{};            ///< waiting for capacity, not billed
  seconds failure_free{};     ///< work + checkpoints: the run without any preemption
  seconds billed{};           ///< while the machines are there
  seconds wall{};             ///< from start to end
  double preemptions = 0;     ///< those that hit a restart included
  double billed_factor = 0;   ///< billed / work
  double wall_factor = 0;     ///< wall / work
  std::int64_t segments = 0;  ///< intervals, a shorter last one included
};

/// The two prices of the same machines: both of one chip, or both of the whole slice.
struct spot_prices {
  usd_per_second on_demand{};  ///< above 0
  usd_per_second spot{};       ///< above 0
};

/// A run at the spot price compared with the same useful work at the on-demand price. The on-demand run is assumed to
/// be billed for its work only.
struct spot_comparison {
  usd on_demand_cost{};                 ///< work x on-demand price
  usd spot_cost{};                      ///< billed x spot price
  usd saving{};                         ///< on_demand_cost - spot_cost; negative where spot costs more
  double saving_fraction = 0;           ///< saving / on_demand_cost
  usd_per_second effective_price{};     ///< spot_cost / work: what useful time costs
  double billed_factor = 0;             ///< billed / work
  double break_even_billed_factor = 0;  ///< the billed factor at which both cost the same
  bool spot_is_cheaper = false;         ///< whether spot_cost is below on_demand_cost
};

namespace detail {

/// The value; throws where the arithmetic overflowed. `given` is the value of the field to change.
constexpr double representable(words field, double value, double given, words valid) {
  if (!is_finite(value)) fail(errc::out_of_range, field, given, valid);
  return value;
}

/// The time; throws where the formula gives none above 0. `given` is the value of the field to change.
constexpr seconds positive_time(words field, double value, double given, words valid) {
  if (!is_finite(value) || value <= 0) fail(errc::out_of_range, field, given, valid);
  return seconds{value};
}

/// (e^x - 1 - x) / x for x >= 0, without cancellation: below 0.5 by the Taylor series (DLMF 4.2.19).
constexpr double exponential_excess(double x) noexcept {
  if (x >= 0.5) return math::expm1(x) / x - 1;
  double series = 1;
  for (int n = 17; n > 2; --n) series = 1 + x / n * series;
  return x / 2 * series;
}

/// The segments of a run: a number of equal ones and one of another length, which is 0 where there is none.
struct run_segments {
  std::int64_t equal = 0;
  double equal_length = 0;
  double last_length = 0;
  std::int64_t count = 0;
  double checkpoints = 0;
};

/// The segments of a run. A remainder of the work that is only the rounding of work / checkpoint_interval is none.
constexpr run_segments segments_of(const spot_run& run) {
  const double work = positive("spot_run: work", run.work.value());
  const double interval = positive("spot_run: checkpoint_interval", run.checkpoint_interval.value());
  const double checkpoint = not_negative("spot_run: checkpoint_time", run.checkpoint_time.value());
  const double ratio = work / interval;
  if (!(ratio < 9e15)) {
    fail(errc::out_of_range, "spot_run: checkpoint_interval", interval, "an interval above work / 9e15");
  }
  const double nearest = math::floor(ratio + 0.5);
  const bool whole = nearest > 0 && math::abs(ratio - nearest) <= 1e-15 * ratio;
  const double full = whole ? nearest : math::floor(ratio);
  const double rest = whole ? 0 : work - full * interval;

  run_segments segments{};
  segments.equal = static_cast<std::int64_t>(full);
  segments.equal_length = interval + checkpoint;
  segments.count = segments.equal;
  if (!whole) {
    ++segments.count;
    segments.last_length = run.final_checkpoint ? rest + checkpoint : rest;
  } else if (!run.final_checkpoint) {
    --segments.equal;
    segments.last_length = interval;
  }
  segments.checkpoints = checkpoint * static_cast<double>(run.final_checkpoint ? segments.count : segments.count - 1);
  return segments;
}

/// What preemptions add to a run.
struct preemption_losses {
  double lost_work = 0;
  double restarts = 0;
  double preemptions = 0;
};

/// The expectation over segments of length L, in parts: M (e^(L/M) - 1) - L lost, e^(L/M) - 1 preemptions of the
/// compute, each followed by a restart of R, or of M (e^(R/M) - 1) where `run` lets the restart be preempted too. M is
/// `mean`; the mean of the run is not used.
constexpr preemption_losses losses(const run_segments& segments, const spot_run& run, double mean) {
  preemption_losses sum{};
  double compute_preemptions = 0;
  if (segments.equal > 0) {
    const double number = static_cast<double>(segments.equal);
    compute_preemptions += number * math::expm1(segments.equal_length / mean);
    sum.lost_work += number * segments.equal_length * exponential_excess(segments.equal_length / mean);
  }
  if (segments.last_length > 0) {
    compute_preemptions += math::expm1(segments.last_length / mean);
    sum.lost_work += segments.last_length * exponential_excess(segments.last_length / mean);
  }
  const double restart = run.restart_time.value();
  const double restart_ratio = run.restart_can_be_preempted ? restart / mean : 0;
  sum.preemptions = compute_preemptions * math::exp(restart_ratio);
  if (restart > 0) sum.restarts = compute_preemptions * restart * (1 + exponential_excess(restart_ratio));
  return sum;
}

/// What `expected_run` answers; infinite where it refuses because the run never ends.
constexpr expected_spot_run expectation_of(const spot_run& run) {
  const run_segments segments = segments_of(run);
  const double mean = positive("spot_run: mean_time_between_preemptions", run.mean_time_between_preemptions.value());
  not_negative("spot_run: restart_time", run.restart_time.value());
  const double queue = not_negative("spot_run: queue_time", run.queue_time.value());
  const preemption_losses lost = losses(segments, run, mean);
  expected_spot_run answer{};
  answer.work = run.work;
  answer.checkpoints = seconds{segments.checkpoints};
  answer.lost_work = seconds{lost.lost_work};
  answer.restarts = seconds{lost.restarts};
  if (queue > 0) answer.queue = seconds{queue * lost.preemptions};
  answer.failure_free = answer.work + answer.checkpoints;
  answer.billed = answer.failure_free + answer.lost_work + answer.restarts;
  answer.wall = answer.billed + answer.queue;
  answer.preemptions = lost.preemptions;
  answer.billed_factor = answer.billed / answer.work;
  answer.wall_factor = answer.wall / answer.work;
  answer.segments = segments.count;
  return answer;
}

}  // namespace detail

/// The interval between checkpoints by Young's rule, sqrt(2 delta M): good where it is far below M.
///
/// `checkpoint_time` is for how long one checkpoint stops the compute, `mean_time_between_preemptions` that of the
/// whole job. Throws for either at 0, negative or not finite, and for a product that is not representable. Source:
/// Young, CACM 17(9):530-531, 1974. Worked: young_interval(60_s, 5_h) = 1469.694 s.
[[nodiscard]] constexpr seconds young_interval(seconds checkpoint_time, seconds mean_time_between_preemptions) {
  const double delta = detail::positive("young_interval: checkpoint_time", checkpoint_time.value());
  const double mean =
      detail::positive("young_interval: mean_time_between_preemptions", mean_time_between_preemptions.value());
  return detail::positive_time("young_interval: checkpoint_time", math::sqrt(2 * delta * mean), delta,
                               "a time whose product with mean_time_between_preemptions is representable");
}

/// The interval between checkpoints by Daly's low-order rule, sqrt(2 delta (M + R)) - delta.
///
/// Times as in `young_interval`; `restart_time` may be 0. Throws besides where the rule has no positive answer, which
/// is from checkpoint_time = 2 (mean_time_between_preemptions + restart_time) on. Source: Daly, ICCS 2003 (LNCS 2660).
/// Worked: daly_interval(60_s, 5_h, 300_s) = 1421.891 s.
[[nodiscard]] constexpr seconds daly_interval(seconds checkpoint_time, seconds mean_time_between_preemptions,
                                              seconds restart_time) {
  const double delta = detail::positive("daly_interval: checkpoint_time", checkpoint_time.value());
  const double mean =
      detail::positive("daly_interval: mean_time_between_preemptions", mean_time_between_preemptions.value());
  const double restart = detail::not_negative("daly_interval: restart_time", restart_time.value());
  const double limit = 2 * (mean + restart);
  // sqrt(a) - b as (a - b^2) / (sqrt(a) + b): no cancellation where the answer is small.
  return detail::positive_time("daly_interval: checkpoint_time",
                               delta / (math::sqrt(delta * limit) + delta) * (limit - delta), delta,
                               "below 2 (mean_time_between_preemptions + restart_time), and representable products");
}

/// The interval between checkpoints by Daly's higher-order rule,
/// sqrt(2 delta M) [1 + sqrt(delta / 2M) / 3 + (delta / 2M) / 9] - delta below delta = 2M, and M from there on.
///
/// Arguments and refusals as `young_interval`. The answer jumps at delta = 2M, where the exact one does not.
/// Source: Daly, FGCS 22(3):303-312, 2006. Worked: daly_interval_high_order(60_s, 5_h) = 1429.966 s.
[[nodiscard]] constexpr seconds daly_interval_high_order(seconds checkpoint_time,
                                                         seconds mean_time_between_preemptions) {
  const double delta = detail::positive("daly_interval_high_order: checkpoint_time", checkpoint_time.value());
  const double mean = detail::positive("daly_interval_high_order: mean_time_between_preemptions",
                                       mean_time_between_preemptions.value());
  const double half = delta / 2;
  if (half >= mean) return mean_time_between_preemptions;
  // With r = sqrt(delta / 2M) the rule is 2M r (1 - r / 3)^2: no cancellation.
  const double root = math::sqrt(half / mean);
  return detail::positive_time("daly_interval_high_order: checkpoint_time",
                               mean * (2 * root * (1 - root / 3) * (1 - root / 3)), delta,
                               "a time whose quotient with mean_time_between_preemptions is representable");
}

/// The interval between checkpoints that makes the expected time of a long run least: M [1 + W0(-e^-(1 + delta / M))].
///
/// Neither the restart time nor the queue time changes it. It is exact for a run of whole intervals; for a run not much
/// longer than the interval, compare the neighbouring whole numbers of segments. Always below M. Arguments and refusals
/// as `young_interval`. Source: the minimiser of (e^((tau + delta) / M) - 1) / tau, from the model of Daly 2006.
/// Worked: optimal_interval(60_s, 5_h) = 1429.969 s.
[[nodiscard]] constexpr seconds optimal_interval(seconds checkpoint_time, seconds mean_time_between_preemptions) {
  const double delta = detail::positive("optimal_interval: checkpoint_time", checkpoint_time.value());
  const double mean =
      detail::positive("optimal_interval: mean_time_between_preemptions", mean_time_between_preemptions.value());
  return detail::positive_time("optimal_interval: checkpoint_time", mean * math::lambert_w0_plus_1_of_exp(delta / mean),
                               delta, "a time whose quotient with mean_time_between_preemptions is representable");
}

/// A run that takes longer than this never ends: twice the age of the universe.
inline constexpr seconds longest_run{1e18};

/// The expected billed time, wall time and preemptions of a spot run, in parts.
///
/// Work that is not a whole number of intervals ends with a shorter segment. Throws for every field out of the range
/// that `spot_run` gives, and where the run is not expected to end within `longest_run` (`errc::out_of_range`): nor
/// does one with a segment or a restart of some 40 times the mean time between preemptions (see `can_finish`). Source:
/// Daly, FGCS 22(3):303-312, 2006, complete model. Worked: 10 h of work, 1800 s intervals, 60 s checkpoints, 300 s
/// restarts and 5 h between preemptions: billed = 39848.588 s, preemptions = 2.2138.
[[nodiscard]] constexpr expected_spot_run expected_run(const spot_run& run) {
  const expected_spot_run answer = detail::expectation_of(run);
  if (!(run.work <= longest_run)) {
    detail::fail(errc::out_of_range, "spot_run: work", run.work.value(), "at most 1e18 s");
  }
  if (!(answer.wall <= longest_run)) {
    detail::fail(errc::out_of_range, "spot_run: mean_time_between_preemptions",
                 run.mean_time_between_preemptions.value(),
                 "enough for the run to end within 1e18 s: more than 1/40 of a segment and of a restart");
  }
  detail::representable("spot_run: work", answer.wall_factor, run.work.value(),
                        "enough for a representable ratio of expected time to work");
  return answer;
}

/// Whether a spot run is expected to end within `longest_run`.
///
/// A run whose restart, or one of whose segments, takes some 40 times the mean time between preemptions does not: the
/// expected number of preemptions before one of them succeeds is e^40. Throws for every field out of the range that
/// `spot_run` gives. Worked: the run of `expected_run` ends; preempted every 6 s, it does not.
[[nodiscard]] constexpr bool can_finish(const spot_run& run) { return detail::expectation_of(run).wall <= longest_run; }

/// The time that checkpoints and preemptions add, as a fraction of the work, to first order:
/// delta / tau + (tau + delta) / 2M + R / M.
///
/// Holds only where tau + delta + R is far below M; `expected_run` holds always. Ignores work, queue_time and both
/// flags. Throws for each of the four times it uses out of the range that `spot_run` gives. Source: Young 1974. Worked:
/// the run of `expected_run` adds 0.101667; exactly it is 0.106905.
[[nodiscard]] constexpr double first_order_overhead(const spot_run& run) {
  const double interval = detail::positive("spot_run: checkpoint_interval", run.checkpoint_interval.value());
  const double delta = detail::not_negative("spot_run: checkpoint_time", run.checkpoint_time.value());
  const double mean =
      detail::positive("spot_run: mean_time_between_preemptions", run.mean_time_between_preemptions.value());
  const double restart = detail::not_negative("spot_run: restart_time", run.restart_time.value());
  return detail::representable("spot_run: mean_time_between_preemptions",
                               delta / interval + (interval + delta) / 2 / mean + restart / mean, mean,
                               "enough for a representable overhead");
}

/// The mean time between preemptions from the probability of at least one in a window of time: -T / ln(1 - p).
///
/// `probability` lies strictly between 0 and 1: 0 would be an infinite mean. Throws besides for a window that is not
/// above 0. Worked: 5 % in 24 h is one in 467.897 h.
[[nodiscard]] constexpr seconds mean_time_between_preemptions_from_probability(double probability, seconds window) {
  constexpr std::string_view field = "mean_time_between_preemptions: probability";
  detail::positive(field, probability);
  if (probability >= 1) detail::fail(errc::out_of_range, field, probability, "above 0 and below 1");
  const double time = detail::positive("mean_time_between_preemptions: window", window.value());
  return seconds{detail::representable(field, -time / math::log1p(-probability), probability,
                                       "large enough for a representable mean time")};
}

/// The mean time between preemptions from a count: running time / preemptions.
///
/// `running` is the time with machines, above 0; `preemptions` is 1 or more: none seen bounds the mean from below only.
/// Worked: 2436684 s with 42 preemptions is one in 16.116 h.
[[nodiscard]] constexpr seconds mean_time_between_preemptions_from_count(seconds running, std::int64_t preemptions) {
  const double time = detail::positive("mean_time_between_preemptions: running", running.value());
  detail::positive_count("mean_time_between_preemptions: preemptions", preemptions);
  return seconds{time / static_cast<double>(preemptions)};
}

/// The mean time between preemptions from a rate of them: 1 / rate. It is not the probability of one in that time,
/// which is less. Throws for a rate that is not above 0. Worked: 0.2 an hour are one in 5 h; a probability of 20 % in
/// an hour is one in 4.4814 h.
[[nodiscard]] constexpr seconds mean_time_between_preemptions_from_rate(per_second preemptions) {
  const double rate = detail::positive("mean_time_between_preemptions: rate", preemptions.value());
  return seconds{detail::representable("mean_time_between_preemptions: rate", 1 / rate, rate,
                                       "large enough for a representable mean time")};
}

/// The mean time between preemptions of a job on several slices, any of which stops the job: M / n.
///
/// Holds where slices are preempted independently of each other, which large spot reclaims are not: a job hit by them
/// does better than this. `of_one_slice` above 0, `slices` 1 or more. Worked: 4 slices of 16 h each: 4 h.
[[nodiscard]] constexpr seconds mean_time_between_preemptions_of_slices(seconds of_one_slice, std::int64_t slices) {
  const double mean = detail::positive("mean_time_between_preemptions: of_one_slice", of_one_slice.value());
  detail::positive_count("mean_time_between_preemptions: slices", slices);
  return seconds{mean / static_cast<double>(slices)};
}

/// The probability of at least one preemption in a window of time: 1 - e^(-T / M).
///
/// The inverse of `mean_time_between_preemptions_from_probability`; both times above 0.
/// Worked: 24 h with one preemption in 467.897 h: 5 %.
[[nodiscard]] constexpr double preemption_probability(seconds mean_time_between_preemptions, seconds window) {
  const double mean =
      detail::positive("preemption_probability: mean_time_between_preemptions", mean_time_between_preemptions.value());
  const double time = detail::positive("preemption_probability: window", window.value());
  return -math::expm1(-time / mean);
}

/// What useful time costs on spot capacity: spot price x billed / work, in the unit of the price.
///
/// `spot` above 0, `billed_factor` 1 or more. Worked: 0.29771 USD per chip-hour at a factor of 1.106905 is 0.329537.
[[nodiscard]] constexpr usd_per_second effective_price(usd_per_second spot, double billed_factor) {
  const double price = detail::positive("effective_price: spot", spot.value());
  detail::in_range("effective_price: billed_factor", billed_factor, 1, 1.7976931348623157e308, "1 or more");
  return usd_per_second{detail::representable("effective_price: billed_factor", price * billed_factor, billed_factor,
                                              "a factor whose product with the price is representable")};
}

/// The billed factor up to which spot is the cheaper one: on-demand price / spot price.
///
/// Throws for a price that is not above 0. Worked: 1.20 against 0.60 USD per hour: 2.
[[nodiscard]] constexpr double break_even_billed_factor(const spot_prices& prices) {
  const double on_demand = detail::positive("spot_prices: on_demand", prices.on_demand.value());
  const double spot = detail::positive("spot_prices: spot", prices.spot.value());
  return detail::representable("spot_prices: spot", on_demand / spot, spot,
                               "a price with a representable ratio to on_demand");
}

/// The fraction of the on-demand cost that spot saves: 1 - spot x billed_factor / on demand. Negative where spot costs
/// more.
///
/// Refusals as `effective_price` and `break_even_billed_factor`. Worked: 2.4 h billed for 2 h of work, at 19.20 against
/// 38.40 USD per hour: 0.4.
[[nodiscard]] constexpr double spot_saving(const spot_prices& prices, double billed_factor) {
  static_cast<void>(break_even_billed_factor(prices));
  const double effective = effective_price(prices.spot, billed_factor).value();
  return detail::representable("spot_prices: on_demand", 1 - effective / prices.on_demand.value(),
                               prices.on_demand.value(), "a price with a representable ratio to spot");
}

/// Whether a run of that billed factor costs less on spot: billed / work below on demand / spot. Equal is not cheaper.
///
/// Refusals as `spot_saving`. Worked: at half the price a factor of 1.2 is cheaper.
[[nodiscard]] constexpr bool spot_is_cheaper(const spot_prices& prices, double billed_factor) {
  detail::in_range("spot_is_cheaper: billed_factor", billed_factor, 1, 1.7976931348623157e308, "1 or more");
  return billed_factor < break_even_billed_factor(prices);
}

/// The dollars of a spot run compared with those of the same work on demand.
///
/// `work` is useful time, above 0; `billed` what spot bills for it, not less. Prices as in `spot_prices`; the costs are
/// of what the prices are of, one chip or a slice. Worked: 2 h of work, 2.4 h billed, 38.40 and 19.20 USD per hour:
/// 76.80 against 46.08 USD.
[[nodiscard]] constexpr spot_comparison compare_spot(const spot_prices& prices, seconds work, seconds billed) {
  const double useful = detail::positive("compare_spot: work", work.value());
  const double paid = detail::positive("compare_spot: billed", billed.value());
  if (paid < useful) detail::fail(errc::invalid_argument, "compare_spot: billed", paid, "not below work");

  spot_comparison answer{};
  answer.billed_factor =
      detail::representable("compare_spot: work", paid / useful, useful, "a time with a representable ratio to billed");
  answer.break_even_billed_factor = break_even_billed_factor(prices);
  answer.effective_price = effective_price(prices.spot, answer.billed_factor);
  answer.saving_fraction = spot_saving(prices, answer.billed_factor);
  answer.spot_is_cheaper = spot_is_cheaper(prices, answer.billed_factor);
  answer.on_demand_cost = prices.on_demand * work;
  answer.spot_cost = prices.spot * billed;
  answer.saving = answer.on_demand_cost - answer.spot_cost;
  detail::representable("compare_spot: billed", answer.saving.value(), paid, "a time with a representable cost");
  return answer;
}

/// The dollars of a spot run as `expected_run` expects it, compared with those of its work on demand.
///
/// Refusals as `expected_run` and the prices'. Worked: the run of `expected_run` at 1.20 and 0.29771 USD per chip-hour
/// saves 72.54 %.
[[nodiscard]] constexpr spot_comparison compare_spot(const spot_prices& prices, const spot_run& run) {
  const expected_spot_run expected = expected_run(run);
  return compare_spot(prices, expected.work, expected.billed);
}

/// The mean time between preemptions at which the run costs the same on spot and on demand; spot is cheaper above it.
///
/// `run.mean_time_between_preemptions` is not used, and the checkpoint interval is kept. Found to a relative 1e-12 by
/// bisection of the expected billed time, which falls as the mean grows, where the prices leave 1 % or more of the work
/// for lost time; with less the accuracy is that of the prices. Throws `errc::infeasible` where spot is not cheaper
/// even without any preemption, and as `expected_run` and the prices' otherwise. Worked: the run of `expected_run`
/// at 1.20 and 0.60 USD per hour breaks even at 1972.487 s.
[[nodiscard]] constexpr seconds break_even_mean_time_between_preemptions(const spot_prices& prices,
                                                                         const spot_run& run) {
  static_cast<void>(break_even_billed_factor(prices));
  const detail::run_segments segments = detail::segments_of(run);
  const double restart = detail::not_negative("spot_run: restart_time", run.restart_time.value());
  const double spot = prices.spot.value();
  const double allowance = (prices.on_demand.value() - spot) / spot * run.work.value() - segments.checkpoints;
  if (!(allowance > 0)) {
    detail::fail(errc::infeasible, "spot_prices: spot", spot, "below on_demand x work / (work + checkpoints)");
  }

  // With u = 1 / M the added time is a power series in u without a constant term and with no negative coefficient. It
  // lies between s u and s u e^(c u), with c the longest exponent: the root is at W0(c a / s) / c or above.
  const double longest = (segments.equal > 0 ? segments.equal_length : segments.last_length) + restart;
  const double slope =
      static_cast<double>(segments.equal) * segments.equal_length * (segments.equal_length / 2 + restart) +
      segments.last_length * (segments.last_length / 2 + restart);
  const auto added = [&](double rate) {
    const detail::preemption_losses sum = detail::losses(segments, run, 1 / rate);
    return sum.lost_work + sum.restarts;
  };
  double low = math::lambert_w0(longest * (allowance / slope)) / longest;
  detail::positive_time("spot_run: work", low, run.work.value(), "times whose squares are representable");
  double high = low;
  while (added(high) < allowance) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 54; ++i) {
    const double middle = low + (high - low) / 2;
    (added(middle) < allowance ? low : high) = middle;
  }
  return seconds{1 / high};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost/price_table.hpp

#ifndef TPUPLAN_COST_PRICE_TABLE_HPP
#define TPUPLAN_COST_PRICE_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// The built-in prices: the US rows of data/prices.json, which names the source of each. The table between the marks is
/// generated from it by `cmake --build BUILD --target generate`, and is not edited here.

namespace tpuplan {
inline namespace abi_0 {

/// How capacity is paid for.
enum class provisioning : std::uint8_t {
  on_demand,
  spot,           ///< may be reclaimed at any time
  flex_start,     ///< queued, then up to 7 days uninterrupted
  calendar,       ///< reserved for whole days, 1 to 90
  commitment_1y,  ///< committed use, billed whether used or not
  commitment_3y,
};

/// Every way of paying, in the order of the enumerators.
inline constexpr std::array<provisioning, 6> all_provisioning = {
    provisioning::on_demand, provisioning::spot,          provisioning::flex_start,
    provisioning::calendar,  provisioning::commitment_1y, provisioning::commitment_3y};

/// "on_demand" and so on, as in data/prices.json.
[[nodiscard]] constexpr std::string_view name(provisioning kind) noexcept {
  constexpr const char* names[] = {"on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// The kind of that name, dashes for underscores allowed; nothing if there is none. Worked: "flex-start" is
/// `flex_start`, the third of the six.
[[nodiscard]] constexpr maybe<provisioning> parse_provisioning(std::string_view given) noexcept {
  for (const provisioning kind : all_provisioning) {
    const std::string_view wanted = name(kind);
    bool same = given.size() == wanted.size();
    for (std::size_t i = 0; same && i < given.size(); ++i) {
      same = detail::to_lower(given[i] == '-' ? '_' : given[i]) == wanted[i];
    }
    if (same) return kind;
  }
  return nothing;
}

/// How well the date of a price is known.
enum class date_qualifier : std::uint8_t {
  exact,       ///< read that day
  not_before,  ///< the source is of that day or younger
  month,       ///< of that month
};

/// "exact" and so on.
[[nodiscard]] constexpr std::string_view name(date_qualifier how) noexcept {
  constexpr const char* names[] = {"exact", "not_before", "month"};
  return detail::name_of(names, static_cast<std::size_t>(how));
}

/// The price of one chip, its host included, for slices of at least `smallest_chips`.
struct price_row {
  text<24> generation{};                             ///< the chip: "v5p"
  text<32> region{};                                 ///< "us-east5", or "us" for all regions of the US
  provisioning kind = provisioning::on_demand;       ///< the way of paying
  std::int64_t smallest_chips = 1;                   ///< chips of the smallest slice for which the price holds
  usd_per_second per_chip{};                         ///< of one chip
  text<10> date{};                                   ///< ISO: 2026-09-17
  date_qualifier qualifier = date_qualifier::exact;  ///< how well the date is known
  char grade = 'B';  ///< A vendor data, B dated transcription, C press or notes, D derived
};

namespace detail {

/// A price of the built-in table, in dollars per hour.
struct packed_price {
  const char* chip;
  const char* region;
  provisioning kind;
  std::int64_t smallest_chips;
  double usd_per_chip_hour;
  const char* date;
  date_qualifier qualifier;
  char grade;
};

// generated: us_prices from data/prices.json
// clang-format off
inline constexpr std::array<packed_price, 105> us_prices = {{
    {"v2", "us", provisioning::on_demand, 1, 1.125, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us", provisioning::spot, 1, 0.3375, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us", provisioning::on_demand, 16, 1.5, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us", provisioning::spot, 16, 0.3825, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us-central1", provisioning::on_demand, 1, 1.125, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us-central1", provisioning::spot, 1, 0.3375, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us-central1", provisioning::on_demand, 16, 1.5, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v2", "us-central1", provisioning::spot, 16, 0.3825, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us", provisioning::on_demand, 1, 2.0, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us", provisioning::spot, 1, 0.51, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us", provisioning::on_demand, 16, 2.0, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us", provisioning::spot, 16, 0.6, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us", provisioning::commitment_1y, 16, 1.26, "2021-11-17", date_qualifier::exact, 'B'},
    {"v3", "us", provisioning::commitment_3y, 16, 0.9, "2021-11-17", date_qualifier::exact, 'B'},
    {"v3", "us-central1", provisioning::on_demand, 1, 2.0, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us-central1", provisioning::spot, 1, 0.51, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us-central1", provisioning::on_demand, 16, 2.0, "2021-11-17", date_qualifier::exact, 'B'},
    {"v3", "us-central1", provisioning::commitment_1y, 16, 1.26, "2021-11-17", date_qualifier::exact, 'B'},
    {"v3", "us-central1", provisioning::commitment_3y, 16, 0.9, "2021-11-17", date_qualifier::exact, 'B'},
    {"v3", "us-east1", provisioning::on_demand, 1, 2.0, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us-east1", provisioning::on_demand, 16, 2.0, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v3", "us-east1", provisioning::spot, 16, 0.6, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v4", "us", provisioning::on_demand, 1, 3.22, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v4", "us", provisioning::spot, 1, 0.9215, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v4", "us", provisioning::commitment_1y, 1, 2.03, "2025-03-03", date_qualifier::exact, 'B'},
    {"v4", "us", provisioning::commitment_3y, 1, 1.45, "2025-03-03", date_qualifier::exact, 'B'},
    {"v4", "us-central2", provisioning::on_demand, 1, 3.22, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v4", "us-central2", provisioning::spot, 1, 0.9215, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v4", "us-central2", provisioning::commitment_1y, 1, 2.03, "2025-03-03", date_qualifier::exact, 'B'},
    {"v4", "us-central2", provisioning::commitment_3y, 1, 1.45, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us", provisioning::on_demand, 1, 1.2, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5e", "us", provisioning::spot, 1, 0.6, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us", provisioning::flex_start, 1, 0.6, "2026-08-11", date_qualifier::exact, 'B'},
    {"v5e", "us", provisioning::commitment_1y, 1, 0.84, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5e", "us", provisioning::commitment_3y, 1, 0.54, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5e", "us-central1", provisioning::on_demand, 1, 1.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-central1", provisioning::spot, 1, 0.29771, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-central1", provisioning::commitment_1y, 1, 0.84, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-central1", provisioning::commitment_3y, 1, 0.54, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-east", provisioning::on_demand, 1, 1.2, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-east", provisioning::commitment_1y, 1, 0.84, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-east", provisioning::commitment_3y, 1, 0.54, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-east1", provisioning::on_demand, 1, 1.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-east1", provisioning::spot, 1, 0.29771, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-east5", provisioning::on_demand, 1, 1.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-east5", provisioning::spot, 1, 0.6, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-south1", provisioning::on_demand, 1, 1.416, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-south1", provisioning::spot, 1, 0.65419, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-west1", provisioning::on_demand, 1, 1.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-west1", provisioning::spot, 1, 0.29771, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-west1", provisioning::commitment_1y, 1, 0.84, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-west1", provisioning::commitment_3y, 1, 0.54, "2025-03-03", date_qualifier::exact, 'B'},
    {"v5e", "us-west4", provisioning::on_demand, 1, 1.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5e", "us-west4", provisioning::spot, 1, 0.607, "2026-08-11", date_qualifier::exact, 'B'},
    {"v5p", "us", provisioning::on_demand, 1, 4.2, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5p", "us", provisioning::spot, 1, 1.299953, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us", provisioning::flex_start, 1, 2.1, "2026-09-17", date_qualifier::not_before, 'C'},
    {"v5p", "us", provisioning::calendar, 1, 2.94, "2026-06-14", date_qualifier::exact, 'A'},
    {"v5p", "us", provisioning::commitment_1y, 1, 2.94, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5p", "us", provisioning::commitment_3y, 1, 1.89, "2026-09-17", date_qualifier::exact, 'B'},
    {"v5p", "us-central1", provisioning::on_demand, 1, 4.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-central1", provisioning::spot, 1, 0.78049, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-east1", provisioning::on_demand, 1, 4.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-east1", provisioning::spot, 1, 0.78049, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-east5", provisioning::on_demand, 1, 4.2, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-east5", provisioning::spot, 1, 1.299953, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-south1", provisioning::on_demand, 1, 4.779, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v5p", "us-south1", provisioning::spot, 1, 0.785835, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us", provisioning::spot, 1, 1.4033, "2026-08-10", date_qualifier::exact, 'B'},
    {"v6e", "us", provisioning::flex_start, 1, 1.35, "2026-09-10", date_qualifier::exact, 'B'},
    {"v6e", "us", provisioning::calendar, 1, 1.89, "2026-08-01", date_qualifier::month, 'B'},
    {"v6e", "us", provisioning::commitment_1y, 1, 1.89, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us", provisioning::commitment_3y, 1, 1.22, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us-central1", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-central1", provisioning::spot, 1, 0.592665, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east", provisioning::on_demand, 1, 2.7, "2025-03-03", date_qualifier::exact, 'B'},
    {"v6e", "us-east", provisioning::commitment_1y, 1, 1.89, "2025-03-03", date_qualifier::exact, 'B'},
    {"v6e", "us-east", provisioning::commitment_3y, 1, 1.22, "2025-03-03", date_qualifier::exact, 'B'},
    {"v6e", "us-east1", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east1", provisioning::spot, 1, 0.592665, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east1", provisioning::commitment_1y, 1, 1.89, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us-east1", provisioning::commitment_3y, 1, 1.22, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us-east4", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east4", provisioning::spot, 1, 0.344911, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east5", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-east5", provisioning::spot, 1, 1.4033, "2026-08-10", date_qualifier::exact, 'B'},
    {"v6e", "us-east5", provisioning::flex_start, 1, 1.35, "2026-08-01", date_qualifier::month, 'B'},
    {"v6e", "us-east5", provisioning::calendar, 1, 1.89, "2026-08-01", date_qualifier::month, 'B'},
    {"v6e", "us-east5", provisioning::commitment_1y, 1, 1.89, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us-east5", provisioning::commitment_3y, 1, 1.22, "2026-09-17", date_qualifier::exact, 'B'},
    {"v6e", "us-south1", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-south1", provisioning::spot, 1, 1.218375, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-west1", provisioning::on_demand, 1, 2.7, "2026-06-03", date_qualifier::not_before, 'A'},
    {"v6e", "us-west1", provisioning::spot, 1, 0.592665, "2026-06-03", date_qualifier::not_before, 'A'},
    {"tpu7x", "us", provisioning::on_demand, 1, 12.0, "2026-08-24", date_qualifier::exact, 'A'},
    {"tpu7x", "us", provisioning::flex_start, 1, 6.0, "2026-09-17", date_qualifier::not_before, 'C'},
    {"tpu7x", "us", provisioning::calendar, 1, 8.4, "2026-09-17", date_qualifier::not_before, 'D'},
    {"tpu7x", "us", provisioning::commitment_1y, 1, 8.4, "2026-09-17", date_qualifier::exact, 'B'},
    {"tpu7x", "us", provisioning::commitment_3y, 1, 5.4, "2026-09-17", date_qualifier::exact, 'B'},
    {"tpu7x", "us-central1", provisioning::on_demand, 1, 12.0, "2026-08-24", date_qualifier::exact, 'A'},
    {"tpu7x", "us-central1", provisioning::commitment_1y, 1, 8.4, "2026-09-17", date_qualifier::exact, 'B'},
    {"tpu7x", "us-central1", provisioning::commitment_3y, 1, 5.4, "2026-09-17", date_qualifier::exact, 'B'},
    {"tpu7x", "us-east1", provisioning::on_demand, 1, 12.0, "2026-08-24", date_qualifier::exact, 'A'},
    {"tpu7x", "us-west1", provisioning::on_demand, 1, 12.0, "2026-08-24", date_qualifier::exact, 'A'},
}};
// clang-format on
// end of generated: us_prices

}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost/price.hpp

#ifndef TPUPLAN_COST_PRICE_HPP
#define TPUPLAN_COST_PRICE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// Price books: what a chip costs by generation, region, way of paying and size of slice. A missing price
/// is refused, never counted as 0.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

constexpr price_row to_price(const packed_price& p) {
  return {p.chip, p.region, p.kind, p.smallest_chips, usd_per_hour(p.usd_per_chip_hour), p.date, p.qualifier, p.grade};
}

}  // namespace detail

/// Rows of prices: the built-in US prices or rows that the caller keeps alive, and up to eight rows added by `with`,
/// which come first.
class price_book {
 public:
  /// The built-in US prices.
  constexpr price_book() noexcept = default;
  /// Rows that the caller keeps alive, for example those of an `owned_price_book` (io/price_file.hpp). Worked: 2 such
  /// rows make a book of size 2, and `row(1)` is the second.
  constexpr price_book(const price_row* rows, std::size_t size) noexcept : rows_{rows}, size_{size} {}

  /// The same book with one price changed or added. Worked: price_book{}.with("v5p", "us-east5", provisioning::spot,
  /// usd_per_hour(1.10), "2026-11-21").
  [[nodiscard]] constexpr price_book with(std::string_view generation, std::string_view region, provisioning kind,
                                          usd_per_second per_chip, std::string_view date,
                                          std::int64_t smallest_chips = 1) const {
    return with(price_row{generation, region, kind, smallest_chips, per_chip, date, date_qualifier::exact, 'C'});
  }
  /// The same book with one price of a caller's own chip changed or added, by the chip's name. Worked: after with(mine,
  /// "us", provisioning::spot, usd_per_hour(0.9), "2026-11-21"), a chip of `mine` costs 0.90 USD an hour on spot in us.
  [[nodiscard]] constexpr price_book with(const chip_spec& own, std::string_view region, provisioning kind,
                                          usd_per_second per_chip, std::string_view date,
                                          std::int64_t smallest_chips = 1) const {
    return with_any({own.name, region, kind, smallest_chips, per_chip, date, date_qualifier::exact, 'C'});
  }
  /// The same book with one row changed or added. Throws where `validate` does, `errc::unknown_name` for a chip that is
  /// not in the table, and `errc::out_of_range` for a ninth row of the caller's own. Worked: a second row for v5p on
  /// spot in us replaces the first, and `own_size` stays 1.
  [[nodiscard]] constexpr price_book with(const price_row& row) const;
  /// The same book with one row of any chip changed or added, as price files have them; `validate` of the book refuses
  /// unknown chips. Worked: a price of 0.90 USD an hour for a chip "mine" that is in no table is found under that name.
  [[nodiscard]] constexpr price_book with_any(const price_row& row) const;

  /// The number of rows, the caller's own included. Worked: one more than `price_book{}` has after one `with`.
  [[nodiscard]] constexpr std::size_t size() const noexcept {
    return own_size_ + (rows_ == nullptr ? detail::us_prices.size() : size_);
  }
  /// The number of rows that `with` added. Worked: 0 of `price_book{}`, 1 after one `with`.
  [[nodiscard]] constexpr std::size_t own_size() const noexcept { return own_size_; }
  /// Whether the rows after those that `with` added are the built-in US prices. Worked: yes of
  /// `price_book{}.with(...)`, no of a book of 2 rows that the caller keeps.
  [[nodiscard]] constexpr bool is_built_in() const noexcept { return rows_ == nullptr; }
  /// The row of that index, the caller's own first. Throws `errc::out_of_range` for an index of `size()` or more.
  /// Worked: row 0 after a `with` of 1.10 USD an hour has that price.
  [[nodiscard]] constexpr price_row row(std::size_t index) const {
    if (index >= size()) {
      detail::fail(errc::out_of_range, "price_book: row", static_cast<std::int64_t>(index), "0 to size() - 1");
    }
    if (index < own_size_) return own_[index];
    const std::size_t rest = index - own_size_;
    return rows_ == nullptr ? detail::to_price(detail::us_prices[rest]) : rows_[rest];
  }

 private:
  friend constexpr maybe<price_row> find_price(const price_book& book, std::string_view generation,
                                               std::string_view region, provisioning kind, std::int64_t chip_count);

  /// The chips of the smallest slice for which the row holds; 0 where it has another generation, region or kind.
  [[nodiscard]] constexpr std::int64_t holds_from(std::size_t index, std::string_view generation,
                                                  std::string_view region, provisioning kind) const noexcept {
    if (index >= own_size_ && rows_ == nullptr) {
      const detail::packed_price& p = detail::us_prices[index - own_size_];
      const bool same = p.kind == kind && detail::same_name(p.chip, generation) && detail::same_name(p.region, region);
      return same ? p.smallest_chips : 0;
    }
    const price_row& row = index < own_size_ ? own_[index] : rows_[index - own_size_];
    const bool same =
        row.kind == kind && detail::same_name(row.generation, generation) && detail::same_name(row.region, region);
    return same ? row.smallest_chips : 0;
  }

  const price_row* rows_ = nullptr;
  std::size_t size_ = 0;
  std::array<price_row, 8> own_{};
  std::size_t own_size_ = 0;
};

namespace detail {

/// The table's name of a chip, as text that outlives the call; a chip that is not in the table keeps the given name.
constexpr std::string_view canonical_name(std::string_view given) noexcept {
  for (const chip_spec& chip : generations) {
    if (same_name(chip.name, given)) return chip.name.view();
  }
  return given;
}

/// The price per chip and hour; throws, naming the field, for one that no price book can have.
constexpr double check_price(words field, double usd_per_chip_hour) {
  return in_range(field, positive(field, usd_per_chip_hour), 1e-6, 1e6, "1e-6 to 1e6 USD");
}

/// Days from 0000-03-01 to an ISO date. Years are counted from March, so that a leap day is the last of its year.
constexpr std::int64_t day_number(std::string_view date) noexcept {
  const std::int64_t month = parse_count(date.substr(5, 2));
  const std::int64_t year = parse_count(date.substr(0, 4)) - (month < 3 ? 1 : 0);
  const std::int64_t day_of_year = (153 * (month + (month < 3 ? 9 : -3)) + 2) / 5 + parse_count(date.substr(8, 2)) - 1;
  return 365 * year + year / 4 - year / 100 + year / 400 + day_of_year;
}

}  // namespace detail

/// Whether a text is an ISO date from the year 2000 on. Worked: "2026-09-17" is, "2026-02-29" is not.
[[nodiscard]] constexpr bool is_iso_date(std::string_view date) noexcept {
  if (date.size() != 10 || date[4] != '-' || date[7] != '-') return false;
  const std::int64_t year = detail::parse_count(date.substr(0, 4));
  const std::int64_t month = detail::parse_count(date.substr(5, 2));
  const std::int64_t day = detail::parse_count(date.substr(8, 2));
  if (year < 2000 || month < 1 || month > 12 || day < 1) return false;
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const std::int64_t days = month == 2                                              ? (leap ? 29 : 28)
                            : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                                    : 31;
  return day <= days;
}

/// The whole days from one ISO date to another, negative where the second is the earlier one. Throws for a text that is
/// no date from 2000 on. Worked: from 2026-06-03 to 2026-11-22 are 172 days.
[[nodiscard]] constexpr std::int64_t days_between(std::string_view from, std::string_view to) {
  if (!is_iso_date(from) || !is_iso_date(to)) {
    detail::fail(errc::malformed_input, "date", is_iso_date(from) ? to : from, "an ISO date such as 2026-09-17");
  }
  return detail::day_number(to) - detail::day_number(from);
}

/// Days after which a price should be read again. Source: a convention of this library, a quarter of a year.
inline constexpr std::int64_t stale_after_days = 90;

/// The age of a price on a day, in days: since it was read, or since the first day of the month in which it was read.
/// Where its source may be younger than its date (`date_qualifier::not_before`), this is the most it can be.
/// Worked: a price of 2026-08-24 is 90 days old on 2026-11-22.
[[nodiscard]] constexpr std::int64_t age_in_days(const price_row& price, std::string_view on) {
  return days_between(price.date, on);
}

/// Whether a change of the price was announced for a time after its date: flex-start and calendar rates change in
/// November 2026, and no copy has the new ones. Source: a field note that quotes Google's pricing pages on 2026-09-25.
/// Worked: flex-start of v6e of 2026-09-10 is such a price, one of 2026-11-21 is not.
[[nodiscard]] constexpr bool is_before_announced_change(const price_row& price) {
  return (price.kind == provisioning::flex_start || price.kind == provisioning::calendar) &&
         age_in_days(price, "2026-11-01") > 0;
}

/// Whether the price rests on no page, catalog or dated transcription: it comes from press and notes (C), or is derived
/// (D). Worked: a price of grade C is weak, one of grade B is not.
[[nodiscard]] constexpr bool is_weak(const price_row& price) noexcept { return price.grade > 'B'; }

/// Throws, naming the field, unless a price has a generation, a region, an ISO date, a size and an amount above 0.
constexpr void validate(const price_row& row) {
  if (row.generation.empty()) detail::fail(errc::missing_field, "price.generation", row.generation.view(), "a name");
  if (row.region.empty()) detail::fail(errc::missing_field, "price.region", row.region.view(), "a region, or us");
  if (!is_iso_date(row.date)) {
    detail::fail(row.date.empty() ? errc::missing_field : errc::malformed_input, "price.date", row.date.view(),
                 "an ISO date such as 2026-09-17");
  }
  detail::positive_count("price.smallest_chips", row.smallest_chips);
  detail::check_price("price.usd_per_chip_hour", in_usd_per_hour(row.per_chip));
}

constexpr price_book price_book::with(const price_row& row) const {
  validate(row);
  if (!find_chip(row.generation)) {
    detail::fail(errc::unknown_name, "price.generation", row.generation.view(),
                 "a chip of the table; with(chip, ...) prices one of your own");
  }
  return with_any(row);
}

constexpr price_book price_book::with_any(const price_row& row) const {
  validate(row);
  price_book copy = *this;
  price_row named = row;
  if (const maybe<chip_spec> chip = find_chip(row.generation)) named.generation = chip->name;
  for (std::size_t i = 0; i < copy.own_size_; ++i) {
    if (copy.holds_from(i, named.generation, row.region, row.kind) != row.smallest_chips) continue;
    copy.own_[i] = named;
    return copy;
  }
  if (copy.own_size_ == copy.own_.size()) {
    detail::fail(errc::out_of_range, "price_book: own rows", std::int64_t{9}, "at most 8; use a price file for more");
  }
  copy.own_[copy.own_size_++] = named;
  return copy;
}

/// Throws `errc::unknown_name` for a price of a chip that is neither in the table nor one of the caller's: no slice
/// could ever have that price. A row gives its chip by its own name, "v6e", not "Trillium"; `with` and price files see
/// to that.
constexpr void validate(const price_book& book, const chip_spec* own_chips = nullptr, std::size_t own_count = 0) {
  const std::size_t count = book.is_built_in() ? book.own_size() : book.size();
  for (std::size_t i = 0; i < count; ++i) {
    const price_row row = book.row(i);
    const maybe<chip_spec> listed = find_chip(row.generation);
    bool is_known = listed && detail::same_name(listed->name, row.generation);
    for (std::size_t own = 0; own < own_count; ++own)
      is_known = is_known || detail::same_name(own_chips[own].name, row.generation);
    if (!is_known) {
      detail::fail(errc::unknown_name, "price.generation", row.generation.view(),
                   listed ? listed->name.view() : "a chip of the table, or one of the caller's");
    }
  }
}

/// The price of a chip (under any alias) in a region for a slice of that many chips: of all rows that begin at that
/// size or below, the one that begins last; the caller's own rows come before all others. Nothing where the book has
/// none. Region "us" is the default of the built-in book. Worked: a chip of v3 on spot costs 0.60 USD an hour in us in
/// a slice of 16 chips, 0.51 in one of 4.
[[nodiscard]] constexpr maybe<price_row> find_price(const price_book& book, std::string_view generation,
                                                    std::string_view region, provisioning kind,
                                                    std::int64_t chip_count) {
  if (const maybe<chip_spec> chip = find_chip(generation)) generation = detail::canonical_name(chip->name);
  const std::size_t none = book.size();
  std::size_t best = none;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < book.size(); ++i) {
    if (i == book.own_size_ && best != none) break;  // the caller's own rows come before all others
    const std::int64_t from = book.holds_from(i, generation, region, kind);
    if (from > largest && from <= chip_count) {
      largest = from;
      best = i;
    }
  }
  if (best == none) return nothing;
  return book.row(best);
}

/// The price of a chip in a slice, by the chip and the size of the slice; nothing where the book has none. Worked: a
/// chip of v3-32, a slice of 16 chips, costs 0.60 USD an hour on spot in us.
[[nodiscard]] constexpr maybe<price_row> find_price(const price_book& book, const slice& where, std::string_view region,
                                                    provisioning kind) {
  return find_price(book, where.chip.name, region, kind, chips(where));
}

/// The price of a chip in a slice; where there is none it throws `errc::no_price`, naming generation, region and kind.
/// Worked: price_for(price_book{}, slice_for("v5e-32"), "us", provisioning::on_demand) is 1.20 per chip and hour.
[[nodiscard]] constexpr price_row price_for(const price_book& book, const slice& where, std::string_view region,
                                            provisioning kind) {
  if (const maybe<price_row> found = find_price(book, where, region, kind)) return *found;
  text<96> wanted;
  wanted.append(name(kind)).append(" of ").append(where.chip.name).append(" in ");
  wanted.append(region.substr(0, 32));
  text<160> valid;
  for (const provisioning other : all_provisioning) {
    if (find_price(book, where, region, other)) valid.append(name(other)).append(", ");
  }
  valid.append("another region, or a price of your own by price_book::with");
  detail::fail(errc::no_price, "price", wanted.view(), valid.view());
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost/run_cost.hpp

#ifndef TPUPLAN_COST_RUN_COST_HPP
#define TPUPLAN_COST_RUN_COST_HPP

#include <cstdint>

/// @file
/// Dollars per hour, per run, and per million tokens.

namespace tpuplan {
inline namespace abi_0 {

/// The price of that many chips. Worked: 32 v5e at 1.20 are 38.40 USD per hour.
[[nodiscard]] constexpr usd_per_second rate(usd_per_second per_chip, std::int64_t chip_count) {
  detail::positive("price per chip", per_chip.value());
  const usd_per_second all = per_chip * static_cast<double>(detail::positive_count("chips", chip_count));
  detail::representable("price per chip", all.value(), per_chip.value(), "a representable price of all chips");
  return all;
}

/// Dollars for a time at a price; billing is by the second. Worked: 10 h at 3.67 USD per hour are 36.70.
[[nodiscard]] constexpr usd cost(usd_per_second price, seconds time) {
  detail::positive("price", price.value());
  detail::not_negative("time", time.value());
  const usd total = price * time;
  detail::not_negative("cost", total.value());
  return total;
}

/// Whether that way of paying is a commitment of 1 or 3 years. Worked: is_commitment(provisioning::spot) is false.
[[nodiscard]] constexpr bool is_commitment(provisioning kind) noexcept {
  return kind == provisioning::commitment_1y || kind == provisioning::commitment_3y;
}

/// The hours that a commitment bills for: 365 days, or 3 times that. Throws for other ways of paying.
/// Worked: commitment_term(provisioning::commitment_1y) is 8760 h.
[[nodiscard]] constexpr seconds commitment_term(provisioning kind) {
  if (kind == provisioning::commitment_1y) return 365_days;
  if (kind == provisioning::commitment_3y) return 1095_days;
  detail::fail(errc::invalid_argument, "commitment", name(kind), "commitment_1y or commitment_3y");
}

/// The time that is billed for a run of that length. On demand, on spot and on flex-start every second is billed in
/// which the node is ready; calendar windows are billed in whole days, commitments in whole terms
/// (`cost_under_commitment` subtracts what other work uses of them). Throws for flex-start beyond 7 days and calendar
/// beyond 90. Worked: 25 h in calendar mode are 2 days, 10 days under a commitment of a year are 365. Source: Google
/// Cloud TPU pricing, flex-start and calendar mode documentation (copies of 2026).
[[nodiscard]] constexpr seconds billed_time(provisioning kind, seconds run) {
  detail::positive("run time", run.value());
  if (kind == provisioning::flex_start && run > 7_days) {
    detail::fail(errc::out_of_range, "flex-start run in days", in_days(run), "at most 7 days");
  }
  if (is_commitment(kind)) return commitment_term(kind) * math::ceil(run / commitment_term(kind));
  if (kind != provisioning::calendar) return run;
  if (run > 90_days) detail::fail(errc::out_of_range, "calendar run in days", in_days(run), "1 to 90 days");
  return 1_days * math::ceil(in_days(run));
}

/// The cost of a run, and what it is made of.
struct run_cost {
  usd_per_second rate{};  ///< of all chips
  seconds run{};          ///< uninterrupted
  seconds billed{};       ///< the run, and the rest of a commitment's term or of the last day of a calendar window
  seconds wall{};         ///< time from start to end of the run
  usd total{};            ///< rate x billed
  price_row price{};      ///< the row of the price book
};

/// Dollars for an uninterrupted run on some slices. Worked: 2 h on v5e-32 on demand are 76.80.
[[nodiscard]] constexpr run_cost cost_of_run(const slice& where, std::int64_t slice_total, seconds run,
                                             const price_row& price) {
  run_cost result;
  result.price = price;
  result.rate = rate(price.per_chip, detail::chips_of(where, slice_total));
  result.run = run;
  result.billed = billed_time(price.kind, run);
  result.wall = run;
  result.total = cost(result.rate, result.billed);
  return result;
}

/// Dollars for a million tokens at a rate of tokens per second. Worked: 38.40 an hour at 10,000 tokens/s is 1.0667.
[[nodiscard]] constexpr usd cost_per_million_tokens(usd_per_second price, per_second tokens_per_second) {
  detail::positive("price", price.value());
  detail::positive("tokens per second", tokens_per_second.value());
  return usd{detail::representable("price", price.value() / tokens_per_second.value() * 1e6, price.value(),
                                   "a representable cost of a million tokens")};
}

/// Peak FLOPs for a dollar. Worked: 5.91e17 for v5e in bf16 at 1.20 an hour. Source: scaling book, "Applied inference".
[[nodiscard]] constexpr flops_per_usd flops_per_dollar(const chip_spec& chip, usd_per_second per_chip,
                                                       dtype compute = dtype::bf16) {
  detail::positive("price per chip", per_chip.value());
  const flops_per_usd result = peak_rate(chip, compute) / per_chip;
  detail::representable("price per chip", result.value(), per_chip.value(), "a representable number of FLOPs");
  return result;
}

/// The saving of paying `paid` instead of `against`, as a fraction of `against`. Worked: 46.08 against 76.80 saves 0.4.
[[nodiscard]] constexpr double saving(usd against, usd paid) {
  detail::positive("cost compared with", against.value());
  detail::not_negative("cost", paid.value());
  return detail::representable("cost compared with", 1 - paid / against, against.value(), "a representable share");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost/commitment.hpp

#ifndef TPUPLAN_COST_COMMITMENT_HPP
#define TPUPLAN_COST_COMMITMENT_HPP

#include <cstdint>

/// @file
/// Commitments of 1 and 3 years: the hour is cheaper, and every hour of the term is billed.

namespace tpuplan {
inline namespace abi_0 {

/// The share of a commitment's hours that must be used for it to cost no more than paying only for the used hours:
/// committed / (otherwise x billed_factor). Above 1 the commitment always costs more.
///
/// Both prices are of the same machines and above 0. `billed_factor`, 1 or more, is what the other way bills for an
/// hour of use: 1 on demand, `expected_run(…).billed_factor` on spot; committed machines are assumed to be used without
/// loss. Worked: 0.84 against 1.20 USD per hour on demand: 0.70; against 0.60 on spot at a factor of 1.2: 1.1667,
/// never.
[[nodiscard]] constexpr double break_even_utilization(usd_per_second committed, usd_per_second otherwise,
                                                      double billed_factor = 1) {
  const double price = detail::positive("break_even_utilization: committed", committed.value());
  detail::positive("break_even_utilization: otherwise", otherwise.value());
  return detail::representable("break_even_utilization: otherwise",
                               price / effective_price(otherwise, billed_factor).value(), otherwise.value(),
                               "a price with a representable ratio to the committed one");
}

/// The cost of a run under a commitment. run + idle = total.
struct commitment_cost {
  usd run{};               ///< for the hours of the run
  usd idle{};              ///< for the hours of the term that nobody uses
  usd total{};             ///< run + idle
  usd whole{};             ///< price of all terms, whoever uses their hours
  seconds term{};          ///< length of all terms that the run needs
  seconds unused{};        ///< time in these terms in which the machines are idle
  double utilization = 0;  ///< share of the term in use, by the run and by others
  std::int64_t terms = 1;  ///< successive terms; more than 1 where the run is longer than a term
};

/// The cost of a run under a commitment for its machines, where other work uses a share of the remaining hours.
///
/// `price` is of all machines at the committed rate, above 0; `rest_used` from 0 (idle: the run has to pay for them) to
/// 1 (others pay for them). Throws for a kind that is no commitment. Worked: 30 days of 32 v5e at 0.84 USD an hour are
/// 19353.60 USD, and 235468.80 if the rest of the year is idle.
[[nodiscard]] constexpr commitment_cost cost_under_commitment(usd_per_second price, provisioning kind, seconds run,
                                                              double rest_used) {
  const seconds term = commitment_term(kind);
  detail::positive("price", price.value());
  detail::positive("run time", run.value());
  detail::in_range("rest of the term in use", rest_used, 0, 1, "0 (idle) to 1 (used)");
  const double terms = math::ceil(run / term);
  if (!(terms < 9e15)) detail::fail(errc::out_of_range, "run time", run.value(), "a time of fewer than 9e15 terms");
  commitment_cost result;
  result.terms = static_cast<std::int64_t>(terms);
  result.term = term * terms;
  result.unused = (result.term - run) * (1 - rest_used);
  result.utilization = 1 - result.unused / result.term;
  result.run = cost(price, run);
  result.idle = cost(price, result.unused);
  result.total = result.run + result.idle;
  result.whole = cost(price, result.term);
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost/migration.hpp

#ifndef TPUPLAN_COST_MIGRATION_HPP
#define TPUPLAN_COST_MIGRATION_HPP

/// @file
/// Whether moving to other machines pays off: engineering is paid once, and every later job saves.

namespace tpuplan {
inline namespace abi_0 {

/// A move to other machines that costs once and saves with each later job.
struct migration {
  usd engineering{};          ///< once, now; 0 or more
  usd saving_per_job{};       ///< negative where jobs become more expensive
  double jobs_per_month = 0;  ///< 0 or more, need not be whole
  double discount = 0;        ///< 0.08 for 8 %: how much less money is worth a year later; 0 or more
};

namespace detail {

/// The saving of a month, and the discount for a month. (1 + monthly rate)^12 = 1 + yearly rate.
struct migration_months {
  double saving = 0;        ///< dollars
  double discount_log = 0;  ///< ln (1 + monthly rate)
};

constexpr migration_months months_of(const migration& move) {
  not_negative("migration.engineering", move.engineering.value());
  in_range("migration.saving_per_job", move.saving_per_job.value(), -1e300, 1e300, "a finite number of dollars");
  in_range("migration.jobs_per_month", move.jobs_per_month, 0, 1e6, "0 to 1e6");
  in_range("migration.discount", move.discount, 0, 10, "0 to 10, where 0.08 is 8 % a year");
  return {move.saving_per_job.value() * move.jobs_per_month, math::log1p(move.discount) / 12};
}

/// The present value of 1 USD at the end of each of n months: (1 - (1 + r)^-n) / r, and n without discount.
constexpr double annuity(double discount_log, double months) {
  return discount_log > 0 ? -math::expm1(-discount_log * months) / math::expm1(discount_log) : months;
}

}  // namespace detail

/// The months until the savings have paid for the engineering, a fraction of a month included. Nothing where they never
/// do: no saving, no jobs, or savings worth less than the engineering however long they last.
///
/// Savings count at the end of each month. With S = saving x jobs, E = engineering and r = (1 + discount)^(1/12) - 1
/// the answer is E / S, and -ln(1 - r E / S) / ln(1 + r) with a discount. Throws for a field out of its range. Source:
/// discounted payback of an annuity, any textbook of finance. Worked: 60000 USD against 2500 a job and 4 jobs a month:
/// 6 months, 6.17 at 10 % a year.
[[nodiscard]] constexpr maybe<double> months_to_pay_back(const migration& move) {
  const detail::migration_months each = detail::months_of(move);
  if (!(each.saving > 0)) return nothing;
  const double plain = move.engineering.value() / each.saving;
  if (!math::is_finite(plain)) return nothing;
  if (each.discount_log == 0) return plain;
  const double spent = plain * math::expm1(each.discount_log);
  if (spent >= 1) return nothing;
  return -math::log1p(-spent) / each.discount_log;
}

/// The present value of the move after that many months of savings, engineering subtracted; negative before it has paid
/// back.
///
/// `months` 0 or more. Worked: the move of `months_to_pay_back` after 12 months: 60000 USD, 54004.88 at 10 % a year.
[[nodiscard]] constexpr usd value_of_migration(const migration& move, double months) {
  const detail::migration_months each = detail::months_of(move);
  detail::not_negative("months", months);
  const double worth = each.saving * detail::annuity(each.discount_log, months) - move.engineering.value();
  detail::in_range("value of the migration", worth, -1.7976931348623157e308, 1.7976931348623157e308,
                   "a finite number of dollars");
  return usd{worth};
}

/// The saving per job at which the move pays back in exactly that many months: E / (jobs x annuity).
///
/// `move.saving_per_job` is not used; `months` above 0 and at least some jobs. Worked: 60000 USD and 4 jobs a month in
/// 12 months: 1250 USD a job.
[[nodiscard]] constexpr usd break_even_saving_per_job(const migration& move, double months) {
  const detail::migration_months each = detail::months_of(move);
  detail::positive("months", months);
  detail::positive("migration.jobs_per_month", move.jobs_per_month);
  const usd saving = move.engineering / (move.jobs_per_month * detail::annuity(each.discount_log, months));
  detail::in_range("saving per job", saving.value(), 0, 1.7976931348623157e308, "a finite number of dollars");
  return saving;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/hardware/gpus.hpp

#ifndef TPUPLAN_HARDWARE_GPUS_HPP
#define TPUPLAN_HARDWARE_GPUS_HPP

#include <cstdint>
#include <string_view>

/// @file
/// GPU servers to compare a TPU slice with: peak rates, memory and Google Cloud's prices, nothing calibrated. They are
/// estimated like a caller's own chips. The table between the marks is generated from data/gpus.json, which has the
/// sources, by `cmake --build BUILD --target generate`, and is not edited here.

namespace tpuplan {
inline namespace abi_0 {

/// A GPU of Google Cloud and what an hour of it costs, its share of the machine included.
struct gpu_offer {
  text<24> name{};                     ///< "H100"; "A100-40" where a kind comes with 40 and 80 GB
  text<24> machine{};                  ///< machine type whose price is given
  std::int64_t per_machine = 0;        ///< GPUs in the largest machine
  flops_per_second bf16{};             ///< dense; of fp16 where a GPU has no bf16 (V100, T4)
  bytes hbm{};                         ///< of one GPU
  bytes_per_second bandwidth{};        ///< of its HBM
  known<usd_per_second> on_demand{};   ///< of one GPU
  known<usd_per_second> spot{};        ///< of one GPU
  known<usd_per_second> flex_start{};  ///< of one GPU
  text<10> date{};                     ///< of the prices; "unknown" where there are none
};

// generated: gpu_offers from data/gpus.json
/// GPUs to compare a TPU with.
// clang-format off
inline constexpr gpu_offer gpu_offers[] = {
    {"A100-40", "a2-highgpu-1g", 16, 312_TFLOP_per_s, 40_GB, 1555_GB_per_s, 3.6734_usd_per_h, 1.2934_usd_per_h, unknown, "2025-03-06"},
    {"A100-80", "a2-ultragpu-8g", 8, 312_TFLOP_per_s, 80_GB, 2039_GB_per_s, 5.0688_usd_per_h, 3.041_usd_per_h, 2.4_usd_per_h, "2026-09-17"},
    {"H100", "a3-highgpu-8g", 8, 989_TFLOP_per_s, 80_GB, 3350_GB_per_s, 11.0613_usd_per_h, 6.62_usd_per_h, 4.79_usd_per_h, "2026-09-17"},
    {"H200", "a3-ultragpu-8g", 8, 989_TFLOP_per_s, 141_GB, 4800_GB_per_s, 10.6009_usd_per_h, unknown, unknown, "2026-09-17"},
    {"B200", "a4-highgpu-8g", 8, 2250_TFLOP_per_s, 180_GB, 8000_GB_per_s, 16.11_usd_per_h, 4.954_usd_per_h, 8.055_usd_per_h, "2026-07-30"},
    {"RTX-PRO-6000", "g4-standard-48", 8, 467.8_TFLOP_per_s, 96_GB, 1597_GB_per_s, 4.49993_usd_per_h, 1.77164_usd_per_h, 2.25_usd_per_h, "2026-09-25"},
    {"L4", "g2-standard-4", 8, 121_TFLOP_per_s, 24_GB, 300_GB_per_s, 0.707_usd_per_h, unknown, unknown, "2026-06-03"},
    {"V100", "n1", 8, 125_TFLOP_per_s, 16_GB, 900_GB_per_s, unknown, unknown, unknown, "unknown"},
    {"T4", "n1", 4, 65_TFLOP_per_s, 16_GB, 320_GB_per_s, unknown, unknown, unknown, "unknown"},
};
// clang-format on
// end of generated: gpu_offers

/// The GPU of that name, in any case; nothing if there is none. Worked: find_gpu("h100")->per_machine is 8.
[[nodiscard]] constexpr maybe<gpu_offer> find_gpu(std::string_view given) noexcept {
  for (const gpu_offer& offer : gpu_offers) {
    if (detail::same_name(given, offer.name)) return offer;
  }
  return nothing;
}

/// The GPU of that name, in any case; an unknown name throws `errc::unknown_name` and lists the known ones. Worked:
/// gpu_for("H100").bandwidth is 3350 GB/s.
[[nodiscard]] constexpr gpu_offer gpu_for(std::string_view given) {
  if (const maybe<gpu_offer> found = find_gpu(given)) return *found;
  text<160> valid;
  for (const gpu_offer& offer : gpu_offers) valid.append(valid.empty() ? "" : ", ").append(offer.name);
  detail::fail(errc::unknown_name, "gpu", given, valid.view());
}

/// That many GPUs of one machine as a slice, for estimates with `peak_only`, which need no link rates. Throws for more
/// GPUs than a machine has.
/// Worked: hbm_bandwidth(gpu_server(gpu_for("H100"), 8)) is 26.8 TB/s.
[[nodiscard]] constexpr slice gpu_server(const gpu_offer& offer, std::int64_t gpus) {
  if (gpus < 1 || gpus > offer.per_machine)
    detail::fail(errc::out_of_range, "GPUs of one machine", gpus, "1 to what a machine has");
  chip_spec chip;
  chip.name = offer.name;
  chip.tensorcores = chip.jax_devices = 1;
  chip.peak.bf16 = offer.bf16;
  chip.hbm.capacity = chip.hbm.documented = offer.hbm;
  chip.hbm.bandwidth = offer.bandwidth;
  chip.ici.axes = 1;
  return slice{chip, topology{static_cast<std::int32_t>(gpus), 1}, gpus};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost/offer.hpp

#ifndef TPUPLAN_COST_OFFER_HPP
#define TPUPLAN_COST_OFFER_HPP

#include <cstdint>

/// @file
/// Two offers of machines for the same work, such as a TPU slice and GPUs: what a unit of work costs on each, and the
/// price at which they break even.

namespace tpuplan {
inline namespace abi_0 {

/// Machines at a price, and how much work they do. The unit of work is the caller's (tokens, steps, images, whole
/// jobs), the same for all offers that are compared.
struct offer {
  usd_per_second price{};   ///< of all machines; above 0
  per_second throughput{};  ///< units of work of all machines; above 0
};

/// Dollars for some units of work. Worked: 38.40 USD an hour at 10,000 tokens/s: 1.0667 for 1e6 tokens.
[[nodiscard]] constexpr usd cost_of_work(const offer& machines, double units = 1) {
  const double price = detail::positive("offer.price", machines.price.value());
  const double rate = detail::positive("offer.throughput", machines.throughput.value());
  detail::positive("units of work", units);
  return usd{detail::representable("units of work", price / rate * units, units, "a representable cost")};
}

/// The comparison of one offer with another.
struct offer_comparison {
  usd cost{};                               ///< of a unit of work on the offer
  usd other_cost{};                         ///< of a unit of work on the other offer
  double saving_fraction = 0;               ///< 1 - cost / other_cost; negative where the other is cheaper
  double speed_ratio = 0;                   ///< throughput over that of the other
  usd_per_second break_even_price{};        ///< price below which the offer is cheaper than the other at its price
  usd_per_second other_break_even_price{};  ///< price below which the other is cheaper than the offer
  per_second break_even_throughput{};       ///< throughput above which the offer is cheaper
};

/// What the same work costs on two offers, and where they break even. Throws for a price or a throughput that is not
/// above 0. Worked: v5e at 1.20 USD and 197 TFLOP/s against A100-40 at 3.6734 and 312 saves 48.26 % at the same share
/// of the peak, and breaks even at 2.3194 USD an hour.
[[nodiscard]] constexpr offer_comparison compare_offers(const offer& one, const offer& other) {
  offer_comparison result;
  result.cost = cost_of_work(one);
  result.other_cost = cost_of_work(other);
  result.saving_fraction = 1 - result.cost / result.other_cost;
  result.speed_ratio = one.throughput / other.throughput;
  result.break_even_price = other.price * result.speed_ratio;
  result.other_break_even_price = one.price / result.speed_ratio;
  result.break_even_throughput = other.throughput * (one.price / other.price);
  const double parts = result.saving_fraction + result.speed_ratio + result.break_even_price.value() +
                       result.other_break_even_price.value() + result.break_even_throughput.value();
  detail::representable("offer.throughput", parts, one.throughput.value(), "representable ratios of the two offers");
  return result;
}

/// Some slices at a row of the price book, with a throughput that is given or estimated: `step_time` has
/// tokens_per_second, `serve` has output_tokens. Worked: two v5e-32 at 1.20 are 76.80 USD an hour.
[[nodiscard]] constexpr offer offer_of(const slice& where, std::int64_t slice_total, const price_row& price,
                                       per_second throughput) {
  return {rate(price.per_chip, detail::chips_of(where, slice_total)), throughput};
}

/// GPUs on demand, on spot or with flex-start. Throws `errc::no_price` for other ways of paying, and
/// `errc::unknown_figure` where the price is not known. Worked: 64 H100 on demand are 707.92 USD an hour.
[[nodiscard]] constexpr offer offer_of(const gpu_offer& gpu, std::int64_t gpus, per_second throughput,
                                       provisioning kind = provisioning::on_demand) {
  switch (kind) {
    case provisioning::on_demand: return {rate(gpu.on_demand.value("on-demand price of the GPU"), gpus), throughput};
    case provisioning::spot: return {rate(gpu.spot.value("spot price of the GPU"), gpus), throughput};
    case provisioning::flex_start: return {rate(gpu.flex_start.value("flex-start price of the GPU"), gpus), throughput};
    default: break;
  }
  detail::fail(errc::no_price, "price of a GPU", name(kind),
               "on_demand, spot or flex_start, or an offer with your own price");
}

/// Units of work per second at a share of the peak rate: peak x mfu / work of a unit.
///
/// For machines without a calibrated estimate: `peak` is that of all of them, `each` the FLOPs of a unit, such as
/// `training_flops_per_token`, and `mfu`, above 0 and at most 1, the caller's own figure. Worked: 64 H100 of 989
/// TFLOP/s at an MFU of 0.4 and 48 GFLOP per token: 527467 tokens/s.
[[nodiscard]] constexpr per_second throughput_at(flops_per_second peak, double mfu, flops each) {
  detail::positive("peak rate", peak.value());
  detail::positive("mfu", mfu);
  detail::in_range("mfu", mfu, 0, 1, "above 0, at most 1");
  detail::positive("work of a unit", each.value());
  return per_second{detail::representable("work of a unit", peak * mfu / each / 1_Hz, each.value(),
                                          "a representable number of units a second")};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost/spot.hpp

#ifndef TPUPLAN_COST_SPOT_HPP
#define TPUPLAN_COST_SPOT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// How long spot slices last where the caller has no measurement, and what that means for a job on several slices.

namespace tpuplan {
inline namespace abi_0 {

/// How contested spot capacity is. Each stands for a mean time between preemptions, whatever the size of the slice: no
/// study finds that the time depends on the size, and in the one sample of TPUs it does not.
enum class spot_market : std::uint8_t {
  calm,      ///< 16 h: measured on 7 jobs of 2022 on v2 and v3
  cautious,  ///< 4 h: a margin for a worse week
  scarce,    ///< 1 h: capacity that many others want
};

/// Every market, from calm to scarce.
inline constexpr spot_market all_spot_markets[] = {spot_market::calm, spot_market::cautious, spot_market::scarce};

/// "calm", "cautious" or "scarce".
[[nodiscard]] constexpr std::string_view name(spot_market market) noexcept {
  constexpr const char* names[] = {"calm", "cautious", "scarce"};
  return detail::name_of(names, static_cast<std::size_t>(market));
}

/// The market of that name; nothing if there is none. Worked: "scarce" is the market with a preemption every hour.
[[nodiscard]] constexpr maybe<spot_market> parse_spot_market(std::string_view given) noexcept {
  return detail::enumerator_named<spot_market>(given, 3);
}

/// A mean time between preemptions of one slice to assume where yours is not known: 16, 4 or 1 hours.
///
/// Only the first is measured: 42 preemptions in 676.9 hours of 7 managed spot jobs on v2 and v3 are one in 16.1 h
/// (SkyPilot pull request 1500, 2022-12-13). The other two are suggestions. No source has newer generations.
/// Worked: cautious is 4 h.
[[nodiscard]] constexpr seconds typical_mean_time_between_preemptions(spot_market market) {
  switch (market) {
    case spot_market::calm: return 16_h;
    case spot_market::cautious: return 4_h;
    case spot_market::scarce: return 1_h;
  }
  detail::fail(errc::invalid_argument, "spot_market", static_cast<std::int64_t>(market), "calm, cautious or scarce");
}

/// The mean time between preemptions of a job on several slices, where a preemption of any slice stops the job and some
/// preemptions take all slices at once: M / (n (1 - c) + c).
///
/// Each slice is preempted every `of_one_slice` on average. A share c = `correlation` of its preemptions are events
/// that take every slice; the others take that slice alone. c is then the correlation between the numbers of
/// preemptions of any two slices in the same time. The answer is M / n for 0 and M for 1, both exactly. `of_one_slice`
/// above 0, `slices` 1 or more, `correlation` from 0 to 1. Source: the fatal shock model of Marshall and Olkin, JASA
/// 62:30-44, 1967. Worked: 4 slices of 16 h each, half of the preemptions common: 6.4 h.
[[nodiscard]] constexpr seconds mean_time_between_preemptions_of_slices(seconds of_one_slice, std::int64_t slices,
                                                                        double correlation) {
  constexpr std::string_view field = "mean_time_between_preemptions: correlation";
  const double c = detail::in_range(field, correlation, 0, 1, "0 (independent) to 1 (all slices go together)");
  const seconds independent = mean_time_between_preemptions_of_slices(of_one_slice, slices);
  const double n = static_cast<double>(slices);
  return c == 0 ? independent : of_one_slice / (n * (1 - c) + c);
}

/// What is expected of spot capacity. The defaults assume a cautious view of the market and checkpoints of unknown size
/// (`checkpoint_time` computes theirs from bytes). Set your own figures where you have them.
///
/// Source: restarts of 9.8 to 11.4 min (SkyPilot pull request 1500, 2022).
struct spot_terms {
  seconds mean_time_between_preemptions{4 * 3600.0};  ///< of one slice
  double correlation = 0;                             ///< of several slices; 0: each is preempted on its own
  seconds checkpoint_time = checkpoint_start;         ///< time for which a checkpoint stops the compute; above 0
  seconds restart_time{600};                          ///< billed: from having capacity to computing again
  seconds queue_time{};  ///< not billed: each wait for capacity, the first included; unbounded in practice
};

namespace detail {

/// The result of `best_spot_run`, for terms that are already checked.
constexpr spot_run spot_run_of(seconds work, std::int64_t slices, const spot_terms& terms) {
  spot_run run;
  run.work = work;
  run.checkpoint_time = terms.checkpoint_time;
  run.mean_time_between_preemptions =
      mean_time_between_preemptions_of_slices(terms.mean_time_between_preemptions, slices, terms.correlation);
  run.restart_time = terms.restart_time;
  run.queue_time = terms.queue_time;
  const double mean = run.mean_time_between_preemptions.value();
  const double useful = work.value(), delta = terms.checkpoint_time.value();
  const double fewer = math::floor(work / optimal_interval(terms.checkpoint_time, run.mean_time_between_preemptions));
  const auto losses = [&](double n) { return n * math::expm1((useful / n + delta) / mean); };
  const double intervals = fewer < 1 ? 1 : losses(fewer + 1) < losses(fewer) ? fewer + 1 : fewer;
  run.checkpoint_interval = work / intervals;
  return run;
}

}  // namespace detail

/// Throws, naming the field, for times out of the range that `spot_terms` gives.
constexpr void validate(const spot_terms& terms) {
  const auto check = [](detail::words field, seconds time, double least, double most, detail::words valid) {
    detail::in_range(field,
                     least > 0 ? detail::positive(field, time.value()) : detail::not_negative(field, time.value()),
                     least, most, valid);
  };
  check("spot_terms.mean_time_between_preemptions", terms.mean_time_between_preemptions, 1e-3, 1e12, "1e-3 to 1e12 s");
  check("spot_terms.checkpoint_time", terms.checkpoint_time, 1e-6, 1e7, "1e-6 to 1e7 s");
  check("spot_terms.restart_time", terms.restart_time, 0, 1e7, "0 to 1e7 s");
  check("spot_terms.queue_time", terms.queue_time, 0, 1e9, "0 to 1e9 s");
}

/// A spot run with the best number of checkpoints: its work is divided into equal intervals, in the number
/// that minimises the expected billed time.
///
/// `work` is the time for which all slices compute together; a preemption of any of the `slices` stops all. The best
/// number is one of the two whole numbers beside work / `optimal_interval`, because the expected time is convex in it.
/// Throws for work or a time in `spot_terms` out of its range. Worked: 10 h of work, 5 h between preemptions, 60 s
/// checkpoints: 25 intervals of 1440 s.
[[nodiscard]] constexpr spot_run best_spot_run(seconds work, std::int64_t slices, const spot_terms& terms) {
  detail::in_range("spot run: work", detail::positive("spot run: work", work.value()), 1e-6, longest_run.value(),
                   "1e-6 to 1e18 s");
  validate(terms);
  return detail::spot_run_of(work, slices, terms);
}

/// The mean time between preemptions of one slice at which a run costs the same on spot and on demand, with checkpoints
/// at the best interval for that time; spot is cheaper above it.
///
/// `terms.mean_time_between_preemptions` is not used. Found to a relative 1e-12 by bisection: the least expected billed
/// time falls as the mean grows. Throws `errc::infeasible` where spot costs more with a single checkpoint and no
/// preemption, and where `best_spot_run` or the prices' check does. Worked: 10 h of work on one slice, 60 s
/// checkpoints, 300 s restarts, at 1.20 and 0.60 USD per hour: 950.761 s, where 300 s are the best interval.
[[nodiscard]] constexpr seconds break_even_mean_time_between_preemptions(const spot_prices& prices, seconds work,
                                                                         std::int64_t slices, spot_terms terms) {
  const seconds affordable = work * break_even_billed_factor(prices);
  terms.mean_time_between_preemptions = 1_h;
  const spot_run checked = best_spot_run(work, slices, terms);
  if (work + checked.checkpoint_time >= affordable) {
    detail::fail(errc::infeasible, "spot_prices: spot", prices.spot.value(),
                 "below on_demand x work / (work + one checkpoint)");
  }
  const auto cheaper_at = [&](seconds mean) {
    terms.mean_time_between_preemptions = mean;
    return detail::expectation_of(detail::spot_run_of(work, slices, terms)).billed < affordable;
  };
  seconds high = max(max(work, terms.checkpoint_time), terms.restart_time) * static_cast<double>(slices);
  while (!cheaper_at(high)) high *= 2;
  seconds low = high / 2;
  while (cheaper_at(low)) {
    high = low;
    low /= 2;
  }
  for (int i = 0; i < 42; ++i) {
    const seconds middle = low + (high - low) / 2;
    (cheaper_at(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost/timed_capacity.hpp

#ifndef TPUPLAN_COST_TIMED_CAPACITY_HPP
#define TPUPLAN_COST_TIMED_CAPACITY_HPP

#include <cstdint>

/// @file
/// Capacity for a limited time: flex-start, at most 7 days at once, and calendar windows of whole days. How many pieces
/// a run takes, what is billed, and how much of that is unused.

namespace tpuplan {
inline namespace abi_0 {

/// A run on capacity for a limited time. billed = run + overhead + unused; wall = run + overhead + queue.
struct timed_run {
  seconds run{};            ///< useful time, as asked
  seconds overhead{};       ///< checkpoints at the end of pieces and restarts at the beginning of the next
  seconds unused{};         ///< paid for after the run has ended
  seconds queue{};          ///< waiting for capacity, not billed
  seconds billed{};         ///< time for which machines are held, used or not
  seconds wall{};           ///< from asking for capacity to the end of the run
  std::int64_t pieces = 1;  ///< pieces into which the run is split, one after the other
};

/// How flex-start is used. The defaults are those of `spot_terms`.
struct flex_start_terms {
  seconds limit{7 * 86400.0};  ///< longest piece; above 0, at most 7 days
  seconds checkpoint_time =
      checkpoint_start;       ///< time for which the checkpoint at the end of a piece stops the compute
  seconds restart_time{600};  ///< billed, at the beginning of every piece but the first
  seconds queue_time{};       ///< not billed, the wait for each piece, the first included
  bool may_be_split = true;   ///< false: a run longer than the limit is refused
};

/// Throws, naming the field, for times out of the range that `flex_start_terms` gives.
constexpr void validate(const flex_start_terms& terms) {
  const double limit = detail::positive("flex_start_terms.limit", terms.limit.value());
  if (terms.limit > 7_days) {
    detail::fail(errc::out_of_range, "flex_start_terms.limit in days", in_days(terms.limit), "at most 7 days");
  }
  detail::in_range("flex_start_terms.queue_time",
                   detail::not_negative("flex_start_terms.queue_time", terms.queue_time.value()), 0, 1e9, "0 to 1e9 s");
  const double lost = detail::not_negative("flex_start_terms.checkpoint_time", terms.checkpoint_time.value()) +
                      detail::not_negative("flex_start_terms.restart_time", terms.restart_time.value());
  if (lost >= limit) {
    detail::fail(errc::out_of_range, "flex_start_terms.restart_time", terms.restart_time.value(),
                 "less than the limit, checkpoint_time included");
  }
}

/// A run on flex-start capacity: one piece up to the limit; beyond it the fewest pieces one after the other, of which
/// each but the last ends with a checkpoint and each but the first begins with a restart.
///
/// No piece is interrupted, and the machines are given back when the run ends: nothing is left unused. Throws
/// where the run is longer than the limit and may not be split (`errc::out_of_range`), and where `validate` does.
/// Source: Google Cloud TPU flex-start documentation (copies of 2026): queued without charge, then up to 7 days,
/// stopped at the requested end. Worked: 20 days are 3 pieces and 1230 s more; 14 days are 3 pieces too, as restarts
/// need time.
[[nodiscard]] constexpr timed_run flex_start_run(seconds run, const flex_start_terms& terms = {}) {
  const double useful = detail::positive("run time", run.value());
  validate(terms);
  timed_run result;
  result.run = run;
  if (run > terms.limit) {
    if (!terms.may_be_split) {
      detail::fail(errc::out_of_range, "flex-start run in days", in_days(run),
                   "at most the limit, 7 days or less, where the run may not be split");
    }
    const seconds lost = terms.checkpoint_time + terms.restart_time;
    const double pieces = math::ceil((run - lost) / (terms.limit - lost));
    if (!(pieces < 9e15)) {
      detail::fail(errc::out_of_range, "run time", useful, "a time of fewer than 9e15 pieces");
    }
    result.pieces = static_cast<std::int64_t>(pieces);
    result.overhead = lost * (pieces - 1);
  }
  result.queue = terms.queue_time * static_cast<double>(result.pieces);
  result.billed = result.run + result.overhead;
  result.wall = result.billed + result.queue;
  return result;
}

/// A run in a calendar window of as many whole days as it needs; the rest of the last day is paid for and unused.
///
/// Throws beyond 90 days. A window cannot be changed or cancelled, and its first day is agreed: there is no queue.
/// Source: Google Cloud TPU calendar mode documentation (copies of 2026). Worked: 25 h are 2 days, of which 23 h are
/// unused.
[[nodiscard]] constexpr timed_run calendar_run(seconds run) {
  timed_run result;
  result.run = run;
  result.billed = billed_time(provisioning::calendar, run);
  result.unused = result.billed - run;
  result.wall = run;
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost/payment.hpp

#ifndef TPUPLAN_COST_PAYMENT_HPP
#define TPUPLAN_COST_PAYMENT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// One run under every way of paying: what is billed, how long it takes, and what is paid for but unused.

namespace tpuplan {
inline namespace abi_0 {

/// How each way of paying is used.
struct payment_terms {
  spot_terms spot{};              ///< what is expected of spot capacity
  flex_start_terms flex_start{};  ///< whether and how a run is split into pieces
  double rest_of_term_used = 0;   ///< share of a commitment's other hours that other work uses and pays for
};

/// A run under one way of paying. billed = run + overhead + unused, total = rate x billed.
struct paid_run {
  provisioning kind = provisioning::on_demand;  ///< the way of paying
  price_row price{};                            ///< the row of the price book
  usd_per_second rate{};                        ///< of all chips
  seconds run{};                                ///< uninterrupted, as asked
  seconds overhead{};                           ///< billed too: checkpoints, repeated work, restarts
  seconds unused{};                             ///< billed but idle: the rest of a calendar day or a commitment
  seconds billed{};                             ///< run, overhead and what is unused
  seconds queue{};                              ///< waiting for capacity, not billed
  seconds wall{};                               ///< run + overhead + queue
  usd total{};                                  ///< rate x billed
  usd unused_cost{};                            ///< the part of `total` for unused time
  seconds checkpoint_interval{};                ///< spot: work between two checkpoints
  double preemptions = 0;                       ///< spot: how many are expected
  std::int64_t pieces = 1;                      ///< flex-start: pieces; commitments: terms
};

namespace detail {

constexpr void add_spot(paid_run& paid, std::int64_t slice_total, const spot_terms& terms) {
  const spot_run run = best_spot_run(paid.run, slice_total, terms);
  const expected_spot_run expected = expected_run(run);
  paid.overhead = expected.billed - expected.work;
  paid.queue = expected.queue + terms.queue_time;
  paid.checkpoint_interval = run.checkpoint_interval;
  paid.preemptions = expected.preemptions;
}

constexpr void add_timed(paid_run& paid, const timed_run& timed) {
  paid.overhead = timed.overhead;
  paid.unused = timed.unused;
  paid.queue = timed.queue;
  paid.pieces = timed.pieces;
}

constexpr void add_commitment(paid_run& paid, double rest_used) {
  const commitment_cost committed = cost_under_commitment(paid.rate, paid.kind, paid.run, rest_used);
  paid.unused = committed.unused;
  paid.pieces = committed.terms;
}

/// Whether a run on spot slices is expected to end, with a countable number of intervals.
constexpr bool can_be_spot(std::int64_t slice_total, seconds work, const spot_terms& terms) {
  const spot_run run = best_spot_run(work, slice_total, terms);
  return run.work / run.checkpoint_interval < 9e15 && can_finish(run);
}

}  // namespace detail

/// Whether a run on some slices is possible under a way of paying; `pay_for` throws where it is not.
///
/// Each way has its own reason: calendar windows end after 90 days; flex-start ends after its limit where the run may
/// not be split; spot slices may be preempted faster than they restart and get from one checkpoint to the next
/// (`can_finish`). No run longer than `longest_run` is possible. Throws for terms out of their range. Worked: 100 days
/// are not possible in calendar mode, nor on spot capacity that is preempted every 6 s.
[[nodiscard]] constexpr bool can_be_paid(provisioning kind, std::int64_t slice_total, seconds run,
                                         const payment_terms& terms = {}) {
  detail::positive("run time", run.value());
  detail::positive_count("slices", slice_total);
  if (run > longest_run) return false;
  switch (kind) {
    case provisioning::calendar: return run <= 90_days;
    case provisioning::flex_start:
      validate(terms.flex_start);
      return terms.flex_start.may_be_split || run <= terms.flex_start.limit;
    case provisioning::spot: return detail::can_be_spot(slice_total, run, terms.spot);
    case provisioning::on_demand:
    case provisioning::commitment_1y:
    case provisioning::commitment_3y: break;
  }
  return true;
}

/// What an uninterrupted run on some slices costs under the way of paying of a price row.
///
/// On demand it is billed for its own time. On spot it is preempted and writes checkpoints at the best interval; on
/// flex-start it may be split into pieces; a calendar window is billed in whole days; a commitment for its
/// whole term, less what other work uses of it (`rest_of_term_used`). The wait for the first capacity counts for
/// spot and flex-start. Throws where one of `best_spot_run`, `expected_run`, `flex_start_run`, `calendar_run` and
/// `cost_under_commitment` does. Worked: 10 days of two v5e-32 (64 chips): 18432 USD on demand at 1.20; 9222.56 on
/// flex-start at 0.60, of which 6.56 for a second piece.
[[nodiscard]] constexpr paid_run pay_for(const slice& where, std::int64_t slice_total, seconds run,
                                         const price_row& price, const payment_terms& terms = {}) {
  paid_run paid;
  paid.kind = price.kind;
  paid.price = price;
  paid.rate = rate(price.per_chip, detail::chips_of(where, slice_total));
  paid.run = seconds{detail::positive("run time", run.value())};
  switch (price.kind) {
    case provisioning::on_demand: break;
    case provisioning::spot: detail::add_spot(paid, slice_total, terms.spot); break;
    case provisioning::flex_start: detail::add_timed(paid, flex_start_run(run, terms.flex_start)); break;
    case provisioning::calendar: detail::add_timed(paid, calendar_run(run)); break;
    case provisioning::commitment_1y:
    case provisioning::commitment_3y: detail::add_commitment(paid, terms.rest_of_term_used); break;
  }
  paid.billed = paid.run + paid.overhead + paid.unused;
  paid.wall = paid.run + paid.overhead + paid.queue;
  paid.total = cost(paid.rate, paid.billed);
  paid.unused_cost = cost(paid.rate, paid.unused);
  return paid;
}

/// A run under all ways of paying, in the order of `provisioning`.
struct payment_options {
  std::array<paid_run, all_provisioning.size()> ways{};  ///< the first `count` are set
  std::size_t count = 0;                                 ///< ways that are set

  [[nodiscard]] constexpr const paid_run* begin() const noexcept { return ways.data(); }        ///< the first way
  [[nodiscard]] constexpr const paid_run* end() const noexcept { return ways.data() + count; }  ///< behind the last way
};

/// Every way of paying that the book has a price for and under which the run is possible (`can_be_paid`). Throws where
/// `pay_for` does. Worked: 10 days on v6e-32 in us have six ways, 100 days five: calendar windows are shorter.
[[nodiscard]] constexpr payment_options ways_to_pay(const price_book& book, const slice& where,
                                                    std::int64_t slice_total, std::string_view region, seconds run,
                                                    const payment_terms& terms = {}) {
  payment_options options;
  for (const provisioning kind : all_provisioning) {
    const maybe<price_row> price = find_price(book, where, region, kind);
    if (price && can_be_paid(kind, slice_total, run, terms))
      options.ways[options.count++] = pay_for(where, slice_total, run, *price, terms);
  }
  return options;
}

/// The cheapest way of paying, the first if several cost the same; nothing where there are no options. Worked: of the
/// six ways of 10 days on two v6e-32 in us it is flex-start at 20750.76 USD, where on demand is 41472.
[[nodiscard]] constexpr maybe<paid_run> cheapest(const payment_options& options) noexcept {
  maybe<paid_run> best;
  for (const paid_run& way : options) {
    if (!best || way.total < best->total) best = way;
  }
  return best;
}

/// The run under that way of paying; nothing where it is not among the options. Worked: 10 days of
/// two v6e-32 on demand are 41472 USD.
[[nodiscard]] constexpr maybe<paid_run> find_way(const payment_options& options, provisioning kind) noexcept {
  for (const paid_run& way : options) {
    if (way.kind == kind) return way;
  }
  return nothing;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/model/serving_job.hpp

#ifndef TPUPLAN_MODEL_SERVING_JOB_HPP
#define TPUPLAN_MODEL_SERVING_JOB_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// A serving job: its traffic, its latency targets, and the settings of its engine.

namespace tpuplan {
inline namespace abi_0 {

/// The lengths of prompts or of outputs, in tokens. A long output runs for longer than a short one, so that the
/// sequences that run at any moment are longer than the average request: the mean square says by how much.
struct token_lengths {
  double mean = 0;           ///< tokens
  double mean_square = 0;    ///< mean of the squared lengths, in tokens squared
  std::int64_t longest = 0;  ///< tokens
};

/// Lengths that are all the same. Throws for a length below 1. Worked: fixed_length(512) has mean 512 and mean square
/// 262144.
[[nodiscard]] constexpr token_lengths fixed_length(std::int64_t tokens) {
  const auto length = static_cast<double>(detail::positive_count("tokens", tokens));
  return {length, length * length, tokens};
}

/// A quantile of lengths: that share of requests has at most that many tokens.
struct length_quantile {
  double share = 0;         ///< of requests, 0 to 1
  std::int64_t tokens = 0;  ///< the length
};

/// Lengths by their quantiles, with straight lines between them. Throws unless shares rise from 0, the shortest, to 1,
/// the longest, and lengths do not fall. Worked: 0 to 1000 evenly has mean 500 and mean square 333333, so that the
/// outputs of the running sequences have 667 tokens on average.
[[nodiscard]] constexpr token_lengths lengths_from(const length_quantile* quantiles, std::size_t count) {
  if (count < 2) detail::fail(errc::missing_field, "quantiles", static_cast<std::int64_t>(count), "two or more");
  if (quantiles[0].share != 0)
    detail::fail(errc::out_of_range, "first quantile", quantiles[0].share, "0: the shortest");
  if (quantiles[count - 1].share != 1)
    detail::fail(errc::out_of_range, "last quantile", quantiles[count - 1].share, "1: the longest");
  token_lengths result;
  result.longest = detail::positive_count("longest", quantiles[count - 1].tokens);
  detail::count_from("shortest", quantiles[0].tokens, 0);
  for (std::size_t i = 1; i < count; ++i) {
    const double weight = quantiles[i].share - quantiles[i - 1].share;
    if (!(weight > 0)) detail::fail(errc::out_of_range, "share of a quantile", quantiles[i].share, "rising shares");
    if (quantiles[i].tokens < quantiles[i - 1].tokens)
      detail::fail(errc::out_of_range, "tokens of a quantile", quantiles[i].tokens, "rising lengths");
    const auto from = static_cast<double>(quantiles[i - 1].tokens);
    const auto to = static_cast<double>(quantiles[i].tokens);
    result.mean += weight * (from + to) / 2;
    result.mean_square += weight * (from * from + from * to + to * to) / 3;
  }
  return result;
}

/// Lengths by an array of quantiles: lengths_from({{0, 16}, {0.5, 400}, {1, 8192}}). Worked: that mean is 0.5 x (16 +
/// 400) / 2 + 0.5 x (400 + 8192) / 2 = 2252.
template <std::size_t Count>
[[nodiscard]] constexpr token_lengths lengths_from(const length_quantile (&quantiles)[Count]) {
  return lengths_from(quantiles, Count);
}

/// How an engine allocates memory for keys and values.
enum class cache_policy : std::uint8_t {
  paged,     ///< in blocks, as many as a sequence needs: vLLM, SGLang, ragged paged attention
  reserved,  ///< the longest context for every sequence, and attention over all of it: JetStream, MaxText
};

/// "paged" or "reserved".
[[nodiscard]] constexpr std::string_view name(cache_policy policy) noexcept {
  constexpr const char* names[] = {"paged", "reserved"};
  return detail::name_of(names, static_cast<std::size_t>(policy));
}

/// The program that serves. Its attention kernel and its scheduler affect the time of every step. Enumerators and their
/// names are stable.
enum class serving_engine : std::uint8_t {
  unnamed,         ///< not given: what all engines have in common
  jetstream,       ///< JetStream and MaxText
  vllm,            ///< vLLM with the JAX backend (tpu-inference), October 2025 and later
  vllm_torch_xla,  ///< vLLM with torch_xla, the backend before that
  sglang_jax,      ///< SGLang-JAX
  example,         ///< a model's own loop, without a cache in pages: research and example code
};

/// "unnamed", "jetstream", "vllm", "vllm-torch-xla", "sglang-jax" or "example".
[[nodiscard]] constexpr std::string_view name(serving_engine engine) noexcept {
  constexpr const char* names[] = {"unnamed", "jetstream", "vllm", "vllm-torch-xla", "sglang-jax", "example"};
  return detail::name_of(names, static_cast<std::size_t>(engine));
}

/// An engine by its name, or by that of its repository: "sglang-jax", "tpu-inference". Nothing for other names. Worked:
/// parse_serving_engine("tpu-inference") is vllm.
[[nodiscard]] constexpr maybe<serving_engine> parse_serving_engine(std::string_view given) noexcept {
  if (given == "tpu-inference") return serving_engine::vllm;
  return detail::enumerator_named<serving_engine>(given, 6);
}

/// A limit on a time of requests, for that share of them or for their mean.
struct latency_target {
  double share = 0;  ///< of the requests: 0.99 for a p99; 0: the limit is for the mean
  seconds limit{};   ///< 0: there is no target
};

/// Latency targets by percentile, which only a simulation can check.
struct latency_targets {
  latency_target first_token{};  ///< from arrival to the first output token (TTFT)
  latency_target per_token{};    ///< from the first output token to the last, for each token after the first (TPOT)
  latency_target end_to_end{};   ///< from arrival to the last output token
};

/// Whether any of the targets is set. Worked: a p99 of 1.5 s for the first token is one.
[[nodiscard]] constexpr bool any_target(const latency_targets& targets) noexcept {
  return targets.first_token.limit.value() > 0 || targets.per_token.limit.value() > 0 ||
         targets.end_to_end.limit.value() > 0;
}

/// Traffic, targets and engine. Fields without a sensible default are 0 and refused by name when used.
struct serving_job {
  token_lengths prompt{};           ///< input tokens of a request
  token_lengths output{};           ///< output tokens of a request
  std::int64_t concurrency = 0;     ///< requests in flight, over all replicas; 0: as many as can run at once
  per_second request_rate{};        ///< random arrivals, over all replicas; 0: a new request comes when one ends
  seconds ttft_target{};            ///< mean time to the first token; 0: none
  seconds tpot_target{};            ///< mean time per output token; 0: none
  dtype weights = dtype::bf16;      ///< as they are stored
  dtype cache = dtype::bf16;        ///< keys and values as they are stored
  dtype activations = dtype::bf16;  ///< int8 or fp8 where products run quantised, not for weights alone
  double prefix_hit_rate = 0;       ///< share of prompt tokens whose keys and values are in the prefix cache
  std::int64_t prefill_chunk = 0;   ///< tokens of a prompt that one step takes; 0: all of it
  std::int64_t max_running = 0;     ///< sequences that the engine decodes at once, per replica; 0: what memory allows
  std::int64_t block_tokens = 1;    ///< tokens in a block of the cache
  cache_policy policy = cache_policy::paged;        ///< how the engine holds the cache
  serving_engine engine = serving_engine::unnamed;  ///< the program that serves
  double memory_fraction = 0.9;       ///< of usable HBM, for weights and cache: vLLM's gpu_memory_utilization
  bool beyond_max_positions = false;  ///< allows contexts longer than the model was made for
  latency_targets percentiles{};      ///< targets for `plan_serving`: the closed form `serve` refuses them
  weight_bits weights_by_part{};      ///< of a quantised checkpoint, where they are not in `weights`
};

namespace detail {

/// The most requests in flight, or running sequences.
inline constexpr std::int64_t most_requests = 1000000000;

/// Refuses a model that makes no output tokens one by one.
constexpr void check_decoder(const transformer& model) {
  if (model.kind != architecture::decoder)
    fail(errc::unsupported, "serving of an architecture", name(model.kind),
         "decoder: passes of an encoder are not modelled");
}

/// Refuses lengths whose mean is above the longest, or whose mean square is impossible with that mean.
constexpr void check_lengths(std::string_view longest_field, std::string_view mean_field, std::string_view square_field,
                             const token_lengths& lengths) {
  positive(mean_field, lengths.mean);
  check_part(longest_field, positive_count(longest_field, lengths.longest), most_tokens, "1 to 2^40 tokens");
  const auto longest = static_cast<double>(lengths.longest);
  in_range(mean_field, lengths.mean, 1e-9, longest, "above 0 and at most the longest");
  const double least = lengths.mean * lengths.mean * (1 - 1e-9), most = lengths.mean * longest * (1 + 1e-9);
  in_range(square_field, lengths.mean_square, least, most, "mean^2 to mean x longest");
}

constexpr void check_lengths(const serving_job& job) {
  check_lengths("serving_job.prompt.longest", "serving_job.prompt.mean", "serving_job.prompt.mean_square", job.prompt);
  check_lengths("serving_job.output.longest", "serving_job.output.mean", "serving_job.output.mean_square", job.output);
}

constexpr void validate(const latency_targets& targets) {
  const latency_target all[] = {targets.first_token, targets.per_token, targets.end_to_end};
  for (const latency_target& target : all) {
    in_range("latency_target.share", target.share, 0, 1, "0 (the mean) to 1");
    in_range("latency_target.limit", not_negative("latency_target.limit", target.limit.value()), 0, 1e9,
             "0 (none) to 1e9 s");
  }
}

}  // namespace detail

/// Tokens of the longest prompt with the longest output. Worked: 2048 for prompts and outputs of 1024.
[[nodiscard]] constexpr std::int64_t longest_context(const serving_job& job) {
  return checked_add(detail::positive_count("serving_job.prompt.longest", job.prompt.longest),
                     detail::positive_count("serving_job.output.longest", job.output.longest));
}

/// Tokens that a running sequence attends to, on average. In a paged cache these are the prompt and half of the output
/// of a running sequence: prompt + mean square / (2 mean). In a reserved cache it is the longest context. Worked: for
/// prompts and outputs of 1024 tokens each, 1536 in a paged cache and 2048 in a reserved one.
[[nodiscard]] constexpr double running_context(const serving_job& job) {
  detail::check_lengths(job);
  if (job.policy == cache_policy::reserved) return static_cast<double>(longest_context(job));
  return job.prompt.mean + job.output.mean_square / (2 * job.output.mean);
}

/// Throws, naming the field, unless formats, prefill and cache of the engine are ones that can be estimated.
constexpr void validate_engine(const serving_job& job) {
  if (job.activations == dtype::fp32 || job.activations == dtype::int4)
    detail::fail(errc::unsupported, "serving_job.activations", name(job.activations), "bf16, fp16, fp8 or int8");
  validate(job.weights_by_part);
  if (!any_part(job.weights_by_part) && bits(job.weights) > bits(job.activations) && bits(job.activations) < 16)
    detail::fail(errc::invalid_argument, "serving_job.activations", name(job.activations),
                 "not smaller than the weights: products run in the larger format");
  detail::in_range("serving_job.prefix_hit_rate", job.prefix_hit_rate, 0, 0.999, "0 to 0.999");
  detail::check_count("serving_job.prefill_chunk", job.prefill_chunk, detail::most_tokens, "0 (all) to 2^40 tokens");
  detail::check_count("serving_job.max_running", job.max_running, detail::most_requests, "0 (no limit) to 1000000000");
  detail::check_dimension("serving_job.block_tokens", job.block_tokens);
  detail::in_range("serving_job.memory_fraction", job.memory_fraction, 0.05, 1, "0.05 to 1");
}

/// Throws, naming the field, unless the traffic is one that can be estimated for that model.
constexpr void validate(const serving_job& job, const transformer& model) {
  validate(model);
  detail::check_decoder(model);
  detail::check_lengths(job);
  const std::int64_t context = longest_context(job);
  if (!job.beyond_max_positions && model.max_positions > 0 && context > model.max_positions) {
    text<96> valid{"at most "};
    valid.append(model.max_positions).append(", for which the model is made, or beyond_max_positions");
    detail::fail(errc::out_of_range, "longest context of serving", context, valid.view());
  }
  detail::check_count("serving_job.concurrency", job.concurrency, detail::most_requests, "0 (not given) to 1000000000");
  const double rate = detail::not_negative("serving_job.request_rate", job.request_rate.value());
  if (rate > 0)
    detail::in_range("serving_job.request_rate", rate, 1e-12, 1e9, "0 (not given), or 1e-12 to 1e9 a second");
  if (job.concurrency > 0 && job.request_rate.value() > 0) {
    detail::fail(errc::invalid_argument, "serving_job.request_rate", job.request_rate.value(),
                 "0 where a concurrency is given: one follows from the other");
  }
  detail::in_range("serving_job.ttft_target", detail::not_negative("serving_job.ttft_target", job.ttft_target.value()),
                   0, 1e9, "0 (none) to 1e9 s");
  detail::in_range("serving_job.tpot_target", detail::not_negative("serving_job.tpot_target", job.tpot_target.value()),
                   0, 1e9, "0 (none) to 1e9 s");
  detail::validate(job.percentiles);
  validate_engine(job);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/serving/calibration.hpp

#ifndef TPUPLAN_ESTIMATE_SERVING_CALIBRATION_HPP
#define TPUPLAN_ESTIMATE_SERVING_CALIBRATION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// The constants of the serving estimates, calibrated on published runs, and what those runs cover. Every estimate
/// takes the constants as an argument.

namespace tpuplan {
inline namespace abi_0 {

/// Factors on the times that the common constants give, for one engine: its attention kernel, its handling of cache
/// pages, and its prefill. They are 1 for an engine without published runs.
struct engine_factors {
  double cache = 1;    ///< on the time of reading keys and values
  double paging = 1;   ///< on the attention time of each sequence that does not depend on its length
  double prefill = 1;  ///< on the time of prefill
};

/// Constants of decode steps and prefill. Each has a physical meaning; tools/calibrate fits those that are not marked
/// as set, and writes them here, rounded to three digits. Few sources publish serving runs, so these are
/// calibrated rules, not laws.
struct serving_calibration {
  // generated: serving_constants from data/measured
  double weight_stream = 0.865;        ///< fraction of the HBM bandwidth while weights are read
  double cache_stream = 0.408;         ///< fraction of the HBM bandwidth while keys and values are read
  double decode_mxu = 0.543;           ///< sustained fraction of the peak in decode steps that products limit
  double decode_collectives = 0.996;   ///< time of all-reduces in decode over their bandwidth bound
  seconds layer_latency{2.23e-5};      ///< of the two small all-reduces of a layer, for each doubling of the devices
  flops sequence_work{1e+09};          ///< of a device for each layer and sequence in pages, whatever it holds
  double dispatch_passes = 26.2;       ///< HBM passes of expert sort, gather and scatter per routed token
  seconds engine_step{4.37e-3};        ///< host time of a serving engine each step
  seconds engine_array{1.70e-6};       ///< host time of each array of weights or cache and each device of a host
  seconds engine_sequence{3.69e-5};    ///< host time that each running sequence adds to a step
  double prefill_mxu = 0.81;           ///< sustained fraction of the peak in prefill
  double prefill_attention = 3.26;     ///< time of the attention kernel over a dense product of the same FLOPs
  double prefill_hbm_passes = 1.5;     ///< HBM traffic of elementwise work over the bytes counted; set
  double prefill_collectives = 0.689;  ///< time of all-reduces in prefill over their bandwidth bound
  double engine_prefill = 1.28;        ///< time of a prefill in a serving engine over one by itself
  engine_factors vllm{0.94, 0.642, 1.01};           ///< of vLLM with the JAX backend
  engine_factors vllm_torch_xla{1.95, 1.51, 1.35};  ///< of vLLM with torch_xla
  engine_factors sglang_jax{0.848, 0.999, 0.971};   ///< of SGLang-JAX
  // end of generated: serving_constants
  own_runs own_decode{};   ///< measured token times of the caller's own: see with_own_decode
  own_runs own_prefill{};  ///< measured times to the first token: see with_own_prefill
};

/// @{
/// How measured decode and prefill times of one source differ from the estimates. tools/calibrate finds these spreads
/// over all sources.
// generated: serving_spreads from data/measured
inline constexpr own_spreads decode_spreads{0.0319, 0.14, 0.0771, 3.36, 3.26, 3.29, 3, 0.43, 0.44};
inline constexpr own_spreads prefill_spreads{0.0319, 0.123, 0.0831, 3.29, 2.91, 2.44, 3.06, 0.5, 0.5};
// end of generated: serving_spreads
/// @}

namespace detail {

constexpr void validate(std::string_view cache, std::string_view paging, std::string_view prefill,
                        const engine_factors& factors) {
  positive(cache, factors.cache);
  not_negative(paging, factors.paging);
  positive(prefill, factors.prefill);
}

}  // namespace detail

/// Throws, naming the constant, unless rates and factors are above 0 and shares and additions at least 0.
constexpr void validate(const serving_calibration& constants) {
  detail::positive("serving_calibration.weight_stream", constants.weight_stream);
  detail::positive("serving_calibration.cache_stream", constants.cache_stream);
  detail::positive("serving_calibration.decode_mxu", constants.decode_mxu);
  detail::not_negative("serving_calibration.decode_collectives", constants.decode_collectives);
  detail::not_negative("serving_calibration.layer_latency", constants.layer_latency.value());
  detail::not_negative("serving_calibration.sequence_work", constants.sequence_work.value());
  detail::not_negative("serving_calibration.dispatch_passes", constants.dispatch_passes);
  detail::not_negative("serving_calibration.engine_step", constants.engine_step.value());
  detail::not_negative("serving_calibration.engine_array", constants.engine_array.value());
  detail::not_negative("serving_calibration.engine_sequence", constants.engine_sequence.value());
  detail::positive("serving_calibration.prefill_mxu", constants.prefill_mxu);
  detail::positive("serving_calibration.prefill_attention", constants.prefill_attention);
  detail::not_negative("serving_calibration.prefill_hbm_passes", constants.prefill_hbm_passes);
  detail::not_negative("serving_calibration.prefill_collectives", constants.prefill_collectives);
  detail::positive("serving_calibration.engine_prefill", constants.engine_prefill);
  detail::validate("serving_calibration.vllm.cache", "serving_calibration.vllm.paging",
                   "serving_calibration.vllm.prefill", constants.vllm);
  detail::validate("serving_calibration.vllm_torch_xla.cache", "serving_calibration.vllm_torch_xla.paging",
                   "serving_calibration.vllm_torch_xla.prefill", constants.vllm_torch_xla);
  detail::validate("serving_calibration.sglang_jax.cache", "serving_calibration.sglang_jax.paging",
                   "serving_calibration.sglang_jax.prefill", constants.sglang_jax);
  validate(constants.own_decode);
  validate(constants.own_prefill);
}

/// Constants of an ideal machine: peak rates, and no time for collectives, experts' dispatch or engine. For bounds, and
/// for chips on which nothing is calibrated, such as GPUs.
inline constexpr serving_calibration peak_only{1, 1, 1, 0, seconds{0}, flops{0}, 0,  seconds{0}, seconds{0}, seconds{0},
                                               1, 1, 0, 0, 1,          {},       {}, {},         {},         {}};

namespace detail {

/// The factors of an engine; 1 where it has none of its own.
constexpr engine_factors factors_of(const serving_calibration& constants, serving_engine engine) noexcept {
  switch (engine) {
    case serving_engine::vllm: return constants.vllm;
    case serving_engine::vllm_torch_xla: return constants.vllm_torch_xla;
    case serving_engine::sglang_jax: return constants.sglang_jax;
    default: return {};
  }
}

/// The constants of one engine: the common ones times its factors.
constexpr serving_calibration constants_of(serving_calibration constants, serving_engine engine) {
  validate(constants);
  const engine_factors own = factors_of(constants, engine);
  constants.cache_stream /= own.cache;
  constants.sequence_work = constants.sequence_work * own.paging;
  constants.engine_prefill *= own.prefill;
  constants.vllm = constants.vllm_torch_xla = constants.sglang_jax = {};
  return constants;
}

/// Kinds of serving estimates whose errors differ.
enum class serving_kind : std::uint8_t { decode, expert_decode, prefill };
inline constexpr serving_kind all_serving_kinds[] = {serving_kind::decode, serving_kind::expert_decode,
                                                     serving_kind::prefill};

/// How far an estimate may lie above and below the measured time, as shares of that time.
struct serving_band {
  double over = 0;   // predicted over measured, less 1
  double under = 0;  // 1 less predicted over measured
};

/// The bands of one kind, from errors on sources left out of the fit: with the engine named, and without.
struct serving_bands {
  serving_band named{}, unnamed{};
};
// generated: serving_bands from data/measured
// clang-format off
inline constexpr serving_bands bands_by_kind[] = {
    {{0.35, 0.55}, {0.26, 0.57}}, {{0.59, 0.79}, {0.58, 0.83}}, {{0.64, 0.41}, {0.62, 0.46}},
};
// clang-format on
// end of generated: serving_bands

/// The factor, in logarithms, by which a band is wider on a chip without published runs; set by hand.
inline constexpr double uncovered_width = 1.5;

/// Published runs of quality A or B in data/measured, by chip.
struct serving_coverage {
  std::string_view chip{};
  std::int32_t decode_runs = 0;   // decode steps, engines, and batches from prompt to last token
  std::int32_t prefill_runs = 0;  // prompts taken in
};
// generated: serving_runs from data/measured
// clang-format off
inline constexpr serving_coverage serving_runs_by_chip[] = {
    {"v4", 7, 4}, {"v5e", 20, 5}, {"v5p", 2, 0}, {"v6e", 50, 30}, {"tpu7x", 27, 4},
};
// clang-format on
// end of generated: serving_runs

/// Whether there are published runs of that kind on a chip of that name. A renamed copy of a chip is not covered.
constexpr bool has_serving_runs(const chip_spec& chip, const std::int32_t serving_coverage::*runs) noexcept {
  for (const serving_coverage& row : serving_runs_by_chip) {
    if (chip.name == row.chip) return row.*runs > 0;
  }
  return false;
}

/// The band of an estimate of that kind, wider where the chip is not covered.
constexpr serving_band band_of(serving_kind kind, serving_engine engine, bool covered) {
  const serving_bands& both = bands_by_kind[static_cast<std::size_t>(kind)];
  const serving_band band = engine == serving_engine::unnamed ? both.unnamed : both.named;
  if (covered) return band;
  return {math::pow(1 + band.over, uncovered_width) - 1, 1 - math::pow(1 - band.under, uncovered_width)};
}

/// Fills in the range (low, high, band) of an estimate from its total.
template <class Estimate>
constexpr void add_band(Estimate& estimate, serving_kind kind, serving_engine engine, bool covered) {
  const serving_band band = band_of(kind, engine, covered);
  estimate.extrapolated = !covered;
  estimate.band = band.over > band.under ? band.over : band.under;
  estimate.low = estimate.total / (1 + band.over);
  estimate.high = estimate.total / (1 - band.under);
}

}  // namespace detail

/// How many published runs the constants of an engine are fitted to.
struct engine_runs {
  serving_engine engine = serving_engine::unnamed;  ///< which engine; unnamed: all engines together
  std::int32_t runs = 0;                            ///< decode and prefill runs
  std::int32_t sources = 0;                         ///< repositories, papers and authors that published them
};
/// The runs behind the constants of each engine.
// generated: engine_runs from data/measured
// clang-format off
inline constexpr engine_runs runs_by_engine[] = {
    {serving_engine::unnamed, 149, 9}, {serving_engine::jetstream, 3, 1}, {serving_engine::vllm, 45, 4},
    {serving_engine::vllm_torch_xla, 23, 1}, {serving_engine::sglang_jax, 55, 1}, {serving_engine::example, 23, 4},
};
// clang-format on
// end of generated: engine_runs

/// How many runs an engine's constants are fitted to; 0 of 0 sources where there is none. Worked: vLLM has 45 or more,
/// of at least 4 sources; where no engine is named it is the sum over all.
[[nodiscard]] constexpr engine_runs runs_behind(serving_engine engine) noexcept {
  for (const engine_runs& row : runs_by_engine) {
    if (row.engine == engine) return row;
  }
  return {engine, 0, 0};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/parallel/collective_group.hpp

#ifndef TPUPLAN_PARALLEL_COLLECTIVE_GROUP_HPP
#define TPUPLAN_PARALLEL_COLLECTIVE_GROUP_HPP

#include <array>
#include <cstddef>
#include <cstdint>

/// @file
/// Groups of chips by the axes that they span: which of those axes close into rings, by the one rule of
/// `parallel/interconnect.hpp`, and how many links lead into a chip.

namespace tpuplan {
inline namespace abi_0 {

/// Time of one ICI hop, whatever it carries: about a microsecond. Source: scaling book, "TPU networking" (2025-12-15).
inline constexpr seconds ici_hop_latency{1e-6};

/// How the chips of a group are joined.
enum class network_kind : std::uint8_t {
  ring,     ///< every axis closes: both directions carry
  line,     ///< no axis closes: as fast as the chip at its end receives
  switch_,  ///< every chip has one port into a switch (GPUs in a node, nodes in a network)
  mixed,    ///< some axes close: `collective_group::closed` says which
};

/// Chips that take part in a collective: the lengths of the ICI axes they span.
struct collective_group {
  std::array<std::int32_t, 3> lengths{1, 1, 1};   ///< chips along each axis; 1: not spanned
  network_kind network = network_kind::ring;      ///< what joins the members
  bytes_per_second one_way{};                     ///< achieved rate of one link or port
  seconds per_hop = ici_hop_latency;              ///< time of one hop, whatever it carries
  member_share share = member_share::by_network;  ///< the part of the array counted as moved
  std::array<bool, 3> closed{};                   ///< which axes close; used where the network is `mixed`
};

/// Members of the group. Worked: 64 of 4 x 4 x 4.
[[nodiscard]] constexpr std::int64_t members(const collective_group& group) {
  for (const std::int32_t length : group.lengths) detail::positive_count("collective_group.lengths", length);
  return checked_multiply(group.lengths[0], group.lengths[1], group.lengths[2]);
}

/// Whether an axis of the group closes into a ring. Worked: no axis of a line does.
[[nodiscard]] constexpr bool is_ring(const collective_group& group, std::size_t axis) noexcept {
  return group.network == network_kind::ring ||
         (group.network == network_kind::mixed && axis < 3 && group.closed[axis]);
}

/// Links through which data comes into one chip of the group: two for each axis that closes, one for each that does not
/// (the chip at its end has no more), one port into a switch; 0 for a group of one.
/// Worked: 6 of a v5p cube of 4x4x4, 3 of v5e 8x16, 2 of v6e 2x4.
[[nodiscard]] constexpr double links_into(const collective_group& group) noexcept {
  double links = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (group.lengths[axis] > 1) links += is_ring(group, axis) ? 2 : 1;
  }
  return group.network == network_kind::switch_ && links > 1 ? 1 : links;
}

/// A group of those lengths along the axes of a slice, at achieved link rates. An axis that is not spanned whole is
/// open. Worked: lengths {16, 1, 1} of v5litepod-256 are a ring of 16, {8, 1, 1} a line.
[[nodiscard]] constexpr collective_group group_spanning(const slice& where,
                                                        const std::array<std::int32_t, 3>& lengths) {
  collective_group group;
  group.lengths = lengths;
  group.one_way = ici_link_rate(where.chip);
  bool all_closed = true, all_open = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (lengths[axis] == 1) continue;
    group.closed[axis] = lengths[axis] == where.shape.dims[axis] && is_ring(where, axis);
    (group.closed[axis] ? all_open : all_closed) = false;
  }
  group.network = all_closed ? network_kind::ring : all_open ? network_kind::line : network_kind::mixed;
  return group;
}

/// The group of all chips along some axes of a slice. Worked: axes {true, false, false} of v5p-128 are a ring of 4.
[[nodiscard]] constexpr collective_group group_along(const slice& where, const std::array<bool, 3>& axes) {
  std::array<std::int32_t, 3> lengths{1, 1, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axes[axis]) lengths[axis] = where.shape.dims[axis];
  }
  return group_spanning(where, lengths);
}

/// The chips of one of several equal blocks into which a slice is divided, such as the replicas of a served model: as
/// compact as the shape allows, since neighbours talk to each other. A block that spans a whole closed axis uses
/// its ring. A block that cannot tile the shape lies along its last axis.
/// Worked: 8 chips of v6e-256 are 2x4 with two links into a chip, 16 chips of v5p-128 are 2x2x4 with four.
[[nodiscard]] constexpr collective_group block_of(const slice& where, std::int64_t block_chips) {
  std::array<std::int32_t, 3> lengths{1, 1, 1};
  std::int64_t left = detail::positive_count("chips of a block", block_chips);
  for (std::int32_t factor = 2; left > 1;) {
    std::size_t best = 3;
    for (std::size_t axis = 0; axis < 3 && left % factor == 0; ++axis) {
      const bool divides = where.shape.dims[axis] % (lengths[axis] * factor) == 0;
      if (divides && (best == 3 || lengths[axis] < lengths[best])) best = axis;
    }
    if (best < 3) {
      lengths[best] *= factor;
      left /= factor;
    } else if (++factor > left || factor > 64) {
      break;
    }
  }
  if (left > 1) lengths[2] = static_cast<std::int32_t>(lengths[2] * left);
  return group_spanning(where, lengths);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/collective.hpp

#ifndef TPUPLAN_HANDBOOK_COLLECTIVE_HPP
#define TPUPLAN_HANDBOOK_COLLECTIVE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// Time of a collective among a group of chips: by bandwidth, with the floor that latency sets. Bytes are those of the
/// whole gathered or reduced array, V in the formulas, as one group sees it: where the array is also sharded over an
/// axis outside of the group, the group's share of it. Source of all formulas: scaling book, "Sharded matrices" and
/// "Training" (2025-12-15).

namespace tpuplan {
inline namespace abi_0 {

/// Time of a collective: the larger of its bandwidth time and its latency time.
struct collective_cost {
  seconds bandwidth{};         ///< bytes over the rate of the links
  seconds latency{};           ///< all hops, one after the other
  seconds total{};             ///< the larger of both
  bool latency_bound = false;  ///< latency is the larger
};

namespace detail {

/// The part of the array that is counted as moving into a chip.
constexpr double share_of(const collective_group& group, double n) noexcept {
  const member_share usual = group.network == network_kind::ring ? member_share::whole : member_share::others;
  return (group.share == member_share::by_network ? usual : group.share) == member_share::others ? (n - 1) / n : 1;
}

constexpr collective_cost make_cost(seconds bandwidth, seconds latency) noexcept {
  return {bandwidth, latency, max(bandwidth, latency), bandwidth < latency};
}

constexpr void check_collective(const collective_group& group, bytes array) {
  not_negative("bytes of the array", array.value());
  positive("collective_group.one_way", group.one_way.value());
  not_negative("collective_group.per_hop", group.per_hop.value());
}

/// Hops after which the last part has arrived: half a ring, a whole line; two on a switch.
constexpr double hops_of_group(const collective_group& group) noexcept {
  double hops = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double length = group.lengths[axis];
    if (length > 1) hops += is_ring(group, axis) ? length / 2 : length - 1;
  }
  return group.network == network_kind::switch_ ? 2 : hops;
}

}  // namespace detail

/// Time of an all-gather, after which every member has the whole array, of which each had a part. On rings V bytes come
/// in over the links of a chip; on lines, switches and groups with an open axis only (n-1)/n V do.
/// Worked: 128 MiB over a ring of 16 at 45 GB/s one-way take 1.491 ms; 1.398 ms where only the others' part counts.
[[nodiscard]] constexpr collective_cost all_gather(bytes array, const collective_group& group) {
  detail::check_collective(group, array);
  const auto n = static_cast<double>(members(group));
  if (n == 1) return {};
  return detail::make_cost(array * detail::share_of(group, n) / (group.one_way * links_into(group)),
                           group.per_hop * detail::hops_of_group(group));
}

/// Time of a reduce-scatter, after which every member has its part of the sum of all arrays. It moves as many bytes as
/// an all-gather, in the other direction, and takes as long. Worked: 128 MiB over a ring of 16 at 45 GB/s one-way
/// take 1.491 ms.
[[nodiscard]] constexpr collective_cost reduce_scatter(bytes array, const collective_group& group) {
  return all_gather(array, group);
}

/// Time of an all-reduce, after which every member has the whole sum: a reduce-scatter, then an all-gather. Worked:
/// twice all_gather.
[[nodiscard]] constexpr collective_cost all_reduce(bytes array, const collective_group& group) {
  const collective_cost half = all_gather(array, group);
  return detail::make_cost(2 * half.bandwidth, 2 * half.latency);
}

/// Time of an all-to-all, in which every member sends a different part of the array to every other. On a torus of n
/// chips whose longest axis has m, links moving W one way, it takes V m / (8 n W), on one ring V / (8 W). An axis that
/// does not close takes as long as a ring of twice its length, because half of the parts cross its one middle link. A
/// switch takes V (n-1)/n^2 / W, or V / (n W) where the whole array counts: `share` is used only there. Worked: 1 GB
/// over 16 x 16 rings at 45 GB/s one-way takes 174 us.
[[nodiscard]] constexpr collective_cost all_to_all(bytes array, const collective_group& group) {
  detail::check_collective(group, array);
  const auto n = static_cast<double>(members(group));
  if (n == 1) return {};
  const seconds latency = group.per_hop * detail::hops_of_group(group);
  if (group.network == network_kind::switch_) {
    return detail::make_cost(array * (detail::share_of(group, n) / n) / group.one_way, latency);
  }
  double slowest = 1;  // axis, by length; an open axis is as slow as a ring of twice its length
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double length = group.lengths[axis] * (is_ring(group, axis) ? 1.0 : 2.0);
    if (group.lengths[axis] > 1 && length > slowest) slowest = length;
  }
  return detail::make_cost(array * (slowest / (4 * n)) / (2 * group.one_way), latency);
}

/// Bytes that cross each link where n members of a one-way ring gather an array of V bytes: V (1 - 1/n). Refuses a
/// negative array and fewer than one member. Worked: 7/8 of the array for n = 8.
[[nodiscard]] constexpr bytes one_way_all_gather_traffic(bytes array, std::int64_t ring_members) {
  detail::not_negative("bytes of the array", array.value());
  return array * (1 - 1 / static_cast<double>(detail::positive_count("members", ring_members)));
}

/// Bytes that cross each link where n members of a one-way ring do an all-to-all of V bytes: V (1 - 1/n) / 2, as a part
/// goes half of the way round on average. Refuses what the all-gather's count refuses. Worked: 7/16 of the array for
/// n = 8.
[[nodiscard]] constexpr bytes one_way_all_to_all_traffic(bytes array, std::int64_t ring_members) {
  return one_way_all_gather_traffic(array, ring_members) / 2;
}

/// Effective bandwidth of an all-gather through a level of a switched network with d members of W bytes/s each: W
/// d/(d-1). The slowest level of a network decides. Worked: 8 GPUs of 450 GB/s are as good as 514 GB/s.
[[nodiscard]] constexpr bytes_per_second switched_bandwidth(bytes_per_second one_way, std::int64_t level_members) {
  detail::positive("one_way", one_way.value());
  if (level_members < 2) detail::fail(errc::invalid_argument, "members of a level", level_members, "2 or more");
  const auto d = static_cast<double>(level_members);
  return one_way * (d / (d - 1));
}

/// All-reduce of an array between slices: each chip reduces its share of the array over DCN with the same chip of the
/// other slices. Throws where the chip's DCN rate is not known. Worked: 8 B x D x F, D 8192, F 28672, over two slices
/// of 8960 v5p: 33.6 us.
[[nodiscard]] constexpr collective_cost all_reduce_between_slices(bytes array, const slice& where,
                                                                  std::int64_t slice_total,
                                                                  member_share share = member_share::others) {
  detail::not_negative("bytes of the array", array.value());
  const auto replicas = static_cast<double>(detail::positive_count("slices", slice_total));
  if (replicas == 1) return {};
  const bytes held = array / static_cast<double>(detail::positive_count("slice.shape", chips(where)));
  return detail::make_cost(held * all_reduce_share(replicas, share) / dcn_rate(where.chip), seconds{0});
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/model/kv_cache.hpp

#ifndef TPUPLAN_MODEL_KV_CACHE_HPP
#define TPUPLAN_MODEL_KV_CACHE_HPP

#include <cstdint>

/// @file
/// Bytes of keys, values and recurrent states that decoding keeps.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

constexpr void check_cached(const transformer& model) {
  validate(model);
  if (model.kind != architecture::decoder) {
    fail(errc::unsupported, "KV cache of an architecture", name(model.kind), "decoder");
  }
}

/// Numbers that one layer caches for each token: a global layer attends to the whole context, a local one to a window.
struct cached_widths {
  std::int64_t global = 0;
  std::int64_t local = 0;
};
constexpr cached_widths cached(const transformer& model) {
  const attention_spec& attention = model.attention;
  if (has_latent_attention(model)) {
    const std::int64_t width = attention.latent.kv_lora_rank + attention.latent.qk_rope_head_dim;
    return {width, width};
  }
  const std::int64_t heads = attention.global_kv_heads > 0 ? attention.global_kv_heads : attention.kv_heads;
  const std::int64_t size = attention.global_head_dim > 0 ? attention.global_head_dim : attention.head_dim;
  const std::int64_t values = attention.single_kv ? 0 : attention.value_dim > 0 ? attention.value_dim : size;
  const std::int64_t local_values = attention.single_kv ? 0 : value_width(model);
  return {checked_multiply(heads, size + values),
          checked_multiply(attention.kv_heads, attention.head_dim + local_values)};
}

/// Numbers that one token adds to the cache beside its own keys and values: the key of each indexer, and its share of
/// keys that stand for several tokens. In half of DeepSeek-V4's layers such a key and its indexer's stand for 4 tokens,
/// in the others a key stands for 128.
constexpr double merged_numbers(const transformer& model) {
  const attention_spec& attention = model.attention;
  const auto key = static_cast<double>(checked_multiply(attention.kv_heads, attention.head_dim));
  double sum = static_cast<double>(checked_multiply(indexer_layers(model), attention.indexer.head_dim));
  if (attention.chosen_layers > 0)
    sum += static_cast<double>(attention.chosen_layers) * (key + static_cast<double>(attention.indexer.head_dim)) /
           static_cast<double>(attention.chosen_ratio);
  if (attention.merged_layers > 0)
    sum += static_cast<double>(attention.merged_layers) * key / static_cast<double>(attention.merged_ratio);
  return sum;
}

/// The number of layers of each kind with a cache of their own. Layers that share another's cache or attend to an image
/// have none.
struct cached_layers {
  std::int64_t global = 0;
  std::int64_t local = 0;
};
constexpr cached_layers layers_with_cache(const transformer& model) {
  const attention_spec& attention = model.attention;
  const std::int64_t to_text = attention_layers(model) - attention.cross_layers;
  const std::int64_t own = to_text - attention.kv_shared_layers;
  const std::int64_t local = attention.local_layers - local_shared_layers(model);
  return {own - local, local};
}

}  // namespace detail

/// Bytes of keys and values that one token adds in all layers: 2 x layers x kv_heads x head_dim elements, or layers x
/// (kv_lora_rank + qk_rope_head_dim) with latent attention. A window does not change this figure but
/// the total of a sequence, see `kv_bytes_per_sequence`. Throws unless the model is a decoder. Worked: 131072 B for
/// llama-3-8b in bf16; 70272 B for DeepSeek-V3.
[[nodiscard]] constexpr bytes kv_bytes_per_token(const transformer& model, dtype cache = dtype::bf16) {
  detail::check_cached(model);
  const detail::cached_widths width = detail::cached(model);
  const detail::cached_layers layers = detail::layers_with_cache(model);
  const auto own = static_cast<double>(
      checked_add(checked_multiply(layers.global, width.global), checked_multiply(layers.local, width.local)));
  return size_of(cache) * (own + detail::merged_numbers(model));
}

/// Bytes of the states of recurrent layers for one sequence, however long it is: the recurrence in fp32, the inputs of
/// its convolution in bf16. 0 for a model without recurrent layers. Worked: 77 266 944 B for Qwen3-Next 80B, as much as
/// 3144 tokens of its 12 layers of attention.
[[nodiscard]] constexpr bytes state_bytes_per_sequence(const transformer& model) {
  detail::check_cached(model);
  if (!has_recurrence(model)) return bytes{0};
  const recurrent_spec& r = model.recurrent;
  const std::int64_t last = r.kind == recurrence::rwkv ? 2 * model.d_model : r.kernel > 0 ? r.kernel - 1 : 0;
  const std::int64_t kept = r.kind == recurrence::rwkv ? last : last * detail::widths_in(r, model.d_model).channels;
  return bytes{static_cast<double>(r.layers) *
               (4 * static_cast<double>(detail::state_of(r)) + 2 * static_cast<double>(kept))};
}

/// Whether the cache of layers with a window drops tokens that have left the window (`evict`).
enum class window_eviction : std::uint8_t { keep_all, evict };

/// Bytes of keys and values of one sequence of that length, in tokens, and of its recurrent states. With eviction,
/// layers with a window hold at most the window. Throws unless the model is a decoder and the length at least 1.
/// Worked: gemma2-9b, 8192 tokens, bf16, evicting: 2113929216 B.
[[nodiscard]] constexpr bytes kv_bytes_per_sequence(const transformer& model, std::int64_t sequence_length,
                                                    dtype cache = dtype::bf16,
                                                    window_eviction windows = window_eviction::evict) {
  detail::check_cached(model);
  detail::positive_count("sequence_length", sequence_length);
  const std::int64_t window = model.attention.window;
  const bool bounded = windows == window_eviction::evict && window > 0 && window < sequence_length;
  const detail::cached_widths width = detail::cached(model);
  const detail::cached_layers layers = detail::layers_with_cache(model);
  const std::int64_t global = checked_multiply(layers.global, width.global, sequence_length);
  const std::int64_t local = checked_multiply(layers.local, width.local, bounded ? window : sequence_length);
  const double merged = detail::merged_numbers(model) * static_cast<double>(sequence_length);
  return size_of(cache) * (static_cast<double>(checked_add(global, local)) + merged) + state_bytes_per_sequence(model);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/serving/decode.hpp

#ifndef TPUPLAN_ESTIMATE_SERVING_DECODE_HPP
#define TPUPLAN_ESTIMATE_SERVING_DECODE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// How a model is sharded over the devices that serve it, and the time of one decode step.

namespace tpuplan {
inline namespace abi_0 {

/// How weights are sharded over the devices of a replica.
enum class weight_sharding : std::uint8_t {
  one_dimension,   ///< one dimension of each matrix, as in Megatron: two all-reduces a layer over all devices
  two_dimensions,  ///< both dimensions of each matrix: less traffic on many chips
  gathered,        ///< devices gather the weights for their tokens: for prefill of very many tokens
};

/// How keys and values are sharded over the devices of a replica.
enum class cache_sharding : std::uint8_t {
  heads,  ///< by KV heads; where devices outnumber KV heads, several hold copies of one
  batch,  ///< by sequences: the keys and values of a sequence are on one device
};

/// The devices of a slice as replicas of the model, each of `tensor` devices.
struct serving_layout {
  std::int64_t tensor = 0;                                   ///< devices of a replica; 0: all of the slice
  weight_sharding weights = weight_sharding::one_dimension;  ///< how weights are sharded over a replica
  cache_sharding cache = cache_sharding::heads;              ///< how keys and values are sharded over a replica
  /// Data-parallel attention for a mixture of experts: each group of that many devices has its own copy of the
  /// attention weights and its own sequences, while experts lie whole on the replica's devices; 0: attention is sharded
  /// over all.
  std::int64_t attention = 0;
};

/// Sequences that decode together, and how many tokens each attends to.
struct decode_batch {
  double sequences = 0;  ///< sequences that decode in one replica
  double context = 0;    ///< tokens that a sequence attends to, on average
};

/// What takes most of a decode step.
enum class decode_limit : std::uint8_t { weights, products, cache, collectives, overhead, paging, dispatch };

/// "weights" and so on.
[[nodiscard]] constexpr std::string_view name(decode_limit what) noexcept {
  constexpr const char* names[] = {"weights", "products", "cache", "collectives", "overhead", "paging", "dispatch"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// One decode step of one replica: max(weights, products) + cache + paging + dispatch + latency + collectives = total.
struct decode_breakdown {
  seconds weights{};          ///< reading the weights that the step uses
  seconds products{};         ///< matrix products
  seconds cache{};            ///< reading keys and values
  seconds paging{};           ///< attention time of each sequence in a paged cache, whatever its length
  seconds dispatch{};         ///< sorting, gathering and scattering tokens for experts
  seconds latency{};          ///< fixed time of the two small all-reduces of each layer
  seconds collectives{};      ///< bytes moved between the chips of a replica
  seconds total{};            ///< of the step
  seconds low{};              ///< lower end: nine of ten comparable published steps lie in between
  seconds high{};             ///< the upper end of that range
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< no published decode run is on that chip, or of a model like it
  decode_limit limited_by = decode_limit::weights;  ///< the largest part
};

namespace detail {

/// The features of a question whose load is not set yet, and the caller's own runs; `runs` is null where there are
/// none.
struct own_question {
  const own_runs* runs = nullptr;
  own_spreads spreads{};
  run_features about{};
};

constexpr own_question own_question_of(const own_runs& runs, const own_spreads& spreads, const run_features& about) {
  return {runs.count > 0 ? &runs : nullptr, spreads, about};
}

/// @{
/// The factor of the caller's own runs, and the share of the spread that is left, at a load.
constexpr double factor_at(own_question q, double load) {
  if (q.runs == nullptr || !(load > 0)) return 1;
  q.about.load = math::log2(load);
  return own_factor(*q.runs, q.spreads, q.about);
}
constexpr double left_at(own_question q, double load) {
  if (q.runs == nullptr || !(load > 0)) return 1;
  q.about.load = math::log2(load);
  return own_spread_left(*q.runs, q.spreads, q.about);
}
/// @}

/// The sizes of one replica.
struct replica {
  double devices = 1;        // JAX devices of one replica
  double chips = 1;          // chips of one replica
  double hosts = 1;          // VMs that one replica spans
  double count = 1;          // replicas in the slice
  bytes_per_second links{};  // into a chip from the others of its replica; 0 where there are none, or no rate is known
};

/// Refuses groups of data-parallel attention that do not divide the heads, and replicas that do not divide the experts.
constexpr void check_groups(const transformer& model, const serving_layout& mesh, std::int64_t tensor) {
  positive_count("serving_layout.attention", mesh.attention);
  if (!has_experts(model)) fail(errc::unsupported, "serving_layout.attention", mesh.attention, "a mixture of experts");
  if (mesh.weights != weight_sharding::one_dimension || mesh.cache != cache_sharding::heads)
    fail(errc::unsupported, "serving_layout.attention", mesh.attention, "weights one_dimension and cache heads");
  if (tensor % mesh.attention != 0)
    fail(errc::not_divisible, "serving_layout.attention", mesh.attention, "a divisor of the devices of a replica");
  check_heads("serving_layout.attention", model, mesh.attention);
  if (model.moe.experts % tensor != 0)
    fail(errc::not_divisible, "serving_layout.tensor", tensor, "a divisor of the experts, each of which lies on one");
}

/// Refuses replicas that do not divide the slice, and heads that do not divide over the devices of a replica.
constexpr void check_served(const transformer& model, const serving_layout& mesh, const slice& where) {
  const std::int64_t all = check_devices(where);
  const std::int64_t tensor = mesh.tensor == 0 ? all : mesh.tensor;
  positive_count("serving_layout.tensor", tensor);
  if (all % tensor != 0) {
    text<96> valid{"a divisor of the "};
    valid.append(all).append(" devices of ").append(name(where));
    fail(errc::not_divisible, "serving_layout.tensor", tensor, valid.view());
  }
  if (mesh.attention != 0) return check_groups(model, mesh, tensor);
  if (mesh.weights == weight_sharding::one_dimension && mesh.cache == cache_sharding::heads)
    check_heads("serving_layout.tensor", model, tensor);
}

constexpr replica replica_of(const serving_layout& mesh, const slice& where) {
  replica result;
  const auto all = static_cast<double>(devices(where));
  result.devices = mesh.tensor == 0 ? all : static_cast<double>(mesh.tensor);
  result.count = all / result.devices;
  result.chips = result.devices * static_cast<double>(chips(where)) / all;
  const double spanned = static_cast<double>(vms(where)) / result.count;
  result.hosts = spanned > 1 ? spanned : 1;
  if (result.chips > 1 && where.chip.ici.axes != 1) {  // GPUs of a machine have no links that are modelled
    const collective_group block = block_of(where, floor_to_count(result.chips));
    result.links = links_into(block) * block.one_way;
  }
  return result;
}

/// The number of parameters in routed experts.
constexpr double expert_parameters(const transformer& model) {
  if (!has_experts(model)) return 0;
  return static_cast<double>(
      checked_multiply(mlp_matrices(model, model.moe.expert_d_ff), model.moe.experts, moe_layers(model)));
}

/// The figures of a model on a replica that every estimate needs.
struct served_model {
  double held = 0;          // all weights, counted in numbers of the job's format
  double matrices = 0;      // parameters that multiply a token
  double dense = 0;         // of those, what every decode step reads
  double experts = 0;       // of those, routed experts: a step reads those that some token is routed to
  double missed = 0;        // share of the experts that one token is not routed to
  double imbalance = 0;     // of the experts that a step reads over the devices that hold them
  bytes routed{};           // bytes of a token's copies on their way to experts, all layers
  double layers = 0;        // of the language model
  double d_model = 0;       // width of its residual stream
  double cache_copies = 1;  // copies of each key and value in the replica
  double groups = 1;        // groups of devices, each with its own attention weights and sequences
  seconds all_to_all{};     // time of a token to its experts' devices and back, all layers, nominal rate
  double summed = 0;        // numbers of a token that are summed over devices, in all layers
  bytes state{};            // recurrent state of a sequence: a step reads and writes it
  bytes cached_token{};     // cache of a token in all layers
  double chosen = 0;        // tokens that an indexer chooses; 0: attention sees all tokens
  double index_share = 0;   // share of a token's cache that is the indexer's key
  bool covered = true;      // published runs are of models like it
  replica on{};
  bytes_per_second hbm{};        // of the replica
  flops_per_second peak{};       // of the replica, in the format of its products
  flops_per_second peak_bf16{};  // of the replica
  run_features about{};          // the question's features; the load is not set
};

/// The properties of a serving question as bits: experts, weights below 16 bits, and one bit for each named engine. Two
/// named engines differ in two bits, a named and an unnamed one in one.
constexpr std::uint32_t serving_kinds(const transformer& model, const serving_job& job) noexcept {
  const std::uint32_t engine = job.engine == serving_engine::unnamed ? 0 : 2U << static_cast<std::uint32_t>(job.engine);
  return (has_experts(model) ? 1U : 0U) | (size_of(job.weights) < bytes{2} ? 2U : 0U) | engine;
}

/// The features by which serving questions are compared: parameters, the tokens that a sequence attends to, the chips
/// of the replica, the kind of chip, and `serving_kinds`.
constexpr run_features serving_features(const served_model& served, const transformer& model, const serving_job& job,
                                        const slice& where) {
  run_features about;
  about.size = math::log2(served.held);
  if (job.prompt.mean > 0 && job.output.mean > 0) about.length = math::log2(running_context(job));
  about.chips = math::log2(served.on.chips);
  about.chip = chip_mark(where.chip.name);
  about.kind = serving_kinds(model, job);
  return about;
}

constexpr flops_per_second serving_peak(const serving_job& job, const chip_spec& chip) {
  return peak_rate(chip, has_peak_rate(chip, job.activations) ? job.activations : dtype::bf16);
}

/// Copies of each key and value in a replica.
constexpr double cache_copies(const transformer& model, const serving_layout& mesh, const replica& on) {
  if (mesh.weights == weight_sharding::two_dimensions || mesh.cache == cache_sharding::batch) return 1;
  const double heads = has_latent_attention(model) ? 1 : static_cast<double>(model.attention.kv_heads);
  const double sharing = mesh.attention > 0 ? static_cast<double>(mesh.attention) : on.devices;
  return sharing > heads ? sharing / heads : 1;
}

/// Parameters that no decode step reads: an untied input embedding, of which a token needs one row, and the vision
/// tower with its projector, which run in prefill.
constexpr double unread_parameters(const transformer& model, const parameter_count& count) {
  const std::int64_t table = model.tied_embeddings ? 0 : checked_multiply(model.vocab, model.d_model);
  return static_cast<double>(checked_add(table, checked_add(count.vision, count.projector)));
}

/// Experts lie whole on as many devices as divide both, so that a step waits for the device with most of those that its
/// tokens are routed to: of n experts of which each is read with probability p, sqrt(2 ln(groups) n p (1 - p)) more
/// than n p, the expected maximum of normal numbers.
constexpr void add_experts(served_model& served, const transformer& model) {
  const auto experts = static_cast<double>(model.moe.experts);
  const auto groups = static_cast<double>(common_divisor(model.moe.experts, floor_to_count(served.on.devices)));
  served.missed = 1 - static_cast<double>(model.moe.top_k) / experts;
  served.imbalance = math::sqrt(2 * math::log(groups) * groups / experts);
  served.routed =
      bytes{2 * static_cast<double>(model.moe.top_k) * served.d_model * static_cast<double>(moe_layers(model))};
}

/// To how many devices other than its own a layer sends a token, if experts are equally likely: k experts lie on
/// D (1 - (1 - 1/D)^k) of D devices, and one in D of these is the token's own.
constexpr double other_devices(const transformer& model, double devices) {
  return (devices - 1) * (1 - math::pow(1 - 1 / devices, static_cast<double>(model.moe.top_k)));
}

/// Data-parallel attention with expert-parallel MLPs: each group has its own copy of attention, norms and router; a
/// token is sent as d_model numbers in bf16 to each device that has one of its experts, and back; all-reduces are over
/// a group after attention, and over the replica for dense and shared MLPs. No published run is of this kind.
constexpr void divide_attention(served_model& served, const transformer& model, const parameter_count& count,
                                const serving_layout& mesh, const slice& where) {
  const auto attention = static_cast<double>(mesh.attention);
  served.groups = served.on.devices / attention;
  const double copied = static_cast<double>(checked_add(count.attention, checked_add(count.norms, count.router)));
  served.held += copied * (served.groups - 1);
  served.dense += copied * (served.groups - 1);
  served.covered = false;
  const double of_group = attention > 1 ? served.layers / served.groups : 0;
  served.summed = served.d_model * (of_group + (count.mlp == 0 ? 0 : served.layers));
  if (served.on.chips <= 1 || where.chip.ici.axes == 1) return;
  const bytes sent{2 * served.d_model * other_devices(model, served.on.devices)};
  const collective_group block = block_of(where, floor_to_count(served.on.chips));
  served.all_to_all = 2 * static_cast<double>(moe_layers(model)) * all_to_all(sent, block).bandwidth;
}

constexpr served_model served_by(const transformer& model, const serving_job& job, const serving_layout& mesh,
                                 const slice& where) {
  validate_engine(job);
  check_decoder(model);
  check_served(model, mesh, where);
  served_model served;
  const parameter_count count = parameters(model);
  served.held = stored_bytes(count, job.weights, job.weights_by_part) / size_of(job.weights);
  served.matrices = static_cast<double>(count.matrices);
  served.experts =
      expert_parameters(model) * (part_size(job.weights_by_part.experts, job.weights) / size_of(job.weights));
  served.dense = served.held - unread_parameters(model, count) - served.experts;
  served.layers = static_cast<double>(model.layers);
  served.d_model = static_cast<double>(model.d_model);
  served.on = replica_of(mesh, where);
  if (has_experts(model)) add_experts(served, model);
  served.cache_copies = cache_copies(model, mesh, served.on);
  served.state = state_bytes_per_sequence(model);
  served.cached_token = kv_bytes_per_token(model, job.cache);
  const indexer_spec& indexer = model.attention.indexer;
  if (indexer_layers(model) > 0) {
    const auto keys = static_cast<double>(checked_multiply(indexer_layers(model), indexer.head_dim));
    served.chosen = static_cast<double>(indexer.top_k);
    served.index_share = size_of(job.cache) * keys / served.cached_token;
  }
  served.covered = !has_recurrence(model) && indexer.heads == 0;
  served.hbm = bytes_per_second{positive("chip.hbm.bandwidth", where.chip.hbm.bandwidth.value()) * served.on.chips};
  served.peak =
      flops_per_second{positive("peak rate of the chip", serving_peak(job, where.chip).value()) * served.on.chips};
  served.peak_bf16 =
      flops_per_second{positive("peak rate of the chip", peak_rate(where.chip, dtype::bf16).value()) * served.on.chips};
  served.about = serving_features(served, model, job, where);
  served.summed = 2 * served.layers * served.d_model;
  if (mesh.attention > 0) divide_attention(served, model, count, mesh, where);
  return served;
}

/// Seconds per byte that a chip of the replica moves in collectives; 0 for a replica of one chip.
constexpr double collective_seconds_per_byte(const replica& on, double slowdown) {
  return on.chips <= 1 || slowdown <= 0 ? 0 : slowdown / positive("ICI rate of the chip", on.links.value());
}

/// Seconds per token of the all-reduces of every layer and, where experts have their own devices, of the all-to-alls to
/// them and back.
constexpr double collectives_of(const served_model& served, const serving_layout& mesh, double slowdown) {
  const bool both = mesh.weights == weight_sharding::two_dimensions;
  const double moved = 4 * served.summed * (both ? 2 / math::sqrt(served.on.chips) : 1);
  return moved * collective_seconds_per_byte(served.on, slowdown) + slowdown * served.all_to_all.value();
}

constexpr seconds layer_latency_of(const served_model& served, const serving_calibration& constants) {
  return constants.layer_latency * (served.layers * math::log2(served.on.devices));
}

/// Time per token of dispatch to experts: every device of a replica sorts, gathers and scatters the copies of every
/// token, as a tensor shard does in training.
constexpr seconds dispatch_of(const served_model& served, const serving_calibration& constants) {
  return served.routed * (constants.dispatch_passes * served.on.devices) / served.hbm;
}

/// Seconds of attention per sequence that do not depend on its length: a paged engine computes on whole blocks of keys.
constexpr double paging_of(const served_model& served, const serving_job& job, const serving_layout& mesh,
                           const serving_calibration& constants) {
  if (job.policy != cache_policy::paged || job.engine == serving_engine::example) return 0;
  const double sequences = mesh.cache == cache_sharding::batch ? 1 / served.on.devices : 1 / served.groups;
  return served.layers * sequences * constants.sequence_work.value() * served.on.devices / served.peak_bf16.value();
}

/// Bytes of keys and values of a sequence of `context` tokens, rounded up to whole blocks; copies do not count.
constexpr bytes cache_of(const transformer& model, const serving_job& job, double context) {
  return kv_bytes_per_sequence(model, round_up(ceil_to_count(context), job.block_tokens), job.cache);
}

/// The terms of one replica's decode step, in seconds, from which its time follows for any number of sequences.
struct decode_terms {
  double dense = 0;        // reading the parameters that every step reads
  double experts = 0;      // reading all routed experts
  double missed = 0;       // share of the experts that one token is not routed to
  double imbalance = 0;    // of the experts that are read over the devices that hold them
  double products = 0;     // matrix products, for each sequence
  double cache = 0;        // reading keys and values, for each sequence
  double paging = 0;       // attention, for each sequence, whatever it holds
  double dispatch = 0;     // of experts, for each sequence
  double collectives = 0;  // moving activations, for each sequence
  double latency = 0;      // layers
  bool covered = true;     // published runs are of models like it
  own_question own{};      // runs of the caller's own
};

/// Bytes that a step reads and writes of a sequence whose keys, values and states take `cache` bytes. Where an indexer
/// chooses tokens, its keys are read for all tokens and the other keys and values for the chosen ones.
constexpr double moved_of(const served_model& served, bytes cache) {
  if (served.chosen <= 0) return (cache + served.state).value();
  const double tokens = cache / served.cached_token;
  const double read = tokens < served.chosen ? tokens : served.chosen;
  return served.cached_token.value() * (served.index_share * tokens + (1 - served.index_share) * read);
}

/// The terms of a decode step for sequences whose keys and values take `cache` bytes each.
constexpr decode_terms terms_of(const served_model& served, bytes cache, const serving_job& job,
                                const serving_layout& mesh, const serving_calibration& constants) {
  const seconds of_weight = size_of(job.weights) / (served.hbm * constants.weight_stream);  // to read one
  decode_terms terms;
  terms.dense = served.dense * of_weight.value();
  terms.experts = served.experts * of_weight.value();
  terms.missed = served.missed;
  terms.covered = served.covered;
  terms.imbalance = served.imbalance;
  terms.products = 2 * served.matrices / (served.peak.value() * constants.decode_mxu);
  terms.cache = moved_of(served, cache) * served.cache_copies / (served.hbm.value() * constants.cache_stream);
  terms.paging = paging_of(served, job, mesh, constants);
  terms.dispatch = dispatch_of(served, constants).value();
  terms.collectives = collectives_of(served, mesh, constants.decode_collectives);
  terms.latency = layer_latency_of(served, constants).value();
  terms.own = own_question_of(constants.own_decode, decode_spreads, served.about);
  return terms;
}

/// Seconds to read the weights that a step uses. Of the experts, only those are read to which some token is routed,
/// each equally likely; the device that reads most of them counts.
constexpr double weights_at(const decode_terms& terms, double sequences) {
  if (terms.experts <= 0) return terms.dense;
  const double missed = terms.missed > 0 ? math::pow(terms.missed, sequences) : 0;
  const double read = 1 - missed + terms.imbalance * math::sqrt(missed * (1 - missed));
  return terms.dense + terms.experts * (read < 1 ? read : 1);
}

/// Seconds of a decode step with that many sequences.
constexpr double step_at(const decode_terms& terms, double sequences) {
  const double weights = weights_at(terms, sequences), products = terms.products * sequences;
  const double each = terms.cache + terms.paging + terms.dispatch + terms.collectives;
  return factor_at(terms.own, sequences) *
         ((weights > products ? weights : products) + each * sequences + terms.latency);
}

constexpr serving_kind kind_of(const decode_terms& terms) noexcept {
  return terms.experts > 0 ? serving_kind::expert_decode : serving_kind::decode;
}

constexpr decode_limit largest_of(const decode_breakdown& step) {
  const seconds parts[] = {step.weights, step.products, step.cache,   step.collectives,
                           step.latency, step.paging,   step.dispatch};
  std::size_t most = 0;
  for (std::size_t i = 1; i < 7; ++i) most = parts[i] > parts[most] ? i : most;
  return static_cast<decode_limit>(most);
}

/// A decode step with its parts and its band.
constexpr decode_breakdown decode_of(const decode_terms& terms, double sequences, serving_engine engine,
                                     const chip_spec& chip) {
  positive("decode_batch.sequences", sequences);
  in_range("decode_batch.sequences", sequences, 0, static_cast<double>(most_requests), "above 0, at most 1e9");
  decode_breakdown step;
  const double own = factor_at(terms.own, sequences);
  step.weights = seconds{own * weights_at(terms, sequences)};
  step.products = seconds{own * terms.products * sequences};
  step.cache = seconds{own * terms.cache * sequences};
  step.paging = seconds{own * terms.paging * sequences};
  step.dispatch = seconds{own * terms.dispatch * sequences};
  step.latency = seconds{own * terms.latency};
  step.collectives = seconds{own * terms.collectives * sequences};
  step.total = seconds{positive("decode step", step_at(terms, sequences))};
  add_band(step, kind_of(terms), engine, terms.covered && has_serving_runs(chip, &serving_coverage::decode_runs));
  narrow_band(step, left_at(terms.own, sequences));
  step.limited_by = largest_of(step);
  return step;
}

}  // namespace detail

/// Time of one decode step of one replica alone, without engine overhead and without prefill between steps. Throws for
/// models that do not decode, devices or heads that do not divide, batches that are not above 0, engine settings out of
/// range, and unknown figures of the chip.
/// Worked: PaLM 62B in int8 on 16 v4, 32 sequences of 2080 tokens: 10.5 ms, measured 11.4 ms.
/// Source: closed form calibrated on published runs, after the scaling book's chapter "Inference" (2025-12-15).
[[nodiscard]] constexpr decode_breakdown decode_step(const transformer& model, const decode_batch& batch,
                                                     const serving_job& job, const serving_layout& mesh,
                                                     const slice& where, const serving_calibration& constants = {}) {
  const serving_calibration own = detail::constants_of(constants, job.engine);
  const detail::served_model served = detail::served_by(model, job, mesh, where);
  detail::positive("decode_batch.context", batch.context);
  detail::in_range("decode_batch.context", batch.context, 0, static_cast<double>(detail::most_tokens),
                   "above 0, at most 2^40 tokens");
  const bytes cache = detail::cache_of(model, job, batch.context);
  return detail::decode_of(detail::terms_of(served, cache, job, mesh, own), batch.sequences, job.engine, where.chip);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/serving/memory.hpp

#ifndef TPUPLAN_ESTIMATE_SERVING_MEMORY_HPP
#define TPUPLAN_ESTIMATE_SERVING_MEMORY_HPP

#include <cstdint>

/// @file
/// HBM that serving takes on one JAX device, and how many sequences can run in what is left.

namespace tpuplan {
inline namespace abi_0 {

/// Bytes on one device; weights + cache + workspace = total.
struct serving_memory {
  bytes weights{};    ///< weights and their padding
  bytes cache{};      ///< keys and values of the running sequences, copies included
  bytes workspace{};  ///< compiled programs and their buffers
  bytes total{};      ///< of all parts
  bytes low{};        ///< low end: no padding, no workspace
  bytes high{};       ///< high end: twice the usual padding and workspace
  bytes usable{};     ///< what XLA lets a program use on the device
};

/// `yes` where even the high estimate is below 97 % of what is usable; `no` where the low one is above all of it.
/// Worked: of 100 B that are usable, a high estimate of 96.9 B is `yes`, one of 97 B `uncertain`, and a low one of
/// 100.1 B `no`.
[[nodiscard]] constexpr verdict fits(const serving_memory& memory) noexcept {
  if (memory.high < safe_share * memory.usable) return verdict::yes;
  return memory.low > memory.usable ? verdict::no : verdict::uncertain;
}

namespace detail {

/// Padding adds 2 % to weights, and compiled programs take 1 GiB: both set by hand from published serving records.
inline constexpr double weight_padding = 0.02;
inline constexpr bytes program_memory{1073741824.0};

constexpr bytes weights_per_device(const served_model& served, const serving_job& job) {
  return size_of(job.weights) * (served.held / served.on.devices);
}

/// Bytes that the engine's share of a device leaves for keys and values; negative where weights do not fit.
constexpr bytes cache_room(const served_model& served, const serving_job& job, const slice& where) {
  return job.memory_fraction * usable_hbm_per_device(where.chip) -
         (1 + weight_padding) * weights_per_device(served, job) - program_memory;
}

/// Bytes on each device, copies included, of a sequence whose keys and values take `cache` bytes in all.
constexpr bytes on_device(const served_model& served, bytes cache) {
  return cache * (served.cache_copies / served.on.devices);
}

constexpr serving_memory memory_of(const served_model& served, double running, bytes cache, const serving_job& job,
                                   const slice& where) {
  const bytes weights = weights_per_device(served, job);
  serving_memory use;
  use.weights = (1 + weight_padding) * weights;
  use.cache = running * on_device(served, cache);
  use.workspace = program_memory;
  use.total = use.weights + use.cache + use.workspace;
  use.low = weights + use.cache;
  use.high = (1 + 2 * weight_padding) * weights + use.cache + 2 * program_memory;
  use.usable = usable_hbm_per_device(where.chip);
  return use;
}

/// Sequences of the mean length `cache` that can run at once, provided that one of the longest fits.
constexpr std::int64_t slots_for(const served_model& served, bytes cache, bytes longest, const serving_job& job,
                                 const slice& where) {
  const bytes room = cache_room(served, job, where);
  if (room < served.groups * on_device(served, longest)) return 0;
  const double slots = room / on_device(served, cache);
  const std::int64_t most = slots < 1 ? 1 : slots > 1e12 ? std::int64_t{1000000000000} : floor_to_count(slots);
  return job.max_running > 0 && job.max_running < most ? job.max_running : most;
}

}  // namespace detail

/// HBM on one device while `running` sequences run in each replica. Throws for a count below 0, and where
/// `decode_step` throws. Worked: 8.79 GB of weights for Llama 2 70B in int8 on v6e-8 (8.70 GB printed).
/// Source: set on published serving records (tests/oracle/serving_records.cpp).
[[nodiscard]] constexpr serving_memory serving_memory_use(const transformer& model, double running,
                                                          const serving_job& job, const serving_layout& mesh,
                                                          const slice& where) {
  detail::not_negative("running", running);
  detail::in_range("running", running, 0, static_cast<double>(detail::most_requests), "0 to 1e9");
  return detail::memory_of(detail::served_by(model, job, mesh, where), running,
                           detail::cache_of(model, job, running_context(job)), job, where);
}

/// Slots of a replica: sequences of the mean length that fit into HBM at once, at most `job.max_running`; 0 where not
/// even one of the longest fits. Worked: Llama 3 8B on v6e-1 can run one of 97 196 tokens.
[[nodiscard]] constexpr std::int64_t largest_running(const transformer& model, const serving_job& job,
                                                     const serving_layout& mesh, const slice& where) {
  const bytes longest = detail::cache_of(model, job, static_cast<double>(longest_context(job)));
  return detail::slots_for(detail::served_by(model, job, mesh, where),
                           detail::cache_of(model, job, running_context(job)), longest, job, where);
}

/// Tokens of the longest sequence that can run alone, at most 2^40; 0 where weights leave no HBM for a cache.
/// Worked: 97 196 for Llama 3 8B on v6e-1.
[[nodiscard]] constexpr std::int64_t largest_serving_context(const transformer& model, const serving_job& job,
                                                             const serving_layout& mesh, const slice& where) {
  const detail::served_model served = detail::served_by(model, job, mesh, where);
  const bytes room = detail::cache_room(served, job, where);
  const auto holds = [&](std::int64_t tokens) {
    return detail::on_device(served, detail::cache_of(model, job, static_cast<double>(tokens))) <= room;
  };
  if (!holds(1)) return 0;
  std::int64_t good = 1, bad = 2;
  while (bad < (std::int64_t{1} << 40) && holds(bad)) good = bad, bad *= 2;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/serving/prefill.hpp

#ifndef TPUPLAN_ESTIMATE_SERVING_PREFILL_HPP
#define TPUPLAN_ESTIMATE_SERVING_PREFILL_HPP

#include <cstdint>

/// @file
/// Time of a prefill: computing the keys and values of prompts, and their first output token.

namespace tpuplan {
inline namespace abi_0 {

/// Prompts of one length that are prefilled together.
struct prompt_batch {
  double prompts = 0;       ///< prefilled together by one replica
  std::int64_t tokens = 0;  ///< of each prompt
};

/// The parts of a prefill; they add up to total.
struct prefill_breakdown {
  seconds products{};         ///< matrix products
  seconds attention{};        ///< scores and their sum over values
  seconds elementwise{};      ///< HBM traffic of norms, activations, residuals
  seconds dispatch{};         ///< sorting, gathering and scattering tokens for experts
  seconds weights{};          ///< reading the weights, once a chunk
  seconds collectives{};      ///< bytes moved between the chips of a replica
  seconds latency{};          ///< fixed time of each layer and its small collectives, once a chunk
  seconds total{};            ///< of the whole prefill
  seconds low{};              ///< lower end: nine of ten comparable published prefills lie in between
  seconds high{};             ///< the upper end of that range
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< no published prefill is on a chip of that name
};

namespace detail {

/// Engine steps over which that many prompt tokens are spread.
constexpr double prefill_chunks(const serving_job& job, double tokens) {
  return job.prefill_chunk > 0 ? math::ceil(tokens / static_cast<double>(job.prefill_chunk)) : 1;
}

constexpr prefill_breakdown prefill_of(const served_model& served, const transformer& model, const prompt_batch& batch,
                                       const serving_job& job, const serving_layout& mesh, const slice& where,
                                       const serving_calibration& constants) {
  check_part("prompt_batch.tokens", positive_count("prompt_batch.tokens", batch.tokens), most_tokens,
             "1 to 2^40 tokens");
  positive("prompt_batch.prompts", batch.prompts);
  in_range("prompt_batch.prompts", batch.prompts, 0, static_cast<double>(most_requests), "above 0, at most 1e9");
  const auto length = static_cast<double>(batch.tokens);
  const double tokens = batch.prompts * length;
  const double chunks = prefill_chunks(job, tokens);
  const flops_per_second peak = served.peak * constants.prefill_mxu;
  const bytes held = size_of(job.weights) * served.held;
  const layer_widths widths = widths_of(model);
  prefill_breakdown time;
  time.products = flops{2 * served.matrices * tokens} / peak;
  constexpr flop_convention half{attention_flops::causal_half, window_flops::clipped};
  // Under data-parallel attention one group has a prompt, so that fewer prompts than groups leave some groups idle.
  const double idle = batch.prompts < served.groups ? served.groups / batch.prompts : 1;
  time.attention = idle * attention_core(model, length, half) * (tokens * constants.prefill_attention) / peak;
  time.elementwise = bytes{constants.prefill_hbm_passes * tokens * 2 * served.layers *
                           (8 * widths.d_model + 2 * widths.qkv + widths.mlp)} /
                     served.hbm;
  time.dispatch = dispatch_of(served, constants) * tokens;
  time.weights = held * chunks / (served.hbm * constants.weight_stream);
  time.collectives = seconds{mesh.weights == weight_sharding::gathered
                                 ? held.value() * collective_seconds_per_byte(served.on, constants.prefill_collectives)
                                 : tokens * collectives_of(served, mesh, constants.prefill_collectives)};
  time.latency = layer_latency_of(served, constants) * chunks;
  const own_question own = own_question_of(constants.own_prefill, prefill_spreads, served.about);
  if (const double factor = factor_at(own, tokens); factor != 1) {
    for (seconds* part : {&time.products, &time.attention, &time.elementwise, &time.dispatch, &time.weights,
                          &time.collectives, &time.latency})
      *part = factor * *part;
  }
  time.total = time.products + time.attention + time.elementwise + time.dispatch + time.weights + time.collectives +
               time.latency;
  positive("prefill", time.total.value());
  add_band(time, serving_kind::prefill, job.engine,
           served.covered && has_serving_runs(where.chip, &serving_coverage::prefill_runs));
  narrow_band(time, left_at(own, tokens));
  return time;
}

/// The part of a prefill that grows with its tokens: what it adds to a decode step, which reads the weights anyway.
constexpr seconds beside_decode(const prefill_breakdown& time, const serving_layout& mesh) {
  const seconds own = time.products + time.attention + time.elementwise + time.dispatch;
  return mesh.weights == weight_sharding::gathered ? own : own + time.collectives;
}

}  // namespace detail

/// Time of a prefill alone, with no token in the prefix cache. In an engine it takes `engine_prefill` times
/// as long. With `job.prefill_chunk` the weights are read once for each chunk. Throws where `decode_step` does.
/// Worked: 1024 tokens of Llama 2 70B in int8 on v6e-8: 59.6 ms, measured 60.5 ms (examples/serving_cases.cpp).
/// Source: closed form calibrated on published runs.
[[nodiscard]] constexpr prefill_breakdown prefill_time(const transformer& model, const prompt_batch& batch,
                                                       const serving_job& job, const serving_layout& mesh,
                                                       const slice& where, const serving_calibration& constants = {}) {
  return detail::prefill_of(detail::served_by(model, job, mesh, where), model, batch, job, mesh, where,
                            detail::constants_of(constants, job.engine));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/inference.hpp

#ifndef TPUPLAN_HANDBOOK_INFERENCE_HPP
#define TPUPLAN_HANDBOOK_INFERENCE_HPP

#include <cstdint>

/// @file
/// Bounds of inference at peak rates: a decode step, what fits, tensor parallelism, servers for prefill and for decode.
/// What real engines reach is in estimate/serving/engine.hpp. Source of all: scaling book, "Inference" (2025-12-15).

namespace tpuplan {
inline namespace abi_0 {

/// HBM bandwidth of all chips of a slice together. Worked: 6.55 TB/s for v5litepod-8.
[[nodiscard]] constexpr bytes_per_second hbm_bandwidth(const slice& where) {
  return where.chip.hbm.bandwidth * static_cast<double>(chips(where));
}

/// What a decode step reads and computes: the weights once, and the keys and values of each sequence.
struct decode_work {
  double batch = 0;               ///< sequences that decode
  bytes weights{};                ///< read in one step
  bytes cache_per_sequence{};     ///< keys and values
  flops products_per_sequence{};  ///< of one token, without attention; 0: not counted
};

/// The bound of a decode step: cache + max(weights, products) = total. Attention is limited by HBM and overlaps with
/// nothing.
struct decode_bound {
  bytes memory{};                  ///< weights, and keys and values of all sequences
  seconds cache{};                 ///< reading keys and values
  seconds weights{};               ///< reading weights
  seconds products{};              ///< matrix products
  seconds total{};                 ///< of the step
  per_second tokens_per_second{};  ///< batch / total
};

/// Time of a decode step at the peak rates of that many chips. Throws for a batch, weights or chips that are not above
/// 0, and for other figures below 0.
/// Worked: batch 4 of 30e9 int8 weights and 819 MB of cache on 16 chips of 810 GB/s takes 2.568 ms.
[[nodiscard]] constexpr decode_bound decode_bound_of(const decode_work& work, const chip_spec& chip,
                                                     std::int64_t chip_count, dtype compute = dtype::bf16) {
  detail::positive("batch", work.batch);
  detail::positive("weights", work.weights.value());
  detail::not_negative("cache_per_sequence", work.cache_per_sequence.value());
  detail::not_negative("products_per_sequence", work.products_per_sequence.value());
  const auto count = static_cast<double>(detail::positive_count("chips", chip_count));
  const bytes_per_second rate = chip.hbm.bandwidth * count;
  decode_bound result;
  result.memory = work.weights + work.batch * work.cache_per_sequence;
  result.cache = work.batch * work.cache_per_sequence / rate;
  result.weights = work.weights / rate;
  if (work.products_per_sequence > flops{0})
    result.products = work.batch * work.products_per_sequence / (peak_rate(chip, compute) * count);
  result.total = result.cache + max(result.weights, result.products);
  result.tokens_per_second = work.batch / result.total;
  return result;
}

/// Memory of a server and what it holds.
struct server_memory {
  bytes hbm{};                 ///< of all chips together
  bytes weights{};             ///< held once
  bytes cache_per_sequence{};  ///< keys and values
};

/// Sequences whose keys and values fit beside the weights; 0 where none do. Sizes are exact: a decimal and a
/// binary gigabyte give different counts. Throws for memory or a cache that is not above 0, and for weights below 0.
/// Worked: 43 of 162000 x 8192 bytes beside 70 GB in 8 x 16 GB.
[[nodiscard]] constexpr std::int64_t caches_that_fit(const server_memory& memory) {
  detail::positive("hbm", memory.hbm.value());
  detail::not_negative("weights", memory.weights.value());
  detail::positive("cache_per_sequence", memory.cache_per_sequence.value());
  const double left = (memory.hbm - memory.weights) / memory.cache_per_sequence;
  return left < 1 ? 0 : floor_to_count(left);
}

/// Chips, not rounded, whose HBM holds that many bytes. Throws for an amount or a capacity that is not above 0. Worked:
/// 8.75 chips of 16 GB for 140 GB.
[[nodiscard]] constexpr double chips_to_hold(bytes amount, const chip_spec& chip) {
  detail::positive("amount", amount.value());
  detail::positive("chip.hbm.capacity", chip.hbm.capacity.value());
  return amount / chip.hbm.capacity;
}

/// The smallest power of two that is at least a number of chips: slices come in these sizes. Worked: 8 for 6.996 chips,
/// 16 for 8.55.
[[nodiscard]] constexpr std::int64_t power_of_two_from(double chip_count) {
  detail::in_range("chips", chip_count, 1e-9, 1e15, "above 0 and at most 1e15");
  std::int64_t result = 1;
  while (static_cast<double>(result) < chip_count) result *= 2;
  return result;
}

/// A server that decodes.
struct decode_server {
  double batch = 0;          ///< sequences that decode at once
  seconds step{};            ///< time of a decode step
  double output_tokens = 0;  ///< of a request
};

/// Requests that a server completes per second: batch / (step x output tokens). Throws for figures that are not above
/// 0. Worked: 43 sequences, steps of 19 ms, 512 output tokens: 4.42 per second.
[[nodiscard]] constexpr per_second requests_per_second(const decode_server& server) {
  detail::positive("batch", server.batch);
  detail::positive("step", server.step.value());
  detail::positive("output_tokens", server.output_tokens);
  return server.batch / (server.step * server.output_tokens);
}

/// Time to decode the output tokens of a request: one decode step for each token. Throws for figures that
/// are not above 0. Worked: 9.98 s for 512 tokens at steps of 19.5 ms.
[[nodiscard]] constexpr seconds output_time(seconds step, double output_tokens) {
  detail::positive("step", step.value());
  return step * detail::positive("output_tokens", output_tokens);
}

/// Tokens of a request.
struct request_tokens {
  double prompt = 0;  ///< input tokens
  double output = 0;  ///< output tokens
};

/// What leaves a server in each decode step where requests come and go evenly.
struct decode_turnover {
  double sequences = 0;  ///< requests that end: batch / output
  double tokens = 0;     ///< tokens that leave the cache with them: batch x (prompt + output) / output
};

/// The turnover of a batch of such requests. Throws for a batch or an output that is not above 0, and for a prompt
/// below 0. Worked: 32 sequences of 8192 + 4096 tokens: 0.0078 sequences and 96 tokens a step.
[[nodiscard]] constexpr decode_turnover turnover(double batch, const request_tokens& request) {
  detail::positive("batch", batch);
  detail::positive("output tokens", request.output);
  detail::not_negative("prompt tokens", request.prompt);
  return {batch / request.output, batch * (request.prompt + request.output) / request.output};
}

/// Prefill servers that keep one decode server busy, not rounded: the requests it completes per second x the time of a
/// prefill. Throws for figures that are not above 0. Worked: 4.02 for 43 sequences, a prefill of 0.91 s, steps of 19 ms
/// and 512 output tokens.
[[nodiscard]] constexpr double prefill_servers_per_decode_server(const decode_server& server, seconds prefill) {
  detail::positive("prefill", prefill.value());
  return requests_per_second(server) * prefill;
}

/// The ratio of HBM bandwidth to the achieved rate of one ICI axis, both directions. Worked: 9.1 on v5e.
[[nodiscard]] constexpr double hbm_over_ici(const chip_spec& chip) {
  return chip.hbm.bandwidth / ici_axis_both_ways(chip);
}

/// The degree of tensor parallelism from which moving activations takes longer than reading weights in decode, not
/// rounded: F / (B x HBM bandwidth over ICI bandwidth). Throws for figures that are not above 0. Worked: 64 for F =
/// 16384, batch 32 and a ratio of 8.
[[nodiscard]] constexpr double decode_tensor_limit(std::int64_t d_ff, std::int64_t batch, double hbm_to_ici) {
  return static_cast<double>(detail::positive_count("d_ff", d_ff)) /
         (static_cast<double>(detail::positive_count("batch", batch)) * detail::positive("hbm_to_ici", hbm_to_ici));
}

/// Times on one device of a bf16 product [batch, D] x [D, F] whose F is sharded over one ICI axis.
struct sharded_product {
  seconds ici{};   ///< moving activations in or out: 2 B D / W
  seconds hbm{};   ///< reading the shard of the weights
  seconds math{};  ///< FLOPs of the shard
};

/// The times of a product that is sharded `ways` ways. Throws for a shape or ways that are not above 0.
/// Worked: 64 x 8192 x 28672, 32 ways on v5e with 90 GB/s over ICI, 810 GB/s and 197 TFLOP/s: 11.65, 18.1 and 4.77 us.
[[nodiscard]] constexpr sharded_product sharded_product_times(const product_shape& shape, std::int64_t ways,
                                                              const chip_spec& chip) {
  const flops work = flops_of(shape);
  const auto parts = static_cast<double>(detail::positive_count("ways", ways));
  const auto activations = static_cast<double>(checked_multiply(shape.batch, shape.inner));
  const auto weights = static_cast<double>(checked_multiply(shape.inner, shape.outer));
  return {bytes{2 * activations} / ici_axis_both_ways(chip), bytes{2 * weights / parts} / chip.hbm.bandwidth,
          work / parts / peak_rate(chip, dtype::bf16)};
}

/// Degrees of weights that are sharded over both of their dimensions, chosen to move the least activations; not
/// rounded.
struct weight_stationary_degrees {
  double d_model = 0;  ///< ways of the d_model dimension: X
  double d_ff = 0;     ///< ways of the d_ff dimension: Y Z
};

/// The best degrees on N chips: X = sqrt(N D / 2F), YZ = N / X. Throws for figures that are not above 0. Worked: 4 and
/// 32 for F = 4 D on 128 chips.
[[nodiscard]] constexpr weight_stationary_degrees two_dimensional_degrees(std::int64_t chip_count,
                                                                          double d_ff_over_d_model) {
  const auto count = static_cast<double>(detail::positive_count("chips", chip_count));
  const double x = math::sqrt(count / (2 * detail::positive("d_ff_over_d_model", d_ff_over_d_model)));
  return {x, count / x};
}

/// Chips from which sharding both dimensions of the weights moves less than Megatron's sharding of one over all axes:
/// 2 axes^2 F / D. Throws for figures that are not above 0. Worked: 63 on three axes for F = 3.5 D.
[[nodiscard]] constexpr double two_dimensional_from_chips(double d_ff_over_d_model, std::int64_t axes = 3) {
  const auto count = static_cast<double>(detail::positive_count("axes", axes));
  return 2 * count * count * detail::positive("d_ff_over_d_model", d_ff_over_d_model);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/serving/engine.hpp

#ifndef TPUPLAN_ESTIMATE_SERVING_ENGINE_HPP
#define TPUPLAN_ESTIMATE_SERVING_ENGINE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// A serving engine in its steady state: continuous batching, with prefill of new prompts between decode steps.

namespace tpuplan {
inline namespace abi_0 {

/// Mean time of an output token in an engine: step.total + prompts + engine = total. The host prepares a step while the
/// device runs another, so that the engine adds time only where the host is slower; vLLM over several hosts
/// prepares each step after the one before has ended.
struct token_time {
  decode_breakdown step{};    ///< the decode step by itself
  seconds prompts{};          ///< prefill of new requests, as much per step as keeps the batch full
  seconds engine{};           ///< waiting for host and scheduler
  seconds total{};            ///< mean time of an output token
  seconds low{};              ///< lower end: nine of ten comparable published engines lie in between
  seconds high{};             ///< the upper end of that range
  double band = 0;            ///< relative error behind low and high
  bool extrapolated = false;  ///< no published decode run is on a chip of that name
};

/// Why a slice cannot serve the traffic. Enumerators and their names are stable.
enum class serving_refusal : std::uint8_t {
  none,                 ///< the slice can do it
  does_not_fit,         ///< weights and one sequence of the longest length do not fit
  tpot_below_floor,     ///< the TPOT target is shorter than a decode step of one sequence at peak rates
  ttft_below_floor,     ///< the TTFT target is shorter than the prefill of one prompt at peak rates
  rate_above_capacity,  ///< requests arrive at least as fast as the full batch serves them
};

/// "none", "does_not_fit" and so on.
[[nodiscard]] constexpr std::string_view name(serving_refusal why) noexcept {
  constexpr const char* names[] = {"none", "does_not_fit", "tpot_below_floor", "ttft_below_floor",
                                   "rate_above_capacity"};
  return detail::name_of(names, static_cast<std::size_t>(why));
}

/// How a slice serves some traffic. Rates are over all replicas; `running` and times are of one replica. Where
/// `refusal` is not `none`, `memory` is that of one running sequence, and of the fields after it only `capacity` is
/// estimated.
struct serving_estimate {
  serving_refusal refusal = serving_refusal::none;        ///< why the slice cannot do it, or `none`
  seconds floor{};                                        ///< where a target is refused: the shortest possible time
  decode_limit floor_limited_by = decode_limit::weights;  ///< what takes most of the floor
  serving_memory memory{};                                ///< of one device
  verdict fit = verdict::no;                              ///< whether that memory fits into HBM
  std::int64_t replicas = 0;                              ///< replicas of the model in the slice
  std::int64_t largest_running = 0;  ///< sequences that memory and engine allow to run at once, per replica
  per_second capacity{};             ///< requests per second with all slots taken, or a prompt chunk in each step
  double running = 0;                ///< sequences that run at once, on average, per replica
  token_time per_token{};            ///< TPOT
  seconds prefill{};                 ///< of one prompt alone in the engine
  seconds queue{};                   ///< time that a request waits for a slot
  seconds first_token{};             ///< TTFT: queue, half a step, and prefill, whose chunks share steps with others
  per_second requests{};             ///< requests completed per second
  per_second input_tokens{};         ///< prompt tokens, those in the prefix cache included
  per_second output_tokens{};        ///< output tokens
  double prefill_servers = 0;        ///< prefill servers per decode server, if disaggregated
  bool meets_ttft = true;            ///< TTFT is within its target, or there is none
  bool meets_tpot = true;            ///< TPOT is within its target, or there is none
};

namespace detail {

/// The terms of an engine's mean time per output token, in seconds, from which it follows for any running batch.
struct token_terms {
  decode_terms step{};
  double prompts = 0;    // prefill of new requests, for each sequence
  double host = 0;       // host and scheduler
  double host_each = 0;  // host and scheduler, for each sequence
  bool in_turn = false;  // the device idles while the host works
};

/// vLLM drives several hosts by remote calls and has no asynchronous scheduling there.
constexpr bool waits_for_host(const served_model& served, serving_engine engine) noexcept {
  return served.on.hosts > 1 && (engine == serving_engine::vllm || engine == serving_engine::vllm_torch_xla);
}

/// Seconds of prefill per output token: of prompts that are not in the prefix cache, in steps that decode too.
constexpr double prompts_of(const served_model& served, const transformer& model, const serving_job& job,
                            const serving_layout& mesh, const slice& where, const serving_calibration& constants) {
  const std::int64_t tokens = ceil_to_count(job.prompt.mean);
  const double prompts = served.groups;  // data-parallel attention has one prompt in each group
  const prefill_breakdown one = prefill_of(served, model, {prompts, tokens}, job, mesh, where, constants);
  const double computed = job.prompt.mean / static_cast<double>(tokens) * (1 - job.prefix_hit_rate);
  return constants.engine_prefill * beside_decode(one, mesh).value() / prompts * computed / job.output.mean;
}

/// The number of arrays that the host passes to an engine's step, over all layers: the four matrices of attention,
/// those of the MLP or of the experts and their router, a scale beside each where weights have 8 bits or fewer, norms,
/// and the cache.
constexpr double arrays_of(const transformer& model, const serving_job& job) {
  const bool experts = has_experts(model);
  const std::int64_t matrices = 4 + (model.mlp.gated ? 3 : 2) + (experts ? 1 : 0);
  const std::int64_t scales = bits(job.weights) <= 8 ? matrices : 0;
  const std::int64_t norms = model.norms_per_layer + (model.attention.qk_norm ? 2 : 0);
  return static_cast<double>(model.layers) * static_cast<double>(matrices + scales + norms + 1);
}

/// The terms of an engine's token time. The host passes every array to each of its devices.
constexpr token_terms token_terms_of(const served_model& served, const transformer& model, bytes cache,
                                     const serving_job& job, const serving_layout& mesh, const slice& where,
                                     const serving_calibration& constants) {
  token_terms terms;
  terms.step = terms_of(served, cache, job, mesh, constants);
  terms.prompts = prompts_of(served, model, job, mesh, where, constants);
  const double passed = arrays_of(model, job) * served.on.devices / served.on.hosts;
  terms.host = (constants.engine_step + constants.engine_array * passed).value();
  terms.host_each = constants.engine_sequence.value();
  terms.in_turn = waits_for_host(served, job.engine);
  return terms;
}

/// Seconds of a step of device and host: the longer of the two or, `in_turn`, their sum.
constexpr double with_host(double device, double host, bool in_turn) noexcept {
  return in_turn ? device + host : device > host ? device : host;
}

/// Mean seconds of an output token with that many running sequences.
constexpr double time_at(const token_terms& terms, double running) {
  const double own = factor_at(terms.step.own, running);
  return with_host(step_at(terms.step, running) + own * terms.prompts * running,
                   own * (terms.host + terms.host_each * running), terms.in_turn);
}

/// The mean time of an output token with its parts and its band.
constexpr token_time token_of(const token_terms& terms, double running, serving_engine engine, const chip_spec& chip) {
  token_time token;
  token.step = decode_of(terms.step, running, engine, chip);
  token.prompts = seconds{factor_at(terms.step.own, running) * terms.prompts * running};
  token.total = seconds{time_at(terms, running)};
  const seconds device = token.step.total + token.prompts;
  token.engine = token.total > device ? token.total - device : seconds{0};
  add_band(token, kind_of(terms.step), engine,
           terms.step.covered && has_serving_runs(chip, &serving_coverage::decode_runs));
  narrow_band(token, left_at(terms.step.own, running));
  return token;
}

/// Where a rising function crosses 0 between 0 and `most`: 0 where it is positive from the start, `most` where it never
/// is. Exact to 1e-12 of the answer. The method is regula falsi with the Illinois rule, which halves the value at an
/// end that has stayed twice, so that both ends converge.
template <class Function>
constexpr double crossing(const Function& function, double most) {
  double low = 0, high = most;
  double at_low = function(low), at_high = function(high);
  if (at_high <= 0) return most;
  if (at_low >= 0) return 0;
  int stayed = 0;  // rounds for which the low end has stayed; negative: the high end
  for (int round = 0; round < 200 && high - low > 1e-12 * high; ++round) {
    double middle = low - at_low * (high - low) / (at_high - at_low);
    if (!(middle > low && middle < high)) middle = low + (high - low) / 2;
    const double value = function(middle);
    if (value == 0) return middle;
    if (value < 0) {
      low = middle, at_low = value;
      if (stayed < 0) at_high /= 2;
      stayed = -1;
    } else {
      high = middle, at_high = value;
      if (stayed > 0) at_low /= 2;
      stayed = 1;
    }
  }
  return low + (high - low) / 2;
}

/// Prompt tokens of a request that are not in the prefix cache, at least one.
constexpr std::int64_t fresh_tokens(const serving_job& job) {
  return ceil_to_count(job.prompt.mean * (1 - job.prefix_hit_rate));
}

/// Refuses a TPOT target below a decode step of one sequence at peak rates, and a TTFT target below the prefill of one
/// prompt: no engine can be faster.
constexpr void refuse_targets(serving_estimate& estimate, const transformer& model, const serving_job& job,
                              const serving_layout& mesh, const slice& where) {
  const auto refuse = [&](serving_refusal why, seconds floor, decode_limit limited_by) {
    estimate.refusal = why;
    estimate.floor = floor;
    estimate.floor_limited_by = limited_by;
  };
  if (job.tpot_target.value() > 0) {
    const decode_breakdown least = decode_step(model, {1, running_context(job)}, job, mesh, where, peak_only);
    if (job.tpot_target < least.total) return refuse(serving_refusal::tpot_below_floor, least.total, least.limited_by);
  }
  if (job.ttft_target.value() > 0) {
    const prefill_breakdown least = prefill_time(model, {1, fresh_tokens(job)}, job, mesh, where, peak_only);
    const bool by_products = least.products + least.attention > least.weights;
    if (job.ttft_target < least.total)
      refuse(serving_refusal::ttft_below_floor, least.total,
             by_products ? decode_limit::products : decode_limit::weights);
  }
}

}  // namespace detail

/// Mean time of an output token where `running` sequences run in one replica of an engine, and each that ends is
/// replaced by a new prompt. Throws where `validate` of the job or `decode_step` does. Worked: Qwen3 8B on
/// v6e-4, 58.9 sequences of 1024 + 1024 tokens: 12.0 ms in SGLang-JAX, 11.1 ms measured.
/// Source: closed form calibrated on published runs.
[[nodiscard]] constexpr token_time time_per_token(const transformer& model, double running, const serving_job& job,
                                                  const serving_layout& mesh, const slice& where,
                                                  const serving_calibration& constants = {}) {
  validate(job, model);
  const serving_calibration own = detail::constants_of(constants, job.engine);
  const bytes cache = detail::cache_of(model, job, running_context(job));
  const detail::served_model served = detail::served_by(model, job, mesh, where);
  return detail::token_of(detail::token_terms_of(served, model, cache, job, mesh, where, own), running, job.engine,
                          where.chip);
}

/// Prefill time of one prompt of mean length alone in an engine, without the tokens in the prefix cache. Throws where
/// `time_per_token` does. Worked: 14.2 ms for 1024 tokens of Llama 3 8B on v6e-8.
[[nodiscard]] constexpr seconds engine_prefill_time(const transformer& model, const serving_job& job,
                                                    const serving_layout& mesh, const slice& where,
                                                    const serving_calibration& constants = {}) {
  validate(job, model);
  const serving_calibration own = detail::constants_of(constants, job.engine);
  return own.engine_prefill * prefill_time(model, {1, detail::fresh_tokens(job)}, job, mesh, where, own).total;
}

namespace detail {

/// The prefill of a request that has a slot.
struct admission {
  double prefill = 0;  // seconds of prefill alone
  double chunks = 1;   // engine steps over which the prompt is spread
  double steps = 0;    // full chunks of a request, at most one per step; 0: prompts are not chunked
  double beside = 0;   // seconds that a full chunk adds to a decode step
};

constexpr admission admission_of(const serving_job& job, const token_terms& terms, double prefill) {
  const double fresh = job.prompt.mean * (1 - job.prefix_hit_rate);
  admission prompt{prefill, prefill_chunks(job, static_cast<double>(fresh_tokens(job))), 0, 0};
  if (job.prefill_chunk == 0 || fresh <= 0) return prompt;
  prompt.steps = fresh / static_cast<double>(job.prefill_chunk);
  prompt.beside = terms.prompts * job.output.mean / prompt.steps;
  return prompt;
}

/// Seconds of a decode step that also computes a full chunk of a prompt.
constexpr double step_with_chunk(const token_terms& terms, const admission& prompt, double running) {
  const double own = factor_at(terms.step.own, running);
  return with_host(step_at(terms.step, running) + own * prompt.beside, own * (terms.host + terms.host_each * running),
                   terms.in_turn);
}

/// Seconds from getting a slot to the first token: half a step of the running sequences until prefill starts, and the
/// prefill; each of several chunks takes one step together with the running sequences.
constexpr double time_to_first(const admission& prompt, const token_terms& terms, double running, double token) {
  if (prompt.chunks <= 1) return prompt.prefill + 0.5 * token;
  const double alone = prompt.prefill / prompt.chunks;
  const double beside = step_with_chunk(terms, prompt, running < 1 ? 1 : running);
  const double busy = running < 1 ? running : 1;
  return 0.5 * token + prompt.chunks * (beside > alone ? alone + busy * (beside - alone) : alone);
}

/// Requests per second of a saturated replica: all slots are taken, or each step computes a prompt chunk. Where a
/// request has more chunks than output tokens, most of its chunks have a step to themselves.
constexpr double full_rate(const serving_job& job, const token_terms& terms, double most, const admission& prompt) {
  const double output = job.output.mean;
  const double by_chunks =
      prompt.steps > 0 ? output / prompt.steps : most;  // running sequences with a chunk in each step
  const double running = by_chunks < most ? by_chunks : most;
  if (running >= 1) return running / (output * time_at(terms, running));
  return 1 / ((prompt.steps - output) * prompt.prefill / prompt.chunks + output * step_with_chunk(terms, prompt, 1));
}

/// Mean number of running sequences in a replica under the traffic, at most `most`. By Little's law, for a request
/// rate: running = rate x output tokens x time per token; for a fixed concurrency: concurrency = running + rate x time
/// to the first token.
constexpr double running_batch(const serving_job& job, const token_terms& terms, double most, double replicas,
                               const admission& prompt) {
  const double output = job.output.mean;
  if (job.request_rate.value() > 0) {
    const double rate = job.request_rate.value() / replicas;
    return crossing([&](double running) { return running - rate * output * time_at(terms, running); }, most);
  }
  if (job.concurrency > 0) {
    const double clients = static_cast<double>(job.concurrency) / replicas;
    return crossing(
        [&](double running) {
          const double token = time_at(terms, running);
          return running + running / (output * token) * time_to_first(prompt, terms, running, token) - clients;
        },
        most);
  }
  if (job.tpot_target.value() == 0) return most;
  const double target = job.tpot_target.value();
  const double within = crossing([&](double running) { return time_at(terms, running) - target; }, most);
  return within < 1 ? 1 : within;
}

/// Time that a request waits for a slot. With a fixed concurrency, the requests beyond the slots wait. Requests that
/// arrive at random wait as in a queue of one server with constant service, which takes one request at a time at the
/// rate of the full batch (M/D/1): load / (2 (1 - load)) services.
constexpr seconds queue_time(const serving_job& job, per_second requests, per_second capacity, seconds in_service,
                             double replicas) {
  if (job.request_rate.value() > 0) {
    const double load = requests / capacity;
    return load / (2 * (1 - load)) / capacity;
  }
  const double left = static_cast<double>(job.concurrency) / replicas - requests * in_service;
  return left > 1e-6 * (in_service * requests) ? left / requests : seconds{0};
}

/// Fills in the times and rates that follow from the running batch.
constexpr void add_rates(serving_estimate& estimate, const serving_job& job, const token_terms& terms, double replicas,
                         const admission& prompt, const serving_calibration& constants) {
  const double output = job.output.mean;
  const double token = estimate.per_token.total.value();
  const per_second each{estimate.running / (output * token)};
  const seconds own{time_to_first(prompt, terms, estimate.running, token)};
  if (job.request_rate.value() > 0 || job.concurrency > 0)
    estimate.queue =
        queue_time(job, each, estimate.capacity / replicas, own + output * estimate.per_token.total, replicas);
  estimate.first_token = estimate.queue + own;
  estimate.requests = each * replicas;
  estimate.output_tokens = estimate.requests * output;
  estimate.input_tokens = estimate.requests * job.prompt.mean;
  estimate.prefill_servers = prefill_servers_per_decode_server(
      {estimate.running, estimate.per_token.step.total, output}, estimate.prefill / constants.engine_prefill);
  estimate.meets_ttft = job.ttft_target.value() == 0 || estimate.first_token <= job.ttft_target;
  estimate.meets_tpot = job.tpot_target.value() == 0 || estimate.per_token.total <= job.tpot_target * (1 + 1e-9);
}

}  // namespace detail

/// How a slice serves some traffic: whether it fits, how many sequences run at once, times and rates. Where the job
/// gives neither a rate nor a concurrency, all slots are taken, or as many as the TPOT target allows. Traffic that the
/// slice cannot serve gives a `refusal`, with the capacity or the floor; invalid fields throw, by name, as in
/// `validate` and `decode_step`. Worked: Llama 2 70B in int8 on v6e-8 (examples/serving_cases.cpp). Source: scaling
/// book, "Inference" (2025-12-15); Little's law; constants in `serving_calibration`.
[[nodiscard]] constexpr serving_estimate serve(const transformer& model, const serving_job& job,
                                               const serving_layout& mesh, const slice& where,
                                               const serving_calibration& constants = {}) {
  validate(job, model);
  if (any_target(job.percentiles))
    detail::fail(errc::unsupported, "serving_job.percentiles", "", "none here: means alone; plan_serving keeps them");
  const serving_calibration own = detail::constants_of(constants, job.engine);
  const detail::served_model served = detail::served_by(model, job, mesh, where);
  const bytes cache = detail::cache_of(model, job, running_context(job));
  const bytes longest = detail::cache_of(model, job, static_cast<double>(longest_context(job)));
  const double replicas = served.on.count;
  serving_estimate result;
  result.replicas = floor_to_count(replicas);
  result.largest_running = detail::slots_for(served, cache, longest, job, where);
  result.memory = detail::memory_of(served, 1, cache, job, where);
  if (result.largest_running == 0) {
    result.refusal = serving_refusal::does_not_fit;
    return result;
  }
  result.fit = fits(result.memory);
  const detail::token_terms terms = detail::token_terms_of(served, model, cache, job, mesh, where, own);
  const std::int64_t fresh = detail::fresh_tokens(job);
  const seconds prefill =
      own.engine_prefill * detail::prefill_of(served, model, {1, fresh}, job, mesh, where, own).total;
  const detail::admission prompt = detail::admission_of(job, terms, prefill.value());
  const auto slots = static_cast<double>(result.largest_running);
  const double full = detail::full_rate(job, terms, slots, prompt);
  result.capacity = per_second{replicas * full};
  if (job.request_rate >= result.capacity) result.refusal = serving_refusal::rate_above_capacity;
  detail::refuse_targets(result, model, job, mesh, where);
  if (result.refusal != serving_refusal::none) return result;
  result.prefill = prefill;
  const auto beyond = [&](double running) {
    return running - full * job.output.mean * detail::time_at(terms, running);
  };
  const double most = prompt.steps > 0 ? detail::crossing(beyond, slots) : slots;
  result.running = detail::running_batch(job, terms, most, replicas, prompt);
  result.per_token = detail::token_of(terms, result.running, job.engine, where.chip);
  result.memory = detail::memory_of(served, result.running, cache, job, where);
  result.fit = fits(result.memory);
  detail::add_rates(result, job, terms, replicas, prompt, own);
  return result;
}

/// A point of the frontier of throughput against latency.
struct frontier_point {
  double running = 0;          ///< sequences that run, per replica
  seconds per_token{};         ///< mean time of an output token
  per_second output_tokens{};  ///< over all replicas
};
/// The points of a frontier, by rising batch.
struct serving_frontier {
  std::array<frontier_point, 24> points{};  ///< the first `count` are set
  std::size_t count = 0;                    ///< points
};

/// Time per token and throughput for running batches of 1, 2, 4 … sequences, up to the largest that fits and that
/// chunked prefill can keep full; no points where none fits. Throws where `time_per_token` does. Worked: Llama 3 8B on
/// v6e-8 gives 114.2 output tokens per second with one sequence of 1024 + 256 tokens.
[[nodiscard]] constexpr serving_frontier frontier(const transformer& model, const serving_job& job,
                                                  const serving_layout& mesh, const slice& where,
                                                  const serving_calibration& constants = {}) {
  validate(job, model);
  const serving_calibration own = detail::constants_of(constants, job.engine);
  serving_frontier result;
  const detail::served_model served = detail::served_by(model, job, mesh, where);
  const bytes cache = detail::cache_of(model, job, running_context(job));
  const detail::token_terms terms = detail::token_terms_of(served, model, cache, job, mesh, where, own);
  std::int64_t most = largest_running(model, job, mesh, where);
  const double steps = detail::admission_of(job, terms, 0).steps;
  if (steps > 0 && job.output.mean / steps < static_cast<double>(most))
    most = floor_to_count(job.output.mean / steps < 1 ? 1 : job.output.mean / steps);
  for (std::int64_t batch = 1; batch <= most && result.count < result.points.size();) {
    const auto running = static_cast<double>(batch);
    const seconds token{detail::time_at(terms, running)};
    result.points[result.count++] = {running, token, served.on.count * running / token};
    if (batch == most) break;
    batch = 2 * batch < most ? 2 * batch : most;
  }
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost/serving_cost.hpp

#ifndef TPUPLAN_COST_SERVING_COST_HPP
#define TPUPLAN_COST_SERVING_COST_HPP

/// @file
/// Dollars for a million input tokens and for a million output tokens.

namespace tpuplan {
inline namespace abi_0 {

/// Dollars for a million tokens. The price of the slice is divided between input and output tokens by the time that
/// prefill and decode take: input x input tokens/s + output x output tokens/s, per million, is the price per second.
struct serving_cost {
  usd_per_second rate{};  ///< of the slice
  usd input{};            ///< of a million input tokens, cached ones included
  usd output{};           ///< of a million output tokens
  usd all_on_output{};    ///< of a million output tokens that pay for the whole slice, as if input were free
};

/// The cost of a million tokens at that price of the slice. Throws for an estimate that does not fit, and for a price
/// that is not above 0. Worked: 38.40 an hour for 10,000 output tokens a second: 1.0667 on output alone.
[[nodiscard]] constexpr serving_cost cost_of_tokens(const serving_estimate& estimate, usd_per_second rate) {
  detail::positive("price", rate.value());
  if (estimate.running <= 0)
    detail::fail(errc::infeasible, "serving_estimate.refusal", name(estimate.refusal), "an estimate of what runs");
  const double prompts = estimate.per_token.prompts / estimate.per_token.total;
  serving_cost cost;
  cost.rate = rate;
  cost.all_on_output = cost_per_million_tokens(rate, estimate.output_tokens);
  cost.input = prompts * cost_per_million_tokens(rate, estimate.input_tokens);
  cost.output = (1 - prompts) * cost.all_on_output;
  return cost;
}

/// The cost of a million tokens on a slice at the price of a row of the price book. Worked: at 1 USD a chip and hour, a
/// slice of 8 chips costs 8 USD an hour, 0.2222 USD for each million output tokens at 10,000 a second.
[[nodiscard]] constexpr serving_cost cost_of_tokens(const serving_estimate& estimate, const slice& where,
                                                    const price_row& price) {
  return cost_of_tokens(estimate, rate(price.per_chip, chips(where)));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/cost.hpp

#ifndef TPUPLAN_COST_HPP
#define TPUPLAN_COST_HPP

/// @file
/// What it costs: prices, runs, ways of paying, preemption, commitments, storage.

#endif

// tpuplan/estimate/findings.hpp

#ifndef TPUPLAN_ESTIMATE_FINDINGS_HPP
#define TPUPLAN_ESTIMATE_FINDINGS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

/// @file
/// What the advice on training and on serving shares: a bounded list of findings, the largest gain first.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {
/// The type of the findings in a list.
template <class List>
using finding_in = std::decay_t<decltype(std::declval<const List&>().items[0])>;
}  // namespace detail

/// The finding of that kind with the largest gain; nothing where there is none. Worked: llama-3-8b on v5p-128 with 64
/// sequences of 512 tokens has one of finding_kind::batch.
template <class List>
[[nodiscard]] constexpr maybe<detail::finding_in<List>> find_finding(const List& all,
                                                                     decltype(detail::finding_in<List>::kind) kind) {
  for (const auto& one : all) {
    if (one.kind == kind) return one;
  }
  return nothing;
}

namespace detail {

/// A finding of that kind about that field, with a gain of 0.
template <class Finding, class Kind>
constexpr Finding finding_of(Kind kind, std::string_view subject) {
  Finding result;
  result.kind = kind;
  result.subject = subject;
  return result;
}

/// A number as the value of a field in a finding.
constexpr text<64> words_of(std::int64_t number) { return text<64>{}.append(number); }

/// Whether a change replaces the best one so far: it gains more, and at least `smallest`.
template <class Finding>
constexpr bool gains_more(const Finding& best, double gain, double smallest) {
  return gain >= smallest && gain > best.gain;
}

/// Whether a change may be advised: it surely fits, or fits no less surely than the present setting.
constexpr bool fits_as_surely(verdict then, verdict now) noexcept {
  return then == verdict::yes || (then == verdict::uncertain && now == verdict::uncertain);
}

/// Adds a finding in the order of gains. A finding without a gain is left out; in a full list the smallest drops out.
template <class List>
constexpr void add(List& all, const finding_in<List>& one) {
  const bool full = all.count == all.items.size();
  if (one.gain <= 0 || (full && all.items.back().gain >= one.gain)) return;
  std::size_t at = full ? all.count - 1 : all.count++;
  for (; at > 0 && all.items[at - 1].gain < one.gain; --at) all.items[at] = all.items[at - 1];
  all.items[at] = one;
}

}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/serving/advice.hpp

#ifndef TPUPLAN_ESTIMATE_SERVING_ADVICE_HPP
#define TPUPLAN_ESTIMATE_SERVING_ADVICE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// What in the setting of an engine wastes the slice, and what a change would gain. Both come from estimates of the
/// engine as it is and with the change, not from rules.

namespace tpuplan {
inline namespace abi_0 {

/// Kinds of waste. Enumerators and their names are stable.
enum class serving_finding_kind : std::uint8_t {
  batch,           ///< too few requests in flight for the weights that each step reads
  slots,           ///< a limit on running sequences leaves HBM unused
  cache_dtype,     ///< keys and values are in a larger format than they need
  cache_sharding,  ///< devices outnumber KV heads and hold copies of keys and values
  replicas,        ///< another number of devices for each replica is faster
};

/// "batch" and so on.
[[nodiscard]] constexpr std::string_view name(serving_finding_kind kind) noexcept {
  constexpr const char* names[] = {"batch", "slots", "cache_dtype", "cache_sharding", "replicas"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// One waste, and what a change gains: gain = 1 - rate_now / rate_then.
struct serving_finding {
  serving_finding_kind kind = serving_finding_kind::batch;  ///< what is wasted
  text<40> subject{};                                       ///< the field to change
  text<64> now{};                                           ///< its value
  text<64> better{};                                        ///< the value advised
  per_second rate_now{};       ///< output tokens per second; at capacity where requests arrive at a rate
  per_second rate_then{};      ///< with the change
  seconds per_token_now{};     ///< mean time of an output token as it is
  seconds per_token_then{};    ///< with the change
  double gain = 0;             ///< share of chip time saved per output token
  serving_job job_then{};      ///< with the change
  serving_layout mesh_then{};  ///< with the change
};

/// Findings, the largest gain first.
struct serving_findings {
  std::array<serving_finding, 5> items{};  ///< the first `count` are set
  std::size_t count = 0;                   ///< findings

  /// @{
  /// The findings as a range.
  [[nodiscard]] constexpr const serving_finding* begin() const noexcept { return items.data(); }
  [[nodiscard]] constexpr const serving_finding* end() const noexcept { return items.data() + count; }
  /// @}
};

/// Gains below this share are left out: one percent.
inline constexpr double smallest_serving_gain = 0.01;

namespace detail {

/// The engine as it is, which every change is compared with.
struct serving_base {
  transformer model{};
  serving_job job{};
  serving_layout mesh{};
  slice where{};
  serving_calibration constants{};
  serving_estimate now{};
};

/// Output tokens per second; at full capacity where requests arrive at a rate.
constexpr per_second output_rate(const serving_estimate& estimate, const serving_job& job) {
  return job.request_rate.value() > 0 ? estimate.capacity * job.output.mean : estimate.output_tokens;
}

/// Makes the change the best finding where it gains more, fits no less surely, and meets the targets that are met now.
constexpr void improve(serving_finding& best, const serving_base& base, const serving_job& job,
                       const serving_layout& mesh) {
  const serving_estimate then = serve(base.model, job, mesh, base.where, base.constants);
  if (then.refusal != serving_refusal::none || !fits_as_surely(then.fit, base.now.fit)) return;
  if ((base.now.meets_ttft && !then.meets_ttft) || (base.now.meets_tpot && !then.meets_tpot)) return;
  const double gain = 1 - output_rate(base.now, base.job) / output_rate(then, job);
  if (!gains_more(best, gain, smallest_serving_gain)) return;
  best.rate_now = output_rate(base.now, base.job);
  best.rate_then = output_rate(then, job);
  best.per_token_now = base.now.per_token.total;
  best.per_token_then = then.per_token.total;
  best.gain = gain;
  best.job_then = job;
  best.mesh_then = mesh;
}

/// Tries twice as many requests in flight, four times and so on, as far as they can run.
constexpr serving_finding flight_finding(const serving_base& base) {
  auto best = finding_of<serving_finding>(serving_finding_kind::batch, "serving_job.concurrency");
  if (base.job.concurrency == 0) return best;
  const std::int64_t slots = checked_multiply(base.now.largest_running, base.now.replicas);
  serving_job job = base.job;
  for (std::int64_t clients = base.job.concurrency; clients <= slots / 2;) {
    job.concurrency = clients *= 2;
    improve(best, base, job, base.mesh);
  }
  best.now = words_of(base.job.concurrency);
  best.better = words_of(best.job_then.concurrency);
  return best;
}

/// Tries no limit on running sequences but memory.
constexpr serving_finding slots_finding(const serving_base& base) {
  auto best = finding_of<serving_finding>(serving_finding_kind::slots, "serving_job.max_running");
  if (base.job.max_running == 0) return best;
  serving_job job = base.job;
  job.max_running = 0;
  improve(best, base, job, base.mesh);
  best.now = words_of(base.job.max_running);
  best.better = words_of(largest_running(base.model, job, base.mesh, base.where));
  return best;
}

/// Tries keys and values in 8 bits.
constexpr serving_finding cache_dtype_finding(const serving_base& base) {
  auto best = finding_of<serving_finding>(serving_finding_kind::cache_dtype, "serving_job.cache");
  if (bits(base.job.cache) <= 8) return best;
  serving_job job = base.job;
  job.cache = has_peak_rate(base.where.chip, dtype::fp8) ? dtype::fp8 : dtype::int8;
  improve(best, base, job, base.mesh);
  best.now = name(base.job.cache);
  best.better = name(job.cache);
  return best;
}

/// Where devices hold copies of KV heads: tries keys and values sharded by sequences.
constexpr serving_finding cache_sharding_finding(const serving_base& base) {
  auto best = finding_of<serving_finding>(serving_finding_kind::cache_sharding, "serving_layout.cache");
  if (served_by(base.model, base.job, base.mesh, base.where).cache_copies <= 1) return best;
  serving_layout mesh = base.mesh;
  mesh.cache = cache_sharding::batch;
  improve(best, base, base.job, mesh);
  best.now = "heads";
  best.better = "batch";
  return best;
}

/// Tries every number of devices per replica that divides devices and heads.
constexpr serving_finding replicas_finding(const serving_base& base) {
  auto best = finding_of<serving_finding>(serving_finding_kind::replicas, "serving_layout.tensor");
  const std::int64_t all = devices(base.where);
  serving_layout mesh = base.mesh;
  for_each_divisor(all, [&](std::int64_t tensor) {
    if (mesh.weights == weight_sharding::one_dimension && !heads_divide(base.model, tensor)) return;
    mesh.tensor = tensor;
    improve(best, base, base.job, mesh);
  });
  best.now = words_of(base.mesh.tensor == 0 ? all : base.mesh.tensor);
  best.better = words_of(best.mesh_then.tensor);
  return best;
}

}  // namespace detail

/// What in an engine's setting wastes the slice, the largest gain first. Each finding is one change alone, estimated by
/// `serve` with the same constants, which gains one percent or more and meets the targets that are met now. No findings
/// where `serve` refuses. Throws where `serve` throws. Worked: Llama 3 8B on v6e-8 reads its
/// keys and values twice as fast in 8 bits.
[[nodiscard]] constexpr serving_findings serving_advice(const transformer& model, const serving_job& job,
                                                        const serving_layout& mesh, const slice& where,
                                                        const serving_calibration& constants = {}) {
  const detail::serving_base base{model, job, mesh, where, constants, serve(model, job, mesh, where, constants)};
  serving_findings all;
  if (base.now.refusal != serving_refusal::none) return all;
  detail::add(all, detail::flight_finding(base));
  detail::add(all, detail::slots_finding(base));
  detail::add(all, detail::cache_dtype_finding(base));
  detail::add(all, detail::cache_sharding_finding(base));
  detail::add(all, detail::replicas_finding(base));
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/serving.hpp

#ifndef TPUPLAN_ESTIMATE_SERVING_HPP
#define TPUPLAN_ESTIMATE_SERVING_HPP

/// @file
/// Serving as calibrated on published runs: decode steps, prefill, memory, an engine in its steady state, advice.

#endif

// tpuplan/handbook/thresholds.hpp

#ifndef TPUPLAN_HANDBOOK_THRESHOLDS_HPP
#define TPUPLAN_HANDBOOK_THRESHOLDS_HPP

#include <cstdint>

/// @file
/// When does a way of sharding stop being limited by arithmetic? Rules for a layer of two matrices [D,F] and [F,D] in
/// bf16, at peak rates and with perfect overlap. Source: scaling book, "Training" and "Sharded matrices" (2025-12-15).

namespace tpuplan {
inline namespace abi_0 {

/// ICI intensity: FLOPs that a chip can do while one byte arrives over one axis, both directions in use. In bf16 it is
/// also a number of tokens per chip, because the two bytes of a weight cancel the two FLOPs of its multiply-add.
/// Worked: 2550 on v5p, 2189 on v5e.
[[nodiscard]] constexpr double ici_intensity(const chip_spec& chip, dtype compute = dtype::bf16) {
  return ridge_point(chip, compute, memory_level::ici).value();
}

/// Tokens per chip above which data parallelism or FSDP over that many ICI axes is limited by arithmetic.
/// `experts_per_active` is E/k of a mixture of experts. Worked: 850 on three axes of v5p.
[[nodiscard]] constexpr double data_parallel_tokens_per_chip(const chip_spec& chip, std::int64_t axes,
                                                             double experts_per_active = 1) {
  detail::positive_count("axes", axes);
  detail::in_range("experts_per_active", experts_per_active, 1, 1e9, "1 (dense) or more");
  return ici_intensity(chip) / static_cast<double>(axes) * experts_per_active;
}

/// Degree below which tensor parallelism over that many axes is limited by arithmetic: (2 / bytes) F axes / intensity.
/// It does not depend on the format as long as activations have it too. Worked: 7.5 for F = 16384 on one axis of v5e.
[[nodiscard]] constexpr double tensor_parallel_limit(const chip_spec& chip, std::int64_t d_ff, std::int64_t axes = 1,
                                                     dtype type = dtype::bf16) {
  const double widths =
      static_cast<double>(checked_multiply(detail::positive_count("d_ff", d_ff), detail::positive_count("axes", axes)));
  return 2 / size_of(type).value() * widths / ici_intensity(chip, type);
}

/// Tokens per chip above which FSDP and tensor parallelism together are limited by arithmetic, at the best split of the
/// chips between them: intensity^2 / (fsdp axes x tensor axes x F). Worked: 99.2 on v5p for F = 32768, two axes and
/// one.
[[nodiscard]] constexpr double mixed_tokens_per_chip(const chip_spec& chip, std::int64_t d_ff, std::int64_t fsdp_axes,
                                                     std::int64_t tensor_axes) {
  const double intensity = ici_intensity(chip);
  const std::int64_t axes = checked_multiply(detail::positive_count("fsdp_axes", fsdp_axes),
                                             detail::positive_count("tensor_axes", tensor_axes));
  return intensity * intensity / static_cast<double>(checked_multiply(axes, detail::positive_count("d_ff", d_ff)));
}

/// A batch through a layer of that width on chips whose ICI axes FSDP and tensor parallelism share.
struct mixed_sharding {
  std::int64_t batch_tokens = 0;  ///< of a step, over all chips
  std::int64_t d_ff = 0;          ///< inner width of the layer
  std::int64_t chips = 0;         ///< the product of both degrees
  std::int64_t fsdp_axes = 0;     ///< ICI axes that FSDP spans
  std::int64_t tensor_axes = 0;   ///< ICI axes that tensor parallelism spans
};

/// The FSDP degree at which FSDP and tensor traffic take the same time: sqrt(B/F x fsdp axes / tensor axes x chips).
/// Worked: 13.7 for 48000 tokens, F = 32768, 64 chips, two axes and one.
[[nodiscard]] constexpr double optimal_fsdp(const mixed_sharding& how) {
  const auto tokens = static_cast<double>(detail::positive_count("batch_tokens", how.batch_tokens));
  const auto width = static_cast<double>(detail::positive_count("d_ff", how.d_ff));
  const auto count = static_cast<double>(detail::positive_count("chips", how.chips));
  const auto fsdp_axes = static_cast<double>(detail::positive_count("fsdp_axes", how.fsdp_axes));
  const auto tensor_axes = static_cast<double>(detail::positive_count("tensor_axes", how.tensor_axes));
  return math::sqrt(tokens / width * fsdp_axes / tensor_axes * count);
}

/// Tokens per slice above which data parallelism between slices is limited by arithmetic. Worked: 73440 on v5p.
[[nodiscard]] constexpr double dcn_tokens_per_slice(const chip_spec& chip) {
  return ridge_point(chip, dtype::bf16, memory_level::dcn).value();
}

/// A product X[B,D] Y[D,F] whose Y is sharded along D can gather Y first, or multiply its shards and reduce the results
/// afterwards. These limits say which is faster, and when either is limited by arithmetic.
struct contraction_limits {
  double gather_first_batch = 0;   ///< tokens above which gathering first is limited by arithmetic
  double reduce_after_inner = 0;   ///< D above which reducing afterwards beats the repeated FLOPs of gathering
  double reduce_after_degree = 0;  ///< most ways for which reducing afterwards is limited by arithmetic
  double equal_traffic_batch = 0;  ///< tokens at which both move the same bytes; fewer favour reducing
};

/// The limits of a contraction over D = `inner`. Worked: on v5p 2550 tokens, D above 5100, 1.6 ways for D = 8192, and
/// equal traffic at 4096 tokens.
[[nodiscard]] constexpr contraction_limits sharded_contraction(const chip_spec& chip, std::int64_t inner) {
  const double intensity = ici_intensity(chip);
  const auto d = static_cast<double>(detail::positive_count("inner", inner));
  return {intensity, 2 * intensity, d / (2 * intensity), d / 2};
}

/// A layer of two matrices [D,F] and [F,D] and the tokens that go through it in a step.
struct mlp_layer {
  std::int64_t batch_tokens = 0;  ///< over all chips
  std::int64_t d_model = 0;       ///< D
  std::int64_t d_ff = 0;          ///< F
};

/// How a layer of two matrices is sharded: ways and ICI axes of FSDP and of tensor parallelism.
struct layer_sharding {
  std::int64_t fsdp = 1;         ///< ways
  std::int64_t fsdp_axes = 0;    ///< ICI axes that it spans
  std::int64_t tensor = 1;       ///< ways
  std::int64_t tensor_axes = 0;  ///< ICI axes that it spans
};

/// Forward time of one layer of two bf16 matrices: arithmetic, FSDP gathers, tensor gathers and scatters.
struct layer_times {
  seconds math{};              ///< arithmetic at the bf16 peak
  seconds fsdp{};              ///< gathers of weights
  seconds tensor{};            ///< gathers and scatters of activations
  bool compute_bound = false;  ///< arithmetic takes longer than either kind of traffic
};

/// The forward times of a layer under a way of sharding it. Worked: 4 Mi tokens, D 8192, F 28672, FSDP 2048 on two axes
/// and tensor 4 on one, v5p: 1.048 ms of arithmetic, 0.652 ms and 0.373 ms of traffic.
[[nodiscard]] constexpr layer_times layer_forward(const chip_spec& chip, const mlp_layer& layer,
                                                  const layer_sharding& how) {
  const flops work = 2 * flops_of({layer.batch_tokens, layer.d_model, layer.d_ff});
  const auto fsdp = static_cast<double>(detail::positive_count("fsdp", how.fsdp));
  const auto tensor = static_cast<double>(detail::positive_count("tensor", how.tensor));
  layer_times times;
  times.math = work / (peak_rate(chip, dtype::bf16) * (fsdp * tensor));
  const auto d = static_cast<double>(layer.d_model);
  if (how.fsdp > 1) {
    const auto axes = static_cast<double>(detail::positive_count("fsdp_axes", how.fsdp_axes));
    times.fsdp = bytes{4 * d * static_cast<double>(layer.d_ff) / tensor} / (bandwidth(chip, memory_level::ici) * axes);
  }
  if (how.tensor > 1) {
    const auto axes = static_cast<double>(detail::positive_count("tensor_axes", how.tensor_axes));
    times.tensor =
        bytes{4 * static_cast<double>(layer.batch_tokens) * d / fsdp} / (bandwidth(chip, memory_level::ici) * axes);
  }
  times.compute_bound = times.math > times.fsdp && times.math > times.tensor;
  return times;
}

/// Backward pass of one layer under data parallelism between slices: arithmetic, and the all-reduce of its gradients,
/// which a single slice does not need.
struct layer_backward_times {
  seconds math{};  ///< arithmetic at the bf16 peak
  seconds dcn{};   ///< the all-reduce between slices
};

/// Slices of equal size.
struct equal_slices {
  std::int64_t chips = 0;   ///< of each slice
  std::int64_t slices = 0;  ///< number of slices
};

/// The backward times of a layer whose batch is sharded over slices. Worked: 2e6 tokens, D 8192, F 28672 on two v5p
/// slices of 8960 chips: 0.457 ms of arithmetic, 0.0336 ms between slices.
[[nodiscard]] constexpr layer_backward_times layer_backward_between_slices(const chip_spec& chip,
                                                                           const mlp_layer& layer,
                                                                           const equal_slices& over) {
  const auto tokens = static_cast<double>(detail::positive_count("batch_tokens", layer.batch_tokens));
  const double weights = static_cast<double>(
      checked_multiply(detail::positive_count("d_model", layer.d_model), detail::positive_count("d_ff", layer.d_ff)));
  const auto per_slice = static_cast<double>(detail::positive_count("slice_chips", over.chips));
  const auto total = static_cast<double>(detail::positive_count("slices", over.slices));
  layer_backward_times times;
  times.math = flops{8 * tokens * weights} / (peak_rate(chip, dtype::bf16) * (per_slice * total));
  if (over.slices > 1)
    times.dcn = bytes{4 * weights} * all_reduce_share(total, member_share::whole) / (dcn_rate(chip) * per_slice);
  return times;
}

/// Bytes that a layer of two bf16 matrices moves forward and backward, an all-reduce counted twice.
struct layer_traffic {
  bytes data{};    ///< gradients reduced
  bytes fsdp{};    ///< weights gathered forward, gathered and scattered backward
  bytes tensor{};  ///< activations gathered and scattered both ways
};

/// The bytes of a layer under data parallelism, FSDP and tensor parallelism. Worked: D 8192, F 28672, 2^20 tokens:
/// 1879048192, 2818572288 and 68719476736 B.
[[nodiscard]] constexpr layer_traffic traffic_of_layer(const mlp_layer& layer) {
  const double weights = static_cast<double>(
      checked_multiply(detail::positive_count("d_model", layer.d_model), detail::positive_count("d_ff", layer.d_ff)));
  const double activations =
      static_cast<double>(checked_multiply(detail::positive_count("batch_tokens", layer.batch_tokens), layer.d_model));
  return {bytes{8 * weights}, bytes{12 * weights}, bytes{8 * activations}};
}

/// The time that pipeline stages take to pass on the activations of a step.
struct pipeline_transfer {
  seconds per_hop{};  ///< one microbatch from one stage to the next
  seconds total{};    ///< all hops on the critical path
};

/// A pipeline's microbatches in one step and its stages.
struct pipeline_shape {
  std::int64_t microbatches = 0;  ///< of a step
  std::int64_t stages = 0;        ///< 2 or more
};

/// The transfer time of a step whose stages are joined at that bandwidth. Worked: 2 Mi tokens, D 8192, 400 GB/s, 32
/// microbatches, 8 stages: 2.68 ms a hop, 102 ms in all.
[[nodiscard]] constexpr pipeline_transfer pipeline_transfer_time(std::int64_t batch_tokens, std::int64_t d_model,
                                                                 bytes_per_second between_stages,
                                                                 const pipeline_shape& pipeline) {
  detail::positive("between_stages", between_stages.value());
  const auto pieces = static_cast<double>(detail::positive_count("microbatches", pipeline.microbatches));
  if (pipeline.stages < 2) detail::fail(errc::invalid_argument, "stages", pipeline.stages, "2 or more");
  const double activations = static_cast<double>(checked_multiply(detail::positive_count("batch_tokens", batch_tokens),
                                                                  detail::positive_count("d_model", d_model)));
  const seconds hop = bytes{2 * activations / pieces} / between_stages;
  return {hop, hop * (pieces + static_cast<double>(pipeline.stages) - 2)};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/training/advice.hpp

#ifndef TPUPLAN_ESTIMATE_TRAINING_ADVICE_HPP
#define TPUPLAN_ESTIMATE_TRAINING_ADVICE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// What in a model, batch or layout wastes chip time, and what a change would gain. Both come from estimates of the
/// step as it is and with the change, not from rules.

namespace tpuplan {
inline namespace abi_0 {

/// Kinds of waste. Enumerators and their names are stable.
enum class finding_kind : std::uint8_t {
  batch,       ///< a chip has fewer tokens than its arithmetic or its collectives need
  dimension,   ///< a width does not fill the MXU, or heads do not fill its lanes
  heads,       ///< heads do not divide by a tensor degree that would be faster
  vocabulary,  ///< the vocabulary does not fill the MXU
  layout,      ///< another data x FSDP x tensor layout of the same devices is faster
  remat,       ///< a remat policy that recomputes less fits and is faster
  wraparound,  ///< some axes are not rings; a larger slice of the generation has only rings
  slices,      ///< traffic between slices is exposed
  microbatch,  ///< HBM has room for fewer microbatches, which take less time
};

/// "batch" and so on.
[[nodiscard]] constexpr std::string_view name(finding_kind kind) noexcept {
  constexpr const char* names[] = {"batch", "dimension",  "heads",  "vocabulary", "layout",
                                   "remat", "wraparound", "slices", "microbatch"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// A model, the step that trains it, its layout and the slice: what an estimate of a training step takes.
struct training_case {
  transformer model{};  ///< what is trained
  training_job job{};   ///< one step of the training
  layout mesh{};        ///< how model and batch are sharded
  slice where{};        ///< each of the slices
};

/// One waste, and what a change gains: gain = 1 - step_time_then / (work x step_time_now).
struct finding {
  finding_kind kind = finding_kind::batch;  ///< what is wasted
  text<40> subject{};                       ///< the field to change
  text<64> now{};                           ///< its value
  text<64> better{};                        ///< the value advised
  seconds step_time_now{};                  ///< of the job as it is
  seconds step_time_then{};                 ///< of the job with the change
  double work = 1;                          ///< ratio of useful FLOPs per step and chip, then over now
  double gain = 0;                          ///< share of chip time that is saved for the same useful FLOPs
  training_case then{};                     ///< of the job with the change
};

/// Findings, the largest gain first.
struct findings {
  std::array<finding, 16> items{};  ///< the first `count` are set
  std::size_t count = 0;            ///< findings

  /// @{
  /// The findings as a range.
  [[nodiscard]] constexpr const finding* begin() const noexcept { return items.data(); }
  [[nodiscard]] constexpr const finding* end() const noexcept { return items.data() + count; }
  /// @}
};

/// Gains below this share are left out: half a percent.
inline constexpr double smallest_gain = 0.005;

/// Tokens of a step per chip below which a layout is not limited by arithmetic, at peak rates and with perfect overlap.
/// It is the larger of `critical_batch` (weights from HBM) and, where weights or gradients go over ICI, of
/// `data_parallel_tokens_per_chip` over all axes, doubled where axes are not rings. Tensor parallelism divides both.
/// Throws for a model or a layout that `validate` refuses. Worked: 850 for a dense model with FSDP over v5p-128, 5100
/// over v6e-64, whose axes are not rings. Source: scaling book, "Training".
[[nodiscard]] constexpr double critical_tokens_per_chip(const transformer& model, const layout& mesh,
                                                        const slice& where) {
  validate(model);
  validate(mesh, where);
  const double routed = has_experts(model) ? static_cast<double>(model.moe.experts) /
                                                 static_cast<double>(checked_multiply(model.moe.top_k, mesh.expert))
                                           : 1;
  const double spread = routed > 1 ? routed : 1;
  const double arithmetic =
      static_cast<double>(checked_multiply(critical_batch(where.chip), where.chip.jax_devices)) * spread;
  double traffic = 0;
  if (checked_multiply(mesh.fsdp, mesh.data) > 1) {
    const double open = fully_wrapped(where).value_or(true) ? 1 : 2;
    traffic = open * data_parallel_tokens_per_chip(where.chip, where.chip.ici.axes, spread);
  }
  return (traffic > arithmetic ? traffic : arithmetic) / static_cast<double>(mesh.tensor);
}

namespace detail {

/// The job as it is, which every change is compared with.
struct advice_base {
  training_case now{};
  calibration constants{};
  seconds step{};
  verdict fit = verdict::no;
};

/// Model FLOPs per step and chip, with logits for predicted tokens only, of the model `counted`, which has no padding.
constexpr double useful_work(const transformer& counted, const training_case& asked) {
  const forward_flops forward = forward_flops_per_token(counted, asked.job.sequence_length);
  const flops per_token = forward.total - (1 - asked.job.logits_fraction) * forward.logits;
  return 3 * per_token.value() * static_cast<double>(tokens_per_step(asked.job)) /
         static_cast<double>(checked_multiply(chips(asked.where), slices(asked.mesh)));
}

/// Whether heads and batch divide over the layout, the two things that `validate` may refuse in the cases tried here.
constexpr bool divides(const training_case& asked) {
  return heads_divide(asked.model, asked.mesh.tensor) &&
         batch_divides(asked.mesh, asked.job.global_batch, asked.job.gradient_accumulation);
}

/// Makes the case the best finding where it gains more and fits no less surely than the present job. Useful FLOPs are
/// those of the model `counted`, which has no padding.
constexpr void improve(finding& best, const advice_base& base, const training_case& then, const transformer& counted) {
  if (!divides(then)) return;
  const seconds step = step_time(then.model, then.job, then.mesh, then.where, base.constants).total;
  const double work = useful_work(counted, then) / useful_work(base.now.model, base.now);
  const double gain = 1 - step / base.step / work;
  if (!gains_more(best, gain, smallest_gain)) return;
  if (!fits_as_surely(fits(memory_use(then.model, then.job, then.mesh, then.where)), base.fit)) return;
  best.step_time_now = base.step;
  best.step_time_then = step;
  best.work = work;
  best.gain = gain;
  best.then = then;
}

constexpr void improve(finding& best, const advice_base& base, const training_case& then) {
  improve(best, base, then, then.model);
}

/// The degrees that are searched, as "data 2 x fsdp 16 x tensor 4".
constexpr text<64> words_of(const layout& mesh) {
  text<64> words;
  const auto append = [&words](std::string_view label, std::int64_t degree) {
    if (degree > 1) words.append(words.empty() ? "" : " x ").append(label).append(degree);
  };
  append("data ", mesh.data);
  append("fsdp ", mesh.fsdp);
  append("tensor ", mesh.tensor);
  return words.empty() ? text<64>{"one device"} : words;
}

/// Where a chip has fewer than the critical number of tokens: tries doubling the batch until it has as many, as far as
/// that fits.
constexpr finding batch_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::batch, "training_job.global_batch");
  training_case then = base.now;
  const double critical = critical_tokens_per_chip(then.model, then.mesh, then.where);
  const auto all_chips = static_cast<double>(checked_multiply(chips(then.where), slices(then.mesh)));
  while (static_cast<double>(tokens_per_step(then.job)) / all_chips < critical) {
    then.job.global_batch = checked_multiply(then.job.global_batch, 2);
    if (fits(memory_use(then.model, then.job, then.mesh, then.where)) == verdict::no) break;
    improve(best, base, then);
  }
  best.now = words_of(base.now.job.global_batch);
  best.better = words_of(best.then.job.global_batch);
  return best;
}

/// How many widths of a model should fill the MXU.
inline constexpr std::int32_t width_count = 4;
constexpr std::string_view width_name(std::int32_t which) noexcept {
  constexpr const char* names[] = {"model.d_model", "model.mlp.d_ff", "model.moe.expert_d_ff", "model.moe.shared_d_ff"};
  return name_of(names, static_cast<std::size_t>(which));
}
constexpr std::int64_t& width_at(transformer& model, std::int32_t which) noexcept {
  return which == 0   ? model.d_model
         : which == 1 ? model.mlp.d_ff
         : which == 2 ? model.moe.expert_d_ff
                      : model.moe.shared_d_ff;
}

/// For a width that is not a multiple of the MXU's side on each tensor shard: tries the multiples below and above that
/// are within a quarter of it. The model changes, so gains are for the same model FLOPs.
constexpr finding width_finding(const advice_base& base, std::int32_t which) {
  auto best = finding_of<finding>(finding_kind::dimension, width_name(which));
  training_case then = base.now;
  const std::int64_t width = width_at(then.model, which);
  const std::int64_t side = positive_count("chip.mxu.side", then.where.chip.mxu.side);
  const std::int64_t unit = which == 0 ? side : checked_multiply(side, then.mesh.tensor);
  if (width % unit == 0) return best;
  for (const std::int64_t multiple : {width / unit * unit, round_up(width, unit)}) {
    const std::int64_t change = multiple > width ? multiple - width : width - multiple;
    if (multiple == 0 || change > width / 4) continue;
    width_at(then.model, which) = multiple;
    improve(best, base, then);
  }
  best.now = words_of(width);
  best.better = words_of(width_at(best.then.model, which));
  return best;
}

/// For heads whose size is not a multiple of the 128 lanes: tries fewer and larger heads of the same total width, KV
/// heads likewise. Skips latent attention and models with heads of two sizes.
constexpr finding head_size_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::dimension, "model.attention.head_dim");
  training_case then = base.now;
  attention_spec& attention = then.model.attention;
  if (has_latent_attention(then.model) || attention.global_head_dim > 0 || attention.head_dim % 128 == 0) return best;
  const std::int64_t size = round_up(attention.head_dim, 128);
  const std::int64_t width = checked_multiply(attention.heads, attention.head_dim);
  const std::int64_t kv_width = checked_multiply(attention.kv_heads, attention.head_dim);
  if (width % size != 0 || kv_width % size != 0 || width / size % (kv_width / size) != 0) return best;
  const auto words = [](const attention_spec& of) {
    return text<64>{}.append(of.heads).append(" heads of ").append(of.head_dim);
  };
  best.now = words(attention);
  attention.head_dim = size;
  attention.heads = width / size;
  attention.kv_heads = kv_width / size;
  if (attention.global_kv_heads <= attention.heads) improve(best, base, then);
  best.better = words(attention);
  return best;
}

/// A number of KV heads for that many heads that divides over the tensor degree, or is copied evenly.
constexpr std::int64_t kv_heads_for(const attention_spec& attention, std::int64_t heads, std::int64_t tensor) {
  if (attention.kv_heads == attention.heads) return heads;
  const std::int64_t wanted = attention.kv_heads < tensor ? attention.kv_heads : round_up(attention.kv_heads, tensor);
  return tensor % wanted == 0 || wanted % tensor == 0 ? wanted : tensor;
}

/// For tensor degrees that do not divide the heads: tries heads of zeros added until they do. Their FLOPs are not
/// useful.
constexpr finding heads_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::heads, "model.attention.heads");
  const layout& given = base.now.mesh;
  const std::int64_t shards = checked_multiply(given.data, given.fsdp, given.tensor);
  const attention_spec& given_heads = base.now.model.attention;
  for (std::int64_t tensor = 2; tensor < 2 * given_heads.heads && shards % tensor == 0; tensor *= 2) {
    training_case then = base.now;
    then.mesh.tensor = tensor;
    then.mesh.data = shards / tensor % given.data == 0 ? given.data : 1;
    then.mesh.fsdp = shards / tensor / then.mesh.data;
    if (divides(then)) continue;
    attention_spec& heads = then.model.attention;
    heads.heads = round_up(given_heads.heads, tensor);
    heads.kv_heads = kv_heads_for(given_heads, heads.heads, tensor);
    if (heads.heads == given_heads.heads || heads.heads % heads.kv_heads != 0) continue;
    improve(best, base, then, base.now.model);
  }
  const auto words = [](const training_case& of) {
    return text<64>{}.append(of.model.attention.heads).append(" heads, tensor ").append(of.mesh.tensor);
  };
  best.now = words(base.now);
  best.better = words(best.then);
  return best;
}

/// For a vocabulary that is not a multiple of the MXU's side on each tensor shard: the multiple above takes nearly the
/// same time. The gain is per model FLOP, because the padded rows, which are computed anyway, can hold tokens.
constexpr finding vocabulary_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::vocabulary, "model.vocab");
  training_case then = base.now;
  const std::int64_t unit =
      checked_multiply(positive_count("chip.mxu.side", then.where.chip.mxu.side), then.mesh.tensor);
  then.model.vocab = round_up(then.model.vocab, unit);
  improve(best, base, then);
  best.now = words_of(base.now.model.vocab);
  best.better = words_of(then.model.vocab);
  return best;
}

/// Tries every data x FSDP x tensor layout of the same devices; expert, context and pipeline degrees and slices stay.
constexpr finding layout_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::layout, "layout");
  training_case then = base.now;
  const std::int64_t shards = checked_multiply(then.mesh.data, then.mesh.fsdp, then.mesh.tensor);
  for_each_divisor(shards, [&](std::int64_t tensor) {
    if (tensor > then.model.attention.heads) return;
    for_each_divisor(shards / tensor, [&](std::int64_t data) {
      then.mesh.tensor = tensor;
      then.mesh.data = data;
      then.mesh.fsdp = shards / tensor / data;
      improve(best, base, then);
    });
  });
  best.now = words_of(base.now.mesh);
  best.better = words_of(best.then.mesh);
  return best;
}

/// Tries every named policy that keeps its tensors in HBM: `step_time` does not count transfers to hosts.
constexpr finding remat_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::remat, "training_job.remat");
  training_case then = base.now;
  const layer_widths widths = widths_of(then.model);
  for (const named_remat_policy& candidate : remat_policies) {
    if (saved_width(widths, candidate.policy, placement::host) > 0) continue;
    then.job.remat = candidate.policy;
    improve(best, base, then);
  }
  best.now = name(base.now.job.remat);
  best.better = name(best.then.job.remat);
  return best;
}

/// The smallest slice of the same generation that is a multiple of this one and has only rings; nothing where this one
/// has only rings, where that is unknown, or where the chip is not in the table.
constexpr maybe<slice> nearest_wrapped(const slice& where) {
  if (chips(where) == 1 || fully_wrapped(where).value_or(true)) return nothing;
  maybe<slice> best = nothing;
  for (const slice_row& row : slices_of(where.chip.name)) {
    if (chips(row) <= chips(where) || chips(row) % chips(where) != 0) continue;
    if (best.has_value() && chips(row) >= chips(*best)) continue;
    const slice candidate = to_slice(where.chip, row);
    if (schedulable(candidate) && fully_wrapped(candidate).value_or(false)) best = candidate;
  }
  return best;
}

/// Tries the nearest slice that has only rings, with a batch that grows with the chips. Jobs on several slices are left
/// to `slices_finding`.
constexpr finding wraparound_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::wraparound, "slice");
  const maybe<slice> wrapped = nearest_wrapped(base.now.where);
  if (!wrapped || slices(base.now.mesh) > 1) return best;
  training_case then = base.now;
  then.where = *wrapped;
  const std::int64_t times = chips(then.where) / chips(base.now.where);
  std::int64_t& degree = then.mesh.fsdp == 1 && then.mesh.data > 1 ? then.mesh.data : then.mesh.fsdp;
  degree = checked_multiply(degree, times);
  then.job.global_batch = checked_multiply(then.job.global_batch, times);
  improve(best, base, then);
  best.now = name(base.now.where).view();
  best.better = name(then.where).view();
  return best;
}

/// Where traffic between slices is exposed: tries as many chips in fewer, larger slices, with weights or batch sharded
/// over them; and, where a slice has too few tokens to hide that traffic, fewer slices of the same size.
constexpr finding slices_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::slices, "slices");
  const layout& given = base.now.mesh;
  if (given.dcn_data == 1) return best;
  const auto tokens = static_cast<double>(tokens_per_step(base.now.job));
  const bool too_few = tokens / static_cast<double>(slices(given)) < dcn_tokens_per_slice(base.now.where.chip);
  for_each_divisor(given.dcn_data, [&](std::int64_t times) {
    if (times == 1) return;
    training_case then = base.now;
    then.mesh.dcn_data = given.dcn_data / times;
    if (too_few) improve(best, base, then);
    const maybe<slice> larger = find_slice_of_size(then.where.chip, checked_multiply(chips(then.where), times));
    if (!larger) return;
    then.where = *larger;
    then.mesh.fsdp = checked_multiply(given.fsdp, times);
    improve(best, base, then);
    then.mesh.fsdp = given.fsdp;
    then.mesh.data = checked_multiply(given.data, times);
    improve(best, base, then);
  });
  const auto words = [](const training_case& of) {
    return text<64>{}.append(slices(of.mesh)).append(" x ").append(name(of.where).view());
  };
  best.now = words(base.now);
  best.better = words(best.then);
  return best;
}

/// Tries every smaller number of microbatches that divides the given one.
constexpr finding microbatch_finding(const advice_base& base) {
  auto best = finding_of<finding>(finding_kind::microbatch, "training_job.gradient_accumulation");
  training_case then = base.now;
  const std::int64_t given = base.now.job.gradient_accumulation;
  for_each_divisor(given, [&](std::int64_t pieces) {
    then.job.gradient_accumulation = pieces;
    if (pieces < given) improve(best, base, then);
  });
  best.now = words_of(given);
  best.better = words_of(best.then.job.gradient_accumulation);
  return best;
}

}  // namespace detail

/// What in a training job wastes chip time, the largest gain first. Each finding is one change alone, estimated by
/// `step_time` with the same constants, which gains half a percent or more and fits no less surely than the present
/// job. Throws where `step_time` throws. Worked: llama-3-8b on v5p-128, 64 sequences of 4096 tokens under `full`, has
/// HBM for a lighter policy; its 4096 tokens per chip are above the critical 850.
[[nodiscard]] constexpr findings training_advice(const transformer& model, const training_job& job, const layout& mesh,
                                                 const slice& where, const calibration& constants = {}) {
  detail::advice_base base;
  base.now = {model, job, mesh, where};
  base.constants = constants;
  base.step = step_time(model, job, mesh, where, constants).total;
  base.fit = fits(memory_use(model, job, mesh, where));
  findings all;
  detail::add(all, detail::batch_finding(base));
  for (std::int32_t which = 0; which < detail::width_count; ++which)
    detail::add(all, detail::width_finding(base, which));
  detail::add(all, detail::head_size_finding(base));
  detail::add(all, detail::vocabulary_finding(base));
  const finding other_layout = detail::layout_finding(base);
  detail::add(all, other_layout);
  const finding more_heads = detail::heads_finding(base);
  if (more_heads.gain > other_layout.gain) detail::add(all, more_heads);
  detail::add(all, detail::remat_finding(base));
  detail::add(all, detail::wraparound_finding(base));
  detail::add(all, detail::slices_finding(base));
  detail::add(all, detail::microbatch_finding(base));
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/training/sums.hpp

#ifndef TPUPLAN_ESTIMATE_TRAINING_SUMS_HPP
#define TPUPLAN_ESTIMATE_TRAINING_SUMS_HPP

/// @file
/// The terms of a step added up, for callers (the planner) that need the total time of very many steps, without parts.

namespace tpuplan {
inline namespace abi_0 {

/// The work terms added up by what they grow with; the time of a step depends only on these sums.
struct work_sums {
  seconds per_token{};       ///< per token of a chip
  seconds per_microbatch{};  ///< per microbatch: traffic of products' weights
  seconds weight_reads{};    ///< see work_terms
  seconds weight_update{};   ///< see work_terms
  seconds attention{};       ///< per token of a chip; also part of per_token
  double tensor_passes = 1;  ///< see work_terms
  double expert_passes = 1;  ///< see work_terms
};

/// The sums of the terms of one chip. Worked: dense products of 1 us, logits of 2 us and attention of 3 us per token
/// are 6 us per token, of which attention is 3 us.
[[nodiscard]] constexpr work_sums sum_of(const work_terms& terms) noexcept {
  return {terms.dense_products + terms.expert_products + terms.logits + terms.attention + terms.vision +
              terms.elementwise + terms.scores + terms.operands + terms.dispatch,
          terms.operand_weights,
          terms.weight_reads,
          terms.weight_update,
          terms.attention,
          terms.tensor_passes,
          terms.expert_passes};
}

/// The time of a step of that many microbatches, equal to `step_time(...).total`. The step waits for the exposed part
/// of its traffic, or for what the work cannot hide: work + max(exposed, whole - work) = max(work + exposed, whole).
/// Each maximum grows with all of its terms, so that the least terms of several policies give a lower bound for all of
/// them. Worked: 1000 tokens of 6 us, with 2 ms of exposed FSDP traffic in each of 2 microbatches and 50 ms once for
/// weights that are updated on 10 shards, take 6 + 4 + 5 = 15 ms.
[[nodiscard]] constexpr seconds time_of(const work_sums& work, const layout_terms& at, double microbatches) noexcept {
  const seconds on_chip = at.tokens * (work.per_token + at.imbalance * work.attention) +
                          work.weight_update / at.weight_shards +
                          microbatches * (work.per_microbatch + at.gathered_share * work.weight_reads);
  const double hidden = at.hidden_by_work ? 1 : 0;
  const seconds base = max(on_chip + at.data.exposed + microbatches * at.fsdp.exposed,
                           hidden * (at.data.whole + microbatches * at.fsdp.whole)) +
                       work.tensor_passes * at.tensor.exposed + work.expert_passes * at.expert.exposed +
                       at.context.exposed + microbatches * at.overhead;
  const seconds run = base * (1 + at.bubble);
  const seconds dcn = at.dcn_once + microbatches * at.dcn_each;
  // Half of the run is the backward pass, which hides the traffic between slices.
  const seconds waited = max(run * (1 + at.jitter) + at.dcn_exposed * dcn, hidden * (run * (0.5 + at.jitter) + dcn));
  return (waited + at.host_exposed * (at.host_once + microbatches * at.host_each)) * at.software;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/estimate/training.hpp

#ifndef TPUPLAN_ESTIMATE_TRAINING_HPP
#define TPUPLAN_ESTIMATE_TRAINING_HPP

/// @file
/// Training as calibrated on published runs: the time of a step, its memory, what would make it faster.

#endif

// tpuplan/handbook/attention.hpp

#ifndef TPUPLAN_HANDBOOK_ATTENTION_HPP
#define TPUPLAN_HANDBOOK_ATTENTION_HPP

#include <cstdint>

/// @file
/// The attention core, fused: FLOPs per byte of queries, keys, values and outputs, in prefill and in decode.

namespace tpuplan {
inline namespace abi_0 {

/// One sequence in one layer. `queries` is the whole prompt in prefill and 1 in decode.
struct attention_shape {
  std::int64_t queries = 0;            ///< query rows
  std::int64_t context = 0;            ///< keys that each query sees, none masked
  std::int64_t heads_per_kv_head = 1;  ///< 1: multi-head; more: grouped queries
};

/// FLOPs per byte of the attention core whose scores stay on the chip. For T queries that see S keys, with G query
/// heads of size H to a KV head, 4 T S G H FLOPs are done, and queries, outputs, keys and values move once: T S G / (T
/// G + S) in bf16. Worked: 0.99988 for one query on 8192 keys, 7.992 with 8 heads per KV head, 240 for a prompt of 480
/// tokens. Source: scaling book, "Inference" (2025-12-15).
[[nodiscard]] constexpr flops_per_byte attention_intensity(const attention_shape& shape,
                                                           dtype activations = dtype::bf16, dtype cache = dtype::bf16) {
  const auto queries = static_cast<double>(detail::positive_count("queries", shape.queries));
  const auto context = static_cast<double>(detail::positive_count("context", shape.context));
  const auto group = static_cast<double>(detail::positive_count("heads_per_kv_head", shape.heads_per_kv_head));
  return flops{4 * queries * context * group} /
         (size_of(activations) * (2 * queries * group) + size_of(cache) * (2 * context));
}

/// The prompt, in tokens and not rounded, whose attention reaches the intensity I in prefill: in bf16 I (G + 1) / G
/// with G query heads to a KV head. Worked: 480 for 240 FLOP/B with one query head per KV head, 270 with eight. Source:
/// scaling book, "Inference".
[[nodiscard]] constexpr double balance_prompt(flops_per_byte intensity, std::int64_t heads_per_kv_head = 1,
                                              dtype activations = dtype::bf16, dtype cache = dtype::bf16) {
  detail::positive("intensity", intensity.value());
  const auto group = static_cast<double>(detail::positive_count("heads_per_kv_head", heads_per_kv_head));
  return intensity.value() * (size_of(activations).value() * group + size_of(cache).value()) / (2 * group);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/batches.hpp

#ifndef TPUPLAN_HANDBOOK_BATCHES_HPP
#define TPUPLAN_HANDBOOK_BATCHES_HPP

#include <cstdint>

/// @file
/// Batches over replicas, and the steps that a data set has in them.

namespace tpuplan {
inline namespace abi_0 {

/// Global batch of synchronous data parallelism: what one replica takes, times the replicas.
/// Worked: 128 per core on the 8 cores of v3-8 is 1024.
[[nodiscard]] constexpr std::int64_t global_batch(std::int64_t per_replica, std::int64_t replicas) {
  return checked_multiply(detail::positive_count("per_replica batch", per_replica),
                          detail::positive_count("replicas", replicas));
}

/// What one replica takes of a global batch. Throws `errc::not_divisible` where it does not divide.
/// Worked: 1024 over 8 replicas is 128.
[[nodiscard]] constexpr std::int64_t batch_per_replica(std::int64_t global, std::int64_t replicas) {
  detail::positive_count("global batch", global);
  detail::positive_count("replicas", replicas);
  if (global % replicas != 0) {
    detail::fail(errc::not_divisible, "global batch", global, "a multiple of the number of replicas");
  }
  return global / replicas;
}

/// The next multiple of 128, which fills sublanes and lanes. Worked: recommended_multiple(1000) = 1024.
/// Source: Google Cloud "Cloud TPU performance guide" (batch sizes in multiples of 128).
[[nodiscard]] constexpr std::int64_t recommended_multiple(std::int64_t batch) {
  return round_up(detail::positive_count("batch", batch), 128);
}

/// What happens to the examples that do not fill a last batch.
enum class remainder : std::uint8_t { drop, keep };

/// Steps in one pass over a data set. Worked: 60000 examples in batches of 1024 are 58 steps, 59 if the rest is kept.
[[nodiscard]] constexpr std::int64_t steps_per_epoch(std::int64_t examples, std::int64_t batch,
                                                     remainder last = remainder::drop) {
  detail::positive_count("examples", examples);
  detail::positive_count("global batch", batch);
  return last == remainder::drop ? examples / batch : ceil_div(examples, batch);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/intensity.hpp

#ifndef TPUPLAN_HANDBOOK_INTENSITY_HPP
#define TPUPLAN_HANDBOOK_INTENSITY_HPP

#include <cstdint>

/// @file
/// Arithmetic intensity where more than the weights of one product counts as traffic: tiles, batched weights,
/// activations, work that grows with a count.

namespace tpuplan {
inline namespace abi_0 {

/// FLOPs per byte of a product in which every batch element has its own weights: never above 2 / bytes of a weight.
/// Worked: 1.999 for [64, 4096, 4096] in int8. Source: scaling book, "Rooflines", exercise.
[[nodiscard]] constexpr flops_per_byte batched_weights_intensity(const product_shape& product,
                                                                 const product_dtypes& types) {
  const auto batch = static_cast<double>(detail::positive_count("batch", product.batch));
  const product_shape one{1, product.inner, product.outer};
  return flops_of(one) * batch / (bytes_of(one, types) * batch);
}

/// FLOPs per byte of a product that is done in tiles of m x n results, whose operands stream from memory while the
/// results stay: m n / (m + n) in bf16, whatever the inner dimension. Worked: 256 for tiles of 512 x 512.
[[nodiscard]] constexpr flops_per_byte tiled_intensity(std::int64_t tile_rows, std::int64_t tile_columns,
                                                       dtype type = dtype::bf16) {
  const auto rows = static_cast<double>(detail::positive_count("tile_rows", tile_rows));
  const auto columns = static_cast<double>(detail::positive_count("tile_columns", tile_columns));
  return flops{2 * rows * columns} / (size_of(type) * (rows + columns));
}

/// Work that grows with a count, of tokens or of sequences, on top of bytes that move once for all of them.
struct growing_work {
  bytes once{};               ///< moved once, such as the weights
  flops flops_per_element{};  ///< arithmetic for each
  bytes bytes_per_element{};  ///< moved for each, such as activations or a sequence's cache
};

/// The count, not rounded, at which the arithmetic of such work takes as long as its traffic: (once / W) / (flops / C -
/// bytes / W). Nothing where no count suffices, which happens on slow links and with large caches.
/// Worked: 270.97 for 67 MB once, 130 MFLOP and 20 kB each at 394e12 and 810e9. Source: scaling book, "TPUs".
[[nodiscard]] constexpr maybe<double> critical_count(const chip_spec& chip, const growing_work& work,
                                                     dtype compute = dtype::bf16,
                                                     memory_level from = memory_level::hbm) {
  detail::positive("once", work.once.value());
  detail::positive("flops_per_element", work.flops_per_element.value());
  detail::not_negative("bytes_per_element", work.bytes_per_element.value());
  const bytes_per_second rate = bandwidth(chip, from);
  const flops_per_second peak = peak_rate(chip, compute);
  detail::positive("peak rate", peak.value());
  const seconds gain = work.flops_per_element / peak - work.bytes_per_element / rate;
  if (gain <= seconds{0}) return nothing;
  return work.once / rate / gain;
}

/// The batch in tokens, not rounded, at which arithmetic and traffic of [B,D] x [D,F] take the same time, where
/// weights, activations and results all count as traffic: (s_w D F / W) / (2 D F / C - (s_a D + s_o F) / W). Nothing
/// where no batch suffices, which happens on slow links. Worked: 262.71 for int8 [B,4096]x[4096,16384] at 394e12 and
/// 810e9; 258.88 with the table's v5e.
[[nodiscard]] constexpr maybe<double> critical_batch_with_activations(const chip_spec& chip, std::int64_t inner,
                                                                      std::int64_t outer, const product_dtypes& types,
                                                                      memory_level from = memory_level::hbm) {
  const auto d = static_cast<double>(detail::positive_count("inner", inner));
  const auto f = static_cast<double>(detail::positive_count("outer", outer));
  const growing_work work{size_of(types.weights) * (d * f), flops{2 * d * f},
                          size_of(types.activations) * d + size_of(types.output) * f};
  return critical_count(chip, work, types.compute, from);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/link.hpp

#ifndef TPUPLAN_HANDBOOK_LINK_HPP
#define TPUPLAN_HANDBOOK_LINK_HPP

#include <array>
#include <cstddef>
#include <cstdint>

/// @file
/// Sending from one chip to another: hops, the time to the first byte and the time of the rest; and each chip's share
/// of its host's network card.

namespace tpuplan {
inline namespace abi_0 {

/// The place of a chip in its slice.
struct chip_position {
  std::array<std::int32_t, 3> at{0, 0, 0};  ///< its coordinate along each axis, from 0
};

namespace detail {

/// The length of the shortest way along one axis, and in how many directions a way is that short.
struct axis_way {
  std::int64_t hops = 0;
  std::int64_t directions = 0;
};

constexpr axis_way way_along(const slice& where, const chip_position& from, const chip_position& to, std::size_t axis) {
  const std::int64_t length = positive_count("slice.shape", where.shape.dims[axis]);
  const std::int64_t a = from.at[axis];
  const std::int64_t b = to.at[axis];
  for (const std::int64_t position : {a, b}) {
    if (position < 0 || position >= length)
      fail(errc::out_of_range, "chip_position.at", position, "0 to the axis' length less 1");
  }
  const std::int64_t straight = a < b ? b - a : a - b;
  if (straight == 0) return {};
  const std::int64_t around = length - straight;
  if (straight < around || !wraparound(where)[axis].value("wraparound of the slice")) return {straight, 1};
  return {around, straight == around ? 2 : 1};
}

}  // namespace detail

/// Hops on the shortest way between two chips: min(d, n - d) along an axis of n that wraps, d along one that does not.
/// Throws for positions outside of the slice, and where the answer depends on a wraparound that is unknown.
/// Twisted shapes are counted as plain ones. Worked: 8 from (0, 0) to (13, 5) of v5litepod-256.
/// Source: scaling book, "TPU networking".
[[nodiscard]] constexpr std::int64_t hops(const slice& where, const chip_position& from, const chip_position& to) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) sum += detail::way_along(where, from, to, axis).hops;
  return sum;
}

/// Links on which a shortest way leaves the sender: one per axis to be crossed, two where both directions are equally
/// short. Worked: 2 from corner to corner of v5litepod-16, 4 from (0, 0) to (8, 8) of v5litepod-256.
[[nodiscard]] constexpr std::int64_t shortest_ports(const slice& where, const chip_position& from,
                                                    const chip_position& to) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) sum += detail::way_along(where, from, to, axis).directions;
  return sum;
}

/// Hops between the two chips that are farthest apart: n/2 along an axis that wraps, n - 1 along one that does not.
/// Throws where a wraparound is unknown. Worked: 16 in v5litepod-256, 6 in v5litepod-16.
[[nodiscard]] constexpr std::int64_t farthest_hops(const slice& where) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t length = detail::positive_count("slice.shape", where.shape.dims[axis]);
    if (length == 1) continue;
    sum += wraparound(where)[axis].value("wraparound of the slice") ? length / 2 : length - 1;
  }
  return sum;
}

/// Time until the first byte has crossed that many hops. Worked: 6 us over 6 hops.
[[nodiscard]] constexpr seconds first_byte_time(std::int64_t hop_count, seconds per_hop = ici_hop_latency) {
  detail::count_from("hops", hop_count, 0);
  detail::positive("latency per hop", per_hop.value());
  return per_hop * static_cast<double>(hop_count);
}

/// Sending an array from one chip to another: first_byte + streaming = total.
struct send_breakdown {
  std::int64_t hops = 0;   ///< between the chips
  std::int64_t ports = 0;  ///< links of the sender that are used
  seconds first_byte{};    ///< hops x latency of one
  seconds streaming{};     ///< the bytes over the ports
  seconds total{};         ///< of both
};

/// Time to send an array over all shortest ways between two chips of a slice; 0 from a chip to itself. Worked:
/// bf16[8,128,8192] from corner to corner of v5litepod-16: 6 us to the first byte, 186.4 us of streaming over two ports
/// at 45 GB/s. Source: scaling book, "TPUs", exercise.
[[nodiscard]] constexpr send_breakdown send_time(bytes amount, const slice& where, const chip_position& from,
                                                 const chip_position& to, seconds per_hop = ici_hop_latency) {
  detail::positive("amount", amount.value());
  send_breakdown result;
  result.hops = hops(where, from, to);
  result.ports = shortest_ports(where, from, to);
  if (result.hops == 0) return result;
  result.first_byte = first_byte_time(result.hops, per_hop);
  result.streaming = amount / (ici_link_rate(where.chip) * static_cast<double>(result.ports));
  result.total = result.first_byte + result.streaming;
  return result;
}

/// The size of a message below which the latency of a hop takes longer than its bytes: link rate x latency.
/// Worked: 45 kB on v5e. Source: scaling book, "Sharded matrices".
[[nodiscard]] constexpr bytes latency_bound_bytes(const chip_spec& chip, seconds per_hop = ici_hop_latency) {
  detail::positive("latency per hop", per_hop.value());
  return ici_link_rate(chip) * per_hop;
}

/// One-way rates into the data-centre network: of a host, and of each of its chips.
struct network_share {
  bytes_per_second host{};  ///< of the host's network card
  bytes_per_second chip{};  ///< of one chip
};

/// The rate of a host's network card, given in gigabits as it is sold, shared evenly by its chips: `host_spec.dcn`.
/// Worked: 200 Gb/s for 4 chips are 25 GB/s and 6.25 GB/s (v5p). Source: scaling book, "Training".
[[nodiscard]] constexpr network_share network_share_of(double gigabits_per_second, std::int64_t chips_per_host) {
  detail::positive("gigabits_per_second", gigabits_per_second);
  const bytes_per_second host{gigabits_per_second * 1e9 / 8};
  return {host, host / static_cast<double>(detail::positive_count("chips_per_host", chips_per_host))};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/padding.hpp

#ifndef TPUPLAN_HANDBOOK_PADDING_HPP
#define TPUPLAN_HANDBOOK_PADDING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// @file
/// Padding to the side of the MXU and to the tiles in which arrays lie in memory, and what it wastes.

namespace tpuplan {
inline namespace abi_0 {

/// The tile in which the last two dimensions of an array are laid out: sublanes x lanes.
struct tile {
  std::int64_t sublanes = 0;  ///< rows, of the last dimension but one
  std::int64_t lanes = 0;     ///< columns, of the last dimension
};

/// The tile in which XLA lays a format out by default. A tile of a 32-bit type has the rows of a vector register; 8-bit
/// types have four times and 4-bit types eight times as many rows. 16-bit types have twice as many from tpu7x on, and
/// as many as 32-bit types before. The flag xla_tpu_enable_large_2nd_minor_layout_for_x16 changes that: set the chip's
/// `tiling.large_tiles_of_16_bits`.
/// Worked: bf16 has 8 x 128 on v5e, 16 x 128 on tpu7x and 32 x 128 on tpu8t; int8 has 32 x 128 on v5e.
/// Source: jax-ml/jax, tpu_info.py, get_sublane_tiling (2026-08-08).
[[nodiscard]] constexpr tile layout_tile(const chip_spec& chip, dtype type) {
  const std::int64_t sublanes = detail::positive_count("chip.tiling.sublanes", chip.tiling.sublanes);
  const bool halved = bits(type) == 16 && !chip.tiling.large_tiles_of_16_bits;
  return {checked_multiply(sublanes, halved ? 1 : 32 / bits(type)),
          detail::positive_count("chip.tiling.lanes", chip.tiling.lanes)};
}

/// Bytes of one layout tile. Worked: 4096 of int8 on v5e, 2048 of bf16; 4096 of both on tpu7x.
[[nodiscard]] constexpr bytes tile_bytes(const chip_spec& chip, dtype type) {
  const tile unit = layout_tile(chip, type);
  return size_of(type) * static_cast<double>(checked_multiply(unit.sublanes, unit.lanes));
}

/// Bytes of one vector register: its rows and columns of 32-bit words.
/// Worked: 4096, so the 64 registers of a v5p TensorCore hold 262144 B. Source: scaling book, "TPUs" (2025-12-15).
[[nodiscard]] constexpr bytes vector_register_bytes(const chip_spec& chip) { return tile_bytes(chip, dtype::fp32); }

/// The shape of a weight matrix: rows are inputs (contracted), columns are outputs.
struct matrix_shape {
  std::int64_t rows = 0;     ///< inputs
  std::int64_t columns = 0;  ///< outputs
};

/// What padding a matrix costs.
struct padding_cost {
  matrix_shape shape{};         ///< as asked for
  matrix_shape padded{};        ///< to the side of the MXU in both dimensions
  double flop_utilization = 1;  ///< useful share of the MXU's cells
  bytes stored{};               ///< as laid out in tiles
  bytes stored_waste{};         ///< the part that is padding
};

/// Both dimensions rounded up to the side of the chip's MXU. Worked: 100 x 300 becomes 128 x 384 on v5e.
[[nodiscard]] constexpr matrix_shape padded_to_mxu(matrix_shape shape, const chip_spec& chip) {
  const std::int64_t side = detail::positive_count("chip.mxu.side", chip.mxu.side);
  return {round_up(detail::positive_count("rows", shape.rows), side),
          round_up(detail::positive_count("columns", shape.columns), side)};
}

/// Bytes of a matrix as it lies in memory: both dimensions rounded up to the layout tile of its format.
/// Worked: 8 x 1024 in bf16 takes 16384 B on v5e and 32768 B on tpu7x; 100 x 300 lies in 104 x 384 on v5e: 79872 B.
[[nodiscard]] constexpr bytes tiled_bytes(matrix_shape shape, const chip_spec& chip, dtype type) {
  const tile unit = layout_tile(chip, type);
  return size_of(type) *
         static_cast<double>(checked_multiply(round_up(detail::positive_count("rows", shape.rows), unit.sublanes),
                                              round_up(detail::positive_count("columns", shape.columns), unit.lanes)));
}

/// What padding wastes in FLOPs (on the MXU) and in bytes (in memory) for one weight matrix.
/// Worked: 100 x 300 on v5e uses 61 % of the cells, on v6e (256 x 512) 23 %.
[[nodiscard]] constexpr padding_cost padding(matrix_shape shape, const chip_spec& chip, dtype type = dtype::bf16) {
  padding_cost cost{shape, padded_to_mxu(shape, chip), 1, tiled_bytes(shape, chip, type), bytes{}};
  const auto elements = static_cast<double>(checked_multiply(shape.rows, shape.columns));
  cost.flop_utilization = elements / static_cast<double>(checked_multiply(cost.padded.rows, cost.padded.columns));
  cost.stored_waste = cost.stored - size_of(type) * elements;
  return cost;
}

/// A kind of weight matrix of a model, how often it occurs, and how many of those multiply each token.
struct weight_matrix {
  text<24> name{};                  ///< "query", "expert up"
  matrix_shape shape{};             ///< of one such matrix
  std::int64_t count = 0;           ///< such matrices in the model
  std::int64_t used_per_token = 0;  ///< of those, the ones that multiply a token
};

/// At most 24 kinds of weight matrices.
struct weight_matrices {
  std::array<weight_matrix, 24> items{};  ///< the first `size` are set
  std::size_t size = 0;                   ///< kinds

  /// @{
  /// The kinds as a range.
  [[nodiscard]] constexpr const weight_matrix* begin() const noexcept { return items.data(); }
  [[nodiscard]] constexpr const weight_matrix* end() const noexcept { return items.data() + size; }
  /// @}
};

namespace detail {

constexpr void add_matrix(weight_matrices& list, std::string_view name, std::int64_t rows, std::int64_t columns,
                          std::int64_t count, std::int64_t used) {
  if (rows > 0 && columns > 0 && count > 0) list.items[list.size++] = {name, {rows, columns}, count, used};
}

/// Layers of an encoder beside a decoder.
constexpr std::int64_t encoder_layers(const transformer& model) noexcept {
  return model.kind == architecture::encoder_decoder ? model.encoder_layers : 0;
}

/// Adds the matrices of an MLP: up and down. The gate of a gated MLP counts as a second matrix up.
constexpr void add_mlp(weight_matrices& list, const transformer& model, std::string_view up, std::string_view down,
                       std::int64_t d_ff, std::int64_t layers) {
  const std::int64_t ups = (model.mlp.gated ? 2 : 1) * layers;
  add_matrix(list, up, model.d_model, d_ff, ups, ups);
  add_matrix(list, down, d_ff, model.d_model, layers, layers);
}

constexpr void add_attention_matrices(const transformer& model, weight_matrices& list) {
  const attention_spec& attention = model.attention;
  const std::int64_t d = model.d_model;
  const std::int64_t encoders =
      encoder_layers(model);  // cross-attention is in every layer of a decoder with an encoder
  const std::int64_t n = (encoders > 0 ? 2 : 1) * attention_layers(model) + encoders;
  if (has_latent_attention(model)) {
    const latent_attention_spec& latent = attention.latent;
    const std::int64_t q = attention.heads * (latent.qk_nope_head_dim + latent.qk_rope_head_dim);
    if (latent.q_lora_rank > 0) {
      add_matrix(list, "query down", d, latent.q_lora_rank, n, n);
      add_matrix(list, "query up", latent.q_lora_rank, q, n, n);
    } else {
      add_matrix(list, "query", d, q, n, n);
    }
    add_matrix(list, "key and value down", d, latent.kv_lora_rank + latent.qk_rope_head_dim, n, n);
    add_matrix(list, "key and value up", latent.kv_lora_rank,
               attention.heads * (latent.qk_nope_head_dim + latent.v_head_dim), n, n);
    add_matrix(list, "attention output", attention.heads * latent.v_head_dim, d, n, n);
    return;
  }
  add_matrix(list, "query", d, attention.heads * attention.head_dim, n, n);
  add_matrix(list, "key", d, attention.kv_heads * attention.head_dim, n, n);
  add_matrix(list, "value", d, attention.kv_heads * attention.head_dim, n, n);
  if (attention.output_gate) add_matrix(list, "attention gate", d, attention.heads * attention.head_dim, n, n);
  add_matrix(list, "attention output", attention.heads * attention.head_dim, d, n, n);
}

}  // namespace detail

/// The kinds of weight matrices in the text stack of a model, an encoder and cross-attention included. Layers with
/// other head sizes are listed with the usual size.
/// Worked: llama-3-8b has seven kinds in its layers and the output head.
[[nodiscard]] constexpr weight_matrices matrices_of(const transformer& model) {
  validate(model);
  weight_matrices list;
  if (!has_text(model)) return list;
  const std::int64_t d = model.d_model;
  const std::int64_t sparse = moe_layers(model);
  const moe_spec& moe = model.moe;
  const std::int64_t dense = dense_layers(model);
  const std::int64_t wide = model.mlp.double_wide_in_shared ? model.attention.kv_shared_layers : 0;
  const std::int64_t usual = dense - wide + detail::encoder_layers(model);
  detail::add_attention_matrices(model, list);
  const std::int64_t recurrent = model.recurrent.layers;
  detail::add_matrix(list, "recurrence in", d, detail::widths_in(model.recurrent, d).in, recurrent, recurrent);
  detail::add_matrix(list, "recurrence out", model.recurrent.width, d, recurrent, recurrent);
  if (model.mlp.gated) detail::add_matrix(list, "MLP gate", d, model.mlp.d_ff, usual, usual);
  detail::add_matrix(list, "MLP up", d, model.mlp.d_ff, usual, usual);
  detail::add_matrix(list, "MLP down", model.mlp.d_ff, d, usual, usual);
  detail::add_mlp(list, model, "wide MLP up", "wide MLP down", 2 * model.mlp.d_ff, wide);
  detail::add_matrix(list, "router", d, router_width(model), sparse, sparse);
  const std::int64_t up = (model.mlp.gated ? 2 : 1) * sparse;
  detail::add_matrix(list, "expert up", d, moe.expert_d_ff, up * moe.experts, up * moe.top_k);
  detail::add_matrix(list, "expert down", moe.expert_d_ff, d, sparse * moe.experts, sparse * moe.top_k);
  detail::add_mlp(list, model, "shared expert up", "shared expert down", moe.shared_d_ff, sparse);
  detail::add_mlp(list, model, "parallel MLP up", "parallel MLP down", moe.parallel_dense_d_ff, sparse);
  if (model.kind != architecture::encoder) detail::add_matrix(list, "output head", d, model.vocab, 1, 1);
  return list;
}

/// What padding wastes over all weight matrices of a model: useful share of the FLOPs of one token, and stored bytes.
struct model_padding {
  double flop_utilization = 1;  ///< useful share of the MXU's cells
  bytes stored{};               ///< as laid out in tiles
  bytes stored_waste{};         ///< the part that is padding
};

/// Padding summed over `matrices_of` a model. Worked: gpt2 (768 wide, vocabulary 50257) uses 99.97 % on v5e.
[[nodiscard]] constexpr model_padding padding(const transformer& model, const chip_spec& chip,
                                              dtype type = dtype::bf16) {
  model_padding sum;
  double useful = 0;
  double spent = 0;
  for (const weight_matrix& matrix : matrices_of(model)) {
    const padding_cost one = padding(matrix.shape, chip, type);
    const auto used = static_cast<double>(matrix.used_per_token);
    useful += used * static_cast<double>(matrix.shape.rows) * static_cast<double>(matrix.shape.columns);
    spent += used * static_cast<double>(one.padded.rows) * static_cast<double>(one.padded.columns);
    sum.stored += one.stored * static_cast<double>(matrix.count);
    sum.stored_waste += one.stored_waste * static_cast<double>(matrix.count);
  }
  if (spent > 0) sum.flop_utilization = useful / spent;
  return sum;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/placement.hpp

#ifndef TPUPLAN_HANDBOOK_PLACEMENT_HPP
#define TPUPLAN_HANDBOOK_PLACEMENT_HPP

#include <array>
#include <cstddef>
#include <cstdint>

/// @file
/// Where the axes of a mesh lie on the torus: which ICI axes each degree spans, and whether they close into rings
/// there.

namespace tpuplan {
inline namespace abi_0 {

/// One degree of a layout on the torus: its length along each ICI axis. The product of the lengths, times `on_chip`, is
/// the degree.
struct placed_degree {
  text<16> name{};                               ///< as in `layout`: "tensor"
  std::int64_t degree = 1;                       ///< shards or copies
  std::array<std::int32_t, 3> lengths{1, 1, 1};  ///< chips along each ICI axis
  std::int64_t on_chip = 1;                      ///< devices of one chip
  bool rings = true;                             ///< every axis it spans is spanned whole, and wraps
};

/// The degrees inside a slice in the order in which they are placed, the one that communicates most first.
struct torus_placement {
  std::array<placed_degree, 6> degrees{};  ///< unused ones have degree 1
};

namespace detail {

/// Places a degree on whole free axes that divide it, longest first, then on parts of axes.
constexpr void place_degree(placed_degree& placed, std::array<std::int32_t, 3>& free, const slice& where) {
  std::int64_t left = placed.degree / placed.on_chip;
  for (const bool whole_only : {true, false}) {
    for (int round = 0; round < 3 && left > 1; ++round) {
      std::size_t best = 3;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool whole = free[axis] == where.shape.dims[axis] && left % free[axis] == 0;
        if (free[axis] == 1 || (whole_only && !whole) || common_divisor(left, free[axis]) == 1) continue;
        if (best == 3 || free[axis] > free[best]) best = axis;
      }
      if (best == 3) break;
      const auto part = static_cast<std::int32_t>(common_divisor(left, free[best]));
      placed.lengths[best] *= part;
      free[best] /= part;
      left /= part;
    }
  }
  if (left > 1)
    fail(errc::infeasible, "placement of a degree on the torus", placed.degree, "degrees that divide its axes");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (placed.lengths[axis] == 1) continue;
    if (placed.lengths[axis] != where.shape.dims[axis] || !is_ring(where, axis)) placed.rings = false;
  }
}

}  // namespace detail

/// Lays the degrees of a layout on the axes of a slice: tensor first, then context, expert, FSDP, data and pipeline,
/// each on whole axes where it can. The two devices of a chip go to the first degree that is even. Throws where a
/// degree does not fit the free axes. Worked: FSDP 16 x tensor 4 on v5p-128 has tensor on one ring of 4 and FSDP
/// on two.
[[nodiscard]] constexpr torus_placement place_on_torus(const layout& mesh, const slice& where) {
  validate(mesh, where);
  torus_placement result{{{{"tensor", mesh.tensor},
                           {"context", mesh.context},
                           {"expert", mesh.expert},
                           {"fsdp", mesh.fsdp},
                           {"data", mesh.data},
                           {"pipeline", mesh.pipeline}}}};
  std::array<std::int32_t, 3> free = where.shape.dims;
  std::int64_t on_chip = mesh.unit == mesh_unit::devices ? where.chip.jax_devices : 1;
  for (placed_degree& placed : result.degrees) {
    placed.on_chip = detail::common_divisor(placed.degree, on_chip);
    on_chip /= placed.on_chip;
    detail::place_degree(placed, free, where);
  }
  return result;
}

/// The group of chips in which one degree communicates. `all_gather` over the group of the FSDP degree
/// is the time of a gather of weights. Worked: 16 chips for FSDP 16 x tensor 4 on v5p-128.
[[nodiscard]] constexpr collective_group group_of(const placed_degree& placed, const slice& where) {
  return group_spanning(where, placed.lengths);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/recomputation.hpp

#ifndef TPUPLAN_HANDBOOK_RECOMPUTATION_HPP
#define TPUPLAN_HANDBOOK_RECOMPUTATION_HPP

#include <cstdint>

/// @file
/// What is kept for the backward pass, in bytes, and what is computed again, in FLOPs.

namespace tpuplan {
inline namespace abi_0 {

/// Bytes of activations kept between the passes: one number for each of `width`, layer and token.
/// Worked: 41.9 TB for 16e6 tokens of llama-2-13b that keep all MLP outputs (5120 + 2 x 13824) in bf16.
/// Source: scaling book, "Training" (2025-12-15).
[[nodiscard]] constexpr bytes saved_activation_bytes(double width, std::int64_t layers, std::int64_t tokens,
                                                     dtype element = dtype::bf16) {
  detail::not_negative("width", width);
  return size_of(element) * (width * static_cast<double>(detail::positive_count("layers", layers)) *
                             static_cast<double>(detail::positive_count("tokens", tokens)));
}

/// FLOPs per token that a policy computes again in the backward pass, as `step_time` counts them. Results that no
/// gradient needs are not computed again: those of the down product of the MLP and of the output head. Attention is
/// that of the fused kernel. Throws under `all_parameters`, which does not tell the parts apart. Worked: 4 T N H per
/// layer where every product is kept and attention is counted in full: 268435456 for 64 heads of 128 at 8192 tokens.
/// Source: scaling book, "Transformers".
[[nodiscard]] constexpr flops recomputed_flops_per_token(const transformer& model, std::int64_t sequence_length,
                                                         const remat_policy& policy,
                                                         const flop_convention& how = maxtext_flops) {
  if (how.all_parameters) {
    detail::fail(errc::unsupported, "flop_convention.all_parameters", "true", "a convention that counts parts");
  }
  const forward_flops f = forward_flops_per_token(model, sequence_length, how);
  const auto again = [](placement where, flops work) { return where == placement::recompute ? work : flops{0}; };
  return again(policy.qkv, f.qkv) + again(policy.out_proj, f.attention_output) +
         again(policy.mlp_up, f.mlp_up + f.experts_up) + (policy.attention_again ? f.attention : flops{0});
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/sharding.hpp

#ifndef TPUPLAN_HANDBOOK_SHARDING_HPP
#define TPUPLAN_HANDBOOK_SHARDING_HPP

#include <cstdint>

/// @file
/// One array over the devices of a mesh: what each device holds.

namespace tpuplan {
inline namespace abi_0 {

/// One shard of an array, and all copies of all shards together.
struct sharded_array {
  std::int64_t elements_per_device = 0;  ///< in one shard
  bytes per_device{};                    ///< of the shard
  bytes over_mesh{};                     ///< of all shards, copies included
};

/// An array of that many elements sharded `ways` ways over the devices of a mesh, which hold devices / ways copies of
/// each shard. Throws where the mesh or the array does not divide. Worked: int8[128, 2048] sharded 16 ways on 32
/// devices is 16384 B on each and 524288 B over the mesh. Source: scaling book, "Sharded matrices".
[[nodiscard]] constexpr sharded_array shard(std::int64_t elements, dtype type, std::int64_t ways,
                                            std::int64_t mesh_devices) {
  detail::positive_count("elements", elements);
  detail::positive_count("ways", ways);
  detail::positive_count("mesh_devices", mesh_devices);
  if (elements % ways != 0) detail::fail(errc::not_divisible, "ways", ways, "a divisor of the number of elements");
  if (mesh_devices % ways != 0) detail::fail(errc::not_divisible, "ways", ways, "a divisor of the number of devices");
  sharded_array result;
  result.elements_per_device = elements / ways;
  result.per_device = size_of(type) * static_cast<double>(result.elements_per_device);
  result.over_mesh = result.per_device * static_cast<double>(mesh_devices);
  return result;
}

/// The size of a whole array, or of one of its dimensions, from the size of its shards: turns the shapes in a profile
/// back into those of the program. Worked: shards of 4096 columns, 8 ways, make a weight of 32768.
/// Source: scaling book, "Profiling".
[[nodiscard]] constexpr std::int64_t unsharded(std::int64_t part, std::int64_t ways) {
  return checked_multiply(detail::positive_count("part", part), detail::positive_count("ways", ways));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/utilization.hpp

#ifndef TPUPLAN_HANDBOOK_UTILIZATION_HPP
#define TPUPLAN_HANDBOOK_UTILIZATION_HPP

#include <cstddef>
#include <cstdint>

/// @file
/// What chips can do in a given time: the peaks of their units, work at a share of the peak, loads from memory, stages
/// that overlap.

namespace tpuplan {
inline namespace abi_0 {

/// Time of some work on a number of chips at a given model FLOP utilisation (MFU), a share of their bf16 peak.
/// Worked: 6.3e24 FLOP on 8960 v5p at 40 % take 44.3 days. Source: scaling book, "Applied training".
[[nodiscard]] constexpr seconds time_at_mfu(flops work, const chip_spec& chip, std::int64_t chip_count, double mfu) {
  detail::positive("work", work.value());
  detail::in_range("mfu", mfu, 1e-9, 1, "above 0, at most 1");
  const auto count = static_cast<double>(detail::positive_count("chips", chip_count));
  return work / (peak_rate(chip, dtype::bf16) * (count * mfu));
}

/// FLOPs that a number of chips can do in that time at peak.
/// Worked: 2.79 million chip-hours at 1513 TFLOP/s are 1.52e25 FLOP. Source: scaling book, "Transformers", exercise.
[[nodiscard]] constexpr flops available_work(const chip_spec& chip, std::int64_t chip_count, seconds time,
                                             dtype compute = dtype::bf16) {
  detail::positive("time", time.value());
  return peak_rate(chip, compute) * time * static_cast<double>(detail::positive_count("chips", chip_count));
}

/// The share of the available FLOPs that some work takes: the MFU of a run, if the work is its model FLOPs. A result
/// above 1 shows that a claim is impossible.
/// Worked: 3.2856e24 FLOP in 2.79 million chip-hours at 1513 TFLOP/s are 21.6 %. Source: scaling book, "Transformers",
/// exercise.
[[nodiscard]] constexpr double utilization(flops work, const chip_spec& chip, std::int64_t chip_count, seconds time,
                                           dtype compute = dtype::bf16) {
  detail::positive("work", work.value());
  const flops available = available_work(chip, chip_count, time, compute);
  detail::positive("peak rate", available.value());
  return work / available;
}

/// Time to stream that many bytes, spread evenly over chips, once from a memory. Worked: 16 GB from one v5e: 19.5 ms.
[[nodiscard]] constexpr seconds load_time(bytes amount, const chip_spec& chip, std::int64_t chip_count = 1,
                                          memory_level from = memory_level::hbm) {
  detail::positive("amount", amount.value());
  return amount / (bandwidth(chip, from) * static_cast<double>(detail::positive_count("chips", chip_count)));
}

/// Peak of one systolic array: two FLOPs for each multiply-add of its cells in each cycle.
/// Worked: 2 x 128 x 128 x 1.5 GHz = 49.152 TFLOP/s on v5e. Do not derive a chip's peak from it: on v6e and tpu7x the
/// documented peaks need the factor `macs_per_cell_cycle`. Source: scaling book, "TPUs".
[[nodiscard]] constexpr flops_per_second mxu_peak(const chip_spec& chip) {
  const auto cells = static_cast<double>(checked_multiply(chip.mxu.side, chip.mxu.side, chip.mxu.macs_per_cell_cycle));
  return flops{2 * cells} * chip.clock.value("clock of the chip");
}

/// Peak of all systolic arrays of one TensorCore. Worked: 4 x 49.152 = 196.608 TFLOP/s on v5e, rounded to 197 in the
/// table. Source: scaling book, "TPUs".
[[nodiscard]] constexpr flops_per_second tensorcore_peak(const chip_spec& chip) {
  const std::int64_t arrays = detail::positive_count("chip.mxu.per_tensorcore", chip.mxu.per_tensorcore);
  return mxu_peak(chip) * static_cast<double>(arrays);
}

/// Peak of a vector unit that does one operation per lane and cycle, multiply-adds not counted as two.
/// Worked: 8 sublanes x 128 lanes x 4 units x 2 TensorCores at 1.75 GHz are 14.3 TFLOP/s on v5p; the 16896 cores of
/// H100 at 1.59 GHz 26.9. Source: scaling book, "TPUs" and "GPUs".
[[nodiscard]] constexpr flops_per_second vector_peak(std::int64_t lanes, per_second clock) {
  detail::positive("clock", clock.value());
  return flops{static_cast<double>(detail::positive_count("lanes", lanes))} * clock;
}

/// Bounds on the time of stages that work at once: at best the slowest alone, at worst all of them one after the other.
struct time_bounds {
  seconds lower{};  ///< the slowest stage
  seconds upper{};  ///< the sum of all stages
};

/// The bounds for stages that take these times alone. Worked: 66.7, 166.7, 19.8 and 1.4 ms take 166.7 to 254.6.
/// Source: scaling book, "Rooflines".
template <std::size_t Count>
[[nodiscard]] constexpr time_bounds overlap_bounds(const seconds (&stages)[Count]) {
  time_bounds bounds;
  for (const seconds stage : stages) {
    detail::not_negative("stage", stage.value());
    bounds.lower = max(bounds.lower, stage);
    bounds.upper += stage;
  }
  return bounds;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook/work.hpp

#ifndef TPUPLAN_HANDBOOK_WORK_HPP
#define TPUPLAN_HANDBOOK_WORK_HPP

#include <cstdint>

/// @file
/// Rules of thumb for the work of a model: FLOPs from parameters and tokens, the length at which attention takes as
/// many as other products, and an MFU under another convention.

namespace tpuplan {
inline namespace abi_0 {

/// The rule of thumb of a forward pass: two FLOPs per parameter and token, with the active parameters of a mixture of
/// experts. Rematerialisation of whole blocks adds one such pass to `training_work`. Worked: 5.112e14 FLOP for 31.2e9
/// parameters on 8192 tokens.
[[nodiscard]] constexpr flops forward_work(std::int64_t parameter_total, std::int64_t tokens) {
  return flops{2 * static_cast<double>(detail::positive_count("parameters", parameter_total)) *
               static_cast<double>(detail::positive_count("tokens", tokens))};
}

/// The rule of thumb of training: six FLOPs per parameter and token, recomputation not counted.
/// Worked: 3.2856e24 FLOP for 37e9 parameters on 14.8e12 tokens. Source: scaling book, "Transformers" (2025-12-15).
[[nodiscard]] constexpr flops training_work(std::int64_t parameter_total, std::int64_t tokens) {
  return 3 * forward_work(parameter_total, tokens);
}

/// What the attention core is compared with.
enum class attention_against : std::uint8_t {
  projections,  ///< of queries, keys, values and outputs
  layers,       ///< all matrix products of the layers: projections, MLPs, active experts; not router and output head
};

/// The sequence length, in tokens and not rounded, at which the attention core takes as many FLOPs as the other
/// products of a layer. Throws for models with sliding windows, whose attention may never take that many.
/// Worked: for multi-head attention counted in full and a gated MLP of inner width 4 D it is 2 D against the
/// projections and 8 D against all products of a layer: 8192 and 32768 for D = 4096. Source: scaling book,
/// "Transformers".
[[nodiscard]] constexpr double attention_parity_length(const transformer& model, attention_against what,
                                                       attention_flops how = attention_flops::full) {
  if (how == attention_flops::none) {
    detail::fail(errc::invalid_argument, "attention_flops", "none", "full or causal_half");
  }
  const forward_flops one = forward_flops_per_token(model, 1, flop_convention{how, window_flops::smooth, false, false});
  if (model.attention.local_layers > 0) {
    detail::fail(errc::unsupported, "model.attention.local_layers", model.attention.local_layers,
                 "0: no sliding window");
  }
  if (has_recurrence(model) || model.attention.indexer.heads > 0 || model.attention.merged_layers > 0)
    detail::fail(errc::unsupported, "model.recurrent.layers", model.recurrent.layers, "attention to everything");
  const flops projections = one.qkv + one.attention_output;
  if (what == attention_against::projections) return projections / one.attention;
  return (projections + one.mlp_up + one.mlp_down + one.experts_up + one.experts_down) / one.attention;
}

/// An MFU whose FLOPs were counted under one convention, as another convention counts it: what makes published MFUs
/// comparable.
/// Worked: 0.5 under 6N of llama-3-8b at 8192 tokens is 0.534 under MaxText's convention.
[[nodiscard]] constexpr double converted_mfu(double mfu, const transformer& model, std::int64_t sequence_length,
                                             const flop_convention& from, const flop_convention& to) {
  detail::in_range("mfu", mfu, 0, 1, "0 to 1");
  return mfu * (training_flops_per_token(model, sequence_length, to) /
                training_flops_per_token(model, sequence_length, from));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

// tpuplan/handbook.hpp

#ifndef TPUPLAN_HANDBOOK_HPP
#define TPUPLAN_HANDBOOK_HPP

/// @file
/// The scaling book's closed forms at peak rates: rooflines, padding, collectives, sharding thresholds, inference.

#endif

#endif
