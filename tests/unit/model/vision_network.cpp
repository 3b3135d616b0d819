// Vision transformers read from Hugging Face configurations, as lists of layers.
#include <string>
#include <tpuplan/model/vision_network.hpp>
#include <tpuplan/read/hf.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace model_vision_network_tests {

namespace {
transformer vit() { return load_hf_config(std::string(TPUPLAN_DATA_DIR) + "/models/vit-base-patch16-224.json").model; }
}  // namespace

TEST_CASE("a vision transformer has as many parameters and FLOPs as a list of layers as it has as a tower") {
  const network net = network_of(vit());
  CHECK(parameters(net).trained == parameters(vit()).total);
  CHECK(parameters(net).trained == 86567656);
  CHECK(forward_flops_per_example(net).value() == vision_flops_per_image(vit().vision).value() + 2 * 768 * 1000);
}

TEST_CASE("a tower writes the same numbers beside text as alone, where pixels and tables are counted too") {
  for (const char* file : {"vit-base-patch16-224", "llava-1.5-7b", "gemma-3-27b", "qwen2-vl-7b"}) {
    INFO(file);
    const model_config read = load_hf_config(std::string(TPUPLAN_DATA_DIR) + "/models/" + file + ".json");
    transformer alone;
    alone.kind = architecture::vision;
    alone.vision = read.model.vision;
    alone.vision.projector = {};
    alone.vision.other_weights = 0;
    const vision_spec& v = alone.vision;
    const auto side = static_cast<double>(v.image_size);
    const double pixels = side * side * static_cast<double>(v.channels * v.temporal_patch);
    const auto tables = static_cast<double>(((v.class_token ? 1 : 0) + v.learned_positions) * v.d_model);
    CHECK(close(saved_numbers_per_example(network_of(alone)), vision_numbers_per_image(v) + pixels + tables, 1e-12));
  }
}

TEST_CASE("a tower where only some projections of attention have biases is a list of layers too") {
  for (const bool qkv : {false, true}) {
    for (const bool output : {false, true}) {
      transformer model = vit();
      model.vision.qkv_bias = qkv;
      model.vision.output_bias = output;
      CHECK(parameters(network_of(model)).trained == parameters(model).total);
      CHECK(parameters(model).total == 86567656 - 12 * 768 * ((qkv ? 0 : 3) + (output ? 0 : 1)));
    }
  }
}

TEST_CASE("the projection of a tower by itself is one of its layers") {
  transformer model = vit();
  model.pooler = false;
  model.classes = 0;
  const std::int64_t tower = parameters(network_of(model)).trained;
  model.vision.projector.input = 768;
  model.vision.projector.output = 512;
  model.vision.tokens_per_image = 1;
  CHECK(parameters(network_of(model)).trained == tower + 768 * 512);
  CHECK(parameters(network_of(model)).trained == parameters(model).total);
  model.vision.projector.hidden = 512;
  CHECK(says(refusal_of([&] { (void)network_of(model); }).message, "model.vision.projector"));
}

TEST_CASE("images of another size have a table of positions of their own") {
  const transformer large = with_image_size(vit(), 384);
  CHECK(vision_tokens(large.vision) == 577);
  CHECK(parameters(large).total == 86567656 + (577 - 197) * 768);
  CHECK(parameters(network_of(large)).trained == parameters(large).total);
  CHECK(says(refusal_of([] { (void)with_image_size(vit(), 225); }).message, "patch_size"));
  CHECK(says(refusal_of([] { (void)with_image_size(llama_3_8b(), 224); }).message, "image size is 224"));
  CHECK(says(refusal_of([] { (void)network_of(llama_3_8b()); }).message, "architecture is decoder; valid: vision"));
}

}  // namespace model_vision_network_tests
