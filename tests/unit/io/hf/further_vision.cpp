// Further vision-language models, and language models that hear.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/model/parameters.hpp>
#include <utility>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace io_hf_further_vision_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738), with correction biases
// of routers. The defaults of each configuration, but for what is written here.
// clang-format off
const hf_class classes[] = {
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
    {"Glm4vForConditionalGeneration", "glm4v", "Glm4vForConditionalGeneration", R"({})", 10292777472},
    {"Glm46VForConditionalGeneration", "glm46v", "Glm46VForConditionalGeneration", R"({})", 10292777472},
    {"Glm4vMoeForConditionalGeneration", "glm4v_moe", "Glm4vMoeForConditionalGeneration", R"({"text_config":{"num_attention_heads":32,"head_dim":128,"num_hidden_layers":3}})", 6858156800},
    {"Glm4vForConditionalGeneration", "glm4v", "Glm4vForConditionalGeneration", R"({"vision_config":{"attention_bias":true,"depth":3,"intermediate_size":999,"out_hidden_size":4096,"image_size":420}})", 9542661120},
    {"Kimi_K25ForConditionalGeneration", "kimi_k25", "Kimi_K25ForConditionalGeneration", R"({"tie_word_embeddings":false,"text_config":{"model_type":"deepseek_v3","num_hidden_layers":5,"n_routed_experts":8,"vocab_size":1000}})", 3403018752},
    {"Ovis2ForConditionalGeneration", "ovis2", "Ovis2ForConditionalGeneration", R"({"hidden_size":4096,"vocab_size":151936})", 11820627958},
    {"Ovis2ForConditionalGeneration", "ovis2", "Ovis2ForConditionalGeneration", R"({"hidden_size":512,"vocab_size":1000,"text_config":{"model_type":"qwen2","hidden_size":512,"intermediate_size":1024,"num_hidden_layers":2,"num_attention_heads":8,"vocab_size":1000,"num_key_value_heads":8,"tie_word_embeddings":false},"tie_word_embeddings":false,"vision_config":{"hidden_stride":2,"qkv_bias":true,"mlp_bias":true,"num_visual_indicator_tokens":7}})", 391229938},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr_vl", "PaddleOCRVLForConditionalGeneration", R"({})", 799695472},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr_vl", "PaddleOCRVLForConditionalGeneration", R"({"text_config":{"num_hidden_layers":3,"hidden_size":512},"vision_config":{"num_hidden_layers":2}})", 129790368},
    {"Qwen2AudioForConditionalGeneration", "qwen2_audio", "Qwen2AudioForConditionalGeneration", R"({})", 12692062208},
    {"VoxtralForConditionalGeneration", "voxtral", "VoxtralForConditionalGeneration", R"({})", 4676271104},
    {"VoxtralForConditionalGeneration", "voxtral", "VoxtralForConditionalGeneration", R"({"text_config":{"model_type":"llama","num_hidden_layers":3},"audio_config":{"num_hidden_layers":4}})", 1237394432},
    {"Qwen2AudioForConditionalGeneration", "qwen2_audio", "Qwen2AudioForConditionalGeneration", R"({"audio_config":{"encoder_layers":3,"d_model":640,"encoder_ffn_dim":999},"text_config":{"model_type":"qwen2","num_hidden_layers":3,"hidden_size":512,"num_attention_heads":8,"num_key_value_heads":8}})", 271721141},
    {"Step3p7ForConditionalGeneration", "step3p7", "Step3p7ForConditionalGeneration", R"({})", 197824859968},
    {"GlmOcrForConditionalGeneration", "glm_ocr", "GlmOcrForConditionalGeneration", R"({"tie_word_embeddings":true,"vision_config":{"out_hidden_size":1024}})", 731456512},
    {"GlmOcrForConditionalGeneration", "glm_ocr", "GlmOcrForConditionalGeneration", R"({"tie_word_embeddings":true,"text_config":{"hidden_size":1536},"vision_config":{"attention_bias":false,"depth":3}})", 587995520},
    {"AriaForConditionalGeneration", "aria", "AriaForConditionalGeneration", R"({"vision_config":{"hidden_size":1152,"image_size":980,"intermediate_size":4304,"num_attention_heads":16,"num_hidden_layers":2,"patch_size":14},"text_config":{"num_hidden_layers":2}})", 1472305568},
    {"MiniMaxM3SparseForConditionalGeneration", "minimax_m3_vl", "MiniMaxM3SparseForConditionalGeneration", R"({"text_config":{"num_hidden_layers":2,"vocab_size":200064},"vision_config":{"num_hidden_layers":3}})", 17577582592},
};
// clang-format on

}  // namespace

TEST_CASE("further vision-language models: parameters", "[hf_further_vision]") { check_parameters(classes); }

