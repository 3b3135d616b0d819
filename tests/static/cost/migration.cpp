// The worked numbers in the comments of cost/migration.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/migration.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_migration_tests {

namespace {

constexpr migration worked_move = {60000_usd, 2500_usd, 4, 0};
constexpr migration discounted_move = {60000_usd, 2500_usd, 4, 0.1};
static_assert(months_to_pay_back(worked_move) == 6.0);
static_assert(near_relative(*months_to_pay_back(discounted_move), 6.172764808));
static_assert(value_of_migration(worked_move, 12) == 60000_usd);
static_assert(near_relative(value_of_migration(discounted_move, 12).value(), 54004.87829));
static_assert(break_even_saving_per_job(worked_move, 12) == 1250_usd);

}  // namespace

}  // namespace static_cost_migration_tests
