// Diffusion transformers from diffusers' files, against the tensors of their classes.

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/model/sums.hpp>
#include <tpuplan/read/diffusers.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_diffusers_tests {
using nlohmann::json;

namespace {

blocks::model model_of_file(const std::string& type, const char* changes, std::int64_t positions = 4096,
                            std::int64_t text = 512) {
  json config = json::parse(changes);
  config["_class_name"] = type;
  std::vector<assumption> assumed;
  return read_diffusers(config, {positions}, text, assumed);
}

std::int64_t total(const std::string& type, const char* changes) {
  return parameters(model_of_file(type, changes)).total;
}

double work(const std::string& type, std::int64_t positions, std::int64_t text = 512) {
  return forward_flops_per_example(model_of_file(type, "{}", positions, text)).value();
}

const std::string wan = "WanTransformer3DModel", flux = "FluxTransformer2DModel", qwen = "QwenImageTransformer2DModel";

}  // namespace

TEST_CASE("diffusion transformers have the parameters of their classes", "[diffusers]") {
  // Sums over the tensors that the classes make (huggingface/diffusers at 58eb52c080).
  CHECK(total(wan, "{}") == 14288491584);  // 2.1 and either expert of 2.2, text to video
  CHECK(total(wan, R"({"num_attention_heads": 12, "ffn_dim": 8960, "num_layers": 30})") == 1418996800);
  CHECK(total(wan, R"({"num_attention_heads": 24, "ffn_dim": 14336, "num_layers": 30, "in_channels": 48,
                      "out_channels": 48, "patch_size": [1, 2, 2]})") == 4999787712);
  CHECK(total(wan, R"({"in_channels": 36, "out_channels": 16})") == 14288901184);  // 2.2, image to video
  CHECK(total(flux, R"({"guidance_embeds": true})") == 11901408320);               // dev
  CHECK(total(flux, R"({"guidance_embeds": false})") == 11891178560);              // schnell
  CHECK(total(qwen, "{}") == 20430401088);
  CHECK(total(flux, R"({"out_channels": null})") == total(flux, "{}"));
}

TEST_CASE("the work of Wan 2.1 14B is what a training framework prints", "[diffusers]") {
  // maxdiffusion's README prints 4893.27 TFLOP a device of four for a training step, three forward passes.
  CHECK(close(3 * work(wan, 75600), 4 * 4893.27e12, 1e-3));
}

TEST_CASE("the work of a diffusion transformer grows with its positions", "[diffusers]") {
  for (const std::string& type : {wan, flux, qwen}) {
    INFO(type);
    CHECK(work(type, 4096) > work(type, 4095));
    CHECK(work(type, 4096, 513) > work(type, 4096, 512));
    CHECK(work(type, 8192) > 2 * work(type, 4096) - work(type, 1));
  }
  // FLUX sees text and image as one sequence: attention of 57 layers over 4608 positions.
  const double attention = 57 * 4.0 * 4608 * 4608 * 3072;
  const double one = work(flux, 4096, 512), two = work(flux, 8192, 1024), three = work(flux, 12288, 1536);
  CHECK(close(three - 2 * two + one, 2 * attention, 1e-9));
}

TEST_CASE("what a diffusers file leaves open is on record, each once", "[diffusers]") {
  std::vector<assumption> assumed;
  (void)read_diffusers(json{{"_class_name", wan}, {"num_layers", 2}}, {16}, 16, assumed);
  const auto times = [&](const char* field) {
    return std::count_if(assumed.begin(), assumed.end(), [&](const assumption& a) { return a.field == field; });
  };
  CHECK(times("ffn_dim") == 1);
  CHECK(times("patch_size") == 1);
  CHECK(times("num_layers") == 0);
  CHECK(assumed.front().why == "class default of " + wan);
  assumed.clear();
  (void)read_diffusers(json{{"_class_name", flux}}, {16}, 16, assumed);
  CHECK(times("in_channels") == 1);
}

TEST_CASE("diffusers files that are not supported are refused by field", "[diffusers]") {
  const auto refused = [](const std::string& type, const char* changes) {
    return refusal_of([&] { (void)model_of_file(type, changes); });
  };
  CHECK(says(refused("UNet2DConditionModel", "{}").message, "config._class_name"));
  CHECK(says(refused("UNet2DConditionModel", "{}").message, "WanTransformer3DModel"));
  CHECK(refused(wan, R"({"added_kv_proj_dim": 5120})").code == errc::unsupported);
  CHECK(says(refused(wan, R"({"added_kv_proj_dim": 5120})").message, "config.added_kv_proj_dim"));
  CHECK(refused(wan, R"({"qk_norm": null})").code == errc::unsupported);
  CHECK(says(refused(wan, R"({"patch_size": [1, 2]})").message, "config.patch_size"));
  CHECK(says(refused(wan, R"({"patch_size": [1, 0, 2]})").message, "config.patch_size"));
  CHECK(says(refused(wan, R"({"num_layers": 0})").message, "config.num_layers"));
  CHECK(refused(qwen, R"({"use_additional_t_cond": true})").code == errc::unsupported);
  CHECK_FALSE(refused(qwen, R"({"use_additional_t_cond": false})").refused);
  CHECK(says(refusal_of([] { (void)model_of_file(wan, "{}", 0); }).message, "positions"));
  CHECK(says(refusal_of([] { (void)model_of_file(wan, "{}", 1, 0); }).message, "text_positions"));
}

}  // namespace read_diffusers_tests
