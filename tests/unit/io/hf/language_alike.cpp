// Encoders like BERT, pairs of stacks like BART, and decoders whose code lies beside the weights.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace io_hf_language_alike_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738), each table of tokens
// once. The defaults of each configuration, but for what is written here.
// clang-format off
const hf_class classes[] = {
    {"ErnieForMaskedLM", "ernie", "ErnieForMaskedLM", R"({})", 109514298},
    {"ErnieModel", "ernie", "ErnieModel", R"({"use_task_id":true})", 109484544},
    {"MegatronBertForMaskedLM", "megatron-bert", "MegatronBertForMaskedLM", R"({})", 333671808},
    {"MegatronBertModel", "megatron-bert", "MegatronBertModel", R"({})", 333640704},
    {"XLMRobertaXLForMaskedLM", "xlm-roberta-xl", "XLMRobertaXLForMaskedLM", R"({})", 3482741760},
    {"XLMRobertaXLForSequenceClassification", "xlm-roberta-xl", "XLMRobertaXLForSequenceClassification", R"({})", 3482490882},
    {"RobertaPreLayerNormForMaskedLM", "roberta-prelayernorm", "RobertaPreLayerNormForMaskedLM", R"({})", 124698201},
    {"LongformerForMaskedLM", "longformer", "LongformerForMaskedLM", R"({})", 130775610},
    {"LongformerForSequenceClassification", "longformer", "LongformerForSequenceClassification", R"({})", 130745090},
    {"LongformerModel", "longformer", "LongformerModel", R"({})", 130743552},
    {"LayoutLMForMaskedLM", "layoutlm", "LayoutLMForMaskedLM", R"({})", 113250618},
    {"LayoutLMModel", "layoutlm", "LayoutLMModel", R"({})", 112627968},
    {"LayoutLMForTokenClassification", "layoutlm", "LayoutLMForTokenClassification", R"({})", 112629506},
    {"LayoutLMForSequenceClassification", "layoutlm", "LayoutLMForSequenceClassification", R"({})", 112629506},
    {"NomicBertForMaskedLM", "nomic_bert", "NomicBertForMaskedLM", R"({})", 137354304},
    {"NomicBertModel", "nomic_bert", "NomicBertModel", R"({})", 136731648},
    {"NomicBertForSequenceClassification", "nomic_bert", "NomicBertForSequenceClassification", R"({})", 137323778},
    {"JinaEmbeddingsV3Model", "jina_embeddings_v3", "JinaEmbeddingsV3Model", R"({})", 559364096},
    {"JinaEmbeddingsV3ForMaskedLM", "jina_embeddings_v3", "JinaEmbeddingsV3ForMaskedLM", R"({})", 559616146},
    {"RoFormerForMaskedLM", "roformer", "RoFormerForMaskedLM", R"({})", 124197968},
    {"RoFormerModel", "roformer", "RoFormerModel", R"({})", 123555840},
    {"RoFormerForSequenceClassification", "roformer", "RoFormerForSequenceClassification", R"({})", 124147970},
    {"RoFormerForTokenClassification", "roformer", "RoFormerForTokenClassification", R"({})", 123557378},
    {"BigBirdForMaskedLM", "big_bird", "BigBirdForMaskedLM", R"({})", 128111286},
    {"BigBirdModel", "big_bird", "BigBirdModel", R"({})", 127468800},
    {"BigBirdForPreTraining", "big_bird", "BigBirdForPreTraining", R"({})", 128112824},
    {"BigBirdForSequenceClassification", "big_bird", "BigBirdForSequenceClassification", R"({})", 128060930},
    {"BigBirdForTokenClassification", "big_bird", "BigBirdForTokenClassification", R"({})", 127470338},
    {"PLBartForConditionalGeneration", "plbart", "PLBartForConditionalGeneration", R"({})", 139220736},
    {"MvpForConditionalGeneration", "mvp", "MvpForConditionalGeneration", R"({})", 406293504},
    {"BlenderbotForConditionalGeneration", "blenderbot", "BlenderbotForConditionalGeneration", R"({})", 2696268800},
    {"BlenderbotSmallForConditionalGeneration", "blenderbot-small", "BlenderbotSmallForConditionalGeneration", R"({})", 85113344},
    {"PegasusForConditionalGeneration", "pegasus", "PegasusForConditionalGeneration", R"({})", 406287360},
    {"MarianMTModel", "marian", "MarianMTModel", R"({})", 414307328},
    {"M2M100ForConditionalGeneration", "m2m_100", "M2M100ForConditionalGeneration", R"({})", 483905536},
    {"UMT5ForConditionalGeneration", "umt5", "UMT5ForConditionalGeneration", R"({})", 172122112},
    {"UMT5EncoderModel", "umt5", "UMT5EncoderModel", R"({})", 146941952},
    {"UMT5ForConditionalGeneration", "umt5", "UMT5ForConditionalGeneration", R"({"tie_word_embeddings":false})", 300179456},
};
// clang-format on

}  // namespace

TEST_CASE("encoders like BERT and pairs like BART: parameters", "[hf_alike]") { check_parameters(classes); }

TEST_CASE("decoders whose code lies beside the weights state their sizes", "[hf_alike]") {
  for (const char* type : {"qwen", "internlm", "internlm2", "internlm3", "baichuan", "xverse", "chatglm", "minicpm",
                           "exaone", "orion", "deepseek"}) {
    INFO(type);
    CHECK(refusal_of([&] { (void)model_of(type, "{}"); }).refused);
  }
}

