// Decoders whose layers differ in their heads, in the width of their MLP, or in which of them have a window.

#include <nlohmann/json.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_uneven_layers_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738), with correction biases
// of routers. The defaults of each configuration, but for what is written here.
// clang-format off
const hf_class classes[] = {
    {"granite_swa", "granite_swa", "", R"({})", 2144463840},
    {"granitemoe_swa", "granitemoe_swa", "", R"({})", 37039117312},
    {"laguna", "laguna", "", R"({})", 33189975808},
    {"modernbert-decoder", "modernbert-decoder", "", R"({})", 149655232},
    {"granite_swa", "granite_swa", "", R"({"attention_bias":true,"mlp_bias":true,"tie_word_embeddings":false})", 2401967072},
    {"granitemoe_swa", "granitemoe_swa", "", R"({"shared_intermediate_size":1024,"num_key_value_heads":4})", 36502246400},
    {"laguna", "laguna", "", R"({"gating":"per-element","shared_expert_intermediate_size":1024})", 33812043520},
    {"laguna", "laguna", "", R"({"num_hidden_layers":4,"num_attention_heads_per_layer":[48,64,64,64],"attention_bias":true,"layer_types":["full_attention","sliding_attention","sliding_attention","sliding_attention"]})", 3031467776},
    {"laguna", "laguna", "", R"({"num_hidden_layers":4,"num_attention_heads_per_layer":[48,64,64,64],"gating":"per-element","mlp_layer_types":["sparse","sparse","sparse","sparse"]})", 3852488704},
    {"modernbert-decoder without a head", "modernbert-decoder", "ModernBertDecoderModel", R"({})", 149014272},
    {"modernbert-decoder, norms with biases", "modernbert-decoder", "ModernBertDecoderModel", R"({"norm_bias":true})", 149048832},
    {"modernbert-decoder", "modernbert-decoder", "", R"({"norm_bias":true,"classifier_bias":true,"decoder_bias":false,"num_hidden_layers":28,"hidden_size":1024,"num_attention_heads":16,"intermediate_size":2624})", 395891712},
};
// clang-format on

}  // namespace

TEST_CASE("decoders whose layers differ: parameters", "[hf_uneven_layers]") { check_parameters(classes); }

TEST_CASE("heads that only some layers have are matrices, on record", "[hf_uneven_layers]") {
  const model_config read = read_hf_config(json::parse(
      R"({"model_type": "step3p5", "num_hidden_layers": 4, "sliding_window": 512, "num_attention_heads": 64,
      "num_attention_groups": 8, "moe_layers_enum": "2,3", "attention_other_setting": {"num_attention_heads": 96},
      "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "sliding_attention",
      "full_attention"]})"));
  const transformer& m = read.model;
  CHECK(m.attention.heads == 64);
  CHECK(m.attention.kv_heads == 8);
  CHECK(m.attention.local_layers == 3);
  CHECK(m.moe.dense_layers == 2);
  CHECK(m.moe.experts == 288);
  // Queries and output of 32 heads more in three layers, and one gate for each of 64 + 3 x 96 heads.
  CHECK(m.other_products == 3 * 32 * 2 * 128 * 4096 + (64 + 3 * 96) * 4096);
  bool said = false;
  for (const assumption& each : read.assumed)
    said = said || each.field == "attention_other_setting.num_attention_heads";
  CHECK(said);
}

