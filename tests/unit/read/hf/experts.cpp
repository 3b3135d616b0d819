// Mixtures of experts: how many there are, how wide, and in which layers.

#include <nlohmann/json.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_experts_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738), with correction biases
// of routers. The defaults of each configuration, but for what is written here.
// clang-format off
const hf_class classes[] = {
    {"mellum", "mellum", "", R"({"num_local_experts":64})", 12149923072},
    {"cohere2_moe", "cohere2_moe", "", R"({})", 190004928512},
    {"mellum", "mellum", "", R"({"mlp_layer_types":["dense","dense","dense","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse"],"attention_bias":true,"num_local_experts":64})", 11109239040},
    {"cohere2_moe", "cohere2_moe", "", R"({"first_k_dense_replace":2,"num_shared_experts":1,"num_hidden_layers":6,"prefix_dense_intermediate_size":9999,"num_key_value_heads":8})", 23426244608},
    {"mistral4 defaults", "mistral4", "", R"({})", 118972826624},
    {"solar_open defaults", "solar_open", "", R"({})", 102651799552},
    {"glm4_moe_lite defaults", "glm4_moe_lite", "", R"({})", 29943393920},
    {"afmoe defaults", "afmoe", "", R"({})", 19232600000},
    {"exaone_moe defaults", "exaone_moe", "", R"({})", 28550641600},
    {"hy_v3 defaults", "hy_v3", "", R"({})", 295033543488},
    {"three dense layers by name", "glm4_moe_lite", "", R"({"mlp_layer_types":["dense","dense","dense","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse"]})", 28842126848},
    {"three dense layers", "exaone_moe", "", R"({"first_k_dense_replace":3})", 27316991808},
    {"biases", "afmoe", "", R"({"attention_bias":true})", 19232862144},
};
// clang-format on

}  // namespace

TEST_CASE("parameters of mixtures of experts, to the last one", "[hf_experts]") { check_parameters(classes); }

TEST_CASE("experts behind a projection count as narrower ones of the width of the model", "[hf_experts]") {
  const transformer m = model_of("nemotron_h", R"({"hybrid_override_pattern": "ME*", "num_hidden_layers": 3,
      "hidden_size": 4096, "moe_latent_size": 1024, "moe_intermediate_size": 2688, "n_routed_experts": 512,
      "num_experts_per_tok": 22})");
  CHECK(m.moe.expert_d_ff == 672);
  CHECK(parameters(m).experts == std::int64_t{512} * 2 * 1024 * 2688);
  CHECK(m.other_products == 2 * 1024 * 4096);
  const refusal got = refusal_of([] {
    (void)model_of("nemotron_h", R"({"hybrid_override_pattern": "ME*", "num_hidden_layers": 3, "hidden_size": 4096,
        "moe_latent_size": 1000, "moe_intermediate_size": 2689})");
  });
  CHECK(says(got.message, "config.moe_latent_size"));
}

TEST_CASE("Ling of the second generation has norms of queries and keys and corrected routers", "[hf_experts]") {
  const char* sizes = R"({"num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 96, "num_experts": 4,
      "moe_intermediate_size": 32, "num_experts_per_tok": 2, "num_attention_heads": 4, "vocab_size": 100,
      "max_position_embeddings": 64})";
  const transformer first = model_of("bailing_moe", sizes, "BailingMoeForCausalLM");
  const transformer second = model_of("bailing_moe", sizes, "BailingMoeV2ForCausalLM");
  CHECK_FALSE(first.attention.qk_norm);
  CHECK(parameters(second).total - parameters(first).total == 2 * (2 * 16 + 4));
  CHECK(parameters(model_of("bailing_moe_v2", sizes)).total == parameters(second).total);
}

TEST_CASE("lists of dense and sparse layers have to name each layer", "[hf_experts]") {
  const auto refused = [](const char* changes) {
    return refusal_of([&] { (void)model_of("glm4_moe_lite", changes); }).message;
  };
  CHECK(says(refused(R"({"mlp_layer_types":["dense"]})"), "config.mlp_layer_types"));
  CHECK(says(refused(R"({"num_hidden_layers":1,"mlp_layer_types":["thin"]})"), "config.mlp_layer_types"));
}

TEST_CASE("DeepSeek-V2 without latent attention has heads as wide as their share of the model", "[hf_experts]") {
  const transformer m = model_of(
      "deepseek_v2", R"({"use_mla": false, "kv_lora_rank": null, "hidden_size": 1280, "num_attention_heads": 10,
      "num_key_value_heads": 10, "num_experts_per_tok": 6, "moe_intermediate_size": 896})");
  CHECK_FALSE(has_latent_attention(m));
  CHECK(m.attention.head_dim == 128);
}

TEST_CASE("lists of experts that do not fit the layers are refused by their field", "[hf_experts]") {
  const hf_class refused[] = {
      {"moe_layers_enum", "step3p5", "", R"({"moe_layers_enum": "3-44"})", 0},
      {"moe_layers_enum is 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18;", "step3p5", "",
       R"({"moe_layers_enum": "3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20-44"})", 0},
      {"moe_layer_freq", "minimax_m3_vl_text", "", R"({"moe_layer_freq": [0, 1]})", 0},
  };
  check_refusals(refused);
}

}  // namespace read_hf_experts_tests
