#ifndef TPUPLAN_TESTS_SUPPORT_NEAR_HPP
#define TPUPLAN_TESTS_SUPPORT_NEAR_HPP

#include <tpuplan/base/units.hpp>

/// Figures that are as close as they are meant to be, in constant expressions.
constexpr bool near(double value, double expected, double tolerance) {
  return value >= expected - tolerance && value <= expected + tolerance;
}
constexpr bool near_relative(double value, double expected, double relative = 1e-9) {
  return near(value, expected, relative * (expected < 0 ? -expected : expected));
}

/// Money: to 1e-12 of the amount.
constexpr bool same_money(tpuplan::usd value, double expected) { return near_relative(value.value(), expected, 1e-12); }
constexpr bool same_price(tpuplan::usd_per_second value, double dollars_per_hour) {
  return near_relative(in_usd_per_hour(value), dollars_per_hour, 1e-12);
}

#endif
