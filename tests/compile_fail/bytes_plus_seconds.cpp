// expect: no match for|invalid operands
// expect: bytes
// expect: seconds
#include <tpuplan/base/units.hpp>

using namespace tpuplan;

#ifdef TPUPLAN_MISUSE
constexpr auto sum = 1_GB + 2_s;
#else
constexpr auto sum = 1_GB + 2_MB;
#endif
static_assert(sum.value() > 0);
