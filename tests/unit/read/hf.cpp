// Reading configurations: what is assumed, what null means, and what is refused, by name.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/vision.hpp>
#include <tpuplan/read/hf.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#ifndef TPUPLAN_DATA_DIR
#error "TPUPLAN_DATA_DIR is the folder of the data, as a string"
#endif

using namespace tpuplan;

namespace read_hf_tests {
using nlohmann::json;

namespace {

const std::string models = std::string{TPUPLAN_DATA_DIR} + "/models/";

json stored(const std::string& name) { return load_json(models + name + ".json"); }

// The configuration with the field at `path` ("text_config.hidden_size") replaced.
json changed(json config, const std::string& path, const json& value) {
  json* place = &config;
  std::size_t from = 0;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', from)) {
    place = &(*place)[path.substr(from, dot - from)];
    from = dot + 1;
  }
  (*place)[path.substr(from)] = value;
  return config;
}

json without(json config, const std::string& field) {
  config.erase(field);
  return config;
}

transformer model_of(const json& config) { return read_hf_config(config).model; }

void check_refused(const json& config, errc reason, const std::string& named) {
  INFO(named);
  try {
    static_cast<void>(read_hf_config(config));
    FAIL_CHECK("not refused");
  } catch (const error& refusal) {
    INFO(refusal.what());
    CHECK(name(refusal.code()) == name(reason));
    CHECK(std::string{refusal.what()}.find(named) != std::string::npos);
  }
}

struct mutation {
  const char* model;
  const char* path;
  json value;
  errc reason;
  const char* named = "";  // the path, unless it is another field that is at fault
};

const std::vector<mutation>& mutations() {
  static const std::vector<mutation> table = {
      // Sizes of the wrong type, sign or magnitude.
      {"llama-3.1-8b", "hidden_size", "4096", errc::malformed_input},
      {"llama-3.1-8b", "hidden_size", 4096.5, errc::malformed_input},
      {"llama-3.1-8b", "hidden_size", 1e300, errc::out_of_range},
      {"llama-3.1-8b", "hidden_size", -4096, errc::invalid_argument},
      {"llama-3.1-8b", "hidden_size", 0, errc::missing_field},
      {"llama-3.1-8b", "hidden_size", nullptr, errc::missing_field},
      {"llama-3.1-8b", "hidden_size", true, errc::malformed_input},
      {"llama-3.1-8b", "hidden_size", json::array({4096}), errc::malformed_input},
      {"llama-3.1-8b", "hidden_size", json::object(), errc::malformed_input},
      {"llama-3.1-8b", "hidden_size", 16777217, errc::out_of_range},
      {"llama-3.1-8b", "hidden_size", 18446744073709551615u, errc::out_of_range},
      {"llama-3.1-8b", "hidden_size", 9223372036854775807, errc::out_of_range},
      {"llama-3.1-8b", "num_hidden_layers", 0, errc::missing_field},
      {"llama-3.1-8b", "num_hidden_layers", 1e9, errc::out_of_range},
      {"llama-3.1-8b", "vocab_size", -1, errc::invalid_argument},
      {"llama-3.1-8b", "intermediate_size", nullptr, errc::missing_field},
      {"llama-3.1-8b", "max_position_embeddings", -1, errc::invalid_argument},
      {"llama-3.1-8b", "max_position_embeddings", std::int64_t{1} << 41, errc::out_of_range},
      {"llama-3.1-8b", "num_attention_heads", 0, errc::missing_field},
      {"llama-3.1-8b", "num_attention_heads", 24, errc::not_divisible},
      {"llama-3.1-8b", "num_key_value_heads", 7, errc::not_divisible},
      {"llama-3.1-8b", "num_key_value_heads", 64, errc::not_divisible},
      {"llama-3.1-8b", "head_dim", -128, errc::invalid_argument},
      // Flags and names.
      {"llama-3.1-8b", "tie_word_embeddings", "false", errc::malformed_input},
      {"llama-3.1-8b", "tie_word_embeddings", 0, errc::malformed_input},
      {"llama-3.1-8b", "attention_bias", 1, errc::malformed_input},
      {"llama-3.1-8b", "mlp_bias", "yes", errc::malformed_input},
      {"llama-3.1-8b", "model_type", nullptr, errc::missing_field},
      {"llama-3.1-8b", "model_type", 3, errc::malformed_input},
      {"llama-3.1-8b", "model_type", "", errc::unknown_name},
      {"llama-3.1-8b", "model_type", "foo", errc::unknown_name},
      {"llama-3.1-8b", "model_type", std::string(100000, 'x'), errc::unknown_name},
      // Layers of other kinds, and windows.
      {"llama-3.1-8b", "layer_types", json::array({"full_attention"}), errc::invalid_argument},
      {"gpt-oss-20b", "layer_types", json::array({"sliding_attention", "linear_attention"}), errc::unsupported},
      {"gpt-oss-20b", "layer_types", "sliding_attention", errc::malformed_input},
      {"gpt-oss-20b", "layer_types", json::array({1}), errc::unsupported},
      {"gpt-oss-20b", "sliding_window", nullptr, errc::unsupported, "layer_types"},
      {"mistral-7b-v0.1", "sliding_window", -1, errc::invalid_argument},
      {"mistral-7b-v0.1", "sliding_window", 0, errc::missing_field},
      {"mistral-7b-v0.1", "attention_bias", true, errc::unsupported},
      {"mistral-7b-v0.1", "mlp_bias", true, errc::unsupported},
      {"gemma-3-27b-text", "sliding_window_pattern", 0, errc::missing_field},
      {"gemma-3-27b-text", "sliding_window_pattern", "LLLG", errc::malformed_input},
      {"gemma-3-27b-text", "head_dim", nullptr, errc::missing_field},
      {"qwen2.5-7b", "use_sliding_window", "no", errc::malformed_input},
      // Experts and latent attention.
      {"mixtral-8x7b", "num_experts_per_tok", 9, errc::out_of_range},
      {"mixtral-8x7b", "num_experts_per_tok", 0, errc::missing_field},
      {"mixtral-8x7b", "num_local_experts", -8, errc::invalid_argument},
      {"qwen3-235b-a22b", "decoder_sparse_step", 2, errc::unsupported},
      {"qwen3-235b-a22b", "mlp_only_layers", json::array({94}), errc::invalid_argument},
      {"qwen3-235b-a22b", "mlp_only_layers", json::array({-1}), errc::invalid_argument},
      {"qwen3-235b-a22b", "mlp_only_layers", 0, errc::malformed_input},
      {"deepseek-v3", "moe_layer_freq", 2, errc::unsupported},
      {"deepseek-v3", "attention_bias", true, errc::unsupported},
      {"deepseek-v3", "kv_lora_rank", nullptr, errc::missing_field},
      {"deepseek-v3", "q_lora_rank", -1, errc::invalid_argument},
      {"deepseek-v3", "first_k_dense_replace", 62, errc::out_of_range},
      {"deepseek-v3", "n_shared_experts", 16777216, errc::out_of_range},
      {"deepseek-v2-lite", "num_experts_per_tok", nullptr, errc::missing_field},
      // Other stacks.
      {"gpt2", "n_head", 11, errc::not_divisible},
      {"gpt2", "n_inner", -1, errc::invalid_argument},
      {"gpt2", "add_cross_attention", true, errc::unsupported},
      {"bert-base-uncased", "is_decoder", true, errc::unsupported},
      {"bert-base-uncased", "position_embedding_type", "relative_key", errc::unsupported},
      {"bert-base-uncased", "num_attention_heads", 5, errc::not_divisible},
      {"t5-base", "is_encoder_decoder", false, errc::unsupported},
      {"t5-base", "d_kv", 0, errc::missing_field},
      {"t5-base", "feed_forward_proj", 1, errc::malformed_input},
      {"vit-base-patch16-224", "patch_size", 0, errc::missing_field},
      {"vit-base-patch16-224", "patch_size", 225, errc::out_of_range, "image_size"},
      {"vit-base-patch16-224", "num_attention_heads", 7, errc::not_divisible},
      {"vit-base-patch16-224", "id2label", json::array(), errc::malformed_input},
      {"vit-base-patch16-224", "image_size", json::array({224, 192}), errc::unsupported},
      // Multimodal models.
      {"gemma-3-27b", "text_config", json::array(), errc::malformed_input},
      {"gemma-3-27b", "text_config.hidden_size", "5376", errc::malformed_input},
      {"gemma-3-27b", "text_config.model_type", "llama", errc::unknown_name},
      {"gemma-3-27b", "vision_config.hidden_size", -1, errc::invalid_argument},
      {"gemma-3-27b", "vision_config.vision_use_head", 0, errc::malformed_input},
      {"gemma-3-27b", "mm_tokens_per_image", 4097, errc::out_of_range},
      {"paligemma-3b", "projection_dim", 1024, errc::invalid_argument},
      {"llava-1.5-7b", "vision_config.model_type", "foo", errc::unknown_name},
      {"llava-1.5-7b", "text_config.model_type", "bert", errc::unknown_name},
      {"llava-1.5-7b", "vision_feature_select_strategy", "some", errc::unknown_name},
      {"llava-1.5-7b", "vision_feature_layer", json::array({-2, -1}), errc::unsupported},
      {"llava-1.5-7b", "vision_feature_layer", 25, errc::out_of_range},
      {"llava-1.5-7b", "vision_feature_layer", -26, errc::out_of_range},
      {"llava-1.5-7b", "vision_feature_layer", "-2", errc::malformed_input},
      {"qwen2-vl-7b", "vision_config.hidden_size", 1280, errc::invalid_argument},
      {"qwen2-vl-7b", "vision_config.num_heads", 7, errc::not_divisible},
      {"qwen2-vl-7b", "vision_config.spatial_merge_size", 16777216, errc::out_of_range},
      {"qwen2-vl-7b", "vision_config.mlp_ratio", 16777216, errc::out_of_range},
      {"qwen2.5-vl-7b", "vision_config.out_hidden_size", 1, errc::invalid_argument},
      {"mistral-small-3.1-24b", "multimodal_projector_bias", "false", errc::malformed_input},
      {"llama-3.2-11b-vision", "text_config.cross_attention_layers", json::array({3, 40}), errc::invalid_argument},
      {"llama-3.2-11b-vision", "vision_config.max_num_tiles", 0, errc::missing_field},
      {"llama-3.2-11b-vision", "vision_config.num_hidden_layers", 16777216, errc::out_of_range},
  };
  return table;
}

const assumption* find(const model_config& read, const std::string& field) {
  for (const assumption& each : read.assumed) {
    if (each.field == field) return &each;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("config.json: bad input is refused and the field named", "[hf_config]") {
  for (const mutation& each : mutations()) {
    INFO(each.model << ", " << each.path);
    const std::string named = std::string{"config."} + (*each.named != '\0' ? "" : each.path);
    const json config = changed(stored(each.model), each.path, each.value);
    check_refused(config, each.reason, *each.named != '\0' ? each.named : named);
  }
}

TEST_CASE("config.json: every model of data/models has the parameters that its source says", "[hf_config]") {
  const json sources = load_json(models + "sources.json");
  CHECK(sources.size() >= 48);
  for (const auto& [name, source] : sources.items()) {
    INFO(name);
    CHECK(parameters(load_hf_config(models + name + ".json").model).total ==
          source.at("parameters").get<std::int64_t>());
  }
}

TEST_CASE("config.json: what the files of data/models leave out of the published ones says nothing of their formats",
          "[hf_config]") {
  const json sources = load_json(models + "sources.json");
  for (const auto& [name, source] : sources.items()) {
    INFO(name);
    REQUIRE(source.at("published").is_string());  // where it was read, or that it could not be
    if (!source.contains("left_out")) {
      CHECK(source.at("published").get<std::string>().find("could not be read") == 0);
      continue;
    }
    for (const json& key : source.at("left_out")) {
      const std::string path = key.get<std::string>();
      INFO(path);
      CHECK_FALSE(stored(name).contains(path));
      for (const char* format : {"quantization_config", "expert_dtype", "num_hidden_layers", "hidden_size"})
        CHECK(path != format);
    }
  }
}

TEST_CASE("config.json: documents that are no configuration", "[hf_config]") {
  check_refused(json::object(), errc::missing_field, "config.model_type");
  check_refused(json::array(), errc::malformed_input, "config");
  check_refused(json(), errc::malformed_input, "config");
  check_refused("llama", errc::malformed_input, "config");
  check_refused(without(stored("llama-3.1-8b"), "model_type"), errc::missing_field, "config.model_type");
  CHECK_THROWS_AS(parse_json(std::string(100000, '['), "config"), error);
  CHECK_THROWS_AS(parse_json("{\"a\":" + std::string(70, '[') + std::string(70, ']') + "}", "config"), error);
  CHECK_THROWS_AS(parse_json(R"({"model_type": "llama", "hidden_size": NaN})", "config"), error);
  CHECK_THROWS_AS(parse_json(R"({"model_type": "llama", "hidden_size": 1e999})", "config"), error);
  CHECK_THROWS_AS(parse_json("", "config"), error);
  CHECK_THROWS_AS(load_hf_config(models + "no-such-model.json"), error);
  CHECK_THROWS_AS(load_hf_config(models), error);
}

TEST_CASE("config.json: an unknown type is answered with the known ones, nearest first", "[hf_config]") {
  try {
    static_cast<void>(read_hf_config({{"model_type", "qwen3_mo"}}, "my-model"));
    FAIL("not refused");
  } catch (const error& refusal) {
    const std::string message = refusal.what();
    CHECK(message.rfind("tpuplan: my-model.model_type is qwen3_mo; valid: qwen3_moe, ", 0) == 0);
    const std::string_view end = " other types, or a transformer filled in by hand";
    CHECK(message.substr(message.size() - end.size()) == end);
    // Ten are named.
    const std::string others = " " + std::to_string(known_model_types().size() - 10) + std::string(end);
    CHECK(says(message, others));
  }
}

TEST_CASE("config.json: what a minimal configuration leaves out is listed", "[hf_config]") {
  const model_config read =
      read_hf_config({{"model_type", "llama"}, {"hidden_size", 2048}, {"num_attention_heads", 16}});
  CHECK(read.model_type == "llama");
  CHECK(read.model.name == "llama");
  struct row {
    const char* field;
    const char* value;
    const char* why;
  };
  const std::vector<row> expected = {
      {"num_hidden_layers", "32", "class default of llama"},
      {"vocab_size", "32000", "class default of llama"},
      {"max_position_embeddings", "2048", "class default of llama"},
      {"num_key_value_heads", "16", "class default of llama: num_attention_heads"},
      {"head_dim", "128", "class default of llama: hidden_size / num_attention_heads"},
      {"attention_bias", "false", "class default of llama"},
      {"mlp_bias", "false", "class default of llama"},
      {"intermediate_size", "11008", "class default of llama"},
      {"tie_word_embeddings", "false", "class default of llama"},
  };
  CHECK(read.assumed.size() == expected.size());
  for (const row& each : expected) {
    INFO(each.field);
    const assumption* found = find(read, each.field);
    REQUIRE(found != nullptr);
    CHECK(found->value == each.value);
    CHECK(found->why == each.why);
  }
  CHECK(read.model.attention.kv_heads == 16);
  CHECK(read.model.max_positions == 2048);
}

TEST_CASE("config.json: a configuration that states everything assumes nothing", "[hf_config]") {
  CHECK(read_hf_config(stored("qwen3-32b")).assumed.empty());
  CHECK(read_hf_config({{"model_type", "gpt2"}}).assumed.size() == 8);
  CHECK(parameters(model_of({{"model_type", "gpt2"}})).total == 124439808);
}

TEST_CASE("config.json: assumptions carry the path of the part they are about", "[hf_config]") {
  const model_config read = read_hf_config(stored("gemma-3-27b"));
  REQUIRE(find(read, "text_config.vocab_size") != nullptr);
  CHECK(find(read, "text_config.vocab_size")->value == "262208");
  REQUIRE(find(read, "tie_word_embeddings") != nullptr);
  CHECK(find(read, "tie_word_embeddings")->why == "class default of gemma3");
  const model_config qwen = read_hf_config(stored("qwen2-vl-7b"));
  REQUIRE(find(qwen, "vision_config.images") != nullptr);
  CHECK(find(qwen, "vision_config.images")->value == "448 x 448");
  CHECK(find(qwen, "head_dim") != nullptr);  // the text fields stand at the top
  REQUIRE(find(read_hf_config(stored("deepseek-v3")), "num_nextn_predict_layers") != nullptr);
}

TEST_CASE("config.json: null is what the class makes of it", "[hf_config]") {
  CHECK(model_of(changed(stored("llama-3.1-8b"), "num_key_value_heads", nullptr)).attention.kv_heads == 32);
  CHECK(model_of(changed(stored("mistral-7b-v0.1"), "num_key_value_heads", nullptr)).attention.kv_heads == 32);
  CHECK(model_of(changed(stored("llama-3.1-8b"), "head_dim", nullptr)).attention.head_dim == 128);
  CHECK(model_of(changed(stored("deepseek-v3"), "q_lora_rank", nullptr)).attention.latent.q_lora_rank == 0);
  CHECK(model_of(without(stored("deepseek-v2-lite"), "q_lora_rank")).attention.latent.q_lora_rank == 1536);
  CHECK(model_of(changed(stored("gpt2"), "n_inner", nullptr)).mlp.d_ff == 3072);
  CHECK(model_of(changed(stored("t5-base"), "num_decoder_layers", nullptr)).layers == 12);
  CHECK(model_of(changed(stored("qwen3-235b-a22b"), "mlp_only_layers", nullptr)).moe.dense_layers == 0);

  const transformer full = model_of(changed(stored("mistral-7b-v0.1"), "sliding_window", nullptr));
  CHECK(full.attention.window == 0);
  CHECK(full.attention.local_layers == 0);
  const transformer usual = model_of(without(stored("mistral-7b-v0.1"), "sliding_window"));
  CHECK(usual.attention.window == 4096);
  CHECK(usual.attention.local_layers == 32);
}

TEST_CASE("config.json: layers with a window", "[hf_config]") {
  const auto local = [](const json& config) { return model_of(config).attention.local_layers; };
  CHECK(local(stored("gemma-2-9b")) == 21);
  CHECK(local(changed(stored("gemma-2-9b"), "num_hidden_layers", 41)) == 21);
  CHECK(local(stored("gemma-3-27b-text")) == 52);
  CHECK(local(changed(stored("gemma-3-27b-text"), "sliding_window_pattern", 2)) == 31);
  // Letters of EXAONE: 3 of 4 layers, and never the last.
  const auto exaone = [&](const char* type, std::int64_t layers, const json& pattern) {
    return local({{"model_type", type}, {"num_hidden_layers", layers}, {"sliding_window_pattern", pattern}});
  };
  CHECK(exaone("exaone4", 64, "LLLG") == 48);
  CHECK(exaone("exaone4", 64, 4) == 48);
  CHECK(exaone("exaone4", 65, "LLLG") == 48);
  CHECK(exaone("exaone4", 6, "LG") == 3);
  CHECK(exaone("exaone_moe", 48, "LLLG") == 36);
  CHECK(exaone("exaone4", 8, "GL") == 3);
  CHECK(local(stored("gpt-oss-20b")) == 12);
  CHECK(local(without(stored("gpt-oss-20b"), "layer_types")) == 12);
  CHECK(local(stored("qwen2.5-7b")) == 0);
  CHECK(model_of(stored("qwen2.5-7b")).attention.window == 0);
  const json windowed = changed(stored("qwen2.5-7b"), "use_sliding_window", true);
  CHECK(local(windowed) == 0);  // max_window_layers is the number of layers
  CHECK(local(changed(windowed, "max_window_layers", 20)) == 8);
  CHECK(local(changed(windowed, "max_window_layers", 99)) == 0);
  CHECK(local(changed(changed(windowed, "max_window_layers", 0), "sliding_window", nullptr)) == 0);
  const json moe = {{"model_type", "qwen2_moe"}, {"use_sliding_window", true}, {"max_window_layers", 7}};
  CHECK(local(moe) == 4);  // 0, 2, 4 and 6
  const json all = changed(stored("qwen3-235b-a22b"), "use_sliding_window", true);
  CHECK(local(changed(all, "sliding_window", 4096)) == 94);
}

TEST_CASE("config.json: a pattern of windows has letters for local and global layers alone", "[hf_config]") {
  for (const char* pattern : {"", "LLXG", "lllg"}) {
    const json config = {{"model_type", "exaone4"}, {"sliding_window_pattern", pattern}};
    CHECK(says(refusal_of([&] { (void)model_of(config); }).message, "such as LLLG"));
  }
}

TEST_CASE("config.json: biases follow the class", "[hf_config]") {
  CHECK(model_of(stored("qwen2.5-7b")).attention.qkv_bias);
  CHECK_FALSE(model_of(stored("qwen2.5-7b")).attention.output_bias);
  CHECK(model_of(changed(stored("llama-3.1-8b"), "attention_bias", true)).attention.output_bias);
  CHECK(model_of(changed(stored("llama-3.1-8b"), "mlp_bias", true)).mlp.bias);
  CHECK_FALSE(model_of({{"model_type", "qwen2_moe"}, {"qkv_bias", false}}).attention.qkv_bias);
  CHECK_FALSE(model_of(stored("deepseek-v2-lite")).moe.router_bias);
  CHECK(model_of(stored("deepseek-v3")).moe.router_bias);
}

TEST_CASE("config.json: the two statements about tied embeddings", "[hf_config]") {
  const auto tied = [](const json& config) { return model_of(config).tied_embeddings; };
  CHECK(tied(stored("gemma-3-27b")));
  CHECK_FALSE(tied(changed(stored("gemma-3-27b"), "tie_word_embeddings", false)));
  CHECK_FALSE(tied(changed(stored("gemma-3-27b"), "text_config.tie_word_embeddings", false)));
  CHECK(tied(changed(stored("llava-1.5-7b"), "tie_word_embeddings", true)));
  CHECK_FALSE(tied(stored("mistral-small-3.1-24b")));
  // The whole decides where both say it, but for LLaVA, where a text that shares its table counts in any case.
  const json both = changed(stored("mistral-small-3.1-24b"), "tie_word_embeddings", true);
  CHECK(tied(changed(both, "text_config.tie_word_embeddings", false)));
  const json neither = changed(stored("mistral-small-3.1-24b"), "tie_word_embeddings", false);
  CHECK_FALSE(tied(changed(neither, "text_config.tie_word_embeddings", true)));
  CHECK(tied(changed(stored("llava-1.5-7b"), "text_config.tie_word_embeddings", true)));
  CHECK(tied(changed(stored("qwen2-vl-7b"), "tie_word_embeddings", true)));
}

TEST_CASE("config.json: PaliGemma writes tokens one after another, whatever its prompt does", "[hf_config]") {
  const transformer plain = model_of(stored("paligemma-3b"));
  const transformer saved = model_of(changed(stored("paligemma-3b"), "text_config.use_bidirectional_attention", true));
  CHECK(saved.kind == architecture::decoder);
  CHECK(saved.output_head);
  CHECK(parameters(saved).total == parameters(plain).total);
  CHECK(kv_bytes_per_token(saved) == kv_bytes_per_token(plain));
}

TEST_CASE("config.json: what is assumed is what is counted", "[hf_config]") {
  const auto value_of = [](const json& config, std::string_view field) {
    for (const assumption& one : read_hf_config(config).assumed)
      if (one.field == field) return one.value;
    return std::string();
  };
  CHECK(value_of({{"model_type", "falcon"}}, "num_key_value_heads") == "1");
  const json newer = {{"model_type", "falcon"},
                      {"new_decoder_architecture", true},
                      {"num_kv_heads", 8},
                      {"num_attention_heads", 64},
                      {"hidden_size", 4096}};
  CHECK(value_of(newer, "num_key_value_heads") == "8");
  CHECK(value_of({{"model_type", "longformer"}}, "attention_window") == "none");
  CHECK(value_of({{"model_type", "big_bird"}}, "attention_type") == "original_full");
  CHECK(value_of({{"model_type", "big_bird"}, {"attention_type", "original_full"}}, "attention_type").empty());
  CHECK(parameters(model_of({{"model_type", "falcon"}, {"num_ln_in_parallel_attn", 2}})).total -
            parameters(model_of({{"model_type", "falcon"}})).total ==
        32 * 2 * 4544);
  CHECK(says(refusal_of([] {
               (void)model_of({{"model_type", "llama"}, {"hidden_size", nullptr}});
             }).message,
             "hidden_size is null; valid: a value, or no such key for the default of llama"));
}

TEST_CASE("config.json: parts that a multimodal configuration leaves out", "[hf_config]") {
  const transformer m = model_of({{"model_type", "paligemma"}});
  CHECK(m.d_model == 2048);
  CHECK(m.vocab == 257152);  // of the whole configuration
  CHECK(m.attention.head_dim == 256);
  CHECK(m.vision.d_ff == 4096);
  CHECK(m.vision.other_weights == 0);
  const transformer empty = model_of({{"model_type", "mistral3"}, {"vision_config", json::object()}});
  CHECK(empty.layers == 40);
  CHECK(empty.vision.patch_size == 16);
  CHECK(model_of({{"model_type", "mistral3"}}).vision.patch_size == 14);
}

TEST_CASE("config.json: towers", "[hf_config]") {
  // A SigLIP tower with its pooling head: probe, attention, norm, MLP.
  const json gemma = stored("gemma-3-27b");
  const std::int64_t d = 1152;
  const std::int64_t head = d + 4 * d * d + 4 * d + 2 * d + 2 * d * 4304 + 4304 + d;
  const std::int64_t without_head = parameters(model_of(gemma)).vision;
  CHECK(parameters(model_of(changed(gemma, "vision_config.vision_use_head", true))).vision == without_head + head);

  CHECK(image_tokens(model_of(stored("llava-1.5-7b")).vision) == 576);
  CHECK(image_tokens(model_of(changed(stored("llava-1.5-7b"), "vision_feature_select_strategy", "full")).vision) ==
        577);
  CHECK(image_tokens(model_of(stored("paligemma-3b")).vision) == 256);
  CHECK(image_tokens(model_of(stored("qwen2-vl-7b")).vision) == 256);
  CHECK(image_tokens(model_of(stored("mistral-small-3.1-24b")).vision) == 55 * 55);

  // An image that is not a whole number of patches loses the rest: 384 = 27 x 14 + 6.
  const model_config cut = read_hf_config(changed(gemma, "vision_config.image_size", 384));
  CHECK(cut.model.vision.image_size == 378);
  CHECK(cut.model.vision.learned_positions == 27 * 27);
  REQUIRE(find(cut, "vision_config.image_size") != nullptr);

  CHECK(model_of(without(stored("vit-base-patch16-224"), "id2label")).classes == 2);
  CHECK(model_of(stored("vit-base-patch16-224")).kind == architecture::vision);
}

TEST_CASE("config.json: second names of fields", "[hf_config]") {
  json config = without(stored("mixtral-8x7b"), "num_local_experts");
  config["num_experts"] = 16;
  CHECK(model_of(config).moe.experts == 16);
  json tower = stored("llama-3.2-11b-vision");
  tower["vision_config"].erase("attention_heads");
  tower["vision_config"]["num_attention_heads"] = 20;
  CHECK(model_of(tower).vision.heads == 20);
}

TEST_CASE("config.json: shared experts with a gate", "[hf_config]") {
  const transformer m = model_of({{"model_type", "qwen2_moe"}});
  transformer ungated = m;
  ungated.moe.shared_gate = false;
  CHECK(parameters(m).router - parameters(ungated).router == m.layers * m.d_model);
  CHECK(parameters(m).matrices - parameters(ungated).matrices == m.layers * m.d_model);
}

TEST_CASE("config.json: names of files", "[hf_config]") {
  const model_config read = load_hf_config(models + "llama-3.1-8b.json");
  CHECK(read.model.name == "llama-3.1-8b");
  CHECK(parameters(read.model).total == 8030261248);
  CHECK(load_hf_document(models + "llama-3.1-8b.json").at("num_hidden_layers") == 32);
  model_config compared = read;
  compare_with_index(models + "llama-3.1-8b.json", compared);
  CHECK(compared.assumed.size() == read.assumed.size());
  const model_config small = read_hf_file({{"model_type", "gpt2"}}, "mine.json");
  CHECK((small.model.name == "mine" && parameters(small.model).total == 124439808));
  CHECK(parameters(read_hf_document({{"model_type", "gpt2"}}, "mine.json").model).total == 124439808);
  // The name that a configuration has itself comes first, whichever way it is read.
  const model_config llama = load_hf_config(models + "llama-2-70b.json");
  CHECK(llama.model.name == "Llama-2-70b-hf");
  CHECK(std::count(llama.not_read.begin(), llama.not_read.end(), "_name_or_path") == 0);
  CHECK(detail::own_name({{"_name_or_path", std::string("models/a\0b\x1f", 11)}}) == "ab");
  CHECK(read_hf_file({{"model_type", "gpt2"}}, "folder/mine/").model.name == "mine");
  CHECK(read_hf_file({{"model_type", "gpt2"}}, "/dev/stdin").model.name == "gpt2");
  const std::vector<std::string_view> types = known_model_types();
  CHECK(std::count(types.begin(), types.end(), "llama") == 1);
  CHECK(read.model_type == "llama");
}

}  // namespace read_hf_tests
