// expect: non-'?constexpr'? function
// expect: fail
// expect: int8 peak of the chip
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/hardware/generations.hpp>

using namespace tpuplan;

#ifdef TPUPLAN_MISUSE
constexpr std::int64_t batch = critical_batch(v3, dtype::int8);
#else
constexpr std::int64_t batch = critical_batch(v5e, dtype::int8);
#endif
static_assert(batch > 0);
