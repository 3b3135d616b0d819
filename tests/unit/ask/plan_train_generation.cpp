// The question plan_train_generation: rows agree with train_generation, limits are kept, and what is left out is said.
#include <algorithm>
#include <tpuplan/ask/plan_train_generation.hpp>

#include "support/catch.hpp"
#include "support/pipelines.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_plan_train_generation_tests {

plan_train_generation_request small_question() {
  plan_train_generation_request asked;
  asked.sizes = {"256x256", "512x512"}, asked.frames = 9, asked.job.global_batch = 16, asked.data = {16000, 2, {}};
  asked.largest_chips = 16;
  return asked;
}
plan_train_generation_answer answered(const plan_train_generation_request& asked) {
  return answer_to_plan_train_generation(small_pipeline(), {}, asked, {});
}

TEST_CASE("a row of a plan of training is what train_generation answers of it", "[ask]") {
  const plan_train_generation_request asked = small_question();
  const plan_train_generation_answer a = answered(asked);
  REQUIRE(a.plans.size() > 4);
  for (const plan_train_generation_row& row : a.plans) {
    train_generation_request one;
    one.sizes = asked.sizes, one.frames = asked.frames, one.job = asked.job, one.data = asked.data;
    one.slice = row.slice;
    const train_generation_answer step = answer_to_train_generation(small_pipeline(), {}, one, {});
    INFO(row.slice);
    CHECK(step.step_time == row.step_time);
    CHECK(nlohmann::json(step.mesh) == nlohmann::json(row.mesh));
    CHECK(step.used == row.used);
    CHECK(*step.run == row.run);
    CHECK(nlohmann::json(*step.checkpoints) == nlohmann::json(row.checkpoints));
    const auto same = [&](const run_price& price) { return price.kind == row.kind; };
    const auto paid = std::find_if(step.costs->begin(), step.costs->end(), same);
    REQUIRE(paid != step.costs->end());
    CHECK(paid->total == row.cost);
  }
  CHECK(std::is_sorted(a.plans.begin(), a.plans.end(), [](const auto& x, const auto& y) { return x.cost < y.cost; }));
  CHECK(a.buckets.size() == 2);
  CHECK(a.epochs.steps == 2000);
}

TEST_CASE("v2 and v3 are planned for where they are named", "[ask]") {
  plan_train_generation_request asked = small_question();
  const auto has_old = [](const plan_train_generation_answer& a) {
    return std::any_of(a.plans.begin(), a.plans.end(), [](const auto& row) { return row.slice.substr(0, 3) == "v3-"; });
  };
  const auto says_so = [](const plan_train_generation_answer& a) {
    return std::any_of(a.assumed.begin(), a.assumed.end(),
                       [](const assumption& one) { return says(one.value, "v2 and v3"); });
  };
  CHECK_FALSE(has_old(answered(asked)));
  CHECK(says_so(answered(asked)));
  asked.generations = {"v3"};
  CHECK(has_old(answered(asked)));
  CHECK_FALSE(says_so(answered(asked)));
}

TEST_CASE("limits are kept, and a run without a batch or examples is refused", "[ask]") {
  plan_train_generation_request asked = small_question();
  const std::size_t all = answered(asked).plans.size();
  asked.deadline = answered(asked).plans.front().wall;
  const plan_train_generation_answer soon = answered(asked);
  CHECK(soon.plans.size() + soon.lost.misses_deadline == all);
  for (const plan_train_generation_row& row : soon.plans) CHECK(row.wall <= *asked.deadline);
  asked.job.global_batch = 0;
  CHECK(says(refusal_of([&] { (void)answered(asked); }).message, "job.global_batch is missing"));
  asked = small_question();
  asked.data = {};
  CHECK(says(refusal_of([&] { (void)answered(asked); }).message, "data.examples"));
}

}  // namespace ask_plan_train_generation_tests
