// expect: non-'?constexpr'? function
// expect: fail
// expect: v5e-24
#include <tpuplan/hardware/slice.hpp>

using namespace tpuplan;

#ifdef TPUPLAN_MISUSE
constexpr slice s = slice_for("v5e-24");
#else
constexpr slice s = slice_for("v5e-16");
#endif
static_assert(chips(s) == 16);
