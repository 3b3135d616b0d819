// The worked numbers in the comments of lambert.hpp, and its edges. It compiles, so it passes.
#include <limits>
#include <tpuplan/base/lambert.hpp>

namespace static_base_lambert_tests {

namespace m = tpuplan::math;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

// Equality that tells 0 from -0.
constexpr bool same(double a, double b) {
  return __builtin_bit_cast(unsigned long long, a) == __builtin_bit_cast(unsigned long long, b);
}

static_assert(m::lambert_w0(1.0) == 0.5671432904097838);
static_assert(m::lambert_w0_plus_1_of_exp(0.02) == 0.18689488478688432);

static_assert(m::lambert_w0(-0.36787944117144233) == -1.0 && m::is_nan(m::lambert_w0(-0.3678794411714424)));
static_assert(m::lambert_w0(2.718281828459045) == 1.0 && m::lambert_w0(-0.1) == -0.11183255915896297);
static_assert(m::lambert_w0(largest) == 703.2270331047702 && m::lambert_w0(infinity) == infinity);
static_assert(same(m::lambert_w0(0.0), 0.0) && same(m::lambert_w0(-0.0), -0.0) && m::lambert_w0(smallest) == smallest);
static_assert(m::is_nan(m::lambert_w0(nan)) && m::is_nan(m::lambert_w0(-infinity)));
static_assert(m::lambert_w0_plus_1_of_exp(0.0) == 0.0 && m::lambert_w0_plus_1_of_exp(-0.0) == 0.0);
static_assert(m::lambert_w0_plus_1_of_exp(1e-30) == 1.4142135623730945e-15);
static_assert(m::lambert_w0_plus_1_of_exp(infinity) == 1.0 && m::lambert_w0_plus_1_of_exp(largest) == 1.0);
static_assert(m::is_nan(m::lambert_w0_plus_1_of_exp(-1e-9)) && m::is_nan(m::lambert_w0_plus_1_of_exp(nan)));

}  // namespace

}  // namespace static_base_lambert_tests
