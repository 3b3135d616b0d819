// The question train_generation: published steps, buckets, adapters, the run and what is refused.
#include <tpuplan/ask/train_generation.hpp>

#include "support/catch.hpp"
#include "support/pipelines.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_train_generation_tests {

train_generation_request small_question(std::vector<std::string> sizes = {"256x256"}) {
  train_generation_request asked;
  asked.slice = "v5p-8", asked.sizes = std::move(sizes), asked.frames = 9, asked.job.global_batch = 16;
  return asked;
}
train_generation_answer answered(const train_generation_request& asked) {
  return answer_to_train_generation(small_pipeline(), {}, asked, {});
}

TEST_CASE("sizes and frames that are none are refused under their names in the request") {
  train_generation_request asked;
  asked.slice = "v6e-8";
  const auto refused = [&] {
    return refusal_of([&] { (void)answer_to_train_generation(small_pipeline(), {}, asked, {}); }).message;
  };
  asked.sizes = {"512"};
  CHECK(says(refused(), "sizes is 512"));
  asked.sizes = {"250x256"};
  CHECK(says(refused(), "sizes is 250x256"));
  asked.sizes = {"256x256"}, asked.frames = 10;
  CHECK(says(refused(), "tpuplan: frames is 10"));
}

TEST_CASE("slices that are none are refused, of a batch that is given too") {
  train_generation_request asked = small_question();
  fit_generation_request fitted;
  fitted.slice = asked.slice, fitted.sizes = asked.sizes, fitted.frames = asked.frames, fitted.job = asked.job;
  for (const std::int64_t slices : {0, -1}) {
    asked.slices = fitted.slices = slices;
    CHECK(says(refusal_of([&] { (void)answered(asked); }).message, "slices is " + std::to_string(slices)));
    CHECK(says(refusal_of([&] { (void)answer_to_fit_generation(small_pipeline(), {}, fitted); }).message,
               "slices is " + std::to_string(slices)));
  }
}

TEST_CASE("the published step of Wan 2.1 14B lies in the band, and near the estimate") {
  std::vector<assumption> read;
  const diffusion_pipeline wan = read_pipeline({{"_class_name", "WanTransformer3DModel"}}, read);
  train_generation_request asked;
  asked.slice = "v5p-8", asked.sizes = {"1280x720"}, asked.frames = 81, asked.job.global_batch = 1;
  const train_generation_answer a = answer_to_train_generation(wan, read, asked, {});
  CHECK(a.step_time.value() == Approx(36.01).epsilon(0.1));
  CHECK(a.fits != verdict::no);
  // The framework prints 4 x 4893.27 TFLOP a step.
  CHECK(a.breakdown.floor.value() == Approx(4893.27e12 / 459e12).epsilon(1e-3));
  CHECK(a.trained_parameters == 14288491584);
}

TEST_CASE("buckets are averaged, and the largest decides what fits") {
  const train_generation_answer small = answered(small_question()), large = answered(small_question({"512x512"}));
  train_generation_request both = small_question({"256x256", "512x512"});
  both.mesh = {small.mesh.data, small.mesh.fsdp, small.mesh.tensor, small.mesh.context};
  const train_generation_answer a = answered(both);
  REQUIRE(a.buckets.size() == 2);
  CHECK(a.step_time.value() == Approx((a.buckets[0].step_time + a.buckets[1].step_time).value() / 2));
  CHECK(small.step_time < a.step_time);
  CHECK(a.buckets[0].step_time < a.buckets[1].step_time);
  CHECK(a.used >= small.used);
  CHECK(large.step_time > small.step_time);
}

