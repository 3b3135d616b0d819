// Formats of stored weights: what dtype and quantization_config of a config.json say, and what serving makes of them.

#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/estimate/widths.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/model/weight_bits.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/quantization.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_quantization_tests {
using nlohmann::json;

namespace {

json stored(const std::string& name) { return load_json(std::string{TPUPLAN_DATA_DIR} + "/models/" + name + ".json"); }

json with_method(const char* type, const char* quantization) {
  return {{"model_type", type}, {"torch_dtype", "bfloat16"}, {"quantization_config", json::parse(quantization)}};
}

weight_bits parts_of(const char* type, const char* quantization) {
  return read_hf_config(with_method(type, quantization)).stored.parts;
}

std::string said_of(const model_config& read) {
  for (const assumption& one : read.assumed)
    if (one.field == "quantization_config") return one.value + " (" + one.why + ")";
  return "";
}

bool is(const weight_bits& got, double attention, double mlp, double experts) {
  CAPTURE(got.attention, got.mlp, got.experts);
  return close(got.attention, attention) && close(got.mlp, mlp) && close(got.experts, experts);
}

}  // namespace

TEST_CASE("dtype says how weights are stored", "[quantization]") {
  const auto format = [](const json& config) { return read_hf_config(config).stored.weights; };
  CHECK(format({{"model_type", "llama"}}) == dtype::bf16);
  CHECK(format({{"model_type", "llama"}, {"torch_dtype", "float16"}}) == dtype::fp16);
  CHECK(format({{"model_type", "llama"}, {"dtype", "float32"}}) == dtype::fp32);
  CHECK(format({{"model_type", "gemma3"}, {"text_config", {{"dtype", "float32"}}}, {"mm_tokens_per_image", 64}}) ==
        dtype::fp32);
}

TEST_CASE("bits of a weight with the scales of its group", "[quantization]") {
  const char* const llama = "llama";
  CHECK(is(parts_of(llama, R"({"quant_method":"fp8","weight_block_size":[128,128]})"), 8 + 32.0 / 16384,
           8 + 32.0 / 16384, 0));
  CHECK(is(parts_of(llama, R"({"quant_method":"fbgemm_fp8"})"), 8, 8, 0));
  // A scale of 16 bits and a zero point of 4 for each 128 weights.
  CHECK(is(parts_of(llama, R"({"quant_method":"awq","bits":4,"group_size":128})"), 4.15625, 4.15625, 0));
  CHECK(is(parts_of(llama, R"({"quant_method":"gptq","bits":8,"group_size":-1})"), 8, 8, 0));
  CHECK(is(parts_of(llama, R"({"load_in_8bit":true})"), 8, 8, 0));
  CHECK(is(parts_of(llama, R"({"quant_method":"bitsandbytes","load_in_4bit":true})"), 4.5, 4.5, 0));
  CHECK(is(parts_of(llama, R"({"load_in_4bit":true,"bnb_4bit_use_double_quant":true})"), 4.126953125, 4.126953125, 0));
  CHECK(is(parts_of(llama, R"({"quant_method":"modelopt","quant_algo":"NVFP4"})"), 4.5, 4.5, 0));
  // Groups of 32 integers with a scale in bf16; of 16 floats with one in fp8.
  CHECK(is(parts_of(llama, R"({"quant_method":"compressed-tensors","config_groups":{"group_0":{"weights":{"num_bits":4,
           "type":"int","group_size":32,"symmetric":true}}}})"),
           4.5, 4.5, 0));
  CHECK(is(parts_of(llama, R"({"quant_method":"compressed-tensors","config_groups":{"group_0":{"weights":{"num_bits":4,
           "type":"float","group_size":16}}}})"),
           4.5, 4.5, 0));
}

