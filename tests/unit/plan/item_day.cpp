// A day of images or clips: slices that come and go share one queue; what keeps the target, and what that costs.
#include <string>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/plan/item_day.hpp>
#include <tpuplan/read/traces.hpp>
#include <tpuplan/simulate/arrivals.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_item_day_tests {

namespace {

/// Clips of 160 s under twelve hours, of which four have four times the traffic: 0.01 to 0.04 a second.
item_day_request clips() {
  item_day_request asked;
  asked.where = slice_for("v6e-16");
  asked.service.batch_time = seconds{160};
  asked.target = {0.95, seconds{600}};
  for (int i = 0; i < 12; ++i) asked.day.rates.push_back(per_second{i >= 4 && i < 8 ? 0.04 : 0.01});
  return asked;
}

const item_day_option* option_of(const item_day_answer& answer, provisioning kind, bool follows) {
  for (const item_day_option& one : answer.options) {
    if (one.mix.kind == kind && one.mix.follows == follows && one.mix.base == 0) return &one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a day of clips: fixed slices keep the target, those that follow the traffic cost less") {
  const item_day_request asked = clips();
  const item_day_answer answer = plan_day(asked);
  // 0.04 requests a second of 160 s take 6.4 slices.
  CHECK(answer.fixed >= 7);
  CHECK(answer.fixed <= 9);
  CHECK(detail::keep_target(asked, answer.fixed, per_second{0.04}));
  CHECK_FALSE(detail::keep_target(asked, answer.fixed - 1, per_second{0.04}));
  CHECK(answer.slice_rate * static_cast<double>(answer.fixed) >= per_second{0.04});
  const item_day_option* fixed = option_of(answer, provisioning::on_demand, false);
  const item_day_option* follows = option_of(answer, provisioning::on_demand, true);
  const item_day_option* spot = option_of(answer, provisioning::spot, true);
  REQUIRE((fixed != nullptr && follows != nullptr && spot != nullptr));
  CHECK(fixed->meets_targets);
  CHECK(fixed->good_share >= 0.95);
  CHECK(close(fixed->slice_hours, 12 * static_cast<double>(answer.fixed)));
  CHECK(close(fixed->cost.value(), fixed->slice_hours * 16 * 2.7, 1e-9));  // dollars an hour of a v6e chip
  CHECK(
      close(fixed->per_item.value(), fixed->cost.value() / (3600 * (8 * 0.01 + 4 * 0.04)), 1e-9));
  CHECK(follows->slice_hours < 0.8 * fixed->slice_hours);
  CHECK(follows->cost < fixed->cost);
  CHECK(spot->cost < follows->cost);
  CHECK(fixed->parts.size() == 12);
  CHECK(follows->parts[6].slices > 2.5 * follows->parts[1].slices);
  for (const item_day_part& part : fixed->parts) {
    CHECK(part.latency.p50 >= seconds{160 - 1e-9});
    CHECK(close(part.slices, static_cast<double>(answer.fixed)));
  }
  for (std::size_t i = 1; i < answer.options.size(); ++i) {
    const item_day_option &a = answer.options[i - 1], &b = answer.options[i];
    CHECK((a.meets_targets > b.meets_targets || (a.meets_targets == b.meets_targets && a.cost <= b.cost)));
  }
}

TEST_CASE("a day of the same traffic all the time: following it without headroom is the fixed fleet") {
  item_day_request asked = clips();
  asked.day.rates.assign(6, per_second{0.03});
  asked.scaling.headroom = 0;
  const item_day_answer answer = plan_day(asked);
  const item_day_option* fixed = option_of(answer, provisioning::on_demand, false);
  const item_day_option* follows = option_of(answer, provisioning::on_demand, true);
  REQUIRE((fixed != nullptr && follows != nullptr));
  CHECK(close(fixed->slice_hours, follows->slice_hours));
  CHECK(close(fixed->latency.p99.value(), follows->latency.p99.value()));
}

TEST_CASE("slices of batches need fewer; one that starts up late misses the target; the floor helps") {
  item_day_request asked = clips();
  const std::int64_t one_by_one = plan_day(asked).fixed;
  asked.service.batch = 4, asked.service.batch_time = seconds{320};
  CHECK(plan_day(asked).fixed < one_by_one);
  item_day_request late = clips();
  late.scaling.headroom = 0, late.scaling.start_up = seconds{7200};
  const item_day_answer missed = plan_day(late);
  const item_day_option* follows = option_of(missed, provisioning::on_demand, true);
  REQUIRE(follows != nullptr);
  CHECK_FALSE(follows->meets_targets);
  late.scaling.floor = missed.fixed;
  const item_day_answer kept = plan_day(late);
  CHECK(option_of(kept, provisioning::on_demand, true)->meets_targets);
}

TEST_CASE("an autoscaler that keeps the target of clips has the least headroom that does") {
  item_day_request asked = clips();
  asked.find_threshold = true;
  const item_day_answer answer = plan_day(asked);
  REQUIRE(answer.autoscaler.has_value());
  REQUIRE(answer.autoscaler->meets_targets);
  CHECK(
      close(answer.autoscaler->threshold.value(), answer.slice_rate.value() / (1 + answer.autoscaler->rule.headroom)));
  CHECK(answer.autoscaler->slice_hours < 12 * static_cast<double>(answer.fixed));
}

TEST_CASE("a day of clips that no number of slices makes in time, and days that are none") {
  item_day_request asked = clips();
  asked.target.limit = seconds{150};  // a batch takes 160 s
  CHECK(plan_day(asked).options.empty());
  CHECK(plan_day(asked).fixed == 0);
  const auto refused = [](const item_day_request& one) { return refusal_of([&] { (void)plan_day(one); }).message; };
  item_day_request none = clips();
  none.target = {};
  CHECK(says(refused(none), "item_day_request.target is none; valid: a target by percentile"));
  none = clips();
  none.day.rates.assign(1, per_second{0.02});
  CHECK(says(refused(none), "requests of the day is 72"));
  none = clips();
  none.day.rates.assign(24, per_second{30});
  CHECK(says(refused(none), "at most 2e6 images or clips"));
  none = clips();
  none.service.batch_time = {};
  CHECK(says(refused(none), "batch_service.batch_time"));
  CHECK(requests_of(read_day("hour,requests_per_s\n0,0.1\n", "day", 100)) == 360);
  CHECK(refusal_of([] { (void)read_day("hour,requests_per_s\n0,0.1\n"); }).refused);
}

}  // namespace plan_item_day_tests
