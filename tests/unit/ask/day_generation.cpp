// The question day_generation: what plan_day says of the batch that generate has, and what it refuses.
#include <tpuplan/ask/day_generation.hpp>

#include "support/catch.hpp"
#include "support/pipelines.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_day_generation_tests {

namespace {

asked_item_day asked_with(std::int64_t batch = 1) {
  asked_item_day asked;
  asked.slice = "v6e-8", asked.make.size = "256x256", asked.make.frames = 9, asked.batch = batch;
  asked.target = {0.95, 600_s};
  asked.traffic.day = {{per_second{0.05}, per_second{0.2}}, 3600_s};
  return asked;
}
item_day_document answer_of(const asked_item_day& asked) {
  return answer_to_day_generation(filled(small_pipeline(), {}, asked.make, asked.batch), asked, price_book{});
}

}  // namespace

TEST_CASE("a day of images that is asked about is that of plan_day", "[ask]") {
  asked_item_day asked = asked_with(4);
  asked.fill = 3_s, asked.traffic.variation = 2, asked.traffic.seed = 5, asked.traffic.for_hpa = true;
  asked.traffic.scaling = {60_s, 0.5, 2};
  const item_day_document said = answer_of(asked);
  item_day_request request;
  request.where = slice_for("v6e-8"), request.service = {1, 4, said.batch_time, 3_s};
  request.target = asked.target, request.day = asked.traffic.day, request.scaling = asked.traffic.scaling;
  request.variation = 2, request.seed = 5, request.find_threshold = true;
  CHECK(said.answer == plan_day(request));
  CHECK(said.batch_time == said.made.batch_time);
  REQUIRE(said.answer.autoscaler);
}

TEST_CASE("a day of images says what it is missing, and what has no effect", "[ask]") {
  const auto refusal = [](const asked_item_day& asked) { return refusal_of([&] { (void)answer_of(asked); }).message; };
  asked_item_day asked = asked_with();
  asked.target = {};
  CHECK(refusal(asked) ==
        "tpuplan: target is missing; valid: a target by percentile, which the slices of a day have to keep");
  asked = asked_with();
  asked.fill = 2_s;
  CHECK(refusal(asked) == "tpuplan: fill_s is 2; valid: 0 where a batch is one item");
  asked = asked_with();
  asked.traffic.day = {};
  CHECK(refusal(asked) == "tpuplan: traffic.day is missing; valid: rates of the parts of a day, or a trace");
}

}  // namespace ask_day_generation_tests
