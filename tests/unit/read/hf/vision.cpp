// Models with a vision tower and towers alone, against the classes of transformers.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/vision.hpp>
#include <tpuplan/read/hf.hpp>
#include <utility>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_vision_tests {
using nlohmann::json;

namespace {

struct shape {
  const char* name;
  const char* type;     // model_type
  const char* head;     // the class that architectures names
  const char* changes;  // what differs from the defaults of its configuration
  std::int64_t parameters;
};

json config_of(const shape& each) {
  json config = json::parse(each.changes);
  config["model_type"] = each.type;
  config["architectures"] = {each.head};
  return config;
}

// Sums over the tensors that these classes of transformers build (main of 2025-12-23, d6a6c82680, their constructors
// run over shapes alone).
// clang-format off
const shape shapes[] = {
    {"llava-v1.6-mistral-7b", "llava_next", "LlavaNextForConditionalGeneration", R"({"text_config":{"model_type":"mistral","vocab_size":32064},"vision_config":{"model_type":"clip_vision_model","intermediate_size":4096,"hidden_size":1024,"patch_size":14,"image_size":336,"num_hidden_layers":24,"num_attention_heads":16}})", 7566747648},
    {"llava_next defaults", "llava_next", "LlavaNextForConditionalGeneration", R"({})", 7062906880},
    {"llava-onevision-0.5b", "llava_onevision", "LlavaOnevisionForConditionalGeneration", R"({"text_config":{"model_type":"qwen2","vocab_size":152000,"hidden_size":896,"intermediate_size":4864,"num_hidden_layers":24,"num_attention_heads":14,"num_key_value_heads":2,"tie_word_embeddings":true},"vision_config":{"model_type":"siglip_vision_model","hidden_size":1152,"intermediate_size":4304,"patch_size":14,"image_size":384,"num_hidden_layers":26,"num_attention_heads":16,"vision_use_head":false},"tie_word_embeddings":true})", 893675552},
    {"InternVL3-1B", "internvl", "InternVLForConditionalGeneration", R"({"tie_word_embeddings":true,"text_config":{"model_type":"qwen2","vocab_size":151674,"hidden_size":896,"intermediate_size":4864,"num_hidden_layers":24,"num_attention_heads":14,"num_key_value_heads":2,"tie_word_embeddings":true},"vision_config":{"model_type":"internvl_vision","attention_bias":true,"image_size":[448,448],"patch_size":[14,14]}})", 802293120},
    {"internvl switches", "internvl", "InternVLForConditionalGeneration", R"({"tie_word_embeddings":false,"text_config":{"model_type":"qwen2","vocab_size":152000,"hidden_size":896,"intermediate_size":4864,"num_hidden_layers":24,"num_attention_heads":14,"num_key_value_heads":2,"tie_word_embeddings":false},"vision_config":{"model_type":"internvl_vision","use_qk_norm":true,"norm_type":"rms_norm","use_mean_pooling":false,"use_mask_token":true}})", 938706560},
    {"idefics3 defaults", "idefics3", "Idefics3ForConditionalGeneration", R"({})", 6909685760},
    {"SmolVLM-256M", "smolvlm", "SmolVLMForConditionalGeneration", R"({"scale_factor":4,"tie_word_embeddings":false,"text_config":{"model_type":"llama","vocab_size":49280,"hidden_size":576,"intermediate_size":1536,"num_hidden_layers":30,"num_attention_heads":9,"num_key_value_heads":3,"head_dim":64},"vision_config":{"model_type":"smolvlm_vision","hidden_size":768,"intermediate_size":3072,"num_hidden_layers":12,"num_attention_heads":12,"image_size":512,"patch_size":16}})", 256484928},
    {"Idefics3-8B", "idefics3", "Idefics3ForConditionalGeneration", R"({"scale_factor":2,"tie_word_embeddings":false,"text_config":{"model_type":"llama","vocab_size":128259,"intermediate_size":14336,"num_key_value_heads":8},"vision_config":{"model_type":"idefics3_vision","intermediate_size":4304,"num_hidden_layers":27,"image_size":364,"patch_size":14}})", 8462086384},
    {"Llama-4-Scout", "llama4", "Llama4ForConditionalGeneration", R"({"text_config":{"model_type":"llama4_text"},"vision_config":{"model_type":"llama4_vision_model","hidden_size":1408,"image_size":336,"intermediate_size":5632,"num_attention_heads":16,"num_hidden_layers":34,"patch_size":14,"projector_input_dim":4096,"projector_output_dim":4096,"vision_output_dim":4096,"pixel_shuffle_ratio":0.5}})", 108641793536},  // also the total of the Hub
};
// clang-format on

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738), with correction biases
// of routers. The defaults of each configuration, but for what is written here.
// clang-format off
const hf_class projected[] = {
    {"VipLlavaForConditionalGeneration", "vipllava", "VipLlavaForConditionalGeneration", R"({})", 7079690240},
    {"VipLlavaForConditionalGeneration", "vipllava", "VipLlavaForConditionalGeneration", R"({"vision_feature_layers":-2,"text_config":{"model_type":"llama","hidden_size":512,"intermediate_size":1024,"num_hidden_layers":2,"num_attention_heads":8,"vocab_size":1000}})", 310566400},
    {"LlavaNextVideoForConditionalGeneration", "llava_next_video", "LlavaNextVideoForConditionalGeneration", R"({})", 7062906880},
    {"LlavaNextVideoForConditionalGeneration", "llava_next_video", "LlavaNextVideoForConditionalGeneration", R"({"multimodal_projector_bias":false,"text_config":{"model_type":"llama","hidden_size":512,"intermediate_size":1024,"num_hidden_layers":2,"num_attention_heads":8,"vocab_size":1000}})", 310563840},
    {"AyaVisionForConditionalGeneration", "aya_vision", "AyaVisionForConditionalGeneration", R"({"vision_config":{"model_type":"siglip_vision_model","hidden_size":1152,"intermediate_size":4304,"patch_size":14,"image_size":364,"num_hidden_layers":3,"num_attention_heads":16,"vision_use_head":false},"text_config":{"model_type":"cohere2","hidden_size":512,"intermediate_size":1024,"num_hidden_layers":4,"num_attention_heads":8,"num_key_value_heads":2,"head_dim":64,"vocab_size":1000}})", 59106160},
    {"AyaVisionForConditionalGeneration", "aya_vision", "AyaVisionForConditionalGeneration", R"({"vision_config":{"model_type":"siglip_vision_model","hidden_size":1152,"intermediate_size":4304,"patch_size":14,"image_size":364,"num_hidden_layers":3,"num_attention_heads":16,"vision_use_head":false},"text_config":{"model_type":"cohere2","hidden_size":512,"intermediate_size":1024,"num_hidden_layers":4,"num_attention_heads":8,"num_key_value_heads":2,"head_dim":64,"vocab_size":1000},"alignment_intermediate_size":2048,"downsample_factor":3})", 78386800},
    {"Cohere2VisionForConditionalGeneration", "cohere2_vision", "Cohere2VisionForConditionalGeneration", R"({"vision_config":{"model_type":"siglip_vision_model","hidden_size":1152,"intermediate_size":4304,"patch_size":14,"image_size":364,"num_hidden_layers":3,"num_attention_heads":16,"vision_use_head":false},"text_config":{"model_type":"cohere2","hidden_size":512,"intermediate_size":1024,"num_hidden_layers":4,"num_attention_heads":8,"num_key_value_heads":2,"head_dim":64,"vocab_size":1000}})", 235949424},
    {"Cohere2VisionForConditionalGeneration", "cohere2_vision", "Cohere2VisionForConditionalGeneration", R"({"text_config":{"model_type":"cohere2","hidden_size":512,"intermediate_size":1024,"num_hidden_layers":4,"num_attention_heads":8,"num_key_value_heads":2,"head_dim":64,"vocab_size":1000}})", 538030848},
    {"Cohere2VisionForConditionalGeneration", "cohere2_vision", "Cohere2VisionForConditionalGeneration", R"({})", 35651000064},
    {"Lfm2VlForConditionalGeneration", "lfm2_vl", "Lfm2VlForConditionalGeneration", R"({})", 2812857088},
    {"Lfm2VlForConditionalGeneration", "lfm2_vl", "Lfm2VlForConditionalGeneration", R"({"projector_use_layernorm":false,"projector_bias":false,"projector_hidden_size":1000})", 2804059904},
    {"Idefics2ForConditionalGeneration", "idefics2", "Idefics2ForConditionalGeneration", R"({})", 8061394944},
    {"Idefics2ForConditionalGeneration", "idefics2", "Idefics2ForConditionalGeneration", R"({"vision_config":{"hidden_size":1152,"image_size":980,"intermediate_size":4304,"num_attention_heads":16,"num_hidden_layers":27,"patch_size":14},"perceiver_config":{"resampler_depth":2,"resampler_n_latents":32}})", 8185544944},
    {"AriaForConditionalGeneration", "aria", "AriaForConditionalGeneration", R"({"vision_config":{"hidden_size":1152,"image_size":980,"intermediate_size":4304,"num_attention_heads":16,"num_hidden_layers":2,"patch_size":14},"text_config":{"num_hidden_layers":2}})", 1472305568},
};
// clang-format on

}  // namespace

