// expect: could not convert|no matching function|no known conversion
// expect: 197_TFLOP_per_s|[(]197[)]
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/handbook/utilization.hpp>
#include <tpuplan/hardware/generations.hpp>

using namespace tpuplan;

#ifdef TPUPLAN_MISUSE
constexpr seconds time = time_at_mfu(197_TFLOP_per_s, v5e, 16, 1);
#else
constexpr seconds time = time_at_mfu(197_TFLOP, v5e, 16, 1);
#endif
static_assert(time > 0_s);