TEST_CASE("modules that are not quantised stay in the format of the rest", "[quantization]") {
  // Kimi K2 Thinking: experts alone, by patterns.
  CHECK(is(parts_of("mixtral", R"({"quant_method":"compressed-tensors","config_groups":{"group_0":{"weights":{
           "num_bits":4,"type":"int","group_size":32,"symmetric":true}}},"ignore":["lm_head","re:.*self_attn.*",
           "re:.*shared_experts.*","re:.*mlp\\.(gate|up|gate_up|down)_proj.*"]})"),
           0, 0, 4.5));
  // Layers that are named one by one: attention of 8 of 32 layers stays in 16 bits, of one more its queries alone,
  // which are a quarter of it, and one of three matrices of an MLP.
  json listed = with_method("llama", R"({"quant_method":"fp8","modules_to_not_convert":["lm_head"]})");
  json& names = listed["quantization_config"]["modules_to_not_convert"];
  for (int layer = 0; layer < 8; ++layer) names.push_back("model.layers." + std::to_string(layer) + ".self_attn");
  CHECK(is(read_hf_config(listed).stored.parts, 0.75 * 8 + 0.25 * 16, 8, 0));
  names.push_back("model.layers.8.self_attn.q_proj"), names.push_back("model.layers.8.mlp.gate_proj");
  CHECK(is(read_hf_config(listed).stored.parts, 10 + 8.0 / 32 / 4, 8 + 8.0 / 32 / 3, 0));
  CHECK(
      is(parts_of("mixtral", R"({"quant_method":"fp8","ignore":["re:.*gate$","model.layers.0.mlp.gate"]})"), 8, 0, 8));
}

TEST_CASE("groups of compressed-tensors have the layers that they target", "[quantization]") {
  const char* const both = R"({"quant_method":"compressed-tensors","config_groups":{
      "group_0":{"targets":["re:.*self_attn.*"],"weights":{"num_bits":8,"type":"float","strategy":"channel"}},
      "group_1":{"targets":["re:.*mlp.*"],"weights":{"num_bits":4,"type":"int","group_size":128}}}})";
  CHECK(is(parts_of("llama", both), 8, 4.125, 0));
  CHECK(is(parts_of("mamba2", R"({"quant_method":"fp8"})"), 8, 0, 0));  // recurrences, which count as attention
  const char* const mlp_alone = R"({"quant_method":"compressed-tensors","config_groups":{
      "group_1":{"targets":["re:.*mlp.*"],"weights":{"num_bits":4,"type":"int","group_size":128}}}})";
  CHECK(is(parts_of("llama", mlp_alone), 0, 4.125, 0));
  // A name counts before a class, in whichever order they stand.
  const char* const experts = R"({"quant_method":"compressed-tensors","config_groups":{
      "group_0":{"targets":["re:.*mlp.experts.*"],"weights":{"num_bits":4,"type":"int","group_size":32}},
      "group_1":{"targets":["Linear"],"weights":{"num_bits":8,"type":"float"}}}})";
  CHECK(is(parts_of("mixtral", experts), 8, 0, 4.5));
}

TEST_CASE("layers and parts that are left out, in every spelling", "[quantization]") {
  const auto parts = [](const char* type, const json& kept, const char* field = "modules_to_not_convert") {
    json config = with_method(type, R"({"quant_method":"fp8"})");
    config["quantization_config"][field] = kept;
    return read_hf_config(config).stored.parts;
  };
  for (const char* all : {"re:.*", "*", "model.layers", "re:.*layers\\..*"}) {
    INFO(all);
    CHECK_FALSE(any_part(parts("llama", {all})));
  }
  for (const char* first :
       {"model.layers.0", "layers.0", "re:.*layers\\.0\\..*", "model.layers.0.*", "model.layers.00*"}) {
    INFO(first);
    const double in_one = std::string(first) == "model.layers.00*" ? 8 : 8 + 8.0 / 32;
    CHECK(is(parts("llama", {first}), in_one, in_one, 0));
  }
  CHECK(is(parts("llama", {"model.layers.1*"}), 8 + 8.0 * 11 / 32, 8 + 8.0 * 11 / 32, 0));  // 1, 10 to 19
  CHECK(is(parts("mixtral", {"block_sparse_moe"}), 8, 0, 0));
  CHECK(is(parts("mixtral", {"model.layers.*.mlp"}), 8, 0, 0));
  CHECK(is(parts("llama", {"self_attn"}, "ignored_layers"), 0, 8, 0));
  CHECK(is(parts_of("llama", R"({"quant_method":"gptq","bits":4,"group_size":128,"dynamic":{"-:.*mlp.*":{}}})"),
           4.15625, 0, 0));
  for (const char* other : {"lm_head", "re:.*visual.*", "model.embed_tokens", "re:.*norm", "model.layers.3.mlp.gate"})
    CHECK(is(parts("mixtral", {other}), 8, 0, 8));
  // What stands for nothing is said.
  json config =
      with_method("llama", R"({"quant_method":"fp8","ignore":["re:.*[qk]_proj","model.layers.0.frobnicator"]})");
  std::string said;
  for (const assumption& one : read_hf_config(config).assumed)
    if (one.field == "quantization_config: modules") said = one.value;
  CHECK(said == "re:.*[qk]_proj and 1 more");
  config = with_method("llama", R"({"quant_method":"fp8","ignore":["model.layers.31","model.layers.32"]})");
  for (const assumption& one : read_hf_config(config).assumed)
    if (one.field == "quantization_config: modules") said = one.value;
  CHECK(said == "model.layers.32");
}

