// The worked numbers in the comments of cost/lifetimes.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/lifetimes.hpp>

using namespace tpuplan;

namespace static_cost_lifetimes_tests {

static_assert(median_spot_lifetime("v5p", "us-east5-a") == 28_h / 19.0);
static_assert(median_spot_lifetime("v5p", "us-east5") == 28_h / 19.0);  // the region of that zone
static_assert(median_spot_lifetime("v5p", "us-east5-b") == 4_h);
static_assert(median_spot_lifetime("v6e") == 4_h);
static_assert(median_spot_lifetime("v2", "us-central1-b") == median_spot_lifetime("v3"));  // counted without a place

}  // namespace static_cost_lifetimes_tests
