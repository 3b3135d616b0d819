// The worked numbers in the comments of model/parameters.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/parameters.hpp>

#include "support/models.hpp"
#include "support/pairs.hpp"
#include "support/worked_models.hpp"

using namespace tpuplan;

namespace static_model_parameters_tests {

namespace {

static_assert(parameters(llama_3_8b()).total == 8030261248);
static_assert(parameters(llama_3_8b()).embedding == 525336576);
static_assert(parameters(llama_3_8b()).lm_head == 525336576);
constexpr lora_targets q_and_v() {
  lora_targets on;
  on.q = on.v = true;
  return on;
}
static_assert(lora_parameters(llama_2_7b(), 8, q_and_v()) == 4194304);
// PEFT prints "trainable params: 2359296 || all params: 1231940608" for it (README, bigscience/mt0-large).
static_assert(lora_parameters(mt0_large(), 8, q_and_v()) == 2359296);
static_assert(parameters(mt0_large()).total == 1231940608 - 2359296);

}  // namespace

}  // namespace static_model_parameters_tests
