// What names and patterns of modules stand for, as quantised checkpoints list them.
#include <array>
#include <cstdint>
#include <string>
#include <tpuplan/read/hf/module_names.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace tpuplan;

namespace read_hf_module_names_tests {

namespace {

/// The matrices of attention, MLPs and experts, and the layer: "8 0 0 @3".
std::string stands_for(const std::string& pattern) {
  std::string words;
  for (const detail::named_modules& one : detail::modules_named(pattern)) {
    if (!words.empty()) words += "; ";
    for (const std::uint32_t matrices : one.parts) words += std::to_string(matrices) + " ";
    words += one.is_other ? "other" : "@" + one.layer + (one.is_layer_prefix ? "*" : "");
  }
  return words;
}

}  // namespace

TEST_CASE("names of modules stand for matrices of parts") {
  CHECK(stands_for("model.layers.3.self_attn.o_proj") == "8 0 0 @3");
  CHECK(stands_for("model.layers.17.mlp") == "0 511 511 @17");
  CHECK(stands_for("model.layers.17.mlp.experts.4.w1") == "0 0 1 @17");
  CHECK(stands_for("model.layers.0.mlp.shared_experts.down_proj") == "0 0 0 @0");
  CHECK(stands_for("transformer.h.2.attn.c_proj") == "8 0 0 @2");
  CHECK(stands_for("transformer.h.2.mlp.c_proj") == "0 4 0 @2");
  CHECK(stands_for("backbone.layers.1.mixer.up_proj") == "0 2 0 @1");
  CHECK(stands_for("backbone.layers.1.mixer") == "511 511 511 @1");
  CHECK(stands_for("up_proj") == "0 2 2 @");
  CHECK(stands_for("encoder.block.0.layer.0.SelfAttention.q") == "1 0 0 @0");
  CHECK(stands_for("wo") == "0 4 4 @");  // of T5, which bitsandbytes keeps
  CHECK(stands_for("model.layers.2.attention.wo") == "8 0 0 @2");
  CHECK(stands_for("model.layers.2.mlp.switch_mlp.up_proj") == "0 0 2 @2");
  CHECK(stands_for("transformer.h.0.mlp.fc_out") == "0 4 0 @0");
  CHECK(stands_for("transformer.h.0.self_attention.dense") == "8 0 0 @0");
  CHECK(stands_for("Linear") == "511 511 511 @");
  CHECK(stands_for("model.layers.9") == "511 511 511 @9");
  CHECK(stands_for("model.layers.5.mlp.gate") == "0 0 0 other");
  CHECK(stands_for("e_score_correction_bias") == "0 0 0 other");
  CHECK(stands_for("visual.blocks.0.attn.qkv_proj") == "0 0 0 other");
  CHECK(stands_for("model.layers.0.frobnicator") == "0 0 0 @0");
  CHECK(stands_for("") == "511 511 511 @");
}

TEST_CASE("patterns stand for each of their alternatives") {
  CHECK(stands_for("re:.*mlp\\.(gate|up)_proj$") == "0 2 0 @; 0 1 0 @");
  CHECK(stands_for("re:.*layers\\.(0|11)\\.self_attn.*") == "511 0 0 @11; 511 0 0 @0");
  CHECK(stands_for("re:model\\.layers\\.\\d+\\.self_attn\\.(?:q|k)_proj") == "2 0 0 @; 1 0 0 @");
  CHECK(stands_for("model.layers.1*") == "511 511 511 @1*");
  CHECK(stands_for("re:.*[qk]_proj") == "0 0 0 @");
  // Hostile ones end: brackets in brackets are not understood, and alternatives are at most 64.
  CHECK(stands_for("re:((a|b)|c)_proj") == "0 0 0 @");
  std::string many = "re:";
  for (int i = 0; i < 40; ++i) many += "(a|b)";
  CHECK(detail::modules_named(many).empty());
  CHECK(stands_for(std::string(100000, '(')) == "0 0 0 @");
  CHECK(stands_for("re:" + std::string(10000, '*')) == "511 511 511 @");
}

TEST_CASE("names of recurrences, shared experts and what has no share", "[hf_quantization]") {
  using m = detail::matrices_of;
  const auto one = [](const char* name) { return detail::modules_named(name).front(); };
  CHECK(one("model.layers.0.linear_attn.in_proj_a").recurrence == m::decay);
  CHECK(one("model.layers.0.linear_attn.in_proj_ba").recurrence == (m::decay | m::step));
  CHECK(one("model.layers.0.linear_attn.out_proj").recurrence == m::either_out);
  CHECK(one("model.layers.0.linear_attn.out_proj").parts[0] == 0);
  CHECK(one("re:.*self_attn.gate_proj").parts == std::array<std::uint32_t, 3>{m::output_gate, 0, 0});
  CHECK(one("re:.*self_attn.*").as_attention);
  CHECK(one("re:.*mamba.*").recurrence == detail::whole_recurrence);
  CHECK(one("model.layers.0.conv.in_proj").as_convolution);
  CHECK(one("backbone.layers.1.mixer.experts").parts == std::array<std::uint32_t, 3>{0, 0, detail::whole_part});
  CHECK(one("re:.*shared_experts.*").shared == detail::whole_part);
  CHECK(one("re:.*shared_experts.*").parts == std::array<std::uint32_t, 3>{});
  CHECK(one("block_sparse_moe.input_linear").parts == std::array<std::uint32_t, 3>{0, 0, m::gate_and_up});
  for (const char* vector : {"model.layers.0.self_attn.sinks", "linear_attn.A_log", "linear_attn.conv1d", "mamba.D"})
    CHECK((one(vector).is_other && !one(vector).any()));
  // The whole module would be much more than an unknown part of it.
  for (const char* unknown : {"model.layers.0.self_attn.frobnicator", "linear_attn.in_proj_q", "mlp.frobnicator"})
    CHECK((!one(unknown).is_other && !one(unknown).any()));
}

}  // namespace read_hf_module_names_tests
