// The worked numbers in the comments of risk/belief.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/risk/belief.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_risk_belief_tests {

namespace {

constexpr mean_time_belief wide = believed_within(4_h, 16);
static_assert(near_relative(quantile(wide, 0.5).value(), 4 * 3600.0, 1e-6));
static_assert(near_relative(quantile(wide, 0.05).value(), 15 * 60.0, 0.01));
static_assert(near_relative(quantile(wide, 0.95).value(), 64 * 3600.0, 0.01));
static_assert(near_relative(quantile(knowing(wide, 28_h, 19), 0.5).value(), 1.52744 * 3600, 1e-5));
static_assert(quantile(knowing(wide, 100_h, 0), 0.5) > quantile(wide, 0.5));

constexpr mean_time_belief known = believed_within(4_h, 1);
static_assert(quantile(known, 0.05) == 4_h && quantile(known, 0.95) == 4_h);
static_assert(near_relative(chance_of_none(known, 4_h), 0.36787944117144233, 1e-12));
static_assert(near_relative(quantile(knowing(known, 1_h, 7), 0.5).value(), 4 * 3600.0, 1e-12));
static_assert(quantile(scaled(known, 0.25), 0.5) == 1_h);
static_assert(near_relative(chance_of_none(wide, 0_s), 1, 1e-12));
static_assert(chance_of_none(wide, 4_h) > 0.3 && chance_of_none(wide, 4_h) < 0.5);

}  // namespace

}  // namespace static_risk_belief_tests
