#ifndef TPUPLAN_READ_HF_LANGUAGE_HPP
#define TPUPLAN_READ_HF_LANGUAGE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/experts.hpp>
#include <tpuplan/read/hf/fields.hpp>
#include <tpuplan/read/hf/gemma.hpp>
#include <tpuplan/read/hf/hybrids.hpp>
#include <tpuplan/read/hf/mamba.hpp>
#include <tpuplan/read/hf/single.hpp>
#include <tpuplan/read/hf/sparse.hpp>
#include <tpuplan/read/hf/uneven_layers.hpp>

/// @file
/// The text models of Hugging Face configurations. What a configuration does not say (which norms and biases there are)
/// is from the modelling files of transformers.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A switch that no field of the configuration turns.
inline constexpr std::string_view always = "always";

/// Which matrices have biases: each is the name of the field that says so, `always`, or empty for never.
struct bias_fields {
  std::string_view qkv{};     ///< of queries, keys and values
  std::string_view output{};  ///< behind attention
  std::string_view mlp{};
  std::string_view head{};  ///< the output head
};
inline constexpr std::string_view of_attention = "attention_bias";
inline constexpr bias_fields attention_biases{of_attention, of_attention};
inline constexpr bias_fields llama_biases{of_attention, of_attention, "mlp_bias"};
inline constexpr bias_fields qkv_biases{always};
inline constexpr bias_fields use_bias{"use_bias", "use_bias", "use_bias"};
inline constexpr bias_fields all_biases{always, always, always};

/// What makes the layers of a type other than those of Llama; they add up.
enum decoder_trait : unsigned {
  windows = 1,            ///< `sliding_window` counts
  head_norms = 2,         ///< norms of queries and keys, over each head
  wide_norms = 4,         ///< norms of queries and keys, over all heads at once
  layer_norm = 8,         ///< norms have biases
  ungated = 16,           ///< two matrices in the MLP
  position_table = 32,    ///< learned positions
  embedding_norms = 64,   ///< a norm right behind the embeddings
  no_norm_weights = 128,  ///< norms have no weights
  no_attention = 256,     ///< no layer has heads
  gated_output = 512,     ///< a gate on the output of attention
};

/// What the configuration of a decoder does not say but its modelling file does. A type like another is a row here, and
/// the defaults of its class in data/hf_defaults.json.
struct text_family {
  std::string_view type;
  bias_fields biases{};
  unsigned traits = 0;                                      ///< of `decoder_trait`
  std::int64_t norms_per_layer = 2;                         ///< as wide as the model
  void (*experts)(config_fields&, transformer&) = nullptr;  ///< null: no mixture of experts
  void (*rest)(config_fields&, transformer&) = nullptr;     ///< what only this type has
  void (*mixers)(config_fields&, transformer&) = nullptr;   ///< layers other than those of attention; reads layer_types
};

