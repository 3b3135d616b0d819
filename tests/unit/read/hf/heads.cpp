// `architectures` of config.json: which head a model has, and how many parameters with it.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_heads_tests {
using nlohmann::json;

namespace {

struct headed {
  const char* type;     // model_type
  const char* name;     // the class that architectures names
  const char* changes;  // what differs from the defaults of its configuration
  std::int64_t parameters;
};

json config_of(const headed& each) {
  json config = json::parse(each.changes);
  config["model_type"] = each.type;
  config["architectures"] = {each.name};
  return config;
}

// Sums over the tensors that these classes of transformers build (main of 2025-12-23, d6a6c82680, their constructors
// run over shapes alone).
// clang-format off
const headed classes[] = {
    {"bert", "BertModel", R"({})", 109482240},
    {"bert", "BertForMaskedLM", R"({})", 109514298},
    {"bert", "BertForPreTraining", R"({})", 110106428},
    {"bert", "BertForSequenceClassification", R"({})", 109483778},
    {"bert", "BertForTokenClassification", R"({})", 108893186},
    {"bert", "BertForQuestionAnswering", R"({})", 108893186},
    {"bert", "BertForNextSentencePrediction", R"({})", 109483778},
    {"bert", "BertForMultipleChoice", R"({})", 109483009},
    {"roberta", "RobertaModel", R"({})", 124644864},
    {"roberta", "RobertaForMaskedLM", R"({})", 124696665},
    {"roberta", "RobertaForSequenceClassification", R"({})", 124646402},
    {"roberta", "RobertaForTokenClassification", R"({})", 124055810},
    {"roberta", "RobertaForQuestionAnswering", R"({})", 124055810},
    {"roberta", "RobertaForMultipleChoice", R"({})", 124645633},
    {"xlm-roberta", "XLMRobertaModel", R"({})", 109482240},
    {"xlm-roberta", "XLMRobertaForMaskedLM", R"({})", 109514298},
    {"xlm-roberta", "XLMRobertaForSequenceClassification", R"({})", 109483778},
    {"camembert", "CamembertModel", R"({})", 109482240},
    {"camembert", "CamembertForMaskedLM", R"({})", 109514298},
    {"distilbert", "DistilBertModel", R"({})", 66362880},
    {"distilbert", "DistilBertForMaskedLM", R"({})", 66985530},
    {"distilbert", "DistilBertForSequenceClassification", R"({})", 66955010},
    {"distilbert", "DistilBertForTokenClassification", R"({})", 66364418},
    {"distilbert", "DistilBertForQuestionAnswering", R"({})", 66364418},
    {"distilbert", "DistilBertForMultipleChoice", R"({})", 66954241},
    {"vit", "ViTModel", R"({})", 86389248},
    {"vit", "ViTForImageClassification", R"({})", 85800194},
    {"dinov2", "Dinov2Model", R"({})", 85725696},
    {"mistral", "MistralModel", R"({})", 7110660096},
    {"mistral", "MistralForCausalLM", R"({})", 7241732096},
    {"t5", "T5Model", R"({})", 60506624},
    {"roberta", "RobertaForMaskedLM", R"({"max_position_embeddings":514,"type_vocab_size":1})", 124697433},
    {"xlm-roberta", "XLMRobertaForMaskedLM", R"({"vocab_size":250002,"max_position_embeddings":514,"type_vocab_size":1})", 278295186},
    {"bert", "BertForSequenceClassification", R"({"id2label":{"0":"a","1":"b","2":"c"}})", 109484547},
    {"dinov2", "Dinov2Model", R"({"image_size":518})", 86580480},
    {"dinov2", "Dinov2Model", R"({"image_size":518,"hidden_size":1536,"num_hidden_layers":40,"num_attention_heads":24,"use_swiglu_ffn":true})", 1136480768},
    {"bert", "BertForMaskedLM", R"({"hidden_size":1024,"intermediate_size":4096,"num_hidden_layers":24,"num_attention_heads":16})", 335174458},
    {"distilbert", "DistilBertForMaskedLM", R"({"vocab_size":119547})", 135445755},
    {"vit", "ViTModel", R"({"hidden_size":1024,"intermediate_size":4096,"num_hidden_layers":24,"num_attention_heads":16,"image_size":384})", 304740352},
    // The Hub's API reports these, with 512 and 514 positions as a buffer for the last two.
    {"bert", "BertForPreTraining", R"({"vocab_size":119547})", 178566653},
    {"xlm-roberta", "XLMRobertaModel", R"({"vocab_size":250002,"max_position_embeddings":514,"type_vocab_size":1,"hidden_size":1024,"intermediate_size":4096,"num_hidden_layers":24,"num_attention_heads":16})", 559890432},
    {"bert", "BertForSequenceClassification", R"({"hidden_size":384,"intermediate_size":1536,"num_hidden_layers":6,"id2label":{"0":"LABEL_0"}})", 22714113 - 512},
    {"xlm-roberta", "XLMRobertaForSequenceClassification", R"({"vocab_size":250002,"max_position_embeddings":514,"type_vocab_size":1,"id2label":{"0":"LABEL_0"}})", 278044931 - 514},
};
// clang-format on

}  // namespace

