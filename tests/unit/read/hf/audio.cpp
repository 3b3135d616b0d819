// Encoders of speech, alone and in front of a language model.

#include <nlohmann/json.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_audio_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738), each table of tokens
// once. The defaults of each configuration, but for what is written here.
// clang-format off
const hf_class classes[] = {
    {"Wav2Vec2ForCTC", "wav2vec2", "Wav2Vec2ForCTC", R"({})", 94396320},
    {"Wav2Vec2Model", "wav2vec2", "Wav2Vec2Model", R"({})", 94371712},
    {"Wav2Vec2ForPreTraining", "wav2vec2", "Wav2Vec2ForPreTraining", R"({})", 95044608},
    {"Wav2Vec2ForSequenceClassification", "wav2vec2", "Wav2Vec2ForSequenceClassification", R"({})", 94569090},
    {"a weight for each layer and for the embeddings", "wav2vec2", "Wav2Vec2ForSequenceClassification", R"({"use_weighted_layer_sum":true})", 94569090 + 13},
    {"HubertModel", "hubert", "HubertModel", R"({})", 94371712},
    {"HubertForCTC", "hubert", "HubertForCTC", R"({})", 94396320},
    {"WavLMModel", "wavlm", "WavLMModel", R"({})", 94381936},
    {"WavLMForCTC", "wavlm", "WavLMForCTC", R"({})", 94406544},
    {"HubertForSequenceClassification", "hubert", "HubertForSequenceClassification", R"({})", 94569090},
    {"Wav2Vec2ForCTC", "wav2vec2", "Wav2Vec2ForCTC", R"({"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"feat_extract_norm":"layer","conv_bias":true,"do_stable_layer_norm":true})", 315471520},
    {"HubertModel", "hubert", "HubertModel", R"({"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"feat_extract_norm":"layer","conv_bias":true,"do_stable_layer_norm":true})", 315438720},
    {"WavLMModel", "wavlm", "WavLMModel", R"({"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"feat_extract_norm":"layer","conv_bias":true,"do_stable_layer_norm":true})", 315456704},
    {"Wav2Vec2ForCTC", "wav2vec2", "Wav2Vec2ForCTC", R"({"adapter_attn_dim":16,"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"feat_extract_norm":"layer","conv_bias":true,"do_stable_layer_norm":true})", 316332064},
    {"HubertModel", "hubert", "HubertModel", R"({"feat_proj_layer_norm":false,"mask_time_prob":0.0})", 94369920},
    {"Wav2Vec2ForPreTraining", "wav2vec2", "Wav2Vec2ForPreTraining", R"({"codevector_dim":768,"proj_codevector_dim":768,"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"feat_extract_norm":"layer","conv_bias":true,"do_stable_layer_norm":true})", 317390592},
    {"Qwen2AudioForConditionalGeneration", "qwen2_audio", "Qwen2AudioForConditionalGeneration", R"({})", 12692062208},
    {"VoxtralForConditionalGeneration", "voxtral", "VoxtralForConditionalGeneration", R"({})", 4676271104},
    {"VoxtralForConditionalGeneration", "voxtral", "VoxtralForConditionalGeneration", R"({"text_config":{"model_type":"llama","num_hidden_layers":3},"audio_config":{"num_hidden_layers":4}})", 1237394432},
    {"Qwen2AudioForConditionalGeneration", "qwen2_audio", "Qwen2AudioForConditionalGeneration", R"({"audio_config":{"encoder_layers":3,"d_model":640,"encoder_ffn_dim":999},"text_config":{"model_type":"qwen2","num_hidden_layers":3,"hidden_size":512,"num_attention_heads":8,"num_key_value_heads":8}})", 271721141},
};
// clang-format on

}  // namespace

TEST_CASE("encoders of speech, alone and before a language model: parameters", "[hf_audio]") {
  check_parameters(classes);
}

TEST_CASE("a token of a speech model is a frame, and its CTC head counts in place of a table", "[hf_audio]") {
  const model_config read = read_hf_config({{"model_type", "wav2vec2"}, {"architectures", {"Wav2Vec2ForCTC"}}});
  const parameter_count count = parameters(read.model);
  CHECK(count.embedding == 32 * 768);
  CHECK(count.lm_head == 32);
  CHECK(read.model.kind == architecture::encoder);
  bool said = false;
  for (const assumption& each : read.assumed) said = said || each.field == "conv_dim";
  CHECK(said);
}

TEST_CASE("what encoders of speech do not count is refused by its field", "[hf_audio]") {
  const hf_class refused[] = {
      {"text_config.model_type", "voxtral", "", R"({"text_config": {"model_type": "lama"}})", 0},
      {"architectures", "wav2vec2", "Wav2Vec2ForXVector", "{}", 0},
      {"add_adapter", "wav2vec2", "", R"({"add_adapter": true})", 0},
      {"conv_kernel", "hubert", "", R"({"conv_kernel": [10, 3]})", 0},
      {"conv_dim", "hubert", "", R"({"conv_dim": []})", 0},
      {"conv_dim", "hubert", "", R"({"conv_dim": ["512"]})", 0},
      {"feat_extract_norm", "wavlm", "", R"({"feat_extract_norm": "batch"})", 0},
      {"num_conv_pos_embedding_groups", "wavlm", "", R"({"num_conv_pos_embedding_groups": 5})", 0},
      {"adapter_attn_dim", "wav2vec2", "", R"({"adapter_attn_dim": 16})", 0},
  };
  check_refusals(refused);
}

TEST_CASE("sizes of the convolutions in front go to 65536", "[hf_audio]") {
  const auto with = [](std::int64_t size) {
    return read_hf_config(
        {{"model_type", "wav2vec2"}, {"conv_dim", {size}}, {"conv_kernel", {10}}, {"conv_stride", {5}}});
  };
  CHECK_FALSE(refusal_of([&] { (void)with(65536); }).refused);
  CHECK(says(refusal_of([&] { (void)with(65537); }).message, "numbers from 1 to 65536"));
  CHECK(says(refusal_of([&] { (void)with(0); }).message, "numbers from 1 to 65536"));
}

}  // namespace read_hf_audio_tests
