#ifndef TPUPLAN_READ_DIFFUSERS_HPP
#define TPUPLAN_READ_DIFFUSERS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/spelling.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/model/pipeline.hpp>
#include <tpuplan/read/diffusers/autoencoders.hpp>
#include <tpuplan/read/diffusers/clip_autoencoders.hpp>
#include <tpuplan/read/diffusers/fields.hpp>
#include <tpuplan/read/diffusers/image.hpp>
#include <tpuplan/read/diffusers/joint.hpp>
#include <tpuplan/read/diffusers/pipelines.hpp>
#include <tpuplan/read/diffusers/unet.hpp>
#include <tpuplan/read/diffusers/video.hpp>
#include <tpuplan/read/hf.hpp>
#include <utility>
#include <vector>

/// @file
/// Models of images and clips from diffusers' files, as lists of blocks: a whole folder (model_index.json with
/// transformer/ or unet/, vae/ and text_encoder/), or one of its files. Source: the classes under src/diffusers of
/// huggingface/diffusers at 58eb52c080.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A class of denoisers, its reader, and the pipeline that it is taken for where it comes alone: a further one is a
/// row.
struct denoiser_class {
  std::string_view name;
  void (*read)(diffusers_fields&, denoiser_reading&);
  std::string_view pipeline;
};
inline constexpr std::array<denoiser_class, 16> denoiser_classes{{
    {"CogVideoXTransformer3DModel", read_cogvideox, "CogVideoXPipeline"},
    {"DiT", read_dit_original, "DiTPipeline"},
    {"DiTTransformer2DModel", read_dit, "DiTPipeline"},
    {"Flux2Transformer2DModel", read_flux2, "Flux2Pipeline"},
    {"FluxTransformer2DModel", read_flux, "FluxPipeline"},
    {"HunyuanVideoTransformer3DModel", read_hunyuan_video, "HunyuanVideoPipeline"},
    {"LTXVideoTransformer3DModel", read_ltx, "LTXPipeline"},
    {"MochiTransformer3DModel", read_mochi, "MochiPipeline"},
    {"PixArtTransformer2DModel", read_pixart, "PixArtSigmaPipeline"},
    {"QwenImageTransformer2DModel", read_qwen_image, "QwenImagePipeline"},
    {"SD3Transformer2DModel", read_sd3, "StableDiffusion3Pipeline"},
    {"SanaTransformer2DModel", read_sana, "SanaPipeline"},
    {"SiT", read_dit_original, "DiTPipeline"},
    {"UNet2DConditionModel", read_unet, "StableDiffusionPipeline"},
    {"WanTransformer3DModel", read_wan, "WanPipeline"},
    {"ZImageTransformer2DModel", read_z_image, "ZImagePipeline"},
}};

/// A class of autoencoders and its reader: a further one is a row.
struct autoencoder_class {
  std::string_view name;
  void (*read)(diffusers_fields&, autoencoder_reading&);
};
inline constexpr std::array<autoencoder_class, 9> autoencoder_classes{{
    {"AutoencoderDC", read_autoencoder_dc},
    {"AutoencoderKL", read_autoencoder_kl},
    {"AutoencoderKLCogVideoX", read_autoencoder_cogvideox},
    {"AutoencoderKLFlux2", read_autoencoder_flux2},
    {"AutoencoderKLHunyuanVideo", read_autoencoder_hunyuan},
    {"AutoencoderKLLTXVideo", read_autoencoder_ltx},
    {"AutoencoderKLMochi", read_autoencoder_mochi},
    {"AutoencoderKLQwenImage", read_autoencoder_wan},
    {"AutoencoderKLWan", read_autoencoder_wan},
}};

/// The class of an object. Files from before DiT and PixArt had classes of their own name one for both, which its kind
/// of norm tells apart. Source: src/diffusers/models/model_loading_utils.py, _CLASS_REMAPPING_DICT.
inline std::string diffusers_class_of(const json_object& object) {
  std::string type = object.string("_class_name");
  if (type != "Transformer2DModel" || !object.has("norm_type")) return type;
  const std::string norm = object.string("norm_type");
  if (norm == "ada_norm_zero") return "DiTTransformer2DModel";
  return norm == "ada_norm_single" ? "PixArtTransformer2DModel" : type;
}

