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

const char* const xl = R"({"block_out_channels": [320, 640, 1280],
    "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"],
    "up_block_types": ["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"], "attention_head_dim": [5, 10, 20],
    "cross_attention_dim": 2048, "transformer_layers_per_block": [1, 2, 10], "addition_embed_type": "text_time",
    "projection_class_embeddings_input_dim": 2816, "sample_size": 128})";

// Stable Diffusion XL as the command line is given it.
json whole() { return load_json(TPUPLAN_TESTS_DIR "/cli/plans/sdxl.json"); }

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

TEST_CASE("the work of UNets and autoencoders is that of their convolutions and attention", "[diffusers]") {
  // By hand over the modules of the classes, each with its positions: 64 x 64 latents and 77 tokens (128 x 128 for XL).
  const auto work_of = [](const std::string& type, const char* changes, std::int64_t side) {
    json config = json::parse(changes);
    config["_class_name"] = type;
    std::vector<assumption> assumed;
    return forward_flops_per_example(read_diffusers(config, {side, side}, 77, assumed)).value();
  };
  CHECK(work_of("UNet2DConditionModel", R"({"cross_attention_dim": 768})", 64) == 803273441280);
  CHECK(work_of("UNet2DConditionModel", R"({"cross_attention_dim": 1024, "attention_head_dim": [5, 10, 20, 20]})",
                64) == 804257464320);
  CHECK(work_of("UNet2DConditionModel", xl, 128) == 6761236398080);
  std::vector<assumption> assumed;
  const diffusion_pipeline vae = read_pipeline(json::parse(R"({"_class_name": "AutoencoderKL",
      "block_out_channels": [128, 256, 512, 512], "layers_per_block": 2,
      "down_block_types": ["DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D"],
      "up_block_types": ["UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D"]})"),
                                               assumed);
  CHECK(forward_flops_per_example(decoder_for(vae, {512, 512})).value() == 2514518933504);
  CHECK(vae.latent_channels == 4);
  CHECK(vae.spatial == 8);
}

TEST_CASE("a pipeline is read from one document", "[diffusers]") {
  std::vector<assumption> assumed;
  const diffusion_pipeline p = read_pipeline(whole(), assumed, "sdxl");
  CHECK(p.name == "StableDiffusionXLPipeline");
  CHECK(total_parameters(p) == 2567463684 + 123060480 + 694659840 + 83653863);
  CHECK(p.denoisers.items[0].part == "unet");
  CHECK(p.encoders.items[1].part == "text_encoder_2");
  CHECK(p.encoders.items[0].tokens == 77);
  CHECK(p.usual.width == 1024);
  CHECK(p.usual_steps == 50);
  CHECK(p.usual_forwards == 2);
  CHECK_FALSE(p.guidance_input);
  // CLIP ViT-L's 85 million weights in layers, and attention over all tokens.
  CHECK(close(text_flops(p.encoders.items[0].model, 77).value(), 77 * (2.0 * 12 * 12 * 768 * 768 + 12 * 4.0 * 77 * 768),
              1e-9));
  for (const assumption& each : assumed) CHECK(each.field.rfind("vae = none", 0) != 0);
}

TEST_CASE("either expert of Wan 2.2 takes its share of the steps", "[diffusers]") {
  const auto shares = [](const json& scheduler) {
    json config{{"model_index", {{"_class_name", "WanPipeline"}, {"boundary_ratio", 0.875}}},
                {"transformer", {{"_class_name", wan}}},
                {"transformer_2", {{"_class_name", wan}}}};
    if (!scheduler.is_null()) config["scheduler"] = scheduler;
    std::vector<assumption> assumed;
    return read_pipeline(config, assumed);
  };
  const diffusion_pipeline p = shares({{"flow_shift", 3.0}});
  // s with 3 s / (1 + 2 s) = 0.875 is 0.7.
  CHECK(close(p.denoisers.items[0].share, 0.3, 1e-12));
  CHECK(close(p.denoisers.items[1].share, 0.7, 1e-12));
  CHECK(close(shares({{"flow_shift", 12.0}}).denoisers.items[0].share, 12.0 / 19, 1e-12));
  CHECK(close(shares(nullptr).denoisers.items[0].share, 0.125, 1e-12));
  CHECK(total_parameters(p) == 2 * 14288491584);
  const picture_size hd{1280, 720, 81};
  CHECK(close(3 * forward_flops_per_example(denoiser_for(p, 1, hd, 512)).value(), 4 * 4893.27e12, 1e-3));
}

