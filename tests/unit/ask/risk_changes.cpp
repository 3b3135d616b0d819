// The changes that risk offers: each is what asking with it answers.
#include <algorithm>
#include <string>
#include <string_view>
#include <tpuplan/ask/risk.hpp>
#include <tpuplan/ask/risk_changes.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_risk_changes_tests {

placed_job job_on(const std::string& slice, std::int64_t slices = 1) {
  model_config config;
  config.model = llama_3_8b();
  asked_job asked;
  asked.job = job_of(256, 4096);
  layout mesh = open_layout();
  mesh.dcn_data = slices;
  return placed(config, slice, mesh, asked);
}
risk_request ten_billion_tokens() {
  risk_request asked;
  asked.slice = "v5p-128";
  asked.tokens = 1e10;
  asked.runs = 1000;
  return asked;
}

TEST_CASE("changes raise the chance, the most first") {
  risk_request asked = ten_billion_tokens();
  asked.tokens = 1e11;
  asked.kind = provisioning::spot;
  asked.deadline = answer_to_risk(job_on("v5p-128", 2),
                                  [&] {
                                    risk_request open = asked;
                                    open.budget = usd{1e9};
                                    return open;
                                  }(),
                                  {})
                       .run *
                   1.2;
  const risk_answer answer = answer_to_risk(job_on("v5p-128", 2), asked, {});
  REQUIRE(answer.changes.size() >= 3);
  for (std::size_t i = 0; i < answer.changes.size(); ++i) {
    CHECK(answer.changes[i].chance_of_both > answer.chance_of_both);
    CHECK((i == 0 || answer.changes[i].chance_of_both <= answer.changes[i - 1].chance_of_both));
  }
}

TEST_CASE("an earlier start is a change where a date is kept, and none for a time from the start") {
  risk_request asked = ten_billion_tokens();
  asked.tokens = 1e11;
  asked.kind = provisioning::spot;
  asked.mean_time_between_preemptions = 1_h;
  asked.deadline = 3_days;
  const auto is_offered = [](const risk_answer& answer) {
    return std::any_of(answer.changes.begin(), answer.changes.end(),
                       [](const risk_change& one) { return one.change == "start 7 days earlier"; });
  };
  const risk_answer within = answer_to_risk(job_on("v5p-128", 2), asked, {});
  CHECK(within.chance_in_time < 0.9);
  CHECK_FALSE(is_offered(within));
  asked.deadline.reset();
  asked.start = "2026-12-01", asked.by = "2026-12-03";
  const risk_answer by = answer_to_risk(job_on("v5p-128", 2), asked, {});
  CHECK(by.chance_in_time == within.chance_in_time);
  CHECK(is_offered(by));
}

TEST_CASE(
    "another region is a change where it is cheaper or spot lasts longer there, at a price that is not doubtful") {
  const auto spot = [](const char* region, double dollars) {
    return price_row{
        "v5p", region, provisioning::spot, 1, usd_per_hour(dollars), "2026-06-03", date_qualifier::not_before, 'A'};
  };
  const price_row rows[] = {spot("us-east5", 1.5), spot("us-central1", 1.6), spot("us-south1", 1.2),
                            spot("us-east1", 2), spot("europe-west1", 0.1)};
  const price_book book(rows, 5);
  risk_request asked = ten_billion_tokens();
  asked.tokens = 1e11;
  asked.kind = provisioning::spot;
  asked.region = "us-east5";  // of which 19 preemptions in 28 h are known
  asked.budget = usd{1e9};
  const placed_job all = job_on("v5p-128");
  const risk_answer open = answer_to_risk(all, asked, book);
  asked.deadline = *open.wall_p50;
  const risk_answer answer = answer_to_risk(all, asked, book);
  const auto change = [&](std::string_view region) {
    return std::find_if(answer.changes.begin(), answer.changes.end(),
                        [&](const risk_change& one) { return says(one.change, region); });
  };
  REQUIRE(change("in us-south1") != answer.changes.end());
  CHECK(change("in us-south1")->chance_of_both > answer.chance_of_both);
  CHECK(change("in us-central1") != answer.changes.end());   // dearer, and nothing is known against it
  CHECK(change("in europe-west1") == answer.changes.end());  // a price far below all others
  asked.region = "us-south1";
  const risk_answer there = answer_to_risk(all, asked, book);
  CHECK(there.chance_of_both == change("in us-south1")->chance_of_both);
  // So it is where a zone is named beside a region of which nothing is known.
  asked.region = "us-south1", asked.zone = "us-east5-a";
  const risk_answer in_zone = answer_to_risk(all, asked, book);
  CHECK(std::any_of(in_zone.changes.begin(), in_zone.changes.end(),
                    [](const risk_change& one) { return says(one.change, "in us-central1"); }));
}

