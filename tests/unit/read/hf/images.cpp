// Models of images alone, and pairs of encoders of images and texts.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/hf/images.hpp>

#include "support/catch.hpp"
#include "support/hf_classes.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_hf_images_tests {
using nlohmann::json;

namespace {

// Sums over the tensors that the classes of transformers build (main of 2026-08-17, e8c4f0b738, their constructors run
// over shapes alone), with the correction biases of routers.
// clang-format off
const hf_class classes[] = {
    {"CLIPModel defaults", "clip", "CLIPModel", R"({})", 151277313},
    {"CLIPTextModel defaults", "clip_text_model", "CLIPTextModel", R"({})", 63165952},
    {"CLIPTextModelWithProjection defaults", "clip_text_model", "CLIPTextModelWithProjection", R"({})", 63428096},
    {"CLIPVisionModel defaults", "clip_vision_model", "CLIPVisionModel", R"({})", 87456000},
    {"CLIPVisionModelWithProjection defaults", "clip_vision_model", "CLIPVisionModelWithProjection", R"({})", 87849216},
    {"SiglipModel defaults", "siglip", "SiglipModel", R"({})", 203155970},
    {"SiglipTextModel defaults", "siglip_text_model", "SiglipTextModel", R"({})", 110271744},
    {"SiglipVisionModel defaults", "siglip_vision_model", "SiglipVisionModel", R"({})", 92884224},
    {"Siglip2Model defaults", "siglip2", "Siglip2Model", R"({})", 203202050},
    {"Siglip2VisionModel defaults", "siglip2_vision_model", "Siglip2VisionModel", R"({})", 92930304},
    {"Siglip2TextModel defaults", "siglip2_text_model", "Siglip2TextModel", R"({})", 110271744},
    {"DeiTModel defaults", "deit", "DeiTModel", R"({})", 86390784},
    {"DeiTForImageClassification defaults", "deit", "DeiTForImageClassification", R"({})", 85801730},
    {"DeiTForImageClassificationWithTeacher defaults", "deit", "DeiTForImageClassificationWithTeacher", R"({})", 85803268},
    {"ViTModel defaults", "vit", "ViTModel", R"({})", 86389248},
    {"ViTForImageClassification defaults", "vit", "ViTForImageClassification", R"({})", 85800194},
    {"Dinov2Model defaults", "dinov2", "Dinov2Model", R"({})", 85725696},
    {"Dinov2ForImageClassification defaults", "dinov2", "Dinov2ForImageClassification", R"({})", 85728770},
    {"Dinov2WithRegistersModel defaults", "dinov2_with_registers", "Dinov2WithRegistersModel", R"({})", 85820928},
    {"Dinov2WithRegistersForImageClassification defaults", "dinov2_with_registers", "Dinov2WithRegistersForImageClassification", R"({})", 85824002},
    {"DINOv3ViTModel defaults", "dinov3_vit", "DINOv3ViTModel", R"({})", 21595008},
    {"PixtralVisionModel defaults", "pixtral", "PixtralVisionModel", R"({})", 403489792},
    {"InternVLVisionModel defaults", "internvl_vision", "InternVLVisionModel", R"({})", 303938560},
    {"openai/clip-vit-large-patch14", "clip", "CLIPModel", R"({"text_config":{"hidden_size":768,"num_attention_heads":12,"intermediate_size":3072},"vision_config":{"hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"patch_size":14},"projection_dim":768})", 427616513},
    {"siglip, other widths", "siglip", "SiglipModel", R"({"text_config":{"projection_size":1024},"vision_config":{"image_size":384}})", 203644674},
    {"dinov3, gate and registers", "dinov3_vit", "DINOv3ViTModel", R"({"use_gated_mlp":true,"num_register_tokens":4,"key_bias":true,"proj_bias":false,"mlp_bias":false,"query_bias":false})", 28646784},
    {"dinov2, gate", "dinov2_with_registers", "Dinov2WithRegistersModel", R"({"use_swiglu_ffn":true,"image_size":518,"patch_size":14})", 86595840},
    {"both sides of an image", "vit", "ViTForImageClassification", R"({"image_size":[384,384]})", 86092034},
};
// clang-format on

}  // namespace

TEST_CASE("parameters of towers and pairs, to the last one", "[hf_images]") { check_parameters(classes); }

TEST_CASE("a pair counts both halves", "[hf_images]") {
  const transformer clip = model_of("clip", "{}", "CLIPModel");
  CHECK(clip.kind == architecture::encoder);
  CHECK(image_tokens(clip.vision) == 1);
  CHECK(parameters(clip).vision == 87456000);
  CHECK(parameters(clip).projector == 768 * 512);
  CHECK(parameters(clip).other == 512 * 512 + 1);
  // Two for each weight of the text half's 12 layers, and of attention to 77 tokens; no head of tokens.
  CHECK(forward_flops_per_token(clip, 77).total.value() ==
        2.0 * 12 * (4 * 512 * 512 + 2 * 512 * 2048) + 12 * 4.0 * 77 * 512);
  CHECK(forward_flops_per_token(clip, 77).logits.value() == 0);
}

TEST_CASE("encoders without a masked-language head multiply no vocabulary", "[hf_images]") {
  const auto logits = [](const char* type, const char* head) {
    return forward_flops_per_token(model_of(type, "{}", head), 64).logits.value();
  };
  CHECK(logits("siglip_text_model", "SiglipTextModel") == 0);
  CHECK(logits("t5", "T5EncoderModel") == 0);
  CHECK(logits("bert", "BertModel") == 0);
  CHECK(logits("bert", "BertForMaskedLM") > 0);
}

TEST_CASE("heads of towers that cannot be counted are refused", "[hf_images]") {
  const auto refused = [](const char* type, const char* head) {
    return refusal_of([&] { (void)model_of(type, "{}", head); }).message;
  };
  CHECK(says(refused("vit", "ViTForMaskedImageModeling"), "ViTForMaskedImageModeling"));
  CHECK(says(refused("dinov2", "Dinov2ForDepth"), "Dinov2ForDepth"));
  CHECK(says(refused("clip", "StableDiffusionSafetyChecker"), "valid: CLIPModel, CLIPForImageClassification"));
  CHECK(says(refused("clip", "CLIPTextModel"), "architectures is CLIPTextModel"));
  CHECK(says(refused("siglip", "SiglipVisionModel"), "architectures is SiglipVisionModel"));
  CHECK(says(refused("clip_vision_model", "SafetyChecker"), "architectures is SafetyChecker"));
  CHECK(says(refused("clip_text_model", "CLIPModel"), "architectures is CLIPModel"));
}

}  // namespace read_hf_images_tests
