// Work at a share of the peak refuses a peak that is none.
#include <cmath>
#include <tpuplan/handbook/utilization.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_handbook_utilization_tests {

TEST_CASE("work on a chip without a peak rate is refused", "[door]") {
  for (const double rate : {0.0, -1.0, std::nan("")}) {
    chip_spec idle = v5e;
    idle.peak.bf16 = flops_per_second{rate};
    CHECK(says(refusal_of([&] { (void)time_at_mfu(1_FLOP, idle, 1, 0.5); }).message, "peak rate is "));
    CHECK(says(refusal_of([&] { (void)available_work(idle, 1, 1_s); }).message, "peak rate is "));
    CHECK(says(refusal_of([&] { (void)utilization(1_FLOP, idle, 1, 1_s); }).message, "peak rate is "));
  }
}

}  // namespace unit_handbook_utilization_tests