/// The row of the class of an object; null: there is none.
template <class Row, std::size_t Size>
const Row* find_class(const std::array<Row, Size>& rows, const json_object& object) {
  const std::string type = diffusers_class_of(object);
  for (const Row& each : rows) {
    if (each.name == type) return &each;
  }
  return nullptr;
}

}  // namespace detail

/// The values of `_class_name` that are read. Worked: "WanTransformer3DModel" is among them.
[[nodiscard]] inline std::vector<std::string_view> known_diffusers_classes() {
  std::vector<std::string_view> names;
  for (const detail::autoencoder_class& each : detail::autoencoder_classes) names.push_back(each.name);
  for (const detail::denoiser_class& each : detail::denoiser_classes) names.push_back(each.name);
  return names;
}

namespace detail {

inline constexpr const char* not_stored = "weights are held as the question says";

/// Refuses a key that is a letter away from one which the file does not have, and which took its default.
inline void refuse_misspelt(const json_object& object, const std::vector<assumption>& taken) {
  for (const auto& entry : object.value().items()) {
    const std::string& key = entry.key();
    for (const assumption& each : taken) {
      if (key.size() > each.field.size() + 1 || edit_distance(key, each.field) != 1) continue;
      fail(errc::unknown_name, object.path(key), shown_json(entry.value()), "none: the key is " + each.field);
    }
  }
}

/// Reads the file of a part by its row; what the file leaves open is on record under `prefix`.
template <class Row, std::size_t Size, class Reading>
void read_part(const std::array<Row, Size>& rows, const json_object& object, const std::string& prefix,
               std::vector<assumption>& assumed, Reading& result) {
  const Row* const of = find_class(rows, object);
  if (of == nullptr) {
    std::vector<std::string_view> valid;
    for (const Row& each : rows) valid.push_back(each.name);
    fail_unknown(object.path("_class_name"), object.string("_class_name"), valid);
  }
  std::vector<assumption> found;
  diffusers_fields fields{object, found};
  of->read(fields, result);
  refuse_misspelt(object, found);
  if (object.has("quantization_config")) found.push_back({"quantization_config", "not read", not_stored});
  for (assumption& each : found) each.field.insert(0, prefix);
  assumed.insert(assumed.end(), found.begin(), found.end());
}

/// A denoiser of its file.
inline denoiser_reading read_denoiser(const json_object& object, const std::string& prefix,
                                      std::vector<assumption>& assumed) {
  denoiser_reading result;
  read_part(denoiser_classes, object, prefix, assumed, result);
  result.to.name = find_class(denoiser_classes, object)->name;
  return result;
}

}  // namespace detail

/// A denoiser of a transformer/config.json for examples of that size: patches of the latent image or clip, and tokens
/// of text. What the file leaves open goes to `assumed`; `source` is its name in messages. Worked: {"_class_name":
/// "WanTransformer3DModel"} has 14288491584 parameters, and with 75600 positions (81 frames at 1280 x 720) and 512
/// tokens its forward pass is 6.52 PFLOP.
/// @throws error naming the field for a class or a part that is not supported, and for sizes out of range.
[[nodiscard]] inline blocks::model read_diffusers(const nlohmann::json& document, const latent_size& patches,
                                                  std::int64_t text_positions, std::vector<assumption>& assumed,
                                                  const std::string& source = "config") {
  detail::check_dimension("positions", positions(patches));
  detail::check_dimension("text_positions", text_positions);
  return detail::sized(detail::read_denoiser(json_object{document, source}, "", assumed).to, patches, text_positions,
                       {});
}

namespace detail {

/// Reads the parts of a pipeline from one document that holds them by the names of their folders.
class pipeline_reader {
 public:
  /// `alone` is the name of a file that is the only part; empty: the document holds parts by their names.
  pipeline_reader(const json_object& all, std::vector<assumption>& assumed, std::string alone = {})
      : all_{all}, alone_{std::move(alone)}, assumed_{assumed} {}

  [[nodiscard]] diffusion_pipeline read() {
    if (all_.has("vae") && !all_.has("unet") && !all_.has("transformer")) {  // an autoencoder alone
      read_autoencoder();
      p_.name = p_.decoder.name, p_.latent_channels = vae_channels_;
      return p_;
    }
    const std::string first = all_.has("unet") ? "unet" : "transformer";
    const json_object denoiser = part(first);
    refuse_parts();
    read_class(denoiser);
    read_denoisers(denoiser, first);
    read_few_steps();
    for (const char* each : {"text_encoder", "text_encoder_2", "text_encoder_3", "text_encoder_4"})
      if (all_.has(each)) read_text(each);
    if (all_.has("image_encoder")) p_.image_encoder = language_model("image_encoder");
    return p_;
  }

