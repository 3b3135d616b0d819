// Language models with towers of images and encoders of sound whose files have forms of their own.

#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_multimodal_tests {
using nlohmann::json;

TEST_CASE("Qwen3-Omni: the thinker, and the talker where the file has one", "[hf_multimodal]") {
  const auto thinker = [] {
    return json::parse(R"({"model_type": "qwen3_omni_moe", "thinker_config": {
        "text_config": {"hidden_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
                        "head_dim": 64, "vocab_size": 100, "num_experts": 4, "num_experts_per_tok": 2,
                        "moe_intermediate_size": 32},
        "vision_config": {"out_hidden_size": 256}, "audio_config": {"output_dim": 256}}})");
  };
  json config = thinker();
  const transformer alone = read_hf_config(config).model;
  CHECK(alone.vision.projector.beside == 3);
  config["talker_config"] = json::parse(R"({"thinker_hidden_size": 256,
      "text_config": {"hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
          "num_key_value_heads": 1, "head_dim": 32, "vocab_size": 10, "num_experts": 2, "moe_intermediate_size": 8,
          "shared_expert_intermediate_size": 16},
      "code_predictor_config": {"hidden_size": 16, "intermediate_size": 8, "num_hidden_layers": 1,
          "num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 16, "num_code_groups": 3, "vocab_size": 5}})");
  config["code2wav_config"] = json::parse(R"({"hidden_size": 8, "intermediate_size": 4, "num_hidden_layers": 1,
      "codebook_size": 2, "num_quantizers": 3, "decoder_dim": 4, "upsample_rates": [2], "upsampling_ratios": [2]})");
  // By hand, from the modelling file.
  const std::int64_t text = 64 * 64 + 2 * 64 * 32 + 64 * 64 + 64 + 128 + 2 * (3 * 64 * 8 + 64) + 3 * 64 * 16 + 64 + 64 +
                            2 * 10 * 64 + 2 * (256 * 32 + 32 + 32 * 64 + 64);
  const std::int64_t codes = 4 * 16 * 16 + 32 + 32 + 3 * 16 * 8 + 16 + 2 * 2 * 5 * 16;
  const std::int64_t wave = 6 * 8 + 4 * 64 + 3 * 8 * 4 + 32 + 8 + (2 * 64 + 8) + (7 * 8 + 8) + 16 + (8 * 32 + 32) +
                            (32 * 8 + 8) + 8 + (7 * 8 * 4 + 4) + 8 + (4 * 4 * 2 + 2) + 3 * (8 + 7 * 4 + 2 + 4 + 2) + 4 +
                            14 + 1;
  CHECK(parameters(read_hf_config(config).model).total == parameters(alone).total + text + codes + wave);
  config["enable_audio_output"] = false;
  CHECK(parameters(read_hf_config(config).model).total == parameters(alone).total);
  json narrow = thinker();
  narrow["thinker_config"]["audio_config"]["output_dim"] = 128;
  CHECK(
      says(refusal_of([&] { (void)read_hf_config(narrow); }).message, "config.thinker_config.audio_config.output_dim"));
}

TEST_CASE("Phi-4-multimodal needs its adapters and the shape of its encoder of sound", "[hf_multimodal]") {
  const hf_class refused[] = {
      {"config.vision_lora.r", "phi4mm", "", "{}", 0},
      {"config.speech_lora.r", "phi4mm", "", R"({"vision_lora": {"r": 256}})", 0},
      {"attention_dim", "phi4mm", "", R"({"vision_lora": {"r": 256}, "speech_lora": {"r": 320}})", 0},
      {"time_reduction", "phi4mm", "", R"({"vision_lora": {"r": 256}, "speech_lora": {"r": 320}, "audio_processor": {
          "config": {"attention_dim": 64, "linear_units": 64, "input_size": 80, "kernel_size": 3, "time_reduction": 4,
          "nemo_conv_settings": {"conv_channels": 64}}}})",
       0},
  };
  check_refusals(refused);
}

TEST_CASE("MiniCPM-V: the version says which language model it has", "[hf_multimodal]") {
  const char* shape = R"({"version": 2.6, "vision_config": {"image_size": 980, "patch_size": 14}})";
  const transformer m = model_of("minicpmv", shape, "MiniCPMV");
  CHECK(m.attention.qkv_bias);
  CHECK(m.vision.learned_positions == 4900);
  CHECK(image_tokens(m.vision) == 64);
  const hf_class refused[] = {
      {"config.version is missing", "minicpmv", "", "{}", 0},
      {"config.version is 2.5", "minicpmv", "", R"({"version": 2.5})", 0},
      {"drop_vision_last_layer", "minicpmv", "", R"({"version": 4.5, "drop_vision_last_layer": true})", 0},
  };
  check_refusals(refused);
}

TEST_CASE("Molmo has norms of queries and keys, and no biases, where the file says so", "[hf_multimodal]") {
  const char* plain =
      R"({"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2, "num_attention_heads": 4,
      "num_key_value_heads": 2, "vocab_size": 90, "embedding_size": 100})";
  const char* normed = R"({"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2,
      "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 90, "embedding_size": 100, "qkv_bias": false,
      "attention_layer_norm": true})";
  const transformer m = model_of("molmo", plain, "MolmoForCausalLM");
  CHECK(m.mlp.d_ff == 256);
  CHECK(parameters(m).lm_head == 100 * 256);
  CHECK(parameters(model_of("molmo", normed)).total == parameters(m).total + 2 * (256 + 128) - 2 * (256 + 2 * 128));
  const hf_class refused[] = {{"moe_num_experts", "molmo", "", R"({"moe_num_experts": 64})", 0}};
  check_refusals(refused);
}

TEST_CASE("DeepSeek-VL2: towers of other names, other projectors and other widths are refused", "[hf_multimodal]") {
  const char* text = R"("language_config": {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2,
      "num_attention_heads": 4, "n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2,
      "moe_intermediate_size": 64, "first_k_dense_replace": 1, "use_mla": false, "vocab_size": 100,
      "topk_method": "noaux_tc"})";
  const auto model = [&](const char* tower, const char* projector) {
    const std::string file = std::string("{") + text + ", \"vision_config\": {\"model_name\": \"" + tower +
                             "\"}, \"projector_config\": " + projector + "}";
    return model_of("deepseek_vl_v2", file.c_str());
  };
  CHECK(model("siglip_so400m_patch14_384", R"({"n_embed": 256})").moe.router_bias);
  const auto refused = [&](const char* tower, const char* projector) {
    return refusal_of([&] { (void)model(tower, projector); }).message;
  };
  CHECK(says(refused("deepencoderv2", R"({"n_embed": 256})"), "config.vision_config.model_name"));
  CHECK(says(refused("deeplip_b_l", R"({"n_embed": 256})"), "config.projector_config.projector_type"));
  CHECK(says(refused("siglip_so400m_patch14_384", R"({"n_embed": 128})"), "config.projector_config.n_embed"));
}

}  // namespace read_hf_multimodal_tests