TEST_CASE("text encoders of pipelines are models of transformers", "[diffusers]") {
  const auto encoder = [](const char* file) {
    const json config{{"transformer", {{"_class_name", qwen}}}, {"text_encoder", json::parse(file)}};
    std::vector<assumption> assumed;
    return read_pipeline(config, assumed).encoders.items[0].model;
  };
  const blocks::model t5 = encoder(R"({"architectures": ["T5EncoderModel"], "model_type": "t5", "d_model": 4096,
      "d_ff": 10240, "d_kv": 64, "num_heads": 64, "num_layers": 24, "vocab_size": 32128,
      "feed_forward_proj": "gated-gelu"})");
  CHECK(parameters(t5).total == 4762310656);
  CHECK(
      close(text_flops(t5, 512).value(), 512 * (2.0 * (1610614784 - 2048 + 3019898880) + 24 * 4.0 * 512 * 4096), 1e-5));
  // Qwen2.5-VL 7B as data/models has it, with its tower, which sees no image here.
  std::vector<assumption> assumed;
  const json vl = load_json(TPUPLAN_DATA_DIR "/models/qwen2.5-vl-7b.json");
  const json config{{"transformer", {{"_class_name", qwen}}}, {"text_encoder", vl}};
  const diffusion_pipeline p = read_pipeline(config, assumed);
  CHECK(parameters(p.encoders.items[0].model).total == 8292166656);
  CHECK(p.encoders.items[0].tokens == 546);
  // Tokens go by the name of the encoder, whether or not those before it are there.
  const diffusion_pipeline second = read_pipeline(
      json{{"transformer", {{"_class_name", flux}, {"guidance_embeds", true}}}, {"text_encoder_2", vl}}, assumed);
  CHECK(second.encoders.items[0].tokens == 512);
  const json klein{{"model_index", {{"_class_name", "Flux2KleinPipeline"}, {"is_distilled", true}}},
                   {"transformer", {{"_class_name", "Flux2Transformer2DModel"}, {"guidance_embeds", false}}}};
  CHECK(read_pipeline(klein, assumed).usual_forwards == 1);
}

TEST_CASE("what was distilled to few steps, and sizes that its makers name", "[diffusers]") {
  const auto read = [](const json& document) {
    std::vector<assumption> assumed;
    return read_pipeline(document, assumed);
  };
  const json t5{{"model_type", "t5"}, {"d_model", 64}, {"d_kv", 16}, {"num_heads", 4}, {"d_ff", 64}, {"num_layers", 1}};
  const diffusion_pipeline schnell = read({{"transformer", {{"_class_name", flux}}}, {"text_encoder_2", t5}});
  CHECK(schnell.usual_steps == 4);
  CHECK(schnell.text_tokens == 256);
  CHECK(schnell.encoders.items[0].tokens == 256);
  const diffusion_pipeline dev =
      read({{"transformer", {{"_class_name", flux}, {"guidance_embeds", true}}}, {"text_encoder_2", t5}});
  CHECK(dev.usual_steps == 28);
  CHECK(dev.encoders.items[0].tokens == 512);
  const auto zimage = [&](const json& scheduler) {
    return read({{"transformer", {{"_class_name", "ZImageTransformer2DModel"}}}, {"scheduler", scheduler}});
  };
  CHECK(zimage({{"shift", 3.0}}).usual_steps == 8);
  CHECK(zimage({{"shift", 3.0}}).usual_forwards == 1);
  CHECK(zimage({{"shift", 6.0}}).usual_steps == 50);
  CHECK(zimage({{"shift", 6.0}}).usual_forwards == 2);
  const picture_size clip = read({{"_class_name", "CogVideoXTransformer3DModel"},
                                  {"patch_size_t", 2},
                                  {"sample_height", 300},
                                  {"sample_width", 300},
                                  {"sample_frames", 81}})
                                .usual;
  CHECK(clip.width == 1360);
  CHECK(clip.height == 768);
  CHECK(clip.frames == 81);
}