TEST_CASE("text models with towers: parameters", "[hf_vision]") {
  for (const shape& each : shapes) {
    INFO(each.name);
    CHECK(parameters(read_hf_config(config_of(each)).model).total == each.parameters);
  }
}

TEST_CASE("tokens of one tile", "[hf_vision]") {
  const auto tokens = [](const char* type) {
    return image_tokens(read_hf_config({{"model_type", type}}).model.vision);
  };
  CHECK(tokens("llava_next") == 24 * 24);  // 336 pixels in patches of 14
  CHECK(tokens("internvl") == 16 * 16);    // 448 in patches of 14, four to one
  CHECK(tokens("llava_onevision") == 27 * 27);
  const json small = {{"model_type", "smolvlm"},
                      {"scale_factor", 4},
                      {"vision_config", {{"model_type", "smolvlm_vision"}, {"image_size", 512}, {"patch_size", 16}}}};
  CHECK(image_tokens(read_hf_config(small).model.vision) == 64);
}

TEST_CASE("towers that cannot be counted are refused by their field", "[hf_vision]") {
  const auto refused = [](const char* type, const json& vision, const json& top = json::object()) {
    json config = top;
    config["model_type"] = type;
    config["vision_config"] = vision;
    return refusal_of([&] { (void)read_hf_config(config); }).message;
  };
  CHECK(says(refused("internvl", {{"image_size", {448, 336}}}), "vision_config.image_size"));
  CHECK(says(refused("internvl", {{"patch_size", {14, 14, 14}}}), "vision_config.patch_size"));
  CHECK(says(refused("internvl", json::object(), {{"downsample_ratio", 0.25}}), "downsample_ratio"));
  CHECK(says(refused("idefics3", json::object(), {{"scale_factor", 16777216}}), "scale_factor"));
  CHECK(refused("internvl", {{"image_size", {448, 448}}}).empty());
  const json scout = config_of(shapes[std::size(shapes) - 1]).at("vision_config");
  const auto changed = [&](const char* field, const json& value) {
    json vision = scout;
    vision[field] = value;
    return refused("llama4", vision);
  };
  CHECK(changed("patch_size", 14).empty());
  CHECK(says(changed("pixel_shuffle_ratio", 0.25), "pixel_shuffle_ratio"));
  CHECK(says(changed("intermediate_size", 5000), "intermediate_size"));
  CHECK(says(changed("vision_output_dim", 7680), "vision_output_dim"));
  CHECK(changed("projector_input_dim", 8192).empty());
}

