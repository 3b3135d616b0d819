// The one way from a file to what it describes.
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/ask/any_model.hpp>
#include <tpuplan/json.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_any_model_tests {
using nlohmann::json;

TEST_CASE("a file is a transformer, a tower as a network of layers, or a network", "[any_model]") {
  const any_model gpt = read_any_model({{"model_type", "gpt2"}});
  CHECK_FALSE(gpt.net);
  CHECK(trained_parameters(gpt) == 124439808);
  const any_model dino = read_any_model({{"model_type", "dinov3_vit"}, {"num_register_tokens", 4}});
  REQUIRE(dino.net);
  CHECK(trained_parameters(dino) == 21596544);  // as published
  CHECK(parameters(dino.config.model).total == 21596544);
  const any_model resnet = read_any_model(json::parse(R"({"model_type": "resnet", "num_labels": 1000})"));
  REQUIRE(resnet.net);
  CHECK(trained_parameters(resnet) == 25557032);
  const any_model own = read_any_model(json_document(*resnet.net));
  CHECK(trained_parameters(own) == 25557032);
  CHECK(own.config.model.name == resnet.net->name);
}

TEST_CASE("a file with images of another size, where it has images", "[any_model]") {
  const json vit = {{"model_type", "vit"}};
  CHECK(trained_parameters(read_any_model(vit, "config", 384)) - trained_parameters(read_any_model(vit)) ==
        (577 - 197) * 768);
  CHECK(read_any_model({{"model_type", "resnet"}}, "config", 256).net->height == 256);
  CHECK(says(refusal_of([] {
               (void)read_any_model({{"model_type", "gpt2"}}, "config", 384);
             }).message,
             "image_size is 384; valid: a model with a vision tower"));
  const json own = json_document(*read_any_model({{"model_type", "resnet"}}).net);
  CHECK(says(refusal_of([&] { (void)read_any_model(own, "config", 384, "--image-size"); }).message,
             "--image-size is 384; valid: a config.json"));
}

TEST_CASE("images of another size have the tokens that the class would have, and tables of a fixed size stay",
          "[any_model]") {
  const auto sized = [](const char* file, std::int64_t side) {
    return read_any_model(load_json(std::string(TPUPLAN_DATA_DIR) + "/models/" + file), "config", side).config.model;
  };
  const auto as_it_is = [](const char* file) {
    return read_any_model(load_json(std::string(TPUPLAN_DATA_DIR) + "/models/" + file)).config.model;
  };
  CHECK(image_tokens(sized("llava-1.5-7b.json", 672).vision) == 48 * 48);
  CHECK(image_tokens(sized("llava-1.5-7b.json", 336).vision) == 576);
  for (const char* file : {"llava-1.5-7b.json", "qwen2.5-vl-7b.json"}) {
    const transformer before = as_it_is(file);
    CHECK(parameters(sized(file, before.vision.image_size)).total == parameters(before).total);
  }
  // A table of 48 x 48 places that is interpolated, whatever the image.
  const json qwen = {
      {"model_type", "qwen3_vl"}, {"text_config", json::object()}, {"vision_config", {{"out_hidden_size", 4096}}}};
  const transformer wide = read_any_model(qwen, "config", 896).config.model;
  CHECK(parameters(wide).total == parameters(read_any_model(qwen).config.model).total);
  CHECK(image_tokens(wide.vision) == 4 * image_tokens(read_any_model(qwen).config.model.vision));
  // Three more mergers than the one, whose FLOPs are those of its matrices.
  const json deep = {
      {"model_type", "qwen3_vl"}, {"text_config", {{"hidden_size", 3584}}}, {"vision_config", json::object()}};
  const vision_spec tower = read_any_model(deep).config.model.vision;
  vision_spec one = tower;
  one.projector.beside = 0;
  const double matrices = 4608.0 * 4608 + 4608.0 * 3584, tokens = static_cast<double>(image_tokens(tower));
  CHECK(vision_flops_per_image(tower) - vision_flops_per_image(one) == flops{2 * 3 * tokens * matrices});
  CHECK(projector_parameters(tower) - projector_parameters(one) ==
        3 * (2 * 4608 + 4608 * 4608 + 4608 + 4608 * 3584 + 3584));
  // A class token and one for distillation keep their rows.
  const json deit = {{"model_type", "deit"}};
  CHECK(parameters(read_any_model(deit, "config", 224).config.model).total == trained_parameters(read_any_model(deit)));
}

TEST_CASE("a tower of tiles sees no other size", "[any_model]") {
  const json next = {{"model_type", "llava_next"}};
  CHECK(says(refusal_of([&] { (void)read_any_model(next, "config", 1344); }).message,
             "image_size is 1344; valid: 336, the side of a tile"));
  CHECK(image_tokens(read_any_model(next, "config", 336).config.model.vision) == 576);
  for (const char* type : {"llava_onevision", "internvl", "smolvlm", "idefics3", "cohere2_vision"})
    CHECK(says(refusal_of([&] {
                 (void)read_any_model({{"model_type", type}}, "config", 700);
               }).message,
               "the side of a tile"));
}

}  // namespace ask_any_model_tests
