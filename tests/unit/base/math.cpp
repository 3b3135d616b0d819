// Both paths of every function against the C library and long double, over the whole range of double.

// The algorithms of constant evaluation rest on exact error terms. Compilers evaluate them without fused multiply-add;
// so must this test, which calls them at run time. Clang fuses only within an expression, where it does no harm.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#endif

#include <tpuplan/base/lambert.hpp>
#include <tpuplan/base/math.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace m = tpuplan::math;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest_normal = std::numeric_limits<double>::min();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

// An error that no rounding explains: another class of number, or another sign.
constexpr double wrong = 1e30;

constexpr bool has_wide_reference = std::numeric_limits<long double>::digits > std::numeric_limits<double>::digits;

std::int64_t bits_of(double x) {
  std::int64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

double from_bits(std::uint64_t bits) {
  double x = 0.0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// The number of doubles from one to the other; infinity follows the largest double.
double distance(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0.0 : wrong;
  if (std::signbit(a) != std::signbit(b)) return wrong;
  return std::fabs(static_cast<double>(bits_of(a) - bits_of(b)));
}

// The error of a finite value in units of the last place of a finite reference; other values are left to distance().
double error_in_ulps(double value, long double reference) {
  const double rounded = std::fabs(static_cast<double>(reference));
  if (!std::isfinite(value) || !std::isfinite(rounded)) return 0.0;
  const double ulp = rounded == largest ? 0x1p971 : std::nextafter(rounded, infinity) - rounded;
  return static_cast<double>(std::fabs(static_cast<long double>(value) - reference) / static_cast<long double>(ulp));
}

struct worst_case {
  double error = 0.0;
  double x = 0.0;
  double y = 0.0;

  void update(double new_error, double new_x, double new_y = 0.0) {
    if (!(new_error <= error)) *this = {new_error, new_x, new_y};
  }
};

std::string hexadecimal(double x) {
  char text[32] = {};
  std::snprintf(text, sizeof text, "%a", x);
  return text;
}

void require_at_most(const worst_case& worst, double limit) {
  INFO("worst at x = " << hexadecimal(worst.x) << ", y = " << hexadecimal(worst.y));
  REQUIRE(worst.error <= limit);
}

struct values {
  double constant;   // by the algorithm of constant evaluation
  double run_time;   // by the public function, called at run time
  double c_library;  // by <cmath>
  long double reference;
};

class errors {
 public:
  void update(const values& v, double x, double y = 0.0) {
    constant_.update(distance(v.constant, v.c_library), x, y);
    run_time_.update(distance(v.run_time, v.c_library), x, y);
    if (!has_wide_reference) return;
    constant_against_reference_.update(error_in_ulps(v.constant, v.reference), x, y);
    run_time_against_reference_.update(error_in_ulps(v.run_time, v.reference), x, y);
  }

  void require_small() const {
    require_at_most(constant_, 2.0);
    require_at_most(run_time_, 2.0);
    require_at_most(constant_against_reference_, 1.0);
    require_at_most(run_time_against_reference_, 2.0);
  }

 private:
  worst_case constant_;
  worst_case run_time_;
  worst_case constant_against_reference_;
  worst_case run_time_against_reference_;
};

class random_points {
 public:
  // Any finite double, all exponents alike.
  double any() {
    double x = nan;
    while (!std::isfinite(x)) x = from_bits(bits_());
    return x;
  }

  double between(double low, double high) { return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 bits_{20240229};
};

// Special values and thresholds, their neighbours, both signs.
std::vector<double> special_points() {
  std::vector<double> result = {0.0, infinity, nan};
  for (const double x : {smallest, smallest_normal, largest, 0.5, 1.0, 2.0, 2.5, 3.0, 40.0, 1e300, 0x1p52, 0x1p53,
                         0x1.8p52, 709.782712893384, 745.1332191019411}) {
    for (const double neighbour : {x, std::nextafter(x, 0.0), std::nextafter(x, infinity)}) result.push_back(neighbour);
  }
  const std::size_t positive = result.size();
  for (std::size_t i = 0; i < positive; ++i) result.push_back(-result[i]);
  return result;
}

// Special points, and points in every binade from the smallest subnormal to the largest double, both signs.
std::vector<double> grid_points() {
  std::vector<double> result = special_points();
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    for (const double mantissa : {1.0, 1.0 + 0x1p-52, 1.4142135623730951, 1.7, 2.0 - 0x1p-52}) {
      const double x = std::ldexp(mantissa, exponent);
      result.push_back(x);
      result.push_back(-x);
    }
  }
  return result;
}

struct range {
  double low;
  double high;
};

struct unary_function {
  const char* name;
  double (*constant)(double);
  double (*run_time)(double);
  double (*c_library)(double);
  long double (*reference)(long double);
  std::vector<range> difficult;
};

#define TPUPLAN_PATHS(name) \
  m::detail::name##_constant, m::name, [](double x) { return std::name(x); }, [](long double x) { return std::name(x); }

std::vector<unary_function> unary_functions() {
  return {
      {"floor", TPUPLAN_PATHS(floor), {{-100.0, 100.0}, {-0x1p53, 0x1p53}}},
      {"ceil", TPUPLAN_PATHS(ceil), {{-100.0, 100.0}, {-0x1p53, 0x1p53}}},
      {"sqrt", TPUPLAN_PATHS(sqrt), {{0.0, 4.0}, {1.0 - 1e-12, 1.0 + 1e-12}}},
      {"exp", TPUPLAN_PATHS(exp), {{-746.0, 710.0}, {-746.0, -708.0}, {709.0, 710.0}, {-1.0, 1.0}}},
      {"expm1", TPUPLAN_PATHS(expm1), {{-41.0, 60.0}, {-1.0, 1.0}, {-1e-5, 1e-5}, {36.0, 41.0}}},
      {"log", TPUPLAN_PATHS(log), {{0.5, 2.0}, {1.0 - 1e-8, 1.0 + 1e-8}}},
      {"log1p", TPUPLAN_PATHS(log1p), {{-1.0, 2.0}, {-1e-5, 1e-5}, {-1e-15, 1e-15}, {-1.0, -1.0 + 1e-8}}},
      {"log2", TPUPLAN_PATHS(log2), {{0.5, 2.0}, {1.0 - 1e-8, 1.0 + 1e-8}}},
  };
}

// Points of all sizes and both signs, evaluated by the compiler in by_compiler.
constexpr std::array<double, 96> make_compiler_points() {
  std::array<double, 96> result{};
  double x = 0x1.3p-60;
  for (std::size_t i = 0; i < result.size(); ++i, x *= 2.37) result[i] = i % 3 == 0 ? -x : x;
  return result;
}

constexpr std::array<double, 96> compiler_points = make_compiler_points();

constexpr std::array<double, 96> evaluate(double (*function)(double)) {
  std::array<double, 96> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = function(compiler_points[i]);
  return result;
}

template <double (*Function)(double)>
constexpr std::array<double, 96> by_compiler = evaluate(Function);

template <double (*Function)(double)>
worst_case compiler_against_run_time() {
  worst_case worst;
  for (std::size_t i = 0; i < compiler_points.size(); ++i) {
    const volatile double x = compiler_points[i];
    worst.update(distance(by_compiler<Function>[i], Function(x)), x);
  }
  return worst;
}

constexpr double fractional_power(double x) { return m::pow(x, 0.4375); }
constexpr double negative_power(double x) { return m::pow(x, -7.0); }
constexpr double power_of_near_one(double x) { return m::pow(1.0 + 0x1p-30, x); }

// W0(x) for x > -0.2: one Newton step in long double from the value under test.
long double lambert_reference(double x, double w) {
  const auto wide = static_cast<long double>(w);
  return wide - (wide - static_cast<long double>(x) * std::exp(-wide)) / (1.0L + wide);
}

// The solution v of -ln(1 - v) - v = d: one Newton step in long double from the value under test.
long double lambert_plus_1_reference(double d, double v) {
  const auto wide = static_cast<long double>(v);
  long double value = -std::log1p(-wide) - wide;
  if (v < 0.3) {
    value = 0.0L;
    for (int n = 40; n > 1; --n) value = (value + 1.0L / static_cast<long double>(n)) * wide;
    value *= wide;
  }
  return wide - (value - static_cast<long double>(d)) * (1.0L - wide) / wide;
}

struct argument_and_value {
  double argument;
  double value;
};

worst_case against_table(double (*function)(double), const std::vector<argument_and_value>& table) {
  worst_case worst;
  for (const argument_and_value& row : table) worst.update(distance(function(row.argument), row.value), row.argument);
  return worst;
}

}  // namespace

TEST_CASE("functions of one argument are accurate over the whole range", "[math]") {
  random_points random;
  const std::vector<double> grid = grid_points();
  for (const unary_function& f : unary_functions()) {
    errors worst;
    const auto check = [&](double x) {
      worst.update({f.constant(x), f.run_time(x), f.c_library(x), f.reference(static_cast<long double>(x))}, x);
    };
    for (const double x : grid) check(x);
    for (int i = 0; i < 25000; ++i) {
      check(random.any());
      for (const range& r : f.difficult) check(random.between(r.low, r.high));
    }
    INFO(f.name);
    worst.require_small();
  }
}

TEST_CASE("pow is accurate over the whole range", "[math]") {
  random_points random;
  errors worst;
  const auto check = [&](double x, double y) {
    const long double reference = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    worst.update({m::detail::pow_constant(x, y), m::pow(x, y), std::pow(x, y), reference}, x, y);
  };
  const std::vector<double> special = special_points();
  for (const double x : special) {
    for (const double y : special) check(x, y);
  }
  for (const double x : grid_points()) {
    for (const double y : {-2.0, -1.0, -0.3, 0.5, 1.0, 3.0}) check(x, y);
  }
  for (int i = 0; i < 10000; ++i) {
    const double x = std::fabs(random.any());
    check(x, random.any());
    check(x, random.between(-1.0, 1.0));
    check(x, random.between(-750.0, 715.0) / std::log(x));
    check(-x, std::floor(random.between(-5.0, 6.0)));
    check(random.between(0.5, 2.0), random.between(-1100.0, 1100.0));
    const double near_one = 1.0 + random.between(-1e-8, 1e-8);
    check(near_one, random.between(-750.0, 715.0) / std::log(near_one));
  }
  worst.require_small();
}

TEST_CASE("the compiler and the run time agree", "[math]") {
  require_at_most(compiler_against_run_time<m::floor>(), 0.0);
  require_at_most(compiler_against_run_time<m::ceil>(), 0.0);
  require_at_most(compiler_against_run_time<m::sqrt>(), 0.0);
  require_at_most(compiler_against_run_time<m::exp>(), 2.0);
  require_at_most(compiler_against_run_time<m::expm1>(), 2.0);
  require_at_most(compiler_against_run_time<m::log>(), 2.0);
  require_at_most(compiler_against_run_time<m::log1p>(), 2.0);
  require_at_most(compiler_against_run_time<m::log2>(), 2.0);
  require_at_most(compiler_against_run_time<fractional_power>(), 2.0);
  require_at_most(compiler_against_run_time<negative_power>(), 2.0);
  require_at_most(compiler_against_run_time<power_of_near_one>(), 2.0);
  require_at_most(compiler_against_run_time<m::lambert_w0>(), 2.0);
  require_at_most(compiler_against_run_time<m::lambert_w0_plus_1_of_exp>(), 2.0);
}

TEST_CASE("classification agrees with the C library", "[math]") {
  worst_case worst;
  for (const double x : special_points()) {
    worst.update(m::is_nan(x) == std::isnan(x) ? 0.0 : wrong, x);
    worst.update(m::is_finite(x) == std::isfinite(x) ? 0.0 : wrong, x);
    worst.update(distance(m::abs(x), std::fabs(x)), x);
  }
  require_at_most(worst, 0.0);
}

// Values computed with 300 bits, correctly rounded.
TEST_CASE("Lambert's W agrees with multiple-precision values", "[math]") {
  require_at_most(against_table(m::lambert_w0,
                                {
                                    {-0x1.78b56362cef37p-2, -0.9999999846957459},
                                    {-0x1.78b56362cef36p-2, -0.9999999768481082},
                                    {-0x1.78b56362cef2ep-2, -0.9999999456830666},
                                    {-0x1.78b56362ca8dap-2, -0.9999976683981106},
                                    {-0x1.78b562b7027c7p-2, -0.9997668537219889},
                                    {-0x1.789b2c7fe3d74p-2, -0.9768628655744246},
                                    {-0.35, -0.7166388164560736},
                                    {-0.3215, -0.5665267428822476},
                                    {-0.3185, -0.5545692982241802},
                                    {-0.3, -0.4894022271802149},
                                    {-0.25, -0.3574029561813889},
                                    {-0.1, -0.11183255915896297},
                                    {-1e-10, -1.0000000001000001e-10},
                                    {1e-300, 1e-300},
                                    {1e-10, 9.999999999e-11},
                                    {0.1, 0.09127652716086226},
                                    {1.0, 0.5671432904097838},
                                    {2.718281828459045, 1.0},
                                    {10.0, 1.7455280027406994},
                                    {1e5, 9.284571428622108},
                                    {1e100, 224.8431064451185},
                                    {largest, 703.2270331047702},
                                }),
                  2.0);
  require_at_most(against_table(m::lambert_w0_plus_1_of_exp,
                                {
                                    {1e-300, 1.4142135623730952e-150},
                                    {1e-100, 1.414213562373095e-50},
                                    {1e-30, 1.4142135623730945e-15},
                                    {1e-16, 1.4142135557064284e-08},
                                    {1e-8, 0.00014141468964921173},
                                    {1e-4, 0.014075547672763037},
                                    {0.02, 0.18689488478688432},
                                    {0.1, 0.38318316820829484},
                                    {0.125, 0.4203764666960421},
                                    {0.1251, 0.4205143097124141},
                                    {0.2, 0.5067605762248466},
                                    {0.5, 0.698290437315664},
                                    {1.0, 0.8414056604369606},
                                    {2.0, 0.9475309025422851},
                                    {5.0, 0.9975150806648505},
                                    {10.0, 0.999983298020256},
                                    {20.0, 0.999999999241744},
                                    {36.0, 0.9999999999999999},
                                    {1000.0, 1.0},
                                }),
                  2.0);
}

TEST_CASE("Lambert's W solves its equation over the whole range", "[math]") {
  const double limit = has_wide_reference ? 2.0 : 6.0;
  random_points random;
  worst_case w0;
  worst_case plus_1;
  worst_case continuity;
  const auto check = [&](double x) {
    const double w = m::lambert_w0(x);
    w0.update(error_in_ulps(w, lambert_reference(x, w)), x);
  };
  const auto check_plus_1 = [&](double d) {
    const double v = m::lambert_w0_plus_1_of_exp(d);
    plus_1.update(v < 1.0 ? error_in_ulps(v, lambert_plus_1_reference(d, v)) : (d > 36.0 ? 0.0 : wrong), d);
  };
  for (int i = 0; i < 12000; ++i) {
    check(std::fabs(random.any()));
    check(random.between(-0.2, 0.2));
    check(random.between(0.0, 30.0));
    check_plus_1(std::exp2(random.between(-1022.0, 6.0)));
    check_plus_1(std::exp2(random.between(-20.0, 6.0)));
    check_plus_1(random.between(0.12, 0.13));
    // The two functions agree between the branch point and -0.2, where x is -exp(-(1 + d)).
    const double x = random.between(-0.36, -0.2);
    const double v = m::lambert_w0_plus_1_of_exp(-1.0 - std::log(-x));
    continuity.update(std::fabs(m::lambert_w0(x) + 1.0 - v) / v, x);
  }
  require_at_most(w0, limit);
  require_at_most(plus_1, limit);
  require_at_most(continuity, 1e-14);
}