TEST_CASE("the projector of Llama 4 has three matrices, which count in its FLOPs", "[hf_vision]") {
  const vision_spec v = read_hf_config(config_of(shapes[std::size(shapes) - 1])).model.vision;
  const double matrices = 5632.0 * 4096 + 4096.0 * 4096 + 4096.0 * 5120;
  CHECK(static_cast<double>(projector_parameters(v)) == matrices);
  vision_spec without = v;
  without.projector.input = 0;
  CHECK(vision_flops_per_image(v) - vision_flops_per_image(without) ==
        flops{2 * matrices * static_cast<double>(image_tokens(v))});
  CHECK(image_tokens(v) == 144);
}

TEST_CASE("projectors behind named towers: parameters", "[hf_vision]") { check_parameters(projected); }

TEST_CASE("LLaVA's first files have the fields of the language model at the top", "[hf_vision]") {
  // liuhaotian/llava-v1.5-13b: llava-hf/llava-1.5-13b-hf without its 64 further rows of both tables.
  json config = json::parse(R"({"model_type": "llava", "architectures": ["LlavaLlamaForCausalLM"], "hidden_size": 5120,
      "intermediate_size": 13824, "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 40,
      "vocab_size": 32000, "mm_vision_tower": "openai/clip-vit-large-patch14-336",
      "mm_projector_type": "mlp2x_gelu", "tie_word_embeddings": false})");
  CHECK(parameters(read_hf_config(config).model).total == 13351494656 - 2 * 64 * 5120);
  config["mm_projector_type"] = "linear";
  CHECK(parameters(read_hf_config(config).model).total == 13351494656 - 2 * 64 * 5120 - 5120 * 5121);
  config.erase("mm_projector_type");  // its code makes one matrix then
  CHECK(parameters(read_hf_config(config).model).total == 13351494656 - 2 * 64 * 5120 - 5120 * 5121);
  config["mm_projector_type"] = "ldp";
  CHECK(says(refusal_of([&] { (void)read_hf_config(config); }).message, "mm_projector_type is ldp"));
  // liuhaotian/llava-v1.6: tiles, and an embedding at the end of their rows.
  config["mm_projector_type"] = "mlp2x_gelu";
  config["image_aspect_ratio"] = "anyres", config["mm_patch_merge_type"] = "spatial_unpad";
  const model_config tiles = read_hf_config(config);
  CHECK(parameters(tiles.model).total == 13351494656 - 2 * 64 * 5120 + 5120);
  CHECK(std::any_of(tiles.assumed.begin(), tiles.assumed.end(),
                    [](const assumption& each) { return each.value == "one tile of 336 pixels"; }));
}

