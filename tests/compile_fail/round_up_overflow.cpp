// expect: non-'?constexpr'? function
// expect: fail
// expect: product of counts
#include <tpuplan/base/integer.hpp>

#ifdef TPUPLAN_MISUSE
constexpr std::int64_t count = INT64_MAX;
#else
constexpr std::int64_t count = INT64_MAX - 127;
#endif
static_assert(tpuplan::round_up(count, 128) == INT64_MAX - 127);