TEST_CASE("architectures decides the head", "[hf_heads]") {
  for (const headed& each : classes) {
    INFO(each.name << " " << each.changes);
    CHECK(parameters(read_hf_config(config_of(each)).model).total == each.parameters);
  }
}

TEST_CASE("classifiers in place of an output head", "[hf_heads]") {
  const auto total = [](const char* type, const char* head) {
    return parameters(read_hf_config({{"model_type", type}, {"architectures", {head}}}).model).total;
  };
  // A matrix of two outputs without a bias, or with one.
  const std::int64_t llama = total("llama", "LlamaModel");
  CHECK(total("llama", "LlamaForSequenceClassification") == llama + 2 * 4096);
  CHECK(total("llama", "LlamaForTokenClassification") == llama + 2 * 4097);
  CHECK(total("llama", "LlamaForQuestionAnswering") == llama + 2 * 4097);
  // transformers' classes: t5-small's encoder, and a dense layer before the classifier of BART.
  CHECK(total("t5", "T5EncoderModel") == 35330816);
  CHECK(total("bart", "BartForSequenceClassification") == 406291456 + 1024 * 1025 + 3 * 1025);
  CHECK(read_hf_config({{"model_type", "t5"}, {"architectures", {"T5EncoderModel"}}}).model.kind ==
        architecture::encoder);
}

TEST_CASE("reward models have one matrix, or two with biases, in place of the output head", "[hf_heads]") {
  const auto total = [](const char* type, const char* head, json config) {
    config["model_type"] = type;
    config["architectures"] = {head};
    return parameters(read_hf_config(config).model).total;
  };
  const json small = {{"hidden_size", 64},        {"num_hidden_layers", 1},      {"num_attention_heads", 4},
                      {"vocab_size", 100},        {"intermediate_size", 128},    {"bias", false},
                      {"num_key_value_heads", 4}, {"max_position_embeddings", 8}};
  CHECK(total("internlm2", "InternLM2ForRewardModel", small) == total("internlm2", "InternLM2Model", small) + 64);
  const std::int64_t qwen = total("qwen2", "Qwen2Model", small);
  CHECK(total("qwen2", "Qwen2ForRewardModel", small) == qwen + 64 * 65 + 65);
  CHECK(total("qwen2", "Qwen2ForProcessRewardModel", small) == qwen + 64 * 65 + 2 * 65);
}

TEST_CASE("an encoder that writes tokens has the head of the masked one", "[hf_heads]") {
  const auto total = [](const char* type, const char* head) {
    return parameters(read_hf_config({{"model_type", type}, {"architectures", {head}}}).model).total;
  };
  CHECK(total("bert", "BertLMHeadModel") == 109514298);
  CHECK(total("roberta", "RobertaForCausalLM") == 124696665);
  CHECK(total("electra", "ElectraForCausalLM") == 13546682);
  CHECK(total("xlm-roberta-xl", "XLMRobertaXLForCausalLM") == 3482741760);
}

TEST_CASE("the class of another type with other layers is said, and model_type decides", "[hf_heads]") {
  const auto said = [](const char* type, const char* head) {
    const model_config read = read_hf_config({{"model_type", type}, {"architectures", {head}}});
    CHECK(parameters(read.model).total == parameters(read_hf_config({{"model_type", type}}).model).total);
    for (const assumption& each : read.assumed)
      if (each.field == "architectures") return each.why;
    return std::string{};
  };
  CHECK(said("glm", "Glm4MoeForCausalLM") == "the class of glm4_moe: counted as the model_type says");
  CHECK(said("qwen2", "Qwen3ForCausalLM") == "the class of qwen3: counted as the model_type says");
  // Its own, one with the same layers, and one that no type has.
  CHECK(said("gemma3_text", "Gemma3ForCausalLM").empty());
  CHECK(said("qwen3_5_text", "Qwen3_5ForCausalLM").empty());
  CHECK(said("kimi_k2", "DeepseekV3ForCausalLM").empty());
  CHECK(said("llama", "SomethingForCausalLM").empty());
}

TEST_CASE("the tower of a pair with a classifier is counted alone", "[hf_heads]") {
  const headed towers[] = {
      {"clip", "CLIPForImageClassification", R"({})", 87457538},
      {"siglip", "SiglipForImageClassification", R"({"num_labels": 3})", 92886531},
      {"siglip2", "Siglip2ForImageClassification", R"({"num_labels": 5})", 92934149},
      {"siglip_vision_model", "SiglipForImageClassification", R"({"num_labels": 3})", 92886531},
  };
  for (const headed& each : towers) {
    INFO(each.name);
    const transformer m = read_hf_config(config_of(each)).model;
    CHECK(parameters(m).total == each.parameters);
    CHECK(m.kind == architecture::vision);
  }
}

