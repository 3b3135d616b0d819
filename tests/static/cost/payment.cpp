// The worked numbers in the comments of cost/payment.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <type_traits>

#include "support/near.hpp"

using namespace tpuplan;

namespace static_cost_payment_tests {

namespace {

// A calendar reservation lasts up to 90 days.
static_assert(can_be_paid(provisioning::calendar, 1, 90_days));
static_assert(!can_be_paid(provisioning::calendar, 1, 90_days + 1_s));

// Commitments are two of the six ways of paying.
static_assert(is_commitment(provisioning::commitment_1y) && is_commitment(provisioning::commitment_3y) &&
              !is_commitment(provisioning::on_demand) && !is_commitment(provisioning::spot) &&
              !is_commitment(provisioning::flex_start) && !is_commitment(provisioning::calendar));

constexpr payment_options ten_days = ways_to_pay(price_book{}, slice_for("v6e-32"), 2, "us", 10_days);
static_assert(ten_days.count == 6);
static_assert(near_relative(find_way(ten_days, provisioning::on_demand)->total.value(), 41472));
static_assert(near_relative(find_way(ten_days, provisioning::flex_start)->total.value(), 20750.76));
static_assert(ways_to_pay(price_book{}, slice_for("v6e-32"), 1, "us", 100_days).count == 5);
static_assert(!can_be_paid(provisioning::calendar, 1, 100_days));
static_assert(!can_be_paid(provisioning::spot, 1, 100_days, {{6_s, 0, 15_s, 600_s, {}}, {}, 1}));

// What stops a run: two slices that are preempted every 4 h, and failures every 2 h.
constexpr payment_terms failing() {
  payment_terms terms;
  terms.mean_time_between_failures = 2_h;
  terms.spot.queue_time = 600_s;
  return terms;
}
constexpr spot_run on_spot = *stopped_run(provisioning::spot, 2, 10_h, failing());
static_assert(near_relative(on_spot.mean_time_between_preemptions.value(), 3600));
static_assert(near_relative(on_spot.queue_time.value(), 300));  // half of the stops are preemptions
static_assert(stopped_run(provisioning::on_demand, 2, 10_h, failing())->mean_time_between_preemptions == 2_h);
static_assert(!stopped_run(provisioning::on_demand, 2, 10_h, {}));
static_assert(checkpoint_interval_of(provisioning::spot, 2, 10_h, failing()) == on_spot.checkpoint_interval);
static_assert(checkpoint_interval_of(provisioning::on_demand, 2, 10_h, {}) == 10_h);
constexpr payment_terms failing_seldom() {
  payment_terms terms = failing();
  terms.mean_time_between_failures = 50_h;
  return terms;
}
static_assert(near_relative(checkpoint_interval_of(provisioning::on_demand, 1, 10_days, failing_seldom()).value(),
                            864000.0 / 373));

// What comes besides the steps is spread over the intervals: of the best one steps have their share, and one of so many
// steps is longer by the rest, at every pace.
constexpr payment_terms evaluating(bool of_steps) {
  payment_terms terms = failing_seldom();
  terms.besides_steps = 1_days;
  terms.interval_of_steps = of_steps;
  if (of_steps) terms.checkpoint_interval = 1_h;
  return terms;
}
static_assert(near_relative(checkpoint_interval_of(provisioning::on_demand, 1, 10_days, evaluating(false)).value(),
                            864000.0 / 411));
constexpr payment_terms of_an_hour = evaluating(true);
static_assert(near_relative(stopped_run(provisioning::on_demand, 1, 10_days, of_an_hour)->checkpoint_interval.value(),
                            3600 * 1.1));
static_assert(near_relative(checkpoint_interval_of(provisioning::on_demand, 1, 10_days, of_an_hour).value(), 3600));
constexpr double checkpoints_at(double pace) {
  const spot_run run = *stopped_run(provisioning::on_demand, 1, 10_days * pace, at_pace(of_an_hour, pace));
  return run.work / run.checkpoint_interval;
}
static_assert(near_relative(checkpoints_at(1), 240) && near_relative(checkpoints_at(0.7), 240) &&
              near_relative(checkpoints_at(1.3), 240));

// Results are plain data.
static_assert(std::is_trivially_copyable_v<paid_run> && std::is_trivially_copyable_v<payment_terms>);

// Flex-start is cheaper, but its price is older than the announced change.
static_assert(cheapest(ten_days)->kind == provisioning::spot && !cheapest(ten_days)->superseded &&
              cheapest(ten_days)->total > usd{25007.56} && cheapest(ten_days)->total < usd{25007.57});
static_assert(find_way(ten_days, provisioning::flex_start)->superseded &&
              find_way(ten_days, provisioning::calendar)->superseded);

}  // namespace

}  // namespace static_cost_payment_tests
