// State-space layers, alone or beside attention.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/mamba.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_mamba_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738, their constructors run
// over shapes alone), with the correction biases of routers. Shared weights count once, and of Zamba 2 one adapter for
// each use of a block, where the class builds ten for nine uses.
// clang-format off
const hf_class classes[] = {
    {"Zyphra/Zamba-7B-v1", "zamba", "", R"({})", 7232490496},
    {"one set", "zamba2", "", R"({"layers_block_type":["mamba","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","hybrid","mamba","mamba"]})", 2481848336},
    {"two sets, adapters of attention", "zamba2", "", R"({"layers_block_type":["mamba","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","mamba","hybrid","mamba","mamba","mamba","hybrid","mamba","mamba"],"num_mem_blocks":2,"use_shared_attention_adapter":true})", 2687639056},
    {"olmo_hybrid defaults", "olmo_hybrid", "", R"({})", 7430870688},
    {"olmo_hybrid, six layers of attention", "olmo_hybrid", "", R"({"layer_types":["linear_attention","linear_attention","linear_attention","linear_attention","linear_attention","full_attention","linear_attention","linear_attention","linear_attention","linear_attention","linear_attention","full_attention","linear_attention","linear_attention","linear_attention","linear_attention","linear_attention","full_attention","linear_attention","linear_attention","linear_attention","linear_attention","linear_attention","full_attention","linear_attention","linear_attention","linear_attention","linear_attention","linear_attention","full_attention","linear_attention","full_attention"],"linear_key_head_dim":96,"linear_value_head_dim":192})", 7490391192},
    {"nemotron_h", "nemotron_h", "", R"({"hidden_size":4096,"moe_latent_size":1024,"moe_intermediate_size":2688,"num_hidden_layers":6,"layers_block_type":["mamba","moe","attention","moe","mamba","moe"],"n_routed_experts":16})", 1813529392},
};
// clang-format on

}  // namespace

TEST_CASE("parameters of Zamba, OLMo Hybrid and Nemotron-H, to the last one", "[hf_mamba]") {
  check_parameters(classes);
}

TEST_CASE("a block of Zamba is used again and counted once", "[hf_mamba]") {
  const transformer m = model_of("zamba", "{}");
  CHECK(m.layers == 76 + 13);
  CHECK(attention_layers(m) == 13);
  CHECK(kv_bytes_per_token(m) == bytes{13 * 2.0 * 16 * 464 * 2});
  CHECK(parameters(m).other < 0);
  // Each use is computed: more weights in products than there are.
  CHECK(parameters(m).matrices > parameters(m).total);
  const auto refused = [](const char* changes) {
    return refusal_of([&] { (void)model_of("zamba2", changes); }).message;
  };
  CHECK(says(refused("{}"), "config.layers_block_type"));
  CHECK(says(refused(R"({"num_hidden_layers":1,"layers_block_type":["mamba"]})"), "config.layers_block_type"));
}

TEST_CASE("Nemotron-H has as many layers as its list where the file counts none", "[hf_mamba]") {
  const model_config read = read_hf_config(json::parse(
      R"({"model_type": "nemotron_h", "layers_block_type": ["mamba", "attention", "mlp"], "head_dim": 128})"));
  CHECK(read.model.layers == 3);
  for (const assumption& each : read.assumed)
    if (each.field == "num_hidden_layers") CHECK(each.value == "3");
}

TEST_CASE("the context of a model whose state does not grow is bounded by 2^40 tokens alone", "[hf_mamba]") {
  const transformer model = read_hf_config({{"model_type", "mamba"}}).model;
  CHECK(largest_serving_context(model, serving_job{}, serving_layout{}, slice_for("v6e-1")) ==
        (std::int64_t{1} << 40) - 1);
}

TEST_CASE("Nemotron-H: use_bias is of both projections of its Mamba layers", "[hf_mamba]") {
  const char* plain = R"({"hybrid_override_pattern": "M-*-", "num_hidden_layers": 4})";
  const char* biased = R"({"hybrid_override_pattern": "M-*-", "num_hidden_layers": 4, "use_bias": true})";
  // One layer: z and x of 8192, B and C of 8 groups of 128, a step for each of 128 heads; and the width of the model.
  CHECK(parameters(::model_of("nemotron_h", biased)).total ==
        parameters(::model_of("nemotron_h", plain)).total + 2 * 8192 + 2 * 8 * 128 + 128 + 4096);
}

TEST_CASE("PLaMo 2: attention in every second layer, with a window where the file names no other", "[hf_mamba]") {
  const char* whole = R"({"hidden_size":2048,"hidden_size_per_head":128,"intermediate_size":8192,"mamba_d_state":64,
      "mamba_num_heads":32,"num_attention_heads":16,"num_hidden_layers":16,"num_key_value_heads":1,"vocab_size":100000,
      "attention_window_size":2048,"full_attention_idx":[1]})";
  const transformer m = ::model_of("plamo2", whole);
  CHECK(parameters(m).total == 1291441920);  // pfnet/plamo-2-1b
  CHECK(attention_layers(m) == 8);
  CHECK(m.attention.local_layers == 7);
  const char* narrow = R"({"hidden_size":2048,"hidden_size_per_head":16,"intermediate_size":64,"mamba_d_state":64,
      "mamba_num_heads":8,"num_attention_heads":16,"num_hidden_layers":4,"num_key_value_heads":1,"vocab_size":9})";
  CHECK(says(refusal_of([&] { (void)::model_of("plamo2", narrow); }).message, "config.mamba_num_heads"));
}

}  // namespace read_hf_mamba_tests