inline constexpr std::array<text_family, 157> text_families{{
    {"llama", llama_biases},
    {"mistral", {}, windows},
    {"mixtral", {}, windows, 2, read_mixtral_experts},
    {"gemma", attention_biases},
    {"gemma2", attention_biases, windows, 4},
    {"gemma3_text", attention_biases, windows + head_norms, 4},
    {"qwen2", qkv_biases, windows},
    {"qwen3", attention_biases, windows + head_norms},
    {"qwen2_moe", {"qkv_bias"}, windows, 2, read_qwen_experts},
    {"qwen3_moe", attention_biases, windows + head_norms, 2, read_qwen_experts},
    {"deepseek_v2", {}, 0, 2, read_deepseek_experts},
    {"deepseek_v3", {}, 0, 2, read_deepseek_v3_experts},
    {"kimi_k2", {}, 0, 2, read_deepseek_v3_experts},
    {"gpt_oss", attention_biases, windows, 2, read_gpt_oss_experts},
    {"qwen2_vl_text", qkv_biases, windows},
    {"qwen2_5_vl_text", qkv_biases, windows},
    {"qwen3_vl_text", attention_biases, head_norms},
    {"qwen3_vl_moe_text", attention_biases, head_norms, 2, read_qwen_experts},
    {"mllama_text_model"},
    {"phi3", {}, windows},
    {"granite", llama_biases},
    {"smollm3", llama_biases},
    {"ministral", {}, windows},
    {"helium", {of_attention, {}, "mlp_bias"}, 0, 2, nullptr, read_helium},
    {"arcee", llama_biases, ungated},
    {"apertus", attention_biases, head_norms + ungated, 2, nullptr, read_apertus},
    {"ernie4_5", use_bias},
    {"glm", {of_attention}},
    {"glm4", {of_attention}, 0, 4},
    {"seed_oss", {of_attention, "attention_out_bias", "mlp_bias"}},
    {"exaone4", {}, windows + head_norms},
    {"hunyuan_v1_dense", attention_biases, head_norms},
    {"olmo", attention_biases, no_norm_weights},
    {"olmo2", attention_biases, wide_norms},
    {"olmo3", attention_biases, windows + wide_norms},
    {"cohere", attention_biases, 0, 1, nullptr, read_cohere},
    {"cohere2", attention_biases, windows, 1},
    {"nemotron", llama_biases, layer_norm + ungated},
    {"starcoder2", use_bias, windows + layer_norm + ungated},
    {"stablelm", {"use_qkv_bias"}, layer_norm, 2, nullptr, read_stablelm},
    {"phi", {always, always, always, always}, layer_norm + ungated, 1, nullptr, read_biased_head_norms},
    {"gpt2", all_biases, layer_norm + ungated + position_table, 2, nullptr, read_gpt2},
    {"gpt_bigcode", all_biases, layer_norm + ungated + position_table, 2, nullptr, read_multi_query},
    {"gpt_neo", {{}, always, always}, layer_norm + ungated + position_table, 2, nullptr, read_gpt_neo},
    {"gpt_neox", {of_attention, of_attention, always}, layer_norm + ungated},
    {"gptj", {{}, {}, always, always}, layer_norm + ungated, 1},
    {"codegen", {{}, {}, always, always}, layer_norm + ungated, 1},
    {"bloom", all_biases, layer_norm + ungated + embedding_norms},
    {"mpt", {}, ungated, 2, nullptr, read_mpt},
    {"opt", {"enable_bias", "enable_bias", "enable_bias"}, layer_norm + ungated + position_table, 2, nullptr, read_opt},
    {"falcon", {"bias", "bias", "bias"}, layer_norm + ungated, 2, nullptr, read_falcon},
    {"phimoe", {of_attention, of_attention, {}, "lm_head_bias"}, windows + layer_norm, 2, read_mixtral_experts},
    {"olmoe", attention_biases, wide_norms, 2, read_mixtral_experts},
    {"flex_olmo", attention_biases, wide_norms, 2, read_mixtral_experts},
    {"granitemoe", attention_biases, 0, 2, read_mixtral_experts},
    {"granitemoeshared", attention_biases, 0, 2, read_shared_granite_experts},
    {"minimax_m2", {}, wide_norms, 2, read_corrected_experts},
    {"glm4_moe", {of_attention}, 0, 2, read_deepseek_v3_experts, read_glm4_moe},
    {"dbrx", {}, 0, 2, read_dbrx_experts},
    {"dots1", attention_biases, windows + head_norms, 2, read_deepseek_v3_experts},
    {"ernie4_5_moe", {"use_bias", "use_bias", "use_bias"}, 0, 2, read_ernie_experts},
    {"hunyuan_v1_moe", attention_biases, head_norms, 2, read_hunyuan_experts},
    {"llama4_text", attention_biases, windows, 2, read_llama4_experts, read_llama4},
    {"mamba", {}, no_attention, 1, nullptr, nullptr, read_mamba},
    {"falcon_mamba", {}, no_attention, 1, nullptr, nullptr, read_mamba},
    {"mamba2", {}, no_attention, 1, nullptr, nullptr, read_mamba2},
    {"jamba", {}, 0, 2, read_jamba_experts, nullptr, read_jamba},
    {"bamba", llama_biases, 0, 2, nullptr, nullptr, read_bamba},
    {"falcon_h1", llama_biases, 0, 2, nullptr, nullptr, read_falcon_h1},
    {"granitemoehybrid", attention_biases, 0, 2, read_granite_hybrid_experts, nullptr, read_granite_hybrid},
    {"nemotron_h", llama_biases, ungated, 1, read_nemotron_experts, nullptr, read_nemotron_h},
    {"qwen3_next", attention_biases, head_norms, 2, read_qwen_experts, nullptr, read_gated_delta},
    {"qwen3_5_text", attention_biases, head_norms, 2, nullptr, nullptr, read_gated_delta},
    {"qwen3_5_moe_text", attention_biases, head_norms, 2, read_qwen_experts, nullptr, read_gated_delta},
    {"kimi_linear", {}, 0, 2, read_kimi_experts, nullptr, read_kimi_linear},
    {"minimax", {}, 0, 2, read_mixtral_experts, nullptr, read_minimax},
    {"minimax_text_01", {}, 0, 2, read_mixtral_experts, nullptr, read_minimax},
    {"minimax_m1", {}, 0, 2, read_mixtral_experts, nullptr, read_minimax},
    {"recurrent_gemma", {of_attention, always, always}, 0, 2, nullptr, nullptr, read_recurrent_gemma},
    {"rwkv", {}, layer_norm + ungated + embedding_norms + no_attention, 2, nullptr, nullptr, read_rwkv},
    {"xlstm", {}, no_attention, 2, nullptr, nullptr, read_xlstm},
    {"lfm2", {}, head_norms, 2, nullptr, nullptr, read_lfm2},
    {"lfm2_moe", {}, head_norms, 2, read_lfm2_experts, nullptr, read_short_convolutions},
    {"deepseek_v32", {}, 0, 2, read_deepseek_v3_experts, nullptr, read_indexer},
    {"glm_moe_dsa", {}, 0, 2, read_deepseek_v3_experts, nullptr, read_indexer},
    {"mimo", qkv_biases, windows, 2, nullptr, read_mimo},
    {"gemma3n_text", attention_biases, windows + head_norms, 4, read_gemma3n_mlp, read_gemma3n},
    {"gemma4_text", attention_biases, windows + head_norms, 4, read_gemma4_experts, read_gemma4},
    {"vaultgemma", attention_biases, windows},
    {"ministral3", {}, windows},
    {"cwm", {of_attention, of_attention, "mlp_bias"}, windows},
    {"jais2", llama_biases, layer_norm + ungated},
    {"nanochat", attention_biases, no_norm_weights + ungated},
    {"bitnet", attention_biases, 0, 2, nullptr, read_bitnet},
    {"diffllama", attention_biases, 0, 2, nullptr, read_diffllama},
    {"hyperclovax", llama_biases, 0, 2, nullptr, read_hyperclovax},
    {"minicpm3", {}},
    {"persimmon", {always, always, always}, layer_norm + ungated, 2, nullptr, read_biased_head_norms},
    {"xglm", all_biases, layer_norm + ungated},
    {"biogpt", all_biases, layer_norm + ungated + position_table, 2, nullptr, read_biogpt},
    {"openai-gpt", all_biases, layer_norm + ungated + position_table, 2, nullptr, read_gpt},
    {"mistral4", {}, 0, 2, read_deepseek_experts},
    {"solar_open", {of_attention}, 0, 2, read_deepseek_v3_experts},
    {"glm4_moe_lite", {}, 0, 2, read_deepseek_v3_experts},
    {"axk1", {}, 0, 2, read_deepseek_v3_experts, read_axk1},
    {"afmoe", attention_biases, windows + head_norms + gated_output, 4, read_afmoe_experts},
    {"exaone_moe", {}, windows + head_norms, 2, read_exaone_experts},
    {"hy_v3", attention_biases, head_norms, 2, read_exaone_experts},
    {"longcat_flash", {}, 0, 2, read_longcat},
    {"deepseek_v4", {}, 0, 2, read_deepseek_v4_experts, nullptr, read_deepseek_v4},
    {"mimo_v2_flash", {of_attention}, 0, 2, read_mimo_v2_experts, nullptr, read_mimo_v2},
    {"gemma4_unified_text", attention_biases, windows + head_norms, 4, nullptr, read_gemma4_unified},
    {"glm4v_text", qkv_biases, 0, 4},
    {"glm4v_moe_text", {of_attention}, 0, 2, read_deepseek_v3_experts},
    {"glm_ocr_text", {}, 0, 4},
    {"qwen2_5_omni_text", qkv_biases, windows},
    {"qwen3_omni_moe_text", attention_biases, head_norms, 2, read_qwen_experts},
    {"paddleocr_vl_text", use_bias},
    {"emu3_text_model"},
    {"aria_text", llama_biases, 0, 2, read_aria_experts},
    {"zamba", {}, 0, 1, nullptr, nullptr, read_zamba},
    {"zamba2", {}, 0, 1, nullptr, nullptr, read_zamba2},
    {"qwen", qkv_biases, 0, 2, nullptr, read_qwen},
    {"internlm", {"bias", "bias"}},
    {"internlm2", {"bias", "bias"}},
    {"internlm3", {"qkv_bias", "bias", "bias"}},
    {"baichuan"},
    {"xverse"},
    {"chatglm", {"add_qkv_bias"}, 0, 2, nullptr, read_chatglm},
    {"minicpm", {}, 0, 2, read_minicpm_experts},
    {"phi3small", all_biases, layer_norm, 2, nullptr, read_phi3_small},
    {"exaone"},
    {"orion", {}, layer_norm},
    {"deepseek", {of_attention, of_attention}, 0, 2, read_deepseek_experts},
    {"olmo_hybrid", attention_biases, wide_norms, 2, nullptr, nullptr, read_olmo_hybrid},
    {"granite_swa", llama_biases, windows, 2, nullptr, read_granite_swa},
    {"granitemoe_swa", attention_biases, windows, 2, read_shared_granite_experts, read_granite_swa},
    {"mellum", attention_biases, windows + head_norms, 2, read_listed_experts, read_listed_windows},
    {"laguna", attention_biases, windows + head_norms, 2, read_laguna_experts, read_laguna},
    {"step3p5", llama_biases, head_norms, 2, read_step_experts, nullptr, read_step},
    {"minimax_m3_vl_text", {}, head_norms, 2, read_minimax_m3_experts, nullptr, read_minimax_m3},
    {"cohere2_moe", attention_biases, windows, 1, read_cohere2_experts, read_cohere2_moe},
    {"youtu"},
    {"jetmoe", {}, 0, 2, read_mixtral_experts, read_jetmoe},
    {"doge", llama_biases, head_norms, 2, nullptr, read_doge},
    {"modernbert-decoder",
     {of_attention, of_attention, "mlp_bias", "decoder_bias"},
     embedding_norms,
     2,
     nullptr,
     nullptr,
     read_modernbert_decoder},
    {"bailing_moe", {"use_qkv_bias", "use_bias"}, 0, 2, read_bailing_experts},
    {"bailing_moe_v2", {"use_qkv_bias", "use_bias"}, 0, 2, read_bailing_experts},
    {"nemotron-nas", {}, 0, 2, nullptr, nullptr, read_nemotron_nas},
    {"rwkv5", {}, layer_norm + ungated + embedding_norms + no_attention, 2, nullptr, nullptr, read_rwkv5},
    {"rwkv6", {}, layer_norm + ungated + embedding_norms + no_attention, 2, nullptr, nullptr, read_rwkv5},
    {"gpt_neox_japanese", {}, layer_norm + ungated, 2, nullptr, nullptr, read_neox_japanese},
    {"openelm", {}, no_attention, 2, nullptr, nullptr, read_openelm},
    {"rwkv7", {}, layer_norm + ungated + embedding_norms + no_attention, 2, nullptr, nullptr, read_rwkv7},
    {"jais", all_biases, layer_norm + position_table, 2, nullptr, read_jais},
    {"plamo2", {}, wide_norms, 4, nullptr, nullptr, read_plamo2},
    {"bailing_moe_linear", {}, 0, 2, read_bailing_experts, nullptr, read_bailing_linear},
}};

