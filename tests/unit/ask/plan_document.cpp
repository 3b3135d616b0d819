// The document that answers plan: its rows, their dates and chances, and what is left out of it.
#include <algorithm>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/ask/plan_document.hpp>
#include <utility>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_plan_document_tests {

namespace {

asked_plan question() {
  asked_plan asked;
  asked.config = json_document(llama_3_8b());
  asked.tokens = 1e12;
  asked.generations = {"v5e"};
  asked.largest_chips = 64;
  return asked;
}
model_config llama() {
  model_config config;
  config.model = llama_3_8b();
  return config;
}

}  // namespace

TEST_CASE("a document has the plans at its indices, by rank") {
  assumed_values assumed;
  const plan_request request = request_of(llama(), question(), {}, price_book{}, assumed);
  const relaxed_answer answer = plan_or_relax(request);
  REQUIRE(answer.answer.plans.size() > 1);
  const plan_document document = document_of(request, answer, {1}, {});
  REQUIRE(document.plans.size() == 1);
  CHECK(document.plans.front().rank == 2);
  CHECK(document.parameters == 8030261248);
  CHECK(document.rejected.size() == answer.answer.rejected.size());
}

// Beyond the 200th row too, which is as far as they went.
TEST_CASE("every plan has its chance where a deadline or a budget is given", "[ask]") {
  asked_plan asked = question();
  asked.generations = {};
  asked.largest_chips = asked_plan{}.largest_chips;
  asked.largest_slices = 64;
  asked.deadline = 1000_days;
  const plan_document document = detail::answer_to_plan(asked, {}, price_book{});
  CHECK(document.plans.size() > 200);
  for (const plan_row& row : document.plans) {
    CHECK(row.chance_in_time.has_value());
    CHECK_FALSE(row.chance_in_budget.has_value());
  }
}

TEST_CASE("plans by a date say on which day each is done") {
  asked_plan asked = question();
  asked.by = "2027-12-31", asked.start = "2026-12-01";
  const plan_document document = detail::answer_to_plan(asked, {}, price_book{});
  CHECK(document.by == "2027-12-31");
  CHECK(document.start == "2026-12-01");
  for (const plan_row& row : document.plans) {
    const double days = in_days(*row.wall);
    CHECK(row.done_on == std::string(date_after("2026-12-01", static_cast<std::int64_t>(days)).view()));
    CHECK(row.chance_in_time.has_value());
  }
}

// 16 chips of v6e take 99 days for 10^12 tokens, 64 chips 247 for 10^13; a calendar window ends after 90.
TEST_CASE("a plan says which runs are too long for a way of paying that was asked for") {
  const auto left_out = [](std::vector<provisioning> kinds, double tokens) {
    asked_plan asked = question();
    asked.generations = {"v6e"};
    asked.kinds = std::move(kinds);
    asked.tokens = tokens;
    assumed_values assumed;
    const plan_request request = request_of(llama(), asked, {}, price_book{}, assumed);
    std::string words;
    for (const assumption& one : document_of(request, plan_or_relax(request), {}, {}).assumed)
      words += one.value + ": " + one.why + "\n";
    return words;
  };
  const std::string all = left_out({provisioning::calendar, provisioning::on_demand}, 1e12);
  CHECK(says(all, "calendar of "));
  CHECK(says(all, " more: the run is longer than 90 days"));
  CHECK(says(left_out({provisioning::calendar}, 1e13), "the run is longer than 90 days"));  // where there is no plan
  CHECK_FALSE(says(left_out({provisioning::on_demand}, 1e12), "90 days"));
  CHECK_FALSE(says(left_out({provisioning::calendar, provisioning::on_demand}, 1e9), "90 days"));
}

}  // namespace ask_plan_document_tests
