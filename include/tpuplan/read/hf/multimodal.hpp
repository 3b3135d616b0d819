#ifndef TPUPLAN_READ_HF_MULTIMODAL_HPP
#define TPUPLAN_READ_HF_MULTIMODAL_HPP

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/audio.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/heads.hpp>
#include <tpuplan/read/hf/language.hpp>
#include <tpuplan/read/hf/own_towers.hpp>
#include <tpuplan/read/hf/vision.hpp>
#include <utility>
#include <vector>

/// @file
/// Language models of Hugging Face configurations with towers of images and encoders of sound beside them.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

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

/// Phi-4-multimodal: as Phi-3-Vision, and it hears.
inline void read_phi4mm(config_fields& top, transformer& model) {
  read_text_part(top, "", "phi3", false, true, model);
  project_phi4(top, model);
}

/// MiniCPM-V: `version` says which language model stands at the top.
inline void read_minicpm_v(config_fields& top, transformer& model) {
  const double version = top.number_or("version", 0);
  if (version != 2.6 && version != 4.5)
    fail(errc::unsupported, top.path("version"), version == 0 ? "missing" : shown_json(top.object().at("version")),
         "2.6, 4.5");
  read_text_part(top, "", version == 2.6 ? "qwen2" : "qwen3", false, true, model);
  project_minicpm_v(top, model);
}

/// Molmo: Qwen2 with norms and biases by choice, twice the width of the MLP, and further rows of the token table.
inline void read_molmo(config_fields& top, transformer& model) {
  if (top.count_or("moe_num_experts", 0) > 0)
    fail(errc::unsupported, top.path("moe_num_experts"), top.count("moe_num_experts"), "absent: no mixture of experts");
  read_text_part(top, "", "qwen2", false, true, model);
  model.vocab = top.count("embedding_size");
  model.extra_input_rows = 128;
  model.attention.qkv_bias = top.flag("qkv_bias");
  model.attention.wide_qk_norm = top.flag("attention_layer_norm");
  if (model.mlp.d_ff % 2 != 0)
    fail(errc::not_divisible, top.path("intermediate_size"), model.mlp.d_ff, "an even number");
  model.mlp.d_ff /= 2;
  project_molmo(top, model);
}

/// DeepSeek-VL2 and DeepSeek-OCR.
inline void read_deepseek_vl(config_fields& top, transformer& model) {
  read_text_part(top, "language_config", "deepseek_v2", true, false, model);
  const json_object text = top.inside("language_config");
  model.moe.router_bias = text.has("topk_method") && text.at("topk_method") == "noaux_tc";
  project_deepseek_vl(top, model);
}

/// Qwen3-Omni: the thinker, which sees and hears, and the talker where the file has one.
inline void read_omni(config_fields& top, transformer& model) {
  const nlohmann::json nothing = nlohmann::json::object();
  config_fields thinker = part_fields(top, "thinker_config", "qwen3_omni_moe_thinker", nothing);
  read_text_part(thinker, "text_config", "qwen3_omni_moe_text", false, false, model);
  project_omni(thinker, model);
  if (!top.has("talker_config") || !top.flag_or("enable_audio_output", true)) return;
  config_fields talker = part_fields(top, "talker_config", "", nothing);
  config_fields voice = part_fields(top, "code2wav_config", "", nothing);
  put_sound(top, "talker_config", checked_add(omni_talker(talker), omni_voice(voice)), model, "what speaks");
}

/// A type whose model is read as a whole.
struct stack_family {
  std::string_view type;
  void (*read)(config_fields&, transformer&);
};

/// Models whose language model comes with an encoder of another kind.
inline constexpr std::array<stack_family, 9> hearing_families{{
    {"qwen2_audio", read_hearing},
    {"voxtral", read_hearing},
    {"phi3_v", read_phi3_v},
    {"fuyu", read_fuyu},
    {"phi4mm", read_phi4mm},
    {"minicpmv", read_minicpm_v},
    {"molmo", read_molmo},
    {"deepseek_vl_v2", read_deepseek_vl},
    {"qwen3_omni_moe", read_omni},
}};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
