// expect: could not convert|no matching function|no known conversion
// expect: bytes
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/handbook/utilization.hpp>
#include <tpuplan/hardware/generations.hpp>

using namespace tpuplan;

#ifdef TPUPLAN_MISUSE
constexpr seconds time = load_time(16e9, v5e);
#else
constexpr seconds time = load_time(16_GB, v5e);
#endif
static_assert(time > 0_s);
