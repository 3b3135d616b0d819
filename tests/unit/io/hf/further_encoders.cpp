// Encoders of proteins, of text with the layers of Llama, and of speech.

#include <nlohmann/json.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace io_hf_further_encoders_tests {
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
    {"HubertModel", "hubert", "HubertModel", R"({})", 94371712},
    {"HubertForCTC", "hubert", "HubertForCTC", R"({})", 94396320},
    {"WavLMModel", "wavlm", "WavLMModel", R"({})", 94381936},
    {"WavLMForCTC", "wavlm", "WavLMForCTC", R"({})", 94406544},
    {"HubertForSequenceClassification", "hubert", "HubertForSequenceClassification", R"({})", 94569090},
    {"EuroBertModel", "eurobert", "EuroBertModel", R"({})", 211766016},
    {"EuroBertForMaskedLM", "eurobert", "EuroBertForMaskedLM", R"({})", 310266624},
    {"EuroBertForSequenceClassification", "eurobert", "EuroBertForSequenceClassification", R"({})", 212358146},
    {"EuroBertForTokenClassification", "eurobert", "EuroBertForTokenClassification", R"({})", 211767554},
    {"Data2VecTextForMaskedLM", "data2vec-text", "Data2VecTextForMaskedLM", R"({})", 109514298},
    {"Data2VecTextModel", "data2vec-text", "Data2VecTextModel", R"({})", 109482240},
    {"Data2VecTextForSequenceClassification", "data2vec-text", "Data2VecTextForSequenceClassification", R"({})", 109483778},
    {"Wav2Vec2ForCTC", "wav2vec2", "Wav2Vec2ForCTC", R"({"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"feat_extract_norm":"layer","conv_bias":true,"do_stable_layer_norm":true})", 315471520},
    {"HubertModel", "hubert", "HubertModel", R"({"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"feat_extract_norm":"layer","conv_bias":true,"do_stable_layer_norm":true})", 315438720},
    {"WavLMModel", "wavlm", "WavLMModel", R"({"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"feat_extract_norm":"layer","conv_bias":true,"do_stable_layer_norm":true})", 315456704},
    {"Wav2Vec2ForCTC", "wav2vec2", "Wav2Vec2ForCTC", R"({"adapter_attn_dim":16,"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"feat_extract_norm":"layer","conv_bias":true,"do_stable_layer_norm":true})", 316332064},
    {"HubertModel", "hubert", "HubertModel", R"({"feat_proj_layer_norm":false,"mask_time_prob":0.0})", 94369920},
    {"Wav2Vec2ForPreTraining", "wav2vec2", "Wav2Vec2ForPreTraining", R"({"codevector_dim":768,"proj_codevector_dim":768,"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"feat_extract_norm":"layer","conv_bias":true,"do_stable_layer_norm":true})", 317390592},
    {"EsmModel", "esm", "EsmModel", R"({"vocab_size":33,"hidden_size":320,"num_hidden_layers":6,"num_attention_heads":20,"intermediate_size":1280,"position_embedding_type":"rotary"})", 7511801},
    {"EsmForMaskedLM", "esm", "EsmForMaskedLM", R"({"vocab_size":33,"hidden_size":320,"num_hidden_layers":6,"num_attention_heads":20,"intermediate_size":1280,"position_embedding_type":"rotary"})", 7512474},
    {"EsmForTokenClassification", "esm", "EsmForTokenClassification", R"({"vocab_size":33,"hidden_size":320,"num_hidden_layers":6,"num_attention_heads":20,"intermediate_size":1280,"position_embedding_type":"rotary"})", 7409723},
    {"EsmForSequenceClassification", "esm", "EsmForSequenceClassification", R"({"vocab_size":33,"hidden_size":320,"num_hidden_layers":6,"num_attention_heads":20,"intermediate_size":1280,"position_embedding_type":"rotary"})", 7512443},
    {"EsmForMaskedLM", "esm", "EsmForMaskedLM", R"({"vocab_size":33,"hidden_size":320,"num_hidden_layers":6,"num_attention_heads":20,"intermediate_size":1280,"position_embedding_type":"absolute","emb_layer_norm_before":true})", 7841434},
    {"EuroBertForMaskedLM", "eurobert", "EuroBertForMaskedLM", R"({"attention_bias":true,"mlp_bias":true,"num_key_value_heads":4,"head_dim":96,"tie_word_embeddings":true})", 212009472},
};
// clang-format on

}  // namespace

TEST_CASE("ESM, EuroBERT and encoders of speech: parameters", "[hf_further_encoders]") { check_parameters(classes); }

TEST_CASE("a token of a speech model is a frame, and its CTC head counts in place of a table",
          "[hf_further_encoders]") {
  const model_config read = read_hf_config({{"model_type", "wav2vec2"}, {"architectures", {"Wav2Vec2ForCTC"}}});
  const parameter_count count = parameters(read.model);
  CHECK(count.embedding == 32 * 768);
  CHECK(count.lm_head == 32);
  CHECK(read.model.kind == architecture::encoder);
  bool said = false;
  for (const assumption& each : read.assumed) said = said || each.field == "conv_dim";
  CHECK(said);
}

TEST_CASE("gte v1.5: rotary positions, and a bias in the last matrix of a gated MLP", "[hf_further_encoders]") {
  // Alibaba-NLP/gte-large-en-v1.5 as published: 434139136.
  const char* large = R"({"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
      "intermediate_size": 4096, "type_vocab_size": 2, "position_embedding_type": "rope"})";
  CHECK(parameters(model_of("new", large, "NewModel")).total == 434139136);
  CHECK(parameters(model_of("new", large, "NewForMaskedLM")).total == 434139136 + 1024 * 1024 + 3 * 1024 + 30528);
}

TEST_CASE("what these encoders do not count is refused by its field", "[hf_further_encoders]") {
  const hf_class refused[] = {
      {"vocab_size", "esm", "", "{}", 0},
      {"is_folding_model", "esm", "", R"({"vocab_size": 33, "is_folding_model": true})", 0},
      {"position_embedding_type", "esm", "", R"({"vocab_size": 33, "position_embedding_type": "relative_key"})", 0},
      {"architectures", "esm", "EsmForProteinFolding", R"({"vocab_size": 33})", 0},
      {"architectures", "eurobert", "EuroBertForQuestionAnswering", "{}", 0},
      {"architectures", "wav2vec2", "Wav2Vec2ForXVector", "{}", 0},
      {"add_adapter", "wav2vec2", "", R"({"add_adapter": true})", 0},
      {"conv_kernel", "hubert", "", R"({"conv_kernel": [10, 3]})", 0},
      {"conv_dim", "hubert", "", R"({"conv_dim": []})", 0},
      {"conv_dim", "hubert", "", R"({"conv_dim": ["512"]})", 0},
      {"feat_extract_norm", "wavlm", "", R"({"feat_extract_norm": "batch"})", 0},
      {"num_conv_pos_embedding_groups", "wavlm", "", R"({"num_conv_pos_embedding_groups": 5})", 0},
      {"adapter_attn_dim", "wav2vec2", "", R"({"adapter_attn_dim": 16})", 0},
  };
  for (const hf_class& each : refused) {
    INFO(each.type << " " << each.changes);
    const refusal got = refusal_of([&] { (void)model_of(each.type, each.changes, each.head); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(says(got.message, each.name));
  }
}

}  // namespace io_hf_further_encoders_tests
