// How wide the weights of a quantised checkpoint are, method by method.
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/quantization_methods.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_quantization_methods_tests {
using nlohmann::json;

namespace {

model_config read_with(const char* how, const char* type = "llama", const char* field = "quantization_config") {
  return read_hf_config({{"model_type", type}, {field, json::parse(how)}});
}

/// Bits of the MLPs of a Llama, 0 where they are in 16.
double mlp_with(const char* how) { return read_with(how).stored.parts.mlp; }

std::string said_with(const char* how) {
  for (const assumption& one : read_with(how).assumed)
    if (one.field == "quantization_config") return one.why;
  return "";
}

}  // namespace

TEST_CASE("formats of MLX, of all weights and of single modules", "[hf_quantization]") {
  CHECK(mlp_with(R"({"group_size":32,"bits":4,"mode":"mxfp4"})") == 4.25);
  CHECK(mlp_with(R"({"group_size":32,"bits":8,"mode":"mxfp8"})") == 8.25);
  CHECK(mlp_with(R"({"group_size":16,"bits":4,"mode":"nvfp4"})") == 4.5);
  CHECK(mlp_with(R"({"group_size":64,"bits":4,"mode":"affine"})") == 4.5);
  CHECK(said_with(R"({"group_size":64,"bits":4,"mode":"fp5"})").find("mlx: no group of it") == 0);
  // One of three matrices of one of 32 layers has 8 bits, one is left as it is.
  CHECK(mlp_with(R"({"group_size":64,"bits":4,"model.layers.0.mlp.down_proj":{"group_size":64,"bits":8}})") ==
        Approx(4.5 + 4.0 / 96));
  CHECK(mlp_with(R"({"group_size":64,"bits":4,"model.layers.0.mlp.down_proj":false,"lm_head":true})") ==
        Approx(4.5 + 11.5 / 96));
  // A module of its own format is affine unless it says otherwise, as mlx-lm writes gpt-oss.
  const weight_bits parts =
      read_with(R"({"group_size":32,"bits":4,"mode":"mxfp4","re:.*self_attn.*":{"group_size":64,"bits":8}})", "gpt_oss")
          .stored.parts;
  CHECK((parts.attention == 8.5 && parts.experts == 4.25));
}

TEST_CASE("mlx-lm reads quantization before quantization_config", "[hf_quantization]") {
  const model_config alone = read_with(R"({"group_size":64,"bits":4})", "llama", "quantization");
  CHECK(alone.stored.parts.mlp == 4.5);
  CHECK(alone.not_read.empty());
  json both = {{"model_type", "llama"}};
  both["quantization"] = {{"group_size", 64}, {"bits", 8}};
  both["quantization_config"] = {{"group_size", 64}, {"bits", 4}};
  CHECK(read_hf_config(both).stored.parts.mlp == 8.5);
  both["quantization"] = {{"note", "of another kind"}};
  CHECK(read_hf_config(both).stored.parts.mlp == 4.5);
}

TEST_CASE("modules of GPTQModel and AutoRound with settings of their own", "[hf_quantization]") {
  // Down projections in 8 bits, with a scale and a zero point of 24 bits for each 32 weights.
  CHECK(mlp_with(R"({"quant_method":"gptq","bits":4,"group_size":128,
      "dynamic":{"+:.*\\.down_proj":{"bits":8,"group_size":32}}})") == Approx((2 * 4.15625 + 8.75) / 3));
  CHECK(mlp_with(R"({"quant_method":"gptq","dynamic":{".*\\.down_proj":{"bits":8}}})") ==
        Approx((2 * 4.15625 + 8.1875) / 3));
  CHECK(mlp_with(R"({"quant_method":"gptq","dynamic":{"-:.*\\.down_proj":{}}})") == Approx((2 * 4.15625 + 16) / 3));
  CHECK(mlp_with(R"({"quant_method":"auto-round","extra_config":{"model.layers.0.mlp.down_proj":{"bits":16}}})") ==
        Approx(4.15625 + (16 - 4.15625) / 96));
}

TEST_CASE("methods under other names", "[hf_quantization]") {
  for (const char* name : {"gptq_marlin", "awq_marlin", "AWQ", "GPTQ", "intel/auto-round", "auto_round"}) {
    INFO(name);
    CHECK(detail::method_named(name) != name);
    json config = {{"model_type", "llama"}};
    config["quantization_config"] = {{"quant_method", name}, {"bits", 4}, {"group_size", 128}};
    CHECK(read_hf_config(config).stored.parts.mlp == 4.15625);
  }
  CHECK(detail::method_named("aqlm") == "aqlm");
}

TEST_CASE("methods whose files say the bits plainly", "[hf_quantization]") {
  struct row {
    const char* how;
    double bits;
  };
  const row rows[] = {
      {R"({"quant_method":"modelopt","quant_algo":"W4A16_AWQ","group_size":64})", 4.25},
      {R"({"quant_method":"modelopt","quant_algo":"W4A16_AWQ"})", 4.125},
      {R"({"quant_method":"quanto","weights":"int4"})", 4.25},
      {R"({"quant_method":"quanto","weights":"float8"})", 8},
      {R"({"quant_method":"eetq","weights":"int8"})", 8},
      {R"({"quant_method":"hqq","quant_config":{"weight_quant_params":{"nbits":4,"group_size":64}}})", 4.5},
      {R"({"quant_method":"hqq","quant_config":{"weight_quant_params":{"nbits":3,"group_size":null}}})", 3.2},
      {R"({"quant_method":"bitnet","linear_class":"autobitlinear","quantization_mode":"offline"})", 2},
      {R"({"quant_method":"bitnet","linear_class":"autobitlinear","quantization_mode":"online"})", 0},
      {R"({"quant_method":"torchao","quant_type":{"default":{"_type":"Int4WeightOnlyConfig",
          "_data":{"group_size":64}}}})",
       4.5},
      {R"({"quant_method":"torchao","quant_type":"int4_weight_only","quant_type_kwargs":{"group_size":128}})", 4.25},
      {R"({"quant_method":"torchao","quant_type":"int8_weight_only"})", 8},
      {R"({"quant_method":"fp_quant","forward_dtype":"mxfp4"})", 4.25},
      {R"({"quant_method":"quark","global_quant_config":{"weight":{"dtype":"fp4","qscheme":"per_group",
          "group_size":32,"scale_format":"e8m0"}}})",
       4.25},
      {R"({"quant_method":"quark","global_quant_config":{"weight":{"dtype":"fp8_e4m3","qscheme":"per_tensor"}},
          "layer_quant_config":{"*down_proj":{"weight":{"dtype":"int4","qscheme":"per_group","group_size":128}}}})",
       (2 * 8 + 4.125) / 3},
      {R"({"quant_method":"quark","exclude":["re:.*mlp.*"],
          "global_quant_config":{"weight":{"dtype":"int8","qscheme":"per_channel"}}})",
       0},
  };
  for (const row& each : rows) {
    INFO(each.how);
    CHECK(mlp_with(each.how) == Approx(each.bits));
  }
  for (
      const char* unknown :
      {R"({"quant_method":"quark","export":{}})", R"({"quant_method":"fp_quant"})", R"({"quant_method":"hqq"})",
       R"({"quant_method":"quanto","weights":"int3"})",
       R"({"quant_method":"torchao","quant_type":"int8_dynamic_activation_int4_weight"})",
       R"({"quant_method":"hqq","quant_config":{"weight_quant_params":{"nbits":4},"scale_quant_params":{"nbits":8}}})"}) {
    INFO(unknown);
    CHECK(mlp_with(unknown) == 0);
    CHECK(said_with(unknown).find(": no group of it has a format of weights that is known") != std::string::npos);
  }
}

}  // namespace read_hf_quantization_methods_tests
