// The worked number of base/normal.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/base/normal.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_base_normal_tests {

namespace {

static_assert(near_relative(math::normal_quantile(0.95), 1.6448536269514722, 1e-7));
static_assert(near_relative(math::normal_quantile(0.05), -1.6448536269514722, 1e-7));
static_assert(near_relative(math::normal_quantile(0.6), 0.2533471031357997, 1e-7));
static_assert(near_relative(math::normal_quantile(1e-13), -7.348796102800405, 1e-7));
static_assert(math::normal_quantile(0.5) == 0);

}  // namespace

}  // namespace static_base_normal_tests