TEST_CASE("sizes that a pipeline does not make are refused by field", "[diffusers]") {
  std::vector<assumption> assumed;
  const diffusion_pipeline clip = read_pipeline(json{{"_class_name", wan}}, assumed);
  const diffusion_pipeline image = read_pipeline(json{{"_class_name", flux}}, assumed);
  const auto refused = [](const diffusion_pipeline& p, const picture_size& size) {
    return refusal_of([&] { (void)denoiser_for(p, 0, size, 512); });
  };
  CHECK_FALSE(refused(clip, {1280, 720, 81}).refused);
  CHECK_FALSE(refused(clip, {1280, 720, 1}).refused);
  CHECK(says(refused(clip, {1280, 720, 80}).message, "frames is 80; valid: one more than a multiple of 4"));
  CHECK(says(refused(clip, {1280, 721, 81}).message, "height is 721; valid: a multiple of 16"));
  CHECK(says(refused(clip, {1288, 720, 81}).message, "width is 1288"));
  CHECK(says(refused(clip, {0, 720, 81}).message, "width"));
  CHECK(says(refused(image, {1024, 1024, 2}).message, "frames"));
  CHECK(says(refusal_of([&] { (void)denoiser_for(image, 1, {1024, 1024}, 512); }).message, "denoiser"));
  CHECK(says(refusal_of([&] { (void)denoiser_for(image, 0, {1024, 1024}, 0); }).message, "text_tokens"));
}

