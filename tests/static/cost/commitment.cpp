// The worked numbers in the comments of cost/commitment.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/commitment.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_commitment_tests {

namespace {

static_assert(commitment_term(provisioning::commitment_1y) == 8760_h);
static_assert(commitment_term(provisioning::commitment_3y) == 26280_h);
static_assert(near_relative(break_even_utilization(0.84_usd_per_h, 1.20_usd_per_h), 0.70));
static_assert(near_relative(break_even_utilization(0.84_usd_per_h, 0.60_usd_per_h, 1.2), 7.0 / 6));
constexpr commitment_cost idle_year = cost_under_commitment(26.88_usd_per_h, provisioning::commitment_1y, 30_days, 0);
static_assert(near_relative(idle_year.run.value(), 19353.60) && near_relative(idle_year.total.value(), 235468.80));

}  // namespace

}  // namespace static_cost_commitment_tests