TEST_CASE("Llama 4 without a vision_config is its language model alone, on record", "[hf_vision]") {
  const model_config read = read_hf_config({{"model_type", "llama4"}, {"text_config", {{"num_hidden_layers", 4}}}});
  CHECK_FALSE(has_vision(read.model));
  bool said = false;
  for (const assumption& each : read.assumed) said = said || (each.field == "vision_config" && each.value == "none");
  CHECK(said);
}

TEST_CASE("what projectors do not count is refused by its field", "[hf_vision]") {
  const hf_class refused[] = {
      {"alignment_intermediate_size", "cohere2_vision", "", R"({"alignment_intermediate_size": 7})", 0},
      {"projector_patch_to_query_dict", "aria", "", R"({"projector_patch_to_query_dict": {"1": "a"}})", 0},
  };
  check_refusals(refused);
}

TEST_CASE("Aria says how many tokens an image has where the file does not", "[hf_vision]") {
  const auto said = [](const json& queries) {
    json config = {{"model_type", "aria"}, {"vision_config", {{"image_size", 490}, {"patch_size", 14}}}};
    if (!queries.is_null()) config["projector_patch_to_query_dict"] = queries;
    for (const assumption& each : read_hf_config(config).assumed)
      if (each.field == "projector_patch_to_query_dict") return each.value + ": " + each.why;
    return std::string{};
  };
  CHECK(said(nullptr) == "128 tokens for an image: class default of aria");
  CHECK(said({{"1225", 128}}).empty());
  CHECK(said({{"4900", 256}}) == "128 tokens for an image: the file has no number of queries for so many patches");
}

TEST_CASE("towers have the name of the whole in first files", "[hf_vision]") {
  const auto total = [](const char* type, const char* tower) {
    return parameters(read_hf_config({{"model_type", type}, {"vision_config", {{"model_type", tower}}}}).model).total;
  };
  CHECK(total("idefics2", "idefics2") == total("idefics2", "idefics2_vision"));
  CHECK(total("idefics3", "idefics3") == total("idefics3", "idefics3_vision"));
}

TEST_CASE("a text model without the tower of its type counts alone", "[hf_vision]") {
  const auto read = [](const char* type, const char* text) {
    return read_hf_config({{"model_type", type}, {"text_config", {{"model_type", text}}}});
  };
  for (const auto& [type, text] : {std::pair{"gemma3", "gemma3_text"}, std::pair{"qwen3_5", "qwen3_5_text"},
                                   std::pair{"qwen3_vl", "qwen3_vl_text"}}) {
    INFO(type);
    const model_config got = read(type, text);
    CHECK_FALSE(has_vision(got.model));
    const auto says = [](const assumption& each) { return each.field == "vision_config" && each.value == "none"; };
    CHECK(std::any_of(got.assumed.begin(), got.assumed.end(), says));
  }
}

}  // namespace read_hf_vision_tests
