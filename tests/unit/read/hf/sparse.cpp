// Attention to few keys: DeepSeek-V4 and MiMo-V2.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/sparse.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_sparse_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738, their constructors run
// over shapes alone), with the correction biases of routers.
// clang-format off
const hf_class classes[] = {
    {"deepseek-ai/DeepSeek-V4-Flash", "deepseek_v4", "", R"({})", 284325879255},
    {"one head of keys whatever the file says", "deepseek_v4", "", R"({"num_key_value_heads":4})", 284325879255},
    {"layers by ratio", "deepseek_v4", "", R"({"compress_ratios":[0,0,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4,128,4],"num_hash_layers":2})", 284332240727},
    {"XiaomiMiMo/MiMo-V2-Flash", "mimo_v2_flash", "", R"({})", 308778780864},
    {"layers by name, biases", "mimo_v2_flash", "", R"({"layer_types":["sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","full_attention","full_attention","full_attention","full_attention","full_attention","full_attention","full_attention","full_attention"],"attention_bias":true})", 308784726272},
    {"MiniMaxM3VLForCausalLM", "minimax_m3_vl_text", "MiniMaxM3VLForCausalLM", R"({})", 447186448896},
    {"MiniMaxM3VLForCausalLM", "minimax_m3_vl_text", "MiniMaxM3VLForCausalLM", R"({"num_hidden_layers":6,"sparse_attention_config":{"sparse_attention_freq":[0,0,1,1,1,1],"sparse_num_index_heads":8,"sparse_index_dim":64},"moe_layer_freq":[0,1,1,1,1,1]})", 39866679936},
    {"MiniMaxM3VLForCausalLM", "minimax_m3_vl_text", "MiniMaxM3VLForCausalLM", R"({"num_hidden_layers":3,"layer_types":["full_attention","minimax_m3_sparse","minimax_m3_sparse"],"mlp_layer_types":["dense","sparse","sparse"]})", 17623985664},
};
// clang-format on

}  // namespace

TEST_CASE("parameters of sparse attention, to the last one", "[hf_sparse]") { check_parameters(classes); }

TEST_CASE("DeepSeek-V4 keeps a window and a few keys for all tokens", "[hf_sparse]") {
  const transformer m = model_of("deepseek_v4", "{}");
  CHECK(m.attention.chosen_layers == 20);
  CHECK(m.attention.merged_layers == 23);
  // By hand, for 131072 tokens in bf16: 43 windows of 128 keys of 512; a fourth of a key of 512 and of one of 128 in
  // 20 layers, and one key of 512 for 128 tokens in 23.
  const double window = 43.0 * 128 * 512, merged = 131072.0 * (20.0 * (512 + 128) / 4 + 23.0 * 512 / 128);
  CHECK(kv_bytes_per_sequence(m, 131072) == bytes{2 * (window + merged)});
  // Scores: twice the tokens add only to keys that the indexer scores and to those of 128 tokens.
  const double more =
      (forward_flops_per_token(m, 1048576).attention - forward_flops_per_token(m, 524288).attention).value();
  const double scored = 20.0 * 64 * (128 + 1) * 262144 / 4, seen = 23.0 * 64 * 2 * 512 * 262144 / 128;
  CHECK(more > 2 * (scored + seen) * 0.999);
  CHECK(more < 2 * (scored + seen) * 1.001);
}

TEST_CASE("the first two layers of DeepSeek-V4 have no indexer, where nothing says otherwise", "[hf_sparse]") {
  for (const auto& [layers, chosen] : {std::pair{1, 0}, {2, 0}, {3, 0}, {4, 1}, {5, 1}, {6, 2}}) {
    CAPTURE(layers);
    const attention_spec a =
        read_hf_config({{"model_type", "deepseek_v4"}, {"num_hidden_layers", layers}}).model.attention;
    CHECK(a.chosen_layers == chosen);
    CHECK(a.merged_layers == layers - chosen);
  }
}

