// What a question says of a run besides its steps.
#include <algorithm>
#include <optional>
#include <tpuplan/ask/phases.hpp>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/ask/training.hpp>
#include <utility>

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
  given.compilation = 10_min;  // does not make VMs start at once
  CHECK(phases_of(given, std::nullopt, assumed).start == 469.5_s);
  CHECK(phases_of(given, 900_s, assumed).start == 300_s);
  assumed.clear();
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

TEST_CASE("a start is by the VMs of the slice, unless it or the restart is given") {
  assumed_values assumed;
  const run_phases usual = phases_of(asked_phases{}, std::nullopt, assumed);
  CHECK((usual.start_by_size && usual.restart_by_size));
  REQUIRE_FALSE(assumed.empty());
  CHECK(says(assumed.front().second, "7.83 min, 11.4 min from 64 VMs on, 18.9 min from 256 on"));
  const run_phases restart = phases_of(asked_phases{}, 600_s, assumed);
  CHECK_FALSE((restart.start_by_size || restart.restart_by_size));
  asked_phases given;
  given.start_up = 5_min;
  const run_phases start = phases_of(given, std::nullopt, assumed);
  CHECK((!start.start_by_size && start.restart_by_size));
}

/// Plans of 1e9 tokens of a model of 3e9 parameters on v6e, whose start costs as much as its steps on many chips.
plan_document short_run() {
  asked_plan asked;
  asked.config = {{"model_type", "llama"},   {"hidden_size", 2048},        {"intermediate_size", 11008},
                  {"num_hidden_layers", 36}, {"num_attention_heads", 16},  {"num_key_value_heads", 4},
                  {"vocab_size", 128256},    {"tie_word_embeddings", true}};
  asked.tokens = 1e9;
  asked.generations = {"v6e"};
  return detail::answer_to_plan(asked, {}, price_book{});
}

TEST_CASE("many chips are not first in a short run, and each row has the start of its slice, as train has it") {
  const plan_document planned = short_run();
  const auto row_on = [&](const char* slice) {
    const auto found = std::find_if(planned.plans.begin(), planned.plans.end(),
                                    [&](const plan_row& row) { return row.slice == slice; });
    REQUIRE(found != planned.plans.end());
    return *found;
  };
  const plan_row many = row_on("v6e-256"), few = row_on("v6e-64");  // 64 and 16 VMs
  CHECK(few.rank < many.rank);
  CHECK(*many.total > 1.8 * *few.total);
  for (const auto& [row, start] : {std::make_pair(many, 684.75_s), std::make_pair(few, 469.5_s)}) {
    model_config config;
    config.model = planned.request.model;
    asked_job job;
    job.job = row.plan.job;
    job.remat = row.plan.job.remat;
    train_request asked;
    asked.tokens = 1e9;
    asked.timeline = true;
    const train_answer trained = answer_to_train(placed(config, row.slice, row.plan.mesh, job), asked, price_book{});
    INFO(row.slice);
    REQUIRE(trained.timeline);
    CHECK(trained.timeline->start == start);
    CHECK(trained.terms.spot.restart_time == start + usual_first_compilation());
    CHECK(close(trained.timeline->total.value().value(), row.total->value(), 1e-12));
    CHECK(close(trained.timeline->wall.value(), row.wall->value(), 1e-12));
  }
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