 private:
  /// Refuses what takes part in each step of a pipeline and is not read. A part that a pipeline does without is null in
  /// its index, or [null, null].
  void refuse_parts() const {
    if (!all_.has("model_index")) return;
    const json_object index = all_.object("model_index");
    for (const char* each : {"controlnet", "adapter", "motion_adapter"}) {
      if (!index.has(each)) continue;
      const nlohmann::json& of = index.value()[each];
      const nlohmann::json& type = of.is_array() && !of.empty() ? of.back() : of;
      if (type.is_null()) continue;
      fail(errc::unsupported, index.path(each), type.is_string() ? type.get<std::string>() : type.dump(),
           "null: what ControlNets and adapters add to a step is not read");
    }
  }
  /// What is usual for the class of the pipeline, or for the one that the denoiser is taken for.
  void read_class(const json_object& denoiser) {
    const std::string given = all_.has("model_index") ? all_.object("model_index").string("_class_name") : "";
    usual_ = find_pipeline_class(given);
    p_.name = std::string_view{given};
    if (usual_ == nullptr) {
      const denoiser_class* const of = find_class(denoiser_classes, denoiser);
      if (of == nullptr)
        fail_unknown(denoiser.path("_class_name"), denoiser.string("_class_name"), known_diffusers_classes());
      usual_ = find_pipeline_class(of->pipeline);
      if (given.empty()) p_.name = of->name;
      assume("pipeline", std::string(usual_->name), given.empty() ? "not stated" : given + " is not known");
    }
    p_.spatial = usual_->spatial, p_.temporal = usual_->temporal;
    p_.text_tokens = usual_->text_tokens, p_.reference_images = usual_->reference_images;
    p_.usual = usual_->usual, p_.usual_steps = usual_->steps, p_.usual_forwards = usual_->forwards;
    if (all_.has("model_index") && all_.object("model_index").flag_or("is_distilled", false)) p_.usual_forwards = 1;
    if (!all_.has("vae")) {
      assume("vae", "none", "not in the file: neither counted nor part of the work");
    } else {
      read_autoencoder();
    }
    if (!all_.has("text_encoder") && p_.text_tokens > 0)
      assume("text_encoder", "none", "not in the file: neither counted nor part of the work");
  }

  void read_autoencoder() {
    autoencoder_reading read;
    const json_object object = part("vae");
    read_part(autoencoder_classes, object, prefix("vae"), assumed_, read);
    if (usual_ == nullptr || usual_->temporal > 1) p_.temporal = read.temporal;  // else it makes single images
    p_.decoder = read.decoder, p_.encoder = read.encoder;
    p_.decoder.name = p_.encoder.name = find_class(autoencoder_classes, object)->name;
    p_.spatial = read.spatial, vae_channels_ = read.latent_channels;
  }

  /// The autoencoder that a denoiser was trained with, where the file has none. That of 16 x 16 pixels has 48 channels:
  /// source: Wan2.2-TI2V-5B, whose class is that of the others.
  void assume_autoencoder(std::int64_t channels) {
    const bool is_coarse = usual_->name.substr(0, 3) == "Wan" && channels == 48;
    if (is_coarse) p_.spatial = 16;
    assume("vae.spatial", std::to_string(p_.spatial),
           is_coarse ? "autoencoder of Wan 2.2 5B, of 48 channels" : "autoencoder of " + std::string(usual_->name));
    if (makes_clips(p_)) assume("vae.temporal", std::to_string(p_.temporal), "likewise");
  }

