// The worked number in the comments of model/weight_bits.hpp, by hand. It compiles, so it passes.
#include <tpuplan/model/weight_bits.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_model_weight_bits_tests {

namespace {

// 100 weights of attention in 8 bits, 200 of MLPs as the rest, 1000 of experts in 4.25 bits, 50 others.
constexpr parameter_count count_of_parts() {
  parameter_count count;
  count.attention = 100, count.mlp = 200, count.experts = 1000, count.embedding = 50, count.total = 1350;
  return count;
}
static_assert(stored_bytes(count_of_parts(), dtype::bf16) == bytes{2700});
static_assert(stored_bytes(count_of_parts(), dtype::bf16, {8, 0, 4.25}) == bytes{100 + 400 + 531.25 + 100});
static_assert(stored_bytes(count_of_parts(), dtype::fp32, {0, 4, 0}) == bytes{400 + 100 + 4000 + 200});
static_assert(any_part({0, 4, 0}) && !any_part({}));
static_assert(part_size(4.5, dtype::bf16) == bytes{0.5625} && part_size(0, dtype::fp8) == bytes{1});

}  // namespace

}  // namespace static_model_weight_bits_tests
