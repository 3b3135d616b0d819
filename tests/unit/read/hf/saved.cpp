// Configurations as transformers saves them again, and classes that are a part of what their type describes.
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_saved_tests {
using nlohmann::json;

namespace {

std::int64_t total_of(const json& config) { return parameters(read_hf_config(config).model).total; }
refusal refused(const json& config) {
  return refusal_of([&] { (void)read_hf_config(config); });
}

/// Gemma 4 as it is saved from version 5.9 on: the layers with other heads are listed.
json with_layer_config(json config) {
  json each = json::object();
  for (std::size_t i = 0; i < config["layer_types"].size(); ++i) {
    const std::string number = std::to_string(i);
    if (config["layer_types"][i] == "full_attention")
      each[i < 10 ? "0" + number : number] = {{"head_dim", config["global_head_dim"]},
                                              {"num_key_value_heads", config["num_global_key_value_heads"]}};
  }
  config.erase("global_head_dim"), config.erase("num_global_key_value_heads");
  config["per_layer_config"] = each;
  return config;
}

}  // namespace

TEST_CASE("Gemma 4 is the same model however its layers are told") {
  json whole = load_json(std::string{TPUPLAN_DATA_DIR} + "/models/gemma-4-31b.json");
  const json text = whole["text_config"];
  CHECK(total_of(with_layer_config(text)) == total_of(text));
  CHECK(total_of(text) == 30697345340);  // the count of its class
  const std::int64_t of_both = total_of(whole);
  whole["text_config"] = with_layer_config(text);
  CHECK(total_of(whole) == of_both);
  json other = with_layer_config(text);
  other["per_layer_config"]["05"]["head_dim"] = 256;
  CHECK(says(refused(other).message, "config.per_layer_config is 10 layers; valid: absent, or one head_dim"));
  json some = with_layer_config(text);
  some["per_layer_config"].erase("11");
  CHECK(refused(some).code == errc::unsupported);
  CHECK(refused({{"model_type", "llama"}, {"per_layer_config", {{"03", {{"intermediate_size", 7168}}}}}}).code ==
        errc::unsupported);
  CHECK(refused({{"model_type", "llama"}, {"per_layer_config", 3}}).code == errc::malformed_input);
  CHECK(total_of({{"model_type", "llama"}, {"per_layer_config", json::object()}}) ==
        total_of({{"model_type", "llama"}}));
}

TEST_CASE("other names of the same fields") {
  const json xlstm = {{"model_type", "xlstm"}, {"hidden_size", 2048}, {"num_hidden_layers", 24}, {"num_heads", 4}};
  CHECK(total_of({{"model_type", "xlstm"}, {"embedding_dim", 2048}, {"num_blocks", 24}, {"num_heads", 4}}) ==
        total_of(xlstm));
  const json groups = {{"quant_method", "compressed-tensors"},
                       {"config_groups", {{"group_0", {{"weights", {{"num_bits", 4}, {"group_size", 128}}}}}}}};
  const auto bits = [&](const char* field) {
    return read_hf_config({{"model_type", "llama"}, {field, groups}}).stored.parts.mlp;
  };
  CHECK(bits("compression_config") == bits("quantization_config"));
  CHECK(bits("compression_config") < 5);
  const json granite = {{"model_type", "granitemoehybrid"},
                        {"num_hidden_layers", 2},
                        {"num_local_experts", 0},
                        {"mamba_n_heads", 128},
                        {"mamba_d_head", 64}};
  const auto with = [&](const char* mamba) {
    json all = granite;
    all["layer_types"] = {mamba, "full_attention"};
    return total_of(all);
  };
  CHECK(with("linear_attention") == with("mamba"));
  CHECK(says(refused({{"model_type", "llama"}, {"quantization_config", {{"bits", 4}}}}).message,
             "quantization_config.quant_method is missing"));
}

TEST_CASE("a class without an output head has no bias of one, and parts of pairs are refused") {
  const json phi = {{"model_type", "phi"},
                    {"hidden_size", 2560},
                    {"intermediate_size", 10240},
                    {"num_hidden_layers", 32},
                    {"num_attention_heads", 32},
                    {"vocab_size", 51200},
                    {"architectures", {"PhiForSequenceClassification"}},
                    {"id2label", {{"0", "x"}}}};
  CHECK(total_of(phi) == 2648563200);  // the count of its class
  const json bart = {{"model_type", "bart"}, {"architectures", {"BartForSequenceClassification"}}};
  CHECK(total_of(bart) == 407344131);
  CHECK(says(refused({{"model_type", "bart"}, {"architectures", {"BartForCausalLM"}}}).message,
             "BartForCausalLM; valid: a class with both stacks"));
  CHECK(says(refused({{"model_type", "whisper"}, {"architectures", {"WhisperForCausalLM"}}}).message, "both stacks"));
}

}  // namespace read_hf_saved_tests
