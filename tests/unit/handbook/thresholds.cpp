// Times of a sharded layer refuse a peak rate that is none, and slices by the name of their field.
#include <cmath>
#include <tpuplan/handbook/thresholds.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_handbook_thresholds_tests {

TEST_CASE("a layer on a chip without a peak rate is refused", "[door]") {
  const mlp_layer layer{4194304, 8192, 28672};
  for (const double rate : {0.0, -1.0, std::nan("")}) {
    chip_spec idle = v5p;
    idle.peak.bf16 = flops_per_second{rate};
    CHECK(says(refusal_of([&] { (void)layer_forward(idle, layer, {2048, 2, 4, 1}); }).message, "peak rate is "));
    CHECK(says(refusal_of([&] {
                 (void)layer_backward_between_slices(idle, layer, {8960, 2});
               }).message,
               "peak rate is "));
  }
  CHECK(says(refusal_of([&] {
               (void)layer_backward_between_slices(v5p, layer, {0, 2});
             }).message,
             "equal_slices.chips is 0"));
  CHECK(says(refusal_of([&] {
               (void)layer_backward_between_slices(v5p, layer, {1, -1});
             }).message,
             "equal_slices.slices is -1"));
}

}  // namespace unit_handbook_thresholds_tests