  void read_denoisers(const json_object& first, const std::string& name) {
    const denoiser_reading one = read_denoiser(first, prefix(name), assumed_);
    if (!all_.has("vae")) assume_autoencoder(one.latent_channels);
    p_.patch = one.patch, p_.patch_frames = one.patch_frames, p_.latent_channels = one.latent_channels;
    p_.guidance_input = one.guidance_input, p_.longest_side = one.longest_side;
    if (is_present(p_.decoder) && vae_channels_ != one.latent_channels)
      fail(errc::invalid_argument, all_.path("vae") + ".latent_channels", vae_channels_,
           std::to_string(one.latent_channels) + ", as the denoiser has them");
    if (p_.usual.width == 0) {
      p_.usual.height = checked_multiply(one.sample, p_.spatial);
      p_.usual.width = one.sample_width > 0 ? checked_multiply(one.sample_width, p_.spatial) : p_.usual.height;
      if (one.sample_frames > 0) p_.usual.frames = one.sample_frames;
    }
    p_.denoisers.add({one.to, 1, is_unet(one) ? "unet" : std::string_view{name}}, "denoisers");
    if (!all_.has("transformer_2")) return;
    const denoiser_reading two = read_denoiser(all_.object("transformer_2"), "transformer_2.", assumed_);
    p_.denoisers.add({two.to, 0, "transformer_2"}, "denoisers");
    const double share = share_of_first();
    p_.denoisers.items[0].share = share, p_.denoisers.items[1].share = 1 - share;
  }

  /// What was distilled to few steps, as its files show: FLUX.1-schnell has no input for guidance, and Z-Image-Turbo a
  /// schedule shifted by 3 where Z-Image has 6. Source: docs/source/en/api/pipelines/{flux,z_image}.md of diffusers (4
  /// steps and at most 256 tokens; 8 evaluations).
  void read_few_steps() {
    if (usual_->name == "FluxPipeline" && !p_.guidance_input) {
      p_.usual_steps = 4, most_tokens_ = p_.text_tokens = 256;
      assume("usual steps", "4", "as FLUX.1-schnell: the transformer has no guidance_embeds");
    }
    if (usual_->name != "ZImagePipeline") return;
    if (all_.has("scheduler") && all_.object("scheduler").has("shift") &&
        all_.object("scheduler").positive_number("shift") < 4.5) {
      p_.usual_steps = 8, p_.usual_forwards = 1;
      assume("usual steps", "8", "as Z-Image-Turbo, whose schedule is shifted by 3: one pass each");
    } else if (!all_.has("scheduler")) {
      assume("usual steps", std::to_string(p_.usual_steps), "as Z-Image; Z-Image-Turbo takes 8 without guidance");
    }
  }

  /// The share of the steps whose noise lies above `boundary_ratio`: they are even in s, and the noise is
  /// shift s / (1 + (shift - 1) s). Source: UniPCMultistepScheduler and WanPipeline.
  [[nodiscard]] double share_of_first() {
    const nlohmann::json nothing = nlohmann::json::object();
    const json_object index =
        all_.has("model_index") ? all_.object("model_index") : json_object{nothing, "model_index"};
    const double boundary = index.number("boundary_ratio");
    if (!(boundary > 0 && boundary < 1))
      fail(errc::out_of_range, index.path("boundary_ratio"), boundary, "a number between 0 and 1");
    double shift = 1;
    if (all_.has("scheduler") && all_.object("scheduler").has("flow_shift")) {
      shift = all_.object("scheduler").positive_number("flow_shift");
    } else {
      assume("scheduler.flow_shift", "1.0", "class default of UniPCMultistepScheduler");
    }
    return 1 - boundary / (shift - (shift - 1) * boundary);
  }

  [[nodiscard]] static bool is_unet(const denoiser_reading& one) { return one.to.name == "UNet2DConditionModel"; }

  void read_text(const std::string& name) {
    const std::size_t at = name.back() == 'r' ? 0 : static_cast<std::size_t>(name.back() - '1');
    const std::int64_t tokens = at < usual_->tokens.size() && usual_->tokens[at] > 0 ? usual_->tokens[at] : 77;
    p_.encoders.add({language_model(name), std::min(tokens, most_tokens_), std::string_view{name}}, "text encoders");
  }

  /// A model of transformers, as its own reader has it.
  [[nodiscard]] blocks::model language_model(const std::string& name) {
    const model_config found = read_hf_config(all_.object(name).value(), all_.path(name));
    for (const assumption& each : found.assumed)
      if (each.field.rfind("quantization_config", 0) != 0)
        assumed_.push_back({prefix(name) + each.field, each.value, each.why});
    if (all_.object(name).has("quantization_config"))
      assume((prefix(name) + "quantization_config").c_str(), "not read", not_stored);
    return model_of(found.model);
  }

