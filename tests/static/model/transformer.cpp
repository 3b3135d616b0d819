// The worked numbers in the comments of model/transformer.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/transformer.hpp>

#include "support/worked_models.hpp"

using namespace tpuplan;

namespace {

static_assert(moe_layers(deepseek_v3()) == 58);

}  // namespace
