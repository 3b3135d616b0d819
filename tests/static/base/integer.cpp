// The worked numbers in the comments of integer.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/base/integer.hpp>

using namespace tpuplan;

namespace static_base_integer_tests {

namespace {

static_assert(checked_multiply(12288, 49152) == 603979776);
static_assert(checked_multiply(16, 20, 28) == 8960);
static_assert(checked_add(2, 40) == 42);
static_assert(ceil_div(60000, 1024) == 59);
static_assert(round_up(50257, 256) == 50432);
static_assert(!is_power_of_two(96));
static_assert(floor_to_count(240.54) == 240);
static_assert(ceil_to_count(6.97) == 7);

}  // namespace

}  // namespace static_base_integer_tests