TEST_CASE("heads that draft tokens for another model are refused", "[hf_heads]") {
  for (const char* name : {"LlamaForCausalLMEagle", "LlamaForCausalLMEagle3", "EagleLlamaForCausalLM", "MedusaModel",
                           "DeepseekV3ForCausalLMNextN", "LlamaForCausalLMFoo"}) {
    INFO(name);
    CHECK(says(refusal_of([&] { (void)::model_of("llama", "{}", name); }).message, name));
  }
  CHECK(says(refusal_of([] { (void)::model_of("llama", R"({"draft_vocab_size": 32000})"); }).message,
             "config.draft_vocab_size is 32000; valid: absent"));
}

TEST_CASE("heads that cannot be counted are refused by the name of the class", "[hf_heads]") {
  const headed refused[] = {
      {"bert", "BertForSomething", "{}", 0},
      {"vit", "ViTForMaskedImageModeling", "{}", 0},
      {"vit", "ViTModel", R"({"pooler_output_size": 512})", 0},
      {"dinov2", "Dinov2ForDepthEstimation", "{}", 0},
      {"mistral", "MistralForMultipleChoice", "{}", 0},
      {"llama", "LlamaForRewardModel", "{}", 0},
      {"t5", "T5ForQuestionAnswering", "{}", 0},
      {"llava", "LlavaForSequenceClassification", "{}", 0},
  };
  for (const headed& each : refused) {
    INFO(each.name);
    const refusal got = refusal_of([&] { (void)read_hf_config(config_of(each)); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(says(got.message, std::string(each.changes) == "{}" ? each.name : "pooler_output_size"));
  }
  const auto named = [](const json& names) {
    return refusal_of([&] { (void)read_hf_config({{"model_type", "llama"}, {"architectures", names}}); });
  };
  CHECK(says(named("LlamaForCausalLM").message, "config.architectures"));
  CHECK(says(named({1}).message, "config.architectures"));
  CHECK_FALSE(named(json::array()).refused);
  CHECK_FALSE(named(nullptr).refused);
}

TEST_CASE("a model whose file names no class has the usual head, on record", "[hf_heads]") {
  const model_config bert = read_hf_config({{"model_type", "bert"}});
  CHECK(parameters(bert.model).total == 109482240);
  CHECK(parameters(bert.model).head == 768 * 768 + 768);
  CHECK(bert.assumed.back().field == "architectures");
  CHECK(parameters(read_hf_config({{"model_type", "mistral"}}).model).total == 7241732096);
}

TEST_CASE("the head of a masked-language model is in its products", "[hf_heads]") {
  const transformer bare = read_hf_config({{"model_type", "bert"}}).model;
  const transformer masked = read_hf_config({{"model_type", "bert"}, {"architectures", {"BertForMaskedLM"}}}).model;
  const parameter_count count = parameters(masked);
  CHECK(count.lm_head == 30522);  // the bias; the matrix is the token table
  CHECK(count.head == 768 * 768 + 768 + 2 * 768);
  CHECK(count.matrices - parameters(bare).matrices == std::int64_t{768} * (30522 + 768));
}

TEST_CASE("types that cannot be counted are refused with what is missing", "[hf_heads]") {
  for (const detail::uncounted_type& each : detail::uncounted_types) {
    INFO(each.type);
    const refusal got = refusal_of([&] { (void)read_hf_config({{"model_type", each.type}}); });
    CHECK(got.code == errc::unsupported);
    CHECK(says(got.message, each.what));
    for (const std::string_view known : known_model_types()) CHECK(known != each.type);
  }
}

TEST_CASE("classes of a classifier are those that the file states; answers have two ends", "[hf_heads]") {
  const auto classes = [](const char* type, const char* name) {
    return read_hf_config({{"model_type", type}, {"architectures", {name}}, {"num_labels", 5}}).model.classes;
  };
  CHECK(classes("bert", "BertForSequenceClassification") == 5);
  CHECK(classes("llama", "LlamaForSequenceClassification") == 5);
  CHECK(classes("llama", "LlamaForTokenClassification") == 5);
  CHECK(classes("llama", "LlamaForQuestionAnswering") == 2);
}

TEST_CASE("a head that chooses among answers stands beside the output head", "[hf_heads]") {
  const transformer both = ::model_of("gpt2", "{}", "GPT2DoubleHeadsModel");
  CHECK(parameters(both).total == parameters(::model_of("gpt2", "{}", "GPT2LMHeadModel")).total + 768 + 1);
  CHECK(both.output_head);
}

TEST_CASE("a null does not tie the output head to the token table", "[hf_heads]") {
  CHECK(!::model_of("llama", R"({"tie_word_embeddings": null})", "LlamaForCausalLM").tied_embeddings);
  CHECK(!::model_of("gemma", R"({"tie_word_embeddings": null})", "GemmaForCausalLM").tied_embeddings);
}

}  // namespace read_hf_heads_tests
