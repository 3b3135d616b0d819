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
#include <tpuplan/read/hf/own_towers.hpp>
#include <tpuplan/read/hf/quantization.hpp>
#include <tpuplan/read/hf/saved.hpp>
#include <tpuplan/read/hf/vision.hpp>
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
struct stack_family {
  std::string_view type;
  void (*read)(config_fields&, transformer&);
};
inline constexpr std::array<stack_family, 35> stack_families{{
    {"t5", read_t5},
    {"mt5", read_t5},
    {"umt5", read_t5},
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

/// A text model with a vision tower, and the types of both where the file does not name them.
struct multimodal_family {
  std::string_view type;
  std::string_view text_type;
  std::string_view vision_type;  ///< empty: a tower of its own, which `project` reads too
  void (*project)(config_fields& top, config_fields& vision, transformer&);
  bool any_parts = false;  ///< other text models and towers may be named
  bool flat_text = false;  ///< the text fields may stand at the top
};
inline constexpr std::array<multimodal_family, 37> multimodal_families{{
    {"gemma3", "gemma3_text", "siglip_vision_model", project_gemma3},
    {"paligemma", "gemma", "siglip_vision_model", project_paligemma, true},
    {"llava", "llama", "clip_vision_model", project_llava, true, true},
    {"llama4", "llama4_text", "llama4_vision_model", project_llama4},
    {"llava_next", "llama", "clip_vision_model", project_llava_tiles, true},
    {"llava_onevision", "qwen2", "siglip_vision_model", project_llava_tiles, true},
    {"internvl", "qwen2", "internvl_vision", project_internvl, true},
    {"idefics3", "llama", "idefics3_vision", project_idefics, true},
    {"smolvlm", "llama", "smolvlm_vision", project_idefics, true},
    {"qwen2_vl", "qwen2_vl_text", "", project_qwen2_vl, false, true},
    {"qwen2_5_vl", "qwen2_5_vl_text", "", project_qwen2_5_vl, false, true},
    {"gemma4", "gemma4_text", "", project_gemma4},
    {"gemma3n", "gemma3n_text", "", project_gemma3n},
    {"qwen3_vl", "qwen3_vl_text", "", project_qwen3_vl},
    {"qwen3_vl_moe", "qwen3_vl_moe_text", "", project_qwen3_vl},
    {"qwen3_5", "qwen3_5_text", "", project_qwen3_vl},
    {"qwen3_5_moe", "qwen3_5_moe_text", "", project_qwen3_vl},
    {"mistral3", "mistral", "pixtral", project_mistral3, true},
    {"mllama", "mllama_text_model", "mllama_vision_model", project_mllama},
    {"vipllava", "llama", "clip_vision_model", project_vipllava, true},
    {"llava_next_video", "llama", "clip_vision_model", project_llava_tiles, true},
    {"aya_vision", "cohere2", "siglip_vision_model", project_gated, true},
    {"cohere2_vision", "cohere2", "siglip_vision_model", project_gated, true},
    {"lfm2_vl", "lfm2", "siglip2_vision_model", project_lfm2_vl, true},
    {"idefics2", "mistral", "idefics2_vision", project_idefics2, true},
    {"aria", "aria_text", "idefics3_vision", project_aria, true},
    {"glm4v", "glm4v_text", "", project_glm4v},
    {"glm46v", "glm4v_text", "", project_glm4v, true},
    {"glm4v_moe", "glm4v_moe_text", "", project_glm4v},
    {"glm_ocr", "glm_ocr_text", "", project_glm4v},
    {"kimi_k25", "deepseek_v3", "", project_kimi, true},
    {"kimi_vl", "deepseek_v3", "", project_kimi, true},
    {"step3p7", "step3p5", "", project_step3p7, false, true},
    {"minimax_m3_vl", "minimax_m3_vl_text", "", project_minimax_m3},
    {"ovis2", "qwen2", "", project_ovis2, true},
    {"paddleocr_vl", "paddleocr_vl_text", "", project_paddleocr, false, true},
    {"internvl_chat", "llama", "", project_internvl_chat, true},
}};

/// The type of a part: the one that the file names, or else the usual one, which goes on record.
inline std::string part_type(config_fields& top, std::string_view part, std::string_view usual, bool any) {
  const std::string field = std::string(part) + ".model_type";
  if (!top.has(part) || !top.object().object(part).has("model_type")) {
    if (any) top.assume(field, std::string(usual), "class default of " + std::string(top.type()));
    return std::string(usual);
  }
  std::string given = top.object().object(part).string("model_type");
  if (!any && given != usual) fail_unknown(top.path(field), given, {usual});
  return given;
}

/// Whether the output head shares the token table. What the whole model says decides, as in its class; where it says
/// nothing the text does, unless it says nothing either and the class has a default of its own. Of LLaVA a text that
/// shares it counts also where the whole says that it does not.
inline bool read_tying(config_fields& top, config_fields& text) {
  constexpr std::string_view field = "tie_word_embeddings";
  const maybe<hf_default> row = top.default_of(field);
  const bool has_own = row && row->kind != default_kind::same_as, both = top.has(field) && text.has(field);
  const bool is_llava = top.type() == "llava" || top.type() == "llava_next_video" || top.type() == "llava_onevision";
  if (both && is_llava && !ties_embeddings(top)) return ties_embeddings(text);
  return top.has(field) || (has_own && !text.has(field)) ? ties_embeddings(top) : ties_embeddings(text);
}

/// The tower, of the named type, and the projector.
inline void read_vision(config_fields& top, const multimodal_family& family, const nlohmann::json& nothing,
                        transformer& model) {
  if (family.vision_type.empty()) {
    const std::string type = std::string(family.type) + ".vision_config";
    config_fields own = part_fields(top, "vision_config", type, nothing);
    family.project(top, own, model);
    return;
  }
  const std::string type = part_type(top, "vision_config", family.vision_type, family.any_parts);
  std::vector<std::string_view> known;
  for (const tower_family& tower : tower_families) {
    known.push_back(tower.type);
    if (tower.type != type && tower.type != type + "_vision") continue;  // the first files have the name of the whole
    config_fields fields = part_fields(top, "vision_config", tower.type, nothing);
    const std::int64_t merge = top.default_of("spatial_merge_size") ? top.count("spatial_merge_size") : 1;
    model.vision = tower.read(fields, merge);
    family.project(top, fields, model);
    return;
  }
  fail_unknown(top.path("vision_config.model_type"), type, std::move(known));
}

/// The language model of the named type, or of the one that its part names where it may be any.
inline void read_text_part(config_fields& top, const std::string& part, std::string_view usual, bool any, bool flat,
                           transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  const std::string type = flat ? std::string(usual) : part_type(top, part, usual, any);
  const auto [text, defaults] = find_text_family(type);
  if (text == nullptr) {
    std::vector<std::string_view> known;
    for (const text_family& each : text_families) known.push_back(each.type);
    fail_unknown(top.path(part + ".model_type"), type, std::move(known));
  }
  config_fields fields = flat ? config_fields{top.object(), top.prefix(), defaults, top.record()}
                              : part_fields(top, part, defaults, nothing);
  if (top.type() == "voxtral") fields.set_first_defaults("voxtral.text_config");  // also where the file has the part
  read_decoder(fields, *text, model);
  if (top.type() == "paligemma")
    fields.looked_for("use_bidirectional_attention");  // of the prompt, which its class always says
  else
    read_direction(fields, model);
  model.tied_embeddings = read_tying(top, fields);
}

/// Refuses a layer of the tower that is none: outputs count from the embeddings on, or back from the last.
inline void check_feature_layer(const config_fields& top, const transformer& model) {
  constexpr std::string_view field = "vision_feature_layer";
  if (!top.has(field)) return;
  const nlohmann::json& given = top.object().at(field);
  if (given.is_array()) fail(errc::unsupported, top.path(field), shown_json(given), "one layer");
  const std::int64_t layer = whole_number(given, [&] { return top.path(field); }), all = model.vision.layers;
  if (layer < -all - 1 || layer > all)
    fail(errc::out_of_range, top.path(field), layer,
         std::to_string(-all - 1) + " to " + std::to_string(all) + ", of the tower's layers");
}

inline void read_multimodal(config_fields& top, const multimodal_family& family, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  const bool older = family.text_type != "llama" || top.has("hidden_size");  // LLaVA's first files are flat
  const bool flat = family.flat_text && !top.has("text_config") && older;
  const char* part = top.has("llm_config") && !top.has("text_config") ? "llm_config" : "text_config";
  read_text_part(top, part, family.text_type, family.any_parts, flat, model);
  // The class would build its default tower, whose output is as wide as its default text model and not as this one.
  const bool is_text_alone = top.has("text_config") && (top.type() == "gemma3" || top.type().substr(0, 4) == "qwen");
  if ((is_text_alone || top.type() == "llama4" || (flat && top.type() == "step3p7" && top.has("hidden_size"))) &&
      !top.has("vision_config")) {
    top.assume("vision_config", "none", "not in the file: its language model alone is counted");
    return;
  }
  read_vision(top, family, nothing, model);
  check_feature_layer(top, model);
}

/// A language model that hears: Qwen2-Audio, Voxtral.
inline void read_hearing(config_fields& top, transformer& model) {
  read_text_part(top, "text_config", top.type() == "voxtral" ? "llama" : "qwen2", true, false, model);
  project_sound(top, model);
}

/// Fuyu: one matrix with a bias makes tokens of the patches of an image.
inline void read_fuyu(config_fields& top, transformer& model) {
  read_text_part(top, "text_config", "persimmon", true, !top.has("text_config"), model);
  const std::int64_t side = top.count("patch_size");
  const std::int64_t weights =
      biased(checked_multiply(checked_multiply(side, side), top.count("num_channels")), model.d_model);
  model.other_weights = checked_add(model.other_weights, weights);
  say_weights_alone(top, "vision_embed_tokens", weights);
}

/// Phi-3-Vision: the fields of its language model, Phi-3, stand at the top.
inline void read_phi3_v(config_fields& top, transformer& model) {
  read_text_part(top, "", "phi3", false, true, model);
  project_phi3_v(top, model);
}

/// Models whose language model comes with an encoder of another kind.
inline constexpr std::array<stack_family, 4> hearing_families{
    {{"qwen2_audio", read_hearing}, {"voxtral", read_hearing}, {"phi3_v", read_phi3_v}, {"fuyu", read_fuyu}}};

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
