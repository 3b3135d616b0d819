// Files that are no configuration of transformers, and towers that a type of text says nothing of.

#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/foreign.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_foreign_tests {
using nlohmann::json;

TEST_CASE("files that others write are refused by what they are", "[hf_foreign]") {
  struct foreign {
    const char* file;
    const char* what;
  };
  const foreign files[] = {
      {R"({"_class_name": "UNet2DConditionModel"})", "config._class_name is a model of diffusers"},
      {R"({"_diffusers_version": "0.30"})", "a model of diffusers"},
      {R"({"model_index": {}, "transformer": {}})", "config.model_index is a pipeline of diffusers"},
      {R"({"unet": {}, "vae": {}})", "config.vae is a pipeline of diffusers"},
      {R"({"class_name": "Functional", "config": {}})", "a model of Keras"},
      {R"({"peft_type": "LORA", "r": 16})", "config.peft_type is an adapter of PEFT"},
      {R"({"dim": 4096, "n_layers": 32, "n_heads": 32})", "config.dim is a file of Meta or Mistral"},
      {R"({"model_cfg": {"embed_dim": 512}})", "a model of open_clip"},
      {R"({"embed_dim": 512, "vision_cfg": {}, "text_cfg": {}})", "a model of open_clip"},
      {R"({"d_model": 2560, "n_layer": 64, "ssm_cfg": {}})", "a model of mamba_ssm"},
      {R"({"architecture": "resnet50", "num_classes": 1000})", "config.architecture is a model of timm"},
  };
  for (const foreign& each : files) {
    INFO(each.file);
    const refusal got = refusal_of([&] { (void)read_hf_config(json::parse(each.file)); });
    INFO(got.message);
    CHECK(got.code == errc::unsupported);
    CHECK(says(got.message, each.what));
  }
  CHECK(refusal_of([] { (void)read_hf_config(json::object()); }).code == errc::missing_field);
}

TEST_CASE("a tower in the file of a text model is refused", "[hf_foreign]") {
  const hf_class refused[] = {
      {"config.vision_config is a part that model_type llama does not have", "llama", "",
       R"({"vision_config": {"hidden_size": 1024}})", 0},
      {"config.visual", "qwen", "", R"({"visual": {"layers": 48}})", 0},
      {"config.audio", "qwen", "", R"({"audio": {"n_layer": 32}})", 0},
      {"config.vision_config", "chatglm", "", R"({"vision_config": {"hidden_size": 1792}})", 0},
      {"config.mm_vision_tower", "llama", "", R"({"mm_vision_tower": "openai/clip-vit-large-patch14-336"})", 0},
      {"config.audio_config", "qwen2", "", R"({"audio_config": {"d_model": 1280}})", 0},
  };
  check_refusals(refused);
  CHECK(parameters(model_of("llama", R"({"vision_config": null})")).total == 6738415616);
}

TEST_CASE("CLIP's first files have their parts under other names", "[hf_foreign]") {
  // openai/clip-vit-large-patch14, as its class builds it.
  const char* old = R"({"projection_dim": 768, "text_config": null, "vision_config": null,
      "text_config_dict": {"hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12},
      "vision_config_dict": {"hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16,
      "num_hidden_layers": 24, "patch_size": 14}})";
  CHECK(parameters(model_of("clip", old)).total == 427616513);
}

TEST_CASE("Fuyu makes tokens of patches by one matrix", "[hf_foreign]") {
  CHECK(parameters(model_of("fuyu", "{}")).total == 9408238592);
  CHECK(parameters(model_of("fuyu", R"({"text_config": {"model_type": "persimmon"}})")).total == 9408238592);
}

}  // namespace read_hf_foreign_tests
