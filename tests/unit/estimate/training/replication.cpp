// What a question about copies of a model refuses; its figures are in tests/static.
#include <tpuplan/estimate/training/replication.hpp>
#include <tpuplan/hardware/generations.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_training_replication_tests {

TEST_CASE("activations are left a share of the HBM, and not all of it") {
  const auto refused = [](double share) {
    return refusal_of([&] { (void)replication_of(350000000, v5e, optimizer_kind::adamw, dtype::fp32, share); }).message;
  };
  CHECK(says(refused(1), "left_to_activations is 1; valid: 0 to 0.99"));
  CHECK(says(refused(-0.1), "left_to_activations is -0.1"));
  CHECK(refused(0.99).empty());
}

}  // namespace estimate_training_replication_tests
