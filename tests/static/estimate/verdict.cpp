// Does it fit: the words. It compiles, so it passes.
#include <tpuplan/estimate/verdict.hpp>

using namespace tpuplan;

static_assert(name(verdict::yes) == "yes" && name(verdict::uncertain) == "uncertain" && name(verdict::no) == "no");
static_assert(safe_share == 0.97);