TEST_CASE("a run is its steps, at the prices of the slice") {
  train_generation_request asked = small_question();
  asked.data = {16000, 2, remainder::drop};
  const train_generation_answer a = answered(asked);
  REQUIRE(a.run);
  CHECK(a.epochs->steps == 2000);
  CHECK(a.run->value() == Approx(2000 * a.step_time.value()));
  REQUIRE(a.costs);
  for (const run_price& one : *a.costs)  // with its start, checkpoints and stops
    CHECK(one.total.value() == Approx(pay_for(slice_for("v5p-8"), 1, *a.run, one.price, a.terms).total.value()));
  const train_generation_answer step = answered(small_question());
  CHECK_FALSE(step.run);
  CHECK_FALSE(step.checkpoints);
}

TEST_CASE("a run writes checkpoints of what is trained, and has its phases", "[ask]") {
  train_generation_request asked = small_question();
  asked.data = {160000, 20, remainder::drop};
  const train_generation_answer a = answered(asked);
  REQUIRE(a.checkpoints);
  CHECK(a.checkpoints->each.value() == static_cast<double>(a.trained_parameters) * 12);
  CHECK(a.checkpoints->period ==
        steps_between_checkpoints(checkpoint_interval_of(provisioning::on_demand, 1, *a.run, a.terms), a.step_time));
  CHECK_FALSE(a.timeline);
  asked.around.start_up = 1000_s;
  const train_generation_answer slow = answered(asked);
  REQUIRE(slow.timeline);
  CHECK(slow.timeline->start == 1000_s);
  CHECK(slow.timeline->steps == *slow.run);
  CHECK(slow.costs->front().total > a.costs->front().total);
  asked.job.lora_rank = 8;
  CHECK(answered(asked).checkpoints->each < a.checkpoints->each / 10);
}

TEST_CASE("fit says of a step what train says of its memory", "[ask]") {
  fit_generation_request asked;
  asked.slice = "v5p-8", asked.sizes = {"256x256"}, asked.frames = 9, asked.job.global_batch = 16;
  const fit_generation_answer fit = answer_to_fit_generation(small_pipeline(), {}, asked);
  const train_generation_answer step = answered(small_question());
  CHECK(fit.used == step.used);
  CHECK(fit.fits == step.fits);
  CHECK(nlohmann::json(fit.mesh) == nlohmann::json(step.mesh));
  CHECK(fit.trained_parameters == step.trained_parameters);
  REQUIRE(fit.largest_batch);
  asked.mesh = {fit.mesh.data, fit.mesh.fsdp, fit.mesh.tensor, fit.mesh.context};
  asked.job.global_batch = *fit.largest_batch;
  CHECK(answer_to_fit_generation(small_pipeline(), {}, asked).fits == verdict::yes);
  asked.job.global_batch = *fit.largest_batch + fit.mesh.data;
  CHECK(answer_to_fit_generation(small_pipeline(), {}, asked).fits != verdict::yes);
}

TEST_CASE("adapters train few parameters, and take less") {
  train_generation_request asked = small_question();
  asked.job.lora_rank = 8;
  const train_generation_answer a = answered(asked), full = answered(small_question());
  CHECK(a.trained_parameters < full.trained_parameters / 10);
  CHECK(a.step_time < full.step_time);
}

TEST_CASE("what cannot be trained so is refused by its field") {
  const auto refused = [](const train_generation_request& asked) {
    return refusal_of([&] { (void)answered(asked); }).message;
  };
  train_generation_request asked = small_question({"250x256"});
  CHECK(says(refused(asked), "sizes is"));
  asked = small_question();
  asked.mesh.data = 4, asked.job.global_batch = 6;
  CHECK(says(refused(asked), "global_batch"));
  diffusion_pipeline alone = small_pipeline();
  alone.decoder = {};
  asked = small_question();
  asked.job.encode = true;
  CHECK(says(refusal_of([&] { (void)answer_to_train_generation(alone, {}, asked, {}); }).message, "job.encode"));
  asked = small_question();
  asked.mesh.tensor = 3;
  CHECK(says(refused(asked), "devices of the slice"));
}

}  // namespace ask_train_generation_tests
