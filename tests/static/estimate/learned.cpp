// The worked number in the comments of estimate/learned.hpp. It compiles, so it passes.
#include "support/near.hpp"
#include <tpuplan/estimate/learned.hpp>

using namespace tpuplan;

namespace static_estimate_learned_tests {

namespace {

constexpr own_spreads spreads{0.2, 0.1, 0.1, 1, 1, 1, 1, 0.5, 0.5};
constexpr own_runs one = with_run({}, spreads, {33, 14, 12, 6, 7, 0}, 0.3);
static_assert(one.items[0].weight - 5 < 1e-9 && 5 - one.items[0].weight < 1e-9);
static_assert(learned(one, spreads).items[0].weight == one.items[0].weight);

constexpr own_runs two = with_run(one, spreads, {33, 14, 12, 6, 7, 0}, 0.3);
static_assert(two.count == 2 && near_relative(two.items[0].weight, 0.3 / 0.11) &&
              near_relative(two.items[1].weight, 0.3 / 0.11));

}  // namespace

}  // namespace static_estimate_learned_tests
