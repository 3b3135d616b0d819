// The question generate: what is filled in, what is refused, and what the answer agrees with.
#include <tpuplan/ask/generate.hpp>

#include "support/catch.hpp"
#include "support/pipelines.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_generate_tests {

picture_request made(const char* size = "256x256", std::int64_t frames = 9) {
  picture_request one;
  one.size = size, one.frames = frames;
  return one;
}
generate_answer answer_on(const char* where, const picture_request& make, std::int64_t batch = 1) {
  generate_request asked;
  asked.slice = where, asked.make = make, asked.batch = batch;
  return answer_to_generate(filled(small_pipeline(), {}, make, batch), asked, {});
}
std::string assumed_of(const generate_answer& a, const std::string& field) {
  for (const assumption& one : a.assumed) {
    if (one.field == field) return one.value;
  }
  return {};
}

TEST_CASE("an item is its share of a batch, and the answer says what it rests on") {
  const generate_answer one = answer_on("v6e-8", made()), four = answer_on("v6e-8", made(), 4);
  CHECK(one.item_time == one.batch_time);
  CHECK(four.item_time == four.batch_time / 4);
  CHECK(four.item_time < one.item_time);
  CHECK(one.items_per_hour == Approx(3600 / one.item_time.value()));
  CHECK(one.clips);
  CHECK(one.runs == default_generation.runs);
  CHECK(one.forward == forward_flops_per_example(denoiser_for(small_pipeline(), 0, {256, 256, 9}, 1)));
  CHECK(says(assumed_of(one, "layout"), "the fastest that fits"));
  CHECK(says(assumed_of(one, "text"), "not counted"));
  CHECK(says(assumed_of(one, "text and decode"), "6.4 and 2.9 times as long"));
  CHECK(says(assumed_of(one, "steps"), "20"));
  CHECK(says(assumed_of(one, "guidance"), "two forward passes"));
}

TEST_CASE("dollars are those of the slice for the time of an item") {
  const generate_answer a = answer_on("v6e-8", made());
  const price_row price = price_for({}, slice_for("v6e-8"), "us", provisioning::on_demand);
  REQUIRE(a.usd_per_item);
  CHECK(*a.usd_per_item == Approx((rate(price.per_chip, 8) * a.item_time).value()));
  for (std::size_t i = 1; i < a.costs.size(); ++i) CHECK(a.costs[i - 1].usd_per_item <= a.costs[i].usd_per_item);
  CHECK(assumed_of(a, "way of paying") == "on_demand");
  generate_request asked;
  asked.slice = "v6e-8", asked.make = made(), asked.kind = provisioning::spot;
  const generate_answer spot = answer_to_generate(filled(small_pipeline(), {}, asked.make, 1), asked, {});
  CHECK(spot.kind == provisioning::spot);
  CHECK(assumed_of(spot, "way of paying").empty());
}

TEST_CASE("a layout that is given is taken") {
  generate_request asked;
  asked.slice = "v6e-8", asked.make = made(), asked.mesh = {1, 1, 2, 4}, asked.exchange = context_exchange::ring;
  const generate_answer a = answer_to_generate(filled(small_pipeline(), {}, asked.make, 1), asked, {});
  CHECK(a.mesh.tensor == 2);
  CHECK(a.mesh.context == 4);
  CHECK(a.mesh.exchange == context_exchange::ring);
  CHECK(assumed_of(a, "layout").empty());
  CHECK(answer_on("v6e-8", made()).batch_time <= a.batch_time);
}

TEST_CASE("what cannot be made is refused with the nearest that can") {
  const auto refused = [](const picture_request& make, std::int64_t batch = 1) {
    return refusal_of([&] { (void)filled(small_pipeline(), {}, make, batch); });
  };
  CHECK(says(refused(made("250x256")).message, "a width of 240 or 256, a height of 256 or 272"));
  CHECK(says(refused(made("256x256", 10)).message, "9 or 13"));
  CHECK(refused(made("256")).code == errc::malformed_input);
  CHECK(refused(made("0x256")).code == errc::malformed_input);
  picture_request make = made();
  make.guidance = 1;
  CHECK(filled(small_pipeline(), {}, make, 1).job.forwards == 1);
  make.guidance = 5;
  CHECK(filled(small_pipeline(), {}, make, 1).job.forwards == 2);
  diffusion_pipeline distilled = small_pipeline();
  distilled.usual_forwards = 1;
  CHECK(says(refusal_of([&] { (void)filled(distilled, {}, make, 1); }).message, "distilled"));
  distilled.guidance_input = true;
  CHECK(filled(distilled, {}, make, 1).job.forwards == 1);
  diffusion_pipeline images = small_pipeline();
  images.temporal = 1;
  CHECK(says(refusal_of([&] { (void)filled(images, {}, made(), 1); }).message, "makes images"));
  diffusion_pipeline silent = small_pipeline();
  silent.usual_steps = 0;
  CHECK(says(refusal_of([&] { (void)filled(silent, {}, made(), 1); }).message, "make.steps"));
  make.cache_speedup = 0.5;
  CHECK(says(refused(make).message, "cache_speedup"));
  CHECK(says(refused(made(), 0).message, "batch"));
  const auto laid = [](const generation_degrees& mesh) {
    generate_request asked;
    asked.slice = "v6e-8", asked.make = made(), asked.mesh = mesh;
    return refusal_of([&] { (void)answer_to_generate(filled(small_pipeline(), {}, asked.make, 1), asked, {}); });
  };
  CHECK(says(laid({3, 0, 0, 0}).message, "the devices of the slice"));
  CHECK(says(laid({8, 0, 0, 0}).message, "batch times the forward passes"));
}

TEST_CASE("the documents of Wan 2.1 have its published work and sizes") {
  std::vector<assumption> read;
  const diffusion_pipeline wan = read_pipeline({{"_class_name", "WanTransformer3DModel"}}, read);
  picture_request make = made("1280x720", 81);
  make.guidance = 5, make.steps = 50;
  generate_request asked;
  asked.slice = "tpu7x-8", asked.make = make;
  const generate_answer a = answer_to_generate(filled(wan, read, make, 1), asked, {});
  CHECK(3 * a.forward.value() == Approx(4 * 4893.27e12).epsilon(1e-3));  // what a training framework prints
  CHECK(a.batch_time_low <= seconds{252.4});
  CHECK(a.batch_time_high >= seconds{264.2});
  CHECK(a.limited_by == generation_bound::attention);
}

}  // namespace ask_generate_tests
