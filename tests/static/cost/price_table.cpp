// Ways of paying by name, and rows of the table. It compiles, so it passes.
#include <tpuplan/cost/price_table.hpp>

using namespace tpuplan;

namespace static_cost_price_table_tests {

namespace {

constexpr bool names_are_read_back() {
  for (const provisioning kind : all_provisioning) {
    if (parse_provisioning(name(kind)) != kind) return false;
  }
  return true;
}
static_assert(names_are_read_back());
static_assert(!parse_provisioning("free").has_value() && name(date_qualifier::not_before) == "not_before");

static_assert(parse_provisioning("flex-start") == all_provisioning[2]);

}  // namespace

}  // namespace static_cost_price_table_tests
