// The question plan_day: what day and plan_serving say of its slices, its order, and what it refuses.
#include <tpuplan/ask/plan_day.hpp>
#include <tpuplan/show/views/plan_day.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_plan_day_tests {

namespace {

model_config llama() {
  model_config config;
  config.model = llama_3_8b();
  return config;
}

asked_plan_day asked_of(const std::vector<double>& rates) {
  asked_plan_day asked;
  asked.generations = {"v6e", "v5e"};
  asked.largest_chips = 16, asked.most_plans = 3;
  asked.job.output = fixed_length(64);
  asked.job.percentiles.first_token = {0.99, 2_s};
  for (const double rate : rates) asked.traffic.day.rates.push_back(per_second{rate});
  asked.traffic.day.part = 600_s;
  asked.traffic.scaling.start_up = 60_s;
  return asked;
}

day_document day_of(const asked_plan_day& asked, const day_plan_row& row) {
  asked_day one;
  one.slice = row.slice, one.mesh = row.mesh, one.job = asked.job, one.traffic = asked.traffic;
  return answer_to_day(llama(), one, price_book{});
}

plan_day_document planned(const asked_plan_day& asked) { return answer_to_plan_day(llama(), asked, price_book{}); }

}  // namespace

TEST_CASE("the first plan of a day is the same however many are shown, and no generation alone has a better one",
          "[slow]") {
  asked_plan_day asked = asked_of({1, 1, 2, 8, 2, 1});
  asked.generations.clear(), asked.largest_chips = 64;
  const plan_day_document three = planned(asked);
  REQUIRE(three.plans.size() == 3);
  REQUIRE(three.plans.front().meets_targets);
  asked.most_plans = 1;
  const plan_day_document one = planned(asked);
  REQUIRE(one.plans.size() == 1);
  CHECK(one.plans.front().slice == three.plans.front().slice);
  CHECK(one.plans.front().cost == three.plans.front().cost);
  CHECK(one.rejected.size() == three.rejected.size() + 2);
  for (const char* generation : {"v5e", "v6e", "v5p", "tpu7x"}) {
    asked.generations = {generation};
    for (const day_plan_row& row : planned(asked).plans)
      CHECK((!row.meets_targets || row.cost >= one.plans.front().cost));
  }
  asked.most_plans = 0;
  CHECK(says(refusal_of([&] { (void)planned(asked); }).message, "most_plans is 0"));
}

TEST_CASE("each plan of a day is what day says of its slice") {
  asked_plan_day asked = asked_of({2, 12, 5});
  asked.traffic.for_hpa = true;
  const plan_day_document said = planned(asked);
  REQUIRE(said.plans.size() == 3);
  for (const day_plan_row& row : said.plans) {
    const day_document day = day_of(asked, row);
    const double each = static_cast<double>(chips(slice_for(row.slice)));
    CHECK(row.slices == day.answer.fixed);
    CHECK(row.chips == static_cast<std::int64_t>(each) * row.slices);
    CHECK(row.slice_rate == day.answer.slice_rate);
    CHECK(close(row.ideal_chip_hours, each * day.answer.ideal_slice_hours, 1e-12));
    CHECK(close(row.fixed_chip_hours, each * static_cast<double>(row.slices) * 0.5, 1e-12));
    if (!row.is_simulated) continue;
    CHECK(row.mix == day.answer.options.front().mix);
    CHECK(row.cost == day.answer.options.front().cost);
    CHECK(row.first_token == day.answer.options.front().first_token);
    CHECK(row.meets_targets == day.answer.options.front().meets_targets);
  }
  REQUIRE(said.first);
  const day_document best = day_of(asked, said.plans.front());
  CHECK(said.first->answer.options.front() == best.answer.options.front());
  CHECK(said.first->answer.autoscaler == best.answer.autoscaler);
  CHECK(said.first->answer.ideal_slice_hours == best.answer.ideal_slice_hours);
  CHECK(view_of(said).next.front().question == "day");
}

TEST_CASE("the first plan of a day costs least of those that keep the targets, or has the fewest chips") {
  asked_plan_day asked = asked_of({2, 12, 5});
  const plan_day_document cheapest = planned(asked);
  REQUIRE_FALSE(cheapest.plans.empty());
  CHECK(cheapest.plans.front().meets_targets);
  for (const day_plan_row& row : cheapest.plans) {
    const day_option first = day_of(asked, row).answer.options.front();
    if (first.meets_targets) CHECK(cheapest.plans.front().cost <= first.cost);
  }
  asked.best = objective::fewest_chips;
  const plan_day_document fewest = planned(asked);
  REQUIRE_FALSE(fewest.plans.empty());
  for (const plan_day_document* other : {&cheapest, &fewest})
    for (const day_plan_row& row : other->plans) CHECK(fewest.plans.front().chips <= row.chips);
  asked.job.percentiles.first_token.limit = seconds{0.001};
  const plan_day_document none = planned(asked);
  CHECK(none.plans.empty());
  CHECK_FALSE(none.first);
  REQUIRE_FALSE(none.rejected.empty());
  CHECK(view_of(none).next.empty());
}

TEST_CASE("a plan of a day from a trace has its lengths") {
  asked_plan_day asked = asked_of({});
  asked.traffic.day = {};
  asked.traffic.part = 600_s;
  for (int i = 0; i < 2000; ++i) {
    asked.traffic.trace.push_back({});
    asked.traffic.trace.back().arrival = seconds{0.9 * i};
    asked.traffic.trace.back().prompt = 500, asked.traffic.trace.back().output = 20 + i % 3;
  }
  const plan_day_document said = planned(asked);
  REQUIRE(said.first);
  CHECK(said.day.rates.size() == 3);
  CHECK(said.first->job.prompt.mean == 500);
  CHECK(said.first->answer.options.front() == day_of(asked, said.plans.front()).answer.options.front());
}

TEST_CASE("a plan of a day says what it is missing, and what has no effect") {
  const auto refusal = [](const asked_plan_day& asked) { return refusal_of([&] { (void)planned(asked); }).message; };
  CHECK(says(refusal(asked_of({})), "traffic.day is missing"));
  asked_plan_day asked = asked_of({1, 2});
  asked.job.request_rate = per_second{3};
  CHECK(says(refusal(asked), "job.request_rate_per_s is given without effect"));
  asked = asked_of({1, 2});
  asked.job.percentiles = {};
  CHECK(says(refusal(asked), "job.percentiles is missing"));
  asked = asked_of({1, 2});
  asked.job.ttft_target = 1_s;
  CHECK(says(refusal(asked), "job.ttft_target_s is given for a day; valid: targets by percentile"));
  asked = asked_of({1, 2});
  asked.best = objective::fastest;
  CHECK(says(refusal(asked), "best is fastest; valid: cheapest or fewest_chips"));
  asked = asked_of({1, 2});
  asked.region = "mars";
  CHECK(says(refusal(asked), "mars"));
}

}  // namespace ask_plan_day_tests