/// Another name of a type, in the files of those who publish it: its layers are those of the type.
struct other_name {
  std::string_view type;
  std::string_view as;
  bool own_defaults = false;  ///< names and defaults of its fields are its own
};
inline constexpr std::array<other_name, 11> other_names{{
    {"Yi", "llama"},
    {"youtu_llm", "youtu"},
    {"deepseek_ref", "deepseek_v4"},
    {"minimax_m3", "minimax_m3_vl_text"},
    {"Dream", "qwen2"},
    {"stablelm_epoch", "stablelm"},
    {"aria_moe_lm", "aria_text"},
    {"RefinedWeb", "falcon", true},
    {"RefinedWebModel", "falcon", true},
    {"phi-msft", "phi", true},
    {"mixformer-sequential", "phi", true},
}};

/// A row, and the type whose defaults count.
struct named_family {
  const text_family* row = nullptr;
  std::string_view defaults{};
};

/// A decoder of one of the names that `model_type` takes; null where there is none.
inline named_family find_text_family(std::string_view type) {
  std::string_view defaults;
  for (const other_name& each : other_names) {
    if (each.type != type) continue;
    if (each.own_defaults) defaults = each.type;
    type = each.as;
    break;
  }
  for (const text_family& family : text_families) {
    if (family.type == type) return {&family, defaults.empty() ? family.type : defaults};
  }
  return {};
}

