// Bits of the matrices of a model, and their mean over each part.
#include <string>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/matrix_bits.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace read_hf_matrix_bits_tests {
using nlohmann::json;

namespace {

/// The parts of a model in 8 bits whose named modules stay in 16.
weight_bits parts_without(json config, const std::vector<std::string>& kept) {
  config["quantization_config"] = {{"quant_method", "fp8"}, {"ignore", kept}};
  return read_hf_config(config).stored.parts;
}

double attention_without(const json& config, const char* kept) { return parts_without(config, {kept}).attention; }

}  // namespace

TEST_CASE("the mean of a part weighs its matrices by their size") {
  const transformer llama = llama_3_8b();  // 32 heads of queries and outputs, 8 of keys and values
  detail::matrix_bits attention(llama, detail::model_part::attention, 16);
  CHECK(attention.mean() == 0);
  attention.set(detail::modules_named("k_proj").front(), 8);
  CHECK(attention.mean() == Approx(16 - 8 * 8.0 / 80));
  attention.set(detail::modules_named("self_attn").front(), 8);
  CHECK(attention.mean() == Approx(8));
  detail::matrix_bits experts(llama, detail::model_part::experts, 16);
  experts.set(detail::modules_named("*").front(), 4);
  CHECK(experts.mean() == 0);  // it has none
  attention.set(detail::modules_named("model.layers.12345678901.self_attn").front(), 4);
  CHECK(attention.mean() == Approx(8));  // of no layer
  const auto sizes = detail::sizes_of_part(llama, detail::model_part::mlp);
  CHECK((sizes[0] == 14336 && sizes[2] == 14336 && sizes[3] == 0));
}

TEST_CASE("matrices of attention and recurrences add up to what is counted", "[hf_quantization]") {
  for (const char* type :
       {"llama", "deepseek_v3", "deepseek_v4", "mimo_v2_flash", "qwen3_next", "kimi_linear", "jamba", "bamba", "afmoe",
        "falcon_h1", "mamba", "mamba2", "minimax", "recurrent_gemma", "rwkv", "xlstm", "lfm2", "olmo_hybrid"}) {
    INFO(type);
    transformer model = read_hf_config({{"model_type", type}}).model;
    model.attention.local_layers = model.attention.window = 0;  // heads of one kind
    model.attention.global_kv_heads = 0;
    model.attention.indexer = {};
    model.attention.chosen_layers = model.attention.merged_layers = 0;
    const detail::projection_weights attending = detail::stack_projections(model),
                                     recurring = detail::recurrent_projections(model);
    double sum = 0;
    const detail::layer_parts mean = detail::parts_of_layer(model, {}, 0);
    for (const double size : detail::sizes_in_layer(model, detail::model_part::attention, mean))
      sum += size * static_cast<double>(model.layers);
    CHECK(sum == Approx(static_cast<double>(attending.qkv + attending.output + recurring.qkv + recurring.output)));
  }
}

TEST_CASE("small matrices of recurrences count as what they are", "[hf_quantization]") {
  // Qwen3-Next: 12 layers with 16 heads of 256 for queries, gates and outputs and 2 for keys and values; 36 with 16
  // heads of 128 for queries and keys and 32 for values, gates and outputs, and two matrices of 32 columns.
  const json next = {{"model_type", "qwen3_next"}};
  const double attending = 12.0 * 256 * (16 + 16 + 2 + 2 + 16), linear = 36.0 * (128 * (16 + 16 + 32 + 32 + 32) + 64);
  CHECK(attention_without(next, "re:.*linear_attn.in_proj_ba") == Approx(8 + 8 * 36.0 * 64 / (attending + linear)));
  CHECK(attention_without(next, "re:.*linear_attn.in_proj_a") == Approx(8 + 8 * 36.0 * 32 / (attending + linear)));
  CHECK(attention_without(next, "re:.*linear_attn.*") == Approx(8 + 8 * linear / (attending + linear)));
  CHECK(attention_without(next, "re:.*self_attn.*") == Approx(8 + 8 * attending / (attending + linear)));
  CHECK(attention_without(next, "model.layers.3.self_attn.q_proj") ==
        Approx(8 + 8 * 256.0 * 32 / (attending + linear)));                // with the gate of its output
  CHECK(attention_without(next, "model.layers.2.self_attn.q_proj") == 8);  // which has none
  for (const char* none : {"linear_attn.A_log", "linear_attn.conv1d", "re:.*conv.*", "linear_attn.frobnicator"})
    CHECK(attention_without(next, none) == 8);
  // Delta rules of Kimi Linear have the name of attention, Mamba does not.
  CHECK(attention_without({{"model_type", "kimi_linear"}}, "self_attn") == 0);
  const json lfm2 = {{"model_type", "lfm2"}, {"num_hidden_layers", 2}, {"layer_types", {"conv", "full_attention"}}};
  CHECK(attention_without(lfm2, "conv") + attention_without(lfm2, "self_attn") == Approx(8 + 16));
  const double jamba = attention_without({{"model_type", "jamba"}}, "self_attn");
  CHECK(jamba + attention_without({{"model_type", "jamba"}}, "mamba") == Approx(8 + 16));
  CHECK(jamba < 9);
}

TEST_CASE("layers have the parts that the file gives them", "[hf_quantization]") {
  // Dense MLPs of 16384 in the even layers, experts beside shared ones of 8192 in the odd ones.
  const json maverick = {{"model_type", "llama4_text"}, {"interleave_moe_layer_step", 2}, {"num_hidden_layers", 4},
                         {"intermediate_size", 8192},   {"intermediate_size_mlp", 16384}, {"num_local_experts", 128}};
  CHECK(parts_without(maverick, {"model.layers.1.feed_forward.experts"}).experts == 12);
  CHECK(parts_without(maverick, {"model.layers.0.feed_forward.experts"}).experts == 8);
  CHECK(parts_without(maverick, {"model.layers.0.feed_forward.up_proj"}).mlp == Approx(8 + 8.0 * 16 / (3 * 2 * 24)));
  CHECK(parts_without(maverick, {"model.layers.1.feed_forward.up_proj"}).mlp == 8);
  CHECK(parts_without(maverick, {"re:.*shared_expert.*"}).mlp == Approx(8 + 8.0 / 3));
  const json nemotron = {
      {"model_type", "nemotron_h"}, {"hybrid_override_pattern", "MEM*EM-E"}, {"num_hidden_layers", 8}};
  CHECK(parts_without(nemotron, {"backbone.layers.1.mixer.experts"}).experts == Approx(8 + 8.0 / 3));
  CHECK(parts_without(nemotron, {"backbone.layers.1.mixer"}).experts == Approx(8 + 8.0 / 3));
  CHECK(parts_without(nemotron, {"backbone.layers.1.mixer"}).attention == 8);
  CHECK(parts_without(nemotron, {"backbone.layers.0.mixer.experts"}).experts == 8);
  const double attention = parts_without(nemotron, {"backbone.layers.3.mixer.q_proj"}).attention;
  CHECK((attention > 8 && attention < 9));
  CHECK(parts_without(nemotron, {"backbone.layers.2.mixer.q_proj"}).attention == 8);
}

}  // namespace read_hf_matrix_bits_tests
