// The question plan_generation: rows agree with generate, and what lost has a reason.
#include <tpuplan/ask/plan_generation.hpp>

#include "support/catch.hpp"
#include "support/pipelines.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_plan_generation_tests {

TEST_CASE("a row of a plan is what generate answers of it") {
  asked_generation_plan asked;
  asked.make.size = "512x512", asked.make.frames = 9;
  asked.items_per_hour = 5000, asked.generations = {"v6e"}, asked.largest_slice = 8;
  const read_generation made = filled(small_pipeline(), {}, asked.make, 1);
  const generation_plan_document document = answer_to_plan_generation(made, asked, {});
  REQUIRE_FALSE(document.plans.empty());
  for (const generation_plan_row& row : document.plans) {
    generate_request question;
    question.slice = row.slice, question.make = asked.make, question.batch = row.batch, question.slices = row.slices;
    question.mesh = {row.mesh.data, row.mesh.fsdp, row.mesh.tensor, row.mesh.context};
    question.exchange = row.mesh.exchange;
    const generate_answer a = answer_to_generate(filled(small_pipeline(), {}, asked.make, row.batch), question, {});
    CHECK(a.batch_time == row.batch_time);
    CHECK(a.items_per_hour == Approx(row.items_per_hour));
    CHECK(a.items_per_hour > asked.items_per_hour);
    CHECK(a.used == row.used);
    CHECK(row.usd_per_item == Approx(row.usd_per_hour / 5000));
  }
  std::int64_t lost = 0;
  for (const lost_servers_row& one : document.lost) lost += one.slices;
  CHECK(static_cast<std::size_t>(lost) == document.rejected.size());
  asked.regions = {"mars"};
  CHECK(refusal_of([&] { (void)answer_to_plan_generation(made, asked, {}); }).code == errc::unknown_name);
}

TEST_CASE("where no slice makes the items, each limit that is relaxed by itself lets a plan in") {
  asked_generation_plan asked;
  asked.make.size = "512x512", asked.make.frames = 9;
  asked.generations = {"v6e"}, asked.largest_slice = 8;
  const read_generation made = filled(small_pipeline(), {}, asked.make, 1);
  const auto document_of = [&](const asked_generation_plan& one) { return answer_to_plan_generation(made, one, {}); };
  const auto named = [](const generation_plan_document& document, const std::string& limit) {
    for (const relaxed_generation_row& row : document.relax)
      if (row.limit == limit) return std::optional<relaxed_generation_row>(row);
    return std::optional<relaxed_generation_row>();
  };
  asked.items_per_hour = 5000;
  CHECK(document_of(asked).relax.empty());  // there are plans
  asked.items_per_hour = 5e6, asked.largest_chips = 8;
  generation_plan_document none = document_of(asked);
  REQUIRE((none.plans.empty() && named(none, "chips")));
  CHECK(named(none, "chips")->given == 8);
  asked.largest_chips = static_cast<std::int64_t>(named(none, "chips")->needed);
  CHECK_FALSE(document_of(asked).plans.empty());
  asked.largest_chips -= 1;
  CHECK(document_of(asked).plans.empty());  // no fewer do
  asked.items_per_hour = 5000, asked.largest_chips = 1024, asked.latency = 1_ms;
  none = document_of(asked);
  REQUIRE((none.plans.empty() && named(none, "latency")));
  asked.latency = seconds{named(none, "latency")->needed};
  CHECK_FALSE(document_of(asked).plans.empty());
  CHECK(named(none, "latency")->plan.latency <= *asked.latency);
  asked.latency = {}, asked.generations = {"v5e"}, asked.largest_slice = 1, asked.largest_chips = 2;
  do {
    none = document_of(asked);
    asked.items_per_hour *= none.plans.empty() ? 1 : 1.25;
  } while (!none.plans.empty());
  REQUIRE((none.plans.empty() && named(none, "generation")));
  CHECK(named(none, "generation")->given_names == std::vector<std::string>{"v5e"});
  CHECK_FALSE(named(none, "region"));  // no region has other chips
  asked.generations = {named(none, "generation")->needed_name};
  CHECK_FALSE(document_of(asked).plans.empty());
  asked.items_per_hour = 5000, asked.largest_chips = 1024, asked.largest_slice = 8;
  asked.generations = {"v6e"}, asked.budget = usd_per_hour(0.01);
  none = document_of(asked);
  REQUIRE((none.plans.empty() && named(none, "budget")));
  asked.budget = usd_per_hour(named(none, "budget")->needed);
  REQUIRE_FALSE(document_of(asked).plans.empty());
  CHECK(document_of(asked).plans.front().usd_per_hour == Approx(named(none, "budget")->plan.usd_per_hour));
}

}  // namespace ask_plan_generation_tests
