// What no layout can be of.
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/parallel/layout.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace parallel_layout_tests {

TEST_CASE("a slice of more than 1048576 devices is refused, two for each chip of tpu7x") {
  const refusal got = refusal_of([] { (void)detail::check_devices({tpu7x, topology{{128, 128, 64}, 3}, 4}); });
  CHECK(says(got.message, "slice.shape: chips is 1048576; valid: at most 1048576 devices"));
}

}  // namespace parallel_layout_tests