TEST_CASE("Nemotron-NAS: layers of different kinds, and MLPs of different widths", "[hf_uneven_layers]") {
  const char* blocks = R"({"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4, "vocab_size": 100,
      "max_position_embeddings": 64, "block_configs": [
      {"attention": {"n_heads_in_group": 2, "no_op": false}, "ffn": {"ffn_mult": 3.0, "no_op": false}},
      {"attention": {"no_op": true}, "ffn": {"ffn_mult": 4.5, "no_op": false}},
      {"attention": {"no_op": false, "replace_with_linear": true}, "ffn": {"no_op": true}},
      {"attention": {"n_heads_in_group": 2}, "ffn": {"no_op": false, "replace_with_linear": true}}]})";
  const transformer m = model_of("nemotron-nas", blocks);
  CHECK(m.attention.kv_heads == 2);
  CHECK(attention_layers(m) == 2);
  CHECK(dense_layers(m) == 2);
  CHECK(m.mlp.d_ff == (512 + 768) / 2);
  // Two tables, the last norm, six norms; attention twice, two matrices in place of others, MLPs of 512 and 768.
  const std::int64_t attention = 256 * 64 * (4 + 2 * 2) + 256 * 256, linear = 256 * 256;
  CHECK(parameters(m).total == 2 * 25600 + 7 * 256 + 2 * attention + 2 * linear + 3 * 256 * (512 + 768));
  const auto refused = [](const char* field, const char* changes) {
    const refusal got = refusal_of([&] { (void)model_of("nemotron-nas", changes); });
    CHECK(says(got.message, field));
  };
  refused("block_configs", R"({"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4, "vocab_size": 9,
      "max_position_embeddings": 64, "block_configs": []})");
  refused("n_heads_in_group", R"({"hidden_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4,
      "vocab_size": 9, "max_position_embeddings": 64, "block_configs": [
      {"attention": {"n_heads_in_group": 2}, "ffn": {"ffn_mult": 1.0}},
      {"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 1.0}}]})");
}

TEST_CASE("MLPs of Nemotron-NAS are from 1 to 2^24 wide before they are rounded", "[hf_uneven_layers]") {
  const auto width = [](double of_d) {  // of the one layer, two thirds of `of_d` widths of 8192
    const transformer m = model_of(
        "nemotron-nas",
        nlohmann::json{{"hidden_size", 8192},
                       {"num_hidden_layers", 1},
                       {"num_attention_heads", 64},
                       {"vocab_size", 100},
                       {"max_position_embeddings", 64},
                       {"block_configs", {{{"attention", {{"n_heads_in_group", 8}}}, {"ffn", {{"ffn_mult", of_d}}}}}}}
            .dump()
            .c_str());
    return m.mlp.d_ff;
  };
  CHECK(width(3072) == 16777216);
  CHECK(width(3.0 / 16384) == 256);
  CHECK(refusal_of([&] { (void)width(3072.0001); }).code == errc::out_of_range);
  CHECK(refusal_of([&] { (void)width(2.9 / 16384); }).code == errc::out_of_range);
}

TEST_CASE("lists that do not fit the layers are refused by their field", "[hf_uneven_layers]") {
  const hf_class refused[] = {
      {"num_attention_heads_per_layer", "laguna", "", R"({"num_attention_heads_per_layer": [48, 48]})", 0},
      {"num_attention_heads_per_layer", "laguna", "",
       R"({"num_hidden_layers": 1, "num_attention_heads_per_layer": ["48"]})", 0},
      {"num_key_value_heads", "laguna", "", R"({"num_hidden_layers": 1, "num_attention_heads_per_layer": [47]})", 0},
      {"layer_types", "step3p5", "", R"({"layer_types": ["full_attention"]})", 0},
      {"layer_types", "step3p5", "", R"({"num_hidden_layers": 1, "layer_types": ["chunked_attention"]})", 0},
  };
  check_refusals(refused);
}

TEST_CASE("windows of Command A with experts: a pattern of the first layers, and one of the rest",
          "[hf_uneven_layers]") {
  const auto windows = [](const json& changes) {
    json config = {{"model_type", "cohere2_moe"},
                   {"num_hidden_layers", 12},
                   {"first_k_dense_replace", 4},
                   {"prefix_dense_sliding_window_pattern", 2},
                   {"sliding_window_pattern", 4}};
    config.update(changes);
    return read_hf_config(config).model.attention;
  };
  CHECK(windows(json::object()).local_layers == 2 + 6);  // each second of 4, then all but each fourth of 8
  CHECK(windows({{"first_k_dense_replace", 0}}).local_layers == 9);
  json listed = json::array();
  for (int i = 0; i < 12; ++i) listed.push_back(i < 5 ? "sliding_attention" : "full_attention");
  CHECK(windows({{"layer_types", listed}}).local_layers == 5);
  CHECK(windows({{"sliding_window", nullptr}}).local_layers == 0);
}

TEST_CASE("layers without a list have no windows where the class takes them from one", "[hf_uneven_layers]") {
  json config = {{"model_type", "mellum"}};
  CHECK(read_hf_config(config).model.attention.local_layers == 0);
  const std::int64_t layers = read_hf_config(config).model.layers;
  config["layer_types"] = json::array();
  for (std::int64_t i = 0; i < layers; ++i)
    config["layer_types"].push_back(i < 3 ? "sliding_attention" : "full_attention");
  config["sliding_window"] = 1024;
  CHECK(read_hf_config(config).model.attention.local_layers == 3);
  CHECK(read_hf_config(config).model.attention.window == 1024);
}

TEST_CASE("OpenELM: heads count as their average, and all weights are there", "[hf_uneven_layers]") {
  json config = {{"model_type", "openelm"},
                 {"model_dim", 256},
                 {"head_dim", 64},
                 {"vocab_size", 100},
                 {"num_gqa_groups", 2},
                 {"num_transformer_layers", 2},
                 {"ffn_dim_divisor", 64},
                 {"num_kv_heads", {1, 3}},
                 {"num_query_heads", {2, 6}},
                 {"ffn_multipliers", {0.5, 2.0}}};
  const model_config read = read_hf_config(config);
  // By hand: tables, norms of queries and keys, of layers and of the end, then 6 heads a pair and an MLP of 128 and
  // 512.
  CHECK(parameters(read.model).total == 256 * 100 + 2 * 128 + 5 * 256 + 4 * 6 * 64 * 256 + 640 * 3 * 256);
  CHECK(read.model.attention.kv_heads == 2);
  CHECK(read.model.mlp.d_ff == 320);
  config["num_query_heads"] = {2, 4};
  CHECK(says(refusal_of([&] { (void)read_hf_config(config); }).message, "config.num_query_heads"));
  config["num_kv_heads"] = {1};
  CHECK(says(refusal_of([&] { (void)read_hf_config(config); }).message, "one entry for each of the layers"));
}

}  // namespace read_hf_uneven_layers_tests