/// Heads; latent attention where the class has it.
inline void read_heads(config_fields& fields, transformer& model) {
  attention_spec& a = model.attention;
  a.heads = fields.count("num_attention_heads");
  const bool plain = !fields.flag_or("use_mla", true);  // the small DeepSeek-V2 models, with ordinary attention
  const bool latent = fields.default_of("kv_lora_rank").has_value() && !plain;
  constexpr std::string_view shared = "num_key_value_heads";
  const bool unknown = !fields.has(shared) && !fields.default_of(shared);  // to the class
  const bool one_each = latent || fields.is_null(shared) || unknown;       // every head has keys and values of its own
  a.kv_heads = one_each ? a.heads : fields.count(shared);
  if (a.heads % a.kv_heads != 0) {
    fail(errc::not_divisible, fields.path("num_key_value_heads"), a.kv_heads,
         "a divisor of num_attention_heads, " + std::to_string(a.heads));
  }
  if (!latent) {
    const bool rounds = fields.type() == "glm4_moe" && !fields.has("head_dim");  // its class divides and rounds down
    if (rounds) fields.assume("head_dim", std::to_string(model.d_model / a.heads), "hidden_size / num_attention_heads");
    a.head_dim = plain || rounds ? model.d_model / a.heads : fields.count("head_dim");
    return;
  }
  a.latent.q_lora_rank = fields.count_or_none("q_lora_rank");
  a.latent.kv_lora_rank = fields.count("kv_lora_rank");
  a.latent.qk_nope_head_dim = fields.count("qk_nope_head_dim");
  a.latent.qk_rope_head_dim = fields.count("qk_rope_head_dim");
  a.latent.v_head_dim = fields.count("v_head_dim");
  a.head_dim = a.latent.qk_nope_head_dim + a.latent.qk_rope_head_dim;
}