TEST_CASE("diffusers files that are not supported are refused by field", "[diffusers]") {
  const auto refused = [](const std::string& type, const char* changes) {
    return refusal_of([&] { (void)model_of_file(type, changes); });
  };
  const std::string unet = "UNet2DConditionModel";
  CHECK(says(refused("ControlNetModel", "{}").message, "config._class_name"));
  CHECK(says(refused("UNet3DConditionModel", "{}").message, "UNet2DConditionModel"));
  const auto with = [](const char* part, const nlohmann::json& of) {
    std::vector<assumption> assumed;
    const nlohmann::json index = {{"_class_name", "StableDiffusionControlNetPipeline"}, {part, of}};
    return read_pipeline({{"model_index", index}, {"unet", {{"_class_name", "UNet2DConditionModel"}}}}, assumed);
  };
  for (const char* part : {"controlnet", "adapter", "motion_adapter"}) {
    const auto told = refusal_of([&] { (void)with(part, {"diffusers", "ControlNetModel"}); });
    CHECK(told.code == errc::unsupported);
    CHECK(says(told.message, std::string("config.model_index.") + part + " is ControlNetModel"));
    CHECK(is_present(with(part, {nullptr, nullptr}).denoisers.items[0].model));
  }
  CHECK(refused(wan, R"({"added_kv_proj_dim": 5120})").code == errc::unsupported);
  CHECK(says(refused(wan, R"({"added_kv_proj_dim": 5120})").message, "config.added_kv_proj_dim"));
  CHECK(refused(wan, R"({"qk_norm": null})").code == errc::unsupported);
  CHECK(says(refused(wan, R"({"patch_size": [1, 2]})").message, "config.patch_size"));
  CHECK(says(refused(wan, R"({"patch_size": [1, 0, 2]})").message, "config.patch_size"));
  CHECK(says(refused(wan, R"({"patch_size": [1, "2", 2]})").message, "config.patch_size"));
  CHECK(says(refused(wan, R"({"patch_size": [1, 2, 4]})").message, "config.patch_size"));
  CHECK(says(refused(wan, R"({"num_layers": 0})").message, "config.num_layers"));
  CHECK(says(refused(wan, R"({"num_layers": "40"})").message, "config.num_layers"));
  CHECK(says(refused(wan, R"({"num_layers": 1e30})").message, "config.num_layers"));
  CHECK(refused(wan, R"({"num_attention_heads": 16777216, "attention_head_dim": 16777216})").refused);
  CHECK(says(refused("Flux2Transformer2DModel", R"({"mlp_ratio": -1})").message, "config.mlp_ratio"));
  CHECK(says(refused("Flux2Transformer2DModel", R"({"mlp_ratio": 1e9})").message, "config.mlp_ratio"));
  CHECK(
      says(refused("SD3Transformer2DModel", R"({"dual_attention_layers": [1, 1]})").message, "dual_attention_layers"));
  CHECK(says(refused("SD3Transformer2DModel", R"({"dual_attention_layers": [18]})").message, "dual_attention_layers"));
  CHECK(says(refused("SD3Transformer2DModel", R"({"qk_norm": "layer_norm"})").message, "config.qk_norm"));
  CHECK(says(refused("SD3Transformer2DModel", R"({"caption_projection_dim": 4})").message, "caption_projection_dim"));
  CHECK(says(refused("ZImageTransformer2DModel", R"({"siglip_feat_dim": 1152})").message, "siglip_feat_dim"));
  CHECK(says(refused("PixArtTransformer2DModel", R"({"norm_type": "ada_norm"})").message, "config.norm_type"));
  CHECK(says(refused("MochiTransformer3DModel", R"({"activation_fn": "gelu"})").message, "config.activation_fn"));
  CHECK(says(refused(unet, R"({"down_block_types": ["AttnDownBlock2D"]})").message, "config.down_block_types"));
  CHECK(says(refused(unet, R"({"down_block_types": []})").message, "config.down_block_types"));
  CHECK(says(refused(unet, R"({"down_block_types": [1]})").message, "config.down_block_types"));
  CHECK(says(refused(unet, R"({"block_out_channels": [320]})").message, "config.block_out_channels"));
  CHECK(says(refused(unet, R"({"attention_head_dim": 7})").message, "config.block_out_channels"));
  CHECK(says(refused(unet, R"({"encoder_hid_dim": 1024})").message, "config.encoder_hid_dim"));
  CHECK(says(refused(unet, R"({"addition_embed_type": "image"})").message, "config.addition_embed_type"));
  CHECK(says(refused(unet, R"({"layers_per_block": [2, 2]})").message, "config.layers_per_block"));
  CHECK(says(refusal_of([] { (void)model_of_file(wan, "{}", 0); }).message, "positions"));
  CHECK(says(refusal_of([] { (void)model_of_file(wan, "{}", 1, 0); }).message, "text_positions"));
}

