// expect: could not convert|no matching function|no known conversion
// expect: usd_per_second|-1,1
#include <tpuplan/cost/run_cost.hpp>

using namespace tpuplan;

#ifdef TPUPLAN_MISUSE
constexpr usd price = cost(2_h, usd_per_hour(38.40));
#else
constexpr usd price = cost(usd_per_hour(38.40), 2_h);
#endif
static_assert(price > 0_usd);
