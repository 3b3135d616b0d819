// Vision towers that a single family of models has.

#include <nlohmann/json.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_own_towers_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738), with correction biases
// of routers. The defaults of each configuration, but for what is written here.
// clang-format off
const hf_class classes[] = {
    {"Glm4vForConditionalGeneration", "glm4v", "Glm4vForConditionalGeneration", R"({})", 10292777472},
    {"Glm46VForConditionalGeneration", "glm46v", "Glm46VForConditionalGeneration", R"({})", 10292777472},
    {"Glm4vMoeForConditionalGeneration", "glm4v_moe", "Glm4vMoeForConditionalGeneration", R"({"text_config":{"num_attention_heads":32,"head_dim":128,"num_hidden_layers":3}})", 6858156800},
    {"Glm4vForConditionalGeneration", "glm4v", "Glm4vForConditionalGeneration", R"({"vision_config":{"attention_bias":true,"depth":3,"intermediate_size":999,"out_hidden_size":4096,"image_size":420}})", 9542661120},
    {"Kimi_K25ForConditionalGeneration", "kimi_k25", "Kimi_K25ForConditionalGeneration", R"({"tie_word_embeddings":false,"text_config":{"model_type":"deepseek_v3","num_hidden_layers":5,"n_routed_experts":8,"vocab_size":1000}})", 3403018752},
    {"Ovis2ForConditionalGeneration", "ovis2", "Ovis2ForConditionalGeneration", R"({"hidden_size":4096,"vocab_size":151936})", 11820627958},
    {"Ovis2ForConditionalGeneration", "ovis2", "Ovis2ForConditionalGeneration", R"({"hidden_size":512,"vocab_size":1000,"text_config":{"model_type":"qwen2","hidden_size":512,"intermediate_size":1024,"num_hidden_layers":2,"num_attention_heads":8,"vocab_size":1000,"num_key_value_heads":8,"tie_word_embeddings":false},"tie_word_embeddings":false,"vision_config":{"hidden_stride":2,"qkv_bias":true,"mlp_bias":true,"num_visual_indicator_tokens":7}})", 391229938},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr_vl", "PaddleOCRVLForConditionalGeneration", R"({})", 799695472},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr_vl", "PaddleOCRVLForConditionalGeneration", R"({"text_config":{"num_hidden_layers":3,"hidden_size":512},"vision_config":{"num_hidden_layers":2}})", 129790368},
    {"Step3p7ForConditionalGeneration", "step3p7", "Step3p7ForConditionalGeneration", R"({})", 197824859968},
    {"MiniMaxM3SparseForConditionalGeneration", "minimax_m3_vl", "MiniMaxM3SparseForConditionalGeneration", R"({"text_config":{"num_hidden_layers":2,"vocab_size":200064},"vision_config":{"num_hidden_layers":3}})", 17577582592},
    {"GlmOcrForConditionalGeneration", "glm_ocr", "GlmOcrForConditionalGeneration", R"({"tie_word_embeddings":true,"vision_config":{"out_hidden_size":1024}})", 731456512},
    {"GlmOcrForConditionalGeneration", "glm_ocr", "GlmOcrForConditionalGeneration", R"({"tie_word_embeddings":true,"text_config":{"hidden_size":1536},"vision_config":{"attention_bias":false,"depth":3}})", 587995520},
};
// clang-format on

}  // namespace

TEST_CASE("vision-language models with towers of their own: parameters", "[hf_own_towers]") {
  check_parameters(classes);
}

TEST_CASE("InternVL with code beside the weights has the tower of InternVL, under other names", "[hf_own_towers]") {
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

TEST_CASE("Phi-3-Vision: the tower that no file states", "[hf_own_towers]") {
  // microsoft/Phi-3.5-vision-instruct as published: 4146621440.
  const transformer m = model_of("phi3_v", R"({"hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 32,
      "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32064})",
                                 "Phi3VForCausalLM");
  CHECK(parameters(m).total == 4146621440);
}

TEST_CASE("Kimi-VL by the names of its files", "[hf_own_towers]") {
  const char* under = R"({"vision_config": {"vt_hidden_size": 1152, "vt_num_hidden_layers": 5,
      "init_pos_emb_height": 32}})";
  const transformer m = model_of("kimi_k25", under);
  CHECK(m.vision.layers == 5);
  CHECK(m.vision.learned_positions == 32 * 64);
}

TEST_CASE("the image that is assumed for Kimi-VL has whole pairs of patches", "[hf_own_towers]") {
  CHECK(model_of("kimi_vl", "{}").vision.image_size == 448);
  CHECK(model_of("kimi_vl", R"({"vision_config": {"patch_size": 18}})").vision.image_size == 13 * 36);
  CHECK(model_of("kimi_vl", R"({"vision_config": {"patch_size": 20}})").vision.image_size == 12 * 40);
}

TEST_CASE("Step 3.7 with the fields of its language model at the top is that alone, on record", "[hf_own_towers]") {
  const transformer m = model_of("step3p7", R"({"num_hidden_layers": 4, "hidden_size": 1024, "vocab_size": 1000})");
  CHECK(m.d_model == 1024);
  CHECK(m.vocab == 1000);
  CHECK_FALSE(has_vision(m));
}

TEST_CASE("Gemma 3n with both of its towers, less keys and values that no layer uses", "[hf_own_towers]") {
  // The totals that Google publishes hold 2097408 of them in each of the last 10 or 15 layers.
  CHECK(parameters(model_of("gemma3n", "{}")).total == 7849978192 - 15 * 2097408);
  CHECK(parameters(model_of("gemma3n", R"({"text_config": {"num_hidden_layers": 30, "num_kv_shared_layers": 10,
      "intermediate_size": 8192}})"))
            .total == 5439438272 - 10 * 2097408);
}

TEST_CASE("what towers of a family do not count is refused by its field", "[hf_own_towers]") {
  const hf_class refused[] = {
      {"architecture", "gemma3n", "", R"({"vision_config": {"architecture": "mobilenetv4"}})", 0},
      {"merge_kernel_size", "kimi_vl", "", R"({"vision_config": {"merge_kernel_size": [4, 4]}})", 0},
      {"use_cls_token", "step3p7", "", R"({"vision_config": {"use_cls_token": true}})", 0},
      {"mlp_ratio", "step3p7", "", R"({"vision_config": {"mlp_ratio": 1e9}})", 0},
      {"hidden_size", "ovis2", "", R"({"hidden_size": 64})", 0},
      {"num_visual_indicator_tokens", "ovis2", "", R"({"vision_config": {"num_visual_indicator_tokens": 16384}})", 0},
      {"downsample_ratio", "internvl_chat", "", R"({"downsample_ratio": 0.25})", 0},
      {"out_hidden_size", "glm4v", "", R"({"vision_config": {"out_hidden_size": 64}})", 0},
  };
  check_refusals(refused);
}

}  // namespace read_hf_own_towers_tests
