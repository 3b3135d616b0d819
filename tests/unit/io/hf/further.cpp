// Decoders with experts of attention, heads that differ by layer, sparse attention over blocks, or experts that are
// rows of a table.

#include <nlohmann/json.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace io_hf_further_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738), with correction biases
// of routers. The defaults of each configuration, but for what is written here.
// clang-format off
const hf_class classes[] = {
    {"granite_swa", "granite_swa", "", R"({})", 2144463840},
    {"granitemoe_swa", "granitemoe_swa", "", R"({})", 37039117312},
    {"mellum", "mellum", "", R"({"num_local_experts":64})", 12149923072},
    {"laguna", "laguna", "", R"({})", 33189975808},
    {"MiniMaxM3VLForCausalLM", "minimax_m3_vl_text", "MiniMaxM3VLForCausalLM", R"({})", 447186448896},
    {"cohere2_moe", "cohere2_moe", "", R"({})", 190004928512},
    {"youtu", "youtu", "", R"({})", 1961560064},
    {"jetmoe", "jetmoe", "", R"({})", 4293888000},
    {"doge", "doge", "", R"({})", 403055872},
    {"modernbert-decoder", "modernbert-decoder", "", R"({})", 149655232},
    {"gpt_neox_japanese", "gpt_neox_japanese", "", R"({})", 2598837760},
    {"granite_swa", "granite_swa", "", R"({"attention_bias":true,"mlp_bias":true,"tie_word_embeddings":false})", 2401967072},
    {"granitemoe_swa", "granitemoe_swa", "", R"({"shared_intermediate_size":1024,"num_key_value_heads":4})", 36502246400},
    {"mellum", "mellum", "", R"({"mlp_layer_types":["dense","dense","dense","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse","sparse"],"attention_bias":true,"num_local_experts":64})", 11109239040},
    {"laguna", "laguna", "", R"({"gating":"per-element","shared_expert_intermediate_size":1024})", 33812043520},
    {"laguna", "laguna", "", R"({"num_hidden_layers":4,"num_attention_heads_per_layer":[48,64,64,64],"attention_bias":true,"layer_types":["full_attention","sliding_attention","sliding_attention","sliding_attention"]})", 3031467776},
    {"laguna", "laguna", "", R"({"num_hidden_layers":4,"num_attention_heads_per_layer":[48,64,64,64],"gating":"per-element","mlp_layer_types":["sparse","sparse","sparse","sparse"]})", 3852488704},
    {"MiniMaxM3VLForCausalLM", "minimax_m3_vl_text", "MiniMaxM3VLForCausalLM", R"({"num_hidden_layers":6,"sparse_attention_config":{"sparse_attention_freq":[0,0,1,1,1,1],"sparse_num_index_heads":8,"sparse_index_dim":64},"moe_layer_freq":[0,1,1,1,1,1]})", 39866679936},
    {"MiniMaxM3VLForCausalLM", "minimax_m3_vl_text", "MiniMaxM3VLForCausalLM", R"({"num_hidden_layers":3,"layer_types":["full_attention","minimax_m3_sparse","minimax_m3_sparse"],"mlp_layer_types":["dense","sparse","sparse"]})", 17623985664},
    {"youtu", "youtu", "", R"({"q_lora_rank":null,"tie_word_embeddings":false})", 2173847552},
    {"jetmoe", "jetmoe", "", R"({"num_experts_per_tok":3,"num_hidden_layers":24,"num_key_value_heads":8})", 7616268288},
    {"doge", "doge", "", R"({"is_moe":true,"num_key_value_heads":4,"attention_bias":true,"num_experts":1000})", 436970752},
    {"doge", "doge", "", R"({"tie_word_embeddings":true,"mlp_bias":true})", 369665280},
    {"modernbert-decoder", "modernbert-decoder", "", R"({"norm_bias":true,"classifier_bias":true,"decoder_bias":false,"num_hidden_layers":28,"hidden_size":1024,"num_attention_heads":16,"intermediate_size":2624})", 395891712},
    {"gpt_neox_japanese", "gpt_neox_japanese", "", R"({"tie_word_embeddings":false,"intermediate_multiple_size":3})", 2261327360},
    {"nemotron_h", "nemotron_h", "", R"({"hidden_size":4096,"moe_latent_size":1024,"moe_intermediate_size":2688,"num_hidden_layers":6,"layers_block_type":["mamba","moe","attention","moe","mamba","moe"],"n_routed_experts":16})", 1813529392},
    {"cohere2_moe", "cohere2_moe", "", R"({"first_k_dense_replace":2,"num_shared_experts":1,"num_hidden_layers":6,"prefix_dense_intermediate_size":9999,"num_key_value_heads":8})", 23426244608},
};
// clang-format on

}  // namespace

TEST_CASE("decoders with heads or experts of other kinds: parameters", "[hf_further]") { check_parameters(classes); }

TEST_CASE("JetMoE has a head of queries for each pair of keys and values and expert of a token", "[hf_further]") {
  const transformer m = model_of("jetmoe", R"({"num_key_value_heads": 16, "num_experts_per_tok": 2})");
  CHECK(m.attention.heads == 32);
  CHECK(m.attention.kv_heads == 16);
  // In products of one token and layer: queries and output of 2 experts, keys and values, both routers and 2 experts.
  const std::int64_t layer = 2 * 2 * 2048 * 2048 + 2048 * 2 * 2048 + 2 * 8 * 2048 + 2 * 3 * 2048 * 5632;
  CHECK(parameters(m).matrices == 12 * layer + 32000 * 2048);
}

