// The worked numbers in the comments of risk/failures.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/risk/failures.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_risk_failures_tests {

namespace {

static_assert(near_relative(quantile(time_between_failures(256), 0.5).value(), 197.957 * 3600, 1e-5));
static_assert(near_relative(quantile(time_between_failures(256), 0.05).value(), 49.5 * 3600, 0.01));
static_assert(near_relative(quantile(time_between_failures(256), 0.95).value(), 792 * 3600.0, 0.01));

static_assert(near_relative(chance_of_each(130, 144, 0.95), 0.934686126703208, 1e-9));
static_assert(near_relative(math::exp(math::log(chance_of_each(130, 144, 0.95)) / 16), 0.9957873669236955, 1e-9));
static_assert(near_relative(chance_of_at_least(130, 144, 0.934686126703208), 0.95, 1e-9));
static_assert(near_relative(chance_of_at_least(4, 5, 0.95), 0.9774075, 1e-12));
static_assert(chance_of_at_least(0, 5, 0.1) == 1 && chance_of_at_least(5, 5, 1) == 1);
static_assert(chance_of_at_least(1, 5, 0) == 0);
static_assert(parts_for(4, 0.95, 0.99) == 6 && parts_for(4, 1, 0.99) == 4 && parts_for(4, 0.95, 0.8) == 4);

}  // namespace

}  // namespace static_risk_failures_tests
