// What a question says of a run besides its steps.
#include <tpuplan/ask/phases.hpp>
#include <tpuplan/ask/plan.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_phases_tests {

TEST_CASE("start and first compilation are together what a restart takes, unless they are given") {
  assumed_values assumed;
  const run_phases usual = phases_of(asked_phases{}, 600_s, assumed);
  CHECK(usual.start == 469.5_s);
  CHECK(usual.compilation == 130.5_s);
  CHECK(usual.evaluate_every == 0);
  CHECK(assumed.size() == 2);
  CHECK(phases_of(asked_phases{}, 60_s, assumed).start == 0_s);  // a restart shorter than a compilation
  asked_phases given;
  given.start_up = 5_min;
  given.compilation = 20_s;
  given.restore = 3_s;
  given.export_time = 4_s;
  given.checkpoint = 5_s;
  given.checkpoint_every = 6;
  assumed.clear();
  const run_phases as_given = phases_of(given, 600_s, assumed);
  CHECK(as_given.start + as_given.compilation + as_given.restore == 323_s);
  CHECK(as_given.export_time == 4_s);
  CHECK(as_given.checkpoint == 5_s);
  CHECK(as_given.checkpoint_every == 6);
  CHECK(assumed.empty());
  given.evaluation = 1_s;
  CHECK(says(refusal_of([&] { (void)phases_of(given, 600_s, assumed); }).message, "around.evaluate_every"));
  given.evaluation = {};
  given.evaluate_every = 7;
  CHECK(says(refusal_of([&] { (void)phases_of(given, 600_s, assumed); }).message, "around.evaluation_s"));
}

TEST_CASE("a deadline is a time, or a date from another one on") {
  asked_plan asked;
  CHECK_FALSE(deadline_of(asked));
  asked.by = "2026-12-31";
  CHECK(says(refusal_of([&] { (void)deadline_of(asked); }).message, "start"));
  asked.start = "2026-12-01";
  CHECK(deadline_of(asked) == 31_days);
  asked.start = "2027-01-01";
  CHECK(says(refusal_of([&] { (void)deadline_of(asked); }).message, "by is 2026-12-31"));
  asked.start = "2026-12-31";
  CHECK(deadline_of(asked) == 1_days);
  asked.deadline = 5_days;
  CHECK(says(refusal_of([&] { (void)deadline_of(asked); }).message, "deadline_s"));
  asked.by = {};
  CHECK(deadline_of(asked) == 5_days);
  asked.start = "soon";
  CHECK(says(refusal_of([&] { (void)deadline_of(asked); }).message, "start is soon"));
}

TEST_CASE("capacity is waited for as asked, and a market says how often spot is preempted") {
  asked_plan asked;
  payment_terms terms;
  assumed_values assumed;
  const auto fill = [&] { fill_capacity(asked, true, {"v5p", "v6e"}, {"us", "us-east5"}, terms, assumed); };
  fill();
  CHECK(terms.spot.mean_time_between_preemptions == 0_s);  // as published of each
  CHECK(terms.spot.queue_time == 18_min);
  CHECK(terms.flex_start.queue_time == 0_s);
  REQUIRE(assumed.size() == 4);
  CHECK(says(assumed[0].second, "88.4 min"));
  CHECK(says(assumed[0].second, "v5p in us-east5-a, a count of 2026"));
  CHECK(says(assumed[1].second, "4.00 hours"));
  CHECK(says(assumed[1].second, "no count is published for v5p, v6e there"));
  asked.market = spot_market::scarce;
  asked.queue_time = 1_h;
  asked.restart_time = 5_min;
  asked.chip_time_between_failures = 1000_h;
  assumed.clear();
  fill();
  CHECK(terms.spot.mean_time_between_preemptions == 1_h);
  CHECK(terms.flex_start.queue_time == 1_h);
  CHECK(terms.flex_start.restart_time == 5_min);
  CHECK(assumed.empty());
  asked.mean_time_between_preemptions = 2_h;
  CHECK(says(refusal_of(fill).message, "market"));
  asked.market.reset();
  asked.zone = "us-east5";
  CHECK(says(refusal_of(fill).message, "zone is us-east5"));
}

}  // namespace ask_phases_tests