/// Whether matrices have a bias, by the rule of the row.
inline bool has_bias(config_fields& fields, std::string_view rule) {
  return rule == always || (!rule.empty() && fields.flag(rule));
}

inline void read_biases(config_fields& fields, const bias_fields& biases, transformer& model) {
  if (biases.qkv != of_attention && biases.qkv != always) fields.refuse_true("attention_bias");
  if (biases.mlp != "mlp_bias" && biases.mlp != always) fields.refuse_true("mlp_bias");
  model.attention.qkv_bias = has_bias(fields, biases.qkv);
  model.attention.output_bias = has_bias(fields, biases.output);
  model.mlp.bias = has_bias(fields, biases.mlp);
  model.head_bias = has_bias(fields, biases.head);
}

/// Norms, gate and positions, as the row has them.
inline void apply_traits(const text_family& family, transformer& model) {
  const auto is = [&](decoder_trait trait) { return (family.traits & trait) != 0; };
  model.norms_per_layer = is(no_norm_weights) ? 0 : family.norms_per_layer;
  model.final_norm = !is(no_norm_weights);
  model.norm_bias = is(layer_norm);
  model.embedding_norm = is(embedding_norms);
  model.attention.qk_norm = is(head_norms);
  model.attention.wide_qk_norm = is(wide_norms);
  model.attention.output_gate = is(gated_output);
  model.mlp.gated = !is(ungated);
  if (is(position_table)) model.learned_positions = model.max_positions;
}

