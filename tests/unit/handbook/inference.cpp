// Bounds of inference refuse rates of a chip that are none, by name.
#include <cmath>
#include <string>
#include <tpuplan/handbook/inference.hpp>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_handbook_inference_tests {

TEST_CASE("a decode step and a product on a chip without rates are refused", "[door]") {
  const decode_work work{4, 30_GB, 1_GB, flops{1e9}};
  const slice where = slice_for("v5litepod-8");
  for (const double rate : {0.0, -1.0, std::nan("")}) {
    slice slow = where;
    slow.chip.hbm.bandwidth = bytes_per_second{rate};
    const plain_call<void()> reads[] = {[&] { (void)hbm_bandwidth(slow); }, [&] { (void)hbm_over_ici(slow.chip); },
                                        [&] { (void)decode_bound_of(work, slow.chip, 8); },
                                        [&] {
                                          (void)sharded_product_times({64, 8192, 28672}, 32, slow.chip);
                                        }};
    for (const auto& call : reads) CHECK(says(refusal_of(call).message, "bandwidth is "));
    chip_spec idle = where.chip;
    idle.peak.bf16 = flops_per_second{rate};
    CHECK(says(refusal_of([&] { (void)decode_bound_of(work, idle, 8); }).message, "peak rate is "));
    CHECK(says(refusal_of([&] { (void)sharded_product_times({64, 8192, 28672}, 32, idle); }).message, "peak rate is "));
  }
  slice empty = where;
  empty.shape.dims = {0, 1, 1};
  CHECK(says(refusal_of([&] { (void)hbm_bandwidth(empty); }).message, "slice.shape is 0"));
}

}  // namespace unit_handbook_inference_tests
