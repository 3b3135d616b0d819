// What names and patterns of modules stand for, as quantised checkpoints list them.
#include <string>
#include <tpuplan/read/hf/module_names.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"

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
  CHECK(stands_for("model.layers.17.mlp") == "0 255 255 @17");
  CHECK(stands_for("model.layers.17.mlp.experts.4.w1") == "0 0 1 @17");
  CHECK(stands_for("model.layers.0.mlp.shared_experts.down_proj") == "0 4 0 @0");
  CHECK(stands_for("transformer.h.2.attn.c_proj") == "8 0 0 @2");
  CHECK(stands_for("transformer.h.2.mlp.c_proj") == "0 4 0 @2");
  CHECK(stands_for("backbone.layers.1.mixer.up_proj") == "0 2 0 @1");
  CHECK(stands_for("backbone.layers.1.mixer") == "255 0 0 @1");
  CHECK(stands_for("up_proj") == "0 2 2 @");
  CHECK(stands_for("Linear") == "255 255 255 @");
  CHECK(stands_for("model.layers.9") == "255 255 255 @9");
  CHECK(stands_for("model.layers.5.mlp.gate") == "0 0 0 other");
  CHECK(stands_for("e_score_correction_bias") == "0 0 0 other");
  CHECK(stands_for("visual.blocks.0.attn.qkv_proj") == "0 0 0 other");
  CHECK(stands_for("model.layers.0.frobnicator") == "0 0 0 @0");
  CHECK(stands_for("") == "255 255 255 @");
}

TEST_CASE("patterns stand for each of their alternatives") {
  CHECK(stands_for("re:.*mlp\\.(gate|up)_proj$") == "0 2 0 @; 0 1 0 @");
  CHECK(stands_for("re:.*layers\\.(0|11)\\.self_attn.*") == "255 0 0 @11; 255 0 0 @0");
  CHECK(stands_for("re:model\\.layers\\.\\d+\\.self_attn\\.(?:q|k)_proj") == "2 0 0 @; 1 0 0 @");
  CHECK(stands_for("model.layers.1*") == "255 255 255 @1*");
  CHECK(stands_for("re:.*[qk]_proj") == "0 0 0 @");
  // Hostile ones end: brackets in brackets are not understood, and alternatives are at most 64.
  CHECK(stands_for("re:((a|b)|c)_proj") == "0 0 0 @");
  std::string many = "re:";
  for (int i = 0; i < 40; ++i) many += "(a|b)";
  CHECK(detail::modules_named(many).empty());
  CHECK(stands_for(std::string(100000, '(')) == "0 0 0 @");
  CHECK(stands_for("re:" + std::string(10000, '*')) == "255 255 255 @");
}

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
  CHECK((sizes[0] == 1 && sizes[2] == 1 && sizes[3] == 0));
  CHECK(detail::size_of_layer(llama, detail::model_part::mlp, 3) == 14336);
}

}  // namespace read_hf_module_names_tests
