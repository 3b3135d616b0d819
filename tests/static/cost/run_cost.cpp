// The worked numbers in the comments of cost/run_cost.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/price.hpp>
#include <tpuplan/cost/run_cost.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_run_cost_tests {

namespace {

static_assert(same_price(rate(usd_per_hour(1.20), chips(slice_for("v5e-32"))), 38.40));
static_assert(same_price(rate(usd_per_hour(1.20), chips(slice_for("v5e-8"))), 9.60));
// A spot run of 2.4 h at 19.20 an hour against 2 h on demand at 38.40.
static_assert(same_money(cost(usd_per_hour(19.20), 2.4_h), 46.08));
static_assert(same_money(cost(usd_per_hour(38.40), 2_h), 76.80));
static_assert(near(saving(cost(usd_per_hour(38.40), 2_h), cost(usd_per_hour(19.20), 2.4_h)), 0.40, 1e-12));
// GPUs: one A100 of 40 GB for 10 h at 3.67; a machine of eight of 80 GB for 4 h at 47.12.
static_assert(same_money(cost(usd_per_hour(3.67), 10_h), 36.70));
static_assert(same_money(cost(usd_per_hour(47.12), 4_h), 188.48));
static_assert(same_money(cost(rate(usd_per_hour(47.12 / 8), 8), 4_h), 188.48));

static_assert(same_price(rate(usd_per_hour(1.20), 32), 38.40));
static_assert(same_money(cost(usd_per_hour(3.67), 10_h), 36.70));
static_assert(billed_time(provisioning::calendar, 25_h) == 2_days);
static_assert(billed_time(provisioning::commitment_1y, 10_days) == 365_days);
static_assert(billed_time(provisioning::commitment_3y, 1096_days) == 2190_days);
constexpr price_row v5e_on_demand() {
  return price_for(price_book{}, slice_for("v5e-32"), "us", provisioning::on_demand);
}
static_assert(same_money(cost_of_run(slice_for("v5e-32"), 1, 2_h, v5e_on_demand()).total, 76.80));
static_assert(near(cost_per_million_tokens(usd_per_hour(38.40), per_second{10000}).value(), 1.0667, 0.00005));
static_assert(near(flops_per_dollar(v5e, usd_per_hour(1.20)).value(), 5.91e17, 1e5));
static_assert(near(saving(usd{76.80}, usd{46.08}), 0.4, 1e-12));

}  // namespace

}  // namespace static_cost_run_cost_tests