/// Layers that `layer_types` says have a window; each layer has to be of a kind that can be counted.
inline std::int64_t stated_local_layers(const config_fields& fields, const transformer& model) {
  const nlohmann::json& types = fields.object().at("layer_types");
  if (!types.is_array()) fail(errc::malformed_input, fields.path("layer_types"), types.type_name(), "an array");
  std::int64_t local = 0;
  for (const nlohmann::json& entry : types) {
    if (entry == "sliding_attention" || (entry == "chunked_attention" && fields.type() == "llama4_text")) {
      ++local;
    } else if (entry != "full_attention") {
      fail(errc::unsupported, fields.path("layer_types"), shown_json(entry), "sliding_attention, full_attention");
    }
  }
  if (types.size() != static_cast<std::size_t>(model.layers)) {
    fail(errc::invalid_argument, fields.path("layer_types"), static_cast<std::int64_t>(types.size()),
         "one entry for each of the layers, " + std::to_string(model.layers));
  }
  return local;
}

/// Layers that have a window by a text such as "LLLG": L has one and G has none, from the first layer on and over
/// again, and the last layer has none.
inline std::int64_t lettered_local_layers(const config_fields& fields, std::string_view field, std::int64_t layers) {
  const std::string pattern = fields.object().string(field);
  if (pattern.empty() || pattern.size() > 1024 || pattern.find_first_not_of("LG") != std::string::npos)
    fail(errc::invalid_argument, fields.path(field), pattern.substr(0, 40), "L and G alone, such as LLLG");
  std::int64_t local = 0;
  for (std::int64_t i = 0; i + 1 < layers; ++i) local += pattern[static_cast<std::size_t>(i) % pattern.size()] == 'L';
  return local;
}

/// All but each n-th layer. EXAONE may state letters in place of n.
inline std::int64_t periodic_local_layers(config_fields& fields, std::string_view field, std::int64_t layers) {
  const bool lettered = fields.type() == "exaone4" || fields.type() == "exaone_moe";
  if (lettered && fields.has(field) && fields.object().at(field).is_string())
    return lettered_local_layers(fields, field, layers);
  return layers - layers / fields.count(field);
}

