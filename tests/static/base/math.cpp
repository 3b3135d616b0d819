// It compiles, so it passes.

#include <tpuplan/base/math.hpp>

#include <limits>

namespace static_base_math_tests {

namespace m = tpuplan::math;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest_normal = std::numeric_limits<double>::min();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Equality that tells 0 from -0.
constexpr bool same(double a, double b) {
  return __builtin_bit_cast(unsigned long long, a) == __builtin_bit_cast(unsigned long long, b);
}

// The worked numbers of the header.
static_assert(m::is_nan(m::sqrt(-1.0)));
static_assert(m::is_finite(1e308) && !m::is_finite(m::exp(1e3)));
static_assert(m::abs(-2.5) == 2.5);
static_assert(m::floor(-1.5) == -2.0);
static_assert(m::ceil(-1.5) == -1.0);
static_assert(m::sqrt(2.0) == 1.4142135623730951);
static_assert(m::exp(1.0) == 2.718281828459045);
static_assert(m::expm1(1e-10) == 1.00000000005e-10);
static_assert(m::log(10.0) == 2.302585092994046);
static_assert(m::log1p(1e-5) == 9.999950000333332e-06);
static_assert(m::log2(8.0) == 3.0);
static_assert(m::pow(2.0, 10.0) == 1024.0);

// Classification and absolute value.
static_assert(m::is_nan(nan) && m::is_nan(-nan) && !m::is_nan(infinity) && !m::is_nan(0.0));
static_assert(m::is_finite(largest) && m::is_finite(-smallest) && m::is_finite(-0.0));
static_assert(!m::is_finite(infinity) && !m::is_finite(-infinity) && !m::is_finite(nan));
static_assert(same(m::abs(-0.0), 0.0) && m::abs(-infinity) == infinity && m::is_nan(m::abs(nan)));

// Rounding.
static_assert(same(m::floor(-0.0), -0.0) && same(m::floor(0.0), 0.0) && same(m::floor(0.5), 0.0));
static_assert(m::floor(-0.5) == -1.0 && m::floor(-smallest) == -1.0 && m::floor(3.0) == 3.0 && m::floor(2.9) == 2.0);
static_assert(m::floor(4503599627370495.5) == 4503599627370495.0 && m::floor(-4503599627370495.5) == -0x1p52);
static_assert(m::floor(largest) == largest && m::floor(-infinity) == -infinity && m::is_nan(m::floor(nan)));
static_assert(same(m::ceil(-0.5), -0.0) && same(m::ceil(-0.0), -0.0) && same(m::ceil(0.0), 0.0));
static_assert(m::ceil(smallest) == 1.0 && m::ceil(2.1) == 3.0 && m::ceil(-3.0) == -3.0);
static_assert(m::ceil(-largest) == -largest && m::ceil(infinity) == infinity && m::is_nan(m::ceil(nan)));

// Square roots: exact at squares, correctly rounded elsewhere.
static_assert(m::sqrt(4.0) == 2.0 && m::sqrt(9.0) == 3.0 && m::sqrt(0.25) == 0.5 && m::sqrt(1e10) == 1e5);
static_assert(m::sqrt(94906265.0 * 94906265.0) == 94906265.0);
static_assert(m::sqrt(0x1p1022) == 0x1p511 && m::sqrt(smallest) == 0x1p-537 && m::sqrt(smallest_normal) == 0x1p-511);
static_assert(m::sqrt(largest) == 0x1.fffffffffffffp+511);
static_assert(m::sqrt(1.0 + epsilon) == 1.0 && m::sqrt(1.0 - epsilon) == 1.0 - epsilon / 2.0);
static_assert(same(m::sqrt(0.0), 0.0) && same(m::sqrt(-0.0), -0.0) && m::sqrt(infinity) == infinity);
static_assert(m::is_nan(m::sqrt(-smallest)) && m::is_nan(m::sqrt(-infinity)) && m::is_nan(m::sqrt(nan)));

// Exponentials.
static_assert(m::exp(0.0) == 1.0 && m::exp(-0.0) == 1.0 && m::exp(smallest) == 1.0 && m::exp(-1e-17) == 1.0);
static_assert(m::exp(-1.0) == 0.36787944117144233 && m::exp(0.5) == 1.6487212707001282);
static_assert(m::exp(709.782712893384) == 0x1.fffffffffff2ap+1023 && m::exp(709.7827128933841) == infinity);
static_assert(m::exp(-745.1332191019411) == smallest && m::exp(-745.1332191019412) == 0.0);
static_assert(m::exp(largest) == infinity && same(m::exp(-largest), 0.0));
static_assert(m::exp(infinity) == infinity && same(m::exp(-infinity), 0.0) && m::is_nan(m::exp(nan)));

static_assert(same(m::expm1(0.0), 0.0) && same(m::expm1(-0.0), -0.0));
static_assert(m::expm1(smallest) == smallest && m::expm1(-1e-300) == -1e-300);
static_assert(m::expm1(1.0) == 1.7182818284590453 && m::expm1(-1.0) == -0.6321205588285577);
static_assert(m::expm1(-50.0) == -1.0 && m::expm1(-infinity) == -1.0 && m::expm1(-largest) == -1.0);
static_assert(m::expm1(710.0) == infinity && m::expm1(infinity) == infinity && m::is_nan(m::expm1(nan)));

// Logarithms.
static_assert(same(m::log(1.0), 0.0) && m::log(2.0) == 0.6931471805599453 && m::log(0.5) == -0.6931471805599453);
static_assert(m::log(1.0 + epsilon) == 0x1.fffffffffffffp-53 && m::log(1.0 - epsilon / 2.0) == -0x1p-53);
static_assert(m::log(largest) == 709.782712893384 && m::log(smallest) == -744.4400719213812);
static_assert(m::log(0.0) == -infinity && m::log(-0.0) == -infinity && m::log(infinity) == infinity);
static_assert(m::is_nan(m::log(-1.0)) && m::is_nan(m::log(-infinity)) && m::is_nan(m::log(nan)));

static_assert(same(m::log1p(0.0), 0.0) && same(m::log1p(-0.0), -0.0) && m::log1p(-smallest) == -smallest);
static_assert(m::log1p(1.0) == 0.6931471805599453 && m::log1p(-0.5) == -0.6931471805599453);
static_assert(m::log1p(-1.0) == -infinity && m::log1p(largest) == 709.782712893384 && m::log1p(infinity) == infinity);
static_assert(m::is_nan(m::log1p(-1.5)) && m::is_nan(m::log1p(-infinity)) && m::is_nan(m::log1p(nan)));

static_assert(same(m::log2(1.0), 0.0) && m::log2(0.125) == -3.0 && m::log2(10.0) == 3.321928094887362);
static_assert(m::log2(0x1p1023) == 1023.0 && m::log2(smallest) == -1074.0 && m::log2(largest) == 1024.0);
static_assert(m::log2(0.0) == -infinity && m::log2(-0.0) == -infinity && m::log2(infinity) == infinity);
static_assert(m::is_nan(m::log2(-1.0)) && m::is_nan(m::log2(-infinity)) && m::is_nan(m::log2(nan)));

// Powers: exact where the result is representable.
static_assert(m::pow(3.0, 33.0) == 5559060566555523.0 && m::pow(-3.0, 33.0) == -5559060566555523.0);
static_assert(m::pow(10.0, 22.0) == 1e22 && m::pow(1.5, 2.0) == 2.25 && m::pow(16.0, 0.75) == 8.0);
static_assert(m::pow(2.0, 0.5) == m::sqrt(2.0) && m::pow(2.0, -1.0) == 0.5 && m::pow(7.0, 1.0) == 7.0);
static_assert(m::pow(2.0, -1074.0) == smallest && m::pow(2.0, -1076.0) == 0.0 && m::pow(2.0, 1024.0) == infinity);
static_assert(m::pow(2.0, 1023.0) == 0x1p1023 && m::pow(largest, 1.0) == largest && m::pow(smallest, 1.0) == smallest);
static_assert(m::pow(1.0 + epsilon, 0x1p52) == 2.718281828459045);
static_assert(m::pow(1.0 + epsilon, 1e300) == infinity && m::pow(1.0 - epsilon, largest) == 0.0);
static_assert(m::pow(1.0 + epsilon, smallest) == 1.0 && m::pow(largest, -smallest) == 1.0);
static_assert(same(m::pow(-2.0, -1075.0), -0.0) && m::pow(-2.0, 1025.0) == -infinity && m::pow(-1.0, 1e300) == 1.0);
static_assert(m::pow(-1.0, 9007199254740991.0) == -1.0 && m::pow(-1.0, 9007199254740992.0) == 1.0);
static_assert(m::is_nan(m::pow(-2.0, 0.5)) && m::is_nan(m::pow(-smallest, -smallest)));

// Special values of pow in the order of C11 F.10.4.4.
static_assert(m::pow(0.0, -3.0) == infinity && m::pow(-0.0, -3.0) == -infinity && m::pow(-0.0, -2.0) == infinity);
static_assert(m::pow(-0.0, -2.5) == infinity && m::pow(-0.0, -infinity) == infinity);
static_assert(same(m::pow(0.0, 3.0), 0.0) && same(m::pow(-0.0, 3.0), -0.0) && same(m::pow(-0.0, 2.0), 0.0));
static_assert(same(m::pow(-0.0, 2.5), 0.0) && same(m::pow(-0.0, infinity), 0.0));
static_assert(m::pow(-1.0, infinity) == 1.0 && m::pow(-1.0, -infinity) == 1.0 && m::pow(1.0, nan) == 1.0);
static_assert(m::pow(0.0, 0.0) == 1.0 && m::pow(nan, 0.0) == 1.0 && m::pow(infinity, -0.0) == 1.0);
static_assert(m::pow(0.5, -infinity) == infinity && m::pow(-2.0, -infinity) == 0.0);
static_assert(m::pow(-0.5, infinity) == 0.0 && m::pow(2.0, infinity) == infinity);
static_assert(same(m::pow(-infinity, -3.0), -0.0) && same(m::pow(-infinity, -2.0), 0.0));
static_assert(same(m::pow(-infinity, -2.5), 0.0) && m::pow(-infinity, 2.5) == infinity);
static_assert(m::pow(-infinity, 3.0) == -infinity && m::pow(-infinity, 2.0) == infinity);
static_assert(same(m::pow(infinity, -1.0), 0.0) && m::pow(infinity, smallest) == infinity);
static_assert(m::is_nan(m::pow(nan, 1.0)) && m::is_nan(m::pow(2.0, nan)) && m::is_nan(m::pow(-1.0, nan)));

}  // namespace static_base_math_tests
