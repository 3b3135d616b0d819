// Does it fit: the words. It compiles, so it passes.
#include <tpuplan/estimate/verdict.hpp>

using namespace tpuplan;

namespace static_estimate_verdict_tests {

static_assert(name(verdict::yes) == "yes" && name(verdict::uncertain) == "uncertain" && name(verdict::no) == "no");
static_assert(safe_share == 0.97);

}  // namespace static_estimate_verdict_tests
