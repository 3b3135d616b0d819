// expect: non-'?constexpr'? function
// expect: fail
// expect: round_up: multiple
#include <tpuplan/base/integer.hpp>

#ifdef TPUPLAN_MISUSE
constexpr std::int64_t multiple = 0;
#else
constexpr std::int64_t multiple = 128;
#endif
static_assert(tpuplan::round_up(100, multiple) == 128);
