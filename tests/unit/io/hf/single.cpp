// Types that are like another but for something of their own.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <tpuplan/io/hf/single.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace io_hf_single_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738, their constructors run
// over shapes alone), with the correction biases of routers. The class of DiffLlama draws its vectors at random, and
// that of LongCat-Flash has up and gate for experts that compute nothing: both are counted by hand.
// clang-format off
const hf_class classes[] = {
    {"vaultgemma defaults", "vaultgemma", "", R"({})", 2614222080},
    {"ministral3 defaults", "ministral3", "", R"({})", 8489553920},
    {"cwm defaults", "cwm", "", R"({})", 32581097472},
    {"jais2 defaults", "jais2", "", R"({})", 8090401280},
    {"nanochat defaults", "nanochat", "", R"({})", 256573440},
    {"bitnet defaults", "bitnet", "", R"({})", 2741155840},
    {"hyperclovax defaults", "hyperclovax", "", R"({})", 6738677760},
    {"minicpm3 defaults", "minicpm3", "", R"({})", 4073875968},
    {"persimmon defaults", "persimmon", "", R"({})", 9397175296},
    {"xglm defaults", "xglm", "", R"({})", 564463616},
    {"biogpt defaults", "biogpt", "", R"({})", 346763264},
    {"openai-gpt defaults", "openai-gpt", "", R"({})", 116534784},
    {"mistral4 defaults", "mistral4", "", R"({})", 118972826624},
    {"solar_open defaults", "solar_open", "", R"({})", 102651799552},
    {"glm4_moe_lite defaults", "glm4_moe_lite", "", R"({})", 29943393920},
    {"axk1 defaults", "axk1", "", R"({})", 518983063808},
    {"afmoe defaults", "afmoe", "", R"({})", 19232600000},
    {"exaone_moe defaults", "exaone_moe", "", R"({})", 28550641600},
    {"hy_v3 defaults", "hy_v3", "", R"({})", 295033543488},
    {"no norms behind", "hyperclovax", "", R"({"use_post_norm":false})", 6738415616},
    {"no norms of heads", "persimmon", "", R"({"qk_layernorm":false})", 9397166080},
    {"no inner norms", "bitnet", "", R"({"use_sub_norms":false})", 2740871680},
    {"norms of heads", "phi", "", R"({"qk_layernorm":true})", 1418276864},
    {"norms of heads, each its own", "stablelm", "", R"({"qk_layernorm":true})", 2795607040},
    {"fewer heads of keys", "stablelm", "", R"({"qk_layernorm":true,"use_parallel_residual":true,"num_key_value_heads":8})", 2480808960},
    {"facebook/opt-350m", "opt", "", R"({"word_embed_proj_dim":512,"hidden_size":1024,"do_layer_norm_before":false,"num_hidden_layers":24,"num_attention_heads":16,"ffn_dim":4096})", 331196416},
    {"three dense layers by name", "glm4_moe_lite", "", R"({"mlp_layer_types":["dense","dense","dense","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse"]})", 28842126848},
    {"three dense layers", "exaone_moe", "", R"({"first_k_dense_replace":3})", 27316991808},
    {"biases", "afmoe", "", R"({"attention_bias":true})", 19232862144},
    {"diffllama defaults", "diffllama", "", R"({})", 1204885504},
    {"longcat_flash defaults", "longcat_flash", "", R"({})", 560664980480},
};
// clang-format on

}  // namespace

TEST_CASE("parameters of single types, to the last one", "[hf_single]") { check_parameters(classes); }

TEST_CASE("a layer of LongCat-Flash is two", "[hf_single]") {
  const transformer m = model_of("longcat_flash", "{}");
  CHECK(m.layers == 56);
  CHECK(moe_layers(m) == 28);
  CHECK(m.other_products == std::int64_t{28} * 256 * 6144);
}

TEST_CASE("lists of dense and sparse layers have to name each layer", "[hf_single]") {
  const auto refused = [](const char* changes) {
    return refusal_of([&] { (void)model_of("glm4_moe_lite", changes); }).message;
  };
  CHECK(says(refused(R"({"mlp_layer_types":["dense"]})"), "config.mlp_layer_types"));
  CHECK(says(refused(R"({"num_hidden_layers":1,"mlp_layer_types":["thin"]})"), "config.mlp_layer_types"));
}

}  // namespace io_hf_single_tests