TEST_CASE("published quantised checkpoints", "[quantization]") {
  const model_config oss = read_hf_config(stored("gpt-oss-20b"));
  CHECK(is(oss.stored.parts, 0, 0, 4.25));
  CHECK(said_of(oss) == "experts 4.25 bits a weight (mxfp4 with its scales; all else in bf16)");
  // metadata.total_size of its model.safetensors.index.json, in which the biases of experts are in bf16.
  const parameter_count count = parameters(oss.model);
  CHECK(close(stored_bytes(count, oss.stored.weights, oss.stored.parts).value(), 13761264768.0, 1e-3));
  const double experts = static_cast<double>(count.experts) * 4.25 / 8;
  CHECK(close(experts, 10.15e9, 1e-3));
  const model_config v3 = read_hf_config(stored("deepseek-v3"));
  CHECK(said_of(v3) ==
        "attention 8.002, MLP 8.002, experts 8.002 bits a weight (fp8 with its scales; all else in bf16)");
}

TEST_CASE("a method that is not known is said, and counts as if not quantised", "[quantization]") {
  const model_config read = read_hf_config(with_method("llama", R"({"quant_method":"aqlm"})"));
  CHECK_FALSE(any_part(read.stored.parts));
  CHECK(says(said_of(read), "aqlm is not a method whose widths are known"));
  CHECK(said_of(read_hf_config({{"model_type", "llama"}})).empty());
  const refusal wide = refusal_of([] { (void)parts_of("llama", R"({"quant_method":"awq","bits":400})"); });
  CHECK(wide.refused);
  CHECK(says(wide.message, "quantization_config.bits"));
  // No bits at all left the scales alone, 0.125 bits a weight; of bitsandbytes without a flag 8 bits were read.
  for (const char* none : {R"({"quant_method":"gptq","bits":0})", R"({"bits":0,"group_size":64})"})
    CHECK(says(refusal_of([&] { (void)parts_of("llama", none); }).message,
               "quantization_config.bits is 0; valid: 1 to 16"));
  CHECK(says(refusal_of([] {
               (void)parts_of("llama", R"({"quant_method":"compressed-tensors",
                   "config_groups":{"group_0":{"weights":{"num_bits":0}}}})");
             }).message,
             "num_bits is 0; valid: 1 to 16"));
  for (const char* none : {R"({"quant_method":"bitsandbytes"})", R"({"load_in_8bit":false})"})
    CHECK(says(refusal_of([&] { (void)parts_of("llama", none); }).message,
               "quantization_config.load_in_8bit is false; valid: true, or load_in_4bit"));
  CHECK(says(refusal_of([] { (void)parts_of("llama", R"({"load_in_8bit":true,"load_in_4bit":true})"); }).message,
             "quantization_config.load_in_8bit is true; valid: one of it and load_in_4bit"));
  const refusal block =
      refusal_of([] { (void)parts_of("llama", R"({"quant_method":"fp8","weight_block_size":[0,128]})"); });
  CHECK(block.refused);
  CHECK(says(block.message, "quantization_config.weight_block_size"));
}

