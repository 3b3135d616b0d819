// expect: constant expression
// expect: division by zero|/ 0.0
#include <tpuplan/base/units.hpp>

using namespace tpuplan;

#ifdef TPUPLAN_MISUSE
constexpr seconds time = 1_GB / 0_GB_per_s;
#else
constexpr seconds time = 1_GB / 1_GB_per_s;
#endif
static_assert(time == 1_s);
