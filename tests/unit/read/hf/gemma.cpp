// Gemma 3n and Gemma 4: embeddings for each layer, shared keys and values.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/gemma.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_gemma_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738, their constructors run
// over shapes alone), with the correction biases of routers; Gemma 4 has one more number for each layer, which its
// class keeps as a buffer.
// clang-format off
const hf_class classes[] = {
    {"gemma3n_text defaults", "gemma3n_text", "", R"({})", 6835235568},
    {"gemma3n, ten shared layers", "gemma3n_text", "", R"({"num_hidden_layers":30,"num_kv_shared_layers":10,"intermediate_size":[8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192,8192]})", 4435182688},
    {"gemma4_text defaults", "gemma4_text", "", R"({})", 5077177886},
    {"gemma4, shared keys and wider MLPs", "gemma4_text", "", R"({"num_hidden_layers":35,"num_kv_shared_layers":20,"use_double_wide_mlp":true,"hidden_size":1536,"layer_types":["sliding_attention","sliding_attention","sliding_attention","sliding_attention","full_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","full_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","full_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","full_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","full_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","full_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","full_attention"]})", 5449604387},
    {"gemma4, experts and one matrix for keys and values", "gemma4_text", "", R"({"enable_moe_block":true,"num_experts":128,"top_k_experts":8,"moe_intermediate_size":704,"hidden_size_per_layer_input":0,"attention_k_eq_v":true,"num_global_key_value_heads":2})", 21670120990},
    {"gemma4, whose last layer attends to everything", "gemma4_text", "", R"({"num_hidden_layers":16})", 2994405392},
    {"gemma4, biases", "gemma4_text", "", R"({"attention_bias":true})", 5077390366},
};
// clang-format on

}  // namespace

TEST_CASE("parameters of Gemma 3n and 4, to the last one", "[hf_gemma]") { check_parameters(classes); }

TEST_CASE("layers of Gemma 4 that share keys and values keep none", "[hf_gemma]") {
  const transformer m = model_of("gemma4_text", R"({"num_hidden_layers":42,"num_kv_shared_layers":18})");
  CHECK(m.attention.kv_shared_layers == 18);
  CHECK(m.attention.local_layers == 35);
  // 24 layers with keys and values of their own: 20 with a window, of 4 heads of 256, and 4 of 4 heads of 512.
  CHECK(kv_bytes_per_token(m) == bytes{2.0 * 2 * (20 * 4 * 256 + 4 * 4 * 512)});
  // Of the table for each layer nothing is in a product; the projections of every layer are.
  CHECK(m.other_products == 3 * 2304 * 42 * 256);
  CHECK(m.other_weights == std::int64_t{262144} * 42 * 256 + 256 + 42 * 2304 + 42);
}

TEST_CASE("adapters of Gemma 3n and 4 are on the matrices that each layer has", "[hf_gemma]") {
  // As PEFT counts them on the classes of transformers, at rank 16 on all seven matrices.
  const auto adapters = [](const nlohmann::json& config) {
    return lora_parameters(read_hf_config(config).model, 16, {true, true, true, true, true, true, true});
  };
  const auto stored = [](const char* name) {
    return load_json(std::string{TPUPLAN_DATA_DIR} + "/models/" + name + ".json");
  };
  CHECK(adapters(stored("gemma-4-e2b")) == 24158208);
  CHECK(adapters(stored("gemma-4-e4b")) == 34881536);
  CHECK(adapters(stored("gemma-4-31b")) == 122429440);
}

TEST_CASE("a text model that attends in both directions is an encoder", "[hf_gemma]") {
  const model_config embedding = read_hf_config({{"model_type", "gemma3_text"}, {"use_bidirectional_attention", true}});
  CHECK(embedding.model.kind == architecture::encoder);
  CHECK(read_hf_config({{"model_type", "gemma4_text"}, {"use_bidirectional_attention", "vision"}}).model.kind ==
        architecture::decoder);
}

TEST_CASE("what of Gemma cannot be counted is refused by its field", "[hf_gemma]") {
  const auto refused = [](const char* type, const char* changes) {
    return refusal_of([&] { (void)model_of(type, changes); }).message;
  };
  CHECK(says(refused("gemma3n_text", R"({"intermediate_size":[16384,8192]})"), "config.intermediate_size"));
  CHECK(says(refused("gemma4_text", R"({"num_kv_shared_layers":30})"), "config.num_kv_shared_layers"));
  CHECK(says(refused("gemma4_text", R"({"enable_moe_block":true})"), "config.num_experts"));
  // One layer reads the keys and values of others, and it has no window.
  CHECK(says(refused("gemma4_text", R"({"num_kv_shared_layers":1})"), "config.num_kv_shared_layers is 1"));
}

}  // namespace read_hf_gemma_tests