TEST_CASE("layers that take over the choice of another have no indexer", "[hf_sparse]") {
  // zai-org/GLM-5.2: the class of transformers has as many weights.
  for (const char* changes :
       {R"({"index_topk_freq":4,"index_skip_topk_offset":3})",
        R"({"index_topk_pattern":"FFFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSSFSSS"})"}) {
    const transformer m = model_of("glm_moe_dsa", changes);
    CHECK(indexer_layers(m) == 21);
    CHECK(parameters(m).total == 743377019904);
    CHECK(kv_bytes_per_token(m) == bytes{2.0 * (78 * (512 + 64) + 21 * 128)});
  }
  CHECK(indexer_layers(model_of("glm_moe_dsa", "{}")) == 78);
}

TEST_CASE("values of MiMo-V2 are narrower than its keys", "[hf_sparse]") {
  const transformer m = model_of("mimo_v2_flash", "{}");
  CHECK(m.attention.local_layers == 39);
  CHECK(value_width(m) == 128);
  CHECK(kv_bytes_per_token(m) == bytes{2.0 * (9 * 4 + 39 * 8) * (192 + 128)});
  const transformer listed = model_of("mimo_v2_flash", R"({"num_hidden_layers":3,"hybrid_layer_pattern":[0,1,1],
      "moe_layer_freq":[0,1,1],"swa_num_key_value_heads":8})");
  CHECK(listed.attention.local_layers == 2);
  CHECK(moe_layers(listed) == 2);
}

TEST_CASE("what of sparse attention cannot be counted is refused by its field", "[hf_sparse]") {
  const auto refused = [](const char* type, const char* changes) {
    return refusal_of([&] { (void)model_of(type, changes); }).message;
  };
  CHECK(says(refused("deepseek_v4", R"({"compress_ratios":[4]})"), "config.compress_ratios"));
  CHECK(says(refused("deepseek_v4", R"({"num_hidden_layers":1,"compress_ratios":[7]})"), "config.compress_ratios"));
  CHECK(says(refused("deepseek_v4", R"({"num_hidden_layers":1,"layer_types":["full_attention"]})"),
             "config.layer_types"));
  CHECK(says(refused("mimo_v2_flash", R"({"hybrid_layer_pattern":[1]})"), "config.hybrid_layer_pattern"));
  CHECK(says(refused("mimo_v2_flash", R"({"moe_layer_freq":[1]})"), "config.moe_layer_freq"));
}

TEST_CASE("MiniMax-M3: an indexer in the layers that choose blocks, under either name", "[hf_sparse]") {
  const char* sparse = R"({"num_hidden_layers": 3, "layer_types": ["full_attention", "minimax_m3_sparse",
      "minimax_m3_sparse"]})";
  const char* older = R"({"num_hidden_layers": 3, "sparse_attention_config": {"sparse_attention_freq": [0, 1, 1]}})";
  CHECK(model_of("minimax_m3_vl_text", sparse).other_products == 2 * 5 * 128 * 6144);
  CHECK(model_of("minimax_m3", older).other_products == 2 * 5 * 128 * 6144);
  CHECK(model_of("minimax_m3", older).other_weights == 2 * 2 * 128);
}

TEST_CASE("a gate on sparse attention is refused", "[hf_sparse]") {
  const hf_class refused[] = {
      {"attention_output_gate", "minimax_m3_vl_text", "", R"({"attention_output_gate": true})", 0},
  };
  check_refusals(refused);
}

TEST_CASE("MiMo-V2 without a list of layers: windows in all but the first and each sixth", "[hf_sparse]") {
  for (const auto& [layers, local] : {std::pair{5, 4}, {6, 4}, {7, 5}, {48, 39}}) {
    CAPTURE(layers);
    CHECK(
        read_hf_config({{"model_type", "mimo_v2_flash"}, {"num_hidden_layers", layers}}).model.attention.local_layers ==
        local);
  }
}

}  // namespace read_hf_sparse_tests
