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

}  // namespace ask_plan_generation_tests
