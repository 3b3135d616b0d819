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

}  // namespace ask_any_model_tests
