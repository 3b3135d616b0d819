#ifndef TPUPLAN_READ_HF_FOREIGN_HPP
#define TPUPLAN_READ_HF_FOREIGN_HPP

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>

/// @file
/// Files that others write and that are no configuration of transformers, and parts of a configuration that its type
/// says nothing of: both are refused by what they are.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A file without model_type, told by two of its keys.
struct foreign_file {
  std::string_view key;
  std::string_view second;  ///< another key that has to be there; may be the same
  const char* what;
  const char* valid;
};
inline constexpr const char* pipelines_elsewhere =
    "a language model here; generate, simulate, plan, fit, train and risk take images and clips of known classes, and "
    "layers as a network (docs/first_jobs.md)";
inline constexpr const char* saved_by_transformers = "the config.json of a copy that transformers has saved";
inline constexpr std::array<foreign_file, 12> foreign_files{{
    {"_class_name", "_class_name", "a model of diffusers", pipelines_elsewhere},
    {"_diffusers_version", "_diffusers_version", "a model of diffusers", pipelines_elsewhere},
    {"model_index", "model_index", "a pipeline of diffusers", pipelines_elsewhere},
    {"vae", "vae", "a pipeline of diffusers", pipelines_elsewhere},
    {"class_name", "config", "a model of Keras (to_json)",
     "a language model here; model, fit, train and plan read this one"},
    {"peft_type", "peft_type", "an adapter of PEFT (adapter_config.json)", "the config.json of its base model"},
    {"dim", "n_layers", "a file of Meta or Mistral (params.json)", saved_by_transformers},
    {"model_cfg", "model_cfg", "a model of open_clip", saved_by_transformers},
    {"vision_cfg", "text_cfg", "a model of open_clip", saved_by_transformers},
    {"d_model", "ssm_cfg", "a model of mamba_ssm", saved_by_transformers},
    {"architecture", "num_classes", "a model of timm",
     "the config.json of a copy that transformers has saved, or a network as tpuplan.export writes it"},
    {"architecture", "pretrained_cfg", "a model of timm",
     "the config.json of a copy that transformers has saved, or a network as tpuplan.export writes it"},
}};

/// Refuses, by what they are, files that others write and that have no model_type.
inline void refuse_foreign(const json_object& object) {
  for (const foreign_file& each : foreign_files) {
    if (object.has(each.key) && object.has(each.second))
      fail(errc::unsupported, object.path(each.key), each.what, each.valid);
  }
}

/// Keys under which files keep a tower of images or an encoder of sound, as an object or by name.
inline constexpr std::array<std::string_view, 12> keys_of_towers{
    "vision_config", "visual", "vision_tower",  "mm_vision_tower", "vision_cfg",       "embd_layer",
    "audio_config",  "audio",  "speech_config", "audio_cfg",       "image_embd_layer", "audio_embd_layer"};

/// Refuses a tower that the type of a text model says nothing of: GLM-4V is chatglm, Qwen-VL is qwen.
inline void refuse_tower(const json_object& object) {
  for (const std::string_view key : keys_of_towers) {
    if (!object.has(key)) continue;
    const nlohmann::json& given = object.at(key);
    if (!given.is_object() && !given.is_string()) continue;
    fail(errc::unsupported, object.path(key),
         "a part that model_type " + object.string("model_type") + " does not have",
         "absent: without it the language model alone is read");
  }
}

/// The first key that says of a file that it has more than a language model; empty where none does.
inline std::string part_beside_text(const json_object& object) {
  constexpr std::string_view words[] = {"vision", "visual",    "image",     "video",     "audio",  "speech",  "timm",
                                        "former", "projector", "perceiver", "resampler", "talker", "encoder", "wav"};
  for (const auto& [key, value] : object.value().items()) {
    if (value.is_null() || value == false || key == "is_encoder_decoder") continue;
    for (const std::string_view word : words)
      if (key.find(word) != std::string::npos) return key;
  }
  if (!object.has("architectures") || !object.at("architectures").is_array()) return {};
  for (const nlohmann::json& each : object.at("architectures"))
    if (each.is_string() && each.get<std::string>().find("ForCausalLM") == std::string::npos) return "architectures";
  return {};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