TEST_CASE("no region is a change whose zones are for single tenants") {
  const price_row rows[] = {
      {"v6e", "us", provisioning::spot, 1, usd_per_hour(1.4), "2026-08-10", date_qualifier::exact, 'B'},
      {"v6e", "us-east4", provisioning::spot, 1, usd_per_hour(0.8), "2026-08-10", date_qualifier::exact, 'B'},
      {"v6e", "us-east1", provisioning::spot, 1, usd_per_hour(0.9), "2026-08-10", date_qualifier::exact, 'B'}};
  risk_request asked = ten_billion_tokens();
  asked.slice = "v6e-128";
  asked.kind = provisioning::spot;
  asked.budget = usd{1e9};
  const placed_job all = job_on("v6e-128");
  const price_book book(rows, 3);
  asked.budget = *answer_to_risk(all, asked, book).cost_p10;
  std::string words;
  for (const risk_change& one : answer_to_risk(all, asked, book).changes) words += one.change + "; ";
  CHECK(says(words, "in us-east1"));
  CHECK_FALSE(says(words, "in us-east4"));
}

/// 1e11 tokens on spot that is preempted about every 8 minutes, within a time and dollars.
risk_request close_to_its_limits(seconds within, usd budget) {
  risk_request asked = ten_billion_tokens();
  asked.tokens = 1e11;
  asked.kind = provisioning::spot;
  asked.mean_time_between_preemptions = 15_min;
  asked.deadline = within;
  asked.budget = budget;
  return asked;
}

TEST_CASE("another slice is offered with its layout and policy, in which a plan has the same run", "[ask]") {
  const placed_job all = job_on("v5p-128");
  risk_request asked = ten_billion_tokens();
  asked.tokens = 1e11;
  asked.kind = provisioning::on_demand;
  asked.deadline = 3_days;
  const risk_answer answer = answer_to_risk(all, asked, {});
  const auto larger = std::find_if(answer.changes.begin(), answer.changes.end(),
                                   [](const risk_change& one) { return one.change == "v5p-256"; });
  REQUIRE(larger != answer.changes.end());
  CHECK(says(larger->laid_out, "remat "));
  plan_request request;
  request.model = all.config.model;
  request.job = all.job;
  request.tokens = asked.tokens;
  request.generations = {"v5p"};
  request.smallest_chips = request.largest_chips = 128;
  const plan other = make_plan(request).plans.front();
  CHECK(says(larger->laid_out, std::string(name(other.job.remat))));
  for (const risk_change& one : answer.changes) CHECK(one.laid_out.empty() == !says(one.change, "v5p-"));
}

TEST_CASE("on demand from the day on that raises the chance most is a change, and is what asking with it answers",
          "[slow]") {
  const placed_job all = job_on("v5p-128");
  risk_request asked = close_to_its_limits(12_days, usd{45000});
  const risk_answer answer = answer_to_risk(all, asked, {});
  const auto change = std::find_if(answer.changes.begin(), answer.changes.end(), [](const risk_change& one) {
    return says(one.change, "go on on demand from day ");
  });
  INFO(answer.chance_of_both << " " << answer.run.value() / 86400 << " d " << answer.cost_p50->value());
  REQUIRE(change != answer.changes.end());
  const double days = std::stod(change->change.substr(change->change.find("(after ") + 7));
  double most = 0;
  for (int day = 0; day <= 12; ++day) {
    asked.on_demand_after = day * 1_days;
    const risk_answer then = answer_to_risk(all, asked, {});
    if (day == days) {
      CHECK(then.chance_of_both == change->chance_of_both);
      CHECK(then.wall_p90 == change->wall_p90);
      CHECK(then.cost_p90 == change->cost_p90);
    }
    most = std::max(most, then.chance_of_both);
  }
  CHECK(change->chance_of_both > answer.chance_of_both);
  CHECK(change->chance_of_both >= most - 0.03);  // few runs tell days apart
}

TEST_CASE("a deadline of few days is told in hours, and what is done on demand anyway has no such change") {
  CHECK(detail::after_words(7_days) == "go on on demand from day 8 on (after 7 days)");
  CHECK(detail::after_words(1_h) == "go on on demand from hour 2 on (after 1 hour)");
  CHECK(detail::after_words(0_h) == "go on on demand from day 1 on (after 0 days)");
  const placed_job all = job_on("v5p-128");
  risk_request asked = close_to_its_limits(12_days, usd{45000});
  const auto is_offered = [](const risk_answer& answer) {
    return std::any_of(answer.changes.begin(), answer.changes.end(),
                       [](const risk_change& one) { return says(one.change, "go on on demand from"); });
  };
  asked.on_demand_in_time = true;
  CHECK_FALSE(is_offered(answer_to_risk(all, asked, {})));
  asked.on_demand_in_time = false;
  asked.kind = provisioning::on_demand;
  asked.mean_time_between_preemptions.reset();
  CHECK_FALSE(is_offered(answer_to_risk(all, asked, {})));
}

}  // namespace ask_risk_changes_tests