TEST_CASE("heads that only some layers have are matrices, on record", "[hf_further]") {
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

TEST_CASE("MiniMax-M3: an indexer in the layers that choose blocks, under either name", "[hf_further]") {
  const char* sparse = R"({"num_hidden_layers": 3, "layer_types": ["full_attention", "minimax_m3_sparse",
      "minimax_m3_sparse"]})";
  const char* older = R"({"num_hidden_layers": 3, "sparse_attention_config": {"sparse_attention_freq": [0, 1, 1]}})";
  CHECK(model_of("minimax_m3_vl_text", sparse).other_products == 2 * 5 * 128 * 6144);
  CHECK(model_of("minimax_m3", older).other_products == 2 * 5 * 128 * 6144);
  CHECK(model_of("minimax_m3", older).other_weights == 2 * 2 * 128);
}

TEST_CASE("experts behind a projection count as narrower ones of the width of the model", "[hf_further]") {
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

TEST_CASE("Kimi K3: gates of full rank, a gate on attention, residuals over blocks", "[hf_further]") {
  const char* sizes = R"({"num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 2, "v_head_dim": 16,
      "linear_attn_config": {"kda_layers": [1, 2, 3], "full_attn_layers": [4], "num_heads": 2, "head_dim": 16,
      "short_conv_kernel_size": 4}})";
  json with = json::parse(sizes);
  with["model_type"] = "kimi_linear";
  const transformer plain = read_hf_config(with).model;
  with["linear_attn_config"]["use_full_rank_gate"] = true;
  with["mla_use_output_gate"] = true;
  with["attn_res_block_size"] = 2;
  const transformer gated = read_hf_config(with).model;
  // A gate of 64 x 32 in place of 64 x 16 and 16 x 32 in three layers, one of 64 x 32 in the other.
  CHECK(gated.other_products - plain.other_products == 3 * (64 * 32 - 16 * (64 + 32)) + 64 * 32);
  CHECK(gated.other_weights - plain.other_weights == (4 * 4 + 2) * 64);
}

TEST_CASE("RWKV 5 and 6 by hand", "[hf_further]") {
  // Two layers of width 64 with one head, an MLP of 224: tables, first and last norm, and in each layer two norms, five
  // matrices of attention and one of the MLP, two more of the MLP, and vectors.
  const std::int64_t ends = 2 * 100 * 64 + 2 * 128, layer = 2 * 128 + 6 * 64 * 64 + 2 * 64 * 224;
  const char* sizes = R"({"hidden_size": 64, "attention_hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 100})";
  CHECK(parameters(model_of("rwkv5", sizes)).total == ends + 2 * (layer + 2 * 64 + 4 * 64 + 2 * 64 + 2 * 64));
  const std::int64_t low_rank = 2 * 5 * 32 * 64 + 64 * (64 + 64);
  CHECK(parameters(model_of("rwkv6", sizes)).total ==
        ends + 2 * (layer + low_rank + 2 * 64 + 6 * 64 + 2 * 64 + 2 * 64));
  CHECK(kv_bytes_per_token(model_of("rwkv5", sizes), dtype::bf16).value() == 0);
}

TEST_CASE("Nemotron-NAS: layers of different kinds, and MLPs of different widths", "[hf_further]") {
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

TEST_CASE("Ling of the second generation has norms of queries and keys and corrected routers", "[hf_further]") {
  const char* sizes = R"({"num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 96, "num_experts": 4,
      "moe_intermediate_size": 32, "num_experts_per_tok": 2, "num_attention_heads": 4, "vocab_size": 100,
      "max_position_embeddings": 64})";
  const transformer first = model_of("bailing_moe", sizes, "BailingMoeForCausalLM");
  const transformer second = model_of("bailing_moe", sizes, "BailingMoeV2ForCausalLM");
  CHECK_FALSE(first.attention.qk_norm);
  CHECK(parameters(second).total - parameters(first).total == 2 * (2 * 16 + 4));
  CHECK(parameters(model_of("bailing_moe_v2", sizes)).total == parameters(second).total);
}

TEST_CASE("other names of a type read as that type", "[hf_further]") {
  CHECK(parameters(model_of("Yi", "{}")).total == parameters(model_of("llama", "{}")).total);
  CHECK(model_of("Dream", R"({"vocab_size": 152064})", "DreamModel").output_head);
}

TEST_CASE("lists that do not fit the layers are refused by their field", "[hf_further]") {
  const hf_class refused[] = {
      {"num_attention_heads_per_layer", "laguna", "", R"({"num_attention_heads_per_layer": [48, 48]})", 0},
      {"num_attention_heads_per_layer", "laguna", "",
       R"({"num_hidden_layers": 1, "num_attention_heads_per_layer": ["48"]})", 0},
      {"num_key_value_heads", "laguna", "", R"({"num_hidden_layers": 1, "num_attention_heads_per_layer": [47]})", 0},
      {"layer_types", "step3p5", "", R"({"layer_types": ["full_attention"]})", 0},
      {"layer_types", "step3p5", "", R"({"num_hidden_layers": 1, "layer_types": ["chunked_attention"]})", 0},
      {"moe_layers_enum", "step3p5", "", R"({"moe_layers_enum": "3-44"})", 0},
      {"moe_layer_freq", "minimax_m3_vl_text", "", R"({"moe_layer_freq": [0, 1]})", 0},
      {"attention_output_gate", "minimax_m3_vl_text", "", R"({"attention_output_gate": true})", 0},
      {"head_size", "rwkv5", "", R"({"head_size": 100})", 0},
      {"num_experts_per_tok", "doge", "", R"({"is_moe": true, "num_experts": 16, "num_experts_per_tok": 64})", 0},
  };
  for (const hf_class& each : refused) {
    INFO(each.changes);
    const refusal got = refusal_of([&] { (void)model_of(each.type, each.changes); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(says(got.message, each.name));
  }
}

}  // namespace io_hf_further_tests
