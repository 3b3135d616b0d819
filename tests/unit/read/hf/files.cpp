// Configurations as they lie on disk: numbers that Python writes, folders, the index of the weights, models inside of
// models.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/weight_bits.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/files.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_files_tests {
using nlohmann::json;

namespace {

// A folder that goes with its files when the test is over.
struct folder {
  std::string path;
  explicit folder(const char* name) : path{(std::filesystem::temp_directory_path() / name).string()} {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path); }
  void write(const char* file, const std::string& text) const { std::ofstream{path + "/" + file} << text; }
};

const assumption* said_of(const model_config& read, const std::string& field) {
  for (const assumption& one : read.assumed)
    if (one.field == field) return &one;
  return nullptr;
}

}  // namespace

TEST_CASE("fields that nothing depends on are listed", "[hf_files]") {
  const nlohmann::json file = {{"model_type", "gemma4"},
                               {"text_config", {{"model_type", "gemma4_text"}, {"rope_theta", 1.0}, {"head_dim", 256}}},
                               {"hiden_size", 4096},
                               {"torch_dtype", "bfloat16"},
                               {"quantization_config", nullptr}};
  const std::vector<std::string> list = read_hf_config(file).not_read;
  CHECK(list == std::vector<std::string>{"hiden_size", "text_config.rope_theta"});
  CHECK(read_hf_config({{"model_type", "gpt2"}, {"n_embd", 768}}).not_read.empty());
}

TEST_CASE("Infinity and NaN of a file that Python wrote are null", "[hf_files]") {
  CHECK(detail::without_python_numbers(R"([0.0, Infinity, -Infinity,NaN])") == "[0.0, null, null,null]");
  CHECK(detail::without_python_numbers(R"({"NaN \" Infinity": "-Infinity\\"})") ==
        R"({"NaN \" Infinity": "-Infinity\\"})");
  CHECK(detail::without_python_numbers("\"\\") == "\"\\");
  const folder place("tpuplan-numbers");
  place.write("config.json", R"({"model_type": "mamba2", "time_step_limit": [0.0, Infinity]})");
  CHECK(parameters(load_hf_config(place.path + "/config.json").model).total == 7285403648);
  place.write("config.json", R"({"model_type": "llama", "hidden_size": NaN})");
  CHECK(says(refusal_of([&] { (void)load_hf_config(place.path); }).message, "hidden_size is null"));
  // A document of this library is JSON without them.
  place.write("own.json", R"({"schema": "tpuplan/1", "type": "transformer", "value": {"layers": NaN}})");
  CHECK(refusal_of([&] { (void)load_hf_document(place.path + "/own.json"); }).code == errc::malformed_input);
}

TEST_CASE("a folder stands for the config.json in it, and gives the model its name", "[hf_files]") {
  const folder place("tpuplan-some-model");
  CHECK(refusal_of([&] { (void)load_hf_config(place.path); }).code == errc::malformed_input);
  place.write("config.json", R"({"model_type": "gpt2"})");
  for (const char* end : {"", "/", "//"}) {
    const model_config read = load_hf_config(place.path + end);
    CHECK(read.model.name == "tpuplan-some-model");
    CHECK(parameters(read.model).total == 124439808);
    CHECK(read.assumed.size() == 8);  // there is no index to hold it against
  }
}

TEST_CASE("the index of the weights checks the count", "[hf_files]") {
  const folder place("tpuplan-index");
  place.write("config.json", R"({"model_type": "gpt2", "torch_dtype": "float32"})");
  const auto with = [&](const char* metadata) {
    place.write("model.safetensors.index.json", std::string{R"({"metadata":)"} + metadata + R"(,"weight_map":{}})");
    return load_hf_config(place.path);
  };
  CHECK(with(R"({"total_size": 497759232})").assumed.size() == 8);
  CHECK(with(R"({"total_size": 497759232, "total_parameters": 124439808})").assumed.size() == 8);
  CHECK(with("{}").assumed.size() == 8);
  const model_config tied = with(R"({"total_size": 652148736})");  // with a copy of the token table
  const assumption* said = said_of(tied, "model.safetensors.index.json metadata.total_size");
  REQUIRE(said != nullptr);
  CHECK(said->value == "652148736");
  CHECK(says(said->why, "154389504 bytes more than the 497759232 that are counted"));
  const model_config fewer = with(R"({"total_parameters": 124439807})");
  REQUIRE(fewer.assumed.size() == 9);
  CHECK(says(fewer.assumed.back().why, "1 parameters fewer"));
  CHECK(refusal_of([&] { (void)with(R"({"total_size": "much"})"); }).refused);
  CHECK(refusal_of([&] { (void)with(R"({"total_size": 497759232.5})"); }).refused);
  for (const char* size : {"1e300", "1e19", "9223372036854775807", "36028797018963969", "-1"}) {
    const refusal got = refusal_of([&] { (void)with((R"({"total_size": )" + std::string(size) + "}").c_str()); });
    INFO(size);
    CHECK(says(got.message, "metadata.total_size"));
  }
  const refusal many = refusal_of([&] { (void)with(R"({"total_parameters": 9223372036854775807})"); });
  CHECK(says(many.message, "valid: 1 to 2^53 parameters"));
  // gpt-oss-20b: experts in MXFP4 (openai/gpt-oss-20b, model.safetensors.index.json).
  std::filesystem::copy(TPUPLAN_DATA_DIR "/models/gpt-oss-20b.json", place.path + "/config.json",
                        std::filesystem::copy_options::overwrite_existing);
  CHECK(said_of(with(R"({"total_size": 13761264768})"), "model.safetensors.index.json metadata.total_size") == nullptr);
  CHECK(said_of(with(R"({"total_size": 14761264768})"), "model.safetensors.index.json metadata.total_size") != nullptr);
}