/// Layers that have a window where the file does not list them.
inline std::int64_t usual_local_layers(config_fields& fields, const transformer& model) {
  const maybe<hf_default> row = fields.default_of("layer_types");
  if (!row) return model.layers;
  std::int64_t local = (model.layers + 1) / 2;
  if (row->kind == default_kind::periodic_layers) local = periodic_local_layers(fields, row->text, model.layers);
  if (row->kind == default_kind::upper_layers) local = model.layers - std::min(model.layers, fields.part(row->text));
  if (row->kind == default_kind::even_lower_layers) local = (std::min(model.layers, fields.part(row->text)) + 1) / 2;
  fields.assume("layer_types", std::to_string(local) + " of " + std::to_string(model.layers) + " layers with a window",
                *row);
  return local;
}

inline void read_window(config_fields& fields, const text_family& family, transformer& model) {
  attention_spec& a = model.attention;
  const bool stated = fields.has("layer_types");
  const std::int64_t listed = stated ? stated_local_layers(fields, model) : 0;
  const bool counts = (family.traits & decoder_trait::windows) != 0;
  if (!counts) fields.refuse_true("use_sliding_window");
  const bool used = counts && (!fields.default_of("use_sliding_window") || fields.flag("use_sliding_window"));
  a.window = used ? fields.tokens("sliding_window") : 0;
  if (a.window > 0) a.local_layers = stated ? listed : usual_local_layers(fields, model);
  if (listed > 0 && a.window == 0) {
    fail(errc::unsupported, fields.path("layer_types"), "sliding_attention without sliding_window", "full_attention");
  }
  if (a.local_layers == 0) a.window = 0;
}

inline void read_mlp(config_fields& fields, const text_family& family, transformer& model) {
  if (family.experts != nullptr) {
    family.experts(fields, model);
    if (model.moe.top_k == 0 && has_experts(model)) model.moe.top_k = fields.count("num_experts_per_tok");
    if (model.moe.top_k > model.moe.experts) {
      fail(errc::out_of_range, fields.path("num_experts_per_tok"), model.moe.top_k,
           "1 to the number of experts, " + std::to_string(model.moe.experts));
    }
  }
  if (dense_layers(model) > 0 && model.mlp.d_ff == 0) model.mlp.d_ff = fields.count("intermediate_size");
}

/// Tokens that attend to all others make an encoder of a decoder (EmbeddingGemma). Gemma 4 has "vision" where only
/// those of an image do.
inline void read_direction(config_fields& fields, transformer& model) {
  constexpr std::string_view field = "use_bidirectional_attention";
  if (!fields.has(field)) return;
  const nlohmann::json& given = fields.object().at(field);
  if (given != "all" && given != true) return;
  model.kind = architecture::encoder;
  model.output_head = false;
  fields.assume(field, shown_json(given), "every token attends to all others: an encoder without an output head");
}

/// A decoder, all but whether its embeddings are tied and whether its tokens attend to all others.
inline void read_decoder(config_fields& fields, const text_family& family, transformer& model) {
  fields.refuse_true("add_cross_attention");
  if (!fields.default_of("qk_layernorm")) fields.refuse_true("qk_layernorm");
  model.d_model = fields.count("hidden_size");
  model.layers = fields.count("num_hidden_layers");
  model.vocab = fields.count("vocab_size");
  model.max_positions = fields.tokens("max_position_embeddings");
  apply_traits(family, model);
  if ((family.traits & no_attention) == 0) read_heads(fields, model);
  read_biases(fields, family.biases, model);
  if (family.mixers != nullptr)
    family.mixers(fields, model);
  else
    read_window(fields, family, model);
  read_mlp(fields, family, model);
  if (family.rest != nullptr) family.rest(fields, model);
  if (!fields.default_of("cross_attention_layers")) return;
  model.attention.cross_layers = fields.layers_listed("cross_attention_layers", model.layers);
  model.extra_input_rows = 8;  // special tokens that are read and never written
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