  [[nodiscard]] json_object part(const std::string& name) const {
    return alone_.empty() ? all_.object(name) : json_object{all_.at(name), alone_};
  }
  [[nodiscard]] static std::string prefix(const std::string& part) { return part + "."; }
  void assume(const char* field, const std::string& value, const std::string& why) {
    assumed_.push_back({field, value, why});
  }

  const json_object& all_;
  std::string alone_;
  std::vector<assumption>& assumed_;
  const pipeline_class* usual_ = nullptr;
  std::int64_t vae_channels_ = 0, most_tokens_ = std::int64_t{1} << 40;
  diffusion_pipeline p_{};
};

}  // namespace detail

/// A pipeline of one document: an object that holds the files of a folder by their names ("model_index", "transformer"
/// or "unet", "transformer_2", "vae", "text_encoder", "text_encoder_2", "image_encoder", "scheduler"), or a lone
/// transformer or UNet. Parts that are missing stay absent, which goes to `assumed` as all that is left open. Worked:
/// {"_class_name": "WanTransformer3DModel"} has one denoiser, no decoder, and 14288491584 parameters.
/// @throws error naming the field for a class or a part that is not supported, and for sizes out of range.
[[nodiscard]] inline diffusion_pipeline read_pipeline(const nlohmann::json& document, std::vector<assumption>& assumed,
                                                      const std::string& source = "config") {
  const json_object given{document, source};
  if (given.has("model_type"))
    detail::fail(errc::unsupported, "config", given.string("model_type"), "a pipeline or a denoiser of diffusers");
  if (!given.has("_class_name")) return detail::pipeline_reader{given, assumed}.read();
  const std::string part = detail::find_class(detail::autoencoder_classes, given) != nullptr ? "vae" : "transformer";
  const nlohmann::json alone{{part, document}};
  const json_object all{alone, source};
  std::vector<assumption> found;
  const diffusion_pipeline result = detail::pipeline_reader{all, found, source}.read();
  for (assumption& each : found) {
    if (each.field.rfind(part + ".", 0) == 0) each.field.erase(0, part.size() + 1);
    assumed.push_back(each);
  }
  return result;
}

/// The document of a folder of diffusers, or of one of its files: model_index.json and the files of its parts, as
/// `read_pipeline` takes them. Worked: of a folder with unet/config.json alone it is {"unet": ...}.
[[nodiscard]] inline nlohmann::json load_pipeline_document(const std::string& path) {
  constexpr std::string_view index = "model_index.json";
  const bool is_index =
      path.size() >= index.size() && path.compare(path.size() - index.size(), index.size(), index) == 0;
  const std::string at = is_index ? path.substr(0, path.size() - index.size()) + "." : path;
  if (!detail::is_folder(at)) return load_hf_document(path);
  const std::string folder = detail::without_last_slash(at) + "/";
  nlohmann::json all = nlohmann::json::object();
  const auto add = [&](const std::string& part, const std::string& file) {
    if (std::ifstream{folder + file}.good()) all[part] = load_hf_document(folder + file);
  };
  for (const char* part : {"transformer", "transformer_2", "unet", "vae", "text_encoder", "text_encoder_2",
                           "text_encoder_3", "text_encoder_4", "image_encoder"})
    add(part, std::string(part) + "/config.json");
  add("scheduler", "scheduler/scheduler_config.json");
  add("model_index", std::string(index));
  return all.empty() ? load_hf_document(path) : all;
}

/// Whether a document is of diffusers: a file of its own, or one that holds several. Worked: {"_class_name":
/// "AutoencoderKL"} is, {"model_type": "gpt2"} is not.
[[nodiscard]] inline bool is_pipeline(const nlohmann::json& document) {
  if (!document.is_object() || document.contains("model_type") || document.contains("schema")) return false;
  for (const char* part : {"_class_name", "_diffusers_version", "model_index", "transformer", "unet", "vae"})
    if (document.contains(part)) return true;
  return false;
}

/// A pipeline of a folder or a file: `read_pipeline` of `load_pipeline_document`. Worked: a folder of Wan 2.2 has two
/// denoisers.
[[nodiscard]] inline diffusion_pipeline load_pipeline(const std::string& path, std::vector<assumption>& assumed) {
  return read_pipeline(load_pipeline_document(path), assumed, detail::name_of_file(path));
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