TEST_CASE("hostile documents of pipelines are refused, by name where there is one", "[diffusers]") {
  const auto refused = [](const char* file) {
    return refusal_of([&] {
      std::vector<assumption> assumed;
      (void)read_pipeline(json::parse(file), assumed);
    });
  };
  CHECK(refused("[]").refused);
  CHECK(refused("{}").refused);
  CHECK(says(refused(R"({"_class_name": 7})").message, "config._class_name"));
  CHECK(says(refused(R"({"transformer": 7})").message, "config.transformer"));
  CHECK(says(refused(R"({"transformer": {}})").message, "config.transformer._class_name"));
  CHECK(says(refused(R"({"transformer": {"_class_name": "WanTransformer3DModel"}, "vae": {}})").message, "config.vae"));
  CHECK(says(refused(R"({"transformer": {"_class_name": "WanTransformer3DModel"},
                         "vae": {"_class_name": "AutoencoderTiny"}})")
                 .message,
             "config.vae._class_name"));
  CHECK(says(refused(R"({"transformer": {"_class_name": "WanTransformer3DModel"},
                         "vae": {"_class_name": "AutoencoderKLWan", "z_dim": 4}})")
                 .message,
             "latent_channels"));
  CHECK(says(refused(R"({"transformer": {"_class_name": "WanTransformer3DModel"}, "text_encoder": {}})").message,
             "text_encoder.model_type"));
  CHECK(says(refused(R"({"transformer": {"_class_name": "WanTransformer3DModel"},
                         "transformer_2": {"_class_name": "WanTransformer3DModel"}})")
                 .message,
             "boundary_ratio"));
  for (const char* boundary : {"0", "1", "-0.5", "1.5"}) {
    const std::string config = R"({"transformer": {"_class_name": "WanTransformer3DModel"},
      "transformer_2": {"_class_name": "WanTransformer3DModel"}, "model_index": {"_class_name": "WanPipeline", "boundary_ratio": )";
    CHECK(says(refused((config + boundary + "}}").c_str()).message, "a number between 0 and 1"));
  }
  CHECK(says(refused(R"({"_class_name": "AutoencoderKL", "block_out_channels": [0]})").message, "block_out_channels"));
  CHECK(says(refused(R"({"_class_name": "AutoencoderKL", "block_out_channels": [64, 64]})").message,
             "config.block_out_channels"));
  CHECK(says(refused(R"({"_class_name": "AutoencoderKLWan", "temperal_downsample": [1, 0, 0]})").message,
             "config.temperal_downsample"));
  CHECK(says(refused(R"({"_class_name": "AutoencoderKLWan", "dim_mult": [1]})").message, "temperal_downsample"));
  CHECK(says(refused(R"({"_class_name": "AutoencoderKLMochi", "layers_per_block": [3]})").message, "layers_per_block"));
  CHECK(says(refused(R"({"_class_name": "AutoencoderKLCogVideoX", "temporal_compression_ratio": 3})").message,
             "temporal_compression_ratio"));
  CHECK(says(refused(R"({"_class_name": "AutoencoderKLLTXVideo", "patch_size_t": 2})").message, "patch_size_t"));
  CHECK(says(refused(R"({"_class_name": "AutoencoderKLWan", "base_dim": 1, "dim_mult": [1, 1, 1, 1]})").message,
             "a multiple of 2"));
  CHECK(says(refused(R"({"_class_name": "AutoencoderDC", "encoder_layers_per_block": [-1, 2, 2, 3, 3, 3]})").message,
             "encoder_layers_per_block"));
}

TEST_CASE("the usual size is that of the denoiser where its pipeline asks it", "[diffusers]") {
  const auto usual = [](const char* config) {
    std::vector<assumption> assumed;
    return read_pipeline(json::parse(config), assumed).usual;
  };
  const picture_size clip = usual(R"({"_class_name": "CogVideoXTransformer3DModel"})");
  CHECK((clip.width == 720 && clip.height == 480 && clip.frames == 49));
  const picture_size later = usual(
      R"({"_class_name": "CogVideoXTransformer3DModel", "sample_height": 96, "sample_width": 170, "sample_frames": 81})");
  CHECK((later.width == 1360 && later.height == 768 && later.frames == 81));
  for (const std::int64_t side : {16, 32, 128}) {
    const std::string config = R"({"_class_name": "SanaTransformer2DModel", "sample_size": )" + std::to_string(side);
    CHECK(usual((config + "}").c_str()).width == 32 * side);
  }
}

