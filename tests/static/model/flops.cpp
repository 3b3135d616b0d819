// The worked numbers in the comments of model/flops.hpp, and its edges. It compiles, so it passes.
#include <cstdint>
#include <tpuplan/model/flops.hpp>

#include "support/models.hpp"
#include "support/near.hpp"

using namespace tpuplan;

namespace {

// The expected figure is a training step of 4096 tokens, hence 3 x 4096 times the forward pass of one.
static_assert(near(forward_flops_per_token(llama_3_8b(), 4096).total.value() * 3 * 4096, 197.62862515814402e12, 1e3));
static_assert(training_flops_per_token(llama_3_8b(), 4096, six_n_flops).value() == 6.0 * 8030261248);

// Sequences up to 2^40.
static_assert(forward_flops_per_token(llama_3_8b(), std::int64_t{1} << 40).total > 1e15_FLOP);

}  // namespace