TEST_CASE("of a model of unknown type the language model is read where it is all", "[hf_files]") {
  const std::int64_t llama = parameters(read_hf_config({{"model_type", "llama"}}).model).total;
  for (const char* part : {"text_config", "llm_config", "language_config"}) {
    INFO(part);
    const model_config read = read_hf_config({{"model_type", "some_vl"}, {part, {{"model_type", "llama"}}}});
    CHECK(parameters(read.model).total == llama);
    REQUIRE(said_of(read, "model_type") != nullptr);
    CHECK(says(said_of(read, "model_type")->why, "its language model is counted, which is all"));
  }
  const model_config omni = read_hf_config(
      {{"model_type", "omni"}, {"thinker_config", {{"text_config", {{"model_type", "qwen3"}, {"hidden_size", 64}}}}}});
  CHECK(omni.model.d_model == 64);
  CHECK(refusal_of([] {
          (void)read_hf_config({{"model_type", "x"}, {"text_config", {{"model_type", "y"}}}});
        }).code == errc::unknown_name);
  const auto refused = [](json config) {
    config["model_type"] = "some_vl";
    config["text_config"] = {{"model_type", "llama"}};
    return refusal_of([&] { (void)read_hf_config(config); }).message;
  };
  CHECK(says(refused({{"vision_config", {{"hidden_size", 64}}}}),
             "config.vision_config is of some_vl, a type that is not known; valid: what stands under text_config"));
  CHECK(says(refused({{"qformer_config", json::object()}}), "config.qformer_config"));
  CHECK(says(refused({{"image_token_index", 3}}), "config.image_token_index"));
  CHECK(says(refused({{"architectures", {"SomeForConditionalGeneration"}}}), "config.architectures"));
  CHECK(refused({{"architectures", {"SomeForCausalLM"}}, {"vision_config", nullptr}}).empty());
  CHECK(says(refusal_of([] {
               (void)read_hf_config({{"model_type", "omni"},
                                     {"thinker_config",
                                      {{"audio_config", json::object()}, {"text_config", {{"model_type", "qwen3"}}}}}});
             }).message,
             "config.thinker_config.audio_config"));
}

TEST_CASE("hf_quant_config.json beside a configuration says how its weights are quantised", "[hf_files]") {
  const folder with{"tpuplan_modelopt"};
  with.write("config.json", R"({"model_type": "llama"})");
  with.write("hf_quant_config.json", R"({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4",
      "group_size": 16, "exclude_modules": ["lm_head", "model.layers.*.self_attn*"]}})");
  const model_config read = load_hf_config(with.path);
  CHECK(load_hf_document(with.path)["quantization_config"]["quant_method"] == "modelopt");
  CHECK(read.stored.parts.mlp == 4.5);
  CHECK(read.stored.parts.attention == 0);
  CHECK(said_of(read, "quantization_config") != nullptr);
  CHECK(load_hf_config(with.path + "/config.json").stored.parts.mlp == 4.5);
  with.write("config.json", R"({"model_type": "llama", "quantization_config": {"quant_method": "fp8"}})");
  CHECK(load_hf_config(with.path).stored.parts.mlp == 8);
  with.write("config.json", R"({"model_type": "llama"})");
  with.write("hf_quant_config.json", R"({"producer": {}})");
  CHECK(says(refusal_of([&] { (void)load_hf_config(with.path); }).message, "hf_quant_config.json"));
}

}  // namespace read_hf_files_tests