TEST_CASE("serving reads and holds weights in their own formats", "[quantization]") {
  const transformer model = read_hf_config(stored("gpt-oss-20b")).model;
  const slice where = slice_for("v6e-8");
  serving_job job;
  job.prompt = job.output = fixed_length(1024);
  const serving_memory plain = serving_memory_use(model, 1, job, {}, where);
  job.weights_by_part.experts = 4.25;
  const serving_memory mixed = serving_memory_use(model, 1, job, {}, where);
  const parameter_count count = parameters(model);
  CHECK(close(plain.weights.value(), 1.02 * 2 * static_cast<double>(count.total) / 8));
  CHECK(close(mixed.weights.value(), 1.02 * stored_bytes(count, dtype::bf16, job.weights_by_part).value() / 8));
  // Reading all experts, which many sequences do, takes 4.25 / 16 of the time.
  const decode_batch many{4096, 1024};
  const decode_breakdown step = decode_step(model, many, job, {}, where);
  serving_job usual = job;
  usual.weights_by_part = {};
  const double matrices = static_cast<double>(count.total - count.experts - model.vocab * model.d_model);
  const double ratio = step.weights / decode_step(model, many, usual, {}, where).weights;
  const auto experts = static_cast<double>(count.experts);
  CHECK(close(ratio, (matrices + experts * 4.25 / 16) / (matrices + experts), 1e-3));
  job.weights_by_part.experts = 65;
  CHECK(refusal_of([&] { (void)serving_memory_use(model, 1, job, {}, where); }).refused);
}

TEST_CASE("experts of DeepSeek-V4 have a format of their own", "[hf_quantization]") {
  json config = {{"model_type", "deepseek_v4"}};
  config["quantization_config"] = {{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}};
  const double fp8 = 8 + 32.0 / (128 * 128);
  CHECK(is(read_hf_config(config).stored.parts, fp8, fp8, fp8));
  config["expert_dtype"] = "fp8";
  CHECK(is(read_hf_config(config).stored.parts, fp8, fp8, fp8));
  config["expert_dtype"] = "fp4";
  CHECK(is(read_hf_config(config).stored.parts, fp8, fp8, 4.25));
  config["expert_dtype"] = "fp2";
  CHECK(says(refusal_of([&] { (void)read_hf_config(config); }).message, "config.expert_dtype is fp2; valid: fp4, fp8"));
}

TEST_CASE("the shipped files of models are stored as their checkpoints are", "[hf_quantization]") {
  struct shipped {
    const char* file;
    const char* said;
  };
  const shipped rows[] = {
      {"gpt-oss-20b", "experts 4.25 bits a weight"},
      {"gpt-oss-120b", "experts 4.25 bits a weight"},
      {"deepseek-v3", "attention 8.002, MLP 8.002, experts 8.002 bits a weight"},
      {"deepseek-v3.2", "attention 8.002, MLP 8.002, experts 8.002 bits a weight"},
      {"deepseek-v4-flash", "attention 8.002, MLP 8.002, experts 4.25 bits a weight"},
      {"minimax-m2", "attention 8.002, experts 8.002 bits a weight"},
  };
  for (const shipped& row : rows) {
    CAPTURE(row.file);
    CHECK(said_of(read_hf_config(stored(row.file))).find(row.said) == 0);
  }
}

TEST_CASE("a quantisation without the name of a method", "[hf_quantization]") {
  const auto attention = [](const char* how) {
    json config = {{"model_type", "llama"}};
    config["quantization_config"] = json::parse(how);
    return read_hf_config(config).stored.parts.attention;
  };
  CHECK(attention(R"({"bits": 4, "group_size": 64})") == 4.5);  // of MLX: a scale and an offset of 16 bits
  CHECK(attention(R"({"bits": 8, "group_size": 32})") == 9);
  CHECK(attention(R"({"quant_method": "mlx"})") == 4.5);  // 4 bits in groups of 64 unless stated
  CHECK(attention(R"({"quant_method": "gptq"})") == 4.15625);
  CHECK(attention(R"({"load_in_8bit": true})") == 8);  // of bitsandbytes, before methods had names
  CHECK(attention(R"({"quant_method": "modelopt", "quant_algo": "MIXED", "config_groups": {"group_0": {"weights":
      {"num_bits": 4, "type": "float", "group_size": 16}}}})") == 4.5);
}

