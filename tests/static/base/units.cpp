// The worked numbers in the comments of units.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/base/units.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_base_units_tests {

namespace {

static_assert(same_money(usd_per_hour(1.2) * 3600_s, 1.20));

}  // namespace

}  // namespace static_base_units_tests
