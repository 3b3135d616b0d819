// What hosts of a slice deliver is refused where they are not known, in whole words.
#include <tpuplan/estimate/training/input.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_estimate_training_input_tests {

TEST_CASE("hosts that are not known, and slices of no chips, are refused by name", "[door]") {
  const example_cost one{100_kB, seconds{1e-3}};
  slice where = slice_for("v2-8");
  CHECK(says(refusal_of([&] { (void)input_limit(where, one, per_second{100}); }).message,
             "slice is v2-8; valid: one of a known machine type, whose vCPUs are stated"));
  where = slice_for("v5e-8");
  where.shape.dims[0] = 0;
  CHECK(says(refusal_of([&] { (void)input_limit(where, one, per_second{100}); }).message, "slice.shape is 0"));
}

}  // namespace unit_estimate_training_input_tests
