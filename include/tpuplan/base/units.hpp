#ifndef TPUPLAN_BASE_UNITS_HPP
#define TPUPLAN_BASE_UNITS_HPP

#include <tpuplan/base/error.hpp>

#if defined(min) || defined(max)
#error "min and max are macros, as <windows.h> has them: define NOMINMAX before it"
#endif

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
/// The larger, and the smaller, of two amounts. Worked: max(1_GiB, 1_GB) is 1_GiB.
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
/// The amount in the unit of the name. Worked: in_gib(16_GiB) is 16, in_ms(seconds{0.25}) is 250.
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
