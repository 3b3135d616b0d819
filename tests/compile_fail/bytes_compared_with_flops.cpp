// expect: no match for|invalid operands
// expect: bytes
// expect: flops
#include <tpuplan/base/units.hpp>

using namespace tpuplan;

#ifdef TPUPLAN_MISUSE
constexpr bool less = 1_GB < 2_TFLOP;
#else
constexpr bool less = 1_GB < 2_TB;
#endif
static_assert(less);