TEST_CASE("MiniCPM with experts is as Mixtral", "[hf_alike]") {
  const char* sizes = R"({"num_experts": 8, "num_experts_per_tok": 2, "hidden_size": 64, "num_attention_heads": 4,
      "vocab_size": 9, "num_hidden_layers": 1, "intermediate_size": 32, "max_position_embeddings": 8})";
  const transformer m = model_of("minicpm", sizes, "MiniCPMForCausalLM");
  CHECK(m.moe.top_k == 2);
  // One table, four matrices of attention, eight experts, a router and three norms.
  CHECK(parameters(m).total == 9 * 64 + 4 * 64 * 64 + 8 * 3 * 64 * 32 + 8 * 64 + 3 * 64);
}

TEST_CASE("Phi-3-small says that its sparse layers count as full ones", "[hf_alike]") {
  const json small = {{"model_type", "phi3small"},
                      {"hidden_size", 64},
                      {"ff_intermediate_size", 128},
                      {"num_hidden_layers", 4},
                      {"vocab_size", 100},
                      {"num_attention_heads", 4},
                      {"num_key_value_heads", 2},
                      {"max_position_embeddings", 8},
                      {"dense_attention_every_n_layers", 2}};
  const model_config read = read_hf_config(small);
  // A table; in each layer 64 x 128 and 64 x 64 of attention, three matrices of the MLP, biases, and two norms; a norm.
  const std::int64_t layer = 64 * 128 + 128 + 64 * 64 + 64 + 3 * 64 * 128 + 2 * 128 + 64 + 2 * 128;
  CHECK(parameters(read.model).total == 6400 + 4 * layer + 128);
  const auto says = [](const assumption& each) {
    return each.field == "dense_attention_every_n_layers" && each.why.substr(0, 2) == "2 ";
  };
  CHECK(std::any_of(read.assumed.begin(), read.assumed.end(), says));
}

TEST_CASE("Phi's first files have other names", "[hf_alike]") {
  const char* sizes = R"({"n_embd": 2560, "n_head": 32, "n_inner": null, "n_layer": 32, "n_positions": 2048,
      "vocab_size": 51200})";
  CHECK(parameters(model_of("phi-msft", sizes, "PhiForCausalLM")).total == 2779683840);
  CHECK(parameters(model_of("mixformer-sequential", sizes, "MixFormerSequentialForCausalLM")).total == 2779683840);
}

TEST_CASE("ChatGLM has its output head under every name", "[hf_alike]") {
  const char* sizes =
      R"({"num_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "kv_channels": 16, "ffn_hidden_size": 128,
      "padded_vocab_size": 100, "seq_length": 32, "multi_query_attention": true, "multi_query_group_num": 2,
      "add_qkv_bias": true})";
  const transformer m = model_of("chatglm", sizes, "ChatGLMModel");
  CHECK(m.output_head);
  CHECK(m.attention.kv_heads == 2);
  // Two tables of 100 x 64; in each layer 64 x (64 + 2 x 32) + 128 + 64 x 64, 3 x 64 x 128 and two norms; one norm.
  CHECK(parameters(m).total == 2 * 6400 + 2 * (8192 + 128 + 4096 + 24576 + 128) + 64);
}

TEST_CASE("DeepSeek-V2 without latent attention has heads as wide as their share of the model", "[hf_alike]") {
  const transformer m = model_of(
      "deepseek_v2", R"({"use_mla": false, "kv_lora_rank": null, "hidden_size": 1280, "num_attention_heads": 10,
      "num_key_value_heads": 10, "num_experts_per_tok": 6, "moe_intermediate_size": 896})");
  CHECK_FALSE(has_latent_attention(m));
  CHECK(m.attention.head_dim == 128);
}

TEST_CASE("what the classes alike do not count is refused by its field", "[hf_alike]") {
  const hf_class refused[] = {
      {"head_dim", "helium", "", R"({"hidden_size": 2048, "num_attention_heads": 10, "num_key_value_heads": 10})", 0},
      {"share_encoder_decoder_embeddings", "marian", "", R"({"share_encoder_decoder_embeddings": false})", 0},
      {"embedding_size", "roformer", "", R"({"embedding_size": 384})", 0},
      {"architectures", "big_bird", "BigBirdForQuestionAnswering", "{}", 0},
      {"architecture", "gemma3n", "", R"({"vision_config": {"architecture": "mobilenetv4"}})", 0},
  };
  for (const hf_class& each : refused) {
    INFO(each.type);
    const refusal got = refusal_of([&] { (void)model_of(each.type, each.changes, each.head); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(says(got.message, each.name));
  }
}

TEST_CASE("Gemma 3n with both of its towers, less keys and values that no layer uses", "[hf_alike]") {
  // The totals that Google publishes hold 2097408 of them in each of the last 10 or 15 layers.
  CHECK(parameters(model_of("gemma3n", "{}")).total == 7849978192 - 15 * 2097408);
  CHECK(parameters(model_of("gemma3n", R"({"text_config": {"num_hidden_layers": 30, "num_kv_shared_layers": 10,
      "intermediate_size": 8192}})"))
            .total == 5439438272 - 10 * 2097408);
}

TEST_CASE("Nemotron-H has as many layers as its list where the file counts none", "[hf_alike]") {
  const model_config read = read_hf_config(json::parse(
      R"({"model_type": "nemotron_h", "layers_block_type": ["mamba", "attention", "mlp"], "head_dim": 128})"));
  CHECK(read.model.layers == 3);
  for (const assumption& each : read.assumed)
    if (each.field == "num_hidden_layers") CHECK(each.value == "3");
}

}  // namespace io_hf_language_alike_tests