TEST_CASE("InternVL with code beside the weights has the tower of InternVL, under other names", "[hf_further_vision]") {
  // OpenGVLab/InternVL2_5-8B as published: 8075365376.
  const model_config read = read_hf_config(json::parse(R"({"model_type": "internvl_chat",
      "architectures": ["InternVLChatModel"],
      "llm_config": {"model_type": "internlm2", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 92553, "bias": false,
      "max_position_embeddings": 32768},
      "vision_config": {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
      "intermediate_size": 4096, "qkv_bias": true, "qk_normalization": false, "norm_type": "layer_norm",
      "image_size": 448, "patch_size": 14}})"));
  CHECK(parameters(read.model).total == 8075365376);
  CHECK(image_tokens(read.model.vision) == 256);
  CHECK(read.model.output_head);
}

TEST_CASE("Phi-3-Vision: the tower that no file states", "[hf_further_vision]") {
  // microsoft/Phi-3.5-vision-instruct as published: 4146621440.
  const transformer m = model_of("phi3_v", R"({"hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 32,
      "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32064})",
                                 "Phi3VForCausalLM");
  CHECK(parameters(m).total == 4146621440);
}

TEST_CASE("Kimi-VL by the names of its files", "[hf_further_vision]") {
  const char* under = R"({"vision_config": {"vt_hidden_size": 1152, "vt_num_hidden_layers": 5,
      "init_pos_emb_height": 32}})";
  const transformer m = model_of("kimi_k25", under);
  CHECK(m.vision.layers == 5);
  CHECK(m.vision.learned_positions == 32 * 64);
}

TEST_CASE("Llama 4 without a vision_config is its language model alone, on record", "[hf_further_vision]") {
  const model_config read = read_hf_config({{"model_type", "llama4"}, {"text_config", {{"num_hidden_layers", 4}}}});
  CHECK_FALSE(has_vision(read.model));
  bool said = false;
  for (const assumption& each : read.assumed) said = said || (each.field == "vision_config" && each.value == "none");
  CHECK(said);
}

TEST_CASE("Step 3.7 with the fields of its language model at the top is that alone, on record", "[hf_further_vision]") {
  const transformer m = model_of("step3p7", R"({"num_hidden_layers": 4, "hidden_size": 1024, "vocab_size": 1000})");
  CHECK(m.d_model == 1024);
  CHECK(m.vocab == 1000);
  CHECK_FALSE(has_vision(m));
}

TEST_CASE("LLaVA's first files have the fields of the language model at the top", "[hf_further_vision]") {
  // liuhaotian/llava-v1.5-13b: llava-hf/llava-1.5-13b-hf without its 64 further rows of both tables.
  json config = json::parse(R"({"model_type": "llava", "architectures": ["LlavaLlamaForCausalLM"], "hidden_size": 5120,
      "intermediate_size": 13824, "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 40,
      "vocab_size": 32000, "mm_vision_tower": "openai/clip-vit-large-patch14-336",
      "mm_projector_type": "mlp2x_gelu", "tie_word_embeddings": false})");
  CHECK(parameters(read_hf_config(config).model).total == 13351494656 - 2 * 64 * 5120);
  config["mm_projector_type"] = "linear";
  CHECK(says(refusal_of([&] { (void)read_hf_config(config); }).message, "mm_projector_type"));
}

TEST_CASE("what further towers do not count is refused by its field", "[hf_further_vision]") {
  const hf_class refused[] = {
      {"alignment_intermediate_size", "cohere2_vision", "", R"({"alignment_intermediate_size": 7})", 0},
      {"merge_kernel_size", "kimi_vl", "", R"({"vision_config": {"merge_kernel_size": [4, 4]}})", 0},
      {"use_cls_token", "step3p7", "", R"({"vision_config": {"use_cls_token": true}})", 0},
      {"mlp_ratio", "step3p7", "", R"({"vision_config": {"mlp_ratio": 1e9}})", 0},
      {"hidden_size", "ovis2", "", R"({"hidden_size": 64})", 0},
      {"num_visual_indicator_tokens", "ovis2", "", R"({"vision_config": {"num_visual_indicator_tokens": 16384}})", 0},
      {"projector_patch_to_query_dict", "aria", "", R"({"projector_patch_to_query_dict": {"1": "a"}})", 0},
      {"downsample_ratio", "internvl_chat", "", R"({"downsample_ratio": 0.25})", 0},
      {"out_hidden_size", "glm4v", "", R"({"vision_config": {"out_hidden_size": 64}})", 0},
      {"text_config.model_type", "voxtral", "", R"({"text_config": {"model_type": "lama"}})", 0},
  };
  for (const hf_class& each : refused) {
    INFO(each.type << " " << each.changes);
    const refusal got = refusal_of([&] { (void)model_of(each.type, each.changes); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(says(got.message, each.name));
  }
}

TEST_CASE("Aria says how many tokens an image has where the file does not", "[hf_further_vision]") {
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

TEST_CASE("towers have the name of the whole in first files", "[hf_further_vision]") {
  const auto total = [](const char* type, const char* tower) {
    return parameters(read_hf_config({{"model_type", type}, {"vision_config", {{"model_type", tower}}}}).model).total;
  };
  CHECK(total("idefics2", "idefics2") == total("idefics2", "idefics2_vision"));
  CHECK(total("idefics3", "idefics3") == total("idefics3", "idefics3_vision"));
}

TEST_CASE("a text model without the tower of its type counts alone", "[hf_further_vision]") {
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

}  // namespace io_hf_further_vision_tests
