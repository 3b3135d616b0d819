// The worked numbers in the comments of handbook/attention.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/handbook/attention.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_handbook_attention_tests {

namespace {

static_assert(near(attention_intensity({1, 8192, 1}).value(), 0.99988, 0.000005));
static_assert(near(attention_intensity({1, 8192, 8}).value(), 7.992, 0.0005));
static_assert(near(attention_intensity({480, 480, 1}).value(), 240, 1e-9));
static_assert(near(balance_prompt(flops_per_byte{240}, 1), 480, 1e-9));
static_assert(near(balance_prompt(flops_per_byte{240}, 8), 270, 1e-9));

}  // namespace

}  // namespace static_handbook_attention_tests