TEST_CASE("the class that DiT and PixArt once shared is told by its norm", "[diffusers]") {
  std::vector<assumption> assumed;
  const auto parameters_of = [&](const char* config) {
    return parameters(read_pipeline(json::parse(config), assumed).denoisers.items[0].model).total;
  };
  CHECK(parameters_of(R"({"_class_name": "Transformer2DModel", "norm_type": "ada_norm_zero"})") ==
        parameters_of(R"({"_class_name": "DiTTransformer2DModel", "norm_type": "ada_norm_zero"})"));
  CHECK(parameters_of(R"({"_class_name": "Transformer2DModel", "norm_type": "ada_norm_single"})") ==
        parameters_of(R"({"_class_name": "PixArtTransformer2DModel", "norm_type": "ada_norm_single"})"));
  CHECK(refusal_of([&] { (void)parameters_of(R"({"_class_name": "Transformer2DModel"})"); }).refused);
  (void)parameters_of(R"({"_class_name": "FluxTransformer2DModel", "quantization_config": {"quant_method": "x"}})");
  CHECK(std::any_of(assumed.begin(), assumed.end(),
                    [](const assumption& one) { return says(one.field, "quantization_config"); }));
}

TEST_CASE("a denoiser of 48 channels was trained with the autoencoder of 16 x 16 pixels", "[diffusers]") {
  const json five = {{"_class_name", "WanTransformer3DModel"},
                     {"num_attention_heads", 24},
                     {"ffn_dim", 14336},
                     {"num_layers", 30},
                     {"in_channels", 48},
                     {"out_channels", 48}};
  std::vector<assumption> assumed;
  CHECK(read_pipeline(five, assumed).spatial == 16);
  const auto said =
      std::find_if(assumed.begin(), assumed.end(), [](const assumption& one) { return one.field == "vae.spatial"; });
  REQUIRE(said != assumed.end());
  CHECK(says(said->why, "Wan 2.2 5B"));
  json other = five;
  other["in_channels"] = other["out_channels"] = 16;
  CHECK(read_pipeline(other, assumed).spatial == 8);
}

TEST_CASE("an editor of images sees one beside that which it makes", "[diffusers]") {
  std::vector<assumption> assumed;
  json document = {{"model_index", {{"_class_name", "QwenImageEditPlusPipeline"}}},
                   {"transformer", {{"_class_name", "QwenImageTransformer2DModel"}}}};
  CHECK(read_pipeline(document, assumed).reference_images == 1);
  document["model_index"]["_class_name"] = "QwenImagePipeline";
  CHECK(read_pipeline(document, assumed).reference_images == 0);
}

TEST_CASE("a key that is a letter away from one that took its default is refused", "[diffusers]") {
  const auto refused = [](const json& document) {
    std::vector<assumption> assumed;
    return refusal_of([&] { (void)read_pipeline(document, assumed); }).message;
  };
  CHECK(says(refused({{"_class_name", "FluxTransformer2DModel"}, {"num_layerss", 3}}),
             "config.num_layerss is 3; valid: none: the key is num_layers"));
  CHECK(says(refused({{"_class_name", "WanTransformer3DModel"}, {"num_layerz", 3}}), "the key is num_layers"));
  CHECK(refused({{"_class_name", "WanTransformer3DModel"}, {"num_layers", 3}, {"num_layerz", 3}}).empty());
  const json table = {
      {"_class_name", "SD3Transformer2DModel"}, {"pos_embed_max_size", 64}, {"num_attention_heads", 18}};
  std::vector<assumption> assumed;
  CHECK(read_pipeline(table, assumed).longest_side == 64);
}

TEST_CASE("an SD3 has positions for so many pixels of a side", "[diffusers]") {
  diffusion_pipeline p;
  p.spatial = 8, p.patch = 2, p.longest_side = 64;
  CHECK(latents_of(p, {1024, 1024}).rows == 128);
  CHECK(says(refusal_of([&] {
               (void)latents_of(p, {1024, 1040});
             }).message,
             "height is 1040; valid: at most 1024, what the denoiser has positions for"));
}

}  // namespace read_diffusers_tests
