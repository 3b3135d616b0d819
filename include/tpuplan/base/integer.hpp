#ifndef TPUPLAN_BASE_INTEGER_HPP
#define TPUPLAN_BASE_INTEGER_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/error.hpp>

/// @file
/// Counts: chips, tokens, dimensions. Whole numbers in `std::int64_t`, and arithmetic that refuses to overflow.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// The refusal of arithmetic on two counts, both of which it names. Not constexpr, as `fail` is not.
[[noreturn, gnu::cold]] inline void fail_counts(std::string_view what, std::int64_t a, char sign, std::int64_t b,
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

namespace detail {

/// The sum of counts, added from the left with the same refusal.
template <class... Counts>
constexpr std::int64_t checked_sum(std::int64_t sum, Counts... counts) {
  ((sum = checked_add(sum, counts)), ...);
  return sum;
}

}  // namespace detail

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
  if (multiple == 1) return count;
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
