#ifndef TPUPLAN_READ_HF_HPP
#define TPUPLAN_READ_HF_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/json/file.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/audio.hpp>
#include <tpuplan/read/hf/encoders.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/files.hpp>
#include <tpuplan/read/hf/foreign.hpp>
#include <tpuplan/read/hf/images.hpp>
#include <tpuplan/read/hf/language.hpp>
#include <tpuplan/read/hf/multimodal.hpp>
#include <tpuplan/read/hf/quantization.hpp>
#include <tpuplan/read/hf/saved.hpp>
#include <utility>
#include <vector>

/// @file
/// A Hugging Face config.json as a `transformer`. Fields that the file leaves out take the default of their class in
/// the transformers library and are listed; what the model structs cannot describe is refused by name and never
/// miscounted.

namespace tpuplan {
inline namespace abi_0 {

/// A model read from a config.json, and what the file did not say about it.
struct model_config {
  transformer model;                    ///< what the file describes
  std::string model_type;               ///< as the file has it
  std::vector<assumption> assumed;      ///< fields that took a default, and what was made of others
  stored_format stored{};               ///< formats of the weights beside the file
  std::vector<std::string> not_read{};  ///< fields of the file that nothing here depends on, in its order
};

namespace detail {

/// A known type that cannot be counted, because no field of `transformer` describes a part of it.
struct uncounted_type {
  std::string_view type;
  std::string_view what;
};
inline constexpr std::string_view convolutions = "convolutions between its layers";
inline constexpr std::array<uncounted_type, 2> uncounted_types{{
    {"swin", convolutions},
    {"convnext", convolutions},
}};

/// Models that are neither a plain decoder nor an encoder nor multimodal.
inline constexpr std::array<stack_family, 36> stack_families{{
    {"t5", read_t5},
    {"mt5", read_t5},
    {"umt5", read_t5},
    {"t5gemma", read_t5gemma},
    {"bart", read_bart},
    {"mbart", read_bart},
    {"plbart", read_bart},
    {"mvp", read_bart},
    {"blenderbot", read_bart},
    {"blenderbot-small", read_bart},
    {"pegasus", read_bart},
    {"marian", read_bart},
    {"m2m_100", read_bart},
    {"whisper", read_whisper},
    {"modernbert", read_modernbert},
    {"vit", read_vit},
    {"deit", read_vit},
    {"dinov2", read_dinov2},
    {"dinov2_with_registers", read_dinov2},
    {"dinov3_vit", read_dinov3},
    {"clip", read_clip_model},
    {"clip_text_model", read_pair_text},
    {"clip_vision_model", read_tower_alone},
    {"siglip", read_siglip_model},
    {"siglip_text_model", read_pair_text},
    {"siglip_vision_model", read_tower_alone},
    {"siglip2", read_siglip_model},
    {"siglip2_text_model", read_pair_text},
    {"siglip2_vision_model", read_tower_alone},
    {"pixtral", read_tower_alone},
    {"internvl_vision", read_tower_alone},
    {"esm", read_esm},
    {"eurobert", read_eurobert},
    {"wav2vec2", read_speech},
    {"hubert", read_speech},
    {"wavlm", read_speech},
}};

}  // namespace detail

/// Every `model_type` that can be read: decoders first, then encoders and other stacks, then those with a vision tower.
/// Worked: "llama" is among them.
[[nodiscard]] inline std::vector<std::string_view> known_model_types() {
  std::vector<std::string_view> names;
  for (const detail::text_family& family : detail::text_families) names.push_back(family.type);
  for (const detail::other_name& other : detail::other_names) names.push_back(other.type);
  for (const detail::encoder_family& family : detail::encoder_families) names.push_back(family.type);
  for (const detail::stack_family& family : detail::stack_families) names.push_back(family.type);
  for (const detail::multimodal_family& family : detail::multimodal_families) names.push_back(family.type);
  for (const detail::stack_family& family : detail::hearing_families) names.push_back(family.type);
  return names;
}

namespace detail {

/// The language model inside of a model whose type is not known, where the file has no more than that. Parts beside it
/// would not be counted: they are refused. Nothing is read where the file has no language model of a known type.
inline bool read_language_part(const json_object& object, const std::string& prefix, config_record& record,
                               model_config& result) {
  constexpr std::string_view parts[] = {"text_config", "llm_config", "language_config", "thinker_config"};
  for (const std::string_view part : parts) {
    if (!object.has(part) || !object.at(part).is_object()) continue;
    const json_object inner = object.object(part);
    const bool thinks = part == parts[3];
    const named_family text =
        thinks || !inner.has("model_type") ? named_family{} : find_text_family(inner.string("model_type"));
    if (text.row == nullptr && !thinks) continue;
    if (const std::string beside = part_beside_text(object); !beside.empty())
      fail(errc::unsupported, object.path(beside), "of " + result.model_type + ", a type that is not known",
           "what stands under " + std::string(part) + " as a file of its own: its language model alone");
    if (thinks && read_language_part(inner, prefix + std::string(part) + ".", record, result)) return true;
    if (thinks) continue;
    config_fields fields{inner, prefix + std::string(part) + ".", text.defaults, record};
    read_decoder(fields, *text.row, result.model);
    read_direction(fields, result.model);
    result.model.tied_embeddings = ties_embeddings(fields);
    record.assumed.push_back(
        {"model_type", result.model_type, "not known: its language model is counted, which is all that the file has"});
    return true;
  }
  return false;
}

/// Reads a model of the type that the file names, or refuses it with the types that can be read.
inline void read_model(const json_object& object, config_record& record, model_config& result) {
  const std::string& type = result.model_type;
  const auto fields = [&](std::string_view name) { return config_fields{object, "", name, record}; };
  if (const auto [family, defaults] = find_text_family(type); family != nullptr) {
    refuse_tower(object);
    config_fields f = fields(defaults);
    read_decoder(f, *family, result.model);
    read_direction(f, result.model);
    result.model.tied_embeddings = ties_embeddings(f);
    return read_causal_head(f, result.model);
  }
  for (const encoder_family& family : encoder_families) {
    if (family.type != (type == "gte" ? "new" : type)) continue;
    config_fields f = fields(family.type);
    return read_encoder(f, family, result.model);
  }
  for (const stack_family& family : stack_families) {
    if (family.type != type) continue;
    config_fields f = fields(family.type);
    family.read(f, result.model);
    return refuse_other_class(f, result.model);
  }
  for (const stack_family& family : hearing_families) {
    if (family.type != type) continue;
    config_fields f = fields(family.type);
    family.read(f, result.model);
    return read_causal_head(f, result.model);
  }
  for (const multimodal_family& family : multimodal_families) {
    if (family.type != type) continue;
    config_fields f = fields(family.type);
    read_multimodal(f, family, result.model);
    if (class_of(f) == "MllamaForCausalLM")
      fail(errc::unsupported, f.path("architectures"), "MllamaForCausalLM", "the type mllama_text_model, which it has");
    return read_causal_head(f, result.model);
  }
  for (const uncounted_type& each : uncounted_types) {
    if (each.type != type) continue;
    fail(errc::unsupported, object.path("model_type"), type, "a type without " + std::string(each.what));
  }
  if (read_language_part(object, "", record, result)) return;
  const std::vector<std::string_view> known = known_model_types();
  std::string valid = listed_nearest(known, type);
  std::size_t end = 0;
  for (int listed = 0; listed < 10; ++listed)
    end = valid.find(',', end) + 1;  // a message with all types would be too long
  valid.resize(end);
  fail(errc::unknown_name, object.path("model_type"), type,
       valid + " " + std::to_string(known.size() - 10) + " other types, or a transformer filled in by hand");
}

/// A type or the beginning of a class's name, in small letters and digits alone: "Qwen3_5ForCausalLM" is qwen35.
inline std::string plain_name(std::string_view name) {
  for (const std::string_view ending : {"For", "LMHead", "Model", "_model", "_text"}) {
    name = name.substr(0, std::min(name.size(), name.find(ending)));
  }
  std::string plain;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') plain += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) plain += c;
  }
  return plain;
}

/// Records where `architectures` names the class of another type with other layers: `model_type` decides.
inline void say_other_class(config_fields& fields, std::string_view type) {
  const std::string name = class_of(fields), plain = plain_name(name);
  const text_family* own = find_text_family(type).row;
  if (own == nullptr || plain == plain_name(type)) return;
  for (const text_family& other : text_families) {
    if (plain_name(other.type) != plain) continue;
    const bool alike = other.traits == own->traits && other.experts == own->experts && other.rest == own->rest &&
                       other.mixers == own->mixers && other.norms_per_layer == own->norms_per_layer;
    if (alike) return;
    fields.assume("architectures", name,
                  "the class of " + std::string(other.type) + ": counted as the model_type says");
    return;
  }
}

/// Records the parameters of multi-token prediction modules that the file names and its class does not build.
inline void say_prediction(config_fields& fields, const transformer& model) {
  if (model.prediction_layers > 0 || model.kind != architecture::decoder) return;
  for (const std::string_view field : {"num_nextn_predict_layers", "mtp_num_hidden_layers"}) {
    const std::int64_t modules = fields.count_or(field, 0);
    if (modules <= 0 || modules > 1024) continue;
    transformer with = model;
    with.prediction_layers = modules;
    fields.assume(field, "0",
                  "the class builds no module that predicts further tokens: " +
                      std::to_string(parameters(with).prediction) + " parameters");
  }
}

}  // namespace detail

/// Reads a parsed config.json; `source` is its name in messages. The model takes the name of its type. Worked:
/// {"model_type": "gpt2"} has 124439808 parameters and 8 assumptions.
/// @throws error naming the field (`config.num_key_value_heads`) for anything missing without a default, of the wrong
/// type or size, contradictory, or beyond what the model structs can describe.
[[nodiscard]] inline model_config read_hf_config(const nlohmann::json& given, std::string_view source = "config") {
  nlohmann::json config = given;
  if (config.is_object()) detail::put_one_name(config, std::string(source));
  const json_object object{config, std::string(source)};
  if (!object.has("model_type")) {
    detail::refuse_foreign(object);
    detail::fail(errc::missing_field, object.path("model_type"), "missing",
                 detail::listed_nearest(known_model_types(), ""));
  }
  model_config result;
  result.model_type = object.string("model_type");
  detail::config_record record;
  detail::read_model(object, record, result);
  result.model.name = std::string_view(result.model_type);
  validate(result.model);
  detail::config_fields top{object, "", result.model_type, record};
  result.stored = detail::read_stored_format(top, result.model);
  detail::say_prediction(top, result.model);
  detail::say_other_class(top, result.model_type);
  result.assumed = std::move(record.assumed);
  detail::list_not_read(config, "", record.asked, result.not_read);
  return result;
}

/// Reads a parsed config.json that came from `path`. The model is named as its "_name_or_path" ends, else after the
/// file, or after its type if that came through a pipe. Worked: {"model_type": "gpt2"} from "mine.json" is GPT-2 with
/// 124439808 parameters, named "mine".
[[nodiscard]] inline model_config read_hf_file(const nlohmann::json& config, const std::string& path) {
  const std::string file = detail::name_of_file(path), own = detail::own_name(config);
  model_config result = read_hf_config(config, file);
  const bool is_pipe = file == "stdin" || file.find_first_not_of("0123456789") == std::string::npos;
  if (!own.empty() || !is_pipe) result.model.name = std::string_view(own.empty() ? file : own);
  if (!own.empty())
    result.not_read.erase(std::remove(result.not_read.begin(), result.not_read.end(), "_name_or_path"),
                          result.not_read.end());
  return result;
}

/// Compares the count with the index of the weights beside the configuration (model.safetensors.index.json), if there
/// is one, and lists a difference under `assumed`. Quantised weights are compared to 1 % only, because their biases and
/// norms are not counted. Worked: of data/models/llama-3.1-8b.json, which has none, nothing is said.
inline void compare_with_index(const std::string& path, model_config& config) {
  const detail::weight_index index = detail::load_weight_index(path);
  const parameter_count count = parameters(config.model);
  const auto say = [&](const char* field, double found, double counted, const char* unit) {
    const auto number = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
    const double more = found - counted;
    config.assumed.push_back({std::string("model.safetensors.index.json metadata.") + field, number(found),
                              number(std::fabs(more)) + unit + (more > 0 ? " more" : " fewer") + " than the " +
                                  number(counted) +
                                  " that are counted: copies of tied weights, modules for further "
                                  "tokens, buffers or another format"});
  };
  const double size = stored_bytes(count, config.stored.weights, config.stored.parts).value();
  const double slack = any_part(config.stored.parts) ? 0.01 * size : 0;
  if (index.parameters > 0 && !any_part(config.stored.parts) && index.parameters != count.total)
    say("total_parameters", static_cast<double>(index.parameters), static_cast<double>(count.total), " parameters");
  else if (index.bytes > 0 && std::fabs(static_cast<double>(index.bytes) - size) > slack)
    say("total_size", static_cast<double>(index.bytes), size, " bytes");
}

/// Reads a parsed config.json that came from the file or folder `path`, and compares the count with the index of the
/// weights beside it (model.safetensors.index.json); a difference is listed under `assumed`. Worked: {"model_type":
/// "gpt2"} has 124439808 parameters.
[[nodiscard]] inline model_config read_hf_document(const nlohmann::json& document, const std::string& path) {
  model_config result = read_hf_file(document, path);
  compare_with_index(path, result);
  return result;
}

/// Reads a config.json of at most 64 MiB, or the one in a folder, as `load_hf_document` and `read_hf_document` do.
/// Worked: data/models/llama-3.1-8b.json has 8030261248 parameters and the name "llama-3.1-8b".
[[nodiscard]] inline model_config load_hf_config(const std::string& path) {
  return read_hf_document(load_hf_document(path), path);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
