// The worked numbers in the comments of cost/serving_cost.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/serving_cost.hpp>

using namespace tpuplan;

namespace {

// Less than one sequence that runs on average still pays for the slice.
static_assert([] {
  serving_estimate e;
  e.running = 0.25;
  e.per_token.prompts = 1_ms;
  e.per_token.total = 4_ms;
  e.input_tokens = per_second{100};
  e.output_tokens = per_second{25};
  return cost_of_tokens(e, usd_per_hour(3.6)).output == 30_usd;
}());

}  // namespace