TEST_CASE("formats of ModelOpt with their scales", "[hf_quantization]") {
  CHECK(detail::bits_of_algorithm("MXFP4") == 4.25);
  CHECK(detail::bits_of_algorithm("MXFP8") == 8.25);
  CHECK(detail::bits_of_algorithm("NVFP4") == 4.5);
  CHECK(detail::bits_of_algorithm("FP8_PB_WO") == 8 + 32.0 / (128 * 128));
  CHECK(detail::bits_of_algorithm("FP3") == 0);
}

TEST_CASE("ModelOpt lists the format of each module", "[hf_quantization]") {
  json config = {{"model_type", "mixtral"}, {"num_hidden_layers", 2}};
  config["quantization_config"] = json::parse(R"({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION",
      "quantized_layers": {"model.layers.0.self_attn": {"quant_algo": "MXFP8"},
      "model.layers.0.mlp.experts": {"quant_algo": "NVFP4", "group_size": 16},
      "model.layers.1.mlp.experts": {"quant_algo": "FP8"}, "model.layers.2.mlp.experts": {"quant_algo": "FP8"}}})");
  const weight_bits parts = read_hf_config(config).stored.parts;
  CHECK(parts.attention == (8.25 + 16) / 2);  // in one of two layers
  CHECK(parts.experts == (4.5 + 8) / 2);      // the third layer is a module for further tokens
  CHECK(parts.mlp == 0);
  config["quantization_config"] = {{"quant_method", "modelopt"}, {"quant_algo", "W4A16_AWQ"}};
  CHECK(read_hf_config(config).stored.parts.experts == 4.125);
}

TEST_CASE("a quantised base under adapters is held as it is stored", "[quantization]") {
  const transformer model = read_hf_config({{"model_type", "llama"}}).model;
  training_job job;
  job.lora_rank = 8;
  job.lora.q = true;
  const parameter_count count = parameters(model);
  CHECK(held_by(model, job).frozen_bytes == bytes{2 * static_cast<double>(count.total)});
  job.frozen_by_part = {4.5, 4.5, 0};
  const auto quantised = static_cast<double>(count.attention + count.mlp);
  CHECK(close(held_by(model, job).frozen_bytes.value(),
              2 * (static_cast<double>(count.total) - quantised) + 4.5 / 8 * quantised));
  job.lora_rank = 0;
  CHECK(held_by(model, job).frozen_bytes == bytes{0});
}

TEST_CASE("a list of formats that are not known, and experts in some of the layers", "[hf_quantization]") {
  json config = {{"model_type", "llama"}};
  config["quantization_config"] = json::parse(R"({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION",
      "quantized_layers": {"model.layers.0.self_attn.q_proj": {"quant_algo": "NEW"}}})");
  CHECK(said_of(read_hf_config(config)).find("no group of it has a format of weights that is known") !=
        std::string::npos);
  // Experts in layers 1 and 2 of three: both are listed, so all of them have the format.
  json sparse = {{"model_type", "qwen3_moe"}, {"num_hidden_layers", 3}, {"mlp_only_layers", {0}}};
  sparse["quantization_config"] = json::parse(R"({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION",
      "quantized_layers": {"model.layers.1.mlp.experts": {"quant_algo": "NVFP4"},
      "model.layers.2.mlp.experts": {"quant_algo": "NVFP4"}}})");
  CHECK(read_hf_config(sparse).stored.parts.experts == 4.5);
  CHECK(read_hf_config(sparse).stored.parts.mlp == 0);
}

TEST_CASE("groups without a format of weights say nothing of their widths", "[hf_quantization]") {
  json config = {{"model_type", "llama"}};
  config["quantization_config"] = json::parse(R"({"quant_method": "compressed-tensors",
      "config_groups": {"group_0": {"input_activations": {"num_bits": 8}}}})");
  CHECK(said_of(read_hf_config(config)).find("no group of it has a format of weights that is known") !=
        std::string::npos);
  config["quantization_config"]["config_groups"]["group_1"]["weights"] = {{"num_bits", 1}, {"group_size", 32}};
  CHECK(read_hf_config(config).stored.parts.mlp == 1.5);  // 1 bit, and a scale of 16 bits for 32 weights
}

}  // namespace read_hf_quantization_tests
