// The worked numbers in the comments of model/blocks/logits.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/blocks/logits.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"

using namespace tpuplan;

namespace static_model_blocks_logits_tests {

namespace {

static_assert(parameters(alone(4096, blocks::logits{128256})).lm_head == 525336576);
constexpr blocks::logits tied{128256, 0, false};
static_assert(forward_flops_per_token(alone(4096, tied), 1).logits.value() == 2.0 * 525336576);
constexpr blocks::sums of_tied = blocks::sums_of(alone(4096, tied));
static_assert(of_tied.weights[static_cast<std::size_t>(blocks::part::lm_head)] == 0 && of_tied.matrices() == 525336576);
// A dense layer and a norm before the words, as of BERT.
static_assert(parameters(alone(8, blocks::logits{10, 4, true, true, true, norm_kind::layer})).head ==
              8 * 4 + 4 + 2 * 4);

}  // namespace

}  // namespace static_model_blocks_logits_tests
