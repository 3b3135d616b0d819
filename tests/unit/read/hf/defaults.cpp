// The defaults of the configuration classes of transformers, which are generated from data/hf_defaults.json.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/defaults.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

#ifndef TPUPLAN_DATA_DIR
#error "TPUPLAN_DATA_DIR is the folder of the data, as a string"
#endif

using namespace tpuplan;

namespace read_hf_defaults_tests {
using nlohmann::json;

namespace {

const json& document() {
  static const json parsed = load_json(std::string{TPUPLAN_DATA_DIR} + "/hf_defaults.json");
  return parsed.at("model_types");
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

static_assert(hf_default_for("gemma", "head_dim")->value == 256);
static_assert(hf_default_for("llama", "sliding_window")->kind == default_kind::none);
static_assert(!hf_default_for("llama", "no_such_field"));
static_assert(!hf_default_for("no_such_type", "hidden_size"));

static_assert(hf_default_for("qwen2", "layer_types")->kind == default_kind::upper_layers);
static_assert(hf_default_for("qwen2", "layer_types")->text == "max_window_layers");
static_assert(hf_default_for("gpt2", "hidden_size")->kind == default_kind::alias);
static_assert(hf_default_for("gpt2", "n_inner")->value == 4 && hf_default_for("gpt2", "n_inner")->text == "n_embd");
static_assert(hf_default_for("paligemma.text_config", "vocab_size")->kind == default_kind::same_as_outer);
static_assert(hf_default_for("llava", "tie_word_embeddings")->text == "text_config.tie_word_embeddings");
static_assert(!hf_default_for("llama", "hidden_act"));  // no reader asks for it

TEST_CASE("a field of a class has one default", "[hf_defaults]") {
  std::set<std::string_view> types;
  for (const detail::hf_class_row& row : detail::hf_class_rows) {
    INFO(row.type);
    CHECK(types.insert(row.type).second);
    std::set<std::string> fields;
    std::istringstream words{std::string(row.defaults)};
    for (std::string word; words >> word;) CHECK(fields.insert(word.substr(0, word.find('='))).second);
  }
  CHECK(types.size() > 250);
}

TEST_CASE("the names and parts of multimodal models are those of the file", "[hf_defaults]") {
  for (const std::string_view type : known_model_types()) {
    INFO(type);
    const detail::named_family family = detail::find_text_family(type);  // of another name, the one it stands for
    CHECK(document().contains(std::string{family.row != nullptr ? family.defaults : type}));
  }
  for (const detail::multimodal_family& family : detail::multimodal_families) {
    INFO(family.type);
    const json& entry = document().at(std::string{family.type});
    CHECK(entry.at("text_model_type").get<std::string>() == family.text_type);
    CHECK(entry.value("vision_model_type", "") == family.vision_type);
    CHECK(entry.contains("vision_defaults") == family.vision_type.empty());
  }
}

TEST_CASE("a configuration of defaults alone is a model, or says what does not fit", "[hf_defaults]") {
  // Class defaults that are no model: the parts have sizes that do not go together.
  std::map<std::string_view, std::string> refused = {
      {"dbrx", "config.ffn_config"},
      {"esm", "config.vocab_size"},
      {"aya_vision", "config.vision_config.num_attention_heads"},
      {"glm4v_moe", "config.text_config.num_attention_heads"},
      {"deepseek_v2", "config.num_experts_per_tok"},
      {"nemotron_h", "config.hybrid_override_pattern"},
      {"minimax_text_01", "config.vocab_size"},
      {"minimax_m1", "config.vocab_size"},
      {"qwen3_5", "config.vision_config.out_hidden_size"},
      {"qwen3_5_moe", "config.vision_config.out_hidden_size"},
      {"dots1", "config.n_routed_experts"},
      {"glm4v_moe_text", "config.num_attention_heads"},
      {"qwen3_omni_moe_text", "config.num_attention_heads"},
      {"qwen3_omni_moe", "config.thinker_config.text_config.num_attention_heads"},
      {"phi4mm", "config.vision_lora.r"},
      {"minicpmv", "config.version"},
      {"molmo", "config.embedding_size"},
      {"deepseek_vl_v2", "config.language_config.num_experts_per_tok"},
      {"openelm", "config.model_dim"},
      {"rwkv7", "config.hidden_size"},
      {"plamo2", "config.hidden_size"},
      {"bailing_moe_linear", "config.hidden_size"},
      {"jais", "config.n_embd"},
      {"zamba2", "config.layers_block_type"},
      {"gemma3", "config.mm_tokens_per_image"},
      {"qwen2_vl", "config.vision_config.hidden_size"},
      {"qwen2_5_vl", "config.vision_config.out_hidden_size"},
      {"qwen3_vl", "config.vision_config.out_hidden_size"},
      {"glm_ocr", "config.vision_config.out_hidden_size"},
      {"qwen3_vl_moe", "config.vision_config.out_hidden_size"},
  };
  // Their code lies beside the weights: sizes have no defaults.
  for (const char* type :
       {"qwen", "internlm", "internlm2", "internlm3", "baichuan", "xverse", "chatglm", "minicpm", "exaone", "orion",
        "deepseek", "bailing_moe", "bailing_moe_v2", "nemotron-nas", "RefinedWeb", "RefinedWebModel", "phi3small"})
    refused[type] = "config.hidden_size";
  for (const char* type : {"phi-msft", "mixformer-sequential"}) refused[type] = "config.n_embd";
  for (const std::string_view type : known_model_types()) {
    INFO(type);
    const auto expected = refused.find(type);
    try {
      const model_config read = read_hf_config({{"model_type", type}});
      CHECK(!read.assumed.empty());
      CHECK(expected == refused.end());
    } catch (const error& refusal) {
      INFO(refusal.what());
      REQUIRE(expected != refused.end());
      CHECK(contains(refusal.what(), expected->second));
    }
  }
}

TEST_CASE("a field is read under every name that its class has for it", "[hf_defaults]") {
  // Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738), their constructors
  // run over shapes alone, from the names in attribute_map; those that choose a head are in "head".
  // clang-format off
  const hf_class classes[] = {
      {"bigscience/bloom", "bloom", "", R"({"n_embed":14336,"n_layer":70,"num_attention_heads":112})", 176247271424},
      {"bloom, twelve heads", "bloom", "", R"({"n_embed":768,"n_layer":2,"num_attention_heads":12})", 206854656},
      {"gpt2, all names", "gpt2", "", R"({"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16})", 354823168},
      {"gpt2, 24 heads", "gpt2", "", R"({"n_embd":1536,"n_layer":24,"num_attention_heads":24})", 758727168},
      {"gptj, 32 heads", "gptj", "", R"({"num_attention_heads":32})", 6050882784},
      {"gptj, all names", "gptj", "", R"({"hidden_size":1024,"num_hidden_layers":4,"num_attention_heads":16})", 153631968},
      {"codegen, all names", "codegen", "", R"({"hidden_size":1024,"num_hidden_layers":20,"num_attention_heads":16})", 355073248},
      {"santacoder's width", "gpt_bigcode", "", R"({"hidden_size":2048,"num_hidden_layers":24,"num_attention_heads":16,"max_position_embeddings":2048,"vocab_size":49280,"n_inner":8192})", 1124886528},
      {"mpt, width", "mpt", "", R"({"hidden_size":4096,"n_layers":32,"n_heads":32,"vocab_size":50432})", 6649286656},
      {"t5, all names", "t5", "", R"({"hidden_size":768,"num_hidden_layers":12,"num_attention_heads":12,"head_dim":64,"d_ff":3072})", 222903552},
      {"mt5, as many layers", "mt5", "MT5ForConditionalGeneration", R"({"num_hidden_layers":8})", 300176768},
      {"whisper, all names", "whisper", "", R"({"hidden_size":512,"num_hidden_layers":6,"num_attention_heads":8,"decoder_layers":6,"decoder_attention_heads":8,"encoder_ffn_dim":2048,"decoder_ffn_dim":2048})", 72593920},
      {"bart, heads of the encoder alone", "bart", "", R"({"hidden_size":768,"num_hidden_layers":6,"decoder_layers":6,"encoder_ffn_dim":3072,"decoder_ffn_dim":3072,"num_attention_heads":8})", 139420416},
      {"deepseek_v4, width of experts", "deepseek_v4", "", R"({"intermediate_size":4096})", 562433400279},
      {"deepseek_v3, experts", "deepseek_v3", "", R"({"num_local_experts":8,"num_hidden_layers":4})", 4187356168},
      {"glm4_moe, experts", "glm4_moe", "", R"({"num_local_experts":8,"num_hidden_layers":2})", 1603325960},
      {"jamba, experts", "jamba", "", R"({"num_local_experts":4,"num_hidden_layers":8})", 4839323616},
      {"ernie4_5_moe, experts", "ernie4_5_moe", "", R"({"num_experts":4,"num_experts_per_tok":2,"num_hidden_layers":3})", 547919368},
  };
  // clang-format on
  check_parameters(classes);
  const hf_class refused[] = {
      {"both are names of the same", "gpt2", "", R"({"n_embd": 1024, "hidden_size": 768})", 0},
      {"config.num_hidden_layers", "bart", "", R"({"encoder_layers": 6, "num_hidden_layers": 12})", 0},
      {"config.intermediate_size", "deepseek_v4", "", R"({"moe_intermediate_size": 1, "intermediate_size": 2})", 0},
  };
  check_refusals(refused);
  const json both = {{"model_type", "gpt2"}, {"n_embd", 1024}, {"hidden_size", 1024}, {"n_head", 16}};
  CHECK(read_hf_config(both).not_read.empty());
}

}  // namespace read_hf_defaults_tests
